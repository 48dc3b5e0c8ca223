/* SPDX-License-Identifier: Apache-2.0 */
/* What a workspace has as diffs and assertions see it. Channels and messages have the members of
 * Slack's objects, with people and channels by their names as well as by their ids; the others
 * those that dumps have. */
#include "identity/shown.h"
#include "services/chat/core/ask.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/sl.h"

/* Of a user of the workspace: the id and, for whose it is, the actor. */
static int person(struct tx *tx, int64_t user, const char **ret_key, const char **ret_who)
{
    struct chat_user u;
    int r = user ? chat_user_get(tx, user, &u) : 0;
    if (r != 1)
        return r;
    *ret_key = u.key;
    if (ret_who) {
        r = actor_shown(tx, u.actor, ret_who);
        *ret_who = *ret_who ? *ret_who : u.name;
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
    if (m.flags & CHAT_SYSTEM)
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

/* ---- canvases ---- */

struct accesses {
    struct tx *tx;
    struct json_writer *w;
    int rc;
};

static int view_access(void *arg, int64_t channel, int64_t user, enum chat_level level)
{
    struct accesses *all = arg;
    struct chat_channel ch;
    int r = channel ? chat_channel_get(all->tx, channel, &ch) : 0;
    json_obj(all->w, NULL);
    if (r == 1)
        json_str(all->w, "channel", ch.key);
    if (r >= 0 && user)
        r = write_user(all->tx, all->w, "user", NULL, user, NULL);
    json_str(all->w, "level", chat_levels[level - 1]);
    json_end(all->w);
    all->rc = r < 0 ? -1 : 0;
    return all->rc;
}

/* As dumps have them, but for ids of sections, all of which an edit changes. */
static int canvas_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                       struct entity_about *about)
{
    struct accesses all = {.tx = tx, .w = w};
    struct chat_workspace team;
    struct chat_document d;
    struct chat_channel ch;
    struct chat_file f;
    const char *key;
    int r = chat_document_get(tx, rowid, &d);
    if (r != 1 || (r = chat_file_get(tx, rowid, &f)) != 1 ||
        (r = chat_workspace_get(tx, f.workspace, &team)) != 1 ||
        (d.channel && (r = chat_channel_get(tx, d.channel, &ch)) != 1))
        return r;
    json_str(w, "workspace", team.key);
    json_str(w, "file", f.key);
    if (d.channel)
        json_str(w, "channel", ch.key);
    json_bool_opt(w, "main", d.main);
    json_arr(w, "sections");
    for (size_t i = 0; i < d.sections.n; i++) {
        json_obj(w, NULL);
        if (about->all)
            json_str(w, "id", d.sections.all[i].id);
        json_str(w, "text", d.sections.all[i].text);
        json_end(w);
    }
    json_end(w);
    json_arr(w, "access");
    if (chat_levels_each(tx, rowid, view_access, &all) < 0 || all.rc < 0)
        return -1;
    json_end(w);
    about->title = f.title;
    about->is[0] = tx_numbered(tx, "content", rowid);
    return person(tx, f.user, &key, &about->person) < 0 ? -1 : 1;
}

/* ---- the others ---- */

#define QUERY(text) (&(struct sql_text)SQL_TEXT(text))

/* Of an entity: whose it is (a user), and what it is called; of files the content that goes with
 * them, which a file follows. */
static const struct frame {
    const char *entity;
    struct sql_text *query;
} frames[] = {
    {"workspace", &chat_workspace_title},
    {"chatMember", &chat_user_title},
    {"chatFile", QUERY("select user, title, mode in ('document', 'list') from slack_file where "
                       "id = ?1")},
    {"chatList", QUERY("select user, title from slack_file where id = ?1")},
    {"userGroup", QUERY("select created_by, name from slack_group where id = ?1")},
    {"profileField", QUERY("select null, label from slack_profile_field where id = ?1")},
    {"chatEmoji", QUERY("select user, name from slack_emoji where id = ?1")},
    {"bookmark", QUERY("select updated_by, title from slack_bookmark where id = ?1")},
    {"chatStar", QUERY("select user, null from slack_star where id = ?1")},
    {"chatReminder", QUERY("select user, text from slack_reminder where id = ?1")},
    {"scheduledMessage", QUERY("select user, json_extract(message, '$.text') from slack_scheduled "
                               "where id = ?1")},
    {"chatQuiet", QUERY("select user, null from slack_quiet where user = ?1")},
    {"chatApp", QUERY("select owner, null from slack_app where id = ?1")},
    {"chatGrant", QUERY("select user, null from slack_grant where id = ?1")},
    {"chatWebhook", QUERY("select user, null from slack_webhook where id = ?1")},
    {"chatInvite", QUERY("select inviter, coalesce(name, email) from slack_invite where id = ?1")},
    {"chatCall", QUERY("select creator, title from slack_call where id = ?1")},
    {"agentChannel", QUERY("select null, title from slack_agent_channel where channel = ?1")},
    {"chatLogin", QUERY("select user, null from slack_login where id = ?1")},
    {"chatAppLog", QUERY("select user, null from slack_app_log where id = ?1")},
    {"chatView", QUERY("select user, json_extract(body, '$.callback_id') from slack_view where "
                       "id = ?1")},
    {"functionExecution", QUERY("select user, function from slack_execution where id = ?1")},
    {"chatPane", QUERY("select user, url from slack_pane where id = ?1")},
    {"datastoreItem", QUERY("select null, store || '/' || key from slack_datum where id = ?1")},
    {"workflowTrigger", QUERY("select null, title from slack_flow_trigger where id = ?1")},
    {"featuredWorkflow",
     QUERY("select null, t.title from slack_featured f join slack_flow_trigger t "
           "on t.id = f.\"trigger\" where f.id = ?1")},
    {"functionPermission", QUERY("select null, function from slack_distribution where id = ?1")},
    {"externalToken", QUERY("select user, provider from slack_external where id = ?1")},
    {"chatDialog", QUERY("select user, null from slack_dialog where id = ?1")},
    {"ephemeralMessage", QUERY("select user, json_extract(message, '$.text') from slack_ephemeral "
                               "where id = ?1")},
};

static int about_other(struct tx *tx, const struct entity *entity, int64_t rowid,
                       struct entity_about *about)
{
    struct sql_text *query = NULL;
    sqlite3_stmt *st;
    const char *key;
    for (size_t i = 0; !query && i < SOSIA_LEN(frames); i++)
        if (strcmp(frames[i].entity, entity->name) == 0)
            query = frames[i].query;
    if (strcmp(entity->name, "chatList") == 0)
        about->is[0] = tx_numbered(tx, "content", rowid);
    int r = query ? TX_ROW(tx, query, &st, rowid) : 0;
    if (r != 1)
        return r;
    int64_t user = sqlite3_column_int64(st, 0);
    about->title = tx_string(tx, st, 1);
    if (sqlite3_column_count(st) > 2 && sqlite3_column_int(st, 2))
        about->follows[0] = tx_numbered(tx, "content", rowid), about->part = true;
    sql_done(st);
    return person(tx, user, &key, &about->person) < 0 ? -1 : 0;
}

static const char *const noise[] = {"updated", "updater", NULL};

#define OTHER(name)                                                                                \
    {                                                                                              \
        name, "slack", .timeless = true, .noise = noise, .about = about_other                      \
    }

const struct entity_view slack_views[] = {
    {"chatMessage", "slack", message_view, NULL, .timeless = true,
     .members = "channel channel_name ts thread_ts user user_email subtype text blocks.*.** "
                "attachments.*.** metadata.** reactions.*.name reactions.*.count "
                "reactions.*.users.* files.* pinned",
     .vendor = "slack"},
    {"channel", "slack", channel_view, NULL, .timeless = true,
     .members = "id name is_private is_im is_mpim is_archived topic purpose creator members.*",
     .vendor = "slack"},
    OTHER("workspace"),
    OTHER("chatMember"),
    OTHER("chatFile"),
    {"canvas", "slack", canvas_view, NULL, .timeless = true,
     .members = "workspace file channel main sections.*.text access.*.channel access.*.user "
                "access.*.level"},
    OTHER("chatList"),
    OTHER("userGroup"),
    OTHER("profileField"),
    OTHER("chatEmoji"),
    OTHER("bookmark"),
    OTHER("chatStar"),
    OTHER("chatReminder"),
    OTHER("scheduledMessage"),
    OTHER("chatQuiet"),
    OTHER("chatApp"),
    OTHER("chatGrant"),
    OTHER("chatWebhook"),
    OTHER("sharedChannel"),
    OTHER("chatInvite"),
    OTHER("chatCall"),
    OTHER("assistantThread"),
    OTHER("agentChannel"),
    OTHER("chatLogin"),
    OTHER("chatAppLog"),
    OTHER("chatView"),
    OTHER("functionExecution"),
    OTHER("chatPane"),
    OTHER("datastoreItem"),
    OTHER("workflowTrigger"),
    OTHER("featuredWorkflow"),
    OTHER("functionPermission"),
    OTHER("externalToken"),
    OTHER("chatDialog"),
    OTHER("ephemeralMessage"),
    {NULL, NULL, NULL, NULL},
};
