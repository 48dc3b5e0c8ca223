/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents that are edited and not stored as bytes: texts, spreadsheets, presentations, drawings.
 * One model for all, read from and written as open formats (format.h); a core keeps it as JSON
 * (document_write()), which an editor's API can work on.
 *
 * Everything lives in an arena. Texts are valid UTF-8 without control characters but '\t' and '\n'
 * (a line break within a paragraph or a cell).
 */
#ifndef SOSIA_DRIVE_DOCUMENT_H
#define SOSIA_DRIVE_DOCUMENT_H

#include "engine/json/json.h"

enum document_kind {
    DOCUMENT_TEXT,
    DOCUMENT_SHEETS,
    DOCUMENT_SLIDES,
    DOCUMENT_DRAWING,
    DOCUMENT_KINDS
};

/* ---- texts ---- */

enum { RUN_BOLD = 1, RUN_ITALIC = 2, RUN_UNDERLINE = 4, RUN_STRIKE = 8, RUN_CODE = 16 };
enum block_kind { BLOCK_PARAGRAPH, BLOCK_TABLE, BLOCK_RULE };
enum list_kind { LIST_NONE, LIST_BULLET, LIST_NUMBER };
enum { HEADING_NONE = 0, HEADING_MAX = 6, HEADING_TITLE = 7, HEADING_SUBTITLE = 8 };
enum { LIST_LEVELS = 9 };

/* Text of one style. link: a URL, or NULL. */
struct text_run {
    struct text_run *next;
    const char *text;
    const char *link;
    unsigned style; /* bits: RUN_BOLD, ... */
};

struct text_block {
    struct text_block *next;
    enum block_kind kind;
    unsigned heading; /* 1 to 6, HEADING_TITLE, HEADING_SUBTITLE; 0: none */
    enum list_kind list;
    unsigned level;        /* of the list, from 0 */
    struct text_run *runs; /* BLOCK_PARAGRAPH; NULL: it is empty */
    struct text_row *rows; /* BLOCK_TABLE */
};

struct text_row {
    struct text_row *next;
    struct text_part *cells;
};

/* Blocks in a cell of a table, or in a shape of a slide. */
struct text_part {
    struct text_part *next;
    struct text_block *blocks;
};

/* ---- spreadsheets ---- */

enum cell_kind { CELL_EMPTY, CELL_TEXT, CELL_NUMBER, CELL_BOOL };

/* Which of several powers a formula works out first: 2^3^2 is 64 from the left, 512 from the
 * right. Editors differ. */
enum sheet_powers { POWERS_FROM_LEFT, POWERS_FROM_RIGHT };

struct sheet_cell {
    enum cell_kind kind;
    bool truth;          /* CELL_BOOL */
    const char *text;    /* CELL_TEXT; CELL_NUMBER as JSON writes it */
    const char *formula; /* "=A1+B1"; NULL: none */
    const char *format;  /* the code of a number format (number_format.h); NULL: General */
};

/* Rows come in order; those that are not there are empty. */
struct sheet_row {
    struct sheet_row *next;
    uint32_t at; /* from 0 */
    uint32_t n;
    struct sheet_cell *cells; /* n, from column A on */
};

/* A part of a sheet that has a name, with both ends, from 0 on. Not part of the JSON. */
struct sheet_table {
    struct sheet_table *next;
    const char *name;
    uint32_t top, left, bottom, right;
    bool heads; /* its first row has the names of its columns */
};

struct sheet {
    struct sheet *next;
    const char *title;
    struct sheet_row *rows;
    struct sheet_table *tables;
};

/* ---- documents ---- */

struct slide {
    struct slide *next;
    struct text_part *shapes; /* those that have text */
};

struct document {
    enum document_kind kind;
    float page_width, page_height; /* in points, for formats with pages; 0: A4. Not in the JSON */
    const char *title;             /* of its file; what formats show of it. Not part of the JSON */
    struct text_block *blocks;     /* DOCUMENT_TEXT */
    struct sheet *sheets;          /* DOCUMENT_SHEETS: at least one */
    struct slide *slides;          /* DOCUMENT_SLIDES; DOCUMENT_DRAWING: one */
};

enum {                             /* what a document may have at most */
       DOCUMENT_NODES = 1000000,   /* blocks, runs, rows and cells of tables */
       DOCUMENT_DEPTH = 4,         /* tables in tables */
       DOCUMENT_BYTES = 128 << 20, /* of its texts; one that many cells share counts for each */
       SHEET_CELLS = 2000000,   /* of all sheets together, empty ones in front of others included;
                                   an empty row in front of others counts as one */
       SHEET_ROWS = 1000000,    /* of a sheet */
       SHEET_COLUMNS = 18278,   /* ZZZ */
       SHEET_CELL_TEXT = 50000, /* UTF-16 units of a cell; what is longer is cut */
       SHEETS = 200
};

/* An empty one, in the arena: a text without paragraphs, a spreadsheet with one sheet, a
 * presentation or drawing with one slide. */
struct document *document_new(struct arena *a, enum document_kind kind, const char *title);

/* The largest length at which valid UTF-8 of len bytes can be cut between two code points so that
 * what is kept has no more units of UTF-16 than a cell may. */
size_t sheet_text_cut(const char *text, size_t len);

/* As JSON and back. A document that is not as document_write() writes it fails with INVALID. */
void document_write(struct json_writer *w, const char *key, const struct document *d);
int document_read(struct arena *a, const struct json *v, const char *title,
                  struct document **ret_document, struct sosia_err *err);

/* All of its text, one paragraph or row of cells a line: what a search looks through. */
void document_text(const struct document *d, struct buf *out);

#endif
