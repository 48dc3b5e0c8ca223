/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/replay/find.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/json/thin.h"
#include "engine/world/engine.h"
#include "engine/world/took.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PAGE_BYTES (8 << 20) /* that a page looks through, with its world held */
#define WINDOW     256       /* entries that are turned around at once */

enum { FAILED = -2, ENOUGH = 1 }; /* the error is there; -1 of journal_each_of(): no memory */

static const struct journal *own_journal(const struct world *w)
{
    return w->extra ? &w->extra->journal : NULL;
}

/* ---- what matches ---- */

struct finding {
    const struct journal_search *search;
    const struct world *world;
    struct json_writer *w;
    struct arena arena;
    struct buf thin;
    struct sosia_err *err;
    const char *method, *actor; /* as they are in an entry */
    size_t looked;
    int n;
    int64_t last;
    bool more, any; /* any: nothing is asked of an entry */
};

/* An entry without the bodies of its request and its response, which are most of it; into the
 * arena. -1: it can't be read. */
static int read_thin(struct buf *thin, struct arena *a, const char *text, size_t len,
                     const struct json **ret, struct sosia_err *err)
{
    buf_clear(thin);
    json_thin(thin, text, len, 2, "body", JOURNAL_LABELS);
    if (buf_failed(thin))
        return sosia_fail_memory(err);
    return json_parse(a, buf_str(thin), thin->len, NULL, ret, err);
}

static bool occurs_in(const char *text, size_t len, const char *what)
{
    return !what || memmem(text, len, what, strlen(what));
}

/* Numbers are labels as they are written. */
static bool has_label(const struct json *entry, const char *label)
{
    if (!label)
        return true;
    size_t n = strcspn(label, ":");
    const struct json *labels = json_get(entry, "labels");
    for (uint32_t i = 0; labels && labels->type == JSON_OBJECT && i < labels->n; i++) {
        const struct json_member *m = &labels->members[i];
        if (strlen(m->key) != n || strncasecmp(m->key, label, n) != 0)
            continue;
        return !label[n] || ((m->value.type == JSON_STRING || m->value.type == JSON_NUMBER) &&
                             strcmp(m->value.str, label + n + 1) == 0);
    }
    return false;
}

static int64_t status_of(const struct json *entry)
{
    return json_get_int(json_get(entry, "response"), "status", 0);
}

/* "4xx": the digits that are given. */
static bool has_status(const struct json *entry, const char *status)
{
    char text[24];
    if (!status)
        return true;
    snprintf(text, sizeof text, "%lld", (long long)status_of(entry));
    for (size_t i = 0; status[i]; i++)
        if (!text[i] || ((status[i] | 32) != 'x' && status[i] != text[i]))
            return false;
    return !text[strlen(status)];
}

static bool has_decision(const struct json *entry, const char *decision)
{
    const struct json *guard = json_get(entry, "guard");
    const char *made = json_get_str(guard, "decision"), *event = json_get_str(guard, "event");
    if (!decision || (made && strcmp(made, decision) == 0) ||
        (event && strcmp(event, decision) == 0))
        return true;
    return (strcmp(decision, "fault") == 0 && json_get(entry, "fault")) ||
           (strcmp(decision, "stop") == 0 && json_get(entry, "stop"));
}

static bool is_method(const char *method, const char *asked)
{
    size_t n = asked ? strlen(asked) : 0;
    if (!asked)
        return true;
    return method && (n && asked[n - 1] == '*' ? strncmp(method, asked, n - 1) == 0
                                               : strcmp(method, asked) == 0);
}

static bool has_risk(const struct json *entry, int risk)
{
    const char *word = json_get_str(entry, "risk");
    return risk <= 0 || (word && str_place(risk_names, word) >= risk);
}

static bool matches(const struct journal_search *q, const struct json *entry)
{
    const char *actor = json_get_str(entry, "actor");
    return has_label(entry, q->label) && (!q->failed || status_of(entry) >= 400) &&
           is_method(json_get_str(entry, "method"), q->method) &&
           (!q->actor || (actor && strcmp(actor, q->actor) == 0)) && has_status(entry, q->status) &&
           has_decision(entry, q->decision) && has_risk(entry, q->risk);
}

static void write_entry(const struct finding *f, int64_t seq, const struct json *entry)
{
    struct json_writer *w = f->w;
    const bool bodies = f->search->bodies;
    const int64_t took = f->search->times ? took_of(f->world, seq) : -1;
    json_obj(w, NULL);
    json_int(w, "seq", seq);
    for (uint32_t i = 0; i < entry->n; i++) {
        const struct json_member *m = &entry->members[i];
        if (bodies || strcmp(m->key, JOURNAL_LABELS) == 0)
            json_value(w, m->key, &m->value);
        else
            json_value_without(w, m->key, &m->value, "body");
    }
    if (took >= 0 && !json_get(entry, JOURNAL_TOOK))
        json_int(w, JOURNAL_TOOK, took);
    json_end(w);
}

static bool asks_for_any(const struct journal_search *q)
{
    return q->compact && !q->bodies && !q->method && !q->actor && !q->text && !q->failed &&
           !q->label && !q->status && !q->decision && q->risk <= 0;
}

/* How long the call took is the end of an entry that has it. */
static bool says_its_time(const char *entry, size_t len)
{
    static const char name[] = ",\"" JOURNAL_TOOK "\":";
    size_t n = len - 1;
    while (n && entry[n - 1] >= '0' && entry[n - 1] <= '9')
        n--;
    return n >= sizeof name - 1 && !memcmp(entry + n - (sizeof name - 1), name, sizeof name - 1);
}

/* An entry without its bodies, behind its first byte. */
static void add_thin(struct buf *b, const char *text, size_t len, const struct journal_known *known)
{
    if (known->call) {
        buf_add(b, text + 1, known->body[0] - 1);
        buf_add(b, text + known->body_end[0], known->body[1] - known->body_end[0]);
        buf_add(b, text + known->body_end[1], len - known->body_end[1]);
    } else {
        json_thin(b, text + 1, len - 1, 1, "body",
                  JOURNAL_LABELS); /* from within the outermost object */
    }
}

/* The same as write_entry() does, of one that nothing is asked of: it is not read, as the engine
 * has written it. */
static int copy_entry(struct finding *f, int64_t seq, const char *text, size_t len,
                      const struct journal_known *known)
{
    char first[40], end[40];
    const int64_t took = f->search->times ? took_of(f->world, seq) : -1;
    struct buf *b = &f->thin;
    buf_clear(b);
    snprintf(first, sizeof first, "{\"seq\":%lld,", (long long)seq);
    buf_puts(b, first);
    add_thin(b, text, len, known);
    if (buf_failed(b))
        return sosia_fail_memory(f->err);
    if (took >= 0 && !says_its_time(text, len)) {
        b->len--;
        snprintf(end, sizeof end, ",\"" JOURNAL_TOOK "\":%lld}", (long long)took);
        buf_puts(b, end);
    }
    json_raw(f->w, NULL, buf_str(b), b->len);
    return 0;
}

static int find_one(void *arg, int64_t seq, const char *text, size_t len,
                    const struct journal_known *known)
{
    struct finding *f = arg;
    const struct journal_search *q = f->search;
    const struct json *entry;
    if (f->n == (q->limit > 0 ? q->limit : 100) || f->looked > PAGE_BYTES) {
        f->more = true;
        return ENOUGH;
    }
    f->last = seq;
    f->looked += len;
    if (f->any && len > 2 && text[0] == '{' && text[len - 1] == '}') {
        f->n++;
        return copy_entry(f, seq, text, len, known) < 0 ? FAILED : 0;
    }
    if (!occurs_in(text, len, f->method) || !occurs_in(text, len, f->actor) ||
        !occurs_in(text, len, q->text))
        return 0;
    arena_reset(&f->arena);
    if ((q->bodies ? json_parse(&f->arena, text, len, NULL, &entry, f->err)
                   : read_thin(&f->thin, &f->arena, text, len, &entry, f->err)) < 0)
        return FAILED;
    if (matches(q, entry)) {
        f->n++;
        write_entry(f, seq, entry);
    }
    return 0;
}

/* ---- from either end ---- */

struct window {
    struct {
        int64_t seq;
        const char *text;
        size_t len;
        struct journal_known known;
    } list[WINDOW];
    size_t n;
};

static int keep_one(void *arg, int64_t seq, const char *text, size_t len,
                    const struct journal_known *known)
{
    struct window *v = arg;
    v->list[v->n].seq = seq;
    v->list[v->n].text = text;
    v->list[v->n].known = *known;
    v->list[v->n++].len = len;
    return 0;
}

/* The last ones first: by windows, each of which is read from its end. */
static int find_back(struct finding *f, const struct world *w, int64_t after, int64_t last)
{
    struct window v;
    int rc = 0;
    for (int64_t to = last; rc == 0 && to > after; to -= WINDOW) {
        int64_t from = to - WINDOW > after ? to - WINDOW : after;
        v.n = 0;
        rc = journal_each_known(w->past, own_journal(w), from, to, WINDOW, keep_one, &v);
        while (rc == 0 && v.n--)
            rc =
                find_one(f, v.list[v.n].seq, v.list[v.n].text, v.list[v.n].len, &v.list[v.n].known);
    }
    return rc;
}

static int find_all(struct finding *f, const struct world *w)
{
    const struct journal_search *q = f->search;
    int64_t after = q->after > 0 ? q->after : 0, last = world_last_entry(w);
    if (q->before > 0 && q->before - 1 < last)
        last = q->before - 1;
    return q->newest
               ? find_back(f, w, after, last)
               : journal_each_known(w->past, own_journal(w), after, last, INT64_MAX, find_one, f);
}

/* The text as JSON has it, so that entries need not be read to see that it is not there. */
static char *quoted(struct arena *a, const char *text)
{
    struct json_writer w;
    struct buf b;
    if (!text)
        return NULL;
    json_start(&w, &b);
    json_str(&w, NULL, text);
    return buf_keep(&b, a);
}

int journal_search(struct sosia_engine *e, uint64_t world, const struct journal_search *search,
                   struct sosia_blob *ret_json, int64_t *ret_next, struct sosia_err *err)
{
    struct json_writer w;
    struct arena names;
    struct buf out;
    struct world *at = world_take(e, world, err);
    if (!at)
        return -1;
    struct finding f = {
        .search = search, .world = at, .w = &w, .err = err, .any = asks_for_any(search)};
    size_t n = search->method ? strlen(search->method) : 0;
    arena_init(&names, 0);
    arena_init(&f.arena, 0);
    buf_init(&f.thin, 0);
    buf_init(&out, 0);
    json_init(&w, &out, !search->compact, NULL);
    f.method = n && search->method[n - 1] == '*' ? NULL : quoted(&names, search->method);
    f.actor = quoted(&names, search->actor);
    json_arr(&w, NULL);
    int rc = arena_failed(&names) ? -1 : find_all(&f, at);
    if (rc == -1)
        sosia_fail_memory(err);
    json_end(&w);
    uint64_t ticket = at->ticket;
    world_drop(at);
    rc = rc < 0 ? -1 : engine_sync(e, ticket, err);
    if (rc == 0)
        rc = buf_give(&out, ret_json, err);
    if (rc == 0)
        *ret_next = f.more ? f.last : 0;
    buf_done(&out);
    arena_done(&f.arena);
    buf_done(&f.thin);
    arena_done(&names);
    return rc;
}

int sosia_journal_find(struct sosia_engine *engine, uint64_t world,
                       const struct sosia_journal_query *query, struct sosia_blob *ret_json,
                       int64_t *ret_next, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0 ||
        taken_pointer(ret_next, "ret_next", err) < 0)
        return -1;
    struct sosia_err local_err;
    struct sosia_journal_query q;
    err = err ? err : &local_err;
    if (TAKEN(sosia_journal_query, &q, query, err) < 0)
        return -1;
    const struct journal_search search = {.after = q.after,
                                          .limit = q.limit,
                                          .bodies = q.bodies,
                                          .method = q.method,
                                          .actor = q.actor,
                                          .text = q.text,
                                          .failed = q.failed,
                                          .label = q.label};
    return journal_search(engine, world, &search, ret_json, ret_next, err);
}

/* ---- what is quickly said ---- */

#define FEW_CALLS 64 /* that may run again for it */

static void find_first(void *arg, const struct step *step)
{
    int64_t *first = arg;
    if (step->seq < *first)
        *first = step->seq;
}

int journal_states_read(struct sosia_engine *e, uint64_t world, struct journal_states *ret,
                        struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    if (!w)
        return -1;
    *ret = (struct journal_states){.base = journal_past_n(w->past), .own = INT64_MAX};
    int rc = w->extra ? journal_each_step(&w->extra->journal, find_first, &ret->own) : 0;
    journal_next_step(w->past, 1, &ret->past);
    world_drop(w);
    return rc < 0 ? sosia_fail_memory(err) : 0;
}

bool journal_states_have(const struct journal_states *states, int64_t seq)
{
    return seq > states->base ? seq > states->own || seq - states->base <= FEW_CALLS
                              : seq > states->past || seq <= FEW_CALLS;
}

/* ---- how many ---- */

struct strip {
    struct journal_counts *list;
    struct arena arena;
    struct buf thin;
    struct sosia_err *err;
    int64_t after, width, last; /* the last entry that was looked at */
    size_t looked;
    uint64_t ticket;
};

/* What an entry is counted by. */
struct sort {
    const char *at;
    bool call, writes, held;
    int64_t status;
};

static int sort_of(struct strip *s, const char *text, size_t len, struct sort *ret)
{
    const struct json *entry;
    arena_reset(&s->arena);
    if (read_thin(&s->thin, &s->arena, text, len, &entry, s->err) < 0)
        return FAILED;
    const struct json *guard = json_get(entry, "guard");
    const char *decision = json_get_str(guard, "decision"), *event = json_get_str(guard, "event");
    *ret = (struct sort){.at = json_get_str(entry, "at"),
                         .call = json_get(entry, "request") != NULL,
                         .writes = json_get(entry, "risk") != NULL,
                         .status = status_of(entry)};
    ret->held = decision && strcmp(decision, "approve") == 0 &&
                (!event || strcmp(event, "proposed") == 0 || strcmp(event, "attached") == 0);
    return 0;
}

static int count_one(void *arg, int64_t seq, const char *text, size_t len,
                     const struct journal_known *known)
{
    struct strip *s = arg;
    struct journal_counts *b = &s->list[(seq - s->after - 1) / s->width];
    struct sort of = {.call = true, .writes = known->writes, .status = known->status};
    if (s->looked > PAGE_BYTES)
        return ENOUGH;
    s->last = seq;
    if (known->call && *b->at) {
        s->looked += sizeof *known;
    } else {
        s->looked += len;
        if (sort_of(s, text, len, &of) < 0)
            return FAILED;
    }
    if (of.at && !*b->at)
        snprintf(b->at, sizeof b->at, "%s", of.at);
    b->n++;
    if (!of.call)
        return 0;
    b->reads += !of.writes;
    b->writes += of.writes;
    b->held += of.held;
    b->refused += !of.held && of.status >= 400 && of.status < 500;
    b->errors += of.status >= 500;
    return 0;
}

/* A slice of at most PAGE_BYTES, so that calls of the world need not wait for all of them. 1: there
 * is more. */
static int count_slice(struct sosia_engine *e, uint64_t world, struct strip *s, int64_t to)
{
    struct world *w = world_take(e, world, s->err);
    if (!w)
        return -1;
    s->looked = 0;
    int rc = journal_each_known(w->past, own_journal(w), s->last, to, INT64_MAX, count_one, s);
    s->ticket = w->ticket;
    world_drop(w);
    if (rc == -1)
        sosia_fail_memory(s->err);
    return rc < 0 ? -1 : rc;
}

void journal_counts_write(struct json_writer *w, const struct journal_counts *counts)
{
    json_str_opt(w, "at", *counts->at ? counts->at : NULL);
    json_int(w, "reads", counts->reads);
    json_int(w, "writes", counts->writes);
    json_int(w, "refused", counts->refused);
    json_int(w, "held", counts->held);
    json_int(w, "errors", counts->errors);
}

static void write_strip(const struct strip *s, int64_t to, size_t n, struct buf *out)
{
    struct json_writer w;
    json_init(&w, out, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "buckets");
    for (size_t i = 0; i < n; i++) {
        const struct journal_counts *b = &s->list[i];
        int64_t from = s->after + (int64_t)i * s->width + 1, last = from + s->width - 1;
        json_obj(&w, NULL);
        json_int(&w, "from", from);
        json_int(&w, "to", last < to ? last : to);
        journal_counts_write(&w, b);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
}

/* The entries that there are, of those that were asked for. */
static int read_range(struct sosia_engine *e, uint64_t world, int64_t *after, int64_t *to,
                      struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    if (!w)
        return -1;
    int64_t first = journal_first(w->past, own_journal(w)), last = world_last_entry(w);
    world_drop(w);
    if (*after < first - 1)
        *after = first - 1;
    if (!*to || *to > last)
        *to = last;
    return 0;
}

/* All of what s is of, up to an entry. */
static int count_all(struct sosia_engine *e, uint64_t world, struct strip *s, int64_t to)
{
    int rc = 1;
    arena_init(&s->arena, 0);
    buf_init(&s->thin, 0);
    while (rc > 0 && s->last < to)
        rc = count_slice(e, world, s, to);
    if (rc >= 0 && engine_sync(e, s->ticket, s->err) < 0)
        rc = -1;
    arena_done(&s->arena);
    buf_done(&s->thin);
    return rc < 0 ? -1 : 0;
}

int journal_count(struct sosia_engine *e, uint64_t world, int64_t after, int64_t to,
                  struct journal_counts *ret, struct sosia_err *err)
{
    struct journal_counts counts = {0};
    struct strip s = {
        .list = &counts, .after = after, .last = after, .width = INT64_MAX, .err = err};
    int rc = count_all(e, world, &s, to);
    if (rc == 0)
        *ret = counts;
    return rc;
}

int journal_strip(struct sosia_engine *e, uint64_t world, int64_t after, int64_t to, int buckets,
                  struct buf *out, struct sosia_err *err)
{
    if (read_range(e, world, &after, &to, err) < 0)
        return -1;
    int64_t all = to > after ? to - after : 0, width = all ? (all - 1) / buckets + 1 : 1;
    size_t n = (size_t)((all + width - 1) / width);
    struct strip s = {.list = calloc(n + 1, sizeof *s.list),
                      .after = after,
                      .last = after,
                      .width = width,
                      .err = err};
    int rc = s.list ? count_all(e, world, &s, to) : sosia_fail_memory(err);
    if (rc == 0)
        write_strip(&s, to, n, out);
    free(s.list);
    return rc;
}
