/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars: finding, opening for a person, making, changing and deleting them. */
#include "engine/base/codec.h"
#include "engine/store/scan.h"
#include "services/calendar/core/event/event.h"
#include "engine/world/columns.h"
#include "engine/world/event.h"
#include "identity/account.h"
#include "services/calendar/core/vendor.h"

/* What its owner may change. */
#define PROPERTIES(X)                                                                              \
    X(summary, summary, STRING)                                                                    \
    X(description, description, STRING)                                                            \
    X(location, location, STRING)                                                                  \
    X(zone, zone, STRING)                                                                          \
    X(app, app, ID)                                                                                \
    X(extra, extra, STRING)
/* What is set apart from that. */
#define OTHERS(X)                                                                                  \
    X(key, key, STRING)                                                                            \
    X(main, main, NUMBER)                                                                          \
    X(gone, gone, NUMBER)                                                                          \
    X(created_us, created_us, NUMBER)                                                              \
    X(updated_us, updated_us, NUMBER)                                                              \
    X(change, change, NUMBER)                                                                      \
    X(newest, newest, NUMBER)                                                                      \
    X(newest_us, newest_us, NUMBER)                                                                \
    X(account, account, ID)                                                                        \
    X(vendor, vendor_name, STRING)                                                                 \
    X(address, address, STRING)
#define NAMES    PROPERTIES(COLUMN_NAME)
#define MARKS    PROPERTIES(COLUMN_MARK)
#define SETS     PROPERTIES(COLUMN_SET)
#define VALUES   PROPERTIES(COLUMN_VALUE)
#define SELECTED "id, owner" NAMES OTHERS(COLUMN_NAME)

static int with_zone(struct tx *tx, struct calendar *cal)
{
    cal->tz = tz_find(cal->zone);
    if (!cal->tz)
        return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "calendar %s has no zone \"%s\"", cal->key,
                       cal->zone);
    cal->vendor = cal_vendor_named(tx, cal->vendor_name);
    if (!cal->address)
        cal->address = cal->key;
    return 1;
}

/* r: what looking for the row gave. */
static int calendar_from(int r, struct tx *tx, struct record *rec, struct calendar *row)
{
    unsigned at = 2;
    if (r != 1)
        return r;
    *row = (struct calendar){.id = record_int(rec, 0), .owner = record_int(rec, 1)};
    PROPERTIES(COLUMN_TAKE)
    OTHERS(COLUMN_TAKE)
    return with_zone(tx, row);
}

static int read_calendar(struct tx *tx, sqlite3_stmt *st, struct calendar *ret)
{
    struct record rec = {.arena = tx->arena};
    return calendar_from(ROW_ONLY(tx, st, &rec), tx, &rec, ret);
}

struct sql_text calendar_id_of_key =
    SQL_TEXT("select id from cal_calendar where key = :key and gone = 0");
struct sql_text calendar_key_of_id =
    SQL_TEXT("select key from cal_calendar where id = :id and gone = 0");

int calendar_change(struct tx *tx, int64_t *ret)
{
    return tx_number(tx, "calendar change", ret);
}

/* Deleted or not, a group's too. */
static int row_of_key(struct tx *tx, const char *key, struct calendar *ret)
{
    static struct row_key q = ROW_KEY("cal_calendar", "c", SELECTED, "key = ?1");
    struct record rec = {.arena = tx->arena};
    return calendar_from(ROW_BY_KEY(tx, &q, &rec, key), tx, &rec, ret);
}

int calendar_by_key(struct tx *tx, const char *key, struct calendar *ret)
{
    int r = row_of_key(tx, key, ret);
    return r == 1 ? !ret->gone && ret->owner : r < 0 ? -1 : cal_made_find(tx, key, 0, ret);
}

int calendar_of_group(struct tx *tx, const char *address, struct calendar *ret)
{
    int r = row_of_key(tx, address, ret);
    return r == 1 ? !ret->gone && !ret->owner : r;
}

int calendar_by_id(struct tx *tx, int64_t id, struct calendar *ret)
{
    static struct row_table table = ROW_TABLE("cal_calendar", "c", SELECTED);
    struct record rec = {.arena = tx->arena};
    const struct calendar *known = tx_recall(tx, &table, id);
    if (known) {
        *ret = *known;
        return 1;
    }
    if (id < 0)
        return cal_made_find(tx, NULL, id, ret);
    int r = calendar_from(ROW_BY_ID(tx, &table, id, &rec), tx, &rec, ret);
    if (r == 1)
        tx_remember(tx, &table, id, ret, sizeof *ret);
    return r;
}

/* The owner's oldest one, which mostly is the one that is wanted. */
static int first_of(struct tx *tx, int64_t owner, struct calendar *ret)
{
    static struct row_key q = ROW_KEY("cal_calendar", "c", SELECTED, "owner = ?1");
    struct record rec = {.arena = tx->arena};
    return calendar_from(ROW_BY_KEY(tx, &q, &rec, owner), tx, &rec, ret);
}

int calendar_of_account_row(struct tx *tx, const struct account *a, struct calendar *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from cal_calendar where owner = :owner and main = 1 and "
                 "(account = :account or (account is null and :first)) and gone = 0");
    const int64_t first = strcmp(a->vendor, cal_vendor_named(tx, NULL)->name) == 0;
    int r = first_of(tx, a->actor, ret);
    if (r != 1 || (ret->main && !ret->gone && (ret->account ? ret->account == a->id : first)))
        return r;
    return read_calendar(tx, TX_QUERY(tx, &q, a->actor, a->id, first), ret);
}

int calendar_of_account(struct tx *tx, int64_t account, struct calendar *ret)
{
    struct account a;
    int r = account_get(tx, account, &a);
    return r == 1 ? calendar_of_account_row(tx, &a, ret) : r;
}

int calendar_of(struct tx *tx, int64_t actor, struct calendar *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from cal_calendar where owner = :owner and main = 1 and "
                 "gone = 0 order by id limit 1");
    struct account account;
    struct actor who;
    int r = first_of(tx, actor, ret), several = 0;
    if (r == 1 && (!ret->main || ret->gone))
        r = read_calendar(tx, TX_QUERY(tx, &q, actor), ret);
    if (r != 1 || (several = cal_vendors_meet(tx)) != 1)
        return several < 0 ? -1 : r;
    r = actor_by_id(tx, actor, &who);
    if (r == 1)
        r = account_serving(tx, &who, ACCOUNT_CALENDAR, &account);
    return r == 1 ? calendar_of_account(tx, account.id, ret) : r;
}

int calendar_next(struct tx *tx, const struct account *account, int64_t after, struct calendar *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_calendar where owner = :owner and account = :account and "
                 "gone = 0 and id > :after order by id limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, account->actor, account->id, after);
    return r == 1 ? calendar_by_id(tx, id, ret) : r;
}

int calendar_by_address(struct tx *tx, const char *address, struct calendar *ret)
{
    struct account account;
    struct actor who;
    int r = calendar_by_key(tx, address, ret), several = 0;
    if (r < 0 || (r == 1 && !ret->main) || (several = cal_vendors_meet(tx)) != 1)
        return several < 0 ? -1 : r;
    int led = account_by_address(tx, address, ACCOUNT_CALENDAR, &who, &account);
    return led == 1 ? calendar_of_account(tx, account.id, ret) : led < 0 ? -1 : r;
}

/* ---- roles ---- */

static int find_role(struct tx *tx, const struct calendar *cal, const struct actor *who,
                     enum cal_role *ret, unsigned *ret_beyond)
{
    static struct sql_text q = SQL_TEXT(
        "select kind, who, role, beyond from cal_access where calendar = :calendar and role > 0");
    enum cal_role best = CAL_NONE;
    unsigned all = 0;
    *ret_beyond = 0;
    if (calendar_is_made(cal)) {
        *ret = CAL_READ;
        return 0;
    }
    if (cal->owner && cal->owner == who->id) {
        *ret = CAL_OWN;
        return 0;
    }
    sqlite3_stmt *st = TX_QUERY(tx, &q, cal->id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        enum cal_access_kind kind = (enum cal_access_kind)sqlite3_column_int(st, 0);
        const char *rule = (const char *)sqlite3_column_text(st, 1);
        enum cal_role role = (enum cal_role)sqlite3_column_int(st, 2);
        unsigned beyond = (unsigned)sqlite3_column_int(st, 3);
        bool meant = kind == ACCESS_ALL;
        if (role < best || (role == best && !(beyond & ~all)))
            continue;
        if (kind == ACCESS_PERSON)
            meant = strcmp(rule, who->email) == 0;
        else if (kind == ACCESS_DOMAIN)
            meant = strcmp(rule, email_domain(who->email)) == 0;
        else if (kind == ACCESS_GROUP) {
            struct group g;
            int in = group_by_email(tx, rule, &g);
            if (in == 1)
                in = group_has_member(tx, g.id, who->email);
            if (in < 0) {
                sql_done(st);
                return -1;
            }
            meant = in == 1;
        }
        if (meant)
            all = beyond | (role == best ? all : 0);
        if (meant)
            best = role;
    }
    if (r < 0)
        return -1;
    *ret = best;
    *ret_beyond = all;
    return 0;
}

int calendar_role(struct tx *tx, const struct calendar *cal, const struct actor *who,
                  enum cal_role *ret)
{
    unsigned beyond;
    return find_role(tx, cal, who, ret, &beyond);
}

int calendar_open_for(struct tx *tx, struct calendar *cal, const struct actor *who)
{
    return find_role(tx, cal, who, &cal->role, &cal->beyond);
}

int calendar_open(struct tx *tx, const struct actor *who, const char *key, enum cal_role need,
                  struct calendar *ret)
{
    static const char *const names[] = CAL_ROLE_NAMES;
    int r = calendar_by_key(tx, key, ret);
    if (r < 0 || (r && calendar_open_for(tx, ret, who) < 0))
        return -1;
    if (!r || ret->role == CAL_NONE)
        return cal_fail(tx, CAL_NO_CALENDAR, "there is no such calendar");
    if (ret->role < need) {
        cal_fail(tx, CAL_LESSER_ROLE, "%s access to this calendar is needed", names[need]);
        tx->err->where = names[need];
        return -1;
    }
    return calendar_is_made(ret) ? ret->vendor->made->seen_by(tx, ret, who) : 0;
}

/* ---- changes ---- */

/* One that no dump brought. */
static int new_calendar_key(struct tx *tx, const char *end, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select 1 from cal_calendar where key = :key");
    uint8_t id[32];
    char hex[65];
    int64_t one;
    int r;
    do {
        if (tx_id(tx, "calendar", id, sizeof id) < 0)
            return -1;
        hex_encode(hex, id, sizeof id);
        *ret = arena_printf(tx->arena, "c_%s%s", hex, end ? end : "");
    } while ((r = TX_INT(tx, &q, &one, *ret)) == 1);
    return r;
}

static int insert(struct tx *tx, struct calendar *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into cal_calendar (main, key, owner, created_us, updated_us, change, "
                 "account, vendor, address" NAMES ") values (?, ?, ?, ?, ?, ?, ?, ?, ?" MARKS ")");
    const char *address = strcmp(row->address, row->key) == 0 ? NULL : row->address;
    if (TX_RUN(tx, &q, row->main, row->key, sql_int_or_null(row->owner, 0), row->created_us,
               row->updated_us, row->change, sql_int_or_null(row->account, 0), row->vendor_name,
               address VALUES) < 0)
        return -1;
    row->id = tx_last_id(tx);
    row->role = CAL_OWN;
    return with_zone(tx, row) < 0 ? -1 : 0;
}

int calendar_add_main(struct tx *tx, const struct account *account, const struct actor *who,
                      struct calendar *row)
{
    *row = (struct calendar){.owner = who->id,
                             .account = account->id,
                             .vendor_name = account->vendor,
                             .vendor = cal_vendor_named(tx, account->vendor),
                             .address = who->email,
                             .main = true,
                             .summary = row->summary,
                             .zone = who->zone,
                             .created_us = tx->now_us / US_PER_SECOND * US_PER_SECOND};
    row->updated_us = row->created_us;
    if (row->vendor->address_keys)
        row->key = who->email;
    else if (new_calendar_key(tx, row->vendor->calendar_end, &row->key) < 0)
        return -1;
    return insert(tx, row);
}

static int set_key(struct tx *tx, int64_t id, const char *key)
{
    static struct sql_text q = SQL_TEXT("update cal_calendar set key = :key where id = :id");
    return TX_RUN(tx, &q, key, id);
}

int calendar_rekey(struct tx *tx, struct calendar *cal, const char *key)
{
    struct calendar other;
    const char *had = cal->key;
    int r = calendar_by_key(tx, key, &other);
    if (r < 0)
        return -1;
    cal->key = key;
    if (r == 0 || !other.main || other.vendor->address_keys || calendar_is_made(&other))
        return set_key(tx, cal->id, key);
    /* Another primary one whose key was made has it: they change keys. */
    return set_key(tx, cal->id, arena_printf(tx->arena, "%s ", key)) < 0 ||
                   set_key(tx, other.id, had) < 0 || set_key(tx, cal->id, key) < 0
               ? -1
               : 0;
}

int calendar_add(struct tx *tx, struct calendar *row)
{
    struct calendar own;
    int r = row->account ? calendar_of_account(tx, row->account, &own)
                         : calendar_of(tx, row->owner, &own);
    if (r < 0)
        return -1;
    row->account = r ? own.account : 0;
    row->vendor_name = r ? own.vendor_name : NULL;
    row->vendor = cal_vendor_named(tx, row->vendor_name);
    if (!row->key && new_calendar_key(tx, row->vendor->calendar_end, &row->key) < 0)
        return -1;
    if (!row->zone)
        row->zone = "UTC";
    row->address = row->key;
    row->created_us = row->updated_us = tx->now_us;
    if (calendar_change(tx, &row->change) < 0 || insert(tx, row) < 0)
        return -1;
    return cal_lists_turn(tx, row, CAL_MADE);
}

int calendar_add_group(struct tx *tx, const char *vendor, struct calendar *row)
{
    *row = (struct calendar){.key = row->key,
                             .address = row->key,
                             .summary = row->summary,
                             .zone = row->zone ? row->zone : "UTC",
                             .vendor_name = vendor,
                             .created_us = tx->now_us,
                             .updated_us = tx->now_us};
    return calendar_change(tx, &row->change) < 0 ? -1 : insert(tx, row);
}

int calendar_save(struct tx *tx, const struct calendar *old, struct calendar *row)
{
    static struct sql_text q = SQL_TEXT("update cal_calendar set owner = ?, account = ?, vendor = "
                                        "?, updated_us = ?, change = ?" SETS " where id = ?");
    struct calendar own;
    if (old->owner == row->owner PROPERTIES(COLUMN_SAME))
        return 0;
    if (old->owner != row->owner) { /* it goes to the account that the new owner has */
        int r = calendar_of(tx, row->owner, &own);
        if (r < 0)
            return -1;
        row->account = r ? own.account : 0;
        row->vendor_name = r ? own.vendor_name : NULL;
    }
    row->updated_us = calendar_touch(tx, old->updated_us);
    row->tz = tz_find(row->zone);
    if (calendar_change(tx, &row->change) < 0)
        return -1;
    return TX_RUN(tx, &q, sql_int_or_null(row->owner, 0), sql_int_or_null(row->account, 0),
                  row->vendor_name, row->updated_us, row->change VALUES, row->id);
}
