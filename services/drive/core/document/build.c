/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of documents. */
#include "services/drive/core/document/build.h"
#include "services/drive/core/document/number_format.h"
#include "engine/base/utf8.h"
#include <strings.h>

struct document *document_new(struct arena *a, enum document_kind kind, const char *title)
{
    struct document *d = arena_calloc(a, 1, sizeof *d);
    d->kind = kind;
    d->title = title ? title : "";
    if (kind == DOCUMENT_SHEETS) {
        d->sheets = arena_calloc(a, 1, sizeof *d->sheets);
        d->sheets->title = "Sheet1";
    } else if (kind != DOCUMENT_TEXT) {
        d->slides = arena_calloc(a, 1, sizeof *d->slides);
    }
    return d;
}

void build_init(struct builder *b, struct arena *a, struct document *doc)
{
    memset(b, 0, sizeof *b);
    b->arena = a;
    b->doc = doc;
    buf_init(&b->text, 0);
    doc->blocks = NULL;
    doc->sheets = NULL;
    doc->slides = NULL;
    b->block_end = &doc->blocks;
    b->sheet_end = &doc->sheets;
    b->slide_end = &doc->slides;
}

/* One more node; NULL: there are too many. */
static void *build_node(struct builder *b, size_t size)
{
    if (b->full || b->nodes == DOCUMENT_NODES) {
        b->full = true;
        return NULL;
    }
    b->nodes++;
    return arena_calloc(b->arena, 1, size);
}

/* So many bytes of text more: is there room for them? */
static bool room_for(struct builder *b, size_t len)
{
    if (b->full || len > DOCUMENT_BYTES - b->bytes)
        b->full = true;
    else
        b->bytes += len;
    return !b->full;
}

static size_t cleaned(const char *text, size_t len, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        unsigned step = utf8_sequence(text + i, len - i);
        unsigned char c = (unsigned char)text[i];
        if (!step) {
            i++;
            continue;
        }
        if (step > 1 || (c >= 0x20 && c != 0x7F) || c == '\t' || c == '\n') {
            memcpy(out + n, text + i, step);
            n += step;
        }
        i += step;
    }
    return n;
}

const char *build_text(struct arena *a, const char *text, size_t len)
{
    char *s = arena_alloc(a, len + 1);
    if (arena_failed(a))
        return "";
    s[cleaned(text, len, s)] = 0;
    return s;
}

/* ---- texts ---- */

static void end_run(struct builder *b)
{
    struct text_run *r;
    if (!b->text.len || !b->open || !(r = build_node(b, sizeof *r)))
        goto done;
    r->text = arena_memdup(b->arena, b->text.data, b->text.len);
    r->style = b->style;
    r->link = b->link;
    *b->run_end = r;
    b->run_end = &r->next;
done:
    buf_clear(&b->text);
}

void build_end_paragraph(struct builder *b)
{
    end_run(b);
    b->open = NULL;
}

static struct text_block *block(struct builder *b, enum block_kind kind)
{
    build_end_paragraph(b);
    struct text_block *t = build_node(b, sizeof *t);
    if (!t)
        return NULL;
    t->kind = kind;
    *b->block_end = t;
    b->block_end = &t->next;
    return t;
}

struct text_block *build_paragraph(struct builder *b)
{
    struct text_block *t = block(b, BLOCK_PARAGRAPH);
    if (!t) /* it is not needed */
        return arena_calloc(b->arena, 1, sizeof *t);
    b->open = t;
    b->run_end = &t->runs;
    return t;
}

void build_rule(struct builder *b)
{
    block(b, BLOCK_RULE);
}

void build_run(struct builder *b, const char *text, size_t len, unsigned style, const char *link)
{
    const char *kept = room_for(b, len) ? build_text(b->arena, text, len) : "";
    if (!*kept)
        return;
    if (!b->open)
        build_paragraph(b);
    bool same =
        style == b->style && (link == b->link || (link && b->link && !strcmp(link, b->link)));
    if (!same)
        end_run(b);
    b->style = style;
    b->link = link;
    buf_puts(&b->text, kept);
}

void build_table(struct builder *b)
{
    if (b->depth++ >= DOCUMENT_DEPTH)
        return;
    struct text_block *t = block(b, BLOCK_TABLE);
    unsigned at = b->depth - 1;
    b->tables[at].block_end = b->block_end;
    b->tables[at].row_end = t ? &t->rows : NULL;
    b->tables[at].cell_end = NULL;
}

void build_row(struct builder *b)
{
    struct text_row *r;
    unsigned at = b->depth - 1;
    build_end_paragraph(b);
    if (!b->depth || b->depth > DOCUMENT_DEPTH || !b->tables[at].row_end ||
        !(r = build_node(b, sizeof *r)))
        return;
    *b->tables[at].row_end = r;
    b->tables[at].row_end = &r->next;
    b->tables[at].cell_end = &r->cells;
}

void build_cell(struct builder *b)
{
    struct text_part *c;
    unsigned at = b->depth - 1;
    build_end_paragraph(b);
    if (!b->depth || b->depth > DOCUMENT_DEPTH)
        return;
    if (!b->tables[at].cell_end)
        build_row(b);
    if (!b->tables[at].cell_end || !(c = build_node(b, sizeof *c)))
        return;
    *b->tables[at].cell_end = c;
    b->tables[at].cell_end = &c->next;
    b->block_end = &c->blocks;
}

void build_end_table(struct builder *b)
{
    build_end_paragraph(b);
    if (!b->depth || --b->depth >= DOCUMENT_DEPTH)
        return;
    b->block_end = b->tables[b->depth].block_end;
}

const char *build_link(struct builder *b, const char *url)
{
    static const char *const kept[] = {"http://", "https://", "mailto:", "#"};
    for (size_t i = 0; url && i < SOSIA_LEN(kept); i++)
        if (!strncasecmp(url, kept[i], strlen(kept[i])))
            return build_text(b->arena, url, strlen(url) < 2048 ? strlen(url) : 2048);
    return NULL;
}

/* ---- slides ---- */

void build_slide(struct builder *b)
{
    build_end_paragraph(b);
    struct slide *s = build_node(b, sizeof *s);
    b->block_end = &b->doc->blocks; /* until there is a shape; dropped at the end */
    if (!s)
        return;
    *b->slide_end = s;
    b->slide_end = &s->next;
    b->shape_end = &s->shapes;
}

void build_shape(struct builder *b)
{
    build_end_paragraph(b);
    if (!b->shape_end)
        build_slide(b);
    struct text_part *s = build_node(b, sizeof *s);
    if (!s)
        return;
    *b->shape_end = s;
    b->shape_end = &s->next;
    b->block_end = &s->blocks;
}

/* ---- sheets ---- */

static struct sheet_row *end_row(struct builder *b)
{
    while (b->row_n && sheet_cell_bare(&b->row[b->row_n - 1]))
        b->row_n--;
    struct sheet_row *r = b->row_n && b->sheet ? build_node(b, sizeof *r) : NULL;
    size_t gap = r && b->row_at > b->row_next ? b->row_at - b->row_next : 0;
    if (gap > SHEET_CELLS || b->cells + gap > SHEET_CELLS) {
        b->full = true;
        r = NULL;
    }
    if (r) {
        b->cells += gap;
        b->row_next = b->row_at + 1;
        r->at = b->row_at;
        r->n = b->row_n;
        r->cells =
            (struct sheet_cell *)(void *)arena_memdup(b->arena, b->row, b->row_n * sizeof *b->row);
        *b->row_end = r;
        b->row_end = &r->next;
    }
    b->row_n = 0;
    return r;
}

void build_sheet_again(struct builder *b, uint32_t times)
{
    const struct sheet_row *last = end_row(b);
    for (uint32_t i = 1; last && i < times && !b->full; i++) {
        struct sheet_row *r = b->cells + last->n <= SHEET_CELLS && last->at + i < SHEET_ROWS
                                  ? build_node(b, sizeof *r)
                                  : NULL;
        if (!r) {
            b->full = true;
            break;
        }
        b->cells += last->n;
        *r = *last;
        r->next = NULL;
        r->at += i;
        b->row_next = r->at + 1;
        *b->row_end = r;
        b->row_end = &r->next;
    }
}

void build_sheet(struct builder *b, const char *title)
{
    end_row(b);
    if (b->sheets == SHEETS) {
        b->full = true;
        return;
    }
    struct sheet *s = arena_calloc(b->arena, 1, sizeof *s);
    b->sheets++;
    s->title = title && *title ? build_text(b->arena, title, strlen(title))
                               : arena_printf(b->arena, "Sheet%u", b->sheets);
    *b->sheet_end = s;
    b->sheet_end = &s->next;
    b->sheet = s;
    b->row_end = &s->rows;
    b->row_at = b->row_next = 0;
}

void build_sheet_row(struct builder *b, uint32_t at)
{
    if (!b->sheet)
        build_sheet(b, NULL);
    end_row(b);
    if (at >= SHEET_ROWS)
        b->full = true;
    else
        b->row_at = at;
}

static struct sheet_cell *cell(struct builder *b, uint32_t column)
{
    if (!b->sheet)
        build_sheet(b, NULL);
    if (column >= SHEET_COLUMNS || b->cells + (column + 1) > SHEET_CELLS + (size_t)b->row_n) {
        b->full = true;
        return NULL;
    }
    if (b->full || column < b->row_n)
        return NULL;
    if (column >= b->row_cap) {
        uint32_t cap = column < 64 ? 128 : column * 2;
        struct sheet_cell *row = arena_calloc(b->arena, cap, sizeof *row);
        if (arena_failed(b->arena))
            return NULL;
        if (b->row_n)
            memcpy(row, b->row, b->row_n * sizeof *row);
        b->row = row;
        b->row_cap = cap;
    }
    memset(b->row + b->row_n, 0, (column + 1 - b->row_n) * sizeof *b->row);
    b->cells += column + 1 - b->row_n;
    b->row_n = column + 1;
    return b->row + column;
}

size_t sheet_text_cut(const char *text, size_t len)
{
    size_t units = 0;
    for (size_t i = 0; len > SHEET_CELL_TEXT && i < len; i++) {
        const unsigned char c = (unsigned char)text[i];
        units += (c & 0xC0) == 0x80 ? 0 : c < 0xF0 ? 1 : 2;
        if (units > SHEET_CELL_TEXT)
            return i;
    }
    return len;
}

void build_sheet_text(struct builder *b, uint32_t column, const char *text, size_t len,
                      const char *formula)
{
    struct sheet_cell *c;
    size_t n = sheet_text_cut(text, len);
    const char *kept = room_for(b, n) ? build_text(b->arena, text, n) : "";
    if ((!*kept && !formula) || !(c = cell(b, column)))
        return;
    c->kind = CELL_TEXT;
    c->text = kept;
    c->formula = formula;
}

bool build_is_number(const char *text, size_t len)
{
    size_t i = 0, digits;
    if (len > 64)
        return false;
    if (i < len && text[i] == '-')
        i++;
    for (digits = i; i < len && text[i] >= '0' && text[i] <= '9';)
        i++;
    if (i == digits || (text[digits] == '0' && i - digits > 1))
        return false;
    if (i < len && text[i] == '.') {
        for (digits = ++i; i < len && text[i] >= '0' && text[i] <= '9';)
            i++;
        if (i == digits)
            return false;
    }
    if (i < len && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < len && (text[i] == '+' || text[i] == '-'))
            i++;
        for (digits = i; i < len && text[i] >= '0' && text[i] <= '9';)
            i++;
        if (i == digits)
            return false;
    }
    return i == len;
}

void build_sheet_number(struct builder *b, uint32_t column, const char *text, size_t len,
                        const char *formula)
{
    struct sheet_cell *c;
    if (!build_is_number(text, len)) {
        build_sheet_text(b, column, text, len, formula);
    } else if ((c = cell(b, column))) {
        c->kind = CELL_NUMBER;
        c->text = arena_memdup(b->arena, text, len);
        c->formula = formula;
    }
}

void build_sheet_bool(struct builder *b, uint32_t column, bool truth, const char *formula)
{
    struct sheet_cell *c = cell(b, column);
    if (!c)
        return;
    c->kind = CELL_BOOL;
    c->truth = truth;
    c->formula = formula;
}

void build_sheet_format(struct builder *b, uint32_t column, const char *code)
{
    int at;
    if (number_format_general(code) || !number_format_valid(code, strlen(code)) ||
        (b->row_n && column < b->row_n - 1))
        return;
    if (!b->formats)
        b->formats = arena_calloc(b->arena, 1, sizeof *b->formats);
    struct sheet_cell *c = column + 1 == b->row_n ? b->row + column : cell(b, column);
    if (!c || arena_failed(b->arena) || !room_for(b, strlen(code)))
        return;
    at = number_formats_add(b->formats, code);
    if (at < 0)
        return;
    if (b->formats->codes[at] == code)
        b->formats->codes[at] = build_text(b->arena, code, strlen(code));
    c->format = b->formats->codes[at];
}

void build_sheet_typed(struct builder *b, uint32_t column, const char *text, size_t len)
{
    if (len == 4 && !strncasecmp(text, "true", 4))
        build_sheet_bool(b, column, true, NULL);
    else if (len == 5 && !strncasecmp(text, "false", 5))
        build_sheet_bool(b, column, false, NULL);
    else
        build_sheet_number(b, column, text, len, NULL);
}

int build_end(struct builder *b, struct sosia_err *err)
{
    struct document *d = b->doc;
    build_end_paragraph(b);
    end_row(b);
    bool failed = buf_failed(&b->text);
    buf_done(&b->text);
    if (failed || arena_failed(b->arena))
        return sosia_fail_memory(err);
    if (b->full)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "the document has more than a document may have");
    if (d->kind != DOCUMENT_TEXT)
        d->blocks = NULL;
    if (d->kind == DOCUMENT_SHEETS && !d->sheets)
        d->sheets = document_new(b->arena, DOCUMENT_SHEETS, NULL)->sheets;
    if ((d->kind == DOCUMENT_SLIDES || d->kind == DOCUMENT_DRAWING) && !d->slides)
        d->slides = arena_calloc(b->arena, 1, sizeof *d->slides);
    return arena_failed(b->arena) ? sosia_fail_memory(err) : 0;
}

int unreadable(struct sosia_err *err, const char *format, const char *why)
{
    return sosia_fail(err, SOSIA_E_INVALID, "unreadable", NULL, "this is not %s: %s", format, why);
}
