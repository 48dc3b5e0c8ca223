/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as OpenDocument (ISO 26300): texts, spreadsheets, presentations. */
#include "engine/base/codec.h"
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/parts.h"

#define NAMESPACES                                                                                 \
    " xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\""                           \
    " xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\""                             \
    " xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\""                               \
    " xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\""                             \
    " xmlns:draw=\"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0\""                            \
    " xmlns:fo=\"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0\""                    \
    " xmlns:svg=\"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0\""                      \
    " xmlns:of=\"urn:oasis:names:tc:opendocument:xmlns:of:1.2\""                                   \
    " xmlns:xlink=\"http://www.w3.org/1999/xlink\" office:version=\"1.2\""
#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
enum { STYLES = 32 }; /* of runs: every combination of five */

static void odf_write_text(struct buf *out, const char *text)
{
    bool space = true; /* at the beginning, and behind another one, a space is an element */
    for (; *text; text++) {
        if (*text == ' ' && space)
            buf_puts(out, "<text:s/>");
        else if (*text == '\t')
            buf_puts(out, "<text:tab/>");
        else if (*text == '\n')
            buf_puts(out, "<text:line-break/>");
        else
            html_escape(out, text, 1, "\"");
        space = *text == ' ' || *text == '\n' || *text == '\t';
    }
}

static void odf_put_runs(struct buf *out, const struct text_block *b)
{
    for (const struct text_run *r = b->runs; r; r = r->next) {
        if (r->link) {
            buf_puts(out, "<text:a xlink:type=\"simple\" xlink:href=\"");
            html_escape(out, r->link, strlen(r->link), "\"");
            buf_puts(out, "\">");
        }
        if (r->style)
            buf_printf(out, "<text:span text:style-name=\"T%u\">", r->style);
        odf_write_text(out, r->text);
        if (r->style)
            buf_puts(out, "</text:span>");
        if (r->link)
            buf_puts(out, "</text:a>");
    }
}

static void odf_put_blocks(struct buf *out, const struct text_block *b);

static void odf_put_table(struct buf *out, const struct text_row *rows)
{
    unsigned columns = 1;
    for (const struct text_row *r = rows; r; r = r->next) {
        unsigned n = 0;
        for (const struct text_part *c = r->cells; c; c = c->next)
            n++;
        columns = n > columns ? n : columns;
    }
    buf_printf(out, "<table:table><table:table-column table:number-columns-repeated=\"%u\"/>",
               columns);
    for (const struct text_row *r = rows; r; r = r->next) {
        buf_puts(out, "<table:table-row>");
        for (const struct text_part *c = r->cells; c; c = c->next) {
            buf_puts(out, "<table:table-cell office:value-type=\"string\">");
            odf_put_blocks(out, c->blocks);
            buf_puts(out, "</table:table-cell>");
        }
        buf_puts(out, "</table:table-row>");
    }
    buf_puts(out, "</table:table>");
}

static void odf_put_paragraph(struct buf *out, const struct text_block *b)
{
    if (b->kind == BLOCK_TABLE) {
        odf_put_table(out, b->rows);
    } else if (b->kind == BLOCK_RULE) {
        buf_puts(out, "<text:p text:style-name=\"Rule\"/>");
    } else if (b->heading && b->heading <= HEADING_MAX) {
        buf_printf(out, "<text:h text:style-name=\"Heading_%u\" text:outline-level=\"%u\">",
                   b->heading, b->heading);
        odf_put_runs(out, b);
        buf_puts(out, "</text:h>");
    } else {
        buf_printf(out, "<text:p text:style-name=\"%s\">",
                   b->heading == HEADING_TITLE      ? "Title"
                   : b->heading == HEADING_SUBTITLE ? "Subtitle"
                                                    : "Standard");
        odf_put_runs(out, b);
        buf_puts(out, "</text:p>");
    }
}

static void odf_put_blocks(struct buf *out, const struct text_block *b)
{
    unsigned n = 0; /* lists that are open */
    enum list_kind kind = LIST_NONE;
    for (; b; b = b->next) {
        unsigned level = b->list ? b->level + 1 : 0;
        bool other = n && level && b->list != kind;
        while (n > level || (n && other)) {
            buf_puts(out, "</text:list-item></text:list>");
            n--;
        }
        if (n && n == level)
            buf_puts(out, "</text:list-item><text:list-item>");
        for (; n < level; n++)
            buf_printf(out, "<text:list text:style-name=\"%s\"><text:list-item>",
                       b->list == LIST_NUMBER ? "Numbers" : "Bullets");
        kind = b->list;
        odf_put_paragraph(out, b);
    }
    for (; n; n--)
        buf_puts(out, "</text:list-item></text:list>");
}

/* ---- styles ---- */

static void put_run_styles(struct buf *out)
{
    for (unsigned i = 1; i < STYLES; i++) {
        buf_printf(out,
                   "<style:style style:name=\"T%u\" style:family=\"text\">"
                   "<style:text-properties",
                   i);
        if (i & RUN_BOLD)
            buf_puts(out, " fo:font-weight=\"bold\"");
        if (i & RUN_ITALIC)
            buf_puts(out, " fo:font-style=\"italic\"");
        if (i & RUN_UNDERLINE)
            buf_puts(out, " style:text-underline-style=\"solid\"");
        if (i & RUN_STRIKE)
            buf_puts(out, " style:text-line-through-style=\"solid\"");
        if (i & RUN_CODE)
            buf_puts(out, " style:font-name=\"Courier New\"");
        buf_puts(out, "/></style:style>");
    }
    for (unsigned numbers = 0; numbers < 2; numbers++) {
        buf_printf(out, "<text:list-style style:name=\"%s\">", numbers ? "Numbers" : "Bullets");
        for (unsigned i = 1; i <= LIST_LEVELS; i++) {
            if (numbers)
                buf_printf(out,
                           "<text:list-level-style-number text:level=\"%u\" "
                           "style:num-suffix=\".\" style:num-format=\"1\"/>",
                           i);
            else
                buf_printf(out,
                           "<text:list-level-style-bullet text:level=\"%u\" "
                           "text:bullet-char=\"\u25CF\"/>",
                           i);
        }
        buf_puts(out, "</text:list-style>");
    }
}

static void odf_put_styles(struct buf *out)
{
    static const unsigned sizes[] = {20, 16, 14, 12, 11, 11};
    buf_puts(out, HEAD "<office:document-styles" NAMESPACES "><office:styles>"
                       "<style:style style:name=\"Standard\" style:family=\"paragraph\"/>");
    for (unsigned i = 0; i < SOSIA_LEN(sizes); i++)
        buf_printf(out,
                   "<style:style style:name=\"Heading_%u\" style:display-name=\"Heading %u\" "
                   "style:family=\"paragraph\" style:parent-style-name=\"Standard\" "
                   "style:default-outline-level=\"%u\"><style:text-properties "
                   "fo:font-size=\"%upt\"/></style:style>",
                   i + 1, i + 1, i + 1, sizes[i]);
    buf_puts(out, "<style:style style:name=\"Title\" style:family=\"paragraph\" "
                  "style:parent-style-name=\"Standard\"><style:text-properties "
                  "fo:font-size=\"26pt\"/></style:style><style:style style:name=\"Subtitle\" "
                  "style:family=\"paragraph\" style:parent-style-name=\"Standard\">"
                  "<style:text-properties fo:font-size=\"15pt\"/></style:style>"
                  "<style:style style:name=\"Rule\" style:family=\"paragraph\" "
                  "style:parent-style-name=\"Standard\"><style:paragraph-properties "
                  "fo:border-bottom=\"0.5pt solid #000000\"/></style:style></office:styles>"
                  "<office:automatic-styles><style:page-layout style:name=\"Page\"/>"
                  "</office:automatic-styles><office:master-styles><style:master-page "
                  "style:name=\"Default\" style:page-layout-name=\"Page\"/></office:master-styles>"
                  "</office:document-styles>");
}

/* ---- sheets ---- */

static void put_formula(struct buf *out, const char *formula)
{
    struct buf b;
    buf_init(&b, 0);
    odf_formula_write(&b, formula);
    buf_puts(out, " table:formula=\"of:");
    html_escape(out, buf_str(&b), b.len, "\"");
    buf_byte(out, '"');
    buf_done(&b);
}

static void odf_put_cell(struct buf *out, const struct sheet_cell *c)
{
    struct cell_scratch scratch;
    char day[32];
    buf_puts(out, "<table:table-cell");
    if (c->kind != CELL_EMPTY) {
        if (c->formula)
            put_formula(out, c->formula);
        if (c->kind == CELL_NUMBER && c->format && number_format_dates(c->format) &&
            number_format_day(c->text, 'T', day))
            buf_printf(out, " office:value-type=\"date\" office:date-value=\"%s\"", day);
        else if (c->kind == CELL_NUMBER)
            buf_printf(out, " office:value-type=\"float\" office:value=\"%s\"", c->text);
        else if (c->kind == CELL_BOOL)
            buf_printf(out, " office:value-type=\"boolean\" office:boolean-value=\"%s\"",
                       c->truth ? "true" : "false");
        else
            buf_puts(out, " office:value-type=\"string\"");
        buf_puts(out, ">");
        for (const char *p = cell_shown(c, &scratch), *end; p; p = *end ? end + 1 : NULL) {
            end = strchrnul(p, '\n');
            buf_puts(out, "<text:p>");
            for (bool space = true; p < end; p++) {
                if (*p == ' ' && space)
                    buf_puts(out, "<text:s/>");
                else if (*p == '\t')
                    buf_puts(out, "<text:tab/>");
                else
                    html_escape(out, p, 1, "\"");
                space = *p == ' ' || *p == '\t';
            }
            buf_puts(out, "</text:p>");
        }
        buf_puts(out, "</table:table-cell>");
    } else {
        buf_puts(out, "/>");
    }
}

static void odf_put_sheet(struct buf *out, const struct sheet *s)
{
    uint32_t at = 0, width = sheet_width(s);
    buf_puts(out, "<table:table table:name=\"");
    html_escape(out, s->title, strlen(s->title), "\"");
    buf_printf(out, "\"><table:table-column table:number-columns-repeated=\"%u\"/>",
               width ? width : 1);
    for (const struct sheet_row *r = s->rows; r; r = r->next, at++) {
        if (at < r->at)
            buf_printf(out,
                       "<table:table-row table:number-rows-repeated=\"%u\">"
                       "<table:table-cell/></table:table-row>",
                       r->at - at);
        at = r->at;
        buf_puts(out, "<table:table-row>");
        for (uint32_t i = 0; i < r->n; i++)
            odf_put_cell(out, &r->cells[i]);
        buf_puts(out, "</table:table-row>");
    }
    if (!s->rows)
        buf_puts(out, "<table:table-row><table:table-cell/></table:table-row>");
    buf_puts(out, "</table:table>");
}

static void put_slides(struct buf *out, const struct slide *s)
{
    for (unsigned n = 1; s; s = s->next, n++) {
        unsigned y = 1;
        buf_printf(out, "<draw:page draw:name=\"page%u\" draw:master-page-name=\"Default\">", n);
        for (const struct text_part *p = s->shapes; p; p = p->next, y += 3) {
            buf_printf(out,
                       "<draw:frame svg:x=\"1cm\" svg:y=\"%ucm\" svg:width=\"23cm\" "
                       "svg:height=\"2.5cm\"><draw:text-box>",
                       y);
            odf_put_blocks(out, p->blocks);
            buf_puts(out, "</draw:text-box></draw:frame>");
        }
        buf_puts(out, "</draw:page>");
    }
}

static int odf_export(struct arena *a, const struct document *d, const char *type, const char *body,
                      struct buf *out, struct sosia_err *err)
{
    struct parts p;
    parts_init(&p, a);
    parts_add(&p, "mimetype", type);
    struct buf *t = parts_begin(&p);
    buf_printf(t, HEAD "<office:document-content" NAMESPACES "><office:automatic-styles>");
    put_run_styles(t);
    buf_printf(t, "</office:automatic-styles><office:body><office:%s>", body);
    if (d->kind == DOCUMENT_TEXT)
        odf_put_blocks(t, d->blocks);
    for (const struct sheet *s = d->sheets; s; s = s->next)
        odf_put_sheet(t, s);
    put_slides(t, d->slides);
    buf_printf(t, "</office:%s></office:body></office:document-content>", body);
    parts_end(&p, "content.xml");
    odf_put_styles(parts_begin(&p));
    parts_end(&p, "styles.xml");
    parts_add(&p, "META-INF/manifest.xml",
              arena_printf(a,
                           HEAD "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:"
                                "opendocument:xmlns:manifest:1.0\" manifest:version=\"1.2\">"
                                "<manifest:file-entry manifest:full-path=\"/\" "
                                "manifest:version=\"1.2\" manifest:media-type=\"%s\"/>"
                                "<manifest:file-entry manifest:full-path=\"content.xml\" "
                                "manifest:media-type=\"text/xml\"/>"
                                "<manifest:file-entry manifest:full-path=\"styles.xml\" "
                                "manifest:media-type=\"text/xml\"/></manifest:manifest>",
                           type));
    return parts_write(&p, true, out, err);
}

int odt_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    return odf_export(a, d, FORMAT_ODT, "text", out, err);
}

int ods_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    return odf_export(a, d, FORMAT_ODS, "spreadsheet", out, err);
}

int odp_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    return odf_export(a, d, FORMAT_ODP, "presentation", out, err);
}
