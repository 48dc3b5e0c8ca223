/* SPDX-License-Identifier: Apache-2.0 */
/* Matchers: what they accept, what they don't, and their messages. */
#include "tests/support/unit.h"
#include "conformance/cassette/pattern.h"

static struct arena arena;
static struct captures captures;
static struct pattern_set set;
static struct sosia_err err;
static struct comparison last;
static const char *names_text; /* matchers of the test, as JSON; NULL: none */

static int open_all(void **state)
{
    arena_init(&arena, 0);
    captures_init(&captures, &arena);
    pattern_set_init(&set, &arena);
    names_text = NULL;
    return 0;
}

static int close_all(void **state)
{
    captures_done(&captures);
    pattern_set_done(&set);
    arena_done(&arena);
    return 0;
}

/* ' stands for ". */
static const struct json *json(const char *text)
{
    const struct json *v;
    char *copy = arena_strdup(&arena, text);
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    if (json_parse(&arena, copy, strlen(copy), NULL, &v, &err) < 0)
        fail_msg("%s in %s", err.text, copy);
    return v;
}

static void use_names(void)
{
    const struct json *v = json(names_text);
    struct pattern_name *names = arena_calloc(&arena, v->n, sizeof *names);
    struct doc *d = arena_calloc(&arena, 1, sizeof *d);
    *d = (struct doc){.arena = &arena, .text = "", .name = "names", .err = &err};
    for (uint32_t i = 0; i < v->n; i++)
        names[i] = (struct pattern_name){v->members[i].key, &v->members[i].value, d};
    set.names = names;
    set.n_names = v->n;
}

static const struct pattern *compile(const char *pattern)
{
    const struct pattern *p;
    struct doc d = {.arena = &arena, .text = "", .name = "t", .err = &err};
    if (names_text && !set.n_names)
        use_names();
    if (pattern_compile(&set, &d, json(pattern), &p) < 0)
        fail_msg("%s", err.text);
    return p;
}

/* The differences: "PATH KIND EXPECTED|GOT; ...". */
static const char *match_order(const char *pattern, const char *value, bool order)
{
    const struct pattern *p = compile(pattern);
    const char *out = "";
    comparison_init(&last, &arena, order);
    pattern_match(p, "$", value ? json(value) : NULL, &captures, &last);
    for (const struct difference *d = last.first; d; d = d->next)
        out = arena_printf(&arena, "%s%s%s %s %s|%s", out, *out ? "; " : "", d->path,
                           difference_names[d->kind], d->expected ? d->expected : "",
                           d->got ? d->got : "");
    assert_true(last.equal <= last.total);
    assert_int_equal(last.first == NULL, last.equal == last.total);
    return out;
}

static const char *match(const char *pattern, const char *value)
{
    return match_order(pattern, value, false);
}

static void know(const char *name, const char *value)
{
    assert_int_equal(pattern_set_know(&set, name), 0);
    assert_int_equal(captures_set(&captures, name, json(value)), 0);
}

static const char *captured(const char *name)
{
    struct buf b;
    struct json_writer w;
    const struct json *v = captures_get(&captures, name);
    if (!v)
        return NULL;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_value(&w, NULL, v);
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

#define takes(pattern, value)   assert_string_equal(match(pattern, value), "")
#define refuses(pattern, value) assert_string_not_equal(match(pattern, value), "")

static void literals_mean_themselves(void **state)
{
    takes("{'a':1,'b':'x','c':null,'d':true,'e':[1,'y'],'f':{}}",
          "{'f':{},'e':[1,'y'],'d':true,'c':null,'b':'x','a':1.0}");
    assert_int_equal(last.total, 7);
    assert_string_equal(match("{'a':1}", "{'a':'1'}"), "$.a type 1|\"1\"");
    assert_string_equal(match("{'a':1}", "{'a':2}"), "$.a value 1|2");
    assert_string_equal(match("[true]", "[false]"), "$[0] value true|false");
    assert_string_equal(match("{'a.b':'x'}", "{'a.b':'y'}"), "$[\"a.b\"] value \"x\"|\"y\"");
    takes("'$${a}'", "'${a}'");
    takes("'$${a} $'", "'${a} $'");
}

static void what_is_not_expected_is_a_difference(void **state)
{
    assert_string_equal(match("{'a':1}", "{'a':1,'b':{'c':[1,2]}}"),
                        "$.b unexpected |{\"c\":[1,2]}");
    assert_int_equal(last.total, 3);
    assert_int_equal(last.equal, 1);
    assert_string_equal(match("{'a':{'b':1,'c':2}}", "{}"), "$.a missing {\"b\":1,\"c\":2}|");
    assert_int_equal(last.total, 2);
    assert_string_equal(match("[1]", "[1,2]"), "$[1] unexpected |2");
    assert_string_equal(match("[1,2]", "[1]"), "$[1] missing 2|");
    assert_string_equal(match("{'a':[]}", "{'a':{}}"), "$.a type []|{}");
    assert_string_equal(match("{}", "[]"), "$ type {}|[]");
    assert_string_equal(match("'x'", NULL), "$ missing \"x\"|");
}

/* A reader of JSON takes the last; that there are two is a fault of the writer all the same. */
static void a_member_that_is_there_twice_is_a_difference(void **state)
{
    assert_string_equal(match("{'a':1,'b':2}", "{'a':3,'b':2,'a':1}"), "$.a unexpected |3");
    assert_string_equal(match("{'a':1,'...':'${any}'}", "{'a':1,'b':1,'b':2}"),
                        "$.b unexpected |1");
    assert_string_equal(match("[{'a':1}]", "[{'a':[1,2],'a':1}]"), "$[0].a unexpected |[1,2]");
    assert_int_equal(last.total - last.equal, 2);
}

static void whole_numbers_are_equal_to_the_last_digit(void **state)
{
    takes("[1,-5,9007199254740993,18446744073709551615]",
          "[1,-5,9007199254740993,18446744073709551615]");
    assert_string_equal(match("[9007199254740993]", "[9007199254740992]"),
                        "$[0] value 9007199254740993|9007199254740992");
    refuses("18446744073709551615", "18446744073709551614");
    takes("[1,0.5,100]", "[1.0,5e-1,1e2]");
    know("big", "9007199254740993");
    refuses("'${=big}'", "9007199254740992");
}

static void types_take_any_value_of_theirs(void **state)
{
    static const char *const values[] = {"null", "true", "1", "'x'", "[1]", "{'a':1}"};
    static const char *const types[] = {NULL, "bool", "number", "string", "array", "object"};
    for (size_t i = 0; i < 6; i++) {
        takes("'${any}'", values[i]);
        assert_int_equal(last.total, 1);
        for (size_t k = 1; k < 6; k++) {
            const char *pattern = arena_printf(&arena, "'${%s}'", types[k]);
            if (i == k)
                takes(pattern, values[i]);
            else
                refuses(pattern, values[i]);
        }
    }
    refuses("'${any}'", NULL);
}

static void forms_of_texts_are_matched_whole(void **state)
{
    takes("'${time}'", "'2026-11-24T10:00:00.123+01:00'");
    takes("'${time}'", "'2026-11-24T10:00:00Z'");
    refuses("'${time}'", "'2026-11-24T10:00:00'");
    refuses("'${time}'", "'x2026-11-24T10:00:00Z'");
    refuses("'${time}'", "20261124");
    takes("'${date}'", "'2026-11-24'");
    refuses("'${date}'", "'2026-11-24T'");
    takes("'${etag}'", "'\\'3590841600000000\\''");
    takes("'${etag}'", "'W/\\'x\\''");
    refuses("'${etag}'", "'3590841600000000'");
    takes("'${digits}'", "'0123'");
    takes("'${re:[a-v0-9]{26}}'", "'0123456789abcdefghijklmnop'");
    refuses("'${re:[a-v0-9]{26}}'", "'0123456789abcdefghijklmnopq'");
    refuses("'${re:a|b}'", "'ab'");
    refuses("'${re:a}'", "'a\\n'");
    takes("'${re:\\\\{x\\\\}}'", "'{x}'");
}

static void matchers_may_be_inside_of_texts(void **state)
{
    know("id", "'a.b'");
    takes("'${=id}@google.com'", "'a.b@google.com'");
    refuses("'${=id}@google.com'", "'axb@google.com'");
    refuses("'${=id}@google.com'", "'a.b@google.com '");
    takes("'(${digits}) [${string}]*'", "'(17) [x y]*'");
    refuses("'(${digits}) [${string}]*'", "'(x) [y]*'");
    takes("'${>left:digits}-${>right:re:[a-z]+}'", "'12-ab'");
    assert_string_equal(captured("left"), "\"12\"");
    assert_string_equal(captured("right"), "\"ab\"");
    takes("'${=left}${number}'", "'12-3.5'");
}

static void names_keep_values_with_their_types(void **state)
{
    takes("{'a':'${>n}','b':'${>o:object}','c':'${>t:time}'}",
          "{'a':3,'b':{'x':[1]},'c':'2026-11-24T10:00:00Z'}");
    assert_string_equal(captured("n"), "3");
    assert_string_equal(captured("o"), "{\"x\":[1]}");
    takes("['${=n}','${=o}']", "[3,{'x':[1]}]");
    assert_string_equal(match("'${=n}'", "'3'"), "$ value 3|\"3\"");
    assert_string_equal(match("'${=o}'", "{'x':[1,2]}"), "$ value {\"x\":[1]}|{\"x\":[1,2]}");
    takes("'${!=n}'", "4");
    refuses("'${!=n}'", "3");
    refuses("'${!=n}'", NULL);
    takes("{'a':'${>m}','b':'${=m}'}", "{'b':5,'a':5}");
    refuses("{'a':'${>m}','b':'${=m}'}", "{'b':6,'a':5}");
    takes("{'${>list}':['${each}','${number}']}", "[1,2]");
    assert_string_equal(captured("list"), "[1,2]");
    /* Where something else differs, what was captured is known all the same. */
    refuses("{'a':'${>late}','b':1}", "{'a':9,'b':2}");
    assert_string_equal(captured("late"), "9");
}

static void after_is_later_or_more(void **state)
{
    know("t", "'2026-11-24T10:00:00+01:00'");
    know("e", "'\\'3590841600000000\\''");
    know("n", "2");
    takes("'${after:t}'", "'2026-11-24T09:00:00.001Z'");
    refuses("'${after:t}'", "'2026-11-24T09:00:00Z'");
    takes("'${after:e}'", "'\\'3590841600000002\\''");
    refuses("'${after:e}'", "'\\'3590841600000000\\''");
    takes("'${after:n}'", "3");
    refuses("'${after:n}'", "2");
    refuses("'${after:n}'", "'x'");
}

static void what_may_be_missing_and_what_must(void **state)
{
    takes("{'a':'${optional}','b':1}", "{'b':1}");
    takes("{'a':'${optional}','b':1}", "{'a':null,'b':1}");
    takes("{'a':'${optional:number}'}", "{'a':1}");
    refuses("{'a':'${optional:number}'}", "{'a':'x'}");
    takes("{'a':{'${optional}':{'x':1}}}", "{}");
    assert_string_equal(match("{'a':{'${optional}':{'x':1}}}", "{'a':{'x':2}}"), "$.a.x value 1|2");
    takes("{'a':'${absent}','...':'${any}'}", "{'b':1}");
    assert_string_equal(match("{'a':'${absent}','...':'${any}'}", "{'a':1}"), "$.a unexpected |1");
    takes("{'${either}':[1,{'a':'${>x}'}]}", "{'a':7}");
    assert_string_equal(captured("x"), "7");
    refuses("{'${either}':[1,{'a':'${>x}'}]}", "2");
}

static void the_rest_of_an_object(void **state)
{
    takes("{'a':1,'...':'${any}'}", "{'a':1,'b':2,'c':{}}");
    assert_int_equal(last.total, 1);
    takes("{'a':1,'...':'${number}'}", "{'a':1,'b':2}");
    assert_string_equal(match("{'a':1,'...':'${number}'}", "{'a':1,'b':'x'}"),
                        "$.b type \"${number}\"|\"x\"");
    refuses("{'a':1,'...':'${absent}'}", "{'a':1,'b':2}");
}

static void matchers_of_a_cassette_and_what_goes_before_them(void **state)
{
    names_text =
        "{'id':'${re:[a-z]+}','event':{'kind':'event','id':'${id}','n':0,'...':'${absent}'},"
        "'loose':{'kind':'event','...':'${any}'},'pair':['${id}','${id}']}";
    takes("'${event}'", "{'kind':'event','id':'abc','n':0}");
    assert_string_equal(match("'${event}'", "{'kind':'event','id':'a1','n':0}"),
                        "$.id value \"${re:[a-z]+}\"|\"a1\"");
    takes("{'n':3,'extra':true,'...':'${event}'}",
          "{'kind':'event','id':'abc','n':3,'extra':true}");
    refuses("{'n':3,'...':'${event}'}", "{'kind':'event','id':'abc','n':0}");
    takes("{'n':'${absent}','...':'${event}'}", "{'kind':'event','id':'abc'}");
    refuses("{'n':'${absent}','...':'${event}'}", "{'kind':'event','id':'abc','n':0}");
    refuses("{'...':'${event}'}", "{'kind':'event','id':'abc','n':0,'more':1}");
    takes("{'...':'${loose}'}", "{'kind':'event','more':1}");
    takes("'x-${id}'", "'x-abc'");
    takes("'${>got:id}'", "'abc'");
    assert_string_equal(captured("got"), "\"abc\"");
    takes("'${pair}'", "['a','b']");
}

static void lists_in_order_and_in_none(void **state)
{
    takes("[1,2,'...']", "[1,2,3,4]");
    refuses("[1,2,'...']", "[1]");
    takes("['${unordered}',{'a':1},{'a':2}]", "[{'a':2},{'a':1}]");
    assert_string_equal(match("['${unordered}',1,2]", "[2,3]"), "$[1] value 1|3");
    assert_string_equal(match("['${unordered}',1]", "[2,1]"), "$[0] unexpected |2");
    assert_string_equal(match("['${unordered}',1,2]", "[2]"), "$[0] missing 1|");
    takes("['${contains}',2]", "[1,2,3]");
    refuses("['${contains}',4]", "[1,2,3]");
    takes("['${each}','${number}']", "[1,2]");
    takes("['${each}','${number}']", "[]");
    assert_string_equal(match("['${each}','${number}']", "[1,'x']"),
                        "$[1] type \"${number}\"|\"x\"");
    refuses("['${contains}',1]", "{}");
}

/* The first pattern could take either item; taking the wrong one must not lose the other. */
static void items_in_no_order_are_given_to_patterns_that_need_them(void **state)
{
    takes("['${unordered}','${number}',1]", "[1,2]");
    takes("['${unordered}','${any}','${number}',1]", "[1,2,'x']");
    takes("['${unordered}',{'a':'${>first}','b':1},{'a':'${>second}','b':2}]",
          "[{'a':'two','b':2},{'a':'one','b':1}]");
    assert_string_equal(captured("first"), "\"one\"");
    assert_string_equal(captured("second"), "\"two\"");
}

static void the_order_of_members_counts_if_it_shall(void **state)
{
    assert_string_equal(match_order("{'a':1,'b':2,'c':3}", "{'a':1,'b':2,'c':3}", true), "");
    assert_string_equal(match_order("{'a':1,'b':2,'c':3}", "{'b':2,'a':1,'c':3}", true),
                        "$.a order before b|");
    assert_string_equal(match_order("{'a':1,'b':2}", "{'b':2,'a':1}", false), "");
}

static void bodies_that_are_no_json(void **state)
{
    const struct pattern *p = compile("{'${lines}':['HTTP/1.1 ${digits} OK','','${>rest:any}']}");
    assert_true(pattern_is_text(p));
    comparison_init(&last, &arena, false);
    pattern_match_text(p, "$", "HTTP/1.1 200 OK\r\n\r\nx\ny", 22, &captures, &last);
    assert_null(last.first);
    assert_string_equal(captured("rest"), "\"x\\ny\"");
    comparison_init(&last, &arena, false);
    /* no byte is lost, though it is not text */
    pattern_match_text(compile("{'${text}':'a\xEF\xBF\xBD\xEF\xBF\xBD'}"), "$", "a\xFF\0", 3,
                       &captures, &last);
    assert_null(last.first);
    comparison_init(&last, &arena, false);
    pattern_match_text(compile("{'${text}':'a'}"), "$", "a\0b", 3, &captures, &last);
    assert_string_equal(last.first->got, "\"a\xEF\xBF\xBD"
                                         "b\"");
    comparison_init(&last, &arena, false);
    pattern_match_text(compile("{'a':1}"), "$", "<html>", 6, &captures, &last);
    assert_int_equal(last.first->kind, DIFFERENCE_BODY);
    comparison_init(&last, &arena, false);
    pattern_match_text(compile("'${any}'"), "$", "<html>", 6, &captures, &last);
    assert_null(last.first);
}

/* Backtracking without end is a difference, not a run without end. */
static void a_regular_expression_that_never_ends_is_given_up(void **state)
{
    refuses("'${re:(a+)+(b+)+c}'",
            "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'");
}

static void what_matchers_took_is_noted(void **state)
{
    takes("{'a':'${time}','b':'x','c':['${any}'],'...':'${any}'}",
          "{'a':'2026-11-24T10:00:00Z','b':'x','c':[1],'d':2}");
    const char *paths = "";
    for (const struct normalised *n = last.normalised; n; n = n->next)
        paths = arena_printf(&arena, "%s %s", paths, n->path);
    assert_string_equal(paths, " $.a $.c[0] $.d");
}

static const char *values(const char *expected, const char *got, const char *loose_path, bool order)
{
    const char *out = "";
    struct map loose;
    map_init(&loose);
    if (loose_path)
        map_set(&loose, loose_path, &loose);
    comparison_init(&last, &arena, order);
    last.loose = &loose;
    comparison_values(&last, "$", json(expected), json(got));
    for (const struct difference *d = last.first; d; d = d->next)
        out = arena_printf(&arena, "%s%s%s %s", out, *out ? "; " : "", d->path,
                           difference_names[d->kind]);
    map_done(&loose);
    return out;
}

static void values_are_compared_by_form_where_they_may_differ(void **state)
{
    assert_string_equal(values("{'a':1,'b':[1,2]}", "{'b':[1,3],'c':1}", NULL, false),
                        "$.a missing; $.b[1] value; $.c unexpected");
    assert_string_equal(values("{'a':{'x':1,'y':'a'}}", "{'a':{'x':2,'y':'b'}}", "$.a", false), "");
    assert_string_equal(values("{'a':{'x':1}}", "{'a':{'x':'1'}}", "$.a", false), "$.a.x type");
    assert_string_equal(values("{'a':{'x':1}}", "{'a':{}}", "$.a", false), "$.a.x missing");
    assert_string_equal(values("{'a':1,'b':2}", "{'b':2,'a':1}", NULL, true), "$.a order");
    assert_string_equal(values("{'a':1}", "{'a':2,'a':1}", NULL, false), "$.a unexpected");
    assert_string_equal(values("{'a':2,'a':1}", "{'a':1}", NULL, false), "");
}

/* ---- requests ---- */

static const char *actor_text(void *arg, const char *what, const char *name)
{
    if (strcmp(name, "ada") != 0)
        return NULL;
    return strcmp(what, "token") == 0 ? "tok/en" : "ada@x.example";
}

static void requests_are_filled_in(void **state)
{
    struct template_names names = {.captures = &captures, .actor = actor_text, .now_us = 0};
    const char *text, *type;
    struct buf b;
    know("id", "'a/b c'");
    know("n", "5");
    know("o", "{'x':1}");
    assert_int_equal(template_text(&arena, "/e/${=id}?n=${=n}&$${x", &names, true, &text, &err), 0);
    assert_string_equal(text, "/e/a%2Fb%20c?n=5&${x");
    assert_int_equal(template_text(&arena, "${token:ada} ${email:ada}", &names, false, &text, &err),
                     0);
    assert_string_equal(text, "tok/en ada@x.example");
    assert_int_equal(
        template_text(&arena, "${now+2h} ${now-1d} ${now}", &names, false, &text, &err), 0);
    assert_string_equal(
        text, "1970-01-01T02:00:00.000Z 1969-12-31T00:00:00.000Z 1970-01-01T00:00:00.000Z");
    assert_int_equal(template_text(&arena, "${=nothing}", &names, false, &text, &err), -1);
    assert_int_equal(template_text(&arena, "${=o}", &names, false, &text, &err), -1);
    assert_int_equal(template_text(&arena, "${token:eve}", &names, false, &text, &err), -1);
    buf_init(&b, 0);
    assert_int_equal(template_body(&arena, &b, json("{'a':['${=n}','n${=n}','${=o}'],'b':null}"),
                                   &names, &type, &err),
                     0);
    assert_string_equal(buf_str(&b), "{\"a\":[5,\"n5\",{\"x\":1}],\"b\":null}");
    assert_string_equal(type, "application/json");
    buf_clear(&b);
    assert_int_equal(template_body(&arena, &b, json("{'${form}':{'a b':'${=id}','c':'&'}}"), &names,
                                   &type, &err),
                     0);
    assert_string_equal(buf_str(&b), "a%20b=a%2Fb%20c&c=%26");
    assert_string_equal(type, "application/x-www-form-urlencoded");
    buf_clear(&b);
    assert_int_equal(
        template_body(&arena, &b, json("{'${lines}':['a','','${=n}']}"), &names, &type, &err), 0);
    assert_string_equal(buf_str(&b), "a\r\n\r\n5");
    buf_done(&b);
    assert_string_equal(pattern_escape(&arena, "a${b}$"), "a$${b}$");
}

#define pattern_test(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        pattern_test(literals_mean_themselves),
        pattern_test(what_is_not_expected_is_a_difference),
        pattern_test(a_member_that_is_there_twice_is_a_difference),
        pattern_test(whole_numbers_are_equal_to_the_last_digit),
        pattern_test(types_take_any_value_of_theirs),
        pattern_test(forms_of_texts_are_matched_whole),
        pattern_test(matchers_may_be_inside_of_texts),
        pattern_test(names_keep_values_with_their_types),
        pattern_test(after_is_later_or_more),
        pattern_test(what_may_be_missing_and_what_must),
        pattern_test(the_rest_of_an_object),
        pattern_test(matchers_of_a_cassette_and_what_goes_before_them),
        pattern_test(lists_in_order_and_in_none),
        pattern_test(items_in_no_order_are_given_to_patterns_that_need_them),
        pattern_test(the_order_of_members_counts_if_it_shall),
        pattern_test(bodies_that_are_no_json),
        pattern_test(a_regular_expression_that_never_ends_is_given_up),
        pattern_test(what_matchers_took_is_noted),
        pattern_test(values_are_compared_by_form_where_they_may_differ),
        pattern_test(requests_are_filled_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
