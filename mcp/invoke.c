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

/* What begins another run, or says what a call is to a draft, is of the message alone. */
static bool is_passed_on(const char *name)
{
    const char *own = name + sizeof ENTRY_LABEL_OWN - 1;
    return strncasecmp(name, ENTRY_LABEL_OWN, sizeof ENTRY_LABEL_OWN - 1) == 0 &&
           strcasecmp(own, "run") != 0 && strcasecmp(own, "draft") != 0;
}

size_t tool_labels(const struct mcp_call *m, struct sosia_header *list, size_t room)
{
    const struct sosia_request *r = m->c->request;
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers && n < room; i++)
        if ((r->headers[i].name[0] | 32) == 'x' && is_passed_on(r->headers[i].name))
            list[n++] = r->headers[i];
    if (m->stage && n == room)
        n--;
    if (m->stage)
        list[n++] = (struct sosia_header){STAGE_LABEL, m->stage};
    return n;
}

/* A value as text, for a path, query or form. */
static const char *text_of(struct draft *d, const struct json *v)
{
    return v->type == JSON_STRING ? v->str : json_to_text(d->m->c->tx.arena, v);
}

static const struct param *param_named(const struct route *r, const char *name, size_t n)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (strlen(r->params[i].name) == n && memcmp(r->params[i].name, name, n) == 0)
            return &r->params[i];
    return NULL;
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

const char *tool_fields(const struct dialect_tools *s, const struct route *r)
{
    return s->fields && !param_named(r, s->fields, strlen(s->fields)) ? s->fields : NULL;
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
        if (param_named(r, a->key, a->key_len) || (takes_body(r) && strcmp(a->key, BODY) == 0) ||
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

/* Some services refuse with their first member and not with a status. */
static bool says_ok(const struct mcp_call *m, const char *target)
{
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;)
        if (d->tools->says_ok && str_starts(target, d->tools->says_ok))
            return true;
    return false;
}

void answer_judge(const struct mcp_call *m, struct mcp_answer *a, const char *target)
{
    a->is_json = strncasecmp(a->type, "application/json", 16) == 0;
    a->refused = a->status >= 400 ||
                 (a->is_json && str_starts(a->body, "{\"ok\":false") && says_ok(m, target));
}

/* What a rule has said of the last call goes along with the message's answer. */
static void take_reason(struct call *c, const struct sosia_response *r)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_headers; i++)
        if (strcmp(c->headers[i].name, GUARD_HEADER) != 0)
            c->headers[n++] = c->headers[i];
    c->n_headers = n;
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcmp(r->headers[i].name, GUARD_HEADER) == 0)
            call_header(c, GUARD_HEADER, r->headers[i].value);
}

void answer_read(struct mcp_call *m, const char *target, struct mcp_answer *a)
{
    struct sosia_response *r = a->response;
    take_reason(m->c, r);
    a->status = r->status;
    a->why = r->why;
    a->type = "";
    for (size_t i = 0; i < r->n_headers; i++)
        if ((r->headers[i].name[0] | 32) == 'c' &&
            strcasecmp(r->headers[i].name, "Content-Type") == 0)
            a->type = r->headers[i].value;
    a->body = r->body;
    a->len = r->body_len;
    if (r->read) { /* it is pulled */
        char *all = arena_alloc(m->c->tx.arena, (size_t)r->length + 1);
        int64_t n = 0, k = 1;
        while (!arena_failed(m->c->tx.arena) && n < r->length && k > 0) {
            k = r->read(r, n, all + n, (size_t)(r->length - n));
            n += k > 0 ? k : 0;
        }
        if (!arena_failed(m->c->tx.arena))
            all[n] = 0;
        a->body = all;
        a->len = (size_t)n;
    }
    answer_judge(m, a, target);
}

const struct json *tool_answer(struct mcp_call *m, struct mcp_answer *a)
{
    struct sosia_err ignored;
    if (!a->json && a->is_json &&
        json_parse(m->c->tx.arena, a->body, a->len, NULL, &a->json, &ignored) < 0)
        a->json = NULL;
    return a->json;
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

/* As the caller has it, or from where else the token was. */
const char *tool_bearer(struct mcp_call *m)
{
    static const char head[] = "Bearer ";
    const char *own = call_request_header(m->c, "Authorization");
    if (own && str_starts(own, head) && own + sizeof head - 1 == m->c->token)
        return own;
    return arena_printf(m->c->tx.arena, "%s%s", head, m->c->token);
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

/* ---- refusals in words ---- */

static const struct json *first(const struct json *list)
{
    return list && list->type == JSON_ARRAY && list->n ? &list->items[0] : NULL;
}

/* What the service keeps to itself: behind its words, with the member where the tool has it. */
static const char *more_of(struct mcp_call *m, const struct mcp_answer *a, const char *text)
{
    const struct schema *s = a->request;
    size_t n = a->why ? strcspn(a->why, " .[") : 0, i = 0;
    if (!n || strstr(text, a->why))
        return "";
    while (s && i < s->n_fields &&
           (strlen(s->fields[i].name) != n || memcmp(s->fields[i].name, a->why, n) != 0))
        i++;
    return arena_printf(m->c->tx.arena, " (%s%s)", s && i < s->n_fields ? BODY "." : "", a->why);
}

const char *answer_why(struct mcp_call *m, struct mcp_answer *a)
{
    struct arena *arena = m->c->tx.arena;
    const struct json *error = json_get(tool_answer(m, a), "error");
    const char *text = json_get_str(error, "message"), *reason = NULL;
    const char *needed = json_get_str(a->json, "needed");
    int status = a->status;
    if (error && error->type == JSON_STRING) {
        const struct json *more = json_get(json_get(a->json, "response_metadata"), "messages");
        const struct json *why = first(more);
        return arena_printf(arena, "%s%s%s%s%s", error->str, needed ? ", needed: " : "",
                            needed ? needed : "", why && why->type == JSON_STRING ? ": " : "",
                            why && why->type == JSON_STRING ? why->str : "");
    }
    reason = json_get_str(first(json_get(error, "errors")), "reason");
    if (!reason)
        reason = json_get_str(error, "status");
    if (!text) /* of the workspace's methods */
        text = json_get_str(first(json_get(a->json, "content")), "text");
    if (!text)
        text = a->len ? a->body : a->why;
    if (!text || !utf8_valid(text, strlen(text)))
        text = "the service refused the call";
    return arena_printf(arena, "%d%s%s: %.*s%s", status, reason ? " " : "", reason ? reason : "",
                        (int)utf8_truncate(text, strlen(text), 2000), text, more_of(m, a, text));
}

bool tool_reaches(const struct route *r)
{
    return r->risk == RISK_EXTERNAL || r->risk_of;
}

/* ---- results ---- */

void tool_text(struct json_writer *w, const char *text, size_t n)
{
    json_obj(w, NULL);
    json_str(w, "type", "text");
    json_strn(w, "text", text, n);
    json_end(w);
}

/* Beside the words, for programs. */
static void write_reason(struct mcp_call *m)
{
    const char *text = NULL;
    for (size_t i = 0; i < m->c->n_headers; i++)
        if (strcmp(m->c->headers[i].name, GUARD_HEADER) == 0)
            text = m->c->headers[i].value;
    if (!text)
        return;
    if (strcmp(m->revision, "2025-06-18") >= 0)
        json_raw(m->w, "structuredContent", text, strlen(text));
    json_obj(m->w, "_meta");
    json_raw(m->w, "sosia/guard", text, strlen(text));
    json_end(m->w);
}

void tool_refused(struct mcp_call *m, const char *why)
{
    json_arr(m->w, "content");
    tool_text(m->w, why, strlen(why));
    json_end(m->w);
    write_reason(m);
    json_bool(m->w, "isError", true);
}
