/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of tables are to the cores of an engine: entities, and parts of them. Made once an
 * engine. */
#ifndef SOSIA_WORLD_KINDS_H
#define SOSIA_WORLD_KINDS_H

#include "engine/world/core.h"

struct kind {
    const struct kind *next; /* of the same table: it has rows of several entities */
    const struct sosia_core *core;
    const struct entity *entity;
    const struct entity_view *const *views; /* that cores bring, NULL-terminated */
    const struct entity_part *part;         /* NULL: the rows are the entities themselves */
    uint32_t place; /* of the entity, in the order of the cores and of theirs */
};

struct kinds;

/* cores: NULL-terminated, valid as long as the kinds. NULL without memory. */
struct kinds *kinds_new(const struct sosia_core *const *cores);
void kinds_free(struct kinds *k);
/* The view in the terms of the vendor whose account has the row; *ret NULL: no core brings one, or
 * the row is not there and there are several. 0, -1. */
int kind_view(struct tx *tx, const struct kind *kind, int64_t rowid,
              const struct entity_view **ret);
/* In the order of the cores; NULL: nothing that a diff speaks of. */
const struct kind *kinds_of_table(const struct kinds *k, const char *table);
/* By the name that its core has for it; NULL: there is no such entity. */
const struct kind *kind_of_entity(const struct kinds *k, const char *entity);

#endif
