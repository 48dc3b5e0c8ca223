/* SPDX-License-Identifier: Apache-2.0 */
/* The methods that give tokens: for codes, for refresh tokens, for tokens that do not end. */
#include "services/chat/slack/web/oauth.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

/* ---- responses ---- */

static void write_home(struct call *c, const struct chat_workspace *w)
{
    json_obj(c->out, "team");
    json_str(c->out, "id", w->key);
    json_str(c->out, "name", w->name);
    json_end(c->out);
    json_null(c->out, "enterprise");
    json_bool(c->out, "is_enterprise_install", false);
}

/* The end of a token, and with what it is renewed. */
static void write_renewal(struct call *c, const struct sl_token *t)
{
    if (!t->refresh)
        return;
    json_int(c->out, "expires_in", t->expires_in);
    json_str(c->out, "refresh_token", t->refresh);
}

/* The webhook that came with the scope; made anew each time. */
static int write_webhook(struct call *c, const struct sl_issue *s, const char *channel)
{
    struct chat_channel ch;
    struct chat_webhook h = {.workspace = s->workspace.id,
                             .app = s->app.id,
                             .user = s->person.id,
                             .created_s = c->tx.now_us / US_PER_SECOND};
    int r = channel ? chat_channel_find(&c->tx, s->workspace.id, channel, &ch) : 0;
    if (r != 1)
        return r;
    h.channel = ch.id;
    if (chat_webhook_add(&c->tx, &h) < 0)
        return -1;
    json_obj(c->out, "incoming_webhook");
    json_str(c->out, "channel",
             ch.kind >= CHAT_DIRECT ? "" : arena_printf(c->tx.arena, "#%s", ch.name));
    json_str(c->out, "channel_id", ch.key);
    json_str(c->out, "configuration_url",
             arena_printf(c->tx.arena, "https://%s." SLACK_HOST "/services/%s", s->workspace.domain,
                          h.key));
    json_str(c->out, "url",
             call_follow_url(c, SLACK_HOOKS,
                             arena_printf(c->tx.arena, "/services/%s/%s/%s", s->workspace.key,
                                          h.key, h.secret)));
    json_end(c->out);
    return 0;
}

/* ---- oauth.v2.access ---- */

static void write_authed(struct call *c, const struct sl_issue *s)
{
    json_obj(c->out, "authed_user");
    json_str(c->out, "id", s->person.key);
    if (s->user_token.access) {
        json_str(c->out, "scope", s->user_token.scopes);
        json_str(c->out, "access_token", s->user_token.access);
        json_str(c->out, "token_type", "user");
        write_renewal(c, &s->user_token);
    }
    json_end(c->out);
}

static int access_code(struct call *c)
{
    struct sl_issue s = {0};
    struct sl_agreed agreed;
    struct oauth_code code;
    bool verified = param_given(c, "code_verifier");
    if (sl_client_arg(c, verified, &s.app, &s.chat_app) < 0 ||
        sl_redeem(c, SL_FLOW_V2, &s.app, &s.chat_app, "invalid_code", &agreed, &code) < 0 ||
        sl_agreed_by(c, &agreed, &s) < 0)
        return -1;
    s.rotate = code.offline;
    if (sl_install(&c->tx, &s) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "app_id", s.chat_app.key);
    write_authed(c, &s);
    if (s.bot_token.access) {
        json_str(c->out, "scope", s.bot_token.scopes);
        json_str(c->out, "token_type", "bot");
        json_str(c->out, "access_token", s.bot_token.access);
        json_str(c->out, "bot_user_id", s.bot_user.key);
        write_renewal(c, &s.bot_token);
    }
    write_home(c, &s.workspace);
    if (write_webhook(c, &s, agreed.channel) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static void write_token(struct call *c, const struct sl_issue *s, const struct chat_user *u,
                        const struct sl_token *t)
{
    slack_open(c);
    json_str(c->out, "app_id", s->chat_app.key);
    json_str(c->out, "scope", t->scopes);
    json_str(c->out, "token_type", u->bot ? "bot" : "user");
    json_str(c->out, "access_token", t->access);
    json_str(c->out, u->bot ? "bot_user_id" : "user_id", u->key);
    write_renewal(c, t);
    write_home(c, &s->workspace);
    slack_close(c);
}

/* The scopes of a bot are those of its installation. */
static const char *scopes_of(struct call *c, const struct sl_issue *s, const struct chat_user *u,
                             const char *own)
{
    return u->bot ? sl_bot_scopes(c->tx.arena, &s->install) : own ? own : "";
}

static int access_refresh(struct call *c, bool people)
{
    struct sl_issue s = {.rotate = true};
    struct sl_token t;
    struct chat_grant g;
    struct chat_user u;
    if (sl_client_arg(c, true, &s.app, &s.chat_app) < 0 || sl_grant_arg(c, &s, &g, &u) < 0)
        return -1;
    if (people && u.bot)
        return slack_fail(c, "invalid_refresh_token");
    s.pkce = g.expires_s != 0;
    if (sl_issue_token(&c->tx, &s, &u, scopes_of(c, &s, &u, g.scopes), &t) < 0)
        return -1;
    write_token(c, &s, &u, &t);
    return 0;
}

/* Which of the two a method is asked for. */
static int by_grant_type(struct call *c, int (*code)(struct call *c), bool people)
{
    int type = 0;
    if (slack_word(c, "grant_type", &type) < 0)
        return -1;
    return type ? access_refresh(c, people) : code(c);
}

static int oauth_v2_access(struct call *c)
{
    return by_grant_type(c, access_code, false);
}

/* ---- oauth.v2.user.access ---- */

static int user_code(struct call *c)
{
    struct sl_issue s = {0};
    struct sl_agreed agreed;
    struct oauth_code code;
    if (sl_client_arg(c, param_given(c, "code_verifier"), &s.app, &s.chat_app) < 0 ||
        sl_redeem(c, SL_FLOW_USER, &s.app, &s.chat_app, "invalid_code", &agreed, &code) < 0 ||
        sl_agreed_by(c, &agreed, &s) < 0)
        return -1;
    s.rotate = code.offline;
    if (sl_install(&c->tx, &s) < 0)
        return -1;
    write_token(c, &s, &s.person, &s.user_token);
    return 0;
}

static int oauth_v2_user_access(struct call *c)
{
    return by_grant_type(c, user_code, true);
}

/* ---- oauth.v2.exchange ---- */

static int oauth_v2_exchange(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct sl_issue s = {.rotate = true, .workspace = me->workspace, .install = me->install};
    struct ident_token known;
    struct chat_grant g;
    struct sl_token t;
    if (sl_client_arg(c, false, &s.app, &s.chat_app) < 0)
        return -1;
    if (c->token_kind == TOKEN_APP || !me->app || c->token_expires_us)
        return slack_fail(c, "invalid_token");
    if (!me->install.id || me->app != s.app.id)
        return slack_fail(c, "authorization_not_found");
    if (!sl_setting_truth(&c->tx, &s.chat_app, "token_rotation"))
        return slack_fail(c, "token_rotation_not_enabled");
    int r = chat_grant_of(&c->tx, me->install.id, me->user.id, &g);
    if (r)
        return r < 0 ? -1 : slack_fail(c, "token_already_exchanged");
    s.pkce = sl_setting_truth(&c->tx, &s.chat_app, "pkce");
    c->by_token = true;
    r = ident_token_find(&c->tx, c->token, &known);
    if (r < 0)
        return -1;
    const char *own =
        r && known.scopes ? sl_scopes_union(c->tx.arena, "", known.scopes) : slack_granted(c);
    if (sl_issue_token(&c->tx, &s, &me->user, scopes_of(c, &s, &me->user, own), &t) < 0)
        return -1;
    write_token(c, &s, &me->user, &t);
    return 0;
}

/* ---- oauth.access ---- */

static int oauth_access(struct call *c)
{
    struct sl_issue s = {0};
    struct sl_agreed agreed;
    struct oauth_code code;
    if (sl_client_arg(c, false, &s.app, &s.chat_app) < 0 ||
        sl_redeem(c, SL_FLOW_V1, &s.app, &s.chat_app, "code_already_used", &agreed, &code) < 0 ||
        sl_agreed_by(c, &agreed, &s) < 0)
        return -1;
    s.people = sl_scopes_union(c->tx.arena, "identify", agreed.people);
    s.classic = true;
    if (sl_install(&c->tx, &s) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "access_token", s.user_token.access);
    json_str(c->out, "scope", s.user_token.scopes);
    json_str(c->out, "user_id", s.person.key);
    json_str(c->out, "team_id", s.workspace.key);
    json_null(c->out, "enterprise_id");
    json_str(c->out, "team_name", s.workspace.name);
    if (write_webhook(c, &s, agreed.channel) < 0)
        return -1;
    if (s.bot_token.access) {
        json_obj(c->out, "bot");
        json_str(c->out, "bot_user_id", s.bot_user.key);
        json_str(c->out, "bot_access_token", s.bot_token.access);
        json_end(c->out);
    }
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param access_params[] = {
    SL_ARG("client_id"),
    SL_ARG("client_secret"),
    SL_ARG("code"),
    SL_ARG("redirect_uri"),
    SL_ARG("code_verifier"),
    SL_ARG("grant_type", SL_WORDS("authorization_code", "refresh_token"),
           .def = "authorization_code", .fault = "invalid_grant_type"),
    SL_ARG("assertion"),
    SL_ARG("refresh_token")};
static const struct param exchange_params[] = {SL_ARG("client_id"), SL_ARG("client_secret")};
static const struct param old_params[] = {SL_ARG("client_id"), SL_ARG("client_secret"),
                                          SL_ARG("code"), SL_ARG("redirect_uri"),
                                          SL_ARG("single_channel", SL_FLAG)};

static const struct route methods[] = {
    {SL_METHOD("oauth.v2.access"), .handler = oauth_v2_access, .risk = RISK_WRITE,
     .anonymous = true, .secret = true, .accepts = slack_form_only, PARAMS(access_params),
     .rate = SLACK_SPECIAL, .summary = "Tokens of an app for a code, or for a refresh token"},
    {SL_METHOD("oauth.v2.user.access"), .handler = oauth_v2_user_access, .risk = RISK_WRITE,
     .anonymous = true, .secret = true, .accepts = slack_form_only, PARAMS(access_params),
     .rate = SLACK_SPECIAL, .summary = "A person's token for a code, or for a refresh token"},
    {SL_METHOD("oauth.v2.exchange"), .handler = oauth_v2_exchange, .risk = RISK_WRITE,
     .secret = true, .accepts = slack_form_only, PARAMS(exchange_params), .rate = SLACK_TIER_3,
     .summary = "A token that ends, and what renews it, for one that does not"},
    {SL_METHOD("oauth.access"), .handler = oauth_access, .risk = RISK_WRITE, .anonymous = true,
     .secret = true, .accepts = slack_form_only, PARAMS(old_params), .rate = SLACK_TIER_4,
     .summary = "Tokens of a classic app for a code"},
};

const struct rows sl_oauth = ROWS(methods);
