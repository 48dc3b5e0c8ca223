/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that one person alone sees. */
#include "services/chat/slack/apps/interact.h"

/* The part of a message that is kept of it: text, blocks, attachments. */
static const char *content_of(struct tx *tx, const struct chat_message *m)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "text", m->text);
    if (m->blocks)
        json_raw(&w, "blocks", m->blocks, strlen(m->blocks));
    if (m->attachments)
        json_raw(&w, "attachments", m->attachments, strlen(m->attachments));
    json_end(&w);
    const char *text = arena_memdup(tx->arena, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

int sl_show(struct tx *tx, const struct chat_channel *ch, int64_t user,
            const struct chat_message *m, int64_t thread_us, int64_t *ret_us)
{
    struct chat_ephemeral e = {.channel = ch->id,
                               .user = user,
                               .sender = m->user,
                               .app = m->app,
                               .thread_us = thread_us,
                               .message = content_of(tx, m)};
    if (chat_ephemeral_add(tx, &e) < 0)
        return -1;
    *ret_us = e.ts_us;
    return 0;
}
