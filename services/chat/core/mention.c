/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/stored.h"
#include "engine/world/ids.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/impl.h"

const char *const chat_mentioned_kinds[] = {"user", "channel", "team", "all", NULL};

/* ---- mentions ---- */

static const struct member mention_columns[] = {
    {ENUM_AT(struct chat_mention, kind, chat_mentioned_kinds)},
    {INT_AT(struct chat_mention, ref, 0, INT64_MAX)},
    {TEXT_AT(struct chat_mention, text)},
};
STORED_HERE(mentions, "A mention", struct chat_mention, mention_columns, NULL,
            .table = "chat_mention");

int chat_mention_add(struct tx *tx, int64_t message, const struct chat_mention *m)
{
    static struct sql_text q = SQL_TEXT(
        "insert into chat_mention (message, place, kind, ref, text) values (:message, (select "
        "count(*) from chat_mention where message = :message), :kind, :ref, :text)");
    return TX_RUN(tx, &q, message, m->kind, m->ref, m->text);
}

int chat_mentions(struct tx *tx, int64_t message, struct chat_mention **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where message = :message order by place");
    *ret = stored_list(tx, &mentions, STORED_QUERY(tx, &mentions, &q, message), ret_n);
    return *ret ? 0 : -1;
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

static const struct member drive_file_columns[] = {
    {TEXT_AT(struct chat_drive_file, file)},
    {TEXT_AT(struct chat_drive_file, name)},
    {TEXT_AT(struct chat_drive_file, type)},
};
STORED_HERE(drive_files, "A file of a drive", struct chat_drive_file, drive_file_columns, NULL,
            .table = "chat_drive_file");

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
    static struct sql_text q = SQL_TEXT("where message = :message order by place");
    *ret = stored_list(tx, &drive_files, STORED_QUERY(tx, &drive_files, &q, message), ret_n);
    return *ret ? 0 : -1;
}

int chat_parts_drop(struct tx *tx, int64_t message)
{
    static struct sql_text q = SQL_TEXT("delete from chat_mention where message = :id");
    static struct sql_text q_files = SQL_TEXT("delete from chat_drive_file where message = :id");
    return TX_RUN(tx, &q, message) < 0 ? -1 : TX_RUN(tx, &q_files, message);
}
