/* SPDX-License-Identifier: Apache-2.0 */
/* ZIP archives, by libarchive. */
#include "services/drive/core/document/zip.h"
#include <archive.h>
#include <archive_entry.h>

static bool is_wanted(const char *name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (!strncmp(name, *prefixes, strlen(*prefixes)))
            return true;
    return false;
}

static int bad(struct sosia_err *err, const char *why)
{
    return sosia_fail(err, SOSIA_E_INVALID, "unreadable", NULL, "the archive cannot be read: %s",
                      why);
}

/* The bytes of the entry that the archive is at. left: how many there may be. */
static int unpack(struct archive *z, struct arena *a, size_t left, struct zip_part *p,
                  struct sosia_err *err)
{
    struct buf b;
    char piece[16384];
    la_ssize_t n;
    int r = -1;
    size_t max = left < ZIP_PART ? left : ZIP_PART;
    buf_init(&b, 0);
    while ((n = archive_read_data(z, piece, sizeof piece)) > 0) {
        if ((size_t)n > max - b.len) {
            sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                       "the archive holds more than %zu bytes", max);
            goto done;
        }
        buf_add(&b, piece, (size_t)n);
        if (buf_failed(&b)) {
            sosia_fail_memory(err);
            goto done;
        }
    }
    if (n < 0) {
        bad(err, "damaged data");
        goto done;
    }
    p->bytes = arena_memdup(a, b.len ? b.data : "", b.len);
    p->len = b.len;
    r = 0;
done:
    buf_done(&b);
    return r;
}

int zip_read(struct arena *a, const char *bytes, size_t len, const char *const *prefixes,
             struct zip_part **ret_parts, struct sosia_err *err)
{
    struct archive *z = archive_read_new();
    struct archive_entry *e;
    struct zip_part *parts = NULL, **end = &parts;
    size_t left = len < ZIP_ALL / ZIP_RATIO ? len * ZIP_RATIO : ZIP_ALL;
    int r = -1, rc, n = 0;
    if (left < ZIP_RATIO_FROM)
        left = ZIP_RATIO_FROM;
    if (!z)
        return sosia_fail_memory(err);
    archive_read_support_format_zip(z);
    if (archive_read_open_memory(z, bytes, len) != ARCHIVE_OK) {
        bad(err, "not a ZIP archive");
        goto done;
    }
    while ((rc = archive_read_next_header(z, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
        const char *name = archive_entry_pathname(e);
        if (++n > ZIP_ENTRIES) {
            bad(err, "too many entries");
            goto done;
        }
        if (!name || !is_wanted(name, prefixes) || zip_find(parts, name) ||
            archive_entry_filetype(e) != AE_IFREG)
            continue;
        struct zip_part *p = arena_calloc(a, 1, sizeof *p);
        p->name = arena_strdup(a, name);
        if (unpack(z, a, left, p, err) < 0)
            goto done;
        left -= p->len;
        *end = p;
        end = &p->next;
    }
    if (rc != ARCHIVE_EOF || !n) {
        bad(err, n ? "damaged" : "not a ZIP archive");
        goto done;
    }
    *ret_parts = parts;
    r = arena_failed(a) ? sosia_fail_memory(err) : 0;
done:
    archive_read_free(z);
    return r;
}

const struct zip_part *zip_find(const struct zip_part *parts, const char *name)
{
    while (parts && strcmp(parts->name, name) != 0)
        parts = parts->next;
    return parts;
}

/* ---- writing ---- */

static la_ssize_t take(struct archive *z, void *arg, const void *bytes, size_t n)
{
    struct buf *out = arg;
    buf_add(out, bytes, n);
    if (buf_failed(out)) {
        archive_set_error(z, ARCHIVE_FATAL, "no room");
        return -1;
    }
    return (la_ssize_t)n;
}

static int zip_put(struct archive *z, const struct zip_part *p)
{
    struct archive_entry *e = archive_entry_new();
    if (!e)
        return -1;
    archive_entry_set_pathname(e, p->name);
    archive_entry_set_size(e, (la_int64_t)p->len);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    int r = archive_write_header(z, e) == ARCHIVE_OK &&
                    archive_write_data(z, p->bytes, p->len) == (la_ssize_t)p->len
                ? 0
                : -1;
    archive_entry_free(e);
    return r;
}

int zip_write(const struct zip_part *parts, bool plain, struct buf *out, struct sosia_err *err)
{
    struct archive *z = archive_write_new();
    int r = z ? 0 : -1;
    if (!z)
        return sosia_fail_memory(err);
    archive_write_set_format_zip(z);
    archive_write_set_bytes_per_block(z, 0);
    if (archive_write_open(z, out, NULL, take, NULL) != ARCHIVE_OK)
        r = -1;
    for (const struct zip_part *p = parts; r == 0 && p; p = p->next) {
        if (p == parts && plain)
            archive_write_zip_set_compression_store(z);
        else
            archive_write_zip_set_compression_deflate(z);
        r = zip_put(z, p);
    }
    if (archive_write_close(z) != ARCHIVE_OK)
        r = -1;
    archive_write_free(z);
    return r == 0 ? 0
                  : sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                               "the archive is too large to be written");
}
