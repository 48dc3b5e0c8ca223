/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_STATE_DUMP_H
#define SOSIA_STATE_DUMP_H

#include "engine/world/engine.h"

/* Writes the world as a seed document in normal form. clock: with the time and the seed of ids. */
int dump_all(struct tx *tx, struct json_writer *w, bool clock);
/* The head of that. 0, -1. */
int dump_head(struct tx *tx, struct json_writer *w, bool clock);

/* A part of a dump. What is left out may be needed to make a world of it. */
struct dump_part {
    const char *sections; /* names between commas, of sections or of the cores that have them; NULL:
                             all */
    const char *person;   /* what is whose: items that say so by a member; NULL: anybody's */
    const char *text;     /* items that have it in them, whatever the case; NULL: all */
};
/* Fails with INVALID "badPart". */
int world_dump_part(struct sosia_engine *engine, uint64_t world, const struct dump_part *part,
                    struct sosia_blob *ret_json, struct sosia_err *err);
/* The member "seed": any number of 64 bits. */
void dump_seed(struct json_writer *w, uint64_t seed);

/* 1: a hash of the documents that a world was made of, in the order in which they came, in the
 * transaction's arena; 0: of none; -1. */
int seed_documents(struct tx *tx, const char **ret);

/* Applies a seed document to a locked world, which is not a snapshot, as one transaction and one
 * entry of its journal; does not wait for the disk. name: of the document. */
int world_seed_on(struct sosia_engine *engine, struct world *w, struct worker *k, const char *doc,
                  size_t len, const char *name, struct sosia_err *err);

#endif
