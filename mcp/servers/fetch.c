/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server "fetch", and what sends a form: of the world's own web (services/web), beyond which
 * nothing leads. Each address that is asked for is in the journal, also of one that keeps no reads.
 */
#include "engine/base/codec.h"
#include "mcp/servers/server.h"
#include "services/mail/core/mime/mime.h"
#include "services/web/core/web.h"

/* The page that an address leads to, and the address as results have it. 0, -1 refused. */
static int find(struct call *c, const char *asked, struct web_page *ret, const char **ret_url)
{
    const char *why, *url = NULL, *to = asked;
    bool known;
    for (int hop = 0; hop <= WEB_HOPS; hop++) {
        url = web_url(c->tx.arena, to, url, &why);
        if (!url)
            return server_fail(c, "Failed to fetch %s: it %s", asked, why);
        if (!hop)
            *ret_url = asked = arena_printf(c->tx.arena, "http%s://%s",
                                            asked[4] == 's' || asked[4] == 'S' ? "s" : "", url);
        int r = web_find(&c->tx, url, ret, &known);
        if (r < 0)
            return -1;
        if (!r && !known)
            return server_fail(c, "Failed to fetch %s: the web of this world has no such host",
                               asked);
        if (!r || ret->status >= 400)
            return server_fail(c, "Failed to fetch %s - status code %d", asked,
                               r ? ret->status : 404);
        if (!ret->location)
            return 0;
        to = ret->location;
    }
    return server_fail(c, "Failed to fetch %s: more than %d redirects", asked, WEB_HOPS);
}

/* Where the n-th character of a text is. */
static const char *character(const char *text, int64_t n)
{
    for (; n > 0 && *text; n--)
        do
            text++;
        while ((*text & 0xc0) == 0x80);
    return text;
}

/* HTML as text, without whitespace at its ends; NULL without memory. */
static const char *simplified(struct call *c, const char *html)
{
    size_t len;
    char *text = mime_html_text(c->tx.arena, html, strlen(html), &len);
    while (text && len && strchr(" \n\r\t", text[len - 1]))
        text[--len] = 0;
    return text ? text + strspn(text, " \n\r\t") : NULL;
}

static int fetch(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *url = json_get_str(args, "url");
    int64_t start = json_get_int(args, "start_index", 0),
            most = json_get_int(args, "max_length", 5000);
    struct web_page page;
    struct buf b;
    c->noted = true;
    if (find(c, url, &page, &url) < 0)
        return -1;
    const char *text = page.text, *head = arena_memdup(c->tx.arena, text, strnlen(text, 100));
    bool html = strstr(page.type, "text/html") || strstr(head, "<html"),
         raw = !html || json_get_true(args, "raw");
    if (!raw && !(text = simplified(c, text)))
        return sosia_fail_memory(c->tx.err);
    const char *from = character(text, start), *end = character(from, most);
    buf_init(&b, 0);
    if (raw)
        buf_printf(&b,
                   "Content type %s cannot be simplified to markdown, but here is the raw "
                   "content:\n",
                   page.type);
    buf_printf(&b, "Contents of %s:\n", url);
    if (!*from)
        buf_puts(&b, "<error>No more content available.</error>");
    else
        buf_add(&b, from, (size_t)(end - from));
    if (*from && *end)
        buf_printf(&b,
                   "\n\n<error>Content truncated. Call the fetch tool with a start_index of %lld "
                   "to get more content.</error>",
                   (long long)(start + most));
    return server_buf(c, &b);
}

static int submit(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *asked = json_get_str(args, "url"), *why, *url;
    const char *type = json_get_str(args, "type"), *text = json_get_str(args, "text");
    struct web_page page;
    bool known;
    if (!(url = web_url(c->tx.arena, asked, NULL, &why)))
        return server_fail(c, "Failed to send to %s: it %s", asked, why);
    if (strlen(text) > WEB_TEXT_MAX)
        return server_fail(c, "Failed to send to %s: at most %zu bytes, not %zu", asked,
                           WEB_TEXT_MAX, strlen(text));
    int r = web_find(&c->tx, url, &page, &known);
    if (r < 0)
        return -1;
    if (!r)
        return server_fail(c, "Failed to send to %s%s", asked,
                           known ? " - status code 404"
                                 : ": the web of this world has no such host");
    if (!page.takes)
        return server_fail(c, "Failed to send to %s - status code 405", asked);
    struct web_form form = {.actor = c->actor.id,
                            .at_us = c->tx.now_us,
                            .url = arena_printf(c->tx.arena, "https://%s", url),
                            .type = type ? type : "application/x-www-form-urlencoded",
                            .text = text};
    if (web_form_add(&c->tx, &form) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "id", form.key);
    json_int(c->out, "status", page.status);
    json_end(c->out);
    return 0;
}

/* A connection to a host beyond the world, which the operator has allowed (sosia run):
 * asked before it is made, so that rules may refuse it, or have it approved, and the journal has
 * it. What goes through is not looked at: it may be an upload. */
static int connect_beyond(struct call *c)
{
    const char *why, *address = param_str(c, "address");
    c->noted = c->outlives = true;
    if (!web_url(c->tx.arena, arena_printf(c->tx.arena, "http://%s/", address), NULL, &why))
        return server_fail(c, "Failed to connect to %s: it %s", address, why);
    json_obj(c->out, NULL);
    json_str(c->out, "address", address);
    json_end(c->out);
    return 0;
}

/* ---- rows ---- */

static const struct route tools[] = {
    {ROUTE("fetch.fetch", POST, "/web/v1/fetch"), .body = BODY_JSON, .handler = fetch,
     .risk = RISK_READ, .scopes = "workspace.readonly workspace", .request = "Fetch",
     .response = "ToolResult", .summary = "Read a page of the web by its address, as text"},
};
static const struct param connect_params[] = {{"address", IN_PATH, PARAM_STRING, .required = true,
                                               .summary = "Name of the host, with its port"}};
static const struct route methods[] = {
    {ROUTE("web.submit", POST, "/web/v1/submit"), .body = BODY_JSON, .handler = submit,
     .risk = RISK_EXTERNAL, .scopes = "workspace", .request = "Submit", .response = "Submitted",
     .summary = "Send a form, or a file, to a page of the web"},
    {ROUTE("web.connect", POST, WEB_CONNECT "/{address}"), PARAMS(connect_params),
     .handler = connect_beyond, .risk = RISK_EXTERNAL, .scopes = "workspace",
     .response = "Connected",
     .summary = "Ask whether a program may connect to a host beyond the world"},
};
const struct rows fetch_rows = ROWS(tools);
const struct rows web_rows = ROWS(methods);
