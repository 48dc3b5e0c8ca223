/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents as PDF, by libharu with the fonts that every reader has: letters beyond Windows-1252
 * are shown as '?'. No date and no id is written, so equal documents give equal bytes.
 */
#include "services/drive/core/document/format_impl.h"
#include "engine/base/utf8.h"
#include <hpdf.h>
#include <stdio.h>

enum { PAGES = 2000, LINE = 4096, MARGIN = 56, LIST_INDENT = 18 };

struct writer {
    HPDF_Doc pdf;
    HPDF_Page page;
    HPDF_Font fonts[8]; /* bold 1, italic 2, fixed 4 */
    float x, y, left, right, bottom, top, height;
    float page_width, page_height; /* 0: A4 */
    unsigned pages;
    bool failed;
};

static void on_error(HPDF_STATUS error, HPDF_STATUS detail, void *arg)
{
    struct writer *w = arg;
    (void)error;
    (void)detail;
    w->failed = true;
}

/* Windows-1252, from 0x80 on. */
static const uint16_t high[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                  0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                  0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                  0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static char encoded(unsigned c)
{
    if (c == '\t' || c == 0xA0)
        return ' ';
    if (c >= 0x20 && c < 0x7F)
        return (char)c;
    if (c > 0xA0 && c < 0x100)
        return (char)c;
    for (unsigned i = 0; i < SOSIA_LEN(high); i++)
        if (high[i] && high[i] == c)
            return (char)(0x80 + i);
    return '?';
}

static void new_page(struct writer *w)
{
    if (w->failed || w->pages++ == PAGES) {
        w->failed = true;
        return;
    }
    w->page = HPDF_AddPage(w->pdf);
    if (!w->page)
        return;
    if (w->page_width > 0 && w->page_height > 0) {
        HPDF_Page_SetWidth(w->page, w->page_width);
        HPDF_Page_SetHeight(w->page, w->page_height);
    }
    w->right = HPDF_Page_GetWidth(w->page) - MARGIN;
    w->top = HPDF_Page_GetHeight(w->page) - MARGIN;
    w->bottom = MARGIN;
    w->left = w->x = MARGIN;
    w->y = w->top;
}

static void new_line(struct writer *w, float size)
{
    w->x = w->left;
    w->y -= size * 1.3f;
    if (w->y < w->bottom) {
        float left = w->left;
        new_page(w);
        w->left = w->x = left;
        w->y -= size;
    }
}

static HPDF_Font font_of(const struct writer *w, unsigned style)
{
    return w->fonts[(style & RUN_BOLD ? 1 : 0) | (style & RUN_ITALIC ? 2 : 0) |
                    (style & RUN_CODE ? 4 : 0)];
}

static void show(struct writer *w, const char *word, size_t n, HPDF_Font font, float size)
{
    char text[LINE];
    if (w->failed || !n)
        return;
    memcpy(text, word, n);
    text[n] = 0;
    float width =
        HPDF_Font_TextWidth(font, (const HPDF_BYTE *)text, (HPDF_UINT)n).width * size / 1000;
    if (w->x > w->left && w->x + width > w->right && *text != ' ')
        new_line(w, size);
    if (w->failed || (*text == ' ' && w->x + width > w->right))
        return;
    HPDF_Page_SetFontAndSize(w->page, font, size);
    HPDF_Page_BeginText(w->page);
    HPDF_Page_TextOut(w->page, w->x, w->y, text);
    HPDF_Page_EndText(w->page);
    w->x += width;
}

/* Words go to the next line when they don't fit; one that never would is cut. */
static void pdf_put_text(struct writer *w, const char *text, HPDF_Font font, float size)
{
    char word[128];
    size_t n = 0;
    for (unsigned step; *text && !w->failed; text += step) {
        step = utf8_sequence(text, strnlen(text, 4));
        if (!step)
            step = 1;
        char c = *text == '\n' ? '\n' : encoded(utf8_code_point(text, step));
        if (c == ' ' || c == '\n' || n == 80) {
            show(w, word, n, font, size);
            n = 0;
        }
        if (c == '\n')
            new_line(w, size);
        else if (c == ' ')
            show(w, " ", 1, font, size);
        else
            word[n++] = c;
    }
    show(w, word, n, font, size);
}

static void pdf_put_blocks(struct writer *w, const struct text_block *b)
{
    static const float sizes[] = {11, 20, 16, 14, 12, 11, 11, 26, 15};
    unsigned number = 0;
    float left = w->left;
    for (; b && !w->failed; b = b->next) {
        float size = sizes[b->heading];
        number = b->list == LIST_NUMBER ? number + 1 : 0;
        if (b->kind == BLOCK_TABLE) {
            for (const struct text_row *r = b->rows; r && !w->failed; r = r->next)
                for (const struct text_part *c = r->cells; c && !w->failed; c = c->next) {
                    w->left = left + LIST_INDENT;
                    pdf_put_blocks(w, c->blocks);
                    w->left = left;
                }
            continue;
        }
        w->left = left + (b->list ? LIST_INDENT * (float)(b->level + 1) : 0);
        new_line(w, size);
        if (b->kind == BLOCK_RULE && !w->failed) {
            HPDF_Page_MoveTo(w->page, w->left, w->y);
            HPDF_Page_LineTo(w->page, w->right, w->y);
            HPDF_Page_Stroke(w->page);
        }
        if (b->list == LIST_NUMBER) {
            char marker[16];
            snprintf(marker, sizeof marker, "%u. ", number);
            show(w, marker, strlen(marker), w->fonts[0], size);
        } else if (b->list) {
            show(w, "\x95 ", 2, w->fonts[0], size);
        }
        for (const struct text_run *r = b->runs; r; r = r->next)
            pdf_put_text(w, r->text, font_of(w, r->style), size);
        w->left = left;
    }
}

static void pdf_put_sheet(struct writer *w, const struct sheet *s)
{
    struct cell_scratch scratch;
    for (const struct sheet_row *r = s->rows; r && !w->failed; r = r->next) {
        new_line(w, 10);
        for (uint32_t i = 0; i < r->n && !w->failed; i++) {
            if (i)
                pdf_put_text(w, "   ", w->fonts[0], 10);
            pdf_put_text(w, cell_shown(&r->cells[i], &scratch), w->fonts[0], 10);
        }
    }
}

static void put_document(struct writer *w, const struct document *d)
{
    static const char *const fonts[8] = {
        "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique",
        "Courier",   "Courier-Bold",   "Courier-Oblique",   "Courier-BoldOblique"};
    HPDF_SetCompressionMode(w->pdf, HPDF_COMP_TEXT);
    for (unsigned i = 0; i < SOSIA_LEN(fonts); i++)
        w->fonts[i] = HPDF_GetFont(w->pdf, fonts[i], "WinAnsiEncoding");
    if (d->kind == DOCUMENT_TEXT) {
        new_page(w);
        pdf_put_blocks(w, d->blocks);
    }
    for (const struct sheet *s = d->sheets; s && !w->failed; s = s->next) {
        new_page(w);
        pdf_put_sheet(w, s);
    }
    for (const struct slide *s = d->slides; s && !w->failed; s = s->next) {
        new_page(w);
        for (const struct text_part *p = s->shapes; p && !w->failed; p = p->next)
            pdf_put_blocks(w, p->blocks);
    }
}

int pdf_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    struct writer w = {.page_width = d->page_width, .page_height = d->page_height};
    (void)a;
    w.pdf = HPDF_New(on_error, &w);
    if (!w.pdf)
        return sosia_fail_memory(err);
    put_document(&w, d);
    if (!w.failed)
        HPDF_SaveToStream(w.pdf);
    if (!w.failed) {
        HPDF_UINT32 left = HPDF_GetStreamSize(w.pdf);
        HPDF_BYTE piece[16384];
        HPDF_ResetStream(w.pdf);
        while (left && !buf_failed(out)) {
            HPDF_UINT32 n = sizeof piece;
            HPDF_ReadFromStream(w.pdf, piece, &n);
            if (!n)
                break;
            buf_add(out, piece, n);
            left -= n < left ? n : left;
        }
    }
    HPDF_Free(w.pdf);
    return w.failed ? sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                                 "the document has more than %d pages, or no memory is left", PAGES)
                    : 0;
}
