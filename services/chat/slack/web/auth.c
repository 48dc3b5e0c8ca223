/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a token stands for, and ending it. */
#include "engine/text/civil.h"
#include "identity/oauth.h"
#include "services/chat/slack/sl.h"

static int api_test(struct call *c)
{
    const char *error = call_query_item(c, "error");
    if (error && *error) {
        json_obj(c->out, NULL);
        json_bool(c->out, "ok", false);
        json_str(c->out, "error", error);
    } else {
        slack_open(c);
    }
    if (c->n_items) {
        json_obj(c->out, "args");
        for (size_t i = 0; i < c->n_items; i++)
            if (strcmp(c->items[i].name, "token") != 0)
                json_str(c->out, c->items[i].name, c->items[i].text);
        json_end(c->out);
    }
    slack_close(c);
    return 0;
}

static int auth_test(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct json_writer *w = c->out;
    struct ident_app app;
    slack_open(c);
    json_str(w, "url", sl_team_url(c, "/"));
    json_str(w, "team", me->workspace.name);
    json_str(w, "user", me->user.name);
    json_str(w, "team_id", me->workspace.key);
    json_str(w, "user_id", me->user.key);
    if (me->user.bot && me->install.id)
        json_str(w, "bot_id", me->install.key);
    if (c->token_kind == TOKEN_APP && me->chat_app.id && app_get(&c->tx, me->app, &app) == 1) {
        json_str(w, "app_name", app.name);
        json_str(w, "app_id", me->chat_app.key);
    }
    json_bool(w, "is_enterprise_install", false);
    if (c->token_expires_us)
        json_int(w, "expires_in", (c->token_expires_us - c->tx.now_us) / US_PER_SECOND);
    slack_close(c);
    return 0;
}

/* Without any token of those that people gave it an app is not installed any more. */
static int end_token(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_install i = me->install;
    struct chat_grant g;
    if (c->claims)
        return ident_token_revoke(&c->tx, c->token, c->claims);
    int r = oauth_access_end(&c->tx, c->token);
    if (r == 1 && i.id)
        r = chat_grant_of(&c->tx, i.id, me->user.id, &g);
    if (r == 1 && i.id && strcmp(g.access, c->token) == 0 && chat_grant_end(&c->tx, g.id) < 0)
        return -1;
    if (r < 0 || !i.id || !c->app)
        return r < 0 ? -1 : 0;
    chat_tokens_ended(&c->tx, &i, me->user.id);
    r = oauth_tenant_has(&c->tx, me->app, "slack", me->workspace.key);
    return r == 0 ? chat_uninstall(&c->tx, &i, false) : r < 0 ? -1 : 0;
}

static int auth_revoke(struct call *c)
{
    bool test = slack_flag(c, "test");
    if (!test && end_token(c) < 0)
        return -1;
    slack_open(c);
    json_bool(c->out, "revoked", !test);
    slack_close(c);
    return 0;
}

static int auth_teams_list(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *from;
    int64_t limit;
    if (slack_limit(c, &limit) < 0 || slack_cursor(c, "team_id", &from) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "teams");
    json_obj(c->out, NULL);
    json_str(c->out, "id", me->workspace.key);
    json_str(c->out, "name", me->workspace.name);
    if (slack_flag(c, "include_icon"))
        sl_write_team_icon(c);
    json_end(c->out);
    json_end(c->out);
    slack_next(c, "team_id", NULL);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param api_test_params[] = {
    SL_ARG("error", .summary = "Code that the response is to refuse with"), SL_ARG("foo")};
static const struct param auth_revoke_params[] = {SL_ARG("test", SL_FLAG)};
static const struct param auth_teams_list_params[] = {
    SL_ARG("cursor"), SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
    SL_ARG("include_icon", SL_FLAG)};

static const struct route methods[] = {
    {SL_METHOD("api.test"), .handler = api_test, .risk = RISK_READ, .anonymous = true,
     PARAMS(api_test_params), .rate = SLACK_TIER_4, .summary = "The arguments, as they came"},
    {SL_METHOD("auth.test"), .handler = auth_test, .risk = RISK_READ, .rate = SLACK_SPECIAL,
     .summary = "Whom the token stands for"},
    {SL_METHOD("auth.revoke"), .handler = auth_revoke, .risk = RISK_WRITE, .idempotent = true,
     .accepts = slack_form_only, PARAMS(auth_revoke_params), .rate = SLACK_TIER_3,
     .summary = "End the token"},
    {SL_METHOD("auth.teams.list"), .handler = auth_teams_list, .risk = RISK_READ,
     .accepts = slack_form_only, PARAMS(auth_teams_list_params), .rate = SLACK_TIER_2,
     .summary = "Workspaces that the token is good for"},
};

const struct rows sl_auth = ROWS(methods);
