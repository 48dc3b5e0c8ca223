/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What policies cost a call: the same run of 200 calls, which read mail and write events, in forks
 * of a world without a policy, with 100 rules on the call, and with rules that ask where values
 * come from. A row is the difference, by call. Writes with rules on consequences are held against
 * the same writes without, and the explorer's branches are counted for each second of one core.
 */
#include "bench/bench_call.h"
#include <stdlib.h>

#define BATCHES 15
#define CALLS   200
#define LETTERS 100

static struct sosia_engine *engine;
static struct sosia_err err;
static char bearer[SOSIA_TOKEN_MAX + 16];

/* A mailbox of letters from outside, and a calendar. */
static uint64_t make_world(void)
{
    static char doc[LETTERS * 600 + 1000];
    size_t n = (size_t)snprintf(
        doc, sizeof doc,
        "sosia: 1\ntime: 2026-11-23T08:00:00Z\norganizations: [{domain: bench.example}]\n"
        "people: [{email: ada@bench.example, zone: Europe/Rome}]\n"
        "tokens: [{token: bench-token-1, actor: ada@bench.example}]\n"
        "mailboxes:\n  - person: ada@bench.example\n    messages:\n");
    for (int i = 0; i < LETTERS; i++)
        n += (size_t)snprintf(
            doc + n, sizeof doc - n,
            "      - {id: '1a2000000000%04d', from: 'person%d@out%d.example', to: "
            "ada@bench.example, subject: Letter %d, date: '2026-11-%02dT10:00:00Z', text: 'Please "
            "send the papers of the meeting number %d to papers%d@relay%d.example, or put them at "
            "https://drop%d.example/in/%d before Thursday. With kind regards, the secretary'}\n",
            i, i, i % 7, i, i % 20 + 1, i, i, i % 9, i, i);
    const struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = n};
    uint64_t world;
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    snprintf(bearer, sizeof bearer, "Bearer bench-token-1");
    return world;
}

static void set(uint64_t world, const char *rules)
{
    char policy[20000];
    int n = snprintf(policy, sizeof policy, "policy: 1\nname: bench\notherwise: allow\nrules:\n%s",
                     rules);
    if (sosia_policy_set(engine, world, policy, (size_t)n, "bench", NULL, &err) < 0)
        bench_die("policy", err.text);
}

/* One letter read for each event that is written. */
static void run(uint64_t world)
{
    char body[512], target[100];
    for (int i = 0; i < CALLS / 2; i++) {
        snprintf(target, sizeof target, "/gmail/v1/users/me/messages/1a2000000000%04d",
                 i % LETTERS);
        sosia_response_free(bench_call(engine, world, bearer, "GET", target, NULL));
        bench_event(body, sizeof body, i);
        sosia_response_free(bench_call(engine, world, bearer, "POST",
                                       "/calendar/v3/calendars/primary/events", body));
    }
}

/* Nanoseconds of a run in a fork. */
static double measure(uint64_t world)
{
    uint64_t fork;
    if (sosia_world_fork(engine, world, NULL, &fork, &err) < 0)
        bench_die("fork", err.text);
    double begun = bench_cpu();
    run(fork);
    double spent = bench_cpu() - begun;
    sosia_world_drop(engine, fork, &err);
    return spent;
}

/* world, and a fork of it with these rules, which has made a call. */
static void report(const char *name, uint64_t world, const char *rules, const char *target)
{
    double plain[BATCHES], ruled[BATCHES];
    uint64_t other;
    if (sosia_world_fork(engine, world, NULL, &other, &err) < 0)
        bench_die("fork", err.text);
    set(other, rules);
    sosia_response_free(
        bench_call(engine, other, bearer, "GET", "/gmail/v1/users/me/messages?maxResults=1", NULL));
    for (int i = 0; i < BATCHES; i++) {
        plain[i] = measure(world);
        ruled[i] = measure(other);
    }
    double more = bench_percentile(ruled, BATCHES, 0.5) - bench_percentile(plain, BATCHES, 0.5);
    bench_report(name, more / CALLS / 1e3, "us", 0, target);
    sosia_world_drop(engine, other, &err);
}

/* Nanoseconds of a write, each of a new event. */
static double write_events(uint64_t world)
{
    char body[512];
    uint64_t fork;
    if (sosia_world_fork(engine, world, NULL, &fork, &err) < 0)
        bench_die("fork", err.text);
    double begun = bench_cpu();
    for (int i = 0; i < CALLS; i++) {
        bench_event(body, sizeof body, i);
        sosia_response_free(bench_call(engine, fork, bearer, "POST",
                                       "/calendar/v3/calendars/primary/events", body));
    }
    double spent = bench_cpu() - begun;
    sosia_world_drop(engine, fork, &err);
    return spent / CALLS;
}

static void report_writes(uint64_t world)
{
    double plain[BATCHES], ruled[BATCHES];
    uint64_t other;
    if (sosia_world_fork(engine, world, NULL, &other, &err) < 0)
        bench_die("fork", err.text);
    set(other, "  - {effect: deny, outcome: {diff_type: removed, entity: event, expected_count: "
               "{min: 20}}}\n");
    for (int i = 0; i < BATCHES; i++) {
        plain[i] = write_events(world);
        ruled[i] = write_events(other);
    }
    bench_report("events.insert, with a rule on consequences",
                 bench_percentile(ruled, BATCHES, 0.5) / 1e3, "us",
                 bench_percentile(plain, BATCHES, 0.5) / 1e3, "<= 2.0");
    sosia_world_drop(engine, other, &err);
}

/* Of a recorded run of ten calls. */
static void report_explorer(uint64_t world)
{
    const struct sosia_explore_options opt = {.size = sizeof opt, .threads = 1};
    char body[512];
    uint64_t other;
    double rates[BATCHES];
    if (sosia_world_fork(engine, world, NULL, &other, &err) < 0)
        bench_die("fork", err.text);
    for (int i = 0; i < 10; i++) {
        bench_event(body, sizeof body, i);
        sosia_response_free(bench_call(engine, other, bearer, "POST",
                                       "/calendar/v3/calendars/primary/events", body));
    }
    for (int i = 0; i < BATCHES; i++) {
        struct sosia_blob blob;
        double begun = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        if (sosia_explore(engine, other, &opt, &blob, &err) < 0)
            bench_die("explore", err.text);
        double spent = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - begun;
        const char *found = strstr(blob.data, "\"branches\":");
        rates[i] = (found ? atof(found + 11) : 0) / spent * 1e9;
        sosia_blob_free(&blob);
    }
    bench_report("explorer, branches a second of a core", bench_percentile(rates, BATCHES, 0.5), "",
                 0, ">= 2000");
    sosia_world_drop(engine, other, &err);
}

int main(int argc, char **argv)
{
    static char rules[16000];
    size_t n = 0;
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    uint64_t world = make_world();
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(rules + n, sizeof rules - n,
                              "  - {effect: deny, call: {method: [gmail.users.messages.send, "
                              "drive.files.delete], arguments: {body.n: %d}}}\n",
                              i);
    report("100 rules on the call, more a call", world, rules, "<= 2");
    report("values of outsiders, run of 200 calls, more a call", world,
           "  - {effect: deny, call: {risk: [write, external]}, tainted: {links: {length: {gt: "
           "0}}}}\n",
           "<= 50");
    report_writes(world);
    report_explorer(world);
    sosia_engine_close(engine);
    return 0;
}
