/* SPDX-License-Identifier: Apache-2.0 */
/* Channels and messages as diffs and assertions see them: the members of Slack's objects, with
 * people and channels by their names as well as by their ids. */
#include "services/chat/core/chat.h"
#include "services/chat/slack/sl.h"

/* Of a user of the workspace: the id and, for whose it is, the actor. */
static int person(struct tx *tx, int64_t user, const char **ret_key, const char **ret_who)
{
    struct chat_user u;
    struct actor actor;
    int r = user ? chat_user_get(tx, user, &u) : 0;
    if (r != 1)
        return r;
    *ret_key = u.key;
    if (ret_who) {
        r = u.actor ? actor_by_id(tx, u.actor, &actor) : 0;
        *ret_who = r == 1 ? actor.email && *actor.email ? actor.email : actor.handle : u.name;
    }
    return r < 0 ? -1 : 1;
}

static int write_user(struct tx *tx, struct json_writer *w, const char *id, const char *name,
                      int64_t user, const char **ret_who)
{
    const char *key = NULL, *who = NULL;
    int r = person(tx, user, &key, &who);
    if (r == 1) {
        json_str(w, id, key);
        if (name)
            json_str(w, name, who);
    }
    if (ret_who)
        *ret_who = who;
    return r < 0 ? -1 : 0;
}

static void write_ts(struct json_writer *w, const char *member, int64_t us)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, us);
    json_str(w, member, ts);
}

static void view_raw(struct json_writer *w, const char *member, const char *text)
{
    if (text)
        json_raw(w, member, text, strlen(text));
}

/* ---- messages ---- */

static int message_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                        struct entity_about *about)
{
    struct chat_message m, root;
    struct chat_channel ch;
    int r = chat_message_get(tx, rowid, &m);
    if (r != 1 || (r = chat_channel_get(tx, chat_message_channel(rowid), &ch)) != 1)
        return r;
    if (m.flags & CHAT_TOMBSTONE)
        return 0;
    json_str(w, "channel", ch.key);
    json_str_opt(w, "channel_name", ch.name);
    write_ts(w, "ts", m.ts_us);
    if (m.thread && m.thread != m.id) {
        r = chat_message_get(tx, m.thread, &root);
        if (r < 0)
            return -1;
        if (r)
            write_ts(w, "thread_ts", root.ts_us);
    }
    if (write_user(tx, w, "user", "user_email", m.user, &about->person) < 0)
        return -1;
    json_str_opt(w, "subtype", m.subtype);
    json_str(w, "text", m.text);
    if (!(m.flags & CHAT_MADE_BLOCKS))
        view_raw(w, "blocks", m.blocks);
    view_raw(w, "attachments", m.attachments);
    view_raw(w, "metadata", m.metadata);
    view_raw(w, "reactions", m.reactions);
    view_raw(w, "files", m.files);
    json_bool_opt(w, "pinned", m.pinned_by != 0);
    if (m.edited_us && about->all)
        write_ts(w, "edited", m.edited_us);
    about->title = m.text;
    about->is[0] = tx_numbered(tx, "post", rowid);
    /* What the channel notes of its own change is that change's. */
    if (m.flags & CHAT_SYSTEM || m.subtype)
        about->follows[0] = tx_numbered(tx, "channel", ch.id), about->part = true;
    return 1;
}

/* ---- channels ---- */

static int view_members(struct tx *tx, struct json_writer *w, const struct chat_channel *ch)
{
    int64_t *users;
    size_t n;
    if (chat_members(tx, ch->id, "", 10000, &users, &n) < 0)
        return -1;
    json_arr(w, "members");
    for (size_t i = 0; i < n; i++) {
        const char *key = NULL, *who = NULL;
        int r = person(tx, users[i], &key, &who);
        if (r < 0)
            return -1;
        if (r)
            json_str(w, NULL, who);
    }
    json_end(w);
    return 0;
}

static int channel_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                        struct entity_about *about)
{
    struct chat_channel ch;
    int r = chat_channel_get(tx, rowid, &ch);
    if (r != 1)
        return r;
    json_str(w, "id", ch.key);
    json_str_opt(w, "name", ch.name);
    json_bool_opt(w, "is_private", ch.kind == CHAT_PRIVATE);
    json_bool_opt(w, "is_im", ch.kind == CHAT_DIRECT);
    json_bool_opt(w, "is_mpim", ch.kind == CHAT_GROUP);
    json_bool_opt(w, "is_archived", ch.archived);
    json_str(w, "topic", ch.topic);
    json_str(w, "purpose", ch.purpose);
    if (write_user(tx, w, "creator", NULL, ch.creator, &about->person) < 0 ||
        view_members(tx, w, &ch) < 0)
        return -1;
    about->title = ch.name;
    about->is[0] = tx_numbered(tx, "channel", rowid);
    return 1;
}

const struct entity_view slack_views[] = {
    {"chatMessage", "slack", message_view, NULL, .timeless = true},
    {"channel", "slack", channel_view, NULL, .timeless = true},
    {NULL, NULL, NULL, NULL},
};
