/* SPDX-License-Identifier: Apache-2.0 */
/* The bare SQL of a call: its statements are recorded while it runs, and run again by themselves,
 * prepared and hot, in a transaction on the same connection, their rows read to the end. */
#ifndef SOSIA_BENCH_BARE_H
#define SOSIA_BENCH_BARE_H

#include "bench/bench_call.h"
#include "engine/world/engine.h"

#define BARE_STATEMENTS 256

/* What is asked, of whom. */
struct bare {
    struct sosia_engine *engine;
    const char *bearer;
    sqlite3_stmt *stmts[BARE_STATEMENTS];
    char *texts[BARE_STATEMENTS];
    int n;
};

static inline int bare_on_statement(unsigned type, void *arg, void *stmt, void *text)
{
    struct bare *b = arg;
    const char *sql = text;
    (void)type;
    if (strncmp(sql, "--", 2) != 0 && strcmp(sql, "begin") != 0 &&
        strcmp(sql, "begin immediate") != 0 && strcmp(sql, "commit") != 0 &&
        strcmp(sql, "savepoint s") != 0 && strcmp(sql, "release s") != 0 && b->n < BARE_STATEMENTS)
        b->texts[b->n++] = sqlite3_expanded_sql(stmt);
    return 0;
}

static inline void bare_call(struct bare *b, uint64_t world, const char *method, const char *target,
                             const char *body)
{
    struct sosia_err err;
    sosia_response_free(bench_call(b->engine, world, b->bearer, method, target, body));
    if (strcmp(method, "GET") != 0)
        sosia_world_reset(b->engine, world, &err);
}

/* Runs a call twice (the second with everything hot) and records the second's statements, prepared
 * on its connection: also those whose answers a worker keeps as long as nothing is written, and
 * those that a call does without when it reads rows from their pages. */
static inline struct worker *bare_record(struct bare *b, uint64_t world, const char *method,
                                         const char *target, const char *body)
{
    struct sosia_err err;
    bare_call(b, world, method, target, body);
    struct worker *k = worker_take(b->engine, &err);
    sqlite3 *db = slot_db(k->slot);
    free(k->known);
    k->known = NULL;
    slot_use_records(k->slot, false);
    sqlite3_trace_v2(db, SQLITE_TRACE_STMT, bare_on_statement, b);
    worker_drop(k);
    b->n = 0;
    bare_call(b, world, method, target, body);
    sqlite3_trace_v2(db, 0, NULL, NULL);
    slot_use_records(k->slot, true);
    return k;
}

static inline void bare_prepare(struct bare *b, struct worker *k, struct world *w)
{
    struct sosia_err err;
    struct tx tx;
    arena_reset(&k->arena);
    if (tx_begin(&tx, b->engine, w, k, false, 0, &err) < 0)
        bench_die("begin", err.text);
    for (int i = 0; i < b->n; i++)
        if (sqlite3_prepare_v3(slot_db(k->slot), b->texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &b->stmts[i], NULL) != SQLITE_OK)
            bench_die(b->texts[i], sqlite3_errmsg(slot_db(k->slot)));
    tx_rollback(&tx);
}

static inline void bare_forget(struct bare *b)
{
    for (int i = 0; i < b->n; i++) {
        sqlite3_finalize(b->stmts[i]);
        sqlite3_free(b->texts[i]);
    }
    b->n = 0;
}

static volatile size_t bare_sink;

static inline void bare_run(struct bare *b, struct worker *k, struct world *w, bool write)
{
    struct sosia_err err;
    slot_point(k->slot, &w->now, w->id, &w->version);
    slot_begin(k->slot, write, &err);
    for (int i = 0; i < b->n; i++) {
        sqlite3_stmt *st = b->stmts[i];
        while (sqlite3_step(st) == SQLITE_ROW)
            for (int c = sqlite3_column_count(st) - 1; c >= 0; c--)
                bare_sink += (size_t)sqlite3_column_bytes(st, c);
        sqlite3_reset(st);
    }
    slot_commit(k->slot, &err);
    slot_leave(k->slot);
}

#define BARE_BATCHES 9

/* A write in a world of its own: fork, call, drop, against fork, bare SQL, drop. n of each in a
 * batch. */
static inline void bare_measure(struct bare *b, const char *name, uint64_t world,
                                const char *target, const char *body, int n, const char *limit)
{
    double whole[BARE_BATCHES], alone[BARE_BATCHES];
    struct sosia_err err;
    uint64_t f;
    if (sosia_world_fork(b->engine, world, NULL, &f, &err) < 0)
        bench_die("fork", err.text);
    struct worker *k = bare_record(b, f, "POST", target, body);
    struct world *w = world_take(b->engine, f, &err);
    bare_prepare(b, k, w);
    world_drop(w);
    sosia_world_drop(b->engine, f, &err);
    for (int i = 0; i < BARE_BATCHES; i++) {
        double t = bench_cpu();
        for (int j = 0; j < n; j++) {
            sosia_world_fork(b->engine, world, NULL, &f, &err);
            sosia_response_free(bench_call(b->engine, f, b->bearer, "POST", target, body));
            sosia_world_drop(b->engine, f, &err);
        }
        whole[i] = (bench_cpu() - t) / n;
        t = bench_cpu();
        for (int j = 0; j < n; j++) {
            sosia_world_fork(b->engine, world, NULL, &f, &err);
            w = world_take(b->engine, f, &err);
            bare_run(b, k, w, true);
            world_drop(w);
            sosia_world_drop(b->engine, f, &err);
        }
        alone[i] = (bench_cpu() - t) / n;
    }
    bare_forget(b);
    bench_report(name, bench_percentile(whole, BARE_BATCHES, 0.5) / 1000, "us",
                 bench_percentile(alone, BARE_BATCHES, 0.5) / 1000, limit);
}

#endif
