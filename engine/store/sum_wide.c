/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of a piece of a page by instructions that not each processor has: a build for all of
 * them has the narrow ones alone. The numbers are the same. */
#include "engine/store/sum_wide.h"
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t sum_wide(const uint8_t *data, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, n, seed);
}

bool sum_is_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
uint64_t sum_wide(const uint8_t *data, size_t n, uint64_t seed)
{
    (void)data;
    (void)n;
    (void)seed;
    return 0;
}

bool sum_is_wide(void)
{
    return false;
}
#endif
