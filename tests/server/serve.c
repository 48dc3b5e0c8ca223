/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server to be attacked by the tests of this directory: behind it is not an engine but a backend
 * that answers by path, so that sizes, delays and threads can be chosen by the test.
 *
 *   /echo            what arrived, as JSON
 *   /size/N          N bytes of text
 *   /status/N        an answer with that status
 *   /later/MS        an answer from another thread after so many milliseconds (0: at once)
 *   /hold            an answer when /release is asked for, from another thread, or when the server
 * has stopped /nothing         no answer could be made /fields          an answer with its own
 * Date, Vary, Content-Length /badfield        an answer that can't be put on the wire
 *
 * usage: serve NAME=VALUE...; prints one JSON line when ready; ends by SIGTERM.
 */
#include "engine/base/codec.h"
#include "engine/json/json.h"
#include "tests/server/options.h"
#include "tests/support/hosts.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static _Atomic int outstanding;

/* ---- the backend ---- */

struct reply {
    struct sosia_response response;
    struct sosia_header headers[8];
    char *body;
};

static int reply_free(struct sosia_response *response)
{
    struct reply *r = (struct reply *)response;
    if (r)
        free(r->body);
    free(r);
    return 0;
}

static struct reply *reply_new(int status, const char *type, struct buf *body)
{
    struct reply *r = calloc(1, sizeof *r);
    r->body = buf_take(body, &r->response.body_len);
    r->response.body = r->body;
    r->response.status = status;
    r->response.headers = r->headers;
    r->response.n_headers = 1;
    r->headers[0] = (struct sosia_header){"Content-Type", type};
    return r;
}

static void add(struct reply *r, const char *name, const char *text)
{
    r->headers[r->response.n_headers++] = (struct sosia_header){name, text};
}

static struct reply *echo(const struct sosia_request *q)
{
    struct buf b, body;
    struct json_writer w;
    buf_init(&b, 0);
    buf_init(&body, 0);
    if (q->body_len <= 4096)
        base64_add(&body, q->body, q->body_len);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "method", q->method);
    json_str(&w, "target", q->target);
    json_str(&w, "base_url", q->base_url);
    json_int(&w, "length", (int64_t)q->body_len);
    json_int(&w, "thread", gettid());
    json_int(&w, "crc", (int64_t)crc32(0, (const Bytef *)q->body, (uInt)q->body_len));
    json_str(&w, "body", buf_str(&body));
    json_obj(&w, "headers");
    for (size_t i = 0; i < q->n_headers; i++)
        json_str(&w, q->headers[i].name, q->headers[i].value);
    json_end(&w);
    json_end(&w);
    buf_done(&body);
    return reply_new(200, "application/json; charset=UTF-8", &b);
}

static struct reply *sized(size_t n, const char *type)
{
    struct buf b;
    buf_init(&b, 0);
    if (buf_grow(&b, n)) {
        for (size_t i = 0; i < n; i++)
            b.data[i] = (char)('a' + i % 23);
        b.len = n;
    }
    return reply_new(200, type, &b);
}

struct later {
    void (*done)(void *arg, struct sosia_response *response);
    void *arg;
    struct reply *reply;
    long ms;
    struct later *next;
};

static void *answer_later(void *arg)
{
    struct later *l = arg;
    nanosleep(&(struct timespec){l->ms / 1000, l->ms % 1000 * 1000000}, NULL);
    l->done(l->arg, &l->reply->response);
    free(l);
    atomic_fetch_sub(&outstanding, 1);
    return NULL;
}

static void later(long ms, struct reply *reply, void (*done)(void *, struct sosia_response *),
                  void *arg)
{
    pthread_t t;
    struct later *l = malloc(sizeof *l);
    *l = (struct later){done, arg, reply, ms, NULL};
    atomic_fetch_add(&outstanding, 1);
    if (pthread_create(&t, NULL, answer_later, l) == 0)
        pthread_detach(t);
    else
        answer_later(l);
}

static struct later *held;
static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;

static void hold(struct reply *reply, void (*done)(void *, struct sosia_response *), void *arg)
{
    struct later *l = malloc(sizeof *l);
    pthread_mutex_lock(&held_lock);
    *l = (struct later){.done = done, .arg = arg, .reply = reply, .next = held};
    held = l;
    pthread_mutex_unlock(&held_lock);
}

static void release(void)
{
    pthread_mutex_lock(&held_lock);
    struct later *l = held;
    held = NULL;
    pthread_mutex_unlock(&held_lock);
    while (l) {
        struct later *next = l->next;
        later(0, l->reply, l->done, l->arg);
        free(l);
        l = next;
    }
}

static struct reply *with_fields(void)
{
    struct reply *r = sized(3000, "application/json");
    add(r, "Date", "Thu, 01 Jan 2026 00:00:00 GMT");
    add(r, "Vary", "X-Origin, Referer");
    add(r, "Content-Length", "7");
    add(r, "Empty", "");
    add(r, "ETag", "\"1\"");
    return r;
}

static void call(void *arg, const struct sosia_request *q,
                 void (*done)(void *done_arg, struct sosia_response *response), void *done_arg)
{
    const char *t = q->target;
    struct reply *r = NULL;
    if (str_starts(t, "/later/")) {
        later(atol(t + 7), echo(q), done, done_arg);
        return;
    }
    if (str_starts(t, "/hold")) {
        hold(echo(q), done, done_arg);
        return;
    }
    if (str_starts(t, "/release"))
        release();
    if (str_starts(t, "/size/"))
        r = sized((size_t)atol(t + 6), strstr(t, "?png") ? "image/png" : "text/plain");
    else if (str_starts(t, "/status/"))
        r = sized(10, "text/plain"), r->response.status = atoi(t + 8);
    else if (str_starts(t, "/fields"))
        r = with_fields();
    else if (str_starts(t, "/badfield"))
        r = sized(10, "text/plain"), add(r, "X", "a\r\nSet-Cookie: b");
    else if (!str_starts(t, "/nothing"))
        r = echo(q);
    done(done_arg, r ? &r->response : NULL);
}

/* ---- the control function ---- */

struct waiter {
    sem_t sem;
    struct buf *out;
};

static void hook_done(void *arg, const struct webhook_result *result)
{
    struct waiter *x = arg;
    struct json_writer w;
    json_init(&w, x->out, false, NULL);
    json_obj(&w, NULL);
    json_int(&w, "status", result->status);
    json_str(&w, "error", result->error);
    json_str(&w, "body", result->body);
    json_int(&w, "length", (int64_t)result->body_len);
    json_end(&w);
    sem_post(&x->sem);
}

/* The decoded value of a query parameter; NULL: there is none. */
static const char *query_item(const struct server_request *q, const char *name)
{
    size_t key = strlen(name), len;
    for (const char *at = q->query; *at; at += *at == '&') {
        size_t n = strcspn(at, "&");
        char *text = server_alloc(q, n + 1);
        if (n > key && at[key] == '=' && strncmp(at, name, key) == 0) {
            struct arena a;
            char *value;
            arena_init(&a, 0);
            bool good = percent_decode(&a, at + key + 1, n - key - 1, true, &value, &len) == 0;
            if (good)
                memcpy(text, value, len + 1);
            arena_done(&a);
            return good ? text : NULL;
        }
        at += n;
    }
    return NULL;
}

static int hook(const struct server_request *q, struct server_response *response)
{
    struct waiter x;
    struct buf out;
    struct sosia_err err = {0};
    const struct sosia_header headers[] = {{"Content-Type", "application/json"}, {"X-Sign", "abc"}};
    const char *timeout = query_item(q, "timeout"), *world = query_item(q, "world"),
               *redirects = query_item(q, "redirects");
    bool waits = !query_item(q, "nowait");
    if (!q->on_worker)
        return SERVER_SLOW;
    const struct webhook_request request = {.world = world ? strtoull(world, NULL, 10) : 0,
                                            .redirects = redirects ? atoi(redirects) : 0,
                                            .url = q->body,
                                            .headers = headers,
                                            .n_headers = 2,
                                            .body = "{\"event\":1}",
                                            .body_len = 11,
                                            .timeout_ms = timeout ? (unsigned)atoi(timeout) : 0,
                                            .done = waits ? hook_done : NULL,
                                            .arg = &x};
    buf_init(&out, 0);
    sem_init(&x.sem, 0, 0);
    x.out = &out;
    if (server_webhook(q->server, &request, &err) < 0) {
        server_answer_err(response, &err);
    } else {
        if (waits)
            sem_wait(&x.sem);
        else
            buf_puts(&out, "{}");
        server_answer_buf(response, 200, &out);
    }
    sem_destroy(&x.sem);
    return 0;
}

static void metrics(struct server *server, struct server_response *response)
{
    struct server_metrics *m = malloc(sizeof *m);
    struct buf b;
    struct json_writer w;
    server_metrics(server, m);
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_int(&w, "requests", (int64_t)m->requests);
    json_int(&w, "control_requests", (int64_t)m->control_requests);
    json_int(&w, "bytes_in", (int64_t)m->bytes_in);
    json_int(&w, "bytes_out", (int64_t)m->bytes_out);
    json_int(&w, "connections", (int64_t)m->connections);
    json_int(&w, "open_connections", (int64_t)m->open_connections);
    json_int(&w, "body_bytes", (int64_t)m->body_bytes);
    json_int(&w, "timeouts", (int64_t)m->timeouts);
    json_obj(&w, "status");
    for (int i = 0; i < 600; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        if (m->status[i])
            json_int(&w, name, (int64_t)m->status[i]);
    }
    json_end(&w);
    json_arr(&w, "latency");
    for (int i = 0; i < SERVER_LATENCY_BUCKETS; i++)
        json_int(&w, NULL, (int64_t)m->latency[i]);
    json_end(&w);
    json_end(&w);
    free(m);
    server_answer_buf(response, 200, &b);
}

static int control(void *arg, const struct server_request *q, struct server_response *response)
{
    struct buf b;
    buf_init(&b, 0);
    if (strcmp(q->path, "/_sosia/v1/webhook") == 0)
        return hook(q, response);
    if (strcmp(q->path, "/_sosia/v1/metrics") == 0) {
        metrics(q->server, response);
        return 0;
    }
    if (strcmp(q->path, "/_sosia/v1/fail") == 0)
        return -1;
    if (strcmp(q->path, "/_sosia/v1/slow") == 0) {
        if (!q->on_worker)
            return SERVER_SLOW;
        const char *ms = query_item(q, "ms");
        long n = ms ? atol(ms) : 100;
        nanosleep(&(struct timespec){n / 1000, n % 1000 * 1000000}, NULL);
    }
    if (strcmp(q->path, "/_sosia/v1/missing") == 0) {
        server_answer_error(response, 404, "notFound", "no %s here: \xff\"", "such thing");
        return 0;
    }
    if (strcmp(q->path, "/_sosia/v1/empty") == 0)
        return 0;
    const char *x = query_item(q, "x");
    struct json_writer w;
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "path", q->path);
    json_str(&w, "query", q->query);
    json_str(&w, "x", x);
    json_int(&w, "length", (int64_t)q->body_len);
    json_bool(&w, "on_worker", q->on_worker);
    json_end(&w);
    char *copy = server_alloc(q, 8);
    strcpy(copy, "yes");
    response->headers[response->n_headers++] = (struct sosia_header){"X-Control", copy};
    server_answer_buf(response, 200, &b);
    return 0;
}

/* ---- options ---- */

static const char *hosts[9], *hook_hosts[9];
static int denied[2];

static void push(const char **list, const char *text)
{
    while (*list)
        list++;
    *list = text;
}

static bool own_option(void *arg, const char *name, const char *text)
{
    struct server_options *o = arg;
    if (strcmp(name, "host") == 0)
        push(hosts, text);
    else if (strcmp(name, "webhook_host") == 0)
        push(hook_hosts, text);
    else if (strcmp(name, "webhook_deny") == 0)
        denied[0] = atoi(text);
    else if (strcmp(name, "debug") == 0)
        o->log_level = SERVER_LOG_DEBUG;
    else if (strcmp(name, "no_backend") == 0)
        o->backend = NULL;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    const struct server_backend backend = {.call = call, .free_response = reply_free};
    struct server_options o = SERVER_OPTIONS_INIT;
    struct server *server;
    struct sosia_err err = {0};
    o.backend = &backend;
    o.control = control;
    o.vendor_hosts = test_hosts;
    o.hosts = hosts;
    o.webhook_denied = denied;
    options_read(argc, argv, &o, own_option, &o);
    o.webhook_hosts = hook_hosts[0] ? hook_hosts : NULL;
    if (server_start(&o, &server, &err) < 0) {
        printf("{\"error\":\"%s\",\"reason\":\"%s\"}\n", err.text, err.reason ? err.reason : "");
        return 1;
    }
    server_catch_signals(server);
    printf("{\"port\":%d,\"https_port\":%d,\"url\":\"%s\",\"key\":\"%s\"}\n", server_port(server),
           server_https_port(server), server_url(server), server_control_key(server));
    fflush(stdout);
    server_run_until_signal(server);
    release();
    while (atomic_load(&outstanding)) /* answers that come when the server is gone */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return 0;
}
