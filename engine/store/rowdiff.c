/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row differences that cost what the change costs.
 *
 * Let R be a version of the database, and C the pages of which a or b has another than R. A page
 * outside of C is R's in both, and so are the children that it names; its whole subtree is the same
 * in both if no page below it in R is in C. So only the pages in C and their ancestors in R need to
 * be looked at (the marked pages); a map from each page of R to its parent, with overflow pages
 * below the page whose row they carry on, is made once. R is the base of both, or a itself when
 * that has many pages of its own (a world that was made from the empty one has all of them), or
 * some and is compared again, as the start of many forks is: the map is kept then as long as a's
 * root is.
 *
 * Where many states that follow each other are compared, each with the one before it, R is one of
 * them for all: the pages in C are then those that were written from there to a and b. R may be the
 * later one then, and have freed a page that a and b have as it is there still, with others below:
 * what R leads to nowhere is looked at as if it were marked.
 *
 * Each table is walked from its root in a and in b, down through marked pages only. That gives two
 * lists, in key order, of marked leaves and of unmarked subtrees. A subtree on both lists holds the
 * same rows in both and cancels; one that is on one list only (its place in the tree has changed,
 * or it was dropped) is walked whole. What remains is merged row by row. A page that SQLite freed
 * has some content still, its last one or the base's, so nothing that a walk doesn't reach counts.
 */
#include "engine/store/rowdiff.h"
#include "engine/store/parents.h"
#include <stdlib.h>
#include <string.h>

enum { NOBODY = 0 };             /* page number 0: no parent */
#define ROOT (UINT32_C(1) << 31) /* the parent of a table's root: this and the table's place */

enum {
    OWN_PAGES = 256, /* of a tree, from which on it has a map of its own */
    FEW_PAGES = 8,   /* from which on it has one when it is compared again */
    MAPS = 16        /* of such trees, at most */
};

enum { FINE, NO_MEMORY, BROKEN, STOPPED };

/* ---- the parents of a base's pages ---- */

struct builder {
    const struct tree *t;
    uint32_t *parent;
    uint8_t *seen; /* a bit a page: each has one place */
};

static bool test_bit(const uint8_t *bits, uint32_t i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

static void set_bit(uint8_t *bits, uint32_t i)
{
    bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

static bool take(struct builder *b, uint32_t page, uint32_t parent)
{
    if (!page || page > b->t->n_pages || test_bit(b->seen, page))
        return false;
    set_bit(b->seen, page);
    b->parent[page] = parent;
    return true;
}

static int build(struct builder *b, uint32_t number, uint32_t parent, int depth)
{
    struct btree_page p;
    struct btree_cell cell;
    if (depth > BTREE_MAX_DEPTH || !take(b, number, parent) ||
        !btree_page(btree_data(b->t, number), number, &p))
        return BROKEN;
    for (unsigned i = 0; (p.leaf || p.index) && i < p.n_cells; i++) {
        if (!btree_cell(&p, i, &cell))
            return BROKEN;
        uint32_t left = cell.size - cell.local, next = cell.overflow;
        for (; left; left -= left < STORE_PAGE_SIZE - 4 ? left : STORE_PAGE_SIZE - 4) {
            if (!take(b, next, number))
                return BROKEN;
            next = get4(btree_data(b->t, next));
        }
    }
    for (unsigned i = 0; !p.leaf && i <= p.n_cells; i++)
        if (build(b, btree_child(&p, i), number, depth + 1) != FINE)
            return BROKEN;
    return FINE;
}

static struct parents *parents_new(const struct tree *t, struct sosia_err *err)
{
    struct parents *p = calloc(1, sizeof *p + (t->n_pages + (size_t)1) * sizeof p->parent[0]);
    struct builder b = {.t = t, .seen = calloc(1, t->n_pages / 8 + 1)};
    int r = NO_MEMORY;
    if (p && b.seen) {
        b.parent = p->parent;
        p->n_pages = t->n_pages;
        if (table_list_read(t, &p->tables, err) < 0)
            goto failed;
        r = build(&b, 1, NOBODY, 0);
        for (size_t i = 0; r == FINE && i < p->tables.n; i++)
            if (p->tables.tables[i].root)
                r = build(&b, p->tables.tables[i].root, ROOT | (uint32_t)i, 0);
    }
    free(b.seen);
    if (r == FINE)
        return p;
    parents_free(p);
    if (r == NO_MEMORY)
        sosia_fail_memory(err);
    else
        sosia_fail(err, SOSIA_E_INVALID, "corrupt", NULL, "the database's pages make no sense");
    return NULL;
failed:
    free(b.seen);
    parents_free(p);
    return NULL;
}

static struct parents *parents_of(struct base *b, struct sosia_err *err)
{
    struct parents *p = atomic_load_explicit(&b->parents, memory_order_acquire);
    if (p)
        return p;
    pthread_mutex_lock(&b->lazy);
    p = atomic_load_explicit(&b->parents, memory_order_relaxed);
    if (!p) {
        struct tree t = {.base = b, .n_pages = b->n_pages};
        p = parents_new(&t, err);
        atomic_store_explicit(&b->parents, p, memory_order_release);
    }
    pthread_mutex_unlock(&b->lazy);
    return p;
}

/* ---- maps of trees ---- */

/* Under the store's lock. */
static struct parents *find_map(struct store *s, const struct tree *t)
{
    struct parents *p = t->root && t->root->mapped ? s->maps : NULL;
    while (p && p->root != t->root)
        p = p->next;
    if (p)
        p->users++;
    return p;
}

/* The map of a tree that has one, to be released; else NULL. *ret_again: the map has been
 * requested before. */
static struct parents *map_of(struct store *s, const struct tree *t, bool *ret_again)
{
    pthread_mutex_lock(&s->lock);
    struct parents *p = find_map(s, t);
    if (ret_again) {
        *ret_again = t->root->compared;
        t->root->compared = true;
    }
    pthread_mutex_unlock(&s->lock);
    return p;
}

struct parents *parents_hold(struct store *s, const struct tree *t)
{
    if (!t->root)
        return atomic_load_explicit(&t->base->parents, memory_order_acquire);
    pthread_mutex_lock(&s->lock);
    struct parents *p = find_map(s, t);
    pthread_mutex_unlock(&s->lock);
    return p;
}

_Atomic(struct beside *) *parents_beside(struct parents *p)
{
    return &p->beside;
}

/* Makes one; NULL: failed. */
static struct parents *map_tree(struct store *s, const struct tree *t, struct sosia_err *err)
{
    struct parents *p = parents_new(t, err), *other, *oldest = NULL;
    if (!p)
        return NULL;
    pthread_mutex_lock(&s->lock);
    other = find_map(s, t);
    if (!other) {
        unsigned n = 0;
        p->next = s->maps;
        p->root = t->root;
        p->users = 2;
        t->root->mapped = true;
        s->maps = p;
        for (struct parents **at = &s->maps; *at && !oldest; at = &(*at)->next)
            if (n++ == MAPS) {
                oldest = parents_unlink(at);
                break;
            }
    }
    pthread_mutex_unlock(&s->lock);
    parents_release(s, oldest);
    if (other)
        parents_free(p);
    return other ? other : p;
}

/* ---- marked pages ---- */

struct item {
    uint32_t page;
    int32_t cell; /* one cell of an interior index page; LEAF: all of a leaf; SUBTREE: all below */
};
enum { LEAF = -1, SUBTREE = -2 };

enum { FIRST_ITEMS = 32 }; /* most changes have fewer */
struct list {
    struct item *items;
    size_t n, cap;
    struct item first[FIRST_ITEMS];
};

struct side {
    const struct tree *t;
    struct list found; /* by the walk through marked pages */
    struct list rows;  /* what of it didn't cancel, with subtrees replaced by their leaves */
    uint8_t *subtrees; /* a bit for each page in found as a subtree */
    uint32_t budget;   /* pages still to be walked: more than there are is a cycle */
};

struct rowdiff {
    struct parents *parents; /* NULL: the trees are on different bases, all pages are looked at */
    const struct node *reference; /* the map that the parents are of; NULL: the base */
    uint8_t *marked;
    uint8_t *tables; /* a bit for each of the parents' whose root is marked */
    struct side a, b;
    bool (*wanted)(void *arg, const char *table);
    int (*fn)(void *arg, const char *table, int64_t rowid, enum row_change change);
    void *arg;
    int stopped; /* what fn gave */
};

/* Nothing in R leads to a page that it has freed, but something in a or b may. */
static bool is_placed(const struct parents *p, uint32_t number)
{
    return number <= p->n_pages && p->parent[number] != NOBODY;
}

static bool marked(const struct rowdiff *d, uint32_t number)
{
    return !d->parents || test_bit(d->marked, number) || !is_placed(d->parents, number);
}

static void mark_page(struct rowdiff *d, uint32_t p)
{
    while (p != NOBODY && !(p & ROOT) && !test_bit(d->marked, p)) {
        set_bit(d->marked, p);
        p = p <= d->parents->n_pages ? d->parents->parent[p] : NOBODY;
    }
    if (p & ROOT)
        set_bit(d->tables, p & ~ROOT);
}

/* The places of a map that hold something, seen as if its root had this level: a lower map is the
 * first of a higher one's places. */
static uint64_t places_of(const struct node *n, unsigned level)
{
    return !n ? 0 : n->level < level ? 1 : n->mask;
}

/* The children at these places, one after the other. */
static const void *next_child(const struct node *n, unsigned level, unsigned *at)
{
    return n->level < level ? (const void *)n : n->child[(*at)++];
}

/* Marks the pages of which the maps have different ones. */
static void mark(struct rowdiff *d, const struct node *x, const struct node *y, uint32_t first,
                 uint32_t n_pages)
{
    if (x == y)
        return;
    unsigned level = !x || (y && y->level > x->level) ? y->level : x->level, nx = 0, ny = 0;
    uint64_t in_x = places_of(x, level), in_y = places_of(y, level);
    for (uint64_t m = in_x | in_y; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        uint64_t at = first + ((uint64_t)i << (6 * level));
        const void *cx = in_x >> i & 1 ? next_child(x, level, &nx) : NULL;
        const void *cy = in_y >> i & 1 ? next_child(y, level, &ny) : NULL;
        if (at >= n_pages)
            return;
        if (cx != cy && level)
            mark(d, cx, cy, (uint32_t)at, n_pages);
        else if (cx != cy)
            mark_page(d, (uint32_t)at + 1);
    }
}

/* ---- walking ---- */

static int push(struct list *l, uint32_t page, int32_t cell)
{
    if (l->n == l->cap) {
        size_t cap = l->cap * 8;
        struct item *items = realloc(l->items == l->first ? NULL : l->items, cap * sizeof *items);
        if (!items)
            return NO_MEMORY;
        if (l->items == l->first)
            memcpy(items, l->first, sizeof l->first);
        l->items = items;
        l->cap = cap;
    }
    l->items[l->n++] = (struct item){.page = page, .cell = cell};
    return FINE;
}

/* Appends what is below a page, in key order: to found, through marked pages; to rows, all of
 * it. */
static int walk(const struct rowdiff *d, struct side *s, struct list *to, uint32_t number,
                int depth)
{
    struct btree_page p;
    if (depth > BTREE_MAX_DEPTH || !number || number > s->t->n_pages)
        return BROKEN;
    if (to == &s->found && !marked(d, number)) {
        set_bit(s->subtrees, number);
        return push(to, number, SUBTREE);
    }
    if (!s->budget-- || !btree_page(btree_data(s->t, number), number, &p))
        return BROKEN;
    if (p.leaf)
        return p.n_cells ? push(to, number, LEAF) : FINE;
    int r = FINE;
    for (unsigned i = 0; r == FINE && i <= p.n_cells; i++) {
        r = walk(d, s, to, btree_child(&p, i), depth + 1);
        if (r == FINE && p.index && i < p.n_cells)
            r = push(to, number, (int32_t)i);
    }
    return r;
}

static int expand(const struct rowdiff *d, struct side *s, const uint8_t *others)
{
    int r = FINE;
    for (size_t i = 0; r == FINE && i < s->found.n; i++) {
        const struct item *it = &s->found.items[i];
        if (it->cell != SUBTREE)
            r = push(&s->rows, it->page, it->cell);
        else if (!test_bit(others, it->page))
            r = walk(d, s, &s->rows, it->page, 1);
    }
    return r;
}

/* Ready for the next table. */
static void forget(struct side *s)
{
    for (size_t i = 0; i < s->found.n; i++)
        if (s->found.items[i].cell == SUBTREE)
            s->subtrees[s->found.items[i].page >> 3] = 0;
    s->found.n = s->rows.n = 0;
}

/* ---- merging ---- */

struct reader {
    const struct side *s;
    size_t item;
    unsigned cell; /* of a leaf */
    struct btree_page page;
    struct btree_cell row;
};

/* Goes to the row at the reader's place: FINE, BROKEN, or STOPPED at the end. */
static int load(struct reader *r)
{
    if (r->item == r->s->rows.n)
        return STOPPED;
    const struct item *it = &r->s->rows.items[r->item];
    if (r->cell == 0 && !btree_page(btree_data(r->s->t, it->page), it->page, &r->page))
        return BROKEN;
    unsigned i = it->cell == LEAF ? r->cell : (unsigned)it->cell;
    return i < r->page.n_cells && btree_cell(&r->page, i, &r->row) ? FINE : BROKEN;
}

/* To the row at its place, which may lie behind a leaf's last one. */
static int come_to(struct reader *r)
{
    if (r->s->rows.items[r->item].cell != LEAF || r->cell >= r->page.n_cells) {
        r->cell = 0;
        r->item++;
    }
    return load(r);
}

static int next(struct reader *r)
{
    r->cell++;
    return come_to(r);
}

/* Where both are on a leaf of the same number, passes over rows that have the same bytes at the
 * same place, as most have: a write leaves the others of a page where they are. True: it passed
 * some. */
static bool pass_same(struct reader *a, struct reader *b)
{
    const struct item *x = &a->s->rows.items[a->item], *y = &b->s->rows.items[b->item];
    const uint8_t *p = a->page.data, *q = b->page.data;
    unsigned begun = a->cell;
    if (x->page != y->page || x->cell != LEAF || y->cell != LEAF)
        return false;
    for (; a->cell < a->page.n_cells && b->cell < b->page.n_cells; a->cell++, b->cell++) {
        unsigned from = get2(a->page.cells + 2 * a->cell);
        struct btree_cell c;
        if (from >= STORE_PAGE_SIZE || from != get2(b->page.cells + 2 * b->cell) ||
            !btree_cell(&a->page, a->cell, &c) || c.overflow ||
            memcmp(p + from, q + from, (size_t)(c.payload + c.local - (p + from))) != 0)
            break;
    }
    return a->cell != begun;
}

static int report(struct rowdiff *d, const char *table, int64_t rowid, enum row_change change)
{
    d->stopped = d->fn(d->arg, table, rowid, change);
    return d->stopped ? STOPPED : FINE;
}

static int merge_rowids(struct rowdiff *d, const char *table)
{
    struct reader a = {.s = &d->a}, b = {.s = &d->b};
    int ra = load(&a), rb = load(&b), r = FINE;
    while (r == FINE && ra != BROKEN && rb != BROKEN && (ra == FINE || rb == FINE)) {
        if (ra == FINE && rb == FINE && pass_same(&a, &b)) {
            ra = come_to(&a);
            rb = come_to(&b);
            continue;
        }
        bool in_a = ra == FINE && (rb != FINE || a.row.rowid <= b.row.rowid);
        bool in_b = rb == FINE && (ra != FINE || b.row.rowid <= a.row.rowid);
        if (in_a && in_b) {
            int same = btree_same_row(d->a.t, &a.row, d->b.t, &b.row);
            if (same < 0)
                return BROKEN;
            if (!same)
                r = report(d, table, a.row.rowid, ROW_CHANGED);
        } else {
            r = report(d, table, in_a ? a.row.rowid : b.row.rowid, in_a ? ROW_REMOVED : ROW_ADDED);
        }
        if (in_a)
            ra = next(&a);
        if (in_b)
            rb = next(&b);
    }
    return ra == BROKEN || rb == BROKEN ? BROKEN : r;
}

/* What cancelled is the same on both sides, so the tables are equal if the rest is, row by row. */
static int merge_keys(struct rowdiff *d, const char *table)
{
    struct reader a = {.s = &d->a}, b = {.s = &d->b};
    int ra = load(&a), rb = load(&b);
    while (ra == FINE && rb == FINE) {
        if (pass_same(&a, &b)) {
            ra = come_to(&a);
            rb = come_to(&b);
            continue;
        }
        int same = btree_same_row(d->a.t, &a.row, d->b.t, &b.row);
        if (same < 0)
            return BROKEN;
        if (!same)
            return report(d, table, 0, ROW_CHANGED);
        ra = next(&a);
        rb = next(&b);
    }
    if (ra == BROKEN || rb == BROKEN)
        return BROKEN;
    return ra == rb ? FINE : report(d, table, 0, ROW_CHANGED);
}

static int diff_table(struct rowdiff *d, const struct table *t)
{
    struct btree_page root;
    d->a.budget = d->a.t->n_pages;
    d->b.budget = d->b.t->n_pages;
    int r = walk(d, &d->a, &d->a.found, t->root, 0);
    if (r == FINE)
        r = walk(d, &d->b, &d->b.found, t->root, 0);
    if (r == FINE)
        r = expand(d, &d->a, d->b.subtrees);
    if (r == FINE)
        r = expand(d, &d->b, d->a.subtrees);
    if (r == FINE && btree_page(btree_data(d->a.t, t->root), t->root, &root))
        r = root.index ? merge_keys(d, t->name) : merge_rowids(d, t->name);
    forget(&d->a);
    forget(&d->b);
    return r;
}

static bool is_wanted(const struct rowdiff *d, const struct table *t)
{
    if (!t->root || !marked(d, t->root))
        return false;
    return d->wanted ? d->wanted(d->arg, t->name) : !t->hidden;
}

static void list_init(struct list *l)
{
    l->items = l->first;
    l->n = 0;
    l->cap = FIRST_ITEMS;
}

static void list_done(struct list *l)
{
    if (l->items != l->first)
        free(l->items);
}

static int diff_tables(struct rowdiff *d, const struct table_list *l)
{
    size_t bytes = (d->a.t->n_pages > d->b.t->n_pages ? d->a.t->n_pages : d->b.t->n_pages) / 8 + 1;
    uint8_t *bits = calloc(1, 3 * bytes + (d->parents ? d->parents->tables.n / 8 + 1 : 0));
    bool known = d->parents && l == &d->parents->tables;
    int r = FINE;
    if (!bits)
        return NO_MEMORY;
    d->marked = bits;
    d->a.subtrees = bits + bytes;
    d->b.subtrees = bits + 2 * bytes;
    d->tables = bits + 3 * bytes;
    list_init(&d->a.found);
    list_init(&d->a.rows);
    list_init(&d->b.found);
    list_init(&d->b.rows);
    if (d->parents) {
        mark(d, d->a.t->root, d->reference, 0, d->a.t->n_pages);
        mark(d, d->b.t->root, d->reference, 0, d->b.t->n_pages);
    }
    for (size_t i = 0; r == FINE && i < l->n; i++) {
        if (known && !d->tables[i >> 3])
            i |= 7;
        else if ((!known || test_bit(d->tables, (uint32_t)i)) && is_wanted(d, &l->tables[i]))
            r = diff_table(d, &l->tables[i]);
    }
    list_done(&d->a.found);
    list_done(&d->a.rows);
    list_done(&d->b.found);
    list_done(&d->b.rows);
    free(bits);
    return r;
}

static bool has_many(const struct tree *t)
{
    return t->root && t->n_private >= OWN_PAGES;
}

/* Chooses R. *ret_map: to be released. */
static int choose(struct rowdiff *d, struct store *s, const struct tree *near,
                  struct parents **ret_map, struct sosia_err *err)
{
    const struct tree *a = d->a.t, *b = d->b.t;
    struct parents *map = NULL;
    if (a->base != b->base)
        return 0;
    bool many = has_many(a) && has_many(b);
    if (many && near && near->base == a->base && has_many(near)) {
        d->reference = near->root;
        if (!(map = map_of(s, near, NULL)) && !(map = map_tree(s, near, err)))
            return -1;
    } else if (a->root && b->root && a->n_private >= FEW_PAGES && b->n_private >= FEW_PAGES) {
        bool again;
        map = map_of(s, a, &again);
        d->reference = a->root;
        if (!map && (map = map_of(s, b, NULL)))
            d->reference = b->root;
        if (!map && (many || again) && !(map = map_tree(s, a, err)))
            return -1;
    }
    *ret_map = map;
    if (!map)
        d->reference = NULL;
    d->parents = map ? map : parents_of(a->base, err);
    return d->parents ? 0 : -1;
}

int rowdiff_near(struct store *s, const struct tree *a, const struct tree *b,
                 const struct tree *near, bool (*wanted)(void *arg, const char *table),
                 int (*fn)(void *arg, const char *table, int64_t rowid, enum row_change change),
                 void *arg, struct sosia_err *err)
{
    struct rowdiff d = {.a = {.t = a}, .b = {.t = b}, .wanted = wanted, .fn = fn, .arg = arg};
    struct table_list own = {0};
    uint32_t cookie = get4(tree_page(a, 0) + HEADER_COOKIE);
    if (cookie != get4(tree_page(b, 0) + HEADER_COOKIE))
        return sosia_fail(err, SOSIA_E_INVALID, "schema", NULL, "the schemas differ");
    struct parents *map = NULL;
    if (choose(&d, s, near, &map, err) < 0)
        return -1;
    const struct table_list *l =
        d.parents && d.parents->tables.cookie == cookie ? &d.parents->tables : &own;
    if (l == &own && table_list_read(a, &own, err) < 0) {
        parents_release(s, map);
        return -1;
    }
    int r = diff_tables(&d, l);
    table_list_done(&own);
    parents_release(s, map);
    switch (r) {
    case FINE:
        return 0;
    case STOPPED:
        return d.stopped;
    case NO_MEMORY:
        return sosia_fail_memory(err);
    default:
        return sosia_fail(err, SOSIA_E_INVALID, "corrupt", NULL,
                          "the database's pages make no sense");
    }
}

int rowdiff(struct store *s, const struct tree *a, const struct tree *b,
            bool (*wanted)(void *arg, const char *table),
            int (*fn)(void *arg, const char *table, int64_t rowid, enum row_change change),
            void *arg, struct sosia_err *err)
{
    return rowdiff_near(s, a, b, NULL, wanted, fn, arg, err);
}
