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
    struct worker *k = worker_take(engine, &test_err);
    struct world *w = world_take(engine, world, &test_err);
    static struct sql_text q = SQL_TEXT("select count(*) from blob");
    struct tx tx;
    int64_t n = -1;
    assert_non_null(w);
    assert_int_equal(tx_begin(&tx, engine, w, k, false, world_now(w), &test_err), 0);
    sqlite3_stmt *st = sql_use(tx.db, &q);
    assert_int_equal(sql_step(tx.db, st, &test_err), 1);
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
    assert_int_equal(put_large(w, 1, &test_err), 0);
    durable_stats(engine->durable, &after);
    assert_int_equal(after.batches, before.batches + 1);
    assert_true(after.bytes - before.bytes > LARGE);
    f = fork_of(w);
    assert_int_equal(put_large(f, 2, &test_err), 0);
    restart();
    assert_int_equal(count_large(w), 1);
    assert_int_equal(count_large(f), 2);
}

static void a_fork_of_it_writes_nothing(void **state)
{
    struct durable_stats before, after;
    start();
    uint64_t w = make(NULL);
    assert_int_equal(put_large(w, 1, &test_err), 0);
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
        int rc = put_large(w, (unsigned)n, &test_err);
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

static int count_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    int64_t *n = arg;
    assert_int_equal(seq, ++*n);
    assert_int_equal(entry[0], 'a' + seq);
    assert_int_equal(len, 3 << 20);
    return 0;
}

static int64_t count_entries(uint64_t world)
{
    int64_t n = 0;
    struct world *w = world_take(engine, world, &test_err);
    assert_non_null(w);
    assert_int_equal(journal_each_of(w->past, w->extra ? &w->extra->journal : NULL, 0, INT64_MAX,
                                     INT64_MAX, count_entry, &n),
                     0);
    world_drop(w);
    return n;
}

/* What has no threads of its own takes the thread sanitizer long. */
static void skip_under_threads(void)
{
#ifdef __SANITIZE_THREAD__
    skip();
#endif
}

struct sqlite3_api_routines;

static int limit_rows(sqlite3 *db, char **ret_error, const struct sqlite3_api_routines *api)
{
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 20 << 20);
    return SQLITE_OK;
}

/* A row can't have more than 1 GB; here it is 20 MB. */
static void a_long_journal_is_in_many_rows(void **state)
{
    skip_under_threads();
    void (*when_opened)(void) = (void (*)(void))(uintptr_t)limit_rows;
    assert_int_equal(sqlite3_auto_extension(when_opened), SQLITE_OK);
    start();
    assert_int_equal(sqlite3_cancel_auto_extension(when_opened), 1);
    uint64_t w = make(NULL);
    char *text = calloc(1, (3 << 20) + 1);
    for (int i = 1; i <= 8; i++) {
        memset(text, 'a' + i, 3 << 20);
        note(w, text, i == 8);
    }
    free(text);
    uint64_t f = fork_of(w); /* with all of it as its past */
    restart();
    assert_int_equal(count_entries(w), 8);
    assert_int_equal(count_entries(f), 8);
}

/* Somebody has made it so: nothing can be given back, and nobody tries without end. */
static void a_file_that_can_not_get_shorter_stays_as_it_is(void **state)
{
    char path[128];
    sqlite3 *db;
    skip_under_threads();
    start();
    uint64_t w = make(NULL), f = fork_of(w);
    stop();
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, "unix"), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "pragma journal_mode = delete; pragma auto_vacuum = none; "
                                  "vacuum; pragma journal_mode = wal",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(ask("pragma auto_vacuum"), 0);
    start();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(put_large(f, i, &test_err), 0);
    assert_int_equal(sosia_world_drop(engine, f, &test_err), 0);
    restart(); /* after what was to be done */
    assert_int_equal(add(w, "bob"), 0);
    stop();
    assert_true(ask("pragma freelist_count") > 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_large_change_is_there_after_a_restart),
        TEST(a_fork_of_it_writes_nothing),
        TEST(it_fails_as_a_whole_at_any_point),
        TEST(failures_of_some_do_not_stop_others),
        TEST(a_long_journal_is_in_many_rows),
        TEST(a_file_that_can_not_get_shorter_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
