/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces. */
#include "engine/store/row.h"
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

/* r: what looking for the row gave, which is passed on. */
static int workspace_of(int r, struct record *rec, struct chat_workspace *row)
{
    unsigned at = 1;
    if (r == 1) {
        row->id = record_int(rec, 0);
        WORKSPACE(COLUMN_TAKE)
    }
    return r;
}

static int read_workspace(struct tx *tx, sqlite3_stmt *st, struct chat_workspace *ret)
{
    struct record rec = {.arena = tx->arena};
    return workspace_of(ROW_ONLY(tx, st, &rec), &rec, ret);
}

int chat_workspace_get(struct tx *tx, int64_t id, struct chat_workspace *ret)
{
    static struct row_table table = ROW_TABLE("chat_workspace", "w", SELECTED);
    struct record rec = {.arena = tx->arena};
    return workspace_of(ROW_BY_ID(tx, &table, id, &rec), &rec, ret);
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

/* The id of a new one: those of the first vendor are below CHAT_OTHERS as long as there is room, so
 * that nothing is read to know whose they are. */
static int new_id(struct tx *tx, bool first, int64_t *ret)
{
    static struct sql_text below =
        SQL_TEXT("select ifnull(max(id), 0) + 1 from chat_workspace where id < :others");
    static struct sql_text above =
        SQL_TEXT("select max(ifnull(max(id), 0) + 1, :others) from chat_workspace");
    if (first && TX_INT(tx, &below, ret, CHAT_OTHERS) < 0)
        return -1;
    return (first && *ret < CHAT_OTHERS) || TX_INT(tx, &above, ret, CHAT_OTHERS) >= 0 ? 0 : -1;
}

int chat_workspace_add(struct tx *tx, struct chat_workspace *row)
{
    static struct sql_text q = SQL_TEXT("insert into chat_workspace (id" WORKSPACE(
        COLUMN_NAME) ") values (?" WORKSPACE(COLUMN_MARK) ")");
    const struct chat_vendor *vendor = chat_vendor_named(tx, row->vendor);
    if (!vendor)
        return tx_fail(tx, SOSIA_E_INVALID, "vendor", NULL, "\"%.40s\" is not a vendor of chat",
                       row->vendor);
    if (!row->key && !(row->key = chat_new_key(tx, vendor, CHAT_THING_WORKSPACE, CHAT_PUBLIC, row)))
        return -1;
    if (new_id(tx, vendor == chat_vendor_named(tx, ""), &row->id) < 0 ||
        TX_RUN(tx, &q, row->id WORKSPACE(COLUMN_VALUE)) < 0)
        return -1;
    return row->id < CHAT_WORKSPACES
               ? 0
               : tx_fail(tx, SOSIA_E_LIMIT, "workspaces", NULL, "a world has at most %d workspaces",
                         CHAT_WORKSPACES - 1);
}
