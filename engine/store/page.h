/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copy-on-write database images: an immutable contiguous base that all forks share, and above it a
 * sparse persistent radix map of private pages.
 *
 * Invariants:
 *  1. A base never changes after base_new(). A tree without private pages has root NULL.
 *  2. A node or page with more than one reference never changes. A writer owns the nodes and pages
 * that carry its transaction's tag, and only those it changes in place.
 *  3. A tree owns one reference to its base (in one of the base's counter shards) and one to its
 * root.
 *  4. Nothing here takes a lock on the way of a call: reference counts are atomic, a base's are
 * spread over cache lines, and pages come from caches that belong to the thread.
 */
#ifndef SOSIA_STORE_PAGE_H
#define SOSIA_STORE_PAGE_H

#include "engine/base/err.h"
#include <stdint.h>

#define STORE_PAGE_SIZE 2048 /* bytes; measured best for forks (docs/performance.md) */

struct store; /* what the worlds of one engine share: bases, the page allocator, schema cookies, the
                 VFS */
struct base;
struct node;

struct store_options {
    uint64_t max_size; /* bytes of private pages, and of what is beside them, in all; 0: no limit */
    uint64_t max_tree; /* bytes of private pages a tree; 0: no limit */
};
/* opt NULL: no limits. */
int store_open(const struct store_options *opt, struct store **ret_store, struct sosia_err *err);
void store_close(struct store *s);          /* every slot closed, every tree done */
uint64_t store_size(const struct store *s); /* bytes in use: private pages, nodes, what is beside */
/* Those, and bytes of bases. */
uint64_t store_resident(const struct store *s);
/* Adds bytes that are kept beside the pages to those in use; negative: takes them away. */
void store_count(struct store *s, int64_t bytes);
/* Whether the limit leaves no room. */
bool store_is_full(const struct store *s);

/* A version of a database: what a world holds. A plain value; whoever holds it serialises its use.
 */
struct tree {
    struct base *base;
    struct node *root; /* NULL: every page is the base's */
    uint32_t n_pages;
    uint32_t n_private; /* pages that are not the base's */
    uint32_t shard;     /* of the base's reference counters */
    uint32_t reserved;
};

/* Makes a base of a database file's bytes (copied): checks the header, gives it the schema cookie
 * that belongs to its sqlite_schema content (equal cookie if and only if equal schema, in this
 * store), and a tree on it. */
int tree_load(struct store *s, const void *image, size_t len, struct tree *ret_tree,
              struct sosia_err *err);
/* The same where it is known already what cookie_schema() would call the schema; write() writes the
 * len bytes where they will be. */
int tree_load_known(struct store *s, const char *schema, void (*write)(void *to), size_t len,
                    struct tree *ret_tree, struct sosia_err *err);
/* The same for an image that began as a copy of another tree and that SQLite alone has changed
 * since: unless its cookie is another one, its schema is that of the tree and is not read. */
int tree_load_rows(struct store *s, const struct tree *from, const void *image, size_t len,
                   struct tree *ret_tree, struct sosia_err *err);
/* The same for an image that began as a copy of the tree from and that SQLite alone has changed
 * since, with its schema as it was: a fork of from, with the pages that differ as its own. */
int tree_load_fork(struct store *s, const struct tree *from, const void *image, size_t len,
                   struct tree *ret_tree, struct sosia_err *err);
/* O(1) whatever the size. Can't fail. */
void tree_fork(const struct tree *from, struct tree *ret_tree);
/* Releases what the tree holds; the tree is empty then (base NULL). */
void tree_done(struct tree *t);
/* to becomes what from is: done, then fork; from may be an ancestor. Costs the pages that to alone
 * held. */
void tree_reset(struct tree *to, const struct tree *from);
/* The bytes of a page, counted from 0; NULL beyond the end. Valid while the tree holds it. */
const uint8_t *tree_page(const struct tree *t, uint32_t page);
/* The processor fetches what reading begins with, if the tree has few private pages: where it was
 * not used for long each would be waited for by itself. */
void tree_soon(const struct tree *t);
/* The whole database in one piece, into memory of the caller (n_pages * STORE_PAGE_SIZE bytes). */
void tree_copy(const struct tree *t, void *ret_image);
/* Makes a new base with all pages in one piece and points the tree at it: reads are faster, forks
 * have no nodes. */
int tree_flatten(struct store *s, struct tree *t, struct sosia_err *err);

/* Calls fn for each page that differs between two trees on the same base, in page order. a or b
 * NULL: the page is beyond that tree's end. Trees on different bases: every page is compared. Stops
 * when fn gives non-zero. */
int tree_diff(const struct tree *a, const struct tree *b,
              int (*fn)(void *arg, uint32_t page, const uint8_t *a, const uint8_t *b), void *arg);

#endif
