/* SPDX-License-Identifier: Apache-2.0 */
/* What Teams has as diffs and assertions see it: with the members of Graph's objects, and people by
 * their addresses. */
#include "engine/world/event.h"
#include "services/chat/core/ask.h"
#include "services/chat/teams/teams.h"

/* The address of somebody, or the name; NULL: nobody. 0, -1. */
static int who(struct tx *tx, int64_t user, const char **ret)
{
    struct chat_user u;
    struct actor actor;
    int r = user ? chat_user_get(tx, user, &u) : 0;
    *ret = NULL;
    if (r != 1)
        return r;
    r = u.actor ? actor_by_id(tx, u.actor, &actor) : 0;
    *ret = r == 1 && *actor.email ? actor.email : u.name;
    return r < 0 ? -1 : 0;
}

static int view_mentions(struct tx *tx, struct json_writer *w, const struct chat_message *m)
{
    struct chat_mention *list;
    size_t n = 0;
    if (chat_mentions(tx, m->id, &list, &n) < 0)
        return -1;
    if (n)
        json_arr(w, "mentions");
    for (size_t i = 0; i < n; i++) {
        const char *name = list[i].text;
        if (list[i].kind == CHAT_MENTION_USER && who(tx, list[i].ref, &name) < 0)
            return -1;
        json_str(w, NULL, name ? name : list[i].text);
    }
    if (n)
        json_end(w);
    return 0;
}

/* [{"name", "users"}] of the core as [{"reactionType", "users"}], with addresses. */
static int view_reactions(struct tx *tx, struct json_writer *w, const struct chat_message *m)
{
    sqlite3_stmt *st = m->reactions ? chat_reactions_to(tx, m->id) : NULL;
    int r = m->reactions ? st ? 1 : -1 : 0;
    if (r == 1)
        json_arr(w, "reactions");
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        const char *type = tx_string(tx, st, 0), *name;
        if (who(tx, sqlite3_column_int64(st, 1), &name) < 0) {
            sql_done(st);
            return -1;
        }
        json_obj(w, NULL);
        json_str(w, "reactionType", type);
        json_str_opt(w, "user", name);
        json_end(w);
    }
    if (m->reactions)
        json_end(w);
    return r;
}

static int message_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                        struct entity_about *about)
{
    struct chat_message m, root;
    struct chat_channel ch;
    struct chat_team t;
    int r = chat_message_get(tx, rowid, &m);
    if (r != 1 || (r = chat_channel_get(tx, chat_message_channel(rowid), &ch)) != 1)
        return r;
    if (ch.team && chat_team_get(tx, ch.team, &t) != 1)
        return -1;
    json_str(w, "id", arena_printf(tx->arena, "%lld", (long long)teams_message_ms(m.ts_us)));
    if (ch.team) {
        json_str(w, "team", t.name);
        json_str(w, "channel", ch.name);
    } else {
        json_str(w, "chatId", ch.key);
        if (*ch.topic)
            json_str(w, "topic", ch.topic);
    }
    if (m.thread && m.thread != m.id) {
        if (chat_message_get(tx, m.thread, &root) != 1)
            return -1;
        json_str(w, "replyToId",
                 arena_printf(tx->arena, "%lld", (long long)teams_message_ms(root.ts_us)));
    }
    if (who(tx, m.user, &about->person) < 0)
        return -1;
    json_str_opt(w, "from", about->person);
    json_str_opt(w, "event", m.subtype);
    json_str_opt(w, "subject", m.subject);
    if (m.importance)
        json_str(w, "importance", chat_importances[m.importance]);
    json_str(w, "contentType", m.format ? m.format : "html");
    json_str(w, "content", m.text);
    json_bool_opt(w, "deleted", m.extra && strstr(m.extra, "\"deletedDateTime\""));
    if (m.attachments)
        json_raw(w, "attachments", m.attachments, strlen(m.attachments));
    if (view_mentions(tx, w, &m) < 0 || view_reactions(tx, w, &m) < 0)
        return -1;
    json_bool_opt(w, "pinned", m.pinned_by != 0);
    about->title = m.subject ? m.subject : m.plain ? m.plain : m.text;
    about->is[0] = tx_numbered(tx, "post", rowid);
    /* A message of the system's about a change is that change's. */
    if (m.flags & CHAT_SYSTEM)
        about->follows[0] = tx_numbered(tx, "channel", ch.id), about->part = true;
    return 1;
}

static int channel_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                        struct entity_about *about)
{
    struct chat_channel ch;
    struct chat_team t;
    int64_t *users;
    size_t n;
    int r = chat_channel_get(tx, rowid, &ch);
    if (r != 1 || teams_is_deleted(&ch))
        return r < 0 ? -1 : 0;
    if (ch.team && chat_team_get(tx, ch.team, &t) != 1)
        return -1;
    json_str(w, "id", ch.key);
    if (ch.team) {
        json_str(w, "team", t.name);
        json_str(w, "displayName", ch.name);
        json_str(w, "description", ch.purpose);
        json_str(w, "membershipType", teams_membership(&ch));
    } else {
        json_str(w, "chatType", teams_chat_type(&ch));
        json_str(w, "topic", ch.topic);
    }
    json_bool_opt(w, "isArchived", ch.archived);
    if (who(tx, ch.creator, &about->person) < 0 ||
        chat_members(tx, ch.id, "", 10000, &users, &n) < 0)
        return -1;
    json_arr(w, "members");
    for (size_t i = 0; i < n; i++) {
        const char *name;
        if (who(tx, users[i], &name) < 0)
            return -1;
        json_str(w, NULL, name ? name : "");
    }
    json_end(w);
    about->title = ch.team ? ch.name : *ch.topic ? ch.topic : ch.key;
    about->is[0] = tx_numbered(tx, "channel", rowid);
    return 1;
}

struct people {
    struct tx *tx;
    struct json_writer *w;
    int rc;
};

static int view_member(void *arg, const struct chat_team_member *m)
{
    struct people *p = arg;
    const char *name;
    p->rc = who(p->tx, m->user, &name);
    json_obj(p->w, NULL);
    json_str(p->w, "user", name ? name : "");
    json_str(p->w, "role", chat_parts[m->part]);
    json_end(p->w);
    return p->rc < 0;
}

static int team_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    struct people p = {.tx = tx, .w = w};
    struct chat_team t;
    int r = chat_team_get(tx, rowid, &t);
    if (r != 1)
        return r;
    json_str(w, "id", t.key);
    json_str(w, "displayName", t.name);
    json_str(w, "description", t.description);
    json_bool_opt(w, "isArchived", t.archived);
    if (t.properties)
        json_raw(w, "settings", t.properties, strlen(t.properties));
    json_arr(w, "members");
    r = chat_team_members(tx, rowid, view_member, &p);
    json_end(w);
    about->title = t.name;
    return r < 0 || p.rc < 0 ? -1 : 1;
}

static int about_presence(struct tx *tx, const struct entity *entity, int64_t rowid,
                          struct entity_about *about)
{
    (void)entity;
    about->title = "Presence";
    return who(tx, rowid, &about->person);
}

const struct entity_view teams_views[] = {
    {"chatMessage", "teams", message_view, NULL, .timeless = true,
     .members = "id team channel chatId topic replyToId from event subject importance contentType "
                "content deleted attachments.*.** mentions.* reactions.*.reactionType "
                "reactions.*.user pinned",
     .vendor = "microsoft"},
    {"channel", "teams", channel_view, NULL, .timeless = true,
     .members =
         "id team displayName description membershipType chatType topic isArchived members.*",
     .vendor = "microsoft"},
    {"team", "teams", team_view, NULL, .timeless = true,
     .members = "id displayName description isArchived settings.** members.*.user members.*.role",
     .vendor = "microsoft"},
    {"presence", "teams", .timeless = true, .about = about_presence, .vendor = "microsoft"},
    {NULL, NULL, NULL, NULL},
};
