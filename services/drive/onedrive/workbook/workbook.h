/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workbooks: .xlsx files as sheets of cells. A call reads the file, and one that changes it writes
 * it anew, with what the model of documents has: values, formulas and number formats.
 */
#ifndef SOSIA_ONEDRIVE_WORKBOOK_H
#define SOSIA_ONEDRIVE_WORKBOOK_H

#include "services/drive/onedrive/onedrive.h"

enum { BOOK_CELLS = 200000 }; /* of a range that is read or written */

struct workbook {
    struct onedrive_at at;
    struct drive_item item;
    struct document *doc;
    const char *base; /* of contexts and ids: "/drives('d')/items('i')/workbook" */
};

/* Cells of a sheet, from 0 on, both ends included. */
struct book_range {
    uint32_t top, left, bottom, right;
};

/* A table: where it is, with its heads. */
struct book_table {
    int64_t id, item, number;
    const char *name, *sheet;
    struct book_range range;
    bool heads;
};

/* ---- workbook.c ---- */

/* The workbook of the path. 0, -1 refused. */
int book_open(struct call *c, enum drive_role need, struct workbook *ret);
/* Its cells as the new content of the file. 0, -1. */
int book_save(struct workbook *b);
/* The sheet of the path, by id or name, and its place. 0, -1. */
int book_sheet_of_path(struct workbook *b, struct sheet **ret, int *ret_at);
struct sheet *book_sheet(struct workbook *b, const char *text, int *ret_at);
const char *book_sheet_id(struct arena *a, int at);
/* A row of at least n cells, made where there is none; from: the place of one that is not behind
 * it. NULL: failed. */
struct sheet_row *book_row(struct workbook *b, struct sheet_row **from, uint32_t row, uint32_t n);
/* From the first cell to the last one that has something, or a format unless only values count;
 * false: there is none. */
bool book_used(const struct sheet *s, bool only_values, struct book_range *ret);
/* "B2:C5", "$B$2", with or without the sheet in front; false: it is none. */
bool book_address(const char *text, struct book_range *ret);
const char *book_address_text(struct arena *a, const char *sheet, const struct book_range *r);
uint64_t book_cells(const struct book_range *r); /* how many it has */
/* A range as the answer, or as a member. 0, -1. */
int book_answer_range(struct workbook *b, const struct sheet *s, int at,
                      const struct book_range *r);
/* from: the sheet's rows from one on that is not behind the range's first. */
void book_write_values(struct workbook *b, const struct sheet_row *from, const struct book_range *r,
                       const char *key);
/* May an answer have so many cells? 0, -1 refused. */
int book_check_size(struct call *c, uint64_t rows, uint64_t columns);
/* Values of a body into a range: a list of rows, or one value for all. 0, -1 refused. */
int book_take_values(struct workbook *b, struct sheet *s, const struct book_range *r,
                     const struct json *values);
/* The same of number formats. */
int book_take_formats(struct workbook *b, struct sheet *s, const struct book_range *r,
                      const struct json *formats);
/* Empties the cells of a range, makes their formats General, or both. 0, -1 refused. */
int book_clear(struct workbook *b, struct sheet *s, const struct book_range *r, bool contents,
               bool formats);
int book_bad(struct call *c);
int book_none(struct call *c);

/* ---- workbook_typed.c ---- */

/* Is the text, of len bytes, one that means a number with a format? The number is in the arena. */
bool book_typed(struct arena *a, const char *text, size_t len, const char **ret_number,
                const char **ret_format);

/* ---- workbook_table.c ---- */

/* The next table of a file behind a number; one by its name or number. 1, 0, -1. */
int book_next_table(struct tx *tx, int64_t item, int64_t after, struct book_table *ret);
int book_find_table(struct tx *tx, int64_t item, const char *text, struct book_table *ret);
int book_add_table(struct tx *tx, const struct book_table *t); /* 0, -1 */
/* A sheet has another name; NULL: it is not there any more. 0, -1. */
int book_tables_renamed(struct workbook *b, const char *sheet, const char *name);
/* The tables that the bytes of a file have, in the place of those that it had; of one that is not a
 * workbook none. 0, -1. */
#define BOOK_BYTES (INT64_C(100) << 20) /* of larger files the tables are not looked for */
int book_tables_read(struct tx *tx, const struct drive_item *it);
/* The same of a file that had another name before, if that makes a workbook of it. 0, -1. */
int book_tables_named(struct tx *tx, const struct drive_item *it, const char *before);
/* The tables of a file, into its sheets. 0, -1. */
int book_tables_fill(struct tx *tx, int64_t item, struct document *d);
/* A copy has the tables of the file that it is of, and no others. 0, -1. */
int book_tables_copied(struct tx *tx, int64_t from, int64_t to);
/* The member "tables" of a file in documents. 0, -1. */
int book_tables_seed(struct tx *tx, struct doc *d, const struct json *v, int64_t item);
int book_tables_dump(struct tx *tx, struct json_writer *w, int64_t item);

extern const struct rows workbook_sheet_rows, workbook_table_rows;

/* A file, by its id or by its path. */
#define OF_BOOK(path)                                                                              \
    OF_DRIVE("/items/{driveItem-id}/workbook" path), OF_DRIVE("/root:/{item-path*}:/"              \
                                                              "workbook" path)

#endif
