/* SPDX-License-Identifier: Apache-2.0 */
/* What the door asks of the rules on calls, when, and what becomes of the answers. */
#include "engine/http/call.h"
#include "engine/state/change.h"
#include "services/list.h"
#include "sosia.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":["
    "{\"email\":\"ada@acme.example\"},{\"email\":\"bob@acme.example\"}],"
    "\"calendars\":[{\"id\":\"ada@acme.example\",\"events\":[{\"id\":\"old00\",\"summary\":\"Old\","
    "\"start\":\"2026-11-24T10:00:00Z\",\"end\":\"2026-11-24T11:00:00Z\"}]}],\"tokens\":["
    "{\"token\":\"token-of-ada\",\"actor\":\"ada@acme.example\"}]}";

static struct sosia_engine *engine;
static struct sosia_err err;
static struct sosia_response *res;

/* ---- a guard that does as a plan says ---- */

struct judged {
    struct touched touched;
};
struct guard_state {
    int n;
};

static struct {
    enum world_guard world;
    int before, after; /* what these give */
    bool tries, watches, notes;
    bool redacts, keeps_a_row;
    const char *method;
    int n_loads, n_before, n_after, n_answered, n_undone, n_end, n_released, n_copies, n_shows;
    char seen[1000];
    char tool[100];
    int64_t rows;
} plan;

static int plan_load(struct tx *tx)
{
    struct world_extra *x = world_extra(tx->world);
    plan.n_loads++;
    tx->world->guard = (uint8_t)plan.world;
    if (plan.world == GUARD_ON && x && !x->guard)
        x->guard = calloc(1, sizeof *x->guard);
    return 0;
}

static struct guard_state *plan_copy(const struct guard_state *s)
{
    struct guard_state *copy = malloc(sizeof *copy);
    *copy = (struct guard_state){s->n + 1};
    plan.n_copies++;
    return copy;
}

static void plan_free(struct guard_state *s)
{
    free(s);
}

static int plan_before(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select count(*) from meta where key = 'plan'");
    plan.n_before++;
    plan.method = c->route->id;
    snprintf(plan.tool, sizeof plan.tool, "%s", c->tool ? c->tool : "");
    sqlite3_stmt *st = TX_PLAIN(&c->tx, &q);
    assert_int_equal(TX_STEP(&c->tx, st), 1);
    plan.rows = sqlite3_column_int64(st, 0);
    sql_done(st);
    c->judged = arena_calloc(c->tx.arena, 1, sizeof *c->judged);
    c->noted = plan.notes;
    if (plan.before < 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, "not allowed");
    if (plan.before > 0)
        json_str(c->out, NULL, "instead");
    else if (plan.watches && c->tx.write)
        changes_watch(&c->tx, &c->judged->touched);
    return plan.before;
}

static void see(struct call *c)
{
    static const char *const kinds[] = {"+", "-", "~"};
    struct changes list;
    size_t n = 0;
    assert_int_equal(changes_open_here(&c->tx, &c->judged->touched, &list), 0);
    plan.seen[0] = 0;
    for (size_t i = 0; i < list.n; i++) {
        const struct change *at = &list.list[i];
        n += (size_t)snprintf(plan.seen + n, sizeof plan.seen - n, "%s%s%s", kinds[at->kind],
                              at->name, at->cause >= 0 ? "(follows)" : "");
        for (size_t k = 0; k < at->n_fields; k++)
            n += (size_t)snprintf(plan.seen + n, sizeof plan.seen - n, " %s", at->fields[k].path);
        n += (size_t)snprintf(plan.seen + n, sizeof plan.seen - n, ";");
    }
    changes_close(&list);
}

static int plan_after(struct call *c)
{
    plan.n_after++;
    if (plan.watches)
        see(c);
    c->tried = plan.tries;
    return plan.after < 0 ? call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, "not kept") : 0;
}

static int plan_answered(struct call *c)
{
    plan.n_answered++;
    if (!plan.redacts)
        return 0;
    buf_clear(c->body_out);
    buf_puts(c->body_out, "{}");
    return 0;
}

static int plan_undone(struct call *c)
{
    static struct sql_text q = SQL_TEXT("insert into meta (key, value) values ('plan', 'x')");
    plan.n_undone++;
    sqlite3_stmt *st = plan.keeps_a_row ? TX_PLAIN(&c->tx, &q) : NULL;
    return st ? sql_run(c->tx.db, st, c->tx.err) : 0;
}

static void plan_end(struct call *c)
{
    plan.n_end++;
}

static void plan_write(const struct call *c, struct json_writer *w)
{
    json_str(w, "guard", "plan");
}

static void plan_release(struct call *c)
{
    plan.n_released++;
    free(c->judged->touched.list);
}

static int plan_outside(struct call *c)
{
    c->judged = arena_calloc(c->tx.arena, 1, sizeof *c->judged);
    return 0;
}

static bool plan_shows(const struct call *c, const struct dialect *d, const struct route *route,
                       const char *tool)
{
    plan.n_shows++;
    return !plan.method || strcmp(route->id, plan.method) != 0;
}

static const char *plan_tool_name(const struct call *c, const char *name, bool back)
{
    return name;
}

static const struct guard guard = {
    .load = plan_load,
    .copy = plan_copy,
    .free = plan_free,
    .before = plan_before,
    .after = plan_after,
    .answered = plan_answered,
    .undone = plan_undone,
    .end = plan_end,
    .write = plan_write,
    .release = plan_release,
    .outside = plan_outside,
    .shows = plan_shows,
    .tool_name = plan_tool_name,
};

static const struct sosia_service service = {.name = "plan", .guard = &guard};

/* ---- worlds ---- */

static int open_engine(void **state)
{
    static const struct sosia_service *list[40];
    size_t n = 0;
    for (; sosia_services[n]; n++)
        list[n] = sosia_services[n];
    list[n] = &service;
    memset(&plan, 0, sizeof plan);
    plan.world = GUARD_ON;
    return engine_open(NULL, list, &engine, &err);
}

static int close_engine(void **state)
{
    sosia_response_free(res);
    res = NULL;
    sosia_engine_close(engine);
    return 0;
}

static uint64_t make(void)
{
    struct sosia_world_options opt = {
        .seed_doc = DOC, .seed_doc_len = strlen(DOC), .journal = SOSIA_JOURNAL_WRITES};
    uint64_t w;
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), 0);
    return w;
}

static int ask(uint64_t w, const char *verb, const char *target, const char *body)
{
    struct sosia_header headers[] = {{"Authorization", "Bearer token-of-ada"},
                                     {"Content-Type", "application/json"}};
    struct sosia_request r = {.method = verb,
                              .target = target,
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = body ? strlen(body) : 0,
                              .base_url = "http://localhost:8787"};
    sosia_response_free(res);
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    return res->status;
}

#define EVENTS "/calendar/v3/calendars/primary/events"
#define NEW                                                                                        \
    "{\"summary\":\"New\",\"start\":{\"dateTime\":\"2026-11-25T10:00:00Z\"},"                      \
    "\"end\":{\"dateTime\":\"2026-11-25T11:00:00Z\"},"                                             \
    "\"attendees\":[{\"email\":\"bob@acme.example\"},{\"email\":\"eve@out.example\"}]}"

static const char *hash_of(uint64_t w)
{
    static char hex[65];
    assert_int_equal(sosia_world_hash(engine, w, hex, &err), 0);
    return hex;
}

static int count(uint64_t w, const char *what)
{
    struct sosia_blob blob;
    int n = 0;
    assert_int_equal(sosia_journal_list(engine, w, 0, 100, true, &blob, &err), 0);
    for (const char *p = blob.data; (p = strstr(p, what)) != NULL; p++)
        n++;
    sosia_blob_free(&blob);
    return n;
}

static void a_world_without_rules_is_not_asked(void **state)
{
    plan.world = GUARD_NONE;
    uint64_t w = make(), f;
    assert_int_equal(plan.n_loads, 1);
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 200);
    assert_int_equal(sosia_world_fork(engine, w, NULL, &f, &err), 0);
    assert_int_equal(ask(f, "POST", EVENTS, NEW), 200);
    assert_int_equal(plan.n_loads, 1);
    assert_int_equal(plan.n_before + plan.n_copies, 0);
    assert_int_equal(count(w, "\"guard\""), 0);
    /* Who goes back to a state without rules need not look. */
    uint64_t snapshot;
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 200);
    assert_int_equal(sosia_world_snapshot(engine, w, "s", &snapshot, &err), 0);
    assert_int_equal(sosia_world_reset_to(engine, f, snapshot, &err), 0);
    assert_int_equal(ask(f, "POST", EVENTS, NEW), 200);
    assert_int_equal(plan.n_loads, 1);
}

static void who_goes_back_to_rules_looks_again(void **state)
{
    uint64_t w = make(), snapshot;
    int loads = plan.n_loads;
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 200);
    assert_int_equal(plan.n_loads, loads);
    assert_int_equal(sosia_world_snapshot(engine, w, "s", &snapshot, &err), 0);
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 200);
    assert_int_equal(plan.n_loads, loads + 1);
    assert_int_equal(sosia_world_reset_to(engine, w, snapshot, &err), 0);
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 200);
    assert_int_equal(plan.n_loads, loads + 2);
}

static void a_refused_call_leaves_its_entry_alone(void **state)
{
    uint64_t w = make();
    char before[65];
    snprintf(before, sizeof before, "%s", hash_of(w));
    for (int late = 0; late < 2; late++) {
        plan.before = late ? 0 : -1;
        plan.after = late ? -1 : 0;
        plan.n_undone = 0;
        assert_int_equal(ask(w, "POST", EVENTS, NEW), 403);
        assert_non_null(strstr(res->body, late ? "not kept" : "not allowed"));
        assert_non_null(strstr(res->body, "\"forbidden\""));
        assert_string_equal(hash_of(w), before);
        assert_int_equal(count(w, "\"guard\""), 1 + late);
        assert_int_equal(plan.n_undone, 1);
    }
    /* And the ids that it took are those of the next call. */
    char id[100];
    plan.after = 0;
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 200);
    snprintf(id, sizeof id, "%.60s", strstr(res->body, "\"id\""));
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 200);
    assert_non_null(strstr(res->body, id));
    assert_int_equal(plan.n_released, plan.n_before);
    assert_int_equal(plan.n_end, plan.n_before);
}

static void what_a_call_changes_is_seen_before_it_is_kept(void **state)
{
    uint64_t w = make();
    plan.watches = true;
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 200);
    assert_non_null(strstr(plan.seen, "+event/ada@acme.example/"));
    assert_non_null(strstr(plan.seen, "+event/bob@acme.example/"));
    assert_non_null(strstr(plan.seen, "(follows)"));
    assert_int_equal(ask(w, "PATCH", EVENTS "/old00", "{\"summary\":\"Older\"}"), 200);
    assert_string_equal(plan.seen, "~event/ada@acme.example/old00 summary;");
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 200);
    /* Inside of the one call nothing has been before. */
    plan.tries = true;
    assert_int_equal(ask(w, "DELETE", EVENTS "/old00", NULL), 204);
    assert_string_equal(plan.seen, "-event/ada@acme.example/old00;");
    plan.tries = false;
    assert_int_equal(ask(w, "DELETE", EVENTS "/old00", NULL), 204);
}

static void a_tried_call_has_its_answer_and_no_effect(void **state)
{
    uint64_t w = make();
    char before[65];
    snprintf(before, sizeof before, "%s", hash_of(w));
    plan.tries = true;
    assert_int_equal(ask(w, "POST", EVENTS "?sendUpdates=all", NEW), 200);
    assert_non_null(strstr(res->body, "\"summary\": \"New\""));
    assert_string_equal(hash_of(w), before);
    struct sosia_blob blob;
    assert_int_equal(sosia_outbox_list(engine, w, 0, 100, &blob, &err), 0);
    assert_null(strstr(blob.data, "eve@out.example"));
    sosia_blob_free(&blob);
    assert_int_equal(count(w, "\"guard\""), 1);
}

static void the_guard_may_answer_by_itself(void **state)
{
    uint64_t w = make();
    char before[65];
    snprintf(before, sizeof before, "%s", hash_of(w));
    plan.before = 1;
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 200);
    assert_non_null(strstr(res->body, "\"instead\""));
    assert_string_equal(hash_of(w), before);
    plan.before = 0;
    plan.redacts = true;
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 200);
    assert_string_equal(res->body, "{}");
}

static void rows_may_be_written_where_a_call_was_undone(void **state)
{
    uint64_t w = make();
    plan.before = -1;
    plan.keeps_a_row = true;
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 403);
    assert_int_equal(plan.rows, 0);
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 403);
    assert_int_equal(plan.rows, 1);
    /* What can't be kept can't be refused like that: the call fails, and the world is as it was. */
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 409);
    plan.before = 0;
    assert_int_equal(ask(w, "POST", EVENTS, NEW), 200);
    assert_int_equal(plan.rows, 1);
}

/* A journal of writes lacks calls that read, unless the guard asks for them. */
static void refused_reads_are_in_the_journal_if_asked(void **state)
{
    uint64_t w = make();
    plan.before = -1;
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 403);
    assert_int_equal(count(w, "\"guard\""), 0);
    plan.notes = true;
    assert_int_equal(ask(w, "GET", EVENTS, NULL), 403);
    assert_int_equal(count(w, "\"guard\""), 1);
}

static void forks_have_what_is_kept_beside_the_rows(void **state)
{
    uint64_t w = make(), f;
    assert_int_equal(sosia_world_fork(engine, w, NULL, &f, &err), 0);
    assert_int_equal(plan.n_copies, 1);
    assert_int_equal(ask(f, "GET", EVENTS, NULL), 200);
    assert_int_equal(plan.n_loads, 1);
    assert_int_equal(plan.n_before, 1);
}

#define CALL(name, arguments)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name         \
    "\",\"arguments\":" arguments "}}"

static void tools_and_parts_of_batches_are_asked_each(void **state)
{
    uint64_t w = make();
    plan.before = -1;
    assert_int_equal(
        ask(w, "POST", "/mcp",
            CALL("calendar_events_insert", "{\"calendarId\":\"primary\",\"body\":" NEW "}")),
        200);
    assert_non_null(strstr(res->body, "\"isError\":true"));
    assert_non_null(strstr(res->body, "not allowed"));
    assert_int_equal(plan.n_before, 1);
    assert_string_equal(plan.tool, "calendar_events_insert");
    assert_int_equal(
        ask(w, "POST", "/mcp", CALL("calendar_events_list", "{\"calendarId\":\"primary\"}")), 200);
    assert_non_null(strstr(res->body, "not allowed"));
    assert_int_equal(plan.n_before, 2);
    plan.method = "calendar.events.insert";
    assert_int_equal(
        ask(w, "POST", "/mcp", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), 200);
    assert_null(strstr(res->body, "\"calendar_events_insert\""));
    assert_non_null(strstr(res->body, "\"calendar_events_list\""));
    assert_true(plan.n_shows > 10);
    assert_int_equal(ask(w, "POST", "/v1.0/$batch",
                         "{\"requests\":[{\"id\":\"1\",\"method\":\"GET\",\"url\":\"/me\"},"
                         "{\"id\":\"2\",\"method\":\"GET\",\"url\":\"/me/messages\"}]}"),
                     200);
    assert_int_equal(plan.n_before, 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
    const struct CMUnitTest tests[] = {
        TEST(a_world_without_rules_is_not_asked),
        TEST(who_goes_back_to_rules_looks_again),
        TEST(a_refused_call_leaves_its_entry_alone),
        TEST(what_a_call_changes_is_seen_before_it_is_kept),
        TEST(a_tried_call_has_its_answer_and_no_effect),
        TEST(the_guard_may_answer_by_itself),
        TEST(rows_may_be_written_where_a_call_was_undone),
        TEST(refused_reads_are_in_the_journal_if_asked),
        TEST(forks_have_what_is_kept_beside_the_rows),
        TEST(tools_and_parts_of_batches_are_asked_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
