/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the b-trees of a database file page by page, as the file format describes them
 * (sqlite.org/fileformat2.html). Pages are hostile: every offset and length is checked. Page
 * numbers here are SQLite's, from 1.
 */
#ifndef SOSIA_STORE_BTREE_H
#define SOSIA_STORE_BTREE_H

#include "engine/store/btree_page.h"
#include "engine/store/page_impl.h"
#include <stdlib.h>
#include <string.h>

/* False when the page makes no sense. data may be NULL. */
bool btree_page(const uint8_t *data, uint32_t number, struct btree_page *ret_page);
bool btree_cell(const struct btree_page *p, unsigned i, struct btree_cell *ret_cell);
/* The child number i of an interior page, i from 0 to n_cells; 0: broken. */
uint32_t btree_child(const struct btree_page *p, unsigned i);
/* The first cell of a table's page whose rowid is not less, from 0 to n_cells; false when the page
 * is broken. */
bool btree_first_from(const struct btree_page *p, int64_t rowid, unsigned *ret);

/* The bytes of a page by its number in the format, from 1; NULL for 0. */
static inline const uint8_t *btree_data(const struct tree *t, uint32_t number)
{
    return number ? tree_page(t, number - 1) : NULL;
}

/* A number of the format: the bytes read, 1 to 9; 0 when it goes beyond end. */
static inline unsigned btree_varint(const uint8_t *p, const uint8_t *end, uint64_t *ret)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (p + i >= end)
            return 0;
        v = v << 7 | (p[i] & 0x7f);
        if (!(p[i] & 0x80)) {
            *ret = v;
            return i + 1;
        }
    }
    if (p + 8 >= end)
        return 0;
    *ret = v << 8 | p[8];
    return 9;
}

/* The row of a table: 1, or 0 when there is none; -1: broken. leaf: of the same tree, looked at
 * first, and set; may be NULL. */
int btree_find_row(const struct tree *t, uint32_t root, int64_t rowid, struct btree_leaf *leaf,
                   struct btree_cell *ret_cell);
/* The same by way of pages alone that `may` says yes to; -1 as soon as it says no. */
int btree_find_row_if(const struct tree *t, uint32_t root, int64_t rowid,
                      bool (*may)(const void *arg, uint32_t page), const void *arg,
                      struct btree_cell *ret_cell);
/* Whether a row's size can be true. */
bool btree_row_fits(const struct tree *t, const struct btree_cell *c);
/* All of a row that fits, c->size bytes; false when it is broken. */
bool btree_copy_row(const struct tree *t, const struct btree_cell *c, uint8_t *ret_row);

/* Whether two rows have the same bytes: 1 or 0; -1 when one is broken. */
int btree_same_row(const struct tree *ta, const struct btree_cell *a, const struct tree *tb,
                   const struct btree_cell *b);

/* A table or virtual table as sqlite_schema has it. */
struct table {
    char *name;
    uint32_t root; /* 0: virtual */
    bool hidden;   /* SQLite's own, or a shadow table of a virtual one */
};
struct table_list {
    uint32_t cookie; /* of the schema */
    size_t n;
    struct table *tables;
};
/* In the order of the schema. -1 without memory or when the schema is broken. */
int table_list_read(const struct tree *t, struct table_list *ret_list, struct sosia_err *err);

static inline void table_list_done(struct table_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->tables[i].name);
    free(l->tables);
    memset(l, 0, sizeof *l);
}

#endif
