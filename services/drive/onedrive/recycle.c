/* SPDX-License-Identifier: Apache-2.0 */
/* Out of the recycle bin again (MG-100): of personal drives, as the service has it. */
#include "services/drive/core/names.h"
#include "services/drive/onedrive/workbook/workbook.h"

/* The folder that the item comes into: of the body, or where it was. 0, -1 refused. */
static int folder_for(struct onedrive_at *at, const struct json *ref, const struct drive_item *it,
                      struct drive_item *ret)
{
    const char *id = json_get_str(ref, "id");
    if (id)
        return onedrive_by_id(at, id, ROLE_WRITER, ret) < 0 ? -1
               : ret->form != DRIVE_FOLDER ? onedrive_invalid(at->c, "Invalid request")
                                           : 0;
    int r = drive_item_by_id(&at->c->tx, it->parent, ret);
    return r < 0 ? -1 : r ? onedrive_may(at, ret, ROLE_WRITER) : onedrive_not_found(at->c);
}

static int items_restore(struct call *c)
{
    const struct json *body = call_body(c);
    const char *name = json_get_str(body, "name");
    struct drive_item it, folder;
    struct onedrive_at at;
    if (!body || onedrive_open(c, &at) < 0 ||
        onedrive_find(&at, param_str(c, "driveItem-id"), &it) < 0 ||
        onedrive_may(&at, &at.root, ROLE_WRITER) < 0)
        return -1;
    if (!at.personal)
        return call_fail(c, SOSIA_E_INVALID, "notSupported", NULL, "Operation not supported");
    if (!(it.flags & DRIVE_TRASHED))
        return onedrive_invalid(c, "The item is not in the recycle bin.");
    if (folder_for(&at, json_get(body, "parentReference"), &it, &folder) < 0 ||
        (name && onedrive_check_name(c, name, folder.id == at.root.id) < 0))
        return -1;
    const char *before = it.name;
    it.name = name ? name : it.name;
    if (folder.id != it.parent && drive_move(&c->tx, &it, &folder, it.owner) < 0)
        return onedrive_refused(c);
    if (drive_untrash(&c->tx, &it) < 0 || onedrive_settle(&at, CONFLICT_RENAME, &it) < 0)
        return -1;
    if (drive_item_save(&c->tx, &it) < 0)
        return onedrive_refused(c);
    return book_tables_named(&c->tx, &it, before) < 0 ? -1 : onedrive_answer(&at, &it, false);
}

static const struct param params[] = {ONEDRIVE_PATH_PARAMS};

static const struct route methods[] = {
    {ROUTE("onedrive.items.restore", POST, OF_DRIVE("/items/{driveItem-id}/restore")),
     .handler = items_restore, .risk = RISK_WRITE, .body = BODY_JSON_OPTIONAL,
     .scopes = ONEDRIVE_WRITE, PARAMS(params), .request = "microsoft.graph.driveItem.restore",
     .response = "microsoft.graph.driveItem",
     .summary = "Bring a file or a folder back from the recycle bin of a personal drive"},
};

const struct rows onedrive_recycled = ROWS(methods);
