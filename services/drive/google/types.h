/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of documents that Drive edits itself, and the media types that they are exported to and
 * imported from ("Export MIME types" of the guides, and a live about.get of 2025). */
#ifndef SOSIA_DRIVE_GOOGLE_TYPES_H
#define SOSIA_DRIVE_GOOGLE_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct gdrive_export {
    const char *type;   /* media type */
    const char *format; /* as exportFormat of links names it */
};

struct gdrive_kind {
    const char *word;                    /* of the core: "document" */
    const char *link;                    /* in links: "document", "spreadsheets"; NULL: no editor */
    const struct gdrive_export *exports; /* in the order of about.get; NULL type: the end */
    const char *download;                /* what files.download gives; NULL: it refuses */
    int64_t max_import;                  /* bytes; 0: nothing is imported */
};

/* NULL-terminated by word. */
extern const struct gdrive_kind gdrive_kinds[];
const struct gdrive_kind *gdrive_kind(const char *word); /* NULL: there is none */

/* What a media type becomes when it is imported. */
struct gdrive_import {
    const char *type, *word;
};
extern const struct gdrive_import gdrive_imports[]; /* NULL-terminated by type */

#endif
