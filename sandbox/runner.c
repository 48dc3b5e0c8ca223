/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/runner_private.h"
#include "sandbox/processes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- whose turn it is ---- */

static bool is_first(const struct runner *r, const struct job *j)
{
    for (const struct job *o = r->jobs; o != j; o = o->next)
        if (o->world == j->world)
            return false;
    return true;
}

/* The first one of its world, there is room, and no other has waited for it longer. Under the lock.
 */
static bool may_run(const struct runner *r, const struct job *j)
{
    if (r->running >= r->most || !is_first(r, j))
        return false;
    for (const struct job *o = r->jobs; o != j; o = o->next)
        if (!o->begun && !o->ended && is_first(r, o))
            return false;
    return true;
}

/* It has run, or begins to wait for what a process does: another world's may. */
static void end_run(struct runner *r)
{
    pthread_mutex_lock(&r->lock);
    r->running--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* It has waited; what is left to do is little, and its world's next one waits for it. */
static void go_on(struct runner *r)
{
    pthread_mutex_lock(&r->lock);
    r->running++;
    pthread_mutex_unlock(&r->lock);
}

static void finish(void *arg, void *turn)
{
    struct runner *r = arg;
    struct job *j = turn, **at = &r->jobs;
    pthread_mutex_lock(&r->lock);
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    free(j);
}

enum take {
    TURN_NONE,  /* too many wait */
    TURN_ENDED, /* it was ended before */
    TURN_TAKEN
};

/* Waits for it. */
static enum take take_turn(struct runner *r, struct job *j, struct sosia_err *err)
{
    struct job **last = &r->jobs;
    pthread_mutex_lock(&r->lock);
    if (r->waiting >= MOST_WAITING) {
        pthread_mutex_unlock(&r->lock);
        sosia_fail(err, SOSIA_E_LIMIT, NULL, NULL,
                   "at most %d programs may wait until others have run", MOST_WAITING);
        return TURN_NONE;
    }
    while (*last) {
        if ((*last)->world == j->world && (*last)->nudge)
            eventfd_write((*last)->nudge, 1);
        last = &(*last)->next;
    }
    *last = j;
    r->waiting++;
    while (!may_run(r, j) && !j->ended)
        pthread_cond_wait(&r->changed, &r->lock);
    r->waiting--;
    r->running++;
    j->begun = true;
    bool ended = j->ended;
    pthread_cond_broadcast(&r->changed); /* the next one may have looked before it was the next */
    pthread_mutex_unlock(&r->lock);
    if (ended)
        sosia_fail(err, SOSIA_E_IO, NULL, NULL, "the program was ended before it began");
    return ended ? TURN_ENDED : TURN_TAKEN;
}

/* ---- the keeper ---- */

/* Starts it, if there is none. One that has ended is replaced, and freed with the others, since
 * somebody may have it yet. */
static int need_sandbox(struct runner *r, struct sandbox **ret, struct sosia_err *err)
{
    int rc = 0;
    pthread_mutex_lock(&r->opening);
    if (r->n_sandboxes && !sandbox_lives(r->sandboxes[r->n_sandboxes - 1]))
        rc = r->n_sandboxes < MOST_KEEPERS
                 ? 0
                 : sosia_fail(err, SOSIA_E_IO, "sandbox", NULL,
                              "the keeper of programs has ended %d times", MOST_KEEPERS);
    if (rc == 0 && (!r->n_sandboxes || !sandbox_lives(r->sandboxes[r->n_sandboxes - 1]))) {
        pthread_mutex_lock(&r->serving);
        const struct sandbox_view view = {
            r->services.authority ? r->services.authority(r->services.arg) : NULL, r->shown};
        rc = sandbox_open(r->program, &r->limits, &view, &r->sandboxes[r->n_sandboxes], err);
        pthread_mutex_unlock(&r->serving);
        r->n_sandboxes += rc == 0;
    }
    if (rc == 0)
        *ret = r->sandboxes[r->n_sandboxes - 1];
    pthread_mutex_unlock(&r->opening);
    return rc;
}

/* ---- a program ---- */

static int read_spec(struct tx *tx, struct json_writer *w, void *arg)
{
    struct work *k = arg;
    const char *text;
    size_t len;
    json_raw(w, NULL, "null", 4);
    int r = program_text(tx, k->program, &text, &len, &k->held);
    k->gone = r == 0;
    k->now_us = tx->now_us;
    return r <= 0 ? r : program_read(k->arena, text, len, &k->spec, tx->err);
}

static int write_files(struct tx *tx, struct json_writer *w, void *arg)
{
    struct work *k = arg;
    const int top = sandbox_session_data(k->session);
    json_raw(w, NULL, "null", 4);
    sandbox_files_begin(k->sandbox);
    int r = k->base ? base_write(&k->r->bases, k->base, &k->before, tx, top)
            : sandbox_session_holds(k->session) ? tree_refresh(&k->before, tx, top, tx->err)
                                                : tree_write(&k->before, tx, top, tx->err);
    sandbox_files_end(k->sandbox);
    return r;
}

int runner_look(struct work *k, uint64_t world,
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
static void write_failed(struct buf *out, const char *why, const struct sosia_blob *asked)
{
    struct json_writer w;
    buf_clear(out);
    json_init(&w, out, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "failed", why);
    if (asked->data)
        json_raw(&w, PROGRAM_BESIDE, asked->data, asked->len);
    json_end(&w);
}

static int write_outcome(struct work *k, struct sandbox_outcome *o, struct sosia_outcome *ret,
                         struct sosia_err *err)
{
    struct program_writing p;
    struct sosia_blob asked = {0};
    struct buf out;
    const char *why;
    const struct program_outcome done = {.status = o->status,
                                         .timed_out = o->timed_out,
                                         .flooded = o->flooded,
                                         .wall_us = o->wall_us,
                                         .cpu_us = o->cpu_us,
                                         .out = stream_of(&o->out),
                                         .err = stream_of(&o->err)};
    if (k->beside && beside_asked(k, &asked, err) < 0)
        return -1;
    buf_init(&out, 0);
    program_write(&p, &out, k->arena, &done);
    int r = k->base
                ? tree_compare_layer(&k->before, sandbox_session_upper(k->session), &p, &why, err)
                : tree_compare(&k->before, sandbox_session_data(k->session), &p, &why, err);
    if (r == 0 && asked.data)
        program_beside(&p, asked.data, asked.len);
    if (r == 0)
        program_written(&p);
    else if (r > 0)
        write_failed(&out, why, &asked);
    sosia_blob_free(&asked);
    *ret = (struct sosia_outcome){.status = 200, .body_len = out.len};
    if (r >= 0)
        ret->body = arena_memdup(k->arena, buf_str(&out), out.len + 1);
    if (r >= 0 && (buf_failed(&out) || arena_failed(k->arena)))
        r = sosia_fail_memory(err);
    buf_done(&out);
    return r < 0 ? -1 : 0;
}

static void connected(void *arg, int fd, bool secure)
{
    struct work *k = arg;
    struct runner *r = k->r;
    pthread_mutex_lock(&r->serving);
    if (r->services.connected)
        r->services.connected(r->services.arg, k->beside ? k->beside : k->world, fd, secure);
    else
        close(fd);
    pthread_mutex_unlock(&r->serving);
}

/* Who waits behind it is told of by a count. */
static int open_nudge(struct work *k)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return 0;
    pthread_mutex_lock(&k->r->lock);
    k->job->nudge = fd;
    for (const struct job *o = k->job->next; o; o = o->next)
        if (o->world == k->world)
            eventfd_write(fd, 1);
    pthread_mutex_unlock(&k->r->lock);
    return fd;
}

static void close_nudge(struct work *k)
{
    pthread_mutex_lock(&k->r->lock);
    if (k->job->nudge)
        close(k->job->nudge);
    k->job->nudge = 0;
    pthread_mutex_unlock(&k->r->lock);
}

/* While it waits it takes nobody's place: most wait for processes that do nothing. */
static int run_processes(struct work *k, struct sandbox_command *command, struct sandbox_outcome *o,
                         struct sosia_err *err)
{
    command->nudge = open_nudge(k);
    end_run(k->r);
    int rc = processes_call(k->session, command, k->spec.input, k->spec.input_len, o, err);
    go_on(k->r);
    close_nudge(k);
    return rc;
}

static int run_carried(struct work *k, struct sandbox_command *command, struct sandbox_outcome *o,
                       struct sosia_err *err)
{
    int64_t none = 0;
    if (carried_is_ours(k->carried))
        return run_processes(k, command, o, err);
    command->environment =
        program_variables(k->arena, k->carried->environment, command->environment);
    if (!command->environment)
        return sosia_fail_memory(err);
    return carried_call(k->session, k->carried, command, k->spec.input, k->spec.input_len,
                        k->lasting ? &k->lasting->number : &none, o, err);
}

static int run_prepared(struct work *k, struct sosia_outcome *ret, struct sosia_err *err)
{
    struct sandbox_command command = {.argv = k->spec.argv,
                                      .environment = k->services.environment,
                                      .directory = k->spec.directory,
                                      .input = k->spec.input,
                                      .input_len = k->spec.input_len,
                                      .timeout_ms = k->spec.timeout_ms,
                                      .keep = k->spec.keep,
                                      .flood = k->spec.limits.output,
                                      .connected = connected,
                                      .connected_arg = k};
    struct sandbox_outcome o = {0};
    int rc =
        k->carried ? run_carried(k, &command, &o, err) : sandbox_run(k->session, &command, &o, err);
    if (rc == 0)
        rc = write_outcome(k, &o, ret, err);
    sandbox_outcome_free(&o);
    return rc;
}

/* How much its directory may hold: over a base what is new, and what of the base is changed. */
static int64_t data_bytes(const struct work *k)
{
    const int64_t most = k->spec.limits.data ? k->spec.limits.data : k->r->limits.data_bytes;
    const int64_t left = k->base ? most - base_bytes(k->base) + PROGRAM_CHANGED : most;
    return left < most ? left : most;
}

/* Opens a session where the job has not been ended meanwhile. */
static int open_session(struct work *k, struct sosia_err *err)
{
    const struct workspace_limits *l = &k->spec.limits;
    const struct sandbox_session_options options = {.home = k->spec.home,
                                                    .git = k->spec.git,
                                                    .hosts = k->services.hosts,
                                                    .base =
                                                        k->base ? base_directory(k->base) : NULL,
                                                    .limits = {.data_bytes = data_bytes(k),
                                                               .tmp_bytes = l->temporary,
                                                               .home_bytes = l->home,
                                                               .data_nodes = l->files,
                                                               .memory_bytes = l->memory,
                                                               .processes = (int)l->processes,
                                                               .descriptors = (int)l->descriptors}};
    if (sandbox_session_open(k->sandbox, &options, &k->session, err) < 0)
        return -1;
    pthread_mutex_lock(&k->r->lock);
    k->job->session = k->session;
    bool ended = k->job->ended;
    pthread_mutex_unlock(&k->r->lock);
    return ended ? sosia_fail(err, SOSIA_E_IO, "sandbox", NULL, "the program was ended") : 0;
}

static void leave_session(struct work *k)
{
    pthread_mutex_lock(&k->r->lock);
    k->job->session = NULL;
    pthread_mutex_unlock(&k->r->lock);
}

static void close_session(struct work *k, bool well)
{
    leave_session(k);
    if (k->lasting) {
        k->lasting->session = k->session;
        k->lasting->files = k->before;
        lasting_keep(k, well);
        return;
    }
    tree_copy_free(&k->before);
    sandbox_session_close(k->session);
    bases_give(&k->r->bases, k->base);
}

/* ---- bases ---- */

static int choose_base(struct tx *tx, struct json_writer *w, void *arg)
{
    struct work *k = arg;
    struct sandbox_limits limits = k->r->limits;
    json_raw(w, NULL, "null", 4);
    if (k->spec.limits.data)
        limits.data_bytes = k->spec.limits.data;
    if (k->spec.limits.files)
        limits.data_nodes = k->spec.limits.files;
    return bases_take(&k->r->bases, k->sandbox, tx, &limits, &k->base) < 0 ? -1 : 0;
}

/* A session over a base, which is asked for as for a program. */
static int probe_layers(struct sandbox *s, struct sosia_err *err)
{
    struct sandbox_base *base;
    struct sandbox_session *session;
    if (sandbox_base_open(s, (int64_t)1 << 20, 64, &base, err) < 0)
        return -1;
    int rc =
        sandbox_session_open(s, &(struct sandbox_session_options){.base = base}, &session, err);
    if (rc == 0)
        sandbox_session_close(session);
    sandbox_base_close(base);
    return rc;
}

/* A directory over others could not be had. If the machine has none at all, which one without files
 * shows, it is not asked again; what is lacking at times (room, memory, descriptors) may be there
 * the next time. */
static void doubt_layers(struct work *k)
{
    struct sandbox_session *plain;
    struct sosia_err why = {0};
    if (!sandbox_lives(k->sandbox) || probe_layers(k->sandbox, &why) == 0 ||
        sandbox_session_open(k->sandbox, NULL, &plain, &why) < 0)
        return;
    sandbox_session_close(plain);
    atomic_store(&k->r->no_layers, true);
}

/* A program that ends with its call has a directory over a base where there are many files; where
 * there is none, a copy takes its place. */
static void find_base(struct work *k)
{
    struct sosia_err why = {0};
    if (k->lasting || atomic_load(&k->r->no_layers))
        return;
    if (runner_look(k, k->world, choose_base, &why) < 0 && why.code == SOSIA_E_IO)
        doubt_layers(k);
    if (!k->base)
        return;
    pthread_mutex_lock(&k->r->lock);
    runner_need_reaper(k->r);
    pthread_mutex_unlock(&k->r->lock);
}

/* Gives the base up, with the session that has it. */
static void leave_base(struct work *k)
{
    leave_session(k);
    sandbox_session_close(k->session);
    k->session = NULL;
    tree_copy_free(&k->before);
    tree_copy_init(&k->before);
    bases_give(&k->r->bases, k->base);
    k->base = NULL;
}

/* The session can't be brought up to date: another one, and the server begins anew in it. */
static int renew_session(struct work *k, struct sosia_err *err)
{
    leave_session(k);
    sandbox_session_close(k->session);
    k->session = NULL;
    tree_copy_free(&k->before);
    tree_copy_init(&k->before);
    k->lasting->number = 0;
    k->lasting->began_us = k->now_us;
    return open_session(k, err);
}

static int prepare_files(struct work *k, struct sosia_err *err)
{
    const bool held = sandbox_session_holds(k->session);
    int rc = runner_look(k, k->world, write_files, err);
    if (rc < 0 && k->base) {
        leave_base(k);
        rc = open_session(k, err) < 0 ? -1 : runner_look(k, k->world, write_files, err);
    }
    if (rc < 0 && held)
        rc = renew_session(k, err) < 0 ? -1 : runner_look(k, k->world, write_files, err);
    return rc;
}

/* A session, with what runs in it where a server goes on. */
static int need_session(struct work *k, struct sosia_err *err)
{
    if (k->carried && k->carried->lasts)
        lasting_find(k);
    if (k->lasting) {
        k->before = k->lasting->files;
        k->session = k->lasting->session;
        k->lasting->session = NULL;
    }
    if (!k->session) {
        if (k->lasting)
            k->lasting->number = 0;
        find_base(k);
        int rc = open_session(k, err);
        if (rc == 0 || !k->base || k->session) /* that there is one: the job was ended */
            return rc;
        leave_base(k);
        rc = open_session(k, err);
        if (rc == 0)
            doubt_layers(k);
        return rc;
    }
    pthread_mutex_lock(&k->r->lock);
    k->job->session = k->session;
    bool ended = k->job->ended;
    pthread_mutex_unlock(&k->r->lock);
    return ended ? sosia_fail(err, SOSIA_E_IO, "sandbox", NULL, "the program was ended") : 0;
}

static int run_one(struct work *k, uint64_t world, struct sosia_outcome *ret, struct sosia_err *err)
{
    if (need_sandbox(k->r, &k->sandbox, err) < 0 || runner_look(k, world, read_spec, err) < 0)
        return -1;
    if (k->gone)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, NULL, NULL,
                          "the world went back before the program began");
    if (k->spec.carried && !(k->carried = runner_carried(k->r, k->spec.carried)))
        return sosia_fail(err, SOSIA_E_NOT_FOUND, NULL, NULL,
                          "a server must be one that is carried here (sosia serve --carry), not "
                          "\"%.100s\"",
                          k->spec.carried);
    if ((k->held && beside_open(k, err) < 0) ||
        services_of(k->r->engine, k->beside ? k->beside : world, &k->spec, k->arena, &k->services,
                    err) < 0 ||
        (k->beside && beside_seal(k, err) < 0))
        return -1;
    tree_copy_init(&k->before);
    int rc = need_session(k, err);
    if (rc < 0 && !k->session && !sandbox_lives(k->sandbox)) /* it has ended by itself */
        rc = need_sandbox(k->r, &k->sandbox, err) < 0 ? -1 : open_session(k, err);
    if (rc == 0)
        rc = prepare_files(k, err);
    if (rc == 0)
        rc = run_prepared(k, ret, err);
    close_session(k, rc == 0);
    return rc;
}

/* ---- for the engine ---- */

/* A failure is an outcome too: the call says in its own form what is lacking. */
static int run(void *arg, uint64_t world, uint64_t era, int64_t program, struct arena *arena,
               struct sosia_outcome *ret, void **ret_turn, struct sosia_err *err)
{
    struct runner *r = arg;
    struct job *j = calloc(1, sizeof *j);
    struct work k = {.r = r, .job = j, .world = world, .arena = arena, .program = program};
    struct sosia_err why = {0};
    int rc;
    if (!j)
        return sosia_fail_memory(err);
    j->world = world;
    j->era = era;
    switch (take_turn(r, j, &why)) {
    case TURN_NONE:
        free(j);
        j = NULL;
        break;
    case TURN_ENDED:
        break;
    case TURN_TAKEN:
        rc = run_one(&k, world, ret, &why);
        beside_close(&k);
        if (rc < 0)
            break;
        end_run(r);
        *ret_turn = j;
        return 0;
    }
    if (j)
        end_run(r);
    *ret_turn = j;
    *ret = (struct sosia_outcome){.error = arena_strdup(arena, why.text)};
    return 0;
}

static bool busy(void *arg, uint64_t world)
{
    struct runner *r = arg;
    bool found = false;
    pthread_mutex_lock(&r->lock);
    for (const struct job *j = r->jobs; j && !found; j = j->next)
        found = !world || j->world == world;
    for (const struct lasting *l = r->lasting; l && !found; l = l->next)
        found = !world || l->world == world;
    pthread_mutex_unlock(&r->lock);
    return found;
}

static void end(void *arg, uint64_t world, uint64_t but_era)
{
    struct runner *r = arg;
    pthread_mutex_lock(&r->lock);
    struct lasting *list = lasting_take(r, world, but_era);
    for (struct job *j = r->jobs; j; j = j->next) {
        if ((world && j->world != world) || (but_era != PROGRAM_ANY_ERA && j->era == but_era))
            continue;
        j->ended = true;
        if (j->session)
            sandbox_session_kill(j->session);
    }
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    lasting_free_all(list);
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
    pthread_mutex_init(&r->serving, NULL);
    pthread_cond_init(&r->changed, NULL);
    bases_init(&r->bases);
    const struct program_runner own = {run, finish, busy, end, r};
    if (engine_on_program(e, &own, err) < 0) {
        runner_close(r);
        return -1;
    }
    *ret = r;
    return 0;
}

void runner_on_services(struct runner *r, const struct runner_services *services)
{
    pthread_mutex_lock(&r->serving);
    r->services = services ? *services : (struct runner_services){0};
    pthread_mutex_unlock(&r->serving);
}

void runner_carry(struct runner *r, const struct carried *list, size_t n)
{
    size_t n_shown = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        for (const char *const *path = list[i].shown; path && *path; path++)
            n_shown++;
    free(r->shown);
    r->shown = calloc(n_shown + 1, sizeof *r->shown);
    for (size_t i = 0; r->shown && i < n; i++)
        for (const char *const *path = list[i].shown; path && *path; path++)
            r->shown[k++] = *path;
    r->carried = list;
    r->n_carried = n;
}

int runner_ask_carried(struct runner *r, const struct carried *k, struct arena *a,
                       struct carried_about *ret, struct sosia_err *err)
{
    struct sandbox *sandbox;
    struct sandbox_session *s;
    if (need_sandbox(r, &sandbox, err) < 0 || sandbox_session_open(sandbox, NULL, &s, err) < 0)
        return -1;
    int rc = carried_ask(s, k, a, ret, err);
    sandbox_session_close(s);
    return rc;
}

void runner_copies(struct runner *r, int64_t nodes, int64_t bytes)
{
    atomic_store(&r->bases.small_nodes, nodes);
    atomic_store(&r->bases.small_bytes, bytes);
}

size_t runner_bases(struct runner *r)
{
    pthread_mutex_lock(&r->bases.lock);
    size_t n = r->bases.n;
    pthread_mutex_unlock(&r->bases.lock);
    return n;
}

void runner_close(struct runner *r)
{
    if (!r)
        return;
    engine_on_program(r->engine, NULL, NULL);
    pthread_mutex_lock(&r->lock);
    r->closing = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    if (r->reaps)
        pthread_join(r->reaper, NULL);
    lasting_free_all(r->lasting);
    bases_done(&r->bases);
    for (size_t i = 0; i < r->n_sandboxes; i++)
        sandbox_close(r->sandboxes[i]);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->opening);
    pthread_mutex_destroy(&r->serving);
    pthread_mutex_destroy(&r->lock);
    free(r->program);
    free(r->shown);
    free(r);
}

int runner_probe(const char *program, bool *ret_layers, struct sosia_err *err)
{
    struct sandbox *s = NULL;
    struct sandbox_session *session;
    struct sosia_err why = {0};
    if (sandbox_open(program, NULL, NULL, &s, err) < 0)
        return -1;
    int rc = sandbox_session_open(s, NULL, &session, err);
    if (rc == 0)
        sandbox_session_close(session);
    if (rc == 0 && ret_layers)
        *ret_layers = probe_layers(s, &why) == 0;
    sandbox_close(s);
    return rc;
}
