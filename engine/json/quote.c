/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document as the content of a string. Quotes are everywhere in it, so that a jump for each would
 * be mispredicted: eight bytes become up to sixteen by one shuffle, which a table has for each
 * pattern of marks. Processors without it go from mark to mark.
 */
#include "engine/json/quote.h"
#include "engine/json/scan.h"
#if defined(__SSE2__) && (defined(__x86_64__) || defined(__i386__))
#include <pthread.h>
#include <tmmintrin.h>
#define SHUFFLES
#endif

static char *put_bytes(char *p, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        *p = '\\';
        p += c == '"' || c == '\\';
        *p++ = c;
    }
    return p;
}

/* A step of text, in runs that begin with what needs an escape; less than a step behind the text
 * is read, and behind its copy written. */
static inline char *put_step(char *p, const char *text)
{
    unsigned from = 0;
    for (scan_bits marks = scan_quotes(text); marks; marks &= marks - 1) {
        unsigned at = scan_bit(marks);
        memcpy(p, text + from, SCAN_STEP);
        p += at - from;
        *p++ = '\\';
        from = at;
    }
    memcpy(p, text + from, SCAN_STEP);
    return p + SCAN_STEP - from;
}

char *quote_put_steps(char *p, const char *text, size_t n)
{
    for (; n >= 2 * SCAN_STEP; text += SCAN_STEP, n -= SCAN_STEP)
        p = put_step(p, text);
    return put_bytes(p, text, n);
}

#ifdef SHUFFLES
/* Of eight bytes of which those of the mask are marked: where each byte of the result comes from,
 * 8 for a backslash; and how many there are. */
static uint8_t places[256][16], lengths[256];

static void fill(void)
{
    for (unsigned mask = 0; mask < 256; mask++) {
        uint8_t n = 0;
        for (uint8_t i = 0; i < 8; i++) {
            if (mask >> i & 1)
                places[mask][n++] = 8;
            places[mask][n++] = i;
        }
        lengths[mask] = n;
    }
}

__attribute__((target("ssse3"))) static inline char *put_half(char *p, __m128i half, unsigned mask)
{
    __m128i at = _mm_loadu_si128((const __m128i *)(const void *)places[mask]);
    _mm_storeu_si128((__m128i *)(void *)p, _mm_shuffle_epi8(half, at));
    return p + lengths[mask];
}

__attribute__((target("ssse3"))) static char *put_shuffled(char *p, const char *text, size_t n)
{
    const __m128i backslash = _mm_set1_epi8('\\');
    for (; n >= 16; text += 16, n -= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)text);
        unsigned marks = scan_quotes(text);
        p = put_half(p, _mm_unpacklo_epi64(v, backslash), marks & 0xFF);
        p = put_half(p, _mm_unpackhi_epi64(v, backslash), marks >> 8);
    }
    return put_bytes(p, text, n);
}
#endif

char *quote_put(char *p, const char *text, size_t n)
{
#ifdef SHUFFLES
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (__builtin_cpu_supports("ssse3")) {
        pthread_once(&once, fill);
        return put_shuffled(p, text, n);
    }
#endif
    return quote_put_steps(p, text, n);
}
