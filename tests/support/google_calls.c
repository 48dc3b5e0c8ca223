/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/google_calls.h"
#include "engine/service.h"

struct sosia_engine *engine;
struct sosia_err err;
uint64_t world;
struct sosia_response *res;

int open_engine_of(const struct sosia_service *const *services)
{
    return engine_open(NULL, services, &engine, &err);
}

int open_engine(void **state)
{
    return sosia_engine_open(NULL, &engine, &err);
}

int close_engine(void **state)
{
    sosia_response_free(res);
    sosia_engine_close(engine);
    return 0;
}

uint64_t world_of(const char *doc)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t w;
    if (sosia_world_create(engine, &opt, &w, &err) < 0)
        fail_msg("create: %s", err.text);
    return w;
}

void request_of(uint64_t whose, const struct sosia_request *r)
{
    sosia_response_free(res);
    if (sosia_call(engine, whose, r, &res, &err) < 0)
        fail_msg("call: %s", err.text);
}

const char *header(const char *name)
{
    for (size_t i = 0; i < res->n_headers; i++)
        if (strcmp(res->headers[i].name, name) == 0)
            return res->headers[i].value;
    return "";
}
