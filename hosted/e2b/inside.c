/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is inside of a sandbox: its access token opens it, or the signature of an address, which is
 * made with the token. A request goes on to the methods that the sandbox's world has for it.
 */
#include "engine/http/param.h"
#include "engine/text/civil.h"
#include "hosted/e2b/e2b.h"
#include "services/workspace/e2b/e2b.h"
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define HOST_PORT "49983-" /* the beginning of a sandbox's host name */

static bool is_below(const char *target, const char *root)
{
    const size_t n = strlen(root);
    return strncmp(target, root, n) == 0 && (!target[n] || strchr("/?", target[n]));
}

bool e2b_inside_is_for(const char *target)
{
    static const char *const roots[] = {"/files", "/health", "/filesystem.Filesystem",
                                        "/process.Process"};
    for (size_t i = 0; i < SOSIA_LEN(roots); i++)
        if (is_below(target, roots[i]))
            return true;
    return false;
}

/* ---- which sandbox ---- */

/* The id that the request names: in a field, or in its host; "": in neither. */
static void name_of(const struct server_request *request, char ret_id[UUID_TEXT])
{
    const char *id = hosted_header(request, "E2b-Sandbox-Id");
    const char *host = hosted_header(request, "Host");
    if (!id && host && str_starts(host, HOST_PORT))
        id = host + sizeof HOST_PORT - 1;
    const size_t n = id ? strcspn(id, ".:") : 0;
    snprintf(ret_id, UUID_TEXT, "%.*s", n < UUID_TEXT ? (int)n : 0, id ? id : "");
}

/* Of that id, of any tenant, with a reference. */
static struct sandbox *find_by_id(struct hosted *h, const char *id)
{
    struct sandbox *s = NULL;
    for (size_t i = 0; *id && !s && i < h->n_tenants; i++)
        s = sandbox_take(h, &h->tenants[i], id);
    if (s && s->kind == KIND_E2B)
        return s;
    sandbox_give(s);
    return NULL;
}

static bool is_token(const struct sandbox *s, const char *token)
{
    const size_t n = strlen(s->instance);
    return token && strlen(token) == n && gnutls_memcmp(s->instance, token, n) == 0;
}

/* ---- signatures ---- */

/* What an address says: whose query has been read. */
struct signing {
    const char *path, *username, *signature, *expiration;
    const char *operation;
};

static bool is_signed(struct arena *a, const struct sandbox *s, const struct signing *g)
{
    uint8_t sum[32];
    struct buf b;
    const char *text =
        arena_printf(a, "%s:%s:%s:%s%s%s", g->path, g->operation, g->username, s->instance,
                     g->expiration ? ":" : "", g->expiration ? g->expiration : "");
    if (arena_failed(a) || gnutls_hash_fast(GNUTLS_DIG_SHA256, text, strlen(text), sum) < 0)
        return false;
    buf_init(&b, 0);
    buf_puts(&b, "v1_");
    base64_add(&b, sum, sizeof sum);
    const char *own = buf_str(&b);
    const size_t n = strcspn(own, "="); /* without what fills it up */
    const bool same = strlen(g->signature) == n && gnutls_memcmp(own, g->signature, n) == 0;
    buf_done(&b);
    return same;
}

static bool is_over(const struct signing *g)
{
    int64_t until = 0;
    return g->expiration && (parse_i64(g->expiration, strlen(g->expiration), &until) < 0 ||
                             until < real_us() / US_PER_SECOND);
}

/* An address at this server names no sandbox: it is the one whose token the signature was made
 * with. */
static struct sandbox *find_by_signature(struct hosted_call *c, const struct signing *g)
{
    struct sandbox **list, *found = NULL;
    size_t n = sandbox_list(c, NULL, &list);
    for (size_t i = 0; i < n; i++)
        if (!found && list[i]->kind == KIND_E2B && is_signed(&c->arena, list[i], g))
            found = list[i];
        else
            sandbox_give(list[i]);
    return found;
}

/* ---- access ---- */

static int not_running(struct hosted_call *c, const char *id)
{
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_str(&w, "sandboxId", id);
    json_str(&w, "message", "The sandbox was not found");
    json_int(&w, "code", 502);
    json_end(&w);
    return hosted_answer(c, 502, &b);
}

/* Takes the sandbox of an address with a signature. NULL: the answer is there. */
static struct sandbox *open_signed(struct hosted_call *c, struct sandbox *named)
{
    const char *path = hosted_query(c, "path"), *user = hosted_query(c, "username");
    const struct signing g = {.path = path ? path : "",
                              .username = user ? user : "",
                              .signature = hosted_query(c, "signature"),
                              .expiration = hosted_query(c, "signature_expiration"),
                              .operation =
                                  strcmp(c->request->method, "GET") == 0 ? "read" : "write"};
    struct sandbox *s = NULL;
    if (!g.signature) {
        hosted_refuse(c, 401, "missing signature query parameter");
        sandbox_give(named);
        return NULL;
    }
    if (named && is_signed(&c->arena, named, &g))
        s = named;
    else if (named)
        sandbox_give(named);
    else
        s = find_by_signature(c, &g);
    if (!s) {
        hosted_refuse(c, 401, "invalid signature");
        return NULL;
    }
    if (!is_over(&g))
        return s;
    hosted_refuse(c, 401, "signature is already expired");
    sandbox_give(s);
    return NULL;
}

/* NULL: the answer is there. */
static struct sandbox *open_inside(struct hosted_call *c)
{
    const char *token = hosted_header(c->request, "X-Access-Token");
    const bool files = is_below(c->request->path, "/files");
    char id[UUID_TEXT];
    name_of(c->request, id);
    struct sandbox *s = find_by_id(c->h, id);
    if (*id && (!s || e2b_is_paused(c->h, s))) {
        sandbox_give(s);
        not_running(c, id);
        return NULL;
    }
    if (files && !token)
        return open_signed(c, s);
    if (s && is_token(s, token))
        return s;
    sandbox_give(s);
    hosted_refuse(c, 401,
                  files ? "access token present in header but does not match"
                        : "unauthorized access, please provide a valid access token or method "
                          "signing if supported");
    return NULL;
}

bool e2b_inside_refused(struct hosted *h, const struct server_request *head)
{
    struct server_response response = {0};
    struct hosted_call c = {.h = h, .request = head, .response = &response, .e2b = true};
    arena_init(&c.arena, 0);
    c.call.tx.arena = &c.arena;
    c.call.tx.err = &c.err;
    c.call.query = head->query;
    c.call.query_len = strlen(head->query);
    struct sandbox *s = query_parse(&c.call) < 0 ? NULL : open_inside(&c);
    const bool refused = !s;
    sandbox_give(s);
    free(response.body);
    arena_done(&c.arena);
    return refused;
}

/* ---- going on ---- */

/* Programs have the variables that the sandbox was made with: as a query has them. NULL: none. */
static const char *environment_of(struct hosted_call *c)
{
    const struct json *v = e2b_more(c, c->sandbox, "envVars");
    struct buf b;
    if (!v || v->type != JSON_OBJECT || !v->n)
        return NULL;
    const char *text = json_to_text(&c->arena, v);
    buf_init(&b, 0);
    percent_add(&b, text, strlen(text));
    return buf_keep(&b, &c->arena);
}

/* What the signature was about, and nothing else of the query. */
static void put_file(struct hosted_call *c, struct buf *to)
{
    static const char *const names[] = {"path", "username"};
    char sign = '?';
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const char *value = hosted_query(c, names[i]);
        if (!value)
            continue;
        buf_printf(to, "%c%s=", sign, names[i]);
        percent_add(to, value, strlen(value));
        sign = '&';
    }
}

static int forward(struct hosted_call *c)
{
    const char *token = sandbox_token(c, c->sandbox);
    struct sosia_world_info info;
    struct buf b;
    if (!token || sosia_world_info(c->h->engine, c->sandbox->world, &info, &c->err) < 0)
        return hosted_failed(c);
    buf_init(&b, 0);
    buf_printf(&b, "/w/%s" E2B_PREFIX "%s", info.key, c->request->path);
    if (is_below(c->request->path, "/files"))
        put_file(c, &b);
    if (buf_failed(&b)) {
        buf_done(&b);
        sosia_fail_memory(&c->err);
        return hosted_failed(c);
    }
    struct server_call *call = server_alloc(c->request, sizeof *call);
    char *target = server_alloc(c->request, b.len + 1),
         *bearer = server_alloc(c->request, strlen(token) + 8);
    memcpy(target, buf_str(&b), b.len + 1);
    buf_done(&b);
    sprintf(bearer, "Bearer %s", token);
    *call = (struct server_call){.target = target, .authorization = bearer};
    c->response->call = call;
    return SERVER_FORWARD;
}

/* What makes the sandbox hold more. */
static bool fills(const struct hosted_call *c)
{
    return strcmp(c->request->method, "POST") == 0 &&
           (is_below(c->request->path, "/files") ||
            strcmp(c->request->path, "/filesystem.Filesystem/MakeDir") == 0);
}

static int health(struct hosted_call *c)
{
    char id[UUID_TEXT];
    name_of(c->request, id);
    c->sandbox = find_by_id(c->h, id);
    return c->sandbox && !e2b_is_paused(c->h, c->sandbox) ? e2b_nothing(c, 204)
                                                          : not_running(c, id);
}

int e2b_inside(struct hosted_call *c)
{
    if (query_parse(&c->call) < 0)
        return hosted_refuse(c, 400, "The query must be percent-encoded UTF-8");
    if (strcmp(c->request->path, "/health") == 0)
        return health(c);
    c->sandbox = open_inside(c);
    if (!c->sandbox)
        return 0;
    c->tenant = c->sandbox->tenant;
    const int64_t wait = c->request->on_worker ? 0 : tenant_call(c->h, c->tenant);
    if (wait)
        return hosted_busy(c, wait);
    if (fills(c) && tenant_full(c->h, c->tenant, false))
        return hosted_refuse(c, 507, "The sandboxes of this API key hold more than %lld bytes",
                             (long long)c->tenant->max_bytes);
    if (strcmp(c->request->path, "/process.Process/Start") == 0 ||
        strcmp(c->request->path, "/process.Process/Connect") == 0)
        return e2b_process_stream(c, environment_of(c));
    return e2b_is_watching(c->request->path) ? e2b_watching(c) : forward(c);
}
