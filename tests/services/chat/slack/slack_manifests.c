/* SPDX-License-Identifier: Apache-2.0 */
/* Apps that are made of manifests, and the tokens that it takes. */
#include "tests/support/slack.h"
#include <stdio.h>
#include <stdlib.h>

static const char *manifest_of(const char *more)
{
    return arena_printf(&test_arena,
                        "{'manifest':{'display_information':{'name':'Zork','background_color':"
                        "'#0000aa'}%s}}",
                        more);
}

static void apps_are_made_of_manifests(void **state)
{
    const struct json *v = slack_configure(
        ALICE, "apps.manifest.create",
        manifest_of(",'features':{'bot_user':{'display_name':'zork'},'slash_commands':[{'command':"
                    "'/zork','description':'Play','url':'https://z.example/c'}]},'oauth_config':{"
                    "'redirect_urls':['https://z.example/back'],'scopes':{'bot':['commands',"
                    "'app_mentions:read']}},'settings':{'event_subscriptions':{'request_url':"
                    "'https://z.example/e','bot_events':['app_mention']}}"));
    assert_slack(NULL);
    const char *id = text_at(v, "app_id"), *client = text_at(v, "credentials.client_id");
    assert_string_equal(text_at(v, "team_id"), "T0ACME");
    assert_int_equal(strlen(text_at(v, "credentials.client_secret")), 32);
    assert_non_null(strstr(text_at(v, "oauth_authorize_url"), "scope=commands,app_mentions:read"));
    const char *one = arena_printf(&test_arena, "{'app_id':'%s'}", id);
    v = slack_configure(ALICE, "apps.manifest.export", one);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "manifest.display_information.name"), "Zork");
    assert_non_null(value_at(v, "manifest.settings.socket_mode_enabled"));
    assert_false(true_at(v, "manifest.features.slash_commands.0.should_escape"));
    slack_configure(BOB, "apps.manifest.export", one);
    assert_slack("no_permission");
    /* What is left out goes, but for the color. */
    v = slack_configure(
        ALICE, "apps.manifest.update",
        arena_printf(&test_arena, "{'app_id':'%s','manifest':{'display_information':{'name':'Y'}}}",
                     id));
    assert_slack(NULL);
    assert_true(true_at(v, "permissions_updated"));
    v = slack_configure(ALICE, "apps.manifest.export", one);
    assert_string_equal(text_at(v, "manifest.display_information.background_color"), "#0000aa");
    assert_null(value_at(v, "manifest.features"));
    assert_null(value_at(v, "manifest.oauth_config.redirect_urls"));
    slack_call("GET",
               arena_printf(&test_arena,
                            "/oauth/v2/authorize?client_id=%s&scope=commands&redirect_uri="
                            "https://z.example/back",
                            client),
               NULL, NULL, NULL);
    assert_non_null(strstr(test_body, "bad_redirect_uri"));
    slack_configure(ALICE, "apps.manifest.delete", one);
    assert_slack(NULL);
    slack_configure(ALICE, "apps.manifest.export", one);
    assert_slack("app_not_found");
    slack_configure(ALICE, "apps.manifest.export", "{'app_id':'nothing'}");
    assert_slack("invalid_app_id");
}

static const char *part_of(const char *text, const char *mark, const char *ends)
{
    const char *at = strstr(text, mark);
    if (!at)
        fail_msg("no %s in %s", mark, text);
    at += strlen(mark);
    return arena_memdup(&test_arena, at, strcspn(at, ends));
}

#define FORM "application/x-www-form-urlencoded"

/* The form of the page, sent back by somebody with a token (NULL: without one). Gives the status.
 */
static int agree(const char *client, const char *more, const char *token)
{
    const char *query =
        arena_printf(&test_arena, "client_id=%s&user_scope=chat:write,users:read", client);
    slack_call("GET", arena_printf(&test_arena, "/oauth/v2/authorize?%s", query), NULL, NULL, NULL);
    assert_null(strstr(test_body, "U0BOB")); /* nor does it show who there is */
    slack_call("POST", "/oauth/v2/approve", FORM, token,
               arena_printf(&test_arena, "%s&sosia_decision=allow&sosia_nonce=%s%s", query,
                            part_of(test_body, "sosia_nonce\" value=\"", "\""), more));
    return test_status;
}

/* Whose token the code gives, for an app of such credentials. */
static const char *signed_in(const char *client, const char *secret)
{
    const char *code = part_of(test_header("Location"), "code=", "&");
    const struct json *v = slack_ask(
        NULL, "oauth.v2.access",
        arena_printf(&test_arena, "client_id=%s&client_secret=%s&code=%s", client, secret, code));
    assert_slack(NULL);
    return text_at(v, "authed_user.id");
}

static const char *link_for(const char *who)
{
    char link[SOSIA_LINK_MAX];
    assert_int_equal(sosia_consent_link(test_engine, test_world, who, 0, "http://h", link,
                                        sizeof link, NULL, &test_err),
                     0);
    return arena_strdup(&test_arena, link);
}

/* An app that somebody has made with his configuration token signs in nobody, not even him, without
 * a token or a link of the person's own. */
static void who_makes_an_app_becomes_nobody_else(void **state)
{
    static const char *const users[] = {"", "&sosia_user=T0ACME/U0ALICE",
                                        "&sosia_user=T0ACME/U0BOB", "&sosia_link=x"};
    const struct json *v = slack_configure(
        BOB, "apps.manifest.create",
        manifest_of(",'oauth_config':{'redirect_urls':['https://z.example/back'],'scopes':{'user':["
                    "'chat:write','users:read']}}"));
    assert_slack(NULL);
    const char *client = text_at(v, "credentials.client_id"),
               *secret = text_at(v, "credentials.client_secret");
    const char *tokens[] = {NULL, slack_token(BOB, SLACK_CONFIGURATION),
                            slack_token(BOB, "users:read")};
    for (size_t i = 0; i < SOSIA_LEN(users); i++)
        for (size_t k = 0; k < SOSIA_LEN(tokens); k++)
            if (agree(client, users[i], tokens[k]) == 302)
                fail_msg("%zu, %zu: %s", i, k, test_header("Location"));
    const char *bob = slack_token(BOB, NULL);
    assert_int_not_equal(agree(client, users[1], bob), 302);
    assert_int_equal(agree(client, "", bob), 302);
    assert_string_equal(signed_in(client, secret), "U0BOB");
    const char *alice = arena_printf(&test_arena, "&sosia_link=%s", link_for(ALICE));
    assert_int_not_equal(agree(client, arena_printf(&test_arena, "%s%s", users[2], alice), NULL),
                         302);
    assert_int_equal(agree(client, alice, NULL), 302);
    assert_string_equal(signed_in(client, secret), "U0ALICE");
    assert_int_not_equal(agree(client, alice, NULL), 302); /* it was good once */
    /* Nor is it an app of another vendor's. */
    const struct sosia_header host = {"Host", "accounts.google.com"};
    test_request("GET",
                 arena_printf(&test_arena,
                              "/o/oauth2/v2/auth?client_id=%s&response_type=code&scope=email&"
                              "redirect_uri=https://z.example/back",
                              client),
                 &host, 1, NULL, 0);
    assert_int_equal(test_status, 401);
}

/* An app that belongs to nobody: who changes its manifest would be anybody. */
static void an_app_that_was_changed_asks_for_proof(void **state)
{
    static const char ask[] = "/oauth/v2/authorize?client_id=7.5&user_scope=chat:write";
    slack_use_with("chatApps:\n"
                   "  - {client_id: '7.5', client_secret: shh, id: A0OPEN, manifest: "
                   "{display_information: {name: Open}, oauth_config: {redirect_urls: "
                   "['https://a.example/back']}}}\n");
    slack_call("GET", ask, NULL, NULL, NULL);
    assert_non_null(strstr(test_body, "U0ALICE"));
    slack_configure(
        BOB, "apps.manifest.update",
        "{'app_id':'A0OPEN','manifest':{'display_information':{'name':'X'},"
        "'oauth_config':{'pkce_enabled':true,'redirect_urls':['https://b.example/']}}}");
    assert_slack(NULL);
    for (int i = 0; i < 2; i++) {
        slack_call("GET", ask, NULL, NULL, NULL);
        assert_int_equal(test_status, 200);
        assert_non_null(strstr(test_body, "sosia_link"));
        assert_null(strstr(test_body, "U0ALICE"));
        test_use(json_to_text(&test_arena, read_dump(test_engine, test_world)));
    }
}

static void assert_good(const char *manifest)
{
    slack_call("POST", "/api/apps.manifest.validate", "application/json; charset=utf-8",
               slack_token(ALICE, SLACK_CONFIGURATION),
               arena_printf(&test_arena, "{\"manifest\":%s}", manifest));
    if (!strstr(test_body, "\"ok\":true"))
        fail_msg("%s\n%s", test_body, manifest);
}

/* An app that settings describe is exported with all of it, and what comes out is a manifest. */
static void described_apps_have_a_manifest_too(void **state)
{
    static const char text[] =
        "{\"display_information\":{\"name\":\"A name that is longer than service\",\"description\":"
        "\"Says "
        "it\"},\"features\":{\"app_home\":{\"home_tab_enabled\":true,\"messages_tab_enabled\":"
        "false,\"messages_tab_read_only_enabled\":true},\"bot_user\":{\"display_name\":"
        "\"Deploybot\","
        "\"always_online\":false},\"slash_commands\":[{\"command\":\"/d\",\"url\":\"https://"
        "a.example/"
        "c\",\"description\":\"/d\",\"should_escape\":false}],\"assistant_view\":{"
        "\"assistant_description\":\"Says it\"},\"code_channels\":{\"enabled\":true,"
        "\"slash_command_url\":\"https://a.example/w\"},\"shortcuts\":[{\"type\":\"global\","
        "\"callback_id\":\"ask\",\"name\":\"Ask\",\"description\":\"Ask\"}],\"unfurl_domains\":["
        "\"a.example\"]},\"oauth_config\":{\"redirect_urls\":[\"https://a.example/"
        "back\"],\"scopes\":"
        "{\"bot\":[\"app_mentions:read\",\"commands\"],\"user\":[\"search:read\"]},\"pkce_"
        "enabled\":"
        "true},\"settings\":{\"event_subscriptions\":{\"request_url\":\"https://a.example/e\","
        "\"bot_events\":[\"app_mention\",\"function_executed\"],\"metadata_subscriptions\":[{"
        "\"app_id\":\"A1\",\"event_type\":\"t\"}]},\"interactivity\":{\"is_enabled\":true,"
        "\"request_url\":\"https://a.example/i\",\"message_menu_options_url\":\"https://a.example/"
        "o\"}"
        ",\"incoming_webhooks\":{\"incoming_webhooks_enabled\":true},\"org_deploy_enabled\":true,"
        "\"socket_mode_enabled\":false,\"token_rotation_enabled\":true,"
        "\"app_level_token_rotation_enabled\":false,\"is_mcp_enabled\":false},\"functions\":{\"f\":"
        "{"
        "\"title\":\"f\",\"input_parameters\":{},\"output_parameters\":{}}},\"events\":{\"t\":{"
        "\"type\":\"object\"}}}";
    test_use(
        "sosia: 1\n"
        "people: [{email: alice@acme.example, name: Alice}, {handle: deploybot, kind: bot, name:\n"
        "  Deploybot}]\n"
        "apps: [{client_id: '7.9', client_secret: shh, name: A name that is longer than service "
        "takes, vendor: slack,\n"
        "  bot: deploybot, redirect_uris: ['https://a.example/back']}]\n"
        "workspaces: [{id: T0ACME, domain: acme, members: [{actor: alice@acme.example, role: "
        "owner},\n"
        "  {actor: deploybot}], apps: [{client_id: '7.9', id: A0TOLD, bot: B0TOLD, scopes:\n"
        "  'app_mentions:read', user_scopes: 'search:read'}]}]\n"
        "chatApps: [{client_id: '7.9', description: Says it, settings: {home_tab: true,\n"
        "  messages_tab: false, messages_tab_read_only: true, assistant: true, agent_channels: "
        "true,\n"
        "  agent_commands_url: 'https://a.example/w', unfurl_domains: [a.example], pkce: true,\n"
        "  shortcuts: [{type: global, callback_id: ask, name: Ask}], commands: [{command: /d, "
        "url:\n"
        "  'https://a.example/c'}], events_url: 'https://a.example/e', bot_events: [app_mention],\n"
        "  metadata_events: [{app_id: A1, event_type: t}], interactivity_url: "
        "'https://a.example/i',\n"
        "  options_url: 'https://a.example/o', webhooks: true, org_deploy: true, token_rotation: "
        "true,\n"
        "  functions: {f: {}}, events: {t: {type: object}}}}]\n");
    const struct json *v = slack_configure(ALICE, "apps.manifest.export", "{'app_id':'A0TOLD'}");
    assert_slack(NULL);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "manifest")), text);
    assert_good(text);
    slack_use_with("");
    v = slack_configure(ALICE, "apps.manifest.export", "{'app_id':'A0DEPLOY'}");
    assert_slack(NULL); /* without settings, and without bounds to what it may do */
    assert_good(json_to_text(&test_arena, value_at(v, "manifest")));
}

static void manifests_are_held_against_the_rules(void **state)
{
    static const char *const bad[][3] = {
        {",'oauth_config':{'scopes':{'bot':['chat:write','what:ever']}}",
         "/oauth_config/scopes/bot", "Illegal bot scopes found `what:ever`"},
        {",'oauth_config':{'scopes':{'user':['app_mentions:read']}}", "/oauth_config/scopes/user",
         "Illegal user scopes found `app_mentions:read`"},
        {",'features':{'bot_user':{'display_name':'x'}}", "/features/bot_user",
         "requires a bot scope"},
        {",'settings':{'interactivity':{'is_enabled':true}}", "/settings/interactivity",
         "Interactivity requires a Request URL"},
        {",'settings':{'event_subscriptions':{'user_events':[]}}", "/settings/event_subscriptions",
         "requires either Request URL or Socket Mode Enabled"},
        {",'features':{'slash_commands':[]}", "/features/slash_commands", "no less than 1 items"},
        {",'features':{'unfurl_domains':['a','b','c','d','e','f']}", "/features/unfurl_domains",
         "no more than 5 items"},
        {",'settings':{'socket_mode_enabled':'yes'}", "/settings/socket_mode_enabled",
         "must provide a boolean"},
        {",'oauth_config':7", "/oauth_config", "must provide an object"},
        {",'functions':{'f':{'title':'F'}}", "/functions/f", "missing required field"},
        {",'functions':{'f':{'title':'F','input_parameters':{},'output_parameters':{}}},"
         "'settings':{'event_subscriptions':{'request_url':'https://a.example/e','bot_events':[]}}",
         "/functions", "Functions require the bot event `function_executed`"},
        {",'settings':{'socket_mode_enabled':true,'event_subscriptions':{'bot_events':['nope']}},"
         "'oauth_config':{'scopes':{'bot':['chat:write']}}",
         "/settings/event_subscriptions/bot_events", "Illegal bot events found `nope`"},
        {",'settings':{'socket_mode_enabled':true,'event_subscriptions':{'bot_events':"
         "['app_mention']}},'oauth_config':{'scopes':{'bot':['chat:write']}}",
         "/settings/event_subscriptions/bot_events", "app_mentions:read"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const struct json *v =
            slack_configure(ALICE, "apps.manifest.validate", manifest_of(bad[i][0]));
        assert_slack("invalid_manifest");
        const char *pointer = text_at(v, "errors.0.pointer");
        if (strcmp(pointer, bad[i][1]) != 0 || !strstr(test_body, bad[i][2]))
            fail_msg("expected %s %s: %s", bad[i][1], bad[i][2], test_body);
    }
    slack_configure(
        ALICE, "apps.manifest.validate",
        manifest_of(",'oauth_config':{'scopes':{'bot':['hosting:read','workflows.templates:write'],"
                    "'user':['admin.chat:write','search:read.enterprise']}},"
                    "'settings':{'function_runtime':'slack'},'functions':{'f':{'title':'F',"
                    "'input_parameters':{},'output_parameters':{}}}"));
    assert_slack(NULL);
    slack_configure(ALICE, "apps.manifest.validate", manifest_of(""));
    assert_slack(NULL);
    slack_configure(ALICE, "apps.manifest.create", "{'manifest':'{'}");
    assert_slack("invalid_manifest");
    slack_configure(ALICE, "apps.manifest.create", "{'manifest':[]}");
    assert_slack("invalid_manifest");
    const struct json *v = slack_configure(ALICE, "apps.manifest.create", "{}");
    assert_slack("invalid_arguments");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] missing required field: manifest");
}

static void manifests_ask_for_a_token_of_their_own(void **state)
{
    slack_json(ALICE, "apps.manifest.validate", "{'manifest':{}}");
    assert_slack("not_allowed_token_type");
    slack_scoped(ALICE, "chat:write", "apps.manifest.export", "app_id=A0DEPLOY");
    assert_slack("missing_scope");
    slack_scoped(ALICE, SLACK_CONFIGURATION, "chat.postMessage", "channel=C0DEV&text=x");
    assert_slack("not_allowed_token_type");
    slack_scoped(ALICE, SLACK_CONFIGURATION, "rtm.connect", ""); /* no scope is asked for there */
    assert_slack("not_allowed_token_type");
    slack_scoped(ALICE, SLACK_CONFIGURATION, "chat.scheduledMessages.list", "");
    assert_slack("not_allowed_token_type");
    slack_scoped(ALICE, SLACK_CONFIGURATION, "auth.test", "");
    assert_slack(NULL);
    slack_scoped(ALICE, SLACK_CONFIGURATION, "apps.manifest.export", "app_id=A0DEPLOY");
    assert_slack(NULL);
}

static void configuration_tokens_rotate(void **state)
{
    struct sosia_blob blob;
    struct sosia_err err;
    assert_int_equal(sosia_credential(test_engine, test_world, "slack", ALICE, NULL, &blob, &err),
                     0);
    const struct json *v = parsed(blob.data, strlen(blob.data));
    const char *refresh = text_at(v, "slack_config_refresh"), *first = text_at(v, "slack_config");
    slack_ask(first, "apps.manifest.export", "app_id=A0DEPLOY");
    assert_slack(NULL);
    for (int i = 0; i < 2; i++) {
        const char *form = arena_printf(&test_arena, "refresh_token=%s", refresh);
        slack_ask(refresh, "auth.test", "");
        assert_slack("invalid_auth");
        v = slack_ask(NULL, "tooling.tokens.rotate", form);
        assert_slack(NULL);
        assert_string_equal(text_at(v, "user_id"), "U0ALICE");
        const char *token = text_at(v, "token");
        refresh = text_at(v, "refresh_token");
        slack_ask(NULL, "tooling.tokens.rotate", form);
        assert_slack("invalid_refresh_token");
        slack_ask(token, "apps.manifest.export", "app_id=A0DEPLOY");
        assert_slack(NULL);
    }
    slack_ask(NULL, "tooling.tokens.rotate", "refresh_token=xoxe-1-nothing");
    assert_slack("invalid_refresh_token");
    slack_ask(NULL, "tooling.tokens.rotate", arena_printf(&test_arena, "refresh_token=%s", first));
    assert_slack("invalid_refresh_token");
    slack_ask(NULL, "tooling.tokens.rotate", "");
    assert_slack("invalid_arguments");
    test_advance(43201);
    slack_ask(first, "apps.manifest.export", "app_id=A0DEPLOY");
    assert_slack("token_expired");
    sosia_blob_free(&blob);
}

/* A manifest of a megabyte, one of ten thousand commands, one that is nested too deep. */
static void huge_manifests_are_refused(void **state)
{
    size_t n = 1000000;
    char *name = malloc(n + 1);
    memset(name, 'x', n);
    name[n] = 0;
    slack_configure(
        ALICE, "apps.manifest.validate",
        arena_printf(&test_arena, "{'manifest':{'display_information':{'name':'%s'}}}", name));
    assert_slack("invalid_manifest");
    for (size_t i = 0; i + 2 < 9000; i += 3)
        memcpy(name + i, "{},", 3);
    name[9000] = 0;
    const struct json *v =
        slack_ask(slack_token(ALICE, SLACK_CONFIGURATION), "apps.manifest.validate",
                  arena_printf(&test_arena,
                               "manifest={\"display_information\":{\"name\":\"n\"},\"features\":{"
                               "\"slash_commands\":[%s{}]}}",
                               name));
    assert_slack("invalid_manifest");
    assert_int_equal(value_at(v, "errors")->n, 50);
    size_t at = 0;
    for (int i = 0; i < 200; i++)
        at += (size_t)sprintf(name + at, "%s'no:%0*d'", i ? "," : "", 100, i);
    slack_configure(ALICE, "apps.manifest.validate",
                    arena_printf(&test_arena,
                                 "{'manifest':{'display_information':{'name':'n'},'oauth_config':{"
                                 "'scopes':{'bot':[%s]}}}}",
                                 name));
    assert_slack("invalid_manifest"); /* however long the list of what is wrong is */
    memset(name, '[', 200);
    memset(name + 200, ']', 200);
    name[400] = 0;
    slack_ask(slack_token(ALICE, SLACK_CONFIGURATION), "apps.manifest.validate",
              arena_printf(&test_arena, "manifest={\"display_information\":%s}", name));
    assert_slack("invalid_manifest");
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(apps_are_made_of_manifests),
        slack_test(who_makes_an_app_becomes_nobody_else),
        slack_test(an_app_that_was_changed_asks_for_proof),
        slack_test(described_apps_have_a_manifest_too),
        slack_test(manifests_are_held_against_the_rules),
        slack_test(manifests_ask_for_a_token_of_their_own),
        slack_test(configuration_tokens_rotate),
        slack_test(huge_manifests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
