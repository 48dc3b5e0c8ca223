/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's own tables as a core: what would have left the world is shown by diffs. And what all
 * cores use to read and write their sections. */
#include "engine/world/core.h"
#include "engine/json/doc.h"

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

static const struct core_rule rules[] = {
    {"id_stream", "n not between 0 and 1099511627776"},
    {"due", "at_us < -62135596800000000"},
    {"outbox", "at_us not between -62135596800000000 and 253402300799999999"},
    {NULL, NULL},
};

const struct sosia_core world_core = {
    .name = "world",
    .schema = world_sql,
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
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

int dump_list(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *ids,
              int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w))
{
    sqlite3_stmt *st = TX_PLAIN(tx, ids);
    if (!st)
        return -1;
    int r, n = 0;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!n++)
            json_arr(w, member);
        json_obj(w, NULL);
        int rc = one(tx, sqlite3_column_int64(st, 0), w);
        json_end(w);
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
    }
    if (n)
        json_end(w);
    return r;
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
