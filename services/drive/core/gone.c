/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items that were deleted and have rows yet (delete.c): those that drive_gone has, and what is
 * below them. They are found as if they had none: drive_item_by_id() asks here.
 */
#include "engine/store/cursor.h"
#include "engine/store/row.h"
#include "services/drive/core/drive_impl.h"

static struct row_table table = ROW_TABLE("drive_gone", "g", "item");

static int run(struct tx *tx, void *arg)
{
    struct sweep *s = arg;
    return s->run(tx, s);
}

struct sweep *drive_sweep_of(const struct tx *tx)
{
    return tx_later_arg(tx, run);
}

void drive_sweep_put(struct tx *tx, struct sweep *s)
{
    tx_later(tx, run, s);
}

int drive_any_gone(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_gone limit 1");
    const struct sweep *known = drive_sweep_of(tx);
    struct table_cursor cur;
    int64_t one;
    if (known)
        return known->any;
    int r = cursor_open(tx->db, &table.record, INT64_MIN, false, tx->arena, &cur);
    if (r == 1 && (r = cursor_next(&cur)) >= 0)
        return r;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    return sql_first_int(tx->db, tx->err, st, &one);
}

static int is_root(struct tx *tx, int64_t id)
{
    struct record row = {.arena = tx->arena};
    return ROW_BY_ID(tx, &table, id, &row);
}

/* Up to what is in no folder, which drive_gone has or has not. An imported tree may be of any
 * depth. */
static int look_above(struct tx *tx, int64_t id)
{
    struct drive_node node;
    int r;
    while ((r = drive_node(tx, id, &node)) == 1 && node.parent)
        id = node.parent;
    return r == 1 ? is_root(tx, id) : r;
}

int drive_is_gone(struct tx *tx, int64_t id, int64_t parent)
{
    int r = drive_any_gone(tx);
    return r < 1 ? r : parent ? look_above(tx, parent) : is_root(tx, id);
}
