/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what uploads are made of: a Content-Range, a body of two parts, and requests of a
 * session in any order, whose responses must agree with each other. */
#include "services/list.h"
#include "engine/http/multipart.h"
#include "vendors/google/upload.h"
#include "fuzz/fuzz.h"
#include <stdio.h>

static const char DOC[] = "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",\"people\":["
                          "{\"email\":\"ada@acme.example\"}],\"tokens\":["
                          "{\"token\":\"fuzz-token\",\"actor\":\"ada@acme.example\"}]}";

static struct sosia_engine *engine;
static uint64_t base;
static char target[200]; /* of a method that takes a medium; "": there is none */
static char grain[UPLOAD_GRANULE];

/* The first method without parameters in its path but the user. */
static void find_target(void)
{
    const struct dialect *d;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
        const struct route *r;
        for (size_t i = 0; (r = dialect_row(d, i)); i++) {
            const char *user = r->media ? strstr(r->paths[0], "{userId}") : NULL;
            if (!user || strchr(user + 8, '{') || *target)
                continue;
            snprintf(target, sizeof target, "/upload%.*sme%s", (int)(user - r->paths[0]),
                     r->paths[0], user + 8);
        }
    }
}

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    engine = fuzz_engine(NULL);
    CHECK(sosia_world_create(engine, &opt, &base, NULL) == 0);
    memset(grain, 'x', sizeof grain);
    find_target();
}

static const char *header(const struct sosia_response *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcmp(r->headers[i].name, name) == 0)
            return r->headers[i].value;
    return NULL;
}

static struct sosia_response *ask(uint64_t world, const char *method, const char *path,
                                  const char *name, const char *value, const char *body, size_t len)
{
    struct sosia_header headers[] = {{"Authorization", "Bearer fuzz-token"}, {name, value}};
    struct sosia_request r = {.method = method,
                              .target = path,
                              .headers = headers,
                              .n_headers = name ? 2 : 1,
                              .body = body,
                              .body_len = len,
                              .base_url = ""};
    struct sosia_response *res = NULL;
    CHECK(sosia_call(engine, world, &r, &res, NULL) == 0);
    CHECK(res->status < 500 || res->status == 503);
    return res;
}

static void read_range(const char *text)
{
    struct content_range r;
    if (content_range_parse(text, &r) < 0)
        return;
    CHECK((r.first < 0) == (r.last < 0) && r.first <= r.last && r.total >= -1);
    CHECK(r.total < 0 || r.last < r.total || r.first < 0);
}

static void send_parts(const char *text, size_t len)
{
    char path[300];
    uint64_t world;
    snprintf(path, sizeof path, "%s?uploadType=multipart", target);
    CHECK(sosia_world_fork(engine, base, NULL, &world, NULL) == 0);
    sosia_response_free(
        ask(world, "POST", path, "Content-Type", "multipart/related; boundary=b", text, len));
    CHECK(sosia_world_drop(engine, world, NULL) == 0);
}

/* Each line is a Content-Range, or with a '!' a command; the body has its length, or that of the
 * next byte. */
static void go_through(char *text)
{
    char path[300], location[2000];
    uint64_t world;
    long long had = 0;
    snprintf(path, sizeof path, "%s?uploadType=resumable", target);
    CHECK(sosia_world_fork(engine, base, NULL, &world, NULL) == 0);
    struct sosia_response *res = ask(world, "POST", path, NULL, NULL, "", 0);
    CHECK(res->status == 200 && header(res, "Location"));
    snprintf(location, sizeof location, "%s", header(res, "Location"));
    sosia_response_free(res);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        struct content_range r = {-1, -1, -1};
        size_t len = 0;
        bool command = *line == '!';
        if (!command && content_range_parse(line, &r) == 0 && r.first >= 0 &&
            r.last - r.first < UPLOAD_GRANULE)
            len = (size_t)(r.last - r.first + 1);
        else if (strchr(line, '#'))
            len = sizeof grain;
        res = ask(world, "PUT", location, command ? "X-Goog-Upload-Command" : "Content-Range",
                  line + command, grain, len);
        if (res->status == 308) { /* what has come stays */
            const char *range = header(res, "Range");
            long long has = range ? strtoll(range + 8, NULL, 10) + 1 : 0;
            CHECK(has >= had);
            had = has;
        }
        sosia_response_free(res);
    }
    CHECK(sosia_world_drop(engine, world, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!engine)
        start();
    char *text = malloc(size + 1);
    CHECK(text);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    bool line = !memchr(text, 0, size) && size < 4000;
    for (size_t i = 0; i < size && line; i++)
        line = (unsigned char)text[i] >= 32 || text[i] == '\n';
    read_range(text);
    if (*target) {
        send_parts(text, size);
        if (line)
            go_through(text);
    }
    free(text);
    return 0;
}
