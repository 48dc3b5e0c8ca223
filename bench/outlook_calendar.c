/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outlook Calendar beside Google Calendar: the same events in two worlds, each of one vendor, and
 * calls that give or change the same. A row's baseline is Google's, of the same run. With a name
 * calls of that kind are made by measured(), to count their instructions:
 *     valgrind --tool=callgrind --toggle-collect=measured bench-outlook_calendar NAME
 */
#include "bench/bench_call.h"
#include "engine/base/buf.h"

enum { EVENTS = 600, SERIES = 200, MANY = 20000, WARM = 5, COUNTED = 20, BATCHES = 9 };

static struct sosia_engine *engine;
static struct sosia_err err;

enum side { GOOGLE, OUTLOOK };

/* Of one vendor: few events, and as many as a large calendar has. */
static struct {
    uint64_t world, large;
    char id[512];    /* of an event */
    char delta[512]; /* of nothing new */
} sides[2];

#define GOOGLE_PATH "/calendar/v3/calendars/primary/events"
#define GRAPH_PATH  "/v1.0/me/events"
#define TIMES(from, to)                                                                            \
    "\"start\":{\"dateTime\":\"" from "\",\"timeZone\":\"UTC\"},\"end\":{\"dateTime\":\"" to       \
    "\",\"timeZone\":\"UTC\"}"
#define NEW TIMES("2026-11-23T10:00:00", "2026-11-23T11:00:00") "}"

/* %s: the event's id, or the token of the delta. */
static const struct kind {
    const char *name, *method;
    const char *targets[2], *bodies[2];
    bool large, token;
    const char *limit;
} kinds[] = {
    {"events.get", "GET", {GOOGLE_PATH "/%s", GRAPH_PATH "/%s"}, {NULL}, .limit = "<= 1.2"},
    {"events.list",
     "GET",
     {GOOGLE_PATH "?maxResults=50", GRAPH_PATH "?$top=50"},
     {NULL},
     .limit = "<= 1.2"},
    {"events.insert",
     "POST",
     {GOOGLE_PATH, GRAPH_PATH},
     {"{\"summary\":\"New\"," NEW, "{\"subject\":\"New\"," NEW},
     .limit = "<= 1.3"},
    {"events.patch",
     "PATCH",
     {GOOGLE_PATH "/%s", GRAPH_PATH "/%s"},
     {"{\"summary\":\"Renamed\"}", "{\"subject\":\"Renamed\"}"},
     .limit = "<= 1.3"},
    {"calendarView",
     "GET",
     {GOOGLE_PATH "?singleEvents=true&orderBy=startTime&maxResults=250&timeMin=2026-11-23T00:00:00Z"
                  "&timeMax=2026-11-30T00:00:00Z",
      "/v1.0/me/calendarView?startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-30T00:00:00Z"
      "&$top=250"},
     {NULL},
     .large = true,
     .limit = "<= 1.3"},
    {"events.delta",
     "GET",
     {GOOGLE_PATH "?syncToken=%s", GRAPH_PATH "/delta?$deltatoken=%s"},
     {NULL},
     .token = true},
};

static struct sosia_response *call(enum side side, uint64_t world, const char *method,
                                   const char *target, const char *body)
{
    return bench_call(engine, world, side ? "Bearer bench-token-2" : "Bearer bench-token-1", method,
                      target, body);
}

__attribute__((noinline)) static void measured(enum side side, uint64_t world, const char *method,
                                               const char *target, const char *body)
{
    sosia_response_free(call(side, world, method, target, body));
}

/* ---- the worlds ---- */

static uint64_t make_world(enum side side, int series, int events)
{
    const char *who = side ? "bob@port.example" : "ada@bench.example";
    struct buf b;
    uint64_t world;
    buf_init(&b, 0);
    buf_printf(&b,
               "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
               "\"%s\"}],\"people\":[{\"email\":\"%s\",\"zone\":\"Europe/Rome\"}],\"tokens\":[{"
               "\"token\":\"bench-token-%d\",\"actor\":\"%s\"}],%s\"calendars\":[{\"owner\":\"%s\","
               "\"primary\":true%s,\"events\":[",
               strchr(who, '@') + 1, who, side + 1, who,
               side ? "\"accounts\":[{\"actor\":\"bob@port.example\",\"vendor\":\"microsoft\","
                      "\"services\":[\"calendar\"]}],"
                    : "",
               who, side ? ",\"vendor\":\"microsoft\"" : "");
    for (int i = 0; i < series; i++)
        buf_printf(&b,
                   "%s{\"summary\":\"Series %d\",\"start\":\"2026-01-%02dT%02d:00\",\"zone\":"
                   "\"Europe/Rome\",\"recurrence\":[\"RRULE:FREQ=WEEKLY\"]}",
                   i ? "," : "", i, i % 28 + 1, i % 10 + 8);
    for (int i = 0; i < events; i++)
        buf_printf(&b,
                   "%s{\"summary\":\"Meeting number %d\",\"location\":\"Room %d\",\"description\":"
                   "\"About the things of day %d\",\"start\":\"2026-%02d-%02dT%02d:00\"}",
                   i || series ? "," : "", i, i % 7, i / 8, i / 224 % 12 + 1, i / 8 % 28 + 1,
                   i % 8 + 9);
    buf_puts(&b, "]}]}");
    struct sosia_world_options opt = {.seed_doc = buf_str(&b), .seed_doc_len = b.len};
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    buf_done(&b);
    return world;
}

/* The text behind a name in an answer, until the quote that ends it. */
static void take(char *to, size_t size, const char *body, const char *name)
{
    const char *p = strstr(body, name);
    if (!p)
        bench_die(name, "the answer does not have it");
    p += strlen(name);
    snprintf(to, size, "%.*s", (int)strcspn(p, "\""), p);
}

static void make_side(enum side side, bool large)
{
    sides[side].world = make_world(side, 0, EVENTS);
    sides[side].large = large ? make_world(side, SERIES, MANY) : 0;
    struct sosia_response *res =
        call(side, sides[side].world, "GET",
             side ? GRAPH_PATH "?$top=1" : GOOGLE_PATH "?maxResults=1", NULL);
    take(sides[side].id, sizeof sides[side].id, res->body, side ? "\"id\":\"" : "\"id\": \"");
    sosia_response_free(res);
    char target[600] = GOOGLE_PATH "?maxResults=2500";
    if (side)
        snprintf(target, sizeof target, "%s", GRAPH_PATH "/delta");
    res = call(side, sides[side].world, "GET", target, NULL);
    while (side && !strstr(res->body, "$deltatoken=")) {
        take(sides[side].delta, sizeof sides[side].delta, res->body, "$skiptoken=");
        snprintf(target, sizeof target, GRAPH_PATH "/delta?$skiptoken=%s", sides[side].delta);
        sosia_response_free(res);
        res = call(side, sides[side].world, "GET", target, NULL);
    }
    take(sides[side].delta, sizeof sides[side].delta, res->body,
         side ? "$deltatoken=" : "\"nextSyncToken\": \"");
    sosia_response_free(res);
}

/* ---- the calls ---- */

static void count(const struct kind *k, enum side side, int warm, int n, double *ret_us)
{
    const uint64_t world = k->large ? sides[side].large : sides[side].world;
    const bool write = strcmp(k->method, "GET") != 0;
    char target[1200];
    const char *own = strstr(k->targets[side], "%s");
    snprintf(target, sizeof target, "%.*s%s",
             own ? (int)(own - k->targets[side]) : (int)strlen(k->targets[side]), k->targets[side],
             !own       ? ""
             : k->token ? sides[side].delta
                        : sides[side].id);
    *ret_us = 0;
    for (int i = 0; i < warm + n; i++) {
        uint64_t f = world;
        if (write && sosia_world_fork(engine, world, NULL, &f, &err) < 0)
            bench_die("fork", err.text);
        double begun = bench_cpu();
        if (i < warm) {
            sosia_response_free(call(side, f, k->method, target, k->bodies[side]));
        } else {
            measured(side, f, k->method, target, k->bodies[side]);
            *ret_us += (bench_cpu() - begun) / 1000 / n;
        }
        if (write)
            sosia_world_drop(engine, f, &err);
    }
}

static void compare(const struct kind *k)
{
    double us[2][BATCHES];
    char name[100];
    for (int b = 0; b < BATCHES; b++)
        for (enum side side = GOOGLE; side <= OUTLOOK; side++)
            count(k, side, WARM, COUNTED, &us[side][b]);
    double google = bench_percentile(us[GOOGLE], BATCHES, 0.5),
           outlook = bench_percentile(us[OUTLOOK], BATCHES, 0.5);
    snprintf(name, sizeof name, "Outlook %s / Google's", k->name);
    bench_report(name, outlook, "us", k->limit ? google : 0, k->limit ? k->limit : "<= 60");
}

/* "outlook.events.get", "google.events.get". */
static void count_one(const char *name)
{
    double us;
    const bool google = strncmp(name, "google.", 7) == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strchr(name, '.') && strcmp(strchr(name, '.') + 1, kinds[i].name) == 0) {
            count(&kinds[i], google ? GOOGLE : OUTLOOK, WARM, COUNTED, &us);
            return;
        }
    bench_die("usage: bench-outlook_calendar [google.KIND | outlook.KIND]", name);
}

int main(int argc, char **argv)
{
    const char *one = argc == 2 && strcmp(argv[1], "--json") != 0 ? argv[1] : NULL;
    bench_begin(one ? 1 : argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    const bool large = !one || strstr(one, "calendarView");
    make_side(GOOGLE, large);
    make_side(OUTLOOK, large);
    for (size_t i = 0; !one && i < sizeof kinds / sizeof kinds[0]; i++)
        compare(&kinds[i]);
    if (one)
        count_one(one);
    sosia_engine_close(engine);
    return 0;
}
