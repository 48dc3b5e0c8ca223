/* SPDX-License-Identifier: Apache-2.0 */
/* Lists on the heap. */
#ifndef SOSIA_BASE_HEAP_H
#define SOSIA_BASE_HEAP_H

#include <stddef.h>

/* A list of n elements of size bytes with room for more behind them, as arena_grow(): itself while
 * there is some (*cap: how many it has room for), else where realloc() put it. A list begins as
 * NULL with *cap 0. NULL: there is no memory, and the list is as it was. Its owner frees it. */
void *heap_grow(void *list, size_t n, size_t *cap, size_t size);

#endif
