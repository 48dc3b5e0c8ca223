/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of MCP: the transport before, how many there may be, log messages. */
#include "tests/mcp/watched.h"

/* ---- the transport before ---- */

static void an_old_client_posts_beside_its_stream(void **state)
{
    struct as ada = {.who = ADA}, bob = {.who = BOB};
    char path[200];
    (void)state;
    struct sosia_response *r = request("GET", "/mcp/sse", &ada, NULL);
    assert_int_equal(r->status, 200);
    const char *text = taken(r, NULL);
    assert_int_equal(sscanf(text, "event: endpoint\ndata: %199s\n\n", path), 1);
    assert_true(strncmp(path, "/mcp/messages?session_id=", 25) == 0);
    assert_int_equal(status_of("POST", path, &bob, INITIALIZE), 404);
    assert_int_equal(status_of("POST", path, &ada, INITIALIZE), 202);
    assert_true(has(taken(r, NULL), "\"protocolVersion\":\"2025-11-25\""));
    assert_int_equal(status_of("POST", path, &ada, SUBSCRIBE("calendar://primary")), 202);
    assert_true(has(taken(r, NULL), "\"id\":2,\"result\":{}"));
    assert_int_equal(status_of("POST", path, &ada, PATCH("lunch0000001", "A")), 202);
    text = taken(r, NULL);
    assert_true(has(text, "notifications/resources/updated") && has(text, "\"id\":3,\"result\":"));
    assert_int_equal(status_of("POST", path, &ada, "{"), 400);
    sosia_response_free(r);
    assert_int_equal(status_of("POST", path, &ada, INITIALIZE), 404);
    r = request("GET", "/mcp/sse?risk=read", &ada, NULL);
    text = taken(r, NULL);
    assert_int_equal(sscanf(text, "event: endpoint\ndata: %199s\n\n", path), 1);
    assert_true(has(path, "&risk=read"));
    /* the newest revision on one stream, as over standard input and output */
    struct as newest = {.who = ADA, .stateless = true, .method = "subscriptions/listen"};
    assert_int_equal(status_of("POST", path, &newest,
                               LISTEN("5", "{\"resourceSubscriptions\":[\"calendar://primary\"]}")),
                     202);
    assert_true(has(taken(r, NULL), "subscriptions/acknowledged"));
    assert_int_equal(status_of("POST", "/mcp", &ada, PATCH("lunch0000001", "B")), 200);
    assert_true(has(taken(r, NULL), "\"io.modelcontextprotocol/subscriptionId\":5"));
    assert_int_equal(status_of("POST", path, &ada,
                               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                               "\"params\":{\"requestId\":5}}"),
                     202);
    assert_int_equal(status_of("POST", "/mcp", &ada, PATCH("lunch0000001", "C")), 200);
    assert_string_equal(taken(r, NULL), "");
    sosia_response_free(r);
    r = request("GET", "/mcp/calendar/sse", &ada, NULL);
    assert_true(has(taken(r, NULL), "data: /mcp/calendar/messages?session_id="));
    sosia_response_free(r);
}

/* ---- how many ---- */

#define MANY 1000

static void a_thousand_clients_listen(void **state)
{
    static struct sosia_response *streams[MANY];
    struct as ada = {.who = ADA, .stateless = true, .method = "subscriptions/listen"};
    struct as bare = {.who = ADA};
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        streams[i] = request("POST", "/mcp", &ada,
                             LISTEN("1", "{\"resourceSubscriptions\":[\"calendar://primary\"]}"));
        assert_true(has(taken(streams[i], NULL), "acknowledged"));
    }
    assert_int_equal(status_of("POST", "/mcp", &bare, PATCH("lunch0000001", "A")), 200);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(has(taken(streams[i], NULL), "updated"));
        sosia_response_free(streams[i]);
    }
}

static void a_reader_that_is_too_slow_loses_its_stream(void **state)
{
    struct as ada = {.who = ADA, .session = session_of("/mcp", ADA)}, bare = {.who = ADA};
    bool over = false;
    (void)state;
    assert_int_equal(status_of("POST", "/mcp", &ada, SUBSCRIBE("calendar://primary")), 200);
    struct sosia_response *r = request("GET", "/mcp", &ada, NULL);
    sosia_stream_wake(r->stream, 200, NULL, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(status_of("POST", "/mcp", &bare,
                                   i % 2 ? PATCH("lunch0000001", "A") : PATCH("lunch0000001", "B")),
                         200);
    taken(r, &over);
    assert_true(over);
    sosia_response_free(r);
}

/* ---- log messages ---- */

#define GET(id, event)                                                                             \
    CALL(id, "calendar_events_get", "{\"calendarId\":\"primary\",\"eventId\":\"" event "\"}")

static struct sosia_response *set_level(const struct as *as, const char *level)
{
    char body[200];
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"logging/setLevel\",\"params\":{\"level\":"
             "%s}}",
             level);
    return request("POST", "/mcp", as, body);
}

/* What a call is answered with: notifications that go before it are in it. */
static void answered(const struct as *as, const char *body, const char *expected, bool there)
{
    struct sosia_response *r = request("POST", "/mcp", as, body);
    if (has(r->body, expected) != there)
        fail_msg("%s: %s", expected, r->body);
    assert_true(has(r->body, "\"result\":"));
    sosia_response_free(r);
}

static void a_session_gets_log_messages_from_its_level_on(void **state)
{
    static const char *const levels[][2] = {
        {"\"debug\"", "\"result\":{}"}, {"\"loud\"", "-32602"}, {"7", "-32602"}};
    const struct as as = {.who = ADA, .session = session_of("/mcp", ADA)};
    const struct as other = {.who = ADA, .session = session_of("/mcp", ADA)}, none = {.who = ADA};
    struct sosia_response *r;
    (void)state;
    answered(&as, GET("4", "lunch0000001"), "notifications/message", false);
    for (size_t i = 0; i < SOSIA_LEN(levels); i++) {
        r = set_level(&as, levels[i][0]);
        assert_true(has(r->body, levels[i][1]));
        sosia_response_free(r);
    }
    r = request("POST", "/mcp", &as, GET("5", "lunch0000001"));
    assert_string_equal(header_of(r, "Content-Type"), "text/event-stream");
    assert_true(has(r->body,
                    "\"method\":\"notifications/message\",\"params\":{\"level\":\"debug\","
                    "\"logger\":\"sosia\",\"data\":{\"method\":\"GET\",\"path\":\"/calendar/v3/"
                    "calendars/primary/events/lunch0000001\",\"status\":200}}"));
    sosia_response_free(r);
    answered(&other, GET("6", "lunch0000001"), "notifications/message", false);
    answered(&none, GET("6", "lunch0000001"), "notifications/message", false);
    sosia_response_free(set_level(&as, "\"warning\""));
    answered(&as, GET("7", "lunch0000001"), "notifications/message", false);
    answered(&as, GET("8", "nothing"), "\"level\":\"warning\"", true);
    answered(&as, GET("9", "nothing"), "\"status\":404,\"error\":\"404 notFound", true);
    sosia_response_free(set_level(&as, "\"error\""));
    answered(&as, GET("8", "nothing"), "notifications/message", false);
    /* there is nothing to keep a level in */
    r = set_level(&none, "\"debug\"");
    assert_true(has(r->body, "-32600"));
    sosia_response_free(r);
}

static void nobody(void *arg, struct sosia_stream *s)
{
    (void)arg;
    (void)s;
}

/* Bytes come in their order to a reader who is never through. */
static void a_reader_that_is_always_behind_misses_nothing(void **state)
{
    static const struct stream_owner owner = {.gone = nobody};
    struct sosia_stream *s = stream_new(&owner, NULL);
    size_t put = 0, taken = 0;
    char text[600];
    (void)state;
    assert_non_null(s);
    for (unsigned round = 0; round < 5000; round++) {
        size_t n = round * 7919 % 500 + 1;
        for (size_t i = 0; i < n; i++)
            text[i] = (char)('a' + (put + i) % 26);
        assert_true(stream_put(s, text, n));
        put += n;
        size_t most = put - taken - 1 < sizeof text ? put - taken - 1 : sizeof text;
        int64_t got = most ? sosia_stream_take(s, text, most) : 0;
        for (int64_t i = 0; i < got; i++)
            assert_int_equal(text[i], 'a' + (taken + (size_t)i) % 26);
        taken += (size_t)got;
    }
    stream_unref(s);
    stream_close(s);
}

static void *reset_on(void *arg)
{
    _Atomic bool *stop = arg;
    struct sosia_err err;
    while (!*stop)
        sosia_world_reset(test_engine, test_world, &err);
    return NULL;
}

/* Also one that is opened while its world goes back: nothing would end it. */
static void a_stream_has_a_session_or_is_refused(void **state)
{
    _Atomic bool stop = false;
    pthread_t threads[3];
    int n = 0;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, reset_on, &stop), 0);
    for (int i = 0; i < 1000; i++) {
        bool over = true;
        struct sosia_response *r = request("GET", "/mcp/sse", &(struct as){.who = ADA}, NULL);
        assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
        if (r->stream)
            taken(r, &over);
        n += over;
        sosia_response_free(r);
    }
    stop = true;
    for (size_t i = 0; i < SOSIA_LEN(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(n, 1000);
}

/* Begins a session with a token; its id lives until the end of the test. */
static const char *begun(const char *token)
{
    char bearer[SOSIA_TOKEN_MAX + 8], *id;
    const struct sosia_header h[] = {{"Accept", "application/json, text/event-stream"},
                                     {"Content-Type", "application/json"},
                                     {"Authorization", bearer}};
    const struct sosia_request q = {.method = "POST",
                                    .target = "/mcp",
                                    .headers = h,
                                    .n_headers = 3,
                                    .body = INITIALIZE,
                                    .body_len = strlen(INITIALIZE)};
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    test_call(test_world, &q);
    assert_int_equal(test_response->status, 200);
    id = test_malloc(64);
    snprintf(id, 64, "%s", header_of(test_response, "Mcp-Session-Id"));
    return id;
}

static bool goes_on(const char *id, const char *who)
{
    return status_of("POST", "/mcp", &(struct as){.who = who, .session = id},
                     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}") == 200;
}

static void many_sessions_of_a_token_end_those_of_the_same_token(void **state)
{
    enum { TRIES = 20500, OF_TOKEN = 2000 };
    char ada[SOSIA_TOKEN_MAX], bob[SOSIA_TOKEN_MAX], again[SOSIA_TOKEN_MAX];
    struct sosia_token_options of_ada = {.actor = ADA}, of_bob = {.actor = BOB};
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &of_ada, ada, sizeof ada, &test_err), 0);
    of_ada.scopes = "https://www.googleapis.com/auth/calendar";
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &of_ada, again, sizeof again, &test_err), 0);
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &of_bob, bob, sizeof bob, &test_err), 0);
    const char *other = begun(bob), *another = begun(again), *first = begun(ada),
               *listened = begun(ada), *kept[2] = {NULL, NULL};
    struct sosia_response *stream =
        request("GET", "/mcp", &(struct as){.who = ADA, .session = listened}, NULL);
    assert_int_equal(stream->status, 200);
    for (int i = 0; i < TRIES; i++) {
        const char *id = begun(ada);
        /* of the last ones all but the one that is listened to are there */
        if (i == TRIES - OF_TOKEN || i == TRIES - OF_TOKEN + 1)
            kept[i - (TRIES - OF_TOKEN)] = id;
        else
            test_free((char *)(uintptr_t)id);
    }
    assert_true(goes_on(other, BOB));
    assert_true(goes_on(another, ADA));
    assert_false(goes_on(first, ADA));
    assert_true(goes_on(listened, ADA));
    assert_false(goes_on(kept[0], ADA));
    assert_true(goes_on(kept[1], ADA));
    sosia_response_free(stream);
    const char *const all[] = {other, another, first, listened, kept[0], kept[1]};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        test_free((char *)(uintptr_t)all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_old_client_posts_beside_its_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stream_has_a_session_or_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thousand_clients_listen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_that_is_too_slow_loses_its_stream, set_up,
                                        tear_down),
        cmocka_unit_test(a_reader_that_is_always_behind_misses_nothing),
        cmocka_unit_test_setup_teardown(many_sessions_of_a_token_end_those_of_the_same_token,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_session_gets_log_messages_from_its_level_on, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
