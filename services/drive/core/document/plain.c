/* SPDX-License-Identifier: Apache-2.0 */
/* Plain text, and tables of text (RFC 4180, and with tabs). */
#include "services/drive/core/document/format_impl.h"
#include "engine/base/utf8.h"

#define BOM "\xEF\xBB\xBF"

const char *text_decoded(struct arena *a, const char *bytes, size_t *len)
{
    const unsigned char *p = (const unsigned char *)bytes;
    if (*len >= 3 && !memcmp(bytes, BOM, 3)) {
        *len -= 3;
        return bytes + 3;
    }
    bool wide = *len >= 2 && ((p[0] == 0xFF && p[1] == 0xFE) || (p[0] == 0xFE && p[1] == 0xFF));
    if (!wide && utf8_valid(bytes, *len))
        return bytes;
    char *out = arena_alloc(a, *len * 2 + 4), *at = out;
    if (arena_failed(a)) {
        *len = 0;
        return "";
    }
    if (!wide) {
        for (size_t i = 0; i < *len; i++)
            at = utf8_put(at, p[i]);
    } else {
        unsigned low = p[0] == 0xFF ? 0 : 1;
        for (size_t i = 2; i + 1 < *len; i += 2) {
            unsigned c = p[i + low] | (unsigned)p[i + 1 - low] << 8;
            if (c >= 0xD800 && c < 0xDC00 && i + 3 < *len) {
                unsigned d = p[i + 2 + low] | (unsigned)p[i + 3 - low] << 8;
                if (d >= 0xDC00 && d < 0xE000) {
                    c = 0x10000 + ((c - 0xD800) << 10) + (d - 0xDC00);
                    i += 2;
                }
            }
            at = utf8_put(at, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
        }
    }
    *len = (size_t)(at - out);
    return out;
}

/* ---- plain text ---- */

/* Where the next line of a presentation goes: an empty line ends a slide, whose first line is a
 * shape of its own. */
struct slide_lines {
    unsigned n; /* of the slide that is open */
    bool any;
};

static bool begin_slide_line(struct builder *b, struct slide_lines *at, size_t len)
{
    if (!len) {
        at->n = 0;
        return false;
    }
    if (!at->n)
        build_slide(b);
    if (at->n < 2)
        build_shape(b);
    at->n++;
    at->any = true;
    return true;
}

/* One paragraph a line; LF, CRLF and CR end one. */
int text_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    bool slides = b->doc->kind == DOCUMENT_SLIDES;
    struct slide_lines at = {0};
    (void)err;
    const char *text = text_decoded(b->arena, bytes, &len);
    for (size_t i = 0, from = 0; i <= len && !b->full; i++) {
        if (i < len && text[i] != '\n' && text[i] != '\r')
            continue;
        if (i == len && from == len && len)
            break; /* the last line is ended */
        if (!slides || begin_slide_line(b, &at, i - from)) {
            build_paragraph(b);
            build_run(b, text + from, i - from, 0, NULL);
        }
        if (i + 1 < len && text[i] == '\r' && text[i + 1] == '\n')
            i++;
        from = i + 1;
    }
    if (slides && !at.any)
        build_slide(b);
    return 0;
}

static void put_lines(struct buf *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\n')
            buf_byte(out, '\r');
        buf_byte(out, *p);
    }
}

struct numbers {
    unsigned at[LIST_LEVELS];
};

static void put_marker(struct buf *out, const struct text_block *b, struct numbers *n)
{
    if (!b->list) {
        memset(n, 0, sizeof *n);
        return;
    }
    for (unsigned i = 0; i < b->level; i++)
        buf_puts(out, "   ");
    for (unsigned i = b->level + 1; i < LIST_LEVELS; i++)
        n->at[i] = 0;
    if (b->list == LIST_NUMBER)
        buf_printf(out, "%u. ", ++n->at[b->level]);
    else
        buf_puts(out, "* ");
}

static void plain_put_blocks(struct buf *out, const struct text_block *b)
{
    struct numbers n = {{0}};
    for (; b; b = b->next) {
        if (b->kind == BLOCK_RULE) {
            buf_puts(out, "________________\r\n");
            continue;
        }
        for (const struct text_row *row = b->rows; row; row = row->next)
            for (const struct text_part *c = row->cells; c; c = c->next) {
                plain_put_blocks(out, c->blocks);
                if (c->next || row->next || b->next)
                    buf_puts(out, "\r\n");
            }
        if (b->kind == BLOCK_TABLE)
            continue;
        put_marker(out, b, &n);
        for (const struct text_run *r = b->runs; r; r = r->next)
            put_lines(out, r->text);
        if (b->next)
            buf_puts(out, "\r\n");
    }
}

/* With a byte order mark and CRLF; the last paragraph has no line end. */
int text_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    (void)a;
    (void)err;
    buf_puts(out, BOM);
    plain_put_blocks(out, d->blocks);
    for (const struct slide *s = d->slides; s; s = s->next) {
        for (const struct text_part *p = s->shapes; p; p = p->next) {
            plain_put_blocks(out, p->blocks);
            buf_puts(out, "\r\n");
        }
        if (s->next)
            buf_puts(out, "\r\n");
    }
    return 0;
}

/* ---- tables ---- */

/* The field at *at: its bytes, without quotes, in `field`. Gives what ended it: the separator,
 * '\n', or 0 at the end. */
static int next_field(const char *text, size_t len, size_t *at, char separator, struct buf *field)
{
    size_t i = *at;
    buf_clear(field);
    if (i < len && text[i] == '"') {
        for (i++; i < len; i++) {
            if (text[i] == '"' && i + 1 < len && text[i + 1] == '"')
                i++;
            else if (text[i] == '"')
                break;
            if (text[i] != '\r' || i + 1 >= len || text[i + 1] != '\n')
                buf_byte(field, text[i] == '\r' ? '\n' : text[i]);
        }
        i += i < len;
    }
    while (i < len && text[i] != separator && text[i] != '\n' && text[i] != '\r')
        buf_byte(field, text[i++]);
    if (i == len) {
        *at = i;
        return 0;
    }
    char end = text[i++];
    if (end == '\r' && i < len && text[i] == '\n')
        i++;
    *at = i;
    return end == separator ? separator : '\n';
}

static int read_table(struct builder *b, const char *bytes, size_t len, char separator)
{
    const char *text = text_decoded(b->arena, bytes, &len);
    struct buf field;
    uint32_t row = 0, column = 0;
    size_t at = 0;
    int end = separator;
    buf_init(&field, 0);
    build_sheet(b, NULL);
    build_sheet_row(b, 0);
    while (end && !b->full && (at < len || end == separator)) {
        end = next_field(text, len, &at, separator, &field);
        build_sheet_typed(b, column++, field.len ? field.data : "", field.len);
        if (end == '\n') {
            build_sheet_row(b, ++row);
            column = 0;
        }
    }
    buf_done(&field);
    return 0;
}

int csv_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    (void)err;
    return read_table(b, bytes, len, ',');
}

int tsv_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    (void)err;
    return read_table(b, bytes, len, '\t');
}

uint32_t sheet_width(const struct sheet *s)
{
    uint32_t n = 0;
    for (const struct sheet_row *r = s->rows; r; r = r->next)
        n = r->n > n ? r->n : n;
    return n;
}

static void put_csv(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        buf_puts(out, text);
        return;
    }
    buf_byte(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            buf_byte(out, '"');
        buf_byte(out, *text);
    }
    buf_byte(out, '"');
}

/* What would end a field is a space. */
static void put_tsv(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_byte(out, *text == '\t' || *text == '\n' ? ' ' : *text);
}

/* The first sheet; every row as wide as the widest; no line end behind the last one. */
static int plain_write_table(const struct document *d, struct buf *out, char separator)
{
    uint32_t width = sheet_width(d->sheets), at = 0;
    struct cell_scratch scratch;
    for (const struct sheet_row *r = d->sheets->rows; r && !buf_failed(out); r = r->next) {
        for (; at <= r->at && !buf_failed(out); at++) {
            if (at)
                buf_puts(out, "\r\n");
            for (uint32_t i = 0; i < width; i++) {
                const char *shown =
                    at == r->at && i < r->n ? cell_shown(&r->cells[i], &scratch) : "";
                if (i)
                    buf_byte(out, separator);
                if (separator == ',')
                    put_csv(out, shown);
                else
                    put_tsv(out, shown);
            }
        }
    }
    return 0;
}

int csv_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    (void)a;
    (void)err;
    return plain_write_table(d, out, ',');
}

int tsv_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    (void)a;
    (void)err;
    return plain_write_table(d, out, '\t');
}
