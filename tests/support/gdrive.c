/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/gdrive.h"

const char *gdrive_scopes;

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
    test_use(arena_printf(&test_arena, "%s%s", DOC, sections));
}

int gdrive_open_world(void **state)
{
    (void)state;
    gdrive_scopes = NULL;
    return test_open(DOC);
}

int gdrive_close_world(void **state)
{
    (void)state;
    return test_close();
}

const struct json *ask(const char *who, const char *method, const char *target,
                       const char *const *headers, const void *body, size_t len)
{
    struct sosia_header list[16];
    size_t n = 0;
    if (who)
        list[n++] = (struct sosia_header){"Authorization", test_bearer(who, gdrive_scopes)};
    for (; headers && headers[0]; headers += 2)
        list[n++] = (struct sosia_header){headers[0], headers[1]};
    return test_request(method, target, list, n, body, len);
}

const struct json *as(const char *who, const char *method, const char *target, const char *body)
{
    static const char *const headers[] = {"Content-Type", "application/json", NULL};
    const char *text = quoted(body ? body : "");
    return ask(who, method, arena_printf(&test_arena, "/drive/v3%s", target), headers, text,
               strlen(text));
}

void assert_refused(int status, const char *reason)
{
    const struct json *v = *test_body == '{' ? parsed(test_body, test_len) : NULL;
    const char *said = text_at(v, "error.errors.0.reason");
    if (test_status != status || !said || strcmp(said, reason) != 0)
        fail_msg("%d %s expected: %d %s", status, reason, test_status, test_body);
    assert_int_equal(number_at(v, "error.code"), status);
}

const char *make(const char *who, const char *body)
{
    const struct json *v = as(who, "POST", "/files", body);
    if (test_status != 200)
        fail_msg("file %s: %d %s", body, test_status, test_body);
    return text_at(v, "id");
}
