/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A data directory that is larger than what anybody uses of it, by hand:
 *
 *     bench-parked make DIR [MB]     makes it: worlds of 3 MB, a file of random bytes in each
 * (3000) bench-parked use DIR [AFTER]   opens it, and calls worlds; with AFTER milliseconds as the
 * time after which worlds are parked
 */
#include "bench/bench_call.h"
#include <inttypes.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORLD = 3 << 20, CALLS = 100, MOST = 100000 };

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t worlds[MOST];
static size_t n_worlds;

static void open_engine(const char *dir, int64_t after_us)
{
    struct sosia_engine_options opt = {.data_dir = dir, .park_after_us = after_us};
    if (sosia_engine_open(&opt, &engine, &err) < 0)
        bench_die("open", err.text);
}

/* Bytes that the process has in memory. */
static double resident(void)
{
    uint64_t size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%" SCNu64 " %" SCNu64, &size, &pages) != 2)
        bench_die("memory", "can't be read");
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void bearer(uint64_t world, char to[SOSIA_TOKEN_MAX + 8])
{
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    memcpy(to, "Bearer ", 8);
    if (sosia_token_issue(engine, world, &opt, to + 7, SOSIA_TOKEN_MAX, &err) < 0)
        bench_die("token", err.text);
}

static void upload(uint64_t world, const char *data, size_t n)
{
    char token[SOSIA_TOKEN_MAX + 8];
    bearer(world, token);
    const struct sosia_header headers[] = {{"Authorization", token},
                                           {"Content-Type", "application/octet-stream"}};
    struct sosia_request r = {.method = "POST",
                              .target = "/upload/drive/v3/files?uploadType=media",
                              .headers = headers,
                              .n_headers = 2,
                              .body = data,
                              .body_len = n};
    struct sosia_response *res;
    if (sosia_call(engine, world, &r, &res, &err) < 0 || res->status != 200)
        bench_die("upload", "was refused");
    sosia_response_free(res);
}

static void make(const char *dir, int64_t mb)
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    char *data = malloc(WORLD);
    uint64_t first, w;
    if (!data)
        bench_die("memory", "is not there");
    open_engine(dir, 1000000);
    if (sosia_world_create(engine, &opt, &first, &err) < 0)
        bench_die("create", err.text);
    for (int64_t made = 0; made < mb * 1000000; made += WORLD) {
        for (size_t at = 0; at < WORLD; at += 256)
            if (getrandom(data + at, 256, 0) != 256)
                bench_die("random bytes", "are not there");
        if (sosia_world_fork(engine, first, NULL, &w, &err) < 0)
            bench_die("fork", err.text);
        upload(w, data, WORLD);
        sosia_engine_sweep(engine);
    }
    free(data);
    double begun = bench_wall();
    sosia_engine_close(engine);
    bench_report("parked: closing it", (bench_wall() - begun) / 1e6, "ms", 0, NULL);
}

static int add(void *arg, const struct sosia_world_info *info)
{
    if (info->parent)
        worlds[n_worlds++] = info->id;
    return n_worlds == MOST;
}

static double first_call(uint64_t world)
{
    char token[SOSIA_TOKEN_MAX + 8];
    double begun = bench_cpu();
    bearer(world, token);
    sosia_response_free(bench_call(engine, world, token, "GET", "/drive/v3/files", NULL));
    return (bench_cpu() - begun) / 1e6;
}

static void use(const char *dir, int64_t after_ms)
{
    double t[CALLS], before = resident(), begun = bench_wall(), cpu = bench_cpu();
    char path[200];
    struct stat s;
    open_engine(dir, after_ms * 1000);
    bench_report("parked: opening", (bench_wall() - begun) / 1e6, "ms", 0, "<= 1000");
    bench_report("parked: of these processor", (bench_cpu() - cpu) / 1e6, "ms", 0, NULL);
    bench_report("parked: memory of an open directory", resident() - before, "MB", 0, NULL);
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    if (stat(path, &s) == 0)
        bench_report("parked: the directory", (double)s.st_size / 1e6, "MB", 0, NULL);
    sosia_world_list(engine, 0, add, NULL, &err);
    bench_report("parked: worlds", (double)n_worlds, "", 0, NULL);
    size_t n = n_worlds < CALLS ? n_worlds : CALLS;
    for (size_t i = 0; i < n; i++)
        t[i] = first_call(worlds[i * (n_worlds / n)]);
    bench_report("parked: the first call to a world of 3 MB, CPU", bench_percentile(t, n, 0.5),
                 "ms", 0, NULL);
    bench_report("parked: of 100 such the slowest", bench_percentile(t, n, 1), "ms", 0, NULL);
    bench_report("parked: memory after these", resident() - before, "MB", 0, NULL);
    for (size_t i = 0; i < n; i++)
        t[i] = first_call(worlds[i * (n_worlds / n)]);
    bench_report("parked: the second call, CPU", bench_percentile(t, n, 0.5), "ms", 0, NULL);
    for (int64_t i = 0; after_ms && i < 40; i++) {
        usleep((unsigned)after_ms * 50);
        sosia_engine_sweep(engine);
    }
    if (after_ms)
        bench_report("parked: memory when they are parked", resident() - before, "MB", 0, NULL);
    sosia_engine_close(engine);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 3 ? atoll(argv[3]) : 0;
    if (argc > 2 && strcmp(argv[1], "make") == 0)
        make(argv[2], n ? n : 3000);
    else if (argc > 2 && strcmp(argv[1], "use") == 0)
        use(argv[2], n);
    else
        bench_die("usage", "bench-parked make DIR [MB], bench-parked use DIR [AFTER]");
    return 0;
}
