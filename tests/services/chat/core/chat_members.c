/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of chat's documents, which the core reads and writes for dialects: references by keys and
 * names, times in all their forms, JSON that is kept as it is. Once for each of two vendors.
 */
#include "engine/json/doc.h"
#include "services/chat/core/form.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"

/* ---- a row with one of each ---- */

struct everything {
    int64_t workspace;
    const char *key;
    int64_t user, channel, app, other, second_s, instant_us, ts_us;
};

static const struct member members[] = {
    CHAT_WORKSPACE,
    {"id", "Its id", CHAT_KEY_AT(struct everything, key, "KX")},
    {"user", "Who", CHAT_USER_AT(struct everything, user)},
    {"channel", "Where", CHAT_CHANNEL_AT(struct everything, channel)},
    {"app", "By which", CHAT_APP_AT(struct everything, app)},
    {"other", "With whom", CHAT_OTHER_AT(struct everything, other)},
    {"second", "When", CHAT_SECOND_AT(struct everything, second_s)},
    {"instant", "When exactly", CHAT_INSTANT_AT(struct everything, instant_us)},
    {"ts", "Which message", CHAT_TS_AT(struct everything, ts_us)},
};
static const struct form form = FORM("Everything", members);

/* ' is written for ". */
static const struct json *opened(struct doc *d, const char *text)
{
    const struct json *v;
    char *quoted = arena_strdup(tx.arena, text);
    for (char *p = quoted; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    if (doc_open(d, tx.arena, quoted, strlen(quoted), "doc", 0, &v, &fault) < 0)
        fail_msg("%s: %s", text, fault.text);
    return v;
}

static int read_row(const char *text, struct everything *row)
{
    struct doc d;
    const struct json *v = opened(&d, text);
    form_usual(&form, row);
    return form_read(&(struct form_in){&tx, &d, v}, &form, row);
}

static const char *written(const struct everything *row)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    ok(form_write(&(struct form_out){&tx, &w}, &form, row));
    json_end(&w);
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void wrong(const char *text, const char *why)
{
    struct everything row;
    assert_int_equal(read_row(text, &row), -1);
    if (!strstr(fault.text, why))
        fail_msg("%s: %s", text, fault.text);
    fault = (struct sosia_err){0};
}

#define WITH(format, key) arena_printf(tx.arena, format, key)

/* ---- references ---- */

static void references_are_keys_or_names(void **state)
{
    struct everything row;
    (void)state;
    ok(read_row("{}", &row));
    assert_int_equal(row.workspace, acme.id);
    assert_null(row.key);
    assert_int_equal(row.user + row.channel + row.app + row.other, 0);
    assert_string_equal(written(&row), WITH("{\"workspace\":\"%s\"}", acme.key));
    ok(read_row("{'workspace':'acme','id':'K_9','user':'bob','channel':'closed','other':'far'}",
                &row));
    assert_string_equal(row.key, "K_9");
    assert_int_equal(row.user, bob.id);
    assert_int_equal(row.channel, closed.id);
    assert_int_equal(row.other, far.id);
    assert_string_equal(
        written(&row),
        arena_printf(tx.arena,
                     "{\"workspace\":\"%s\",\"id\":\"K_9\",\"user\":\"%s\",\"channel\":\"%s\","
                     "\"other\":\"%s\"}",
                     acme.key, bob.key, closed.key, far.key));
    ok(read_row(arena_printf(tx.arena, "{'workspace':'%s','user':'%s','channel':'%s','other':'%s'}",
                             acme.key, eve.key, general.key, acme.key),
                &row));
    assert_int_equal(row.user, eve.id);
    assert_int_equal(row.channel, general.id);
    assert_int_equal(row.other, acme.id);
    ok(read_row("{'user':'ada@acme.example'}", &row));
    assert_int_equal(row.user, ada.id);
    struct chat_user there = user(&far, "bob", CHAT_MEMBER);
    ok(read_row("{'workspace':'far','user':'bob'}", &row));
    assert_int_equal(row.user, there.id);
    /* People of other workspaces by their ids: who wrote while a channel was shared. */
    ok(read_row(WITH("{'workspace':'acme','user':'%s'}", there.key), &row));
    assert_int_equal(row.user, there.id);
    wrong("{'workspace':'none'}", "there is no workspace \"none\"");
    wrong("{'user':'none'}", "there is nobody \"none\"");
    wrong("{'channel':'none'}", "there is no channel \"none\"");
    wrong("{'workspace':'far','channel':'closed'}", "there is no channel \"closed\"");
    wrong("{'other':'none'}", "there is no workspace \"none\"");
    wrong("{'app':'none'}", "there is no app \"none\"");
    static const char *const not_texts[] = {"{'workspace':1}", "{'id':1}",     "{'user':1}",
                                            "{'channel':1}",   "{'app':1}",    "{'other':1}",
                                            "{'ts':[]}",       "{'second':[]}"};
    for (size_t i = 0; i < SOSIA_LEN(not_texts); i++)
        wrong(not_texts[i], "");
}

static void an_app_is_its_client_id(void **state)
{
    struct ident_app app = {.client_id = "a-1", .name = "A", .kind = "any", .section = APP_SECTION};
    struct everything row;
    (void)state;
    ok(app_new(&tx, &app));
    ok(read_row("{'app':'a-1'}", &row));
    assert_int_equal(row.app, app.id);
    assert_string_equal(written(&row), WITH("{\"workspace\":\"%s\",\"app\":\"a-1\"}", acme.key));
    ok(read_row("{'app':null}", &row));
    assert_int_equal(row.app, 0);
    struct chat_message m = {.user = ada.id, .text = "x", .app = app.id};
    ok(chat_post(&tx, &general, &m)); /* its dump is read again in the end */
    assert_int_equal(again(m.id).app, app.id);
}

/* A success of each reader and writer is 0, whether there was something or not. */
static void a_member_that_is_read_or_written_is_a_success(void **state)
{
    const struct everything none = {.workspace = acme.id}, some = {.workspace = acme.id,
                                                                   .user = bob.id,
                                                                   .channel = closed.id,
                                                                   .other = far.id,
                                                                   .second_s = 5,
                                                                   .instant_us = 6,
                                                                   .ts_us = 7};
    struct everything row = {.workspace = acme.id};
    struct doc d;
    const struct json *v = opened(&d, "{'workspace':'acme','id':'K1','user':'bob','channel':"
                                      "'closed','other':'far','second':5,'instant':6,'ts':'7'}"),
                      *empty = opened(&d, "{}");
    struct json_writer w;
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    const struct form_out out = {&tx, &w};
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct member *m = &members[i];
        if (m->read) {
            ok(m->read(&(struct form_in){&tx, &d, empty}, m, &row));
            ok(m->read(&(struct form_in){&tx, &d, v}, m, &row));
        }
        if (m->write) {
            ok(m->write(&out, m, &none));
            ok(m->write(&out, m, &some));
        }
    }
    json_end(&w);
    buf_done(&b);
    assert_int_equal(row.user, bob.id);
    assert_int_equal(row.channel, closed.id);
    assert_int_equal(row.other, far.id);
    assert_int_equal(row.ts_us, 7000000);
}

/* People of a document are found once, and nobody is found for whom there is nobody. */
static void who_was_found_is_kept_while_a_document_is_read(void **state)
{
    struct chat_user there = user(&far, "bob", CHAT_MEMBER), u;
    struct doc d;
    (void)state;
    opened(&d, "{}");
    chat_doc_keep_people(&d);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chat_doc_somebody(&tx, &d, acme.id, "bob", &u), 1);
        assert_int_equal(u.id, bob.id);
        assert_int_equal(chat_doc_somebody(&tx, &d, acme.id, "none", &u), 0);
        assert_int_equal(chat_doc_somebody(&tx, &d, far.id, "bob", &u), 1);
        assert_int_equal(u.id, there.id);
        assert_int_equal(chat_doc_somebody(&tx, &d, acme.id, there.key, &u), 1); /* a stranger */
        assert_int_equal(u.id, there.id);
        assert_int_equal(chat_doc_somebody(&tx, &d, far.id, "eve", &u), 0);
    }
    struct chat_user renamed = bob;
    renamed.deleted = true;
    ok(chat_user_save(&tx, &renamed, NULL));
    assert_int_equal(chat_doc_somebody(&tx, &d, acme.id, "bob", &u), 1);
    assert_false(u.deleted); /* as it was found */
    d.kept = NULL;
    assert_int_equal(chat_doc_somebody(&tx, &d, acme.id, "bob", &u), 1);
    assert_true(u.deleted);
}

static void ids_are_capitals_digits_and_strokes(void **state)
{
    struct everything row;
    (void)state;
    static const char *const fine[] = {"K1", "X_", "KAZ09_",
                                       "K123456789012345678901234567890123456789"};
    static const char *const bad[] = {
        "K", "", "A1", "Ka", "K-1", "K 1", "1K", "K1234567890123456789012345678901234567890"};
    for (size_t i = 0; i < SOSIA_LEN(fine); i++) {
        ok(read_row(WITH("{'id':'%s'}", fine[i]), &row));
        assert_string_equal(row.key, fine[i]);
    }
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        wrong(WITH("{'id':'%s'}", bad[i]), "is not an id");
}

/* ---- times ---- */

static void seconds_are_numbers_or_times(void **state)
{
    static const struct {
        const char *text;
        int64_t s;
    } all[] = {{"0", 0},
               {"8589934591", 8589934591},
               {"'2026-11-23T08:00:00Z'", 1795420800},
               {"'2026-11-23T08:00'", 1795420800},
               {"'2026-11-23T08:00:01.999999Z'", 1795420801},
               {"'2026-11-23T10:00:00+02:00'", 1795420800},
               {"'2026-11-23'", 1795392000},
               {"'1970-01-02T00:00:00Z'", 86400},
               {"'2242-03-16T12:56:31Z'", 8589934591}};
    static const char *const bad[] = {"-1",
                                      "8589934592",
                                      "'2242-03-16T12:56:32Z'",
                                      "'1969-12-31'",
                                      "'1970-01-01T23:59:59Z'",
                                      "'2026-11-23t08:00'",
                                      "'2026-11-23T08'",
                                      "'x'"};
    struct everything row;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        ok(read_row(WITH("{'second':%s}", all[i].text), &row));
        if (row.second_s != all[i].s)
            fail_msg("%s: %lld", all[i].text, (long long)row.second_s);
    }
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        wrong(WITH("{'second':%s}", bad[i]), "second");
    assert_string_equal(written(&(struct everything){.workspace = acme.id, .second_s = 5}),
                        WITH("{\"workspace\":\"%s\",\"second\":5}", acme.key));
}

static void instants_are_to_the_microsecond(void **state)
{
    static const struct {
        const char *text, *written;
        int64_t us;
    } all[] = {
        {"1795420800", "2026-11-23T08:00:00Z", INT64_C(1795420800000000)},
        {"8589934591", "2242-03-16T12:56:31Z", CHAT_LAST_INSTANT},
        {"8589934592", "1970-01-01T02:23:09.934592Z", 8589934592},
        {"'2026-11-23T08:00:00.5Z'", "2026-11-23T08:00:00.500000Z", INT64_C(1795420800500000)},
        {"'2242-03-16T12:56:31Z'", "2242-03-16T12:56:31Z", CHAT_LAST_INSTANT},
        {"1", "1970-01-01T00:00:01Z", 1000000}};
    static const char *const bad[] = {"-1", "8589934591000001", "'2242-03-16T12:56:31.000001Z'",
                                      "'1969-12-31'", "'x'"};
    struct everything row;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        ok(read_row(WITH("{'instant':%s}", all[i].text), &row));
        if (row.instant_us != all[i].us)
            fail_msg("%s: %lld", all[i].text, (long long)row.instant_us);
        assert_string_equal(written(&row),
                            arena_printf(tx.arena, "{\"workspace\":\"%s\",\"instant\":\"%s\"}",
                                         acme.key, all[i].written));
    }
    ok(read_row("{'instant':null}", &row));
    assert_int_equal(row.instant_us, 0);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        wrong(WITH("{'instant':%s}", bad[i]), "instant");
    ok(read_row("{'ts':'1795420800.000007'}", &row));
    assert_int_equal(row.ts_us, INT64_C(1795420800000007));
    assert_string_equal(written(&row),
                        WITH("{\"workspace\":\"%s\",\"ts\":\"1795420800.000007\"}", acme.key));
    ok(read_row("{'ts':'8589934591.000000'}", &row));
    wrong("{'ts':'8589934591.000001'}", "is not a ts");
    wrong("{'ts':'x'}", "is not a ts");
}

static void a_time_that_is_not_said_is_another_one(void **state)
{
    int64_t s = CHAT_UNSAID;
    (void)state;
    ok(chat_unsaid_now(&tx, &s));
    assert_int_equal(s, tx.now_us / 1000000);
    s = 5;
    ok(chat_unsaid_now(&tx, &s));
    assert_int_equal(s, 5);
    ok(chat_unsaid_made(&tx, acme.id, &s));
    assert_int_equal(s, 5);
    s = CHAT_UNSAID;
    ok(chat_unsaid_made(&tx, acme.id, &s));
    assert_int_equal(s, acme.created_s);
    s = CHAT_UNSAID;
    ok(chat_unsaid_made(&tx, 500, &s)); /* there is none */
    assert_int_equal(s, CHAT_UNSAID);
}

/* ---- in a zone, and as JSON ---- */

static void times_are_in_a_zone(void **state)
{
    struct doc d;
    const struct json *v =
        opened(&d, "{'a':'2026-07-01T10:00','b':'2026-07-01','c':'2026-07-01T10:00:00Z','e':''}");
    int64_t us = 7;
    (void)state;
    assert_int_equal(chat_doc_time(&d, v, "a", "Europe/Rome", &us), 1);
    assert_int_equal(us, INT64_C(1782892800000000));
    assert_int_equal(chat_doc_time(&d, v, "b", "Europe/Rome", &us), 1);
    assert_int_equal(us, INT64_C(1782856800000000));
    assert_int_equal(chat_doc_time(&d, v, "c", "Europe/Rome", &us), 1);
    assert_int_equal(us, INT64_C(1782900000000000));
    assert_int_equal(chat_doc_time(&d, v, "a", "No/Where", &us), 1);
    assert_int_equal(us, INT64_C(1782900000000000));
    us = 7;
    assert_int_equal(chat_doc_time(&d, v, "none", "UTC", &us), 0);
    assert_int_equal(us, 7);
    assert_int_equal(chat_doc_time(&d, v, "e", "UTC", &us), -1);
    fault = (struct sosia_err){0};
}

static void json_is_kept_as_it_is(void **state)
{
    struct doc d;
    const struct json *v = opened(&d, "{'list':[1,{'a':2}],'object':{'b':[]},'none':null,'n':5}");
    const char *text;
    (void)state;
    assert_string_equal(chat_doc_json(&d, v, "list"), "[1,{\"a\":2}]");
    assert_string_equal(chat_doc_json(&d, v, "n"), "5");
    assert_null(chat_doc_json(&d, v, "none"));
    assert_null(chat_doc_json(&d, v, "absent"));
    ok(chat_doc_shaped(&d, v, "list", JSON_ARRAY, &text));
    assert_string_equal(text, "[1,{\"a\":2}]");
    ok(chat_doc_shaped(&d, v, "object", JSON_OBJECT, &text));
    assert_string_equal(text, "{\"b\":[]}");
    ok(chat_doc_shaped(&d, v, "absent", JSON_OBJECT, &text));
    assert_null(text);
    assert_int_equal(chat_doc_shaped(&d, v, "list", JSON_OBJECT, &text), -1);
    assert_non_null(strstr(fault.text, "an object"));
    assert_int_equal(chat_doc_shaped(&d, v, "n", JSON_ARRAY, &text), -1);
    assert_non_null(strstr(fault.text, "a list"));
    fault = (struct sosia_err){0};
}

static const char *dumped(void (*fn)(struct json_writer *w))
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    fn(&w);
    json_end(&w);
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void some_members(struct json_writer *w)
{
    chat_dump_instant(w, "at", 1000000);
    chat_dump_instant(w, "exactly", 1000001);
    chat_dump_unless(w, "usual", "x", "x");
    chat_dump_unless(w, "none", NULL, "x");
    chat_dump_unless(w, "other", "y", "x");
    chat_dump_raw(w, "raw", "[1]");
    chat_dump_raw(w, "nothing", NULL);
    ok(chat_dump_user(&tx, w, "nobody", 0));
    ok(chat_dump_user(&tx, w, "gone", 999));
    ok(chat_dump_app(&tx, w, "app", 0));
    ok(chat_dump_workspace(&tx, w, 999));
}

static void what_is_usual_is_left_out(void **state)
{
    (void)state;
    assert_string_equal(dumped(some_members),
                        "{\"at\":\"1970-01-01T00:00:01Z\",\"exactly\":\"1970-01-01T00:00:01."
                        "000001Z\",\"other\":\"y\",\"raw\":[1]}");
}

/* Rows without a workspace have that of a channel or of a user. */
static void a_workspace_is_that_of_what_a_row_has(void **state)
{
    const struct everything row = {.user = bob.id, .channel = closed.id};
    const struct member by_user = {"workspace", "",
                                   CHAT_WORKSPACE_AT(NULL, offsetof(struct everything, user))},
                        by_channel = {
                            "workspace", "",
                            CHAT_WORKSPACE_AT(NULL, offsetof(struct everything, channel))};
    struct json_writer w;
    struct buf b;
    (void)state;
    for (int gone = 0; gone < 2; gone++) {
        const struct everything none = {.user = 999, .channel = 999};
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        ok(chat_write_workspace_of_user(&(struct form_out){&tx, &w}, &by_user,
                                        gone ? &none : &row));
        json_end(&w);
        assert_string_equal(buf_str(&b), gone ? "{}" : WITH("{\"workspace\":\"%s\"}", acme.key));
        buf_clear(&b);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        ok(chat_write_workspace_of_channel(&(struct form_out){&tx, &w}, &by_channel,
                                           gone ? &none : &row));
        json_end(&w);
        assert_string_equal(buf_str(&b), gone ? "{}" : WITH("{\"workspace\":\"%s\"}", acme.key));
        buf_done(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(references_are_keys_or_names),
        BOTH(an_app_is_its_client_id),
        BOTH(a_member_that_is_read_or_written_is_a_success),
        BOTH(who_was_found_is_kept_while_a_document_is_read),
        BOTH(ids_are_capitals_digits_and_strokes),
        BOTH(seconds_are_numbers_or_times),
        BOTH(instants_are_to_the_microsecond),
        BOTH(a_time_that_is_not_said_is_another_one),
        BOTH(times_are_in_a_zone),
        BOTH(json_is_kept_as_it_is),
        BOTH(what_is_usual_is_left_out),
        BOTH(a_workspace_is_that_of_what_a_row_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
