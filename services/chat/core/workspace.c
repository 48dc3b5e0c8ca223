/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces. */
#include "engine/text/civil.h"
#include "engine/world/columns.h"
#include "services/chat/core/chat.h"
#include "services/chat/core/impl.h"

#define WORKSPACE(X)                                                                               \
    X(key, key, STRING)                                                                            \
    X(domain, domain, STRING)                                                                      \
    X(name, name, STRING)                                                                          \
    X(email_domain, email_domain, STRING)                                                          \
    X(plan, plan, STRING)                                                                          \
    X(setting, setting, STRING)                                                                    \
    X(created_s, created_s, NUMBER)                                                                \
    X(vendor, vendor, STRING)
#define SELECTED "id" WORKSPACE(COLUMN_NAME)

static int read_workspace(struct tx *tx, sqlite3_stmt *st, struct chat_workspace *row)
{
    int at = 1, r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    row->id = sqlite3_column_int64(st, 0);
    WORKSPACE(COLUMN_READ)
    sql_done(st);
    return 1;
}

int chat_workspace_get(struct tx *tx, int64_t id, struct chat_workspace *row)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED " from chat_workspace where id = :id");
    static struct record_text table = RECORD_TEXT("chat_workspace", SELECTED);
    struct record found = {.arena = tx->arena}, *rec = &found;
    int r = record_find(tx->db, &table, id, rec);
    if (r == RECORD_STATEMENT)
        return read_workspace(tx, TX_QUERY(tx, &q, id), row);
    if (r == 1) {
        unsigned at = 1;
        row->id = id;
        WORKSPACE(COLUMN_TAKE)
    }
    return r;
}

int chat_workspace_find(struct tx *tx, const char *name, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED " from chat_workspace where "
                                        "key = :name or domain = :name order by id limit 1");
    return read_workspace(tx, TX_QUERY(tx, &q, name), ret);
}

int chat_workspace_first(struct tx *tx, int64_t after, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED " from chat_workspace where "
                                        "id > :after order by id limit 1");
    return read_workspace(tx, TX_QUERY(tx, &q, after), ret);
}

int chat_workspace_add(struct tx *tx, struct chat_workspace *w)
{
    static struct sql_text q = SQL_TEXT(
        "insert into chat_workspace (key, domain, name, email_domain, plan, setting, "
        "created_s, vendor) values (:key, :domain, :name, :email, :plan, :setting, :created, "
        ":vendor)");
    const struct chat_vendor *vendor = chat_vendor_named(tx, w->vendor);
    if (!vendor)
        return tx_fail(tx, SOSIA_E_INVALID, "vendor", NULL, "\"%.40s\" is not a vendor of chat",
                       w->vendor);
    if (!w->key && !(w->key = vendor->key(tx, CHAT_THING_WORKSPACE, CHAT_PUBLIC)))
        return -1;
    if (TX_RUN(tx, &q, w->key, w->domain, w->name, w->email_domain, w->plan, w->setting,
               w->created_s, w->vendor) < 0)
        return -1;
    w->id = chat_last_id(tx);
    return w->id < CHAT_WORKSPACES
               ? 0
               : tx_fail(tx, SOSIA_E_LIMIT, "workspaces", NULL, "a world has at most %d workspaces",
                         CHAT_WORKSPACES - 1);
}
