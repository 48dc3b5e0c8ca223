/* SPDX-License-Identifier: Apache-2.0 */
/* The content of files: what comes with create and update, and downloads. */
#include "services/drive/google/content/media.h"
#include "services/drive/core/revision.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/types.h"
#include "services/drive/google/write.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/http/bytes.h"
#include <strings.h>

/* ---- in ---- */

const char *gdrive_extension(struct arena *a, const char *name)
{
    static const char *const doubles[] = {".tar."};
    const char *dot = strrchr(name, '.');
    if (!dot || !dot[1] || dot == name || strlen(dot) > 32 || strpbrk(dot, " /"))
        return NULL;
    for (size_t i = 0; i < SOSIA_LEN(doubles); i++) {
        size_t n = strlen(doubles[i]) - 1; /* ".tar" */
        if (dot - name > (int)n && strncasecmp(dot - n, doubles[i], n) == 0)
            dot -= n;
    }
    return arena_strdup(a, dot + 1);
}

int gdrive_not_kept(struct call *c)
{
    const char *reason = c->tx.err->reason;
    return reason && strcmp(reason, "tooManyKept") == 0
               ? call_fail(c, SOSIA_E_FORBIDDEN, "pinnedRevisionLimitExceeded", NULL,
                           "The limit on the number of revisions kept forever for this file has "
                           "been reached.")
               : -1;
}

int gdrive_keep_head(struct call *c, const struct drive_item *it)
{
    if (!param_bool(c, "keepRevisionForever") || it->form != DRIVE_FILE || !it->head)
        return 0;
    return drive_revision_keep(&c->tx, it, it->head) < 0 ? gdrive_not_kept(c) : 0;
}

/* "text/plain; charset=utf-8" without what is behind the type. */
static const char *bare_type(struct arena *a, const char *type)
{
    size_t n = strcspn(type, "; \t");
    return arena_memdup(a, type, n);
}

/* Content comes in no type of Google's own but those of scripts. */
static bool is_google_type(const char *type)
{
    static const char script[] = GDRIVE_TYPE "script+";
    return strncasecmp(type, GDRIVE_TYPE, strlen(GDRIVE_TYPE)) == 0 &&
           strncasecmp(type, script, strlen(script)) != 0;
}

int gdrive_check_content(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    bool converts = ch->old && ch->type && str_starts(ch->type, GDRIVE_TYPE) &&
                    strcmp(ch->type, gdrive_type(c->tx.arena, ch->old)) != 0;
    if (!c->medium || (!converts && !is_google_type(c->medium->type)))
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "invalidContentType", NULL,
                     "Invalid MIME type provided for the uploaded content.");
}

/* The type that bytes begin like; NULL: none that is known by its beginning. */
static int guess_type(struct tx *tx, const struct blob *blob, const char **ret)
{
    static const struct {
        const char *begin, *type;
    } table[] = {{"%PDF-", "application/pdf"},   {"\x89PNG\r\n\x1a\n", "image/png"},
                 {"\xff\xd8\xff", "image/jpeg"}, {"GIF87a", "image/gif"},
                 {"GIF89a", "image/gif"},        {"PK\x03\x04", "application/zip"}};
    enum { HEAD = 8 };
    struct buf head;
    *ret = NULL;
    buf_init(&head, HEAD);
    int r = blob->length
                ? blob_load_range(tx, blob->id, 0, blob->length < HEAD ? blob->length : HEAD, &head)
                : 0;
    for (size_t i = 0; r == 0 && i < SOSIA_LEN(table); i++)
        if (head.len >= strlen(table[i].begin) &&
            memcmp(head.data, table[i].begin, strlen(table[i].begin)) == 0)
            *ret = table[i].type;
    buf_done(&head);
    return r < 0 ? -1 : 0;
}

/* The content as the text to search for, whatever its type is. */
static int index_content(struct call *c, struct drive_item *it, const struct blob *blob)
{
    enum { MOST = 128 * 1024 };
    struct buf b;
    if (!param_bool(c, "useContentAsIndexableText") || !blob->length)
        return 0;
    buf_init(&b, MOST + 1);
    int r = blob_load_range(&c->tx, blob->id, 0, blob->length < MOST ? blob->length : MOST, &b);
    for (size_t i = 0; r == 0 && i < b.len; i++)
        if (!b.data[i])
            b.data[i] = ' ';
    char *text = arena_memdup(c->tx.arena, r == 0 ? buf_str(&b) : "", r == 0 ? b.len : 0);
    bool failed = buf_failed(&b);
    buf_done(&b);
    if (r < 0 || failed || arena_failed(c->tx.arena))
        return r < 0 ? -1 : sosia_fail_memory(c->tx.err);
    utf8_scrub(text);
    it->index_text = text;
    return 0;
}

static int take_bytes(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    const struct medium *m = c->medium;
    struct drive_item *it = ch->it;
    struct blob blob;
    const char *type = bare_type(c->tx.arena, m->type);
    if (ch->type)
        it->mime = ch->type;
    else if (!ch->old || strcmp(type, "application/octet-stream") != 0)
        it->mime = type;
    if (!ch->old && !it->original)
        it->original = it->name;
    if (bytes_blob(&c->tx, &m->bytes, DRIVE_DIGESTS | BLOB_CRC32C, &blob) < 0)
        return -1;
    if (!ch->type && !m->typed) {
        if (guess_type(&c->tx, &blob, &type) < 0)
            return -1;
        it->mime = type ? type : it->mime;
    }
    if (index_content(c, it, &blob) < 0)
        return -1;
    if (!ch->thumbnail && it->thumbnail) { /* of the content before */
        if (blob_unref(&c->tx, it->thumbnail) < 0)
            return -1;
        it->thumbnail = 0;
        it->thumbnail_mime = NULL;
    }
    if (drive_read_picture(&c->tx, it, &blob) < 0 || drive_content_set(&c->tx, it, &blob) < 0)
        return -1;
    return gdrive_keep_head(c, it);
}

int gdrive_no_conversion(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "badRequest", "convertTo",
                     "The requested conversion is not supported.");
}

/* Bytes for a document: it becomes what they say. */
static int take_document(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    const struct gdrive_kind *kind = gdrive_kind(ch->it->mime);
    const char *data;
    int64_t len = c->medium->bytes.len;
    if (!kind)
        return gdrive_no_conversion(c);
    if (len > kind->max_import)
        return gdrive_import_too_large(c);
    if (bytes_view(&c->tx, &c->medium->bytes, len, &data) < 0)
        return -1;
    return gdrive_import(c, ch->it, bare_type(c->tx.arena, c->medium->type), data, (size_t)len);
}

int gdrive_take_content(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    struct drive_item *it = ch->it;
    if (c->medium && it->form == DRIVE_FILE)
        return take_bytes(ch);
    if (c->medium && it->form == DRIVE_DOCUMENT)
        return take_document(ch);
    if (c->medium)
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, "Bad Request");
    if (ch->old)
        return drive_item_save(&c->tx, it);
    if (it->form == DRIVE_FILE && !str_starts(it->mime, GDRIVE_TYPE))
        return drive_content_put(&c->tx, it, "", 0) < 0 ? -1 : gdrive_keep_head(c, it);
    if (it->form == DRIVE_DOCUMENT && drive_revision_add(&c->tx, it) < 0)
        return -1;
    return drive_item_save(&c->tx, it);
}

/* ---- out ---- */

int gdrive_must_download(struct gdrive_view *v, const struct drive_item *it,
                         const struct drive_access *access)
{
    struct call *c = v->c;
    struct gdrive_cans cans;
    if (gdrive_may(&v->viewer, it, access, &cans) < 0)
        return -1;
    if (!can(&cans, CAN_DOWNLOAD))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotDownloadFile", NULL,
                         "This file cannot be downloaded by the user.");
    if (it->flags & DRIVE_ABUSIVE &&
        !(gdrive_flag(c, "acknowledgeAbuse") && access->role >= ROLE_ORGANIZER))
        return call_fail(
            c, SOSIA_E_FORBIDDEN, "cannotDownloadAbusiveFile", NULL,
            "This file has been identified as malware or spam and cannot be downloaded.");
    return gdrive_content_reached(c, it);
}

int gdrive_send_content(struct gdrive_view *v, const struct drive_item *it,
                        const struct drive_access *access)
{
    struct call *c = v->c;
    if (it->form != DRIVE_FILE || !it->blob)
        return call_fail(c, SOSIA_E_FORBIDDEN, "fileNotDownloadable", "alt",
                         "Only files with binary content can be downloaded. Use Export with Docs "
                         "Editors files.");
    if (gdrive_must_download(v, it, access) < 0)
        return -1;
    struct blob blob;
    struct buf hash;
    if (drive_content_digests(&c->tx, it, &blob) < 0)
        return -1;
    buf_init(&hash, 32);
    buf_puts(&hash, "crc32c=");
    base64_add(&hash, blob.crc32c, sizeof blob.crc32c);
    call_header(c, "X-Goog-Hash", buf_str(&hash));
    buf_done(&hash);
    call_header_const(c, "Content-Disposition", "attachment");
    call_header_const(c, "Cache-Control", "private, max-age=0, must-revalidate");
    call_header_const(c, "Server", "UploadServer");
    return google_media_blob(c, it->mime, it->blob);
}
