/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a channel: lists, joining, leaving, inviting, removing. */
#include "services/chat/core/ask.h"
#include "services/chat/core/connect.h"
#include "services/chat/slack/sl.h"

static int conversations_members(struct call *c)
{
    struct chat_channel ch;
    const char *from = NULL;
    int64_t limit, *users;
    size_t n;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 || sl_channel_scope(c, &ch, "read") < 0 ||
        slack_limit(c, &limit) < 0 || slack_cursor(c, "user", &from) < 0 ||
        chat_members(&c->tx, ch.id, from, limit + 1, &users, &n) < 0)
        return -1;
    if (ch.archived)
        n = 0;
    slack_open(c);
    json_arr(c->out, "members");
    for (size_t i = 0; i < n && i < (size_t)limit; i++)
        json_str(c->out, NULL, sl_user_key(c, users[i]));
    json_end(c->out);
    slack_next(c, "user", n > (size_t)limit ? sl_user_key(c, users[limit]) : NULL);
    slack_close(c);
    return 0;
}

static int answer_channel(struct call *c, const struct chat_channel *ch, unsigned parts)
{
    slack_open(c);
    if (sl_write_channel(c, "channel", ch, parts) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static int conversations_join(struct call *c)
{
    struct chat_channel ch;
    if (sl_channel_arg(c, "channel", false, &ch) < 0)
        return -1;
    if (ch.kind != CHAT_PUBLIC)
        return slack_fail(c, "method_not_supported_for_channel_type");
    if (ch.archived)
        return slack_fail(c, "is_archived");
    int r = sl_is_member(c, &ch);
    if (r < 0 || (!r && sl_joined(c, &ch, &sl_me(c)->user, 0) < 0))
        return -1;
    if (r)
        slack_warn(c, "already_in_channel");
    return answer_channel(c, &ch, SL_PROPERTIES | SL_PRIORITY);
}

static int left(struct call *c, struct chat_channel *ch, const struct chat_user *u, int64_t by)
{
    struct chat_message m = {.user = u->id, .subtype = "channel_leave", .flags = CHAT_SYSTEM};
    if (chat_member_remove(&c->tx, ch, u->id, by) < 0)
        return -1;
    m.text = arena_printf(c->tx.arena, "<@%s> has left the channel", u->key);
    return chat_post(&c->tx, ch, &m);
}

static int conversations_leave(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    if (sl_named_channel_arg(c, "write", &ch) < 0)
        return -1;
    if (ch.archived)
        return slack_fail(c, "is_archived");
    int r = sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (ch.general)
        return slack_fail(c, "cant_leave_general");
    if (me->user.role >= CHAT_GUEST)
        return slack_fail(c, "user_is_restricted");
    if (ch.kind == CHAT_PRIVATE && ch.members == 1)
        return slack_fail(c, "last_member");
    return left(c, &ch, &me->user, 0) < 0 ? -1 : slack_ok(c);
}

/* ---- inviting ---- */

#define MAX_INVITED 100 /* by one call (docs.slack.dev, conversations.invite) */

struct invited {
    struct chat_user user;
    const char *key, *error; /* NULL: he can be put in */
};

/* Guests of one channel are in it already: 1, 0, -1. */
static int has_channel(struct call *c, const struct chat_user *u)
{
    return chat_user_has_channel(&c->tx, u->id);
}

static int look_at(struct call *c, const struct chat_channel *ch, const char *key,
                   struct invited *ret)
{
    struct chat_member m;
    int r = sl_user_find(c, key, &ret->user);
    ret->key = key;
    ret->error = NULL;
    if (r != 1 || ret->user.deleted) {
        ret->error = "user_not_found";
        return r < 0 ? -1 : 0;
    }
    bool self = ret->user.id == sl_me(c)->user.id;
    if (self || strcmp(ret->user.key, SLACKBOT) == 0) {
        ret->error = self ? "cant_invite_self" : "cant_invite";
        return 0;
    }
    if ((r = chat_member_of(&c->tx, ch->id, ret->user.id, &m)) < 0)
        return -1;
    if (r)
        ret->error = "already_in_channel";
    else if (ret->user.role == CHAT_CHANNEL_GUEST && (r = has_channel(c, &ret->user)) == 1)
        ret->error = "ura_max_channels";
    return r < 0 ? -1 : 0;
}

/* The refusal lists all that can't be put in. */
struct refusal {
    const struct invited *all;
    size_t n;
};
static void write_errors(struct call *c, const struct invited *all, size_t n)
{
    json_arr(c->out, "errors");
    for (size_t i = 0; i < n; i++) {
        if (!all[i].error)
            continue;
        json_obj(c->out, NULL);
        json_str(c->out, "user", all[i].key);
        json_bool(c->out, "ok", false);
        json_str(c->out, "error", all[i].error);
        json_end(c->out);
    }
    json_end(c->out);
}

static void more_errors(struct call *c)
{
    const struct refusal *r = slack_of(c)->more_arg;
    write_errors(c, r->all, r->n);
}

static int refuse(struct call *c, const struct invited *all, size_t n, const char *first)
{
    struct refusal *r = arena_alloc(c->tx.arena, sizeof *r);
    *r = (struct refusal){.all = all, .n = n};
    slack_of(c)->more = more_errors;
    slack_of(c)->more_arg = r;
    return slack_fail(c, first);
}

static int invite(struct call *c, struct chat_channel *ch, const char **keys, size_t n)
{
    bool force = slack_flag(c, "force");
    struct invited *all = arena_calloc(c->tx.arena, n, sizeof *all);
    const char *first = NULL;
    size_t good = 0;
    for (size_t i = 0; i < n; i++) {
        if (look_at(c, ch, keys[i], &all[i]) < 0)
            return -1;
        if (all[i].error && !first)
            first = all[i].error;
        good += !all[i].error;
    }
    if (first && (!force || !good))
        return refuse(c, all, n, first);
    for (size_t i = 0; i < n; i++)
        if (!all[i].error && sl_joined(c, ch, &all[i].user, sl_me(c)->user.id) < 0)
            return -1;
    slack_open(c);
    if (sl_write_channel(c, "channel", ch, SL_LAST_READ | SL_PROPERTIES) < 0)
        return -1;
    if (first)
        write_errors(c, all, n);
    slack_close(c);
    return 0;
}

static int conversations_invite(struct call *c)
{
    struct chat_channel ch;
    size_t n;
    const char **keys = slack_list_arg(c, "users", &n);
    if (sl_named_channel_arg(c, "write.invites", &ch) < 0)
        return -1;
    if (ch.archived)
        return slack_fail(c, "is_archived");
    int r = sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (!n)
        return slack_fail(c, "no_user");
    if (sl_me(c)->user.role >= CHAT_GUEST)
        return slack_fail(c, "user_is_restricted");
    if (n > MAX_INVITED)
        return slack_invalid_arguments(c, "/users", "no more than %d items allowed", MAX_INVITED);
    struct chat_connect k;
    r = chat_connect_of(&c->tx, ch.id, sl_me(c)->workspace.id, &k);
    if (r < 0 || (r && k.limited))
        return r < 0 ? -1 : slack_fail(c, "no_external_invite_permission");
    return invite(c, &ch, keys, n);
}

static int conversations_kick(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_member m;
    struct chat_user u;
    if (sl_named_channel_arg(c, "write", &ch) < 0)
        return -1;
    int r = sl_user_find(c, param_str(c, "user"), &u);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (u.id == me->user.id)
        return slack_fail(c, "cant_kick_self");
    if (ch.general)
        return slack_fail(c, "cant_kick_from_general");
    if (me->user.role >= CHAT_GUEST)
        return slack_fail(c, "restricted_action");
    bool keeper = me->user.role <= CHAT_ADMIN && ch.workspace == me->workspace.id;
    r = keeper ? 1 : sl_is_member(c, &ch);
    if (r == 1)
        r = chat_member_of(&c->tx, ch.id, u.id, &m);
    if (r != 1) /* who goes may not be outside of it, nor who calls but for who keeps order */
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (left(c, &ch, &u, me->user.id) < 0)
        return -1;
    slack_open(c);
    json_obj(c->out, "errors");
    json_end(c->out);
    slack_close(c);
    return 0;
}

static const struct param members_params[] = {SL_NEEDED("channel"), SL_ARG("cursor"),
                                              SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100")};
static const struct param members_channel_params[] = {SL_NEEDED("channel")};
static const struct param invite_params[] = {SL_NEEDED("channel"), SL_NEEDED("users", SL_LIST),
                                             SL_ARG("force", SL_FLAG)};
static const struct param kick_params[] = {SL_NEEDED("channel"), SL_ARG("user")};

static const struct route methods[] = {
    {SL_METHOD("conversations.members"), .handler = conversations_members, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = SL_READ,
     PARAMS(members_params), .rate = SLACK_TIER_4, .summary = "Who is in a channel"},
    {SL_METHOD("conversations.join"), .handler = conversations_join, .risk = RISK_WRITE,
     .idempotent = true, .token_kinds = TOKEN_USER | TOKEN_BOT,
     .scopes = "channels:join channels:write", PARAMS(members_channel_params), .rate = SLACK_TIER_3,
     .summary = "Go into a public channel"},
    {SL_METHOD("conversations.leave"), .handler = conversations_leave, .risk = RISK_WRITE,
     .idempotent = true, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = SL_WRITE,
     PARAMS(members_channel_params), .rate = SLACK_TIER_3, .summary = "Leave a channel"},
    {SL_METHOD("conversations.invite"), .handler = conversations_invite, .risk = RISK_WRITE,
     .idempotent = true, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = SL_INVITE,
     PARAMS(invite_params), .rate = SLACK_TIER_3, .summary = "Put people into a channel"},
    {SL_METHOD("conversations.kick"), .handler = conversations_kick, .risk = RISK_WRITE,
     .idempotent = true, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = SL_KICK,
     PARAMS(kick_params), .rate = SLACK_TIER_3, .summary = "Put somebody out of a channel"},
};

const struct rows sl_conversations_members = ROWS(methods);
