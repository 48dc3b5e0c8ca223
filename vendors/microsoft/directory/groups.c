/* SPDX-License-Identifier: Apache-2.0 */
/* Groups: looked at, made, changed and deleted; and objects of any kind by their ids. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"

enum { MAX_NAME = 256, MAX_TEXT = 1024, MAX_NICKNAME = 64, MAX_IDS = 1000 };

static const struct dir_setting *find_setting(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(dir_settings); i++)
        if (str_eq_nocase(name, dir_settings[i].name))
            return &dir_settings[i];
    return NULL;
}

/* ---- reading ---- */

static int next_group(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select id from ms_group where tenant = :tenant and id > :after order by id limit 1");
    const struct ms_tenant *tenant = of;
    ret->kind = &dir_group;
    return TX_INT(&c->tx, &q, &ret->id, tenant->id, after);
}

static int groups_list(struct call *c)
{
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    return dir_answer_list(
        c, &(struct dir_list){.kind = &dir_group, .next = next_group, .of = &tenant});
}

static int groups_count(struct call *c)
{
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    return dir_answer_count(
        c, &(struct dir_list){.kind = &dir_group, .next = next_group, .of = &tenant});
}

static int group_get(struct call *c)
{
    struct ms_group group;
    return dir_group_of_path(c, &group) < 0 ? -1 : dir_answer(c, &dir_group, group.id, NULL, 1);
}

/* ---- changing ---- */

static int bad_group_value(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "Invalid value specified for property '%.60s' of resource 'Group'.", name);
}

static int take_group_text(struct call *c, const struct json_member *m, size_t max, bool clears,
                           const char **ret)
{
    if (m->value.type == JSON_NULL && clears) {
        *ret = NULL;
        return 0;
    }
    if (m->value.type != JSON_STRING || !m->value.n || m->value.n > max)
        return bad_group_value(c, m->key);
    *ret = m->value.str;
    return 0;
}

static int take_word(struct call *c, const struct json_member *m, const char *const *words,
                     size_t n, const char **ret)
{
    for (size_t i = 0; i < n; i++)
        if (m->value.type == JSON_STRING && str_eq_nocase(m->value.str, words[i])) {
            *ret = words[i];
            return 0;
        }
    return bad_group_value(c, m->key);
}

static int take_visibility(struct call *c, const struct json_member *m, struct ms_group *g)
{
    static const char *const words[] = {"Public", "Private", "HiddenMembership"};
    return take_word(c, m, words, SOSIA_LEN(words), &g->visibility);
}

static int take_theme(struct call *c, const struct json_member *m, struct ms_group *g)
{
    static const char *const words[] = {"Teal", "Purple", "Green", "Blue", "Pink", "Orange", "Red"};
    if (m->value.type == JSON_NULL) {
        g->theme = NULL;
        return 0;
    }
    return take_word(c, m, words, SOSIA_LEN(words), &g->theme);
}

static int take_bool(struct call *c, const struct json_member *m, bool *ret)
{
    if (m->value.type != JSON_BOOL)
        return bad_group_value(c, m->key);
    *ret = m->value.truth;
    return 0;
}

static int take_types(struct call *c, const struct json_member *m, struct ms_group *g)
{
    if (m->value.type != JSON_ARRAY)
        return bad_group_value(c, m->key);
    g->unified = false;
    for (uint32_t i = 0; i < m->value.n; i++) {
        const struct json *v = &m->value.items[i];
        if (v->type != JSON_STRING || !str_eq_nocase(v->str, "Unified"))
            return bad_group_value(c, m->key);
        g->unified = true;
    }
    return 0;
}

static int nickname_taken(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "Another object with the same value for property mailNickname already "
                     "exists.");
}

/* Is it what another group of the tenant was given? own: the group's id, 0 of a new one. 1, 0, -1.
 */
static int is_given(struct call *c, const char *nickname, int64_t tenant, int64_t own)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ms_group where nickname = :nickname collate nocase and nickname is "
                 "not null and tenant = :tenant and id <> :own limit 1");
    int64_t one;
    return TX_INT(&c->tx, &q, &one, nickname, tenant, own);
}

/* The same, or what another one has of its address. */
static int is_anothers(struct call *c, const char *nickname, const struct ms_group *g)
{
    struct arena *a = c->tx.arena;
    const char *email = email_normal(a, arena_printf(a, "%s%s", nickname, strchr(g->email, '@')));
    struct group addresses;
    struct ms_group other;
    int r = is_given(c, nickname, g->tenant, g->id);
    if (r || !email)
        return r;
    r = group_by_email(&c->tx, email, &addresses);
    if (r == 1)
        r = ms_group_of(&c->tx, addresses.id, &other);
    return r == 1 ? other.id != g->id && !other.nickname : r;
}

/* Another alias; the address stays. */
static int take_nickname(struct call *c, const struct json_member *m, struct ms_group *g)
{
    const char *name;
    if (take_group_text(c, m, MAX_NICKNAME, false, &name) < 0)
        return -1;
    if (str_eq_nocase(name, dir_nickname_of(c->tx.arena, g)))
        return 0;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p <= ' ' || (unsigned char)*p > '~' || strchr("@()\\[]\";:<>,", *p))
            return bad_group_value(c, m->key);
    int r = is_anothers(c, name, g);
    g->nickname = name;
    return r == 1 ? nickname_taken(c) : r;
}

static int take_group_member(struct call *c, const struct json_member *m, bool create,
                             struct ms_group *g)
{
    static const char *const passed[] = {"owners@odata.bind", "members@odata.bind", "@odata.type"};
    if (str_eq_nocase(m->key, "displayName"))
        return take_group_text(c, m, MAX_NAME, false, &g->name);
    if (str_eq_nocase(m->key, "description"))
        return take_group_text(c, m, MAX_TEXT, true, &g->description);
    if (str_eq_nocase(m->key, "visibility"))
        return take_visibility(c, m, g);
    if (str_eq_nocase(m->key, "securityEnabled"))
        return take_bool(c, m, &g->security);
    if (create && str_eq_nocase(m->key, "mailEnabled"))
        return take_bool(c, m, &g->mail);
    if (create && str_eq_nocase(m->key, "groupTypes"))
        return take_types(c, m, g);
    if (str_eq_nocase(m->key, "mailNickname")) /* that of a new one is in its address */
        return create ? 0 : take_nickname(c, m, g);
    if (str_eq_nocase(m->key, "classification"))
        return take_group_text(c, m, MAX_TEXT, true, &g->classification);
    if (str_eq_nocase(m->key, "preferredLanguage"))
        return take_group_text(c, m, MAX_NAME, true, &g->language);
    if (str_eq_nocase(m->key, "theme"))
        return take_theme(c, m, g);
    if (str_in_nocase(m->key, passed, SOSIA_LEN(passed)))
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL, "Invalid property '%.100s'.",
                     m->key);
}

/* "members@odata.bind", "owners@odata.bind": URLs of users, and of groups that may be members.
 * fresh: the group is new, and who is there already is passed over. */
static int bind(struct call *c, const struct json *body, const struct ms_group *group, bool owner,
                bool fresh)
{
    const struct json *list = json_get(body, owner ? "owners@odata.bind" : "members@odata.bind");
    struct ms_user user;
    const char *email;
    if (!list)
        return 0;
    if (list->type != JSON_ARRAY || list->n > 20)
        return bad_group_value(c, owner ? "owners@odata.bind" : "members@odata.bind");
    for (uint32_t i = 0; i < list->n; i++) {
        const char *url = list->items[i].type == JSON_STRING ? list->items[i].str : "";
        const char *slash = strrchr(url, '/'), *id = slash ? slash + 1 : url;
        int r = owner ? dir_address_of(c, group, id, &email, &user)
                      : dir_new_member(c, group, id, &email);
        if (r != 1 || (owner && !user.id))
            return r < 0 ? -1 : dir_no_object(c, id);
        r = owner ? ms_owner_add(&c->tx, group->id, user.id)
                  : group_add_member(&c->tx, group->addresses, email);
        if (r < 0 || (r == 0 && !fresh))
            return r < 0 ? -1 : dir_there_already(c, owner);
    }
    return 0;
}

/* Who makes a group owns it, and is a member of one of Microsoft 365. */
static int own_it(struct call *c, const struct ms_group *group)
{
    struct ms_user user;
    const char *email;
    int r = graph_app_only(c) ? 0 : ms_user_of_actor(&c->tx, c->actor.id, group->tenant, &user);
    if (r != 1)
        return r;
    if (ms_owner_add(&c->tx, group->id, user.id) < 0 || ms_user_address(&c->tx, &user, &email) < 0)
        return -1;
    return group->unified && group_add_member(&c->tx, group->addresses, email) < 0 ? -1 : 0;
}

static int check_new(struct call *c, const struct json *body, const struct ms_group *g)
{
    static const char *const needed[] = {"displayName", "mailEnabled", "mailNickname",
                                         "securityEnabled"};
    for (size_t i = 0; i < SOSIA_LEN(needed); i++) {
        const struct json *v = json_get(body, needed[i]);
        if (!v || v->type == JSON_NULL)
            return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                             "A value is required for property '%s' of resource 'Group'.",
                             needed[i]);
    }
    if (g->mail && !g->unified)
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "The service does not currently support writes of mail-enabled groups. "
                         "Please ensure that the mail-enablement property is unset and the "
                         "security-enablement property is set.");
    if (!g->mail && !g->security)
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "A group must be mail-enabled or security-enabled.");
    return 0;
}

static int new_address(struct call *c, const struct json *body, const struct ms_tenant *tenant,
                       const char **ret)
{
    const char *nickname = json_get_str(body, "mailNickname");
    struct group other;
    const char *email = nickname && strlen(nickname) <= MAX_NICKNAME
                            ? email_normal(c->tx.arena, arena_printf(c->tx.arena, "%s@%s", nickname,
                                                                     tenant->domain))
                            : NULL;
    if (!email)
        return bad_group_value(c, "mailNickname");
    int r = group_by_email(&c->tx, email, &other);
    if (r == 0)
        r = actor_by_email(&c->tx, email, &(struct actor){0});
    if (r == 0)
        r = is_given(c, nickname, tenant->id, 0);
    *ret = email;
    return r == 1 ? nickname_taken(c) : r;
}

static int not_together(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                     "The request is currently not supported on the targeted entity set");
}

static int groups_create(struct call *c)
{
    const struct json *body;
    struct ms_tenant tenant;
    struct ms_group g = {.listed = true};
    if (dir_tenant(c, &tenant) < 0 || !(body = call_body(c)))
        return -1;
    g.tenant = tenant.id;
    for (uint32_t i = 0; i < body->n; i++)
        if (find_setting(body->members[i].key))
            return not_together(c);
    for (uint32_t i = 0; i < body->n; i++)
        if (take_group_member(c, &body->members[i], true, &g) < 0)
            return -1;
    if (!g.visibility)
        g.visibility = "Public";
    if (check_new(c, body, &g) < 0 || new_address(c, body, &tenant, &g.email) < 0 ||
        ms_group_new(&c->tx, &g) < 0 || bind(c, body, &g, true, true) < 0 ||
        bind(c, body, &g, false, true) < 0 || own_it(c, &g) < 0 ||
        dir_answer_new(c, &dir_group, g.id) < 0)
        return -1;
    call_header(c, "Location",
                arena_printf(c->tx.arena,
                             "https://" GRAPH_HOST "/v1.0/%s/directoryObjects/%s/"
                             "Microsoft.DirectoryServices.Group",
                             tenant.guid, g.oid));
    return 0;
}

/* Settings of mail have a change of their own, of a group that has mail. 1: they were changed. */
static int take_settings(struct call *c, const struct json *body, struct ms_group *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < body->n; i++) {
        const struct dir_setting *s = find_setting(body->members[i].key);
        if (s && take_bool(c, &body->members[i], dir_setting_of(g, s)) < 0)
            return -1;
        n += s != NULL;
    }
    if (!n)
        return 0;
    return n < body->n || !g->unified ? not_together(c) : 1;
}

static int group_patch(struct call *c)
{
    const struct json *body;
    struct ms_group g;
    if (dir_group_of_path(c, &g) < 0 || dir_may_change_group(c, &g) < 0 || !(body = call_body(c)))
        return -1;
    int r = take_settings(c, body, &g);
    if (r) {
        g.listed = true;
        return r < 0 || ms_group_save(&c->tx, &g) < 0 ? -1
                                                      : dir_answer(c, &dir_group, g.id, NULL, 1);
    }
    for (uint32_t i = 0; i < body->n; i++)
        if (take_group_member(c, &body->members[i], false, &g) < 0)
            return -1;
    if (bind(c, body, &g, true, false) < 0 || bind(c, body, &g, false, false) < 0)
        return -1;
    g.listed = true;
    c->status = 204;
    call_header_const(c, "x-ms-resource-unit", "1");
    return ms_group_save(&c->tx, &g) < 0 ? -1 : ms_group_followed(&c->tx, &g);
}

static int group_delete(struct call *c)
{
    struct ms_group g;
    if (dir_group_of_path(c, &g) < 0 || dir_may_change_group(c, &g) < 0)
        return -1;
    call_header_const(c, "x-ms-resource-unit", "1");
    c->status = 204;
    return ms_group_drop(&c->tx, &g);
}

/* ---- objects of any kind ---- */

static int find_object(struct call *c, const char *id, const struct ms_tenant *tenant,
                       struct dir_item *ret)
{
    struct ms_group group;
    struct ms_user user;
    int r = strchr(id, '@') ? 0 : ms_user_find(&c->tx, id, tenant->id, &user);
    if (r == 1)
        *ret = (struct dir_item){&dir_user, user.id};
    if (r)
        return r == 1 && user.deleted ? 0 : r;
    r = strchr(id, '@') ? 0 : ms_group_find(&c->tx, id, tenant->id, &group);
    if (r == 1)
        *ret = (struct dir_item){&dir_group, group.id};
    return r;
}

static int object_get(struct call *c)
{
    const char *id = param_str(c, "object-id");
    struct ms_tenant tenant;
    struct dir_item item;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    int r = find_object(c, id, &tenant, &item);
    return r == 1  ? dir_answer(c, item.kind, item.id, "directoryObjects", 1)
           : r < 0 ? -1
                   : dir_no_object(c, id);
}

static bool is_wanted(const struct json *types, const char *type)
{
    for (uint32_t i = 0; types && i < types->n; i++)
        if (types->items[i].type == JSON_STRING &&
            (str_eq_nocase(types->items[i].str, type) ||
             str_eq_nocase(types->items[i].str, "directoryObject")))
            return true;
    return !types || !types->n;
}

static int objects_by_ids(struct call *c)
{
    const struct json *body, *ids, *types;
    struct ms_tenant tenant;
    struct dir_item item;
    if (dir_tenant(c, &tenant) < 0 || !(body = call_body(c)))
        return -1;
    ids = json_get(body, "ids");
    types = json_get(body, "types");
    if (!ids || ids->type != JSON_ARRAY || ids->n > MAX_IDS || (types && types->type != JSON_ARRAY))
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "The parameter 'ids' must be a list of at most %d ids.", MAX_IDS);
    json_obj(c->out, NULL);
    graph_context(c, "directoryObjects");
    json_arr(c->out, "value");
    for (uint32_t i = 0; i < ids->n; i++) {
        const char *id = ids->items[i].type == JSON_STRING ? ids->items[i].str : "";
        int r = find_object(c, id, &tenant, &item);
        if (r == 1 && is_wanted(types, item.kind->type))
            r = dir_write_whole(c, &item, true);
        if (r < 0)
            return -1;
    }
    json_end(c->out);
    json_end(c->out);
    call_header_const(c, "x-ms-resource-unit", "3");
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    return 0;
}

/* ---- rows ---- */

#define GROUP_PATH GRAPH("/groups/{group-id}")

static const struct route methods[] = {
    {ROUTE("directory.groups.list", GET, GRAPH("/groups")), .handler = groups_list,
     .risk = RISK_READ, .scopes = READ_GROUPS, PARAMS(dir_list_params),
     .response = "microsoft.graph.groupCollectionResponse", .summary = "The groups of the tenant"},
    {ROUTE("directory.groups.count", GET, GRAPH("/groups/$count")), .handler = groups_count,
     .risk = RISK_READ, .gives = "text/plain", .scopes = READ_GROUPS, PARAMS(dir_list_params),
     .summary = "How many groups the tenant has"},
    {ROUTE("directory.groups.create", POST, GRAPH("/groups")), .handler = groups_create,
     .risk = RISK_WRITE, .body = BODY_JSON, .scopes = "Group.Create " WRITE_GROUPS,
     .request = "microsoft.graph.group", .response = "microsoft.graph.group",
     .summary = "Make a group"},
    {ROUTE("directory.groups.get", GET, GROUP_PATH), .handler = group_get, .risk = RISK_READ,
     .scopes = READ_GROUPS, PARAMS(dir_get_params), .response = "microsoft.graph.group",
     .summary = "One group"},
    {ROUTE("directory.groups.update", PATCH, GROUP_PATH), .handler = group_patch,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = WRITE_GROUPS,
     PARAMS(dir_group_params), .request = "microsoft.graph.group", .summary = "Change a group"},
    {ROUTE("directory.groups.delete", DELETE, GROUP_PATH), .handler = group_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = WRITE_GROUPS, PARAMS(dir_group_params),
     .summary = "Delete a group"},
    {ROUTE("directory.objects.get", GET, GRAPH("/directoryObjects/{object-id}")),
     .handler = object_get, .risk = RISK_READ, .scopes = READ_USERS " " READ_GROUPS,
     PARAMS(dir_get_params), .response = "microsoft.graph.directoryObject",
     .summary = "A user or a group by its id"},
    {ROUTE("directory.objects.getByIds", POST, GRAPH("/directoryObjects/getByIds")),
     .handler = objects_by_ids, .risk = RISK_READ, .body = BODY_JSON,
     .scopes = READ_USERS " " READ_GROUPS, .request = "microsoft.graph.directoryObject.getByIds",
     .response = "microsoft.graph.directoryObjectCollectionResponse",
     .summary = "Users and groups by their ids"},
};

const struct rows dir_group_rows = ROWS(methods);
