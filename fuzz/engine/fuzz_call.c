/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a request: verb, target, body, by a line each. The response is well formed, a
 * read leaves the world as it was, and the engine keeps working. */
#include "engine/world/engine.h"
#include "fuzz/fuzz.h"
#include <string.h>

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"ada@acme.example\"}],"
    "\"tokens\":[{\"token\":\"fuzz-token\",\"actor\":\"ada@acme.example\"}],"
    "\"calendars\":[{\"id\":\"ada@acme.example\",\"primary\":true,\"events\":["
    "{\"id\":\"event1\",\"summary\":\"One\",\"start\":\"2026-11-23T10:00\"},"
    "{\"id\":\"serie1\",\"summary\":\"Two\",\"start\":\"2026-11-23T11:00\",\"zone\":\"Europe/"
    "Rome\","
    "\"recurrence\":[\"RRULE:FREQ=DAILY\"]}]}]}";

static struct sosia_engine *engine;
static uint64_t base;

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    engine = fuzz_engine(NULL);
    CHECK(sosia_world_create(engine, &opt, &base, NULL) == 0);
}

/* The next line as a string of its own; NUL bytes end it, as they do on the wire. */
static char *line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t n = end ? (size_t)(end - *data) : *size;
    char *text = malloc(n + 1);
    CHECK(text);
    if (n)
        memcpy(text, *data, n);
    text[n] = 0;
    *data += n + (end != NULL);
    *size -= n + (end != NULL);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_header headers[] = {{"Authorization", "Bearer fuzz-token"},
                                     {"Content-Type", "application/json"}};
    struct sosia_response *res = NULL;
    struct sosia_err err;
    uint64_t world;
    char before[65], after[65];
    if (!engine)
        start();
    char *method = line(&data, &size), *target = line(&data, &size);
    struct sosia_request req = {.method = method,
                                .target = target,
                                .headers = headers,
                                .n_headers = 2,
                                .body = (const char *)data,
                                .body_len = size,
                                .base_url = "http://localhost"};
    CHECK(sosia_world_fork(engine, base, NULL, &world, &err) == 0);
    bool read = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    CHECK(sosia_world_hash(engine, world, before, &err) == 0);
    CHECK(sosia_call(engine, world, &req, &res, &err) == 0);
    CHECK(res->status >= 200 && res->status < 600 && strlen(res->body) <= res->body_len);
    /* What was refused, like what was only read, has changed nothing. */
    if (read || res->status >= 400) {
        CHECK(sosia_world_hash(engine, world, after, &err) == 0);
        CHECK(strcmp(before, after) == 0);
    }
    sosia_response_free(res);
    CHECK(sosia_world_drop(engine, world, &err) == 0);
    free(method);
    free(target);
    return 0;
}
