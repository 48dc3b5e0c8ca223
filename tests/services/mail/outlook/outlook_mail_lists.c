/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: $filter, $orderby, $search and their restrictions, pages, and deltas. */
#include "tests/support/outlook.h"
#include <stdlib.h>

/* What is in Bob's mailbox, by subject. */
static void put_three(void)
{
    ol_send(CYD, BOB, "Pizza on Monday", "Shall we eat");
    test_advance(60);
    ol_send(CYD, BOB, "Budget", "The numbers of pizza");
    test_advance(60);
    ol_send(BOB, BOB, "Notes", "To myself");
}

static const char *found(const char *query)
{
    return column(ol_get(BOB, 200, "/mailFolders/inbox/messages?%s", query), "value", "subject");
}

static void refuses(const char *query, const char *code)
{
    ol(BOB, "GET", ol_text("/messages?%s", query), NULL);
    ol_refused(400, code, NULL);
}

static void filters_are_asked_of_indexes_and_of_messages(void **state)
{
    put_three();
    const char *id = ol_newest(BOB, "inbox");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id),
          "{'isRead':true,'categories':['Red'],'flag':{'flagStatus':'flagged'}}", 200);
    assert_string_equal(found(""), "Notes Budget Pizza on Monday");
    assert_string_equal(found("$filter=isRead%20eq%20false"), "Budget Pizza on Monday");
    assert_string_equal(found("$filter=isRead%20eq%20true"), "Notes");
    assert_string_equal(found("$filter=categories/any(c:c%20eq%20'Red')"), "Notes");
    assert_string_equal(found("$filter=categories/any(c:c%20eq%20'Blue')"), "");
    assert_string_equal(found("$filter=flag/flagStatus%20eq%20'flagged'"), "Notes");
    assert_string_equal(found("$filter=from/emailAddress/address%20eq%20'CYD@port.example'"),
                        "Budget Pizza on Monday");
    assert_string_equal(found("$filter=contains(subject,'izza')"), "Pizza on Monday");
    assert_string_equal(found("$filter=receivedDateTime%20ge%202026-11-23T08:01:00Z%20and%20"
                              "receivedDateTime%20lt%202026-11-23T08:02:00Z"),
                        "Budget");
    assert_string_equal(found("$filter=receivedDateTime%20ne%202026-11-23T08:01:00Z"),
                        "Notes Pizza on Monday");
    assert_string_equal(found("$orderby=receivedDateTime%20ASC"), "Pizza on Monday Budget Notes");
    assert_string_equal(found("$orderby=subject"), "Budget Notes Pizza on Monday");
    assert_string_equal(found("$filter=(isRead%20eq%20false%20AND%20parentFolderId%20eq%20'inbox')"
                              "&$orderby=receivedDateTime%20ASC"),
                        "Pizza on Monday Budget");
    assert_string_equal(found("$filter=subject%20eq%20'Notes'%20or%20subject%20eq%20'budget'"),
                        "Notes Budget");
    const struct json *v = ol_get(BOB, 200, "/messages?$filter=hasAttachments%%20eq%%20true");
    assert_int_equal(count_at(v, "value"), 0);
}

/* MG-47, 49, 338, 566 */
static void combinations_are_refused_as_measured(void **state)
{
    put_three();
    refuses("$filter=from/emailAddress/address%20eq%20'cyd@port.example'&$orderby="
            "receivedDateTime%20desc",
            "InefficientFilter");
    assert_string_equal(
        found("$filter=receivedDateTime%20ge%202020-01-01T00:00:00Z%20and%20from/emailAddress/"
              "address%20eq%20'cyd@port.example'&$orderby=receivedDateTime%20desc"),
        "Budget Pizza on Monday");
    refuses("$filter=toRecipients/any(r:r/emailAddress/address%20eq%20'x')",
            "ErrorInvalidUrlQueryFilter");
    refuses("$search=%22pizza%22&$orderby=receivedDateTime", "SearchWithOrderBy");
    refuses("$search=%22pizza%22&$filter=isRead%20eq%20true", "SearchWithFilter");
    ol(BOB, "GET", "/messages?$filter=isRead%20eq", NULL);
    assert_int_equal(test_status, 400);
    ol(BOB, "GET", "/messages?$select=nonsense", NULL);
    assert_int_equal(test_status == 400 || test_status == 200, true);
}

static void words_are_searched(void **state)
{
    put_three();
    assert_string_equal(found("$search=%22pizza%22"), "Budget Pizza on Monday");
    assert_string_equal(found("$search=%22subject:pizza%22"), "Pizza on Monday");
    assert_string_equal(found("$search=%22from:cyd%20AND%20body:numbers%22"), "Budget");
    assert_string_equal(found("$search=%22to:bob%22"), "Notes Budget Pizza on Monday");
    assert_string_equal(found("$search=%22hasAttachments:true%22"), "");
    ol(BOB, "GET", "/messages?$search=subject:pizza", NULL);
    assert_int_equal(test_status, 400);
}

static void pages_follow_each_other(void **state)
{
    put_three();
    const struct json *v = ol_get(BOB, 200, "/mailFolders/inbox/messages?%%24top=2&$count=true");
    assert_int_equal(count_at(v, "value"), 2);
    assert_int_equal(strtol(json_to_text(&test_arena, json_get(v, "@odata.count")), NULL, 10), 3);
    assert_string_equal(json_get_str(v, "@odata.nextLink"),
                        "https://graph.microsoft.com/v1.0/me/mailFolders('inbox')/messages?%24top="
                        "2&%24count=true&%24skip=2");
    v = ol_get(BOB, 200, "/mailFolders('inbox')/messages?%%24top=2&%%24skip=2");
    assert_string_equal(column(v, "value", "subject"), "Pizza on Monday");
    assert_null(json_get(v, "@odata.nextLink"));
    ol_get(BOB, 200, "/mailFolders/inbox/messages/$count");
    assert_string_equal(test_body, "3");
}

/* ---- what was written before ---- */

/* A member of the message as it is answered alone, and in a list; both twice. */
static const char *now(const char *id, const char *member)
{
    const char *said = NULL;
    for (int round = 0; round < 4; round++) {
        const char *at = round & 1 ? "/messages" : ol_text("/messages/%s", id);
        const struct json *v = ol_do(BOB, "GET", at, NULL, 200), *own = v;
        for (size_t i = 0; round & 1 && i < (size_t)count_at(v, "value"); i++)
            if (strcmp(json_get_str(&json_get(v, "value")->items[i], "id"), id) == 0)
                own = &json_get(v, "value")->items[i];
        const char *text = json_to_text(&test_arena, value_at(own, member));
        if (said)
            assert_string_equal(text, said);
        said = text;
    }
    return said;
}

static void a_message_is_written_as_it_is_now(void **state)
{
    put_three();
    const char *id = ol_newest(BOB, "inbox");
    assert_string_equal(now(id, "isRead"), "false");
    assert_string_equal(now(id, "categories"), "[]");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'isRead':true}", 200);
    assert_string_equal(now(id, "isRead"), "true");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id),
          "{'importance':'high','flag':{'flagStatus':'flagged'},'categories':['Red']}", 200);
    assert_string_equal(now(id, "importance"), "\"high\"");
    assert_string_equal(now(id, "flag.flagStatus"), "\"flagged\"");
    assert_string_equal(now(id, "categories"), "[\"Red\"]");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'categories':[]}", 200);
    assert_string_equal(now(id, "categories"), "[]");
    for (int round = 0; round < 2; round++) {
        const struct json *v = ol_get(BOB, 200, "/messages/%s?$select=subject", id);
        assert_int_equal(v->n, 4); /* context, etag, id, subject */
        v = ol_get(BOB, 200, "/messages?$select=id,conversationId&$top=1");
        assert_int_equal(json_get(v, "value")->items[0].n, 3);
    }
    const struct json *v =
        ol_do(BOB, "POST", "/messages", "{'subject':'One','body':{'content':'First'}}", 201);
    id = text_at(v, "id");
    assert_string_equal(now(id, "subject"), "\"One\"");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'subject':'Two','body':{'content':'Next'}}",
          200);
    assert_string_equal(now(id, "subject"), "\"Two\"");
    assert_string_equal(now(id, "bodyPreview"), "\"Next\"");
}

/* ---- deltas ---- */

/* The token of a link of the last answer, as the query of the next call. */
static const char *token_of(const struct json *v, const char *link)
{
    const char *url = json_get_str(v, link);
    assert_non_null(url);
    return strchr(url, '?');
}

#define DELTA "/mailFolders/inbox/messages/delta"

static void a_delta_says_what_has_changed(void **state)
{
    put_three();
    const struct json *v = ol_get(BOB, 200, DELTA "?$select=subject&$top=2");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(message)");
    assert_string_equal(members(v, "value.0"), "@odata.type @odata.etag id subject");
    assert_int_equal(count_at(v, "value"), 2);
    v = ol_get(BOB, 200, DELTA "%s", token_of(v, "@odata.nextLink"));
    assert_string_equal(column(v, "value", "subject"), "Pizza on Monday");
    const char *pizza = text_at(v, "value.0.id"), *token = token_of(v, "@odata.deltaLink");
    v = ol_get(BOB, 200, DELTA "%s", token);
    assert_int_equal(count_at(v, "value"), 0);
    ol_send(CYD, BOB, "New", "x");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", pizza), "{'isRead':true}", 200);
    v = ol_get(BOB, 200, DELTA "%s", token);
    assert_string_equal(column(v, "value", "subject"), "New Pizza on Monday");
    token = token_of(v, "@odata.deltaLink");
    ol_do(BOB, "DELETE", ol_text("/messages/%s", pizza), NULL, 204);
    v = ol_get(BOB, 200, DELTA "%s", token);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), pizza);
    assert_string_equal(printed_at(v, "value.0.@removed"), "{\"reason\":\"deleted\"}");
    ol(CYD, "GET", ol_text(DELTA "%s", token), NULL);
    ol_refused(410, "SyncStateNotFound", "The sync state generation is not found.");
    ol(BOB, "GET", DELTA "?$deltatoken=nonsense", NULL);
    ol_refused(410, "SyncStateNotFound", NULL);
    ol(BOB, "GET", ol_text("/mailFolders/drafts/messages/delta%s", token), NULL);
    ol_refused(410, "SyncStateNotFound", NULL);
}

/* A draft is one thing, however often it is saved. */
static void a_draft_in_a_delta_has_one_id(void **state)
{
    static const char at[] = "/mailFolders/drafts/messages/delta";
    const struct json *v = ol_get(BOB, 200, "%s()", at);
    const char *token = token_of(v, "@odata.deltaLink");
    v = ol_do(BOB, "POST", "/messages", "{'subject':'One'}", 201);
    const char *id = text_at(v, "id");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'subject':'Two'}", 200);
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'subject':'Three'}", 200);
    v = ol_get(BOB, 200, "%s%s", at, token);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), id);
    assert_string_equal(text_at(v, "value.0.subject"), "Three");
    token = token_of(v, "@odata.deltaLink");
    ol_do(BOB, "POST", ol_text("/messages/%s/permanentDelete", id), NULL, 204);
    v = ol_get(BOB, 200, "%s%s", at, token);
    assert_int_equal(count_at(v, "value"), 1);
}

/* A call with these permissions alone. */
static const struct json *with(const char *scopes, const char *target)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(BOB, scopes)},
                                           {"Host", "graph.microsoft.com"}};
    return test_request("GET", target, headers, 2, "", 0);
}

/* Of messages whose basics alone may be read there are no texts, though others have read them
 * before. */
static void basic_permissions_leave_out_what_is_said(void **state)
{
    static const char *const refused[] = {
        "?$search=%22pizza%22",
        "?$filter=contains(body/content,'eat')",
        "?$filter=contains(bodyPreview,'eat')",
        "?$orderby=bodyPreview",
        "?$expand=microsoft.graph.eventMessage/event",
        "?$expand=attachments",
        "?$expand=extensions($filter=id%20eq%20'x')",
        "?$filter=singleValueExtendedProperties/any(p:p/id%20eq%20'String%200x37'%20and%20p/value"
        "%20eq%20'x')"};
    put_three();
    const char *list = "/v1.0/me/messages?$top=1", *basic = "Mail.ReadBasic";
    for (int i = 0; i < 2; i++) {
        assert_non_null(value_at(with("Mail.Read", list), "value.0.body"));
        const struct json *v = with(basic, list);
        assert_string_equal(text_at(v, "value.0.subject"), "Notes");
        assert_null(value_at(v, "value.0.body"));
        assert_null(value_at(v, "value.0.bodyPreview"));
    }
    const char *one = ol_text("/v1.0/me/messages/%s?$select=subject,body,uniqueBody,bodyPreview",
                              ol_newest(BOB, "inbox"));
    const struct json *v = with(basic, one);
    assert_string_equal(members(v, ""), "@odata.context @odata.etag id subject");
    v = with("Mail.ReadBasic Mail.Read", one);
    assert_non_null(value_at(v, "uniqueBody"));
    for (size_t i = 0; i < SOSIA_LEN(refused); i++) {
        with(basic, ol_text("/v1.0/me/messages%s", refused[i]));
        ol_refused(403, "ErrorAccessDenied", NULL);
    }
    v = with(basic, "/v1.0/me/mailFolders/inbox/messages/delta");
    assert_null(value_at(v, "value.0.body"));
    with("Mail.ReadBasic.All", list);
    assert_int_equal(test_status, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(filters_are_asked_of_indexes_and_of_messages),
        ol_test(combinations_are_refused_as_measured),
        ol_test(words_are_searched),
        ol_test(pages_follow_each_other),
        ol_test(a_message_is_written_as_it_is_now),
        ol_test(a_delta_says_what_has_changed),
        ol_test(a_draft_in_a_delta_has_one_id),
        ol_test(basic_permissions_leave_out_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
