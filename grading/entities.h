/* SPDX-License-Identifier: Apache-2.0 */
/* What diffs, suites and policies speak of, whatever service it is of. */
#ifndef SOSIA_GRADING_ENTITIES_H
#define SOSIA_GRADING_ENTITIES_H

#include "engine/world/core.h"

/* The i-th core, the engine's own first and last, and the i-th entity of all cores; NULL behind the
 * last. */
const struct sosia_core *entities_core(size_t i);
const struct entity *entities_at(size_t i);
/* The view of it behind `after` (NULL: the first), each in another vendor's terms. NULL: there is
 * no other. */
const struct entity_view *entities_view(const struct entity *e, const struct entity_view *after);
/* The paths to members that its dump may have, in the arena where its table of members says them.
 * NULL: they are not asked for. */
const char *entities_members(const struct entity *e, struct arena *a);
/* Whether a path is among those of a view that change by themselves, and are not shown. */
bool entities_noise(const char *const *noise, const char *path, size_t n);
/* The page docs/entities.md: all of them with their members, and the members of seed documents. */
void entities_markdown(struct buf *out);
/* The page docs/seed.schema.json: a JSON Schema of seed documents. Sections whose members no table
 * says are lists or objects of any. */
void entities_schema(struct buf *out);

#endif
