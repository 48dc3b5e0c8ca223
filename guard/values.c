/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/values.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include "engine/text/utf8.h"
#include <stdlib.h>
#include <strings.h>
#include <xxhash.h>

#define LEVELS   3  /* how deep what is decoded is looked at */
#define VARIANTS 64 /* of one text, itself included */
#define GROUP    8  /* letters and digits of a part of a number that is written in parts */

const char *const value_forms[] = {"addresses", "links", "hosts", "ids", "words", NULL};

/* A text that is still to be looked at. */
struct variant {
    const char *text;
    size_t len;
    int level;
};

struct reader {
    struct arena *arena;
    int (*fn)(void *arg, const struct value *v);
    void *arg;
    struct variant list[VARIANTS];
    size_t n, room;         /* bytes that further variants may have */
    char number[VALUE_MAX]; /* written in parts, as far as it was read */
    size_t number_len, number_parts;
    int rc;
};

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_letter(c) || is_digit(c);
}

static bool is_in(char c, const char *list)
{
    return c && strchr(list, c);
}

static void give(struct reader *r, enum value_form form, const char *text, size_t n)
{
    n = n > VALUE_MAX ? VALUE_MAX : n;
    if (!n || r->rc < 0)
        return;
    const struct value v = {.text = text, .n = n, .form = form, .hash = XXH3_64bits(text, n)};
    r->rc = r->fn(r->arg, &v);
}

/* ---- wholes ---- */

/* A host with a dot, and letters behind the last one. */
static bool is_host(const char *text, size_t n)
{
    size_t dot = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_alnum(text[i]) && text[i] != '-' && text[i] != '.')
            return false;
        if (text[i] == '.') {
            if (i == 0 || text[i - 1] == '.')
                return false;
            dot = i;
        }
    }
    return dot && n - dot > 2 && is_letter(text[dot + 1]) && is_letter(text[n - 1]);
}

/* An address around an '@'; false: there is none. */
static bool read_address(struct reader *r, const char *text, size_t n, size_t at)
{
    size_t from = at, to = at + 1;
    while (from && (is_alnum(text[from - 1]) || is_in(text[from - 1], "._%+-")))
        from--;
    while (to < n && (is_alnum(text[to]) || is_in(text[to], ".-")))
        to++;
    while (to > at + 1 && !is_alnum(text[to - 1]))
        to--;
    while (from < at && text[from] == '.')
        from++;
    if (from == at || !is_host(text + at + 1, to - at - 1))
        return false;
    give(r, VALUE_ADDRESS, text + from, to - from);
    give(r, VALUE_HOST, text + at + 1, to - at - 1);
    return true;
}

/* The same wherever a program may say it: without its scheme, "www." and what ends it. False: it is
 * none. */
static bool read_link(struct reader *r, const char *text, size_t n)
{
    size_t host = 0;
    if (n > 4 && memcmp(text, "www.", 4) == 0) {
        text += 4;
        n -= 4;
    }
    while (n && is_in(text[n - 1], "/.?#&:!*_~-'="))
        n--;
    const char *at = memchr(text, '@', n), *slash = memchr(text, '/', n);
    if (at && (!slash || at < slash)) { /* a name before the host */
        n -= (size_t)(at + 1 - text);
        text = at + 1;
    }
    while (host < n && (is_alnum(text[host]) || is_in(text[host], ".-")))
        host++;
    if (!is_host(text, host))
        return false;
    give(r, VALUE_LINK, text, n);
    give(r, VALUE_HOST, text, host);
    return true;
}

/* A date or a time of the day as machines write it: no outsider's word. */
static bool is_time(const char *text, size_t n)
{
    size_t digits = 0;
    for (size_t i = 0; i < n; i++)
        digits += is_digit(text[i]);
    if (n >= 10 && digits >= 8 && text[4] == '-' && text[7] == '-' && is_digit(text[0]))
        return true;
    for (size_t i = 0; i < n; i++)
        if (!is_digit(text[i]) && text[i] != ':')
            return false;
    return digits < n && n <= 8;
}

static bool has_digit(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_digit(text[i]))
            return true;
    return false;
}

/* ---- words ---- */

static void end_number(struct reader *r)
{
    if (r->number_parts > 1 && r->number_len >= GROUP)
        give(r, VALUE_ID, r->number, r->number_len);
    r->number_len = r->number_parts = 0;
}

/* Parts of a number, as of an account or a telephone: the same however it is divided. */
static void read_part(struct reader *r, const char *text, size_t n)
{
    if (n > GROUP || !has_digit(text, n) || r->number_len + n > VALUE_MAX) {
        end_number(r);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (!is_alnum(text[i])) {
            end_number(r);
            return;
        }
    memcpy(r->number + r->number_len, text, n);
    r->number_len += n;
    r->number_parts++;
}

static void read_words(struct reader *r, const char *text, size_t n)
{
    size_t from = 0, letters = 0, i = 0;
    while (i <= n && r->rc == 0) {
        unsigned size = i < n ? utf8_sequence(text + i, n - i) : 0;
        bool in = size && utf8_is_word(utf8_code_point(text + i, size)) && text[i] != '_';
        if (in) {
            letters++;
            i += size;
            continue;
        }
        if (letters >= VALUE_LETTERS)
            give(r, has_digit(text + from, i - from) ? VALUE_ID : VALUE_WORD, text + from,
                 i - from);
        i += size ? size : 1;
        from = i;
        letters = 0;
    }
}

/* An id with something between its parts, as it is and without that. */
static void read_id(struct reader *r, const char *text, size_t n)
{
    char plain[VALUE_MAX];
    size_t k = 0, letters = 0;
    bool divided = false;
    for (size_t i = 0; i < n && k < sizeof plain; i++) {
        letters += is_alnum(text[i]);
        divided |= is_in(text[i], "-._/:+");
        if (!is_in(text[i], "-./"))
            plain[k++] = text[i];
    }
    if (!divided && !memchr(text, '_', n))
        return;
    if (letters < VALUE_LETTERS || is_time(text, n))
        return;
    bool digits = has_digit(text, n);
    give(r, digits ? VALUE_ID : VALUE_WORD, text, n);
    if (digits && k != n)
        give(r, VALUE_ID, plain, k);
}

/* What is between spaces, quotes and brackets. */
static void read_whole(struct reader *r, const char *text, size_t n)
{
    static const char edges[] = ".:!?*_~-=&+/#$%";
    const char *scheme = memmem(text, n, "://", 3);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '@')
            found |= read_address(r, text, n, i);
    if (scheme) {
        const char *link = scheme + 3;
        size_t len = 0, left = n - (size_t)(link - text);
        while (len < left && (unsigned char)link[len] < 0x80)
            len++;
        found |= read_link(r, link, len);
    }
    while (n && is_in(*text, edges)) {
        text++;
        n--;
    }
    while (n && is_in(text[n - 1], edges))
        n--;
    if (!n)
        return;
    read_part(r, text, n);
    size_t host = 0;
    while (host < n && (is_alnum(text[host]) || is_in(text[host], ".-")))
        host++;
    if (!found && is_host(text, host) && (host == n || is_in(text[host], "/?#:")))
        found = read_link(r, text, n);
    if (found) /* whose parts are no words */
        return;
    read_id(r, text, n);
    read_words(r, text, n);
}

/* Bytes of what divides wholes at a place; 0: nothing does. */
static unsigned divider(const char *text, size_t n)
{
    unsigned size = utf8_sequence(text, n);
    if (!size)
        return 1;
    if (size == 1)
        return (unsigned char)*text <= ' ' || *text == 0x7f || is_in(*text, "\"'`<>()[]{}|\\^,;");
    return utf8_is_word(utf8_code_point(text, size)) ? 0 : size;
}

static void read_plain(struct reader *r, const char *text, size_t len)
{
    size_t from = 0, i = 0;
    while (i < len && r->rc == 0) {
        unsigned skip = divider(text + i, len - i);
        if (!skip) {
            i += utf8_sequence(text + i, len - i);
            continue;
        }
        if (i > from)
            read_whole(r, text + from, i - from);
        i += skip;
        from = i;
    }
    if (len > from)
        read_whole(r, text + from, len - from);
    end_number(r);
}

/* ---- other forms of the text ---- */

static void add(struct reader *r, const char *text, size_t len, int level)
{
    if (r->n == VARIANTS || len > r->room || !len)
        return;
    r->room -= len;
    r->list[r->n++] = (struct variant){text, len, level};
}

static int hex_of(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Bytes as two hexadecimal digits behind a sign: '%' of URLs, '=' of mail, where a line that ends
 * with it goes on. */
static void add_escaped(struct reader *r, const struct variant *v, char sign)
{
    char *out = arena_alloc(r->arena, v->len + 1);
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < v->len && !arena_failed(r->arena);) {
        const char *p = v->text + i;
        size_t left = v->len - i;
        int high = *p == sign && left > 2 ? hex_of(p[1]) : -1, low = high < 0 ? -1 : hex_of(p[2]);
        size_t end = sign == '=' && *p == '=' && left > 1 && p[1] == '\n'                   ? 2
                     : sign == '=' && *p == '=' && left > 2 && p[1] == '\r' && p[2] == '\n' ? 3
                                                                                            : 0;
        any |= low >= 0 || end;
        if (low >= 0)
            out[n++] = (char)(high << 4 | low);
        else if (!end)
            out[n++] = *p;
        i += low >= 0 ? 3 : end ? end : 1;
    }
    if (any && !arena_failed(r->arena))
        add(r, out, n, v->level + 1);
}

/* A reference of HTML at '&': its bytes, and what it stands for. 0: it is none. */
static size_t reference(const char *p, size_t left, unsigned *ret)
{
    static const struct {
        const char *name;
        unsigned c;
    } names[] = {{"amp", '&'},   {"lt", '<'},      {"gt", '>'},     {"quot", '"'},
                 {"apos", '\''}, {"nbsp", ' '},    {"commat", '@'}, {"period", '.'},
                 {"colon", ':'}, {"sol", '/'},     {"hyphen", '-'}, {"lowbar", '_'},
                 {"shy", 0xad},  {"zwnj", 0x200c}, {"zwj", 0x200d}, {"zwsp", 0x200b}};
    size_t n = 1;
    while (n < left && n < 12 && p[n] != ';')
        n++;
    if (n == left || p[n] != ';')
        return 0;
    if (n > 2 && p[1] == '#') {
        bool hex = (p[2] | 32) == 'x';
        char *end, digits[12] = {0};
        memcpy(digits, p + 2 + hex, n - 2 - hex);
        unsigned long c = strtoul(digits, &end, hex ? 16 : 10);
        *ret = (unsigned)c;
        return *digits && !*end && c && c < 0x110000 && (c < 0xd800 || c > 0xdfff) ? n + 1 : 0;
    }
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strlen(names[i].name) == n - 1 && memcmp(names[i].name, p + 1, n - 1) == 0) {
            *ret = names[i].c;
            return n + 1;
        }
    return 0;
}

/* Bytes of a tag or a comment at '<'; 0: it is none. *ret_space: what it divides is two lines. */
static size_t tag(const char *p, size_t left, bool *ret_space)
{
    static const char *const blocks[] = {"p",  "br", "div",   "li",        "tr", "td",
                                         "th", "h1", "h2",    "h3",        "h4", "hr",
                                         "ul", "ol", "table", "blockquote"};
    size_t name = 1 + (left > 1 && p[1] == '/'), n = name;
    bool comment = left > 3 && memcmp(p, "<!--", 4) == 0;
    *ret_space = false;
    if (comment) {
        const char *end = memmem(p, left, "-->", 3);
        return end ? (size_t)(end - p) + 3 : 0;
    }
    if (left < 3 || !is_letter((char)(p[name] | 32)))
        return 0;
    while (n < left && is_alnum((char)(is_digit(p[n]) ? p[n] : p[n] | 32)))
        n++;
    for (size_t i = 0; i < SOSIA_LEN(blocks); i++)
        *ret_space |=
            strlen(blocks[i]) == n - name && strncasecmp(p + name, blocks[i], n - name) == 0;
    const char *end = memchr(p + n, '>', left - n);
    return end ? (size_t)(end - p) + 1 : 0;
}

/* As a browser shows it: without tags, references decoded. */
static void add_shown(struct reader *r, const struct variant *v)
{
    char *out = arena_alloc(r->arena, v->len + 8);
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < v->len && !arena_failed(r->arena);) {
        const char *p = v->text + i;
        bool space = false;
        unsigned c = 0;
        size_t skip = *p == '<'   ? tag(p, v->len - i, &space)
                      : *p == '&' ? reference(p, v->len - i, &c)
                                  : 0;
        any |= skip != 0;
        if (c)
            n = (size_t)(utf8_put(out + n, c) - out);
        else if (space || !skip)
            out[n++] = space ? ' ' : *p;
        i += skip ? skip : 1;
    }
    if (any && !arena_failed(r->arena))
        add(r, out, n, v->level + 1);
}

static bool is_base64(char c)
{
    return is_alnum((char)(is_digit(c) ? c : c | 32)) ? (c & 0x80) == 0 : is_in(c, "+/-_");
}

/* Mostly what people read. */
static bool is_text(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (data[i] < ' ' && !is_in((char)data[i], "\t\r\n"))
            return false;
    return utf8_valid((const char *)data, n);
}

static void add_decoded(struct reader *r, const char *text, size_t n, int level)
{
    uint8_t *data;
    size_t len;
    if (n % 4 == 1)
        n--;
    if (n >= 12 && base64_decode(r->arena, text, n, &data, &len) == 0 && is_text(data, len))
        add(r, (const char *)data, len, level);
}

/* Runs of base64, also over the ends of lines as mail has them. */
static void add_base64(struct reader *r, const struct variant *v)
{
    char *run = arena_alloc(r->arena, v->len + 1);
    size_t n = 0, line = 0;
    if (arena_failed(r->arena))
        return;
    for (size_t i = 0; i <= v->len; i++) {
        char c = i < v->len ? v->text[i] : 0;
        if (is_base64(c)) {
            run[n++] = c;
            line++;
            continue;
        }
        size_t end = c == '\n' ? 1 : c == '\r' && i + 1 < v->len && v->text[i + 1] == '\n' ? 2 : 0;
        if (end && line >= 60 && line % 4 == 0) {
            i += end - 1;
            line = 0;
            continue;
        }
        add_decoded(r, run, n, v->level + 1);
        n = line = 0;
    }
}

/* ---- one form ---- */

/* Letters of full width as others, NUL as a space; in the arena, with a NUL behind. */
static char *narrow(struct reader *r, const char *text, size_t len)
{
    char *out = arena_alloc(r->arena, len + 1);
    size_t n = 0;
    for (size_t i = 0; i < len && !arena_failed(r->arena);) {
        unsigned size = utf8_sequence(text + i, len - i);
        unsigned c = size == 3 ? utf8_code_point(text + i, size) : 0;
        if (c > 0xff00 && c < 0xff5f) {
            out[n++] = (char)(c - 0xfee0);
        } else {
            for (unsigned k = 0; k < size; k++)
                out[n++] = text[i + k] ? text[i + k] : ' ';
        }
        i += size ? size : 1;
    }
    if (!arena_failed(r->arena))
        out[n] = 0;
    return out;
}

static void look(struct reader *r, const struct variant *v)
{
    const char *plain = narrow(r, v->text, v->len);
    if (arena_failed(r->arena))
        return;
    const char *folded = utf8_fold(r->arena, plain);
    if (arena_failed(r->arena))
        return;
    read_plain(r, folded, strlen(folded));
    if (v->level == LEVELS)
        return;
    if (memchr(v->text, '<', v->len) || memchr(v->text, '&', v->len))
        add_shown(r, v);
    if (memchr(v->text, '%', v->len))
        add_escaped(r, v, '%');
    if (memchr(v->text, '=', v->len))
        add_escaped(r, v, '=');
    add_base64(r, v);
}

int values_each(struct arena *a, const char *text, size_t len,
                int (*fn)(void *arg, const struct value *v), void *arg)
{
    struct reader *r = arena_calloc(a, 1, sizeof *r);
    if (arena_failed(a))
        return -1;
    r->arena = a;
    r->fn = fn;
    r->arg = arg;
    r->room = 9 * len + (32 << 10);
    add(r, text, len, 0);
    for (size_t i = 0; i < r->n && r->rc == 0 && !arena_failed(a); i++) {
        const struct variant v = r->list[i];
        look(r, &v);
    }
    return r->rc < 0 || arena_failed(a) ? -1 : 0;
}
