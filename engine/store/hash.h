/* SPDX-License-Identifier: Apache-2.0 */
/* The content hash of a version of a database. */
#ifndef SOSIA_STORE_HASH_H
#define SOSIA_STORE_HASH_H

#include "engine/store/page.h"

/* SHA-256 of the content: equal content gives an equal hash, whatever is shared with whom. The
 * schema cookie, the change counters and the version of SQLite in the header don't count. The first
 * hash on a base reads all of it; then the cost follows the private pages. */
int tree_hash(const struct tree *t, uint8_t ret_hash[32], struct sosia_err *err);

#endif
