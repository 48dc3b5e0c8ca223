/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as spreadsheets of Office Open XML (ECMA-376). */
#include "engine/base/codec.h"
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/xlsx_tables.h"

#define MAIN XLSX_MAIN
#define RELS "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml."

static void put_reference(struct buf *out, uint32_t row, uint32_t column)
{
    char name[8];
    unsigned n = sizeof name;
    name[--n] = 0;
    for (uint32_t c = column + 1; c; c = (c - 1) / 26)
        name[--n] = (char)('A' + (c - 1) % 26);
    buf_printf(out, " r=\"%s%u\"", name + n, row + 1);
}

/* The formats of its cells, each with a style of its own behind the one of General. -1: too many.
 */
static int find_formats(struct number_formats *f, const struct document *d)
{
    for (const struct sheet *s = d->sheets; s; s = s->next)
        for (const struct sheet_row *r = s->rows; r; r = r->next)
            for (uint32_t i = 0; i < r->n; i++)
                if (r->cells[i].format && number_formats_add(f, r->cells[i].format) < 0)
                    return -1;
    return 0;
}

static void put_styles(struct buf *out, const struct number_formats *f)
{
    unsigned custom = 0;
    for (unsigned i = 0; i < f->n; i++)
        custom += number_format_id(f->codes[i]) < 0;
    buf_puts(out, XML_HEAD "<styleSheet xmlns=\"" MAIN "\">");
    if (custom)
        buf_printf(out, "<numFmts count=\"%u\">", custom);
    for (unsigned i = 0, id = NUMBER_FORMAT_CUSTOM; i < f->n; i++) {
        if (number_format_id(f->codes[i]) >= 0)
            continue;
        buf_printf(out, "<numFmt numFmtId=\"%u\" formatCode=\"", id++);
        html_escape(out, f->codes[i], strlen(f->codes[i]), "\"");
        buf_puts(out, "\"/>");
    }
    buf_puts(out, custom ? "</numFmts>" : "");
    buf_printf(out,
               "<fonts count=\"1\"><font><sz val=\"10\"/><name val=\"Arial\"/></font>"
               "</fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
               "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
               "<borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf/>"
               "</cellStyleXfs><cellXfs count=\"%u\"><xf/>",
               f->n + 1);
    for (unsigned i = 0, next = NUMBER_FORMAT_CUSTOM; i < f->n; i++) {
        const int id = number_format_id(f->codes[i]);
        buf_printf(out, "<xf numFmtId=\"%u\" applyNumberFormat=\"1\"/>",
                   id >= 0 ? (unsigned)id : next++);
    }
    buf_puts(out, "</cellXfs></styleSheet>");
}

static void xlsx_put_cell(struct buf *out, struct number_formats *f, const struct sheet_cell *c,
                          uint32_t row, uint32_t column)
{
    if (sheet_cell_bare(c))
        return;
    buf_puts(out, "<c");
    put_reference(out, row, column);
    if (c->format)
        buf_printf(out, " s=\"%d\"", number_formats_add(f, c->format) + 1);
    if (c->kind == CELL_EMPTY) {
        buf_puts(out, "/>");
        return;
    }
    if (c->kind == CELL_BOOL)
        buf_puts(out, " t=\"b\"");
    else if (c->kind == CELL_TEXT)
        buf_puts(out, c->formula ? " t=\"str\"" : " t=\"inlineStr\"");
    buf_byte(out, '>');
    if (c->formula) {
        buf_puts(out, "<f>");
        html_escape(out, c->formula + 1, strlen(c->formula + 1), "\"");
        buf_puts(out, "</f>");
    }
    if (c->kind == CELL_TEXT && !c->formula) {
        buf_puts(out, "<is><t xml:space=\"preserve\">");
        html_escape(out, c->text, strlen(c->text), "\"");
        buf_puts(out, "</t></is></c>");
        return;
    }
    buf_puts(out, "<v>");
    if (c->kind == CELL_BOOL)
        buf_byte(out, c->truth ? '1' : '0');
    else
        html_escape(out, c->text, strlen(c->text), "\"");
    buf_puts(out, "</v></c>");
}

static void xlsx_put_sheet(struct buf *out, struct number_formats *f, const struct sheet *s)
{
    buf_puts(out, s->tables ? XML_HEAD "<worksheet xmlns=\"" MAIN "\" xmlns:r=\"" RELS
                                       "\"><sheetData>"
                            : XML_HEAD "<worksheet xmlns=\"" MAIN "\"><sheetData>");
    for (const struct sheet_row *r = s->rows; r; r = r->next) {
        buf_printf(out, "<row r=\"%u\">", r->at + 1);
        for (uint32_t i = 0; i < r->n; i++)
            xlsx_put_cell(out, f, &r->cells[i], r->at, i);
        buf_puts(out, "</row>");
    }
    buf_puts(out, "</sheetData>");
    xlsx_put_table_parts(out, s);
    buf_puts(out, "</worksheet>");
}

static void put_workbook(struct buf *out, const struct sheet *s)
{
    buf_puts(out, XML_HEAD "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" RELS "\"><sheets>");
    for (unsigned i = 1; s; s = s->next, i++) {
        buf_puts(out, "<sheet name=\"");
        html_escape(out, s->title, strlen(s->title), "\"");
        buf_printf(out, "\" sheetId=\"%u\" r:id=\"rId%u\"/>", i, i);
    }
    buf_puts(out, "</sheets></workbook>");
}

int xlsx_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    struct parts p;
    unsigned n = 0, tables = 0, number = 1;
    struct number_formats *f = arena_calloc(a, 1, sizeof *f);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    if (find_formats(f, d) < 0)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "there are more than %d number formats", NUMBER_FORMATS);
    parts_init(&p, a);
    for (const struct sheet *s = d->sheets; s; s = s->next, n++)
        for (const struct sheet_table *t = s->tables; t; t = t->next)
            tables++;
    struct buf *t = parts_begin(&p);
    buf_puts(t, OPC_TYPES "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" TYPE
                          "sheet.main+xml\"/><Override PartName=\"/xl/styles.xml\" "
                          "ContentType=\"" TYPE "styles+xml\"/>");
    for (unsigned i = 1; i <= n; i++)
        buf_printf(t,
                   "<Override PartName=\"/xl/worksheets/sheet%u.xml\" ContentType=\"" TYPE
                   "worksheet+xml\"/>",
                   i);
    for (unsigned i = 1; i <= tables; i++)
        buf_printf(
            t, "<Override PartName=\"/xl/tables/table%u.xml\" ContentType=\"" TYPE "table+xml\"/>",
            i);
    buf_puts(t, "</Types>");
    parts_end(&p, "[Content_Types].xml");
    parts_add(&p, "_rels/.rels",
              OPC_RELS OPC_REL("rId1", "officeDocument", "xl/workbook.xml") "</Relationships>");
    put_workbook(parts_begin(&p), d->sheets);
    parts_end(&p, "xl/workbook.xml");
    t = parts_begin(&p);
    buf_puts(t, OPC_RELS);
    for (unsigned i = 1; i <= n; i++)
        buf_printf(t,
                   "<Relationship Id=\"rId%u\" Type=\"" OPC_REL_TYPE
                   "worksheet\" Target=\"worksheets/sheet%u.xml\"/>",
                   i, i);
    buf_puts(t, OPC_REL("rIdStyles", "styles", "styles.xml") "</Relationships>");
    parts_end(&p, "xl/_rels/workbook.xml.rels");
    put_styles(parts_begin(&p), f);
    parts_end(&p, "xl/styles.xml");
    unsigned i = 1;
    for (const struct sheet *s = d->sheets; s; s = s->next) {
        xlsx_put_sheet(parts_begin(&p), f, s);
        parts_end(&p, arena_printf(a, "xl/worksheets/sheet%u.xml", i));
        xlsx_write_tables(&p, s, i++, &number);
    }
    return parts_write(&p, false, out, err);
}
