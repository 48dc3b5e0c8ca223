/* SPDX-License-Identifier: Apache-2.0 */
/* What falls due by the world's clock: reminders, and the end of messages that have grown long
 * enough. */
#include "services/chat/slack/sl.h"
#include "services/chat/slack/team/rows.h"
#include "services/chat/slack/web/chunks.h"

int sl_remind(struct tx *tx, int64_t reminder)
{
    struct chat_user slackbot;
    struct chat_channel ch;
    struct json_writer w;
    struct call stage;
    struct reminder it;
    int r = stored_get(tx, &slack_reminder_stored, reminder, &it);
    if (r == 1)
        r = chat_user_find(tx, it.workspace, SLACKBOT, &slackbot);
    if (r != 1)
        return r;
    if (sl_direct_of(tx, it.workspace, slackbot.id, it.user, &ch) < 0 ||
        sl_stage(tx, it.workspace, 0, &w, &stage) < 0)
        return -1;
    const char *text = arena_printf(tx->arena, "Reminder: %s.", it.text);
    return chat_post(
        tx, &ch,
        &(struct chat_message){.user = slackbot.id, .text = sl_text_stored(&stage, text, true)});
}

int sl_stream_due(struct tx *tx, int64_t message)
{
    struct chat_message m, before;
    struct chat_channel ch;
    struct json_writer w;
    struct sl_stream s;
    struct call stage;
    int r = chat_message_get(tx, message, &m);
    if (r == 1)
        r = m.flags & CHAT_STREAMING ? chat_channel_get(tx, chat_message_channel(m.id), &ch) : 0;
    if (r != 1)
        return r;
    before = m;
    if (sl_stage(tx, ch.workspace, 0, &w, &stage) < 0 || sl_stream_read(&stage, &m, &s) < 0)
        return -1;
    r = sl_stream_put(&stage, &s, &m, true);
    return r < 0 ? -1 : chat_message_save(tx, &m, &before);
}
