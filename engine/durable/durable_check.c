/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for damage in a data directory. Opening one refuses it at the first row that is not what
 * was written; a check reports all of them, loads what is whole, and lists these worlds. It changes
 * nothing: the upgrade to this version's format, the log and free rows are left as they are.
 */
#include "engine/base/heap.h"
#include "engine/durable/durable_impl.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int rows_damaged(struct durable *d, const char *kind, uint64_t id, const char *what,
                 struct sosia_err *err)
{
    char number[24] = "";
    if (id)
        snprintf(number, sizeof number, " %" PRIu64, id);
    if (!d->check)
        return sosia_fail(err, SOSIA_E_IO, "dataDirectoryDamaged", NULL,
                          "the data directory is damaged: %s%s: %.80s; \"sosia check --data DIR\" "
                          "says which worlds are whole",
                          kind, number, what);
    struct json_writer *w = &d->check->damage;
    d->check->n_damage++;
    json_obj(w, NULL);
    json_str(w, "kind", kind);
    if (id)
        json_str(w, "id", number + 1);
    json_str(w, "what", what);
    json_end(w);
    return 0;
}

/* Where a world is in the list, or belongs: it is in the order of the table's rows, whose ids have
 * a sign there, so that they are added at its end. */
static size_t find_place(const struct durable_check *c, uint64_t id)
{
    size_t from = 0, to = c->n;
    if (to && (int64_t)c->worlds[to - 1].id < (int64_t)id)
        return to;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if ((int64_t)c->worlds[mid].id < (int64_t)id)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

int check_world_found(struct durable *d, uint64_t id, const char *name, const char *why,
                      struct sosia_err *err)
{
    struct durable_check *c = d->check;
    if (!c)
        return 0;
    size_t at = find_place(c, id);
    if (at < c->n && c->worlds[at].id == id) {
        if (!c->worlds[at].why)
            c->worlds[at].why = why;
        return 0;
    }
    void *list = heap_grow(c->worlds, c->n, &c->cap, sizeof *c->worlds);
    if (!list)
        return sosia_fail_memory(err);
    c->worlds = list;
    struct checked_world *w = &c->worlds[at];
    memmove(w + 1, w, (c->n++ - at) * sizeof *w);
    *w = (struct checked_world){.id = id, .why = why};
    snprintf(w->name, sizeof w->name, "%s", name ? name : "");
    return 0;
}

/* What SQLite says of the file's pages, reported or only looked at (*ret_good false). */
static int look_at_file(struct durable *d, bool report, bool *ret_good, struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    const char *query = report && d->check ? "pragma quick_check(20)" : "pragma quick_check(1)";
    int rc = sqlite3_prepare_v2(d->db, query, -1, &st, NULL), r = 0;
    while (rc == SQLITE_OK && r == 0 && sqlite3_step(st) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(st, 0);
        bool good = text && strcmp(text, "ok") == 0;
        *ret_good &= good;
        if (report && !good)
            r = rows_damaged(d, "file", 0, text ? text : "can't be read", err);
    }
    int end = sqlite3_finalize(st);
    rc = rc == SQLITE_OK ? end : rc;
    if (rc == SQLITE_OK || r < 0)
        return r;
    *ret_good = false;
    if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM)
        return sosia_fail_memory(err);
    return report ? rows_damaged(d, "file", 0, sqlite3_errmsg(d->db), err) : 0;
}

int check_file(struct durable *d, struct sosia_err *err)
{
    bool good = true;
    /* A page that there was no memory for is reported like a damaged one: twice it would be both
     * times. */
    int rc = look_at_file(d, false, &good, err);
    return rc < 0 || good ? rc : look_at_file(d, true, &good, err);
}

/* ---- what was found ---- */

struct durable_check *check_new(void)
{
    struct durable_check *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    buf_init(&c->text, 0);
    json_init(&c->damage, &c->text, false, NULL);
    json_obj(&c->damage, NULL);
    json_arr(&c->damage, "damage");
    return c;
}

void check_free(struct durable_check *c)
{
    if (!c)
        return;
    buf_done(&c->text);
    free(c->worlds);
    free(c);
}

static int rescue(struct sosia_engine *e, uint64_t world, const char *dir, struct sosia_err *err)
{
    char key[17], *path;
    world_key(world, key);
    if (asprintf(&path, "%s/%s.db", dir, key) < 0)
        return sosia_fail_memory(err);
    int rc = sosia_world_export(e, world, path, err);
    free(path);
    return rc;
}

static int by_id(const void *pa, const void *pb)
{
    const struct checked_world *a = pa, *b = pb;
    return (a->id > b->id) - (a->id < b->id);
}

static int write_worlds(struct durable_check *c, struct sosia_engine *e, const char *rescue_dir,
                        struct json_writer *w, bool *whole, struct sosia_err *err)
{
    if (c->n)
        qsort(c->worlds, c->n, sizeof *c->worlds, by_id);
    json_arr(w, "worlds");
    for (size_t i = 0; i < c->n; i++) {
        const struct checked_world *x = &c->worlds[i];
        char key[17];
        world_key(x->id, key);
        json_obj(w, NULL);
        json_str(w, "world", key);
        if (*x->name)
            json_str(w, "name", x->name);
        json_bool(w, "whole", !x->why);
        json_str_opt(w, "why", x->why);
        json_end(w);
        *whole &= !x->why;
        if (!x->why && rescue_dir && rescue(e, x->id, rescue_dir, err) < 0)
            return -1;
    }
    json_end(w);
    return 0;
}

int check_report(struct durable_check *c, struct sosia_engine *e, const char *rescue_dir,
                 struct sosia_blob *ret_json, bool *ret_whole, struct sosia_err *err)
{
    struct json_writer w;
    struct arena a;
    struct buf out;
    const struct json *damage;
    bool whole = !c->n_damage;
    arena_init(&a, 0);
    buf_init(&out, 0);
    json_end(&c->damage);
    json_end(&c->damage);
    json_init(&w, &out, true, NULL);
    json_obj(&w, NULL);
    json_int(&w, "format", c->format);
    int rc = write_worlds(c, e, rescue_dir, &w, &whole, err);
    if (rc == 0)
        rc = json_parse(&a, c->text.data, c->text.len, NULL, &damage, err);
    if (rc == 0) {
        json_value(&w, "damage", json_get(damage, "damage"));
        json_bool(&w, "whole", whole);
        json_end(&w);
        *ret_whole = whole;
        rc = buf_give(&out, ret_json, err);
    }
    arena_done(&a);
    buf_done(&out);
    return rc;
}
