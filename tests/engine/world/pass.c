/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are left with the thread that has their world: each is served once, by one thread at a
 * time; who finds the world free serves itself, and where nobody serves others a call comes back.
 */
#include "engine/world/pass.h"
#include "engine/base/lock.h"
#include "tests/support/unit.h"
#include <pthread.h>

enum { THREADS = 4, CALLS = 3000, WORLD = 7 };

static struct lock lock;
static int engine; /* whose address is one */
static long n_served;

struct counted {
    struct pass pass;
    int times;
};

static struct sosia_engine *an_engine(void)
{
    return (struct sosia_engine *)(void *)&engine;
}

static enum pass_end try_now(struct pass *p)
{
    struct counted *is = (struct counted *)p;
    pass_want(true);
    bool got = pass_try(&lock, WORLD);
    pass_want(false);
    if (!got)
        return PASS_AGAIN;
    n_served++;
    is->times++;
    for (int i = 0; i < 200; i++) /* as a call would keep the world */
        *(volatile long *)&n_served += 0;
    lock_drop(&lock);
    return PASS_SERVED;
}

/* As sosia_call_try() does. */
static void call(struct counted *is)
{
    for (;;) {
        enum pass_end end = try_now(&is->pass);
        if (end == PASS_SERVED)
            pass_serve(an_engine(), WORLD);
        else
            end = pass_on(&is->pass);
        if (end == PASS_SERVED)
            return;
    }
}

static void *run(void *arg)
{
    int *wrong = arg;
    for (int i = 0; i < CALLS; i++) {
        struct counted is = {.pass = {.engine = an_engine(), .serve = try_now}};
        call(&is);
        *wrong += is.times != 1;
    }
    return NULL;
}

static void each_call_is_served_once(void **state)
{
    pthread_t threads[THREADS];
    int wrong[THREADS] = {0};
    n_served = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(wrong[i], 0);
    assert_int_equal(n_served, THREADS * CALLS);
    assert_int_equal(lock.state, 0);
}

static void what_nobody_serves_comes_back(void **state)
{
    struct counted is = {.pass = {.engine = an_engine(), .serve = try_now}};
    n_served = 0;
    lock_take(&lock);
    assert_int_equal(try_now(&is.pass), PASS_AGAIN);
    assert_int_equal(pass_taken(), WORLD);
    assert_int_equal(pass_on(&is.pass), PASS_BUSY);
    lock_drop(&lock);
    pass_serve(an_engine(), WORLD); /* it is there no more */
    assert_int_equal(n_served, 0);
    /* The world became free before it was left there. */
    assert_int_equal(pass_on(&is.pass), PASS_AGAIN);
    assert_int_equal(try_now(&is.pass), PASS_SERVED);
    assert_int_equal(n_served, 1);
}

struct holder {
    struct counted is;
    _Atomic(int) left;
    enum pass_end end;
};

static void *leave(void *arg)
{
    struct holder *h = arg;
    do {
        if (try_now(&h->is.pass) == PASS_SERVED) {
            h->end = PASS_SERVED;
            break;
        }
        h->left = 1;
        h->end = pass_on(&h->is.pass);
    } while (h->end != PASS_SERVED);
    h->left = 2;
    return NULL;
}

/* Of two engines one serves what was left for its own world alone. */
static void others_are_not_served(void **state)
{
    struct holder h = {.is = {.pass = {.engine = an_engine(), .serve = try_now}}};
    int other;
    pthread_t thread;
    n_served = 0;
    lock_take(&lock);
    assert_int_equal(pthread_create(&thread, NULL, leave, &h), 0);
    while (!h.left)
        ;
    for (int i = 0; i < 1000; i++) {
        pass_serve((struct sosia_engine *)(void *)&other, WORLD);
        pass_serve(an_engine(), WORLD + 1);
    }
    assert_int_equal(n_served, 0);
    lock_drop(&lock);
    while (h.left != 2)
        pass_serve(an_engine(), WORLD);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(n_served, 1);
    assert_int_equal(h.is.times, 1);
}

/* As a serving thread makes as many calls as it finds requests. */
static void *run_batches(void *arg)
{
    int *wrong = arg;
    for (int i = 0; i < CALLS; i++) {
        struct counted is = {.pass = {.engine = an_engine(), .serve = try_now}};
        if (i % 7 < i / 7 % 8)
            pass_keep();
        call(&is);
        *wrong += is.times != 1;
        if (i % 7 == 6)
            pass_leave(an_engine());
    }
    pass_leave(an_engine());
    return NULL;
}

static void each_call_is_served_once_where_worlds_are_kept(void **state)
{
    pthread_t threads[THREADS];
    int wrong[THREADS] = {0};
    n_served = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_batches, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(wrong[i], 0);
    assert_int_equal(n_served, THREADS * CALLS);
    assert_int_equal(lock.state, 0);
}

/* The lock is free, but who keeps the world is in the midst of his calls. */
static void one_call_is_left_with_who_keeps_the_world(void **state)
{
    struct counted is = {.pass = {.engine = an_engine(), .serve = try_now}};
    struct holder h = {.is = {.pass = {.engine = an_engine(), .serve = try_now}}};
    pthread_t thread;
    n_served = 0;
    pass_keep();
    call(&is);
    assert_int_equal(n_served, 1);
    assert_int_equal(pthread_create(&thread, NULL, leave, &h), 0);
    while (!h.left)
        ;
    while (h.left != 2) /* served here, or by itself when it has waited for long enough */
        pass_leave(an_engine());
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(n_served, 2);
    assert_int_equal(h.is.times, 1);
}

static void *keep_and_call(void *arg)
{
    struct counted *is = arg;
    pass_keep();
    call(is);
    pass_leave(an_engine());
    return NULL;
}

/* A thread that never leaves a world does not keep it from others, however many they are. */
static void who_keeps_a_world_for_long_loses_it(void **state)
{
    struct counted mine = {.pass = {.engine = an_engine(), .serve = try_now}}, is[THREADS];
    pthread_t threads[THREADS];
    pass_keep();
    call(&mine);
    for (int i = 0; i < THREADS; i++) {
        is[i] = (struct counted){.pass = {.engine = an_engine(), .serve = try_now}};
        assert_int_equal(pthread_create(&threads[i], NULL, keep_and_call, &is[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(is[i].times, 1);
    }
    pass_leave(an_engine());
    assert_int_equal(lock.state, 0);
}

/* Another world in the midst of a batch: the first is left, and what was left there is served. */
static void a_thread_keeps_one_world(void **state)
{
    static struct lock other;
    struct counted is = {.pass = {.engine = an_engine(), .serve = try_now}};
    pass_keep();
    call(&is);
    pass_want(true);
    assert_true(pass_try(&other, WORLD + 1));
    pass_want(false);
    lock_drop(&other);
    struct counted mine = {.pass = {.engine = an_engine(), .serve = try_now}};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, keep_and_call, &mine), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(mine.times, 1);
    pass_leave(an_engine());
}

static struct lock near_lock;

/* Another world, whose place is that of the first. */
static uint64_t near_world(void)
{
    uint64_t at = WORLD;
    do
        at++;
    while ((at * 0x9e3779b97f4a7c15u) >> 58 != (WORLD * 0x9e3779b97f4a7c15u) >> 58);
    return at;
}

/* For the call that was made, and once. */
static void a_world_is_kept_for_the_last_call(void **state)
{
    bool met;
    pass_leave(an_engine());
    pass_kept(&met);
    pass_keep();
    pass_want(true);
    assert_true(pass_try(&lock, WORLD));
    pass_want(false);
    lock_drop(&lock);
    assert_int_equal(pass_kept(&met), WORLD);
    /* One that only reads, between others of the thread: it has kept nothing. */
    assert_true(pass_try(&lock, WORLD));
    lock_drop(&lock);
    assert_int_equal(pass_kept(&met), 0);
    assert_false(met);
    pass_leave(an_engine());
}

static void *try_near(void *arg)
{
    bool *got = arg;
    pass_want(true);
    *got = pass_try(&near_lock, near_world());
    pass_want(false);
    if (*got)
        lock_drop(&near_lock);
    return NULL;
}

/* So it is where both have one place: what another has to do there is left with who keeps it. */
static void a_thread_keeps_the_one_it_took_last(void **state)
{
    struct counted is = {.pass = {.engine = an_engine(), .serve = try_now}};
    pthread_t thread;
    bool got = true;
    pass_keep();
    call(&is);
    pass_want(true);
    assert_true(pass_try(&near_lock, near_world()));
    pass_want(false);
    lock_drop(&near_lock);
    assert_int_equal(pthread_create(&thread, NULL, try_near, &got), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(got);
    pass_leave(an_engine());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_is_served_once),
        cmocka_unit_test(what_nobody_serves_comes_back),
        cmocka_unit_test(others_are_not_served),
        cmocka_unit_test(each_call_is_served_once_where_worlds_are_kept),
        cmocka_unit_test(one_call_is_left_with_who_keeps_the_world),
        cmocka_unit_test(who_keeps_a_world_for_long_loses_it),
        cmocka_unit_test(a_thread_keeps_one_world),
        cmocka_unit_test(a_world_is_kept_for_the_last_call),
        cmocka_unit_test(a_thread_keeps_the_one_it_took_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
