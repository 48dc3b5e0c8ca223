/* SPDX-License-Identifier: Apache-2.0 */
/* Items: finding them, and the folders above them. */
#include "engine/world/ids.h"
#include "engine/store/row.h"
#include "engine/world/take.h"
#include "services/drive/core/drive_impl.h"

#define COLUMNS                                                                                    \
    "id, parent, owner, drive, flags, form, top, space, key, name, mime, size, created_us, "       \
    "modified_us, modifier, version, blob, head, md5, sha1, sha256, target, target_key, "          \
    "target_mime, trashed_us, trasher, description, original, extension, color, resource_key, "    \
    "restrictions, download_rules, media, index_text, thumbnail, thumbnail_mime, creator_app, "    \
    "extra"

static struct drive_item item_of(struct record *row)
{
    return (struct drive_item){
        .id = record_int(row, 0),
        .parent = record_int(row, 1),
        .owner = record_int(row, 2),
        .drive = record_int(row, 3),
        .flags = (unsigned)record_int(row, 4),
        .form = (enum drive_form)record_int(row, 5),
        .top = (enum drive_top)record_int(row, 6),
        .space = record_int(row, 7),
        .key = record_text(row, 8),
        .name = record_text(row, 9),
        .mime = record_text(row, 10),
        .size = record_is_null(row, 11) ? -1 : record_int(row, 11),
        .created_us = record_int(row, 12),
        .modified_us = record_int(row, 13),
        .modifier = record_int(row, 14),
        .version = record_int(row, 15),
        .blob = record_int(row, 16),
        .head = record_int(row, 17),
        .md5 = record_text(row, 18),
        .sha1 = record_text(row, 19),
        .sha256 = record_text(row, 20),
        .target = record_int(row, 21),
        .target_key = record_text(row, 22),
        .target_mime = record_text(row, 23),
        .trashed_us = record_int(row, 24),
        .trasher = record_int(row, 25),
        .description = record_text(row, 26),
        .original = record_text(row, 27),
        .extension = record_text(row, 28),
        .color = record_text(row, 29),
        .resource_key = record_text(row, 30),
        .restrictions = record_text(row, 31),
        .download_rules = record_text(row, 32),
        .media = record_text(row, 33),
        .index_text = record_text(row, 34),
        .thumbnail = record_int(row, 35),
        .thumbnail_mime = record_text(row, 36),
        .creator_app = record_int(row, 37),
        .extra = record_text(row, 38),
    };
}

int drive_item_row(struct tx *tx, int64_t id, struct drive_item *ret)
{
    static struct row_table table = ROW_TABLE("drive_item", "i", COLUMNS);
    struct record row = {.arena = tx->arena};
    int r = ROW_BY_ID(tx, &table, id, &row);
    if (r == 1)
        *ret = item_of(&row);
    return r;
}

int drive_item_by_id(struct tx *tx, int64_t id, struct drive_item *ret)
{
    int r = drive_item_row(tx, id, ret);
    int gone = r == 1 ? drive_is_gone(tx, ret->id, ret->parent) : 0;
    return gone < 0 ? -1 : gone ? 0 : r;
}

struct sql_text drive_id_of_key = SQL_TEXT("select id from drive_item where key = :key"),
                drive_top_of_key =
                    SQL_TEXT("select id from drive_item where key = :key and top = 2"),
                drive_key_of_id = SQL_TEXT("select key from drive_item where id = :id");

int drive_item_by_key(struct tx *tx, const char *key, struct drive_item *ret)
{
    int64_t id;
    int r = TX_INT(tx, &drive_id_of_key, &id, key);
    return r == 1 ? drive_item_by_id(tx, id, ret) : r;
}

int drive_item_key(struct tx *tx, int64_t id, const char **ret)
{
    return TX_TAKE(tx, TX_QUERY(tx, &drive_key_of_id, id), ret);
}

int drive_children(struct tx *tx, int64_t folder, int64_t **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select id from drive_item where parent = :parent and not flags & 1 order by id");
    return ids_all(tx, TX_QUERY(tx, &q, folder), ret, ret_n);
}

int drive_walk(struct tx *tx, int64_t folder, struct drive_walk *at, size_t limit, int64_t **ret,
               size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(
        "with recursive below(depth, id) as (select 0, :folder union all select b.depth + 1, i.id "
        "from below b join drive_item i on i.parent = b.id where not i.flags & 1 order by 1, 2) "
        "select depth, id from below where (depth, id) > (:depth, :item) limit :most");
    *ret_n = 0;
    *ret = arena_calloc(tx->arena, limit + 1, sizeof **ret);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    sqlite3_stmt *st = TX_QUERY(tx, &q, folder, at->depth, at->item, (int64_t)limit + 1);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        if (*ret_n == limit) {
            sql_done(st);
            return 1;
        }
        *at = (struct drive_walk){sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1)};
        (*ret)[(*ret_n)++] = at->item;
    }
    return r;
}

int drive_child_count(struct tx *tx, int64_t folder, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from drive_item where parent = :parent and not flags & 1");
    return TX_INT(tx, &q, ret, folder) < 0 ? -1 : 0;
}

int drive_size_below(struct tx *tx, int64_t folder, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT(
        "with recursive below(id, size) as (select id, size from drive_item where parent = :item "
        "and not flags & 1 union all select i.id, i.size from below b join drive_item i on "
        "i.parent = b.id where not i.flags & 1) select coalesce(sum(size), 0) from below");
    return TX_INT(tx, &q, ret, folder) < 0 ? -1 : 0;
}

int drive_node(struct tx *tx, int64_t id, struct drive_node *ret)
{
    static struct row_table table =
        ROW_TABLE("drive_item", "i", "parent, owner, drive, flags, form, top");
    struct record row = {.arena = tx->arena};
    int r = ROW_BY_ID(tx, &table, id, &row);
    if (r == 1)
        *ret = (struct drive_node){.parent = record_int(&row, 0),
                                   .owner = record_int(&row, 1),
                                   .drive = record_int(&row, 2),
                                   .flags = (unsigned)record_int(&row, 3),
                                   .form = (enum drive_form)record_int(&row, 4),
                                   .top = (enum drive_top)record_int(&row, 5)};
    return r;
}

bool drive_is_made_by(const struct drive_item *it, const int64_t apps[DRIVE_MAKERS])
{
    int64_t app = it->creator_app;
    return !apps[0] || (app && (app == apps[0] || app == apps[1]));
}

/* ---- the tree ---- */

enum { MAX_DEPTH = 4096 }; /* no tree is as high: an imported one might go round */

int drive_is_under(struct tx *tx, int64_t item, int64_t above)
{
    struct drive_node node;
    for (int i = 0; item && i < MAX_DEPTH; i++) {
        if (item == above)
            return 1;
        int r = drive_node(tx, item, &node);
        if (r != 1)
            return r;
        item = node.parent;
    }
    return 0;
}

int drive_each_ancestor(struct tx *tx, const struct drive_item *it,
                        int (*fn)(void *arg, const struct drive_item *folder), void *arg)
{
    struct drive_item folder;
    int64_t id = it->parent;
    for (int i = 0; id && i < MAX_DEPTH; i++) {
        int r = drive_item_by_id(tx, id, &folder);
        if (r != 1)
            return r;
        r = fn(arg, &folder);
        if (r)
            return r;
        id = folder.parent;
    }
    return 0;
}
