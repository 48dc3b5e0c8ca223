/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/ids.h"
#include "services/chat/core/mention.h"
#include "engine/json/doc.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/team.h"

const char *const chat_mentioned_kinds[] = {"user", "channel", "team", "all", NULL};

/* ---- mentions ---- */

int chat_mention_add(struct tx *tx, int64_t message, const struct chat_mention *m)
{
    static struct sql_text q = SQL_TEXT(
        "insert into chat_mention (message, place, kind, ref, text) values (:message, (select "
        "count(*) from chat_mention where message = :message), :kind, :ref, :text)");
    return TX_RUN(tx, &q, message, m->kind, m->ref, m->text);
}

int chat_mentions(struct tx *tx, int64_t message, struct chat_mention **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(
        "select kind, ref, text from chat_mention where message = :message order by place");
    struct chat_mention *list = NULL;
    size_t n = 0, cap = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, message);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &cap, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        list[n++] = (struct chat_mention){.kind = (enum chat_mentioned)sqlite3_column_int(st, 0),
                                          .ref = sqlite3_column_int64(st, 1),
                                          .text = tx_string(tx, st, 2)};
    }
    *ret = list;
    *ret_n = n;
    return r;
}

int chat_messages_mentioning(struct tx *tx, int64_t user, int64_t before, size_t limit,
                             int64_t **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select distinct message from chat_mention where kind = 0 and ref = :user and "
                 "(:before = 0 or message < :before) order by message desc limit :limit");
    return ids_all(tx, TX_QUERY(tx, &q, user, before, (int64_t)limit), ret, ret_n);
}

/* ---- files ---- */

static int put_file(struct tx *tx, int64_t message, const struct chat_drive_file *f)
{
    static struct sql_text q = SQL_TEXT(
        "insert into chat_drive_file (message, place, file, name, type) values (:message, (select "
        "count(*) from chat_drive_file where message = :message), :file, :name, :type)");
    return TX_RUN(tx, &q, message, f->file, f->name, f->type);
}

int chat_drive_file_add(struct tx *tx, int64_t message, const struct actor *who, const char *file)
{
    struct file_ref ref;
    int r = file_find(tx, who, file, &ref);
    if (r != 1)
        return r;
    return put_file(tx, message, &(struct chat_drive_file){file, ref.title, ref.type}) < 0 ? -1 : 1;
}

int chat_drive_files(struct tx *tx, int64_t message, struct chat_drive_file **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(
        "select file, name, type from chat_drive_file where message = :message order by place");
    struct chat_drive_file *list = NULL;
    size_t n = 0, cap = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, message);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &cap, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        list[n++] = (struct chat_drive_file){tx_string(tx, st, 0), tx_string(tx, st, 1),
                                             tx_string(tx, st, 2)};
    }
    *ret = list;
    *ret_n = n;
    return r;
}

int chat_parts_drop(struct tx *tx, int64_t message)
{
    static struct sql_text mentions = SQL_TEXT("delete from chat_mention where message = :id");
    static struct sql_text files = SQL_TEXT("delete from chat_drive_file where message = :id");
    return TX_RUN(tx, &mentions, message) < 0 ? -1 : TX_RUN(tx, &files, message);
}

/* ---- seed documents ---- */

/* One of "user", "channel", "team" and "all". */
static int read_mention(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                        struct chat_mention *ret)
{
    static const char *const members[] = {"user", "channel", "team", "all", "text", NULL};
    struct chat_user u;
    struct chat_channel ch;
    bool all;
    if (doc_object(d, v, members) < 0 || chat_doc_user(tx, d, v, "user", workspace, &u) < 0 ||
        chat_doc_team(tx, d, v, workspace, &ret->ref) < 0 ||
        doc_bool(d, v, "all", false, &all) < 0 || doc_str(d, v, "text", true, &ret->text) < 0 ||
        (json_get(v, "channel") && chat_doc_channel(tx, d, v, workspace, &ch) < 0))
        return -1;
    if ((u.id != 0) + (ret->ref != 0) + all + (json_get(v, "channel") != NULL) != 1)
        return doc_fail(d, v, NULL, "needs one of user, channel, team and all");
    ret->kind = u.id       ? CHAT_MENTION_USER
                : ret->ref ? CHAT_MENTION_TEAM
                : all      ? CHAT_MENTION_ALL
                           : CHAT_MENTION_CHANNEL;
    if (ret->kind == CHAT_MENTION_USER)
        ret->ref = u.id;
    if (ret->kind == CHAT_MENTION_CHANNEL)
        ret->ref = ch.id;
    return 0;
}

static int read_file(struct doc *d, const struct json *v, struct chat_drive_file *ret)
{
    static const char *const members[] = {"id", "name", "type", NULL};
    return doc_object(d, v, members) < 0 || doc_str(d, v, "id", true, &ret->file) < 0 ||
                   doc_str(d, v, "name", true, &ret->name) < 0 ||
                   doc_str(d, v, "type", true, &ret->type) < 0
               ? -1
               : 0;
}

int chat_doc_parts(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                   int64_t message)
{
    static const char *const own[] = {"mentions", "driveFiles"};
    struct chat_mention mention;
    struct chat_drive_file file;
    struct doc_items it;
    if (!chat_vendor_of(tx, workspace)->parts) {
        for (size_t i = 0; i < SOSIA_LEN(own); i++)
            if (json_get(v, own[i]))
                return doc_fail(d, json_get(v, own[i]), own[i],
                                "the workspace's vendor has this in the text");
        return 0;
    }
    if (doc_items(d, v, "mentions", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (read_mention(tx, d, item, workspace, &mention) < 0 ||
            chat_mention_add(tx, message, &mention) < 0)
            return -1;
    if (doc_items(d, v, "driveFiles", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (read_file(d, item, &file) < 0 || put_file(tx, message, &file) < 0)
            return -1;
    return 0;
}

static int dump_mention(struct tx *tx, struct json_writer *w, const struct chat_mention *m)
{
    struct chat_channel ch;
    int r = 0;
    json_obj(w, NULL);
    if (m->kind == CHAT_MENTION_USER)
        r = chat_dump_user(tx, w, "user", m->ref);
    else if (m->kind == CHAT_MENTION_TEAM)
        r = chat_dump_team(tx, w, m->ref);
    else if (m->kind == CHAT_MENTION_ALL)
        json_bool(w, "all", true);
    else if ((r = chat_channel_get(tx, m->ref, &ch)) == 1)
        json_str(w, "channel", ch.key);
    json_str(w, "text", m->text);
    json_end(w);
    return r < 0 ? -1 : 0;
}

int chat_dump_parts(struct tx *tx, struct json_writer *w, int64_t message)
{
    struct chat_mention *mentions;
    struct chat_drive_file *files;
    size_t n, n_files;
    if (chat_mentions(tx, message, &mentions, &n) < 0 ||
        chat_drive_files(tx, message, &files, &n_files) < 0)
        return -1;
    if (n)
        json_arr(w, "mentions");
    for (size_t i = 0; i < n; i++)
        if (dump_mention(tx, w, &mentions[i]) < 0)
            return -1;
    if (n)
        json_end(w);
    if (n_files)
        json_arr(w, "driveFiles");
    for (size_t i = 0; i < n_files; i++) {
        json_obj(w, NULL);
        json_str(w, "id", files[i].file);
        json_str(w, "name", files[i].name);
        json_str(w, "type", files[i].type);
        json_end(w);
    }
    if (n_files)
        json_end(w);
    return 0;
}
