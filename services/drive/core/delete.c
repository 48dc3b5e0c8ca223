/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletion. An item goes at once, with all that is below it: drive_gone has it, and whatever looks
 * an item up finds nothing there (gone.c). Its rows go afterwards, some in the call that deletes it
 * and the others with later calls that change files, a number of rows each: so what a call does
 * depends on the calls before it alone, and nobody waits for a tree of many thousands.
 */
#include "engine/world/event.h"
#include "engine/world/take.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/names.h"
#include "services/drive/core/part.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/find/words.h"

enum {
    EACH_NOTED = 1024, /* items of a tree each of which has an entry in the feed of its own */
    SWEEP_ROWS = 128   /* that go with a call */
};

/* ---- the rows of an item ---- */

/* Bytes are rows of 64 KiB. */
static int64_t rows_of(int64_t size)
{
    return 1 + (size > 0 ? size >> 16 : 0);
}

/* A revision with its content. *rows: that may go yet. 1 there was one, 0, -1. */
static int drop_revision(struct tx *tx, int64_t item, int64_t *rows)
{
    static struct sql_text q = SQL_TEXT("select id, blob, size from drive_revision where item = "
                                        ":item order by id limit 1");
    static struct sql_text q_content =
        SQL_TEXT("select content from drive_document where revision = :revision");
    static struct sql_text q_document =
        SQL_TEXT("delete from drive_document where revision = :revision");
    static struct sql_text q_drop = SQL_TEXT("delete from drive_revision where id = :id");
    int64_t content, id, blob, size;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, item), &id, &blob, &size);
    if (r != 1)
        return r;
    *rows -= rows_of(size);
    r = TX_INT(tx, &q_content, &content, id);
    /* The number of a revision may be given again. */
    if (r < 0 || (r && blob_unref(tx, content) < 0) || (blob && blob_unref(tx, blob) < 0) ||
        due_cancel(tx, DRIVE_CORE, DUE_REVISION, id) < 0 || TX_RUN(tx, &q_document, id) < 0 ||
        TX_RUN(tx, &q_drop, id) < 0)
        return -1;
    return 1;
}

int drive_drop_parts(struct tx *tx, struct drive_part *parts, size_t n_parts, int64_t item,
                     int64_t *rows)
{
    for (size_t i = 0; i<n_parts && * rows> 0; i++) {
        int64_t n;
        if (TX_INT(tx, &parts[i].count, &n, item, *rows) < 0 ||
            (n && (n < *rows ? TX_RUN(tx, &parts[i].all, item)
                             : TX_RUN(tx, &parts[i].some, item, *rows)) < 0))
            return -1;
        *rows -= n;
    }
    return 0;
}

/* Rows of other tables that an item has; not more of them than may go yet. */
static int drop_parts(struct tx *tx, int64_t item, int64_t *rows)
{
    static struct drive_part parts[] = {
        DRIVE_PART_OF(
            "drive_reply", "id", "r.id",
            "drive_comment c join drive_reply r on r.comment = c.id where c.item = :item"),
        DRIVE_PART("drive_comment", "id", "id"),
        DRIVE_PART("drive_property", "(app, name)", "app, name"),
        DRIVE_PART("drive_grant", "id", "id"),
        DRIVE_PART_OF("drive_link_user", "(link, who)", "u.link, u.who",
                      "drive_link l join drive_link_user u on u.link = l.id where l.item = :item"),
        DRIVE_PART("drive_link", "id", "id"),
        DRIVE_PART("drive_mine", "actor", "actor"),
    };
    static struct sql_text q_change =
        SQL_TEXT("delete from drive_change where item = :item and removed = 0");
    const struct drive_vendor *vendor;
    if (drive_drop_parts(tx, parts, SOSIA_LEN(parts), item, rows) < 0)
        return -1;
    for (size_t n = 0; (vendor = drive_vendor_nth(tx, n)); n++)
        if (vendor->item_drop && *rows > 0 && vendor->item_drop(tx, item, rows) < 0)
            return -1;
    --*rows;
    return *rows > 0 ? TX_RUN(tx, &q_change, item) : 0;
}

/* Everything that is of one item, and the item: 1; 0 there is more of it than may go; -1. */
static int drop_item(struct tx *tx, const struct drive_item *it, int64_t *rows)
{
    static struct sql_text q_drive = SQL_TEXT("delete from drive_drive where item = :item");
    static struct sql_text q_gone = SQL_TEXT("delete from drive_gone where item = :item");
    static struct sql_text q_top = SQL_TEXT("delete from drive_top where item = :item");
    static struct sql_text q = SQL_TEXT("delete from drive_item where id = :id");
    static struct sql_text q_head = SQL_TEXT("update drive_item set head = null, blob = null, md5 "
                                             "= null, sha1 = null, sha256 = null where id = :id");
    int r = 1;
    while (*rows > 0 && (r = drop_revision(tx, it->id, rows)) == 1)
        ;
    if (r < 0 || drop_parts(tx, it->id, rows) < 0)
        return -1;
    if (*rows <= 0) /* its head may be among what went */
        return it->head ? TX_RUN(tx, &q_head, it->id) : 0;
    --*rows;
    drive_index_later(tx, it->id);
    if ((it->thumbnail && blob_unref(tx, it->thumbnail) < 0) ||
        (it->flags & DRIVE_TRASHED && due_cancel(tx, DRIVE_CORE, DUE_TRASH, it->id) < 0) ||
        (it->top == DRIVE_SHARED && TX_RUN(tx, &q_drive, it->id) < 0) ||
        (it->top && TX_RUN(tx, &q_top, it->id) < 0) ||
        (!it->parent && TX_RUN(tx, &q_gone, it->id) < 0))
        return -1;
    return TX_RUN(tx, &q, it->id) < 0 ? -1 : 1;
}

/* ---- the sweep ---- */

static int first_child(struct tx *tx, int64_t folder, struct drive_item *ret)
{
    static struct sql_text q = SQL_TEXT("select id from drive_item where parent = :folder order by "
                                        "modified_us desc, id limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, folder);
    return r == 1 ? drive_item_row(tx, id, ret) : r;
}

/* A tree, deepest first: so what is left of it is a tree. Not recursive: it may be as deep as an
 * imported world has it. */
static int sweep_tree(struct tx *tx, int64_t root, int64_t *rows)
{
    struct up {
        struct up *above;
        struct drive_item item;
    } *at = arena_alloc(tx->arena, sizeof *at);
    int r =
        arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : drive_item_row(tx, root, &at->item);
    at->above = NULL;
    while (r == 1 && at) {
        struct drive_item child;
        r = at->item.form == DRIVE_FOLDER ? first_child(tx, at->item.id, &child) : 0;
        if (r == 0) {
            r = drop_item(tx, &at->item, rows);
            at = at->above;
        } else if (r == 1) {
            struct up *next = arena_alloc(tx->arena, sizeof *next);
            *next = (struct up){at, child};
            at = next;
        }
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
    }
    return r < 0 ? -1 : 0;
}

static int sweep(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select item from drive_gone order by item limit 1");
    int64_t rows = SWEEP_ROWS, root;
    int r = 0;
    while (rows > 0) {
        sqlite3_stmt *st = TX_PLAIN(tx, &q);
        if ((r = sql_first_int(tx->db, tx->err, st, &root)) != 1)
            break;
        if (sweep_tree(tx, root, &rows) < 0)
            return -1;
    }
    return r < 0 ? -1 : 0;
}

/* Behind all else that is done at the end of the call. */
static int sweep_last(struct tx *tx, struct sweep *s)
{
    if (!s->any || s->last)
        return s->any ? sweep(tx) : 0;
    s->last = true;
    drive_sweep_put(tx, s);
    return 0;
}

int drive_sweep_later(struct tx *tx)
{
    int r = drive_sweep_of(tx) ? 0 : drive_any_gone(tx);
    if (r < 0 || drive_sweep_of(tx))
        return r;
    struct sweep *s = arena_calloc(tx->arena, 1, sizeof *s);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    *s = (struct sweep){.run = sweep_last, .any = r};
    drive_sweep_put(tx, s);
    return 0;
}

/* ---- who is notified ---- */

/* Another person's file in a folder that is deleted: it is theirs, and is moved to their top. */
static int send_home(struct tx *tx, struct drive_item *it)
{
    struct drive_item root;
    int r = drive_moves(tx, it) < 0 ? -1 : drive_root(tx, it->owner, &root);
    if (r < 0)
        return -1;
    it->parent = r ? root.id : 0;
    return drive_name_settle(tx, it, CONFLICT_RENAME, NULL) < 0 ? -1 : drive_item_save(tx, it);
}

struct ids {
    int64_t *list;
    size_t n, room;
};

static int take(struct tx *tx, sqlite3_stmt *st, struct ids *l)
{
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        l->list = arena_grow(tx->arena, l->list, l->n, &l->room, sizeof *l->list);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        l->list[l->n++] = sqlite3_column_int64(st, 0);
    }
    return r;
}

/* Is it a tree of at most EACH_NOTED items? Looks at no more of them. 1, 0, -1. */
static int is_small(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT(
        "select count(*) from (select 1 from drive_item where parent = :folder limit :most)");
    static struct sql_text q_folders = SQL_TEXT(
        "select id from drive_item where parent = :folder and mime = 'folder' collate nocase");
    struct ids folders = {.list = (int64_t[]){it->id}, .n = 1, .room = 1};
    int64_t all = 1, n;
    for (size_t i = 0; it->form == DRIVE_FOLDER && i < folders.n; i++) { /* grows on the way */
        if (TX_INT(tx, &q, &n, folders.list[i], EACH_NOTED + 1 - all) < 0)
            return -1;
        if ((all += n) > EACH_NOTED)
            return 0;
        if (take(tx, TX_QUERY(tx, &q_folders, folders.list[i]), &folders) < 0)
            return -1;
    }
    return 1;
}

/* Each item of a small tree, a folder before what is in it. */
static int note_each(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT("select id from drive_item where parent = :folder order by "
                                        "modified_us, id desc"); /* taken from the end */
    struct ids left = {0};
    if (it->form == DRIVE_FOLDER && take(tx, TX_QUERY(tx, &q, it->id), &left) < 0)
        return -1;
    while (left.n) {
        struct drive_item child;
        int r = drive_item_row(tx, left.list[--left.n], &child);
        if (r < 1)
            return r;
        if (child.owner && child.owner != it->owner) {
            if (send_home(tx, &child) < 0)
                return -1;
            continue;
        }
        if (drive_removed(tx, &child, 0, NULL) < 0 ||
            (child.form == DRIVE_FOLDER && take(tx, TX_QUERY(tx, &q, child.id), &left) < 0))
            return -1;
    }
    return 0;
}

/* Is it in the tree, in folders that go with it? 1, 0, -1. */
static int goes_with(struct tx *tx, int64_t id, const struct drive_item *root)
{
    struct drive_node node;
    int r = drive_node(tx, id, &node);
    while (r == 1 && node.parent && node.parent != root->id) {
        r = drive_node(tx, node.parent, &node);
        if (r == 1 && node.owner != root->owner)
            return 0;
    }
    return r < 0 ? -1 : r && node.parent == root->id;
}

/* Of a large tree: what others have in it goes to them, and what was shared by itself has an entry
 * for those who saw it. */
static int note_some(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q_hosted = SQL_TEXT("select id from drive_item where host = :owner");
    static struct sql_text q_granted = SQL_TEXT(
        "select id from drive_item where owner is :owner and drive is :drive and flags & 4");
    struct ids hosted = {0}, granted = {0};
    struct sql_value owner = sql_int_or_null(it->owner, 0), drive = sql_int_or_null(it->drive, 0);
    if ((it->owner && take(tx, TX_QUERY(tx, &q_hosted, it->owner), &hosted) < 0) ||
        take(tx, TX_QUERY(tx, &q_granted, owner, drive), &granted) < 0)
        return -1;
    for (size_t i = 0; i < hosted.n + granted.n; i++) {
        struct drive_item one;
        int64_t id = i < hosted.n ? hosted.list[i] : granted.list[i - hosted.n];
        int r = goes_with(tx, id, it);
        if (r == 1)
            r = drive_item_row(tx, id, &one);
        if (r < 0 ||
            (r && (i < hosted.n ? send_home(tx, &one) : drive_removed(tx, &one, 0, NULL)) < 0))
            return -1;
    }
    return 0;
}

/* What is left of things that were deleted from a shared drive before: below it, so that it goes
 * after them. Their rows have its number. */
static int sweep_along(struct tx *tx, int64_t top)
{
    static struct sql_text q = SQL_TEXT("update drive_item set parent = :top where id in (select "
                                        "item from drive_gone) and drive = :top and id <> :top");
    static struct sql_text q_gone =
        SQL_TEXT("delete from drive_gone where (select parent from drive_item where id = item) "
                 "= :top");
    return TX_RUN(tx, &q, top) < 0 ? -1 : TX_RUN(tx, &q_gone, top);
}

int drive_delete(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q_cut = SQL_TEXT(
        "update drive_item set parent = null, host = null, flags = flags & ~1 where id = :id");
    static struct sql_text q = SQL_TEXT("insert or ignore into drive_gone (item) values (:item)");
    int small = is_small(tx, it);
    if (small < 0 || drive_removed(tx, it, 0, NULL) < 0 ||
        (small ? note_each(tx, it) : note_some(tx, it)) < 0)
        return -1;
    if (it->flags & DRIVE_TRASHED && due_cancel(tx, DRIVE_CORE, DUE_TRASH, it->id) < 0)
        return -1;
    if (TX_RUN(tx, &q_cut, it->id) < 0 || TX_RUN(tx, &q, it->id) < 0 || drive_sweep_later(tx) < 0 ||
        (it->top == DRIVE_SHARED && sweep_along(tx, it->id) < 0))
        return -1;
    drive_sweep_of(tx)->any = true;
    return 0;
}

int drive_empty_trash(struct tx *tx, int64_t owner, int64_t drive)
{
    static struct sql_text q_own = SQL_TEXT("select id from drive_item where owner = :owner and "
                                            "drive is null and flags & 1 order by id");
    static struct sql_text q_drive =
        SQL_TEXT("select id from drive_item where drive = :drive and flags & 1 order by id");
    struct ids l = {0};
    if (take(tx, drive ? TX_QUERY(tx, &q_drive, drive) : TX_QUERY(tx, &q_own, owner), &l) < 0)
        return -1;
    for (size_t i = 0; i < l.n; i++) {
        struct drive_item it;
        int r = drive_item_by_id(tx, l.list[i], &it);
        if (r < 0 || (r && it.flags & DRIVE_TRASHED && drive_delete(tx, &it) < 0))
            return -1;
    }
    return 0;
}
