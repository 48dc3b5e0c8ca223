/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for mailboxes whatever vendor has them: the core alone, without a dialect, once for
 * each policy. One has labels, the other is exclusive: a message is in exactly one folder.
 */
#include "tests/services/mail/core/mail_documents.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/story.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- for both ---- */

static void a_new_mailbox_has_its_vendors_places(void **state)
{
    (void)state;
    struct mailbox mb = box("ada");
    struct mail_folder *list;
    size_t n;
    assert_int_equal(mail_folder_list(&tx, mb.id, &list, &n), 0);
    assert_int_equal(n, vendor->n_fixed);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(mail_folder_place(list[i].id), vendor->fixed[i].place);
        assert_string_equal(list[i].name, vendor->fixed[i].name);
        assert_string_equal(list[i].name, mail_vendor_word(vendor, vendor->fixed[i].place));
        assert_int_equal(list[i].kind, vendor->fixed[i].kind);
        assert_int_equal(list[i].hidden, vendor->fixed[i].hidden);
        assert_int_equal(list[i].parent, 0);
    }
}

static void a_letter_is_in_two_mailboxes(void **state)
{
    (void)state;
    struct mail_message sent =
        send_as("ada", "To: bob@acme.example\nSubject: Hello\nX-Second: 1\n\ntext\n");
    struct mail_message m = newest("bob", 0);
    struct mailbox ada = box("ada"), bob = box("bob");
    const char *snippet;
    assert_string_equal(labels_of(&sent), "sent");
    assert_string_equal(labels_of(&m), vendor->exclusive ? "inbox unseen" : "inbox unseen second");
    assert_int_equal(m.folder, vendor->exclusive ? ID_OF(&bob, FOLDER_INBOX) : 0);
    assert_int_equal(sent.folder, vendor->exclusive ? ID_OF(&ada, FOLDER_SENT) : 0);
    assert_int_equal(m.key == 1000, !vendor->exclusive);
    assert_int_equal(mail_message_snippet(&tx, &m, &snippet), 0);
    assert_string_equal(snippet, vendor->exclusive
                                     ? arena_printf(tx.arena, "%lld bytes", (long long)m.size)
                                     : "text");
    letter("again");
    assert_int_equal(newest("bob", 0).key == 1001, !vendor->exclusive);
    check_counters();
}

static void a_letter_to_oneself(void **state)
{
    (void)state;
    struct mail_message sent = send_as("ada", "To: ada@acme.example\nSubject: Me\n\ntext\n");
    assert_int_equal(count_of("ada"), vendor->exclusive ? 2 : 1);
    assert_string_equal(labels_of(&sent), vendor->exclusive ? "sent" : "inbox sent unseen");
    check_counters();
}

static void a_message_is_moved(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_folder work = make_folder(&bob, 0, "Work");
    struct mail_message m = letter("move me");
    struct mail_change *list;
    int64_t inbox = ID_OF(&bob, FOLDER_INBOX), after = m.change, seen = ID_OF(&bob, KEYWORD_UNSEEN);
    assert_int_equal(mail_messages_move(&tx, &m, 1, work.id), 0);
    check_counters();
    assert_int_equal(in_folder(work.id), 1);
    assert_int_equal(in_folder(inbox), vendor->exclusive ? 0 : 1);
    assert_string_equal(labels_of(&m),
                        vendor->exclusive ? "unseen Work" : "inbox unseen first Work");
    assert_int_equal(m.folder, vendor->exclusive ? work.id : 0);
    assert_int_equal(mail_message_modify(&tx, &m, NULL, 0, &seen, 1), 0);
    assert_int_equal(changes_since(&bob, after, 0, &list), 2);
    assert_int_equal(list[0].kind, vendor->exclusive ? MAIL_MOVED : MAIL_LABELLED);
    assert_int_equal(list[0].folder_before, vendor->exclusive ? inbox : 0);
    assert_int_equal(list[0].folder, vendor->exclusive ? work.id : 0);
    assert_int_equal(list[0].folders[0], work.id);
    assert_int_equal(list[1].kind, MAIL_UNLABELLED);
    assert_int_equal(list[1].folder_before, list[1].folder);
    assert_int_equal(list[1].folder, vendor->exclusive ? work.id : 0);
    /* The feed of a folder has what came into it and what left it. */
    assert_int_equal(changes_since(&bob, after, work.id, &list), 2);
    assert_int_equal(changes_since(&bob, after, inbox, &list), vendor->exclusive ? 1 : 2);
    assert_int_equal(mail_messages_move(&tx, &m, 1, work.id), 0); /* it is there */
    assert_int_equal(changes_since(&bob, after, 0, &list), 2);
}

/* A vendor's own place is a folder as any other, and it is notified of what goes. */
static void a_vendors_own_place_may_be_a_folder(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_message m = letter("move me");
    const int64_t outbox = ID_OF(&bob, MARK_VENDOR), names = ID_OF(&bob, MARK_VENDOR + 1);
    if (!vendor->exclusive)
        return;
    assert_int_equal(mail_messages_move(&tx, &m, 1, outbox), 0);
    assert_string_equal(labels_of(&m), "unseen outbox");
    assert_int_equal(m.folder, outbox);
    assert_int_equal(in_folder(outbox), 1);
    assert_int_equal(in_folder(ID_OF(&bob, FOLDER_INBOX)), 0);
    check_counters();
    /* A keyword may be named as a folder is, since it is among the keywords. */
    struct mail_folder red = {
        .mailbox = bob.id, .name = "Outbox", .kind = KIND_KEYWORD, .parent = names};
    assert_int_equal(mail_folder_add(&tx, &red), 0);
    assert_int_equal(mail_message_modify(&tx, &m, &red.id, 1, NULL, 0), 0);
    assert_int_equal(m.folder, outbox);
    assert_string_equal(labels_of(&m), "unseen outbox Outbox");
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    assert_int_equal(last_gone, m.id);
    check_counters();
}

static void several_are_moved_in_one_record(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_folder work = make_folder(&bob, 0, "Work");
    struct mail_message list[2] = {letter("one"), letter("two")};
    struct mail_change *changes;
    int64_t after = list[1].change;
    assert_int_equal(mail_messages_move(&tx, list, 2, work.id), 0);
    assert_int_equal(changes_since(&bob, after, 0, &changes), 2);
    assert_int_equal(changes[0].number, changes[1].number);
    assert_int_equal(list[0].change, list[1].change);
    assert_int_equal(in_folder(work.id), 2);
}

static void folders_are_a_tree(void **state)
{
    (void)state;
    struct mailbox bob = box("bob"), ada = box("ada");
    struct mail_folder a = make_folder(&bob, 0, "A"), b = make_folder(&bob, a.id, "B"),
                       c = make_folder(&bob, b.id, "A"), f = a,
                       tag = {.mailbox = bob.id, .kind = KIND_KEYWORD, .name = "tag"};
    int64_t up = ID_OF(&bob, FOLDER_INBOX);
    assert_int_equal(c.parent, b.id);
    f.parent = c.id; /* within itself */
    refused(mail_folder_save(&tx, &a, &f, false), "parent");
    f = (struct mail_folder){.mailbox = bob.id, .parent = a.id, .kind = KIND_FOLDER, .name = "b"};
    refused(mail_folder_add(&tx, &f), "labelExists");
    f.name = "x";
    f.parent = ID_OF(&ada, FOLDER_INBOX); /* of somebody else */
    refused(mail_folder_add(&tx, &f), "parent");
    assert_int_equal(mail_folder_add(&tx, &tag), 0);
    f.parent = tag.id; /* not a folder */
    refused(mail_folder_add(&tx, &f), "parent");
    for (int i = 0; i < FOLDER_DEPTH_MAX - 1; i++)
        up = make_folder(&bob, up, "deep").id;
    f.parent = make_folder(&bob, up, "deep").id;
    refused(mail_folder_add(&tx, &f), "parent");
    struct mail_folder moved = b;
    moved.parent = 0;
    moved.hidden = true;
    assert_int_equal(mail_folder_save(&tx, &b, &moved, false), 0);
    assert_int_equal(mail_folder_by_name(&tx, bob.id, 0, "B", &f), 1);
    assert_true(f.hidden);
    assert_int_equal(mail_folder_by_name(&tx, bob.id, a.id, "B", &f), 0);
}

static void a_folder_goes_with_those_within_it(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_folder a = make_folder(&bob, 0, "A"), b = make_folder(&bob, a.id, "B"), f;
    struct mail_message m = letter("deep");
    assert_int_equal(mail_messages_move(&tx, &m, 1, b.id), 0);
    assert_int_equal(mail_folder_delete(&tx, &a), 0);
    assert_int_equal(mail_folder_get(&tx, bob.id, b.id, &f), 0);
    /* A label is only taken off; what is in a folder alone goes with it. */
    assert_int_equal(count_of("bob"), vendor->exclusive ? 0 : 1);
    check_counters();
    f = (struct mail_folder){.id = ID_OF(&bob, FOLDER_INBOX), .mailbox = bob.id, .name = "inbox"};
    refused(mail_folder_delete(&tx, &f), "label");
}

static void deleting_is_into_the_trash(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_message m = letter("away");
    struct mail_change *list;
    int64_t after = m.change;
    size_t left;
    assert_int_equal(mail_messages_discard(&tx, &m, 1, &left), 0);
    assert_int_equal(left, 1);
    assert_string_equal(labels_of(&m), vendor->exclusive ? "trash unseen" : "trash unseen first");
    assert_int_equal(changes_since(&bob, after, 0, &list), vendor->exclusive ? 1 : 2);
    assert_int_equal(mail_messages_discard(&tx, &m, 1, &left), 0);
    assert_int_equal(left, vendor->exclusive ? 0 : 1);
    assert_int_equal(count_of("bob"), left);
    if (vendor->exclusive) {
        assert_int_equal(changes_since(&bob, after, 0, &list), 2);
        assert_int_equal(list[1].kind, MAIL_DELETED);
        assert_int_equal(list[1].folder_before, ID_OF(&bob, FOLDER_TRASH));
        assert_int_equal(list[1].folder, 0);
    }
    check_counters();
}

static void the_trash_is_emptied_as_the_vendor_says(void **state)
{
    (void)state;
    struct mail_message m = letter("away");
    size_t left;
    assert_int_equal(mail_messages_discard(&tx, &m, 1, &left), 0);
    mail_later(5 * WEEK);
    assert_int_equal(count_of("bob"), vendor->keep_days ? 0 : 1);
}

static void keywords_are_beside_folders(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_message m = letter("mark me");
    struct mail_folder red = {.mailbox = bob.id, .kind = KIND_KEYWORD, .name = "red"};
    int64_t folder = m.folder, unseen = ID_OF(&bob, KEYWORD_UNSEEN);
    assert_int_equal(mail_folder_add(&tx, &red), 0);
    const int64_t add[] = {ID_OF(&bob, KEYWORD_FLAGGED), red.id};
    assert_int_equal(mail_message_modify(&tx, &m, add, 2, &unseen, 1), 0);
    assert_string_equal(labels_of(&m),
                        vendor->exclusive ? "inbox flagged red" : "inbox flagged first red");
    assert_int_equal(m.folder, folder);
    assert_int_equal(in_folder(red.id), 1);
    const int64_t answered = ID_OF(&bob, KEYWORD_ANSWERED);
    if (vendor->exclusive)
        assert_int_equal(mail_message_modify(&tx, &m, &answered, 1, NULL, 0), 0);
    else
        refused(mail_message_modify(&tx, &m, &answered, 1, NULL, 0), "label");
    check_counters();
}

static void a_message_has_properties(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_property p;
    struct mail_change *list;
    send_as("ada", "To: bob@acme.example\nSubject: !\nX-Priority: 1 (Highest)\n"
                   "Disposition-Notification-To: ada@acme.example\n\ntext\n");
    struct mail_message m = newest("bob", 0), plain = letter("plain");
    assert_int_equal(mail_property_get(&tx, &m, &p), 0);
    assert_int_equal(p.importance, 1);
    assert_int_equal(p.receipts, RECEIPT_READ);
    assert_int_equal(p.flag_due_us, MAIL_NO_TIME);
    assert_int_equal(mail_property_get(&tx, &plain, &p), 0);
    assert_int_equal(p.importance + (int)p.receipts, 0);
    int64_t after = plain.change;
    p = (struct mail_property){.importance = -1,
                               .flag = FLAG_SET,
                               .flag_from_us = 0,
                               .flag_due_us = WEEK,
                               .flag_done_us = MAIL_NO_TIME,
                               .inference = INFERENCE_OTHER};
    assert_int_equal(mail_property_set(&tx, &plain, &p), 0);
    assert_true(plain.flags & FLAG(KEYWORD_FLAGGED));
    assert_int_equal(changes_since(&bob, after, 0, &list), 2);
    assert_int_equal(list[1].kind, MAIL_PROPERTY);
    assert_int_equal(list[1].number, plain.change);
    struct mail_property is;
    assert_int_equal(mail_property_get(&tx, &plain, &is), 0);
    assert_memory_equal(&is, &p, sizeof p);
    assert_int_equal(mail_property_set(&tx, &plain, &p), 0); /* as it is */
    assert_int_equal(changes_since(&bob, after, 0, &list), 2);
    p.importance = 2;
    refused(mail_property_set(&tx, &plain, &p), "property");
    assert_int_equal(mail_message_delete(&tx, &plain), 0);
    assert_int_equal(number("select count(*) from mail_property"),
                     2); /* both copies of the first */
}

static void links_are_as_a_vendor_knows_them(void **state)
{
    (void)state;
    send_as("ada", "To: bob@acme.example\n\nsee http://videos/1 and https://youtube.com/x\n");
    assert_int_equal(newest("bob", 0).has, HAS_VIDEO);
    send_as("ada", "To: bob@acme.example\n\nsee https://youtube.com/x\n");
    assert_int_equal(newest("bob", 0).has, 0);
}

static struct search *about(struct search *q, const char *subject)
{
    *q = (struct search){.kind = SEARCH_PHRASE, .fields = FIELD_SUBJECT, .text = subject};
    return q;
}

static void rules_act_in_their_order_until_one_stops(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_folder work = make_folder(&bob, 0, "Work"), gone = make_folder(&bob, 0, "Gone");
    struct search report, any;
    const struct mail_act first[] = {
        {ACT_MOVE, gone.id, NULL},
        {ACT_MOVE, work.id, NULL},
        {ACT_REMOVE, ID_OF(&bob, KEYWORD_UNSEEN), NULL},
        {ACT_REMOVE, ID_OF(&bob, FOLDER_OWN - 1), NULL}, /* no such place */
        {ACT_FORWARD, 0, "cyd@acme.example"},
        {ACT_FORWARD, 0, "ada@acme.example"}};
    const struct mail_act second[] = {{ACT_ADD, ID_OF(&bob, KEYWORD_FLAGGED), NULL}};
    rules[0] = (struct mail_rule){about(&report, "report"), first, SOSIA_LEN(first), true};
    rules[1] = (struct mail_rule){about(&any, "the"), second, 1, false};
    n_rules = 2;
    assert_int_equal(mail_folder_delete(&tx, &gone), 0);
    struct mail_message m = letter("the report");
    assert_string_equal(labels_of(&m), vendor->exclusive ? "Work" : "first Work");
    assert_int_equal(count_of("cyd"), 1);
    assert_int_equal(count_of("ada"), 1); /* not to whom the vendor refuses */
    rules[0].stop = false;
    m = letter("the report");
    assert_string_equal(labels_of(&m), vendor->exclusive ? "flagged Work" : "flagged first Work");
    m = letter("the rest");
    assert_string_equal(labels_of(&m),
                        vendor->exclusive ? "inbox unseen flagged" : "inbox unseen flagged first");
    const struct mail_act discard[] = {{ACT_DISCARD, 0, NULL}};
    rules[0] = (struct mail_rule){about(&report, "report"), discard, 1, true};
    m = letter("the report");
    assert_string_equal(labels_of(&m), vendor->exclusive ? "trash unseen" : "trash unseen first");
    check_counters();
}

static void all_that_comes_goes_on(void **state)
{
    (void)state;
    onward = (struct mail_onward){"cyd@acme.example", THEN_ARCHIVE};
    struct mail_message m = letter("on");
    assert_string_equal(labels_of(&m), vendor->exclusive ? "unseen archive" : "unseen first");
    assert_int_equal(count_of("cyd"), 1);
    onward.then = THEN_TRASH;
    m = letter("on");
    assert_string_equal(labels_of(&m), vendor->exclusive ? "trash unseen" : "trash unseen first");
    onward = (struct mail_onward){"ada@acme.example", THEN_TRASH};
    m = letter("not on");
    assert_string_equal(labels_of(&m), vendor->exclusive ? "inbox unseen" : "inbox unseen first");
    check_counters();
}

static void an_answer_is_given_once_in_a_while(void **state)
{
    (void)state;
    auto_answer = (struct mail_auto_answer){
        .on = true, .subject = "Away", .text = "I am away", .pause_us = WEEK};
    letter("one");
    letter("two");
    assert_int_equal(count_of("ada"), 3);
    struct mail_message m = newest("ada", 0);
    assert_non_null(strstr(header_of(&m, "To"), "bob@acme.example"));
    mail_later(WEEK);
    letter("three");
    assert_int_equal(count_of("ada"), 5);
    const char *from = NULL;
    for (size_t i = 0; i < 5; i++) {
        m = newest("ada", i);
        if (strncmp(header_of(&m, "Subject"), "Away", 4) == 0)
            from = header_of(&m, "From");
    }
    assert_non_null(from);
    assert_int_equal(strncmp(from, "Somebody else", 13) == 0, vendor->exclusive);
}

static void others_have_an_answer_of_their_own(void **state)
{
    (void)state;
    auto_answer = (struct mail_auto_answer){.on = true,
                                            .subject = "Automatic reply:",
                                            .plain = true,
                                            .html = "<p>Inside</p>",
                                            .apart = true,
                                            .apart_html = "<p>Outside</p>",
                                            .apart_contacts = true,
                                            .pause_us = WEEK};
    letter("one");
    struct mail_message m = newest("ada", 0);
    assert_string_equal(header_of(&m, "Subject"), "Automatic reply: one");
    assert_non_null(strstr(raw_of(&m), "<p>Inside</p>"));
    assert_null(strstr(raw_of(&m), "<p>Outside</p>"));
}

static size_t of_flag(enum mail_flag is)
{
    const struct search q = {.kind = SEARCH_PROPERTY, .bits = ASKED_FLAG, .id = is};
    const struct mail_list list = {.mailbox = box("bob").id, .query = &q, .limit = 10};
    struct mail_message *found;
    size_t n;
    bool more;
    assert_int_equal(mail_list(&tx, &list, &found, &n, &more), 0);
    for (size_t i = 0; i < n; i++) {
        struct mail_property p;
        assert_int_equal(mail_property_get(&tx, &found[i], &p), 0);
        assert_int_equal(p.flag, is);
    }
    return n;
}

/* By the keyword, however it came there, or by what was set; lists and messages agree. */
static void messages_are_found_by_the_flag_that_they_have(void **state)
{
    (void)state;
    struct mail_message one = letter("one"), two = letter("two");
    struct mail_property p;
    const int64_t flagged = ID_OF(&(struct mailbox){.id = one.mailbox}, KEYWORD_FLAGGED);
    assert_int_equal(mail_message_modify(&tx, &one, &flagged, 1, NULL, 0), 0);
    assert_int_equal(of_flag(FLAG_SET), 1);
    assert_int_equal(mail_property_get(&tx, &two, &p), 0);
    p.flag = FLAG_COMPLETE;
    assert_int_equal(mail_property_set(&tx, &two, &p), 0);
    assert_int_equal(of_flag(FLAG_SET), 1);
    assert_int_equal(of_flag(FLAG_COMPLETE), 1);
    assert_int_equal(mail_message_modify(&tx, &two, &flagged, 1, NULL, 0), 0);
    assert_int_equal(of_flag(FLAG_SET), 2);
    assert_int_equal(of_flag(FLAG_COMPLETE), 0);
    const struct search none = {.kind = SEARCH_PROPERTY, .bits = ASKED_INFERENCE + 1, .id = 1};
    const struct mail_list list = {.mailbox = one.mailbox, .query = &none, .limit = 10};
    struct mail_message *found;
    size_t n;
    bool more;
    refused(mail_list(&tx, &list, &found, &n, &more), "property");
}

static void drafts_are_drafts_wherever_they_are(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct mail_folder work = make_folder(&ada, 0, "Work");
    const char *raw = crlf("To: bob@acme.example\nSubject: draft\n\ntext\n");
    struct mail_message_new in = {
        .mailbox = &ada, .raw = raw, .len = strlen(raw), .at_s = INT64_MIN};
    struct mail_list drafts = {.mailbox = ada.id, .drafts = true, .limit = 10};
    struct mail_message *found;
    struct mail_draft d;
    size_t n;
    bool more;
    assert_int_equal(mail_draft_add(&tx, &in, 0, &d), 0);
    assert_string_equal(labels_of(&d.message), vendor->exclusive ? "drafts draft" : "drafts");
    assert_int_equal(mail_messages_move(&tx, &d.message, 1, work.id), 0);
    assert_int_equal(mail_draft_save(&tx, &d, &in), 0);
    assert_string_equal(labels_of(&d.message), vendor->exclusive ? "draft Work" : "drafts");
    assert_int_equal(mail_list(&tx, &drafts, &found, &n, &more), 0);
    assert_int_equal(n, 1);
    assert_int_equal(mail_draft_delete(&tx, &d), 0);
    assert_int_equal(count_of("ada"), 0);
    check_counters();
}

static char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    if (sosia_world_dump(test_engine, world, &blob, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    char *copy = arena_memdup(tx.arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    return copy;
}

static void a_dump_is_a_seed(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_folder a = make_folder(&bob, 0, "A"), b = make_folder(&bob, a.id, "A");
    struct mail_folder in = make_folder(&bob, ID_OF(&bob, FOLDER_INBOX), "In");
    struct mail_folder red = {
        .mailbox = bob.id, .kind = KIND_KEYWORD, .name = "red", .hidden = true};
    struct mail_message m = letter("one"), other = letter("two"), third = letter("three");
    assert_int_equal(mail_folder_add(&tx, &red), 0);
    assert_int_equal(mail_messages_move(&tx, &m, 1, b.id), 0);
    assert_int_equal(mail_messages_move(&tx, &third, 1, in.id), 0);
    assert_int_equal(mail_message_modify(&tx, &other, &red.id, 1, NULL, 0), 0);
    struct mail_property p;
    assert_int_equal(mail_property_get(&tx, &other, &p), 0);
    p.importance = 1;
    p.flag = FLAG_COMPLETE;
    p.flag_done_us = WEEK;
    p.inference = INFERENCE_FOCUSED;
    assert_int_equal(mail_property_set(&tx, &other, &p), 0);
    mail_end();
    char *dump = dump_of(test_world);
    uint64_t again = test_world_of(dump);
    char *second = dump_of(again);
    assert_string_equal(dump, second);
    mail_begin();
    static const char *const properties[] = {"\"parent\"",  "\"hidden\"",   "\"high\"",
                                             "\"focused\"", "\"complete\"", "1970-01-08T00:00:00"};
    for (size_t i = 0; i < SOSIA_LEN(properties); i++)
        if (!strstr(dump, properties[i]))
            fail_msg("the dump lacks %s", properties[i]);
}

static void imported_rows_keep_to_the_policy(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "update mail_message set flags = flags | 8 where id = (select max(id) from mail_message)",
        "update mail_message set folder = 0 where folder <> 0",
        "update mail_message set folder = folder + 1",
        "update mail_folder set parent = id where id = (select max(id) from mail_folder)",
        "update mail_mailbox set vendor = 'labels'",
        "update mail_change set folder = 16777217",
        "update mail_change set folder_before = -1",
        "insert into mail_message_folder select max(m.id), max(f.id) from mail_message m, "
        "mail_folder f where f.mailbox = m.mailbox",
    };
    struct mailbox bob = box("bob");
    uint64_t w;
    make_folder(&bob, 0, "Work");
    letter("one");
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(wrong) && vendor->exclusive; i++)
        if (test_import_changed(wrong[i], &w) == 0)
            fail_msg("taken: %s", wrong[i]);
    if (!vendor->exclusive) /* a place that the vendor does not have */
        assert_int_equal(
            test_import_changed("update mail_message set flags = flags | (1 << 14)", &w), -1);
    mail_begin();
}

/* ---- the exclusive one ---- */

static void no_message_is_in_no_folder_or_in_two(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_folder work = make_folder(&bob, 0, "Work"), rest = make_folder(&bob, 0, "Rest");
    struct mail_message m = letter("one");
    const int64_t two[] = {work.id, rest.id}, inbox = ID_OF(&bob, FOLDER_INBOX),
                  roles[] = {ID_OF(&bob, FOLDER_ARCHIVE), ID_OF(&bob, FOLDER_JUNK)},
                  mixed[] = {ID_OF(&bob, FOLDER_ARCHIVE), work.id};
    struct mail_message_new new = {
        .mailbox = &bob, .raw = "\r\n", .len = 2, .at_s = INT64_MIN, .flags = FLAG(KEYWORD_UNSEEN)};
    refused(mail_message_modify(&tx, &m, two, 2, NULL, 0), "folder");
    refused(mail_message_modify(&tx, &m, roles, 2, NULL, 0), "folder");
    refused(mail_message_modify(&tx, &m, mixed, 2, NULL, 0), "folder");
    refused(mail_message_modify(&tx, &m, NULL, 0, &inbox, 1), "folder");
    refused(mail_message_add(&tx, &new, &m), "folder");
    m = newest("bob", 0);
    assert_int_equal(mail_message_modify(&tx, &m, &work.id, 1, &inbox, 1), 0);
    assert_int_equal(m.folder, work.id);
    assert_int_equal(mail_message_modify(&tx, &m, &rest.id, 1, &work.id, 1), 0);
    assert_int_equal(m.folder, rest.id);
    assert_int_equal(mail_message_modify(&tx, &m, &roles[0], 1, NULL, 0), 0);
    assert_int_equal(m.folder, roles[0]);
    assert_string_equal(labels_of(&m), "unseen archive");
    check_counters();
}

/* ---- documents ---- */

static void a_story_of_documents(void **state)
{
    (void)state;
    static char start[2048], doc[8192];
    mail_end();
    story_begin();
    snprintf(start, sizeof start,
             MAIL_PEOPLE "'accounts':[{'actor':'ada@acme.example','vendor':'%s'},"
                         "{'actor':'bob@acme.example','vendor':'%s'}],",
             vendor->name, vendor->name);
    for (size_t i = 0; i <= SOSIA_LEN(mail_documents); i++) {
        snprintf(doc, sizeof doc, "%s%s}", start,
                 i < SOSIA_LEN(mail_documents) ? mail_documents[i]
                 : vendor->exclusive           ? MAIL_FOLDERS
                                               : MAIL_LABELS);
        for (char *p = doc; *p; p++)
            *p = *p == '\'' ? '"' : *p;
        story_say("== a document");
        story_dump(test_engine, test_world_of(doc));
    }
    for (size_t i = 0; i < SOSIA_LEN(mail_wrong); i++)
        story_wrong(test_engine, start, mail_wrong[i]);
    story_end(vendor->exclusive ? "mail-folders" : "mail-labels");
    mail_begin();
}

/* ---- two vendors in one world ---- */

static void vendors_write_to_each_other(void **state)
{
    (void)state;
    send_as("ada", "To: bob@acme.example\nSubject: from labels\n\ntext\n");
    struct mail_message m = newest("bob", 0);
    assert_string_equal(labels_of(&m), "inbox unseen");
    send_as("bob", "To: ada@acme.example\nSubject: Re: from labels\n\ntext\n");
    m = newest("ada", 0);
    assert_string_equal(labels_of(&m), "inbox unseen first");
    struct mailbox cyd = box("cyd"), at;
    assert_int_equal(mailbox_at(&tx, cyd.actor, "labels", &at), 1);
    assert_int_equal(at.id, cyd.id); /* as the routing says */
    assert_int_equal(mailbox_at(&tx, cyd.actor, "folders", &at), 1);
    assert_int_not_equal(at.id, cyd.id);
    assert_int_equal(mailbox_at(&tx, box("ada").actor, "folders", &at), 0);
    send_as("ada", "To: cyd@acme.example\nSubject: routed\n\ntext\n");
    m = newest("cyd", 0);
    assert_int_equal(m.mailbox, cyd.id);
    check_counters();
    mail_end();
    char *dump = dump_of(test_world);
    assert_string_equal(dump, dump_of(test_world_of(dump)));
    mail_begin();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(a_new_mailbox_has_its_vendors_places),
        TEST(a_letter_is_in_two_mailboxes),
        TEST(a_letter_to_oneself),
        TEST(a_message_is_moved),
        TEST(a_vendors_own_place_may_be_a_folder),
        TEST(several_are_moved_in_one_record),
        TEST(folders_are_a_tree),
        TEST(a_folder_goes_with_those_within_it),
        TEST(deleting_is_into_the_trash),
        TEST(the_trash_is_emptied_as_the_vendor_says),
        TEST(keywords_are_beside_folders),
        TEST(a_message_has_properties),
        TEST(links_are_as_a_vendor_knows_them),
        TEST(rules_act_in_their_order_until_one_stops),
        TEST(all_that_comes_goes_on),
        TEST(an_answer_is_given_once_in_a_while),
        TEST(others_have_an_answer_of_their_own),
        TEST(messages_are_found_by_the_flag_that_they_have),
        TEST(drafts_are_drafts_wherever_they_are),
        TEST(a_dump_is_a_seed),
        TEST(imported_rows_keep_to_the_policy),
        TEST(a_story_of_documents),
    };
    static const struct CMUnitTest exclusive[] = {
        TEST(no_message_is_in_no_folder_or_in_two),
        cmocka_unit_test_setup_teardown(vendors_write_to_each_other, open_mixed, mail_close_world),
    };
    static const struct mail_vendor *const all[] = {&labels, &folders};
    int rc = 0;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        vendor = all[i];
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc | cmocka_run_group_tests_name("exclusive", exclusive, NULL, NULL);
}
