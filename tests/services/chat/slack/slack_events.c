/* SPDX-License-Identifier: Apache-2.0 */
/* What apps are told: which events, who gets them, envelopes and signatures, retries, Socket Mode,
 * incoming webhooks. */
#include "tests/support/slack.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The app takes events over HTTP, or (SOCKET) over WebSockets. */
#define SETTINGS(how, events)                                                                      \
    "chatApps:\n  - client_id: '1.2'\n    settings: {" how "bot_events: [" events "]}\n"
#define OVER_HTTP "events_url: 'https://app.example/events', "
#define SOCKET    "socket_mode: true, "

/* ---- entries of the outbox ---- */

static const struct json *entries(size_t *ret_n)
{
    const struct json *all = test_outbox();
    *ret_n = all->n;
    return all;
}

/* The i-th entry's body, parsed. */
static const struct json *body_of(const struct json *all, size_t i)
{
    const struct json *v;
    const char *text = text_at(&all->items[i], "payload.body");
    assert_int_equal(json_parse(&test_arena, text, strlen(text), NULL, &v, &test_err), 0);
    return v;
}

/* Types of the inner events of all entries, with their subtypes: "message/message_changed ...". */
static const char *told(void)
{
    size_t n;
    const struct json *all = entries(&n);
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        const struct json *event = json_get(body_of(all, i), "event");
        const char *subtype = json_get_str(event, "subtype");
        text =
            arena_printf(&test_arena, "%s%s%s%s%s", text, i ? " " : "", json_get_str(event, "type"),
                         subtype ? "/" : "", subtype ? subtype : "");
    }
    return text;
}

/* ---- over HTTP ---- */

static void a_message_goes_to_an_app_in_the_channel(void **state)
{
    size_t n;
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels"));
    const struct json *posted = slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    slack(ALICE, "chat.postMessage", "channel=" GENERAL "&text=elsewhere");
    const struct json *all = entries(&n), *v = body_of(all, 0);
    assert_int_equal(n, 1);
    assert_string_equal(text_at(&all->items[0], "payload.method"), "POST");
    assert_string_equal(text_at(&all->items[0], "payload.url"), "https://app.example/events");
    assert_string_equal(text_at(v, "team_id"), "T0ACME");
    assert_string_equal(text_at(v, "api_app_id"), "A0DEPLOY");
    assert_string_equal(text_at(v, "type"), "event_callback");
    assert_int_equal(number_at(v, "event_time"), 1771185600);
    assert_string_equal(text_at(v, "authorizations.0.user_id"), "U0DEPLOY");
    assert_true(true_at(v, "authorizations.0.is_bot"));
    assert_memory_equal(text_at(v, "event_id"), "Ev", 2);
    assert_memory_equal(text_at(v, "event_context"), "4-", 2);
    assert_string_equal(text_at(v, "event.type"), "message");
    assert_string_equal(text_at(v, "event.user"), "U0BOB");
    assert_string_equal(text_at(v, "event.text"), "hello");
    assert_string_equal(text_at(v, "event.channel"), DEV);
    assert_string_equal(text_at(v, "event.channel_type"), "channel");
    assert_string_equal(text_at(v, "event.ts"), text_at(posted, "ts"));
    assert_string_equal(text_at(v, "event.event_ts"), text_at(posted, "ts"));
}

static void requests_are_signed_with_the_time_of_the_attempt(void **state)
{
    unsigned char digest[32];
    char hex[68] = "v0=";
    size_t n;
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    test_advance(60);
    const struct json *all = entries(&n);
    const char *time = text_at(&all->items[0], "payload.headers.X-Slack-Request-Timestamp");
    assert_string_equal(time, "1771185600");
    const char *text =
        arena_printf(&test_arena, "v0:%s:%s", time, text_at(&all->items[0], "payload.body"));
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, "s1gn", 4, text, strlen(text), digest);
    for (size_t i = 0; i < sizeof digest; i++)
        sprintf(hex + 3 + 2 * i, "%02x", digest[i]);
    assert_string_equal(text_at(&all->items[0], "payload.headers.X-Slack-Signature"), hex);
}

static void answer(int64_t entry, int64_t attempt, const struct sosia_outcome *o,
                   int64_t *ret_again_us)
{
    assert_int_equal(
        sosia_delivery_outcome(test_engine, test_world, entry, attempt, o, ret_again_us, &test_err),
        0);
}

static void deliveries_are_tried_four_times(void **state)
{
    static const char *const reasons[] = {NULL, "http_error", "http_timeout", "connection_failed"};
    static const struct sosia_outcome bad[] = {{.status = 500, .body = ""},
                                               {.error = "slow", .reason = "timeout"},
                                               {.error = "closed", .reason = "connect"},
                                               {.error = "odd"}};
    static const int waits[] = {1, 60, 300, 0};
    int64_t again;
    size_t n;
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    for (int i = 0; i < 4; i++) {
        const struct json *all = entries(&n),
                          *headers = value_at(&all->items[0], "payload.headers");
        assert_int_equal(n, 1);
        const char *reason = json_get_str(headers, "X-Slack-Retry-Reason");
        if (!reasons[i])
            assert_null(reason);
        else
            assert_string_equal(reason, reasons[i]);
        if (i)
            assert_int_equal(atoi(json_get_str(headers, "X-Slack-Retry-Num")), i);
        answer(1, i + 1, &bad[i], &again);
        assert_int_equal(again != 0, i < 3);
        test_advance(waits[i]);
    }
    assert_string_equal(text_at(&entries(&n)->items[0], "delivery.state"), "given up");
}

static void an_app_can_ask_for_no_retry(void **state)
{
    static const struct sosia_header no = {"x-slack-no-retry", "1"};
    int64_t again = 1;
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    test_outbox();
    answer(1, 1, &(struct sosia_outcome){.status = 500, .body = "", .headers = &no, .n_headers = 1},
           &again);
    assert_int_equal(again, 0);
}

static void failures_have_the_services_words(void **state)
{
    static const struct {
        struct sosia_outcome outcome;
        const char *word;
    } cases[] = {
        {{.error = "many", .reason = "redirects"}, "too_many_redirects"},
        {{.error = "odd", .reason = "tls"}, "ssl_error"},
        {{.error = "odd", .reason = "never seen"}, "unknown_error"},
        {{.status = 304, .body = ""}, "http_error"},
        {{.status = 199, .body = "\xff{", .body_len = 2}, "http_error"},
    };
    int64_t again;
    size_t n;
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels"));
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
        entries(&n);
        answer((int64_t)i + 1, 1, &cases[i].outcome, &again);
        assert_int_not_equal(again, 0);
        test_advance(1);
        const struct json *all = entries(&n);
        assert_string_equal(text_at(&all->items[i], "payload.headers.X-Slack-Retry-Reason"),
                            cases[i].word);
        answer((int64_t)i + 1, 2,
               &(struct sosia_outcome){.status = 204, .body = "\xff{", .body_len = 2}, &again);
        assert_int_equal(again, 0);
    }
}

/* A delivery that fails, of an address whose last hour was so; whether the next event is sent. */
static bool goes_on(const char *hour)
{
    static const struct sosia_header no = {"X-Slack-No-Retry", "1"};
    int64_t again;
    size_t n;
    slack_use_with(arena_printf(
        &test_arena, SETTINGS(OVER_HTTP, "message.channels") "    endpoint: {%s}\n", hour));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=one");
    entries(&n);
    assert_int_equal(n, 1);
    answer(1, 1, &(struct sosia_outcome){.status = 500, .body = "", .headers = &no, .n_headers = 1},
           &again);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=two");
    entries(&n);
    return n == 2;
}

static void an_address_that_fails_all_the_time_is_given_up(void **state)
{
    assert_true(goes_on("sent: 999, failed: 948, hour: 1771185000"));
    assert_false(goes_on("sent: 999, failed: 949, hour: 1771185000"));
    assert_true(goes_on("sent: 998, failed: 998, hour: 1771185000"));
    assert_true(goes_on("sent: 5000, failed: 5000, hour: 1771182000"));
}

/* ---- which events ---- */

static void what_happens_to_messages(void **state)
{
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels, app_mention, reaction_added, "
                                       "reaction_removed, pin_added, pin_removed"));
    const struct json *v = slack(BOB, "chat.postMessage", "channel=" DEV "&text=<@U0DEPLOY> hi");
    const char *ts = text_at(v, "ts");
    slack(BOB, "chat.update", "channel=" DEV "&ts=%s&text=<@U0DEPLOY> ho", ts);
    slack(ALICE, "reactions.add", "channel=" DEV "&timestamp=%s&name=eyes", ts);
    slack(ALICE, "reactions.remove", "channel=" DEV "&timestamp=%s&name=eyes", ts);
    slack(ALICE, "pins.add", "channel=" DEV "&timestamp=%s", ts);
    slack(ALICE, "pins.remove", "channel=" DEV "&timestamp=%s", ts);
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=re&thread_ts=%s", ts);
    slack(BOB, "chat.delete", "channel=" DEV "&ts=%s", ts);
    v = slack(BOB, "chat.postMessage", "channel=" DEV "&text=gone");
    slack(BOB, "chat.delete", "channel=" DEV "&ts=%s", text_at(v, "ts"));
    assert_string_equal(
        told(), "message app_mention message/message_changed reaction_added reaction_removed "
                "pin_added pin_removed message message/message_changed message/message_changed "
                "message message/message_deleted");
}

static void what_a_change_says(void **state)
{
    size_t n;
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels"));
    const char *ts = text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=one"), "ts");
    slack(BOB, "chat.update", "channel=" DEV "&ts=%s&text=two", ts);
    slack(BOB, "chat.delete", "channel=" DEV "&ts=%s", ts);
    const struct json *all = entries(&n), *v = json_get(body_of(all, 1), "event");
    assert_int_equal(n, 3);
    assert_string_equal(text_at(v, "message.text"), "two");
    assert_string_equal(text_at(v, "message.edited.user"), "U0BOB");
    assert_string_equal(text_at(v, "previous_message.text"), "one");
    assert_true(true_at(v, "hidden"));
    assert_string_equal(text_at(v, "channel"), DEV);
    assert_string_equal(text_at(v, "ts"), text_at(v, "event_ts"));
    v = json_get(body_of(all, 2), "event");
    assert_string_equal(text_at(v, "deleted_ts"), ts);
    assert_string_equal(text_at(v, "previous_message.text"), "two");
}

static void an_app_shows_links_by_what_it_was_told(void **state)
{
#define SHOWN "unfurls={\"https://x.example/1\":{\"text\":\"One\"}}"
    size_t n;
    slack_use_with("chatApps:\n  - client_id: '1.2'\n    settings: {" OVER_HTTP
                   "bot_events: [link_shared], unfurl_domains: [x.example]}\n");
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=see https://x.example/1");
    const struct json *v = json_get(body_of(entries(&n), 0), "event");
    const char *id = text_at(v, "unfurl_id");
    assert_string_equal(text_at(v, "source"), "conversations_history");
    slack(BOT, "chat.unfurl", SHOWN "&source=conversations_history&unfurl_id=%s", id);
    assert_slack(NULL);
    v = slack(BOB, "conversations.history", "channel=" DEV "&limit=1");
    assert_string_equal(text_at(v, "messages.0.attachments.0.text"), "One");
    assert_string_equal(text_at(v, "messages.0.attachments.0.app_unfurl_url"),
                        "https://x.example/1");
    slack(BOT, "chat.unfurl", SHOWN "&unfurl_id=%s", id);
    assert_slack("missing_source");
    slack(BOT, "chat.unfurl", SHOWN "&source=composer");
    assert_slack("missing_unfurl_id");
    slack(BOT, "chat.unfurl", SHOWN "&source=elsewhere&unfurl_id=%s", id);
    assert_slack("invalid_source");
    slack(BOT, "chat.unfurl", SHOWN "&source=composer&unfurl_id=%s", id);
    assert_slack("invalid_unfurl_id");
    slack(BOT, "chat.unfurl", SHOWN "&source=conversations_history&unfurl_id=%s0", id);
    assert_slack("invalid_unfurl_id");
    slack(BOT, "chat.unfurl", SHOWN "&source=conversations_history&unfurl_id=C0DEV.1.2");
    assert_slack("invalid_unfurl_id");
    slack(BOB, "chat.unfurl", SHOWN "&source=conversations_history&unfurl_id=%s", id);
    assert_slack("invalid_unfurl_id"); /* another's */
    slack(BOT, "chat.unfurl", SHOWN);
    assert_slack("missing_channel");
}

static void what_happens_to_channels_and_people(void **state)
{
    slack_use_with(SETTINGS(OVER_HTTP,
                            "channel_created, channel_rename, channel_archive, "
                            "member_joined_channel, member_left_channel, channel_left, "
                            "user_change, user_status_changed, star_added, subteam_created, "
                            "subteam_members_changed, dnd_updated_user"));
    slack(ALICE, "conversations.create", "name=fresh");
    slack(CAROL, "conversations.join", "channel=" DEV);
    slack(CAROL, "conversations.leave", "channel=" DEV);
    slack(ALICE, "conversations.rename", "channel=" DEV "&name=devel");
    slack_json(BOB, "users.profile.set", "{'profile':{'status_text':'away'}}");
    slack(ALICE, "stars.add", "channel=" DEV); /* a person's own: not for bots */
    const struct json *g = slack(ALICE, "usergroups.create", "name=Ops&handle=ops");
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=U0BOB", text_at(g, "usergroup.id"));
    slack(ALICE, "dnd.setSnooze", "num_minutes=5");
    slack(ALICE, "conversations.kick", "channel=" DEV "&user=U0DEPLOY");
    assert_string_equal(
        told(),
        "channel_created member_joined_channel member_left_channel channel_rename "
        "user_change user_status_changed subteam_created subteam_members_changed dnd_updated_user "
        "channel_left");
}

static const char TWO_APPS[] =
    "sosia: 1\n"
    "time: 2026-02-15T20:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: bob@acme.example, name: Bob Stone}\n"
    "  - {handle: one, kind: bot, name: One}\n"
    "  - {handle: two, kind: bot, name: Two}\n"
    "apps:\n"
    "  - {client_id: '1.2', name: One, vendor: slack, bot: one}\n"
    "  - {client_id: '3.4', name: Two, vendor: slack, bot: two}\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    name: Acme\n"
    "    members:\n"
    "      - {actor: bob@acme.example, id: U0BOB, name: bob, role: owner}\n"
    "      - {actor: one, id: U0ONE, name: one}\n"
    "      - {actor: two, id: U0TWO, name: two}\n"
    "    apps:\n"
    "      - {client_id: '1.2', id: A0ONE, bot: B0ONE, scopes: 'users:read',\n"
    "         settings: {events_url: 'https://one.example/', bot_events: [user_change]}}\n"
    "      - {client_id: '3.4', id: A0TWO, bot: B0TWO, scopes: 'users:read,users:read.email',\n"
    "         settings: {events_url: 'https://two.example/', bot_events: [user_change]}}\n";

static void addresses_of_people_are_for_apps_that_may_read_them(void **state)
{
    size_t n;
    test_use(TWO_APPS);
    slack_json(BOB, "users.profile.set", "{'profile':{'status_text':'away'}}");
    assert_slack(NULL);
    const struct json *all = entries(&n), *one = body_of(all, 0), *two = body_of(all, 1);
    assert_int_equal(n, 2);
    assert_string_equal(text_at(one, "api_app_id"), "A0ONE");
    assert_string_equal(text_at(one, "event.user.profile.status_text"), "away");
    assert_null(json_get(value_at(one, "event.user.profile"), "email"));
    assert_string_equal(text_at(two, "api_app_id"), "A0TWO");
    assert_string_equal(text_at(two, "event.user.profile.email"), BOB);
}

static void nobody_is_told_who_does_not_subscribe(void **state)
{
    size_t n;
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    entries(&n);
    assert_int_equal(n, 0);
    slack_use_with(SETTINGS(OVER_HTTP, "message.im"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    entries(&n);
    assert_int_equal(n, 0);
    slack(BOB, "chat.postMessage", "channel=U0DEPLOY&text=psst");
    assert_string_equal(told(), "message");
}

static void a_fork_is_not_told_what_its_parent_was(void **state)
{
    struct sosia_blob list;
    uint64_t fork;
    slack_use_with(SETTINGS(OVER_HTTP, "message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_int_equal(sosia_world_wake(test_engine, fork, &test_err), 0);
    assert_int_equal(sosia_outbox_list(test_engine, fork, 0, 0, &list, &test_err), 0);
    assert_null(strstr(list.data, "pending"));
    sosia_blob_free(&list);
    assert_string_equal(told(), "message");
}

/* ---- Socket Mode ---- */

struct client {
    struct sosia_session *session;
    const char *got[20];
    int n, at, closed;
};

static void on_send(void *arg, const char *data, size_t len)
{
    struct client *c = arg;
    assert_true(c->n < 20);
    c->got[c->n++] = arena_memdup(&test_arena, data, len);
}

static void on_close(void *arg, int code, const char *reason)
{
    struct client *c = arg;
    c->closed = code;
}

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

static int join_at(struct client *c, const char *target)
{
    static const struct sosia_session_calls calls = {on_send, on_close};
    static const struct sosia_header host = {"Host", "wss-primary.slack.com"};
    struct sosia_request r = {.method = "GET", .target = target, .headers = &host, .n_headers = 1};
    struct sosia_response *res;
    assert_int_equal(
        sosia_session_open(test_engine, test_world, &r, &calls, c, &c->session, &res, &test_err),
        0);
    int status = res->status;
    sosia_response_free(res);
    return status;
}

static void join(struct client *c)
{
    memset(c, 0, sizeof *c);
    assert_int_equal(join_at(c, socket_url()), 101);
}

static void leave(struct client *c)
{
    sosia_session_close(c->session, 1000);
    c->session = NULL;
}

/* The next frame, parsed. */
static const struct json *frame(struct client *c)
{
    const struct json *v;
    assert_true(c->at < c->n);
    const char *text = c->got[c->at++];
    assert_int_equal(json_parse(&test_arena, text, strlen(text), NULL, &v, &test_err), 0);
    return v;
}

static void acknowledge_with(struct client *c, const struct json *envelope, const char *payload)
{
    const char *text = arena_printf(&test_arena, "{\"envelope_id\":\"%s\",\"payload\":%s}",
                                    json_get_str(envelope, "envelope_id"), payload);
    assert_int_equal(sosia_session_frame(c->session, text, strlen(text), false, &test_err), 0);
}

static void acknowledge(struct client *c, const struct json *envelope)
{
    acknowledge_with(c, envelope, "{}");
}

static void wake(void)
{
    assert_int_equal(sosia_world_wake(test_engine, test_world, &test_err), 0);
}

static void a_socket_gets_events_and_acknowledges_them(void **state)
{
    struct client c;
    size_t n;
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    join(&c);
    const struct json *v = frame(&c);
    assert_string_equal(text_at(v, "type"), "hello");
    assert_int_equal(number_at(v, "num_connections"), 1);
    assert_string_equal(text_at(v, "connection_info.app_id"), "A0DEPLOY");
    assert_int_equal(number_at(v, "debug_info.approximate_connection_time"), 18060);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    wake();
    v = frame(&c);
    assert_string_equal(text_at(v, "type"), "events_api");
    assert_false(true_at(v, "accepts_response_payload"));
    assert_int_equal(number_at(v, "retry_attempt"), 0);
    assert_string_equal(text_at(v, "retry_reason"), "");
    assert_string_equal(text_at(v, "payload.event.text"), "hello");
    assert_int_equal(strlen(text_at(v, "envelope_id")), 36);
    acknowledge(&c, v);
    assert_string_equal(text_at(&entries(&n)->items[0], "delivery.state"), "delivered");
    test_advance(3600);
    assert_int_equal(c.at, c.n);
    leave(&c);
}

static void what_is_not_acknowledged_comes_again(void **state)
{
    struct client c;
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    join(&c);
    frame(&c);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    wake();
    const struct json *first = frame(&c);
    test_advance(3);
    const struct json *v = frame(&c);
    assert_int_equal(number_at(v, "retry_attempt"), 1);
    assert_string_equal(text_at(v, "retry_reason"), "timeout");
    assert_string_equal(text_at(v, "payload.event_id"), text_at(first, "payload.event_id"));
    assert_string_not_equal(text_at(v, "envelope_id"), text_at(first, "envelope_id"));
    acknowledge(&c, v);
    test_advance(3600);
    assert_int_equal(c.at, c.n);
    leave(&c);
}

static void connections_take_turns(void **state)
{
    struct client a, b;
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    join(&a);
    join(&b);
    assert_int_equal(number_at(frame(&b), "num_connections"), 2);
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
    struct client c = {0};
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    const char *url = socket_url();
    assert_int_equal(join_at(&c, url), 101);
    leave(&c);
    assert_int_not_equal(join_at(&c, url), 101);
    assert_null(c.session);
    url = socket_url();
    test_advance(120);
    assert_int_not_equal(join_at(&c, url), 101);
    slack_call("GET", "/api/apps.connections.open", NULL, app_token(), NULL);
    assert_slack("insecure_request");
    slack(BOT, "apps.connections.open", "x=1");
    assert_slack("not_allowed_token_type");
}

static void old_connections_are_asked_to_end(void **state)
{
    struct client c;
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    join(&c);
    frame(&c);
    test_advance(18050);
    const struct json *v = frame(&c);
    assert_string_equal(text_at(v, "type"), "disconnect");
    assert_string_equal(text_at(v, "reason"), "warning");
    test_advance(10);
    assert_string_equal(text_at(frame(&c), "reason"), "refresh_requested");
    leave(&c);
}

static void ten_connections_are_enough(void **state)
{
    struct client many[11];
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    for (int i = 0; i < 11; i++)
        join(&many[i]);
    const struct json *v = frame(&many[10]);
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
static const struct json *command(struct client *c, struct sosia_response **ret)
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
    const struct json *v = frame(c);
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
    struct client c;
    slack_use_with("chatApps:\n  - client_id: '1.2'\n    settings: {socket_mode: true, commands: "
                   "[{command: /deploy}]}\n");
    sosia_engine_on_outbox(test_engine, on_pending, NULL);
    join(&c);
    frame(&c);
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
    struct client a, b;
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    set_socket_mode(true);
    join(&a);
    join(&b);
    frame(&a);
    frame(&b);
    set_socket_mode(true);
    wake();
    assert_int_equal(a.at, a.n);
    set_socket_mode(false);
    wake();
    const struct json *v = frame(&a);
    assert_string_equal(text_at(v, "type"), "disconnect");
    assert_string_equal(text_at(v, "reason"), "link_disabled");
    assert_string_equal(text_at(frame(&b), "reason"), "link_disabled");
    leave(&a);
    leave(&b);
    join(&a);
    assert_string_equal(text_at(frame(&a), "reason"), "link_disabled");
    assert_int_equal(a.closed, 1000);
    leave(&a);
}

static void connections_end_with_their_app(void **state)
{
    struct client c;
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    join(&c);
    frame(&c);
    slack_call("POST", "/api/apps.manifest.delete", "application/x-www-form-urlencoded",
               slack_token(ALICE, "app_configurations:write"), "app_id=A0DEPLOY");
    assert_slack(NULL);
    wake();
    assert_string_equal(text_at(frame(&c), "reason"), "link_disabled");
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
    struct client c;
    slack_use_with(SETTINGS(SOCKET, "message.channels"));
    join(&c);
    frame(&c);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(sosia_session_frame(c.session, bad[i], strlen(bad[i]), false, &test_err),
                         0);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    wake();
    assert_string_equal(text_at(frame(&c), "type"), "events_api");
    leave(&c);
}

/* ---- incoming webhooks ---- */

#define HOOK                                                                                       \
    "chatWebhooks:\n"                                                                              \
    "  - {id: B0HOOK, app: '1.2', channel: dev, user: U0ALICE, secret: abcdefgh12345678}\n"        \
    "  - {id: B0GONE, app: '1.2', channel: dev, user: U0ALICE, secret: abcdefgh12345678, "         \
    "deleted: true}\n"

static int post_to(const char *path, const char *type, const char *body)
{
    const struct sosia_header headers[] = {{"Host", "hooks.slack.com"}, {"Content-Type", type}};
    test_request("POST", path, headers, 2, body, strlen(body));
    return test_status;
}

static void webhooks_post(void **state)
{
    static const char url[] = "/services/T0ACME/B0HOOK/abcdefgh12345678";
    slack_use_with(HOOK);
    assert_int_equal(post_to(url, "application/json", "{\"text\":\"deployed\"}"), 200);
    assert_string_equal(test_body, "ok");
    assert_int_equal(post_to(url, "application/x-www-form-urlencoded",
                             "payload=%7B%22text%22%3A%22by%20form%22%7D"),
                     200);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.text"), "by form");
    assert_string_equal(text_at(v, "messages.1.text"), "deployed");
    assert_string_equal(text_at(v, "messages.1.subtype"), "bot_message");
    assert_string_equal(text_at(v, "messages.1.bot_id"), "B0DEPLOY");
}

static void webhooks_refuse_in_plain_text(void **state)
{
    static const struct {
        const char *url, *body;
        int status;
        const char *word;
    } cases[] = {
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{", 400, "invalid_payload"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "[]", 400, "invalid_payload"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{}", 400, "no_text"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{\"blocks\":[{\"type\":\"odd\"}]}", 400,
         "invalid_blocks"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{\"text\":\"x\",\"thread_ts\":\"1.000001\"}",
         400, "invalid_thread_ts"},
        {"/services/T0ACME/B0HOOK/abcdefgh12345678", "{\"text\":7,\"blocks\":{}}", 400,
         "invalid_blocks"},
        {"/services/T0ACME/B0GONE/abcdefgh12345678", "{\"text\":\"x\"}", 404, "no_active_hooks"},
        {"/services/T0ACME/B0HOOK/wrong", "{\"text\":\"x\"}", 403, "invalid_token"},
        {"/services/T0ACME/B0NONE/abcdefgh12345678", "{\"text\":\"x\"}", 404, "no_service"},
        {"/services/T0NONE/B0HOOK/abcdefgh12345678", "{\"text\":\"x\"}", 404, "no_team"},
    };
    slack_use_with(HOOK);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        assert_int_equal(post_to(cases[i].url, "application/json", cases[i].body), cases[i].status);
        assert_string_equal(test_body, cases[i].word);
    }
    assert_int_equal(post_to(cases[0].url, "application/x-www-form-urlencoded", "text=x"), 400);
    assert_string_equal(test_body, "invalid_payload");
    slack(ALICE, "conversations.archive", "channel=" DEV);
    assert_int_equal(post_to(cases[0].url, "application/json", "{\"text\":\"x\"}"), 410);
    assert_string_equal(test_body, "channel_is_archived");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_message_goes_to_an_app_in_the_channel),
        slack_test(requests_are_signed_with_the_time_of_the_attempt),
        slack_test(deliveries_are_tried_four_times),
        slack_test(an_app_can_ask_for_no_retry),
        slack_test(failures_have_the_services_words),
        slack_test(an_address_that_fails_all_the_time_is_given_up),
        slack_test(what_happens_to_messages),
        slack_test(what_a_change_says),
        slack_test(an_app_shows_links_by_what_it_was_told),
        slack_test(what_happens_to_channels_and_people),
        slack_test(addresses_of_people_are_for_apps_that_may_read_them),
        slack_test(nobody_is_told_who_does_not_subscribe),
        slack_test(a_fork_is_not_told_what_its_parent_was),
        slack_test(a_socket_gets_events_and_acknowledges_them),
        slack_test(what_is_not_acknowledged_comes_again),
        slack_test(connections_take_turns),
        slack_test(an_address_is_good_once),
        slack_test(old_connections_are_asked_to_end),
        slack_test(ten_connections_are_enough),
        slack_test(a_command_is_answered_over_a_socket),
        slack_test(connections_end_with_socket_mode),
        slack_test(connections_end_with_their_app),
        slack_test(frames_of_any_shape_do_no_harm),
        slack_test(webhooks_post),
        slack_test(webhooks_refuse_in_plain_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
