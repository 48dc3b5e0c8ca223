/* SPDX-License-Identifier: Apache-2.0 */
/* Calls answered by an engine. */
#include "server/backend.h"

static void call(void *arg, const struct sosia_request *request,
                 void (*done)(void *done_arg, struct sosia_response *response), void *done_arg)
{
    struct engine_backend *b = arg;
    sosia_call_async(b->engine, b->world, request, done, done_arg);
}

static bool try_call(void *arg, const struct sosia_request *request,
                     void (*done)(void *done_arg, struct sosia_response *response), void *done_arg)
{
    struct engine_backend *b = arg;
    return sosia_call_try(b->engine, b->world, request, done, done_arg);
}

static int sweep(void *arg)
{
    struct engine_backend *b = arg;
    return sosia_engine_sweep(b->engine);
}

struct server_backend engine_backend(struct engine_backend *b)
{
    return (struct server_backend){.arg = b,
                                   .try_call = try_call,
                                   .call = call,
                                   .free_response = sosia_response_free,
                                   .sweep = sweep};
}
