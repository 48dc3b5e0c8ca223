/* SPDX-License-Identifier: Apache-2.0 */
/* What the door does before and beside methods: hosts in paths, pages of our own, rate limits. */
#include "sosia.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"rates\":true,\"people\":["
    "{\"email\":\"ada@acme.example\"},{\"email\":\"bob@acme.example\"}],\"tokens\":["
    "{\"token\":\"token-of-ada\",\"actor\":\"ada@acme.example\"},"
    "{\"token\":\"token-of-bob\",\"actor\":\"bob@acme.example\"}]}";

static struct sosia_engine *engine;
static struct sosia_err err;
static struct sosia_response *res;

static int open_engine(void **state)
{
    return sosia_engine_open(NULL, &engine, &err);
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
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    uint64_t w;
    assert_int_equal(sosia_world_create(engine, &opt, &w, &err), 0);
    return w;
}

static const char *verb = "GET";

static int ask_as(uint64_t w, const char *who, const char *host, const char *target)
{
    char bearer[64];
    snprintf(bearer, sizeof bearer, "Bearer token-of-%s", who);
    struct sosia_header headers[] = {{"Authorization", bearer}, {"Host", host}};
    struct sosia_request r = {.method = verb,
                              .target = target,
                              .headers = headers,
                              .n_headers = host ? 2 : 1,
                              .base_url = "http://localhost:8787"};
    sosia_response_free(res);
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    return res->status;
}

#define LIST "/calendar/v3/users/me/calendarList"

static void a_host_may_be_in_the_path(void **state)
{
    uint64_t w = make();
    struct sosia_world_info info;
    char target[200];
    assert_int_equal(sosia_world_info(engine, w, &info, &err), 0);
    assert_int_equal(ask_as(w, "ada", NULL, "/@www.googleapis.com" LIST), 200);
    assert_int_equal(ask_as(w, "ada", NULL, "/%40www.googleapis.com:443" LIST), 200);
    snprintf(target, sizeof target, "/w/%s/@gmail.googleapis.com" LIST, info.key);
    assert_int_equal(ask_as(0, "ada", NULL, target), 200);
    assert_int_equal(ask_as(w, "ada", NULL, "/@nobody.example" LIST), 404);
    assert_non_null(strstr(res->body, "\"served\""));
}

static void what_nobody_has_is_answered_in_our_own_name(void **state)
{
    uint64_t w = make();
    assert_int_equal(ask_as(w, "ada", NULL, "/nothing/here"), 404);
    assert_non_null(strstr(res->body, "nothing is served at GET /nothing/here"));
    assert_non_null(strstr(res->body, "\"Google Calendar API v3\""));
    assert_int_equal(ask_as(0, "ada", NULL, "/nothing/here"), 404);
    assert_non_null(strstr(res->body, "\"served\""));
    assert_int_equal(ask_as(w, "ada", "www.googleapis.com", "/nothing/here"), 404);
    assert_null(strstr(res->body, "\"served\""));
    assert_int_equal(ask_as(0, "ada", NULL, "/w/ffff/nothing"), 404);
    assert_non_null(strstr(res->body, "there is no such world"));
}

static int status_with(uint64_t w, const char *token)
{
    char bearer[SOSIA_TOKEN_MAX + 16];
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header auth = {"Authorization", bearer};
    struct sosia_request r = {
        .method = "GET", .target = LIST, .headers = &auth, .n_headers = 1, .base_url = "http://x"};
    sosia_response_free(res);
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    return res->status;
}

/* Of each length and of all that their letters can be: what was signed is read again, and nothing
 * that differs in a letter (but for the last, which has bits to spare). */
static void signed_tokens_are_read_as_they_were_made(void **state)
{
    const char *const scopes[] = {NULL, "a", "ab", "abc", "a long scope and another one"};
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    char token[SOSIA_TOKEN_MAX], small[40];
    uint64_t w = make();
    assert_int_equal(sosia_world_rates(engine, w, false, &err), 0);
    for (int i = 0; i < 400; i++) {
        opt.scopes = scopes[i % 5];
        opt.prefix = i % 7 ? NULL : "xoxp-";
        assert_int_equal(sosia_token_issue(engine, w, &opt, token, sizeof token, &err), 0);
        assert_int_equal(status_with(w, token), opt.scopes ? 403 : 200);
        char *letter = token + strlen(token) - 2 - (size_t)i % 40;
        *letter = *letter == 'Q' ? 'R' : 'Q';
        assert_int_equal(status_with(w, token), 401);
    }
    assert_int_equal(sosia_token_issue(engine, w, &opt, small, sizeof small, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
}

/* A program may still have a token of yesterday's server, or of a world that was dropped. */
static void a_token_of_a_world_that_is_gone_is_unknown(void **state)
{
    uint64_t w = make(), gone = make();
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    struct sosia_world_info info;
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 16];
    assert_int_equal(sosia_token_issue(engine, gone, &opt, token, sizeof token, &err), 0);
    assert_int_equal(sosia_world_info(engine, gone, &info, &err), 0);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header header = {"Authorization", bearer};
    struct sosia_request r = {.method = "GET", .target = LIST, .headers = &header, .n_headers = 1};
    for (int stored = 0; stored < 2; stored++) {
        if (stored)
            snprintf(bearer, sizeof bearer, "Bearer stored~%s", info.key);
        sosia_engine_default_world(engine, w);
        if (!stored) {
            sosia_response_free(res);
            assert_int_equal(sosia_call(engine, 0, &r, &res, &err), 0);
            assert_int_equal(res->status, 200);
            assert_int_equal(sosia_world_drop(engine, gone, &err), 0);
        }
        sosia_response_free(res);
        assert_int_equal(sosia_call(engine, 0, &r, &res, &err), 0);
        assert_int_equal(res->status, 401);
        assert_non_null(strstr(res->body, "\"UNAUTHENTICATED\""));
        sosia_engine_default_world(engine, 0);
        sosia_response_free(res);
        assert_int_equal(sosia_call(engine, 0, &r, &res, &err), 0);
        assert_int_equal(res->status, 404);
    }
}

static void the_first_page_is_for_people(void **state)
{
    assert_int_equal(ask_as(0, "ada", "localhost:8787", "/"), 200);
    assert_non_null(strstr(res->body, "<h1>sosia</h1>"));
    assert_non_null(strstr(res->body, "Gmail API v1"));
    assert_int_equal(ask_as(make(), "ada", NULL, "/"), 200);
}

/* ---- rates ---- */

static void a_quota_ends_and_comes_back_with_the_worlds_clock(void **state)
{
    uint64_t w = make();
    for (int i = 0; i < 600; i++)
        assert_int_equal(ask_as(w, "ada", NULL, LIST), 200);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 403);
    assert_non_null(strstr(res->body, "\"reason\": \"rateLimitExceeded\""));
    assert_non_null(strstr(res->body, "\"domain\": \"usageLimits\""));
    assert_non_null(strstr(res->body, "\"status\": \"PERMISSION_DENIED\""));
    assert_non_null(strstr(res->body, "Queries per minute per user"));
    assert_non_null(strstr(res->body, "\"quota_limit_value\": \"600\""));
    assert_int_equal(ask_as(w, "bob", NULL, LIST), 200);
    assert_int_equal(sosia_clock_advance(engine, w, 100000, &err), 0);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 200);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 403);
}

static void units_of_a_method_count(void **state)
{
    uint64_t w = make();
    for (int i = 0; i < 600; i++) /* 10 units each */
        assert_int_equal(ask_as(w, "ada", NULL, "/gmail/v1/users/me/threads"), 200);
    assert_int_equal(ask_as(w, "ada", NULL, "/gmail/v1/users/me/profile"), 403);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 200); /* another API */
}

static void forks_go_on_with_what_was_used_and_a_reset_gives_it_back(void **state)
{
    uint64_t w = make(), f, before;
    assert_int_equal(sosia_world_snapshot(engine, w, NULL, &before, &err), 0);
    for (int i = 0; i < 600; i++)
        ask_as(w, "ada", NULL, LIST);
    assert_int_equal(sosia_world_fork(engine, w, NULL, &f, &err), 0);
    assert_int_equal(ask_as(f, "ada", NULL, LIST), 403);
    assert_int_equal(sosia_clock_advance(engine, f, 60000000, &err), 0);
    assert_int_equal(ask_as(f, "ada", NULL, LIST), 200);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 403);
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 200);
    for (int i = 0; i < 600; i++)
        ask_as(w, "ada", NULL, LIST);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 403);
    assert_int_equal(sosia_world_reset_to(engine, w, before, &err), 0);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 200);
    assert_int_equal(sosia_world_rates(engine, w, false, &err), 0);
    for (int i = 0; i < 700; i++)
        assert_int_equal(ask_as(w, "ada", NULL, LIST), 200);
}

static void add_event(uint64_t w)
{
    verb = "POST";
    assert_int_equal(
        ask_as(w, "ada", NULL, "/calendar/v3/calendars/primary/events/quickAdd?text=Lunch"), 200);
    verb = "GET";
}

static void assert_same_state(uint64_t a, uint64_t b, bool same)
{
    char one[65], other[65];
    struct sosia_blob diff;
    assert_int_equal(sosia_world_hash(engine, a, one, &err), 0);
    assert_int_equal(sosia_world_hash(engine, b, other, &err), 0);
    assert_int_equal(strcmp(one, other) == 0, same);
    assert_int_equal(sosia_world_diff(engine, a, b, &diff, &err), 0);
    assert_null(strstr(diff.data, "rates"));
    sosia_blob_free(&diff);
}

static void what_is_used_up_is_no_state(void **state)
{
    uint64_t a = make(), b = make();
    for (int i = 0; i < 100; i++)
        assert_int_equal(ask_as(a, "ada", NULL, LIST), 200);
    assert_same_state(a, b, true);
    add_event(a); /* which keeps the buckets in the world's rows */
    add_event(b);
    assert_same_state(a, b, true);
    assert_int_equal(sosia_world_rates(engine, a, false, &err), 0);
    assert_same_state(a, b, false); /* whether limits hold is state */
    assert_int_equal(sosia_world_rates(engine, b, false, &err), 0);
    assert_same_state(a, b, true);
}

static void limits_that_begin_again_begin_anew(void **state)
{
    uint64_t w = make();
    for (int i = 0; i < 599; i++)
        ask_as(w, "ada", NULL, LIST);
    add_event(w);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 403);
    assert_int_equal(sosia_world_rates(engine, w, true, &err), 0); /* they hold already */
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 403);
    assert_int_equal(sosia_world_rates(engine, w, false, &err), 0);
    assert_int_equal(sosia_world_rates(engine, w, true, &err), 0);
    assert_int_equal(ask_as(w, "ada", NULL, LIST), 200);
}

/* ---- heads ---- */

static int64_t must_not_be_read(void *arg, char *to, size_t size)
{
    *(bool *)arg = true;
    return 0;
}

static void a_body_is_not_pulled_if_its_head_is_refused(void **state)
{
    bool read = false;
    const struct sosia_header wrong = {"Authorization", "Bearer ya29.no"},
                              good = {"Authorization", "Bearer token-of-ada"};
    uint64_t w = make();
    struct sosia_request r = {.method = "POST",
                              .target = "/calendar/v3/calendars",
                              .headers = &wrong,
                              .n_headers = 1,
                              .read = must_not_be_read,
                              .read_arg = &read,
                              .length = -1};
    sosia_response_free(res);
    assert_true(sosia_head_refused(engine, w, &r));
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    assert_int_equal(res->status, 401);
    assert_false(read);
    sosia_response_free(res);
    r.headers = &good;
    assert_false(sosia_head_refused(engine, w, &r));
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    assert_int_equal(res->status, 400);
    assert_true(read);
    /* What was refused before and would be served now is not served without its body. */
    r.read = NULL;
    r.body = "";
    r.head_only = true;
    sosia_response_free(res);
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    assert_int_equal(res->status, 409);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_host_may_be_in_the_path, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(what_nobody_has_is_answered_in_our_own_name, open_engine,
                                        close_engine),
        cmocka_unit_test_setup_teardown(signed_tokens_are_read_as_they_were_made, open_engine,
                                        close_engine),
        cmocka_unit_test_setup_teardown(a_token_of_a_world_that_is_gone_is_unknown, open_engine,
                                        close_engine),
        cmocka_unit_test_setup_teardown(the_first_page_is_for_people, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(a_quota_ends_and_comes_back_with_the_worlds_clock,
                                        open_engine, close_engine),
        cmocka_unit_test_setup_teardown(units_of_a_method_count, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(what_is_used_up_is_no_state, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(limits_that_begin_again_begin_anew, open_engine,
                                        close_engine),
        cmocka_unit_test_setup_teardown(a_body_is_not_pulled_if_its_head_is_refused, open_engine,
                                        close_engine),
        cmocka_unit_test_setup_teardown(forks_go_on_with_what_was_used_and_a_reset_gives_it_back,
                                        open_engine, close_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
