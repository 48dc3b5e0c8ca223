/* SPDX-License-Identifier: Apache-2.0 */
/* The sections organizations, people, groups and tokens of seed documents: applied, dumped, and as
 * entities of diffs. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/doc.h"
#include "engine/text/tz.h"
#include "engine/world/core.h"
#include "engine/world/identity.h"
#include "engine/world/token.h"
#include <stdio.h>

extern const char world_sql[];

static int64_t last_rowid(struct tx *tx)
{
    return sqlite3_last_insert_rowid(slot_db(tx->db));
}

/* A failed insert means that the name is taken. */
static int inserted(struct tx *tx, struct doc *d, sqlite3_stmt *st, const struct json *at,
                    const char *member, const char *what)
{
    if (sql_run(tx->db, st, tx->err) == 0)
        return 0;
    if (tx->err->code == SOSIA_E_CONFLICT)
        return doc_fail(d, at, member, "\"%.80s\" stands here already", what);
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
        return doc_fail(d, json_get(obj, member), member, "\"%.80s\" is no e-mail address", *ret);
    *ret = normal;
    return 0;
}

/* ---- organizations ---- */

static int seed_org(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"domain", "name", NULL};
    static struct sql_text q =
        SQL_TEXT("insert into org (domain, name) values (lower(:domain), :name)");
    const char *domain, *name;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "domain", true, &domain) < 0 ||
        doc_str(d, v, "name", false, &name) < 0)
        return -1;
    if (strcspn(domain, "@ /\\") != strlen(domain) || strlen(domain) > 253)
        return doc_fail(d, json_get(v, "domain"), "domain", "\"%.80s\" is no domain name", domain);
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, domain);
    sql_bind_text(st, 2, name ? name : domain);
    return inserted(tx, d, st, json_get(v, "domain"), "domain", domain);
}

/* ---- people ---- */

static int find_org(struct tx *tx, const char *email, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select id from org where domain = :domain");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, email_domain(email));
    int r = sql_step(tx->db, st, tx->err);
    *ret = r == 1 ? sqlite3_column_int64(st, 0) : 0;
    if (r == 1)
        sql_done(st);
    return r < 0 ? -1 : 0;
}

static int seed_aliases(struct tx *tx, struct doc *d, const struct json *v, int64_t actor)
{
    static struct sql_text q = SQL_TEXT("insert into alias (email, actor) values (:email, :actor)");
    const char **aliases;
    size_t n;
    struct actor other;
    if (doc_strings(d, v, "aliases", &aliases, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char *normal = email_normal(d->arena, aliases[i]);
        if (!normal)
            return doc_fail(d, json_get(v, "aliases"), "aliases", "\"%.80s\" is no e-mail address",
                            aliases[i]);
        int r = actor_by_email(tx, normal, &other);
        if (r)
            return r < 0 ? -1
                         : doc_fail(d, json_get(v, "aliases"), "aliases",
                                    "\"%.80s\" is somebody's already", normal);
        sqlite3_stmt *st = sql_use(tx->db, &q);
        if (!st)
            return slot_fail(tx->db, tx->err);
        sql_bind_text(st, 1, normal);
        sql_bind_int(st, 2, actor);
        if (sql_run(tx->db, st, tx->err) < 0)
            return -1;
    }
    return 0;
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
        int from_h, from_m, to_h, to_m;
        char more;
        rc = doc_str(d, hours, days[i], false, &range);
        if (rc < 0 || !range)
            continue;
        if (strlen(range) != 11 ||
            sscanf(range, "%2d:%2d-%2d:%2d%c", &from_h, &from_m, &to_h, &to_m, &more) != 4 ||
            from_h > 23 || from_m > 59 || to_h > 24 || to_m > 59 ||
            from_h * 60 + from_m >= to_h * 60 + to_m)
            rc = doc_fail(d, json_get(hours, days[i]), days[i],
                          "\"%.40s\" is no range such as 09:00-17:00", range);
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

static int seed_person(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"email",  "name",    "kind",  "zone",
                                          "locale", "aliases", "hours", NULL};
    static struct sql_text q =
        SQL_TEXT("insert into actor (email, kind, name, zone, locale, org, hours) "
                 "values (:email, :kind, :name, :zone, :locale, nullif(:org, 0), :hours)");
    const char *email, *name, *zone, *locale, *hours;
    int kind;
    int64_t org = 0;
    struct actor other;
    if (doc_object(d, v, members) < 0 || address(d, v, "email", true, &email) < 0 ||
        doc_str(d, v, "name", false, &name) < 0 || doc_enum(d, v, "kind", kinds, 0, &kind) < 0 ||
        doc_str(d, v, "zone", false, &zone) < 0 || doc_str(d, v, "locale", false, &locale) < 0 ||
        hours_text(d, v, &hours) < 0 || find_org(tx, email, &org) < 0)
        return -1;
    if (zone && !tz_find(zone))
        return doc_fail(d, json_get(v, "zone"), "zone", "unknown time zone \"%.40s\"", zone);
    int r = actor_by_email(tx, email, &other);
    if (r)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "email"), "email", "\"%.80s\" is somebody's already",
                                email);
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, email);
    sql_bind_text(st, 2, kinds[kind]);
    if (name)
        sql_bind_text(st, 3, name);
    else
        sql_bind_textn(st, 3, email, strcspn(email, "@"));
    sql_bind_text(st, 4, zone ? zone : "UTC");
    sql_bind_text(st, 5, locale ? locale : "en");
    sql_bind_int(st, 6, org);
    sql_bind_text(st, 7, hours);
    if (inserted(tx, d, st, json_get(v, "email"), "email", email) < 0)
        return -1;
    return seed_aliases(tx, d, v, last_rowid(tx));
}

/* ---- groups ---- */

static int seed_group(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"email", "name", "members", NULL};
    static struct sql_text q = SQL_TEXT("insert into team (email, name) values (:email, :name)");
    static struct sql_text q_member =
        SQL_TEXT("insert or ignore into team_member (team, email) values (:team, :email)");
    const char *email, *name, **list;
    size_t n;
    struct actor other;
    if (doc_object(d, v, members) < 0 || address(d, v, "email", true, &email) < 0 ||
        doc_str(d, v, "name", false, &name) < 0 || doc_strings(d, v, "members", &list, &n) < 0)
        return -1;
    int r = actor_by_email(tx, email, &other);
    if (r)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "email"), "email", "\"%.80s\" is somebody's already",
                                email);
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_text(st, 1, email);
    sql_bind_text(st, 2, name ? name : email);
    if (inserted(tx, d, st, json_get(v, "email"), "email", email) < 0)
        return -1;
    int64_t team = last_rowid(tx);
    for (size_t i = 0; i < n; i++) {
        char *normal = email_normal(d->arena, list[i]);
        if (!normal)
            return doc_fail(d, json_get(v, "members"), "members", "\"%.80s\" is no e-mail address",
                            list[i]);
        if (!(st = sql_use(tx->db, &q_member)))
            return slot_fail(tx->db, tx->err);
        sql_bind_int(st, 1, team);
        sql_bind_text(st, 2, normal);
        if (sql_run(tx->db, st, tx->err) < 0)
            return -1;
    }
    return 0;
}

/* ---- tokens ---- */

static int seed_token(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"token", "actor", "scopes", NULL};
    const char *token, *email, *scopes;
    struct actor actor;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "token", true, &token) < 0 ||
        address(d, v, "actor", true, &email) < 0 || doc_str(d, v, "scopes", false, &scopes) < 0)
        return -1;
    if (strlen(token) < 8 || str_starts(token, "sosia_"))
        return doc_fail(d, json_get(v, "token"), "token",
                        "a fixed token has at least 8 bytes and does not begin with \"sosia_\"");
    int r = actor_by_email(tx, email, &actor);
    if (r != 1)
        return r < 0
                   ? -1
                   : doc_fail(d, json_get(v, "actor"), "actor", "there is nobody \"%.80s\"", email);
    return token_store(tx, token, actor.id, scopes, 0, true);
}

/* ---- lists of them ---- */

static int seed_orgs(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "organizations", seed_org);
}

static int seed_people(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "people", seed_person);
}

static int seed_groups(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "groups", seed_group);
}

static int seed_tokens(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "tokens", seed_token);
}

/* ---- dumps ---- */

static const char *text_of(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

static int dump_org(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select domain, name from org where id = :id");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    int r = sql_step(tx->db, st, tx->err);
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
        SQL_TEXT("select email from alias where actor = :actor order by email");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, actor);
    int r, n = 0;
    while ((r = sql_step(tx->db, st, tx->err)) == 1) {
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
        SQL_TEXT("select email, kind, name, zone, locale, hours from actor where id = :id");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    json_str(w, "email", text_of(st, 0));
    json_str(w, "name", text_of(st, 2));
    if (strcmp(text_of(st, 1), "person") != 0)
        json_str(w, "kind", text_of(st, 1));
    json_str(w, "zone", text_of(st, 3));
    if (strcmp(text_of(st, 4), "en") != 0)
        json_str(w, "locale", text_of(st, 4));
    if (sqlite3_column_type(st, 5) != SQLITE_NULL)
        json_raw(w, "hours", text_of(st, 5), (size_t)sqlite3_column_bytes(st, 5));
    sql_done(st);
    return dump_aliases(tx, rowid, w) < 0 ? -1 : 1;
}

static int dump_group(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select email, name from team where id = :id");
    static struct sql_text q_members =
        SQL_TEXT("select email from team_member where team = :team order by email");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    int r = sql_step(tx->db, st, tx->err);
    if (r != 1)
        return r;
    json_str(w, "email", text_of(st, 0));
    json_str(w, "name", text_of(st, 1));
    sql_done(st);
    if (!(st = sql_use(tx->db, &q_members)))
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    json_arr(w, "members");
    while ((r = sql_step(tx->db, st, tx->err)) == 1)
        json_str(w, NULL, text_of(st, 0));
    json_end(w);
    return r < 0 ? -1 : 1;
}

static int dump_orgs(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from org order by domain");
    return dump_list(tx, w, "organizations", &q, dump_org);
}

static int dump_people(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from actor order by email");
    return dump_list(tx, w, "people", &q, dump_person);
}

static int dump_groups(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from team order by email");
    return dump_list(tx, w, "groups", &q, dump_group);
}

static int dump_tokens(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select t.value, a.email, t.scopes from token t join actor a on a.id = t.actor "
                 "where t.seeded order by t.value");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    int r, n = 0;
    while ((r = sql_step(tx->db, st, tx->err)) == 1) {
        if (!n++)
            json_arr(w, "tokens");
        json_obj(w, NULL);
        json_str(w, "token", text_of(st, 0));
        json_str(w, "actor", text_of(st, 1));
        if (sqlite3_column_type(st, 2) != SQLITE_NULL)
            json_str(w, "scopes", text_of(st, 2));
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

/* ---- entities ---- */

static int org_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select domain from org where id = :id");
    return dump_key(tx, w, "domain", &q, rowid);
}

static int person_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select email from actor where id = :id");
    return dump_key(tx, w, "email", &q, rowid);
}

static int group_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select email from team where id = :id");
    return dump_key(tx, w, "email", &q, rowid);
}

static int outbox_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    (void)tx;
    json_int(w, "id", rowid);
    return 0;
}

static int outbox_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select at_us, kind, sender, recipients, payload from outbox where id = :id");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, rowid);
    int r = sql_step(tx->db, st, tx->err);
    if (r == 1) {
        json_time(w, "at", sqlite3_column_int64(st, 0), JSON_TIME_US_Z);
        json_str(w, "kind", text_of(st, 1));
        json_str(w, "from", text_of(st, 2));
        json_str(w, "to", text_of(st, 3));
        json_raw(w, "payload", text_of(st, 4), (size_t)sqlite3_column_bytes(st, 4));
        sql_done(st);
    }
    return r;
}

static const struct entity entities[] = {
    {.name = "organization", .table = "org", .key = org_key, .dump = dump_org},
    {.name = "person",
     .table = "actor",
     .key = person_key,
     .dump = dump_person,
     .parts = (const struct entity_part[]){{"alias", "select actor from alias where id = ?1"},
                                           {NULL, NULL}}},
    {.name = "group",
     .table = "team",
     .key = group_key,
     .dump = dump_group,
     .parts =
         (const struct entity_part[]){{"team_member", "select team from team_member where id = ?1"},
                                      {NULL, NULL}}},
    {.name = "sent", .table = "outbox", .key = outbox_key, .dump = outbox_dump},
};

static const struct section sections[] = {
    {.name = "organizations", .seed = seed_orgs, .dump = dump_orgs},
    {.name = "people", .seed = seed_people, .dump = dump_people},
    {.name = "groups", .seed = seed_groups, .dump = dump_groups},
    {.name = "tokens", .seed = seed_tokens, .dump = dump_tokens},
};

static const struct core_rule rules[] = {
    {"id_stream", "n not between 0 and 1099511627776"},
    {"actor", "email not like '_%@_%'"},
    {"due", "at_us < -62135596800000000"},
    {"outbox", "at_us not between -62135596800000000 and 253402300799999999"},
    {NULL, NULL},
};

const struct sosia_core identity_core = {
    .name = "identity",
    .schema = world_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};
