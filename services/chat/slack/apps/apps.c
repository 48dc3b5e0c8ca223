/* SPDX-License-Identifier: Apache-2.0 */
/* Apps from outside: configuration tokens, uninstalling, for whom an event is, connections of
 * people, ids of before. */
#include "identity/sql.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/web/oauth.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

/* ---- apps.uninstall ---- */

static int apps_uninstall(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_install i = me->install;
    struct ident_app app;
    struct chat_app a;
    if (sl_client_arg(c, false, &app, &a) < 0)
        return -1;
    if (!i.id || me->app != app.id)
        return slack_fail(c, "client_id_token_mismatch");
    if (chat_uninstall(&c->tx, &i, true) < 0)
        return -1;
    slack_open(c);
    json_bool(c->out, "uninstalled", true);
    slack_close(c);
    return 0;
}

/* ---- apps.event.authorizations.list ---- */

/* The workspace that the context of an event names: "4-" and base64 of an object with team_id, or
 * "1-message-T0ACME-C0DEV". 1; 0: none; -1. */
static int context_team(struct call *c, const char *text, struct chat_workspace *ret)
{
    const struct json *v;
    struct sosia_err err;
    uint8_t *data;
    size_t n;
    const char *team = NULL;
    if (str_starts(text, "4-")) {
        if (base64_decode(c->tx.arena, text + 2, strlen(text + 2), &data, &n) < 0 ||
            json_parse(c->tx.arena, (const char *)data, n, NULL, &v, &err) < 0 ||
            v->type != JSON_OBJECT)
            return 0;
        team = json_get_str(v, "team_id") ? json_get_str(v, "team_id") : json_get_str(v, "tid");
    } else if (str_starts(text, "1-")) {
        const char *from = strchr(text + 2, '-');
        if (from)
            team = arena_memdup(c->tx.arena, from + 1, strcspn(from + 1, "-"));
    }
    return team && *team ? chat_workspace_find(&c->tx, team, ret) : 0;
}

static void write_authorization(struct call *c, const struct chat_workspace *w, const char *user,
                                bool bot)
{
    json_obj(c->out, NULL);
    json_null(c->out, "enterprise_id");
    json_str(c->out, "team_id", w->key);
    json_str(c->out, "user_id", user);
    json_bool(c->out, "is_bot", bot);
    json_bool(c->out, "is_enterprise_install", false);
    json_end(c->out);
}

/* The bot, and who has a token of the app in the workspace; those behind a key. */
static int write_authorized(struct call *c, const struct chat_install *i,
                            const struct chat_workspace *w, const char *from, int64_t limit,
                            const char **ret_next)
{
    static struct sql_text q = SQL_TEXT(
        "select u.key, u.bot from " CHAT_SQL_USERS
        " u where u.workspace = :workspace and u.key >= :from and not u.deleted and (u.id = :bot "
        "or (not u.bot and (exists (select 1 from slack_grant g where g.install = :install and "
        "g.user = u.id) or " IDENT_SQL_HAS_USER_TOKEN(":app", "u.actor") "))) order by u.key");
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, w->id, from, i->user, i->id, i->app);
    int r = st ? 1 : -1;
    for (int64_t n = 0; r == 1 && (r = TX_STEP(&c->tx, st)) == 1; n++) {
        const char *key = (const char *)sqlite3_column_text(st, 0);
        if (n == limit) {
            *ret_next = arena_strdup(c->tx.arena, key);
            sql_done(st);
            return 0;
        }
        write_authorization(c, w, key, sqlite3_column_int(st, 1));
    }
    return r;
}

static int apps_event_authorizations_list(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *from = "", *next = NULL;
    struct chat_workspace w;
    struct chat_install i;
    int64_t limit;
    if (slack_limit(c, &limit) < 0 || slack_cursor(c, "user", &from) < 0)
        return -1;
    int r = context_team(c, param_str(c, "event_context"), &w);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_event_context");
    r = me->app ? chat_install_of(&c->tx, w.id, me->app, &i) : 0;
    if (r != 1 || i.deleted)
        return r < 0 ? -1 : slack_fail(c, "auth_mismatch");
    slack_open(c);
    json_arr(c->out, "authorizations");
    if (write_authorized(c, &i, &w, from, limit, &next) < 0)
        return -1;
    json_end(c->out);
    if (next) { /* the last page says nothing of others, as recorded */
        slack_next(c, "user", next);
        json_str(c->out, "cursor_next", slack_of(c)->cursor);
    }
    slack_close(c);
    return 0;
}

/* ---- apps.user.connection.update ---- */

/* Whom an app knows outside, only its own side can say; nothing shows it here. */
static int apps_user_connection_update(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const struct json *setting, *events;
    struct chat_user u;
    int status = 0;
    if (slack_word(c, "status", &status) < 0)
        return -1;
    if (!me->chat_app.id)
        return slack_fail(c, "app_not_found");
    int r = sl_user_find(c, param_str(c, "user_id"), &u);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    const char *text = me->chat_app.setting;
    if (json_parse(c->tx.arena, text, strlen(text), NULL, &setting, c->tx.err) < 0)
        return -1;
    bool subscribed = false;
    for (int i = 0; i < 2 && !subscribed; i++) {
        events = json_get(setting, i ? "user_events" : "bot_events");
        for (uint32_t k = 0; events && events->type == JSON_ARRAY && k < events->n; k++)
            subscribed |= events->items[k].type == JSON_STRING &&
                          strcmp(events->items[k].str, "user_connection") == 0;
    }
    return subscribed ? slack_ok(c) : slack_fail(c, "app_not_subscribed");
}

/* ---- migration.exchange ---- */

/* No workspace here has moved into an organization. */
static int migration_exchange(struct call *c)
{
    size_t n;
    slack_list_arg(c, "users", &n);
    return slack_fail(c, n > 400 ? "too_many_users" : "not_enterprise_team");
}

/* ---- tooling.tokens.rotate ---- */

static int new_token(struct call *c, const char *prefix, const char *scopes, bool lasting,
                     const char **ret)
{
    const struct oauth_style style = {.access = {"slack_configuration", prefix, 48, true, true},
                                      .access_s = SL_ACCESS_S};
    const struct oauth_access access = {
        .who = &c->actor, .scopes = scopes, .kind = TOKEN_USER, .lasting = lasting};
    return oauth_access_new(&c->tx, &style, &access, ret);
}

/* The refresh token came as the call's credential (vendors/slack/vendor.c), and is not good again.
 */
static int tooling_tokens_rotate(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *access, *refresh;
    int64_t now = c->tx.now_us / US_PER_SECOND;
    c->by_token = true;
    if (!c->token || !str_starts(c->token, SLACK_REFRESH) || !me->user.id)
        return slack_fail(c, "invalid_refresh_token");
    if (ident_token_revoke(&c->tx, c->token, c->claims) < 0 ||
        new_token(c, "xoxe.xoxp-1-", SL_CONFIGURATION, false, &access) < 0 ||
        new_token(c, SLACK_REFRESH, SL_RENEWAL, true, &refresh) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "token", access);
    json_str(c->out, "refresh_token", refresh);
    json_str(c->out, "team_id", me->workspace.key);
    json_str(c->out, "user_id", me->user.key);
    json_int(c->out, "iat", now);
    json_int(c->out, "exp", now + SL_ACCESS_S);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param uninstall_params[] = {SL_ARG("client_id"), SL_ARG("client_secret")};
static const struct param authorizations_params[] = {
    SL_NEEDED("event_context"), SL_ARG("cursor"), SL_ARG("limit", SL_WHOLE(0, 999), .def = "100")};
static const struct param connection_params[] = {
    SL_NEEDED("user_id"), SL_NEEDED("status", SL_WORDS("connected", "disconnected"),
                                    .fault = "must be a valid enum value",
                                    .summary = "State of the person's connection to the app")};
static const struct param migration_params[] = {
    SL_NEEDED("users", SL_LIST, .summary = "Ids to translate"), SL_ARG("team_id"),
    SL_ARG("to_old", SL_FLAG)};
static const struct param rotate_params[] = {SL_NEEDED("refresh_token")};

static const struct route methods[] = {
    {SL_METHOD("apps.uninstall"), .handler = apps_uninstall, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .secret = true, .accepts = slack_form_only,
     .token_kinds = TOKEN_USER | TOKEN_BOT, PARAMS(uninstall_params), .rate = SLACK_TIER_1,
     .summary = "Take the app out of the workspace"},
    {SL_METHOD("apps.event.authorizations.list"), .handler = apps_event_authorizations_list,
     .risk = RISK_READ, .token_kinds = TOKEN_APP, .scopes = "authorizations:read",
     PARAMS(authorizations_params), .rate = SLACK_SPECIAL,
     .summary = "For whom an app may see an event"},
    {SL_METHOD("apps.user.connection.update"), .handler = apps_user_connection_update,
     .risk = RISK_WRITE, .accepts = slack_form_only, .token_kinds = TOKEN_USER,
     .scopes = "users:write", PARAMS(connection_params), .rate = SLACK_TIER_2,
     .summary = "Whether somebody is connected to the app's own service"},
    {SL_METHOD("migration.exchange"), .handler = migration_exchange, .risk = RISK_READ,
     .accepts = slack_form_only, SL_PEOPLE, .scopes = "tokens.basic", PARAMS(migration_params),
     .rate = SLACK_TIER_2, .summary = "Ids that people had before their workspace moved"},
    {SL_METHOD("tooling.tokens.rotate"), .handler = tooling_tokens_rotate, .risk = RISK_WRITE,
     .anonymous = true, .secret = true, .accepts = slack_form_only, PARAMS(rotate_params),
     .rate = SLACK_SPECIAL, .summary = "New configuration tokens for a refresh token"},
};

const struct rows sl_apps = ROWS(methods);
