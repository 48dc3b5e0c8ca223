/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at eight bytes of text at a time; shared by the reader and the writer. */
#ifndef SOSIA_JSON_SCAN_H
#define SOSIA_JSON_SCAN_H

#include <stdint.h>
#include <string.h>

#define SCAN_ONES  UINT64_C(0x0101010101010101)
#define SCAN_HIGHS UINT64_C(0x8080808080808080)

/* The first byte of the text is the lowest of the word. */
static inline uint64_t scan_load(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* In the marks below the lowest one is exact; those above it may be wrong because of borrows. */
static inline uint64_t scan_equal(uint64_t x, unsigned char c)
{
    uint64_t y = x ^ (SCAN_ONES * c);
    return (y - SCAN_ONES) & ~y & SCAN_HIGHS;
}

/* Control characters, quote and backslash: what can't stand in a string as it is. */
static inline uint64_t scan_special(uint64_t x)
{
    uint64_t control = (x - SCAN_ONES * 0x20) & ~x & SCAN_HIGHS;
    return control | scan_equal(x, '"') | scan_equal(x, '\\');
}

static inline unsigned scan_first(uint64_t marks)
{
    return (unsigned)__builtin_ctzll(marks) >> 3;
}

#endif
