/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of what a workspace has besides its channels, read and written: fields of profiles,
 * emoji, user groups, bookmarks of channels. */
#include "engine/json/doc.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

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

/* ---- fields of profiles ---- */

int chat_field_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_profile_field (workspace, key, place, label, hint, type, options, "
        "hidden) values (:workspace, :key, :place, :label, :hint, :type, :options, :hidden)");
    static const char *const members[] = {"workspace", "id",      "place",  "label", "hint",
                                          "type",      "options", "hidden", NULL};
    struct chat_workspace w;
    const char *key, *label, *hint, *type, *options;
    int64_t place;
    bool hidden;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_made_key(tx, d, v, "Xf", &key) < 0 || doc_str(d, v, "label", true, &label) < 0 ||
        doc_str(d, v, "hint", false, &hint) < 0 || doc_str(d, v, "type", false, &type) < 0 ||
        chat_doc_shaped(d, v, "options", JSON_ARRAY, &options) < 0 ||
        doc_int(d, v, "place", 0, 1000000, 0, &place) < 0 ||
        doc_bool(d, v, "hidden", false, &hidden) < 0)
        return -1;
    return chat_doc_added(tx, d, v, "id",
                          TX_RUN(tx, &q, w.id, key, place, label, hint ? hint : "",
                                 type ? type : "text", options, hidden));
}

int chat_field_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select workspace, key, place, label, hint, type, options, "
                                        "hidden from slack_profile_field where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    json_str(w, "id", (const char *)sqlite3_column_text(st, 1));
    if (sqlite3_column_int64(st, 2))
        json_int(w, "place", sqlite3_column_int64(st, 2));
    json_str(w, "label", (const char *)sqlite3_column_text(st, 3));
    chat_dump_unless(w, "hint", (const char *)sqlite3_column_text(st, 4), "");
    chat_dump_unless(w, "type", (const char *)sqlite3_column_text(st, 5), "text");
    chat_dump_raw(w, "options", (const char *)sqlite3_column_text(st, 6));
    json_bool_opt(w, "hidden", sqlite3_column_int(st, 7));
    sql_done(st);
    return rc < 0 ? -1 : 1;
}

/* ---- emoji ---- */

int chat_emoji_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_emoji (workspace, name, url, alias, user, created_s) values "
                 "(:workspace, :name, :url, :alias, :user, :created)");
    static const char *const members[] = {"workspace", "name",    "url", "alias",
                                          "user",      "created", NULL};
    struct chat_workspace w;
    struct chat_user u;
    const char *name, *url, *alias;
    int64_t created_s;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        doc_str(d, v, "name", true, &name) < 0 || doc_str(d, v, "url", false, &url) < 0 ||
        doc_str(d, v, "alias", false, &alias) < 0 ||
        chat_doc_user(tx, d, v, "user", w.id, &u) < 0 ||
        chat_doc_second(d, v, "created", w.created_s, &created_s) < 0)
        return -1;
    if (!*name || strlen(name) > 100)
        return doc_fail(d, json_get(v, "name"), "name", "must have 1 to 100 characters");
    if (!url == !alias)
        return doc_fail(d, v, NULL, "an emoji has either a url or an alias");
    return chat_doc_added(
        tx, d, v, "name",
        TX_RUN(tx, &q, w.id, name, url, alias, sql_int_or_null(u.id, 0), created_s));
}

int chat_emoji_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select workspace, name, url, alias, user, created_s from "
                                        "slack_emoji where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    json_str(w, "name", (const char *)sqlite3_column_text(st, 1));
    json_str_opt(w, "url", (const char *)sqlite3_column_text(st, 2));
    json_str_opt(w, "alias", (const char *)sqlite3_column_text(st, 3));
    if (rc == 0)
        rc = chat_dump_user(tx, w, "user", sqlite3_column_int64(st, 4));
    json_int(w, "created", sqlite3_column_int64(st, 5));
    sql_done(st);
    return rc < 0 ? -1 : 1;
}

/* ---- user groups ---- */

static int seed_group_users(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                            int64_t group)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_group_user (member_of, user) values (:of, :user)");
    const char **names;
    size_t n;
    if (doc_strings(d, v, "users", &names, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct chat_user u;
        int r = chat_doc_find(tx, workspace, names[i], &u);
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(d, json_get(v, "users"), "users",
                                    "there is nobody \"%.80s\" in the workspace", names[i]);
        if (chat_doc_added(tx, d, v, "users", TX_RUN(tx, &q, group, u.id)) < 0)
            return -1;
    }
    return 0;
}

/* Channels by id or name; their ids as JSON. */
static int group_channels(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                          const char **ret)
{
    const char **names;
    struct buf b;
    size_t n;
    int r = 1;
    if (doc_strings(d, v, "channels", &names, &n) < 0)
        return -1;
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (size_t i = 0; r == 1 && i < n; i++) {
        struct chat_channel ch;
        if ((r = chat_channel_find(tx, workspace, names[i], &ch)) == 0)
            r = chat_channel_by_name(tx, workspace, names[i], &ch);
        if (r == 1)
            buf_printf(&b, "%s\"%s\"", i ? "," : "", ch.key);
        else if (r == 0)
            doc_fail(d, json_get(v, "channels"), "channels", "there is no channel \"%.80s\"",
                     names[i]);
    }
    buf_byte(&b, ']');
    *ret = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return r == 1 ? 0 : -1;
}

struct group_times {
    int64_t created_s, updated_s, deleted_s;
    struct chat_user creator, updater, deleter;
};

static int read_group_times(struct tx *tx, struct doc *d, const struct json *v,
                            const struct chat_workspace *w, struct group_times *t)
{
    return chat_doc_second(d, v, "created", w->created_s, &t->created_s) < 0 ||
                   chat_doc_second(d, v, "updated", t->created_s, &t->updated_s) < 0 ||
                   chat_doc_second(d, v, "disabled", 0, &t->deleted_s) < 0 ||
                   chat_doc_user(tx, d, v, "creator", w->id, &t->creator) < 0 ||
                   chat_doc_user(tx, d, v, "updater", w->id, &t->updater) < 0 ||
                   chat_doc_user(tx, d, v, "disabler", w->id, &t->deleter) < 0
               ? -1
               : 0;
}

int chat_group_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_group (key, workspace, name, handle, description, external, created_s, "
        "updated_s, deleted_s, created_by, updated_by, deleted_by, channels, setting) values "
        "(:key, :workspace, :name, :handle, :about, :external, :created, :updated, :deleted, "
        ":creator, :updater, :deleter, :channels, :setting)");
    static const char *const members[] = {"workspace",   "id",       "name",     "handle",
                                          "description", "external", "channels", "users",
                                          "created",     "updated",  "disabled", "creator",
                                          "updater",     "disabler", "settings", NULL};
    struct chat_workspace w;
    struct group_times t;
    const char *key, *name, *handle, *about, *channels, *setting;
    bool external;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_made_key(tx, d, v, "S", &key) < 0 || doc_str(d, v, "name", true, &name) < 0 ||
        doc_str(d, v, "handle", false, &handle) < 0 ||
        doc_str(d, v, "description", false, &about) < 0 ||
        doc_bool(d, v, "external", false, &external) < 0 ||
        read_group_times(tx, d, v, &w, &t) < 0 || group_channels(tx, d, v, w.id, &channels) < 0 ||
        chat_doc_shaped(d, v, "settings", JSON_OBJECT, &setting) < 0)
        return -1;
    int rc = TX_RUN(tx, &q, key, w.id, name, handle ? handle : "", about ? about : "", external,
                    t.created_s, t.updated_s, t.deleted_s, sql_int_or_null(t.creator.id, 0),
                    sql_int_or_null(t.updater.id, 0), sql_int_or_null(t.deleter.id, 0), channels,
                    setting);
    return chat_doc_added(tx, d, v, "id", rc) < 0
               ? -1
               : seed_group_users(tx, d, v, w.id, chat_last_id(tx));
}

static int write_group_users(struct tx *tx, struct json_writer *w, int64_t group)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_USER_KEY(
        "g.user") " as key from slack_group_user g where g.member_of = :of order by key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, group);
    int r = st ? 1 : -1;
    json_arr(w, "users");
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        json_str(w, NULL, (const char *)sqlite3_column_text(st, 0));
    json_end(w);
    return r;
}

int chat_group_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select workspace, key, name, handle, description, external, channels, created_s, "
                 "updated_s, deleted_s, created_by, updated_by, deleted_by, setting from "
                 "slack_group where id = :id");
    static const char *const who[] = {"creator", "updater", "disabler"};
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    const char *channels = (const char *)sqlite3_column_text(st, 6);
    json_str(w, "id", (const char *)sqlite3_column_text(st, 1));
    json_str(w, "name", (const char *)sqlite3_column_text(st, 2));
    chat_dump_unless(w, "handle", (const char *)sqlite3_column_text(st, 3), "");
    chat_dump_unless(w, "description", (const char *)sqlite3_column_text(st, 4), "");
    json_bool_opt(w, "external", sqlite3_column_int(st, 5));
    if (strcmp(channels, "[]") != 0)
        chat_dump_raw(w, "channels", channels);
    json_int(w, "created", sqlite3_column_int64(st, 7));
    json_int(w, "updated", sqlite3_column_int64(st, 8));
    if (sqlite3_column_int64(st, 9))
        json_int(w, "disabled", sqlite3_column_int64(st, 9));
    for (int i = 0; rc == 0 && i < 3; i++)
        rc = chat_dump_user(tx, w, who[i], sqlite3_column_int64(st, 10 + i));
    chat_dump_raw(w, "settings", (const char *)sqlite3_column_text(st, 13));
    sql_done(st);
    return rc < 0 || write_group_users(tx, w, id) < 0 ? -1 : 1;
}

/* ---- bookmarks ---- */

int chat_bookmark_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_bookmark (key, channel, title, link, emoji, type, entity, rank, "
        "parent, created_s, updated_s, updated_by, app) values (:key, :channel, :title, "
        ":link, :emoji, :type, :entity, :rank, :parent, :created, :updated, :by, :app)");
    static const char *const members[] = {"workspace", "channel", "id",     "title", "link",
                                          "emoji",     "type",    "entity", "rank",  "parent",
                                          "created",   "updated", "by",     "app",   NULL};
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_user by;
    const char *key, *title, *link, *emoji, *type, *entity, *rank, *parent;
    int64_t created_s, updated_s, app;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_channel(tx, d, v, w.id, &ch) < 0 || chat_doc_made_key(tx, d, v, "Bk", &key) < 0 ||
        doc_str(d, v, "title", true, &title) < 0 || doc_str(d, v, "link", false, &link) < 0 ||
        doc_str(d, v, "emoji", false, &emoji) < 0 || doc_str(d, v, "type", false, &type) < 0 ||
        doc_str(d, v, "entity", false, &entity) < 0 || doc_str(d, v, "rank", false, &rank) < 0 ||
        doc_str(d, v, "parent", false, &parent) < 0 ||
        chat_doc_second(d, v, "created", ch.created_s, &created_s) < 0 ||
        chat_doc_second(d, v, "updated", 0, &updated_s) < 0 ||
        chat_doc_user(tx, d, v, "by", w.id, &by) < 0 || chat_doc_app(tx, d, v, &app) < 0)
        return -1;
    int rc = TX_RUN(tx, &q, key, ch.id, title, link, emoji, type ? type : "link", entity,
                    rank ? rank : "aa", parent, created_s, updated_s, sql_int_or_null(by.id, 0),
                    sql_int_or_null(app, 0));
    return chat_doc_added(tx, d, v, "id", rc);
}

int chat_bookmark_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select " CHAT_SQL_CHANNEL_WORKSPACE("b.channel") ", " CHAT_SQL_CHANNEL_KEY(
            "b.channel") ", b.key, b.title, b.link, b.emoji, b.type, b.entity, b.rank, b.parent, "
                         "b.created_s, b.updated_s, b.updated_by, b.app from slack_bookmark b "
                         "where b.id = :id");
    static const char *const texts[] = {"channel", "id",     "title", "link",  "emoji",
                                        "type",    "entity", "rank",  "parent"};
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    for (int i = 0; i < (int)SOSIA_LEN(texts); i++)
        json_str_opt(w, texts[i], (const char *)sqlite3_column_text(st, 1 + i));
    json_int(w, "created", sqlite3_column_int64(st, 10));
    if (sqlite3_column_int64(st, 11))
        json_int(w, "updated", sqlite3_column_int64(st, 11));
    if (rc == 0)
        rc = chat_dump_user(tx, w, "by", sqlite3_column_int64(st, 12));
    if (rc == 0)
        rc = chat_dump_app(tx, w, "app", sqlite3_column_int64(st, 13));
    sql_done(st);
    return rc < 0 ? -1 : 1;
}
