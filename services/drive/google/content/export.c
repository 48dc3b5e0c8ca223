/* SPDX-License-Identifier: Apache-2.0 */
/* Documents in other formats. */
#include "engine/base/codec.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/content/media.h"
#include "services/drive/google/types.h"

enum { EXPORT_MAX = 10 << 20 };

/* The format's name in the table; NULL: documents of that kind are not exported to it. */
static const char *exported(const struct gdrive_kind *kind, const char *type)
{
    for (const struct gdrive_export *e = kind->exports; e->type; e++)
        if (str_eq_nocase(e->type, type))
            return e->type;
    return NULL;
}

/* The revision that the address of a prepared download names, which is none of the method's
 * parameters; 0: the head. */
static int find_revision_asked(struct gdrive_subject *s, int64_t *ret)
{
    struct call *c = s->view.c;
    const char *key = call_query_item(c, "revisionId");
    struct drive_revision revision;
    *ret = 0;
    if (!key)
        return 0;
    if (s->access.role < ROLE_WRITER)
        return gdrive_insufficient(c);
    int r = drive_revision_find(&c->tx, s->item.id, key, &revision);
    if (r == 0)
        call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "revisionId", "Revision not found: %s.", key);
    *ret = r == 1 ? revision.id : 0;
    return r == 1 ? 0 : -1;
}

/* The type that links call by a name: of several the one that this program writes. */
static const char *named(const struct gdrive_kind *kind, const char *name)
{
    const char *found = NULL;
    for (const struct gdrive_export *e = kind->exports; e->type; e++)
        if (str_eq_nocase(e->format, name) && (!found || format_find(e->type)))
            found = e->type;
    return found;
}

static int send_document(struct gdrive_subject *s, const char *type)
{
    struct call *c = s->view.c;
    struct document *d;
    struct buf out;
    int64_t revision;
    if (find_revision_asked(s, &revision) < 0)
        return -1;
    int r = drive_document_load(&c->tx, &s->item, revision, &d);
    if (r < 0)
        return -1;
    if (!r)
        return gdrive_no_conversion(c);
    buf_init(&out, EXPORT_MAX);
    r = format_write(c->tx.arena, d, type, &out, c->tx.err);
    if (r < 0) {
        enum sosia_code code = c->tx.err->code;
        buf_done(&out);
        return code == SOSIA_E_TOO_LARGE
                   ? call_fail(c, SOSIA_E_FORBIDDEN, "exportSizeLimitExceeded", NULL,
                               "This file is too large to be exported.")
               : code == SOSIA_E_MEDIA_TYPE ? gdrive_no_conversion(c)
                                            : -1;
    }
    call_header(c, "Content-Type", type);
    call_header(c, "Content-Disposition", "attachment");
    call_header(c, "Cache-Control", "private, max-age=0, must-revalidate");
    char *date = arena_alloc(c->tx.arena, HTTP_DATE);
    http_date(date, c->tx.now_us);
    call_header(c, "Expires", date);
    buf_clear(c->body_out);
    buf_add(c->body_out, out.data, out.len);
    buf_done(&out);
    return 0;
}

/* To a media type; with type NULL to what links call by this name. */
static int export_file(struct call *c, const char *key, const char *type, const char *name)
{
    struct gdrive_subject s;
    if (gdrive_any_subject(c, key, &s) < 0)
        return -1;
    if (s.access.role < ROLE_READER)
        return gdrive_insufficient(c);
    const char *word = gdrive_document(&s.item);
    if (!word)
        return call_fail(c, SOSIA_E_FORBIDDEN, "fileNotExportable", NULL,
                         "Export only supports Docs Editors files.");
    if (strcmp(word, "vid") == 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "fileNotExportable", NULL,
                         "Google Vids does not support files.export. Use files.download with Vids "
                         "files.");
    if (!can(&s.cans, CAN_DOWNLOAD))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotDownloadFile", NULL,
                         "This file cannot be downloaded by the user.");
    const struct gdrive_kind *kind = gdrive_kind(word);
    if (kind && !type)
        type = named(kind, name);
    return kind && type && exported(kind, type) ? send_document(&s, type) : gdrive_no_conversion(c);
}

static int files_export(struct call *c)
{
    return export_file(c, param_str(c, "fileId"), param_str(c, "mimeType"), NULL);
}

/* What exportLinks lead to, with the same credential. */
static int follow_link(struct call *c)
{
    return export_file(c, param_str(c, "id"), NULL, param_str(c, "exportFormat"));
}

static const struct param files_export_params[] = {
    GDRIVE_FILE_ID,
    {.name = "mimeType", .place = IN_QUERY, .required = true},
};

static const struct route methods[] = {
    {ROUTE("drive.files.export", GET, "/drive/v3/files/{fileId}/export",
           "/download/drive/v3/files/{fileId}/export"),
     .handler = files_export, .risk = RISK_READ, .anonymous = true, .download = true,
     .scopes = DRIVE " " FILE_SCOPE " " MEET_READONLY " " READONLY, PARAMS(files_export_params),
     .summary = "A document in another format"},
};

const struct rows gdrive_export = ROWS(methods);

static const struct param link_params[] = {
    {.name = "id", .place = IN_QUERY, .required = true, .summary = "Id of the file"},
    {.name = "exportFormat",
     .place = IN_QUERY,
     .required = true,
     .summary = "Form of the content, as pdf"},
};

static const struct route links[] = {
    {ROUTE("drive.link.export", GET, "/spreadsheets/export",
           "/feeds/download/documents/export/Export", "/feeds/download/presentations/Export",
           "/feeds/download/drawings/Export"),
     .handler = follow_link, .risk = RISK_READ, .download = true,
     .scopes = DRIVE " " FILE_SCOPE " " MEET_READONLY " " READONLY, PARAMS(link_params),
     .summary = "A document in the format of an export link"},
};
static const struct rows link_rows = ROWS(links);

static const char *const prefixes[] = {"/spreadsheets/export", "/feeds/download", NULL};

const struct dialect gdrive_links = {
    .name = "drive.google.links",
    .title = "Export links of Google Drive",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&link_rows),
};
