/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded run, with trouble at each of its calls. */
#include "guard/faults/explore.h"
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "engine/base/heap.h"
#include "engine/base/taken.h"
#include "engine/replay/replay.h"
#include "engine/state/change.h"
#include "engine/world/places.h"
#include "grading/grade.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum client { CLIENT_AGAIN, CLIENT_ON, N_CLIENTS };
static const char *const clients[] = {"makes the call again", "goes on without it"};

static const enum fault_kind usual_faults[] = {FAULT_RATE,  FAULT_SERVER,    FAULT_REVOKED,
                                               FAULT_RESET, FAULT_TRUNCATED, FAULT_LOST};

struct recorded {
    const char *text;
    size_t len;
    int64_t seq;
    const char *method; /* of a call; NULL: it is not one, or one that can't run */
};

struct signature {
    uint64_t hash; /* of what it is, for whom and how it is called, but not by which id */
    int64_t n;
};

/* The run as it was. */
struct run {
    struct sosia_engine *engine;
    uint64_t id;
    struct journal_past *past;
    struct tree start; /* what the world goes back to */
    struct arena arena;
    struct recorded *entries;
    size_t n, cap;
    struct step *steps;     /* before entry i, and one behind the last */
    struct signature *made; /* things that the run as it was has added */
    size_t n_made;
    enum fault_kind kinds[N_FAULTS];
    size_t n_kinds;
    size_t first, behind; /* entries whose calls get faults */
    const struct explore_grade *by;
    const struct task *task; /* NULL: nothing is judged */
    bool passed;             /* the run as it was */
    int64_t now_us;
};

struct injection {
    size_t at;
    enum fault_kind kind;
    enum client client;
};

struct finding {
    struct finding *next;
    const char *what; /* "twice", "not at all" */
    const char *entity, *service, *person, *title;
};

#define FINDINGS_MAX 16 /* of one branch */

struct branch {
    struct injection in[2];
    int n;
    bool applies;     /* each of its calls is one that can have its fault */
    bool stopped;     /* an entry could not be run */
    bool passed;      /* its task */
    int64_t diverged; /* number of the first entry whose response is another; 0: none is */
    int64_t refused;  /* of the first later one that is refused now */
    struct finding *found;
    size_t n_found;
    int64_t twice, lost;
};

struct exploring {
    const struct run *run;
    struct branch *branches;
    size_t n;
    _Atomic(size_t) next;
    _Atomic(bool) failed;
    pthread_mutex_t lock; /* of what follows */
    struct arena arena;   /* texts of findings */
    struct sosia_err *err;
};

/* ---- entries ---- */

/* The entry with a fault in it, or, as it is made again, with ids of its own. In the arena. */
static const char *entry_with(struct arena *a, const char *text, size_t len, const char *fault,
                              size_t *ret_len, struct sosia_err *err)
{
    const struct json *entry;
    struct json_writer w;
    struct buf b;
    if (json_parse(a, text, len, NULL, &entry, err) < 0)
        return NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < entry->n; i++) {
        const struct json_member *m = &entry->members[i];
        bool ids = strcmp(m->key, "ids") == 0 || strcmp(m->key, "fired") == 0;
        if (strcmp(m->key, "fault") != 0 && (fault || !ids))
            json_value(&w, m->key, &m->value);
    }
    if (fault) {
        json_obj(&w, "fault");
        json_str(&w, "kind", fault);
        json_str(&w, "rule", "explorer");
        if (strcmp(fault, fault_names[FAULT_LOST]) == 0)
            json_str(&w, "lost", fault_losses[LOST_RESET]);
        if (strcmp(fault, fault_names[FAULT_SERVER]) == 0)
            json_int(&w, "status", 503);
        json_end(&w);
    } else {
        json_obj(&w, "ids");
        json_end(&w);
    }
    json_end(&w);
    const char *copy = buf_failed(&b) ? NULL : arena_memdup(a, buf_str(&b), b.len);
    *ret_len = b.len;
    buf_done(&b);
    if (!copy || arena_failed(a)) {
        sosia_fail_memory(err);
        return NULL;
    }
    return copy;
}

static void forget_entries(struct stage *s)
{
    if (s->world.extra) {
        journal_clear(&s->world.extra->journal);
        world_count_journal(s->engine, &s->world.extra->journal);
    }
}

static int run_entry(struct stage *s, const char *text, size_t len, enum staged *ret)
{
    forget_entries(s);
    *ret = STAGED_RAN;
    return stage_run(s, text, len, ret);
}

/* Of the entry that ran last: whether it had a fault, whether its client takes it for a failure,
 * and whether its response is that of `was`. */
struct outcome {
    bool faulted, failed, same;
};

static int look_at_last(struct stage *s, const char *was, size_t was_len, struct outcome *ret)
{
    const struct json *is, *then = NULL, *x, *y;
    const char *path;
    size_t n;
    const char *text = stage_last(s, &n);
    *ret = (struct outcome){.same = true};
    if (!text)
        return 0;
    if (json_parse(&s->arena, text, n, NULL, &is, s->err) < 0 ||
        (was && json_parse(&s->arena, was, was_len, NULL, &then, s->err) < 0))
        return -1;
    const struct json *fault = json_get(is, "fault");
    const char *kind = json_get_str(fault, "kind");
    int64_t status = json_get_int(json_get(is, "response"), "status", 0);
    ret->faulted = fault != NULL;
    ret->failed = status >= 400 || (kind && (strcmp(kind, fault_names[FAULT_TRUNCATED]) == 0 ||
                                             strcmp(kind, fault_names[FAULT_MALFORMED]) == 0));
    if (kind && strcmp(kind, fault_names[FAULT_RATE]) == 0)
        ret->failed = true;
    ret->same = !then || !entries_differ(&s->arena, json_get(then, "response"),
                                         json_get(is, "response"), &path, &x, &y);
    return 0;
}

static int64_t status_of(struct arena *a, const char *text, size_t len)
{
    const struct json *entry;
    struct sosia_err err;
    return json_parse(a, text, len, NULL, &entry, &err) < 0
               ? 0
               : json_get_int(json_get(entry, "response"), "status", 0);
}

/* ---- the run as it was ---- */

static int add_entry(void *arg, int64_t seq, const char *text, size_t len)
{
    struct run *r = arg;
    if (r->n == EXPLORE_CALLS_MAX)
        return 1;
    void *list = heap_grow(r->entries, r->n, &r->cap, sizeof *r->entries);
    if (!list)
        return -1;
    r->entries = list;
    const struct json *entry;
    struct sosia_err err;
    char *copy = arena_memdup(&r->arena, text, len);
    r->entries[r->n] = (struct recorded){.text = copy, .len = len, .seq = seq};
    if (!arena_failed(&r->arena) && json_parse(&r->arena, copy, len, NULL, &entry, &err) == 0 &&
        json_get(entry, "request") && !json_get(entry, "resumed") && !json_get(entry, "suspended"))
        r->entries[r->n].method = json_get_str(entry, "method");
    r->n++;
    return arena_failed(&r->arena) ? -1 : 0;
}

static void stage_at(struct stage *s, const struct run *r, const struct step *at,
                     struct sosia_err *err)
{
    struct step step;
    step_copy(at, &step);
    stage_open(s, r->engine, r->id, &step, &r->start, err);
}

static uint64_t signature_of(const struct change *c)
{
    const char *parts[] = {c->entity ? c->entity->name : "", c->service, c->about.person,
                           c->about.title};
    uint64_t h = 1;
    for (size_t i = 0; i < SOSIA_LEN(parts); i++)
        h = h * UINT64_C(0x9e3779b97f4a7c15) +
            hash_bytes(parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) : 0);
    return h;
}

/* Things that were added, but for what follows from others. */
static bool is_effect(const struct change *c)
{
    return c->cause < 0 && !c->about.trace;
}

static int note_made(struct run *r, struct sosia_err *err)
{
    struct changes d;
    int rc = changes_open_between(r->engine, r->id, &r->steps[0].tree, &r->steps[r->n].tree,
                                  r->now_us, &d, err);
    if (rc == 0 && d.n) {
        r->made = calloc(d.n, sizeof *r->made);
        rc = r->made ? 0 : sosia_fail_memory(err);
    }
    for (size_t i = 0; rc == 0 && i < d.n; i++)
        if (d.list[i].kind == ROW_ADDED && is_effect(&d.list[i]))
            r->made[r->n_made++] = (struct signature){.hash = signature_of(&d.list[i]), .n = 1};
    changes_close(&d);
    return rc;
}

/* Runs it once, and keeps the state before each entry. */
static int run_as_it_was(struct run *r, struct sosia_err *err)
{
    struct stage s;
    enum staged staged;
    int rc = 0;
    stage_at(&s, r, &r->steps[0], err);
    if (!world_extra(&s.world))
        rc = sosia_fail_memory(err);
    for (size_t i = 0; rc == 0 && i < r->n; i++) {
        struct recorded *x = &r->entries[i];
        rc = run_entry(&s, x->text, x->len, &staged);
        if (rc == 0 && staged == STAGED_HIDDEN)
            x->method = NULL;
        if (rc == 0) {
            r->now_us = s.world.clock.at_us;
            world_step_now(&s.world, &r->steps[i + 1]);
        }
    }
    stage_close(&s);
    return rc < 0 ? -1 : note_made(r, err);
}

/* ---- a branch ---- */

/* An entry with a fault, and what the client does then. */
static int inject(struct branch *b, const struct run *r, struct stage *s, struct arena *a,
                  const struct injection *in)
{
    const struct recorded *x = &r->entries[in->at];
    enum staged staged;
    struct outcome o;
    size_t len;
    const char *text = entry_with(a, x->text, x->len, fault_names[in->kind], &len, s->err);
    if (!text || run_entry(s, text, len, &staged) < 0 || look_at_last(s, x->text, x->len, &o) < 0)
        return -1;
    b->applies = o.faulted && staged == STAGED_RAN;
    if (b->applies && !o.same && !b->diverged)
        b->diverged = x->seq;
    if (!b->applies || in->client == CLIENT_ON)
        return 0;
    text = entry_with(a, x->text, x->len, NULL, &len, s->err);
    return text && run_entry(s, text, len, &staged) == 0 ? 0 : -1;
}

static int go_on(struct branch *b, const struct run *r, struct stage *s, struct arena *a, size_t i)
{
    const struct recorded *x = &r->entries[i];
    enum staged staged;
    struct outcome o;
    if (run_entry(s, x->text, x->len, &staged) < 0)
        return -1;
    if (staged == STAGED_HIDDEN) {
        b->stopped |= x->method != NULL;
        return 0;
    }
    if (!x->method)
        return 0;
    if (look_at_last(s, x->text, x->len, &o) < 0)
        return -1;
    if (!o.same && !b->diverged)
        b->diverged = x->seq;
    if (o.failed && !b->refused && status_of(a, x->text, x->len) < 400)
        b->refused = x->seq;
    return 0;
}

static bool was_made(const struct run *r, uint64_t hash)
{
    for (size_t i = 0; i < r->n_made; i++)
        if (r->made[i].hash == hash)
            return true;
    return false;
}

/* The same thing by another id is not a finding: pairs of more and less cancel each other out. */
static bool cancels(const struct changes *d, const struct change *c)
{
    int64_t more = 0;
    uint64_t hash = signature_of(c);
    for (size_t i = 0; i < d->n; i++)
        if (is_effect(&d->list[i]) && signature_of(&d->list[i]) == hash)
            more += d->list[i].kind == ROW_ADDED ? 1 : d->list[i].kind == ROW_REMOVED ? -1 : 0;
    return c->kind == ROW_ADDED ? more <= 0 : more >= 0;
}

static void find(struct exploring *x, struct branch *b, const struct change *c, const char *what)
{
    if (b->n_found == FINDINGS_MAX)
        return;
    struct arena *a = &x->arena;
    pthread_mutex_lock(&x->lock);
    struct finding *f = arena_alloc(a, sizeof *f);
    *f = (struct finding){.next = b->found,
                          .what = what,
                          .entity = c->entity ? c->entity->name : "",
                          .service = c->service ? arena_strdup(a, c->service) : NULL,
                          .person = c->about.person ? arena_strdup(a, c->about.person) : NULL,
                          .title = c->about.title ? arena_strdup(a, c->about.title) : NULL};
    b->found = f;
    b->n_found++;
    pthread_mutex_unlock(&x->lock);
}

/* What the end has more and less than that of the run as it was. */
static int compare(struct exploring *x, struct branch *b, struct stage *s)
{
    const struct run *r = x->run;
    struct changes d;
    int rc = changes_open_between(r->engine, r->id, &r->steps[r->n].tree, &s->world.now, r->now_us,
                                  &d, s->err);
    for (size_t i = 0; rc == 0 && i < d.n; i++) {
        const struct change *c = &d.list[i];
        if (!is_effect(c) || c->kind == ROW_CHANGED || !was_made(r, signature_of(c)) ||
            cancels(&d, c))
            continue;
        bool more = c->kind == ROW_ADDED;
        b->twice += more;
        b->lost += !more;
        find(x, b, c, more ? "twice" : "not at all");
    }
    changes_close(&d);
    return rc;
}

/* The verdict on an end; a run that could not go on to it has none. */
static int judge(const struct run *r, const struct tree *end, int64_t now_us, bool *ret_passed,
                 struct sosia_err *err)
{
    const char *answer = r->by->answer;
    const struct sosia_grade_options said = {
        .size = sizeof said, .answer = answer, .answer_len = answer ? strlen(answer) : 0};
    return grade_states(r->engine, r->by->suite, r->task, r->id, &r->start, end, now_us, &said,
                        ret_passed, err);
}

/* Another verdict than that of the run as it was. */
static bool differs(const struct run *r, const struct branch *b)
{
    return r->task && !b->stopped && b->passed != r->passed;
}

static int run_branch(struct exploring *x, struct branch *b, struct sosia_err *err)
{
    const struct run *r = x->run;
    struct stage s;
    struct arena a;
    size_t from = b->in[0].at;
    int rc = 0;
    arena_init(&a, 0);
    stage_at(&s, r, &r->steps[from], err);
    if (!world_extra(&s.world))
        rc = sosia_fail_memory(err);
    b->applies = true;
    for (size_t i = from; rc == 0 && b->applies && i < r->n; i++) {
        const struct injection *in = i == b->in[0].at                ? &b->in[0]
                                     : b->n == 2 && i == b->in[1].at ? &b->in[1]
                                                                     : NULL;
        rc = in ? inject(b, r, &s, &a, in) : go_on(b, r, &s, &a, i);
        arena_reset(&a);
    }
    if (rc == 0 && b->applies)
        rc = compare(x, b, &s);
    if (rc == 0 && b->applies && r->task && !b->stopped)
        rc = judge(r, &s.world.now, s.world.clock.at_us, &b->passed, err);
    stage_close(&s);
    arena_done(&a);
    return rc;
}

static void *work(void *arg)
{
    struct exploring *x = arg;
    struct sosia_err err = {0};
    for (size_t i; !x->failed && (i = atomic_fetch_add(&x->next, 1)) < x->n;) {
        if (run_branch(x, &x->branches[i], &err) == 0)
            continue;
        pthread_mutex_lock(&x->lock);
        if (!x->failed)
            *x->err = err;
        x->failed = true;
        pthread_mutex_unlock(&x->lock);
    }
    return NULL;
}

static void run_all(struct exploring *x, unsigned threads)
{
    enum { MOST = 64 };
    pthread_t list[MOST];
    unsigned n = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!threads)
        threads = cores > 0 ? (unsigned)cores : 1;
    while (n + 1 < threads && n < MOST && pthread_create(&list[n], NULL, work, x) == 0)
        n++;
    work(x);
    while (n > 0)
        pthread_join(list[--n], NULL);
}

/* ---- all branches ---- */

#define BRANCHES_MAX 1000000

static size_t add_branch(struct exploring *x, size_t cap, size_t n, const struct branch *b)
{
    if (n < cap)
        x->branches[n] = *b;
    return n + 1;
}

/* Lists them, or with cap 0 counts them. */
static size_t list_branches(struct exploring *x, int depth, size_t cap)
{
    const struct run *r = x->run;
    size_t n = 0, ways = r->n_kinds * N_CLIENTS;
    for (size_t i = r->first; i < r->behind; i++)
        for (size_t k = 0; r->entries[i].method && k < ways; k++) {
            struct branch b = {.n = 1,
                               .in = {{.at = i,
                                       .kind = r->kinds[k / N_CLIENTS],
                                       .client = (enum client)(k % N_CLIENTS)}}};
            n = add_branch(x, cap, n, &b);
            b.n = 2;
            for (size_t j = i + 1; depth == 2 && j < r->behind && n <= BRANCHES_MAX; j++)
                for (size_t m = 0; r->entries[j].method && m < ways; m++) {
                    b.in[1] = (struct injection){.at = j,
                                                 .kind = r->kinds[m / N_CLIENTS],
                                                 .client = (enum client)(m % N_CLIENTS)};
                    n = add_branch(x, cap, n, &b);
                }
        }
    return n;
}

static int read_kinds(struct run *r, const char *names, struct sosia_err *err)
{
    if (!names) {
        memcpy(r->kinds, usual_faults, sizeof usual_faults);
        r->n_kinds = SOSIA_LEN(usual_faults);
        return 0;
    }
    while (*names) {
        char name[32];
        size_t n = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", n < 31 ? (int)n : 31, names);
        int at = str_place(fault_names, name);
        if (at < 0 || at == FAULT_ARRIVES || at == FAULT_SLOW || at == FAULT_RENAMED)
            return sosia_fail(err, SOSIA_E_INVALID, "faults", "faults",
                              "faults must be kinds of docs/faults.md that an answer or a state "
                              "shows, separated by commas, not \"%s\"",
                              name);
        bool again = false;
        for (size_t i = 0; i < r->n_kinds; i++)
            again |= r->kinds[i] == (enum fault_kind)at;
        if (!again)
            r->kinds[r->n_kinds++] = (enum fault_kind)at;
        names += n + (names[n] == ',');
    }
    return 0;
}

/* ---- the report ---- */

static void write_branch(struct json_writer *w, const struct run *r, const struct branch *b)
{
    json_obj(w, NULL);
    json_arr(w, "faults");
    for (int i = 0; i < b->n; i++) {
        const struct recorded *x = &r->entries[b->in[i].at];
        json_obj(w, NULL);
        json_int(w, "seq", x->seq);
        json_str(w, "method", x->method);
        json_str(w, "fault", fault_names[b->in[i].kind]);
        json_str(w, "client", clients[b->in[i].client]);
        json_end(w);
    }
    json_end(w);
    if (b->diverged)
        json_int(w, "diverged", b->diverged);
    if (b->refused)
        json_int(w, "refused", b->refused);
    json_bool_opt(w, "ungraded", b->stopped);
    if (r->task && !b->stopped)
        json_bool(w, "passed", b->passed);
    json_arr(w, "effects");
    for (const struct finding *f = b->found; f; f = f->next) {
        json_obj(w, NULL);
        json_str(w, "happened", f->what);
        json_str(w, "entity", f->entity);
        json_str_opt(w, "service", f->service);
        json_str_opt(w, "person", f->person);
        json_str_opt(w, "title", f->title);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static int write_report(const struct exploring *x, struct sosia_blob *ret, struct sosia_err *err)
{
    int64_t ran = 0, twice = 0, lost = 0, ungraded = 0, refused = 0, others = 0;
    const struct run *r = x->run;
    struct json_writer w;
    struct buf out;
    size_t shown = 0;
    buf_init(&out, 0);
    json_init(&w, &out, true, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "findings");
    for (size_t i = 0; i < x->n; i++) {
        const struct branch *b = &x->branches[i];
        if (!b->applies)
            continue;
        ran++;
        twice += b->twice > 0;
        lost += b->lost > 0;
        ungraded += b->stopped;
        refused += b->refused != 0;
        others += differs(r, b);
        if ((b->n_found || b->stopped || differs(r, b)) && shown++ < EXPLORE_SHOWN)
            write_branch(&w, r, b);
    }
    json_end(&w);
    if (r->task) {
        json_obj(&w, "verdict");
        json_str(&w, "task", r->task->id);
        json_bool(&w, "passed", r->passed);
        json_int(&w, "others", others);
        json_end(&w);
    }
    json_int(&w, "calls", (int64_t)r->n);
    json_int(&w, "branches", ran);
    json_int(&w, "twice", twice);
    json_int(&w, "not_at_all", lost);
    json_int(&w, "refused_later", refused);
    json_int(&w, "ungraded", ungraded);
    json_end(&w);
    int rc = buf_give(&out, ret, err);
    buf_done(&out);
    return rc;
}

/* ---- opening ---- */

static int run_open(struct run *r, struct sosia_engine *e, uint64_t world,
                    const struct sosia_explore_options *opt, struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    struct step start = {0};
    int64_t base = 0;
    *r = (struct run){.engine = e, .id = world};
    arena_init(&r->arena, 0);
    if (!w)
        return -1;
    int rc = world_freeze_journal(e, w, &r->past, err);
    if (rc == 0) {
        base = journal_past_n(w->past);
        world_step_start(w, &start);
        tree_fork(&w->start, &r->start);
    }
    world_drop(w);
    if (rc == 0 && journal_each_of(r->past, NULL, base, INT64_MAX, INT64_MAX, add_entry, r) < 0)
        rc = sosia_fail_memory(err);
    if (rc == 0 && r->n == EXPLORE_CALLS_MAX)
        rc = sosia_fail(err, SOSIA_E_TOO_LARGE, "explore", NULL,
                        "a run must have fewer than %d entries", EXPLORE_CALLS_MAX);
    if (rc == 0 && (journal_first(r->past, NULL) > base + 1 || !r->n))
        rc = sosia_fail(err, SOSIA_E_INVALID, "explore", NULL,
                        r->n ? "the world's first entries are gone, so that its run can't begin"
                             : "the world must have calls of its own in its journal, has none");
    if (rc == 0) {
        r->steps = calloc(r->n + 1, sizeof *r->steps);
        rc = r->steps ? read_kinds(r, opt->faults, err) : sosia_fail_memory(err);
    }
    if (rc < 0) {
        step_done(&start);
        return -1;
    }
    r->steps[0] = start;
    r->behind = r->n;
    for (size_t i = 0; i < r->n; i++) {
        r->first += opt->from && r->entries[i].seq < opt->from;
        r->behind -= opt->to && r->entries[i].seq > opt->to;
    }
    return run_as_it_was(r, err);
}

static void run_close(struct run *r)
{
    for (size_t i = 0; r->steps && i <= r->n; i++)
        step_done(&r->steps[i]);
    free(r->steps);
    free(r->entries);
    free(r->made);
    tree_done(&r->start);
    journal_past_unref(r->past);
    arena_done(&r->arena);
}

/* The task that runs are judged by. */
static int take_task(struct run *r, const struct explore_grade *by, struct sosia_err *err)
{
    r->by = by;
    if (!by->suite)
        return 0;
    r->task = suite_task(by->suite, by->task);
    if (!r->task)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "taskNotFound", "task",
                          by->task ? "the task must be one of the suite's, not \"%.60s\""
                                   : "the task must be named where a suite has several",
                          by->task);
    if (task_asks_calls(r->task))
        return sosia_fail(err, SOSIA_E_INVALID, "explore", "task",
                          "the task \"%.60s\" must be judged by what calls led to, not by calls",
                          r->task->id);
    return judge(r, &r->steps[r->n].tree, r->now_us, &r->passed, err);
}

static int explore(struct sosia_engine *e, uint64_t world, const struct sosia_explore_options *opt,
                   const struct explore_grade *by, struct sosia_blob *ret_json,
                   struct sosia_err *err)
{
    struct run r;
    struct exploring x = {.run = &r, .err = err};
    if (opt->depth < 0 || opt->depth > 2)
        return sosia_fail(err, SOSIA_E_INVALID, "depth", "depth",
                          "the depth must be 1 or 2, not %d", opt->depth);
    arena_init(&x.arena, 0);
    pthread_mutex_init(&x.lock, NULL);
    int rc = run_open(&r, e, world, opt, err);
    if (rc == 0)
        rc = take_task(&r, by, err);
    size_t n = rc == 0 ? list_branches(&x, opt->depth, 0) : 0;
    if (rc == 0 && n > BRANCHES_MAX)
        rc = sosia_fail(err, SOSIA_E_TOO_LARGE, "explore", NULL,
                        "the branches must be at most %d, are more: fewer calls or faults, or "
                        "depth 1",
                        BRANCHES_MAX);
    if (rc == 0 && n) {
        x.branches = calloc(n, sizeof *x.branches);
        rc = x.branches ? 0 : sosia_fail_memory(err);
    }
    if (rc == 0) {
        x.n = list_branches(&x, opt->depth, n);
        run_all(&x, opt->threads);
        rc = x.failed ? -1 : write_report(&x, ret_json, err);
    }
    free(x.branches);
    run_close(&r);
    arena_done(&x.arena);
    pthread_mutex_destroy(&x.lock);
    return rc;
}

int sosia_explore(struct sosia_engine *engine, uint64_t world,
                  const struct sosia_explore_options *opt, struct sosia_blob *ret_json,
                  struct sosia_err *err)
{
    static const struct explore_grade none = {0};
    return explore_graded(engine, world, opt, &none, ret_json, err);
}

int explore_graded(struct sosia_engine *engine, uint64_t world,
                   const struct sosia_explore_options *opt, const struct explore_grade *by,
                   struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_explore_options o;
    struct sosia_err local_err = {0};
    err = err ? err : &local_err;
    *err = (struct sosia_err){0};
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        TAKEN(sosia_explore_options, &o, opt, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    return explore(engine, world, &o, by, ret_json, err);
}
