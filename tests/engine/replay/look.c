/* SPDX-License-Identifier: Apache-2.0 */
/* Looking: what methods that read answer to somebody, without a trace in the world. */
#include "engine/replay/look.h"
#include "engine/api/router.h"
#include "engine/world/engine.h"
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS "/calendars/primary/events"

/* All that looking could leave behind. */
struct trace {
    char hash[65], info[2000];
    int64_t now_us;
};

static void take_trace(uint64_t world, struct trace *ret)
{
    struct sosia_blob b;
    memset(ret, 0, sizeof *ret);
    assert_int_equal(sosia_world_hash(test_engine, world, ret->hash, &test_err), 0);
    assert_int_equal(sosia_clock_get(test_engine, world, &ret->now_us, &test_err), 0);
    assert_int_equal(sosia_journal_info(test_engine, world, &b, &test_err), 0);
    snprintf(ret->info, sizeof ret->info, "%s", b.data);
    sosia_blob_free(&b);
}

static struct sosia_response *seen;

static int look_at(uint64_t world, int64_t step, const char *who, const char *method,
                   const char *target)
{
    const struct sosia_request r = {
        .method = method, .target = target, .body = "", .base_url = "http://localhost:8787"};
    sosia_response_free(seen);
    seen = NULL;
    return look(test_engine, world, step, who, &r, &seen, &test_err);
}

static void assert_seen(const char *text, bool there)
{
    assert_non_null(seen);
    assert_int_equal(seen->status, 200);
    if ((strstr(seen->body, text) != NULL) != there)
        fail_msg("%s: %s", text, seen->body);
}

static int close_world(void **state)
{
    sosia_response_free(seen);
    seen = NULL;
    return gcal_close_world(state);
}

#define look_test(f) cmocka_unit_test_setup_teardown(f, gcal_open_world, close_world)

/* "/calendars/{calendarId}/events" as a target: each parameter is "x". */
static void fill(const char *path, char ret[1000])
{
    size_t n = 0;
    for (const char *p = path; *p && n < 900; p++) {
        if (*p == '{') {
            p = strchr(p, '}');
            ret[n++] = 'x';
        } else {
            ret[n++] = *p;
        }
    }
    ret[n] = 0;
}

static bool is_looked_at(const struct route *row)
{
    return row->risk == RISK_READ && !row->outside && !row->upgrade && row->pace != PACE_SLOW;
}

static void no_row_that_reads_leaves_a_trace(void **state)
{
    struct trace before, after;
    const struct route *row;
    int looks = 0, good = 0;
    make_event("first", "");
    assert_int_equal(
        sosia_clock_mode(test_engine, test_world, SOSIA_CLOCK_STEP, 1000000, &test_err), 0);
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    as(ADA, "GET", EVENTS, NULL);
    take_trace(test_world, &before);
    for (const struct dialect **d = test_engine->dialects; *d; d++) {
        for (size_t i = 0; (row = dialect_row(*d, i)); i++) {
            char target[1000];
            if (!is_looked_at(row))
                continue;
            fill(row->paths[0], target);
            if (look_at(test_world, LOOK_NOW, ADA, verb_name(route_verb(row)), target) < 0)
                continue; /* another row has the path, or it is at hosts of a vendor alone */
            looks++;
            good += seen->status == 200;
            take_trace(test_world, &after);
            if (memcmp(&before, &after, sizeof before) != 0)
                fail_msg("%s has left a trace", row->id);
        }
    }
    assert_true(looks > 300);
    assert_true(good > 20);
    as(ADA, "GET", EVENTS, NULL); /* an ordinary call does */
    take_trace(test_world, &after);
    assert_int_not_equal(memcmp(&before, &after, sizeof before), 0);
}

static void each_sees_what_is_theirs(void **state)
{
    make_event("first", "'summary':'Secret plan'");
    assert_int_equal(look_at(test_world, LOOK_NOW, ADA, "GET", "/calendar/v3" EVENTS), 0);
    assert_seen("Secret plan", true);
    assert_int_equal(look_at(test_world, LOOK_NOW, BOB, "GET", "/calendar/v3" EVENTS), 0);
    assert_seen("Secret plan", false);
    assert_int_equal(look_at(test_world, LOOK_NOW, ADA, "GET",
                             "/@www.googleapis.com/calendar/v3" EVENTS "?q=plan"),
                     0);
    assert_seen("Secret plan", true);
    assert_int_equal(
        look_at(test_world, LOOK_NOW, "nobody@acme.example", "GET", "/calendar/v3" EVENTS), 0);
    assert_int_equal(seen->status, 401);
}

static void what_writes_is_refused_and_nothing_happens(void **state)
{
    struct trace before, after;
    make_event("first", "");
    take_trace(test_world, &before);
    assert_int_equal(look_at(test_world, LOOK_NOW, ADA, "DELETE", "/calendar/v3" EVENTS "/first"),
                     -1);
    assert_string_equal(test_err.reason, "looksOnly");
    assert_int_equal(look_at(test_world, LOOK_NOW, ADA, "POST", "/batch/calendar/v3"), -1);
    assert_int_equal(test_err.code, SOSIA_E_FORBIDDEN);
    assert_int_equal(look_at(test_world, LOOK_NOW, ADA, "GET", "/nothing"), -1);
    assert_string_equal(test_err.reason, "unknownMethod");
    assert_int_equal(look_at(test_world, LOOK_NOW, ADA, "GET", "/@nowhere.example/calendar/v3"),
                     -1);
    take_trace(test_world, &after);
    assert_memory_equal(&before, &after, sizeof before);
}

static void policies_have_no_say(void **state)
{
    static const char deny[] = "policy: 1\nname: none\nrules:\n"
                               "  - {id: no, effect: deny, call: {method: 'calendar.*'}}\n";
    struct sosia_blob b;
    make_event("first", "'summary':'Plan'");
    if (sosia_policy_set(test_engine, test_world, deny, sizeof deny - 1, "p", &b, &test_err) < 0)
        fail_msg("%s", test_err.text);
    sosia_blob_free(&b);
    as(ADA, "GET", EVENTS, NULL);
    assert_int_equal(test_status, 403);
    assert_int_equal(look_at(test_world, LOOK_NOW, ADA, "GET", "/calendar/v3" EVENTS), 0);
    assert_seen("Plan", true);
}

static void a_step_and_a_snapshot_are_looked_at(void **state)
{
    uint64_t snapshot;
    make_event("first", "'summary':'Early'");
    assert_int_equal(sosia_world_snapshot(test_engine, test_world, NULL, &snapshot, &test_err), 0);
    as(ADA, "PATCH", EVENTS "/first", "{'summary':'Late'}");
    assert_int_equal(look_at(test_world, 1, ADA, "GET", "/calendar/v3" EVENTS), 0);
    assert_seen("Early", true);
    assert_int_equal(look_at(test_world, 2, ADA, "GET", "/calendar/v3" EVENTS), 0);
    assert_seen("Late", true);
    assert_int_equal(look_at(test_world, 0, ADA, "GET", "/calendar/v3" EVENTS), 0);
    assert_seen("Early", false);
    assert_int_equal(look_at(snapshot, LOOK_NOW, ADA, "GET", "/calendar/v3" EVENTS), 0);
    assert_seen("Early", true);
    assert_int_equal(look_at(test_world, 3, ADA, "GET", "/calendar/v3" EVENTS), -1);
    assert_string_equal(test_err.reason, "stepNotFound");
    assert_int_equal(sosia_world_drop(test_engine, snapshot, &test_err), 0);
}

static void a_snapshot_keeps_its_time(void **state)
{
    uint64_t snapshot;
    int64_t first, second;
    assert_int_equal(sosia_clock_mode(test_engine, test_world, SOSIA_CLOCK_REAL, 0, &test_err), 0);
    assert_int_equal(sosia_world_snapshot(test_engine, test_world, NULL, &snapshot, &test_err), 0);
    assert_int_equal(sosia_clock_get(test_engine, snapshot, &first, &test_err), 0);
    struct timespec wait = {.tv_nsec = 3000000};
    nanosleep(&wait, NULL);
    assert_int_equal(sosia_clock_get(test_engine, snapshot, &second, &test_err), 0);
    assert_int_equal(first, second);
    assert_int_equal(sosia_world_drop(test_engine, snapshot, &test_err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        look_test(no_row_that_reads_leaves_a_trace),           look_test(each_sees_what_is_theirs),
        look_test(what_writes_is_refused_and_nothing_happens), look_test(policies_have_no_say),
        look_test(a_step_and_a_snapshot_are_looked_at),        look_test(a_snapshot_keeps_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
