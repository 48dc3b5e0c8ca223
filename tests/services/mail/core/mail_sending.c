/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending and carrying, once for each of two vendors: who is a recipient and who is refused, what
 * others get of a letter, how much goes on, and which calendar objects are handed over.
 */
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- set-up ---- */

static int send_raw(const char *who, const char *raw, size_t len, struct mail_message *ret)
{
    const struct mailbox mb = box(who);
    const struct mail_send in = {.from = &mb, .raw = raw, .len = len};
    test_err = (struct sosia_err){0};
    return mail_send(&tx, &in, ret);
}

static int64_t gone_out(void)
{
    return number("select count(*) from outbox");
}

/* ---- recipients ---- */

static void a_recipient_is_an_address(void **state)
{
    (void)state;
    static const struct {
        const char *head, *reason, *where;
    } all[] = {
        {"Subject: s\n", "noRecipient", NULL},
        {"To: \n", "noRecipient", NULL},
        {"To: \nCc: \nBcc: \n", "noRecipient", NULL},
        {"From: bob@acme.example\nReply-To: bob@acme.example\n", "noRecipient", NULL},
        {"To: no address\n", "badRecipient", "To"},
        {"To: bob@acme.example, no address\n", "badRecipient", "To"},
        {"To: bob@acme.example\nCc: no address\n", "badRecipient", "Cc"},
        {"To: bob@acme.example\nCc: c@far.example\nBcc: @\n", "badRecipient", "Bcc"},
        {"Bcc: bob@\n", "badRecipient", "Bcc"},
    };
    struct mail_message m;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const char *raw = crlf(arena_printf(tx.arena, "%s\nx\n", all[i].head));
        assert_int_equal(send_raw("ada", raw, strlen(raw), &m), -1);
        if (strcmp(test_err.reason, all[i].reason) != 0)
            fail_msg("%s: %s", all[i].head, test_err.reason);
        if (all[i].where)
            assert_string_equal(test_err.where, all[i].where);
        else
            assert_null(test_err.where);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        assert_int_equal(count_of("ada") + count_of("bob"), 0);
    }
    assert_int_equal(gone_out(), 0);
}

/* So many addresses in each field. */
static const char *to_many(int to, int cc, int bcc)
{
    static const char *const names[] = {"To", "Cc", "Bcc"};
    const int n[] = {to, cc, bcc};
    struct buf b;
    buf_init(&b, 0);
    for (size_t f = 0; f < SOSIA_LEN(n); f++)
        for (int i = 0; i < n[f]; i++)
            buf_printf(&b, "%s%s%c%d@far.example%s", i ? " " : names[f], i ? "" : ": ", "tcb"[f], i,
                       i + 1 < n[f] ? ",\r\n" : "\r\n");
    buf_puts(&b, "Subject: many\r\n\r\nx\r\n");
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void recipients_are_at_most_five_hundred(void **state)
{
    (void)state;
    static const struct {
        int n[3];
        const char *where; /* NULL: not too many */
    } all[] = {{{500, 0, 0}, NULL},     {{501, 0, 0}, "To"}, {{499, 1, 0}, NULL},
               {{499, 2, 0}, "Cc"},     {{0, 0, 500}, NULL}, {{200, 200, 100}, NULL},
               {{200, 200, 101}, "Bcc"}};
    struct mail_message m;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const char *raw = to_many(all[i].n[0], all[i].n[1], all[i].n[2]);
        const int64_t out = gone_out();
        const int rc = send_raw("ada", raw, strlen(raw), &m);
        if (all[i].where) {
            refused(rc, "tooManyRecipients");
            assert_int_equal(test_err.code, SOSIA_E_TOO_LARGE);
            assert_string_equal(test_err.where, all[i].where);
            assert_int_equal(gone_out(), out);
        } else {
            assert_int_equal(rc, 0);
            assert_int_equal(gone_out(), out + 1); /* one entry for all of them */
        }
    }
}

static void the_same_person_has_it_once(void **state)
{
    (void)state;
    send_as("ada", "To: bob@acme.example, BOB@acme.example, bob+x@acme.example, A@far.example\n"
                   "Cc: a@far.example, cyd@acme.example\nBcc: bob@acme.example\nSubject: s\n\nx\n");
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("cyd"), 1);
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(gone_out(), 1);
    assert_int_equal(number("select count(*) from outbox where instr(recipients, 'a@far.example') "
                            "and not instr(recipients, ',')"),
                     1);
    const struct mail_message m = newest("bob", 0);
    assert_string_equal(header_of(&m, "Delivered-To"), "bob@acme.example");
    assert_string_equal(header_of(&m, "Return-Path"), "<ada@acme.example>");
    assert_null(header_of(&m, "Bcc"));
    assert_string_equal(header_of(&(struct mail_message){.id = newest("ada", 0).id}, "Bcc"),
                        "bob@acme.example");
}

static void others_may_have_another_head(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    static const char raw[] = "To: bob@acme.example\r\nSubject: mine\r\nX-Mine: 1\r\n\r\nx\r\n",
                      head[] = "To: you@acme.example\r\nBcc: c@far.example\r\nSubject: yours\r\n"
                               "X-Yours: 1\r\n\r\n";
    const struct mail_send in = {
        .from = &ada, .raw = raw, .len = sizeof raw - 1, .head = head, .head_len = sizeof head - 1};
    struct mail_message m;
    assert_int_equal(mail_send(&tx, &in, &m), 0);
    assert_string_equal(raw_of(&m), raw);
    m = newest("bob", 0); /* who gets it is said by the bytes, not by that head */
    assert_string_equal(header_of(&m, "Subject"), "yours");
    assert_string_equal(header_of(&m, "X-Yours"), "1");
    assert_null(header_of(&m, "X-Mine"));
    assert_null(header_of(&m, "Bcc"));
    assert_int_equal(gone_out(), 0);
}

static void nobody_takes_what_is_too_large(void **state)
{
    (void)state;
    struct mail_message m;
    char *raw = calloc(1, MAIL_MAX_SIZE + 1);
    assert_non_null(raw);
    memcpy(raw, "To: bob@acme.example\r\n\r\n", 24);
    refused(send_raw("ada", raw, MAIL_MAX_SIZE + 1, &m), "tooLarge");
    const struct mail_carry in = {.sender = "ada@acme.example",
                                  .raw = raw,
                                  .len = MAIL_MAX_SIZE + 1,
                                  .to = (const char *const[]){"bob@acme.example"},
                                  .n_to = 1};
    refused(mail_carry(&tx, &in), "tooLarge");
    const struct mailbox bob = box("bob");
    struct mail_message_new new = {
        .mailbox = &bob, .raw = raw, .len = MAIL_MAX_SIZE + 1, .at_s = INT64_MIN, .incoming = true};
    struct mail_draft d;
    refused(mail_message_add(&tx, &new, &m), "tooLarge");
    new.incoming = false;
    refused(mail_draft_add(&tx, &new, 0, &d), "tooLarge");
    free(raw);
    assert_int_equal(count_of("bob") + count_of("ada"), 0);
}

static void addresses_of_an_envelope(void **state)
{
    (void)state;
    const char *raw = crlf("To: somebody@far.example\nBcc: cyd@acme.example\nSubject: s\n\nx\n");
    const struct mail_carry in = {.raw = raw,
                                  .len = strlen(raw),
                                  .to = (const char *const[]){"no address", "Bob@ACME.example", "",
                                                              "nobody@acme.example",
                                                              "x@far.example", "bob@acme.example"},
                                  .n_to = 6};
    assert_int_equal(mail_carry(&tx, &in), 0); /* what is not an address is left out */
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("cyd"), 0); /* the envelope says who gets it */
    assert_int_equal(count_of("ada"), 0);
    assert_int_equal(gone_out(), 1); /* without a sender nothing is reported */
    const struct mail_message m = newest("bob", 0);
    assert_string_equal(header_of(&m, "Return-Path"), "<>");
    assert_null(header_of(&m, "Bcc"));
}

static void failures_are_reported_to_senders_outside(void **state)
{
    (void)state;
    const char *raw = crlf("Subject: s\n\nx\n");
    struct mail_carry in = {.sender = "x@far.example",
                            .raw = raw,
                            .len = strlen(raw),
                            .to = (const char *const[]){"nobody@acme.example"},
                            .n_to = 1};
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(gone_out(), 1);
    assert_int_equal(number("select count(*) from outbox where recipients like "
                            "'%x@far.example%' and not instr(recipients, ',')"),
                     1);
    in.sender = "nobody.else@acme.example"; /* who is not there either */
    assert_int_equal(mail_carry(&tx, &in), 0);
    in.sender = "";
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(gone_out(), 1);
    in.sender = "ada@acme.example";
    in.to = (const char *const[]){"nobody@acme.example", "noone@acme.example"}, in.n_to = 2;
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("ada"), 2); /* one for each */
    in.hops = MAIL_MAX_HOPS + 1;
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("ada"), 2);
}

/* ---- how much goes on ---- */

enum { MANY = MAIL_MAX_FORWARDS + 10 };

/* Bob's rule forwards to so many. */
static void forwards_to_many(void)
{
    static const struct search any = {.kind = SEARCH_AND};
    static struct mail_act acts[MANY];
    static char to[MANY][32];
    for (int i = 0; i < MANY; i++) {
        snprintf(to[i], sizeof to[i], "cyd%d@far.example", i);
        acts[i] = (struct mail_act){.kind = ACT_FORWARD, .to = to[i]};
    }
    rules[0] = (struct mail_rule){.query = &any, .acts = acts, .n_acts = MANY};
    n_rules = 1;
}

static void a_letter_goes_on_a_thousand_times(void **state)
{
    (void)state;
    const char *raw = crlf("From: x@far.example\nSubject: s\n\nx\n");
    const struct mail_carry in = {
        .sender = "x@far.example",
        .raw = raw,
        .len = strlen(raw),
        .to = (const char *const[]){"ada@acme.example", "bob@acme.example", "cyd@acme.example"},
        .n_to = 3};
    forwards_to_many();
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(gone_out(), MAIL_MAX_FORWARDS + 3); /* and once for each who has it */
    const struct mailbox bob = box("bob");
    const struct mail_message_new new = {.mailbox = &bob,
                                         .raw = raw,
                                         .len = strlen(raw),
                                         .at_s = INT64_MIN,
                                         .flags = FLAG(FOLDER_INBOX),
                                         .incoming = true};
    struct mail_message m;
    assert_int_equal(mail_message_add(&tx, &new, &m), 0);
    assert_int_equal(gone_out(), 2 * MAIL_MAX_FORWARDS + 3);
}

/* ---- calendar objects ---- */

static struct seen {
    int n;
    char who[4];
    char text[60];
    size_t len;
    bool asked, known, sent;
    int left, leave; /* how many events are left, and how many are taken */
} seen;

static void see(const struct actor *who, const struct invitation *in)
{
    seen.n++;
    snprintf(seen.who, sizeof seen.who, "%s", who->email);
    snprintf(seen.text, sizeof seen.text, "%.*s", in->len < 50 ? (int)in->len : 50, in->text);
    seen.len = in->len;
    seen.asked = in->asked;
    seen.known = in->known;
    seen.sent = in->sent;
    seen.left = in->left ? *in->left : -1;
    if (in->left)
        *in->left -= seen.leave;
}

static int open_seeing(void **state)
{
    seen = (struct seen){0};
    invitation_seen = see;
    return open_world(state);
}

static int close_seeing(void **state)
{
    invitation_seen = NULL;
    return mail_close_world(state);
}

static void carry_to(const char *sender, const char *text, const char *to)
{
    const char *raw = crlf(text);
    const struct mail_carry in = {
        .sender = sender, .raw = raw, .len = strlen(raw), .to = &to, .n_to = 1};
    seen = (struct seen){.leave = seen.leave};
    if (mail_carry(&tx, &in) < 0)
        fail_msg("carry: %s", test_err.text);
}

static void objects_are_handed_over_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *type, *body, *is; /* NULL: it is not one */
    } all[] = {
        {"Content-Type: text/calendar", "plain", "plain"},
        {"Content-Type: TEXT/Calendar; method=REQUEST", "plain", "plain"},
        {"Content-Type: text/calendar\nContent-Transfer-Encoding: base64", "cGxhaW4=", "plain"},
        {"Content-Type: text/calendar; charset=iso-8859-1", "\xe4", "\xc3\xa4"},
        {"Content-Type: text/calendar; charset=utf-8", "\xe4", "\xe4"}, /* bytes as they are */
        {"Content-Type: text/calendar\nContent-Disposition: attachment; filename=f", "x", "x"},
        {"Content-Type: text/calendars", "plain", NULL},
        {"Content-Type: application/ics", "plain", NULL},
        {"Content-Type: message/rfc822", "Content-Type: text/calendar\n\nplain", NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        carry_to("x@far.example",
                 arena_printf(tx.arena,
                              "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n"
                              "%s\n\n%s\n--b--\n",
                              all[i].type, all[i].body),
                 "bob@acme.example");
        if (seen.n != (all[i].is != NULL) || (all[i].is && strcmp(seen.text, all[i].is) != 0))
            fail_msg("%s: %d \"%s\"", all[i].type, seen.n, seen.text);
    }
    carry_to("x@far.example", "Content-Type: text/calendar\n\nwhole", "bob@acme.example");
    assert_string_equal(seen.text, "whole");
    assert_string_equal(seen.who, "bob");
    assert_false(seen.asked || seen.sent);
    assert_int_equal(seen.left, 10000);
}

static void the_sender_may_be_known(void **state)
{
    (void)state;
    static const char text[] = "Content-Type: text/calendar\n\nx";
    carry_to("x@far.example", text, "bob@acme.example");
    assert_false(seen.known);
    carry_to("zed@acme.example", text, "bob@acme.example"); /* of the same domain */
    assert_true(seen.known);
    carry_to("", text, "bob@acme.example");
    assert_false(seen.known);
    send_as("bob", "To: y@far.example\nCc: x@far.example\n\nx\n");
    carry_to("x@far.example", text, "bob@acme.example");
    assert_true(seen.known);
    carry_to("z@far.example", text, "bob@acme.example");
    assert_false(seen.known);
    carry_to("x@far.example", text, "cyd@acme.example");
    assert_false(seen.known);
}

static void objects_of_a_message_are_at_most_twenty(void **state)
{
    (void)state;
    for (int n = 19; n <= 21; n++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "Content-Type: multipart/mixed; boundary=b\n\n");
        for (int i = 0; i < n; i++)
            buf_printf(&b, "--b\nContent-Type: text/calendar\n\n%d\n", i + 1);
        buf_puts(&b, "--b--\n");
        carry_to("x@far.example", buf_str(&b), "bob@acme.example");
        assert_int_equal(seen.n, n < 20 ? n : 20);
        assert_string_equal(seen.text, n < 20 ? "19" : "20");
        const struct mailbox bob = box("bob");
        const char *raw = crlf(buf_str(&b));
        seen = (struct seen){0};
        assert_int_equal(mail_take_invitations(&tx, &bob, raw, strlen(raw)), 0);
        assert_int_equal(seen.n, n < 20 ? n : 20);
        assert_true(seen.asked);
        assert_int_equal(seen.left, -1);
        buf_done(&b);
    }
}

static void an_object_has_at_most_two_megabytes(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        const size_t n = ((size_t)2 << 20) + over;
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "Content-Type: text/calendar\r\n\r\n");
        while (b.len < 31 + n)
            buf_byte(&b, 'x');
        const struct mail_carry in = {.sender = "x@far.example",
                                      .raw = buf_str(&b),
                                      .len = b.len,
                                      .to = (const char *const[]){"bob@acme.example"},
                                      .n_to = 1};
        seen = (struct seen){0};
        assert_int_equal(mail_carry(&tx, &in), 0);
        assert_int_equal(seen.n, over ? 0 : 1);
        buf_done(&b);
    }
    assert_int_equal(count_of("bob"), 2); /* as mail both came */
}

static void what_is_read_for_all_recipients_has_an_end(void **state)
{
    (void)state;
    struct object list[] = {{"1234", 4}, {"56789", 5}};
    const struct objects two = {list, 2}, none = {list, 0};
    const struct mailbox bob = box("bob");
    static const struct {
        struct objects_budget before;
        int seen;
        size_t bytes;
    } all[] = {{{9, 1}, 2, 0}, {{10, 5}, 2, 1}, {{8, 1}, 0, 8}, {{9, 0}, 0, 9}, {{9, -1}, 0, 9}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct objects_budget budget = all[i].before;
        seen = (struct seen){.leave = 1};
        assert_int_equal(mail_objects_arrived(&tx, &bob, "x@far.example", &two, &budget), 0);
        assert_int_equal(seen.n, all[i].seen);
        assert_int_equal(budget.bytes, all[i].bytes);
        assert_int_equal(budget.events, all[i].before.events - all[i].seen);
        budget = all[i].before;
        assert_int_equal(mail_objects_arrived(&tx, &bob, "x@far.example", &none, &budget), 0);
        assert_int_equal(budget.bytes, all[i].before.bytes);
    }
    /* All recipients of a letter have the events of one. */
    const char *raw = crlf("Content-Type: text/calendar\n\nx");
    const struct mail_carry in = {
        .sender = "x@far.example",
        .raw = raw,
        .len = strlen(raw),
        .to = (const char *const[]){"ada@acme.example", "bob@acme.example", "cyd@acme.example"},
        .n_to = 3};
    seen = (struct seen){.leave = 5000};
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(seen.n, 2);
    assert_string_equal(seen.who, "bob");
}

static void an_answer_brings_what_it_answers(void **state)
{
    (void)state;
    char names[60 * 20] = "";
    for (int i = 0; i < 22; i++) {
        carry_to("x@far.example",
                 arena_printf(tx.arena,
                              "Message-ID: <%d@far.example>\nContent-Type: text/calendar\n\nno %d",
                              i, i),
                 "bob@acme.example");
        snprintf(names + strlen(names), sizeof names - strlen(names), " <%d@far.example>", i);
    }
    static const char answer[] = "To: x@far.example\n%s: %s\nContent-Type: text/calendar\n\n%s";
    seen = (struct seen){0};
    send_as("bob", arena_printf(tx.arena, answer, "In-Reply-To", "<3@far.example>", "yes"));
    assert_int_equal(seen.n, 1); /* it was not missing */
    assert_true(seen.sent);
    seen = (struct seen){0};
    send_as("bob", arena_printf(tx.arena, answer, "In-Reply-To", "<3@far.example>", "yes?"));
    assert_int_equal(seen.n, 3); /* itself, what it answers, and itself again */
    assert_true(seen.sent);
    seen = (struct seen){0};
    send_as("bob", arena_printf(tx.arena, answer, "In-Reply-To", "<99@far.example>", "yes?"));
    assert_int_equal(seen.n, 2);
    seen = (struct seen){0};
    send_as("bob", arena_printf(tx.arena, answer, "References", names, "yes?"));
    assert_int_equal(seen.n, 22); /* twenty of the twenty-two */
    /* What the person sent or writes is not an invitation to them. */
    send_as("bob", "To: x@far.example\nMessage-ID: <own@acme.example>\n"
                   "Content-Type: text/calendar\n\nmine");
    seen = (struct seen){0};
    send_as("bob", arena_printf(tx.arena, answer, "In-Reply-To", "<own@acme.example>", "yes?"));
    assert_int_equal(seen.n, 2);
}

#define TEST(name)   cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)
#define SEEING(name) cmocka_unit_test_setup_teardown(name, open_seeing, close_seeing)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(a_recipient_is_an_address),
        TEST(recipients_are_at_most_five_hundred),
        TEST(the_same_person_has_it_once),
        TEST(others_may_have_another_head),
        TEST(nobody_takes_what_is_too_large),
        TEST(addresses_of_an_envelope),
        TEST(failures_are_reported_to_senders_outside),
        TEST(a_letter_goes_on_a_thousand_times),
        SEEING(objects_are_handed_over_decoded),
        SEEING(the_sender_may_be_known),
        SEEING(objects_of_a_message_are_at_most_twenty),
        SEEING(an_object_has_at_most_two_megabytes),
        SEEING(what_is_read_for_all_recipients_has_an_end),
        SEEING(an_answer_brings_what_it_answers),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
