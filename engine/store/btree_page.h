/* SPDX-License-Identifier: Apache-2.0 */
/* What btree.h gives of pages and cells, for structs that have them as members. */
#ifndef SOSIA_STORE_BTREE_PAGE_H
#define SOSIA_STORE_BTREE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { BTREE_MAX_DEPTH = 20 };

struct btree_page {
    const uint8_t *data, *cells; /* cells: the array of offsets */
    uint32_t right;              /* the last child of an interior page */
    uint16_t n_cells, first;     /* first: offset from which cells may begin */
    bool leaf, index;            /* index: an index, or a table without rowids */
};

struct btree_cell {
    int64_t rowid;        /* 0 in an index */
    uint32_t child;       /* of an interior page's cell */
    uint32_t size, local; /* bytes of the row: in all, and on this page */
    uint32_t overflow;    /* the page where it goes on; 0: nowhere */
    const uint8_t *payload;
};

/* A leaf where a row was found, and which rows there can be on it. Begin with all zero bytes. */
struct btree_leaf {
    struct btree_page page;
    uint32_t root; /* of its table; 0: none yet */
    int64_t first, last;
};

#endif
