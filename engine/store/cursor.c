/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table from the pages. Only its leaves have rows; an interior page's cells say the
 * greatest rowid of the child before them. */
#include "engine/store/cursor.h"
#include "engine/store/btree.h"
#include "engine/store/slot_impl.h"

enum { BROKEN = -2 }; /* the depth of a cursor that has met a page that makes no sense */

static bool go_into(struct table_cursor *cur, uint32_t number)
{
    if (cur->depth == BTREE_MAX_DEPTH)
        return false;
    struct btree_page *p = &cur->path[cur->depth + 1].page;
    if (!btree_page(btree_data(&cur->tree, number), number, p) || p->index)
        return false;
    cur->depth++;
    return true;
}

/* From the root to the leaf where the rowid would be. */
static bool seek_leaf(struct table_cursor *cur, uint32_t root, int64_t from)
{
    for (uint32_t number = root;;) {
        unsigned at;
        if (!go_into(cur, number))
            return false;
        const struct btree_page *p = &cur->path[cur->depth].page;
        if (!btree_first_from(p, from, &at))
            return false;
        cur->path[cur->depth].at = (int)at;
        if (!p->leaf) {
            number = btree_child(p, at);
            continue;
        }
        struct btree_cell c;
        if (cur->down && (at == p->n_cells || !btree_cell(p, at, &c) || c.rowid != from))
            cur->path[cur->depth].at--;
        return true;
    }
}

int cursor_open(struct slot *slot, struct record_text *table, int64_t from, bool down,
                struct arena *arena, struct table_cursor *cur)
{
    if (!record_can(slot))
        return RECORD_STATEMENT;
    const struct record_plan *plan = record_plan(slot, table);
    if (!plan || plan->root <= 1)
        return RECORD_STATEMENT;
    cur->row = (struct record){.arena = arena};
    cur->tree = record_tree(slot);
    cur->plan = plan;
    cur->down = down;
    cur->depth = -1;
    return seek_leaf(cur, plan->root, from) ? 1 : RECORD_STATEMENT;
}

/* To the leaf beside the one that is gone through: 1; 0: there is none; -1. */
static int turn_leaf(struct table_cursor *cur)
{
    do {
        if (--cur->depth < 0)
            return 0;
        cur->path[cur->depth].at += cur->down ? -1 : 1;
    } while (cur->path[cur->depth].at < 0 ||
             cur->path[cur->depth].at > cur->path[cur->depth].page.n_cells);
    for (;;) {
        const struct btree_page *p = &cur->path[cur->depth].page;
        if (p->leaf)
            return 1;
        if (!go_into(cur, btree_child(p, (unsigned)cur->path[cur->depth].at)))
            return -1;
        p = &cur->path[cur->depth].page;
        cur->path[cur->depth].at = !cur->down ? 0 : p->leaf ? p->n_cells - 1 : p->n_cells;
    }
}

int cursor_next(struct table_cursor *cur)
{
    struct btree_cell c;
    while (cur->depth >= 0) {
        const struct btree_page *p = &cur->path[cur->depth].page;
        int at = cur->path[cur->depth].at;
        if (at >= 0 && at < p->n_cells) {
            cur->path[cur->depth].at += cur->down ? -1 : 1;
            if (btree_cell(p, (unsigned)at, &c) &&
                record_take(&cur->row, cur->plan, &cur->tree, &c))
                return 1;
            cur->depth = BROKEN;
        } else {
            int r = turn_leaf(cur);
            if (r < 0)
                cur->depth = BROKEN;
            if (r == 0)
                cur->depth = -1;
        }
    }
    return cur->depth == BROKEN ? -1 : 0;
}
