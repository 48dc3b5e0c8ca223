/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/runner.h"
#include "engine/send/program.h"
#include "engine/world/engine.h"
#include "sandbox/sandbox.h"
#include "sandbox/tree.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WAITING = 64 }; /* calls whose program has not begun */

/* A program that waits or runs. */
struct job {
    struct job *next;
    uint64_t world;
    bool runs;
};

struct runner {
    struct sosia_engine *engine;
    char *program;
    struct sandbox_limits limits;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *jobs; /* in the order in which they came */
    unsigned running, most;
    size_t waiting;
    struct sandbox *sandbox; /* NULL: it was not needed yet */
    pthread_mutex_t opening; /* of sandbox, and: */
    bool stopped;
};

/* ---- whose turn it is ---- */

/* The first one of its world, and there is room. Under the lock. */
static bool may_run(const struct runner *r, const struct job *j)
{
    if (r->running >= r->most)
        return false;
    for (const struct job *o = r->jobs; o != j; o = o->next)
        if (o->world == j->world)
            return false;
    return true;
}

/* False: too many wait. */
static bool take_turn(struct runner *r, struct job *j)
{
    struct job **end = &r->jobs;
    pthread_mutex_lock(&r->lock);
    bool room = r->waiting < MOST_WAITING;
    while (room && *end)
        end = &(*end)->next;
    if (room) {
        *end = j;
        r->waiting++;
        while (!may_run(r, j))
            pthread_cond_wait(&r->changed, &r->lock);
        r->waiting--;
        r->running++;
    }
    pthread_mutex_unlock(&r->lock);
    return room;
}

static void end_turn(struct runner *r, struct job *j)
{
    pthread_mutex_lock(&r->lock);
    struct job **at = &r->jobs;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    r->running--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* ---- the keeper ---- */

/* Starts it, if there is none; one that has ended is replaced. */
static int need_sandbox(struct runner *r, struct sosia_err *err)
{
    pthread_mutex_lock(&r->opening);
    int rc = r->stopped   ? sosia_fail(err, SOSIA_E_IO, NULL, NULL, "the server stops")
             : r->sandbox ? 0
                          : sandbox_open(r->program, &r->limits, &r->sandbox, err);
    pthread_mutex_unlock(&r->opening);
    return rc;
}

/* ---- a program ---- */

struct work {
    struct runner *r;
    struct arena *arena;
    int64_t program;
    struct program_spec spec;
    struct tree_copy before;
    struct sandbox_session *session;
    bool gone; /* the world has no such program any more */
};

static int read_spec(struct tx *tx, struct json_writer *w, void *arg)
{
    struct work *k = arg;
    const char *text;
    size_t len;
    json_raw(w, NULL, "null", 4);
    int r = program_text(tx, k->program, &text, &len);
    k->gone = r == 0;
    return r <= 0 ? r : program_read(k->arena, text, len, &k->spec, tx->err);
}

static int write_files(struct tx *tx, struct json_writer *w, void *arg)
{
    struct work *k = arg;
    json_raw(w, NULL, "null", 4);
    sandbox_files_begin(k->r->sandbox);
    int r = tree_write(&k->before, tx, sandbox_session_data(k->session), tx->err);
    sandbox_files_end(k->r->sandbox);
    return r;
}

static int look(struct work *k, uint64_t world,
                int (*fn)(struct tx *tx, struct json_writer *w, void *arg), struct sosia_err *err)
{
    struct sosia_blob blob = {0};
    int rc = world_read(k->r->engine, world, false, fn, k, &blob, err);
    sosia_blob_free(&blob);
    return rc;
}

static struct program_stream stream_of(struct sandbox_stream *s)
{
    return (struct program_stream){buf_str(&s->kept), s->kept.len, s->total};
}

/* In the place of what a program left, which no workspace can hold. */
static void write_failed(struct buf *out, const char *why)
{
    struct json_writer w;
    buf_clear(out);
    json_init(&w, out, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "failed", why);
    json_end(&w);
}

static int write_outcome(struct work *k, struct sandbox_outcome *o, struct sosia_outcome *ret,
                         struct sosia_err *err)
{
    struct program_writing p;
    struct buf out;
    const char *why;
    const struct program_outcome done = {.status = o->status,
                                         .timed_out = o->timed_out,
                                         .flooded = o->flooded,
                                         .wall_us = o->wall_us,
                                         .cpu_us = o->cpu_us,
                                         .out = stream_of(&o->out),
                                         .err = stream_of(&o->err)};
    buf_init(&out, 0);
    program_write(&p, &out, k->arena, &done);
    int r = tree_compare(&k->before, sandbox_session_data(k->session), &p, &why, err);
    if (r == 0)
        program_written(&p);
    else if (r > 0)
        write_failed(&out, why);
    *ret = (struct sosia_outcome){.status = 200, .body_len = out.len};
    if (r >= 0)
        ret->body = arena_memdup(k->arena, buf_str(&out), out.len + 1);
    if (r >= 0 && (buf_failed(&out) || arena_failed(k->arena)))
        r = sosia_fail_memory(err);
    buf_done(&out);
    return r < 0 ? -1 : 0;
}

static int run_prepared(struct work *k, struct sosia_outcome *ret, struct sosia_err *err)
{
    const struct sandbox_command command = {.argv = k->spec.argv,
                                            .environment = k->spec.environment,
                                            .directory = k->spec.directory,
                                            .input = k->spec.input,
                                            .input_len = k->spec.input_len,
                                            .timeout_ms = k->spec.timeout_ms,
                                            .keep = k->spec.keep,
                                            .flood = k->spec.limits.output};
    struct sandbox_outcome o;
    int rc = sandbox_run(k->session, &command, &o, err);
    if (rc == 0)
        rc = write_outcome(k, &o, ret, err);
    sandbox_outcome_free(&o);
    return rc;
}

static int run_one(struct runner *r, uint64_t world, int64_t program, struct arena *arena,
                   struct sosia_outcome *ret, struct sosia_err *err)
{
    struct work k = {.r = r, .arena = arena, .program = program};
    if (need_sandbox(r, err) < 0 || look(&k, world, read_spec, err) < 0)
        return -1;
    if (k.gone) {
        *ret = (struct sosia_outcome){.error = "the world went back before the program began"};
        return 0;
    }
    const struct workspace_limits *l = &k.spec.limits;
    const struct sandbox_session_options options = {.home = k.spec.home,
                                                    .git = k.spec.git,
                                                    .limits = {.data_bytes = l->data,
                                                               .tmp_bytes = l->temporary,
                                                               .home_bytes = l->home,
                                                               .data_nodes = l->files,
                                                               .memory_bytes = l->memory,
                                                               .processes = (int)l->processes,
                                                               .descriptors = (int)l->descriptors}};
    if (sandbox_session_open(r->sandbox, &options, &k.session, err) < 0)
        return -1;
    tree_copy_init(&k.before);
    int rc = look(&k, world, write_files, err);
    if (rc == 0)
        rc = run_prepared(&k, ret, err);
    tree_copy_free(&k.before);
    sandbox_session_close(k.session);
    return rc;
}

/* A failure is an outcome too: the call says in its own form what is lacking. */
static int run(void *arg, struct sosia_engine *e, uint64_t world, int64_t program,
               struct arena *arena, struct sosia_outcome *ret, struct sosia_err *err)
{
    struct runner *r = arg;
    struct job j = {.world = world};
    struct sosia_err why = {0};
    (void)e;
    (void)err;
    if (!take_turn(r, &j)) {
        *ret = (struct sosia_outcome){.error = "too many programs wait: there must be at most 64"};
        return 0;
    }
    if (run_one(r, world, program, arena, ret, &why) < 0)
        *ret = (struct sosia_outcome){.error = arena_strdup(arena, why.text)};
    end_turn(r, &j);
    return 0;
}

/* ---- life ---- */

int runner_open(struct sosia_engine *e, const char *program, const struct sandbox_limits *limits,
                struct runner **ret, struct sosia_err *err)
{
    struct runner *r = calloc(1, sizeof *r);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!r || !(r->program = strdup(program))) {
        free(r);
        return sosia_fail_memory(err);
    }
    r->engine = e;
    r->limits = limits ? *limits : sandbox_usual;
    r->most = cores > 0 ? (unsigned)cores + 1 : 2;
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->opening, NULL);
    pthread_cond_init(&r->changed, NULL);
    if (engine_on_program(e, run, r, err) < 0) {
        runner_close(r);
        return -1;
    }
    *ret = r;
    return 0;
}

void runner_stop(struct runner *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->opening);
    r->stopped = true;
    if (r->sandbox)
        sandbox_stop(r->sandbox);
    pthread_mutex_unlock(&r->opening);
}

void runner_close(struct runner *r)
{
    if (!r)
        return;
    engine_on_program(r->engine, NULL, NULL, NULL);
    sandbox_close(r->sandbox);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->opening);
    pthread_mutex_destroy(&r->lock);
    free(r->program);
    free(r);
}

int runner_probe(const char *program, struct sosia_err *err)
{
    struct sandbox *s = NULL;
    struct sandbox_session *session;
    if (sandbox_open(program, NULL, &s, err) < 0)
        return -1;
    int rc = sandbox_session_open(s, NULL, &session, err);
    if (rc == 0)
        sandbox_session_close(session);
    sandbox_close(s);
    return rc;
}
