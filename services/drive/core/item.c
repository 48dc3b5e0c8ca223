/* SPDX-License-Identifier: Apache-2.0 */
/* Items: making and changing them. Nothing that follows from an item's place is stored in it. */
#include "engine/store/row.h"
#include "identity/account.h"
#include "engine/text/utf8.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/names.h"
#include "services/drive/core/vendor.h"
#include "services/drive/core/find/words.h"

/* ---- making and changing ---- */

/* Null where it is not in the trash: what is may be there since the first instant of 1970. */
static struct sql_value trashed_since(const struct drive_item *it)
{
    return sql_int_or_null(it->trashed_us, it->flags & DRIVE_TRASHED ? INT64_MIN : 0);
}

static int store(struct tx *tx, struct sql_text *q, const struct drive_item *it)
{
    return TX_RUN(tx, q, sql_int_or_null(it->parent, 0), sql_int_or_null(it->owner, 0),
                  sql_int_or_null(it->drive, 0), it->flags, it->form, it->top, it->space, it->key,
                  it->name, it->mime, sql_int_or_null(it->size, -1), it->created_us,
                  it->modified_us, sql_int_or_null(it->modifier, 0), it->version,
                  sql_int_or_null(it->blob, 0), sql_int_or_null(it->head, 0), it->md5, it->sha1,
                  it->sha256, sql_int_or_null(it->target, 0), it->target_key, it->target_mime,
                  trashed_since(it), sql_int_or_null(it->trasher, 0), it->description, it->original,
                  it->extension, it->color, it->resource_key, it->restrictions, it->download_rules,
                  it->media, it->index_text, sql_int_or_null(it->thumbnail, 0), it->thumbnail_mime,
                  sql_int_or_null(it->creator_app, 0), it->extra, utf8_fold(tx->arena, it->name),
                  sql_int_or_null(it->id, 0));
}

/* Of an item that is written: whose folder it is in, if that is somebody else's. */
#define HOST "(select f.owner from drive_item f where f.id = :parent and f.owner is not :owner)"

/* What is deleted and has a row yet leaves its key to others: 0; 1 it is in use; -1. */
static int give_up_key(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("update drive_item set key = 'gone ' || id where id = :id");
    struct drive_item it;
    int r = drive_item_by_id(tx, id, &it);
    return r ? r : TX_RUN(tx, &q, id);
}

int drive_item_add(struct tx *tx, struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT(
        "insert into drive_item (parent, owner, drive, flags, form, top, space, key, name, mime, "
        "size, created_us, modified_us, modifier, version, blob, head, md5, sha1, sha256, target, "
        "target_key, target_mime, trashed_us, trasher, description, original, extension, color, "
        "resource_key, restrictions, download_rules, media, index_text, thumbnail, "
        "thumbnail_mime, creator_app, extra, folded, id, host) values (:parent, :owner, :drive, "
        ":flags, "
        ":form, :top, :space, :key, :name, :mime, :size, :created, :modified, :modifier, :version, "
        ":blob, :head, :md5, :sha1, :sha256, :target, :target_key, :target_mime, :trashed, "
        ":trasher, :description, :original, :extension, :color, :resource_key, :restrictions, "
        ":download_rules, :media, :index_text, :thumbnail, :thumbnail_mime, :creator_app, :extra, "
        ":folded, :id, " HOST ")");
    static struct sql_text q_used = SQL_TEXT("select id from drive_item where key = :key");
    int64_t used;
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    if (!vendor || drive_name_settle_with(tx, vendor, it, CONFLICT_FAIL, NULL) < 0)
        return -1;
    int r = it->key ? TX_INT(tx, &q_used, &used, it->key) : 0;
    if (!it->key && !(it->key = drive_new_key(tx, vendor, it->form, it->top, true)))
        return -1;
    if (r == 1)
        r = give_up_key(tx, used);
    if (r)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_CONFLICT, "keyInUse", "id", "the id %s is in use",
                               it->key);
    if (!it->created_us)
        it->created_us = tx->now_us;
    if (!it->modified_us)
        it->modified_us = it->created_us;
    /* Never the number of a deleted item: the feed and shortcuts still name it. */
    if (tx_number(tx, "drive item number", &it->id) < 0)
        return -1;
    it->version = 1;
    if (store(tx, &q, it) < 0)
        return -1;
    drive_index_later(tx, it->id);
    return it->top ? 0 : drive_changed(tx, it);
}

/* Everything but what indexes have: they are left alone. */
static int store_unindexed(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT(
        "update drive_item set form = :form, size = :size, created_us = :created, modifier = "
        ":modifier, version = :version, blob = :blob, head = :head, md5 = :md5, sha1 = :sha1, "
        "sha256 = :sha256, target = :target, target_mime = :target_mime, trashed_us = :trashed, "
        "trasher = :trasher, description = :description, original = :original, extension = "
        ":extension, color = :color, resource_key = :resource_key, restrictions = :restrictions, "
        "download_rules = :download_rules, media = :media, index_text = :index_text, thumbnail = "
        ":thumbnail, thumbnail_mime = :thumbnail_mime, creator_app = :creator_app, extra = :extra "
        "where id = :id");
    return TX_RUN(tx, &q, it->form, sql_int_or_null(it->size, -1), it->created_us,
                  sql_int_or_null(it->modifier, 0), it->version, sql_int_or_null(it->blob, 0),
                  sql_int_or_null(it->head, 0), it->md5, it->sha1, it->sha256,
                  sql_int_or_null(it->target, 0), it->target_mime, trashed_since(it),
                  sql_int_or_null(it->trasher, 0), it->description, it->original, it->extension,
                  it->color, it->resource_key, it->restrictions, it->download_rules, it->media,
                  it->index_text, sql_int_or_null(it->thumbnail, 0), it->thumbnail_mime,
                  sql_int_or_null(it->creator_app, 0), it->extra, it->id);
}

static bool same_text(const char *x, const char *y)
{
    return x && y ? strcmp(x, y) == 0 : x == y;
}

/* Is all as it was that indexes have? 1, 0 it is not, or there is no such row; -1. */
static int is_indexed_so(struct tx *tx, const struct drive_item *it, struct drive_node *was)
{
    static struct row_table table =
        ROW_TABLE("drive_item", "i",
                  "parent, owner, drive, flags, form, top, space, key, name, mime, modified_us, "
                  "target_key");
    struct record row = {.arena = tx->arena};
    int r = ROW_BY_ID(tx, &table, it->id, &row);
    if (r != 1)
        return r;
    *was = (struct drive_node){.parent = record_int(&row, 0), .owner = record_int(&row, 1)};
    return was->parent == it->parent && was->owner == it->owner &&
           record_int(&row, 2) == it->drive && record_int(&row, 3) == (int64_t)it->flags &&
           record_int(&row, 5) == (int64_t)it->top && record_int(&row, 6) == it->space &&
           record_int(&row, 10) == it->modified_us && same_text(record_text(&row, 7), it->key) &&
           same_text(record_text(&row, 8), it->name) && same_text(record_text(&row, 9), it->mime) &&
           same_text(record_text(&row, 11), it->target_key);
}

int drive_item_save(struct tx *tx, struct drive_item *it)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    return vendor ? drive_item_save_with(tx, vendor, it) : -1;
}

int drive_item_save_with(struct tx *tx, const struct drive_vendor *vendor, struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT(
        "update drive_item set parent = :parent, owner = :owner, drive = :drive, flags = :flags, "
        "form = :form, top = :top, space = :space, key = :key, name = :name, mime = :mime, "
        "size = :size, created_us = :created, modified_us = :modified, modifier = :modifier, "
        "version = :version, blob = :blob, head = :head, md5 = :md5, sha1 = :sha1, "
        "sha256 = :sha256, target = :target, target_key = :target_key, "
        "target_mime = :target_mime, trashed_us = :trashed, trasher = :trasher, "
        "description = :description, original = :original, extension = :extension, "
        "color = :color, resource_key = :resource_key, restrictions = :restrictions, "
        "download_rules = :download_rules, media = :media, index_text = :index_text, "
        "thumbnail = :thumbnail, thumbnail_mime = :thumbnail_mime, creator_app = :creator_app, "
        "extra = :extra, folded = :folded, host = " HOST " where id = :id");
    struct drive_node was = {.owner = it->owner};
    int same = drive_name_settle_with(tx, vendor, it, CONFLICT_FAIL, NULL) < 0
                   ? -1
                   : is_indexed_so(tx, it, &was);
    if (same < 0 || (was.owner != it->owner && drive_guests(tx, it->id, it->owner) < 0))
        return -1;
    it->version++;
    drive_index_later(tx, it->id);
    if ((same ? store_unindexed(tx, it) : store(tx, &q, it)) < 0)
        return -1;
    return drive_changed(tx, it);
}

/* ---- tops ---- */

/* The account that an actor's address leads to for files; 0: there is none. */
static int serving(struct tx *tx, int64_t actor, int64_t *ret)
{
    struct account account;
    struct actor who;
    int r = actor_by_id(tx, actor, &who);
    if (r == 1)
        r = account_serving(tx, &who, ACCOUNT_DRIVE, &account);
    *ret = r == 1 ? account.id : 0;
    return r < 0 ? -1 : 0;
}

/* account 0: the serving one. Where drives are of one vendor an actor has one. `top > 0` says that
 * the index of tops will do: without it all that the actor has is looked through. */
static int find_top(struct tx *tx, int64_t actor, int64_t account, enum drive_top top,
                    int64_t space, struct drive_item *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from drive_item where owner = :owner and top = :top and top > 0 and "
                 "space = :space");
    static struct sql_text q_of =
        SQL_TEXT("select i.id from drive_item i left join drive_top t on t.item = i.id where "
                 "i.owner = :owner and i.top = :top and i.top > 0 and i.space = :space and "
                 "coalesce(t.account, :serving) = :account");
    int64_t id, usual = 0;
    int r;
    if (!drive_vendor_nth(tx, 1))
        r = TX_INT(tx, &q, &id, actor, top, space);
    else if (serving(tx, actor, &usual) < 0)
        r = -1;
    else
        r = TX_INT(tx, &q_of, &id, actor, top, space, usual, account ? account : usual);
    return r == 1 ? drive_item_by_id(tx, id, ret) : r;
}

static int open_top(struct tx *tx, int64_t actor, int64_t account, enum drive_top top,
                    int64_t space, struct drive_item *ret)
{
    static struct sql_text q =
        SQL_TEXT("insert into drive_top (item, account) values (:item, :account)");
    int r = find_top(tx, actor, account, top, space, ret);
    if (r || !tx->write)
        return r;
    if (!account && serving(tx, actor, &account) < 0)
        return -1;
    *ret = (struct drive_item){.owner = actor,
                               .form = DRIVE_FOLDER,
                               .top = top,
                               .space = space,
                               .mime = DRIVE_MIME_FOLDER,
                               .size = -1,
                               .account = account};
    const struct drive_vendor *vendor = drive_vendor_of(tx, ret);
    if (!vendor)
        return -1;
    ret->name = top == DRIVE_ROOT ? vendor->root : vendor->app_data;
    if (drive_item_add(tx, ret) < 0 || (account && TX_RUN(tx, &q, ret->id, account) < 0))
        return -1;
    return 1;
}

int drive_root(struct tx *tx, int64_t actor, struct drive_item *ret)
{
    return open_top(tx, actor, 0, DRIVE_ROOT, 0, ret);
}

int drive_root_of(struct tx *tx, const struct account *account, struct drive_item *ret)
{
    return open_top(tx, account->actor, account->id, DRIVE_ROOT, 0, ret);
}

int drive_app_data(struct tx *tx, int64_t actor, int64_t app, struct drive_item *ret)
{
    return open_top(tx, actor, 0, DRIVE_APP_DATA, app ? app : -1, ret);
}

int drive_provision(struct tx *tx, const struct account *account, const struct actor *actor)
{
    struct drive_item root;
    (void)actor;
    return drive_root_of(tx, account, &root) < 0 ? -1 : 0;
}
