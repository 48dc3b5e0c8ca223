/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a decision: by the world's clock, and while others decide. */
#include "engine/http/hold.h"
#include "engine/world/due.h"
#include "engine/world/engine.h"
#include "tests/guard/held.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#define WAITS(seconds, more)    POLICY "approvals: {wait_seconds: " #seconds more "}\n"
#define SCRIPT(after, decision) ", script: [{after_seconds: " #after ", decide: " #decision "}]"
#define GUARD_WORDS             "This call is held for approval as %s."

static int64_t now(void)
{
    int64_t now_us;
    assert_int_equal(sosia_clock_get(test_engine, test_world, &now_us, &test_err), 0);
    return now_us;
}

static const char *journal(void)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &blob, &test_err), 0);
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    return text;
}

static int count_in(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

/* ---- by the world's clock ---- */

static void a_script_decides_while_the_call_waits(void **state)
{
    set(WAITS(60, SCRIPT(30, approve)));
    int64_t before = now();
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(now() - before, INT64_C(30000000));
    assert_int_equal(how_many(), 1);
    const char *text = journal();
    assert_int_equal(count_in(text, "\"waits\": true"), 1);
    assert_int_equal(count_in(text, "\"event\": \"proposed\""), 1);
    assert_int_equal(count_in(text, "\"event\": \"executed\""), 1);
    /* The same again is given its answer, and waits for nobody. */
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(now() - before, INT64_C(30000000));
    assert_int_equal(events(), 2);
}

static void a_script_may_decide_at_once(void **state)
{
    set(WAITS(60, ", script: [{decide: approve, arguments: {body.summary: Better}}]"));
    int64_t before = now();
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_non_null(strstr(test_body, "\"Better\""));
    assert_int_equal(now(), before);
}

static void a_rejection_ends_the_wait(void **state)
{
    const char *before = hash();
    set(WAITS(60, SCRIPT(30, reject)));
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_string_equal(text_at(action_of(held()), "state"), "rejected");
    assert_string_equal(hash(), before);
    assert_non_null(strstr(test_body, arena_printf(&test_arena, GUARD_WORDS, held())));
}

/* Nobody decides in time: the refusal is as without a wait, and what comes later is not done. */
static void time_over_denies(void **state)
{
    const char *before = hash();
    set(WAITS(1, SCRIPT(90, approve)));
    int64_t at = now();
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_non_null(strstr(test_body, arena_printf(&test_arena, GUARD_WORDS, held())));
    assert_int_equal(now(), at);
    assert_string_equal(text_at(action_of(held()), "state"), "held");
    assert_string_equal(hash(), before);
    /* An action whose own time is over is over for those who wait as well. */
    set(POLICY "approvals: {wait_seconds: 3600, expires_seconds: 20" SCRIPT(20, approve) "}\n");
    test_advance(3600);
    at = now();
    set(POLICY "approvals: {wait_seconds: 1, expires_seconds: 20" SCRIPT(20, approve) "}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    assert_int_equal(events(), 1);
}

/* It is one call to limits and budgets, though it is judged twice. */
static void a_call_that_waits_counts_once(void **state)
{
    set("policy: 1\nname: p\notherwise: allow\napprovals: {wait_seconds: 60" SCRIPT(
        30, approve) "}\nrules: [{effect: approve, call: {method: calendar.events.insert}},\n"
                     "  {effect: limit, call: {method: calendar.events.insert}, calls: 2}]\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(ada("POST", EVENTS, EVENT("B")), 200);
    assert_int_equal(ada("POST", EVENTS, EVENT("C")), 403);
    assert_string_equal(held(), "");
    test_use(held_doc);
    set(WAITS(60, SCRIPT(30, approve)) "budget: {maxToolCalls: 2, maxRetriesPerTool: 0}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(ada("POST", EVENTS, EVENT("B")), 200);
    assert_int_not_equal(ada("POST", EVENTS, EVENT("C")), 200);
    assert_non_null(strstr(test_header("X-Sosia-Stop"), "tool_call_budget_exceeded"));
}

/* Each way has each invariant. 1: other spellings of the same attach to it. */
static void other_words_are_another_call(void **state)
{
    set(WAITS(60, ", script: [{call: {arguments: {body.summary: A}}, decide: approve}]"));
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    const char *first = arena_strdup(&test_arena, test_body);
    assert_int_equal(ada("POST", EVENTS, EVENT_AGAIN), 200);
    assert_string_equal(test_body, first);
    set(WAITS(1, ", script: [{call: {arguments: {body.summary: A}}, decide: approve}]"));
    assert_int_equal(ada("POST", EVENTS, EVENT("B")), 403);
    assert_int_equal(events(), 2);
}

/* 10: what is put together carries nothing that was not approved. */
static void bundles_wait_part_by_part(void **state)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                     {"Content-Type", "application/json"},
                                     {"Accept", "application/json, text/event-stream"}};
    const char *text = quoted(
        "[{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'calendar_events_insert',"
        "'arguments':{'calendarId':'primary','body':" EVENT(
            "A") "}}},"
                 "{'jsonrpc':'2.0','id':2,'method':'tools/"
                 "call','params':{'name':'calendar_events_insert',"
                 "'arguments':{'calendarId':'primary','body':" EVENT("B") "}}}]");
    set(WAITS(60, ", script: [{call: {arguments: {body.summary: A}}, decide: approve},"
                  " {after_seconds: 5, decide: reject}]"));
    test_request("POST", "/mcp", headers, SOSIA_LEN(headers), text, strlen(text));
    assert_non_null(strstr(test_body, "\"isError\":true"));
    assert_int_equal(events(), 2);
    assert_int_equal(how_many(), 2);
}

static void the_same_world_waits_the_same(void **state)
{
    const char *first = NULL;
    for (int i = 0; i < 2; i++) {
        test_use(held_doc);
        set(WAITS(60, SCRIPT(30, approve)));
        assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
        const char *answer = arena_strdup(&test_arena, test_body);
        if (first)
            assert_string_equal(answer, first);
        first = answer;
    }
}

static void a_journal_with_waits_runs_again(void **state)
{
    struct sosia_blob blob;
    const struct sosia_replay_options opt = {0};
    set(WAITS(60, SCRIPT(30, approve)));
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 204);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err),
                     0);
    if (!strstr(blob.data, "\"differences\": []"))
        fail_msg("%s", blob.data);
    sosia_blob_free(&blob);
}

static void parts_of_a_batch_wait_one_by_one(void **state)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                     {"Content-Type", "multipart/mixed; boundary=b"}};
    static const char body[] =
        "--b\r\nContent-Type: application/http\r\n\r\nGET " EVENTS "/old00\r\n"
        "\r\n--b\r\nContent-Type: application/http\r\n\r\nDELETE " EVENTS "/old00\r\n\r\n--b--\r\n";
    set(WAITS(60, SCRIPT(30, approve)));
    test_request("POST", "/batch/calendar/v3", headers, 2, body, strlen(body));
    assert_non_null(strstr(test_body, "204 No Content"));
    assert_int_equal(events(), 0);
}

/* ---- while others decide ---- */

struct asking {
    pthread_t thread;
    const char *bearer, *verb, *target, *body;
    uint64_t world;
    int status;
    char text[8192];
};

static void *ask_there(void *arg)
{
    struct asking *a = arg;
    const struct sosia_header headers[] = {{"Authorization", a->bearer},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request request = {.method = a->verb,
                                          .target = a->target,
                                          .headers = headers,
                                          .n_headers = 2,
                                          .body = a->body,
                                          .body_len = strlen(a->body)};
    struct sosia_response *r;
    struct sosia_err err;
    if (sosia_call(test_engine, a->world, &request, &r, &err) < 0) {
        snprintf(a->text, sizeof a->text, "%s", err.text);
        return NULL;
    }
    a->status = r->status;
    snprintf(a->text, sizeof a->text, "%s", r->body);
    sosia_response_free(r);
    return NULL;
}

static void begin(struct asking *a, const char *verb, const char *target, const char *body)
{
    *a = (struct asking){.bearer = test_bearer(ADA, NULL),
                         .verb = verb,
                         .target = target,
                         .body = body ? quoted(body) : "",
                         .world = test_world};
    assert_int_equal(pthread_create(&a->thread, NULL, ask_there, a), 0);
}

static int end(struct asking *a)
{
    pthread_join(a->thread, NULL);
    return a->status;
}

/* The name of the world's newest action, once it has that many, of which the last one is held. */
static const char *wait_for(long n)
{
    for (int i = 0; i < 10000; i++, usleep(1000)) {
        struct sosia_blob blob;
        assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &blob, &test_err),
                         0);
        const struct json *v = parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len);
        sosia_blob_free(&blob);
        if ((long)count_at(v, "approvals") != n)
            continue;
        const struct json *last = value_at(v, arena_printf(&test_arena, "approvals.%ld", n - 1));
        if (strcmp(text_at(last, "state"), "held") == 0)
            return text_at(last, "action");
    }
    fail_msg("no call is held");
    return NULL;
}

static void a_wait_is_interrupted_and_what_it_asked_stays_held(void **state)
{
    struct asking a;
    int asked = 0;
    set(WAITS(3600, ""));
    begin(&a, "POST", EVENTS, EVENT("A"));
    const char *action = wait_for(1);
    uint64_t other = test_world_of(held_doc);
    assert_int_equal(sosia_interrupt(test_engine, other), 0);
    /* It begins to wait by and by; what is asked before is of the work that comes before. */
    while (pthread_tryjoin_np(a.thread, NULL) == EBUSY) {
        asked += sosia_interrupt(test_engine, test_world);
        usleep(1000);
    }
    assert_true(asked > 0);
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.text, "interrupted"));
    assert_int_equal(events(), 1);
    assert_int_equal(sosia_approval_decide(test_engine, test_world, action, "approve", NULL, NULL,
                                           NULL, &test_err),
                     0);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(events(), 2);
}

/* One that was asked of a call ends it, at whichever moment between its begin and its wait. */
static void no_interruption_is_lost(void **state)
{
    set(WAITS(3600, ""));
    for (int i = 0; i < 300; i++) {
        struct asking a;
        begin(&a, "POST", EVENTS, EVENT("A"));
        for (int spin = 0; spin < i * 20; spin++)
            atomic_signal_fence(memory_order_seq_cst);
        while (!sosia_interrupt(test_engine, test_world))
            sched_yield();
        assert_int_equal(pthread_join(a.thread, NULL), 0);
        assert_int_equal(a.status, 0);
        assert_non_null(strstr(a.text, "interrupted"));
    }
    assert_int_equal(events(), 1);
}

static void a_call_waits_until_somebody_decides(void **state)
{
    struct asking a;
    set(WAITS(60, ""));
    begin(&a, "POST", EVENTS, EVENT("A"));
    assert_int_equal(decide(wait_for(1), "edit", "{\"body.summary\": \"B\"}"), 0);
    assert_int_equal(end(&a), 200);
    assert_non_null(strstr(a.text, "\"summary\": \"B\""));
    begin(&a, "POST", EVENTS, EVENT("C"));
    assert_int_equal(decide(wait_for(2), "reject", NULL), 0);
    assert_int_equal(end(&a), 403);
    assert_int_equal(events(), 2);
}

/* A client that lost its patience asks again: both are given the one event. */
static void the_same_call_twice_is_made_once(void **state)
{
    struct asking a, b;
    set(WAITS(60, ""));
    begin(&a, "POST", EVENTS, EVENT("A"));
    const char *action = wait_for(1);
    begin(&b, "POST", EVENTS, EVENT("A"));
    for (int i = 0; i < 10000 && !strstr(journal(), "\"attached\""); i++)
        usleep(1000);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(end(&a), 200);
    assert_int_equal(end(&b), 200);
    assert_string_equal(a.text, b.text);
    assert_int_equal(events(), 2);
    assert_int_equal(how_many(), 1);
}

static void clock_is(enum sosia_clock_mode mode)
{
    assert_int_equal(sosia_clock_mode(test_engine, test_world, mode, 0, &test_err), 0);
}

/* All look at a clock that was stopped before their decision: it goes on to that, and no
 * farther. */
static void those_who_wait_move_the_clock_once(void **state)
{
    struct asking a[8];
    set(WAITS(3600, SCRIPT(60, approve)));
    for (int i = 0; i < 8; i++) {
        const char *body = arena_printf(&test_arena, EVENT("N%d"), i);
        clock_is(SOSIA_CLOCK_REAL);
        for (size_t k = 0; k < SOSIA_LEN(a); k++)
            begin(&a[k], "POST", EVENTS, body);
        for (int k = 0; k < 10000 && count_in(journal(), "\"attached\"") < 7 * (i + 1); k++)
            usleep(1000);
        clock_is(SOSIA_CLOCK_FROZEN);
        int64_t before = now();
        hold_wake(test_engine, test_world);
        for (size_t k = 0; k < SOSIA_LEN(a); k++)
            assert_int_equal(end(&a[k]), 200);
        assert_in_range(now() - before, 1, INT64_C(60000000));
    }
}

/* A later caller finds it there; a world that went back is left alone. */
static void a_clock_goes_on_to_an_instant(void **state)
{
    uint64_t era = 0;
    int64_t at = now() + 60, back = now();
    struct world *w = world_take(test_engine, test_world, &test_err);
    assert_non_null(w);
    era = w->era;
    world_drop(w);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(world_advance_to(test_engine, test_world, era, at, &test_err), 0);
        assert_int_equal(now(), at);
    }
    assert_int_equal(world_advance_to(test_engine, test_world, era, back, &test_err), 0);
    assert_int_equal(world_advance_to(test_engine, test_world, era + 1, at + 60, &test_err), 0);
    assert_int_equal(now(), at);
}

static void what_would_do_something_else_waits_on(void **state)
{
    struct asking a;
    set(WAITS(60, ""));
    begin(&a, "DELETE", EVENTS "/old00", NULL);
    const char *action = wait_for(1);
    assert_int_equal(ada("PUT", EVENTS "/old00", EVENT("Other")), 200);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_string_equal(wait_for(1), action); /* with the new outcome */
    assert_string_equal(text_at(action_of(action), "outcome.changes.0.value.summary"), "Other");
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(end(&a), 204);
}

static void forks_have_the_action_and_not_who_waits(void **state)
{
    struct asking a, b;
    uint64_t own = test_world, copy, fork;
    set(WAITS(60, ""));
    begin(&a, "POST", EVENTS, EVENT("A"));
    const char *action = wait_for(1);
    assert_int_equal(sosia_world_snapshot(test_engine, own, NULL, &copy, &test_err), 0);
    assert_int_equal(sosia_world_fork(test_engine, copy, NULL, &fork, &test_err), 0);
    test_world = fork;
    assert_int_equal(decide(action, "approve", NULL), 0);
    begin(&b, "POST", EVENTS, EVENT("A"));
    assert_int_equal(end(&b), 200);
    test_world = own;
    assert_string_equal(text_at(action_of(action), "state"), "held");
    assert_int_equal(events(), 1);
    assert_int_equal(decide(action, "reject", NULL), 0);
    assert_int_equal(end(&a), 403);
}

static void a_world_that_goes_back_refuses_who_waits(void **state)
{
    struct asking a;
    set(WAITS(60, ""));
    begin(&a, "POST", EVENTS, EVENT("A"));
    wait_for(1);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_int_equal(end(&a), 403);
    assert_int_equal(how_many(), 0);
    set(WAITS(60, ""));
    uint64_t own = test_world, fork;
    assert_int_equal(sosia_world_fork(test_engine, own, NULL, &fork, &test_err), 0);
    test_world = fork;
    begin(&a, "POST", EVENTS, EVENT("A"));
    wait_for(1);
    test_world = own;
    assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
    assert_int_equal(end(&a), 403);
}

/* ---- where a server sends, no thread waits ---- */

static void no_news(void *arg, uint64_t world, int64_t first, int64_t last)
{
}

struct answered {
    sem_t there;
    int status;
};

enum { MANY = 100 };
static struct answered many[MANY];

static void answer(void *arg, struct sosia_response *r)
{
    struct answered *a = arg;
    a->status = r ? r->status : -1;
    sosia_response_free(r);
    sem_post(&a->there);
}

static void ask_later(struct answered *a, int i)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *body =
        arena_printf(&test_arena, "%.*s %d%s", 13, quoted(EVENT("A")), i, quoted(EVENT("A")) + 13);
    const struct sosia_request request = {.method = "POST",
                                          .target = EVENTS,
                                          .headers = headers,
                                          .n_headers = 2,
                                          .body = body,
                                          .body_len = strlen(body)};
    sem_init(&a->there, 0, 0);
    sosia_call_async(test_engine, test_world, &request, answer, a);
}

static void a_server_keeps_requests_and_no_threads(void **state)
{
    struct answered *a = many;
    set(WAITS(60, ""));
    assert_int_equal(sosia_engine_on_outbox(test_engine, no_news, NULL), 0);
    for (int i = 0; i < MANY; i++)
        ask_later(&a[i], i);
    wait_for(MANY);
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len);
    sosia_blob_free(&blob);
    for (int i = 0; i < MANY; i++) {
        const char *path = arena_printf(&test_arena, "approvals.%d.action", i);
        assert_int_equal(decide(text_at(v, path), i % 2 ? "reject" : "approve", NULL), 0);
    }
    for (int i = 0; i < MANY; i++) {
        sem_wait(&a[i].there);
        assert_int_equal(a[i].status, i % 2 ? 403 : 200);
    }
    assert_int_equal(events(), 1 + MANY / 2);
    /* At the end of the engine those who wait are refused; the test's own closing imports the
     * world again, which has the action. */
    ask_later(&a[0], MANY);
    wait_for(MANY + 1);
    sosia_engine_on_outbox(test_engine, NULL, NULL);
}

static uint64_t fork_of_world(void)
{
    uint64_t fork;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    return fork;
}

/* Its status within some seconds; 0: there is none. */
static int soon(struct answered *a)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    return sem_timedwait(&a->there, &until) == 0 ? a->status : 0;
}

/* What is kept for one world does not wait for another one that others keep. */
static void worlds_do_not_wait_for_each_other(void **state)
{
    struct answered *a = many;
    set(WAITS(60, ""));
    uint64_t own = test_world, other = fork_of_world();
    assert_int_equal(sosia_engine_on_outbox(test_engine, no_news, NULL), 0);
    ask_later(&a[0], 0);
    const char *first = wait_for(1);
    test_world = other;
    ask_later(&a[1], 1);
    const char *second = wait_for(1);
    test_world = own;
    assert_int_equal(decide(first, "approve", NULL), 0);
    assert_int_equal(soon(&a[0]), 200);
    ask_later(&a[2], 2);
    wait_for(2);
    struct world *w = world_take(test_engine, own, &test_err);
    assert_non_null(w);
    hold_wake(test_engine, own); /* it is looked at, and its world is busy */
    usleep(100000);
    test_world = other;
    assert_int_equal(decide(second, "approve", NULL), 0);
    int status = soon(&a[1]);
    world_drop(w);
    assert_int_equal(status, 200);
    test_world = own;
    assert_int_equal(sosia_world_reset(test_engine, own, &test_err), 0);
    assert_int_equal(soon(&a[2]), 403);
    assert_int_equal(sosia_world_drop(test_engine, other, &test_err), 0);
    sosia_engine_on_outbox(test_engine, NULL, NULL);
}

/* A client that asks again and again keeps few places; the newest wait. */
static void the_newest_of_the_same_wait(void **state)
{
    enum { ASKED = 10, KEPT = 4 };
    struct answered *a = many;
    set(WAITS(60, ""));
    assert_int_equal(sosia_engine_on_outbox(test_engine, no_news, NULL), 0);
    for (int i = 0; i < ASKED; i++) {
        ask_later(&a[i], 0);
        wait_for(1);
    }
    for (int i = 0; i < ASKED - KEPT; i++)
        assert_int_equal(soon(&a[i]), 403);
    assert_int_equal(decide(wait_for(1), "approve", NULL), 0);
    for (int i = ASKED - KEPT; i < ASKED; i++)
        assert_int_equal(soon(&a[i]), 200);
    assert_int_equal(events(), 2);
    sosia_engine_on_outbox(test_engine, NULL, NULL);
}

/* What waits in one world leaves room for the others. */
static void a_world_keeps_its_share(void **state)
{
    enum { SHARE = 250 };
    static struct answered a[SHARE], beyond, there;
    set(WAITS(60, ""));
    uint64_t own = test_world, other = fork_of_world();
    assert_int_equal(sosia_engine_on_outbox(test_engine, no_news, NULL), 0);
    for (int i = 0; i < SHARE; i++)
        ask_later(&a[i], i);
    ask_later(&beyond, SHARE);
    assert_int_equal(soon(&beyond), 403);
    test_world = other;
    ask_later(&there, 0);
    assert_int_equal(decide(wait_for(1), "approve", NULL), 0);
    assert_int_equal(soon(&there), 200);
    test_world = own;
    assert_int_equal(sosia_world_reset(test_engine, own, &test_err), 0);
    for (int i = 0; i < SHARE; i++)
        assert_int_equal(soon(&a[i]), 403);
    assert_int_equal(sosia_world_drop(test_engine, other, &test_err), 0);
    sosia_engine_on_outbox(test_engine, NULL, NULL);
}

static int close_waiting(void **state)
{
    if (close_world(state) < 0 || sem_trywait(&many[0].there) < 0)
        return -1;
    return many[0].status == 403 ? 0 : -1;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_script_decides_while_the_call_waits),
        TEST(a_script_may_decide_at_once),
        TEST(a_rejection_ends_the_wait),
        TEST(time_over_denies),
        TEST(a_call_that_waits_counts_once),
        TEST(other_words_are_another_call),
        TEST(bundles_wait_part_by_part),
        TEST(the_same_world_waits_the_same),
        TEST(a_journal_with_waits_runs_again),
        TEST(parts_of_a_batch_wait_one_by_one),
        TEST(a_wait_is_interrupted_and_what_it_asked_stays_held),
        TEST(no_interruption_is_lost),
        TEST(a_call_waits_until_somebody_decides),
        TEST(the_same_call_twice_is_made_once),
        TEST(those_who_wait_move_the_clock_once),
        TEST(a_clock_goes_on_to_an_instant),
        TEST(what_would_do_something_else_waits_on),
        TEST(forks_have_the_action_and_not_who_waits),
        TEST(a_world_that_goes_back_refuses_who_waits),
        TEST(worlds_do_not_wait_for_each_other),
        TEST(the_newest_of_the_same_wait),
        TEST(a_world_keeps_its_share),
        cmocka_unit_test_setup_teardown(a_server_keeps_requests_and_no_threads, open_world,
                                        close_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
