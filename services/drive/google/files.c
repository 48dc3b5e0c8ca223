/* SPDX-License-Identifier: Apache-2.0 */
/* Files: reading, watching and deleting them, the trash, ids for new ones. */
#include "services/drive/google/sharing/can.h"
#include "services/drive/core/access/share.h"
#include "services/drive/google/content/media.h"
#include "services/drive/google/scopes.h"
#include "engine/base/codec.h"

/* ---- get ---- */

static int files_get(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it;
    struct drive_access access;
    if (gdrive_view(c, &v) < 0)
        return -1;
    if (gdrive_flag(c, "acknowledgeAbuse") && !google_wants_media(c))
        return call_fail(
            c, SOSIA_E_FORBIDDEN, "invalidAbuseAcknowledgment", "acknowledgeAbuse",
            "The acknowledgeAbuse parameter is only applicable for download requests.");
    if (gdrive_open_file(&v, ROLE_SEES, &it, &access) < 0)
        return -1;
    if (google_wants_media(c))
        return gdrive_send_content(&v, &it, &access);
    return gdrive_write_file(&v, NULL, &it, &access);
}

static int files_watch(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it;
    struct drive_access access;
    if (gdrive_view(c, &v) < 0 || gdrive_open_file(&v, ROLE_READER, &it, &access) < 0)
        return -1;
    return google_channel_watch_for(c, CHANGED_FILE, it.id, 3600, 86400);
}

/* ---- the end of files ---- */

static int insufficient_rights(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientFilePermissions", NULL,
                     "The user does not have sufficient permissions for this file.");
}

static int files_delete(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it;
    struct drive_access access;
    struct gdrive_cans cans;
    if (gdrive_view(c, &v) < 0 || gdrive_open_file(&v, ROLE_READER, &it, &access) < 0 ||
        gdrive_may(&v.viewer, &it, &access, &cans) < 0)
        return -1;
    if (it.top || !can(&cans, CAN_DELETE))
        return insufficient_rights(c);
    if (gdrive_below_reached(c, &it) < 0 || drive_delete(&c->tx, &it) < 0)
        return -1;
    c->status = 204;
    return 0;
}

static int files_empty_trash(struct call *c)
{
    const char *drive = param_str(c, "driveId");
    struct gdrive_view v;
    struct drive_item top = {0};
    struct drive_access access;
    if (gdrive_view(c, &v) < 0)
        return -1;
    if (drive) {
        int r = drive_item_by_key(&c->tx, drive, &top);
        if (r < 0 || (r && drive_role(&v.viewer, &top, &access) < 0))
            return -1;
        if (!r || top.top != DRIVE_SHARED || !access.role)
            return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "driveId",
                             "Shared drive not found: %s", drive);
        if (access.role < ROLE_ORGANIZER)
            return insufficient_rights(c);
    }
    if (drive_empty_trash(&c->tx, c->actor.id, top.id) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* ---- ids ---- */

static int files_generate_ids(struct call *c)
{
    static const char *const spaces[] = {"drive", "appDataFolder"};
    static const char *const types[] = {"files", "shortcuts"};
    struct json_writer *w = c->out;
    int64_t count = param_num(c, "count", 10);
    const char *space = param_str(c, "space"), *type = param_str(c, "type");
    if (strcmp(space, spaces[0]) != 0 && strcmp(space, spaces[1]) != 0)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "space", "Invalid Value");
    if (strcmp(type, types[0]) != 0 && strcmp(type, types[1]) != 0)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "type", "Invalid Value");
    json_obj(w, NULL);
    json_word(w, "kind", "drive#generatedIds");
    json_str(w, "space", space);
    json_arr(w, "ids");
    for (int64_t i = 0; i < count; i++) {
        const char *key =
            gdrive_new_key(&c->tx, strcmp(type, types[1]) == 0 ? DRIVE_SHORTCUT : DRIVE_FILE);
        if (!key)
            return -1;
        json_str(w, NULL, key);
    }
    json_end(w);
    json_end(w);
    return 0;
}

/* ---- rows ---- */

static const struct param files_delete_params[] = {
    GDRIVE_OLD_FLAG("enforceSingleParent"),
    GDRIVE_FILE_ID,
    GDRIVE_ALL_DRIVES,
};

static const struct param files_empty_trash_params[] = {
    {.name = "driveId", .place = IN_QUERY},
    GDRIVE_OLD_FLAG("enforceSingleParent"),
};

static const struct param files_generate_ids_params[] = {
    {.name = "count", .place = IN_QUERY, .type = PARAM_INT, .def = "10", .min = 1, .max = 1000},
    {.name = "space", .place = IN_QUERY, .def = "drive"},
    {.name = "type", .place = IN_QUERY, .def = "files"},
};

static const struct param files_get_params[] = {
    GDRIVE_FLAG("acknowledgeAbuse"),
    GDRIVE_FILE_ID,
    GDRIVE_INCLUDE,
    GDRIVE_ALL_DRIVES,
};

#define EVERY_SCOPE                                                                                \
    DRIVE " " APPDATA " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY          \
          " " PHOTOS_READONLY " " READONLY

static const struct route methods[] = {
    {ROUTE("drive.files.delete", DELETE, "/drive/v3/files/{fileId}"), .handler = files_delete,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = DRIVE " " APPDATA " " FILE_SCOPE,
     PARAMS(files_delete_params), .summary = "Delete a file for good, and what is in a folder"},
    {ROUTE("drive.files.emptyTrash", DELETE, "/drive/v3/files/trash"), .handler = files_empty_trash,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = DRIVE,
     PARAMS(files_empty_trash_params), .summary = "Delete what is in the trash"},
    {ROUTE("drive.files.generateIds", GET, "/drive/v3/files/generateIds"),
     .handler = files_generate_ids, .risk = RISK_DRAFT, .scopes = DRIVE " " APPDATA " " FILE_SCOPE,
     PARAMS(files_generate_ids_params), .response = "GeneratedIds",
     .summary = "Ids for files that are made later"},
    {.id = "drive.files.get",
     .verbs = GET,
     .paths = PATHS("/drive/v3/files/{fileId}", "/download/drive/v3/files/{fileId}"),
     .handler = files_get,
     .risk = RISK_READ,
     .anonymous = true, /* of what anyone with the link has, with an API key */
     .scopes = EVERY_SCOPE,
     PARAMS(files_get_params),
     .response = "File",
     .download = true,
     .summary = "What is known of a file, or its bytes"},
    {ROUTE("drive.files.watch", POST, "/drive/v3/files/{fileId}/watch"), .handler = files_watch,
     .risk = RISK_EXTERNAL, .body = BODY_JSON, .scopes = EVERY_SCOPE, PARAMS(files_get_params),
     .request = "Channel", .response = "Channel", .summary = "Be notified of changes of a file"},
};

const struct rows gdrive_files = ROWS(methods);
