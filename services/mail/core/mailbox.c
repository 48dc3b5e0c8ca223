/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes, and the addresses that lead to them. */
#include "engine/world/ids.h"
#include "engine/store/row.h"
#include "identity/account.h"
#include "identity/sql.h"
#include "services/mail/core/mail_impl.h"

#define COLUMNS "id, actor, account, messages, threads, change, floor"

/* r: what looking for the row gave. */
static int mailbox_from(int r, struct tx *tx, struct record *row, struct mailbox *ret)
{
    struct actor who;
    if (r == 1)
        r = actor_by_id(tx, record_int(row, 1), &who);
    if (r == 1)
        *ret = (struct mailbox){.id = record_int(row, 0),
                                .actor = who.id,
                                .account = record_int(row, 2),
                                .email = who.email,
                                .name = who.name,
                                .messages = record_int(row, 3),
                                .threads = record_int(row, 4),
                                .change = record_int(row, 5),
                                .floor = record_int(row, 6)};
    return r;
}

/* ---- by person ---- */

int mailbox_at(struct tx *tx, int64_t actor, const char *vendor, struct mailbox *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from mail_mailbox where actor = :actor "
                                        "and vendor = :vendor order by account limit 1");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_mail_mailbox_1", "rowid"),
                              table = RECORD_TEXT("mail_mailbox", COLUMNS);
    struct record row = {.arena = tx->arena};
    int r = TX_SCAN_ROW(tx, &index, &table, &row, actor, vendor);
    if (r == RECORD_STATEMENT)
        r = ROW_ONLY(tx, TX_QUERY(tx, &q, actor, vendor), &row);
    return mailbox_from(r, tx, &row, ret);
}

int mailbox_of_account(struct tx *tx, int64_t account, struct mailbox *ret)
{
    static struct row_key q = ROW_KEY("mail_mailbox", "b", COLUMNS, "account = ?1");
    struct record row = {.arena = tx->arena};
    return mailbox_from(ROW_BY_KEY(tx, &q, &row, account), tx, &row, ret);
}

/* Of several the one that the person's address leads to. */
static int routed(struct tx *tx, int64_t actor, struct mailbox *ret)
{
    struct account account;
    struct actor who;
    int r = actor_by_id(tx, actor, &who);
    if (r == 1)
        r = account_serving(tx, &who, ACCOUNT_MAIL, &account);
    return r == 1 ? mailbox_of_account(tx, account.id, ret) : r;
}

int mailbox_of(struct tx *tx, int64_t actor, struct mailbox *ret)
{
    static struct sql_text q = SQL_TEXT("select id from mail_mailbox where actor = :actor limit 2");
    int64_t ids[2];
    int n = 0, r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, actor);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        ids[n++] = sqlite3_column_int64(st, 0);
    if (r < 0 || !n)
        return r;
    return n > 1 ? routed(tx, actor, ret) : mailbox_by_id(tx, ids[0], ret);
}

int mailbox_by_id(struct tx *tx, int64_t id, struct mailbox *ret)
{
    static struct row_table table = ROW_TABLE("mail_mailbox", "b", COLUMNS);
    struct record row = {.arena = tx->arena};
    return mailbox_from(ROW_BY_ID(tx, &table, id, &row), tx, &row, ret);
}

/* ---- by address ---- */

int mailbox_by_address(struct tx *tx, const char *address, struct mailbox *ret)
{
    struct actor who;
    int r = actor_by_email(tx, address, &who);
    const char *plus = strchr(address, '+'), *at = strrchr(address, '@');
    if (r == 0 && plus && at && plus < at && plus > address)
        r = actor_by_email(
            tx, arena_printf(tx->arena, "%.*s%s", (int)(plus - address), address, at), &who);
    return r == 1 ? mailbox_of(tx, who.id, ret) : r;
}

int mailbox_list(struct tx *tx, int64_t **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select b.id from mail_mailbox b order by " IDENT_SQL_EMAIL("b.actor") ", b.id");
    return ids_all(tx, TX_PLAIN(tx, &q), ret, ret_n);
}

int mailbox_addresses(struct tx *tx, const struct mailbox *mb, const char ***ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select a.email, 1 from " IDENT_SQL_ALIASES
                                        " a where a.actor = :actor order by a.email");
    size_t n = 0, cap = 4;
    const char **list = arena_alloc(tx->arena, cap * sizeof *list);
    int r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, mb->actor);
    if (!st)
        return -1;
    list[n++] = mb->email;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &cap, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        list[n++] = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 0));
    }
    if (r == 1)
        sql_done(st);
    *ret = list;
    *ret_n = n;
    return r < 0 ? -1 : arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}
