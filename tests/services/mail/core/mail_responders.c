/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responders in documents and in files, once for each of two vendors: what is refused, what
 * imported rows are held to, and the letters that they write of what came.
 */
#include "engine/state/stored.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000)

/* ---- set-up ---- */

#define START                                                                                      \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','organizations':[{'domain':'acme.example'}],"        \
    "'people':[{'email':'ada@acme.example','name':'Ada'},{'email':'bob@acme.example','name':"      \
    "'Bob'},{'email':'cyd@acme.example','name':'Cyd'}],"                                           \
    "'accounts':[{'actor':'ada@acme.example','vendor':'%s'},{'actor':'bob@acme.example',"          \
    "'vendor':'%s'},{'actor':'cyd@acme.example','vendor':'%s'}],'mailResponders':%s}"

/* ' is written for ". */
static char *world_doc(const char *responders)
{
    static char doc[65536];
    snprintf(doc, sizeof doc, START, vendor->name, vendor->name, vendor->name, responders);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

static int open_none(void **state)
{
    (void)state;
    return open_as(world_doc("[]"));
}

/* One of bob's, with these members besides. */
static void with(const char *members)
{
    char one[20000];
    snprintf(one, sizeof one, "[{'id':'r','as':'bob@acme.example',%s}]", members);
    mail_end();
    test_use(world_doc(one));
    mail_begin();
}

static const char *why_not(const char *responders)
{
    static char why[400];
    const char *doc = world_doc(responders);
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    struct sosia_err err = {0};
    uint64_t world;
    if (sosia_world_create(test_engine, &options, &world, &err) < 0) {
        snprintf(why, sizeof why, "%s", err.text);
        return why;
    }
    sosia_world_drop(test_engine, world, &err);
    return "";
}

static void comes(const char *text)
{
    const char *raw = crlf(text);
    const struct mail_carry in = {.sender = "x@far.example",
                                  .raw = raw,
                                  .len = strlen(raw),
                                  .to = (const char *const[]){"bob@acme.example"},
                                  .n_to = 1};
    if (mail_carry(&tx, &in) < 0)
        fail_msg("carry: %s", test_err.text);
}

static void is_in(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("\"%s\" is not in: %s", part, text ? text : "nothing");
}

#define TO_ADA(members) "'do':[{'send':{'to':['ada@acme.example']," members "}}]"

/* ---- documents ---- */

static void members_have_their_types(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "'do':[]",
        "'do':{}",
        "'do':[1]",
        "'do':[{}]",
        "'do':[{'reply':{},'wait':1}]",
        "'do':[{'wait':0}]",
        "'do':[{'wait':-1}]",
        "'do':[{'wait':'1'}]",
        "'do':[{'wait':8589935}]",
        "'do':[{'answer':{}}]",
        "'do':[{'reply':[]}]",
        "'do':[{'reply':{'to':['x@far.example']}}]",
        "'do':[{'reply':{'subject':1}}]",
        "'do':[{'reply':{'text':1}}]",
        "'do':[{'reply':{'html':[]}}]",
        "'do':[{'reply':{'all':'yes'}}]",
        "'do':[{'send':{}}]",
        "'do':[{'send':{'to':'x@far.example'}}]",
        "'do':[{'send':{'to':[1]}}]",
        "'do':[{'send':{'to':['x@far.example'],'cc':[null]}}]",
        "'do':[{'send':{'to':['x@far.example'],'cc':'x@far.example'}}]",
        "'do':[{'send':{'to':['x@far.example'],'all':true}}]",
        "'do':[{'send':{'to':['x@far.example'],'subject':{}}}]",
        "'do':[{'forward':{'text':'x'}}]",
        "'do':[{'forward':{'to':['x@far.example'],'subject':'x'}}]",
        "'do':[{'forward':{'to':['x@far.example'],'text':1}}]",
        "'do':[{'reply':{}},{'forward':{'to':['x@far.example'],'html':'x'}}]",
        "'do':[{'reply':{}}],'when':[]",
        "'do':[{'reply':{}}],'when':{'body':'x'}",
        "'do':[{'reply':{}}],'when':{'from':'x'}",
        "'do':[{'reply':{}}],'when':{'from':[1]}",
        "'do':[{'reply':{}}],'when':{'to':[{}]}",
        "'do':[{'reply':{}}],'when':{'subject':'('}",
        "'do':[{'reply':{}}],'when':{'subject':1}",
        "'do':[{'reply':{}}],'when':{'text':'['}",
        "'do':[{'reply':{}}],'delay':'1'",
        "'do':[{'reply':{}}],'times':1.5",
        "'do':[{'reply':{}}],'refused':1",
        "'do':[{'reply':{}}],'other':1",
        "'do':[{'reply':{}}],'under_way':{}",
        "'do':[{'reply':{}}],'under_way':[{'at':'x','do':[]}]",
        "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z','do':[],'x':1}]",
        "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z','do':{}}]",
        "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'send':{'x':1}}]}]",
        "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'send':{'to':1}}]}]",
        "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'reply':{}}]}]",
        "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'wait':0}]}]",
    };
    static const char *const fine[] = {
        "'do':[{'reply':{}}]",
        "'do':[{'reply':{'subject':'s','text':'t','html':'h','all':true}},{'wait':8589934}]",
        "'do':[{'send':{'to':['x@far.example'],'cc':[],'subject':'s','text':'t','html':'h'}}]",
        "'do':[{'forward':{'to':[],'cc':['x@far.example'],'text':'t'}}]",
        "'do':[{'reply':{}}],'when':{}",
        "'do':[{'reply':{}}],'when':{'from':[],'to':[],'subject':'a|b','text':'^$'}",
        "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'send':{'to':'x',"
        "'cc':'y','subject':'s','text':'t','html':'h','inReplyTo':'<a@b>','references':'<a@b>'}}]}"
        "]",
    };
    char one[700];
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(wrong) + SOSIA_LEN(fine); i++) {
        const bool ok = i >= SOSIA_LEN(wrong);
        const char *members = ok ? fine[i - SOSIA_LEN(wrong)] : wrong[i];
        snprintf(one, sizeof one, "[{'id':'r','as':'bob@acme.example',%s}]", members);
        if ((*why_not(one) == 0) != ok)
            fail_msg("%s: %s", members, why_not(one));
    }
    assert_string_not_equal(why_not("[{'as':'bob@acme.example','do':[{'reply':{}}]}]"), "");
    assert_string_not_equal(why_not("[{'id':'r','do':[{'reply':{}}]}]"), "");
    assert_string_not_equal(why_not("[{'id':'r','as':'zed@acme.example','do':[{'reply':{}}]}]"),
                            "");
    assert_string_not_equal(why_not("[{'id':'r','as':'bob@acme.example'}]"), "");
#define R "{'id':'r','as':'bob@acme.example','do':[{'reply':{}}]}"
    is_in(why_not("[" R "," R "]"), "is there already");
    mail_begin();
}

static void acts_are_at_most_twenty(void **state)
{
    (void)state;
    mail_end();
    for (int way = 0; way < 2; way++)
        for (int n = 20; n <= 21; n++) {
            struct buf b;
            buf_init(&b, 0);
            buf_puts(&b, "[{'id':'r','as':'bob@acme.example',");
            if (way)
                buf_puts(&b, "'do':[{'reply':{}}],'under_way':[{'at':'2026-11-24T00:00:00Z',");
            buf_puts(&b, "'do':[{'wait':1}");
            for (int i = 1; i < n; i++)
                buf_puts(&b, ",{'wait':1}");
            buf_puts(&b, way ? "]}]}]" : "]}]");
            if ((*why_not(buf_str(&b)) == 0) != (n == 20))
                fail_msg("%d acts: %s", n, why_not(buf_str(&b)));
            buf_done(&b);
        }
    mail_begin();
}

/* ---- files ---- */

static void imported_rows_are_held_to_their_bounds(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "update mail_responder set mailbox = 99",
        "update mail_responder set rule = '[]'",
        "update mail_responder set rule = 'x'",
        "update mail_responder set acts = '{}'",
        "update mail_responder set acts = 'x'",
        "update mail_responder set delay_s = 0",
        "update mail_responder set delay_s = 8589935",
        "update mail_responder set times = -1",
        "update mail_responder set times = 1000001",
        "update mail_respond set acts = '{}'",
        "update mail_respond set acts = 'x'",
        "update mail_respond set step = -1",
        "update mail_respond set step = 21",
        "update mail_respond set at_us = 253402300800000000",
    };
    static const char *const fine[] = {
        "update mail_responder set delay_s = 8589934, times = 0",
        "update mail_respond set step = 20",
        "update mail_respond set acts = '[]'",
    };
    with("'delay':100," TO_ADA("'text':'t'"));
    comes("To: bob@acme.example\n\nx\n");
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(wrong) + SOSIA_LEN(fine); i++) {
        const char *sql = i < SOSIA_LEN(wrong) ? wrong[i] : fine[i - SOSIA_LEN(wrong)];
        uint64_t world;
        const bool ok = test_import_changed(sql, &world) == 0;
        if (ok != (i >= SOSIA_LEN(wrong)))
            fail_msg("%s: %s", sql, test_err.text);
        if (ok)
            sosia_world_drop(test_engine, world, &test_err);
    }
    mail_begin();
}

/* What a file says of waits is kept within what a document may say. */
static void imported_waits_have_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *wait;
        int64_t s; /* after which the letter goes */
    } all[] = {{"1", 1}, {"7", 7}, {"0", 1}, {"-5", 1}, {"8589934", 8589934}, {"8589935", 8589934}};
    char sql[300];
    with("'delay':100," TO_ADA("'text':'t'"));
    comes("To: bob@acme.example\n\nx\n");
    mail_end();
    const uint64_t first = test_world;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        uint64_t world;
        test_world = first;
        snprintf(sql, sizeof sql,
                 "update mail_respond set acts = '[{\"wait\":%s},{\"send\":{\"to\":"
                 "\"ada@acme.example\"}}]'",
                 all[i].wait);
        if (test_import_changed(sql, &world) < 0)
            fail_msg("%s: %s", sql, test_err.text);
        test_world = world;
        mail_begin();
        mail_later(100 * SECOND + all[i].s * SECOND - 1);
        if (count_of("ada") != 0)
            fail_msg("wait %s: too soon", all[i].wait);
        mail_later(1);
        if (count_of("ada") != 1)
            fail_msg("wait %s: too late", all[i].wait);
        assert_int_equal(number("select count(*) from mail_respond"), 0);
        mail_end();
    }
    test_world = first;
    mail_begin();
}

/* What is not an act is passed over. */
static void imported_acts_may_be_anything(void **state)
{
    (void)state;
#define LAST ",{\"send\":{\"to\":\"ada@acme.example\",\"cc\":1,\"text\":[]}}]"
    static const struct {
        const char *acts;
        size_t letters;
    } all[] = {
        {"[]", 0},
        {"[1,\"x\",null,{},{\"a\":1,\"b\":2}" LAST, 1},
        {"[{\"reply\":{\"to\":1}}" LAST, 1},
        {"[{\"send\":1}" LAST, 0}, /* refused, which ends it */
    };
    char sql[300];
    with("'delay':100," TO_ADA("'text':'t'"));
    comes("To: bob@acme.example\n\nx\n");
    mail_end();
    const uint64_t first = test_world;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        uint64_t world;
        test_world = first;
        snprintf(sql, sizeof sql, "update mail_respond set acts = '%s'", all[i].acts);
        if (test_import_changed(sql, &world) < 0)
            fail_msg("%s: %s", sql, test_err.text);
        test_world = world;
        mail_begin();
        mail_later(200 * SECOND);
        assert_int_equal(number("select count(*) from mail_respond"), 0);
        assert_int_equal(count_of("ada"), all[i].letters);
        mail_end();
    }
    test_world = first;
    mail_begin();
}

/* ---- letters ---- */

static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    with("'when':{'text':'^(.*@)'},'do':[{'send':{'to':['${1}far.example'],'text':'t'}},"
         "{'send':{'to':['ada@acme.example'],'text':'t'}}]");
    for (int n = 500; n <= 501; n++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "To: bob@acme.example\n\n");
        for (int i = 1; i < n; i++)
            buf_printf(&b, "p%d@far.example, ", i);
        buf_puts(&b, "last@\n");
        comes(buf_str(&b));
        buf_done(&b);
        mail_later(10 * SECOND);
        assert_int_equal(count_of("ada"), 1); /* of the first, which was not refused */
        assert_int_equal(number("select count(*) from mail_responder where refused = "
                                "'tooManyRecipients'"),
                         n > 500);
        assert_int_equal(number("select count(*) from mail_respond"), 0);
    }
    comes("To: bob@acme.example\n\nlast@\n");
    mail_later(10 * SECOND);
    assert_int_equal(number("select count(*) from mail_responder where refused is null"), 1);
    assert_int_equal(count_of("ada"), 2);
    check_counters();
}

static void subjects_keep_their_mark(void **state)
{
    (void)state;
    static const char *const all[][3] = {
        {"x", "Re: x", "Fwd: x"},      {"Re: x", "Re: x", "Fwd: Re: x"},
        {"RE:x", "RE:x", "Fwd: RE:x"}, {"fwd: x", "Re: fwd: x", "fwd: x"},
        {"Re", "Re: Re", "Fwd: Re"},   {"", "Re: ", "Fwd: "}};
    with("'do':[{'reply':{}},{'forward':{'to':['ada@acme.example']}}]");
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        comes(arena_printf(tx.arena,
                           "From: Cyd <cyd@acme.example>\nTo: bob@acme.example\nSubject: %s"
                           "\nMessage-ID: <%zu@far.example>\n\nx\n",
                           all[i][0], i));
        mail_later(SECOND);
        const struct mail_message reply = newest("cyd", 0), forward = newest("ada", 0);
        const char *is = header_of(&reply, "Subject");
        if (strncmp(is, all[i][1], strlen(is)) != 0 || strlen(is) + 1 < strlen(all[i][1]))
            fail_msg("reply to %s: \"%s\"", all[i][0], is);
        is = header_of(&forward, "Subject");
        if (strncmp(is, all[i][2], strlen(is)) != 0 || strlen(is) + 1 < strlen(all[i][2]))
            fail_msg("forward of %s: \"%s\"", all[i][0], is);
        assert_string_equal(header_of(&reply, "In-Reply-To"),
                            arena_printf(tx.arena, "<%zu@far.example>", i));
        assert_null(header_of(&forward, "In-Reply-To"));
    }
}

static void a_letter_has_the_texts_that_its_act_has(void **state)
{
    (void)state;
    static const struct {
        const char *members;
        bool plain, html;
        const char *text;
    } all[] = {{"'subject':'s'", true, false, "\r\n\r\n"},
               {"'text':'of ${from}'", true, false, "of cyd@acme.example"},
               {"'html':'<b>${name}</b>'", false, true, "<b>Cyd D</b>"},
               {"'text':'both ways','html':'<b>x</b>'", true, true, "both ways"}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        char act[200];
        snprintf(act, sizeof act, "'do':[{'send':{'to':['ada@acme.example'],%s}}]", all[i].members);
        with(act);
        comes("From: Cyd D <cyd@acme.example>\nTo: bob@acme.example\nSubject: came\n\nx\n");
        mail_later(SECOND);
        const struct mail_message m = newest("ada", 0);
        const char *raw = raw_of(&m);
        is_in(raw, all[i].text);
        assert_int_equal(strstr(raw, "text/plain") != NULL, all[i].plain);
        assert_int_equal(strstr(raw, "text/html") != NULL, all[i].html);
        assert_string_equal(header_of(&m, "From"), vendor->identity
                                                       ? "Somebody else <bob@acme.example>"
                                                       : "Bob <bob@acme.example>");
        assert_null(header_of(&m, "References"));
        const char *subject = header_of(&m, "Subject");
        assert_string_equal(subject ? subject : "", i ? "" : "s");
        assert_int_equal(count_of("bob"), 2); /* what came, and the letter */
    }
}

static void so_much_of_a_text_is_looked_at(void **state)
{
    (void)state;
    with("'when':{'text':'needle'}," TO_ADA("'text':'t'"));
    for (int over = 0; over < 2; over++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "To: bob@acme.example\n\n");
        const size_t head = b.len;
        while (b.len - head < (size_t)(40000 - 6 + over))
            buf_byte(&b, 'x');
        buf_puts(&b, "needle");
        comes(buf_str(&b));
        buf_done(&b);
        mail_later(SECOND);
        assert_int_equal(count_of("ada"), 1);
    }
    comes("To: bob@acme.example\nContent-Type: text/html\n\n<p>a <b>need</b>le</p>\n");
    mail_later(SECOND);
    assert_int_equal(count_of("ada"), 2); /* what HTML says */
}

#define ANSWERS(id, who, rule, subject)                                                            \
    "{'id':'" id "','as':'" who "@acme.example'," rule                                             \
    "'do':[{'send':{'to':['ada@acme.example'],'subject':'" subject "'}}]}"

static void each_responder_answers_for_itself(void **state)
{
    (void)state;
    static const char four[] =
        "[" ANSWERS("a", "bob", "'when':{'subject':'(one)'},", "a ${1}") "," ANSWERS(
            "b", "bob", "'when':{'subject':'two'},",
            "b") "," ANSWERS("c", "bob", "'times':1,", "c [${1}]") "," ANSWERS("d", "cyd", "",
                                                                               "d") "]";
    mail_end();
    test_use(world_doc(four));
    mail_begin();
    comes("To: bob@acme.example\nSubject: one\n\nx\n");
    mail_later(SECOND);
    assert_int_equal(count_of("ada"), 2);
    struct mail_message m = newest("ada", 1);
    assert_string_equal(header_of(&m, "Subject"), "a one");
    m = newest("ada", 0); /* what another rule caught is not its own */
    is_in(header_of(&m, "Subject"), "c [");
    assert_null(strstr(header_of(&m, "Subject"), "one"));
    comes("To: bob@acme.example\nSubject: two\n\nx\n");
    mail_later(SECOND);
    assert_int_equal(count_of("ada"), 3);
    m = newest("ada", 0);
    assert_string_equal(header_of(&m, "Subject"), "b");
    comes("To: bob@acme.example\nSubject: three\n\nx\n");
    mail_later(SECOND);
    assert_int_equal(count_of("ada"), 3);
}

/* Of JSON that is none nothing is shown, nor done. */
static void damaged_rows_answer_nothing(void **state)
{
    (void)state;
    static const char *const damage[] = {"update mail_responder set acts = 'x'",
                                         "update mail_responder set rule = '{'",
                                         "update mail_respond set acts = '['"};
    const struct entity *e = &mail_respond_core.entities[0];
    with("'when':{'subject':'x'},'delay':100," TO_ADA("'text':'t'"));
    comes("To: bob@acme.example\nSubject: x\n\nx\n");
    for (size_t i = 0; i < SOSIA_LEN(damage); i++) {
        struct json_writer w;
        struct buf b;
        assert_int_equal(sql_exec(tx.db, "savepoint before", &test_err), 0);
        assert_int_equal(sql_exec(tx.db, damage[i], &test_err), 0);
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        if (i == 2 && entity_dump(&tx, e, 1, &w) != -1) /* the others are kept out by their rules */
            fail_msg("%s: %s", damage[i], buf_str(&b));
        buf_done(&b);
        const char *raw = crlf("To: bob@acme.example\nSubject: x\n\nx\n");
        const struct mail_carry in = {.sender = "x@far.example",
                                      .raw = raw,
                                      .len = strlen(raw),
                                      .to = (const char *const[]){"bob@acme.example"},
                                      .n_to = 1};
        assert_int_equal(mail_carry(&tx, &in), i < 2 ? -1 : 0);
        assert_int_equal(sql_exec(tx.db, "rollback to before; release before", &test_err), 0);
    }
}

static void rows_are_shown(void **state)
{
    (void)state;
    with("'when':{'subject':'x'},'delay':1," TO_ADA("'text':'t'"));
    const struct entity *e = NULL;
    for (size_t i = 0; i < mail_respond_core.n_entities; i++)
        e = &mail_respond_core.entities[i];
    assert_non_null(e);
    for (int64_t id = 1; id < 3; id++) {
        struct json_writer w;
        struct buf b;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        assert_true(entity_key(&tx, e, id, &w) >= 0);
        assert_int_equal(entity_dump(&tx, e, id, &w), id == 1);
        json_end(&w);
        assert_string_equal(
            buf_str(&b),
            id == 1
                ? "{\"id\":\"r\",\"id\":\"r\",\"as\":\"bob@acme.example\",\"when\":{\"subject\":"
                  "\"x\"},\"do\":[{\"send\":{\"to\":[\"ada@acme.example\"],\"text\":\"t\"}}],"
                  "\"times\":100}"
                : "{}");
        buf_done(&b);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_none, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(members_have_their_types),
        TEST(acts_are_at_most_twenty),
        TEST(imported_rows_are_held_to_their_bounds),
        TEST(imported_waits_have_bounds),
        TEST(imported_acts_may_be_anything),
        TEST(what_is_too_large_is_refused),
        TEST(subjects_keep_their_mark),
        TEST(a_letter_has_the_texts_that_its_act_has),
        TEST(so_much_of_a_text_is_looked_at),
        TEST(each_responder_answers_for_itself),
        TEST(damaged_rows_answer_nothing),
        TEST(rows_are_shown),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
