/* SPDX-License-Identifier: Apache-2.0 */
/* Calls answered by an engine. */
#include "server/backend.h"
#include "engine/http/serve.h"

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
    return call_try(b->engine, b->world, request, done, done_arg);
}

static int sweep(void *arg)
{
    struct engine_backend *b = arg;
    return sosia_engine_sweep(b->engine);
}

static int64_t body_max(void *arg, const struct sosia_request *head)
{
    struct engine_backend *b = arg;
    return sosia_body_max(b->engine, head);
}

static bool head_refused(void *arg, const struct sosia_request *head)
{
    struct engine_backend *b = arg;
    return sosia_head_refused(b->engine, b->world, head);
}

static int open_spool(void *arg, int64_t max, struct sosia_spool **ret_spool, struct sosia_err *err)
{
    struct engine_backend *b = arg;
    return sosia_spool_open(b->engine, max, ret_spool, err);
}

struct server_backend engine_backend(struct engine_backend *b)
{
    return (struct server_backend){.arg = b,
                                   .try_call = try_call,
                                   .call = call,
                                   .free_response = sosia_response_free,
                                   .sweep = sweep,
                                   .body_max = body_max,
                                   .head_refused = head_refused,
                                   .spool_open = open_spool};
}
