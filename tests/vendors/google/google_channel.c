/* SPDX-License-Identifier: Apache-2.0 */
/* Push channels on an API of our own: a list that can be watched, and a method that changes it. */
#include "engine/world/event.h"
#include "engine/service.h"
#include "vendors/google/google.h"
#include "identity/identity.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

static int watch(struct call *c)
{
    return google_channel_watch(c, "notes", 7);
}

static int change(struct call *c)
{
    event_note(&c->tx, "notes", OP_CHANGED, 7, 0);
    event_note(&c->tx, "notes", OP_CHANGED, 8, 0);
    event_note(&c->tx, "notes", OP_CHANGED, 7, 0);
    if (call_query_item(c, "fail"))
        return call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, "%s", "");
    c->status = 204;
    return 0;
}

static const struct route routes[] = {
    {.id = "notes.notes.watch",
     .verbs = POST,
     .paths = PATHS("/notes/v1/notes/watch"),
     .handler = watch,
     .risk = RISK_WRITE,
     .body = BODY_JSON},
    {.id = "notes.notes.change",
     .verbs = POST,
     .paths = PATHS("/notes/v1/notes"),
     .handler = change,
     .risk = RISK_WRITE},
    {.id = "notes.channels.stop",
     .verbs = POST,
     .paths = PATHS("/notes/v1/channels/stop"),
     .handler = google_channel_stop,
     .risk = RISK_WRITE,
     .body = BODY_JSON},
};
static const struct rows all_rows = ROWS(routes);
static const struct google_api api = {.name = "notes",
                                      .version = "v1",
                                      .service_path = "notes/v1/",
                                      .service = "notes.googleapis.com",
                                      .method_prefix = "notes.v1."};
static const char *const prefixes[] = {"/notes", NULL};
static const struct dialect notes = {.name = "notes.google",
                                     .vendor = &google_vendor,
                                     .prefixes = prefixes,
                                     .tables = TABLES(&all_rows),
                                     .facts = &api};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, &google_core, NULL},
    .dialects = (const struct dialect *const[]){&notes, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-03-12T07:29:19.5Z\",\n"
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"},"
    "{\"email\":\"bob@acme.example\",\"name\":\"Bob\",\"zone\":\"Europe/Rome\"}],\n"
    "\"tokens\":[{\"token\":\"ada-token\",\"actor\":\"ada@acme.example\"},"
    "{\"token\":\"bob-token\",\"actor\":\"bob@acme.example\"}]}";

#define DAY INT64_C(86400000000)

static struct sosia_blob sent;
static uint64_t noted_world;
static int64_t noted_first;
static int n_noted;

static void note(void *arg, uint64_t w, int64_t first, int64_t last)
{
    noted_world = w;
    noted_first = first;
    n_noted++;
}

static int open_listening(void **state)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    sosia_engine_on_outbox(test_engine, note, NULL);
    return 0;
}

static int close_listening(void **state)
{
    sosia_blob_free(&sent);
    return test_close_engine(state);
}

static int make_world(void **state)
{
    n_noted = 0;
    test_world = test_world_of(DOC);
    return 0;
}

static void post(const char *target, const char *token, const char *body)
{
    char bearer[64];
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header auth = {"Authorization", bearer};
    struct sosia_request r = {.method = "POST",
                              .target = target,
                              .headers = &auth,
                              .n_headers = 1,
                              .body = body,
                              .body_len = strlen(body)};
    test_call(test_world, &r);
}

#define WATCH  "/notes/v1/notes/watch"
#define CHANGE "/notes/v1/notes"
#define STOP   "/notes/v1/channels/stop"
#define HOOK   "\"type\":\"web_hook\",\"address\":\"https://hooks.example/x\""

/* What the outbox holds. */
static const char *outbox(int64_t after)
{
    sosia_blob_free(&sent);
    if (sosia_outbox_list(test_engine, test_world, after, 0, &sent, &test_err) < 0)
        fail_msg("%s", test_err.text);
    return sent.data;
}

static void a_new_channel_says_so_and_sends_a_first_message(void **state)
{
    post(WATCH, "ada-token", "{\"id\":\"c-1\"," HOOK ",\"token\":\"t=1\"}");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(
        test_response->body,
        "{\n"
        "  \"kind\": \"api#channel\",\n"
        "  \"id\": \"c-1\",\n"
        "  \"resourceId\": \"F5dPOn7yAxq1BJBRdQtQVhQqEpg\",\n"
        "  \"resourceUri\": \"https://www.googleapis.com/notes/v1/notes?alt=json\",\n"
        "  \"token\": \"t=1\",\n"
        "  \"expiration\": \"1773905359000\"\n"
        "}\n");
    const char *text = outbox(0);
    static const char *const parts[] = {
        "\"kind\": \"webhook\"",
        "\"to\": \"https://hooks.example/x\"",
        "\"X-Goog-Channel-ID\": \"c-1\"",
        "\"X-Goog-Channel-Expiration\": \"Thu, 19 Mar 2026 07:29:19 GMT\"",
        "\"X-Goog-Resource-State\": \"sync\"",
        "\"X-Goog-Message-Number\": \"1\"",
        "\"X-Goog-Resource-ID\": \"F5dPOn7yAxq1BJBRdQtQVhQqEpg\"",
        "\"X-Goog-Resource-URI\": \"https://www.googleapis.com/notes/v1/notes?alt=json\"",
        "\"X-Goog-Channel-Token\": \"t=1\"",
        "\"body\": \"\"",
    };
    for (size_t i = 0; i < SOSIA_LEN(parts); i++)
        if (!strstr(text, parts[i]))
            fail_msg("no %s in %s", parts[i], text);
    assert_int_equal(n_noted, 1);
    assert_int_equal(noted_world, test_world);
    assert_int_equal(noted_first, 1);
}

static void a_change_sends_one_message_to_each_channel(void **state)
{
    post(WATCH, "ada-token", "{\"id\":\"c-1\"," HOOK "}");
    post(WATCH, "bob-token", "{\"id\":\"c-2\"," HOOK "}");
    post(CHANGE, "bob-token", "");
    const char *text = outbox(2);
    assert_non_null(strstr(text, "\"X-Goog-Channel-ID\": \"c-1\""));
    assert_non_null(strstr(text, "\"X-Goog-Channel-ID\": \"c-2\""));
    assert_non_null(strstr(text, "\"X-Goog-Resource-State\": \"exists\""));
    assert_non_null(strstr(text, "\"X-Goog-Message-Number\": \"2\""));
    assert_non_null(strstr(text, "\"id\": 4"));
    assert_null(strstr(text, "\"id\": 5"));
}

static void a_failed_call_sends_nothing(void **state)
{
    post(WATCH, "ada-token", "{\"id\":\"c-1\"," HOOK "}");
    post(CHANGE "?fail=1", "ada-token", "");
    assert_int_equal(test_response->status, 403);
    assert_string_equal(outbox(1), "[]\n");
}

static void a_channel_ends_when_the_worlds_clock_says_so(void **state)
{
    post(WATCH, "ada-token", "{\"id\":\"short\"," HOOK ",\"params\":{\"ttl\":\"3600\"}}");
    assert_non_null(strstr(test_response->body, "\"expiration\": \"1773304159000\""));
    post(WATCH, "ada-token", "{\"id\":\"long\"," HOOK ",\"expiration\":\"9999999999999\"}");
    assert_int_equal(sosia_clock_advance(test_engine, test_world, DAY, &test_err), 0);
    post(CHANGE, "ada-token", "");
    assert_null(strstr(outbox(2), "\"X-Goog-Channel-ID\": \"short\""));
    assert_non_null(strstr(outbox(2), "\"X-Goog-Channel-ID\": \"long\""));
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 30 * DAY, &test_err), 0);
    post(CHANGE, "ada-token", "");
    assert_string_equal(outbox(3), "[]\n");
}

static void a_stopped_channel_is_silent_and_unknown(void **state)
{
    static const char stop[] = "{\"id\":\"c-1\",\"resourceId\":\"F5dPOn7yAxq1BJBRdQtQVhQqEpg\"}";
    post(WATCH, "ada-token", "{\"id\":\"c-1\"," HOOK "}");
    post(STOP, "bob-token", stop);
    assert_int_equal(test_response->status, 404);
    post(STOP, "ada-token", "{\"id\":\"c-1\",\"resourceId\":\"x\"}");
    assert_int_equal(test_response->status, 404);
    post(STOP, "ada-token", stop);
    assert_int_equal(test_response->status, 204);
    post(CHANGE, "ada-token", "");
    assert_string_equal(outbox(1), "[]\n");
    post(STOP, "ada-token", stop);
    assert_int_equal(test_response->status, 404);
    assert_non_null(strstr(test_response->body, "Channel 'c-1' not found"));
    post(WATCH, "ada-token", "{\"id\":\"c-1\"," HOOK "}");
    assert_int_equal(test_response->status, 200);
}

static void what_is_no_channel_is_refused(void **state)
{
    static const struct {
        const char *body, *reason;
    } cases[] = {
        {"{" HOOK "}", "required"},
        {"{\"id\":\"c\",\"type\":\"web_hook\"}", "required"},
        {"{\"id\":\"c\",\"address\":\"https://h.example/\"}", "required"},
        {"{\"id\":\"c\",\"type\":\"pigeon\",\"address\":\"https://h.example/\"}", "invalid"},
        {"{\"id\":\"a b\"," HOOK "}", "invalid"},
        {"{\"id\":\"0123456789012345678901234567890123456789012345678901234567890123x\"," HOOK "}",
         "invalid"},
        {"{\"id\":\"c\"," HOOK ",\"token\":\"a\\nb\"}", "invalid"},
        {"{\"id\":\"c\"," HOOK ",\"expiration\":\"1\"}", "invalid"},
        {"{\"id\":\"c\"," HOOK ",\"params\":{\"ttl\":\"-1\"}}", "invalid"},
        {"{\"id\":\"c\"," HOOK ",\"params\":{\"ttl\":\"9999999999999999999\"}}", "invalid"},
        {"{\"id\":\"c\",\"type\":\"web_hook\",\"address\":\"http://h.example/\"}",
         "push.webhookUrlNotHttps"},
        {"{\"id\":\"c\",\"type\":\"web_hook\",\"address\":\"http://127.evil.example/\"}",
         "push.webhookUrlNotHttps"},
        {"{\"id\":\"c\",\"type\":\"web_hook\",\"address\":\"https://\"}", "invalid"},
        {"{\"id\":\"c\",\"type\":\"web_hook\",\"address\":\"https://a/\\r\\nX: y\"}", "invalid"},
    };
    char reason[80];
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        post(WATCH, "ada-token", cases[i].body);
        snprintf(reason, sizeof reason, "\"reason\": \"%s\"", cases[i].reason);
        if (test_response->status != 400 || !strstr(test_response->body, reason))
            fail_msg("%zu: %d %s", i, test_response->status, test_response->body);
    }
    assert_string_equal(outbox(0), "[]\n");
    post(WATCH, "ada-token",
         "{\"id\":\"c\",\"type\":\"web_hook\",\"address\":\"http://localhost:99/\"}");
    assert_int_equal(test_response->status, 200);
    post(WATCH, "bob-token", "{\"id\":\"c\"," HOOK "}");
    assert_int_equal(test_response->status, 400);
    assert_non_null(strstr(test_response->body, "\"reason\": \"channelIdNotUnique\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_new_channel_says_so_and_sends_a_first_message, make_world),
        cmocka_unit_test_setup(a_change_sends_one_message_to_each_channel, make_world),
        cmocka_unit_test_setup(a_failed_call_sends_nothing, make_world),
        cmocka_unit_test_setup(a_channel_ends_when_the_worlds_clock_says_so, make_world),
        cmocka_unit_test_setup(a_stopped_channel_is_silent_and_unknown, make_world),
        cmocka_unit_test_setup(what_is_no_channel_is_refused, make_world),
    };
    return cmocka_run_group_tests(tests, open_listening, close_listening);
}
