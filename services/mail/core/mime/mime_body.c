/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of parts: transfer encodings and charsets. */
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/mail/core/mime/mime_impl.h"
#include <errno.h>
#include <gmime/gmime.h>
#include <iconv.h>
#include <stdio.h>

void mime_date_text(char ret[MIME_DATE], int64_t s, int32_t offset)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct civil c;
    int32_t abs = offset < 0 ? -offset : offset;
    civil_from_seconds(s + offset, &c);
    int64_t day = days_from_civil(c.year, c.month, c.day);
    snprintf(ret, MIME_DATE, "%s, %d %s %04d %02d:%02d:%02d %c%02d%02d",
             days[weekday_from_days(day) % 7], c.day % 100, months[(c.month - 1) % 12],
             c.year % 10000, c.hour % 100, c.minute % 100, c.second % 100, offset < 0 ? '-' : '+',
             (int)(abs / 3600 % 24), (int)(abs / 60 % 60));
}

/* ---- transfer encodings ---- */

/* Behind the line "begin MODE NAME" of uuencoded data; where there is none, all of it. */
static const char *behind_begin(const char *data, size_t len)
{
    const char *end = data + len;
    for (const char *p = data, *next; p < end; p = next) {
        const char *line = memchr(p, '\n', (size_t)(end - p));
        next = line ? line + 1 : end;
        if (next - p > 6 && memcmp(p, "begin ", 6) == 0 && g_ascii_isdigit(p[6]))
            return next;
    }
    return data;
}

static void decode_with_gmime(enum mime_encoding e, const char *data, size_t len, struct buf *out)
{
    static const GMimeContentEncoding encodings[] = {
        [MIME_BASE64] = GMIME_CONTENT_ENCODING_BASE64,
        [MIME_QP] = GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE,
        [MIME_UU] = GMIME_CONTENT_ENCODING_UUENCODE,
    };
    GMimeEncoding state;
    const char *begin = e == MIME_UU ? behind_begin(data, len) : data;
    len -= (size_t)(begin - data);
    data = begin;
    g_mime_encoding_init_decode(&state, encodings[e]);
    while (len && !buf_failed(out)) {
        size_t n = len < 65536 ? len : 65536;
        size_t room = g_mime_encoding_outlen(&state, n) + 64;
        if (!buf_grow(out, room))
            return;
        out->len += g_mime_encoding_step(&state, data, n, out->data + out->len);
        data += n;
        len -= n;
    }
    if (buf_grow(out, 64))
        out->len += g_mime_encoding_flush(&state, "", 0, out->data + out->len);
}

void mime_decode(enum mime_encoding e, const char *data, size_t len, struct buf *out)
{
    if (e <= MIME_BINARY)
        buf_add(out, data, len);
    else
        decode_with_gmime(e, data, len, out);
}

size_t mime_decoded_size(enum mime_encoding e, const char *data, size_t len)
{
    struct buf b;
    size_t n;
    if (e <= MIME_BINARY || !len)
        return e <= MIME_BINARY ? len : 0;
    buf_init(&b, 0);
    decode_with_gmime(e, data, len, &b);
    n = b.len;
    buf_done(&b);
    return n;
}

/* ---- charsets ---- */

/* What 0x80 to 0x9f are in Windows-1252, which is what unlabelled bytes and ISO-8859-1 mean. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
};

static size_t from_1252(const char *data, size_t len, char *out)
{
    char *p = out;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)data[i];
        p = utf8_put(p, c >= 0x80 && c < 0xa0 ? windows_1252[c - 0x80] : c ? c : 0xFFFD);
    }
    return (size_t)(p - out);
}

/* UTF-8 with its faults replaced. */
static size_t from_utf8(const char *data, size_t len, char *out)
{
    char *p = out;
    for (size_t i = 0; i < len;) {
        unsigned n = data[i] ? utf8_sequence(data + i, len - i) : 0;
        if (!n) {
            p = utf8_put(p, 0xFFFD);
            i++;
            continue;
        }
        memcpy(p, data + i, n);
        p += n;
        i += n;
    }
    return (size_t)(p - out);
}

static bool is_charset_name(const char *name)
{
    size_t n = strlen(name);
    if (!n || n > 40)
        return false;
    for (const char *p = name; *p; p++)
        if (!g_ascii_isalnum(*p) && !strchr("-_.:+", *p))
            return false;
    return true;
}

/* False: the charset is unknown. */
static bool from_other(const char *charset, const char *data, size_t len, struct buf *out)
{
    mime_library();
    const char *name = is_charset_name(charset) ? g_mime_charset_iconv_name(charset) : NULL;
    iconv_t cd = name ? iconv_open("UTF-8", name) : (iconv_t)-1;
    char *in = (char *)(uintptr_t)data;
    if (cd == (iconv_t)-1)
        return false;
    while (len && !buf_failed(out)) {
        if (!buf_grow(out, len < 4096 ? 4096 : len))
            break;
        char *to = out->data + out->len;
        size_t room = out->cap - out->len, had = room;
        size_t rc = iconv(cd, &in, &len, &to, &room);
        out->len += had - room;
        if (rc != (size_t)-1)
            break;
        if (errno == E2BIG && had > 64)
            continue;
        if (errno == EILSEQ || errno == E2BIG) {
            buf_puts(out, "\xEF\xBF\xBD");
            in++;
            len--;
            continue;
        }
        buf_puts(out, "\xEF\xBF\xBD"); /* cut short */
        break;
    }
    iconv_close(cd);
    return true;
}

static bool is_one_of(const char *charset, const char *const *names)
{
    for (; *names; names++)
        if (g_ascii_strcasecmp(charset, *names) == 0)
            return true;
    return false;
}

char *mime_to_utf8(struct arena *a, const char *charset, const char *data, size_t len,
                   size_t *ret_len)
{
    static const char *const unicode[] = {"utf-8", "utf8", "unicode-1-1-utf-8", NULL};
    static const char *const western[] = {"iso-8859-1",   "iso8859-1", "latin1",
                                          "windows-1252", "cp1252",    NULL};
    static const char *const ascii[] = {"us-ascii", "ascii", "", NULL};
    struct buf b;
    size_t n;
    char *out;
    bool said = charset && !is_one_of(charset, ascii);
    if (said && !is_one_of(charset, unicode) && !is_one_of(charset, western)) {
        buf_init(&b, 0);
        if (from_other(charset, data, len, &b) && !buf_failed(&b)) {
            out = arena_alloc(a, 3 * b.len + 1);
            n = arena_failed(a) ? 0 : from_utf8(b.data, b.len, out);
            buf_done(&b);
            goto done;
        }
        buf_done(&b);
        said = false;
    }
    if (utf8_valid(data, len) && !memchr(data, 0, len) && (!said || !is_one_of(charset, western))) {
        if (ret_len)
            *ret_len = len;
        return arena_memdup(a, data, len);
    }
    out = arena_alloc(a, 3 * len + 1);
    if (arena_failed(a))
        n = 0;
    else if (said && is_one_of(charset, unicode))
        n = from_utf8(data, len, out);
    else
        n = from_1252(data, len, out);
done:
    if (arena_failed(a)) {
        if (ret_len)
            *ret_len = 0;
        return arena_strdup(a, "");
    }
    out[n] = 0;
    if (ret_len)
        *ret_len = n;
    return out;
}
