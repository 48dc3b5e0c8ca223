/* SPDX-License-Identifier: Apache-2.0 */
/* What several methods do with channels: making, renaming, joining, archiving them. */
#include "engine/text/civil.h"
#include "services/chat/slack/sl.h"

const char *sl_quoted(struct call *c, const char *text)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_str(&w, NULL, text);
    const char *quoted = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    if (!quoted)
        sosia_fail_memory(c->tx.err);
    return quoted;
}

int sl_joined(struct call *c, struct chat_channel *ch, const struct chat_user *u, int64_t by)
{
    const char *extra = NULL;
    struct chat_message m = {.user = u->id, .subtype = "channel_join", .flags = CHAT_SYSTEM};
    int r = chat_member_add(&c->tx, ch, u->id, by);
    if (r != 1 || ch->kind >= CHAT_DIRECT)
        return r < 0 ? -1 : 0;
    if (by)
        extra = arena_printf(c->tx.arena, "{\"inviter\":\"%s\"}", sl_user_key(c, by));
    m.text = arena_printf(c->tx.arena, "<@%s> has joined the channel", u->key);
    m.extra = extra;
    return chat_post(&c->tx, ch, &m);
}

struct chat_channel sl_new_channel(struct call *c, enum chat_kind kind)
{
    return (struct chat_channel){.workspace = sl_me(c)->workspace.id,
                                 .kind = kind,
                                 .creator = sl_me(c)->user.id,
                                 .created_s = c->tx.now_us / US_PER_SECOND,
                                 .updated_us = c->tx.now_us,
                                 .topic = "",
                                 .purpose = "",
                                 .posting = "all",
                                 .previous_names = "[]"};
}

int sl_rename_channel(struct call *c, struct chat_channel *ch, const char *name)
{
    static const char *const changed[] = {"name", NULL};
    const char *old = ch->name, *quoted = sl_quoted(c, old), *quoted_name = sl_quoted(c, name);
    bool first = strlen(ch->previous_names) <= 2;
    if (!quoted || !quoted_name)
        return -1;
    ch->previous_names = first
                             ? arena_printf(c->tx.arena, "[%s]", quoted)
                             : arena_printf(c->tx.arena, "[%s,%s", quoted, ch->previous_names + 1);
    ch->name = name;
    if (chat_channel_save(&c->tx, ch, changed) < 0)
        return -1;
    return sl_note(
        c, ch, "channel_name",
        arena_printf(c->tx.arena, "has renamed the channel from \"%s\" to \"%s\"", old, name),
        arena_printf(c->tx.arena, "{\"old_name\":%s,\"name\":%s}", quoted, quoted_name));
}

int sl_archive_channel(struct call *c, struct chat_channel *ch)
{
    static const char *const changed[] = {"archived", NULL};
    if (sl_note(c, ch, "channel_archive",
                arena_printf(c->tx.arena, "<@%s> archived the channel", sl_me(c)->user.key),
                NULL) < 0)
        return -1;
    ch->archived = true;
    return chat_channel_save(&c->tx, ch, changed);
}

int sl_note(struct call *c, struct chat_channel *ch, const char *subtype, const char *text,
            const char *extra)
{
    struct chat_message m = {.user = sl_me(c)->user.id,
                             .subtype = subtype,
                             .text = text,
                             .extra = extra,
                             .flags = CHAT_SYSTEM};
    return chat_post(&c->tx, ch, &m);
}
