/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the package for Node costs: the same call in C and in Node, in one run. The calls in C are
 * made here; then Node runs node.mjs beside the addon of this build. bench-node [--json]
 */
#include "bench/bench_call.h"
#include <unistd.h>

enum { ROUNDS = 100, CALLS = 2000 };

#define TOKEN  "bench-token-1"
#define TARGET "/calendar/v3/calendars/primary/events/%s"

static char *read_file(const char *path, size_t *ret_len)
{
    FILE *f = fopen(path, "r");
    char *text = malloc(1 << 22);
    if (!f || !text)
        bench_die(path, "can't be read");
    *ret_len = fread(text, 1, 1 << 22, f);
    fclose(f);
    return text;
}

/* Microseconds of a call, best of many rounds, as node.mjs has them. */
static double call_us(struct sosia_engine *engine, uint64_t world, const char *target)
{
    double best = 0;
    for (int r = 0; r < ROUNDS; r++) {
        double begun = bench_wall();
        for (int i = 0; i < CALLS; i++)
            sosia_response_free(bench_call(engine, world, "Bearer " TOKEN, "GET", target, NULL));
        double us = (bench_wall() - begun) / 1e3 / CALLS;
        if (!best || us < best)
            best = us;
    }
    return best;
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    struct sosia_engine *engine;
    struct sosia_err err;
    uint64_t world;
    char token[SOSIA_TOKEN_MAX], target[256], c_us[32], addon[4096];
    const char *folder = getenv("SOSIA_FIXTURES");
    char path[4096];
    snprintf(path, sizeof path, "%s/office.yaml", folder ? folder : "fixtures");
    struct sosia_world_options opt = {.journal = SOSIA_JOURNAL_NONE};
    opt.seed_doc = read_file(path, &opt.seed_doc_len);
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0 ||
        sosia_token_issue(
            engine, world,
            &(struct sosia_token_options){.actor = "marta.ferri@tidewater.example", .value = TOKEN},
            token, sizeof token, &err) < 0)
        bench_die("world", err.text);
    struct sosia_response *list =
        bench_call(engine, world, "Bearer " TOKEN, "GET",
                   "/calendar/v3/calendars/primary/events?maxResults=1&fields=items(id)", NULL);
    const char *id = strstr(list->body, "\"id\": \"");
    if (!id)
        bench_die("events", "there are none");
    snprintf(target, sizeof target, TARGET, id + 7);
    target[strcspn(target, "\"")] = 0;
    sosia_response_free(list);
    double us = call_us(engine, world, target);
    bench_report("node: events.get in C", us, "us", 0, NULL);
    sosia_engine_close(engine);
    const char *slash = strrchr(argv[0], '/');
    snprintf(addon, sizeof addon, "%.*s/../bindings/node/sosia.node",
             slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
    snprintf(c_us, sizeof c_us, "%f", us);
    setenv("SOSIA_NODE_ADDON", addon, 1);
    execl("conformance/clients/run", "run", "bench/node.mjs", target, c_us,
          bench_json ? "--json" : NULL, NULL);
    bench_die("conformance/clients/run", "is not there");
}
