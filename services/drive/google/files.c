/* SPDX-License-Identifier: Apache-2.0 */
/* Files: what is known of them, and new ones. */
#include "services/drive/google/gdrive.h"
#include "services/drive/google/scopes.h"

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
    return gdrive_write_file(&v, NULL, &it, &access);
}

/* ---- create ---- */

/* The folder for a new file: the one that the body names, else the caller's own. */
static int find_parent(struct gdrive_view *v, struct drive_item *it)
{
    struct call *c = v->c;
    const struct json *parents = json_get(c->body, "parents");
    const char *key = "root";
    struct drive_item parent;
    struct drive_access access;
    if (parents && parents->type == JSON_ARRAY && parents->n > 1)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotAddParent", NULL,
                         "Increasing the number of parents is not allowed");
    if (parents && parents->type == JSON_ARRAY && parents->n == 1 &&
        parents->items[0].type == JSON_STRING)
        key = parents->items[0].str;
    if (gdrive_open(v, key, ROLE_READER, &parent, &access) < 0)
        return -1;
    if (parent.form != DRIVE_FOLDER)
        return call_fail(c, SOSIA_E_FORBIDDEN, "parentNotAFolder", NULL,
                         "The specified parent is not a folder.");
    if (access.role < ROLE_WRITER)
        return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientParentPermissions", NULL,
                         "Insufficient permissions for the specified parent.");
    it->parent = parent.id;
    it->drive = parent.drive;
    it->space = parent.space;
    it->owner = parent.drive ? 0 : c->actor.id;
    return 0;
}

static int files_create(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it = {.size = -1, .modifier = c->actor.id, .creator_app = c->app};
    const struct json *body;
    if (gdrive_view(c, &v) < 0 || !(body = call_body(c)))
        return -1;
    const char *type = json_get_str(body, "mimeType");
    it.form = gdrive_form(type ? type : "application/octet-stream", &it.mime);
    it.name = json_get_str(body, "name");
    it.description = json_get_str(body, "description");
    it.key = json_get_str(body, "id");
    if (!it.name)
        it.name = "Untitled";
    if (it.key && !drive_key_ours(it.key))
        return call_fail(c, SOSIA_E_INVALID, "invalid", "file.id",
                         "The provided file ID is not usable.");
    if (find_parent(&v, &it) < 0)
        return -1;
    if (drive_item_add(&c->tx, &it) < 0)
        return gdrive_refused(c, it.key);
    struct drive_mine mine = {.viewed_us = it.created_us};
    if (drive_mine_save(&c->tx, it.id, c->actor.id, &mine) < 0)
        return -1;
    return gdrive_write_file(&v, NULL, &it, NULL);
}

/* ---- ids ---- */

static int files_generate_ids(struct call *c)
{
    struct json_writer *w = c->out;
    int64_t count = param_num(c, "count", 10);
    const char *space = param_str(c, "space");
    json_obj(w, NULL);
    json_word(w, "kind", "drive#generatedIds");
    json_str(w, "space", space);
    json_arr(w, "ids");
    for (int64_t i = 0; i < count; i++) {
        const char *key = drive_new_key(&c->tx, DRIVE_FILE, DRIVE_NO_TOP);
        if (!key)
            return -1;
        json_str(w, NULL, key);
    }
    json_end(w);
    json_end(w);
    return 0;
}

/* ---- rows ---- */

static const struct param files_create_params[] = {
    GDRIVE_OLD_FLAG("enforceSingleParent"),
    GDRIVE_FLAG("ignoreDefaultVisibility"),
    GDRIVE_INCLUDE,
    GDRIVE_FLAG("keepRevisionForever"),
    {.name = "ocrLanguage", .place = IN_QUERY},
    GDRIVE_ALL_DRIVES,
    GDRIVE_FLAG("useContentAsIndexableText"),
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

static const struct route methods[] = {
    {.id = "drive.files.create",
     .verbs = POST,
     .paths = PATHS("/drive/v3/files"),
     .handler = files_create,
     .risk = RISK_WRITE,
     .body = BODY_JSON_OPTIONAL,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE,
     PARAMS(files_create_params),
     .request = "File",
     .response = "File",
     .summary = "Make a file"},
    {.id = "drive.files.generateIds",
     .verbs = GET,
     .paths = PATHS("/drive/v3/files/generateIds"),
     .handler = files_generate_ids,
     .risk = RISK_DRAFT,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE,
     PARAMS(files_generate_ids_params),
     .response = "GeneratedIds",
     .summary = "Ids for files that are made later"},
    {.id = "drive.files.get",
     .verbs = GET,
     .paths = PATHS("/drive/v3/files/{fileId}"),
     .handler = files_get,
     .risk = RISK_READ,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY
                     " " PHOTOS_READONLY " " READONLY,
     PARAMS(files_get_params),
     .response = "File",
     .summary = "What is known of a file"},
};

const struct rows gdrive_files = ROWS(methods);
