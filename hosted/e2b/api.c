/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of E2B's interface, and what their handlers share. */
#include "hosted/e2b/e2b.h"
#include <stdio.h>

#define TIMEOUT_USUAL 15 /* seconds */
#define TIMEOUT_MOST  86400
#define PAGE_MOST     100

/* ---- shapes ---- */

static const struct field new_fields[] = {
    {.name = "templateID",
     .type = "string",
     .required = true,
     .min = 1,
     .max = 128,
     .summary = "\"base\", a fixture, or a snapshot"},
    {.name = "timeout",
     .type = "integer",
     .min = 0,
     .max = TIMEOUT_MOST,
     .nullable = true,
     .summary = "Seconds that it lives; 15 without it"},
    {.name = "metadata",
     .type = "object",
     .nullable = true,
     .summary = "Texts; \"actor\" names the person of a fixture who acts"},
    {.name = "envVars", .type = "object", .nullable = true, .summary = "Texts"},
    {.name = "autoPause",
     .type = "boolean",
     .nullable = true,
     .summary = "It is paused when its time is over, and not killed"},
    {.name = "secure", .type = "boolean", .nullable = true, .summary = "It always is"},
};
static const struct field time_fields[] = {{.name = "timeout",
                                            .type = "integer",
                                            .min = 0,
                                            .max = TIMEOUT_MOST,
                                            .nullable = true,
                                            .summary = "Seconds from now; 15 without it"}};
static const struct field fork_fields[] = {{.name = "count",
                                            .type = "integer",
                                            .min = 1,
                                            .max = 100,
                                            .nullable = true,
                                            .summary = "How many; 1 without it"},
                                           {.name = "timeout",
                                            .type = "integer",
                                            .min = 0,
                                            .max = TIMEOUT_MOST,
                                            .nullable = true,
                                            .summary = "Seconds that they live; 15 without it"}};
static const struct field snapshot_fields[] = {{.name = "name",
                                                .type = "string",
                                                .min = 1,
                                                .max = 128,
                                                .nullable = true,
                                                .summary = "A name that it has beside its id"}};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("ForkRequest", fork_fields),
    SCHEMA("NewSandbox", new_fields),
    SCHEMA("SnapshotRequest", snapshot_fields),
    SCHEMA("TimeoutRequest", time_fields),
};

/* ---- rows ---- */

#define ID(n, text)                                                                                \
    {                                                                                              \
        .name = (n), .type = PARAM_STRING, .place = IN_PATH, .required = true, .summary = (text)   \
    }
#define QUERY(n, text)                                                                             \
    {                                                                                              \
        .name = (n), .type = PARAM_STRING, .place = IN_QUERY, .summary = (text)                    \
    }
static const struct param sandbox_only[] = {ID("sandboxID", "The sandbox's id")};
static const struct param template_only[] = {ID("templateID", "The snapshot's id or name")};
static const struct param list_params[] = {
    QUERY("metadata", "Only those with these texts: key=value, encoded, with & between them"),
    QUERY("state", "Only those that are running, paused, or either"),
    QUERY("startedAfter", "Only those that began later"),
    QUERY("template", "Only those of this template"),
    QUERY("order", "By their start: asc or desc"),
    QUERY("limit", "So many at most, 1 to 100"),
    QUERY("nextToken", "The header x-next-token of the page before")};
static const struct param snapshots_params[] = {
    QUERY("sandboxID", "Only those of this sandbox"), QUERY("name", "Only the one of this name"),
    QUERY("limit", "So many at most, 1 to 100"),
    QUERY("nextToken", "The header x-next-token of the page before")};

#define SANDBOX(name) "/sandboxes/{sandboxID}" name

static const struct route methods[] = {
    {ROUTE("e2b.sandboxes.create", POST, "/v2/sandboxes", "/sandboxes"), .handler = e2b_create,
     .risk = RISK_WRITE, .pace = PACE_SLOW, .body = BODY_JSON, .request = "NewSandbox",
     .status = 201, .summary = "Make a sandbox"},
    {ROUTE("e2b.sandboxes.list", GET, "/v2/sandboxes", "/sandboxes"), .handler = e2b_sandboxes,
     .risk = RISK_READ, .pace = PACE_WRITE, PARAMS(list_params),
     .summary = "List the key's sandboxes"},
    {ROUTE("e2b.sandboxes.get", GET, SANDBOX("")), .handler = e2b_get, .risk = RISK_READ,
     .pace = PACE_WRITE, PARAMS(sandbox_only), .summary = "Describe a sandbox"},
    {ROUTE("e2b.sandboxes.kill", DELETE, SANDBOX("")), .handler = e2b_kill,
     .risk = RISK_DESTRUCTIVE, .pace = PACE_WRITE, PARAMS(sandbox_only), .status = 204,
     .summary = "End a sandbox"},
    {ROUTE("e2b.sandboxes.connect", POST, "/v2/sandboxes/{sandboxID}/connect",
           "/sandboxes/{sandboxID}/connect"),
     .handler = e2b_connect, .risk = RISK_WRITE, .pace = PACE_WRITE, .body = BODY_JSON_OPTIONAL,
     .request = "TimeoutRequest", PARAMS(sandbox_only),
     .summary = "Connect to a sandbox; one that is paused goes on"},
    {ROUTE("e2b.sandboxes.timeout", POST, SANDBOX("/timeout")), .handler = e2b_set_timeout,
     .risk = RISK_WRITE, .pace = PACE_WRITE, .body = BODY_JSON, .request = "TimeoutRequest",
     PARAMS(sandbox_only), .status = 204, .summary = "Say how long a sandbox lives from now on"},
    {ROUTE("e2b.sandboxes.pause", POST, SANDBOX("/pause")), .handler = e2b_pause,
     .risk = RISK_WRITE, .pace = PACE_WRITE, .body = BODY_JSON_OPTIONAL, PARAMS(sandbox_only),
     .status = 204, .summary = "Pause a sandbox, which lives until it is killed then"},
    {ROUTE("e2b.sandboxes.metrics", GET, SANDBOX("/metrics")), .handler = e2b_metrics,
     .risk = RISK_READ, PARAMS(sandbox_only), .summary = "An empty list: nothing is measured"},
    {ROUTE("e2b.sandboxes.fork", POST, SANDBOX("/fork")), .handler = e2b_fork, .risk = RISK_WRITE,
     .pace = PACE_SLOW, .body = BODY_JSON_OPTIONAL, .request = "ForkRequest", PARAMS(sandbox_only),
     .status = 201, .summary = "Make sandboxes that are as this one is now"},
    {ROUTE("e2b.snapshots.create", POST, SANDBOX("/snapshots")), .handler = e2b_snapshot,
     .risk = RISK_WRITE, .pace = PACE_WRITE, .body = BODY_JSON_OPTIONAL,
     .request = "SnapshotRequest", PARAMS(sandbox_only), .status = 201,
     .summary = "Keep a sandbox's state, from which others can be made"},
    {ROUTE("e2b.snapshots.list", GET, "/snapshots"), .handler = e2b_snapshots, .risk = RISK_READ,
     .pace = PACE_WRITE, PARAMS(snapshots_params), .summary = "List the key's snapshots"},
    {ROUTE("e2b.snapshots.delete", DELETE, "/templates/{templateID}"),
     .handler = e2b_snapshot_delete, .risk = RISK_DESTRUCTIVE, .pace = PACE_WRITE,
     PARAMS(template_only), .status = 204, .summary = "Delete a snapshot"},
};
static const struct rows rows = ROWS(methods);

const struct dialect e2b_api_dialect = {
    .name = "sosia.e2b",
    .title = "Sandboxes by E2B's protocol",
    .vendor = &hosted_vendor,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
    .key = "API key",
};

bool e2b_api_is_for(const char *target)
{
    static const char *const roots[] = {"/v2/sandboxes", "/sandboxes", "/snapshots", "/templates"};
    for (size_t i = 0; i < SOSIA_LEN(roots); i++) {
        size_t n = strlen(roots[i]);
        if (strncmp(target, roots[i], n) == 0 && (!target[n] || strchr("/?", target[n])))
            return true;
    }
    return false;
}

/* ---- for handlers ---- */

bool e2b_take(struct hosted_call *c)
{
    const char *id = hosted_path(c, "sandboxID");
    c->sandbox = sandbox_take(c->h, c->tenant, id);
    if (c->sandbox && c->sandbox->kind == KIND_E2B)
        return true;
    hosted_refuse(c, 404, "Sandbox \"%.80s\" doesn't exist or you don't have access to it", id);
    return false;
}

const struct json *e2b_more(struct hosted_call *c, const struct sandbox *s, const char *name)
{
    const struct json *v;
    if (json_parse(&c->arena, s->more, strlen(s->more), NULL, &v, NULL) < 0)
        return NULL;
    return json_get(v, name);
}

const char *e2b_template(struct hosted_call *c, const struct sandbox *s)
{
    const struct json *v = e2b_more(c, s, "templateID");
    return v && v->type == JSON_STRING ? v->str : "";
}

bool e2b_is_paused(struct hosted *h, struct sandbox *s)
{
    pthread_mutex_lock(&h->lock);
    const int64_t from = s->pause_us;
    pthread_mutex_unlock(&h->lock);
    return from && from <= real_us();
}

int64_t e2b_timeout(const struct json *body)
{
    const struct json *v = json_get(body, "timeout");
    int64_t seconds = v && v->type != JSON_NULL ? lax_int(v) : TIMEOUT_USUAL;
    return seconds > 0 ? seconds * US_PER_SECOND : 1;
}

const char *e2b_record(struct hosted_call *c, const char *template, const struct json *body,
                       const struct sandbox *like)
{
    static const char *const names[] = {"metadata", "envVars", "autoPause"};
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_str(&w, "templateID", template);
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const struct json *v = body   ? json_get(body, names[i])
                               : like ? e2b_more(c, like, names[i])
                                      : NULL;
        if (v && v->type != JSON_NULL)
            json_value(&w, names[i], v);
    }
    json_end(&w);
    return buf_keep(&b, &c->arena);
}

void e2b_time(struct json_writer *w, const char *name, int64_t us)
{
    char text[STAMP_TEXT];
    stamp_format(text, us, 0, 6, true);
    json_str(w, name, text);
}

int e2b_write_made(struct hosted_call *c, struct json_writer *w, struct sandbox *s)
{
    const char *token = sandbox_token(c, s);
    struct sosia_world_info info;
    if (!token || sosia_world_info(c->h->engine, s->world, &info, &c->err) < 0)
        return -1;
    json_str(w, "sandboxID", s->id);
    json_str(w, "templateID", e2b_template(c, s));
    json_str(w, "clientID", "sosia");
    json_str(w, "envdVersion", ENVD_VERSION);
    json_str(w, "envdAccessToken", s->instance);
    json_null(w, "trafficAccessToken");
    json_null(w, "domain");
    json_obj(w, "authData"); /* what is beside the files: the vendors' own interfaces */
    json_str(w, "access_token", token);
    json_str(w, "token_type", "Bearer");
    json_str(w, "account", s->person);
    json_str(w, "base_url", arena_printf(&c->arena, "%s/w/%s", c->request->base_url, info.key));
    json_end(w);
    return 0;
}

int e2b_nothing(struct hosted_call *c, int status)
{
    struct buf b;
    buf_init(&b, 0);
    return hosted_answer(c, status, &b);
}

/* ---- lists ---- */

size_t e2b_list(struct hosted_call *c, enum sandbox_kind kind, struct sandbox ***ret)
{
    struct sandbox **list;
    size_t all = sandbox_list(c, c->tenant, &list), n = 0;
    for (size_t i = 0; i < all; i++)
        if (list[i]->kind == kind)
            list[n++] = list[i];
        else
            sandbox_give(list[i]);
    *ret = list;
    return n;
}

/* "1764412800000000.ID", of the last one of the page before, which may have ended since. */
static bool is_behind(const struct sandbox *s, const char *token, bool newest)
{
    const char *dot = strchr(token, '.');
    int64_t created;
    if (!dot || parse_i64(token, (size_t)(dot - token), &created) < 0)
        return true;
    const int order =
        s->created_us != created ? (s->created_us < created ? -1 : 1) : strcmp(s->id, dot + 1);
    return newest ? order < 0 : order > 0;
}

void e2b_page(struct hosted_call *c, struct sandbox **list, size_t n, bool newest, size_t *ret_from,
              size_t *ret_to)
{
    const char *limit = hosted_query(c, "limit"), *token = hosted_query(c, "nextToken");
    int64_t most = PAGE_MOST;
    size_t from = 0;
    if (limit && (parse_i64(limit, strlen(limit), &most) < 0 || most < 1 || most > PAGE_MOST))
        most = PAGE_MOST;
    while (token && *token && from < n && !is_behind(list[from], token, newest))
        from++;
    const size_t to = n - from > (size_t)most ? from + (size_t)most : n;
    if (to < n) {
        char *next = server_alloc(c->request, UUID_TEXT + 24);
        snprintf(next, UUID_TEXT + 24, "%lld.%s", (long long)list[to - 1]->created_us,
                 list[to - 1]->id);
        c->response->headers[c->response->n_headers++] =
            (struct sosia_header){"x-next-token", next};
    }
    *ret_from = from;
    *ret_to = to;
}
