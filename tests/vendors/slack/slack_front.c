/* SPDX-License-Identifier: Apache-2.0 */
/* How Slack takes requests and in which order it refuses them. */
#include "tests/support/slack.h"

#define FORM "application/x-www-form-urlencoded"

static void an_unknown_method_is_refused_before_anything_else(void **state)
{
    const struct json *v = slack_call("POST", "/api/no.such", FORM, NULL, "a[b]=1");
    assert_slack("unknown_method");
    assert_string_equal(text_at(v, "req_method"), "no.such");
    slack(ALICE, "admin.users.list", "%s", "");
    assert_slack("unknown_method");
}

static void a_token_is_asked_for(void **state)
{
    slack(NULL, "auth.test", "%s", "");
    assert_slack("not_authed");
    assert_string_equal(test_header("x-oauth-scopes"), "");
    slack_call("POST", "/api/auth.test", NULL, "xoxb-nonsense", NULL);
    assert_slack("invalid_auth");
    slack_call("POST", "/api/auth.test", FORM, NULL, "token=");
    assert_slack("not_authed");
    slack_call("POST", "/api/auth.test", FORM, NULL,
               arena_printf(&test_arena, "token=%s", slack_token(BOB, NULL)));
    assert_slack(NULL);
    slack_call("GET", arena_printf(&test_arena, "/api/auth.test?token=%s", slack_token(BOB, NULL)),
               NULL, NULL, NULL);
    assert_slack(NULL);
}

static void with_a_json_body_only_the_header_counts(void **state)
{
    const char *body = arena_printf(&test_arena, "{\"token\":\"%s\"}", slack_token(BOB, NULL));
    slack_call("POST", "/api/auth.test", "application/json", NULL, body);
    assert_slack("not_authed");
    slack_call("POST", "/api/conversations.create?name=from-query",
               "application/json; charset=utf-8", slack_token(ALICE, NULL), "{}");
    assert_slack("invalid_arguments");
}

static void bodies_are_refused_by_their_form(void **state)
{
    const char *token = slack_token(ALICE, NULL);
    slack_call("POST", "/api/auth.test", "application/xml", token, "<a/>");
    assert_slack("invalid_post_type");
    slack_call("POST", "/api/auth.test", NULL, token, "a=1");
    assert_slack("missing_post_type");
    slack_call("POST", "/api/auth.test", "application/json; charset=utf-16", token, "{}");
    assert_slack("invalid_charset");
    slack_call("POST", "/api/auth.test", "application/json; charset=utf-8", token, "{");
    assert_slack("invalid_json");
    slack_call("POST", "/api/auth.test", "application/json; charset=utf-8", token, "[1]");
    assert_slack("json_not_object");
    slack_call("POST", "/api/auth.test", FORM, NULL, "request%5Btimeout%5D=180");
    assert_slack("invalid_array_arg");
    slack_call("POST", "/api/auth.test", FORM, token, "a%ff=1");
    assert_slack("invalid_form_data");
}

static void charsets_are_warned_of(void **state)
{
    const struct json *v =
        slack_call("POST", "/api/auth.test", "application/json", slack_token(ALICE, NULL), "{}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "warning"), "missing_charset");
    assert_string_equal(text_at(v, "response_metadata.warnings.0"), "missing_charset");
    v = slack_call("POST", "/api/conversations.leave", "application/json", slack_token(ALICE, NULL),
                   "{\"channel\":\"C0VAULT\"}");
    assert_slack("channel_not_found");
    assert_string_equal(text_at(v, "warning"), "missing_charset");
    v = slack_call("POST", "/api/auth.test", FORM "; charset=utf-8", slack_token(ALICE, NULL),
                   "a=1");
    assert_string_equal(text_at(v, "warning"), "superfluous_charset");
}

/* As seen in slackapi/node-slack-sdk, issue 1124. */
static void responses_may_be_indented(void **state)
{
    slack(ALICE, "api.test", "pretty=1&foo=bar");
    assert_string_equal(test_body,
                        "{\n    \"ok\": true,\n    \"args\": {\n        \"pretty\": \"1\",\n"
                        "        \"foo\": \"bar\"\n    }\n}");
    slack(ALICE, "chat.postMessage", "pretty=1&channel=C0NONE&text=x");
    assert_string_equal(test_body,
                        "{\n    \"ok\": false,\n    \"error\": \"channel_not_found\"\n}");
    slack(ALICE, "chat.postMessage", "pretty=0&channel=C0NONE&text=x");
    assert_string_equal(test_body, "{\"ok\":false,\"error\":\"channel_not_found\"}");
}

static void scopes_are_looked_at_before_arguments(void **state)
{
    const struct json *v =
        slack_scoped(ALICE, "users:read chat:write.public", "chat.postMessage", "");
    assert_slack("missing_scope");
    assert_string_equal(text_at(v, "needed"), "chat:write:bot");
    assert_string_equal(text_at(v, "provided"), "identify,chat:write.public,users:read");
    assert_string_equal(test_header("x-oauth-scopes"), "identify,chat:write.public,users:read");
    assert_string_equal(test_header("x-accepted-oauth-scopes"), "chat:write");
    v = slack(ALICE, "chat.postMessage", "%s", "");
    assert_slack("invalid_arguments");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] missing required field: channel");
    slack(ALICE, "chat.postMessage", "channel=");
    assert_slack("channel_not_found");
}

static void an_apps_own_scopes_hold_for_its_bot(void **state)
{
    test_use(
        "sosia: 1\n"
        "people: [{email: a@x.example, name: A}, {handle: bot, kind: bot, name: Bot}]\n"
        "apps: [{client_id: '1.2', name: App, vendor: slack, bot: bot}]\n"
        "workspaces: [{domain: x, apps: [{client_id: '1.2', scopes: 'team:read,users:read'}]}]\n");
    slack("bot", "team.info", "%s", "");
    assert_slack(NULL);
    assert_string_equal(test_header("x-oauth-scopes"), "team:read,users:read");
    const struct json *v = slack("bot", "chat.postMessage", "%s", "");
    assert_slack("missing_scope");
    assert_string_equal(text_at(v, "provided"), "team:read,users:read");
}

static void kinds_of_tokens_are_distinguished(void **state)
{
    slack(BOT, "users.profile.set", "name=title&value=x");
    assert_slack("not_allowed_token_type");
}

/* The token goes first, then its kind, its scopes, the arguments. */
static void one_that_is_over_is_refused_before_all_else(void **state)
{
    test_use(
        "sosia: 1\n"
        "people: [{email: a@x.example, name: A}, {email: b@x.example, name: B}, {handle: bot,\n"
        "  kind: bot, name: Bot}]\n"
        "apps: [{client_id: '1.2', name: App, vendor: slack, bot: bot}]\n"
        "workspaces: [{domain: x, members: [{actor: a@x.example, role: owner}, {actor: "
        "b@x.example,\n"
        "  deleted: true}, {actor: bot}],\n"
        "  apps: [{client_id: '1.2', scopes: 'team:read', uninstalled: true}]}]\n");
    slack("b@x.example", "chat.startStream", "%s", "");
    assert_slack("token_revoked");
    slack_scoped("b@x.example", "users:read", "chat.postMessage", "");
    assert_slack("token_revoked");
    slack("b@x.example", "chat.postMessage", "%s", "");
    assert_slack("token_revoked");
    slack("bot", "search.messages", "%s", "");
    assert_slack("account_inactive");
    slack("bot", "chat.postMessage", "%s", "");
    assert_slack("account_inactive");
}

static void what_is_needed_is_what_the_token_could_have(void **state)
{
    const struct json *v = slack_scoped(ALICE, "users:read", "conversations.create", "");
    assert_slack("missing_scope");
    assert_string_equal(text_at(v, "needed"), "channels:write,groups:write,mpim:write,im:write");
    v = slack_scoped(BOT, "users:read", "conversations.create", "");
    assert_slack("missing_scope");
    assert_string_equal(text_at(v, "needed"), "channels:manage,groups:write,mpim:write,im:write");
    assert_string_equal(text_at(v, "provided"), "users:read");
}

static void tests_echo_their_arguments_without_a_token(void **state)
{
    const struct json *v =
        slack_call("GET", "/api/api.test?foo=x&error=my_error", NULL, NULL, NULL);
    assert_slack("my_error");
    assert_string_equal(text_at(v, "args.foo"), "x");
    slack_call("GET", "/api/api.test?pome=x", NULL, NULL, NULL);
    assert_string_equal(test_body, "{\"ok\":true,\"args\":{\"pome\":\"x\"}}");
}

static void whom_a_token_stands_for(void **state)
{
    slack(ALICE, "auth.test", "%s", "");
    assert_string_equal(test_body,
                        "{\"ok\":true,\"url\":\"https://acme.slack.com/\",\"team\":\"Acme\","
                        "\"user\":\"alice\",\"team_id\":\"T0ACME\",\"user_id\":\"U0ALICE\","
                        "\"is_enterprise_install\":false}");
    slack(BOT, "auth.test", "%s", "");
    assert_string_equal(test_body,
                        "{\"ok\":true,\"url\":\"https://acme.slack.com/\",\"team\":\"Acme\","
                        "\"user\":\"deploybot\",\"team_id\":\"T0ACME\",\"user_id\":\"U0DEPLOY\","
                        "\"bot_id\":\"B0DEPLOY\",\"is_enterprise_install\":false}");
}

static void a_revoked_token_is_good_no_more(void **state)
{
    const char *token = slack_token(BOB, NULL);
    const struct json *v = slack_call("POST", "/api/auth.revoke", FORM, token, "test=1");
    assert_false(true_at(v, "revoked"));
    v = slack_call("POST", "/api/auth.revoke", NULL, token, NULL);
    assert_true(true_at(v, "revoked"));
    slack_call("POST", "/api/auth.test", NULL, token, NULL);
    assert_slack("token_revoked");
}

static void limits_answer_429(void **state)
{
    struct sosia_err err;
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &err), 0);
    for (int i = 0; i < 20; i++) {
        slack(ALICE, "users.list", "%s", "");
        assert_slack(NULL);
    }
    slack(ALICE, "users.list", "%s", "");
    assert_int_equal(test_status, 429);
    assert_string_equal(test_body, "{\"ok\":false,\"error\":\"ratelimited\"}");
    assert_string_equal(test_header("Retry-After"), "3");
    slack(ALICE, "conversations.list", "%s", "");
    assert_slack(NULL); /* each method has its own */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(an_unknown_method_is_refused_before_anything_else),
        slack_test(a_token_is_asked_for),
        slack_test(with_a_json_body_only_the_header_counts),
        slack_test(bodies_are_refused_by_their_form),
        slack_test(charsets_are_warned_of),
        slack_test(responses_may_be_indented),
        slack_test(scopes_are_looked_at_before_arguments),
        slack_test(an_apps_own_scopes_hold_for_its_bot),
        slack_test(kinds_of_tokens_are_distinguished),
        slack_test(one_that_is_over_is_refused_before_all_else),
        slack_test(what_is_needed_is_what_the_token_could_have),
        slack_test(tests_echo_their_arguments_without_a_token),
        slack_test(whom_a_token_stands_for),
        slack_test(a_revoked_token_is_good_no_more),
        slack_test(limits_answer_429),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
