/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/core/mime/snippet.h"
#include "engine/base/utf8.h"
#include <string.h>
#include <utf8proc.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

enum kind {
    NOTHING,
    OTHER,
    DIGIT,
    LETTER,
    EXTENDS, /* belongs to the one before: accents, joiners */
    ALONE,   /* of a script without spaces between words */
    KATAKANA,
};

static bool is_whole_word(unsigned c)
{
    return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
           (c >= 0x1780 && c <= 0x17FF) || (c >= 0x3000 && c <= 0x309F) ||
           (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFF01 && c <= 0xFF0F) || (c >= 0x20000 && c <= 0x3FFFF);
}

static enum kind kind_of(unsigned c)
{
    if ((c >= 0x30A0 && c <= 0x30FF) || (c >= 0x31F0 && c <= 0x31FF))
        return KATAKANA;
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
        return EXTENDS;
    case UTF8PROC_CATEGORY_ND:
        return DIGIT;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
        return is_whole_word(c) ? ALONE : LETTER;
    default:
        return is_whole_word(c) ? ALONE : OTHER;
    }
}

static bool in_word(enum kind k)
{
    return k == DIGIT || k == LETTER;
}

/* Without spaces between words, so that a line end is none either. */
static bool unspaced(enum kind k)
{
    return k == ALONE || k == KATAKANA;
}

/* Whether it belongs to the word when it is between these two. */
static bool joins(unsigned c, enum kind before, enum kind after)
{
    if (c == '.' || c == '\'' || c == 0x2019)
        return before == after;
    if (c == ':' || c == 0xB7)
        return before == LETTER && after == LETTER;
    return (c == ',' || c == ';') && before == DIGIT && after == DIGIT;
}

static size_t width(unsigned c)
{
    switch (c) {
    case '<':
    case '>':
        return sizeof "&lt;" - 1;
    case '&':
        return sizeof "&amp;" - 1;
    case '\'':
        return sizeof "&#39;" - 1;
    case '"':
        return sizeof "&quot;" - 1;
    default:
        return 1;
    }
}

/* The kind of the character at a place; NOTHING at the end. */
static enum kind kind_at(const char *text, size_t len, size_t at)
{
    unsigned n = at < len ? utf8_sequence(text + at, len - at) : 0;
    return n ? kind_of(utf8_code_point(text + at, n)) : NOTHING;
}

void mail_snippet_add(struct mail_snippet *s, const char *text, size_t len)
{
    bool blank = s->len > 0, line = true;
    if (!s->len && len >= 3 && memcmp(text, BYTE_ORDER_MARK, 3) == 0) {
        text += 3;
        len -= 3;
    }
    for (size_t i = 0, n; i < len && !s->full; i += n) {
        n = utf8_sequence(text + i, len - i);
        unsigned c = n ? utf8_code_point(text + i, (unsigned)n) : ' ';
        n += !n;
        if (c <= ' ' || c == 127) {
            line = (blank && line) || c == '\n';
            blank = s->len > 0;
            continue;
        }
        enum kind k = kind_of(c), before = (enum kind)s->before;
        if (blank && line && unspaced(before) && unspaced(k))
            blank = false;
        bool inner = !blank && in_word(before) && joins(c, before, kind_at(text, len, i + n));
        if (blank || (k != EXTENDS && !inner && !s->inner && !(in_word(k) && in_word(before)) &&
                      !(k == KATAKANA && before == KATAKANA)))
            s->cut = s->len;
        if (s->chars + blank + width(c) > SNIPPET_MAX) {
            s->full = true;
            s->len = s->cut ? s->cut : s->len;
            break;
        }
        if (blank)
            s->text[s->len++] = ' ';
        memcpy(s->text + s->len, text + i, n);
        s->len += n;
        s->chars += blank + width(c);
        s->before = k == EXTENDS ? s->before : (int)k;
        s->inner = inner;
        blank = line = false;
    }
}
