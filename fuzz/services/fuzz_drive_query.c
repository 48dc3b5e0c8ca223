/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the question of a list of files: it is run, or refused for a fault, and a question
 * of brackets around it finds the same. */
#include "engine/base/buf.h"
#include "sosia.h"
#include "fuzz/fuzz.h"

static const char DOC[] = "{\"sosia\":1,\"time\":\"2026-02-01T00:00:00Z\",\"people\":[{\"email\":"
                          "\"ada@acme.example\"}]}";
static const char *const names[] = {"Hello World plan", "notes.txt", "Valentine's Day.jpg",
                                    "Élan Vital"};

static struct sosia_engine *engine;
static uint64_t world;
static char bearer[SOSIA_TOKEN_MAX + 16];

static struct sosia_response *drive(const char *method, const char *target, const char *body)
{
    struct sosia_header headers[] = {{"Authorization", bearer},
                                     {"Content-Type", "application/json"}};
    struct sosia_request r = {.method = method,
                              .target = target,
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = body ? strlen(body) : 0};
    struct sosia_response *res;
    MUST(sosia_call(engine, world, &r, &res, &why));
    return res;
}

static void open_drive(void)
{
    /* Without a journal: it is kept where the check for leaks does not look. */
    struct sosia_world_options opt = {
        .seed_doc = DOC, .seed_doc_len = strlen(DOC), .journal = SOSIA_JOURNAL_NONE};
    struct sosia_token_options who = {.actor = "ada@acme.example"};
    char token[SOSIA_TOKEN_MAX], body[256];
    engine = fuzz_engine(NULL);
    MUST(sosia_world_create(engine, &opt, &world, &why));
    MUST(sosia_token_issue(engine, world, &who, token, sizeof token, &why));
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        snprintf(body, sizeof body, "{\"name\":\"%s\",\"properties\":{\"k\":\"v\"}}", names[i]);
        struct sosia_response *res = drive("POST", "/drive/v3/files", body);
        CHECK(res->status == 200);
        sosia_response_free(res);
    }
}

static struct sosia_response *find(const uint8_t *data, size_t size, const char *before,
                                   const char *after)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "/drive/v3/files?fields=files(id)&q=%s", before);
    for (size_t i = 0; i < size; i++)
        buf_printf(&b, "%%%02X", data[i]);
    buf_puts(&b, after);
    struct sosia_response *res = drive("GET", buf_str(&b), NULL);
    buf_done(&b);
    return res;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!engine)
        open_drive();
    if (size > 4000)
        return 0;
    struct sosia_response *res = find(data, size, "", "");
    CHECK(res->status == 200 || res->status == 400 || res->status == 404 || res->status == 500);
    CHECK(res->status != 500 || strstr(res->body, "internalError"));
    if (res->status == 200) {
        struct sosia_response *again = find(data, size, "(", ")");
        /* of nothing there is no term to put into brackets */
        CHECK(again->status == 400 ||
              (again->status == 200 && strcmp(again->body, res->body) == 0));
        sosia_response_free(again);
    }
    sosia_response_free(res);
    return 0;
}
