/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open formats that documents are read from and written as, named by their media types.
 *
 * What is read is anybody's: archives are limited in entries, size and ratio, XML in depth, without
 * DTD, entities and network. What is written is the same for the same document: times in archives
 * are fixed, and no clock is read.
 */
#ifndef SOSIA_DRIVE_DOCUMENT_FORMAT_H
#define SOSIA_DRIVE_DOCUMENT_FORMAT_H

#include "services/drive/core/document/document.h"

#define FORMAT_TEXT     "text/plain"
#define FORMAT_HTML     "text/html"
#define FORMAT_MARKDOWN "text/markdown"
#define FORMAT_CSV      "text/csv"
#define FORMAT_TSV      "text/tab-separated-values"
#define FORMAT_DOCX     "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
#define FORMAT_XLSX     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#define FORMAT_PPTX     "application/vnd.openxmlformats-officedocument.presentationml.presentation"
#define FORMAT_ODT      "application/vnd.oasis.opendocument.text"
#define FORMAT_ODS      "application/vnd.oasis.opendocument.spreadsheet"
#define FORMAT_ODP      "application/vnd.oasis.opendocument.presentation"
#define FORMAT_RTF      "application/rtf"
#define FORMAT_EPUB     "application/epub+zip"
#define FORMAT_PDF      "application/pdf"
#define FORMAT_SVG      "image/svg+xml"
#define FORMAT_ZIP      "application/zip" /* HTML in an archive */

struct format {
    const char *type;       /* media type, in lower case */
    const char *extension;  /* "docx" */
    unsigned reads, writes; /* kinds of documents: bits, 1 << DOCUMENT_TEXT, ... */
};

/* The format of a media type, without regard to case and parameters; other names for the same one
 * are known. NULL: none of these. */
const struct format *format_find(const char *type);
/* All of them; *ret_n. */
const struct format *format_all(size_t *ret_n);

/* Reads len bytes into a document of the kind. -1: MEDIA_TYPE "unsupported" (the format is not read
 * into this kind), INVALID "unreadable" (the bytes are not of the format), TOO_LARGE, NO_MEMORY.
 * title: of the document, borrowed. */
int format_read(struct arena *a, enum document_kind kind, const char *type, const char *bytes,
                size_t len, const char *title, struct document **ret_document,
                struct sosia_err *err);
/* The same; powers: how formulas of a table that came as text are worked out (calc.h), for
 * format_read() from the right. */
int format_read_as(struct arena *a, enum document_kind kind, const char *type, const char *bytes,
                   size_t len, const char *title, enum sheet_powers powers,
                   struct document **ret_document, struct sosia_err *err);

/* Writes it. -1: MEDIA_TYPE "unsupported", TOO_LARGE (more than out may be), NO_MEMORY. */
int format_write(struct arena *a, const struct document *d, const char *type, struct buf *out,
                 struct sosia_err *err);

#endif
