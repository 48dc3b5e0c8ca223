/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to an operation's handler, and back. */
#include "server/control/control.h"
#include "engine/base/codec.h"
#include "server/control/operation.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX       "/_sosia/v1"
#define MAX_SEGMENTS 6

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
    if (!c->temp_dir) {
        control_close(c);
        return sosia_fail_memory(err);
    }
    if (control_openapi(&c->openapi, err) < 0) {
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
    sosia_blob_free(&control->openapi);
    free(control->temp_dir);
    free(control);
}

/* ---- for handlers ---- */

const struct control_value *control_given(const struct control_call *c, const char *name)
{
    for (size_t i = 0; i < c->n_values; i++)
        if (strcmp(c->values[i].field->name, name) == 0)
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

struct segment {
    const char *text;
    size_t len;
};

/* "/a/b" gives 2; 0: no path of ours. */
static size_t split(const char *path, struct segment *ret)
{
    size_t n = 0;
    while (*path == '/') {
        if (n == MAX_SEGMENTS)
            return 0;
        size_t len = strcspn(++path, "/");
        if (!len)
            return 0;
        ret[n++] = (struct segment){path, len};
        path += len;
    }
    return *path ? 0 : n;
}

static bool matches(const char *template, const struct segment *segments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (*template ++ != '/')
            return false;
        size_t len = strcspn(template, "/");
        if (*template != '{' &&
            (len != segments[i].len || memcmp(template, segments[i].text, len) != 0))
            return false;
        template += len;
    }
    return !*template;
}

/* NULL: answered. Where a name and a parameter both fit, the name stands first in the table. */
static const struct control_operation *find(const struct server_request *request,
                                            struct server_response *response,
                                            const struct segment *segments, size_t n)
{
    struct buf allow;
    const struct control_operation *found = NULL;
    buf_init(&allow, 0);
    for (size_t i = 0; n && i < control_n_operations && !found; i++) {
        const struct control_operation *op = &control_operations[i];
        if (!matches(op->path, segments, n))
            continue;
        if (strcmp(op->method, request->method) == 0)
            found = op;
        else
            buf_printf(&allow, "%s%s", allow.len ? ", " : "", op->method);
    }
    if (!found && allow.len) {
        char *text = server_alloc(request, allow.len + 1);
        memcpy(text, buf_str(&allow), allow.len + 1);
        server_answer_error(response, 405, "methodNotAllowed", "This path allows %s.", text);
        response->headers[response->n_headers++] = (struct sosia_header){"Allow", text};
    } else if (!found) {
        server_answer_error(response, 404, "notFound",
                            "The path must be that of an operation, is not; " PREFIX
                            "/openapi.json lists them.");
    }
    buf_done(&allow);
    return found;
}

/* ---- serving ---- */

/* The parameters in the path. */
static int read_path(struct control_call *c, const struct segment *segments, size_t n)
{
    const char *template = c->op->path;
    for (size_t i = 0; i < n; i++) {
        const char *name = ++template;
        size_t len = strcspn(template, "/"), text_len;
        char *text;
        template += len;
        if (*name != '{')
            continue;
        if (percent_decode(&c->arena, segments[i].text, segments[i].len, false, &text, &text_len) <
            0)
            return control_fail(c, NULL, "the path must be percent-encoded UTF-8, is not");
        for (size_t p = 0; p < c->op->n_params; p++)
            if (strlen(c->op->params[p].name) == len - 2 &&
                memcmp(c->op->params[p].name, name + 1, len - 2) == 0 &&
                control_read_text(c, &c->op->params[p], text, text_len) < 0)
                return -1;
    }
    return 0;
}

/* Whether a thread that serves others would wait for the world in the path. */
static bool would_wait(const struct control_call *c)
{
    const char *name = control_text(c, "world");
    return !c->request->on_worker && name && sosia_world_busy(c->engine, name);
}

static int find_world(struct control_call *c)
{
    const char *name = control_text(c, "world");
    return name ? sosia_world_find(c->engine, name, &c->world, &c->err) : 0;
}

int control_serve(void *arg, const struct server_request *request, struct server_response *response)
{
    struct control *control = arg;
    struct segment segments[MAX_SEGMENTS];
    size_t n =
        str_starts(request->path, PREFIX) ? split(request->path + strlen(PREFIX), segments) : 0;
    const struct control_operation *op = find(request, response, segments, n);
    if (!op)
        return 0;
    if (!request->on_worker &&
        (op->pace == CONTROL_SLOW || (op->pace == CONTROL_WRITE && control->durable)))
        return SERVER_SLOW;
    struct control_call c;
    c.control = control;
    c.engine = control->engine;
    c.op = op;
    c.request = request;
    c.response = response;
    c.n_values = 0;
    c.world = 0;
    memset(&c.err, 0, sizeof c.err);
    arena_init(&c.arena, 0);
    int rc = read_path(&c, segments, n);
    if (rc == 0 && would_wait(&c))
        rc = SERVER_SLOW;
    else if (rc == 0 && (control_read_query(&c) < 0 || control_read_body(&c) < 0 ||
                         find_world(&c) < 0 || op->handler(&c) < 0))
        rc = -1;
    if (rc < 0) {
        server_answer_err(response, &c.err);
        rc = 0;
    }
    if (arena_failed(&c.arena))
        rc = -1;
    arena_done(&c.arena);
    return rc;
}
