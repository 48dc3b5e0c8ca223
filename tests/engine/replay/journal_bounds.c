/* SPDX-License-Identifier: Apache-2.0 */
/* What a journal and its states may come to: the oldest go first, what is gone is said, and calls
 * of nobody have no entries. */
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"
#define MIB    (INT64_C(1) << 20)

static const struct json *info_of(uint64_t world)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_info(test_engine, world, &b, &test_err), 0);
    const struct json *v = parsed(b.data, b.len);
    sosia_blob_free(&b);
    return v;
}

static void bound(int64_t step_bytes, int64_t bytes)
{
    assert_int_equal(
        sosia_world_journal_bounds(test_engine, test_world, step_bytes, bytes, &test_err), 0);
}

/* Calls with some 50 KB each, which are refused. */
static void refused_calls(int n)
{
    char *body = malloc(50100);
    int at = sprintf(body, "{'summary':'");
    memset(body + at, 'x', 50000);
    strcpy(body + at + 50000, "'}");
    while (n--)
        as(ADA, "PATCH", EVENTS "/nobody", body);
    free(body);
}

static void entries_go_by_bytes_the_oldest_first(void **state)
{
    bound(-1, MIB);
    make_event("first", "");
    refused_calls(60);
    const struct json *info = info_of(test_world);
    assert_int_equal(number_at(info, "entries"), 61);
    assert_true(number_at(info, "first") > 30);
    assert_true(number_at(info, "bytes") <= MIB);
    assert_int_equal(number_at(info, "most_bytes"), MIB);
    /* A page begins with the first that is left. */
    struct sosia_blob b;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 1, false, &b, &test_err), 0);
    assert_int_equal(number_at(parsed(b.data, b.len), "0.seq"), number_at(info, "first"));
    sosia_blob_free(&b);
}

static void the_chain_goes_on_behind_a_cut(void **state)
{
    struct sosia_blob all, rest;
    char head[65];
    int64_t n;
    make_event("first", "");
    refused_calls(30);
    char *before = arena_strdup(&test_arena, text_at(info_of(test_world), "head"));
    bound(-1, MIB);
    const struct json *info = info_of(test_world);
    assert_true(number_at(info, "first") > 1);
    assert_string_equal(text_at(info, "head"), before);
    assert_int_equal(
        sosia_journal_export(test_engine, test_world, SOSIA_JOURNAL_JSONL, 0, 0, &all, &test_err),
        0);
    assert_int_equal(sosia_journal_verify(all.data, all.len, NULL, before, &n, head, &test_err), 0);
    assert_int_equal(n, 32 - number_at(info, "first"));
    sosia_blob_free(&all);
    assert_int_equal(
        sosia_journal_export(test_engine, test_world, SOSIA_JOURNAL_JSONL, 1, 0, &rest, &test_err),
        -1);
    assert_non_null(strstr(test_err.text, "is the first that is left"));
}

static void what_is_gone_is_no_step_and_a_replay_says_so(void **state)
{
    uint64_t f;
    make_event("first", "");
    make_event("second", "");
    refused_calls(40);
    bound(-1, MIB);
    int64_t first = number_at(info_of(test_world), "first");
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 1, NULL, &f, &test_err), -1);
    assert_non_null(strstr(test_err.text, "is the first that is left"));
    assert_int_equal(sosia_world_reset_step(test_engine, test_world, 1, &test_err), -1);
    struct sosia_blob b;
    make_event("third", "");
    /* No state from then on is kept but that of the last call: what runs is behind that. */
    assert_int_equal(sosia_journal_replay(test_engine, test_world, NULL, NULL, &b, &test_err), 0);
    const struct json *report = parsed(b.data, b.len);
    assert_int_equal(number_at(report, "gone"), first - 1);
    assert_true(number_at(report, "from") >= first - 1);
    sosia_blob_free(&b);
}

static void forks_share_what_the_world_lets_go_of(void **state)
{
    uint64_t f;
    make_event("first", "");
    refused_calls(15);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    bound(-1, MIB);
    refused_calls(15);
    assert_true(number_at(info_of(test_world), "first") > 1);
    assert_int_equal(number_at(info_of(f), "first"), 1);
    assert_int_equal(number_at(info_of(f), "entries"), 16);
    uint64_t g;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &g, &test_err), 0);
    const struct json *of_world = info_of(test_world), *of_fork = info_of(g);
    assert_int_equal(number_at(of_fork, "first"), number_at(of_world, "first"));
    assert_string_equal(text_at(of_fork, "head"), text_at(of_world, "head"));
}

static void an_exported_world_keeps_the_cut(void **state)
{
    uint64_t back;
    refused_calls(30);
    bound(2 * MIB, MIB);
    const struct json *info = info_of(test_world);
    assert_int_equal(test_import_changed(NULL, &back), 0);
    const struct json *again = info_of(back);
    assert_int_equal(number_at(again, "first"), number_at(info, "first"));
    assert_int_equal(number_at(again, "entries"), number_at(info, "entries"));
    assert_string_equal(text_at(again, "head"), text_at(info, "head"));
    assert_int_equal(number_at(again, "most_bytes"), MIB);
    assert_int_equal(number_at(again, "steps.most_bytes"), 2 * MIB);
}

/* A call that puts another text of 8 KB in the place of one. */
static void rewrite(int i)
{
    static char body[8200];
    int at = sprintf(body, "{'description':'");
    memset(body + at, 'a' + i % 26, 8000);
    strcpy(body + at + 8000, "'}");
    as(ADA, "PATCH", EVENTS "/first", body);
    assert_int_equal(test_status, 200);
}

static void steps_go_by_bytes_too(void **state)
{
    bound(MIB, -1);
    make_event("first", "");
    for (int i = 0; i < 250; i++)
        rewrite(i);
    const struct json *info = info_of(test_world);
    assert_int_equal(number_at(info, "entries"), 251);
    assert_true(number_at(info, "steps.kept") < 200);
    assert_true(number_at(info, "steps.kept") > 10);
    assert_true(number_at(info, "steps.bytes") <= MIB);
    assert_int_equal(number_at(info, "steps.most_bytes"), MIB);
    assert_int_equal(number_at(info, "first"), 1);
}

/* Where a world is forked between its calls its states are shared, and are as many. */
static void forks_do_not_keep_more_steps(void **state)
{
    uint64_t f;
    bound(MIB, -1);
    for (int i = 0; i < 250; i++) {
        as(ADA, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
        assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
        assert_int_equal(sosia_world_drop(test_engine, f, &test_err), 0);
    }
    const struct json *info = info_of(test_world);
    assert_true(number_at(info, "steps.kept") < 200);
    assert_true(number_at(info, "steps.bytes") <= MIB);
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED, 5, &test_err), 0);
    assert_int_equal(number_at(info_of(test_world), "steps.kept"), 5);
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 3, NULL, &f, &test_err), 0);
}

/* ---- of a world with a bound on its size ---- */

static void limited(uint64_t most, void (*then)(void))
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"" ADA "\"}]}";
    struct sosia_engine_options opt = {.max_world_size = most};
    struct sosia_world_options wo = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    struct sosia_engine *other = test_engine;
    uint64_t world = test_world;
    assert_int_equal(sosia_engine_open(&opt, &test_engine, &test_err), 0);
    assert_int_equal(sosia_world_create(test_engine, &wo, &test_world, &test_err), 0);
    then();
    sosia_engine_close(test_engine);
    test_engine = other;
    test_world = world;
}

static void write_much(void)
{
    struct sosia_world_info info;
    make_event("first", "");
    for (int i = 0; i < 600; i++) {
        rewrite(i);
        assert_int_equal(sosia_world_info(test_engine, test_world, &info, &test_err), 0);
        assert_true(info.size <= 4 * MIB);
    }
    assert_true(number_at(info_of(test_world), "steps.kept") < 600);
}

static void steps_count_against_the_size_of_a_world(void **state)
{
    limited(4 * MIB, write_much);
}

static void refuse_much(void)
{
    refused_calls(200);
    make_event("first", "");
    assert_int_equal(test_status, 200);
}

static void refused_calls_do_not_end_the_writes_of_a_world(void **state)
{
    limited(4 * MIB, refuse_much);
}

/* ---- calls of nobody ---- */

static void call_as_nobody(const char *token)
{
    const struct sosia_header headers[] = {{.name = "Content-Type", .value = "application/json"},
                                           {.name = "Authorization", .value = token}};
    char *body = malloc(60000);
    memset(body, ' ', 60000);
    memcpy(body, "{}", 2);
    test_request("POST", "/calendar/v3" EVENTS "?key=hush", headers, token ? 2 : 1, body, 60000);
    assert_int_equal(test_status, 401);
    free(body);
}

static void calls_of_nobody_are_counted_and_no_entries(void **state)
{
    struct sosia_world_info before, after;
    make_event("first", "");
    assert_int_equal(sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, NULL), 0);
    assert_int_equal(sosia_world_info(test_engine, test_world, &before, &test_err), 0);
    for (int i = 0; i < 500; i++)
        call_as_nobody(i % 2 ? "Bearer nothing" : NULL);
    assert_int_equal(sosia_world_info(test_engine, test_world, &after, &test_err), 0);
    assert_int_equal(after.size, before.size);
    const struct json *info = info_of(test_world);
    assert_int_equal(number_at(info, "entries"), 1);
    assert_int_equal(number_at(info, "refused.calls"), 500);
    assert_int_equal(count_at(info, "refused.last"), 32);
    assert_string_equal(text_at(info, "refused.last.31.method"), "calendar.events.insert");
    assert_string_equal(text_at(info, "refused.last.31.path"), "/calendar/v3" EVENTS);
    assert_int_equal(number_at(info, "refused.last.31.status"), 401);
    /* One after the other of the same kind are one. */
    for (int i = 0; i < 40; i++)
        call_as_nobody(NULL);
    info = info_of(test_world);
    assert_int_equal(number_at(info, "refused.last.31.calls"), 40);
    assert_int_equal(count_at(info, "refused.last"), 32);
    /* A reset begins anew. */
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_int_equal(number_at(info_of(test_world), "refused.calls"), 0);
}

/* What nobody asks for is not there, and whose call of it has a name is in the journal. */
static void calls_of_no_method_are_somebodys(void **state)
{
    assert_int_equal(sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, NULL), 0);
    as(ADA, "GET", "/nothing", NULL);
    assert_int_equal(test_status, 404);
    struct sosia_blob b;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, true, &b, &test_err), 0);
    const struct json *list = parsed(b.data, b.len);
    assert_int_equal(count_at(list, ""), 1);
    assert_string_equal(text_at(list, "0.actor"), ADA);
    sosia_blob_free(&b);
    test_request("GET", "/calendar/v3/nothing", NULL, 0, NULL, 0);
    assert_int_equal(test_status, 404);
    assert_int_equal(number_at(info_of(test_world), "entries"), 1);
    assert_int_equal(number_at(info_of(test_world), "refused.calls"), 1);
}

static void bounds_are_numbers_that_can_be(void **state)
{
    assert_int_equal(
        sosia_world_journal_bounds(test_engine, test_world, 65535 * MIB, -1, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    bound(0, 0);
    make_event("first", "");
    const struct json *info = info_of(test_world);
    assert_int_equal(number_at(info, "steps.kept"), 0);
    assert_null(value_at(info, "most_bytes"));
}

/* A seed document says it for its world, an engine's options for all. */
static void documents_and_engines_have_settings(void **state)
{
    static const char doc[] = "sosia: 1\n"
                              "journal: {mode: all, keep: hashes, steps: 7, step_bytes: 2097152, "
                              "bytes: 0}\n";
    struct sosia_engine_options opt = {.journal = {.mode = SOSIA_JOURNAL_ALL,
                                                   .keep = SOSIA_KEEP_FULL,
                                                   .steps = -1,
                                                   .step_bytes = -1,
                                                   .bytes = 5 * MIB}};
    struct sosia_engine *other = test_engine;
    uint64_t world;
    test_use(doc);
    const struct json *info = info_of(test_world);
    assert_string_equal(text_at(info, "mode"), "all");
    assert_string_equal(text_at(info, "keep"), "hashes");
    assert_int_equal(number_at(info, "steps.most"), 7);
    assert_int_equal(number_at(info, "steps.most_bytes"), 2 * MIB);
    assert_null(value_at(info, "most_bytes"));
    assert_int_equal(sosia_engine_open(&opt, &test_engine, &test_err), 0);
    assert_int_equal(sosia_world_create(test_engine, NULL, &world, &test_err), 0);
    info = info_of(world);
    assert_string_equal(text_at(info, "mode"), "all");
    assert_string_equal(text_at(info, "keep"), "full");
    assert_int_equal(number_at(info, "steps.most"), 0);
    assert_int_equal(number_at(info, "steps.most_bytes"), 0);
    assert_int_equal(number_at(info, "most_bytes"), 5 * MIB);
    sosia_engine_close(test_engine);
    opt.journal.bytes = 70000 * MIB;
    assert_int_equal(sosia_engine_open(&opt, &test_engine, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    test_engine = other;
}

/* ---- what an entry has ---- */

static void a_long_answer_to_a_read_is_kept(void **state)
{
    char *text = malloc(8001);
    memset(text, 'x', 8000);
    text[8000] = 0;
    for (int i = 0; i < 12; i++)
        make_event(arena_printf(&test_arena, "event%d", i),
                   arena_printf(&test_arena, "'description':'%s'", text));
    free(text);
    assert_int_equal(sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, NULL), 0);
    as(ADA, "GET", EVENTS, NULL);
    assert_true(test_len > 90000);
    struct sosia_blob b;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 12, 1, true, &b, &test_err), 0);
    const struct json *v = parsed(b.data, b.len);
    assert_string_equal(text_at(v, "0.response.body"), test_body);
    sosia_blob_free(&b);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, NULL, NULL, &b, &test_err), 0);
    assert_true(true_at(parsed(b.data, b.len), "equal"));
    sosia_blob_free(&b);
}

static void labelled(const char *name, const char *value)
{
    const struct sosia_header headers[] = {
        {.name = "Authorization", .value = test_bearer(ADA, NULL)},
        {.name = "X-Sosia-Label-Run", .value = "seven"},
        {.name = name, .value = value}};
    test_request("POST", "/calendar/v3" EVENTS "/quickAdd?text=Lunch", headers, 3, NULL, 0);
    assert_int_equal(test_status, 200);
}

static size_t found(const char *label)
{
    struct sosia_journal_query q = {.label = label};
    struct sosia_blob b;
    int64_t next;
    assert_int_equal(sosia_journal_find(test_engine, test_world, &q, &b, &next, &test_err), 0);
    size_t n = count_at(parsed(b.data, b.len), "");
    sosia_blob_free(&b);
    return n;
}

static void labels_of_ones_own_are_kept(void **state)
{
    char long_name[80] = "X-Sosia-Label-";
    struct sosia_blob b;
    labelled("x-sosia-label-Arm_2", "control: a");
    labelled("X-Sosia-Label-step", "not a step");
    labelled("X-Sosia-Label-", "no name");
    labelled("X-Sosia-Label-a.b", "no such name");
    memset(long_name + 14, 'n', 41);
    labelled(long_name, "x");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &b, &test_err), 0);
    const struct json *v = parsed(b.data, b.len);
    assert_string_equal(printed_at(v, "0.labels"), "{\"run\":\"seven\",\"arm_2\":\"control: a\"}");
    for (int i = 1; i < 5; i++)
        assert_string_equal(printed_at(v, arena_printf(&test_arena, "%d.labels", i)),
                            "{\"run\":\"seven\"}");
    sosia_blob_free(&b);
    assert_int_equal(found("run:seven"), 5);
    assert_int_equal(found("RUN"), 5);
    assert_int_equal(found("run:six"), 0);
    assert_int_equal(found("arm_2:control: a"), 1);
    assert_int_equal(found("step"), 0);
    for (int f = SOSIA_JOURNAL_JSONL; f <= SOSIA_JOURNAL_ATIF; f++) {
        assert_int_equal(sosia_journal_export(test_engine, test_world, (enum sosia_journal_format)f,
                                              0, 0, &b, &test_err),
                         0);
        if (!strstr(b.data, "control: a"))
            fail_msg("format %d", f);
        sosia_blob_free(&b);
    }
    assert_int_equal(sosia_journal_replay(test_engine, test_world, NULL, NULL, &b, &test_err), 0);
    if (!true_at(parsed(b.data, b.len), "equal"))
        fail_msg("%s", b.data);
    sosia_blob_free(&b);
}

/* Where an entry's bodies are left out, a label of that name stays. */
static void a_label_may_be_called_body(void **state)
{
    struct sosia_journal_query q = {.limit = 9};
    struct sosia_blob b;
    int64_t next;
    labelled("X-Sosia-Label-Body", "short");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &b, &test_err), 0);
    const struct json *v = parsed(b.data, b.len);
    assert_string_equal(printed_at(v, "0.labels"), "{\"run\":\"seven\",\"body\":\"short\"}");
    assert_null(value_at(v, "0.response.body"));
    sosia_blob_free(&b);
    for (int i = 0; i < 2; i++) { /* copied, and read and written */
        q.label = i ? "body:short" : NULL;
        assert_int_equal(sosia_journal_find(test_engine, test_world, &q, &b, &next, &test_err), 0);
        v = parsed(b.data, b.len);
        assert_int_equal(count_at(v, ""), 1);
        assert_string_equal(text_at(v, "0.labels.body"), "short");
        assert_null(value_at(v, "0.response.body"));
        sosia_blob_free(&b);
    }
}

static void at_most_so_many_labels_are_kept(void **state)
{
    struct sosia_header headers[21] = {{.name = "Authorization", .value = test_bearer(ADA, NULL)}};
    struct sosia_blob b;
    for (int i = 1; i <= 20; i++)
        headers[i] = (struct sosia_header){
            .name = arena_printf(&test_arena, "X-Sosia-Label-n%d", i), .value = "v"};
    test_request("POST", "/calendar/v3" EVENTS "/quickAdd?text=Lunch", headers, 21, NULL, 0);
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &b, &test_err), 0);
    assert_int_equal(count_at(parsed(b.data, b.len), "0.labels"), 16);
    sosia_blob_free(&b);
}

/* Only where the clock is real, since all else of an entry is the same each time. */
static void entries_say_how_long_the_engine_took(void **state)
{
    struct sosia_blob b;
    make_event("first", "");
    assert_int_equal(sosia_clock_mode(test_engine, test_world, SOSIA_CLOCK_REAL, 0, &test_err), 0);
    make_event("second", "");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &b, &test_err), 0);
    const struct json *v = parsed(b.data, b.len);
    assert_null(value_at(v, "0.took_us"));
    assert_true(number_at(v, "2.took_us") >= 0);
    assert_true(number_at(v, "2.took_us") < 60000000);
    sosia_blob_free(&b);
    for (int f = SOSIA_JOURNAL_JSONL; f <= SOSIA_JOURNAL_ATIF; f++) {
        assert_int_equal(sosia_journal_export(test_engine, test_world, (enum sosia_journal_format)f,
                                              0, 0, &b, &test_err),
                         0);
        if (!strstr(b.data, "took_us"))
            fail_msg("format %d", f);
        sosia_blob_free(&b);
    }
    assert_int_equal(sosia_journal_replay(test_engine, test_world, NULL, NULL, &b, &test_err), 0);
    if (!true_at(parsed(b.data, b.len), "equal"))
        fail_msg("%s", b.data);
    sosia_blob_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(entries_go_by_bytes_the_oldest_first),
        gcal_test(the_chain_goes_on_behind_a_cut),
        gcal_test(what_is_gone_is_no_step_and_a_replay_says_so),
        gcal_test(forks_share_what_the_world_lets_go_of),
        gcal_test(an_exported_world_keeps_the_cut),
        gcal_test(steps_go_by_bytes_too),
        gcal_test(forks_do_not_keep_more_steps),
        gcal_test(steps_count_against_the_size_of_a_world),
        gcal_test(refused_calls_do_not_end_the_writes_of_a_world),
        gcal_test(calls_of_nobody_are_counted_and_no_entries),
        gcal_test(calls_of_no_method_are_somebodys),
        gcal_test(bounds_are_numbers_that_can_be),
        gcal_test(documents_and_engines_have_settings),
        gcal_test(a_long_answer_to_a_read_is_kept),
        gcal_test(labels_of_ones_own_are_kept),
        gcal_test(a_label_may_be_called_body),
        gcal_test(at_most_so_many_labels_are_kept),
        gcal_test(entries_say_how_long_the_engine_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
