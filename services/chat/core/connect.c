/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that several workspaces have: which they are, and who shares them. */
#include "services/chat/core/connect.h"
#include "engine/world/take.h"
#include "services/chat/core/impl.h"

/* ---- who is connected ---- */

int chat_connect_of(struct tx *tx, int64_t channel, int64_t workspace, struct chat_connect *ret)
{
    static struct sql_text q = SQL_TEXT("select id, limited, since_s from chat_connect where "
                                        "channel = :channel and workspace = :workspace");
    struct chat_connect k = {.channel = channel, .workspace = workspace};
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, channel, workspace), &k.id, &k.limited, &k.since_s);
    if (r == 1)
        *ret = k;
    return r;
}

int chat_connect_add(struct tx *tx, const struct chat_connect *k)
{
    static struct sql_text q = SQL_TEXT("insert into chat_connect (channel, workspace, limited, "
                                        "since_s) values (:channel, :workspace, :limited, :since)");
    return TX_RUN(tx, &q, k->channel, k->workspace, k->limited, k->since_s);
}

int chat_connect_limit(struct tx *tx, int64_t id, bool limited)
{
    static struct sql_text q =
        SQL_TEXT("update chat_connect set limited = :limited where id = :id");
    return TX_RUN(tx, &q, limited, id);
}

int chat_connect_end(struct tx *tx, struct chat_channel *ch, int64_t workspace)
{
    static struct sql_text q =
        SQL_TEXT("delete from chat_connect where channel = :channel and workspace = :workspace");
    struct chat_user u;
    int64_t *users;
    size_t n;
    if (chat_members(tx, ch->id, NULL, INT64_MAX, &users, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (chat_user_get(tx, users[i], &u) < 0 ||
            (u.workspace == workspace && chat_member_remove(tx, ch, u.id, 0) < 0))
            return -1;
    return TX_RUN(tx, &q, ch->id, workspace);
}

static int each_workspace(struct tx *tx, sqlite3_stmt *st,
                          int (*fn)(void *arg, const struct chat_workspace *w), void *arg)
{
    struct chat_workspace w;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        int rc = chat_workspace_get(tx, sqlite3_column_int64(st, 0), &w);
        if (rc < 0 || (rc && fn(arg, &w))) {
            sql_done(st);
            return rc < 0 ? -1 : 0;
        }
    }
    return r;
}

int chat_connects(struct tx *tx, int64_t channel,
                  int (*fn)(void *arg, const struct chat_workspace *w), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select w.id from chat_connect k join chat_workspace w on w.id = k.workspace "
                 "where k.channel = :channel order by w.key");
    return each_workspace(tx, TX_QUERY(tx, &q, channel), fn, arg);
}

#define SHARED_WITH                                                                                \
    "select k.workspace as other, c.workspace as host from chat_connect k join "                   \
    "chat_channel c on "                                                                           \
    "c.id = k.channel"

int chat_connected(struct tx *tx, int64_t a, int64_t b)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from (select x.workspace from (select channel from chat_connect where "
                 "workspace = :a union all select id from chat_channel where workspace = :a and id "
                 "in (select channel from chat_connect)) mine join (select channel, workspace from "
                 "chat_connect union all select id, workspace from chat_channel) x on x.channel = "
                 "mine.channel where x.workspace = :b limit 1)");
    int64_t one;
    return TX_INT(tx, &q, &one, a, b);
}

int chat_connected_with(struct tx *tx, int64_t workspace,
                        int (*fn)(void *arg, const struct chat_workspace *w), void *arg)
{
    static struct sql_text q = SQL_TEXT(
        "select w.id from chat_workspace w where w.id <> :workspace and w.id in (select host from "
        "(" SHARED_WITH ") where other = :workspace union select other from (" SHARED_WITH
        ") where host = :workspace union select b.workspace from chat_connect a join chat_connect "
        "b on b.channel = a.channel where a.workspace = :workspace) order by w.key");
    return each_workspace(tx, TX_QUERY(tx, &q, workspace), fn, arg);
}
