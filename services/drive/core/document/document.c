/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as JSON, and their text. */
#include "services/drive/core/document/build.h"
#include "services/drive/core/document/number_format.h"

static const char *const kinds[] = {"document", "spreadsheet", "presentation", "drawing"};
static const char *const styles[] = {"bold", "italic", "underline", "strike", "code"};
static const char *const headings[] = {"",         "heading1", "heading2", "heading3", "heading4",
                                       "heading5", "heading6", "title",    "subtitle"};
static const char *const lists[] = {"", "bullet", "number"};

/* ---- writing ---- */

static void write_blocks(struct json_writer *w, const char *key, const struct text_block *b);

static void doc_write_table(struct json_writer *w, const struct text_row *rows)
{
    json_arr(w, "table");
    for (const struct text_row *r = rows; r; r = r->next) {
        json_arr(w, NULL);
        for (const struct text_part *c = r->cells; c; c = c->next)
            write_blocks(w, NULL, c->blocks);
        json_end(w);
    }
    json_end(w);
}

static void write_runs(struct json_writer *w, const struct text_run *runs)
{
    json_arr(w, "runs");
    for (const struct text_run *r = runs; r; r = r->next) {
        json_obj(w, NULL);
        json_str(w, "text", r->text);
        for (unsigned i = 0; i < SOSIA_LEN(styles); i++)
            if (r->style & 1u << i)
                json_plain(w, styles[i], strlen(styles[i]), "true", 4);
        json_str_opt(w, "link", r->link);
        json_end(w);
    }
    json_end(w);
}

static void write_blocks(struct json_writer *w, const char *key, const struct text_block *b)
{
    json_arr(w, key);
    for (; b; b = b->next) {
        json_obj(w, NULL);
        if (b->kind == BLOCK_TABLE) {
            doc_write_table(w, b->rows);
        } else if (b->kind == BLOCK_RULE) {
            json_bool(w, "rule", true);
        } else {
            if (b->heading)
                json_str(w, "style", headings[b->heading]);
            if (b->list) {
                json_str(w, "list", lists[b->list]);
                json_int(w, "level", b->level);
            }
            write_runs(w, b->runs);
        }
        json_end(w);
    }
    json_end(w);
}

static void write_shapes(struct json_writer *w, const struct slide *s)
{
    json_arr(w, "shapes");
    for (const struct text_part *p = s ? s->shapes : NULL; p; p = p->next)
        write_blocks(w, NULL, p->blocks);
    json_end(w);
}

static void write_value(struct json_writer *w, const char *key, const struct sheet_cell *c)
{
    if (c->kind == CELL_NUMBER)
        json_number(w, key, c->text, strlen(c->text));
    else if (c->kind == CELL_BOOL)
        json_bool(w, key, c->truth);
    else
        json_str(w, key, c->kind == CELL_TEXT ? c->text : NULL);
}

static void write_cell(struct json_writer *w, const struct sheet_cell *c)
{
    if (!c->formula && !c->format) {
        write_value(w, NULL, c);
        return;
    }
    json_obj(w, NULL);
    json_str_opt(w, "formula", c->formula);
    json_str_opt(w, "format", c->format);
    write_value(w, "value", c);
    json_end(w);
}

static void write_sheets(struct json_writer *w, const struct sheet *s)
{
    json_arr(w, "sheets");
    for (; s; s = s->next) {
        uint32_t at = 0;
        json_obj(w, NULL);
        json_str(w, "title", s->title);
        json_arr(w, "rows");
        for (const struct sheet_row *r = s->rows; r; r = r->next, at++) {
            for (; at < r->at; at++) {
                json_arr(w, NULL);
                json_end(w);
            }
            json_arr(w, NULL);
            for (uint32_t i = 0; i < r->n; i++)
                write_cell(w, &r->cells[i]);
            json_end(w);
        }
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

void document_write(struct json_writer *w, const char *key, const struct document *d)
{
    json_obj(w, key);
    json_str(w, "kind", kinds[d->kind]);
    if (d->kind == DOCUMENT_TEXT)
        write_blocks(w, "blocks", d->blocks);
    else if (d->kind == DOCUMENT_SHEETS)
        write_sheets(w, d->sheets);
    else if (d->kind == DOCUMENT_DRAWING)
        write_shapes(w, d->slides);
    else {
        json_arr(w, "slides");
        for (const struct slide *s = d->slides; s; s = s->next) {
            json_obj(w, NULL);
            write_shapes(w, s);
            json_end(w);
        }
        json_end(w);
    }
    json_end(w);
}

/* ---- reading ---- */

static const struct json *items(const struct json *v, size_t *ret_n)
{
    *ret_n = v && v->type == JSON_ARRAY ? v->n : 0;
    return v && v->type == JSON_ARRAY ? v->items : NULL;
}

static unsigned word(const struct json *v, const char *const *words, unsigned n)
{
    for (unsigned i = 0; v && v->type == JSON_STRING && i < n; i++)
        if (!strcmp(v->str, words[i]))
            return i;
    return 0;
}

static void read_runs(struct builder *b, const struct json *v)
{
    size_t n;
    const struct json *run = items(v, &n);
    for (size_t i = 0; i < n; i++) {
        const struct json *text = json_get(&run[i], "text");
        unsigned style = 0;
        for (unsigned s = 0; s < SOSIA_LEN(styles); s++)
            style |= json_is_true(json_get(&run[i], styles[s])) ? 1u << s : 0;
        if (text && text->type == JSON_STRING)
            build_run(b, text->str, text->n, style, build_link(b, json_get_str(&run[i], "link")));
    }
}

/* Depth is bounded by the reader of JSON. */
static void read_blocks(struct builder *b, const struct json *v)
{
    size_t n, n_rows, n_cells;
    const struct json *block = items(v, &n);
    for (size_t i = 0; i < n; i++) {
        const struct json *table = json_get(&block[i], "table");
        if (table) {
            const struct json *row = items(table, &n_rows);
            build_table(b);
            for (size_t r = 0; r < n_rows; r++) {
                const struct json *cell = items(&row[r], &n_cells);
                build_row(b);
                for (size_t c = 0; c < n_cells; c++) {
                    build_cell(b);
                    read_blocks(b, &cell[c]);
                }
            }
            build_end_table(b);
        } else if (json_is_true(json_get(&block[i], "rule"))) {
            build_rule(b);
        } else {
            struct text_block *t = build_paragraph(b);
            int64_t level;
            t->heading = word(json_get(&block[i], "style"), headings, SOSIA_LEN(headings));
            t->list = (enum list_kind)word(json_get(&block[i], "list"), lists, SOSIA_LEN(lists));
            if (t->list && json_i64(json_get(&block[i], "level"), &level) == 0 && level > 0)
                t->level = level < LIST_LEVELS ? (unsigned)level : LIST_LEVELS - 1;
            read_runs(b, json_get(&block[i], "runs"));
            build_end_paragraph(b);
        }
    }
}

static void read_shapes(struct builder *b, const struct json *v)
{
    size_t n;
    const struct json *shape = items(v, &n);
    for (size_t i = 0; i < n; i++) {
        build_shape(b);
        read_blocks(b, &shape[i]);
    }
}

/* A formula begins with '='; anything else is none. */
static const char *formula_of(struct builder *b, const char *text)
{
    return text && *text == '=' ? build_text(b->arena, text, strlen(text)) : NULL;
}

static void read_cell(struct builder *b, uint32_t column, const struct json *v)
{
    const char *formula = NULL, *format = NULL;
    if (v->type == JSON_OBJECT) {
        format = json_get_str(v, "format");
        formula = formula_of(b, json_get_str(v, "formula"));
        v = json_get(v, "value");
    }
    if (!v || v->type == JSON_NULL)
        build_sheet_text(b, column, "", 0, formula);
    else if (v->type == JSON_STRING)
        build_sheet_text(b, column, v->str, v->n, formula);
    else if (v->type == JSON_NUMBER)
        build_sheet_number(b, column, v->str, v->n, formula);
    else if (v->type == JSON_BOOL)
        build_sheet_bool(b, column, v->truth, formula);
    build_sheet_format(b, column, format);
}

static void read_sheets(struct builder *b, const struct json *v)
{
    size_t n, n_rows, n_cells;
    const struct json *sheet = items(v, &n);
    for (size_t i = 0; i < n; i++) {
        const struct json *row = items(json_get(&sheet[i], "rows"), &n_rows);
        build_sheet(b, json_get_str(&sheet[i], "title"));
        for (size_t r = 0; r < n_rows; r++) {
            const struct json *cell = items(&row[r], &n_cells);
            build_sheet_row(b, r < SHEET_ROWS ? (uint32_t)r : SHEET_ROWS);
            for (size_t c = 0; c < n_cells && !b->full; c++)
                read_cell(b, (uint32_t)c, &cell[c]);
        }
    }
}

int document_read(struct arena *a, const struct json *v, const char *title,
                  struct document **ret_document, struct sosia_err *err)
{
    const struct json *kind = json_get(v, "kind");
    unsigned k = word(kind, kinds, SOSIA_LEN(kinds));
    struct builder b;
    size_t n;
    if (!kind || kind->type != JSON_STRING || strcmp(kind->str, kinds[k]) != 0)
        return sosia_fail(err, SOSIA_E_INVALID, "unreadable", "kind",
                          "kind must be one of document, spreadsheet, presentation, drawing");
    struct document *d = document_new(a, (enum document_kind)k, title);
    build_init(&b, a, d);
    if (d->kind == DOCUMENT_TEXT) {
        read_blocks(&b, json_get(v, "blocks"));
    } else if (d->kind == DOCUMENT_SHEETS) {
        read_sheets(&b, json_get(v, "sheets"));
    } else if (d->kind == DOCUMENT_DRAWING) {
        build_slide(&b);
        read_shapes(&b, json_get(v, "shapes"));
    } else {
        const struct json *slide = items(json_get(v, "slides"), &n);
        for (size_t i = 0; i < n; i++) {
            build_slide(&b);
            read_shapes(&b, json_get(&slide[i], "shapes"));
        }
    }
    if (build_end(&b, err) < 0)
        return -1;
    *ret_document = d;
    return 0;
}

/* ---- text ---- */

static void text_of_blocks(const struct text_block *b, struct buf *out)
{
    for (; b; b = b->next) {
        for (const struct text_run *r = b->runs; r; r = r->next)
            buf_puts(out, r->text);
        for (const struct text_row *row = b->rows; row; row = row->next)
            for (const struct text_part *c = row->cells; c; c = c->next)
                text_of_blocks(c->blocks, out);
        if (b->kind == BLOCK_PARAGRAPH)
            buf_byte(out, '\n');
    }
}

void document_text(const struct document *d, struct buf *out)
{
    struct cell_scratch scratch;
    text_of_blocks(d->blocks, out);
    for (const struct sheet *s = d->sheets; s; s = s->next) {
        buf_puts(out, s->title);
        buf_byte(out, '\n');
        for (const struct sheet_row *r = s->rows; r; r = r->next) {
            for (uint32_t i = 0; i < r->n; i++) {
                if (i)
                    buf_byte(out, '\t');
                buf_puts(out, cell_shown(&r->cells[i], &scratch));
            }
            buf_byte(out, '\n');
        }
    }
    for (const struct slide *s = d->slides; s; s = s->next)
        for (const struct text_part *p = s->shapes; p; p = p->next)
            text_of_blocks(p->blocks, out);
}
