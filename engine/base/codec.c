/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/codec.h"
#include <endian.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char HEX[] = "0123456789abcdef";
static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char BASE64URL[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char BASE32HEX[] = "0123456789abcdefghijklmnopqrstuv";

/* The digits of four bytes at once: each half in a byte of its own, and from 10 on letters. */
static void put_hex4(char *to, const uint8_t *p)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x000f000f000f000f);
    const uint64_t apart =
        (uint64_t)p[0] | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 32 | (uint64_t)p[3] << 48;
    const uint64_t halves = (apart >> 4 & low) | (apart & low) << 8;
    const uint64_t letters = (halves + 6 * ones) >> 4 & ones;
    const uint64_t text = htole64(halves + '0' * ones + ('a' - '0' - 10) * letters);
    memcpy(to, &text, sizeof text);
}

void hex_encode(char *ret_text, const void *data, size_t n)
{
    const uint8_t *p = data;
    size_t i = 0;
    for (; n - i >= 4; i += 4)
        put_hex4(ret_text + 2 * i, p + i);
    for (; i < n; i++) {
        ret_text[2 * i] = HEX[p[i] >> 4];
        ret_text[2 * i + 1] = HEX[p[i] & 15];
    }
    ret_text[2 * n] = 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int hex_decode(void *ret_data, const char *text, size_t n)
{
    uint8_t *to = ret_data;
    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(text[2 * i]), low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);
        if (low < 0)
            return -1;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return text[2 * n] ? -1 : 0;
}

/* Gives the end. */
static char *put_base64(char *to, const char *alphabet, const uint8_t *p, size_t n, bool pad)
{
    for (; n >= 3; n -= 3, p += 3, to += 4) {
        uint32_t v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
        to[0] = alphabet[v >> 18];
        to[1] = alphabet[v >> 12 & 63];
        to[2] = alphabet[v >> 6 & 63];
        to[3] = alphabet[v & 63];
    }
    if (!n)
        return to;
    uint32_t v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0);
    to[0] = alphabet[v >> 18];
    to[1] = alphabet[v >> 12 & 63];
    to[2] = n > 1 ? alphabet[v >> 6 & 63] : '=';
    to[3] = '=';
    return to + (pad ? 4 : n + 1);
}

static void base64_with(struct buf *b, const char *alphabet, const void *data, size_t n, bool pad)
{
    const uint8_t *p = data;
    char some[256];
    for (size_t k; n; n -= k, p += k) {
        k = n < 192 ? n : 192;
        buf_add(b, some, (size_t)(put_base64(some, alphabet, p, k, pad) - some));
    }
}

char *base64_text(struct arena *a, const char *alphabet, const void *data, size_t n)
{
    char *text = arena_alloc(a, (n + 2) / 3 * 4 + 1);
    *put_base64(text, alphabet ? alphabet : BASE64, data, n, true) = 0;
    return text;
}

void base64_add(struct buf *b, const void *data, size_t n)
{
    base64_with(b, BASE64, data, n, true);
}

void base64url_add(struct buf *b, const void *data, size_t n, bool pad)
{
    base64_with(b, BASE64URL, data, n, pad);
}

/* Of each byte the digit that it is, plus one; 0: none. */
static const uint8_t base64_digits[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['-'] = 63,
    ['/'] = 64, ['_'] = 64};

#define BASE64_DIGIT(c) ((int)base64_digits[(uint8_t)(c)] - 1)

int base64_decode(struct arena *a, const char *text, size_t len, uint8_t **ret_data,
                  size_t *ret_len)
{
    if (len % 4 == 0 && len && text[len - 1] == '=')
        len -= text[len - 2] == '=' ? 2 : 1;
    if (len % 4 == 1)
        return -1;
    uint8_t *out = arena_alloc(a, len / 4 * 3 + 3);
    size_t n = 0;
    uint32_t v = 0;
    if (a->failed)
        return -1;
    size_t i = 0;
    for (; len - i >= 4; i += 4) {
        const int w = BASE64_DIGIT(text[i]), x = BASE64_DIGIT(text[i + 1]),
                  y = BASE64_DIGIT(text[i + 2]), z = BASE64_DIGIT(text[i + 3]);
        if ((w | x | y | z) < 0)
            return -1;
        out[n++] = (uint8_t)(w << 2 | x >> 4);
        out[n++] = (uint8_t)(x << 4 | y >> 2);
        out[n++] = (uint8_t)(y << 6 | z);
    }
    for (; i < len; i++) {
        int d = BASE64_DIGIT(text[i]);
        if (d < 0)
            return -1;
        v = v << 6 | (uint32_t)d;
    }
    if (len % 4 == 2) {
        if (v & 15)
            return -1;
        out[n++] = (uint8_t)(v >> 4);
    } else if (len % 4 == 3) {
        if (v & 3)
            return -1;
        out[n++] = (uint8_t)(v >> 10);
        out[n++] = (uint8_t)(v >> 2);
    }
    *ret_data = out;
    *ret_len = n;
    return 0;
}

void base32hex_encode(char *ret_text, const void *data, size_t n)
{
    const uint8_t *p = data;
    uint32_t v = 0;
    int bits = 0;
    for (size_t i = 0; i < n; i++) {
        v = v << 8 | p[i];
        bits += 8;
        while (bits >= 5) {
            bits -= 5;
            *ret_text++ = BASE32HEX[v >> bits & 31];
        }
        v &= (1u << bits) - 1;
    }
    if (bits)
        *ret_text++ = BASE32HEX[v << (5 - bits) & 31];
    *ret_text = 0;
}

void base32hex_add(struct buf *b, const void *data, size_t n)
{
    enum { PIECE = 40 }; /* bytes, of whole characters */
    const uint8_t *p = data;
    char text[BASE32HEX_LEN(PIECE) + 1];
    for (size_t part; n; p += part, n -= part) {
        part = n < PIECE ? n : PIECE;
        base32hex_encode(text, p, part);
        buf_add(b, text, BASE32HEX_LEN(part));
    }
}

void html_escape(struct buf *b, const char *text, size_t n, const char *quotes)
{
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if (c == '&')
            buf_puts(b, "&amp;");
        else if (c == '<')
            buf_puts(b, "&lt;");
        else if (c == '>')
            buf_puts(b, "&gt;");
        else if ((c == '"' || c == '\'') && strchr(quotes, c))
            buf_puts(b, c == '"' ? "&quot;" : "&#39;");
        else
            buf_byte(b, c);
    }
}

void html_escape_lines(struct buf *b, const char *text, const char *quotes, const char *line_end)
{
    for (const char *end; *text; text = end) {
        end = strchrnul(text, '\n');
        html_escape(b, text, (size_t)(end - text), quotes);
        if (*end) {
            buf_puts(b, line_end);
            end++;
        }
    }
}

int percent_decode(struct arena *a, const char *text, size_t len, bool query, char **ret_text,
                   size_t *ret_len)
{
    /* Nothing to decode, as most of it is; a NUL is refused below. */
    if (len && !memchr(text, '%', len) && !(query && memchr(text, '+', len)) &&
        !memchr(text, 0, len)) {
        *ret_text = arena_memdup(a, text, len);
        *ret_len = len;
        return a->failed ? -1 : 0;
    }
    char *out = arena_alloc(a, len + 1);
    size_t n = 0;
    if (a->failed)
        return -1;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c > '+') { /* nearly everything; bytes beyond ASCII take the long way */
            out[n++] = c;
            continue;
        }
        if (c == '%') {
            int hi = i + 1 < len ? hex_digit(text[i + 1]) : -1;
            int lo = i + 2 < len ? hex_digit(text[i + 2]) : -1;
            if (hi < 0 || lo < 0)
                return -1;
            c = (char)(hi << 4 | lo);
            i += 2;
        } else if (c == '+' && query) {
            c = ' ';
        }
        if (!c)
            return -1;
        out[n++] = c;
    }
    out[n] = 0;
    *ret_text = out;
    *ret_len = n;
    return 0;
}

/* RFC 3986: letters, digits and - . _ ~, a bit each. */
static bool unreserved(unsigned char c)
{
    static const uint32_t bits[8] = {0, 0x03ff6000, 0x87fffffe, 0x47fffffe, 0, 0, 0, 0};
    return bits[c >> 5] >> (c & 31) & 1;
}

char *percent_put(char *p, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (unreserved(c)) {
            *p++ = (char)c;
            continue;
        }
        *p++ = '%';
        *p++ = "0123456789ABCDEF"[c >> 4];
        *p++ = "0123456789ABCDEF"[c & 15];
    }
    return p;
}

void percent_add(struct buf *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t from = i;
        char three[3];
        while (i < len && unreserved((unsigned char)text[i]))
            i++;
        buf_add(b, text + from, i - from);
        if (i < len)
            buf_add(b, three, (size_t)(percent_put(three, text + i, 1) - three));
    }
}

int parse_u64(const char *text, size_t len, uint64_t *ret)
{
    uint64_t v = 0;
    if (!len)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v))
            return -1;
    }
    *ret = v;
    return 0;
}

int parse_i64(const char *text, size_t len, int64_t *ret)
{
    bool negative = len && text[0] == '-';
    uint64_t v;
    if (parse_u64(text + negative, len - negative, &v) < 0)
        return -1;
    if (v > (uint64_t)INT64_MAX + negative)
        return -1;
    *ret = (int64_t)(negative ? 0 - v : v);
    return 0;
}

/* Where a run of digits ends. */
static size_t digits_end(const char *text, size_t len, size_t i)
{
    while (i < len && text[i] >= '0' && text[i] <= '9')
        i++;
    return i;
}

static bool is_number(const char *text, size_t len)
{
    size_t at = len && text[0] == '-', i = digits_end(text, len, at);
    if (i == at || (text[at] == '0' && i - at > 1))
        return false;
    if (i < len && text[i] == '.') {
        at = i + 1;
        i = digits_end(text, len, at);
        if (i == at)
            return false;
    }
    if (i < len && (text[i] == 'e' || text[i] == 'E')) {
        at = i + 1;
        at += at < len && (text[at] == '+' || text[at] == '-');
        i = digits_end(text, len, at);
        if (i == at)
            return false;
    }
    return i == len;
}

static locale_t plain_locale;

static void make_locale(void)
{
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int parse_double(const char *text, size_t len, double *ret)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char few[64];
    if (!is_number(text, len))
        return -1;
    /* strtod() alone follows the locale of the process. */
    pthread_once(&once, make_locale);
    char *copy = len < sizeof few ? few : malloc(len + 1);
    if (!plain_locale || !copy) {
        if (copy != few)
            free(copy);
        return -1;
    }
    memcpy(copy, text, len);
    copy[len] = 0;
    double v = strtod_l(copy, NULL, plain_locale);
    if (copy != few)
        free(copy);
    if (isinf(v))
        return -1;
    *ret = v;
    return 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool str_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool str_eq_nocase(const char *a, const char *b)
{
    while (*a == *b || lower(*a) == lower(*b)) {
        if (!*a)
            return true;
        a++;
        b++;
    }
    return false;
}

int str_place(const char *const *list, const char *text)
{
    for (int i = 0; text && list[i]; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    return -1;
}

bool str_in_nocase(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(s, list[i]))
            return true;
    return false;
}

bool str_starts_in_nocase(const char *s, const char *const *prefixes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncasecmp(s, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool str_is_nocase(const char *text, size_t len, const char *word)
{
    for (size_t i = 0; i < len; i++)
        if (!word[i] || lower(text[i]) != lower(word[i]))
            return false;
    return !word[len];
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}
