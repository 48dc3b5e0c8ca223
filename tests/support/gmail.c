/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/gmail.h"
#include "engine/base/codec.h"
#include <stdlib.h>

const char *gm_scopes;

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

int gm_open(void **state)
{
    (void)state;
    gm_scopes = NULL;
    return test_open(gm_people);
}

int gm_close(void **state)
{
    (void)state;
    return test_close();
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

const struct json *gm(const char *who, const char *method, const char *target, const char *body)
{
    struct sosia_header headers[] = {
        {"Authorization", test_bearer(who, gm_scopes)},
        {"Content-Type", "application/json"},
    };
    const char *text = body ? quoted(body) : "";
    const char *path = *target == '!' ? target + 1 : gm_text("/gmail/v1/users/me%s", target);
    return test_request(method, path, headers, 2, text, strlen(text));
}

const struct json *gm_get(const char *who, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *target = arena_vprintf(&test_arena, fmt, ap);
    va_end(ap);
    const struct json *v = gm(who, "GET", target, NULL);
    if (test_status != status)
        fail_msg("%s: %d %s", target, test_status, test_body);
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
    if (test_status != 200)
        fail_msg("%s: %d %s", target, test_status, test_body);
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

/* ---- responses ---- */

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
    const struct json *want = parsed(text, strlen(text)),
                      *got = parsed(test_body, strlen(test_body));
    if (!got || !same(want, got))
        fail_msg("expected %s\ngot %d %s", text, test_status, test_body);
}

void assert_refused(int status, const char *reason, const char *name, const char *message)
{
    const struct json *v = parsed(test_body, strlen(test_body));
    const char *text = text_at(v, "error.message");
    if (test_status != status || !text || strcmp(text, message) != 0)
        fail_msg("%d %s expected: %d %s", status, message, test_status, test_body);
    assert_int_equal(number_at(v, "error.code"), status);
    assert_string_equal(text_at(v, "error.status"), name);
    assert_string_equal(text_at(v, "error.errors.0.reason"), reason);
    assert_string_equal(members(v, "error"), "code message errors status");
}
