/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of messages as Exchange shows them. */
#include "services/mail/outlook/text.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/mail/core/mime/mime.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

#define RULE "________________________________"
#define META "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">"

static const char *taken(struct arena *a, struct buf *b)
{
    const char *text = arena_strdup(a, buf_str(b));
    if (buf_failed(b))
        a->failed = true;
    buf_done(b);
    return text;
}

const char *outlook_text_lines(struct arena *a, const char *text, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n' && (!i || text[i - 1] != '\r'))
            buf_byte(&b, '\r');
        buf_byte(&b, text[i]);
    }
    return taken(a, &b);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *outlook_preview(struct arena *a, const char *text, size_t n, size_t most)
{
    struct buf b;
    size_t chars = 0, from = 0;
    while (from < n && is_blank(text[from]))
        from++;
    buf_init(&b, 0);
    for (size_t i = from; i < n && chars < most; i++) {
        const bool begins = ((unsigned char)text[i] & 0xc0) != 0x80;
        if (text[i] == '\n' && (!b.len || b.data[b.len - 1] != '\r')) {
            buf_byte(&b, '\r');
            chars++;
        }
        if (begins && chars + 1 > most)
            break;
        buf_byte(&b, text[i]);
        chars += begins;
        /* The rest of a character of several bytes. */
        while (i + 1 < n && ((unsigned char)text[i + 1] & 0xc0) == 0x80)
            buf_byte(&b, text[++i]);
    }
    while (b.len && is_blank(b.data[b.len - 1]))
        b.len--;
    return taken(a, &b);
}

/* Where a tag begins, behind its name and in any case; NULL: nowhere. */
static const char *tag_of(const char *html, size_t n, const char *name)
{
    const size_t len = strlen(name);
    for (const char *p = html, *end = html + n; (p = memchr(p, '<', (size_t)(end - p))); p++)
        if ((size_t)(end - p) > len + 1 && strncasecmp(p + 1, name, len) == 0 &&
            !isalnum((unsigned char)p[len + 1]))
            return p;
    return NULL;
}

const char *outlook_html_page(struct arena *a, const char *html, size_t n)
{
    const char *page = tag_of(html, n, "html"), *head = tag_of(html, n, "head");
    struct buf b;
    buf_init(&b, 0);
    if (!page) {
        buf_puts(&b, "<html><head>\r\n" META "</head><body>");
        buf_add(&b, html, n);
        buf_puts(&b, "</body></html>");
        return taken(a, &b);
    }
    const char *at = head ? head : page, *end = memchr(at, '>', n - (size_t)(at - html));
    if (!end || (tag_of(html, n, "meta") && strcasestr(arena_memdup(a, html, n), "charset="))) {
        buf_add(&b, html, n);
        return taken(a, &b);
    }
    buf_add(&b, html, (size_t)(end + 1 - html));
    buf_puts(&b, head ? "\r\n" META : "<head>\r\n" META "</head>");
    buf_add(&b, end + 1, n - (size_t)(end + 1 - html));
    return taken(a, &b);
}

const char *outlook_html_of_text(struct arena *a, const char *text, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "<html><head>" META "\r\n<meta name=\"Generator\" content=\"Microsoft Exchange "
                 "Server\">\r\n<!-- converted from text -->\r\n<style><!-- .EmailQuote { "
                 "margin-left: 1pt; padding-left: 4pt; border-left: #800000 2px solid; } "
                 "--></style></head>\r\n<body>\r\n<font size=\"2\"><span "
                 "style=\"font-size:11pt;\"><div class=\"PlainText\">");
    if (!n)
        buf_puts(&b, "&nbsp;");
    for (size_t from = 0; from < n;) {
        const char *end = memchr(text + from, '\n', n - from);
        size_t len = (end ? (size_t)(end - text) : n) - from;
        const bool cr = len && end && text[from + len - 1] == '\r';
        html_escape(&b, text + from, len - cr, "");
        if (end)
            buf_puts(&b, "<br>\r\n");
        from += len + (end != NULL);
    }
    buf_puts(&b, "</div></span></font>\r\n</body>\r\n</html>\r\n");
    return taken(a, &b);
}

const char *outlook_html_text(struct arena *a, const char *html)
{
    struct buf b;
    const char *rule, *end;
    size_t n;
    buf_init(&b, 0);
    while ((rule = tag_of(html, strlen(html), "hr")) && (end = strchr(rule, '>'))) {
        buf_add(&b, html, (size_t)(rule - html));
        buf_puts(&b, "<div>" RULE "</div>");
        html = end + 1;
    }
    buf_puts(&b, html);
    const char *whole = taken(a, &b);
    return mime_html_text(a, whole, strlen(whole), &n);
}

/* The line of underscores that is over a quotation, or "On ... wrote:" with '>' behind. */
const char *outlook_unique_text(struct arena *a, const char *text)
{
    const char *line = strstr(text, RULE);
    const char *quote = strstr(text, "\r\n>");
    if (line && (!quote || line < quote))
        quote = line;
    if (!quote)
        return text;
    if (quote != line) { /* the line over it says who wrote */
        const char *p = quote;
        while (p > text && p[-1] != '\n')
            p--;
        if (strncmp(p, "On ", 3) == 0)
            quote = p;
    }
    size_t n = (size_t)(quote - text);
    while (n && is_blank(text[n - 1]))
        n--;
    return arena_memdup(a, text, n);
}

const char *outlook_unique_html(struct arena *a, const char *html)
{
    const char *quote = strstr(html, "<hr tabindex=\"-1\"");
    const char *other = strstr(html, "<div class=\"gmail_quote");
    if (other && (!quote || other < quote))
        quote = other;
    return quote ? arena_printf(a, "%.*s</body></html>", (int)(quote - html), html) : html;
}
