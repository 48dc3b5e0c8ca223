/* SPDX-License-Identifier: Apache-2.0 */
/* Words that nearly all documents of a group have, with lists of those without them (common.c). For
 * corpora with `common`; between the files of this folder only. */
#ifndef SOSIA_SEARCH_COMMON_H
#define SOSIA_SEARCH_COMMON_H

#include "engine/search/corpus.h"

/* A document is put in, or taken out with the words that it was put in with. */
int common_note(struct tx *tx, const struct corpus *corpus, int64_t key, bool remove,
                const struct search_text *text);
/* The list of those without a word: 1, 0 none is kept, -1. */
int common_find(struct tx *tx, const struct corpus *corpus, int64_t group, const char *word,
                size_t len, int64_t *ret_id);

#endif
