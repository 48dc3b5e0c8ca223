/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries without a sender: the schedule of attempts, outcomes as calls of the journal, and
 * what forks, resets and imports have of them. */
#include "engine/send/delivery.h"
#include "engine/http/suspend.h"
#include "engine/service.h"
#include "engine/world/core.h"
#include "engine/world/parking.h"
#include "identity/identity.h"
#include "tests/support/answer.h"
#include "tests/support/carry.h"
#include "tests/support/disk.h"
#include "tests/support/memory.h"
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000)

static int n_ended;
static enum delivery_verdict ended_as;
static int64_t ended_ref;

static enum delivery_verdict judge(const struct sosia_outcome *o)
{
    return o->status == 200 ? DELIVERY_GOOD : o->status == 400 ? DELIVERY_BAD : DELIVERY_AGAIN;
}

static int ended(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                 const struct sosia_outcome *outcome)
{
    n_ended++;
    ended_as = verdict;
    ended_ref = ref;
    return 0;
}

static const int32_t waits_s[] = {10, 20, 0};
static const struct delivery_kind note_kind = {
    .name = "note", .waits_s = waits_s, .judge = judge, .ended = ended};

/* A subscription, which is made only when its receiver agrees. */
static int complete(struct call *c, int64_t ref, enum delivery_verdict verdict,
                    const struct sosia_outcome *outcome)
{
    if (verdict != DELIVERY_GOOD)
        return call_fail(c, SOSIA_E_INVALID, "refused", NULL, "the receiver said %d",
                         outcome->status);
    json_obj(c->out, NULL);
    json_int(c->out, "ref", ref);
    json_strn(c->out, "said", outcome->body, outcome->body_len);
    json_end(c->out);
    c->status = 201;
    return 0;
}

static int imagine(struct tx *tx, int64_t ref, struct sosia_outcome *ret)
{
    ret->body = "yes";
    ret->body_len = 3;
    return 0;
}

static const struct delivery_kind handshake_kind = {
    .name = "handshake", .judge = judge, .complete = complete, .imagine = imagine};

/* One that asks two receivers, one after the other. */
static int ask(struct call *c, const struct delivery_kind *kind, int64_t ref)
{
    int64_t entry;
    if (delivery_add(&c->tx,
                     &(struct delivery){.kind = kind,
                                        .ref = ref,
                                        .from = "notes",
                                        .method = "POST",
                                        .url = "http://127.0.0.1:1/",
                                        .body = "agree?"},
                     &entry) < 0)
        return -1;
    call_suspend(c, entry);
    return 0;
}

static int complete_first(struct call *c, int64_t ref, enum delivery_verdict verdict,
                          const struct sosia_outcome *outcome)
{
    return verdict == DELIVERY_GOOD ? ask(c, &handshake_kind, ref + 1)
                                    : complete(c, ref, verdict, outcome);
}

static const struct delivery_kind first_kind = {
    .name = "first", .judge = judge, .complete = complete_first, .imagine = imagine};
static const struct delivery_kind *const deliveries[] = {&note_kind, &handshake_kind, &first_kind,
                                                         NULL};
static const struct sosia_core core = {.name = "notes", .deliveries = deliveries};

static int add(struct call *c)
{
    c->status = 204;
    return delivery_add(&c->tx,
                        &(struct delivery){.kind = &note_kind,
                                           .ref = 42,
                                           .from = "notes",
                                           .method = "POST",
                                           .url = "http://127.0.0.1:1/",
                                           .body = "hello"},
                        NULL);
}

/* As most texts are made: nobody asks whether the buffer had room. */
static int add_made(struct call *c)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "hello");
    const char *body = arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    c->status = 204;
    return delivery_add(&c->tx,
                        &(struct delivery){.kind = &note_kind,
                                           .from = "notes",
                                           .method = "POST",
                                           .url = "http://127.0.0.1:1/",
                                           .body = body},
                        NULL);
}

static int subscribe(struct call *c)
{
    return ask(c, &handshake_kind, 7);
}

static int subscribe_twice(struct call *c)
{
    return ask(c, &first_kind, 7);
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
}

static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "notes", .front = &front};
static const struct route routes[] = {{.id = "notes.add",
                                       .verbs = POST,
                                       .paths = PATHS("/notes"),
                                       .handler = add,
                                       .risk = RISK_WRITE,
                                       .anonymous = true},
                                      {.id = "notes.addMade",
                                       .verbs = POST,
                                       .paths = PATHS("/made"),
                                       .handler = add_made,
                                       .risk = RISK_WRITE,
                                       .anonymous = true},
                                      {.id = "notes.subscribe",
                                       .verbs = POST,
                                       .paths = PATHS("/subscribe"),
                                       .handler = subscribe,
                                       .risk = RISK_WRITE,
                                       .anonymous = true},
                                      {.id = "notes.subscribeTwice",
                                       .verbs = POST,
                                       .paths = PATHS("/twice"),
                                       .handler = subscribe_twice,
                                       .risk = RISK_WRITE,
                                       .anonymous = true}};
static const struct rows all_rows = ROWS(routes);
static const struct dialect dialect = {
    .name = "notes", .vendor = &vendor, .tables = TABLES(&all_rows)};
static const struct sosia_core *const cores[] = {&identity_core, &core, NULL};
static const struct dialect *const dialects[] = {&dialect, NULL};
static const struct sosia_service service = {.name = "notes", .cores = cores, .dialects = dialects};
static const struct sosia_service *const services[] = {&service, NULL};

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t world;
static int64_t news[10]; /* entries of which the sender was notified */
static int n_news;
static bool interrupts;                 /* the sender, when it is notified */
static struct sosia_response *answered; /* of subscribe_async() */
static int n_answered;

static void on_outbox(void *arg, uint64_t w, int64_t first, int64_t last)
{
    for (int64_t i = first; i <= last && n_news < 10; i++)
        news[n_news++] = i;
    if (interrupts)
        sosia_interrupt(engine, w);
    interrupts = false;
}

static int open_engine(const char *data_dir)
{
    static const char doc[] = "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\"}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct sosia_engine_options how = {.data_dir = data_dir};
    n_ended = n_news = 0;
    arena_init(&test_arena, 0);
    if (engine_open(&how, services, &engine, &err) < 0)
        return -1;
    sosia_engine_on_outbox(engine, on_outbox, NULL);
    answered = NULL;
    return sosia_world_create(engine, &opt, &world, &err);
}

static int open_all(void **state)
{
    return open_engine(NULL);
}

static int close_all(void **state)
{
    sosia_engine_close(engine);
    arena_done(&test_arena);
    return 0;
}

static char dir[] = "/tmp/sosia-deliveries-XXXXXX";

static int open_on_disk(void **state)
{
    strcpy(dir + sizeof dir - 7, "XXXXXX");
    disk_install();
    return mkdtemp(dir) ? open_engine(dir) : -1;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
    return remove(path);
}

static int close_on_disk(void **state)
{
    close_all(state);
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void post(uint64_t w)
{
    struct sosia_request r = {.method = "POST", .target = "/notes"};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    assert_int_equal(res->status, 204);
    sosia_response_free(res);
}

/* 0, or the code of the refusal. again_s: seconds until the next attempt. */
static int outcome(uint64_t w, int64_t entry, int64_t attempt, int status, int64_t *ret_again_s)
{
    struct sosia_outcome o = {.status = status, .error = status ? NULL : "refused"};
    int64_t again = 0, now;
    if (sosia_delivery_outcome(engine, w, entry, attempt, &o, &again, &err) < 0)
        return (int)err.code;
    assert_int_equal(sosia_clock_get(engine, w, &now, &err), 0);
    if (ret_again_s)
        *ret_again_s = again ? (again - now) / SECOND : 0;
    return 0;
}

static const char *state_of(uint64_t w, int entry)
{
    char path[40];
    snprintf(path, sizeof path, "%d.delivery.state", entry - 1);
    return text_at(read_outbox(engine, w), path);
}

static void advance(uint64_t w, int64_t seconds)
{
    assert_int_equal(sosia_clock_advance(engine, w, seconds * SECOND, &err), 0);
}

/* ---- tests ---- */

static void it_is_tried_on_the_kinds_schedule_and_then_given_up(void **state)
{
    int64_t again;
    post(world);
    assert_string_equal(state_of(world, 1), "pending");
    assert_int_equal(outcome(world, 1, 1, 0, &again), 0);
    assert_int_equal(again, 10);
    assert_string_equal(state_of(world, 1), "waiting");
    advance(world, 9);
    assert_int_equal(n_news, 1);
    advance(world, 1);
    assert_int_equal(n_news, 2);
    assert_int_equal(news[1], 1);
    assert_int_equal(outcome(world, 1, 2, 503, &again), 0);
    assert_int_equal(again, 20);
    advance(world, 20);
    assert_int_equal(n_ended, 0);
    assert_int_equal(outcome(world, 1, 3, 503, &again), 0);
    assert_int_equal(again, 0);
    assert_string_equal(state_of(world, 1), "given up");
    assert_int_equal(n_ended, 1);
    assert_int_equal(ended_as, DELIVERY_BAD);
    assert_int_equal(ended_ref, 42);
}

/* Nothing is pending while it waits, and a world that is parked is not read to find that out. */
static void what_is_due_again_is_pending_in_a_parked_world(void **state)
{
    int64_t first = 0, last = 0;
    post(world);
    assert_int_equal(outcome(world, 1, 1, 503, NULL), 0);
    assert_int_equal(sosia_delivery_pending(engine, world, &first, &last, &err), 0);
    advance(world, 10);
    assert_string_equal(state_of(world, 1), "pending");
    while (!world_park(engine, world))
        ;
    assert_int_equal(sosia_delivery_pending(engine, world, &first, &last, &err), 1);
    assert_int_equal(first, 1);
    assert_int_equal(last, 1);
    assert_int_equal(outcome(world, 1, 2, 200, NULL), 0);
    assert_int_equal(sosia_delivery_pending(engine, world, &first, &last, &err), 0);
    while (!world_park(engine, world))
        ;
    first = last = 7;
    assert_int_equal(sosia_delivery_pending(engine, world, &first, &last, &err), 0);
    assert_int_equal(first + last, 0);
}

/* That nothing is pending any more was seen in a state that the disk did not take. */
static void what_the_disk_did_not_take_is_pending_again(void **state)
{
    int64_t first, last;
    struct sosia_outcome good = {.status = 200};
    post(world);
    disk_hold(true);
    engine_sync_later();
    assert_int_equal(sosia_delivery_outcome(engine, world, 1, 1, &good, NULL, &err), 0);
    disk_wait_held();
    assert_int_equal(sosia_delivery_pending(engine, world, &first, &last, &err), 0);
    disk_fail(1, 1, SQLITE_IOERR_FSYNC);
    disk_hold(false);
    assert_int_equal(engine_sync_now(engine, &err), -1);
    disk_fail(0, 0, 0);
    assert_string_equal(state_of(world, 1), "pending");
    while (!world_park(engine, world))
        ;
    assert_int_equal(sosia_delivery_pending(engine, world, &first, &last, &err), 1);
}

/* What is under way then is of the era before: its outcome is refused. */
static void what_is_pending_is_sent_anew_when_an_interruption_takes_time_back(void **state)
{
    struct sosia_request r = {.method = "POST", .target = "/notes"};
    struct sosia_response *res;
    post(world);
    post(world);
    assert_int_equal(outcome(world, 1, 1, 503, NULL), 0);
    n_news = 0;
    interrupts = true;
    assert_int_equal(sosia_clock_advance(engine, world, 10 * SECOND, &err), -1);
    assert_int_equal(err.code, SOSIA_E_INTERRUPTED);
    assert_string_equal(state_of(world, 1), "waiting");
    assert_string_equal(state_of(world, 2), "pending");
    assert_true(n_news == 2 && news[0] == 1 && news[1] == 2);
    /* The same of time that a call makes pass. */
    assert_int_equal(sosia_clock_mode(engine, world, SOSIA_CLOCK_STEP, 10 * SECOND, &err), 0);
    interrupts = true;
    assert_int_equal(sosia_call(engine, world, &r, &res, &err), -1);
    assert_int_equal(err.code, SOSIA_E_INTERRUPTED);
    assert_string_equal(state_of(world, 1), "waiting");
    assert_true(n_news == 4 && news[2] == 1 && news[3] == 2);
    post(world);
    assert_string_equal(state_of(world, 1), "pending");
}

static void one_outcome_ends_an_attempt(void **state)
{
    post(world);
    assert_int_equal(outcome(world, 1, 2, 200, NULL), SOSIA_E_NOT_FOUND);
    assert_int_equal(outcome(world, 1, 1, 200, NULL), 0);
    assert_int_equal(ended_as, DELIVERY_GOOD);
    assert_int_equal(outcome(world, 1, 1, 200, NULL), SOSIA_E_NOT_FOUND);
    assert_int_equal(outcome(world, 1, 2, 200, NULL), SOSIA_E_NOT_FOUND);
    assert_int_equal(outcome(world, 7, 1, 200, NULL), SOSIA_E_NOT_FOUND);
    assert_int_equal(n_ended, 1);
    assert_string_equal(state_of(world, 1), "delivered");
}

static void an_outcome_is_in_the_journal(void **state)
{
    struct sosia_blob blob;
    post(world);
    assert_int_equal(outcome(world, 1, 1, 0, NULL), 0);
    assert_int_equal(sosia_journal_list(engine, world, 1, 0, true, &blob, &err), 0);
    const struct json *list = parsed(blob.data, blob.len);
    assert_int_equal(count_at(list, ""), 1);
    assert_int_equal(number_at(list, "0.outcome.entry"), 1);
    assert_int_equal(number_at(list, "0.outcome.attempt"), 1);
    assert_int_equal(number_at(list, "0.outcome.status"), 0);
    assert_string_equal(text_at(list, "0.outcome.error"), "refused");
    sosia_blob_free(&blob);
}

/* The same calls and the same outcomes: the same world, without a sender. */
static void a_replay_needs_no_receiver(void **state)
{
    uint64_t a, b;
    assert_int_equal(sosia_world_fork(engine, world, NULL, &a, &err), 0);
    assert_int_equal(sosia_world_fork(engine, world, NULL, &b, &err), 0);
    for (int i = 0; i < 2; i++) {
        uint64_t w = i ? b : a;
        post(w);
        assert_int_equal(outcome(w, 1, 1, 503, NULL), 0);
        advance(w, 10);
        assert_int_equal(outcome(w, 1, 2, 200, NULL), 0);
        assert_string_equal(state_of(w, 1), "delivered");
    }
}

static void a_fork_has_nothing_pending_of_its_parent(void **state)
{
    uint64_t fork, heir;
    int64_t first, last;
    struct sosia_fork_options inherit = {.inherit_deliveries = true};
    post(world);
    post(world);
    assert_int_equal(outcome(world, 1, 1, 503, NULL), 0);
    assert_int_equal(sosia_delivery_pending(engine, world, &first, &last, &err), 1);
    assert_int_equal(first, 2);
    assert_int_equal(last, 2);
    assert_int_equal(sosia_world_fork(engine, world, NULL, &fork, &err), 0);
    assert_int_equal(sosia_world_fork(engine, world, &inherit, &heir, &err), 0);
    assert_int_equal(sosia_delivery_pending(engine, fork, &first, &last, &err), 0);
    assert_int_equal(sosia_delivery_pending(engine, heir, &first, &last, &err), 1);
    assert_int_equal(n_news, 3); /* two of the parent's, and what the heir has of it */
    assert_int_equal(news[2], 2);
    assert_int_equal(outcome(fork, 2, 1, 200, NULL), SOSIA_E_NOT_FOUND);
    n_news = 0;
    advance(fork, 100);
    assert_int_equal(n_news, 0);
    post(fork);
    assert_int_equal(n_news, 1);
    assert_int_equal(news[0], 3);
    assert_int_equal(sosia_delivery_pending(engine, fork, &first, &last, &err), 1);
    assert_int_equal(first, 3);
    advance(heir, 100);
    assert_int_equal(n_news, 2);
    assert_int_equal(news[1], 1);
}

static void a_reset_world_has_nothing_pending(void **state)
{
    uint64_t fork;
    int64_t first, last;
    post(world);
    assert_int_equal(sosia_world_fork(engine, world, NULL, &fork, &err), 0);
    post(fork);
    assert_int_equal(sosia_world_reset(engine, fork, &err), 0);
    assert_int_equal(sosia_delivery_pending(engine, fork, &first, &last, &err), 0);
    assert_int_equal(outcome(fork, 2, 1, 200, NULL), SOSIA_E_NOT_FOUND);
}

static void what_is_pending_can_be_carried(void **state)
{
    post(world);
    assert_int_equal(outcome(world, 1, 1, 503, NULL), 0);
    post(world);
    assert_int_equal(export_and_import(engine, world), 0);
}

static void a_snapshot_takes_no_outcome(void **state)
{
    uint64_t snapshot;
    post(world);
    assert_int_equal(sosia_world_snapshot(engine, world, NULL, &snapshot, &err), 0);
    assert_int_equal(outcome(snapshot, 1, 1, 200, NULL), SOSIA_E_FORBIDDEN);
}

/* ---- handshakes ---- */

static void on_answer(void *arg, struct sosia_response *r)
{
    answered = r;
    n_answered++;
}

static void subscribe_async(void)
{
    struct sosia_request r = {.method = "POST", .target = "/subscribe"};
    n_answered = 0;
    answered = NULL;
    sosia_call_async(engine, world, &r, on_answer, NULL);
}

static int subscribe_now(const char **ret_body)
{
    struct sosia_request r = {.method = "POST", .target = "/subscribe"};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, world, &r, &res, &err), 0);
    int status = res->status;
    *ret_body = arena_memdup(&test_arena, res->body, res->body_len);
    sosia_response_free(res);
    return status;
}

static void a_handshake_is_refused_where_nobody_delivers(void **state)
{
    const char *body;
    assert_int_equal(subscribe_now(&body), 400);
    assert_string_equal(state_of(world, 1), "given up");
}

static void a_world_may_accept_handshakes_by_itself(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"handshakes\":\"accepted\"}";
    const char *body;
    assert_int_equal(sosia_world_seed(engine, world, doc, sizeof doc - 1, NULL, &err), 0);
    assert_string_equal(text_at(read_dump(engine, world), "handshakes"), "accepted");
    assert_int_equal(subscribe_now(&body), 201);
    assert_string_equal(body, "{\"ref\":7,\"said\":\"yes\"}");
    assert_string_equal(state_of(world, 1), "delivered");
}

static void on_handshake(void *arg, uint64_t w, int64_t entry, const char *json, size_t len,
                         struct sosia_outcome *ret)
{
    const struct json *e = parsed(json, len);
    assert_string_equal(text_at(e, "0.payload.body"), "agree?");
    *ret = (struct sosia_outcome){.status = *(int *)arg, .body = "I do", .body_len = 4};
}

static void a_callback_answers_a_handshake(void **state)
{
    const char *body;
    int status = 200;
    sosia_engine_on_handshake(engine, on_handshake, &status);
    assert_int_equal(subscribe_now(&body), 201);
    assert_string_equal(body, "{\"ref\":7,\"said\":\"I do\"}");
    status = 400;
    assert_int_equal(subscribe_now(&body), 400);
}

static void a_suspended_call_is_answered_by_the_outcome(void **state)
{
    subscribe_async();
    assert_int_equal(n_answered, 0);
    assert_int_equal(n_news, 1);
    post(world); /* nothing is held meanwhile */
    assert_int_equal(outcome(world, 1, 2, 200, NULL), SOSIA_E_NOT_FOUND);
    assert_int_equal(n_answered, 0);
    assert_int_equal(n_news, 2);
    assert_int_equal(outcome(world, 1, 1, 200, NULL), 0);
    assert_int_equal(n_answered, 1);
    assert_int_equal(answered->status, 201);
    sosia_response_free(answered);
    assert_int_equal(outcome(world, 1, 1, 200, NULL), SOSIA_E_NOT_FOUND);
}

static void a_timeout_is_an_outcome(void **state)
{
    subscribe_async();
    assert_int_equal(outcome(world, 1, 1, 0, NULL), 0);
    assert_int_equal(n_answered, 1);
    assert_int_equal(answered->status, 400);
    sosia_response_free(answered);
}

static void assert_answered(int status)
{
    assert_int_equal(n_answered, 1);
    assert_non_null(answered);
    assert_int_equal(answered->status, status);
    sosia_response_free(answered);
}

/* A call may wait for one receiver after the other. */
static void a_call_may_be_suspended_again(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"handshakes\":\"accepted\"}";
    struct sosia_request r = {.method = "POST", .target = "/twice"};
    struct sosia_response *res;
    for (int round = 0; round < 2; round++) { /* the second one refuses the second time */
        const int64_t first = n_news + 1;
        n_answered = 0;
        sosia_call_async(engine, world, &r, on_answer, NULL);
        assert_int_equal(outcome(world, first, 1, 200, NULL), 0);
        assert_int_equal(n_answered, 0);
        assert_int_equal(news[n_news - 1], first + 1);
        assert_int_equal(outcome(world, first, 1, 200, NULL), SOSIA_E_NOT_FOUND);
        assert_int_equal(outcome(world, first + 1, 1, round ? 503 : 200, NULL), 0);
        assert_answered(round ? 400 : 201);
    }
    n_answered = 0;
    sosia_call_async(engine, world, &r, on_answer, NULL);
    assert_int_equal(outcome(world, 5, 1, 200, NULL), 0);
    assert_int_equal(sosia_world_reset(engine, world, &err), 0);
    assert_answered(404);
    assert_int_equal(sosia_world_seed(engine, world, doc, sizeof doc - 1, NULL, &err), 0);
    assert_int_equal(sosia_call(engine, world, &r, &res, &err), 0);
    assert_int_equal(res->status, 201);
    assert_string_equal(arena_memdup(&test_arena, res->body, res->body_len),
                        "{\"ref\":8,\"said\":\"yes\"}");
    sosia_response_free(res);
}

/* It waits for nothing any more. What comes back later is not taken for what came back to another
 * entry of that number. */
static void a_reset_in_between_fails_a_suspended_call(void **state)
{
    uint64_t snapshot;
    assert_int_equal(sosia_world_snapshot(engine, world, NULL, &snapshot, &err), 0);
    subscribe_async();
    assert_int_equal(sosia_world_reset(engine, world, &err), 0);
    assert_answered(404);
    assert_int_equal(outcome(world, 1, 1, 200, NULL), SOSIA_E_NOT_FOUND);
    subscribe_async();
    assert_int_equal(sosia_world_reset_to(engine, world, snapshot, &err), 0);
    assert_answered(404);
    subscribe_async();
    assert_int_equal(sosia_world_reset_step(engine, world, 0, &err), 0);
    assert_answered(404);
    post(world);
    assert_int_equal(outcome(world, 1, 1, 200, NULL), 0);
    assert_string_equal(state_of(world, 1), "delivered");
}

static void a_dropped_world_fails_its_suspended_calls(void **state)
{
    uint64_t other = world;
    assert_int_equal(sosia_world_fork(engine, world, NULL, &world, &err), 0);
    subscribe_async();
    assert_int_equal(sosia_world_drop(engine, other, &err), 0);
    assert_int_equal(n_answered, 0);
    assert_int_equal(sosia_world_drop(engine, world, &err), 0);
    assert_answered(404);
    assert_int_equal(sosia_world_create(engine, NULL, &world, &err), 0);
    subscribe_async();
    assert_int_equal(sosia_world_ttl(engine, world, 1, true, &err), 0);
    assert_int_equal(sosia_clock_advance(engine, world, 1, &err), 0);
    assert_int_equal(sosia_engine_sweep(engine), 1);
    assert_answered(404);
}

static void what_the_disk_did_not_take_fails_a_suspended_call(void **state)
{
    disk_fail(1, 1000000, SQLITE_FULL);
    subscribe_async();
    assert_int_equal(sosia_world_ttl(engine, world, 0, false, &err), -1); /* waits for the disk */
    disk_fail(0, 0, 0);
    assert_int_equal(n_answered, 0);
    suspend_missing(engine, world, news[0], news[0]);
    assert_answered(404);
    subscribe_async();
    suspend_missing(engine, world, 1, 100);
    assert_int_equal(n_answered, 0);
    assert_int_equal(outcome(world, 1, 1, 200, NULL), 0);
    assert_answered(201);
}

/* It is suspended, and its sender is notified, or it has an answer: at each allocation that fails.
 */
static void without_memory_a_call_is_answered_or_suspended(void **state)
{
    bool reached = true;
    int failures = 0;
    subscribe_async(); /* so that nothing is left that is made once */
    assert_int_equal(outcome(world, news[0], 1, 200, NULL), 0);
    sosia_response_free(answered);
    for (long n = 1; reached; n++) {
        n_news = 0;
        memory_fail(n, n % 2 ? 1 : LONG_MAX);
        subscribe_async();
        reached = memory_count() >= n;
        memory_fail(0, 0);
        failures += n_answered;
        if (!n_answered) {
            assert_int_equal(n_news, 1);
            assert_int_equal(outcome(world, news[0], 1, 200, NULL), 0);
        }
        assert_int_equal(n_answered, 1);
        sosia_response_free(answered);
    }
    assert_true(failures > 0);
}

static void an_engine_that_closes_lets_suspended_calls_go(void **state)
{
    subscribe_async();
    sosia_engine_close(engine);
    assert_int_equal(n_answered, 1);
    assert_null(answered);
    assert_int_equal(engine_open(NULL, services, &engine, &err), 0);
}

static void without_memory_a_text_is_whole_or_the_call_fails(void **state)
{
    int64_t made = 0;
    for (long n = 0, reached = 1; reached; n++) {
        struct sosia_request r = {.method = "POST", .target = "/made"};
        struct sosia_response *res = NULL;
        memory_fail(n, n % 2 ? 1 : LONG_MAX);
        int rc = sosia_call(engine, world, &r, &res, &err);
        reached = memory_count() >= n;
        memory_fail(0, 0);
        made += rc == 0 && res->status == 204;
        sosia_response_free(res);
    }
    const struct json *all = read_outbox(engine, world);
    assert_true(made > 1);
    assert_true(all->n >= made); /* there may be no memory for the answer alone */
    for (uint32_t i = 0; i < all->n; i++)
        assert_string_equal(text_at(&all->items[i], "payload.body"), "hello");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(it_is_tried_on_the_kinds_schedule_and_then_given_up),
        cmocka_unit_test_setup_teardown(what_is_due_again_is_pending_in_a_parked_world,
                                        open_on_disk, close_on_disk),
        cmocka_unit_test_setup_teardown(what_the_disk_did_not_take_is_pending_again, open_on_disk,
                                        close_on_disk),
        TEST(what_is_pending_is_sent_anew_when_an_interruption_takes_time_back),
        TEST(one_outcome_ends_an_attempt),
        TEST(an_outcome_is_in_the_journal),
        TEST(a_replay_needs_no_receiver),
        TEST(a_fork_has_nothing_pending_of_its_parent),
        TEST(a_reset_world_has_nothing_pending),
        TEST(what_is_pending_can_be_carried),
        TEST(a_snapshot_takes_no_outcome),
        TEST(a_handshake_is_refused_where_nobody_delivers),
        TEST(a_world_may_accept_handshakes_by_itself),
        TEST(a_callback_answers_a_handshake),
        TEST(a_suspended_call_is_answered_by_the_outcome),
        TEST(a_timeout_is_an_outcome),
        TEST(a_call_may_be_suspended_again),
        TEST(a_reset_in_between_fails_a_suspended_call),
        TEST(a_dropped_world_fails_its_suspended_calls),
        cmocka_unit_test_setup_teardown(what_the_disk_did_not_take_fails_a_suspended_call,
                                        open_on_disk, close_on_disk),
        TEST(without_memory_a_call_is_answered_or_suspended),
        TEST(without_memory_a_text_is_whole_or_the_call_fails),
        TEST(an_engine_that_closes_lets_suspended_calls_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
