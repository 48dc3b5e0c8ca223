/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows that differ between two versions of a database, found through the pages that differ: the
 * cost follows the change, not the size.
 */
#ifndef SOSIA_STORE_ROWDIFF_H
#define SOSIA_STORE_ROWDIFF_H

#include "engine/store/page.h"

enum row_change { ROW_ADDED, ROW_REMOVED, ROW_CHANGED };

/* Calls fn for each row of each rowid table that was added, removed or changed between a and b
 * (equal schemas), tables in the order of the schema, rows by rowid. wanted: says of a table in
 * which something may have changed, right before its rows, whether they are looked at (NULL: all
 * are but SQLite's own tables and shadow tables of FTS5); WITHOUT ROWID tables are reported once
 * with rowid 0 and ROW_CHANGED if any of their rows differ. */
int rowdiff(struct store *s, const struct tree *a, const struct tree *b,
            bool (*wanted)(void *arg, const char *table),
            int (*fn)(void *arg, const char *table, int64_t rowid, enum row_change change),
            void *arg, struct sosia_err *err);

/* The same for one of many pairs that are compared, whose trees all differ little from `near`,
 * which lives until all are: its pages are read once for all of them. NULL: there is none. */
int rowdiff_near(struct store *s, const struct tree *a, const struct tree *b,
                 const struct tree *near, bool (*wanted)(void *arg, const char *table),
                 int (*fn)(void *arg, const char *table, int64_t rowid, enum row_change change),
                 void *arg, struct sosia_err *err);

/* ---- what is known of a tree ---- */

struct parents;

/* What others keep of a tree that is compared again and again, until the tree is gone. */
struct beside {
    void (*free)(struct beside *b);
};

/* What rowdiff() keeps of a tree that it was given as a, to be released before the tree is done;
 * NULL: nothing, since the tree was not compared often enough. */
struct parents *parents_hold(struct store *s, const struct tree *t);
void parents_release(struct store *s, struct parents *p); /* NULL is fine */
/* The place for it; NULL at first. Whoever puts something there does so once, in one step. */
_Atomic(struct beside *) *parents_beside(struct parents *p);

#endif
