/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world's own web for programs that speak HTTP: a server that answers for its hosts (struct
 * server_options, web_path) hands their requests to these rows. Pages come as they are, redirects
 * are the client's to follow, and what is sent to a page that takes forms is kept like a form of
 * web.submit. Each address that is asked for is in the journal, whatever came of it.
 */
#include "mcp/servers/server.h"
#include "services/web/core/web.h"

/* The address behind the row's path, as pages have it. NULL: it is none. */
static const char *asked(struct call *c)
{
    const char *why;
    const size_t n = sizeof WEB_PATH;
    return web_url(c->tx.arena,
                   arena_printf(c->tx.arena, "http://%.*s%s%.*s", (int)(c->path_len - n),
                                c->path + n, c->query ? "?" : "", (int)c->query_len,
                                c->query ? c->query : ""),
                   NULL, &why);
}

static int say(struct call *c, int status, const char *text)
{
    c->status = status;
    call_header_const(c, "Content-Type", "text/plain; charset=utf-8");
    buf_puts(c->body_out, text);
    return 0;
}

/* 1; 0: the answer says that there is none; -1. */
static int find(struct call *c, struct web_page *ret, const char **ret_url)
{
    bool known = false;
    const char *url = asked(c);
    int r = url ? web_find(&c->tx, url, ret, &known) : 0;
    *ret_url = url;
    if (r)
        return r;
    return known ? say(c, 404, "There is no such page.\n")
                 : say(c, 502, "The web of this world has no such host.\n");
}

static int give(struct call *c, const struct web_page *p)
{
    const bool text = strncmp(p->type, "text/", 5) == 0 && !strchr(p->type, ';');
    c->status = p->status;
    if (p->location)
        call_header(c, "Location", p->location);
    call_header(c, "Content-Type",
                text ? arena_printf(c->tx.arena, "%s; charset=utf-8", p->type) : p->type);
    buf_puts(c->body_out, p->text);
    return 0;
}

static int open_page(struct call *c)
{
    struct web_page page;
    const char *url;
    c->noted = true;
    int r = find(c, &page, &url);
    return r == 1 ? give(c, &page) : r;
}

static int send_form(struct call *c)
{
    struct web_page page;
    struct buf text;
    const char *url, *type = call_request_header(c, "Content-Type");
    int r = find(c, &page, &url);
    if (r != 1)
        return r;
    if (!page.takes)
        return say(c, 405, "This page takes no forms.\n");
    buf_init(&text, 0);
    if (c->content.data)
        server_put_text(&text, c->content.data, (size_t)c->content.len);
    struct web_form form = {.actor = c->actor.id,
                            .at_us = c->tx.now_us,
                            .url = arena_printf(c->tx.arena, "https://%s", url),
                            .type = type && *type ? type : "application/octet-stream",
                            .text = buf_str(&text)};
    r = buf_failed(&text) ? sosia_fail_memory(c->tx.err) : web_form_add(&c->tx, &form);
    buf_done(&text);
    return r < 0 ? -1 : give(c, &page);
}

/* ---- rows ---- */

static void error(struct call *c)
{
    call_header_const(c, "Content-Type", "text/plain; charset=utf-8");
    buf_puts(c->body_out, c->tx.err->text);
    buf_puts(c->body_out, "\n");
}

static const struct front front = {.error = error};

static const char *const paths[] = {WEB_PATH "/{address*}", NULL};
static const struct param params[] = {
    {"address", IN_PATH, PARAM_STRING, .required = true, .summary = "Host and path of the page"},
};
static const struct route pages[] = {
    {.id = "web.open",
     .verbs = GET,
     .paths = paths,
     PARAMS(params),
     .handler = open_page,
     .risk = RISK_READ,
     .scopes = "workspace.readonly workspace",
     .gives = "text/html",
     .summary = "Get a page of the web as it is"},
    {.id = "web.send",
     .verbs = POST | PUT | PATCH | DELETE,
     .paths = paths,
     PARAMS(params),
     .body = BODY_RAW,
     .max_body = WEB_TEXT_MAX,
     .handler = send_form,
     .risk = RISK_EXTERNAL,
     .scopes = "workspace",
     .gives = "text/html",
     .summary = "Send a form, or a file, to a page as it is"},
};
static const struct rows page_rows = ROWS(pages);

static const char *const prefixes[] = {WEB_PATH, NULL};

const struct dialect pages_dialect = {
    .name = "web.pages",
    .title = "Web: pages",
    .vendor = &server_vendor,
    .front = &front,
    .prefixes = prefixes,
    .tables = TABLES(&page_rows),
};
