/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of seed documents about actors, groups and tokens: applied, dumped, and as
 * entities of diffs. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/text/tz.h"
#include "identity/account.h"
#include "identity/app.h"
#include "identity/internal.h"
#include "identity/consent.h"
#include "identity/oauth.h"
#include "identity/token.h"

extern const char identity_sql[], identity_upgrade_sql[];

/* A failed insert means that the name is taken. */
static int inserted(struct tx *tx, struct doc *d, sqlite3_stmt *st, const struct json *at,
                    const char *member)
{
    if (sql_run(tx->db, st, tx->err) == 0)
        return 0;
    if (tx->err->code == SOSIA_E_CONFLICT)
        return doc_fail_twice(d, at, member);
    return -1;
}

static int address(struct doc *d, const struct json *obj, const char *member, bool required,
                   const char **ret)
{
    if (doc_str(d, obj, member, required, ret) < 0)
        return -1;
    if (!*ret)
        return 0;
    char *normal = email_normal(d->arena, *ret);
    if (!normal)
        return doc_fail(d, json_get(obj, member), member, "\"%.80s\" is not an e-mail address",
                        *ret);
    *ret = normal;
    return 0;
}

/* ---- organizations ---- */

static int seed_org(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"domain", "name", NULL};
    static struct sql_text q =
        SQL_TEXT("insert into ident_org (domain, name) values (lower(:domain), :name)");
    const char *domain, *name;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "domain", true, &domain) < 0 ||
        doc_str(d, v, "name", false, &name) < 0)
        return -1;
    if (!*domain || strcspn(domain, "@ /\\") != strlen(domain) || strlen(domain) > 253)
        return doc_fail(d, json_get(v, "domain"), "domain", "\"%.80s\" is not a domain name",
                        domain);
    sqlite3_stmt *st = TX_QUERY(tx, &q, domain, name ? name : domain);
    if (!st)
        return -1;
    return inserted(tx, d, st, json_get(v, "domain"), "domain");
}

/* ---- people ---- */

static int find_org(struct tx *tx, const char *email, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select id from ident_org where domain = :domain");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, email_domain(email));
    *ret = r == 1 ? sqlite3_column_int64(st, 0) : 0;
    if (r == 1)
        sql_done(st);
    return r < 0 ? -1 : 0;
}

/* Has a person, an alias or a group the address (in normal form)? 1, 0, -1. */
static int address_taken(struct tx *tx, const char *email)
{
    struct actor actor;
    struct group group;
    int r = actor_by_email(tx, email, &actor);
    return r ? r : group_by_email(tx, email, &group);
}

static int seed_aliases(struct tx *tx, struct doc *d, const struct json *v, int64_t actor)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_alias (email, actor) values (:email, :actor)");
    const char **aliases;
    size_t n;
    if (doc_strings(d, v, "aliases", &aliases, &n) < 0)
        return -1;
    if (n && !json_get(v, "email"))
        return doc_fail(d, json_get(v, "aliases"), "aliases", "needs an email");
    for (size_t i = 0; i < n; i++) {
        char *normal = email_normal(d->arena, aliases[i]);
        if (!normal)
            return doc_fail(d, json_get(v, "aliases"), "aliases",
                            "\"%.80s\" is not an e-mail address", aliases[i]);
        int r = address_taken(tx, normal);
        if (r)
            return r < 0 ? -1
                         : doc_fail(d, json_get(v, "aliases"), "aliases",
                                    "\"%.80s\" is somebody's already", normal);
        if (TX_RUN(tx, &q, normal, actor) < 0)
            return -1;
    }
    return 0;
}

/* Two digits; -1: they are none. */
static int two_digits(const char *p)
{
    unsigned a = (unsigned)(p[0] - '0'), b = (unsigned)(p[1] - '0');
    return a < 10 && b < 10 ? (int)(a * 10 + b) : -1;
}

/* Minutes of "09:00", up to "24:00"; -1: it is not a time of a day. */
static int minutes_of(const char *p)
{
    int h = two_digits(p), m = two_digits(p + 3);
    return h < 0 || m < 0 || m > 59 || p[2] != ':' || h * 60 + m > 24 * 60 ? -1 : h * 60 + m;
}

static bool is_range(const char *text)
{
    if (strlen(text) != 11 || text[5] != '-')
        return false;
    int from = minutes_of(text), to = minutes_of(text + 6);
    return from >= 0 && from < to;
}

/* {"monday": "09:00-17:00", ...}, kept as it is once it is known to be well formed. */
static int hours_text(struct doc *d, const struct json *v, const char **ret)
{
    static const char *const days[] = {"monday", "tuesday",  "wednesday", "thursday",
                                       "friday", "saturday", "sunday",    NULL};
    const struct json *hours = json_get(v, "hours");
    *ret = NULL;
    if (!hours)
        return 0;
    size_t mark = doc_push(d, "hours", -1);
    if (doc_object(d, hours, days) < 0)
        return -1;
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    int rc = 0;
    for (int i = 0; rc == 0 && days[i]; i++) {
        const char *range;
        rc = doc_str(d, hours, days[i], false, &range);
        if (rc < 0 || !range)
            continue;
        if (!is_range(range))
            rc = doc_fail(d, json_get(hours, days[i]), days[i],
                          "\"%.40s\" is not a range such as 09:00-17:00", range);
        else
            json_str(&w, days[i], range);
    }
    json_end(&w);
    if (rc == 0)
        *ret = arena_strdup(d->arena, buf_str(&b));
    buf_done(&b);
    doc_pop(d, mark);
    return rc;
}

static const char *const kinds[] = {"person", "bot", "app", "service", "resource", NULL};

/* What an actor is called: by its handle, or else its address. */
static int seed_handle(struct tx *tx, struct doc *d, const struct json *v, const char *email,
                       const char **ret)
{
    struct actor other;
    const char *handle;
    if (doc_str(d, v, "handle", false, &handle) < 0)
        return -1;
    if (!handle) {
        *ret = email;
        return email ? 0 : doc_fail(d, v, "email", "is missing");
    }
    size_t n = strlen(handle);
    if (!n || n > 254 || strcspn(handle, "@ \t\r\n\",<>") != n)
        return doc_fail(d, json_get(v, "handle"), "handle",
                        "must be up to 254 bytes without @, spaces, commas and brackets, not "
                        "\"%.80s\"",
                        handle);
    int r = actor_find(tx, handle, &other);
    if (r)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "handle"), "handle",
                                "\"%.80s\" is somebody's already", handle);
    *ret = handle;
    return 0;
}

static int seed_person(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"email",  "handle",  "name",  "kind", "zone",
                                          "locale", "aliases", "hours", NULL};
    static struct sql_text q =
        SQL_TEXT("insert into ident_actor (handle, email, kind, name, zone, locale, org, hours) "
                 "values (:handle, :email, :kind, :name, :zone, :locale, nullif(:org, 0), :hours)");
    const char *email, *handle, *name, *zone, *locale, *hours;
    int kind;
    int64_t org = 0;
    if (doc_object(d, v, members) < 0 || address(d, v, "email", false, &email) < 0 ||
        seed_handle(tx, d, v, email, &handle) < 0 || doc_str(d, v, "name", false, &name) < 0 ||
        doc_enum(d, v, "kind", kinds, 0, &kind) < 0 || doc_str(d, v, "zone", false, &zone) < 0 ||
        doc_str(d, v, "locale", false, &locale) < 0 || hours_text(d, v, &hours) < 0 ||
        (email && find_org(tx, email, &org) < 0))
        return -1;
    if (zone && !tz_find(zone))
        return doc_fail(d, json_get(v, "zone"), "zone", "unknown time zone \"%.40s\"", zone);
    int r = email ? address_taken(tx, email) : 0;
    if (r)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "email"), "email");
    sqlite3_stmt *st =
        TX_QUERY(tx, &q, handle, email, kinds[kind],
                 name ? sql_of_string(name) : sql_stringn(handle, strcspn(handle, "@")),
                 zone ? zone : "UTC", locale ? locale : "en", org, hours);
    if (inserted(tx, d, st, v, email ? "email" : "handle") < 0)
        return -1;
    return seed_aliases(tx, d, v, tx_last_id(tx));
}

/* ---- groups ---- */

static int seed_group(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"email", "name", "members", NULL};
    static struct sql_text q =
        SQL_TEXT("insert into ident_group (email, name) values (:email, :name)");
    static struct sql_text q_member =
        SQL_TEXT("insert or ignore into ident_member (member_of, email) values (:group, :email)");
    const char *email, *name, **list;
    size_t n;
    struct actor other;
    if (doc_object(d, v, members) < 0 || address(d, v, "email", true, &email) < 0 ||
        doc_str(d, v, "name", false, &name) < 0 || doc_strings(d, v, "members", &list, &n) < 0)
        return -1;
    int r = actor_by_email(tx, email, &other);
    if (r)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "email"), "email");
    sqlite3_stmt *st = TX_QUERY(tx, &q, email, name ? name : email);
    if (!st)
        return -1;
    if (inserted(tx, d, st, json_get(v, "email"), "email") < 0)
        return -1;
    int64_t team = tx_last_id(tx);
    for (size_t i = 0; i < n; i++) {
        char *normal = email_normal(d->arena, list[i]);
        if (!normal)
            return doc_fail(d, json_get(v, "members"), "members",
                            "\"%.80s\" is not an e-mail address", list[i]);
        st = TX_QUERY(tx, &q_member, team, normal);
        if (!st)
            return -1;
        if (sql_run(tx->db, st, tx->err) < 0)
            return -1;
    }
    return 0;
}

/* ---- tokens ---- */

/* The account that a token is for: {vendor, tenant, id}. */
static int token_account(struct tx *tx, struct doc *d, const struct json *v, struct account *ret)
{
    static const char *const members[] = {"vendor", "tenant", "id", NULL};
    const struct json *account = json_get(v, "account");
    const char *vendor, *tenant, *id;
    *ret = (struct account){0};
    if (!account)
        return 0;
    size_t mark = doc_push(d, "account", -1);
    if (doc_object(d, account, members) < 0 || doc_str(d, account, "vendor", true, &vendor) < 0 ||
        doc_str(d, account, "tenant", false, &tenant) < 0 ||
        doc_str(d, account, "id", true, &id) < 0)
        return -1;
    int r = account_find(tx, vendor, tenant, id, ret);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, account, NULL, "there is no account \"%.80s\" of %.40s", id,
                                vendor);
    doc_pop(d, mark);
    return 0;
}

static int seed_token(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"token", "actor",   "scopes", "kind",
                                          "app",   "account", NULL};
    struct ident_token token = {.seeded = true};
    const char *client;
    struct ident_app app = {0};
    struct account account;
    struct actor actor;
    int kind, r;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "token", true, &token.value) < 0 ||
        ident_doc_actor(tx, d, v, "actor", true, &actor) < 0 ||
        doc_str(d, v, "scopes", false, &token.scopes) < 0 ||
        doc_enum(d, v, "kind", token_kind_names, -1, &kind) < 0 ||
        doc_str(d, v, "app", false, &client) < 0 || token_account(tx, d, v, &account) < 0)
        return -1;
    if (token.scopes)
        token.scopes = scopes_written(d->arena, token.scopes);
    if (strlen(token.value) < 8 || str_starts(token.value, TOKEN_PREFIX))
        return doc_fail(d, json_get(v, "token"), "token",
                        "a fixed token has at least 8 bytes and does not begin with \"" TOKEN_PREFIX
                        "\"");
    if (client && (r = app_find(tx, client, &app)) != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "app"), "app", "there is no app \"%.80s\"", client);
    if (account.id && account.actor != actor.id)
        return doc_fail(d, json_get(v, "account"), "account", "is not an account of \"%.80s\"",
                        actor.handle);
    token.actor = actor.id;
    token.app = app.id;
    token.account = account.id;
    token.kind = kind < 0 ? token_kind_of(&actor) : (enum token_kind)(1 << kind);
    return ident_token_store(tx, &token, NULL);
}

/* ---- apps ---- */

static const char *const app_kinds[] = {"web", "installed", "device", "any", NULL};
static const struct app_section apps = {.name = APP_SECTION, .kinds = app_kinds};

static int seed_app(struct tx *tx, struct doc *d, const struct json *v)
{
    return app_seed(tx, d, v, &apps);
}

static int dump_app(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    return app_dump(tx, rowid, w, &apps);
}

static int seed_apps(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, APP_SECTION, seed_app);
}

static int dump_apps(struct tx *tx, struct json_writer *w)
{
    return app_dump_section(tx, w, &apps);
}

/* ---- dumps ---- */

static const char *text_of(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

static int dump_org(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select domain, name from ident_org where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        json_str(w, "domain", text_of(st, 0));
        json_str(w, "name", text_of(st, 1));
        sql_done(st);
    }
    return r;
}

static int dump_aliases(struct tx *tx, int64_t actor, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select email from ident_alias where actor = :actor order by email");
    sqlite3_stmt *st = TX_QUERY(tx, &q, actor);
    if (!st)
        return -1;
    int r, n = 0;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!n++)
            json_arr(w, "aliases");
        json_str(w, NULL, text_of(st, 0));
    }
    if (n)
        json_end(w);
    return r;
}

static int dump_person(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select handle, email, kind, name, zone, locale, hours from ident_actor "
                 "where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    json_str_opt(w, "email", text_of(st, 1));
    if (!text_of(st, 1) || strcmp(text_of(st, 0), text_of(st, 1)) != 0)
        json_str(w, "handle", text_of(st, 0));
    json_str(w, "name", text_of(st, 3));
    if (strcmp(text_of(st, 2), "person") != 0)
        json_str(w, "kind", text_of(st, 2));
    json_str(w, "zone", text_of(st, 4));
    if (strcmp(text_of(st, 5), "en") != 0)
        json_str(w, "locale", text_of(st, 5));
    if (sqlite3_column_type(st, 6) != SQLITE_NULL)
        json_raw(w, "hours", text_of(st, 6), (size_t)sqlite3_column_bytes(st, 6));
    sql_done(st);
    return dump_aliases(tx, rowid, w) < 0 ? -1 : 1;
}

static int dump_group(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select email, name from ident_group where id = :id");
    static struct sql_text q_members =
        SQL_TEXT("select email from ident_member where member_of = :group order by email");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    json_str(w, "email", text_of(st, 0));
    json_str(w, "name", text_of(st, 1));
    sql_done(st);
    st = TX_QUERY(tx, &q_members, rowid);
    if (!st)
        return -1;
    json_arr(w, "members");
    while ((r = TX_STEP(tx, st)) == 1)
        json_str(w, NULL, text_of(st, 0));
    json_end(w);
    return r < 0 ? -1 : 1;
}

/* Not what follows from the actor's kind. */
static void dump_token_kind(struct json_writer *w, enum token_kind kind, const char *actor_kind)
{
    struct actor actor = {.kind = actor_kind};
    if (kind != token_kind_of(&actor))
        json_str(w, "kind", token_kind_name(kind));
}

static int dump_token(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select t.value, a.handle, t.scopes, t.kind, a.kind, p.client_id, c.vendor, c.tenant, "
        "c.name from ident_token t join ident_actor a on a.id = t.actor "
        "left join ident_app p on p.id = t.app left join ident_account c on c.id = t.account "
        "where t.id = :id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, rowid);
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    json_str(w, "token", text_of(st, 0));
    json_str(w, "actor", text_of(st, 1));
    json_str_opt(w, "scopes", text_of(st, 2));
    dump_token_kind(w, (enum token_kind)sqlite3_column_int(st, 3), text_of(st, 4));
    json_str_opt(w, "app", text_of(st, 5));
    if (text_of(st, 6)) {
        json_obj(w, "account");
        json_str(w, "vendor", text_of(st, 6));
        if (*text_of(st, 7))
            json_str(w, "tenant", text_of(st, 7));
        json_str(w, "id", text_of(st, 8));
        json_end(w);
    }
    sql_done(st);
    return 1;
}

/* ---- entities ---- */

static int org_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select domain from ident_org where id = :id");
    return dump_key(tx, w, "domain", &q, rowid);
}

static int person_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct actor actor;
    int r = actor_by_id(tx, rowid, &actor);
    if (r == 1)
        json_str(w, *actor.email ? "email" : "handle", *actor.email ? actor.email : actor.handle);
    return r < 0 ? -1 : 0;
}

static int group_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select email from ident_group where id = :id");
    return dump_key(tx, w, "email", &q, rowid);
}

static const struct entity entities[] = {
    {.name = "organization",
     .table = "ident_org",
     .key = org_key,
     .dump = dump_org,
     .members = "domain name"},
    {.name = "person",
     .table = "ident_actor",
     .key = person_key,
     .dump = dump_person,
     .members = "email handle name kind zone locale hours.** aliases.*",
     .parts =
         (const struct entity_part[]){
             {"ident_alias", ENTITY_OWNER("select actor from ident_alias where id = ?1")},
             {NULL, NULL}}},
    {.name = "group",
     .table = "ident_group",
     .key = group_key,
     .dump = dump_group,
     .members = "email name members.*",
     .parts =
         (const struct entity_part[]){
             {"ident_member", ENTITY_OWNER("select member_of from ident_member where id = ?1")},
             {NULL, NULL}}},
    {.name = "app",
     .table = "ident_app",
     .key = app_key,
     .dump = dump_app,
     .members = "client_id client_secret name kind redirect_uris.* automatic consent vendor bot "
                "signing_secret"},
    {.name = "account",
     .table = "ident_account",
     .key = account_key,
     .dump = account_dump,
     .members = "actor vendor service tenant id services.* mailbox"},
};

/* Of accounts with the same service (but chat, which goes by workspaces) the first one is meant:
 * they stay in their order, behind the others. */
#define ACCOUNT_IDS                                                                                \
    "select c.id from ident_account c join ident_actor a on a.id = c.actor where c.listed order "  \
    "by (select c.id from ident_account o where o.actor = c.actor and o.id <> c.id and "           \
    "o.services & c.services & 7 limit 1), c.vendor, c.tenant, c.name, c.service, a.handle"

static const struct section sections[] = {
    {.name = "organizations",
     .seed_one = seed_org,
     .ids = SECTION_IDS("select id from ident_org order by domain"),
     .dump_one = dump_org},
    {.name = "people",
     .seed_one = seed_person,
     .ids = SECTION_IDS("select id from ident_actor order by handle"),
     .dump_one = dump_person},
    {.name = "groups",
     .seed_one = seed_group,
     .ids = SECTION_IDS("select id from ident_group order by email"),
     .dump_one = dump_group},
    {.name = APP_SECTION, .seed = seed_apps, .dump = dump_apps},
    {.name = "mailRouting", .seed = routing_seed, .dump = routing_dump},
    {.name = "freeBusy", .seed = freebusy_seed, .dump = freebusy_dump},
    {.name = "accounts",
     .seed = accounts_seed,
     .ids = SECTION_IDS(ACCOUNT_IDS),
     .dump_one = account_dump},
    {.name = "oauth", .seed = oauth_seed_setting, .dump = oauth_dump_setting},
    {.name = "registration", .seed = consent_seed_setting, .dump = consent_dump_setting},
    {.name = "tokens",
     .seed_one = seed_token,
     .ids = SECTION_IDS("select id from ident_token where seeded order by value"),
     .dump_one = dump_token},
};

#define NO_ADDRESS "email not like '_%@_%' or email <> lower(email)"

static const struct core_rule rules[] = {
    {"ident_org", "domain = '' or domain <> lower(domain)"},
    {"ident_actor", NO_ADDRESS},
    {"ident_alias", NO_ADDRESS},
    {"ident_group", NO_ADDRESS},
    {"ident_member", NO_ADDRESS},
    {"ident_actor", "json_valid(hours) and exists (select 1 from json_each(ident_actor.hours) d "
                    "where d.key not in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', "
                    "'saturday', 'sunday') or d.type <> 'text' or d.value not glob "
                    "'[0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]' or substr(d.value, 1, 5) >= "
                    "substr(d.value, 7) or substr(d.value, 7) > '24:00')"},
    {"ident_token",
     "seeded and (length(cast(value as blob)) < 8 or value glob '" TOKEN_PREFIX "*')"},
    {"ident_actor", "handle like '%@%' and handle is not email"},
    {"ident_app", "not json_valid(redirects) or json_type(redirects) <> 'array'"},
    {"ident_token", "account is not null and not exists (select 1 from ident_account a where "
                    "a.id = ident_token.account and a.name is not null)"},
    {"ident_account", "services not between 0 and 15 or made not between 0 and 15 or made & "
                      "~services or name = ''"},
    {"ident_account", "prime and exists (select 1 from ident_account o where o.actor = "
                      "ident_account.actor and o.prime and o.id < ident_account.id)"},
    {"ident_routing", "domain = '' or domain <> lower(domain)"},
    {"ident_freebusy", "domain = '' or domain <> lower(domain) or seen_by = '' or "
                       "seen_by <> lower(seen_by)"},
    {"meta", "key = 'registration' and value <> 'true'"},
    {NULL, NULL},
};

static const struct question_view questions[] = {
    {"people", "email, handle, name, kind, zone",
     "select email, handle, name, kind, zone from ident_actor"},
    {NULL, NULL, NULL},
};

static const struct core_upgrade upgrades[] = {
    {.from = "sosia 2", .sql = identity_upgrade_sql},
    {.from = NULL},
};

const struct sosia_core identity_core = {
    .name = IDENT_CORE,
    .schema = identity_sql,
    .upgrades = upgrades,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .questions = questions,
    .rules = rules,
    .check = oauth_check_setting,
    .due = oauth_due,
    .resolver = &identity_resolver,
    .secrets = "delete from ident_token; delete from ident_grant; delete from ident_code; "
               "delete from ident_device; "
               "update ident_app set secret = 'withheld' where secret is not null; "
               "update ident_app set signing_secret = 'withheld' where signing_secret is not null;",
};
