/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a page: what its operators show, in their order. Where one begins elsewhere than the
 * one before has ended there is a space, or a new line.
 */
#include "engine/pdf/font.h"
#include <math.h>
#include <string.h>

enum { OPERANDS = 16, STATES = 64, FORMS = 8, MOST_FORMS = 2000 };

struct matrix {
    double a, b, c, d, e, f;
};

struct state {
    struct matrix ctm;
    const struct pdf_font *font;
    double size, letters, words, scale, leading, rise;
};

struct drawing {
    struct pdf *p;
    struct buf *out;
    struct state now, kept[STATES];
    size_t n_kept;
    struct matrix text, line;
    double x, y, height; /* where the last letter ended */
    bool any;
    unsigned forms;
    const struct pdf_value *drawn[FORMS]; /* those that it is in */
};

static const struct matrix unit = {1, 0, 0, 1, 0, 0};

/* First m, then n. */
static struct matrix times(struct matrix m, struct matrix n)
{
    return (struct matrix){m.a * n.a + m.b * n.c,       m.a * n.b + m.b * n.d,
                           m.c * n.a + m.d * n.c,       m.c * n.b + m.d * n.d,
                           m.e * n.a + m.f * n.c + n.e, m.e * n.b + m.f * n.d + n.f};
}

/* ---- letters ---- */

static bool ends_in_space(const struct buf *b)
{
    return !b->len || b->data[b->len - 1] == ' ' || b->data[b->len - 1] == '\n';
}

/* Before a text: what is between it and the one before. */
static void go_to(struct drawing *d, const struct matrix *at)
{
    const double height = fabs(d->now.size) * sqrt(at->c * at->c + at->d * at->d);
    const double most = height > d->height ? height : d->height;
    if (d->any && fabs(at->f - d->y) > most * 0.5) {
        while (d->out->len && d->out->data[d->out->len - 1] == ' ')
            d->out->len--;
        if (d->out->len)
            buf_byte(d->out, '\n');
    } else if (d->any && fabs(at->e - d->x) > most * 0.2 && !ends_in_space(d->out)) {
        buf_byte(d->out, ' ');
    }
    d->height = height;
}

static void show(struct drawing *d, const struct pdf_value *v)
{
    const struct pdf_font *f = d->now.font;
    if (v->type != PDF_STRING || !f || !v->len || !pdf_spend(d->p, v->len * 4))
        return;
    struct matrix at = times(d->text, d->now.ctm);
    go_to(d, &at);
    for (size_t i = 0; i + (size_t)f->bytes <= v->len; i += (size_t)f->bytes) {
        uint32_t code = (uint8_t)v->str[i];
        if (f->bytes == 2)
            code = code << 8 | (uint8_t)v->str[i + 1];
        pdf_put_code(d->p, f, code, d->out);
        double step = pdf_width(d->p, f, code) * d->now.size + d->now.letters +
                      (f->bytes == 1 && code == ' ' ? d->now.words : 0);
        d->text = times((struct matrix){1, 0, 0, 1, step * d->now.scale, 0}, d->text);
    }
    at = times(d->text, d->now.ctm);
    d->x = at.e;
    d->y = at.f;
    d->any = true;
}

static void show_list(struct drawing *d, const struct pdf_value *list)
{
    for (size_t i = 0; list->type == PDF_ARRAY && i < list->n; i++) {
        const struct pdf_value *v = list->items[i];
        if (v->type == PDF_NUMBER)
            d->text = times(
                (struct matrix){1, 0, 0, 1, -v->number / 1000 * d->now.size * d->now.scale, 0},
                d->text);
        else
            show(d, v);
    }
}

static void next_line(struct drawing *d, double x, double y)
{
    d->line = times((struct matrix){1, 0, 0, 1, x, y}, d->line);
    d->text = d->line;
}

/* ---- operators ---- */

static void run(struct drawing *d, const char *text, size_t len, const struct pdf_value *resources,
                int depth);

static double operand(struct pdf_value *const *list, size_t n, size_t at, double usual)
{
    return at < n ? pdf_number(list[at], usual) : usual;
}

static struct matrix matrix_of(struct pdf_value *const *list, size_t n)
{
    return (struct matrix){operand(list, n, 0, 1), operand(list, n, 1, 0), operand(list, n, 2, 0),
                           operand(list, n, 3, 1), operand(list, n, 4, 0), operand(list, n, 5, 0)};
}

static void draw_form(struct drawing *d, const char *name, const struct pdf_value *resources,
                      int depth)
{
    struct pdf *p = d->p;
    const struct pdf_value *form = pdf_get(p, pdf_get(p, resources, "XObject"), name);
    size_t len;
    if (!form->stream || !pdf_is(pdf_get(p, form, "Subtype"), "Form") || depth >= FORMS ||
        ++d->forms > MOST_FORMS)
        return;
    for (int i = 0; i < depth; i++)
        if (d->drawn[i] == form)
            return;
    d->drawn[depth] = form;
    const struct pdf_value *own = pdf_get(p, form, "Resources"),
                           *matrix = pdf_get(p, form, "Matrix");
    const struct state before = d->now;
    const struct matrix text = d->text, line = d->line;
    const char *content = pdf_stream(p, form, &len);
    if (matrix->type == PDF_ARRAY)
        d->now.ctm = times(matrix_of(matrix->items, matrix->n), d->now.ctm);
    run(d, content, len, own->type == PDF_DICT ? own : resources, depth + 1);
    d->now = before;
    d->text = text;
    d->line = line;
}

static void set_font(struct drawing *d, struct pdf_value *const *list, size_t n,
                     const struct pdf_value *resources)
{
    const struct pdf_value *fonts = pdf_get(d->p, resources, "Font"), *font;
    if (n < 2 || list[0]->type != PDF_NAME || !pdf_spend(d->p, 32))
        return;
    font = pdf_get(d->p, fonts, list[0]->str);
    d->now.size = pdf_number(list[1], 0);
    d->now.font = font->type == PDF_DICT ? pdf_font(d->p, font) : NULL;
}

static void keep(struct drawing *d, bool back)
{
    if (!back && d->n_kept < STATES)
        d->kept[d->n_kept++] = d->now;
    else if (back && d->n_kept)
        d->now = d->kept[--d->n_kept];
}

/* Those that begin with a T, of text. */
static void text_operator(struct drawing *d, char which, struct pdf_value *const *list, size_t n,
                          const struct pdf_value *resources)
{
    const double first = operand(list, n, 0, 0), second = operand(list, n, 1, 0);
    switch (which) {
    case 'f':
        set_font(d, list, n, resources);
        break;
    case 'd':
        next_line(d, first, second);
        break;
    case 'D':
        d->now.leading = -second;
        next_line(d, first, second);
        break;
    case 'm':
        d->line = matrix_of(list, n);
        d->text = d->line;
        break;
    case '*':
        next_line(d, 0, -d->now.leading);
        break;
    case 'c':
        d->now.letters = first;
        break;
    case 'w':
        d->now.words = first;
        break;
    case 'z':
        d->now.scale = first / 100;
        break;
    case 'L':
        d->now.leading = first;
        break;
    case 's':
        d->now.rise = first;
        break;
    case 'j':
        if (n)
            show(d, list[n - 1]);
        break;
    case 'J':
        if (n)
            show_list(d, list[n - 1]);
        break;
    default:
        break;
    }
}

static void operate(struct drawing *d, const char *word, struct pdf_value *const *list, size_t n,
                    const struct pdf_value *resources, int depth)
{
    if (word[0] == 'T' && word[1] && !word[2]) {
        text_operator(d, word[1], list, n, resources);
    } else if (strcmp(word, "BT") == 0) {
        d->text = d->line = unit;
    } else if (strcmp(word, "'") == 0 || strcmp(word, "\"") == 0) {
        if (word[0] == '"') {
            d->now.words = operand(list, n, 0, 0);
            d->now.letters = operand(list, n, 1, 0);
        }
        next_line(d, 0, -d->now.leading);
        if (n)
            show(d, list[n - 1]);
    } else if (strcmp(word, "q") == 0 || strcmp(word, "Q") == 0) {
        keep(d, word[0] == 'Q');
    } else if (strcmp(word, "cm") == 0) {
        d->now.ctm = times(matrix_of(list, n), d->now.ctm);
    } else if (strcmp(word, "Do") == 0 && n && list[n - 1]->type == PDF_NAME) {
        draw_form(d, list[n - 1]->str, resources, depth);
    }
}

/* Behind the bytes of a picture among the operators. */
static void skip_picture(struct pdf_lexer *l)
{
    while (l->at + 2 < l->len) {
        const char *end = memmem(l->data + l->at, l->len - l->at, "EI", 2);
        size_t at = end ? (size_t)(end - l->data) : l->len;
        l->at = at + 2 < l->len ? at + 2 : l->len;
        if (!end || (at && strchr(" \n\r\t", l->data[at - 1]) &&
                     (l->at == l->len || strchr(" \n\r\t", l->data[l->at]))))
            return;
    }
}

static void run(struct drawing *d, const char *text, size_t len, const struct pdf_value *resources,
                int depth)
{
    struct arena scratch;
    struct pdf_value *list[OPERANDS], *v;
    size_t n = 0;
    arena_init(&scratch, 0);
    struct pdf_lexer l = {.pdf = d->p, .data = text, .len = len, .arena = &scratch};
    const bool may = pdf_spend(d->p, len + 16);
    while (may && !buf_failed(d->out) && (v = pdf_next(&l, false, 0)) != NULL) {
        if (v->type != PDF_WORD) {
            if (n == OPERANDS)
                memmove(list, list + 1, --n * sizeof *list);
            list[n++] = v;
            continue;
        }
        if (strcmp(v->str, "ID") == 0)
            skip_picture(&l);
        else
            operate(d, v->str, list, n, resources, depth);
        n = 0;
        l.made = 0;
        arena_reset(&scratch);
    }
    arena_done(&scratch);
}

void pdf_page_text(struct pdf *p, size_t i, struct buf *out)
{
    const struct pdf_page *page = &p->pages[i];
    const struct pdf_value *content = pdf_get(p, page->dict, "Contents");
    const size_t n = content->type == PDF_ARRAY ? content->n : 1;
    struct buf all, text;
    size_t len;
    buf_init(&all, PDF_DECODED * 2);
    buf_init(&text, PDF_SHOWN - p->shown + 1);
    struct drawing d = {
        .p = p, .out = &text, .now = {.ctm = unit, .scale = 1}, .text = unit, .line = unit};
    for (size_t k = 0; k < n; k++) {
        if (!pdf_spend(p, 16))
            break;
        const struct pdf_value *part =
            content->type == PDF_ARRAY ? pdf_resolve(p, content->items[k]) : content;
        if (!part->stream)
            continue;
        const char *bytes = pdf_stream(p, part, &len);
        buf_add(&all, bytes, len);
        buf_byte(&all, '\n');
    }
    run(&d, buf_str(&all), all.len, page->resources, 0);
    p->too_much = p->too_much || buf_failed(&all) || buf_failed(&text);
    p->shown += text.len;
    if (p->shown > PDF_SHOWN)
        p->shown = PDF_SHOWN;
    buf_add(out, buf_str(&text), text.len);
    buf_done(&all);
    buf_done(&text);
}
