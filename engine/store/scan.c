/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of an index from the pages. An index's b-tree has entries on its interior pages too, each
 * between those of the child before and the child after it.
 */
#include "engine/store/scan.h"
#include "engine/store/btree.h"
#include "engine/store/slot_impl.h"
#include <assert.h>
#include <string.h>

enum { ENTRY_ROOM = 512 }; /* bytes of the entries that most tables have */
enum { BROKEN = -2 };      /* the depth of a scan that has met a page that makes no sense */

/* ---- keys ---- */

static int compare_bytes(const uint8_t *p, size_t n, const struct sql_value *key)
{
    size_t len = (size_t)key->number;
    int r = memcmp(p, key->data, n < len ? n : len);
    return r ? r : (n > len) - (n < len);
}

static int64_t number_at(const uint8_t *p, unsigned size)
{
    uint64_t v = size ? (uint64_t)(int64_t)(int8_t)p[0] : 0;
    for (unsigned i = 1; i < size; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

/* Nulls come before integers, integers before strings, strings before blobs. */
enum { RANK_INT = 1, RANK_STRING, RANK_BLOB };

static int rank_of(const struct sql_value *key)
{
    return key->kind == SQL_IS_INT      ? RANK_INT
           : key->kind == SQL_IS_STRING ? RANK_STRING
                                        : RANK_BLOB;
}

/* As btree_varint(), where most have one byte. */
static inline unsigned short_varint(const uint8_t *p, const uint8_t *end, uint64_t *ret)
{
    if (p < end && *p < 0x80) {
        *ret = *p;
        return 1;
    }
    return btree_varint(p, end, ret);
}

/* A record's first n columns against the key's: negative, 0, positive. false: it is broken, or has
 * a column that is none of these. */
static bool compare(const uint8_t *row, size_t size, const struct sql_value *key, int n, int *ret)
{
    static const uint8_t sizes[10] = {0, 1, 2, 3, 4, 6, 8, 0, 0, 0};
    uint64_t header, type;
    unsigned k = short_varint(row, row + size, &header);
    if (!k || header > size)
        return false;
    const uint8_t *p = row + k, *end = row + header;
    size_t at = (size_t)header;
    *ret = 0;
    for (int i = 0; i < n && !*ret; i++) {
        if (!(k = short_varint(p, end, &type)))
            return false;
        p += k;
        if (type == 7 || type == 10 || type == 11)
            return false;
        int rank = type < 12 ? type != 0 : type & 1 ? RANK_STRING : RANK_BLOB;
        size_t len = type < 12 ? sizes[type] : (size_t)(type - 12) / 2;
        if (len > size - at)
            return false;
        *ret = rank - rank_of(&key[i]);
        if (!*ret && rank == RANK_INT) {
            int64_t v = type == 9 ? 1 : number_at(row + at, (unsigned)len);
            *ret = (v > key[i].number) - (v < key[i].number);
        } else if (!*ret) {
            *ret = compare_bytes(row + at, len, &key[i]);
        }
        at += len;
    }
    return true;
}

/* An entry whose size has one byte, which is before it: it is on its page as a whole. NULL: it is
 * longer, or broken. */
static inline const uint8_t *small_entry(const struct btree_page *p, unsigned i)
{
    const unsigned at = get2(p->cells + 2 * i) + (p->leaf ? 0U : 4U);
    return at >= p->first && at < STORE_PAGE_SIZE && p->data[at] < 0x80 &&
                   at + p->data[at] < STORE_PAGE_SIZE
               ? p->data + at
               : NULL;
}

static bool compare_cell(struct scan *s, const struct btree_page *page, unsigned i, int n, int *ret)
{
    struct btree_cell c;
    const uint8_t *at = small_entry(page, i);
    if (at)
        return compare(at + 1, *at, s->key, n, ret);
    if (!btree_cell(page, i, &c) || (s->changed && c.overflow))
        return false;
    const uint8_t *row = record_bytes(&s->entry, &s->tree, &c);
    return row && compare(row, c.size, s->key, n, ret);
}

/* ---- the way through the pages ---- */

static bool go_down(struct scan *s, uint32_t number)
{
    if (s->depth == BTREE_MAX_DEPTH || (s->changed && !record_is_as_begun(s->changed, number)))
        return false;
    struct btree_page *p = &s->path[s->depth + 1].page;
    if (!btree_page(btree_data(&s->tree, number), number, p) || !p->index)
        return false;
    s->path[++s->depth].at = 0;
    return true;
}

/* From the root to the leaf where the key would be. */
static bool seek(struct scan *s, uint32_t root, enum scan_start start, int n)
{
    for (uint32_t number = root;;) {
        if (!go_down(s, number))
            return false;
        const struct btree_page *p = &s->path[s->depth].page;
        unsigned low = 0, high = p->n_cells;
        while (low < high) {
            unsigned mid = (low + high) / 2;
            int r;
            if (!compare_cell(s, p, mid, n, &r))
                return false;
            if (r < 0 || (r == 0 && start == SCAN_AFTER))
                low = mid + 1;
            else
                high = mid;
        }
        s->path[s->depth].at = low;
        if (p->leaf)
            return true;
        number = btree_child(p, low);
    }
}

static int open_scan(struct slot *slot, struct record_text *index, enum scan_start start, int same,
                     const struct sql_value *key, int n, struct arena *arena, struct scan *s)
{
    const struct record_plan *plan = record_plan(slot, index);
    if (!plan || plan->root <= 1)
        return RECORD_STATEMENT;
    assert(same <= n && n <= SCAN_KEYS);
    for (int i = 0; i < n; i++) {
        if (key[i].kind == SQL_IS_REAL || (key[i].kind != SQL_IS_INT && !key[i].data))
            return RECORD_STATEMENT;
        s->key[i] = key[i];
        if (key[i].kind != SQL_IS_INT && key[i].number < 0)
            s->key[i].number = (int64_t)strlen(key[i].data);
    }
    s->entry.arena = arena;
    s->entry.room_size = s->entry.whole_size = 0;
    s->changed = slot->v.changing ? slot : NULL;
    s->tree = record_tree(slot);
    s->plan = plan;
    s->same = same;
    s->depth = -1;
    s->descend = false;
    s->leaf = NULL;
    return seek(s, plan->root, start, n) ? 1 : RECORD_STATEMENT;
}

int scan_open(struct slot *slot, struct record_text *index, enum scan_start start, int same,
              const struct sql_value *key, int n, struct arena *arena, struct scan *s)
{
    return record_can(slot) ? open_scan(slot, index, start, same, key, n, arena, s)
                            : RECORD_STATEMENT;
}

/* Down to a leaf where one is due, and up from pages that are gone through: 1; 0 at the end; -1. */
static int find_place(struct scan *s)
{
    while (s->descend && s->depth >= 0) {
        const struct btree_page *p = &s->path[s->depth].page;
        if (p->leaf)
            s->descend = false;
        else if (!go_down(s, btree_child(p, s->path[s->depth].at)))
            s->depth = BROKEN;
    }
    while (s->depth >= 0 && s->path[s->depth].at >= s->path[s->depth].page.n_cells)
        s->depth--;
    return s->depth == BROKEN ? -1 : s->depth >= 0;
}

static bool is_same_to_the_end(struct scan *s, const struct btree_page *p)
{
    int order;
    if (s->leaf != p->data) {
        s->leaf = p->data;
        s->leaf_is_same =
            p->leaf && compare_cell(s, p, p->n_cells - 1u, s->same, &order) && order == 0;
    }
    return s->leaf_is_same;
}

int scan_next(struct scan *s)
{
    struct btree_cell c;
    int r = find_place(s), order = 0;
    if (r != 1)
        return r;
    const struct btree_page *p = &s->path[s->depth].page;
    bool same = is_same_to_the_end(s, p);
    if (!btree_cell(p, s->path[s->depth].at++, &c) || (s->changed && c.overflow) ||
        !record_take(&s->entry, s->plan, &s->tree, &c) ||
        (!same && !compare(s->entry.data, c.size, s->key, s->same, &order)))
        return -1;
    s->descend = !p->leaf;
    if (order)
        s->depth = -1;
    return !order;
}

void scan_skip(struct scan *s, size_t n)
{
    while (n && find_place(s) == 1) {
        const struct btree_page *p = &s->path[s->depth].page;
        unsigned *at = &s->path[s->depth].at;
        size_t left = p->leaf ? p->n_cells - *at : 1;
        if (left > n)
            left = n;
        *at += (unsigned)left;
        n -= left;
        s->descend = !p->leaf;
    }
}

int scan_row(struct slot *slot, struct record_text *index, struct record_text *table,
             const struct sql_value *key, int n, struct record *r)
{
    struct scan s;
    char room[ENTRY_ROOM];
    if (!record_can_find(slot) || open_scan(slot, index, SCAN_FROM, n, key, n, r->arena, &s) != 1)
        return RECORD_STATEMENT;
    int found = find_place(&s), order;
    if (found != 1)
        return found < 0 ? RECORD_STATEMENT : 0;
    const struct btree_page *p = &s.path[s.depth].page;
    struct btree_cell c;
    s.entry.room = room;
    s.entry.room_size = sizeof room;
    if (!btree_cell(p, s.path[s.depth].at, &c) || (s.changed && c.overflow) ||
        !record_take(&s.entry, s.plan, &s.tree, &c) ||
        !compare(s.entry.data, c.size, s.key, n, &order))
        return RECORD_STATEMENT;
    if (order)
        return 0;
    return record_find(slot, table, record_int(&s.entry, 0), r);
}
