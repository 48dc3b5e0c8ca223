/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools against the native calls that they are: in process, and over loopback: one serving thread
 * pinned to the first core, a client in a process of its own to the second; the figure is the
 * server's CPU time a request. And the list of all tools.
 */
#include "bench/bench.h"
#include "bench/bench_client.h"
#include "server/server.h"
#include "sosia.h"
#include <sched.h>
#include <sys/resource.h>

#define TURNS   31
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
                                .target = "/mcp?tools=native",
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
        us[b] = batch("POST", "/mcp?tools=native", message, 10) / 1000;
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

/* A request as the client sends it. */
struct wire {
    char text[2048];
    int len;
};

static void write_wire(struct wire *w, const char *method, const char *target, const char *body)
{
    w->len = snprintf(w->text, sizeof w->text,
                      "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: %s\r\n", method,
                      target, server_port(server), bearer);
    if (body)
        w->len += snprintf(w->text + w->len, sizeof w->text - (size_t)w->len,
                           "Content-Type: application/json\r\nAccept: application/json, "
                           "text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
                           "Content-Length: %zu\r\n",
                           strlen(body));
    w->len +=
        snprintf(w->text + w->len, sizeof w->text - (size_t)w->len, "\r\n%s", body ? body : "");
    if ((size_t)w->len >= sizeof w->text)
        bench_die(target, "the request is too long");
}

static void turn(const struct bench_client *c, const struct wire *w, int n, double *ret_us)
{
    double before = process_cpu_us();
    bench_client_run(c, w->text, (size_t)w->len, n);
    *ret_us = (process_cpu_us() - before) / n;
}

/* The call and its tool in short turns, so that what else the machine does meets both alike; the
 * ratio is the median of the turns'. */
static void measure_outside(const struct bench_client *c, const struct pair *p)
{
    double native[TURNS], tool[TURNS], ratio[TURNS], warm;
    char label[96], *message = call_of(p->tool, p->arguments);
    struct wire w_native, w_tool;
    write_wire(&w_native, p->method, p->target, p->body);
    write_wire(&w_tool, "POST", p->endpoint, message);
    free(message);
    turn(c, &w_native, p->n, &warm);
    turn(c, &w_tool, p->n, &warm);
    for (int i = 0; i < TURNS; i++) {
        bool tool_first = i % 2;
        turn(c, tool_first ? &w_tool : &w_native, p->n, tool_first ? &tool[i] : &native[i]);
        turn(c, tool_first ? &w_native : &w_tool, p->n, tool_first ? &native[i] : &tool[i]);
        ratio[i] = tool[i] / native[i];
    }
    snprintf(label, sizeof label, "tool of %s, over HTTP", p->name);
    bench_report(label, bench_percentile(tool, TURNS, 0.5), "us",
                 bench_percentile(native, TURNS, 0.5), NULL);
    snprintf(label, sizeof label, "the same, the middle of %d turns", TURNS);
    bench_report(label, bench_percentile(ratio, TURNS, 0.5), "times", 0, "<= 1.3");
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
    struct bench_client client = bench_client_start(1);
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
    bench_client_connect(&client, server_port(server));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        measure_outside(&client, &pairs[i]);
    bench_client_end(&client);
    server_stop(server);
    sosia_engine_close(engine);
    return 0;
}
