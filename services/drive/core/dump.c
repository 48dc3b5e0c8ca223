/* SPDX-License-Identifier: Apache-2.0 */
/* Files in the form of seed documents: sections of dumps, and the entity of diffs. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/json/bytes.h"
#include "identity/app.h"
#include "identity/shown.h"
#include "identity/sql.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/model.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/seed_impl.h"
#include "services/drive/core/vendor.h"

static int dump_item_key(struct tx *tx, struct json_writer *w, const char *member, int64_t id)
{
    return dump_key(tx, w, member, &drive_key_of_id, id);
}

/* ---- parts ---- */

static int dump_grants(struct tx *tx, struct json_writer *w, const char *member,
                       const struct drive_item *it)
{
    const struct form_out out = {tx, w};
    struct drive_grant *list;
    size_t n;
    if (!(it->flags & DRIVE_GRANTED))
        return 0;
    if (drive_grants(tx, it->id, &list, &n) < 0)
        return -1;
    json_arr(w, member);
    for (size_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        if (form_write(&out, &drive_grant_form, &list[i]) < 0)
            return -1;
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int dump_mine(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT(
        "select a.id from " IDENT_SQL_ACTORS " a where a.handle > coalesce(" IDENT_SQL_HANDLE(
            ":after") ", '') and (a.id in (select actor from drive_mine where item = :item) or "
                      "a.email in (select who from drive_grant where item = :item and kind = 1 and "
                      "role > 0)) order by a.handle limit 1");
    bool any = false;
    int64_t actor = 0;
    int r;
    struct drive_item plain = *it;
    plain.modifier = 0; /* their time is the item's */
    while ((r = TX_INT(tx, &q, &actor, actor, it->id)) == 1) {
        struct drive_mine m;
        if (drive_mine(tx, &plain, actor, &m) < 0)
            return -1;
        /* A grant shows it to them by itself: say so if it is not among what they have. */
        bool unshown = !it->drive && !it->top && !m.shared_us && actor != it->owner;
        if (!any)
            json_arr(w, "people");
        any = true;
        json_obj(w, NULL);
        if (actor_write(tx, w, "person", actor) < 0)
            return -1;
        if (form_write(&(struct form_out){tx, w}, &drive_mine_form, &m) < 0)
            return -1;
        drive_write_time(w, "shared", m.shared_us);
        if (unshown)
            json_bool(w, "shared", false);
        if (actor_write(tx, w, "by", m.sharer) < 0)
            return -1;
        json_end(w);
    }
    if (any)
        json_end(w);
    return r;
}

int drive_dump_properties(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_property *list;
    size_t n;
    if (drive_properties(tx, it->id, 0, &list, &n) < 0)
        return -1;
    if (n)
        json_obj(w, "properties");
    for (size_t i = 0; i < n; i++)
        json_str(w, list[i].name, list[i].value);
    if (n)
        json_end(w);
    return 0;
}

/* Those that are visible to one app alone, by its client id. */
static int dump_app_properties(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT("select app from drive_property where item = :item and app "
                                        "> :after and app <> 0 order by app limit 1");
    int64_t id = -2; /* no app is -1 */
    bool any = false;
    int r;
    while ((r = TX_INT(tx, &q, &id, it->id, id)) == 1) {
        struct drive_property *list;
        struct ident_app app = {.client_id = ""};
        size_t n;
        if ((id > 0 && app_get(tx, id, &app) < 0) ||
            drive_properties(tx, it->id, id, &list, &n) < 0)
            return -1;
        if (!any)
            json_obj(w, "appProperties");
        any = true;
        json_obj(w, app.client_id);
        for (size_t i = 0; i < n; i++)
            json_str(w, list[i].name, list[i].value);
        json_end(w);
    }
    if (any)
        json_end(w);
    return r;
}

/* ---- content ---- */

/* What was set of the content that the file has now. */
static int dump_head(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_revision *head;
    size_t n;
    if (!it->head)
        return 0;
    if (drive_revisions(tx, it->id, it->head - 1, 1, &head, &n) < 0)
        return -1;
    return n ? form_write(&(struct form_out){tx, w}, &drive_head_form, head) : 0;
}

static int dump_thumbnail(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    const char *data;
    size_t n;
    if (!it->thumbnail)
        return 0;
    if (blob_load(tx, it->thumbnail, &data, &n) < 0)
        return -1;
    json_obj(w, "thumbnail");
    json_str(w, "mime", it->thumbnail_mime);
    json_base64(w, "base64", data, n);
    json_end(w);
    return 0;
}

static int dump_content(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct document *model;
    if (it->form == DRIVE_FILE && it->blob)
        return form_write(&(struct form_out){.tx = tx, .w = w, .id = it->id}, &drive_revisions_form,
                          it) < 0
                   ? -1
                   : drive_write_bytes(tx, w, it->blob);
    if (it->form != DRIVE_DOCUMENT)
        return 0;
    int r = drive_document_load(tx, it, 0, &model);
    if (r == 1)
        document_write(w, "model", model);
    return r < 0 ? -1 : 0;
}

/* ---- items ---- */

/* The vendor of its owner's drive, if that is not the usual one. */
static int dump_account(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_item usual;
    if (it->space || !drive_vendor_nth(tx, 1))
        return 0;
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    int r = vendor ? drive_root(tx, it->owner, &usual) : -1;
    if (r == 0 || (r == 1 && usual.id != it->parent))
        json_str(w, "vendor", vendor->name);
    return r < 0 ? -1 : 0;
}

/* Where it is: nothing for its owner's folder at the top. */
static int dump_place(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_node parent;
    if (!it->parent) {
        json_str(w, "parent", "");
        return 0;
    }
    int r = drive_node(tx, it->parent, &parent);
    if (r != 1)
        return r;
    if ((parent.top == DRIVE_ROOT || parent.top == DRIVE_APP_DATA) && parent.owner == it->owner)
        return dump_account(tx, w, it);
    return dump_item_key(tx, w, "parent", it->parent);
}

static int dump_vendors(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    return !vendor ? -1 : vendor->item_dump ? vendor->item_dump(tx, w, it) : 0;
}

static int dump_item(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    const struct form_out out = {.tx = tx, .w = w, .id = it->id};
    json_str(w, "id", it->key);
    json_str(w, "name", it->name);
    if (it->form != DRIVE_FILE)
        json_str(w, "type", it->mime);
    else
        json_str(w, "mime", it->mime);
    if (actor_write(tx, w, "owner", it->owner) < 0 || dump_place(tx, w, it) < 0 ||
        app_dump_member(tx, w, "space", it->space) < 0 ||
        app_dump_member(tx, w, "app", it->creator_app) < 0)
        return -1;
    form_time(w, "created", it->created_us);
    if (it->modified_us != it->created_us)
        form_time(w, "modified", it->modified_us);
    if (it->modifier != it->owner && actor_write(tx, w, "modifiedBy", it->modifier) < 0)
        return -1;
    if (it->flags & DRIVE_TRASHED) {
        form_time(w, "trashed", it->trashed_us);
        if (it->trasher != it->owner && actor_write(tx, w, "trashedBy", it->trasher) < 0)
            return -1;
    }
    return form_write(&out, &drive_text_form, it) < 0 || drive_dump_properties(tx, w, it) < 0 ||
                   dump_app_properties(tx, w, it) < 0 ||
                   dump_grants(tx, w, "permissions", it) < 0 || drive_links_dump(tx, w, it) < 0 ||
                   dump_mine(tx, w, it) < 0 || dump_vendors(tx, w, it) < 0 ||
                   form_write(&out, &drive_comments_form, it) < 0 || dump_head(tx, w, it) < 0 ||
                   dump_thumbnail(tx, w, it) < 0
               ? -1
               : dump_content(tx, w, it);
}

static int dump_shared(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    const struct form_out out = {tx, w};
    struct drive_settings s;
    int r = drive_settings(tx, it->id, &s);
    if (r != 1)
        return r;
    json_str(w, "id", it->key);
    json_str(w, "name", it->name);
    if (form_write(&out, &drive_look_form, &s) < 0)
        return -1;
    form_time(w, "created", it->created_us);
    if (actor_write(tx, w, "creator", s.creator) < 0)
        return -1;
    return form_write(&out, &drive_rule_form, &s) < 0 || dump_grants(tx, w, "members", it) < 0 ||
                   dump_mine(tx, w, it) < 0
               ? -1
               : 1;
}

static int file_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct drive_item it;
    int r = drive_item_by_id(tx, rowid, &it);
    if (r != 1)
        return r;
    if (it.top == DRIVE_SHARED)
        return dump_shared(tx, w, &it);
    if (it.top)
        return 0;
    return dump_item(tx, w, &it) < 0 ? -1 : 1;
}

static int file_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    return dump_item_key(tx, w, "id", rowid);
}

/* Whose terms show it. */
static int file_vendor(struct tx *tx, int64_t rowid, const char **ret)
{
    const struct drive_vendor *vendor;
    struct drive_item it;
    int r = drive_item_by_id(tx, rowid, &it);
    if (r != 1)
        return r;
    if (!(vendor = drive_vendor_of(tx, &it)))
        return -1;
    *ret = vendor->name;
    return 1;
}

static const struct entity_part parts[] = {
    {.table = "drive_gone", .owner = ENTITY_OWNER(DRIVE_GONE_WITH "select id from gone")},
    {.table = "drive_drive",
     .owner = ENTITY_OWNER("select item from drive_drive where rowid = ?1")},
    {.table = "drive_grant",
     .owner = ENTITY_OWNER("select item from drive_grant where rowid = ?1")},
    {.table = "drive_link", .owner = ENTITY_OWNER("select item from drive_link where rowid = ?1")},
    {.table = "drive_revision",
     .owner = ENTITY_OWNER("select item from drive_revision where rowid = ?1")},
    {.table = "drive_document",
     .owner = ENTITY_OWNER("select item from drive_document where rowid = ?1")},
    {.table = "drive_comment",
     .owner = ENTITY_OWNER("select item from drive_comment where rowid = ?1")},
    {.table = "drive_reply",
     .owner = ENTITY_OWNER(
         "select item from drive_comment where rowid = (select comment from drive_reply "
         "where rowid = ?1)")},
    {0},
};

const struct entity drive_entities[DRIVE_ENTITIES] = {
    {.name = "file",
     .table = "drive_item",
     .key = file_key,
     .dump = file_dump,
     .plain = file_plain,
     .vendor = file_vendor,
     .parts = parts},
};

/* ---- sections ---- */

int shared_drives_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select id from drive_item where top = 2 and id not in " DRIVE_GONE " order by key");
    return dump_list(tx, w, "sharedDrives", &q, file_dump);
}

int files_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select id from drive_item where top = 0 and id not in " DRIVE_GONE " order by key");
    return dump_list(tx, w, "files", &q, file_dump);
}
