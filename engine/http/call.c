/* SPDX-License-Identifier: Apache-2.0 */
/* A call for those who serve it: its headers, its scopes, its body as JSON. */
#include "engine/http/call.h"
#include "engine/http/hold.h"
#include "engine/http/serve.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/text/utf8.h"
#include "engine/world/engine.h"
#include <stdarg.h>
#include <stdio.h>

#define MAX_JSON_VALUES 1000000 /* no method takes a tenth of them */

const char *call_request_header(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->request->n_headers; i++) {
        const char *given = c->request->headers[i].name;
        if ((*given | 32) == (*name | 32) &&
            (strcmp(given, name) == 0 || str_eq_nocase(given, name)))
            return c->request->headers[i].value;
    }
    return NULL;
}

const char *call_bearer(const struct call *c)
{
    const char *auth = call_request_header(c, "Authorization");
    if (!auth || strncasecmp(auth, "Bearer ", 7) != 0)
        return NULL;
    auth += 7 + strspn(auth + 7, " ");
    return *auth ? auth : NULL;
}

void call_header_const(struct call *c, const char *name, const char *value)
{
    if (c->n_headers < SOSIA_LEN(c->headers))
        c->headers[c->n_headers++] = (struct sosia_header){.name = name, .value = value};
}

void call_header(struct call *c, const char *name, const char *value)
{
    call_header_const(c, name, arena_strdup(c->tx.arena, value));
}

/* As much of the text as is well-formed. */
static size_t well_formed(const char *text, size_t n)
{
    size_t i = 0;
    for (unsigned k; i < n && (k = utf8_sequence(text + i, n - i)); i += k)
        ;
    return i;
}

void call_why(struct call *c, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!c->why)
        c->why = arena_memdup(c->tx.arena, text, well_formed(text, strlen(text)));
}

const char *call_quote(struct call *c, const struct json *v)
{
    struct buf b;
    struct json_writer w;
    if (!v)
        return "absent";
    json_start(&w, &b);
    json_value(&w, NULL, v);
    size_t n = b.len > 100 ? well_formed(b.data, 100) : b.len;
    const char *text =
        arena_printf(c->tx.arena, "%.*s%s", (int)n, buf_str(&b), n < b.len ? "..." : "");
    buf_done(&b);
    return text;
}

const char *call_tool_name(const struct call *c, const char *tool)
{
    return c->judged ? c->tx.engine->guard->tool_name(c, tool, false) : tool;
}

const char *call_tool_named(const struct call *c, const char *name)
{
    return c->judged ? c->tx.engine->guard->tool_name(c, name, true) : name;
}

bool call_shows(const struct call *c, const struct dialect *d, const struct route *route,
                const char *tool)
{
    return !c->judged || c->tx.engine->guard->shows(c, d, route, tool);
}

int scope_number(const struct sosia_engine *e, const char *name, size_t len)
{
    return router_scope(e->router, name, len);
}

/* Does the row accept the scope? */
static bool is_accepted(const struct route *row, const char *name, size_t len)
{
    for (const char *s = row->scopes; *s;) {
        size_t n = strcspn(s, " ");
        if (n == len && memcmp(s, name, n) == 0)
            return true;
        s += n + strspn(s + n, " ");
    }
    return false;
}

/* row: only the scopes that it accepts count; NULL: all do. */
static bool has_scope(const struct call *c, const char *scopes, const struct route *row)
{
    while (*scopes) {
        size_t n = strcspn(scopes, " ");
        int at = c->scopes.all ? 0 : scope_number(c->tx.engine, scopes, n);
        if (at >= 0 && (c->scopes.all || c->scopes.bits[at / 64] >> (at % 64) & 1) &&
            (!row || is_accepted(row, scopes, n)))
            return true;
        scopes += n + strspn(scopes + n, " ");
    }
    return false;
}

bool call_has_scope(const struct call *c, const char *scopes)
{
    return c->scopes.all || !scopes || has_scope(c, scopes, NULL);
}

bool call_uses_scope(const struct call *c, const char *scopes)
{
    return has_scope(c, scopes, c->route && c->route->scopes ? c->route : NULL);
}

int call_read_json(struct call *c, const char *text, size_t len)
{
    static const struct json_limits limits = {.max_values = MAX_JSON_VALUES};
    if (json_parse(c->tx.arena, text, len, &limits, &c->body, c->tx.err) == 0)
        return 0;
    c->tx.err->reason = "parseError";
    return -1;
}

const char *call_draft_of(const struct call *c)
{
    return ((const struct known_request *)c->request)->draft_of;
}

bool call_polls(const struct call *c)
{
    return ((const struct known_request *)c->request)->poll;
}
