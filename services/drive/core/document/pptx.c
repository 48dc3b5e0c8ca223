/* SPDX-License-Identifier: Apache-2.0 */
/* Presentations of Office Open XML (ECMA-376), read and written. */
#include "engine/base/codec.h"
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/parts.h"
#include "services/drive/core/document/xml.h"
#include <stdlib.h>

#define P_MAIN "http://schemas.openxmlformats.org/presentationml/2006/main"
#define A_MAIN "http://schemas.openxmlformats.org/drawingml/2006/main"
#define R_MAIN "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define SPACES " xmlns:a=\"" A_MAIN "\" xmlns:r=\"" R_MAIN "\" xmlns:p=\"" P_MAIN "\""
#define TYPE   "application/vnd.openxmlformats-officedocument.presentationml."
enum { SLIDES = 1000 };

/* ---- reading ---- */

struct reader {
    struct builder *b;
    struct arena *a;
    const char *ids[SLIDES], *paths[SLIDES]; /* relationships */
    const char *slides[SLIDES];              /* in their order, by relationship */
    unsigned n_ids, n_slides;
    struct text_block *block;
    unsigned style;
    bool in_text;
};

static int read_rels(struct reader *r, struct xml *x)
{
    enum xml_event e;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e != XML_OPEN || !xml_is(x, "Relationship") || r->n_ids == SLIDES)
            continue;
        const char *id = xml_attribute(x, r->a, "Id"), *path = xml_attribute(x, r->a, "Target");
        if (!id || !path || !strstr(path, "slides/slide"))
            continue;
        r->ids[r->n_ids] = id;
        r->paths[r->n_ids++] = path[0] == '/' ? path + 1 : arena_printf(r->a, "ppt/%s", path);
    }
    return e == XML_BROKEN ? -1 : 0;
}

static int read_order(struct reader *r, struct xml *x)
{
    enum xml_event e;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e != XML_OPEN || !xml_is(x, "sldId") || r->n_slides == SLIDES)
            continue;
        const char *id = xml_relation(x, r->a); /* beside an "id" of its own */
        for (unsigned i = 0; i < r->n_ids && id; i++) {
            if (strcmp(id, r->ids[i]) != 0)
                continue;
            r->slides[r->n_slides++] = r->paths[i];
            break;
        }
    }
    return e == XML_BROKEN ? -1 : 0;
}

static void pptx_open_element(struct reader *r, struct xml *x)
{
    const char *v;
    if (xml_is(x, "sp") || xml_is(x, "graphicFrame")) {
        build_shape(r->b);
    } else if (xml_is(x, "p")) {
        r->block = build_paragraph(r->b);
    } else if (xml_is(x, "pPr") && r->block) {
        if ((v = xml_attribute(x, r->a, "lvl")) && atoi(v) > 0 && atoi(v) < LIST_LEVELS)
            r->block->level = (unsigned)atoi(v);
    } else if (xml_is(x, "buChar") && r->block) {
        r->block->list = LIST_BULLET;
    } else if (xml_is(x, "buAutoNum") && r->block) {
        r->block->list = LIST_NUMBER;
    } else if (xml_is(x, "r")) {
        r->style = 0;
    } else if (xml_is(x, "rPr")) {
        v = xml_attribute(x, r->a, "b");
        r->style = v && (!strcmp(v, "1") || !strcmp(v, "true")) ? RUN_BOLD : 0;
        v = xml_attribute(x, r->a, "i");
        r->style |= v && (!strcmp(v, "1") || !strcmp(v, "true")) ? RUN_ITALIC : 0;
    } else if (xml_is(x, "br")) {
        build_run(r->b, "\n", 1, r->style, NULL);
    } else if (xml_is(x, "t")) {
        r->in_text = true;
    }
}

static int read_slide(struct reader *r, struct xml *x)
{
    enum xml_event e;
    while ((e = xml_next(x)) == XML_OPEN || e == XML_CLOSE || e == XML_TEXT) {
        if (e == XML_OPEN) {
            pptx_open_element(r, x);
        } else if (e == XML_TEXT) {
            if (r->in_text)
                build_run(r->b, x->text, strlen(x->text), r->style, NULL);
        } else if (xml_is(x, "t")) {
            r->in_text = false;
        } else if (xml_is(x, "p")) {
            if (r->block && !r->block->list)
                r->block->level = 0;
            build_end_paragraph(r->b);
            r->block = NULL;
        }
        if (r->b->full)
            break;
    }
    return e == XML_BROKEN ? -1 : 0;
}

static int pptx_read_part(struct reader *r, const struct zip_part *parts, const char *name,
                          int (*read)(struct reader *, struct xml *), struct sosia_err *err)
{
    const struct zip_part *p = zip_find(parts, name);
    struct xml x;
    if (!p)
        return unreadable(err, "a presentation", "a part is not there");
    if (xml_init(&x, p->bytes, p->len, err) < 0)
        return -1;
    int rc = read(r, &x);
    xml_done(&x);
    return rc < 0 ? unreadable(err, "a presentation", "XML that is broken") : 0;
}

int pptx_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    static const char *const wanted[] = {"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels",
                                         "ppt/slides/", NULL};
    struct reader *r = arena_calloc(b->arena, 1, sizeof *r);
    struct zip_part *parts;
    if (arena_failed(b->arena))
        return sosia_fail_memory(err);
    r->b = b;
    r->a = b->arena;
    if (zip_read(b->arena, bytes, len, wanted, &parts, err) < 0 ||
        pptx_read_part(r, parts, wanted[1], read_rels, err) < 0 ||
        pptx_read_part(r, parts, wanted[0], read_order, err) < 0)
        return -1;
    for (unsigned i = 0; i < r->n_slides; i++) {
        build_slide(b);
        if (pptx_read_part(r, parts, r->slides[i], read_slide, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- writing ---- */

static void pptx_put_runs(struct buf *out, const struct text_run *r)
{
    for (; r; r = r->next) {
        const char *text = r->text;
        while (*text) {
            size_t n = strcspn(text, "\n");
            if (n) {
                buf_printf(out, "<a:r><a:rPr lang=\"en\"%s%s/><a:t>",
                           r->style & RUN_BOLD ? " b=\"1\"" : "",
                           r->style & RUN_ITALIC ? " i=\"1\"" : "");
                html_escape(out, text, n, "\"");
                buf_puts(out, "</a:t></a:r>");
            }
            text += n;
            if (*text == '\n') {
                buf_puts(out, "<a:br/>");
                text++;
            }
        }
    }
}

static void put_paragraphs(struct buf *out, const struct text_block *b)
{
    for (; b; b = b->next) {
        for (const struct text_row *row = b->rows; row; row = row->next)
            for (const struct text_part *c = row->cells; c; c = c->next)
                put_paragraphs(out, c->blocks);
        if (b->kind != BLOCK_PARAGRAPH)
            continue;
        buf_puts(out, "<a:p>");
        if (b->list)
            buf_printf(out, "<a:pPr lvl=\"%u\">%s</a:pPr>", b->level,
                       b->list == LIST_NUMBER ? "<a:buAutoNum type=\"arabicPeriod\"/>"
                                              : "<a:buChar char=\"\u2022\"/>");
        pptx_put_runs(out, b->runs);
        buf_puts(out, "</a:p>");
    }
}

static void put_slide(struct buf *out, const struct slide *s)
{
    unsigned n = 1;
    buf_puts(out, XML_HEAD "<p:sld" SPACES "><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" "
                           "name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>");
    for (const struct text_part *p = s->shapes; p; p = p->next) {
        buf_printf(out,
                   "<p:sp><p:nvSpPr><p:cNvPr id=\"%u\" name=\"Text %u\"/><p:cNvSpPr "
                   "txBox=\"1\"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x=\"457200\" "
                   "y=\"%u\"/><a:ext cx=\"8229600\" cy=\"914400\"/></a:xfrm><a:prstGeom "
                   "prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/>",
                   n + 1, n, 457200 + (n - 1) % 5 * 960000);
        n++;
        put_paragraphs(out, p->blocks);
        buf_puts(out, p->blocks ? "</p:txBody></p:sp>" : "<a:p/></p:txBody></p:sp>");
    }
    buf_puts(out, "</p:spTree></p:cSld></p:sld>");
}

#define TREE                                                                                       \
    "<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/>"         \
    "</p:nvGrpSpPr><p:grpSpPr/></p:spTree></p:cSld>"
#define FILL "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>"
#define LINE "<a:ln w=\"9525\">" FILL "</a:ln>"
#define NONE "<a:effectStyle><a:effectLst/></a:effectStyle>"
#define FONT(which)                                                                                \
    "<a:" which "Font><a:latin typeface=\"Arial\"/><a:ea typeface=\"\"/><a:cs typeface=\"\"/>"     \
    "</a:" which "Font>"
#define COLOUR(name, rgb) "<a:" name "><a:srgbClr val=\"" rgb "\"/></a:" name ">"

static const char master[] =
    XML_HEAD "<p:sldMaster" SPACES ">" TREE
             "<p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" "
             "accent2=\"accent2\" accent3=\"accent3\" accent4=\"accent4\" accent5=\"accent5\" "
             "accent6=\"accent6\" hlink=\"hlink\" folHlink=\"folHlink\"/><p:sldLayoutIdLst>"
             "<p:sldLayoutId id=\"2147483649\" r:id=\"rId1\"/></p:sldLayoutIdLst></p:sldMaster>";
static const char layout[] =
    XML_HEAD "<p:sldLayout" SPACES " type=\"blank\">" TREE "</p:sldLayout>";
static const char theme[] = XML_HEAD
    "<a:theme xmlns:a=\"" A_MAIN "\" name=\"Simple\"><a:themeElements><a:clrScheme "
    "name=\"Simple\">" COLOUR("dk1", "000000") COLOUR("lt1", "FFFFFF") COLOUR("dk2", "44546A")
        COLOUR("lt2", "E7E6E6") COLOUR("accent1", "4472C4") COLOUR("accent2", "ED7D31") COLOUR(
            "accent3", "A5A5A5") COLOUR("accent4", "FFC000") COLOUR("accent5", "5B9BD5")
            COLOUR("accent6", "70AD47") COLOUR("hlink", "0563C1") COLOUR(
                "folHlink", "954F72") "</a:clrScheme><a:fontScheme name=\"Simple\">" FONT("major")
                FONT("minor") "</a:fontScheme><a:fmtScheme name=\"Simple\"><a:fillStyleLst>" FILL
                    FILL FILL "</a:fillStyleLst><a:lnStyleLst>" LINE LINE LINE
                              "</a:lnStyleLst><a:effectStyleLst>" NONE NONE NONE
                              "</a:effectStyleLst><a:bgFillStyleLst>" FILL FILL FILL
                              "</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>";

static void put_presentation(struct buf *out, unsigned n)
{
    buf_puts(out, XML_HEAD "<p:presentation" SPACES "><p:sldMasterIdLst><p:sldMasterId "
                           "id=\"2147483648\" r:id=\"rIdMaster\"/></p:sldMasterIdLst><p:sldIdLst>");
    for (unsigned i = 1; i <= n; i++)
        buf_printf(out, "<p:sldId id=\"%u\" r:id=\"rId%u\"/>", 255 + i, i);
    buf_puts(out, "</p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"5143500\"/>"
                  "<p:notesSz cx=\"6858000\" cy=\"9144000\"/></p:presentation>");
}

int pptx_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    struct parts p;
    unsigned n = 0, i = 1;
    parts_init(&p, a);
    for (const struct slide *s = d->slides; s; s = s->next)
        n++;
    struct buf *t = parts_begin(&p);
    buf_puts(t,
             OPC_TYPES "<Override PartName=\"/ppt/presentation.xml\" ContentType=\"" TYPE
                       "presentation.main+xml\"/><Override "
                       "PartName=\"/ppt/slideMasters/slideMaster1.xml\" ContentType=\"" TYPE
                       "slideMaster+xml\"/><Override "
                       "PartName=\"/ppt/slideLayouts/slideLayout1.xml\" ContentType=\"" TYPE
                       "slideLayout+xml\"/><Override PartName=\"/ppt/theme/theme1.xml\" "
                       "ContentType=\"application/vnd.openxmlformats-officedocument.theme+xml\"/>");
    for (unsigned k = 1; k <= n; k++)
        buf_printf(
            t, "<Override PartName=\"/ppt/slides/slide%u.xml\" ContentType=\"" TYPE "slide+xml\"/>",
            k);
    buf_puts(t, "</Types>");
    parts_end(&p, "[Content_Types].xml");
    parts_add(
        &p, "_rels/.rels",
        OPC_RELS OPC_REL("rId1", "officeDocument", "ppt/presentation.xml") "</Relationships>");
    put_presentation(parts_begin(&p), n);
    parts_end(&p, "ppt/presentation.xml");
    t = parts_begin(&p);
    buf_puts(t, OPC_RELS OPC_REL("rIdMaster", "slideMaster", "slideMasters/slideMaster1.xml"));
    for (unsigned k = 1; k <= n; k++)
        buf_printf(t,
                   "<Relationship Id=\"rId%u\" Type=\"" OPC_REL_TYPE
                   "slide\" Target=\"slides/slide%u.xml\"/>",
                   k, k);
    buf_puts(t, "</Relationships>");
    parts_end(&p, "ppt/_rels/presentation.xml.rels");
    parts_add(&p, "ppt/slideMasters/slideMaster1.xml", master);
    parts_add(&p, "ppt/slideMasters/_rels/slideMaster1.xml.rels",
              OPC_RELS OPC_REL("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml")
                  OPC_REL("rId2", "theme", "../theme/theme1.xml") "</Relationships>");
    parts_add(&p, "ppt/slideLayouts/slideLayout1.xml", layout);
    parts_add(&p, "ppt/slideLayouts/_rels/slideLayout1.xml.rels",
              OPC_RELS OPC_REL("rId1", "slideMaster",
                               "../slideMasters/slideMaster1.xml") "</Relationships>");
    parts_add(&p, "ppt/theme/theme1.xml", theme);
    for (const struct slide *s = d->slides; s; s = s->next, i++) {
        put_slide(parts_begin(&p), s);
        parts_end(&p, arena_printf(a, "ppt/slides/slide%u.xml", i));
        parts_add(&p, arena_printf(a, "ppt/slides/_rels/slide%u.xml.rels", i),
                  OPC_RELS OPC_REL("rId1", "slideLayout",
                                   "../slideLayouts/slideLayout1.xml") "</Relationships>");
    }
    return parts_write(&p, false, out, err);
}
