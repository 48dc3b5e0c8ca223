/* SPDX-License-Identifier: Apache-2.0 */
/* Where files go that somebody shares, and the messages that share them. */
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/files/files.h"

int sl_file_targets(struct call *c, struct chat_channel *ret, size_t *ret_n)
{
    const char *one = param_str(c, "channel_id"), *thread = param_str(c, "thread_ts");
    bool reply = thread && *thread;
    size_t n = 0;
    const char **all = slack_list_arg(c, "channels", &n);
    const char *single[] = {one};
    *ret_n = 0;
    if (one && *one) {
        all = single;
        n = 1;
    }
    if (n > 100)
        return slack_fail(c, "channels_limit_exceeded");
    if (n > 1 && reply)
        n = 1; /* a thread is in one channel */
    for (size_t i = 0; i < n; i++) {
        struct chat_user u;
        int r = sl_user_find(c, all[i], &u);
        if (r == 1 && ((r = sl_sees(c, &u)) == 0 || u.deleted || !u.actor))
            return r < 0 ? -1 : slack_fail(c, "channel_not_found");
        if (r == 1) {
            if (sl_direct_with(c, &u, &ret[i]) < 0)
                return -1;
        } else {
            r = r < 0 ? -1 : chat_channel_find(&c->tx, sl_me(c)->workspace.id, all[i], &ret[i]);
            if (r == 1)
                r = chat_can_see(&c->tx, &ret[i], &sl_me(c)->user);
            if (r != 1)
                return r < 0 ? -1 : slack_fail(c, "channel_not_found");
            r = sl_is_member(c, &ret[i]);
            if (r != 1)
                return r < 0 ? -1 : slack_fail(c, "not_in_channel");
            if (ret[i].archived)
                return slack_fail(c, "posting_to_channel_denied");
        }
        if (sl_check_posting(c, &ret[i], reply) < 0)
            return slack_of(c)->error ? slack_fail(c, "posting_to_channel_denied") : -1;
        ++*ret_n;
    }
    return 0;
}

/* By that message. The first time in a public channel the file becomes public, which those are
 * notified of who may see it (that this is when is concluded). */
static int share_file(struct call *c, const struct chat_channel *ch, const struct chat_message *m,
                      const struct chat_file *f)
{
    static const char *const public[] = {"public", NULL};
    int was = ch->kind == CHAT_PUBLIC && !f->external_id ? sl_file_is_open(c, f) : 1;
    if (was < 0 || chat_file_share(&c->tx, f, ch->id, m->id) < 0)
        return -1;
    if (!was)
        chat_notify(&c->tx, CHAT_EV_FILE, OP_CHANGED, f->workspace, f->id, public,
                    &(struct chat_change){.user = f->user});
    chat_notify(&c->tx, CHAT_EV_SHARE, OP_ADDED, ch->id, f->id, NULL,
                &(struct chat_change){.message = *m, .user = sl_me(c)->user.id});
    return 0;
}

int sl_share_files(struct call *c, struct chat_channel *ch, struct chat_file *files, size_t n)
{
    const struct sl_caller *me = sl_me(c);
    const char *comment = param_str(c, "initial_comment");
    struct chat_message root, m = {.user = me->user.id, .app = me->app, .text = ""};
    struct buf keys;
    if (sl_thread_arg(c, ch, &root) < 0 || sl_sender_arg(c, &m) < 0)
        return -1;
    m.thread = root.id;
    buf_init(&keys, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&keys, "%s\"%s\"", i ? "," : "[", files[i].key);
    buf_byte(&keys, ']');
    m.files = buf_keep(&keys, c->tx.arena);
    if (comment && *comment) {
        m.text = sl_text_stored(c, comment, true);
        m.flags |= CHAT_MADE_BLOCKS;
        if (!(m.blocks = sl_text_blocks(c, m.text, 0)))
            return -1;
    } else if (sl_blocks_arg(c, &m.blocks) < 0) {
        return -1;
    }
    if (chat_post(&c->tx, ch, &m) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (share_file(c, ch, &m, &files[i]) < 0)
            return -1;
    return 0;
}
