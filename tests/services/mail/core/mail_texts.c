/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of messages: which of their parts are read, and by which words they are found. */
#include "services/mail/core/index.h"
#include "tests/support/mail.h"

/* ---- which parts are read ---- */

static void read_letter(const char *raw, struct mail_letter_head *head,
                        struct mail_letter_text *text)
{
    if (mail_letter_read(&tx, raw, strlen(raw), head, text) < 0)
        fail_msg("%s", test_err.text);
}

static const char *words_in(const struct search_text *t, int c)
{
    return arena_memdup(tx.arena, t->columns[c] ? t->columns[c] : "", t->len[c]);
}

#define MIX(type) "Content-Type: multipart/" type "; boundary=b\n\n"
#define HTML      "--b\nContent-Type: text/html\n\n"

static void what_a_reader_sees_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *snippet, *words, *files;
        uint32_t has;
    } cases[] = {
        {"A: b\n\nOne two", "One two", "one two ", "", 0},
        {"\n", "", "", "", 0},
        {"Content-Type: text/html\n\n<p>One<p>two", "One two", "one two ", "", 0},
        {"Content-Type: text/x\n\none", "one", "one ", "", 0},
        {"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\n6Q==",
         "\xC3\xA9", "e ", "", 0},
        {"Content-Transfer-Encoding: quoted-printable\n\none=\n two", "one two", "one two ", "", 0},
        {"Content-Transfer-Encoding: binary\n\n=41", "=41", "41 ", "", 0},
        {"Content-Type: image/png\n\none", "", "", "", HAS_FILE},
        {"Content-Disposition: attachment\n\none", "", "", "", HAS_FILE},
        {"Content-Type: text/plain; name=A.txt\n\none", "", "", "a txt ", HAS_FILE},
        {"Content-Type: text/calendar\n\none", "", "", "", HAS_INVITE},
        {"Content-Type: text/rfc822-headers\n\none", "", "", "", 0},
        {"Content-Type: text/calendar; name=i.ics\n\none", "", "", "i ics ", HAS_INVITE | HAS_FILE},
        {"Content-Type: message/delivery-status\n\none", "", "", "", 0},
        {"Content-Type: message/x; name=n\n\none", "", "", "n ", HAS_FILE},
        {"Content-Type: message/x\nContent-Disposition: attachment\n\none", "", "", "", HAS_FILE},
        {"Content-Type: message/rfc822\n\nA: b\n\none", "", "", "", 0},
        {MIX("mixed") "pre\n--b\n\none\n" HTML "<b>two\n--b\n\nthree\n--b--\npost", "one two three",
         "one two three ", "", 0},
        {MIX("alternative") "--b\n\none\n" HTML "<b>two\n--b--\n", "two", "two ", "", 0},
        {MIX("alternative") HTML "<b>two\n--b\n\none\n--b--\n", "one", "one ", "", 0},
        {MIX("alternative") "--b\n\none\n--b\nContent-Type: text/calendar\n\nx\n--b--\n", "one",
         "one ", "", HAS_INVITE},
        {MIX("alternative") "--b\nContent-Type: image/png\n\nx\n--b--\n", "", "", "", HAS_FILE},
        {MIX("alternative") "--b\n\none\n--b\nContent-Type: multipart/mixed; boundary=c\n\n"
                            "--c\n\ntwo\n--c\n\nthree\n--b--\n",
         "two three", "two three ", "", 0},
        {MIX("alternative") "--b\n\none\n--b\nContent-Type: multipart/mixed; boundary=c\n\n"
                            "--c\nContent-Type: image/png\n\ntwo\n--c--\n--b--\n",
         "one", "one ", "", HAS_FILE},
        {MIX("alternative") "--b\n\none\n--b\nContent-Type: multipart/mixed; boundary=c\n\n"
                            "--c\nContent-Type: image/png\n\ntwo\n--c\n\nthree\n--c--\n--b--\n",
         "three", "three ", "", HAS_FILE},
        {MIX("alternative") "--b\n\none\n--b\nContent-Type: message/rfc822\n\nA: b\n\ntwo\n--b--\n",
         "one", "one ", "", 0},
        {MIX("mixed") "--b\n\none\n--b\nContent-Type: message/rfc822\n\nA: b\n\ntwo\n"
                      "--b\nContent-Type: x/y; name=F.a\n\nx\n--b\nContent-Type: x/y; name=G\n\nx",
         "one", "one ", "f a | g ", HAS_FILE},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct mail_letter_head head;
        struct mail_letter_text text;
        read_letter(cases[i].raw, &head, &text);
        const char *words = words_in(&text.words, COLUMN_BODY);
        const char *files = words_in(&text.words, COLUMN_FILE);
        if (strcmp(text.snippet, cases[i].snippet) != 0 || strcmp(words, cases[i].words) != 0 ||
            strcmp(files, cases[i].files) != 0 || text.words.has != cases[i].has)
            fail_msg("%zu: '%s' '%s' '%s' %x", i, text.snippet, words, files, text.words.has);
    }
}

/* ---- what a copy is found by ---- */

static const char HEAD[] = "From: Amy <amy@x.example>\nfrom: bea@x.example\nTo: cyd@x.example\n"
                           "Cc: dan@x.example\nBcc: eve@x.example\nReply-To: flo@x.example\n"
                           "List-ID: <gus.x>\nList-Post: <mailto:hal@x.example>\nList-Idx: no\n"
                           "Subject: =?utf-8?q?=C3=89t=C3=A9?=\nSubjects: no\n"
                           "Delivered-To: ida@x.example\nDelivered-To: joe@x.example\n\nbody";

static void fields_are_in_their_columns(void **state)
{
    (void)state;
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct search_text words, again;
    const char *delivered;
    read_letter(HEAD, &head, &text);
    assert_int_equal(mail_letter_words(&tx, &head, &text, &words, &delivered), 0);
    assert_string_equal(delivered, "ida@x.example\njoe@x.example");
    static const struct {
        int column;
        const char *text;
    } cases[] = {
        {COLUMN_SENDER, "amy amy x example | amy@x.example | bea x example | bea@x.example "},
        {COLUMN_RECIPIENT, "cyd x example | cyd@x.example "},
        {COLUMN_CC, "dan x example | dan@x.example "},
        {COLUMN_BCC, "eve x example | eve@x.example "},
        {COLUMN_SUBJECT, "ete "},
        {COLUMN_BODY, "body "},
        {COLUMN_FILE, ""},
        {COLUMN_EXTRA, "r:flo r:x r:example | r:flo@x.example | l:gus l:x | l:mailto l:hal l:x "
                       "l:example | l:hal@x.example z:8 | "},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (strcmp(words_in(&words, cases[i].column), cases[i].text) != 0)
            fail_msg("%zu: '%s'", i, words_in(&words, cases[i].column));
    /* Those of a copy whose size is of the same class are taken as they are. */
    static const char *const column_text = "other ";
    struct search_text other = words;
    other.columns[COLUMN_SENDER] = column_text;
    other.len[COLUMN_SENDER] = strlen(column_text);
    head.words = &other;
    head.words_class = mail_index_class((int64_t)strlen(HEAD));
    assert_int_equal(mail_letter_words(&tx, &head, &text, &again, &delivered), 0);
    assert_string_equal(words_in(&again, COLUMN_SENDER), column_text);
    assert_string_equal(delivered, "ida@x.example\njoe@x.example");
    head.words_class++;
    assert_int_equal(mail_letter_words(&tx, &head, &text, &again, &delivered), 0);
    assert_string_equal(words_in(&again, COLUMN_SENDER), words_in(&words, COLUMN_SENDER));
    read_letter("Subject: x\n\n", &head, &text);
    assert_int_equal(mail_letter_words(&tx, &head, &text, &words, &delivered), 0);
    assert_null(delivered);
    assert_string_equal(words_in(&words, COLUMN_SENDER), "");
    assert_string_equal(words_in(&words, COLUMN_SUBJECT), "x ");
}

/* ---- the index ---- */

static struct mail_message kept(const char *raw)
{
    const struct mailbox ada = box("ada");
    const struct mail_message_new in = {
        .mailbox = &ada, .raw = raw, .len = strlen(raw), .at_s = INT64_MIN};
    struct mail_message m;
    if (mail_message_add(&tx, &in, &m) < 0)
        fail_msg("%s", test_err.text);
    return m;
}

static int64_t found(const char *words)
{
    assert_int_equal(search_settle(&tx), 0);
    return number(arena_printf(
        tx.arena, "select count(*) from mail_index where mail_index match '%s'", words));
}

static void messages_are_in_the_index_until_they_are_gone(void **state)
{
    (void)state;
    static const char *const words[] = {"amy", "cyd", "dan", "eve", "ete", "body"};
    const size_t n = count_of("ada");
    struct mail_message m = kept(HEAD), other = kept("Subject: zebra\n\n");
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        assert_int_equal(found(words[i]), 1);
    assert_int_equal(found("zebra"), 1);
    /* Anew, it is the same. */
    assert_int_equal(sqlite3_exec(slot_db(tx.db),
                                  "insert into mail_index (mail_index) values ('delete-all')", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(found("zebra"), 0);
    assert_int_equal(mail_index_derive(&tx), 0);
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        assert_int_equal(found(words[i]), 1);
    assert_int_equal(found("zebra"), 1);
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        assert_int_equal(found(words[i]), 0);
    assert_int_equal(found("zebra"), 1);
    assert_int_equal(mail_message_delete(&tx, &other), 0);
    assert_int_equal(found("zebra"), 0);
    assert_int_equal(count_of("ada"), n);
    assert_int_equal(sqlite3_exec(slot_db(tx.db),
                                  "insert into mail_index (mail_index) values ('optimize')", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(number("select count(*) from mail_index_data where id > 10"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mail_open_world, mail_close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_reader_sees_is_read),
        TEST(fields_are_in_their_columns),
        TEST(messages_are_in_the_index_until_they_are_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
