/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of rowids. */
#ifndef SOSIA_WORLD_IDS_H
#define SOSIA_WORLD_IDS_H

#include "engine/world/tx.h"

/* What a statement's first column has in all of its rows, in the arena: NULL where there is none.
 * st NULL: it failed to be made. 0, -1. */
int ids_all(struct tx *tx, sqlite3_stmt *st, int64_t **ret, size_t *ret_n);

#endif
