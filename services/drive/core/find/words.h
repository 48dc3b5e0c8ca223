/* SPDX-License-Identifier: Apache-2.0 */
/* The full-text index of items. Between the files of services/drive/core only. */
#ifndef SOSIA_DRIVE_WORDS_H
#define SOSIA_DRIVE_WORDS_H

#include "engine/search/index.h"

/* The item was made, changed or deleted: the index has it as it is when the call is over. */
void drive_index_later(struct tx *tx, int64_t item);
/* Makes the index anew from the items of an imported world. */
int drive_index_derive(struct tx *tx);

/* Items by rising id, in the transaction's arena: those in whose name, description or content all
 * words of the text are as wholes, in any order; in double quotes, next to each other. limit: so
 * many are enough, and *ret_n is limit + 1 if there are more; 0: all. */
int drive_index_find(struct tx *tx, const char *text, size_t limit, int64_t **ret, size_t *ret_n);
/* The same of one item, without the index, which must have it as it is: 1, 0, -1. */
int drive_index_has(struct tx *tx, const char *text, int64_t item);
/* Those with words in their name that begin with the words of the text, without regard to accents:
 * who asks looks at the names again. */
int drive_index_names(struct tx *tx, const char *text, size_t limit, int64_t **ret, size_t *ret_n);

#endif
