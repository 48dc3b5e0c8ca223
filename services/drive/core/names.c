/* SPDX-License-Identifier: Apache-2.0 */
/* Names within a folder. An index has them folded; which of those that are found there are the same
 * is the vendor's. */
#include "services/drive/core/names.h"
#include "engine/text/utf8.h"
#include "engine/world/take.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/vendor.h"

static bool is_same(struct tx *tx, const struct drive_vendor *vendor, const char *x, const char *y)
{
    return vendor->same_name ? vendor->same_name(tx->arena, x, y) : strcmp(x, y) == 0;
}

/* What a folder has by a name, but for one item: 1, 0, -1. */
static int find_child(struct tx *tx, const struct drive_vendor *vendor, int64_t folder,
                      const char *name, int64_t but, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, name, flags from drive_item where parent = :folder and folded = "
                 ":folded order by modified_us desc, id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, folder, utf8_fold(tx->arena, name));
    bool found = false;
    const char *other;
    unsigned flags;
    int r = 0;
    while (!found && (r = TX_TAKE_NEXT(tx, st, ret, &other, &flags)) == 1)
        found = *ret != but && !(flags & DRIVE_TRASHED) && is_same(tx, vendor, other, name);
    if (found)
        sql_done(st);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return r < 0 ? -1 : found;
}

int drive_child_by_name(struct tx *tx, const struct drive_item *folder, const char *name,
                        struct drive_item *ret)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, folder);
    int64_t id;
    int r = vendor ? find_child(tx, vendor, folder->id, name, 0, &id) : -1;
    return r == 1 ? drive_item_by_id(tx, id, ret) : r;
}

int drive_item_by_path(struct tx *tx, const struct drive_item *from, const char *path,
                       struct drive_item *ret, const char **ret_rest)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, from);
    int64_t at = from->id, id;
    int r = vendor ? 1 : -1;
    const char *rest = path + strspn(path, "/");
    while (r == 1 && *rest) {
        size_t n = strcspn(rest, "/");
        const char *name = arena_memdup(tx->arena, rest, n);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        if ((r = find_child(tx, vendor, at, name, 0, &id)) != 1)
            break;
        at = id;
        rest += n;
        rest += strspn(rest, "/");
    }
    if (ret_rest)
        *ret_rest = rest;
    if (r < 0 || at == from->id) {
        *ret = *from;
        return r;
    }
    int there = drive_item_by_id(tx, at, ret);
    return there == 1 ? r : there;
}

/* Takes the first free one of the vendor's names: found by doubling and halving, since a folder may
 * have thousands of them. */
static int free_name(struct tx *tx, const struct drive_vendor *vendor, struct drive_item *it)
{
    const char *found;
    int64_t used = 0, free = 1, other;
    int r;
    for (;; used = free, free *= 2) {
        found = vendor->other_name(tx->arena, it->name, it->form, free);
        if ((r = find_child(tx, vendor, it->parent, found, it->id, &other)) != 1)
            break;
    }
    while (r == 0 && free - used > 1) {
        int64_t half = used + (free - used) / 2;
        const char *name = vendor->other_name(tx->arena, it->name, it->form, half);
        int taken = find_child(tx, vendor, it->parent, name, it->id, &other);
        if (taken == 1) {
            used = half;
            continue;
        }
        free = half;
        found = name;
        r = taken;
    }
    if (r == 0)
        it->name = found;
    return r;
}

int drive_name_settle(struct tx *tx, struct drive_item *it, enum drive_conflict how,
                      struct drive_item *ret_old)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    return vendor ? drive_name_settle_with(tx, vendor, it, how, ret_old) : -1;
}

int drive_name_settle_with(struct tx *tx, const struct drive_vendor *vendor, struct drive_item *it,
                           enum drive_conflict how, struct drive_item *ret_old)
{
    int64_t id;
    if (!vendor->unique_names || !it->parent || it->flags & DRIVE_TRASHED)
        return 0;
    int r = find_child(tx, vendor, it->parent, it->name, it->id, &id);
    if (r < 1)
        return r;
    if (how == CONFLICT_RENAME)
        return free_name(tx, vendor, it);
    if (how == CONFLICT_REPLACE && drive_item_by_id(tx, id, ret_old) < 0)
        return -1;
    /* A folder takes the place of nothing, and nothing that of a folder. */
    if (how == CONFLICT_REPLACE && it->form != DRIVE_FOLDER && ret_old->form != DRIVE_FOLDER)
        return 1;
    return tx_fail(tx, SOSIA_E_CONFLICT, "nameInUse", "name",
                   "the folder has an item with the name \"%.80s\"", it->name);
}
