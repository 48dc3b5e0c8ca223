/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of events: text as the page that the service makes of it, and the text of a page. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/calendar/outlook/ocal.h"

static const char *taken(struct arena *a, struct buf *b)
{
    const char *text = arena_strdup(a, buf_str(b));
    if (buf_failed(b))
        a->failed = true;
    buf_done(b);
    return text;
}

/* ---- pages ---- */

const char *ocal_page_of_text(struct arena *a, const char *text)
{
    static const char head[] =
        "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">\r\n"
        "<meta name=\"Generator\" content=\"Microsoft Exchange Server\">\r\n"
        "<!-- converted from text -->\r\n"
        "<style><!-- .EmailQuote { margin-left: 1pt; padding-left: 4pt; border-left: #800000 2px "
        "solid; } --></style></head>\r\n"
        "<body>\r\n"
        "<font size=\"2\"><span style=\"font-size:11pt;\"><div class=\"PlainText\">";
    static const char end[] = "</div></span></font>\r\n</body>\r\n</html>\r\n";
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, head);
    if (text && *text)
        html_escape_lines(&b, text, "", "<br>\r\n");
    else
        buf_puts(&b, "&nbsp;");
    buf_puts(&b, end);
    return taken(a, &b);
}

const char *ocal_page_of_html(struct arena *a, const char *html)
{
    static const char meta[] =
        "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">";
    size_t n = strspn(html, " \t\r\n");
    if (strncasecmp(html + n, "<html", 5) == 0 || strncasecmp(html + n, "<!doctype", 9) == 0)
        return html;
    return arena_printf(a,
                        "<html>\r\n<head>\r\n%s\r\n</head>\r\n<body>\r\n%s\r\n</body>\r\n</html>"
                        "\r\n",
                        meta, html);
}

const char *ocal_preview(struct arena *a, const char *text)
{
    enum { MOST = 255 };
    const char *p = text ? text : "";
    struct buf b;
    size_t chars = 0;
    p += strspn(p, " \t\r\n");
    buf_init(&b, 0);
    for (; *p && chars < MOST; p++) {
        if (*p == '\n' && (!b.len || b.data[b.len - 1] != '\r'))
            buf_byte(&b, '\r');
        buf_byte(&b, *p);
        chars += ((unsigned char)p[1] & 0xc0) != 0x80;
    }
    while (b.len && strchr(" \t\r\n", b.data[b.len - 1]))
        b.len--;
    return taken(a, &b);
}

/* ---- text of HTML ---- */

static const struct {
    const char *name;
    const char *text;
} entities[] = {{"amp", "&"},   {"lt", "<"},   {"gt", ">"},
                {"quot", "\""}, {"nbsp", " "}, {"apos", "'"}};

/* An entity at p, behind '&': its text; gives its end, NULL: it is none. */
static const char *read_entity(const char *p, struct buf *b)
{
    size_t n = 0;
    uint64_t code;
    while (n <= 8 && p[n] && p[n] != ';')
        n++;
    if (n > 8 || !p[n])
        return NULL;
    if (*p == '#' && p[1] != 'x' && p[1] != 'X' && parse_u64(p + 1, n - 1, &code) == 0 &&
        code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff)) {
        char text[8], *end = utf8_put(text, (unsigned)code);
        buf_add(b, text, (size_t)(end - text));
        return p + n + 1;
    }
    for (size_t i = 0; i < SOSIA_LEN(entities); i++)
        if (str_is_nocase(p, n, entities[i].name)) {
            buf_puts(b, entities[i].text);
            return p + n + 1;
        }
    return NULL;
}

/* What a tag is in text: the end of a line, or nothing. */
static bool breaks_line(const char *tag)
{
    static const char *const names[] = {"br", "/p", "/div", "/li", "/tr", "/h1", "/h2", "/h3"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        size_t n = strlen(names[i]);
        if (strncasecmp(tag, names[i], n) == 0 && strchr(" />\t\r\n", tag[n]))
            return true;
    }
    return false;
}

/* Behind an element whose content is not text: style, script, head, a comment. */
static const char *skip_element(const char *p)
{
    static const struct {
        const char *open, *close;
    } silent[] = {{"<style", "</style"},
                  {"<script", "</script"},
                  {"<head", "</head"},
                  {"<title", "</title"},
                  {"<!--", "-->"}};
    for (size_t i = 0; i < SOSIA_LEN(silent); i++)
        if (strncasecmp(p, silent[i].open, strlen(silent[i].open)) == 0) {
            size_t n = strlen(silent[i].close);
            const char *q = p + 1;
            while (*q && strncasecmp(q, silent[i].close, n) != 0)
                q++;
            return *q ? q + strcspn(q, ">") : q;
        }
    return p + strcspn(p, ">");
}

const char *ocal_text_of_html(struct arena *a, const char *html)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = html; *p;) {
        const char *end;
        if (*p == '<') {
            if (breaks_line(p + 1))
                buf_puts(&b, "\r\n");
            p = skip_element(p);
            p += *p == '>';
        } else if (*p == '&' && (end = read_entity(p + 1, &b))) {
            p = end;
        } else if (strchr(" \t\r\n", *p)) {
            if (b.len && !strchr(" \n", b.data[b.len - 1]))
                buf_byte(&b, ' ');
            p++;
        } else {
            buf_byte(&b, *p++);
        }
    }
    while (b.len && strchr(" \r\n", b.data[b.len - 1]))
        b.len--;
    return taken(a, &b);
}
