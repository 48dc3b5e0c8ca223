/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces. */
#include "engine/text/civil.h"
#include "services/chat/core/chat.h"
#include "services/chat/core/impl.h"

#define WORKSPACE "id, key, domain, name, email_domain, plan, setting, created_s"

static int read_workspace(struct tx *tx, sqlite3_stmt *st, struct chat_workspace *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_workspace){.id = sqlite3_column_int64(st, 0),
                                   .key = tx_string(tx, st, 1),
                                   .domain = tx_string(tx, st, 2),
                                   .name = tx_string(tx, st, 3),
                                   .email_domain = tx_string(tx, st, 4),
                                   .plan = tx_string(tx, st, 5),
                                   .setting = tx_string(tx, st, 6),
                                   .created_s = sqlite3_column_int64(st, 7)};
    sql_done(st);
    return 1;
}

int chat_workspace_get(struct tx *tx, int64_t id, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " WORKSPACE " from chat_workspace where id = :id");
    return read_workspace(tx, TX_QUERY(tx, &q, id), ret);
}

int chat_workspace_find(struct tx *tx, const char *name, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " WORKSPACE " from chat_workspace where "
                                        "key = :name or domain = :name order by id limit 1");
    return read_workspace(tx, TX_QUERY(tx, &q, name), ret);
}

int chat_workspace_first(struct tx *tx, int64_t after, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " WORKSPACE " from chat_workspace where "
                                        "id > :after order by id limit 1");
    return read_workspace(tx, TX_QUERY(tx, &q, after), ret);
}

int chat_workspace_add(struct tx *tx, struct chat_workspace *w)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_workspace (key, domain, name, email_domain, plan, setting, "
                 "created_s) values (:key, :domain, :name, :email, :plan, :setting, :created)");
    if (!w->key && !(w->key = chat_key(tx, 'T')))
        return -1;
    if (TX_RUN(tx, &q, w->key, w->domain, w->name, w->email_domain, w->plan, w->setting,
               w->created_s) < 0)
        return -1;
    w->id = chat_last_id(tx);
    return 0;
}
