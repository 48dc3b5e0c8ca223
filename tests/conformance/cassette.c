/* SPDX-License-Identifier: Apache-2.0 */
/* Reading cassettes: those of the project, broken ones, and what is written again. */
#include "tests/support/unit.h"
#include "conformance/cassette/cassette.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct sosia_err err;

/* ---- helpers ---- */

/* ' stands for ". */
static char *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    return copy;
}

static struct cassette *parse(const char *text)
{
    char *copy = quoted(text);
    struct cassette *c = NULL;
    memset(&err, 0, sizeof err);
    if (cassette_parse("t.json", copy, strlen(copy), &c, &err) < 0)
        c = NULL;
    free(copy);
    return c;
}

#define HEAD                                                                                       \
    "{'cassette':1,'title':'t','world':'small','actors':{'ada':'ada@small.example'},'as':'ada',\n"

/* Steps behind HEAD; the first is on line 2. */
static struct cassette *steps(const char *list)
{
    char text[4096];
    snprintf(text, sizeof text, HEAD "'steps':[%s]}", list);
    return parse(text);
}

static void assert_good(struct cassette *c)
{
    if (!c)
        fail_msg("%s", err.text);
    cassette_free(c);
}

static void assert_broken(struct cassette *c, const char *message)
{
    if (c)
        fail_msg("taken, though: %s", message);
    assert_string_equal(err.text, message);
}

/* ---- those of the project ---- */

static int load_one(void *arg, const char *file, const char *name, struct sosia_err *e)
{
    struct cassette *c;
    int *n = arg;
    if (cassette_load(file, &c, e) < 0)
        return -1;
    assert_non_null(strchr(name, '/'));
    (*n)++;
    cassette_free(c);
    return 0;
}

static void every_cassette_of_the_project_can_be_read(void **state)
{
    const char *dir = getenv("SOSIA_CASSETTES");
    int n = 0;
    assert_non_null(dir);
    if (cassette_each(&dir, 1, load_one, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(n >= 2);
}

/* ---- what is read ---- */

static void a_step_has_what_is_in_it(void **state)
{
    struct cassette *c = parse(
        "{'cassette':1,'title':'t','base':'/calendar/v3','order':true,"
        "'source':{'kind':'recorded','date':'2026-03-12'},"
        "'world':{'fixture':'small','time':'2026-01-01T00:00:00Z','step':'2m','id_seed':7},"
        "'actors':{'ada':'ada@small.example','app':{'email':'bo@small.example','scopes':'a b'}},"
        "'let':{'n':3},"
        "'steps':[{'id':'one','rules':['GC-01','GC-02'],'as':'app','note':'x','only':'sosia',"
        "'call':'GET /calendars/primary/events?x=${=n}','query':{'a':['1','2'],'b':true,'c':5},"
        "'headers':{'X-A':'b'},'source':{'kind':'rule','id':'GC-01','observed':true},"
        "'expect':{'status':404,'headers':{'ETag':'${etag}'},'body':{'a':1}}},"
        "{'advance':'90s'},{'reset':true},{'revoke':'ada'},{'seed':{'sosia':1}},"
        "{'id':'two','outbox':[]},"
        "{'id':'three','as':null,'call':'DELETE /calendars/primary/events/a','expect':204}]}");
    assert_non_null(c);
    assert_int_equal(c->n_steps, 7);
    const struct cassette_step *s = &c->steps[0];
    assert_string_equal(s->method, "calendar.events.list");
    assert_string_equal(s->path, "/calendar/v3/calendars/primary/events?x=${=n}");
    assert_string_equal(s->verb, "GET");
    assert_string_equal(s->actor, "app");
    assert_int_equal(s->n_query, 4);
    assert_string_equal(s->query[1].name, "a");
    assert_string_equal(s->query[1].text, "2");
    assert_string_equal(s->query[2].text, "true");
    assert_string_equal(s->query[3].text, "5");
    assert_int_equal(s->n_rules, 2);
    assert_int_equal(s->status, 404);
    assert_int_equal(s->source.kind, SOURCE_RULE);
    assert_true(s->source.observed);
    assert_int_equal(s->only, ONLY_SOSIA);
    assert_int_equal(s->line, 1);
    assert_int_equal(c->source.kind, SOURCE_RECORDED);
    assert_int_equal(c->steps[6].source.kind, SOURCE_RECORDED);
    assert_int_equal(c->world.step_us, 120000000);
    assert_int_equal(c->world.id_seed, 7);
    assert_true(c->order);
    assert_int_equal(c->steps[1].advance_us, 90000000);
    assert_int_equal(c->steps[2].kind, STEP_RESET);
    assert_string_equal(c->steps[3].revoke, "ada");
    assert_int_equal(c->steps[5].kind, STEP_OUTBOX);
    assert_null(c->steps[6].actor);
    assert_int_equal(c->steps[6].status, 204);
    assert_null(c->steps[6].body);
    assert_string_equal(cassette_actor(c, "app")->scopes, "a b");
    assert_null(cassette_actor(c, "eve"));
    cassette_free(c);
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[256];
    char *copy = quoted(text);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(copy, f);
    fclose(f);
    free(copy);
}

static struct cassette *load_in(const char *dir, const char *name)
{
    char path[256];
    struct cassette *c = NULL;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return cassette_load(path, &c, &err) < 0 ? NULL : c;
}

static void what_is_extended_holds_unless_said_otherwise(void **state)
{
    char dir[] = "/tmp/sosia-cassette-XXXXXX", path[256];
    assert_non_null(mkdtemp(dir));
    write_file(dir, "_base.json",
               "{'cassette':1,'world':'small','base':'/x','as':'ada','let':{'n':1},"
               "'actors':{'ada':'a@x.example','bob':'b@x.example'},"
               "'matchers':{'id':'${re:[a-z]+}','thing':{'id':'${id}','n':1}}}");
    write_file(dir, "one.json",
               "{'cassette':1,'title':'t','extends':'_base.json','actors':{'bob':'c@x.example'},"
               "'matchers':{'id':'${re:[0-9]+}'},'steps':[{'id':'a','call':'GET /y',"
               "'expect':{'body':'${thing}'}}]}");
    write_file(dir, "bad.json",
               "{'cassette':1,'title':'t','extends':'_worse.json','steps':[{'id':'a',"
               "'call':'GET /y','expect':200}]}");
    write_file(dir, "_worse.json",
               "{'cassette':1,\n'world':'small',\n'matchers':{\n'x':'${nope}'}}");
    struct cassette *c = load_in(dir, "one.json");
    if (!c)
        fail_msg("%s", err.text);
    assert_string_equal(c->steps[0].path, "/x/y");
    assert_string_equal(cassette_actor(c, "bob")->email, "c@x.example");
    assert_string_equal(cassette_actor(c, "ada")->email, "a@x.example");
    assert_int_equal(c->n_actors, 2);
    assert_string_equal(c->name, "one");
    cassette_free(c);
    assert_null(load_in(dir, "bad.json"));
    snprintf(path, sizeof path, "%s/_worse.json:4: matchers.x: unknown matcher \"${nope}\"", dir);
    assert_string_equal(err.text, path);
    for (size_t i = 0; i < 4; i++) {
        static const char *const names[] = {"_base.json", "one.json", "bad.json", "_worse.json"};
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

/* ---- what is refused ---- */

static void text_that_is_no_json_is_refused_by_line(void **state)
{
    assert_broken(parse("{'cassette':1,\n 'title' 't'}"),
                  "t.json:2: unexpected character '\"' where a colon was expected");
    assert_broken(parse(""), "t.json:1: unexpected end where a value was expected");
    assert_broken(parse("{'cassette':1,\n\n'cassette':1}"), err.text);
    assert_non_null(strstr(err.text, "t.json:3: "));
}

static void members_nobody_knows_and_missing_ones_are_refused(void **state)
{
    assert_broken(parse("{'cassette':2,'title':'t'}"),
                  "t.json:1: cassette: must be 1, the version of the format");
    assert_broken(parse("{'cassette':1,'title':'t','world':'small'}"),
                  "t.json:1: steps: must be a list of steps");
    assert_broken(parse("{'cassette':1,'title':'t','steps':[]}"), "t.json:1: world: is missing");
    assert_broken(parse("{'cassette':1,'world':'small','steps':[]}"),
                  "t.json:1: title: is missing");
    parse(HEAD "'stepz':[]}");
    assert_non_null(strstr(err.text, "t.json:2: stepz: there is no such field"));
    parse("{'cassette':1,'title':'t','world':{'fixture':'a','seed':{}},'steps':[]}");
    assert_non_null(strstr(err.text, "world: takes one of"));
    assert_broken(steps("{'id':'a','call':'GET /x'}"), "t.json:2: steps[0].expect: is missing");
    assert_broken(steps("{'call':'GET /x','expect':200}"), "t.json:2: steps[0].id: is missing");
    assert_broken(
        steps("{'id':'a','call':'GET x','expect':200}"),
        "t.json:2: steps[0].call: must be a verb, a space and a path, such as \"GET /x\"");
    assert_broken(
        steps("{'id':'a','call':'FETCH /x','expect':200}"),
        "t.json:2: steps[0].call: must be a verb, a space and a path, such as \"GET /x\"");
    assert_broken(steps("{'id':'a b','call':'GET /x','expect':200}"),
                  "t.json:2: steps[0].id: is not a name (letters, digits, - and _)");
    assert_broken(steps("{'advance':'soon'}"),
                  "t.json:2: steps[0].advance: \"soon\" is not a time such as 90s, 15m, 2h or 3d");
    assert_broken(steps("{'id':'a','call':'GET /x','as':'eve','expect':200}"),
                  "t.json:2: steps[0].as: there is no actor \"eve\"");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':700}"),
                  "t.json:2: steps[0].expect: must be a status from 100 to 599");
    assert_broken(parse("{'cassette':1,'title':'t','world':'small','source':{'kind':'recorded'},"
                        "'steps':[]}"),
                  "t.json:1: source.date: is missing: when was this recorded?");
}

static void what_contradicts_itself_is_refused(void **state)
{
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'status':204,\n'body':{}}}"),
                  "t.json:3: steps[0].expect.body: contradicts status 204, which has no body");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'status':304,'body':'${any}'}}"),
                  "t.json:2: steps[0].expect.body: contradicts status 304, which has no body");
    assert_broken(steps("{'id':'a','call':'HEAD /x','expect':{'body':'${any}'}}"),
                  "t.json:2: steps[0].expect.body: contradicts HEAD, whose answers have none");
    assert_broken(steps("{'id':'a','call':'GET /x','send':{},'expect':200}"),
                  "t.json:2: steps[0].send: a GET has no body");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':'${absent}'}}"),
                  "t.json:2: steps[0].expect.body: leave \"body\" out where none may come");
    assert_broken(steps("{'advance':'1h','reset':true}"),
                  "t.json:2: steps[0]: does two things: make two steps of it");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':200},\n"
                        "{'id':'a','call':'GET /x','expect':200}"),
                  "t.json:3: steps[1].id: \"a\" is the id of another step");
    assert_broken(steps("{'id':'a','method':'calendar.events.get',"
                        "'call':'GET /calendar/v3/calendars/primary/events','expect':200}"),
                  "t.json:2: steps[0].method: contradicts \"call\", which is calendar.events.list");
    assert_broken(steps("{'id':'a','method':'calendar.events.steal','call':'GET /x','expect':200}"),
                  "t.json:2: steps[0].method: there is no method \"calendar.events.steal\"");
    assert_good(steps("{'id':'a','method':'calendar.events.patch','call':'POST "
                      "/calendar/v3/calendars/primary/events/x','headers':"
                      "{'X-HTTP-Method-Override':'PATCH'},'expect':200}"));
}

static void names_must_have_a_value_before_they_are_used(void **state)
{
    assert_broken(steps("{'id':'a','call':'GET /${=id}','expect':200}"),
                  "t.json:2: steps[0].call: nothing before this gives \"id\" a value");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':{'a':'${=id}','b':'${>id}'}}}"),
                  "t.json:2: steps[0].expect.body.a: nothing before this gives \"id\" a value");
    assert_good(steps("{'id':'a','call':'GET /${=run}','expect':{'headers':{'E':'${=id}'},"
                      "'body':{'b':'${>id}','a':'x${=id}'}}},"
                      "{'id':'b','call':'POST /x/${=id}','send':{'a':['${=id}']},'expect':200}"));
    assert_broken(steps("{'id':'a','call':'POST /x','send':{'a':['${=id}']},'expect':200}"),
                  "t.json:2: steps[0].send.a[0]: nothing before this gives \"id\" a value");
    assert_broken(steps("{'id':'a','call':'POST /x','send':'${token:eve}','expect':200}"),
                  "t.json:2: steps[0].send: there is no actor \"eve\"");
    assert_broken(steps("{'id':'a','call':'GET /x','query':{'q':'${now+2y}'},'expect':200}"),
                  "t.json:2: steps[0].query.q: \"${now+2y}\" is not a placeholder (known: a "
                  "captured value ${=NAME}, "
                  "${token:ACTOR}, ${email:ACTOR}, ${now+2h})");
    assert_broken(steps("{'id':'a','call':'POST /x','send':{'${file}':'x'},'expect':200}"),
                  "t.json:2: steps[0].send: \"${file}\" is not a placeholder (known: ${text}, "
                  "${lines}, ${form}, ${base64})");
    assert_broken(steps("{'id':'a','call':'POST /x','send':{'${base64}':'*'},'expect':200}"),
                  "t.json:2: steps[0].send: must be base64");
    assert_good(steps("{'id':'a','call':'POST /x','send':{'${base64}':'AP8='},'expect':200}"));
}

static void matchers_that_nobody_knows_are_refused_with_their_place(void **state)
{
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':\n{'start':{\n"
                        "'dateTime':'${tiem}'}}}}"),
                  "t.json:4: steps[0].expect.body.start.dateTime: unknown matcher \"${tiem}\"");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':{'a':'${re:[a-}'}}}"),
                  "t.json:2: steps[0].expect.body.a: broken regular expression \"[a-\": missing "
                  "terminating ] for character class at character 3");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':{'a':'x${any'}}}"),
                  "t.json:2: steps[0].expect.body.a: \"${any\" has no end");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':['a','${each}']}}"),
                  "t.json:2: steps[0].expect.body[1]: \"${each}\" has no meaning here");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':['${each}','a','b']}}"),
                  "t.json:2: steps[0].expect.body: \"${each}\" takes one pattern");
    assert_broken(steps("{'id':'a','call':'GET /x','expect':{'body':{'a':'b${absent}'}}}"),
                  "t.json:2: steps[0].expect.body.a: \"${absent}\" can't be inside of a string");
    assert_broken(
        steps("{'id':'a','call':'GET /x','expect':{'body':{'a':'${> x}'}}}"),
        "t.json:2: steps[0].expect.body.a: \" x\" is not a name (letters, digits, - and _)");
    assert_broken(parse(HEAD "'matchers':{'time':'x'},'steps':[]}"),
                  "t.json:2: matchers.time: is a matcher that is always there");
    parse(HEAD "'matchers':{'a':{'x':'${b}'},'b':['${a}']},'steps':[]}");
    assert_non_null(strstr(err.text, "uses itself"));
}

/* Ten matchers, each of which is eight of the next, would be a billion values. */
static void matchers_that_stand_for_too_much_are_refused(void **state)
{
    char text[4000];
    int n = snprintf(text, sizeof text, HEAD "'matchers':{");
    struct arena arena;
    arena_init(&arena, 0);
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 8; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s'${m%d}'%s",
                          k ? "," : arena_printf(&arena, "'m%d':[", i), i + 1, k == 7 ? "]," : "");
    snprintf(text + n, sizeof text - (size_t)n,
             "'m10':'x'},'steps':[{'id':'a','call':'GET /x','expect':204}]}");
    arena_done(&arena);
    assert_null(parse(text));
    if (!strstr(err.text, "matchers stand for more than"))
        fail_msg("%s", err.text);
}

static void what_is_nested_too_deep_is_refused(void **state)
{
    char text[2000], *p = text;
    for (int i = 0; i < 95; i++)
        *p++ = '[';
    for (int i = 0; i < 95; i++)
        *p++ = ']';
    *p = 0;
    char list[2200];
    snprintf(list, sizeof list, "{'id':'a','call':'GET /x','expect':{'body':%s}}", text);
    assert_null(steps(list));
    snprintf(list, sizeof list, "{'id':'a','call':'POST /x','send':%s,'expect':200}", text);
    assert_null(steps(list));
}

/* ---- what is written ---- */

static void a_cassette_that_is_written_reads_as_the_same(void **state)
{
    struct buf first, second;
    struct cassette *c = parse(
        "{'cassette':1,'title':'t','base':'/calendar/v3','order':true,"
        "'source':{'kind':'recorded','date':'2026-03-12'},'only':'sosia',"
        "'world':{'seed':{'sosia':1},'time':'2026-01-01T00:00:00Z','step':'2m','id_seed':7},"
        "'actors':{'ada':'ada@small.example','app':{'email':'bo@small.example','scopes':'a b'}},"
        "'let':{'n':3},'matchers':{'m':'${re:x{2}}'},"
        "'steps':[{'id':'one','rules':['GC-01'],'as':'app','note':'x','call':'POST /a',"
        "'query':{'a':['1','2'],'b':'c'},'headers':{'X-A':'$${b'},'send':{'${lines}':['a','b']},"
        "'source':{'kind':'rule','id':'GC-01','observed':true},"
        "'expect':{'status':404,'headers':{'ETag':'${etag}'},'body':{'a':1,'b':'${m}'}}},"
        "{'advance':'90s'},{'reset':true},{'revoke':'ada'},{'seed':{'sosia':1}},"
        "{'id':'two','outbox':[]},{'id':'three','as':null,'call':'DELETE /a','expect':204}]}");
    if (!c)
        fail_msg("%s", err.text);
    buf_init(&first, 0);
    buf_init(&second, 0);
    cassette_write(c, &first);
    struct cassette *again;
    if (cassette_parse("t.json", first.data, first.len, &again, &err) < 0)
        fail_msg("%s in %s", err.text, buf_str(&first));
    cassette_write(again, &second);
    assert_string_equal(buf_str(&first), buf_str(&second));
    assert_int_equal(again->n_steps, c->n_steps);
    assert_string_equal(again->steps[0].path, "/calendar/v3/a");
    assert_int_equal(again->steps[0].n_query, 3);
    assert_int_equal(again->steps[0].only, ONLY_SOSIA);
    cassette_free(c);
    cassette_free(again);
    buf_done(&first);
    buf_done(&second);
}

static void what_fits_on_a_line_is_on_one(void **state)
{
    static const char text[] =
        "{\"a\":[1,2,{\"b\":null}],\"c\":{},\"long\":[\"xxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
        "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\"]}";
    struct arena a;
    struct buf b;
    const struct json *v;
    arena_init(&a, 0);
    buf_init(&b, 0);
    assert_int_equal(json_parse(&a, text, strlen(text), NULL, &v, &err), 0);
    json_neat(&b, v);
    assert_string_equal(buf_str(&b),
                        "{\n  \"a\": [1, 2, {\"b\": null}],\n  \"c\": {},\n  \"long\": [\n"
                        "    \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\n"
                        "    \"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\"\n"
                        "  ]\n}\n");
    buf_done(&b);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cassette_of_the_project_can_be_read),
        cmocka_unit_test(a_step_has_what_is_in_it),
        cmocka_unit_test(what_is_extended_holds_unless_said_otherwise),
        cmocka_unit_test(text_that_is_no_json_is_refused_by_line),
        cmocka_unit_test(members_nobody_knows_and_missing_ones_are_refused),
        cmocka_unit_test(what_contradicts_itself_is_refused),
        cmocka_unit_test(names_must_have_a_value_before_they_are_used),
        cmocka_unit_test(matchers_that_nobody_knows_are_refused_with_their_place),
        cmocka_unit_test(matchers_that_stand_for_too_much_are_refused),
        cmocka_unit_test(what_is_nested_too_deep_is_refused),
        cmocka_unit_test(a_cassette_that_is_written_reads_as_the_same),
        cmocka_unit_test(what_fits_on_a_line_is_on_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
