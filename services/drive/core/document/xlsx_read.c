/* SPDX-License-Identifier: Apache-2.0 */
/* Spreadsheets of Office Open XML (ECMA-376) to documents. */
#include "services/drive/core/document/format_impl.h"
#include "engine/base/codec.h"
#include "services/drive/core/document/xlsx_tables.h"
#include "services/drive/core/document/xml.h"
#include "services/drive/core/document/zip.h"
#include <stdlib.h>

enum { TARGETS = 1000, STYLES = 65536, FORMULA_MAX = 8192 };

struct target {
    struct target *next;
    const char *id, *path;
};

struct code {
    int id;
    const char *code;
};

struct reader {
    struct builder *b;
    struct arena *a;
    struct target *targets, *sheets, **sheets_end; /* of sheets: id is the title */
    const char **shared;                           /* strings */
    size_t n_shared, cap_shared;
    const char **styles; /* codes of number formats, or NULL */
    size_t n_styles, cap_styles;
    struct code codes[NUMBER_FORMATS]; /* that it has of its own */
    size_t n_codes;
    bool since_1904;
};

static int broken(struct sosia_err *err, const char *why)
{
    return unreadable(err, "a spreadsheet", why);
}

/* Room for one more element; the array, maybe moved. */
static void *xlsx_more(struct arena *a, void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    size_t wanted = *cap ? *cap * 2 : 64;
    void *grown = arena_calloc(a, wanted, size);
    if (arena_failed(a))
        return NULL;
    if (n)
        memcpy(grown, array, n * size);
    *cap = wanted;
    return grown;
}

static int read_targets(struct reader *r, struct xml *x)
{
    enum xml_event e;
    unsigned n = 0;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e != XML_OPEN || !xml_is(x, "Relationship") || n++ >= TARGETS)
            continue;
        struct target *t = arena_calloc(r->a, 1, sizeof *t);
        const char *path = xml_attribute(x, r->a, "Target");
        t->id = xml_attribute(x, r->a, "Id");
        if (!t->id || !path)
            continue;
        t->path = path[0] == '/' ? path + 1 : arena_printf(r->a, "xl/%s", path);
        t->next = r->targets;
        r->targets = t;
    }
    return e == XML_BROKEN ? -1 : 0;
}

static int read_workbook(struct reader *r, struct xml *x)
{
    enum xml_event e;
    unsigned n = 0;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e != XML_OPEN)
            continue;
        if (xml_is(x, "workbookPr")) {
            const char *v = xml_attribute(x, r->a, "date1904");
            r->since_1904 = v && (!strcmp(v, "1") || !strcmp(v, "true"));
        } else if (xml_is(x, "sheet") && n++ < SHEETS) {
            struct target *t = arena_calloc(r->a, 1, sizeof *t), *of = r->targets;
            const char *title = xml_attribute(x, r->a, "name"), *id = xml_relation(x, r->a);
            while (of && id && strcmp(of->id, id) != 0)
                of = of->next;
            if (!of || !id)
                continue;
            t->id = title ? title : "";
            t->path = of->path;
            *r->sheets_end = t;
            r->sheets_end = &t->next;
        }
    }
    return e == XML_BROKEN ? -1 : 0;
}

static int read_strings(struct reader *r, struct xml *x)
{
    enum xml_event e;
    struct buf text;
    bool in_text = false;
    buf_init(&text, ZIP_PART);
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_OPEN && xml_is(x, "rPh")) {
            xml_skip(x);
        } else if (e == XML_TEXT) {
            if (in_text)
                buf_puts(&text, x->text);
        } else if (xml_is(x, "t")) {
            in_text = e == XML_OPEN;
        } else if (e == XML_CLOSE && xml_is(x, "si")) {
            const char **grown =
                xlsx_more(r->a, r->shared, r->n_shared, &r->cap_shared, sizeof *grown);
            if (!grown)
                break;
            r->shared = grown;
            r->shared[r->n_shared++] = arena_memdup(r->a, text.len ? text.data : "", text.len);
            buf_clear(&text);
        }
    }
    buf_done(&text);
    return e == XML_BROKEN ? -1 : 0;
}

/* ---- number formats ---- */

static const char *code_of(const struct reader *r, int id)
{
    for (size_t i = 0; i < r->n_codes; i++)
        if (r->codes[i].id == id)
            return r->codes[i].code;
    return number_format_code(id);
}

static int xlsx_read_styles(struct reader *r, struct xml *x)
{
    enum xml_event e;
    bool cells = false;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_TEXT)
            continue;
        if (xml_is(x, "cellXfs"))
            cells = e == XML_OPEN;
        if (e != XML_OPEN || (!xml_is(x, "numFmt") && !(cells && xml_is(x, "xf"))))
            continue;
        const char *id = xml_attribute(x, r->a, "numFmtId");
        const char *code = xml_attribute(x, r->a, "formatCode");
        if (!cells) {
            if (id && code && r->n_codes < NUMBER_FORMATS)
                r->codes[r->n_codes++] = (struct code){atoi(id), code};
            continue;
        }
        const char **grown = r->n_styles < STYLES ? xlsx_more(r->a, r->styles, r->n_styles,
                                                              &r->cap_styles, sizeof *grown)
                                                  : NULL;
        if (!grown)
            continue;
        r->styles = grown;
        r->styles[r->n_styles++] = id ? code_of(r, atoi(id)) : NULL;
    }
    return e == XML_BROKEN ? -1 : 0;
}

/* A serial date of the system of 1904 in the one of 1900. */
static const char *since_1900(struct reader *r, const char *number)
{
    char text[32];
    double serial;
    if (parse_double(number, strlen(number), &serial) < 0)
        return number;
    number_write(serial + 1462, text);
    return build_is_number(text, strlen(text)) ? arena_strdup(r->a, text) : number;
}

/* ---- cells ---- */

struct cell {
    uint32_t column, next;
    char type;          /* 's' shared, 't' text, 'b' bool, 'e' error, 'n' number */
    const char *format; /* NULL: General */
    struct buf value, formula;
};

static void begin_cell(struct reader *r, struct xml *x, struct cell *c)
{
    const char *at = xml_attribute(x, r->a, "r"), *type = xml_attribute(x, r->a, "t");
    const char *style = xml_attribute(x, r->a, "s");
    long s = style ? strtol(style, NULL, 10) : -1;
    uint32_t column = 0;
    for (unsigned i = 0; at && i < 3 && at[i] >= 'A' && at[i] <= 'Z'; i++)
        column = column * 26 + (uint32_t)(at[i] - 'A' + 1);
    c->column = column ? column - 1 : c->next;
    c->next = c->column + 1;
    c->type = !type                                                                      ? 'n'
              : !strcmp(type, "s")                                                       ? 's'
              : !strcmp(type, "str") || !strcmp(type, "inlineStr") || !strcmp(type, "d") ? 't'
              : !strcmp(type, "b")                                                       ? 'b'
              : !strcmp(type, "e")                                                       ? 'e'
                                                                                         : 'n';
    c->format = s >= 0 && (size_t)s < r->n_styles ? r->styles[s] : NULL;
    buf_clear(&c->value);
    buf_clear(&c->formula);
}

static void end_cell(struct reader *r, struct cell *c)
{
    const char *value = buf_str(&c->value), *formula = NULL;
    size_t n = strlen(value);
    if (c->formula.len && c->formula.len < FORMULA_MAX)
        formula = arena_printf(r->a, "=%s", build_text(r->a, c->formula.data, c->formula.len));
    if (c->type == 's') {
        char *end;
        unsigned long i = strtoul(value, &end, 10);
        value = end != value && i < r->n_shared ? r->shared[i] : "";
        build_sheet_text(r->b, c->column, value, strlen(value), formula);
    } else if (c->type == 'b') {
        build_sheet_bool(r->b, c->column, !strcmp(value, "1"), formula);
    } else if (c->type != 'n') {
        build_sheet_text(r->b, c->column, value, n, formula);
    } else {
        if (r->since_1904 && c->format && number_format_dates(c->format) &&
            build_is_number(value, n))
            value = since_1900(r, value);
        build_sheet_number(r->b, c->column, value, strlen(value), formula);
    }
    build_sheet_format(r->b, c->column, c->format);
}

static void begin_row(struct reader *r, struct xml *x, uint32_t *next)
{
    const char *at = xml_attribute(x, r->a, "r");
    unsigned long row = at ? strtoul(at, NULL, 10) : 0;
    if (row > *next && row <= SHEET_ROWS)
        *next = (uint32_t)row - 1;
    build_sheet_row(r->b, (*next)++);
}

static int read_sheet(struct reader *r, struct xml *x)
{
    enum xml_event e;
    struct cell c = {0};
    struct buf *into = NULL;
    uint32_t row = 0;
    buf_init(&c.value, ZIP_PART);
    buf_init(&c.formula, ZIP_PART);
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_TEXT) {
            if (into)
                buf_puts(into, x->text);
        } else if (xml_is(x, "v") || xml_is(x, "t")) {
            into = e == XML_OPEN ? &c.value : NULL;
        } else if (xml_is(x, "f")) {
            into = e == XML_OPEN ? &c.formula : NULL;
        } else if (e == XML_OPEN && xml_is(x, "rPh")) {
            xml_skip(x);
        } else if (e == XML_OPEN && xml_is(x, "row")) {
            begin_row(r, x, &row);
            c.next = 0;
        } else if (xml_is(x, "c") && e == XML_OPEN) {
            begin_cell(r, x, &c);
        } else if (xml_is(x, "c")) {
            end_cell(r, &c);
        }
        if (r->b->full || arena_failed(r->a))
            break;
    }
    buf_done(&c.value);
    buf_done(&c.formula);
    return e == XML_BROKEN ? -1 : 0;
}

static int xlsx_read_part(struct reader *r, const struct zip_part *parts, const char *name,
                          int (*read)(struct reader *, struct xml *), struct sosia_err *err)
{
    const struct zip_part *p = zip_find(parts, name);
    struct xml x;
    if (!p)
        return 0;
    if (xml_init(&x, p->bytes, p->len, err) < 0)
        return -1;
    int rc = read(r, &x);
    xml_done(&x);
    return rc < 0 ? broken(err, "XML that is broken") : 0;
}

int xlsx_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    static const char *const wanted[] = {"xl/workbook.xml",
                                         "xl/_rels/workbook.xml.rels",
                                         "xl/sharedStrings.xml",
                                         "xl/styles.xml",
                                         "xl/worksheets/",
                                         "xl/tables/",
                                         NULL};
    struct reader *r = arena_calloc(b->arena, 1, sizeof *r);
    struct zip_part *parts;
    if (arena_failed(b->arena))
        return sosia_fail_memory(err);
    r->b = b;
    r->a = b->arena;
    r->sheets_end = &r->sheets;
    if (zip_read(b->arena, bytes, len, wanted, &parts, err) < 0)
        return -1;
    if (!zip_find(parts, wanted[0]))
        return broken(err, "it has no xl/workbook.xml");
    if (xlsx_read_part(r, parts, wanted[1], read_targets, err) < 0 ||
        xlsx_read_part(r, parts, wanted[0], read_workbook, err) < 0 ||
        xlsx_read_part(r, parts, wanted[2], read_strings, err) < 0 ||
        xlsx_read_part(r, parts, wanted[3], xlsx_read_styles, err) < 0)
        return -1;
    for (const struct target *t = r->sheets; t; t = t->next) {
        build_sheet(b, t->id);
        if (xlsx_read_part(r, parts, t->path, read_sheet, err) < 0 ||
            (!b->full && xlsx_read_tables(r->a, parts, t->path, b->sheet, err) < 0))
            return -1;
    }
    return 0;
}
