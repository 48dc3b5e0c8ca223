/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the core. */
#ifndef SOSIA_WORKSPACE_NODE_H
#define SOSIA_WORKSPACE_NODE_H

#include "services/workspace/core/workspace.h"

/* Paths are compared as blobs: a text sorts before every blob. */
static inline struct sql_value path_value(const char *path)
{
    return sql_blob(path, strlen(path));
}

/* The digest of a content. */
static inline int64_t workspace_digest(const struct blob *b)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < sizeof digest; i++)
        digest = digest << 8 | b->sha256[i];
    return (int64_t)digest;
}

/* Adds to what there is; refuses what is beyond a limit. size: of the file that comes. 0, -1. */
int workspace_count(struct tx *tx, int64_t nodes, int64_t bytes, int64_t size);

/* path.c: a path as a text, with "\\xff" for bytes that are none of one. */
const char *workspace_shown(struct arena *a, const char *path);
/* view.c */
int workspace_key(struct tx *tx, int64_t rowid, struct json_writer *w);
extern const struct entity_view workspace_views[];

/* setting.c */
/* limit.c: the section "workspaceLimits" */
extern const struct form workspace_most_form;
int workspace_most_seed(struct tx *tx, struct doc *d, const struct json *v);
int workspace_most_dump(struct tx *tx, struct json_writer *w);

extern const struct form workspace_programs_form;
int workspace_programs_seed(struct tx *tx, struct doc *d, const struct json *v);
int workspace_programs_dump(struct tx *tx, struct json_writer *w);
/* Reads the row as if it were to be used. 0, -1: INVALID. */
int workspace_programs_check(struct tx *tx);

/* seed.c */
extern const struct form workspace_form;
int workspace_seed(struct tx *tx, struct doc *d, const struct json *v);
int workspace_dump(struct tx *tx, struct json_writer *w);
/* A node of a document, without a place in the tree yet; node->blob is a reference of the caller's.
 * 0, -1. */
int workspace_node_read(struct tx *tx, struct doc *d, const struct json *v,
                        struct workspace_node *ret);
/* Writes a node as documents have it into an open object, of a file with its bytes. 0, -1. */
int workspace_node_write(struct tx *tx, struct json_writer *w, const struct workspace_node *n,
                         const char *data, size_t len);
int workspace_node_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
/* The bytes as a text: false where they are none that a document can have. */
bool workspace_is_text(const char *data, size_t n);

#define WORKSPACE_TEXT                                                                             \
    ((size_t)64 << 10) /* bytes of a content that documents and diffs show as text */

#endif
