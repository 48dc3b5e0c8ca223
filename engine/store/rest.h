/* SPDX-License-Identifier: Apache-2.0 */
/* What is given back after work that is long and rare, and would else be kept for the next. */
#ifndef SOSIA_STORE_REST_H
#define SOSIA_STORE_REST_H

#include "engine/store/page.h"
#include "engine/store/slot.h"

/* Between transactions: what the connection can make anew, its statements and the pages that it has
 * cached. */
void slot_rest(struct slot *s);
/* Free pages that are kept for the thread, and the chunk that is kept for all. */
void store_rest(struct store *s);

#endif
