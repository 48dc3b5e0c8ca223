/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a message from one mailbox to others. */
#include "engine/search/index.h"
#include "engine/base/codec.h"
#include "tests/support/mail.h"
#include <stdlib.h>

static const char PLANS[] = "From: Ada <ada@acme.example>\nTo: Bob <bob@acme.example>\n"
                            "Message-ID: <plans@x>\nSubject: Plans\n\nHere they are.\n";

static const char *text(const char *query)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db), query, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    const char *out = arena_strdup(tx.arena, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    return out;
}

static void a_message_goes_from_one_to_another(void **state)
{
    (void)state;
    struct mail_message sent = send_as("ada", PLANS);
    assert_string_equal(labels_of(&sent), "SENT");
    assert_string_equal(raw_of(&sent), crlf(PLANS));
    assert_int_equal(count_of("bob"), 1);
    struct mail_message got = newest("bob", 0);
    assert_string_equal(labels_of(&got), "INBOX UNREAD CATEGORY_PERSONAL");
    assert_int_not_equal(got.key, sent.key);
    assert_int_equal(got.content, sent.content);
    assert_string_equal(header_of(&got, "Delivered-To"), "bob@acme.example");
    assert_string_equal(header_of(&got, "Return-Path"), "<ada@acme.example>");
    assert_non_null(strstr(raw_of(&got), crlf(PLANS)));
    assert_int_equal(count_of("cyd"), 0);
    assert_int_equal(number("select count(*) from outbox"), 0);
    check_counters();
}

static void nobody_sees_bcc_but_the_sender(void **state)
{
    (void)state;
    struct mail_message sent =
        send_as("ada", "To: bob@acme.example\nBcc: cyd@acme.example,\n out@else.example\n"
                       "Subject: x\n\n");
    assert_string_equal(header_of(&sent, "Bcc"), "cyd@acme.example, out@else.example");
    struct mail_message bob = newest("bob", 0), cyd = newest("cyd", 0);
    assert_null(header_of(&bob, "Bcc"));
    assert_null(header_of(&cyd, "Bcc"));
    assert_null(strstr(raw_of(&cyd), "out@else"));
    assert_string_equal(text("select recipients from outbox"), "out@else.example");
    assert_string_equal(text("select sender from outbox"), "ada@acme.example");
    const char *raw = text("select json_extract(payload, '$.raw') from outbox");
    uint8_t *bytes;
    size_t len;
    assert_int_equal(base64_decode(tx.arena, raw, strlen(raw), &bytes, &len), 0);
    assert_string_equal(arena_memdup(tx.arena, bytes, len),
                        "To: bob@acme.example\r\nSubject: x\r\n\r\n");
}

static void every_mailbox_gets_it_once(void **state)
{
    (void)state;
    /* An alias, a plus-address, a group that contains itself, and the address again. */
    struct mail_message sent =
        send_as("cyd", "To: a@acme.example, ada+news@acme.example, ALL@acme.example\n"
                       "Cc: Ada <ada@acme.example>, bob@acme.example\nSubject: x\n\n");
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("cyd"), 1); /* is in the group */
    assert_string_equal(labels_of(&sent), "INBOX SENT UNREAD");
    struct mail_message ada = newest("ada", 0);
    assert_string_equal(header_of(&ada, "Delivered-To"), "a@acme.example");
    assert_int_equal(number("select count(*) from outbox"), 1);
    assert_string_equal(text("select recipients from outbox"), "out@else.example");
    check_counters();
}

static void an_unknown_address_is_reported_in_the_thread(void **state)
{
    (void)state;
    struct mail_message sent =
        send_as("ada", "To: nobody@acme.example, bob@acme.example\nMessage-ID: <1@x>\n"
                       "Subject: Plans\n\nsecret");
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("ada"), 2);
    struct mail_message report = newest("ada", 0);
    assert_int_equal(report.thread, sent.thread);
    assert_string_equal(labels_of(&report), "INBOX UNREAD CATEGORY_UPDATES");
    assert_string_equal(header_of(&report, "From"),
                        "Mail Delivery Subsystem <mailer-daemon@acme.example>");
    assert_string_equal(header_of(&report, "X-Failed-Recipients"), "nobody@acme.example");
    assert_string_equal(header_of(&report, "In-Reply-To"), "<1@x>");
    assert_string_equal(header_of(&report, "Return-Path"), "<>");
    struct mail_message_body b;
    assert_int_equal(mail_message_open(&tx, &report, &b), 0);
    assert_string_equal(b.mime.parts[0].type, "multipart/report");
    assert_string_equal(b.mime.parts[4].type, "message/delivery-status");
    assert_string_equal(b.mime.parts[5].type, "message/rfc822");
    assert_memory_equal(b.snippet, "Address not found Your message wasn't delivered", 47);
    assert_non_null(strstr(raw_of(&report), "Final-Recipient: rfc822; nobody@acme.example"));
    assert_non_null(strstr(raw_of(&report), "secret"));
    check_counters();
}

static void a_report_that_fails_is_not_reported(void **state)
{
    (void)state;
    const char *to = "nobody@acme.example";
    struct mail_carry in = {.sender = "gone@acme.example",
                            .raw = "Subject: x\r\n\r\n",
                            .len = 14,
                            .to = &to,
                            .n_to = 1};
    assert_int_equal(mail_carry(&tx, &in), 0);
    in.sender = "";
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(number("select count(*) from mail_message"), 0);
    assert_int_equal(number("select count(*) from outbox"), 0);
    /* A sender outside is notified there. */
    in.sender = "x@else.example";
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_string_equal(text("select recipients from outbox"), "x@else.example");
    assert_string_equal(text("select json_extract(payload, '$.subject') from outbox"),
                        "Delivery Status Notification (Failure)");
}

static void a_room_takes_no_mail(void **state)
{
    (void)state;
    send_as("ada", "To: room@acme.example\nSubject: x\n\n");
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(number("select count(*) from outbox"), 0);
}

static void refuse(const char *raw, enum sosia_code code, const char *reason, const char *where)
{
    struct mailbox mb = box("ada");
    struct mail_message m;
    const char *bytes = crlf(raw);
    struct mail_send in = {.from = &mb, .raw = bytes, .len = strlen(bytes)};
    assert_int_equal(mail_send(&tx, &in, &m), -1);
    assert_int_equal(test_err.code, code);
    assert_string_equal(test_err.reason, reason);
    if (where)
        assert_string_equal(test_err.where, where);
    assert_int_equal(number("select count(*) from mail_message"), 0);
}

static void what_has_no_good_recipients_is_not_sent(void **state)
{
    (void)state;
    refuse("Subject: x\n\n", SOSIA_E_INVALID, "noRecipient", NULL);
    refuse("To: undisclosed-recipients:;\n\n", SOSIA_E_INVALID, "noRecipient", NULL);
    refuse("To: bob@acme.example, nowhere\n\n", SOSIA_E_INVALID, "badRecipient", "To");
    refuse("To: bob@acme.example\nCc: <x>\n\n", SOSIA_E_INVALID, "badRecipient", "Cc");
    refuse("Bcc: a b\n\n", SOSIA_E_INVALID, "badRecipient", "Bcc");
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "To: x@else.example");
    for (int i = 0; i < MAIL_MAX_RECIPIENTS; i++)
        buf_printf(&b, ", x%d@else.example", i);
    buf_puts(&b, "\n\n");
    refuse(buf_str(&b), SOSIA_E_TOO_LARGE, "tooManyRecipients", NULL);
    buf_done(&b);
}

static void heads_have_a_limit_where_each_copy_has_one(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "To: bob@acme.example\n");
    while (b.len < MAIL_MAX_HEAD)
        buf_puts(&b, "X-Filler: something that nobody reads\n");
    buf_puts(&b, "\n");
    refuse(buf_str(&b), SOSIA_E_TOO_LARGE, "headTooLarge", NULL);
    buf_done(&b);
}

/* Their sizes lie on both sides of a limit between two classes of the index. */
static void copies_are_found_whatever_their_size(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "To: bob@acme.example, cyd.with.a.longer.alias@acme.example, cyd@acme.example\n"
                 "Subject: x\n\n");
    mail_use("sosia: 1\norganizations: [{domain: acme.example, name: Acme}]\n"
             "people: [{email: ada@acme.example}, {email: bob@acme.example}, "
             "{email: cyd@acme.example, aliases: [cyd.with.a.longer.alias@acme.example]}]\n");
    send_as("ada", buf_str(&b));
    int64_t bob = newest("bob", 0).size, cyd = newest("cyd", 0).size;
    assert_true(cyd > bob);
    for (int64_t n = 4096 - bob; n > 4096 - cyd - 10; n--) {
        struct buf more;
        buf_init(&more, 0);
        buf_puts(&more, buf_str(&b));
        for (int64_t i = 0; i < n; i++)
            buf_byte(&more, 'x');
        send_as("ada", buf_str(&more));
        buf_done(&more);
        struct mail_message m = newest("bob", 0);
        assert_int_equal(mail_message_delete(&tx, &m), 0);
        m = newest("cyd", 0);
        assert_int_equal(mail_message_delete(&tx, &m), 0);
        m = newest("ada", 0);
        assert_int_equal(mail_message_delete(&tx, &m), 0);
    }
    const char *const rest[] = {"ada", "bob", "cyd"};
    for (size_t i = 0; i < SOSIA_LEN(rest); i++) {
        struct mail_message m = newest(rest[i], 0);
        assert_int_equal(mail_message_delete(&tx, &m), 0);
    }
    assert_int_equal(search_settle(&tx), 0);
    assert_int_equal(sqlite3_exec(slot_db(tx.db),
                                  "insert into mail_index (mail_index) values ('optimize')", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(number("select count(*) from mail_index_data where id > 10"), 0);
    buf_done(&b);
}

static void mail_that_comes_has_a_category(void **state)
{
    (void)state;
    static const struct {
        const char *head, *category;
    } cases[] = {
        {"List-ID: <dev.acme.example>\n", "CATEGORY_FORUMS"},
        {"List-Unsubscribe: <mailto:x@y.example>\n", "CATEGORY_PROMOTIONS"},
        {"Precedence: bulk\n", "CATEGORY_PROMOTIONS"},
        {"Auto-Submitted: auto-generated\n", "CATEGORY_UPDATES"},
        {"Auto-Submitted: auto-replied\nPrecedence: bulk\n", "CATEGORY_UPDATES"},
        {"Auto-Submitted: auto-generated\nPrecedence: bulk\n", "CATEGORY_PROMOTIONS"},
        {"Auto-Submitted: no\n", "CATEGORY_PERSONAL"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        send_as("ada", arena_printf(tx.arena, "To: bob@acme.example\n%s\n", cases[i].head));
        struct mail_message got = newest("bob", 0);
        assert_string_equal(labels_of(&got),
                            arena_printf(tx.arena, "INBOX UNREAD %s", cases[i].category));
    }
}

static void a_message_that_went_too_far_stops(void **state)
{
    (void)state;
    const char *to = "bob@acme.example";
    struct mail_carry in = {.sender = "x@else.example",
                            .raw = "Subject: x\r\n\r\n",
                            .len = 14,
                            .to = &to,
                            .n_to = 1,
                            .hops = MAIL_MAX_HOPS};
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("bob"), 1);
    in.hops++;
    assert_int_equal(mail_carry(&tx, &in), 0);
    assert_int_equal(count_of("bob"), 1);
}

static void a_large_message_is_refused_and_a_small_one_is_shared(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct mail_message m;
    char *raw = calloc(1, MAIL_MAX_SIZE + 2);
    memset(raw, 'x', MAIL_MAX_SIZE + 1);
    struct mail_send in = {.from = &mb, .raw = raw, .len = MAIL_MAX_SIZE + 1};
    assert_int_equal(mail_send(&tx, &in, &m), -1);
    assert_int_equal(test_err.code, SOSIA_E_TOO_LARGE);
    free(raw);
    send_as("ada", "To: bob@acme.example, cyd@acme.example\nSubject: x\n\nshared");
    assert_int_equal(number("select count(*) from mail_content"), 1);
    assert_int_equal(number("select refs from mail_content"), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, mail_open_world, mail_close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_message_goes_from_one_to_another),
        TEST(nobody_sees_bcc_but_the_sender),
        TEST(every_mailbox_gets_it_once),
        TEST(an_unknown_address_is_reported_in_the_thread),
        TEST(a_report_that_fails_is_not_reported),
        TEST(a_room_takes_no_mail),
        TEST(what_has_no_good_recipients_is_not_sent),
        TEST(heads_have_a_limit_where_each_copy_has_one),
        TEST(copies_are_found_whatever_their_size),
        TEST(mail_that_comes_has_a_category),
        TEST(a_message_that_went_too_far_stops),
        TEST(a_large_message_is_refused_and_a_small_one_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
