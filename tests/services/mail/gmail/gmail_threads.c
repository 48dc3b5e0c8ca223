/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and drafts. */
#include "tests/support/gmail.h"
#include <stdlib.h>

#define FIRST "From: ada@acme.example\nTo: bob@acme.example\nSubject: Plan\n\nfirst\n"

static const char *thread_of(const char *who, const char *id)
{
    return text_at(gm_get(who, 200, "/messages/%s?format=minimal", id), "threadId");
}

/* Answers a person's newest message. */
static const char *reply(const char *who, const char *to, const char *text)
{
    const struct json *v = gm_get(who, 200, "/messages/%s", gm_newest(who));
    const char *mid = header(v, "Message-ID");
    return gm_send(who,
                   gm_text("To: %s\nSubject: Re: %s\nIn-Reply-To: %s\nReferences: %s\n\n%s\n", to,
                           header(v, "Subject"), mid, mid, text),
                   gm_text(",'threadId':'%s'", text_at(v, "threadId")));
}

/* ---- threads ---- */

static void a_conversation_is_one_thread_on_both_sides(void **state)
{
    const char *id = gm_send(ADA, FIRST, "");
    test_advance(60);
    reply(BOB, ADA, "second");
    test_advance(60);
    reply(ADA, BOB, "third");
    const struct json *v = gm_get(ADA, 200, "/threads/%s", id);
    assert_string_equal(members(v, ""), "id historyId messages");
    assert_int_equal(count_at(v, "messages"), 3);
    assert_string_equal(column(v, "messages", "snippet"), "first second third");
    v = gm_get(BOB, 200, "/threads");
    assert_int_equal(count_at(v, "threads"), 1);
    v = gm_get(BOB, 200, "/threads/%s", text_at(v, "threads.0.id"));
    assert_string_equal(column(v, "messages", "snippet"), "first second third");
}

static void lists_show_the_newest_message(void **state)
{
    const char *a = gm_send(ADA, FIRST, "");
    test_advance(60);
    gm_send(ADA, "To: cyd@acme.example\nSubject: Else\n\nother\n", "");
    test_advance(60);
    reply(BOB, ADA, "it's");
    const struct json *v = gm_get(ADA, 200, "/threads");
    assert_answer("{'threads':[{'id':'@','snippet':'it&#39;s','historyId':'#'},"
                  "{'id':'@','snippet':'other','historyId':'#'}],'resultSizeEstimate':2}");
    assert_string_equal(text_at(v, "threads.0.id"), a);
}

static void formats_hold_for_all_messages(void **state)
{
    const char *id =
        gm_insert(ADA, "From: bob@acme.example\nSubject: x\n\ny\n", ",'labelIds':['INBOX']");
    gm_get(ADA, 200, "/threads/%s?format=minimal", id);
    assert_answer("{'id':'@','historyId':'#','messages':[{'id':'@','threadId':'@',"
                  "'labelIds':['INBOX'],'payload':{'partId':''},'sizeEstimate':41,"
                  "'historyId':'#','internalDate':'1795420800000'}]}");
    gm_get(ADA, 200, "/threads/%s?format=metadata&metadataHeaders=Subject", id);
    assert_answer("{'id':'@','historyId':'#','messages':[{'id':'@','threadId':'@',"
                  "'labelIds':['INBOX'],'snippet':'y','payload':{'mimeType':'text/plain',"
                  "'headers':[{'name':'Subject','value':'x'}]},'sizeEstimate':41,"
                  "'historyId':'#','internalDate':'1795420800000'}]}");
    gm_get(ADA, 400, "/threads/%s?format=raw", id);
}

static void the_trash_answers_as_recorded(void **state)
{
    const char *id = gm_send(ADA, "To: nobody@acme.example\nSubject: lost\n\nx\n", "");
    gm(ADA, "POST", gm_text("/threads/%s/trash", id), NULL);
    assert_answer("{'id':'@','messages':[{'id':'@','threadId':'@','labelIds':['TRASH','SENT']},"
                  "{'id':'@','threadId':'@','labelIds':['UNREAD','TRASH','CATEGORY_UPDATES']}]}");
    gm_get(ADA, 200, "/threads");
    assert_answer("{'resultSizeEstimate':0}");
    const struct json *v = gm(ADA, "POST", gm_text("/threads/%s/untrash", id), NULL);
    assert_string_equal(members(v, ""), "id historyId messages");
    assert_string_equal(members(v, "messages.0"), "id threadId labelIds snippet sizeEstimate "
                                                  "historyId internalDate");
    assert_string_equal(labels_of(value_at(v, "messages.0")), "SENT");
    assert_string_equal(labels_of(value_at(v, "messages.1")), "CATEGORY_UPDATES UNREAD");
    assert_string_equal(text_at(v, "messages.0.historyId"), text_at(v, "historyId"));
    assert_string_equal(text_at(v, "messages.1.historyId"), text_at(v, "historyId"));
}

static void a_change_of_a_thread_is_one_of_its_messages(void **state)
{
    const char *id = gm_send(ADA, FIRST, "");
    test_advance(1);
    reply(BOB, ADA, "second");
    gm(ADA, "POST", "/labels", "{'name':'L'}");
    const struct json *v =
        gm(ADA, "POST", gm_text("/threads/%s/modify", id), "{'addLabelIds':['Label_1']}");
    assert_string_equal(members(v, ""), "id historyId messages");
    v = gm_get(ADA, 200, "/messages?labelIds=Label_1");
    assert_int_equal(count_at(v, "messages"), 2);
    test_advance(1);
    reply(BOB, ADA, "third");
    v = gm_get(ADA, 200, "/messages?labelIds=Label_1");
    assert_int_equal(count_at(v, "messages"), 2);
    v = gm_get(ADA, 200, "/threads?labelIds=Label_1");
    assert_int_equal(count_at(v, "threads"), 1);
    gm(ADA, "POST", gm_text("/threads/%s/modify", id), "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "No label add or removes specified");
}

static void a_deleted_thread_is_gone(void **state)
{
    const char *id = gm_send(ADA, FIRST, "");
    reply(BOB, ADA, "second");
    gm(ADA, "DELETE", gm_text("/threads/%s", id), NULL);
    assert_int_equal(test_status, 204);
    gm_get(ADA, 404, "/threads/%s", id);
    gm_get(ADA, 404, "/messages/%s", id);
    assert_int_equal(number_at(gm_get(ADA, 200, "/profile"), "messagesTotal"), 0);
    assert_int_equal(number_at(gm_get(BOB, 200, "/profile"), "messagesTotal"), 2);
}

static void pages_of_threads_fit_together(void **state)
{
    const char *want = "", *got = "", *token = "";
    for (int i = 0; i < 5; i++) {
        const char *id = gm_insert(ADA, gm_text("Subject: %d\nMessage-ID: <m%d@x>\n\nx\n", i, i),
                                   ",'labelIds':['INBOX']");
        want = gm_text("%s%s%s", id, *want ? " " : "", want);
        test_advance(1);
        gm_insert(
            ADA,
            gm_text("Subject: Re: %d\nReferences: <m%d@x>\nMessage-ID: <r%d@x>\n\nx\n", i, i, i),
            gm_text(",'labelIds':['INBOX'],'threadId':'%s'", id));
        test_advance(1);
    }
    do {
        const struct json *v = gm_get(ADA, 200, "/threads?maxResults=2%s", token);
        got = gm_text("%s%s%s", got, *got ? " " : "", column(v, "threads", "id"));
        token = text_at(v, "nextPageToken");
        assert_int_equal(number_at(v, "resultSizeEstimate"), token ? 201 : 5);
        token = token ? gm_text("&pageToken=%s", token) : NULL;
    } while (token);
    assert_string_equal(got, want);
}

/* ---- drafts ---- */

static const struct json *draft(const char *text, const char *more)
{
    const struct json *v =
        gm(ADA, "POST", "/drafts", gm_text("{'message':{'raw':'%s'%s}}", gm_raw(text), more));
    if (test_status != 200)
        fail_msg("%d %s", test_status, test_body);
    return v;
}

#define DRAFT "To: bob@acme.example\nSubject: Test Draft\n\nThis is a test draft message.\n"

static void create_answers_ids_and_label(void **state)
{
    const struct json *v = draft(DRAFT, "");
    assert_answer("{'id':'*','message':{'id':'@','threadId':'@','labelIds':['DRAFT']}}");
    const char *id = text_at(v, "id");
    assert_int_equal(id[0], 'r');
    char *end;
    assert_true(strtoll(id + 1, &end, 10) != 0);
    assert_int_equal(*end, 0);
    assert_string_equal(text_at(v, "message.threadId"), text_at(v, "message.id"));
}

static void lists_are_newest_first(void **state)
{
    const char *a = text_at(draft(DRAFT, ""), "id");
    test_advance(1);
    const char *b = text_at(draft(DRAFT, ""), "id");
    gm_insert(ADA, FIRST, "");
    const struct json *v = gm_get(ADA, 200, "/drafts");
    assert_answer("{'drafts':[{'id':'*','message':{'id':'@','threadId':'@'}},"
                  "{'id':'*','message':{'id':'@','threadId':'@'}}],'resultSizeEstimate':2}");
    assert_string_equal(column(v, "drafts", "id"), gm_text("%s %s", b, a));
    v = gm_get(ADA, 200, "/drafts?maxResults=1");
    assert_int_equal(number_at(v, "resultSizeEstimate"), 201);
    v = gm_get(ADA, 200, "/drafts?maxResults=1&pageToken=%s", text_at(v, "nextPageToken"));
    assert_string_equal(column(v, "drafts", "id"), a);
}

static void get_has_the_message_in_a_format(void **state)
{
    const char *id = text_at(draft(DRAFT, ""), "id");
    const struct json *v = gm_get(ADA, 200, "/drafts/%s", id);
    assert_string_equal(members(v, ""), "id message");
    assert_string_equal(text_at(v, "message.snippet"), "This is a test draft message.");
    assert_string_equal(data_at(v, "message.payload.body.data"),
                        "This is a test draft message.\r\n");
    v = gm_get(ADA, 200, "/drafts/%s?format=minimal", id);
    assert_string_equal(members(v, "message"),
                        "id threadId labelIds payload sizeEstimate historyId internalDate");
    v = gm_get(ADA, 200, "/drafts/%s?format=raw", id);
    assert_non_null(text_at(v, "message.raw"));
}

static void unknown_drafts_are_not_found(void **state)
{
    static const char *const ids[] = {
        "r1", "r-1", "x", "r", "19dda5cc10eb51bb", "r99999999999999999999"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        gm_get(ADA, 404, "/drafts/%s", ids[i]);
        assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
        gm(ADA, "DELETE", gm_text("/drafts/%s", ids[i]), NULL);
        assert_int_equal(test_status, 404);
        gm(ADA, "POST", "/drafts/send", gm_text("{'id':'%s'}", ids[i]));
        assert_int_equal(test_status, 404);
    }
    const char *id = text_at(draft(DRAFT, ""), "id");
    gm_get(BOB, 404, "/drafts/%s", id);
}

static void a_draft_needs_a_message_but_no_recipient(void **state)
{
    gm(ADA, "POST", "/drafts", "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Missing draft message");
    gm(ADA, "POST", "/drafts", NULL);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Missing draft message");
    gm(ADA, "POST", "/drafts", "{'message':{}}");
    assert_int_equal(test_status, 400);
    gm(ADA, "POST", "/drafts",
       gm_text("{'message':{'raw':'%s'}}", gm_raw("To: no address here\n\nx\n")));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid To header");
    draft("Subject: x\n\ny\n", "");
    draft("\n", "");
}

static void update_puts_another_message_in_its_place(void **state)
{
    const struct json *v = draft(DRAFT, "");
    const char *id = text_at(v, "id"), *old = text_at(v, "message.id");
    test_advance(1);
    v = gm(ADA, "PUT", gm_text("/drafts/%s", id),
           gm_text("{'id':'%s','message':{'raw':'%s'}}", id, gm_raw("Subject: new\n\nz\n")));
    assert_answer("{'id':'*','message':{'id':'@','threadId':'@','labelIds':['DRAFT']}}");
    assert_string_equal(text_at(v, "id"), id);
    assert_string_not_equal(text_at(v, "message.id"), old);
    assert_string_equal(text_at(v, "message.threadId"), old);
    gm_get(ADA, 404, "/messages/%s", old);
    assert_string_equal(text_at(gm_get(ADA, 200, "/drafts/%s", id), "message.snippet"), "z");
    gm(ADA, "PUT", gm_text("/drafts/%s", id), "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Missing draft message");
}

static void a_sent_draft_keeps_its_thread(void **state)
{
    const struct json *v = draft(DRAFT, "");
    const char *id = text_at(v, "id"), *old = text_at(v, "message.id");
    test_advance(3600);
    v = gm(ADA, "POST", "/drafts/send", gm_text("{'id':'%s'}", id));
    assert_answer("{'id':'@','threadId':'@','labelIds':['SENT']}");
    assert_string_equal(text_at(v, "threadId"), old);
    assert_string_not_equal(text_at(v, "id"), old);
    gm_get(ADA, 404, "/drafts/%s", id);
    gm_get(ADA, 404, "/messages/%s", old);
    v = gm_get(ADA, 200, "/messages/%s", text_at(v, "id"));
    assert_string_equal(header(v, "Date"), "Mon, 23 Nov 2026 01:00:00 -0800");
    assert_string_equal(column(v, "payload.headers", "name"),
                        "Received Received To Subject From Date Message-Id");
    v = gm_get(BOB, 200, "/messages/%s", gm_newest(BOB));
    assert_string_equal(text_at(v, "snippet"), "This is a test draft message.");
}

static void a_draft_may_change_as_it_is_sent(void **state)
{
    const char *id = text_at(draft(DRAFT, ""), "id");
    gm(ADA, "POST", "/drafts/send",
       gm_text("{'id':'%s','message':{'raw':'%s'}}", id,
               gm_raw("To: bob@acme.example\nSubject: Test Draft\n\nchanged\n")));
    assert_int_equal(test_status, 200);
    const struct json *v = gm_get(BOB, 200, "/messages/%s", gm_newest(BOB));
    assert_string_equal(text_at(v, "snippet"), "changed");
    gm_get(ADA, 404, "/drafts/%s", id);
}

static void a_draft_that_cannot_be_sent_stays(void **state)
{
    const char *id = text_at(draft("Subject: x\n\ny\n", ""), "id");
    gm(ADA, "POST", "/drafts/send", gm_text("{'id':'%s'}", id));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Recipient address required");
    gm_get(ADA, 200, "/drafts/%s", id);
    gm(ADA, "POST", "/drafts/send", "{}");
    assert_int_equal(test_status, 400);
}

static void deletion_of_a_draft_is_for_good(void **state)
{
    const struct json *v = draft(DRAFT, "");
    gm(ADA, "DELETE", gm_text("/drafts/%s", text_at(v, "id")), NULL);
    assert_int_equal(test_status, 204);
    gm_get(ADA, 404, "/messages/%s", text_at(v, "message.id"));
    gm_get(ADA, 200, "/messages?includeSpamTrash=true");
    assert_answer("{'resultSizeEstimate':0}");
    v = draft(DRAFT, "");
    gm(ADA, "DELETE", gm_text("/messages/%s", text_at(v, "message.id")), NULL);
    gm_get(ADA, 404, "/drafts/%s", text_at(v, "id"));
}

static void a_draft_may_be_in_a_thread(void **state)
{
    const char *id = gm_send(ADA, FIRST, "");
    const char *mid = header(gm_get(ADA, 200, "/messages/%s", id), "Message-ID");
    const struct json *v =
        draft(gm_text("To: bob@acme.example\nSubject: Re: Plan\nReferences: %s\n\nx\n", mid),
              gm_text(",'threadId':'%s'", id));
    assert_string_equal(text_at(v, "message.threadId"), id);
    assert_string_equal(thread_of(ADA, text_at(v, "message.id")), id);
    /* Saving it again without the thread removes it from there. */
    const char *draft_id = text_at(v, "id");
    const char *reply = gm_raw(gm_text("Subject: Re: Plan\nIn-Reply-To: %s\n\ny\n", mid));
    v = gm(ADA, "PUT", gm_text("/drafts/%s", draft_id), gm_text("{'message':{'raw':'%s'}}", reply));
    assert_string_equal(text_at(v, "message.threadId"), text_at(v, "message.id"));
    v = gm(ADA, "PUT", gm_text("/drafts/%s", draft_id),
           gm_text("{'message':{'raw':'%s','threadId':'%s'}}", reply, id));
    assert_string_equal(text_at(v, "message.threadId"), id);
    /* What the head of a new one names is of no account either. */
    v = draft(gm_text("Subject: Re: Plan\nIn-Reply-To: %s\n\nz\n", mid), "");
    assert_string_equal(text_at(v, "message.threadId"), text_at(v, "message.id"));
    gm(ADA, "POST", "/drafts", gm_text("{'message':{'raw':'%s','threadId':'1'}}", gm_raw(DRAFT)));
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void labels_of_a_draft_may_change(void **state)
{
    const struct json *v = draft(DRAFT, "");
    const char *message = text_at(v, "message.id");
    v = gm(ADA, "POST", gm_text("/messages/%s/modify", message), "{'addLabelIds':['INBOX']}");
    assert_string_equal(labels_of(v), "DRAFT INBOX");
    gm(ADA, "POST", gm_text("/messages/%s/trash", message), NULL);
    v = gm(ADA, "POST", gm_text("/messages/%s/untrash", message), NULL);
    assert_string_equal(labels_of(v), "DRAFT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(a_conversation_is_one_thread_on_both_sides),
        gm_test(lists_show_the_newest_message),
        gm_test(formats_hold_for_all_messages),
        gm_test(the_trash_answers_as_recorded),
        gm_test(a_change_of_a_thread_is_one_of_its_messages),
        gm_test(a_deleted_thread_is_gone),
        gm_test(pages_of_threads_fit_together),
        gm_test(create_answers_ids_and_label),
        gm_test(lists_are_newest_first),
        gm_test(get_has_the_message_in_a_format),
        gm_test(unknown_drafts_are_not_found),
        gm_test(a_draft_needs_a_message_but_no_recipient),
        gm_test(update_puts_another_message_in_its_place),
        gm_test(a_sent_draft_keeps_its_thread),
        gm_test(a_draft_may_change_as_it_is_sent),
        gm_test(a_draft_that_cannot_be_sent_stays),
        gm_test(deletion_of_a_draft_is_for_good),
        gm_test(a_draft_may_be_in_a_thread),
        gm_test(labels_of_a_draft_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
