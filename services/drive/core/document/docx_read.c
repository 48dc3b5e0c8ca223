/* SPDX-License-Identifier: Apache-2.0 */
/* Word processing documents of Office Open XML (ECMA-376) to documents. */
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/xml.h"
#include "services/drive/core/document/zip.h"
#include <stdlib.h>
#include <strings.h>

enum { NAMES = 1000 }; /* styles, lists, links that are remembered */

/* A name and what it stands for: a style's heading, a link's URL, a list's kinds. */
struct named {
    struct named *next;
    const char *name;
    const char *text;
    unsigned number;
};

struct reader {
    struct builder *b;
    struct arena *a;
    struct named *styles, *links, *lists, *kinds;
    unsigned n_names;
    struct text_block *block;
    unsigned style;
    const char *link;
    bool in_text;
    bool ruled; /* the paragraph has a border */
};

static void remember(struct reader *r, struct named **list, const char *name, const char *text,
                     unsigned number)
{
    if (!name || r->n_names++ > NAMES)
        return;
    struct named *n = arena_calloc(r->a, 1, sizeof *n);
    n->name = name;
    n->text = text;
    n->number = number;
    n->next = *list;
    *list = n;
}

static const struct named *recall(const struct named *list, const char *name)
{
    while (list && name && strcmp(list->name, name) != 0)
        list = list->next;
    return name ? list : NULL;
}

/* "Heading1", "heading 1", "Title". */
static unsigned heading_of(const char *name)
{
    if (!strncasecmp(name, "heading", 7)) {
        const char *p = name + 7;
        while (*p == ' ')
            p++;
        return p[0] >= '1' && p[0] <= '6' && !p[1] ? (unsigned)(*p - '0') : 0;
    }
    return !strcasecmp(name, "title")      ? HEADING_TITLE
           : !strcasecmp(name, "subtitle") ? HEADING_SUBTITLE
                                           : 0;
}

/* ---- what the other parts say ---- */

static int read_links(struct reader *r, struct xml *x)
{
    enum xml_event e;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT)
        if (e == XML_OPEN && xml_is(x, "Relationship"))
            remember(r, &r->links, xml_attribute(x, r->a, "Id"), xml_attribute(x, r->a, "Target"),
                     0);
    return e == XML_BROKEN ? -1 : 0;
}

static int docx_read_styles(struct reader *r, struct xml *x)
{
    enum xml_event e;
    const char *id = NULL, *name;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e != XML_OPEN)
            continue;
        if (xml_is(x, "style"))
            id = xml_attribute(x, r->a, "styleId");
        else if (xml_is(x, "name") && id && (name = xml_attribute(x, r->a, "val")) &&
                 heading_of(name))
            remember(r, &r->styles, id, name, heading_of(name));
    }
    return e == XML_BROKEN ? -1 : 0;
}

/* Which levels of a list have numbers, as bits. */
static int read_numbering(struct reader *r, struct xml *x)
{
    enum xml_event e;
    const char *id = NULL, *num = NULL, *value;
    unsigned level = 0, numbers = 0;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_CLOSE && xml_is(x, "abstractNum"))
            remember(r, &r->kinds, id, NULL, numbers);
        if (e != XML_OPEN)
            continue;
        if (xml_is(x, "abstractNum")) {
            id = xml_attribute(x, r->a, "abstractNumId");
            numbers = 0;
        } else if (xml_is(x, "lvl") && (value = xml_attribute(x, r->a, "ilvl"))) {
            level = (unsigned)atoi(value) % LIST_LEVELS;
        } else if (xml_is(x, "numFmt") && (value = xml_attribute(x, r->a, "val"))) {
            if (strcmp(value, "bullet") != 0 && strcmp(value, "none") != 0)
                numbers |= 1u << level;
        } else if (xml_is(x, "num")) {
            num = xml_attribute(x, r->a, "numId");
        } else if (xml_is(x, "abstractNumId") && num) {
            const struct named *kind = recall(r->kinds, xml_attribute(x, r->a, "val"));
            remember(r, &r->lists, num, NULL, kind ? kind->number : 0);
        }
    }
    return e == XML_BROKEN ? -1 : 0;
}

/* ---- the text ---- */

static bool is_on(struct reader *r, struct xml *x)
{
    const char *v = xml_attribute(x, r->a, "val");
    return !v || (strcmp(v, "0") != 0 && strcmp(v, "false") != 0 && strcmp(v, "none") != 0);
}

static void set(struct reader *r, struct xml *x, unsigned style)
{
    r->style = is_on(r, x) ? r->style | style : r->style & ~style;
}

static bool is_monospace(const char *font)
{
    return font && (strcasestr(font, "courier") || strcasestr(font, "mono") ||
                    strcasestr(font, "consolas"));
}

static void open_run(struct reader *r, struct xml *x)
{
    if (xml_is(x, "b"))
        set(r, x, RUN_BOLD);
    else if (xml_is(x, "i"))
        set(r, x, RUN_ITALIC);
    else if (xml_is(x, "u"))
        set(r, x, RUN_UNDERLINE);
    else if (xml_is(x, "strike"))
        set(r, x, RUN_STRIKE);
    else if (xml_is(x, "rFonts") && is_monospace(xml_attribute(x, r->a, "ascii")))
        r->style |= RUN_CODE;
    else if (xml_is(x, "tab"))
        build_run(r->b, "\t", 1, r->style, r->link);
    else if (xml_is(x, "br") || xml_is(x, "cr"))
        build_run(r->b, "\n", 1, r->style, r->link);
    else if (xml_is(x, "t"))
        r->in_text = true;
}

static void docx_open_paragraph(struct reader *r, struct xml *x)
{
    const char *v = xml_attribute(x, r->a, "val");
    const struct named *n;
    if (!r->block || !v)
        return;
    if (xml_is(x, "pStyle")) {
        r->block->heading = heading_of(v);
        if ((n = recall(r->styles, v)))
            r->block->heading = n->number;
    } else if (xml_is(x, "ilvl")) {
        int level = atoi(v);
        r->block->level = level < 0 ? 0 : level < LIST_LEVELS ? (unsigned)level : LIST_LEVELS - 1;
    } else if (strcmp(v, "0") != 0) { /* numId */
        n = recall(r->lists, v);
        r->block->list = n && n->number & 1u << r->block->level ? LIST_NUMBER : LIST_BULLET;
    }
}

static void docx_open_element(struct reader *r, struct xml *x)
{
    if (xml_is(x, "p")) {
        r->block = build_paragraph(r->b);
        r->ruled = false;
    } else if (xml_is(x, "pBdr")) {
        r->ruled = true;
    } else if (xml_is(x, "pStyle") || xml_is(x, "ilvl") || xml_is(x, "numId")) {
        docx_open_paragraph(r, x);
    } else if (xml_is(x, "tabs") || xml_is(x, "Fallback") || xml_is(x, "del") ||
               xml_is(x, "sectPr")) {
        xml_skip(x);
    } else if (xml_is(x, "hyperlink")) {
        const struct named *n = recall(r->links, xml_relation(x, r->a));
        r->link = n ? build_link(r->b, n->text) : NULL;
    } else if (xml_is(x, "r")) {
        r->style = 0;
    } else if (xml_is(x, "tbl")) {
        build_table(r->b);
    } else if (xml_is(x, "tr")) {
        build_row(r->b);
    } else if (xml_is(x, "tc")) {
        build_cell(r->b);
    } else {
        open_run(r, x);
    }
}

static int read_body(struct reader *r, struct xml *x)
{
    enum xml_event e;
    bool body = false;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_OPEN) {
            body |= xml_is(x, "body");
            docx_open_element(r, x);
        } else if (e == XML_TEXT) {
            if (r->in_text)
                build_run(r->b, x->text, strlen(x->text), r->style, r->link);
        } else if (xml_is(x, "t")) {
            r->in_text = false;
        } else if (xml_is(x, "hyperlink")) {
            r->link = NULL;
        } else if (xml_is(x, "p")) {
            build_end_paragraph(r->b);
            if (r->block && r->ruled && !r->block->runs) /* how a rule is written */
                r->block->kind = BLOCK_RULE;
            r->block = NULL;
        } else if (xml_is(x, "tbl")) {
            build_end_table(r->b);
        }
        if (r->b->full)
            break;
    }
    return e == XML_BROKEN || !body ? -1 : 0;
}

static int docx_read_part(struct reader *r, const struct zip_part *parts, const char *name,
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
    return rc < 0 ? unreadable(err, "a word processing document", "XML that is broken") : 0;
}

int docx_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    static const char *const wanted[] = {"word/document.xml", "word/styles.xml",
                                         "word/numbering.xml", "word/_rels/document.xml.rels",
                                         NULL};
    struct reader r = {.b = b, .a = b->arena};
    struct zip_part *parts;
    if (zip_read(b->arena, bytes, len, wanted, &parts, err) < 0)
        return -1;
    if (!zip_find(parts, wanted[0]))
        return unreadable(err, "a word processing document", "it has no word/document.xml");
    return docx_read_part(&r, parts, wanted[3], read_links, err) < 0 ||
                   docx_read_part(&r, parts, wanted[1], docx_read_styles, err) < 0 ||
                   docx_read_part(&r, parts, wanted[2], read_numbering, err) < 0 ||
                   docx_read_part(&r, parts, wanted[0], read_body, err) < 0
               ? -1
               : 0;
}
