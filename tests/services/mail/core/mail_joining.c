/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread a message goes into when its caller says so, what a draft does to its thread, and
 * pages of what is found. Once for each of two vendors.
 */
#include "engine/json/json.h"
#include "services/mail/core/show.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- set-up ---- */

/* Into ada's inbox; how: the members that say which thread. */
static int try_add(const char *text, struct mail_message_new how, struct mail_message *ret)
{
    const struct mailbox ada = box("ada");
    const char *raw = crlf(text);
    how.mailbox = &ada;
    how.raw = raw;
    how.len = strlen(raw);
    how.flags |= FLAG(FOLDER_INBOX);
    how.at_s = INT64_MIN;
    test_err = (struct sosia_err){0};
    return mail_message_add(&tx, &how, ret);
}

static struct mail_message add(const char *text, struct mail_message_new how)
{
    struct mail_message m;
    if (try_add(text, how, &m) < 0)
        fail_msg("add: %s", test_err.text);
    return m;
}

static struct mail_thread thread_of(const struct mail_message *m)
{
    struct mail_thread t;
    assert_int_equal(mail_thread_by_id(&tx, m->thread, &t), 1);
    return t;
}

#define NO_WAY ((struct mail_message_new){.thread = 0})

/* ---- which thread ---- */

static void a_thread_must_be_there(void **state)
{
    (void)state;
    struct mail_message m;
    const struct mail_message first = add("Subject: s\n\nx\n", NO_WAY);
    refused(try_add("Subject: s\n\nx\n", (struct mail_message_new){.thread = 77}, &m), "thread");
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_string_equal(test_err.where, "thread");
    const struct mailbox bob = box("bob");
    const struct mail_message_new in = {.mailbox = &bob,
                                        .raw = "\r\n",
                                        .len = 2,
                                        .flags = FLAG(FOLDER_INBOX),
                                        .at_s = INT64_MIN,
                                        .thread = first.thread_key};
    refused(mail_message_add(&tx, &in, &m), "thread"); /* another mailbox does not have it */
    m = add("Subject: t\n\nx\n", (struct mail_message_new){.thread = 77, .joins = true});
    assert_int_equal(m.thread_key, 77); /* unless it is made */
    const struct mailbox ada = box("ada");
    struct mail_thread t;
    assert_int_equal(mail_thread_get(&tx, ada.id, 77, &t), 1);
    assert_int_equal(t.id, m.thread);
    assert_int_equal(t.messages, 1);
    assert_int_equal(t.newest, m.id);
    assert_int_equal(t.mailbox, ada.id);
    assert_int_equal(ada.threads, 2);
    check_counters();
}

static void what_fits_goes_into_the_thread(void **state)
{
    (void)state;
    const struct mail_message first = add("Subject: plans\nMessage-ID: <1@far>\n\nx\n", NO_WAY),
                              other = add("Subject: plans\nMessage-ID: <2@far>\n\nx\n", NO_WAY);
    const struct mail_message_new there = {.thread = first.thread_key};
    static const struct {
        const char *text;
        int is; /* 1: in the thread, 2: in the other one, 0: in one of its own */
    } all[] = {
        {"Subject: plans\n\nx\n", 1},
        {"Subject: Re: PLANS\n\nx\n", 1},
        {"Subject: others\n\nx\n", 0},
        {"\nx\n", 0},
        {"Subject: plans\nReferences: <1@far>\n\nx\n", 1},
        {"Subject: plans\nIn-Reply-To: <1@far>\n\nx\n", 1},
        {"Subject: plans\nReferences: <0@far> <1@far> <9@far>\n\nx\n", 1},
        {"Subject: plans\nReferences: <2@far>\n\nx\n", 2}, /* it goes by what it names */
        {"Subject: plans\nReferences: <1@far> <2@far>\n\nx\n", 1},
        {"Subject: plans\nReferences: <9@far>\n\nx\n", 0},
        {"Subject: others\nReferences: <1@far>\n\nx\n", 0},
    };
    assert_int_not_equal(first.thread, other.thread);
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct mail_message m = add(all[i].text, there);
        const int is = m.thread == first.thread ? 1 : m.thread == other.thread ? 2 : 0;
        if (is != all[i].is)
            fail_msg("%s: %d", all[i].text, is);
    }
    check_counters();
}

static void what_joins_goes_in_whatever_it_is(void **state)
{
    (void)state;
    const struct mail_message first = add("Subject: one\nMessage-ID: <1@far>\n\nx\n", NO_WAY);
    const struct mail_message_new joins = {.thread = first.thread_key, .joins = true},
                                  renames = {
                                      .thread = first.thread_key, .joins = true, .renames = true};
    assert_int_equal(add("Subject: two\nReferences: <9@far>\n\nx\n", joins).thread, first.thread);
    /* It keeps its subject, by which others fit into it, ... */
    assert_int_not_equal(add("Subject: two\nReferences: <1@far>\n\nx\n", NO_WAY).thread,
                         first.thread);
    assert_int_equal(add("Subject: one\nReferences: <1@far>\n\nx\n", NO_WAY).thread, first.thread);
    /* ... unless it is renamed. */
    assert_int_equal(add("Subject: three\n\nx\n", renames).thread, first.thread);
    assert_int_equal(add("Subject: three\nReferences: <1@far>\n\nx\n", NO_WAY).thread,
                     first.thread);
    assert_int_not_equal(add("Subject: one\nReferences: <1@far>\n\nx\n", NO_WAY).thread,
                         first.thread);
    assert_int_equal(thread_of(&first).messages, 5);
    check_counters();
}

static void what_is_alone_begins_one(void **state)
{
    (void)state;
    const struct mail_message first = add("Subject: s\nMessage-ID: <1@far>\n\nx\n", NO_WAY),
                              alone = add("Subject: s\nReferences: <1@far>\n\nx\n",
                                          (struct mail_message_new){.alone = true}),
                              there = add("Subject: s\nReferences: <1@far>\n\nx\n",
                                          (struct mail_message_new){.alone = true,
                                                                    .thread = first.thread_key});
    assert_int_not_equal(alone.thread, first.thread);
    assert_int_equal(there.thread, first.thread); /* the thread that is said goes before */
    assert_int_equal(add("Subject: s\nReferences: <1@far>\n\nx\n", NO_WAY).thread, first.thread);
}

/* ---- what a thread says of itself ---- */

static void a_thread_counts_its_messages(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    struct mail_message list[3], *found;
    struct mail_thread t;
    size_t n;
    list[0] = add("Subject: s\nMessage-ID: <1@far>\n\nx\n", NO_WAY);
    for (int i = 1; i < 3; i++)
        list[i] = add("Subject: s\nReferences: <1@far>\n\nx\n", NO_WAY);
    t = thread_of(&list[0]);
    assert_int_equal(t.messages, 3);
    assert_int_equal(t.newest, list[2].id);
    assert_int_equal(t.change, list[2].change);
    assert_int_equal(t.key, list[0].key);
    assert_int_equal(mail_thread_messages(&tx, &t, &found, &n), 0);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(found[i].id, list[i].id);
    const int64_t flagged = ID_OF(&ada, KEYWORD_FLAGGED);
    assert_int_equal(mail_message_modify(&tx, &list[0], &flagged, 1, NULL, 0), 0);
    assert_true(list[0].change > t.change);
    t = thread_of(&list[0]);
    assert_int_equal(t.change, list[0].change);
    assert_int_equal(t.newest, list[2].id);
    assert_int_equal(mail_message_delete(&tx, &list[2]), 0);
    t = thread_of(&list[0]);
    assert_int_equal(t.messages, 2);
    assert_int_equal(t.newest, list[1].id);
    assert_true(t.change > list[0].change); /* that one went is a change of it */
    assert_int_equal(mail_message_delete(&tx, &list[0]), 0);
    t = thread_of(&list[1]);
    assert_int_equal(t.messages, 1);
    assert_int_equal(t.key, list[0].key);
    assert_int_equal(mail_message_delete(&tx, &list[1]), 0);
    assert_int_equal(mail_thread_by_id(&tx, t.id, &t), 0);
    assert_int_equal(mail_thread_messages(&tx, &t, &found, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(box("ada").threads, 0);
    assert_int_equal(box("ada").messages, 0);
    check_counters();
}

static struct mail_message_new text_of(const struct mailbox *mb, const char *text)
{
    const char *raw = crlf(text);
    return (struct mail_message_new){
        .mailbox = mb, .raw = raw, .len = strlen(raw), .at_s = INT64_MIN};
}

static void a_draft_takes_its_thread_along(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    struct mail_message_new in = text_of(&ada, "Subject: one\nMessage-ID: <d1@far>\n\nx\n");
    struct mail_draft d;
    assert_int_equal(mail_draft_add(&tx, &in, 0, &d), 0);
    const struct mail_message first = d.message;
    const int64_t id = d.id, key = d.key;
    in = text_of(&ada, "Subject: two\nMessage-ID: <d2@far>\n\ny\n");
    assert_int_equal(mail_draft_save(&tx, &d, &in), 0);
    assert_int_equal(d.id, id);
    assert_int_equal(d.key, key);
    assert_int_not_equal(d.message.id, first.id);
    assert_int_equal(d.message.thread, first.thread);
    assert_int_equal(thread_of(&d.message).messages, 1);
    struct mail_message gone;
    assert_int_equal(mail_message_by_id(&tx, first.id, &gone), 0);
    /* The thread is about what the draft is about now. */
    const struct mail_message answer = add("Subject: two\nReferences: <d2@far>\n\nx\n", NO_WAY);
    assert_int_equal(answer.thread, d.message.thread);
    /* Among others it goes where it belongs. */
    in = text_of(&ada, "Subject: three\n\nz\n");
    assert_int_equal(mail_draft_save(&tx, &d, &in), 0);
    assert_int_not_equal(d.message.thread, answer.thread);
    assert_int_equal(thread_of(&answer).messages, 1);
    in = text_of(&ada, "Subject: two\n\nz\n");
    in.thread = answer.thread_key;
    assert_int_equal(mail_draft_save(&tx, &d, &in), 0);
    assert_int_equal(d.message.thread, answer.thread);
    in.thread = 77;
    refused(mail_draft_save(&tx, &d, &in), "thread");
    check_counters();
}

static void a_sent_draft_is_in_its_thread(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    const struct mail_message first = add("Subject: s\nMessage-ID: <1@far>\n\nx\n", NO_WAY);
    struct mail_message_new in = text_of(&ada, "Subject: s\nReferences: <1@far>\n\nx\n");
    struct mail_draft d;
    struct mail_message m;
    assert_int_equal(mail_draft_add(&tx, &in, 0, &d), 0);
    assert_int_equal(d.message.thread, first.thread);
    const char *raw = crlf("To: bob@acme.example\nSubject: other\n\nx\n");
    struct mail_send send = {.from = &ada, .raw = raw, .len = strlen(raw), .draft = &d};
    assert_int_equal(mail_send(&tx, &send, &m), 0);
    assert_int_equal(m.thread, first.thread);
    assert_int_equal(mail_draft_get(&tx, ada.id, d.key, &d), 0);
    assert_int_equal(count_of("ada"), 2);
    send.draft = NULL;
    assert_int_equal(mail_send(&tx, &send, &m), 0);
    assert_int_not_equal(m.thread, first.thread);
    send.thread = first.thread_key;
    assert_int_equal(mail_send(&tx, &send, &m), 0); /* it has another subject */
    assert_int_not_equal(m.thread, first.thread);
    send.joins = true;
    assert_int_equal(mail_send(&tx, &send, &m), 0);
    assert_int_equal(m.thread, first.thread);
    send.thread = 77, send.joins = false;
    refused(mail_send(&tx, &send, &m), "thread");
    const char *again = crlf("To: bob@acme.example\nSubject: s\nReferences: <1@far>\n\nx\n");
    send = (struct mail_send){.from = &ada, .raw = again, .len = strlen(again), .alone = true};
    assert_int_equal(mail_send(&tx, &send, &m), 0);
    assert_int_not_equal(m.thread, first.thread);
    send.alone = false;
    assert_int_equal(mail_send(&tx, &send, &m), 0);
    assert_int_equal(m.thread, first.thread);
}

/* ---- pages of what is found ---- */

static void a_page_is(struct mail_shown s, int64_t total, size_t rows, int64_t next)
{
    struct sosia_blob blob;
    struct arena a;
    const struct json *v;
    int64_t n = -1;
    if (mail_show_messages(test_engine, test_world, &s, &blob, &test_err) < 0)
        fail_msg("%lld %lld: %s", (long long)s.offset, (long long)s.limit, test_err.text);
    arena_init(&a, 0);
    assert_int_equal(json_parse(&a, (const char *)blob.data, blob.len, NULL, &v, &test_err), 0);
    assert_int_equal(json_i64(json_get(v, "total"), &n), 0);
    assert_int_equal(n, total);
    assert_int_equal(json_get(v, "rows")->n, rows);
    if (next)
        assert_int_equal(json_i64(json_get(v, "next"), &n), 0);
    else
        assert_null(json_get(v, "next"));
    assert_int_equal(next ? n : 0, next);
    arena_done(&a);
    sosia_blob_free(&blob);
}

static void pages_of_words(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    for (int i = 0; i < 6; i++)
        add(arena_printf(tx.arena, "Subject: %s %d\n\nx\n", i % 2 ? "plans" : "other", i), NO_WAY);
    mail_end();
    struct mail_shown s = {.actor = "ada@acme.example",
                           .folder = ID_OF(&ada, FOLDER_INBOX),
                           .text = "plans",
                           .limit = 3};
    a_page_is(s, 3, 3, 0);
    s.limit = 2;
    a_page_is(s, 3, 2, 2); /* so many are known, and there are others */
    s.limit = 1;
    a_page_is(s, 2, 1, 1);
    s.offset = 1;
    a_page_is(s, 3, 1, 2);
    s.offset = 2;
    a_page_is(s, 3, 1, 0);
    s.offset = 3;
    a_page_is(s, 3, 0, 0);
    s.offset = 9;
    a_page_is(s, 9, 0, 0);
    s.offset = 9999, s.limit = 1;
    a_page_is(s, 9999, 0, 0);
    s.limit = 2;
    struct sosia_blob blob;
    refused(mail_show_messages(test_engine, test_world, &s, &blob, &test_err), "tooManyFound");
    assert_string_equal(test_err.where, "offset");
    s.text = NULL;
    a_page_is(s, 6, 0, 0); /* without words any place can be asked for */
    s.offset = 0, s.limit = 6;
    a_page_is(s, 6, 6, 0);
    s.limit = 5;
    a_page_is(s, 6, 5, 5);
    s.offset = 5;
    a_page_is(s, 6, 1, 0);
    s.offset = 6;
    a_page_is(s, 6, 0, 0);
    static const struct {
        const char *actor, *vendor;
        int64_t place;
        const char *reason, *where;
    } wrong[] = {{"zed@acme.example", NULL, FOLDER_INBOX, "mailboxNotFound", "actor"},
                 {"ada@acme.example", "bare", FOLDER_INBOX, "mailboxNotFound", "actor"},
                 {"ada@acme.example", NULL, FOLDER_OWN + 5, "folderNotFound", "folder"},
                 {"bob@acme.example", NULL, FOLDER_INBOX, "folderNotFound", "folder"}};
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        s = (struct mail_shown){.actor = wrong[i].actor,
                                .vendor = wrong[i].vendor,
                                .folder = ID_OF(&ada, wrong[i].place),
                                .limit = 1};
        refused(mail_show_messages(test_engine, test_world, &s, &blob, &test_err), wrong[i].reason);
        assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
        assert_string_equal(test_err.where, wrong[i].where);
    }
    s = (struct mail_shown){.actor = "ada@acme.example", .key = 5};
    refused(mail_show_message(test_engine, test_world, &s, &blob, &test_err), "messageNotFound");
    s.vendor = "bare";
    refused(mail_show_folders(test_engine, test_world, &s, &blob, &test_err), "mailboxNotFound");
    mail_begin();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(a_thread_must_be_there),
        TEST(what_fits_goes_into_the_thread),
        TEST(what_joins_goes_in_whatever_it_is),
        TEST(what_is_alone_begins_one),
        TEST(a_thread_counts_its_messages),
        TEST(a_draft_takes_its_thread_along),
        TEST(a_sent_draft_is_in_its_thread),
        TEST(pages_of_words),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
