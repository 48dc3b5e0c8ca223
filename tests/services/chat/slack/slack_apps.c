/* SPDX-License-Identifier: Apache-2.0 */
/* Apps: installing by OAuth with and without the page, tokens that rotate, uninstalling, signing
 * in.
 */
#include "engine/http/token.h"
#include "tests/support/slack.h"
#include <stdio.h>
#include <stdlib.h>

#define FORM "application/x-www-form-urlencoded"
#define BACK "https://deploy.example/back"

static const char APPS[] =
    "chatApps:\n"
    "  - {client_id: '7.8', client_secret: shh, signing_secret: t0p, id: A0FORM, owner: U0ALICE,\n"
    "     manifest: {display_information: {name: Forms <b>}, features: {bot_user: {display_name: "
    "Formbot}},\n"
    "       oauth_config: {redirect_urls: ['https://deploy.example/back'], scopes: {bot: "
    "['chat:write']}},\n"
    "       settings: {token_rotation_enabled: true}}}\n"
    "  - {client_id: '7.9', client_secret: shh, id: A0KEEP,\n"
    "     manifest: {display_information: {name: Keeper}, oauth_config: {redirect_urls:\n"
    "       ['https://deploy.example/back']}}}\n"
    "  - {client_id: '7.10', client_secret: shh, id: A0PKCE,\n"
    "     manifest: {display_information: {name: Public}, oauth_config: {pkce_enabled: true,\n"
    "       redirect_urls: ['https://deploy.example/back', 'app://back']}}}\n";

/* Programs look at the shape: behind the prefix numbers, then one segment of letters and digits
 * (whose end leads to the world). */
static void assert_shape(const char *token, const char *prefix)
{
    static const char alnum[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    assert_memory_equal(token, prefix, strlen(prefix));
    const char *last = strrchr(token, '-') + 1;
    size_t digits = strspn(token + strlen(prefix), "0123456789-");
    if (token + strlen(prefix) + digits < last || strspn(last, alnum) != strlen(last) ||
        strlen(last) < 24)
        fail_msg("%s", token);
    assert_true(token_world(token) == test_world);
}

static void get(const char *target)
{
    slack_call("GET", target, NULL, NULL, NULL);
}

/* The value of a hidden input of the page. */
static const char *hidden(const char *name)
{
    const char *at = strstr(test_body, arena_printf(&test_arena, "name=\"%s\" value=\"", name));
    assert_non_null(at);
    at = strstr(at, "value=\"") + 7;
    return arena_memdup(&test_arena, at, strcspn(at, "\""));
}

static const char *in_location(const char *name)
{
    const char *to = test_header("Location");
    if (test_status != 302)
        fail_msg("%d %s", test_status, test_body);
    const char *at = strstr(to, arena_printf(&test_arena, "%s=", name));
    if (!at)
        fail_msg("%s", to);
    at += strlen(name) + 1;
    return arena_memdup(&test_arena, at, strcspn(at, "&"));
}

/* The code for which somebody agreed on the page. */
static const char *agree(const char *flow, const char *query, const char *who)
{
    get(arena_printf(&test_arena, "/%s/authorize?%s", flow, query));
    if (test_status != 200 || !strstr(test_body, "<form"))
        fail_msg("%d %s", test_status, test_body);
    const char *mark = hidden("sosia_nonce");
    slack_call("POST", arena_printf(&test_arena, "/%s/approve", flow), FORM, NULL,
               arena_printf(&test_arena,
                            "%s&sosia_nonce=%s&sosia_decision=allow&sosia_user=T0ACME/%s", query,
                            mark, who));
    return in_location("code");
}

#define CLIENT(id) "client_id=" id "&client_secret=shh"

static const struct json *install(const char *id, const char *more, const char *who)
{
    const char *query =
        arena_printf(&test_arena, "client_id=%s&redirect_uri=" BACK "&%s", id, more);
    const char *code = agree("oauth/v2", query, who);
    const struct json *v = slack_ask(
        NULL, "oauth.v2.access",
        arena_printf(&test_arena, "client_id=%s&client_secret=shh&code=%s&redirect_uri=" BACK, id,
                     code));
    assert_slack(NULL);
    return v;
}

/* ---- installing ---- */

static void somebody_installs_on_the_page(void **state)
{
    slack_use_with(APPS);
    const struct json *v =
        install("7.9", "scope=chat:write,incoming-webhook&user_scope=search:read&state=s1",
                "U0BOB&sosia_channel=C0DEV");
    assert_string_equal(text_at(v, "app_id"), "A0KEEP");
    assert_string_equal(text_at(v, "authed_user.id"), "U0BOB");
    assert_string_equal(text_at(v, "token_type"), "bot");
    assert_string_equal(text_at(v, "scope"), "chat:write,incoming-webhook");
    assert_string_equal(text_at(v, "incoming_webhook.channel"), "#dev");
    assert_null(text_at(v, "refresh_token"));
    const char *bot = text_at(v, "access_token"), *user = text_at(v, "authed_user.access_token");
    assert_memory_equal(bot, "xoxb-", 5);
    assert_shape(bot, "xoxb-");
    assert_shape(user, "xoxp-");
    const char *bot_user = text_at(v, "bot_user_id");
    v = slack_ask(bot, "auth.test", "");
    assert_string_equal(text_at(v, "user_id"), bot_user);
    assert_string_equal(test_header("x-oauth-scopes"), "chat:write,incoming-webhook");
    v = slack_ask(user, "auth.test", "");
    assert_string_equal(text_at(v, "user_id"), "U0BOB");
    slack_ask(user, "chat.postMessage", "channel=C0DEV&text=x");
    assert_slack("missing_scope");
    /* Once more, for more: the same tokens may do more. */
    v = install("7.9", "scope=chat:write,users:read&user_scope=users:read", "U0BOB");
    assert_string_equal(text_at(v, "access_token"), bot);
    assert_string_equal(text_at(v, "authed_user.access_token"), user);
    assert_string_equal(text_at(v, "scope"), "chat:write,incoming-webhook,users:read");
    assert_string_equal(text_at(v, "authed_user.scope"), "search:read,users:read");
    slack_ask(bot, "users.info", "user=U0BOB");
    assert_slack(NULL);
}

/* Events on behalf of people are for those who agreed to it (docs.slack.dev, Events API). */
static void an_app_for_its_bot_alone_gets_no_events_of_people(void **state)
{
    size_t n;
    slack_use_with(
        "chatApps:\n"
        "  - {client_id: '7.9', client_secret: shh, id: A0KEEP,\n"
        "     manifest: {display_information: {name: Keeper}, oauth_config: "
        "{redirect_urls:\n"
        "       ['https://deploy.example/back'], scopes: {user: ['channels:history']}}, settings: "
        "{event_subscriptions: "
        "{request_url:\n"
        "       'https://deploy.example/e', user_events: [message.channels]}}}}\n");
    install("7.9", "scope=chat:write", "U0BOB");
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x");
    (void)slack_entries(&n);
    assert_int_equal(n, 0);
    install("7.9", "scope=chat:write&user_scope=channels:history", "U0BOB");
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=y");
    const struct json *all = slack_entries(&n);
    assert_int_equal(n, 1);
    assert_string_equal(text_at(slack_entry_body(all, 0), "authorizations.0.user_id"), "U0BOB");
    const char *text = json_to_text(&test_arena, read_dump(test_engine, test_world));
    test_use(text);
    assert_string_equal(json_to_text(&test_arena, read_dump(test_engine, test_world)), text);
}

static void codes_are_good_once_for_whom_they_were_given(void **state)
{
    slack_use_with(APPS);
    const char *query = "client_id=7.9&scope=chat:write&redirect_uri=" BACK;
    const char *code = agree("oauth/v2", query, "U0BOB");
    const char *form = arena_printf(&test_arena, "code=%s&redirect_uri=" BACK, code);
#define WITH(client) arena_printf(&test_arena, "%s&%s", form, client)
    slack_ask(NULL, "oauth.v2.access", WITH("client_id=0.0&client_secret=shh"));
    assert_slack("invalid_client_id");
    slack_ask(NULL, "oauth.v2.access", WITH("client_id=7.9&client_secret=no"));
    assert_slack("bad_client_secret");
    slack_ask(NULL, "oauth.v2.access", WITH("client_id=7.9"));
    assert_slack("bad_client_secret");
    slack_ask(NULL, "oauth.v2.access", WITH(CLIENT("7.8")));
    assert_slack("invalid_code");
    slack_ask(NULL, "oauth.v2.access", arena_printf(&test_arena, CLIENT("7.9") "&code=%s", code));
    assert_slack("bad_redirect_uri");
    slack_ask(NULL, "oauth.v2.access", WITH(CLIENT("7.9") "&code_verifier=x"));
    assert_slack("invalid_code_verifier");
    slack_ask(NULL, "oauth.v2.access", WITH(CLIENT("7.9") "&grant_type=password"));
    assert_slack("invalid_grant_type");
    static const char *const others[] = {"oauth.access", "oauth.v2.user.access",
                                         "openid.connect.token"};
    for (size_t i = 0; i < SOSIA_LEN(others); i++) {
        slack_ask(NULL, others[i], arena_printf(&test_arena, CLIENT("7.9") "&code=%s", code));
        assert_slack("bad_redirect_uri");
        slack_ask(NULL, others[i], WITH(CLIENT("7.9")));
        assert_slack("oauth_authorization_url_mismatch");
    }
    slack_ask(NULL, "oauth.v2.access", WITH(CLIENT("7.9")));
    assert_slack(NULL);
    slack_ask(NULL, "oauth.v2.access", WITH(CLIENT("7.9")));
    assert_slack("invalid_code");
    /* An app that has not switched it on, with the verifier of RFC 7636. */
    code = agree("oauth/v2",
                 arena_printf(&test_arena,
                              "%s&code_challenge_method=S256&code_challenge="
                              "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
                              query),
                 "U0BOB");
    slack_ask(
        NULL, "oauth.v2.access",
        arena_printf(&test_arena,
                     CLIENT("7.9") "&redirect_uri=" BACK
                                   "&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
                                   "&code=%s",
                     code));
    assert_slack("pkce_not_allowed");
    code = agree("oauth/v2", query, "U0BOB");
    test_advance(601);
    slack_ask(NULL, "oauth.v2.access",
              arena_printf(&test_arena, CLIENT("7.9") "&redirect_uri=" BACK "&code=%s", code));
    assert_slack("invalid_code");
    /* By HTTP Basic: 7.9:shh */
    code = agree("oauth/v2", query, "U0BOB");
    struct sosia_header headers[] = {
        {"Host", "slack.com"}, {"Content-Type", FORM}, {"Authorization", "Basic Ny45OnNoaA=="}};
    form = arena_printf(&test_arena, "redirect_uri=" BACK "&code=%s", code);
    test_request("POST", "/api/oauth.v2.access", headers, 3, form, strlen(form));
    assert_slack(NULL);
}

static void the_page_refuses_what_is_no_good(void **state)
{
    static const char *const bad[][2] = {
        {"client_id=0.0&scope=chat:write", "invalid_client_id"},
        {"scope=chat:write", "invalid_client_id"},
        {"client_id=7.9", "no_scopes"},
        {"client_id=7.9&scope=no:such", "invalid_scope"},
        {"client_id=7.9&scope=chat:write&redirect_uri=https://deploy.example.evil/back",
         "bad_redirect_uri"},
        {"client_id=7.9&scope=chat:write&redirect_uri=https://deploy.example/back@evil.example",
         "bad_redirect_uri"},
        {"client_id=7.9&scope=chat:write&redirect_uri=https://deploy.example/back/../x",
         "bad_redirect_uri"},
        {"client_id=7.9&scope=chat:write&redirect_uri=https://deploy.example/back/%252e%252e/x",
         "bad_redirect_uri"},
        {"client_id=7.9&scope=chat:write&redirect_uri=https://deploy.example/back%0d%0aX:y",
         "bad_redirect_uri"},
        {"client_id=7.9&scope=chat:write&redirect_uri=javascript:alert(1)", "bad_redirect_uri"},
        {"client_id=7.10&scope=chat:write&redirect_uri=app://back", "pkce_required"},
        {"client_id=7.9&scope=chat:write&code_challenge=abc&code_challenge_method=plain",
         "invalid_code_challenge_method"}};
    slack_use_with(APPS);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        get(arena_printf(&test_arena, "/oauth/v2/authorize?%s", bad[i][0]));
        if (test_status != 200 || *test_header("Location") || !strstr(test_body, bad[i][1]))
            fail_msg("%s: expected %s: %d %s", bad[i][0], bad[i][1], test_status, test_body);
    }
    /* Below a configured address is good; what comes with the request is text. */
    get("/oauth/v2/authorize?client_id=7.8&scope=chat:write&state=%22%3E%3Cscript%3E&redirect_uri="
        "https://deploy.example/back/more");
    assert_int_equal(test_status, 200);
    assert_null(strstr(test_body, "<script>"));
    assert_null(strstr(test_body, "Forms <b>"));
    assert_non_null(strstr(test_body, "&quot;&gt;&lt;script&gt;"));
    assert_string_equal(test_header("Access-Control-Allow-Origin"), "");
}

static void only_the_form_of_the_page_decides(void **state)
{
    const char *query = "client_id=7.9&scope=chat:write&state=a%26b&redirect_uri=" BACK;
    slack_use_with(APPS);
    const char *form =
        arena_printf(&test_arena, "%s&sosia_decision=allow&sosia_user=T0ACME/U0BOB", query);
    slack_call("POST", "/oauth/v2/approve", FORM, NULL, form);
    assert_int_equal(test_status, 400);
    get(arena_printf(&test_arena, "/oauth/v2/authorize?%s", query));
    form = arena_printf(&test_arena, "%s&sosia_nonce=%s", form, hidden("sosia_nonce"));
    struct sosia_header headers[] = {
        {"Host", "slack.com"}, {"Content-Type", FORM}, {"Origin", "https://evil.example"}};
    test_request("POST", "/oauth/v2/approve", headers, 3, form, strlen(form));
    assert_int_equal(test_status, 403);
    /* The mark of another app's page, and nobody of the workspace. */
    get("/oauth/v2/authorize?client_id=7.8&scope=chat:write");
    const char *other = hidden("sosia_nonce");
    slack_call("POST", "/oauth/v2/approve", FORM, NULL,
               arena_printf(&test_arena, "%s&sosia_decision=allow&sosia_nonce=%s", query, other));
    assert_int_equal(test_status, 400);
    get(arena_printf(&test_arena, "/oauth/v2/authorize?%s", query));
    const char *mark = hidden("sosia_nonce");
    static const char *const nobody[] = {"T0ACME/U0DEPLOY", "T0ACME/USLACKBOT", "T0NO/U0BOB", "x"};
    for (size_t i = 0; i < SOSIA_LEN(nobody); i++) {
        slack_call("POST", "/oauth/v2/approve", FORM, NULL,
                   arena_printf(&test_arena, "%s&sosia_nonce=%s&sosia_decision=allow&sosia_user=%s",
                                query, mark, nobody[i]));
        assert_non_null(strstr(test_body, "user_not_found"));
    }
    slack_call("POST", "/oauth/v2/approve", FORM, NULL,
               arena_printf(&test_arena, "%s&sosia_nonce=%s&sosia_decision=deny", query, mark));
    assert_string_equal(in_location("error"), "access_denied");
    assert_string_equal(in_location("state"), "a%26b");
}

static void tokens_rotate(void **state)
{
    slack_use_with(APPS);
    const struct json *v = install("7.8", "scope=chat:write&user_scope=users:read", "U0ALICE");
    const char *first = text_at(v, "access_token"), *refresh = text_at(v, "refresh_token");
    assert_shape(first, "xoxe.xoxb-1-");
    assert_shape(refresh, "xoxe-1-");
    assert_memory_equal(text_at(v, "authed_user.access_token"), "xoxe.xoxp-1-", 12);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "expires_in")), "43200");
    v = slack_ask(first, "auth.test", "");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "expires_in")), "43200");
    const char *form = arena_printf(
        &test_arena, CLIENT("7.8") "&grant_type=refresh_token&refresh_token=%s", refresh);
    slack_ask(NULL, "oauth.v2.access",
              arena_printf(&test_arena, CLIENT("7.9") "&grant_type=refresh_token&refresh_token=%s",
                           refresh));
    assert_slack("invalid_refresh_token");
    v = slack_ask(NULL, "oauth.v2.access", form);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "token_type"), "bot");
    assert_string_equal(text_at(v, "scope"), "chat:write");
    const char *second = text_at(v, "access_token"), *next = text_at(v, "refresh_token");
    slack_ask(NULL, "oauth.v2.access", form);
    assert_slack("invalid_refresh_token");
    slack_ask(first, "auth.test", ""); /* until it ends */
    assert_slack(NULL);
    slack_ask(NULL, "oauth.v2.access",
              arena_printf(&test_arena, CLIENT("7.8") "&grant_type=refresh_token&refresh_token=%s",
                           next));
    assert_slack(NULL);
    slack_ask(first, "auth.test", ""); /* of the third the first one ends */
    assert_slack("account_inactive");
    slack_ask(second, "auth.test", "");
    assert_slack(NULL);
    test_advance(43201);
    slack_ask(second, "auth.test", "");
    assert_slack("token_expired");
}

static void lasting_tokens_are_exchanged(void **state)
{
    slack_use_with(APPS);
    const struct json *v = install("7.9", "scope=chat:write", "U0ALICE");
    const char *token = text_at(v, "access_token");
    slack_ask(token, "oauth.v2.exchange", CLIENT("7.9"));
    assert_slack("token_rotation_not_enabled");
    slack_ask(token, "oauth.v2.exchange", CLIENT("7.8"));
    assert_slack("authorization_not_found");
    slack_ask(NULL, "oauth.v2.exchange", CLIENT("7.9"));
    assert_slack("not_authed");
    slack_configure(ALICE, "apps.manifest.update",
                    "{'app_id':'A0KEEP','manifest':{'display_information':{'name':'K'},'settings':{"
                    "'token_rotation_enabled':true}}}");
    assert_slack(NULL);
    v = slack_ask(token, "oauth.v2.exchange", CLIENT("7.9"));
    assert_slack(NULL);
    assert_memory_equal(text_at(v, "access_token"), "xoxe.xoxb-1-", 12);
    slack_ask(token, "oauth.v2.exchange", CLIENT("7.9"));
    assert_slack("token_already_exchanged");
    slack_ask(text_at(v, "access_token"), "oauth.v2.exchange", CLIENT("7.9"));
    assert_slack("invalid_token");
}

/* The challenge is the SHA-256 of forty-three letters a. */
static void public_apps_prove_themselves(void **state)
{
    static const char verifier[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    static const char query[] =
        "client_id=7.10&user_scope=users:read&redirect_uri=app://back&code_challenge="
        "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA&code_challenge_method=S256";
    slack_use_with(APPS);
    const char *code = agree("oauth/v2", query, "U0BOB");
    const char *form =
        arena_printf(&test_arena, "client_id=7.10&redirect_uri=app://back&code=%s", code);
    slack_ask(NULL, "oauth.v2.access", arena_printf(&test_arena, "%s&code_verifier=%s", form, "b"));
    assert_slack("invalid_code_verifier");
    slack_ask(NULL, "oauth.v2.access", form);
    assert_slack("bad_client_secret");
    const struct json *v = slack_ask(
        NULL, "oauth.v2.access", arena_printf(&test_arena, "%s&code_verifier=%s", form, verifier));
    assert_slack(NULL);
    assert_null(text_at(v, "access_token"));
    const char *refresh = text_at(v, "authed_user.refresh_token");
    form = arena_printf(&test_arena, "client_id=7.10&grant_type=refresh_token&refresh_token=%s",
                        refresh);
    v = slack_ask(NULL, "oauth.v2.access", form);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "token_type"), "user");
    test_advance(31 * 86400);
    slack_ask(NULL, "oauth.v2.access",
              arena_printf(&test_arena, "client_id=7.10&grant_type=refresh_token&refresh_token=%s",
                           text_at(v, "refresh_token")));
    assert_slack("invalid_refresh_token");
}

static void classic_apps_get_old_answers(void **state)
{
    slack_use_with(APPS);
    const char *code =
        agree("oauth", "client_id=7.9&scope=bot,commands&redirect_uri=" BACK, "U0BOB");
    const char *form =
        arena_printf(&test_arena, CLIENT("7.9") "&redirect_uri=" BACK "&code=%s", code);
    const struct json *v = slack_ask(NULL, "oauth.access", form);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "team_id"), "T0ACME");
    assert_string_equal(text_at(v, "scope"), "identify,bot,commands");
    slack_ask(text_at(v, "bot.bot_access_token"), "auth.test", "");
    assert_slack(NULL);
    slack_ask(NULL, "oauth.access", form);
    assert_slack("code_already_used");
    code = agree("oauth", "client_id=7.9&scope=bot&redirect_uri=" BACK, "U0BOB");
    slack_ask(NULL, "oauth.v2.access",
              arena_printf(&test_arena, CLIENT("7.9") "&redirect_uri=" BACK "&code=%s", code));
    assert_slack("oauth_authorization_url_mismatch");
}

/* ---- the end ---- */

static void uninstalled_apps_have_no_tokens(void **state)
{
    slack_use_with(APPS);
    const struct json *v = install("7.9", "scope=chat:write&user_scope=users:read", "U0ALICE");
    const char *bot = text_at(v, "access_token"), *user = text_at(v, "authed_user.access_token");
    slack_ask(bot, "apps.uninstall", CLIENT("7.8"));
    assert_slack("client_id_token_mismatch");
    slack_ask(bot, "apps.uninstall", "client_id=7.9&client_secret=x");
    assert_slack("bad_client_secret");
    v = slack_ask(bot, "apps.uninstall", CLIENT("7.9"));
    assert_slack(NULL);
    assert_true(true_at(v, "uninstalled"));
    slack_ask(bot, "auth.test", "");
    assert_slack("account_inactive");
    slack_ask(user, "auth.test", "");
    assert_slack("token_revoked");
    /* Installed again it has others. */
    v = install("7.9", "scope=chat:write", "U0ALICE");
    assert_string_not_equal(text_at(v, "access_token"), bot);
    slack_ask(text_at(v, "access_token"), "auth.test", "");
    assert_slack(NULL);
    slack_ask(bot, "auth.test", "");
    assert_slack("account_inactive");
    /* And without its last token it is not installed. */
    slack_ask(text_at(v, "access_token"), "auth.revoke", "");
    assert_slack(NULL);
    v = slack(ALICE, "users.list", "limit=0");
    assert_non_null(strstr(test_body, "\"name\":\"keeper\",\"deleted\":true"));
}

/* The events that an app got, with the tokens in them. */
static const char *ended(void)
{
    size_t n;
    const struct json *all = slack_entries(&n);
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        const struct json *e = json_get(slack_entry_body(all, i), "event");
        const struct json *tokens = json_get(e, "tokens");
        text = arena_printf(&test_arena, "%s %s%s", text, json_get_str(e, "type"),
                            tokens ? json_to_text(&test_arena, tokens) : "");
    }
    return text;
}

static void the_end_of_tokens_is_an_event_once(void **state)
{
    static const char world[] =
        "chatApps:\n"
        "  - {client_id: '7.9', client_secret: shh, id: A0KEEP, manifest: {display_information:\n"
        "       {name: Keeper}, oauth_config: {redirect_urls: ['https://deploy.example/back'],\n"
        "       scopes: {bot: ['chat:write']}}, settings: {event_subscriptions: {request_url:\n"
        "       'https://deploy.example/e', bot_events: [tokens_revoked, app_uninstalled]}}}}\n";
    slack_use_with(world);
    const struct json *v = install("7.9", "scope=chat:write", "U0ALICE");
    const char *bot_user = text_at(v, "bot_user_id");
    const char *of_bot = arena_printf(
        &test_arena, " tokens_revoked{\"oauth\":[],\"bot\":[\"%s\"]} app_uninstalled", bot_user);
    slack_ask(text_at(v, "access_token"), "auth.revoke", "");
    assert_string_equal(ended(), of_bot);
    slack_use_with(world);
    v = install("7.9", "scope=chat:write", "U0ALICE");
    slack_ask(text_at(v, "access_token"), "apps.uninstall", CLIENT("7.9"));
    assert_string_equal(ended(), of_bot);
    slack_use_with(world);
    v = install("7.9", "user_scope=users:read", "U0ALICE"); /* it has no bot */
    slack_ask(text_at(v, "authed_user.access_token"), "auth.revoke", "");
    assert_string_equal(ended(),
                        " tokens_revoked{\"oauth\":[\"U0ALICE\"],\"bot\":[]} app_uninstalled");
}

/* The next frame of a client, which must be of a type. */
static const struct json *next_of(struct slack_client *c, const char *type)
{
    const struct json *v;
    do
        v = slack_frame(c);
    while (strcmp(text_at(v, "type"), type) != 0);
    return v;
}

static void clients_see_apps_come_and_go(void **state)
{
    struct slack_client c;
    slack_use_with("chatApps:\n"
                   "  - {client_id: '7.9', client_secret: shh, id: A0KEEP,\n"
                   "     manifest: {display_information: {name: Keeper}, features: {bot_user: "
                   "{display_name: keeper},\n"
                   "       slash_commands: [{command: /keep, description: Keep, url: "
                   "'https://deploy.example/c'}]},\n"
                   "       oauth_config: {redirect_urls: ['https://deploy.example/back'], scopes: "
                   "{bot: ['chat:write', commands]}}}}\n");
    const struct json *v = slack(BOB, "rtm.connect", "x=1");
    assert_int_equal(slack_connect(&c, strstr(text_at(v, "url"), "/websocket/")), 101);
    v = install("7.9", "scope=chat:write,commands", "U0ALICE");
    const char *bot = text_at(v, "access_token"), *id = text_at(v, "app_id");
    assert_int_equal(sosia_world_wake(test_engine, test_world, &test_err), 0);
    assert_string_equal(text_at(next_of(&c, "bot_added"), "bot.app_id"), id);
    next_of(&c, "commands_changed");
    slack_configure(
        ALICE, "apps.manifest.update",
        "{'app_id':'A0KEEP','manifest':{'display_information':{'name':'Other'},'features':{"
        "'bot_user':{'display_name':'other'},'slash_commands':[{'command':'/x',"
        "'description':'d','url':'https://x.example/x'}]},"
        "'oauth_config':{'scopes':{'bot':['chat:write','commands']}}}}");
    assert_slack(NULL);
    assert_int_equal(sosia_world_wake(test_engine, test_world, &test_err), 0);
    assert_string_equal(text_at(next_of(&c, "bot_changed"), "bot.name"), "Other");
    next_of(&c, "commands_changed");
    slack_ask(bot, "apps.uninstall", CLIENT("7.9"));
    assert_slack(NULL);
    assert_int_equal(sosia_world_wake(test_engine, test_world, &test_err), 0);
    next_of(&c, "commands_changed");
    sosia_session_close(c.session, 1000);
}

static void people_sign_in(void **state)
{
    slack_use_with(APPS);
    const char *query = "client_id=7.9&response_type=code&scope=openid%20email%20profile&nonce=n1"
                        "&redirect_uri=" BACK;
    const char *code = agree("openid/connect", query, "U0BOB");
    const struct json *v =
        slack_ask(NULL, "openid.connect.token",
                  arena_printf(&test_arena, CLIENT("7.9") "&redirect_uri=" BACK "&code=%s", code));
    assert_slack(NULL);
    assert_string_equal(text_at(v, "token_type"), "Bearer");
    assert_non_null(text_at(v, "id_token"));
    v = slack_ask(text_at(v, "access_token"), "openid.connect.userInfo", "");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "sub"), "U0BOB");
    assert_string_equal(text_at(v, "email"), BOB);
    assert_string_equal(text_at(v, "given_name"), "Bob");
    slack_scoped(BOB, "users:read", "openid.connect.userInfo", "");
    assert_slack("missing_scope");
    get("/.well-known/openid-configuration");
    assert_non_null(strstr(test_body, "\"issuer\":\"https://slack.com\""));
    get("/openid/connect/keys");
    assert_non_null(strstr(test_body, "\"kty\":\"RSA\""));
}

/* The app-level token of an app of the world. */
static const char *app_token(const char *client_id)
{
    struct sosia_blob blob;
    struct sosia_err err;
    assert_int_equal(sosia_credential(test_engine, test_world, "slack", ALICE, NULL, &blob, &err),
                     0);
    const struct json *v = value_at(parsed(blob.data, strlen(blob.data)), "apps");
    const char *token = NULL;
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(text_at(&v->items[i], "client_id"), client_id) == 0)
            token = arena_strdup(&test_arena, text_at(&v->items[i], "app_token"));
    sosia_blob_free(&blob);
    return token;
}

static void events_are_for_those_with_tokens(void **state)
{
    slack_use_with(APPS);
    install("7.9", "scope=chat:write&user_scope=users:read", "U0BOB");
    const struct json *v = install("7.9", "user_scope=users:read", "U0CAROL");
    const char *token = app_token("7.9"), *bot = app_token("1.2");
    v = slack_ask(token, "apps.event.authorizations.list", "event_context=1-message-T0ACME-C0DEV");
    assert_slack(NULL);
    assert_int_equal(value_at(v, "authorizations")->n, 3);
    assert_null(value_at(v, "response_metadata"));
    /* 4- and base64 of {"team_id":"T0ACME"} */
    v = slack_ask(token, "apps.event.authorizations.list",
                  "event_context=4-eyJ0ZWFtX2lkIjoiVDBBQ01FIn0%3D&limit=2");
    assert_int_equal(value_at(v, "authorizations")->n, 2);
    assert_string_equal(text_at(v, "cursor_next"), text_at(v, "response_metadata.next_cursor"));
    v = slack_ask(token, "apps.event.authorizations.list",
                  arena_printf(&test_arena, "event_context=1-x-T0ACME&limit=2&cursor=%s",
                               text_at(v, "response_metadata.next_cursor")));
    assert_slack(NULL);
    assert_int_equal(value_at(v, "authorizations")->n, 1);
    static const char *const bad[] = {"x", "1-message", "4-!!", "4-W10=", "1-message-T0NONE-C0"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack_ask(token, "apps.event.authorizations.list",
                  arena_printf(&test_arena, "event_context=%s", bad[i]));
        assert_slack("invalid_event_context");
    }
    slack_ask(token, "apps.event.authorizations.list", "event_context=1-x-T0ACME&cursor=x");
    assert_slack("invalid_cursor");
    slack(BOT, "apps.event.authorizations.list", "event_context=1-x-T0ACME");
    assert_slack("not_allowed_token_type");
    v = slack_ask(bot, "apps.event.authorizations.list", "event_context=1-x-T0ACME");
    assert_int_equal(value_at(v, "authorizations")->n, 1);
}

static char *dump_now(void)
{
    struct sosia_blob blob;
    struct sosia_err err;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &err), 0);
    return blob.data;
}

static void fail_first_difference(const char *a, const char *b)
{
    size_t n = 0, from;
    while (a[n] && a[n] == b[n])
        n++;
    from = n > 300 ? n - 300 : 0;
    fail_msg("%.600s\n---- but before:\n%.600s", a + from, b + from);
}

/* What installing leaves is in a dump, and works in the world that is made of it. */
static void a_dump_has_what_installing_leaves(void **state)
{
    slack_use_with(APPS);
    const struct json *v = install("7.9", "scope=chat:write,incoming-webhook", "U0BOB");
    const char *lasting = text_at(v, "access_token");
    v = install("7.8", "scope=chat:write", "U0ALICE");
    const char *refresh = text_at(v, "refresh_token");
    slack_configure(ALICE, "apps.manifest.create",
                    "{'manifest':{'display_information':{'name':'Zork'}}}");
    char *dump = dump_now();
    test_use(dump);
    char *again = dump_now();
    if (strcmp(again, dump) != 0)
        fail_first_difference(again, dump);
    v = slack_ask(lasting, "chat.postMessage", "channel=C0GENERAL&text=x");
    assert_slack("not_in_channel");
    slack_ask(NULL, "oauth.v2.access",
              arena_printf(&test_arena, CLIENT("7.8") "&grant_type=refresh_token&refresh_token=%s",
                           refresh));
    assert_slack(NULL);
    free(again);
    free(dump);
}

static void what_is_left(void **state)
{
    slack_use_with(APPS);
    const struct json *v = install("7.9", "user_scope=users:write,identity.basic", "U0BOB");
    slack_ask(text_at(v, "authed_user.access_token"), "apps.user.connection.update",
              "user_id=U0BOB&status=connected");
    assert_slack("app_not_subscribed");
    static const char *const remote[] = {"info", "list", "share"};
    v = install("7.9", "user_scope=remote_files:read,remote_files:share", "U0CAROL");
    for (size_t i = 0; i < SOSIA_LEN(remote); i++) {
        slack_ask(text_at(v, "authed_user.access_token"),
                  arena_printf(&test_arena, "files.remote.%s", remote[i]),
                  "external_id=1&channels=" DEV);
        assert_slack("no_bot_user_for_app");
    }
    slack(ALICE, "migration.exchange", "users=U0BOB");
    assert_slack("not_enterprise_team");
    slack(ALICE, "apps.user.connection.update", "user_id=U0BOB&status=connected");
    assert_slack("app_not_found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(somebody_installs_on_the_page),
        slack_test(codes_are_good_once_for_whom_they_were_given),
        slack_test(an_app_for_its_bot_alone_gets_no_events_of_people),
        slack_test(the_page_refuses_what_is_no_good),
        slack_test(only_the_form_of_the_page_decides),
        slack_test(tokens_rotate),
        slack_test(lasting_tokens_are_exchanged),
        slack_test(public_apps_prove_themselves),
        slack_test(classic_apps_get_old_answers),
        slack_test(uninstalled_apps_have_no_tokens),
        slack_test(the_end_of_tokens_is_an_event_once),
        slack_test(clients_see_apps_come_and_go),
        slack_test(people_sign_in),
        slack_test(events_are_for_those_with_tokens),
        slack_test(a_dump_has_what_installing_leaves),
        slack_test(what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
