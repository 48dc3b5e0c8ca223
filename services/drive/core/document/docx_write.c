/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as word processing documents of Office Open XML (ECMA-376). */
#include "engine/base/codec.h"
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/parts.h"

#define MAIN "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
#define TYPE "application/vnd.openxmlformats-officedocument.wordprocessingml."
#define PART(name, type)                                                                           \
    "<Override PartName=\"/word/" name ".xml\" ContentType=\"" TYPE type "+xml\"/>"

struct writer {
    struct buf *out, links;    /* relationships of the links */
    unsigned n_links, n_lists; /* lists with numbers, each of which begins with 1 */
};

static const char *const styles[] = {NULL,       "Heading1", "Heading2", "Heading3", "Heading4",
                                     "Heading5", "Heading6", "Title",    "Subtitle"};

static void docx_put_text(struct buf *out, const char *text)
{
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\t\n");
        if (n) {
            buf_puts(out, "<w:t xml:space=\"preserve\">");
            html_escape(out, text, n, "\"");
            buf_puts(out, "</w:t>");
        }
        if (text[n])
            buf_puts(out, text[n++] == '\t' ? "<w:tab/>" : "<w:br/>");
    }
}

static void docx_put_run(struct writer *w, const struct text_run *r)
{
    struct buf *out = w->out;
    if (r->link) {
        buf_printf(out, "<w:hyperlink r:id=\"rLink%u\">", ++w->n_links);
        buf_printf(&w->links,
                   "<Relationship Id=\"rLink%u\" Type=\"" OPC_REL_TYPE
                   "hyperlink\" TargetMode=\"External\" Target=\"",
                   w->n_links);
        html_escape(&w->links, r->link, strlen(r->link), "\"");
        buf_puts(&w->links, "\"/>");
    }
    buf_puts(out, "<w:r>");
    if (r->style) {
        buf_puts(out, "<w:rPr>");
        if (r->style & RUN_CODE)
            buf_puts(out, "<w:rFonts w:ascii=\"Courier New\" w:hAnsi=\"Courier New\" "
                          "w:cs=\"Courier New\"/>");
        if (r->style & RUN_BOLD)
            buf_puts(out, "<w:b/>");
        if (r->style & RUN_ITALIC)
            buf_puts(out, "<w:i/>");
        if (r->style & RUN_STRIKE)
            buf_puts(out, "<w:strike/>");
        if (r->style & RUN_UNDERLINE)
            buf_puts(out, "<w:u w:val=\"single\"/>");
        buf_puts(out, "</w:rPr>");
    }
    docx_put_text(out, r->text);
    buf_puts(out, r->link ? "</w:r></w:hyperlink>" : "</w:r>");
}

static void docx_put_blocks(struct writer *w, const struct text_block *b, bool in_cell);

static void docx_put_table(struct writer *w, const struct text_row *rows)
{
    struct buf *out = w->out;
    unsigned columns = 0;
    for (const struct text_row *r = rows; r; r = r->next) {
        unsigned n = 0;
        for (const struct text_part *c = r->cells; c; c = c->next)
            n++;
        columns = n > columns ? n : columns;
    }
    buf_puts(out, "<w:tbl><w:tblPr><w:tblStyle w:val=\"TableGrid\"/>"
                  "<w:tblW w:w=\"0\" w:type=\"auto\"/></w:tblPr><w:tblGrid>");
    for (unsigned i = 0; i < columns; i++)
        buf_printf(out, "<w:gridCol w:w=\"%u\"/>", 9000 / columns);
    buf_puts(out, "</w:tblGrid>");
    for (const struct text_row *r = rows; r && !buf_failed(out); r = r->next) {
        buf_puts(out, "<w:tr>");
        unsigned n = 0;
        for (const struct text_part *c = r->cells; c || n < columns; c = c ? c->next : NULL, n++) {
            if (buf_failed(out)) /* short rows are filled: there may be very many cells */
                return;
            buf_printf(out, "<w:tc><w:tcPr><w:tcW w:w=\"%u\" w:type=\"dxa\"/></w:tcPr>",
                       9000 / columns);
            docx_put_blocks(w, c ? c->blocks : NULL, true);
            buf_puts(out, "</w:tc>");
        }
        buf_puts(out, "</w:tr>");
    }
    buf_puts(out, "</w:tbl>");
}

static void docx_put_paragraph(struct writer *w, const struct text_block *b)
{
    struct buf *out = w->out;
    buf_puts(out, "<w:p>");
    if (b->heading || b->list || b->kind == BLOCK_RULE) {
        buf_puts(out, "<w:pPr>");
        if (b->heading)
            buf_printf(out, "<w:pStyle w:val=\"%s\"/>", styles[b->heading]);
        if (b->list)
            buf_printf(out, "<w:numPr><w:ilvl w:val=\"%u\"/><w:numId w:val=\"%u\"/></w:numPr>",
                       b->level, b->list == LIST_BULLET ? 1 : 1 + w->n_lists);
        if (b->kind == BLOCK_RULE)
            buf_puts(out, "<w:pBdr><w:bottom w:val=\"single\" w:sz=\"6\" w:space=\"1\" "
                          "w:color=\"auto\"/></w:pBdr>");
        buf_puts(out, "</w:pPr>");
    }
    for (const struct text_run *r = b->runs; r; r = r->next)
        docx_put_run(w, r);
    buf_puts(out, "</w:p>");
}

static void docx_put_blocks(struct writer *w, const struct text_block *b, bool in_cell)
{
    bool numbered = false;
    const struct text_block *last = NULL;
    for (; b; last = b, b = b->next) {
        if (b->kind == BLOCK_TABLE) {
            docx_put_table(w, b->rows);
            numbered = false;
            continue;
        }
        if (b->list == LIST_NUMBER && !numbered)
            w->n_lists++;
        numbered = b->list == LIST_NUMBER || (numbered && b->list);
        docx_put_paragraph(w, b);
    }
    if (in_cell && (!last || last->kind == BLOCK_TABLE)) /* a cell ends with a paragraph */
        buf_puts(w->out, "<w:p/>");
}

static void put_levels(struct buf *out, unsigned id, bool numbers)
{
    static const char *const forms[] = {"decimal", "lowerLetter", "lowerRoman"};
    static const char *const bullets[] = {"\u25CF", "\u25CB", "\u25A0"};
    buf_printf(out,
               "<w:abstractNum w:abstractNumId=\"%u\"><w:multiLevelType "
               "w:val=\"hybridMultilevel\"/>",
               id);
    for (unsigned i = 0; i < LIST_LEVELS; i++) {
        buf_printf(out, "<w:lvl w:ilvl=\"%u\"><w:start w:val=\"1\"/><w:numFmt w:val=\"%s\"/>", i,
                   numbers ? forms[i % 3] : "bullet");
        if (numbers)
            buf_printf(out, "<w:lvlText w:val=\"%%%u.\"/>", i + 1);
        else
            buf_printf(out, "<w:lvlText w:val=\"%s\"/>", bullets[i % 3]);
        buf_printf(out,
                   "<w:lvlJc w:val=\"left\"/><w:pPr><w:ind w:left=\"%u\" w:hanging=\"360\"/>"
                   "</w:pPr></w:lvl>",
                   720 * (i + 1));
    }
    buf_puts(out, "</w:abstractNum>");
}

static void put_numbering(struct buf *out, unsigned lists)
{
    buf_puts(out, XML_HEAD "<w:numbering xmlns:w=\"" MAIN "\">");
    put_levels(out, 0, false);
    put_levels(out, 1, true);
    buf_puts(out, "<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>");
    for (unsigned i = 0; i < lists; i++) {
        buf_printf(out, "<w:num w:numId=\"%u\"><w:abstractNumId w:val=\"1\"/>", i + 2);
        for (unsigned level = 0; level < LIST_LEVELS; level++)
            buf_printf(out,
                       "<w:lvlOverride w:ilvl=\"%u\"><w:startOverride w:val=\"1\"/>"
                       "</w:lvlOverride>",
                       level);
        buf_puts(out, "</w:num>");
    }
    buf_puts(out, "</w:numbering>");
}

static void docx_put_styles(struct buf *out)
{
    static const unsigned sizes[] = {22, 40, 32, 28, 24, 22, 22, 52, 30}; /* half points */
    buf_puts(out, XML_HEAD "<w:styles xmlns:w=\"" MAIN "\"><w:docDefaults><w:rPrDefault><w:rPr>"
                           "<w:rFonts w:ascii=\"Arial\" w:hAnsi=\"Arial\" w:cs=\"Arial\"/>"
                           "<w:sz w:val=\"22\"/></w:rPr></w:rPrDefault></w:docDefaults>"
                           "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\">"
                           "<w:name w:val=\"normal\"/></w:style>");
    for (unsigned i = 1; i < SOSIA_LEN(styles); i++) {
        buf_printf(out, "<w:style w:type=\"paragraph\" w:styleId=\"%s\"><w:name w:val=\"",
                   styles[i]);
        if (i <= HEADING_MAX)
            buf_printf(out, "heading %u", i);
        else
            buf_puts(out, styles[i]);
        buf_puts(out, "\"/><w:basedOn w:val=\"Normal\"/><w:next w:val=\"Normal\"/><w:pPr>"
                      "<w:keepNext/>");
        if (i <= HEADING_MAX)
            buf_printf(out, "<w:outlineLvl w:val=\"%u\"/>", i - 1);
        buf_printf(out, "</w:pPr><w:rPr><w:sz w:val=\"%u\"/></w:rPr></w:style>", sizes[i]);
    }
    buf_puts(out, "<w:style w:type=\"table\" w:styleId=\"TableGrid\"><w:name w:val=\"Table Grid\"/>"
                  "<w:tblPr><w:tblBorders>");
    static const char *const sides[] = {"top", "left", "bottom", "right", "insideH", "insideV"};
    for (unsigned i = 0; i < SOSIA_LEN(sides); i++)
        buf_printf(out, "<w:%s w:val=\"single\" w:sz=\"8\" w:space=\"0\" w:color=\"000000\"/>",
                   sides[i]);
    buf_puts(out, "</w:tblBorders></w:tblPr></w:style></w:styles>");
}

int docx_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    struct parts p;
    struct writer w = {0};
    parts_init(&p, a);
    buf_init(&w.links, 64 << 20);
    parts_add(&p, "[Content_Types].xml",
              OPC_TYPES PART("document", "document.main") PART("styles", "styles")
                  PART("numbering", "numbering") "</Types>");
    parts_add(&p, "_rels/.rels",
              OPC_RELS OPC_REL("rId1", "officeDocument", "word/document.xml") "</Relationships>");
    w.out = parts_begin(&p);
    buf_puts(w.out, XML_HEAD "<w:document xmlns:w=\"" MAIN "\" xmlns:r=\"http://schemas."
                             "openxmlformats.org/officeDocument/2006/relationships\"><w:body>");
    docx_put_blocks(&w, d->blocks, false);
    buf_puts(w.out, "<w:sectPr><w:pgSz w:w=\"12240\" w:h=\"15840\"/><w:pgMar w:top=\"1440\" "
                    "w:right=\"1440\" w:bottom=\"1440\" w:left=\"1440\" w:header=\"720\" "
                    "w:footer=\"720\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>");
    parts_end(&p, "word/document.xml");
    docx_put_styles(parts_begin(&p));
    parts_end(&p, "word/styles.xml");
    put_numbering(parts_begin(&p), w.n_lists);
    parts_end(&p, "word/numbering.xml");
    struct buf *rels = parts_begin(&p);
    buf_puts(rels, OPC_RELS OPC_REL("rId1", "styles", "styles.xml")
                       OPC_REL("rId2", "numbering", "numbering.xml"));
    buf_puts(rels, buf_str(&w.links));
    buf_puts(rels, "</Relationships>");
    parts_end(&p, "word/_rels/document.xml.rels");
    p.failed |= buf_failed(&w.links);
    buf_done(&w.links);
    return parts_write(&p, false, out, err);
}
