/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clients made of a world's faults, from its journal: whether they waited as long as was
 * asked for, made calls again that may be made again, and did something twice.
 */
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/call.h"
#include "engine/text/civil.h"
#include "guard/faults/trouble.h"
#include <stdlib.h>

#define CALLS_MAX 1000000
#define SHOWN     1000

struct seen {
    int64_t seq, at_us, retry_s;
    uint64_t hash; /* of who, what, with which arguments */
    const char *actor, *method, *rule;
    int kind; /* enum fault_kind; -1: none */
    bool writes, idempotent, refused;
};

struct report {
    struct sosia_engine *engine;
    struct arena arena;
    struct seen *list;
    size_t n, cap;
    struct sosia_err *err;
};

static const struct route *row_of(const struct sosia_engine *e, const char *id)
{
    const struct route *row;
    for (const struct dialect *const *d = engine_dialects(e); id && *d; d++)
        for (size_t i = 0; (row = dialect_row(*d, i)); i++)
            if (strcmp(row->id, id) == 0)
                return row;
    return NULL;
}

static uint64_t hash_of(struct arena *a, const struct json *entry)
{
    static const char *const members[] = {"verb", "target", "body"};
    const struct json *request = json_get(entry, "request");
    const char *actor = json_get_str(entry, "actor");
    uint64_t h = actor ? hash_bytes(actor, strlen(actor)) : 0;
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct json *v = json_get(request, members[i]);
        const char *text = v ? json_to_text(a, v) : "";
        h = h * UINT64_C(0x9e3779b97f4a7c15) + hash_bytes(text, strlen(text));
    }
    return h;
}

static int add(void *arg, int64_t seq, const char *text, size_t len)
{
    struct report *r = arg;
    const struct json *entry;
    struct stamp at;
    if (json_parse(&r->arena, text, len, NULL, &entry, r->err) < 0)
        return -1;
    const char *time = json_get_str(entry, "at"), *method = json_get_str(entry, "method");
    if (!json_get(entry, "request") || !method || !time ||
        stamp_parse(time, strlen(time), false, &at) < 0)
        return 0;
    if (r->n == r->cap) {
        size_t cap = r->cap ? 2 * r->cap : 256;
        struct seen *p = cap <= CALLS_MAX ? realloc(r->list, cap * sizeof *p) : NULL;
        if (!p)
            return sosia_fail(r->err, SOSIA_E_TOO_LARGE, "report", NULL,
                              "the journal has too many calls for a report");
        r->list = p;
        r->cap = cap;
    }
    const struct json *fault = json_get(entry, "fault");
    const struct route *row = row_of(r->engine, method);
    const char *kind = json_get_str(fault, "kind");
    r->list[r->n++] =
        (struct seen){.seq = seq,
                      .at_us = at.local_us - at.offset * US_PER_SECOND,
                      .retry_s = json_get_int(fault, "retry_after", 0),
                      .hash = hash_of(&r->arena, entry),
                      .actor = json_get_str(entry, "actor"),
                      .method = method,
                      .rule = json_get_str(fault, "rule"),
                      .kind = kind ? str_place(fault_names, kind) : -1,
                      .writes = row && row->risk != RISK_READ,
                      .idempotent = row && row->idempotent,
                      .refused = json_get_int(json_get(entry, "response"), "status", 0) >= 400};
    return arena_failed(&r->arena) ? sosia_fail_memory(r->err) : 0;
}

/* Was it done, though its client can't know that? */
static bool was_done(const struct seen *s)
{
    return s->kind == FAULT_LOST || s->kind == FAULT_TRUNCATED || s->kind == FAULT_MALFORMED;
}

/* Whether its client can't know whether it was done. */
static bool is_unclear(const struct seen *s)
{
    return was_done(s) || s->kind == FAULT_SERVER || s->kind == FAULT_TIMEOUT ||
           s->kind == FAULT_RESET;
}

static const struct seen *made_again(const struct report *r, size_t i)
{
    for (size_t k = i + 1; k < r->n; k++)
        if (r->list[k].hash == r->list[i].hash)
            return &r->list[k];
    return NULL;
}

struct sums {
    int64_t faults, honoured, hasty, unknown, again, unsafe, twice;
};

static void write_one(struct json_writer *w, const struct report *r, size_t i, struct sums *sums,
                      bool shown)
{
    const struct seen *s = &r->list[i], *again = made_again(r, i);
    bool unsafe = again && s->writes && !s->idempotent && is_unclear(s);
    bool twice = unsafe && was_done(s) && !again->refused;
    int64_t waited = again ? again->at_us - s->at_us : 0;
    bool known = again && s->retry_s && waited > 0, good = waited >= s->retry_s * US_PER_SECOND;
    sums->faults++;
    sums->again += again != NULL;
    sums->unsafe += unsafe;
    sums->twice += twice;
    sums->honoured += known && good;
    sums->hasty += known && !good;
    sums->unknown += again && s->retry_s && !known;
    if (!shown)
        return;
    json_obj(w, NULL);
    json_int(w, "seq", s->seq);
    json_str_opt(w, "actor", s->actor);
    json_str(w, "method", s->method);
    json_str(w, "fault", fault_names[s->kind]);
    json_str_opt(w, "rule", s->rule);
    if (again)
        json_int(w, "again", again->seq);
    if (s->retry_s)
        json_int(w, "retry_after", s->retry_s);
    if (known) {
        json_int(w, "waited_ms", waited / 1000);
        json_bool(w, "honoured", good);
    }
    json_bool_opt(w, "unsafe", unsafe);
    json_bool_opt(w, "twice", twice);
    json_end(w);
}

static void write_report(struct json_writer *w, const struct report *r)
{
    struct sums sums = {0};
    size_t shown = 0;
    json_obj(w, NULL);
    json_arr(w, "faults");
    for (size_t i = 0; i < r->n; i++)
        if (r->list[i].kind >= 0)
            write_one(w, r, i, &sums, shown++ < SHOWN);
    json_end(w);
    json_int(w, "injected", sums.faults);
    json_int(w, "made_again", sums.again);
    json_obj(w, "retry_after");
    json_int(w, "honoured", sums.honoured);
    json_int(w, "not_honoured", sums.hasty);
    json_int(w, "not_known", sums.unknown); /* the world's clock is frozen */
    json_end(w);
    json_int(w, "made_again_unsafely", sums.unsafe);
    json_int(w, "done_twice", sums.twice);
    json_end(w);
}

int sosia_world_faults_report(struct sosia_engine *engine, uint64_t world,
                              struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err = {0};
    struct journal_past *past = NULL;
    struct report r = {.engine = engine, .err = err ? err : &local_err};
    struct json_writer w;
    struct buf out;
    int64_t base = 0;
    *r.err = (struct sosia_err){0};
    if (handle_check(HANDLE_ENGINE, engine, r.err) < 0 ||
        taken_pointer(ret_json, "ret_json", r.err) < 0)
        return -1;
    struct world *wd = world_take(engine, world, r.err);
    if (!wd)
        return -1;
    int rc = world_freeze_journal(engine, wd, &past, r.err);
    if (rc == 0)
        base = journal_past_n(wd->past);
    world_drop(wd);
    arena_init(&r.arena, 0);
    if (rc == 0 && journal_each_of(past, NULL, base, INT64_MAX, INT64_MAX, add, &r) < 0)
        rc = r.err->code ? -1 : sosia_fail_memory(r.err);
    buf_init(&out, 0);
    json_init(&w, &out, true, NULL);
    if (rc == 0) {
        write_report(&w, &r);
        rc = buf_give(&out, ret_json, r.err);
    }
    buf_done(&out);
    journal_past_unref(past);
    arena_done(&r.arena);
    free(r.list);
    return rc;
}
