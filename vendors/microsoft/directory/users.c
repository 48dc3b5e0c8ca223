/* SPDX-License-Identifier: Apache-2.0 */
/* Users: looked at, made, changed and deleted. */
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "vendors/microsoft/directory/rows.h"

/* ---- reading ---- */

static int next_user(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_user where tenant = :tenant and id > :after and not deleted "
                 "order by id limit 1");
    const struct ms_tenant *tenant = of;
    ret->kind = &dir_user;
    return TX_INT(&c->tx, &q, &ret->id, tenant->id, after);
}

static int users_list(struct call *c)
{
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    return dir_answer_list(
        c, &(struct dir_list){.kind = &dir_user, .next = next_user, .of = &tenant, .units = 2});
}

static int users_count(struct call *c)
{
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    return dir_answer_count(
        c, &(struct dir_list){.kind = &dir_user, .next = next_user, .of = &tenant});
}

static int user_get(struct call *c)
{
    struct ms_user user;
    return dir_user_of_path(c, READ_USERS, &user) < 0 ? -1
                                                      : dir_answer(c, &dir_user, user.id, NULL, 1);
}

/* ---- changing ---- */

/* Which text of the row a member of a body is. self: the user may change it. */
static const struct {
    const char *name;
    size_t at;
    bool self;
} texts[] = {
    {"displayName", offsetof(struct ms_user, name), false},
    {"givenName", offsetof(struct ms_user, given), false},
    {"surname", offsetof(struct ms_user, surname), false},
    {"jobTitle", offsetof(struct ms_user, job), false},
    {"department", offsetof(struct ms_user, department), false},
    {"officeLocation", offsetof(struct ms_user, office), false},
    {"companyName", offsetof(struct ms_user, company), false},
    {"employeeId", offsetof(struct ms_user, employee), false},
    {"mobilePhone", offsetof(struct ms_user, mobile), true},
    {"preferredLanguage", offsetof(struct ms_user, language), true},
    {"usageLocation", offsetof(struct ms_user, usage), false},
    {"streetAddress", offsetof(struct ms_user, street), false},
    {"city", offsetof(struct ms_user, city), false},
    {"state", offsetof(struct ms_user, state), false},
    {"postalCode", offsetof(struct ms_user, postal), false},
    {"country", offsetof(struct ms_user, country), false},
};

enum { MAX_TEXT = 256, MAX_PHONES = 10 };

static int bad_user_value(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "Invalid value specified for property '%.60s' of resource 'User'.", name);
}

static int take_user_text(struct call *c, const struct json_member *m, const char **ret)
{
    if (m->value.type == JSON_NULL) {
        *ret = NULL;
        return 0;
    }
    if (m->value.type != JSON_STRING || !m->value.n || m->value.n > MAX_TEXT)
        return bad_user_value(c, m->key);
    *ret = m->value.str;
    return 0;
}

static int take_phones(struct call *c, const struct json_member *m, const char **ret)
{
    if (m->value.type != JSON_ARRAY || m->value.n > MAX_PHONES)
        return bad_user_value(c, m->key);
    for (uint32_t i = 0; i < m->value.n; i++)
        if (m->value.items[i].type != JSON_STRING || m->value.items[i].n > 64)
            return bad_user_value(c, m->key);
    *ret = json_to_text(c->tx.arena, &m->value);
    return 0;
}

static int taken_name(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "Another object with the same value for property userPrincipalName already "
                     "exists.");
}

static bool is_domain_of(const struct ms_tenant *t, const char *upn)
{
    return strcmp(email_domain(upn), t->domain) == 0 || strcmp(email_domain(upn), t->initial) == 0;
}

static int foreign_domain(struct call *c)
{
    return call_fail(
        c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
        "The domain portion of the userPrincipalName property is invalid. You must use "
        "one of the verified domain names in your organization.");
}

/* Another name to sign in with; addresses stay. */
static int take_upn(struct call *c, const struct json_member *m, struct ms_user *user)
{
    const char *upn = m->value.type == JSON_STRING ? email_normal(c->tx.arena, m->value.str) : NULL;
    struct ms_tenant tenant;
    struct ms_user other;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    if (!upn || !is_domain_of(&tenant, upn))
        return foreign_domain(c);
    int r = ms_user_find(&c->tx, upn, 0, &other);
    if (r < 0 || (r == 1 && other.id != user->id))
        return r < 0 ? -1 : taken_name(c);
    user->upn = upn;
    return 1;
}

/* One member of a body. *ret_self: it is one that the user may change. 1, 0 it is not known here,
 * -1. */
static int take_user_member(struct call *c, const struct json_member *m, bool create,
                            struct ms_user *user, bool *ret_self)
{
    *ret_self = false;
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        if (str_eq_nocase(m->key, texts[i].name)) {
            *ret_self = texts[i].self;
            return take_user_text(c, m, (const char **)((char *)user + texts[i].at)) < 0 ? -1 : 1;
        }
    if (str_eq_nocase(m->key, "businessPhones"))
        return take_phones(c, m, &user->phones) < 0 ? -1 : 1;
    if (!create && str_eq_nocase(m->key, "userPrincipalName"))
        return take_upn(c, m, user);
    if (!str_eq_nocase(m->key, "accountEnabled"))
        return 0;
    if (m->value.type != JSON_BOOL)
        return bad_user_value(c, m->key);
    user->enabled = m->value.truth;
    return 1;
}

/* Members that are read only where a user is made, or of which nothing is kept. */
static bool is_passed_over(const char *name, bool create)
{
    static const char *const always[] = {
        "passwordProfile", "passwordPolicies", "id",     "mail",
        "aboutMe",         "interests",        "skills", "otherMails"};
    static const char *const made[] = {"userPrincipalName", "mailNickname", "userType"};
    return strchr(name, '@') || str_in_nocase(name, always, SOSIA_LEN(always)) ||
           (create && str_in_nocase(name, made, SOSIA_LEN(made)));
}

static int take_members(struct call *c, const struct json *body, bool create, struct ms_user *user)
{
    int may = dir_may_change(c);
    if (may < 0)
        return -1;
    for (uint32_t i = 0; i < body->n; i++) {
        const struct json_member *m = &body->members[i];
        bool self;
        int r = take_user_member(c, m, create, user, &self);
        if (r < 0)
            return -1;
        if (r == 0 && !is_passed_over(m->key, create))
            return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                             "Invalid property '%.100s'.", m->key);
        bool own = user->actor == c->actor.id && call_has_scope(c, "User.ReadWrite " WRITE_USERS);
        if (!may && !(own && (self || r == 0))) /* MG-606 */
            return graph_denied(c);
    }
    return 0;
}

static int user_patch(struct call *c)
{
    const struct json *body;
    struct ms_user user;
    if (dir_user_of_path(c, WRITE_USERS, &user) < 0 || !(body = call_body(c)) ||
        take_members(c, body, false, &user) < 0)
        return -1;
    user.listed = true;
    if (ms_user_save(&c->tx, &user) < 0)
        return -1;
    call_header_const(c, "x-ms-resource-unit", "1");
    c->status = 204;
    return 0;
}

static int required(struct call *c, const struct json *body, const char *name)
{
    const struct json *v = json_get(body, name);
    if (v && v->type != JSON_NULL)
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "A value is required for property '%s' of resource 'User'.", name);
}

/* The account of who is made: with what Microsoft has for a person, and nothing of others. */
static int make_account(struct call *c, const struct ms_tenant *tenant, const char *upn,
                        const char *name, struct account *ret, struct actor *ret_actor)
{
    *ret_actor = (struct actor){
        .handle = upn, .email = upn, .kind = "person", .name = name, .zone = "UTC", .locale = "en"};
    int r = ms_user_find(&c->tx, upn, 0, &(struct ms_user){0});
    if (r == 0)
        r = actor_by_email(&c->tx, upn, &(struct actor){0});
    if (r)
        return r < 0 ? -1 : taken_name(c);
    if (actor_put(&c->tx, ret_actor) < 0)
        return -1;
    *ret = (struct account){.actor = ret_actor->id,
                            .vendor = "microsoft",
                            .service = "",
                            .tenant = tenant->guid,
                            .listed = true};
    return account_put(&c->tx, ret);
}

static int users_create(struct call *c)
{
    static const char *const needed[] = {"accountEnabled", "displayName", "mailNickname",
                                         "passwordProfile", "userPrincipalName"};
    const struct json *body;
    struct ms_tenant tenant;
    struct account account;
    struct ms_user user;
    struct actor actor;
    int r = dir_may_change(c);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (dir_tenant(c, &tenant) < 0 || !(body = call_body(c)))
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(needed); i++)
        if (required(c, body, needed[i]) < 0)
            return -1;
    const char *given = json_get_str(body, "userPrincipalName");
    const char *name = json_get_str(body, "displayName");
    const char *upn = given ? email_normal(c->tx.arena, given) : NULL;
    if (!upn || !is_domain_of(&tenant, upn))
        return foreign_domain(c);
    if (!name || strlen(name) > MAX_TEXT)
        return bad_user_value(c, "displayName");
    if (make_account(c, &tenant, upn, name, &account, &actor) < 0 ||
        ms_user_usual(&c->tx, &account, &actor, &user) < 0)
        return -1;
    user.given = user.surname = user.mail = NULL;
    user.listed = true;
    user.password = json_get_str(json_get(body, "passwordProfile"), "password");
    if (user.password && strlen(user.password) > MAX_TEXT)
        return bad_user_value(c, "passwordProfile");
    if (take_members(c, body, true, &user) < 0 || ms_user_new(&c->tx, &user) < 0 ||
        dir_answer_new(c, &dir_user, user.id) < 0)
        return -1;
    call_header(c, "Location",
                arena_printf(c->tx.arena,
                             "https://" GRAPH_HOST "/v1.0/%s/directoryObjects/%s/"
                             "Microsoft.DirectoryServices.User",
                             tenant.guid, user.oid));
    return 0;
}

static int user_delete(struct call *c)
{
    struct ms_user user;
    if (dir_user_of_path(c, WRITE_USERS, &user) < 0)
        return -1;
    int r = dir_may_change(c);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    user.deleted = user.listed = true;
    user.enabled = false;
    if (ms_user_save(&c->tx, &user) < 0 || ms_gone_add(&c->tx, user.tenant, "user", user.oid) < 0)
        return -1;
    call_header_const(c, "x-ms-resource-unit", "1");
    c->status = 204;
    return 0;
}

/* ---- rows ---- */

static const struct route methods[] = {
    {ROUTE("directory.users.me", GET, GRAPH("/me")), .handler = user_get, .risk = RISK_READ,
     .scopes = "User.Read User.ReadWrite " READ_USERS, PARAMS(dir_get_params),
     .response = "microsoft.graph.user", .summary = "Who the caller is"},
    {ROUTE("directory.users.updateMe", PATCH, GRAPH("/me")), .handler = user_patch,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = "User.ReadWrite " WRITE_USERS, .request = "microsoft.graph.user",
     .summary = "Change what the directory says of the caller"},
    {ROUTE("directory.users.list", GET, GRAPH("/users")), .handler = users_list, .risk = RISK_READ,
     .scopes = READ_USERS, PARAMS(dir_list_params),
     .response = "microsoft.graph.userCollectionResponse", .summary = "The users of the tenant"},
    {ROUTE("directory.users.count", GET, GRAPH("/users/$count")), .handler = users_count,
     .risk = RISK_READ, .gives = "text/plain", .scopes = READ_USERS, PARAMS(dir_list_params),
     .summary = "How many users the tenant has"},
    {ROUTE("directory.users.create", POST, GRAPH("/users")), .handler = users_create,
     .risk = RISK_WRITE, .secret = true, .body = BODY_JSON, .scopes = WRITE_USERS,
     .request = "microsoft.graph.user", .response = "microsoft.graph.user",
     .summary = "Make a user"},
    {ROUTE("directory.users.get", GET, GRAPH("/users/{user-id}")), .handler = user_get,
     .risk = RISK_READ, .scopes = "User.Read User.ReadWrite " READ_USERS, PARAMS(dir_get_params),
     .response = "microsoft.graph.user", .summary = "One user"},
    {ROUTE("directory.users.update", PATCH, GRAPH("/users/{user-id}")), .handler = user_patch,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = "User.ReadWrite " WRITE_USERS, PARAMS(dir_user_params),
     .request = "microsoft.graph.user", .summary = "Change what the directory says of a user"},
    {ROUTE("directory.users.delete", DELETE, GRAPH("/users/{user-id}")), .handler = user_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = WRITE_USERS, PARAMS(dir_user_params),
     .summary = "Delete a user"},
};

const struct rows dir_user_rows = ROWS(methods);
