/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/gmail.h"
#include "engine/base/codec.h"
#include "tests/support/carry.h"
#include <stdlib.h>

struct sosia_engine *gm_engine;
uint64_t gm_world;
int gm_status;
const char *gm_body;
const char *gm_scopes;

static struct sosia_err err;

const char gm_people[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada, aliases: [a.lovelace@acme.example]}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "  - {email: cyd@acme.example, name: Cyd}\n"
    "  - {email: svc@acme.example, name: Service, kind: service}\n"
    "groups: [{email: all@acme.example, name: All, members: [bob@acme.example, "
    "cyd@acme.example]}]\n";

void gm_use(const char *doc)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_world_create(gm_engine, &opt, &gm_world, &err) < 0)
        fail_msg("create: %s", err.text);
}

int gm_open(void **state)
{
    (void)state;
    arena_init(&test_arena, 0);
    gm_scopes = NULL;
    if (sosia_engine_open(NULL, &gm_engine, &err) < 0)
        return -1;
    gm_use(gm_people);
    return 0;
}

int gm_close(void **state)
{
    (void)state;
    int rc = export_and_import(gm_engine, gm_world);
    sosia_engine_close(gm_engine);
    arena_done(&test_arena);
    return rc;
}

const char *gm_text(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(&test_arena, fmt, ap);
    va_end(ap);
    return text;
}

/* ---- calls ---- */

const struct json *gm_request(const char *method, const char *target,
                              const struct sosia_header *headers, size_t n_headers,
                              const char *body, size_t len)
{
    struct sosia_request r = {.method = method,
                              .target = target,
                              .headers = headers,
                              .n_headers = n_headers,
                              .body = body,
                              .body_len = len};
    struct sosia_response *answer;
    if (sosia_call(gm_engine, gm_world, &r, &answer, &err) < 0)
        fail_msg("call: %s", err.text);
    gm_status = answer->status;
    gm_body = arena_memdup(&test_arena, answer->body, answer->body_len);
    const struct json *v = gm_body[0] == '{' ? parsed(gm_body, answer->body_len) : NULL;
    sosia_response_free(answer);
    return v;
}

const struct json *gm(const char *who, const char *method, const char *target, const char *body)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = who, .scopes = gm_scopes};
    if (sosia_token_issue(gm_engine, gm_world, &opt, token, sizeof token, &err) < 0)
        fail_msg("token: %s", err.text);
    struct sosia_header headers[] = {
        {"Authorization", gm_text("Bearer %s", token)},
        {"Content-Type", "application/json"},
    };
    const char *text = body ? quoted(body) : "";
    const char *path = *target == '!' ? target + 1 : gm_text("/gmail/v1/users/me%s", target);
    return gm_request(method, path, headers, 2, text, strlen(text));
}

const struct json *gm_get(const char *who, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *target = arena_vprintf(&test_arena, fmt, ap);
    va_end(ap);
    const struct json *v = gm(who, "GET", target, NULL);
    if (gm_status != status)
        fail_msg("%s: %d %s", target, gm_status, gm_body);
    return v;
}

const char *gm_raw(const char *text)
{
    struct buf crlf, b;
    buf_init(&crlf, 0);
    buf_init(&b, 0);
    for (; *text; text++) {
        if (*text == '\n')
            buf_byte(&crlf, '\r');
        buf_byte(&crlf, *text);
    }
    base64url_add(&b, crlf.data, crlf.len, true);
    const char *raw = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&crlf);
    buf_done(&b);
    return raw;
}

static const char *post(const char *who, const char *target, const char *text, const char *more)
{
    const struct json *v = gm(who, "POST", target, gm_text("{'raw':'%s'%s}", gm_raw(text), more));
    if (gm_status != 200)
        fail_msg("%s: %d %s", target, gm_status, gm_body);
    return text_at(v, "id");
}

const char *gm_send(const char *who, const char *text, const char *more)
{
    return post(who, "/messages/send", text, more);
}

const char *gm_insert(const char *who, const char *text, const char *more)
{
    return post(who, "/messages", text, more);
}

const char *gm_newest(const char *who)
{
    const struct json *v = gm_get(who, 200, "/messages?maxResults=1&includeSpamTrash=true");
    return text_at(v, "messages.0.id");
}

/* ---- answers ---- */

const char *header(const struct json *message, const char *name)
{
    const struct json *list = value_at(message, "payload.headers");
    for (uint32_t i = 0; list && i < list->n; i++)
        if (str_eq_nocase(text_at(&list->items[i], "name"), name))
            return text_at(&list->items[i], "value");
    return NULL;
}

const char *data_at(const struct json *v, const char *path)
{
    const char *text = text_at(v, path);
    uint8_t *data;
    size_t n;
    if (!text)
        return "";
    if (base64_decode(&test_arena, text, strlen(text), &data, &n) < 0)
        fail_msg("no base64: %s", text);
    return arena_memdup(&test_arena, data, n);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *labels_of(const struct json *message)
{
    const struct json *list = value_at(message, "labelIds");
    const char *names[64], *out = "";
    uint32_t n = list ? list->n : 0;
    assert_true(n <= SOSIA_LEN(names));
    for (uint32_t i = 0; i < n; i++)
        names[i] = list->items[i].str;
    if (n)
        qsort(names, n, sizeof *names, by_text);
    for (uint32_t i = 0; i < n; i++)
        out = gm_text("%s%s%s", out, i ? " " : "", names[i]);
    return out;
}

/* ---- comparing ---- */

static bool same_text(const char *want, const char *got)
{
    size_t n = strlen(got);
    if (strcmp(want, "*") == 0)
        return true;
    if (strcmp(want, "#") == 0)
        return n && strspn(got, "0123456789") == n;
    if (strcmp(want, "@") == 0)
        return n == 16 && strspn(got, "0123456789abcdef") == n;
    return strcmp(want, got) == 0;
}

static bool same(const struct json *want, const struct json *got)
{
    if (want->type != got->type)
        return false;
    switch (want->type) {
    case JSON_STRING:
        return same_text(want->str, got->str);
    case JSON_NUMBER:
        return strcmp(want->str, got->str) == 0;
    case JSON_BOOL:
        return want->truth == got->truth;
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (want->n != got->n)
            return false;
        for (uint32_t i = 0; i < want->n; i++)
            if (want->type == JSON_ARRAY
                    ? !same(&want->items[i], &got->items[i])
                    : strcmp(want->members[i].key, got->members[i].key) != 0 ||
                          !same(&want->members[i].value, &got->members[i].value))
                return false;
        return true;
    default:
        return true;
    }
}

void assert_answer(const char *expected)
{
    const char *text = quoted(expected);
    const struct json *want = parsed(text, strlen(text)), *got = parsed(gm_body, strlen(gm_body));
    if (!got || !same(want, got))
        fail_msg("expected %s\ngot %d %s", text, gm_status, gm_body);
}

void assert_refused(int status, const char *reason, const char *name, const char *message)
{
    const struct json *v = parsed(gm_body, strlen(gm_body));
    const char *text = text_at(v, "error.message");
    if (gm_status != status || !text || strcmp(text, message) != 0)
        fail_msg("%d %s expected: %d %s", status, message, gm_status, gm_body);
    assert_int_equal(number_at(v, "error.code"), status);
    assert_string_equal(text_at(v, "error.status"), name);
    assert_string_equal(text_at(v, "error.errors.0.reason"), reason);
    assert_string_equal(members(v, "error"), "code message errors status");
}

/* ---- the world ---- */

void gm_advance(int64_t seconds)
{
    if (sosia_clock_advance(gm_engine, gm_world, seconds * 1000000, &err) < 0)
        fail_msg("clock: %s", err.text);
}

const struct json *gm_outbox(void)
{
    return read_outbox(gm_engine, gm_world);
}

const struct json *gm_dump(void)
{
    return read_dump(gm_engine, gm_world);
}
