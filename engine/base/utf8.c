/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/utf8.h"
#include <stdint.h>
#include <string.h>

char *utf8_put(char *p, unsigned c)
{
    if (c < 0x80) {
        *p++ = (char)c;
    } else if (c < 0x800) {
        *p++ = (char)(0xC0 | c >> 6);
        *p++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *p++ = (char)(0xE0 | c >> 12);
        *p++ = (char)(0x80 | (c >> 6 & 0x3F));
        *p++ = (char)(0x80 | (c & 0x3F));
    } else {
        *p++ = (char)(0xF0 | c >> 18);
        *p++ = (char)(0x80 | (c >> 12 & 0x3F));
        *p++ = (char)(0x80 | (c >> 6 & 0x3F));
        *p++ = (char)(0x80 | (c & 0x3F));
    }
    return p;
}

bool utf8_valid(const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        uint64_t eight;
        if (len - i >= sizeof eight) {
            memcpy(&eight, text + i, sizeof eight);
            if (!(eight & UINT64_C(0x8080808080808080))) {
                i += sizeof eight;
                continue;
            }
        }
        unsigned n = utf8_sequence(text + i, len - i);
        if (!n)
            return false;
        i += n;
    }
    return true;
}

void utf8_scrub(char *text)
{
    size_t len = strlen(text), kept = 0;
    if (utf8_valid(text, len))
        return;
    for (size_t i = 0; i < len;) {
        unsigned n = utf8_sequence(text + i, len - i);
        for (unsigned k = 0; k < n; k++)
            text[kept++] = text[i + k];
        i += n ? n : 1;
    }
    text[kept] = 0;
}
