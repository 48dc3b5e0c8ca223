/* SPDX-License-Identifier: Apache-2.0 */
/* Users: the rows, and what is usual for one of whom nothing is said. */
#include "engine/state/form.h"
#include "engine/world/columns.h"
#include "engine/world/event.h"
#include "vendors/microsoft/directory/rows.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"

#define USER(X)                                                                                    \
    X(account, account, NUMBER)                                                                    \
    X(actor, actor, NUMBER)                                                                        \
    X(tenant, tenant, NUMBER)                                                                      \
    X(oid, oid, STRING)                                                                            \
    X(upn, upn, STRING)                                                                            \
    X(mail, mail, STRING)                                                                          \
    X(name, name, STRING)                                                                          \
    X(given, given, STRING)                                                                        \
    X(surname, surname, STRING)                                                                    \
    X(job, job, STRING)                                                                            \
    X(department, department, STRING)                                                              \
    X(office, office, STRING)                                                                      \
    X(company, company, STRING)                                                                    \
    X(employee, employee, STRING)                                                                  \
    X(mobile, mobile, STRING)                                                                      \
    X(phones, phones, STRING)                                                                      \
    X(language, language, STRING)                                                                  \
    X(usage, usage, STRING)                                                                        \
    X(street, street, STRING)                                                                      \
    X(city, city, STRING)                                                                          \
    X(state, state, STRING)                                                                        \
    X(postal, postal, STRING)                                                                      \
    X(country, country, STRING)                                                                    \
    X(sessions_us, sessions_us, ID)                                                                \
    X(password, password, STRING)                                                                  \
    X(licenses, licenses, STRING)                                                                  \
    X(manager, manager, ID)                                                                        \
    X(guest, guest, NUMBER)                                                                        \
    X(enabled, enabled, NUMBER)                                                                    \
    X(admin, admin, NUMBER)                                                                        \
    X(listed, listed, NUMBER)                                                                      \
    X(deleted, deleted, NUMBER)                                                                    \
    X(change, change, NUMBER)
#define SELECTED "id, made_us" USER(COLUMN_NAME)
#define SELECT   "select " SELECTED " from ms_user "

static int take_user(int r, struct record *rec, struct ms_user *row)
{
    unsigned at = 2;
    if (r != 1)
        return r;
    row->id = record_int(rec, 0);
    row->made_us = record_int(rec, 1);
    USER(COLUMN_TAKE)
    return 1;
}

static int read_user(struct tx *tx, sqlite3_stmt *st, struct ms_user *ret)
{
    struct record rec = {.arena = tx->arena};
    return take_user(ROW_ONLY(tx, st, &rec), &rec, ret);
}

int ms_user_get(struct tx *tx, int64_t id, struct ms_user *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return read_user(tx, TX_QUERY(tx, &q, id), ret);
}

int ms_user_of_account(struct tx *tx, int64_t account, struct ms_user *ret)
{
    static struct row_key q = ROW_KEY("ms_user", "u", SELECTED, "account = ?1");
    struct record rec = {.arena = tx->arena};
    return take_user(ROW_BY_KEY(tx, &q, &rec, account), &rec, ret);
}

int ms_user_of_actor(struct tx *tx, int64_t actor, int64_t tenant, struct ms_user *ret)
{
    static struct row_key q_one = ROW_KEY("ms_user", "u", SELECTED, "actor = ?1");
    static struct sql_text q = SQL_TEXT(
        SELECT "where actor = :actor and (tenant = :tenant or :tenant = 0) and not deleted order "
               "by guest, id "
               "limit 1");
    struct record rec = {.arena = tx->arena};
    int r = take_user(ROW_BY_KEY(tx, &q_one, &rec, actor), &rec, ret);
    if (r != 1 || (!ret->guest && !ret->deleted && (!tenant || ret->tenant == tenant)))
        return r;
    return read_user(tx, TX_QUERY(tx, &q, actor, tenant), ret);
}

/* By one of the keys that are the user's alone. */
static int find_key(struct tx *tx, const char *text, int64_t tenant, struct ms_user *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where oid = lower(:text)");
    static struct sql_text q_upn = SQL_TEXT(SELECT "where upn = lower(:text)");
    int r = read_user(tx, TX_QUERY(tx, strchr(text, '@') ? &q_upn : &q, text), ret);
    return r == 1 && tenant && ret->tenant != tenant ? 0 : r;
}

int ms_user_find(struct tx *tx, const char *text, int64_t tenant, struct ms_user *ret)
{
    struct actor actor;
    int r = find_key(tx, text, tenant, ret);
    if (r || !strchr(text, '@'))
        return r == 1 && ret->deleted ? 0 : r;
    r = actor_by_email(tx, text, &actor);
    return r == 1 ? ms_user_of_actor(tx, actor.id, tenant, ret) : r;
}

int ms_user_of_consumer(struct tx *tx, const char *digits, struct ms_user *ret)
{
    static struct sql_text q = SQL_TEXT(
        SELECT "where not deleted and tenant in (select id from ms_tenant where consumer) and "
               "replace(substr(oid, -17), '-', '') = lower(:digits) order by id limit 1");
    return read_user(tx, TX_QUERY(tx, &q, digits), ret);
}

int ms_user_like(struct tx *tx, int64_t tenant, const char *pattern, int64_t after,
                 struct ms_user *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where tenant = :tenant and upn like :pattern and "
                                               "id > :after and not deleted order by id limit 1");
    return read_user(tx, TX_QUERY(tx, &q, tenant, pattern, after), ret);
}

/* ---- what is usual ---- */

static int tenant_of(struct tx *tx, const struct account *account, const struct actor *actor,
                     struct ms_tenant *ret)
{
    const char *domain = email_domain(actor->email);
    if (!*account->tenant)
        return ms_tenant_of_domain(tx, *domain ? domain : "sosia.invalid", ret);
    int r = ms_tenant_find(tx, account->tenant, ret);
    if (r)
        return r < 0 ? -1 : 0;
    if (strchr(account->tenant, '.'))
        return ms_tenant_of_domain(tx, account->tenant, ret);
    /* An id alone: the domain is the person's, if no other tenant has it. */
    r = *domain ? ms_tenant_find(tx, domain, ret) : 1;
    const char *own = arena_printf(tx->arena, "%.8s.example", account->tenant);
    *ret = (struct ms_tenant){.guid = account->tenant, .domain = r ? own : domain};
    ret->name = ret->domain;
    return r < 0 ? -1 : ms_tenant_new(tx, ret);
}

/* Four digits that follow from the address. */
static unsigned digits_of(const char *email)
{
    uint8_t bytes[16];
    graph_guid_bytes("guest", email, bytes);
    return (bytes[0] | (unsigned)bytes[1] << 8) % 10000;
}

int ms_guest_name(struct tx *tx, const char *email, const struct ms_tenant *tenant, int64_t account,
                  const char **ret)
{
    char *local = arena_strdup(tx->arena, email);
    struct ms_user other;
    int r = 1;
    for (char *p = local; p && *p; p++)
        if (*p == '@')
            *p = '_';
    const unsigned first = digits_of(email);
    for (unsigned i = 0; r == 1 && i <= 10000; i++) {
        *ret = i == 0 ? arena_printf(tx->arena, "%s#ext#@%s", local, tenant->initial)
                      : arena_printf(tx->arena, "%s%04u#ext#@%s", local, (first + i - 1) % 10000,
                                     tenant->initial);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        r = find_key(tx, *ret, 0, &other);
        if (r == 1 && other.account == account)
            r = 0;
    }
    return r < 0 ? -1 : 0;
}

int ms_user_usual(struct tx *tx, const struct account *account, const struct actor *actor,
                  struct ms_user *ret)
{
    struct arena *a = tx->arena;
    struct ms_tenant tenant;
    if (tenant_of(tx, account, actor, &tenant) < 0)
        return -1;
    const char *email =
        *actor->email ? actor->email : arena_printf(a, "%s@%s", actor->handle, tenant.domain);
    const char *domain = email_domain(email), *space = strchr(actor->name, ' ');
    bool guest = strcmp(domain, tenant.domain) != 0 && strcmp(domain, tenant.initial) != 0 &&
                 !tenant.consumer;
    struct ms_user other;
    if (guest) {
        /* Who has no tenant of his own is a member of this one. */
        int r = ms_tenant_find(tx, domain, &(struct ms_tenant){0});
        if (r < 0)
            return -1;
        guest = r;
    }
    *ret = (struct ms_user){.account = account->id,
                            .actor = actor->id,
                            .tenant = tenant.id,
                            .upn = email,
                            .mail = *actor->email ? actor->email : NULL,
                            .phones = "[]",
                            .licenses = "[]",
                            .guest = guest,
                            .enabled = true,
                            .made_us = tx->now_us};
    int r = guest ? 0 : find_key(tx, ret->upn, 0, &other);
    /* It may be the name of another one, who is in another tenant. */
    if (r >= 0 && (guest || (r == 1 && other.account != account->id)))
        r = ms_guest_name(tx, email, &tenant, account->id, &ret->upn);
    if (space) {
        ret->given = arena_memdup(a, actor->name, (size_t)(space - actor->name));
        ret->surname = space + 1;
    }
    ret->oid = account->name ? account->name
                             : graph_guid(a, "user", arena_printf(a, "%s %s", tenant.guid, email));
    if (arena_failed(a))
        return sosia_fail_memory(tx->err);
    return r < 0 ? -1 : 0;
}

int ms_user_new(struct tx *tx, struct ms_user *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ms_user (made_us" USER(COLUMN_NAME) ") values (?" USER(COLUMN_MARK) ")");
    if (ms_change_next(tx, &row->change) < 0 || TX_RUN(tx, &q, row->made_us USER(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    event_note(tx, CHANGED_USERS, OP_CHANGED, row->tenant, row->id);
    return 0;
}

int ms_change_next(struct tx *tx, int64_t *ret)
{
    return tx_number(tx, "directory change", ret);
}

int ms_gone_add(struct tx *tx, int64_t tenant, const char *kind, const char *oid)
{
    static struct sql_text q = SQL_TEXT("insert into ms_gone (tenant, kind, oid, change) values "
                                        "(:tenant, :kind, :oid, :change)");
    int64_t change;
    if (ms_change_next(tx, &change) < 0 || TX_RUN(tx, &q, tenant, kind, oid, change) < 0)
        return -1;
    event_note(tx, strcmp(kind, "user") == 0 ? CHANGED_USERS : CHANGED_GROUPS, OP_CHANGED, tenant,
               tx_last_id(tx));
    return 0;
}

int ms_user_save(struct tx *tx, struct ms_user *row)
{
    static struct sql_text q =
        SQL_TEXT("update ms_user set made_us = ?" USER(COLUMN_SET) " where id = ?");
    if (ms_change_next(tx, &row->change) < 0 ||
        TX_RUN(tx, &q, row->made_us USER(COLUMN_VALUE), row->id) < 0)
        return -1;
    event_note(tx, CHANGED_USERS, OP_CHANGED, row->tenant, row->id);
    return 0;
}

int ms_users_complete(struct tx *tx)
{
    struct account account = {0};
    struct actor actor;
    struct ms_user user;
    int r;
    while ((r = account_next(tx, "microsoft", account.id, &account)) == 1) {
        if (*account.service)
            continue;
        if ((r = ms_user_of_account(tx, account.id, &user)) < 0)
            return -1;
        if (r)
            continue;
        if ((r = actor_by_id(tx, account.actor, &actor)) != 1 ||
            ms_user_usual(tx, &account, &actor, &user) < 0 || ms_user_new(tx, &user) < 0)
            return -1;
    }
    return r;
}

/* ---- as members of documents ---- */

static int find_user(struct tx *tx, const char *text, int64_t *ret)
{
    struct ms_user user;
    int r = ms_user_find(tx, text, 0, &user);
    if (r == 1)
        *ret = user.id;
    return r;
}

static int name_of_user(struct tx *tx, int64_t id, const char **ret)
{
    struct ms_user user;
    int r = ms_user_get(tx, id, &user);
    *ret = r == 1 ? user.upn : "";
    return r;
}

const struct reference ms_user_reference = {
    .noun = "the name or address of a user",
    .unknown = "there is no user",
    .find = find_user,
    .name = name_of_user,
};
