/* SPDX-License-Identifier: Apache-2.0 */
/* The router: hosts, paths, verbs and keys in paths lead to rows; parameters are typed. */
#include "engine/http/param.h"
#include "engine/api/router.h"
#include "tests/support/unit.h"
#include <stdio.h>

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
    {.id = "a.list",
     .verbs = GET,
     .paths = PATHS("/a/v1/things"),
     .handler = never,
     .scopes = "x y"},
    {.id = "a.insert",
     .verbs = POST,
     .paths = PATHS("/a/v1/things"),
     .handler = never,
     .scopes = "y z"},
    {.id = "a.get",
     .verbs = GET,
     .paths = PATHS("/a/v1/things/{id}"),
     .handler = never,
     PARAMS(params)},
    {.id = "a.special", .verbs = POST, .paths = PATHS("/a/v1/things/special"), .handler = never},
    {.id = "a.send", .verbs = POST, .paths = PATHS("/a/v1/things/{id}:send"), .handler = never},
    {.id = "a.sub",
     .verbs = GET,
     .paths = PATHS("/a/v1/{kind}/{id}/sub"),
     .handler = never,
     PARAMS(wanted)},
    {.id = "a.part",
     .verbs = GET,
     .paths = PATHS("/a/v1/things/{thing}/parts/{id}"),
     .handler = never},
};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/a/v1", NULL};
static const struct front front = {.error = NULL};
static const struct vendor vendor = {.name = "a", .front = &front};
static const struct dialect dialect = {
    .name = "a", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};
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
    router_match(router, NULL, verb, path, strlen(path), m);
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

static const struct route twice[] = {
    {.id = "one", .verbs = GET, .paths = PATHS("/x/{a}"), .handler = never},
    {.id = "two", .verbs = GET, .paths = PATHS("/x/{b}"), .handler = never},
};
static const struct rows twice_rows = ROWS(twice);
static const struct dialect twice_dialect = {
    .name = "bad", .vendor = &vendor, .tables = TABLES(&twice_rows)};

static void two_rows_with_one_place_are_refused(void **state)
{
    static const struct dialect *const both[] = {&twice_dialect, NULL};
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

/* ---- several vendors ---- */

static const char *const odd_hosts[] = {"odd.example", "*.odd.example", NULL};
static const char *const even_hosts[] = {"even.example", NULL};
static const struct vendor odd = {
    .name = "odd", .hosts = odd_hosts, .front = &front, .ignore_case = true, .key_brackets = true};
static const struct vendor even = {.name = "even", .hosts = even_hosts, .front = &front};
static const struct route odd_routes[] = {
    {.id = "odd.user",
     .verbs = GET | PATCH,
     .paths = PATHS("/v1/users/{user}", "/v1/people/{user}"),
     .handler = never},
    {.id = "odd.attachments",
     .verbs = GET,
     .paths = PATHS("/v1/users/{user}/messages/{message}/attachments"),
     .handler = never},
    {.id = "odd.delta", .verbs = GET, .paths = PATHS("/v1/me/events/delta()"), .handler = never},
    {.id = "odd.range",
     .verbs = GET,
     .paths = PATHS("/v1/sheets/{sheet}/range(address={address},by={by})"),
     .handler = never},
    {.id = "odd.path", .verbs = GET, .paths = PATHS("/v1/root:/{path*}"), .handler = never},
    {.id = "odd.children",
     .verbs = GET,
     .paths = PATHS("/v1/root:/{path*}:/children"),
     .handler = never},
    {.id = "odd.token", .verbs = POST, .paths = PATHS("/token"), .handler = never},
};
static const struct rows odd_rows = ROWS(odd_routes);
static const struct route even_routes[] = {
    {.id = "even.token", .verbs = POST, .paths = PATHS("/token"), .handler = never},
    {.id = "even.Users", .verbs = GET, .paths = PATHS("/v2/Users"), .handler = never},
};
static const struct rows even_rows = ROWS(even_routes);
static const struct dialect odd_dialect = {
    .name = "odd", .vendor = &odd, .tables = TABLES(&odd_rows)};
static const struct dialect even_dialect = {
    .name = "even", .vendor = &even, .tables = TABLES(&even_rows)};
static const struct dialect *const two[] = {&odd_dialect, &even_dialect, NULL};

static struct router *vendors;

static int open_vendors(void **state)
{
    return router_open(two, &vendors, NULL);
}

static int close_vendors(void **state)
{
    router_close(vendors);
    return 0;
}

/* The row and the values of its path: "odd.user x". */
static const char *found(const struct vendor *v, enum verb verb, const char *path)
{
    static char text[512];
    struct match m;
    router_match(vendors, v, verb, path, strlen(path), &m);
    if (!m.route)
        return NULL;
    int n = snprintf(text, sizeof text, "%s", m.route->id);
    for (size_t i = 0; i < m.n_params; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %.*s=%.*s", (int)m.params[i].name_len,
                      m.params[i].name, (int)m.params[i].len, m.params[i].text);
    return text;
}

static void hosts_belong_to_vendors(void **state)
{
    static const char *const odds[] = {"odd.example", "ODD.example:443", "a.odd.example",
                                       "a.b.odd.example.", "x.Odd.Example:80"};
    static const char *const nobodys[] = {"localhost", "127.0.0.1:8787", "evenodd.example", "", ":",
                                          ".",         "example",        "a.even.example"};
    for (size_t i = 0; i < SOSIA_LEN(odds); i++)
        assert_ptr_equal(router_host(vendors, odds[i], strlen(odds[i])), &odd);
    for (size_t i = 0; i < SOSIA_LEN(nobodys); i++)
        assert_null(router_host(vendors, nobodys[i], strlen(nobodys[i])));
    assert_ptr_equal(router_host(vendors, "even.example", 12), &even);
}

static void a_path_of_two_vendors_is_distinguished_by_the_host(void **state)
{
    assert_string_equal(found(&odd, VERB_POST, "/token"), "odd.token");
    assert_string_equal(found(&even, VERB_POST, "/token"), "even.token");
    assert_string_equal(found(NULL, VERB_POST, "/token"), "odd.token"); /* the first in the list */
    assert_null(found(&even, VERB_GET, "/v1/users/x"));
    assert_string_equal(found(NULL, VERB_GET, "/v2/Users"), "even.Users");
    assert_null(found(&odd, VERB_GET, "/v2/Users"));
}

static void empty_segments_cost_nothing(void **state)
{
    static char path[1 << 16];
    memset(path, '/', sizeof path - 1);
    assert_null(found(&odd, VERB_GET, path));
    memcpy(path, "/v1", 3);
    memcpy(path + sizeof path - 8, "users/x", 7);
    assert_string_equal(found(&odd, VERB_GET, path), "odd.user user=x");
    memset(path, '/', sizeof path - 1);
    memcpy(path, "/v1/users/x", 11);
    assert_string_equal(found(&odd, VERB_GET, path), "odd.user user=x");
    memcpy(path, "/v1/root:/a", 11);
    assert_null(found(&odd, VERB_POST, path));
}

static void a_row_has_several_verbs_and_paths(void **state)
{
    assert_string_equal(found(&odd, VERB_GET, "/v1/users/x"), "odd.user user=x");
    assert_string_equal(found(&odd, VERB_PATCH, "/v1/people/x"), "odd.user user=x");
    assert_null(found(&odd, VERB_POST, "/v1/people/x"));
}

static void case_matters_but_where_the_vendor_says_otherwise(void **state)
{
    assert_string_equal(found(&odd, VERB_GET, "/V1/Users/X"), "odd.user user=X");
    assert_null(found(&even, VERB_GET, "/v2/users"));
}

static void keys_may_be_in_brackets(void **state)
{
    assert_string_equal(found(&odd, VERB_GET, "/v1/users('x')"), "odd.user user=x");
    assert_string_equal(found(&odd, VERB_GET, "/v1/users('QUE=')"), "odd.user user=QUE=");
    assert_string_equal(found(&odd, VERB_GET, "/v1/users(%27x%27)"), "odd.user user=x");
    assert_string_equal(found(&odd, VERB_GET, "/v1/users('a')/messages('b')/attachments"),
                        "odd.attachments user=a message=b");
    assert_string_equal(found(&odd, VERB_GET, "/v1/users/a/messages('b')/attachments"),
                        "odd.attachments user=a message=b");
    assert_null(found(&odd, VERB_GET, "/v1/users('x"));
    assert_null(found(&odd, VERB_GET, "/v1/users()"));
}

static void functions_take_arguments_by_name(void **state)
{
    assert_string_equal(found(&odd, VERB_GET, "/v1/me/events/delta"), "odd.delta");
    assert_string_equal(found(&odd, VERB_GET, "/v1/me/events/delta()"), "odd.delta");
    assert_null(found(&odd, VERB_GET, "/v1/me/events/delta(x)"));
    assert_string_equal(found(&odd, VERB_GET, "/v1/sheets/7/range(address='A1,B2',by=3)"),
                        "odd.range sheet=7 address=A1,B2 by=3");
    assert_string_equal(found(&odd, VERB_GET, "/v1/sheets/7/range(by=3,address='A1')"),
                        "odd.range sheet=7 address=A1 by=3");
    assert_null(found(&odd, VERB_GET, "/v1/sheets/7/range(address='A1')"));
    assert_null(found(&odd, VERB_GET, "/v1/sheets/7/range(address='A1',by=3,more=4)"));
}

static void a_path_may_be_escaped(void **state)
{
    assert_string_equal(found(&odd, VERB_GET, "/v1/root:/a/b.txt"), "odd.path path=a/b.txt");
    assert_string_equal(found(&odd, VERB_GET, "/v1/root:/a/b:/children"), "odd.children path=a/b");
    assert_string_equal(found(&odd, VERB_GET, "/v1/root:/a:/children"), "odd.children path=a");
    assert_null(found(&odd, VERB_GET, "/v1/root:"));
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
    router_match(router, NULL, VERB_GET, path, strlen(path), &m);
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

/* As Slack takes them: query, then form, then JSON, the later the stronger. */
static const enum param_place everywhere[] = {IN_QUERY, IN_FORM, IN_PART, IN_JSON, 0};
static const struct front arguments_front = {.arguments = everywhere};
static const struct param arguments[] = {
    {.name = "text", .place = IN_ARGUMENT},
    {.name = "blocks", .place = IN_ARGUMENT},
    {.name = "count", .place = IN_ARGUMENT, .type = PARAM_INT},
    {.name = "as", .place = IN_ARGUMENT, .repeated = true},
    {.name = "X-Kind", .place = IN_HEADER},
    {.name = "only", .place = IN_QUERY},
};
static const struct route arguments_route = {.id = "post", PARAMS(arguments)};

static int parse_arguments(struct call *c, const char *query, const char *type, const char *body)
{
    static struct sosia_header headers[2];
    static struct sosia_request request;
    static const struct match none;
    arena_reset(&arena);
    headers[0] = (struct sosia_header){"Content-Type", type};
    headers[1] = (struct sosia_header){"x-kind", "odd"};
    request = (struct sosia_request){.method = "POST",
                                     .headers = headers,
                                     .n_headers = 2,
                                     .body = body,
                                     .body_len = strlen(body)};
    *c = (struct call){.tx = {.arena = &arena, .err = &err},
                       .request = &request,
                       .front = &arguments_front,
                       .route = &arguments_route,
                       .query = query,
                       .query_len = strlen(query)};
    return arguments_read(c) < 0 ? -2 : params_parse(c, &none);
}

static void arguments_are_taken_from_the_strongest_place(void **state)
{
    struct call c;
    assert_int_equal(parse_arguments(&c, "text=query&only=1&as=1&as=2",
                                     "application/x-www-form-urlencoded", "text=form&count=3"),
                     0);
    assert_string_equal(param_str(&c, "text"), "form");
    assert_int_equal(param_num(&c, "count", 0), 3);
    assert_string_equal(param_str(&c, "X-Kind"), "odd");
    assert_string_equal(param_nth(&c, "as", 1)->text, "2");
    assert_true(c.form);
    assert_int_equal(parse_arguments(&c, "text=query&as=1", "application/json; charset=utf-8",
                                     "{\"text\":\"json\",\"count\":4,\"as\":\"3\",\"only\":\"no\","
                                     "\"blocks\":[{\"type\":\"divider\"}]}"),
                     0);
    assert_string_equal(param_str(&c, "text"), "json");
    assert_int_equal(param_num(&c, "count", 0), 4);
    assert_string_equal(param_str(&c, "blocks"), "[{\"type\":\"divider\"}]");
    assert_null(param_nth(&c, "as", 1)); /* of one place only */
    assert_false(param_given(&c, "only"));
    assert_int_equal(parse_arguments(&c, "", "multipart/form-data; boundary=x",
                                     "--x\r\nContent-Disposition: form-data; name=\"text\"; "
                                     "filename=\"a b\"\r\nContent-Type: text/plain\r\n\r\npart\r\n"
                                     "--x--\r\n"),
                     0);
    assert_string_equal(param_str(&c, "text"), "part");
    assert_string_equal(c.items[0].file, "a b");
    assert_string_equal(c.items[0].type, "text/plain");
}

static void arguments_that_cant_be_read_are_refused(void **state)
{
    struct call c;
    assert_int_equal(parse_arguments(&c, "", "application/json", "[1]"), -2);
    assert_string_equal(err.reason, "parseError");
    assert_int_equal(parse_arguments(&c, "", "application/json", "{"), -2);
    assert_int_equal(parse_arguments(&c, "", "application/x-www-form-urlencoded", "a=%"), -2);
    assert_string_equal(err.reason, "encoding");
    assert_int_equal(parse_arguments(&c, "", "multipart/form-data", "x"), -2);
    assert_int_equal(parse_arguments(&c, "", "text/plain", "{"), 0);
}

/* Of services that read them late. */
static void arguments_may_be_wrong_until_a_handler_asks(void **state)
{
    static const struct front late = {.arguments = everywhere, .late = true};
    static const struct front early = {.arguments = everywhere};
    static const struct param some[] = {
        {.name = "limit", .place = IN_QUERY, .type = PARAM_INT, .max = 10, .def = "5"},
        {.name = "sort", .place = IN_QUERY, .type = PARAM_ENUM, .values = colours},
        {.name = "view", .place = IN_QUERY, .type = PARAM_JSON, .shape = "object"},
        {.name = "users", .place = IN_QUERY, .type = PARAM_LIST},
    };
    static const struct route route = {.id = "list", PARAMS(some)};
    static const struct {
        const char *query, *name, *wrong;
    } cases[] = {
        {"limit=11", "limit", "range"},  {"limit=x", "limit", "invalid"},
        {"sort=grey", "sort", "enum"},   {"view=%7B", "view", "invalid"},
        {"users=a,b", "users", NULL},    {"view=%7B%7D", "view", NULL},
        {"sort=green", "sort", NULL},    {"limit=0", "limit", NULL},
        {"users=%5B%5D", "users", NULL},
    };
    static const struct match none;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        for (int k = 0; k < 2; k++) {
            struct call c = {.tx = {.arena = &arena, .err = &err},
                             .front = k ? &late : &early,
                             .route = &route,
                             .query = cases[i].query,
                             .query_len = strlen(cases[i].query)};
            const char *wrong = cases[i].wrong;
            if (k && strcmp(cases[i].name, "view") == 0)
                wrong = NULL; /* its handler reads it */
            arena_reset(&arena);
            assert_int_equal(query_parse(&c), 0);
            assert_int_equal(params_parse(&c, &none), wrong && !k ? -1 : 0);
            const struct param_value *v = param_nth(&c, cases[i].name, 0);
            assert_string_equal(v->wrong ? v->wrong : "", wrong ? wrong : "");
            if (!k && wrong)
                assert_string_equal(err.reason, wrong);
            /* a default is in the row alone */
            if (strcmp(cases[i].name, "limit") != 0)
                assert_int_equal(param_given(&c, "limit"), !k);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_find_their_rows),
        cmocka_unit_test(what_is_no_method_says_whose_it_would_be),
        cmocka_unit_test(two_rows_with_one_place_are_refused),
        cmocka_unit_test(scopes_have_numbers),
        cmocka_unit_test_setup_teardown(hosts_belong_to_vendors, open_vendors, close_vendors),
        cmocka_unit_test_setup_teardown(a_path_of_two_vendors_is_distinguished_by_the_host,
                                        open_vendors, close_vendors),
        cmocka_unit_test_setup_teardown(a_row_has_several_verbs_and_paths, open_vendors,
                                        close_vendors),
        cmocka_unit_test_setup_teardown(empty_segments_cost_nothing, open_vendors, close_vendors),
        cmocka_unit_test_setup_teardown(case_matters_but_where_the_vendor_says_otherwise,
                                        open_vendors, close_vendors),
        cmocka_unit_test_setup_teardown(keys_may_be_in_brackets, open_vendors, close_vendors),
        cmocka_unit_test_setup_teardown(functions_take_arguments_by_name, open_vendors,
                                        close_vendors),
        cmocka_unit_test_setup_teardown(a_path_may_be_escaped, open_vendors, close_vendors),
        cmocka_unit_test(parameters_are_decoded_and_typed),
        cmocka_unit_test(arguments_are_taken_from_the_strongest_place),
        cmocka_unit_test(arguments_that_cant_be_read_are_refused),
        cmocka_unit_test(arguments_may_be_wrong_until_a_handler_asks),
        cmocka_unit_test(names_are_those_of_the_row),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(broken_queries_are_refused),
    };
    arena_init(&arena, 0);
    int failed = cmocka_run_group_tests(tests, open_router, close_router);
    arena_done(&arena);
    return failed;
}
