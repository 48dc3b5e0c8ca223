/* SPDX-License-Identifier: Apache-2.0 */
/* States of a world's entries: each is the one that was, whatever came behind it. */
#include "tests/support/gcal.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"

enum { CALLS = 90, ENTRIES = 120 };

static char hashes[ENTRIES + 1][65];

static void hash_of(uint64_t world, char ret[65])
{
    assert_int_equal(sosia_world_hash(test_engine, world, ret, &test_err), 0);
}

static void note_hash(int64_t entry)
{
    hash_of(test_world, hashes[entry]);
}

static int entries_of(uint64_t world)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_info(test_engine, world, &b, &test_err), 0);
    int n = (int)number_at(parsed(b.data, b.len), "entries");
    sosia_blob_free(&b);
    return n;
}

/* Makes calls until the journal has so many entries. Some change what others made. */
static void calls_until(int n)
{
    char id[24];
    for (;;) {
        int at = entries_of(test_world);
        note_hash(at);
        if (at >= n)
            return;
        snprintf(id, sizeof id, "event%05d", at);
        if (at % 5 == 4)
            as(ADA, "DELETE", EVENTS "/quick", NULL);
        else
            make_event(id, "");
    }
}

static void assert_state(uint64_t world, int entry)
{
    uint64_t f;
    char hash[65];
    assert_int_equal(sosia_world_fork_step(test_engine, world, entry, NULL, &f, &test_err), 0);
    hash_of(f, hash);
    if (strcmp(hash, hashes[entry]) != 0)
        fail_msg("the state of entry %d is another one", entry);
    assert_int_equal(sosia_world_drop(test_engine, f, &test_err), 0);
}

static void each_state_is_the_one_that_was(void **state)
{
    calls_until(CALLS);
    for (int i = 0; i <= CALLS; i++)
        assert_state(test_world, i);
    for (int i = CALLS; i >= 0; i--)
        assert_state(test_world, i);
}

static void reading_states_leaves_later_ones_as_they_are(void **state)
{
    for (int n = 10; n <= CALLS; n += 10) {
        calls_until(n);
        assert_state(test_world, n);
        assert_state(test_world, n / 2);
        assert_state(test_world, 1);
    }
    for (int i = 0; i <= CALLS; i++)
        assert_state(test_world, i);
}

static void a_world_that_went_back_has_the_states_before(void **state)
{
    char hash[65];
    calls_until(60);
    for (int to = 50; to >= 20; to -= 15) {
        assert_int_equal(sosia_world_reset_step(test_engine, test_world, to, &test_err), 0);
        hash_of(test_world, hash);
        assert_string_equal(hash, hashes[to]);
        for (int i = 0; i <= to; i += 3)
            assert_state(test_world, i);
        calls_until(to + 10);
        for (int i = 0; i <= to + 10; i++)
            assert_state(test_world, i);
    }
}

static void forks_have_their_parents_states(void **state)
{
    uint64_t f;
    calls_until(30);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    calls_until(45);
    for (int i = 0; i <= 30; i++)
        assert_state(f, i);
    for (int i = 0; i <= 45; i++)
        assert_state(test_world, i);
    assert_int_equal(sosia_world_reset_step(test_engine, test_world, 10, &test_err), 0);
    calls_until(20);
    for (int i = 0; i <= 20; i++)
        assert_state(test_world, i);
    assert_int_equal(sosia_world_drop(test_engine, f, &test_err), 0);
}

static void what_time_fires_is_in_the_states(void **state)
{
    for (int i = 0; i < 10; i++) {
        calls_until(3 * i + 3);
        assert_int_equal(sosia_clock_advance(test_engine, test_world, 3600000000, &test_err), 0);
    }
    calls_until(CALLS / 2);
    for (int i = 1; i <= CALLS / 2; i++) {
        if (hashes[i][0])
            assert_state(test_world, i);
    }
}

static void set_mode(enum sosia_journal_mode mode)
{
    assert_int_equal(sosia_world_journal_mode(test_engine, test_world, mode, &test_err), 0);
}

/* Changes without entries are behind the last state, and do not pile up. */
static void states_outlast_a_time_without_a_journal(void **state)
{
    struct sosia_world_info before, after;
    calls_until(19);
    set_mode(SOSIA_JOURNAL_NONE);
    for (int i = 0; i < 3; i++)
        as(ADA, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
    assert_int_equal(sosia_world_info(test_engine, test_world, &before, &test_err), 0);
    for (int i = 0; i < 40; i++)
        as(ADA, "PATCH", EVENTS "/event00000", i % 2 ? "{'summary':'a'}" : "{'summary':'b'}");
    assert_int_equal(sosia_world_info(test_engine, test_world, &after, &test_err), 0);
    assert_true(after.size < before.size + 64 * 1024);
    set_mode(SOSIA_JOURNAL_WRITES);
    as(ADA, "PATCH", EVENTS "/event00000", "{'summary':'c'}");
    note_hash(20);
    for (int i = 0; i <= 20; i++)
        assert_state(test_world, i);
}

/* Steps that are looked at cost pages, the others what was changed. */
static void a_state_costs_what_was_changed(void **state)
{
    struct sosia_blob b;
    calls_until(50);
    assert_int_equal(sosia_journal_info(test_engine, test_world, &b, &test_err), 0);
    const struct json *info = parsed(b.data, b.len);
    sosia_blob_free(&b);
    assert_true(number_at(info, "steps.kept") > 35);
    assert_true(number_at(info, "steps.bytes") < number_at(info, "steps.kept") * 6000);
}

static long step_bytes(void)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_info(test_engine, test_world, &b, &test_err), 0);
    const long n = number_at(parsed(b.data, b.len), "steps.bytes");
    sosia_blob_free(&b);
    return n;
}

/* What is kept so that the next look back is shorter counts too, once. */
static void what_a_look_back_leaves_counts(void **state)
{
    calls_until(CALLS);
    const long before = step_bytes();
    assert_state(test_world, 1);
    const long after = step_bytes();
    assert_true(after > before);
    for (int i = CALLS; i >= 1; i--)
        assert_state(test_world, i);
    assert_int_equal(step_bytes(), after);
}

/* Where entries of a world that was forked go, its states stay and are what they were. */
static void states_outlast_entries_that_go(void **state)
{
    enum { LONG = 50000 };
    uint64_t f;
    char *body = malloc(LONG + 100);
    memset(hashes, 0, sizeof hashes);
    int at = sprintf(body, "{'summary':'");
    memset(body + at, 'x', LONG);
    strcpy(body + at + LONG, "'}");
    calls_until(10);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    calls_until(20);
    assert_int_equal(sosia_world_journal_bounds(test_engine, test_world, -1, 1 << 20, &test_err),
                     0);
    for (int i = 0; i < 25; i++) {
        as(ADA, "PATCH", EVENTS "/nobody", body);
        as(ADA, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
        note_hash(entries_of(test_world));
    }
    free(body);
    struct sosia_blob b;
    assert_int_equal(sosia_journal_info(test_engine, test_world, &b, &test_err), 0);
    const struct json *info = parsed(b.data, b.len);
    sosia_blob_free(&b);
    int first = (int)number_at(info, "first"), last = (int)number_at(info, "entries");
    assert_int_equal(last, 70);
    assert_in_range(first, 2, 60);
    assert_true(number_at(info, "steps.kept") > 30);
    for (int i = first; i <= last; i++)
        if (hashes[i][0])
            assert_state(test_world, i);
    for (int i = 0; i <= 10; i++)
        assert_state(f, i);
}

/* What came behind the last entry, and left none, is not of that entry. */
static void the_last_entry_is_not_what_came_without_one(void **state)
{
    uint64_t f;
    char hash[65];
    calls_until(9);
    set_mode(SOSIA_JOURNAL_NONE);
    as(ADA, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
    hash_of(test_world, hash);
    assert_string_not_equal(hash, hashes[9]);
    assert_state(test_world, 9);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    char of_fork[65];
    hash_of(f, of_fork);
    assert_string_equal(of_fork, hash);
    assert_int_equal(sosia_world_reset_step(test_engine, test_world, 9, &test_err), 0);
    hash_of(test_world, hash);
    assert_string_equal(hash, hashes[9]);
}

/* ---- calls, forks, resets, bounds and looks in any order, beside what the states were ---- */

static uint32_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)drawn * below >> 32);
}

static void some_call(void)
{
    char id[24];
    int at = entries_of(test_world);
    snprintf(id, sizeof id, "random%05u", draw(60));
    switch (draw(5)) {
    case 0:
        as(ADA, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
        break;
    case 1:
        as(ADA, "DELETE", arena_printf(&test_arena, EVENTS "/%s", id), NULL);
        break;
    case 2:
        as(ADA, "PATCH", arena_printf(&test_arena, EVENTS "/%s", id),
           arena_printf(&test_arena, "{'summary':'%u'}", drawn));
        break;
    case 3:
        assert_int_equal(sosia_clock_advance(test_engine, test_world, 60000000, &test_err), 0);
        break;
    default:
        as(ADA, "POST", EVENTS,
           arena_printf(&test_arena,
                        "{'id':'%s','start':{'date':'2026-11-23'},'end':{'date':'2026-11-24'}}",
                        id));
    }
    if (entries_of(test_world) > at)
        note_hash(entries_of(test_world));
}

static int first_step(uint64_t world)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_info(test_engine, world, &b, &test_err), 0);
    const struct json *info = parsed(b.data, b.len);
    sosia_blob_free(&b);
    return number_at(info, "steps.kept") > 0 ? (int)number_at(info, "steps.first")
                                             : entries_of(world);
}

/* Of a world at one of its states, of those that are kept or run again. */
static void some_look(uint64_t world, bool all)
{
    int last = entries_of(world), first = all ? 0 : first_step(world);
    assert_state(world, first + (int)draw((uint32_t)(last - first + 1)));
}

static void states_are_what_they_were_in_any_order(void **state)
{
    uint64_t forks[4] = {0};
    bool whole = true; /* each entry's call is known */
    note_hash(0);
    for (int i = 0; i < 700; i++) {
        uint32_t what = draw(100), n = draw(4);
        if (what < 50 && entries_of(test_world) < CALLS) {
            some_call();
        } else if (what < 78) {
            some_look(test_world, whole);
        } else if (what < 84) {
            if (forks[n])
                assert_int_equal(sosia_world_drop(test_engine, forks[n], &test_err), 0);
            assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &forks[n], &test_err),
                             0);
        } else if (what < 88) {
            int last = entries_of(test_world), first = first_step(test_world);
            int to = first + (int)draw((uint32_t)(last - first + 1));
            assert_int_equal(sosia_world_reset_step(test_engine, test_world, to, &test_err), 0);
            /* The forks have entries that are others here from now on. */
            for (int k = 0; k < 4; k++)
                if (forks[k] && entries_of(forks[k]) > to) {
                    assert_int_equal(sosia_world_drop(test_engine, forks[k], &test_err), 0);
                    forks[k] = 0;
                }
        } else if (what < 92 && forks[n] && whole) {
            some_look(forks[n], true);
        } else if (what < 94) {
            set_mode(SOSIA_JOURNAL_NONE);
            as(ADA, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
            set_mode(SOSIA_JOURNAL_WRITES);
            whole = false;
        } else if (what < 96) {
            assert_int_equal(sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED,
                                                      10 + draw(60), &test_err),
                             0);
        }
    }
}

/* ---- shared states, found by many at once ---- */

enum { THREADS = 4, LOOKS = 60 };

struct looking {
    pthread_t thread;
    uint64_t world;
    uint32_t random;
    int last, wrong;
};

static void *look_often(void *arg)
{
    struct looking *l = arg;
    struct sosia_err err;
    for (int i = 0; i < LOOKS; i++) {
        uint64_t f;
        char hash[65];
        l->random = l->random * 1664525 + 1013904223;
        int entry = (int)((uint64_t)l->random * (uint32_t)(l->last + 1) >> 32);
        if (sosia_world_fork_step(test_engine, l->world, entry, NULL, &f, &err) < 0 ||
            sosia_world_hash(test_engine, f, hash, &err) < 0 ||
            sosia_world_drop(test_engine, f, &err) < 0 || strcmp(hash, hashes[entry]) != 0)
            l->wrong++;
    }
    return NULL;
}

/* Two look at the world, which goes on meanwhile, and two at a fork that shares what it had. */
static void many_find_states_at_once(void **state)
{
    struct looking looking[THREADS];
    uint64_t f;
    calls_until(70);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    for (int i = 0; i < THREADS; i++) {
        looking[i] = (struct looking){
            .world = i % 2 ? f : test_world, .random = (uint32_t)i + 1, .last = 70};
        assert_int_equal(pthread_create(&looking[i].thread, NULL, look_often, &looking[i]), 0);
    }
    for (int i = 0; i < 40; i++) {
        as(ADA, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
        if (i == 20)
            assert_int_equal(sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED,
                                                      30, &test_err),
                             0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(looking[i].thread, NULL);
        assert_int_equal(looking[i].wrong, 0);
    }
    for (int i = 0; i <= 70; i++)
        assert_state(f, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(each_state_is_the_one_that_was),
        gcal_test(reading_states_leaves_later_ones_as_they_are),
        gcal_test(a_world_that_went_back_has_the_states_before),
        gcal_test(forks_have_their_parents_states),
        gcal_test(what_time_fires_is_in_the_states),
        gcal_test(states_outlast_a_time_without_a_journal),
        gcal_test(a_state_costs_what_was_changed),
        gcal_test(what_a_look_back_leaves_counts),
        gcal_test(states_outlast_entries_that_go),
        gcal_test(the_last_entry_is_not_what_came_without_one),
        gcal_test(states_are_what_they_were_in_any_order),
        gcal_test(many_find_states_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
