/* SPDX-License-Identifier: Apache-2.0 */
/* ZIP archives in memory: the parts of office documents. Between the files of this folder, and for
 * the generator of worlds, which takes documents apart. */
#ifndef SOSIA_DRIVE_DOCUMENT_ZIP_H
#define SOSIA_DRIVE_DOCUMENT_ZIP_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/err.h"

enum {
    ZIP_ENTRIES = 2000,
    ZIP_PART = 64 << 20,     /* bytes of one part */
    ZIP_ALL = 128 << 20,     /* of all parts that are read */
    ZIP_RATIO = 200,         /* times the archive's own size, */
    ZIP_RATIO_FROM = 1 << 20 /* beyond so many bytes */
};

struct zip_part {
    struct zip_part *next;
    const char *name;
    const char *bytes; /* NUL-terminated behind len */
    size_t len;
};

/* Reads those parts whose names begin with one of the prefixes (NULL ends), in the arena; others
 * are not unpacked. -1: INVALID "unreadable" (no archive, encrypted, too many entries), TOO_LARGE
 * (what it holds is more than the limits, or grows more than it may). */
int zip_read(struct arena *a, const char *bytes, size_t len, const char *const *prefixes,
             struct zip_part **ret_parts, struct sosia_err *err);
/* The part of that name; NULL: there is none. */
const struct zip_part *zip_find(const struct zip_part *parts, const char *name);

/* An archive of parts without times, in their order; the first one is stored as it is if `plain`.
 */
int zip_write(const struct zip_part *parts, bool plain, struct buf *out, struct sosia_err *err);

#endif
