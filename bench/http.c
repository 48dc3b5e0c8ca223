/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server over loopback, driven by wrk: one serving thread pinned to the first core, wrk to the
 * second. The robust figure is the server's CPU time a request; the baseline is the same server's
 * hello with the same headers and body size. With one core for both, only that figure means
 * something.
 */
#include "bench/bench.h"
#include "bench/bench_client.h"
#include "server/server.h"
#include "sosia.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROUNDS 5

static struct server *server;
static struct sosia_engine *engine;
static struct sosia_err err;

static double process_cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* wrk: the command, with options of its own. */
static void run_wrk(const char *path, const char *token, unsigned connections, const char *wrk,
                    double *ret_rate, double *ret_cpu)
{
    char command[1024], line[256];
    double rate = 0;
    long requests = 0;
    snprintf(command, sizeof command, "%s -t1 -c%u -d2s %s%s%s 'http://127.0.0.1:%d%s' 2>&1", wrk,
             connections, token ? "-H 'Authorization: Bearer " : "", token ? token : "",
             token ? "'" : "", server_port(server), path);
    double before = process_cpu_us();
    FILE *f = popen(command, "r");
    if (!f)
        bench_die("wrk", err.text);
    while (fgets(line, sizeof line, f)) {
        sscanf(line, " %ld requests in", &requests);
        sscanf(line, "Requests/sec: %lf", &rate);
        if (strstr(line, "Non-2xx") || strstr(line, "Socket errors"))
            fprintf(stderr, "%s: %s", path, line);
    }
    pclose(f);
    if (!requests)
        bench_die("wrk gave no figures; is it installed?", err.text);
    *ret_rate = rate;
    *ret_cpu = (process_cpu_us() - before) / (double)requests;
}

/* One run of wrk: requests a second, and the server's CPU time a request in microseconds. */
static void run(const char *path, const char *token, double *ret_rate, double *ret_cpu)
{
    run_wrk(path, token, 64, "taskset -c 1 wrk", ret_rate, ret_cpu);
}

/* Hello and the path in turns; medians. */
static void measure(const char *name, const char *path, const char *token, size_t size,
                    const char *ratio_target, const char *cpu_target)
{
    double rate[ROUNDS], cpu[ROUNDS], hello_rate[ROUNDS], hello_cpu[ROUNDS];
    char hello[64], label[96];
    snprintf(hello, sizeof hello, "/_sosia/hello?size=%zu", size);
    for (int i = 0; i < ROUNDS; i++) {
        run(hello, NULL, &hello_rate[i], &hello_cpu[i]);
        run(path, token, &rate[i], &cpu[i]);
    }
    double base_cpu = bench_percentile(hello_cpu, ROUNDS, 0.5),
           p = bench_percentile(cpu, ROUNDS, 0.5);
    snprintf(label, sizeof label, "%s, requests/s", name);
    bench_report(label, bench_percentile(rate, ROUNDS, 0.5), "1/s",
                 bench_percentile(hello_rate, ROUNDS, 0.5), NULL);
    snprintf(label, sizeof label, "%s, speed by server CPU / hello", name);
    /* Requests a CPU second of both, so that the ratio is a speed like the target's. */
    bench_report(label, 1e6 / p, "1/s", 1e6 / base_cpu, ratio_target);
    if (cpu_target) {
        snprintf(label, sizeof label, "%s, server CPU", name);
        bench_report(label, p, "us", 0, cpu_target);
    }
}

/* ---- a hot world ---- */

/* Everybody in one world, with a serving thread a core: 8 connections beside 2, in turns. */
static void measure_hot(const char *name, const char *path, const char *token, const char *wrk)
{
    double rate[ROUNDS], cpu[ROUNDS], rate2[ROUNDS], cpu2[ROUNDS];
    char label[96];
    for (int i = 0; i < ROUNDS; i++) {
        run_wrk(path, token, 2, wrk, &rate2[i], &cpu2[i]);
        run_wrk(path, token, 8, wrk, &rate[i], &cpu[i]);
    }
    snprintf(label, sizeof label, "%s, one world, 8 connections, requests/s", name);
    bench_report(label, bench_percentile(rate, ROUNDS, 0.5), "1/s",
                 bench_percentile(rate2, ROUNDS, 0.5), ">= 1");
    snprintf(label, sizeof label, "%s, one world, 8 connections, server CPU", name);
    bench_report(label, bench_percentile(cpu, ROUNDS, 0.5), "us", 0, "<= 40");
}

static void measure_hot_world(const char *token)
{
    static const char post[] =
        "wrk.method='POST' wrk.headers['Content-Type']='application/json' wrk.body='{\"start\":"
        "{\"dateTime\":\"2026-11-24T10:00:00Z\"},\"end\":{\"dateTime\":\"2026-11-24T11:00:00Z\"}}'";
    char script[] = "/tmp/sosia-bench-XXXXXX", wrk[64];
    int fd = mkstemp(script);
    if (fd < 0 || write(fd, post, sizeof post - 1) != (ssize_t)(sizeof post - 1))
        bench_die("script of wrk", script);
    close(fd);
    snprintf(wrk, sizeof wrk, "wrk -s %s", script);
    measure_hot("HTTP events.insert", "/calendar/v3/calendars/primary/events", token, wrk);
    unlink(script);
    measure_hot("HTTP messages.list", "/gmail/v1/users/me/messages?q=from:ada", token, "wrk");
}

/* ---- bystanders ---- */

#define LETTER      (30u << 20)
#define MAX_ANSWERS 100000

static void send_all(int fd, const char *data, size_t n)
{
    for (ssize_t sent; n; data += sent, n -= (size_t)sent)
        if ((sent = send(fd, data, n, MSG_NOSIGNAL)) <= 0)
            bench_die("send", err.text);
}

/* Sends, and reads a response of less than 64 KiB, whose head has its length. */
static void ask(int fd, const char *request, size_t n)
{
    char answer[65536];
    size_t got = 0, whole = 0;
    send_all(fd, request, n);
    while (!whole || got < whole) {
        ssize_t r = recv(fd, answer + got, sizeof answer - 1 - got, 0);
        if (r <= 0)
            bench_die("recv", err.text);
        answer[got += (size_t)r] = 0;
        const char *end = strstr(answer, "\r\n\r\n"), *len = strstr(answer, "Content-Length: ");
        if (end && len)
            whole = (size_t)(end + 4 - answer) + strtoul(len + 16, NULL, 10);
    }
    if (strncmp(answer + 9, "200", 3) != 0)
        bench_die("answer", answer);
}

struct letter {
    const char *token;
    _Atomic bool done;
};

/* Words by the million, each once, which the index has to take in. */
static void *send_letter(void *arg)
{
    struct letter *l = arg;
    char *text = malloc(LETTER + 1024), head[1024];
    size_t n = (size_t)sprintf(text, "From: ada@bench.example\r\nTo: ada@bench.example\r\nSubject: "
                                     "all\r\nContent-Type: text/plain\r\n\r\n");
    for (unsigned i = 0; n < LETTER; i++)
        n += (size_t)sprintf(text + n, i % 10 ? "%x " : "%x\r\n", i * 2654435761u);
    int fd = bench_client_dial(server_port(server));
    int len = snprintf(head, sizeof head,
                       "POST /upload/gmail/v1/users/me/messages/send?uploadType=media HTTP/1.1\r\n"
                       "Host: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: "
                       "message/rfc822\r\nContent-Length: %zu\r\n\r\n",
                       l->token, n);
    send_all(fd, head, (size_t)len);
    ask(fd, text, n);
    close(fd);
    free(text);
    atomic_store(&l->done, true);
    return NULL;
}

/* Calls of another person, one after the other, while a large letter is taken in. */
static void measure_bystander(const char *token, const char *letter_token)
{
    static double us[MAX_ANSWERS];
    struct letter l = {.token = letter_token};
    pthread_t t;
    char request[1024];
    size_t n = 0;
    int fd = bench_client_dial(server_port(server));
    int len = snprintf(request, sizeof request,
                       "GET /calendar/v3/calendars/primary/events/bench00077 HTTP/1.1\r\nHost: "
                       "localhost\r\nAuthorization: Bearer %s\r\n\r\n",
                       token);
    if (pthread_create(&t, NULL, send_letter, &l) != 0)
        bench_die("thread", err.text);
    while (!atomic_load(&l.done) && n < MAX_ANSWERS) {
        double before = bench_wall() / 1000;
        ask(fd, request, (size_t)len);
        us[n++] = bench_wall() / 1000 - before;
        usleep(1000);
    }
    pthread_join(t, NULL);
    close(fd);
    bench_report("HTTP events.get beside a letter of 30 MB, p99", bench_percentile(us, n, 0.99),
                 "us", 0, "<= 20000");
}

static size_t size_of(uint64_t world, const char *target, const char *token)
{
    char bearer[600];
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header h = {"Authorization", bearer};
    struct sosia_request req = {.method = "GET", .target = target, .headers = &h, .n_headers = 1};
    struct sosia_response *res;
    if (sosia_call(engine, world, &req, &res, &err) < 0 || res->status != 200)
        bench_die(target, err.text);
    size_t n = res->body_len;
    sosia_response_free(res);
    return n;
}

static void add_events(uint64_t world, const char *token, int n)
{
    char body[512], bearer[600];
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header h[] = {{"Authorization", bearer}, {"Content-Type", "application/json"}};
    for (int i = 0; i < n; i++) {
        snprintf(
            body, sizeof body,
            "{\"id\":\"bench%05d\",\"summary\":\"Meeting number %d\",\"start\":{\"dateTime\":"
            "\"2026-%02d-%02dT10:00:00Z\"},\"end\":{\"dateTime\":\"2026-%02d-%02dT11:00:00Z\"}}",
            i, i, i / 28 % 12 + 1, i % 28 + 1, i / 28 % 12 + 1, i % 28 + 1);
        struct sosia_request req = {.method = "POST",
                                    .target = "/calendar/v3/calendars/primary/events",
                                    .headers = h,
                                    .n_headers = 2,
                                    .body = body,
                                    .body_len = strlen(body)};
        struct sosia_response *res;
        if (sosia_call(engine, world, &req, &res, &err) < 0 || res->status != 200)
            bench_die("insert", err.text);
        sosia_response_free(res);
    }
}

int main(int argc, char **argv)
{
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\","
        "\"people\":[{\"email\":\"ada@bench.example\",\"zone\":\"Europe/Rome\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct server_options so = SERVER_OPTIONS_INIT;
    char token[SOSIA_TOKEN_MAX];
    uint64_t world;
    cpu_set_t first;
    bench_begin(argc, argv);
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("engine", err.text);
    struct sosia_token_options t = {.actor = "ada@bench.example"};
    if (sosia_token_issue(engine, world, &t, token, sizeof token, &err) < 0)
        bench_die("token", err.text);
    add_events(world, token, 300);
    so.engine = engine;
    so.hello = true;
    so.threads = 1;
    so.log_level = SERVER_LOG_ERROR;
    if (server_start(&so, &server, &err) < 0)
        bench_die("server", err.text);
    const char *get = "/calendar/v3/calendars/primary/events/bench00077";
    const char *list = "/calendar/v3/calendars/primary/events?maxResults=50";
    measure("HTTP events.get", get, token, size_of(world, get, token), ">= 0.7", NULL);
    measure("HTTP events.list of 50", list, token, size_of(world, list, token), NULL, "<= 100");
    uint64_t other;
    char other_token[SOSIA_TOKEN_MAX];
    if (sosia_world_create(engine, &opt, &other, &err) < 0 ||
        sosia_token_issue(engine, other, &t, other_token, sizeof other_token, &err) < 0)
        bench_die("world", err.text);
    measure_bystander(token, other_token);
    server_stop(server);
    CPU_ZERO(&first);
    for (int i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
        CPU_SET(i, &first);
    sched_setaffinity(0, sizeof first, &first);
    so.threads = 0;
    so.world = other;
    if (server_start(&so, &server, &err) < 0)
        bench_die("server", err.text);
    measure_hot_world(other_token);
    server_stop(server);
    sosia_engine_close(engine);
    return 0;
}
