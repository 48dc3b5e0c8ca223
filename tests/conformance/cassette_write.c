/* SPDX-License-Identifier: Apache-2.0 */
/* From recordings to cassettes: what is recognised, and that a recording of sosia replays equal. */
#include "tests/support/unit.h"
#include "conformance/record/compose.h"
#include "conformance/replay.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include <stdio.h>
#include <stdlib.h>

static struct sosia_err err;

/* ---- recordings without the recorder ---- */

enum { AT_S = 1795424400 }; /* 2026-11-23T09:00:00Z */
#define ORIGIN "https://api.vendor.example"

struct tape {
    struct recorded r;
    struct compose_options o;
    struct buf text, notes;
    struct arena arena;
};

static int setup(void **state)
{
    struct tape *t = calloc(1, sizeof *t);
    arena_init(&t->arena, 0);
    t->r.target = ORIGIN;
    t->r.exchanges = arena_calloc(&t->arena, 64, sizeof *t->r.exchanges);
    t->r.actors = arena_calloc(&t->arena, 8, sizeof *t->r.actors);
    t->r.actors[t->r.n_actors++] = (struct recorded_actor){"ada@acme.example", "tok-ada"};
    buf_init(&t->text, 0);
    buf_init(&t->notes, 0);
    *state = t;
    return 0;
}

static int teardown(void **state)
{
    struct tape *t = *state;
    buf_done(&t->text);
    buf_done(&t->notes);
    arena_done(&t->arena);
    free(t);
    return 0;
}

static struct wire_body body_of(const char *text)
{
    size_t n = text ? strlen(text) : 0;
    return (struct wire_body){.data = text, .len = n, .size = n};
}

/* "Name: value" lines; they must outlive the tape. */
static void add_headers(struct tape *t, struct wire_message *m, const char *lines)
{
    m->headers = arena_calloc(&t->arena, 16, sizeof *m->headers);
    for (const char *p = lines; *p;) {
        size_t n = strcspn(p, "\n"), colon = strcspn(p, ":");
        m->headers[m->n_headers++] =
            (struct sosia_header){arena_memdup(&t->arena, p, colon),
                                  arena_memdup(&t->arena, p + colon + 2, n - colon - 2)};
        p += n + (p[n] == '\n');
    }
}

#define ADA  "Authorization: Bearer tok-ada"
#define JSON "Content-Type: application/json"

static struct wire *say(struct tape *t, const char *verb, const char *target, const char *headers,
                        const char *body, int status, const char *got_headers, const char *got)
{
    struct wire *e = &t->r.exchanges[t->r.n++];
    *e = (struct wire){.n = (int64_t)t->r.n,
                       .at_us = (AT_S + (int64_t)t->r.n) * US_PER_SECOND,
                       .verb = verb,
                       .origin = ORIGIN,
                       .target = target,
                       .status = status};
    add_headers(t, &e->sent, headers);
    add_headers(t, &e->got, got_headers);
    e->sent.body = body_of(body);
    e->got.body = body_of(got);
    return e;
}

/* The cassette as JSON; it can be read. */
static const struct json *composed(struct tape *t)
{
    struct cassette *c;
    const struct json *v;
    if (!t->o.title)
        t->o.title = "A test";
    buf_done(&t->text);
    if (compose_cassette(&t->r, &t->o, &c, &t->notes, &err) < 0 ||
        compose_check(c, "made.json", &t->text, &err) < 0)
        fail_msg("%s\n%s", err.text, buf_str(&t->text));
    cassette_free(c);
    assert_int_equal(json_parse(&t->arena, t->text.data, t->text.len, NULL, &v, &err), 0);
    return v;
}

static const struct json *step(const struct json *cassette, size_t i)
{
    const struct json *steps = json_get(cassette, "steps");
    assert_true(i < steps->n);
    return &steps->items[i];
}

static const struct json *at(const struct json *v, const char *path)
{
    char word[64];
    while (v && *path) {
        size_t n = strcspn(path, "/");
        memcpy(word, path, n);
        word[n] = 0;
        v = v->type == JSON_ARRAY ? &v->items[atoi(word)] : json_get(v, word);
        path += n + (path[n] == '/');
    }
    return v;
}

static void assert_text(const struct json *v, const char *path, const char *expected)
{
    const struct json *found = at(v, path);
    if (!found || found->type != JSON_STRING)
        fail_msg("there is no text at %s", path);
    assert_string_equal(found->str, expected);
}

/* ---- what is recognised ---- */

#define EVENT(id, etag)                                                                            \
    "{\"id\":\"" id "\",\"etag\":\"\\\"" etag "\\\"\",\"iCalUID\":\"" id                           \
    "@google.com\",\"created\":\"2026-11-23T09:00:01.000Z\",\"summary\":\"Lunch\",\"start\":{"     \
    "\"dateTime\":\"2026-11-24T10:00:00+01:00\"}}"
#define ID1 "h90gdquh1a1ld93q7bsqrhaq98"
#define ID2 "k3v0abquh1a1ld93q7bsqrhaq0"

static void what_comes_back_is_captured_and_referred_to(void **state)
{
    struct tape *t = *state;
    say(t, "POST", "/calendar/v3/calendars/primary/events?sendUpdates=all", ADA "\n" JSON,
        "{\"summary\":\"Lunch\"}", 200,
        JSON "; charset=UTF-8\nETag: \"3590841600000000\"\nServer: ESF",
        EVENT(ID1, "3590841600000000"));
    say(t, "PATCH", "/calendar/v3/calendars/primary/events/" ID1,
        ADA "\n" JSON "\nIf-Match: \"3590841600000000\"\nUser-Agent: me/1.0",
        "{\"recurringEventId\":\"" ID1 "\",\"note\":\"see " ID1 "_20261124T090000Z\"}", 200, JSON,
        EVENT(ID1, "3590841602000000"));
    say(t, "DELETE", "/calendar/v3/calendars/primary/events/" ID1 "?x=1&x=2", ADA, NULL, 204, "",
        NULL);
    const struct json *c = composed(t), *s = step(c, 0);
    assert_text(c, "source/kind", "recorded");
    assert_text(c, "source/date", "2026-11-23");
    assert_true(at(c, "order")->truth);
    assert_text(c, "actors/ada", "ada@acme.example");
    assert_text(s, "id", "events-insert");
    assert_text(s, "method", "calendar.events.insert");
    assert_text(s, "as", "ada");
    assert_text(s, "call", "POST /calendar/v3/calendars/primary/events");
    assert_text(s, "query/sendUpdates", "all");
    assert_null(at(s, "headers"));
    assert_text(s, "expect/body/id", "${>id:re:[a-v0-9]{26}}");
    assert_text(s, "expect/body/etag", "${>etag:etag}");
    assert_text(s, "expect/body/iCalUID", "${=id}@google.com");
    assert_text(s, "expect/body/created", "${time}");
    assert_text(s, "expect/body/summary", "Lunch");
    assert_text(s, "expect/body/start/dateTime", "2026-11-24T10:00:00+01:00");
    assert_text(s, "expect/headers/ETag", "${=etag}");
    assert_text(s, "expect/headers/Content-Type", "application/json; charset=UTF-8");
    assert_null(at(s, "expect/headers/Server"));
    s = step(c, 1);
    assert_text(s, "call", "PATCH /calendar/v3/calendars/primary/events/${=id}");
    assert_text(s, "headers/If-Match", "${=etag}");
    assert_null(at(s, "headers/User-Agent"));
    assert_text(s, "send/recurringEventId", "${=id}");
    assert_text(s, "send/note", "see ${=id}_20261124T090000Z");
    assert_text(s, "expect/body/id", "${=id}");
    assert_text(s, "expect/body/etag", "${etag}");
    s = step(c, 2);
    assert_int_equal(at(s, "query/x")->n, 2);
    assert_string_equal(at(s, "expect")->str, "204");
}

static void what_nobody_asks_for_again_is_matched_by_its_form(void **state)
{
    struct tape *t = *state;
    say(t, "GET", "/files", ADA, NULL, 200, JSON,
        "{\"items\":[{\"id\":\"1AbCdEfGhIjKlMnOpQrStUvWxYz012345\",\"n\":7,\"parents\":"
        "[\"0AHxYzAbCdEfGhUk9PVA\"],\"expires_in\":3599,\"at\":1795424401500,\"big\":12345678901},"
        "{\"internalDate\":\"1795424401000\",\"threadId\":\"18c2f0a1b2c3d4e5\",\"colorId\":\"14\"}]"
        ","
        "\"nextPageToken\":\"~!!~AI9FV7\",\"next_cursor\":\"\",\"etag\":\"\\\"p33fpj\\\"\"}");
    const struct json *b = at(step(composed(t), 0), "expect/body");
    assert_text(b, "items/0/id", "${re:[A-Za-z0-9]{33}}");
    assert_text(b, "items/0/parents/0", "${re:[A-Za-z0-9]{20}}");
    assert_text(b, "items/0/expires_in", "${number}");
    assert_text(b, "items/0/at", "${number}");
    assert_string_equal(at(b, "items/0/big")->str, "12345678901");
    assert_text(b, "items/1/internalDate", "${digits}");
    assert_text(b, "items/1/threadId", "${re:[0-9a-f]{16}}");
    assert_text(b, "items/1/colorId", "14");
    assert_text(b, "nextPageToken", "${string}");
    assert_text(b, "next_cursor", "");
    assert_text(b, "etag", "${etag}");
}

static void words_of_the_client_and_of_the_world_stay(void **state)
{
    struct tape *t = *state;
    static const char seed[] = "{\"events\":[{\"id\":\"a1b2c3d4e5f6g7h8\"}]}";
    assert_int_equal(json_parse(&t->arena, seed, sizeof seed - 1, NULL, &t->o.seed, &err), 0);
    t->o.fixture = "some";
    say(t, "POST", "/events", ADA "\n" JSON,
        "{\"id\":\"mine0123456789abcdef\",\"when\":\"2026-11-23T09:00:10Z\"}", 200, JSON,
        "{\"id\":\"mine0123456789abcdef\",\"when\":\"2026-11-23T09:00:10Z\",\"other\":"
        "\"a1b2c3d4e5f6g7h8\",\"price\":\"${x} $5\",\"link\":\"https://v.example/e?eid="
        "YTFiMmMzZDRlNWY2ZzdoOCBhZGFAYWNtZS5leGFtcGxl\"}");
    const struct json *c = composed(t), *b = at(step(c, 0), "expect/body");
    assert_text(c, "world/fixture", "some");
    assert_text(c, "world/time", "2026-11-23T09:00:01Z");
    assert_text(b, "id", "mine0123456789abcdef");
    assert_text(b, "when", "2026-11-23T09:00:10Z");
    assert_text(b, "other", "a1b2c3d4e5f6g7h8");
    assert_text(b, "price", "$${x} $5");
    assert_text(b, "link", "https://v.example/e?eid=YTFiMmMzZDRlNWY2ZzdoOCBhZGFAYWNtZS5leGFtcGxl");
    assert_text(step(c, 0), "send/when", "2026-11-23T09:00:10Z");
}

static void equal_tags_of_different_things_are_not_taken_for_one(void **state)
{
    struct tape *t = *state;
    say(t, "GET", "/events", ADA, NULL, 200, JSON,
        "{\"items\":[" EVENT(ID1, "77") "," EVENT(ID2, "77") "]}");
    say(t, "GET", "/events/" ID2, ADA "\nIf-None-Match: \"77\"", NULL, 304, "ETag: \"77\"", NULL);
    say(t, "GET", "/events/" ID1, ADA, NULL, 200, JSON, EVENT(ID1, "77"));
    const struct json *c = composed(t);
    assert_text(step(c, 0), "expect/body/items/0/etag", "${>etag:etag}");
    assert_text(step(c, 0), "expect/body/items/1/etag", "${>etag2:etag}");
    assert_text(step(c, 1), "headers/If-None-Match", "${=etag2}");
    assert_text(step(c, 2), "expect/body/etag", "${=etag}");
}

static void tokens_flow_and_equal_ones_by_chance_do_not_matter(void **state)
{
    struct tape *t = *state;
    say(t, "GET", "/events", ADA, NULL, 200, JSON, "{\"nextSyncToken\":\"CAES==\",\"a\":[]}");
    say(t, "GET", "/events", ADA, NULL, 200, JSON, "{\"nextSyncToken\":\"CAES==\",\"a\":[]}");
    say(t, "GET", "/events?syncToken=CAES%3D%3D", ADA, NULL, 200, JSON,
        "{\"nextSyncToken\":\"CAET==\",\"a\":[]}");
    const struct json *c = composed(t);
    assert_text(step(c, 0), "expect/body/nextSyncToken", "${string}");
    assert_text(step(c, 1), "expect/body/nextSyncToken", "${>nextSyncToken:string}");
    assert_text(step(c, 2), "query/syncToken", "${=nextSyncToken}");
}

static void urls_that_name_the_service_are_expected_of_any(void **state)
{
    struct tape *t = *state;
    say(t, "POST", "/upload/files?uploadType=resumable", ADA, NULL, 200,
        "Location: " ORIGIN "/upload/files?uploadType=resumable&upload_id=ABPtcPo9xyz_123-45", "");
    say(t, "PUT", "/upload/files?uploadType=resumable&upload_id=ABPtcPo9xyz_123-45",
        ADA "\nContent-Type: text/csv\nContent-Range: bytes 0-3/4", "a,b\n", 200, JSON,
        "{\"link\":\"" ORIGIN "/files\"}");
    const struct json *c = composed(t);
    assert_text(
        step(c, 0), "expect/headers/Location",
        "${origin}/upload/files?uploadType=resumable&upload_id=${>upload_id:re:[A-Za-z0-9_-]+}");
    assert_text(step(c, 1), "query/upload_id", "${=upload_id}");
    assert_text(step(c, 1), "headers/Content-Type", "text/csv");
    assert_text(step(c, 1), "headers/Content-Range", "bytes 0-3/4");
    assert_text(step(c, 1), "send/${text}", "a,b\n");
    assert_text(step(c, 1), "expect/body/link", "${origin}/files");
}

static void who_calls_follows_from_the_token(void **state)
{
    struct tape *t = *state;
    say(t, "GET", "/a", "Authorization: Bearer tok-bo", NULL, 200, JSON,
        "{\"items\":[{\"id\":\"bo.l@acme.example\",\"primary\":true}]}");
    say(t, "GET", "/a", ADA, NULL, 204, "", NULL);
    say(t, "GET", "/a", "X-Mine: 1", NULL, 204, "", NULL);
    say(t, "GET", "/a", "Authorization: Bearer nonsense", NULL, 401, JSON,
        "{\"error\":{\"code\":401}}");
    say(t, "GET", "/a?access_token=tok-ada&key=redacted-key-1", "", NULL, 204, "", NULL);
    say(t, "GET", "/a", "Authorization: Bearer tok-who", NULL, 204, "", NULL);
    const struct json *c = composed(t);
    assert_text(c, "actors/bo-l", "bo.l@acme.example");
    assert_text(step(c, 0), "as", "bo-l");
    assert_text(step(c, 1), "as", "ada");
    assert_int_equal(at(step(c, 2), "as")->type, JSON_NULL);
    assert_text(step(c, 2), "headers/X-Mine", "1");
    assert_int_equal(at(step(c, 3), "as")->type, JSON_NULL);
    assert_text(step(c, 3), "headers/Authorization", "Bearer nonsense");
    assert_text(step(c, 4), "query/access_token", "${token:ada}");
    assert_null(at(step(c, 4), "query/key"));
    assert_non_null(strstr(buf_str(&t->notes), "nothing says who tok-who is"));
    assert_non_null(strstr(at(c, "world/seed/people/0/email")->str, "@acme.example"));
}

static void bodies_have_their_forms(void **state)
{
    struct tape *t = *state;
    say(t, "POST", "/token", "Content-Type: application/x-www-form-urlencoded",
        "grant_type=refresh_token&refresh_token=redacted-token-9&scope=a+b", 200, JSON,
        "{\"access_token\":\"redacted-token-3\",\"token_type\":\"Bearer\"}");
    say(t, "POST", "/mail", ADA "\nContent-Type: message/rfc822", "From: x\r\n\r\nHi", 200,
        "Content-Type: text/plain", "done\n");
    say(t, "PUT", "/photo", ADA "\nContent-Type: image/png", "\x89PNG", 200,
        "Content-Type: image/png", "\x89PNG");
    const struct json *c = composed(t);
    assert_text(step(c, 2), "send/${base64}", "iVBORw==");
    assert_text(step(c, 2), "headers/Content-Type", "image/png");
    assert_text(step(c, 2), "expect/body", "${any}");
    assert_text(step(c, 0), "send/${form}/scope", "a b");
    assert_text(step(c, 0), "expect/body/access_token", "${string}");
    assert_text(step(c, 0), "expect/body/token_type", "Bearer");
    assert_int_equal(at(step(c, 1), "send/${lines}")->n, 3);
    assert_text(step(c, 1), "headers/Content-Type", "message/rfc822");
    assert_text(step(c, 1), "expect/body/${text}", "done\n");
}

static void what_can_not_be_a_step_is_named(void **state)
{
    struct tape *t = *state;
    say(t, "GET", "/a", ADA, NULL, 204, "", NULL);
    say(t, "GET", "/b", ADA, NULL, 0, "", NULL)->error = "no answer";
    say(t, "BREW", "/c", ADA, NULL, 204, "", NULL);
    say(t, "PUT", "/d?secret=1", ADA, "half", 204, "", NULL)->sent.body.cut = true;
    struct wire *cut = say(t, "GET", "/e", ADA, NULL, 200, JSON, "{\"a\":");
    cut->got.body.cut = true;
    const struct json *c = composed(t);
    assert_int_equal(at(c, "steps")->n, 2);
    assert_text(step(c, 1), "expect/body", "${any}");
    assert_string_equal(
        buf_str(&t->notes),
        "exchange 2 (GET /b) is left out: the answer is not whole: no answer\n"
        "exchange 3 (BREW /c) is left out: no such verb can be replayed\n"
        "exchange 4 (PUT /d) is left out: the request's body was too large to be kept\n");
}

static void a_status_beyond_those_of_http_is_left_out_of_the_cassette(void **state)
{
    struct tape *t = *state;
    say(t, "GET", "/a", ADA, NULL, 204, "", NULL);
    say(t, "GET", "/b", ADA, NULL, 999, "", NULL);
    assert_int_equal(at(composed(t), "steps")->n, 1);
    assert_string_equal(buf_str(&t->notes), "exchange 2 (GET /b) is left out: the answer's status "
                                            "is none of HTTP's\n");
}

/* An attachment: no regular expression counts so many letters, and none of it is an id. */
static void data_of_any_length_is_matched_by_its_form(void **state)
{
    struct tape *t = *state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "{\"size\":300000,\"data\":\"");
    for (int i = 0; i < 30000; i++)
        buf_printf(&b, "aB3_%05dX", i);
    buf_puts(&b, "\"}");
    say(t, "GET", "/a", ADA, NULL, 200, JSON, buf_str(&b));
    assert_text(step(composed(t), 0), "expect/body/data", "${re:[A-Za-z0-9_-]+}");
    buf_done(&b);
}

static void many_steps_of_one_method_have_names(void **state)
{
    struct tape *t = *state;
    t->r.exchanges = arena_calloc(&t->arena, 3000, sizeof *t->r.exchanges);
    for (int i = 0; i < 3000; i++)
        say(t, "GET", "/zz/yy/xx/events", ADA, NULL, 204, "", NULL);
    const struct json *c = composed(t);
    assert_text(step(c, 0), "id", "get-events");
    assert_text(step(c, 1), "id", "get-events-2");
    assert_text(step(c, 2999), "id", "get-events-3000");
}

static void an_empty_recording_makes_none(void **state)
{
    struct tape *t = *state;
    struct cassette *c;
    assert_int_equal(compose_cassette(&t->r, &t->o, &c, &t->notes, &err), -1);
    assert_string_equal(err.text, "there is no exchange to make a cassette of");
}

/* ---- sosia, recorded and replayed ---- */

struct live {
    struct tape *t;
    struct sosia_engine *engine;
    uint64_t world;
    char token[SOSIA_TOKEN_MAX];
};

static int fixture(struct arena *a, const char *name, const char **ret_text, size_t *ret_len,
                   struct sosia_err *e)
{
    struct buf b;
    const char *dir = getenv("SOSIA_FIXTURES");
    assert_non_null(dir);
    if (file_read(arena_printf(a, "%s/%s.yaml", dir, name), 0, &b, e) < 0)
        return -1;
    *ret_len = b.len;
    *ret_text = arena_memdup(a, b.data, b.len);
    buf_done(&b);
    return 0;
}

static void go_live(struct live *l, struct tape *t, enum sosia_clock_mode clock)
{
    const char *doc;
    size_t len;
    struct doc d;
    l->t = t;
    assert_int_equal(fixture(&t->arena, "small", &doc, &len, &err), 0);
    assert_int_equal(doc_open(&d, &t->arena, doc, len, "small", 0, &t->o.seed, &err), 0);
    t->o.fixture = "small";
    t->r.n_actors = 0;
    assert_int_equal(sosia_engine_open(NULL, &l->engine, &err), 0);
    assert_int_equal(sosia_world_create(l->engine,
                                        &(struct sosia_world_options){.seed_doc = doc,
                                                                      .seed_doc_len = len,
                                                                      .clock = clock,
                                                                      .step_us = 7300000},
                                        &l->world, &err),
                     0);
    assert_int_equal(sosia_token_issue(l->engine, l->world,
                                       &(struct sosia_token_options){.actor = "ada@small.example"},
                                       l->token, sizeof l->token, &err),
                     0);
}

/* Calls sosia and records it. Gives a member of the response. */
static const char *ask(struct live *l, const char *verb, const char *target, const char *more,
                       const char *body, const char *member)
{
    struct tape *t = l->t;
    struct sosia_response *got;
    const struct json *v;
    struct wire *e = say(t, verb, target, "", body, 0, "", NULL);
    add_headers(t, &e->sent,
                arena_printf(&t->arena, "Authorization: Bearer %s%s%s", l->token,
                             body && !strstr(more, "Content-Type") ? "\n" JSON : "", more));
    struct sosia_request request = {.method = verb,
                                    .target = target,
                                    .headers = e->sent.headers,
                                    .n_headers = e->sent.n_headers,
                                    .body = body,
                                    .body_len = body ? strlen(body) : 0};
    assert_int_equal(sosia_call(l->engine, l->world, &request, &got, &err), 0);
    e->status = got->status;
    e->got.headers = arena_calloc(&t->arena, got->n_headers, sizeof *e->got.headers);
    for (size_t i = 0; i < got->n_headers; i++)
        e->got.headers[e->got.n_headers++] =
            (struct sosia_header){arena_strdup(&t->arena, got->headers[i].name),
                                  arena_strdup(&t->arena, got->headers[i].value)};
    if (got->body_len)
        e->got.body = body_of(arena_memdup(&t->arena, got->body, got->body_len));
    sosia_response_free(got);
    if (!member)
        return NULL;
    assert_int_equal(json_parse(&t->arena, e->got.body.data, e->got.body.len, NULL, &v, &err), 0);
    return json_get_str(v, member);
}

static void assert_replays_equal(struct tape *t)
{
    struct cassette *c;
    struct target *target;
    struct result *result = result_new();
    size_t n = 0;
    composed(t);
    assert_int_equal(cassette_parse("made.json", t->text.data, t->text.len, &c, &err), 0);
    assert_int_equal(target_open_process(fixture, &target, &err), 0);
    assert_int_equal(replay_cassette(target, c, result, &err), 0);
    for (const struct exchange *x = result->first->first; x; x = x->next, n++) {
        const struct difference *d = x->differences;
        if (x->outcome != OUTCOME_EQUAL)
            fail_msg("%s: %s %s: expected %s, got %s", x->id, x->why ? x->why : "",
                     d ? d->path : "", d && d->expected ? d->expected : "nothing",
                     d && d->got ? d->got : "nothing");
    }
    assert_int_equal(n, t->r.n);
    result_free(result);
    target_close(target);
    cassette_free(c);
}

#define EVENTS "/calendar/v3/calendars/primary/events"

static void use_a_calendar(struct live *l)
{
    struct arena *a = &l->t->arena;
    ask(l, "GET", "/calendar/v3/users/me/calendarList", "", NULL, NULL);
    const char *sync = ask(l, "GET", EVENTS, "", NULL, "nextSyncToken");
    const char *id = ask(l, "POST", EVENTS, "",
                         "{\"summary\":\"Lunch\",\"start\":{\"dateTime\":\"2026-11-24T12:00:00Z\"},"
                         "\"end\":{\"dateTime\":\"2026-11-24T13:00:00Z\"},\"recurrence\":[\"RRULE:"
                         "FREQ=DAILY;COUNT=3\"],\"attendees\":[{\"email\":\"bo@small.example\"}]}",
                         "id");
    const char *one = arena_printf(a, EVENTS "/%s", id);
    const char *etag = ask(l, "GET", one, "", NULL, "etag");
    ask(l, "PATCH", one, arena_printf(a, "\nIf-Match: %s", etag), "{\"summary\":\"Tea\"}", NULL);
    ask(l, "PATCH", one, arena_printf(a, "\nIf-Match: %s", etag), "{\"summary\":\"Milk\"}", NULL);
    ask(l, "GET", arena_printf(a, "%s/instances?maxResults=2", one), "", NULL, NULL);
    ask(l, "DELETE", arena_printf(a, "%s_20261125T120000Z", one), "", NULL, NULL);
    ask(l, "GET", EVENTS "/smallcoffee01?fields=id,etag,start", "", NULL, NULL);
    ask(l, "GET", arena_printf(a, EVENTS "?maxResults=1"), "", NULL, NULL);
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, sync, strlen(sync));
    ask(l, "GET", arena_printf(a, EVENTS "?syncToken=%s", buf_str(&b)), "", NULL, NULL);
    buf_done(&b);
    ask(l, "DELETE", one, "", NULL, NULL);
    ask(l, "DELETE", one, "", NULL, NULL);
    ask(l, "GET", EVENTS "/nosuchevent", "", NULL, NULL);
    ask(l, "POST", EVENTS, "", "{\"summary\":", NULL);
    const char *calendar =
        ask(l, "POST", "/calendar/v3/calendars", "", "{\"summary\":\"Side\"}", "id");
    buf_init(&b, 0);
    percent_add(&b, calendar, strlen(calendar));
    ask(l, "GET", arena_printf(a, "/calendar/v3/calendars/%s/acl", buf_str(&b)), "", NULL, NULL);
    ask(l, "POST", "/calendar/v3/freeBusy", "",
        "{\"timeMin\":\"2026-11-23T00:00:00Z\",\"timeMax\":\"2026-11-25T00:00:00Z\",\"items\":[{"
        "\"id\":\"primary\"}]}",
        NULL);
    buf_done(&b);
}

static void a_recording_of_sosia_replays_equal(void **state)
{
    struct live l;
    go_live(&l, *state, SOSIA_CLOCK_FROZEN);
    use_a_calendar(&l);
    assert_replays_equal(*state);
    struct cassette *c;
    struct buf again;
    assert_int_equal(compose_cassette(&l.t->r, &l.t->o, &c, &l.t->notes, &err), 0);
    assert_int_equal(compose_check(c, "made.json", &again, &err), 0);
    assert_string_equal(buf_str(&again), buf_str(&l.t->text)); /* the same bytes each time */
    buf_done(&again);
    cassette_free(c);
    sosia_engine_close(l.engine);
}

static void so_does_one_whose_clock_went_on(void **state)
{
    struct live l;
    go_live(&l, *state, SOSIA_CLOCK_STEP);
    use_a_calendar(&l);
    assert_replays_equal(*state);
    sosia_engine_close(l.engine);
}

static void a_batch_replays_equal(void **state)
{
    struct live l;
    struct tape *t = *state;
    go_live(&l, t, SOSIA_CLOCK_FROZEN);
    const char *id =
        ask(&l, "POST", EVENTS, "",
            "{\"start\":{\"date\":\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}", "id");
    struct wire *e = &t->r.exchanges[t->r.n];
    ask(&l, "POST", "/batch/calendar/v3", "\nContent-Type: multipart/mixed; boundary=mine",
        arena_printf(&t->arena,
                     "--mine\r\nContent-Type: application/http\r\nContent-ID: <1>\r\n\r\n"
                     "GET " EVENTS "/%s\r\n\r\n--mine\r\nContent-Type: application/http\r\n\r\n"
                     "GET " EVENTS "/nosuchevent\r\n\r\n--mine--\r\n",
                     id),
        NULL);
    /* what a part of it makes is used afterwards */
    struct wire *made = &t->r.exchanges[t->r.n];
    ask(&l, "POST", "/batch/calendar/v3", "\nContent-Type: multipart/mixed; boundary=mine",
        "--mine\r\nContent-Type: application/http\r\n\r\nPOST " EVENTS "\r\n"
        "Content-Type: application/json\r\n\r\n{\"start\":{\"date\":\"2026-11-24\"},"
        "\"end\":{\"date\":\"2026-11-25\"}}\r\n--mine--\r\n",
        NULL);
    const char *second = strstr(made->got.body.data, "\"id\": \"");
    assert_non_null(second);
    ask(&l, "DELETE", arena_printf(&t->arena, EVENTS "/%.26s", second + 7), "", NULL, NULL);
    assert_int_equal(e->status, 200);
    assert_int_equal(t->r.exchanges[t->r.n - 1].status, 204);
    assert_true(wire_is_type(&e->got, "multipart/mixed"));
    assert_replays_equal(t);
    sosia_engine_close(l.engine);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_comes_back_is_captured_and_referred_to),
        TEST(what_nobody_asks_for_again_is_matched_by_its_form),
        TEST(words_of_the_client_and_of_the_world_stay),
        TEST(equal_tags_of_different_things_are_not_taken_for_one),
        TEST(tokens_flow_and_equal_ones_by_chance_do_not_matter),
        TEST(urls_that_name_the_service_are_expected_of_any),
        TEST(who_calls_follows_from_the_token),
        TEST(bodies_have_their_forms),
        TEST(what_can_not_be_a_step_is_named),
        TEST(a_status_beyond_those_of_http_is_left_out_of_the_cassette),
        TEST(data_of_any_length_is_matched_by_its_form),
        TEST(many_steps_of_one_method_have_names),
        TEST(an_empty_recording_makes_none),
        TEST(a_recording_of_sosia_replays_equal),
        TEST(so_does_one_whose_clock_went_on),
        TEST(a_batch_replays_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
