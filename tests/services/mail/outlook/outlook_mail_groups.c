/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: conversations of groups, which are the mail that comes to their addresses. */
#include "tests/support/outlook.h"

#define CREW            "9a000000-0000-4000-8000-000000000001"
#define QUIET           "9a000000-0000-4000-8000-000000000002"
#define GUARD           "9a000000-0000-4000-8000-000000000003"
#define OPEN            "9a000000-0000-4000-8000-000000000004"
#define OF(group, rest) "!/v1.0/groups/" group rest
#define POST(text)      "{'body':{'contentType':'html','content':'" text "'}}"

static const char groups[] =
    "groups:\n"
    "  - {email: crew@port.example, name: Crew, members: [bob@port.example, cyd@port.example, "
    "ada@acme.example]}\n"
    "  - {email: quiet@port.example, name: Quiet, members: [cyd@port.example]}\n"
    "  - {email: guard@port.example, name: Guard, members: [bob@port.example]}\n"
    "  - {email: open@port.example, name: Open, members: [cyd@port.example]}\n"
    "microsoftUsers: [{actor: ada@acme.example, tenant: port.example, type: guest}]\n"
    "microsoftGroups:\n"
    "  - {group: open@port.example, id: " OPEN "}\n"
    "  - {group: crew@port.example, id: " CREW "}\n"
    "  - {group: quiet@port.example, id: " QUIET ", visibility: Private}\n"
    "  - {group: guard@port.example, id: " GUARD ", unified: false, security: true}\n"
    "groupPosts:\n"
    "  - {group: quiet@port.example, id: '7', from: cyd@port.example, subject: Hush, text: Not a "
    "word, at: 2026-11-20T08:00:00Z}\n"
    "  - {group: quiet@port.example, thread: '7', from: ada@acme.example, subject: 'Re: Hush', "
    "html: '<b>Why</b>', at: 2026-11-21T08:00:00Z}\n";

static int use_groups(void **state)
{
    ol_open(state);
    test_use(ol_text("%s%s", ol_people, groups));
    return 0;
}
#define TEST(f) cmocka_unit_test_setup_teardown(f, use_groups, ol_close)

static const char *dumped(void)
{
    return json_to_text(&test_arena, test_dump());
}

static const char *kept(const char *text)
{
    assert_non_null(text);
    return ol_text("%s", text);
}

/* The one thread of the crew's. */
static const char *only_thread(void)
{
    const struct json *v = ol_do(BOB, "GET", OF(CREW, "/threads"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    return kept(text_at(v, "value.0.id"));
}

static const char *posts_of(const char *thread, const char *query)
{
    const struct json *v =
        ol_do(BOB, "GET", ol_text(OF(CREW, "/threads/%s/posts%s"), thread, query), NULL, 200);
    return column(v, "value", "from.emailAddress.address");
}

/* One of security alone has an address in the world's terms, and nobody has it for mail. */
static void mail_to_a_group_without_mail_comes_back(void **state)
{
    (void)state;
    test_use(
        ol_text("%s%s", ol_people,
                "groups:\n"
                "  - {email: keys@port.example, name: Keys, members: [cyd@port.example]}\n"
                "microsoftGroups:\n"
                "  - {group: keys@port.example, unified: false, security: true, mail: false}\n"));
    ol_send(BOB, "keys@port.example", "Which one", "x");
    const struct json *v = ol_do(CYD, "GET", "/messages", NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_do(BOB, "GET", "/mailFolders/inbox/messages", NULL, 200);
    assert_string_equal(column(v, "value", "subject"), "Undeliverable: Which one");
    assert_string_equal(text_at(v, "value.0.from.emailAddress.name"), "Microsoft Outlook");
    assert_string_equal(text_at(v, "value.0.from.emailAddress.address"),
                        "MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@port.example");
    assert_non_null(strstr(text_at(v, "value.0.bodyPreview"),
                           "Delivery has failed to these recipients or groups:"));
    /* Programs know a report by its service's own header. */
    v = ol_get(BOB, 200, "/messages/%s?$select=internetMessageHeaders", text_at(v, "value.0.id"));
    const char *heads = json_to_text(&test_arena, v);
    assert_non_null(strstr(heads, "{\"name\":\"X-MS-Exchange-Message-Is-Ndr\",\"value\":\"\"}"));
    assert_null(strstr(heads, "X-Failed-Recipients"));
    ol_do(BOB, "POST", "/events",
          "{'subject':'Keys','start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},'end':{"
          "'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'},'attendees':[{'emailAddress':{"
          "'address':'keys@port.example'}}]}",
          201);
    v = ol_do(CYD, "GET", "/events", NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    /* A file is shared with it, and nobody gets a letter, in the world or beyond. */
    ol_do(BOB, "POST", "!/v1.0/me/drive/root/children", "{'name':'F','folder':{}}", 201);
    ol_do(BOB, "POST", "!/v1.0/me/drive/root:/F:/invite",
          "{'recipients':[{'email':'keys@port.example'}],'roles':['read'],'sendInvitation':true,"
          "'requireSignIn':true}",
          200);
    v = ol_do(CYD, "GET", "/messages", NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    struct sosia_blob sent;
    assert_int_equal(sosia_outbox_list(test_engine, test_world, 0, 0, &sent, &test_err), 0);
    assert_null(strstr(sent.data, "no-reply@sharepointonline.com"));
    sosia_blob_free(&sent);
}

/* A document may put groups into each other, which the service does not. */
static void mail_to_a_group_comes_to_the_groups_in_it(void **state)
{
    test_use(ol_text("%s%s%s", ol_people,
                     "groups:\n"
                     "  - {email: all@port.example, name: All, members: [crew@port.example, "
                     "quiet@port.example]}\n"
                     "  - {email: quiet@port.example, name: Quiet, members: [all@port.example, "
                     "crew@port.example]}\n"
                     "  - {email: crew@port.example, name: Crew, members: [bob@port.example, "
                     "cyd@port.example]}\n",
                     "microsoftGroups:\n"
                     "  - {group: crew@port.example, id: " CREW "}\n"
                     "  - {group: quiet@port.example, id: " QUIET "}\n"
                     "  - {group: all@port.example, id: " GUARD ", unified: false, security: "
                     "true}\n"));
    ol_send(BOB, "all@port.example", "Lunch", "Who comes along?");
    assert_string_equal(posts_of(only_thread(), ""), "bob@port.example");
    const struct json *v = ol_do(CYD, "GET", OF(QUIET, "/threads"), NULL, 200);
    assert_string_equal(column(v, "value", "topic"), "Lunch");
    v = ol_do(CYD, "GET", "/mailFolders/inbox/messages?$select=subject", NULL, 200);
    assert_string_equal(column(v, "value", "subject"), "Lunch"); /* once */
}

static void mail_to_a_group_is_a_conversation(void **state)
{
    const struct json *v = ol_do(BOB, "GET", OF(CREW, "/conversations"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    ol_send(BOB, "crew@port.example", "Lunch", "Who comes along?");
    v = ol_do(BOB, "GET", OF(CREW, "/conversations"), NULL, 200);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#groups('" CREW
                        "')/conversations");
    assert_string_equal(members(v, "value.0"),
                        "id topic hasAttachments lastDeliveredDateTime uniqueSenders preview");
    assert_string_equal(text_at(v, "value.0.topic"), "Lunch");
    assert_string_equal(text_at(v, "value.0.preview"), "Who comes along?");
    assert_string_equal(text_at(v, "value.0.lastDeliveredDateTime"), "2026-11-23T08:00:00Z");
    const char *conversation = kept(text_at(v, "value.0.id"));
    const char *thread = only_thread();
    assert_true(strlen(thread) > strlen(conversation));
    /* A member answers by mail, from the mailbox. */
    test_advance(60);
    ol_do(CYD, "POST", ol_text("/messages/%s/replyAll", ol_newest(CYD, "inbox")),
          "{'comment':'Me'}", 202);
    assert_string_equal(posts_of(thread, ""), "bob@port.example cyd@port.example");
    v = ol_do(BOB, "GET", ol_text(OF(CREW, "/conversations/%s/threads"), conversation), NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.lastDeliveredDateTime"), "2026-11-23T08:01:00Z");
    assert_string_equal(text_at(v, "value.0.toRecipients.1.emailAddress.address"),
                        "crew@port.example");
    v = ol_do(BOB, "GET",
              ol_text(OF(CREW, "/conversations/%s/threads/%s/posts?$expand=inReplyTo"),
                      conversation, thread),
              NULL, 200);
    assert_string_equal(text_at(v, "value.1.inReplyTo.id"), text_at(v, "value.0.id"));
    assert_string_equal(text_at(v, "value.1.conversationId"), conversation);
    assert_string_equal(text_at(v, "value.1.conversationThreadId"), thread);
    /* Mail about something else is another conversation, the newest one first. */
    test_advance(60);
    ol_send(BOB, "crew@port.example", "Tea", "At four");
    v = ol_do(BOB, "GET", OF(CREW, "/conversations?$select=topic"), NULL, 200);
    assert_string_equal(column(v, "value", "topic"), "Tea Lunch");
    v = ol_do(BOB, "GET", OF(CREW, "/threads?$filter=topic%20eq%20'Lunch'"), NULL, 200);
    assert_string_equal(column(v, "value", "topic"), "Lunch");
    v = ol_do(BOB, "GET", OF(CREW, "/threads?$top=1"), NULL, 200);
    assert_string_equal(column(v, "value", "topic"), "Tea");
    const char *next = strstr(json_get_str(v, "@odata.nextLink"), "/v1.0/");
    v = ol_do(BOB, "GET", ol_text("!%s", next), NULL, 200);
    assert_string_equal(column(v, "value", "topic"), "Lunch");
}

static void what_is_posted_goes_to_members_as_mail(void **state)
{
    const struct json *v = ol_do(
        BOB, "POST", OF(CREW, "/threads"),
        "{'topic':'Plans','posts':[{'body':{'contentType':'html','content':'<b>Where to</b>'},"
        "'newParticipants':[{'emailAddress':{'name':'Eve','address':'eve@far.example'}}],"
        "'attachments':[{'@odata.type':'#microsoft.graph.fileAttachment','name':'a.txt',"
        "'contentBytes':'aGVsbG8='}]}]}",
        201);
    assert_string_equal(members(v, ""), "@odata.context id");
    const char *thread = kept(text_at(v, "id"));
    assert_string_equal(thread, only_thread());
    const char *letter = ol_newest(CYD, "inbox");
    v = ol_get(CYD, 200, "/messages/%s", letter);
    assert_string_equal(text_at(v, "subject"), "Plans");
    assert_string_equal(text_at(v, "from.emailAddress.address"), BOB);
    assert_string_equal(text_at(v, "toRecipients.0.emailAddress.address"), "crew@port.example");
    assert_int_equal(count_at(ol_get(BOB, 200, "/mailFolders/inbox/messages"), "value"), 0);
    v = ol_do(BOB, "GET", ol_text(OF(CREW, "/threads/%s/posts?$expand=attachments"), thread), NULL,
              200);
    assert_true(json_is_true(value_at(v, "value.0.hasAttachments")));
    assert_string_equal(text_at(v, "value.0.attachments.0.name"), "a.txt");
    assert_string_equal(text_at(v, "value.0.attachments.0.contentBytes"), "aGVsbG8=");
    assert_string_equal(text_at(v, "value.0.newParticipants.0.emailAddress.address"),
                        "eve@far.example");
    assert_non_null(strstr(text_at(v, "value.0.body.content"), "<b>Where to</b>"));
    const char *post = kept(text_at(v, "value.0.id"));
    v = ol_do(BOB, "GET", ol_text(OF(CREW, "/threads/%s/posts/%s/attachments"), thread, post), NULL,
              200);
    assert_string_equal(column(v, "value", "name"), "a.txt");
    /* Answers are in the thread, and in one conversation with the letters. */
    ol_do(CYD, "POST", ol_text(OF(CREW, "/threads/%s/reply"), thread),
          "{'post':" POST("To sea") "}", 202);
    ol_do(BOB, "POST", ol_text(OF(CREW, "/threads/%s/posts/%s/reply"), thread, post),
          "{'post':" POST("Or home") "}", 202);
    assert_string_equal(posts_of(thread, ""), "bob@port.example cyd@port.example bob@port.example");
    v = ol_get(BOB, 200, "/mailFolders/inbox/messages?$select=subject");
    assert_string_equal(column(v, "value", "subject"), "RE: Plans");
    v = ol_do(BOB, "GET", ol_text(OF(CREW, "/threads/%s"), thread), NULL, 200);
    assert_string_equal(text_at(v, "topic"), "Plans");
    assert_string_equal(text_at(v, "uniqueSenders.1"), "Cyd");
    assert_true(json_is_true(value_at(v, "hasAttachments")));
    ol_do(BOB, "POST", ol_text(OF(CREW, "/threads/%s/posts/%s/forward"), thread, post),
          "{'comment':'See','toRecipients':[{'emailAddress':{'address':'bob@port.example'}}]}",
          200);
    v = ol_get(BOB, 200, "/messages/%s?$expand=attachments", ol_newest(BOB, "inbox"));
    assert_string_equal(text_at(v, "subject"), "FW: Plans");
    assert_string_equal(text_at(v, "attachments.0.name"), "a.txt");
    assert_non_null(strstr(text_at(v, "body.content"), "<b>Where to</b>"));
    assert_true(strstr(text_at(v, "body.content"), "See") <
                strstr(text_at(v, "body.content"), "<b>Where to</b>"));
    /* The other vendor's member has the letter, too. */
    const struct sosia_header ada[] = {{"Authorization", test_bearer(ADA, NULL)}};
    test_request("GET", "/gmail/v1/users/me/messages?q=subject:plans", ada, 1, "", 0);
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(test_body, "threadId"));
}

static void conversations_have_threads_that_can_be_locked(void **state)
{
    const struct json *v =
        ol_do(BOB, "POST", OF(CREW, "/conversations"),
              "{'topic':'Ropes','threads':[{'posts':[" POST("New ones") "]}]}", 201);
    const char *conversation = kept(text_at(v, "id")), *first = kept(text_at(v, "threads.0.id"));
    test_advance(60);
    v = ol_do(BOB, "POST", ol_text(OF(CREW, "/conversations/%s/threads"), conversation),
              "{'posts':[" POST("Thick ones") "]}", 201);
    const char *second = kept(text_at(v, "id"));
    v = ol_do(BOB, "GET", OF(CREW, "/conversations?$expand=threads($select=id)"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.threads.0.id"), second);
    assert_string_equal(text_at(v, "value.0.threads.1.id"), first);
    v = ol_do(BOB, "PATCH", ol_text(OF(CREW, "/threads/%s"), first), "{'isLocked':true}", 200);
    assert_true(json_is_true(value_at(v, "isLocked")));
    assert_string_equal(text_at(v, "id"), first);
    ol(CYD, "POST", ol_text(OF(CREW, "/threads/%s/reply"), first), "{'post':" POST("No") "}");
    ol_refused(403, "ErrorAccessDenied", NULL);
    v = ol_do(BOB, "GET", ol_text(OF(CREW, "/threads/%s?$select=isLocked"), first), NULL, 200);
    assert_true(json_is_true(value_at(v, "isLocked")));
    ol_do(BOB, "DELETE", ol_text(OF(CREW, "/threads/%s"), second), NULL, 204);
    ol_do(BOB, "GET", ol_text(OF(CREW, "/threads/%s"), second), NULL, 404);
    ol_do(BOB, "DELETE", ol_text(OF(CREW, "/conversations/%s"), conversation), NULL, 204);
    ol_do(BOB, "GET", ol_text(OF(CREW, "/conversations/%s"), conversation), NULL, 404);
    v = ol_do(BOB, "GET", OF(CREW, "/threads"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
}

static const struct json *topics(const char *query)
{
    return ol_do(BOB, "GET", ol_text("!/v1.0/groups/" CREW "/%s", query), NULL, 200);
}

/* Seeded: c has two threads, of which the older one was begun first; posts are not in the order of
 * their times. */
static void lists_are_newest_first_and_have_pages(void **state)
{
    test_use(ol_text(
        "%s%s  - {group: crew@port.example, id: '20', from: bob@port.example, subject: A, text: a, "
        "at: 2026-11-22T08:00:00Z}\n"
        "  - {group: crew@port.example, id: '30', from: cyd@port.example, subject: B, text: b, at: "
        "2026-11-22T07:00:00Z}\n"
        "  - {group: crew@port.example, id: '40', from: cyd@port.example, subject: C, text: new, "
        "at: 2026-11-22T06:00:00Z}\n"
        "  - {group: crew@port.example, thread: '40', from: bob@port.example, text: old, at: "
        "2026-11-22T01:00:00Z}\n"
        "  - {group: crew@port.example, id: '50', conversation: '40', from: bob@port.example, "
        "subject: D, text: d, at: 2026-11-22T09:00:00Z}\n",
        ol_people, groups));
    const struct json *v = topics("conversations");
    assert_string_equal(column(v, "value", "topic"), "C A B");
    assert_string_equal(column(v, "value", "preview"), "d a b");
    assert_string_equal(text_at(v, "value.0.uniqueSenders.0"), "Bob");
    assert_string_equal(text_at(v, "value.0.uniqueSenders.1"), "Cyd");
    assert_int_equal(count_at(v, "value.0.uniqueSenders"), 2);
    assert_string_equal(column(topics("conversations?$top=1&$skip=1"), "value", "topic"), "A");
    assert_string_equal(
        column(topics("conversations?$filter=topic%20ne%20'A'&$skip=1"), "value", "topic"), "B");
    assert_string_equal(column(topics("threads"), "value", "topic"), "D A B C");
    v = topics("threads?$skip=3");
    assert_string_equal(column(v, "value", "preview"), "new");
    const char *thread = kept(text_at(v, "value.0.id"));
    assert_string_equal(posts_of(thread, "?$skip=1"), "bob@port.example");
    assert_string_equal(posts_of(thread, "?$top=1"), "cyd@port.example");
    v = topics(ol_text("threads/%s/posts?$filter=hasAttachments%%20eq%%20false&$skip=1", thread));
    assert_string_equal(column(v, "value", "from.emailAddress.address"), "bob@port.example");
    v = topics("conversations?$top=1&$expand=threads($select=topic)");
    assert_string_equal(column(v, "value.0.threads", "topic"), "D C");
    v = topics("conversations?$top=1&$expand=threads($select=topic;$expand=posts($select=id))");
    assert_int_equal(count_at(v, "value.0.threads.1.posts"), 2);
}

/* A letter to several groups is kept once. */
static void what_groups_keep_is_there_once(void **state)
{
    uint64_t other;
    ol_do(BOB, "POST", "/sendMail",
          "{'message':{'subject':'All','body':{'content':'x'},'toRecipients':[{'emailAddress':{"
          "'address':'crew@port.example'}},{'emailAddress':{'address':'open@port.example'}}]}}",
          202);
    const char *thread = only_thread();
    assert_int_equal(test_import_changed(NULL, &other), 0);
    assert_int_equal(test_import_changed("delete from blob where refs = 2", &other), -1);
    ol_do(BOB, "DELETE", ol_text(OF(CREW, "/threads/%s"), thread), NULL, 204);
    assert_int_equal(test_import_changed("update outlook_post set raw = 99", &other), -1);
    const struct json *v = ol_do(CYD, "GET", OF(OPEN, "/threads"), NULL, 200);
    assert_string_equal(column(v, "value", "preview"), "x");
}

static void numbers_of_threads_are_one_group_s(void **state)
{
    static const char *const said[] = {"id: '7'", "id: '8', thread: '7'",
                                       "id: '8', conversation: '7'"};
    for (size_t i = 0; i < SOSIA_LEN(said); i++) {
        const char *doc = ol_text(
            "sosia: 1\ngroupPosts: [{group: crew@port.example, from: bob@port.example, %s}]",
            said[i]);
        assert_int_equal(
            sosia_world_seed(test_engine, test_world, doc, strlen(doc), NULL, &test_err), -1);
        assert_non_null(strstr(test_err.text, "is that of another group's thread"));
    }
}

static void an_answer_to_a_locked_thread_knows_what_it_answers(void **state)
{
    ol_send(BOB, "crew@port.example", "Lunch", "Who comes along?");
    const char *thread = only_thread();
    test_advance(60);
    ol_do(BOB, "PATCH", ol_text(OF(CREW, "/threads/%s"), thread), "{'isLocked':true}", 200);
    ol_do(CYD, "POST", ol_text("/messages/%s/replyAll", ol_newest(CYD, "inbox")),
          "{'comment':'Me'}", 202);
    const struct json *v = topics("threads");
    assert_int_equal(count_at(v, "value"), 2);
    v = topics(ol_text("threads/%s/posts?$expand=inReplyTo", text_at(v, "value.0.id")));
    assert_string_equal(text_at(v, "value.0.inReplyTo.conversationThreadId"), thread);
}

static void a_private_group_s_posts_are_its_members(void **state)
{
    const struct json *v = ol_do(CYD, "GET", OF(QUIET, "/threads"), NULL, 200);
    assert_string_equal(column(v, "value", "topic"), "Hush");
    const char *thread = kept(text_at(v, "value.0.id"));
    v = ol_do(CYD, "GET", ol_text(OF(QUIET, "/threads/%s/posts"), thread), NULL, 200);
    assert_string_equal(column(v, "value", "sender.emailAddress.address"),
                        "cyd@port.example ada@acme.example");
    ol(BOB, "GET", OF(QUIET, "/threads"), NULL);
    ol_refused(403, "ErrorAccessDenied", NULL);
    ol(BOB, "POST", OF(QUIET, "/threads"), "{'topic':'x','posts':[" POST("x") "]}");
    ol_refused(403, "ErrorAccessDenied", NULL);
    ol(BOB, "GET", OF(GUARD, "/threads"), NULL);
    ol_refused(404, "MailboxNotEnabledForRESTAPI", NULL);
    ol(BOB, "GET", OF("9a000000-0000-4000-8000-00000000ffff", "/threads"), NULL);
    ol_refused(404, "ErrorInvalidGroup", NULL);
    /* What is public is not for guests, who see what they are in. */
    ol_do(BOB, "GET", OF(OPEN, "/threads"), NULL, 200);
    ol(ADA, "GET", OF(OPEN, "/threads"), NULL);
    ol_refused(403, "ErrorAccessDenied", NULL);
    ol_do(ADA, "GET", OF(CREW, "/threads"), NULL, 200);
    /* Ids of another group, and of none. */
    ol(CYD, "GET", ol_text(OF(CREW, "/threads/%s"), thread), NULL);
    ol_refused(400, "ErrorInvalidIdMalformed", NULL);
    ol(CYD, "GET", OF(CREW, "/threads/abc/posts"), NULL);
    ol_refused(400, "ErrorInvalidIdMalformed", NULL);
    ol(CYD, "POST", OF(CREW, "/threads"), "{'topic':'x'}");
    ol_refused(400, "ErrorInvalidArgument", NULL);
    ol(CYD, "POST", OF(CREW, "/conversations"),
       "{'topic':'x','threads':[{'posts':[{"
       "'newParticipants':[{'emailAddress':{'address':"
       "'none'}}]}]}]}");
    ol_refused(400, "ErrorInvalidArgument", NULL);
    v = ol_do(CYD, "GET", OF(CREW, "/threads"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    const struct sosia_header basic[] = {{"Host", "graph.microsoft.com"},
                                         {"Authorization", test_bearer(CYD, "Group.Read.All")},
                                         {"Content-Type", "application/json"}};
    const char *body = quoted("{'topic':'x','posts':[" POST("x") "]}");
    test_request("POST", "/v1.0/groups/" CREW "/threads", basic, 3, body, strlen(body));
    assert_int_equal(test_status, 403);
    test_request("GET", "/v1.0/groups/" CREW "/threads", basic, 3, "", 0);
    assert_int_equal(test_status, 200);
}

static void a_dump_has_posts_and_a_group_takes_them_along(void **state)
{
    ol_send(BOB, "crew@port.example", "Lunch", "Who comes along?");
    const char *thread = only_thread();
    const char *before = dumped();
    assert_non_null(strstr(before, "\"groupPosts\""));
    test_use(kept(before));
    assert_string_equal(dumped(), before);
    assert_string_equal(only_thread(), thread);
    assert_string_equal(posts_of(thread, ""), "bob@port.example");
    const struct json *v = ol_do(CYD, "GET", OF(QUIET, "/threads"), NULL, 200);
    assert_string_equal(text_at(v, "value.0.preview"), "Why");
    ol_do(BOB, "DELETE", OF(CREW, ""), NULL, 204);
    assert_null(strstr(dumped(), "\"topic\":\"Lunch\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mail_to_a_group_is_a_conversation),
        TEST(mail_to_a_group_comes_to_the_groups_in_it),
        TEST(mail_to_a_group_without_mail_comes_back),
        TEST(what_is_posted_goes_to_members_as_mail),
        TEST(conversations_have_threads_that_can_be_locked),
        TEST(lists_are_newest_first_and_have_pages),
        TEST(what_groups_keep_is_there_once),
        TEST(numbers_of_threads_are_one_group_s),
        TEST(an_answer_to_a_locked_thread_knows_what_it_answers),
        TEST(a_private_group_s_posts_are_its_members),
        TEST(a_dump_has_posts_and_a_group_takes_them_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
