/* SPDX-License-Identifier: Apache-2.0 */
/* Readers and writers of single formats. Between the files of this folder only. */
#ifndef SOSIA_DRIVE_DOCUMENT_FORMAT_IMPL_H
#define SOSIA_DRIVE_DOCUMENT_FORMAT_IMPL_H

#include "services/drive/core/document/build.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/document/number_format.h"

/* Readers put what they find into the builder. 0, -1 with err. */
typedef int format_reader(struct builder *b, const char *bytes, size_t len, struct sosia_err *err);
/* Text of a file as UTF-8: bytes that are not that are read as Latin-1, as older programs write; a
 * mark at the beginning selects UTF-8 or UTF-16. In the arena, or the bytes themselves. */
const char *text_decoded(struct arena *a, const char *bytes, size_t *len);
format_reader text_import, markdown_import, html_import, csv_import, tsv_import, docx_import,
    xlsx_import, odt_import, ods_import, pptx_import, odp_import, rtf_import;

/* Writers add to out; its failure is looked at by format_write(). */
typedef int format_writer(struct arena *a, const struct document *d, struct buf *out,
                          struct sosia_err *err);
format_writer text_export, markdown_export, html_export, csv_export, tsv_export, docx_export,
    xlsx_export, odt_export, ods_export, pptx_export, odp_export, rtf_export, epub_export,
    pdf_export, svg_export, zip_export;

/* HTML of blocks; xml: as XHTML wants it. */
void html_blocks(struct buf *out, const struct text_block *blocks, bool xml);
/* The rows of a sheet as a table. */
void html_sheet(struct buf *out, const struct sheet *s);
enum { ODF_FORMULA = 8000 }; /* bytes of a formula that is read */
/* A formula as OpenDocument has it, without the prefix of its name space, and back (in the arena;
 * NULL: it is none, or too long). */
void odf_formula_write(struct buf *out, const char *formula);
const char *odf_formula_read(struct arena *a, const char *formula);
/* How many columns the widest row has. */
uint32_t sheet_width(const struct sheet *s);

#endif
