/* SPDX-License-Identifier: Apache-2.0 */
/* The content of files: what a PUT brings, and addresses from which it comes without a token. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/http_date.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/revision.h"
#include "services/drive/onedrive/content/pictures.h"
#include <gnutls/gnutls.h>
#include <stdlib.h>

#define OCTETS "application/octet-stream"
enum { PDF_MOST = 64 << 20 };

static int content_put(struct call *c)
{
    struct drive_item folder, it = {.form = DRIVE_FILE};
    enum drive_conflict how;
    struct onedrive_at at;
    struct blob blob;
    const char *name;
    if (onedrive_open(c, &at) < 0 || onedrive_conflict(c, NULL, CONFLICT_REPLACE, &how) < 0)
        return -1;
    int there = onedrive_place(&at, &folder, &name, &it);
    if (there < 0)
        return -1;
    if (there && it.form == DRIVE_FOLDER)
        return call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL, "Name already exists");
    if (there && how == CONFLICT_FAIL &&
        (param_given(c, "item-path") || !param_given(c, "driveItem-id")))
        return call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL, "Name already exists");
    if (there && onedrive_if_match(&at, &it) < 0)
        return -1;
    if (there && how == CONFLICT_RENAME && param_given(c, "item-path")) {
        int64_t above = it.parent;
        name = it.name;
        there = 0;
        int r = drive_item_by_id(&c->tx, above, &folder);
        if (r != 1)
            return r < 0 ? -1 : onedrive_not_found(c);
        if (onedrive_may(&at, &folder, ROLE_WRITER) < 0)
            return -1;
        it = (struct drive_item){.form = DRIVE_FILE};
    }
    if (onedrive_room(&at, c->content.len) < 0 ||
        bytes_blob(&c->tx, &c->content, DRIVE_DIGESTS | BLOB_QUICKXOR, &blob) < 0)
        return -1;
    if (!there) {
        it.name = name;
        it.mime = onedrive_type(name);
        if (onedrive_add(&at, &folder, how, &it) < 0)
            return -1;
    }
    it.modified_us = c->tx.now_us;
    if (onedrive_set_content(&at, &it, &blob) < 0)
        return -1;
    c->status = there ? 200 : 201;
    c->etag = onedrive_etag(c->tx.arena, &it);
    return onedrive_answer(&at, &it, false);
}

/* ---- out ---- */

static int not_supported(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "notSupported", NULL,
                     "The requested format is not supported for the file.");
}

/* Leads to the file as PDF. */
static int redirect_converted(struct onedrive_at *at, const struct drive_item *it,
                              const char *format)
{
    struct call *c = at->c;
    const char *type;
    enum document_kind kind;
    if (!str_eq_nocase(format, "pdf") || it->form != DRIVE_FILE ||
        !onedrive_convertible(it->name, &kind, &type))
        return not_supported(c);
    const char *url = onedrive_translated_url(at, it, "download.aspx", AS_PDF);
    if (!url)
        return -1;
    c->status = 302;
    call_header_const(c, "Content-Type", OCTETS);
    call_header(c, "Location", url);
    return 0;
}

/* The bytes of a file as PDF, as the answer. */
static int send_pdf(struct call *c, const struct drive_item *it, int64_t blob)
{
    struct document *d;
    enum document_kind kind;
    const char *type, *bytes;
    struct buf out;
    size_t n;
    if (!onedrive_convertible(it->name, &kind, &type))
        return not_supported(c);
    if (blob_load(&c->tx, blob, &bytes, &n) < 0)
        return -1;
    if (format_read_as(c->tx.arena, kind, type, bytes, n, it->name, POWERS_FROM_LEFT, &d,
                       c->tx.err) < 0)
        return c->tx.err->code == SOSIA_E_NO_MEMORY ? -1 : not_supported(c);
    buf_init(&out, PDF_MOST);
    int r = format_write(c->tx.arena, d, FORMAT_PDF, &out, c->tx.err);
    if (r == 0) {
        call_header_const(c, "Content-Type", FORMAT_PDF);
        buf_clear(c->body_out);
        buf_add(c->body_out, out.data, out.len);
    }
    buf_done(&out);
    return r == 0 || c->tx.err->code == SOSIA_E_NO_MEMORY ? r : not_supported(c);
}

static int content_get(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0)
        return -1;
    if (param_given(c, "format"))
        return redirect_converted(&at, &it, param_str(c, "format"));
    return onedrive_redirect(&at, &it);
}

static int no_access(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "accessDenied", NULL, "Access denied");
}

/* The bytes of a revision by its key; NULL: those of now. 1, 0, -1. */
static int find_bytes(struct tx *tx, const struct drive_item *it, const char *revision,
                      int64_t *ret_blob)
{
    struct drive_revision r;
    int found = revision ? drive_revision_find(tx, it->id, revision, &r) : it->blob != 0;
    if (found == 1)
        *ret_blob = revision ? r.blob : it->blob;
    return found == 1 && !*ret_blob ? 0 : found;
}

static int send_bytes(struct call *c, const struct drive_item *it, int64_t blob, const char *type,
                      bool attached)
{
    struct arena *a = c->tx.arena;
    const size_t n = strlen(it->name);
    char *name = arena_alloc(a, 3 * n + 1), *date = arena_alloc(a, HTTP_DATE);
    *percent_put(name, it->name, n) = '\0';
    http_date(date, it->modified_us);
    call_header(c, "Content-Type", type);
    if (attached)
        call_header(
            c, "Content-Disposition",
            arena_printf(a, "attachment; filename*=UTF-8''%s; filename=\"%s\"", name, name));
    call_header_const(c, "Cache-Control", "private");
    call_header_const(c, "Accept-Ranges", "bytes");
    call_header(c, "Last-Modified", date);
    c->etag = onedrive_etag(a, it);
    return call_send_blob(c, blob, c->etag, date);
}

/* A file as a browser shows it: its picture or text, others as PDF where they are such documents.
 * Not what could run there. */
static int send_shown(struct call *c, const struct drive_item *it, int64_t blob)
{
    const char *type;
    enum document_kind kind;
    const bool plain = (str_starts(it->mime, "image/") && !strstr(it->mime, "svg")) ||
                       strcmp(it->mime, "application/pdf") == 0 ||
                       strcmp(it->mime, "text/plain") == 0;
    if (!plain && onedrive_convertible(it->name, &kind, &type))
        return send_pdf(c, it, blob);
    return send_bytes(c, it, blob, it->mime, !plain);
}

/* What is in front of its own part of the path. */
static const char *site_of_url(struct call *c)
{
    const char *path = arena_memdup(c->tx.arena, c->path, c->path_len);
    const char *end = path ? strstr(path, "/_layouts/") : NULL;
    return end ? arena_memdup(c->tx.arena, path, (size_t)(end - path)) : "";
}

/* What the stamp of a URL is for beside the bytes of now. */
static const char *purpose_of(struct call *c)
{
    static const char *const all[] = {AS_PDF, AS_THUMBNAIL, SHOWN};
    const char *text = param_str(c, "Translate");
    for (size_t i = 0; text && i < SOSIA_LEN(all); i++)
        if (strcmp(text, strchr(all[i], '=') + 1) == 0)
            return all[i];
    return param_str(c, "Version");
}

static int download(struct call *c)
{
    const char *key = param_str(c, "UniqueId"), *purpose = purpose_of(c);
    const char *stamp = param_str(c, "tempauth"), *right;
    char *end = NULL;
    struct drive_item it;
    int64_t blob = 0;
    if (!key || !stamp || !str_starts(stamp, "v1."))
        return no_access(c);
    const unsigned long long until = strtoull(stamp + 3, &end, 16);
    if (*end != '.' || until > INT64_MAX / US_PER_SECOND ||
        (int64_t)until * US_PER_SECOND <= c->tx.now_us)
        return no_access(c);
    right = onedrive_stamp(&c->tx, site_of_url(c), key, purpose, (int64_t)until * US_PER_SECOND);
    if (!right)
        return -1;
    if (strlen(right) != strlen(stamp) || gnutls_memcmp(right, stamp, strlen(right)) != 0)
        return no_access(c);
    const bool translated = purpose && str_starts(purpose, "Translate=");
    int r = drive_item_by_key(&c->tx, key, &it);
    if (r == 1 && it.thumbnail && str_same(purpose, AS_THUMBNAIL) && !(it.flags & DRIVE_TRASHED))
        return send_bytes(c, &it, it.thumbnail, it.thumbnail_mime, false);
    if (r == 1)
        r = it.flags & DRIVE_TRASHED ? 0
                                     : find_bytes(&c->tx, &it, translated ? NULL : purpose, &blob);
    if (r != 1)
        return r < 0 ? -1 : onedrive_not_found(c);
    if (str_same(purpose, AS_PDF))
        return send_pdf(c, &it, blob);
    return str_same(purpose, SHOWN) ? send_shown(c, &it, blob)
                                    : send_bytes(c, &it, blob, it.mime, !translated);
}

/* DELETE content: the file stays, with an empty content as its newest version. */
static int content_delete(struct call *c)
{
    static const struct bytes nothing = {.len = 0};
    struct drive_item it;
    struct onedrive_at at;
    struct blob blob;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_WRITER, &it) < 0 ||
        onedrive_if_match(&at, &it) < 0)
        return -1;
    if (it.form == DRIVE_FOLDER)
        return onedrive_invalid(c, "A folder has no content.");
    if (bytes_blob(&c->tx, &nothing, DRIVE_DIGESTS | BLOB_QUICKXOR, &blob) < 0)
        return -1;
    it.modified_us = c->tx.now_us;
    c->status = 204;
    return onedrive_set_content(&at, &it, &blob);
}

/* ---- the methods ---- */

static const struct param get_params[] = {
    ONEDRIVE_PATH_PARAMS,
    {.name = "format", .place = IN_QUERY, .summary = "The type that it is to be converted to"},
};
static const struct param delete_params[] = {ONEDRIVE_PATH_PARAMS};
static const struct param put_params[] = {ONEDRIVE_PATH_PARAMS,
                                          {.name = ONEDRIVE_CONFLICT, .place = IN_QUERY}};
static const struct param download_params[] = {
    {.name = "site",
     .place = IN_PATH,
     .required = true,
     .summary = "Whose site, as the URL has it"},
    ON_SITES_WEB,
    {.name = "UniqueId", .place = IN_QUERY, .summary = "The file, as the URL has it"},
    {.name = "Version", .place = IN_QUERY, .summary = "An earlier content, as the URL has it"},
    {.name = "Translate", .place = IN_QUERY, .summary = "pdf, thumbnail, preview: as that"},
    {.name = "width", .place = IN_QUERY, .summary = "Of a thumbnail, as the URL has it"},
    {.name = "height", .place = IN_QUERY, .summary = "Of a thumbnail, as the URL has it"},
    {.name = "cropmode", .place = IN_QUERY, .summary = "Of a thumbnail, as the URL has it"},
    {.name = "tempauth", .place = IN_QUERY, .summary = "What opens it, as the URL has it"},
};

static const struct route methods[] = {
    {ROUTE("onedrive.items.content.put", PUT, OF_DRIVE("/items/{driveItem-id}/content"),
           OF_NAMED("/content")),
     .handler = content_put, .risk = RISK_WRITE, .idempotent = true, .body = BODY_RAW,
     .content = true, .max_body = ONEDRIVE_PUT, .scopes = ONEDRIVE_WRITE, PARAMS(put_params),
     .response = "microsoft.graph.driveItem",
     .summary = "Upload a file of at most 250 MB, or new content of one"},
    {ROUTE("onedrive.items.content.delete", DELETE, OF_DRIVE("/items/{driveItem-id}/content")),
     .handler = content_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = ONEDRIVE_WRITE, PARAMS(delete_params), .status = 204,
     .summary = "Empty a file, whose earlier content stays among its versions"},
    {ROUTE("onedrive.items.content.get", GET, OF_ITEM("/content"), OF_LISTED("/content")),
     .handler = content_get, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(get_params),
     .status = 302, .gives = OCTETS,
     .summary = "The content of a file: leads to an address that needs no token"},
    {ROUTE("onedrive.download", GET, ON_SITES("/_layouts/15/download.aspx"),
           ON_SITES("/_layouts/15/getpreview.ashx"), ON_SITES("/_layouts/15/embed.aspx")),
     .handler = download, .risk = RISK_READ, .anonymous = true, .download = true,
     PARAMS(download_params), .gives = OCTETS,
     .summary = "The content of a file, by an address that was given for it"},
};

const struct rows onedrive_contents = ROWS(methods);
