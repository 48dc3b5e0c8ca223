/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/record/har.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "server/host.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { ENTRIES_MAX = 100000, HEADERS_MAX = 1000, HOSTS_TOLD = 8 };

/* ---- writing ---- */

static void write_headers(struct json_writer *w, const struct wire_message *m)
{
    json_arr(w, "headers");
    for (size_t i = 0; i < m->n_headers; i++) {
        json_obj(w, NULL);
        json_str(w, "name", m->headers[i].name);
        json_str(w, "value", m->headers[i].value);
        json_end(w);
    }
    json_end(w);
    json_int(w, "headersSize", -1);
    json_int(w, "bodySize", m->body.data ? (int64_t)m->body.size : 0);
}

static void write_cookies(struct json_writer *w)
{
    json_arr(w, "cookies"); /* they are among the headers */
    json_end(w);
}

static void write_text(struct json_writer *w, const struct wire_body *b)
{
    if (b->data && wire_is_text(b)) {
        json_strn(w, "text", b->data, b->len);
    } else if (b->data) {
        struct buf packed;
        buf_init(&packed, 0);
        base64_add(&packed, b->data, b->len);
        json_str(w, "text", buf_str(&packed));
        json_str(w, "encoding", "base64");
        w->out->failed |= buf_failed(&packed);
        buf_done(&packed);
    }
    if (b->cut)
        json_int(w, "_size", (int64_t)b->size);
}

static void write_query(struct json_writer *w, struct arena *a, const char *target)
{
    const char *query = strchr(target, '?');
    json_arr(w, "queryString");
    for (const char *p = query ? query + 1 : ""; *p;) {
        size_t n = strcspn(p, "&"), equals = 0;
        char *name, *value;
        while (equals < n && p[equals] != '=')
            equals++;
        size_t from = equals < n ? equals + 1 : n;
        if (wire_decode(a, p, equals, true, &name) < 0)
            name = arena_memdup(a, p, equals);
        if (wire_decode(a, p + from, n - from, true, &value) < 0)
            value = arena_memdup(a, p + from, n - from);
        json_obj(w, NULL);
        json_str(w, "name", name);
        json_str(w, "value", value);
        json_end(w);
        p += n + (p[n] == '&');
    }
    json_end(w);
}

static void write_request(struct json_writer *w, struct arena *a, const struct wire *e)
{
    const char *type = wire_header(&e->sent, "Content-Type");
    json_obj(w, "request");
    json_str(w, "method", e->verb);
    json_str(w, "url", arena_printf(a, "%s%s", e->origin, e->target));
    json_str(w, "httpVersion", "HTTP/1.1");
    write_cookies(w);
    write_headers(w, &e->sent);
    write_query(w, a, e->target);
    if (e->sent.body.data) {
        json_obj(w, "postData");
        json_str(w, "mimeType", type ? type : "");
        write_text(w, &e->sent.body);
        json_end(w);
    }
    json_end(w);
}

static void write_response(struct json_writer *w, const struct wire *e)
{
    const char *type = wire_header(&e->got, "Content-Type");
    const char *location = wire_header(&e->got, "Location");
    json_obj(w, "response");
    json_int(w, "status", e->status);
    json_str(w, "statusText", "");
    json_str(w, "httpVersion", "HTTP/1.1");
    write_cookies(w);
    write_headers(w, &e->got);
    json_obj(w, "content");
    json_int(w, "size", e->got.body.data ? (int64_t)e->got.body.size : 0);
    json_str(w, "mimeType", type ? type : "");
    write_text(w, &e->got.body);
    json_end(w);
    json_str(w, "redirectURL", location ? location : "");
    json_end(w);
}

/* Milliseconds with three digits, so that no microsecond is lost. */
static void write_ms(struct json_writer *w, const char *key, int64_t us)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%lld.%03d", (long long)(us / 1000), (int)(us % 1000));
    json_number(w, key, text, (size_t)n);
}

static void write_entry(struct json_writer *w, struct arena *a, const struct wire *e)
{
    json_obj(w, NULL);
    json_str(w, "pageref", "page_1");
    json_time(w, "startedDateTime", e->at_us, JSON_TIME_US_Z);
    write_ms(w, "time", e->took_us);
    write_request(w, a, e);
    write_response(w, e);
    json_obj(w, "cache");
    json_end(w);
    json_obj(w, "timings");
    json_int(w, "send", 0);
    write_ms(w, "wait", e->took_us);
    json_int(w, "receive", 0);
    json_end(w);
    json_str(w, "_origin", e->origin);
    json_str_opt(w, "_error", e->error);
    json_end(w);
}

void har_write(struct buf *out, const struct wire *list, size_t n, const char *title,
               const char *cassette)
{
    struct json_writer w;
    struct arena a;
    arena_init(&a, 0);
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_obj(&w, "log");
    json_str(&w, "version", "1.2");
    json_obj(&w, "creator");
    json_str(&w, "name", "sosia");
    json_str(&w, "version", SOSIA_VERSION);
    json_end(&w);
    json_arr(&w, "pages");
    json_obj(&w, NULL);
    json_time(&w, "startedDateTime", n ? list[0].at_us : 0, JSON_TIME_US_Z);
    json_str(&w, "id", "page_1");
    json_str(&w, "title", title);
    json_obj(&w, "pageTimings");
    json_end(&w);
    json_end(&w);
    json_end(&w);
    json_arr(&w, "entries");
    for (size_t i = 0; i < n; i++) {
        write_entry(&w, &a, &list[i]);
        arena_reset(&a);
    }
    json_end(&w);
    if (cassette)
        json_raw(&w, "_cassette", cassette, strlen(cassette));
    json_end(&w);
    json_end(&w);
    arena_done(&a);
}

/* ---- reading ---- */

struct reader {
    struct har *har;
    const struct har_options *o;
    struct doc *doc;
    size_t skipped_hosts, preflights;
    struct {
        const char *name;
        size_t n;
    } hosts[HOSTS_TOLD];
    size_t n_hosts;
};

static int no_memory(struct reader *r)
{
    return sosia_fail_memory(r->doc->err);
}

/* A member that must be there and be of a type. */
static const struct json *need(struct reader *r, const struct json *obj, const char *member,
                               enum json_type type, const char *type_name)
{
    const struct json *v = json_get(obj, member);
    if (!v)
        doc_fail(r->doc, obj, member, "is missing");
    else if (v->type != type)
        doc_fail(r->doc, v, member, "must be %s", type_name);
    return v && v->type == type ? v : NULL;
}

static bool is_field(const char *name, const char *value)
{
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *name && !name[strspn(name, allowed)] && !strpbrk(value, "\r\n");
}

static int read_headers(struct reader *r, const struct json *obj, struct wire_message *m)
{
    const struct json *list = json_get(obj, "headers");
    if (!list || list->type == JSON_NULL)
        return 0;
    if (list->type != JSON_ARRAY)
        return doc_fail(r->doc, list, "headers", "must be a list");
    if (list->n > HEADERS_MAX)
        return doc_fail(r->doc, list, "headers", "has more than %d", HEADERS_MAX);
    m->headers = arena_calloc(&r->har->arena, list->n + 1, sizeof *m->headers);
    if (arena_failed(&r->har->arena))
        return no_memory(r);
    size_t mark = doc_push(r->doc, "headers", -1);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t inner = doc_push(r->doc, NULL, i);
        const struct json *name = need(r, &list->items[i], "name", JSON_STRING, "a text");
        const struct json *value =
            name ? need(r, &list->items[i], "value", JSON_STRING, "a text") : NULL;
        if (!value)
            return -1;
        /* of HTTP/2, and what the bodies here have no more */
        bool gone = name->str[0] == ':' || strcasecmp(name->str, "Content-Encoding") == 0 ||
                    strcasecmp(name->str, "Transfer-Encoding") == 0;
        if (!gone && !is_field(name->str, value->str))
            return doc_fail(r->doc, &list->items[i], NULL, "is not a header field");
        doc_pop(r->doc, inner);
        if (gone)
            continue;
        m->headers[m->n_headers++] = (struct sosia_header){name->str, value->str};
    }
    doc_pop(r->doc, mark);
    return 0;
}

/* The type that the file gives for a body, where no header has it. There is room for one more. */
static void add_type(struct wire_message *m, struct arena *a, const char *type)
{
    if (!type || !*type || wire_header(m, "Content-Type") || strpbrk(type, "\r\n"))
        return;
    if (!m->headers)
        m->headers = arena_calloc(a, 1, sizeof *m->headers);
    if (!arena_failed(a))
        m->headers[m->n_headers++] = (struct sosia_header){"Content-Type", type};
}

/* text, encoding, size. */
static int read_content(struct reader *r, const struct json *obj, struct wire_body *b)
{
    const struct json *text = json_get(obj, "text"), *encoding = json_get(obj, "encoding");
    int64_t size = 0;
    if (text && text->type == JSON_NULL)
        text = NULL;
    if (text && text->type != JSON_STRING)
        return doc_fail(r->doc, text, "text", "must be a text");
    if (text && encoding && encoding->type == JSON_STRING &&
        strcasecmp(encoding->str, "base64") == 0) {
        uint8_t *data;
        if (base64_decode(&r->har->arena, text->str, text->n, &data, &b->len) < 0)
            return doc_fail(r->doc, text, "text", "is not base64");
        b->data = arena_memdup(&r->har->arena, data, b->len);
    } else if (text) {
        if (encoding && encoding->type == JSON_STRING && *encoding->str)
            return doc_fail(r->doc, encoding, "encoding", "\"%.20s\" is not known (base64 is)",
                            encoding->str);
        b->data = text->str;
        b->len = text->n;
    }
    b->size = b->len;
    if (json_i64(json_get(obj, "_size"), &size) == 0 && size >= (int64_t)b->len) {
        b->size = (uint64_t)size;
        b->cut = true;
    } else if (!text && json_i64(json_get(obj, "size"), &size) == 0 && size > 0) {
        b->size = (uint64_t)size; /* it was not kept */
        b->cut = true;
    }
    return 0;
}

/* params: name, value; files have no place in it. */
static int read_form(struct reader *r, const struct json *params, struct wire_body *b)
{
    struct buf out;
    int rc = 0;
    buf_init(&out, 0);
    for (uint32_t i = 0; i < params->n && rc == 0; i++) {
        const char *name = json_get_str(&params->items[i], "name");
        const char *value = json_get_str(&params->items[i], "value");
        size_t mark = doc_push(r->doc, "params", i);
        if (!name)
            rc = doc_fail(r->doc, &params->items[i], "name", "is missing");
        else if (json_get(&params->items[i], "fileName"))
            rc = doc_fail(r->doc, &params->items[i], "fileName", "files of forms can't be read");
        if (rc < 0)
            break;
        doc_pop(r->doc, mark);
        buf_puts(&out, out.len ? "&" : "");
        percent_add(&out, name, strlen(name));
        buf_byte(&out, '=');
        percent_add(&out, value ? value : "", value ? strlen(value) : 0);
    }
    if (rc == 0 && buf_failed(&out))
        rc = no_memory(r);
    if (rc == 0) {
        b->data = arena_memdup(&r->har->arena, out.data ? out.data : "", out.len);
        b->len = b->size = out.len;
    }
    buf_done(&out);
    return rc;
}

static int read_post(struct reader *r, const struct json *request, struct wire_message *m)
{
    const struct json *post = json_get(request, "postData"), *params;
    if (!post || post->type == JSON_NULL)
        return 0;
    if (post->type != JSON_OBJECT)
        return doc_fail(r->doc, post, "postData", "must be an object");
    size_t mark = doc_push(r->doc, "postData", -1);
    params = json_get(post, "params");
    int rc = 0;
    if (!json_get_str(post, "text") && params && params->type == JSON_ARRAY && params->n)
        rc = read_form(r, params, &m->body);
    else
        rc = read_content(r, post, &m->body);
    if (rc < 0)
        return -1;
    add_type(m, &r->har->arena, json_get_str(post, "mimeType"));
    doc_pop(r->doc, mark);
    return 0;
}

/* Characters that are not allowed in a request line are written as browsers send them. */
static const char *clean_target(struct arena *a, const char *text, size_t len)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
            buf_printf(&b, "%%%02X", (unsigned char)text[i]);
        else
            buf_byte(&b, text[i]);
    }
    return buf_keep(&b, a);
}

static int read_url(struct reader *r, const struct json *request, const char *origin,
                    struct wire *e, struct host *host)
{
    struct arena *a = &r->har->arena;
    const struct json *url = need(r, request, "url", JSON_STRING, "a text");
    if (!url)
        return -1;
    const char *p = strstr(url->str, "://");
    size_t scheme = p ? (size_t)(p - url->str) : 0;
    if ((scheme != 4 || strncasecmp(url->str, "http", 4) != 0) &&
        (scheme != 5 || strncasecmp(url->str, "https", 5) != 0))
        return doc_fail(r->doc, url, "url", "\"%.40s\" is not an http or https URL", url->str);
    p += 3;
    size_t authority = strcspn(p, "/?#");
    for (size_t i = authority; i-- > 0;) { /* passwords are left out */
        if (p[i] == '@') {
            p += i + 1;
            authority -= i + 1;
            break;
        }
    }
    if (host_parse(p, authority, host) < 0)
        return doc_fail(r->doc, url, "url", "\"%.40s\" has no host", url->str);
    e->origin = arena_printf(a, "%.*s://%.*s", (int)scheme, url->str, (int)authority, p);
    /* what sosia wrote itself may have a path there */
    if (origin && str_starts(url->str, origin) && str_starts(origin, e->origin) &&
        url->str[strlen(origin)] == '/') {
        e->origin = origin;
        p = url->str + strlen(origin);
    } else {
        p += authority;
    }
    size_t len = strcspn(p, "#");
    e->target =
        *p == '/' ? clean_target(a, p, len) : arena_printf(a, "/%s", clean_target(a, p, len));
    return 0;
}

static int read_request(struct reader *r, const struct json *entry, struct wire *e,
                        struct host *host)
{
    const struct json *request = need(r, entry, "request", JSON_OBJECT, "an object");
    if (!request)
        return -1;
    size_t mark = doc_push(r->doc, "request", -1);
    const struct json *method = need(r, request, "method", JSON_STRING, "a text");
    if (!method || read_url(r, request, json_get_str(entry, "_origin"), e, host) < 0 ||
        read_headers(r, request, &e->sent) < 0 || read_post(r, request, &e->sent) < 0)
        return -1;
    if (!is_field(method->str, ""))
        return doc_fail(r->doc, method, "method", "\"%.20s\" is not a method", method->str);
    e->verb = method->str;
    doc_pop(r->doc, mark);
    return 0;
}

static int read_response(struct reader *r, const struct json *entry, struct wire *e)
{
    const struct json *response = need(r, entry, "response", JSON_OBJECT, "an object");
    int64_t status;
    if (!response)
        return -1;
    size_t mark = doc_push(r->doc, "response", -1);
    const struct json *number = need(r, response, "status", JSON_NUMBER, "a number");
    if (!number)
        return -1;
    if (json_i64(number, &status) < 0 || (status && (status < 100 || status > 999)))
        return doc_fail(r->doc, number, "status", "must be a status from 100 to 999, or 0");
    const struct json *content = json_get(response, "content");
    if (content && content->type != JSON_OBJECT && content->type != JSON_NULL)
        return doc_fail(r->doc, content, "content", "must be an object");
    e->status = (int)status;
    e->error = json_get_str(entry, "_error");
    if (!e->status && !e->error)
        e->error = "no answer";
    if (read_headers(r, response, &e->got) < 0)
        return -1;
    if (content && content->type == JSON_OBJECT) {
        size_t inner = doc_push(r->doc, "content", -1);
        if (read_content(r, content, &e->got.body) < 0)
            return -1;
        if (e->got.body.data)
            add_type(&e->got, &r->har->arena, json_get_str(content, "mimeType"));
        doc_pop(r->doc, inner);
    }
    /* an empty text is not a body */
    if (!e->got.body.len && !e->got.body.cut)
        e->got.body = (struct wire_body){0};
    doc_pop(r->doc, mark);
    return 0;
}

static int read_times(struct reader *r, const struct json *entry, struct wire *e)
{
    const struct json *at = need(r, entry, "startedDateTime", JSON_STRING, "a text");
    struct stamp t;
    double ms = 0;
    if (!at)
        return -1;
    if (stamp_parse(at->str, at->n, false, &t) < 0)
        return doc_fail(r->doc, at, "startedDateTime", "\"%.40s\" is not a time", at->str);
    e->at_us = t.local_us - t.offset * US_PER_SECOND;
    if (json_double(json_get(entry, "time"), &ms) == 0 && ms > 0 && ms < 1e12)
        e->took_us = (int64_t)(ms * 1000 + 0.5);
    return 0;
}

/* ---- which of them ---- */

static bool is_wanted(struct reader *r, const struct host *host)
{
    for (size_t i = 0; i < r->o->n_hosts; i++)
        if (host_matches(r->o->hosts[i], host->name))
            return true;
    return !r->o->n_hosts;
}

static void count_host(struct reader *r, const struct host *host)
{
    size_t i = 0;
    while (i < r->n_hosts && strcmp(r->hosts[i].name, host->name) != 0)
        i++;
    if (i == HOSTS_TOLD)
        return;
    if (i == r->n_hosts) {
        r->hosts[i].name = arena_strdup(&r->har->arena, host->name);
        r->n_hosts++;
    }
    r->hosts[i].n++;
}

/* Of several hosts one must say which. */
static int check_hosts(struct reader *r)
{
    struct buf b;
    if (r->o->n_hosts || r->n_hosts < 2)
        return 0;
    buf_init(&b, 0);
    for (size_t i = 0; i < r->n_hosts; i++)
        buf_printf(&b, "%s%s (%zu)", i ? ", " : "", r->hosts[i].name, r->hosts[i].n);
    sosia_fail(r->doc->err, SOSIA_E_INVALID, "hosts", NULL,
               "%s: which host's exchanges? Say so with --host. There are %s", r->doc->name,
               buf_str(&b));
    buf_done(&b);
    return -1;
}

static int read_entry(struct reader *r, const struct json *entry)
{
    struct har *h = r->har;
    struct wire *e = &h->list[h->n];
    struct host host;
    *e = (struct wire){.n = (int64_t)h->n + 1};
    if (entry->type != JSON_OBJECT)
        return doc_fail(r->doc, entry, NULL, "must be an object");
    if (read_times(r, entry, e) < 0 || read_request(r, entry, e, &host) < 0 ||
        read_response(r, entry, e) < 0)
        return -1;
    if (strcmp(e->verb, "OPTIONS") == 0 && wire_header(&e->sent, "Access-Control-Request-Method")) {
        r->preflights++;
        return 0;
    }
    count_host(r, &host);
    if (is_wanted(r, &host))
        h->n++;
    else
        r->skipped_hosts++;
    return 0;
}

static int read_log(struct reader *r, const struct json *top)
{
    struct har *h = r->har;
    if (top->type != JSON_OBJECT)
        return doc_fail(r->doc, top, NULL, "must be an object");
    const struct json *log = need(r, top, "log", JSON_OBJECT, "an object");
    size_t mark = doc_push(r->doc, "log", -1);
    const struct json *version = json_get(log, "version");
    const struct json *list = log ? need(r, log, "entries", JSON_ARRAY, "a list") : NULL;
    if (!list)
        return -1;
    if (version && (version->type != JSON_STRING || !str_starts(version->str, "1.")))
        return doc_fail(r->doc, version, "version", "must be \"1.2\"");
    if (list->n > ENTRIES_MAX)
        return doc_fail(r->doc, list, "entries", "has more than %d", ENTRIES_MAX);
    h->cassette = json_get(log, "_cassette");
    h->list = arena_calloc(&h->arena, list->n + 1, sizeof *h->list);
    if (arena_failed(&h->arena))
        return no_memory(r);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t inner = doc_push(r->doc, "entries", i);
        if (read_entry(r, &list->items[i]) < 0)
            return -1;
        doc_pop(r->doc, inner);
    }
    doc_pop(r->doc, mark);
    if (r->skipped_hosts)
        buf_printf(&h->notes, "%zu exchanges with other hosts are left out\n", r->skipped_hosts);
    if (r->preflights)
        buf_printf(&h->notes, "%zu preflights of a browser are left out\n", r->preflights);
    return check_hosts(r);
}

int har_parse(const char *file, const char *text, size_t len, const struct har_options *o,
              struct har **ret_har, struct sosia_err *err)
{
    struct json_limits limits = {.max_size = HAR_SIZE_MAX};
    struct sosia_err found = {0};
    const struct json *top;
    struct har *h = calloc(1, sizeof *h);
    if (!h)
        return sosia_fail_memory(err);
    arena_init(&h->arena, (size_t)4 << 30);
    buf_init(&h->notes, 0);
    struct doc d = {.arena = &h->arena, .text = text, .len = len, .name = file, .err = err};
    struct reader r = {.har = h, .o = o, .doc = &d};
    int rc = json_parse(&h->arena, text, len, &limits, &top, &found);
    if (rc < 0)
        sosia_fail(err, found.code, "har", NULL, "%s:%d: %s", file, found.line ? found.line : 1,
                   found.text);
    else
        rc = read_log(&r, top);
    if (rc == 0 && (arena_failed(&h->arena) || buf_failed(&h->notes)))
        rc = sosia_fail_memory(err);
    if (rc < 0)
        har_free(h);
    else
        *ret_har = h;
    return rc;
}

void har_free(struct har *h)
{
    if (!h)
        return;
    buf_done(&h->notes);
    arena_done(&h->arena);
    free(h);
}
