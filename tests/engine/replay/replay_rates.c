/* SPDX-License-Identifier: Apache-2.0 */
/* Journals of worlds with rate limits: what was used up when a call came is used up when it runs
 * again. */
#include "tests/support/gcal.h"

#define EVENTS "/calendars/primary/events"

static struct sosia_blob blob;

static int64_t last_of(uint64_t world)
{
    int64_t last;
    const struct json *v;
    assert_int_equal(sosia_journal_info(test_engine, world, &blob, &test_err), 0);
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    assert_int_equal(json_parse(&test_arena, text, blob.len, NULL, &v, &test_err), 0);
    assert_int_equal(json_i64(json_get(v, "entries"), &last), 0);
    sosia_blob_free(&blob);
    return last;
}

static void assert_equal_run(uint64_t world)
{
    if (sosia_journal_replay(test_engine, world, NULL, NULL, &blob, &test_err) < 0)
        fail_msg("replay: %s", test_err.text);
    if (!strstr(blob.data, "\"equal\": true"))
        fail_msg("%s", blob.data);
    sosia_blob_free(&blob);
}

/* A reset leaves the rates as they are, and the journal begins anew with them. */
static void rates_that_hold_over_a_reset_hold_in_a_replay(void **state)
{
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &test_err), 0);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    for (int i = 0; i < 601; i++)
        as(ADA, "GET", EVENTS "?maxResults=1", NULL);
    assert_int_equal(sosia_journal_list(test_engine, test_world, 600, 0, false, &blob, &test_err),
                     0);
    assert_non_null(strstr(blob.data, "\"status\": 403"));
    sosia_blob_free(&blob);
    assert_equal_run(test_world);
}

/* Whose entries are not kept: what they used up is in the next entry that is. */
static void limits_that_reads_without_entries_used_up_hold_in_a_replay(void **state)
{
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &test_err), 0);
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_WRITES, &test_err), 0);
    make_event("first", "");
    for (int i = 0; i < 599; i++)
        as(ADA, "GET", EVENTS "?maxResults=1", NULL);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Refused'}");
    assert_int_equal(test_status, 403);
    as(BOB, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
    assert_int_equal(test_status, 200);
    assert_equal_run(test_world);
    test_advance(6); /* one call in 100 ms comes in */
    for (int i = 0; i < 59; i++)
        as(ADA, "GET", EVENTS "?maxResults=1", NULL);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Taken'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Refused again'}");
    assert_int_equal(test_status, 403);
    assert_equal_run(test_world);
    const uint64_t own = test_world;
    assert_int_equal(sosia_world_fork(test_engine, own, NULL, &test_world, &test_err), 0);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Refused there'}");
    assert_int_equal(test_status, 403);
    assert_equal_run(test_world);
    test_world = own;
}

/* A call of a dialect without limits keeps what others have used up, and its entry says nothing of
 * it: a state that is taken up again has that, and the next entry says so. */
static void limits_that_a_kept_state_has_hold_in_a_replay(void **state)
{
    static const struct sosia_header headers[] = {
        {"Host", "oauth2.googleapis.com"}, {"Content-Type", "application/x-www-form-urlencoded"}};
    const char *form =
        arena_printf(&test_arena, "token=%s", test_bearer(BOB, NULL) + sizeof "Bearer " - 1);
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &test_err), 0);
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_WRITES, &test_err), 0);
    make_event("first", "");
    for (int i = 0; i < 598; i++)
        as(ADA, "GET", EVENTS "?maxResults=1", NULL);
    const int64_t last = last_of(test_world);
    test_request("POST", "/revoke", headers, 2, form, strlen(form));
    assert_int_equal(test_status, 200);
    assert_int_equal(last_of(test_world), last + 1);
    assert_int_equal(sosia_world_reset_step(test_engine, test_world, last + 1, &test_err), 0);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Taken'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Refused'}");
    assert_int_equal(test_status, 403);
    assert_equal_run(test_world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(rates_that_hold_over_a_reset_hold_in_a_replay),
        gcal_test(limits_that_reads_without_entries_used_up_hold_in_a_replay),
        gcal_test(limits_that_a_kept_state_has_hold_in_a_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
