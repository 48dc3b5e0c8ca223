/* SPDX-License-Identifier: Apache-2.0 */
/* Slack Connect: invitations of other workspaces into channels, who is connected, and its end. */
#include "services/chat/slack/sl.h"
#include "services/chat/core/vendor.h"
#include "services/chat/slack/team/invite.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

#define MAX_MESSAGE 560
#define MAX_TEAMS   250 /* that may share a channel */

/* ---- what all methods need ---- */

static int64_t now_s(const struct call *c)
{
    return c->tx.now_us / US_PER_SECOND;
}

static int is_paid(struct call *c)
{
    return strcmp(sl_me(c)->workspace.plan, "free") == 0 ? slack_fail(c, "not_paid") : 0;
}

/* May the workspace's people and apps have to do with others at all? */
static int is_allowed(struct call *c)
{
    return sl_team_says(c, "connect_disabled") ? slack_fail(c, "restricted_action") : 0;
}

/* A setting of any workspace: must somebody approve what comes from outside? */
static bool must_approve(struct call *c, const struct chat_workspace *w)
{
    const struct json *v;
    struct sosia_err err;
    if (json_parse(c->tx.arena, w->setting, strlen(w->setting), NULL, &v, &err) < 0)
        return false;
    return json_get_true(v, "connect_approval");
}

/* An invitation with its channel and the channel's workspace. */
struct open_invite {
    struct chat_invite invite;
    struct chat_channel channel;
    struct chat_workspace host;
    bool ours; /* the channel is the caller's workspace's */
};

/* 1, 0: there is none that concerns the caller, -1. */
static int find_invite(struct call *c, const char *key, bool request, struct open_invite *o)
{
    int r = key && *key ? chat_invite_find(&c->tx, key, &o->invite) : 0;
    if (r == 1)
        r = chat_channel_get(&c->tx, o->invite.channel, &o->channel);
    if (r == 1)
        r = chat_workspace_get(&c->tx, o->channel.workspace, &o->host);
    if (r != 1)
        return r;
    o->ours = o->host.id == sl_me(c)->workspace.id;
    return o->invite.request == request && (!request || o->ours);
}

static int connect_channel(struct call *c, const char *name, const char *missing,
                           struct chat_channel *ch)
{
    const char *key = param_str(c, name);
    int r = key && *key ? chat_channel_find(&c->tx, sl_me(c)->workspace.id, key, ch) : 0;
    if (r == 1)
        r = chat_can_see(&c->tx, ch, &sl_me(c)->user);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, missing);
}

/* ---- conversations.inviteShared ---- */

struct teams {
    size_t n;
    int64_t wanted;
    bool there;
};

static int count_team(void *arg, const struct chat_workspace *w)
{
    struct teams *t = arg;
    t->n++;
    t->there |= w->id == t->wanted;
    return 0;
}

static const char *bad_channel(const struct call *c, const struct chat_channel *ch)
{
    return ch->kind >= CHAT_DIRECT                   ? "invalid_channel_type"
           : ch->archived                            ? "channel_archived"
           : ch->general                             ? "cannot_share_mandatory_channel"
           : ch->workspace != sl_me(c)->workspace.id ? "not_owner"
                                                     : NULL;
}

static bool good_address(const char *text)
{
    const char *at = strchr(text, '@');
    return at && at != text && at[1] && strlen(text) <= 254 && !strpbrk(text, " \t\r\n,<>");
}

/* The first member of another workspace of the world whom find() has by the text. 1, 0, -1. */
static int find_stranger(struct call *c,
                         int (*find)(struct tx *tx, int64_t workspace, const char *text,
                                     struct chat_user *ret),
                         const char *text, struct chat_user *ret)
{
    struct chat_workspace w;
    int64_t after = 0;
    int r;
    while ((r = chat_workspace_next(&c->tx, &slack_chat_vendor, after, &w)) == 1) {
        after = w.id;
        if (w.id == sl_me(c)->workspace.id)
            continue;
        r = find(&c->tx, w.id, text, ret);
        if (r)
            return r;
    }
    return r;
}

/* Whom the arguments name. */
static int recipient(struct call *c, struct chat_invite *i)
{
    struct chat_user u;
    size_t n_emails = 0, n_users = 0;
    const char **emails = slack_list_arg(c, "emails", &n_emails);
    const char **users = slack_list_arg(c, "user_ids", &n_users);
    if (!n_emails && !n_users)
        return slack_fail(c, "recipients_not_specified");
    if (n_emails > 1)
        return slack_fail(c, "too_many_emails");
    if (n_emails && !good_address(emails[0]))
        return slack_fail(c, "invalid_email");
    if (n_users > 1)
        return slack_invalid_arguments(c, "/user_ids", "no more than 1 items allowed");
    int r = n_emails ? find_stranger(c, chat_user_by_email, emails[0], &u)
                     : find_stranger(c, chat_user_find, users[0], &u);
    if (r < 0 || (!r && !n_emails))
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (n_emails)
        i->email = emails[0];
    if (r) {
        i->user = u.id;
        i->team = u.workspace;
    }
    return 0;
}

static const char *const accepted[] = {"accepted", NULL};
static const char *const approved[] = {"approved", NULL};
static const char *const declined[] = {"declined", NULL};

/* what NULL: it was sent. */
static void tell_invite_of(struct call *c, const struct open_invite *o, const char *const *what)
{
    chat_notify(&c->tx, CHAT_EV_INVITE, what ? OP_CHANGED : OP_ADDED, o->channel.workspace,
                o->invite.id, what,
                &(struct chat_change){.by = sl_me(c)->user.id, .name = o->invite.key});
}

static int invite_shared(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_invite i = {.inviter = me->user.id,
                            .limited = slack_flag(c, "external_limited"),
                            .created_s = now_s(c),
                            .updated_s = now_s(c),
                            .expires_s = now_s(c) + CHAT_INVITE_SECONDS};
    struct chat_channel ch;
    struct teams teams = {0};
    if (is_paid(c) < 0 || connect_channel(c, "channel", "channel_not_found", &ch) < 0)
        return -1;
    const char *why = bad_channel(c, &ch);
    if (why)
        return slack_fail(c, why);
    int r = sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (me->user.role >= CHAT_GUEST || sl_team_says(c, "connect_disabled"))
        return slack_fail(c, "restricted_action");
    if (recipient(c, &i) < 0)
        return -1;
    teams.wanted = i.team;
    if (chat_connects(&c->tx, ch.id, count_team, &teams) < 0)
        return -1;
    if (teams.n + 1 >= MAX_TEAMS)
        return slack_fail(c, "connection_limit_exceeded");
    if (i.team && teams.there && i.user) {
        struct chat_member m;
        if ((r = chat_member_of(&c->tx, ch.id, i.user, &m)) != 0)
            return r < 0 ? -1 : slack_fail(c, "already_in_channel");
    }
    i.channel = ch.id;
    if ((r = chat_invite_waits(&c->tx, &i)) != 0)
        return r < 0 ? -1 : slack_fail(c, "connection_limit_exceeded_pending");
    if (chat_invite_add(&c->tx, &i) < 0)
        return -1;
    tell_invite_of(c, &(struct open_invite){.invite = i, .channel = ch}, NULL);
    slack_open(c);
    json_str(c->out, "invite_id", i.key);
    json_str(c->out, "conf_code",
             arena_printf(c->tx.arena, "%06llu", (unsigned long long)(chat_hash(i.key) % 1000000)));
    json_str(c->out, "url", arena_printf(c->tx.arena, "https://join.slack.com/share/%s", i.key));
    json_bool(c->out, "is_legacy_shared_channel", false);
    slack_close(c);
    return 0;
}

/* ---- accepting, approving, declining ---- */

/* The channel is shared from now on; who accepted it is in it. */
static int share_now(struct call *c, struct open_invite *o)
{
    struct chat_invite *i = &o->invite;
    struct chat_connect k = {
        .channel = i->channel, .workspace = i->team, .limited = i->limited, .since_s = now_s(c)};
    struct chat_connect had;
    int r = chat_connect_of(&c->tx, i->channel, i->team, &had); /* by another invitation */
    i->state = CHAT_INVITE_APPROVED;
    if (!r)
        chat_notify(&c->tx, CHAT_EV_CONNECT, OP_ADDED, i->channel, i->team, NULL,
                    &(struct chat_change){.by = sl_me(c)->user.id});
    if (r < 0 || chat_invite_save(&c->tx, i) < 0 || (!r && chat_connect_add(&c->tx, &k) < 0) ||
        (i->user && chat_member_add(&c->tx, &o->channel, i->user, i->inviter) < 0))
        return -1;
    return chat_channel_save(&c->tx, &o->channel, NULL);
}

static const char *bad_name(const char *name)
{
    size_t n = sl_characters(name);
    if (!n)
        return "invalid_name_required";
    if (n > 80)
        return "invalid_name_maxlength";
    if (!name[strspn(name, "-_")])
        return "invalid_name_punctuation";
    for (const char *p = name; *p; p++)
        if (strncmp(p, "\xf0\x9f", 2) == 0) /* U+1F000 to U+1FFFF */
            return "invalid_emoji_not_allowed";
    for (const char *p = name; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || strchr("-_", *p) ||
              (unsigned char)*p >= 0x80))
            return "invalid_name_specials";
    return NULL;
}

/* May it be accepted by the caller's workspace? NULL: yes. */
static const char *not_acceptable(struct call *c, const struct open_invite *o)
{
    const struct chat_invite *i = &o->invite;
    if (o->ours)
        return "invite_from_same_org";
    if (i->state == CHAT_INVITE_ACCEPTED || i->state == CHAT_INVITE_APPROVED)
        return "invite_used";
    if (i->state != CHAT_INVITE_OPEN || i->expires_s <= now_s(c))
        return "invalid_link";
    if (i->team && i->team != sl_me(c)->workspace.id)
        return "invalid_recipient_team";
    return NULL;
}

static int accept_shared(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *id = param_str(c, "invite_id"), *team = param_str(c, "team_id");
    const char *name = param_str(c, "channel_name"), *why;
    struct open_invite o;
    struct chat_channel other;
    struct chat_connect k;
    struct teams teams = {0};
    if (!id || !*id)
        return slack_invalid_arguments(c, NULL, "missing required field: invite_id");
    if (is_paid(c) < 0 || is_allowed(c) < 0)
        return -1;
    if (team && *team && strcmp(team, me->workspace.key) != 0)
        return slack_fail(c, "team_not_found");
    int r = find_invite(c, id, false, &o);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invite_not_found");
    if ((why = not_acceptable(c, &o)))
        return slack_fail(c, why);
    if (me->user.role >= CHAT_GUEST)
        return slack_fail(c, "user_is_restricted");
    if ((r = chat_connect_of(&c->tx, o.channel.id, me->workspace.id, &k)) != 0)
        return r < 0 ? -1 : slack_fail(c, "has_already_connected_to_org");
    if (chat_connects(&c->tx, o.channel.id, count_team, &teams) < 0)
        return -1;
    if (teams.n + 1 >= MAX_TEAMS)
        return slack_fail(c, "connection_limit_exceeded");
    if ((why = bad_name(name)))
        return slack_fail(c, why);
    if ((r = chat_channel_by_name(&c->tx, me->workspace.id, name, &other)) != 0)
        return r < 0 ? -1 : slack_fail(c, "name_taken");
    struct chat_invite *i = &o.invite;
    i->team = me->workspace.id;
    i->user = i->user ? i->user : me->user.id;
    i->name = name;
    i->host_agrees = !must_approve(c, &o.host);
    i->guest_agrees = !must_approve(c, &me->workspace);
    i->state = CHAT_INVITE_ACCEPTED;
    bool done = i->host_agrees && i->guest_agrees;
    tell_invite_of(c, &o, accepted);
    if ((done ? share_now(c, &o) : chat_invite_save(&c->tx, i)) < 0)
        return -1;
    slack_open(c);
    json_bool(c->out, "implicit_approval", done);
    json_str(c->out, "channel_id", o.channel.key);
    json_str(c->out, "invite_id", i->key);
    json_bool(c->out, "can_open_scdm", false);
    slack_close(c);
    return 0;
}

/* The inviting workspace says which one it means. */
static int check_target(struct call *c, const struct open_invite *o)
{
    const char *target = param_str(c, "target_team");
    struct chat_workspace w;
    if (!o->ours)
        return 0;
    if (!target || !*target)
        return slack_fail(c, "missing_target_team");
    int r = chat_workspace_find(&c->tx, target, &w);
    if (r < 0)
        return -1;
    return r && w.id == o->invite.team ? 0 : slack_fail(c, "approval_not_found");
}

static int approval_arg(struct call *c, struct open_invite *o)
{
    if (is_paid(c) < 0 || is_allowed(c) < 0)
        return -1;
    int r = find_invite(c, param_str(c, "invite_id"), false, o);
    if (r == 1)
        r = o->ours || o->invite.team == sl_me(c)->workspace.id;
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "invite_not_found");
}

static int approve_shared(struct call *c)
{
    struct open_invite o;
    if (approval_arg(c, &o) < 0)
        return -1;
    struct chat_invite *i = &o.invite;
    if (i->state == CHAT_INVITE_OPEN)
        return slack_fail(c, "approval_not_found");
    if (check_target(c, &o) < 0)
        return -1;
    if (i->state == CHAT_INVITE_APPROVED)
        return slack_fail(c, "invalid_action");
    if (i->state != CHAT_INVITE_ACCEPTED)
        return slack_fail(c, "approval_inactive");
    bool *agrees = o.ours ? &i->host_agrees : &i->guest_agrees;
    if (*agrees)
        return slack_fail(c, "already_approved");
    *agrees = true;
    bool done = i->host_agrees && i->guest_agrees;
    tell_invite_of(c, &o, approved);
    return (done ? share_now(c, &o) : chat_invite_save(&c->tx, i)) < 0 ? -1 : slack_ok(c);
}

static int decline_shared(struct call *c)
{
    struct open_invite o;
    if (approval_arg(c, &o) < 0)
        return -1;
    struct chat_invite *i = &o.invite;
    if (i->state == CHAT_INVITE_OPEN && o.ours)
        return slack_fail(c, "approval_not_found");
    if (i->state == CHAT_INVITE_DECLINED || i->state == CHAT_INVITE_REVOKED ||
        i->expires_s <= now_s(c))
        return slack_fail(c, "inactive_invite");
    if (check_target(c, &o) < 0)
        return -1;
    if (i->state == CHAT_INVITE_APPROVED)
        return slack_fail(c, "approval_inactive");
    i->state = CHAT_INVITE_DECLINED;
    tell_invite_of(c, &o, declined);
    return chat_invite_save(&c->tx, i) < 0 ? -1 : slack_ok(c);
}

/* ---- lists ---- */

struct invite_list {
    struct call *c;
    int64_t limit, n, user;
    const char *next;
    bool expired, approved, denied, failed;
    const char **ids;
    size_t n_ids;
};

static void write_team(struct call *c, const char *key, const struct chat_workspace *w)
{
    json_obj(c->out, key);
    json_str(c->out, "id", w->key);
    json_str(c->out, "name", w->name);
    json_bool(c->out, "is_verified", false);
    json_str(c->out, "domain", w->domain);
    json_int(c->out, "date_created", w->created_s);
    json_str(c->out, "avatar_base_url", "https://ca.slack-edge.com/");
    json_bool(c->out, "requires_sponsorship", false);
    json_end(c->out);
}

static int write_inviter(struct call *c, const char *key, int64_t user)
{
    struct json_writer *w = c->out;
    struct chat_workspace team;
    struct chat_user u;
    int r = chat_user_get(&c->tx, user, &u);
    if (r == 1)
        r = chat_workspace_get(&c->tx, u.workspace, &team);
    if (r != 1)
        return r;
    json_obj(w, key);
    json_str(w, "id", u.key);
    json_str(w, "team_id", team.key);
    json_str(w, "name", u.name);
    json_int(w, "updated", u.updated_s);
    json_str(w, "who_can_share_contact_card", "EVERYONE");
    json_obj(w, "profile");
    json_str(w, "real_name", u.real_name);
    json_str(w, "display_name", u.display_name);
    json_str(w, "real_name_normalized", u.real_name);
    json_str(w, "display_name_normalized", u.display_name);
    json_str(w, "team", team.key);
    json_str_opt(w, "email", u.email);
    json_end(w);
    json_end(w);
    return 0;
}

static void write_invite_channel(struct call *c, const struct chat_channel *ch)
{
    json_obj(c->out, "channel");
    json_str(c->out, "id", ch->key);
    json_bool(c->out, "is_private", ch->kind != CHAT_PUBLIC);
    json_bool(c->out, "is_im", false);
    json_str(c->out, "name", ch->name ? ch->name : "");
    json_end(c->out);
}

static const char *approval_word(const struct chat_invite *i)
{
    return i->state == CHAT_INVITE_APPROVED   ? "approved"
           : i->state == CHAT_INVITE_DECLINED ? "declined"
           : i->state == CHAT_INVITE_REVOKED  ? "revoked"
                                              : "pending";
}

static int write_acceptance(struct call *c, const struct chat_invite *i)
{
    struct json_writer *w = c->out;
    struct chat_workspace team;
    json_arr(w, "acceptances");
    if (i->state != CHAT_INVITE_OPEN && i->team) {
        if (chat_workspace_get(&c->tx, i->team, &team) != 1)
            return -1;
        json_obj(w, NULL);
        json_str(w, "approval_status", approval_word(i));
        json_int(w, "date_accepted", i->updated_s);
        json_int(w, "date_invalid", i->expires_s);
        json_int(w, "date_last_updated", i->updated_s);
        write_team(c, "accepting_team", &team);
        if (i->user && write_inviter(c, "accepting_user", i->user) < 0)
            return -1;
        json_arr(w, "reviews");
        json_end(w);
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int list_invite(void *arg, const struct chat_invite *i)
{
    struct invite_list *l = arg;
    struct call *c = l->c;
    struct json_writer *w = c->out;
    struct chat_channel ch;
    struct chat_workspace host;
    if (l->n++ == l->limit) {
        l->next = arena_printf(c->tx.arena, "%lld", (long long)i->id);
        return 1;
    }
    l->failed = chat_channel_get(&c->tx, i->channel, &ch) != 1 ||
                chat_workspace_get(&c->tx, ch.workspace, &host) != 1;
    if (l->failed)
        return 1;
    bool ours = host.id == sl_me(c)->workspace.id;
    json_obj(w, NULL);
    json_str(w, "direction", ours ? "outgoing" : "incoming");
    json_str(w, "status",
             i->state == CHAT_INVITE_OPEN && i->expires_s <= now_s(c) ? "expired"
             : i->state == CHAT_INVITE_OPEN                           ? "sent"
                                                                      : approval_word(i));
    json_int(w, "date_last_updated", i->updated_s);
    json_str(w, "invite_type", "channel");
    json_obj(w, "invite");
    json_str(w, "id", i->key);
    json_int(w, "date_created", i->created_s);
    json_int(w, "date_invalid", i->expires_s);
    write_team(c, "inviting_team", &host);
    l->failed = write_inviter(c, "inviting_user", i->inviter) < 0;
    json_str_opt(w, "recipient_email", i->email);
    if (i->user)
        json_str(w, "recipient_user_id", sl_user_key(c, i->user));
    json_str(w, "link", arena_printf(c->tx.arena, "https://join.slack.com/share/%s", i->key));
    json_end(w);
    write_invite_channel(c, &ch);
    l->failed |= write_acceptance(c, i) < 0;
    json_end(w);
    return l->failed;
}

static int from_of(struct call *c, int64_t *ret)
{
    const char *value;
    *ret = 0;
    int r = slack_cursor(c, "invite", &value);
    if (r == 1 && (parse_i64(value, strlen(value), ret) < 0 || *ret < 1))
        return slack_fail(c, "invalid_cursor");
    return r < 0 ? -1 : 0;
}

static int list_invites(struct call *c)
{
    struct invite_list l = {.c = c, .limit = 100};
    int64_t from;
    if (slack_number(c, "count", &l.limit) < 0 || is_allowed(c) < 0 || from_of(c, &from) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "invites");
    if (chat_invites(&c->tx, sl_me(c)->workspace.id, false, from, list_invite, &l) < 0 || l.failed)
        return -1;
    json_end(c->out);
    slack_next(c, "invite", l.next);
    slack_close(c);
    return 0;
}

/* ---- requests of one's own people ---- */

static int list_request(void *arg, const struct chat_invite *i)
{
    struct invite_list *l = arg;
    struct call *c = l->c;
    struct json_writer *w = c->out;
    struct chat_channel ch;
    bool wanted = !l->n_ids;
    for (size_t k = 0; k < l->n_ids; k++)
        wanted |= strcmp(l->ids[k], i->key) == 0;
    bool expired = i->state == CHAT_INVITE_OPEN && i->expires_s <= now_s(c);
    if (!wanted || (l->user && i->inviter != l->user) || (expired && !l->expired) ||
        (i->state == CHAT_INVITE_APPROVED && !l->approved) ||
        (i->state == CHAT_INVITE_DECLINED && !l->denied))
        return 0;
    if (l->n++ == l->limit) {
        l->next = arena_printf(c->tx.arena, "%lld", (long long)i->id);
        return 1;
    }
    l->failed = chat_channel_get(&c->tx, i->channel, &ch) != 1;
    if (l->failed)
        return 1;
    json_obj(w, NULL);
    json_int(w, "date_last_updated", i->updated_s);
    json_str(w, "id", i->key);
    json_int(w, "date_created", i->created_s);
    json_int(w, "expires_at", i->expires_s);
    write_team(c, "inviting_team", &sl_me(c)->workspace);
    l->failed = write_inviter(c, "inviting_user", i->inviter) < 0;
    json_str_opt(w, "recipient_email", i->email);
    write_invite_channel(c, &ch);
    json_bool(w, "is_external_limited", i->limited);
    json_str(w, "status", expired ? "expired" : approval_word(i));
    json_end(w);
    return l->failed;
}

static int requests_list(struct call *c)
{
    const char *user = param_str(c, "user_id");
    struct invite_list l = {.c = c,
                            .expired = slack_flag(c, "include_expired"),
                            .approved = slack_flag(c, "include_approved"),
                            .denied = slack_flag(c, "include_denied")};
    struct chat_user u = {.id = -1};
    int64_t from;
    l.ids = slack_list_arg(c, "invite_ids", &l.n_ids);
    if (is_allowed(c) < 0 || slack_limit(c, &l.limit) < 0 || from_of(c, &from) < 0 ||
        (user && *user && sl_user_find(c, user, &u) < 0))
        return -1;
    l.user = user && *user ? u.id : 0;
    slack_open(c);
    json_arr(c->out, "invite_requests");
    if (chat_invites(&c->tx, sl_me(c)->workspace.id, true, from, list_request, &l) < 0 || l.failed)
        return -1;
    json_end(c->out);
    slack_next(c, "invite", l.next);
    slack_close(c);
    return 0;
}

static int request_arg(struct call *c, struct open_invite *o)
{
    const char *message = param_str(c, "message");
    if (is_allowed(c) < 0)
        return -1;
    if (message && sl_characters(message) > MAX_MESSAGE)
        return slack_fail(c, "message_too_long");
    int r = find_invite(c, param_str(c, "invite_id"), true, o);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invite_not_found");
    if (o->invite.state == CHAT_INVITE_APPROVED)
        return slack_fail(c, "invite_already_approved");
    if (o->invite.state != CHAT_INVITE_OPEN)
        return slack_fail(c, "invite_already_denied");
    return o->invite.expires_s <= now_s(c) ? slack_fail(c, "invite_expired") : 0;
}

/* The request is granted: the invitation goes out, with an id of its own. */
static int request_approve(struct call *c)
{
    const char *channel = param_str(c, "channel_id");
    struct open_invite o;
    struct chat_user u;
    if (request_arg(c, &o) < 0)
        return -1;
    if (channel && *channel && strcmp(channel, o.channel.key) != 0 &&
        connect_channel(c, "channel_id", "channel_not_found", &o.channel) < 0)
        return -1;
    struct chat_invite sent = o.invite;
    sent.key = NULL;
    sent.request = false;
    sent.channel = o.channel.id;
    sent.state = CHAT_INVITE_OPEN;
    sent.limited = slack_bool_arg(c, "is_external_limited", o.invite.limited);
    sent.created_s = sent.updated_s = now_s(c);
    sent.expires_s = now_s(c) + CHAT_INVITE_SECONDS;
    int r = sent.email ? find_stranger(c, chat_user_by_email, sent.email, &u) : 0;
    if (r < 0)
        return -1;
    sent.user = r ? u.id : sent.user;
    sent.team = r ? u.workspace : sent.team;
    o.invite.state = CHAT_INVITE_APPROVED;
    if (chat_invite_save(&c->tx, &o.invite) < 0 || chat_invite_add(&c->tx, &sent) < 0)
        return -1;
    tell_invite_of(c, &(struct open_invite){.invite = sent, .channel = o.channel}, NULL);
    slack_open(c);
    json_str(c->out, "invite_id", sent.key);
    slack_close(c);
    return 0;
}

static int request_deny(struct call *c)
{
    struct open_invite o;
    if (request_arg(c, &o) < 0)
        return -1;
    o.invite.state = CHAT_INVITE_DECLINED;
    if (chat_invite_save(&c->tx, &o.invite) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "invite_id", o.invite.key);
    slack_close(c);
    return 0;
}

/* ---- who is connected ---- */

static int permissions_set(struct call *c)
{
    const char *target = param_str(c, "target_team");
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_connect k;
    int down = 0; /* "upgrade" */
    if (slack_word(c, "action", &down) < 0)
        return -1;
    if (connect_channel(c, "channel", "channel_not_found", &ch) < 0)
        return -1;
    if (ch.workspace != sl_me(c)->workspace.id)
        return slack_fail(c, "restricted_action");
    if (is_allowed(c) < 0)
        return -1;
    int r = chat_workspace_find(&c->tx, target, &w);
    if (r == 1)
        r = chat_connect_of(&c->tx, ch.id, w.id, &k);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_target_team");
    return chat_connect_limit(&c->tx, k.id, down) < 0 ? -1 : slack_ok(c);
}

static int discoverable(struct call *c)
{
    const char *email = param_str(c, "email");
    struct chat_user u;
    if (!*email)
        return slack_invalid_arguments(c, "/email", "must be more than 0 characters");
    if (sl_characters(email) > 100)
        return slack_invalid_arguments(c, "/email", "must be less than 101 characters");
    int r = is_allowed(c) < 0 ? -1 : find_stranger(c, chat_user_by_email, email, &u);
    if (r < 0)
        return -1;
    slack_open(c);
    json_bool(c->out, "is_discoverable", r && !u.deleted && !u.bot);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param invite_params[] = {SL_NEEDED("channel"), SL_ARG("emails", SL_LIST),
                                             SL_ARG("user_ids", SL_LIST),
                                             SL_ARG("external_limited", SL_FLAG_ON)};
static const struct param accept_params[] = {SL_NEEDED("channel_name"),
                                             SL_ARG("invite_id"),
                                             SL_ARG("channel_id"),
                                             SL_ARG("is_private", SL_FLAG),
                                             SL_ARG("free_trial_accepted", SL_FLAG),
                                             SL_ARG("team_id")};
static const struct param approve_params[] = {SL_NEEDED("invite_id"), SL_ARG("target_team")};
static const struct param list_params[] = {SL_ARG("count", SL_WHOLE(1, 500), .def = "100"),
                                           SL_ARG("cursor"), SL_ARG("team_id")};
static const struct param requests_params[] = {SL_ARG("user_id"),
                                               SL_ARG("include_expired", SL_FLAG),
                                               SL_ARG("include_approved", SL_FLAG),
                                               SL_ARG("include_denied", SL_FLAG),
                                               SL_ARG("invite_ids", SL_LIST),
                                               SL_ARG("limit", SL_WHOLE(0, 1000), .def = "200"),
                                               SL_ARG("cursor")};
static const struct param grant_params[] = {
    SL_NEEDED("invite_id"), SL_ARG("is_external_limited", SL_FLAG_OPEN), SL_ARG("channel_id"),
    SL_ARG("message", SL_OBJECT, .summary = "Words for the decision")};
static const struct param deny_params[] = {SL_NEEDED("invite_id"),
                                           SL_ARG("message", .summary = "Words for the decision")};
static const struct param permission_params[] = {
    SL_NEEDED("channel"), SL_NEEDED("target_team"),
    SL_NEEDED("action", SL_WORDS("upgrade", "downgrade"), .fault = "invalid_action")};
static const struct param lookup_params[] = {SL_NEEDED("email")};

#define MANAGE "conversations.connect:manage"

static const struct route methods[] = {
    {SL_METHOD("conversations.acceptSharedInvite"), .token_kinds = TOKEN_BOT,
     .handler = accept_shared, .risk = RISK_EXTERNAL, .scopes = "conversations.connect:write",
     PARAMS(accept_params), .rate = SLACK_TIER_2, .summary = "Take another workspace's channel"},
    {SL_METHOD("conversations.approveSharedInvite"), .token_kinds = TOKEN_BOT,
     .handler = approve_shared, .risk = RISK_EXTERNAL, .scopes = MANAGE, PARAMS(approve_params),
     .rate = SLACK_TIER_3, .summary = "Approve that a channel is shared"},
    {SL_METHOD("conversations.declineSharedInvite"), .token_kinds = TOKEN_BOT,
     .handler = decline_shared, .risk = RISK_EXTERNAL, .idempotent = true, .scopes = MANAGE,
     PARAMS(approve_params), .rate = SLACK_TIER_3, .summary = "Decline that a channel is shared"},
    {SL_METHOD("conversations.externalInvitePermissions.set"), .token_kinds = TOKEN_BOT,
     .handler = permissions_set, .risk = RISK_EXTERNAL, .idempotent = true,
     .accepts = slack_form_only, .scopes = MANAGE, PARAMS(permission_params), .rate = SLACK_TIER_2,
     .summary = "May another workspace invite into a channel"},
    {SL_METHOD("conversations.inviteShared"), .token_kinds = TOKEN_BOT, .handler = invite_shared,
     .risk = RISK_EXTERNAL, .scopes = "conversations.connect:write", PARAMS(invite_params),
     .rate = SLACK_TIER_2, .summary = "Invite another workspace into a channel"},
    {SL_METHOD("conversations.listConnectInvites"), .token_kinds = TOKEN_BOT,
     .handler = list_invites, .risk = RISK_READ, .scopes = MANAGE, PARAMS(list_params),
     .rate = SLACK_TIER_1, .summary = "Invitations to share channels"},
    {SL_METHOD("conversations.requestSharedInvite.approve"), .token_kinds = TOKEN_BOT,
     .handler = request_approve, .risk = RISK_EXTERNAL, .scopes = MANAGE, PARAMS(grant_params),
     .rate = SLACK_TIER_2, .summary = "Send the invitation that somebody wants"},
    {SL_METHOD("conversations.requestSharedInvite.deny"), .token_kinds = TOKEN_BOT,
     .handler = request_deny, .risk = RISK_WRITE, .idempotent = true, .scopes = MANAGE,
     PARAMS(deny_params), .rate = SLACK_TIER_2, .summary = "Don't send it"},
    {SL_METHOD("conversations.requestSharedInvite.list"), .token_kinds = TOKEN_BOT,
     .handler = requests_list, .risk = RISK_READ, .scopes = MANAGE, PARAMS(requests_params),
     .rate = SLACK_TIER_2, .summary = "Invitations that people want to be sent"},
    {SL_METHOD("users.discoverableContacts.lookup"), .token_kinds = TOKEN_BOT,
     .handler = discoverable, .risk = RISK_READ, .scopes = MANAGE " team:read",
     PARAMS(lookup_params), .rate = SLACK_TIER_2, .summary = "Can somebody outside be invited"},
};

const struct rows sl_connect = ROWS(methods);
