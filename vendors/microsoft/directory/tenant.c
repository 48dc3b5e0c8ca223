/* SPDX-License-Identifier: Apache-2.0 */
/* Tenants: by id, by domain, and those that come with the users of a domain. */
#include "engine/world/columns.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"

#define TENANT(X)                                                                                  \
    X(domain, domain, STRING)                                                                      \
    X(initial, initial, STRING)                                                                    \
    X(name, name, STRING)                                                                          \
    X(country, country, STRING)                                                                    \
    X(consumer, consumer, NUMBER)                                                                  \
    X(listed, listed, NUMBER)
#define SELECT "select id, guid" TENANT(COLUMN_NAME) " from ms_tenant "

static struct row_table tenants = ROW_TABLE("ms_tenant", "t", "id, guid" TENANT(COLUMN_NAME));

static int take_tenant(int r, struct record *rec, struct ms_tenant *row)
{
    unsigned at = 2;
    if (r != 1)
        return r;
    row->id = record_int(rec, 0);
    row->guid = record_text(rec, 1);
    TENANT(COLUMN_TAKE)
    return 1;
}

static int read_tenant(struct tx *tx, sqlite3_stmt *st, struct ms_tenant *ret)
{
    struct record rec = {.arena = tx->arena};
    return take_tenant(ROW_ONLY(tx, st, &rec), &rec, ret);
}

int ms_tenant_made(struct tx *tx, int64_t id, int64_t *ret_us)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(min(made_us), 0) from ms_user where tenant = :tenant");
    return TX_INT(tx, &q, ret_us, id) < 0 ? -1 : 0;
}

int ms_tenant_get(struct tx *tx, int64_t id, struct ms_tenant *ret)
{
    struct record rec = {.arena = tx->arena};
    return take_tenant(ROW_BY_ID(tx, &tenants, id, &rec), &rec, ret);
}

int ms_tenant_find(struct tx *tx, const char *text, struct ms_tenant *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where guid = lower(:text)");
    static struct sql_text q_domain = SQL_TEXT(SELECT "where domain = lower(:text)");
    static struct sql_text q_initial = SQL_TEXT(SELECT "where initial = lower(:text)");
    if (!strchr(text, '.'))
        return read_tenant(tx, TX_QUERY(tx, &q, text), ret);
    int r = read_tenant(tx, TX_QUERY(tx, &q_domain, text), ret);
    return r ? r : read_tenant(tx, TX_QUERY(tx, &q_initial, text), ret);
}

/* "acme.onmicrosoft.com": the first label of the domain, or more of it where that is taken. */
static int made_initial(struct tx *tx, const char *domain, const char **ret)
{
    struct ms_tenant other;
    int r = 1;
    for (size_t n = strcspn(domain, "."); r == 1; n += 1 + strcspn(domain + n + 1, ".")) {
        char *label = arena_memdup(tx->arena, domain, n);
        if (!label)
            return sosia_fail_memory(tx->err);
        for (char *p = label; *p; p++)
            if (*p == '.')
                *p = '-';
        *ret = arena_printf(tx->arena, "%s.onmicrosoft.com", label);
        r = ms_tenant_find(tx, *ret, &other);
        if (!domain[n])
            break;
    }
    return r < 0 ? -1 : 0;
}

int ms_tenant_new(struct tx *tx, struct ms_tenant *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ms_tenant (guid" TENANT(COLUMN_NAME) ") values (?" TENANT(COLUMN_MARK) ")");
    if (!row->guid)
        row->guid = graph_guid(tx->arena, "tenant", row->domain);
    if (!row->initial && made_initial(tx, row->domain, &row->initial) < 0)
        return -1;
    if (TX_RUN(tx, &q, row->guid TENANT(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return 0;
}

int ms_tenant_save(struct tx *tx, const struct ms_tenant *row)
{
    static struct sql_text q =
        SQL_TEXT("update ms_tenant set guid = ?" TENANT(COLUMN_SET) " where id = ?");
    return TX_RUN(tx, &q, row->guid TENANT(COLUMN_VALUE), row->id);
}

int ms_tenant_of_domain(struct tx *tx, const char *domain, struct ms_tenant *ret)
{
    int r = ms_tenant_find(tx, domain, ret);
    if (r)
        return r < 0 ? -1 : 0;
    *ret = (struct ms_tenant){.domain = domain, .name = domain};
    return ms_tenant_new(tx, ret);
}
