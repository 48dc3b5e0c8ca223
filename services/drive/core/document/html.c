/* SPDX-License-Identifier: Apache-2.0 */
/* HTML: read by libxml2's parser as a stream, without a tree, and written. */
#include "engine/base/codec.h"
#include "services/drive/core/document/format_impl.h"
#include "engine/base/utf8.h"
#include <libxml/HTMLparser.h>
#include <strings.h>

/* More nesting is refused: every end tag looks through the elements that are open. */
enum { OPEN_ELEMENTS = 256 };

/* ---- reading ---- */

struct reader {
    struct builder *b;
    htmlParserCtxtPtr parser;
    unsigned open;
    unsigned style[OPEN_ELEMENTS]; /* in front of each open element */
    const char *link[OPEN_ELEMENTS];
    unsigned now;
    const char *link_now;
    unsigned hidden;             /* elements open whose text is not shown */
    unsigned lists[LIST_LEVELS]; /* enum list_kind of each */
    unsigned n_lists;
    bool fresh; /* nothing is in the paragraph yet: spaces are dropped */
    bool space; /* one is owed, in this style */
    unsigned space_style;
    const char *space_link;
    bool pre, broken;
};

static bool among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}
#define AMONG(name, ...)                                                                           \
    among(name, (const char *const[]){__VA_ARGS__},                                                \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static bool is_hidden(const char *name)
{
    return AMONG(name, "script", "style", "head", "title", "template", "noscript", "select",
                 "textarea", "iframe", "object");
}

static struct text_block *html_new_paragraph(struct reader *r)
{
    r->fresh = true;
    r->space = false;
    return build_paragraph(r->b);
}

/* Between blocks: what follows begins a paragraph, if it is anything. */
static void gap(struct reader *r)
{
    build_end_paragraph(r->b);
    r->fresh = true;
    r->space = false;
}

static const char *html_attribute(const xmlChar **attributes, const char *name)
{
    for (; attributes && attributes[0]; attributes += 2)
        if (!strcasecmp((const char *)attributes[0], name))
            return attributes[1] ? (const char *)attributes[1] : "";
    return NULL;
}

static unsigned style_of(const char *css)
{
    unsigned style = 0;
    if (strcasestr(css, "font-weight:700") || strcasestr(css, "font-weight:bold") ||
        strcasestr(css, "font-weight: 700") || strcasestr(css, "font-weight: bold"))
        style |= RUN_BOLD;
    if (strcasestr(css, "font-style:italic") || strcasestr(css, "font-style: italic"))
        style |= RUN_ITALIC;
    if (strcasestr(css, "line-through"))
        style |= RUN_STRIKE;
    if (strcasestr(css, "underline"))
        style |= RUN_UNDERLINE;
    return style;
}

static void stop(struct reader *r)
{
    r->broken = true;
    xmlStopParser(r->parser);
}

static void open_block(struct reader *r, const char *name)
{
    if (!strcasecmp(name, "ul") || !strcasecmp(name, "ol")) {
        gap(r);
        if (r->n_lists < LIST_LEVELS)
            r->lists[r->n_lists] = !strcasecmp(name, "ol") ? LIST_NUMBER : LIST_BULLET;
        r->n_lists++;
    } else if (!strcasecmp(name, "li")) {
        struct text_block *t = html_new_paragraph(r);
        unsigned level = !r->n_lists                 ? 0
                         : r->n_lists <= LIST_LEVELS ? r->n_lists - 1
                                                     : LIST_LEVELS - 1;
        t->list = r->n_lists ? (enum list_kind)r->lists[level] : LIST_BULLET;
        t->level = level;
    } else if ((name[0] == 'h' || name[0] == 'H') && name[1] >= '1' && name[1] <= '6' && !name[2]) {
        html_new_paragraph(r)->heading = (unsigned)(name[1] - '0');
    } else if (!strcasecmp(name, "hr")) {
        gap(r);
        build_rule(r->b);
    } else if (!strcasecmp(name, "table")) {
        gap(r);
        build_table(r->b);
    } else if (!strcasecmp(name, "tr")) {
        build_row(r->b);
        r->fresh = true;
    } else if (!strcasecmp(name, "td") || !strcasecmp(name, "th")) {
        build_cell(r->b);
        r->fresh = true;
    } else if (!strcasecmp(name, "br")) {
        build_run(r->b, "\n", 1, r->now, r->link_now);
        r->fresh = true;
        r->space = false;
    } else if (AMONG(name, "p", "div", "section", "article", "header", "footer", "main", "nav",
                     "aside", "blockquote", "pre", "address", "dl", "dt", "dd", "figure",
                     "figcaption", "form", "fieldset", "center")) {
        /* a paragraph in an item of a list is that item, as long as nothing is in it */
        if (!(r->fresh && r->b->open))
            gap(r);
        if (!strcasecmp(name, "p") && !r->b->open)
            html_new_paragraph(r);
        if (!strcasecmp(name, "pre"))
            r->pre = true;
    }
}

static void on_open(void *arg, const xmlChar *element, const xmlChar **attributes)
{
    struct reader *r = arg;
    const char *name = (const char *)element, *css = html_attribute(attributes, "style");
    if (r->open == OPEN_ELEMENTS || r->b->full) {
        stop(r);
        return;
    }
    r->style[r->open] = r->now;
    r->link[r->open++] = r->link_now;
    if (is_hidden(name))
        r->hidden++;
    if (r->hidden)
        return;
    if (AMONG(name, "b", "strong", "th"))
        r->now |= RUN_BOLD;
    else if (AMONG(name, "i", "em", "cite", "var"))
        r->now |= RUN_ITALIC;
    else if (AMONG(name, "u", "ins"))
        r->now |= RUN_UNDERLINE;
    else if (AMONG(name, "s", "strike", "del"))
        r->now |= RUN_STRIKE;
    else if (AMONG(name, "code", "tt", "kbd", "samp", "pre"))
        r->now |= RUN_CODE;
    else if (!strcasecmp(name, "a"))
        r->link_now = build_link(r->b, html_attribute(attributes, "href"));
    if (css && !(r->link_now && !strcasecmp(name, "span")))
        r->now |= style_of(css);
    open_block(r, name);
}

static void on_close(void *arg, const xmlChar *element)
{
    struct reader *r = arg;
    const char *name = (const char *)element;
    if (!r->open)
        return;
    r->now = r->style[--r->open];
    r->link_now = r->link[r->open];
    if (is_hidden(name) && r->hidden) {
        r->hidden--;
        return;
    }
    if (r->hidden)
        return;
    if (AMONG(name, "ul", "ol")) {
        gap(r);
        r->n_lists -= r->n_lists > 0;
    } else if (!strcasecmp(name, "table")) {
        build_end_table(r->b);
        gap(r);
    } else if (AMONG(name, "p", "li", "div", "section", "article", "header", "footer", "main",
                     "nav", "aside", "blockquote", "pre", "address", "dl", "td", "th", "dt", "dd",
                     "figure", "figcaption", "form", "fieldset", "center", "h1", "h2", "h3", "h4",
                     "h5", "h6", "title")) {
        gap(r);
    }
    if (!strcasecmp(name, "pre"))
        r->pre = false;
}

static void on_text(void *arg, const xmlChar *chars, int len)
{
    struct reader *r = arg;
    const char *text = (const char *)chars;
    if (r->hidden || len <= 0)
        return;
    if (r->pre) {
        build_run(r->b, text, (size_t)len, r->now, r->link_now);
        r->fresh = false;
        return;
    }
    for (int i = 0, from; i < len;) {
        for (; i < len && strchr(" \t\n\r\f", text[i]) && text[i]; i++) {
            if (!r->space) {
                r->space_style = r->now;
                r->space_link = r->link_now;
            }
            r->space = true;
        }
        for (from = i; i < len && !(strchr(" \t\n\r\f", text[i]) && text[i]);)
            i++;
        if (i == from)
            break;
        if (r->space && !r->fresh)
            build_run(r->b, " ", 1, r->space_style, r->space_link);
        build_run(r->b, text + from, (size_t)(i - from), r->now, r->link_now);
        r->space = r->fresh = false;
    }
}

/* Faults are ignored. */
static void on_fault(void *arg, xmlErrorPtr why)
{
    (void)arg;
    (void)why;
}

int html_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    struct reader r = {.b = b, .fresh = true};
    htmlSAXHandler sax = {.startElement = on_open,
                          .endElement = on_close,
                          .characters = on_text,
                          .cdataBlock = on_text,
                          .ignorableWhitespace = on_text,
                          .serror = on_fault,
                          .initialized = XML_SAX2_MAGIC};
    const unsigned char *mark = (const unsigned char *)bytes;
    if (len >= 2 && ((mark[0] == 0xFF && mark[1] == 0xFE) || (mark[0] == 0xFE && mark[1] == 0xFF)))
        bytes = text_decoded(b->arena, bytes, &len); /* UTF-16, which chunks would cut */
    bool utf8 = utf8_valid(bytes, len);
    r.parser = htmlCreatePushParserCtxt(&sax, &r, NULL, 0, NULL,
                                        utf8 ? XML_CHAR_ENCODING_UTF8 : XML_CHAR_ENCODING_NONE);
    if (!r.parser)
        return sosia_fail_memory(err);
    htmlCtxtUseOptions(r.parser,
                       HTML_PARSE_NONET | HTML_PARSE_RECOVER | (utf8 ? HTML_PARSE_IGNORE_ENC : 0));
    for (size_t at = 0; at < len && !r.broken;) {
        size_t n = len - at < 65536 ? len - at : 65536;
        htmlParseChunk(r.parser, bytes + at, (int)n, 0);
        at += n;
    }
    if (!r.broken)
        htmlParseChunk(r.parser, NULL, 0, 1);
    if (r.parser->myDoc)
        xmlFreeDoc(r.parser->myDoc);
    htmlFreeParserCtxt(r.parser);
    return r.broken && !b->full ? unreadable(err, "HTML", "it is nested too deeply") : 0;
}

/* ---- writing ---- */

static void html_put_run(struct buf *out, const struct text_run *r)
{
    static const struct {
        unsigned style;
        const char *css;
    } styles[] = {{RUN_BOLD, "font-weight:700"},
                  {RUN_ITALIC, "font-style:italic"},
                  {RUN_CODE, "font-family:monospace"}};
    if (r->link) {
        buf_puts(out, "<a href=\"");
        html_escape(out, r->link, strlen(r->link), "\"");
        buf_puts(out, "\">");
    }
    if (r->style) {
        const char *between = "<span style=\"";
        for (size_t i = 0; i < SOSIA_LEN(styles); i++) {
            if (!(r->style & styles[i].style))
                continue;
            buf_printf(out, "%s%s", between, styles[i].css);
            between = ";";
        }
        if (r->style & (RUN_UNDERLINE | RUN_STRIKE))
            buf_printf(out, "%stext-decoration:%s", between,
                       !(r->style & RUN_STRIKE)   ? "underline"
                       : r->style & RUN_UNDERLINE ? "underline line-through"
                                                  : "line-through");
        buf_puts(out, "\">");
    } else {
        buf_puts(out, "<span>");
    }
    html_escape_lines(out, r->text, "\"", "<br/>");
    buf_puts(out, r->link ? "</span></a>" : "</span>");
}

static void html_put_runs(struct buf *out, const struct text_block *b)
{
    for (const struct text_run *r = b->runs; r; r = r->next)
        html_put_run(out, r);
}

static void html_put_table(struct buf *out, const struct text_row *rows, bool xml)
{
    buf_puts(out, "<table>");
    for (const struct text_row *r = rows; r; r = r->next) {
        buf_puts(out, "<tr>");
        for (const struct text_part *c = r->cells; c; c = c->next) {
            buf_puts(out, "<td>");
            html_blocks(out, c->blocks, xml);
            buf_puts(out, "</td>");
        }
        buf_puts(out, "</tr>");
    }
    buf_puts(out, "</table>");
}

/* Lists in lists are between items, as editors of this kind write them. */
static void close_lists(struct buf *out, enum list_kind *open, unsigned *n, unsigned to)
{
    while (*n > to)
        buf_puts(out, open[--*n] == LIST_NUMBER ? "</ol>" : "</ul>");
}

void html_blocks(struct buf *out, const struct text_block *b, bool xml)
{
    enum list_kind open[LIST_LEVELS];
    unsigned n = 0;
    for (; b; b = b->next) {
        unsigned level = b->list ? b->level + 1 : 0;
        close_lists(out, open, &n, level);
        if (n && n == level && open[n - 1] != b->list)
            close_lists(out, open, &n, level - 1);
        while (n < level) {
            open[n++] = b->list;
            buf_puts(out, b->list == LIST_NUMBER ? "<ol>" : "<ul>");
        }
        if (b->kind == BLOCK_RULE) {
            buf_puts(out, xml ? "<hr/>" : "<hr>");
        } else if (b->kind == BLOCK_TABLE) {
            html_put_table(out, b->rows, xml);
        } else if (b->list) {
            buf_puts(out, "<li>");
            html_put_runs(out, b);
            buf_puts(out, "</li>");
        } else if (b->heading) {
            unsigned h = b->heading == HEADING_TITLE      ? 1
                         : b->heading == HEADING_SUBTITLE ? 2
                                                          : b->heading;
            buf_printf(out, "<h%u>", h);
            html_put_runs(out, b);
            buf_printf(out, "</h%u>", h);
        } else {
            buf_puts(out, "<p>");
            html_put_runs(out, b);
            buf_puts(out, "</p>");
        }
    }
    close_lists(out, open, &n, 0);
}

void html_sheet(struct buf *out, const struct sheet *s)
{
    uint32_t at = 0, width = sheet_width(s);
    struct cell_scratch scratch;
    buf_puts(out, "<table>");
    for (const struct sheet_row *r = s->rows; r && !buf_failed(out); r = r->next) {
        for (; at <= r->at && !buf_failed(out); at++) {
            buf_puts(out, "<tr>");
            for (uint32_t i = 0; i < width; i++) {
                const char *shown =
                    at == r->at && i < r->n ? cell_shown(&r->cells[i], &scratch) : "";
                buf_puts(out, "<td>");
                html_escape_lines(out, shown, "\"", "<br/>");
                buf_puts(out, "</td>");
            }
            buf_puts(out, "</tr>");
        }
    }
    buf_puts(out, "</table>");
}

int html_export(struct arena *a, const struct document *d, struct buf *out, struct sosia_err *err)
{
    (void)a;
    (void)err;
    buf_puts(out, "<html><head><meta content=\"text/html; charset=UTF-8\" "
                  "http-equiv=\"content-type\"></head><body class=\"doc-content\">");
    html_blocks(out, d->blocks, false);
    buf_puts(out, "</body></html>");
    return 0;
}
