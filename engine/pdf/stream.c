/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of PDF, and strings of its own encodings. */
#include "engine/pdf/pdf_impl.h"
#include <string.h>
#include <zlib.h>

/* ---- filters ---- */

struct decoding {
    struct pdf *p;
    const char *data;
    size_t len;
};

/* How many more bytes all streams may have. */
static size_t left(const struct pdf *p)
{
    return p->decoded < PDF_DECODED ? PDF_DECODED - p->decoded : 0;
}

/* Of what is cut, what there is. */
static void inflate_all(struct decoding *d, struct buf *out)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)d->data, .avail_in = (uInt)d->len};
    char part[16384];
    int r = Z_OK;
    if (inflateInit(&z) != Z_OK)
        return;
    while (r == Z_OK && out->len < left(d->p)) {
        z.next_out = (Bytef *)part;
        z.avail_out = sizeof part;
        r = inflate(&z, Z_NO_FLUSH);
        buf_add(out, part, sizeof part - z.avail_out);
    }
    inflateEnd(&z);
}

static void decode_hex(struct decoding *d, struct buf *out)
{
    int high = -1;
    for (size_t i = 0; i < d->len && d->data[i] != '>'; i++) {
        int c = d->data[i] | 32, digit = c >= '0' && c <= '9'   ? c - '0'
                                         : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                                : -1;
        if (digit < 0)
            continue;
        if (high >= 0)
            buf_byte(out, (char)(high << 4 | digit));
        high = high >= 0 ? -1 : digit;
    }
    if (high >= 0)
        buf_byte(out, (char)(high << 4));
}

static void put_group(struct buf *out, uint32_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_byte(out, (char)(word >> (24 - 8 * i)));
}

static void decode_85(struct decoding *d, struct buf *out)
{
    uint32_t word = 0;
    int n = 0;
    for (size_t i = 0; i < d->len && d->data[i] != '~' && out->len < left(d->p); i++) {
        char c = d->data[i];
        if (c == 'z' && n == 0)
            put_group(out, 0, 4);
        if (c < '!' || c > 'u')
            continue;
        word = word * 85 + (uint32_t)(c - '!');
        if (++n == 5) {
            put_group(out, word, 4);
            word = 0;
            n = 0;
        }
    }
    for (int i = n; n > 1 && i < 5; i++)
        word = word * 85 + 84;
    if (n > 1)
        put_group(out, word, n - 1);
}

static void decode_runs(struct decoding *d, struct buf *out)
{
    for (size_t i = 0; i < d->len && out->len < left(d->p);) {
        unsigned n = (unsigned char)d->data[i++];
        if (n == 128)
            return;
        if (n < 128) {
            size_t most = d->len - i < n + 1 ? d->len - i : n + 1;
            buf_add(out, d->data + i, most);
            i += most;
        } else if (i < d->len) {
            for (unsigned k = 0; k < 257 - n; k++)
                buf_byte(out, d->data[i]);
            i++;
        }
    }
}

/* Codes of 9 to 12 bits; each is the one before and one more byte. */
static void decode_lzw(struct decoding *d, struct buf *out)
{
    enum { CLEAR = 256, END = 257, CODES = 4096 };
    /* Not of the thread: a library that is loaded late has little room for those. An entry is read
     * only behind where it was written. */
    uint16_t above[CODES], length[CODES];
    uint8_t last[CODES];
    char text[CODES];
    unsigned width = 9, bits = 0, n = 258;
    uint32_t held = 0;
    int before = -1;
    for (size_t i = 0; out->len < left(d->p);) {
        while (bits < width && i < d->len) {
            held = held << 8 | (unsigned char)d->data[i++];
            bits += 8;
        }
        if (bits < width)
            return;
        unsigned code = held >> (bits - width) & ((1u << width) - 1);
        bits -= width;
        if (code == END)
            return;
        if (code == CLEAR) {
            width = 9;
            n = 258;
            before = -1;
            continue;
        }
        if (code > n || (code == n && before < 0))
            return;
        unsigned from = code < n ? code : (unsigned)before;
        unsigned len = from < 256 ? 1 : length[from];
        for (unsigned k = len, at = from; k > 0; k--, at = above[at])
            text[k - 1] = (char)(at < 256 ? at : last[at]);
        if (code == n)
            text[len++] = text[0];
        buf_add(out, text, len);
        if (before >= 0 && n < CODES) {
            above[n] = (uint16_t)before;
            last[n] = (uint8_t)text[0];
            length[n] = (uint16_t)((before < 256 ? 1 : length[before]) + 1);
            n++;
        }
        before = (int)code;
        width = n + 1 >= 2048 ? 12 : n + 1 >= 1024 ? 11 : n + 1 >= 512 ? 10 : 9;
    }
}

/* ---- predictors ---- */

static int paeth(int a, int b, int c)
{
    int p = a + b - c, x = p > a ? p - a : a - p, y = p > b ? p - b : b - p,
        z = p > c ? p - c : c - p;
    return x <= y && x <= z ? a : y <= z ? b : c;
}

/* Each row has a byte in front that says of what its bytes are differences. */
static void undo_rows(struct buf *b, size_t row, size_t step)
{
    uint8_t *data = (uint8_t *)b->data;
    size_t to = 0;
    for (size_t from = 0; from + 1 < b->len; from += row + 1) {
        const uint8_t how = data[from];
        size_t n = b->len - from - 1 < row ? b->len - from - 1 : row;
        for (size_t i = 0; i < n; i++) {
            int a = i >= step ? data[to + i - step] : 0, up = to >= row ? data[to + i - row] : 0,
                c = i >= step && to >= row ? data[to + i - row - step] : 0;
            int add = how == 1   ? a
                      : how == 2 ? up
                      : how == 3 ? (a + up) / 2
                      : how == 4 ? paeth(a, up, c)
                                 : 0;
            data[to + i] = (uint8_t)(data[from + 1 + i] + add);
        }
        to += n;
    }
    b->len = to;
}

static void undo_predictor(struct pdf *p, const struct pdf_value *how, struct buf *b)
{
    const double kind = pdf_number(pdf_get(p, how, "Predictor"), 1);
    const double colors = pdf_number(pdf_get(p, how, "Colors"), 1),
                 bits = pdf_number(pdf_get(p, how, "BitsPerComponent"), 8),
                 columns = pdf_number(pdf_get(p, how, "Columns"), 1);
    if (kind < 10 || colors < 1 || colors > 32 || bits < 1 || bits > 16 || columns < 1 ||
        columns > 1e6 || !b->len)
        return;
    const size_t step = (size_t)((colors * bits + 7) / 8);
    undo_rows(b, (size_t)((colors * bits * columns + 7) / 8), step ? step : 1);
}

/* ---- streams ---- */

static void decode(struct decoding *d, const struct pdf_value *filter, const struct pdf_value *how,
                   struct buf *out)
{
    if (pdf_is(filter, "FlateDecode") || pdf_is(filter, "Fl"))
        inflate_all(d, out);
    else if (pdf_is(filter, "LZWDecode") || pdf_is(filter, "LZW"))
        decode_lzw(d, out);
    else if (pdf_is(filter, "ASCIIHexDecode") || pdf_is(filter, "AHx"))
        decode_hex(d, out);
    else if (pdf_is(filter, "ASCII85Decode") || pdf_is(filter, "A85"))
        decode_85(d, out);
    else if (pdf_is(filter, "RunLengthDecode") || pdf_is(filter, "RL"))
        decode_runs(d, out);
    if (how->type == PDF_DICT)
        undo_predictor(d->p, how, out);
}

static void decode_all(struct pdf *p, const struct pdf_value *dict)
{
    struct pdf_bytes *bytes = dict->stream;
    const struct pdf_value *filters = pdf_get(p, dict, "Filter"),
                           *hows = pdf_get(p, dict, "DecodeParms");
    struct decoding d = {p, p->data + bytes->at, bytes->len};
    const size_t n = filters->type == PDF_ARRAY ? filters->n : filters->type == PDF_NAME;
    static const struct pdf_value none = {.type = PDF_NULL};
    if (!n)
        p->decoded += d.len;
    if (!left(p)) {
        p->too_much = true;
        d.len = 0;
    }
    for (size_t i = 0; i < n && i < 8; i++) {
        const struct pdf_value *how =
            hows->type == PDF_ARRAY ? (i < hows->n ? pdf_resolve(p, hows->items[i]) : &none) : hows;
        struct buf b;
        buf_init(&b, 0);
        decode(&d, filters->type == PDF_ARRAY ? pdf_resolve(p, filters->items[i]) : filters, how,
               &b);
        d.len = buf_failed(&b) ? 0 : b.len;
        d.data = arena_memdup(p->arena, buf_str(&b), d.len + 1);
        p->decoded += d.len;
        p->too_much = p->too_much || !left(p);
        p->failed = p->failed || !d.data || buf_failed(&b);
        buf_done(&b);
        if (!d.data)
            break;
    }
    bytes->decoded = d.data ? d.data : "";
    bytes->decoded_len = d.data ? d.len : 0;
}

const char *pdf_stream(struct pdf *p, const struct pdf_value *dict, size_t *ret_len)
{
    *ret_len = 0;
    if (!dict->stream)
        return "";
    if (!dict->stream->decoded)
        decode_all(p, dict);
    *ret_len = dict->stream->decoded_len;
    return dict->stream->decoded;
}

/* ---- strings ---- */

void pdf_put_unicode(struct buf *b, uint32_t c)
{
    if (c < 0x80) {
        buf_byte(b, (char)c);
    } else if (c < 0x800) {
        buf_byte(b, (char)(0xC0 | c >> 6));
        buf_byte(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        if (c >= 0xD800 && c < 0xE000)
            c = 0xFFFD;
        buf_byte(b, (char)(0xE0 | c >> 12));
        buf_byte(b, (char)(0x80 | (c >> 6 & 63)));
        buf_byte(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x110000) {
        buf_byte(b, (char)(0xF0 | c >> 18));
        buf_byte(b, (char)(0x80 | (c >> 12 & 63)));
        buf_byte(b, (char)(0x80 | (c >> 6 & 63)));
        buf_byte(b, (char)(0x80 | (c & 63)));
    }
}

const char *pdf_text_of(struct pdf *p, const struct pdf_value *v)
{
    const uint8_t *s = (const uint8_t *)v->str;
    struct buf b;
    buf_init(&b, 0);
    if (v->len >= 2 && s[0] == 0xFE && s[1] == 0xFF) {
        for (size_t i = 2; i + 1 < v->len; i += 2) {
            uint32_t c = (uint32_t)(s[i] << 8 | s[i + 1]);
            if (c >= 0xD800 && c < 0xDC00 && i + 3 < v->len) {
                c = 0x10000 + ((c - 0xD800) << 10) +
                    ((uint32_t)(s[i + 2] << 8 | s[i + 3]) - 0xDC00);
                i += 2;
            }
            if (c)
                pdf_put_unicode(&b, c);
        }
    } else {
        for (size_t i = 0; i < v->len; i++)
            if (s[i])
                pdf_put_unicode(&b, s[i]);
    }
    const char *text = arena_memdup(p->arena, buf_str(&b), b.len + 1);
    buf_done(&b);
    return text ? text : "";
}
