/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes: threads, drafts, the feed. */
#include "tests/support/mail.h"

#define HOUR INT64_C(3600000000)
#define DAY  (24 * HOUR)

static const char HELLO[] = "From: Bob <bob@acme.example>\nTo: ada@acme.example\n"
                            "Message-ID: <hello@x>\nSubject: Hello\n\nHello Ada,\n how are you?\n";

/* ---- threads ---- */

static bool together(const struct mail_message *a, const struct mail_message *b)
{
    return a->thread == b->thread;
}

static void replies_go_where_they_belong(void **state)
{
    (void)state;
    struct mail_message a = put("ada", "Message-ID: <1@x>\nSubject: Plans\n\n1", "INBOX");
    struct mail_message b =
        put("ada", "Message-ID: <2@x>\nIn-Reply-To: <1@x>\nSubject: Re: plans\n\n2", "INBOX");
    struct mail_message c = put(
        "ada", "Message-ID: <3@x>\nReferences: <0@x> <2@x>\nSubject: Fwd: RE: Plans\n\n3", "INBOX");
    assert_true(together(&a, &b));
    assert_true(together(&a, &c));
    struct mail_message d = put("ada", "References: <2@x>\nSubject: Re: Other plans\n\n4", "INBOX");
    struct mail_message e = put("ada", "References: <9@x>\nSubject: Re: Plans\n\n5", "INBOX");
    struct mail_message f = put("bob", "References: <2@x>\nSubject: Re: Plans\n\n6", "INBOX");
    assert_false(together(&a, &d));
    assert_false(together(&a, &e)); /* it names another message */
    assert_false(together(&a, &f));
    assert_int_equal(c.thread_key, a.key);
    check_counters();
    struct mail_thread t;
    struct mail_message *list;
    size_t n;
    assert_int_equal(mail_thread_get(&tx, a.mailbox, a.key, &t), 1);
    assert_int_equal(mail_thread_messages(&tx, &t, &list, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(list[0].id, a.id);
    assert_int_equal(list[2].id, c.id);
}

static void the_same_subject_within_a_week_is_a_thread(void **state)
{
    (void)state;
    static const char news[] = "From: News <news@else.example>\nTo: ada@acme.example\n"
                               "Subject: Daily\n\nnews";
    struct mail_message a = put("ada", news, "INBOX");
    mail_later(6 * DAY);
    struct mail_message b = put("ada", news, "INBOX");
    assert_true(together(&a, &b));
    mail_later(8 * DAY);
    struct mail_message c = put("ada", news, "INBOX");
    assert_false(together(&a, &c));
    struct mail_message other =
        put("ada", "From: x@else.example\nTo: y@else.example\nSubject: Daily\n\n", "INBOX");
    assert_false(together(&c, &other));
    struct mail_message recipient =
        put("ada", "From: x@else.example\nTo: ADA@acme.example\nSubject: daily\n\n", "INBOX");
    assert_true(together(&c, &recipient) || together(&other, &recipient));
    /* What a person writes begins a thread of its own. */
    struct mail_message sent = put("ada", news, "SENT");
    assert_false(together(&c, &sent));
    struct mail_message no_subject = put("ada", "From: news@else.example\n\n", "INBOX"),
                        none = put("ada", "From: news@else.example\n\n", "INBOX");
    assert_false(together(&no_subject, &none));
    check_counters();
}

static void others_with_the_subject_are_no_hindrance(void **state)
{
    (void)state;
    static const char news[] = "From: News <news@else.example>\nTo: ada@acme.example\n"
                               "Subject: Daily\n\nnews";
    struct mail_message a = put("ada",
                                "Message-ID: <1@x>\nFrom: News <news@else.example>\n"
                                "To: ada@acme.example\nSubject: Daily\n\nnews",
                                "INBOX");
    mail_later(60);
    struct mail_message answer = put("ada",
                                     "From: ada@acme.example\nTo: news@else.example\n"
                                     "Subject: Re: Daily\nReferences: <1@x>\n\nthanks",
                                     "SENT");
    assert_true(together(&a, &answer));
    mail_later(60);
    struct mail_message stranger =
        put("ada", "From: x@else.example\nTo: y@else.example\nSubject: Daily\n\n", "INBOX");
    assert_false(together(&a, &stranger));
    mail_later(60);
    struct mail_message b = put("ada", news, "INBOX");
    assert_true(together(&a, &b));
    check_counters();
}

static void a_thread_takes_a_hundred_messages(void **state)
{
    (void)state;
    struct mail_message first = put("ada", "Message-ID: <1@x>\nSubject: Long\n\n", "INBOX"),
                        m = first;
    for (int i = 0; i < 99; i++)
        m = put("ada", "In-Reply-To: <1@x>\nSubject: Long\n\n", "INBOX");
    assert_true(together(&first, &m));
    m = put("ada", "Message-ID: <2@x>\nIn-Reply-To: <1@x>\nSubject: Long\n\n", "INBOX");
    assert_false(together(&first, &m));
    check_counters();
}

static void a_thread_that_is_asked_for_must_fit(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct mail_message a = put("ada", "Message-ID: <1@x>\nSubject: Plans\n\n", "INBOX"), m;
    static const struct {
        const char *raw;
        bool fits;
    } cases[] = {
        {"In-Reply-To: <1@x>\nReferences: <1@x>\nSubject: Re: Plans\n\n", true},
        {"References: <0@x> <1@x>\nSubject: Plans\n\n", true},
        {"Subject: Re: Plans\n\n", true},
        {"Subject: Fwd: Plans\nReferences: <2@x>\n\n", false},
        {"References: <1@x>\nSubject: Others\n\n", false},
        {"\n", false},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct mail_message_new new = {.mailbox = &mb,
                                       .raw = cases[i].raw,
                                       .len = strlen(cases[i].raw),
                                       .flags = FLAG(LABEL_SENT),
                                       .at_s = INT64_MIN,
                                       .thread = a.key};
        assert_int_equal(mail_message_add(&tx, &new, &m), 0);
        assert_int_equal(together(&a, &m), cases[i].fits);
        new.joins = true;
        assert_int_equal(mail_message_add(&tx, &new, &m), 0);
        assert_true(together(&a, &m));
        new.joins = false;
        new.thread = 12345;
        assert_int_equal(mail_message_add(&tx, &new, &m), -1);
        assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    }
    check_counters();
}

static void a_thread_ends_with_its_last_message(void **state)
{
    (void)state;
    struct mail_message a = put("ada", "Message-ID: <1@x>\nSubject: Plans\n\n", "INBOX UNREAD");
    struct mail_message b = put("ada", "In-Reply-To: <1@x>\nSubject: Plans\n\n", "INBOX");
    struct mail_thread t;
    assert_int_equal(mail_message_delete(&tx, &a), 0);
    check_counters();
    assert_int_equal(mail_thread_get(&tx, a.mailbox, a.key, &t), 1); /* it keeps its key */
    assert_int_equal(t.newest, b.id);
    assert_int_equal(mail_message_delete(&tx, &b), 0);
    check_counters();
    assert_int_equal(mail_thread_get(&tx, a.mailbox, a.key, &t), 0);
}

/* ---- drafts ---- */

static void a_draft_keeps_its_key_and_its_thread(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct mail_draft d, found;
    struct mail_message_new new = {
        .mailbox = &mb, .raw = "Subject: one\n\n", .len = 14, .at_s = INT64_MIN};
    assert_int_equal(mail_draft_add(&tx, &new, 0, &d), 0);
    assert_string_equal(labels_of(&d.message), "DRAFT");
    int64_t key = d.key, message = d.message.key;
    new.raw = "Subject: two\n\n";
    assert_int_equal(mail_draft_save(&tx, &d, &new), 0);
    assert_int_equal(d.key, key);
    assert_int_not_equal(d.message.key, message);
    assert_int_equal(d.message.thread_key, message);
    /* The thread is about what it says now. */
    struct mail_message_new reply = new;
    struct mail_message m;
    reply.thread = message;
    reply.raw = "Subject: one\n\n";
    assert_int_equal(mail_message_add(&tx, &reply, &m), 0);
    assert_false(together(&d.message, &m));
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    reply.raw = "Subject: two\n\n";
    assert_int_equal(mail_message_add(&tx, &reply, &m), 0);
    assert_true(together(&d.message, &m));
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    assert_int_equal(mail_draft_get(&tx, mb.id, key, &found), 1);
    assert_int_equal(found.message.id, d.message.id);
    assert_int_equal(mail_draft_of_message(&tx, &d.message, &found), 1);
    assert_int_equal(found.key, key);
    assert_int_equal(count_of("ada"), 1);
    assert_string_equal(header_of(&d.message, "subject"), "two");
    check_counters();
    assert_int_equal(mail_draft_delete(&tx, &d), 0);
    assert_int_equal(mail_draft_get(&tx, mb.id, key, &found), 0);
    assert_int_equal(count_of("ada"), 0);
    check_counters();
}

static void a_draft_goes_with_its_message(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct mail_draft d, found;
    struct mail_message_new new = {.mailbox = &mb, .raw = "A: b\n\n", .len = 6, .at_s = INT64_MIN};
    assert_int_equal(mail_draft_add(&tx, &new, -5, &d), 0);
    assert_int_equal(d.key, -5);
    assert_int_equal(mail_message_delete(&tx, &d.message), 0);
    assert_int_equal(mail_draft_get(&tx, mb.id, -5, &found), 0);
}

static void a_sent_draft_is_another_message_of_its_thread(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct mail_draft d;
    struct mail_message m;
    const char *raw = "To: bob@acme.example\r\nSubject: one\r\n\r\n";
    struct mail_message_new new = {
        .mailbox = &mb, .raw = raw, .len = strlen(raw), .at_s = INT64_MIN};
    assert_int_equal(mail_draft_add(&tx, &new, 0, &d), 0);
    struct mail_send in = {.from = &mb, .raw = raw, .len = strlen(raw), .draft = &d};
    assert_int_equal(mail_send(&tx, &in, &m), 0);
    assert_int_not_equal(m.key, d.message.key);
    assert_int_equal(m.thread_key, d.message.key);
    assert_string_equal(labels_of(&m), "SENT");
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(count_of("bob"), 1);
    check_counters();
}

/* ---- the feed ---- */

static const char *feed(const char *who, int64_t after, unsigned kinds, int64_t label)
{
    static const char *const names[] = {"", "added", "deleted", "labelled", "unlabelled"};
    struct mailbox mb = box(who);
    struct mail_change *list;
    struct buf b;
    size_t n;
    bool more;
    if (mail_changes(&tx, &mb, after, kinds, label, 100, &list, &n, &more) < 0)
        return test_err.reason;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(!i || list[i].number > list[i - 1].number);
        buf_printf(&b, "%s%s", i ? " " : "", names[list[i].kind]);
        for (size_t k = 0; k < list[i].n_folders; k++)
            buf_printf(&b, ":%lld", (long long)mail_folder_place(list[i].folders[k]));
    }
    const char *out = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static void the_feed_lists_what_has_changed(void **state)
{
    (void)state;
    int64_t start = box("ada").change;
    struct mail_message m = put("ada", HELLO, "INBOX UNREAD");
    int64_t after_add = m.change, work = label_named("ada", "Work");
    int64_t unread = mail_folder_id(m.mailbox, LABEL_UNREAD),
            starred = mail_folder_id(m.mailbox, LABEL_STARRED);
    assert_string_equal(feed("ada", start, 0, 0), "added");
    int64_t add[] = {starred, work};
    assert_int_equal(mail_message_modify(&tx, &m, add, 2, &unread, 1), 0);
    assert_string_equal(feed("ada", start, 0, 0), "added labelled:6:65 unlabelled:5");
    assert_string_equal(feed("ada", after_add, 0, 0), "labelled:6:65 unlabelled:5");
    assert_string_equal(feed("ada", m.change, 0, 0), "");
    assert_string_equal(feed("ada", start, 1u << MAIL_LABELLED, 0), "labelled:6:65");
    assert_string_equal(feed("ada", start, 0, unread), "added labelled:6:65 unlabelled:5");
    assert_string_equal(feed("ada", start, 0, work), "labelled:6:65 unlabelled:5");
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    assert_string_equal(feed("ada", start, 1u << MAIL_DELETED, 0), "deleted");
    assert_string_equal(feed("bob", box("bob").change, 0, 0), "");
    assert_string_equal(feed("ada", start - 1, 0, 0), "tooOld");
    assert_string_equal(feed("ada", 1 << 30, 0, 0), "tooOld");
}

static void what_is_done_at_once_is_one_record(void **state)
{
    (void)state;
    struct mail_message list[] = {put("ada", HELLO, "INBOX"), put("ada", HELLO, "SENT"),
                                  put("ada", HELLO, "INBOX")};
    int64_t after = box("ada").change, trash = mail_folder_id(list[0].mailbox, LABEL_TRASH);
    struct mailbox mb = box("ada");
    struct mail_change *seen;
    size_t n;
    bool more;
    assert_int_equal(mail_messages_modify(&tx, list, 3, &trash, 1, NULL, 0), 0);
    mb = box("ada");
    assert_int_equal(mail_changes(&tx, &mb, after, 0, 0, 2, &seen, &n, &more), 0);
    assert_int_equal(n, 5);
    assert_false(more);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(seen[i].kind, i < 3 ? MAIL_LABELLED : MAIL_UNLABELLED);
        assert_int_equal(seen[i].number, seen[i < 3 ? 0 : 3].number);
        assert_int_equal(seen[i].n_now, i < 3 ? 2 : 1);
    }
    assert_int_equal(list[0].change, seen[3].number);
    assert_int_equal(list[1].change, seen[0].number);
    assert_int_equal(mb.change, seen[3].number);
    /* A page has whole records. */
    assert_int_equal(mail_changes(&tx, &mb, after, 0, 0, 1, &seen, &n, &more), 0);
    assert_int_equal(n, 3);
    assert_true(more);
    assert_int_equal(mail_changes(&tx, &mb, seen[2].number, 0, 0, 1, &seen, &n, &more), 0);
    assert_int_equal(n, 2);
    assert_false(more);
    /* Its number stays the record's, whatever of it is looked for. */
    int64_t last = list[1].change;
    assert_int_equal(mail_changes(&tx, &mb, after, 1u << MAIL_LABELLED,
                                  mail_folder_id(mb.id, LABEL_SENT), 9, &seen, &n, &more),
                     0);
    assert_int_equal(n, 1);
    assert_int_equal(seen[0].number, last);
    assert_int_equal(mail_messages_delete(&tx, list, 3), 0);
    mb = box("ada");
    assert_int_equal(mail_changes(&tx, &mb, list[0].change, 0, 0, 1, &seen, &n, &more), 0);
    assert_int_equal(n, 3);
    assert_int_equal(seen[0].kind, MAIL_DELETED);
    assert_int_equal(seen[0].number, mb.change);
}

static void pages_of_the_feed_follow_each_other(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    int64_t after = mb.change;
    for (int i = 0; i < 10; i++)
        put("ada", HELLO, "INBOX");
    mb = box("ada");
    size_t n, all = 0;
    bool more = true;
    while (more) {
        struct mail_change *list;
        assert_int_equal(mail_changes(&tx, &mb, after, 0, 0, 3, &list, &n, &more), 0);
        all += n;
        assert_int_equal(n, more ? 3 : 1);
        after = list[n - 1].number;
    }
    assert_int_equal(all, 10);
}

static void the_feed_forgets_what_is_old(void **state)
{
    (void)state;
    int64_t start = box("ada").change;
    put("ada", HELLO, "INBOX");
    int64_t first = box("ada").change;
    mail_later(29 * DAY);
    put("ada", HELLO, "INBOX");
    assert_string_equal(feed("ada", start, 0, 0), "added added");
    mail_later(2 * DAY);
    assert_string_equal(feed("ada", start, 0, 0), "tooOld");
    assert_string_equal(feed("ada", first, 0, 0), "added");
}

static void what_is_put_quietly_is_before_the_feed(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    int64_t start = mb.change;
    struct mail_message m;
    struct mail_message_new new = {
        .mailbox = &mb, .raw = "A: b\n\n", .len = 6, .at_s = 1000, .quiet = true};
    assert_int_equal(mail_message_add(&tx, &new, &m), 0);
    assert_string_equal(feed("ada", start, 0, 0), "tooOld");
    assert_string_equal(feed("ada", box("ada").change, 0, 0), "");
    check_counters();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, mail_open_world, mail_close_world)
    const struct CMUnitTest tests[] = {
        TEST(replies_go_where_they_belong),
        TEST(the_same_subject_within_a_week_is_a_thread),
        TEST(others_with_the_subject_are_no_hindrance),
        TEST(a_thread_takes_a_hundred_messages),
        TEST(a_thread_that_is_asked_for_must_fit),
        TEST(a_thread_ends_with_its_last_message),
        TEST(a_draft_keeps_its_key_and_its_thread),
        TEST(a_draft_goes_with_its_message),
        TEST(a_sent_draft_is_another_message_of_its_thread),
        TEST(the_feed_lists_what_has_changed),
        TEST(what_is_done_at_once_is_one_record),
        TEST(pages_of_the_feed_follow_each_other),
        TEST(the_feed_forgets_what_is_old),
        TEST(what_is_put_quietly_is_before_the_feed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
