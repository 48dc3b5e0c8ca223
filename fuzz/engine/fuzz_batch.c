/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the body of a batch: taken apart within bounds, and, sent as a call, responded to
 * in Google's form or refused whole. */
#include "engine/http/multipart.h"
#include "fuzz/fuzz.h"
#include <string.h>

static const char DOC[] = "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",\"people\":["
                          "{\"email\":\"ada@acme.example\"}],\"tokens\":["
                          "{\"token\":\"fuzz-token\",\"actor\":\"ada@acme.example\"}]}";

static struct sosia_engine *engine;
static uint64_t base;

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    engine = fuzz_engine(NULL);
    CHECK(sosia_world_create(engine, &opt, &base, NULL) == 0);
}

static bool inside(const char *p, size_t n, const char *text, size_t len)
{
    return p >= text && p <= text + len && n <= (size_t)(text + len - p);
}

static void take_apart(const char *text, size_t len)
{
    struct arena a;
    struct part *parts = NULL;
    struct http_part http;
    struct sosia_err err = {0};
    size_t n = 0;
    arena_init(&a, 64 << 20);
    if (multipart_parse(&a, text, len, "b", 100, &parts, &n, &err) == 0) {
        CHECK(n <= 100);
        for (size_t i = 0; i < n; i++) {
            CHECK(inside(parts[i].head, parts[i].head_len, text, len));
            CHECK(inside(parts[i].body, parts[i].body_len, text, len));
            part_header(&a, &parts[i], "Content-ID");
            if (http_part_parse(&a, parts[i].body, parts[i].body_len, &http, &err) < 0)
                continue;
            CHECK(*http.method && *http.target && http.n_headers <= HTTP_PART_HEADERS);
            CHECK(inside(http.body, http.body_len, text, len));
        }
    } else {
        CHECK(err.code == SOSIA_E_INVALID || (err.code == SOSIA_E_LIMIT && n > 100));
    }
    arena_done(&a);
}

static void send_whole(const char *text, size_t len)
{
    uint64_t world;
    static const struct sosia_header headers[] = {{"Content-Type", "multipart/mixed; boundary=b"},
                                                  {"Authorization", "Bearer fuzz-token"}};
    struct sosia_request r = {.method = "POST",
                              .target = "/batch",
                              .headers = headers,
                              .n_headers = 2,
                              .body = text,
                              .body_len = len};
    struct sosia_response *res = NULL;
    CHECK(sosia_world_fork(engine, base, NULL, &world, NULL) == 0);
    CHECK(sosia_call(engine, world, &r, &res, NULL) == 0);
    CHECK(res->status == 200 || res->status == 400 || res->status == 413);
    CHECK(res->status != 200 || memcmp(res->body, "--batch_", 8) == 0);
    sosia_response_free(res);
    CHECK(sosia_world_drop(engine, world, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!engine)
        start();
    take_apart((const char *)data, size);
    send_whole((const char *)data, size);
    if (size && size <= 70) { /* as a content type */
        char type[71], boundary[MULTIPART_BOUNDARY];
        memcpy(type, data, size);
        type[size] = 0;
        if (multipart_boundary(type, boundary) == 0)
            CHECK(*boundary && strlen(boundary) < MULTIPART_BOUNDARY);
    }
    return 0;
}
