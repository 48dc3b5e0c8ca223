/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/host.h"
#include "cli/cli.h"
#include "cli/origin.h"
#include "server/control/control.h"
#include "services/list.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- fixtures as snapshots ---- */

/* Fixtures are made into a snapshot once for each kind of clock, and forked from then on. Those
 * whose times follow the real clock are made anew when they have aged: their "today" must be today.
 */
#define FIXTURE_AGE_S 3600

const char *const host_clocks[] = {"frozen", "step", "real", NULL};

/* A name can't have the options of a generated fixture, so it has a hash of them. */
static void snapshot_name(const struct entry *e, char ret_name[64])
{
    int n = (int)strcspn(e->name, ":");
    if (e->name[n] || n > 40)
        snprintf(ret_name, 64, "fixture.%.*s-%016llx.%s", n < 24 ? n : 24, e->name,
                 (unsigned long long)XXH3_64bits(e->name, strlen(e->name)), host_clocks[e->clock]);
    else
        snprintf(ret_name, 64, "fixture.%.40s.%s", e->name, host_clocks[e->clock]);
}

static int make_snapshot(struct fixture_cache *f, struct entry *e, struct sosia_err *err)
{
    struct arena a;
    struct fixture fixture;
    char name[64];
    uint64_t world, old;
    snapshot_name(e, name);
    arena_init(&a, 0);
    int rc = fixture_find(&a, f->dir, e->name, &fixture, err);
    if (rc == 0) {
        struct sosia_world_options opt = {.clock = e->clock,
                                          .seed_doc = fixture.text,
                                          .seed_doc_len = fixture.len,
                                          .seed_doc_name = fixture.file};
        rc = sosia_world_create(f->engine, &opt, &world, err);
        if (rc < 0)
            origins_mend(fixture.origins, err);
    }
    arena_done(&a);
    if (rc < 0)
        return -1;
    /* One that has aged, or that an earlier process left in the data directory; its forks stay. */
    if (sosia_world_find(f->engine, name, &old, NULL) == 0)
        sosia_world_drop(f->engine, old, NULL);
    e->snapshot = 0;
    rc = sosia_world_snapshot(f->engine, world, name, &e->snapshot, err);
    e->made = time(NULL);
    sosia_world_drop(f->engine, world, NULL);
    return rc;
}

static struct entry *find_entry(struct fixture_cache *f, const char *name,
                                enum sosia_clock_mode clock)
{
    struct entry *e = f->entries;
    while (e && (e->clock != clock || strcmp(e->name, name) != 0))
        e = e->next;
    if (!e && (e = calloc(1, sizeof *e))) {
        snprintf(e->name, sizeof e->name, "%s", name);
        e->clock = clock;
        e->next = f->entries;
        f->entries = e;
    }
    return e;
}

int host_snapshot(void *arg, const char *name, enum sosia_clock_mode clock, uint64_t *ret_snapshot,
                  struct sosia_err *err)
{
    struct fixture_cache *f = arg;
    struct sosia_world_info info;
    int rc = 0;
    if (strlen(name) > FIXTURE_NAME_MAX)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "fixtureNotFound", "fixture",
                          "the name of a fixture must have at most 200 bytes, not more");
    pthread_mutex_lock(&f->mutex);
    struct entry *e = find_entry(f, name, clock);
    if (!e)
        rc = sosia_fail(err, SOSIA_E_NO_MEMORY, NULL, NULL, "out of memory");
    else if (!e->snapshot || (clock == SOSIA_CLOCK_REAL && time(NULL) - e->made > FIXTURE_AGE_S) ||
             sosia_world_info(f->engine, e->snapshot, &info, NULL) < 0) /* it was dropped */
        rc = make_snapshot(f, e, err);
    if (rc == 0)
        *ret_snapshot = e->snapshot;
    if (rc < 0 && e && !e->snapshot &&
        e == f->entries) { /* the list is not to be filled with names */
        f->entries = e->next;
        free(e);
    }
    pthread_mutex_unlock(&f->mutex);
    return rc;
}

static void fixture_cache_done(struct fixture_cache *f)
{
    while (f->entries) {
        struct entry *e = f->entries;
        f->entries = e->next;
        free(e);
    }
    pthread_mutex_destroy(&f->mutex);
}

/* ---- an engine with a server ---- */

void host_stop(struct host *h)
{
    if (h->server)
        server_stop(h->server);
    control_close(h->control);
    hosted_close(h->hosted);
    runner_close(h->runner);
    sosia_engine_close(h->engine);
    fixture_cache_done(&h->fixtures);
    memset(h, 0, sizeof *h);
}

int host_open(struct host *h, const struct sosia_engine_options *eo, const char *fixtures,
              const char *runs, const char *workflows, enum sosia_clock_mode clock,
              struct sosia_err *err)
{
    struct sosia_engine_options options = *eo;
    memset(h, 0, sizeof *h);
    signal(SIGXFSZ, SIG_IGN); /* a disk or a limit that is full fails a write, not the process */
    pthread_mutex_init(&h->fixtures.mutex, NULL);
    h->fixtures.dir = fixtures;
    if (eo->data_dir && eo->oauth == SOSIA_OAUTH_BY_WORLD)
        options.oauth = SOSIA_OAUTH_NEVER_OPEN; /* what is kept is not anybody's */
    int rc = sosia_engine_open(&options, &h->engine, err);
    if (rc == 0) {
        h->fixtures.engine = h->engine;
        struct control_options co = {.engine = h->engine,
                                     .fixture = host_snapshot,
                                     .fixture_arg = &h->fixtures,
                                     .runs = runs,
                                     .workflows = workflows,
                                     .clock = clock};
        rc = control_open(&co, &h->control, err);
    }
    if (rc == 0)
        rc = runner_open(h->engine, own_program(), NULL, &h->runner, err);
    if (rc < 0)
        host_stop(h);
    return rc;
}

int host_tenants(struct host *h, const struct tenant_options *t, const struct server_options *so,
                 bool loopback, enum sosia_clock_mode clock, struct sosia_err *err)
{
    const struct hosted_options options = {.engine = h->engine,
                                           .tenants = t->list,
                                           .n_tenants = t->n,
                                           .not_key = so->control_key,
                                           .reached = !loopback,
                                           .universes = t->universes,
                                           .n_universes = t->n_universes,
                                           .fixture = host_snapshot,
                                           .fixture_arg = &h->fixtures,
                                           .clock = clock};
    return hosted_open(&options, &h->hosted, err);
}

/* ---- programs' calls of services ---- */

static const char *authority_inside(void *arg)
{
    return server_inside_authority(arg);
}

static void connected_inside(void *arg, uint64_t world, int fd, bool secure)
{
    server_inside(arg, world, fd, secure);
}

static int begin_inside(void *arg, struct server *server, struct sosia_err *err)
{
    struct host *h = arg;
    const struct runner_services own = {authority_inside, connected_inside, server};
    runner_on_services(h->runner, &own);
    return h->carry && h->carry->n ? carry_begin(h->carry, h->runner, err) : 0;
}

static void end_inside(void *arg)
{
    struct host *h = arg;
    runner_on_services(h->runner, NULL);
    carry_end();
}

int host_serve(struct host *h, struct server_options *so, struct sosia_err *err)
{
    if (h->hosted)
        so->beside = hosted_beside(h->hosted);
    so->engine = h->engine;
    so->control = control_serve;
    so->control_arg = h->control;
    so->inside_begin = begin_inside;
    so->inside_end = end_inside;
    so->inside_arg = h;
    if (server_start(so, &h->server, err) < 0)
        return -1;
    control_set_server(h->control, h->server);
    return 0;
}

int local_server_start(const char *data, void **ret_local, const char **ret_url,
                       const char **ret_key, struct sosia_err *err)
{
    struct sosia_engine_options eo = {.data_dir = data, .random_secrets = true};
    struct server_options so = SERVER_OPTIONS_INIT;
    struct host *h = calloc(1, sizeof *h);
    if (!h)
        return sosia_fail(err, SOSIA_E_NO_MEMORY, NULL, NULL, "out of memory");
    so.threads = 1;
    so.vendor_hosts = sosia_hosts();
    so.max_body = so.max_bodies = (size_t)1 << 30; /* as much as the command reads */
    int rc = host_open(h, &eo, NULL, NULL, NULL, SOSIA_CLOCK_REAL, err);
    if (rc == 0 && (rc = host_serve(h, &so, err)) < 0)
        host_stop(h);
    if (rc < 0) {
        free(h);
        return -1;
    }
    *ret_local = h;
    *ret_url = server_url(h->server);
    *ret_key = server_control_key(h->server);
    return 0;
}

void local_server_stop(void *local)
{
    host_stop(local);
    free(local);
}

struct sosia_engine *local_server_engine(void *local)
{
    const struct host *h = local;
    return h->engine;
}
