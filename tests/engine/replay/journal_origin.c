/* SPDX-License-Identifier: Apache-2.0 */
/* Exported journals have the state that they begin from, and run where their world is not known. */
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENTS "/calendars/primary/events"

static char *exported(uint64_t world, int64_t from)
{
    struct sosia_blob b;
    assert_int_equal(
        sosia_journal_export(test_engine, world, SOSIA_JOURNAL_JSONL, from, 0, &b, &test_err), 0);
    return b.data;
}

static const struct json *head_of(const char *text)
{
    return parsed(text, strcspn(text, "\n"));
}

/* In another engine, which has no world: the report. */
static const struct json *run_elsewhere(const char *text, bool keep, char **ret_dump)
{
    struct sosia_replay_options opt = {.journal = text, .journal_len = strlen(text), .keep = keep};
    struct sosia_engine *e;
    struct sosia_engine_info info;
    struct sosia_blob b;
    uint64_t world;
    assert_int_equal(sosia_engine_open(NULL, &e, &test_err), 0);
    if (sosia_journal_replay(e, 0, &opt, &world, &b, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const struct json *report = parsed(b.data, b.len);
    sosia_blob_free(&b);
    sosia_engine_info(e, &info);
    assert_int_equal(info.worlds, keep ? 1 : 0);
    if (keep) {
        assert_int_equal(sosia_world_dump(e, world, &b, &test_err), 0);
        *ret_dump = b.data;
    }
    sosia_engine_close(e);
    return report;
}

static void a_journal_runs_in_another_engine(void **state)
{
    struct sosia_blob now;
    char *there;
    make_event("first", "");
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Renamed'}");
    test_advance(86400);
    as(BOB, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
    char *text = exported(test_world, 0);
    const struct json *report = run_elsewhere(text, true, &there);
    assert_int_equal(number_at(report, "ran"), 4);
    if (!true_at(report, "equal"))
        fail_msg("%s", printed_at(report, ""));
    assert_int_equal(sosia_world_dump(test_engine, test_world, &now, &test_err), 0);
    assert_string_equal(now.data, there);
    sosia_blob_free(&now);
    free(there);
    free(text);
}

/* Of a world that goes on from another one's state, and of what comes behind an entry. */
static void it_begins_from_the_state_before_its_first_entry(void **state)
{
    uint64_t f, before = test_world;
    make_event("first", "");
    make_event("second", "");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    test_world = f;
    as(ADA, "DELETE", EVENTS "/first", NULL);
    make_event("third", "");
    for (int64_t from = 0; from < 4; from++) {
        char *text = exported(f, from);
        const struct json *report = run_elsewhere(text, false, NULL);
        assert_int_equal(number_at(report, "ran"), 4 - from);
        if (!true_at(report, "equal"))
            fail_msg("from %lld: %s", (long long)from, printed_at(report, ""));
        free(text);
    }
    test_world = before;
}

static void its_first_line_says_where_it_comes_from(void **state)
{
    make_event("first", "");
    char *text = exported(test_world, 0);
    const struct json *head = head_of(text);
    assert_string_equal(text_at(head, "origin.clock.mode"), "frozen");
    assert_int_equal(strlen(text_at(head, "origin.documents")), 32);
    assert_true(strlen(text_at(head, "origin.state")) > 1000);
    /* The same world gives the same bytes. */
    char *again = exported(test_world, 0);
    assert_string_equal(text, again);
    free(again);
    free(text);
}

/* What lets somebody in is not in it. */
static void it_has_no_secrets(void **state)
{
    static const char doc[] =
        "sosia: 1\n"
        "people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}]\n"
        "accounts: [{actor: bob@acme.example, vendor: microsoft}]\n"
        "microsoftUsers: [{actor: bob@acme.example, password: word-of-bob, jobTitle: Cook}]\n"
        "apps: [{client_id: my-app, client_secret: quite-hush, name: Deploy}]\n"
        "tokens: [{token: fixed-token-of-ada, actor: ada@acme.example}]\n";
    static const struct sosia_header who[] = {
        {.name = "Authorization", .value = "Bearer fixed-token-of-ada"}};
    test_use(doc);
    test_request("POST", "/calendar/v3" EVENTS "/quickAdd?text=Lunch", who, 1, NULL, 0);
    assert_int_equal(test_status, 200);
    char *text = exported(test_world, 0), *there;
    assert_null(strstr(text, "fixed-token"));
    const struct json *report = run_elsewhere(text, true, &there);
    assert_true(true_at(report, "equal"));
    assert_null(strstr(there, "fixed-token"));
    assert_null(strstr(there, "quite-hush"));
    assert_null(strstr(there, "word-of-bob"));
    assert_non_null(strstr(there, "Cook"));
    assert_non_null(strstr(there, "my-app"));
    free(there);
    free(text);
}

static void what_is_no_state_is_refused(void **state)
{
    static const char *const states[] = {"\"state\":\"!\"", "\"state\":\"aGVsbG8=\"", "\"state\":7",
                                         "\"why\":\"it is too large\""};
    make_event("first", "");
    for (size_t i = 0; i < SOSIA_LEN(states); i++) {
        struct sosia_blob b;
        char *text =
            arena_printf(&test_arena,
                         "{\"sosia_journal\":1,\"world\":\"8000000000000001\",\"from\":0,\"to\":0,"
                         "\"seed\":\"1\",\"keep\":\"redacted\",\"origin\":{%s}}\n",
                         states[i]);
        struct sosia_replay_options opt = {.journal = text, .journal_len = strlen(text)};
        assert_int_equal(sosia_journal_replay(test_engine, 0, &opt, NULL, &b, &test_err), -1);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
    }
    struct sosia_blob b;
    assert_int_equal(sosia_journal_replay(test_engine, 0, NULL, NULL, &b, &test_err), -1);
    assert_non_null(strstr(test_err.text, "a world or a journal"));
}

/* An imported world has entries, and none of its own. */
static void a_replay_of_which_nothing_runs_says_why(void **state)
{
    uint64_t back;
    struct sosia_blob b;
    make_event("first", "");
    assert_int_equal(test_import_changed(NULL, &back), 0);
    assert_int_equal(sosia_journal_replay(test_engine, back, NULL, NULL, &b, &test_err), 0);
    const struct json *report = parsed(b.data, b.len);
    assert_int_equal(number_at(report, "ran"), 0);
    assert_false(true_at(report, "equal"));
    assert_non_null(strstr(text_at(report, "why"), "behind entry 1"));
    sosia_blob_free(&b);
    /* Its export says that its first state is not there. */
    char *text = exported(back, 0);
    assert_non_null(text_at(head_of(text), "origin.why"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_journal_runs_in_another_engine),
        gcal_test(it_begins_from_the_state_before_its_first_entry),
        gcal_test(its_first_line_says_where_it_comes_from),
        gcal_test(it_has_no_secrets),
        gcal_test(what_is_no_state_is_refused),
        gcal_test(a_replay_of_which_nothing_runs_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
