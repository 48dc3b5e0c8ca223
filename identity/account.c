/* SPDX-License-Identifier: Apache-2.0 */
/* The ids under which vendors know actors. */
#include "engine/json/doc.h"
#include "identity/app.h"
#include "identity/internal.h"

#define COLUMNS "id, actor, vendor, service, tenant, name"

static int read_account(struct tx *tx, sqlite3_stmt *st, struct ident_account *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct ident_account){.id = sqlite3_column_int64(st, 0),
                                  .actor = sqlite3_column_int64(st, 1),
                                  .vendor = tx_string(tx, st, 2),
                                  .service = tx_string(tx, st, 3),
                                  .tenant = tx_string(tx, st, 4),
                                  .name = tx_string(tx, st, 5)};
    sql_done(st);
    return 1;
}

int account_get(struct tx *tx, int64_t id, struct ident_account *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from ident_account where id = :id");
    return read_account(tx, TX_QUERY(tx, &q, id), ret);
}

int account_of(struct tx *tx, int64_t actor, const char *vendor, const char *tenant,
               struct ident_account *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_account where actor = :actor and vendor = :vendor "
                 "and (:tenant is null or tenant = :tenant) order by id limit 1");
    sqlite3_stmt *st = TX_QUERY(tx, &q, actor, vendor, tenant);
    if (!st)
        return -1;
    return read_account(tx, st, ret);
}

int account_find(struct tx *tx, const char *vendor, const char *tenant, const char *name,
                 struct ident_account *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_account where vendor = :vendor and "
                 "tenant = :tenant and name = :name order by service limit 1");
    sqlite3_stmt *st = TX_QUERY(tx, &q, vendor, tenant ? tenant : "", name);
    if (!st)
        return -1;
    return read_account(tx, st, ret);
}

int account_new(struct tx *tx, struct ident_account *account)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_account (actor, vendor, service, tenant, name) "
                 "values (:actor, :vendor, :service, :tenant, :name)");
    if (TX_RUN(tx, &q, account->actor, account->vendor, account->service, account->tenant,
               account->name) < 0)
        return -1;
    account->id = tx_last_id(tx);
    return 0;
}

/* ---- in seed documents ---- */

int account_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"actor", "vendor", "service", "tenant", "id", NULL};
    const char *vendor, *service, *tenant, *id;
    struct actor actor;
    if (doc_object(d, v, members) < 0 || ident_doc_actor(tx, d, v, "actor", true, &actor) < 0 ||
        doc_str(d, v, "vendor", true, &vendor) < 0 ||
        doc_str(d, v, "service", false, &service) < 0 ||
        doc_str(d, v, "tenant", false, &tenant) < 0 || doc_str(d, v, "id", true, &id) < 0)
        return -1;
    if (!*id)
        return doc_fail(d, json_get(v, "id"), "id", "must not be empty");
    struct ident_account account = {.actor = actor.id,
                                    .vendor = vendor,
                                    .service = service ? service : "",
                                    .tenant = tenant ? tenant : "",
                                    .name = id};
    if (account_new(tx, &account) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "id"), "id") : -1;
}

static void optional(struct json_writer *w, const char *member, const char *text)
{
    if (*text)
        json_str(w, member, text);
}

int account_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ident_account account;
    struct actor actor;
    int r = account_get(tx, rowid, &account);
    if (r != 1 || (r = actor_by_id(tx, account.actor, &actor)) != 1)
        return r;
    json_str(w, "actor", actor.handle);
    json_str(w, "vendor", account.vendor);
    optional(w, "service", account.service);
    optional(w, "tenant", account.tenant);
    json_str(w, "id", account.name);
    return 1;
}

int account_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ident_account account;
    int r = account_get(tx, rowid, &account);
    if (r != 1)
        return r;
    json_str(w, "vendor", account.vendor);
    optional(w, "tenant", account.tenant);
    json_str(w, "id", account.name);
    return 0;
}
