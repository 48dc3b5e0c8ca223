/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's own tables as a core, which shows the outbox in diffs; and what all cores use to
 * read and write their sections. */
#include "engine/world/core.h"
#include "engine/json/doc.h"
#include "engine/text/tz.h"
#include "engine/world/engine.h"

extern const char world_sql[];

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
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        json_time(w, "at", sqlite3_column_int64(st, 0), JSON_TIME_US_Z);
        json_str(w, "kind", (const char *)sqlite3_column_text(st, 1));
        json_str(w, "from", (const char *)sqlite3_column_text(st, 2));
        json_str(w, "to", (const char *)sqlite3_column_text(st, 3));
        json_raw(w, "payload", (const char *)sqlite3_column_text(st, 4),
                 (size_t)sqlite3_column_bytes(st, 4));
        sql_done(st);
    }
    return r;
}

static const struct entity entities[] = {
    {.name = "sent", .table = "outbox", .key = outbox_key, .dump = outbox_dump},
};

/* The UID in an iCalendar object; NULL: none. */
static const char *uid_of(struct arena *a, const char *calendar)
{
    const char *p = calendar ? strstr(calendar, "\nUID:") : NULL;
    struct buf b;
    if (!p)
        return NULL;
    buf_init(&b, 0);
    for (p += 5; *p && (*p != '\n' || p[1] == ' '); p++) {
        if (*p == '\n')
            p++; /* folded */
        else if (*p != '\r')
            buf_byte(&b, *p);
    }
    const char *uid = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return uid;
}

/* A letter that left the world follows from what it is about; everything else that left is a
 * delivery. */
static int outbox_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                       struct entity_about *about)
{
    static struct sql_text q =
        SQL_TEXT("select at_us, kind, sender, recipients, payload from outbox where id = :id");
    struct arena *a = tx->arena;
    const struct json *payload;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    int64_t at_us = sqlite3_column_int64(st, 0);
    const char *kind = tx_string(tx, st, 1), *from = tx_string(tx, st, 2),
               *to = tx_string(tx, st, 3), *text = tx_string(tx, st, 4);
    sql_done(st);
    if (json_parse(a, text, strlen(text), NULL, &payload, tx->err) < 0)
        return -1;
    const char *subject = json_get_str(payload, "subject"),
               *uid = uid_of(a, json_get_str(payload, "calendar"));
    about->person = from;
    about->title = subject;
    about->trace = strcmp(kind, "mail") != 0;
    about->part = true;
    about->follows[0] = arena_printf(a, "letter %s %s", from, subject ? subject : "");
    const char *body = json_get_str(payload, "text");
    about->follows[1] = uid ? tx_named(tx, "uid", uid)
                            : letter_share_of(a, subject, body, body ? strlen(body) : 0, to);
    json_str(w, "kind", kind);
    json_str(w, "from", from);
    json_arr(w, "to");
    for (const char *p = to; *p; p += strcspn(p, ","), p += *p == ',')
        json_strn(w, NULL, p, strcspn(p, ","));
    json_end(w);
    json_str_opt(w, "subject", subject);
    json_str_opt(w, "text", json_get_str(payload, "text"));
    if (about->all) {
        json_time(w, "at", at_us, JSON_TIME_US_Z);
        json_value(w, "payload", payload);
    }
    return 1;
}

static const struct entity_view views[] = {
    {"sent", "outbox", outbox_view, NULL, .timeless = true,
     .members = "kind from to.* subject text"},
    {NULL, NULL, NULL, NULL},
};

static const struct core_rule rules[] = {
    {"id_stream", "n not between 0 and 1099511627776"},
    {"due", "at_us < -62135596800000000"},
    {"outbox", "at_us not between -62135596800000000 and 253402300799999999"},
    {"outbox", "case when json_valid(payload) then json_type(payload) <> 'object' else 1 end"},
    {"meta", "key = 'documents' and (length(value) <> 32 or value glob '*[^0-9a-f]*')"},
    {"meta", "key glob 'seed.*' and key not in ('seed.name', 'seed.title', 'seed.zone')"},
    {NULL, NULL},
};

/* A dump is a seed document again. */
static int check_head(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select value from meta where key = 'seed.zone'");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    int r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    const char *zone = (const char *)sqlite3_column_text(st, 0);
    bool known = tz_find(zone);
    if (!known)
        tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "meta: seed.zone: unknown time zone \"%.40s\"",
                zone);
    sql_done(st);
    return known ? 0 : -1;
}

static const struct question_view questions[] = {
    {"outbox_entries", "id, kind, sender, recipients",
     "select id, kind, sender, recipients from outbox"},
    {NULL, NULL, NULL},
};

const struct sosia_core world_core = {
    .name = "world",
    .schema = world_sql,
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .views = views,
    .questions = questions,
    .rules = rules,
    .check = check_head,
};

/* ---- for sections and entities of every core ---- */

int seed_list(struct tx *tx, struct doc *doc, const struct json *value, const char *section,
              int (*one)(struct tx *tx, struct doc *doc, const struct json *item))
{
    if (!value || value->type == JSON_NULL)
        return 0;
    if (value->type != JSON_ARRAY)
        return doc_fail(doc, value, NULL, "must be a list");
    for (uint32_t i = 0; i < value->n; i++) {
        doc_pop(doc, 0);
        doc_push(doc, section, i);
        if (one(tx, doc, &value->items[i]) < 0)
            return -1;
    }
    return 0;
}

int dump_rows(struct tx *tx, struct json_writer *w, const char *member, sqlite3_stmt *ids,
              int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w))
{
    int r = -1, n = 0;
    while (ids && (r = TX_STEP(tx, ids)) == 1) {
        if (!n++)
            json_arr(w, member);
        json_obj(w, NULL);
        int rc = one(tx, sqlite3_column_int64(ids, 0), w);
        json_end(w);
        if (rc < 0) {
            sql_done(ids);
            return -1;
        }
    }
    if (n)
        json_end(w);
    return r;
}

int dump_list(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *ids,
              int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w))
{
    return dump_rows(tx, w, member, TX_PLAIN(tx, ids), one);
}

int dump_key(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *text,
             int64_t rowid)
{
    sqlite3_stmt *st;
    int r = TX_ROW(tx, text, &st, rowid);
    if (r == 1) {
        json_str(w, member, (const char *)sqlite3_column_text(st, 0));
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

int dump_text_list(struct tx *tx, struct json_writer *w, const char *member, sqlite3_stmt *st,
                   bool always)
{
    int r = st ? 1 : -1, n = 0;
    if (always)
        json_arr(w, member);
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        if (!n++ && !always)
            json_arr(w, member);
        json_str(w, NULL, (const char *)sqlite3_column_text(st, 0));
    }
    if (n || always)
        json_end(w);
    return r;
}
