/* SPDX-License-Identifier: Apache-2.0 */
/* What cores raise and subscribers get: everything, in order, with who did it; coalescing on
 * demand; nothing of a call that failed. */
#include "engine/world/part.h"
#include "engine/http/call.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/identity.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- a service whose calls raise events, and one that subscribes ---- */

static char got[1000]; /* what the subscriber was given: "1 a.x + 7/1 by 1 (p q); " */
static char distinct[200];
static int raise_more; /* the subscriber raises this many of its own */

static int raise(struct call *c)
{
    static const char *const members[] = {"p", "q", NULL};
    const char *what = call_query_item(c, "what");
    for (const char *p = what ? what : ""; *p; p++) {
        if (*p == '!')
            return call_fail(c, SOSIA_E_INVALID, NULL, NULL, "as asked for");
        if (*p == '*') /* more memory than a call may use */
            arena_alloc(c->tx.arena, (size_t)3 << 29);
        else if (*p == '@') /* due in a second; the place is its number */
            due_add(&c->tx, c->tx.now_us + 1000000, "subscriber", "x", p - what + 1);
        else if (*p == '+')
            event_note(&c->tx, "a.x", OP_ADDED, 7, p - what + 1);
        else if (*p == '-')
            event_note(&c->tx, "a.y", OP_REMOVED, 7, p - what + 1);
        else
            event_raise(&c->tx, &(struct world_event){.kind = "a.x",
                                                      .operation = OP_CHANGED,
                                                      .scope = *p - '0',
                                                      .entity = p - what + 1,
                                                      .members = members});
    }
    c->status = 204;
    return 0;
}

static int on_events(struct tx *tx, const struct world_event *first)
{
    const struct world_event **list;
    size_t n;
    for (const struct world_event *e = first; e; e = e->next) {
        char *end = got + strlen(got);
        int at = snprintf(end, (size_t)(got + sizeof got - end), "%lld %s %c %lld/%lld by %lld",
                          (long long)e->number, e->kind, "+=-"[e->operation], (long long)e -> scope,
                          (long long)e -> entity, (long long)e -> actor);
        for (size_t i = 0; e->members && e->members[i]; i++)
            at += sprintf(end + at, " %s", e->members[i]);
        sprintf(end + at, "; ");
    }
    if (events_distinct(tx, first, NULL, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        sprintf(distinct + strlen(distinct), "%lld ", (long long)list[i]->number);
    if (raise_more-- > 0)
        event_note(tx, "b", OP_ADDED, 1, 1);
    return 0;
}

/* What is due: the first raises events without end, the second one uses more memory than it may,
 * the third does as it should. */
static char fired[100];
static int n_published; /* batches, as parts have them */

static int on_due(struct tx *tx, const char *kind, int64_t ref)
{
    sprintf(fired + strlen(fired), "%s%lld ", kind, (long long)ref);
    raise_more = ref == 1 ? 1000 : 0;
    if (ref == 1)
        event_note(tx, "a.x", OP_ADDED, 7, ref);
    if (ref == 2 && due_add(tx, tx->now_us, "subscriber", "undone", 9) == 0)
        arena_alloc(tx->arena, (size_t)3 << 29);
    static char payload[100000];
    memset(payload, ' ', sizeof payload - 1);
    while (ref == 4)
        if (outbox_add(tx, "mail", "a", "b", payload) < 0)
            return -1;
    return 0;
}

static void *make_part(struct sosia_engine *e)
{
    return e;
}

static void free_part(void *self)
{
}

static void count_published(void *self, const struct tx *tx, uint64_t ticket)
{
    for (const struct delivered *d = tx->delivered; d; d = d->next)
        n_published++;
}

static const struct part part = {.make = make_part, .free = free_part, .events = count_published};

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
}

static const struct sosia_core subscriber = {
    .name = "subscriber", .events = on_events, .due = on_due};
static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "test", .front = &front};
static const struct route routes[] = {
    {.id = "test.raise",
     .verbs = POST,
     .paths = PATHS("/raise"),
     .handler = raise,
     .risk = RISK_WRITE},
};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/raise", NULL};
static const struct dialect dialect = {
    .name = "test", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};
static const struct sosia_core *const cores[] = {&identity_core, &subscriber, NULL};
static const struct dialect *const dialects[] = {&dialect, NULL};
static const struct sosia_service service = {.name = "test", .cores = cores, .dialects = dialects};
static const struct sosia_service *const services[] = {&service, NULL};

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t world;
static char token[SOSIA_TOKEN_MAX];

static int open_with(const struct sosia_engine_options *how)
{
    static const char doc[] = "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",\"people\":[{"
                              "\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct sosia_token_options who = {.actor = "ada@acme.example"};
    got[0] = distinct[0] = 0;
    raise_more = 0;
    if (engine_open(how, services, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0)
        return -1;
    return sosia_token_issue(engine, world, &who, token, sizeof token, &err);
}

static int open_all(void **state)
{
    return open_with(NULL);
}

static int close_all(void **state)
{
    sosia_engine_close(engine);
    return 0;
}

static int post(const char *what)
{
    char target[200], bearer[SOSIA_TOKEN_MAX + 16];
    snprintf(target, sizeof target, "/raise?what=%s", what);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header auth = {.name = "Authorization", .value = bearer};
    struct sosia_request r = {.method = "POST", .target = target, .headers = &auth, .n_headers = 1};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, world, &r, &res, &err), 0);
    int status = res->status;
    sosia_response_free(res);
    return status;
}

static void events_come_in_order_with_who_and_what(void **state)
{
    assert_int_equal(post("%2B9-"), 204);
    assert_string_equal(got, "1 a.x + 7/1 by 1; 2 a.x = 9/2 by 1 p q; 3 a.y - 7/3 by 1; ");
}

static void a_subscriber_may_coalesce(void **state)
{
    assert_int_equal(post("78%2B87-8-"), 204);
    assert_string_equal(distinct, "1 2 6 ");
}

static void a_call_that_fails_has_no_events(void **state)
{
    assert_int_equal(post("%2B!"), 400);
    assert_string_equal(got, "");
}

static void what_a_subscriber_raises_is_delivered(void **state)
{
    raise_more = 2;
    assert_int_equal(post("8"), 204);
    assert_string_equal(got, "1 a.x = 8/1 by 1 p q; 2 b + 1/1 by 1; 3 b + 1/1 by 1; ");
}

static void raising_without_end_fails_the_call(void **state)
{
    raise_more = 1000;
    assert_int_equal(post("8"), 500);
}

static void what_is_due_and_fails_has_no_effect_and_stops_nothing(void **state)
{
    fired[0] = 0;
    n_published = 0;
    assert_non_null(part_of(engine, &part));
    assert_int_equal(post("@@@"), 204);
    assert_int_equal(sosia_clock_advance(engine, world, 5000000, &err), 0);
    assert_string_equal(fired, "x1 x2 x3 ");
    assert_int_equal(n_published, 0);
    assert_int_equal(post("8"), 204);
    assert_int_equal(n_published, 1);
}

/* Then it stays due, and the reason is the store's. */
static void what_is_due_in_a_full_world_says_so(void **state)
{
    const struct sosia_engine_options opt = {.max_world_size = 1 << 20};
    close_all(state);
    assert_int_equal(open_with(&opt), 0);
    assert_int_equal(post("---@"), 204);
    for (int i = 0; i < 2; i++) {
        fired[0] = 0;
        assert_int_equal(sosia_clock_advance(engine, world, 5000000, &err), -1);
        assert_int_equal(err.code, SOSIA_E_FULL);
        assert_string_equal(fired, "x4 ");
    }
}

static void a_call_that_uses_more_memory_than_it_may_is_in_the_journal(void **state)
{
    struct sosia_blob journal;
    assert_int_equal(post("%2B*"), 503);
    assert_int_equal(sosia_journal_list(engine, world, 0, 10, false, &journal, &err), 0);
    assert_non_null(strstr(journal.data, "test.raise"));
    sosia_blob_free(&journal);
}

static int use_too_much(struct tx *tx, void *arg)
{
    arena_alloc(tx->arena, (size_t)3 << 29);
    return due_add(tx, tx->now_us, "subscriber", "undone", 9);
}

static void write_nothing(struct tx *tx, struct json_writer *w, void *arg)
{
}

static void a_turn_that_uses_more_memory_than_it_may_has_no_effect(void **state)
{
    static const struct turn turn = {.work = use_too_much, .note = write_nothing};
    fired[0] = 0;
    assert_int_equal(world_turn(engine, world, &turn, NULL, &err), -1);
    assert_int_equal(err.code, SOSIA_E_NO_MEMORY);
    assert_int_equal(sosia_clock_advance(engine, world, 5000000, &err), 0);
    assert_string_equal(fired, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(events_come_in_order_with_who_and_what),
        TEST(a_subscriber_may_coalesce),
        TEST(a_call_that_fails_has_no_events),
        TEST(what_a_subscriber_raises_is_delivered),
        TEST(raising_without_end_fails_the_call),
        TEST(what_is_due_and_fails_has_no_effect_and_stops_nothing),
        TEST(what_is_due_in_a_full_world_says_so),
        TEST(a_call_that_uses_more_memory_than_it_may_is_in_the_journal),
        TEST(a_turn_that_uses_more_memory_than_it_may_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
