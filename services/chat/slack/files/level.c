/* SPDX-License-Identifier: Apache-2.0 */
/* What people and channels may do with documents and lists. */
#include "engine/text/civil.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/store.h"

const char *const chat_levels[] = {"read", "write", "owner", NULL};

#define AS_NUMBER "case a.level when 'owner' then 3 when 'write' then 2 else 1 end"

int chat_level_of(struct tx *tx, const struct chat_file *f, const struct chat_user *u,
                  enum chat_level *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(case when a.user = :user or " CHAT_SQL_IS_MEMBER(
            "a.channel",
            ":user") " then " AS_NUMBER
                     " when " CHAT_SQL_CHANNEL_IS_PUBLIC(
                         "a.channel") " and " CHAT_SQL_CHANNEL_WORKSPACE("a.channel") " = "
                                                                                      ":workspace "
                                                                                      "and :whole "
                                                                                      "then 1 else "
                                                                                      "0 end), 0) "
                                                                                      "from "
                                                                                      "slack_"
                                                                                      "access a "
                                                                                      "where "
                                                                                      "a.file = "
                                                                                      ":file");
    int64_t level = 0;
    if (TX_INT(tx, &q, &level, u->id, u->workspace, u->role < CHAT_GUEST, f->id) < 0)
        return -1;
    *ret = (enum chat_level)level;
    return 0;
}

int chat_level_said(struct tx *tx, int64_t file, int64_t channel, int64_t user,
                    enum chat_level *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(" AS_NUMBER "), 0) from slack_access a where a.file = :file "
                 "and coalesce(a.channel, 0) = :channel and coalesce(a.user, 0) = :user");
    int64_t level = 0;
    if (TX_INT(tx, &q, &level, file, channel, user) < 0)
        return -1;
    *ret = (enum chat_level)level;
    return 0;
}

int chat_level_set(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t user,
                   enum chat_level level)
{
    static struct sql_text drop =
        SQL_TEXT("delete from slack_access where file = :file and coalesce(channel, 0) = :channel "
                 "and coalesce(user, 0) = :user");
    static struct sql_text unshare = SQL_TEXT(
        "delete from slack_share where file = :file and channel = :channel and message = 0");
    static struct sql_text change =
        SQL_TEXT("update slack_access set level = :level where file = :file and "
                 "coalesce(channel, 0) = :channel and coalesce(user, 0) = :user");
    static struct sql_text add = SQL_TEXT("insert into slack_access (file, channel, user, level) "
                                          "values (:file, :channel, :user, :level)");
    if (level == CHAT_MAY_NOTHING)
        return TX_RUN(tx, &drop, f->id, channel, user) < 0 ||
                       (channel && TX_RUN(tx, &unshare, f->id, channel) < 0)
                   ? -1
                   : 0;
    const char *name = chat_levels[level - 1];
    if (TX_RUN(tx, &change, name, f->id, channel, user) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(tx->db)) &&
        TX_RUN(tx, &add, f->id, sql_int_or_null(channel, 0), sql_int_or_null(user, 0), name) < 0)
        return -1;
    return channel ? chat_file_share(tx, f, channel, 0) : 0;
}

int chat_level_owner(struct tx *tx, int64_t file, int64_t *ret_user)
{
    static struct sql_text q =
        SQL_TEXT("select user from slack_access where file = :file and level = 'owner' and user is "
                 "not null order by id limit 1");
    *ret_user = 0;
    return TX_INT(tx, &q, ret_user, file) < 0 ? -1 : 0;
}

int chat_levels_each(struct tx *tx, int64_t file,
                     int (*fn)(void *arg, int64_t channel, int64_t user, enum chat_level level),
                     void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(a.channel, 0), coalesce(a.user, 0), " AS_NUMBER
                 " from slack_access a where a.file = :file order "
                 "by a.id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, file);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (fn(arg, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
               (enum chat_level)sqlite3_column_int(st, 2))) {
            sql_done(st);
            return 0;
        }
    return r;
}
