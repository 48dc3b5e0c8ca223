/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools against the native calls that they are: in process, and over loopback, driven by wrk as in
 * bench-http (one serving thread pinned to the first core, wrk to the second; the figure is the
 * server's CPU time a request). And the list of all tools.
 */
#include "bench/bench.h"
#include "server/server.h"
#include "sosia.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROUNDS  9
#define BATCHES 15

static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;
static uint64_t world;
static char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 8];

/* A call and the tool that is the same. */
struct pair {
    const char *name, *method, *target, *body; /* native; body NULL: none */
    const char *endpoint, *tool, *arguments;
    int n; /* of calls in a batch */
};

static const struct pair pairs[] = {
    {"events.get", "GET", "/calendar/v3/calendars/primary/events/bench00077", NULL, "/mcp/calendar",
     "calendar_events_get", "{\"calendarId\":\"primary\",\"eventId\":\"bench00077\"}", 2000},
    {"events.list of 50", "GET", "/calendar/v3/calendars/primary/events?maxResults=50", NULL,
     "/mcp/calendar", "calendar_events_list", "{\"calendarId\":\"primary\",\"maxResults\":50}",
     300},
    {"messages.list", "GET", "/gmail/v1/users/me/messages", NULL, "/mcp",
     "gmail_users_messages_list", "{\"userId\":\"me\"}", 2000},
};

static char *message_of(const char *method, const char *params)
{
    char *text = malloc(strlen(params) + 128);
    if (!text)
        bench_die("message", "there is no memory");
    sprintf(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method, params);
    return text;
}

static char *call_of(const char *tool, const char *arguments)
{
    char params[512];
    snprintf(params, sizeof params, "{\"name\":\"%s\",\"arguments\":%s}", tool, arguments);
    return message_of("tools/call", params);
}

/* ---- in process ---- */

static size_t call(const char *method, const char *target, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", bearer},
                                           {"Content-Type", "application/json"},
                                           {"Accept", "application/json, text/event-stream"},
                                           {"MCP-Protocol-Version", "2025-11-25"}};
    struct sosia_request req = {.method = method,
                                .target = target,
                                .headers = headers,
                                .n_headers = body ? 4 : 1,
                                .body = body,
                                .body_len = body ? strlen(body) : 0};
    struct sosia_response *res;
    if (sosia_call(engine, world, &req, &res, &err) < 0)
        bench_die(target, err.text);
    if (res->status != 200 || strstr(res->body, "\"isError\":true"))
        bench_die(target, res->body);
    size_t n = res->body_len;
    sosia_response_free(res);
    return n;
}

static double batch(const char *method, const char *target, const char *body, int n)
{
    double t = bench_cpu();
    for (int i = 0; i < n; i++)
        call(method, target, body);
    return (bench_cpu() - t) / n;
}

static void measure_inside(const struct pair *p)
{
    double native[BATCHES], tool[BATCHES];
    char label[96], *message = call_of(p->tool, p->arguments);
    for (int b = 0; b < BATCHES; b++) {
        native[b] = batch(p->method, p->target, p->body, p->n);
        tool[b] = batch("POST", p->endpoint, message, p->n);
    }
    snprintf(label, sizeof label, "tool of %s / the call, in process", p->name);
    bench_report(label, bench_percentile(tool, BATCHES, 0.5), "ns",
                 bench_percentile(native, BATCHES, 0.5), NULL);
    free(message);
}

/* What a batch of hosted tools costs, which make calls of their own. */
static void measure_hosted(const char *tool, const char *arguments, int n, const char *target_us)
{
    double us[BATCHES];
    char label[96], *message = call_of(tool, arguments);
    for (int b = 0; b < BATCHES; b++)
        us[b] = batch("POST", "/mcp?tools=hosted", message, n) / 1000;
    snprintf(label, sizeof label, "%s", tool);
    bench_report(label, bench_percentile(us, BATCHES, 0.5), "us", 0, target_us);
    free(message);
}

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    return n;
}

/* All native tools, and as many as 600 would take at that pace. */
static void measure_list(void)
{
    double us[BATCHES];
    char label[96], *message = message_of("tools/list", "{}");
    const struct sosia_header headers[] = {{"Authorization", bearer},
                                           {"Content-Type", "application/json"}};
    struct sosia_request req = {.method = "POST",
                                .target = "/mcp",
                                .headers = headers,
                                .n_headers = 2,
                                .body = message,
                                .body_len = strlen(message)};
    struct sosia_response *res;
    if (sosia_call(engine, world, &req, &res, &err) < 0)
        bench_die("tools/list", err.text);
    unsigned n = count(res->body, "\"inputSchema\"");
    size_t size = res->body_len;
    sosia_response_free(res);
    for (int b = 0; b < BATCHES; b++)
        us[b] = batch("POST", "/mcp", message, 10) / 1000;
    double p = bench_percentile(us, BATCHES, 0.5);
    snprintf(label, sizeof label, "tools/list, %u tools, %zu KB", n, size >> 10);
    bench_report(label, p, "us", 0, NULL);
    bench_report("tools/list, of 600 tools", p * 600 / n, "us", 0, "<= 2000");
    free(message);
}

/* ---- over loopback ---- */

static double process_cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* A script for wrk; gives its name. */
static const char *script_of(const char *body)
{
    static char name[64];
    snprintf(name, sizeof name, "/tmp/bench-mcp-XXXXXX");
    int fd = mkstemp(name);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        bench_die("script", "there is no file for it");
    fprintf(f,
            "wrk.method = 'POST'\nwrk.body = [[%s]]\n"
            "wrk.headers['Content-Type'] = 'application/json'\n"
            "wrk.headers['Accept'] = 'application/json, text/event-stream'\n"
            "wrk.headers['MCP-Protocol-Version'] = '2025-11-25'\n",
            body);
    fclose(f);
    return name;
}

/* The server's CPU time a request, in microseconds. */
static double run(const char *path, const char *body)
{
    char command[1024], line[256];
    long requests = 0;
    const char *script = body ? script_of(body) : NULL;
    snprintf(command, sizeof command,
             "taskset -c 1 wrk -t1 -c64 -d2s -H 'Authorization: Bearer %s' %s%s "
             "'http://127.0.0.1:%d%s' 2>&1",
             token, script ? "-s " : "", script ? script : "", server_port(server), path);
    double before = process_cpu_us();
    FILE *f = popen(command, "r");
    if (!f)
        bench_die("wrk", "it can't be started");
    while (fgets(line, sizeof line, f)) {
        sscanf(line, " %ld requests in", &requests);
        if (strstr(line, "Non-2xx") || strstr(line, "Socket errors"))
            fprintf(stderr, "%s: %s", path, line);
    }
    pclose(f);
    if (script)
        unlink(script);
    if (!requests)
        bench_die("wrk gave no figures; is it installed?", path);
    return (process_cpu_us() - before) / (double)requests;
}

static void measure_outside(const struct pair *p)
{
    double native[ROUNDS], tool[ROUNDS];
    char label[96], *message = call_of(p->tool, p->arguments);
    for (int i = 0; i < ROUNDS; i++) {
        native[i] = run(p->target, p->body);
        tool[i] = run(p->endpoint, message);
    }
    snprintf(label, sizeof label, "tool of %s / the call, over HTTP", p->name);
    bench_report(label, bench_percentile(tool, ROUNDS, 0.5), "us",
                 bench_percentile(native, ROUNDS, 0.5), "<= 1.3");
    free(message);
}

/* ---- the world ---- */

static void make_world(void)
{
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\","
        "\"organizations\":[{\"domain\":\"bench.example\"}],"
        "\"people\":[{\"email\":\"ada@bench.example\",\"zone\":\"Europe/Rome\"}],"
        "\"mailboxes\":[{\"person\":\"ada@bench.example\",\"messages\":[{\"from\":"
        "\"bob@far.example\",\"to\":\"ada@bench.example\",\"subject\":\"A\",\"text\":\"b\"}]}],"
        "\"workspaces\":[{\"id\":\"T0BENCH\",\"domain\":\"bench\",\"name\":\"Bench\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct sosia_token_options t = {.actor = "ada@bench.example"};
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0 ||
        sosia_token_issue(engine, world, &t, token, sizeof token, &err) < 0)
        bench_die("world", err.text);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    for (int i = 0; i < 300; i++) {
        char body[512];
        snprintf(
            body, sizeof body,
            "{\"id\":\"bench%05d\",\"summary\":\"Meeting number %d\",\"start\":{\"dateTime\":"
            "\"2026-%02d-%02dT10:00:00Z\"},\"end\":{\"dateTime\":\"2026-%02d-%02dT11:00:00Z\"}}",
            i, i, i / 28 % 12 + 1, i % 28 + 1, i / 28 % 12 + 1, i % 28 + 1);
        call("POST", "/calendar/v3/calendars/primary/events", body);
    }
}

int main(int argc, char **argv)
{
    struct server_options so = SERVER_OPTIONS_INIT;
    cpu_set_t first;
    bench_begin(argc, argv);
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    make_world();
    measure_list();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        measure_inside(&pairs[i]);
    measure_hosted("google_calendar_list_events",
                   "{\"min_end_datetime\":\"2026-03-01\",\"max_start_datetime\":\"2026-03-08\"}",
                   300, NULL);
    measure_hosted("gmail_search_emails", "{\"query\":\"in:inbox\"}", 300, NULL);
    so.engine = engine;
    so.threads = 1;
    so.log_level = SERVER_LOG_ERROR;
    if (server_start(&so, &server, &err) < 0)
        bench_die("server", err.text);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        measure_outside(&pairs[i]);
    server_stop(server);
    sosia_engine_close(engine);
    return 0;
}
