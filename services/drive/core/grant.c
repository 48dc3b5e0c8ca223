/* SPDX-License-Identifier: Apache-2.0 */
/* Grants as rows, and what an item is to a person. */
#include "engine/world/take.h"
#include "services/drive/core/drive_impl.h"

int drive_grants(struct tx *tx, int64_t item, struct drive_grant **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(
        "select id, kind, who, role, lowers, discoverable, view, pending, expires_us, created_us "
        "from drive_grant where item = :item order by id");
    struct drive_grant g = {.item = item};
    return TX_TAKE_ALL(tx, TX_QUERY(tx, &q, item), &g, ret, ret_n, &g.id, &g.kind, &g.who, &g.role,
                       &g.lowers, &g.discoverable, &g.view, &g.pending, &g.expires_us,
                       &g.created_us);
}

static void notify_watchers(struct tx *tx, const struct drive_item *it)
{
    static const char *const permissions[] = {"permissions", NULL};
    drive_raise(tx, it, OP_CHANGED, permissions);
}

/* Keeps the flag that lets walks pass items at which nothing is granted. */
static int note_granted(struct tx *tx, struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_grant where item = :item limit 1");
    int64_t any = 0;
    int r = TX_INT(tx, &q, &any, it->id);
    if (r < 0)
        return -1;
    it->flags = r ? it->flags | DRIVE_GRANTED : it->flags & ~(unsigned)DRIVE_GRANTED;
    return drive_item_save(tx, it);
}

int drive_grant_set(struct tx *tx, struct drive_item *it, struct drive_grant *g)
{
    static struct sql_text q = SQL_TEXT(
        "insert into drive_grant (item, kind, who, role, lowers, discoverable, view, pending, "
        "expires_us, created_us) values (:item, :kind, :who, :role, :lowers, :discoverable, "
        ":view, :pending, :expires, :created) on conflict (item, kind, who) do update set role = "
        "excluded.role, lowers = excluded.lowers, discoverable = excluded.discoverable, view = "
        "excluded.view, pending = excluded.pending, expires_us = excluded.expires_us");
    static struct sql_text q_id =
        SQL_TEXT("select id from drive_grant where item = :item and kind = :kind and who = :who");
    g->item = it->id;
    if (!g->created_us)
        g->created_us = tx->now_us;
    if (TX_RUN(tx, &q, g->item, g->kind, g->who, g->role, g->lowers, g->discoverable, g->view,
               g->pending, sql_int_or_null(g->expires_us, 0), g->created_us) < 0 ||
        TX_INT(tx, &q_id, &g->id, g->item, g->kind, g->who) < 0)
        return -1;
    notify_watchers(tx, it);
    return note_granted(tx, it);
}

int drive_grant_remove(struct tx *tx, struct drive_item *it, const struct drive_grant *g)
{
    static struct sql_text q = SQL_TEXT("delete from drive_grant where id = :id");
    if (drive_removed(tx, it, g->kind, g->who) < 0 || TX_RUN(tx, &q, g->id) < 0)
        return -1;
    notify_watchers(tx, it);
    return note_granted(tx, it);
}

int drive_is_granted(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from drive_grant where item = :item and view is null limit 1");
    int64_t one;
    return it->flags & DRIVE_GRANTED ? TX_INT(tx, &q, &one, it->id) : 0;
}

int drive_is_offered(struct tx *tx, const struct drive_item *it, const char *email)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_grant where item = :item and kind = 1 "
                                        "and who = :who and pending = 1");
    int64_t one;
    return it->flags & DRIVE_GRANTED ? TX_INT(tx, &q, &one, it->id, email) : 0;
}
