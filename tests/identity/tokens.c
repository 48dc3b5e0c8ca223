/* SPDX-License-Identifier: Apache-2.0 */
/* Whom tokens stand for: actors with and without an address, apps, kinds, and shapes that vendors'
 * programs expect. On an API of our own. */
#include "identity/account.h"
#include "engine/service.h"
#include "engine/http/call.h"
#include "engine/http/principal.h"
#include "engine/http/token.h"
#include "engine/world/engine.h"
#include "identity/app.h"
#include "identity/token.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

static int whoami(struct call *c)
{
    struct account account = {.name = NULL};
    if (c->account && account_get(&c->tx, c->account, &account) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "handle", c->actor.handle);
    json_str(c->out, "email", c->actor.email);
    json_str(c->out, "kind", token_kind_name(c->token_kind));
    json_bool(c->out, "app", c->app != 0);
    json_str_opt(c->out, "account", account.name);
    json_end(c->out);
    return 0;
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
    buf_puts(c->body_out, c->tx.err->reason ? c->tx.err->reason : "");
}

static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "test", .front = &front};
#define ROW(name, where, kinds)                                                                    \
    {                                                                                              \
        .id = name, .verbs = GET, .paths = PATHS(where), .handler = whoami, .risk = RISK_READ,     \
        .token_kinds = (kinds)                                                                     \
    }
static const struct route routes[] = {
    ROW("who.any", "/any", 0),
    ROW("who.bot", "/bot", TOKEN_BOT),
    ROW("who.user", "/user", TOKEN_USER | TOKEN_APP),
};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/any", "/bot", "/user", NULL};
static const struct dialect dialect = {
    .name = "test", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};
static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, NULL},
    .dialects = (const struct dialect *const[]){&dialect, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7,\n"
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"},"
    "{\"handle\":\"deploy\",\"kind\":\"bot\",\"name\":\"Deploy\"},"
    "{\"handle\":\"guest\",\"email\":\"guest@far.example\",\"name\":\"Guest\"}],\n"
    "\"apps\":[{\"client_id\":\"123.456\",\"client_secret\":\"hush\",\"name\":\"Deployer\","
    "\"vendor\":\"test\",\"bot\":\"deploy\",\"signing_secret\":\"s1gn\"}],\n"
    "\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"test\",\"tenant\":\"T1\","
    "\"id\":\"U1\"},{\"actor\":\"deploy\",\"vendor\":\"test\",\"tenant\":\"T1\",\"id\":\"B1\"}],\n"
    "\"tokens\":[{\"token\":\"bot-fixed-1\",\"actor\":\"deploy\",\"app\":\"123.456\","
    "\"account\":{\"vendor\":\"test\",\"tenant\":\"T1\",\"id\":\"B1\"}},"
    "{\"token\":\"ada-as-bot\",\"actor\":\"ada@acme.example\",\"kind\":\"bot\"}]}";

static int set_up(void **state)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(DOC);
    return 0;
}

static int ask_world(uint64_t whose, const char *path, const char *token)
{
    char bearer[SOSIA_TOKEN_MAX + 8];
    struct sosia_header auth = {"Authorization", bearer};
    struct sosia_request r = {.method = "GET", .target = path, .headers = &auth, .n_headers = 1};
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    test_call(whose, &r);
    return test_response->status;
}

static int ask(const char *path, const char *token)
{
    return ask_world(test_world, path, token);
}

static bool says(const char *what)
{
    return strstr(test_response->body, what) != NULL;
}

static char *issue(const struct sosia_token_options *opt)
{
    static char token[SOSIA_TOKEN_MAX];
    if (sosia_token_issue(test_engine, test_world, opt, token, sizeof token, &test_err) < 0)
        fail_msg("%s", test_err.text);
    return token;
}

static void an_actor_without_an_address_acts_by_its_handle(void **state)
{
    assert_int_equal(ask("/any", issue(&(struct sosia_token_options){.actor = "deploy"})), 200);
    assert_true(says("\"handle\":\"deploy\"") && says("\"email\":\"\"") &&
                says("\"kind\":\"bot\""));
    assert_int_equal(ask("/any", issue(&(struct sosia_token_options){.actor = "guest"})), 200);
    assert_true(says("\"email\":\"guest@far.example\""));
    assert_int_equal(
        ask("/any", issue(&(struct sosia_token_options){.actor = "GUEST@far.example"})), 200);
    assert_true(says("\"handle\":\"guest\""));
}

static void a_fixed_token_has_an_app_an_account_and_a_kind(void **state)
{
    assert_int_equal(ask("/any", "bot-fixed-1"), 200);
    assert_true(says("\"kind\":\"bot\"") && says("\"app\":true") && says("\"account\":\"B1\""));
    assert_int_equal(ask("/any", "ada-as-bot"), 200);
    assert_true(says("\"kind\":\"bot\"") && says("\"app\":false") && !says("account"));
}

static void a_method_takes_the_kinds_that_its_row_says(void **state)
{
    assert_int_equal(ask("/bot", "bot-fixed-1"), 200);
    assert_int_equal(ask("/user", "bot-fixed-1"), 403);
    assert_string_equal(test_response->body, "tokenKind");
    char *user = issue(&(struct sosia_token_options){.actor = "ada@acme.example"});
    assert_int_equal(ask("/user", user), 200);
    assert_int_equal(ask("/bot", user), 403);
    assert_int_equal(ask("/bot", issue(&(struct sosia_token_options){.actor = "ada@acme.example",
                                                                     .kind = "bot"})),
                     200);
}

static void a_token_in_a_vendors_shape_leads_to_its_world(void **state)
{
    static const char *const shapes[] = {"xyz-12-34-", "shape.a0.", "Z/", "a~b~"};
    struct sosia_token_options opt = {.actor = "deploy", .app = "123.456"};
    for (size_t i = 0; i < SOSIA_LEN(shapes); i++) {
        opt.prefix = shapes[i];
        char *token = issue(&opt);
        size_t n = strlen(shapes[i]);
        assert_memory_equal(token, shapes[i], n);
        for (const char *p = token + n; *p; p++)
            assert_non_null(
                strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *p));
        assert_int_equal(ask_world(0, "/any", token), 200); /* no world is named but by it */
        assert_true(says("\"handle\":\"deploy\"") && says("\"app\":true"));
        assert_int_equal(ask_world(test_world_of(DOC), "/any", token), 401); /* it is another's */
    }
}

static void what_is_changed_in_such_a_token_is_noticed(void **state)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = "deploy", .prefix = "xyzb-1-"};
    strcpy(token, issue(&opt));
    assert_int_equal(ask("/any", token), 200);
    token[3] = 'p'; /* the kind that a shape stands for can't be exchanged */
    assert_int_equal(ask("/any", token), 401);
    token[3] = 'b';
    for (size_t i = strlen(opt.prefix); token[i]; i++) {
        char was = token[i];
        token[i] = was == 'A' ? 'B' : 'A';
        assert_int_equal(ask("/any", token), 401);
        token[i] = was;
    }
    assert_int_equal(ask("/any", token), 200);
    assert_int_equal(sosia_token_revoke(test_engine, test_world, token, &test_err), 0);
    assert_int_equal(ask("/any", token), 401);
    assert_string_equal(test_response->body, "revoked");
}

static void a_prefix_has_to_end_a_segment(void **state)
{
    static const char *const bad[] = {"", "xyz", "x y-", "x\x80-", "9"};
    char token[SOSIA_TOKEN_MAX];
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        struct sosia_token_options opt = {.actor = "deploy", .prefix = bad[i]};
        assert_int_equal(
            sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err), -1);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        assert_string_equal(test_err.where, "prefix");
    }
    struct sosia_token_options opt = {.actor = "deploy", .kind = "robot"};
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err), -1);
    assert_string_equal(test_err.text, "kind must be one of user, bot, app, not \"robot\"");
    opt = (struct sosia_token_options){.actor = "deploy", .app = "nobody's"};
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err), -1);
    assert_string_equal(test_err.reason, "appNotFound");
}

static void who_there_is_is_dumped_as_it_was_said(void **state)
{
    struct sosia_blob dump, again, list;
    uint64_t v;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    assert_non_null(strstr(dump.data, "\"handle\": \"deploy\""));
    assert_non_null(strstr(dump.data, "\"signing_secret\": \"s1gn\""));
    assert_non_null(strstr(dump.data, "\"tenant\": \"T1\""));
    struct sosia_world_options opt = {.seed_doc = dump.data, .seed_doc_len = dump.len};
    if (sosia_world_create(test_engine, &opt, &v, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, v, &again, &test_err), 0);
    assert_string_equal(dump.data, again.data);
    assert_int_equal(sosia_actor_list(test_engine, test_world, 0, 0, &list, &test_err), 0);
    assert_non_null(strstr(list.data, "\"handle\": \"deploy\",\n    \"kind\": \"bot\""));
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
    sosia_blob_free(&list);
}

static void what_is_said_wrongly_is_refused(void **state)
{
    static const struct {
        const char *doc, *where;
    } wrong[] = {
        {"\"people\":[{\"name\":\"Nobody\"}]", "people[0].email"},
        {"\"people\":[{\"handle\":\"a@b\"}]", "people[0].handle"},
        {"\"people\":[{\"handle\":\"a\"},{\"handle\":\"a\"}]", "people[1].handle"},
        {"\"people\":[{\"handle\":\"a\",\"aliases\":[\"x@y.example\"]}]", "people[0].aliases"},
        {"\"people\":[{\"handle\":\"a\",\"hours\":{\"monday\":\"-1:00-17:00\"}}]",
         "people[0].hours.monday"},
        {"\"people\":[{\"handle\":\"a\",\"hours\":{\"monday\":\"09:00-24:30\"}}]",
         "people[0].hours.monday"},
        {"\"people\":[{\"handle\":\"a\",\"hours\":{\"monday\":\" 9:00-17:00\"}}]",
         "people[0].hours.monday"},
        {"\"organizations\":[{\"domain\":\"\"}]", "organizations[0].domain"},
        {"\"apps\":[{\"client_id\":\"a\",\"bot\":\"b\"}]", "apps[0].bot"},
        {"\"apps\":[{\"client_id\":\"a\"},{\"client_id\":\"a\"}]", "apps[1].client_id"},
        {"\"accounts\":[{\"actor\":\"b\",\"vendor\":\"v\",\"id\":\"1\"}]", "accounts[0].actor"},
        {"\"people\":[{\"handle\":\"b\"}],\"tokens\":[{\"token\":\"12345678\",\"actor\":\"b\","
         "\"account\":{\"vendor\":\"v\",\"id\":\"1\"}}]",
         "tokens[0].account"},
        {"\"oauth\":\"ajar\"", "oauth"},
        {"\"oauth\":{\"mode\":\"open\",\"actor\":\"b\"}", "oauth.actor"},
    };
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        char doc[512];
        uint64_t w;
        snprintf(doc, sizeof doc, "{\"sosia\":1,%s}", wrong[i].doc);
        struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
        assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        assert_string_equal(test_err.where, wrong[i].where);
    }
}

static void redirect_addresses_have_room_or_are_refused(void **state)
{
    static char doc[1200000];
    static const char begin[] = "{\"sosia\":1,\"apps\":[{\"client_id\":\"a\",\"redirect_uris\":[\"";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc};
    uint64_t w;
    memset(doc, 'a', sizeof doc);
    memcpy(doc, begin, sizeof begin - 1);
    memcpy(doc + sizeof doc - 5, "\"]}]}", 5);
    assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_string_equal(test_err.where, "apps[0].redirect_uris");
}

/* A later document does not give an address of a group to a person. */
static void an_address_is_one_persons_or_one_groups(void **state)
{
    static const char group[] =
        "{\"sosia\":1,\"groups\":[{\"email\":\"all@acme.example\",\"members\":[]}]}";
    static const char *const people[] = {
        "{\"sosia\":1,\"people\":[{\"email\":\"all@acme.example\"}]}",
        "{\"sosia\":1,\"people\":[{\"email\":\"eve@acme.example\",\"aliases\":[\"All@acme."
        "example\"]}]}"};
    static const char *const wheres[] = {"people[0].email", "people[0].aliases"};
    uint64_t w = test_world_of(group);
    for (size_t i = 0; i < SOSIA_LEN(people); i++) {
        assert_int_equal(
            sosia_world_seed(test_engine, w, people[i], strlen(people[i]), NULL, &test_err), -1);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        assert_string_equal(test_err.where, wheres[i]);
    }
}

/* ---- many worlds ---- */

enum { FORKS = 6 };

static void fork_worlds(uint64_t ret[FORKS])
{
    for (int i = 0; i < FORKS; i++)
        if (sosia_world_fork(test_engine, test_world, NULL, &ret[i], &test_err) < 0)
            fail_msg("%s", test_err.text);
}

static void drop_worlds(const uint64_t worlds[FORKS])
{
    for (int i = 0; i < FORKS; i++)
        sosia_world_drop(test_engine, worlds[i], NULL);
}

/* Whether both are this world's and say the same, but for the number that each has of its own. */
static void check_alike(uint64_t world, const char *one, const char *other)
{
    const struct token_claims *read;
    struct token_claims a, b;
    struct worker *k = worker_take(test_engine, &test_err);
    assert_non_null(k);
    assert_int_equal(token_read(test_engine, k, one, strlen(one), &read), 1);
    a = *read;
    assert_int_equal(token_read(test_engine, k, other, strlen(other), &read), 1);
    b = *read;
    worker_drop(k);
    assert_true(a.world == world && b.world == world && a.nonce != b.nonce);
    assert_true(a.actor == b.actor && a.app == b.app && a.actor_check == b.actor_check &&
                a.kind == b.kind && a.issued_us == b.issued_us && a.expires_us == b.expires_us);
    assert_memory_equal(&a.scopes, &b.scopes, sizeof a.scopes);
}

static void check_series(const uint64_t worlds[FORKS], const struct sosia_token_options *opt)
{
    char tokens[FORKS][SOSIA_TOKEN_MAX], usual[SOSIA_TOKEN_MAX];
    struct token_series *s;
    assert_int_equal(token_series_new(test_engine, opt, &s, &test_err), 0);
    for (int i = 0; i < FORKS; i++)
        if (token_series_issue(s, worlds[i], tokens[i], sizeof tokens[i], &test_err) < 0)
            fail_msg("%s", test_err.text);
    token_series_free(s);
    for (int i = 0; i < FORKS; i++) {
        assert_int_equal(sosia_token_issue(test_engine, worlds[i], opt, usual, sizeof usual, NULL),
                         0);
        if (!opt->scopes || strlen(opt->scopes) <= TOKEN_MAX_SCOPES)
            check_alike(worlds[i], tokens[i], usual);
        assert_int_equal(ask_world(worlds[i], "/any", tokens[i]), 200);
        assert_true(says(opt->actor));
        assert_int_equal(ask_world(worlds[(i + 1) % FORKS], "/any", tokens[i]), 401);
        assert_int_equal(sosia_token_revoke(test_engine, worlds[i], tokens[i], &test_err), 0);
        assert_int_equal(ask_world(worlds[i], "/any", tokens[i]), 401);
    }
}

static void tokens_of_forks_are_those_that_each_would_get(void **state)
{
    static char many[TOKEN_MAX_SCOPES + 2];
    uint64_t worlds[FORKS];
    memset(many, 's', sizeof many - 1);
    const struct sosia_token_options options[] = {
        {.actor = "deploy"},
        {.actor = "ada@acme.example", .scopes = "a b", .app = "123.456", .kind = "bot"},
        {.actor = "ada@acme.example", .prefix = "xyz-1-", .ttl_us = 60000000},
        {.actor = "ada@acme.example", .ttl_us = INT64_MAX},
        {.actor = "ada@acme.example", .scopes = many}, /* each is a row of its world */
    };
    for (size_t i = 0; i < SOSIA_LEN(options); i++) {
        fork_worlds(worlds);
        /* Each has its own time. */
        for (int k = 0; k < FORKS; k++)
            assert_int_equal(sosia_clock_advance(test_engine, worlds[k], k * 1000000, NULL), 0);
        check_series(worlds, &options[i]);
        drop_worlds(worlds);
    }
}

static void who_a_token_is_for_is_looked_up_where_the_rows_are_others(void **state)
{
    static const struct sosia_token_options opt = {.actor = "eve@acme.example"};
    static const char eve[] = "{\"sosia\":1,\"people\":[{\"email\":\"eve@acme.example\"}]}",
                      two[] = "{\"sosia\":1,\"people\":[{\"email\":\"zoe@acme.example\"},"
                              "{\"email\":\"eve@acme.example\"}]}";
    char token[SOSIA_TOKEN_MAX];
    struct token_series *s;
    uint64_t worlds[FORKS];
    fork_worlds(worlds);
    /* In the second she has another number, in the third she is nobody. */
    for (int i = 0; i < FORKS; i++)
        if (i != 2 && sosia_world_seed(test_engine, worlds[i], i == 1 ? two : eve,
                                       i == 1 ? sizeof two - 1 : sizeof eve - 1, NULL, NULL) < 0)
            fail_msg("no seed");
    assert_int_equal(token_series_new(test_engine, &opt, &s, &test_err), 0);
    for (int i = 0; i < FORKS; i++) {
        int rc = token_series_issue(s, worlds[i], token, sizeof token, &test_err);
        assert_int_equal(rc, i == 2 ? -1 : 0);
        if (i == 2) {
            assert_string_equal(test_err.reason, "actorNotFound");
            continue;
        }
        assert_int_equal(ask_world(worlds[i], "/any", token), 200);
        assert_true(says("eve@acme.example"));
    }
    sosia_world_drop(test_engine, worlds[0], NULL);
    assert_int_equal(token_series_issue(s, worlds[0], token, sizeof token, &test_err), -1);
    assert_string_equal(test_err.reason, "worldNotFound");
    assert_int_equal(token_series_issue(s, worlds[5], token, 40, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_TOO_LARGE);
    token_series_free(s);
    drop_worlds(worlds);
}

static void what_no_token_can_be_made_of_is_refused_in_a_series_too(void **state)
{
    static const struct {
        struct sosia_token_options opt;
        const char *where;
    } bad[] = {
        {{.actor = "nobody"}, "actor"},
        {{.actor = "deploy", .kind = "king"}, "kind"},
        {{.actor = "deploy", .prefix = "abc"}, "prefix"},
        {{.actor = "deploy", .ttl_us = -1}, "ttl"},
        {{.actor = "deploy", .value = "short"}, "value"},
        {{.actor = "deploy", .app = "none"}, "app"},
    };
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        char one[SOSIA_TOKEN_MAX];
        struct sosia_err usual;
        struct token_series *s;
        assert_int_equal(token_series_new(test_engine, &bad[i].opt, &s, &test_err), 0);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(token_series_issue(s, test_world, one, sizeof one, &test_err), -1);
            assert_int_equal(
                sosia_token_issue(test_engine, test_world, &bad[i].opt, one, sizeof one, &usual),
                -1);
            assert_string_equal(test_err.text, usual.text);
            assert_string_equal(test_err.where, bad[i].where);
        }
        token_series_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_actor_without_an_address_acts_by_its_handle),
        cmocka_unit_test(a_fixed_token_has_an_app_an_account_and_a_kind),
        cmocka_unit_test(a_method_takes_the_kinds_that_its_row_says),
        cmocka_unit_test(a_token_in_a_vendors_shape_leads_to_its_world),
        cmocka_unit_test(what_is_changed_in_such_a_token_is_noticed),
        cmocka_unit_test(a_prefix_has_to_end_a_segment),
        cmocka_unit_test(tokens_of_forks_are_those_that_each_would_get),
        cmocka_unit_test(who_a_token_is_for_is_looked_up_where_the_rows_are_others),
        cmocka_unit_test(what_no_token_can_be_made_of_is_refused_in_a_series_too),
        cmocka_unit_test(who_there_is_is_dumped_as_it_was_said),
        cmocka_unit_test(what_is_said_wrongly_is_refused),
        cmocka_unit_test(redirect_addresses_have_room_or_are_refused),
        cmocka_unit_test(an_address_is_one_persons_or_one_groups),
    };
    return cmocka_run_group_tests(tests, set_up, test_close_engine);
}
