/* SPDX-License-Identifier: Apache-2.0 */
/* What the cores' own terms are written with (entity->plain in engine/world/core.h). */
#ifndef SOSIA_STATE_PLAIN_H
#define SOSIA_STATE_PLAIN_H

#include "engine/base/arena.h"
#include "engine/json/json.h"

/* A text as a person reads it: lines end with a newline alone, words have one space between them,
 * and there is no other whitespace, nor a line with nothing else. The member is left out where
 * nothing of it is left; text may be NULL. */
void plain_text(struct json_writer *w, struct arena *a, const char *member, const char *text);
/* A list of texts in the order of their bytes, each once; left out where it is empty. Sorts it. */
void plain_list(struct json_writer *w, const char *member, const char **list, size_t n);

#endif
