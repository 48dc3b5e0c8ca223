/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PDF files: what is in them, the text of their pages, and some of their pages as another file
 * (ISO 32000-1). Objects are found by looking through the file, and not by its tables, so that
 * files with broken ones can be read. All of it is hostile input: depths, sizes and counts are
 * bound. What is read lies in the arena, and points into the file's bytes, which must stay.
 */
#ifndef SOSIA_PDF_H
#define SOSIA_PDF_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"

struct pdf;

/* 1; 0: it is none, *ret_why says why; -1: no memory. */
int pdf_open(struct arena *a, const char *data, size_t len, struct pdf **ret, const char **ret_why);
/* Whether it needs a password; then there are no pages. */
bool pdf_is_encrypted(const struct pdf *p);
size_t pdf_pages(const struct pdf *p);
/* In points; i: from 0. */
void pdf_page_size(struct pdf *p, size_t i, double *ret_width, double *ret_height);
/* What it says of itself ("Title", "Author", "CreationDate"), in UTF-8; NULL: nothing. */
const char *pdf_about(struct pdf *p, const char *name);
/* Whether it says anything at all. */
bool pdf_has_about(const struct pdf *p);
/* Adds the text of a page: words and lines as they follow each other in it. What is more than all
 * its bounds allow is left out: pdf_is_cut(). */
void pdf_page_text(struct pdf *p, size_t i, struct buf *out);
/* Whether streams or texts were too large, or pages took too much work. */
bool pdf_is_cut(const struct pdf *p);
/* A file of some pages, n numbers from 0. The same pages give the same bytes. It ends where `out`
 * is full. */
void pdf_extract(struct pdf *p, const size_t *pages, size_t n, struct buf *out);

/* A page of a file, from 0; of: NULL: an empty one of A4. */
struct pdf_leaf {
    struct pdf *of;
    size_t page;
};
/* The same of pages of several files. about: whose title, author and the like it keeps; NULL: it
 * says nothing of itself. Pages of one file share what they need. -1: no memory. */
int pdf_join(struct arena *a, const struct pdf_leaf *pages, size_t n, struct pdf *about,
             struct buf *out);

#endif
