/* SPDX-License-Identifier: Apache-2.0 */
/* What a workspace has as rows of the tables that evaluators of diffs by table keep: an object a
 * row, with the names of its columns. */
#include "engine/text/civil.h"
#include "services/chat/slack/things.h"
#include "services/chat/slack/sl.h"

static void open_row(struct json_writer *w, const char *table)
{
    json_obj(w, NULL);
    json_str(w, "__table__", table);
}

static void put_ts(struct json_writer *w, const char *column, int64_t us)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, us);
    json_str(w, column, ts);
}

/* The key of a user; NULL: there is none. */
static int key_of_user(struct tx *tx, int64_t user, const char **ret)
{
    struct chat_user u;
    int r = user ? chat_user_get(tx, user, &u) : 0;
    *ret = r == 1 ? u.key : NULL;
    return r < 0 ? -1 : 0;
}

static void write_json(struct json_writer *w, const char *column, const char *text)
{
    if (text)
        json_raw(w, column, text, strlen(text));
    else
        json_null(w, column);
}

/* ---- messages ---- */

static int write_reactions(struct tx *tx, struct json_writer *w, const struct chat_message *m)
{
    const struct json *list;
    if (!m->reactions)
        return 0;
    if (json_parse(tx->arena, m->reactions, strlen(m->reactions), NULL, &list, tx->err) < 0)
        return -1;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *users = json_get(&list->items[i], "users");
        for (uint32_t k = 0; users && users->type == JSON_ARRAY && k < users->n; k++) {
            open_row(w, "message_reactions");
            put_ts(w, "message_id", m->ts_us);
            json_value(w, "user_id", &users->items[k]);
            json_str(w, "reaction_type", json_get_str(&list->items[i], "name"));
            json_end(w);
        }
    }
    return 0;
}

/* What the system notes of a change is in no table. */
static int message_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_message m, root = {0};
    struct chat_channel ch;
    const char *user;
    int r = chat_message_get(tx, rowid, &m);
    if (r == 1)
        r = chat_channel_get(tx, chat_message_channel(rowid), &ch);
    if (r != 1 || (m.flags & (CHAT_TOMBSTONE | CHAT_SYSTEM)))
        return r < 0 ? -1 : 0;
    bool reply = m.thread && m.thread != m.id;
    if ((reply && chat_message_get(tx, m.thread, &root) < 0) || key_of_user(tx, m.user, &user) < 0)
        return -1;
    open_row(w, "messages");
    put_ts(w, "message_id", m.ts_us);
    if (reply && root.id)
        put_ts(w, "parent_id", root.ts_us);
    else
        json_null(w, "parent_id");
    json_str(w, "channel_id", ch.key);
    json_str(w, "user_id", user);
    json_str(w, "message_text", m.text);
    write_json(w, "blocks", m.flags & CHAT_MADE_BLOCKS ? NULL : m.blocks);
    json_time(w, "created_at", m.ts_us, JSON_TIME_US_Z);
    json_end(w);
    return write_reactions(tx, w, &m);
}

/* ---- channels ---- */

static int add_members(struct tx *tx, struct json_writer *w, const struct chat_channel *ch)
{
    int64_t *users;
    size_t n;
    if (chat_members(tx, ch->id, "", 10000, &users, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *key;
        if (key_of_user(tx, users[i], &key) < 0)
            return -1;
        open_row(w, "channel_members");
        json_str(w, "channel_id", ch->key);
        json_str(w, "user_id", key);
        json_end(w);
    }
    return 0;
}

static int channel_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_workspace team;
    struct chat_channel ch;
    int r = chat_channel_get(tx, rowid, &ch);
    if (r == 1)
        r = chat_workspace_get(tx, ch.workspace, &team);
    if (r != 1)
        return r;
    open_row(w, "channels");
    json_str(w, "channel_id", ch.key);
    json_str(w, "channel_name", ch.name);
    json_str(w, "team_id", team.key);
    json_str(w, "topic_text", ch.topic);
    json_str(w, "purpose_text", ch.purpose);
    json_bool(w, "is_private", ch.kind != CHAT_PUBLIC);
    json_bool(w, "is_dm", ch.kind == CHAT_DIRECT);
    json_bool(w, "is_gc", ch.kind == CHAT_GROUP);
    json_bool(w, "is_archived", ch.archived);
    json_time(w, "created_at", ch.created_s * US_PER_SECOND, JSON_TIME_S_Z);
    json_end(w);
    return add_members(tx, w, &ch);
}

/* ---- people ---- */

static int member_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_workspace team;
    struct chat_user u;
    int r = chat_user_get(tx, rowid, &u);
    if (r == 1)
        r = chat_workspace_get(tx, u.workspace, &team);
    if (r != 1)
        return r;
    open_row(w, "users");
    json_str(w, "user_id", u.key);
    json_str(w, "username", u.name);
    json_str(w, "email", u.email);
    json_str(w, "real_name", u.real_name);
    json_str(w, "display_name", u.display_name);
    json_str(w, "timezone", u.zone);
    json_str(w, "title", u.title);
    json_bool(w, "is_bot", u.bot);
    json_bool(w, "is_active", !u.deleted);
    json_end(w);
    open_row(w, "user_teams");
    json_str(w, "user_id", u.key);
    json_str(w, "team_id", team.key);
    json_str(w, "role",
             u.role <= CHAT_COOWNER  ? "owner"
             : u.role == CHAT_ADMIN  ? "admin"
             : u.role == CHAT_MEMBER ? "member"
                                     : "guest");
    json_end(w);
    return 0;
}

static int workspace_rows(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_workspace team;
    int r = chat_workspace_get(tx, rowid, &team);
    if (r != 1)
        return r;
    open_row(w, "teams");
    json_str(w, "team_id", team.key);
    json_str(w, "team_name", team.name);
    json_end(w);
    return 0;
}

const struct table_view slack_tables[] = {
    {"chatMessage", message_rows, "slack"},
    {"channel", channel_rows, "slack"},
    {"chatMember", member_rows},
    {"workspace", workspace_rows},
    {NULL, NULL},
};
