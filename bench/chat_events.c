/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs a call that apps are told of it: chat.postMessage in a channel with nobody who
 * subscribes, with one app, and with a hundred; and what the telling costs, which is no part of the
 * call (a server does it when the response is on its way).
 */
#include "bench/bench.h"
#include "sosia.h"

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
    double call, telling; /* microseconds of one */
};

static struct cost measure(uint64_t id)
{
    static const char body[] = "channel=C0DEV&text=The%20build%20is%20done";
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 8];
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    double calls[ROUNDS], tellings[ROUNDS];
    if (sosia_token_issue(engine, id, &opt, token, sizeof token, &err) < 0)
        bench_die("token", err.text);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    const struct sosia_header headers[] = {{"Authorization", bearer},
                                           {"Content-Type", "application/x-www-form-urlencoded"}};
    struct sosia_request r = {.method = "POST",
                              .target = "/api/chat.postMessage",
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = sizeof body - 1};
    for (int i = 0; i < ROUNDS; i++) {
        struct sosia_response *res;
        double begun = bench_cpu();
        if (sosia_call(engine, id, &r, &res, &err) < 0)
            bench_die("call", err.text);
        calls[i] = bench_cpu() - begun;
        if (!strstr(res->body, "\"ok\":true"))
            bench_die("call", res->body);
        sosia_response_free(res);
        begun = bench_cpu();
        if (sosia_world_wake(engine, id, &err) < 0)
            bench_die("wake", err.text);
        tellings[i] = bench_cpu() - begun;
    }
    return (struct cost){bench_percentile(calls, ROUNDS, 0.5) / 1e3,
                         bench_percentile(tellings, ROUNDS, 0.5) / 1e3};
}

int main(int argc, char **argv)
{
    static const int apps[] = {0, 1, APPS};
    double calls[3][REPEATS], tellings[3][REPEATS];
    struct cost at[3];
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("open", err.text);
    for (int k = 0; k < REPEATS; k++) {
        for (int i = 0; i < 3; i++) {
            uint64_t id = open_world(apps[i]);
            struct cost c = measure(id);
            calls[i][k] = c.call;
            tellings[i][k] = c.telling;
            sosia_world_drop(engine, id, &err);
        }
    }
    for (int i = 0; i < 3; i++)
        at[i] = (struct cost){bench_percentile(calls[i], REPEATS, 0.5),
                              bench_percentile(tellings[i], REPEATS, 0.5)};
    bench_report("post, nobody subscribes", at[0].call, "us", 0, NULL);
    bench_report("post, one app subscribes", at[1].call, "us", at[0].call, "<= 1.25");
    bench_report("post, 100 apps subscribe", at[2].call, "us", at[1].call, "<= 1.05");
    bench_report("telling one app, behind the call", at[1].telling, "us", 0, NULL);
    bench_report("telling 100 apps, behind the call", at[2].telling, "us", 0, NULL);
    sosia_engine_close(engine);
    return 0;
}
