/* SPDX-License-Identifier: Apache-2.0 */
/* What a workspace has besides its channels, as documents have it: fields of profiles, emoji, user
 * groups, bookmarks of channels. */
#include "engine/json/doc.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/team/rows.h"

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

int chat_doc_made_key(struct tx *tx, struct doc *d, const struct json *v, const char *prefix,
                      const char **ret)
{
    const char *key, *made;
    size_t before = strlen(prefix);
    if (doc_str(d, v, "id", false, &key) < 0)
        return -1;
    if (!key) {
        if (!(made = chat_key(tx, prefix[0])))
            return -1;
        *ret = arena_printf(tx->arena, "%s%s", prefix, made + 1);
        return 0;
    }
    size_t n = strlen(key);
    if (n <= before || n > 40 || strncmp(key, prefix, before) != 0 ||
        strspn(key + before, CAPITALS) != n - before)
        return doc_fail(d, json_get(v, "id"), "id",
                        "\"%.80s\" is not an id of capitals and digits that begins with %s", key,
                        prefix);
    *ret = key;
    return 0;
}

int chat_read_made_key(const struct form_in *in, const struct member *m, void *row)
{
    return chat_doc_made_key(in->tx, in->d, in->value, m->names[0], member_place(m, row));
}

/* ---- fields of profiles ---- */

static const struct member field_members[] = {
    CHAT_WORKSPACE,
    {"id", "Its id, from Xf on", CHAT_MADE_KEY_AT(struct profile_field, key, "Xf")},
    {"place", "Its place among them", INT_AT(struct profile_field, place, 0, 1000000)},
    {"label", "Its name", TEXT_AT(struct profile_field, label), .flags = MEMBER_REQUIRED},
    {"hint", "A hint for those who fill it in", TEXT_AT(struct profile_field, hint),
     .usual_text = ""},
    {"type", "Its type", TEXT_AT(struct profile_field, type), .usual_text = "text"},
    {"options", "What may be chosen", KEPT_AT(struct profile_field, options, JSON_ARRAY),
     .inner = "*"},
    {"hidden", "It is not shown", BOOL_AT(struct profile_field, hidden)},
};
STORED(slack_field_stored, "A field of profiles", struct profile_field, field_members, NULL,
       .table = "slack_profile_field", .key = "id");

/* ---- emoji ---- */

struct emoji {
    int64_t workspace, user, created_s;
    const char *name, *url, *alias;
};

static int check_emoji(const struct form_in *in, void *row)
{
    struct emoji *e = row;
    if (!*e->name || strlen(e->name) > 100)
        return doc_fail(in->d, json_get(in->value, "name"), "name",
                        "must have 1 to 100 characters");
    if (!e->url == !e->alias)
        return doc_fail(in->d, in->value, NULL, "an emoji has either a url or an alias");
    return chat_unsaid_made(in->tx, e->workspace, &e->created_s);
}

static const struct member emoji_members[] = {
    CHAT_WORKSPACE,
    {"name", "Its name, without colons", TEXT_AT(struct emoji, name), .flags = MEMBER_REQUIRED},
    {"url", "Its picture", TEXT_AT(struct emoji, url)},
    {"alias", "Of another name, that one", TEXT_AT(struct emoji, alias)},
    {"user", "The person who added it", CHAT_USER_AT(struct emoji, user)},
    {"created", "Its time; else the workspace's", CHAT_SECOND_AT(struct emoji, created_s),
     .usual = CHAT_UNSAID},
};
STORED(slack_emoji_stored, "An emoji", struct emoji, emoji_members, check_emoji,
       .table = "slack_emoji", .key = "name");

/* ---- user groups ---- */

static int add_group_users(const struct form_in *in, void *row, int64_t group)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_group_user (member_of, user) values (:of, :user)");
    const struct user_group *g = row;
    struct doc *d = in->d;
    const char **names;
    size_t n;
    if (doc_strings(d, in->value, "users", &names, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct chat_user u;
        int r = chat_doc_find(in->tx, g->workspace, names[i], &u);
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(d, json_get(in->value, "users"), "users",
                                    "there is nobody \"%.80s\" in the workspace", names[i]);
        if (TX_RUN(in->tx, &q, group, u.id) < 0)
            return doc_taken(d, in->value, "users");
    }
    return 0;
}

static int write_group_users(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_USER_KEY(
        "g.user") " as key from slack_group_user g where g.member_of = :of order by key");
    sqlite3_stmt *st = TX_QUERY(out->tx, &q, out->id);
    int r = st ? 1 : -1;
    (void)row;
    json_arr(out->w, m->name);
    while (r == 1 && (r = TX_STEP(out->tx, st)) == 1)
        json_str(out->w, NULL, (const char *)sqlite3_column_text(st, 0));
    json_end(out->w);
    return r;
}

/* Channels by id or name; their ids as JSON. */
static int read_group_channels(const struct form_in *in, const struct member *m, void *row)
{
    const struct user_group *g = row;
    const char **names;
    struct buf b;
    size_t n;
    int r = 1;
    if (doc_strings(in->d, in->value, m->name, &names, &n) < 0)
        return -1;
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (size_t i = 0; r == 1 && i < n; i++) {
        struct chat_channel ch;
        if ((r = chat_channel_find(in->tx, g->workspace, names[i], &ch)) == 0)
            r = chat_channel_by_name(in->tx, g->workspace, names[i], &ch);
        if (r == 1)
            buf_printf(&b, "%s\"%s\"", i ? "," : "", ch.key);
        else if (r == 0)
            doc_fail(in->d, json_get(in->value, m->name), m->name, "there is no channel \"%.80s\"",
                     names[i]);
    }
    buf_byte(&b, ']');
    member_put_text(m, row, arena_strdup(in->tx->arena, buf_str(&b)));
    buf_done(&b);
    return r == 1 ? 0 : -1;
}

static int check_group(const struct form_in *in, void *row)
{
    struct user_group *g = row;
    if (chat_unsaid_made(in->tx, g->workspace, &g->created_s) < 0)
        return -1;
    if (g->updated_s == CHAT_UNSAID)
        g->updated_s = g->created_s;
    return 0;
}

static const struct member group_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct user_group),
    {"id", "Its id, from S on", CHAT_MADE_KEY_AT(struct user_group, key, "S")},
    {"name", "Its name", TEXT_AT(struct user_group, name), .flags = MEMBER_REQUIRED},
    {"handle", "What mentions call it", TEXT_AT(struct user_group, handle), .usual_text = ""},
    {"description", "Its purpose", TEXT_AT(struct user_group, description), .usual_text = ""},
    {"external", "It is of another workspace", BOOL_AT(struct user_group, external)},
    {"channels", "Its channels, by id or name", KEPT_AT(struct user_group, channels, JSON_ARRAY),
     .read = read_group_channels, .usual_text = "[]", .inner = "*"},
    {"created", "Its time; else the workspace's", CHAT_SECOND_AT(struct user_group, created_s),
     .usual = CHAT_UNSAID},
    {"updated", "Its last change; else as created", CHAT_SECOND_AT(struct user_group, updated_s),
     .usual = CHAT_UNSAID},
    {"disabled", "When it was disabled", CHAT_SECOND_AT(struct user_group, deleted_s)},
    {"creator", "The person who made it", CHAT_USER_AT(struct user_group, created_by)},
    {"updater", "The person who changed it last", CHAT_USER_AT(struct user_group, updated_by)},
    {"disabler", "The person who disabled it", CHAT_USER_AT(struct user_group, deleted_by)},
    {"settings", "As the API has them", KEPT_AT(struct user_group, setting, JSON_OBJECT)},
    {"users", "Its members, as user has them", .kind = MEMBER_OWN, .write = write_group_users,
     .inner = "*"},
};
STORED(slack_group_stored, "A user group", struct user_group, group_members, check_group,
       .table = "slack_group", .key = "id", .added = add_group_users);

/* ---- bookmarks ---- */

static int check_bookmark(const struct form_in *in, void *row)
{
    struct bookmark *b = row;
    struct chat_channel ch;
    int r = b->created_s == CHAT_UNSAID ? chat_channel_get(in->tx, b->channel, &ch) : 0;
    if (r == 1)
        b->created_s = ch.created_s;
    return r < 0 ? -1 : 0;
}

static const struct member bookmark_members[] = {
    STORED_ID(struct bookmark),
    CHAT_WORKSPACE_BY(struct bookmark, channel, chat_write_workspace_of_channel),
    {"channel", "The channel that has it", CHAT_CHANNEL_AT(struct bookmark, channel),
     .flags = MEMBER_REQUIRED},
    {"id", "Its id, from Bk on", CHAT_MADE_KEY_AT(struct bookmark, key, "Bk")},
    {"title", "Its title", TEXT_AT(struct bookmark, title), .flags = MEMBER_REQUIRED},
    {"link", "Where it leads", TEXT_AT(struct bookmark, link)},
    {"emoji", "Its emoji", TEXT_AT(struct bookmark, emoji)},
    {"type", "Its type", TEXT_AT(struct bookmark, type), .usual_text = "link",
     .flags = MEMBER_ALWAYS},
    {"entity", "The id of its file or message", TEXT_AT(struct bookmark, entity)},
    {"rank", "Its place among others", TEXT_AT(struct bookmark, rank), .usual_text = "aa",
     .flags = MEMBER_ALWAYS},
    {"parent", "The id of the folder that it is in", TEXT_AT(struct bookmark, parent)},
    {"created", "Its time; else the channel's", CHAT_SECOND_AT(struct bookmark, created_s),
     .usual = CHAT_UNSAID},
    {"updated", "Its last change", CHAT_SECOND_AT(struct bookmark, updated_s)},
    {"by", "The person who changed it last", CHAT_USER_AT(struct bookmark, updated_by)},
    {"app", "The app that made it", CHAT_APP_AT(struct bookmark, app)},
};
STORED(slack_bookmark_stored, "A bookmark of a channel", struct bookmark, bookmark_members,
       check_bookmark, .table = "slack_bookmark", .key = "id");
