/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/outlook.h"
#include "vendors/microsoft/graph.h"

const char *ol_prefer, *ol_if_match, *ol_type;

const char ol_people[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n";

int ol_open(void **state)
{
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    return test_open(ol_people);
}

int ol_close(void **state)
{
    (void)state;
    return test_close();
}

const char *ol_text(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(&test_arena, fmt, ap);
    va_end(ap);
    return text;
}

const struct json *ol(const char *who, const char *method, const char *target, const char *body)
{
    struct sosia_header headers[6] = {
        {"Host", GRAPH_HOST},
        {"Authorization", test_bearer(who, NULL)},
        {"Content-Type", ol_type ? ol_type : "application/json"},
    };
    size_t n = 3;
    if (ol_prefer)
        headers[n++] = (struct sosia_header){"Prefer", ol_prefer};
    if (ol_if_match)
        headers[n++] = (struct sosia_header){"If-Match", ol_if_match};
    const char *text = !body ? "" : ol_type ? body : quoted(body);
    const char *path = *target == '!' ? target + 1 : ol_text("/v1.0/me%s", target);
    return test_request(method, path, headers, n, text, strlen(text));
}

const struct json *ol_do(const char *who, const char *method, const char *target, const char *body,
                         int status)
{
    const struct json *v = ol(who, method, target, body);
    if (test_status != status)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
    return v;
}

const struct json *ol_get(const char *who, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *target = arena_vprintf(&test_arena, fmt, ap);
    va_end(ap);
    return ol_do(who, "GET", target, NULL, status);
}

void ol_send(const char *who, const char *to, const char *subject, const char *text)
{
    ol_do(who, "POST", "/sendMail",
          ol_text("{'message':{'subject':'%s','body':{'contentType':'text','content':'%s'},"
                  "'toRecipients':[{'emailAddress':{'address':'%s'}}]}}",
                  subject, text, to),
          202);
}

const char *ol_newest(const char *who, const char *folder)
{
    const struct json *v = ol_get(who, 200, "/mailFolders/%s/messages?$top=1&$select=id", folder);
    const char *id = text_at(v, "value.0.id");
    assert_non_null(id);
    return id;
}

void ol_refused(int status, const char *code, const char *message)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(v, "error.code"), code);
    if (message)
        assert_string_equal(text_at(v, "error.message"), message);
    assert_null(value_at(v, "error.innerError"));
}
