/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mailboxes of a world that is read from a file: bytes that are kept apart, what parts say of
 * themselves, and rows that belong to nobody. Once for each of two vendors.
 */
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- set-up ---- */

enum { LARGE = 3000 };

/* Ada has a message with a file of its own, and another one with the same file. */
static void two_with_a_file(void)
{
    for (int i = 0; i < 2; i++) {
        struct buf b;
        buf_init(&b, 0);
        buf_printf(&b,
                   "From: Ada <ada@acme.example>\nTo: bob@acme.example\nSubject: %d\n"
                   "Content-Type: multipart/mixed; boundary=b\n\n--b\n"
                   "Content-Type: text/plain; charset=zharset\n\ntext %d\n--b\n"
                   "Content-Type: application/ztype; name=zname\nContent-ID: <zcid>\n"
                   "Content-Disposition: attachment; filename=zname\n\n",
                   i, i);
        for (int k = 0; k < LARGE; k++)
            buf_byte(&b, k % 70 == 69 ? '\n' : 'x');
        buf_puts(&b, "\n--b--\n");
        send_as("ada", buf_str(&b));
        buf_done(&b);
    }
}

static uint64_t kept;

/* The world as it is after the statement, in the place of this one. */
static void import(const char *sql)
{
    uint64_t world;
    mail_end();
    kept = test_world;
    if (test_import_changed(sql, &world) < 0)
        fail_msg("%s: %s", sql ? sql : "import", test_err.text);
    test_world = world;
    mail_begin();
}

static void refused_import(const char *sql, const char *why)
{
    uint64_t world;
    if (test_import_changed(sql, &world) == 0)
        fail_msg("%s: taken", sql);
    if (!strstr(test_err.text, why))
        fail_msg("%s: %s", sql, test_err.text);
}

static void taken(const char *sql)
{
    uint64_t world;
    if (test_import_changed(sql, &world) < 0)
        fail_msg("%s: %s", sql, test_err.text);
    sosia_world_drop(test_engine, world, &test_err);
}

static int64_t blobs(void)
{
    return number("select count(*) from blob");
}

/* ---- bytes that are kept apart ---- */

static void large_files_are_counted_anew(void **state)
{
    (void)state;
    static const char *const wrong[] = {NULL, "update blob set refs = 77",
                                        "update blob set refs = 0"};
    two_with_a_file();
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        const int64_t size = newest("bob", 0).size;
        import(wrong[i]);
        assert_int_equal(blobs(), 1);
        assert_int_equal(number("select refs from blob"), 2); /* two contents have it */
        struct mail_message m = newest("bob", 0);
        struct mail_message_body b;
        const char *data;
        size_t len;
        assert_int_equal(m.size, size);
        assert_string_equal(header_of(&m, "Subject"), "1");
        assert_int_equal(mail_message_open(&tx, &m, &b), 0);
        assert_int_equal(mail_message_part(&tx, &b, 2, &data, &len), 0);
        assert_int_equal(data[0], 'x');
        assert_true(len >= LARGE);
        for (int who = 0; who < 2; who++)
            while (count_of(who ? "ada" : "bob")) {
                assert_int_equal(blobs(), 1);
                m = newest(who ? "ada" : "bob", 0);
                assert_int_equal(mail_message_delete(&tx, &m), 0);
            }
        assert_int_equal(blobs(), 0); /* the last one takes it along */
        assert_int_equal(number("select count(*) from mail_content"), 0);
        check_counters();
        mail_end();
        test_world = kept;
        mail_begin();
    }
}

static void what_is_not_there_is_not_imported(void **state)
{
    (void)state;
    uint64_t world;
    two_with_a_file();
    mail_end();
    assert_int_equal(test_import_changed("delete from blob", &world), -1);
    mail_begin();
}

/* ---- what parts say ---- */

/* The first letter of a word in the tree of the parts becomes a byte that is none of UTF-8. */
#define NOT_UTF8(word)                                                                             \
    "update mail_content set tree = cast(replace(tree, 'z" word "', x'ff' || '" word "') as blob)"
#define AS_WELL(word)                                                                              \
    "update mail_content set tree = cast(replace(tree, 'z" word "', 'y" word "') as blob)"

static void parts_speak_utf8(void **state)
{
    (void)state;
    two_with_a_file();
    mail_end();
    refused_import(NOT_UTF8("type"), "a part's text is not UTF-8");
    refused_import(NOT_UTF8("harset"), "a part's text is not UTF-8");
    refused_import(NOT_UTF8("name"), "a part's text is not UTF-8");
    refused_import(NOT_UTF8("cid"), "a part's text is not UTF-8");
    taken(AS_WELL("type"));
    taken(AS_WELL("harset"));
    taken(AS_WELL("name"));
    taken(AS_WELL("cid"));
    /* Of any content, not of the first one alone. */
    refused_import(NOT_UTF8("cid") " where id = (select max(id) from mail_content)",
                   "a part's text is not UTF-8");
    refused_import("update mail_content set tree = x'00' where id = (select max(id) from "
                   "mail_content)",
                   "make no sense");
    mail_begin();
}

/* ---- words ---- */

static size_t found(const char *who, unsigned fields, const char *text)
{
    const struct mailbox mb = box(who);
    const struct search q = {
        .kind = strchr(text, '@') ? SEARCH_ADDRESS : SEARCH_PHRASE, .fields = fields, .text = text};
    const struct mail_list list = {.mailbox = mb.id, .query = &q, .limit = 10};
    struct mail_message *messages;
    size_t n;
    bool more;
    if (mail_list(&tx, &list, &messages, &n, &more) < 0)
        fail_msg("list: %s", test_err.text);
    return n;
}

/* As it is, by nobody's way. */
static void put_in_bob(const char *subject)
{
    const struct mailbox bob = box("bob");
    const char *raw = arena_printf(tx.arena, "Subject: %s\r\n\r\n", subject);
    const struct mail_message_new in = {.mailbox = &bob,
                                        .raw = raw,
                                        .len = strlen(raw),
                                        .flags = FLAG(FOLDER_INBOX),
                                        .at_s = INT64_MIN};
    struct mail_message m;
    if (mail_message_add(&tx, &in, &m) < 0)
        fail_msg("add: %s", test_err.text);
}

static void words_are_found_again(void **state)
{
    (void)state;
    static const struct {
        unsigned fields;
        const char *text;
        size_t bob, ada;
    } all[] = {{FIELD_FROM, "ada@acme.example", 3, 3},
               {FIELD_TO, "bob@acme.example", 3, 3},
               {FIELD_DELIVERED, "bob@acme.example", 3, 0},
               {FIELD_CC, "cyd@acme.example", 1, 1},
               {FIELD_BCC, "d@far.example", 0, 1},
               {FIELD_REPLY, "r@far.example", 1, 1},
               {FIELD_LIST, "list.far.example", 1, 1},
               {FIELD_SUBJECT, "plans", 1, 1},
               {FIELD_BODY, "rarely said", 1, 1},
               {FIELD_BODY, "said rarely", 0, 0},
               {FIELD_FILE, "zname", 2, 2},
               {FIELDS_ANY, "plans", 1, 1},
               {FIELDS_ANY, "zname", 2, 2},
               {FIELDS_ANY, "list.far.example", 0, 0}};
    two_with_a_file();
    send_as("ada", "From: Ada <ada@acme.example>\nTo: bob@acme.example\nCc: cyd@acme.example\n"
                   "Bcc: d@far.example\nReply-To: r@far.example\nList-Id: <list.far.example>\n"
                   "Subject: our plans\n\nwhat is rarely said\n");
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < SOSIA_LEN(all); i++)
            if (found("bob", all[i].fields, all[i].text) != all[i].bob ||
                found("ada", all[i].fields, all[i].text) != all[i].ada)
                fail_msg("%d: %s: %zu, %zu", round, all[i].text,
                         found("bob", all[i].fields, all[i].text),
                         found("ada", all[i].fields, all[i].text));
        if (round == 0)
            import(NULL);
    }
    mail_end();
    test_world = kept;
    mail_begin();
}

/* Another one comes in its second, and is known by its number. */
static void words_go_with_their_message(void **state)
{
    (void)state;
    struct mail_message m = letter("firstword");
    const int64_t id = m.id;
    assert_int_equal(found("bob", FIELDS_ANY, "firstword"), 1);
    assert_int_equal(found("bob", FIELD_DELIVERED, "bob@acme.example"), 1);
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    assert_int_equal(found("bob", FIELDS_ANY, "firstword"), 0);
    m = letter("otherword");
    assert_int_equal(m.id, id);
    assert_int_equal(found("bob", FIELDS_ANY, "otherword"), 1);
    assert_int_equal(found("bob", FIELDS_ANY, "firstword"), 0);
    assert_int_equal(found("ada", FIELDS_ANY, "firstword"), 1);
    mail_later(0);
    m = newest("bob", 0);
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    mail_later(0);
    put_in_bob("without any");
    assert_int_equal(newest("bob", 0).id, id);
    assert_int_equal(found("bob", FIELDS_ANY, "otherword"), 0);
    assert_int_equal(found("bob", FIELD_DELIVERED, "bob@acme.example"), 0);
}

/* ---- rows of nobody ---- */

static void what_nobody_has_goes(void **state)
{
    (void)state;
    two_with_a_file();
    import("insert into mail_thread (key, mailbox, subject, newest, messages, change) select 77, "
           "id, 0, 0, 5, 1 from mail_mailbox");
    assert_int_equal(number("select count(*) from mail_thread where key = 77"), 0);
    check_counters();
    const struct mailbox bob = box("bob");
    struct mail_thread t;
    assert_int_equal(bob.threads, 2);
    assert_int_equal(mail_thread_get(&tx, bob.id, 77, &t), 0);
    mail_end();
    test_world = kept;
    mail_begin();
}

static void places_are_of_the_vendor(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    char sql[300];
    two_with_a_file();
    mail_end();
    for (int place = 0; place < N_PLACES; place++) {
        const bool there = mail_vendor_places(vendor) & FLAG(place),
                   folder = mail_vendor_folders(vendor) & FLAG(place);
        /* Beside those that it has: of an exclusive vendor no other folder. */
        snprintf(sql, sizeof sql,
                 "update mail_message set flags = flags | %u where id in (select max(id) from "
                 "mail_message where mailbox = %lld)",
                 (unsigned)FLAG(place), (long long)bob.id);
        if (place == FOLDER_INBOX || (there && !(vendor->exclusive && folder)))
            taken(sql);
        else
            refused_import(sql, there ? "must be in exactly one folder"
                                      : "a place that its vendor does not have");
    }
    snprintf(sql, sizeof sql, "update mail_message set folder = %lld where mailbox = %lld",
             (long long)ID_OF(&bob, FOLDER_SENT), (long long)bob.id);
    refused_import(sql, vendor->exclusive ? "must be in exactly one folder"
                                          : "a place that its vendor does not have");
    snprintf(sql, sizeof sql, "update mail_message set flags = flags & ~1 where mailbox = %lld",
             (long long)bob.id);
    if (vendor->exclusive)
        refused_import(sql, "must be in exactly one folder");
    else
        taken(sql);
    snprintf(sql, sizeof sql, "update mail_folder set parent = %lld where id = %lld",
             (long long)ID_OF(&bob, FOLDER_INBOX), (long long)ID_OF(&bob, FOLDER_SENT));
    refused_import(sql, "a folder that every mailbox has is at the top");
    snprintf(sql, sizeof sql, "update mail_folder set id = %lld where id = %lld",
             (long long)ID_OF(&bob, KEYWORD_IMPORTANT), (long long)ID_OF(&bob, FOLDER_JUNK));
    refused_import(sql, "a folder is at a place that its vendor does not have");
    mail_begin();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(large_files_are_counted_anew),
        TEST(what_is_not_there_is_not_imported),
        TEST(parts_speak_utf8),
        TEST(words_are_found_again),
        TEST(words_go_with_their_message),
        TEST(what_nobody_has_goes),
        TEST(places_are_of_the_vendor),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
