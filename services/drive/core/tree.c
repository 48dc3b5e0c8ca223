/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to whole trees: moves, the trash, copies of files. */
#include "engine/world/event.h"
#include "engine/world/take.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/vendor.h"

/* ---- moves ---- */

/* Up to one more than `most` + 1. */
static int depth_of(struct tx *tx, int64_t folder, int most, int *ret)
{
    struct drive_node node;
    for (*ret = 0; folder && *ret <= most + 1; ++*ret) {
        int r = drive_node(tx, folder, &node);
        if (r != 1)
            return r;
        folder = node.parent;
    }
    return 0;
}

/* How many folders deep it is below a folder; what is deeper than `most` is not looked at. */
static int height_of(struct tx *tx, int64_t folder, int most, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT(
        "with recursive below(id, level) as (select :item, 0 union all select i.id, b.level + 1 "
        "from drive_item i join below b on i.parent = b.id where i.form = 1 and b.level <= :most) "
        "select max(level) from below");
    return TX_INT(tx, &q, ret, folder, most) < 0 ? -1 : 0;
}

/* Would a folder that is moved below `depth` others be too deep, or what is in it? A folder that
 * does not become deeper is as good as it was: its descendants are not looked at. 1, 0, -1. */
static int is_too_deep(struct tx *tx, const struct drive_item *it, int depth, int most)
{
    int64_t height;
    int before;
    if (depth > most || !it->id)
        return depth > most;
    if (depth_of(tx, it->parent, most, &before) < 0)
        return -1;
    if (depth <= before)
        return 0;
    if (height_of(tx, it->id, most - depth, &height) < 0)
        return -1;
    return depth + height > most;
}

int drive_may_hold(struct tx *tx, const struct drive_item *folder, const struct drive_item *it)
{
    int depth = 0;
    if (it->id) {
        int r = drive_is_under(tx, folder->id, it->id);
        if (r)
            return r < 0 ? -1
                         : tx_fail(tx, SOSIA_E_INVALID, "cycle", NULL,
                                   "a folder can't be in itself or below itself");
    }
    if (it->form != DRIVE_FOLDER)
        return 0;
    const struct drive_vendor *vendor = drive_vendor_of(tx, folder);
    if (!vendor || depth_of(tx, folder->id, vendor->max_depth, &depth) < 0)
        return -1;
    int r = is_too_deep(tx, it, depth, vendor->max_depth);
    if (r < 0)
        return -1;
    if (r)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "tooDeep", NULL, "no more than %d folders deep",
                       vendor->max_depth);
    return 0;
}

int drive_made_elsewhere(struct tx *tx, int64_t folder, int64_t app, const char **ret_key)
{
    static struct sql_text q = SQL_TEXT(
        "with recursive below(id) as (select id from drive_item where parent = :folder union all "
        "select i.id from drive_item i join below b on i.parent = b.id) select i.key from below b "
        "join drive_item i on i.id = b.id where i.creator_app is not :app order by i.id limit 1");
    return TX_TAKE(tx, TX_QUERY(tx, &q, folder, app), ret_key);
}

/* Between drives what is below is moved too: the only move that touches it. */
static int take_along(struct tx *tx, const struct drive_item *it, int64_t owner)
{
#define BELOW                                                                                      \
    "(with recursive below(id) as (select id from drive_item where parent = :item union all "      \
    "select i.id from drive_item i join below b on i.parent = b.id) select id from below)"
    static struct sql_text q = SQL_TEXT(
        "update drive_item set drive = :drive, owner = :owner, host = null where id in " BELOW);
    static struct sql_text q_guests = SQL_TEXT(
        "update drive_mine set guest = nullif(actor is not :owner, 0) where item in " BELOW);
    struct sql_value to = sql_int_or_null(owner, 0);
    if (it->form != DRIVE_FOLDER)
        return 0;
    return TX_RUN(tx, &q, sql_int_or_null(it->drive, 0), to, it->id) < 0 ||
                   TX_RUN(tx, &q_guests, to, it->id) < 0
               ? -1
               : 0;
}

int drive_hosts(struct tx *tx, const struct drive_item *folder)
{
    static struct sql_text q =
        SQL_TEXT("update drive_item set host = nullif(:owner, owner) where parent = :folder");
    return folder->form == DRIVE_FOLDER ? TX_RUN(tx, &q, folder->owner, folder->id) : 0;
}

int drive_move(struct tx *tx, struct drive_item *it, const struct drive_item *folder, int64_t owner)
{
    if (drive_may_hold(tx, folder, it) < 0)
        return -1;
    bool crosses = it->drive != folder->drive;
    if (it->parent && it->parent != folder->id && drive_moves(tx, it) < 0)
        return -1;
    it->parent = folder->id;
    if (crosses) {
        it->drive = folder->drive;
        it->owner = folder->drive ? 0 : owner;
        if (take_along(tx, it, it->owner) < 0)
            return -1;
    }
    return 0;
}

/* ---- the trash ---- */

int drive_trash(struct tx *tx, struct drive_item *it, int64_t who)
{
    if (it->flags & DRIVE_TRASHED)
        return 0;
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    if (!vendor)
        return -1;
    it->flags |= DRIVE_TRASHED;
    it->trashed_us = tx->now_us;
    it->trasher = who;
    return due_add(tx, tx->now_us + vendor->trash_us, DRIVE_CORE, DUE_TRASH, it->id);
}

int drive_untrash(struct tx *tx, struct drive_item *it)
{
    if (!(it->flags & DRIVE_TRASHED))
        return 0;
    it->flags &= ~(unsigned)DRIVE_TRASHED;
    it->trashed_us = it->trasher = 0;
    return due_cancel(tx, DRIVE_CORE, DUE_TRASH, it->id);
}

int drive_trash_due(struct tx *tx, int64_t id)
{
    struct drive_item it;
    int r = drive_item_by_id(tx, id, &it);
    if (r != 1 || !(it.flags & DRIVE_TRASHED))
        return r < 0 ? -1 : 0;
    return drive_delete(tx, &it);
}

/* ---- copies ---- */

/* The content of another item's head: the same bytes, once more referred to. */
int drive_copy_content(struct tx *tx, const struct drive_item *from, struct drive_item *it)
{
    static struct sql_text q_content =
        SQL_TEXT("select content from drive_document where revision = :revision");
    static struct sql_text q_add =
        SQL_TEXT("insert into drive_document (revision, item, content) values (:revision, :item, "
                 ":content)");
    int64_t content = 0;
    it->blob = from->blob;
    it->size = from->size;
    it->md5 = from->md5;
    it->sha1 = from->sha1;
    it->sha256 = from->sha256;
    if (it->blob && blob_ref(tx, it->blob) < 0)
        return -1;
    if (!from->head)
        return drive_item_save(tx, it);
    if (drive_revision_add(tx, it) < 0)
        return -1;
    int r = TX_INT(tx, &q_content, &content, from->head);
    if (r < 0 ||
        (r && (blob_ref(tx, content) < 0 || TX_RUN(tx, &q_add, it->head, it->id, content) < 0)))
        return -1;
    return drive_item_save(tx, it);
}

int drive_usage(struct tx *tx, int64_t owner, int64_t *ret_all, int64_t *ret_trash)
{
    static struct sql_text q =
        SQL_TEXT("with recursive trash (id) as (select id from drive_item where owner = :owner and "
                 "drive is null and flags & 1 union select i.id from trash t join drive_item i on "
                 "i.parent = t.id) select coalesce(sum(used), 0), coalesce(sum(case when id in "
                 "(select id from trash) then used end), 0) from (select i.id, coalesce(i.size, 0) "
                 "+ (select coalesce(sum(r.size), 0) from drive_revision r where r.item = i.id and "
                 "r.keep and r.id <> i.head) as used from drive_item i where i.owner = :owner and "
                 "i.drive is null and i.id not in " DRIVE_GONE ")");
    return TX_TAKE(tx, TX_QUERY(tx, &q, owner), ret_all, ret_trash) == 1 ? 0 : -1;
}
