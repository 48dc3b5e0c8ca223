/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, by calls of the Connect protocol. One runs to its end before its stream is answered,
 * with all that it wrote: so there is never one that could be listed, written to or ended.
 */
#include "engine/base/codec.h"
#include "services/workspace/core/program.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/frame.h"

#define CHUNK ((size_t)32 << 10) /* bytes of output in a frame */

/* ---- a stream's answer ---- */

static void add_json(struct call *c, unsigned flags, struct buf *b)
{
    frame_add(c->body_out, flags, buf_str(b), b->len);
    buf_done(b);
}

/* {"event":{name:...}}, of which the value is to be written. */
static void begin_event(struct buf *b, struct json_writer *w, const char *name)
{
    buf_init(b, 0);
    json_init(w, b, false, NULL);
    json_obj(w, NULL);
    json_obj(w, "event");
    json_obj(w, name);
}

static void end_event(struct call *c, struct buf *b, struct json_writer *w)
{
    json_end(w);
    json_end(w);
    json_end(w);
    add_json(c, 0, b);
}

static void add_output(struct call *c, const char *name, const struct program_stream *s)
{
    for (size_t at = 0; at < s->len; at += CHUNK) {
        struct json_writer w;
        struct buf b, coded;
        buf_init(&coded, 0);
        base64_add(&coded, s->data + at, s->len - at < CHUNK ? s->len - at : CHUNK);
        begin_event(&b, &w, "data");
        json_str(&w, name, buf_str(&coded));
        end_event(c, &b, &w);
        buf_done(&coded);
    }
}

static void add_end(struct call *c, const struct program_outcome *o)
{
    const char *status = arena_printf(c->tx.arena, "exit status %d", o->status);
    struct json_writer w;
    struct buf b;
    begin_event(&b, &w, "end");
    if (o->status)
        json_int(&w, "exitCode", o->status);
    json_bool(&w, "exited", true);
    json_str(&w, "status", status);
    if (o->status)
        json_str(&w, "error", status);
    end_event(c, &b, &w);
}

static int answer(struct call *c, const struct program_outcome *o)
{
    struct json_writer w;
    struct buf b;
    call_header_const(c, "Content-Type", E2B_STREAM_TYPE);
    begin_event(&b, &w, "start");
    json_int(&w, "pid", 2); /* behind process 1 of a session that was its own */
    end_event(c, &b, &w);
    add_output(c, "stdout", &o->out);
    add_output(c, "stderr", &o->err);
    if (!o->timed_out)
        add_end(c, o);
    e2b_end_stream(c, o->timed_out ? "deadline_exceeded" : NULL, "context deadline exceeded");
    return buf_failed(c->body_out) ? sosia_fail_memory(c->tx.err) : 0;
}

/* ---- a stream's request ---- */

/* The one message that comes; NULL: refused. */
static const struct json *read_message(struct call *c)
{
    const char *text;
    size_t len = (size_t)c->content.len;
    struct frame f;
    const struct json *v;
    struct sosia_err err = {0};
    if (bytes_view(&c->tx, &c->content, BYTES_VIEW, &text) < 0)
        return NULL;
    if (frame_next(&text, &len, &f) != 1 || len || f.flags ||
        json_parse(c->tx.arena, f.data, f.len, NULL, &v, &err) < 0 || v->type != JSON_OBJECT) {
        e2b_fail(c, E2B_INVALID_ARGUMENT,
                 "a stream must begin with one frame that has a message in JSON%s%s",
                 err.code ? ": " : "", err.text);
        return NULL;
    }
    return v;
}

static bool is_text(const struct json *v)
{
    return v && v->type == JSON_STRING && strlen(v->str) == v->n;
}

static int read_argv(struct call *c, const struct json *process, struct program_spec *s)
{
    const struct json *cmd = json_get(process, "cmd"), *args = json_get(process, "args");
    const uint32_t n = args && args->type == JSON_ARRAY ? args->n : 0;
    const char **argv = arena_calloc(c->tx.arena, (size_t)n + 2, sizeof *argv);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (!is_text(cmd) || !cmd->n)
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "process.cmd must be a text, not absent");
    argv[0] = cmd->str;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_text(&args->items[i]))
            return e2b_fail(c, E2B_INVALID_ARGUMENT, "process.args must be texts without a NUL");
        argv[i + 1] = args->items[i].str;
    }
    s->argv = argv;
    return 0;
}

/* Adds the members of an object as NAME=VALUE. */
static int add_variables(struct call *c, const struct json *v, const char **list, size_t *n)
{
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        if (!is_text(&m->value) || !*m->key || strchr(m->key, '='))
            return e2b_fail(c, E2B_INVALID_ARGUMENT,
                            "variables must be texts without a NUL, under a name without a =");
        list[(*n)++] = arena_printf(c->tx.arena, "%s=%s", m->key, m->value.str);
    }
    return 0;
}

/* Those of the sandbox, and over them those of the program. */
static int read_environment(struct call *c, const struct json *process, struct program_spec *s)
{
    static const char *const usual[] = {("HOME=" E2B_HOME), "USER=user", "LOGNAME=user"};
    const struct json *own = json_get(process, "envs"), *common = NULL;
    const char *text = param_str(c, "environment");
    size_t n = 0;
    if (text && json_parse(c->tx.arena, text, strlen(text), NULL, &common, c->tx.err) < 0)
        return -1;
    const size_t most = SOSIA_LEN(usual) + 1 + (own && own->type == JSON_OBJECT ? own->n : 0) +
                        (common && common->type == JSON_OBJECT ? common->n : 0);
    const char **list = arena_calloc(c->tx.arena, most, sizeof *list);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < SOSIA_LEN(usual); i++)
        list[n++] = usual[i];
    s->environment = list;
    return add_variables(c, common, list, &n) < 0 || add_variables(c, own, list, &n) < 0 ? -1 : 0;
}

static int read_directory(struct call *c, const struct json *process, struct program_spec *s)
{
    const struct json *cwd = json_get(process, "cwd");
    struct workspace_place found;
    struct e2b_path at;
    if (cwd && cwd->type != JSON_NULL && !is_text(cwd))
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "process.cwd must be a text without a NUL");
    if (e2b_path(c, is_text(cwd) ? cwd->str : "", &at) < 0)
        return -1;
    int r = e2b_find(c, &at, true, &found);
    if (r < 0)
        return -1;
    if (!r || found.node.kind != NODE_DIRECTORY)
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "cwd '%s' does not exist",
                        e2b_text(c, at.absolute));
    s->directory = at.absolute;
    return 0;
}

/* By the field that the protocol has for it; without it the longest one. */
static int64_t timeout_of(const struct call *c)
{
    const char *text = call_request_header(c, "Connect-Timeout-Ms");
    const int64_t most = PROGRAM_SECONDS * INT64_C(1000);
    int64_t ms;
    if (!text || parse_i64(text, strlen(text), &ms) < 0 || ms <= 0)
        return most;
    return ms < most ? ms : most;
}

static int process_start(struct call *c)
{
    const struct json *message = read_message(c), *process = json_get(message, "process");
    struct program_spec spec = {
        .timeout_ms = timeout_of(c), .keep = PROGRAM_MOST_KEEP, .home = true};
    struct program_outcome o;
    if (!message)
        return -1;
    if (json_get(message, "pty"))
        return e2b_fail(c, E2B_UNIMPLEMENTED, "programs have no terminal here");
    if (read_argv(c, process, &spec) < 0 || read_environment(c, process, &spec) < 0 ||
        read_directory(c, process, &spec) < 0)
        return -1;
    int r = program_run(c, &spec, &o);
    return r == 1 ? answer(c, &o) : r;
}

/* ---- what is asked of programs that run ---- */

static int process_list(struct call *c)
{
    json_obj(c->out, NULL);
    json_end(c->out);
    return 0;
}

static int not_running(struct call *c, const struct json *message)
{
    const struct json *of = json_get(message, "process"), *pid = json_get(of, "pid");
    const char *tag = json_get_str(of, "tag");
    if (tag)
        return e2b_fail(c, E2B_NOT_FOUND, "process with tag %s not found", e2b_text(c, tag));
    return e2b_fail(c, E2B_NOT_FOUND, "process with pid %s not found",
                    pid && pid->type == JSON_NUMBER ? pid->str : "0");
}

static int process_reach(struct call *c)
{
    const struct json *message = call_body(c);
    return message ? not_running(c, message) : -1;
}

static int process_connect(struct call *c)
{
    const struct json *message = read_message(c);
    return message ? not_running(c, message) : -1;
}

/* ---- rows ---- */

static const struct param start_params[] = {
    {.name = "environment",
     .place = IN_QUERY,
     .max = 8192,
     .summary = "Variables of the sandbox: an object of texts, in JSON"}};

#define METHOD(name)                                                                               \
    .id = "e2b.process." name, .verbs = POST, .paths = PATHS(E2B_PREFIX "/process.Process/" name), \
    .scopes = "workspace"
#define STREAM .body = BODY_RAW, .gives = E2B_STREAM_TYPE
#define REACHES                                                                                    \
    .body = BODY_JSON, .request = "ProcessRequest", .response = "EmptyResponse",                   \
    .handler = process_reach, .risk = RISK_WRITE

static const struct route methods[] = {
    {METHOD("Start"), STREAM, .handler = process_start, .risk = RISK_WRITE, .pace = PACE_SLOW,
     PARAMS(start_params), .summary = "Run a program, and answer when it has ended"},
    {METHOD("Connect"), STREAM, .handler = process_connect, .risk = RISK_READ,
     .summary = "Refuse: a program has ended when its start is answered"},
    {METHOD("List"), .body = BODY_JSON, .request = "EmptyRequest", .response = "ListResponse",
     .handler = process_list, .risk = RISK_READ,
     .summary = "List programs that run: there are none between calls"},
    {METHOD("SendInput"), REACHES, .summary = "Refuse, as Connect does"},
    {METHOD("SendSignal"), REACHES, .summary = "Refuse, as Connect does"},
    {METHOD("CloseStdin"), REACHES, .summary = "Refuse, as Connect does"},
    {METHOD("Update"), REACHES, .summary = "Refuse, as Connect does"},
};
const struct rows e2b_process_rows = ROWS(methods);
