/* SPDX-License-Identifier: Apache-2.0 */
/* What rowdiff() keeps of a tree. */
#ifndef SOSIA_STORE_PARENTS_H
#define SOSIA_STORE_PARENTS_H

#include "engine/store/btree.h"
#include "engine/store/rowdiff.h"

/* What a base, or the root of a tree, keeps for all diffs. */
struct parents {
    struct parents *next; /* of the store's; and who uses it, the list included: under its lock */
    struct node *root;    /* NULL: a base's, which has no users */
    unsigned users;
    _Atomic(struct beside *) beside;
    struct table_list tables;
    uint32_t n_pages;
    uint32_t parent[]; /* by page number from 1 */
};

/* Takes one out of the list of the store's, under its lock; the list's reference goes to the
 * caller.
 */
struct parents *parents_unlink(struct parents **at);

#endif
