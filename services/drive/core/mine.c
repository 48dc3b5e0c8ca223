/* SPDX-License-Identifier: Apache-2.0 */
/* What an item is to one person, and properties. */
#include "engine/world/take.h"
#include "services/drive/core/drive_impl.h"

int drive_mine(struct tx *tx, const struct drive_item *it, int64_t actor, struct drive_mine *ret)
{
    static struct sql_text q =
        SQL_TEXT("select starred, hidden, viewed_us, modified_us, shared_us, sharer from "
                 "drive_mine where actor = :actor and item = :item");
    *ret = (struct drive_mine){0};
    if (TX_TAKE(tx, TX_QUERY(tx, &q, actor, it->id), &ret->starred, &ret->hidden, &ret->viewed_us,
                &ret->modified_us, &ret->shared_us, &ret->sharer) < 0)
        return -1;
    if (it->modifier == actor && actor)
        ret->modified_us = drive_when(it->modified_us);
    return 0;
}

int drive_mine_save(struct tx *tx, int64_t item, int64_t actor, const struct drive_mine *m)
{
    static struct sql_text q = SQL_TEXT(
        "insert or replace into drive_mine (item, actor, starred, hidden, viewed_us, modified_us, "
        "shared_us, sharer, guest) values (:item, :actor, :starred, :hidden, :viewed, :modified, "
        ":shared, :sharer, (select 1 from drive_item where id = :item and owner is not :actor))");
    return TX_RUN(tx, &q, item, actor, m->starred, m->hidden, sql_int_or_null(m->viewed_us, 0),
                  sql_int_or_null(m->modified_us, 0), sql_int_or_null(m->shared_us, 0),
                  sql_int_or_null(m->sharer, 0));
}

int drive_guests(struct tx *tx, int64_t item, int64_t owner)
{
    static struct sql_text q =
        SQL_TEXT("update drive_mine set guest = nullif(actor is not :owner, 0) where item = :item");
    return TX_RUN(tx, &q, sql_int_or_null(owner, 0), item);
}

int drive_properties(struct tx *tx, int64_t item, int64_t app, struct drive_property **ret,
                     size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(
        "select name, value from drive_property where item = :item and app = :app order by name");
    struct drive_property p;
    return TX_TAKE_ALL(tx, TX_QUERY(tx, &q, item, app), &p, ret, ret_n, &p.name, &p.value);
}

int drive_property_set(struct tx *tx, int64_t item, int64_t app, const struct drive_property *p)
{
    static struct sql_text q_put = SQL_TEXT("insert or replace into drive_property (item, app, "
                                            "name, value) values (:item, :app, :name, :value)");
    static struct sql_text q_drop =
        SQL_TEXT("delete from drive_property where item = :item and app = :app and name = :name");
    return p->value ? TX_RUN(tx, &q_put, item, app, p->name, p->value)
                    : TX_RUN(tx, &q_drop, item, app, p->name);
}

int drive_property_count(struct tx *tx, int64_t item, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from drive_property where item = :item");
    *ret = 0;
    return TX_INT(tx, &q, ret, item) < 0 ? -1 : 0;
}

int drive_mine_next(struct tx *tx, int64_t item, int64_t after, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select actor from drive_mine where item = :item and "
                                        "actor > :after order by actor limit 1");
    return TX_INT(tx, &q, ret, item, after);
}
