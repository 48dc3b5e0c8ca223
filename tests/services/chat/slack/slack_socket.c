/* SPDX-License-Identifier: Apache-2.0 */
/* Socket Mode: connections, what comes over them and is acknowledged, when they end. */
#include "tests/support/slack.h"
#include <string.h>

#define SETTINGS(events)                                                                           \
    "chatApps:\n"                                                                                  \
    "  - client_id: '1.2'\n"                                                                       \
    "    settings: {socket_mode: true, bot_events: [" events "]}\n"

/* ---- connections ---- */

static const char *app_token(void)
{
    struct sosia_blob text;
    const struct json *v;
    assert_int_equal(sosia_credential(test_engine, test_world, "slack", BOT, "", &text, &test_err),
                     0);
    assert_int_equal(json_parse(&test_arena, text.data, text.len, NULL, &v, &test_err), 0);
    const char *token = json_get_str(v, "slack_app");
    sosia_blob_free(&text);
    return token;
}

static const char *socket_url(void)
{
    const struct json *v =
        slack_call("POST", "/api/apps.connections.open", NULL, app_token(), NULL);
    assert_slack(NULL);
    const char *url = text_at(v, "url"), *link = strstr(url, "/link/?");
    assert_memory_equal(url, "wss://wss-primary.slack.com/link/?ticket=", 41);
    return link;
}

static void join(struct slack_client *c)
{
    memset(c, 0, sizeof *c);
    assert_int_equal(slack_connect(c, socket_url()), 101);
}

static void leave(struct slack_client *c)
{
    sosia_session_close(c->session, 1000);
    c->session = NULL;
}

static void acknowledge_with(struct slack_client *c, const struct json *envelope,
                             const char *payload)
{
    const char *text = arena_printf(&test_arena, "{\"envelope_id\":\"%s\",\"payload\":%s}",
                                    json_get_str(envelope, "envelope_id"), payload);
    assert_int_equal(sosia_session_frame(c->session, text, strlen(text), false, &test_err), 0);
}

static void acknowledge(struct slack_client *c, const struct json *envelope)
{
    acknowledge_with(c, envelope, "{}");
}

static void wake(void)
{
    assert_int_equal(sosia_world_wake(test_engine, test_world, &test_err), 0);
}

static void a_socket_gets_events_and_acknowledges_them(void **state)
{
    struct slack_client c;
    size_t n;
    slack_use_with(SETTINGS("message.channels"));
    join(&c);
    const struct json *v = slack_frame(&c);
    assert_string_equal(text_at(v, "type"), "hello");
    assert_int_equal(number_at(v, "num_connections"), 1);
    assert_string_equal(text_at(v, "connection_info.app_id"), "A0DEPLOY");
    assert_int_equal(number_at(v, "debug_info.approximate_connection_time"), 18060);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    wake();
    v = slack_frame(&c);
    assert_string_equal(text_at(v, "type"), "events_api");
    assert_false(true_at(v, "accepts_response_payload"));
    assert_int_equal(number_at(v, "retry_attempt"), 0);
    assert_string_equal(text_at(v, "retry_reason"), "");
    assert_string_equal(text_at(v, "payload.event.text"), "hello");
    assert_int_equal(strlen(text_at(v, "envelope_id")), 36);
    acknowledge(&c, v);
    assert_string_equal(text_at(&slack_entries(&n)->items[0], "delivery.state"), "delivered");
    test_advance(3600);
    assert_int_equal(c.at, c.n);
    leave(&c);
}

static void what_is_not_acknowledged_comes_again(void **state)
{
    struct slack_client c;
    slack_use_with(SETTINGS("message.channels"));
    join(&c);
    slack_frame(&c);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    wake();
    const struct json *first = slack_frame(&c);
    test_advance(3);
    const struct json *v = slack_frame(&c);
    assert_int_equal(number_at(v, "retry_attempt"), 1);
    assert_string_equal(text_at(v, "retry_reason"), "timeout");
    assert_string_equal(text_at(v, "payload.event_id"), text_at(first, "payload.event_id"));
    assert_string_not_equal(text_at(v, "envelope_id"), text_at(first, "envelope_id"));
    acknowledge(&c, v);
    test_advance(3600);
    assert_int_equal(c.at, c.n);
    leave(&c);
}

/* Who connects late has as long for the first attempt as who was there. */
static void an_attempt_lasts_from_its_frame(void **state)
{
    struct slack_client c;
    slack_use_with(SETTINGS("message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    test_advance(2);
    join(&c);
    slack_frame(&c);
    assert_int_equal(number_at(slack_frame(&c), "retry_attempt"), 0);
    test_advance(2);
    assert_int_equal(c.at, c.n);
    leave(&c);
    join(&c); /* what it lost comes at once, and has a minute from now on */
    slack_frame(&c);
    assert_int_equal(number_at(slack_frame(&c), "retry_attempt"), 1);
    test_advance(59);
    assert_int_equal(c.at, c.n);
    test_advance(1);
    const struct json *v = slack_frame(&c);
    assert_int_equal(number_at(v, "retry_attempt"), 2);
    acknowledge(&c, v);
    leave(&c);
}

/* Attempts end one after the other, whatever is acknowledged between them, and one that began later
 * may end first. */
static void each_attempt_ends_at_its_own_time(void **state)
{
    struct slack_client c;
    slack_use_with(SETTINGS("message.channels"));
    join(&c);
    slack_frame(&c);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=one");
    test_advance(1);
    slack_frame(&c);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=two");
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=three");
    wake();
    acknowledge(&c, slack_frame(&c));
    slack_frame(&c);
    test_advance(2);
    const struct json *v = slack_frame(&c);
    assert_string_equal(text_at(v, "payload.event.text"), "one");
    assert_int_equal(number_at(v, "retry_attempt"), 1);
    assert_int_equal(c.at, c.n);
    test_advance(1);
    v = slack_frame(&c);
    assert_string_equal(text_at(v, "payload.event.text"), "three");
    acknowledge(&c, v);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=four");
    wake();
    slack_frame(&c);
    test_advance(3); /* "one" has a minute now */
    v = slack_frame(&c);
    assert_string_equal(text_at(v, "payload.event.text"), "four");
    assert_int_equal(number_at(v, "retry_attempt"), 1);
    assert_int_equal(c.at, c.n);
    acknowledge(&c, v);
    test_advance(56);
    v = slack_frame(&c);
    assert_string_equal(text_at(v, "payload.event.text"), "one");
    assert_int_equal(number_at(v, "retry_attempt"), 2);
    assert_int_equal(c.at, c.n);
    leave(&c);
}

static int64_t attempts_of(size_t entry)
{
    size_t n;
    const struct json *entries = slack_entries(&n);
    assert_true(entry < n);
    return number_at(&entries->items[entry], "delivery.attempts");
}

/* What a fork has of its parent's stays as it is; its own end in time. */
static void attempts_of_a_fork_end_beside_its_parents(void **state)
{
    const struct sosia_fork_options inherit = {.inherit_deliveries = true};
    uint64_t parent, heir, fork;
    slack_use_with(SETTINGS("message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=one");
    wake();
    parent = test_world;
    assert_int_equal(sosia_world_fork(test_engine, parent, NULL, &fork, &test_err), 0);
    assert_int_equal(sosia_world_fork(test_engine, parent, &inherit, &heir, &test_err), 0);
    test_world = fork;
    test_advance(1);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=two");
    test_advance(3);
    assert_int_equal(attempts_of(0), 0);
    assert_int_equal(attempts_of(1), 1);
    test_world = heir;
    test_advance(4);
    assert_int_equal(attempts_of(0), 1);
    assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
    assert_int_equal(sosia_world_drop(test_engine, heir, &test_err), 0);
    test_world = parent;
}

static void connections_take_turns(void **state)
{
    struct slack_client a, b;
    slack_use_with(SETTINGS("message.channels"));
    join(&a);
    join(&b);
    assert_int_equal(number_at(slack_frame(&b), "num_connections"), 2);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=one");
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=two");
    wake();
    assert_int_equal(a.n, 2);
    assert_int_equal(b.n, 2);
    leave(&a); /* what it had goes to the other one */
    assert_int_equal(b.n, 3);
    leave(&b);
}

static void an_address_is_good_once(void **state)
{
    struct slack_client c = {0};
    slack_use_with(SETTINGS("message.channels"));
    const char *url = socket_url();
    assert_int_equal(slack_connect(&c, url), 101);
    leave(&c);
    assert_int_not_equal(slack_connect(&c, url), 101);
    assert_null(c.session);
    url = socket_url();
    test_advance(120);
    assert_int_not_equal(slack_connect(&c, url), 101);
    slack_call("GET", "/api/apps.connections.open", NULL, app_token(), NULL);
    assert_slack("insecure_request");
    slack(BOT, "apps.connections.open", "x=1");
    assert_slack("not_allowed_token_type");
}

static void old_connections_are_asked_to_end(void **state)
{
    struct slack_client c;
    slack_use_with(SETTINGS("message.channels"));
    join(&c);
    slack_frame(&c);
    test_advance(18050);
    const struct json *v = slack_frame(&c);
    assert_string_equal(text_at(v, "type"), "disconnect");
    assert_string_equal(text_at(v, "reason"), "warning");
    test_advance(10);
    assert_string_equal(text_at(slack_frame(&c), "reason"), "refresh_requested");
    leave(&c);
}

static void ten_connections_are_enough(void **state)
{
    struct slack_client many[11];
    slack_use_with(SETTINGS("message.channels"));
    for (int i = 0; i < 11; i++)
        join(&many[i]);
    const struct json *v = slack_frame(&many[10]);
    assert_string_equal(text_at(v, "reason"), "too_many_websockets");
    assert_int_equal(number_at(v, "num_connections"), 10);
    assert_int_not_equal(many[10].closed, 0);
    for (int i = 0; i < 11; i++)
        leave(&many[i]);
}

/* Gives the app a manifest with Socket Mode, or without. */
static void set_socket_mode(bool on)
{
    const char *body = arena_printf(
        &test_arena,
        "{\"app_id\":\"A0DEPLOY\",\"manifest\":{\"display_information\":{\"name\":\"D\"},"
        "\"settings\":{\"socket_mode_enabled\":%s}}}",
        on ? "true" : "false");
    slack_call("POST", "/api/apps.manifest.update", "application/json; charset=utf-8",
               slack_token(ALICE, "app_configurations:write"), body);
    assert_slack(NULL);
}

/* ---- what people do, over Socket Mode ---- */

static void on_pending(void *arg, uint64_t world, int64_t first, int64_t last)
{
}

static void on_answer(void *arg, struct sosia_response *response)
{
    *(struct sosia_response **)arg = response;
}

/* Alice gives the app's command; the call waits for the app, which gets its frame. */
static const struct json *command(struct slack_client *c, struct sosia_response **ret)
{
    const char *body =
        quoted("{'do':{'command':{'channel':'C0DEV','command':'/deploy','text':'live'}}}");
    const struct sosia_header headers[] = {
        {"Host", "slack.com"},
        {"Content-Type", "application/json; charset=utf-8"},
        {"Authorization", arena_printf(&test_arena, "Bearer %s", slack_token(ALICE, NULL))}};
    const struct sosia_request r = {.method = "POST",
                                    .target = "/_act/slack",
                                    .headers = headers,
                                    .n_headers = SOSIA_LEN(headers),
                                    .body = body,
                                    .body_len = strlen(body)};
    *ret = NULL;
    sosia_call_async(test_engine, test_world, &r, on_answer, ret);
    assert_null(*ret);
    const struct json *v = slack_frame(c);
    assert_string_equal(text_at(v, "type"), "slash_commands");
    assert_true(true_at(v, "accepts_response_payload"));
    assert_string_equal(text_at(v, "payload.command"), "/deploy");
    assert_string_equal(text_at(v, "payload.text"), "live");
    assert_null(json_get(v, "retry_attempt"));
    return v;
}

static const struct json *answered(struct sosia_response *r)
{
    assert_non_null(r);
    assert_int_equal(r->status, 200);
    const struct json *v = parsed(arena_memdup(&test_arena, r->body, r->body_len), r->body_len);
    sosia_response_free(r);
    return v;
}

static void a_command_is_answered_over_a_socket(void **state)
{
    struct sosia_response *r;
    struct slack_client c;
    slack_use_with("chatApps:\n  - client_id: '1.2'\n    settings: {socket_mode: true, commands: "
                   "[{command: /deploy}]}\n");
    sosia_engine_on_outbox(test_engine, on_pending, NULL);
    join(&c);
    slack_frame(&c);
    acknowledge_with(&c, command(&c, &r), "{\"response_type\":\"in_channel\",\"text\":\"On it\"}");
    assert_string_equal(text_at(answered(r), "message.text"), "On it");
    acknowledge(&c, command(&c, &r));
    assert_null(json_get(answered(r), "message"));
    test_advance(10);
    assert_int_equal(c.at, c.n);
    leave(&c);
}

static void connections_end_with_socket_mode(void **state)
{
    struct slack_client a, b;
    slack_use_with(SETTINGS("message.channels"));
    set_socket_mode(true);
    join(&a);
    join(&b);
    slack_frame(&a);
    slack_frame(&b);
    set_socket_mode(true);
    wake();
    assert_int_equal(a.at, a.n);
    set_socket_mode(false);
    wake();
    const struct json *v = slack_frame(&a);
    assert_string_equal(text_at(v, "type"), "disconnect");
    assert_string_equal(text_at(v, "reason"), "link_disabled");
    assert_string_equal(text_at(slack_frame(&b), "reason"), "link_disabled");
    leave(&a);
    leave(&b);
    join(&a);
    assert_string_equal(text_at(slack_frame(&a), "reason"), "link_disabled");
    assert_int_equal(a.closed, 1000);
    leave(&a);
}

static void connections_end_with_their_app(void **state)
{
    struct slack_client c;
    slack_use_with(SETTINGS("message.channels"));
    join(&c);
    slack_frame(&c);
    slack_call("POST", "/api/apps.manifest.delete", "application/x-www-form-urlencoded",
               slack_token(ALICE, "app_configurations:write"), "app_id=A0DEPLOY");
    assert_slack(NULL);
    wake();
    assert_string_equal(text_at(slack_frame(&c), "reason"), "link_disabled");
    leave(&c);
}

static void frames_of_any_shape_do_no_harm(void **state)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "null",
                                      "{}",
                                      "{\"envelope_id\":1}",
                                      "{\"envelope_id\":\"00000000-0000-4000-8000-000000000000\"}",
                                      "{\"envelope_id\":\"x\",\"payload\":[]}"};
    struct slack_client c;
    slack_use_with(SETTINGS("message.channels"));
    join(&c);
    slack_frame(&c);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(sosia_session_frame(c.session, bad[i], strlen(bad[i]), false, &test_err),
                         0);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    wake();
    assert_string_equal(text_at(slack_frame(&c), "type"), "events_api");
    leave(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_socket_gets_events_and_acknowledges_them),
        slack_test(what_is_not_acknowledged_comes_again),
        slack_test(an_attempt_lasts_from_its_frame),
        slack_test(each_attempt_ends_at_its_own_time),
        slack_test(attempts_of_a_fork_end_beside_its_parents),
        slack_test(connections_take_turns),
        slack_test(an_address_is_good_once),
        slack_test(old_connections_are_asked_to_end),
        slack_test(ten_connections_are_enough),
        slack_test(a_command_is_answered_over_a_socket),
        slack_test(connections_end_with_socket_mode),
        slack_test(connections_end_with_their_app),
        slack_test(frames_of_any_shape_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
