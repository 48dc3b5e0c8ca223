/* SPDX-License-Identifier: Apache-2.0 */
/* The durable store: writes that fail, and callers that wait for the disk. */
#include "engine/world/rate.h"
#include "tests/support/data_dir.h"

/* ---- failures ---- */

static void a_failed_write_changes_nothing_at_any_point(void **state)
{
    start();
    uint64_t w = make(NULL);
    char name[32];
    int failed = 0;
    for (long n = 1;; n++) {
        snprintf(name, sizeof name, "n%ld", n);
        disk_fail(n, 1, n % 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL);
        int rc = add(w, name);
        bool reached = disk_count() >= n;
        disk_fail(0, 0, 0);
        assert_true(has(w, name) == (rc == 0));
        if (rc < 0) {
            assert_int_equal(test_err.code, n % 2 ? SOSIA_E_IO : SOSIA_E_FULL);
            failed++;
            assert_int_equal(add(w, name), 0);
        }
        if (!reached)
            break;
    }
    assert_true(failed >= 3);
    restart();
    for (int i = 1; i <= failed; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_true(has(w, name));
    }
}

/* As if the machine stopped now: what is in the files is copied to another directory, which
 * becomes the one in use. */
static void crash(void)
{
    char command[300];
    snprintf(command, sizeof command, "cp -r %s %s.copy && rm -r %s.copy/lock", dir, dir, dir);
    assert_int_equal(system(command), 0);
    stop();
    snprintf(command, sizeof command, "rm -r %s && mv %s.copy %s", dir, dir, dir);
    assert_int_equal(system(command), 0);
    start();
}

static void a_failed_change_does_not_come_back_with_a_crash(void **state)
{
    start();
    uint64_t w = make(NULL);
    for (long n = 1; n < 200; n++) {
        disk_fail(n, 1, SQLITE_IOERR_FSYNC);
        int rc = add(w, "bob");
        disk_fail(0, 0, 0);
        if (rc == 0)
            break;
        crash();
        assert_false(has(w, "bob"));
    }
    assert_true(has(w, "bob"));
    crash();
    assert_true(has(w, "bob"));
}

static void a_world_that_could_not_be_written_is_not_there(void **state)
{
    uint64_t w, f;
    start();
    w = make(NULL);
    disk_fail(1, 1000, SQLITE_FULL);
    struct sosia_world_options opt = {.name = "new"};
    assert_int_equal(sosia_world_create(engine, &opt, &f, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_FULL);
    assert_int_equal(sosia_world_fork(engine, w, NULL, &f, &test_err), -1);
    assert_int_equal(sosia_world_find(engine, "new", &f, &test_err), -1);
    disk_fail(0, 0, 0);
    assert_true(engine_live(engine) == 1);
    make("new");
    assert_true(has(w, "ada"));
}

static void a_drop_that_failed_leaves_the_world(void **state)
{
    uint64_t found;
    start();
    uint64_t w = make("one");
    assert_int_equal(sosia_world_ttl(engine, w, INT64_C(3600000000), false, &test_err), 0);
    disk_fail(1, 1000, SQLITE_IOERR_WRITE);
    assert_int_equal(sosia_world_drop(engine, w, &test_err), -1);
    disk_fail(0, 0, 0);
    assert_int_equal(sosia_world_find(engine, "one", &found, &test_err), 0);
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(sosia_world_drop(engine, w, &test_err), 0);
    assert_int_equal(atomic_load(&engine->n_expiring), 0);
    restart();
    assert_false(exists(w));
}

/* What is in memory alone goes back with the rest. */
static void what_was_used_up_of_limits_and_eras_go_back(void **state)
{
    enum { MINUTE = 60000000 };
    start();
    uint64_t w = make("one");
    disk_fail(1, 1000, SQLITE_FULL);
    assert_int_equal(sosia_world_reset(engine, w, &test_err), -1);
    struct world *x = world_take(engine, w, &test_err);
    assert_int_equal(x->era, 0);
    rate_take(x, 7, 1, MINUTE, 1, world_now(x));
    assert_true(rate_wait(x, 7, 1, MINUTE, 1, world_now(x)) > 0);
    assert_int_equal(world_changed(engine, x, &test_err), 0);
    uint64_t ticket = x->ticket;
    world_drop(x);
    assert_int_equal(engine_sync(engine, ticket, &test_err), -1);
    disk_fail(0, 0, 0);
    x = world_take(engine, w, &test_err);
    assert_true(rate_wait(x, 7, 1, MINUTE, 1, world_now(x)) == 0);
    world_drop(x);
    assert_int_equal(sosia_world_reset(engine, w, &test_err), 0);
    x = world_take(engine, w, &test_err);
    assert_int_equal(x->era, 1);
    world_drop(x);
}

enum { EXPIRED = 600 }; /* more than a sweep drops at once */

static void a_sweep_ends_if_no_world_can_be_dropped(void **state)
{
    uint64_t f[EXPIRED];
    start();
    uint64_t w = make("one");
    engine_sync_later();
    for (int i = 0; i < EXPIRED; i++) {
        assert_int_equal(sosia_world_fork(engine, w, NULL, &f[i], &test_err), 0);
        assert_int_equal(sosia_world_ttl(engine, f[i], 1000, true, &test_err), 0);
        assert_int_equal(sosia_clock_advance(engine, f[i], 1000, &test_err), 0);
    }
    assert_int_equal(engine_sync_now(engine, &test_err), 0);
    disk_fail(1, 100000000, SQLITE_FULL);
    assert_true(sosia_engine_sweep(engine) <= EXPIRED);
    disk_fail(0, 0, 0);
    restart();
    sosia_engine_sweep(engine);
    restart();
    assert_true(exists(w) && engine_live(engine) == 1);
}

static void resets_clocks_ttls_and_journals_go_back_too(void **state)
{
    struct sosia_world_info before, after;
    start();
    uint64_t w = make("one");
    assert_int_equal(add(w, "bob"), 0);
    note(w, "one", true);
    note(w, "two", true);
    assert_int_equal(sosia_world_info(engine, w, &before, &test_err), 0);
    disk_fail(1, 100000, SQLITE_IOERR_WRITE);
    assert_int_equal(sosia_clock_advance(engine, w, 1000, &test_err), -1);
    assert_int_equal(sosia_world_ttl(engine, w, 1000, false, &test_err), -1);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, 3, &test_err), -1);
    assert_int_equal(sosia_world_reset(engine, w, &test_err), -1);
    disk_fail(0, 0, 0);
    assert_true(has(w, "bob"));
    assert_string_equal(notes(w), "1:one 2:two ");
    assert_int_equal(sosia_world_info(engine, w, &after, &test_err), 0);
    assert_memory_equal(&before, &after, sizeof before);
    note(w, "three", true);
    restart();
    assert_string_equal(notes(w), "1:one 2:two 3:three ");
}

struct waiter {
    pthread_t thread;
    _Atomic(pid_t) id; /* 0: it has not begun */
    uint64_t world, fork;
    int rc;
};

static void *add_in_thread(void *arg)
{
    struct waiter *x = arg;
    char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"bob@acme.example\"}]}";
    x->rc = sosia_world_seed(engine, x->world, doc, strlen(doc), NULL, NULL);
    return NULL;
}

static void *fork_in_thread(void *arg)
{
    struct waiter *x = arg;
    atomic_store(&x->id, gettid());
    x->rc = sosia_world_fork(engine, x->world, NULL, &x->fork, NULL);
    return NULL;
}

static void *dump_in_thread(void *arg)
{
    struct waiter *x = arg;
    struct sosia_blob b;
    atomic_store(&x->id, gettid());
    x->rc = sosia_world_dump(engine, x->world, &b, NULL);
    if (x->rc == 0)
        sosia_blob_free(&b);
    return NULL;
}

static void in_thread(struct waiter *x, void *(*fn)(void *))
{
    assert_int_equal(pthread_create(&x->thread, NULL, fn, x), 0);
}

/* Until the world's last ticket is another. */
static uint64_t wait_ticket(uint64_t world, uint64_t not_this)
{
    for (;;) {
        struct world *w = world_take(engine, world, &test_err);
        uint64_t ticket = w->ticket;
        world_drop(w);
        if (ticket != not_this)
            return ticket;
        usleep(100);
    }
}

/* Whether the thread is suspended, and does not only wait for its turn. */
static bool is_waiting(const struct waiter *x)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)atomic_load(&x->id));
    FILE *f = atomic_load(&x->id) ? fopen(path, "r") : NULL;
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *name = strrchr(text, ')');
    return name && name[1] == ' ' && name[2] == 'S';
}

/* Three threads on a change that is held back in its sync: who makes it, who forks its world, who
 * reads it. */
static void hold_three(struct waiter *add_it, struct waiter *fork_it, struct waiter *read_it,
                       uint64_t w)
{
    uint64_t before = wait_ticket(w, UINT64_MAX);
    *add_it = *fork_it = *read_it = (struct waiter){.world = w, .rc = 99};
    disk_hold(true);
    in_thread(add_it, add_in_thread);
    disk_wait_held();
    wait_ticket(w, before);
    in_thread(fork_it, fork_in_thread);
    in_thread(read_it, dump_in_thread);
    while (engine_live(engine) < 2)
        usleep(100);
    /* One that held what the other waits for would not be suspended itself: both wait for the
     * disk. */
    while (!is_waiting(fork_it) || !is_waiting(read_it))
        usleep(100);
    assert_int_equal(durable_state(engine->durable, wait_ticket(w, before)), 0);
}

static void join_three(struct waiter *a, struct waiter *b, struct waiter *c)
{
    pthread_join(a->thread, NULL);
    pthread_join(b->thread, NULL);
    pthread_join(c->thread, NULL);
}

static void who_saw_what_is_not_on_disk_waits_for_it(void **state)
{
    struct waiter a, f, r;
    start();
    uint64_t w = make(NULL);
    hold_three(&a, &f, &r, w);
    disk_hold(false);
    join_three(&a, &f, &r);
    assert_true(a.rc == 0 && f.rc == 0 && r.rc == 0);
    assert_true(has(f.fork, "bob"));
    restart();
    assert_true(has(f.fork, "bob") && has(w, "bob"));
}

/* SQLite goes on writing into a file without a name. */
static void what_is_written_after_the_file_was_removed_is_not_acknowledged(void **state)
{
    char file[100], away[100];
    start();
    uint64_t w = make(NULL);
    snprintf(file, sizeof file, "%s/sosia.db", dir);
    snprintf(away, sizeof away, "%s/away", dir);
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(rename(file, away), 0);
    assert_int_equal(add(w, "cid"), -1);
    assert_int_equal(test_err.code, SOSIA_E_IO);
    assert_non_null(strstr(test_err.text, "removed or replaced"));
    assert_true(has(w, "bob") && !has(w, "cid"));
    fclose(fopen(file, "w")); /* another one in its place */
    assert_int_equal(add(w, "dan"), -1);
    assert_int_equal(rename(away, file), 0);
    assert_int_equal(add(w, "eve"), 0);
    restart();
    assert_true(has(w, "bob") && has(w, "eve") && !has(w, "cid") && !has(w, "dan"));
}

static void who_saw_what_failed_fails_and_so_do_forks_of_it(void **state)
{
    struct waiter a, f, r;
    start();
    uint64_t w = make(NULL);
    hold_three(&a, &f, &r, w);
    disk_fail(1, 1, SQLITE_IOERR_FSYNC);
    disk_hold(false);
    join_three(&a, &f, &r);
    assert_true(a.rc == -1 && f.rc == -1 && r.rc == -1);
    assert_false(has(w, "bob"));
    assert_true(engine_live(engine) == 1);
    restart();
    assert_false(has(w, "bob"));
    assert_true(engine_live(engine) == 1);
}

static void *rename_in_thread(void *arg)
{
    struct waiter *x = arg;
    x->rc = sosia_world_rename(engine, x->world, "new", NULL);
    return NULL;
}

static void *create_in_thread(void *arg)
{
    struct waiter *x = arg;
    struct sosia_world_options opt = {.name = "old"};
    x->rc = sosia_world_create(engine, &opt, &x->fork, NULL);
    return NULL;
}

static bool is_named(uint64_t world, const char *name)
{
    uint64_t found;
    struct sosia_world_info info;
    return sosia_world_find(engine, name, &found, &test_err) == 0 && found == world &&
           sosia_world_info(engine, world, &info, &test_err) == 0 && strcmp(info.name, name) == 0;
}

static void names_go_back_even_if_somebody_has_taken_them(void **state)
{
    struct waiter renamed = {.rc = 99}, made = {.rc = 99};
    uint64_t found;
    start();
    uint64_t w = renamed.world = make("old"), before = wait_ticket(w, UINT64_MAX);
    disk_hold(true);
    in_thread(&renamed, rename_in_thread);
    wait_ticket(w, before);
    in_thread(&made, create_in_thread); /* the name is free now */
    while (engine_live(engine) < 2)
        usleep(100);
    disk_wait_held();
    disk_fail(1, 1000, SQLITE_FULL);
    disk_hold(false);
    pthread_join(renamed.thread, NULL);
    pthread_join(made.thread, NULL);
    disk_fail(0, 0, 0);
    assert_true(renamed.rc == -1 && made.rc == -1);
    assert_true(is_named(w, "old") && engine_live(engine) == 1);
    assert_int_equal(sosia_world_find(engine, "new", &found, &test_err), -1);
    assert_int_equal(sosia_world_rename(engine, w, "new", &test_err), 0);
    restart();
    assert_true(is_named(w, "new"));
    assert_int_equal(sosia_world_rename(engine, w, NULL, &test_err), 0);
    restart();
    assert_int_equal(sosia_world_find(engine, "new", &found, &test_err), -1);
    make("new");
}

/* ---- waiting without a thread ---- */

static _Atomic(int) n_received;

static void receive(void *arg, int rc)
{
    atomic_fetch_add(&n_received, rc == 0 ? 1 : 100);
}

static void a_notice_comes_when_the_change_is_on_disk_and_not_before(void **state)
{
    struct waiter a = {.rc = 99};
    start();
    uint64_t w = make(NULL), before = wait_ticket(w, UINT64_MAX);
    n_received = 0;
    durable_notify(engine->durable, before, receive, NULL);
    assert_int_equal(atomic_load(&n_received), 1);
    a.world = w;
    disk_hold(true);
    in_thread(&a, add_in_thread);
    uint64_t ticket = wait_ticket(w, before);
    durable_notify(engine->durable, ticket, receive, NULL);
    assert_int_equal(atomic_load(&n_received), 1);
    disk_hold(false);
    pthread_join(a.thread, NULL);
    while (atomic_load(&n_received) < 2)
        usleep(100);
    disk_fail(1, 1, SQLITE_IOERR_FSYNC);
    assert_int_equal(add(w, "cid"), -1);
    durable_notify(engine->durable, durable_state(engine->durable, ticket + 1) < 0 ? ticket + 1 : 0,
                   receive, NULL);
    assert_int_equal(atomic_load(&n_received), 102);
}

/* ---- batches ---- */

enum { BATCH = 50 };

static void fork_batch(uint64_t world, uint64_t ret_forks[BATCH])
{
    engine_sync_later();
    for (int i = 0; i < BATCH; i++)
        assert_int_equal(sosia_world_fork(engine, world, NULL, &ret_forks[i], &test_err), 0);
}

static void a_batch_waits_for_the_disk_when_all_is_done(void **state)
{
    uint64_t forks[BATCH];
    start();
    uint64_t w = make(NULL);
    disk_hold(true); /* a fork that waits by itself would wait for ever */
    fork_batch(w, forks);
    disk_hold(false);
    assert_int_equal(engine_sync_now(engine, &test_err), 0);
    crash();
    for (int i = 0; i < BATCH; i++)
        assert_true(has(forks[i], "ada"));
}

static void a_batch_fails_if_a_change_of_it_could_not_be_written(void **state)
{
    uint64_t forks[BATCH];
    start();
    uint64_t w = make(NULL);
    disk_fail(1, 1000, SQLITE_FULL);
    fork_batch(w, forks);
    assert_int_equal(engine_sync_now(engine, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_FULL);
    disk_fail(0, 0, 0);
    for (int i = 0; i < BATCH; i++)
        assert_false(exists(forks[i]));
    /* What comes behind it waits by itself. */
    disk_fail(1, 1, SQLITE_IOERR_FSYNC);
    assert_int_equal(add(w, "bob"), -1);
    assert_int_equal(engine_sync_now(engine, &test_err), 0);
}

/* ---- many threads ---- */

enum { THREADS = 8, ROUNDS = 40 };

struct busy {
    pthread_t thread;
    uint64_t base, own, last;
    int n;
};

static void *be_busy(void *arg)
{
    struct busy *b = arg;
    struct sosia_err e;
    char doc[128];
    if (sosia_world_fork(engine, b->base, NULL, &b->own, &e) < 0)
        return NULL;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t f;
        snprintf(doc, sizeof doc, "{\"sosia\":1,\"people\":[{\"email\":\"p%d@acme.example\"}]}", i);
        if (sosia_world_seed(engine, b->own, doc, strlen(doc), NULL, &e) < 0 ||
            sosia_world_fork(engine, b->own, NULL, &f, &e) < 0)
            return NULL;
        if (b->last && sosia_world_drop(engine, b->last, &e) < 0)
            return NULL;
        b->last = f;
        b->n++;
    }
    return NULL;
}

static void many_threads_share_syncs_and_lose_nothing(void **state)
{
    struct busy b[THREADS];
    struct durable_stats stats;
    char name[32];
    start();
    uint64_t w = make(NULL);
    for (int i = 0; i < THREADS; i++) {
        b[i] = (struct busy){.base = w};
        assert_int_equal(pthread_create(&b[i].thread, NULL, be_busy, &b[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(b[i].thread, NULL);
        assert_int_equal(b[i].n, ROUNDS);
    }
    durable_stats(engine->durable, &stats);
    assert_true(stats.changes > stats.batches);
    restart();
    assert_true(engine_live(engine) == 1 + 2 * THREADS);
    snprintf(name, sizeof name, "p%d", ROUNDS - 1);
    for (int i = 0; i < THREADS; i++) {
        assert_true(has(b[i].own, "p0") && has(b[i].own, name));
        assert_true(has(b[i].last, name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failed_write_changes_nothing_at_any_point),
        TEST(a_failed_change_does_not_come_back_with_a_crash),
        TEST(a_world_that_could_not_be_written_is_not_there),
        TEST(a_drop_that_failed_leaves_the_world),
        TEST(what_was_used_up_of_limits_and_eras_go_back),
        TEST(a_sweep_ends_if_no_world_can_be_dropped),
        TEST(resets_clocks_ttls_and_journals_go_back_too),
        TEST(who_saw_what_is_not_on_disk_waits_for_it),
        TEST(what_is_written_after_the_file_was_removed_is_not_acknowledged),
        TEST(who_saw_what_failed_fails_and_so_do_forks_of_it),
        TEST(names_go_back_even_if_somebody_has_taken_them),
        TEST(a_notice_comes_when_the_change_is_on_disk_and_not_before),
        TEST(a_batch_waits_for_the_disk_when_all_is_done),
        TEST(a_batch_fails_if_a_change_of_it_could_not_be_written),
        TEST(many_threads_share_syncs_and_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
