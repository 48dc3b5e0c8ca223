/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosted sandboxes over loopback: acquire and release, with a first answer of the sandbox's tools,
 * and with an initialize of ten events and a dump between them; what that takes of the server's
 * processor time, beside a fork and a drop over the control interface. And how long acquire and
 * first answer take where 64 clients ask at a time.
 *     bench-hosted [--json]
 */
#include "bench/bench.h"
#include "bench/bench_client.h"
#include "hosted/hosted.h"
#include "server/control/control.h"
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WARM = 50, CYCLES = 1000, EVENTS = 10, CLIENTS = 64, EACH = 20 };

#define KEY  "bench-control-key-1"
#define PATH "/sandbox/google_calendar"

static struct sosia_err err;
static char payload[8192];

/* The body of a 2xx response, until the next request. */
static const char *ask(int fd, const char *method, const char *path, const char *body)
{
    static _Thread_local char request[16384], answer[1 << 17];
    int n = snprintf(request, sizeof request,
                     "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                     "Accept: application/json, text/event-stream\r\n"
                     "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                     method, path, KEY, strlen(body), body);
    for (ssize_t sent, at = 0; at < n; at += sent)
        if ((sent = send(fd, request + at, (size_t)(n - at), MSG_NOSIGNAL)) <= 0)
            bench_die(path, "could not be sent");
    size_t got = 0, whole = 0, head = 0;
    while (!whole || got < whole) {
        ssize_t r = recv(fd, answer + got, sizeof answer - 1 - got, 0);
        if (r <= 0)
            bench_die(path, "no answer came");
        answer[got += (size_t)r] = 0;
        const char *end = strstr(answer, "\r\n\r\n"), *len = strstr(answer, "Content-Length: ");
        if (end && !whole) {
            head = (size_t)(end + 4 - answer);
            whole = head + (len && len < end ? strtoul(len + 16, NULL, 10) : 0);
        }
    }
    if (answer[9] != '2')
        bench_die(path, answer);
    return answer + head;
}

static void make_payload(void)
{
    size_t n = (size_t)sprintf(payload, "{\"events\":[");
    for (int i = 0; i < EVENTS; i++)
        n += (size_t)sprintf(
            payload + n,
            "%s{\"title\":\"Meeting number %d\",\"startTime\":\"2026-11-%02dT10:00:00-08:00\","
            "\"endTime\":\"2026-11-%02dT11:00:00-08:00\",\"timezone\":\"America/Los_Angeles\","
            "\"description\":\"What there is to say\",\"location\":\"Room %d\","
            "\"attendees\":[{\"email\":\"guest%d@far.example\"}]}",
            i ? "," : "", i, i + 1, i + 1, i, i);
    sprintf(payload + n, "]}");
}

/* What follows "NAME":" in an answer, as long as an id of its kind. */
static void id_in(const char *answer, const char *name, size_t len, char *ret)
{
    const char *at = strstr(answer, name);
    if (!at)
        bench_die("acquire", answer);
    memcpy(ret, at + strlen(name), len);
    ret[len] = 0;
}

static void sandbox(int fd, bool filled)
{
    char id[37], path[128];
    id_in(ask(fd, "POST", PATH, ""), "\"sandbox_id\":\"", 36, id);
    if (filled) {
        snprintf(path, sizeof path, PATH "/%s/initialize", id);
        ask(fd, "POST", path, payload);
        snprintf(path, sizeof path, PATH "/%s/dump", id);
        ask(fd, "GET", path, "");
    }
    snprintf(path, sizeof path, PATH "/%s", id);
    ask(fd, "DELETE", path, "");
}

/* Acquires one and asks its tools; its id is at ret, 37 bytes. */
static void first_answer(int fd, char *ret)
{
    static const char list[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
    char instance[37], path[128];
    const char *answer = ask(fd, "POST", PATH, "");
    id_in(answer, "\"sandbox_id\":\"", 36, ret);
    id_in(answer, "?instance_id=", 36, instance);
    snprintf(path, sizeof path, "/hosted/google_calendar/mcp/?instance_id=%s", instance);
    ask(fd, "POST", path, list);
}

static void release(int fd, const char *id)
{
    char path[128];
    snprintf(path, sizeof path, PATH "/%s", id);
    ask(fd, "DELETE", path, "");
}

static void first(int fd)
{
    char id[37];
    first_answer(fd, id);
    release(fd, id);
}

/* ---- many at a time ---- */

struct client {
    pthread_t thread;
    int port;
    double ms[EACH];
};

static void *client_run(void *arg)
{
    struct client *k = arg;
    int fd = bench_client_dial(k->port);
    for (int i = 0; i < EACH; i++) {
        char id[37];
        const double begun = bench_wall();
        first_answer(fd, id);
        k->ms[i] = (bench_wall() - begun) / 1e6;
        release(fd, id);
    }
    close(fd);
    return NULL;
}

/* The time in which 99 of 100 have their first answer. */
static double many_ms(int port)
{
    static struct client clients[CLIENTS];
    static double all[CLIENTS * EACH];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i].port = port;
        if (pthread_create(&clients[i].thread, NULL, client_run, &clients[i]) != 0)
            bench_die("clients", "there is no thread");
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        memcpy(all + (size_t)i * EACH, clients[i].ms, sizeof clients[i].ms);
    }
    return bench_percentile(all, CLIENTS * EACH, 0.99);
}

static void empty(int fd)
{
    sandbox(fd, false);
}

static void filled(int fd)
{
    sandbox(fd, true);
}

static void fork_and_drop(int fd)
{
    char key[17], path[64];
    id_in(ask(fd, "POST", "/_sosia/v1/worlds/bench/fork", "{\"actors\":[]}"), "\"world\":\"", 16,
          key);
    snprintf(path, sizeof path, "/_sosia/v1/worlds/%s", key);
    ask(fd, "DELETE", path, "");
}

/* Microseconds of processor time that all threads but this one have taken: the server's. */
static double server_cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) - bench_cpu() / 1000;
}

static double measure(int fd, void (*cycle)(int fd))
{
    for (int i = 0; i < WARM; i++)
        cycle(fd);
    double begun = server_cpu_us();
    for (int i = 0; i < CYCLES; i++)
        cycle(fd);
    return (server_cpu_us() - begun) / CYCLES;
}

int main(int argc, char **argv)
{
    const struct hosted_tenant tenant = {.name = "default", .key = KEY};
    const struct sosia_engine_options eo = {.random_secrets = true};
    const struct sosia_world_options wo = {.name = "bench"};
    struct server_options so = SERVER_OPTIONS_INIT;
    struct sosia_engine *engine;
    struct server *server;
    struct control *control;
    struct hosted *hosted;
    uint64_t world;
    bench_begin(argc, argv);
    make_payload();
    if (sosia_engine_open(&eo, &engine, &err) < 0 ||
        sosia_world_create(engine, &wo, &world, &err) < 0)
        bench_die("engine", err.text);
    const struct control_options co = {.engine = engine};
    const struct hosted_options ho = {.engine = engine, .tenants = &tenant, .n_tenants = 1};
    if (control_open(&co, &control, &err) < 0 || hosted_open(&ho, &hosted, &err) < 0)
        bench_die("control", err.text);
    so.engine = engine;
    so.threads = 2;
    so.control = control_serve;
    so.control_arg = control;
    so.control_key = KEY;
    so.beside = hosted_beside(hosted);
    so.log_level = SERVER_LOG_ERROR;
    if (server_start(&so, &server, &err) < 0)
        bench_die("server", err.text);
    int fd = bench_client_dial(server_port(server));
    double forks = measure(fd, fork_and_drop);
    bench_report("sandbox: acquire, release, server CPU; to fork, drop", measure(fd, empty), "us",
                 forks, NULL);
    bench_report("sandbox: acquire, ten events, dump, release", measure(fd, filled), "us", 0,
                 "<= 1000");
    bench_report("sandbox: acquire, first answer, release", measure(fd, first), "us", 0, "<= 150");
    bench_report("sandbox: acquire and first answer, 64 at a time, p99",
                 many_ms(server_port(server)), "ms", 0, "<= 20");
    close(fd);
    server_stop(server);
    control_close(control);
    hosted_close(hosted);
    sosia_engine_close(engine);
    return 0;
}
