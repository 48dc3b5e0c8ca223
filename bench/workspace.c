/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native tools on files beside their bare SQL: the statements of a tool's method, run by
 * themselves on the same connection. CPU time, the middle of some batches; a write has a world of
 * its own, whose fork and drop both have. bench-workspace [--json]
 */
#include "bench/bare.h"
#include "bench/bench.h"

enum { FILES = 1000, READS = 2000, WRITES = 200 };
#define TOOLS       "/workspace/v1/filesystem/"
#define WRITE(text) "{\"path\":\"d0/f1\",\"content\":\"" text "\\n\"}"

static struct sosia_err err;
static struct sosia_engine *engine;
static char bearer[600];

/* One that reads: in one world, over and over. of: a fork of it has what a reset goes back to. */
static void reads(const char *name, uint64_t of, const char *target, const char *body,
                  const char *limit)
{
    struct bare b = {.engine = engine, .bearer = bearer};
    uint64_t world;
    if (sosia_world_fork(engine, of, NULL, &world, &err) < 0)
        bench_die("fork", err.text);
    double whole[BARE_BATCHES], alone[BARE_BATCHES];
    struct worker *k = bare_record(&b, world, "POST", target, body);
    struct world *w = world_take(engine, world, &err);
    bare_prepare(&b, k, w);
    for (int i = 0; i < BARE_BATCHES; i++) {
        double t = bench_cpu();
        world_drop(w);
        for (int j = 0; j < READS; j++)
            sosia_response_free(bench_call(engine, world, bearer, "POST", target, body));
        whole[i] = (bench_cpu() - t) / READS;
        w = world_take(engine, world, &err);
        t = bench_cpu();
        for (int j = 0; j < READS; j++)
            bare_run(&b, k, w, false);
        alone[i] = (bench_cpu() - t) / READS;
    }
    world_drop(w);
    bare_forget(&b);
    sosia_world_drop(engine, world, &err);
    bench_report(name, bench_percentile(whole, BARE_BATCHES, 0.5) / 1000, "us",
                 bench_percentile(alone, BARE_BATCHES, 0.5) / 1000, limit);
}

/* One that writes, in one world over and over, as a server has it: each is a commit of its own. By
 * turns with one body and the other. */
static void writes(const char *name, uint64_t of, const char *target, const char *const bodies[2])
{
    double whole[BARE_BATCHES];
    uint64_t world;
    if (sosia_world_fork(engine, of, NULL, &world, &err) < 0)
        bench_die("fork", err.text);
    for (int i = 0; i < BARE_BATCHES; i++) {
        const double t = bench_cpu();
        for (int j = 0; j < READS; j++)
            sosia_response_free(bench_call(engine, world, bearer, "POST", target, bodies[j % 2]));
        whole[i] = (bench_cpu() - t) / READS;
    }
    sosia_world_drop(engine, world, &err);
    bench_report(name, bench_percentile(whole, BARE_BATCHES, 0.5) / 1000, "us", 0, NULL);
}

int main(int argc, char **argv)
{
    const struct sosia_engine_options eo = {.size = sizeof eo};
    bench_begin(argc, argv);
    if (sosia_engine_open(&eo, &engine, &err) < 0)
        bench_die("engine", err.text);
    const uint64_t world = bench_workspace(engine, FILES, bearer, sizeof bearer);
    struct bare b = {.engine = engine, .bearer = bearer};
    reads("workspace: read_text_file, of its SQL", world, TOOLS "read_text_file",
          "{\"path\":\"d0/f1\"}", "<= 1.3");
    reads("workspace: list_directory of 100, of its SQL", world, TOOLS "list_directory",
          "{\"path\":\"d1\"}", NULL);
    bare_measure(&b, "workspace: write_file, of its SQL", world, TOOLS "write_file",
                 WRITE("another text"), WRITES, "<= 1.3");
    writes("workspace: write_file of the same again", world, TOOLS "write_file",
           (const char *const[]){WRITE("another text"), WRITE("another text")});
    writes("workspace: write_file of another text", world, TOOLS "write_file",
           (const char *const[]){WRITE("another text"), WRITE("some other text")});
    sosia_engine_close(engine);
    return 0;
}
