/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of processes: the frames of what a program has written. */
#include "engine/base/codec.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/frame.h"
#include "services/workspace/e2b/process.h"

#define CHUNK ((size_t)32 << 10) /* bytes of output in a frame */

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

static void add_output(struct call *c, const char *name, const char *data, size_t len)
{
    for (size_t at = 0; at < len; at += CHUNK) {
        struct json_writer w;
        struct buf b, coded;
        buf_init(&coded, 0);
        base64_add(&coded, data + at, len - at < CHUNK ? len - at : CHUNK);
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

static void add_start(struct call *c, int64_t pid)
{
    struct json_writer w;
    struct buf b;
    begin_event(&b, &w, "start");
    json_int(&w, "pid", pid);
    end_event(c, &b, &w);
}

int e2b_program_answer(struct call *c, const struct program_outcome *o)
{
    call_header_const(c, "Content-Type", E2B_STREAM_TYPE);
    add_start(c, 2); /* behind process 1 of a session that was its own */
    add_output(c, "stdout", o->out.data, o->out.len);
    add_output(c, "stderr", o->err.data, o->err.len);
    if (!o->timed_out)
        add_end(c, o);
    frame_add_end(c->body_out, o->timed_out ? "deadline_exceeded" : NULL,
                  "context deadline exceeded");
    return buf_failed(c->body_out) ? sosia_fail_memory(c->tx.err) : 0;
}

/* Of one that a signal has ended, in the words that the original has for it. */
static const char *signal_name(struct call *c, int number)
{
    static const char *const names[] = {NULL,
                                        "hangup",
                                        "interrupt",
                                        "quit",
                                        "illegal instruction",
                                        "trace/breakpoint trap",
                                        "aborted",
                                        "bus error",
                                        "floating point exception",
                                        "killed",
                                        "user defined signal 1",
                                        "segmentation fault",
                                        "user defined signal 2",
                                        "broken pipe",
                                        "alarm clock",
                                        "terminated"};
    return number > 0 && number < (int)SOSIA_LEN(names)
               ? arena_printf(c->tx.arena, "signal: %s", names[number])
               : arena_printf(c->tx.arena, "signal: signal %d", number);
}

static void add_killed(struct call *c, int number)
{
    const char *status = signal_name(c, number);
    struct json_writer w;
    struct buf b;
    begin_event(&b, &w, "end");
    json_int(&w, "exitCode", -1);
    json_str(&w, "status", status);
    json_str(&w, "error", status);
    end_event(c, &b, &w);
}

int e2b_process_answer(struct call *c, const struct process_answer *a, bool terminal)
{
    const struct process_part *out = &a->parts[PROCESS_OUT], *err = &a->parts[PROCESS_ERR];
    const bool ends = !a->running && !out->more && !err->more;
    call_header_const(c, "Content-Type", E2B_STREAM_TYPE);
    call_header(c, E2B_PROGRESS,
                arena_printf(c->tx.arena, "%lld %d %lld,%lld", (long long)a->pid, terminal,
                             (long long)(out->from + (int64_t)out->len),
                             (long long)(err->from + (int64_t)err->len)));
    add_start(c, a->pid);
    add_output(c, terminal ? "pty" : "stdout", out->data, out->len);
    add_output(c, "stderr", err->data, err->len);
    if (ends && !a->timed_out && a->signal)
        add_killed(c, a->signal);
    else if (ends && !a->timed_out)
        add_end(c, &(struct program_outcome){.status = a->status});
    if (ends)
        frame_add_end(c->body_out, a->timed_out ? "deadline_exceeded" : NULL,
                      "context deadline exceeded");
    return buf_failed(c->body_out) ? sosia_fail_memory(c->tx.err) : 0;
}
