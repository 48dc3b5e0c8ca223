/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the public interface: the door, and waiting for the disk. */
#include "engine/http/serve.h"
#include "engine/world/durable/durable.h"
#include "engine/world/engine.h"
#include <stdlib.h>

int sosia_call(struct sosia_engine *engine, uint64_t world, const struct sosia_request *request,
               struct sosia_response **ret_response, struct sosia_err *err)
{
    uint64_t ticket;
    struct sosia_response *r = call_serve(engine, world, request, &ticket, NULL, err);
    if (!r)
        return -1;
    if (engine_sync(engine, ticket, err) < 0) {
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

void sosia_call_async(struct sosia_engine *engine, uint64_t world,
                      const struct sosia_request *request,
                      void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    uint64_t ticket;
    struct sosia_response *r = call_serve(engine, world, request, &ticket, NULL, NULL);
    hand_over(engine, r, ticket, done, arg);
}

bool sosia_call_try(struct sosia_engine *engine, uint64_t world,
                    const struct sosia_request *request,
                    void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    uint64_t ticket;
    bool busy = false;
    struct sosia_response *r = call_serve(engine, world, request, &ticket, &busy, NULL);
    if (busy)
        return false;
    hand_over(engine, r, ticket, done, arg);
    return true;
}
