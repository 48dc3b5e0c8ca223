/* SPDX-License-Identifier: Apache-2.0 */
/* From a tool's arguments to a request of its method, and the response in words. */
#include "mcp/tool.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/http/entry.h"
#include "engine/http/hold.h"
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>
#include <xxhash.h>

#define BOUNDARY "sosia_media" /* with a digest behind it, where the parts have it in them */

/* A request that is put together. */
struct draft {
    struct mcp_call *m;
    const struct route *route;
    const struct dialect_tools *service;
    const struct json *arguments; /* NULL: none */
    struct buf target, form, body;
    struct sosia_header headers[16 + TOOL_LABELS];
    size_t n_headers;
    const char *why; /* the first argument that is not as it must be */
};

static int refuse(struct draft *d, const char *why)
{
    d->why = why;
    return 0;
}

static void add_header(struct draft *d, const char *name, const char *value)
{
    if (d->n_headers < SOSIA_LEN(d->headers))
        d->headers[d->n_headers++] = (struct sosia_header){name, value};
}

/* A value as text, for a path, query or form. */
static const char *text_of(struct draft *d, const struct json *v)
{
    return v->type == JSON_STRING ? v->str : json_to_text(d->m->c->tx.arena, v);
}

/* ---- path ---- */

/* A parameter that goes over several segments keeps its slashes. */
static void add_segments(struct buf *b, const char *text)
{
    for (size_t n; *text; text += n) {
        n = strcspn(text, "/");
        percent_add(b, text, n);
        if (text[n]) {
            buf_byte(b, '/');
            n++;
        }
    }
}

static const struct json *given(const struct draft *d, const char *name, size_t n)
{
    const struct json *v = NULL;
    for (uint32_t i = 0; d->arguments && i < d->arguments->n; i++)
        if (d->arguments->members[i].key_len == n &&
            memcmp(d->arguments->members[i].key, name, n) == 0)
            v = &d->arguments->members[i].value;
    return v && v->type != JSON_NULL && !(v->type == JSON_STRING && !v->n) ? v : NULL;
}

/* How many variables a path has; -1: one of them is not given. */
static int variables_of(const struct draft *d, const char *path)
{
    int n = 0;
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{'), n++)
        if (!given(d, at + 1, strcspn(at + 1, "*}")))
            return -1;
    return n;
}

/* The first of the row's paths below a prefix that has as many of the arguments as can be; NULL:
 * there is none below it. */
static const char *path_below(const struct draft *d, const char *prefix)
{
    const char *const *paths = d->route->paths, *best = NULL;
    int most = 0;
    for (size_t i = 0; paths[i]; i++) {
        int n = str_starts(paths[i], prefix) ? variables_of(d, paths[i]) : -2;
        if (n > -2 && (!best || n > most)) {
            most = n;
            best = paths[i];
        }
    }
    return best;
}

static const char *path_for(const struct draft *d)
{
    const char *path = d->m->under ? path_below(d, d->m->under) : NULL;
    return path ? path : path_below(d, "");
}

/* Arguments that the path does not have are named, since they would go nowhere. */
static int check_path(struct draft *d, const char *path)
{
    for (size_t i = 0; i < d->route->n_params; i++) {
        const struct param *p = &d->route->params[i];
        size_t n = strlen(p->name);
        if (p->place == IN_PATH && given(d, p->name, n) && !route_path_has(path, p->name, n))
            return refuse(d, arena_printf(d->m->c->tx.arena,
                                          "%s goes with none of the paths that have the others",
                                          p->name));
    }
    return 1;
}

static int add_path(struct draft *d, const char *path)
{
    const char *whole = path;
    while (*path) {
        size_t n = strcspn(path, "{");
        buf_add(&d->target, path, n);
        path += n;
        if (!*path)
            break;
        size_t name = strcspn(++path, "*}");
        const struct json *v = given(d, path, name);
        if (!v)
            return refuse(d, arena_printf(d->m->c->tx.arena, "%.*s is required", (int)name, path));
        bool several = path[name] == '*';
        const char *text = text_of(d, v);
        if (several)
            add_segments(&d->target, text);
        else
            percent_add(&d->target, text, strlen(text));
        path += name + several + 1;
    }
    return check_path(d, whole);
}

/* ---- the other parameters ---- */

static void add_pair(struct buf *b, char before, const char *name, const char *text)
{
    if (before)
        buf_byte(b, before);
    percent_add(b, name, strlen(name));
    buf_byte(b, '=');
    percent_add(b, text, strlen(text));
}

static void add_query(struct draft *d, const char *name, const char *text)
{
    bool first = !memchr(d->target.data, '?', d->target.len);
    add_pair(&d->target, first ? '?' : '&', name, text);
}

static void add_value(struct draft *d, const struct param *p, const struct json *v)
{
    const char *text = text_of(d, v);
    if (p->place == IN_HEADER)
        add_header(d, p->name, text);
    else if (p->place == IN_QUERY)
        add_query(d, p->name, text);
    else
        add_pair(&d->form, d->form.len ? '&' : 0, p->name, text);
}

/* A parameter that all methods of the service have. */
static void add_common(struct draft *d, const char *name)
{
    const struct json *v = name ? json_get(d->arguments, name) : NULL;
    if (v && v->type == JSON_STRING)
        add_query(d, name, v->str);
}

static int add_params(struct draft *d)
{
    const struct route *r = d->route;
    for (size_t i = 0; i < r->n_params; i++) {
        const struct param *p = &r->params[i];
        const struct json *v = json_get(d->arguments, p->name);
        if (p->place == IN_PATH)
            continue;
        if (!v || v->type == JSON_NULL) {
            if (p->required)
                return refuse(d, arena_printf(d->m->c->tx.arena, "%s is required", p->name));
            continue;
        }
        if (p->repeated && v->type == JSON_ARRAY)
            for (uint32_t k = 0; k < v->n; k++)
                add_value(d, p, &v->items[k]);
        else
            add_value(d, p, v);
    }
    add_common(d, d->route->download ? "alt" : NULL);
    add_common(d, tool_fields(d->service, r));
    /* Whitespace is for people, and errors have it anyway. */
    if (d->service->compact)
        add_query(d, d->service->compact, "false");
    return 1;
}

static bool takes_body(const struct route *r)
{
    return r->body == BODY_JSON || r->body == BODY_JSON_OPTIONAL;
}

/* Arguments that the tool does not have are named, since they would go nowhere. */
static int check_names(struct draft *d)
{
    const struct route *r = d->route;
    for (uint32_t i = 0; d->arguments && i < d->arguments->n; i++) {
        const struct json_member *a = &d->arguments->members[i];
        if (tool_param(r, a->key, a->key_len) || (takes_body(r) && strcmp(a->key, BODY) == 0) ||
            ((r->media || r->content) && strcmp(a->key, MEDIA) == 0) ||
            (r->download && strcmp(a->key, "alt") == 0) ||
            (d->service->fields && strcmp(a->key, d->service->fields) == 0))
            continue;
        return refuse(d, arena_printf(d->m->c->tx.arena, "there is no argument %s", a->key));
    }
    return 1;
}

/* ---- bodies ---- */

static int add_json_body(struct draft *d, const char **ret_text)
{
    const struct json *body = json_get(d->arguments, BODY);
    *ret_text = "{}";
    if ((!body || body->type == JSON_NULL) && !d->route->media &&
        (d->route->body == BODY_JSON || d->route->needs_body))
        return refuse(d, BODY " is required");
    if (!body || body->type == JSON_NULL)
        return 1;
    if (body->type != JSON_OBJECT)
        return refuse(d, BODY " must be an object");
    *ret_text = json_to_text(d->m->c->tx.arena, body);
    return 1;
}

/* What is in neither of the two parts. In the arena. Numbers in the place of digests could all be
 * in a file that is made so, and each is looked for through all of it. */
static const char *boundary_of(struct draft *d, const char *json, const void *bytes, size_t n)
{
    char text[40] = BOUNDARY;
    for (uint64_t i = 0; strstr(json, text) || memmem(bytes, n, text, strlen(text)); i++)
        snprintf(text, sizeof text, BOUNDARY "%016" PRIx64, XXH3_64bits_withSeed(bytes, n, i));
    return arena_strdup(d->m->c->tx.arena, text);
}

/* {"mimeType", "text" or "data" in base64}, in the arena. 1; 0: refused. */
static int read_media(struct draft *d, const struct json *media, const char **ret_type,
                      const void **ret_bytes, size_t *ret_n)
{
    const char *type = json_get_str(media, "mimeType"), *text = json_get_str(media, "text");
    const char *data = json_get_str(media, "data");
    uint8_t *decoded = NULL;
    *ret_n = text ? strlen(text) : 0;
    if (!text == !data)
        return refuse(d, MEDIA " must have either text or data (in base64)");
    if (data && base64_decode(d->m->c->tx.arena, data, strlen(data), &decoded, ret_n) < 0)
        return refuse(d, MEDIA ".data must be base64");
    if (type && type[strcspn(type, "\r\n")])
        return refuse(d, MEDIA ".mimeType must be a media type");
    *ret_type = type ? type : text ? "text/plain" : "application/octet-stream";
    *ret_bytes = text ? text : (const char *)decoded;
    return 1;
}

/* The JSON body and a medium, as parts of one request. */
static int add_media(struct draft *d, const struct json *media, const char *json)
{
    const char *type;
    const void *bytes;
    size_t n;
    if (!read_media(d, media, &type, &bytes, &n))
        return 0;
    const char *boundary = boundary_of(d, json, bytes, n);
    if (arena_failed(d->m->c->tx.arena))
        return -1;
    buf_printf(&d->body,
               "--%s\r\nContent-Type: application/json\r\n\r\n%s\r\n--%s\r\nContent-Type: "
               "%s\r\n\r\n",
               boundary, json, boundary, type);
    buf_add(&d->body, bytes, n);
    buf_printf(&d->body, "\r\n--%s--\r\n", boundary);
    add_header(d, "Content-Type",
               arena_printf(d->m->c->tx.arena, "multipart/related; boundary=%s", boundary));
    return 1;
}

/* The content of a file is the whole body. */
static int add_content(struct draft *d)
{
    const struct json *media = json_get(d->arguments, MEDIA);
    const char *type;
    const void *bytes;
    size_t n;
    if (!media || media->type != JSON_OBJECT)
        return refuse(d, media ? MEDIA " must be an object" : MEDIA " is required");
    if (!read_media(d, media, &type, &bytes, &n))
        return 0;
    buf_add(&d->body, bytes, n);
    add_header(d, "Content-Type", type);
    return 1;
}

static int add_body(struct draft *d)
{
    const struct json *media = d->route->media ? json_get(d->arguments, MEDIA) : NULL;
    const char *json;
    if (d->route->content)
        return add_content(d);
    if (d->form.len) {
        buf_add(&d->body, d->form.data, d->form.len);
        add_header(d, "Content-Type", "application/x-www-form-urlencoded");
        return 1;
    }
    if (!takes_body(d->route))
        return 1;
    int r = add_json_body(d, &json);
    if (r <= 0)
        return r;
    if (media && media->type == JSON_OBJECT)
        return add_media(d, media, json);
    buf_puts(&d->body, json);
    add_header(d, "Content-Type", "application/json");
    return 1;
}

/* ---- the call ---- */

static int put_together(struct draft *d, const struct front *front)
{
    const struct json *media = d->route->media ? json_get(d->arguments, MEDIA) : NULL;
    if (media && media->type == JSON_OBJECT)
        buf_puts(&d->target, front->upload_prefixes[0]);
    int r = check_names(d);
    if (media && media->type != JSON_OBJECT && media->type != JSON_NULL)
        r = refuse(d, MEDIA " must be an object");
    if (r > 0)
        r = add_path(d, path_for(d));
    if (r > 0 && media && media->type == JSON_OBJECT && d->service->media)
        buf_printf(&d->target, "?%s", d->service->media);
    if (r > 0)
        r = add_params(d);
    return r > 0 ? add_body(d) : r;
}

/* The address of a content in the world that a response leads to, as a target: with its host in
 * front. NULL: it leads nowhere. */
static const char *led_to(struct mcp_call *m, const struct sosia_response *r)
{
    const char *url = NULL, *host, *path;
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcasecmp(r->headers[i].name, "Location") == 0)
            url = strstr(r->headers[i].value, "://");
    if (r->status != 302 || !url || !(path = strchr(host = url + 3, '/')))
        return NULL;
    const size_t n = strcspn(host, ":/");
    if (str_starts(path, "/w/") && !(path = strchr(path + 3, '/')))
        return NULL;
    return str_starts(path, "/@") ? path
                                  : arena_printf(m->c->tx.arena, "/@%.*s%s", (int)n, host, path);
}

static int send(struct mcp_call *m, const struct sosia_request *request, struct mcp_answer *ret)
{
    *ret = (struct mcp_answer){.response = call_part(m->c, request)};
    if (!ret->response)
        return -1;
    answer_read(m, request->target, ret);
    mcp_log_request(m, request, ret);
    return arena_failed(m->c->tx.arena) ? -1 : 0;
}

int tool_get(struct mcp_call *m, const char *target, struct mcp_answer *ret)
{
    struct sosia_header headers[] = {{"Authorization", tool_bearer(m)}, {"Prefer", m->prefer}};
    struct sosia_request request = {.method = "GET",
                                    .target = target,
                                    .headers = headers,
                                    .n_headers = m->prefer ? 2 : 1,
                                    .base_url = m->c->base_url};
    return send(m, &request, ret);
}

int tool_invoke(struct mcp_call *m, const struct mcp_tool *tool, const struct route *route,
                const struct json *arguments, struct mcp_answer *ret, const char **ret_why)
{
    struct draft d = {.m = m, .route = route, .service = tool->service, .arguments = arguments};
    buf_init(&d.target, 1 << 20);
    buf_init(&d.form, 64 << 20);
    buf_init(&d.body, 128 << 20);
    add_header(&d, "Authorization", tool_bearer(m));
    if (m->prefer)
        add_header(&d, "Prefer", m->prefer);
    if (m->consistency)
        add_header(&d, "ConsistencyLevel", m->consistency);
    d.n_headers += tool_labels(m, d.headers + d.n_headers, TOOL_LABELS);
    int r = put_together(&d, dialect_front(tool->dialect));
    if (buf_failed(&d.target) || buf_failed(&d.form) || buf_failed(&d.body))
        r = refuse(&d, "the arguments are too large");
    if (r > 0) {
        /* Where a method may be read or posted, a form says that it is posted. */
        bool post = d.body.len && route->verbs & POST;
        struct sosia_request request = {.method = verb_name(post ? VERB_POST : route_verb(route)),
                                        .target = buf_str(&d.target),
                                        .headers = d.headers,
                                        .n_headers = d.n_headers,
                                        .body = buf_str(&d.body),
                                        .body_len = d.body.len,
                                        .base_url = m->c->base_url};
        r = send(m, &request, ret) < 0 ? -1 : 1;
        m->wrote += r > 0 && !ret->refused && route->risk != RISK_READ;
        const char *content = r > 0 && route->gives ? led_to(m, ret->response) : NULL;
        if (content) {
            struct sosia_response *first = ret->response;
            r = tool_get(m, content, ret) < 0 ? -1 : 1;
            sosia_response_free(first);
        }
        ret->request = takes_body(route) ? dialect_schema(tool->dialect, route->request) : NULL;
    }
    *ret_why = d.why;
    buf_done(&d.target);
    buf_done(&d.form);
    buf_done(&d.body);
    return r;
}

int tool_call(struct mcp_call *m, const struct mcp_tool *tool, const struct json *arguments,
              struct mcp_answer *ret, const char **ret_why)
{
    int r = tool->direct ? tool_direct(m, tool, arguments, ret) : 0;
    return r ? r : tool_invoke(m, tool, tool->route, arguments, ret, ret_why);
}
