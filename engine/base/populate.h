/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_BASE_POPULATE_H
#define SOSIA_BASE_POPULATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Memory that was just got and will be written to its end soon: the system brings its pages at
 * once, which takes a fraction of as many faults. What is on the pages at its edges is left. A
 * system that can't brings them one by one as ever. */
static inline void populate(void *p, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = 4096, from = ((uintptr_t)p + page - 1) & ~(page - 1),
                    end = ((uintptr_t)p + n) & ~(page - 1);
    if (end > from)
        (void)madvise((void *)from, end - from, MADV_POPULATE_WRITE);
#else
    (void)p;
    (void)n;
#endif
}

#endif
