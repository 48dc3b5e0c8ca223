/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the public interface: the door, and waiting for the disk. */
#include "engine/http/serve.h"
#include "engine/http/suspend.h"
#include "engine/world/durable/durable.h"
#include "engine/world/engine.h"
#include <stdlib.h>

int sosia_call(struct sosia_engine *engine, uint64_t world, const struct sosia_request *request,
               struct sosia_response **ret_response, struct sosia_err *err)
{
    struct served served;
    struct sosia_response *r = call_serve(engine, world, request, true, NULL, &served, err);
    if (served.suspended)
        r = suspend_wait(engine, request, &served, err);
    if (!r)
        return -1;
    if (engine_sync(engine, served.ticket, err) < 0) {
        sosia_response_free(r);
        return -1;
    }
    *ret_response = r;
    return 0;
}

struct waiting {
    struct sosia_response *response;
    void (*done)(void *arg, struct sosia_response *response);
    void *arg;
};

static void on_disk(void *arg, int rc)
{
    struct waiting w = *(struct waiting *)arg;
    free(arg);
    if (rc < 0) {
        sosia_response_free(w.response);
        w.response = NULL;
    }
    w.done(w.arg, w.response);
}

/* Gives an answer away, once what it tells is on disk. */
static void hand_over(struct sosia_engine *engine, struct sosia_response *r, uint64_t ticket,
                      void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    int on_disk_now = r && engine->durable ? durable_state(engine->durable, ticket) : 1;
    if (on_disk_now) {
        if (on_disk_now < 0) {
            sosia_response_free(r);
            r = NULL;
        }
        done(arg, r);
        return;
    }
    struct waiting *w = malloc(sizeof *w);
    if (!w) { /* wait here instead */
        if (engine_sync(engine, ticket, NULL) < 0) {
            sosia_response_free(r);
            r = NULL;
        }
        done(arg, r);
        return;
    }
    *w = (struct waiting){.response = r, .done = done, .arg = arg};
    durable_notify(engine->durable, ticket, on_disk, w);
}

/* Serves it for a waiter. Where nobody sends what is in the outbox, a suspended call is answered on
 * its caller's thread. False: it is busy. */
static bool call_for(struct sosia_engine *engine, uint64_t world,
                     const struct sosia_request *request, bool patient,
                     const struct call_waiter *waiter)
{
    bool sent = atomic_load_explicit(&engine->on_outbox, memory_order_relaxed) != NULL &&
                !engine->on_handshake;
    struct served served;
    struct sosia_response *r =
        call_serve(engine, world, request, patient, sent ? waiter : NULL, &served, NULL);
    if (served.busy)
        return false;
    if (served.suspended && sent)
        return true; /* the waiter has been told, or will be */
    if (served.suspended)
        r = suspend_wait(engine, request, &served, NULL);
    hand_over(engine, r, served.ticket, waiter->done, waiter->arg);
    return true;
}

void sosia_call_async(struct sosia_engine *engine, uint64_t world,
                      const struct sosia_request *request,
                      void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    call_for(engine, world, request, true, &(struct call_waiter){.done = done, .arg = arg});
}

bool sosia_call_try(struct sosia_engine *engine, uint64_t world,
                    const struct sosia_request *request,
                    void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    return call_for(engine, world, request, false, &(struct call_waiter){.done = done, .arg = arg});
}
