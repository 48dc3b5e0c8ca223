/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/search/words.h"
#include "engine/text/utf8.h"

#define CHUNK     16384 /* bytes that are folded at a time */
#define WHOLE_MAX 320

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_plain(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool words_is_whole(unsigned c)
{
    static const struct {
        unsigned from, to;
    } ranges[] = {{0x0E00, 0x0EFF}, {0x1000, 0x109F}, {0x1780, 0x17FF}, {0x3040, 0x30FF},
                  {0x31F0, 0x31FF}, {0x3400, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x3FFFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (c >= ranges[i].from && c <= ranges[i].to)
            return true;
    return false;
}

struct writer {
    struct buf *out;
    size_t word; /* bytes of the word that is open; 0: none is */
    size_t n;
};

static void add(struct writer *w, const char *p, unsigned n)
{
    if (w->word + n <= WORD_MAX) /* what is longer is cut, once and for all */
        buf_add(w->out, p, n);
    w->word += n;
}

static void end_word(struct writer *w)
{
    if (!w->word)
        return;
    buf_byte(w->out, ' ');
    w->word = 0;
    w->n++;
}

enum part { OUTSIDE, INSIDE, ALONE };

/* What the character at i is to words; open: right behind one. ret_n: its bytes. */
static enum part part_at(const char *text, size_t len, size_t i, bool open, unsigned *ret_n)
{
    char c = text[i];
    if (!(c & 0x80)) {
        bool inner = open && i + 1 < len;
        *ret_n = 1;
        return is_plain(c) ||
                       (c == '.' && inner && is_digit(text[i - 1]) && is_digit(text[i + 1])) ||
                       (c == '&' && inner && is_plain(text[i - 1]) && is_plain(text[i + 1]))
                   ? INSIDE
                   : OUTSIDE;
    }
    unsigned n = utf8_sequence(text + i, len - i);
    unsigned code = n ? utf8_code_point(text + i, n) : 0;
    *ret_n = n ? n : 1;
    if (!n || !utf8_is_word(code))
        return OUTSIDE;
    return words_is_whole(code) ? ALONE : INSIDE;
}

/* A text in lower case. */
static void split_lower(struct writer *w, const char *text, size_t len)
{
    unsigned n;
    for (size_t i = 0; i < len; i += n) {
        enum part part = part_at(text, len, i, w->word, &n);
        if (part != INSIDE)
            end_word(w);
        if (part != OUTSIDE)
            add(w, text + i, n);
        if (part == ALONE)
            end_word(w);
    }
    end_word(w);
}

bool words_next(const char *text, size_t len, size_t *at, size_t *ret_n)
{
    enum part part = OUTSIDE;
    unsigned n = 0;
    size_t i = *at;
    while (i < len && (part = part_at(text, len, i, false, &n)) == OUTSIDE)
        i += n;
    *at = i;
    if (i == len)
        return false;
    for (i += n; part == INSIDE && i < len && part_at(text, len, i, true, &n) == INSIDE;)
        i += n;
    *ret_n = i - *at;
    return true;
}

/* How much of a text to take at a time: words stay whole, unless they are longer than that. */
static size_t chunk_len(const char *text, size_t len)
{
    const char *zero = memchr(text, 0, len < CHUNK ? len : CHUNK);
    if (zero)
        return (size_t)(zero - text) + 1;
    if (len <= CHUNK)
        return len;
    size_t n = CHUNK;
    while (n > CHUNK / 2 && (unsigned char)text[n - 1] > ' ')
        n--;
    return n > CHUNK / 2 ? n : utf8_truncate(text, len, CHUNK);
}

static void add_chunk(struct writer *w, const char *text, size_t len)
{
    bool ascii = true;
    for (size_t i = 0; i < len && ascii; i++)
        ascii = !(text[i] & 0x80);
    if (ascii) {
        char lower[CHUNK];
        for (size_t i = 0; i < len; i++)
            lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        split_lower(w, lower, len);
        return;
    }
    struct arena a;
    arena_init(&a, 0);
    const char *folded = utf8_fold(&a, arena_memdup(&a, text, len));
    if (arena_failed(&a))
        w->out->failed = true;
    else
        split_lower(w, folded, strlen(folded));
    arena_done(&a);
}

size_t words_add(struct buf *out, const char *text, size_t len)
{
    struct writer w = {.out = out};
    while (len && !buf_failed(out)) {
        size_t n = chunk_len(text, len);
        add_chunk(&w, text, n);
        text += n;
        len -= n;
    }
    return w.n;
}

/* The one word that a whole address is; it may hold '.', '+', '-' and '@'. */
static size_t add_whole(struct buf *out, const char *email)
{
    struct arena a;
    size_t n = strnlen(email, WHOLE_MAX);
    if (!n)
        return 0;
    arena_init(&a, 0);
    char *text = arena_memdup(&a, email, n);
    utf8_scrub(text);
    for (const char *p = utf8_fold(&a, text); *p; p++)
        buf_byte(out, *p & 0x80 || is_plain(*p) || strchr(".&@+-", *p) ? *p : '_');
    if (arena_failed(&a))
        out->failed = true;
    arena_done(&a);
    buf_byte(out, ' ');
    return 1;
}

/* ---- addresses in texts ---- */

/* Bytes of the character at p, if it may be in an address; 0 if not. More are allowed before the
 * '@' than behind it. */
static unsigned in_address(const char *p, const char *end, bool in_front)
{
    if (!(*p & 0x80))
        return (is_plain(*p) && (in_front || *p != '_')) || *p == '.' || *p == '-' ||
               (in_front && *p && strchr("+=&%'~", *p));
    unsigned n = utf8_sequence(p, (size_t)(end - p)), code = n ? utf8_code_point(p, n) : 0;
    return n && utf8_is_word(code) && !words_is_whole(code) ? n : 0;
}

static bool in_name(char c)
{
    return (c & 0x80) || is_plain(c);
}

/* Where the address that has its '@' here begins; at itself: nowhere. */
static const char *address_begin(const char *text, const char *at)
{
    const char *p = at;
    while (p > text && at - p <= WHOLE_MAX) {
        const char *before = p - 1;
        while (before > text && ((unsigned char)*before & 0xC0) == 0x80)
            before--;
        if (!in_address(before, p, true))
            break;
        p = before;
    }
    while (p < at && !in_name(*p))
        p++;
    return p;
}

/* Where it ends; right behind the '@': nowhere. */
static const char *address_end(const char *at, const char *end)
{
    const char *p = at + 1;
    unsigned n;
    while (p < end && p - at <= WHOLE_MAX && (n = in_address(p, end, false)))
        p += n;
    while (p > at + 1 && !in_name(p[-1]))
        p--;
    return p;
}

size_t words_add_wholes(struct buf *out, const char *text, size_t len)
{
    const char *end = text + len, *at = text;
    char email[WHOLE_MAX];
    size_t count = 0;
    while (at < end && (at = memchr(at, '@', (size_t)(end - at)))) {
        const char *first = address_begin(text, at), *last = address_end(at, end);
        if (first < at && last > at + 1 && last - first < WHOLE_MAX) {
            memcpy(email, first, (size_t)(last - first));
            email[last - first] = 0;
            count += add_whole(out, email);
        }
        at++;
    }
    return count;
}
