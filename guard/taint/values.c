/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/taint/values.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include "engine/text/utf8.h"
#include <stdlib.h>
#include <strings.h>
#include <xxhash.h>

#define LEVELS     3  /* how deep what is decoded is looked at */
#define VARIANTS   64 /* of one text, itself included */
#define MIN_BASE64 16 /* bytes of a run that is decoded */
#define GROUP      8  /* letters and digits of a part of a number that is written in parts */

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

/* ---- bytes ---- */

enum {
    LETTER = 1, /* in lower case: texts are folded */
    DIGIT = 2,
    UPPER = 4,
    SPACE = 8,   /* and what else divides wholes */
    EDGE = 16,   /* is no part of a whole where that begins or ends */
    LOCAL = 32,  /* of an address, before its '@', beside letters and digits */
    BASE64 = 64, /* the same of base64 */
    INNER = 128, /* between parts of an id */
    AT = 256,
    WIDE = 512, /* no ASCII */
};

#define L LETTER
#define D DIGIT
#define U UPPER
#define S SPACE
static const unsigned short classes[256] = {
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    S,
    [' '] = S,
    ['"'] = S,
    ['\''] = S,
    ['`'] = S,
    ['<'] = S,
    ['>'] = S,
    ['('] = S,
    [')'] = S,
    ['['] = S,
    [']'] = S,
    ['{'] = S,
    ['}'] = S,
    ['|'] = S,
    ['\\'] = S,
    ['^'] = S,
    [','] = S,
    [';'] = S,
    [0x7f] = S,
    ['.'] = EDGE | LOCAL | INNER,
    [':'] = EDGE | INNER,
    ['!'] = EDGE,
    ['?'] = EDGE,
    ['*'] = EDGE,
    ['_'] = EDGE | LOCAL | BASE64 | INNER,
    ['~'] = EDGE,
    ['-'] = EDGE | LOCAL | BASE64 | INNER,
    ['='] = EDGE,
    ['@'] = AT,
    ['&'] = EDGE,
    ['+'] = EDGE | LOCAL | BASE64 | INNER,
    ['/'] = EDGE | BASE64 | INNER,
    ['#'] = EDGE,
    ['$'] = EDGE,
    ['%'] = EDGE | LOCAL,
    ['0'] = D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    ['a'] = L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    ['A'] = U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
    U,
};
#undef L
#undef D
#undef U
#undef S

static inline bool is_of(char c, unsigned of) /* of what is no ASCII, nothing is said there */
{
    return classes[(unsigned char)c] & of;
}

static inline bool is_letter(char c)
{
    return is_of(c, LETTER);
}

static inline bool is_digit(char c)
{
    return is_of(c, DIGIT);
}

static inline bool is_alnum(char c)
{
    return is_of(c, LETTER | DIGIT);
}

/* ---- values ---- */

uint64_t value_hash(const char *text, size_t n)
{
    return XXH3_64bits(text, n);
}

static void give(struct reader *r, enum value_form form, const char *text, size_t n)
{
    n = n > VALUE_MAX ? VALUE_MAX : n;
    if (!n || r->rc < 0)
        return;
    const struct value v = {.text = text, .n = n, .form = form, .hash = value_hash(text, n)};
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
    while (from && is_of(text[from - 1], LETTER | DIGIT | LOCAL))
        from--;
    while (to < n && (is_alnum(text[to]) || text[to] == '.' || text[to] == '-'))
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
    while (n && is_of(text[n - 1], EDGE))
        n--;
    const char *at = memchr(text, '@', n), *slash = memchr(text, '/', n);
    if (at && (!slash || at < slash)) { /* a name before the host */
        n -= (size_t)(at + 1 - text);
        text = at + 1;
    }
    while (host < n && (is_alnum(text[host]) || text[host] == '.' || text[host] == '-'))
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
    if (n < VALUE_LETTERS)
        return;
    while (i <= n && r->rc == 0) {
        bool plain = i < n && !(text[i] & 0x80);
        unsigned size = plain || i == n ? 1 : utf8_sequence(text + i, n - i);
        if (plain ? is_alnum(text[i])
                  : i < n && size && utf8_is_word(utf8_code_point(text + i, size))) {
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
        divided |= is_of(text[i], INNER);
        if (text[i] != '-' && text[i] != '.' && text[i] != '/')
            plain[k++] = text[i];
    }
    if (!divided)
        return;
    if (letters < VALUE_LETTERS || is_time(text, n))
        return;
    bool digits = has_digit(text, n);
    give(r, digits ? VALUE_ID : VALUE_WORD, text, n);
    if (digits && k != n)
        give(r, VALUE_ID, plain, k);
}

/* Addresses and links in it, whose parts are no words. */
static bool read_wholes(struct reader *r, const char *text, size_t n)
{
    const char *scheme = memmem(text, n, "://", 3);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '@')
            found |= read_address(r, text, n, i);
    if (scheme) {
        const char *link = scheme + 3;
        size_t len = 0, left = n - (size_t)(link - text);
        while (len < left && !(link[len] & 0x80))
            len++;
        found |= read_link(r, link, len);
    }
    return found;
}

/* A link without its scheme. */
static bool read_bare(struct reader *r, const char *text, size_t n)
{
    size_t host = 0;
    while (host < n && (is_alnum(text[host]) || text[host] == '.' || text[host] == '-'))
        host++;
    return is_host(text, host) &&
           (host == n || text[host] == '/' || text[host] == '?' || text[host] == '#' ||
            text[host] == ':') &&
           read_link(r, text, n);
}

/* What is between spaces, quotes and brackets. of: the classes of its bytes. */
static void read_whole(struct reader *r, const char *text, size_t n, unsigned of)
{
    bool found = n > VALUE_LETTERS - 1 && of & (AT | INNER) && read_wholes(r, text, n);
    while (n && is_of(*text, EDGE)) {
        text++;
        n--;
    }
    while (n && is_of(text[n - 1], EDGE))
        n--;
    if (of & DIGIT)
        read_part(r, text, n);
    else if (r->number_parts)
        end_number(r);
    if (found || n < VALUE_LETTERS || (of & INNER && read_bare(r, text, n)))
        return;
    if (of & INNER)
        read_id(r, text, n);
    if (of & ~(unsigned)(LETTER | DIGIT))
        read_words(r, text, n);
    else
        give(r, of & DIGIT ? VALUE_ID : VALUE_WORD, text, n);
}

static void read_plain(struct reader *r, const char *text, size_t len)
{
    size_t from = 0, i = 0;
    unsigned of = 0;
    while (i <= len && r->rc == 0) {
        bool plain = i < len && !(text[i] & 0x80);
        unsigned size = plain || i == len ? 1 : utf8_sequence(text + i, len - i);
        unsigned is = plain ? classes[(unsigned char)text[i]]
                      : i < len && size && utf8_is_word(utf8_code_point(text + i, size)) ? WIDE
                                                                                         : SPACE;
        if (!(is & SPACE)) {
            of |= is;
            i += size;
            continue;
        }
        if (i > from)
            read_whole(r, text + from, i - from, of);
        i += size ? size : 1;
        from = i;
        of = 0;
    }
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

/* What a text has no more of, so that it is looked for once. */
struct ends {
    bool no_tag, no_comment;
};

/* Bytes of a tag or a comment at '<'; 0: it is none. *ret_space: it divides lines. */
static size_t tag(const char *p, size_t left, struct ends *ends, bool *ret_space)
{
    static const char *const blocks[] = {"p",  "br", "div",   "li",        "tr", "td",
                                         "th", "h1", "h2",    "h3",        "h4", "hr",
                                         "ul", "ol", "table", "blockquote"};
    size_t name = 1 + (left > 1 && p[1] == '/'), n = name;
    *ret_space = false;
    if (left > 3 && memcmp(p, "<!--", 4) == 0) {
        const char *end = ends->no_comment ? NULL : memmem(p, left, "-->", 3);
        ends->no_comment = !end;
        return end ? (size_t)(end - p) + 3 : 0;
    }
    if (left < 3 || ends->no_tag || !is_of(p[name], LETTER | UPPER))
        return 0;
    while (n < left && is_of(p[n], LETTER | UPPER | DIGIT))
        n++;
    for (size_t i = 0; i < SOSIA_LEN(blocks); i++)
        *ret_space |=
            strlen(blocks[i]) == n - name && strncasecmp(p + name, blocks[i], n - name) == 0;
    const char *end = memchr(p + n, '>', left - n);
    ends->no_tag = !end;
    return end ? (size_t)(end - p) + 1 : 0;
}

/* As a browser shows it: without tags, references decoded. */
static void add_shown(struct reader *r, const struct variant *v)
{
    char *out = arena_alloc(r->arena, v->len + 8);
    struct ends ends = {0};
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < v->len && !arena_failed(r->arena);) {
        const char *p = v->text + i;
        bool space = false;
        unsigned c = 0;
        size_t skip = *p == '<'   ? tag(p, v->len - i, &ends, &space)
                      : *p == '&' ? reference(p, v->len - i, &c)
                                  : 0;
        any |= skip != 0;
        if (c)
            n = (size_t)(utf8_put(out + n, c) - out);
        else if (skip ? space : true)
            out[n++] = skip ? ' ' : *p;
        i += skip ? skip : 1;
    }
    if (any && !arena_failed(r->arena))
        add(r, out, n, v->level + 1);
}

/* Mostly what people read. */
static bool is_text(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (data[i] < ' ' && data[i] != '\t' && data[i] != '\r' && data[i] != '\n')
            return false;
    return utf8_valid((const char *)data, n);
}

/* The first bytes say of most words that they are none. */
static bool may_be_text(struct reader *r, const char *text)
{
    uint8_t *data;
    size_t len;
    if (base64_decode(r->arena, text, 4, &data, &len) < 0)
        return false;
    for (size_t i = 0; i < len; i++)
        if (data[i] < ' ' && data[i] != '\t' && data[i] != '\r' && data[i] != '\n')
            return false;
    return len && (data[0] < 0x80 || (data[0] >= 0xc2 && data[0] < 0xf5));
}

static void add_decoded(struct reader *r, const char *text, size_t n, int level)
{
    uint8_t *data;
    size_t len;
    if (n % 4 == 1)
        n--;
    if (n >= MIN_BASE64 && may_be_text(r, text) &&
        base64_decode(r->arena, text, n, &data, &len) == 0 && is_text(data, len))
        add(r, (const char *)data, len, level);
}

/* Runs of base64, also over the ends of lines as mail has them. */
static void add_base64(struct reader *r, const struct variant *v)
{
    char *run = NULL; /* of several lines; else it is where it is */
    size_t from = 0, n = 0, line = 0;
    for (size_t i = 0; i <= v->len; i++) {
        char c = i < v->len ? v->text[i] : 0;
        if (is_of(c, LETTER | DIGIT | UPPER | BASE64)) {
            line++;
            continue;
        }
        size_t end = c == '\n' ? 1 : c == '\r' && i + 1 < v->len && v->text[i + 1] == '\n' ? 2 : 0;
        bool goes_on = end && line >= 60 && line % 4 == 0;
        if ((goes_on || n) && line) {
            run = run ? run : arena_alloc(r->arena, v->len + 1);
            if (arena_failed(r->arena))
                return;
            memcpy(run + n, v->text + from, line);
            n += line;
        }
        if (!goes_on) {
            if (n || line >= MIN_BASE64)
                add_decoded(r, n ? run : v->text + from, n ? n : line, v->level + 1);
            n = 0;
        }
        i += goes_on ? end - 1 : 0;
        from = i + 1;
        line = 0;
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

/* The text in lower case, where all of it is ASCII; else NULL. */
static const char *fold_plain(struct reader *r, const struct variant *v)
{
    char *out = arena_alloc(r->arena, v->len + 1);
    if (arena_failed(r->arena))
        return NULL;
    for (size_t i = 0; i < v->len; i++) {
        char c = v->text[i];
        if (c & 0x80)
            return NULL;
        out[i] = is_of(c, UPPER) ? (char)(c | 32) : c ? c : ' ';
    }
    out[v->len] = 0;
    return out;
}

static void look(struct reader *r, const struct variant *v)
{
    const char *folded = fold_plain(r, v);
    size_t len = v->len;
    if (!folded && !arena_failed(r->arena)) {
        const char *plain = narrow(r, v->text, v->len);
        folded = arena_failed(r->arena) ? NULL : utf8_fold(r->arena, plain);
        len = folded ? strlen(folded) : 0;
    }
    if (arena_failed(r->arena))
        return;
    read_plain(r, folded, len);
    if (v->level == LEVELS)
        return;
    if (memchr(v->text, '<', v->len) || memchr(v->text, '&', v->len))
        add_shown(r, v);
    if (memchr(v->text, '%', v->len))
        add_escaped(r, v, '%');
    if (memchr(v->text, '=', v->len))
        add_escaped(r, v, '=');
    if (v->len >= MIN_BASE64)
        add_base64(r, v);
}

int values_each(struct arena *a, const char *text, size_t len,
                int (*fn)(void *arg, const struct value *v), void *arg)
{
    struct reader reader, *r = &reader;
    if (len < VALUE_LETTERS)
        return 0;
    r->arena = a;
    r->fn = fn;
    r->arg = arg;
    r->n = r->number_len = r->number_parts = 0;
    r->rc = 0;
    r->room = 9 * len + (32 << 10);
    add(r, text, len, 0);
    for (size_t i = 0; i < r->n && r->rc == 0 && !arena_failed(a); i++) {
        const struct variant v = r->list[i];
        look(r, &v);
    }
    return r->rc < 0 || arena_failed(a) ? -1 : 0;
}
