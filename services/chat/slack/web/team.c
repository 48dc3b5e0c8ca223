/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace, and the bots in it. */
#include "engine/base/codec.h"
#include "services/chat/core/connect.h"
#include "services/chat/slack/sl.h"

/* The workspace of an id: the caller's, or one that shares a channel with it, as descriptions of
 * the argument in the service's OpenAPI document and SDKs have it. 1, 0, -1. */
static int find_team(struct call *c, const char *team, struct chat_workspace *ret)
{
    *ret = sl_me(c)->workspace;
    if (!team || !*team || strcmp(team, ret->key) == 0)
        return 1;
    int64_t mine = ret->id;
    int r = chat_workspace_find(&c->tx, team, ret);
    if (r == 1 && strcmp(team, ret->key) != 0) /* it is a domain */
        r = 0;
    return r == 1 ? chat_connected(&c->tx, mine, ret->id) : r;
}

static int team_info(struct call *c)
{
    struct chat_workspace found, *w = &found;
    const char *team = param_str(c, "team"), *domain = param_str(c, "domain");
    int r = find_team(c, team, w);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "team_not_found");
    if (domain && *domain && !(team && *team)) /* of another workspace of an organization */
        return slack_fail(c, "team_not_on_enterprise");
    slack_open(c);
    json_obj(c->out, "team");
    json_str(c->out, "id", w->key);
    json_str(c->out, "name", w->name);
    json_str(c->out, "url", arena_printf(c->tx.arena, "https://%s." SLACK_HOST "/", w->domain));
    json_str(c->out, "domain", w->domain);
    json_str(c->out, "email_domain", w->id == sl_me(c)->workspace.id ? w->email_domain : "");
    sl_write_team_icon(c);
    json_str(c->out, "avatar_base_url", "https://ca.slack-edge.com/");
    json_bool(c->out, "is_verified", false);
    json_bool(c->out, "lob_sales_home_enabled", false);
    json_bool(c->out, "is_sfdc_auto_slack", false);
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int team_billing_info(struct call *c)
{
    const char *plan = sl_me(c)->workspace.plan;
    slack_open(c);
    json_str(c->out, "plan", strcmp(plan, "standard") == 0 ? "std" : plan);
    slack_close(c);
    return 0;
}

/* Preferences that the workspace's setting does not give have the service's defaults. */
static int team_preferences_list(struct call *c)
{
    const struct json *real = sl_preference(c, "display_real_names");
    const struct json *deletion = sl_preference(c, "allow_message_deletion");
    const struct json *uploads = sl_preference(c, "disable_file_uploads");
    const struct json *general = sl_preference(c, "who_can_post_general");
    int64_t minutes = -1;
    json_i64(sl_preference(c, "msg_edit_window_mins"), &minutes);
    slack_open(c);
    json_int(c->out, "msg_edit_window_mins", minutes);
    json_bool(c->out, "allow_message_deletion", !deletion || deletion->truth);
    json_bool(c->out, "display_real_names", real && real->truth);
    json_str(c->out, "disable_file_uploads",
             uploads && uploads->type == JSON_STRING ? uploads->str : "allow_all");
    json_str(c->out, "who_can_post_general",
             general && general->type == JSON_STRING ? general->str : "everyone");
    slack_close(c);
    return 0;
}

/* Who is paid for: everybody who may still come in, but for bots. */
static void write_billable(struct call *c, const struct chat_user *u)
{
    json_obj(c->out, u->key);
    json_bool(c->out, "billing_active", !u->deleted && !u->bot && u->role != CHAT_CHANNEL_GUEST);
    json_end(c->out);
}

struct billing {
    struct call *c;
    int64_t limit, n;
    const char *next;
};

static int list_billable(void *arg, const struct chat_user *u)
{
    struct billing *b = arg;
    if (u->bot || !u->actor)
        return 0;
    if (b->n++ == b->limit) {
        b->next = arena_strdup(b->c->tx.arena, u->key);
        return 1;
    }
    write_billable(b->c, u);
    return 0;
}

static int team_billable_info(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *key = param_str(c, "user"), *from = NULL;
    struct billing b = {.c = c};
    struct chat_user u;
    bool one = key && *key;
    if (me->user.role > CHAT_ADMIN)
        return slack_fail(c, "no_permission");
    int r = one ? sl_user_find(c, key, &u) : 1;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (slack_limit(c, &b.limit) < 0 || slack_cursor(c, "user", &from) < 0)
        return -1;
    slack_open(c);
    json_obj(c->out, "billable_info");
    if (one)
        write_billable(c, &u);
    else if (chat_users(&c->tx, me->workspace.id, from, list_billable, &b) < 0)
        return -1;
    json_end(c->out);
    slack_next(c, "user", b.next);
    slack_close(c);
    return 0;
}

static int bots_info(struct call *c)
{
    const char *key = param_str(c, "bot");
    struct chat_install i;
    if (!key || !*key)
        return slack_ok(c);
    int r = chat_install_find(&c->tx, sl_me(c)->workspace.id, key, &i);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "bot_not_found");
    slack_open(c);
    if (sl_write_bot(c, "bot", i.app, false) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static const struct param team_info_params[] = {SL_ARG("team", .summary = "Id of the workspace"),
                                                SL_ARG("domain")};
static const struct param billable_params[] = {SL_ARG("cursor"),
                                               SL_ARG("limit", SL_WHOLE(0, 999), .def = "100"),
                                               SL_ARG("user"), SL_ARG("team_id")};
static const struct param bots_info_params[] = {SL_ARG("bot"), SL_ARG("team_id")};

static const struct route methods[] = {
    {SL_METHOD("team.info"), .handler = team_info, .risk = RISK_READ,
     .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "team:read", PARAMS(team_info_params),
     .rate = SLACK_TIER_3, .summary = "The workspace"},
    {SL_METHOD("team.billableInfo"), .handler = team_billable_info, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER, .scopes = "admin",
     PARAMS(billable_params), .rate = SLACK_TIER_2, .summary = "Who is paid for"},
    {SL_METHOD("team.billing.info"), .handler = team_billing_info, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER | TOKEN_BOT,
     .scopes = "team.billing:read", .rate = SLACK_TIER_3, .summary = "The workspace's plan"},
    {SL_METHOD("team.preferences.list"), .handler = team_preferences_list, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER | TOKEN_BOT,
     .scopes = "team.preferences:read", .rate = SLACK_TIER_3,
     .summary = "Preferences of the workspace"},
    {SL_METHOD("bots.info"), .handler = bots_info, .risk = RISK_READ, .accepts = slack_form_only,
     .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "users:read", PARAMS(bots_info_params),
     .rate = SLACK_TIER_3, .summary = "A bot"},
};

const struct rows sl_team = ROWS(methods);
