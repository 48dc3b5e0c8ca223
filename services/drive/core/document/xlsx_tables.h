/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of spreadsheets of Office Open XML. Between the files of this folder only. */
#ifndef SOSIA_DRIVE_DOCUMENT_XLSX_TABLES_H
#define SOSIA_DRIVE_DOCUMENT_XLSX_TABLES_H

#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/parts.h"
#include "services/drive/core/document/xml.h"

#define XLSX_MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

/* The tables of the sheet whose part has that path. What cannot be read as a table is
 * passed over. 0, -1. */
int xlsx_read_tables(struct arena *a, const struct zip_part *parts, const char *path,
                     struct sheet *s, struct sosia_err *err);
/* The element of a sheet that names its tables; their parts, counted from *number on, and the
 * relationships of the sheet, which is the part of that number. */
void xlsx_put_table_parts(struct buf *out, const struct sheet *s);
void xlsx_write_tables(struct parts *p, const struct sheet *s, unsigned sheet, unsigned *number);

#endif
