/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of what goes on inside: of a process, of a directory's changes. A process runs while a
 * call of its world is under way and at no other time (services/workspace/core/process.h), so
 * whoever reads what one writes has a thread here that makes one such call after the other; each is
 * in the world's journal.
 */
#include "engine/http/answer.h"
#include "engine/http/param.h"
#include "engine/http/serve.h"
#include "engine/http/stream.h"
#include "engine/send/program.h"
#include "hosted/e2b/e2b.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/frame.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    MOST_STREAMS = 256, /* of a tenant */
    MOST_OF_ALL = 1024,
    FIRST_MS = 30,          /* until the answer of a start: what is quick has ended by then */
    WAIT_MS = 2000,         /* of a call that waits for output */
    LATER_MS = 200,         /* until a refused one is made again */
    ALIVE_US = 30000000,    /* without anything: a frame that says so */
    LOOK_MS = 100,          /* between two looks at a directory */
    MOST_UNREAD = 256 << 10 /* bytes that its reader has not taken, until a process waits for it */
};

struct e2b_stream {
    struct e2b_stream *next;
    struct hosted *h;
    struct sandbox *sandbox; /* with a reference */
    struct sosia_stream *to;
    pthread_t thread;
    _Atomic bool done;       /* the thread is at its end */
    int64_t until_us;        /* of the real clock; 0: without an end */
    int64_t put_us;          /* when something was put */
    struct e2b_watch *watch; /* of a directory; NULL: of a process */
    int64_t pid, out, err;   /* how much of it has been given */
};

/* ---- frames ---- */

static bool put(struct e2b_stream *s, struct buf *b)
{
    bool good = !buf_failed(b) && stream_put(s->to, b->data, b->len);
    s->put_us = real_us();
    buf_done(b);
    return good;
}

static bool put_frame(struct e2b_stream *s, unsigned flags, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    frame_add(&b, flags, text, strlen(text));
    return put(s, &b);
}

static void put_end(struct e2b_stream *s, const char *code, const char *message)
{
    struct buf b;
    buf_init(&b, 0);
    frame_add_end(&b, code, message);
    put(s, &b);
}

/* ---- one call of the world ---- */

static const char *progress_of(const struct sosia_response *r)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcmp(r->headers[i].name, E2B_PROGRESS) == 0)
            return r->headers[i].value;
    return NULL;
}

/* Whether it goes on: a stream that has ended says so in its last frame. */
static bool read_progress(struct e2b_stream *s, const struct sosia_response *r)
{
    long long pid, out, err;
    int terminal;
    const char *text = progress_of(r);
    const char *body = r->body;
    size_t len = r->body_len;
    struct frame f = {0};
    if (!text || sscanf(text, "%lld %d %lld,%lld", &pid, &terminal, &out, &err) != 4)
        return false;
    s->pid = pid;
    s->out = out;
    s->err = err;
    while (frame_next(&body, &len, &f) == 1)
        ;
    return !(f.flags & FRAME_END);
}

/* In the arena of c. poll: the client has asked for it before. -1: c->err. */
static int call_world(struct hosted_call *c, struct sandbox *sandbox, bool poll, const char *target,
                      const char *body, size_t len, const char *timeout_ms,
                      struct sosia_response **ret)
{
    const char *token = sandbox_token(c, sandbox);
    if (!token)
        return -1;
    const struct sosia_header headers[] = {
        {"Authorization", arena_printf(&c->arena, "Bearer %s", token)},
        {"Content-Type", E2B_STREAM_TYPE},
        {"Connect-Timeout-Ms", timeout_ms}};
    const struct sosia_request request = {.method = "POST",
                                          .target = target,
                                          .headers = headers,
                                          .n_headers = SOSIA_LEN(headers) - !timeout_ms,
                                          .body = body,
                                          .body_len = len,
                                          .base_url = c->request ? c->request->base_url : NULL};
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    return poll ? call_poll(c->h->engine, sandbox->world, &request, ret, &c->err)
                : sosia_call(c->h->engine, sandbox->world, &request, ret, &c->err);
}

/* ---- the thread ---- */

static void pause_ms(int64_t ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Behind the first frame, which says the process's number again. */
static void put_news(struct e2b_stream *s, const struct sosia_response *r)
{
    const char *body = r->body;
    size_t len = r->body_len;
    struct frame f;
    if (frame_next(&body, &len, &f) != 1 || !len)
        return;
    s->put_us = real_us();
    stream_put(s->to, body, len);
}

/* Whether it was said that there is no such process: what else is refused may be granted later. */
static bool is_gone(const struct sosia_response *r, struct arena *a)
{
    const char *body = r->body, *code = NULL;
    size_t len = r->body_len;
    struct frame f = {0};
    const struct json *v;
    struct sosia_err err;
    while (frame_next(&body, &len, &f) == 1)
        ;
    if ((f.flags & FRAME_END) && json_parse(a, f.data, f.len, NULL, &v, &err) == 0)
        code = json_get_str(json_get(v, "error"), "code");
    return code && strcmp(code, "not_found") == 0;
}

/* Asks once. False: there is no more. */
static bool ask_again(struct e2b_stream *s)
{
    struct hosted_call c = {.h = s->h, .e2b = true};
    struct sosia_response *r = NULL;
    char target[128], message[64];
    struct buf b;
    arena_init(&c.arena, 0);
    buf_init(&b, 0);
    snprintf(target, sizeof target, E2B_PREFIX "/process.Process/Connect?waitMs=%d&from=%lld,%lld",
             WAIT_MS, (long long)s->out, (long long)s->err);
    snprintf(message, sizeof message, "{\"process\":{\"pid\":%lld}}", (long long)s->pid);
    frame_add(&b, 0, message, strlen(message));
    bool more = false;
    if (buf_failed(&b) || call_world(&c, s->sandbox, true, target, b.data, b.len, NULL, &r) < 0) {
        put_end(s, "unavailable", "the sandbox has ended");
    } else if (progress_of(r)) {
        more = read_progress(s, r);
        put_news(s, r);
    } else if (is_gone(r, &c.arena)) {
        put_end(s, "unavailable", "the process was ended with its sandbox");
    } else {
        more = true;
        pause_ms(LATER_MS);
    }
    if (r)
        sosia_response_free(r);
    buf_done(&b);
    arena_done(&c.arena);
    return more;
}

/* False: there is no more. */
static bool look_again(struct e2b_stream *s)
{
    struct buf b;
    buf_init(&b, 0);
    const int r = e2b_watch_look(s->h, s->sandbox, s->watch, &b);
    bool more = r >= 0 && !buf_failed(&b);
    if (more && b.len) {
        s->put_us = real_us();
        more = stream_put(s->to, b.data, b.len);
    }
    if (r < 0)
        put_end(s, "unavailable", "the sandbox has ended");
    buf_done(&b);
    if (more)
        pause_ms(LOOK_MS);
    return more;
}

static bool goes_on(struct e2b_stream *s)
{
    if (!stream_is_read(s->to) || atomic_load(&s->h->stopping))
        return false;
    if (s->sandbox->released || e2b_is_paused(s->h, s->sandbox)) {
        put_end(s, "unavailable", "the sandbox is not running");
        return false;
    }
    if (s->until_us && real_us() >= s->until_us) {
        put_end(s, "deadline_exceeded", "context deadline exceeded");
        return false;
    }
    return true;
}

static void *pump(void *arg)
{
    struct e2b_stream *s = arg;
    while (goes_on(s)) {
        if (stream_waiting(s->to) > MOST_UNREAD) {
            pause_ms(5);
            continue;
        }
        if (!(s->watch ? look_again(s) : ask_again(s)))
            break;
        if (real_us() - s->put_us > ALIVE_US)
            put_frame(s, 0, s->watch ? "{\"keepalive\":{}}" : "{\"event\":{\"keepalive\":{}}}");
    }
    stream_end(s->to);
    atomic_store(&s->done, true);
    return NULL;
}

/* ---- the list ---- */

/* One place is free again. */
static void leave_place(struct hosted *h, struct tenant *t)
{
    pthread_mutex_lock(&h->lock);
    h->n_streams--;
    t->n_streams--;
    pthread_mutex_unlock(&h->lock);
}

static void stream_free(struct e2b_stream *s)
{
    pthread_join(s->thread, NULL);
    leave_place(s->h, s->sandbox->tenant);
    stream_unref(s->to);
    sandbox_give(s->sandbox);
    e2b_watch_free(s->watch);
    free(s);
}

/* Takes out those whose threads are at their end; all: every one. */
static struct e2b_stream *take_streams(struct hosted *h, bool all, size_t *ret_left)
{
    struct e2b_stream *taken = NULL;
    *ret_left = 0;
    pthread_mutex_lock(&h->lock);
    for (struct e2b_stream **at = &h->streams; *at;) {
        struct e2b_stream *s = *at;
        if (!all && !atomic_load(&s->done)) {
            at = &s->next;
            ++*ret_left;
            continue;
        }
        *at = s->next;
        s->next = taken;
        taken = s;
    }
    pthread_mutex_unlock(&h->lock);
    return taken;
}

static void free_streams(struct e2b_stream *list)
{
    while (list) {
        struct e2b_stream *s = list;
        list = s->next;
        stream_free(s);
    }
}

void e2b_streams_close(struct hosted *h)
{
    size_t left;
    atomic_store(&h->stopping, true);
    for (;;) {
        free_streams(take_streams(h, false, &left));
        if (!left)
            return;
        program_stop(h->engine, 0, PROGRAM_ANY_ERA);
        pause_ms(5);
    }
}

/* Before anything is done for one: a place that leave_place() gives back, or the stream's end.
 * False: there are too many. */
static bool take_place(struct hosted_call *c)
{
    struct tenant *t = c->sandbox->tenant;
    size_t left;
    free_streams(take_streams(c->h, false, &left));
    pthread_mutex_lock(&c->h->lock);
    const bool free = c->h->n_streams < MOST_OF_ALL && t->n_streams < MOST_STREAMS;
    c->h->n_streams += free;
    t->n_streams += free;
    pthread_mutex_unlock(&c->h->lock);
    return free;
}

static int too_many(struct hosted_call *c)
{
    return hosted_refuse(c, 429, "At most %d streams can be read at a time", MOST_STREAMS);
}

/* The answer has the stream, which ends. */
static void give_up(struct e2b_stream *s)
{
    put_end(s, "resource_exhausted", "the server can't read more streams now");
    stream_end(s->to);
    stream_unref(s->to);
    leave_place(s->h, s->sandbox->tenant);
    sandbox_give(s->sandbox);
    e2b_watch_free(s->watch);
    free(s);
}

/* The answer begins with what is there, and goes on. Takes the watch and the place. Gives
 * SERVER_ANSWER, or 0 with an answer. */
static int begin_stream(struct hosted_call *c, const struct e2b_stream *begun, const char *text,
                        size_t len)
{
    static const struct stream_owner owner = {.idle = NULL};
    static const struct sosia_header head[] = {{"Content-Type", E2B_STREAM_TYPE},
                                               {"Cache-Control", "no-store"}};
    struct e2b_stream *s = calloc(1, sizeof *s);
    if (s) {
        *s = *begun;
        s->h = c->h;
        s->put_us = real_us();
        s->to = stream_new(&owner, NULL);
    }
    if (s && s->to)
        stream_put(s->to, text, len);
    if (!s || !s->to || !(c->response->answer = answer_stream(s->to, head, SOSIA_LEN(head)))) {
        stream_unref(s ? s->to : NULL);
        e2b_watch_free(begun->watch);
        free(s);
        leave_place(c->h, c->sandbox->tenant);
        sosia_fail_memory(&c->err);
        return hosted_failed(c);
    }
    s->sandbox = sandbox_ref(c->sandbox);
    pthread_mutex_lock(&c->h->lock);
    const bool began = pthread_create(&s->thread, NULL, pump, s) == 0;
    if (began) {
        s->next = c->h->streams;
        c->h->streams = s;
    }
    pthread_mutex_unlock(&c->h->lock);
    if (!began)
        give_up(s);
    return SERVER_ANSWER;
}

/* ---- requests ---- */

static int64_t deadline_of(const struct hosted_call *c)
{
    const char *text = hosted_header(c->request, "Connect-Timeout-Ms");
    int64_t ms;
    return text && parse_i64(text, strlen(text), &ms) == 0 && ms > 0 && ms < INT64_MAX / 2000
               ? real_us() + ms * 1000
               : 0;
}

static int answer_whole(struct hosted_call *c, struct sosia_response *r)
{
    struct buf b;
    buf_init(&b, 0);
    buf_add(&b, r->body, r->body_len);
    server_answer_buf(c->response, r->status, &b);
    c->response->content_type = r->status == 200 ? E2B_STREAM_TYPE : "application/json";
    sosia_response_free(r);
    return 0;
}

int e2b_process_stream(struct hosted_call *c, const char *environment)
{
    const bool starts = strcmp(c->request->path, "/process.Process/Start") == 0;
    struct e2b_stream s = {.until_us = starts ? 0 : deadline_of(c)};
    struct sosia_response *r;
    if (!c->request->on_worker)
        return SERVER_SLOW;
    const char *target =
        starts
            ? arena_printf(&c->arena, E2B_PREFIX "/process.Process/Start?waitMs=%d%s%s", FIRST_MS,
                           environment ? "&environment=" : "", environment ? environment : "")
            : E2B_PREFIX "/process.Process/Connect?waitMs=0";
    if (!take_place(c))
        return too_many(c);
    const int asked =
        call_world(c, c->sandbox, false, target, c->request->body, c->request->body_len,
                   hosted_header(c->request, "Connect-Timeout-Ms"), &r);
    if (asked < 0 || r->status != 200 || !read_progress(&s, r)) {
        leave_place(c->h, c->sandbox->tenant);
        return asked < 0 ? hosted_failed(c) : answer_whole(c, r);
    }
    int rc = begin_stream(c, &s, r->body, r->body_len);
    sosia_response_free(r);
    return rc;
}

int e2b_watch_stream(struct hosted_call *c, struct e2b_watch *watch)
{
    const struct e2b_stream s = {.watch = watch, .until_us = deadline_of(c)};
    struct buf b;
    if (!take_place(c)) {
        e2b_watch_free(watch);
        return too_many(c);
    }
    buf_init(&b, 0);
    frame_add(&b, 0, "{\"start\":{}}", sizeof "{\"start\":{}}" - 1);
    int rc = begin_stream(c, &s, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}
