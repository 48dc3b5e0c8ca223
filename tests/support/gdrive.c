/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/gdrive.h"
#include "tests/support/carry.h"
#include <strings.h>

struct sosia_engine *gdrive_engine;
uint64_t gdrive_world;
int gdrive_status;
const char *gdrive_body;
size_t gdrive_len;
struct sosia_response *gdrive_res;

static struct sosia_err failure;

static const char DOC[] = "sosia: 1\n"
                          "time: 2026-11-23T08:00:00Z\n"
                          "organizations: [{domain: acme.example, name: Acme}]\n"
                          "people:\n"
                          "  - {email: ada@acme.example, name: Ada, aliases: [a@acme.example]}\n"
                          "  - {email: bob@acme.example, name: Bob}\n"
                          "  - {email: cyd@acme.example, name: Cyd}\n"
                          "  - {email: eve@other.example, name: Eve}\n"
                          "groups: [{email: team@acme.example, name: Team, members: "
                          "[bob@acme.example, cyd@acme.example]}]\n";

void gdrive_seed(const char *sections)
{
    const char *doc = arena_printf(&test_arena, "%s%s", DOC, sections);
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_world_create(gdrive_engine, &opt, &gdrive_world, &failure) < 0)
        fail_msg("create: %s", failure.text);
}

int gdrive_open_world(void **state)
{
    (void)state;
    arena_init(&test_arena, 0);
    gdrive_res = NULL;
    if (sosia_engine_open(NULL, &gdrive_engine, &failure) < 0)
        return -1;
    gdrive_seed("");
    return 0;
}

int gdrive_close_world(void **state)
{
    (void)state;
    sosia_response_free(gdrive_res);
    gdrive_res = NULL;
    int rc = export_and_import(gdrive_engine, gdrive_world);
    sosia_engine_close(gdrive_engine);
    arena_done(&test_arena);
    return rc;
}

const struct json *ask(const char *who, const char *method, const char *target,
                       const char *const *headers, const void *body, size_t len)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = who};
    struct sosia_header list[16];
    size_t n = 0;
    if (who) {
        if (sosia_token_issue(gdrive_engine, gdrive_world, &opt, token, sizeof token, &failure) < 0)
            fail_msg("token: %s", failure.text);
        list[n++] =
            (struct sosia_header){"Authorization", arena_printf(&test_arena, "Bearer %s", token)};
    }
    for (; headers && headers[0]; headers += 2)
        list[n++] = (struct sosia_header){headers[0], headers[1]};
    struct sosia_request r = {.method = method,
                              .target = target,
                              .headers = list,
                              .n_headers = n,
                              .body = body,
                              .body_len = len};
    sosia_response_free(gdrive_res);
    gdrive_res = NULL;
    if (sosia_call(gdrive_engine, gdrive_world, &r, &gdrive_res, &failure) < 0)
        fail_msg("call: %s", failure.text);
    gdrive_status = gdrive_res->status;
    gdrive_len = (size_t)gdrive_res->length;
    if (gdrive_res->read) {
        char *all = arena_alloc(&test_arena, gdrive_len + 1);
        int64_t at = 0, got;
        while ((got = gdrive_res->read(gdrive_res, at, all + at, gdrive_len - (size_t)at)) > 0)
            at += got;
        assert_int_equal(at, gdrive_len);
        all[at] = 0;
        gdrive_body = all;
    } else {
        gdrive_body = arena_memdup(&test_arena, gdrive_res->body, gdrive_len);
    }
    return *gdrive_body == '{' ? parsed(gdrive_body, gdrive_len) : NULL;
}

const struct json *as(const char *who, const char *method, const char *target, const char *body)
{
    static const char *const headers[] = {"Content-Type", "application/json", NULL};
    const char *text = quoted(body ? body : "");
    return ask(who, method, arena_printf(&test_arena, "/drive/v3%s", target), headers, text,
               strlen(text));
}

const char *gdrive_header(const char *name)
{
    for (size_t i = 0; i < gdrive_res->n_headers; i++)
        if (strcasecmp(gdrive_res->headers[i].name, name) == 0)
            return gdrive_res->headers[i].value;
    return "";
}

void assert_refused(int status, const char *reason)
{
    const struct json *v = *gdrive_body == '{' ? parsed(gdrive_body, gdrive_len) : NULL;
    const char *said = text_at(v, "error.errors.0.reason");
    if (gdrive_status != status || !said || strcmp(said, reason) != 0)
        fail_msg("%d %s expected: %d %s", status, reason, gdrive_status, gdrive_body);
    assert_int_equal(number_at(v, "error.code"), status);
}

void gdrive_advance(int64_t seconds)
{
    if (sosia_clock_advance(gdrive_engine, gdrive_world, seconds * 1000000, &failure) < 0)
        fail_msg("clock: %s", failure.text);
}

const struct json *gdrive_outbox(void)
{
    return read_outbox(gdrive_engine, gdrive_world);
}

const struct json *gdrive_dump(void)
{
    return read_dump(gdrive_engine, gdrive_world);
}

const char *make(const char *who, const char *body)
{
    const struct json *v = as(who, "POST", "/files", body);
    if (gdrive_status != 200)
        fail_msg("file %s: %d %s", body, gdrive_status, gdrive_body);
    return text_at(v, "id");
}
