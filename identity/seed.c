/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of seed documents about actors, groups and tokens: applied, dumped, and as
 * entities of diffs. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/state/stored.h"
#include "engine/text/tz.h"
#include "identity/account.h"
#include "identity/app.h"
#include "identity/internal.h"
#include "identity/consent.h"
#include "identity/oauth.h"
#include "identity/token.h"

extern const char identity_sql[], identity_upgrade_sql[];

/* An address, in normal form. */
static int read_address(const struct form_in *in, const struct member *m, void *row)
{
    const char *text;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    const char *normal = text ? email_normal(in->d->arena, text) : NULL;
    member_put_text(m, row, normal);
    return !text || normal
               ? 0
               : doc_refuse(in->d, in->value, m->name, "\"%.80s\" is not an e-mail address", text);
}

#define ADDRESS_AT(type, field) .read = read_address, TEXT_AT(type, field)

/* ---- organizations ---- */

struct org {
    const char *domain, *name;
};

static int check_org(const struct form_in *in, void *row)
{
    struct org *o = row;
    if (!*o->domain || strcspn(o->domain, "@ /\\") != strlen(o->domain) || strlen(o->domain) > 253)
        return doc_refuse(in->d, in->value, "domain", "\"%.80s\" is not a domain name", o->domain);
    char *lower = arena_strdup(in->d->arena, o->domain);
    for (char *c = lower; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
    o->name = o->name ? o->name : o->domain;
    o->domain = lower;
    return 0;
}

static const struct member org_members[] = {
    {"domain", "Its domain", TEXT_AT(struct org, domain), .flags = MEMBER_REQUIRED},
    {"name", "Its name; else the domain", TEXT_AT(struct org, name)},
};
STORED_HERE(ident_orgs, "An organization", struct org, org_members, check_org, .table = "ident_org",
            .key = "domain");

/* ---- people ---- */

static int find_org(struct tx *tx, const char *email, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select id from ident_org where domain = :domain");
    *ret = 0;
    return TX_INT(tx, &q, ret, email_domain(email)) < 0 ? -1 : 0;
}

/* Has a person, an alias or a group the address (in normal form)? 1, 0, -1. */
static int address_taken(struct tx *tx, const char *email)
{
    struct actor actor;
    struct group group;
    int r = actor_by_email(tx, email, &actor);
    return r ? r : group_by_email(tx, email, &group);
}

static int add_aliases(const struct form_in *in, void *row, int64_t actor)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_alias (email, actor) values (:email, :actor)");
    const struct json *list = json_get(in->value, "aliases");
    struct doc *d = in->d;
    const char **aliases;
    size_t n;
    if (doc_strings(d, in->value, "aliases", &aliases, &n) < 0)
        return -1;
    if (n && !json_get(in->value, "email"))
        return doc_fail(d, list, "aliases", "needs an email");
    for (size_t i = 0; i < n; i++) {
        char *normal = email_normal(d->arena, aliases[i]);
        if (!normal)
            return doc_fail(d, list, "aliases", "\"%.80s\" is not an e-mail address", aliases[i]);
        int r = address_taken(in->tx, normal);
        if (r)
            return r < 0 ? -1
                         : doc_fail(d, list, "aliases", "\"%.80s\" is somebody's already", normal);
        if (TX_RUN(in->tx, &q, normal, actor) < 0)
            return -1;
    }
    return 0;
}

static int write_aliases(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q =
        SQL_TEXT("select email from ident_alias where actor = :actor order by email");
    return dump_text_list(out->tx, out->w, m->name, TX_QUERY(out->tx, &q, out->id), false);
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

/* {"monday": "09:00-17:00", ...}, in the order of days, once it is known to be well formed. */
static int read_hours(const struct form_in *in, const struct member *m, void *row)
{
    static const char *const days[] = {"monday", "tuesday",  "wednesday", "thursday",
                                       "friday", "saturday", "sunday",    NULL};
    const struct json *hours = json_get(in->value, m->name);
    const char *range, *text = "";
    struct doc *d = in->d;
    if (!hours)
        return 0;
    size_t mark = doc_push(d, m->name, -1);
    if (doc_object(d, hours, days) < 0)
        return -1;
    for (int i = 0; days[i]; i++) {
        if (doc_str(d, hours, days[i], false, &range) < 0)
            return -1;
        if (range && !is_range(range))
            return doc_fail(d, json_get(hours, days[i]), days[i],
                            "\"%.40s\" is not a range such as 09:00-17:00", range);
        if (range)
            text =
                arena_printf(d->arena, "%s%s\"%s\":\"%s\"", text, *text ? "," : "", days[i], range);
    }
    member_put_text(m, row, arena_printf(d->arena, "{%s}", text));
    doc_pop(d, mark);
    return 0;
}

static const char *const kinds[] = {"person", "bot", "app", "service", "resource", NULL};

struct person {
    const char *email, *handle, *name, *kind, *zone, *locale, *hours;
    int64_t org;
};

/* What an actor is called: by its handle, or else its address. */
static int read_handle(const struct form_in *in, const struct member *m, void *row)
{
    struct person *p = row;
    struct actor other;
    const char *handle;
    if (doc_str(in->d, in->value, m->name, false, &handle) < 0)
        return -1;
    p->handle = handle ? handle : p->email;
    if (!handle)
        return p->email ? 0 : doc_fail(in->d, in->value, "email", "is missing");
    size_t n = strlen(handle);
    if (!n || n > 254 || strcspn(handle, "@ \t\r\n\",<>") != n)
        return doc_refuse(in->d, in->value, m->name,
                          "must be up to 254 bytes without @, spaces, commas and brackets, not "
                          "\"%.80s\"",
                          handle);
    int r = actor_find(in->tx, handle, &other);
    return r <= 0
               ? r
               : doc_refuse(in->d, in->value, m->name, "\"%.80s\" is somebody's already", handle);
}

static int write_handle(const struct form_out *out, const struct member *m, const void *row)
{
    const struct person *p = row;
    if (!p->email || strcmp(p->handle, p->email) != 0)
        json_str(out->w, m->name, p->handle);
    return 0;
}

static int check_person(const struct form_in *in, void *row)
{
    struct person *p = row;
    if (!p->name)
        p->name = arena_memdup(in->d->arena, p->handle, strcspn(p->handle, "@"));
    if (p->email && find_org(in->tx, p->email, &p->org) < 0)
        return -1;
    int r = p->email ? address_taken(in->tx, p->email) : 0;
    return r <= 0 ? r : doc_fail_twice(in->d, json_get(in->value, "email"), "email");
}

static const struct member person_members[] = {
    {"email", "The address", ADDRESS_AT(struct person, email)},
    {"handle", "What documents call it, without an address or beside it", .read = read_handle,
     .write = write_handle, TEXT_AT(struct person, handle)},
    {"name", "The name; else the handle up to the @", TEXT_AT(struct person, name)},
    {"kind", "What it is", WORD_AT(struct person, kind, kinds), .usual_text = "person"},
    {"zone", "The time zone", ZONE_AT(struct person, zone), .usual_text = "UTC",
     .flags = MEMBER_ALWAYS},
    {"locale", "The language", TEXT_AT(struct person, locale), .usual_text = "en"},
    {"hours", "Working hours by days, monday: 09:00-17:00", .read = read_hours, .inner = "**",
     KEPT_AT(struct person, hours, JSON_OBJECT)},
    {"aliases", "Further addresses", .kind = MEMBER_OWN, .noun = "list of texts",
     .write = write_aliases, .inner = "*"},
    {.kind = MEMBER_INT, .flags = MEMBER_NULL, MEMBER_TYPED(struct person, org, int64_t)},
};
STORED_HERE(ident_people, "A person, a bot, an app, a service, a resource", struct person,
            person_members, check_person, .table = "ident_actor", .key = "handle",
            .added = add_aliases);

/* ---- groups ---- */

struct group_row {
    const char *email, *name;
};

static int check_group(const struct form_in *in, void *row)
{
    struct group_row *g = row;
    struct actor other;
    g->name = g->name ? g->name : g->email;
    int r = actor_by_email(in->tx, g->email, &other);
    return r <= 0 ? r : doc_fail_twice(in->d, json_get(in->value, "email"), "email");
}

static int add_members(const struct form_in *in, void *row, int64_t group)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into ident_member (member_of, email) values (:group, :email)");
    const char **list;
    size_t n;
    (void)row;
    if (doc_strings(in->d, in->value, "members", &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char *normal = email_normal(in->d->arena, list[i]);
        if (!normal)
            return doc_refuse(in->d, in->value, "members", "\"%.80s\" is not an e-mail address",
                              list[i]);
        if (TX_RUN(in->tx, &q, group, normal) < 0)
            return -1;
    }
    return 0;
}

static int write_members(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q =
        SQL_TEXT("select email from ident_member where member_of = :group order by email");
    return dump_text_list(out->tx, out->w, m->name, TX_QUERY(out->tx, &q, out->id), true);
}

static const struct member group_members[] = {
    {"email", "Its address", ADDRESS_AT(struct group_row, email), .flags = MEMBER_REQUIRED},
    {"name", "Its name; else the address", TEXT_AT(struct group_row, name)},
    {"members", "Addresses of people, groups, and others", .kind = MEMBER_OWN,
     .noun = "list of texts", .write = write_members, .inner = "*"},
};
STORED_HERE(ident_groups, "A group", struct group_row, group_members, check_group,
            .table = "ident_group", .key = "email", .added = add_members);

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

static const struct member token_members[] = {
    {"token", "What is presented; at least 8 bytes", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    {"actor", "Whom it stands for: an address or a handle", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    {"scopes", "Separated by spaces or commas; everything without it", .kind = MEMBER_OWN,
     .noun = "text"},
    {"kind", "What it is; as its actor is without it", .kind = MEMBER_OWN, .noun = "text",
     .schema = "{\"enum\":[\"user\",\"bot\",\"app\",null]}"},
    {"app", "The client id of its app", .kind = MEMBER_OWN, .noun = "text"},
    {"account", "Which of the actor's accounts: vendor, tenant, id", .kind = MEMBER_OWN,
     .noun = "object",
     .schema = "{\"type\":[\"object\",\"null\"],\"additionalProperties\":false,\"required\":"
               "[\"vendor\",\"id\"],\"properties\":{\"vendor\":{\"type\":\"string\"},\"tenant\":"
               "{\"type\":[\"string\",\"null\"]},\"id\":{\"type\":\"string\"}}}"},
};
static const struct form token_form = FORM("A fixed token", token_members);

static int seed_token(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ident_token token = {.seeded = true};
    const char *client;
    struct ident_app app = {0};
    struct account account;
    struct actor actor;
    int kind, r;
    if (form_known(&(struct form_in){tx, d, v}, &token_form) < 0 ||
        doc_str(d, v, "token", true, &token.value) < 0 ||
        ident_doc_actor(tx, d, v, "actor", true, &actor) < 0 ||
        doc_str(d, v, "scopes", false, &token.scopes) < 0 ||
        doc_enum(d, v, "kind", token_kind_names, -1, &kind) < 0 ||
        doc_str(d, v, "app", false, &client) < 0 || token_account(tx, d, v, &account) < 0)
        return -1;
    if (token.scopes)
        token.scopes = scopes_written(d->arena, token.scopes);
    if (strlen(token.value) < 8 || str_starts(token.value, TOKEN_PREFIX))
        return doc_refuse(
            d, v, "token",
            "a fixed token has at least 8 bytes and does not begin with \"" TOKEN_PREFIX "\"");
    if (client && (r = app_find(tx, client, &app)) != 1)
        return r < 0 ? -1 : doc_refuse(d, v, "app", "there is no app \"%.80s\"", client);
    if (account.id && account.actor != actor.id)
        return doc_refuse(d, v, "account", "is not an account of \"%.80s\"", actor.handle);
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

/* ---- dumps ---- */

static const char *text_of(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
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

static const struct entity entities[] = {
    {.name = "organization", .table = "ident_org", .stored = &ident_orgs},
    {.name = "person",
     .table = "ident_actor",
     .named = ENTITY_NAMED("email handle", "select email, iif(email is null, handle, null) from "
                                           "ident_actor where id = ?1"),
     .stored = &ident_people,
     .parts =
         (const struct entity_part[]){
             {"ident_alias", ENTITY_OWNER("select actor from ident_alias where id = ?1")},
             {NULL, NULL}}},
    {.name = "group",
     .table = "ident_group",
     .stored = &ident_groups,
     .parts =
         (const struct entity_part[]){
             {"ident_member", ENTITY_OWNER("select member_of from ident_member where id = ?1")},
             {NULL, NULL}}},
    {.name = "app", .table = "ident_app", .key = app_key, .dump = dump_app},
    {.name = "account",
     .table = "ident_account",
     .named = ENTITY_NAMED("vendor tenant id actor",
                           "select c.vendor, nullif(c.tenant, ''), c.name, iif(c.name is null, "
                           "a.handle, null) from ident_account c join ident_actor a on a.id = "
                           "c.actor where c.id = ?1"),
     .dump = account_dump},
};

/* Of accounts with the same service (but chat, which goes by workspaces) the first one is meant:
 * they stay in their order, behind the others. */
#define ACCOUNT_IDS                                                                                \
    "select c.id from ident_account c join ident_actor a on a.id = c.actor where c.listed order "  \
    "by (select c.id from ident_account o where o.actor = c.actor and o.id <> c.id and "           \
    "o.services & c.services & 7 limit 1), c.vendor, c.tenant, c.name, c.service, a.handle"

static const struct section sections[] = {
    {.name = "organizations",
     .stored = &ident_orgs,
     .ids = SECTION_IDS("select id from ident_org order by domain")},
    {.name = "people",
     .stored = &ident_people,
     .ids = SECTION_IDS("select id from ident_actor order by handle"),
     .names_actors = true},
    {.name = "groups",
     .stored = &ident_groups,
     .ids = SECTION_IDS("select id from ident_group order by email")},
    {.name = APP_SECTION,
     .seed_one = seed_app,
     .ids = SECTION_IDS("select id from ident_app where section = '" APP_SECTION
                        "' order by client_id"),
     .dump_one = dump_app,
     .form = &app_form},
    {.name = "mailRouting", .seed = routing_seed, .dump = routing_dump},
    {.name = "freeBusy", .seed = freebusy_seed, .dump = freebusy_dump},
    {.name = "accounts",
     .seed = accounts_seed,
     .ids = SECTION_IDS(ACCOUNT_IDS),
     .dump_one = account_dump,
     .form = &account_form},
    {.name = "oauth", .seed = oauth_seed_setting, .dump = oauth_dump_setting},
    {.name = "registration", .seed = consent_seed_setting, .dump = consent_dump_setting},
    {.name = "tokens",
     .seed_one = seed_token,
     .ids = SECTION_IDS("select id from ident_token where seeded order by value"),
     .dump_one = dump_token,
     .form = &token_form},
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
    /* Of one that is in dumps a document must be able to name the account. */
    {"ident_token", "account is not null and not exists (select 1 from ident_account a where "
                    "a.id = ident_token.account and (a.name is not null or not seeded))"},
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
