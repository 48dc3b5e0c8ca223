/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQLite VFS of one slot: a main database file whose content is a tree, and its rollback
 * journal, whose page images are not kept because the tree still has them.
 */
#ifndef SOSIA_STORE_VFS_H
#define SOSIA_STORE_VFS_H

#include "engine/store/page_impl.h"
#include <sqlite3.h>

/* A rollback journal is a header sector and records of page number, page image and checksum. The
 * images are those of the tree as it was when the transaction began, so only the two numbers are
 * kept. */
struct journal {
    uint8_t header[512];
    struct journal_record {
        uint8_t page[4], sum[4]; /* as SQLite wrote them */
    } * records;
    uint32_t cap;
    int64_t size; /* bytes that SQLite believes it has */
};

struct slot_vfs {
    sqlite3_vfs vfs;
    char name[32];
    struct store *store;
    int64_t now_us;

    /* What the next transaction works on; NULL: nothing, an empty database that can't be written.
     */
    struct tree *tree;
    uint64_t key, *version;
    uint64_t seen_key, seen_version; /* of the last transaction: what the pager's cache holds */
    bool stale;                      /* the pager's cache must go */
    uint32_t cookie;                 /* of the tree's schema */
    uint32_t loaded_cookie;          /* of the schema that the connection has loaded; 0: unknown */
    bool cookie_changed;             /* by the transaction */
    bool counts;                     /* the pager's cache has a counter of changes of its own: */
    uint8_t counter[4];

    /* The version that the transaction reads: the tree's, or once it wrote (dirty) its own. */
    struct writer w;
    int lock;
    uint64_t turn; /* rises with each transaction */
    bool changing; /* the pager may have changed pages: it has begun a journal */
    bool dirty, cut;
    /* A root that was replaced while statements may still look at its pages, and the one that took
     * its place. */
    struct node *pinned, *successor;
    bool summing;      /* see slot_want_sum() */
    uint64_t sum;      /* of the pages that the last commit wrote */
    uint64_t replaced; /* see slot_replaced() */
    bool rewinding;    /* see slot_want_back() */
    struct delta *back;
    struct journal journal;
};

/* Registers the VFS; slot_vfs_done() after its connection is closed. */
int slot_vfs_init(struct slot_vfs *v, struct store *s, struct sosia_err *err);
void slot_vfs_done(struct slot_vfs *v);
/* Is a table's root, by its number from 1, as it was when the transaction began? False also where
 * the transaction has changed many pages. */
bool slot_vfs_is_as_begun(const struct slot_vfs *v, uint32_t root);

#endif
