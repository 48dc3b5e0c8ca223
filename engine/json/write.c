/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer. Each value makes room once for itself, its key and its indentation and is then stored
 * without further checks; only text that needs escapes makes room again.
 */
#include "engine/json/json.h"
#include "engine/base/utf8.h"
#include "engine/json/build.h"
#include "engine/json/quote.h"
#include "engine/json/scan.h"
#include "engine/text/civil.h"
#include <assert.h>

enum {
    SEPARATORS = 8,    /* comma, newline, quotes, colon and space, newline at the end */
    INDENT = 16,       /* spaces that are written at once, though fewer may be needed */
    ESCAPE_PART = 4096 /* bytes of text for which there is room if each is escaped */
};

/* ---- strings ---- */

#define PLAIN8  0, 0, 0, 0, 0, 0, 0, 0
#define PLAIN32 PLAIN8, PLAIN8, PLAIN8, PLAIN8
#define ALWAYS8 1, 1, 1, 1, 1, 1, 1, 1

/* clang-format off */
/* 1: needs an escape; 2: needs one with escape_html, or starts a sequence that may. */
static const uint8_t needs[256] = {
    ALWAYS8, ALWAYS8, ALWAYS8, ALWAYS8,
    0, 0, 1, 0, 0, 0, 0, 0, PLAIN8, PLAIN8, 0, 0, 0, 0, 2, 0, 2, 0, /* " < > */
    PLAIN8, PLAIN8, PLAIN8, 0, 0, 0, 0, 1, 0, 0, 0,                 /* backslash */
    PLAIN8, PLAIN8, PLAIN8, 0, 0, 0, 0, 0, 0, 0, 2,                 /* DEL */
    PLAIN32, PLAIN32,                                               /* continuation bytes */
    0, 0, 2, 0, 0, 0, 0, 0, PLAIN8,                                 /* C2 */
    PLAIN8, 2, 0, 0, 2, 2, 0, 0, 0,                                 /* D8 DB DC */
    0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,                 /* E1 E2 EF */
    2, 0, 0, 2, 0, 0, 0, 0, PLAIN8,                                 /* F0 F3 */
};
/* clang-format on */

/* The characters beyond ASCII that escape_html escapes. */
static bool format_character(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x603},     {0x6DD, 0x6DD},
        {0x70F, 0x70F},     {0x17B4, 0x17B5},   {0x200B, 0x200F},   {0x2028, 0x202E},
        {0x2060, 0x2064},   {0x206A, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},
        {0x1D173, 0x1D17A}, {0xE0001, 0xE0001}, {0xE0020, 0xE007F},
    };
    for (size_t i = 0; i < SOSIA_LEN(ranges) && c >= ranges[i].first; i++)
        if (c <= ranges[i].last)
            return true;
    return false;
}

/* Copies the end of n bytes, less than a step, in one piece with the bytes before it; false when
 * something in that is marked. */
static inline bool copy_rest(char *dst, const char *src, size_t n, bool html)
{
    if (n >= SCAN_STEP)
        return scan_copy(dst + n - SCAN_STEP, src + n - SCAN_STEP, html) == SCAN_STEP;
    return n >= 4 && scan_copy_short(dst, src, n, html);
}

/* Copies bytes that need no escape, up to n; gives how many. dst has room for n. */
static inline size_t copy_plain_as(char *dst, const char *src, size_t n, bool html)
{
    size_t i = 0;
    uint8_t mask = html ? 3 : 1;
    while (n - i >= SCAN_STEP) {
        unsigned clean = scan_copy(dst + i, src + i, html);
        i += clean;
        if (clean == SCAN_STEP)
            continue;
        /* Text beyond ASCII comes in runs. */
        do {
            if (needs[(unsigned char)src[i]] & mask)
                return i;
            dst[i] = src[i];
            i++;
        } while (i < n && (unsigned char)src[i] >= 0x80);
    }
    if (i == n || copy_rest(dst, src, n, html))
        return n;
    for (; i < n && !(needs[(unsigned char)src[i]] & mask); i++)
        dst[i] = src[i];
    return i;
}

static size_t copy_plain(char *dst, const char *src, size_t n, bool html)
{
    return html ? copy_plain_as(dst, src, n, true) : copy_plain_as(dst, src, n, false);
}

static char *put_u(char *p, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    *p++ = '\\';
    *p++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
        *p++ = hex[unit >> shift & 15];
    return p;
}

/* Writes the character at s, at most 12 bytes; gives the place behind it in the text. */
static const char *put_escaped(char **out, const char *s, size_t n)
{
    static const char shorts[] = "btn?fr"; /* from 8 on */
    unsigned char c = (unsigned char)*s;
    char *p = *out;
    unsigned len = c < 0x80 ? 1 : utf8_sequence(s, n);
    if (c == '"' || c == '\\' || (c >= 8 && c <= 13 && c != 11)) {
        *p++ = '\\';
        *p++ = c < 32 ? shorts[c - 8] : (char)c;
    } else if (len == 1) {
        p = put_u(p, c);
    } else {
        uint32_t v = len ? utf8_code_point(s, len) : 0;
        if (format_character(v)) {
            if (v > 0xFFFF)
                p = put_u(p, 0xD7C0 + (v >> 10));
            p = put_u(p, v > 0xFFFF ? 0xDC00 | (v & 0x3FF) : v);
        } else {
            len = len ? len : 1;
            memcpy(p, s, len);
            p += len;
        }
    }
    *out = p;
    return s + len;
}

/* Text that needs an escape somewhere; leaves `room` bytes free behind it. */
static char *add_escaped(struct json_writer *w, const char *s, size_t n, size_t room)
{
    struct buf *b = w->out;
    const char *end = s + n;
    for (;;) {
        size_t left = (size_t)(end - s), part = left < ESCAPE_PART ? left : ESCAPE_PART;
        size_t need = left + part + SCAN_STEP + 12 + room;
        if (need > b->cap - b->len && !buf_grow(b, need))
            return NULL;
        char *p = b->data + b->len;
        if (!w->escape_html)
            s += scan_copy_escaped(&p, s, part);
        size_t plain = copy_plain(p, s, (size_t)(end - s), w->escape_html);
        p += plain;
        s += plain;
        if (s < end)
            s = put_escaped(&p, s, (size_t)(end - s));
        b->len = (size_t)(p - b->data);
        if (s == end)
            return p;
    }
}

/* ---- structure ---- */

/* Whether the mask selects a value at this place, and of a container which children. */
static inline bool wanted(const struct json_writer *w, const char *key, size_t len, bool container,
                          const struct json_mask **ret_below)
{
    if (w->skip)
        return false;
    const struct json_mask *m = w->level[w->depth].mask;
    if (m && key)
        m = json_mask_child(m, key, len & ~JSON_LITERAL);
    else if (!m)
        return true;
    if (!m || (!container && !json_mask_all(m)))
        return false;
    *ret_below = json_mask_all(m) ? NULL : m;
    return true;
}

/* A newline and the spaces of a level; there is room for INDENT of them. */
static inline char *put_line(char *p, unsigned depth)
{
    static const char blanks[INDENT + 1] = "                ";
    *p++ = '\n';
    if (__builtin_expect(2 * depth <= INDENT, 1))
        memcpy(p, blanks, INDENT);
    else
        memset(p, ' ', 2 * (size_t)depth);
    return p + 2 * (size_t)depth;
}

/* Bytes that need no look, few of them mostly. */
static inline char *put(char *p, const char *s, size_t n)
{
    if (n - 4 <= 12) {
        size_t part = n < 8 ? 4 : 8;
        if (part == 8) {
            memcpy(p, s, 8);
            memcpy(p + n - 8, s + n - 8, 8);
        } else {
            memcpy(p, s, 4);
            memcpy(p + n - 4, s + n - 4, 4);
        }
    } else {
        memcpy(p, s, n);
    }
    return p + n;
}

/* For assertions. */
static inline bool is_plain(const char *s, size_t n)
{
    while (n && !needs[(unsigned char)s[n - 1]])
        n--;
    return !n;
}

/* A key up to its closing quote. NULL: the buffer has failed. */
static char *put_key(struct json_writer *w, char *p, const char *key, size_t len, size_t room)
{
    size_t plain = copy_plain(p, key, len, w->escape_html);
    p += plain;
    if (plain == len)
        return p;
    w->out->len = (size_t)(p - w->out->data);
    return add_escaped(w, key + plain, len - plain, SEPARATORS + room);
}

/* Comma, indentation and key; gives the place of the value, with room for `room` bytes and a
 * newline. */
static inline __attribute__((always_inline)) char *begin(struct json_writer *w, const char *key,
                                                         size_t key_len, size_t room)
{
    struct buf *b = w->out;
    size_t len = key_len & ~JSON_LITERAL;
    size_t need = SEPARATORS + INDENT + 2 * (size_t)w->depth + len + room;
    assert(!w->depth || (key != NULL) == (w->level[w->depth].close == '}'));
    if (need > b->cap - b->len && !buf_grow(b, need))
        return NULL;
    char *p = b->data + b->len;
    if (!w->depth)
        return p;
    if (w->level[w->depth].filled)
        *p++ = ',';
    w->level[w->depth].filled = true;
    if (w->pretty)
        p = put_line(p, w->depth);
    if (!key)
        return p;
    *p++ = '"';
    assert(!(key_len & JSON_LITERAL) || is_plain(key, len));
    p = key_len & JSON_LITERAL ? put(p, key, len) : put_key(w, p, key, len, room);
    if (!p)
        return NULL;
    *p++ = '"';
    *p++ = ':';
    if (w->pretty)
        *p++ = ' ';
    return p;
}

/* Behind a value that ends at p. */
static inline void finish(struct json_writer *w, char *p)
{
    if (w->pretty && !w->depth)
        *p++ = '\n';
    w->out->len = (size_t)(p - w->out->data);
}

void json_init(struct json_writer *w, struct buf *out, bool pretty, const struct json_mask *mask)
{
    w->out = out;
    w->pretty = pretty;
    w->escape_html = false;
    w->depth = 0;
    w->skip = 0;
    w->build = NULL;
    w->level[0].close = 0;
    w->level[0].filled = false;
    w->level[0].mask = json_mask_all(mask) ? NULL : mask;
}

void json_init_build(struct json_writer *w, struct json_builder *build, struct buf *out)
{
    json_init(w, out, false, NULL);
    w->skip = 1; /* nothing is written */
    w->build = build;
}

static inline bool is_building(const struct json_writer *w)
{
    return w->build && w->skip == 1;
}

void json_open(struct json_writer *w, const char *key, size_t len, char open, char close)
{
    const struct json_mask *below = NULL;
    if (!wanted(w, key, len, true, &below)) {
        if (!is_building(w) ||
            !json_built_open(w, key, len, open == '{' ? JSON_OBJECT : JSON_ARRAY))
            w->skip++;
        return;
    }
    if (w->depth == JSON_DEPTH) {
        w->out->failed = true;
        w->skip++;
        return;
    }
    char *p = begin(w, key, len, 1);
    if (p) {
        *p++ = open;
        w->out->len = (size_t)(p - w->out->data);
    }
    w->depth++;
    w->level[w->depth].close = close;
    w->level[w->depth].filled = false;
    w->level[w->depth].mask = below;
}

void json_end(struct json_writer *w)
{
    struct buf *b = w->out;
    if (w->skip) {
        if (is_building(w))
            json_built_end(w);
        else
            w->skip--;
        return;
    }
    assert(w->depth);
    char close = w->level[w->depth].close;
    bool filled = w->level[w->depth].filled;
    w->depth--;
    size_t need = SEPARATORS + INDENT + 2 * (size_t)w->depth;
    if (need > b->cap - b->len && !buf_grow(b, need))
        return;
    char *p = b->data + b->len;
    if (filled && w->pretty)
        p = put_line(p, w->depth);
    *p++ = close;
    finish(w, p);
}

bool json_wants(const struct json_writer *w, const char *key)
{
    const struct json_mask *below;
    return w->build || wanted(w, key, w->level[w->depth].mask ? strlen(key) : 0, true, &below);
}

/* ---- values ---- */

void json_plain(struct json_writer *w, const char *key, size_t len, const char *text, size_t n)
{
    const struct json_mask *below;
    if (!wanted(w, key, len, false, &below)) {
        if (w->build)
            json_built_plain(w, key, len, text, n);
        return;
    }
    char *p = begin(w, key, len, n);
    if (!p)
        return;
    memcpy(p, text, n);
    finish(w, p + n);
}

void json_item_again(struct json_writer *w, const char *text, size_t n)
{
    const struct json_mask *below;
    if (!wanted(w, NULL, 0, true, &below)) {
        if (w->build)
            json_built_raw(w, NULL, 0, text, n);
        return;
    }
    char *p = begin(w, NULL, 0, n);
    if (!p)
        return;
    memcpy(p, text, n);
    finish(w, p + n);
}

void json_wordn(struct json_writer *w, const char *key, size_t len, const char *s, size_t n)
{
    const struct json_mask *below;
    if (!wanted(w, key, len, false, &below)) {
        if (w->build)
            json_built_text(w, key, len, s, n);
        return;
    }
    char *p = begin(w, key, len, n + 2);
    if (!p)
        return;
    *p++ = '"';
    assert(is_plain(s, n));
    p = put(p, s, n);
    *p++ = '"';
    finish(w, p);
}

void json_text(struct json_writer *w, const char *key, size_t len, const char *s, size_t n)
{
    const struct json_mask *below;
    if (!wanted(w, key, len, false, &below)) {
        if (w->build)
            json_built_text(w, key, len, s, n);
        return;
    }
    char *p = begin(w, key, len, n + 2);
    if (!p)
        return;
    *p++ = '"';
    size_t plain = copy_plain(p, s, n, w->escape_html);
    p += plain;
    if (plain < n) {
        w->out->len = (size_t)(p - w->out->data);
        p = add_escaped(w, s + plain, n - plain, 2);
        if (!p)
            return;
    }
    *p++ = '"';
    finish(w, p);
}

void json_quoted(struct json_writer *w, const char *key, const char *text, size_t n)
{
    const struct json_mask *below;
    struct buf *b = w->out;
    size_t len = key ? strlen(key) : 0;
    if (!wanted(w, key, len, false, &below)) {
        if (w->build)
            json_built_text(w, key, len, text, n);
        return;
    }
    char *p = begin(w, key, len, n + 2);
    if (!p)
        return;
    *p++ = '"';
    while (n) {
        size_t part = n < ESCAPE_PART ? n : ESCAPE_PART, need = n + part + SEPARATORS;
        b->len = (size_t)(p - b->data);
        if (need > b->cap - b->len && !buf_grow(b, need))
            return;
        p = quote_put(b->data + b->len, text, part);
        text += part;
        n -= part;
    }
    *p++ = '"';
    finish(w, p);
}

enum { INT_TEXT = 20 };

/* Writes to the end of text; gives where it starts. */
static char *int_text(char text[INT_TEXT], int64_t v)
{
    char *p = text + INT_TEXT;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        *--p = (char)('0' + u % 10);
        u /= 10;
    } while (u);
    if (v < 0)
        *--p = '-';
    return p;
}

void json_intn(struct json_writer *w, const char *key, size_t len, int64_t v)
{
    char text[INT_TEXT], *p = int_text(text, v);
    json_plain(w, key, len, p, (size_t)(text + INT_TEXT - p));
}

void json_int_str(struct json_writer *w, const char *key, int64_t v)
{
    char text[INT_TEXT], *p = int_text(text, v);
    json_wordn(w, key, key ? strlen(key) : 0, p, (size_t)(text + INT_TEXT - p));
}

static void add_scalar(struct json_writer *w, const char *key, size_t len, const struct json *v)
{
    switch (v->type) {
    case JSON_STRING:
        json_text(w, key, len, v->str, v->n);
        break;
    case JSON_NUMBER:
        json_plain(w, key, len, v->str, v->n);
        break;
    case JSON_BOOL:
        json_plain(w, key, len, v->truth ? "true" : "false", v->truth ? 4 : 5);
        break;
    default:
        json_plain(w, key, len, "null", 4);
    }
}

/* Not recursive: the tree may be as deep as its reader allowed. What the mask leaves out isn't
 * walked. */
void json_value(struct json_writer *w, const char *key, const struct json *v)
{
    struct {
        const struct json *v;
        uint32_t next;
    } open[JSON_DEPTH];
    unsigned n = 0;
    size_t len = key ? strlen(key) : 0;
    for (;;) {
        if (v->type != JSON_ARRAY && v->type != JSON_OBJECT) {
            add_scalar(w, key, len, v);
        } else {
            bool object = v->type == JSON_OBJECT;
            json_open(w, key, len, object ? '{' : '[', object ? '}' : ']');
            if (w->skip && !is_building(w)) {
                json_end(w);
            } else {
                open[n].v = v;
                open[n++].next = 0;
            }
        }
        while (n && open[n - 1].next == open[n - 1].v->n) {
            json_end(w);
            n--;
        }
        if (!n)
            return;
        const struct json *in = open[n - 1].v;
        uint32_t i = open[n - 1].next++;
        if (in->type == JSON_OBJECT) {
            key = in->members[i].key;
            len = in->members[i].key_len;
            v = &in->members[i].value;
        } else {
            key = NULL;
            len = 0;
            v = &in->items[i];
        }
    }
}

void json_value_without(struct json_writer *w, const char *key, const struct json *v,
                        const char *member)
{
    if (v->type != JSON_OBJECT) {
        json_value(w, key, v);
        return;
    }
    json_obj(w, key);
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, member) != 0)
            json_value(w, v->members[i].key, &v->members[i].value);
    json_end(w);
}

const char *json_to_text(struct arena *a, const struct json *v)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_value(&w, NULL, v);
    a->failed |= buf_failed(&b);
    const char *text = arena_memdup(a, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

void json_raw(struct json_writer *w, const char *key, const char *text, size_t n)
{
    const struct json_mask *below = NULL;
    size_t len = key ? strlen(key) : 0;
    if (!wanted(w, key, len, true, &below)) {
        if (w->build)
            json_built_raw(w, key, len, text, n);
        return;
    }
    if (!w->pretty && !w->escape_html && !below) {
        json_plain(w, key, len, text, n);
        return;
    }
    struct arena a;
    struct json_limits limits = {.max_depth = JSON_DEPTH};
    const struct json *v;
    arena_init(&a, 0);
    if (json_parse(&a, text, n, &limits, &v, NULL) == 0)
        json_value(w, key, v);
    else
        json_null(w, key);
    arena_done(&a);
}

/* ---- times ---- */

/* The first and the last microsecond of the years 0001 to 9999. */
#define FIRST_US (INT64_C(-719162) * US_PER_DAY)
#define LAST_US  (INT64_C(2932897) * US_PER_DAY - 1)

void json_time(struct json_writer *w, const char *key, int64_t us, enum json_time form)
{
    static const int digits[] = {[JSON_TIME_S_Z] = 0, [JSON_TIME_MS_Z] = 3, [JSON_TIME_US_Z] = 6};
    char text[STAMP_TEXT];
    if (us < FIRST_US || us > LAST_US) {
        json_null(w, key);
        return;
    }
    size_t n = stamp_format(text, us, 0, digits[form], true);
    json_wordn(w, key, key ? strlen(key) : 0, text, n);
}
