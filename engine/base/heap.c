/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/heap.h"
#include <stdint.h>
#include <stdlib.h>

void *heap_grow(void *list, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return list;
    size_t more = *cap ? *cap * 2 : 16;
    void *new = more > SIZE_MAX / size ? NULL : realloc(list, more * size);
    if (new)
        *cap = more;
    return new;
}
