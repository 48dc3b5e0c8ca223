/* SPDX-License-Identifier: Apache-2.0 */
/* States of a world's entries: each is the one that was, whatever came behind it. */
#include "tests/support/gcal.h"
#include <stdio.h>

#define EVENTS "/calendars/primary/events"

enum { CALLS = 90 };

static char hashes[CALLS + 1][65];

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
