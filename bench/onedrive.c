/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OneDrive through whole API calls in process: an item by a path of ten segments beside the same by
 * its id, a delta of nothing new, and a folder of 10,000 files (--small: 500) by pages of 200.
 *     onedrive [--json] [--small]
 */
#include "bench/bench_call.h"
#include "engine/base/buf.h"
#include <malloc.h>

enum { FILES = 10000, FEW = 500, DEPTH = 10, PAGE = 200, GETS = 25 };

#define WHO  "ada@bench.example"
#define DEEP "01AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2"

static struct sosia_engine *engine;
static struct sosia_err err;
static const char bearer[] = "Bearer bench-token-1";

static uint64_t make_world(int n)
{
    struct buf b;
    uint64_t world;
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
                 "\"bench.example\"}],\"people\":[{\"email\":\"" WHO "\"}],\"tokens\":[{\"token\":"
                 "\"bench-token-1\",\"actor\":\"" WHO "\"}],\"accounts\":[{\"actor\":\"" WHO
                 "\",\"vendor\":\"microsoft\"}],\"files\":[{\"id\":\"" DEEP
                 "Z\",\"name\":\"big\",\"type\":\"folder\",\"owner\":\"" WHO "\"}");
    for (int i = 0; i < DEPTH; i++) {
        buf_printf(&b, ",{\"id\":\"" DEEP "%c\",\"name\":\"level %d\",\"owner\":\"" WHO "\"",
                   'A' + i, i);
        if (i)
            buf_printf(&b, ",\"parent\":\"" DEEP "%c\"", 'A' + i - 1);
        buf_puts(&b, i + 1 < DEPTH ? ",\"type\":\"folder\"}" : ",\"content\":\"deep\"}");
    }
    for (int i = 0; i < n; i++)
        buf_printf(&b,
                   ",{\"name\":\"file %05d.txt\",\"owner\":\"" WHO "\",\"parent\":\"" DEEP
                   "Z\",\"content\":\"%d\"}",
                   i, i);
    buf_puts(&b, "]}");
    if (buf_failed(&b))
        bench_die("document", "there is no memory for it");
    struct sosia_world_options opt = {.seed_doc = b.data, .seed_doc_len = b.len};
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    buf_done(&b);
    sosia_engine_default_world(engine, world);
    return world;
}

/* The target that a link of an answer leads to; false: it has none. */
static bool follow(uint64_t world, const char *target, const char *name, char *ret, size_t size)
{
    char link[80];
    snprintf(link, sizeof link, "%s\":\"https://graph.microsoft.com", name);
    struct sosia_response *res = bench_call(engine, world, bearer, "GET", target, NULL);
    const char *at = strstr(res->body, link);
    if (at)
        snprintf(ret, size, "%.*s", (int)strcspn(at + strlen(link), "\""), at + strlen(link));
    sosia_response_free(res);
    return at != NULL;
}

/* Of the whole folder, a page. */
static double page_us(uint64_t world)
{
    char target[1024] = "/v1.0/me/drive/items/" DEEP "Z/children?$top=200", next[1024];
    double all = 0;
    int n = 0;
    bool more = true;
    while (more) {
        all += bench_gets(engine, bearer, target, 3);
        n++;
        more = follow(world, target, "nextLink", next, sizeof next);
        memcpy(target, next, sizeof target);
    }
    return all / n;
}

int main(int argc, char **argv)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* as the server has it (server/server.c) */
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
    const bool small = argc > 1 && strcmp(argv[argc - 1], "--small") == 0;
    char delta[1024], path[512] = "/v1.0/me/drive/root:";
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    uint64_t world = make_world(small ? FEW : FILES);
    for (int i = 0; i < DEPTH; i++)
        snprintf(path + strlen(path), sizeof path - strlen(path), "/level%%20%d", i);
    if (!follow(world, "/v1.0/me/drive/root/delta?token=latest", "deltaLink", delta, sizeof delta))
        bench_die("delta", "the answer has no link");
    const double by_id = bench_gets(engine, bearer, "/v1.0/me/drive/items/" DEEP "J", GETS);
    const double by_path = bench_gets(engine, bearer, path, GETS);
    bench_report("OneDrive: an item by its id", by_id, "us", 0, NULL);
    bench_report("OneDrive: by a path of ten segments", by_path, "us", 0, NULL);
    bench_report("OneDrive: by such a path, times by id", by_path / by_id, "times", 0, "<= 1.5");
    bench_report("OneDrive: delta of nothing new", bench_gets(engine, bearer, delta, GETS), "us", 0,
                 "<= 60");
    bench_report("OneDrive: 200 files of a folder of many", page_us(world), "us", 0, "<= 1000");
    sosia_engine_close(engine);
    return 0;
}
