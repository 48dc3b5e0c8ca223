/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, names and lists that dialects ask for. */
#include "engine/world/take.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/vendor.h"
#include "services/chat/core/impl.h"

/* ---- people ---- */

int chat_users_meet(struct tx *tx, int64_t a, int64_t b)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from chat_member a join chat_member b on b.channel = a.channel "
                 "and b.user = :other where a.user = :me limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, b, a);
}

int chat_user_has_channel(struct tx *tx, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from chat_member m join chat_channel c on c.id = m.channel "
                 "where m.user = :user and c.kind < 2 limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, user);
}

int chat_user_by_full_name(struct tx *tx, int64_t workspace, const char *name,
                           struct chat_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from chat_user where workspace = :workspace and (lower(display_name) "
                 "= lower(:name) or lower(real_name) = lower(:name)) order by id limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, workspace, name);
    return r == 1 ? chat_user_get(tx, id, ret) : r;
}

int chat_user_sharing(struct tx *tx, int64_t channel, const char *key, struct chat_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from chat_user where key = :key and workspace in (select workspace "
                 "from chat_connect where channel = :channel) limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, key, channel);
    return r == 1 ? chat_user_get(tx, id, ret) : r;
}

/* ---- channels ---- */

int chat_channel_general(struct tx *tx, int64_t workspace, struct chat_channel *ret)
{
    static struct sql_text q = SQL_TEXT("select id from chat_channel where workspace = :workspace "
                                        "and general order by id limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, workspace);
    return r == 1 ? chat_channel_get(tx, id, ret) : r;
}

int chat_channel_set_properties(struct tx *tx, int64_t channel, const char *json)
{
    static struct sql_text q =
        SQL_TEXT("update chat_channel set properties = :properties where id = :id");
    return TX_RUN(tx, &q, json, channel);
}

int chat_channel_is_shared(struct tx *tx, int64_t channel)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from chat_connect where channel = :channel limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, channel);
}

#define BETWEEN                                                                                    \
    "c.id in (select channel from chat_connect) and (c.workspace = :me or c.id in (select "        \
    "channel from chat_connect where workspace = :me)) and (c.workspace = :other or c.id in "      \
    "(select channel from chat_connect where workspace = :other))"

int chat_channels_between(struct tx *tx, enum chat_kind kind, int64_t a, int64_t b, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from chat_channel c where c.kind = :kind and " BETWEEN);
    return TX_INT(tx, &q, ret, kind, a, b) < 0 ? -1 : 0;
}

int chat_active_between(struct tx *tx, int64_t a, int64_t b, int64_t *ret_s)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(c.last_us), 0) / 1000000 from chat_channel c where " BETWEEN);
    return TX_INT(tx, &q, ret_s, a, b) < 0 ? -1 : 0;
}

int chat_connect_between(struct tx *tx, int64_t a, int64_t b, int64_t *ret_channel,
                         int64_t *ret_with)
{
    static struct sql_text q =
        SQL_TEXT("select k.channel, k.workspace from chat_connect k join chat_channel c on c.id = "
                 "k.channel where (k.workspace = :other and c.workspace = :me) or (k.workspace = "
                 ":me and c.workspace = :other) order by k.id limit 1");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, b, a);
    if (r != 1)
        return r;
    *ret_channel = sqlite3_column_int64(st, 0);
    *ret_with = sqlite3_column_int64(st, 1);
    sql_done(st);
    return 1;
}

/* ---- messages ---- */

int chat_messages_since(struct tx *tx, int64_t channel, int64_t since_us, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from (select 1 from chat_message where id between :from and :to "
                 "and ts_us > :since and (thread is null or thread = id or flags & 1) limit 1000)");
    int64_t from = chat_message_at(channel, since_us);
    int64_t to = chat_message_at(channel + 1, 0) - 1;
    return TX_INT(tx, &q, ret, from, to, since_us) < 0 ? -1 : 0;
}

int chat_client_known(struct tx *tx, const char *client)
{
    static struct sql_text q = SQL_TEXT("select 1 from chat_message where client = :client");
    int64_t one;
    return TX_INT(tx, &q, &one, client);
}

/* ---- reactions and pins ---- */

int chat_reaction_names(struct tx *tx, int64_t message, const char *but, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(distinct name) - max(name = :name) from chat_reaction where "
                 "message = :message");
    return TX_INT(tx, &q, ret, but, message) < 0 ? -1 : 0;
}

int chat_reactions_by(struct tx *tx, int64_t message, int64_t user, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from chat_reaction where "
                                        "message = :message and user = :user");
    return TX_INT(tx, &q, ret, message, user) < 0 ? -1 : 0;
}

int chat_file_reactions_drop(struct tx *tx, int64_t file)
{
    static struct sql_text q = SQL_TEXT("delete from chat_reaction where file = :file");
    return TX_RUN(tx, &q, file);
}

sqlite3_stmt *chat_reactions_to(struct tx *tx, int64_t message)
{
    static struct sql_text q =
        SQL_TEXT("select name, user, at_s from chat_reaction where message = :message order by id");
    return TX_QUERY(tx, &q, message);
}

sqlite3_stmt *chat_reacted_to(struct tx *tx, int64_t user)
{
    static struct sql_text q = SQL_TEXT(
        "select message, file from chat_reaction where user = :user group by message, file "
        "order by max(at_s) desc, message desc, file desc");
    return TX_QUERY(tx, &q, user);
}

int chat_pins(struct tx *tx, int64_t channel, struct chat_pinned **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select message, user, at_s from chat_pin where "
                                        "channel = :channel order by at_s desc, message desc");
    struct chat_pinned row;
    return TX_TAKE_ALL(tx, TX_QUERY(tx, &q, channel), &row, ret, ret_n, &row.message, &row.user,
                       &row.at_s);
}

/* ---- for diffs ---- */

struct sql_text chat_workspace_title =
    SQL_TEXT("select null, name from chat_workspace where id = ?1");
struct sql_text chat_user_title = SQL_TEXT("select id, real_name from chat_user where id = ?1");
struct sql_text chat_reaction_file = SQL_TEXT("select file from chat_reaction where id = ?1");

/* ---- of a vendor ---- */

int chat_workspace_next(struct tx *tx, const struct chat_vendor *vendor, int64_t after,
                        struct chat_workspace *ret)
{
    int r;
    while ((r = chat_workspace_first(tx, after, ret)) == 1 &&
           chat_vendor_named(tx, ret->vendor) != vendor)
        after = ret->id;
    return r;
}

int chat_user_at(struct tx *tx, const struct chat_vendor *vendor, int64_t actor,
                 struct chat_user *ret)
{
    struct chat_workspace w = {.id = 0};
    int r = chat_user_of(tx, actor, 0, ret);
    if (r != 1 || chat_vendor_of(tx, ret->workspace) == vendor)
        return r;
    while ((r = chat_workspace_next(tx, vendor, w.id, &w)) == 1)
        if ((r = chat_user_of(tx, actor, w.id, ret)))
            return r;
    return r;
}
