/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a policy: refused with a reason, or read the same twice and asked of calls that read
 * and write, which are answered. */
#include "sosia.h"
#include "fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static const char seed[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"ada@acme.example\"}],"
    "\"tokens\":[{\"token\":\"token-of-ada\",\"actor\":\"ada@acme.example\"}]}";
static const char event[] =
    "{\"summary\":\"Hello\",\"start\":{\"dateTime\":\"2026-11-25T10:00:00Z\"},\"end\":{"
    "\"dateTime\":"
    "\"2026-11-25T11:00:00Z\"},\"attendees\":[{\"email\":\"eve@out.example\"}]}";

static struct sosia_engine *engine;
static uint64_t world;

static void end(void)
{
    sosia_engine_close(engine);
}

static void open_world(void)
{
    const struct sosia_world_options opt = {.seed_doc = seed, .seed_doc_len = sizeof seed - 1};
    if (engine)
        return;
    MUST(sosia_engine_open(NULL, &engine, &why));
    MUST(sosia_world_create(engine, &opt, &world, &why));
    CHECK(atexit(end) == 0);
}

static void ask(uint64_t w, const char *verb, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", "Bearer token-of-ada"},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request request = {.method = verb,
                                          .target = "/calendar/v3/calendars/primary/events",
                                          .headers = headers,
                                          .n_headers = 2,
                                          .body = body,
                                          .body_len = strlen(body)};
    struct sosia_response *response;
    MUST(sosia_call(engine, w, &request, &response, &why));
    CHECK(response->status >= 200 && response->status < 500);
    sosia_response_free(response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct sosia_blob one, again;
    uint64_t fork;
    open_world();
    if (sosia_policy_check((const char *)data, size, "fuzz", &one, &err) < 0) {
        CHECK(err.code != SOSIA_E_OK && err.text[0]);
        return 0;
    }
    MUST(sosia_world_fork(engine, world, NULL, &fork, &why));
    MUST(sosia_policy_set(engine, fork, (const char *)data, size, "fuzz", &again, &why));
    CHECK(one.len == again.len && memcmp(one.data, again.data, one.len) == 0);
    sosia_blob_free(&one);
    sosia_blob_free(&again);
    ask(fork, "GET", "");
    ask(fork, "POST", event);
    ask(fork, "POST", event);
    MUST(sosia_world_drop(engine, fork, &why));
    return 0;
}
