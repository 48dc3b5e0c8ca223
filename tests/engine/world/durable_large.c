/* SPDX-License-Identifier: Apache-2.0 */
/* The durable store: changes that bring many pages, which reach the disk before them. */
#include "tests/support/data_dir.h"
#include "engine/blob/blob.h"

#define LARGE ((size_t)6 << 20)

static char *bytes(unsigned seed)
{
    char *p = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i += 4)
        memcpy(p + i, &(uint32_t){(uint32_t)i * 2654435761u + seed}, 4);
    return p;
}

/* A large blob, with this number as its content, in one change. 0, -1. */
static int put_large(uint64_t world, unsigned seed, struct sosia_err *why)
{
    struct worker *k = worker_take(engine, why);
    struct world *w = k ? world_take(engine, world, why) : NULL;
    struct tx tx;
    char *data = bytes(seed);
    uint64_t ticket = 0;
    int64_t id;
    int rc = -1;
    if (w && tx_begin(&tx, engine, w, k, true, world_now(w), why) == 0) {
        rc = blob_put(&tx, data, LARGE, &id);
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
    free(data);
    return rc < 0 ? -1 : engine_sync(engine, ticket, why);
}

/* How many blobs are there; all must be whole. */
static int count_large(uint64_t world)
{
    struct worker *k = worker_take(engine, &err);
    struct world *w = world_take(engine, world, &err);
    static struct sql_text q = SQL_TEXT("select count(*) from blob");
    struct tx tx;
    int64_t n = -1;
    assert_non_null(w);
    assert_int_equal(tx_begin(&tx, engine, w, k, false, world_now(w), &err), 0);
    sqlite3_stmt *st = sql_use(tx.db, &q);
    assert_int_equal(sql_step(tx.db, st, &err), 1);
    n = sqlite3_column_int64(st, 0);
    sql_done(st);
    assert_int_equal(blobs_check(&tx), 0);
    tx_rollback(&tx);
    world_drop(w);
    worker_drop(k);
    return (int)n;
}

static void a_large_change_is_there_after_a_restart(void **state)
{
    struct durable_stats before, after;
    start();
    uint64_t w = make(NULL), f;
    durable_stats(engine->durable, &before);
    assert_int_equal(put_large(w, 1, &err), 0);
    durable_stats(engine->durable, &after);
    assert_int_equal(after.batches, before.batches + 1);
    assert_true(after.bytes - before.bytes > LARGE);
    f = fork_of(w);
    assert_int_equal(put_large(f, 2, &err), 0);
    restart();
    assert_int_equal(count_large(w), 1);
    assert_int_equal(count_large(f), 2);
}

static void a_fork_of_it_writes_nothing(void **state)
{
    struct durable_stats before, after;
    start();
    uint64_t w = make(NULL);
    assert_int_equal(put_large(w, 1, &err), 0);
    durable_stats(engine->durable, &before);
    uint64_t f = fork_of(w);
    assert_int_equal(add(f, "bob"), 0);
    durable_stats(engine->durable, &after);
    assert_true(after.bytes - before.bytes < 200000);
}

static void it_fails_as_a_whole_at_any_point(void **state)
{
    start();
    uint64_t w = make(NULL);
    int kept = 0, failed = 0;
    char name[32];
    for (long n = 1;; n += 1 + n / 4) {
        disk_fail(n, 1000000, n % 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL);
        int rc = put_large(w, (unsigned)n, &err);
        bool reached = disk_count() >= n;
        disk_fail(0, 0, 0);
        kept += rc == 0;
        failed += rc < 0;
        assert_int_equal(count_large(w), kept);
        snprintf(name, sizeof name, "p%ld", n);
        assert_int_equal(add(w, name), 0); /* the world can still be written */
        if (!reached)
            break;
    }
    assert_true(failed > 10);
    restart();
    assert_int_equal(count_large(w), kept);
    stop();
    assert_true(ask("select count(*) from page") < (kept + 1) * 3500 + 4096); /* no leavings */
}

struct at_work {
    pthread_t thread;
    uint64_t world;
    unsigned seed;
    int large, small;
};

static void *work(void *arg)
{
    struct at_work *x = arg;
    struct sosia_err why;
    for (unsigned i = 0; i < 4; i++) {
        char doc[100];
        x->large += put_large(x->world, x->seed + i, &why) == 0;
        snprintf(doc, sizeof doc, "{\"sosia\":1,\"people\":[{\"email\":\"p%u@acme.example\"}]}", i);
        x->small += sosia_world_seed(engine, x->world, doc, strlen(doc), NULL, &why) == 0;
    }
    return NULL;
}

/* Worlds whose changes fail are put back under their locks while others wait with theirs. */
static void failures_of_some_do_not_stop_others(void **state)
{
    enum { WORLDS = 4 };
    struct at_work all[WORLDS] = {0};
    start();
    for (unsigned i = 0; i < WORLDS; i++)
        all[i].world = make(NULL);
    for (unsigned i = 0; i < WORLDS; i++) {
        all[i].seed = 100 * i;
        assert_int_equal(pthread_create(&all[i].thread, NULL, work, &all[i]), 0);
    }
    for (int i = 0; i < 30; i++) {
        disk_fail(20, 5, SQLITE_IOERR_WRITE);
        usleep(10000);
    }
    disk_fail(0, 0, 0);
    for (unsigned i = 0; i < WORLDS; i++) {
        pthread_join(all[i].thread, NULL);
        assert_int_equal(count_large(all[i].world), all[i].large);
    }
    restart();
    for (unsigned i = 0; i < WORLDS; i++)
        assert_int_equal(count_large(all[i].world), all[i].large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_large_change_is_there_after_a_restart),
        TEST(a_fork_of_it_writes_nothing),
        TEST(it_fails_as_a_whole_at_any_point),
        TEST(failures_of_some_do_not_stop_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
