/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that the tools take: which are refused, what is added to them, and the calls to Graph. */
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "mcp/sets/workiq/workiq.h"
#include "vendors/microsoft/graph.h"

enum { USUAL_TOP = 25, MOST_TOP = 100, MOST_CHAT = 10, MAX_PATH = 8192 };

const char *const workiq_operations[] = {"fetch",  "create",   "update", "delete",
                                         "action", "function", NULL};

/* ---- rows ---- */

const struct route *workiq_row(const struct call *c, size_t i, const struct dialect **ret_dialect)
{
    const struct route *r;
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        if ((*d)->vendor != &microsoft_vendor || dialect_front(*d) != &graph_front)
            continue;
        for (size_t at = 0; (r = dialect_row(*d, at)); at++)
            if (!r->outside && i-- == 0) {
                *ret_dialect = *d;
                return r;
            }
    }
    return NULL;
}

const char *workiq_path(const struct route *r, size_t *at)
{
    static const char version[] = "/v1.0";
    const size_t n = sizeof version - 1;
    for (; r->paths[*at]; ++*at)
        if (strncmp(r->paths[*at], version, n) == 0 && r->paths[*at][n] == '/')
            return r->paths[(*at)++] + n;
    return NULL;
}

/* Are there things at the row's path: is there a row that reads it, or one for a thing there? */
static bool is_collection(const struct call *c, const struct route *r)
{
    const struct route *other;
    const struct dialect *d;
    const size_t n = strlen(r->paths[0]);
    for (size_t i = 0; (other = workiq_row(c, i, &d)); i++)
        for (const char *const *p = other->paths; *p; p++)
            if (strncmp(*p, r->paths[0], n) == 0 &&
                ((*p)[n] ? strncmp(*p + n, "/{", 2) == 0 : (other->verbs & GET) != 0))
                return true;
    return false;
}

enum workiq_operation workiq_operation_of(const struct call *c, const struct route *r)
{
    const char *last = strrchr(r->paths[0], '/');
    bool link = last && strcmp(last, "/$ref") == 0;
    if (r->verbs & GET)
        return last && strchr(last, '(') ? WORKIQ_FUNCTION : WORKIQ_FETCH;
    if (r->verbs & POST)
        return link || is_collection(c, r) ? WORKIQ_CREATE : WORKIQ_ACTION;
    return r->verbs & DELETE ? WORKIQ_DELETE : WORKIQ_UPDATE;
}

/* The row that a path leads to; NULL: none. */
static const struct route *row_of(struct workiq *q, const char *path, enum verb verb)
{
    struct match m;
    const char *full = arena_printf(q->arena, "/v1.0%s", path);
    router_match(q->m->c->tx.engine->router, &microsoft_vendor, verb, full, strcspn(full, "?#"),
                 &m);
    return m.route;
}

/* ---- queries ---- */

/* The value of an option in a raw query, and where it begins; NULL: it is not there. */
static const char *option_at(const char *query, const char *name, size_t *ret_n)
{
    size_t n = strlen(name);
    for (const char *p = query; p && *p;) {
        size_t len = strcspn(p, "&");
        if (len > n && strncasecmp(p, name, n) == 0 && p[n] == '=') {
            *ret_n = len - n - 1;
            return p + n + 1;
        }
        p += len + (p[len] == '&');
    }
    return NULL;
}

static bool takes(const struct route *r, const char *name)
{
    for (size_t i = 0; r && i < r->n_params; i++)
        if (str_eq_nocase(r->params[i].name, name))
            return true;
    return false;
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strcspn(path, "?#"), m = strlen(end);
    return n >= m && strncasecmp(path + n - m, end, m) == 0;
}

/* MG-500: lists have 25 items, at most 100, chat messages 10. */
static const char *with_top(struct workiq *q, const char *path, const struct route *r)
{
    const char *query = strchr(path, '?'), *value;
    bool chat = strncasecmp(path, "/chats/", 7) == 0 || strncasecmp(path, "/me/chats/", 10) == 0;
    int64_t top, most = chat && ends_with(path, "/messages") ? MOST_CHAT : MOST_TOP;
    size_t n;
    if (!takes(r, "$top"))
        return path;
    value = option_at(query ? query + 1 : NULL, "$top", &n);
    if (!value && (option_at(query ? query + 1 : NULL, "%24top", &n) ||
                   option_at(query ? query + 1 : NULL, "$skiptoken", &n)))
        return path; /* a link that was given out */
    if (!value)
        return arena_printf(q->arena, "%s%c$top=%lld", path, query ? '&' : '?',
                            (long long)(most < USUAL_TOP ? most : USUAL_TOP));
    if (parse_i64(value, n, &top) < 0 || top <= most)
        return path;
    return arena_printf(q->arena, "%.*s%lld%s", (int)(value - path), path, (long long)most,
                        value + n);
}

/* MG-501: members that lists of two kinds have by default. */
static const char *with_select(struct workiq *q, const char *path)
{
    static const char *const usual[][2] = {
        {"/messages", "id,subject,from,receivedDateTime,isRead,importance"},
        {"/calendarView", "id,subject,start,end,location,organizer,isAllDay"},
    };
    const char *query = strchr(path, '?');
    size_t n;
    if (option_at(query ? query + 1 : NULL, "$select", &n) ||
        option_at(query ? query + 1 : NULL, "%24select", &n) ||
        option_at(query ? query + 1 : NULL, "$skiptoken", &n) || strncasecmp(path, "/me/", 4) != 0)
        return path;
    for (size_t i = 0; i < SOSIA_LEN(usual); i++)
        if (ends_with(path, usual[i][0]))
            return arena_printf(q->arena, "%s%c$select=%s", path, query ? '&' : '?', usual[i][1]);
    return path;
}

/* ---- what is refused ---- */

static bool has_segment(const char *path, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = path; *p == '/'; p += 1 + strcspn(p + 1, "/?#"))
        if (strncasecmp(p + 1, name, n) == 0 && strchr("/?#(", p[1 + n]))
            return true;
    return false;
}

/* A link that Graph gave out, as a path. */
static const char *relative(const char *path)
{
    const char *at = strstr(path, "://") ? strstr(path, "/v1.0/") : NULL;
    return at ? at + strlen("/v1.0") : path;
}

/* Has the row a path that the policy denies, however a call writes it? */
static bool is_denied(const struct route *r)
{
    size_t at = 0;
    for (const char *p; (p = workiq_path(r, &at));)
        if (has_segment(p, "authentication") || has_segment(p, "servicePrincipals"))
            return true;
    return r->outside;
}

static enum verb verb_of(enum workiq_operation op)
{
    return op == WORKIQ_CREATE || op == WORKIQ_ACTION ? VERB_POST
           : op == WORKIQ_UPDATE                      ? VERB_PATCH
           : op == WORKIQ_DELETE                      ? VERB_DELETE
                                                      : VERB_GET;
}

static const char *fault_of(enum workiq_operation op, const char *path, const struct route *row,
                            const char **ret_code)
{
    const char *query = strchr(path, '?');
    size_t n;
    *ret_code = "InvalidRequest";
    if (*path != '/')
        return "The path must be relative and start with '/'.";
    if (strncasecmp(path, "/v1.0/", 6) == 0 || strncasecmp(path, "/beta/", 6) == 0)
        return "The path must not have a version.";
    if (strlen(path) > MAX_PATH || strpbrk(path, " \r\n\t"))
        return "The path is malformed.";
    if (option_at(query ? query + 1 : NULL, "$skip", &n))
        return "The query option '$skip' is not allowed.";
    if (op == WORKIQ_FETCH && (ends_with(path, "/delta") || ends_with(path, "/delta()")))
        return "Delta queries are functions; use call_function.";
    if (op == WORKIQ_FETCH && (ends_with(path, "/content") || ends_with(path, "/$value")))
        return "Binary content is not returned; use fetch_blob.";
    *ret_code = "PolicyDenied";
    if (has_segment(path, "authentication") || has_segment(path, "servicePrincipals") ||
        strncasecmp(path, "/$batch", 7) == 0 || (row && is_denied(row)))
        return "The path is not allowed by policy.";
    return NULL;
}

int workiq_target(struct workiq *q, enum workiq_operation op, const char *path, const char **ret,
                  const char **ret_code, const char **ret_why)
{
    path = relative(path);
    const struct route *row = row_of(q, path, verb_of(op));
    q->needs = op | (row ? (unsigned)workiq_operation_of(q->m->c, row) : 0);
    *ret_why = fault_of(op, path, row, ret_code);
    if (*ret_why)
        return 0;
    if (op == WORKIQ_FETCH)
        path = with_select(q, with_top(q, path, row));
    *ret = arena_printf(q->arena, "/@" GRAPH_HOST "/v1.0%s", path);
    return arena_failed(q->arena) ? -1 : 1;
}

/* ---- calls ---- */

int workiq_call(struct workiq *q, const char *verb, const char *target, const char *body,
                size_t len, const char *if_match, struct workiq_answer *ret)
{
    struct sosia_header headers[3] = {{"Authorization", tool_bearer(q->m)}};
    size_t n = 1;
    if (body)
        headers[n++] = (struct sosia_header){"Content-Type", "application/json"};
    if (if_match)
        headers[n++] = (struct sosia_header){"If-Match", if_match};
    const struct sosia_request request = {.method = verb,
                                          .target = target,
                                          .headers = headers,
                                          .n_headers = n,
                                          .body = body,
                                          .body_len = len,
                                          .base_url = q->m->c->base_url};
    struct sosia_response *r = call_part(q->m->c, &request);
    if (!r)
        return -1;
    *ret = (struct workiq_answer){
        .status = r->status, .type = "", .body = r->body, .len = r->body_len, .response = r};
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, "Content-Type"))
            ret->type = r->headers[i].value;
    return 0;
}
