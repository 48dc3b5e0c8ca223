/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/google/content/convert.h"
#include "engine/base/codec.h"
#include "services/drive/core/model.h"
#include "services/drive/google/content/media.h"
#include "services/drive/google/types.h"

int gdrive_any_subject(struct call *c, const char *key, struct gdrive_subject *ret)
{
    if (gdrive_view(c, &ret->view) < 0)
        return -1;
    if (gdrive_open_any(&ret->view, key, ROLE_SEES, &ret->item, &ret->access) < 0)
        return -1;
    return gdrive_may(&ret->view.viewer, &ret->item, &ret->access, &ret->cans);
}

/* ---- in ---- */

/* Pictures become texts with the picture and the words that are read in it: here an empty one, as
 * documents keep no pictures. How their bytes begin. */
static const struct picture {
    const char *type, *begin;
} pictures[] = {{"image/bmp", "BM"},
                {"image/gif", "GIF8"},
                {"image/jpeg", "\xff\xd8\xff"},
                {"image/jpg", "\xff\xd8\xff"},
                {"image/pjpeg", "\xff\xd8\xff"},
                {"image/x-bmp", "BM"},
                {"image/x-png", "\x89PNG\r\n\x1a\n"},
                {"image/png", "\x89PNG\r\n\x1a\n"}};

static const struct picture *picture_of(const char *type)
{
    for (size_t i = 0; i < SOSIA_LEN(pictures); i++)
        if (str_eq_nocase(pictures[i].type, type))
            return &pictures[i];
    return NULL;
}

static int read_into(struct call *c, enum document_kind kind, const char *type, const char *bytes,
                     size_t len, const char *title, struct document **ret)
{
    const struct picture *p = picture_of(type);
    if (!p)
        return format_read(c->tx.arena, kind, type, bytes, len, title, ret, c->tx.err);
    if (len < strlen(p->begin) || memcmp(bytes, p->begin, strlen(p->begin)) != 0)
        return sosia_fail(c->tx.err, SOSIA_E_INVALID, "unreadable", NULL, "this is not %s", type);
    *ret = document_new(c->tx.arena, kind, title);
    return 0;
}

/* Is it a conversion that the resource about lists? */
static bool is_listed(const char *type, const char *word)
{
    for (const struct gdrive_import *i = gdrive_imports; i->type; i++)
        if (str_eq_nocase(i->type, type))
            return strcmp(i->word, word) == 0;
    return false;
}

bool gdrive_can_import(const char *type, const char *word)
{
    enum document_kind kind;
    const struct format *f = format_find(type);
    if (picture_of(type))
        return strcmp(word, "document") == 0;
    return f && is_listed(type, word) && drive_document_kind(word, &kind) && f->reads & 1u << kind;
}

int gdrive_import_too_large(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL,
                     "The file is too large to be converted to the requested type.");
}

int gdrive_import(struct call *c, struct drive_item *it, const char *type, const char *bytes,
                  size_t len)
{
    const struct gdrive_kind *kind = gdrive_kind(it->mime);
    enum document_kind k;
    struct document *d;
    if (!kind || !gdrive_can_import(type, it->mime) || !drive_document_kind(it->mime, &k))
        return gdrive_no_conversion(c);
    if ((int64_t)len > kind->max_import)
        return gdrive_import_too_large(c);
    if (read_into(c, k, type, bytes, len, it->name, &d) < 0) {
        if (c->tx.err->code == SOSIA_E_NO_MEMORY)
            return -1;
        call_why(c, "%s", c->tx.err->text);
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, "Bad Request");
    }
    return drive_document_put(&c->tx, it, d);
}

int gdrive_import_file(struct call *c, struct drive_item *it, const struct drive_item *from)
{
    const struct gdrive_kind *kind = gdrive_kind(it->mime);
    const char *bytes = "";
    size_t len = 0;
    if (!kind || !gdrive_can_import(from->mime, it->mime))
        return gdrive_no_conversion(c);
    if (from->size > kind->max_import)
        return gdrive_import_too_large(c);
    if (from->blob && blob_load(&c->tx, from->blob, &bytes, &len) < 0)
        return -1;
    return gdrive_import(c, it, from->mime, bytes, len);
}

/* ---- links ---- */

static const char *export_path(const char *word)
{
    return strcmp(word, "document") == 0       ? "feeds/download/documents/export/Export"
           : strcmp(word, "spreadsheet") == 0  ? "spreadsheets/export"
           : strcmp(word, "presentation") == 0 ? "feeds/download/presentations/Export"
                                               : "feeds/download/drawings/Export";
}

void gdrive_write_export_links(struct call *c, const struct drive_item *it, const char *revision)
{
    const struct gdrive_kind *kind = gdrive_kind(gdrive_document(it));
    if (!kind || !kind->link || !kind->exports->type || !json_wants(c->out, "exportLinks"))
        return;
    json_obj(c->out, "exportLinks");
    for (const struct gdrive_export *e = kind->exports; e->type; e++)
        json_str(c->out, e->type,
                 arena_printf(c->tx.arena, "https://docs.google.com/%s?id=%s%s%s&exportFormat=%s",
                              export_path(kind->word), it->key, revision ? "&revision=" : "",
                              revision ? revision : "", e->format));
    json_end(c->out);
}
