/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/json/thin.h"
#include "engine/json/scan.h"
#include <string.h>

/* The closing quote of a string, from behind its opening one on; end: there is none. */
static const char *string_end(const char *p, const char *end)
{
    while (p < end) {
        if (end - p >= SCAN_STEP) {
            const scan_bits found = scan_quotes(p);
            if (!found) {
                p += SCAN_STEP;
                continue;
            }
            p += scan_bit(found);
        } else if (*p != '"' && *p != '\\') {
            p++;
            continue;
        }
        if (*p == '"')
            return p;
        p = end - p > 2 ? p + 2 : end;
    }
    return end;
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

void json_thin(struct buf *out, const char *text, size_t n, unsigned depth, const char *name)
{
    const char *p = text, *from = text, *end = text + n;
    const size_t len = strlen(name);
    unsigned at = 0;
    while (p < end) {
        if (*p != '"') {
            at += *p == '{' || *p == '[';
            at -= at && (*p == '}' || *p == ']');
            p++;
            continue;
        }
        const char *key = p + 1, *close = string_end(key, end);
        p = close < end ? close + 1 : end;
        if (at != depth || p >= end || *p != ':' || (size_t)(close - key) != len ||
            memcmp(key, name, len) != 0)
            continue;
        p = value_end(p + 1, end);
        const char *to = key - 1;
        if (p < end && *p == ',')
            p++;
        else if (to > from && to[-1] == ',')
            to--;
        buf_add(out, from, (size_t)(to - from));
        from = p;
    }
    buf_add(out, from, (size_t)(end - from));
}
