/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that read PDF. */
#ifndef SOSIA_PDF_IMPL_H
#define SOSIA_PDF_IMPL_H

#include "engine/pdf/pdf.h"
#include <stdint.h>

enum pdf_type {
    PDF_NULL,
    PDF_BOOL,
    PDF_NUMBER,
    PDF_STRING,
    PDF_NAME,
    PDF_ARRAY,
    PDF_DICT,
    PDF_REF,
    PDF_WORD
};

enum {
    PDF_DEPTH = 64,        /* of values in each other, of trees of pages */
    PDF_PAGES = 20000,     /* that are read */
    PDF_OBJECTS = 1 << 20, /* the largest number */
    PDF_ITEMS = 1 << 18,   /* of a list */
    PDF_VALUES = 2000000,
    PDF_OPERANDS = 1 << 18, /* values in front of an operator, those in lists included */
    /* Steps of all work on pages, of which a byte of their operators is one and takes some 10 ns:
     * so many for any file, for each of its bytes, and at most. */
    PDF_STEPS = 1 << 25,
    PDF_STEPS_BYTE = 64,
    PDF_STEPS_MOST = 1 << 28,
    PDF_MAPPED = 512 /* bytes of the text of a code */
};
#define PDF_DECODED ((size_t)64 << 20) /* bytes of all streams */
#define PDF_SHOWN   ((size_t)64 << 20) /* of the texts of all pages */

/* The bytes of a stream: where they are in the file, and what they are when they were decoded. */
struct pdf_bytes {
    size_t at, len;
    const char *decoded; /* NULL: not yet */
    size_t decoded_len;
};

struct pdf_value {
    enum pdf_type type;
    double number;   /* of a number, a truth; of a reference its object's */
    const char *str; /* of a string, a name, a word: len bytes and a NUL */
    size_t len;
    struct pdf_value **items; /* of a list; of a dictionary names and values by turns */
    size_t n;
    struct pdf_bytes *stream; /* of a dictionary; NULL: it has none */
};

struct pdf_font;
struct writing;

struct pdf_object {
    size_t at;        /* behind "N G obj" in the file; 0: there is none */
    const char *text; /* or in a stream of objects, len bytes */
    size_t len;
    struct pdf_value *value; /* when it was read */
    bool reading;
    uint32_t number_out; /* in the file that is written */
};

struct pdf_page {
    const struct pdf_value *dict, *resources, *box, *rotate;
};

struct pdf {
    struct arena *arena;
    const char *data;
    size_t len;
    struct pdf_object *objects;
    size_t n_objects; /* the largest number and one */
    const struct pdf_value *root, *about, *encrypt;
    struct pdf_page *pages;
    size_t n_pages, room_pages;
    size_t decoded, work, values; /* bytes of streams, and that were read for values; values */
    size_t visited;
    size_t steps, most_steps; /* work on pages, and what there may be of it */
    size_t shown;             /* bytes of their texts */
    bool too_much;            /* something of it was left out */
    struct pdf_font *fonts;
    const struct writing *writing; /* the file that its numbers are of, while that is written */
    bool failed;                   /* no memory */
};

/* Reading values from bytes. */
struct pdf_lexer {
    struct pdf *pdf;
    const char *data;
    size_t len, at;
    struct arena *arena; /* for what is not kept; NULL: the file's */
    size_t made;         /* values there */
};
/* The next value, PDF_WORD for operators and keywords; NULL at the end. refs: "1 0 R" is one. */
struct pdf_value *pdf_next(struct pdf_lexer *l, bool refs, int depth);

/* What a reference leads to, or the value itself; never NULL. */
const struct pdf_value *pdf_resolve(struct pdf *p, const struct pdf_value *v);
/* A member of a dictionary, resolved; PDF_NULL where it is not there. */
const struct pdf_value *pdf_get(struct pdf *p, const struct pdf_value *dict, const char *name);
/* The same as it is written. NULL: it is not there. */
struct pdf_value *pdf_member(const struct pdf_value *dict, const char *name);
bool pdf_is(const struct pdf_value *v, const char *name); /* that name */
double pdf_number(const struct pdf_value *v, double usual);
/* Counts work. False: there was too much of it, and no more is to be done. */
bool pdf_spend(struct pdf *p, size_t steps);
/* A stream's content, decoded once, in the arena; "" where it can't be. */
const char *pdf_stream(struct pdf *p, const struct pdf_value *dict, size_t *ret_len);
/* A string of the file's own encodings (PDFDocEncoding, UTF-16) in UTF-8. */
const char *pdf_text_of(struct pdf *p, const struct pdf_value *v);
void pdf_put_unicode(struct buf *b, uint32_t c);

#endif
