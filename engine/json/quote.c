/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document as the content of a string. Quotes and newlines are everywhere in it, so that a jump
 * for each would be mispredicted: eight bytes become up to sixteen by one shuffle, which a table
 * has for each pattern of marks. Where a processor can close gaps between bytes, each of 32 gets a
 * backslash beside it, and those that nothing needs are left out. Others go from mark to mark.
 */
#include "engine/json/quote.h"
#include "engine/base/err.h"
#include "engine/json/scan.h"
#include <pthread.h>
#if defined(__SSE2__) && (defined(__x86_64__) || defined(__i386__))
#include <tmmintrin.h>
#define SHUFFLES
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#define GAPS
#endif

static char *put_bytes(char *p, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        bool line = c == '\n';
        *p = '\\';
        p += c == '"' || c == '\\' || line;
        *p++ = line ? 'n' : c;
    }
    return p;
}

/* What follows a backslash; a run that begins with anything else has no newline. */
static inline void name_first(char *p)
{
    *p = *p == '\n' ? 'n' : *p;
}

/* A bit for each quote, backslash and newline of a step, as scan_quotes() has them. */
static inline scan_bits marks_of(const char *text)
{
#if defined(__SSE2__)
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)text);
    return scan_quotes(text) | (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
#else
    return scan_quotes(text) | scan_zero(scan_load(text) ^ SCAN_ONES * '\n');
#endif
}

/* A step of text, in runs that begin with what needs an escape; less than a step behind the text
 * is read, and behind its copy written. */
static inline char *put_step(char *p, const char *text)
{
    unsigned from = 0;
    for (scan_bits marks = marks_of(text); marks; marks &= marks - 1) {
        unsigned at = scan_bit(marks);
        memcpy(p, text + from, SCAN_STEP);
        name_first(p);
        p += at - from;
        *p++ = '\\';
        from = at;
    }
    memcpy(p, text + from, SCAN_STEP);
    name_first(p);
    return p + SCAN_STEP - from;
}

static char *put_steps(char *p, const char *text, size_t n)
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
        __m128i lines = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
        unsigned marks = scan_quotes(text) | (unsigned)_mm_movemask_epi8(lines);
        v = _mm_xor_si128(v, _mm_and_si128(lines, _mm_set1_epi8('\n' ^ 'n')));
        p = put_half(p, _mm_unpacklo_epi64(v, backslash), marks & 0xFF);
        p = put_half(p, _mm_unpackhi_epi64(v, backslash), marks >> 8);
    }
    return put_bytes(p, text, n);
}
#endif

#ifdef GAPS
#define WIDE "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,popcnt"

/* 64 bytes are written at a time, of which those count that are kept; as many are there, since 32
 * of the text are left. */
__attribute__((target(WIDE))) static char *put_without_gaps(char *p, const char *text, size_t n)
{
    const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
    const __m512i before = _mm512_set1_epi16('\\');
    for (; n >= 32; text += 32, n -= 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)text);
        __mmask32 lines = _mm256_cmpeq_epi8_mask(v, _mm256_set1_epi8('\n'));
        uint32_t marks =
            _mm256_cmpeq_epi8_mask(v, quote) | _mm256_cmpeq_epi8_mask(v, backslash) | lines;
        v = _mm256_mask_mov_epi8(v, lines, _mm256_set1_epi8('n'));
        __m512i pairs = _mm512_or_si512(_mm512_slli_epi16(_mm512_cvtepu8_epi16(v), 8), before);
        uint64_t kept =
            _pdep_u64(marks, UINT64_C(0x5555555555555555)) | UINT64_C(0xAAAAAAAAAAAAAAAA);
        _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(kept, pairs));
        p += 32 + __builtin_popcount(marks);
    }
    return put_shuffled(p, text, n);
}

static bool can_close_gaps(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
}
#endif

typedef char *quote_way(char *p, const char *text, size_t n);

static quote_way *ways[3]; /* the best one first */

static void choose(void)
{
    quote_way **end = ways;
#ifdef SHUFFLES
    fill();
#ifdef GAPS
    if (can_close_gaps())
        *end++ = put_without_gaps;
#endif
    if (__builtin_cpu_supports("ssse3"))
        *end++ = put_shuffled;
#endif
    *end = put_steps;
}

static quote_way *way(unsigned i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return i < SOSIA_LEN(ways) ? ways[i] : NULL;
}

/* Whether a byte is beyond ASCII or a control character but a newline. */
static inline bool is_other(unsigned char c)
{
    return c >= 0x80 || (c < 0x20 && c != '\n');
}

bool quote_suits(const char *text, size_t n)
{
#if defined(__SSE2__)
    __m128i others = _mm_setzero_si128();
    for (; n >= 16; text += 16, n -= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)text);
        __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); /* with all beyond ASCII */
        others =
            _mm_or_si128(others, _mm_andnot_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')), low));
    }
    bool any = _mm_movemask_epi8(others) != 0;
#else
    bool any = false;
#endif
    for (; n; text++, n--)
        any |= is_other((unsigned char)*text);
    return !any;
}

char *quote_put(char *p, const char *text, size_t n)
{
    return way(0)(p, text, n);
}

char *quote_put_by(unsigned i, char *p, const char *text, size_t n)
{
    return way(i) ? way(i)(p, text, n) : NULL;
}
