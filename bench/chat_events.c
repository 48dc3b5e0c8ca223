/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events cost a call: chat.postMessage in a channel without subscribers, with one app, and
 * with a hundred; and what their delivery costs, which is not part of the call (a server does it
 * when the response is on its way).
 */
#include "bench/bare.h"
#include "sosia.h"
#include <stddef.h>

enum { ROUNDS = 400, APPS = 100, REPEATS = 5 };

static struct sosia_engine *engine;
static struct sosia_err err;

static uint64_t open_world(int apps)
{
    static char doc[200000];
    char *w = doc;
    uint64_t id;
    w += sprintf(w, "sosia: 1\ntime: 2026-11-21T08:00:00Z\npeople:\n"
                    "  - {email: ada@acme.example, name: Ada}\n");
    for (int i = 0; i < APPS; i++)
        w += sprintf(w, "  - {handle: bot%d, kind: bot, name: Bot}\n", i);
    w += sprintf(w, "apps:\n");
    for (int i = 0; i < APPS; i++)
        w += sprintf(w, "  - {client_id: '1.%d', name: App, vendor: slack, bot: bot%d}\n", i, i);
    w += sprintf(w, "workspaces:\n  - id: T0ACME\n    domain: acme\n    name: Acme\n    members:\n"
                    "      - {actor: ada@acme.example, id: U0ADA}\n");
    for (int i = 0; i < APPS; i++)
        w += sprintf(w, "      - {actor: bot%d, id: U0BOT%d}\n", i, i);
    w += sprintf(w, "    apps:\n");
    for (int i = 0; i < APPS; i++)
        w += sprintf(w, "      - {client_id: '1.%d', id: A0APP%d, bot: B0APP%d}\n", i, i, i);
    if (apps)
        w += sprintf(w, "chatApps:\n");
    for (int i = 0; i < apps; i++)
        w += sprintf(w,
                     "  - {client_id: '1.%d', settings: {socket_mode: true, bot_events: "
                     "[message.channels]}}\n",
                     i);
    w += sprintf(w, "channels:\n  - {id: C0DEV, name: dev, creator: U0ADA, members: [U0ADA");
    for (int i = 0; i < APPS; i++)
        w += sprintf(w, ", U0BOT%d", i);
    sprintf(w, "]}\n");
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_world_create(engine, &opt, &id, &err) < 0)
        bench_die("world", err.text);
    return id;
}

struct cost {
    double call, behind, telling; /* microseconds of one */
};

static char bearer[SOSIA_TOKEN_MAX + 8];
static struct bare bare = {.bearer = bearer};

#define POST "/api/chat.postMessage"
static const char body[] = "{\"channel\":\"C0DEV\",\"text\":\"The build is done\"}";

static double post(uint64_t id)
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

/* The token is good in each of them. */
static const int apps[] = {0, 1, APPS};
static uint64_t worlds[3];

/* Deliveries change the caches of the machine, so that a call behind them takes longer; calls in
 * forks, in turns, show what the call itself takes. */
static void measure(struct cost ret[3])
{
    double calls[3][ROUNDS], behind[ROUNDS], tellings[ROUNDS];
    uint64_t fork;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < ROUNDS; i++) {
            behind[i] = post(worlds[k]);
            double begun = bench_cpu();
            if (sosia_world_wake(engine, worlds[k], &err) < 0)
                bench_die("wake", err.text);
            tellings[i] = bench_cpu() - begun;
        }
        ret[k].behind = bench_percentile(behind, ROUNDS, 0.5) / 1e3;
        ret[k].telling = bench_percentile(tellings, ROUNDS, 0.5) / 1e3;
    }
    for (int i = 0; i < 3 * ROUNDS; i++) {
        if (sosia_world_fork(engine, worlds[i % 3], NULL, &fork, &err) < 0)
            bench_die("fork", err.text);
        calls[i % 3][i / 3] = post(fork);
        sosia_world_drop(engine, fork, &err);
    }
    for (int k = 0; k < 3; k++)
        ret[k].call = bench_percentile(calls[k], ROUNDS, 0.5) / 1e3;
}

static double middle(struct cost list[REPEATS][3], int k, size_t at)
{
    double v[REPEATS];
    for (int i = 0; i < REPEATS; i++)
        v[i] = *(const double *)(const void *)((const char *)&list[i][k] + at);
    return bench_percentile(v, REPEATS, 0.5);
}

int main(int argc, char **argv)
{
    struct cost all[REPEATS][3], mid[3];
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("open", err.text);
    bare.engine = engine;
    for (int i = 0; i < REPEATS; i++) {
        for (int k = 0; k < 3; k++)
            use(worlds[k] = open_world(apps[k]));
        measure(all[i]);
        for (int k = 0; k < 3; k++)
            sosia_world_drop(engine, worlds[k], &err);
    }
    for (int k = 0; k < 3; k++)
        mid[k] = (struct cost){middle(all, k, offsetof(struct cost, call)),
                               middle(all, k, offsetof(struct cost, behind)),
                               middle(all, k, offsetof(struct cost, telling))};
    bench_report("post, nobody subscribes", mid[0].call, "us", 0, NULL);
    bench_report("post, one app subscribes", mid[1].call, "us", mid[0].call, "<= 1.25");
    bench_report("post, 100 apps subscribe", mid[2].call, "us", mid[1].call, "<= 1.05");
    bench_report("post behind telling one app", mid[1].behind, "us", mid[1].call, NULL);
    bench_report("post behind telling 100 apps", mid[2].behind, "us", mid[2].call, NULL);
    bench_report("telling one app, behind the call", mid[1].telling, "us", 0, NULL);
    bench_report("telling 100 apps, behind the call", mid[2].telling, "us", 0, NULL);
    uint64_t id = open_world(1);
    use(id);
    bare_measure(&bare, "post, one app subscribes, whole call / bare SQL", id, POST, body, 200,
                 "<= 1.25");
    sosia_engine_close(engine);
    return 0;
}
