/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/take.h"
#include "services/drive/core/feed.h"
#include "services/drive/core/drive_impl.h"

struct reading {
    const struct drive_feed *q;
    struct tx *tx;
    struct drive_viewer direct; /* who sees what without links */
};

/* Whether the viewer is among those who saw the deleted item. 1, 0, -1. */
static int saw_it(struct reading *r, const char *seen_by)
{
    const struct json *list;
    struct sosia_err err;
    if (json_parse(r->tx->arena, seen_by, strlen(seen_by), NULL, &list, &err) < 0 ||
        list->type != JSON_ARRAY)
        return 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *v = &list->items[i];
        if (v->type != JSON_STRING || v->n < 2 || v->str[0] < '1' || v->str[0] > '4' ||
            v->str[1] != ' ')
            continue;
        int meant = drive_is_meant(&r->direct, (enum drive_grantee)(v->str[0] - '0'), v->str + 2);
        if (meant)
            return meant;
    }
    return 0;
}

/* Whether the viewer's feed has the item. In a shared drive the drive's feed has it, but for
 * those who are not members. 1, 0, -1. */
static int is_listed(struct reading *r, const struct drive_item *it)
{
    struct drive_access access;
    struct drive_mine mine;
    if (it->drive && !r->q->drive) {
        struct drive_item top;
        if (!r->q->shared_too || r->q->own_only)
            return 0;
        int found = drive_item_by_id(r->tx, it->drive, &top);
        if (found < 0 || (found && drive_role(&r->direct, &top, &access) < 0))
            return -1;
        if (found && access.role)
            return 0;
    }
    if (drive_role(&r->direct, it, &access) < 0)
        return -1;
    if (access.role >= ROLE_READER)
        return !r->q->own_only || it->owner == r->q->viewer->who->id;
    if (r->q->own_only || drive_role(r->q->viewer, it, &access) < 0)
        return r->q->own_only ? 0 : -1;
    if (access.role < ROLE_READER || drive_mine(r->tx, it, r->q->viewer->who->id, &mine) < 0)
        return access.role < ROLE_READER ? 0 : -1;
    return mine.viewed_us != 0; /* opened by its link */
}

/* A shared drive itself: for its members. */
static int is_member(struct reading *r, const struct drive_item *top)
{
    struct drive_access access;
    if (!r->q->shared_too && !r->q->drive)
        return 0;
    return drive_role(&r->direct, top, &access) < 0 ? -1 : access.role != ROLE_NONE;
}

/* Is the row an entry of this feed? Fills the item of what is there. 1, 0, -1. */
static int take_row(struct reading *r, int64_t item, int64_t space, const char *seen_by,
                    struct drive_feed_entry *e)
{
    struct drive_item it;
    if (space != r->q->app_space)
        return 0;
    int found = drive_item_by_id(r->tx, item, &it);
    if (found < 0)
        return -1;
    if (r->q->made_by[0] && !space &&
        (e->is_drive || (found && !drive_is_made_by(&it, r->q->made_by))))
        return 0;
    int listed = !found ? 0 : e->is_drive ? is_member(r, &it) : is_listed(r, &it);
    if (listed < 0)
        return -1;
    if (e->removed && e->is_drive && !r->q->shared_too && !r->q->drive)
        return 0;
    if (e->removed)
        return !r->q->removed || listed ? 0 : saw_it(r, seen_by ? seen_by : "[]");
    e->item = it;
    return listed == 1 && seen_by ? saw_it(r, seen_by) : listed;
}

int drive_feed_read(const struct drive_feed *q, struct drive_feed_entry **ret, size_t *ret_n,
                    int64_t *ret_next)
{
    static struct sql_text texts[] = {
        SQL_TEXT("select number, item, key, is_drive, removed, seen_by, space, time_us, form "
                 "from drive_change where number >= :from order by number"),
        SQL_TEXT("select number, item, key, is_drive, removed, seen_by, space, time_us, form "
                 "from drive_change where number >= :from and drive = :drive order by number"),
    };
    struct tx *tx = q->viewer->tx;
    struct reading r = {.q = q, .tx = tx};
    struct drive_feed_entry *list = arena_calloc(tx->arena, q->limit + 1, sizeof *list);
    size_t n = 0;
    int row;
    drive_viewer(tx, q->viewer->who, &r.direct);
    r.direct.only_direct = true;
    sqlite3_stmt *st =
        q->drive ? TX_QUERY(tx, &texts[1], q->from, q->drive) : TX_QUERY(tx, &texts[0], q->from);
    if (!st)
        return -1;
    while (n <= q->limit) {
        struct drive_feed_entry e = {0};
        const char *seen_by;
        int64_t item, space;
        row = TX_TAKE_NEXT(tx, st, &e.number, &item, &e.key, &e.is_drive, &e.removed, &seen_by,
                           &space, &e.time_us, &e.form);
        if (row != 1)
            break;
        int taken = take_row(&r, item, space, seen_by, &e);
        list[n] = e;
        if (taken < 0) {
            sql_done(st);
            return -1;
        }
        n += (size_t)taken;
    }
    if (n > q->limit)
        sql_done(st);
    else if (row < 0)
        return -1;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    *ret = list;
    *ret_n = n > q->limit ? q->limit : n;
    *ret_next = n > q->limit ? list[q->limit].number : 0;
    return 0;
}
