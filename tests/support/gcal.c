/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/gcal.h"

static const char DOC[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada, zone: Europe/Rome, aliases: [a@acme.example]}\n"
    "  - {email: bob@acme.example, name: Bob, zone: America/New_York}\n"
    "  - {email: cyd@acme.example, name: Cyd, zone: Asia/Tokyo}\n"
    "  - {email: room@acme.example, name: Room, kind: resource, zone: Europe/Rome}\n"
    "  - {email: bot@acme.example, name: Bot, kind: bot}\n"
    "  - {email: svc@acme.example, name: Service, kind: service}\n"
    "groups: [{email: all@acme.example, name: All, members: [bob@acme.example, "
    "cyd@acme.example]}]\n";

void gcal_choose(const char *options)
{
    test_use(arena_printf(&test_arena, "%sgoogleCalendar: {%s}\n", DOC, options));
}

int gcal_open_world(void **state)
{
    (void)state;
    return test_open(DOC);
}

int gcal_close_world(void **state)
{
    (void)state;
    return test_close();
}

const struct json *as_if(const char *who, const char *etag, const char *method, const char *target,
                         const char *body)
{
    struct sosia_header headers[] = {
        {"Authorization", test_bearer(who, NULL)},
        {"Content-Type", "application/json"},
        {"If-Match", etag},
    };
    const char *text = quoted(body ? body : "");
    return test_request(method, arena_printf(&test_arena, "/calendar/v3%s", target), headers,
                        etag ? 3 : 2, text, strlen(text));
}

const struct json *as(const char *who, const char *method, const char *target, const char *body)
{
    return as_if(who, NULL, method, target, body);
}

void assert_refused(int status, const char *reason)
{
    const struct json *v = parsed(test_body, strlen(test_body));
    const char *said = text_at(v, "error.errors.0.reason");
    if (test_status != status || !said || strcmp(said, reason) != 0)
        fail_msg("%d %s expected: %d %s", status, reason, test_status, test_body);
    assert_int_equal(number_at(v, "error.code"), status);
}

const struct json *make_event(const char *id, const char *more)
{
    const struct json *v =
        as(ADA, "POST", "/calendars/primary/events",
           arena_printf(&test_arena,
                        "{'id':'%s','summary':'Event %s',"
                        "'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'Europe/Rome'},"
                        "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'Europe/Rome'}%s%s}",
                        id, id, *more ? "," : "", more));
    if (test_status != 200)
        fail_msg("event %s: %d %s", id, test_status, test_body);
    return v;
}

void share(const char *role, const char *scope)
{
    as(ADA, "POST", "/calendars/ada@acme.example/acl",
       arena_printf(&test_arena, "{'role':'%s','scope':%s}", role, scope));
    assert_int_equal(test_status, 200);
}

void share_with_bob(const char *role)
{
    share(role, "{'type':'user','value':'bob@acme.example'}");
}
