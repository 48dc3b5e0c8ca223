/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Python adds: a call by the package over the same call in C, in turns with it; forks, whole
 * episodes and tests; Google's client in process and over loopback. bench/python.py measures what
 * is Python's, in a process for each turn.
 */
#include "bench/bench_call.h"

#define TURNS  3
#define CALLS  20000
#define TARGET "/calendar/v3/calendars/primary/events/smallcoffee01"

/* A figure that the program gives: `best` of its turns. */
struct figure {
    const char *name, *key, *unit, *target;
    bool most; /* the greatest is the best */
    double best;
};

static struct figure figures[] = {
    {"python: call, status and body", "call", "us", NULL, false, 0},
    {"python: fork and drop", "fork", "us", NULL, false, 0},
    {"python: episodes a core-second", "episodes", "/s", ">= 3000", true, 0},
    {"python: import", "import", "ms", "<= 30", false, 0},
    {"python: engine and office world", "office", "ms", "<= 60", false, 0},
    {"python: test with a fresh world over empty one", "test", "us", "<= 200", false, 0},
    {"python: google client in process, an insert", "google_in", "us", NULL, false, 0},
    {"python: google client, loopback over in process", "google_wall", "x", ">= 3", true, 0},
    {"python: the same, CPU time", "google_cpu", "x", ">= 2.3", true, 0},
    {"python: the same as people write it", "google_plain_wall", "x", NULL, true, 0},
};

/* One turn of the Python program: a line a figure, "key value". */
static void turn(const char *command)
{
    char line[256], key[64];
    double value;
    FILE *f = popen(command, "r");
    if (!f)
        bench_die(command, "can't be started");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%63s %lf", key, &value) == 2)
            for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
                struct figure *at = &figures[i];
                if (strcmp(at->key, key) == 0 &&
                    (!at->best || (at->most ? value > at->best : value < at->best)))
                    at->best = value;
            }
    if (pclose(f) != 0)
        bench_die(command, "it failed");
}

static char *read_small(size_t *ret_len)
{
    static char text[65536];
    FILE *f = fopen(SMALL_FIXTURE, "rb");
    if (!f)
        bench_die(SMALL_FIXTURE, "can't be opened");
    *ret_len = fread(text, 1, sizeof text, f);
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    struct sosia_world_options options = {.seed_doc_name = "small"};
    struct sosia_token_options who = {.actor = "ada@small.example"};
    struct sosia_engine *engine;
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 8];
    struct sosia_err err;
    uint64_t world;
    double c = 0;
    bench_begin(argc, argv);
    options.seed_doc = read_small(&options.seed_doc_len);
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &options, &world, &err) < 0 ||
        sosia_token_issue(engine, world, &who, token, sizeof token, &err) < 0)
        bench_die("a world", err.text);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    for (int t = 0; t < TURNS; t++) {
        double start = bench_cpu();
        for (int i = 0; i < CALLS; i++)
            sosia_response_free(bench_call(engine, world, bearer, "GET", TARGET, NULL));
        double us = (bench_cpu() - start) / CALLS / 1000;
        c = !c || us < c ? us : c;
        turn(PYTHON_PROGRAM);
    }
    sosia_engine_close(engine);
    bench_report("C: call", c, "us", 0, NULL);
    bench_report("python: call over the same in C, more", figures[0].best - c, "us", 0, "<= 3");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        bench_report(figures[i].name, figures[i].best, figures[i].unit, 0, figures[i].target);
    return 0;
}
