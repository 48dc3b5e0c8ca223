/* SPDX-License-Identifier: Apache-2.0 */
/* Pages, cells and rows of SQLite's file format, and the list of tables in a schema. */
#include "engine/store/btree.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a row that are on its page, by the format's formulas for a page without reserved
 * space. */
enum {
    USABLE = STORE_PAGE_SIZE,
    MAX_LOCAL_TABLE = USABLE - 35,
    MAX_LOCAL_INDEX = (USABLE - 12) * 64 / 255 - 23,
    MIN_LOCAL = (USABLE - 12) * 32 / 255 - 23,
    OVERFLOW_DATA = USABLE - 4
};
enum { INDEX_INTERIOR = 2, TABLE_INTERIOR = 5, INDEX_LEAF = 10, TABLE_LEAF = 13 };

bool btree_page(const uint8_t *data, uint32_t number, struct btree_page *ret_page)
{
    if (!data)
        return false;
    const uint8_t *h = data + (number == 1 ? 100 : 0);
    struct btree_page p = {.data = data};
    unsigned type = h[0];
    p.leaf = type == INDEX_LEAF || type == TABLE_LEAF;
    p.index = type == INDEX_LEAF || type == INDEX_INTERIOR;
    if (!p.leaf && type != INDEX_INTERIOR && type != TABLE_INTERIOR)
        return false;
    p.n_cells = (uint16_t)get2(h + 3);
    p.cells = h + (p.leaf ? 8 : 12);
    p.right = p.leaf ? 0 : get4(h + 8);
    size_t first = (size_t)(p.cells - data) + 2u * p.n_cells;
    if (first > STORE_PAGE_SIZE)
        return false;
    p.first = (uint16_t)first;
    *ret_page = p;
    return true;
}

static const uint8_t *cell_at(const struct btree_page *p, unsigned i)
{
    unsigned at = get2(p->cells + 2 * i);
    return at < p->first || at > STORE_PAGE_SIZE - 4 ? NULL : p->data + at;
}

uint32_t btree_child(const struct btree_page *p, unsigned i)
{
    if (i >= p->n_cells)
        return p->right;
    const uint8_t *c = cell_at(p, i);
    return c ? get4(c) : 0;
}

static uint32_t local_size(uint32_t size, bool index)
{
    uint32_t max = index ? MAX_LOCAL_INDEX : MAX_LOCAL_TABLE;
    if (size <= max)
        return size;
    uint32_t k = MIN_LOCAL + (size - MIN_LOCAL) % OVERFLOW_DATA;
    return k <= max ? k : MIN_LOCAL;
}

bool btree_cell(const struct btree_page *p, unsigned i, struct btree_cell *ret_cell)
{
    const uint8_t *c = cell_at(p, i), *end = p->data + STORE_PAGE_SIZE;
    struct btree_cell cell = {0};
    uint64_t size = 0, rowid = 0;
    unsigned n;
    if (!c)
        return false;
    if (!p->leaf) {
        cell.child = get4(c);
        c += 4;
    }
    if (p->leaf || p->index) {
        if (!(n = btree_varint(c, end, &size)) || size > INT32_MAX)
            return false;
        c += n;
    }
    if (!p->index) {
        if (!(n = btree_varint(c, end, &rowid)))
            return false;
        c += n;
    }
    cell.rowid = (int64_t)rowid;
    cell.size = (uint32_t)size;
    cell.local = local_size(cell.size, p->index);
    cell.payload = c;
    if (cell.local + (cell.local < cell.size ? 4u : 0u) > (size_t)(end - c))
        return false;
    if (cell.local < cell.size && !(cell.overflow = get4(c + cell.local)))
        return false;
    *ret_cell = cell;
    return true;
}

int btree_same_row(const struct tree *ta, const struct btree_cell *a, const struct tree *tb,
                   const struct btree_cell *b)
{
    if (a->size != b->size)
        return 0;
    if (a->local != b->local) /* pages of two kinds in one table */
        return -1;
    if (a->payload != b->payload && memcmp(a->payload, b->payload, a->local) != 0)
        return 0;
    uint32_t left = a->size - a->local, next_a = a->overflow, next_b = b->overflow;
    if (left / OVERFLOW_DATA > ta->n_pages)
        return -1;
    while (left) {
        const uint8_t *x = btree_data(ta, next_a), *y = btree_data(tb, next_b);
        uint32_t n = left < OVERFLOW_DATA ? left : OVERFLOW_DATA;
        if (!x || !y)
            return -1;
        if (x != y && memcmp(x + 4, y + 4, n) != 0)
            return 0;
        next_a = get4(x);
        next_b = get4(y);
        left -= n;
    }
    return 1;
}

bool btree_row_fits(const struct tree *t, const struct btree_cell *c)
{
    return c->size / OVERFLOW_DATA <= t->n_pages;
}

bool btree_copy_row(const struct tree *t, const struct btree_cell *c, uint8_t *ret_row)
{
    memcpy(ret_row, c->payload, c->local);
    uint32_t done = c->local, next = c->overflow;
    while (done < c->size) {
        const uint8_t *x = btree_data(t, next);
        uint32_t n = c->size - done < OVERFLOW_DATA ? c->size - done : OVERFLOW_DATA;
        if (!x)
            return false;
        memcpy(ret_row + done, x + 4, n);
        next = get4(x);
        done += n;
    }
    return true;
}

/* The rowid of a table's cell; false when the page is broken. */
static inline bool rowid_of(const struct btree_page *p, unsigned i, int64_t *ret)
{
    const uint8_t *c = cell_at(p, i), *end = p->data + STORE_PAGE_SIZE;
    uint64_t v;
    unsigned n;
    if (!c)
        return false;
    if (p->leaf) {
        if (!(n = btree_varint(c, end, &v)))
            return false;
        c += n;
    } else {
        c += 4;
    }
    if (!btree_varint(c, end, &v))
        return false;
    *ret = (int64_t)v;
    return true;
}

bool btree_first_from(const struct btree_page *p, int64_t rowid, unsigned *ret)
{
    unsigned low = 0, high = p->n_cells;
    int64_t at = 0;
    while (low < high) {
        unsigned mid = (low + high) / 2;
        if (!rowid_of(p, mid, &at))
            return false;
        if (at < rowid)
            low = mid + 1;
        else
            high = mid;
    }
    *ret = low;
    return true;
}

static int find_on_leaf(const struct btree_page *p, int64_t rowid, struct btree_cell *ret_cell)
{
    unsigned i;
    if (!btree_first_from(p, rowid, &i))
        return -1;
    if (i == p->n_cells)
        return 0;
    if (!btree_cell(p, i, ret_cell))
        return -1;
    return ret_cell->rowid == rowid;
}

static void keep_leaf(struct btree_leaf *leaf, const struct btree_page *p, uint32_t root)
{
    int64_t first, last;
    if (!p->n_cells || !rowid_of(p, 0, &first) || !rowid_of(p, p->n_cells - 1u, &last))
        return;
    *leaf = (struct btree_leaf){.page = *p, .root = root, .first = first, .last = last};
}

static inline __attribute__((always_inline)) int
find_row(const struct tree *t, uint32_t root, int64_t rowid, struct btree_leaf *leaf,
         bool (*may)(const void *arg, uint32_t page), const void *arg, struct btree_cell *ret_cell)
{
    uint32_t number = root;
    for (int depth = 0; depth <= BTREE_MAX_DEPTH; depth++) {
        struct btree_page p;
        unsigned i;
        if (may && !may(arg, number))
            return -1;
        if (!btree_page(btree_data(t, number), number, &p) || p.index)
            return -1;
        if (p.leaf) {
            if (leaf)
                keep_leaf(leaf, &p, root);
            return find_on_leaf(&p, rowid, ret_cell);
        }
        if (!btree_first_from(&p, rowid, &i))
            return -1;
        number = btree_child(&p, i);
    }
    return -1;
}

int btree_find_row(const struct tree *t, uint32_t root, int64_t rowid, struct btree_leaf *leaf,
                   struct btree_cell *ret_cell)
{
    if (leaf && leaf->root == root && rowid >= leaf->first && rowid <= leaf->last)
        return find_on_leaf(&leaf->page, rowid, ret_cell);
    return find_row(t, root, rowid, leaf, NULL, NULL, ret_cell);
}

int btree_find_row_if(const struct tree *t, uint32_t root, int64_t rowid,
                      bool (*may)(const void *arg, uint32_t page), const void *arg,
                      struct btree_cell *ret_cell)
{
    return find_row(t, root, rowid, NULL, may, arg, ret_cell);
}

/* ---- the schema ---- */

/* A row in one piece, malloc'ed; NULL without memory (*ret_broken false) or when it is broken. */
static uint8_t *whole_row(const struct tree *t, const struct btree_cell *c, bool *ret_broken)
{
    *ret_broken = !btree_row_fits(t, c);
    uint8_t *row = *ret_broken ? NULL : malloc(c->size + 1u);
    if (!row || btree_copy_row(t, c, row))
        return row;
    *ret_broken = true;
    free(row);
    return NULL;
}

struct column {
    const uint8_t *data;
    size_t n;
    uint64_t type; /* of the format's serial types */
};

/* Splits a record into its first n columns. */
static bool columns(const uint8_t *row, size_t size, struct column *ret_columns, int n)
{
    static const uint8_t sizes[10] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
    uint64_t header;
    unsigned at = btree_varint(row, row + size, &header);
    if (!at || header > size)
        return false;
    size_t data = (size_t)header;
    for (int i = 0; i < n; i++) {
        uint64_t type;
        unsigned k = btree_varint(row + at, row + header, &type);
        if (!k || type == 10 || type == 11)
            return false;
        at += k;
        uint64_t len = type < 10 ? sizes[type] : (type - 12) / 2;
        if (len > size - data)
            return false;
        ret_columns[i] = (struct column){.data = row + data, .n = (size_t)len, .type = type};
        data += (size_t)len;
    }
    return true;
}

static bool is_text(const struct column *c)
{
    return c->type >= 13 && c->type & 1;
}

static uint64_t whole_number(const struct column *c)
{
    uint64_t v = c->type == 9;
    for (size_t i = 0; i < c->n; i++)
        v = v << 8 | c->data[i];
    return v;
}

static int add_table(struct table_list *l, const struct column *name, uint64_t root)
{
    if ((l->n & (l->n - 1)) == 0) {
        struct table *more = realloc(l->tables, (l->n ? l->n * 2 : 1) * sizeof *more);
        if (!more)
            return -1;
        l->tables = more;
    }
    char *copy = strndup((const char *)name->data, name->n);
    if (!copy)
        return -1;
    l->tables[l->n++] = (struct table){
        .name = copy, .root = (uint32_t)root, .hidden = sqlite3_strnicmp(copy, "sqlite_", 7) == 0};
    return 0;
}

enum { FINE, NO_MEMORY, BROKEN };

static int read_row(const struct tree *t, const struct btree_cell *cell, struct table_list *l)
{
    bool broken;
    struct column c[4];
    uint8_t *row = whole_row(t, cell, &broken);
    if (!row)
        return broken ? BROKEN : NO_MEMORY;
    int r = BROKEN;
    if (columns(row, cell->size, c, 4) && is_text(&c[0]) && is_text(&c[1])) {
        uint64_t root = whole_number(&c[3]);
        r = FINE;
        if (root > t->n_pages || root == 1)
            r = BROKEN;
        else if (c[0].n == 5 && memcmp(c[0].data, "table", 5) == 0)
            r = add_table(l, &c[1], root) < 0 ? NO_MEMORY : FINE;
    }
    free(row);
    return r;
}

static int read_tables(const struct tree *t, uint32_t number, int depth, uint32_t *budget,
                       struct table_list *l)
{
    struct btree_page p;
    struct btree_cell cell;
    if (depth > BTREE_MAX_DEPTH || !*budget || !btree_page(btree_data(t, number), number, &p) ||
        p.index)
        return BROKEN;
    --*budget;
    int r = FINE;
    for (unsigned i = 0; r == FINE && i < p.n_cells + (p.leaf ? 0u : 1u); i++) {
        if (!p.leaf)
            r = read_tables(t, btree_child(&p, i), depth + 1, budget, l);
        else
            r = btree_cell(&p, i, &cell) ? read_row(t, &cell, l) : BROKEN;
    }
    return r;
}

/* Virtual tables keep their content in tables named after them. */
static void hide_shadows(struct table_list *l)
{
    static const char *const ends[] = {"_data", "_idx", "_content", "_docsize", "_config"};
    for (size_t v = 0; v < l->n; v++) {
        if (l->tables[v].root)
            continue;
        size_t len = strlen(l->tables[v].name);
        for (size_t i = 0; i < l->n; i++) {
            const char *name = l->tables[i].name;
            if (sqlite3_strnicmp(name, l->tables[v].name, (int)len) != 0)
                continue;
            for (size_t e = 0; e < SOSIA_LEN(ends); e++)
                if (sqlite3_stricmp(name + len, ends[e]) == 0)
                    l->tables[i].hidden = true;
        }
    }
}

int table_list_read(const struct tree *t, struct table_list *ret_list, struct sosia_err *err)
{
    struct table_list l = {.cookie = get4(tree_page(t, 0) + HEADER_COOKIE)};
    uint32_t budget = t->n_pages;
    int r = read_tables(t, 1, 0, &budget, &l);
    if (r != FINE) {
        table_list_done(&l);
        return r == NO_MEMORY
                   ? sosia_fail_memory(err)
                   : sosia_fail(err, SOSIA_E_INVALID, "corrupt", NULL, "the schema is broken");
    }
    hide_shadows(&l);
    *ret_list = l;
    return 0;
}
