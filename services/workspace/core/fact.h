/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from files: entities of their own, in rows that are made again at the end of a call
 * that has changed such a file. The files are anybody's: what is none of a known form, or too much,
 * says nothing, and refuses nothing.
 */
#ifndef SOSIA_WORKSPACE_FACT_H
#define SOSIA_WORKSPACE_FACT_H

#include "services/workspace/core/workspace.h"

#define FACT_REFS_MAX     1000               /* of a repository, and HEAD */
#define FACT_MEMORY_BYTES (INT64_C(4) << 20) /* of a memory's file that is looked into */

enum fact_kind { FACT_MEMORY, FACT_REF };
struct fact {
    const char *name;  /* a text; unique among those of an owner */
    const char *value; /* a JSON object */
};
/* In the arena. -1: no memory. */
struct facts {
    struct arena *arena;
    struct fact *list;
    size_t n, cap;
};
int fact_add(struct facts *f, const char *name, const char *value);
/* A JSON object from a writer: ends it and gives its text. */
const char *fact_text(struct arena *a, struct buf *b);

/* Those of the memory's file. 0, -1. */
int fact_read_memory(struct tx *tx, struct facts *ret);
/* Those of the repository of a working tree (""): none if it has no HEAD. 0, -1. */
int fact_read_git(struct tx *tx, const char *tree, struct facts *ret);

/* A node at a path has come, changed or gone; all: so may any below it have. */
void fact_touched(struct tx *tx, const char *path, bool all);
/* Makes all of them again. 0, -1. */
int fact_derive(struct tx *tx);
/* Is it shown by what follows from it, and so not by itself? */
bool fact_instead(const struct workspace_node *n);

/* As entities. They are in no dump: the files are. */
int fact_key_memory(struct tx *tx, int64_t rowid, struct json_writer *w);
int fact_key_ref(struct tx *tx, int64_t rowid, struct json_writer *w);
int fact_no_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int fact_write_memory(struct tx *tx, int64_t rowid, struct json_writer *w,
                      struct entity_about *about);
int fact_write_ref(struct tx *tx, int64_t rowid, struct json_writer *w, struct entity_about *about);

#endif
