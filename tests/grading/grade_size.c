/* SPDX-License-Identifier: Apache-2.0 */
/* However much an agent leaves behind, there is a verdict, and it takes bounded memory and time. */
#include "engine/world/engine.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ADA    "ada@acme.example"
#define UPLOAD "/upload/gmail/v1/users/me/messages?uploadType=media"
#define MIB    ((size_t)1 << 20)

static const char doc[] = "{sosia: 1, time: '2026-11-23T09:00:00', zone: UTC,"
                          " organizations: [{domain: acme.example, name: Acme}],"
                          " people: [{email: ada@acme.example, name: Ada}]}";

static int open_world(void **state)
{
    (void)state;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static const struct json *grade(const char *assertions)
{
    struct sosia_suite *suite;
    struct sosia_blob blob, again;
    const char *text = quoted(
        arena_printf(&test_arena, "{'version':'1','closed':false,'assertions':[%s]}", assertions));
    if (sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err) < 0 ||
        sosia_grade(test_engine, suite, NULL, 0, test_world, &blob, &test_err) < 0 ||
        sosia_grade(test_engine, suite, NULL, 0, test_world, &again, &test_err) < 0)
        fail_msg("%s", test_err.text);
    sosia_suite_close(suite);
    assert_string_equal(blob.data, again.data);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    sosia_blob_free(&again);
    return v;
}

/* A letter of so many bytes of text in ada's mailbox. */
static void put_letter(const char *subject, size_t size)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "message/rfc822"}};
    char *letter = malloc(size + 300);
    assert_non_null(letter);
    size_t n = (size_t)snprintf(letter, 300,
                                "From: " ADA "\r\nTo: " ADA "\r\nSubject: %s\r\nContent-Type: "
                                "text/plain\r\n\r\n",
                                subject);
    for (size_t i = 0; i < size; i += 64)
        memcpy(letter + n + i,
               "0123456789 abcdefghijklmnopqrstuvwxyz 0123456789 abcdefghijkl\r\n..", 64);
    test_request("POST", UPLOAD, headers, 2, letter, n + size / 64 * 64);
    free(letter);
    if (test_status >= 300)
        fail_msg("%d %s", test_status, test_body);
}

static void assert_too_large(const struct json *v)
{
    assert_false(true_at(v, "passed"));
    assert_string_equal(text_at(v, "reason"), "tooLarge");
    assert_string_equal(json_get(v, "reward")->str, "0");
    assert_int_equal(count_at(v, "failures"), 1);
}

static int diff(size_t *ret_len)
{
    struct sosia_blob blob;
    int rc = sosia_diff(test_engine, 0, test_world, NULL, &blob, &test_err);
    if (rc == 0) {
        *ret_len = blob.len;
        sosia_blob_free(&blob);
    }
    return rc;
}

#define THERE "{'state':'message','where':{'subject':'Letter 7'}}"

static void a_world_that_is_too_large_has_a_verdict(void **state)
{
    size_t len;
    (void)state;
    for (int i = 0; i < 30; i++)
        put_letter(arena_printf(&test_arena, "Letter %d", i), 80000);
    assert_true(true_at(grade(THERE), "passed"));
    assert_int_equal(diff(&len), 0);
    test_engine->changes_room = MIB;
    assert_too_large(grade(THERE));
    assert_int_equal(diff(&len), -1);
    assert_int_equal(test_err.code, SOSIA_E_TOO_LARGE);
    assert_string_equal(test_err.reason, "tooLarge");
    test_engine->changes_room = 0;
    assert_true(true_at(grade(THERE), "passed"));
}

/* Of what is much larger than what is shown of it, one at a time is looked at. */
static void large_letters_are_judged_in_bounded_memory(void **state)
{
    size_t len = 0;
    (void)state;
    for (int i = 5; i < 11; i++)
        put_letter(arena_printf(&test_arena, "Letter %d", i), 30 * MIB);
    test_engine->changes_room = 128 * MIB;
    assert_true(true_at(grade(THERE), "passed"));
    assert_int_equal(diff(&len), 0);
    assert_true(len < MIB);
    test_engine->changes_room = 0;
}

static void calls_are_counted_however_large_they_are(void **state)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    size_t size = 60000;
    char *body = malloc(size + 100);
    (void)state;
    assert_non_null(body);
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    size_t n = (size_t)snprintf(body, 100, "{\"summary\":\"");
    memset(body + n, 'x', size);
    memcpy(body + n + size, "\"}", 3);
    for (int i = 0; i < 200; i++)
        test_request("PATCH", "/calendar/v3/calendars/primary/events/none", headers, 2, body,
                     n + size + 2);
    free(body);
    assert_int_equal(test_status, 404);
    test_engine->changes_room = 4 * MIB;
    assert_true(true_at(
        grade("{'calls':{'method':'calendar.events.patch','ok':false},'expected_count':200},"
              "{'calls':{'verb':'DELETE'},'expected_count':0},"
              "{'order':[{'status':404},{'status':404}]}"),
        "passed"));
    assert_too_large(grade("{'calls':{'request.summary':'y'},'expected_count':0}"));
    test_engine->changes_room = 0;
    assert_true(true_at(grade("{'calls':{'request.summary':'y'},'expected_count':0}"), "passed"));
}

static void a_question_that_is_not_answered_holds_in_no_way(void **state)
{
    static const struct {
        const char *sql, *why;
    } rows[] = {
        {"select length(hex(zeroblob(200000)))", "at most 256 KiB"},
        /* A few thousand steps, of which each looks through a text for another one. */
        {"with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) select "
         "sum(instr(printf('%.*c', 250000, 'x'), printf('%.*c', 125000 + i % 2, 'x') || 'y')) "
         "from n",
         "a processor"},
    };
    struct timespec from, to;
    (void)state;
    test_engine->sql_ns = 500000000;
    for (size_t i = 0; i < SOSIA_LEN(rows); i++) {
        struct sosia_suite *suite;
        struct sosia_blob blob;
        const char *text = arena_printf(
            &test_arena,
            "{\"version\":\"1\",\"assertions\":[{\"sql\":\"%s\",\"is\":1},{\"not\":{\"sql\":\"%s\","
            "\"is\":1}}]}",
            rows[i].sql, rows[i].sql);
        assert_int_equal(sosia_suite_open(text, strlen(text), "test.json", &suite, &test_err), 0);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        assert_int_equal(sosia_grade(test_engine, suite, NULL, 0, test_world, &blob, &test_err), 0);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        sosia_suite_close(suite);
        const struct json *v = parsed(blob.data, blob.len);
        for (int k = 0; k < 2; k++) {
            const char *part = k ? "parts.1" : "parts.0";
            assert_false(true_at(value_at(v, part), "passed"));
            if (!strstr(text_at(value_at(v, part), "why"), rows[i].why))
                fail_msg("must say \"%s\", says %s", rows[i].why,
                         text_at(value_at(v, part), "why"));
        }
        sosia_blob_free(&blob);
        if (to.tv_sec - from.tv_sec > 10)
            fail_msg("must end within its bound, took %ld s", (long)(to.tv_sec - from.tv_sec));
    }
    test_engine->sql_ns = 0;
}

#define test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_world_that_is_too_large_has_a_verdict),
        test(large_letters_are_judged_in_bounded_memory),
        test(calls_are_counted_however_large_they_are),
        test(a_question_that_is_not_answered_holds_in_no_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
