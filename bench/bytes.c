/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One GiB up and down over loopback: how fast, what the server's process holds beyond the stored
 * pages, what a fork costs afterwards; and on a data directory (in TMPDIR), how long the commits of
 * another world take meanwhile. The client is a process of its own. --size BYTES for less.
 */
#include "bench/bench.h"
#include "server/server.h"
#include "tests/support/files.h"
#include "tests/support/wire.h"
#include <ftw.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const struct sosia_service *const services[] = {&files_service, NULL};
static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;
static uint64_t world, other;
static char dir[128], self[4096];
static int64_t size = INT64_C(1) << 30;

static int64_t pages(void)
{
    struct sosia_engine_info info;
    sosia_engine_info(engine, &info);
    return (int64_t)info.size;
}

static void open_all(const char *data_dir)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    if (engine_open(&(struct sosia_engine_options){.data_dir = data_dir, .spool_dir = dir},
                    services, &engine, &err) < 0 ||
        sosia_world_create(engine, NULL, &world, &err) < 0 ||
        sosia_world_create(engine, NULL, &other, &err) < 0)
        bench_die("open", err.text);
    sosia_engine_default_world(engine, world);
    o.engine = engine;
    if (server_start(&o, &server, &err) < 0)
        bench_die("server", err.text);
}

static void close_all(void)
{
    server_stop(server);
    sosia_engine_close(engine);
}

/* ---- the client ---- */

static int client(const char *method, int port, int64_t n)
{
    struct wire_answer a;
    int fd = wire_open(port);
    bool up = strcmp(method, "PUT") == 0;
    if (fd < 0 || wire_request(fd, method, "/files/a", "", up ? n : 0, up ? n : 0) < 0 ||
        wire_answer(fd, 0, true, &a, NULL, NULL) < 0 || a.status != 200)
        return 1;
    return up || (a.as_sent && a.length == n) ? 0 : 1;
}

/* Runs it; gives the highest memory of this process meanwhile. */
static int64_t transfer(const char *method, double *ret_seconds)
{
    char port[16], n[32];
    int64_t highest = 0;
    int status, rc;
    snprintf(port, sizeof port, "%d", server_port(server));
    snprintf(n, sizeof n, "%lld", (long long)size);
    double start = bench_wall();
    char flag[] = "--client";
    char *const words[] = {self, flag, (char *)(uintptr_t)method, port, n, NULL};
    pid_t pid;
    if (posix_spawn(&pid, self, NULL, NULL, words, environ) != 0)
        bench_die("client", "can't be started");
    while ((rc = waitpid(pid, &status, WNOHANG)) == 0) {
        int64_t now = wire_memory(getpid());
        highest = now > highest ? now : highest;
        usleep(5000);
    }
    *ret_seconds = (bench_wall() - start) / 1e9;
    if (rc < 0 || status != 0)
        bench_die(method, "the transfer failed");
    return highest;
}

/* ---- in memory ---- */

static double fork_us(void)
{
    double t[101];
    uint64_t w;
    for (size_t i = 0; i < 101; i++) {
        double start = bench_wall();
        if (sosia_world_fork(engine, world, NULL, &w, &err) < 0)
            bench_die("fork", err.text);
        t[i] = (bench_wall() - start) / 1e3;
        sosia_world_drop(engine, w, NULL);
    }
    return bench_percentile(t, 101, 0.5);
}

static void in_memory(void)
{
    double took, mib = (double)size / (1 << 20), fork_before;
    open_all(NULL);
    fork_before = fork_us();
    int64_t before = wire_memory(getpid()), stored = pages();
    int64_t highest = transfer("PUT", &took);
    stored = pages() - stored;
    bench_report("bytes: up", mib / took, "MiB/s", 0, NULL);
    bench_report("bytes: memory at most beyond stored pages, up",
                 (double)(highest - before - stored) / (1 << 20), "MiB", 0, "<= 64");
    bench_report("bytes: stored for a byte", (double)stored / (double)size, "", 0, NULL);
    before = wire_memory(getpid());
    highest = transfer("GET", &took);
    bench_report("bytes: down", mib / took, "MiB/s", 0, NULL);
    bench_report("bytes: memory at most in addition, down", (double)(highest - before) / (1 << 20),
                 "MiB", 0, "<= 8");
    bench_report("bytes: a fork afterwards", fork_us(), "us", fork_before, NULL);
    close_all();
}

/* ---- on a data directory ---- */

#define MOST 1000000

static _Atomic bool over;

struct commits {
    double *ms;
    size_t n;
};

/* Small writes to another world, one after the other. */
static void *commit(void *arg)
{
    struct commits *c = arg;
    struct sosia_response *res;
    const struct sosia_request r = {.method = "POST", .target = "/files/x/note"};
    while (!atomic_load(&over) && c->n < MOST) {
        double start = bench_wall();
        if (sosia_call(engine, other, &r, &res, &err) < 0 || res->status != 200)
            bench_die("commit", err.text);
        c->ms[c->n++] = (bench_wall() - start) / 1e6;
        sosia_response_free(res);
    }
    return NULL;
}

static void committing(bool with, const char *name)
{
    static double room[MOST];
    struct commits c = {.ms = room};
    pthread_t thread;
    char label[96];
    double took = 0;
    atomic_store(&over, false);
    if (pthread_create(&thread, NULL, commit, &c) != 0)
        bench_die("thread", "can't be made");
    if (with)
        transfer("PUT", &took);
    else
        sleep(3);
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    static double quiet;
    double p99 = bench_percentile(c.ms, c.n, 0.99);
    snprintf(label, sizeof label, "bytes: p99 of another world's commits, %s", name);
    bench_report(label, p99, "ms", with ? quiet : 0, NULL);
    quiet = p99;
    snprintf(label, sizeof label, "bytes: the longest of them, %s", name);
    bench_report(label, bench_percentile(c.ms, c.n, 1), "ms", 0, NULL);
    if (with)
        bench_report("bytes: up, to the disk", (double)size / (1 << 20) / took, "MiB/s", 0, NULL);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s;
    (void)type;
    (void)f;
    return remove(path);
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    char data[160];
    if (argc == 5 && strcmp(argv[1], "--client") == 0)
        return client(argv[2], atoi(argv[3]), strtoll(argv[4], NULL, 10));
    if (argc > 2 && strcmp(argv[argc - 2], "--size") == 0) {
        size = strtoll(argv[argc - 1], NULL, 10);
        argc -= 2;
    }
    if (size <= 0 || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        bench_die("--size", "must be a number of bytes");
    bench_begin(argc, argv);
    snprintf(dir, sizeof dir, "%.80s/sosia-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        bench_die("mkdtemp", dir);
    in_memory();
    snprintf(data, sizeof data, "%s/data", dir);
    open_all(data);
    committing(false, "alone");
    committing(true, "while it goes through");
    close_all();
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
