/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about trees share: writing, looking, changes over a base. */
#ifndef SOSIA_SANDBOX_TREE_PRIVATE_H
#define SOSIA_SANDBOX_TREE_PRIVATE_H

#include "sandbox/tree.h"
#include <sys/stat.h>

/* A failure of the machine at a path, with errno's words. Gives -1. */
int tree_refused(const char *path, struct sosia_err *err);
int64_t tree_ns(struct timespec t);
/* By the clock that gives files their times, which goes on in ticks: what changes from now on has a
 * time that is not less. */
int64_t tree_now(void);
void tree_content_hash(const void *data, size_t n, uint64_t ret[2]);
/* An empty one at the end. NULL: no memory. */
struct tree_node *tree_add(struct tree_copy *t);
/* What was at a path, in its own nodes (which may say that it is gone), or with those under it. */
struct tree_node *tree_own(const struct tree_copy *t, const char *path);
const struct tree_node *tree_known(const struct tree_copy *t, const char *path);
/* The same file as it was written, and read by nobody: what a program does to it leaves not all of
 * this. What was written in the tick in which the copy became complete may have been changed within
 * it. What a program has mapped it can change without another time of change, which the time of the
 * last access shows: that is the file's time until somebody reads or maps it, which programs can't
 * keep from being noted (filter.c). A file whose time the clock has come by since may have been
 * accessed at that very time. */
bool tree_is_untouched(const struct tree_copy *t, const struct tree_node *k, const struct stat *st);
/* Of a file's content, which is as long as it was; no access to it is seen afterwards. False: it
 * can't be read, or is another one. */
bool tree_hash_file(int dir, const char *name, const struct stat *st, uint64_t ret[2]);
/* As openat(), also where the owner may not read it. */
int tree_open_anyway(int dir, const char *name, int flags, const struct stat *st);
/* The directory that a path is in, below the top and without a link on the way. -1: see errno. */
int tree_parent(int top, const char *path, const char **ret_name);
/* Writes a row below the directory it is in, and adds it to t. A directory gets its mode when all
 * is in it. 0, -1. b: for the bytes of a file. */
int tree_write_node(struct tree_copy *t, struct tx *tx, int dir, const char *name,
                    const struct workspace_node *n, struct buf *b);
/* Of a directory. -1: see errno. */
int tree_set_mode(int dir, const char *name, unsigned mode);
/* Of directories among its own nodes, when all is in them. */
int tree_set_modes(const struct tree_copy *t, int top, struct sosia_err *err);
/* With all that is in it; what is not there is gone. depth: 0. -1: see errno. */
int tree_remove_all(int dir, const char *name, int depth);

#endif
