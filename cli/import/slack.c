/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces out of tables: teams, users, user_teams, channels, channel_members, messages,
 * message_reactions. */
#include "cli/import/import.h"
#include "engine/text/civil.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static bool is_ts(const char *id)
{
    size_t n = strspn(id, "0123456789");
    return n >= 1 && n <= 10 && id[n] == '.' && strspn(id + n + 1, "0123456789") == 6 && !id[n + 7];
}

/* An id as a workspace has it: a letter of these, and capitals, digits or "_". */
static const char *shaped(struct import *im, const char *id, const char *letters)
{
    size_t n = strlen(id);
    if (n >= 2 && n <= 40 && strchr(letters, *id) && strspn(id, ID_LETTERS) == n)
        return id;
    char *made = arena_printf(im->arena, "%c%.38s", *letters, id);
    for (char *p = made; *p; p++)
        *p = isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
    return made;
}

static const char *letters_of(const struct json *row)
{
    return json_get_true(row, "is_dm")                                       ? "D"
           : json_get_true(row, "is_gc") || json_get_true(row, "is_private") ? "GC"
                                                                             : "C";
}

static int note_id(struct import *im, const char *table, const char *id, const char *made)
{
    const char *key = arena_printf(im->arena, "%s %s", table, id);
    return strcmp(id, made) == 0 || map_set(&im->ids, key, (void *)(uintptr_t)made) == 0 ? 0 : -1;
}

/* Reactions that Slack knows by another name. */
int import_reactions(struct import *im)
{
    static const char *const names[][2] = {{"thumbsup", "+1"}, {"thumbsdown", "-1"}};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (note_id(im, "reactions", names[i][0], names[i][1]) < 0)
            return sosia_fail_memory(im->err);
    return 0;
}

/* Ids of another shape than a workspace's get one; those of messages are their times. */
static int shape_ids(struct import *im)
{
    static const struct {
        const char *table, *column, *letters;
    } kinds[] = {
        {"teams", "team_id", "T"}, {"users", "user_id", "UW"}, {"channels", "channel_id", NULL}};
    for (size_t k = 0; k < SOSIA_LEN(kinds); k++) {
        const struct json *rows = import_table(im, kinds[k].table);
        for (uint32_t i = 0; rows && i < rows->n; i++) {
            const struct json *row = &rows->items[i];
            const char *id = import_text(im, row, kinds[k].column),
                       *letters = kinds[k].letters ? kinds[k].letters : letters_of(row);
            if (id && note_id(im, kinds[k].table, id, shaped(im, id, letters)) < 0)
                return sosia_fail_memory(im->err);
        }
    }
    const struct json *rows = import_table(im, "messages");
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const char *id = import_text(im, &rows->items[i], "message_id"),
                   *ts = import_text(im, &rows->items[i], "ts");
        if (!id || is_ts(id))
            continue;
        ts = ts && is_ts(ts) ? ts : arena_printf(im->arena, "1700000000.%06u", i + 1);
        if (note_id(im, "messages", id, ts) < 0)
            return sosia_fail_memory(im->err);
    }
    return 0;
}

const char *import_mentions(struct import *im, const char *text)
{
    struct buf b;
    if (!strstr(text, "<@"))
        return text;
    buf_init(&b, 0);
    while (*text) {
        size_t n = strncmp(text, "<@", 2) == 0 ? strcspn(text + 2, ">|") : 0;
        if (!n) {
            buf_byte(&b, *text++);
            continue;
        }
        const char *id = arena_memdup(im->arena, text + 2, n);
        buf_puts(&b, "<@");
        buf_puts(&b, import_id(im, "users", id));
        text += 2 + n;
    }
    return buf_keep(&b, im->arena);
}

/* Who somebody is in the document: the address, else a handle. */
static const char *actor_of(struct import *im, const struct json *user)
{
    const char *email = import_text(im, user, "email");
    return email ? email : import_text(im, user, "username");
}

static void write_people(struct import *im, const struct json *users)
{
    json_arr(im->w, "people");
    for (uint32_t i = 0; users && i < users->n; i++) {
        const struct json *u = &users->items[i];
        const char *email = import_text(im, u, "email"), *name = import_text(im, u, "real_name");
        json_obj(im->w, NULL);
        json_str(im->w, email ? "email" : "handle", actor_of(im, u));
        json_str(im->w, "name", name ? name : import_text(im, u, "username"));
        json_str_opt(im->w, "zone", import_text(im, u, "timezone"));
        json_end(im->w);
        if (json_get_true(u, "is_bot"))
            import_leave(im, "users.is_bot (who is one acts as a person)");
    }
    json_end(im->w);
}

static const struct json *user_with(const struct import *im, const char *id)
{
    const struct json *users = import_table(im, "users");
    for (uint32_t i = 0; users && id && i < users->n; i++) {
        const char *own = import_text(im, &users->items[i], "user_id");
        if (own && strcmp(own, id) == 0)
            return &users->items[i];
    }
    return NULL;
}

static void write_member(struct import *im, const struct json *u, const char *role, bool first)
{
    const char *id = import_text(im, u, "user_id"), *name = import_text(im, u, "username");
    const struct json *active = json_get(u, "is_active");
    role = !role || strcmp(role, "member") == 0 ? NULL : role;
    if (role && strcmp(role, "owner") == 0 && !first)
        role = "coowner";
    json_obj(im->w, NULL);
    json_str(im->w, "actor", actor_of(im, u));
    json_str(im->w, "id", import_id(im, "users", id));
    json_str_opt(im->w, "name", name);
    json_str_opt(im->w, "display_name", import_text(im, u, "display_name"));
    json_str_opt(im->w, "title", import_text(im, u, "title"));
    json_str_opt(im->w, "role", role);
    if (json_is_false(active))
        json_bool(im->w, "deleted", true);
    json_end(im->w);
}

/* Whether somebody is in a team, or in none, which counts as the first one. */
static bool is_in(const struct import *im, const char *user, const char *team, bool first,
                  const char **ret_role)
{
    const struct json *rows = import_table(im, "user_teams");
    bool any = false;
    *ret_role = NULL;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const char *who = import_text(im, &rows->items[i], "user_id"),
                   *where = import_text(im, &rows->items[i], "team_id");
        if (!who || strcmp(who, user) != 0)
            continue;
        any = true;
        *ret_role = import_text(im, &rows->items[i], "role");
        if (where && strcmp(where, team) == 0)
            return true;
    }
    *ret_role = NULL;
    return !any && first;
}

static const char *domain_of(struct import *im, const char *id)
{
    char *domain = arena_strdup(im->arena, import_id(im, "teams", id));
    for (char *p = domain; *p; p++)
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '-';
    return domain;
}

static void write_workspaces(struct import *im)
{
    const struct json *teams = import_table(im, "teams"), *users = import_table(im, "users");
    json_arr(im->w, "workspaces");
    for (uint32_t i = 0; teams && i < teams->n; i++) {
        const char *id = import_text(im, &teams->items[i], "team_id"), *role;
        bool owned = false;
        if (!id)
            continue;
        json_obj(im->w, NULL);
        json_str(im->w, "id", import_id(im, "teams", id));
        json_str(im->w, "domain", domain_of(im, id));
        json_str(im->w, "name", import_text(im, &teams->items[i], "team_name"));
        json_arr(im->w, "members");
        for (uint32_t k = 0; users && k < users->n; k++) {
            const char *user = import_text(im, &users->items[k], "user_id");
            if (!user || !is_in(im, user, id, i == 0, &role))
                continue;
            write_member(im, &users->items[k], role, !owned);
            owned |= role && strcmp(role, "owner") == 0;
        }
        json_end(im->w);
        json_end(im->w);
    }
    json_end(im->w);
}

static size_t write_members(struct import *im, const char *channel, bool counts_alone)
{
    const struct json *rows = import_table(im, "channel_members");
    size_t n = 0;
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const char *where = import_text(im, &rows->items[i], "channel_id"),
                   *who = import_text(im, &rows->items[i], "user_id");
        if (!where || !who || strcmp(where, channel) != 0)
            continue;
        n++;
        if (!counts_alone)
            json_str(im->w, NULL, import_id(im, "users", who));
    }
    return n;
}

static bool is_direct(const struct json *channel)
{
    return json_get_true(channel, "is_dm") || json_get_true(channel, "is_gc");
}

static void write_channel(struct import *im, const struct json *ch, const char *id)
{
    const char *team = import_text(im, ch, "team_id"), *topic = import_text(im, ch, "topic_text"),
               *purpose = import_text(im, ch, "purpose_text");
    json_obj(im->w, NULL);
    json_str(im->w, "id", import_id(im, "channels", id));
    if (team)
        json_str(im->w, "workspace", import_id(im, "teams", team));
    if (is_direct(ch))
        json_str(im->w, "kind", json_get_true(ch, "is_dm") ? "direct" : "group");
    else if (json_get_true(ch, "is_private"))
        json_str(im->w, "kind", "private");
    if (!is_direct(ch))
        json_str(im->w, "name", import_text(im, ch, "channel_name"));
    if (topic && *topic && !is_direct(ch))
        json_str(im->w, "topic", topic);
    if (purpose && *purpose && !is_direct(ch))
        json_str(im->w, "purpose", purpose);
    json_arr(im->w, "members");
    write_members(im, id, false);
    json_end(im->w);
    json_bool_opt(im->w, "archived", json_get_true(ch, "is_archived"));
    json_end(im->w);
}

static void write_channels(struct import *im)
{
    const struct json *rows = import_table(im, "channels");
    json_arr(im->w, "channels");
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const char *id = import_text(im, &rows->items[i], "channel_id");
        if (id && is_direct(&rows->items[i]) && !write_members(im, id, true))
            import_leave(im, "channels that are direct and have nobody in them");
        else if (id)
            write_channel(im, &rows->items[i], id);
    }
    json_end(im->w);
}

/* Those of one message, put together by their names. */
static void write_reactions(struct import *im, const char *message)
{
    const struct json *rows = import_table(im, "message_reactions");
    struct map done;
    bool any = false;
    map_init(&done);
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const char *on = import_text(im, &rows->items[i], "message_id"),
                   *name = import_text(im, &rows->items[i], "reaction_type");
        if (!on || !name || strcmp(on, message) != 0 || map_get(&done, name))
            continue;
        if (!any)
            json_arr(im->w, "reactions");
        any = true;
        map_set(&done, name, &done);
        json_obj(im->w, NULL);
        json_str(im->w, "name", import_id(im, "reactions", name));
        json_arr(im->w, "by");
        for (uint32_t k = i; k < rows->n; k++) {
            const char *on2 = import_text(im, &rows->items[k], "message_id"),
                       *name2 = import_text(im, &rows->items[k], "reaction_type"),
                       *who = import_text(im, &rows->items[k], "user_id");
            if (on2 && name2 && who && strcmp(on2, message) == 0 && strcmp(name2, name) == 0)
                json_str(im->w, NULL, import_id(im, "users", who));
        }
        json_end(im->w);
        json_end(im->w);
    }
    if (any)
        json_end(im->w);
    map_done(&done);
}

/* With its replies, which have none. */
static void write_message(struct import *im, const struct json *rows, const struct json *m,
                          const char *id, bool reply)
{
    const char *text = import_text(im, m, "message_text"),
               *channel = import_text(im, m, "channel_id");
    const struct json *blocks = json_get(m, "blocks");
    bool any = false;
    json_obj(im->w, NULL);
    if (!reply && channel)
        json_str(im->w, "channel", import_id(im, "channels", channel));
    json_str(im->w, "from", import_id(im, "users", import_text(im, m, "user_id")));
    json_str(im->w, "ts", import_id(im, "messages", id));
    json_str(im->w, "text", import_mentions(im, text ? text : ""));
    if (blocks && blocks->type == JSON_ARRAY)
        json_value(im->w, "blocks", blocks);
    write_reactions(im, id);
    for (uint32_t i = 0; !reply && i < rows->n; i++) {
        const char *parent = import_text(im, &rows->items[i], "parent_id"),
                   *own = import_text(im, &rows->items[i], "message_id");
        if (!parent || !own || strcmp(parent, id) != 0)
            continue;
        if (!any)
            json_arr(im->w, "replies");
        any = true;
        write_message(im, rows, &rows->items[i], own, true);
    }
    if (any)
        json_end(im->w);
    json_end(im->w);
}

static void write_messages(struct import *im, int64_t *ret_now)
{
    const struct json *rows = import_table(im, "messages");
    json_arr(im->w, "messages");
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *m = &rows->items[i];
        const char *id = import_text(im, m, "message_id"), *from = import_text(im, m, "user_id");
        if (!id)
            continue;
        int64_t at = strtoll(import_id(im, "messages", id), NULL, 10) * US_PER_SECOND;
        *ret_now = at > *ret_now ? at : *ret_now;
        if (!user_with(im, from))
            import_leave(im, "messages of nobody in users");
        else if (!import_text(im, m, "parent_id"))
            write_message(im, rows, m, id, false);
    }
    json_end(im->w);
}

int import_slack(struct import *im, int64_t *ret_now)
{
    static const char *const columns[][12] = {
        {"teams", "team_id", "team_name", "created_at"},
        {"users", "user_id", "username", "email", "real_name", "display_name", "timezone", "title",
         "is_active", "is_bot", "created_at"},
        {"user_teams", "user_id", "team_id", "role"},
        {"channels", "channel_id", "channel_name", "team_id", "topic_text", "purpose_text",
         "is_private", "is_dm", "is_gc", "is_archived", "created_at"},
        {"channel_members", "channel_id", "user_id", "joined_at"},
        {"messages", "message_id", "parent_id", "channel_id", "user_id", "message_text", "blocks",
         "ts", "type", "created_at"},
        {"message_reactions", "message_id", "user_id", "reaction_type", "created_at"}};
    if (shape_ids(im) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(columns); i++)
        import_columns(im, columns[i][0], columns[i] + 1);
    write_people(im, import_table(im, "users"));
    write_workspaces(im);
    write_channels(im);
    write_messages(im, ret_now);
    return 0;
}
