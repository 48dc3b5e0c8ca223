/* SPDX-License-Identifier: Apache-2.0 */
/* Items of lists: rows, their earlier values, and the feed of changes. */
#include "services/lists/core/lists.h"
#include "engine/base/codec.h"
#include "engine/world/event.h"
#include "engine/world/take.h"

int lists_item_get(struct tx *tx, int64_t id, struct lists_item *ret)
{
    return stored_get(tx, &lists_item_stored, id, ret);
}

int lists_item_find(struct tx *tx, int64_t list, int64_t number, struct lists_item *ret)
{
    static struct sql_text q = SQL_TEXT("where list = ?1 and number = ?2");
    return STORED_ONE(tx, &lists_item_stored, &q, ret, list, number);
}

int lists_item_by_key(struct tx *tx, int64_t list, const char *key, struct lists_item *ret)
{
    static struct sql_text q = SQL_TEXT("where list = ?1 and key = lower(?2)");
    return STORED_ONE(tx, &lists_item_stored, &q, ret, list, key);
}

int lists_item_next(struct tx *tx, int64_t list, int64_t after, struct lists_item *ret)
{
    static struct sql_text q = SQL_TEXT("where list = ?1 and number > ?2 order by number limit 1");
    return STORED_ONE(tx, &lists_item_stored, &q, ret, list, after);
}

int lists_change_next(struct tx *tx, int64_t list, int64_t after, struct lists_item *ret)
{
    static struct sql_text q = SQL_TEXT("where list = ?1 and change > ?2 order by change limit 1");
    static struct sql_text q_gone =
        SQL_TEXT("select number, key, change from lists_gone where list = :list and change > "
                 ":after order by change limit 1");
    struct lists_item deleted = {.list = list};
    int there = STORED_ONE(tx, &lists_item_stored, &q, ret, list, after);
    int gone = there < 0 ? -1
                         : TX_TAKE(tx, TX_QUERY(tx, &q_gone, list, after), &deleted.number,
                                   &deleted.key, &deleted.change);
    if (gone != 1)
        return gone < 0 ? -1 : there;
    if (!there || deleted.change < ret->change)
        *ret = deleted;
    return 1;
}

int lists_count(struct tx *tx, int64_t list, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from lists_item where list = :list");
    return TX_INT(tx, &q, ret, list) < 0 ? -1 : 0;
}

/* Something in the list was changed. */
static int touch(struct tx *tx, int64_t list)
{
    static struct sql_text q = SQL_TEXT("update lists_list set modified_us = :now where id = :id");
    event_note(tx, LISTS_CHANGED, OP_CHANGED, list, 0);
    return TX_RUN(tx, &q, tx->now_us, list);
}

/* A GUID that no item has. 0, -1. */
static int make_key(struct tx *tx, const char **ret)
{
    uint8_t b[16];
    char hex[33];
    if (tx_id(tx, "list item", b, sizeof b) < 0)
        return -1;
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    hex_encode(hex, b, sizeof b);
    *ret = arena_printf(tx->arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
                        hex + 20);
    return 0;
}

int lists_item_new(struct tx *tx, struct lists_item *item, int64_t who)
{
    static struct sql_text q =
        SQL_TEXT("update lists_list set next_number = next_number + 1 where id = :id");
    struct lists_list list;
    if (lists_get(tx, item->list, &list) != 1 || (!item->key && make_key(tx, &item->key) < 0) ||
        tx_number(tx, "list change", &item->change) < 0 || TX_RUN(tx, &q, item->list) < 0)
        return -1;
    item->number = list.next_number;
    item->creator = item->modifier = who;
    item->created_us = item->modified_us = tx->now_us;
    item->version = 1;
    if (stored_add(tx, &lists_item_stored, item) < 0)
        return -1;
    item->id = tx_last_id(tx);
    return touch(tx, item->list);
}

int lists_item_save(struct tx *tx, struct lists_item *item, const char *values, int64_t who)
{
    static struct sql_text q = SQL_TEXT(
        "update lists_item set \"values\" = :values, modifier = :modifier, modified_us = :now, "
        "version = :version, change = :change where id = :id");
    const struct lists_version old = {.item = item->id,
                                      .number = item->version,
                                      .values = item->values,
                                      .modifier = item->modifier,
                                      .modified_us = item->modified_us};
    if (stored_add(tx, &lists_version_stored, &old) < 0 ||
        tx_number(tx, "list change", &item->change) < 0)
        return -1;
    item->values = values;
    item->modifier = who;
    item->modified_us = tx->now_us;
    item->version++;
    return TX_RUN(tx, &q, values, sql_int_or_null(who, 0), tx->now_us, item->version, item->change,
                  item->id) < 0
               ? -1
               : touch(tx, item->list);
}

int lists_item_drop(struct tx *tx, const struct lists_item *item)
{
    static struct sql_text q_versions = SQL_TEXT("delete from lists_version where item = :item");
    static struct sql_text q = SQL_TEXT("delete from lists_item where id = :item");
    static struct sql_text q_gone = SQL_TEXT("insert into lists_gone (list, number, key, change) "
                                             "values (:list, :number, :key, :change)");
    int64_t change;
    return tx_number(tx, "list change", &change) < 0 || TX_RUN(tx, &q_versions, item->id) < 0 ||
                   TX_RUN(tx, &q, item->id) < 0 ||
                   TX_RUN(tx, &q_gone, item->list, item->number, item->key, change) < 0
               ? -1
               : touch(tx, item->list);
}

int lists_version_next(struct tx *tx, int64_t item, int64_t below, struct lists_version *ret)
{
    static struct sql_text q =
        SQL_TEXT("where item = ?1 and number < ?2 order by number desc limit 1");
    return STORED_ONE(tx, &lists_version_stored, &q, ret, item, below);
}
