/* SPDX-License-Identifier: Apache-2.0 */
/* OpenDocument (ISO 26300): texts, spreadsheets and presentations to documents. */
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/xml.h"
#include "services/drive/core/document/zip.h"
#include <stdlib.h>

enum { STYLES = 1000, SPANS = 64, REPEATED = 1024 };

struct style {
    struct style *next;
    const char *name, *parent;
    unsigned bits;    /* of runs */
    unsigned numbers; /* levels of a list that have numbers, as bits */
};

struct reader {
    struct builder *b;
    struct arena *a;
    struct style *styles;
    unsigned n_styles;
    unsigned style, outer[SPANS], spans;
    const char *link;
    struct text_block *ruled; /* the paragraph that is open has the style of a rule */
    unsigned in_paragraph;
    bool space; /* the last character was one: more are dropped */
    const struct style *lists[LIST_LEVELS];
    unsigned n_lists;
    bool item; /* of a list, and nothing is in it yet */
    /* sheets */
    uint32_t row, column, row_repeat;
    uint32_t repeat;
    const char *type, *value, *formula;
    struct buf text; /* of a cell */
    bool in_cell;
    unsigned lines; /* paragraphs of the cell so far */
};

static const struct style *style_find(const struct reader *r, const char *name)
{
    const struct style *s = r->styles;
    while (s && name && strcmp(s->name, name) != 0)
        s = s->next;
    return name ? s : NULL;
}

static bool value_is(struct reader *r, struct xml *x, const char *attribute, const char *value)
{
    const char *v = xml_attribute(x, r->a, attribute);
    return v && !strcmp(v, value);
}

/* <style:style> and <text:list-style>, with what is in them. */
static void read_style(struct reader *r, struct xml *x)
{
    struct style *s = arena_calloc(r->a, 1, sizeof *s);
    int depth = x->depth;
    enum xml_event e;
    s->name = xml_attribute(x, r->a, "name");
    s->parent = xml_attribute(x, r->a, "parent-style-name");
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_CLOSE && x->depth <= depth)
            break;
        if (e != XML_OPEN)
            continue;
        if (xml_is(x, "text-properties")) {
            const char *font = xml_attribute(x, r->a, "font-name");
            if (value_is(r, x, "font-weight", "bold"))
                s->bits |= RUN_BOLD;
            if (value_is(r, x, "font-style", "italic"))
                s->bits |= RUN_ITALIC;
            if (value_is(r, x, "text-underline-style", "solid"))
                s->bits |= RUN_UNDERLINE;
            if (value_is(r, x, "text-line-through-style", "solid"))
                s->bits |= RUN_STRIKE;
            if (font && (strcasestr(font, "mono") || strcasestr(font, "courier")))
                s->bits |= RUN_CODE;
        } else if (xml_is(x, "list-level-style-number")) {
            const char *level = xml_attribute(x, r->a, "level");
            if (level && atoi(level) >= 1 && atoi(level) <= LIST_LEVELS)
                s->numbers |= 1u << (atoi(level) - 1);
        }
    }
    if (s->name && r->n_styles++ < STYLES) {
        s->next = r->styles;
        r->styles = s;
    }
}

/* ---- texts ---- */

static void odf_put(struct reader *r, const char *text, size_t n)
{
    if (r->in_cell)
        buf_add(&r->text, text, n);
    else
        build_run(r->b, text, n, r->style, r->link);
}

/* White space counts once (ISO 26300, 6.1.2). */
static void odf_put_text(struct reader *r, const char *text)
{
    for (size_t n; *text; text += n) {
        if ((n = strspn(text, " \t\r\n"))) {
            if (!r->space)
                odf_put(r, " ", 1);
            r->space = true;
        } else {
            n = strcspn(text, " \t\r\n");
            odf_put(r, text, n);
            r->space = false;
        }
    }
}

static unsigned named_heading(const struct reader *r, const char *name)
{
    const struct style *s = style_find(r, name);
    for (unsigned i = 0; i < 2 && name; i++) {
        if (!strcmp(name, "Title"))
            return HEADING_TITLE;
        if (!strcmp(name, "Subtitle"))
            return HEADING_SUBTITLE;
        name = s ? s->parent : NULL;
    }
    return 0;
}

static void odf_open_paragraph(struct reader *r, struct xml *x)
{
    const char *level = xml_attribute(x, r->a, "outline-level");
    const char *name = xml_attribute(x, r->a, "style-name");
    r->in_paragraph++;
    r->space = true;
    if (r->in_cell) {
        if (r->lines++)
            buf_byte(&r->text, '\n');
        return;
    }
    struct text_block *t = build_paragraph(r->b);
    const struct style *s = style_find(r, name);
    r->style = s ? s->bits : 0;
    r->ruled = name && (!strcmp(name, "Rule") || !strcmp(name, "Horizontal_20_Line")) ? t : NULL;
    if (xml_is(x, "h")) {
        int n = level ? atoi(level) : 1;
        t->heading = n < 1 ? 1 : n > HEADING_MAX ? HEADING_MAX : (unsigned)n;
        r->style &= ~(unsigned)RUN_BOLD; /* the heading's own */
    } else if (!r->n_lists) {
        t->heading = named_heading(r, name);
    }
    if (r->n_lists && r->item) {
        unsigned at = (r->n_lists < LIST_LEVELS ? r->n_lists : LIST_LEVELS) - 1;
        t->level = at;
        t->list = r->lists[at] && r->lists[at]->numbers & 1u << at ? LIST_NUMBER : LIST_BULLET;
        r->item = false;
    }
}

static void open_list(struct reader *r, struct xml *x)
{
    const struct style *s = style_find(r, xml_attribute(x, r->a, "style-name"));
    if (r->n_lists < LIST_LEVELS)
        r->lists[r->n_lists] = s || !r->n_lists ? s : r->lists[r->n_lists - 1];
    r->n_lists++;
}

static void open_span(struct reader *r, struct xml *x)
{
    const struct style *s = style_find(r, xml_attribute(x, r->a, "style-name"));
    if (r->spans < SPANS)
        r->outer[r->spans] = r->style;
    r->spans++;
    if (s)
        r->style |= s->bits;
}

static void open_spaces(struct reader *r, struct xml *x)
{
    const char *count = xml_attribute(x, r->a, "c");
    int n = count ? atoi(count) : 1;
    for (int i = 0; i < n && i < 1000; i++)
        odf_put(r, " ", 1);
}

/* ---- sheets ---- */

static uint32_t repeated(struct reader *r, struct xml *x, const char *name)
{
    const char *v = xml_attribute(x, r->a, name);
    unsigned long n = v ? strtoul(v, NULL, 10) : 1;
    return n < 1 ? 1 : n > SHEET_ROWS ? SHEET_ROWS : (uint32_t)n;
}

static void open_cell(struct reader *r, struct xml *x)
{
    r->repeat = repeated(r, x, "number-columns-repeated");
    r->type = xml_attribute(x, r->a, "value-type");
    r->value = xml_attribute(x, r->a, "value");
    r->formula = xml_attribute(x, r->a, "formula");
    if (r->type && !strcmp(r->type, "boolean"))
        r->value = xml_attribute(x, r->a, "boolean-value");
    if (r->type && !strcmp(r->type, "date"))
        r->value = xml_attribute(x, r->a, "date-value");
    r->in_cell = true;
    r->lines = 0;
    buf_clear(&r->text);
}

static void close_cell(struct reader *r)
{
    const char *type = r->type ? r->type : "", *text = buf_str(&r->text);
    const char *f = odf_formula_read(r->a, r->formula);
    size_t n = strlen(text);
    r->in_cell = false;
    if (!n && !r->type && !f) {
        r->column = r->column < SHEET_COLUMNS ? r->column + r->repeat : r->column;
        return;
    }
    for (uint32_t i = 0; i < r->repeat && !r->b->full; i++, r->column++) {
        if (r->column >= SHEET_COLUMNS || i == REPEATED)
            break; /* a style to the end of the row repeats what is not visible */
        if (!strcmp(type, "boolean"))
            build_sheet_bool(r->b, r->column, r->value && !strcmp(r->value, "true"), f);
        else if (r->value && (!strcmp(type, "float") || !strcmp(type, "percentage") ||
                              !strcmp(type, "currency")))
            build_sheet_number(r->b, r->column, r->value, strlen(r->value), f);
        else if (r->value && !strcmp(type, "date"))
            build_sheet_text(r->b, r->column, r->value, strlen(r->value), f);
        else
            build_sheet_text(r->b, r->column, text, n, f);
    }
}

/* ---- elements ---- */

static bool open_table(struct reader *r, struct xml *x)
{
    bool sheets = r->b->doc->kind == DOCUMENT_SHEETS;
    if (xml_is(x, "table")) {
        if (sheets) {
            build_sheet(r->b, xml_attribute(x, r->a, "name"));
            r->row = 0;
        } else {
            build_table(r->b);
        }
    } else if (xml_is(x, "table-row")) {
        if (sheets) {
            build_sheet_row(r->b, r->row < SHEET_ROWS ? r->row : SHEET_ROWS - 1);
            r->row_repeat = repeated(r, x, "number-rows-repeated");
            r->row += r->row < SHEET_ROWS ? r->row_repeat : 0;
            r->column = 0;
        } else {
            build_row(r->b);
        }
    } else if (xml_is(x, "table-cell") || xml_is(x, "covered-table-cell")) {
        if (sheets)
            open_cell(r, x);
        else
            build_cell(r->b);
    } else {
        return false;
    }
    return true;
}

static void odf_open_element(struct reader *r, struct xml *x)
{
    bool slides = r->b->doc->kind == DOCUMENT_SLIDES;
    if (open_table(r, x))
        return;
    if (xml_is(x, "p") || xml_is(x, "h"))
        odf_open_paragraph(r, x);
    else if (xml_is(x, "span"))
        open_span(r, x);
    else if (xml_is(x, "a"))
        r->link = build_link(r->b, xml_attribute(x, r->a, "href"));
    else if (xml_is(x, "list"))
        open_list(r, x);
    else if (xml_is(x, "list-item"))
        r->item = true;
    else if (xml_is(x, "s"))
        open_spaces(r, x);
    else if (xml_is(x, "tab"))
        odf_put(r, "\t", 1);
    else if (xml_is(x, "line-break"))
        odf_put(r, "\n", 1);
    else if (slides && xml_is(x, "page"))
        build_slide(r->b);
    else if (slides && (xml_is(x, "text-box") || xml_is(x, "custom-shape")))
        build_shape(r->b);
    else if (xml_is(x, "annotation") || xml_is(x, "note") || xml_is(x, "tracked-changes") ||
             xml_is(x, "notes") || xml_is(x, "sequence-decls") || xml_is(x, "shapes"))
        xml_skip(x);
}

static void close_element(struct reader *r, struct xml *x)
{
    bool sheets = r->b->doc->kind == DOCUMENT_SHEETS;
    if (xml_is(x, "p") || xml_is(x, "h")) {
        r->in_paragraph -= r->in_paragraph > 0;
        if (!r->in_cell)
            build_end_paragraph(r->b);
        if (r->ruled && !r->ruled->runs)
            r->ruled->kind = BLOCK_RULE;
        r->ruled = NULL;
    } else if (xml_is(x, "span") && r->spans) {
        if (--r->spans < SPANS)
            r->style = r->outer[r->spans];
    } else if (xml_is(x, "a")) {
        r->link = NULL;
    } else if (xml_is(x, "list")) {
        r->n_lists -= r->n_lists > 0;
        r->item = false;
    } else if (xml_is(x, "table") && !sheets) {
        build_end_table(r->b);
    } else if (sheets && xml_is(x, "table-row")) {
        build_sheet_again(r->b, r->row_repeat);
    } else if (sheets && (xml_is(x, "table-cell") || xml_is(x, "covered-table-cell"))) {
        close_cell(r);
    }
}

static int read_content(struct reader *r, struct xml *x)
{
    enum xml_event e;
    bool body = false;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_OPEN && (xml_is(x, "style") || xml_is(x, "list-style"))) {
            read_style(r, x);
        } else if (e == XML_OPEN) {
            body |= xml_is(x, "body");
            if (body)
                odf_open_element(r, x);
        } else if (e == XML_TEXT) {
            if (body && r->in_paragraph)
                odf_put_text(r, x->text);
        } else if (body) {
            close_element(r, x);
        }
        if (r->b->full || arena_failed(r->a))
            break;
    }
    return e == XML_BROKEN || !body ? -1 : 0;
}

static int odf_read_styles(struct reader *r, struct xml *x)
{
    enum xml_event e;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT)
        if (e == XML_OPEN && (xml_is(x, "style") || xml_is(x, "list-style")))
            read_style(r, x);
    return e == XML_BROKEN ? -1 : 0;
}

static int odf_import(struct builder *b, const char *bytes, size_t len, const char *type,
                      struct sosia_err *err)
{
    static const char *const wanted[] = {"content.xml", "styles.xml", "mimetype", NULL};
    struct reader r = {.b = b, .a = b->arena};
    struct zip_part *parts;
    struct xml x;
    if (zip_read(b->arena, bytes, len, wanted, &parts, err) < 0)
        return -1;
    const struct zip_part *content = zip_find(parts, "content.xml");
    const struct zip_part *styles = zip_find(parts, "styles.xml");
    const struct zip_part *said = zip_find(parts, "mimetype");
    if (!content || (said && strncmp(said->bytes, type, strlen(type)) != 0))
        return unreadable(err, "an OpenDocument of the kind", "it has no such content");
    buf_init(&r.text, ZIP_PART);
    int rc = 0;
    if (styles && (rc = xml_init(&x, styles->bytes, styles->len, err)) == 0) {
        rc = odf_read_styles(&r, &x);
        xml_done(&x);
    }
    if (rc == 0 && (rc = xml_init(&x, content->bytes, content->len, err)) == 0) {
        rc = read_content(&r, &x);
        xml_done(&x);
    }
    buf_done(&r.text);
    return rc < 0 ? unreadable(err, "an OpenDocument", "XML that is broken") : 0;
}

int odt_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    return odf_import(b, bytes, len, FORMAT_ODT, err);
}

int ods_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    return odf_import(b, bytes, len, FORMAT_ODS, err);
}

int odp_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    return odf_import(b, bytes, len, FORMAT_ODP, err);
}
