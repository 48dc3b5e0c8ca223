/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds through the C interface: seeds, forks, resets, clocks, tokens, names. */
#include "sosia.h"
#include "tests/support/unit.h"
#include <stdio.h>

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\n"
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"}],\n"
    "\"groups\":[{\"email\":\"all@acme.example\",\"name\":\"All\",\"members\":[\"ada@acme."
    "example\"]}]}";

static struct sosia_engine *engine;
static struct sosia_err err;

static int open_engine(void **state)
{
    return sosia_engine_open(NULL, &engine, &err);
}

static int close_engine(void **state)
{
    sosia_engine_close(engine);
    return 0;
}

static uint64_t make(const char *name)
{
    struct sosia_world_options opt = {.name = name, .seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    uint64_t w;
    if (sosia_world_create(engine, &opt, &w, &err) < 0)
        fail_msg("create: %s", err.text);
    return w;
}

static void a_seeded_world_dumps_what_it_was_seeded_with(void **state)
{
    struct sosia_blob dump, again;
    uint64_t w = make(NULL), v;
    assert_int_equal(sosia_world_dump(engine, w, &dump, &err), 0);
    assert_non_null(strstr(dump.data, "\"ada@acme.example\""));
    struct sosia_world_options opt = {.seed_doc = dump.data, .seed_doc_len = dump.len};
    assert_int_equal(sosia_world_create(engine, &opt, &v, &err), 0);
    assert_int_equal(sosia_world_dump(engine, v, &again, &err), 0);
    assert_string_equal(dump.data, again.data);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
}

static void a_bad_seed_names_line_and_field_and_leaves_no_world(void **state)
{
    const char *doc =
        "{\"sosia\":1,\n\"people\":[\n{\"email\":\"a@b.example\",\"zone\":\"Mars/Base\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc), .name = "bad"};
    uint64_t w = 0;
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), -1);
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.text, "people[0].zone"));
    assert_string_equal(err.where, "people[0].zone");
    assert_int_equal(sosia_world_find(engine, "bad", &w, &err), -1);
}

static void a_seed_may_be_yaml(void **state)
{
    const char *doc =
        "# one person\nsosia: 1\npeople:\n  - email: ada@acme.example\n    zone: Europe/Berlin\n";
    const char *bad = "sosia: 1\npeople:\n  - email: ada@acme.example\n    zone: Mars/Base\n";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    struct sosia_blob dump;
    uint64_t w = 0;
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), 0);
    assert_int_equal(sosia_world_dump(engine, w, &dump, &err), 0);
    assert_non_null(strstr(dump.data, "\"ada@acme.example\""));
    sosia_blob_free(&dump);
    opt = (struct sosia_world_options){
        .seed_doc = bad, .seed_doc_len = strlen(bad), .seed_doc_name = "bad.yaml"};
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), -1);
    assert_string_equal(err.text, "bad.yaml:4: people[0].zone: unknown time zone \"Mars/Base\"");
    assert_int_equal(err.line, 4);
}

static void a_seeds_time_is_on_the_clock_of_its_zone(void **state)
{
    const char *doc = "sosia: 1\nzone: Europe/Berlin\ntime: 2026-07-01T10:00:00.25\n";
    const char *late = "sosia: 1\nzone: America/New_York\ntime: 9999-12-31T23:00:00\n";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    struct sosia_blob dump;
    uint64_t w = 0;
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), 0);
    assert_int_equal(sosia_world_dump(engine, w, &dump, &err), 0);
    assert_non_null(strstr(dump.data, "\"2026-07-01T08:00:00.250000Z\""));
    sosia_blob_free(&dump);
    opt = (struct sosia_world_options){.seed_doc = late, .seed_doc_len = strlen(late)};
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), -1);
    assert_string_equal(err.text, "seed:3: time: must be in the years 1 to 9999 in UTC, not "
                                  "\"9999-12-31T23:00:00\"");
}

static void a_call_without_a_service_is_answered_404(void **state)
{
    struct sosia_request req = {.method = "GET", .target = "/nothing"};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, make(NULL), &req, &res, &err), 0);
    assert_int_equal(res->status, 404);
    sosia_response_free(res);
    req.target = "/w/0123456789abcdef/nothing";
    assert_int_equal(sosia_call(engine, 0, &req, &res, &err), 0);
    assert_int_equal(res->status, 404);
    assert_non_null(strstr(res->body, "worldNotFound"));
    sosia_response_free(res);
}

static void names_are_unique_and_free_again_after_a_drop(void **state)
{
    uint64_t w = make("one"), found;
    struct sosia_world_options opt = {.name = "one"};
    assert_int_equal(sosia_world_create(engine, &opt, &found, &err), -1);
    assert_int_equal(err.code, SOSIA_E_CONFLICT);
    assert_int_equal(sosia_world_find(engine, "one", &found, &err), 0);
    assert_true(found == w);
    assert_int_equal(sosia_world_drop(engine, w, &err), 0);
    assert_int_equal(sosia_world_find(engine, "one", &found, &err), -1);
    make("one");
}

static void what_looks_like_a_key_is_no_name(void **state)
{
    uint64_t w = 0, other = make(NULL);
    struct sosia_world_options opt = {.name = "00000000000000ff"};
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), -1);
    assert_string_equal(err.text, "a name must not be 16 hexadecimal digits, as keys are");
    assert_int_equal(sosia_world_rename(engine, other, "0123456789abcdef", &err), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    opt.name = "0123456789abcdeg"; /* these do not */
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), 0);
    assert_int_equal(sosia_world_find(engine, "0123456789abcdeg", &other, &err), 0);
    assert_int_equal(w, other);
}

static void a_world_that_is_not_there_is_named(void **state)
{
    uint64_t w;
    assert_int_equal(sosia_world_find(engine, "nowhere", &w, &err), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
    assert_string_equal(err.text, "there is no world \"nowhere\"");
}

static void a_renamed_world_is_found_by_its_new_name_only(void **state)
{
    uint64_t w = make("before"), found;
    make("taken");
    assert_int_equal(sosia_world_rename(engine, w, "taken", &err), -1);
    assert_int_equal(sosia_world_rename(engine, w, "after", &err), 0);
    assert_int_equal(sosia_world_find(engine, "before", &found, &err), -1);
    assert_int_equal(sosia_world_find(engine, "after", &found, &err), 0);
    assert_true(found == w);
    assert_int_equal(sosia_world_rename(engine, w, NULL, &err), 0);
    assert_int_equal(sosia_world_find(engine, "after", &found, &err), -1);
}

static void a_fork_resets_to_the_state_it_was_forked_at(void **state)
{
    struct sosia_blob before, after;
    const char *more = "{\"sosia\":1,\"people\":[{\"email\":\"bob@acme.example\"}]}";
    uint64_t w = make(NULL), f, g;
    assert_int_equal(sosia_world_fork(engine, w, NULL, &f, &err), 0);
    assert_int_equal(sosia_world_dump(engine, f, &before, &err), 0);
    assert_int_equal(sosia_world_seed(engine, f, more, strlen(more), NULL, &err), 0);
    assert_int_equal(sosia_world_fork(engine, f, NULL, &g, &err), 0);
    assert_int_equal(sosia_world_reset(engine, f, &err), 0);
    assert_int_equal(sosia_world_dump(engine, f, &after, &err), 0);
    assert_string_equal(before.data, after.data);
    sosia_blob_free(&after);
    assert_int_equal(sosia_world_reset(engine, g, &err), 0);
    assert_int_equal(sosia_world_dump(engine, g, &after, &err), 0);
    assert_non_null(strstr(after.data, "bob@acme.example"));
    sosia_blob_free(&after);
    sosia_blob_free(&before);
}

static void clocks_freeze_step_and_go_forward(void **state)
{
    uint64_t w = make(NULL);
    int64_t now, then;
    assert_int_equal(sosia_clock_get(engine, w, &now, &err), 0);
    assert_true(now == INT64_C(1795420800000000)); /* 2026-11-23T08:00:00Z */
    assert_int_equal(sosia_clock_advance(engine, w, 1000000, &err), 0);
    assert_int_equal(sosia_clock_get(engine, w, &then, &err), 0);
    assert_true(then == now + 1000000);
    assert_int_equal(sosia_clock_advance(engine, w, -1, &err), -1);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, 5, &err), 0);
    struct sosia_request req = {.method = "GET", .target = "/"};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, w, &req, &res, &err), 0);
    sosia_response_free(res);
    assert_int_equal(sosia_clock_get(engine, w, &now, &err), 0);
    assert_true(now == then + 5);
}

static int64_t now_of(uint64_t w)
{
    int64_t now;
    assert_int_equal(sosia_clock_get(engine, w, &now, &err), 0);
    return now;
}

static void clocks_stop_at_the_ends_of_time(void **state)
{
    static const int64_t last = INT64_C(253402300799999999); /* 9999-12-31T23:59:59.999999Z */
    static const int64_t steps[] = {1, INT64_C(1000000000000000), INT64_MAX};
    struct sosia_request req = {.method = "GET", .target = "/"};
    struct sosia_response *res;
    uint64_t w = make(NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(sosia_clock_set(engine, w, last, &err), 0);
        assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, steps[i], &err), 0);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(sosia_call(engine, w, &req, &res, &err), 0);
            sosia_response_free(res);
            assert_true(now_of(w) == last);
        }
    }
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_REAL, 0, &err), 0);
    assert_int_equal(sosia_clock_set(engine, w, last, &err), 0);
    make(NULL); /* takes longer than a microsecond */
    assert_true(now_of(w) == last);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_FROZEN, 0, &err), 0);
    assert_true(now_of(w) == last);
}

static void times_beyond_the_calendar_are_refused(void **state)
{
    static const int64_t bad[] = {INT64_C(253402300800000000), INT64_C(-62135596800000001),
                                  INT64_MAX, INT64_MIN};
    uint64_t w = make(NULL), v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sosia_world_options opt = {.now_us = bad[i]};
        struct sosia_fork_options fork = {.now_us = bad[i]};
        assert_int_equal(sosia_world_create(engine, &opt, &v, &err), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_int_equal(sosia_world_fork(engine, w, &fork, &v, &err), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_int_equal(sosia_clock_set(engine, w, bad[i], &err), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        memset(&err, 0, sizeof err);
        assert_int_equal(sosia_clock_advance(engine, w, bad[i], &err), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
    }
    struct sosia_world_options opt = {.clock = SOSIA_CLOCK_STEP, .step_us = -1};
    struct sosia_fork_options fork = {.set_clock = true, .clock = SOSIA_CLOCK_STEP, .step_us = -1};
    assert_int_equal(sosia_world_create(engine, &opt, &v, &err), -1);
    assert_int_equal(sosia_world_fork(engine, w, &fork, &v, &err), -1);
}

static void a_world_whose_time_is_over_is_gone(void **state)
{
    uint64_t w = make(NULL);
    struct sosia_world_info info;
    assert_int_equal(sosia_world_ttl(engine, w, 1000, true, &err), 0);
    assert_int_equal(sosia_world_info(engine, w, &info, &err), 0);
    assert_true(info.expires_by_clock);
    assert_int_equal(sosia_clock_advance(engine, w, 1000, &err), 0);
    assert_int_equal(sosia_world_info(engine, w, &info, &err), -1);
    assert_int_equal(sosia_engine_sweep(engine), 1);
}

static void a_token_names_its_world_and_actor(void **state)
{
    char token[SOSIA_TOKEN_MAX];
    uint64_t w = make(NULL);
    struct sosia_token_options opt = {.actor = "ADA@acme.example", .ttl_us = INT64_MAX};
    assert_int_equal(sosia_token_issue(engine, w, &opt, token, sizeof token, &err), 0);
    assert_memory_equal(token, "sosia_", 6);
    assert_int_equal(sosia_token_revoke(engine, w, token, &err), 0);
    assert_int_equal(sosia_token_revoke(engine, w, token, &err), -1);
    opt.actor = "nobody@acme.example";
    assert_int_equal(sosia_token_issue(engine, w, &opt, token, sizeof token, &err), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
}

static void the_limit_of_worlds_holds_exactly(void **state)
{
    struct sosia_engine *small;
    struct sosia_engine_options opt = {.max_worlds = 2};
    uint64_t a, b, c;
    assert_int_equal(sosia_engine_open(&opt, &small, &err), 0);
    assert_int_equal(sosia_world_create(small, NULL, &a, &err), 0);
    assert_int_equal(sosia_world_fork(small, a, NULL, &b, &err), 0);
    assert_int_equal(sosia_world_fork(small, a, NULL, &c, &err), -1);
    assert_int_equal(err.code, SOSIA_E_LIMIT);
    assert_int_equal(sosia_world_drop(small, b, &err), 0);
    assert_int_equal(sosia_world_fork(small, a, NULL, &c, &err), 0);
    sosia_engine_close(small);
}

#define LAST_TIME INT64_C(253402300799999999) /* 9999-12-31T23:59:59.999999Z */

static void a_clock_stops_at_the_end_of_the_year_9999(void **state)
{
    uint64_t w = make(NULL);
    int64_t now;
    struct sosia_request req = {.method = "GET", .target = "/"};
    struct sosia_response *res;
    assert_int_equal(sosia_clock_advance(engine, w, INT64_MAX, &err), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, INT64_MAX, &err), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sosia_call(engine, w, &req, &res, &err), 0);
        sosia_response_free(res);
        assert_int_equal(sosia_clock_get(engine, w, &now, &err), 0);
        assert_true(now == LAST_TIME);
    }
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_REAL, 0, &err), 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sosia_clock_get(engine, w, &now, &err), 0);
        assert_true(now == LAST_TIME);
    }
}

static void times_modes_and_lives_that_make_no_sense_are_refused(void **state)
{
    static const struct sosia_world_options worlds[] = {
        {.now_us = LAST_TIME + 1},
        {.clock = SOSIA_CLOCK_STEP, .step_us = -1},
        {.clock = (enum sosia_clock_mode)3},
        {.journal = (enum sosia_journal_mode)3},
    };
    static const struct sosia_fork_options forks[] = {
        {.now_us = LAST_TIME + 1},
        {.set_clock = true, .clock = SOSIA_CLOCK_STEP, .step_us = -1},
        {.set_clock = true, .clock = (enum sosia_clock_mode)3},
        {.set_journal = true, .journal = (enum sosia_journal_mode)3},
    };
    static const int64_t lives[] = {-1, INT64_MIN};
    char token[SOSIA_TOKEN_MAX];
    uint64_t w = make(NULL), made;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        assert_int_equal(sosia_world_create(engine, &worlds[i], &made, &err), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
    }
    for (size_t i = 0; i < sizeof forks / sizeof *forks; i++) {
        assert_int_equal(sosia_world_fork(engine, w, &forks[i], &made, &err), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
    }
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        struct sosia_token_options opt = {.actor = "ada@acme.example", .ttl_us = lives[i]};
        assert_int_equal(sosia_token_issue(engine, w, &opt, token, sizeof token, &err), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
    }
    assert_int_equal(sosia_clock_mode(engine, w, (enum sosia_clock_mode)3, 0, &err), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_int_equal(sosia_world_journal_mode(engine, w, (enum sosia_journal_mode)3, &err), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
}

static void a_token_may_live_longer_than_time_itself(void **state)
{
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 8];
    uint64_t w = make(NULL);
    struct sosia_token_options opt = {.actor = "ada@acme.example", .ttl_us = INT64_MAX};
    assert_int_equal(sosia_token_issue(engine, w, &opt, token, sizeof token, &err), 0);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header auth = {"Authorization", bearer};
    struct sosia_request req = {
        .method = "GET", .target = "/oauth2/v2/userinfo", .headers = &auth, .n_headers = 1};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, w, &req, &res, &err), 0);
    assert_int_equal(res->status, 200);
    sosia_response_free(res);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seeded_world_dumps_what_it_was_seeded_with),
        cmocka_unit_test(a_bad_seed_names_line_and_field_and_leaves_no_world),
        cmocka_unit_test(a_seed_may_be_yaml),
        cmocka_unit_test(a_seeds_time_is_on_the_clock_of_its_zone),
        cmocka_unit_test(a_call_without_a_service_is_answered_404),
        cmocka_unit_test(names_are_unique_and_free_again_after_a_drop),
        cmocka_unit_test(what_looks_like_a_key_is_no_name),
        cmocka_unit_test(a_world_that_is_not_there_is_named),
        cmocka_unit_test(a_renamed_world_is_found_by_its_new_name_only),
        cmocka_unit_test(a_fork_resets_to_the_state_it_was_forked_at),
        cmocka_unit_test(clocks_freeze_step_and_go_forward),
        cmocka_unit_test(clocks_stop_at_the_ends_of_time),
        cmocka_unit_test(times_beyond_the_calendar_are_refused),
        cmocka_unit_test(a_world_whose_time_is_over_is_gone),
        cmocka_unit_test(a_token_names_its_world_and_actor),
        cmocka_unit_test(the_limit_of_worlds_holds_exactly),
        cmocka_unit_test(a_clock_stops_at_the_end_of_the_year_9999),
        cmocka_unit_test(times_modes_and_lives_that_make_no_sense_are_refused),
        cmocka_unit_test(a_token_may_live_longer_than_time_itself),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
