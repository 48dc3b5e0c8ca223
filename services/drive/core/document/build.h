/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making documents from a stream of paragraphs, runs and cells, as readers of formats meet them.
 * The builder holds the limits of document.h: beyond them it takes nothing more and build_end()
 * fails, so that readers need no checks. Between the files of this folder only.
 */
#ifndef SOSIA_DRIVE_DOCUMENT_BUILD_H
#define SOSIA_DRIVE_DOCUMENT_BUILD_H

#include "services/drive/core/document/document.h"

struct builder {
    struct arena *arena;
    struct document *doc;
    size_t nodes, cells, bytes; /* that are counted against the limits */
    bool full;
    /* texts: where the next block goes, and the paragraph that is open */
    struct text_block **block_end;
    struct text_block *open;
    struct text_run **run_end;
    struct buf text; /* of the run that is open */
    unsigned style;
    const char *link;
    unsigned depth; /* tables that are open, also those that are not kept */
    struct {
        struct text_block **block_end;
        struct text_row **row_end;
        struct text_part **cell_end;
    } tables[DOCUMENT_DEPTH];
    /* sheets and slides */
    struct sheet **sheet_end;
    struct sheet *sheet;
    struct sheet_row **row_end;
    unsigned sheets;
    struct sheet_cell *row; /* cells of the row that is open */
    uint32_t row_at, row_n, row_cap;
    uint32_t row_next; /* behind the last row that is kept */
    struct number_formats *formats;
    struct slide **slide_end;
    struct text_part **shape_end;
};

void build_init(struct builder *b, struct arena *a, struct document *doc);
/* Ends what is open. 0; -1: TOO_LARGE, NO_MEMORY. In any case the builder is done with. */
int build_end(struct builder *b, struct sosia_err *err);

/* ---- texts ---- */

/* Begins a paragraph, after the one before is ended. Borrowed until the next call; never NULL. */
struct text_block *build_paragraph(struct builder *b);
void build_end_paragraph(struct builder *b);
void build_rule(struct builder *b);
/* Adds text to the open paragraph, or to a new one. Bytes that are not UTF-8 and control characters
 * are left out. link is borrowed from the arena. */
void build_run(struct builder *b, const char *text, size_t len, unsigned style, const char *link);
/* Tables: a cell is begun in a row, a row in a table. What is in tables too deep is put into the
 * cell around it. */
void build_table(struct builder *b);
void build_row(struct builder *b);
void build_cell(struct builder *b);
void build_end_table(struct builder *b);
/* A link that is worth keeping, in the arena: http, https, mailto, '#'. NULL: it is none. */
const char *build_link(struct builder *b, const char *url);

/* ---- slides ---- */

void build_slide(struct builder *b);
void build_shape(struct builder *b);

/* ---- sheets ---- */

void build_sheet(struct builder *b, const char *title);
/* Rows come in order, cells of a row too; a cell at a place before the last one is left out. */
void build_sheet_row(struct builder *b, uint32_t at);
void build_sheet_text(struct builder *b, uint32_t column, const char *text, size_t len,
                      const char *formula);
/* text: a number as JSON writes it, or else it is a text. */
void build_sheet_number(struct builder *b, uint32_t column, const char *text, size_t len,
                        const char *formula);
void build_sheet_bool(struct builder *b, uint32_t column, bool truth, const char *formula);
/* The number format of the cell at a place that was the last one to come, or of an empty one behind
 * it. NULL, General and what is none: nothing. */
void build_sheet_format(struct builder *b, uint32_t column, const char *code);
/* What somebody typed or a table of text has: a number, TRUE, FALSE or a text. */
void build_sheet_typed(struct builder *b, uint32_t column, const char *text, size_t len);
/* Ends the open row; it is there so many times, one below the other. */
void build_sheet_again(struct builder *b, uint32_t times);

/* A text without what texts may not have (document.h), in the arena. */
const char *build_text(struct arena *a, const char *text, size_t len);
/* Is it a number as JSON writes it? */
bool build_is_number(const char *text, size_t len);

/* For err: bytes that are not of their format. */
int unreadable(struct sosia_err *err, const char *format, const char *why);

#endif
