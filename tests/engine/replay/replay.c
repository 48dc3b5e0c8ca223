/* SPDX-License-Identifier: Apache-2.0 */
/* Journals that run again, worlds of a step, what would have been, exports and their chain. */
#include "engine/base/codec.h"
#include "tests/support/gcal.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"

static struct sosia_blob blob;

static char *dump_of(uint64_t world)
{
    struct sosia_blob b;
    assert_int_equal(sosia_world_dump(test_engine, world, &b, &test_err), 0);
    return b.data;
}

static void assert_same_dump(uint64_t world, const char *expected)
{
    char *now = dump_of(world);
    assert_string_equal(now, expected);
    free(now);
}

static int64_t last_of(uint64_t world)
{
    int64_t next;
    assert_int_equal(sosia_journal_info(test_engine, world, &blob, &test_err), 0);
    const struct json *v;
    struct arena a;
    arena_init(&a, 0);
    assert_int_equal(json_parse(&a, blob.data, blob.len, NULL, &v, &test_err), 0);
    assert_int_equal(json_i64(json_get(v, "entries"), &next), 0);
    arena_done(&a);
    sosia_blob_free(&blob);
    return next;
}

/* The report; its text is valid until the next one. */
static const char *replay(uint64_t world, const struct sosia_replay_options *opt,
                          uint64_t *ret_world)
{
    static char text[20000];
    if (sosia_journal_replay(test_engine, world, opt, ret_world, &blob, &test_err) < 0)
        fail_msg("replay: %s", test_err.text);
    snprintf(text, sizeof text, "%s", blob.data);
    sosia_blob_free(&blob);
    return text;
}

static void assert_equal_run(uint64_t world)
{
    const char *report = replay(world, NULL, NULL);
    if (!strstr(report, "\"equal\": true"))
        fail_msg("%s", report);
}

/* Five calls, of which one is refused. */
static void work(void)
{
    make_event("first", "");
    make_event("second", "'attendees':[{'email':'bob@acme.example'}]");
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Renamed'}");
    as(ADA, "PATCH", EVENTS "/nobody", "{'summary':'x'}");
    as(ADA, "DELETE", EVENTS "/second", NULL);
}

static void a_journal_runs_again_to_the_same(void **state)
{
    work();
    test_advance(86400);
    as(BOB, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
    assert_equal_run(test_world);
    assert_int_equal(last_of(test_world), 7);
}

static void settings_and_documents_run_again_too(void **state)
{
    static const char more[] = "{\"sosia\":1,\"people\":[{\"email\":\"dan@acme.example\"}]}";
    work();
    assert_int_equal(sosia_world_seed(test_engine, test_world, more, strlen(more), NULL, &test_err),
                     0);
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &test_err), 0);
    as("dan@acme.example", "POST", EVENTS "/quickAdd?text=Lunch", NULL);
    assert_int_equal(
        sosia_clock_mode(test_engine, test_world, SOSIA_CLOCK_STEP, 1000000, &test_err), 0);
    as(ADA, "GET", EVENTS, NULL);
    make_event("third", "");
    assert_equal_run(test_world);
}

static void a_difference_is_named_by_entry_and_member(void **state)
{
    uint64_t f;
    work();
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 2, NULL, &f, &test_err), 0);
    struct sosia_replay_options opt = {
        .edits = "[{\"step\":3,\"request\":{\"body\":{\"summary\":\"Other\"}}}]", .first = true};
    opt.edits_len = strlen(opt.edits);
    const char *report = replay(test_world, &opt, NULL);
    assert_non_null(strstr(report, "\"equal\": false"));
    assert_non_null(strstr(report, "\"seq\": 3"));
    assert_non_null(strstr(report, "\"what\": \"request.body\""));
}

static void a_world_of_a_step_is_what_the_world_was(void **state)
{
    char *states[6];
    states[0] = dump_of(test_world);
    make_event("first", "");
    states[1] = dump_of(test_world);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Renamed'}");
    states[2] = dump_of(test_world);
    make_event("second", "");
    states[3] = dump_of(test_world);
    for (int kept = 1; kept >= 0; kept--) {
        for (int64_t step = 0; step <= 3; step++) {
            uint64_t f;
            assert_int_equal(
                sosia_world_fork_step(test_engine, test_world, step, NULL, &f, &test_err), 0);
            assert_same_dump(f, states[step]);
            assert_int_equal(last_of(f), step);
            assert_int_equal(sosia_world_drop(test_engine, f, &test_err), 0);
        }
        /* Without the states the calls run again. */
        assert_int_equal(
            sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED, 0, &test_err),
            0);
    }
    for (int i = 0; i < 4; i++)
        free(states[i]);
}

/* Settings are of the state too, whether it was kept or is run again. */
static void a_world_of_a_step_has_the_settings_of_then(void **state)
{
    struct sosia_world_info info;
    char *then;
    uint64_t f;
    make_event("first", "");
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &test_err), 0);
    assert_int_equal(
        sosia_clock_mode(test_engine, test_world, SOSIA_CLOCK_STEP, 1000000, &test_err), 0);
    as(ADA, "PATCH", EVENTS "/nobody", "{'summary':'x'}");
    then = dump_of(test_world);
    assert_int_equal(sosia_world_rates(test_engine, test_world, false, &test_err), 0);
    assert_int_equal(sosia_clock_mode(test_engine, test_world, SOSIA_CLOCK_FROZEN, 0, &test_err),
                     0);
    make_event("second", "");
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 4, NULL, &f, &test_err), 0);
    assert_same_dump(f, then);
    assert_int_equal(sosia_world_info(test_engine, f, &info, &test_err), 0);
    assert_true(info.clock == SOSIA_CLOCK_STEP && info.step_us == 1000000);
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 1, NULL, &f, &test_err), 0);
    assert_int_equal(sosia_world_info(test_engine, f, &info, &test_err), 0);
    assert_true(info.clock == SOSIA_CLOCK_FROZEN && info.step_us == 0);
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 6, NULL, &f, &test_err), 0);
    assert_int_equal(sosia_world_info(test_engine, f, &info, &test_err), 0);
    assert_true(info.clock == SOSIA_CLOCK_FROZEN && info.step_us == 0);
    free(then);
}

static void a_world_goes_back_to_a_step(void **state)
{
    make_event("first", "");
    char *then = dump_of(test_world);
    make_event("second", "");
    as(ADA, "DELETE", EVENTS "/first", NULL);
    assert_int_equal(sosia_world_reset_step(test_engine, test_world, 1, &test_err), 0);
    assert_same_dump(test_world, then);
    assert_int_equal(last_of(test_world), 1);
    make_event("third", "");
    assert_int_equal(last_of(test_world), 2);
    assert_equal_run(test_world);
    assert_int_equal(sosia_world_reset_step(test_engine, test_world, 3, &test_err), -1);
    assert_string_equal(test_err.reason, "stepNotFound");
    free(then);
}

static void a_forks_journal_goes_on_from_its_parents(void **state)
{
    uint64_t f, g;
    work();
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    make_event("later", "");
    assert_int_equal(last_of(f), 5);
    assert_int_equal(last_of(test_world), 6);
    assert_int_equal(sosia_world_fork(test_engine, f, NULL, &g, &test_err), 0);
    assert_int_equal(sosia_world_drop(test_engine, f, &test_err), 0);
    assert_int_equal(sosia_journal_list(test_engine, g, 4, 0, false, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"seq\": 5"));
    sosia_blob_free(&blob);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_int_equal(last_of(test_world), 0);
    assert_int_equal(last_of(g), 5);
    assert_int_equal(sosia_world_reset(test_engine, g, &test_err), 0);
    assert_int_equal(last_of(g), 5);
    assert_int_equal(sosia_world_fork_step(test_engine, g, 1, NULL, &f, &test_err), 0);
    assert_int_equal(last_of(f), 1);
}

static void what_would_have_been_is_a_world(void **state)
{
    uint64_t other;
    make_event("first", "");
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Renamed'}");
    as(ADA, "PATCH", EVENTS "/first", "{'location':'Here'}");
    struct sosia_replay_options opt = {.from = 1,
                                       .edits = "[{\"step\":2,\"skip\":true}]",
                                       .edits_len = strlen("[{\"step\":2,\"skip\":true}]"),
                                       .keep = true,
                                       .name = "other"};
    const char *report = replay(test_world, &opt, &other);
    assert_non_null(strstr(report, "\"left_out\": 1"));
    assert_int_equal(sosia_diff(test_engine, other, test_world, NULL, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"to\": \"Renamed\""));
    assert_null(strstr(blob.data, "Here"));
    sosia_blob_free(&blob);
    assert_int_equal(last_of(other), 2);
    assert_equal_run(other);
    /* The fact alone is another one. */
    opt = (struct sosia_replay_options){
        .from = 1,
        .edits =
            "[{\"step\":1,\"seed\":{\"sosia\":1,\"people\":[{\"email\":\"dan@acme.example\"}]}}]",
        .keep = true};
    opt.edits_len = strlen(opt.edits);
    replay(test_world, &opt, &other);
    char *dump = dump_of(other);
    assert_non_null(strstr(dump, "dan@acme.example"));
    free(dump);
}

static void edits_that_make_no_sense_are_refused(void **state)
{
    static const char *const bad[] = {"{}",
                                      "[1]",
                                      "[{\"step\":1}]",
                                      "[{\"step\":9,\"skip\":true}]",
                                      "[{\"step\":1,\"skip\":false}]",
                                      "[{\"step\":1,\"skip\":true,\"seed\":{}}]",
                                      "[{\"step\":1,\"request\":\"x\"}]",
                                      "[{\"step\":1,\"outcome\":{}}]",
                                      "["};
    make_event("first", "");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        struct sosia_replay_options opt = {.edits = bad[i], .edits_len = strlen(bad[i])};
        assert_int_equal(
            sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err), -1);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
    }
    /* What an edit makes of an entry is named by it. */
    struct sosia_replay_options opt = {.edits = "[{\"step\":1,\"request\":{\"verb\":5}}]"};
    opt.edits_len = strlen(opt.edits);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err),
                     -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_non_null(strstr(test_err.text, "entry 1: "));
}

/* ---- files ---- */

/* As replay(), of a file, in another engine. */
static const char *replay_file(struct sosia_engine *engine, uint64_t world,
                               struct sosia_replay_options opt, const char *text,
                               uint64_t *ret_world)
{
    struct sosia_engine *own = test_engine;
    opt.journal = text;
    opt.journal_len = strlen(text);
    opt.journal_name = "run.jsonl";
    test_engine = engine;
    const char *report = replay(world, &opt, ret_world);
    test_engine = own;
    return report;
}

static uint64_t world_of(struct sosia_engine *engine, const char *doc)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc), .seed = 99};
    uint64_t world;
    assert_int_equal(sosia_world_create(engine, &opt, &world, &test_err), 0);
    return world;
}

static char *lines_behind(uint64_t world, int64_t after)
{
    struct sosia_blob b;
    assert_int_equal(
        sosia_journal_export(test_engine, world, SOSIA_JOURNAL_JSONL, after, 0, &b, &test_err), 0);
    return b.data;
}

static void a_file_runs_again_in_another_engine(void **state)
{
    struct sosia_replay_options keep = {.keep = true}, none = {0};
    struct sosia_engine *other;
    uint64_t again, kept, step;
    struct sosia_blob b, before;
    char *doc = dump_of(test_world);
    assert_int_equal(sosia_engine_open(NULL, &other, &test_err), 0);
    test_world = test_world_of(doc); /* with another seed than there */
    work();
    test_advance(86400);
    as(BOB, "POST", EVENTS "/quickAdd?text=Lunch", NULL);
    char *text = lines_behind(test_world, 0), *end = dump_of(test_world);
    again = world_of(other, doc);
    assert_int_equal(sosia_world_dump(other, again, &before, &test_err), 0);
    const char *report = replay_file(other, again, keep, text, &kept);
    if (!strstr(report, "\"equal\": true") || !strstr(report, "\"pages\": true") ||
        !strstr(report, "\"ran\": 7"))
        fail_msg("%s", report);
    assert_int_equal(sosia_world_dump(other, kept, &b, &test_err), 0);
    assert_string_equal(b.data, end);
    sosia_blob_free(&b);
    /* The world is what it was. */
    assert_int_equal(sosia_world_dump(other, again, &b, &test_err), 0);
    assert_string_equal(b.data, before.data);
    sosia_blob_free(&before);
    sosia_blob_free(&b);
    /* Of a dump of the state behind entry 3, the rest. */
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 3, NULL, &step, &test_err), 0);
    char *there = dump_of(step), *rest = lines_behind(test_world, 3);
    again = world_of(other, there);
    report = replay_file(other, again, none, rest, NULL);
    if (!strstr(report, "\"equal\": true") || !strstr(report, "\"ran\": 4"))
        fail_msg("%s", report);
    keep.journal = rest;
    keep.journal_len = strlen(rest);
    assert_int_equal(sosia_journal_replay(other, again, &keep, NULL, &b, &test_err), -1);
    assert_non_null(strstr(test_err.text, "begins with 4"));
    /* From another state it is another run. */
    report = replay_file(other, again, none, text, NULL);
    assert_non_null(strstr(report, "\"equal\": false"));
    sosia_engine_close(other);
    free(doc);
    free(text);
    free(end);
    free(there);
    free(rest);
}

/* A forged file: chained anew, so that it is what was written. */
static char *chained(const char *head, const char *entry)
{
    uint8_t link[32] = {0}, digest[32];
    char hex[65], first[65];
    gnutls_hash_hd_t h;
    struct buf b;
    assert_int_equal(gnutls_hash_init(&h, GNUTLS_DIG_SHA256), 0);
    gnutls_hash(h, link, sizeof link);
    gnutls_hash(h, entry, strlen(entry));
    gnutls_hash_deinit(h, link);
    hex_encode(hex, link, sizeof link);
    gnutls_hash_fast(GNUTLS_DIG_SHA256, head, strlen(head), digest);
    hex_encode(first, digest, sizeof digest);
    buf_init(&b, 0);
    buf_printf(&b,
               "%s\n{\"seq\":1,\"chain\":\"%s\",\"entry\":%s}\n{\"end\":1,\"chain\":\"%s\","
               "\"head\":\"%s\"}\n",
               head, hex, entry, hex, first);
    return buf_take(&b, NULL);
}

static void hostile_entries_are_named_by_line(void **state)
{
    static const char head[] = "{\"sosia_journal\":1,\"world\":\"8000000000000001\",\"from\":0,"
                               "\"to\":1,\"seed\":\"1\",\"keep\":\"redacted\"}";
    static const char *const bad[] = {
        "{",
        "{}",
        "[]",
        "{\"at\":\"never\"}",
        "{\"at\":\"2026-11-23T08:00:00Z\"}",
        "{\"at\":\"2026-11-23T08:00:00Z\",\"request\":{}}",
        "{\"at\":\"2026-11-23T08:00:00Z\",\"control\":{}}",
        "{\"at\":\"2026-11-23T08:00:00Z\",\"control\":{\"do\":\"seed\",\"body\":\"x\"}}",
        "{\"at\":\"2026-11-23T08:00:00Z\",\"control\":{\"do\":\"set\",\"now_us\":9e99}}",
        "{\"at\":\"2026-11-23T08:00:00Z\",\"session\":{},\"method\":\"calendar.events.get\"}",
        "{\"at\":\"2026-11-23T08:00:00Z\",\"session\":{},\"method\":\"socket\"}",
        "{\"at\":\"2026-11-23T08:00:00Z\",\"method\":\"socket\",\"session\":{\"key\":\"a\","
        "\"event\":"
        "\"opened\",\"number\":1,\"ref\":98,\"open\":1}}",
    };
    static const char *const heads[] = {
        "{\"sosia_journal\":1,\"from\":0,\"to\":1,\"seed\":\"1\",\"keep\":\"full\"}",
        "{\"sosia_journal\":1,\"world\":\"8000000000000001\",\"from\":0,\"to\":1,\"keep\":"
        "\"full\"}",
        "{\"sosia_journal\":1,\"world\":\"8000000000000001\",\"from\":0,\"to\":1,\"seed\":\"1\","
        "\"keep\":"
        "\"all\"}",
        "{\"sosia_journal\":1,\"world\":\"8000000000000001\",\"from\":0,\"to\":1,\"seed\":1}",
    };
    char *before = dump_of(test_world);
    for (size_t i = 0; i < SOSIA_LEN(bad) + SOSIA_LEN(heads); i++) {
        bool entry = i < SOSIA_LEN(bad);
        char *text = chained(entry ? head : heads[i - SOSIA_LEN(bad)], entry ? bad[i] : "{}");
        struct sosia_replay_options opt = {
            .journal = text, .journal_len = strlen(text), .journal_name = "run.jsonl"};
        assert_int_equal(sosia_journal_verify(text, strlen(text), NULL, NULL, NULL, NULL, NULL), 0);
        assert_int_equal(
            sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err), -1);
        assert_int_not_equal(test_err.code, SOSIA_E_NO_MEMORY);
        if (test_err.line != (entry ? 2 : 1) ||
            !strstr(test_err.text, entry ? "run.jsonl:2: " : "run.jsonl:1: "))
            fail_msg("%s: %s", text, test_err.text);
        free(text);
    }
    assert_same_dump(test_world, before);
    free(before);
}

/* What is not what a member must be is passed over, and shows as a difference. */
static void members_of_other_types_are_differences(void **state)
{
    static const char head[] = "{\"sosia_journal\":1,\"world\":\"8000000000000001\",\"from\":0,"
                               "\"to\":1,\"seed\":\"1\",\"keep\":\"redacted\"}";
    static const char *const odd[] = {"true", "null", "[\"x\"]", "{\"x\":1}", "5", "\"\""};
    char *before = dump_of(test_world);
    for (size_t i = 0; i < SOSIA_LEN(odd); i++) {
        char *text = chained(
            head, arena_printf(&test_arena,
                               "{\"at\":\"2026-11-23T08:00:00Z\",\"actor\":\"" ADA
                               "\",\"as\":%s,\"labels\":{\"call\":%s,\"cost\":%s,\"step\":%s},"
                               "\"request\":{\"verb\":\"GET\",\"target\":\"/calendar/v3" EVENTS
                               "\",\"base\":%s,\"host\":%s,\"via\":%s,\"headers\":{\"Accept\":%s},"
                               "\"body\":%s},\"resumed\":%s,\"response\":%s}",
                               odd[i], odd[i], odd[i], odd[i], odd[i], odd[i], odd[i], odd[i],
                               odd[i], odd[i], odd[i]));
        struct sosia_replay_options opt = {.journal = text, .journal_len = strlen(text)};
        int rc = sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err);
        if (rc == 0) {
            assert_true(strstr(blob.data, "\"equal\": false") || /* a body that was not kept: */
                        strstr(blob.data, "\"taken\": 1"));
            sosia_blob_free(&blob);
        } else {
            assert_int_equal(test_err.line, 2);
        }
        free(text);
    }
    assert_same_dump(test_world, before);
    free(before);
}

/* ---- exports ---- */

static char *export(uint64_t world, enum sosia_journal_format format)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_export(test_engine, world, format, 0, 0, &b, &test_err), 0);
    return b.data;
}

static void lines_that_were_edited_or_cut_are_named(void **state)
{
    char head[65];
    int64_t n;
    work();
    char *text = export(test_world, SOSIA_JOURNAL_JSONL);
    size_t len = strlen(text);
    assert_int_equal(sosia_journal_verify(text, len, "a.jsonl", NULL, &n, head, &test_err), 0);
    assert_int_equal(n, 5);
    assert_int_equal(sosia_journal_info(test_engine, test_world, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, head));
    sosia_blob_free(&blob);
    /* Each byte of the entries counts. */
    char *at = strstr(text, "Renamed");
    *at = 'r';
    assert_int_equal(sosia_journal_verify(text, len, "a.jsonl", NULL, &n, head, &test_err), -1);
    assert_int_equal(test_err.line, 4);
    assert_non_null(strstr(test_err.text, "a.jsonl:4:"));
    *at = 'R';
    /* The last line, half a line, a line in the middle is missing. */
    assert_int_equal(sosia_journal_verify(text, len - 90, "a.jsonl", NULL, &n, head, &test_err),
                     -1);
    char *end = strstr(text, "{\"end\"");
    assert_int_equal(
        sosia_journal_verify(text, (size_t)(end - text), "a.jsonl", NULL, &n, head, &test_err), -1);
    assert_int_equal(test_err.line, 7);
    char *second = strstr(text, "{\"seq\":2"), *third = strstr(text, "{\"seq\":3");
    memmove(second, third, strlen(third) + 1);
    assert_int_equal(sosia_journal_verify(text, strlen(text), "a.jsonl", NULL, &n, head, &test_err),
                     -1);
    assert_int_equal(test_err.line, 3);
    free(text);
}

/* Every byte that is changed is found, in files that begin with entry 1 and in others, and the line
 * in which it is has the blame. */
static void each_byte_of_a_file_counts(void **state)
{
    work();
    for (int64_t after = 0; after < 4; after += 3) {
        char *text = lines_behind(test_world, after);
        size_t len = strlen(text);
        int line = 1;
        for (size_t i = 0; i < len; i++) {
            char was = text[i];
            text[i] = was == '\n' ? ' ' : was == '7' ? '8' : '7';
            if (sosia_journal_verify(text, len, "a.jsonl", NULL, NULL, NULL, &test_err) == 0)
                fail_msg("byte %zu of the file behind entry %d does not count", i, (int)after);
            /* a line's link, and the end's hash of the first line, are compared later */
            assert_true(test_err.line >= 1 && test_err.line <= line + 1);
            assert_non_null(strstr(test_err.text, "a.jsonl:"));
            text[i] = was;
            line += was == '\n';
        }
        for (size_t cut = 0; cut < len; cut++)
            assert_int_equal(
                sosia_journal_verify(text, cut, "a.jsonl", NULL, NULL, NULL, &test_err), -1);
        assert_int_equal(sosia_journal_verify(text, len, NULL, NULL, NULL, NULL, &test_err), 0);
        free(text);
    }
}

static void hostile_files_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "\n",
        "{}\n",
        "{\"sosia_journal\":1}\n",
        "{\"sosia_journal\":1,\"from\":0,\"to\":0}\n",
        "{\"sosia_journal\":1,\"from\":0,\"to\":1}\n{\"seq\":\n",
        "{\"sosia_journal\":1,\"from\":0,\"to\":1}\n{\"seq\":1,\"chain\":\"00\n",
        "{\"sosia_journal\":1,\"from\":0,\"to\":1}\n{\"end\":1,\"chain\":\"\"}\n",
        "{\"sosia_journal\":1,\"from\":-1,\"to\":1}\n",
    };
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        assert_int_equal(
            sosia_journal_verify(bad[i], strlen(bad[i]), NULL, NULL, NULL, NULL, &test_err), -1);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        assert_true(test_err.line > 0);
    }
}

static void labels_are_in_entries_and_exports(void **state)
{
    const struct sosia_header labels[] = {{"Content-Type", "application/json"},
                                          {"X-Sosia-Step", "rename"},
                                          {"X-Sosia-Model", "m-1"},
                                          {"X-Sosia-Tokens-In", "1200"},
                                          {"X-Sosia-Tokens-Out", "07"},
                                          {"X-Sosia-Cost", "0.0125"},
                                          {"X-Sosia-Latency-Ms", "850"},
                                          {"X-Sosia-Call", "call_1"},
                                          {"Authorization", test_bearer(ADA, NULL)}};
    static const char body[] = "{\"summary\":\"Renamed\"}";
    make_event("first", "");
    test_request("PATCH", "/calendar/v3" EVENTS "/first", labels, SOSIA_LEN(labels), body,
                 strlen(body));
    assert_int_equal(test_status, 200);
    assert_int_equal(sosia_journal_list(test_engine, test_world, 1, 1, false, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"step\": \"rename\""));
    assert_non_null(strstr(blob.data, "\"tokens_in\": 1200"));
    assert_non_null(strstr(blob.data, "\"cost\": 0.0125"));
    assert_null(strstr(blob.data, "tokens_out")); /* no number */
    assert_null(strstr(blob.data, "Bearer"));
    sosia_blob_free(&blob);
    assert_equal_run(test_world);
    char *atif = export(test_world, SOSIA_JOURNAL_ATIF),
         *otlp = export(test_world, SOSIA_JOURNAL_OTLP),
         *har = export(test_world, SOSIA_JOURNAL_HAR);
    assert_non_null(strstr(atif, "\"total_cost_usd\": 0.0125"));
    assert_non_null(strstr(atif, "\"tool_call_id\": \"call_1\""));
    assert_non_null(strstr(otlp, "execute_tool calendar.events.patch"));
    assert_non_null(strstr(otlp, "gen_ai.usage.input_tokens"));
    assert_non_null(strstr(har, "\"wait\": 850"));
    free(atif);
    free(otlp);
    free(har);
}

static void entries_are_found_by_method_actor_and_text(void **state)
{
    struct sosia_journal_query q = {.method = "calendar.events.patch", .bodies = true};
    int64_t next;
    work();
    assert_int_equal(sosia_journal_find(test_engine, test_world, &q, &blob, &next, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"seq\": 3"));
    assert_null(strstr(blob.data, "\"seq\": 2"));
    assert_int_equal(next, 0);
    sosia_blob_free(&blob);
    q = (struct sosia_journal_query){.failed = true};
    assert_int_equal(sosia_journal_find(test_engine, test_world, &q, &blob, &next, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"seq\": 4"));
    assert_null(strstr(blob.data, "\"seq\": 3"));
    sosia_blob_free(&blob);
    q = (struct sosia_journal_query){.limit = 2, .actor = ADA};
    assert_int_equal(sosia_journal_find(test_engine, test_world, &q, &blob, &next, &test_err), 0);
    assert_int_equal(next, 2);
    sosia_blob_free(&blob);
}

static void what_is_kept_of_bodies_is_set(void **state)
{
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_HASHES, 10, &test_err), 0);
    make_event("first", "");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, true, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"xxh3\""));
    assert_null(strstr(blob.data, "Event first"));
    sosia_blob_free(&blob);
    assert_equal_run(test_world); /* by the state that it led to */
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_FULL, 10, &test_err), 0);
    make_event("second", "");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 1, 0, true, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "Bearer "));
    sosia_blob_free(&blob);
    assert_equal_run(test_world);
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_FULL, 99999, &test_err), -1);
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, (enum sosia_journal_keep)3, 1, &test_err),
        -1);
}

static void entries_run_again_as_they_were_kept_whatever_is_kept_now(void **state)
{
    static const enum sosia_journal_keep keeps[] = {SOSIA_KEEP_REDACTED, SOSIA_KEEP_FULL,
                                                    SOSIA_KEEP_HASHES, SOSIA_KEEP_REDACTED};
    static const enum sosia_journal_mode modes[] = {SOSIA_JOURNAL_WRITES, SOSIA_JOURNAL_ALL,
                                                    SOSIA_JOURNAL_NONE};
    static const char more[] = "{\"sosia\":1,\"people\":[{\"email\":\"dan@acme.example\"}]}";
    char id[16];
    for (int i = 0; i < 4; i++) {
        assert_int_equal(sosia_world_journal_keep(test_engine, test_world, keeps[i], 10, &test_err),
                         0);
        snprintf(id, sizeof id, "event%d", i);
        make_event(id, "");
        if (keeps[i] == SOSIA_KEEP_FULL)
            assert_int_equal(
                sosia_world_seed(test_engine, test_world, more, sizeof more - 1, NULL, &test_err),
                0);
    }
    assert_int_equal(last_of(test_world), 5);
    for (int keep = 0; keep <= SOSIA_KEEP_HASHES; keep++) {
        for (int i = 0; i < 3; i++) {
            assert_int_equal(sosia_world_journal_mode(test_engine, test_world, modes[i], &test_err),
                             0);
            assert_int_equal(sosia_world_journal_keep(test_engine, test_world,
                                                      (enum sosia_journal_keep)keep, 10, &test_err),
                             0);
            assert_equal_run(test_world);
        }
    }
    assert_int_equal(sosia_journal_info(test_engine, test_world, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"mode\": \"none\""));
    sosia_blob_free(&blob);
}

static void the_change_of_an_entry_is_found(void **state)
{
    work();
    assert_int_equal(sosia_journal_changes(test_engine, test_world, 3, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"to\": \"Renamed\""));
    assert_null(strstr(blob.data, "second"));
    sosia_blob_free(&blob);
    assert_int_equal(sosia_journal_changes(test_engine, test_world, 6, &blob, &test_err), -1);
}

static void old_steps_go_when_there_are_more_than_are_kept(void **state)
{
    char id[16];
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED, 3, &test_err), 0);
    for (int i = 0; i < 8; i++) {
        snprintf(id, sizeof id, "event%d", i);
        make_event(id, "");
    }
    assert_int_equal(sosia_journal_info(test_engine, test_world, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"kept\": 3"));
    assert_non_null(strstr(blob.data, "\"first\": 6"));
    sosia_blob_free(&blob);
    uint64_t f;
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, 2, NULL, &f, &test_err), 0);
    char *dump = dump_of(f);
    assert_non_null(strstr(dump, "event1"));
    assert_null(strstr(dump, "event2"));
    free(dump);
}

/* What a world shares with its forks is kept all the same. */
static void states_before_a_fork_are_counted(void **state)
{
    uint64_t f;
    make_event("event0", "");
    make_event("event1", "");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    make_event("event2", "");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &f, &test_err), 0);
    make_event("event3", "");
    assert_int_equal(sosia_journal_info(test_engine, test_world, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"kept\": 4"));
    assert_non_null(strstr(blob.data, "\"first\": 1"));
    sosia_blob_free(&blob);
    assert_int_equal(sosia_journal_info(test_engine, f, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"kept\": 0")); /* its own, of which it has none */
    sosia_blob_free(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_journal_runs_again_to_the_same),
        gcal_test(settings_and_documents_run_again_too),
        gcal_test(a_difference_is_named_by_entry_and_member),
        gcal_test(a_world_of_a_step_is_what_the_world_was),
        gcal_test(a_world_of_a_step_has_the_settings_of_then),
        gcal_test(a_world_goes_back_to_a_step),
        gcal_test(a_forks_journal_goes_on_from_its_parents),
        gcal_test(what_would_have_been_is_a_world),
        gcal_test(edits_that_make_no_sense_are_refused),
        gcal_test(a_file_runs_again_in_another_engine),
        gcal_test(hostile_entries_are_named_by_line),
        gcal_test(members_of_other_types_are_differences),
        gcal_test(lines_that_were_edited_or_cut_are_named),
        gcal_test(each_byte_of_a_file_counts),
        gcal_test(hostile_files_are_refused),
        gcal_test(labels_are_in_entries_and_exports),
        gcal_test(entries_are_found_by_method_actor_and_text),
        gcal_test(what_is_kept_of_bodies_is_set),
        gcal_test(entries_run_again_as_they_were_kept_whatever_is_kept_now),
        gcal_test(the_change_of_an_entry_is_found),
        gcal_test(old_steps_go_when_there_are_more_than_are_kept),
        gcal_test(states_before_a_fork_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
