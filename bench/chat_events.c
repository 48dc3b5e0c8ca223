/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events cost a call: chat.postMessage in a channel without subscribers, with one app, and
 * with a hundred, in worlds that differ in nothing else: before anything was delivered, and in two
 * channels of one world in which much was. And what their delivery costs, which is not part of the
 * call (a server does it when the response is on its way).
 */
#include "bench/bare.h"
#include "sosia.h"
#include <stddef.h>

enum { ROUNDS = 400, APPS = 100, BOTS = 2 * APPS - 1, REPEATS = 5 };

static struct sosia_engine *engine;
static struct sosia_err err;

/* Apps 0 to APPS - 1 subscribe as far as `apps` says, and are in C0DEV with the people; C0ONE has
 * as many members, of whom app 0 alone can subscribe: so one world has both. */
static uint64_t open_world(int apps)
{
    static char doc[200000];
    char *w = doc;
    uint64_t id;
    w += sprintf(w, "sosia: 1\ntime: 2026-11-21T08:00:00Z\npeople:\n"
                    "  - {email: ada@acme.example, name: Ada}\n");
    for (int i = 0; i < BOTS; i++)
        w += sprintf(w, "  - {handle: bot%d, kind: bot, name: Bot}\n", i);
    w += sprintf(w, "apps:\n");
    for (int i = 0; i < BOTS; i++)
        w += sprintf(w, "  - {client_id: '1.%d', name: App, vendor: slack, bot: bot%d}\n", i, i);
    w += sprintf(w, "workspaces:\n  - id: T0ACME\n    domain: acme\n    name: Acme\n    members:\n"
                    "      - {actor: ada@acme.example, id: U0ADA}\n");
    for (int i = 0; i < BOTS; i++)
        w += sprintf(w, "      - {actor: bot%d, id: U0BOT%d}\n", i, i);
    w += sprintf(w, "    apps:\n");
    for (int i = 0; i < BOTS; i++)
        w += sprintf(w, "      - {client_id: '1.%d', id: A0APP%d, bot: B0APP%d}\n", i, i, i);
    if (apps)
        w += sprintf(w, "chatApps:\n");
    for (int i = 0; i < apps; i++)
        w += sprintf(w,
                     "  - {client_id: '1.%d', settings: {socket_mode: true, bot_events: "
                     "[message.channels]}}\n",
                     i);
    w += sprintf(w, "channels:\n");
    for (int k = 0; k < 2; k++) {
        w += sprintf(w, "  - {id: %s, name: %s, creator: U0ADA, members: [U0ADA",
                     k ? "C0ONE" : "C0DEV", k ? "one" : "dev");
        for (int i = 0; i < APPS; i++)
            w += sprintf(w, ", U0BOT%d", k && i ? APPS + i - 1 : i);
        w += sprintf(w, "]}\n");
    }
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_world_create(engine, &opt, &id, &err) < 0)
        bench_die("world", err.text);
    return id;
}

static char bearer[SOSIA_TOKEN_MAX + 8];
static struct bare bare = {.bearer = bearer};

#define POST "/api/chat.postMessage"
static const char in_dev[] = "{\"channel\":\"C0DEV\",\"text\":\"The build is done\"}";
static const char in_one[] = "{\"channel\":\"C0ONE\",\"text\":\"The build is done\"}";

static double post(uint64_t id, const char *body)
{
    double begun = bench_cpu();
    struct sosia_response *res = bench_call(engine, id, bearer, "POST", POST, body);
    double t = bench_cpu() - begun;
    if (!strstr(res->body, "\"ok\":true"))
        bench_die("call", res->body);
    sosia_response_free(res);
    return t;
}

static void use(uint64_t id)
{
    struct sosia_token_options opt = {.actor = "ada@acme.example", .value = "bench-chat-events-1"};
    memcpy(bearer, "Bearer ", 8);
    if (sosia_token_issue(engine, id, &opt, bearer + 7, SOSIA_TOKEN_MAX, &err) < 0)
        bench_die("token", err.text);
}

/* ---- figures: microseconds of one, the middle of ROUNDS, and of those of REPEATS ---- */

enum figure {
    NOBODY,
    ONE,
    ALL, /* calls in worlds that differ in subscribers alone */
    BEHIND_ONE,
    BEHIND_ALL, /* calls, each behind the notifying of the one before */
    NOTIFY_ONE,
    NOTIFY_ALL, /* notifying itself */
    OLD_NOBODY, /* calls in worlds of as many messages: without deliveries, */
    OLD_ONE,    /* and with those to one app and to all, in two channels of one world */
    OLD_ALL,
    LEFT, /* bytes */
    FIGURES
};
static double figures[FIGURES][REPEATS];

static double middle(double *values, size_t n)
{
    return bench_percentile(values, n, 0.5);
}

/* The cost of calls in forks, in turns: deliveries change the caches of the machine, so that a call
 * behind them takes longer, and what a call itself takes is seen where none are made. */
struct side {
    uint64_t world;
    const char *body;
    enum figure figure;
};

static void calls_in_forks(const struct side *sides, int n, int repeat)
{
    static double t[FIGURES][ROUNDS];
    uint64_t fork;
    for (int i = 0; i < n * ROUNDS; i++) {
        const struct side *s = &sides[i % n];
        if (sosia_world_fork(engine, s->world, NULL, &fork, &err) < 0)
            bench_die("fork", err.text);
        t[s->figure][i / n] = post(fork, s->body);
        sosia_world_drop(engine, fork, &err);
    }
    for (int k = 0; k < n; k++)
        figures[sides[k].figure][repeat] = middle(t[sides[k].figure], ROUNDS) / 1e3;
}

/* ROUNDS messages, of each of which all are notified before the next. */
static void fill(uint64_t world, const char *body, enum figure behind, enum figure notify,
                 int repeat)
{
    static double calls[ROUNDS], notified[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        calls[i] = post(world, body);
        double begun = bench_cpu();
        if (sosia_world_wake(engine, world, &err) < 0)
            bench_die("wake", err.text);
        notified[i] = bench_cpu() - begun;
    }
    figures[behind][repeat] = middle(calls, ROUNDS) / 1e3;
    figures[notify][repeat] = middle(notified, ROUNDS) / 1e3;
}

static double size_of(uint64_t world)
{
    struct sosia_world_info info;
    if (sosia_world_info(engine, world, &info, &err) < 0)
        bench_die("info", err.text);
    return (double)(info.size + info.base_size);
}

static void measure(int repeat)
{
    static const int apps[] = {0, 1, APPS};
    uint64_t worlds[3];
    for (int k = 0; k < 3; k++)
        use(worlds[k] = open_world(apps[k])); /* the token is good in each of them */
    const struct side fresh[] = {
        {worlds[0], in_dev, NOBODY}, {worlds[1], in_dev, ONE}, {worlds[2], in_dev, ALL}};
    calls_in_forks(fresh, 3, repeat);
    double size = size_of(worlds[2]);
    fill(worlds[2], in_one, BEHIND_ONE, NOTIFY_ONE, repeat);
    double one = size_of(worlds[2]) - size;
    fill(worlds[2], in_dev, BEHIND_ALL, NOTIFY_ALL, repeat);
    figures[LEFT][repeat] = (size_of(worlds[2]) - size - 2 * one) / (double)(ROUNDS * (APPS - 1));
    for (int i = 0; i < 2 * ROUNDS; i++)
        post(worlds[0], i < ROUNDS ? in_one : in_dev);
    const struct side old[] = {{worlds[0], in_dev, OLD_NOBODY},
                               {worlds[2], in_one, OLD_ONE},
                               {worlds[2], in_dev, OLD_ALL}};
    calls_in_forks(old, 3, repeat);
    for (int k = 0; k < 3; k++)
        sosia_world_drop(engine, worlds[k], &err);
}

int main(int argc, char **argv)
{
    double mid[FIGURES];
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("open", err.text);
    bare.engine = engine;
    for (int i = 0; i < REPEATS; i++)
        measure(i);
    for (int k = 0; k < FIGURES; k++)
        mid[k] = middle(figures[k], REPEATS);
    bench_report("post, nobody subscribes", mid[NOBODY], "us", 0, NULL);
    bench_report("post, one app subscribes", mid[ONE], "us", mid[NOBODY], "<= 1.25");
    bench_report("post, 100 apps subscribe", mid[ALL], "us", mid[ONE], "<= 1.05");
    bench_report("nobody subscribes, 800 messages before", mid[OLD_NOBODY], "us", mid[NOBODY],
                 NULL);
    bench_report("one app, 800 messages, 40,400 deliveries", mid[OLD_ONE], "us", mid[OLD_NOBODY],
                 "<= 1.25");
    bench_report("100 apps in the same world", mid[OLD_ALL], "us", mid[OLD_ONE], "<= 1.05");
    bench_report("post behind notifying one app", mid[BEHIND_ONE], "us", mid[ONE], NULL);
    bench_report("post behind notifying 100 apps", mid[BEHIND_ALL], "us", mid[ALL], NULL);
    bench_report("notifying one app, behind the call", mid[NOTIFY_ONE], "us", 0, NULL);
    bench_report("notifying 100 apps, behind the call", mid[NOTIFY_ALL], "us", 0, NULL);
    bench_report("a delivery's rows in the world", mid[LEFT], "bytes", 0, NULL);
    uint64_t id = open_world(1);
    use(id);
    bare_measure(&bare, "post, one app subscribes, whole call / bare SQL", id, POST, in_dev, 200,
                 "<= 1.25");
    sosia_engine_close(engine);
    return 0;
}
