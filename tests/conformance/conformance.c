/* SPDX-License-Identifier: Apache-2.0 */
/* Results, reports, comparisons, coverage, and what is done on the way to a real service. */
#include "tests/support/unit.h"
#include "conformance/report/compare.h"
#include "conformance/report/coverage.h"
#include "conformance/method.h"
#include "conformance/target/real.h"
#include "conformance/replay.h"
#include "conformance/report/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct sosia_err err;
static struct arena arena;
static struct target *target;

static int no_fixtures(struct arena *a, const char *name, const char **ret_text, size_t *ret_len,
                       struct sosia_err *e)
{
    return sosia_fail(e, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no fixture \"%s\"", name);
}

static int open_target(void **state)
{
    arena_init(&arena, 0);
    return target_open_process(no_fixtures, &target, &err);
}

static int close_target(void **state)
{
    target_close(target);
    arena_done(&arena);
    return 0;
}

#define HEAD                                                                                       \
    "{'cassette':1,'title':'t','base':'/calendar/v3','as':'ada','source':{'kind':'rule'},"         \
    "'actors':{'ada':'ada@x.example','gone':'gone@x.example'},"                                    \
    "'world':{'seed':{'sosia':1,'time':'2026-11-23T09:00:00','people':[{'email':'ada@x.example'}"  \
    "]}},\n"

static struct cassette *parse(const char *list)
{
    struct cassette *c;
    char *text = arena_printf(&arena, HEAD "'steps':[%s]}", list);
    for (char *p = text; *p; p++)
        if (*p == '\'')
            *p = '"';
    if (cassette_parse("t.json", text, strlen(text), &c, &err) < 0)
        fail_msg("%s", err.text);
    return c;
}

static struct result *replay(const char *list)
{
    struct cassette *c = parse(list);
    struct result *r = result_new();
    if (replay_cassette(target, c, r, &err) < 0)
        fail_msg("%s", err.text);
    cassette_free(c);
    return r;
}

/* "id:outcome ...". */
static const char *outcomes(const struct result *r)
{
    const char *out = "";
    for (const struct scenario *s = r->first; s; s = s->next)
        for (const struct exchange *x = s->first; x; x = x->next)
            out = arena_printf(&arena, "%s%s%s:%s", out, *out ? " " : "", x->id,
                               outcome_names[x->outcome]);
    return out;
}

static const char *report_of(const struct result *r,
                             void (*write)(const struct report *r, struct buf *out))
{
    const struct report report = {"A <title>", &r, 1, "expected", "got"};
    struct buf b;
    buf_init(&b, 0);
    write(&report, &b);
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void whole_text(const struct report *r, struct buf *out)
{
    report_text(r, false, out);
}

#define INSERT                                                                                     \
    "{'id':'insert','rules':['GC-12'],'call':'POST /calendars/primary/events','send':"             \
    "{'summary':'A & B','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}},"               \
    "'expect':{'body':{'id':'${>id}','status':'confirmed','...':'${any}'}}}"

/* ---- replays ---- */

static void what_differs_does_not_end_a_scenario(void **state)
{
    struct result *r = replay(
        INSERT
        ",{'id':'wrong','call':'GET /calendars/primary/events/${=id}','expect':{'status':"
        "201,'headers':{'ETag':'${absent}','X-None':'x'},'body':{'summary':'A','...':"
        "'${any}'}}},{'id':'empty','call':'DELETE /calendars/primary/events/${=id}',"
        "'expect':{'body':'${any}'}},{'id':'json','call':'GET /calendars/primary','expect':204},"
        "{'id':'last','call':'GET /calendars/primary/events/${=id}','expect':{'body':"
        "{'status':'cancelled','...':'${any}'}}}");
    assert_string_equal(outcomes(r),
                        "insert:equal wrong:different empty:different json:different last:equal");
    const struct exchange *x = r->first->first->next;
    assert_int_equal(x->total - x->equal, 4);
    const struct difference *d = x->differences;
    assert_string_equal(d->path, "status");
    assert_string_equal(d->next->path, "$.summary");
    assert_string_equal(d->next->next->path, "header ETag");
    assert_int_equal(d->next->next->kind, DIFFERENCE_UNEXPECTED);
    assert_string_equal(d->next->next->next->path, "header X-None");
    assert_string_equal(x->method, "calendar.events.get");
    assert_string_equal(x->dialect, "calendar.google");
    assert_int_equal(x->line, 2);
    x = x->next->next;
    assert_string_equal(x->differences->next->path, "$");
    assert_int_equal(x->differences->next->kind, DIFFERENCE_BODY);
    result_free(r);
}

static void what_needs_a_step_that_failed_fails_too(void **state)
{
    struct result *r = replay(
        "{'id':'nobody','as':'gone','call':'GET /calendars/primary','expect':200},"
        "{'id':'refused','call':'GET /calendars/none','expect':{'status':404,'body':{'id':"
        "'${>id}','...':'${any}'}}},{'id':'needs','call':'GET /calendars/${=id}','expect':200},"
        "{'seed':{'sosia':2}},{'id':'behind','call':'GET /colors','expect':{'body':'${any}'}}");
    assert_string_equal(outcomes(r), "nobody:failed refused:different needs:failed step-4:failed "
                                     "behind:skipped");
    const struct exchange *x = r->first->first;
    assert_string_equal(x->why, "gone has no token");
    assert_int_equal(x->total, 2); /* the status, and that there is no body */
    assert_int_equal(x->equal, 0);
    assert_string_equal(x->next->next->why, "\"${=id}\" has no value");
    x = x->next->next->next;
    assert_string_equal(x->method, "seed");
    assert_string_equal(x->dialect, "world");
    assert_non_null(strstr(x->next->why, "a step before it failed: "));
    assert_non_null(strstr(x->next->why, x->why));
    result_free(r);
    /* also where nothing follows */
    r = replay("{'id':'good','call':'GET /calendars/primary','expect':{'body':'${any}'}},"
               "{'id':'bad','seed':{'sosia':2}}");
    assert_string_equal(outcomes(r), "good:equal bad:failed");
    result_free(r);
}

static void a_body_that_must_be_there_is_there(void **state)
{
    struct result *r = replay(
        INSERT ",{'id':'none','call':'DELETE /calendars/primary/events/${=id}','expect':{'status':"
               "200,'body':'${any}'}},{'id':'some','call':'DELETE /calendars/primary/events/"
               "${=id}','expect':{'status':410,'body':'${optional}'}},{'id':'head','call':"
               "'GET /calendars/primary','expect':{'body':'${optional:string}'}}");
    const struct exchange *x = r->first->first->next;
    assert_string_equal(outcomes(r), "insert:equal none:different some:equal head:different");
    assert_int_equal(x->differences->next->kind, DIFFERENCE_MISSING);
    assert_string_equal(x->differences->next->path, "$");
    result_free(r);
}

/* ---- credentials ---- */

static const char *secret_headers_and_bodies[][2] = {
    {"application/json", "{\"access_token\":\"s3cret/one\",\"list\":[{\"token\":\"s3cret-two\"}],"
                         "\"expires_in\":3599}"},
    {"application/json", "{\"access_token\":\"s3cret/three\"}"},
    {"application/x-www-form-urlencoded", "access_token=s3cret-four&x=1"},
    {"text/html", "<a href='https://x.example/?access_token=s3cret-five'>"},
};
static size_t secret_next;

static int secret_call(struct target *t, struct arena *a, const struct sosia_request *request,
                       struct sosia_response *ret_response, struct sosia_err *e)
{
    static struct sosia_header headers[2];
    const char *const *said = secret_headers_and_bodies[secret_next++];
    headers[0] = (struct sosia_header){"content-type", said[0]};
    headers[1] = (struct sosia_header){"x-upload-token", "s3cret-six"};
    *ret_response = (struct sosia_response){.status = 200,
                                            .headers = headers,
                                            .n_headers = 2,
                                            .body = said[1],
                                            .body_len = strlen(said[1])};
    return 0;
}

static int secret_begin(struct target *t, const struct cassette *c, struct sosia_err *e)
{
    secret_next = 0;
    return 0;
}

static void secret_end(struct target *t)
{
}

static const char *secret_token(struct target *t, const struct cassette_actor *actor)
{
    return "tok";
}

/* Neither what came nor what was expected, because it had come before, shows a credential. */
static void messages_about_credentials_do_not_show_them(void **state)
{
    static const struct target_ops ops = {
        .begin = secret_begin, .end = secret_end, .token = secret_token, .call = secret_call};
    struct target secret = {.ops = &ops, .name = "secret"};
    struct cassette *c =
        parse("{'id':'json','call':'GET /x','expect':{'headers':{'X-Upload-Token':'other'},'body':"
              "{'access_token':'${>t}','list':'none'}}},"
              "{'id':'again','call':'GET /x','expect':{'body':{'access_token':'${=t}'}}},"
              "{'id':'form','call':'GET /x','expect':{'body':{'${text}':'x'}}},"
              "{'id':'page','call':'GET /x','expect':200}");
    struct result *r = result_new();
    struct buf b;
    if (replay_cassette(&secret, c, r, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(outcomes(r),
                        "json:different again:different form:different page:different");
    buf_init(&b, 0);
    result_write(r, &b);
    if (strstr(buf_str(&b), "s3cret"))
        fail_msg("%s", buf_str(&b));
    const struct exchange *x = r->first->first;
    assert_string_equal(x->differences->got, "[{\"token\":\"redacted-token-3\"}]");
    x = x->next;
    assert_string_equal(x->differences->expected, "\"redacted-token-2\"");
    assert_string_equal(x->differences->got, "\"redacted-token-4\"");
    x = x->next;
    assert_string_equal(x->differences->got, "\"access_token=redacted-token-5&x=1\"");
    buf_done(&b);
    result_free(r);
    cassette_free(c);
}

static void a_world_that_can_not_be_made_is_a_failure_and_no_end(void **state)
{
    struct cassette *c = parse("{'id':'a','call':'GET /x','expect':404},"
                               "{'id':'b','call':'GET /x','expect':404}");
    struct result *r = result_new();
    c->world = (struct cassette_world){.fixture = "nowhere"};
    assert_int_equal(replay_cassette(target, c, r, &err), 0);
    assert_string_equal(outcomes(r), "a:failed b:skipped");
    assert_string_equal(r->first->first->why,
                        "its world can't be made: there is no fixture \"nowhere\"");
    assert_int_equal(r->first->first->total, 2);
    cassette_free(c);
    result_free(r);
    c = parse("{'id':'x','advance':'1h'}"); /* nothing is compared in it */
    r = result_new();
    c->world = (struct cassette_world){.fixture = "nowhere"};
    assert_int_equal(replay_cassette(target, c, r, &err), 0);
    assert_string_equal(outcomes(r), "x:failed");
    cassette_free(c);
    result_free(r);
}

static void time_goes_on_worlds_go_back_and_tokens_end(void **state)
{
    struct result *r = replay(
        INSERT
        ",{'id':'head','call':'HEAD /calendars/primary/events/${=id}','expect':200},"
        "{'advance':'1h'},{'id':'later','call':'PATCH /calendars/primary/events/${=id}',"
        "'send':{'summary':'C'},'expect':{'body':{'updated':'2026-11-23T10:00:03.000Z','...':"
        "'${any}'}}},{'reset':true},{'id':'gone','call':'GET /calendars/primary/events/"
        "${=id}','expect':{'status':404,'body':'${any}'}},{'revoke':'ada'},{'id':'out',"
        "'call':'GET /calendars/primary','expect':{'status':401,'body':'${any}'}},"
        "{'id':'mail','outbox':[]}");
    assert_string_equal(outcomes(r),
                        "insert:equal head:equal later:equal gone:equal out:equal mail:equal");
    result_free(r);
}

static void scenarios_do_not_see_each_other(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct result *r =
            replay("{'id':'insert','call':'POST /calendars/primary/events','send':{"
                   "'id':'event0','start':{'date':'2026-11-24'},'end':{'date':"
                   "'2026-11-25'}},'expect':{'body':{'id':'event0','...':'${any}'}}}");
        assert_string_equal(outcomes(r), "insert:equal");
        result_free(r);
    }
}

/* ---- results ---- */

static struct result *a_result(void)
{
    struct result *r =
        replay(INSERT ",{'id':'wrong','rules':['GC-12','GC-13'],'source':{'kind':'rule','observed':"
                      "true},'call':'GET /calendars/primary/events/${=id}','expect':{'body':"
                      "{'summary':'<A>\\n\\u0001','...':'${any}'}}},{'id':'page','call':"
                      "'GET /nowhere','base':'','expect':{'status':404,'body':'${any}'}},"
                      "{'id':'no','only':'real','call':'GET /x','expect':404}");
    r->target = "sosia & more";
    r->at = "2026-11-21T00:00:00Z";
    return r;
}

static void results_that_are_written_read_as_the_same(void **state)
{
    struct result *r = a_result(), *again;
    struct buf first, second;
    buf_init(&first, 0);
    buf_init(&second, 0);
    result_write(r, &first);
    if (result_parse("r.json", first.data, first.len, &again, &err) < 0)
        fail_msg("%s", err.text);
    result_write(again, &second);
    assert_string_equal(buf_str(&first), buf_str(&second));
    assert_string_equal(outcomes(again), outcomes(r));
    buf_clear(&second);
    scenario_write(r->first, &second);
    assert_null(memchr(second.data, '\n', second.len));
    assert_int_equal(scenario_read(again, second.data, second.len, &err), 0);
    assert_non_null(again->first->next);
    result_free(again);
    result_free(r);
    buf_done(&first);
    buf_done(&second);
}

static void broken_results_are_refused_by_line(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"sosia_conformance_result\":2}",
        "{\"sosia_conformance_result\":1,\n\"target\":\"t\",\n\"scenarios\":[{}]}",
        "{\"sosia_conformance_result\":1,\"target\":\"t\",\"scenarios\":[{\"name\":\"n\",\"title\":"
        "\"t\",\"digest\":\"d\",\"exchanges\":[{\"id\":\"i\",\"file\":\"f\",\"outcome\":\"fine\"}]}"
        "]}",
        "{\"sosia_conformance_result\":1,\"target\":\"t\",\"scenarios\":[{\"name\":\"n\",\"title\":"
        "\"t\",\"digest\":\"d\",\"exchanges\":[{\"id\":\"i\",\"file\":\"f\",\"outcome\":\"equal\","
        "\"fields\":1,\"fields_equal\":2}]}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct result *r = NULL;
        assert_int_equal(result_parse("r.json", texts[i], strlen(texts[i]), &r, &err), -1);
        assert_null(r);
        assert_int_equal(strncmp(err.text, "r.json:", 7), 0);
    }
    assert_int_equal(strncmp(err.text, "r.json:1: scenarios[0].exchanges[0].fields_equal: ", 48),
                     0);
}

static void figures_are_cut_and_not_rounded(void **state)
{
    char text[8];
    fidelity_text(text, 9999, 10000);
    assert_string_equal(text, "99.99");
    fidelity_text(text, 99999, 100000);
    assert_string_equal(text, "99.99");
    fidelity_text(text, 1, 3);
    assert_string_equal(text, "33.33");
    fidelity_text(text, 7, 7);
    assert_string_equal(text, "100.00");
    fidelity_text(text, 0, 0);
    assert_string_equal(text, "100.00");
    fidelity_text(text, 0, 9);
    assert_string_equal(text, "0.00");
}

/* ---- reports ---- */

static void the_text_has_each_difference_and_each_method(void **state)
{
    struct result *r = a_result();
    const char *text = report_of(r, whole_text);
    assert_non_null(strstr(text,
                           "t.json:2: t/wrong (calendar.events.get) GC-12, GC-13 [observed]\n"
                           "    $.summary: value: expected \"<A>\\n\\u0001\", got \"A & B\"\n"));
    assert_non_null(strstr(text, "-- calendar.google\n"));
    assert_non_null(strstr(text, "calendar.events.insert                       1/1     100.00%"));
    assert_non_null(strstr(text, "calendar.events.get                          0/1       0.00%"));
    assert_non_null(strstr(text, "(none)                                       1/1     100.00%"));
    assert_non_null(strstr(text, "all                                          2/3      66.66%"));
    assert_non_null(strstr(text, "1 skipped"));
    result_free(r);
}

static void the_json_has_figures_and_differences(void **state)
{
    struct result *r = a_result();
    const char *text = report_of(r, report_json);
    const struct json *v;
    int64_t n;
    assert_int_equal(json_parse(&arena, text, strlen(text), NULL, &v, &err), 0);
    assert_int_equal(json_i64(json_get(json_get(v, "all"), "equal"), &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(json_get(v, "unequal")->n, 2);
    assert_int_equal(json_get(v, "methods")->n, 3);
    result_free(r);
}

/* Nothing of a value is read as markup, and control characters do not break the document. */
static void pages_and_xml_hold_any_text(void **state)
{
    struct result *r = a_result();
    const char *html = report_of(r, report_html), *xml = report_of(r, report_junit);
    assert_non_null(strstr(html, "<title>A &lt;title&gt;</title>"));
    assert_non_null(strstr(html, "<code>&quot;&lt;A&gt;\\n\\u0001&quot;</code>"));
    assert_non_null(strstr(html, "sosia &amp; more, 2026-11-21T00:00:00Z"));
    assert_non_null(strstr(xml, "<testsuite name=\"t\" tests=\"4\" failures=\"1\" errors=\"0\" "
                                "skipped=\"1\">"));
    assert_non_null(strstr(xml,
                           "<testcase classname=\"calendar.events.get\" name=\"t/wrong\" "
                           "file=\"t.json\" line=\"2\">\n      <failure message=\"$.summary\">"));
    assert_non_null(strstr(xml, "$.summary: value: expected &quot;&lt;A&gt;"));
    assert_non_null(strstr(xml, "<skipped message=\"it is for the real service only\"/>"));
    r->first->first->why = "a\nb\x01\xEF\xBF\xBF";
    r->first->first->outcome = OUTCOME_FAILED;
    xml = report_of(r, report_junit);
    assert_non_null(strstr(xml, "<error message=\"a&#10;b\xEF\xBF\xBD\xEF\xBF\xBD\">"));
    result_free(r);
}

/* ---- comparisons ---- */

static void two_results_are_compared_answer_by_answer(void **state)
{
    struct result *a = a_result(), *b = a_result(), *c;
    assert_int_equal(compare_results(a, b, true, &c, &err), 0);
    assert_string_equal(outcomes(c), "insert:equal wrong:equal page:equal no:skipped");
    result_free(c);
    struct exchange *x = b->first->first;
    x->status = 201;
    x->headers[0].value = "text/plain";
    b->first->first->next->id = "other";
    assert_int_equal(compare_results(a, b, false, &c, &err), 0);
    assert_string_equal(outcomes(c),
                        "insert:different wrong:failed page:equal no:skipped other:failed");
    struct result *failed;
    x->outcome = OUTCOME_FAILED; /* the service was gone */
    x->answered = false;
    assert_int_equal(compare_results(a, b, false, &failed, &err), 0);
    assert_int_equal(failed->first->first->outcome, OUTCOME_FAILED);
    result_free(failed);
    const struct difference *d = c->first->first->differences;
    assert_string_equal(d->path, "status");
    assert_string_equal(d->expected, "200");
    assert_string_equal(d->got, "201");
    assert_string_equal(d->next->path, "header Content-Type");
    result_free(a);
    result_free(b);
    result_free(c);
}

static void sets_of_cassettes_are_compared_by_what_they_expect(void **state)
{
    char dir[] = "/tmp/sosia-compare-XXXXXX";
    static const char *const texts[] = {"GC", "XX"};
    const char *paths[2];
    struct result *c;
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < 2; i++) {
        struct buf b;
        struct cassette *own = parse(
            arena_printf(&arena,
                         "{'id':'a','call':'GET /calendars/primary','expect':{'body':{'x':'%s','y':"
                         "'${any}'}}}",
                         texts[i]));
        paths[i] = arena_printf(&arena, "%s/%d", dir, i);
        char *file = arena_printf(&arena, "%s/%d.json", dir, i);
        buf_init(&b, 0);
        cassette_write(own, &b);
        FILE *f = fopen(file, "w");
        assert_non_null(f);
        fwrite(b.data, 1, b.len, f);
        fclose(f);
        buf_done(&b);
        cassette_free(own);
        paths[i] = file;
    }
    assert_int_equal(compare_cassettes(paths[0], paths[0], true, &c, &err), 0);
    assert_string_equal(outcomes(c), "a:equal");
    result_free(c);
    /* Files are called by their names. */
    char *renamed = arena_printf(&arena, "%s/sub", dir);
    char *moved = arena_printf(&arena, "%s/sub/0.json", dir);
    assert_int_equal(system(arena_printf(&arena, "mkdir %s && mv %s %s", renamed, paths[1], moved)),
                     0);
    assert_int_equal(compare_cassettes(paths[0], moved, true, &c, &err), 0);
    assert_string_equal(outcomes(c), "a:different");
    assert_string_equal(c->first->first->differences->path, "$.x");
    assert_string_equal(c->first->first->differences->expected, "\"GC\"");
    result_free(c);
    assert_int_equal(system(arena_printf(&arena, "rm -r %s", dir)), 0);
}

/* ---- coverage ---- */

static const char *rules_file(const char *text)
{
    static char path[] = "/tmp/sosia-rules-XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static void rules_and_methods_know_who_holds_them(void **state)
{
    struct coverage *c;
    struct buf b;
    struct cassette *good = parse(INSERT), *bad = parse("{'advance':'1s'},\n{'id':'x','rules':"
                                                        "['GC-99x'],'call':'GET /x','expect':404}");
    struct cassette *recorded =
        parse("{'id':'y','source':{'kind':'recorded','date':'2026-11-21'},'call':'GET "
              "/calendars/primary','expect':404}");
    const char *file =
        rules_file("# two\n\n# ---- one ----\nGC-12 v a < b\r\n# ---- an|other ----\n"
                   "GC-13 o second\n  not held: it | is so\n");
    if (coverage_open(file, &c, &err) < 0)
        fail_msg("%s", err.text);
    unlink(file);
    assert_int_equal(coverage_add(c, good, &err), 0);
    assert_int_equal(coverage_add(c, bad, &err), -1);
    assert_string_equal(err.text, "t.json:3: there is no rule \"GC-99x\"");
    buf_init(&b, 0);
    coverage_markdown(c, "../", &b);
    assert_non_null(strstr(buf_str(&b), "| `calendar.events.insert` | 1 | 1 |\n"));
    assert_non_null(strstr(buf_str(&b), "| [one](../conformance/rules.txt#L4) | 1 | 1 |\n"
                                        "| [an\\|other](../conformance/rules.txt#L6) | 0 | 1 |\n"));
    assert_non_null(
        strstr(buf_str(&b), "| [GC-13](../conformance/rules.txt#L6) | it \\| is so |\n"));
    assert_null(strstr(buf_str(&b), "## Recordings"));
    buf_clear(&b);
    assert_int_equal(coverage_add(c, recorded, &err), 0);
    coverage_markdown(c, "../", &b);
    assert_non_null(strstr(buf_str(&b), "| service | recorded | of |\n|---|--:|--:|\n"
                                        "| Google Calendar API v3 | 1 | 2 |\n\n##"));
    buf_clear(&b);
    coverage_html(c, "../", &b);
    assert_non_null(strstr(buf_str(&b), "<a href=\"#GC-12\">GC-12</a>"));
    assert_non_null(strstr(buf_str(&b), "<tr id=\"GC-12\"><td>GC-12<td>a &lt; b<td>"
                                        "<a href=\"../t.json\">t</a>: insert\n"));
    assert_non_null(strstr(buf_str(&b), "GC-13 <i>observed</i><td>second<td><i>not held:</i>"));
    buf_clear(&b);
    coverage_json(c, &b);
    const struct json *v;
    assert_int_equal(json_parse(&arena, b.data, b.len, NULL, &v, &err), 0);
    assert_int_equal(json_get(v, "rules")->n, 2);
    buf_done(&b);
    assert_int_equal(coverage_check(c, true, &err), 0);
    struct cassette *held = parse("{'id':'x','rules':['GC-13'],'call':'GET /x','expect':404}");
    assert_int_equal(coverage_add(c, held, &err), 0);
    assert_int_equal(coverage_check(c, false, &err), -1);
    assert_string_equal(err.text, "GC-13 is held by t/x, though the rules say why it is not");
    cassette_free(held);
    coverage_free(c);
    file = rules_file("GC-12 v a\n");
    assert_int_equal(coverage_open(file, &c, &err), 0);
    unlink(file);
    assert_int_equal(coverage_check(c, false, &err), 0);
    assert_int_equal(coverage_check(c, true, &err), -1);
    assert_string_equal(err.text, "no exchange holds GC-12");
    coverage_free(c);
    cassette_free(good);
    cassette_free(recorded);
    cassette_free(bad);
}

static void broken_rules_are_named_by_line(void **state)
{
    static const char *const texts[][2] = {
        {"  not held: x\n", ":1: a line must be \"ID v|k|o TEXT\", not \""},
        {"GC-1\n", ":1: a line must be \"ID v|k|o TEXT\", not \""},
        {"\nGC-1 x text\n", ":2: a line must be \"ID v|k|o TEXT\", not \"GC-1 x text\""},
        {"GC-1 v a\nGC-1 v b\n", ":2: GC-1 is here twice"},
    };
    for (size_t i = 0; i < 4; i++) {
        struct coverage *c = NULL;
        const char *file = rules_file(texts[i][0]);
        assert_int_equal(coverage_open(file, &c, &err), -1);
        unlink(file);
        assert_non_null(strstr(err.text, texts[i][1]));
        assert_null(c);
    }
}

/* ---- methods, headers, the real service ---- */

static void requests_have_the_names_of_their_methods(void **state)
{
    const char *id, *dialect;
    method_find("GET", "/calendar/v3/calendars/${=c}/events/${=e}/instances?x=/y", &id, &dialect);
    assert_string_equal(id, "calendar.events.instances");
    assert_string_equal(dialect, "calendar.google");
    method_find("HEAD", "/calendar/v3/colors", &id, &dialect);
    assert_string_equal(id, "calendar.colors.get");
    method_find("GET", "/nowhere", &id, &dialect);
    assert_null(id);
    assert_string_equal(method_dialect("calendar.events.list"), "calendar.google");
    assert_null(method_dialect("calendar.events"));
    assert_true(header_matters("ETag"));
    assert_true(header_matters("x-goog-channel-id"));
    assert_false(header_matters("Date"));
    assert_false(header_matters("Set-Cookie"));
}

static void names_are_rewritten_both_ways(void **state)
{
    struct rewrite r;
    size_t len;
    rewrite_init(&r, &arena);
    rewrite_add(&r, "ada@acme.example", "tester.1@mail.example");
    rewrite_add(&r, "talk1", "0abc");
    rewrite_add(&r, "talk12", "9xyz");
    rewrite_add(&r, "same", "same");
    rewrite_add(&r, "", "x");
    static const char ours[] = "/c/ada%40acme.example/e/talk12?x=talk1&o=ada@acme.example";
    static const char theirs[] = "/c/tester.1%40mail.example/e/9xyz?x=0abc&o=tester.1@mail.example";
    assert_string_equal(rewrite_out(&r, ours, strlen(ours), &len), theirs);
    assert_int_equal(len, strlen(theirs));
    assert_string_equal(rewrite_in(&r, theirs, strlen(theirs), &len), ours);
    assert_ptr_equal(rewrite_in(&r, "none", 4, &len), "none");
}

static int wait_for(int status, const char *retry_after, const char *body, const char *method,
                    unsigned attempt)
{
    struct sosia_header h = {"retry-after", retry_after};
    struct sosia_response r = {.status = status,
                               .headers = &h,
                               .n_headers = retry_after ? 1 : 0,
                               .body = body,
                               .body_len = strlen(body)};
    return real_retry_after(&r, method, attempt);
}

static void limits_of_the_rate_are_waited_for(void **state)
{
    assert_int_equal(wait_for(200, NULL, "", "GET", 0), -1);
    assert_int_equal(wait_for(429, NULL, "", "POST", 0), 1);
    assert_int_equal(wait_for(429, NULL, "", "POST", 3), 8);
    assert_int_equal(wait_for(429, "17", "", "POST", 3), 17);
    assert_int_equal(wait_for(429, "86400", "", "POST", 0), 300);
    assert_int_equal(wait_for(429, "soon", "", "POST", 0), 1);
    assert_int_equal(wait_for(429, "17", "", "POST", 6), -1);
    assert_int_equal(wait_for(403, NULL, "{\"reason\": \"rateLimitExceeded\"}", "POST", 1), 2);
    assert_int_equal(wait_for(403, NULL, "{\"reason\": \"userRateLimitExceeded\"}", "POST", 1), 2);
    assert_int_equal(wait_for(403, NULL, "{\"reason\": \"forbidden\"}", "POST", 1), -1);
    assert_int_equal(wait_for(503, NULL, "", "GET", 0), 1);
    assert_int_equal(wait_for(503, NULL, "", "POST", 0), -1);
}

#define conformance_test(f) cmocka_unit_test_setup_teardown(f, open_target, close_target)

int main(void)
{
    const struct CMUnitTest tests[] = {
        conformance_test(what_differs_does_not_end_a_scenario),
        conformance_test(what_needs_a_step_that_failed_fails_too),
        conformance_test(a_body_that_must_be_there_is_there),
        conformance_test(messages_about_credentials_do_not_show_them),
        conformance_test(a_world_that_can_not_be_made_is_a_failure_and_no_end),
        conformance_test(time_goes_on_worlds_go_back_and_tokens_end),
        conformance_test(scenarios_do_not_see_each_other),
        conformance_test(results_that_are_written_read_as_the_same),
        conformance_test(broken_results_are_refused_by_line),
        conformance_test(figures_are_cut_and_not_rounded),
        conformance_test(the_text_has_each_difference_and_each_method),
        conformance_test(the_json_has_figures_and_differences),
        conformance_test(pages_and_xml_hold_any_text),
        conformance_test(two_results_are_compared_answer_by_answer),
        conformance_test(sets_of_cassettes_are_compared_by_what_they_expect),
        conformance_test(rules_and_methods_know_who_holds_them),
        conformance_test(broken_rules_are_named_by_line),
        conformance_test(requests_have_the_names_of_their_methods),
        conformance_test(names_are_rewritten_both_ways),
        conformance_test(limits_of_the_rate_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
