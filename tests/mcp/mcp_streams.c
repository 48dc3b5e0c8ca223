/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, sessions and subscriptions of the Model Context Protocol through the door. */
#include "tests/mcp/watched.h"

/* ---- a server's requests ---- */

#define FIXTURE "/mcp/conformance"
#define ACCEPTED                                                                                   \
    "\"result\":{\"action\":\"accept\",\"content\":{\"username\":\"u\",\"email\":\"e@x.example\"}" \
    "}"

static void a_tool_asks_its_client_and_goes_on(void **state)
{
    struct as as = {.session = session_of(FIXTURE, NULL)};
    bool over;
    (void)state;
    struct sosia_response *r =
        request("POST", FIXTURE, &as, CALL("7", "test_elicitation", "{\"message\":\"Who \\\"?\"}"));
    assert_int_equal(r->status, 200);
    assert_string_equal(header_of(r, "Content-Type"), "text/event-stream");
    const char *text = taken(r, &over);
    assert_false(over);
    assert_true(has(text, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"sosia-"));
    assert_true(has(text, "\"message\":\"Who \\\"?\""));
    assert_int_equal(answer(FIXTURE, &as, asked_id(text), ACCEPTED), 202);
    text = taken(r, &over);
    assert_true(over);
    assert_true(has(text, "\"id\":7,\"result\":"));
    assert_true(has(text, "User response: action=accept, content={\\\"username\\\":\\\"u\\\""));
    sosia_response_free(r);
    /* nobody needs a token here, and who has one may send it */
    assert_int_equal(status_of("POST", FIXTURE, &(struct as){.who = ADA}, INITIALIZE), 200);
}

static void an_answer_is_taken_once_and_from_its_client_alone(void **state)
{
    struct as as = {.session = session_of(FIXTURE, NULL)}, json = as;
    bool over;
    (void)state;
    struct sosia_response *r =
        request("POST", FIXTURE, &as, CALL("7", "test_sampling", "{\"prompt\":\"Hi\"}"));
    const char *id = asked_id(taken(r, &over));
    /* another endpoint, as another person: nobody waits there */
    assert_int_equal(answer("/mcp", &(struct as){.who = ADA}, id, ACCEPTED), 202);
    assert_int_equal(answer(FIXTURE, &as, "sosia-999", ACCEPTED), 202);
    assert_string_equal(taken(r, &over), "");
    assert_false(over);
    assert_int_equal(answer(FIXTURE, &as, id, "\"error\":{\"code\":-1,\"message\":\"no\"}"), 202);
    const char *text = taken(r, &over);
    assert_true(over && has(text, "the client refused") && has(text, "\"isError\":true"));
    assert_int_equal(answer(FIXTURE, &as, id, ACCEPTED), 202);
    assert_string_equal(taken(r, &over), "");
    sosia_response_free(r);
    /* who takes no events can't be asked */
    json.accept = "application/json";
    r = request("POST", FIXTURE, &json, CALL("8", "test_sampling", "{\"prompt\":\"Hi\"}"));
    assert_null(r->stream);
    assert_true(has(r->body, "-32600"));
    sosia_response_free(r);
}

static void a_request_ends_when_it_is_cancelled_or_nobody_answers(void **state)
{
    struct as as = {.session = session_of(FIXTURE, NULL)};
    bool over;
    (void)state;
    struct sosia_response *r =
        request("POST", FIXTURE, &as, CALL("\"a\"", "test_sampling", "{\"prompt\":\"Hi\"}"));
    taken(r, &over);
    assert_int_equal(status_of("POST", FIXTURE, &as,
                               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                               "\"params\":{\"requestId\":\"b\"}}"),
                     202);
    taken(r, &over);
    assert_false(over);
    assert_int_equal(status_of("POST", FIXTURE, &as,
                               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                               "\"params\":{\"requestId\":\"a\"}}"),
                     202);
    assert_string_equal(taken(r, &over), "");
    assert_true(over);
    sosia_response_free(r);
    r = request("POST", FIXTURE, &as, CALL("9", "test_sampling", "{\"prompt\":\"Hi\"}"));
    taken(r, &over);
    sosia_stream_idle(r->stream, 30000);
    assert_string_equal(taken(r, &over), ":\n\n");
    assert_false(over);
    sosia_stream_idle(r->stream, 300000);
    const char *text = taken(r, &over);
    assert_true(over && has(text, "\"id\":9") && has(text, "-32001"));
    sosia_response_free(r);
    /* a client that goes */
    r = request("POST", FIXTURE, &as, CALL("10", "test_sampling", "{\"prompt\":\"Hi\"}"));
    const char *id = asked_id(taken(r, &over));
    sosia_response_free(r);
    assert_int_equal(answer(FIXTURE, &as, id, ACCEPTED), 202);
}

/* ---- sessions ---- */

static void a_session_is_its_person_s_and_ends(void **state)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    struct as ada = {.who = ADA, .session = session_of("/mcp", ADA)};
    struct as bob = {.who = BOB, .session = ada.session}, bare = {.who = ADA};
    (void)state;
    assert_int_equal(status_of("POST", "/mcp", &ada, ping), 200);
    assert_int_equal(status_of("POST", "/mcp", &bare, ping), 200);
    assert_int_equal(status_of("POST", "/mcp", &bob, ping), 404);
    assert_int_equal(status_of("POST", "/mcp/gmail", &ada, ping), 404);
    struct sosia_response *again = request("POST", "/mcp", &ada, INITIALIZE);
    assert_true(*header_of(again, "Mcp-Session-Id"));
    assert_string_not_equal(header_of(again, "Mcp-Session-Id"), ada.session);
    sosia_response_free(again);
    assert_int_equal(status_of("GET", "/mcp", &bob, NULL), 404);
    assert_int_equal(status_of("DELETE", "/mcp", &bob, NULL), 404);
    assert_int_equal(status_of("GET", "/mcp", &bare, NULL), 405);
    assert_int_equal(status_of("DELETE", "/mcp", &bare, NULL), 405);
    struct sosia_response *r = request("GET", "/mcp", &ada, NULL);
    bool over;
    assert_int_equal(r->status, 200);
    assert_string_equal(taken(r, &over), "");
    assert_false(over);
    assert_int_equal(status_of("DELETE", "/mcp", &ada, NULL), 204);
    taken(r, &over);
    assert_true(over);
    sosia_response_free(r);
    assert_int_equal(status_of("POST", "/mcp", &ada, ping), 404);
    assert_int_equal(status_of("DELETE", "/mcp", &ada, NULL), 404);
}

static void a_reset_ends_sessions_and_streams(void **state)
{
    struct as ada = {.who = ADA, .session = session_of("/mcp", ADA)};
    bool over;
    (void)state;
    struct sosia_response *r = request("GET", "/mcp", &ada, NULL);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    taken(r, &over);
    assert_true(over);
    sosia_response_free(r);
    assert_int_equal(status_of("GET", "/mcp", &ada, NULL), 404);
}

/* ---- subscriptions ---- */

static void a_change_is_notified_to_who_subscribed(void **state)
{
    struct as ada = {.who = ADA, .session = session_of("/mcp", ADA)}, bare = {.who = ADA};
    bool over;
    (void)state;
    struct sosia_response *r = request("GET", "/mcp", &ada, NULL);
    assert_int_equal(status_of("POST", "/mcp", &bare, PATCH("lunch0000001", "A")), 200);
    assert_string_equal(taken(r, &over), "");
    assert_int_equal(
        status_of("POST", "/mcp", &ada, SUBSCRIBE("calendar://primary/events/lunch0000001")), 200);
    assert_int_equal(status_of("POST", "/mcp", &bare, PATCH("dinner000001", "B")), 200);
    assert_string_equal(taken(r, &over), "");
    assert_int_equal(status_of("POST", "/mcp", &bare, PATCH("lunch0000001", "C")), 200);
    assert_string_equal(taken(r, &over),
                        "id: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
                        "\"notifications/resources/updated\",\"params\":{\"uri\":"
                        "\"calendar://primary/events/lunch0000001\"}}\n\n");
    assert_int_equal(
        status_of("POST", "/mcp", &ada,
                  "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"resources/unsubscribe\",\"params\":{"
                  "\"uri\":\"calendar://primary/events/lunch0000001\"}}"),
        200);
    assert_int_equal(status_of("POST", "/mcp", &bare, PATCH("lunch0000001", "D")), 200);
    assert_string_equal(taken(r, &over), "");
    sosia_response_free(r);
}

#define WRITE(path, text)                                                                          \
    CALL("3", "write_file", "{\"path\":\"" path "\",\"content\":\"" text "\"}")

static void a_file_s_change_is_notified_to_who_subscribed(void **state)
{
    static const char fs[] = "/mcp/filesystem", memory[] = "/mcp?tools=localmemory";
    struct as ada = {.who = ADA, .session = session_of(fs, ADA)}, bare = {.who = ADA};
    struct as graph = {.who = ADA, .session = session_of(memory, ADA)};
    bool over;
    (void)state;
    assert_int_equal(status_of("POST", fs, &bare, WRITE("a b.txt", "one")), 200);
    assert_int_equal(status_of("POST", fs, &bare, WRITE("other", "one")), 200);
    struct sosia_response *r = request("GET", fs, &ada, NULL),
                          *g = request("GET", memory, &graph, NULL);
    assert_int_equal(status_of("POST", fs, &ada, SUBSCRIBE("file:///data/a%20b.txt")), 200);
    assert_int_equal(status_of("POST", memory, &graph, SUBSCRIBE("memory://knowledge-graph")), 200);
    assert_int_equal(status_of("POST", fs, &bare, WRITE("other", "two")), 200);
    assert_string_equal(taken(r, &over), "");
    assert_int_equal(status_of("POST", fs, &bare, WRITE("a b.txt", "two")), 200);
    assert_true(has(taken(r, &over), "{\"uri\":\"file:///data/a%20b.txt\"}"));
    taken(g, &over);
    assert_int_equal(status_of("POST", memory, &bare,
                               CALL("3", "create_entities",
                                    "{\"entities\":[{\"name\":\"A\",\"entityType\":\"b\","
                                    "\"observations\":[]}]}")),
                     200);
    assert_true(has(taken(g, &over), "{\"uri\":\"memory://knowledge-graph\"}"));
    sosia_response_free(r);
    sosia_response_free(g);
}

static void what_may_not_be_read_is_not_watched(void **state)
{
    struct as bob = {.who = BOB, .session = session_of("/mcp", BOB)};
    (void)state;
    static const char *const uris[] = {SUBSCRIBE("calendar://ada@acme.example"),
                                       SUBSCRIBE("calendar://primary/events/nothing00001"),
                                       SUBSCRIBE("slack://channels/C0NOTHERE1"), SUBSCRIBE("x:y")};
    for (size_t i = 0; i < SOSIA_LEN(uris); i++) {
        struct sosia_response *r = request("POST", "/mcp", &bob, uris[i]);
        assert_true(has(r->body, "-32002"));
        sosia_response_free(r);
    }
}

static void every_service_notifies(void **state)
{
    static const struct {
        const char *uri, *change, *list;
    } cases[] = {
        {SUBSCRIBE("calendar://primary"), PATCH("lunch0000001", "X"), NULL},
        {SUBSCRIBE("slack://channels/C0GENERAL1"),
         CALL("3", "slack_chat_postMessage", "{\"channel\":\"C0GENERAL1\",\"text\":\"Hi\"}"), NULL},
        {SUBSCRIBE("gmail://labels/SENT"),
         CALL("3", "gmail_users_messages_send",
              "{\"userId\":\"me\",\"body\":{\"raw\":"
              "\"VG86IGJvYkBhY21lLmV4YW1wbGUNCg0KSGkNCg==\"}}"),
         NULL},
        {SUBSCRIBE("calendar://primary"),
         CALL("3", "calendar_calendars_insert", "{\"body\":{\"summary\":\"Team\"}}"), "list"},
        {SUBSCRIBE("calendar://primary"),
         CALL("3", "gmail_users_labels_create", "{\"userId\":\"me\",\"body\":{\"name\":\"L\"}}"),
         "list"},
        {SUBSCRIBE("calendar://primary"),
         CALL("3", "drive_files_create", "{\"body\":{\"name\":\"F\"}}"), "list"},
        {SUBSCRIBE("calendar://primary"),
         CALL("3", "slack_conversations_create", "{\"name\":\"new\"}"), "list"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct as ada = {.who = ADA, .session = session_of("/mcp", ADA)}, bare = {.who = ADA};
        struct sosia_response *r = request("GET", "/mcp", &ada, NULL), *done;
        assert_int_equal(status_of("POST", "/mcp", &ada, cases[i].uri), 200);
        done = request("POST", "/mcp", &bare, cases[i].change);
        const char *text = taken(r, NULL);
        if (has(done->body, "\"isError\":true") ||
            !has(text, cases[i].list ? "notifications/resources/list_changed"
                                     : "notifications/resources/updated"))
            fail_msg("%zu: %s: %s", i, done->body, text);
        sosia_response_free(done);
        sosia_response_free(r);
    }
}

/* The value of a member of what the tool gives, the first of its name. */
static const char *called(const char *who, const char *message, const char *member)
{
    static char value[4][80];
    static unsigned next;
    char *to = value[next++ % SOSIA_LEN(value)], key[40];
    struct as as = {.who = who};
    struct sosia_response *r = request("POST", "/mcp", &as, message);
    snprintf(key, sizeof key, "\"%s\":\"", member);
    const char *at = strstr(r->body, "structuredContent"), *found = at ? strstr(at, key) : NULL;
    if (has(r->body, "\"isError\":true") || (*member && !found))
        fail_msg("%s: %s", message, r->body);
    snprintf(to, sizeof value[0], "%.*s", found ? (int)strcspn(found + strlen(key), "\"") : 0,
             found ? found + strlen(key) : "");
    sosia_response_free(r);
    return to;
}

/* A call of Ada's with ids of this test in the place of %s. */
__attribute__((format(printf, 2, 3))) static const char *ada_calls(const char *member,
                                                                   const char *fmt, ...)
{
    char message[1000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    return called(ADA, message, member);
}

/* Bob watches what he may read; Ada changes it, takes it from him, changes it again. */
static void assert_watched_until(const char *uri, const char *first, const char *end,
                                 const char *second)
{
    struct as bob = {.who = BOB, .session = session_of("/mcp", BOB)};
    struct sosia_response *r = request("GET", "/mcp", &bob, NULL);
    char message[400];
    snprintf(message, sizeof message, SUBSCRIBE("%s"), uri);
    assert_int_equal(status_of("POST", "/mcp", &bob, message), 200);
    called(ADA, first, "");
    if (!has(taken(r, NULL), "notifications/resources/updated"))
        fail_msg("%s: nothing came", uri);
    called(ADA, end, "");
    taken(r, NULL); /* a list of his has changed */
    called(ADA, second, "");
    const char *text = taken(r, NULL);
    if (has(text, "notifications/resources/updated"))
        fail_msg("%s: %s", uri, text);
    sosia_response_free(r);
    bob.last = "1"; /* nor is it kept for later */
    r = request("GET", "/mcp", &bob, NULL);
    assert_false(has(taken(r, NULL), "notifications/resources/updated"));
    sosia_response_free(r);
}

static void who_loses_a_calendar_is_notified_no_more(void **state)
{
    (void)state;
    ada_calls("id", CALL("1", "calendar_acl_insert",
                         "{\"calendarId\":\"primary\",\"body\":{\"role\":\"reader\",\"scope\":"
                         "{\"type\":\"user\",\"value\":\"" BOB "\"}}}"));
    assert_watched_until("calendar://" ADA, PATCH("lunch0000001", "A"),
                         CALL("1", "calendar_acl_delete",
                              "{\"calendarId\":\"primary\",\"ruleId\":\"user:" BOB "\"}"),
                         PATCH("lunch0000001", "B"));
}

#define RENAME CALL("1", "drive_files_update", "{\"fileId\":\"%s\",\"body\":{\"name\":\"%s\"}}")

static void who_loses_a_file_is_notified_no_more(void **state)
{
    char uri[200], first[400], end[400], second[400];
    (void)state;
    const char *file =
        ada_calls("id", CALL("1", "drive_files_create", "{\"body\":{\"name\":\"F\"}}"));
    const char *grant =
        ada_calls("id",
                  CALL("1", "drive_permissions_create",
                       "{\"fileId\":\"%s\",\"sendNotificationEmail\":false,\"body\":{\"type\":"
                       "\"user\",\"role\":\"reader\",\"emailAddress\":\"" BOB "\"}}"),
                  file);
    snprintf(uri, sizeof uri, "gdrive:///%s", file);
    snprintf(first, sizeof first, RENAME, file, "A");
    snprintf(second, sizeof second, RENAME, file, "B");
    snprintf(end, sizeof end,
             CALL("1", "drive_permissions_delete", "{\"fileId\":\"%s\",\"permissionId\":\"%s\"}"),
             file, grant);
    assert_watched_until(uri, first, end, second);
}

static void who_loses_a_channel_is_notified_no_more(void **state)
{
    char uri[200], post[400], end[400];
    (void)state;
    const char *bob = called(BOB, CALL("1", "slack_auth_test", "{}"), "user_id");
    const char *channel = ada_calls(
        "id", CALL("1", "slack_conversations_create", "{\"name\":\"secret\",\"is_private\":true}"));
    ada_calls("id",
              CALL("1", "slack_conversations_invite", "{\"channel\":\"%s\",\"users\":\"%s\"}"),
              channel, bob);
    snprintf(uri, sizeof uri, "slack://channels/%s", channel);
    snprintf(post, sizeof post,
             CALL("1", "slack_chat_postMessage", "{\"channel\":\"%s\",\"text\":\"Hi\"}"), channel);
    snprintf(end, sizeof end,
             CALL("1", "slack_conversations_kick", "{\"channel\":\"%s\",\"user\":\"%s\"}"), channel,
             bob);
    assert_watched_until(uri, post, end, post);
}

static void a_client_that_comes_back_gets_what_it_missed(void **state)
{
    struct as ada = {.who = ADA, .session = session_of("/mcp", ADA)}, bare = {.who = ADA};
    (void)state;
    assert_int_equal(status_of("POST", "/mcp", &ada, SUBSCRIBE("calendar://primary")), 200);
    struct sosia_response *r = request("GET", "/mcp", &ada, NULL);
    assert_int_equal(status_of("POST", "/mcp", &bare, PATCH("lunch0000001", "A")), 200);
    assert_true(has(taken(r, NULL), "id: 1\n"));
    sosia_response_free(r);
    for (int i = 0; i < 2; i++)
        assert_int_equal(status_of("POST", "/mcp", &bare,
                                   i ? PATCH("lunch0000001", "B") : PATCH("lunch0000001", "C")),
                         200);
    ada.last = "1";
    r = request("GET", "/mcp", &ada, NULL);
    const char *text = taken(r, NULL);
    assert_true(!has(text, "id: 1\n") && has(text, "id: 2\n") && has(text, "id: 3\n"));
    sosia_response_free(r);
    ada.last = NULL;
    r = request("GET", "/mcp", &ada, NULL);
    assert_string_equal(taken(r, NULL), "");
    sosia_response_free(r);
    ada.last = "x";
    assert_int_equal(status_of("GET", "/mcp", &ada, NULL), 400);
}

/* A policy that leaves a method out of lists. */
static void deny(const char *method)
{
    const char *text = arena_printf(&test_arena,
                                    "policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, "
                                    "call: {method: %s}}]\n",
                                    method);
    if (sosia_policy_set(test_engine, test_world, text, strlen(text), "p.yaml", NULL, &test_err) <
        0)
        fail_msg("%s", test_err.text);
}

static bool is_listed(const char *tool)
{
    struct sosia_response *r = request("POST", "/mcp", &(struct as){.who = ADA},
                                       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    bool found = has(r->body, arena_printf(&test_arena, "\"name\":\"%s\"", tool));
    sosia_response_free(r);
    return found;
}

static void a_list_of_tools_that_changes_is_announced(void **state)
{
    static const char changed[] = "\"method\":\"notifications/tools/list_changed\"}";
    static const char missing[] = "{\"faults\":1,\"rules\":[{\"name\":\"gone\",\"fault\":"
                                  "\"missing\",\"methods\":[\"calendar.events.insert\"]}]}";
    struct as ada = {.who = ADA, .session = session_of("/mcp", ADA)};
    struct as to = {.who = ADA, .session = ada.session, .accept = "text/event-stream"};
    struct sosia_response *r = request("GET", "/mcp", &to, NULL);
    (void)state;
    assert_true(is_listed("calendar_events_delete"));
    deny("calendar.events.delete");
    assert_true(has(taken(r, NULL), changed));
    assert_false(is_listed("calendar_events_delete"));
    assert_int_equal(sosia_policy_remove(test_engine, test_world, "p", &test_err), 0);
    assert_true(has(taken(r, NULL), changed));
    assert_true(is_listed("calendar_events_delete"));
    if (sosia_world_faults(test_engine, test_world, missing, sizeof missing - 1, "f.json",
                           &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_true(has(taken(r, NULL), changed));
    assert_false(is_listed("calendar_events_insert"));
    assert_int_equal(status_of("POST", "/mcp", &ada, PATCH("lunch0000001", "A")), 200);
    assert_false(has(taken(r, NULL), changed));
    sosia_response_free(r);
}

static void a_listener_gets_what_it_asked_for(void **state)
{
    struct as ada = {.who = ADA, .stateless = true, .method = "subscriptions/listen"};
    struct as bare = {.who = ADA};
    bool over;
    (void)state;
    struct sosia_response *r =
        request("POST", "/mcp", &ada,
                LISTEN("\"s\"", "{\"toolsListChanged\":true,\"resourceSubscriptions\":["
                                "\"calendar://primary\"]}"));
    assert_int_equal(r->status, 200);
    assert_string_equal(
        taken(r, &over),
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
        "acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"s\"},"
        "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":["
        "\"calendar://primary\"]}}}\n\n");
    assert_false(over);
    assert_int_equal(status_of("POST", "/mcp", &bare, PATCH("lunch0000001", "A")), 200);
    assert_string_equal(
        taken(r, &over),
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
        "updated\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"s\"},"
        "\"uri\":\"calendar://primary\"}}\n\n");
    deny("calendar.events.delete");
    assert_string_equal(
        taken(r, &over),
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
        "list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":"
        "\"s\"}}}\n\n");
    sosia_response_free(r);
    r = request("POST", "/mcp", &ada, LISTEN("1", "{\"resourceSubscriptions\":[\"x:y\"]}"));
    assert_true(has(r->body, "-32602"));
    sosia_response_free(r);
    r = request("POST", "/mcp", &ada, LISTEN("1", "{\"resourceSubscriptions\":7}"));
    assert_true(has(r->body, "-32602"));
    sosia_response_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tool_asks_its_client_and_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_answer_is_taken_once_and_from_its_client_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_request_ends_when_it_is_cancelled_or_nobody_answers,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_session_is_its_person_s_and_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_ends_sessions_and_streams, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_is_notified_to_who_subscribed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_s_change_is_notified_to_who_subscribed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_may_not_be_read_is_not_watched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_service_notifies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_loses_a_calendar_is_notified_no_more, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_loses_a_file_is_notified_no_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_loses_a_channel_is_notified_no_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_comes_back_gets_what_it_missed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_list_of_tools_that_changes_is_announced, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_listener_gets_what_it_asked_for, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
