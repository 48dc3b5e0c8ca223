/* SPDX-License-Identifier: Apache-2.0 */
/* Posting. */
#include "engine/base/codec.h"
#include "services/chat/slack/sl.h"

/* Where a message goes: a channel by id or name, or somebody, whose direct channel is opened. */
static int target(struct call *c, struct chat_channel *ret)
{
    const struct sl_caller *me = sl_me(c);
    const char *text = param_str(c, "channel");
    struct chat_user u;
    if (text && (*text == 'U' || *text == 'W')) {
        int r = sl_user_find(c, text, &u);
        if (r < 0)
            return -1;
        if (r && !u.deleted)
            return sl_direct_with(c, &u, ret);
        return slack_fail(c, "channel_not_found");
    }
    if (sl_channel_arg(c, "channel", true, ret) < 0)
        return -1;
    if (ret->archived)
        return slack_fail(c, "is_archived");
    int r = sl_is_member(c, ret);
    if (r < 0)
        return -1;
    if (!r && !(me->is_bot && ret->kind == CHAT_PUBLIC && slack_has_scope(c, "chat:write.public")))
        return slack_fail(c, "not_in_channel");
    return 0;
}

/* The thread that thread_ts names: its first message, also by one of its replies. */
static int thread_of(struct call *c, const struct chat_channel *ch, struct chat_message *ret)
{
    int64_t us;
    int r = sl_ts_arg(c, "thread_ts", &us);
    ret->id = 0;
    if (r == 0)
        return 0;
    r = r < 0 ? 0 : chat_message_find(&c->tx, ch->id, us, ret);
    if (r == 1 && ret->thread && ret->thread != ret->id)
        r = chat_message_get(&c->tx, ret->thread, ret);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "thread_not_found");
    if (ret->flags & CHAT_SYSTEM)
        return slack_fail(c, "cannot_reply_to_message");
    if (ret->flags & CHAT_LOCKED)
        return slack_fail(c, "restricted_action_thread_locked");
    return 0;
}

static int chat_post_message(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *text = param_str(c, "text");
    struct chat_channel ch;
    struct chat_message root, m = {.user = me->user.id, .app = me->app};
    if (target(c, &ch) < 0 || thread_of(c, &ch, &root) < 0)
        return -1;
    if (!text || !*text)
        return slack_fail(c, "no_text");
    m.thread = root.id;
    m.text = sl_text_stored(c, text);
    m.blocks = sl_text_blocks(c, m.text);
    m.flags = CHAT_MADE_BLOCKS;
    if (root.id && slack_bool_arg(c, "reply_broadcast", false)) {
        m.flags |= CHAT_BROADCAST;
        m.subtype = "thread_broadcast";
    }
    if (!m.blocks || chat_post(&c->tx, &ch, &m) < 0)
        return -1;
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, m.ts_us);
    slack_open(c);
    json_str(c->out, "channel", ch.key);
    json_str(c->out, "ts", ts);
    if (sl_write_message(c, "message", &m, SL_POSTED | SL_METADATA) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static const struct param post_params[] = {SL_NEEDED("channel"), SL_ARG("text"),
                                           SL_ARG("thread_ts"), SL_ARG("reply_broadcast")};

static const struct route methods[] = {
    {SL_METHOD("chat.postMessage"), .handler = chat_post_message, .risk = RISK_EXTERNAL,
     .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "chat:write", PARAMS(post_params),
     .rate = SLACK_POSTING, .summary = "Post a message"},
};

const struct rows sl_chat = ROWS(methods);
