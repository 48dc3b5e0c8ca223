/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/codec.h"
#include "engine/http/own.h"
#include "engine/text/utf8.h"

#define MAX_SHOWN 512 /* bytes of a path in a refusal */

bool is_own_page(const struct call *c)
{
    return !c->front && c->verb == VERB_GET && c->path_len <= 1;
}

static bool has_rows(const struct dialect *d)
{
    return dialect_row(d, 0) && d->title;
}

static void cell(struct buf *b, const char *const *list)
{
    buf_puts(b, "<td>");
    for (const char *const *p = list; p && *p; p++) {
        buf_puts(b, p == list ? "<code>" : ", <code>");
        html_escape(b, *p, strlen(*p), "");
        buf_puts(b, "</code>");
    }
    buf_puts(b, "</td>");
}

void own_page(struct call *c)
{
    struct buf *b = c->body_out;
    const char *base = c->base_url ? c->base_url : "http://localhost:8787";
    buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                "<title>sosia</title><style>body{font:16px/1.5 sans-serif;max-width:60em;"
                "margin:2em auto;padding:0 1em}td,th{text-align:left;padding:.2em 1em .2em 0;"
                "vertical-align:top}pre{background:#f4f4f4;padding:.7em;overflow:auto}</style>"
                "</head>\n<body><h1>sosia</h1>\n<p>This server answers as these services do, from "
                "worlds of its own. Nothing here is a real account.</p>\n"
                "<table><tr><th>service</th><th>paths</th><th>hosts</th></tr>\n");
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        if (!has_rows(*d))
            continue;
        buf_puts(b, "<tr><td>");
        html_escape(b, (*d)->title, strlen((*d)->title), "");
        buf_puts(b, "</td>");
        cell(b, (*d)->prefixes);
        cell(b, (*d)->vendor->hosts);
        buf_puts(b, "</tr>\n");
    }
    buf_puts(b, "</table>\n<h2>Getting a token</h2>\n<p><code>sosia serve</code> prints one for "
                "each person of its world; <code>sosia token issue --actor ADDRESS</code> makes "
                "more. Then</p>\n<pre>curl -H 'Authorization: Bearer TOKEN' ");
    html_escape(b, base, strlen(base), "");
    buf_puts(b,
             "/PATH</pre>\n<p>A world is named by its path, <code>/w/WORLD/...</code>, and where "
             "two vendors have one path the host is named too: <code>/@HOST/...</code>. Programs "
             "with the vendors' own hosts built in run under <code>sosia run</code>.</p>\n"
             "</body></html>\n");
    c->status = 200;
    call_header_const(c, "Content-Type", "text/html; charset=utf-8");
}

static void list(struct json_writer *w, const char *name, const char *const *items)
{
    if (!items || !*items)
        return;
    json_arr(w, name);
    for (; *items; items++)
        json_str(w, NULL, *items);
    json_end(w);
}

void own_not_found(struct call *c)
{
    struct json_writer *w = c->out;
    const char *path = utf8_valid(c->path, c->path_len) ? c->path : "this path";
    const char *method = utf8_valid(c->request->method, strlen(c->request->method))
                             ? c->request->method
                             : "this method";
    size_t n = path == c->path ? c->path_len : strlen(path);
    while (n > MAX_SHOWN || (n && n < c->path_len && ((unsigned char)path[n] & 0xc0) == 0x80))
        n--;
    c->status = 404;
    json_init(w, c->body_out, true, NULL);
    json_obj(w, NULL);
    json_obj(w, "error");
    json_int(w, "code", 404);
    json_str(w, "reason", "unknownPath");
    json_str(w, "message",
             arena_printf(c->tx.arena,
                          "nothing is served at %s %.*s; \"served\" "
                          "lists what is",
                          method, (int)n, path));
    json_end(w);
    json_arr(w, "served");
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        if (!has_rows(*d))
            continue;
        json_obj(w, NULL);
        json_str(w, "title", (*d)->title);
        json_str(w, "dialect", (*d)->name);
        list(w, "paths", (*d)->prefixes);
        list(w, "hosts", (*d)->vendor->hosts);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    call_header_const(c, "Content-Type", "application/json; charset=UTF-8");
}
