/* SPDX-License-Identifier: Apache-2.0 */
/* Downloads that are prepared: an operation that is done at once and read later. */
#include "services/drive/core/access/share.h"
#include "services/drive/core/revision.h"
#include "services/drive/google/sharing/access.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/content/media.h"
#include "services/drive/google/types.h"
#include "engine/base/codec.h"

#define LIFE_US (INT64_C(24) * 3600 * 1000000)
#define TYPE    "type.googleapis.com/google.apps.drive.v3."

struct operation {
    const char *key, *revision, *mime;
    struct drive_item item;
};

static const char *operation_key(struct call *c)
{
    uint8_t bytes[18];
    struct buf b;
    if (tx_id(&c->tx, "drive operation", bytes, sizeof bytes) < 0)
        return NULL;
    buf_init(&b, 64);
    base64url_add(&b, bytes, sizeof bytes, false);
    return buf_keep(&b, c->tx.arena);
}

/* Where the bytes are: the download of a file, the export of a document, the content of a
 * revision. */
static const char *download_path(struct call *c, const struct operation *op)
{
    struct arena *a = c->tx.arena;
    if (op->revision && op->item.form == DRIVE_FILE)
        return arena_printf(a, "/drive/v3/files/%s/revisions/%s?alt=media", op->item.key,
                            op->revision);
    if (op->item.form == DRIVE_FILE)
        return arena_printf(a, "/drive/v3/files/%s?alt=media&supportsAllDrives=true", op->item.key);
    struct buf b;
    buf_init(&b, 1024);
    buf_printf(&b, "/drive/v3/files/%s/export?mimeType=", op->item.key);
    percent_add(&b, op->mime, strlen(op->mime));
    if (op->revision) {
        buf_puts(&b, "&revisionId=");
        percent_add(&b, op->revision, strlen(op->revision));
    }
    return buf_keep(&b, a);
}

static void write_operation(struct call *c, const struct operation *op)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_str(w, "name", op->key);
    json_obj(w, "metadata");
    json_word(w, "@type", TYPE "DownloadFileMetadata");
    json_str_opt(w, "resourceKey", op->item.resource_key);
    json_end(w);
    json_bool(w, "done", true);
    json_obj(w, "response");
    json_word(w, "@type", TYPE "DownloadFileResponse");
    json_str(w, "downloadUri", call_follow_url(c, "www.googleapis.com", download_path(c, op)));
    json_bool(w, "partialDownloadAllowed", op->item.form == DRIVE_FILE);
    json_end(w);
    json_end(w);
}

static int invalid_argument(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "invalidArgument", NULL,
                     "Request contains an invalid argument.");
}

/* What a document is given as: the type that was requested, or its kind's. */
static int download_type(struct call *c, struct operation *op)
{
    const struct gdrive_kind *kind = gdrive_kind(gdrive_document(&op->item));
    op->mime = param_str(c, "mimeType");
    if (op->item.form == DRIVE_FILE && op->item.blob)
        return op->mime && !str_eq_nocase(op->mime, op->item.mime) ? invalid_argument(c) : 0;
    if (!kind || (!op->mime && !kind->download))
        return invalid_argument(c);
    if (!op->mime)
        op->mime = kind->download;
    if (kind->download && str_eq_nocase(op->mime, kind->download))
        return 0;
    for (const struct gdrive_export *e = kind->exports; e->type; e++)
        if (str_eq_nocase(e->type, op->mime))
            return 0;
    return gdrive_no_conversion(c);
}

/* A revision that is requested must be one of the file's. */
static int check_revision(struct call *c, const struct operation *op)
{
    struct drive_revision revision;
    if (!op->revision)
        return 0;
    int r = drive_revision_find(&c->tx, op->item.id, op->revision, &revision);
    return r ? (r < 0 ? -1 : 0)
             : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "revisionId", "Revision not found: %s.",
                         op->revision);
}

static int cannot_download(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "cannotDownloadFile", NULL,
                     "This file cannot be downloaded by the user.");
}

static int files_download(struct call *c)
{
    static struct sql_text q = SQL_TEXT(
        "insert into gdrive_operation (key, actor, item, revision, mime, created_us, expires_us) "
        "values (:key, :actor, :item, :revision, :mime, :created, :expires)");
    struct gdrive_view v;
    struct drive_access access;
    struct gdrive_cans cans;
    struct operation op = {.revision = param_str(c, "revisionId")};
    if (gdrive_view(c, &v) < 0 ||
        gdrive_open_any(&v, param_str(c, "fileId"), ROLE_READER, &op.item, &access) < 0 ||
        download_type(c, &op) < 0 || gdrive_may(&v.viewer, &op.item, &access, &cans) < 0)
        return -1;
    if (!can(&cans, CAN_DOWNLOAD))
        return cannot_download(c);
    if (op.revision && access.role < ROLE_WRITER) /* who sees no revisions has none */
        return gdrive_insufficient(c);
    const char *word = gdrive_document(&op.item);
    if (op.revision && word && strcmp(word, "document") != 0 && strcmp(word, "spreadsheet") != 0)
        return invalid_argument(c);
    if (check_revision(c, &op) < 0)
        return -1;
    op.key = operation_key(c);
    if (!op.key || TX_RUN(&c->tx, &q, op.key, c->actor.id, op.item.id, op.revision, op.mime,
                          c->tx.now_us, c->tx.now_us + LIFE_US) < 0)
        return -1;
    write_operation(c, &op);
    return 0;
}

static int operations_get(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("select item, revision, mime from gdrive_operation where key = :key and actor = "
                 ":actor and expires_us > :now");
    struct operation op = {.key = param_str(c, "name")};
    sqlite3_stmt *st;
    int r = TX_ROW(&c->tx, &q, &st, op.key, c->actor.id, c->tx.now_us);
    if (r == 1) {
        int64_t item = sqlite3_column_int64(st, 0);
        op.revision = tx_string(&c->tx, st, 1);
        op.mime = tx_string(&c->tx, st, 2);
        sql_done(st);
        r = drive_item_by_id(&c->tx, item, &op.item);
    }
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "name",
                                 "Operation not found: %s", op.key);
    /* What the caller could download then may be out of reach by now. */
    struct gdrive_subject s;
    if (gdrive_any_subject(c, op.item.key, &s) < 0)
        return -1;
    if (s.access.role < ROLE_READER)
        return gdrive_no_file(c, op.item.key);
    if (!can(&s.cans, CAN_DOWNLOAD))
        return cannot_download(c);
    write_operation(c, &op);
    return 0;
}

/* ---- rows ---- */

static const struct param files_download_params[] = {
    GDRIVE_FILE_ID,
    {.name = "mimeType", .place = IN_QUERY},
    {.name = "revisionId", .place = IN_QUERY},
};

static const struct param operations_get_params[] = {
    {.name = "name", .place = IN_PATH, .required = true},
};

static const struct route methods[] = {
    {ROUTE("drive.files.download", POST, "/drive/v3/files/{fileId}/download"),
     .handler = files_download, .risk = RISK_WRITE, .scopes = DRIVE " " FILE_SCOPE " " READONLY,
     PARAMS(files_download_params), .response = "Operation", .summary = "Prepare a download"},
    {ROUTE("drive.operations.get", GET, "/drive/v3/operations/{name}"), .handler = operations_get,
     .risk = RISK_READ, .scopes = DRIVE " " FILE_SCOPE " " MEET_READONLY " " READONLY,
     PARAMS(operations_get_params), .response = "Operation", .summary = "How far a download is"},
};

const struct rows gdrive_operations = ROWS(methods);
