/* SPDX-License-Identifier: Apache-2.0 */
/* Channels: lists, look-ups, opening direct ones, making and changing them. */
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/chat/slack/sl.h"
#include <ctype.h>

/* ---- lists ---- */

struct listing {
    struct call *c;
    unsigned kinds, parts;
    bool all, no_archived; /* all: public ones that the caller is not in as well */
    int64_t limit, n, user;
    const char *next;
    bool failed;
};

static int list_channel(void *arg, const struct chat_channel *ch)
{
    struct listing *l = arg;
    struct call *c = l->c;
    struct chat_member m;
    if (!(l->kinds >> ch->kind & 1) || (l->no_archived && ch->archived))
        return 0;
    if (l->all) {
        int r = chat_can_see(&c->tx, ch, &sl_me(c)->user);
        l->failed = r < 0;
        if (r != 1)
            return l->failed;
    } else if (l->user && ch->kind != CHAT_PUBLIC) { /* another's: what the caller is in too */
        int r = chat_member_of(&c->tx, ch->id, l->user, &m);
        l->failed = r < 0;
        if (r != 1)
            return l->failed;
    } else if (l->user && sl_me(c)->user.role >= CHAT_GUEST) {
        int r = chat_can_see(&c->tx, ch, &sl_me(c)->user);
        l->failed = r < 0;
        if (r != 1)
            return l->failed;
    }
    if (l->n == l->limit) {
        l->next = ch->key;
        return 1;
    }
    l->n++;
    l->failed = sl_write_channel(c, NULL, ch, l->parts) < 0;
    return l->failed;
}

static int read_types(struct call *c, unsigned *ret_kinds)
{
    static const char *const names[] = {"public_channel", "private_channel", "im", "mpim", NULL};
    static const char *const scopes[] = {"channels:read", "groups:read", "im:read", "mpim:read"};
    size_t n;
    const char **types = slack_list_arg(c, "types", &n);
    *ret_kinds = n ? 0 : 1 << CHAT_PUBLIC;
    for (size_t i = 0; i < n; i++) {
        int kind = 0;
        while (names[kind] && strcmp(names[kind], types[i]) != 0)
            kind++;
        if (!names[kind])
            return slack_fail(c, "invalid_types");
        *ret_kinds |= 1u << kind;
    }
    for (int kind = 0; names[kind]; kind++)
        if (*ret_kinds >> kind & 1 && !slack_has_scope(c, scopes[kind]))
            return slack_missing_scope(c, scopes[kind]);
    return 0;
}

static int list(struct call *c, struct listing *l, int64_t user)
{
    const char *from = NULL;
    l->c = c;
    l->no_archived = slack_flag(c, "exclude_archived");
    if (read_types(c, &l->kinds) < 0 || slack_limit(c, &l->limit) < 0 ||
        slack_cursor(c, "team", &from) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "channels");
    if (chat_channels(&c->tx, sl_me(c)->workspace.id, user, from, list_channel, l) < 0 || l->failed)
        return -1;
    json_end(c->out);
    slack_next(c, "team", l->next);
    slack_close(c);
    return 0;
}

static int conversations_list(struct call *c)
{
    struct listing l = {.all = true, .parts = SL_NUM_MEMBERS | SL_PROPERTIES};
    return list(c, &l, 0);
}

static int users_conversations(struct call *c)
{
    struct listing l = {.parts = SL_NO_MEMBER | SL_PROPERTIES | SL_OPEN_GROUPS};
    struct chat_user u = sl_me(c)->user;
    const char *key = param_str(c, "user");
    int r = key && *key ? sl_user_find(c, key, &u) : 1;
    if (r == 1)
        r = sl_sees(c, &u);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (u.id != sl_me(c)->user.id)
        l.user = sl_me(c)->user.id;
    return list(c, &l, u.id);
}

/* ---- one ---- */

static int conversations_info(struct call *c)
{
    struct chat_channel ch;
    unsigned parts = SL_LAST_READ | SL_PROPERTIES | SL_KINDS_OF_POSTING | SL_OPEN;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 || sl_channel_scope(c, &ch, "read") < 0)
        return -1;
    if (!sl_me(c)->is_bot)
        parts |= SL_IS_OPEN;
    if (slack_flag(c, "include_num_members"))
        parts |= SL_NUM_MEMBERS;
    if (slack_flag(c, "include_locale"))
        parts |= SL_LOCALE;
    slack_open(c);
    if (sl_write_channel(c, "channel", &ch, parts) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* The answer of methods that change one. */
static int answer(struct call *c, const struct chat_channel *ch, unsigned parts)
{
    slack_open(c);
    if (sl_write_channel(c, "channel", ch, parts) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* ---- names ---- */

/* Small letters (of any script), digits, hyphens and underscores. */
static const char *name_fault(const char *name)
{
    size_t n = 0, letters = 0;
    bool special = false;
    if (!*name)
        return "invalid_name_required";
    for (const char *p = name; *p; n++) {
        unsigned char ch = (unsigned char)*p;
        if (ch < 0x80) {
            special |= !(islower(ch) || isdigit(ch) || ch == '-' || ch == '_');
            letters += isalnum(ch) != 0;
            p++;
        } else {
            letters++;
            for (p++; ((unsigned char)*p & 0xc0) == 0x80; p++)
                ;
        }
    }
    if (n > 80)
        return "invalid_name_maxlength";
    if (!letters)
        return "invalid_name_punctuation";
    return special ? "invalid_name_specials" : NULL;
}

static int check_name(struct call *c, const char *name, int64_t but)
{
    struct chat_channel other;
    const char *fault = name_fault(name);
    if (fault)
        return slack_fail(c, fault);
    int r = chat_channel_by_name(&c->tx, sl_me(c)->workspace.id, name, &other);
    if (r < 0)
        return -1;
    return r && other.id != but ? slack_fail(c, "name_taken") : 0;
}

static int conversations_create(struct call *c)
{
    const struct chat_user *me = &sl_me(c)->user;
    const char *name = param_str(c, "name");
    bool private = slack_flag(c, "is_private");
    struct chat_channel ch = sl_new_channel(c, private ? CHAT_PRIVATE : CHAT_PUBLIC);
    if (sl_channel_scope(c, &ch, "write") < 0)
        return -1;
    if (me->role >= CHAT_GUEST)
        return slack_fail(c, "restricted_action");
    if (check_name(c, name, 0) < 0)
        return -1;
    ch.name = name;
    if (chat_channel_add(&c->tx, &ch) < 0 || sl_joined(c, &ch, me, 0) < 0)
        return -1;
    return answer(c, &ch, SL_LAST_READ | SL_PRIORITY);
}

static int conversations_rename(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *name = param_str(c, "name");
    struct chat_channel ch;
    if (sl_named_channel_arg(c, "write", &ch) < 0)
        return -1;
    int r = sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (ch.archived)
        return slack_fail(c, "is_archived");
    if (ch.workspace != me->workspace.id ||
        (ch.creator != me->user.id && me->user.role > CHAT_ADMIN))
        return slack_fail(c, "not_authorized");
    if (check_name(c, name, ch.id) < 0)
        return -1;
    if (sl_rename_channel(c, &ch, name) < 0)
        return -1;
    return answer(c, &ch, SL_LAST_READ | SL_PROPERTIES);
}

/* ---- topic and purpose ---- */

static int set_about(struct call *c, const char *what)
{
    static const char *const topics[] = {"topic", NULL}, *const purposes[] = {"purpose", NULL};
    const struct sl_caller *me = sl_me(c);
    const char *text = param_str(c, what);
    bool topic = strcmp(what, "topic") == 0;
    struct chat_channel ch;
    if (sl_channel_arg(c, "channel", false, &ch) < 0)
        return -1;
    if (ch.kind == CHAT_DIRECT)
        return slack_fail(c, "method_not_supported_for_channel_type");
    if (sl_channel_scope(c, &ch, "write.topic") < 0)
        return -1;
    int r = sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (ch.archived)
        return slack_fail(c, "is_archived");
    if (me->user.role >= CHAT_GUEST)
        return slack_fail(c, "user_is_restricted");
    if (sl_characters(text) > 250)
        return slack_fail(c, "too_long");
    text = sl_text_stored(c, text, false);
    *(topic ? &ch.topic : &ch.purpose) = text;
    *(topic ? &ch.topic_by : &ch.purpose_by) = me->user.id;
    *(topic ? &ch.topic_s : &ch.purpose_s) = c->tx.now_us / US_PER_SECOND;
    const char *shown = topic ? "topic" : "description";
    const char *note = *text ? arena_printf(c->tx.arena, "set the channel %s: %s", shown, text)
                             : arena_printf(c->tx.arena, "cleared the channel %s", shown);
    const char *quoted = sl_quoted(c, text);
    if (!quoted || chat_channel_save(&c->tx, &ch, topic ? topics : purposes) < 0 ||
        sl_note(c, &ch, topic ? "channel_topic" : "channel_purpose", note,
                arena_printf(c->tx.arena, "{\"%s\":%s}", what, quoted)) < 0)
        return -1;
    return answer(c, &ch, SL_NOT_MEMBER | SL_PROPERTIES);
}

static int conversations_set_topic(struct call *c)
{
    return set_about(c, "topic");
}

static int conversations_set_purpose(struct call *c)
{
    return set_about(c, "purpose");
}

/* ---- archives ---- */

static int conversations_archive(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    if (sl_named_channel_arg(c, "write", &ch) < 0)
        return -1;
    if (ch.archived)
        return slack_fail(c, "already_archived");
    if (ch.general)
        return slack_fail(c, "cant_archive_general");
    if (me->user.role >= CHAT_GUEST || ch.workspace != me->workspace.id)
        return slack_fail(c, "restricted_action");
    int r = sl_is_member(c, &ch);
    if (r < 0)
        return -1;
    if (!r && me->user.role > CHAT_ADMIN)
        return slack_fail(c, "not_in_channel");
    return sl_archive_channel(c, &ch) < 0 ? -1 : slack_ok(c);
}

static int conversations_unarchive(struct call *c)
{
    static const char *const changed[] = {"archived", NULL};
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    if (sl_named_channel_arg(c, "write", &ch) < 0)
        return -1;
    if (!ch.archived)
        return slack_fail(c, "not_archived");
    if (me->user.role >= CHAT_GUEST || ch.workspace != me->workspace.id) /* as to archive it */
        return slack_fail(c, "access_denied");
    ch.archived = false;
    if (chat_channel_save(&c->tx, &ch, changed) < 0 || sl_joined(c, &ch, &me->user, 0) < 0 ||
        sl_note(c, &ch, "channel_unarchive",
                arena_printf(c->tx.arena, "<@%s> un-archived the channel", me->user.key), NULL) < 0)
        return -1;
    return slack_ok(c);
}

/* ---- direct ones ---- */

static int open_answer(struct call *c, const struct chat_channel *ch, bool again)
{
    slack_open(c);
    if (again) {
        json_bool(c->out, "no_op", true);
        json_bool(c->out, "already_open", true);
    }
    if (!slack_flag(c, "return_im")) {
        json_obj(c->out, "channel");
        json_str(c->out, "id", ch->key);
        json_end(c->out);
    } else if (sl_write_channel(c, "channel", ch, SL_OPEN | SL_LAST_READ | SL_PRIORITY) < 0) {
        return -1;
    }
    slack_close(c);
    return 0;
}

/* Open in the caller's list from now on. */
static int open_for_me(struct call *c, const struct chat_channel *ch)
{
    struct chat_member m;
    int r = chat_member_of(&c->tx, ch->id, sl_me(c)->user.id, &m);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "channel_not_found");
    if (!m.open && chat_member_open(&c->tx, ch->id, m.user, true) < 0)
        return -1;
    return open_answer(c, ch, m.open);
}

static int open_with(struct call *c, const char **keys, size_t n)
{
    int64_t users[10];
    size_t n_users = 0;
    struct chat_channel ch;
    users[n_users++] = sl_me(c)->user.id;
    if (n > 8)
        return slack_fail(c, "too_many_users");
    for (size_t i = 0; i < n; i++) {
        struct chat_user u;
        bool there = false;
        int r = sl_user_find(c, keys[i], &u);
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "user_not_found");
        if (u.deleted)
            return slack_fail(c, "user_disabled");
        if (sl_check_visible(c, &u) < 0)
            return -1;
        if (sl_me(c)->is_bot && (u.bot || !u.actor) && u.id != users[0])
            return slack_fail(c, "cannot_dm_bot");
        for (size_t k = 0; k < n_users; k++)
            there |= users[k] == u.id;
        if (!there)
            users[n_users++] = u.id;
    }
    ch.kind = n_users > 2 ? CHAT_GROUP : CHAT_DIRECT;
    if (sl_channel_scope(c, &ch, "write") < 0)
        return -1;
    bool make = !slack_flag(c, "prevent_creation");
    int r = sl_direct_channel(c, users, n_users, make, &ch);
    if (r == 0)
        return slack_fail(c, "channel_not_found");
    return r < 0 ? -1 : r == 2 ? open_answer(c, &ch, false) : open_for_me(c, &ch);
}

static int direct_channel_arg(struct call *c, struct chat_channel *ret)
{
    if (sl_channel_arg(c, "channel", false, ret) < 0)
        return -1;
    if (ret->kind < CHAT_DIRECT)
        return slack_fail(c, "method_not_supported_for_channel_type");
    return sl_channel_scope(c, ret, "write");
}

static int conversations_open(struct call *c)
{
    const char *channel = param_str(c, "channel");
    struct chat_channel ch;
    size_t n;
    const char **keys = slack_list_arg(c, "users", &n);
    if (!channel || !*channel)
        return n ? open_with(c, keys, n) : slack_fail(c, "users_list_not_supplied");
    return direct_channel_arg(c, &ch) < 0 ? -1 : open_for_me(c, &ch);
}

static int conversations_close(struct call *c)
{
    struct chat_channel ch;
    struct chat_member m;
    if (direct_channel_arg(c, &ch) < 0)
        return -1;
    int r = chat_member_of(&c->tx, ch.id, sl_me(c)->user.id, &m);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "channel_not_found");
    if (m.open && chat_member_open(&c->tx, ch.id, m.user, false) < 0)
        return -1;
    slack_open(c);
    if (!m.open) {
        json_bool(c->out, "no_op", true);
        json_bool(c->out, "already_closed", true);
    }
    slack_close(c);
    return 0;
}

static int conversations_mark(struct call *c)
{
    struct chat_channel ch;
    struct chat_member m;
    int64_t us;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 || sl_channel_scope(c, &ch, "write") < 0)
        return -1;
    if (sl_ts_arg(c, "ts", &us) != 1 || us > CHAT_LAST_INSTANT)
        return slack_fail(c, "invalid_timestamp");
    int r = chat_member_of(&c->tx, ch.id, sl_me(c)->user.id, &m);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (chat_member_read(&c->tx, m.id, us) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_READ, OP_CHANGED, ch.id, m.user, NULL,
                &(struct chat_change){.user = m.user, .at_us = us});
    return slack_ok(c);
}

/* ---- rows ---- */

static const struct param list_params[] = {SL_ARG("cursor"), SL_ARG("exclude_archived", SL_FLAG),
                                           SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
                                           SL_ARG("team_id"),
                                           SL_ARG("types", SL_LIST, .def = "public_channel")};
static const struct param users_conversations_params[] = {
    SL_ARG("cursor"),
    SL_ARG("exclude_archived", SL_FLAG),
    SL_ARG("exclude_muted", SL_FLAG),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
    SL_ARG("team_id"),
    SL_ARG("types", SL_LIST, .def = "public_channel"),
    SL_ARG("user")};
static const struct param info_params[] = {SL_NEEDED("channel"), SL_ARG("include_locale", SL_FLAG),
                                           SL_ARG("include_num_members", SL_FLAG)};
static const struct param create_params[] = {
    SL_NEEDED("name",
              .summary = "Name of the channel: lower case letters, digits, - and _, at most 80"),
    SL_ARG("is_private", SL_FLAG), SL_ARG("team_id")};
static const struct param rename_params[] = {
    SL_NEEDED("channel"),
    SL_NEEDED("name",
              .summary = "Name of the channel: lower case letters, digits, - and _, at most 80")};
static const struct param topic_params[] = {SL_NEEDED("channel"), SL_NEEDED("topic")};
static const struct param purpose_params[] = {SL_NEEDED("channel"), SL_NEEDED("purpose")};
static const struct param channel_params[] = {SL_NEEDED("channel")};
static const struct param open_params[] = {SL_ARG("channel"), SL_ARG("prevent_creation", SL_FLAG),
                                           SL_ARG("return_im", SL_FLAG), SL_ARG("users", SL_LIST)};
static const struct param mark_params[] = {SL_NEEDED("channel"), SL_NEEDED("ts")};

static const struct route methods[] = {
    {SL_METHOD("conversations.archive"), SL_PEOPLE, .handler = conversations_archive,
     .risk = RISK_WRITE, .idempotent = true, .scopes = SL_WRITE, PARAMS(channel_params),
     .rate = SLACK_TIER_2, .summary = "Close a channel for good"},
    {SL_METHOD("conversations.close"), SL_PEOPLE, .handler = conversations_close,
     .risk = RISK_WRITE, .idempotent = true, .scopes = SL_WRITE, PARAMS(channel_params),
     .rate = SLACK_TIER_2, .summary = "Take a direct channel out of the own list"},
    {SL_METHOD("conversations.create"), SL_PEOPLE, .handler = conversations_create,
     .risk = RISK_WRITE, .scopes = SL_WRITE, PARAMS(create_params), .rate = SLACK_TIER_2,
     .summary = "Make a channel"},
    {SL_METHOD("conversations.info"), SL_PEOPLE, .handler = conversations_info, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = SL_READ, PARAMS(info_params), .rate = SLACK_TIER_3,
     .summary = "A channel"},
    {SL_METHOD("conversations.list"), SL_PEOPLE, .handler = conversations_list, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = SL_READ, PARAMS(list_params), .rate = SLACK_TIER_2,
     .summary = "Channels that one may see"},
    {SL_METHOD("conversations.mark"), SL_PEOPLE, .handler = conversations_mark, .risk = RISK_WRITE,
     .idempotent = true, .scopes = SL_WRITE, PARAMS(mark_params), .rate = SLACK_TIER_3,
     .summary = "Say how far one has read"},
    {SL_METHOD("conversations.open"), SL_PEOPLE, .handler = conversations_open, .risk = RISK_WRITE,
     .idempotent = true, .scopes = SL_WRITE, PARAMS(open_params), .rate = SLACK_TIER_3,
     .summary = "The direct channel with somebody"},
    {SL_METHOD("conversations.rename"), SL_PEOPLE, .handler = conversations_rename,
     .risk = RISK_WRITE, .scopes = SL_WRITE, PARAMS(rename_params), .rate = SLACK_TIER_2,
     .summary = "Give a channel another name"},
    {SL_METHOD("conversations.setPurpose"), SL_PEOPLE, .handler = conversations_set_purpose,
     .risk = RISK_WRITE, .scopes = SL_TOPIC, PARAMS(purpose_params), .rate = SLACK_TIER_2,
     .summary = "Say what a channel is for"},
    {SL_METHOD("conversations.setTopic"), SL_PEOPLE, .handler = conversations_set_topic,
     .risk = RISK_WRITE, .scopes = SL_TOPIC, PARAMS(topic_params), .rate = SLACK_TIER_2,
     .summary = "Say what a channel is about now"},
    {SL_METHOD("conversations.unarchive"), SL_PEOPLE, .handler = conversations_unarchive,
     .risk = RISK_WRITE, .idempotent = true, .scopes = SL_WRITE, PARAMS(channel_params),
     .rate = SLACK_TIER_2, .summary = "Open an archived channel again"},
    {SL_METHOD("users.conversations"), SL_PEOPLE, .handler = users_conversations, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = SL_READ, PARAMS(users_conversations_params),
     .rate = SLACK_TIER_3, .summary = "Channels that somebody is in"},
};

const struct rows sl_conversations = ROWS(methods);
