/* SPDX-License-Identifier: Apache-2.0 */
/* A story: what happens in a world step by step, and what each step changes, as lines that are
 * compared with those of a file (tests/stories/NAME.txt). A state is any text; of each only the
 * lines that differ from the state before are kept, with + and - in front.
 * SOSIA_STORIES=write writes the files anew: then read what differs. */
#ifndef SOSIA_TESTS_STORY_H
#define SOSIA_TESTS_STORY_H

#include "engine/base/buf.h"
#include "sosia.h"

void story_begin(void);
/* A line of its own. */
void story_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The state after what was said last, under a name: "calendars", "lists". */
void story_state(const char *name, const char *text);
/* A world's dump is a state. */
void story_dump(struct sosia_engine *engine, uint64_t world);
/* Makes a world of a document that begins like this and has sections that are wrong, and says why
 * it is refused. In both ' is written for ". */
void story_wrong(struct sosia_engine *engine, const char *start, const char *sections);
/* Fails the test at the first line that is another one. */
void story_end(const char *name);

#endif
