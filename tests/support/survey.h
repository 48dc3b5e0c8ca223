/* SPDX-License-Identifier: Apache-2.0 */
/* A world as its core says it in other ways than a dump, as parts of a story
 * (tests/support/story.h). */
#ifndef SOSIA_TESTS_SURVEY_H
#define SOSIA_TESTS_SURVEY_H

#include "engine/state/found.h"
#include "engine/world/event.h"

/* What the core's entities are in its own terms (entity->plain), row by row, as a state. */
void survey_plain(struct tx *tx, const struct sosia_core *core);
/* What a search over the whole world finds, at most so many, as lines. */
void survey_found(struct tx *tx, found_fn *fn, const char *text, size_t limit);
/* Events from the first one on, as lines: for a core's events(). */
void survey_events(const struct world_event *first);
/* What leads from a world of that document to the test world, in the core's terms, as a state. No
 * transaction may be open. */
void survey_diff(const char *doc);
/* For each statement: the test world is exported and changed by it, and imported. It says why that
 * is refused, or what the dump has otherwise. No transaction may be open. */
void survey_changed(const char *const *sql, size_t n);

#endif
