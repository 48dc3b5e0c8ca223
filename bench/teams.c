/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams in a channel of 20,000 messages (--small: 500), through whole API calls in process: a page
 * of the newest, the channels and the members.
 *     teams [--json] [--small]
 */
#include "bench/bench_call.h"
#include "engine/base/buf.h"

enum { MESSAGES = 20000, FEW = 500, PEOPLE = 20, GETS = 25 };

#define WHO     "p0@bench.example"
#define TEAM    "9a000000-0000-4000-8000-000000000002"
#define CHANNEL "19:00000000000000000000000000000001@thread.tacv2"
#define PATH    "/v1.0/teams/" TEAM "/channels/" CHANNEL "/messages"

static struct sosia_engine *engine;
static struct sosia_err err;
static const char bearer[] = "Bearer bench-token-1";

/* Each of the people between two texts. */
static void add_people(struct buf *b, const char *before, const char *behind)
{
    for (int i = 0; i < PEOPLE; i++) {
        if (i)
            buf_byte(b, ',');
        buf_printf(b, "%sp%d@bench.example%s", before, i, behind);
    }
}

static void make_world(int n)
{
    struct buf b;
    uint64_t world;
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
                 "\"bench.example\"}],\"tokens\":[{\"token\":\"bench-token-1\",\"actor\":\"" WHO
                 "\"}],\"microsoftTenants\":[{\"domain\":\"bench.example\"}],\"people\":[");
    add_people(&b, "{\"email\":\"", "\"}");
    buf_puts(&b, "],\"accounts\":[");
    add_people(&b, "{\"actor\":\"", "\",\"vendor\":\"microsoft\"}");
    buf_puts(&b, "],\"workspaces\":[{\"domain\":\"bench.example\",\"vendor\":\"microsoft\"}],"
                 "\"teams\":[{\"id\":\"" TEAM "\",\"name\":\"Pier\",\"members\":[");
    add_people(&b, "\"", "\"");
    buf_puts(&b, "]}],\"channels\":[{\"id\":\"" CHANNEL "\",\"name\":\"Cargo\",\"team\":\"Pier\"}],"
                 "\"messages\":[");
    for (int i = 0; i < n; i++)
        buf_printf(&b,
                   "%s{\"channel\":\"" CHANNEL "\",\"from\":\"p%d@bench.example\",\"ts\":"
                   "\"%d.000000\",\"text\":\"<p>What there is to say of ship %d</p>\"}",
                   i ? "," : "", i * 7 % PEOPLE, 1700000000 + i * 60, i);
    buf_puts(&b, "]}");
    if (buf_failed(&b))
        bench_die("document", "there is no memory for it");
    struct sosia_world_options opt = {.seed_doc = b.data, .seed_doc_len = b.len};
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    buf_done(&b);
    sosia_engine_default_world(engine, world);
}

static void measure(const char *name, const char *target, const char *limit)
{
    bench_report(name, bench_gets(engine, bearer, target, GETS), "us", 0, limit);
}

int main(int argc, char **argv)
{
    const bool small = argc > 1 && strcmp(argv[argc - 1], "--small") == 0;
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    make_world(small ? FEW : MESSAGES);
    measure("Teams: 50 messages of a channel", PATH "?$top=50", "<= 100");
    measure("Teams: channels of a team", "/v1.0/teams/" TEAM "/channels", NULL);
    measure("Teams: members of a team", "/v1.0/teams/" TEAM "/members", NULL);
    sosia_engine_close(engine);
    return 0;
}
