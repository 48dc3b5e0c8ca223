/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workspace as a directory: written from the world's rows before a program runs, and looked at
 * afterwards, without ever following a link.
 *
 * copy     a program has the whole tree as its own.
 * layer    it has a directory over another one, the base, which was written once and is never
 *          written again: what differs from that is in the directory above alone (overlayfs), so
 *          that preparing and looking cost what has changed and not what is there.
 */
#ifndef SOSIA_SANDBOX_TREE_H
#define SOSIA_SANDBOX_TREE_H

#include "services/workspace/core/program.h"

struct tree_node {
    const char *path; /* as of struct workspace_node */
    uint8_t kind;
    unsigned mode;
    uint64_t inode, hash[2]; /* hash: of the content, or the link's target */
    int64_t size, ctime_ns, mtime_ns;
    bool seen;
    bool gone;           /* of a layer: it is in the base, and was removed from it */
    int64_t row, digest; /* of struct workspace_node */
};

/* What was written, in the order of paths. */
struct tree_copy {
    struct arena arena;
    struct tree_node *nodes;
    size_t n, room;
    int64_t written_ns;            /* when it was complete: tree_now() */
    const struct tree_copy *under; /* of a layer: what was written into its base */
    struct tree_node **by_row;     /* of a base: its nodes in the order of their rows */
};

void tree_copy_init(struct tree_copy *t);
void tree_copy_free(struct tree_copy *t);

/* Writes all rows below an empty directory. 0, -1: IO, with what the machine refused. */
int tree_write(struct tree_copy *t, struct tx *tx, int top, struct sosia_err *err);
/* The same of a directory in which a program was that is stopped now: what is as the rows say stays
 * as it is, the rest is written, and what no row has goes. */
int tree_refresh(struct tree_copy *t, struct tx *tx, int top, struct sosia_err *err);
/* What was written becomes a base, which never changes: its rows can be found. 0, -1 NO_MEMORY. */
int tree_be_base(struct tree_copy *t, struct sosia_err *err);
/* Makes of a layer what the rows of today say: t is empty but for `under`. rows: those that differ
 * from the base, n numbers in any order. top: the directory that programs see. 0; -1: IO, also
 * where the base has directories that can't be written below: a copy can be made then. */
int tree_write_layer(struct tree_copy *t, struct tx *tx, const int64_t *rows, size_t n, int top,
                     struct sosia_err *err);
/* Compares the directory with what was written, and says in p what changed. 0; 1: what is there
 * can't be a workspace, *ret_why says so, in the arena; -1: IO, NO_MEMORY. */
int tree_compare(struct tree_copy *t, int top, struct program_writing *p, const char **ret_why,
                 struct sosia_err *err);
/* The same of a layer. upper: its own directory, with what differs from the base in the kernel's
 * form. */
int tree_compare_layer(struct tree_copy *t, int upper, struct program_writing *p,
                       const char **ret_why, struct sosia_err *err);

#endif
