/* SPDX-License-Identifier: Apache-2.0 */
/* What a person types into a field for searching, as a question: no language of a vendor's. */
#ifndef SOSIA_SEARCH_PLAIN_H
#define SOSIA_SEARCH_PLAIN_H

#include "engine/search/question.h"

/* All words of the text, each somewhere in one of the fields; in double quotes, next to each other.
 * In the arena; NULL: it has no words, or there is no memory (arena_failed()). */
const struct search *search_plain(struct arena *a, unsigned fields, const char *text);
/* "%TEXT%" for `like ... escape '\'`. In the arena, which the caller looks at. */
const char *search_like(struct arena *a, const char *text);

#endif
