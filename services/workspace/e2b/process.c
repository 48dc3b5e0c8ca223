/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, by calls of the Connect protocol. With "waitMs" a program is a process that goes on
 * behind its call (services/workspace/core/process.h): an answer has what there is until then, and
 * the field E2B_PROGRESS, and who asked asks again (hosted/e2b/stream.c). Without it the answer is
 * there when the program has ended, and nothing of it is left.
 */
#include "engine/base/codec.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/process.h"

/* ---- the request ---- */

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

/* By the field that the protocol has for it; 0: without an end. */
static int64_t timeout_of(const struct call *c)
{
    const char *text = call_request_header(c, "Connect-Timeout-Ms");
    int64_t ms;
    return text && parse_i64(text, strlen(text), &ms) == 0 && ms > 0 ? ms : 0;
}

static void put_config(struct json_writer *w, const struct json *process)
{
    static const char *const names[] = {"cmd", "args", "envs", "cwd"};
    json_obj(w, "about");
    json_obj(w, "config");
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (json_get(process, names[i]))
            json_value(w, names[i], json_get(process, names[i]));
    json_end(w);
}

static void put_start(struct json_writer *w, const struct json *message,
                      const struct program_spec *s, int64_t life_ms, int64_t wait_ms)
{
    const struct json *pty = json_get(message, "pty"), *size = json_get(pty, "size"),
                      *in = json_get(message, "stdin"), *tag = json_get(message, "tag");
    json_obj(w, NULL);
    json_str(w, "op", "start");
    json_arr(w, "argv");
    for (const char *const *arg = s->argv; *arg; arg++)
        json_str(w, NULL, *arg);
    json_end(w);
    json_str(w, "directory", s->directory);
    put_config(w, json_get(message, "process"));
    if (is_text(tag))
        json_str(w, "tag", tag->str);
    json_bool(w, "terminal", pty != NULL);
    json_end(w);
    if (pty)
        e2b_put_size(w, "terminal", size);
    json_bool(w, "stdin", !json_is_false(in)); /* as it is where nothing is said */
    json_int(w, "lastsMs", life_ms);
    json_int(w, "ms", wait_ms);
    json_end(w);
}

/* It goes on. */
static int start_process(struct call *c, const struct json *message, const struct program_spec *s)
{
    const int64_t wait_ms = param_num(c, "waitMs", 0);
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    const int64_t life_ms = process_life(c, timeout_of(c));
    if (life_ms < 0 || program_check(&c->tx, s) < 0 || process_first(c) < 0)
        return -1;
    json_start(&w, &b);
    put_start(&w, message, s, life_ms, wait_ms);
    int r = process_ask(c, &b, wait_ms, true, s->environment, &a);
    buf_done(&b);
    if (r != 1)
        return r;
    if (a.error)
        return e2b_fail(c, a.ended ? E2B_FAILED_PRECONDITION : E2B_RESOURCE_EXHAUSTED, "%s",
                        a.error);
    return e2b_process_answer(c, &a, json_get(message, "pty") != NULL);
}

static int process_start(struct call *c)
{
    const struct json *message = e2b_read_message(c), *process = json_get(message, "process");
    const int64_t most = PROGRAM_SECONDS * INT64_C(1000);
    struct program_spec spec = {
        .timeout_ms = timeout_of(c), .keep = PROGRAM_MOST_KEEP, .home = true};
    struct program_outcome o;
    if (!message)
        return -1;
    if (spec.timeout_ms <= 0 || spec.timeout_ms > most)
        spec.timeout_ms = most;
    if (json_get(message, "pty") && !param_given(c, "waitMs"))
        return e2b_fail(c, E2B_UNIMPLEMENTED, "a terminal is for a process that goes on");
    if (read_argv(c, process, &spec) < 0 || read_environment(c, process, &spec) < 0 ||
        read_directory(c, process, &spec) < 0)
        return -1;
    if (param_given(c, "waitMs"))
        return start_process(c, message, &spec);
    int r = program_run(c, &spec, &o);
    return r == 1 ? e2b_program_answer(c, &o) : r;
}

/* ---- rows ---- */

static const struct param start_params[] = {
    {.name = "environment",
     .place = IN_QUERY,
     .max = 8192,
     .summary = "Variables of the sandbox: an object of texts, in JSON"},
    {.name = "waitMs",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 0,
     .max = 60000,
     .summary =
         "The program is a process that goes on, and the answer has what it writes in that time"}};

static const struct route methods[] = {
    {ROUTE("e2b.process.Start", POST, E2B_PREFIX "/process.Process/Start"), .scopes = "workspace",
     .body = BODY_RAW, .gives = E2B_STREAM_TYPE, .handler = process_start, .risk = RISK_WRITE,
     .pace = PACE_SLOW, PARAMS(start_params), .summary = "Run a program, or start a process"},
};
const struct rows e2b_process_rows = ROWS(methods);
