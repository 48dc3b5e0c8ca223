/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of documents for readers only: RTF, EPUB, HTML in an archive, SVG. */
#include "engine/base/codec.h"
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/parts.h"
#include "engine/base/utf8.h"

/* ---- RTF 1.9 ---- */

static void rtf_text(struct buf *out, const char *text)
{
    for (size_t n; *text; text += n) {
        n = utf8_sequence(text, strnlen(text, 4));
        if (!n)
            n = 1;
        unsigned c = utf8_code_point(text, (unsigned)n);
        if (c == '\\' || c == '{' || c == '}')
            buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            buf_puts(out, "\\line ");
        else if (c == '\t')
            buf_puts(out, "\\tab ");
        else if (c < 0x80)
            buf_byte(out, (char)c);
        else if (c < 0x10000)
            buf_printf(out, "\\u%d?", (int)(int16_t)c);
        else
            buf_printf(out, "\\u%d?\\u%d?", (int)(int16_t)(0xD800 + ((c - 0x10000) >> 10)),
                       (int)(int16_t)(0xDC00 + ((c - 0x10000) & 0x3FF)));
    }
}

static void rtf_runs(struct buf *out, const struct text_run *r)
{
    for (; r; r = r->next) {
        if (r->link) {
            buf_puts(out, "{\\field{\\*\\fldinst HYPERLINK \"");
            rtf_text(out, r->link);
            buf_puts(out, "\"}{\\fldrslt ");
        }
        buf_printf(out, "{%s%s%s%s%s ", r->style & RUN_BOLD ? "\\b" : "",
                   r->style & RUN_ITALIC ? "\\i" : "", r->style & RUN_UNDERLINE ? "\\ul" : "",
                   r->style & RUN_STRIKE ? "\\strike" : "", r->style & RUN_CODE ? "\\f1" : "\\f0");
        rtf_text(out, r->text);
        buf_puts(out, r->link ? "}}}" : "}");
    }
}

static void rtf_blocks(struct buf *out, const struct text_block *b, bool in_cell);

static void rtf_table(struct buf *out, const struct text_row *rows)
{
    for (const struct text_row *r = rows; r; r = r->next) {
        unsigned n = 0, i = 0;
        for (const struct text_part *c = r->cells; c; c = c->next)
            n++;
        buf_puts(out, "\\trowd");
        for (; i < n; i++)
            buf_printf(out, "\\cellx%u", 9000 * (i + 1) / n);
        buf_puts(out, "\n");
        for (const struct text_part *c = r->cells; c; c = c->next) {
            rtf_blocks(out, c->blocks, true);
            buf_puts(out, "\\cell\n");
        }
        buf_puts(out, "\\row\n");
    }
}

static void rtf_blocks(struct buf *out, const struct text_block *b, bool in_cell)
{
    static const unsigned sizes[] = {22, 40, 32, 28, 24, 22, 22, 52, 30};
    unsigned number = 0;
    for (; b; b = b->next) {
        if (b->kind == BLOCK_TABLE) {
            if (in_cell) /* RTF's own nesting is beyond most readers: one below the other */
                for (const struct text_row *r = b->rows; r; r = r->next)
                    for (const struct text_part *c = r->cells; c; c = c->next)
                        rtf_blocks(out, c->blocks, true);
            else
                rtf_table(out, b->rows);
            continue;
        }
        number = b->list == LIST_NUMBER ? number + 1 : 0;
        buf_printf(out, "\\pard%s\\fs%u", in_cell ? "\\intbl" : "", sizes[b->heading]);
        if (b->heading && b->heading <= HEADING_MAX)
            buf_printf(out, "\\outlinelevel%u", b->heading - 1);
        if (b->kind == BLOCK_RULE)
            buf_puts(out, "\\brdrb\\brdrs");
        if (b->list)
            buf_printf(out, "\\fi-360\\li%u", 720 * (b->level + 1));
        buf_byte(out, ' ');
        if (b->list == LIST_NUMBER)
            buf_printf(out,
                       "{\\pntext %u.\\tab}{\\*\\pn\\pnlvlbody\\pnindent360\\pnstart1\\pndec{"
                       "\\pntxta.}}",
                       number);
        else if (b->list)
            buf_puts(out, "{\\pntext\\bullet\\tab}{\\*\\pn\\pnlvlblt\\pnindent360{\\pntxtb\\'b7}}");
        rtf_runs(out, b->runs);
        if (!in_cell || b->next)
            buf_puts(out, "\\par\n");
    }
}

int rtf_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    (void)a;
    (void)err;
    buf_puts(out, "{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0{\\fonttbl{\\f0\\fswiss Arial;}"
                  "{\\f1\\fmodern Courier New;}}\n");
    rtf_blocks(out, d->blocks, false);
    buf_puts(out, "}");
    return 0;
}

/* ---- HTML in an archive ---- */

/* A name for a part: without what leads elsewhere. */
static const char *part_name(struct arena *a, const char *title, const char *extension)
{
    char *name = arena_printf(a, "%.100s", *title ? title : "Untitled");
    utf8_scrub(name);
    for (char *p = name; *p; p++)
        if (strchr("/\\:*?\"<>|\t\n", *p) || *p & 0x80)
            *p = '_';
    if (*name == '.')
        *name = '_';
    return arena_printf(a, "%s.%s", name, extension);
}

int zip_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    struct parts p;
    parts_init(&p, a);
    if (d->kind == DOCUMENT_TEXT) {
        html_export(a, d, parts_begin(&p), err);
        parts_end(&p, part_name(a, d->title, "html"));
    }
    for (const struct sheet *s = d->sheets; s; s = s->next) {
        struct buf *t = parts_begin(&p);
        buf_puts(t, "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; "
                    "charset=utf-8\"></head><body>");
        html_sheet(t, s);
        buf_puts(t, "</body></html>");
        parts_end(&p, part_name(a, s->title, "html"));
    }
    return parts_write(&p, false, out, err);
}

/* ---- EPUB 3 ---- */

int epub_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    struct parts p;
    struct buf *t;
    const char *title = *d->title ? d->title : "Untitled";
    parts_init(&p, a);
    parts_add(&p, "mimetype", FORMAT_EPUB);
    parts_add(&p, "META-INF/container.xml",
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<container version=\"1.0\" xmlns=\""
              "urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles><rootfile "
              "full-path=\"OEBPS/content.opf\" media-type=\"application/oebps-package+xml\"/>"
              "</rootfiles></container>");
    t = parts_begin(&p);
    buf_puts(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<package xmlns=\"http://www.idpf.org/"
                "2007/opf\" version=\"3.0\" unique-identifier=\"id\"><metadata xmlns:dc=\""
                "http://purl.org/dc/elements/1.1/\"><dc:identifier id=\"id\">");
    html_escape(t, title, strlen(title), "\"");
    buf_puts(t, "</dc:identifier><dc:title>");
    html_escape(t, title, strlen(title), "\"");
    buf_puts(t, "</dc:title><dc:language>en</dc:language><meta property=\"dcterms:modified\">"
                "2000-01-01T00:00:00Z</meta></metadata><manifest><item id=\"text\" "
                "href=\"text.xhtml\" media-type=\"application/xhtml+xml\"/><item id=\"nav\" "
                "href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>"
                "</manifest><spine><itemref idref=\"text\"/></spine></package>");
    parts_end(&p, "OEBPS/content.opf");
    for (unsigned nav = 0; nav < 2; nav++) {
        t = parts_begin(&p);
        buf_puts(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<html xmlns=\"http://www.w3.org/"
                    "1999/xhtml\" xmlns:epub=\"http://www.idpf.org/2007/ops\"><head><title>");
        html_escape(t, title, strlen(title), "\"");
        buf_puts(t, "</title></head><body>");
        if (nav) {
            buf_puts(t, "<nav epub:type=\"toc\"><ol><li><a href=\"text.xhtml\">");
            html_escape(t, title, strlen(title), "\"");
            buf_puts(t, "</a></li></ol></nav>");
        } else {
            html_blocks(t, d->blocks, true);
        }
        buf_puts(t, "</body></html>");
        parts_end(&p, nav ? "OEBPS/nav.xhtml" : "OEBPS/text.xhtml");
    }
    return parts_write(&p, true, out, err);
}

/* ---- SVG ---- */

int svg_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    unsigned y = 40;
    (void)a;
    (void)err;
    buf_puts(out, "<svg version=\"1.1\" viewBox=\"0 0 960 720\" width=\"960\" height=\"720\" "
                  "xmlns=\"http://www.w3.org/2000/svg\">");
    for (const struct text_part *p = d->slides ? d->slides->shapes : NULL; p; p = p->next) {
        for (const struct text_block *b = p->blocks; b; b = b->next, y += 24) {
            buf_printf(out, "<text x=\"40\" y=\"%u\" font-family=\"Arial\" font-size=\"18\">", y);
            for (const struct text_run *r = b->runs; r; r = r->next)
                html_escape(out, r->text, strlen(r->text), "\"");
            buf_puts(out, "</text>");
        }
        y += 24;
    }
    buf_puts(out, "</svg>");
    return 0;
}
