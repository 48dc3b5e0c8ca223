/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page as a row has it. What is between a b-tree page's pointers and its cells is free
 * (https://www.sqlite.org/fileformat2.html#b_tree_pages): it is left out, and zero when the page is
 * read. A row of a whole page's length is the page.
 */
#include "engine/durable/durable_impl.h"

enum {
    HEAD_END = 100, /* of a database's first page, before its b-tree's */
    GAP_LEAST = 64, /* bytes that are worth it */
    FLAGS = 1 << 13 | 1 << 10 | 1 << 5 | 1 << 2 /* the kinds of b-tree pages */
};

/* Where what is free begins and ends. False: the page is another kind's, or nearly full. have:
 * bytes of it that are known. */
static bool find_gap(const uint8_t *data, size_t have, size_t *ret_from, size_t *ret_to)
{
    size_t at = have > HEAD_END && memcmp(data, "SQLite format 3", 16) == 0 ? HEAD_END : 0;
    if (have < at + 8 || data[at] > 13 || !(FLAGS >> data[at] & 1))
        return false;
    size_t from = at + (data[at] & 8 ? 8 : 12) + 2 * (size_t)get2(data + at + 3);
    size_t to = get2(data + at + 5);
    *ret_from = from;
    *ret_to = to;
    return from + GAP_LEAST <= to && to <= STORE_PAGE_SIZE;
}

size_t page_pack(const uint8_t *data, uint8_t to[STORE_PAGE_SIZE])
{
    size_t from, end;
    if (!find_gap(data, STORE_PAGE_SIZE, &from, &end))
        return 0;
    memcpy(to, data, from);
    memcpy(to + from, data + end, STORE_PAGE_SIZE - end);
    return from + STORE_PAGE_SIZE - end;
}

bool page_unpack(const uint8_t *row, size_t len, uint8_t to[STORE_PAGE_SIZE])
{
    size_t from, end;
    if (len == STORE_PAGE_SIZE) {
        memcpy(to, row, len);
        return true;
    }
    if (len > STORE_PAGE_SIZE || !find_gap(row, len, &from, &end) ||
        len != from + STORE_PAGE_SIZE - end)
        return false;
    memcpy(to, row, from);
    memset(to + from, 0, end - from);
    memcpy(to + end, row + from, STORE_PAGE_SIZE - end);
    return true;
}
