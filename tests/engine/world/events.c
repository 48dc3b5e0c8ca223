/* SPDX-License-Identifier: Apache-2.0 */
/* What cores raise and subscribers get: everything, in order, with who did it; coalescing on
 * demand; nothing of a call that failed. */
#include "engine/world/event.h"
#include "engine/http/call.h"
#include "engine/service.h"
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
        if (*p == '+')
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

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
}

static const struct sosia_core subscriber = {.name = "subscriber", .events = on_events};
static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "test", .front = &front};
static const struct route routes[] = {
    {.id = "test.raise",
     .verbs = POST,
     .paths = PATHS("/raise"),
     .handler = raise,
     .risk = RISK_WRITE},
};
static const char *const prefixes[] = {"/raise", NULL};
static const struct dialect dialect = {.name = "test",
                                       .vendor = &vendor,
                                       .prefixes = prefixes,
                                       .routes = routes,
                                       .n_routes = SOSIA_LEN(routes)};
static const struct sosia_core *const cores[] = {&identity_core, &subscriber, NULL};
static const struct dialect *const dialects[] = {&dialect, NULL};
static const struct sosia_service service = {.name = "test", .cores = cores, .dialects = dialects};
static const struct sosia_service *const services[] = {&service, NULL};

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t world;
static char token[SOSIA_TOKEN_MAX];

static int open_all(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",\"people\":[{"
                              "\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct sosia_token_options who = {.actor = "ada@acme.example"};
    got[0] = distinct[0] = 0;
    raise_more = 0;
    if (engine_open(NULL, services, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0)
        return -1;
    return sosia_token_issue(engine, world, &who, token, sizeof token, &err);
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(events_come_in_order_with_who_and_what), TEST(a_subscriber_may_coalesce),
        TEST(a_call_that_fails_has_no_events),        TEST(what_a_subscriber_raises_is_delivered),
        TEST(raising_without_end_fails_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
