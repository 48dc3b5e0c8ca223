/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to an operation's handler, and back. */
#include "server/control/control.h"
#include "engine/base/codec.h"
#include "engine/api/openapi.h"
#include "server/control/operation.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PREFIX CONTROL_PREFIX

static const struct dialect *const dialects[] = {&control_dialect, NULL};

static int describe(struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    openapi_write(&w, &control_dialect, sosia_version());
    int rc = buf_give(&b, ret_json, err);
    buf_done(&b);
    return rc;
}

int control_open(const struct control_options *options, struct control **ret_control,
                 struct sosia_err *err)
{
    struct sosia_engine_info info;
    struct control *c = calloc(1, sizeof *c);
    const char *dir = options->temp_dir ? options->temp_dir : getenv("TMPDIR");
    if (!c)
        return sosia_fail_memory(err);
    sosia_engine_info(options->engine, &info);
    c->options = *options;
    c->engine = options->engine;
    c->durable = info.durable;
    c->temp_dir = strdup(dir && *dir ? dir : "/tmp");
    c->suites = suites_new();
    c->events = events_new(c->engine);
    c->codes = codes_new();
    if (!c->temp_dir || !c->suites || !c->events || !c->codes) {
        control_close(c);
        return sosia_fail_memory(err);
    }
    if (router_open(dialects, &c->router, err) < 0 || describe(&c->openapi, err) < 0) {
        control_close(c);
        return -1;
    }
    *ret_control = c;
    return 0;
}

void control_set_server(struct control *control, struct server *server)
{
    atomic_store(&control->server, server);
}

void control_close(struct control *control)
{
    if (!control)
        return;
    router_close(control->router);
    sosia_blob_free(&control->openapi);
    suites_free(control->suites);
    events_free(control->events);
    codes_free(control->codes);
    free(control->temp_dir);
    free(control);
}

/* ---- for handlers ---- */

const struct control_value *control_given(const struct control_call *c, const char *name)
{
    for (size_t i = 0; i < c->n_values; i++)
        if (strcmp(c->values[i].name, name) == 0)
            return &c->values[i];
    return NULL;
}

const char *control_text(const struct control_call *c, const char *name)
{
    const struct control_value *v = control_given(c, name);
    return v ? v->text : NULL;
}

int64_t control_number(const struct control_call *c, const char *name, int64_t otherwise)
{
    const struct control_value *v = control_given(c, name);
    return v ? v->number : otherwise;
}

int64_t control_step(const struct control_call *c, int64_t otherwise)
{
    const struct control_value *v = control_given(c, "step_ms");
    return v ? llround(v->real * 1000) : otherwise;
}

int control_fail(struct control_call *c, const char *field, const char *fmt, ...)
{
    char text[sizeof c->err.text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return sosia_fail(&c->err, SOSIA_E_INVALID, "invalid", field, "%s%s%s", field ? field : "",
                      field ? ": " : "", text);
}

/* ---- routing ---- */

/* No row: answers with the verbs that the path has. */
static void refuse(const struct control *control, const struct server_request *request,
                   struct server_response *response, const char *path)
{
    struct buf allow;
    buf_init(&allow, 0);
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(&control_dialect, i)); i++) {
        struct match m;
        router_match(control->router, NULL, route_verb(r), path, strlen(path), &m);
        if (m.route == r)
            buf_printf(&allow, "%s%s", allow.len ? ", " : "", verb_name(route_verb(r)));
    }
    if (allow.len) {
        char *text = server_alloc(request, allow.len + 1);
        memcpy(text, buf_str(&allow), allow.len + 1);
        server_answer_error(response, 405, "methodNotAllowed", "This path allows %s.", text);
        response->headers[response->n_headers++] = (struct sosia_header){"Allow", text};
    } else {
        server_answer_error(response, 404, "notFound",
                            "The path must be that of an operation; " PREFIX
                            "/openapi.json lists them.");
    }
    buf_done(&allow);
}

/* ---- serving ---- */

/* Whether a thread that serves others would wait for the world in the path. */
static bool would_wait(const struct control_call *c)
{
    const char *name = control_text(c, "world");
    return !c->request->on_worker && name && sosia_world_busy(c->engine, name);
}

static int find_world(struct control_call *c)
{
    const char *name = control_text(c, "world");
    return name ? control_find(c, name, &c->world) : 0;
}

/* Of a session that may only read. A service's own answer has what the service shows to the person.
 */
static int hide_secrets(struct control_call *c)
{
    struct server_response *r = c->response;
    struct buf b;
    if (!r->body || !str_starts(r->content_type, "application/json;") || control_is_native(c->op))
        return 0;
    buf_init(&b, 0);
    if (control_hide_text(r->body, r->body_len, &b, &c->err) < 0) {
        buf_done(&b);
        return -1;
    }
    server_answer_buf(r, r->status, &b);
    return 0;
}

/* Parameters and body are read, and the world is found, before the row's handler runs. A handler
 * may ask for a worker too. */
static int serve_row(struct control_call *c, const struct match *m)
{
    if (control_read_params(c, m) < 0)
        return -1;
    bool reads = c->op->risk == RISK_READ && !c->op->secret && !control_number(c, "secrets", 0);
    if (c->request->read_only && !reads)
        return sosia_fail(&c->err, SOSIA_E_FORBIDDEN, "readOnly", NULL,
                          "the session may only read, and %s does more", c->op->id);
    if (would_wait(c))
        return SERVER_SLOW;
    if (control_read_body(c) < 0)
        return -1;
    int rc = find_world(c);
    rc = rc ? rc : c->op->handler(&c->call);
    return rc == 0 && c->request->read_only ? hide_secrets(c) : rc;
}

static int64_t cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* By it the console says how often it asks for something again (console/web/src/app/turns.ts). */
static void say_cost(const struct server_request *request, struct server_response *to, int64_t us)
{
    char *text = NULL;
    if (to->n_headers < SERVER_MAX_HEADERS && (text = server_alloc(request, 40))) {
        snprintf(text, 40, "cpu;dur=%lld.%03d", (long long)us / 1000, (int)(us % 1000));
        to->headers[to->n_headers++] = (struct sosia_header){"Server-Timing", text};
    }
}

int control_serve(void *arg, const struct server_request *request, struct server_response *response)
{
    struct control *control = arg;
    struct match m = {0};
    enum verb verb;
    const char *path = request->path;
    path = str_starts(path, PREFIX "/") ? path + strlen(PREFIX) : "";
    if (verb_from_name(request->method, &verb) == 0)
        router_match(control->router, NULL, verb, path, strlen(path), &m);
    const struct route *op = m.route;
    if (!op) {
        refuse(control, request, response, path);
        return 0;
    }
    if (!request->on_worker &&
        (op->pace == PACE_SLOW || (op->pace == PACE_WRITE && control->durable)))
        return SERVER_SLOW;
    const bool costs = request->on_worker && op->risk == RISK_READ;
    const int64_t begun_us = costs ? cpu_us() : 0;
    struct control_call c;
    c.control = control;
    c.engine = control->engine;
    c.op = op;
    c.request = request;
    c.response = response;
    c.n_values = 0;
    c.world = 0;
    c.step = -1;
    c.n_temporary = 0;
    memset(&c.err, 0, sizeof c.err);
    arena_init(&c.arena, 0);
    memset(&c.call, 0, sizeof c.call);
    c.call.tx.arena = &c.arena;
    c.call.tx.err = &c.err;
    const struct sosia_request sent = {.method = request->method,
                                       .target = request->path,
                                       .body = request->body,
                                       .body_len = request->body_len};
    c.call.route = op;
    c.call.request = &sent;
    c.call.verb = verb;
    c.call.query = request->query;
    c.call.query_len = strlen(request->query);
    c.call.front = dialect_front(&control_dialect);
    c.call.dialect = &control_dialect;
    int rc = serve_row(&c, &m);
    control_forget_steps(&c);
    if (rc < 0) {
        server_answer_err(response, &c.err);
        rc = 0;
    }
    if (arena_failed(&c.arena))
        rc = -1;
    arena_done(&c.arena);
    if (costs && rc == 0)
        say_cost(request, response, cpu_us() - begun_us);
    return rc;
}
