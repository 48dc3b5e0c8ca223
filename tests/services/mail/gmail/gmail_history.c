/* SPDX-License-Identifier: Apache-2.0 */
/* What has changed: the history of a mailbox, and the notifications of a watch. */
#include "tests/support/gmail.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>

#define TEXT "From: bob@acme.example\nSubject: x\n\ny\n"

static const char *now_of(const char *who)
{
    return text_at(gm_get(who, 200, "/profile"), "historyId");
}

static const char *insert(const char *labels)
{
    return gm_insert(ADA, TEXT, gm_text(",'labelIds':[%s]", labels));
}

/* The kinds of records since then, one after the other. */
static const char *kinds_since(const char *since, const char *more)
{
    const struct json *v = gm_get(ADA, 200, "/history?startHistoryId=%s%s", since, more);
    const char *out = "";
    long last = atol(since);
    for (size_t i = 0; i < count_at(v, "history"); i++) {
        const struct json *record = value_at(v, gm_text("history.%zu", i));
        assert_int_equal(record->n, 3);
        assert_true(atol(text_at(record, "id")) > last);
        last = atol(text_at(record, "id"));
        out = gm_text("%s%s%s", out, i ? " " : "", record->members[2].key);
    }
    assert_true(atol(text_at(v, "historyId")) >= last);
    return out;
}

/* ---- history ---- */

static void a_message_that_came_is_one_record(void **state)
{
    const char *since = now_of(ADA), *id = insert("'INBOX','UNREAD'");
    const struct json *v = gm_get(ADA, 200, "/history?startHistoryId=%s", since);
    assert_answer("{'history':[{'id':'#','messages':[{'id':'@','threadId':'@'}],"
                  "'messagesAdded':[{'message':{'id':'@','threadId':'@',"
                  "'labelIds':['UNREAD','INBOX']}}]}],'historyId':'#'}");
    assert_string_equal(text_at(v, "history.0.messagesAdded.0.message.id"), id);
    assert_string_equal(text_at(v, "historyId"), now_of(ADA));
    assert_string_equal(text_at(v, "history.0.id"),
                        text_at(gm_get(ADA, 200, "/messages/%s", id), "historyId"));
}

static void changes_of_labels_are_listed_with_them(void **state)
{
    const char *id = insert("'INBOX'"), *since = now_of(ADA);
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'addLabelIds':['STARRED','UNREAD']}");
    gm_get(ADA, 200, "/history?startHistoryId=%s", since);
    assert_answer("{'history':[{'id':'#','messages':[{'id':'@','threadId':'@'}],"
                  "'labelsAdded':[{'message':{'id':'@','threadId':'@',"
                  "'labelIds':['UNREAD','STARRED','INBOX']},"
                  "'labelIds':['UNREAD','STARRED']}]}],'historyId':'#'}");
    since = now_of(ADA);
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'removeLabelIds':['UNREAD']}");
    gm_get(ADA, 200, "/history?startHistoryId=%s", since);
    assert_answer("{'history':[{'id':'#','messages':[{'id':'@','threadId':'@'}],"
                  "'labelsRemoved':[{'message':{'id':'@','threadId':'@',"
                  "'labelIds':['STARRED','INBOX']},'labelIds':['UNREAD']}]}],'historyId':'#'}");
    since = now_of(ADA);
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'removeLabelIds':['UNREAD']}");
    assert_string_equal(kinds_since(since, ""), "");
}

static void trash_is_a_change_of_labels_and_deletion_is_none(void **state)
{
    const char *id = insert("'INBOX'"), *since = now_of(ADA);
    gm(ADA, "POST", gm_text("/messages/%s/trash", id), NULL);
    const char *kinds = kinds_since(since, "");
    assert_null(strstr(kinds, "messages"));
    assert_non_null(strstr(kinds, "labelsAdded"));
    assert_non_null(strstr(kinds, "labelsRemoved"));
    since = now_of(ADA);
    gm(ADA, "DELETE", gm_text("/messages/%s", id), NULL);
    gm_get(ADA, 200, "/history?startHistoryId=%s", since);
    assert_answer("{'history':[{'id':'#','messages':[{'id':'@','threadId':'@'}],"
                  "'messagesDeleted':[{'message':{'id':'@','threadId':'@',"
                  "'labelIds':['TRASH']}}]}],'historyId':'#'}");
    gm_get(ADA, 404, "/messages/%s", id);
}

static void nothing_new_is_nothing_but_the_id(void **state)
{
    insert("'INBOX'");
    const char *now = now_of(ADA);
    gm_get(ADA, 200, "/history?startHistoryId=%s", now);
    assert_answer(gm_text("{'historyId':'%s'}", now));
}

static void kinds_and_labels_choose(void **state)
{
    const char *since = now_of(ADA), *id = insert("'INBOX'");
    insert("'STARRED'");
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'addLabelIds':['STARRED']}");
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'removeLabelIds':['INBOX']}");
    gm(ADA, "DELETE", gm_text("/messages/%s", id), NULL);
    assert_string_equal(kinds_since(since, ""),
                        "messagesAdded messagesAdded labelsAdded labelsRemoved messagesDeleted");
    assert_string_equal(kinds_since(since, "&historyTypes=messageAdded"),
                        "messagesAdded messagesAdded");
    assert_string_equal(
        kinds_since(since, "&historyTypes=labelRemoved&historyTypes=messageDeleted"),
        "labelsRemoved messagesDeleted");
    assert_string_equal(kinds_since(since, "&historyTypes=labelAdded&labelId=STARRED"),
                        "labelsAdded");
    assert_string_equal(kinds_since(since, "&historyTypes=messageAdded&labelId=STARRED"),
                        "messagesAdded");
    gm_get(ADA, 404, "/history?startHistoryId=%s&labelId=Label_9", since);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void a_start_is_wanted_and_must_be_one(void **state)
{
    static const char *const bad[] = {"", "?startHistoryId=", "?startHistoryId=x",
                                      "?startHistoryId=-1", "?startHistoryId=1.5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gm_get(ADA, 400, "/history%s", bad[i]);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                       "Missing/invalid parameter: startHistoryId");
    }
    gm_get(ADA, 404, "/history?startHistoryId=0");
    gm_get(ADA, 404, "/history?startHistoryId=18446744073709551615");
    gm_get(ADA, 404, "/history?startHistoryId=999999999");
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void pages_of_history_fit_together(void **state)
{
    const char *since = now_of(ADA), *token = "", *want = "", *got = "";
    for (int i = 0; i < 7; i++)
        want = gm_text("%s%s%s", want, i ? " " : "", insert("'INBOX'"));
    do {
        const struct json *v =
            gm_get(ADA, 200, "/history?startHistoryId=%s&maxResults=3%s", since, token);
        assert_true(count_at(v, "history") <= 3);
        got = gm_text("%s%s%s", got, *got ? " " : "",
                      column(v, "history", "messagesAdded.0.message.id"));
        assert_string_equal(text_at(v, "historyId"), now_of(ADA));
        token = text_at(v, "nextPageToken");
        token = token ? gm_text("&pageToken=%s", token) : NULL;
    } while (token);
    assert_string_equal(got, want);
}

static void a_mailbox_has_its_own_history(void **state)
{
    const char *bob = now_of(BOB), *ada = now_of(ADA);
    insert("'INBOX'");
    gm_get(BOB, 200, "/history?startHistoryId=%s", bob);
    assert_answer(gm_text("{'historyId':'%s'}", bob));
    gm_send(BOB, "To: ada@acme.example\nSubject: x\n\ny\n", "");
    assert_string_equal(kinds_since(ada, ""), "messagesAdded messagesAdded");
    const struct json *v = gm_get(ADA, 200, "/history?startHistoryId=%s", ada);
    assert_string_equal(labels_of(value_at(v, "history.1.messagesAdded.0.message")),
                        "CATEGORY_PERSONAL INBOX UNREAD");
}

static void a_saved_draft_is_another_message(void **state)
{
    const struct json *v =
        gm(ADA, "POST", "/drafts", gm_text("{'message':{'raw':'%s'}}", gm_raw("Subject: a\n\n")));
    const char *id = text_at(v, "id"), *since = now_of(ADA);
    gm(ADA, "PUT", gm_text("/drafts/%s", id),
       gm_text("{'message':{'raw':'%s'}}", gm_raw("Subject: b\n\n")));
    const char *kinds = kinds_since(since, "");
    assert_non_null(strstr(kinds, "messagesAdded"));
    assert_non_null(strstr(kinds, "messagesDeleted"));
}

/* ---- watch ---- */

#define TOPIC "projects/p1/topics/mail"

static const char PUBSUB[] =
    "pubsub_topics:\n"
    "  - name: projects/p1/topics/mail\n"
    "    subscriptions:\n"
    "      - {name: projects/p1/subscriptions/one, endpoint: \"http://localhost:9000/push?x=1\"}\n"
    "      - {name: projects/p1/subscriptions/two, endpoint: \"https://else.example/push\"}\n"
    "  - {name: projects/p1/topics/shut, closed: true}\n"
    "  - {name: projects/p1/topics/alone}\n";

static void use_topics(void)
{
    test_use(gm_text("%s%s", gm_people, PUBSUB));
}

static const struct json *watch(const char *more)
{
    return gm(ADA, "POST", "/watch", gm_text("{'topicName':'" TOPIC "'%s}", more));
}

/* The data of the message in the ith webhook. */
static const char *notified(size_t i)
{
    const struct json *box = test_outbox();
    const char *body = text_at(box, gm_text("%zu.payload.body", i));
    if (!body)
        return "";
    const char *data = strstr(body, "\"data\":\"");
    static char text[400];
    snprintf(text, sizeof text, "{\"data\":\"%.*s\"}", (int)strcspn(data + 8, "\""), data + 8);
    const struct json *v = NULL;
    static struct arena a;
    struct sosia_err err;
    arena_init(&a, 0);
    assert_int_equal(json_parse(&a, text, strlen(text), NULL, &v, &err), 0);
    const char *out = data_at(v, "data");
    arena_done(&a);
    return out;
}

static void a_watch_notifies_at_once(void **state)
{
    use_topics();
    const struct json *v = watch("");
    assert_answer("{'historyId':'#','expiration':'1796025600000'}");
    const struct json *box = test_outbox();
    assert_int_equal(count_at(box, ""), 2);
    assert_string_equal(text_at(box, "0.kind"), "webhook");
    assert_string_equal(text_at(box, "0.to"), "http://localhost:9000/push?x=1");
    assert_string_equal(text_at(box, "0.payload.method"), "POST");
    assert_string_equal(text_at(box, "0.payload.headers.Content-Type"), "application/json");
    assert_string_equal(text_at(box, "1.to"), "https://else.example/push");
    assert_string_equal(notified(0),
                        gm_text("{\"emailAddress\":\"ada@acme.example\",\"historyId\":%s}",
                                text_at(v, "historyId")));
    const char *body = text_at(box, "0.payload.body");
    assert_non_null(strstr(body, "\"subscription\":\"projects/p1/subscriptions/one\""));
    assert_non_null(strstr(body, "\"publishTime\":\"2026-11-23T08:00:00.000Z\""));
    assert_non_null(strstr(body, "\"messageId\":\""));
}

static size_t n_notified(void)
{
    return count_at(test_outbox(), "") / 2;
}

static void each_call_that_changes_something_is_notified(void **state)
{
    use_topics();
    watch("");
    const char *id = insert("'INBOX'");
    assert_int_equal(n_notified(), 2);
    assert_string_equal(
        notified(2),
        gm_text("{\"emailAddress\":\"ada@acme.example\",\"historyId\":%s}", now_of(ADA)));
    gm(ADA, "POST", gm_text("/messages/%s/trash", id), NULL);
    assert_int_equal(n_notified(), 3);
    gm_get(ADA, 200, "/messages");
    gm_send(BOB, "To: cyd@acme.example\n\nx\n", "");
    assert_int_equal(n_notified(), 3);
    gm_send(BOB, "To: ada@acme.example\n\nx\n", "");
    assert_int_equal(n_notified(), 4);
}

static void within_a_second_there_is_one_notification(void **state)
{
    use_topics();
    watch("");
    test_advance(10);
    insert("'INBOX'");
    assert_int_equal(n_notified(), 2);
    struct sosia_err err;
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 400000, &err), 0);
    insert("'INBOX'");
    assert_int_equal(n_notified(), 2);
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 600000, &err), 0);
    insert("'INBOX'");
    assert_int_equal(n_notified(), 3);
}

static void labels_choose_what_is_notified(void **state)
{
    use_topics();
    watch(",'labelIds':['STARRED'],'labelFilterBehavior':'include','labelFilterAction':'exclude'");
    insert("'INBOX'");
    assert_int_equal(n_notified(), 1);
    const char *id = insert("'STARRED'");
    assert_int_equal(n_notified(), 2);
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'removeLabelIds':['STARRED']}");
    assert_int_equal(n_notified(), 3);
    watch(",'labelIds':['STARRED'],'labelFilterAction':'exclude'");
    assert_int_equal(n_notified(), 4);
    insert("'STARRED'");
    assert_int_equal(n_notified(), 4);
    insert("'INBOX'");
    assert_int_equal(n_notified(), 5);
}

/* Cut off, the list would be empty, and the watch one of everything. */
static void a_watch_of_too_many_labels_is_refused(void **state)
{
    enum { N = 120000 };
    char *list = malloc(N * 8 + 20), *p = list + sprintf(list, ",'labelIds':[");
    for (int i = 0; i < N; i++)
        p += sprintf(p, "%s'TRASH'", i ? "," : "");
    strcpy(p, "]");
    use_topics();
    watch(list);
    free(list);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Too many labels");
    insert("'INBOX'");
    assert_int_equal(n_notified(), 0);
}

static void a_watch_ends(void **state)
{
    use_topics();
    watch("");
    gm(ADA, "POST", "/stop", NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(test_body, "");
    insert("'INBOX'");
    assert_int_equal(n_notified(), 1);
    gm(ADA, "POST", "/stop", NULL);
    assert_int_equal(test_status, 204);
    watch("");
    test_advance(6 * 86400);
    const struct json *v = watch("");
    assert_string_equal(text_at(v, "expiration"), "1796544000000");
    test_advance(2 * 86400);
    insert("'INBOX'");
    assert_int_equal(n_notified(), 4);
    test_advance(5 * 86400);
    insert("'INBOX'");
    assert_int_equal(n_notified(), 4);
}

static void topics_are_checked(void **state)
{
    static const char *const forms[] = {"mail",
                                        "projects/p1/topics/",
                                        "projects/p1/topic/mail",
                                        "projects//topics/mail",
                                        "projects/p1/topics/a b",
                                        "projects/p1/topics/mail/x",
                                        "projects/p1/topics/googx"};
    use_topics();
    gm(ADA, "POST", "/watch", "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "topicName required");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        gm(ADA, "POST", "/watch", gm_text("{'topicName':'%s'}", forms[i]));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                       "Invalid topicName does not match projects/sosia/topics/*");
    }
    gm(ADA, "POST", "/watch", "{'topicName':'projects/p1/topics/shut'}");
    assert_refused(403, "forbidden", "PERMISSION_DENIED",
                   "Error sending test message to Cloud PubSub projects/p1/topics/shut : User not "
                   "authorized to perform this action.");
    gm(ADA, "POST", "/watch", "{'topicName':'projects/p1/topics/none'}");
    assert_refused(404, "notFound", "NOT_FOUND",
                   "Error sending test message to Cloud PubSub projects/p1/topics/none : Resource "
                   "not found (resource=none).");
    watch("");
    gm(ADA, "POST", "/watch", "{'topicName':'projects/p1/topics/alone'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                   "Only one user push notification client allowed per developer (call /stop then "
                   "try again)");
    watch(",'labelIds':['nope']");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label: nope");
}

static void a_topic_without_subscriptions_keeps_its_messages(void **state)
{
    use_topics();
    gm(ADA, "POST", "/watch", "{'topicName':'projects/p1/topics/alone'}");
    assert_int_equal(test_status, 200);
    const struct json *box = test_outbox();
    assert_int_equal(count_at(box, ""), 1);
    assert_string_equal(text_at(box, "0.kind"), "pubsub");
    assert_string_equal(text_at(box, "0.to"), "projects/p1/topics/alone");
    assert_non_null(text_at(box, "0.payload.message.data"));
}

static void a_world_without_topics_has_every_topic(void **state)
{
    watch("");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(test_outbox(), "0.kind"), "pubsub");
}

static void topics_are_dumped(void **state)
{
    use_topics();
    const struct json *v = test_dump();
    assert_string_equal(column(v, "pubsub_topics", "name"),
                        "projects/p1/topics/alone projects/p1/topics/mail projects/p1/topics/shut");
    assert_string_equal(column(v, "pubsub_topics.1.subscriptions", "endpoint"),
                        "http://localhost:9000/push?x=1 https://else.example/push");
    assert_string_equal(members(v, "pubsub_topics.0"), "name");
    assert_string_equal(members(v, "pubsub_topics.2"), "name closed");
}

static void faults_of_topics_are_reported(void **state)
{
    static const char *const bad[] = {
        "pubsub_topics: [{name: mail}]",
        "pubsub_topics: [{}]",
        "pubsub_topics: [{name: projects/p/topics/aaa, closed: 1}]",
        "pubsub_topics: [{name: projects/p/topics/aaa}, {name: projects/p/topics/aaa}]",
        "pubsub_topics: [{name: projects/p/topics/aaa, subscriptions: [{name: x, endpoint: y}]}]",
        "pubsub_topics: [{name: projects/p/topics/aaa, subscriptions: [{name: "
        "projects/p/subscriptions/sss, endpoint: \"ftp://x\"}]}]",
        "pubsub_topics: {}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *doc = gm_text("%s%s\n", gm_people, bad[i]);
        struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
        struct sosia_err err;
        uint64_t world;
        if (sosia_world_create(test_engine, &opt, &world, &err) == 0)
            fail_msg("taken: %s", bad[i]);
        assert_non_null(strstr(err.text, "pubsub_topics"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(a_message_that_came_is_one_record),
        gm_test(changes_of_labels_are_listed_with_them),
        gm_test(trash_is_a_change_of_labels_and_deletion_is_none),
        gm_test(nothing_new_is_nothing_but_the_id),
        gm_test(kinds_and_labels_choose),
        gm_test(a_start_is_wanted_and_must_be_one),
        gm_test(pages_of_history_fit_together),
        gm_test(a_mailbox_has_its_own_history),
        gm_test(a_saved_draft_is_another_message),
        gm_test(a_watch_notifies_at_once),
        gm_test(each_call_that_changes_something_is_notified),
        gm_test(within_a_second_there_is_one_notification),
        gm_test(labels_choose_what_is_notified),
        gm_test(a_watch_of_too_many_labels_is_refused),
        gm_test(a_watch_ends),
        gm_test(topics_are_checked),
        gm_test(a_topic_without_subscriptions_keeps_its_messages),
        gm_test(a_world_without_topics_has_every_topic),
        gm_test(topics_are_dumped),
        gm_test(faults_of_topics_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
