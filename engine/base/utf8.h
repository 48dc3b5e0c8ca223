/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 (RFC 3629): validity, and cutting at a size. */
#ifndef SOSIA_BASE_UTF8_H
#define SOSIA_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed sequence that starts at p, of which n > 0 bytes are there; 0 when it is
 * none. */
static inline unsigned utf8_sequence(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80)
        return 1;
    if (n < 2 || p[0] < 0xC2 || (p[1] & 0xC0) != 0x80)
        return 0;
    if (p[0] < 0xE0)
        return 2;
    if (n < 3 || (p[2] & 0xC0) != 0x80)
        return 0;
    if (p[0] < 0xF0) /* no overlong form, no surrogate */
        return (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ? 0 : 3;
    if (n < 4 || p[0] > 0xF4 || (p[3] & 0xC0) != 0x80)
        return 0;
    return (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F) ? 0 : 4;
}

/* The code point of a well-formed sequence of n bytes. */
static inline unsigned utf8_code_point(const char *text, unsigned n)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned c = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    for (unsigned i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3F);
    return c;
}

/* Writes a code point (no surrogate, at most 0x10FFFF) to p, at most 4 bytes; gives the end. */
char *utf8_put(char *p, unsigned c);

/* A NUL is a character like others here. */
bool utf8_valid(const char *text, size_t len);

/* The largest length, at most max, at which valid text of len bytes can be cut between two code
 * points. */
static inline size_t utf8_truncate(const char *text, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max && ((unsigned char)text[max] & 0xC0) == 0x80)
        max--;
    return max;
}

/* Code points of valid text. */
static inline size_t utf8_count(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

/* Takes every byte out of a NUL-terminated text that is not part of a well-formed sequence. */
void utf8_scrub(char *text);

#endif
