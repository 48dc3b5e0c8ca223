/* SPDX-License-Identifier: Apache-2.0 */
/* What must not leave an account leaves it as something made up, and nothing else changes. */
#include "tests/support/unit.h"
#include "conformance/record/redact.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>

struct fixture {
    struct redactor *redactor;
    struct arena arena;
    struct buf places, made;
};

static struct sosia_err err;

static void note_place(void *arg, enum redact_kind kind, const char *path, const char *with)
{
    struct fixture *f = arg;
    buf_printf(&f->places, "%s %s %s\n", redact_kinds[kind], path, with);
}

static void note_made(void *arg, const char *kind, const char *tag, const char *with)
{
    struct fixture *f = arg;
    buf_printf(&f->made, "%s %s %s\n", kind, tag, with);
}

static void open_fixture(struct fixture *f, unsigned keep)
{
    struct redactor_options o = {
        .keep = keep, .key = "k", .place = note_place, .made = note_made, .arg = f};
    arena_init(&f->arena, 0);
    buf_init(&f->places, 0);
    buf_init(&f->made, 0);
    assert_int_equal(redactor_new(&o, &f->redactor, &err), 0);
}

static void close_fixture(struct fixture *f)
{
    redactor_free(f->redactor);
    arena_done(&f->arena);
    buf_done(&f->places);
    buf_done(&f->made);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    open_fixture(f, REDACT_KEEP_DEFAULT);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    close_fixture(*state);
    free(*state);
    return 0;
}

static struct wire run(struct fixture *f, struct wire e)
{
    if (!e.target)
        e.target = "/";
    assert_int_equal(redact_wire(f->redactor, &f->arena, &e, &err), 0);
    return e;
}

static const char *target(struct fixture *f, const char *text)
{
    return run(f, (struct wire){.target = text}).target;
}

static const char *header(struct fixture *f, const char *name, const char *value)
{
    struct sosia_header h = {name, value};
    struct wire e = run(f, (struct wire){.sent = {.headers = &h, .n_headers = 1}});
    assert_string_equal(h.value, value); /* what was given stays as it is */
    return e.sent.headers[0].value;
}

static const char *body(struct fixture *f, const char *type, const char *text)
{
    struct sosia_header h = {"Content-Type", type};
    struct wire e = {.got = {.headers = &h, .n_headers = 1}};
    e.got.body = (struct wire_body){.data = text, .len = strlen(text), .size = strlen(text)};
    e = run(f, e);
    assert_int_equal(e.got.body.len, strlen(e.got.body.data));
    return e.got.body.data;
}

static const char *json(struct fixture *f, const char *text)
{
    return body(f, "application/json; charset=UTF-8", text);
}

static const char *text(struct fixture *f, const char *given)
{
    return body(f, "text/plain", given);
}

static size_t counted(struct fixture *f, enum redact_kind kind)
{
    size_t counts[N_REDACT_KINDS];
    redactor_counts(f->redactor, counts);
    return counts[kind];
}

/* ---- credentials ---- */

static void credentials_of_headers_are_taken_out_and_the_same_is_the_same(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(header(f, "Authorization", "Bearer abc.def"), "Bearer redacted-token-1");
    assert_string_equal(header(f, "authorization", "Bearer other"), "Bearer redacted-token-2");
    assert_string_equal(header(f, "Authorization", "Bearer abc.def"), "Bearer redacted-token-1");
    assert_string_equal(header(f, "Authorization", "Basic dXNlcjpwYXNz"), "Basic redacted-token-3");
    assert_string_equal(header(f, "X-Goog-Api-Key", "AIzaX"), "redacted-key-1");
    assert_string_equal(header(f, "X-Goog-Channel-Token", "mine"), "redacted-token-4");
    assert_string_equal(header(f, "Cookie", "SID=abc; theme=dark"),
                        "SID=redacted-cookie-1; theme=redacted-cookie-2");
    assert_string_equal(header(f, "Set-Cookie", "SID=abc; Path=/; HttpOnly"),
                        "SID=redacted-cookie-1; Path=/; HttpOnly");
    assert_int_equal(counted(f, REDACT_TOKEN), 5);
    assert_int_equal(counted(f, REDACT_COOKIE), 3);
}

static void credentials_of_queries_forms_and_bodies_are_taken_out(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(target(f, "/x?alt=json&key=AIzaSy1&access_token=ya%2929&pageToken=p"),
                        "/x?alt=json&key=redacted-key-1&access_token=redacted-token-1&pageToken=p");
    assert_string_equal(
        body(f, "application/x-www-form-urlencoded",
             "grant_type=authorization_code&code=4%2Fabc&client_id=me&client_secret=shh"),
        "grant_type=authorization_code&code=redacted-token-2&client_id=me&client_secret="
        "redacted-token-3");
    assert_string_equal(
        json(f, "{\"access_token\":\"new\",\"id_token\":\"a.b.c\",\"expires_in\":3599}"),
        "{\"access_token\":\"redacted-token-4\",\"id_token\":\"redacted-token-5\",\"expires_in\":"
        "3599}");
    /* the token of the response is the one that is used */
    assert_string_equal(header(f, "Authorization", "Bearer new"), "Bearer redacted-token-4");
}

static void credentials_without_a_name_or_a_text_are_taken_out(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(target(f, "/x?ya29.a0Af_H-longer&ada%40acme.com=1&b"),
                        "/x?redacted-token-1&person1%40org1.example=1&b");
    assert_string_equal(header(f, "Cookie", "abc; SID=def"),
                        "redacted-cookie-1; SID=redacted-cookie-2");
    assert_string_equal(header(f, "Set-Cookie", "abc; Secure"), "redacted-cookie-1; Secure");
    assert_string_equal(json(f, "{\"password\":1234,\"n\":1234,\"token\":null}"),
                        "{\"password\":\"redacted-token-2\",\"n\":1234,\"token\":null}");
    struct sosia_header h = {"Content-Type", "application/x-www-form-urlencoded"};
    static const char form[] = "a=caf\xe9&client_id=me&password=shh&b=\xff";
    struct wire e = {.target = "/", .sent = {.headers = &h, .n_headers = 1}};
    e.sent.body = (struct wire_body){.data = form, .len = sizeof form - 1};
    assert_string_equal(run(f, e).sent.body.data,
                        "a=caf\xe9&client_id=me&password=redacted-token-3&b=\xff");
    e = run(f, (struct wire){.target = "/", .error = "broken by ada@acme.com"});
    assert_string_equal(e.error, "broken by person1@org1.example");
}

/* What can't be searched in reasonable time is not kept: there might be anything in it. */
static void what_takes_too_long_is_taken_out_whole(void **state)
{
    struct fixture *f = *state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "first ya29.a0Af_H-longer\n-----BEGIN PRIVATE KEY-----\nMIIB\nQUFB\n");
    for (int i = 0; i < 400000; i++)
        buf_puts(&b, "-----END");
    buf_puts(&b, " ya29.a0Af_H-longer\nlast");
    assert_string_equal(text(f, buf_str(&b)), "first redacted-token-1\nredacted-token-2");
    buf_clear(&b);
    for (int i = 0; i < 20000; i++)
        buf_puts(&b, i ? "a." : "x@");
    buf_puts(&b, "b ya29.a0Af_H-longer");
    assert_null(strstr(text(f, buf_str(&b)), "ya29"));
    buf_clear(&b);
    buf_printf(&b, "Ada%100000s ya29.a0Af_H-longer", "");
    assert_null(strstr(text(f, buf_str(&b)), "ya29"));
    buf_done(&b);
}

static void a_code_is_secret_only_where_oauth_is_spoken(void **state)
{
    struct fixture *f = *state;
    const char *error = "{\"error\":{\"code\":\"ErrorItemNotFound\",\"message\":\"No.\"}}";
    assert_string_equal(json(f, error), error);
    assert_string_equal(target(f, "/x?code=a"), "/x?code=a");
    assert_string_equal(target(f, "/x?code=a&client_id=b"), "/x?code=redacted-token-1&client_id=b");
}

static void credentials_are_known_by_their_form(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(text(f, "use ya29.a0Af_H-longer and xoxb-12345678-abc."),
                        "use redacted-token-1 and redacted-token-2.");
    assert_string_equal(
        text(f, "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0123.c2lnbmF0dXJl and Bearer abcdefgh123"),
        "redacted-token-3 and Bearer redacted-token-4");
    assert_string_equal(text(f, "https://x.example/?a=1&access_token=zzz&b=2"),
                        "https://x.example/?a=1&access_token=redacted-token-5&b=2");
    assert_string_equal(text(f, "AIzaSyA1234567890123456789012345678901_"), "redacted-key-1");
    assert_string_equal(
        json(f, "{\"url\":\"https://hooks.slack.com/services/T0ACME/B0HOOK/Xq3vR9sLw0aa\"}"),
        "{\"url\":\"https://hooks.slack.com/services/T0ACME/B0HOOK/redacted-token-6\"}");
    assert_string_equal(text(f, "https:\\/\\/hooks.slack.com\\/services\\/T0\\/B0\\/Xq3vR9sLw0aa"),
                        "https:\\/\\/hooks.slack.com\\/services\\/T0\\/B0\\/redacted-token-6");
    assert_string_equal(target(f, "/@hooks.slack.com/services/T0ACME/B0HOOK/Xq3vR9sLw0aa?x=1"),
                        "/@hooks.slack.com/services/T0ACME/B0HOOK/redacted-token-6?x=1");
    struct wire hook = run(f, (struct wire){.origin = "https://hooks.slack.com",
                                            .target = "/services/T0ACME/B0HOOK/Xq3vR9sLw0aa"});
    assert_string_equal(hook.target, "/services/T0ACME/B0HOOK/redacted-token-6");
    const char *challenge = "Bearer realm=\"https://accounts.google.com/\"";
    assert_string_equal(header(f, "WWW-Authenticate", challenge), challenge);
}

/* ---- people ---- */

static void addresses_become_those_of_example_domains(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        json(f, "{\"email\":\"Ada@acme.com\",\"other\":\"bo@acme.com\",\"c\":\"x@else.org\"}"),
        "{\"email\":\"person1@org1.example\",\"other\":\"person2@org1.example\",\"c\":"
        "\"person3@org2.example\"}");
    assert_string_equal(target(f, "/calendars/ada%40acme.com/events?q=a&attendee=bo%40acme.com"),
                        "/calendars/person1%40org1.example/events?q=a&attendee=person2%40org1."
                        "example");
    assert_string_equal(text(f, "write to ada@acme.com, or https://x.y/?a=ada%40acme.com."),
                        "write to person1@org1.example, or "
                        "https://x.y/?a=person1%40org1.example.");
    assert_string_equal(json(f, "{\"calendars\":{\"ada@acme.com\":{\"busy\":[]}}}"),
                        "{\"calendars\":{\"person1@org1.example\":{\"busy\":[]}}}");
    assert_string_equal(json(f, "{\"hd\":\"acme.com\"}"), "{\"hd\":\"org1.example\"}");
}

static void what_nobody_owns_stays(void **state)
{
    struct fixture *f = *state;
    static const char *const same[] = {
        "{\"email\":\"ada@small.example\",\"displayName\":\"Ada Conti\"}",
        "{\"email\":\"ada@example.com\",\"name\":\"Ada\"}",
        "{\"id\":\"en.italian#holiday@group.v.calendar.google.com\"}",
        "{\"organizer\":{\"email\":\"c_1@group.calendar.google.com\",\"displayName\":\"Team\"}}",
        "{\"iCalUID\":\"h90gdquh1a1ld93q7bsqrhaq98@google.com\"}",
        "{\"ip\":\"127.0.0.1\",\"b\":\"192.0.2.7\",\"c\":\"::1\",\"d\":\"10:30:00\"}",
        "{\"error\":{\"errors\":[{\"domain\":\"global\"}],\"details\":[{\"domain\":"
        "\"googleapis.com\"}]}}",
        "{\"labels\":[{\"id\":\"Label_1\",\"name\":\"Work\"}],\"summary\":\"Lunch with Bo\"}",
        "{\"icon\":\"image@2x.png\",\"start\":\"2026-11-24T10:00:00+0100\"}",
        "{\"user\":{\"displayName\":\"Person 7\"},\"token\":\"redacted-token-3\"}",
        "{\"sizes\":[1.10,2],\"id\":\"18c2f00000000000\",\"historyId\":\"1234567\"}"};
    for (size_t i = 0; i < SOSIA_LEN(same); i++)
        assert_string_equal(json(f, same[i]), same[i]);
    assert_string_equal(header(f, "User-Agent", "Mozilla/5.0 Chrome/142.0.0.0"),
                        "Mozilla/5.0 Chrome/142.0.0.0");
    assert_int_equal(f->places.len, 0);
}

static void a_person_has_one_name(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        json(f, "{\"creator\":{\"email\":\"ada@acme.com\",\"displayName\":\"Ada Conti\"},"
                "\"author\":{\"displayName\":\"Ada Conti\",\"me\":true}}"),
        "{\"creator\":{\"email\":\"person1@org1.example\",\"displayName\":\"Person 1\"},"
        "\"author\":{\"displayName\":\"Person 1\",\"me\":true}}");
    assert_string_equal(json(f, "{\"headers\":[{\"name\":\"From\",\"value\":\"Ada Conti "
                                "<ada@acme.com>, \\\"Bo L\\\" <bo@acme.com>\"}]}"),
                        "{\"headers\":[{\"name\":\"From\",\"value\":\"Person 1 "
                        "<person1@org1.example>, \\\"Person 2\\\" <person2@org1.example>\"}]}");
    assert_string_equal(
        json(f, "{\"owner\":{\"displayName\":\"Cy\",\"photoLink\":\"https://p/1\"}}"),
        "{\"owner\":{\"displayName\":\"Person 3\",\"photoLink\":"
        "\"https://picture.example/\"}}");
}

static void telephones_and_machines_are_taken_out(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(json(f, "{\"phoneNumbers\":[{\"value\":\"06 555 1234\"}],\"uri\":"
                                "\"tel:+39-06-555-1234\",\"mobilePhone\":\"+1 212 555 9876\"}"),
                        "{\"phoneNumbers\":[{\"value\":\"+12025550100\"}],\"uri\":"
                        "\"tel:+12025550101\",\"mobilePhone\":\"+12025550102\"}");
    assert_string_equal(text(f, "from 81.2.69.142 ([2a00:1450:4001::200e]), http://10.1.2.3/x"),
                        "from 192.0.2.1 ([2001:db8::2]), http://192.0.2.3/x");
    assert_string_equal(header(f, "X-Forwarded-For", "81.2.69.142"), "192.0.2.1");
}

static void packed_texts_are_looked_into(void **state)
{
    struct fixture *f = *state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "{\"raw\":\"");
    static const char mail[] = "From: Ada <ada@acme.com>\r\nSubject: Hi\r\n\r\nHello";
    base64url_add(&b, mail, sizeof mail - 1, false);
    buf_puts(&b, "\",\"htmlLink\":\"https://www.google.com/calendar/event?eid=");
    base64url_add(&b, "h90gdquh1a1ld93q7bsqrhaq98 ada@m", 32, false);
    buf_puts(&b, "\"}");
    const char *got = json(f, buf_str(&b));
    buf_clear(&b);
    buf_puts(&b, "{\"raw\":\"");
    static const char made[] = "From: Person 1 <person1@org1.example>\r\nSubject: Hi\r\n\r\nHello";
    base64url_add(&b, made, sizeof made - 1, false);
    buf_puts(&b, "\",\"htmlLink\":\"https://www.google.com/calendar/event?eid=");
    static const char link[] = "h90gdquh1a1ld93q7bsqrhaq98 person2@org2.example";
    base64url_add(&b, link, sizeof link - 1, false);
    buf_puts(&b, "\"}");
    assert_string_equal(got, buf_str(&b));
    buf_done(&b);
}

static void parts_of_a_batch_are_looked_into(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        body(f, "multipart/mixed; boundary=b",
             "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
             "{\"email\":\"ada@acme.com\",\"name\":\"Ada\"}\r\n--b\r\n\r\n"
             "GET /x?q=bo@acme.com\r\nAuthorization: Bearer abcdefgh1\r\n\r\n--b--"),
        "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
        "{\"email\":\"person1@org1.example\",\"name\":\"Person 1\"}\r\n--b\r\n\r\n"
        "GET /x?q=person2@org1.example\r\nAuthorization: Bearer redacted-token-1\r\n\r\n--b--");
}

static void json_that_was_cut_is_looked_into(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(json(f,
                             "{\"refresh_token\": \"1//abc\", \"displayName\": \"Ada \\\"A\\\"\", "
                             "\"email\": \"ada@acme.com\", \"summary\": \"Lun"),
                        "{\"refresh_token\": \"redacted-token-1\", \"displayName\": \"Person 1\", "
                        "\"email\": \"person2@org1.example\", \"summary\": \"Lun");
}

/* ---- reports ---- */

static void places_are_reported_with_their_paths(void **state)
{
    struct fixture *f = *state;
    struct sosia_header h = {"Authorization", "Bearer abc"};
    struct wire e = {.target = "/u/ada%40acme.com?key=k", .sent = {.headers = &h, .n_headers = 1}};
    static const char got[] = "{\"items\":[{},{\"attendees\":[{\"email\":\"bo@acme.com\"}]}]}";
    e.got.body = (struct wire_body){.data = got, .len = sizeof got - 1};
    run(f, e);
    assert_string_equal(buf_str(&f->places),
                        "email request.path person1@org1.example\n"
                        "key request.query.key redacted-key-1\n"
                        "token request.headers.Authorization redacted-token-1\n"
                        "email response.body.items[1].attendees[0].email person2@org1.example\n");
}

static void kinds_can_be_kept(void **state)
{
    struct fixture f;
    open_fixture(&f, REDACT_KEEP_DEFAULT | 1u << REDACT_EMAIL | 1u << REDACT_NAME);
    static const char person[] = "{\"email\":\"ada@acme.com\",\"name\":\"Ada\",\"ip\":\"1.2.3.4\"}";
    assert_string_equal(json(&f, person),
                        "{\"email\":\"ada@acme.com\",\"name\":\"Ada\",\"ip\":\"192.0.2.1\"}");
    assert_string_equal(header(&f, "Authorization", "Bearer abc"), "Bearer redacted-token-1");
    close_fixture(&f);
}

static void free_texts_go_only_when_asked(void **state)
{
    struct fixture f;
    open_fixture(&f, 0);
    assert_string_equal(
        json(&f,
             "{\"summary\":\"Lunch\",\"description\":\"Lunch\",\"id\":\"x1\",\"labels\":[{\"name\":"
             "\"INBOX\"}],\"error\":{\"errors\":[{\"location\":\"If-Match\"}]}}"),
        "{\"summary\":\"text 1\",\"description\":\"text 1\",\"id\":\"x1\",\"labels\":[{\"name\":"
        "\"INBOX\"}],\"error\":{\"errors\":[{\"location\":\"If-Match\"}]}}");
    assert_string_equal(target(&f, "/x?q=Lunch"), "/x?q=text%201");
    close_fixture(&f);
}

static void a_second_run_knows_what_the_first_made(void **state)
{
    struct fixture *f = *state, g;
    char kind[16], tag[64], with[64];
    static const char people[] =
        "{\"a\":\"bo@acme.com\",\"b\":\"ada@acme.com\",\"c\":\"cy@else.org\"}";
    json(f, "{\"a\":\"ada@acme.com\",\"b\":\"bo@acme.com\"}");
    assert_null(strstr(buf_str(&f->made), "acme"));
    open_fixture(&g, REDACT_KEEP_DEFAULT);
    for (char *p = (char *)buf_str(&f->made); *p; p = strchr(p, '\n') + 1) {
        assert_int_equal(sscanf(p, "%15s %63s %63s", kind, tag, with), 3);
        assert_int_equal(redactor_know(g.redactor, kind, tag, with), 0);
    }
    assert_string_equal(json(&g, people),
                        "{\"a\":\"person2@org1.example\",\"b\":\"person1@org1.example\",\"c\":"
                        "\"person3@org2.example\"}");
    close_fixture(&g);
}

static void what_was_redacted_stays_as_it_is_the_second_time(void **state)
{
    struct fixture *f = *state;
    const char *once = json(
        f, "{\"creator\":{\"email\":\"ada@acme.com\",\"displayName\":\"Ada\",\"photoLink\":\"u\"},"
           "\"phone\":\"+39065551234\",\"ip\":\"8.8.8.8\",\"access_token\":\"t\"}");
    size_t before = f->places.len;
    assert_string_equal(json(f, once), once);
    assert_int_equal(f->places.len, before);
}

static void bytes_stay_unless_there_are_texts_among_them(void **state)
{
    struct fixture *f = *state;
    struct sosia_header h = {"Content-Type", "image/jpeg"};
    struct wire e = {.target = "/", .got = {.headers = &h, .n_headers = 1}};
    static const char data[] = "\xff\xd8 ada@acme.com \0 x";
    e.got.body = (struct wire_body){.data = data, .len = sizeof data - 1};
    assert_ptr_equal(run(f, e).got.body.data, data);
    h.value = "multipart/related; boundary=b";
    static const char parts[] =
        "--b\r\n\r\n{\"email\":\"ada@acme.com\",\"name\":\"Ada\"}\r\n--b\r\n"
        "Content-Type: image/png\r\n\r\n\x89PNG\0\xff\r\n--b--";
    static const char made[] =
        "--b\r\n\r\n{\"email\":\"person1@org1.example\",\"name\":\"Person 1\"}"
        "\r\n--b\r\nContent-Type: image/png\r\n\r\n\x89PNG\0\xff\r\n--b--";
    e.got.body = (struct wire_body){.data = parts, .len = sizeof parts - 1};
    e = run(f, e);
    assert_int_equal(e.got.body.len, sizeof made - 1);
    assert_memory_equal(e.got.body.data, made, sizeof made - 1);
    h.value = "text/plain; charset=iso-8859-1";
    static const char latin[] = "caf\xe9, ada@acme.com";
    e.got.body = (struct wire_body){.data = latin, .len = sizeof latin - 1};
    assert_string_equal(run(f, e).got.body.data, "caf\xe9, person1@org1.example");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(credentials_of_headers_are_taken_out_and_the_same_is_the_same),
        TEST(credentials_of_queries_forms_and_bodies_are_taken_out),
        TEST(credentials_without_a_name_or_a_text_are_taken_out),
        TEST(what_takes_too_long_is_taken_out_whole),
        TEST(a_code_is_secret_only_where_oauth_is_spoken),
        TEST(credentials_are_known_by_their_form),
        TEST(addresses_become_those_of_example_domains),
        TEST(what_nobody_owns_stays),
        TEST(a_person_has_one_name),
        TEST(telephones_and_machines_are_taken_out),
        TEST(packed_texts_are_looked_into),
        TEST(parts_of_a_batch_are_looked_into),
        TEST(json_that_was_cut_is_looked_into),
        TEST(places_are_reported_with_their_paths),
        TEST(kinds_can_be_kept),
        TEST(free_texts_go_only_when_asked),
        TEST(a_second_run_knows_what_the_first_made),
        TEST(what_was_redacted_stays_as_it_is_the_second_time),
        TEST(bytes_stay_unless_there_are_texts_among_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
