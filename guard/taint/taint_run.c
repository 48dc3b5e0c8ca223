/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/taint/taint_run.h"
#include "engine/base/heap.h"
#include <inttypes.h>
#include <stdlib.h>

#define RUNS_MAX    256
#define SOURCES_MAX 20000
#define VALUES_MAX  1000000 /* of a run; beyond either it has read everything */

static void run_free(struct taint_run *run)
{
    for (size_t i = 0; run && i < run->n; i++) {
        free(run->sources[i].row);
        free(run->sources[i].author);
        free(run->sources[i].method);
        free(run->sources[i].values);
    }
    if (run) {
        free(run->sources);
        free(run->seen);
        free(run->texts);
    }
    free(run);
}

void taint_runs_done(struct taint_runs *r)
{
    for (size_t i = 0; i < r->n; i++)
        run_free(r->list[i]);
    free(r->list);
    *r = (struct taint_runs){0};
}

/* The one that was used longest ago goes where there are too many. */
static void forget_one(struct taint_runs *r)
{
    size_t oldest = 0;
    for (size_t i = 1; i < r->n; i++)
        if (r->list[i]->used < r->list[oldest]->used)
            oldest = i;
    run_free(r->list[oldest]);
    r->list[oldest] = r->list[--r->n];
}

struct taint_run *taint_runs_find(struct taint_runs *r, uint64_t key)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->list[i]->key == key) {
            r->list[i]->used = ++r->calls;
            return r->list[i];
        }
    if (r->n == RUNS_MAX)
        forget_one(r);
    struct taint_run **list = realloc(r->list, (r->n + 1) * sizeof *list);
    struct taint_run *run = list ? calloc(1, sizeof *run) : NULL;
    if (list)
        r->list = list;
    if (!run)
        return NULL;
    run->key = key;
    run->used = ++r->calls;
    return r->list[r->n++] = run;
}

/* ---- a run ---- */

static struct taint_seen *seen_at(const struct taint_run *run, uint64_t value)
{
    size_t i = value & (run->cap_seen - 1);
    while (run->seen[i].value != value && run->seen[i].value)
        i = (i + 1) & (run->cap_seen - 1);
    return &run->seen[i];
}

const struct taint_source *taint_run_source(const struct taint_run *run, uint64_t value)
{
    value = value ? value : 1;
    const struct taint_seen *at = run->cap_seen ? seen_at(run, value) : NULL;
    return at && at->value ? &run->sources[at->source] : NULL;
}

static int grow(struct taint_run *run)
{
    struct taint_run more = {.cap_seen = run->cap_seen ? 2 * run->cap_seen : 256};
    if (run->cap_seen && run->n_seen < run->cap_seen / 2)
        return 0;
    more.seen = calloc(more.cap_seen, sizeof *more.seen);
    if (!more.seen)
        return -1;
    for (size_t i = 0; i < run->cap_seen; i++)
        if (run->seen[i].value)
            *seen_at(&more, run->seen[i].value) = run->seen[i];
    free(run->seen);
    run->seen = more.seen;
    run->cap_seen = more.cap_seen;
    return 0;
}

int taint_run_add(struct taint_run *run, size_t source, uint64_t value)
{
    struct taint_source *s = &run->sources[source];
    value = value ? value : 1;
    if (run->n_seen >= VALUES_MAX) {
        run->all = s->all = true;
        return 0;
    }
    void *list = heap_grow(s->values, s->n, &s->cap, sizeof *s->values);
    if (!list)
        return -1;
    s->values = list;
    if (grow(run) < 0)
        return -1;
    struct taint_seen *at = seen_at(run, value);
    if (at->value)
        return 0;
    *at = (struct taint_seen){value, source};
    run->n_seen++;
    s->values[s->n++] = value;
    return 0;
}

size_t taint_run_open(struct taint_run *run, const char *row, const char *author,
                      const char *method, int64_t at_us)
{
    if (run->n >= SOURCES_MAX) {
        run->all = run->sources[run->n - 1].all = true;
        return run->n - 1;
    }
    void *list = heap_grow(run->sources, run->n, &run->cap, sizeof *run->sources);
    if (!list)
        return SIZE_MAX;
    run->sources = list;
    struct taint_source s = {
        .row = strdup(row), .author = strdup(author), .method = strdup(method), .at_us = at_us};
    if (!s.row || !s.author || !s.method) {
        free(s.row);
        free(s.author);
        free(s.method);
        return SIZE_MAX;
    }
    run->sources[run->n] = s;
    return run->n++;
}

/* ---- from one world to another ---- */

#define WRITTEN_MAX 50000 /* values; beyond it all that outsiders wrote */

static const struct taint_run *run_of(const struct taint_runs *r, uint64_t key)
{
    for (size_t i = 0; r && i < r->n; i++)
        if (r->list[i]->key == key)
            return r->list[i];
    return NULL;
}

/* Values are written one behind the other, each with 16 digits. */
static void write_source(struct json_writer *w, const struct taint_source *s, size_t *written)
{
    struct buf b;
    bool all = s->all || *written + s->n > WRITTEN_MAX;
    json_obj(w, NULL);
    json_str(w, "row", s->row);
    json_str(w, "author", s->author);
    json_str(w, "method", s->method);
    json_int(w, "atUs", s->at_us);
    json_bool_opt(w, "everything", all);
    buf_init(&b, 0);
    for (size_t i = 0; !all && i < s->n; i++)
        buf_printf(&b, "%016" PRIx64, s->values[i]);
    *written += all ? 0 : s->n;
    if (b.len)
        json_str(w, "values", buf_str(&b));
    w->out->failed |= b.failed;
    buf_done(&b);
    json_end(w);
}

void taint_runs_since(struct json_writer *w, const struct taint_runs *now,
                      const struct taint_runs *before)
{
    size_t written = 0;
    for (size_t i = 0; i < now->n; i++) {
        const struct taint_run *then = run_of(before, now->list[i]->key);
        for (size_t k = then ? then->n : 0; k < now->list[i]->n; k++)
            write_source(w, &now->list[i]->sources[k], &written);
    }
}

static bool has_source(const struct taint_run *run, const char *row, const char *author)
{
    for (size_t i = 0; i < run->n; i++)
        if (strcmp(run->sources[i].row, row) == 0 && strcmp(run->sources[i].author, author) == 0)
            return true;
    return false;
}

/* The next one of values that are written so; false: there is none. */
static bool next_value(const char **p, uint64_t *ret)
{
    char digits[17] = "", *end;
    for (size_t i = 0; i < 16 && (*p)[i]; i++)
        digits[i] = (*p)[i];
    *ret = strtoull(digits, &end, 16);
    *p += 16;
    return end == digits + 16;
}

static int take_source(struct taint_run *run, const struct json *s)
{
    const char *row = json_get_str(s, "row"), *author = json_get_str(s, "author"),
               *method = json_get_str(s, "method"), *values = json_get_str(s, "values");
    bool all = json_get_true(s, "everything"), any = all && !run->all;
    uint64_t value;
    if (!row || !author || !method)
        return 0;
    for (const char *p = values; !any && p && *p && next_value(&p, &value);)
        any = !taint_run_source(run, value);
    if (!any && has_source(run, row, author))
        return 0;
    size_t at = taint_run_open(run, row, author, method, json_get_int(s, "atUs", 0));
    if (at == SIZE_MAX)
        return -1;
    run->sources[at].all |= all;
    run->all |= all;
    for (const char *p = values; p && *p && next_value(&p, &value);)
        if (taint_run_add(run, at, value) < 0)
            return -1;
    return 0;
}

int taint_run_take(struct taint_run *run, const struct json *list)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && list && list->type == JSON_ARRAY && i < list->n; i++)
        rc = take_source(run, &list->items[i]);
    return rc;
}

/* ---- copies and rows ---- */

static int copy_source(struct taint_run *to, const struct taint_source *from)
{
    size_t at = taint_run_open(to, from->row, from->author, from->method, from->at_us);
    if (at == SIZE_MAX)
        return -1;
    to->sources[at].all = from->all;
    to->all |= from->all;
    for (size_t i = 0; i < from->n; i++)
        if (taint_run_add(to, at, from->values[i]) < 0)
            return -1;
    return 0;
}

int taint_runs_copy(const struct taint_runs *from, struct taint_runs *to)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct taint_run *run = from->list[i];
        struct taint_run *copy = taint_runs_find(to, run->key);
        if (!copy)
            return -1;
        copy->used = run->used;
        for (size_t k = 0; k < run->n; k++)
            if (copy_source(copy, &run->sources[k]) < 0)
                return -1;
        copy->saved = run->saved;
        copy->kept = run->kept;
        copy->all = run->all;
    }
    to->calls = from->calls;
    return 0;
}

int taint_runs_load(struct tx *tx, struct taint_runs *r)
{
    static struct sql_text q = SQL_TEXT("select run, source, author, method, at_us, everything, "
                                        "marked from guard_read order by id");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int step = st ? 0 : -1;
    while (st && (step = TX_STEP(tx, st)) == 1) {
        struct taint_run *run = taint_runs_find(r, (uint64_t)sqlite3_column_int64(st, 0));
        const uint8_t *blob = sqlite3_column_blob(st, 6);
        size_t n = (size_t)sqlite3_column_bytes(st, 6) / sizeof(uint64_t);
        size_t at = run ? taint_run_open(run, (const char *)sqlite3_column_text(st, 1),
                                         (const char *)sqlite3_column_text(st, 2),
                                         (const char *)sqlite3_column_text(st, 3),
                                         sqlite3_column_int64(st, 4))
                        : SIZE_MAX;
        bool good = at != SIZE_MAX;
        if (good) {
            run->sources[at].all = sqlite3_column_int64(st, 5) != 0;
            run->all |= run->sources[at].all;
            run->saved = run->kept = run->n;
        }
        for (size_t i = 0; good && i < n; i++) {
            uint64_t value;
            memcpy(&value, blob + i * sizeof value, sizeof value);
            good = taint_run_add(run, at, value) == 0;
        }
        if (!good) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
    }
    return step;
}

int taint_runs_save(struct tx *tx, struct taint_runs *r)
{
    static struct sql_text q =
        SQL_TEXT("insert into guard_read (run, source, author, method, at_us, everything, marked) "
                 "values (:run, :source, :author, :method, :at, :everything, :marked)");
    for (size_t i = 0; i < r->n; i++) {
        struct taint_run *run = r->list[i];
        for (; run->saved < run->n; run->saved++) {
            const struct taint_source *s = &run->sources[run->saved];
            if (TX_RUN(tx, &q, (int64_t)run->key, s->row, s->author, s->method, s->at_us, s->all,
                       sql_blob(s->values, s->n * sizeof *s->values)) < 0)
                return -1;
        }
    }
    return 0;
}
