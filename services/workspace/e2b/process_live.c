/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of processes that run: whose call of Start has said "waitMs". */
#include "engine/base/codec.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/process.h"
#include <stdio.h>

enum { MOST_INPUT = 6 << 20 }; /* of base64, in a request: beyond what a process can be given */

/* ---- which one ---- */

static int not_running(struct call *c, const struct json *message)
{
    const struct json *of = json_get(message, "process"), *pid = json_get(of, "pid");
    const char *tag = json_get_str(of, "tag");
    if (tag)
        return e2b_fail(c, E2B_NOT_FOUND, "process with tag %s not found", e2b_text(c, tag));
    return e2b_fail(c, E2B_NOT_FOUND, "process with pid %s not found",
                    pid && pid->type == JSON_NUMBER ? pid->str : "0");
}

/* 0: there can be none of that number. */
static int64_t pid_of(const struct json *message)
{
    return json_get_int(json_get(message, "process"), "pid", 0);
}

static void begin(struct json_writer *w, struct buf *b, const char *op, int64_t pid)
{
    buf_init(b, 0);
    json_init(w, b, false, NULL);
    json_obj(w, NULL);
    json_str(w, "op", op);
    if (pid)
        json_int(w, "pid", pid);
}

/* Asks, of a request that is written. 1, 0, -1: refused where there is no such process, or it can't
 * be done. message NULL: nothing is refused. */
static int ask(struct call *c, const struct json *message, struct json_writer *w, struct buf *b,
               int64_t ms, struct process_answer *ret)
{
    json_end(w);
    int r = process_any(c);
    if (r == 0) {
        *ret = (struct process_answer){.error = "notFound"};
        r = 1;
    } else if (r == 1) {
        r = process_ask(c, b, ms, true, NULL, ret);
    }
    buf_done(b);
    if (r != 1 || !message || !ret->error)
        return r;
    return ret->ended || strcmp(ret->error, "notFound") == 0
               ? not_running(c, message)
               : e2b_fail(c, E2B_RESOURCE_EXHAUSTED, "%s", ret->error);
}

static int nothing(struct call *c)
{
    json_obj(c->out, NULL);
    json_end(c->out);
    return 0;
}

/* ---- methods ---- */

static int process_list(struct call *c)
{
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (!call_body(c))
        return -1;
    begin(&w, &b, "list", 0);
    int r = ask(c, NULL, &w, &b, 0, &a);
    if (r != 1)
        return r;
    const struct json *all = json_get(a.text, "processes");
    bool any = false;
    json_obj(c->out, NULL);
    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct json *p = &all->items[i], *about = json_get(p, "about");
        if (!json_get_true(p, "running"))
            continue;
        if (!any)
            json_arr(c->out, "processes");
        any = true;
        json_obj(c->out, NULL);
        if (json_get(about, "config"))
            json_value(c->out, "config", json_get(about, "config"));
        json_int(c->out, "pid", json_get_int(p, "pid", 0));
        if (json_get_str(about, "tag"))
            json_str(c->out, "tag", json_get_str(about, "tag"));
        json_end(c->out);
    }
    if (any)
        json_end(c->out);
    json_end(c->out);
    return 0;
}

static int process_input(struct call *c)
{
    const struct json *message = call_body(c), *input = json_get(message, "input");
    const char *data = json_get_str(input, "stdin");
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (!message)
        return -1;
    if (!data)
        data = json_get_str(input, "pty");
    if (data && strlen(data) > MOST_INPUT)
        return e2b_fail(c, E2B_RESOURCE_EXHAUSTED,
                        "message size %zu is larger than configured max %d", strlen(data),
                        MOST_INPUT);
    begin(&w, &b, "input", pid_of(message));
    json_str(&w, "data", data ? data : "");
    json_raw(&w, "from", "[-1,-1]", 7);
    int r = ask(c, message, &w, &b, 0, &a);
    return r == 1 ? nothing(c) : r;
}

/* "SIGNAL_SIGKILL", or the number; 0: it is neither. */
static int signal_of(const struct json *v)
{
    int64_t n = 0;
    if (v && v->type == JSON_STRING)
        return strcmp(v->str, "SIGNAL_SIGKILL") == 0   ? 9
               : strcmp(v->str, "SIGNAL_SIGTERM") == 0 ? 15
                                                       : 0;
    return json_i64(v, &n) == 0 && (n == 9 || n == 15) ? (int)n : 0;
}

static int process_signal(struct call *c)
{
    const struct json *message = call_body(c);
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (!message)
        return -1;
    const int number = signal_of(json_get(message, "signal"));
    begin(&w, &b, "signal", pid_of(message));
    json_int(&w, "signal", number); /* 0: whether there is such a process */
    int r = ask(c, message, &w, &b, 0, &a);
    if (r == 1 && !number)
        return e2b_fail(c, E2B_UNIMPLEMENTED, "invalid signal: SIGNAL_UNSPECIFIED");
    return r == 1 ? nothing(c) : r;
}

static int process_close(struct call *c)
{
    const struct json *message = call_body(c);
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (!message)
        return -1;
    begin(&w, &b, "close", pid_of(message));
    int r = ask(c, message, &w, &b, 0, &a);
    return r == 1 ? nothing(c) : r;
}

static int process_update(struct call *c)
{
    const struct json *message = call_body(c), *pty = json_get(message, "pty");
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (!message)
        return -1;
    begin(&w, &b, pty ? "resize" : "signal", pid_of(message));
    if (pty)
        e2b_put_size(&w, NULL, json_get(pty, "size"));
    else
        json_int(&w, "signal", 0); /* nothing is asked for but whether there is such a process */
    int r = ask(c, message, &w, &b, 0, &a);
    return r == 1 ? nothing(c) : r;
}

/* "PLACE,PLACE" of output and errors: what is behind them is given. NULL: what comes from now on.
 */
static void put_from(struct json_writer *w, const char *from)
{
    long long out = -1, err = -1;
    if (from && sscanf(from, "%lld,%lld", &out, &err) != 2)
        out = err = -1;
    json_arr(w, "from");
    json_int(w, NULL, out);
    json_int(w, NULL, err);
    json_end(w);
}

static int process_connect(struct call *c)
{
    const struct json *message = e2b_read_message(c);
    const int64_t wait_ms = param_num(c, "waitMs", 0);
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (!message)
        return -1;
    begin(&w, &b, "wait", pid_of(message));
    json_int(&w, "ms", wait_ms);
    json_str(&w, "until", "output");
    put_from(&w, param_str(c, "from"));
    int r = ask(c, message, &w, &b, wait_ms, &a);
    return r == 1 ? e2b_process_answer(c, &a, json_get_true(a.text, "terminal")) : r;
}

/* ---- rows ---- */

static const struct param connect_params[] = {
    {.name = "waitMs",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 0,
     .max = 60000,
     .summary = "How long it is waited for output"},
    {.name = "from",
     .place = IN_QUERY,
     .max = 64,
     .summary =
         "How many bytes of its output and of its errors are known: two numbers with a comma"}};

#define METHOD(name)                                                                               \
    .id = "e2b.process." name, .verbs = POST, .paths = PATHS(E2B_PREFIX "/process.Process/" name), \
    .scopes = "workspace", .pace = PACE_SLOW, .risk = RISK_WRITE
#define REACHES .body = BODY_JSON, .request = "ProcessRequest", .response = "EmptyResponse"

static const struct route methods[] = {
    {METHOD("Connect"), .body = BODY_RAW, .gives = E2B_STREAM_TYPE, .handler = process_connect,
     PARAMS(connect_params), .summary = "What a process writes, from now on"},
    {METHOD("List"), .body = BODY_JSON, .request = "EmptyRequest", .response = "ListResponse",
     .handler = process_list, .summary = "List processes that run"},
    {METHOD("SendInput"), REACHES, .handler = process_input,
     .summary = "Write to a process's input, or to its terminal"},
    {METHOD("SendSignal"), REACHES, .handler = process_signal,
     .summary = "End a process and what it has started"},
    {METHOD("CloseStdin"), REACHES, .handler = process_close, .summary = "Close a process's input"},
    {METHOD("Update"), REACHES, .handler = process_update,
     .summary = "Give a process's terminal another size"},
};
const struct rows e2b_process_live_rows = ROWS(methods);
