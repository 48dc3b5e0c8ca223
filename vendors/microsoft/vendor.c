/* SPDX-License-Identifier: Apache-2.0 */
/* What is done before and after every method of Graph: identifiers of requests, preferences,
 * headers by workload, contexts and links. */
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/signin/signin.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/http_date.h"
#include <endian.h>
#include <xxhash.h>

enum graph_workload graph_workload_of(const struct call *c)
{
    const struct graph_api *api =
        c->dialect && dialect_front(c->dialect) == &graph_front ? c->dialect->facts : NULL;
    return api ? api->workload : GRAPH_GATEWAY;
}

bool graph_is_beta(const struct call *c)
{
    return c->path_len >= 5 && strncasecmp(c->path, "/beta", 5) == 0;
}

const struct rate_class graph_outlook_rates[] = {
    {.name = "Outlook",
     .per_actor = true,
     .per_app = true,
     .together = true,
     .limit = 10000,
     .period_us = 600 * US_PER_SECOND},
    {.name = NULL},
};
const struct rate_class graph_directory_rates[] = {
    {.name = "Directory", .limit = 5000, .period_us = 10 * US_PER_SECOND},
    {.name = NULL},
};

/* ---- the request ---- */

/* At most 21 characters with the end. */
static void write_instant(char *to, int64_t n)
{
    char digits[20];
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    size_t k = 0;
    do
        digits[k++] = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0)
        *to++ = '-';
    while (k)
        *to++ = digits[--k];
    *to = 0;
}

/* It follows from the world's time and the request, so that a replay has the same. */
static const char *request_id(struct call *c)
{
    const struct sosia_request *r = c->request;
    uint64_t h = XXH3_64bits(r->target, strlen(r->target));
    h = XXH3_64bits_withSeed(r->body ? r->body : "", r->body ? r->body_len : 0, h);
    char text[48];
    const uint64_t name = htobe64(h);
    hex_encode(text, &name, sizeof name);
    text[16] = ' ';
    write_instant(text + 17, c->tx.now_us);
    return graph_guid(c->tx.arena, "request", text);
}

bool graph_text_body(const struct call *c)
{
    const char *type = call_request_header(c, "Content-Type");
    return type && strncasecmp(type, "text/plain", 10) == 0 && c->route && c->route->accepts &&
           str_place(c->route->accepts, "text/plain") >= 0;
}

#define MAX_BODY ((int64_t)4 << 20) /* bytes of a request, unless its row says otherwise */

static int begin(struct call *c)
{
    struct graph_call *g = arena_calloc(c->tx.arena, 1, sizeof *g);
    c->vendor_data = g;
    if (g)
        g->request_id = request_id(c);
    if (c->route && c->route->outside)
        c->token = NULL; /* a batch's parts check it */
    if (graph_text_body(c))
        c->form = true; /* the handler reads it: no JSON is expected */
    const int64_t most = c->route && c->route->max_body ? c->route->max_body : MAX_BODY;
    if (c->route && !c->route->media && c->content.len > most) /* MG-319 */
        return call_fail(c, SOSIA_E_TOO_LARGE, "requestLength", NULL,
                         "the request's body must have at most %lld bytes, not %lld",
                         (long long)most, (long long)c->content.len);
    return 0;
}

/* A token that the authority gave for another service is none for Graph (MG-316). Those of the
 * control interface are for all. */
static int caller(struct call *c)
{
    const char *audience = authority_audience(c);
    if (!audience || str_eq_nocase(audience, "https://" GRAPH_HOST))
        return 0;
    if (c->audience && strcmp(audience, c->audience) == 0)
        return authority_on_behalf(c);
    return call_fail(c, SOSIA_E_UNAUTHENTICATED, "audience", NULL, "the token is for %.100s",
                     audience);
}

const char *graph_option(const struct call *c, const char *name)
{
    name += *name == '$';
    for (size_t i = 0; i < c->n_items; i++) {
        const char *own = c->items[i].name;
        own += *own == '$';
        if (c->items[i].place == IN_QUERY && str_eq_nocase(own, name))
            return c->items[i].text;
    }
    return NULL;
}

/* One preference of RFC 7240, of a list that commas separate: its value without quotes. Gives where
 * the next one begins; NULL: there are no more. */
static const char *next_preference(struct arena *a, const char *p, const char **ret_name,
                                   const char **ret_value)
{
    p += strspn(p, " \t,");
    if (!*p)
        return NULL;
    size_t n = strcspn(p, "=,; \t");
    *ret_name = arena_memdup(a, p, n);
    *ret_value = "";
    p += n;
    p += strspn(p, " \t");
    if (*p == '=') {
        p++;
        p += strspn(p, " \t");
        bool quoted = *p == '"';
        p += quoted;
        n = strcspn(p, quoted ? "\"" : ",; \t");
        *ret_value = arena_memdup(a, p, n);
        p += n + (quoted && p[n]);
    }
    return p + strcspn(p, ",");
}

const char *graph_prefer(struct call *c, const char *name)
{
    for (size_t i = 0; i < c->request->n_headers; i++) {
        const struct sosia_header *h = &c->request->headers[i];
        const char *p = h->value, *own, *value;
        if (!str_eq_nocase(h->name, "Prefer"))
            continue;
        while ((p = next_preference(c->tx.arena, p, &own, &value)))
            if (str_eq_nocase(own, name))
                return arena_failed(c->tx.arena) ? NULL : value;
    }
    return NULL;
}

void graph_applied(struct call *c, const char *name, const char *value, bool quoted)
{
    struct graph_call *g = c->vendor_data;
    const char *quote = quoted ? "\"" : "";
    if (g)
        g->applied = arena_printf(c->tx.arena, "%s%s%s%s%s%s%s", g->applied ? g->applied : "",
                                  g->applied ? ", " : "", name, value ? "=" : "", quote,
                                  value ? value : "", quote);
}

/* ---- etags ---- */

int graph_if_match(struct call *c, const char *etag)
{
    const char *header = call_request_header(c, "If-Match");
    size_t n = strlen(etag);
    for (const char *p = header; p && *p;) {
        p += strspn(p, " \t,");
        if (*p == '*')
            return 0;
        if (strncmp(p, etag, n) == 0 && strchr(" \t,", p[n]))
            return 0;
        /* Clients leave out that it is weak. */
        if (str_starts(etag, "W/") && strncmp(p, etag + 2, n - 2) == 0 && strchr(" \t,", p[n - 2]))
            return 0;
        p += strcspn(p, ",");
    }
    return header ? call_fail(c, SOSIA_E_PRECONDITION, NULL, NULL, "the etag is another one") : 0;
}

/* ---- contexts and links ---- */

void graph_context(struct call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    graph_context_of(c, arena_vprintf(c->tx.arena, fmt, ap));
    va_end(ap);
}

void graph_context_of(struct call *c, const char *rest)
{
    json_str(c->out, "@odata.context",
             ARENA_JOIN(c->tx.arena,
                        graph_is_beta(c) ? "https://" GRAPH_HOST "/beta/$metadata#"
                                         : "https://" GRAPH_HOST "/v1.0/$metadata#",
                        rest));
}

const char *graph_key(struct arena *a, const char *key)
{
    const size_t n = strlen(key);
    char *text = arena_alloc(a, 3 * n + 5), *p = text;
    if (arena_failed(a))
        return "";
    p = percent_put(mempcpy(p, "('", 2), key, n);
    memcpy(p, "')", 3);
    return text;
}

const char *graph_url(struct call *c, const char *path)
{
    return call_follow_url(c, GRAPH_HOST,
                           ARENA_JOIN(c->tx.arena, graph_is_beta(c) ? "/beta" : "/v1.0", path));
}

/* The call's path behind the version; of Outlook's, keys in brackets: "/me/mailFolders('inbox')/
 * messages". Users keep their form, empty segments are left out (MG-301). */
static void add_path(struct call *c, struct buf *b)
{
    const char *p = c->path, *end = c->path + c->path_len;
    bool brackets = graph_workload_of(c) == GRAPH_OUTLOOK, collection = false;
    for (int at = 0; p < end; at++) {
        p += *p == '/';
        const char *slash = memchr(p, '/', (size_t)(end - p));
        size_t n = (size_t)((slash ? slash : end) - p);
        if (at > 0 && !n) {
            at--;
            continue;
        }
        bool user = (at == 2 && b->len) && collection;
        bool key = brackets && collection && !user && !memchr(p, '(', n) &&
                   (slash || !str_is_nocase(p, n, "delta"));
        if (at > 0) {
            if (key) {
                buf_puts(b, "('");
                buf_add(b, p, n);
                buf_puts(b, "')");
            } else {
                buf_byte(b, '/');
                buf_add(b, p, n);
            }
        }
        collection = !key && n && p[n - 1] == 's' && !memchr(p, '(', n) && slash;
        p += n;
    }
}

/* Options are written again as they came, but for these. */
static bool is_position(const char *name)
{
    static const char *const names[] = {"skip", "skiptoken", "deltatoken", "token"};
    return str_in_nocase(name + (*name == '$'), names, SOSIA_LEN(names));
}

static void add_option(struct call *c, struct buf *b, const char *name, const char *value)
{
    buf_byte(b, strchr(buf_str(b), '?') ? '&' : '?');
    bool encoded = graph_workload_of(c) == GRAPH_OUTLOOK;
    if (encoded && *name == '$')
        buf_puts(b, "%24");
    else if (*name == '$')
        buf_byte(b, '$');
    name += *name == '$';
    percent_add(b, name, strlen(name));
    buf_byte(b, '=');
    percent_add(b, value, strlen(value));
}

const char *graph_next(struct call *c, const char *name, const char *value)
{
    struct buf b;
    buf_init(&b, 0);
    add_path(c, &b);
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_QUERY && !is_position(c->items[i].name))
            add_option(c, &b, c->items[i].name, c->items[i].text);
    add_option(c, &b, name, value);
    const char *url = graph_url(c, buf_keep(&b, c->tx.arena));
    return url;
}

const char *graph_link(struct call *c, const char *name, const char *value)
{
    struct buf b;
    buf_init(&b, 0);
    add_path(c, &b);
    buf_printf(&b, "?%s=%s", name, value);
    const char *url = graph_url(c, buf_keep(&b, c->tx.arena));
    return url;
}

void graph_created(struct call *c, const char *path)
{
    c->status = 201;
    call_header(c, "Location", graph_url(c, path));
}

const char *graph_date(struct arena *a, int64_t us, int digits)
{
    char text[STAMP_TEXT];
    size_t n = stamp_format(text, us, 0, 0, true);
    return digits ? arena_printf(a, "%.*s.%06lld0Z", (int)n - 1, text,
                                 (long long)((us % US_PER_SECOND + US_PER_SECOND) % US_PER_SECOND))
                  : arena_strdup(a, text);
}

/* ---- the response ---- */

bool graph_is_json(const char *type, const char *text, size_t n)
{
    static const char json[] = "application/json";
    const size_t len = sizeof json - 1;
    struct json_limits limits = {.max_depth = JSON_DEPTH};
    const struct json *v;
    struct arena a;
    if (!n || !type || strncasecmp(type, json, len) != 0)
        return false;
    if (type[len] == ';') /* the service's own: types of files have no parameters */
        return true;
    arena_init(&a, 0);
    bool good = !type[len] && json_parse(&a, text, n, &limits, &v, NULL) == 0;
    arena_done(&a);
    return good;
}

static bool response_has_header(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, name))
            return true;
    return false;
}

void graph_headers(struct call *c)
{
    const struct graph_call *g = c->vendor_data;
    const char *id = g && g->request_id ? g->request_id : "";
    const char *client = call_request_header(c, "client-request-id");
    char *date = arena_alloc(c->tx.arena, HTTP_DATE);
    call_header_const(c, "request-id", id);
    call_header(c, "client-request-id", client && *client ? client : id);
    call_header_const(
        c, "x-ms-ags-diagnostic",
        "{\"ServerInfo\":{\"DataCenter\":\"Germany West Central\",\"Slice\":\"E\","
        "\"Ring\":\"4\",\"ScaleUnit\":\"001\",\"RoleInstance\":\"FR2PEPF00000001\"}}");
    if (!arena_failed(c->tx.arena)) {
        http_date(date, c->tx.now_us);
        call_header_const(c, "Date", date);
    }
}

/* MG-306: Outlook writes spaces between parameters and no version of OData, but in a batch
 * (MG-350). */
static void type_headers(struct call *c)
{
    bool outlook = graph_workload_of(c) == GRAPH_OUTLOOK && !c->batch;
    if (!outlook)
        call_header_const(c, "OData-Version", "4.0");
    if (!response_has_header(c, "Content-Type"))
        call_header_const(c, "Content-Type",
                          outlook ? "application/json; odata.metadata=minimal; "
                                    "odata.streaming=true; IEEE754Compatible=false; charset=utf-8"
                                  : "application/json;odata.metadata=minimal;"
                                    "odata.streaming=true;IEEE754Compatible=false;charset=utf-8");
    if (graph_workload_of(c) != GRAPH_OUTLOOK)
        call_header_const(c, "Vary", "Accept-Encoding");
}

const char *graph_cache_control(enum graph_workload w)
{
    return w == GRAPH_OUTLOOK ? "private" : w == GRAPH_FILES ? "no-store, no-cache" : "no-cache";
}

static void finish(struct call *c)
{
    const struct graph_call *g = c->vendor_data;
    if (!response_has_header(c, "Cache-Control"))
        call_header_const(c, "Cache-Control", graph_cache_control(graph_workload_of(c)));
    if (c->status == 204 || !(c->body_out->len || c->sent.blob.id))
        buf_clear(c->body_out); /* MG-310: no type of what is not there */
    else
        type_headers(c);
    if (c->etag && graph_workload_of(c) != GRAPH_OUTLOOK) /* MG-636 */
        call_header_const(c, "ETag", c->etag);
    if (g && g->applied)
        call_header_const(c, "Preference-Applied", g->applied);
    graph_headers(c);
}

static const char *const headers[] = {"Prefer", "ConsistencyLevel", "client-request-id", NULL};

const struct front graph_front = {
    .late = true, /* options are OData's to read */
    .headers = headers,
    .begin = begin,
    .caller = caller,
    .body_rules = graph_body_rules,
    .finish = finish,
    .error = graph_error,
    .fault = graph_fault,
};

static const char *const hosts[] = {
    GRAPH_HOST,
    "login.microsoftonline.com",
    "login.microsoft.com",
    "login.windows.net",
    "sts.windows.net",
    "outlook.office.com",
    "outlook.office365.com",
    "workiq.svc.cloud.microsoft",
    "agent365.svc.cloud.microsoft",
    "*.sharepoint.com",
    "my.microsoftpersonalcontent.com",
    NULL,
};

const struct vendor microsoft_vendor = {.name = "microsoft",
                                        .title = "Microsoft",
                                        .hosts = hosts,
                                        .front = &graph_front,
                                        .ignore_case = true,
                                        .key_brackets = true,
                                        .space = "microsoft.graph.",
                                        .guide = &microsoft_guide};
