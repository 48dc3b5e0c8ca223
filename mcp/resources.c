/* SPDX-License-Identifier: Apache-2.0 */
/* Listing and reading resources. */
#include "engine/json/bytes.h"
#include "mcp/watch.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"

#define MAX_VARIABLES 4

/* Values of the variables of a URI, as they are in it: still encoded. */
struct bound {
    const char *names[MAX_VARIABLES];
    size_t name_lens[MAX_VARIABLES];
    const char *values[MAX_VARIABLES];
    size_t n;
};

bool kind_next(const struct mcp_call *m, struct kind_place *at)
{
    if (at->kind && (++at->kind)->name)
        return true;
    while ((at->dialect = mcp_service_next(m->c, at->dialect)) != NULL) {
        at->kind = at->dialect->tools->resources;
        if ((!m->service || m->service == at->dialect->tools) && at->kind && at->kind->name)
            return true;
    }
    return false;
}

/* ---- lists ---- */

static const char *page_target(struct arena *a, const struct tool_resource *k, const char *at)
{
    struct buf b;
    if (!at)
        return k->list;
    buf_init(&b, 0);
    buf_printf(&b, "%s%c%s=", k->list, strchr(k->list, '?') ? '&' : '?', k->page);
    percent_add(&b, at, strlen(at));
    return buf_keep(&b, a);
}

/* A string at a path of members; NULL: none, or it is empty. */
static const char *at_path(struct arena *a, const struct json *v, const char *path)
{
    for (size_t n; path[n = strcspn(path, ".")]; path += n + 1)
        v = json_get(v, arena_memdup(a, path, n));
    const char *text = json_get_str(v, path);
    return text && *text ? text : NULL;
}

int kind_each(struct mcp_call *m, const struct tool_resource *k, struct resource_page *page,
              void (*fn)(void *arg, const struct tool_resource *k, const struct json *item),
              void *arg)
{
    struct mcp_answer a = {0};
    page->next = NULL;
    page->refused = false;
    if (!k->list)
        return 0;
    if (tool_get(m, page_target(m->c->tx.arena, k, page->at), &a) < 0) {
        sosia_response_free(a.response);
        return -1;
    }
    /* What the token may not see is not there for it. */
    const struct json *items = a.refused ? NULL : json_get(tool_answer(m, &a), k->items);
    for (uint32_t i = 0; items && items->type == JSON_ARRAY && i < items->n; i++)
        if (json_get_str(&items->items[i], k->id))
            fn(arg, k, &items->items[i]);
    page->refused = a.refused;
    if (items && k->next)
        page->next = at_path(m->c->tx.arena, a.json, k->next);
    sosia_response_free(a.response);
    return 0;
}

/* The URI of an item, whose kind has one variable. */
static const char *uri_of(struct arena *a, const struct tool_resource *k, const char *id)
{
    struct buf b;
    const char *brace = strchr(k->uri, '{');
    buf_init(&b, 0);
    buf_add(&b, k->uri, (size_t)(brace - k->uri));
    percent_add(&b, id, strlen(id));
    return buf_keep(&b, a);
}

static void write_resource(void *arg, const struct tool_resource *k, const struct json *item)
{
    struct mcp_call *m = arg;
    const char *id = json_get_str(item, k->id), *called = json_get_str(item, k->called);
    json_obj(m->w, NULL);
    json_str(m->w, "uri", uri_of(m->c->tx.arena, k, id));
    json_str(m->w, "name", called ? called : id);
    json_str(m->w, "description", k->title);
    if (!k->look)
        json_str(m->w, "mimeType", "application/json");
    json_end(m->w);
}

static int one_page(struct mcp_call *m)
{
    if (!json_get(m->params, "cursor"))
        return 0;
    return rpc_fail(m, RPC_PARAMS, "params.cursor: no list here has a second page");
}

/* A cursor of resources/list: {kind: page} of the kinds that have more, in base64url. */

static int bad_cursor(struct mcp_call *m)
{
    return rpc_fail(m, RPC_PARAMS, "params.cursor must be the nextCursor of a page, not %s",
                    call_quote(m->c, json_get(m->params, "cursor")));
}

/* What the cursor has. NULL in *ret: the first page is asked for. 0, -1: refused. */
static int read_cursor(struct mcp_call *m, const struct json **ret)
{
    struct arena *a = m->c->tx.arena;
    const struct json *cursor = json_get(m->params, "cursor");
    struct sosia_err ignored;
    uint8_t *data;
    size_t n;
    *ret = NULL;
    if (!cursor)
        return 0;
    if (cursor->type != JSON_STRING || base64_decode(a, cursor->str, cursor->n, &data, &n) < 0 ||
        json_parse(a, (const char *)data, n, NULL, ret, &ignored) < 0 ||
        (*ret)->type != JSON_OBJECT)
        return bad_cursor(m);
    return 0;
}

static void write_cursor(struct mcp_call *m, const struct buf *pages)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, pages->data, pages->len, false);
    json_str(m->w, "nextCursor", buf_str(&b));
    buf_done(&b);
}

/* Writes the resources of a page, and into more the kinds that have another. 0, -1: refused. */
static int list_page(struct mcp_call *m, const struct json *cursor, struct json_writer *more)
{
    bool known = !cursor;
    for (struct kind_place at = {0}; kind_next(m, &at);) {
        const struct tool_resource *k = at.kind;
        struct resource_page page = {.at = json_get_str(cursor, k->name)};
        if (cursor && (!page.at || !k->page))
            continue;
        known = true;
        if (kind_each(m, k, &page, write_resource, m) < 0)
            return rpc_fail(m, RPC_INTERNAL, "there is no memory for the list");
        if (page.at && page.refused)
            return bad_cursor(m);
        if (page.next)
            json_str(more, k->name, page.next);
    }
    return known ? 0 : bad_cursor(m);
}

/* The first page of each kind; behind it the next pages of those that have one. */
int mcp_resources_list(struct mcp_call *m)
{
    const struct json *cursor;
    struct json_writer more;
    struct buf pages;
    if (read_cursor(m, &cursor) < 0)
        return -1;
    json_start(&more, &pages);
    json_obj(&more, NULL);
    rpc_cache(m, 0, false);
    json_arr(m->w, "resources");
    int rc = list_page(m, cursor, &more);
    json_end(m->w);
    bool last = json_is_first(&more);
    json_end(&more);
    if (rc == 0 && !last)
        write_cursor(m, &pages);
    buf_done(&pages);
    return rc;
}

int mcp_templates_list(struct mcp_call *m)
{
    if (one_page(m) < 0)
        return -1;
    rpc_cache(m, 3600000, true);
    json_arr(m->w, "resourceTemplates");
    for (struct kind_place at = {0}; kind_next(m, &at);) {
        const struct tool_resource *k = at.kind;
        json_obj(m->w, NULL);
        json_str(m->w, "uriTemplate", k->uri);
        json_str(m->w, "name", k->name);
        json_str(m->w, "title", k->title);
        json_str(m->w, "description", k->summary);
        if (!k->look)
            json_str(m->w, "mimeType", "application/json");
        json_end(m->w);
    }
    json_end(m->w);
    return 0;
}

/* ---- reading ---- */

/* Is the URI one of the template? A variable is a segment, and not empty. */
static bool match(struct arena *a, const char *template, const char *uri, struct bound *ret)
{
    ret->n = 0;
    while (*template) {
        size_t n = strcspn(template, "{");
        if (strncmp(template, uri, n) != 0)
            return false;
        template += n;
        uri += n;
        if (!*template)
            break;
        size_t name = strcspn(++template, "}"), value = strcspn(uri, "/?#");
        if (!value || ret->n == MAX_VARIABLES)
            return false;
        ret->names[ret->n] = template;
        ret->name_lens[ret->n] = name;
        ret->values[ret->n++] = arena_memdup(a, uri, value);
        template += name + 1;
        uri += value;
    }
    return !*uri;
}

/* Values in a target are escaped once, however they were in the URI. */
static void add_bound(struct mcp_call *m, struct buf *b, const char *value)
{
    char *text;
    size_t n;
    if (percent_decode(m->c->tx.arena, value, strlen(value), false, &text, &n) < 0) {
        text = arena_strdup(m->c->tx.arena, value);
        n = strlen(text);
    }
    percent_add(b, text, n);
}

static const char *encoded(struct mcp_call *m, const char *value)
{
    struct buf b;
    buf_init(&b, 0);
    add_bound(m, &b, value);
    return buf_keep(&b, m->c->tx.arena);
}

static void add_now(struct mcp_call *m, struct buf *b)
{
    char text[STAMP_TEXT];
    percent_add(b, text, stamp_format(text, m->c->tx.now_us, 0, 0, true));
}

static const char *target_of(struct mcp_call *m, const char *read, const struct bound *bound)
{
    struct buf b;
    buf_init(&b, 0);
    while (*read) {
        size_t n = strcspn(read, "{");
        buf_add(&b, read, n);
        read += n;
        if (!*read)
            break;
        size_t name = strcspn(++read, "}");
        if (name == 3 && memcmp(read, "now", 3) == 0)
            add_now(m, &b);
        for (size_t i = 0; i < bound->n; i++)
            if (bound->name_lens[i] == name && memcmp(bound->names[i], read, name) == 0)
                add_bound(m, &b, bound->values[i]);
        read += name + 1;
    }
    return buf_keep(&b, m->c->tx.arena);
}

static void write_contents(struct mcp_call *m, const char *uri, const struct mcp_answer *a)
{
    struct json_writer *w = m->w;
    rpc_cache(m, 0, false);
    json_arr(w, "contents");
    json_obj(w, NULL);
    json_str(w, "uri", uri);
    json_str(w, "mimeType", *a->type ? a->type : "application/octet-stream");
    if (utf8_valid(a->body, a->len) && !memchr(a->body, 0, a->len)) {
        json_strn(w, "text", a->body, a->len);
    } else {
        json_base64(w, "blob", a->body, a->len);
    }
    json_end(w);
    json_end(w);
}

/* The kind that the URI is of; NULL: there is none here. */
static const struct tool_resource *kind_of(struct mcp_call *m, const char *uri, struct bound *ret)
{
    struct kind_place at = {0};
    while (kind_next(m, &at))
        if (match(m->c->tx.arena, at.kind->uri, uri, ret))
            return at.kind;
    return NULL;
}

/* That of a kind whose content depends on what it is. -1: no memory. */
static int look_and_read(struct mcp_call *m, const struct tool_resource *k,
                         const struct bound *bound, struct mcp_answer *ret)
{
    if (tool_get(m, target_of(m, k->look, bound), ret) < 0)
        return -1;
    if (ret->refused)
        return 0;
    const char *target =
        k->target(m->c->tx.arena, encoded(m, bound->values[0]), tool_answer(m, ret));
    sosia_response_free(ret->response);
    ret->response = NULL;
    return tool_get(m, target, ret);
}

/* Reads it. 0; -1: refused. ret->response is the caller's in any case. */
static int read_resource(struct mcp_call *m, const char *uri, struct mcp_answer *ret)
{
    struct bound bound;
    const struct tool_resource *k = kind_of(m, uri, &bound);
    if (!k)
        return rpc_no_resource(m, uri, NULL);
    int rc = k->look ? look_and_read(m, k, &bound, ret)
                     : tool_get(m, target_of(m, k->read, &bound), ret);
    if (rc < 0)
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the resource");
    return ret->refused ? rpc_no_resource(m, uri, answer_why(m, ret)) : 0;
}

int mcp_resources_read(struct mcp_call *m)
{
    const char *uri = rpc_str(m, "uri");
    struct mcp_answer a = {0};
    if (!uri)
        return -1;
    int rc = read_resource(m, uri, &a);
    if (rc == 0)
        write_contents(m, uri, &a);
    sosia_response_free(a.response);
    return rc;
}

/* ---- for those who watch ---- */

int resource_check(struct mcp_call *m, const char *uri)
{
    struct mcp_answer a = {0};
    int rc = read_resource(m, uri, &a);
    sosia_response_free(a.response);
    return rc;
}

const struct tool_resource *resource_find(struct mcp_call *m, const char *uri,
                                          const char *const **ret_values)
{
    struct arena *a = m->c->tx.arena;
    struct bound bound;
    const struct tool_resource *k = kind_of(m, uri, &bound);
    const char **values = arena_calloc(a, MAX_VARIABLES + 1, sizeof *values);
    if (!k)
        return NULL;
    for (size_t i = 0; i < bound.n; i++) {
        char *text;
        size_t n;
        bool good =
            percent_decode(a, bound.values[i], strlen(bound.values[i]), false, &text, &n) == 0;
        values[i] = good ? text : bound.values[i];
    }
    *ret_values = values;
    return k;
}
