/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds through the public interface: what forks, resets and diffs cost, and how much memory many
 * worlds take. */
#include "bench/bench_call.h"
#include "sosia.h"
#include <malloc.h>
#include <unistd.h>

#define FORKS 100000
#define LIVE  16384

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t forks[FORKS];
static double times[FORKS];

static double resident_mb(void)
{
    long pages = 0, all = 0;
    malloc_trim(0);
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void call(uint64_t world, const char *method, const char *target, const char *body)
{
    sosia_response_free(bench_call(engine, world, "Bearer bench-token-1", method, target, body));
}

static void insert(uint64_t world, int i)
{
    char body[512];
    snprintf(body, sizeof body,
             "{\"id\":\"bench%06d\",\"summary\":\"Meeting number %d\",\"description\":\"About the "
             "things of day %d\","
             "\"start\":{\"dateTime\":\"2026-%02d-%02dT10:00:00Z\"},\"end\":{\"dateTime\":\"2026-%"
             "02d-%02dT11:00:00Z\"}}",
             i, i, i / 8, i / 28 % 12 + 1, i % 28 + 1, i / 28 % 12 + 1, i % 28 + 1);
    call(world, "POST", "/calendar/v3/calendars/primary/events", body);
}

static uint64_t make_world(int events)
{
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\","
        "\"people\":[{\"email\":\"ada@bench.example\",\"zone\":\"Europe/Rome\"}],"
        "\"tokens\":[{\"token\":\"bench-token-1\",\"actor\":\"ada@bench.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    uint64_t world, snapshot;
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    for (int i = 0; i < events; i++)
        insert(world, i);
    if (sosia_world_snapshot(engine, world, NULL, &snapshot, &err) < 0)
        bench_die("snapshot", err.text);
    return snapshot;
}

/* A whole episode as an agent would have it: five writes. */
static void episode(uint64_t world)
{
    call(world, "POST", "/calendar/v3/calendars/primary/events",
         "{\"id\":\"nevent0001\",\"summary\":\"New\",\"start\":{\"dateTime\":\"2026-11-23T10:00:"
         "00Z\"},"
         "\"end\":{\"dateTime\":\"2026-11-23T11:00:00Z\"}}");
    call(world, "PATCH", "/calendar/v3/calendars/primary/events/bench000001",
         "{\"summary\":\"Renamed\"}");
    call(world, "PATCH", "/calendar/v3/calendars/primary/events/bench000020",
         "{\"location\":\"Elsewhere\"}");
    call(world, "DELETE", "/calendar/v3/calendars/primary/events/bench000030", NULL);
    call(world, "PATCH", "/calendar/v3/calendars/primary/events/nevent0001",
         "{\"description\":\"More\"}");
}

static void measure_forks(uint64_t from)
{
    memset(forks, 1, sizeof forks); /* so that their memory is not counted among the worlds' */
    memset(times, 1, sizeof times);
    double before = resident_mb();
    for (int i = 0; i < FORKS; i++) {
        double t = bench_wall();
        if (sosia_world_fork(engine, from, NULL, &forks[i], &err) < 0)
            bench_die("fork", err.text);
        times[i] = bench_wall() - t;
    }
    double taken = resident_mb() - before;
    double p99 = bench_percentile(times, FORKS, 0.99), p50 = bench_percentile(times, FORKS, 0.5);
    bench_report("world fork, p50", p50, "ns", 0, "<= 150");
    bench_report("world fork, p99", p99, "ns", 0, "<= 1000");
    bench_report("idle fork, all included", taken * 1e6 / FORKS, "B", 0, "<= 256");
    bench_report("100,000 idle forks", taken, "MB", 0, "<= 50");
    double t = bench_cpu();
    for (int i = 0; i < FORKS; i++)
        sosia_world_drop(engine, forks[i], &err);
    bench_report("world drop, idle", (bench_cpu() - t) / FORKS, "ns", 0, NULL);
}

static void measure_live(uint64_t from)
{
    double before = resident_mb();
    for (int i = 0; i < LIVE; i++) {
        if (sosia_world_fork(engine, from, NULL, &forks[i], &err) < 0)
            bench_die("fork", err.text);
        episode(forks[i]);
    }
    double taken = resident_mb() - before;
    bench_report("16,384 worlds after an episode each", taken, "MB", 0, "<= 2000");
    bench_report("a world after an episode, with journal", taken * 1000 / LIVE, "KB", 0, "<= 60");
    double t = bench_cpu();
    for (int i = 0; i < LIVE; i++)
        sosia_world_reset(engine, forks[i], &err);
    bench_report("world reset after an episode", (bench_cpu() - t) / LIVE, "ns", 0, NULL);
    for (int i = 0; i < LIVE; i++)
        sosia_world_drop(engine, forks[i], &err);
}

static void measure_diff(uint64_t from, const char *name)
{
    uint64_t f;
    double t[51];
    struct sosia_blob diff;
    sosia_world_fork(engine, from, NULL, &f, &err);
    episode(f);
    for (int i = 0; i < 51; i++) {
        double start = bench_cpu();
        if (sosia_world_diff(engine, from, f, &diff, &err) < 0)
            bench_die("diff", err.text);
        t[i] = (bench_cpu() - start) / 1000;
        sosia_blob_free(&diff);
    }
    bench_report(name, bench_percentile(t, 51, 0.5), "us", 0, "<= 200");
    sosia_world_drop(engine, f, &err);
}

static const char suite_text[] =
    "{\"version\":\"1\",\"assertions\":["
    "{\"diff_type\":\"added\",\"entity\":\"event\",\"where\":{\"id\":\"nevent0001\",\"summary\":"
    "{\"same_text\":\"new\"},\"start\":{\"same_time\":\"2026-11-23T10:00Z\"}}},"
    "{\"diff_type\":\"changed\",\"entity\":\"event\",\"where\":{\"id\":\"bench000001\"},"
    "\"expected_changes\":{\"summary\":{\"to\":\"Renamed\"}}},"
    "{\"diff_type\":\"changed\",\"entity\":\"event\",\"where\":{\"id\":\"bench000020\"},"
    "\"expected_changes\":{\"location\":{\"to\":{\"contains\":\"where\"}}}},"
    "{\"diff_type\":\"removed\",\"entity\":\"event\",\"where\":{\"id\":\"bench000030\"}}]}";

/* What a training loop does over and over, beside the calls alone. */
static void measure_cycle(uint64_t from, struct sosia_suite *suite, const char *size)
{
    double calls[201], all[201];
    for (int i = 0; i < 201; i++) {
        uint64_t f;
        double start = bench_cpu();
        sosia_world_fork(engine, from, NULL, &f, &err);
        double begun = bench_cpu();
        episode(f);
        calls[i] = (bench_cpu() - begun) / 1000;
        bench_grade(engine, suite, f);
        sosia_world_drop(engine, f, &err);
        all[i] = (bench_cpu() - start) / 1000;
    }
    char name[80];
    snprintf(name, sizeof name, "fork, five writes, diff, grade, drop, %s", size);
    bench_report(name, bench_percentile(all, 201, 0.5), "us", bench_percentile(calls, 201, 0.5),
                 NULL);
}

/* Runs the calls again beside the world. */
static void measure_replay(uint64_t from)
{
    enum { CALLS = 500 };
    struct sosia_blob report;
    uint64_t f;
    sosia_world_fork(engine, from, NULL, &f, &err);
    for (int i = 0; i < CALLS; i++)
        insert(f, 100000 + i);
    double start = bench_cpu();
    if (sosia_journal_replay(engine, f, NULL, NULL, &report, &err) < 0)
        bench_die("replay", err.text);
    double took = (bench_cpu() - start) / 1e9;
    if (!strstr(report.data, "\"equal\": true"))
        bench_die("replay", report.data);
    sosia_blob_free(&report);
    bench_report("replay of a journal of events.insert", CALLS / took / 1000, "k/s", 0, ">= 20");
    sosia_world_drop(engine, f, &err);
}

static void measure_grade(uint64_t from, const char *size)
{
    struct sosia_suite *suite;
    double t[51];
    uint64_t f;
    if (sosia_suite_open(suite_text, sizeof suite_text - 1, NULL, &suite, &err) < 0)
        bench_die("suite", err.text);
    sosia_world_fork(engine, from, NULL, &f, &err);
    episode(f);
    for (int i = 0; i < 51; i++) {
        double start = bench_cpu();
        bench_grade(engine, suite, f);
        t[i] = (bench_cpu() - start) / 1000;
    }
    char name[80];
    snprintf(name, sizeof name, "diff and grade of an episode, %s", size);
    bench_report(name, bench_percentile(t, 51, 0.5), "us", 0, "<= 1500");
    sosia_world_drop(engine, f, &err);
    measure_cycle(from, suite, size);
    sosia_suite_close(suite);
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    uint64_t small = make_world(100), large = make_world(20000);
    measure_forks(large);
    measure_live(small);
    measure_diff(small, "world diff after an episode, by entity, 100 events");
    measure_diff(large, "world diff after an episode, by entity, 20,000 events");
    measure_replay(small);
    measure_grade(small, "100 events");
    measure_grade(large, "20,000 events");
    sosia_engine_close(engine);
    return 0;
}
