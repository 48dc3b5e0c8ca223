/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/gcal.h"
#include "tests/support/carry.h"

struct sosia_engine *gcal_engine;
uint64_t gcal_world;
int gcal_status;
const char *gcal_body;

static struct sosia_err err;

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

void gcal_use(const char *doc)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_world_create(gcal_engine, &opt, &gcal_world, &err) < 0)
        fail_msg("create: %s", err.text);
}

void gcal_choose(const char *options)
{
    gcal_use(arena_printf(&test_arena, "%sgoogleCalendar: {%s}\n", DOC, options));
}

int gcal_open_world(void **state)
{
    (void)state;
    arena_init(&test_arena, 0);
    if (sosia_engine_open(NULL, &gcal_engine, &err) < 0)
        return -1;
    gcal_use(DOC);
    return 0;
}

int gcal_close_world(void **state)
{
    (void)state;
    int rc = export_and_import(gcal_engine, gcal_world);
    sosia_engine_close(gcal_engine);
    arena_done(&test_arena);
    return rc;
}

const struct json *as_if(const char *who, const char *etag, const char *method, const char *target,
                         const char *body)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = who};
    if (sosia_token_issue(gcal_engine, gcal_world, &opt, token, sizeof token, &err) < 0)
        fail_msg("token: %s", err.text);
    struct sosia_header headers[] = {
        {"Authorization", arena_printf(&test_arena, "Bearer %s", token)},
        {"Content-Type", "application/json"},
        {"If-Match", etag},
    };
    const char *text = quoted(body ? body : "");
    struct sosia_request r = {.method = method,
                              .target = arena_printf(&test_arena, "/calendar/v3%s", target),
                              .headers = headers,
                              .n_headers = etag ? 3 : 2,
                              .body = text,
                              .body_len = strlen(text)};
    struct sosia_response *answer;
    if (sosia_call(gcal_engine, gcal_world, &r, &answer, &err) < 0)
        fail_msg("call: %s", err.text);
    gcal_status = answer->status;
    gcal_body = arena_memdup(&test_arena, answer->body, answer->body_len);
    const struct json *v = parsed(gcal_body, answer->body_len);
    sosia_response_free(answer);
    return v;
}

const struct json *as(const char *who, const char *method, const char *target, const char *body)
{
    return as_if(who, NULL, method, target, body);
}

void assert_refused(int status, const char *reason)
{
    const struct json *v = parsed(gcal_body, strlen(gcal_body));
    const char *said = text_at(v, "error.errors.0.reason");
    if (gcal_status != status || !said || strcmp(said, reason) != 0)
        fail_msg("%d %s expected: %d %s", status, reason, gcal_status, gcal_body);
    assert_int_equal(number_at(v, "error.code"), status);
}

void gcal_advance(int64_t seconds)
{
    if (sosia_clock_advance(gcal_engine, gcal_world, seconds * 1000000, &err) < 0)
        fail_msg("clock: %s", err.text);
}

const struct json *gcal_outbox(void)
{
    return read_outbox(gcal_engine, gcal_world);
}

const struct json *gcal_dump(void)
{
    return read_dump(gcal_engine, gcal_world);
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
    if (gcal_status != 200)
        fail_msg("event %s: %d %s", id, gcal_status, gcal_body);
    return v;
}
