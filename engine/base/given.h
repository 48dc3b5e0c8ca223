/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of blobs that callers have, so that what they free is one of them and was not freed
 * before. */
#ifndef SOSIA_BASE_GIVEN_H
#define SOSIA_BASE_GIVEN_H

#include <stddef.h>

/* Remembers that a caller has these bytes of malloc(). -1: no memory. */
int given_add(const void *data, size_t len);
/* Forgets them. -1: nobody has bytes there of this length. */
int given_take(const void *data, size_t len);

#endif
