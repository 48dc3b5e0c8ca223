/* SPDX-License-Identifier: Apache-2.0 */
/* The directory in seed documents: tenants, what it says of users, apps as tenants have them. */
#include "engine/base/codec.h"
#include "engine/state/form.h"
#include "engine/state/own.h"
#include "identity/scope.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/directory/feed.h"
#include "vendors/microsoft/directory/rows.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/signin/signin.h"

extern const char ms_directory_sql[];

enum { LIST_MAX = 100 }; /* phones, licences of a user */

/* ---- what several have ---- */

static bool is_guid(const char *text)
{
    for (int i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !memchr("0123456789abcdef", text[i], 16))
            return false;
    }
    return !text[36];
}

static int check_guid(const struct form_in *in, const struct member *m, void *row)
{
    const char *text = *(const char *const *)member_at(m, row);
    if (!text || is_guid(text))
        return 0;
    return doc_refuse(in->d, in->value, m->name, "must be a GUID in lower case, not \"%.80s\"",
                      text);
}

static int check_domain(const struct form_in *in, const struct member *m, void *row)
{
    const char **text = member_place(m, row);
    const char *normal = *text ? domain_normal(in->d->arena, *text) : NULL;
    if (*text && (!normal || !strchr(normal, '.')))
        return doc_refuse(in->d, in->value, m->name, "must be a domain, not \"%.80s\"", *text);
    *text = normal;
    return 0;
}

static int check_letters(const struct form_in *in, const struct member *m, void *row)
{
    const char *text = *(const char *const *)member_at(m, row);
    if (!text ||
        (strlen(text) == 2 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'A' && text[1] <= 'Z'))
        return 0;
    return doc_refuse(in->d, in->value, m->name,
                      "must be two capital letters of ISO 3166, not \"%.80s\"", text);
}

/* A list of texts, as the JSON that is stored. */
static int read_texts(const struct form_in *in, const struct member *m, void *row)
{
    const char **to = member_place(m, row), **list;
    struct json_writer w;
    struct buf b;
    size_t n;
    if (doc_strings(in->d, in->value, m->name, &list, &n) < 0)
        return -1;
    if (n > LIST_MAX)
        return doc_refuse(in->d, in->value, m->name, "must have at most %d items, not %zu",
                          LIST_MAX, n);
    if (!json_get(in->value, m->name))
        return 0;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; i < n; i++)
        json_str(&w, NULL, list[i]);
    json_end(&w);
    *to = buf_keep(&b, in->d->arena);
    return 0;
}

static int write_texts(const struct form_out *out, const struct member *m, const void *row)
{
    const char *text = *(const char *const *)member_at(m, row);
    if (!str_same(text, out->base ? *(const char *const *)member_at(m, out->base) : "[]"))
        json_raw(out->w, m->name, text, strlen(text));
    return 0;
}

#define TEXTS_AT(type, field)                                                                      \
    .kind = MEMBER_OWN, MEMBER_TYPED(type, field, const char *), .read = read_texts,               \
    .write = write_texts, .inner = "*",                                                            \
    .schema = "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

/* The tenant that a member names. */
static int tenant_member(struct tx *tx, struct doc *d, const struct json *v, bool required,
                         struct ms_tenant *ret)
{
    const char *text;
    *ret = (struct ms_tenant){0};
    if (doc_str(d, v, "tenant", required, &text) < 0)
        return -1;
    int r = text ? ms_tenant_find(tx, text, ret) : 1;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(d, v, "tenant",
                                "must be the id or a domain of a tenant of microsoftTenants, not "
                                "\"%.80s\"",
                                text);
}

/* ---- tenants ---- */

static const struct member tenant_members[] = {
    {"domain", "Its default domain", TEXT_AT(struct ms_tenant, domain), .flags = MEMBER_REQUIRED,
     .check = check_domain},
    {"id", "Its id, a GUID; made of the domain without it", TEXT_AT(struct ms_tenant, guid),
     .check = check_guid},
    {"initial", "The domain that it began with; made of the domain without it",
     TEXT_AT(struct ms_tenant, initial), .check = check_domain},
    {"name", "The name of its organisation", TEXT_AT(struct ms_tenant, name)},
    {"country", "Its country, two letters", TEXT_AT(struct ms_tenant, country),
     .check = check_letters},
    {"consumer", "It is that of personal accounts", BOOL_AT(struct ms_tenant, consumer)},
};
static const struct form tenant_form = FORM("A tenant of Microsoft's", tenant_members);

static int tenant_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ms_tenant t = {.listed = true};
    form_usual(&tenant_form, &t);
    if (form_read(&(struct form_in){tx, d, v}, &tenant_form, &t) < 0)
        return -1;
    t.listed = true;
    if (!t.name)
        t.name = t.domain;
    if (t.consumer && !t.guid)
        t.guid = MS_CONSUMERS;
    return ms_tenant_new(tx, &t) < 0 ? doc_taken(d, v, "domain") : 0;
}

static int tenant_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_tenant t;
    int r = ms_tenant_get(tx, rowid, &t);
    if (r != 1 || !t.listed)
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w}, &tenant_form, &t) < 0 ? -1 : 1;
}

/* ---- users ---- */

static int check_upn(const struct form_in *in, const struct member *m, void *row)
{
    const char **text = member_place(m, row);
    const char *normal = *text ? email_normal(in->d->arena, *text) : NULL;
    if (!normal)
        return doc_refuse(in->d, in->value, m->name, "must be as an e-mail address, not \"%.80s\"",
                          *text ? *text : "");
    *text = normal;
    return 0;
}

static int read_type(const struct form_in *in, const struct member *m, void *row)
{
    static const char *const types[] = {"member", "guest", NULL};
    struct ms_user *u = row;
    int type;
    if (doc_enum(in->d, in->value, m->name, types, u->guest, &type) < 0)
        return -1;
    u->guest = type;
    return 0;
}

static int write_type(const struct form_out *out, const struct member *m, const void *row)
{
    const struct ms_user *u = row, *base = out->base;
    if (u->guest != base->guest)
        json_str(out->w, m->name, u->guest ? "guest" : "member");
    return 0;
}

static const struct member user_members[] = {
    {"actor", "Whose account it is: the handle or an address", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    {"tenant", "The tenant that it is in, by id or domain; without it that of the account",
     .kind = MEMBER_OWN, .noun = "text"},
    {"upn", "The user principal name", TEXT_AT(struct ms_user, upn), .check = check_upn},
    {"type", "member or guest", .kind = MEMBER_OWN, .noun = "text", .read = read_type,
     .write = write_type, .schema = "{\"enum\":[\"member\",\"guest\"]}"},
    {"mail", "The address of its mailbox", TEXT_AT(struct ms_user, mail), .flags = MEMBER_CLEARS},
    {"displayName", "The name that is shown; without it the actor's", TEXT_AT(struct ms_user, name),
     .flags = MEMBER_CLEARS},
    {"givenName", "The first name", TEXT_AT(struct ms_user, given), .flags = MEMBER_CLEARS},
    {"surname", "The last name", TEXT_AT(struct ms_user, surname), .flags = MEMBER_CLEARS},
    {"jobTitle", "The job", TEXT_AT(struct ms_user, job), .flags = MEMBER_CLEARS},
    {"department", "The department", TEXT_AT(struct ms_user, department), .flags = MEMBER_CLEARS},
    {"officeLocation", "Where the desk is", TEXT_AT(struct ms_user, office),
     .flags = MEMBER_CLEARS},
    {"companyName", "The company", TEXT_AT(struct ms_user, company), .flags = MEMBER_CLEARS},
    {"employeeId", "The number of the employee", TEXT_AT(struct ms_user, employee),
     .flags = MEMBER_CLEARS},
    {"mobilePhone", "The number of the mobile telephone", TEXT_AT(struct ms_user, mobile),
     .flags = MEMBER_CLEARS},
    {"businessPhones", "Numbers of telephones at work", TEXTS_AT(struct ms_user, phones)},
    {"preferredLanguage", "The language, such as en-GB", TEXT_AT(struct ms_user, language),
     .flags = MEMBER_CLEARS},
    {"usageLocation", "The country that licences are for, two letters",
     TEXT_AT(struct ms_user, usage), .flags = MEMBER_CLEARS, .check = check_letters},
    {"streetAddress", "The address of the workplace: street and number",
     TEXT_AT(struct ms_user, street), .flags = MEMBER_CLEARS},
    {"city", "Its town", TEXT_AT(struct ms_user, city), .flags = MEMBER_CLEARS},
    {"state", "Its state or county", TEXT_AT(struct ms_user, state), .flags = MEMBER_CLEARS},
    {"postalCode", "Its postal code", TEXT_AT(struct ms_user, postal), .flags = MEMBER_CLEARS},
    {"country", "Its country", TEXT_AT(struct ms_user, country), .flags = MEMBER_CLEARS},
    {"sessionsFrom", "Since when sessions are good", TIME_AT(struct ms_user, sessions_us)},
    {"manager", "Who leads the user", REF_AT(struct ms_user, manager, &ms_user_reference)},
    {"licenses", "Names of the products that it may use", TEXTS_AT(struct ms_user, licenses)},
    {"enabled", "It may sign in", BOOL_AT(struct ms_user, enabled)},
    {"admin", "It may agree to apps for all of the tenant", BOOL_AT(struct ms_user, admin)},
    {"deleted", "It was deleted from the directory", BOOL_AT(struct ms_user, deleted)},
    {"password", "With what the person signs in on the authority's pages",
     TEXT_AT(struct ms_user, password), .flags = MEMBER_CLEARS},
};
static const struct form user_form = FORM("What the directory says of a user", user_members);

/* The account that the item is about; one that only a directory knows has no services. */
static int item_account(struct tx *tx, struct doc *d, const struct json *v,
                        const struct ms_tenant *tenant, const struct actor *actor,
                        struct account *ret)
{
    struct ms_user user;
    int r = ms_user_of_actor(tx, actor->id, tenant->id, &user);
    if (r == 1)
        return account_get(tx, user.account, ret) == 1 ? 0 : -1;
    *ret = (struct account){.actor = actor->id,
                            .vendor = "microsoft",
                            .service = "",
                            .tenant = tenant->id ? tenant->guid : "",
                            .listed = true};
    if (r < 0)
        return -1;
    return account_put(tx, ret) < 0 ? doc_taken(d, v, "actor") : account_list_usual(tx, ret);
}

static int user_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct form_in in = {tx, d, v};
    struct ms_tenant tenant;
    struct account account;
    struct ms_user user;
    struct actor actor;
    if (form_known(&in, &user_form) < 0 || ident_doc_actor(tx, d, v, "actor", true, &actor) < 0 ||
        tenant_member(tx, d, v, false, &tenant) < 0 ||
        item_account(tx, d, v, &tenant, &actor, &account) < 0)
        return -1;
    int r = ms_user_of_account(tx, account.id, &user);
    if (r == 1 && user.listed)
        return doc_refuse(d, v, "actor", "has such an item already");
    if (r < 0 || (r == 0 && ms_user_usual(tx, &account, &actor, &user) < 0) ||
        form_read(&in, &user_form, &user) < 0)
        return -1;
    user.listed = true;
    if ((r ? ms_user_save(tx, &user) : ms_user_new(tx, &user)) < 0)
        return doc_taken(d, v, "upn");
    return 0;
}

/* Users that accounts are come first, so that items may name each other's managers. */
static int users_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return ms_users_complete(tx) < 0 ? -1 : seed_list(tx, d, v, "microsoftUsers", user_seed);
}

static int user_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_user user, base;
    struct ms_tenant tenant;
    struct account account;
    struct actor actor;
    int r = ms_user_get(tx, rowid, &user);
    if (r != 1 || (r = account_get(tx, user.account, &account)) != 1 ||
        (r = actor_by_id(tx, user.actor, &actor)) != 1 ||
        (r = ms_tenant_get(tx, user.tenant, &tenant)) != 1)
        return r;
    if (!user.listed)
        return 0;
    if (ms_user_usual(tx, &account, &actor, &base) < 0)
        return -1;
    base.manager = 0;
    json_str(w, "actor", actor.handle);
    if (*account.tenant)
        json_str(w, "tenant", tenant.domain);
    return form_write(&(struct form_out){tx, w, &base}, &user_form, &user) < 0 ? -1 : 1;
}

/* ---- groups ---- */

static int read_owners(const struct form_in *in, const struct member *m, void *row)
{
    const struct ms_group *group = row;
    const char **list;
    struct ms_user user;
    size_t n;
    if (!group->id)
        return 0; /* when the group is there */
    if (doc_strings(in->d, in->value, m->name, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = ms_user_find(in->tx, list[i], group->tenant, &user);
        if (r == 1)
            r = ms_owner_add(in->tx, group->id, user.id) < 0 ? -1 : 1;
        if (r != 1)
            return r < 0
                       ? -1
                       : doc_refuse(in->d, in->value, m->name,
                                    "must name users of the tenant, \"%.80s\" is not one", list[i]);
    }
    return 0;
}

static int write_owners(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q = SQL_TEXT("select u.upn from ms_owner o join ms_user u on u.id = "
                                        "o.user where o.team = :group order by u.upn");
    const struct ms_group *group = row;
    return dump_text_list(out->tx, out->w, m->name, TX_QUERY(out->tx, &q, group->id), false);
}

static const char *const visibilities[] = {"Public", "Private", "HiddenMembership", NULL};

static const char *const themes[] = {"Teal", "Purple", "Green", "Blue",
                                     "Pink", "Orange", "Red",   NULL};

static const struct member group_members[] = {
    {"group", "Its address, as in groups", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    {"id", "Its object id, a GUID; made of the address without it", TEXT_AT(struct ms_group, oid),
     .check = check_guid},
    {"description", "What it is for", TEXT_AT(struct ms_group, description),
     .flags = MEMBER_CLEARS},
    {"visibility", "Who sees it", WORD_AT(struct ms_group, visibility, visibilities)},
    {"unified", "It is one of Microsoft 365, with a mailbox", BOOL_AT(struct ms_group, unified)},
    {"security", "It gives rights", BOOL_AT(struct ms_group, security)},
    {"mail", "It has mail", BOOL_AT(struct ms_group, mail)},
    {"mailNickname", "Its alias, where that is not what its address begins with",
     TEXT_AT(struct ms_group, nickname), .flags = MEMBER_CLEARS},
    {"classification", "How confidential it is, in words of the tenant",
     TEXT_AT(struct ms_group, classification), .flags = MEMBER_CLEARS},
    {"preferredLanguage", "As in en-US", TEXT_AT(struct ms_group, language),
     .flags = MEMBER_CLEARS},
    {"theme", "The colour of a group of Microsoft 365", WORD_AT(struct ms_group, theme, themes)},
    {"allowExternalSenders", "Others than the tenant's may write to it",
     BOOL_AT(struct ms_group, outsiders)},
    {"autoSubscribeNewMembers", "Who becomes a member gets its mail",
     BOOL_AT(struct ms_group, subscribes)},
    {"hideFromAddressLists", "It is not in address lists", BOOL_AT(struct ms_group, unlisted)},
    {"hideFromOutlookClients", "Clients of mail don't show it", BOOL_AT(struct ms_group, unshown)},
    {"owners", "Names of the users who own it", .kind = MEMBER_OWN, .read = read_owners,
     .write = write_owners, .inner = "*",
     .schema = "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"},
};
static const struct form group_form = FORM("A group of a tenant", group_members);

/* What is usual of one: the form's base. */
static void group_usual(struct ms_group *g)
{
    g->oid = NULL;
    g->description = g->nickname = g->classification = g->language = g->theme = NULL;
    g->visibility = "Public";
    g->unified = g->mail = true;
    g->security = g->outsiders = g->subscribes = g->unlisted = g->unshown = false;
}

static int group_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct form_in in = {tx, d, v};
    struct ms_tenant tenant;
    struct ms_group g = {0};
    struct group own;
    const char *email;
    if (form_known(&in, &group_form) < 0 || doc_str(d, v, "group", true, &email) < 0)
        return -1;
    int r = group_by_email(tx, email, &own);
    if (r == 1)
        r = ms_group_of(tx, own.id, &g) < 0 ? -1 : 1;
    if (r != 1)
        return r < 0 ? -1
                     : doc_refuse(d, v, "group",
                                  "must be the address of one of groups, not \"%.80s\"", email);
    if (g.listed)
        return doc_refuse(d, v, "group", "has such an item already");
    if (!g.id) {
        r = ms_tenant_of_domain(tx, email_domain(own.email), &tenant);
        g = (struct ms_group){
            .addresses = own.id, .tenant = tenant.id, .email = own.email, .name = own.name};
        group_usual(&g);
        if (r < 0 || ms_group_new(tx, &g) < 0)
            return -1;
    }
    g.listed = true;
    if (form_read(&in, &group_form, &g) < 0)
        return -1;
    return ms_group_save(tx, &g) < 0 ? doc_taken(d, v, "id") : 0;
}

static int groups_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return ms_groups_complete(tx) < 0 ? -1 : seed_list(tx, d, v, "microsoftGroups", group_seed);
}

static int group_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_group g, base;
    int r = ms_group_get(tx, rowid, &g);
    if (r != 1 || !g.listed)
        return r < 0 ? -1 : 0;
    base = g;
    group_usual(&base);
    base.oid = graph_guid(tx->arena, "group", g.email);
    json_str(w, "group", g.email);
    return form_write(&(struct form_out){tx, w, &base}, &group_form, &g) < 0 ? -1 : 1;
}

static int group_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_group g;
    int r = ms_group_get(tx, rowid, &g);
    if (r == 1)
        json_str(w, "group", g.email);
    return r < 0 ? -1 : 0;
}

/* ---- apps ---- */

static int scopes_member(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    const char *text;
    if (doc_str(d, v, member, false, &text) < 0)
        return -1;
    *ret = scopes_written(d->arena, text ? text : "");
    return 0;
}

/* Who acts where the app acts for itself. */
static int ensure_principal(struct tx *tx, struct ident_app *app)
{
    if (app->bot)
        return 0;
    struct actor actor = {.handle = arena_printf(tx->arena, "app:%s", app->client_id),
                          .email = "",
                          .kind = "app",
                          .name = app->name,
                          .zone = "UTC",
                          .locale = "en"};
    if (actor_new(tx, &actor) < 0)
        return -1;
    app->bot = actor.id;
    return app_save(tx, app);
}

static const struct member agreed_members[] = {
    OWN_NEEDED("app", "Its client id"),
    OWN("tenant", "Which tenant", "text"),
    OWN("delegated", "Scopes in the name of people", "text"),
    OWN("application", "Scopes of its own", "text"),
};
static const struct form agreed_form = FORM("An app that a tenant has agreed to", agreed_members);

static int app_item_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    const char *client_id, *delegated, *application;
    struct ms_tenant tenant;
    struct ident_app app;
    struct ms_app own;
    if (form_known(&(struct form_in){tx, d, v}, &agreed_form) < 0 ||
        doc_str(d, v, "app", true, &client_id) < 0 || tenant_member(tx, d, v, true, &tenant) < 0 ||
        scopes_member(d, v, "delegated", &delegated) < 0 ||
        scopes_member(d, v, "application", &application) < 0)
        return -1;
    int r = app_find(tx, client_id, &app);
    if (r != 1 || !app.vendor || strcmp(app.vendor, "microsoft") != 0)
        return r < 0 ? -1
                     : doc_refuse(d, v, "app",
                                  "must be the client id of an app with the vendor microsoft, not "
                                  "\"%.80s\"",
                                  client_id);
    if ((r = ms_app_find(tx, app.id, tenant.id, &own)) != 0)
        return r < 0 ? -1 : doc_refuse(d, v, "app", "has an item with this tenant");
    if (*application && ensure_principal(tx, &app) < 0)
        return doc_taken(d, v, "app");
    if (ms_app_agree(tx, &app, &tenant, delegated, application) == 0)
        return 0;
    return tx->err->code == SOSIA_E_LIMIT ? doc_refuse(d, v, "delegated", "%s", tx->err->text) : -1;
}

static int app_item_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_tenant tenant;
    struct ident_app app;
    struct ms_app own;
    int r = ms_app_get(tx, rowid, &own);
    if (r != 1 || (r = app_get(tx, own.app, &app)) != 1 ||
        (r = ms_tenant_get(tx, own.tenant, &tenant)) != 1)
        return r;
    json_str(w, "app", app.client_id);
    json_str(w, "tenant", tenant.domain);
    if (*own.delegated)
        json_str(w, "delegated", own.delegated);
    if (*own.application)
        json_str(w, "application", own.application);
    return 1;
}

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "microsoftTenants",
     .seed_one = tenant_seed,
     .ids = SECTION_IDS("select id from ms_tenant where listed order by domain"),
     .dump_one = tenant_dump,
     .form = &tenant_form},
    {.name = "microsoftUsers",
     .seed = users_seed,
     .ids = SECTION_IDS("select id from ms_user where listed order by upn"),
     .dump_one = user_dump,
     .form = &user_form},
    {.name = "microsoftGroups",
     .seed = groups_seed,
     .ids = SECTION_IDS("select id from ms_group where listed order by oid"),
     .dump_one = group_dump,
     .form = &group_form},
    {.name = "microsoftApps",
     .seed_one = app_item_seed,
     .ids = SECTION_IDS("select id from ms_app order by oid"),
     .dump_one = app_item_dump,
     .form = &agreed_form},
};

static const struct entity entities[] = {
    {.name = "microsoft_tenant",
     .table = "ms_tenant",
     .named = ENTITY_NAMED("domain", "select domain from ms_tenant where id = ?1"),
     .dump = tenant_dump},
    {.name = "microsoft_user",
     .table = "ms_user",
     .named = ENTITY_NAMED("upn", "select upn from ms_user where id = ?1"),
     .dump = user_dump},
    {.name = "microsoft_group",
     .table = "ms_group",
     .key = group_key,
     .dump = group_dump,
     .parts = (const struct entity_part[]){{"ms_owner",
                                            ENTITY_OWNER("select team from ms_owner where rowid = "
                                                         "?1")},
                                           {NULL, NULL}}},
    {.name = "microsoft_app",
     .table = "ms_app",
     .named = ENTITY_NAMED("id", "select oid from ms_app where id = ?1"),
     .dump = app_item_dump},
};

static const struct core_rule rules[] = {
    {"ms_tenant", "length(guid) <> 36 or domain not like '%_._%' or initial not like '%_._%'"},
    {"ms_user", "made_us not between 0 and 253402300799999999"},
    {"ms_group", "made_us not between 0 and 253402300799999999"},
    {"ms_user", "length(oid) = 0 or upn <> lower(upn) or upn not like '%_@_%' or not "
                "json_valid(phones) or not json_valid(licenses) or json_type(phones) <> 'array' or "
                "json_type(licenses) <> 'array'"},
    {NULL, NULL},
};

/* Each user is an account of Microsoft's, of the actor that it says. */
static int check(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_user where id > :after order by id limit 1");
    struct account account;
    struct ms_user user;
    int64_t id = 0;
    int r;
    while ((r = TX_INT(tx, &q, &id, id)) == 1) {
        if (ms_user_get(tx, id, &user) != 1 || account_get(tx, user.account, &account) != 1)
            return -1;
        if (strcmp(account.vendor, "microsoft") != 0 || account.actor != user.actor)
            return tx_fail(tx, SOSIA_E_INVALID, "user", "ms_user",
                           "a user must be an account of Microsoft's of the same actor, %s is not",
                           user.upn);
    }
    return r;
}

/* A group of security alone has no mail address (MG-970). */
static int takes_mail(struct tx *tx, const struct group *group)
{
    struct ms_group own;
    int r = ms_group_of(tx, group->id, &own);
    return r == 1 ? own.mail : r < 0 ? -1 : 1;
}

static const struct ident_groups groups_policy = {.takes_mail = takes_mail};
static const struct core_policy policies[] = {{IDENT_GROUPS, "microsoft", &groups_policy},
                                              {GRAPH_FIND, "microsoft", &dir_people_finder},
                                              {GRAPH_CORE, "users", &dir_users_feed},
                                              {GRAPH_CORE, "groups", &dir_groups_feed},
                                              {0}};

const struct sosia_core microsoft_core = {
    .name = "microsoft",
    .policies = policies,
    .schema = ms_directory_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
    .check = check,
    .secrets = "update ms_user set password = null; delete from ms_signed_in",
    .credential = authority_credential,
    .credential_kinds = authority_credential_kinds,
};
