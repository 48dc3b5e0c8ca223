/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/page.h"
#include "engine/base/codec.h"
#include "engine/http/token.h"
#include <strings.h>

/* ---- HTML ---- */

void html_add(struct buf *b, const char *text)
{
    html_escape(b, text, strlen(text), "\"'");
}

void html_hidden(struct buf *b, const char *name, const char *value)
{
    if (!value)
        return;
    buf_printf(b, "<input type=\"hidden\" name=\"%s\" value=\"", name);
    html_add(b, value);
    buf_puts(b, "\">\n");
}

int page_show(struct call *c, int status, const char *title, const char *body)
{
    struct buf *b = c->body_out;
    c->status = status;
    buf_clear(b);
    buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    html_add(b, title);
    buf_puts(b,
             "</title>\n<style>body{font:16px system-ui,sans-serif;max-width:34em;margin:3em auto;"
             "padding:0 1em}label{display:block;margin:.3em 0}button{font:inherit;margin:1em .5em "
             "0 0;padding:.4em 1em}</style>\n<h1>");
    html_add(b, title);
    buf_puts(b, "</h1>\n");
    buf_puts(b, body);
    call_header(c, "Content-Type", "text/html; charset=utf-8");
    call_header(c, "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors "
                "'none'; sandbox allow-forms allow-same-origin");
    return 0;
}

int page_redirect(struct call *c, const char *location)
{
    buf_clear(c->body_out);
    c->status = 302;
    call_header(c, "Location", location);
    return 0;
}

void page_add_param(struct buf *b, const char *name, const char *text)
{
    if (!text)
        return;
    buf_byte(b, strchr(buf_str(b), '?') ? '&' : '?');
    buf_printf(b, "%s=", name);
    while (*text) {
        size_t n = strcspn(text, "/:");
        percent_add(b, text, n);
        text += n;
        if (*text)
            buf_byte(b, *text++);
    }
}

/* ---- forms ---- */

void page_mark(struct call *c, struct buf *b, const char *about)
{
    char mark[TOKEN_MARK_LEN + 1];
    token_mark(&c->tx, about, mark);
    html_hidden(b, PAGE_MARK, mark);
}

/* By host and port: a proxy in front may speak HTTPS. */
static bool is_own_origin(struct call *c, const char *origin)
{
    const char *own = c->base_url ? strstr(c->base_url, "://") : NULL;
    const char *host = strstr(origin, "://");
    size_t n = own ? strcspn(own + 3, "/") : 0;
    return own && host && strlen(host + 3) == n && strncasecmp(host + 3, own + 3, n) == 0;
}

enum page_origin page_origin(struct call *c, const char *about)
{
    const char *origin = call_request_header(c, "Origin");
    if (origin && !is_own_origin(c, origin))
        return PAGE_OTHER_ORIGIN;
    return token_is_mark(&c->tx, about, call_query_item(c, PAGE_MARK)) ? PAGE_OURS : PAGE_NO_MARK;
}
