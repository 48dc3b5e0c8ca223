/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outbox: what would have left a world. Nothing in here sends anything: the caller of the
 * engine is notified of new entries and reads them. What goes to a receiver is a delivery
 * (delivery.h).
 */
#include "engine/world/delivery.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/world/engine.h"

int outbox_add(struct tx *tx, const char *kind, const char *from, const char *to,
               const char *payload)
{
    static struct sql_text q =
        SQL_TEXT("insert into outbox (at_us, kind, sender, recipients, payload) "
                 "values (:at, :kind, :from, :to, :payload)");
    if (TX_RUN(tx, &q, tx->now_us, kind, from, to, payload) < 0)
        return -1;
    tx->outbox_last = tx_last_id(tx);
    if (!tx->outbox_first)
        tx->outbox_first = tx->outbox_last;
    tx->world->sends = true;
    return 0;
}

int letter_send(struct tx *tx, const struct letter *l)
{
    struct letter rest = *l;
    struct json_writer w;
    struct buf b;
    for (const struct sosia_core **c = tx->engine->cores; *c && *rest.to; c++)
        if ((*c)->letter && (*c)->letter(tx, &rest, &rest.to) < 0)
            return -1;
    if (!*rest.to)
        return 0;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "subject", l->subject);
    json_str_opt(&w, "text", l->text);
    json_str_opt(&w, "method", l->method);
    json_str_opt(&w, "calendar", l->calendar);
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(tx->err)
                            : outbox_add(tx, "mail", l->from, rest.to, buf_str(&b));
    buf_done(&b);
    return rc;
}

const char *letter_share(struct arena *a, const char *calendar, const char *address)
{
    return arena_printf(a, "share %s %s", calendar, address);
}

const char *letter_share_of(struct arena *a, const char *subject, const char *text, size_t n,
                            const char *address)
{
    static const char end[] = LETTER_SHARE;
    size_t len = subject ? strlen(subject) : 0, from;
    if (!text || !address || len < sizeof end - 1 ||
        strcmp(subject + len - (sizeof end - 1), end) != 0)
        return NULL;
    while (n && strchr("\r\n", text[n - 1]))
        n--;
    if (n < 3 || text[n - 1] != '.' || text[n - 2] != ')')
        return NULL;
    for (from = n -= 2; from && text[from - 1] != '('; from--)
        ;
    return from ? letter_share(a, arena_memdup(a, text + from, n - from), address) : NULL;
}

int invitation_take(struct tx *tx, const struct actor *who, struct invitation *in)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++)
        if ((*c)->invitation && (*c)->invitation(tx, who, in) < 0)
            return -1;
    return 0;
}

int file_find(struct tx *tx, const struct actor *who, const char *id, struct file_ref *ret)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++) {
        int r = (*c)->file ? (*c)->file(tx, who, id, ret) : 0;
        if (r)
            return r;
    }
    return 0;
}

int sosia_engine_on_outbox(struct sosia_engine *engine,
                           void (*fn)(void *arg, uint64_t world, int64_t first, int64_t last),
                           void *arg)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    /* Once this returns, the one before is not called any more. */
    pthread_rwlock_wrlock(&engine->on_outbox_lock);
    engine->on_outbox_arg = arg;
    atomic_store_explicit(&engine->on_outbox, fn, memory_order_relaxed);
    pthread_rwlock_unlock(&engine->on_outbox_lock);
    return 0;
}

void outbox_notify(const struct tx *tx)
{
    struct sosia_engine *e = tx->engine;
    if (tx->world->flags & WORLD_REPLAY)
        return;
    if (tx->announced)
        e->on_announced(e, tx->world, tx->announced);
    if (!tx->outbox_first)
        return;
    e->on_session_news(e, tx->world, tx->outbox_first, tx->outbox_last);
    outbox_notify_range(e, tx->world->id, tx->outbox_first, tx->outbox_last);
}

void outbox_notify_pending(struct sosia_engine *e, uint64_t world)
{
    int64_t first, last;
    if (sosia_delivery_pending(e, world, &first, &last, NULL) == 1)
        outbox_notify_range(e, world, first, last);
}

void outbox_notify_due(const struct tx *tx)
{
    int64_t due_us = tx->world->next_due_us;
    if (tx->write && !(tx->world->flags & WORLD_REPLAY) && due_us <= tx->now_us &&
        due_us != INT64_MIN)
        outbox_notify_range(tx->engine, tx->world->id, 0, 0);
}

void outbox_notify_range(struct sosia_engine *e, uint64_t world, int64_t first, int64_t last)
{
    if (!atomic_load_explicit(&e->on_outbox, memory_order_relaxed))
        return;
    pthread_rwlock_rdlock(&e->on_outbox_lock);
    void (*fn)(void *, uint64_t, int64_t, int64_t) =
        atomic_load_explicit(&e->on_outbox, memory_order_relaxed);
    if (fn)
        fn(e->on_outbox_arg, world, first, last);
    pthread_rwlock_unlock(&e->on_outbox_lock);
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

static int list(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q = SQL_TEXT("select id, at_us, kind, sender, recipients, payload "
                                        "from outbox where id > :after order by id limit :limit");
    struct range *range = arg;
    sqlite3_stmt *st = TX_QUERY(tx, &q, range->after, range->limit > 0 ? range->limit : -1);
    int r;
    range->era = tx->world->era;
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

int sosia_outbox_list(struct sosia_engine *engine, uint64_t world, int64_t after, int limit,
                      struct sosia_blob *ret_json, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    uint64_t era;
    return outbox_list(engine, world, after, limit, ret_json, &era, err);
}
