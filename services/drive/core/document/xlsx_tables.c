/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of sheets in spreadsheets of Office Open XML: parts of their own, to which the
 * relationships of their sheet lead (ECMA-376, part 1, 18.5). */
#include "services/drive/core/document/xlsx_tables.h"
#include "engine/base/codec.h"
#include "engine/text/utf8.h"
#include <stdlib.h>

enum { NAME_MOST = 255, TABLES_MOST = 1000 /* of a sheet */ };

/* ---- in ---- */

/* "B12". */
static bool read_corner(const char **p, uint32_t *ret_row, uint32_t *ret_column)
{
    uint32_t column = 0, row = 0;
    const char *from = *p;
    for (; **p >= 'A' && **p <= 'Z' && *p - from < 3; ++*p)
        column = column * 26 + (uint32_t)(**p - 'A') + 1;
    const char *digits = *p;
    for (; **p >= '0' && **p <= '9' && *p - digits < 7; ++*p)
        row = row * 10 + (uint32_t)(**p - '0');
    if (!column || !row || row > SHEET_ROWS || column > SHEET_COLUMNS)
        return false;
    *ret_row = row - 1;
    *ret_column = column - 1;
    return true;
}

/* "A1:C5" */
static bool read_place(const char *ref, struct sheet_table *t)
{
    return ref && read_corner(&ref, &t->top, &t->left) && *ref++ == ':' &&
           read_corner(&ref, &t->bottom, &t->right) && !*ref && t->top <= t->bottom &&
           t->left <= t->right;
}

/* The table that a part has; NULL: it has none that counts. */
static struct sheet_table *read_part(struct arena *a, const struct zip_part *part,
                                     struct sosia_err *err)
{
    struct sheet_table *t = arena_calloc(a, 1, sizeof *t);
    struct xml x;
    bool good = false;
    if (arena_failed(a) || xml_init(&x, part->bytes, part->len, err) < 0)
        return NULL;
    enum xml_event e;
    while ((e = xml_next(&x)) == XML_TEXT)
        ;
    if (e == XML_OPEN && xml_is(&x, "table")) {
        const char *name = xml_attribute(&x, a, "displayName");
        const char *heads = xml_attribute(&x, a, "headerRowCount");
        t->name = name ? name : xml_attribute(&x, a, "name");
        t->heads = !heads || strcmp(heads, "0") != 0;
        good = t->name && *t->name && strlen(t->name) <= NAME_MOST &&
               read_place(xml_attribute(&x, a, "ref"), t);
    }
    xml_done(&x);
    return good ? t : NULL;
}

/* The part that a relationship of a sheet leads to. */
static const struct zip_part *target_of(struct arena *a, const struct zip_part *parts,
                                        const char *target)
{
    const char *name = *target == '/'                   ? target + 1
                       : strncmp(target, "../", 3) == 0 ? ARENA_JOIN(a, "xl/", target + 3)
                                                        : ARENA_JOIN(a, "xl/worksheets/", target);
    return name ? zip_find(parts, name) : NULL;
}

int xlsx_read_tables(struct arena *a, const struct zip_part *parts, const char *path,
                     struct sheet *s, struct sosia_err *err)
{
    const char *slash = strrchr(path, '/');
    struct sheet_table **end = &s->tables;
    struct xml x;
    enum xml_event e;
    int n = 0;
    const struct zip_part *rels =
        slash ? zip_find(parts,
                         arena_printf(a, "%.*s/_rels%s.rels", (int)(slash - path), path, slash))
              : NULL;
    if (!rels)
        return 0;
    if (xml_init(&x, rels->bytes, rels->len, err) < 0)
        return -1;
    while ((e = xml_next(&x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e != XML_OPEN || !xml_is(&x, "Relationship") || n == TABLES_MOST)
            continue;
        const char *type = xml_attribute(&x, a, "Type"), *target = xml_attribute(&x, a, "Target");
        const size_t len = type ? strlen(type) : 0;
        if (!target || len < 6 || strcmp(type + len - 6, "/table") != 0)
            continue;
        const struct zip_part *part = target_of(a, parts, target);
        struct sheet_table *t = part ? read_part(a, part, err) : NULL;
        if (t) {
            *end = t;
            end = &t->next;
            n++;
        }
    }
    xml_done(&x);
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}

/* ---- out ---- */

static void put_cell_name(struct buf *out, uint32_t row, uint32_t column)
{
    char name[8];
    unsigned n = sizeof name;
    name[--n] = 0;
    for (uint32_t c = column + 1; c; c = (c - 1) / 26)
        name[--n] = (char)('A' + (c - 1) % 26);
    buf_printf(out, "%s%u", name + n, row + 1);
}

static void put_place(struct buf *out, const struct sheet_table *t)
{
    put_cell_name(out, t->top, t->left);
    buf_byte(out, ':');
    put_cell_name(out, t->bottom, t->right);
}

/* The row of a table's heads; NULL: there is none. */
static const struct sheet_row *heads_of(const struct sheet *s, const struct sheet_table *t)
{
    const struct sheet_row *row = t->heads ? s->rows : NULL;
    while (row && row->at < t->top)
        row = row->next;
    return row && row->at == t->top ? row : NULL;
}

/* The text of a head; NULL: nothing. */
static const char *head_of(const struct sheet_row *row, uint32_t column)
{
    if (!row || column >= row->n)
        return NULL;
    const struct sheet_cell *cell = &row->cells[column];
    return cell->kind == CELL_TEXT || cell->kind == CELL_NUMBER ? cell->text : NULL;
}

static void put_columns(struct buf *out, const struct sheet *s, const struct sheet_table *t)
{
    const struct sheet_row *heads = heads_of(s, t);
    buf_printf(out, "<tableColumns count=\"%u\">", t->right - t->left + 1);
    for (uint32_t i = t->left; i <= t->right; i++) {
        const char *head = head_of(heads, i);
        buf_printf(out, "<tableColumn id=\"%u\" name=\"", i - t->left + 1);
        if (head && *head)
            html_escape(out, head, strlen(head), "\"");
        else
            buf_printf(out, "Column%u", i - t->left + 1);
        buf_puts(out, "\"/>");
    }
    buf_puts(out, "</tableColumns>");
}

void xlsx_put_table_parts(struct buf *out, const struct sheet *s)
{
    unsigned n = 0;
    for (const struct sheet_table *t = s->tables; t; t = t->next)
        n++;
    if (!n)
        return;
    buf_printf(out, "<tableParts count=\"%u\">", n);
    for (unsigned i = 1; i <= n; i++)
        buf_printf(out, "<tablePart r:id=\"rId%u\"/>", i);
    buf_puts(out, "</tableParts>");
}

static void write_table(struct parts *p, const struct sheet *s, const struct sheet_table *t,
                        unsigned number)
{
    struct buf *out = parts_begin(p);
    buf_printf(out, XML_HEAD "<table xmlns=\"" XLSX_MAIN "\" id=\"%u\" name=\"", number);
    html_escape(out, t->name, strlen(t->name), "\"");
    buf_puts(out, "\" displayName=\"");
    html_escape(out, t->name, strlen(t->name), "\"");
    buf_puts(out, "\" ref=\"");
    put_place(out, t);
    buf_puts(out, t->heads ? "\" totalsRowShown=\"0\"><autoFilter ref=\""
                           : "\" headerRowCount=\"0\" totalsRowShown=\"0\">");
    if (t->heads) {
        put_place(out, t);
        buf_puts(out, "\"/>");
    }
    put_columns(out, s, t);
    buf_puts(out, "</table>");
    parts_end(p, arena_printf(p->arena, "xl/tables/table%u.xml", number));
}

void xlsx_write_tables(struct parts *p, const struct sheet *s, unsigned sheet, unsigned *number)
{
    unsigned first = *number, n = 0;
    if (!s->tables)
        return;
    struct buf *out = parts_begin(p);
    buf_puts(out, OPC_RELS);
    for (const struct sheet_table *t = s->tables; t; t = t->next, n++)
        buf_printf(out,
                   "<Relationship Id=\"rId%u\" Type=\"" OPC_REL_TYPE
                   "table\" Target=\"../tables/table%u.xml\"/>",
                   n + 1, first + n);
    buf_puts(out, "</Relationships>");
    parts_end(p, arena_printf(p->arena, "xl/worksheets/_rels/sheet%u.xml.rels", sheet));
    for (const struct sheet_table *t = s->tables; t; t = t->next)
        write_table(p, s, t, (*number)++);
}
