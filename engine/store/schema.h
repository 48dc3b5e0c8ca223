/* SPDX-License-Identifier: Apache-2.0 */
/* What the schema of an image is. Needs nothing else of the store, for the build uses it too. */
#ifndef SOSIA_STORE_SCHEMA_H
#define SOSIA_STORE_SCHEMA_H

#include "engine/store/slot.h"

enum { SCHEMA_SUM = 32 }; /* bytes */

/* The SHA-256 of all that a connection keeps of the schema of an image of n bytes, whose header was
 * checked; the image stays as it is. Gives SQLite's code. */
int schema_sum(uint8_t *image, size_t n, uint8_t ret_sum[SCHEMA_SUM]);
/* Has a table of a connection's database ("main") rows? Gives SQLite's code. */
int schema_has_rows(sqlite3 *db, const char *database, const char *table, bool *ret);

#endif
