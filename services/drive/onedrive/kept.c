/* SPDX-License-Identifier: Apache-2.0 */
/* What OneDrive keeps of items beside the core's members: who made them. */
#include "engine/json/doc.h"
#include "services/drive/core/part.h"
#include "services/drive/onedrive/sharing/app_rights.h"
#include "services/drive/onedrive/workbook/workbook.h"

static int read_creator(struct tx *tx, int64_t item, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select creator from onedrive_item where item = :item");
    return TX_INT(tx, &q, ret, item);
}

int64_t onedrive_creator(struct onedrive_at *at, const struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT("select 1 from onedrive_item where item > :item limit 1");
    int64_t one, creator = it->owner;
    if (!at->creators)
        at->creators = TX_INT(&at->c->tx, &q, &one, 0) == 1 ? 1 : -1;
    if (at->creators > 0)
        read_creator(&at->c->tx, it->id, &creator);
    return creator;
}

int onedrive_creator_of(struct tx *tx, const struct drive_item *it, int64_t *ret)
{
    *ret = it->owner;
    return read_creator(tx, it->id, ret) < 0 ? -1 : 0;
}

int onedrive_creator_set(struct tx *tx, const struct drive_item *it, int64_t creator)
{
    static struct sql_text q =
        SQL_TEXT("insert into onedrive_item (item, creator) values (:item, :creator)");
    return creator && creator != it->owner ? TX_RUN(tx, &q, it->id, creator) : 0;
}

/* ---- in seed documents ---- */

const char *const onedrive_item_members[] = {"createdBy", "checkedOut", "apps", "tables", NULL};

int onedrive_item_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    static struct sql_text q =
        SQL_TEXT("insert into onedrive_checkout (item, who) values (:item, :who)");
    struct actor who = {.id = 0};
    if (ident_doc_actor(tx, d, v, "createdBy", false, &who) < 0)
        return -1;
    if (onedrive_creator_set(tx, it, who.id) < 0 ||
        ident_doc_actor(tx, d, v, "checkedOut", false, &who) < 0)
        return -1;
    if ((who.id && TX_RUN(tx, &q, it->id, who.id) < 0) || onedrive_apps_seed(tx, d, v, it->id) < 0)
        return -1;
    return json_get(v, "tables") ? book_tables_seed(tx, d, v, it->id) : book_tables_read(tx, it);
}

int onedrive_item_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    int64_t creator;
    struct actor who;
    int r = read_creator(tx, it->id, &creator);
    if (r == 1)
        r = actor_by_id(tx, creator, &who);
    if (r == 1)
        json_str(w, "createdBy", who.handle);
    if (r < 0 || onedrive_holder(tx, it->id, &creator) < 0)
        return -1;
    if (creator && (r = actor_by_id(tx, creator, &who)) == 1)
        json_str(w, "checkedOut", who.handle);
    return r < 0 || onedrive_apps_dump(tx, w, it->id) < 0 ? -1 : book_tables_dump(tx, w, it->id);
}

int onedrive_item_drop(struct tx *tx, int64_t item, int64_t *rows)
{
    static struct drive_part parts[] = {DRIVE_PART("onedrive_item", "item", "item"),
                                        DRIVE_PART("onedrive_checkout", "item", "item"),
                                        DRIVE_PART("onedrive_app", "id", "item"),
                                        DRIVE_PART("onedrive_table", "id", "item")};
    return drive_drop_parts(tx, parts, SOSIA_LEN(parts), item, rows);
}
