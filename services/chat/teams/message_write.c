/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as they are answered (MG-460 to 462). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/core/ask.h"
#include "services/chat/teams/teams.h"

int teams_writing(struct teams_at *at, struct teams_writing *ret)
{
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, at->channel.key, strlen(at->channel.key));
    *ret = (struct teams_writing){.at = at,
                                  .place = arena_strdup(at->c->tx.arena, buf_str(&b)),
                                  .system_named =
                                      graph_prefer(at->c, "include-unknown-enum-members") != NULL};
    buf_done(&b);
    return ret->place ? 0 : sosia_fail_memory(at->c->tx.err);
}

/* Digits of a number that is not negative. */
static const char *digits(char text[24], int64_t n)
{
    char *p = text + 23;
    *p = 0;
    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10));
    return p;
}

static int find_author(struct teams_writing *g, int64_t user)
{
    struct chat_user u;
    if (g->user == user)
        return 0;
    for (size_t i = 0; i < g->n_known; i++)
        if (g->known[i].user == user) {
            g->user = user;
            g->oid = g->known[i].oid;
            g->shown = g->known[i].shown;
            return 0;
        }
    if (chat_user_get(&g->at->c->tx, user, &u) != 1)
        return -1;
    g->user = user;
    g->oid = u.key;
    g->shown = u.real_name;
    if (g->n_known < SOSIA_LEN(g->known))
        g->known[g->n_known++] = (struct teams_known){user, u.key, u.real_name};
    return 0;
}

static int write_from(struct teams_writing *g, const struct chat_message *m)
{
    struct json_writer *w = g->at->c->out;
    if (m->subtype || !m->user) {
        json_null(w, "from");
        return 0;
    }
    if (find_author(g, m->user) < 0)
        return -1;
    json_obj(w, "from");
    json_null(w, "application");
    json_null(w, "device");
    teams_write_user(w, "user", g->oid, g->shown, g->at->tenant.guid);
    json_end(w);
    return 0;
}

/* ---- what goes with the text ---- */

static int write_mentioned(struct teams_writing *g, const struct chat_mention *m)
{
    struct json_writer *w = g->at->c->out;
    struct tx *tx = &g->at->c->tx;
    struct chat_channel ch;
    struct chat_team t;
    json_obj(w, "mentioned");
    json_null(w, "application");
    json_null(w, "device");
    if (m->kind == CHAT_MENTION_USER) {
        if (find_author(g, m->ref) < 0)
            return -1;
        json_null(w, "conversation");
        teams_write_user(w, "user", g->oid, g->shown, g->at->tenant.guid);
    } else {
        const bool team = m->kind == CHAT_MENTION_TEAM, channel = m->kind == CHAT_MENTION_CHANNEL;
        int r = team      ? chat_team_get(tx, m->ref, &t)
                : channel ? chat_channel_get(tx, m->ref, &ch)
                          : 1;
        if (r < 0)
            return -1;
        json_null(w, "user");
        json_obj(w, "conversation");
        json_str(w, "id", r == 1 ? team ? t.key : channel ? ch.key : g->at->channel.key : "");
        json_str(w, "displayName", m->text);
        json_word(w, "conversationIdentityType", team ? "team" : channel ? "channel" : "chat");
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int write_mentions(struct teams_writing *g, const struct chat_message *m)
{
    struct json_writer *w = g->at->c->out;
    struct chat_mention *list;
    size_t n = 0;
    if (strstr(m->text, "<at ") && chat_mentions(&g->at->c->tx, m->id, &list, &n) < 0)
        return -1;
    const struct json *extra =
        n && m->extra ? teams_properties(g->at->c->tx.arena, m->extra) : NULL;
    const struct json *ids = extra ? json_get(extra, "mentionIds") : NULL;
    json_arr(w, "mentions");
    for (size_t i = 0; i < n; i++) {
        int64_t id = (int64_t)i;
        if (ids && i < ids->n && json_i64(&ids->items[i], &id) < 0)
            id = (int64_t)i;
        json_obj(w, NULL);
        json_int(w, "id", id);
        json_str(w, "mentionText", list[i].text);
        if (write_mentioned(g, &list[i]) < 0)
            return -1;
        json_end(w);
    }
    json_end(w);
    return 0;
}

/* oid NULL: the user is not filled in (MG-677). */
static void write_reaction(struct teams_writing *g, const char *name, const char *type,
                           int64_t at_s, const char *oid)
{
    struct json_writer *w = g->at->c->out;
    json_obj(w, name);
    json_str(w, "reactionType", type);
    json_null(w, "displayName");
    json_null(w, "reactionContentUrl");
    teams_time(w, "createdDateTime", at_s * US_PER_SECOND);
    json_obj(w, "user");
    json_null(w, "application");
    json_null(w, "device");
    if (oid)
        teams_write_user(w, "user", oid, NULL, g->at->tenant.guid);
    else
        json_null(w, "user");
    json_end(w);
    json_end(w);
}

/* The reactions in the order in which they came: of the list, and of the history. */
static int write_reactions(struct teams_writing *g, const struct chat_message *m, bool history)
{
    struct json_writer *w = g->at->c->out;
    sqlite3_stmt *st = m->reactions ? chat_reactions_to(&g->at->c->tx, m->id) : NULL;
    int r = m->reactions ? st ? 1 : -1 : 0;
    json_arr(w, history ? "messageHistory" : "reactions");
    while (r == 1 && (r = TX_STEP(&g->at->c->tx, st)) == 1) {
        const char *type = tx_string(&g->at->c->tx, st, 0);
        const int64_t at_s = sqlite3_column_int64(st, 2);
        if (g->one && find_author(g, sqlite3_column_int64(st, 1)) < 0) {
            sql_done(st);
            return -1;
        }
        const char *oid = g->one ? g->oid : NULL;
        if (history) {
            json_obj(w, NULL);
            teams_time(w, "modifiedDateTime", at_s * US_PER_SECOND);
            json_word(w, "actions", "reactionAdded");
        }
        write_reaction(g, history ? "reaction" : NULL, type, at_s, oid);
        if (history)
            json_end(w);
    }
    json_end(w);
    return r;
}

static void write_attachments(struct json_writer *w, const struct chat_message *m)
{
    if (m->attachments) {
        json_raw(w, "attachments", m->attachments, strlen(m->attachments));
    } else {
        json_arr(w, "attachments");
        json_end(w);
    }
}

/* ---- the whole ---- */

static void write_detail(struct json_writer *w, const struct chat_message *m)
{
    if (m->metadata)
        json_raw(w, "eventDetail", m->metadata, strlen(m->metadata));
    else
        json_null(w, "eventDetail");
}

static void write_link(struct teams_writing *g, const char *id, const char *parent)
{
    struct arena *a = g->at->c->tx.arena;
    const char *parts[] = {"https://teams.microsoft.com/l/message/",
                           g->place,
                           "/",
                           id,
                           "?groupId=",
                           g->at->team.key,
                           "&tenantId=",
                           g->at->tenant.guid,
                           "&createdTime=",
                           id,
                           "&parentMessageId=",
                           parent};
    size_t n = 0;
    for (size_t i = 0; i < SOSIA_LEN(parts); i++)
        n += strlen(parts[i]);
    char *text = arena_alloc(a, n + 1), *p = text;
    if (arena_failed(a))
        return;
    for (size_t i = 0; i < SOSIA_LEN(parts); i++)
        p = stpcpy(p, parts[i]);
    json_strn(g->at->c->out, "webUrl", text, n);
}

/* Where a message is: of a chat as null, before the objects; of a channel behind the body. */
static void write_channel(struct teams_writing *g)
{
    struct json_writer *w = g->at->c->out;
    json_obj(w, "channelIdentity");
    json_str(w, "teamId", g->at->team.key);
    json_str(w, "channelId", g->at->channel.key);
    json_end(w);
}

static int64_t extra_time(struct teams_writing *g, const struct chat_message *m, const char *name)
{
    const struct json *extra = m->extra ? teams_properties(g->at->c->tx.arena, m->extra) : NULL;
    return extra ? json_get_int(extra, name, 0) : 0;
}

static void write_optional_time(struct json_writer *w, const char *name, int64_t us)
{
    if (us)
        teams_time(w, name, us);
    else
        json_null(w, name);
}

static void write_head(struct teams_writing *g, const struct chat_message *m,
                       const struct chat_message *root, int64_t deleted_us)
{
    struct json_writer *w = g->at->c->out;
    const int64_t modified_us = m->extra ? extra_time(g, m, "lastModifiedDateTime") : 0;
    const bool chat = !g->at->channel.team;
    char own[24], up[24], tag[24];
    const char *id = digits(own, teams_message_ms(m->ts_us));
    const char *parent = root ? digits(up, teams_message_ms(root->ts_us)) : id;
    json_word(w, "id", id);
    if (root)
        json_word(w, "replyToId", parent);
    else
        json_null(w, "replyToId");
    json_word(w, "etag", digits(tag, teams_message_ms(modified_us ? modified_us : m->ts_us)));
    json_word(w, "messageType",
              !m->subtype       ? "message"
              : g->system_named ? "systemEventMessage"
                                : "unknownFutureValue");
    teams_time(w, "createdDateTime", m->ts_us);
    teams_time(w, "lastModifiedDateTime", modified_us ? modified_us : m->ts_us);
    write_optional_time(w, "lastEditedDateTime", m->edited_us);
    write_optional_time(w, "deletedDateTime", deleted_us);
    json_str(w, "subject", m->subject);
    json_null(w, "summary");
    json_str(w, "chatId", chat ? g->at->channel.key : NULL);
    json_word(w, "importance", chat_importances[m->importance]);
    json_word(w, "locale", "en-us");
    if (chat)
        json_null(w, "webUrl");
    else
        write_link(g, id, parent);
}

int teams_write_message(struct teams_writing *g, const struct chat_message *m,
                        const struct chat_message *root)
{
    struct json_writer *w = g->at->c->out;
    const int64_t deleted_us = m->extra ? extra_time(g, m, "deletedDateTime") : 0;
    const bool chat = !g->at->channel.team;
    write_head(g, m, root, deleted_us);
    if (chat)
        json_null(w, "channelIdentity");
    if (m->subtype)
        json_null(w, "from");
    json_null(w, "policyViolation");
    if (!m->subtype)
        json_null(w, "eventDetail");
    if (!m->subtype && write_from(g, m) < 0)
        return -1;
    json_obj(w, "body");
    json_word(w, "contentType", m->format ? m->format : "html");
    json_str(w, "content", m->subtype ? "<systemEventMessage/>" : deleted_us ? "" : m->text);
    json_end(w);
    if (!chat)
        write_channel(g);
    if (deleted_us) {
        json_arr(w, "attachments");
        json_end(w);
        json_arr(w, "mentions");
        json_end(w);
        json_arr(w, "reactions");
        json_end(w);
        return 0;
    }
    write_attachments(w, m);
    if (write_mentions(g, m) < 0 || write_reactions(g, m, false) < 0)
        return -1;
    if (m->subtype)
        write_detail(w, m);
    return g->history ? write_reactions(g, m, true) : 0;
}
