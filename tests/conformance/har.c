/* SPDX-License-Identifier: Apache-2.0 */
/* HAR files: what is written is read again, what others write is understood, what is wrong is named
 * with its path. */
#include "tests/support/unit.h"
#include "conformance/record/har.h"
#include <stdlib.h>

static struct sosia_err err;

static struct har *parse(const char *text, const char *host)
{
    struct har *h;
    struct har_options o = {.hosts = &host, .n_hosts = host != NULL};
    if (har_parse("x.har", text, strlen(text), &o, &h, &err) < 0)
        fail_msg("%s", err.text);
    return h;
}

static void assert_refused(const char *text, const char *expected)
{
    struct har *h;
    struct har_options o = {0};
    assert_int_equal(har_parse("x.har", text, strlen(text), &o, &h, &err), -1);
    assert_string_equal(err.text, expected);
}

static void assert_text_equal(const char *a, const char *b)
{
    if (!a || !b)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

static void assert_message_equal(const struct wire_message *a, const struct wire_message *b)
{
    assert_int_equal(a->n_headers, b->n_headers);
    for (size_t i = 0; i < a->n_headers; i++) {
        assert_string_equal(a->headers[i].name, b->headers[i].name);
        assert_string_equal(a->headers[i].value, b->headers[i].value);
    }
    assert_int_equal(a->body.len, b->body.len);
    assert_int_equal(a->body.size, b->body.size);
    assert_int_equal(a->body.cut, b->body.cut);
    if (a->body.len)
        assert_memory_equal(a->body.data, b->body.data, a->body.len);
}

static void what_is_written_is_read_again(void **state)
{
    struct sosia_header sent[] = {{"Content-Type", "application/json"}, {"X-A", "1"}, {"X-A", "2"}};
    struct sosia_header got[] = {{"Content-Type", "image/png"}, {"ETag", "\"1\""}};
    struct wire list[] = {
        {.n = 1,
         .at_us = 1795424400123456,
         .took_us = 71337,
         .verb = "POST",
         .origin = "http://localhost:8787/w/00",
         .target = "/a%40b/c?x=1&x=%262&flag",
         .status = 200,
         .sent = {sent, 3, {"{\"a\":\"\xc3\xa9 \\u0001\"}", 15, 15, false}},
         .got = {got, 2, {"\x89PNG\0\xff", 6, 6, false}}},
        {.n = 2, .verb = "GET", .origin = "https://v.example", .target = "/", .status = 204},
        {.n = 3, .verb = "GET", .origin = "https://v.example", .target = "/x", .error = "cut off"},
        {.n = 4,
         .verb = "GET",
         .origin = "https://v.example:8443",
         .target = "/x",
         .status = 200,
         .error = "transfer closed",
         .got = {NULL, 0, {"half", 4, 4711, true}}},
    };
    struct har_options all = {.hosts = (const char *const[]){"*.example", "localhost", "v.example"},
                              .n_hosts = 3};
    struct buf b;
    struct har *h;
    buf_init(&b, 0);
    list[0].sent.body.len = list[0].sent.body.size = strlen(list[0].sent.body.data);
    har_write(&b, list, 4, "A test", NULL);
    if (har_parse("x.har", b.data, b.len, &all, &h, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(h->n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(h->list[i].n, list[i].n);
        assert_int_equal(h->list[i].at_us, list[i].at_us);
        assert_int_equal(h->list[i].took_us, list[i].took_us);
        assert_int_equal(h->list[i].status, list[i].status);
        assert_string_equal(h->list[i].verb, list[i].verb);
        assert_string_equal(h->list[i].origin, list[i].origin);
        assert_string_equal(h->list[i].target, list[i].target);
        assert_text_equal(h->list[i].error, list[i].error);
        assert_message_equal(&h->list[i].sent, &list[i].sent);
        assert_message_equal(&h->list[i].got, &list[i].got);
    }
    struct buf again;
    buf_init(&again, 0);
    har_write(&again, h->list, h->n, "A test", NULL);
    assert_string_equal(buf_str(&again), buf_str(&b));
    buf_done(&again);
    buf_done(&b);
    har_free(h);
}

/* The members that HAR 1.2 requires, by the specification. */
static void what_is_written_has_what_the_form_wants(void **state)
{
    static const char *const entry[] = {"startedDateTime", "time",    "request", "response",
                                        "cache",           "timings", NULL};
    static const char *const request[] = {"method",      "url",      "httpVersion",
                                          "cookies",     "headers",  "queryString",
                                          "headersSize", "bodySize", NULL};
    static const char *const response[] = {"status",   "statusText", "httpVersion", "cookies",
                                           "headers",  "content",    "redirectURL", "headersSize",
                                           "bodySize", NULL};
    struct wire e = {.verb = "GET", .origin = "https://v.example", .target = "/?a=b%20c&d"};
    struct buf b;
    struct arena a;
    const struct json *v;
    buf_init(&b, 0);
    arena_init(&a, 0);
    har_write(&b, &e, 1, "A test", NULL);
    assert_int_equal(json_parse(&a, b.data, b.len, NULL, &v, &err), 0);
    const struct json *log = json_get(v, "log");
    assert_string_equal(json_get_str(log, "version"), "1.2");
    assert_string_equal(json_get_str(json_get(log, "creator"), "name"), "sosia");
    assert_non_null(json_get_str(json_get(log, "creator"), "version"));
    assert_int_equal(json_get(log, "pages")->n, 1);
    v = &json_get(log, "entries")->items[0];
    for (size_t i = 0; entry[i]; i++)
        assert_non_null(json_get(v, entry[i]));
    for (size_t i = 0; request[i]; i++)
        assert_non_null(json_get(json_get(v, "request"), request[i]));
    for (size_t i = 0; response[i]; i++)
        assert_non_null(json_get(json_get(v, "response"), response[i]));
    const struct json *query = json_get(json_get(v, "request"), "queryString");
    assert_int_equal(query->n, 2);
    assert_string_equal(json_get_str(&query->items[0], "value"), "b c");
    arena_done(&a);
    buf_done(&b);
}

#define ENTRY(request, response)                                                                   \
    "{\"startedDateTime\":\"2026-11-23T10:00:00.5+01:00\",\"time\":12.5,\"request\":" request      \
    ",\"response\":" response "}"
#define LOG(entries) "{\"log\":{\"version\":\"1.2\",\"entries\":[" entries "]}}"
#define OK           "{\"status\":200}"

static void what_browsers_write_is_understood(void **state)
{
    struct har *h = parse(
        LOG(ENTRY(
            "{\"method\":\"POST\",\"url\":\"https://me:secret@v.example/a b?q=\xc3\xa9#frag\","
            "\"headers\":[{\"name\":\":authority\",\"value\":\"v.example\"},{\"name\":"
            "\"x-a\",\"value\":\"1\"}],\"postData\":{\"mimeType\":"
            "\"application/x-www-form-urlencoded\",\"params\":[{\"name\":\"a\",\"value\":"
            "\"1&2\"},{\"name\":\"b\"}]}}",
            "{\"status\":200,\"headers\":[{\"name\":\"content-encoding\",\"value\":\"br\"}],"
            "\"content\":{\"size\":5,\"mimeType\":\"text/plain\",\"text\":\"aGVsbG8=\","
            "\"encoding\":\"base64\"}}") "," ENTRY("{\"method\":\"OPTIONS\",\"url\":"
                                                   "\"https://v.example/"
                                                   "a\",\"headers\":[{\"name\":"
                                                   "\"access-control-request-method\","
                                                   "\"value\":\"PUT\"}]}",
                                                   OK) "," ENTRY("{\"method\":\"GET\",\"url\":"
                                                                 "\"https://v.example\"}",
                                                                 "{\"status\":0}") "," ENTRY("{\"me"
                                                                                             "thod"
                                                                                             "\":"
                                                                                             "\"GET"
                                                                                             "\","
                                                                                             "\"url"
                                                                                             "\":"
                                                                                             "\"htt"
                                                                                             "ps://"
                                                                                             "v."
                                                                                             "examp"
                                                                                             "le/"
                                                                                             "big\""
                                                                                             "}",
                                                                                             "{\"st"
                                                                                             "atus"
                                                                                             "\":"
                                                                                             "200,"
                                                                                             "\"con"
                                                                                             "tent"
                                                                                             "\":{"
                                                                                             "\"siz"
                                                                                             "e\":"
                                                                                             "99,"
                                                                                             "\"mim"
                                                                                             "eType"
                                                                                             "\":"
                                                                                             "\"x/"
                                                                                             "y\"}"
                                                                                             "}")),
        NULL);
    const struct wire *e = h->list;
    assert_int_equal(h->n, 3);
    assert_int_equal(e->at_us, 1795424400500000);
    assert_int_equal(e->took_us, 12500);
    assert_string_equal(e->origin, "https://v.example");
    assert_string_equal(e->target, "/a%20b?q=%C3%A9");
    assert_int_equal(e->sent.n_headers, 2);
    assert_string_equal(e->sent.headers[0].name, "x-a");
    assert_string_equal(wire_header(&e->sent, "Content-Type"), "application/x-www-form-urlencoded");
    assert_string_equal(e->sent.body.data, "a=1%262&b=");
    assert_string_equal(e->got.body.data, "hello");
    assert_null(wire_header(&e->got, "Content-Encoding"));
    assert_string_equal(e[1].target, "/");
    assert_string_equal(e[1].error, "no answer");
    assert_true(e[2].got.body.cut);
    assert_int_equal(e[2].got.body.size, 99);
    assert_string_equal(buf_str(&h->notes), "1 preflights of a browser are left out\n");
    har_free(h);
}

#define GET_OF(url) ENTRY("{\"method\":\"GET\",\"url\":\"" url "\"}", OK)

static void one_says_whose_exchanges_are_meant(void **state)
{
    static const char text[] =
        LOG(GET_OF("https://a.v.example/1") "," GET_OF("https://x.example/2") "," GET_OF(
            "https://b.v.example:81/3") "," GET_OF("https://x.example/4"));
    struct har *h = parse(text, "*.v.example");
    assert_int_equal(h->n, 2);
    assert_string_equal(h->list[0].target, "/1");
    assert_string_equal(h->list[1].target, "/3");
    assert_int_equal(h->list[1].n, 2);
    assert_string_equal(buf_str(&h->notes), "2 exchanges with other hosts are left out\n");
    har_free(h);
    assert_refused(text, "x.har: which host's exchanges? Say so with --host. There are a.v.example "
                         "(1), x.example (2), b.v.example (1)");
}

static void what_is_missing_or_wrong_is_named_with_its_path(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "x.har:1: unexpected end where a value was expected"},
        {"[]", "x.har:1: must be an object"},
        {"{}", "x.har:1: log: is missing"},
        {"{\"log\":[]}", "x.har:1: log: must be an object"},
        {"{\n\"log\":{}}", "x.har:2: log.entries: is missing"},
        {"{\"log\":{\"version\":\"2.0\",\"entries\":[]}}", "x.har:1: log.version: must be \"1.2\""},
        {LOG("7"), "x.har:1: log.entries[0]: must be an object"},
        {LOG("{}"), "x.har:1: log.entries[0].startedDateTime: is missing"},
        {LOG("{\"startedDateTime\":\"today\"}"),
         "x.har:1: log.entries[0].startedDateTime: \"today\" is not a time"},
        {LOG(GET_OF("https://v.example/") ",\n" ENTRY("{\"method\":\"GET\"}", OK)),
         "x.har:2: log.entries[1].request.url: is missing"},
        {LOG(GET_OF("file:///etc/passwd")),
         "x.har:1: log.entries[0].request.url: \"file:///etc/passwd\" is not an http or https URL"},
        {LOG(GET_OF("https:///x")),
         "x.har:1: log.entries[0].request.url: \"https:///x\" has no host"},
        {LOG(ENTRY("{\"url\":\"https://v.example/\"}", OK)),
         "x.har:1: log.entries[0].request.method: is missing"},
        {LOG(ENTRY("{\"method\":\"G T\",\"url\":\"https://v.example/\"}", OK)),
         "x.har:1: log.entries[0].request.method: \"G T\" is not a method"},
        {LOG(ENTRY(
             "{\"method\":\"GET\",\"url\":\"https://v.example/\",\"headers\":[{\"name\":\"a\","
             "\"value\":\"b\"},{\"name\":\"c\"}]}",
             OK)),
         "x.har:1: log.entries[0].request.headers[1].value: is missing"},
        {LOG(ENTRY(
             "{\"method\":\"GET\",\"url\":\"https://v.example/\",\"headers\":[{\"name\":\"a\","
             "\"value\":\"b\\r\\nc: d\"}]}",
             OK)),
         "x.har:1: log.entries[0].request.headers[0]: is not a header field"},
        {LOG(ENTRY("{\"method\":\"PUT\",\"url\":\"https://v.example/\",\"postData\":{\"params\":[{"
                   "\"name\":\"a\",\"fileName\":\"b\"}]}}",
                   OK)),
         "x.har:1: log.entries[0].request.postData.params[0].fileName: files of forms can't be "
         "read"},
        {LOG(ENTRY("{\"method\":\"GET\",\"url\":\"https://v.example/\"}", "{\"status\":1000}")),
         "x.har:1: log.entries[0].response.status: must be a status from 100 to 999, or 0"},
        {LOG(ENTRY("{\"method\":\"GET\",\"url\":\"https://v.example/\"}",
                   "{\"status\":200,\"content\":{\"text\":\"*\",\"encoding\":\"base64\"}}")),
         "x.har:1: log.entries[0].response.content.text: is not base64"},
        {LOG(ENTRY("{\"method\":\"GET\",\"url\":\"https://v.example/\"}",
                   "{\"status\":200,\"content\":{\"text\":\"*\",\"encoding\":\"rot13\"}}")),
         "x.har:1: log.entries[0].response.content.encoding: \"rot13\" is not known (base64 is)"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        assert_refused(cases[i].text, cases[i].message);
}

static void nesting_and_numbers_are_limited(void **state)
{
    struct buf b;
    struct har *h;
    struct har_options o = {0};
    buf_init(&b, 0);
    buf_puts(&b, "{\"log\":{\"entries\":[],\"x\":");
    for (int i = 0; i < 100000; i++)
        buf_byte(&b, '[');
    assert_int_equal(har_parse("x.har", b.data, b.len, &o, &h, &err), -1);
    assert_non_null(strstr(err.text, "x.har:1: "));
    buf_clear(&b);
    buf_puts(&b,
             "{\"log\":{\"entries\":[{\"startedDateTime\":\"2026-11-23T10:00:00Z\",\"request\":{"
             "\"method\":\"GET\",\"url\":\"https://v.example/\",\"headers\":[{}");
    for (int i = 0; i < 1000; i++)
        buf_puts(&b, ",{}");
    buf_puts(&b, "]}}]}}");
    assert_int_equal(har_parse("x.har", b.data, b.len, &o, &h, &err), -1);
    assert_string_equal(err.text, "x.har:1: log.entries[0].request.headers: has more than 1000");
    buf_done(&b);
}

static int a_cassette_comes_back(void *arg, const char *file, const char *name, struct sosia_err *e)
{
    struct cassette *c, *again;
    struct buf text, har, back;
    struct arena a;
    struct wire *list;
    struct har *h;
    size_t n;
    int *count = arg;
    assert_int_equal(cassette_load(file, &c, e), 0);
    buf_init(&text, 0);
    buf_init(&har, 0);
    buf_init(&back, 0);
    arena_init(&a, 0);
    cassette_write(c, &text);
    assert_int_equal(har_of_cassette(&a, c, NULL, "https://v.example", &list, &n, e), 0);
    har_write(&har, list, n, c->title, buf_str(&text));
    h = parse(buf_str(&har), NULL);
    assert_int_equal(h->n, n);
    assert_non_null(h->cassette);
    struct json_writer w;
    struct buf inner;
    buf_init(&inner, 0);
    json_init(&w, &inner, false, NULL);
    json_value(&w, NULL, h->cassette);
    if (cassette_parse("again.json", inner.data, inner.len, &again, e) < 0)
        fail_msg("%s: %s", name, e->text);
    cassette_write(again, &back);
    assert_string_equal(buf_str(&back), buf_str(&text));
    buf_done(&inner);
    cassette_free(again);
    har_free(h);
    buf_done(&text);
    buf_done(&har);
    buf_done(&back);
    arena_done(&a);
    cassette_free(c);
    (*count)++;
    return 0;
}

static void every_cassette_comes_back_through_har(void **state)
{
    const char *dir = getenv("SOSIA_CASSETTES");
    int n = 0;
    assert_non_null(dir);
    assert_int_equal(cassette_each(&dir, 1, a_cassette_comes_back, &n, &err), 0);
    assert_true(n >= 2);
}

static void a_replay_is_reported_with_the_values_it_had(void **state)
{
    static const char text[] =
        "{\"cassette\":1,\"title\":\"t\",\"world\":\"small\",\"actors\":{\"ada\":\"a@x.example\"},"
        "\"as\":\"ada\",\"steps\":[{\"id\":\"one\",\"call\":\"POST "
        "/x\",\"send\":{\"a\":1},\"expect\":{"
        "\"body\":{\"id\":\"${>id:string}\"}}},{\"id\":\"two\",\"call\":\"GET "
        "/x/${=id}\",\"query\":{"
        "\"q\":\"${=id}!\"},\"expect\":204}]}";
    struct cassette *c;
    struct arena a;
    struct wire *list;
    size_t n;
    static const char got[] = "{\"id\":\"a b\"}";
    arena_init(&a, 0);
    assert_int_equal(cassette_parse("c.json", text, strlen(text), &c, &err), 0);
    struct exchange two = {.id = "two", .answered = true, .status = 204, .outcome = OUTCOME_EQUAL};
    struct exchange one = {.id = "one", .answered = true, .status = 200, .next = &two};
    struct scenario s = {.first = &one};
    assert_int_equal(json_parse(&a, got, strlen(got), NULL, &one.json, &err), 0);
    assert_int_equal(har_of_cassette(&a, c, &s, "https://v.example", &list, &n, &err), 0);
    assert_int_equal(n, 2);
    assert_string_equal(list[0].sent.body.data, "{\"a\":1}");
    assert_string_equal(wire_header(&list[0].sent, "Authorization"), "Bearer redacted-token-ada");
    assert_string_equal(list[1].target, "/x/a%20b?q=a%20b%21");
    assert_int_equal(har_of_cassette(&a, c, NULL, "https://v.example", &list, &n, &err), 0);
    assert_string_equal(list[1].target, "/x/${=id}?q=%24%7B%3Did%7D%21");
    cassette_free(c);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_is_written_has_what_the_form_wants),
        cmocka_unit_test(what_browsers_write_is_understood),
        cmocka_unit_test(one_says_whose_exchanges_are_meant),
        cmocka_unit_test(what_is_missing_or_wrong_is_named_with_its_path),
        cmocka_unit_test(nesting_and_numbers_are_limited),
        cmocka_unit_test(every_cassette_comes_back_through_har),
        cmocka_unit_test(a_replay_is_reported_with_the_values_it_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
