/* SPDX-License-Identifier: Apache-2.0 */
/* Channels and messages as Slack shows them: members and their order are those of recorded
 * responses. */
#include "engine/store/rendered.h"
#include "engine/store/row.h"
#include "engine/store/scan.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/connect.h"
#include "services/chat/slack/files/canvas.h"
#include "services/chat/slack/files/files.h"
#include "services/chat/slack/sl.h"
#include <stdio.h>

/* ---- channels ---- */

static void write_about(struct call *c, const char *key, const char *text, int64_t by, int64_t set)
{
    json_obj(c->out, key);
    json_str(c->out, "value", text);
    json_str(c->out, "creator", sl_user_key(c, by));
    json_int(c->out, "last_set", set);
    json_end(c->out);
}

static void write_raw(struct json_writer *w, const char *key, const char *json)
{
    json_raw(w, key, json, strlen(json));
}

static void write_one(struct json_writer *w, const char *key, const char *value)
{
    json_arr(w, key);
    if (value)
        json_str(w, NULL, value);
    json_end(w);
}

static int unread(struct call *c, const struct chat_channel *ch, int64_t since_us)
{
    int64_t n = 0;
    return chat_messages_since(&c->tx, ch->id, since_us, &n) < 0 ? -1 : (int)n;
}

static int latest(void *arg, const struct chat_message *m, const struct record *row)
{
    struct call *c = arg;
    (void)row;
    return sl_write_message(c, "latest", m, 0) < 0 ? -1 : 1;
}

/* What the own list of conversations shows of a direct one. */
static int write_open(struct call *c, const struct chat_channel *ch, const struct chat_member *m)
{
    char ts[CHAT_TS_LEN];
    struct chat_range all = {.channel = ch->id, .latest_us = INT64_MAX / 4, .oldest_us = -1};
    chat_ts_text(ts, m->read_us);
    json_str(c->out, "last_read", ts);
    if (!ch->last_us)
        json_null(c->out, "latest");
    else if (chat_messages(&c->tx, &all, latest, c) < 0)
        return -1;
    int n = unread(c, ch, m->read_us);
    if (n < 0)
        return -1;
    json_int(c->out, "unread_count", n);
    json_int(c->out, "unread_count_display", n);
    json_bool(c->out, "is_open", m->open);
    return 0;
}

/* The other one of two; oneself if one is alone. */
static int64_t partner(struct call *c, const struct chat_channel *ch)
{
    long long a = 0, b = 0;
    int64_t me = sl_me(c)->user.id;
    if (!ch->pair || sscanf(ch->pair, "%lld,%lld", &a, &b) < 1)
        return 0;
    return b && a == me ? b : a;
}

static int write_direct(struct call *c, const struct chat_channel *ch, const struct chat_member *m,
                        unsigned parts)
{
    struct json_writer *w = c->out;
    struct chat_user other;
    int64_t id = partner(c, ch);
    int r = chat_user_get(&c->tx, id, &other);
    if (r < 0)
        return -1;
    json_str(w, "id", ch->key);
    json_int(w, "created", ch->created_s);
    json_bool(w, "is_org_shared", false);
    json_bool(w, "is_im", true);
    json_bool(w, "is_archived", ch->archived);
    json_str(w, "context_team_id", sl_me(c)->workspace.key);
    json_int(w, "updated", ch->updated_us / 1000);
    json_str(w, "user", r ? other.key : "");
    if (parts & SL_OPEN && m && write_open(c, ch, m) < 0)
        return -1;
    json_bool(w, "is_user_deleted", r && other.deleted);
    json_int(w, "priority", 0);
    return 0;
}

/* Workspaces that have the channel besides its own. */
struct sharing_teams {
    struct call *c;
    const char *keys[250];
    size_t n;
};

static int keep_team(void *arg, const struct chat_workspace *w)
{
    struct sharing_teams *t = arg;
    t->keys[t->n++] = w->key;
    return t->n == SOSIA_LEN(t->keys);
}

static void write_teams(struct call *c, const struct chat_channel *ch,
                        const struct sharing_teams *teams, const char *team)
{
    struct json_writer *w = c->out;
    struct chat_workspace host;
    if (!teams || chat_workspace_get(&c->tx, ch->workspace, &host) != 1) {
        write_one(w, "shared_team_ids", team);
        return;
    }
    json_arr(w, "shared_team_ids");
    json_str(w, NULL, host.key);
    for (size_t i = 0; i < teams->n; i++)
        json_str(w, NULL, teams->keys[i]);
    json_end(w);
    write_one(w, "internal_team_ids", team);
    json_arr(w, "connected_team_ids");
    if (strcmp(host.key, team) != 0)
        json_str(w, NULL, host.key);
    for (size_t i = 0; i < teams->n; i++)
        if (strcmp(teams->keys[i], team) != 0)
            json_str(w, NULL, teams->keys[i]);
    json_end(w);
    json_str(w, "conversation_host_id", host.key);
}

/* What a bot sees that is not in it. */
static void write_host(struct call *c, const struct chat_channel *ch)
{
    struct chat_workspace host;
    if (chat_workspace_get(&c->tx, ch->workspace, &host) == 1)
        json_str(c->out, "conversation_host_id", host.key);
}

/* 0, -1. */
static int write_flags(struct call *c, const struct chat_channel *ch, bool inside)
{
    struct json_writer *w = c->out;
    const char *team = sl_me(c)->workspace.key;
    bool group = ch->kind == CHAT_GROUP;
    json_bool(w, "is_channel", ch->key[0] == 'C');
    json_bool(w, "is_group", ch->key[0] == 'G');
    json_bool(w, "is_mpim", group);
    json_bool(w, "is_private", ch->kind != CHAT_PUBLIC);
    json_bool(w, "is_archived", ch->archived);
    json_bool(w, "is_general", ch->general);
    struct sharing_teams teams = {.c = c};
    if (chat_connects(&c->tx, ch->id, keep_team, &teams) < 0)
        return -1;
    bool shared = teams.n;
    json_bool(w, "is_shared", shared);
    json_bool(w, "is_ext_shared", shared);
    json_int(w, "unlinked", 0);
    json_bool(w, "is_pending_ext_shared", false);
    write_one(w, "pending_shared", NULL);
    json_null(w, "parent_conversation");
    write_about(c, "purpose", ch->purpose, ch->purpose_by, ch->purpose_s);
    write_about(c, "topic", ch->topic, ch->topic_by, ch->topic_s);
    if (shared && sl_me(c)->is_bot && !inside)
        write_host(c, ch);
    else
        write_teams(c, ch, shared ? &teams : NULL, team);
    write_one(w, "pending_connected_team_ids", NULL);
    return 0;
}

static int write_named(struct call *c, const struct chat_channel *ch, const struct chat_member *m,
                       unsigned parts)
{
    struct json_writer *w = c->out;
    char ts[CHAT_TS_LEN];
    json_str(w, "id", ch->key);
    json_int(w, "created", ch->created_s);
    json_str(w, "creator", sl_user_key(c, ch->creator));
    json_bool(w, "is_org_shared", false);
    json_bool(w, "is_im", false);
    json_str(w, "context_team_id", sl_me(c)->workspace.key);
    json_int(w, "updated", ch->updated_us / 1000);
    json_str(w, "name", ch->name ? ch->name : "");
    json_str(w, "name_normalized", ch->name ? utf8_fold(c->tx.arena, ch->name) : "");
    if (write_flags(c, ch, m != NULL) < 0)
        return -1;
    if (!(parts & SL_NO_MEMBER))
        json_bool(w, "is_member", m && !ch->archived && !(parts & SL_NOT_MEMBER));
    bool group = ch->kind == CHAT_GROUP && parts & SL_OPEN;
    group |= ch->key[0] == 'G' && parts & SL_OPEN_GROUPS;
    if (m && (group || (parts & SL_LAST_READ && !ch->archived))) {
        chat_ts_text(ts, m->read_us);
        json_str(w, "last_read", ts);
    }
    if (m && (group || (parts & SL_IS_OPEN && ch->kind == CHAT_PRIVATE)))
        json_bool(w, "is_open", m->open);
    if (parts & SL_NUM_MEMBERS)
        json_int(w, "num_members", ch->archived ? 0 : ch->members);
    if (parts & SL_PROPERTIES && sl_write_properties(c, ch) < 0)
        return -1;
    if (parts & SL_KINDS_OF_POSTING) {
        json_bool(w, "is_thread_only", strcmp(ch->posting, "thread_only") == 0);
        json_bool(w, "is_read_only", strcmp(ch->posting, "read_only") == 0);
        if (strcmp(ch->posting, "no_threads") == 0)
            json_bool(w, "is_non_threadable", true);
    }
    if (parts & SL_PRIORITY)
        json_int(w, "priority", 0);
    if (ch->kind == CHAT_PUBLIC)
        write_raw(w, "previous_names", ch->previous_names);
    return 0;
}

int sl_write_channel(struct call *c, const char *key, const struct chat_channel *ch, unsigned parts)
{
    struct chat_member m;
    int r = chat_member_of(&c->tx, ch->id, sl_me(c)->user.id, &m);
    if (r < 0)
        return -1;
    const struct chat_member *in = r ? &m : NULL;
    json_obj(c->out, key);
    int rc =
        ch->kind == CHAT_DIRECT ? write_direct(c, ch, in, parts) : write_named(c, ch, in, parts);
    if (parts & SL_LOCALE)
        json_str(c->out, "locale", sl_me(c)->user.locale);
    json_end(c->out);
    return rc;
}

/* ---- messages ---- */

/* Members that were kept as a JSON object; those with a _ are the service's own. */
static int write_members(struct call *c, const char *json)
{
    const struct json *v;
    if (json_parse(c->tx.arena, json, strlen(json), NULL, &v, c->tx.err) < 0)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->members[i].key[0] != '_')
            json_value(c->out, v->members[i].key, &v->members[i].value);
    return 0;
}

/* What the text of a message depends on beside its row. */
struct around {
    const char *user, *editor;      /* ids; "" for nobody */
    const struct sl_sender *sender; /* NULL: it came through no app */
    const char *root_ts, *parent;   /* of an answer; NULL: it is none, or its thread is gone */
    bool subscribed;                /* the caller, to the thread that begins with it */
    int64_t read_us;                /* up to where he has read it, if he is */
};

static int look_up_reader(struct call *c, int64_t thread, struct around *a)
{
    static struct row_key q =
        ROW_KEY("chat_follower", "f", "follows, read_us", "message = ?1 and user = ?2");
    const struct sl_caller *me = sl_me(c);
    struct record rec = {.arena = c->tx.arena};
    int r = me->user.bot ? 0 : ROW_BY_KEY(&c->tx, &q, &rec, thread, me->user.id);
    if (r == 1) {
        a->subscribed = record_int(&rec, 0);
        a->read_us = record_int(&rec, 1);
    }
    return r < 0 ? -1 : 0;
}

static int look_around(struct call *c, const struct chat_message *m, struct around *a)
{
    const struct chat_message *root;
    char ts[CHAT_TS_LEN];
    *a = (struct around){.user = sl_user_key(c, m->user), .editor = sl_user_key(c, m->editor)};
    if (m->app && !(a->sender = sl_sender_of(c, m->app)))
        return -1;
    if (a->sender && a->sender->bot && m->editor && m->editor == a->sender->user)
        a->editor = a->sender->bot;
    if (m->thread == m->id)
        return m->replies ? look_up_reader(c, m->id, a) : 0;
    int r = m->thread ? sl_root_of(c, m->thread, &root) : 0;
    if (r == 1) {
        chat_ts_text(ts, root->ts_us);
        a->root_ts = arena_strdup(c->tx.arena, ts);
        a->parent = root->flags & CHAT_TOMBSTONE ? SLACKBOT : sl_user_key(c, root->user);
    }
    return r < 0 ? -1 : 0;
}

/* With its thread's first message, as that is now. */
static bool shows_root(const struct chat_message *m, unsigned parts)
{
    return m->thread && m->thread != m->id && m->flags & CHAT_BROADCAST && m->subtype &&
           !(parts & SL_POSTED);
}

static int write_thread(struct call *c, const struct chat_message *m, const struct around *a,
                        unsigned parts)
{
    struct json_writer *w = c->out;
    struct chat_message now;
    char ts[CHAT_TS_LEN];
    if (m->thread != m->id) {
        if (!a->root_ts)
            return 0;
        json_str(w, "thread_ts", a->root_ts);
        json_str(w, "parent_user_id", a->parent);
        if (!shows_root(m, parts))
            return 0;
        int r = chat_message_get(&c->tx, m->thread, &now);
        return r == 1 ? sl_write_message(c, "root", &now, 0) : r;
    }
    chat_ts_text(ts, m->ts_us);
    json_str(w, "thread_ts", ts);
    if (!m->replies)
        return 0;
    json_int(w, "reply_count", m->replies);
    json_int(w, "reply_users_count", m->n_repliers);
    chat_ts_text(ts, m->latest_us);
    json_str(w, "latest_reply", ts);
    write_raw(w, "reply_users", m->repliers ? m->repliers : "[]");
    json_bool(w, "is_locked", m->flags & CHAT_LOCKED);
    json_bool(w, "subscribed", a->subscribed);
    if (a->subscribed) {
        chat_ts_text(ts, a->read_us);
        json_str(w, "last_read", ts);
    }
    return 0;
}

static int write_pinned(struct call *c, const struct chat_message *m)
{
    struct chat_channel ch;
    int r = chat_channel_get(&c->tx, chat_message_channel(m->id), &ch);
    if (r != 1)
        return r;
    write_one(c->out, "pinned_to", ch.key);
    json_obj(c->out, "pinned_info");
    json_str(c->out, "channel", ch.key);
    json_str(c->out, "pinned_by", sl_user_key(c, m->pinned_by));
    json_int(c->out, "pinned_ts", m->pinned_s);
    json_end(c->out);
    return 0;
}

static void write_edited(struct call *c, const struct chat_message *m, const struct around *a)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, m->edited_us);
    json_obj(c->out, "edited");
    json_str(c->out, "user", a->editor);
    json_str(c->out, "ts", ts);
    json_end(c->out);
}

/* Members of a message up to its text. */
static int write_head(struct call *c, const struct chat_message *m, const struct around *a,
                      unsigned parts)
{
    struct json_writer *w = c->out;
    const struct sl_sender *sender = a->sender;
    char ts[CHAT_TS_LEN];
    json_str_opt(w, "subtype", m->subtype);
    bool posed = m->subtype && strcmp(m->subtype, "bot_message") == 0;
    if (m->flags & CHAT_TOMBSTONE)
        json_str(w, "user", SLACKBOT);
    else if (m->user && !posed)
        json_str(w, "user", a->user);
    bool system = m->flags & CHAT_SYSTEM;
    if (system) { /* in an order of its own */
        if (m->extra && write_members(c, m->extra) < 0)
            return -1;
        json_str(w, "text", m->text);
    }
    json_str(w, "type", "message");
    chat_ts_text(ts, m->ts_us);
    if (!(parts & (SL_DELAYED | SL_NO_TS)))
        json_str(w, "ts", ts);
    if (m->edited_us)
        write_edited(c, m, a);
    json_str_opt(w, "client_msg_id", m->client);
    if (sender) {
        json_str_opt(w, "bot_id", sender->bot);
        json_str_opt(w, "app_id", sender->app_key);
    }
    if (!system)
        json_str(w, "text", m->text);
    if (m->flags & CHAT_TOMBSTONE)
        json_bool(w, "hidden", true);
    const char *team = sl_author_team(c, m->user);
    bool shared = m->files && parts & SL_LISTED && strcmp(team, sl_me(c)->workspace.key) == 0;
    if (!(m->flags & (CHAT_SYSTEM | CHAT_TOMBSTONE)) && !posed && !shared)
        json_str(w, "team", team);
    if (sender && sender->profile && !posed)
        write_raw(w, "bot_profile", sender->profile);
    return m->extra && !system ? write_members(c, m->extra) : 0;
}

static int write_message(struct call *c, const struct chat_message *m, const struct around *a,
                         unsigned parts)
{
    struct json_writer *w = c->out;
    if (write_head(c, m, a, parts) < 0 ||
        (m->thread && !(parts & SL_DELAYED) && write_thread(c, m, a, parts) < 0))
        return -1;
    if (m->attachments)
        write_raw(w, "attachments", m->attachments);
    if (m->files && sl_write_files(c, m, parts & SL_LISTED) < 0)
        return -1;
    const char *blocks = sl_message_blocks(c, m);
    if (blocks)
        write_raw(w, "blocks", blocks);
    if (m->metadata && parts & SL_METADATA)
        write_raw(w, "metadata", m->metadata);
    if (m->reactions)
        write_raw(w, "reactions", m->reactions);
    if (m->pinned_by && write_pinned(c, m) < 0)
        return -1;
    return 0;
}

int sl_write_message(struct call *c, const char *key, const struct chat_message *m, unsigned parts)
{
    struct chat_channel ch;
    struct around a;
    if (look_around(c, m, &a) < 0)
        return -1;
    if (!(parts & SL_MEMBERS))
        json_obj(c->out, key);
    int rc = write_message(c, m, &a, parts);
    if (rc == 0 && parts & SL_PERMALINK &&
        (rc = chat_channel_get(&c->tx, chat_message_channel(m->id), &ch)) == 1)
        json_str(c->out, "permalink", sl_permalink(c, &ch, m));
    if (!(parts & SL_MEMBERS))
        json_end(c->out);
    return rc < 0 ? -1 : 0;
}

/* ---- once more ---- */

static void add_part(struct buf *b, const char *s)
{
    uint32_t n = s ? (uint32_t)strlen(s) : UINT32_MAX;
    buf_add(b, (const char *)&n, sizeof n);
    if (s)
        buf_add(b, s, n);
}

/* All that the text of an item depends on: whatever is read in this file of the message, of what is
 * around it, of the caller and the writer. */
static void add_key(struct buf *b, const struct call *c, const struct chat_message *m,
                    const struct around *a, unsigned parts, const struct record *row)
{
    const struct sl_sender *s = a->sender;
    const int64_t numbers[] = {m->id,          parts,         c->out->depth, c->pretty,
                               c->escape_html, a->subscribed, a->read_us};
    buf_clear(b);
    buf_add(b, (const char *)numbers, sizeof numbers);
    add_part(b, sl_me(c)->workspace.key);
    add_part(b, a->user);
    add_part(b, a->editor);
    add_part(b, a->root_ts);
    add_part(b, a->parent);
    add_part(b, s ? s->bot : NULL);
    add_part(b, s ? s->app_key : NULL);
    add_part(b, s ? s->profile : NULL);
    buf_add(b, (const char *)row->data, row->size);
}

int sl_write_listed(struct call *c, const struct chat_message *m, unsigned parts,
                    const struct record *row, struct buf *key)
{
    static const char what[] = "slack.message";
    struct json_writer *w = c->out;
    struct slot *db = c->tx.db;
    struct around a;
    const char *text;
    size_t len, at = w->out->len;
    /* Files, and what it is pinned to, are in other rows. */
    if (!row || m->files || m->pinned_by || shows_root(m, parts) || w->skip || c->mask)
        return sl_write_message(c, NULL, m, parts);
    if (look_around(c, m, &a) < 0)
        return -1;
    add_key(key, c, m, &a, parts, row);
    uint32_t view = buf_failed(key) ? 0 : rendered_view(db, what, sizeof what);
    if (view && rendered_find(db, view, key->data, key->len, &text, &len)) {
        json_item_again(w, text, len);
        return 0;
    }
    json_obj(w, NULL);
    int rc = write_message(c, m, &a, parts);
    json_end(w);
    while (at < w->out->len && w->out->data[at] != '{') /* what is between items */
        at++;
    if (rc == 0 && at < w->out->len && !buf_failed(w->out))
        rendered_keep(db, view, key->data, key->len, w->out->data + at, w->out->len - at);
    return rc;
}
