/* SPDX-License-Identifier: Apache-2.0 */
/* What mailboxes do by themselves with incoming mail: filters, forwarding, automatic answers. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/gmail/settings/setting.h"
#include "tests/support/mail.h"

#define DAY (86400 * US_PER_SECOND)

/* The bytes of the nth thing in the outbox, from 1; "" without. */
static const char *outside(int n)
{
    sqlite3_stmt *st;
    uint8_t *bytes = NULL;
    size_t len = 0;
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db),
                                        "select json_extract(payload, '$.raw') from outbox "
                                        "order by id limit 1 offset ?1",
                                        -1, &st, NULL),
                     SQLITE_OK);
    sqlite3_bind_int(st, 1, n - 1);
    if (sqlite3_step(st) == SQLITE_ROW)
        assert_int_equal(base64_decode(tx.arena, (const char *)sqlite3_column_text(st, 0),
                                       (size_t)sqlite3_column_bytes(st, 0), &bytes, &len),
                         0);
    sqlite3_finalize(st);
    return arena_memdup(tx.arena, bytes ? (const char *)bytes : "", len);
}

/* Mail from outside, or from any sender. */
static void comes(const char *sender, const char *to, const char *text)
{
    const char *raw = crlf(text);
    struct mail_carry carry = {
        .sender = sender, .raw = raw, .len = strlen(raw), .to = &to, .n_to = 1};
    if (mail_carry(&tx, &carry) < 0)
        fail_msg("carry: %s", test_err.text);
}

static void forwards(const char *who, const char *to, enum mail_forward_then then)
{
    struct mailbox mb = box(who);
    struct gmail_forward f = {.email = to};
    struct gmail_auto_forward all = {.on = true, .to = to, .then = then};
    assert_int_equal(gmail_forward_put(&tx, &mb, &f), 0);
    assert_int_equal(gmail_auto_forward_put(&tx, &mb, &all), 0);
}

static const struct search EVERYTHING = {.kind = SEARCH_AND};

static void filters(const char *who, const struct gmail_filter *f)
{
    struct mailbox mb = box(who);
    struct gmail_filter copy = *f;
    static int n;
    copy.key = arena_printf(tx.arena, "f%d", n++);
    copy.said = "{}";
    if (!copy.query)
        copy.query = &EVERYTHING;
    if (gmail_filter_add(&tx, &mb, &copy) < 0)
        fail_msg("filter: %s", test_err.text);
}

static void away(const char *who, struct gmail_vacation v)
{
    struct mailbox mb = box(who);
    v.on = true;
    if (!v.subject)
        v.subject = "Away";
    assert_int_equal(gmail_vacation_put(&tx, &mb, &v), 0);
}

static const char HELLO[] = "From: Eve <eve@else.example>\nTo: ada@acme.example\n"
                            "Message-ID: <hello@else.example>\nSubject: Hello\n\nHow are you?\n";

static int64_t answers(void)
{
    return number("select count(*) from outbox");
}

/* ---- forwarding ---- */

/* Seven mailboxes that forward to each other have 1,956 ways from one through the others. */
static void all_ways_among_mailboxes_are_not_gone(void **state)
{
    enum { N = 7 };
    (void)state;
    mail_use("sosia: 1\ntime: 2026-11-23T08:00:00Z\norganizations: [{domain: acme.example}]\n"
             "people: [{email: p0@acme.example}, {email: p1@acme.example}, "
             "{email: p2@acme.example}, {email: p3@acme.example}, {email: p4@acme.example}, "
             "{email: p5@acme.example}, {email: p6@acme.example}]\n");
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            const char *who = arena_printf(tx.arena, "p%d", i);
            struct mailbox mb = box(who);
            struct gmail_forward f = {.email = arena_printf(tx.arena, "p%d@acme.example", k)};
            if (i == k)
                continue;
            assert_int_equal(gmail_forward_put(&tx, &mb, &f), 0);
            filters(who, &(struct gmail_filter){.forward = f.email});
        }
    comes("eve@else.example", "p0@acme.example", "Subject: s\n\nHi\n");
    assert_int_equal(number("select count(*) from mail_message"), 2 + MAIL_MAX_FORWARDS);
    check_counters();
}

static void all_mail_goes_on(void **state)
{
    (void)state;
    forwards("ada", "bob@acme.example", THEN_KEEP);
    comes("eve@else.example", "ada@acme.example", HELLO);
    struct mail_message ada = newest("ada", 0), bob = newest("bob", 0);
    assert_string_equal(labels_of(&ada), "INBOX UNREAD CATEGORY_PERSONAL");
    assert_string_equal(labels_of(&bob), "INBOX UNREAD CATEGORY_PERSONAL");
    assert_string_equal(header_of(&bob, "From"), "Eve <eve@else.example>");
    assert_string_equal(header_of(&bob, "To"), "ada@acme.example");
    assert_string_equal(header_of(&bob, "Delivered-To"), "bob@acme.example");
    assert_string_equal(header_of(&bob, "X-Forwarded-To"), "bob@acme.example");
    assert_string_equal(header_of(&bob, "X-Forwarded-For"), "ada@acme.example bob@acme.example");
    assert_string_equal(header_of(&bob, "Return-Path"), "<eve@else.example>");
    assert_non_null(strstr(raw_of(&bob), crlf(HELLO)));
    check_counters();
}

static void all_mail_goes_out(void **state)
{
    (void)state;
    forwards("ada", "ada@far.example", THEN_KEEP);
    send_as("bob", "To: ada@acme.example\nBcc: cyd@acme.example\nSubject: s\n\nHi\n");
    assert_int_equal(answers(), 1);
    assert_int_equal(number("select recipients = 'ada@far.example' from outbox"), 1);
    assert_non_null(strstr(outside(1), "X-Forwarded-To: ada@far.example\r\n"));
    assert_null(strstr(outside(1), "cyd@"));
    /* What one sends oneself does not come in. */
    send_as("ada", "To: bob@acme.example\nSubject: s\n\nHi\n");
    assert_int_equal(answers(), 1);
}

static void what_happens_to_what_went_on(void **state)
{
    static const struct {
        enum mail_forward_then then;
        const char *labels;
    } cases[] = {{THEN_KEEP, "INBOX UNREAD CATEGORY_PERSONAL"},
                 {THEN_ARCHIVE, "UNREAD CATEGORY_PERSONAL"},
                 {THEN_TRASH, "TRASH UNREAD CATEGORY_PERSONAL"},
                 {THEN_READ, "INBOX CATEGORY_PERSONAL"}};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        forwards("ada", "bob@acme.example", cases[i].then);
        comes("eve@else.example", "ada@acme.example", HELLO);
        struct mail_message m = newest("ada", 0);
        assert_string_equal(labels_of(&m), cases[i].labels);
        assert_int_equal(count_of("bob"), i + 1);
    }
    check_counters();
}

static void nothing_goes_to_whom_has_not_agreed(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct gmail_forward f = {.email = "bob@acme.example", .pending = true};
    struct gmail_auto_forward all = {.on = true, .to = "bob@acme.example", .then = THEN_TRASH};
    assert_int_equal(gmail_auto_forward_put(&tx, &ada, &all), 0);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(gmail_forward_put(&tx, &ada, &f), 0);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(count_of("bob"), 0);
    struct mail_message m = newest("ada", 0);
    assert_string_equal(labels_of(&m), "INBOX UNREAD CATEGORY_PERSONAL");
    all.on = false;
    f.pending = false;
    assert_int_equal(gmail_forward_put(&tx, &ada, &f), 0);
    assert_int_equal(gmail_auto_forward_put(&tx, &ada, &all), 0);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(count_of("bob"), 0);
}

static void spam_goes_nowhere(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct mail_message m;
    const char *raw = crlf(HELLO);
    struct mail_message_new new = {.mailbox = &ada,
                                   .raw = raw,
                                   .len = strlen(raw),
                                   .flags = FLAG(LABEL_SPAM),
                                   .at_s = INT64_MIN,
                                   .incoming = true};
    struct gmail_filter f = {.forward = "cyd@acme.example"};
    forwards("ada", "cyd@acme.example", THEN_KEEP);
    filters("ada", &f);
    away("ada", (struct gmail_vacation){0});
    assert_int_equal(mail_message_add(&tx, &new, &m), 0);
    assert_int_equal(count_of("cyd"), 0);
    assert_int_equal(answers(), 0);
    new.flags = FLAG(LABEL_INBOX);
    assert_int_equal(mail_message_add(&tx, &new, &m), 0);
    assert_int_equal(count_of("cyd"), 1);
    assert_int_equal(answers(), 1);
}

static void forwarding_in_a_circle_ends(void **state)
{
    (void)state;
    forwards("ada", "bob@acme.example", THEN_KEEP);
    forwards("bob", "ada@acme.example", THEN_KEEP);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(count_of("bob"), 1);
    /* The same through a third one and an alias. */
    forwards("bob", "cyd@acme.example", THEN_KEEP);
    forwards("cyd", "a@acme.example", THEN_KEEP);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_true(count_of("ada") <= 3);
    assert_true(count_of("bob") <= 3);
    assert_int_equal(answers(), 0);
}

static void a_group_that_is_forwarded_to_ends(void **state)
{
    (void)state;
    forwards("ada", "all@acme.example", THEN_KEEP);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("cyd"), 1);
}

/* ---- filters ---- */

static void a_filter_forwards_what_matches(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct search from = {.kind = SEARCH_ADDRESS, .fields = FIELD_FROM, .text = "eve@else.example"};
    struct gmail_forward cyd = {.email = "cyd@acme.example"};
    struct gmail_filter f = {.query = &from, .forward = "cyd@acme.example"};
    assert_int_equal(gmail_forward_put(&tx, &ada, &cyd), 0);
    filters("ada", &f);
    filters("ada", &f); /* is forwarded there once */
    comes("mal@else.example", "ada@acme.example", "From: mal@else.example\nSubject: s\n\n");
    assert_int_equal(count_of("cyd"), 0);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(count_of("cyd"), 1);
    assert_int_equal(
        mail_kept_remove(&tx, &gmail_settings, ada.id, SETTING_FORWARD, "cyd@acme.example"), 1);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(count_of("cyd"), 1);
}

static void what_is_never_spam_is_in_the_inbox(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct mail_message m;
    const char *raw = crlf(HELLO);
    struct mail_message_new new = {.mailbox = &ada,
                                   .raw = raw,
                                   .len = strlen(raw),
                                   .flags = FLAG(LABEL_SPAM) | FLAG(LABEL_UNREAD),
                                   .at_s = INT64_MIN,
                                   .incoming = true};
    int64_t spam = mail_folder_id(ada.id, LABEL_SPAM);
    int64_t both[] = {mail_folder_id(ada.id, LABEL_INBOX), spam};
    struct gmail_filter f = {.remove = &spam, .n_remove = 1};
    filters("ada", &f);
    assert_int_equal(mail_message_add(&tx, &new, &m), 0);
    assert_string_equal(labels_of(&m), "INBOX UNREAD CATEGORY_PERSONAL");
    f = (struct gmail_filter){.remove = both, .n_remove = 2};
    filters("ada", &f);
    assert_int_equal(mail_message_add(&tx, &new, &m), 0);
    assert_string_equal(labels_of(&m), "UNREAD CATEGORY_PERSONAL");
    check_counters();
}

static void questions_survive_being_stored(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct search phrase = {.kind = SEARCH_PHRASE, .fields = FIELD_SUBJECT, .text = "hello"};
    struct search near = {.kind = SEARCH_NEAR,
                          .fields = FIELDS_ANY,
                          .text = "how",
                          .text2 = "you",
                          .distance = 1,
                          .ordered = true};
    struct search size = {.kind = SEARCH_SIZE, .from = 10, .to = 100000};
    struct search date = {.kind = SEARCH_DATE, .from = 0, .to = INT64_MAX};
    struct search has = {.kind = SEARCH_HAS, .bits = HAS_FILE};
    struct search flags = {.kind = SEARCH_FLAGS, .bits = FLAG(LABEL_UNREAD)};
    struct search label = {.kind = SEARCH_FOLDER, .id = mail_folder_id(ada.id, LABEL_INBOX)};
    struct search id = {.kind = SEARCH_MESSAGE_ID, .text = "<hello@else.example>"};
    struct search address = {
        .kind = SEARCH_ADDRESS, .fields = FIELD_FROM, .text = "eve@else.example"};
    const struct search *no_file[] = {&has};
    struct search not = {.kind = SEARCH_NOT, .kids = no_file, .n_kids = 1};
    const struct search *one[] = {&has, &phrase};
    struct search either = {.kind = SEARCH_OR, .kids = one, .n_kids = 2};
    const struct search *all[] = {&phrase, &near,  &size, &date,    &not,
                                  &flags,  &label, &id,   &address, &either};
    struct search whole = {.kind = SEARCH_AND, .kids = all, .n_kids = SOSIA_LEN(all)};
    int64_t star = mail_folder_id(ada.id, LABEL_STARRED);
    struct gmail_filter f = {.query = &whole, .add = &star, .n_add = 1}, *kept;
    size_t n;
    filters("ada", &f);
    comes("eve@else.example", "ada@acme.example", HELLO);
    struct mail_message m = newest("ada", 0);
    assert_string_equal(labels_of(&m), "INBOX UNREAD STARRED CATEGORY_PERSONAL");
    assert_int_equal(gmail_filter_list(&tx, &ada, &kept, &n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(kept[0].query->n_kids, SOSIA_LEN(all));
    assert_int_equal(kept[0].query->kids[1]->distance, 1);
    assert_true(kept[0].query->kids[1]->ordered);
    assert_true(kept[0].query->kids[3]->to == INT64_MAX);
}

static void questions_that_are_none_are_refused(void **state)
{
    static const char *const bad[] = {
        "{}",
        "[]",
        "{\"kind\":\"nonsense\"}",
        "{\"kind\":\"not\"}",
        "{\"kind\":\"not\",\"kids\":[]}",
        "{\"kind\":\"not\",\"kids\":[{\"kind\":\"and\"},{\"kind\":\"and\"}]}",
        "{\"kind\":\"phrase\",\"fields\":1}",
        "{\"kind\":\"near\",\"fields\":1,\"text\":\"a\"}",
        "{\"kind\":\"address\"}",
        "{\"kind\":\"messageId\"}",
        "{\"kind\":\"and\",\"kids\":[{\"kind\":\"or\",\"kids\":[1]}]}",
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const struct json *v;
        assert_int_equal(json_parse(tx.arena, bad[i], strlen(bad[i]), NULL, &v, &test_err), 0);
        assert_null(search_read(tx.arena, &mail_corpus, v));
    }
}

/* ---- the automatic answer ---- */

static void a_sender_gets_an_answer(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){.subject = "Away", .text = "Back on Monday."});
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 1);
    assert_int_equal(number("select recipients = 'eve@else.example' and sender = '' from outbox"),
                     1);
    const char *raw = outside(1);
    assert_non_null(strstr(raw, "From: Ada <ada@acme.example>\r\n"));
    assert_non_null(strstr(raw, "To: eve@else.example\r\n"));
    assert_non_null(strstr(raw, "Subject: Away Re: Hello\r\n"));
    assert_non_null(strstr(raw, "In-Reply-To: <hello@else.example>\r\n"));
    assert_non_null(strstr(raw, "References: <hello@else.example>\r\n"));
    assert_non_null(strstr(raw, "Auto-Submitted: auto-replied\r\n"));
    assert_non_null(strstr(raw, "Precedence: bulk\r\n"));
    assert_non_null(strstr(raw, "Back on Monday."));
    assert_int_equal(count_of("ada"), 1); /* the answer is nowhere among what was sent */
}

static void a_colleague_gets_it_in_the_thread(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){.subject = "", .text = "Back on Monday."});
    struct mail_message sent = send_as("bob", "From: bob@acme.example\nTo: ada@acme.example\n"
                                              "Message-ID: <p@x>\nSubject: Plans\n\nHi\n");
    struct mail_message got = newest("bob", 0);
    assert_int_equal(count_of("bob"), 2);
    assert_int_equal(got.thread, sent.thread);
    assert_string_equal(header_of(&got, "From"), "Ada <ada@acme.example>");
    assert_string_equal(header_of(&got, "Return-Path"), "<>");
}

static void the_subject_repeats_the_senders_without_one(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){
                    .subject = "", .html = "<p>Back on <b>Monday</b>.</p>", .text = "not this"});
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_non_null(strstr(outside(1), "Subject: Re: Hello\r\n"));
    assert_non_null(strstr(outside(1), "text/html"));
    assert_non_null(strstr(outside(1), "<b>Monday</b>"));
    assert_null(strstr(outside(1), "not this"));
    comes("mal@else.example", "ada@acme.example",
          "From: mal@else.example\nTo: ada@acme.example\nSubject: RE: Hello\n\n");
    assert_non_null(strstr(outside(2), "Subject: RE: Hello\r\n"));
}

static void nobody_gets_two_in_four_days(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){0});
    comes("eve@else.example", "ada@acme.example", HELLO);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 1);
    comes("mal@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 2);
    mail_later(4 * DAY - US_PER_SECOND);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 2);
    mail_later(US_PER_SECOND);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 3);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 3);
    struct mailbox ada = box("ada");
    away("ada", (struct gmail_vacation){.subject = "Still away"});
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 3);
    assert_int_equal(mail_answered_forget(&tx, &ada), 0);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 4);
}

static void it_has_a_beginning_and_an_end(void **state)
{
    (void)state;
    int64_t now = tx.now_us;
    away("ada", (struct gmail_vacation){.from_us = now + DAY, .to_us = now + 2 * DAY});
    comes("eve@else.example", "ada@acme.example", HELLO);
    mail_later(DAY - US_PER_SECOND);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 0);
    mail_later(US_PER_SECOND);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 1);
    mail_later(DAY - US_PER_SECOND);
    comes("mal@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 2);
    mail_later(US_PER_SECOND);
    comes("sam@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 2);
}

static void off_is_off(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct gmail_vacation v = {.subject = "Away"};
    assert_int_equal(gmail_vacation_put(&tx, &ada, &v), 0);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 0);
}

#define TO_ADA "To: ada@acme.example\nSubject: s\n"

static void machines_and_lists_get_none(void **state)
{
    static const struct {
        const char *sender, *text;
    } cases[] = {
        {"", TO_ADA "\n"},
        {"mailer-daemon@else.example", TO_ADA "\n"},
        {"postmaster@else.example", TO_ADA "\n"},
        {"noreply@else.example", TO_ADA "\n"},
        {"no-reply@else.example", TO_ADA "\n"},
        {"forwarding-noreply@else.example", TO_ADA "\n"},
        {"donotreply@else.example", TO_ADA "\n"},
        {"do-not-reply@else.example", TO_ADA "\n"},
        {"dev-request@else.example", TO_ADA "\n"},
        {"owner-dev@else.example", TO_ADA "\n"},
        {"eve@else.example", TO_ADA "List-Id: <dev.else.example>\n\n"},
        {"eve@else.example", TO_ADA "List-Post: <mailto:dev@else.example>\n\n"},
        {"eve@else.example", TO_ADA "List-Unsubscribe: <mailto:x@else.example>\n\n"},
        {"eve@else.example", TO_ADA "Auto-Submitted: auto-replied\n\n"},
        {"eve@else.example", TO_ADA "Auto-Submitted: auto-generated\n\n"},
        {"eve@else.example", TO_ADA "X-Autoreply: yes\n\n"},
        {"eve@else.example", TO_ADA "Precedence: Bulk\n\n"},
        {"eve@else.example", TO_ADA "Precedence: list\n\n"},
        {"eve@else.example", TO_ADA "Precedence: junk\n\n"},
    };
    (void)state;
    away("ada", (struct gmail_vacation){0});
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        comes(cases[i].sender, "ada@acme.example", cases[i].text);
        if (answers())
            fail_msg("%s: %s", cases[i].sender, cases[i].text);
    }
    comes("eve@else.example", "ada@acme.example", TO_ADA "Auto-Submitted: no\n\n");
    assert_int_equal(answers(), 1);
}

static void only_what_names_the_person_is_answered(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){0});
    comes("eve@else.example", "ada@acme.example", "To: sam@else.example\nSubject: s\n\n");
    comes("eve@else.example", "all@acme.example", "To: all@acme.example\nSubject: s\n\n");
    assert_int_equal(number("select count(*) from outbox where recipients = 'eve@else.example'"),
                     0);
    comes("eve@else.example", "ada@acme.example",
          "To: sam@else.example\nCc: Ada <A+news@acme.example>\nSubject: s\n\n");
    assert_int_equal(number("select count(*) from outbox where recipients = 'eve@else.example'"),
                     1);
}

static void the_trash_is_not_answered(void **state)
{
    (void)state;
    int64_t trash = mail_folder_id(box("ada").id, LABEL_TRASH);
    struct gmail_filter f = {.add = &trash, .n_add = 1};
    away("ada", (struct gmail_vacation){0});
    filters("ada", &f);
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 0);
}

static void contacts_are_those_one_has_written_to(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){.contacts = true});
    comes("eve@else.example", "ada@acme.example", HELLO);
    put("ada", "From: eve@else.example\nTo: ada@acme.example\nSubject: s\n\n", "INBOX");
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 0);
    put("ada", "From: ada@acme.example\nTo: x@y.example\nCc: Eve@else.example\nSubject: s\n\n",
        "SENT");
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 1);
}

static void colleagues_are_those_of_the_domain(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){.domain = true});
    comes("eve@else.example", "ada@acme.example", HELLO);
    comes("eve@sub.acme.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 0);
    send_as("bob", "From: bob@acme.example\nTo: ada@acme.example\nSubject: s\n\n");
    assert_int_equal(count_of("bob"), 2);
}

static void two_who_are_away_are_quiet(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){0});
    away("bob", (struct gmail_vacation){0});
    send_as("bob", "From: bob@acme.example\nTo: ada@acme.example\nSubject: s\n\n");
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(count_of("bob"), 2);
}

static void one_does_not_answer_oneself(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){0});
    comes("a@acme.example", "ada@acme.example", "From: a@acme.example\n" TO_ADA "\n");
    assert_int_equal(count_of("ada"), 1);
}

static void what_was_forwarded_is_answered_by_whom_it_names(void **state)
{
    (void)state;
    forwards("ada", "bob@acme.example", THEN_KEEP);
    away("ada", (struct gmail_vacation){.subject = "Ada is away"});
    away("bob", (struct gmail_vacation){.subject = "Bob is away"});
    comes("eve@else.example", "ada@acme.example", HELLO);
    assert_int_equal(answers(), 1);
    assert_non_null(strstr(outside(1), "Subject: Ada is away Re: Hello\r\n"));
}

/* Whatever is in the message, the automatic answer has the right headers. */
static void senders_write_no_headers_into_answers(void **state)
{
    (void)state;
    away("ada", (struct gmail_vacation){.subject = "", .text = "x"});
    comes("eve@else.example", "ada@acme.example",
          "To: ada@acme.example\n"
          "Message-ID: <a=?utf-8?q?=0D=0ABcc:_mal@far.example?=@x>\n"
          "References: <b@x> =?utf-8?q?=0D=0ABcc:_mal@far.example=0D=0A=0D=0A?=\n"
          "Subject: =?utf-8?q?a=0D=0ABcc:_mal@far.example?=\n\n");
    assert_int_equal(answers(), 1);
    assert_null(strstr(outside(1), "\nBcc:"));
    assert_non_null(strstr(outside(1), "\r\n\r\nx"));
}

#define rules_test(f) cmocka_unit_test_setup_teardown(f, mail_open_world, mail_close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        rules_test(all_ways_among_mailboxes_are_not_gone),
        rules_test(all_mail_goes_on),
        rules_test(all_mail_goes_out),
        rules_test(what_happens_to_what_went_on),
        rules_test(nothing_goes_to_whom_has_not_agreed),
        rules_test(spam_goes_nowhere),
        rules_test(forwarding_in_a_circle_ends),
        rules_test(a_group_that_is_forwarded_to_ends),
        rules_test(a_filter_forwards_what_matches),
        rules_test(what_is_never_spam_is_in_the_inbox),
        rules_test(questions_survive_being_stored),
        rules_test(questions_that_are_none_are_refused),
        rules_test(a_sender_gets_an_answer),
        rules_test(a_colleague_gets_it_in_the_thread),
        rules_test(the_subject_repeats_the_senders_without_one),
        rules_test(nobody_gets_two_in_four_days),
        rules_test(it_has_a_beginning_and_an_end),
        rules_test(off_is_off),
        rules_test(machines_and_lists_get_none),
        rules_test(only_what_names_the_person_is_answered),
        rules_test(the_trash_is_not_answered),
        rules_test(contacts_are_those_one_has_written_to),
        rules_test(colleagues_are_those_of_the_domain),
        rules_test(two_who_are_away_are_quiet),
        rules_test(one_does_not_answer_oneself),
        rules_test(what_was_forwarded_is_answered_by_whom_it_names),
        rules_test(senders_write_no_headers_into_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
