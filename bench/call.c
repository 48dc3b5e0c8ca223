/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole API calls in process, against their bare SQL: the very statements that a call runs are
 * recorded while it runs, then run again by themselves, prepared and hot, in a transaction on the
 * same connection, their rows read to the end. Calls and baseline are measured in turns.
 */
#include "bench/bare.h"
#include "sosia.h"

#define BATCHES 15

static struct sosia_engine *engine;
static struct sosia_err err;
static char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 16];

static struct bare bare_sql = {.bearer = bearer};

static struct sosia_response *call(uint64_t world, const char *method, const char *target,
                                   const char *body)
{
    return bench_call(engine, world, bearer, method, target, body);
}

/* ---- measuring ---- */

static void measure_read(const char *name, uint64_t world, const char *target, int n,
                         const char *rate_name, const char *rate_target, const char *us_target)
{
    double whole[BATCHES], bare[BATCHES];
    char label[96];
    struct worker *k = bare_record(&bare_sql, world, "GET", target, NULL);
    struct world *w = world_take(engine, world, &err);
    bare_prepare(&bare_sql, k, w);
    world_drop(w);
    for (int b = 0; b < BATCHES; b++) {
        double t = bench_cpu();
        for (int i = 0; i < n; i++)
            sosia_response_free(call(world, "GET", target, NULL));
        whole[b] = (bench_cpu() - t) / n;
        t = bench_cpu();
        for (int i = 0; i < n; i++)
            bare_run(&bare_sql, k, w, false);
        bare[b] = (bench_cpu() - t) / n;
    }
    bare_forget(&bare_sql);
    double p = bench_percentile(whole, BATCHES, 0.5);
    snprintf(label, sizeof label, "%s, whole call / bare SQL", name);
    bench_report(label, p, "ns", bench_percentile(bare, BATCHES, 0.5), us_target ? NULL : "<= 1.5");
    if (rate_name)
        bench_report(rate_name, 1e9 / p, "calls/s", 0, rate_target);
    if (us_target) {
        snprintf(label, sizeof label, "%s", name);
        bench_report(label, p / 1000, "us", 0, us_target);
    }
}

/* A write in a world of its own: fork, call, drop, against fork, bare SQL, drop. */
static void measure_write(const char *name, uint64_t world, const char *method, const char *target,
                          const char *body, int n)
{
    double whole[BATCHES], bare[BATCHES];
    uint64_t f;
    if (sosia_world_fork(engine, world, NULL, &f, &err) < 0)
        bench_die("fork", err.text);
    struct worker *k = bare_record(&bare_sql, f, method, target, body);
    struct world *w = world_take(engine, f, &err);
    bare_prepare(&bare_sql, k, w);
    world_drop(w);
    sosia_world_drop(engine, f, &err);
    for (int b = 0; b < BATCHES; b++) {
        double t = bench_cpu();
        for (int i = 0; i < n; i++) {
            sosia_world_fork(engine, world, NULL, &f, &err);
            sosia_response_free(call(f, method, target, body));
            sosia_world_drop(engine, f, &err);
        }
        whole[b] = (bench_cpu() - t) / n;
        t = bench_cpu();
        for (int i = 0; i < n; i++) {
            sosia_world_fork(engine, world, NULL, &f, &err);
            w = world_take(engine, f, &err);
            bare_run(&bare_sql, k, w, true);
            world_drop(w);
            sosia_world_drop(engine, f, &err);
        }
        bare[b] = (bench_cpu() - t) / n;
    }
    bare_forget(&bare_sql);
    bench_report(name, bench_percentile(whole, BATCHES, 0.5), "ns",
                 bench_percentile(bare, BATCHES, 0.5), "<= 1.25");
}

static uint64_t make_world(void)
{
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":\"bench."
        "example\"}],"
        "\"people\":[{\"email\":\"ada@bench.example\",\"zone\":\"Europe/Rome\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    uint64_t world;
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    /* The token names no world, so that forks take it. */
    struct sosia_token_options t = {.actor = "ada@bench.example", .value = "bench-token-1"};
    if (sosia_token_issue(engine, world, &t, token, sizeof token, &err) < 0)
        bench_die("token", err.text);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    return world;
}

static void add_events(uint64_t world, int n)
{
    char body[512];
    for (int i = 0; i < n; i++) {
        bench_event(body, sizeof body, i);
        sosia_response_free(call(world, "POST", "/calendar/v3/calendars/primary/events", body));
    }
}

/* ---- Google Calendar at its limits ---- */

/* A world with 256 people; the first has 20,000 single events and 200 series, fifty others have a
 * busy week. */
static uint64_t make_large(void)
{
    struct buf doc;
    uint64_t world;
    buf_init(&doc, 0);
    buf_puts(&doc, "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
                   "\"bench.example\"}],\"people\":["
                   "{\"email\":\"ada@bench.example\",\"zone\":\"Europe/Rome\"}");
    for (int i = 0; i < 255; i++)
        buf_printf(&doc, ",{\"email\":\"p%03d@bench.example\",\"zone\":\"Europe/Rome\"}", i);
    buf_puts(&doc, "],\"tokens\":[{\"token\":\"bench-token-1\",\"actor\":\"ada@bench.example\"}],"
                   "\"calendars\":["
                   "{\"id\":\"ada@bench.example\",\"primary\":true,\"events\":["
                   "{\"id\":\"dailq0\",\"summary\":\"Since "
                   "2000\",\"start\":\"2000-01-01T09:00\",\"zone\":\"Europe/Rome\","
                   "\"recurrence\":[\"RRULE:FREQ=DAILY\"]}");
    for (int i = 0; i < 200; i++)
        buf_printf(&doc,
                   ",{\"summary\":\"Series "
                   "%d\",\"start\":\"2026-01-%02dT%02d:00\",\"zone\":\"Europe/Rome\","
                   "\"recurrence\":[\"RRULE:FREQ=WEEKLY\"]}",
                   i, i % 28 + 1, i % 10 + 8);
    for (int i = 0; i < 20000; i++)
        buf_printf(&doc, ",{\"summary\":\"Event %d\",\"start\":\"2026-%02d-%02dT%02d:%02d\"}", i,
                   i % 12 + 1, i / 12 % 28 + 1, i / 336 % 10 + 8, i / 3360 % 6 * 10);
    buf_puts(&doc, "]}");
    for (int p = 0; p < 50; p++) {
        buf_printf(
            &doc,
            ",{\"id\":\"p%03d@bench.example\",\"primary\":true,\"access\":[{\"role\":\"freebusy\","
            "\"domain\":"
            "\"bench.example\"}],\"events\":[{\"summary\":\"x\",\"start\":\"2026-01-05T09:00\","
            "\"zone\":\"Europe/Rome\",\"recurrence\":[\"RRULE:FREQ=DAILY\"]}",
            p);
        for (int i = 0; i < 15; i++)
            buf_printf(&doc, ",{\"summary\":\"y\",\"start\":\"2026-11-%02dT%02d:00\"}", 23 + i % 5,
                       10 + i % 7);
        buf_puts(&doc, "]}");
    }
    buf_puts(&doc, "]}");
    struct sosia_world_options opt = {.seed_doc = buf_str(&doc), .seed_doc_len = doc.len};
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("large world", err.text);
    buf_done(&doc);
    return world;
}

/* A call alone, in a world of its own if it writes. */
static void measure_call(const char *name, uint64_t world, const char *method, const char *target,
                         const char *body, int n, const char *target_us)
{
    double us[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        us[b] = 0;
        for (int i = 0; i < n; i++) {
            uint64_t f;
            if (sosia_world_fork(engine, world, NULL, &f, &err) < 0)
                bench_die("fork", err.text);
            double t = bench_cpu();
            sosia_response_free(call(f, method, target, body));
            us[b] += (bench_cpu() - t) / 1000 / n;
            sosia_world_drop(engine, f, &err);
        }
    }
    bench_report(name, bench_percentile(us, BATCHES, 0.5), "us", 0, target_us);
}

static void measure_large(void)
{
    uint64_t world = make_large();
    struct buf b;
    measure_call(
        "events.list, a week, 250 of 200 series and 20,000", world, "GET",
        "/calendar/v3/calendars/primary/events?singleEvents=true&orderBy=startTime&maxResults=250"
        "&timeMin=2026-11-23T00:00:00Z&timeMax=2026-11-30T00:00:00Z",
        NULL, 20, "<= 600");
    measure_call("events.instances, daily since 2000, a week of 2030", world, "GET",
                 "/calendar/v3/calendars/primary/events/dailq0/"
                 "instances?timeMin=2030-06-03T00:00:00Z&timeMax=2030-06-10T00:00:00Z",
                 NULL, 50, "<= 50");
    buf_init(&b, 0);
    buf_puts(
        &b,
        "{\"timeMin\":\"2026-11-23T00:00:00Z\",\"timeMax\":\"2026-11-30T00:00:00Z\",\"items\":[");
    for (int i = 0; i < 50; i++)
        buf_printf(&b, "%s{\"id\":\"p%03d@bench.example\"}", i ? "," : "", i);
    buf_puts(&b, "]}");
    measure_call("freeBusy, 50 people over a week", world, "POST", "/calendar/v3/freeBusy",
                 buf_str(&b), 20, "<= 1000");
    buf_clear(&b);
    buf_puts(&b, "{\"summary\":\"All\",\"start\":{\"dateTime\":\"2026-11-24T10:00:00Z\"},\"end\":{"
                 "\"dateTime\":"
                 "\"2026-11-24T11:00:00Z\"},\"attendees\":[");
    for (int i = 0; i < 200; i++)
        buf_printf(&b, "%s{\"email\":\"p%03d@bench.example\"}", i ? "," : "", i);
    buf_puts(&b, "]}");
    measure_call("events.insert, 200 guests inside the world", world, "POST",
                 "/calendar/v3/calendars/primary/events", buf_str(&b), 3, "<= 5000");
    buf_done(&b);
}

int main(int argc, char **argv)
{
    uint64_t world, snapshot;
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    bare_sql.engine = engine;
    world = make_world();
    add_events(world, 2000);
    if (sosia_world_snapshot(engine, world, "bench", &snapshot, &err) < 0 ||
        sosia_world_reset_to(engine, world, snapshot, &err) < 0)
        bench_die("snapshot", err.text);
    measure_read("events.get", world,
                 "/calendar/v3/calendars/primary/events/bench00777?prettyPrint=false", 5000,
                 "events.get, one core", ">= 100000", NULL);
    measure_read("events.list of 50", world,
                 "/calendar/v3/calendars/primary/events?maxResults=50&timeMin=2026-03-01T00:00:00Z",
                 300, NULL, NULL, "<= 100");
    measure_write("events.insert, whole call / bare SQL", world, "POST",
                  "/calendar/v3/calendars/primary/events",
                  "{\"summary\":\"New\",\"start\":{\"dateTime\":\"2026-11-23T10:00:00Z\"},"
                  "\"end\":{\"dateTime\":\"2026-11-23T11:00:00Z\"}}",
                  500);
    measure_write("events.patch, whole call / bare SQL", world, "PATCH",
                  "/calendar/v3/calendars/primary/events/bench00777", "{\"summary\":\"Renamed\"}",
                  500);
    measure_large();
    sosia_engine_close(engine);
    return 0;
}
