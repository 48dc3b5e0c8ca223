/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/ids.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/impl.h"

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

int chat_drive_file_put(struct tx *tx, int64_t message, const struct chat_drive_file *f)
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
    return chat_drive_file_put(tx, message, &(struct chat_drive_file){file, ref.title, ref.type}) <
                   0
               ? -1
               : 1;
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
