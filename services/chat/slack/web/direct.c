/* SPDX-License-Identifier: Apache-2.0 */
/* Direct channels, of two and of groups, made where there is none. */
#include "engine/text/civil.h"
#include "services/chat/slack/sl.h"

/* "mpdm-ada--bo--cy-1" and whom it is with. */
static int name_group(struct call *c, struct chat_channel *ch, const int64_t *users, size_t n)
{
    struct buf name, with;
    struct chat_user u;
    int r = 1;
    buf_init(&name, 0);
    buf_init(&with, 0);
    buf_puts(&name, "mpdm-");
    buf_puts(&with, "Group messaging with:");
    for (size_t i = 0; r == 1 && i < n; i++) {
        r = chat_user_get(&c->tx, users[i], &u);
        if (r != 1)
            break;
        buf_printf(&name, "%s%s", i ? "--" : "", u.name);
        buf_printf(&with, " @%s", u.name);
    }
    buf_puts(&name, "-1");
    ch->name = arena_strdup(c->tx.arena, buf_str(&name));
    ch->purpose = arena_strdup(c->tx.arena, buf_str(&with));
    ch->purpose_by = ch->topic_by = ch->creator;
    ch->purpose_s = ch->topic_s = ch->created_s;
    ch->topic = "Group messaging";
    buf_done(&name);
    buf_done(&with);
    return r < 0 ? -1 : 0;
}

int sl_direct_channel(struct call *c, int64_t *users, size_t n, bool make, struct chat_channel *ret)
{
    struct tx *tx = &c->tx;
    const char *pair = chat_pair(tx, users, n);
    int r = pair ? chat_channel_by_pair(tx, sl_me(c)->workspace.id, pair, ret) : -1;
    if (r || !make)
        return r;
    *ret = sl_new_channel(c, n > 2 ? CHAT_GROUP : CHAT_DIRECT);
    ret->pair = pair;
    if ((n > 2 && name_group(c, ret, users, n) < 0) || chat_channel_add(tx, ret) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (chat_member_add(tx, ret, users[i], 0) < 0)
            return -1;
    return 2;
}

int sl_direct_with(struct call *c, const struct chat_user *u, struct chat_channel *ret)
{
    int64_t users[] = {sl_me(c)->user.id, u->id};
    return sl_direct_channel(c, users, u->id == users[0] ? 1 : 2, true, ret) < 0 ? -1 : 0;
}

int sl_direct_of(struct tx *tx, int64_t workspace, int64_t from, int64_t to,
                 struct chat_channel *ret)
{
    int64_t users[] = {from, to};
    const char *pair = chat_pair(tx, users, 2);
    int r = pair ? chat_channel_by_pair(tx, workspace, pair, ret) : -1;
    if (r)
        return r < 0 ? -1 : 0;
    *ret = (struct chat_channel){.workspace = workspace,
                                 .kind = CHAT_DIRECT,
                                 .pair = pair,
                                 .creator = from,
                                 .created_s = tx->now_us / US_PER_SECOND,
                                 .updated_us = tx->now_us,
                                 .topic = "",
                                 .purpose = "",
                                 .posting = "all",
                                 .previous_names = "[]"};
    return chat_channel_add(tx, ret) < 0 || chat_member_add(tx, ret, from, 0) < 0 ||
                   chat_member_add(tx, ret, to, 0) < 0
               ? -1
               : 0;
}
