/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What training and audits do over and over: fork, calls, diff, grade, drop, in process and over
 * loopback, beside the calls alone; a thousand forks in a request; a large world's diff; calls to
 * 16,384 worlds in turns, beside as many calls to 64 of them; replay; the explorer; the pages of a
 * journal of a million calls. Journals have writes alone but for the last.
 *     bench-cycle [--json] [cycle | large | http | batch | live | replay | explore | journal ...]
 */
#include "bench/bench_call.h"
#include "bench/bench_client.h"
#include "server/control/control.h"
#include "server/server.h"
#include <sys/resource.h>
#include <unistd.h>

enum {
    SMALL = 100,
    LARGE = 40000, /* events of 8 KB */
    WARM = 8,
    CYCLES = 401,
    HTTP_CYCLES = 201,
    GROUP = 64, /* worlds that are graded in one request */
    GROUPS = 11,
    BATCH = 1000,
    BATCHES = 21,
    LIVE = 16384,
    FEW = 64,
    REPLAYED = 2000,
    ENTRIES = 1000000,
    PAGES = 21
};

#define EVENTS_PATH "/calendar/v3/calendars/primary/events"
#define KEY         "bench-control-key-1"
#define TOKEN       "bench-token-1"

static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;
static double times[LIVE];

static void call(uint64_t world, const char *method, const char *target, const char *body)
{
    sosia_response_free(bench_call(engine, world, "Bearer " TOKEN, method, target, body));
}

static void insert(uint64_t world, int i, size_t description)
{
    static char body[16384];
    snprintf(body, sizeof body,
             "{\"id\":\"bench%06d\",\"summary\":\"Meeting number %d\",\"description\":\"%0*d\","
             "\"start\":{\"dateTime\":\"2026-%02d-%02dT10:00:00Z\"},"
             "\"end\":{\"dateTime\":\"2026-%02d-%02dT11:00:00Z\"}}",
             i, i, (int)description, i, i / 28 % 12 + 1, i % 28 + 1, i / 28 % 12 + 1, i % 28 + 1);
    call(world, "POST", EVENTS_PATH, body);
}

static uint64_t make_world(int events, size_t description)
{
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\","
        "\"people\":[{\"email\":\"ada@bench.example\",\"zone\":\"Europe/Rome\"}],"
        "\"tokens\":[{\"token\":\"" TOKEN "\",\"actor\":\"ada@bench.example\"}]}";
    struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = sizeof doc - 1, .journal = SOSIA_JOURNAL_NONE};
    uint64_t world, snapshot;
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    for (int i = 0; i < events; i++)
        insert(world, i, description);
    if (sosia_world_journal_mode(engine, world, SOSIA_JOURNAL_WRITES, &err) < 0 ||
        sosia_world_snapshot(engine, world, NULL, &snapshot, &err) < 0 ||
        sosia_world_drop(engine, world, &err) < 0)
        bench_die("snapshot", err.text);
    return snapshot;
}

static uint64_t fork_of(uint64_t world)
{
    uint64_t f;
    if (sosia_world_fork(engine, world, NULL, &f, &err) < 0)
        bench_die("fork", err.text);
    return f;
}

/* ---- the cycle ---- */

static const struct {
    const char *method, *path, *body;
} episode_calls[] = {
    {"GET", EVENTS_PATH "/bench000001", ""},
    {"GET", EVENTS_PATH "/bench000020", ""},
    {"GET", EVENTS_PATH "/bench000030", ""},
    {"POST", EVENTS_PATH,
     "{\"id\":\"nevent0001\",\"summary\":\"New\",\"start\":{\"dateTime\":\"2026-11-23T10:00:00Z\"},"
     "\"end\":{\"dateTime\":\"2026-11-23T11:00:00Z\"}}"},
    {"PATCH", EVENTS_PATH "/bench000001", "{\"summary\":\"Renamed\"}"},
};
enum { CALLS = sizeof episode_calls / sizeof episode_calls[0] };

static const char suite_text[] =
    "{\"version\":\"1\",\"assertions\":["
    "{\"diff_type\":\"added\",\"entity\":\"event\",\"where\":{\"id\":\"nevent0001\",\"summary\":"
    "{\"same_text\":\"new\"},\"start\":{\"same_time\":\"2026-11-23T10:00Z\"}}},"
    "{\"diff_type\":\"changed\",\"entity\":\"event\",\"where\":{\"id\":\"bench000001\"},"
    "\"expected_changes\":{\"summary\":{\"to\":\"Renamed\"}}}]}";

static void make_calls(uint64_t world)
{
    for (int i = 0; i < CALLS; i++)
        call(world, episode_calls[i].method, episode_calls[i].path,
             episode_calls[i].body[0] ? episode_calls[i].body : NULL);
}

/* By themselves, so that callgrind counts them alone (--toggle-collect=episode, or =cycle), without
 * the first ones. */
__attribute__((noinline)) static void episode(uint64_t world)
{
    make_calls(world);
}

/* Gives the microseconds of the calls. */
static inline double go(uint64_t from, const struct sosia_suite *suite, void (*do_calls)(uint64_t))
{
    uint64_t f = fork_of(from);
    double begun = bench_cpu();
    do_calls(f);
    double calls = (bench_cpu() - begun) / 1000;
    bench_grade(engine, suite, f);
    sosia_world_drop(engine, f, &err);
    return calls;
}

__attribute__((noinline)) static double cycle(uint64_t from, const struct sosia_suite *suite)
{
    return go(from, suite, episode);
}

static void measure_cycle(uint64_t from, const struct sosia_suite *suite)
{
    double calls[CYCLES], all[CYCLES];
    for (int i = 0; i < WARM; i++)
        go(from, suite, make_calls);
    for (int i = 0; i < CYCLES; i++) {
        double start = bench_cpu();
        calls[i] = cycle(from, suite);
        all[i] = (bench_cpu() - start) / 1000;
    }
    double p = bench_percentile(all, CYCLES, 0.5);
    bench_report("fork, five calls, diff, grade, drop", p, "us",
                 bench_percentile(calls, CYCLES, 0.5), "<= 1.3");
    bench_report("cycles a second and core", 1e6 / p, "1/s", 0, ">= 5000");
}

static void measure_large(const struct sosia_suite *suite)
{
    double t[CYCLES];
    uint64_t from = make_world(LARGE, 8000), f = fork_of(from);
    make_calls(f);
    for (int i = 0; i < CYCLES; i++) {
        double start = bench_cpu();
        bench_grade(engine, suite, f);
        t[i] = (bench_cpu() - start) / 1000;
    }
    bench_report("diff and grade in a world of 300 MB", bench_percentile(t, CYCLES, 0.5), "us", 0,
                 "<= 1500");
    sosia_world_drop(engine, f, &err);
    sosia_world_drop(engine, from, &err);
}

/* ---- over loopback ---- */

/* The body of the response, in memory that the next call takes. */
static const char *ask(int fd, const char *method, const char *prefix, const char *path,
                       const char *body, const char *bearer)
{
    static char request[8192], answer[1 << 20];
    int n = snprintf(request, sizeof request,
                     "%s %s%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                     "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                     method, prefix, path, bearer, strlen(body), body);
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

/* The bytes of the answer to a fork that follow a member's name, from the first quote on. */
static const char *keys_of(const char *answer, const char *member)
{
    const char *keys = strstr(answer, member);
    keys = keys ? strchr(keys + strlen(member), '"') : NULL;
    if (!keys || strlen(keys) < 18)
        bench_die("fork", answer);
    return keys;
}

static void fork_worlds(int fd, const char *from, int n, char ret[][17])
{
    char path[64], body[64];
    snprintf(path, sizeof path, "/worlds/%s/fork", from);
    snprintf(body, sizeof body, n > 1 ? "{\"count\":%d}" : "{}", n);
    const char *key =
        keys_of(ask(fd, "POST", "/_sosia/v1", path, body, KEY), n > 1 ? "\"worlds\"" : "\"world\"");
    for (int i = 0; i < n; i++) {
        memcpy(ret[i], key + 1, 16);
        ret[i][16] = 0;
        key = i + 1 < n ? strchr(key + 18, '"') : key;
    }
}

/* Five calls in a world; gives their microseconds. */
static double http_calls(int fd, const char *key)
{
    char path[64];
    snprintf(path, sizeof path, "/w/%s", key);
    double begun = bench_wall();
    for (int k = 0; k < CALLS; k++)
        ask(fd, episode_calls[k].method, path, episode_calls[k].path, episode_calls[k].body, TOKEN);
    return (bench_wall() - begun) / 1000;
}

/* Grades worlds by the suite; more: further members. The response. */
static const char *http_grade(int fd, char keys[][17], int count, const char *more)
{
    static char body[4096];
    size_t n = (size_t)sprintf(body, "{\"suite\":\"");
    for (const char *p = suite_text; *p; p++) {
        if (*p == '"')
            body[n++] = '\\';
        body[n++] = *p;
    }
    n += (size_t)sprintf(body + n, "\",\"diff\":true,%s,\"worlds\":[", more);
    for (int i = 0; i < count; i++)
        n += (size_t)sprintf(body + n, "%s\"%s\"", i ? "," : "", keys[i]);
    sprintf(body + n, "]}");
    const char *answer = ask(fd, "POST", "/_sosia/v1", "/worlds/grade", body, KEY),
               *graded = answer;
    for (int i = 0; i < count; i++) {
        graded = strstr(graded, "\"passed\": true,\n  \"reward\"");
        if (!graded)
            bench_die("grade", "a task was not passed");
        graded++;
    }
    return answer;
}

/* A fork, five calls, and a grade that drops the world. */
static void measure_drop(int fd, const char *from)
{
    double calls[HTTP_CYCLES], all[HTTP_CYCLES];
    for (int i = 0; i < HTTP_CYCLES; i++) {
        char key[1][17];
        double start = bench_wall();
        fork_worlds(fd, from, 1, key);
        calls[i] = http_calls(fd, key[0]);
        http_grade(fd, key, 1, "\"then\":\"drop\"");
        all[i] = (bench_wall() - start) / 1000;
    }
    bench_report("the same over HTTP, seven requests", bench_percentile(all, HTTP_CYCLES, 0.5),
                 "us", bench_percentile(calls, HTTP_CYCLES, 0.5), NULL);
}

/* Five calls, and a grade that drops the world and forks the next episode's; actors: a member more,
 * or "". */
static void measure_next(int fd, const char *from, const char *actors, const char *name,
                         const char *target)
{
    double calls[HTTP_CYCLES], all[HTTP_CYCLES];
    char more[100], key[1][17];
    snprintf(more, sizeof more, "\"then\":\"drop\",%s\"fork\":\"%s\"", actors, from);
    fork_worlds(fd, from, 1, key);
    for (int i = 0; i < HTTP_CYCLES; i++) {
        double start = bench_wall();
        calls[i] = http_calls(fd, key[0]);
        memcpy(key[0], keys_of(http_grade(fd, key, 1, more), "\"forks\":{\"worlds\"") + 1, 16);
        all[i] = (bench_wall() - start) / 1000;
    }
    bench_report(name, bench_percentile(all, HTTP_CYCLES, 0.5), "us",
                 bench_percentile(calls, HTTP_CYCLES, 0.5), target);
}

/* Worlds that are forked once: five calls in each, and a grade of all that resets them. What one of
 * them takes. */
static void measure_reset(int fd, const char *from, int worlds, int rounds, const char *name)
{
    double calls[HTTP_CYCLES], all[HTTP_CYCLES];
    char keys[GROUP][17];
    fork_worlds(fd, from, worlds, keys);
    for (int i = 0; i < rounds; i++) {
        double start = bench_wall(), sum = 0;
        for (int k = 0; k < worlds; k++)
            sum += http_calls(fd, keys[k]);
        http_grade(fd, keys, worlds, "\"then\":\"reset\"");
        all[i] = (bench_wall() - start) / 1000 / worlds;
        calls[i] = sum / worlds;
    }
    bench_report(name, bench_percentile(all, rounds, 0.5), "us",
                 bench_percentile(calls, rounds, 0.5), "<= 1.3");
}

/* Microseconds of processor time that all threads but this one have taken: the server's. */
static double server_cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) - bench_cpu() / 1000;
}

/* The five calls in one request. */
static void http_calls_together(int fd, const char *key)
{
    static char body[4096];
    char path[64];
    size_t n = (size_t)sprintf(body, "{\"token\":\"" TOKEN "\",\"calls\":[");
    for (int k = 0; k < CALLS; k++)
        n += (size_t)sprintf(body + n, "%s{\"method\":\"%s\",\"target\":\"%s\"%s%s}", k ? "," : "",
                             episode_calls[k].method, episode_calls[k].path,
                             episode_calls[k].body[0] ? ",\"body\":" : "", episode_calls[k].body);
    sprintf(body + n, "]}");
    snprintf(path, sizeof path, "/worlds/%s/calls", key);
    ask(fd, "POST", "/_sosia/v1", path, body, KEY);
}

/* Episodes of one client, by what they take of the server: a fork, five calls, a grade and a drop,
 * with a request for each, or with one for the calls and one for the grade that drops. */
static void measure_server_cpu(int fd, const char *from, bool together, const char *name)
{
    double us[GROUPS];
    for (int i = 0; i < GROUPS; i++) {
        double start = server_cpu_us();
        for (int k = 0; k < GROUP; k++) {
            char key[1][17], body[40];
            fork_worlds(fd, from, 1, key);
            if (together)
                http_calls_together(fd, key[0]);
            else
                http_calls(fd, key[0]);
            http_grade(fd, key, 1, together ? "\"then\":\"drop\"" : "\"then\":\"keep\"");
            snprintf(body, sizeof body, "{\"worlds\":[\"%s\"]}", key[0]);
            if (!together)
                ask(fd, "POST", "/_sosia/v1", "/worlds/drop", body, KEY);
        }
        us[i] = (server_cpu_us() - start) / GROUP;
    }
    bench_report(name, bench_percentile(us, GROUPS, 0.5), "us", 0, "<= 400");
}

/* From the request to the response with all keys. */
static void measure_batch(int fd, const char *from, const char *request, const char *name)
{
    char path[64];
    double t[BATCHES];
    snprintf(path, sizeof path, "/worlds/%s/fork", from);
    for (int i = 0; i < BATCHES; i++) {
        double start = bench_wall();
        const char *answer = ask(fd, "POST", "/_sosia/v1", path, request, KEY);
        t[i] = (bench_wall() - start) / 1e6;
        const char *key = keys_of(answer, "\"worlds\"");
        for (int k = 0; k < BATCH; k++, key = strchr(key + 18, '"')) {
            char text[17];
            uint64_t world;
            memcpy(text, key + 1, 16);
            text[16] = 0;
            if (sosia_world_find(engine, text, &world, &err) < 0)
                bench_die("fork", err.text);
            sosia_world_drop(engine, world, &err);
        }
    }
    bench_report(name, bench_percentile(t, BATCHES, 0.5), "ms", 0, "<= 2");
}

static void measure_http(uint64_t from, bool cycles, bool batch)
{
    struct control_options co = {.engine = engine};
    struct server_options so = SERVER_OPTIONS_INIT;
    struct sosia_world_info info;
    struct control *control;
    char key[17];
    if (control_open(&co, &control, &err) < 0 || sosia_world_info(engine, from, &info, &err) < 0)
        bench_die("control", err.text);
    memcpy(key, info.key, 16);
    key[16] = 0;
    so.engine = engine;
    so.threads = 1;
    so.control = control_serve;
    so.control_arg = control;
    so.control_key = KEY;
    so.log_level = SERVER_LOG_ERROR;
    if (server_start(&so, &server, &err) < 0)
        bench_die("server", err.text);
    int fd = bench_client_dial(server_port(server));
    if (cycles) {
        measure_drop(fd, key);
        measure_next(fd, key, "\"actors\":[],", "the same over HTTP, the grade forks too",
                     "<= 1.3");
        measure_next(fd, key, "", "the same, and a token of the fork", NULL);
        measure_reset(fd, key, 1, HTTP_CYCLES, "the same over HTTP, with a reset for the fork");
        measure_reset(fd, key, GROUP, GROUPS, "one of 64 worlds graded in a request");
        measure_server_cpu(fd, key, false, "an episode over HTTP, eight requests, server CPU");
        measure_server_cpu(fd, key, true, "the same, its calls in one request, server CPU");
    }
    if (batch) {
        measure_batch(fd, key, "{\"count\":1000,\"actors\":[]}", "1000 forks in a request");
        measure_batch(fd, key, "{\"count\":1000}", "1000 forks in a request, a token of each");
    }
    close(fd);
    server_stop(server);
    control_close(control);
}

/* ---- many worlds ---- */

static double turns(const uint64_t *worlds, int n, double p)
{
    for (int i = 0; i < LIVE; i++) {
        double start = bench_cpu();
        call(worlds[i % n], "GET", EVENTS_PATH "/bench000001", NULL);
        times[i] = (bench_cpu() - start) / 1000;
    }
    return bench_percentile(times, LIVE, p);
}

/* Each has an event of its own, so that none is served from pages of another alone. */
static void measure_live(uint64_t from)
{
    static uint64_t worlds[LIVE];
    for (int i = 0; i < LIVE; i++) {
        worlds[i] = fork_of(from);
        call(worlds[i], "PATCH", EVENTS_PATH "/bench000001", "{\"summary\":\"Renamed\"}");
    }
    turns(worlds, FEW, 0.5);
    bench_report("events.get, 16,384 worlds in turns, p50", turns(worlds, LIVE, 0.5), "us",
                 turns(worlds, FEW, 0.5), "<= 1.5");
    bench_report("events.get, 16,384 worlds in turns, p99", turns(worlds, LIVE, 0.99), "us",
                 turns(worlds, FEW, 0.99), "<= 1.5");
    for (int i = 0; i < LIVE; i++)
        sosia_world_drop(engine, worlds[i], &err);
}

/* ---- journals ---- */

static void measure_replay(uint64_t from)
{
    struct sosia_blob report;
    double t[5];
    uint64_t f = fork_of(from);
    for (int i = 0; i < REPLAYED; i++)
        insert(f, SMALL + i, 40);
    for (int i = 0; i < 5; i++) {
        double start = bench_cpu();
        if (sosia_journal_replay(engine, f, NULL, NULL, &report, &err) < 0)
            bench_die("replay", err.text);
        t[i] = (bench_cpu() - start) / 1e9;
        if (!strstr(report.data, "\"equal\": true"))
            bench_die("replay", report.data);
        sosia_blob_free(&report);
    }
    bench_report("replay of events.insert", REPLAYED / bench_percentile(t, 5, 0.5), "calls/s", 0,
                 ">= 20000");
    sosia_world_drop(engine, f, &err);
}

static void measure_page(const char *name, uint64_t world, struct sosia_journal_query query)
{
    struct sosia_blob json;
    double t[PAGES];
    int64_t next;
    for (int i = 0; i < PAGES; i++) {
        double start = bench_cpu();
        if (sosia_journal_find(engine, world, &query, &json, &next, &err) < 0)
            bench_die(name, err.text);
        t[i] = (bench_cpu() - start) / 1e6;
        sosia_blob_free(&json);
    }
    bench_report(name, bench_percentile(t, PAGES, 0.5), "ms", 0, "<= 10");
}

static void measure_journal(uint64_t from)
{
    uint64_t f = fork_of(from);
    if (sosia_world_journal_mode(engine, f, SOSIA_JOURNAL_ALL, &err) < 0)
        bench_die("journal", err.text);
    for (int i = 0; i < ENTRIES; i++)
        call(f, "GET", EVENTS_PATH "/bench000001?fields=id", NULL);
    measure_page("first page of 1,000,000 calls", f, (struct sosia_journal_query){.limit = 100});
    measure_page("last page of 1,000,000 calls", f,
                 (struct sosia_journal_query){.after = ENTRIES - 100, .limit = 100});
    measure_page("page by method", f,
                 (struct sosia_journal_query){
                     .after = ENTRIES / 2, .limit = 100, .method = "calendar.events.get"});
    measure_page("page of a search without a match", f,
                 (struct sosia_journal_query){.text = "nowhere to be found"});
    measure_page("page of a method without a match", f,
                 (struct sosia_journal_query){.method = "calendar.events.delete"});
    sosia_world_drop(engine, f, &err);
}

/* A recorded run of ten calls, with two faults of six kinds in it, by one thread. */
static void measure_explore(uint64_t from)
{
    const struct sosia_explore_options opt = {.size = sizeof opt, .depth = 2, .threads = 1};
    uint64_t f = fork_of(from);
    struct sosia_blob report;
    for (int i = 0; i < 10; i++)
        insert(f, 900000 + i, 40);
    double start = bench_wall();
    if (sosia_explore(engine, f, &opt, &report, &err) < 0)
        bench_die("explore", err.text);
    double seconds = (bench_wall() - start) / 1e9;
    const char *branches = strstr(report.data, "\"branches\": ");
    bench_report("explorer, runs of 10 events.insert, a core",
                 branches ? strtod(branches + 12, NULL) / seconds : 0, "branches/s", 0, ">= 2000");
    sosia_blob_free(&report);
    sosia_world_drop(engine, f, &err);
}

/* Whether a part is selected: all are if none is named. */
static bool wanted(int argc, char **argv, const char *part)
{
    int first = bench_json ? 2 : 1;
    for (int i = first; i < argc; i++)
        if (strcmp(argv[i], part) == 0)
            return true;
    return first >= argc;
}

int main(int argc, char **argv)
{
    struct sosia_suite *suite;
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    if (sosia_suite_open(suite_text, sizeof suite_text - 1, NULL, &suite, &err) < 0)
        bench_die("suite", err.text);
    uint64_t small = make_world(SMALL, 40);
    if (wanted(argc, argv, "cycle"))
        measure_cycle(small, suite);
    if (wanted(argc, argv, "large"))
        measure_large(suite);
    bool cycles = wanted(argc, argv, "http"), batch = wanted(argc, argv, "batch");
    if (cycles || batch)
        measure_http(small, cycles, batch);
    if (wanted(argc, argv, "live"))
        measure_live(small);
    if (wanted(argc, argv, "replay"))
        measure_replay(small);
    if (wanted(argc, argv, "explore"))
        measure_explore(small);
    if (wanted(argc, argv, "journal"))
        measure_journal(small);
    sosia_suite_close(suite);
    sosia_engine_close(engine);
    return 0;
}
