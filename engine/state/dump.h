/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_STATE_DUMP_H
#define SOSIA_STATE_DUMP_H

#include "engine/world/engine.h"

/* Writes the world as a seed document in normal form. clock: with the time and the seed of ids. */
int dump_all(struct tx *tx, struct json_writer *w, bool clock);
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
