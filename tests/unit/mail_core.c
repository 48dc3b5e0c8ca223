/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes: messages kept and given back, labels and counters, threads, drafts, the feed. */
#include "tests/unit/mail.h"
#include <time.h>
#include "engine/base/codec.h"

#if defined(__SANITIZE_ADDRESS__)
#define SLACK 1.0 /* seconds */
#else
#define SLACK 0.05
#endif

#define HOUR INT64_C(3600000000)
#define DAY  (24 * HOUR)

static const char HELLO[] = "From: Bob <bob@acme.example>\nTo: ada@acme.example\n"
                            "Message-ID: <hello@x>\nSubject: Hello\n\nHello Ada,\n how are you?\n";

/* ---- messages ---- */

static void a_message_is_given_back_byte_for_byte(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HELLO,
        "",
        "\n",
        "no head",
        "Subject: x\n\n",
        "Subject: x\n\n\n\n",
        "Content-Type: multipart/mixed; boundary=b\n\npre\n--b\n\none\n--b--\npost"};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        struct message m = put("ada", texts[i], "INBOX");
        assert_string_equal(raw_of(&m), crlf(texts[i]));
    }
    struct mailbox mb = box("ada");
    struct message m;
    static const char bytes[] = "A: \0\xff\n\n\0body\xfe";
    struct message_new new = {
        .mailbox = &mb, .raw = bytes, .len = sizeof bytes - 1, .at_s = INT64_MIN};
    assert_int_equal(message_add(&tx, &new, &m), 0);
    assert_memory_equal(raw_of(&m), bytes, sizeof bytes - 1);
    check_counters();
}

static void parts_are_read_decoded(void **state)
{
    (void)state;
    struct message m = put("ada",
                           "Content-Type: multipart/mixed; boundary=b\n\n"
                           "--b\nContent-Type: text/plain; charset=iso-8859-1\n"
                           "Content-Transfer-Encoding: quoted-printable\n\ncaf=E9\n"
                           "--b\nContent-Type: application/octet-stream; name=a.bin\n"
                           "Content-Transfer-Encoding: base64\n\nSGVsbG8=\n--b--\n",
                           "INBOX");
    struct message_body b;
    const char *data;
    size_t len;
    assert_int_equal(message_open(&tx, &m, &b), 0);
    assert_int_equal(b.mime.n, 3);
    assert_int_equal(message_part_text(&tx, &b, 1, &data, &len), 0);
    assert_string_equal(data, "caf\xC3\xA9");
    assert_int_equal(message_part(&tx, &b, 2, &data, &len), 0);
    assert_int_equal(len, 5);
    assert_memory_equal(data, "Hello", 5);
    message_part_head(&b, 2, &data, &len);
    assert_memory_equal(data, "Content-Type: application", 25);
    assert_string_equal(b.snippet, "caf\xC3\xA9");
    assert_true(m.has & HAS_FILE);
}

/* A message with a file of so many bytes, in base64 with lines of so many characters. */
static const char *with_file(size_t size, size_t line, const char *end, const char *text)
{
    struct buf data, b;
    buf_init(&data, 0);
    buf_init(&b, 0);
    for (size_t i = 0; i < size; i++)
        buf_byte(&data, (char)(i * 31 + i / 251));
    buf_printf(&b,
               "Subject: file\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
               "--b\r\n\r\n%s\r\n--b\r\nContent-Type: image/png; name=a.png\r\n"
               "Content-Transfer-Encoding: base64\r\n\r\n",
               text);
    for (size_t at = 0, step = line / 4 * 3; at < size; at += step) {
        base64_add(&b, data.data + at, size - at < step ? size - at : step);
        buf_puts(&b, end);
    }
    buf_puts(&b, "--b--\r\n");
    const char *out = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&data);
    buf_done(&b);
    return out;
}

static int64_t number(const char *query)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db), query, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static struct message add_raw(const char *who, const char *raw)
{
    struct mailbox mb = box(who);
    struct message m;
    struct message_new new = {
        .mailbox = &mb, .raw = raw, .len = strlen(raw), .flags = 1, .at_s = INT64_MIN};
    if (message_add(&tx, &new, &m) < 0)
        fail_msg("add: %s", mail_err.text);
    return m;
}

static void files_are_kept_once_however_they_are_wrapped(void **state)
{
    (void)state;
    static const struct {
        size_t line;
        const char *end;
    } forms[] = {{76, "\r\n"}, {76, "\n"}, {60, "\r\n"}, {72, "\r\n"}};
    struct message first = {0};
    for (size_t i = 0; i < SOSIA_LEN(forms); i++) {
        const char *raw = with_file(100000, forms[i].line, forms[i].end, "text");
        struct message m = add_raw("ada", raw);
        assert_string_equal(raw_of(&m), raw);
        struct message_body b;
        const char *data;
        size_t len;
        assert_int_equal(message_open(&tx, &m, &b), 0);
        assert_true(b.own_len < 500);
        assert_int_equal(message_part(&tx, &b, 2, &data, &len), 0);
        assert_int_equal(len, 100000);
        assert_int_equal(data[1], 31);
        if (!i)
            first = m;
    }
    assert_int_equal(number("select count(*) from blob"), 1);
    assert_int_equal(number("select refs from blob"), SOSIA_LEN(forms));
    /* Another message, forwarded: the file is the same. */
    add_raw("bob", with_file(100000, 76, "\r\n", "see below"));
    assert_int_equal(number("select count(*) from blob"), 1);
    assert_int_equal(message_delete(&tx, &first), 0);
    assert_int_equal(number("select refs from blob"), SOSIA_LEN(forms));
    while (count_of("ada")) {
        struct message m = newest("ada", 0);
        assert_int_equal(message_delete(&tx, &m), 0);
    }
    assert_int_equal(number("select refs from blob"), 1);
    struct message last = newest("bob", 0);
    assert_int_equal(message_delete(&tx, &last), 0);
    assert_int_equal(number("select count(*) from blob"), 0);
    assert_int_equal(number("select count(*) from content"), 0);
    check_counters();
}

static void base64_that_is_not_regular_is_kept_as_it_is(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n");
    for (int i = 0; i < 2000; i++)
        buf_puts(&b, i % 7 ? "QUJD" : "QUJD\n !");
    struct message m = add_raw("ada", buf_str(&b));
    assert_string_equal(raw_of(&m), buf_str(&b));
    assert_int_equal(number("select count(*) from blob"), 1);
    buf_done(&b);
}

static void copies_share_their_content(void **state)
{
    (void)state;
    struct message a = put("ada", HELLO, "INBOX"), b = put("bob", HELLO, "SENT");
    assert_int_equal(a.content, b.content);
    assert_int_equal(number("select refs from content"), 2);
    assert_int_equal(message_delete(&tx, &a), 0);
    assert_string_equal(raw_of(&b), crlf(HELLO));
    check_counters();
}

static void messages_are_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    int64_t times[] = {1000, 500, 1000, 2000, -5, INT64_MAX, 1000};
    for (size_t i = 0; i < SOSIA_LEN(times); i++) {
        struct message m;
        struct message_new new = {.mailbox = &mb, .raw = "A: b\n\n", .len = 6, .at_s = times[i]};
        assert_int_equal(message_add(&tx, &new, &m), 0);
    }
    for (size_t i = 1; i < SOSIA_LEN(times); i++)
        assert_true(newest("ada", i - 1).at_s >= newest("ada", i).at_s);
    assert_int_equal(newest("ada", 6).at_s, 0);
    check_counters();
}

static void a_second_takes_any_number_of_messages(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct message m = put("ada", HELLO, "INBOX");
    /* As if it had been the last one of its second. */
    int64_t last = m.id | ((1 << SEQ_BITS) - 1);
    char *sql = sqlite3_mprintf("pragma defer_foreign_keys = on; "
                                "update message_head set id = %lld; update labelled set message = "
                                "%lld; update thread set newest = %lld; update message set id = "
                                "%lld; insert into mail_index (mail_index) values ('delete-all')",
                                last, last, last, last);
    assert_int_equal(sqlite3_exec(slot_db(tx.db), sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
    struct message next = put("ada", HELLO, "INBOX");
    assert_true(next.id > last);
    assert_int_equal(next.at_s, m.at_s);
    assert_int_equal(next.id >> SEQ_BITS, (m.id >> SEQ_BITS) + 1);
    (void)mb;
    check_counters();
}

static void a_key_is_taken_once(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct message a, b;
    struct message_new new = {
        .mailbox = &mb, .raw = "A: b\n\n", .len = 6, .at_s = INT64_MIN, .key = 77};
    assert_int_equal(message_add(&tx, &new, &a), 0);
    assert_int_equal(a.key, 77);
    assert_int_equal(message_add(&tx, &new, &b), -1);
    assert_int_equal(mail_err.code, SOSIA_E_CONFLICT);
    assert_string_equal(mail_err.reason, "key");
    assert_int_equal(message_get(&tx, mb.id, 77, &b), 1);
    assert_int_equal(message_get(&tx, box("bob").id, 77, &b), 0);
}

static void snippets_are_the_beginning_of_what_is_seen(void **state)
{
    (void)state;
    static const struct {
        const char *text, *snippet;
    } cases[] = {
        {"A: b\n\n  one\n\n two\t three  \n", "one two three"},
        {"Content-Type: text/html\n\n<style>x</style><p>Hello <b>you</b>", "Hello you"},
        {"Content-Type: multipart/alternative; boundary=b\n\n--b\n\nplain\n--b\nContent-Type: "
         "text/html\n\n<p>seen\n--b--\n",
         "seen"},
        {"Content-Type: application/pdf\n\nxx", ""},
        {"A: b\n\n", ""},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct message m = put("ada", cases[i].text, "INBOX");
        const char *snippet;
        assert_int_equal(message_snippet(&tx, &m, &snippet), 0);
        assert_string_equal(snippet, cases[i].snippet);
    }
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "A: b\n\n");
    for (int i = 0; i < 100; i++)
        buf_puts(&b, "w\xC3\xB6rd ");
    struct message m = put("ada", buf_str(&b), "INBOX");
    const char *snippet;
    assert_int_equal(message_snippet(&tx, &m, &snippet), 0);
    assert_int_equal(strlen(snippet), 40 * 6 - 1);
    buf_done(&b);
}

static void what_is_gone_is_not_in_the_index(void **state)
{
    (void)state;
    static const char text[] =
        "From: Bob <bob@acme.example>\nTo: ada@acme.example\nBcc: x@y.example\n"
        "Delivered-To: ada@acme.example\nList-ID: <l.x>\nReply-To: r@y.example\n"
        "Subject: Unicorn\nContent-Type: text/html\n\n<p>costume";
    struct message m = put("ada", text, "INBOX"), other = put("ada", HELLO, "INBOX");
    assert_int_equal(index_settle(&tx), 0);
    assert_int_equal(
        number("select count(*) from mail_index where mail_index match 'unicorn costume'"), 1);
    assert_int_equal(message_delete(&tx, &m), 0);
    assert_int_equal(message_delete(&tx, &other), 0);
    /* Both before it is known, and again. */
    m = put("ada", text, "INBOX");
    assert_int_equal(message_delete(&tx, &m), 0);
    m = put("ada", text, "INBOX");
    assert_int_equal(message_delete(&tx, &m), 0);
    assert_int_equal(index_settle(&tx), 0);
    assert_int_equal(sqlite3_exec(slot_db(tx.db),
                                  "insert into mail_index (mail_index) values ('optimize')", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    /* Averages and structure, and no segment. */
    assert_int_equal(number("select count(*) from mail_index_data where id > 10"), 0);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A message of `first`, and then `piece` again and again up to a size; the time it takes to store,
 * read and delete it. */
static double time_of(const char *first, const char *piece, size_t size)
{
    struct mailbox mb = box("ada");
    struct message m;
    struct message_body b;
    struct buf raw;
    buf_init(&raw, 0);
    buf_puts(&raw, first);
    while (raw.len < size)
        buf_puts(&raw, piece);
    struct message_new new = {
        .mailbox = &mb, .raw = raw.data, .len = raw.len, .at_s = INT64_MIN, .incoming = true};
    double t = cpu_seconds();
    if (message_add(&tx, &new, &m) < 0)
        fail_msg("%s", mail_err.text);
    assert_int_equal(message_open(&tx, &m, &b), 0);
    assert_int_equal(message_delete(&tx, &m), 0);
    assert_int_equal(index_settle(&tx), 0);
    t = cpu_seconds() - t;
    buf_done(&raw);
    mail_later(0);
    return t;
}

static void hostile_messages_take_time_by_their_size(void **state)
{
    (void)state;
    static const struct {
        const char *first, *piece;
    } cases[] = {
        {"To: ", "a@b.example, "},
        {"To: ", "g:"},
        {"References: ", "<a@b.example> "},
        {"", "Subject: x\n"},
        {"", "From: x@y.example\n"},
        {"Subject: ", "=?utf-8?q?=C3=A9?= "},
        {"Content-Type: text/plain", "; a*0=b"},
        {"Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\nx\n"},
        {"Content-Type: multipart/digest; boundary=b\n\n", "--b\n\n\n"},
        {"Content-Type: text/html\n\n", "<div>"},
        {"Content-Type: text/html\n\n", "<a \"&#x"},
        {"A: b\n\n", "word "},
        {"A: b\n\n", "x"},
        {"Content-Type: text/plain; charset=iso-2022-jp\n\n", "\x1B$B"},
        {"A: b\n\n", "\xE6\x97\xA5"},
        {"A: b\n\n", "e\xCC\x81\xCC\x81\xCC\x81"},
        {"A: b\n\n", "://docs.google.com/"},
        {"Content-Transfer-Encoding: base64\n\n", "QUJD"},
        {"Content-Transfer-Encoding: quoted-printable\n\n", "="},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        double small = time_of(cases[i].first, cases[i].piece, 250000);
        double large = time_of(cases[i].first, cases[i].piece, 2000000);
        if (large > 24 * small + SLACK || large > 5)
            fail_msg("%s: %.3f s for 250 kB, %.3f s for 2 MB", cases[i].piece, small, large);
    }
}

/* ---- labels ---- */

static void labels_change_and_are_counted(void **state)
{
    (void)state;
    struct message m = put("ada", HELLO, "INBOX UNREAD Work");
    struct label l;
    int64_t work = label_named("ada", "Work"), unread = label_id(m.mailbox, LABEL_UNREAD),
            starred = label_id(m.mailbox, LABEL_STARRED), home = label_named("ada", "Home");
    check_counters();
    assert_int_equal(label_get(&tx, m.mailbox, work, &l), 1);
    assert_int_equal(l.messages, 1);
    assert_int_equal(l.unread_threads, 1);
    int64_t add[] = {starred, home}, remove[] = {unread, work};
    int64_t before = m.change;
    assert_int_equal(message_modify(&tx, &m, add, 2, remove, 2), 0);
    assert_string_equal(labels_of(&m), "INBOX STARRED Home");
    assert_true(m.change > before);
    check_counters();
    before = m.change;
    assert_int_equal(message_modify(&tx, &m, add, 2, remove, 2), 0); /* is so already */
    assert_int_equal(m.change, before);
    assert_int_equal(message_delete(&tx, &m), 0);
    check_counters();
    assert_int_equal(label_get(&tx, box("ada").id, home, &l), 1);
    assert_int_equal(l.messages, 0);
}

static void a_message_is_in_one_of_inbox_spam_and_trash(void **state)
{
    (void)state;
    struct message m = put("ada", HELLO, "INBOX UNREAD");
    int64_t inbox = label_id(m.mailbox, LABEL_INBOX), trash = label_id(m.mailbox, LABEL_TRASH),
            spam = label_id(m.mailbox, LABEL_SPAM);
    assert_int_equal(message_modify(&tx, &m, &trash, 1, NULL, 0), 0);
    assert_string_equal(labels_of(&m), "TRASH UNREAD");
    assert_int_equal(message_modify(&tx, &m, &spam, 1, NULL, 0), 0);
    assert_string_equal(labels_of(&m), "SPAM UNREAD");
    assert_int_equal(message_modify(&tx, &m, &inbox, 1, NULL, 0), 0);
    assert_string_equal(labels_of(&m), "INBOX UNREAD");
    int64_t social = label_id(m.mailbox, LABEL_SOCIAL), forums = label_id(m.mailbox, LABEL_FORUMS);
    assert_int_equal(message_modify(&tx, &m, &social, 1, NULL, 0), 0);
    assert_int_equal(message_modify(&tx, &m, &forums, 1, NULL, 0), 0);
    assert_string_equal(labels_of(&m), "INBOX UNREAD CATEGORY_FORUMS");
    check_counters();
}

static void waste_is_deleted_after_a_month(void **state)
{
    (void)state;
    struct message kept = put("ada", HELLO, "INBOX"), back = put("ada", HELLO, "SPAM");
    int64_t trash = label_id(kept.mailbox, LABEL_TRASH), spam = label_id(kept.mailbox, LABEL_SPAM);
    put("ada", HELLO, "SPAM UNREAD");
    mail_later(10 * DAY);
    assert_int_equal(message_modify(&tx, &kept, &trash, 1, NULL, 0), 0);
    assert_int_equal(message_modify(&tx, &back, NULL, 0, &spam, 1), 0);
    mail_later(19 * DAY);
    assert_int_equal(count_of("ada"), 3);
    mail_later(2 * DAY);
    assert_int_equal(count_of("ada"), 2);
    check_counters();
    mail_later(9 * DAY);
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(newest("ada", 0).id, back.id);
    struct message gone = put("ada", HELLO, "TRASH");
    assert_int_equal(message_delete(&tx, &gone), 0);
    assert_int_equal(number("select count(*) from due where core = 'mail'"), 0);
    check_counters();
}

static void labels_of_others_are_refused(void **state)
{
    (void)state;
    struct message m = put("ada", HELLO, "INBOX");
    int64_t bad[] = {label_named("bob", "Mine"),
                     label_id(box("bob").id, LABEL_STARRED),
                     label_id(m.mailbox, 99),
                     label_id(m.mailbox, 20),
                     -1,
                     0};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        assert_int_equal(message_modify(&tx, &m, &bad[i], 1, NULL, 0), -1);
        assert_int_equal(mail_err.code, SOSIA_E_INVALID);
        assert_string_equal(mail_err.reason, "label");
    }
}

static void names_of_labels_are_one_of_a_kind(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct label l = {.mailbox = mb.id, .name = "Caf\xC3\xA9"}, other;
    assert_int_equal(label_add(&tx, &l), 0);
    assert_int_equal(label_number(l.id), 1);
    static const char *const taken[] = {"CAF\xC3\x89", "Cafe\xCC\x81", "inbox", "Category_Social"};
    for (size_t i = 0; i < SOSIA_LEN(taken); i++) {
        other = (struct label){.mailbox = mb.id, .name = taken[i]};
        assert_int_equal(label_add(&tx, &other), -1);
        assert_string_equal(mail_err.reason, "labelExists");
    }
    static const char *const bad[] = {"", "a\nb", "\x7f", "\xff"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        other = (struct label){.mailbox = mb.id, .name = bad[i]};
        assert_int_equal(label_add(&tx, &other), -1);
        assert_string_equal(mail_err.reason, "labelName");
    }
    other = (struct label){.mailbox = mb.id, .name = "Cafe"};
    assert_int_equal(label_add(&tx, &other), 0);
    assert_int_equal(label_number(other.id), 2);
    struct label new = other;
    new.name = "caf\xC3\xA9";
    assert_int_equal(label_save(&tx, &other, &new), -1);
    new.name = "CAFE";
    new.color = "#ffffff";
    assert_int_equal(label_save(&tx, &other, &new), 0);
    assert_int_equal(label_by_name(&tx, mb.id, "cafe", &l), 1);
    assert_string_equal(l.name, "CAFE");
    assert_string_equal(l.color, "#ffffff");
}

static void messages_lose_a_label_that_is_deleted(void **state)
{
    (void)state;
    struct message m = put("ada", HELLO, "INBOX Work"), n = put("ada", HELLO, "Work");
    struct label l;
    assert_int_equal(label_get(&tx, m.mailbox, label_named("ada", "Work"), &l), 1);
    assert_int_equal(label_delete(&tx, &l), 0);
    assert_string_equal(labels_of(&m), "INBOX");
    assert_string_equal(labels_of(&n), "");
    assert_int_equal(label_get(&tx, m.mailbox, l.id, &l), 0);
    check_counters();
    struct label again = {.mailbox = m.mailbox, .name = "Work"};
    assert_int_equal(label_add(&tx, &again), 0);
    assert_int_equal(label_number(again.id), 2); /* numbers are not used again */
    assert_int_equal(label_get(&tx, m.mailbox, label_id(m.mailbox, LABEL_INBOX), &l), 1);
    assert_int_equal(label_delete(&tx, &l), -1);
}

/* ---- threads ---- */

static bool together(const struct message *a, const struct message *b)
{
    return a->thread == b->thread;
}

static void replies_go_where_they_belong(void **state)
{
    (void)state;
    struct message a = put("ada", "Message-ID: <1@x>\nSubject: Plans\n\n1", "INBOX");
    struct message b =
        put("ada", "Message-ID: <2@x>\nIn-Reply-To: <1@x>\nSubject: Re: plans\n\n2", "INBOX");
    struct message c = put(
        "ada", "Message-ID: <3@x>\nReferences: <0@x> <2@x>\nSubject: Fwd: RE: Plans\n\n3", "INBOX");
    assert_true(together(&a, &b));
    assert_true(together(&a, &c));
    struct message d = put("ada", "References: <2@x>\nSubject: Re: Other plans\n\n4", "INBOX");
    struct message e = put("ada", "References: <9@x>\nSubject: Re: Plans\n\n5", "INBOX");
    struct message f = put("bob", "References: <2@x>\nSubject: Re: Plans\n\n6", "INBOX");
    assert_false(together(&a, &d));
    assert_false(together(&a, &e)); /* it names another message */
    assert_false(together(&a, &f));
    assert_int_equal(c.thread_key, a.key);
    check_counters();
    struct thread t;
    struct message *list;
    size_t n;
    assert_int_equal(thread_get(&tx, a.mailbox, a.key, &t), 1);
    assert_int_equal(thread_messages(&tx, &t, &list, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(list[0].id, a.id);
    assert_int_equal(list[2].id, c.id);
}

static void the_same_subject_within_a_week_is_a_thread(void **state)
{
    (void)state;
    static const char news[] = "From: News <news@else.example>\nTo: ada@acme.example\n"
                               "Subject: Daily\n\nnews";
    struct message a = put("ada", news, "INBOX");
    mail_later(6 * DAY);
    struct message b = put("ada", news, "INBOX");
    assert_true(together(&a, &b));
    mail_later(8 * DAY);
    struct message c = put("ada", news, "INBOX");
    assert_false(together(&a, &c));
    struct message other =
        put("ada", "From: x@else.example\nTo: y@else.example\nSubject: Daily\n\n", "INBOX");
    assert_false(together(&c, &other));
    struct message recipient =
        put("ada", "From: x@else.example\nTo: ADA@acme.example\nSubject: daily\n\n", "INBOX");
    assert_true(together(&c, &recipient) || together(&other, &recipient));
    /* What somebody writes begins a thread of its own. */
    struct message sent = put("ada", news, "SENT");
    assert_false(together(&c, &sent));
    struct message no_subject = put("ada", "From: news@else.example\n\n", "INBOX"),
                   none = put("ada", "From: news@else.example\n\n", "INBOX");
    assert_false(together(&no_subject, &none));
    check_counters();
}

static void others_with_the_subject_are_no_hindrance(void **state)
{
    (void)state;
    static const char news[] = "From: News <news@else.example>\nTo: ada@acme.example\n"
                               "Subject: Daily\n\nnews";
    struct message a = put("ada",
                           "Message-ID: <1@x>\nFrom: News <news@else.example>\n"
                           "To: ada@acme.example\nSubject: Daily\n\nnews",
                           "INBOX");
    mail_later(60);
    struct message answer = put("ada",
                                "From: ada@acme.example\nTo: news@else.example\n"
                                "Subject: Re: Daily\nReferences: <1@x>\n\nthanks",
                                "SENT");
    assert_true(together(&a, &answer));
    mail_later(60);
    struct message stranger =
        put("ada", "From: x@else.example\nTo: y@else.example\nSubject: Daily\n\n", "INBOX");
    assert_false(together(&a, &stranger));
    mail_later(60);
    struct message b = put("ada", news, "INBOX");
    assert_true(together(&a, &b));
    check_counters();
}

static void a_thread_takes_a_hundred_messages(void **state)
{
    (void)state;
    struct message first = put("ada", "Message-ID: <1@x>\nSubject: Long\n\n", "INBOX"), m = first;
    for (int i = 0; i < 99; i++)
        m = put("ada", "In-Reply-To: <1@x>\nSubject: Long\n\n", "INBOX");
    assert_true(together(&first, &m));
    m = put("ada", "Message-ID: <2@x>\nIn-Reply-To: <1@x>\nSubject: Long\n\n", "INBOX");
    assert_false(together(&first, &m));
    check_counters();
}

static void a_thread_that_is_asked_for_is_taken(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct message a = put("ada", "Message-ID: <1@x>\nSubject: Plans\n\n", "INBOX"), m;
    static const char *const cases[] = {
        "In-Reply-To: <1@x>\nReferences: <1@x>\nSubject: Re: Plans\n\n",
        "Subject: Re: Plans\n\n",
        "References: <1@x>\nSubject: Others\n\n",
        "References: <2@x>\n\n",
        "\n",
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct message_new new = {.mailbox = &mb,
                                  .raw = cases[i],
                                  .len = strlen(cases[i]),
                                  .flags = FLAG(LABEL_SENT),
                                  .at_s = INT64_MIN,
                                  .thread = a.key};
        assert_int_equal(message_add(&tx, &new, &m), 0);
        assert_true(together(&a, &m));
        new.joins = true;
        assert_int_equal(message_add(&tx, &new, &m), 0);
        assert_true(together(&a, &m));
        new.joins = false;
        new.thread = 12345;
        assert_int_equal(message_add(&tx, &new, &m), -1);
        assert_int_equal(mail_err.code, SOSIA_E_NOT_FOUND);
    }
    check_counters();
}

static void a_thread_ends_with_its_last_message(void **state)
{
    (void)state;
    struct message a = put("ada", "Message-ID: <1@x>\nSubject: Plans\n\n", "INBOX UNREAD");
    struct message b = put("ada", "In-Reply-To: <1@x>\nSubject: Plans\n\n", "INBOX");
    struct thread t;
    assert_int_equal(message_delete(&tx, &a), 0);
    check_counters();
    assert_int_equal(thread_get(&tx, a.mailbox, a.key, &t), 1); /* it keeps its key */
    assert_int_equal(t.newest, b.id);
    assert_int_equal(message_delete(&tx, &b), 0);
    check_counters();
    assert_int_equal(thread_get(&tx, a.mailbox, a.key, &t), 0);
}

/* ---- drafts ---- */

static void a_draft_keeps_its_key_and_its_thread(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct draft d, found;
    struct message_new new = {
        .mailbox = &mb, .raw = "Subject: one\n\n", .len = 14, .at_s = INT64_MIN};
    assert_int_equal(draft_add(&tx, &new, 0, &d), 0);
    assert_string_equal(labels_of(&d.message), "DRAFT");
    int64_t key = d.key, message = d.message.key;
    new.raw = "Subject: two\n\n";
    assert_int_equal(draft_save(&tx, &d, &new), 0);
    assert_int_equal(d.key, key);
    assert_int_not_equal(d.message.key, message);
    assert_int_equal(d.message.thread_key, d.message.key);
    assert_int_equal(draft_get(&tx, mb.id, key, &found), 1);
    assert_int_equal(found.message.id, d.message.id);
    assert_int_equal(draft_of_message(&tx, &d.message, &found), 1);
    assert_int_equal(found.key, key);
    assert_int_equal(count_of("ada"), 1);
    assert_string_equal(header_of(&d.message, "subject"), "two");
    check_counters();
    assert_int_equal(draft_delete(&tx, &d), 0);
    assert_int_equal(draft_get(&tx, mb.id, key, &found), 0);
    assert_int_equal(count_of("ada"), 0);
    check_counters();
}

static void a_draft_goes_with_its_message(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct draft d, found;
    struct message_new new = {.mailbox = &mb, .raw = "A: b\n\n", .len = 6, .at_s = INT64_MIN};
    assert_int_equal(draft_add(&tx, &new, -5, &d), 0);
    assert_int_equal(d.key, -5);
    assert_int_equal(message_delete(&tx, &d.message), 0);
    assert_int_equal(draft_get(&tx, mb.id, -5, &found), 0);
}

static void a_sent_draft_is_another_message_of_its_thread(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct draft d;
    struct message m;
    const char *raw = "To: bob@acme.example\r\nSubject: one\r\n\r\n";
    struct message_new new = {.mailbox = &mb, .raw = raw, .len = strlen(raw), .at_s = INT64_MIN};
    assert_int_equal(draft_add(&tx, &new, 0, &d), 0);
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
        return mail_err.reason;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(!i || list[i].number > list[i - 1].number);
        buf_printf(&b, "%s%s", i ? " " : "", names[list[i].kind]);
        for (size_t k = 0; k < list[i].n_labels; k++)
            buf_printf(&b, ":%lld", (long long)label_place(list[i].labels[k]));
    }
    const char *out = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static void the_feed_tells_what_has_changed(void **state)
{
    (void)state;
    int64_t start = box("ada").change;
    struct message m = put("ada", HELLO, "INBOX UNREAD");
    int64_t after_add = m.change, work = label_named("ada", "Work");
    int64_t unread = label_id(m.mailbox, LABEL_UNREAD),
            starred = label_id(m.mailbox, LABEL_STARRED);
    assert_string_equal(feed("ada", start, 0, 0), "added");
    int64_t add[] = {starred, work};
    assert_int_equal(message_modify(&tx, &m, add, 2, &unread, 1), 0);
    assert_string_equal(feed("ada", start, 0, 0), "added unlabelled:5 labelled:6:65");
    assert_string_equal(feed("ada", after_add, 0, 0), "unlabelled:5 labelled:6:65");
    assert_string_equal(feed("ada", m.change, 0, 0), "");
    assert_string_equal(feed("ada", start, 1u << MAIL_LABELLED, 0), "labelled:6:65");
    assert_string_equal(feed("ada", start, 0, unread), "added unlabelled:5");
    assert_string_equal(feed("ada", start, 0, work), "unlabelled:5 labelled:6:65");
    assert_int_equal(message_delete(&tx, &m), 0);
    assert_string_equal(feed("ada", start, 1u << MAIL_DELETED, 0), "deleted");
    assert_string_equal(feed("bob", box("bob").change, 0, 0), "");
    assert_string_equal(feed("ada", start - 1, 0, 0), "tooOld");
    assert_string_equal(feed("ada", 1 << 30, 0, 0), "tooOld");
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
    struct message m;
    struct message_new new = {
        .mailbox = &mb, .raw = "A: b\n\n", .len = 6, .at_s = 1000, .quiet = true};
    assert_int_equal(message_add(&tx, &new, &m), 0);
    assert_string_equal(feed("ada", start, 0, 0), "tooOld");
    assert_string_equal(feed("ada", box("ada").change, 0, 0), "");
    check_counters();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, mail_open_world, mail_close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_given_back_byte_for_byte),
        TEST(parts_are_read_decoded),
        TEST(files_are_kept_once_however_they_are_wrapped),
        TEST(base64_that_is_not_regular_is_kept_as_it_is),
        TEST(copies_share_their_content),
        TEST(messages_are_in_the_order_in_which_they_came),
        TEST(a_second_takes_any_number_of_messages),
        TEST(a_key_is_taken_once),
        TEST(snippets_are_the_beginning_of_what_is_seen),
        TEST(what_is_gone_is_not_in_the_index),
        TEST(hostile_messages_take_time_by_their_size),
        TEST(labels_change_and_are_counted),
        TEST(a_message_is_in_one_of_inbox_spam_and_trash),
        TEST(waste_is_deleted_after_a_month),
        TEST(labels_of_others_are_refused),
        TEST(names_of_labels_are_one_of_a_kind),
        TEST(messages_lose_a_label_that_is_deleted),
        TEST(replies_go_where_they_belong),
        TEST(the_same_subject_within_a_week_is_a_thread),
        TEST(others_with_the_subject_are_no_hindrance),
        TEST(a_thread_takes_a_hundred_messages),
        TEST(a_thread_that_is_asked_for_is_taken),
        TEST(a_thread_ends_with_its_last_message),
        TEST(a_draft_keeps_its_key_and_its_thread),
        TEST(a_draft_goes_with_its_message),
        TEST(a_sent_draft_is_another_message_of_its_thread),
        TEST(the_feed_tells_what_has_changed),
        TEST(pages_of_the_feed_follow_each_other),
        TEST(the_feed_forgets_what_is_old),
        TEST(what_is_put_quietly_is_before_the_feed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
