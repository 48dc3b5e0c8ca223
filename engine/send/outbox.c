/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outbox: what would have left a world. Nothing in here sends anything: the caller of the
 * engine is notified of new entries and reads them. What goes to a receiver is a delivery
 * (delivery.h).
 */
#include "engine/send/outbox.h"
#include "engine/send/delivery.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/world/engine.h"

void outbox_notify_pending(struct sosia_engine *e, uint64_t world)
{
    int64_t first, last;
    if (sosia_delivery_pending(e, world, &first, &last, NULL) == 1)
        outbox_notify_range(e, world, first, last);
}

static int write_outbox_entry(struct tx *tx, struct json_writer *w, sqlite3_stmt *st)
{
    json_obj(w, NULL);
    json_int(w, "id", sqlite3_column_int64(st, 0));
    json_time(w, "at", sqlite3_column_int64(st, 1), JSON_TIME_US_Z);
    json_str(w, "kind", (const char *)sqlite3_column_text(st, 2));
    json_str(w, "from", (const char *)sqlite3_column_text(st, 3));
    json_str(w, "to", (const char *)sqlite3_column_text(st, 4));
    const char *payload = (const char *)sqlite3_column_text(st, 5);
    int rc = delivery_payload(tx, sqlite3_column_int64(st, 0), payload,
                              (size_t)sqlite3_column_bytes(st, 5), w);
    if (rc == 0)
        rc = delivery_write(tx, sqlite3_column_int64(st, 0), w);
    json_end(w);
    return rc;
}

struct range {
    int64_t after;
    int limit;
    uint64_t era;
};

/* What a query gives, which is done with then. */
static int write_entries(struct tx *tx, sqlite3_stmt *st, struct json_writer *w)
{
    int r;
    if (!st)
        return -1;
    json_arr(w, NULL);
    while ((r = TX_STEP(tx, st)) == 1) {
        if (write_outbox_entry(tx, w, st) < 0) {
            sql_done(st);
            return -1;
        }
    }
    json_end(w);
    return r;
}

static int list(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q = SQL_TEXT("select id, at_us, kind, sender, recipients, payload "
                                        "from outbox where id > :after order by id limit :limit");
    struct range *range = arg;
    range->era = tx->world->era;
    return write_entries(tx, TX_QUERY(tx, &q, range->after, range->limit > 0 ? range->limit : -1),
                         w);
}

static int list_newest(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select id, at_us, kind, sender, recipients, payload "
                 "from outbox where id < :before order by id desc limit :limit");
    struct range *range = arg;
    return write_entries(tx, TX_QUERY(tx, &q, range->after, range->limit), w);
}

int outbox_list(struct sosia_engine *engine, uint64_t world, int64_t after, int limit,
                struct sosia_blob *ret_json, uint64_t *ret_era, struct sosia_err *err)
{
    struct range range = {.after = after, .limit = limit};
    if ((world_is_due(engine, world) && sosia_world_wake(engine, world, err) < 0) ||
        world_read(engine, world, true, list, &range, ret_json, err) < 0)
        return -1;
    *ret_era = range.era;
    return 0;
}

int outbox_newest(struct sosia_engine *engine, uint64_t world, int64_t before, int limit,
                  struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct range range = {.after = before ? before : INT64_MAX, .limit = limit};
    if (world_is_due(engine, world) && sosia_world_wake(engine, world, err) < 0)
        return -1;
    return world_read(engine, world, true, list_newest, &range, ret_json, err);
}

int sosia_outbox_list(struct sosia_engine *engine, uint64_t world, int64_t after, int limit,
                      struct sosia_blob *ret_json, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    uint64_t era;
    return outbox_list(engine, world, after, limit, ret_json, &era, err);
}
