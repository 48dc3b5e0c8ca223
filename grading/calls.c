/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of an episode, as assertions see them: from the journal of its world. */
#include "grading/calls.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "engine/journal/journal.h"

struct reading {
    struct arena *arena;
    struct sosia_err *err;
    struct json *list; /* calls so far */
    size_t n, cap;
};

/* A body that is JSON as what it says, any other as its text. */
static void write_body(struct arena *a, struct json_writer *w, const char *name,
                       const struct json *body)
{
    const struct json *v;
    struct sosia_err err;
    if (!body)
        return;
    if (body->type == JSON_STRING && json_parse(a, body->str, body->n, NULL, &v, &err) == 0)
        json_value(w, name, v);
    else
        json_value(w, name, body);
}

const char calls_members[] =
    "seq at actor method verb target path status ok why request.** response.**";

void call_write(struct arena *a, struct json_writer *w, const struct json *entry)
{
    const struct json *request = json_get(entry, "request"),
                      *response = json_get(entry, "response"),
                      *status = json_get(response, "status");
    const char *target = json_get_str(request, "target");
    int64_t code = 0;
    json_i64(status, &code);
    json_obj(w, NULL);
    json_value(w, "seq", json_get(entry, "seq"));
    json_str_opt(w, "at", json_get_str(entry, "at"));
    json_str_opt(w, "actor", json_get_str(entry, "actor"));
    json_str_opt(w, "method", json_get_str(entry, "method"));
    json_str_opt(w, "verb", json_get_str(request, "verb"));
    if (target) {
        json_str(w, "target", target);
        json_strn(w, "path", target, strcspn(target, "?"));
    }
    json_int(w, "status", code);
    json_bool(w, "ok", code >= 200 && code < 300);
    json_str_opt(w, "why", json_get_str(response, "why"));
    write_body(a, w, "request", json_get(request, "body"));
    write_body(a, w, "response", json_get(response, "body"));
    json_end(w);
}

/* The last entry of the journal of the world that an episode begins with, as JSON in the arena;
 * *ret NULL: it has none. */
static int last_entry(struct reading *r, struct sosia_engine *e, uint64_t world, int64_t n,
                      const char **ret)
{
    struct sosia_blob blob;
    *ret = NULL;
    if (n < 1)
        return 0;
    if (sosia_journal_list(e, world, n - 1, 1, true, &blob, r->err) < 0)
        return -1;
    *ret = arena_memdup(r->arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    return 0;
}

/* Where the journal goes on from that of the world that is compared with, the calls are since that
 * one's last. last: the number of its last entry; own: of the last one before it began. */
static int begin_with(struct reading *r, struct sosia_engine *e, uint64_t from, uint64_t to,
                      int64_t last, int64_t own, struct calls_kept *ret)
{
    const char *entry, *same;
    struct world *w = world_take(e, from, r->err);
    if (!w)
        return -1;
    int64_t before = world_last_entry(w);
    world_drop(w);
    if (before > last)
        return 0;
    if (last_entry(r, e, from, before, &entry) < 0 || last_entry(r, e, to, before, &same) < 0)
        return -1;
    if (!str_same(entry, same))
        return 0;
    ret->after = before;
    ret->since = from;
    ret->reads &= before >= own; /* what another world's journal lacked is not known */
    return 0;
}

int calls_kept(struct sosia_engine *e, uint64_t from, uint64_t to, struct arena *a,
               struct calls_kept *ret, struct sosia_err *err)
{
    struct reading r = {.arena = a, .err = err};
    struct world *w = world_take(e, to, err);
    if (!w)
        return -1;
    int64_t last = world_last_entry(w), own = journal_past_n(w->past), first = world_first_step(w);
    enum sosia_journal_mode mode = world_journal_mode(w);
    *ret = (struct calls_kept){
        .after = own,
        .writes = mode != SOSIA_JOURNAL_NONE && !(w->flags & WORLD_LOST_WRITES),
        .reads = mode == SOSIA_JOURNAL_ALL && !(w->flags & WORLD_LOST),
    };
    world_drop(w);
    if (from && begin_with(&r, e, from, to, last, own, ret) < 0)
        return -1;
    if (first > ret->after) /* those went when it had more bytes than it keeps */
        ret->writes = ret->reads = false;
    return 0;
}

/* Calls of a page of the journal, behind those that were read. */
static int add_calls(struct reading *r, const struct sosia_blob *page)
{
    const struct json *entries, *made;
    struct json_writer w;
    struct arena own; /* of the entries as the journal has them */
    struct buf b;
    arena_init(&own, 0);
    json_start(&w, &b);
    int rc = json_parse(&own, page->data, page->len, NULL, &entries, r->err);
    if (rc == 0) {
        json_arr(&w, NULL);
        for (uint32_t i = 0; i < entries->n; i++)
            if (json_get(&entries->items[i], "request"))
                call_write(&own, &w, &entries->items[i]);
        json_end(&w);
        rc = buf_failed(&b) || arena_failed(&own)
                 ? sosia_fail_memory(r->err)
                 : json_parse(r->arena, b.data, b.len, NULL, &made, r->err);
    }
    for (uint32_t i = 0; rc == 0 && i < made->n; i++) {
        struct json *list = arena_grow(r->arena, r->list, r->n, &r->cap, sizeof *r->list);
        if (!list) {
            rc = sosia_fail_memory(r->err);
            break;
        }
        r->list = list;
        r->list[r->n++] = made->items[i];
    }
    buf_done(&b);
    arena_done(&own);
    return rc;
}

int calls_read(struct sosia_engine *e, uint64_t to, int64_t after, bool bodies, struct arena *a,
               const struct json **ret, struct sosia_err *err)
{
    struct reading r = {.arena = a, .err = err};
    struct sosia_journal_query query = {.limit = 1000, .bodies = bodies, .after = after};
    struct sosia_blob page;
    int64_t next;
    do { /* page by page: a journal may be longer than a document */
        if (sosia_journal_find(e, to, &query, &page, &next, err) < 0)
            return -1;
        int rc = add_calls(&r, &page);
        sosia_blob_free(&page);
        if (rc < 0)
            return -1;
        query.after = next;
    } while (next);
    struct json *all = arena_calloc(a, 1, sizeof *all);
    if (arena_failed(a) || r.n > UINT32_MAX)
        return sosia_fail_memory(err);
    *all = (struct json){.type = JSON_ARRAY, .n = (uint32_t)r.n, .items = r.list};
    *ret = all;
    return 0;
}
