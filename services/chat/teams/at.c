/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls, and the team, channel, chat and message that a path names. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/teams/meetings/meeting.h"
#include "vendors/microsoft/meeting.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

int teams_bad(struct call *c, const char *text)
{
    return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL, "%s", text);
}

/* ---- the caller ---- */

static int open_as(struct call *c, const char *named, struct teams_at *ret)
{
    int64_t tenant;
    *ret = (struct teams_at){.c = c, .app = graph_app_only(c)};
    if (!named && ret->app && c->route && strncasecmp(c->path, "/v1.0/me/", 9) == 0)
        return teams_bad(c, "/me request is only valid with delegated authentication flow.");
    int r = graph_caller_tenant(c, &tenant);
    if (r == 1)
        r = ms_tenant_get(&c->tx, tenant, &ret->tenant);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (named || !ret->app)
        r = named ? ms_user_find(&c->tx, named, tenant, &ret->user)
                  : ms_user_of_actor(&c->tx, c->actor.id, tenant, &ret->user);
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    if (named && !ret->app && ret->user.actor != c->actor.id)
        return graph_denied(c);
    r = chat_workspace_find(&c->tx, ret->tenant.guid, &ret->workspace);
    if (r == 1 && ret->user.id)
        r = chat_user_find(&c->tx, ret->workspace.id, ret->user.oid, &ret->me);
    return r < 0 ? -1 : 0;
}

int teams_open(struct call *c, struct teams_at *ret)
{
    return open_as(c, param_str(c, "user-id"), ret);
}

int teams_is_open(struct teams_at *at)
{
    return at->team.archived || at->channel.archived ? graph_denied(at->c) : 0;
}

int teams_open_any(struct call *c, struct teams_at *ret, struct ms_user *user)
{
    const char *named = param_str(c, "user-id");
    if (open_as(c, NULL, ret) < 0)
        return -1;
    *user = ret->user;
    int r = named ? ms_user_find(&c->tx, named, ret->tenant.id, user) : user->id != 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

int teams_person(struct teams_at *at, const struct ms_user *user, struct chat_user *ret)
{
    return teams_user_in(&at->c->tx, at->workspace.id, user, ret);
}

int teams_user_in(struct tx *tx, int64_t workspace, const struct ms_user *user,
                  struct chat_user *ret)
{
    struct actor actor;
    int r = chat_user_find(tx, workspace, user->oid, ret);
    if (r)
        return r < 0 ? -1 : 0;
    if (actor_by_id(tx, user->actor, &actor) != 1)
        return -1;
    *ret = (struct chat_user){.workspace = workspace,
                              .actor = user->actor,
                              .key = user->oid,
                              .name = arena_memdup(tx->arena, user->upn, strcspn(user->upn, "@")),
                              .real_name = user->name ? user->name : actor.name,
                              .display_name = "",
                              .title = "",
                              .phone = "",
                              .pronouns = "",
                              .email = user->mail,
                              .zone = actor.zone,
                              .locale = "en-US",
                              .role = CHAT_MEMBER,
                              .status_text = "",
                              .status_emoji = "",
                              .presence = "auto",
                              .active = true,
                              .updated_s = tx->now_us / US_PER_SECOND};
    return chat_user_add(tx, ret);
}

int teams_open_write(struct call *c, struct teams_at *ret)
{
    if (teams_open(c, ret) < 0)
        return -1;
    if (!ret->workspace.id) {
        ret->workspace = (struct chat_workspace){.key = ret->tenant.guid,
                                                 .domain = ret->tenant.domain,
                                                 .name = ret->tenant.name,
                                                 .email_domain = "",
                                                 .plan = "standard",
                                                 .setting = "{}",
                                                 .vendor = "microsoft",
                                                 .created_s = c->tx.now_us / US_PER_SECOND};
        if (chat_workspace_add(&c->tx, &ret->workspace) < 0)
            return -1;
    }
    return ret->user.id ? teams_person(ret, &ret->user, &ret->me) : 0;
}

int teams_find_user(struct teams_at *at, const char *text, struct ms_user *ret)
{
    static const char *const ends[] = {"')", "\")", ")"};
    const char *slash = strrchr(text, '/'), *open = strrchr(text, '(');
    struct arena *a = at->c->tx.arena;
    const char *id = slash ? slash + 1 : text;
    if (open) {
        id = open + 1 + (open[1] == '\'' || open[1] == '"');
        for (size_t i = 0; i < SOSIA_LEN(ends); i++) {
            size_t n = strlen(id), m = strlen(ends[i]);
            if (n > m && strcmp(id + n - m, ends[i]) == 0) {
                id = arena_memdup(a, id, n - m);
                break;
            }
        }
    }
    return *id ? ms_user_find(&at->c->tx, id, at->tenant.id, ret) : 0;
}

/* ---- what paths name ---- */

int teams_owns(struct teams_at *at)
{
    struct chat_team_member m;
    if (at->app)
        return 1;
    int r = at->me.id ? chat_team_member_of(&at->c->tx, at->team.id, at->me.id, &m) : 0;
    return r == 1 ? m.part == CHAT_PART_OWNER : r;
}

int teams_may(struct teams_at *at, const char *setting)
{
    struct chat_team_member m;
    if (at->app)
        return 1;
    int r = at->me.id ? chat_team_member_of(&at->c->tx, at->team.id, at->me.id, &m) : 0;
    if (r < 0 || (r && m.part == CHAT_PART_OWNER))
        return r;
    const bool guest = r && m.part == CHAT_PART_GUEST;
    return teams_setting(&at->team, at->c->tx.arena, guest ? "guestSettings" : "memberSettings",
                         setting, !guest);
}

int teams_owns_channel(struct teams_at *at)
{
    struct chat_member m;
    int r = teams_owns(at);
    if (r || at->channel.kind != CHAT_PRIVATE)
        return r;
    r = at->me.id ? chat_member_of(&at->c->tx, at->channel.id, at->me.id, &m) : 0;
    return r == 1 ? m.part == CHAT_PART_OWNER : r;
}

/* The team of the path, for all who ask. */
static int find_team(struct teams_at *at)
{
    const char *own = param_str(at->c, "team-id");
    const char *id = own ? own : param_str(at->c, "group-id");
    int r = at->workspace.id ? chat_team_find(&at->c->tx, at->workspace.id, id, &at->team) : 0;
    return r == 1 && !teams_is_gone(&at->team) ? 0
           : r < 0                             ? -1
                   : call_fail(at->c, SOSIA_E_NOT_FOUND, "NotFound", NULL,
                               "No team found with Group Id %.80s", id);
}

static int need_member(struct teams_at *at)
{
    struct chat_team_member m;
    if (at->app)
        return 0;
    int r = at->me.id ? chat_team_member_of(&at->c->tx, at->team.id, at->me.id, &m) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(at->c);
}

int teams_team(struct teams_at *at)
{
    return find_team(at) < 0 ? -1 : need_member(at);
}

/* 19:...@thread.tacv2 and the like. */
static bool is_thread(const char *id)
{
    return strncmp(id, "19:", 3) == 0 && strchr(id, '@');
}

int teams_channel(struct teams_at *at)
{
    const char *id = param_str(at->c, "channel-id");
    if (find_team(at) < 0)
        return -1;
    if (!is_thread(id))
        return need_member(at) < 0 ? -1
                                   : call_fail(at->c, SOSIA_E_INVALID, "InvalidRequest", NULL,
                                               "Channel id is not in a valid format: %.120s", id);
    int r = chat_channel_find(&at->c->tx, at->workspace.id, id, &at->channel);
    if (r < 0 || (!(r && teams_is_shared(&at->channel)) && need_member(at) < 0))
        return -1;
    if (!r || at->channel.team != at->team.id || teams_is_deleted(&at->channel))
        return call_fail(at->c, SOSIA_E_NOT_FOUND, "NotFound", NULL,
                         "No Channel found with Thread Id %.120s", id);
    if (at->app)
        return 0;
    r = chat_can_see(&at->c->tx, &at->channel, &at->me);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(at->c);
}

/* The chat of a meeting that is an event in the caller's calendar. 1, 0, -1. */
static int settle_chat(struct teams_at *at, const char *id)
{
    struct graph_online event;
    struct teams_meeting m;
    struct chat_user organizer;
    int r = at->me.id ? teams_meeting_reach(at, id, &m, &organizer, &event) : 0;
    if (r != 1)
        return r;
    return teams_meeting_settle(at, id, &organizer, &event, &m) < 0
               ? -1
               : chat_channel_get(&at->c->tx, m.channel, &at->channel);
}

int teams_chat(struct teams_at *at)
{
    const char *id = param_str(at->c, "chat-id");
    struct chat_member m;
    if (!is_thread(id))
        return call_fail(at->c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "Bad Request: invalid chat id %.120s", id);
    int r =
        at->workspace.id ? chat_channel_find(&at->c->tx, at->workspace.id, id, &at->channel) : 0;
    if (r < 0)
        return -1;
    if (!r &&
        at->c->route->risk > RISK_READ) /* one of an event comes with what is first done in it */
        r = settle_chat(at, id);
    if (r < 0)
        return -1;
    if (!r || at->channel.kind < CHAT_DIRECT || teams_is_deleted(&at->channel))
        return graph_not_found(at->c);
    if (at->app)
        return 0;
    r = at->me.id ? chat_member_of(&at->c->tx, at->channel.id, at->me.id, &m) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(at->c);
}

/* The message of the channel with that id. 1, 0, -1. */
static int message_of(struct teams_at *at, const char *id, struct chat_message *ret)
{
    int64_t ms;
    if (parse_i64(id, strlen(id), &ms) < 0 || ms < 0 || ms > CHAT_LAST_INSTANT / 1000)
        return 0;
    return chat_message_find(&at->c->tx, at->channel.id, ms * 1000, ret);
}

bool teams_is_shown(struct teams_at *at, const struct chat_channel *ch,
                    const struct chat_message *m)
{
    return at->app || m->ts_us >= teams_history(at->c->tx.arena, ch, &at->me);
}

int teams_message(struct teams_at *at)
{
    const char *id = param_str(at->c, "chatMessage-id"),
               *reply = param_str(at->c, "chatMessage-id1");
    int r = message_of(at, id, &at->message);
    if (r == 1 && at->channel.team && at->message.thread && at->message.thread != at->message.id)
        r = 0;
    if (r == 1 && reply) {
        const int64_t thread = at->message.id;
        r = message_of(at, reply, &at->message);
        if (r == 1 && (at->message.thread != thread || at->message.id == thread))
            r = 0;
    }
    if (r == 1 && !teams_is_shown(at, &at->channel, &at->message))
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

/* ---- options ---- */

static const char *const option_names[][2] = {
    {"$filter", "Filter"}, {"$orderby", "OrderBy"}, {"$expand", "Expand"}, {"$select", "Select"},
    {"$top", "Top"},       {"$skip", "Skip"},       {"$count", "Count"},   {"$search", "Search"}};

int teams_options(struct call *c, const char *type, const char *allowed, struct odata_query *ret)
{
    for (size_t i = 0; i < SOSIA_LEN(option_names); i++)
        if (graph_option(c, option_names[i][0]) && !strstr(allowed, option_names[i][0]))
            return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                             "The query specified in the URI is not valid. Query option '%s' is "
                             "not allowed. To allow it, set the 'AllowedQueryOptions' property on "
                             "EnableQueryAttribute or QueryValidationSettings.",
                             option_names[i][1]);
    return graph_query(c, type, NULL, ret);
}

int teams_is_asked(struct call *c, const struct odata_query *q, int (*write)(void *arg), void *arg)
{
    struct odata_ctx ctx = {.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    struct json_writer w, *out = c->out;
    const struct json *thing;
    struct buf b;
    if (!q->filter)
        return 1;
    json_start(&w, &b);
    c->out = &w;
    json_obj(&w, NULL);
    int r = write(arg);
    json_end(&w);
    c->out = out;
    const char *text = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    if (r == 0)
        r = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                           : json_parse(c->tx.arena, text, b.len, NULL, &thing, c->tx.err);
    buf_done(&b);
    return r < 0 ? -1 : odata_matches(&ctx, q->filter, thing);
}

int teams_top(struct call *c, const struct odata_query *q, int64_t otherwise, int64_t *ret)
{
    *ret = q->top < 0 ? otherwise : q->top;
    return q->top > TEAMS_MAX_PAGE
               ? call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                           "Limit of '%d' for Top Query has been exceeded.", TEAMS_MAX_PAGE)
               : 0;
}

int64_t teams_skiptoken(struct call *c, const char *purpose)
{
    const char *token = graph_option(c, "$skiptoken"), *text;
    int64_t n;
    if (!token)
        return 0;
    return graph_unseal(c->tx.arena, purpose, token, &text) == 1 &&
                   parse_i64(text, strlen(text), &n) == 0 && n > 0 && n <= CHAT_LAST_INSTANT
               ? n
               : teams_bad(c, "Invalid skip token.");
}

const char *teams_next(struct call *c, const char *purpose, int64_t number)
{
    return graph_next(
        c, "$skiptoken",
        graph_seal(c->tx.arena, purpose, arena_printf(c->tx.arena, "%lld", (long long)number)));
}
