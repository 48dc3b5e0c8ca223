/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the record of a vendor says of places, and what is so where it has no hook: a fourth vendor
 * of the test is exclusive and brings nothing but its folders.
 */
#include "services/mail/core/show.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- records ---- */

#define MARK(n) ((enum mail_place)(MARK_VENDOR + (n)))

static const struct mail_fixed some_places[] = {
    {MARK(1), KIND_FOLDER, "one", false},    {MARK(2), KIND_KEYWORD, "two", false},
    {MARK(3), KIND_LABEL, "three", false},   {FOLDER_INBOX, KIND_FOLDER, "in", false},
    {MARK(4), KIND_FOLDER, "hidden", true},  {KEYWORD_UNSEEN, KIND_KEYWORD, "new", false},
    {MARK(5), KIND_FOLDER, "behind", false},
};
#define ALL_PLACES                                                                                 \
    (FLAG(MARK(1)) | FLAG(MARK(2)) | FLAG(MARK(3)) | FLAG(FOLDER_INBOX) | FLAG(MARK(4)) |          \
     FLAG(KEYWORD_UNSEEN) | FLAG(MARK(5)))

static void a_record_has_so_many_places(void **state)
{
    (void)state;
    struct mail_vendor v = {
        .name = "v", .exclusive = true, .fixed = some_places, .n_fixed = SOSIA_LEN(some_places)};
    assert_int_equal(mail_vendor_places(&v), ALL_PLACES);
    v.n_fixed--;
    assert_int_equal(mail_vendor_places(&v), ALL_PLACES & ~FLAG(MARK(5)));
    v.n_fixed = 1;
    assert_int_equal(mail_vendor_places(&v), FLAG(MARK(1)));
    v.n_fixed = 0;
    assert_int_equal(mail_vendor_places(&v), 0);
}

static void marks_may_be_folders_of_an_exclusive_vendor(void **state)
{
    (void)state;
    struct mail_vendor v = {
        .name = "v", .exclusive = true, .fixed = some_places, .n_fixed = SOSIA_LEN(some_places)};
    assert_int_equal(mail_vendor_folders(&v),
                     FLAGS_FOLDER | FLAG(MARK(1)) | FLAG(MARK(4)) | FLAG(MARK(5)));
    v.keywords = MARK(4); /* which keywords are in, and not messages */
    assert_int_equal(mail_vendor_folders(&v), FLAGS_FOLDER | FLAG(MARK(1)) | FLAG(MARK(5)));
    v.n_fixed--;
    assert_int_equal(mail_vendor_folders(&v), FLAGS_FOLDER | FLAG(MARK(1)));
    v.n_fixed = 0;
    assert_int_equal(mail_vendor_folders(&v), FLAGS_FOLDER);
    v = (struct mail_vendor){.fixed = some_places, .n_fixed = SOSIA_LEN(some_places)};
    assert_int_equal(mail_vendor_folders(&v), FLAGS_FOLDER);
    assert_int_equal(mail_vendor_draft(&v), FOLDER_DRAFTS);
    v.exclusive = true;
    assert_int_equal(mail_vendor_draft(&v), KEYWORD_DRAFT);
}

static void a_place_has_a_word(void **state)
{
    (void)state;
    struct mail_vendor v = {.fixed = some_places, .n_fixed = SOSIA_LEN(some_places)};
    for (size_t i = 0; i < SOSIA_LEN(some_places); i++)
        assert_string_equal(mail_vendor_word(&v, some_places[i].place), some_places[i].name);
    assert_null(mail_vendor_word(&v, FOLDER_SENT));
    assert_null(mail_vendor_word(&v, N_PLACES));
    assert_null(mail_vendor_word(&v, -1));
    v.n_fixed--;
    assert_null(mail_vendor_word(&v, MARK(5)));
    assert_string_equal(mail_vendor_word(&v, KEYWORD_UNSEEN), "new");
}

static void of_some_places_a_message_has_one(void **state)
{
    (void)state;
    enum {
        IN = FLAG(FOLDER_INBOX),
        JUNK = FLAG(FOLDER_JUNK),
        TRASH = FLAG(FOLDER_TRASH),
        NEW = FLAG(KEYWORD_UNSEEN),
        A = FLAG(MARK_VENDOR),
        B = FLAG(MARK_VENDOR + 1)
    };
    static const struct {
        uint32_t flags, add, is;
    } all[] = {
        {0, 0, 0},
        {NEW, 0, NEW},
        {0, NEW, NEW},
        {IN, 0, IN},
        {0, IN, IN},
        {IN | NEW, JUNK, JUNK | NEW}, /* what is added wins */
        {JUNK, IN, IN},
        {TRASH, IN, IN},
        {IN | JUNK, 0, JUNK}, /* the highest */
        {IN | JUNK | TRASH, 0, TRASH},
        {TRASH | JUNK, 0, TRASH},
        {NEW, IN | JUNK, JUNK | NEW},
        {IN, JUNK | TRASH, TRASH},
        {A | B, 0, B}, /* each group for itself */
        {B | IN, A, A | IN},
        {A | IN | JUNK, B | NEW, B | JUNK | NEW},
        {A | TRASH, B | IN, B | IN},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const uint32_t is = mail_flags_settle(&labels, all[i].flags, all[i].add);
        if (is != all[i].is)
            fail_msg("%zu: %x", i, is);
        /* A vendor without groups keeps all. */
        assert_int_equal(mail_flags_settle(&folders, all[i].flags, all[i].add),
                         all[i].flags | all[i].add);
    }
}

/* ---- which vendor ---- */

static void a_mailbox_is_of_one_vendor(void **state)
{
    (void)state;
    const struct mail_vendor *const all[] = {&labels, &folders, &tags, &bare};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        assert_ptr_equal(mail_vendor_nth(&tx, i), all[i]);
    assert_null(mail_vendor_nth(&tx, SOSIA_LEN(all)));
    assert_null(mail_vendor_nth(&tx, SOSIA_LEN(all) + 1));
    assert_ptr_equal(mail_vendor_of(&tx, box("ada").id), &bare);
    assert_null(mail_vendor_of(&tx, 99));
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_string_equal(test_err.text,
                        "a mailbox's vendor must be one that the engine has, not \"\"");
}

static void nothing_is_put_where_no_mailbox_is(void **state)
{
    (void)state;
    const struct mailbox none = {.id = 99, .email = "x@acme.example", .name = "X"};
    const struct mail_message gone = {.id = mail_message_id_at(99, 0), .mailbox = 99};
    struct mail_message_new in = {.mailbox = &none, .raw = "\r\n", .len = 2, .at_s = INT64_MIN};
    struct mail_message m, list = gone;
    struct mail_draft d;
    struct mail_identity who;
    struct mail_folder f = {.mailbox = 99, .name = "F", .kind = KIND_FOLDER, .id = 0};
    const struct mail_property p = {.importance = 1};
    int64_t key, flagged = mail_folder_id(99, KEYWORD_FLAGGED);
    size_t left;
    assert_int_equal(mail_message_add(&tx, &in, &m), -1);
    in.incoming = true;
    assert_int_equal(mail_message_add(&tx, &in, &m), -1);
    assert_int_equal(mail_draft_add(&tx, &in, 0, &d), -1);
    assert_int_equal(mail_message_copy(&tx, &none, &gone, flagged, &m), -1);
    assert_int_equal(mail_message_modify(&tx, &list, &flagged, 1, NULL, 0), -1);
    assert_int_equal(mail_messages_discard(&tx, &list, 1, &left), -1);
    assert_int_equal(mail_message_delete(&tx, &gone), -1);
    assert_int_equal(mail_property_set(&tx, &list, &p), -1);
    assert_int_equal(mail_message_key(&tx, 99, 0, &key), -1);
    assert_int_equal(mail_identity_of(&tx, &none, &who), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_int_equal(mail_folder_add(&tx, &f), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_string_equal(test_err.text, "there is no mailbox");
    f.parent = mail_folder_id(99, FOLDER_INBOX);
    assert_int_equal(mail_folder_add(&tx, &f), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    f.id = mail_folder_id(99, FOLDER_OWN + 1);
    assert_int_equal(mail_folder_delete(&tx, &f), -1);
    const struct mail_send send = {.from = &none, .raw = "To: a@x.example\r\n\r\n", .len = 19};
    assert_int_equal(mail_send(&tx, &send, &m), -1);
    const struct mail_list drafts = {.mailbox = 99, .drafts = true, .limit = 1};
    struct mail_message *found;
    bool more;
    assert_int_equal(mail_list(&tx, &drafts, &found, &left, &more), -1);
    assert_int_equal(number("select count(*) from mail_message"), 0);
    assert_int_equal(number("select count(*) from outbox"), 0);
}

/* ---- without hooks ---- */

static int open_bare(void **state)
{
    vendor = &bare;
    return open_world(state);
}

static const struct search any = {.kind = SEARCH_AND};

static void what_comes_is_in_the_inbox_and_nothing_follows(void **state)
{
    (void)state;
    static const struct mail_act forward[] = {{.kind = ACT_FORWARD, .to = "cyd@acme.example"}};
    rules[0] = (struct mail_rule){.query = &any, .acts = forward, .n_acts = 1};
    n_rules = 1;
    onward = (struct mail_onward){.to = "cyd@acme.example"};
    auto_answer = (struct mail_auto_answer){.on = true, .text = "away"};
    send_as("ada", "From: Ada <ada@acme.example>\nTo: bob@acme.example\nSubject: s\nX-Second: 1\n\n"
                   "what it says\n");
    const struct mail_message m = newest("bob", 0), other = letter("other");
    const char *snippet;
    assert_string_equal(labels_of(&m), "inbox unseen");
    assert_int_equal(mail_message_snippet(&tx, &m, &snippet), 0);
    assert_string_equal(snippet, "what it says");
    assert_int_equal(count_of("ada"), 2); /* what was sent: no answer came */
    assert_int_equal(count_of("cyd"), 0);
    assert_int_equal(count_of("bob"), 2);
    assert_true(m.key > 0 && other.key > 0);
    assert_true(m.key != other.key && m.key != other.key + 1 && m.key + 1 != other.key);
    const struct mailbox bob = box("bob");
    struct mail_identity who;
    assert_int_equal(mail_identity_of(&tx, &bob, &who), 0);
    assert_string_equal(who.email, "bob@acme.example");
    assert_null(who.name);
    assert_string_equal(mail_identity_text(&tx, &bob, &who), "Bob <bob@acme.example>");
    who.name = "";
    assert_string_equal(mail_identity_text(&tx, &bob, &who), "Bob <bob@acme.example>");
    who.name = "B. Ob";
    assert_non_null(strstr(mail_identity_text(&tx, &bob, &who), "B. Ob"));
    check_counters();
}

static void keys_are_any_of_63_bits(void **state)
{
    (void)state;
    int64_t all = 0;
    for (int i = 0; i < 40; i++) {
        const int64_t key = letter("s").key;
        assert_true(key > 0);
        all |= key;
    }
    assert_int_equal(all, INT64_MAX);
}

static void a_message_comes_in_by_itself(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    const char *raw = crlf("From: Ada <ada@acme.example>\nSubject: s\nX-Second: 1\n\nx\n");
    const struct mail_message_new in = {.mailbox = &bob,
                                        .raw = raw,
                                        .len = strlen(raw),
                                        .flags = FLAG(MARK_VENDOR),
                                        .at_s = INT64_MIN,
                                        .incoming = true};
    struct mail_message m;
    assert_int_equal(mail_message_add(&tx, &in, &m), 0);
    assert_string_equal(labels_of(&m), "outbox");
    assert_int_equal(m.folder, ID_OF(&bob, MARK_VENDOR));
}

static void deleting_needs_no_hook(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    const struct mail_folder work = make_folder(&bob, 0, "Work"),
                             in = make_folder(&bob, work.id, "In");
    struct mail_message m = letter("one"), two = letter("two");
    size_t left;
    assert_int_equal(mail_messages_move(&tx, &m, 1, in.id), 0);
    assert_int_equal(mail_folder_delete(&tx, &work), 0);
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(mail_messages_discard(&tx, &two, 1, &left), 0);
    assert_int_equal(left, 1);
    mail_later(40 * (WEEK / 7)); /* it keeps them as long as they are there */
    assert_string_equal(labels_of(&two), "trash unseen");
    assert_int_equal(mail_messages_discard(&tx, &two, 1, &left), 0);
    assert_int_equal(left, 0);
    assert_int_equal(count_of("bob"), 0);
    check_counters();
}

static void a_flag_needs_its_keyword(void **state)
{
    (void)state;
    struct mail_message m = letter("one");
    struct mail_property p = {.flag = FLAG_SET,
                              .flag_from_us = MAIL_NO_TIME,
                              .flag_due_us = WEEK,
                              .flag_done_us = MAIL_NO_TIME};
    assert_int_equal(mail_property_set(&tx, &m, &p), 0);
    assert_string_equal(labels_of(&m), "inbox unseen");
    assert_int_equal(mail_property_get(&tx, &m, &p), 0);
    assert_int_equal(p.flag, FLAG_NONE); /* the keyword says it, which the vendor does not have */
    assert_int_equal(p.flag_due_us, WEEK);
    p.flag = FLAG_COMPLETE;
    assert_int_equal(mail_property_set(&tx, &m, &p), 0);
    assert_int_equal(mail_property_get(&tx, &m, &p), 0);
    assert_int_equal(p.flag, FLAG_COMPLETE);
}

static void keywords_are_at_the_top(void **state)
{
    (void)state;
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
        "\"acme.example\"}],\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"}],"
        "\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"bare\"}],\"mailboxes\":["
        "{\"person\":\"ada@acme.example\",\"folders\":[{\"name\":\"Work\"},"
        "{\"name\":\"In\",\"parent\":\"Work\"},{\"name\":\"Late\",\"parent\":\"outbox\"}],"
        "\"messages\":[{\"subject\":\"s\",\"folder\":3,\"categories\":[\"red\"]}]}]}";
    struct mail_folder f;
    struct sosia_blob dump;
    mail_use(doc);
    const struct mailbox ada = box("ada");
    const struct mail_message m = newest("ada", 0);
    assert_string_equal(labels_of(&m), "Late red");
    assert_int_equal(mail_folder_by_name(&tx, ada.id, 0, "RED", &f), 1);
    assert_int_equal(f.kind, KIND_KEYWORD);
    assert_int_equal(f.parent, 0);
    mail_end();
    if (sosia_world_dump(test_engine, test_world, &dump, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    assert_non_null(strstr((const char *)dump.data, "\"parent\": \"outbox\""));
    sosia_blob_free(&dump);
    mail_begin();
}

/* ---- keys ---- */

static int open_labels(void **state)
{
    vendor = &labels;
    return open_world(state);
}

static struct mail_message keyed(int64_t first)
{
    const struct mailbox ada = box("ada");
    const struct mail_message_new in = {
        .mailbox = &ada, .raw = "\r\n", .len = 2, .at_s = INT64_MIN, .alone = true};
    struct mail_message m;
    first_key = first;
    if (mail_message_add(&tx, &in, &m) < 0)
        fail_msg("add: %s", test_err.text);
    return m;
}

static void a_key_that_is_taken_is_passed_over(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    const struct mail_message one = keyed(1000), two = keyed(1000), last = keyed(INT64_MAX),
                              first = keyed(INT64_MAX), next = keyed(INT64_MAX);
    int64_t key;
    assert_int_equal(one.key, 1000);
    assert_int_equal(two.key, 1001);
    assert_int_equal(last.key, INT64_MAX);
    assert_int_equal(first.key, 1); /* never 0, nor below */
    assert_int_equal(next.key, 2);
    first_key = 1000;
    assert_int_equal(mail_message_key(&tx, ada.id, 0, &key), 0);
    assert_int_equal(key, 1002);
    assert_int_equal(mail_message_key(&tx, box("bob").id, 0, &key), 0);
    assert_int_equal(key, 1000); /* each mailbox has its own */
}

static void a_thread_keeps_its_key(void **state)
{
    (void)state;
    const struct mail_message one = keyed(1000), two = keyed(2000);
    const struct mailbox ada = box("ada");
    struct mail_message_new in = {.mailbox = &ada,
                                  .raw = "\r\n",
                                  .len = 2,
                                  .at_s = INT64_MIN,
                                  .thread = one.thread_key,
                                  .joins = true};
    struct mail_message second, again;
    assert_int_equal(mail_message_add(&tx, &in, &second), 0);
    assert_int_equal(second.thread, one.thread);
    assert_int_equal(mail_message_delete(&tx, &one), 0);
    assert_int_equal(keyed(1000).key, 1001); /* the thread has 1000 yet */
    /* Who asks for a key gets it if no message has it. */
    in = (struct mail_message_new){
        .mailbox = &ada, .raw = "\r\n", .len = 2, .at_s = INT64_MIN, .key = 1000, .alone = true};
    assert_int_equal(mail_message_add(&tx, &in, &again), 0);
    assert_int_equal(again.key, 1000);
    assert_int_equal(again.thread, second.thread);
    refused(mail_message_add(&tx, &in, &again), "key");
    in.key = two.key;
    refused(mail_message_add(&tx, &in, &again), "key");
    in.incoming = true;
    refused(mail_message_add(&tx, &in, &again), "key");
    const struct mail_draft none = {0};
    struct mail_draft d = none;
    refused(mail_draft_add(&tx, &in, 5, &d), "key");
    assert_memory_equal(&d, &none, sizeof d);
}

#define TEST(name)   cmocka_unit_test_setup_teardown(name, open_bare, mail_close_world)
#define LABELS(name) cmocka_unit_test_setup_teardown(name, open_labels, mail_close_world)

int main(void)
{
    static const struct CMUnitTest all[] = {
        cmocka_unit_test(a_record_has_so_many_places),
        cmocka_unit_test(marks_may_be_folders_of_an_exclusive_vendor),
        cmocka_unit_test(a_place_has_a_word),
        cmocka_unit_test(of_some_places_a_message_has_one),
        TEST(a_mailbox_is_of_one_vendor),
        TEST(nothing_is_put_where_no_mailbox_is),
        TEST(what_comes_is_in_the_inbox_and_nothing_follows),
        TEST(keys_are_any_of_63_bits),
        TEST(a_message_comes_in_by_itself),
        TEST(deleting_needs_no_hook),
        TEST(a_flag_needs_its_keyword),
        TEST(keywords_are_at_the_top),
        LABELS(a_key_that_is_taken_is_passed_over),
        LABELS(a_thread_keeps_its_key),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
