/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits a second of a data directory with 1, 8 and 64 callers, each on a world of its own, beside
 * those of a plain SQLite file on the same disk (WAL, synchronous FULL, one connection); and what a
 * small write costs in bytes. The directory is made in TMPDIR.
 */
#include "bench/bench.h"
#include "engine/durable/durable.h"
#include "engine/world/engine.h"
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64, SECONDS = 2 };

static struct sosia_engine *engine;
static char dir[128];
static _Atomic(bool) over;

static double now(void)
{
    return bench_wall() / 1e9;
}

/* Bytes that the process has given to write(). */
static uint64_t written(void)
{
    char line[128];
    uint64_t n = 0;
    FILE *f = fopen("/proc/self/io", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "wchar: %" SCNu64, &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

static uint64_t file_size(void)
{
    char path[160];
    struct stat s;
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    return stat(path, &s) == 0 ? (uint64_t)s.st_size : 0;
}

static void open_engine(void)
{
    struct sosia_engine_options opt = {.data_dir = dir};
    struct sosia_err err;
    if (sosia_engine_open(&opt, &engine, &err) < 0)
        bench_die("open", err.text);
}

struct caller {
    pthread_t thread;
    uint64_t world, n;
};

/* One row in one table, one commit. */
static int small_write(uint64_t world, struct sosia_err *err)
{
    struct worker *k = worker_take(engine, err);
    struct world *w = k ? world_take(engine, world, err) : NULL;
    struct tx tx;
    int rc = -1;
    uint64_t ticket = 0;
    if (w && tx_begin(&tx, engine, w, k, true, world_now(w), err) == 0) {
        rc = outbox_add(&tx, "mail", "ada@a.example", "bob@b.example",
                        "{\"subject\":\"A small write\"}");
        if (rc < 0)
            tx_rollback(&tx);
        else
            rc = tx_commit(&tx);
        ticket = w->ticket;
    }
    if (w)
        world_drop(w);
    if (k)
        worker_drop(k);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

static void *call(void *arg)
{
    struct caller *c = arg;
    struct sosia_err err;
    while (!atomic_load(&over)) {
        if (small_write(c->world, &err) < 0)
            bench_die("write", err.text);
        c->n++;
    }
    return NULL;
}

static double run(struct caller *callers, int n, double seconds, uint64_t *ret_bytes)
{
    struct sosia_err err;
    uint64_t base, sum = 0;
    if (sosia_world_create(engine, NULL, &base, &err) < 0)
        bench_die("create", err.text);
    for (int i = 0; i < n; i++) {
        callers[i] = (struct caller){0};
        if (sosia_world_fork(engine, base, NULL, &callers[i].world, &err) < 0)
            bench_die("fork", err.text);
    }
    atomic_store(&over, false);
    uint64_t bytes = written();
    double start = now();
    for (int i = 0; i < n; i++)
        if (pthread_create(&callers[i].thread, NULL, call, &callers[i]) != 0)
            bench_die("thread", "can't be made");
    usleep((useconds_t)(seconds * 1e6));
    atomic_store(&over, true);
    for (int i = 0; i < n; i++) {
        pthread_join(callers[i].thread, NULL);
        sum += callers[i].n;
    }
    double took = now() - start;
    *ret_bytes = sum ? (written() - bytes) / sum : 0;
    return (double)sum / took;
}

/* The same row in a file of its own. */
static double plain(double seconds)
{
    char path[160];
    sqlite3 *db;
    sqlite3_stmt *st;
    uint64_t n = 0;
    snprintf(path, sizeof path, "%s/plain.db", dir);
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(
            db,
            "pragma journal_mode = wal; pragma synchronous = full;"
            "create table outbox (id integer primary key, at_us, kind, sender, recipients, "
            "payload)",
            NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(
            db,
            "insert into outbox (at_us, kind, sender, recipients, payload) values (1, 'mail', "
            "'ada@a.example', 'bob@b.example', '{\"subject\":\"A small write\"}')",
            -1, &st, NULL) != SQLITE_OK)
        bench_die("plain", sqlite3_errmsg(db));
    double start = now(), took;
    do {
        if (sqlite3_step(st) != SQLITE_DONE)
            bench_die("plain", sqlite3_errmsg(db));
        sqlite3_reset(st);
        n++;
        took = now() - start;
    } while (took < seconds);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return (double)n / took;
}

/* What worlds with some writes each take in the closed store. */
static void at_rest(void)
{
    enum { WORLDS = 1000, WRITES = 5 };
    struct sosia_err err;
    uint64_t base, w;
    open_engine();
    if (sosia_world_create(engine, NULL, &base, &err) < 0)
        bench_die("create", err.text);
    sosia_engine_close(engine);
    uint64_t before = file_size();
    open_engine();
    for (int i = 0; i < WORLDS; i++) {
        if (sosia_world_fork(engine, base, NULL, &w, &err) < 0)
            bench_die("fork", err.text);
        for (int k = 0; k < WRITES; k++)
            if (small_write(w, &err) < 0)
                bench_die("write", err.text);
    }
    struct world *x = world_take(engine, w, &err);
    uint64_t dirty = x ? x->now.n_private * (uint64_t)STORE_PAGE_SIZE : 0;
    if (x)
        world_drop(x);
    sosia_engine_close(engine);
    bench_report("durable: a fork with 5 small writes at rest",
                 (double)(file_size() - before) / WORLDS, "bytes", (double)dirty, NULL);
    double start = now();
    open_engine();
    bench_report("durable: opening 1000 such worlds", (now() - start) * 1e3, "ms", 0, NULL);
    sosia_engine_close(engine);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s;
    (void)type;
    (void)f;
    return remove(path);
}

static void commits(double plain_rate)
{
    static const int sizes[] = {1, 8, MOST};
    static struct caller callers[MOST];
    struct durable_stats before, after;
    char name[64];
    uint64_t bytes;
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++) {
        durable_stats(engine->durable, &before);
        double rate = run(callers, sizes[i], SECONDS, &bytes);
        durable_stats(engine->durable, &after);
        double changes = (double)(after.changes - before.changes);
        snprintf(name, sizeof name, "durable: commits, %d callers", sizes[i]);
        bench_report(name, rate, "1/s", plain_rate, NULL);
        snprintf(name, sizeof name, "durable: changes to a sync, %d callers", sizes[i]);
        bench_report(name, changes / (double)(after.batches - before.batches), "", 0, NULL);
        snprintf(name, sizeof name, "durable: pages of a small write, %d callers", sizes[i]);
        bench_report(name, (double)(after.bytes - before.bytes) / changes, "bytes", 0, NULL);
        snprintf(name, sizeof name, "durable: written for it, %d callers", sizes[i]);
        bench_report(name, (double)bytes, "bytes", 0, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    bench_begin(argc, argv);
    snprintf(dir, sizeof dir, "%.80s/sosia-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        bench_die("mkdtemp", dir);
    sqlite3_initialize();
    double base = plain(SECONDS);
    bench_report("durable: commits of a plain SQLite file", base, "1/s", 0, NULL);
    open_engine();
    commits(base);
    sosia_engine_close(engine);
    nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (mkdir(dir, 0700) < 0)
        bench_die("mkdir", dir);
    at_rest();
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
