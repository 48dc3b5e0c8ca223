/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of a world besides its state, which is its journal; and what an engine holds. */
#include "engine/world/keeper.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/world/engine.h"

int world_read(struct sosia_engine *e, uint64_t world, bool pretty,
               int (*fn)(struct tx *tx, struct json_writer *w, void *arg), void *arg,
               struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err;
    struct sosia_blob json = {0};
    struct tx tx;
    int rc = -1;
    if (!err)
        err = &local_err;
    struct worker *k = worker_take(e, err);
    if (!k)
        return -1;
    struct world *w = world_take(e, world, err);
    if (w && tx_begin(&tx, e, w, k, false, world_now(w), err) == 0) {
        struct buf out;
        struct json_writer writer;
        buf_init(&out, 0);
        json_init(&writer, &out, pretty, NULL);
        rc = fn(&tx, &writer, arg);
        tx_rollback(&tx);
        if (rc == 0 && !tx_is_short(&tx))
            rc = buf_give(&out, &json, err);
        else if (rc == 0)
            rc = sosia_fail_memory(err);
        buf_done(&out);
    }
    uint64_t ticket = w ? w->ticket : 0;
    if (w)
        world_drop(w);
    worker_drop(k);
    /* Nothing is shown that a crash could undo. */
    if (rc < 0 || engine_sync(e, ticket, err) < 0) {
        sosia_blob_free(&json);
        return -1;
    }
    *ret_json = json;
    return 0;
}

/* ---- journal ---- */

struct journal_range {
    int64_t after;
    int limit;
    bool bodies;
    struct json_writer *w;
    struct arena arena; /* of one entry at a time */
    struct sosia_err *err;
};

enum { BAD_ENTRY = -2 }; /* the error is there; -1 of journal_each_of() is without memory */

static int write_journal_entry(void *arg, int64_t seq, const char *text, size_t len)
{
    struct journal_range *range = arg;
    struct json_writer *w = range->w;
    const struct json *entry;
    if (json_parse(&range->arena, text, len, NULL, &entry, range->err) < 0)
        return BAD_ENTRY;
    json_obj(w, NULL);
    json_int(w, "seq", seq);
    for (uint32_t i = 0; i < entry->n; i++) {
        const struct json_member *m = &entry->members[i];
        if (range->bodies || strcmp(m->key, JOURNAL_LABELS) == 0)
            json_value(w, m->key, &m->value);
        else
            json_value_without(w, m->key, &m->value, "body");
    }
    json_end(w);
    arena_reset(&range->arena);
    return 0;
}

int world_each_entry(const struct world *w,
                     int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg)
{
    return journal_each_of(w->past, w->extra ? &w->extra->journal : NULL, 0, INT64_MAX, INT64_MAX,
                           fn, arg);
}

static int write_journal(struct tx *tx, struct json_writer *w, void *arg)
{
    struct journal_range *range = arg;
    const struct world *of = tx->world;
    range->w = w;
    range->err = tx->err;
    arena_init(&range->arena, 0);
    json_arr(w, NULL);
    int rc =
        journal_each_of(of->past, of->extra ? &of->extra->journal : NULL, range->after, INT64_MAX,
                        range->limit > 0 ? range->limit : INT64_MAX, write_journal_entry, range);
    json_end(w);
    arena_done(&range->arena);
    return rc == -1 ? sosia_fail_memory(tx->err) : rc;
}

int sosia_journal_list(struct sosia_engine *engine, uint64_t world, int64_t after, int limit,
                       bool bodies, struct sosia_blob *ret_json, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct journal_range range = {.after = after < 0 ? 0 : after, .limit = limit, .bodies = bodies};
    return world_read(engine, world, true, write_journal, &range, ret_json, err);
}

/* ---- engine ---- */

int sosia_engine_info(struct sosia_engine *engine, struct sosia_engine_info *ret_info)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    int64_t live = engine_live(engine);
    *ret_info = (struct sosia_engine_info){
        .worlds = live > 0 ? (uint64_t)live : 0,
        .size = store_size(engine->store),
        .max_worlds = engine->options.max_worlds,
        .max_world_size = engine->options.max_world_size,
        .max_size = engine->options.max_size,
        .durable = engine->durable != NULL,
    };
    if (engine->durable) {
        struct durable_stats stats;
        engine->keeper->stats(engine->durable, &stats);
        ret_info->failed_writes = stats.failures;
        memcpy(ret_info->last_failure, stats.why, sizeof stats.why);
    }
    return 0;
}
