/* SPDX-License-Identifier: Apache-2.0 */
/* An open world at Google's token endpoint: programs that it does not know, with refresh tokens
 * that were issued elsewhere. And whom Google's APIs take for one of theirs. */
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>
#include "engine/base/codec.h"

#define PEOPLE                                                                                     \
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],\n"                       \
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"},"                               \
    "{\"email\":\"bob@acme.example\",\"name\":\"Bob\"},"                                           \
    "{\"handle\":\"deploy\",\"kind\":\"bot\",\"name\":\"Deploy\"}],\n"                             \
    "\"accounts\":[{\"actor\":\"bob@acme.example\",\"vendor\":\"google\",\"id\":\"10777\"}],\n"    \
    "\"oauth_clients\":[{\"client_id\":\"known\",\"client_secret\":\"s1\"}]"

static uint64_t world_with(const char *oauth)
{
    char doc[2048];
    snprintf(doc, sizeof doc, "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",%s" PEOPLE "}",
             oauth);
    return test_world_of(doc);
}

static int post(const char *target, const char *form)
{
    struct sosia_header type = {"Content-Type", "application/x-www-form-urlencoded"};
    struct sosia_request r = {.method = "POST",
                              .target = target,
                              .headers = &type,
                              .n_headers = 1,
                              .body = form,
                              .body_len = strlen(form)};
    test_call(test_world, &r);
    return test_response->status;
}

static int refresh(const char *client, const char *secret, const char *token)
{
    char form[1024];
    snprintf(form, sizeof form,
             "grant_type=refresh_token&client_id=%s&client_secret=%s&refresh_token=%s", client,
             secret, token);
    return post("/token", form);
}

static const char *access_token(void)
{
    static char token[512];
    const char *p = strstr(test_response->body, "\"access_token\": \"");
    token[0] = 0;
    if (p)
        sscanf(p, "\"access_token\": \"%511[^\"]", token);
    return token;
}

static int userinfo(const char *token)
{
    char bearer[600];
    struct sosia_header auth = {"Authorization", bearer};
    struct sosia_request r = {
        .method = "GET", .target = "/oauth2/v2/userinfo", .headers = &auth, .n_headers = 1};
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    test_call(test_world, &r);
    return test_response->status;
}

static void a_listed_world_takes_nobody_else(void **state)
{
    static const char *const words[] = {"", "\"oauth\":\"listed\","};
    for (size_t i = 0; i < 2; i++) {
        test_world = world_with(words[i]);
        assert_int_equal(refresh("mine", "x", "1//foreign"), 401);
        assert_non_null(strstr(test_response->body, "invalid_client"));
        assert_int_equal(refresh("known", "s1", "1//foreign"), 400);
        assert_non_null(strstr(test_response->body, "Token has been expired or revoked."));
    }
}

static void an_open_world_takes_a_foreign_program_as_its_first_person(void **state)
{
    test_world = world_with("\"oauth\":\"open\",");
    assert_int_equal(refresh("99.apps.example", "any", "1//foreign"), 200);
    assert_non_null(strstr(test_response->body, "https://www.googleapis.com/auth/calendar"));
    assert_int_equal(userinfo(access_token()), 200);
    assert_non_null(strstr(test_response->body, "ada@acme.example"));
    /* Again, with another secret: it never learns which one is right. */
    assert_int_equal(refresh("99.apps.example", "other", "1//foreign"), 200);
    assert_int_equal(refresh("other.example", "any", "1//foreign"), 401); /* the token is taken */
    /* A program that is listed keeps its secret. */
    assert_int_equal(refresh("known", "wrong", "1//mine"), 401);
    assert_int_equal(refresh("known", "s1", "1//mine"), 200);
}

/* Though its document says that it takes everybody. */
static void an_evaluation_takes_nobody_else(void **state)
{
    struct sosia_fork_options opt = {.evaluation = true};
    uint64_t open = world_with("\"oauth\":\"open\",");
    assert_int_equal(sosia_world_fork(test_engine, open, &opt, &test_world, &test_err), 0);
    assert_int_equal(refresh("mine", "x", "1//foreign"), 401);
    assert_non_null(strstr(test_response->body, "invalid_client"));
    assert_int_equal(refresh("known", "s1", "1//foreign"), 400);
    assert_int_equal(sosia_world_fork(test_engine, open, NULL, &test_world, &test_err), 0);
    assert_int_equal(refresh("mine", "x", "1//foreign"), 200);
}

static void an_open_world_says_as_whom(void **state)
{
    test_world = world_with("\"oauth\":{\"mode\":\"open\",\"actor\":\"bob@acme.example\"},");
    assert_int_equal(refresh("mine", "x", "1//foreign"), 200);
    assert_int_equal(userinfo(access_token()), 200);
    assert_non_null(strstr(test_response->body, "bob@acme.example"));
    assert_non_null(strstr(test_response->body, "\"id\": \"10777\"")); /* as in his account */
}

static void a_foreign_secret_is_not_kept(void **state)
{
    struct sosia_blob dump;
    uint64_t v;
    test_world = world_with("\"oauth\":\"open\",");
    assert_int_equal(refresh("mine", "x", "1//foreign"), 200);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    assert_null(strstr(dump.data, "1//foreign"));
    struct sosia_world_options opt = {.seed_doc = dump.data, .seed_doc_len = dump.len};
    if (sosia_world_create(test_engine, &opt, &v, &test_err) < 0)
        fail_msg("%s", test_err.text);
    sosia_blob_free(&dump);
    test_world = v;
    assert_int_equal(refresh("mine", "x", "1//foreign"), 200);
}

static void what_was_revoked_stays_so(void **state)
{
    test_world = world_with("\"oauth\":\"open\",");
    assert_int_equal(refresh("mine", "x", "1//foreign"), 200);
    assert_int_equal(post("/revoke", "token=1%2F%2Fforeign"), 200);
    assert_int_equal(refresh("mine", "x", "1//foreign"), 400);
    assert_int_equal(refresh("mine", "x", "1//another"), 200);
}

static void foreign_tokens_are_bounded(void **state)
{
    char token[64];
    test_world = world_with("\"oauth\":\"open\",");
    for (int i = 0; i < 101; i++) {
        snprintf(token, sizeof token, "1//foreign-%d", i);
        assert_int_equal(refresh("mine", "x", token), 200);
    }
    assert_int_equal(refresh("mine", "x", "1//foreign-0"), 400);
    assert_int_equal(refresh("mine", "x", "1//foreign-1"), 200);
    char client[300];
    memset(client, 'a', sizeof client);
    client[256] = 0;
    assert_int_equal(refresh(client, "x", "1//long"), 401);
    client[255] = 0;
    assert_int_equal(refresh(client, "x", "1//long"), 200);
}

static void a_foreign_program_may_ask_a_person(void **state)
{
    struct sosia_request r = {
        .method = "GET",
        .target = "/o/oauth2/v2/auth?client_id=mine&redirect_uri=http%3A%2F%2Flocalhost%3A5000%2F"
                  "cb&response_type=code&scope=email"};
    test_world = world_with("");
    test_call(test_world, &r);
    assert_int_equal(test_response->status, 401);
    test_world = world_with("\"oauth\":\"open\",");
    test_call(test_world, &r);
    assert_int_equal(test_response->status, 200);
    assert_non_null(strstr(test_response->body, "ada@acme.example"));
    assert_null(
        strstr(test_response->body, "deploy")); /* who has no address has no account of Google's */
}

static void the_engine_decides_for_all_worlds(void **state)
{
    struct sosia_engine *first = test_engine;
    struct sosia_engine_options opt = {.oauth = SOSIA_OAUTH_OPEN};
    assert_int_equal(sosia_engine_open(&opt, &test_engine, &test_err), 0);
    test_world = world_with("\"oauth\":\"listed\",");
    assert_int_equal(refresh("mine", "x", "1//foreign"), 200);
    sosia_response_free(test_response);
    test_response = NULL;
    sosia_engine_close(test_engine);
    opt.oauth = SOSIA_OAUTH_LISTED;
    assert_int_equal(sosia_engine_open(&opt, &test_engine, &test_err), 0);
    test_world = world_with("\"oauth\":\"open\",");
    assert_int_equal(refresh("mine", "x", "1//foreign"), 401);
    sosia_response_free(test_response);
    test_response = NULL;
    sosia_engine_close(test_engine);
    test_engine = first;
}

static void an_actor_without_an_address_is_nobody_of_googles(void **state)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = "deploy"};
    test_world = world_with("");
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err), 0);
    assert_int_equal(userinfo(token), 401);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listed_world_takes_nobody_else),
        cmocka_unit_test(an_open_world_takes_a_foreign_program_as_its_first_person),
        cmocka_unit_test(an_evaluation_takes_nobody_else),
        cmocka_unit_test(an_open_world_says_as_whom),
        cmocka_unit_test(a_foreign_secret_is_not_kept),
        cmocka_unit_test(what_was_revoked_stays_so),
        cmocka_unit_test(foreign_tokens_are_bounded),
        cmocka_unit_test(a_foreign_program_may_ask_a_person),
        cmocka_unit_test(the_engine_decides_for_all_worlds),
        cmocka_unit_test(an_actor_without_an_address_is_nobody_of_googles),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
