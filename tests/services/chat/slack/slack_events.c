/* SPDX-License-Identifier: Apache-2.0 */
/* What apps are sent: which events, who gets them, envelopes and signatures, retries. */
#include "tests/support/slack.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVER_HTTP "events_url: 'https://app.example/events', "
#define SETTINGS(events)                                                                           \
    "chatApps:\n  - client_id: '1.2'\n    settings: {" OVER_HTTP "bot_events: [" events "]}\n"

/* ---- entries of the outbox ---- */

/* Types of the inner events of all entries, with their subtypes: "message/message_changed ...". */
static const char *notified(void)
{
    size_t n;
    const struct json *all = slack_entries(&n);
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        const struct json *event = json_get(slack_entry_body(all, i), "event");
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
    slack_use_with(SETTINGS("message.channels"));
    const struct json *posted = slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    slack(ALICE, "chat.postMessage", "channel=" GENERAL "&text=elsewhere");
    const struct json *all = slack_entries(&n), *v = slack_entry_body(all, 0);
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
    slack_use_with(SETTINGS("message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    test_advance(60);
    const struct json *all = slack_entries(&n);
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
    slack_use_with(SETTINGS("message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    for (int i = 0; i < 4; i++) {
        const struct json *all = slack_entries(&n),
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
    assert_string_equal(text_at(&slack_entries(&n)->items[0], "delivery.state"), "given up");
}

static void an_app_can_ask_for_no_retry(void **state)
{
    static const struct sosia_header no = {"x-slack-no-retry", "1"};
    int64_t again = 1;
    slack_use_with(SETTINGS("message.channels"));
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
    slack_use_with(SETTINGS("message.channels"));
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
        slack_entries(&n);
        answer((int64_t)i + 1, 1, &cases[i].outcome, &again);
        assert_int_not_equal(again, 0);
        test_advance(1);
        const struct json *all = slack_entries(&n);
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
    slack_use_with(
        arena_printf(&test_arena, SETTINGS("message.channels") "    endpoint: {%s}\n", hour));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=one");
    slack_entries(&n);
    assert_int_equal(n, 1);
    answer(1, 1, &(struct sosia_outcome){.status = 500, .body = "", .headers = &no, .n_headers = 1},
           &again);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=two");
    slack_entries(&n);
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
    slack_use_with(SETTINGS("message.channels, app_mention, reaction_added, "
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
        notified(), "message app_mention message/message_changed reaction_added reaction_removed "
                    "pin_added pin_removed message message/message_changed message/message_changed "
                    "message message/message_deleted");
}

static void what_a_change_says(void **state)
{
    size_t n;
    slack_use_with(SETTINGS("message.channels"));
    const char *ts = text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=one"), "ts");
    slack(BOB, "chat.update", "channel=" DEV "&ts=%s&text=two", ts);
    slack(BOB, "chat.delete", "channel=" DEV "&ts=%s", ts);
    const struct json *all = slack_entries(&n), *v = json_get(slack_entry_body(all, 1), "event");
    assert_int_equal(n, 3);
    assert_string_equal(text_at(v, "message.text"), "two");
    assert_string_equal(text_at(v, "message.edited.user"), "U0BOB");
    assert_string_equal(text_at(v, "previous_message.text"), "one");
    assert_true(true_at(v, "hidden"));
    assert_string_equal(text_at(v, "channel"), DEV);
    assert_string_equal(text_at(v, "ts"), text_at(v, "event_ts"));
    v = json_get(slack_entry_body(all, 2), "event");
    assert_string_equal(text_at(v, "deleted_ts"), ts);
    assert_string_equal(text_at(v, "previous_message.text"), "two");
}

static void an_app_shows_links_by_what_it_was_sent(void **state)
{
#define SHOWN "unfurls={\"https://x.example/1\":{\"text\":\"One\"}}"
    size_t n;
    slack_use_with("chatApps:\n  - client_id: '1.2'\n    settings: {" OVER_HTTP
                   "bot_events: [link_shared], unfurl_domains: [x.example]}\n");
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=see https://x.example/1");
    const struct json *v = json_get(slack_entry_body(slack_entries(&n), 0), "event");
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
    slack_use_with(SETTINGS("channel_created, channel_rename, channel_archive, "
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
        notified(),
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
    const struct json *all = slack_entries(&n), *one = slack_entry_body(all, 0),
                      *two = slack_entry_body(all, 1);
    assert_int_equal(n, 2);
    assert_string_equal(text_at(one, "api_app_id"), "A0ONE");
    assert_string_equal(text_at(one, "event.user.profile.status_text"), "away");
    assert_null(json_get(value_at(one, "event.user.profile"), "email"));
    assert_string_equal(text_at(two, "api_app_id"), "A0TWO");
    assert_string_equal(text_at(two, "event.user.profile.email"), BOB);
}

static void nobody_is_notified_who_does_not_subscribe(void **state)
{
    size_t n;
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    slack_entries(&n);
    assert_int_equal(n, 0);
    slack_use_with(SETTINGS("message.im"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    slack_entries(&n);
    assert_int_equal(n, 0);
    slack(BOB, "chat.postMessage", "channel=U0DEPLOY&text=psst");
    assert_string_equal(notified(), "message");
}

static void a_fork_is_not_notified_of_its_parents_changes(void **state)
{
    struct sosia_blob list;
    uint64_t fork;
    slack_use_with(SETTINGS("message.channels"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=hello");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_int_equal(sosia_world_wake(test_engine, fork, &test_err), 0);
    assert_int_equal(sosia_outbox_list(test_engine, fork, 0, 0, &list, &test_err), 0);
    assert_null(strstr(list.data, "pending"));
    sosia_blob_free(&list);
    assert_string_equal(notified(), "message");
}

/* The inner event of the last entry. */
static const struct json *last_event(void)
{
    size_t n;
    const struct json *all = slack_entries(&n);
    return value_at(slack_entry_body(all, n - 1), "event");
}

/* docs.slack.dev, assistant_thread_started, assistant_thread_context_changed, assistant_app_thread;
 * the samples of Bolt for Python. */
static void a_thread_with_an_assistant_is_notified(void **state)
{
    size_t n;
    slack_use_with(SETTINGS("assistant_thread_started, assistant_thread_context_changed, "
                            "message.im"));
    const struct json *v = slack_does(ALICE, "'assist':{'app':'A0DEPLOY','context':'dev'}");
    const char *channel = text_at(v, "channel"), *ts = text_at(v, "thread_ts");
    assert_slack(NULL);
    assert_string_equal(notified(), "assistant_thread_started message/assistant_app_thread");
    const struct json *t = value_at(slack_entry_body(slack_entries(&n), 0), "event");
    assert_string_equal(text_at(t, "assistant_thread.user_id"), "U0ALICE");
    assert_string_equal(text_at(t, "assistant_thread.context.channel_id"), "C0DEV");
    assert_string_equal(text_at(t, "assistant_thread.context.team_id"), "T0ACME");
    assert_int_equal(value_at(t, "assistant_thread.context.enterprise_id")->type, JSON_NULL);
    assert_string_equal(text_at(t, "assistant_thread.channel_id"), channel);
    assert_string_equal(text_at(t, "assistant_thread.thread_ts"), ts);
    slack(ALICE, "chat.postMessage", "channel=%s&thread_ts=%s&text=hi", channel, ts);
    t = value_at(slack_entry_body(slack_entries(&n), 2), "event");
    assert_string_equal(text_at(t, "parent_user_id"), "U0DEPLOY");
    assert_non_null(text_at(t, "assistant_thread.action_token"));
    slack(BOT, "assistant.threads.setTitle", "channel_id=%s&thread_ts=%s&title=T", channel, ts);
    t = value_at(last_event(), "message");
    assert_string_equal(text_at(t, "subtype"), "assistant_app_thread");
    assert_string_equal(text_at(t, "assistant_app_thread.title"), "T");
    assert_int_equal(value_at(t, "assistant_app_thread.artifacts")->n, 0);
    slack_does(ALICE, "'assist':{'app':'A0DEPLOY','ts':'%s'}", ts);
    t = last_event();
    assert_string_equal(text_at(t, "type"), "assistant_thread_context_changed");
    assert_int_equal(value_at(t, "assistant_thread.context")->n, 0);
    slack_does(ALICE, "'assist':{'app':'A0DEPLOY','context':'" VAULT "'}");
    assert_slack("channel_not_found");
    slack_does(BOB, "'assist':{'app':'A0DEPLOY','ts':'%s'}", ts); /* in Alice's channel */
    assert_slack("thread_not_found");
    slack_use_with("chatApps: [{client_id: '1.2', manifest: {display_information: {name: D}}}]\n");
    slack_does(ALICE, "'assist':{'app':'A0DEPLOY'}");
    assert_slack("not_agent_app");
}

/* docs.slack.dev, agent_session_title_changed. */
static void a_session_that_a_person_renames_is_notified(void **state)
{
    slack_use_with(SETTINGS("agent_session_title_changed"));
    const char *ts =
        text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=Plan+a+trip"), "ts");
    slack_does(BOB, "'retitle':{'channel':'dev','ts':'%s','title':'Bora'}", ts);
    assert_slack("session_not_found");
    slack(BOT, "agents.sessions.setStatus",
          "channel_id=" DEV "&thread_ts=%s&status=active&title=Diving", ts);
    assert_slack(NULL);
    const struct json *v =
        slack_does(BOB, "'retitle':{'channel':'dev','ts':'%s','title':'Bora'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "title"), "Bora");
    const struct json *e = last_event();
    assert_string_equal(text_at(e, "type"), "agent_session_title_changed");
    assert_string_equal(text_at(e, "channel"), DEV);
    assert_string_equal(text_at(e, "thread_ts"), ts);
    assert_string_equal(text_at(e, "title"), "Bora");
    assert_string_equal(text_at(e, "previous_title"), "Diving");
    assert_string_equal(text_at(e, "team_id"), "T0ACME");
    assert_string_equal(text_at(e, "user"), "U0BOB");
    v = slack(BOT, "agents.sessions.setStatus", "channel_id=" DEV "&thread_ts=%s&status=closed",
              ts);
    assert_string_equal(text_at(v, "title"), "Bora");
    slack_does(BOB, "'retitle':{'channel':'dev','ts':'1.000001','title':'Bora'}");
    assert_slack("message_not_found");
    slack_does(BOB, "'retitle':{'channel':'dev','ts':'%s','title':'%0256d'}", ts, 1);
    assert_slack("invalid_name");
    slack_does(CAROL, "'retitle':{'channel':'" VAULT "','ts':'%s','title':'x'}", ts);
    assert_slack("message_not_found");
}

/* Each who comes into a group of people or leaves it, to his own apps (docs.slack.dev,
 * subteam_self_added). */
static void who_comes_into_a_group_is_notified_himself(void **state)
{
    slack_use_with("chatApps:\n  - client_id: '1.2'\n    settings: {" OVER_HTTP
                   "user_events: [subteam_self_added, subteam_self_removed]}\n"
                   "userGroups: [{id: S0ONE, name: One, handle: one, users: [U0CAROL], creator: "
                   "U0ALICE}]\n"
                   "chatGrants: [{app: '1.2', user: U0ALICE, token: xoxe-1-abcdefgh}]\n");
    slack(BOT, "usergroups.users.update", "usergroup=S0ONE&users=U0BOB");
    assert_slack(NULL);
    assert_string_equal(notified(), "");
    slack(BOT, "usergroups.users.update", "usergroup=S0ONE&users=U0ALICE,U0BOB");
    assert_string_equal(notified(), "subteam_self_added");
    assert_string_equal(text_at(last_event(), "subteam_id"), "S0ONE");
    slack(BOT, "usergroups.users.update", "usergroup=S0ONE&users=U0BOB");
    assert_string_equal(notified(), "subteam_self_added subteam_self_removed");
}

/* A file shared in these channels, by Alice. */
static const char *share_file_of(const char *who, const char *channels)
{
    const struct json *v =
        slack(who, "files.getUploadURLExternal", "%s", "filename=a.txt&length=1");
    const char *id = arena_strdup(&test_arena, text_at(v, "file_id"));
    slack_call("POST",
               arena_printf(&test_arena, "/@files.slack.com%s",
                            strstr(text_at(v, "upload_url"), "/upload/v1/")),
               "application/octet-stream", NULL, "x");
    assert_int_equal(test_status, 200);
    slack(who, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=%s", id, channels);
    assert_slack(NULL);
    return id;
}

static const char *share_file(const char *channels)
{
    return share_file_of(ALICE, channels);
}

/* To those who may see the file (docs.slack.dev, file_change, file_public). */
static void what_happens_to_a_file_is_for_those_who_see_it(void **state)
{
    slack_use_with(SETTINGS("file_created, file_public, file_change, file_shared"));
    const char *hidden = share_file(SECRET);
    slack(ALICE, "files.sharedPublicURL", "file=%s", hidden);
    assert_slack(NULL);
    assert_string_equal(notified(), "");
    const char *shown = share_file(SECRET "," DEV "," GENERAL);
    assert_string_equal(notified(), "file_public file_shared"); /* the bot is in one of them */
    assert_string_equal(text_at(last_event(), "file_id"), shown);
    slack(ALICE, "files.sharedPublicURL", "file=%s", shown);
    assert_string_equal(notified(), "file_public file_shared file_change");
}

/* A maintainer of the vendor's SDK for Java, in its issue 658. */
static void an_app_is_notified_of_what_its_bot_uploads(void **state)
{
    slack_use_with(SETTINGS("file_created, file_public, file_shared"));
    share_file_of(BOT, DEV);
    assert_string_equal(notified(), "file_created file_public file_shared");
}

/* Sample answers of the vendor's SDK for Java. */
static void an_archive_may_be_moved_and_what_comes_back_is_not(void **state)
{
    slack_use_with(SETTINGS("channel_archive, channel_unarchive"));
    slack(ALICE, "conversations.archive", "channel=" DEV);
    assert_string_equal(text_at(last_event(), "type"), "channel_archive");
    assert_int_equal(number_at(last_event(), "is_moved"), 0);
    slack(ALICE, "conversations.unarchive", "channel=" DEV);
    assert_string_equal(members(last_event(), ""), "type channel user event_ts");
}

/* A person's own, of files too. */
static void what_is_starred_is_notified_to_ones_own_apps(void **state)
{
    slack_use_with("chatApps:\n  - client_id: '1.2'\n    settings: {" OVER_HTTP
                   "user_events: [star_added, star_removed]}\n"
                   "chatFiles: [{id: F0PLAN, user: U0ALICE, name: plan.txt, content: Plan}]\n"
                   "chatGrants: [{app: '1.2', user: U0ALICE, token: xoxe-1-abcdefgh}]\n");
    slack(ALICE, "stars.add", "channel=" DEV);
    assert_string_equal(text_at(last_event(), "item.type"), "channel");
    slack(ALICE, "stars.add", "file=F0PLAN");
    assert_slack(NULL);
    assert_string_equal(text_at(last_event(), "item.type"), "file");
    assert_string_equal(text_at(last_event(), "item.file.id"), "F0PLAN");
    slack(ALICE, "stars.remove", "file=F0PLAN");
    assert_slack(NULL);
    assert_string_equal(notified(), "star_added star_added star_removed");
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
        slack_test(an_app_shows_links_by_what_it_was_sent),
        slack_test(what_happens_to_channels_and_people),
        slack_test(addresses_of_people_are_for_apps_that_may_read_them),
        slack_test(nobody_is_notified_who_does_not_subscribe),
        slack_test(a_thread_with_an_assistant_is_notified),
        slack_test(a_session_that_a_person_renames_is_notified),
        slack_test(who_comes_into_a_group_is_notified_himself),
        slack_test(what_happens_to_a_file_is_for_those_who_see_it),
        slack_test(an_app_is_notified_of_what_its_bot_uploads),
        slack_test(an_archive_may_be_moved_and_what_comes_back_is_not),
        slack_test(what_is_starred_is_notified_to_ones_own_apps),
        slack_test(a_fork_is_not_notified_of_its_parents_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
