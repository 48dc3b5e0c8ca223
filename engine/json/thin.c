/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/json/thin.h"
#include <stdbool.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The same by bytes. *escaped: what comes first is behind a backslash. */
static const char *end_within(const char *p, const char *end, bool *escaped)
{
    for (; p < end; p++) {
        if (*escaped)
            *escaped = false;
        else if (*p == '"')
            return p;
        else
            *escaped = *p == '\\';
    }
    return end;
}

/* The closing quote of a string, from behind its opening one on; end: there is none. JSON inside
 * has a backslash before each quote: such are passed over sixteen bytes at a time. */
static const char *string_end(const char *p, const char *end)
{
    bool escaped = false;
#if defined(__SSE2__)
    for (; end - p >= 16; p += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        const unsigned quotes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
        const unsigned slashes =
            (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
        const unsigned behind = slashes << 1 | escaped;
        if (slashes & behind) { /* one that is escaped itself */
            const char *found = end_within(p, p + 16, &escaped);
            if (found < p + 16)
                return found;
            continue;
        }
        if (quotes & ~behind)
            return p + __builtin_ctz(quotes & ~behind);
        escaped = slashes >> 15 & 1;
    }
#endif
    return end_within(p, end, &escaped);
}

/* Behind a value. */
static const char *value_end(const char *p, const char *end)
{
    unsigned depth = 0;
    for (; p < end; p++) {
        if (*p == '"') {
            p = string_end(p + 1, end);
            if (p == end)
                return end;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (!depth)
                return p;
            depth--;
        } else if (*p == ',' && !depth) {
            return p;
        }
    }
    return end;
}

/* Takes a comma back that has no member behind it any more, and what is between. */
static void take_comma(struct buf *out, size_t begin)
{
    size_t n = out->len;
    while (n > begin && memchr(" \t\r\n", out->data[n - 1], 4))
        n--;
    if (n > begin && out->data[n - 1] == ',')
        out->len = n - 1;
}

static bool is_name(const char *key, const char *close, const char *name)
{
    const size_t n = (size_t)(close - key);
    return name && strlen(name) == n && memcmp(key, name, n) == 0;
}

void json_thin(struct buf *out, const char *text, size_t n, unsigned depth, const char *name,
               const char *whole)
{
    const char *p = text, *from = text, *end = text + n;
    const size_t begin = out->len;
    unsigned at = 0;
    bool within = false; /* what is whole */
    while (p < end) {
        if (*p != '"') {
            at += *p == '{' || *p == '[';
            at -= at && (*p == '}' || *p == ']');
            p++;
            continue;
        }
        const char *key = p + 1, *close = string_end(key, end);
        p = close < end ? close + 1 : end;
        if (p >= end || *p != ':')
            continue;
        if (at + 1 == depth)
            within = is_name(key, close, whole);
        if (at != depth || within || !is_name(key, close, name))
            continue;
        p = value_end(p + 1, end);
        buf_add(out, from, (size_t)(key - 1 - from));
        if (p < end && *p == ',')
            p++;
        else
            take_comma(out, begin);
        from = p;
    }
    buf_add(out, from, (size_t)(end - from));
}
