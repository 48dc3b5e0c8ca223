/* SPDX-License-Identifier: Apache-2.0 */
/* From exchanges to steps: callers, requests, expected responses. */
#include "conformance/record/compose_impl.h"
#include "conformance/traces.h"
#include "conformance/method.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <ctype.h>
#include <strings.h>
#include <time.h>

enum { STEPS_MAX = 10000, DEEP_MAX = 80 };

static const char *const verbs[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};

/* ---- what can be a step ---- */

static const char *verb_of(const struct wire *e)
{
    for (size_t i = 0; i < SOSIA_LEN(verbs); i++)
        if (strcmp(verbs[i], e->verb) == 0)
            return verbs[i];
    return NULL;
}

static bool has_body(const struct wire_message *m)
{
    return m->body.len || m->body.cut;
}

/* Why it can't be a step; NULL: it can. */
const char *wire_obstacle(const struct wire *e)
{
    if (e->status < 200 || e->error)
        return "the answer is not whole";
    if (e->status > 599)
        return "the answer's status is none of HTTP's";
    if (!verb_of(e))
        return "no such verb can be replayed";
    if (e->sent.body.cut)
        return "the request's body was too large to be kept";
    if (has_body(&e->sent) && (strcmp(e->verb, "GET") == 0 || strcmp(e->verb, "HEAD") == 0))
        return "a GET with a body can't be replayed";
    for (const char *p = e->target; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == '#' || *p == 0x7f)
            return "its target is malformed";
    return NULL;
}

/* ---- requests ---- */

/* Of the connection and the client's program, not of the request. */
static bool is_of_transport(const char *name)
{
    static const char *const names[] = {"host",
                                        "authorization",
                                        "connection",
                                        "keep-alive",
                                        "te",
                                        "trailer",
                                        "transfer-encoding",
                                        "upgrade",
                                        "content-length",
                                        "user-agent",
                                        "accept-encoding",
                                        "accept-language",
                                        "expect",
                                        "via",
                                        "forwarded",
                                        "x-real-ip",
                                        "origin",
                                        "referer",
                                        "cookie",
                                        "dnt",
                                        "priority",
                                        "pragma",
                                        "cache-control",
                                        "date",
                                        "traceparent",
                                        "tracestate",
                                        "baggage",
                                        "proxy-authorization",
                                        "proxy-connection",
                                        "content-encoding",
                                        "x-sosia-world"};
    static const char *const prefixes[] = {"x-forwarded-", "sec-", "access-control-", ":"};
    return str_in_nocase(name, names, SOSIA_LEN(names)) ||
           str_starts_in_nocase(name, prefixes, SOSIA_LEN(prefixes)) ||
           traces_header(name, programs) || traces_header(name, unrecorded);
}

/* What the replayer would send by itself. */
static bool is_default_header(const struct sosia_header *h, const char *type)
{
    if (strcasecmp(h->name, "Accept") == 0)
        return strstr(h->value, "*/*") || strncasecmp(h->value, "application/json", 16) == 0;
    if (strcasecmp(h->name, "Content-Type") != 0)
        return false;
    size_t n = strcspn(h->value, ";");
    bool utf8 = !h->value[n] || strcasestr(h->value + n, "utf-8");
    return !type || (n == strlen(type) && strncasecmp(h->value, type, n) == 0 && utf8);
}

static const struct json *parsed(struct build *b, struct buf *text)
{
    const struct json *v = NULL;
    const char *copy = arena_memdup(b->c.a, text->data ? text->data : "", text->len);
    if (buf_failed(text) || json_parse(b->c.a, copy, text->len, NULL, &v, NULL) < 0)
        b->c.failed = true;
    buf_done(text);
    return v;
}

/* {"${form}": {...}}; NULL: a name is there twice, or the text is not a form. */
static const struct json *send_form(struct build *b, const char *form)
{
    struct json_writer w;
    struct buf out;
    struct map seen;
    bool good = true;
    buf_init(&out, 0);
    map_init(&seen);
    json_init(&w, &out, false, NULL);
    json_obj(&w, NULL);
    json_obj(&w, "${form}");
    for (const char *p = form; *p && good;) {
        size_t n = strcspn(p, "&"), equals = 0;
        char *name, *value;
        while (equals < n && p[equals] != '=')
            equals++;
        good = equals < n && wire_decode(b->c.a, p, equals, true, &name) == 0 &&
               wire_decode(b->c.a, p + equals + 1, n - equals - 1, true, &value) == 0 &&
               !map_get(&seen, name) && map_set(&seen, name, b) == 0;
        if (good)
            json_str(&w, name, request_text(&b->c, value));
        p += n + (p[n] == '&');
    }
    json_end(&w);
    json_end(&w);
    map_done(&seen);
    if (good)
        return parsed(b, &out);
    buf_done(&out);
    return NULL;
}

static const struct json *send_text(struct build *b, const char *text)
{
    struct json_writer w;
    struct buf out;
    json_start(&w, &out);
    json_obj(&w, NULL);
    if (!strstr(text, "\r\n")) {
        json_str(&w, "${text}", request_text(&b->c, text));
    } else {
        json_arr(&w, "${lines}");
        for (const char *p = text;;) {
            const char *end = strstr(p, "\r\n");
            json_str(&w, NULL,
                     request_text(&b->c, end ? arena_memdup(b->c.a, p, (size_t)(end - p)) : p));
            if (!end)
                break;
            p = end + 2;
        }
        json_end(&w);
    }
    json_end(&w);
    return parsed(b, &out);
}

static const struct json *send_bytes(struct build *b, const struct wire_body *body)
{
    struct json_writer w;
    struct buf out, packed;
    buf_init(&out, 0);
    buf_init(&packed, 0);
    base64_add(&packed, body->data, body->len);
    json_init(&w, &out, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "${base64}", buf_str(&packed));
    json_end(&w);
    out.failed |= buf_failed(&packed);
    buf_done(&packed);
    return parsed(b, &out);
}

/* What a cassette would take for something else: members named like matchers, "..." in lists. */
static bool has_marks(const struct json *v)
{
    bool found = false;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n && !found; i++)
        found = strcmp(v->members[i].key, "...") == 0 || str_starts(v->members[i].key, "${") ||
                has_marks(&v->members[i].value);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n && !found; i++)
        found = has_marks(&v->items[i]) ||
                (v->items[i].type == JSON_STRING && strcmp(v->items[i].str, "...") == 0);
    return found;
}

/* JSON that a cassette can have as it is: there, no name may be twice in an object. */
static int parse_plain(struct build *b, const struct wire_body *body, const struct json **ret)
{
    static const struct json_limits limits = {
        .max_size = 1u << 30, .unique_keys = true, .max_depth = DEEP_MAX};
    return json_parse(b->c.a, body->data, body->len, &limits, ret, NULL) < 0 || has_marks(*ret) ? -1
                                                                                                : 0;
}

/* The body; ret_type: its Content-Type unless a header has another. */
static const struct json *compose_body(struct build *b, const struct wire *e, const char **ret_type)
{
    const struct wire_body *body = &e->sent.body;
    const struct json *v;
    *ret_type = NULL;
    if (!body->len)
        return NULL;
    *ret_type = "application/json";
    if (wire_is_json(&e->sent) && parse_plain(b, body, &v) == 0 &&
        (v->type == JSON_OBJECT || v->type == JSON_ARRAY)) {
        struct json_writer w;
        struct buf out;
        json_start(&w, &out);
        request_json(&b->c, &w, NULL, v);
        return parsed(b, &out);
    }
    if (wire_is_type(&e->sent, "application/x-www-form-urlencoded") &&
        (v = send_form(b, body->data))) {
        *ret_type = "application/x-www-form-urlencoded";
        return v;
    }
    if (!wire_is_text(body)) {
        *ret_type = "application/octet-stream";
        return send_bytes(b, body);
    }
    *ret_type = "text/plain";
    return send_text(b, body->data);
}

static void compose_headers(struct build *b, const struct wire *e, struct cassette_step *s,
                            const char *type)
{
    const struct wire_message *m = &e->sent;
    const char *token = wire_bearer(e), *credential = wire_header(m, "Authorization");
    struct caller *k = token ? caller_find(b, token) : NULL;
    s->headers = arena_calloc(b->c.a, m->n_headers + 1, sizeof *s->headers);
    if (arena_failed(b->c.a))
        return;
    if (k && k->name)
        s->actor = k->name;
    else if (credential)
        s->headers[s->n_headers++] = (struct cassette_pair){
            .name = "Authorization", .text = pattern_escape(b->c.a, credential)};
    for (size_t i = 0; i < m->n_headers; i++) {
        const struct sosia_header *h = &m->headers[i];
        if (is_of_transport(h->name) || is_default_header(h, type))
            continue;
        bool again = false;
        for (size_t j = 0; j < s->n_headers; j++)
            again |= strcasecmp(s->headers[j].name, h->name) == 0;
        if (!again)
            s->headers[s->n_headers++] =
                (struct cassette_pair){.name = h->name, .text = request_text(&b->c, h->value)};
    }
}

/* A text of a template with its plain parts percent-encoded. */
static void encode_template(struct buf *out, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "$");
        percent_add(out, text, n);
        text += n;
        if (strncmp(text, "${", 2) == 0) {
            n = strcspn(text, "}") + 1;
            buf_add(out, text, n);
            text += n;
        } else if (strncmp(text, "$${", 3) == 0) {
            buf_puts(out, "%24%7B");
            text += 3;
        } else if (*text) {
            buf_puts(out, "%24");
            text++;
        }
    }
}

static void compose_path(struct build *b, const struct wire *e, struct cassette_step *s)
{
    struct buf out;
    size_t len = strcspn(e->target, "?");
    buf_init(&out, 0);
    for (size_t i = 0; i < len;) {
        size_t n = 0;
        char *text;
        while (i + n < len && e->target[i + n] != '/')
            n++;
        const char *raw = arena_memdup(b->c.a, e->target + i, n);
        if (n && wire_decode(b->c.a, raw, n, false, &text) == 0) {
            const char *now = request_text(&b->c, text);
            if (strcmp(now, pattern_escape(b->c.a, text)) == 0)
                buf_puts(&out, pattern_escape(b->c.a, raw));
            else
                encode_template(&out, now);
        } else {
            buf_puts(&out, pattern_escape(b->c.a, raw));
        }
        i += n;
        if (i < len)
            buf_byte(&out, e->target[i++]);
    }
    b->c.failed |= buf_failed(&out);
    s->path = buf_keep(&out, b->c.a);
}

static const char *query_value(struct build *b, const char *name, const char *value)
{
    struct caller *k = strcmp(name, "access_token") == 0 ? caller_find(b, value) : NULL;
    if (k && k->name)
        return arena_printf(b->c.a, "${token:%s}", k->name);
    return request_text(&b->c, value);
}

static void compose_query(struct build *b, const struct wire *e, struct cassette_step *s)
{
    const char *query = strchr(e->target, '?');
    size_t most = 1;
    for (const char *p = query ? query + 1 : ""; *p; p++)
        most += *p == '&';
    s->query = arena_calloc(b->c.a, most, sizeof *s->query);
    if (!query || arena_failed(b->c.a))
        return;
    for (const char *p = query + 1; *p;) {
        size_t n = strcspn(p, "&"), equals = 0;
        char *name, *value;
        while (equals < n && p[equals] != '=')
            equals++;
        size_t from = equals < n ? equals + 1 : n;
        if (wire_decode(b->c.a, p, equals, true, &name) < 0 ||
            wire_decode(b->c.a, p + from, n - from, true, &value) < 0) {
            /* as it was, broken: behind the path */
            s->path = arena_printf(b->c.a, "%s?%s", s->path, pattern_escape(b->c.a, query + 1));
            s->n_query = 0;
            return;
        }
        if (n && !(strcmp(name, "key") == 0 && str_starts(value, "redacted-")))
            s->query[s->n_query++] =
                (struct cassette_pair){.name = name, .text = query_value(b, name, value)};
        p += n + (p[n] == '&');
    }
}

/* ---- responses ---- */

static const char *boundary_of(struct build *b, const struct wire *e)
{
    const char *type = wire_header(&e->got, "Content-Type");
    const char *p = type ? strcasestr(type, "boundary=") : NULL;
    if (!p || !wire_is_type(&e->got, "multipart/"))
        return NULL;
    p += 9;
    bool quoted = *p == '"';
    size_t n = strcspn(p + quoted, quoted ? "\"" : "; ");
    return n ? arena_memdup(b->c.a, p + quoted, n) : NULL;
}

static const struct json *expect_body(struct build *b, const struct wire *e, const char **ret_id)
{
    const struct wire_body *body = &e->got.body;
    struct json_writer w;
    struct buf out;
    const struct json *v;
    json_start(&w, &out);
    if (body->cut || !wire_is_text(body)) {
        json_str(&w, NULL, "${any}");
    } else if (parse_plain(b, body, &v) == 0) {
        *ret_id = json_get_str(v, "id");
        answer_json(&b->c, &w, NULL, v);
    } else if (json_parse(b->c.a, body->data, body->len, NULL, &v, NULL) == 0) {
        json_str(&w, NULL, "${any}");
    } else {
        json_obj(&w, NULL);
        json_str(&w, "${text}", answer_plain(&b->c, body->data, boundary_of(b, e)));
        json_end(&w);
    }
    return parsed(b, &out);
}

static const char *expect_header(struct build *b, const struct wire *e,
                                 const struct sosia_header *h, const char *id)
{
    const char *boundary = boundary_of(b, e);
    if (strcasecmp(h->name, "Last-Modified") == 0)
        return "${re:.+ GMT}";
    if (strcasecmp(h->name, "Content-Type") == 0 && boundary) {
        const char *at = strstr(strcasestr(h->value, "boundary="), boundary);
        const char *before = arena_memdup(b->c.a, h->value, (size_t)(at - h->value));
        return arena_printf(b->c.a, "%s%s%s", pattern_escape(b->c.a, before),
                            answer_boundary(&b->c, boundary),
                            pattern_escape(b->c.a, at + strlen(boundary)));
    }
    return answer_text(&b->c, h->name, h->value, id);
}

static bool is_expected(const struct wire_message *m, size_t i)
{
    const struct sosia_header *h = &m->headers[i];
    if (!header_matters(h->name))
        return false;
    /* a front end's, which depends on the client */
    if (strcasecmp(h->name, "Vary") == 0 && strcasestr(h->value, "Accept-Encoding"))
        return false;
    for (size_t j = 0; j < i; j++)
        if (strcasecmp(m->headers[j].name, h->name) == 0)
            return false;
    return true;
}

static void compose_answer(struct build *b, const struct wire *e, struct cassette_step *s)
{
    const struct wire_message *m = &e->got;
    const char *id = NULL;
    bool empty = strcmp(e->verb, "HEAD") == 0 || e->status == 204 || e->status == 304;
    s->status = e->status;
    if (has_body(m) && !empty)
        s->expect_body = expect_body(b, e, &id);
    if (!id)
        id = arena_printf(b->c.a, "@%lld", (long long)e->n);
    s->expect_headers = arena_calloc(b->c.a, m->n_headers + 1, sizeof *s->expect_headers);
    for (size_t i = 0; i < m->n_headers && !arena_failed(b->c.a); i++)
        if (is_expected(m, i))
            s->expect_headers[s->n_expect_headers++] = (struct cassette_pair){
                .name = m->headers[i].name, .text = expect_header(b, e, &m->headers[i], id)};
}

/* ---- steps ---- */

/* "events-insert", "events-insert-2". */
static const char *step_id(struct build *b, const struct wire *e, const char *method)
{
    char base[49];
    size_t n = 0;
    const char *p = method;
    if (!p) { /* "get-events": the verb and the last word of the path */
        size_t len = strcspn(e->target, "?"), from = len;
        while (from && isalpha((unsigned char)e->target[from - 1]))
            from--;
        p = arena_printf(b->c.a, "%s-%.*s", e->verb, (int)(len - from), e->target + from);
    } else {
        size_t dots = 0;
        for (const char *q = p; *q; q++)
            dots += *q == '.';
        while (dots >= 2) /* the last two words */
            dots -= *p++ == '.';
    }
    for (; *p && n < 40; p++)
        base[n++] =
            isalnum((unsigned char)*p) ? (char)(method ? *p : tolower((unsigned char)*p)) : '-';
    while (n > 1 && base[n - 1] == '-')
        n--;
    base[n] = 0;
    return composer_name(&b->c, &b->steps, base, "-");
}

/* The service's time in the response. */
static int64_t answer_time(const struct wire *e)
{
    const char *date = wire_header(&e->got, "Date");
    struct tm tm = {0};
    const char *end = date ? strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &tm) : NULL;
    return end && !*end ? (int64_t)timegm(&tm) * US_PER_SECOND : e->at_us;
}

static void compose_step(struct build *b, const struct wire *e, struct cassette_step *s)
{
    const char *type, *dialect;
    char *path;
    size_t n = strcspn(e->target, "?");
    b->c.e = e;
    b->c.now_us = answer_time(e);
    b->c.path = wire_decode(b->c.a, e->target, n, false, &path) == 0 ? path : e->target;
    *s = (struct cassette_step){.kind = STEP_CALL, .verb = verb_of(e), .source = b->out->source};
    compose_path(b, e, s);
    compose_query(b, e, s);
    s->send = compose_body(b, e, &type);
    compose_headers(b, e, s, type);
    method_find(e->verb, e->target, &s->method, &dialect);
    if (b->c.writing)
        s->id = step_id(b, e, s->method);
    compose_answer(b, e, s);
}

static void compose_steps(struct build *b)
{
    const struct recorded *r = b->c.r;
    struct cassette *c = b->out;
    c->n_steps = 0;
    b->c.serial = 0;
    for (size_t i = 0; i < r->n && !b->c.failed && !arena_failed(b->c.a); i++) {
        const struct wire *e = &r->exchanges[i];
        const char *why = wire_obstacle(e);
        if (!why && c->n_steps == STEPS_MAX)
            why = "a cassette has no more than 10000 steps";
        if (!why)
            compose_step(b, e, &c->steps[c->n_steps++]);
        else if (b->c.writing)
            buf_printf(b->notes, "exchange %lld (%s %.*s) is left out: %s%s%s\n", (long long)e->n,
                       e->verb, (int)strcspn(e->target, "?"), e->target, why, e->error ? ": " : "",
                       e->error ? e->error : "");
    }
}

/* ---- the head ---- */

static void compose_world(struct build *b)
{
    struct cassette *c = b->out;
    char text[STAMP_TEXT];
    const struct recorded *r = b->c.r;
    int64_t start = 0;
    for (size_t i = 0; i < r->n && !start; i++)
        if (r->exchanges[i].status)
            start = answer_time(&r->exchanges[i]);
    stamp_format(text, start, 0, 0, true);
    c->world.time = arena_strdup(b->c.a, text);
    if (b->o->fixture) {
        c->world.fixture = arena_strdup(b->c.a, b->o->fixture);
        return;
    }
    struct json_writer w;
    struct buf out;
    json_start(&w, &out);
    if (b->o->seed) {
        json_value(&w, NULL, b->o->seed);
    } else { /* the callers are the people */
        json_obj(&w, NULL);
        json_int(&w, "sosia", 1);
        json_arr(&w, "people");
        for (size_t i = 0; i < c->n_actors; i++) {
            json_obj(&w, NULL);
            json_str(&w, "email", c->actors[i].email);
            json_end(&w);
        }
        json_end(&w);
        json_end(&w);
    }
    c->world.seed = parsed(b, &out);
}

static void compose_head(struct build *b)
{
    struct cassette *c = b->out;
    const struct recorded *r = b->c.r;
    char date[DATE_TEXT];
    date_format(date, r->n ? r->exchanges[0].at_us / US_PER_DAY : 0);
    c->source = (struct cassette_source){.kind = SOURCE_RECORDED,
                                         .date = arena_strdup(b->c.a, date),
                                         .id = r->target ? arena_strdup(b->c.a, r->target) : NULL};
    c->order = true;
    const char *title = b->o->title ? b->o->title : r->title;
    c->title = title ? arena_strdup(b->c.a, title)
                     : arena_printf(b->c.a, "Recorded from %s",
                                    r->target ? r->target
                                    : r->n    ? r->exchanges[0].origin
                                              : "nothing");
}

static void add_origin(struct build *b)
{
    static const char text[] = "\"${re:https?://[^/\\\\s\\\"]+(?:/w/[^/\\\\s\\\"]+)?}\"";
    struct cassette *c = b->out;
    struct buf out;
    buf_init(&out, 0);
    buf_puts(&out, text);
    c->matchers = arena_calloc(b->c.a, 1, sizeof *c->matchers);
    const struct json *v = parsed(b, &out);
    if (arena_failed(b->c.a))
        return;
    c->matchers[c->n_matchers++] = (struct pattern_name){.name = "origin", .value = v};
}

/* Borrowed texts of the recording become the cassette's. */
static void own_texts(struct build *b)
{
    struct cassette *c = b->out;
    struct arena *a = b->c.a;
    for (size_t i = 0; i < c->n_actors; i++)
        c->actors[i].email = arena_strdup(a, c->actors[i].email);
    for (size_t i = 0; i < c->n_steps && !arena_failed(a); i++) {
        struct cassette_step *s = &c->steps[i];
        for (size_t k = 0; k < s->n_headers; k++)
            s->headers[k].name = arena_strdup(a, s->headers[k].name);
        for (size_t k = 0; k < s->n_expect_headers; k++) {
            s->expect_headers[k].name = arena_strdup(a, s->expect_headers[k].name);
            s->expect_headers[k].text = arena_strdup(a, s->expect_headers[k].text);
        }
    }
}

static int compose(struct build *b, struct sosia_err *err)
{
    const struct recorded *r = b->c.r;
    struct cassette *c = b->out;
    c->steps = arena_calloc(b->c.a, r->n + 1, sizeof *c->steps);
    if (arena_failed(b->c.a) || callers_find(b, err) < 0)
        return sosia_fail_memory(err);
    compose_head(b);
    if (b->o->seed)
        know_document(&b->c, b->o->seed);
    for (size_t i = 0; i < c->n_actors; i++)
        know_text(&b->c, c->actors[i].email);
    compose_steps(b);
    b->c.writing = true;
    b->c.uses_origin = false;
    compose_steps(b);
    compose_world(b);
    if (b->c.uses_origin)
        add_origin(b);
    own_texts(b);
    if (b->c.failed || arena_failed(b->c.a) || buf_failed(b->notes))
        return sosia_fail_memory(err);
    return c->n_steps ? 0
                      : sosia_fail(err, SOSIA_E_INVALID, "empty", NULL,
                                   "there is no exchange to make a cassette of");
}

int compose_cassette(const struct recorded *r, const struct compose_options *o,
                     struct cassette **ret_cassette, struct buf *ret_notes, struct sosia_err *err)
{
    struct cassette *c = cassette_new();
    if (!c)
        return sosia_fail_memory(err);
    struct build b = {.c = {.a = &c->arena, .r = r}, .o = o, .out = c, .notes = ret_notes};
    map_init(&b.c.values);
    map_init(&b.c.fixed);
    map_init(&b.c.names);
    map_init(&b.steps);
    int rc = compose(&b, err);
    map_done(&b.c.values);
    map_done(&b.c.fixed);
    map_done(&b.c.names);
    map_done(&b.steps);
    if (rc < 0)
        cassette_free(c);
    else
        *ret_cassette = c;
    return rc;
}

int compose_check(const struct cassette *c, const char *file, struct buf *ret_text,
                  struct sosia_err *err)
{
    struct cassette *again;
    buf_init(ret_text, 0);
    cassette_write(c, ret_text);
    if (buf_failed(ret_text))
        return sosia_fail_memory(err);
    if (ret_text->len > CASSETTE_SIZE_MAX)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "cassette", NULL,
                          "the cassette would have %zu MiB, of at most %d: record less in one",
                          ret_text->len >> 20, CASSETTE_SIZE_MAX >> 20);
    if (cassette_parse(file, ret_text->data, ret_text->len, &again, err) < 0)
        return -1;
    cassette_free(again);
    return 0;
}
