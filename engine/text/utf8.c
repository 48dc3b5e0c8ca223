/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/text/utf8.h"
#include <string.h>
#include <utf8proc.h>

/* Marks in a row that may need sorting, as in the stream-safe format of UAX 15: more than any
 * language has. Without a limit a text of nothing but marks would take quadratic time. */
enum { MAX_MARKS = 30, MAX_EXPANSION = 18 };

static bool dropped(int ccc)
{
    return (ccc >= 10 && ccc <= 36) || ccc >= 200;
}

static int combining_class(utf8proc_int32_t c)
{
    return c < 0x300 ? 0 : utf8proc_get_property(c)->combining_class;
}

/* Appends one code point to the n that are there, in canonical order. Gives how many there are
 * then. */
static size_t append(utf8proc_int32_t *out, size_t n, utf8proc_int32_t c, unsigned *marks)
{
    int ccc = combining_class(c);
    if (dropped(ccc))
        return n;
    if (!ccc) {
        *marks = 0;
        out[n] = c;
        return n + 1;
    }
    if (*marks == MAX_MARKS)
        return n;
    size_t at = n;
    for (; at > n - *marks && combining_class(out[at - 1]) > ccc; at--)
        out[at] = out[at - 1];
    out[at] = c;
    (*marks)++;
    return n + 1;
}

static size_t fold_ascii(char *out, const char *text, size_t len)
{
    size_t i = 0;
    for (; i < len && (unsigned char)text[i] < 0x80; i++)
        out[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
    return i;
}

/* Folds one code point: decomposition and case folding until nothing changes. */
static size_t fold_one(utf8proc_int32_t c, utf8proc_int32_t out[MAX_EXPANSION])
{
    const utf8proc_option_t how =
        UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
    int boundary = 0;
    utf8proc_ssize_t n = utf8proc_decompose_char(c, out, MAX_EXPANSION, how, &boundary);
    if (n >= 0 && n <= MAX_EXPANSION)
        return (size_t)n;
    out[0] = c;
    return 1;
}

const char *utf8_fold(struct arena *a, const char *text)
{
    size_t len = strlen(text), n = 0, cap = len + 1;
    char *plain = arena_alloc(a, len + 1);
    if (arena_failed(a))
        return "";
    size_t done = fold_ascii(plain, text, len);
    if (done == len) {
        plain[len] = 0;
        return plain;
    }
    /* Sized by what the text decomposes to. */
    utf8proc_int32_t one[MAX_EXPANSION];
    for (size_t i = done; i < len;) {
        unsigned size = utf8_sequence(text + i, len - i);
        if (size > 1)
            cap += fold_one((utf8proc_int32_t)utf8_code_point(text + i, size), one);
        i += size ? size : 1;
    }
    utf8proc_int32_t *points = arena_alloc(a, cap * sizeof *points);
    char *out = arena_alloc(a, cap * 4);
    if (arena_failed(a))
        return "";
    unsigned marks = 0;
    for (size_t i = 0; i < len;) {
        unsigned size = utf8_sequence(text + i, len - i);
        if (size) {
            size_t k = fold_one((utf8proc_int32_t)utf8_code_point(text + i, size), one);
            for (size_t j = 0; j < k; j++)
                n = append(points, n, one[j], &marks);
        }
        i += size ? size : 1;
    }
    utf8proc_ssize_t composed =
        utf8proc_normalize_utf32(points, (utf8proc_ssize_t)n, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (composed >= 0)
        n = (size_t)composed;
    char *p = out;
    for (size_t i = 0; i < n; i++)
        p = utf8_put(p, (unsigned)points[i]);
    *p = 0;
    return out;
}

bool utf8_same(const char *x, const char *y)
{
    size_t nx = strlen(x), ny = strlen(y);
    while (nx && ny) {
        const unsigned kx = utf8_sequence(x, nx), ky = utf8_sequence(y, ny);
        if (!kx || !ky)
            return nx == ny && memcmp(x, y, nx) == 0;
        const unsigned cx = utf8_code_point(x, kx), cy = utf8_code_point(y, ky);
        if (cx != cy && utf8proc_toupper((utf8proc_int32_t)cx) !=
                            utf8proc_toupper((utf8proc_int32_t)cy))
            return false;
        x += kx;
        y += ky;
        nx -= kx;
        ny -= ky;
    }
    return nx == ny;
}

bool utf8_is_word(unsigned c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return true;
    default:
        return false;
    }
}
