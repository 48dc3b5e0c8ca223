/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at eight bytes of text at a time, or sixteen; shared by the reader and the writer. */
#ifndef SOSIA_JSON_SCAN_H
#define SOSIA_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* Control characters, quote and backslash: what must be escaped in a string. */
static inline uint64_t scan_special(uint64_t x)
{
    uint64_t control = (x - SCAN_ONES * 0x20) & ~x & SCAN_HIGHS;
    return control | scan_equal(x, '"') | scan_equal(x, '\\');
}

/* The place of the lowest mark, 0 to 7; there must be one. */
static inline unsigned scan_first(uint64_t marks)
{
    return (unsigned)__builtin_ctzll(marks) >> 3;
}

/* ---- copying up to what needs an escape ---- */

/* Both copy text and say what of it is marked: what must be escaped in a string and, with html, all
 * beyond ASCII, DEL, '<' and '>'. scan_copy() copies SCAN_STEP bytes and gives how many come before
 * the first marked one; scan_copy_short() copies n bytes, from four up to SCAN_STEP, and gives
 * whether none is. scan_copy_ascii() is scan_copy() with all beyond ASCII marked, and no more. */
/* scan_quotes() gives a bit for each quote and backslash of SCAN_STEP bytes, scan_bit() the place
 * of the lowest. */
#if defined(__SSE2__)
#define SCAN_STEP 16

typedef unsigned scan_bits;

static inline scan_bits scan_quotes(const char *src)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)src);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}

static inline unsigned scan_bit(scan_bits bits)
{
    return (unsigned)__builtin_ctz(bits);
}

static inline unsigned scan_marks(__m128i v, bool html)
{
    __m128i marks;
    if (html) { /* as signed numbers, bytes beyond ASCII are below the control characters */
        marks = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
        marks = _mm_or_si128(marks,
                             _mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(2)), _mm_set1_epi8('>')));
        marks = _mm_or_si128(marks, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7F)));
    } else {
        marks = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    }
    marks = _mm_or_si128(marks, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    marks = _mm_or_si128(marks, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(marks);
}

static inline unsigned scan_copy(char *dst, const char *src, bool html)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)src);
    _mm_storeu_si128((__m128i *)(void *)dst, v);
    return (unsigned)__builtin_ctz(scan_marks(v, html) | 1u << 16);
}

static inline unsigned scan_copy_ascii(char *dst, const char *src)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)src);
    _mm_storeu_si128((__m128i *)(void *)dst, v);
    return (unsigned)__builtin_ctz(scan_marks(v, false) | (unsigned)_mm_movemask_epi8(v) |
                                   1u << 16);
}

static inline bool scan_copy_short(char *dst, const char *src, size_t n, bool html)
{
    if (n >= 8) {
        int64_t head, tail;
        memcpy(&head, src, 8);
        memcpy(&tail, src + n - 8, 8);
        memcpy(dst, &head, 8);
        memcpy(dst + n - 8, &tail, 8);
        return !scan_marks(_mm_set_epi64x(tail, head), html);
    }
    int32_t head, tail;
    memcpy(&head, src, 4);
    memcpy(&tail, src + n - 4, 4);
    memcpy(dst, &head, 4);
    memcpy(dst + n - 4, &tail, 4);
    return !scan_marks(_mm_set_epi32(tail, tail, head, head), html);
}

/* Whether all that is marked, of it without html, has an escape of two characters: quote,
 * backslash, tab, newline and carriage return. */
static inline bool scan_only_short(__m128i v, unsigned marks)
{
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    __m128i named = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
    named = _mm_or_si128(named, _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
    named = _mm_or_si128(named, _mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
    return !(marks & (unsigned)_mm_movemask_epi8(_mm_andnot_si128(named, control)));
}

/* Copies steps of text with escapes of two characters, until less than two steps are left or one
 * has something else to escape. *dst, which goes on, has room for 2 n + SCAN_STEP bytes. Gives how
 * many bytes of the text are done. */
static inline size_t scan_copy_escaped(char **dst, const char *src, size_t n)
{
    char *p = *dst;
    size_t i = 0;
    for (; n - i >= 2 * SCAN_STEP; i += SCAN_STEP) {
        const char *s = src + i, *end = s + SCAN_STEP;
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
        unsigned marks = scan_marks(v, false);
        if (marks && !scan_only_short(v, marks))
            break;
        memcpy(p, s, SCAN_STEP);
        for (; marks; marks &= marks - 1) {
            const char *at = src + i + __builtin_ctz(marks);
            p += at - s;
            *p++ = '\\';
            *p++ = *at == '\n' ? 'n' : *at == '\r' ? 'r' : *at == '\t' ? 't' : *at;
            s = at + 1;
            memcpy(p, s, SCAN_STEP);
        }
        p += end - s;
    }
    *dst = p;
    return i;
}
#else
#define SCAN_STEP 8

typedef uint64_t scan_bits;

/* The marks of bytes that are zero, all exact. */
static inline uint64_t scan_zero(uint64_t x)
{
    uint64_t low = (x & ~SCAN_HIGHS) + ~SCAN_HIGHS;
    return ~(low | x | ~SCAN_HIGHS);
}

static inline scan_bits scan_quotes(const char *src)
{
    uint64_t x = scan_load(src);
    return scan_zero(x ^ SCAN_ONES * '"') | scan_zero(x ^ SCAN_ONES * '\\');
}

static inline unsigned scan_bit(scan_bits bits)
{
    return scan_first(bits);
}

static inline uint64_t scan_marks(uint64_t x, bool html)
{
    uint64_t marks = scan_special(x);
    if (html)
        marks |= scan_equal(x | SCAN_ONES * 2, '>') | (x & SCAN_HIGHS) | scan_equal(x, 0x7F);
    return marks;
}

static inline unsigned scan_copy(char *dst, const char *src, bool html)
{
    uint64_t marks = scan_marks(scan_load(src), html);
    memcpy(dst, src, 8);
    return marks ? scan_first(marks) : 8;
}

static inline unsigned scan_copy_ascii(char *dst, const char *src)
{
    uint64_t x = scan_load(src), marks = scan_special(x) | (x & SCAN_HIGHS);
    memcpy(dst, src, 8);
    return marks ? scan_first(marks) : 8;
}

static inline bool scan_copy_short(char *dst, const char *src, size_t n, bool html)
{
    uint32_t head, tail;
    memcpy(&head, src, 4);
    memcpy(&tail, src + n - 4, 4);
    memcpy(dst, &head, 4);
    memcpy(dst + n - 4, &tail, 4);
    return !scan_marks((uint64_t)head << 32 | tail, html);
}

static inline size_t scan_copy_escaped(char **dst, const char *src, size_t n)
{
    (void)dst;
    (void)src;
    (void)n;
    return 0;
}
#endif

#endif
