/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/param.h"
#include "engine/http/router.h"
#include "tests/support/unit.h"

static int never(struct call *c)
{
    return -1;
}

static const char *const colours[] = {"red", "green", NULL};
static const struct param params[] = {
    {.name = "id", .place = IN_PATH},
    {.name = "max", .place = IN_QUERY, .type = PARAM_INT, .def = "250", .min = 1, .max = 2500},
    {.name = "since", .place = IN_QUERY, .type = PARAM_DATETIME},
    {.name = "colour", .place = IN_QUERY, .type = PARAM_ENUM, .values = colours, .repeated = true},
    {.name = "flag", .place = IN_QUERY, .type = PARAM_BOOL},
};
static const struct param wanted[] = {{.name = "text", .place = IN_QUERY, .required = true}};

static const struct route routes[] = {
    {.id = "a.list", .verb = VERB_GET, .path = "/a/v1/things", .handler = never, .scopes = "x y"},
    {.id = "a.insert",
     .verb = VERB_POST,
     .path = "/a/v1/things",
     .handler = never,
     .scopes = "y z"},
    {.id = "a.get",
     .verb = VERB_GET,
     .path = "/a/v1/things/{id}",
     .handler = never,
     PARAMS(params)},
    {.id = "a.special", .verb = VERB_POST, .path = "/a/v1/things/special", .handler = never},
    {.id = "a.send", .verb = VERB_POST, .path = "/a/v1/things/{id}:send", .handler = never},
    {.id = "a.sub",
     .verb = VERB_GET,
     .path = "/a/v1/{kind}/{id}/sub",
     .handler = never,
     PARAMS(wanted)},
    {.id = "a.part", .verb = VERB_GET, .path = "/a/v1/things/{thing}/parts/{id}", .handler = never},
};
static const char *const prefixes[] = {"/a/v1", NULL};
static const struct front front = {.error = NULL};
static const struct vendor vendor = {.name = "a", .front = &front};
static const struct dialect dialect = {.name = "a",
                                       .vendor = &vendor,
                                       .prefixes = prefixes,
                                       .routes = routes,
                                       .n_routes = SOSIA_LEN(routes)};
static const struct dialect *const dialects[] = {&dialect, NULL};

static struct router *router;

static int open_router(void **state)
{
    return router_open(dialects, &router, NULL);
}

static int close_router(void **state)
{
    router_close(router);
    return 0;
}

static const char *id_of(enum verb verb, const char *path, struct match *m)
{
    router_match(router, verb, path, strlen(path), m);
    return m->route ? m->route->id : NULL;
}

static void paths_find_their_rows(void **state)
{
    struct match m;
    assert_string_equal(id_of(VERB_GET, "/a/v1/things", &m), "a.list");
    assert_string_equal(id_of(VERB_GET, "/a/v1/things/7%2F8", &m), "a.get");
    assert_int_equal(m.params[0].len, 5);
    assert_memory_equal(m.params[0].text, "7%2F8", 5);
    assert_string_equal(id_of(VERB_POST, "/a/v1/things/7:send", &m), "a.send");
    assert_int_equal(m.params[0].len, 1);
    /* A literal wins, and a literal that leads nowhere does not hide the parameter. */
    assert_string_equal(id_of(VERB_POST, "/a/v1/things/special", &m), "a.special");
    assert_string_equal(id_of(VERB_GET, "/a/v1/things/special", &m), "a.get");
    assert_string_equal(id_of(VERB_GET, "/a/v1/things/7/sub", &m), "a.sub");
    assert_int_equal(m.n_params, 2);
}

static void what_is_no_method_says_whose_it_would_be(void **state)
{
    struct match m;
    assert_null(id_of(VERB_DELETE, "/a/v1/things", &m));
    assert_true(m.path_known);
    assert_ptr_equal(m.dialect, &dialect);
    assert_null(id_of(VERB_GET, "/a/v1/nothing", &m));
    assert_false(m.path_known);
    assert_ptr_equal(m.dialect, &dialect);
    const char *nobodys[] = {"/b", "", "/", "//", "/a", "/a/v1/things/", "/a/v1//things"};
    for (size_t i = 0; i < SOSIA_LEN(nobodys); i++)
        assert_null(id_of(VERB_GET, nobodys[i], &m));
}

static void two_rows_with_one_place_are_refused(void **state)
{
    static const struct route twice[] = {
        {.id = "one", .verb = VERB_GET, .path = "/x/{a}", .handler = never},
        {.id = "two", .verb = VERB_GET, .path = "/x/{b}", .handler = never},
    };
    static const struct dialect bad = {
        .name = "bad", .vendor = &vendor, .routes = twice, .n_routes = 2};
    static const struct dialect *const both[] = {&bad, NULL};
    struct router *r;
    struct sosia_err err;
    assert_int_equal(router_open(both, &r, &err), -1);
    assert_non_null(strstr(err.text, "one"));
}

static void scopes_have_numbers(void **state)
{
    int x = router_scope(router, "x", 1), y = router_scope(router, "y", 1),
        z = router_scope(router, "z", 1);
    assert_true(x >= 0 && y >= 0 && z >= 0 && x != y && y != z && x != z);
    assert_int_equal(router_scope(router, "w", 1), -1);
}

/* ---- parameters ---- */

static struct arena arena;
static struct sosia_err err;

static int parse(struct call *c, const char *path, const char *query)
{
    struct match m;
    arena_reset(&arena);
    *c = (struct call){
        .tx = {.arena = &arena, .err = &err}, .query = query, .query_len = strlen(query)};
    router_match(router, VERB_GET, path, strlen(path), &m);
    c->route = m.route;
    return query_parse(c) < 0 ? -2 : params_parse(c, &m);
}

static void parameters_are_decoded_and_typed(void **state)
{
    struct call c;
    assert_int_equal(parse(&c, "/a/v1/things/a%20%C3%A9",
                           "max=7&since=2026-11-23T10%3A00%3A00%2B01:00&colour=green&colour=red&"
                           "flag=true&more=x+y"),
                     0);
    assert_string_equal(param_str(&c, "id"), "a \xc3\xa9");
    assert_int_equal(param_num(&c, "max", 0), 7);
    assert_true(param_num(&c, "since", 0) == INT64_C(1795424400000000));
    assert_int_equal(param_nth(&c, "colour", 0)->number, 1);
    assert_int_equal(param_nth(&c, "colour", 1)->number, 0);
    assert_null(param_nth(&c, "colour", 2));
    assert_true(param_bool(&c, "flag"));
    assert_string_equal(call_query_item(&c, "more"), "x y");
    assert_int_equal(parse(&c, "/a/v1/things/a", ""), 0);
    assert_int_equal(param_num(&c, "max", 0), 250);
    assert_false(param_given(&c, "since"));
}

static void names_are_those_of_the_row(void **state)
{
    struct match m;
    assert_string_equal(id_of(VERB_GET, "/a/v1/things/7/parts/8", &m), "a.part");
    assert_int_equal(m.n_params, 2);
    assert_int_equal(m.params[0].name_len, 5);
    assert_memory_equal(m.params[0].name, "thing", 5);
    assert_memory_equal(m.params[0].text, "7", 1);
    assert_int_equal(m.params[1].name_len, 2);
    assert_memory_equal(m.params[1].name, "id", 2);
    assert_string_equal(id_of(VERB_GET, "/a/v1/things/7", &m), "a.get");
    assert_memory_equal(m.params[0].name, "id", 2);
}

static void bad_parameters_are_named(void **state)
{
    static const struct {
        const char *query, *where, *reason;
    } cases[] = {
        {"max=0", "max", "range"},
        {"max=2501", "max", "range"},
        {"max=x", "max", "invalid"},
        {"max=", "max", "invalid"},
        {"max=99999999999999999999", "max", "invalid"},
        {"since=tomorrow", "since", "invalid"},
        {"since=2026-11-23T10:00:00", "since", "invalid"},
        {"colour=blue", "colour", "enum"},
        {"flag=yes", "flag", "invalid"},
    };
    struct call c;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        assert_int_equal(parse(&c, "/a/v1/things/a", cases[i].query), -1);
        assert_string_equal(err.where, cases[i].where);
        assert_string_equal(err.reason, cases[i].reason);
    }
    assert_int_equal(parse(&c, "/a/v1/things/7/sub", "other=1"), -1);
    assert_string_equal(err.reason, "required");
}

static void broken_queries_are_refused(void **state)
{
    static const char *const bad[] = {"a=%", "a=%0", "%zz=1", "a=%00", "a=%FF", "a=%C0%80"};
    struct call c;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(parse(&c, "/a/v1/things", bad[i]), -2);
    char many[4096];
    memset(many, '&', sizeof many);
    many[sizeof many - 1] = 0;
    assert_int_equal(parse(&c, "/a/v1/things", many), -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_find_their_rows),
        cmocka_unit_test(what_is_no_method_says_whose_it_would_be),
        cmocka_unit_test(two_rows_with_one_place_are_refused),
        cmocka_unit_test(scopes_have_numbers),
        cmocka_unit_test(parameters_are_decoded_and_typed),
        cmocka_unit_test(names_are_those_of_the_row),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(broken_queries_are_refused),
    };
    arena_init(&arena, 0);
    int failed = cmocka_run_group_tests(tests, open_router, close_router);
    arena_done(&arena);
    return failed;
}
