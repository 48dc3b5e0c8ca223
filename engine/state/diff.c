/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed between two worlds, entity by entity. The rows that differ are found through the
 * pages that differ; each leads to the entity it is part of, and an entity has changed if its dump
 * has: so derived rows and tombstones, which no dump shows, are no changes.
 */
#include "engine/store/rowdiff.h"
#include "engine/world/engine.h"
#include <stdlib.h>

struct side {
    struct worker *worker;
    struct world world; /* a stand-in that holds the state to look at */
    struct tx tx;
    bool open;
};

struct found {
    uint32_t core, entity;
    int64_t rowid;
};

struct diff {
    struct side a, b;
    struct sosia_err *err;
    struct found *found;
    size_t n, cap;
};

static int side_open(struct sosia_engine *e, struct side *s, uint64_t world, struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    if (!w)
        return -1;
    tree_fork(&w->now, &s->world.now);
    s->world.id = w->id;
    s->world.version = w->version;
    s->world.seed = w->seed;
    s->world.ticket = w->ticket;
    int64_t now = world_now(w);
    world_drop(w);
    s->worker = worker_take(e, err);
    if (!s->worker || tx_begin(&s->tx, e, &s->world, s->worker, false, now, err) < 0)
        return -1;
    s->open = true;
    return 0;
}

static void side_close(struct side *s)
{
    if (s->open)
        tx_rollback(&s->tx);
    if (s->worker)
        worker_drop(s->worker);
    tree_done(&s->world.now);
}

static int add(struct diff *d, uint32_t core, uint32_t entity, int64_t rowid)
{
    if (d->n == d->cap) {
        size_t cap = d->cap ? d->cap * 2 : 64;
        struct found *p = realloc(d->found, cap * sizeof *p);
        if (!p)
            return sosia_fail_memory(d->err);
        d->found = p;
        d->cap = cap;
    }
    d->found[d->n++] = (struct found){.core = core, .entity = entity, .rowid = rowid};
    return 0;
}

/* The owner of a part's row, on one side; 0: none. */
static int owner_of(struct side *s, const struct entity_part *part, int64_t rowid, int64_t *ret)
{
    sqlite3_stmt *st = NULL;
    *ret = 0;
    if (sqlite3_prepare_v2(slot_db(s->tx.db), part->owner_sql, -1, &st, NULL) != SQLITE_OK)
        return slot_fail(s->tx.db, s->tx.err);
    sqlite3_bind_int64(st, 1, rowid);
    if (sqlite3_step(st) == SQLITE_ROW)
        *ret = sqlite3_column_int64(st, 0);
    return sqlite3_finalize(st) == SQLITE_OK ? 0 : slot_fail(s->tx.db, s->tx.err);
}

static int row_changed(void *arg, const char *table, int64_t rowid, enum row_change change)
{
    struct diff *d = arg;
    const struct sosia_core **cores = d->a.tx.engine->cores;
    for (uint32_t c = 0; cores[c]; c++) {
        for (uint32_t i = 0; i < cores[c]->n_entities; i++) {
            const struct entity *e = &cores[c]->entities[i];
            if (strcmp(e->table, table) == 0 && add(d, c, i, rowid) < 0)
                return -1;
            for (const struct entity_part *p = e->parts; p && p->table; p++) {
                int64_t owners[2] = {0, 0};
                if (strcmp(p->table, table) != 0)
                    continue;
                if ((change != ROW_ADDED && owner_of(&d->a, p, rowid, &owners[0]) < 0) ||
                    (change != ROW_REMOVED && owner_of(&d->b, p, rowid, &owners[1]) < 0))
                    return -1;
                for (int k = 0; k < 2; k++)
                    if (owners[k] && (k == 0 || owners[1] != owners[0]) &&
                        add(d, c, i, owners[k]) < 0)
                        return -1;
            }
        }
    }
    return 0;
}

static int order(const void *pa, const void *pb)
{
    const struct found *a = pa, *b = pb;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    if (a->entity != b->entity)
        return a->entity < b->entity ? -1 : 1;
    return a->rowid < b->rowid ? -1 : a->rowid > b->rowid;
}

/* The entity's dump on one side, parsed; NULL when it is not there. */
static int dump_of(struct side *s, const struct entity *e, int64_t rowid, const struct json **ret)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    int r = e->dump(&s->tx, rowid, &w);
    json_end(&w);
    *ret = NULL;
    if (r > 0)
        r = json_parse(s->tx.arena, b.data, b.len, NULL, ret, s->tx.err);
    buf_done(&b);
    return r < 0 ? -1 : 0;
}

static bool same(const struct json *a, const struct json *b)
{
    if (!a || !b || a->type != b->type || a->n != b->n)
        return a == b;
    switch (a->type) {
    case JSON_BOOL:
        return a->truth == b->truth;
    case JSON_STRING:
    case JSON_NUMBER:
        return memcmp(a->str, b->str, a->n) == 0;
    case JSON_ARRAY:
        for (uint32_t i = 0; i < a->n; i++)
            if (!same(&a->items[i], &b->items[i]))
                return false;
        return true;
    case JSON_OBJECT:
        for (uint32_t i = 0; i < a->n; i++)
            if (!same(&a->members[i].value, json_get(b, a->members[i].key)))
                return false;
        return true;
    default:
        return true;
    }
}

static void write_field(struct json_writer *w, const char *name, const struct json *from,
                        const struct json *to)
{
    if (same(from, to))
        return;
    json_obj(w, name);
    if (from)
        json_value(w, "from", from);
    if (to)
        json_value(w, "to", to);
    json_end(w);
}

static int write_change(struct diff *d, const struct found *f, struct json_writer *w)
{
    const struct entity *e = &d->a.tx.engine->cores[f->core]->entities[f->entity];
    const struct json *from, *to;
    if (dump_of(&d->a, e, f->rowid, &from) < 0 || dump_of(&d->b, e, f->rowid, &to) < 0)
        return -1;
    if (same(from, to))
        return 0;
    json_obj(w, NULL);
    json_str(w, "entity", e->name);
    json_str(w, "change", !from ? "added" : !to ? "removed" : "changed");
    json_obj(w, "key");
    struct side *s = to ? &d->b : &d->a;
    int rc = e->key(&s->tx, f->rowid, w);
    json_end(w);
    if (from && to) {
        json_obj(w, "fields");
        for (uint32_t i = 0; i < from->n; i++)
            write_field(w, from->members[i].key, &from->members[i].value,
                        json_get(to, from->members[i].key));
        for (uint32_t i = 0; i < to->n; i++)
            if (!json_get(from, to->members[i].key))
                write_field(w, to->members[i].key, NULL, &to->members[i].value);
        json_end(w);
    } else {
        json_value(w, "value", from ? from : to);
    }
    json_end(w);
    return rc;
}

static int write_changes(struct diff *d, struct buf *out)
{
    struct json_writer w;
    if (d->n)
        qsort(d->found, d->n, sizeof *d->found, order);
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "changes");
    for (size_t i = 0; i < d->n; i++)
        if ((!i || order(&d->found[i - 1], &d->found[i]) != 0) &&
            write_change(d, &d->found[i], &w) < 0)
            return -1;
    json_end(&w);
    json_end(&w);
    return 0;
}

int sosia_world_diff(struct sosia_engine *engine, uint64_t a, uint64_t b,
                     struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err;
    struct diff d = {.err = err ? err : &local_err};
    struct buf out;
    int rc = -1;
    buf_init(&out, 0);
    if (side_open(engine, &d.a, a, d.err) == 0 && side_open(engine, &d.b, b, d.err) == 0 &&
        rowdiff(engine->store, &d.a.world.now, &d.b.world.now, NULL, 0, row_changed, &d, d.err) ==
            0 &&
        write_changes(&d, &out) == 0) {
        size_t len;
        char *data = buf_take(&out, &len);
        if (!data || arena_failed(d.a.tx.arena) || arena_failed(d.b.tx.arena))
            sosia_fail_memory(d.err);
        else if (engine_sync(engine, d.a.world.ticket, d.err) == 0 &&
                 engine_sync(engine, d.b.world.ticket, d.err) == 0)
            rc = 0;
        if (rc == 0)
            *ret_json = (struct sosia_blob){.data = data, .len = len};
        else
            free(data);
    }
    side_close(&d.a);
    side_close(&d.b);
    free(d.found);
    buf_done(&out);
    return rc;
}
