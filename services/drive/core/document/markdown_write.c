/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as Markdown. */
#include "services/drive/core/document/format_impl.h"

/* A backslash before what would mean something. */
static void put_escaped(struct buf *out, const char *text, size_t n, bool first, bool cell)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (strchr("\\`*_[]<>~|", c) || (first && i == 0 && strchr("#+-", c)) ||
            (c == '.' && first && i && text[i - 1] >= '0' && text[i - 1] <= '9' && i + 1 < n &&
             text[i + 1] == ' '))
            buf_byte(out, '\\');
        if (c == '\n')
            buf_puts(out, cell ? "<br>" : "  \n");
        else
            buf_byte(out, c);
    }
}

static void md_put_run(struct buf *out, const struct text_run *r, bool first, bool cell)
{
    size_t n = strlen(r->text), from = 0, end = n;
    char open[8] = "", close[8] = "";
    if (r->style & RUN_CODE && !strpbrk(r->text, "`\n")) {
        buf_byte(out, '`');
        buf_puts(out, r->text);
        buf_byte(out, '`');
        return;
    }
    /* spaces are outside of marks */
    while (from < end && (r->text[from] == ' ' || r->text[from] == '\n'))
        from++;
    while (end > from && (r->text[end - 1] == ' ' || r->text[end - 1] == '\n'))
        end--;
    if (from < end) {
        if (r->style & RUN_STRIKE)
            strcat(open, "~~");
        if (r->style & RUN_BOLD)
            strcat(open, "**");
        if (r->style & RUN_ITALIC)
            strcat(open, "*");
        if (r->style & RUN_ITALIC)
            strcat(close, "*");
        if (r->style & RUN_BOLD)
            strcat(close, "**");
        if (r->style & RUN_STRIKE)
            strcat(close, "~~");
    }
    put_escaped(out, r->text, from, first, cell);
    buf_puts(out, open);
    if (r->link)
        buf_byte(out, '[');
    put_escaped(out, r->text + from, end - from, first && !from && !*open && !r->link, cell);
    if (r->link)
        buf_printf(out, "](%s)", r->link);
    buf_puts(out, close);
    put_escaped(out, r->text + end, n - end, false, cell);
}

static void md_put_runs(struct buf *out, const struct text_block *b, bool cell)
{
    for (const struct text_run *r = b->runs; r; r = r->next)
        md_put_run(out, r, r == b->runs && !cell, cell);
}

static void md_put_cell(struct buf *out, const struct text_block *blocks)
{
    for (const struct text_block *b = blocks; b; b = b->next) {
        md_put_runs(out, b, true);
        for (const struct text_row *row = b->rows; row; row = row->next)
            for (const struct text_part *c = row->cells; c; c = c->next)
                md_put_cell(out, c->blocks);
        if (b->next)
            buf_puts(out, "<br>");
    }
}

static void md_put_table(struct buf *out, const struct text_row *rows)
{
    for (const struct text_row *r = rows; r; r = r->next) {
        unsigned n = 0;
        buf_byte(out, '|');
        for (const struct text_part *c = r->cells; c; c = c->next, n++) {
            buf_byte(out, ' ');
            md_put_cell(out, c->blocks);
            buf_puts(out, " |");
        }
        buf_byte(out, '\n');
        if (r != rows)
            continue;
        for (buf_byte(out, '|'); n; n--)
            buf_puts(out, " :---- |");
        buf_byte(out, '\n');
    }
}

int markdown_export(struct arena *a, const struct document *d, struct buf *out,
                    struct sosia_err *err)
{
    unsigned number[LIST_LEVELS] = {0};
    (void)a;
    (void)err;
    for (const struct text_block *b = d->blocks; b; b = b->next) {
        unsigned h = b->heading == HEADING_TITLE      ? 1
                     : b->heading == HEADING_SUBTITLE ? 2
                                                      : b->heading;
        for (unsigned i = b->list ? b->level + 1 : 0; i < LIST_LEVELS; i++)
            number[i] = 0;
        for (unsigned i = 0; i < h; i++)
            buf_byte(out, '#');
        if (h)
            buf_byte(out, ' ');
        if (b->list) {
            for (unsigned i = 0; i < b->level; i++)
                buf_puts(out, "   ");
            if (b->list == LIST_NUMBER)
                buf_printf(out, "%u. ", ++number[b->level]);
            else
                buf_puts(out, "* ");
        }
        if (b->kind == BLOCK_RULE)
            buf_puts(out, "---\n");
        else if (b->kind == BLOCK_TABLE)
            md_put_table(out, b->rows);
        else {
            md_put_runs(out, b, false);
            buf_byte(out, '\n');
        }
        if (b->next && !(b->list && b->next->list))
            buf_byte(out, '\n');
    }
    return 0;
}
