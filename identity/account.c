/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts: where they are found, and which of them an address means. */
#include "engine/store/row.h"
#include "engine/world/take.h"
#include "identity/account.h"
#include "identity/internal.h"

#define COLUMNS "id, actor, vendor, service, tenant, name, services, listed, made, prime"

int account_read(struct tx *tx, sqlite3_stmt *st, struct account *ret)
{
    return TX_TAKE_NEXT(tx, st, &ret->id, &ret->actor, &ret->vendor, &ret->service, &ret->tenant,
                        &ret->name, &ret->services, &ret->listed, &ret->made, &ret->prime);
}

/* The one row of a query. */
static int read_first(struct tx *tx, sqlite3_stmt *st, struct account *ret)
{
    int r = account_read(tx, st, ret);
    if (r == 1)
        sql_done(st);
    return r;
}

static struct account of_record(struct record *r)
{
    return (struct account){.id = record_int(r, 0),
                            .actor = record_int(r, 1),
                            .vendor = record_text(r, 2),
                            .service = record_text(r, 3),
                            .tenant = record_text(r, 4),
                            .name = record_text(r, 5),
                            .services = (unsigned)record_int(r, 6),
                            .listed = record_int(r, 7),
                            .made = (unsigned)record_int(r, 8),
                            .prime = record_int(r, 9)};
}

int account_get(struct tx *tx, int64_t id, struct account *ret)
{
    static struct row_table table = ROW_TABLE("ident_account", "a", COLUMNS);
    struct record row = {.arena = tx->arena};
    int r = ROW_BY_ID(tx, &table, id, &row);
    if (r == 1)
        *ret = of_record(&row);
    return r;
}

int account_of(struct tx *tx, int64_t actor, const char *vendor, const char *tenant,
               struct account *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_account where actor = :actor and vendor = :vendor "
                 "and (:tenant is null or tenant = :tenant) and name is not null "
                 "order by id limit 1");
    return read_first(tx, TX_QUERY(tx, &q, actor, vendor, tenant), ret);
}

int account_find(struct tx *tx, const char *vendor, const char *tenant, const char *name,
                 struct account *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_account where vendor = :vendor and "
                 "tenant = :tenant and name = :name order by service limit 1");
    return read_first(tx, TX_QUERY(tx, &q, vendor, tenant ? tenant : "", name), ret);
}

sqlite3_stmt *account_each(struct tx *tx, int64_t actor)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_account where actor = :actor order by id");
    return TX_QUERY(tx, &q, actor);
}

int account_next(struct tx *tx, const char *vendor, int64_t after, struct account *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from ident_account where vendor = "
                                        ":vendor and id > :after order by id limit 1");
    return read_first(tx, TX_QUERY(tx, &q, vendor, after), ret);
}

/* ---- by service ---- */

int account_at(struct tx *tx, int64_t actor, const char *vendor, enum account_service service,
               struct account *ret)
{
    static struct record_text index = INDEX_TEXT("ident_account_actor", "rowid"),
                              table = RECORD_TEXT("ident_account", COLUMNS);
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_account where actor = :actor and vendor = :vendor "
                 "and services & :service order by id limit 1");
    struct record row = {.arena = tx->arena};
    int r = TX_SCAN_ROW(tx, &index, &table, &row, actor, vendor);
    if (r == 1)
        *ret = of_record(&row);
    if (r == 0 || (r == 1 && ret->services & service))
        return r;
    return read_first(tx, TX_QUERY(tx, &q, actor, vendor, (int64_t)service), ret);
}

int account_services_with(struct tx *tx, int64_t actor, const char *vendor, unsigned *ret)
{
    static struct sql_text q = SQL_TEXT("select services from ident_account where actor = :actor "
                                        "and vendor = :vendor");
    sqlite3_stmt *st = TX_QUERY(tx, &q, actor, vendor);
    int r = st ? 1 : -1;
    *ret = 0;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        *ret |= (unsigned)sqlite3_column_int(st, 0);
    return r < 0 ? -1 : 0;
}

int account_vendors(struct tx *tx, int64_t actor, enum account_service service, const char **ret,
                    int most)
{
    static struct sql_text q =
        SQL_TEXT("select vendor from ident_account where actor = :actor and services & :service "
                 "group by vendor order by min(id)");
    sqlite3_stmt *st = TX_QUERY(tx, &q, actor, (int64_t)service);
    int r = st ? 1 : -1, n = 0;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        if (n < most)
            ret[n++] = tx_string(tx, st, 0);
    }
    return r < 0 ? -1 : n;
}

/* The vendor that mail to a domain goes to; NULL: it is not said. 1, 0, -1. */
static int routed_to(struct tx *tx, const char *domain, const char **ret)
{
    static struct sql_text q =
        SQL_TEXT("select vendor from ident_routing where domain = :domain limit 1");
    *ret = NULL;
    return TX_TAKE(tx, TX_QUERY(tx, &q, domain), ret);
}

/* Whether an account comes before another of its actor: the prime one, then the one that mail is
 * routed to, then the older one. */
static bool comes_before(const struct account *a, const struct account *b, const char *vendor)
{
    const bool routed = vendor && strcmp(a->vendor, vendor) == 0;
    if (a->prime != b->prime)
        return a->prime;
    if (routed != (vendor && strcmp(b->vendor, vendor) == 0))
        return routed;
    return a->id < b->id;
}

/* In no order, since most actors have one: a sorted answer needs a tree of its own. */
int account_serving(struct tx *tx, const struct actor *actor, enum account_service service,
                    struct account *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from ident_account where "
                                        "actor = :actor and services & :service");
    sqlite3_stmt *st = TX_QUERY(tx, &q, actor->id, (int64_t)service);
    struct account account;
    const char *vendor = NULL;
    int r, n = 0;
    while ((r = account_read(tx, st, &account)) == 1) {
        if (n == 1 && routed_to(tx, email_domain(actor->email), &vendor) < 0) {
            sql_done(st);
            return -1;
        }
        if (!n++ || comes_before(&account, ret, vendor))
            *ret = account;
    }
    return r < 0 ? -1 : n > 0;
}

int account_by_address(struct tx *tx, const char *email, enum account_service service,
                       struct actor *ret_actor, struct account *ret)
{
    int r = actor_by_email(tx, email, ret_actor);
    if (r == 0)
        ret_actor->id = 0;
    return r == 1 ? account_serving(tx, ret_actor, service, ret) : r;
}

int account_sees_busy(struct tx *tx, const struct account *seeing, const char *seeing_email,
                      const struct account *seen, const char *seen_email)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from ident_freebusy where domain = lower(:domain) and seen_by = lower(:seen_by)");
    if (strcmp(seeing->vendor, seen->vendor) == 0)
        return 1;
    return TX_ANY(tx, TX_QUERY(tx, &q, email_domain(seen_email), email_domain(seeing_email)));
}

/* ---- new ones ---- */

int account_put(struct tx *tx, struct account *account)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ident_account (actor, vendor, service, tenant, name, services, listed, made, "
        "prime) values (:actor, :vendor, :service, :tenant, :name, :services, :listed, :made, "
        ":prime)");
    if (TX_RUN(tx, &q, account->actor, account->vendor, account->service, account->tenant,
               account->name, (int64_t)account->services, (int64_t)account->listed,
               (int64_t)account->made, (int64_t)account->prime) < 0)
        return -1;
    account->id = tx_last_id(tx);
    return 0;
}

int account_new(struct tx *tx, struct account *account)
{
    struct actor actor;
    int r = actor_by_id(tx, account->actor, &actor);
    if (r < 0)
        return -1;
    account->services = account_services(tx, account->vendor, r ? actor.kind : NULL);
    account->made = account->services;
    account->listed = true;
    return account_put(tx, account);
}
