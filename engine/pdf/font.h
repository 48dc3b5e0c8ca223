/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_PDF_FONT_H
#define SOSIA_PDF_FONT_H

#include "engine/pdf/pdf_impl.h"

struct pdf_mapped {
    uint32_t low, high;
    const struct pdf_value *text; /* of the first; a list: of each */
};

/* Widths of codes of two bytes: a list of them, or one for all. */
struct pdf_widths {
    uint32_t low, high;
    const struct pdf_value *width;
};

struct pdf_font {
    struct pdf_font *next;
    const struct pdf_value *of;
    bool wide;              /* codes of two bytes */
    int bytes;              /* of a code */
    struct pdf_mapped *map; /* in the order of codes */
    size_t n_map, room_map;
    uint32_t letters[256];
    double widths[256];
    struct pdf_widths *list; /* where it is wide, in the order of codes */
    size_t n_list;
    double usual;
};

/* Of its dictionary; NULL: no memory, or too much work. */
const struct pdf_font *pdf_font(struct pdf *p, const struct pdf_value *font);
/* In units of the size. */
double pdf_width(struct pdf *p, const struct pdf_font *f, uint32_t code);
/* The letters of a code. */
void pdf_put_code(struct pdf *p, const struct pdf_font *f, uint32_t code, struct buf *out);

#endif
