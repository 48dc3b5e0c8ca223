/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server with one service, whose answers go on, for tests/server/test_streams.py: GET /feed is a
 * stream of everything that is posted there; DELETE ends all streams. The arguments are NAME=VALUE;
 * one JSON line says where it is.
 */
#include "engine/http/call.h"
#include "engine/http/stream.h"
#include "engine/service.h"
#include "tests/server/options.h"
#include <pthread.h>

#define MAX_STREAMS 4000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sosia_stream *streams[MAX_STREAMS];
static size_t n_streams;

static void gone(void *arg, struct sosia_stream *s)
{
    struct sosia_stream *held = NULL;
    (void)arg;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_streams && !held; i++) {
        if (streams[i] == s) {
            held = s;
            streams[i] = streams[--n_streams];
        }
    }
    pthread_mutex_unlock(&lock);
    stream_unref(held);
}

static const struct stream_owner owner = {.idle = ":\n\n", .gone = gone};

static int follow(struct call *c)
{
    struct sosia_stream *s = stream_new(&owner, NULL);
    if (!s)
        return call_fail(c, SOSIA_E_NO_MEMORY, NULL, NULL, "no memory");
    pthread_mutex_lock(&lock);
    bool full = n_streams == MAX_STREAMS;
    if (!full)
        streams[n_streams++] = s;
    pthread_mutex_unlock(&lock);
    if (full) {
        stream_unref(s);
        stream_close(s);
        return call_fail(c, SOSIA_E_LIMIT, NULL, NULL, "too many streams");
    }
    stream_put(s, "hello\n", 6);
    call_header_const(c, "Content-Type", "text/event-stream");
    call_stream(c, s);
    return 0;
}

static int put(struct call *c)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_streams; i++)
        stream_put(streams[i], c->request->body, c->request->body_len);
    buf_printf(c->body_out, "%zu", n_streams);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int end_all(struct call *c)
{
    pthread_mutex_lock(&lock);
    while (n_streams) {
        stream_end(streams[--n_streams]);
        stream_unref(streams[n_streams]);
    }
    pthread_mutex_unlock(&lock);
    c->status = 204;
    return 0;
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
}

static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "feed", .front = &front};
static const struct route methods[] = {
    {.id = "feed.follow",
     .verbs = GET,
     .paths = PATHS("/feed"),
     .handler = follow,
     .risk = RISK_READ,
     .anonymous = true},
    {.id = "feed.put",
     .verbs = POST,
     .paths = PATHS("/feed"),
     .handler = put,
     .risk = RISK_READ,
     .anonymous = true,
     .body = BODY_RAW},
    {.id = "feed.end",
     .verbs = DELETE,
     .paths = PATHS("/feed"),
     .handler = end_all,
     .risk = RISK_READ,
     .anonymous = true},
};
static const struct rows rows = ROWS(methods);
static const struct dialect dialect = {.name = "feed", .vendor = &vendor, .tables = TABLES(&rows)};
static const struct sosia_service feed = {
    .name = "feed", .dialects = (const struct dialect *const[]){&dialect, NULL}};

int main(int argc, char **argv)
{
    static const struct sosia_service *const services[] = {&feed, NULL};
    struct server_options o = SERVER_OPTIONS_INIT;
    const struct sosia_world_options world_options = {.name = "feed"};
    struct sosia_err err = {0};
    struct sosia_engine *engine;
    struct server *server;
    uint64_t world;
    options_read(argc, argv, &o, NULL, NULL);
    if (engine_open(NULL, services, &engine, &err) < 0 ||
        sosia_world_create(engine, &world_options, &world, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    sosia_engine_default_world(engine, world);
    o.engine = engine;
    if (server_start(&o, &server, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    server_catch_signals(server);
    printf("{\"port\":%d,\"key\":\"%s\"}\n", server_port(server), server_control_key(server));
    fflush(stdout);
    server_run_until_signal(server);
    sosia_engine_close(engine);
    return 0;
}
