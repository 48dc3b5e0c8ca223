/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who answers mail by themselves, once for each of two vendors: the automatic answer of a mailbox,
 * what goes on to somebody else, and responders, who write letters by rules and by the clock.
 */
#include "services/mail/core/deliver/rules.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000)

/* ---- set-up ---- */

#define START                                                                                      \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','organizations':[{'domain':'acme.example'}],"        \
    "'people':[{'email':'ada@acme.example','name':'Ada'},{'email':'bob@acme.example','name':"      \
    "'Bob','aliases':['b@acme.example']},{'email':'cyd@acme.example','name':'Cyd'},"               \
    "{'email':'room@acme.example','name':'Room','kind':'resource'}],"                              \
    "'accounts':[{'actor':'ada@acme.example','vendor':'%s'},{'actor':'bob@acme.example',"          \
    "'vendor':'%s'},{'actor':'cyd@acme.example','vendor':'%s'}]%s%s}"

/* ' is written for ". */
static char *world_doc(const char *responders)
{
    static char doc[65536];
    snprintf(doc, sizeof doc, START, vendor->name, vendor->name, vendor->name,
             *responders ? ",'mailResponders':" : "", responders);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

static int open_answers(void **state)
{
    (void)state;
    return open_as(world_doc(""));
}

static void with_responders(const char *responders)
{
    mail_end();
    test_use(world_doc(responders));
    mail_begin();
}

/* Mail that an envelope brings to bob. */
static void comes(const char *sender, const char *head)
{
    const char *raw = crlf(arena_printf(tx.arena, "%s\nwords\n", head));
    const struct mail_carry in = {.sender = sender,
                                  .raw = raw,
                                  .len = strlen(raw),
                                  .to = (const char *const[]){"bob@acme.example"},
                                  .n_to = 1};
    if (mail_carry(&tx, &in) < 0)
        fail_msg("carry: %s", test_err.text);
}

/* Letters that went outside, and the text of the last one. */
static int64_t gone_out(void)
{
    return number("select count(*) from outbox");
}

static size_t letters_to_ada;

/* How many have come to ada since the last time. */
static size_t new_for_ada(void)
{
    const size_t n = count_of("ada"), more = n - letters_to_ada;
    letters_to_ada = n;
    return more;
}

static void is_in(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("\"%s\" is not in: %s", part, text ? text : "nothing");
}

/* ---- the automatic answer ---- */

#define TO_BOB "From: Ada <ada@acme.example>\nTo: bob@acme.example\n"

static void an_answer_is_a_reply(void **state)
{
    (void)state;
    auto_answer = (struct mail_auto_answer){.on = true, .text = "I am away"};
    comes("ada@acme.example", TO_BOB "Subject: Plans\nMessage-ID: <p@x>\nReferences: <o@x>\n");
    struct mail_message m = newest("ada", 0);
    assert_string_equal(header_of(&m, "Subject"), "Re: Plans");
    assert_string_equal(header_of(&m, "In-Reply-To"), "<p@x>");
    assert_string_equal(header_of(&m, "References"), "<o@x> <p@x>");
    assert_string_equal(header_of(&m, "Auto-Submitted"), "auto-replied");
    assert_string_equal(header_of(&m, "Precedence"), "bulk");
    assert_string_equal(header_of(&m, "X-Autoreply"), "yes");
    assert_string_equal(header_of(&m, "To"), "ada@acme.example");
    assert_string_equal(header_of(&m, "Date"), "Mon, 23 Nov 2026 08:00:00 +0000");
    assert_string_equal(header_of(&m, "Return-Path"), "<>");
    assert_string_equal(header_of(&m, "From"), vendor->exclusive
                                                   ? "Somebody else <bob@acme.example>"
                                                   : "Bob <bob@acme.example>");
    is_in(raw_of(&m), "I am away");
    assert_int_equal(count_of("ada"), 1);
}

static void subjects_of_answers(void **state)
{
    (void)state;
    static const struct {
        const char *own, *came;
        bool plain;
        const char *is;
    } all[] = {
        {NULL, "Subject: x\n", false, "Re: x"},
        {"", "Subject: x\n", false, "Re: x"},
        {NULL, "Subject: re: x\n", false, "re: x"},
        {NULL, "", false, "Re:"},
        {NULL, "", true, ""},
        {"Away", "", false, "Away Re:"},
        {"Away", "Subject: x\n", true, "Away x"},
        {"Away", "Subject: x\n", false, "Away Re: x"},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        auto_answer = (struct mail_auto_answer){
            .on = true, .subject = all[i].own, .plain = all[i].plain, .text = "t"};
        comes("ada@acme.example", arena_printf(tx.arena, TO_BOB "%s", all[i].came));
        struct mail_message m = newest("ada", 0);
        const char *subject = header_of(&m, "Subject");
        assert_string_equal(subject ? subject : "", all[i].is);
        assert_null(header_of(&m, "In-Reply-To"));
        assert_null(header_of(&m, "References"));
    }
    comes("ada@acme.example", TO_BOB "Message-ID: <p@x>\n");
    struct mail_message m = newest("ada", 0);
    assert_string_equal(header_of(&m, "References"), "<p@x>");
}

static void texts_of_answers(void **state)
{
    (void)state;
    auto_answer = (struct mail_auto_answer){.on = true, .text = "plain", .html = "<p>page</p>"};
    comes("ada@acme.example", TO_BOB);
    struct mail_message m = newest("ada", 0);
    is_in(raw_of(&m), "<p>page</p>");
    assert_null(strstr(raw_of(&m), "plain\r\n"));
    auto_answer.html = "";
    comes("ada@acme.example", TO_BOB);
    m = newest("ada", 0);
    is_in(raw_of(&m), "\r\n\r\nplain");
    auto_answer.text = NULL;
    comes("ada@acme.example", TO_BOB);
    m = newest("ada", 0);
    is_in(raw_of(&m), "Content-Type: text/plain");
    /* Outsiders have one of their own. */
    auto_answer = (struct mail_auto_answer){
        .on = true, .html = "<p>inside</p>", .apart = true, .apart_html = "<p>outside</p>"};
    comes("ada@acme.example", TO_BOB);
    m = newest("ada", 0);
    is_in(raw_of(&m), "<p>inside</p>");
    comes("x@far.example", TO_BOB);
    assert_int_equal(gone_out(), 1);
    assert_int_equal(number("select instr(payload, 'PHA+b3V0c2lkZTwvcD4') > 0 or instr(payload, "
                            "'raw') > 0 from outbox"),
                     1);
}

static void answers_have_a_time(void **state)
{
    (void)state;
    const struct {
        int64_t from, to;
        size_t answers;
    } all[] = {{0, 0, 1},         {tx.now_us, 0, 1},     {tx.now_us + 1, 0, 0},
               {0, tx.now_us, 0}, {0, tx.now_us + 1, 1}, {tx.now_us, tx.now_us + 1, 1}};
    letters_to_ada = 0;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        auto_answer =
            (struct mail_auto_answer){.on = true, .from_us = all[i].from, .to_us = all[i].to};
        comes("ada@acme.example", TO_BOB);
        if (new_for_ada() != all[i].answers)
            fail_msg("time %zu", i);
    }
}

static void a_sender_has_the_next_answer_after_a_pause(void **state)
{
    (void)state;
    letters_to_ada = 0;
    auto_answer = (struct mail_auto_answer){.on = true, .pause_us = 10 * SECOND};
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(new_for_ada(), 1);
    mail_later(10 * SECOND - 1);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(new_for_ada(), 0);
    comes("cyd@acme.example", TO_BOB); /* somebody else has it all the same */
    assert_int_equal(count_of("cyd"), 1);
    mail_later(1);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(new_for_ada(), 1);
    mail_later(9 * SECOND);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(new_for_ada(), 0);
    const struct mailbox bob = box("bob");
    assert_int_equal(mail_answered_forget(&tx, &bob), 0);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(new_for_ada(), 1);
}

static void only_people_who_wrote_to_the_person_have_an_answer(void **state)
{
    (void)state;
    static const struct {
        const char *sender, *head;
        size_t answers;
    } all[] = {
        {"ada@acme.example", TO_BOB, 1},
        {"ada@acme.example", "From: ada@acme.example\nCc: x@far.example, B@acme.example\n", 1},
        {"ada@acme.example", "From: ada@acme.example\nTo: cyd@acme.example, bob+tag@acme.example\n",
         1},
        {"ada@acme.example", "From: ada@acme.example\nTo: cyd@acme.example\n", 0},
        {"ada@acme.example", "From: ada@acme.example\n", 0},
        {"ada@acme.example", "From: ada@acme.example\nBcc: bob@acme.example\n", 0},
        {"ada@acme.example", TO_BOB "List-Id: <l.x>\n", 0},
        {"ada@acme.example", TO_BOB "List-Post: <l.x>\n", 0},
        {"ada@acme.example", TO_BOB "List-Unsubscribe: <l.x>\n", 0},
        {"ada@acme.example", TO_BOB "X-Autoreply: yes\n", 0},
        {"ada@acme.example", TO_BOB "X-Autorespond: x\n", 0},
        {"ada@acme.example", TO_BOB "Auto-Submitted: NO\n", 1},
        {"ada@acme.example", TO_BOB "Auto-Submitted: auto-generated\n", 0},
        {"ada@acme.example", TO_BOB "Precedence: Bulk\n", 0},
        {"ada@acme.example", TO_BOB "Precedence: list\n", 0},
        {"ada@acme.example", TO_BOB "Precedence: junk\n", 0},
        {"ada@acme.example", TO_BOB "Precedence: normal\n", 1},
    };
    auto_answer = (struct mail_auto_answer){.on = true};
    letters_to_ada = 0;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        comes(all[i].sender, all[i].head);
        if (new_for_ada() != all[i].answers)
            fail_msg("letter %zu", i);
    }
    static const char *const machines[] = {"",
                                           "nobody",
                                           "l-request@far.example",
                                           "owner-l@far.example",
                                           "noreply@far.example",
                                           "x-no-reply@far.example",
                                           "mailer-daemon@far.example",
                                           "postmaster@far.example",
                                           "donotreply@far.example",
                                           "do-not-reply@far.example"};
    for (size_t i = 0; i < SOSIA_LEN(machines); i++)
        comes(machines[i], TO_BOB);
    assert_int_equal(gone_out(), 0);
    static const char *const persons[] = {"request@far.example",      "-reques@far.example",
                                          "owner@far.example",        "reply@far.example",
                                          "x-postmaster@far.example", "noreplyx@far.example"};
    for (size_t i = 0; i < SOSIA_LEN(persons); i++) {
        comes(persons[i], TO_BOB);
        assert_int_equal(gone_out(), (int64_t)i + 1);
    }
    comes("bob@acme.example", TO_BOB); /* who writes to himself */
    assert_int_equal(count_of("bob"),
                     SOSIA_LEN(all) + SOSIA_LEN(machines) + SOSIA_LEN(persons) + 1);
}

static void strangers_may_be_left_out(void **state)
{
    (void)state;
    auto_answer = (struct mail_auto_answer){.on = true, .domain = true};
    letters_to_ada = 0;
    comes("x@far.example", TO_BOB);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(gone_out(), 0);
    assert_int_equal(new_for_ada(), 1);
    auto_answer = (struct mail_auto_answer){.on = true, .contacts = true};
    comes("x@far.example", TO_BOB);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(gone_out() + (int64_t)new_for_ada(), 0);
    send_as("bob", "To: x@far.example, ada@acme.example\nSubject: known\n\nx\n");
    new_for_ada();
    comes("x@far.example", TO_BOB);
    comes("y@far.example", TO_BOB);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(gone_out(), 2); /* what bob wrote, and the answer to x */
    assert_int_equal(new_for_ada(), 1);
    auto_answer = (struct mail_auto_answer){.on = true, .apart_contacts = true};
    comes("y@far.example", TO_BOB);
    assert_int_equal(gone_out(), 3); /* without `apart` it says nothing */
    auto_answer = (struct mail_auto_answer){.on = true, .apart = true, .apart_contacts = true};
    comes("z@far.example", TO_BOB);
    assert_int_equal(gone_out(), 3);
    comes("x@far.example", TO_BOB);
    assert_int_equal(gone_out(), 4);
    comes("cyd@acme.example", TO_BOB); /* colleagues need not be known */
    assert_int_equal(count_of("cyd"), 1);
}

/* ---- what goes on ---- */

static struct search any = {.kind = SEARCH_AND};

static void junk_is_not_answered_and_does_not_go_on(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    static struct mail_act acts[3];
    acts[0] = (struct mail_act){.kind = ACT_MOVE, .folder = ID_OF(&bob, FOLDER_JUNK)};
    acts[1] = (struct mail_act){.kind = ACT_FORWARD, .to = "cyd@acme.example"};
    rules[0] = (struct mail_rule){.query = &any, .acts = acts, .n_acts = 2};
    n_rules = 1;
    onward = (struct mail_onward){"cyd@acme.example", THEN_KEEP};
    auto_answer = (struct mail_auto_answer){.on = true};
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(count_of("cyd"), 0);
    assert_int_equal(count_of("ada"), 0);
    acts[0].folder = ID_OF(&bob, FOLDER_TRASH);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(count_of("cyd"), 1); /* once, though two say it */
    assert_int_equal(count_of("ada"), 0);
    acts[0].folder = ID_OF(&bob, FOLDER_INBOX);
    comes("ada@acme.example", TO_BOB);
    assert_int_equal(count_of("cyd"), 2);
    assert_int_equal(count_of("ada"), 1);
}

static void what_goes_on_goes_so_often_and_no_more(void **state)
{
    (void)state;
    static const struct mail_act on[] = {{.kind = ACT_FORWARD, .to = "cyd@acme.example"}};
    rules[0] = (struct mail_rule){.query = &any, .acts = on, .n_acts = 1};
    n_rules = 1;
    struct mail_carry in = {.sender = "ada@acme.example",
                            .raw = crlf(TO_BOB "\nx\n"),
                            .to = (const char *const[]){"bob@acme.example", "cyd@acme.example"},
                            .n_to = 1};
    in.len = strlen(in.raw);
    auto_answer = (struct mail_auto_answer){.on = true};
    in.hops = MAIL_MAX_HOPS - 1;
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("cyd"), 1);
    assert_int_equal(count_of("ada"), 1);
    in.hops = MAIL_MAX_HOPS;
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("bob"), 2);
    assert_int_equal(count_of("cyd"), 1);
    assert_int_equal(count_of("ada"), 1);
    in.hops = MAIL_MAX_HOPS + 1;
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("bob"), 2);
    in.hops = 0;
    int left = 1;
    in.forwards = &left;
    for (int i = 0; i < 3; i++)
        assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(left, 0);
    assert_int_equal(count_of("cyd"), 2);
    /* It does not go back to whom it came by, nor to a mailbox that has it. */
    in.forwards = NULL;
    in.raw = crlf("Delivered-To: Cyd@acme.example\n" TO_BOB "\nx\n"), in.len = strlen(in.raw);
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("cyd"), 2);
    in.raw = crlf("X-Delivered-To: cyd@acme.example\nDelivered-Too: cyd@acme.example\n"
                  "Delivered-To: dan@acme.example\n" TO_BOB "\nx\n");
    in.len = strlen(in.raw);
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("cyd"), 3);
    const size_t bobs = count_of("bob");
    n_rules = 0;
    in.n_to = 2, in.not_to = box("bob").id;
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("bob"), bobs);
    assert_int_equal(count_of("cyd"), 4);
}

static void it_may_go_on_in_a_message_of_the_persons(void **state)
{
    (void)state;
    static const struct mail_act on[] = {
        {.kind = ACT_FORWARD, .to = "cyd@acme.example", .attached = true},
        {.kind = ACT_FORWARD, .to = "cyd@acme.example"},
        {.kind = ACT_FORWARD, .to = "cyd@acme.example", .attached = true}};
    rules[0] = (struct mail_rule){.query = &any, .acts = on, .n_acts = 3};
    n_rules = 1;
    comes("ada@acme.example", TO_BOB "Subject: on\n");
    assert_int_equal(count_of("cyd"), 2); /* in either way once */
    struct mail_message m = newest("cyd", 1);
    assert_string_equal(header_of(&m, "Subject"), "FW: on");
    assert_string_equal(header_of(&m, "Return-Path"), "<bob@acme.example>");
    assert_string_equal(header_of(&m, "To"), "cyd@acme.example");
    assert_string_equal(header_of(&m, "Date"), "Mon, 23 Nov 2026 08:00:00 +0000");
    is_in(header_of(&m, "From"), "bob@acme.example");
    is_in(raw_of(&m), "Content-Type: message/rfc822");
    is_in(raw_of(&m), "Subject: on");
    m = newest("cyd", 0);
    assert_string_equal(header_of(&m, "Subject"), "on");
    assert_string_equal(header_of(&m, "Return-Path"), "<ada@acme.example>");
    comes("ada@acme.example", "From: ada@acme.example\n");
    m = newest("cyd", 1);
    is_in(header_of(&m, "Subject"), "FW:");
}

/* ---- responders ---- */

#define RULE(id, when, acts)                                                                       \
    "{'id':'" id "','as':'bob@acme.example','when':{" when "},'do':[" acts "]}"

static void a_responder_answers_what_its_rule_says(void **state)
{
    (void)state;
    static const struct {
        const char *when;
        size_t answers[4];
    } all[] = {
        {"", {1, 1, 1, 1}},
        {"'from':['ada@acme.example']", {1, 1, 1, 0}},
        {"'from':['cyd@acme.example','x@far.example']", {0, 0, 0, 1}},
        {"'to':['b@acme.example']", {0, 1, 0, 0}},
        {"'to':['cyd@acme.example']", {0, 1, 0, 0}},
        {"'subject':'^one'", {1, 0, 0, 0}},
        {"'text':'words'", {1, 1, 1, 1}},
        {"'text':'nothing of it'", {0, 0, 0, 0}},
        {"'subject':'one','text':'nothing of it'", {0, 0, 0, 0}},
        {"'subject':'two','text':'words'", {0, 1, 0, 0}},
    };
    static const char *const heads[] = {
        TO_BOB "Subject: one\n",
        "From: ada@acme.example\nTo: b@acme.example\nCc: cyd@acme.example\n"
        "Subject: two\n",
        "Subject: \n", "From: x@far.example\nTo: bob@acme.example\n"};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        char one[400];
        snprintf(one, sizeof one,
                 "[{'id':'r','as':'bob@acme.example','when':{%s},'do':[{'send':"
                 "{'to':['ada@acme.example'],'text':'t'}}]}]",
                 all[i].when);
        with_responders(one);
        letters_to_ada = 0;
        for (size_t k = 0; k < SOSIA_LEN(heads); k++) {
            comes(k < 3 ? "ada@acme.example" : "x@far.example", heads[k]);
            mail_later(2 * SECOND);
            if (new_for_ada() != all[i].answers[k])
                fail_msg("rule %zu, letter %zu", i, k);
        }
    }
}

static void a_reply_goes_to_all_or_to_the_sender(void **state)
{
    (void)state;
    with_responders("[" RULE("r", "'subject':'^(plans) (\\\\w+)'",
                             "{'reply':{'all':true,'text':'${1} and ${2} of ${name} at ${from}: "
                             "${subject}'}}") ",{'id':'one','as':'cyd@acme.example','when':"
                                              "{'subject':'plans'},'do':[{'reply':{'html':'<b>x</"
                                              "b>','subject':'Own'}}]}]");
    send_as("ada", "From: Ada L <ada@acme.example>\nReply-To: Desk <desk@acme.example>\n"
                   "To: b@acme.example, Ada <ADA@acme.example>, Dan <d@far.example>\n"
                   "Cc: cyd@acme.example\nSubject: plans today\nMessage-ID: <p@x>\n"
                   "References: <o@x>\n\nx\n");
    mail_later(2 * SECOND);
    struct mail_message m = newest("cyd", 1);
    for (size_t i = 0; i < count_of("bob"); i++) {
        m = newest("bob", i);
        if (strcmp(header_of(&m, "Subject"), "Re: plans today") == 0)
            break;
    }
    assert_string_equal(header_of(&m, "To"), "Desk <desk@acme.example>");
    assert_string_equal(header_of(&m, "Cc"), "Dan <d@far.example>, cyd@acme.example");
    assert_string_equal(header_of(&m, "In-Reply-To"), "<p@x>");
    assert_string_equal(header_of(&m, "References"), "<o@x> <p@x>");
    is_in(raw_of(&m), "plans and today of Ada L at ada@acme.example: plans today");
    for (size_t i = 0; i < count_of("cyd"); i++) {
        m = newest("cyd", i);
        if (strcmp(header_of(&m, "Subject"), "Own") == 0)
            break;
    }
    assert_string_equal(header_of(&m, "Subject"), "Own");
    assert_null(header_of(&m, "Cc"));
    is_in(raw_of(&m), "<b>x</b>");
}

static void a_letter_goes_on_with_what_it_said(void **state)
{
    (void)state;
    with_responders("[" RULE("r", "",
                             "{'forward':{'to':['ada@acme.example','cyd@acme.example'],"
                             "'cc':['x@far.example'],'text':'see ${subject}'}}") "]");
    comes("x@far.example", "From: X <x@far.example>\nTo: bob@acme.example, y@far.example\n"
                           "Subject: Fwd: look\nDate: Mon, 23 Nov 2026 07:00:00 +0000\n");
    mail_later(2 * SECOND);
    struct mail_message m = newest("ada", 0);
    assert_string_equal(header_of(&m, "Subject"), "Fwd: look");
    assert_string_equal(header_of(&m, "To"), "ada@acme.example, cyd@acme.example");
    assert_string_equal(header_of(&m, "Cc"), "x@far.example");
    assert_null(header_of(&m, "In-Reply-To"));
    is_in(
        raw_of(&m),
        "see Fwd: look\r\n\r\n---------- Forwarded message ---------\r\nFrom: X <x@far.example>\r\n"
        "Date: Mon, 23 Nov 2026 07:00:00 +0000\r\nSubject: Fwd: look\r\n"
        "To: bob@acme.example, y@far.example\r\n\r\nwords");
    comes("x@far.example", "Message-ID: <bare@x>\n");
    mail_later(2 * SECOND);
    m = newest("ada", 0);
    is_in(header_of(&m, "Subject"), "Fwd:");
    assert_string_equal(header_of(&m, "References"), "<bare@x>");
    is_in(raw_of(&m), "From: x@far.example <x@far.example>\r\nDate: \r\nSubject: \r\nTo: \r\n");
}

static void letters_go_by_the_clock(void **state)
{
    (void)state;
    with_responders("[{'id':'r','as':'bob@acme.example','delay':5,'times':2,'do':["
                    "{'send':{'to':['ada@acme.example'],'subject':'1'}},"
                    "{'send':{'to':['ada@acme.example'],'subject':'2'}},{'wait':10},"
                    "{'send':{'to':['ada@acme.example'],'subject':'3'}},{'wait':1}]}]");
    letters_to_ada = 0;
    comes("x@far.example", TO_BOB);
    mail_later(5 * SECOND - 1);
    assert_int_equal(new_for_ada(), 0);
    mail_later(1);
    assert_int_equal(new_for_ada(), 2);
    mail_later(10 * SECOND - 1);
    assert_int_equal(new_for_ada(), 0);
    mail_later(1);
    assert_int_equal(new_for_ada(), 1);
    assert_int_equal(number("select count(*) from mail_respond"), 0); /* a wait is for others */
    comes("x@far.example", TO_BOB);
    comes("x@far.example", TO_BOB); /* the third is one too many */
    mail_later(60 * SECOND);
    assert_int_equal(new_for_ada(), 3);
    assert_int_equal(number("select times from mail_responder"), 0);
}

static void what_nobody_looks_at_is_not_answered(void **state)
{
    (void)state;
    const char *const rule =
        "[" RULE("r", "", "{'send':{'to':['ada@acme.example'],'text':'t'}}") "]";
    static const struct mail_act junk[] = {{.kind = ACT_DISCARD}};
    with_responders(rule);
    letters_to_ada = 0;
    comes("", TO_BOB);
    comes("bob@acme.example", TO_BOB);
    comes("b@acme.example", TO_BOB);
    rules[0] = (struct mail_rule){.query = &any, .acts = junk, .n_acts = 1};
    n_rules = 1;
    comes("ada@acme.example", TO_BOB);
    n_rules = 0;
    mail_later(60 * SECOND);
    assert_int_equal(new_for_ada(), 0);
    comes("ada@acme.example", TO_BOB);
    mail_later(60 * SECOND);
    assert_int_equal(new_for_ada(), 1);
}

static void a_refused_letter_ends_its_answer(void **state)
{
    (void)state;
    static const char *const again = "{'send':{'to':['ada@acme.example'],'subject':'after'}}";
    char rule[600];
    snprintf(rule, sizeof rule,
             "[{'id':'r','as':'bob@acme.example','do':[{'send':{'to':['ada@acme.example'],"
             "'subject':'before'}},{'send':{'to':['no address'],'subject':'wrong'}},%s]},"
             "{'id':'s','as':'bob@acme.example','do':[%s]}]",
             again, again);
    with_responders(rule);
    letters_to_ada = 0;
    comes("x@far.example", TO_BOB);
    mail_later(60 * SECOND);
    assert_int_equal(new_for_ada(), 2);
    assert_int_equal(number("select count(*) from mail_responder where refused = 'badRecipient' "
                            "and key = 'r'"),
                     1);
    assert_int_equal(number("select count(*) from mail_responder where refused is null"), 1);
    assert_int_equal(number("select count(*) from mail_respond"), 0);
    /* Nothing of it is left: bob has what came, and what he sent. */
    assert_int_equal(count_of("bob"), 3);
    check_counters();
}

/* ---- documents of responders ---- */

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

static void bounds_of_responders(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "'delay':1",
        "'delay':8589934",
        "'times':0",
        "'times':1000000",
        "'refused':'x'",
        "'under_way':[{'at':'2026-11-24T00:00:00Z','do':[]}]",
        "'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'send':{'to':'x@y.example'}},"
        "{'wait':8589934}]}]"};
    static const char *const wrong[] = {
        "'delay':0",
        "'delay':8589935",
        "'times':-1",
        "'times':1000001",
        "'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'wait':8589935}]}]",
        "'under_way':[{'do':[]}]",
        "'under_way':[{'at':'2026-11-24T00:00:00Z'}]",
        "'under_way':[{'at':'2026-11-24T00:00:00Z','do':[{'forward':{}}]}]"};
    char one[700];
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(fine) + SOSIA_LEN(wrong); i++) {
        const bool ok = i < SOSIA_LEN(fine);
        snprintf(one, sizeof one, "[{'id':'r','as':'bob@acme.example','do':[{'reply':{}}],%s}]",
                 ok ? fine[i] : wrong[i - SOSIA_LEN(fine)]);
        if ((*why_not(one) == 0) != ok)
            fail_msg("%s: %s", one, why_not(one));
    }
    is_in(why_not("[{'id':'r','as':'room@acme.example','do':[{'reply':{}}]}]"),
          "must be somebody with a mailbox");
    for (int most = 0; most < 2; most++)
        for (int n = 100; n <= 101; n++) {
            struct buf b;
            buf_init(&b, 0);
            buf_puts(&b, "[{'id':'r','as':'bob@acme.example','do':[{'send':{'to':['x@y.example']");
            buf_puts(&b, most ? "}}],'when':{'from':[" : ",'cc':[");
            for (int i = 0; i < n; i++)
                buf_printf(&b, "%s'p%d@far.example'", i ? "," : "", i);
            buf_puts(&b, most ? "]}}]" : "]}}]}]");
            if (n > 100)
                is_in(why_not(buf_str(&b)), "must have at most 100 addresses");
            else
                assert_string_equal(why_not(buf_str(&b)), "");
            buf_done(&b);
        }
    mail_begin();
}

static void answers_under_way_are_dumped(void **state)
{
    (void)state;
    with_responders("[{'id':'r','as':'bob@acme.example','delay':7,'when':{'subject':'x'},'do':["
                    "{'send':{'to':['ada@acme.example'],'subject':'1'}},{'wait':100},"
                    "{'send':{'to':['ada@acme.example'],'subject':'2'}}]},"
                    "{'id':'s','as':'cyd@acme.example','refused':'why','do':[{'reply':{}}]}]");
    comes("x@far.example", TO_BOB "Subject: x1\n");
    mail_later(10 * SECOND);
    comes("x@far.example", TO_BOB "Subject: x2\n");
    mail_end();
    struct sosia_blob blob, again;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    const char *dump = strstr((const char *)blob.data, "\"mailResponders\"");
    is_in(dump, "\"at\": \"2026-11-23T08:01:47.000000Z\"");
    is_in(dump, "\"at\": \"2026-11-23T08:00:17.000000Z\"");
    is_in(dump, "\"delay\": 7");
    is_in(dump, "\"times\": 98");
    is_in(dump, "\"times\": 100");
    is_in(dump, "\"refused\": \"why\"");
    assert_null(strstr(dump, "\"delay\": 1\n"));
    /* The first has the letter behind its wait yet, the second both. */
    const char *under = strstr(dump, "\"under_way\"");
    assert_non_null(under);
    const uint64_t world = test_world_of((const char *)blob.data);
    assert_int_equal(sosia_world_dump(test_engine, world, &again, &test_err), 0);
    assert_string_equal((const char *)again.data, (const char *)blob.data);
    sosia_blob_free(&again);
    sosia_blob_free(&blob);
    mail_begin();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_answers, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(an_answer_is_a_reply),
        TEST(subjects_of_answers),
        TEST(texts_of_answers),
        TEST(answers_have_a_time),
        TEST(a_sender_has_the_next_answer_after_a_pause),
        TEST(only_people_who_wrote_to_the_person_have_an_answer),
        TEST(strangers_may_be_left_out),
        TEST(junk_is_not_answered_and_does_not_go_on),
        TEST(what_goes_on_goes_so_often_and_no_more),
        TEST(it_may_go_on_in_a_message_of_the_persons),
        TEST(a_responder_answers_what_its_rule_says),
        TEST(a_reply_goes_to_all_or_to_the_sender),
        TEST(a_letter_goes_on_with_what_it_said),
        TEST(letters_go_by_the_clock),
        TEST(what_nobody_looks_at_is_not_answered),
        TEST(a_refused_letter_ends_its_answer),
        TEST(bounds_of_responders),
        TEST(answers_under_way_are_dumped),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
