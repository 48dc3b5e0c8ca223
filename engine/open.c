/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing an engine: worlds below, the door above, both made of a list of services. */
#include "engine/service.h"
#include "engine/api/router.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/session.h"
#include "engine/http/hold.h"
#include "engine/http/suspend.h"
#include "engine/send/delivery.h"
#include "engine/send/program.h"
#include "engine/durable/durable.h"
#include "engine/world/engine.h"
#include "engine/send/outbox.h"
#include <stdlib.h>

/* They are asked for in each call, and few cores have any. */
static int take_policies(struct sosia_engine *e, struct sosia_err *err)
{
    size_t n = 0;
    for (const struct sosia_core **c = e->cores; *c; c++)
        for (const struct core_policy *p = (*c)->policies; p && p->core; p++)
            n++;
    e->policies = calloc(n + 1, sizeof *e->policies);
    if (!e->policies)
        return sosia_fail_memory(err);
    n = 0;
    for (const struct sosia_core **c = e->cores; *c; c++)
        for (const struct core_policy *p = (*c)->policies; p && p->core; p++)
            e->policies[n++] = (struct policy_name){p, strlen(p->core)};
    return 0;
}

/* What the services have, in one list each. */
static int take_services(struct sosia_engine *e, const struct sosia_service *const *services,
                         struct sosia_err *err)
{
    size_t n_cores = 0, n_dialects = 0;
    for (const struct sosia_service *const *s = services; *s; s++) {
        for (size_t i = 0; (*s)->cores && (*s)->cores[i]; i++)
            n_cores++;
        for (size_t i = 0; (*s)->dialects && (*s)->dialects[i]; i++)
            n_dialects++;
    }
    e->cores = calloc(n_cores + 4, sizeof(*e->cores));
    e->dialects = calloc(n_dialects + 1, sizeof(*e->dialects));
    if (!e->cores || !e->dialects)
        return sosia_fail_memory(err);
    n_cores = n_dialects = 0;
    e->cores[n_cores++] = &world_core;
    for (const struct sosia_service *const *s = services; *s; s++) {
        for (size_t i = 0; (*s)->cores && (*s)->cores[i]; i++)
            e->cores[n_cores++] = (*s)->cores[i];
        for (size_t i = 0; (*s)->dialects && (*s)->dialects[i]; i++)
            e->dialects[n_dialects++] = (*s)->dialects[i];
        if ((*s)->guard)
            e->guard = (*s)->guard;
    }
    e->cores[n_cores++] = &delivery_core;
    e->cores[n_cores] = &program_core;
    e->kinds = kinds_new(e->cores);
    return e->kinds ? take_policies(e, err) : sosia_fail_memory(err);
}

static const char *spool_dir(const struct sosia_engine_options *o)
{
    const char *tmp = getenv("TMPDIR");
    if (o->spool_dir || o->data_dir)
        return o->spool_dir ? o->spool_dir : o->data_dir;
    return tmp && *tmp ? tmp : "/tmp";
}

static int open_engine(const struct sosia_engine_options *opt,
                       const struct sosia_service *const *services, struct durable_check *check,
                       struct sosia_engine **ret_engine, struct sosia_err *err)
{
    struct sosia_engine_options options;
    if (taken_pointer(ret_engine, "ret_engine", err) < 0 ||
        TAKEN(sosia_engine_options, &options, opt, err) < 0 ||
        world_journal_settings_check(&options.journal, err) < 0)
        return -1;
    struct sosia_engine *e = handle_new(HANDLE_ENGINE, sizeof *e);
    if (!e)
        return sosia_fail_memory(err);
    pthread_mutex_init(&e->suspended_lock, NULL);
    e->options = options;
    e->keeper = &durable_keeper;
    e->on_pending = outbox_notify_pending;
    if (!e->options.spool_over)
        e->options.spool_over = 1 << 20;
    e->spool_dir = strdup(spool_dir(&e->options));
    e->check = check;
    if (!e->spool_dir || registry_open(e, err) < 0) {
        if (!e->spool_dir)
            sosia_fail_memory(err);
        free(e->spool_dir);
        handle_free(HANDLE_ENGINE, e);
        return -1;
    }
    if (take_services(e, services, err) < 0 || sessions_open(e, err) < 0 ||
        router_open(e->dialects, &e->router, err) < 0 || worlds_open(e, err) < 0) {
        sosia_engine_close(e);
        return -1;
    }
    *ret_engine = e;
    return 0;
}

int engine_open(const struct sosia_engine_options *opt, const struct sosia_service *const *services,
                struct sosia_engine **ret_engine, struct sosia_err *err)
{
    return open_engine(opt, services, NULL, ret_engine, err);
}

int engine_check(const char *data_dir, const char *rescue_dir,
                 const struct sosia_service *const *services, struct sosia_blob *ret_json,
                 bool *ret_whole, struct sosia_err *err)
{
    struct sosia_engine_options opt = {.data_dir = data_dir};
    struct durable_check *check = check_new();
    struct sosia_engine *e = NULL;
    int rc = check ? open_engine(&opt, services, check, &e, err) : sosia_fail_memory(err);
    if (rc == 0)
        rc = check_report(check, e, rescue_dir, ret_json, ret_whole, err);
    sosia_engine_close(e);
    check_free(check);
    return rc;
}

int sosia_engine_close(struct sosia_engine *e)
{
    if (!e)
        return 0;
    if (handle_end(HANDLE_ENGINE, e) < 0)
        return -1;
    hold_close(e);
    suspend_close(e);
    worlds_close(e);
    sessions_close(e); /* the store has notified them of frames until now */
    parts_free(e);
    router_close(e->router);
    kinds_free(e->kinds);
    free(e->cores);
    free(e->policies);
    free(e->dialects);
    free(e->spool_dir);
    pthread_mutex_destroy(&e->suspended_lock);
    handle_free(HANDLE_ENGINE, e);
    return 0;
}

const struct dialect *const *engine_dialects(const struct sosia_engine *e)
{
    return e->dialects;
}

const struct dialect *service_dialect(const struct sosia_service *const *services, size_t i)
{
    for (; *services; services++)
        for (const struct dialect *const *d = (*services)->dialects; d && *d; d++)
            if (i-- == 0)
                return *d;
    return NULL;
}

static bool is_listed(const char *const *list, size_t n, const char *host)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], host) == 0)
            return true;
    return false;
}

void service_hosts(const struct sosia_service *const *services,
                   const char *ret_hosts[SERVICE_HOSTS + 1])
{
    const struct dialect *d;
    size_t n = 0;
    for (size_t i = 0; (d = service_dialect(services, i)); i++)
        for (const char *const *host = d->vendor->hosts; host && *host; host++)
            if (n < SERVICE_HOSTS && !is_listed(ret_hosts, n, *host))
                ret_hosts[n++] = *host;
    ret_hosts[n] = NULL;
}
