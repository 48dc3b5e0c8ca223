/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to an operation's handler, and back: routes, keys, limits. */
#include "hosted/e2b/e2b.h"
#include "hosted/impl.h"
#include <stdlib.h>
#include <strings.h>

/* ---- the table of operations ---- */

#define SERVER                                                                                     \
    {                                                                                              \
        .name = "server_name", .type = PARAM_STRING, .place = IN_PATH, .required = true,           \
        .summary = "The server's name, such as gmail"                                              \
    }
#define SANDBOX                                                                                    \
    {                                                                                              \
        .name = "sandbox_id", .type = PARAM_STRING, .place = IN_PATH, .required = true,            \
        .summary = "The sandbox's id"                                                              \
    }
#define QUERY(member, text)                                                                        \
    {                                                                                              \
        .name = (member), .type = PARAM_STRING, .place = IN_QUERY, .summary = (text)               \
    }
#define FLAG(member, text)                                                                         \
    {                                                                                              \
        .name = (member), .type = PARAM_BOOL, .place = IN_QUERY, .summary = (text)                 \
    }

static const struct param prepare_params[] = {
    {.name = "benchmark",
     .type = PARAM_ENUM,
     .place = IN_QUERY,
     .values = benchmarks,
     .summary = "Which benchmark's sandboxes"},
    QUERY("server_name", "Which server's; without it all")};
static const struct param list_params[] = {QUERY("tag", "Only those with this tag"),
                                           QUERY("server_name", "Only this server's, in any case")};
static const struct param server_only[] = {SERVER};
static const struct param sandbox_only[] = {SERVER, SANDBOX};
static const struct param release_params[] = {
    SERVER, SANDBOX, FLAG("is_ttl", "Whether it is because its time is over"),
    QUERY("instance_id", "Only if the sandbox still has this instance")};
static const struct param initialize_params[] = {
    SERVER, SANDBOX, FLAG("init_default_data", "Whether the service's default data come first")};
#define REGION                                                                                     \
    {                                                                                              \
        .name = "region", .type = PARAM_ENUM, .place = IN_QUERY, .values = regions,                \
        .summary = "Changes nothing"                                                               \
    }
static const char *const regions[] = {"us", "asia", NULL};
static const struct param local_params[] = {SANDBOX, REGION};
static const struct param local_release_params[] = {
    SANDBOX, FLAG("is_ttl", "Whether it is because its time is over")};
static const struct param execution_params[] = {
    SANDBOX, QUERY("execution_name", "The program's name"),
    QUERY("cursor", "The byte from which on its logs are given")};
static const struct param ticket_only[] = {{.name = "ticket",
                                            .type = PARAM_STRING,
                                            .place = IN_PATH,
                                            .required = true,
                                            .summary = "What the address was made with"}};
static const struct param universe_only[] = {{.name = "universe_id",
                                              .type = PARAM_STRING,
                                              .place = IN_PATH,
                                              .required = true,
                                              .summary = "A universe, or an instance of one"}};
static const struct param task_params[] = {{.name = "universe_id",
                                            .type = PARAM_STRING,
                                            .place = IN_PATH,
                                            .required = true,
                                            .summary = "A universe, or an instance of one"},
                                           {.name = "task_num",
                                            .type = PARAM_STRING,
                                            .place = IN_PATH,
                                            .required = true,
                                            .summary = "The task's id"}};

/* Rows of one path are together; a path with a name is before one with a parameter there. */
static const struct route methods[] = {
    {ROUTE("sandbox.prepare", POST, "/sandbox/prepare"), .handler = hosted_prepare,
     .risk = RISK_WRITE, .pace = PACE_SLOW, PARAMS(prepare_params),
     .summary = "Make ready what sandboxes begin with"},
    {ROUTE("sandbox.list", GET, "/sandbox"), .handler = hosted_list, .risk = RISK_READ,
     .pace = PACE_WRITE, PARAMS(list_params), .summary = "List the tenant's sandboxes"},
    {ROUTE("localSandbox.acquire", POST, "/local-sandbox", "/sandbox/local_dev"),
     .handler = hosted_local_acquire, .risk = RISK_WRITE, .pace = PACE_SLOW,
     .body = BODY_JSON_OPTIONAL, .request = "AcquireLocalSandboxRequest", .status = 201,
     .summary = "Acquire a sandbox with several servers and a workspace"},
    {ROUTE("localSandbox.list", GET, "/local-sandbox"), .handler = hosted_local_list,
     .risk = RISK_READ, .pace = PACE_WRITE, .summary = "List the tenant's local sandboxes"},
    {ROUTE("localSandbox.putArchive", PUT, ARCHIVES "{ticket}"), .handler = hosted_archive_put,
     .risk = RISK_WRITE, .pace = PACE_SLOW, .body = BODY_RAW, .anonymous = true,
     PARAMS(ticket_only), .summary = "Send an archive to the address of an upload"},
    {ROUTE("localSandbox.getArchive", GET, ARCHIVES "{ticket}"), .handler = hosted_archive_get,
     .risk = RISK_READ, .pace = PACE_SLOW, .anonymous = true, .gives = "application/gzip",
     PARAMS(ticket_only), .summary = "Fetch an archive"},
    {ROUTE("localSandbox.get", GET, "/local-sandbox/{sandbox_id}",
           "/sandbox/local_dev/{sandbox_id}"),
     .handler = hosted_local_get, .risk = RISK_READ, .pace = PACE_WRITE, PARAMS(local_params),
     .summary = "Describe a local sandbox"},
    {ROUTE("localSandbox.release", DELETE, "/local-sandbox/{sandbox_id}",
           "/sandbox/local_dev/{sandbox_id}"),
     .handler = hosted_local_release, .risk = RISK_DESTRUCTIVE, .pace = PACE_WRITE,
     PARAMS(local_release_params), .summary = "Release a local sandbox"},
    {ROUTE("localSandbox.reset", POST, "/local-sandbox/{sandbox_id}/reset",
           "/sandbox/local_dev/{sandbox_id}/reset"),
     .handler = hosted_local_reset, .risk = RISK_DESTRUCTIVE, .pace = PACE_WRITE,
     PARAMS(local_params), .summary = "Empty a local sandbox and keep it"},
    {ROUTE("localSandbox.uploadUrl", POST, "/local-sandbox/{sandbox_id}/upload-url",
           "/sandbox/local_dev/{sandbox_id}/upload-url"),
     .handler = hosted_local_upload_url, .risk = RISK_WRITE, PARAMS(local_params),
     .summary = "Make an address to send an archive to"},
    {ROUTE("localSandbox.initialize", POST, "/local-sandbox/{sandbox_id}/initialize",
           "/sandbox/local_dev/{sandbox_id}/initialize"),
     .handler = hosted_local_initialize, .risk = RISK_WRITE, .pace = PACE_SLOW, .body = BODY_RAW,
     PARAMS(local_params),
     .summary = "Put the files of the archive that was sent, or of a form, into the workspace"},
    {ROUTE("localSandbox.dump", GET, "/local-sandbox/{sandbox_id}/dump",
           "/sandbox/local_dev/{sandbox_id}/dump"),
     .handler = hosted_local_dump, .risk = RISK_READ, .pace = PACE_WRITE, PARAMS(local_params),
     .summary = "Make an address to fetch the workspace from, as it is now"},
    {ROUTE("localSandbox.executionUploadUrl", POST,
           "/local-sandbox/{sandbox_id}/execution-upload-url"),
     .handler = hosted_execution_url, .risk = RISK_WRITE, .body = BODY_JSON,
     .request = "ExecutionRequest", PARAMS(local_params),
     .summary = "Make an address to send a program's archive to"},
    {ROUTE("localSandbox.execute", POST, "/local-sandbox/{sandbox_id}/execute"),
     .handler = hosted_execute, .risk = RISK_WRITE, .pace = PACE_SLOW, .body = BODY_JSON,
     .request = "ExecutionRequest", PARAMS(local_params),
     .summary = "Begin to run main.py of an archive that was sent"},
    {ROUTE("localSandbox.executionStatus", GET, "/local-sandbox/{sandbox_id}/execution-status"),
     .handler = hosted_execution_status, .risk = RISK_READ, PARAMS(execution_params),
     .summary = "Say how far a program is: pending, running, completed, failed"},
    {ROUTE("localSandbox.executionLogs", GET, "/local-sandbox/{sandbox_id}/execution-logs"),
     .handler = hosted_execution_logs, .risk = RISK_READ, PARAMS(execution_params),
     .summary = "Give what a program wrote, from a byte on"},
    {ROUTE("localSandbox.exportArtifacts", POST, "/local-sandbox/{sandbox_id}/export-artifacts"),
     .handler = hosted_export_artifacts, .risk = RISK_READ, .pace = PACE_SLOW, .body = BODY_JSON,
     .request = "ExecutionRequest", PARAMS(local_params),
     .summary = "Make an address to fetch what a program left in its directory"},
    {ROUTE("sandbox.acquire", POST, "/sandbox/{server_name}"), .handler = hosted_acquire,
     .risk = RISK_WRITE, .pace = PACE_WRITE, .body = BODY_JSON_OPTIONAL,
     .request = "AcquireSandboxRequest", PARAMS(server_only), .status = 201,
     .summary = "Acquire a sandbox of a server"},
    {ROUTE("sandbox.get", GET, "/sandbox/{server_name}/{sandbox_id}"), .handler = hosted_get,
     .risk = RISK_READ, .pace = PACE_WRITE, PARAMS(sandbox_only), .summary = "Describe a sandbox"},
    {ROUTE("sandbox.release", DELETE, "/sandbox/{server_name}/{sandbox_id}"),
     .handler = hosted_release, .risk = RISK_DESTRUCTIVE, .pace = PACE_WRITE,
     PARAMS(release_params), .summary = "Release a sandbox"},
    {ROUTE("sandbox.reset", POST, "/sandbox/{server_name}/{sandbox_id}/reset"),
     .handler = hosted_reset, .risk = RISK_DESTRUCTIVE, .pace = PACE_WRITE, PARAMS(sandbox_only),
     .summary = "Empty a sandbox and keep it"},
    {ROUTE("sandbox.initialize", POST, "/sandbox/{server_name}/{sandbox_id}/initialize",
           "/local-sandbox/{server_name}/{sandbox_id}/initialize"),
     .handler = hosted_initialize, .risk = RISK_WRITE, .pace = PACE_WRITE,
     .body = BODY_JSON_OPTIONAL, PARAMS(initialize_params),
     .summary = "Add what a payload says to a sandbox"},
    {ROUTE("sandbox.dump", GET, "/sandbox/{server_name}/{sandbox_id}/dump",
           "/local-sandbox/{server_name}/{sandbox_id}/dump"),
     .handler = hosted_dump, .risk = RISK_READ, .pace = PACE_WRITE, PARAMS(sandbox_only),
     .summary = "Give a sandbox's content as a payload"},
    {ROUTE("mcpServer.callTool", POST, "/mcp-server/call-tool"), .handler = hosted_call_tool,
     .risk = RISK_WRITE, .pace = PACE_SLOW, .body = BODY_JSON, .request = "CallToolRequest",
     .summary = "Call a tool of a sandbox"},
    {ROUTE("mcpServer.listTools", POST, "/mcp-server/list-tools"), .handler = hosted_list_tools,
     .risk = RISK_READ, .pace = PACE_SLOW, .body = BODY_JSON, .request = "ListToolsRequest",
     .summary = "List the tools of a sandbox"},
    {ROUTE("mcpServer.getTools", GET, "/mcp-server/tools/{server_name}"),
     .handler = hosted_tools_of, .risk = RISK_READ, .pace = PACE_SLOW, PARAMS(server_only),
     .summary = "List the tools that sandboxes of a server have"},
    {ROUTE("universes.list", GET, "/universes"), .handler = hosted_universes, .risk = RISK_READ,
     .pace = PACE_SLOW, .summary = "List universes"},
    {ROUTE("universes.start", POST, "/universes/{universe_id}"), .handler = hosted_universe_start,
     .risk = RISK_WRITE, .pace = PACE_WRITE, PARAMS(universe_only),
     .summary = "Make an instance of a universe"},
    {ROUTE("universes.initialData", GET, "/universes/{universe_id}/initial_data"),
     .handler = hosted_universe_data, .risk = RISK_READ, .pace = PACE_SLOW, PARAMS(universe_only),
     .summary = "Give what a universe begins with"},
    {ROUTE("universes.release", POST, "/universes/{universe_id}/release"),
     .handler = hosted_universe_release, .risk = RISK_DESTRUCTIVE, .pace = PACE_WRITE,
     PARAMS(universe_only), .summary = "Release an instance"},
    {ROUTE("universes.task", GET, "/universes/{universe_id}/tasks/{task_num}"),
     .handler = hosted_universe_task, .risk = RISK_READ, .pace = PACE_SLOW, PARAMS(task_params),
     .summary = "Give a task of a universe"},
    {ROUTE("universes.verify", POST, "/universes/{universe_id}/tasks/{task_num}/verify"),
     .handler = hosted_universe_verify, .risk = RISK_READ, .pace = PACE_SLOW, PARAMS(task_params),
     .summary = "Judge what was done in an instance"},
};
static const struct rows rows = ROWS(methods);

static const struct front front = {.arguments = NULL};
const struct vendor hosted_vendor = {.name = "sosia", .title = "sosia", .front = &front};

const struct dialect hosted_dialect = {
    .name = "sosia.hosted",
    .title = "Hosted sandboxes",
    .vendor = &hosted_vendor,
    .tables = TABLES(&rows),
    .schemas = hosted_schemas,
    .n_schemas = 5,
    .key = "API key",
};

/* ---- opening ---- */

static const struct dialect *const dialects[] = {&hosted_dialect, &e2b_api_dialect, NULL};

int hosted_open(const struct hosted_options *options, struct hosted **ret_hosted,
                struct sosia_err *err)
{
    struct sosia_engine_info info;
    struct hosted *h = calloc(1, sizeof *h);
    if (!h)
        return sosia_fail_memory(err);
    sosia_engine_info(options->engine, &info);
    h->options = *options;
    h->engine = options->engine;
    h->durable = info.durable;
    pthread_mutex_init(&h->lock, NULL);
    pthread_mutex_init(&h->bases_lock, NULL);
    map_init(&h->by_id);
    map_init(&h->by_instance);
    if (tenants_open(h, err) < 0 || router_open(dialects, &h->router, err) < 0 ||
        universes_open(h, err) < 0 || registry_find_all(h, err) < 0) {
        hosted_close(h);
        return -1;
    }
    h->options.tenants = NULL;
    h->options.not_key = NULL;
    *ret_hosted = h;
    return 0;
}

const char *hosted_key(const struct hosted *h, size_t tenant)
{
    return h->tenants[tenant].key;
}

void hosted_close(struct hosted *h)
{
    if (!h)
        return;
    e2b_streams_close(h);
    e2b_watches_close(h);
    executions_free(h);
    tickets_free(h);
    registry_done(h);
    universes_close(h);
    router_close(h->router);
    pthread_mutex_destroy(&h->lock);
    pthread_mutex_destroy(&h->bases_lock);
    explicit_bzero(h->tenants, sizeof h->tenants);
    free(h);
}

/* ---- access ---- */

static bool is_for(const char *target)
{
    static const char *const roots[] = {"/sandbox", "/local-sandbox", "/mcp-server", "/universes",
                                        "/hosted"};
    if (e2b_api_is_for(target) || e2b_inside_is_for(target))
        return true;
    for (size_t i = 0; i < SOSIA_LEN(roots); i++) {
        size_t n = strlen(roots[i]);
        if (strncmp(target, roots[i], n) == 0 && (!target[n] || strchr("/?", target[n])))
            return true;
    }
    return false;
}

const char *hosted_header(const struct server_request *request, const char *name)
{
    for (size_t i = 0; i < request->n_headers; i++)
        if (strcasecmp(request->headers[i].name, name) == 0)
            return request->headers[i].value;
    return NULL;
}

/* NULL: *ret_status is 401 or 403. */
static struct tenant *caller_of(struct hosted *h, const struct server_request *request,
                                int *ret_status)
{
    const char *token = hosted_header(request, "Authorization");
    if (e2b_api_is_for(request->path)) {
        const char *key = hosted_header(request, "X-API-Key");
        *ret_status = 401;
        return key ? tenant_of(h, key) : NULL;
    }
    *ret_status = 401;
    if (!token || strncasecmp(token, "Bearer ", 7) != 0 || !token[7 + strspn(token + 7, " ")])
        return NULL;
    *ret_status = 403;
    return tenant_of(h, token + 7 + strspn(token + 7, " "));
}

static bool refused(void *arg, const struct server_request *head)
{
    int status;
    if (e2b_inside_is_for(head->path))
        return e2b_inside_refused(arg, head);
    return !tools_are_for(head->path) && !archive_is_known(arg, head->path) &&
           !caller_of(arg, head, &status);
}

static int refuse_caller(struct hosted_call *c, int status)
{
    if (c->e2b)
        return hosted_refuse(c, status,
                             hosted_header(c->request, "X-API-Key")
                                 ? "Invalid API key"
                                 : "The field X-API-Key must be an API key, not absent");
    if (status == 401)
        c->response->headers[c->response->n_headers++] =
            (struct sosia_header){"WWW-Authenticate", "Bearer"};
    return hosted_refuse(c, status, status == 401 ? "Not authenticated" : "Invalid API key");
}

/* ---- serving ---- */

/* No row: 405 with the verbs that the path has, or 404. */
static int refuse_path(struct hosted_call *c)
{
    struct buf allow;
    const struct route *r;
    buf_init(&allow, 0);
    for (size_t i = 0; (r = dialect_row(c->call.dialect, i)); i++) {
        struct match m = {0};
        router_match(c->h->router, NULL, route_verb(r), c->request->path, strlen(c->request->path),
                     &m);
        if (m.route == r)
            buf_printf(&allow, "%s%s", allow.len ? ", " : "", verb_name(route_verb(r)));
    }
    if (allow.len) {
        char *text = server_alloc(c->request, allow.len + 1);
        memcpy(text, buf_str(&allow), allow.len + 1);
        c->response->headers[c->response->n_headers++] = (struct sosia_header){"Allow", text};
    }
    int rc =
        hosted_refuse(c, allow.len ? 405 : 404, allow.len ? "Method Not Allowed" : "Not Found");
    buf_done(&allow);
    return rc;
}

static void no_free(struct server_kept *kept)
{
}

/* A call that asked for a worker itself has been counted. */
static struct server_kept counted = {no_free};

static int serve_row(struct hosted_call *c)
{
    struct hosted *h = c->h;
    enum verb verb;
    int status;
    if (verb_from_name(c->request->method, &verb) == 0)
        router_match(h->router, NULL, verb, c->request->path, strlen(c->request->path), &c->match);
    c->call.route = c->match.route;
    if (!c->call.route)
        return refuse_path(c);
    bool open = c->call.route->anonymous; /* its path says who may */
    if (!open && !(c->tenant = caller_of(h, c->request, &status)))
        return refuse_caller(c, status);
    if (!c->request->on_worker &&
        (c->call.route->pace == PACE_SLOW || (c->call.route->pace == PACE_WRITE && h->durable)))
        return SERVER_SLOW;
    int64_t wait = open || c->request->kept ? 0 : tenant_call(h, c->tenant);
    if (wait)
        return hosted_busy(c, wait);
    if (check_request(c) < 0)
        return hosted_failed(c);
    if (c->n_faults)
        return hosted_faults(c);
    int rc = c->call.route->handler(&c->call);
    if (rc == SERVER_SLOW)
        c->response->kept = &counted;
    return rc;
}

static int serve(void *arg, const struct server_request *request, struct server_response *response)
{
    struct hosted_call c;
    memset(&c, 0, sizeof c);
    c.h = arg;
    c.request = request;
    c.response = response;
    arena_init(&c.arena, 0);
    buf_init(&c.faults, 4 << 20);
    const struct sosia_request sent = {.method = request->method,
                                       .target = request->path,
                                       .body = request->body,
                                       .body_len = request->body_len};
    c.call.tx.arena = &c.arena;
    c.call.tx.err = &c.err;
    c.call.request = &sent;
    c.call.query = request->query;
    c.call.query_len = strlen(request->query);
    c.call.front = &front;
    c.e2b = e2b_api_is_for(request->path) || e2b_inside_is_for(request->path);
    c.call.dialect = c.e2b ? &e2b_api_dialect : &hosted_dialect;
    int rc = tools_are_for(request->path)       ? tools_forward(&c)
             : e2b_inside_is_for(request->path) ? e2b_inside(&c)
                                                : serve_row(&c);
    sandbox_give(c.sandbox);
    buf_done(&c.faults);
    if (arena_failed(&c.arena))
        rc = -1;
    arena_done(&c.arena);
    return rc;
}

struct server_beside hosted_beside(struct hosted *hosted)
{
    return (struct server_beside){
        .is_for = is_for, .serve = serve, .refused = refused, .arg = hosted};
}
