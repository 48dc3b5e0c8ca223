/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: messages and folders, drafts, sending and answering, attachments, and mail between
 * Google's people and Microsoft's. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"

#define MEMBERS                                                                                    \
    "@odata.context @odata.etag id createdDateTime lastModifiedDateTime changeKey categories "     \
    "receivedDateTime sentDateTime hasAttachments internetMessageId subject bodyPreview "          \
    "importance parentFolderId conversationId conversationIndex isDeliveryReceiptRequested "       \
    "isReadReceiptRequested isRead isDraft webLink inferenceClassification body "
#define PEOPLE "toRecipients ccRecipients bccRecipients replyTo flag"

static const struct json *draft(const char *subject)
{
    return ol_do(BOB, "POST", "/messages",
                 ol_text("{'subject':'%s','body':{'contentType':'text','content':'This is a test'},"
                         "'toRecipients':[{'emailAddress':{'address':'cyd@port.example'}}]}",
                         subject),
                 201);
}

static void a_draft_is_answered_as_recorded(void **state)
{
    const struct json *v = draft("Test");
    assert_string_equal(members(v, ""), MEMBERS PEOPLE);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#users('bob%40port.example')/"
                        "messages/$entity");
    assert_string_equal(text_at(v, "createdDateTime"), "2026-11-23T08:00:00Z");
    assert_string_equal(text_at(v, "body.contentType"), "text");
    assert_string_equal(text_at(v, "body.content"), "This is a test");
    assert_string_equal(text_at(v, "bodyPreview"), "This is a test");
    assert_string_equal(printed_at(v, "toRecipients"),
                        "[{\"emailAddress\":{\"name\":\"cyd@port.example\",\"address\":"
                        "\"cyd@port.example\"}}]");
    assert_string_equal(printed_at(v, "flag"), "{\"flagStatus\":\"notFlagged\"}");
    assert_true(true_at(v, "isDraft") && true_at(v, "isRead"));
    assert_string_equal(printed_at(v, "isDeliveryReceiptRequested"), "false");
    assert_non_null(
        strstr(test_header("Location"),
               ol_text("/v1.0/users('bob@port.example')/messages('%s')", text_at(v, "id"))));
    assert_string_equal(
        test_header("Content-Type"),
        "application/json; odata.metadata=minimal; odata.streaming=true; IEEE754Compatible=false; "
        "charset=utf-8");
    const char *id = text_at(v, "id"), *key = text_at(v, "changeKey");
    assert_int_equal(strlen(id), 152);
    assert_int_equal(strncmp(id, "AAMk", 4), 0);
    assert_int_equal(strncmp(key, "CQAAABYAAA", 10), 0);
    assert_string_equal(json_get_str(v, "@odata.etag"), ol_text("W/\"%s\"", key));
    v = ol_get(BOB, 200, "/messages/%s?$select=subject", id);
    assert_string_equal(members(v, ""), "@odata.context @odata.etag id subject");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#users('bob%40port.example')/"
                        "messages(subject)/$entity");
    ol_get(BOB, 200, "/messages/%s/$value", id);
    assert_non_null(strstr(test_body, "Subject: Test\r\nThread-Topic: Test\r\nThread-Index: "));
    assert_non_null(strstr(test_body, "\r\n\r\nThis is a test"));
}

/* A draft's id stays while it is changed; its etag does not. */
static void a_draft_keeps_its_id(void **state)
{
    const char *id = text_at(draft("One"), "id"), *folder;
    const struct json *v = ol_get(BOB, 200, "/messages/%s", id);
    const char *etag = json_get_str(v, "@odata.etag");
    folder = text_at(v, "parentFolderId");
    v = ol_do(BOB, "PATCH", ol_text("/messages/%s", id),
              "{'subject':'Two','categories':['Red','Blue'],'importance':'high'}", 200);
    assert_string_equal(text_at(v, "id"), id);
    assert_string_equal(text_at(v, "subject"), "Two");
    assert_string_equal(text_at(v, "parentFolderId"), folder);
    assert_string_equal(printed_at(v, "categories"), "[\"Red\",\"Blue\"]");
    assert_string_equal(text_at(v, "importance"), "high");
    assert_string_not_equal(json_get_str(v, "@odata.etag"), etag);
    v = ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'subject':'Three'}", 200);
    assert_string_equal(printed_at(v, "categories"), "[\"Red\",\"Blue\"]");
    assert_string_equal(text_at(v, "importance"), "high");
    ol_if_match = etag;
    ol(BOB, "PATCH", ol_text("/messages/%s", id), "{'subject':'Four'}");
    ol_refused(412, "ErrorIrresolvableConflict", NULL);
    ol_if_match = NULL;
    assert_string_equal(text_at(ol_get(BOB, 200, "/messages/%s", id), "subject"), "Three");
    assert_int_equal(count_at(ol_get(BOB, 200, "/messages"), "value"), 1);
}

/* MG-620. */
static void reading_a_message_leaves_its_etag(void **state)
{
    ol_send(CYD, BOB, "Hello", "Dear Bob");
    const char *id = ol_newest(BOB, "inbox");
    const struct json *v = ol_get(BOB, 200, "/messages/%s", id);
    const char *etag = json_get_str(v, "@odata.etag");
    assert_false(true_at(v, "isRead"));
    assert_string_equal(text_at(v, "from.emailAddress.address"), CYD);
    assert_string_equal(text_at(v, "from.emailAddress.name"), "Cyd");
    assert_string_equal(printed_at(v, "isDeliveryReceiptRequested"), "null");
    v = ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'isRead':true}", 200);
    assert_true(true_at(v, "isRead"));
    assert_string_equal(json_get_str(v, "@odata.etag"), etag);
    v = ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'flag':{'flagStatus':'flagged'}}", 200);
    assert_string_not_equal(json_get_str(v, "@odata.etag"), etag);
    assert_string_equal(text_at(v, "flag.flagStatus"), "flagged");
    ol(BOB, "PATCH", ol_text("/messages/%s", id), "{'subject':'No'}");
    assert_int_equal(test_status, 400);
}

static void text_is_shown_as_html_unless_text_is_preferred(void **state)
{
    ol_send(CYD, BOB, "Hello", "Dear Bob");
    const char *id = ol_newest(BOB, "inbox");
    const struct json *v = ol_get(BOB, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "body.contentType"), "html");
    assert_non_null(strstr(text_at(v, "body.content"), "<!-- converted from text -->"));
    assert_non_null(strstr(text_at(v, "body.content"), "<div class=\"PlainText\">Dear Bob"));
    ol_prefer = "outlook.body-content-type=\"text\"";
    v = ol_get(BOB, 200, "/messages/%s", id);
    assert_string_equal(test_header("Preference-Applied"), "outlook.body-content-type=\"text\"");
    assert_string_equal(text_at(v, "body.contentType"), "text");
    assert_string_equal(text_at(v, "body.content"), "Dear Bob");
}

/* ---- folders ---- */

static void folders_are_listed_by_name_and_found_by_well_known_names(void **state)
{
    const struct json *v = ol_get(BOB, 200, "/mailFolders?$top=20");
    assert_string_equal(column(v, "value", "displayName"),
                        "Archive Conversation History Deleted Items Drafts Inbox Junk Email Outbox "
                        "Sent Items");
    assert_string_equal(members(v, "value.0"),
                        "id displayName parentFolderId childFolderCount unreadItemCount "
                        "totalItemCount sizeInBytes isHidden");
    v = ol_get(BOB, 200, "/mailFolders('Inbox')");
    const char *inbox = text_at(v, "id"), *root = text_at(v, "parentFolderId");
    assert_string_equal(text_at(ol_get(BOB, 200, "/mailFolders/INBOX"), "id"), inbox);
    assert_string_equal(text_at(ol_get(BOB, 200, "/mailFolders/msgfolderroot"), "id"), root);
    v = ol_do(BOB, "POST", "/mailFolders/Inbox/childFolders", "{'displayName':'Plans'}", 201);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#users('bob%40port.example')/"
                        "mailFolders('Inbox')/childFolders/$entity");
    const char *plans = text_at(v, "id");
    assert_string_equal(text_at(v, "parentFolderId"), inbox);
    ol(BOB, "POST", "/mailFolders/inbox/childFolders", "{'displayName':'plans'}");
    ol_refused(409, "ErrorFolderExists", "A folder with the specified name already exists.");
    v = ol_get(BOB, 200, "/mailFolders/Inbox/childFolders?%%24top=1");
    assert_string_equal(text_at(v, "value.0.displayName"), "Plans");
    v = ol_get(BOB, 200, "/mailFolders?$expand=childFolders&$filter=displayName%%20eq%%20'Inbox'");
    assert_string_equal(text_at(v, "value.0.childFolders.0.displayName"), "Plans");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(BOB, 200, "/mailFolders?%%24top=2");
    assert_string_equal(json_get_str(v, "@odata.nextLink"),
                        "https://graph.microsoft.com/v1.0/me/mailFolders?%24top=2&%24skip=2");
    ol_do(BOB, "DELETE", ol_text("/mailFolders/%s", plans), NULL, 204);
    v = ol_get(BOB, 200, "/mailFolders/deleteditems/childFolders");
    assert_string_equal(column(v, "value", "displayName"), "Plans");
    ol_do(BOB, "DELETE", ol_text("/mailFolders/%s", plans), NULL, 204);
    ol_get(BOB, 404, "/mailFolders/%s", plans);
    ol_refused(404, "ErrorItemNotFound", NULL);
    ol_get(BOB, 400, "/mailFolders/nonsense");
    ol_refused(400, "ErrorInvalidIdMalformed", "Id is malformed.");
    ol(BOB, "DELETE", "/mailFolders/inbox", NULL);
    ol_refused(403, "ErrorDeleteDistinguishedFolder", NULL);
}

static void a_message_that_is_moved_has_another_id(void **state)
{
    ol_send(CYD, BOB, "Hello", "Dear Bob");
    const char *id = ol_newest(BOB, "inbox");
    ol_prefer = "IdType=\"ImmutableId\"";
    const char *immutable = ol_newest(BOB, "inbox");
    assert_int_equal(strncmp(immutable, "AAkALg", 6), 0);
    ol_prefer = NULL;
    const struct json *v =
        ol_do(BOB, "POST", ol_text("/messages/%s/move", id), "{'DestinationId':'archive'}", 201);
    assert_string_not_equal(text_at(v, "id"), id);
    ol_get(BOB, 404, "/messages/%s", id);
    ol_get(BOB, 200, "/messages/%s", immutable);
    const char *moved = text_at(v, "id");
    v = ol_do(BOB, "POST", ol_text("/messages/%s/copy", moved), "{'destinationId':'inbox'}", 201);
    assert_string_equal(text_at(v, "subject"), "Hello");
    ol_do(BOB, "DELETE", ol_text("/messages/%s", moved), NULL, 204);
    v = ol_get(BOB, 200, "/mailFolders/deleteditems/messages");
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "POST", ol_text("/messages/%s/permanentDelete", ol_newest(BOB, "deleteditems")),
          NULL, 204);
    assert_int_equal(number_at(ol_get(BOB, 200, "/mailFolders/deleteditems"), "totalItemCount"), 0);
}

static void ids_of_other_mailboxes_are_refused(void **state)
{
    ol_send(CYD, BOB, "Hello", "Dear Bob");
    const char *id = ol_newest(BOB, "inbox");
    ol(CYD, "GET", ol_text("/messages/%s", id), NULL);
    ol_refused(404, "ErrorInvalidMailboxItemId", NULL);
    ol(BOB, "GET", "/messages/AAMkAGQ5", NULL);
    ol_refused(400, "ErrorInvalidIdMalformed", "Id is malformed.");
    ol(CYD, "GET", "!/v1.0/users/bob@port.example/messages", NULL);
    ol_refused(403, "ErrorAccessDenied", NULL);
}

/* ---- sending ---- */

static void sent_mail_is_kept_unless_it_shall_not_be(void **state)
{
    ol_send(BOB, CYD, "Kept", "x");
    ol_do(BOB, "POST", "/sendMail",
          "{'Message':{'subject':'Gone','toRecipients':[{'emailAddress':{'address':"
          "'cyd@port.example'}}]},'SaveToSentItems':false}",
          202);
    assert_string_equal(test_header("Content-Type"), "");
    assert_string_equal(
        column(ol_get(BOB, 200, "/mailFolders/sentitems/messages"), "value", "subject"), "Kept");
    assert_string_equal(column(ol_get(CYD, 200, "/mailFolders/inbox/messages"), "value", "subject"),
                        "Gone Kept");
    ol(BOB, "POST", "/sendMail", "{'message':{'subject':'No'}}");
    ol_refused(400, "ErrorInvalidRecipients",
               "At least one recipient is not valid., A message can't be sent because it contains "
               "no recipients.");
    ol(BOB, "POST", "/sendMail",
       "{'message':{'subject':'No','toRecipients':[{'emailAddress':{'address':'bad'}}]}}");
    ol_refused(400, "ErrorInvalidRecipients",
               "At least one recipient is not valid., Recipient \"bad\" isn't resolved. All "
               "recipients must be resolved before a message can be submitted.");
    ol(BOB, "POST", "/sendMail",
       "{'message':{'subject':'No','from':{'emailAddress':{'address':'ada@acme.example'}},"
       "'toRecipients':[{'emailAddress':{'address':'cyd@port.example'}}]}}");
    ol_refused(403, "ErrorSendAsDenied", NULL);
    ol(BOB, "POST", "/sendMail",
       "{'message':{'subject':'No','sender':{'emailAddress':{'address':'ada@acme.example'}},"
       "'toRecipients':[{'emailAddress':{'address':'cyd@port.example'}}]}}");
    ol_refused(403, "ErrorSendAsDenied", NULL);
    const struct json *v =
        ol_do(BOB, "POST", "/messages",
              "{'subject':'No','sender':{'emailAddress':{'address':'cyd@port.example'}},'from':{"
              "'emailAddress':{'address':'bob@port.example'}},'toRecipients':[{'emailAddress':{"
              "'address':'cyd@port.example'}}]}",
              201);
    ol(BOB, "POST", ol_text("/messages/%s/send", text_at(v, "id")), NULL);
    ol_refused(403, "ErrorSendAsDenied", NULL);
    /* "Sender: eve@else.example", "To: cyd@port.example", "Subject: Mime" */
    ol_type = "text/plain";
    ol_do(BOB, "POST", "/sendMail",
          "U2VuZGVyOiBldmVAZWxzZS5leGFtcGxlDQpUbzogY3lkQHBvcnQuZXhhbXBsZQ0KU3ViamVjdDogTWltZQ0KDQpI"
          "aQ0K",
          202);
    ol_type = NULL;
    v = ol_get(CYD, 200, "/messages/%s", ol_newest(CYD, "inbox"));
    assert_string_equal(text_at(v, "subject"), "Mime");
    assert_string_equal(text_at(v, "sender.emailAddress.address"), BOB);
    ol(BOB, "POST", "/sendMail", "{'message':{'subject':'No','nonsense':1}}");
    ol_refused(400, "RequestBodyRead", NULL);
}

/* MG-567: the draft's id is dead, an immutable one leads to what was sent. */
static void a_draft_that_is_sent_is_gone(void **state)
{
    const char *id = text_at(draft("Going"), "id");
    ol_prefer = "IdType=\"ImmutableId\"";
    const char *immutable = text_at(ol_get(BOB, 200, "/messages/%s", id), "id");
    ol_prefer = NULL;
    ol_do(BOB, "POST", ol_text("/messages/%s/send", id), NULL, 202);
    ol_get(BOB, 404, "/messages/%s", id);
    const struct json *v = ol_get(BOB, 200, "/messages/%s", immutable);
    assert_string_equal(text_at(v, "subject"), "Going");
    assert_false(true_at(v, "isDraft"));
    ol(BOB, "POST", ol_text("/messages/%s/send", text_at(v, "id")), NULL);
    assert_int_equal(test_status, 400);
    v = ol_get(CYD, 200, "/mailFolders/inbox/messages");
    assert_string_equal(text_at(v, "value.0.subject"), "Going");
}

static void mime_is_taken_and_given(void **state)
{
    /* "Date: ...", "To: cyd", "Message-ID: <x@y>", "Subject: Mime", "", "Test" */
    const char *mime = "VG86IGN5ZEBwb3J0LmV4YW1wbGUNCk1lc3NhZ2UtSUQ6IDx4QHk+DQpTdWJqZWN0OiBNaW1lDQ"
                       "oNClRlc3QNCg==";
    ol_type = "text/plain";
    ol_do(BOB, "POST", "/sendMail", mime, 202);
    ol(BOB, "POST", "/sendMail", "not base64!");
    ol_refused(400, "ErrorMimeContentInvalidBase64String",
               "Invalid base64 string for MIME content.");
    const struct json *v = ol_do(BOB, "POST", "/messages", mime, 201);
    assert_string_equal(text_at(v, "subject"), "Mime");
    assert_true(true_at(v, "isDraft"));
    ol_type = NULL;
    v = ol_get(CYD, 200, "/messages");
    assert_string_equal(text_at(v, "value.0.internetMessageId"), "<x@y>");
    assert_string_equal(text_at(v, "value.0.from.emailAddress.address"), BOB);
    ol_get(CYD, 200, "/messages/%s/$value", text_at(v, "value.0.id"));
    assert_non_null(strstr(test_body, "Subject: Mime\r\n"));
    assert_string_equal(test_header("Content-Type"), "text/plain");
}

/* The names of who lives in the world, a topic, and no field out of a subject. */
static void what_mime_gets_when_it_is_sent(void **state)
{
    /* "To: cyd", "Cc: a@far, bob", a subject with "Bcc: eve@far.example" on a line of its own in an
     * encoded word */
    const char *mime =
        "VG86IGN5ZEBwb3J0LmV4YW1wbGUNCkNjOiBhQGZhci5leGFtcGxlLCBib2JAcG9ydC5leGFtcGxlDQ"
        "pTdWJqZWN0OiA9P3V0Zi04P1E/VHdvPTBEPTBBQmNjOl9ldmVAZmFyLmV4YW1wbGU9MEQ9MEE/"
        "PQ0KDQpXb3Jkcw0K";
    ol_type = "text/plain";
    ol_do(BOB, "POST", "/sendMail", mime, 202);
    ol_type = NULL;
    const struct json *v = ol_get(CYD, 200, "/messages/%s", ol_newest(CYD, "inbox"));
    assert_string_equal(text_at(v, "toRecipients.0.emailAddress.name"), "Cyd");
    assert_string_equal(text_at(v, "ccRecipients.0.emailAddress.name"), "a@far.example");
    assert_string_equal(text_at(v, "ccRecipients.1.emailAddress.name"), "Bob");
    assert_int_equal((int)count_at(v, "bccRecipients"), 0);
    ol_get(CYD, 200, "/messages/%s/$value", text_at(v, "id"));
    assert_non_null(strstr(test_body, "\r\nThread-Topic: Two  Bcc: eve@far.example"));
    assert_null(strstr(test_body, "\r\nBcc:"));
}

/* A head as Exchange writes it, and no sender beside the same from. */
static void a_draft_as_mime_has_a_head_of_exchanges(void **state)
{
    const struct json *v =
        ol_do(BOB, "POST", "/messages",
              "{'subject':'Grüße','body':{'content':'Ü'},'internetMessageId':'','from':{"
              "'emailAddress':{'address':'pia@far.example'}},'sender':{'emailAddress':{'address':"
              "'PIA@far.example'}}}",
              201);
    ol_get(BOB, 200, "/messages/%s/$value", text_at(v, "id"));
    assert_non_null(strstr(test_body, "\r\nX-MS-Has-Attach:\r\n"));
    assert_non_null(strstr(test_body, "\r\nContent-Type: text/plain; charset=\"utf-8\"\r\n"
                                      "Content-Transfer-Encoding: base64\r\n"
                                      "MIME-Version: 1.0\r\n\r\n"));
    assert_null(strstr(test_body, "\nSender:"));
}

/* ---- answers ---- */

static void a_reply_quotes_and_stays_in_the_conversation(void **state)
{
    ol_send(CYD, BOB, "Lunch", "At noon?");
    const char *id = ol_newest(BOB, "inbox");
    const struct json *first = ol_get(BOB, 200, "/messages/%s", id);
    const struct json *v =
        ol_do(BOB, "POST", ol_text("/messages/%s/createReply", id), "{'comment':'Yes <b>'}", 201);
    assert_string_equal(members(v, ""), MEMBERS "sender from " PEOPLE);
    assert_string_equal(text_at(v, "subject"), "RE: Lunch");
    assert_string_equal(text_at(v, "conversationId"), text_at(first, "conversationId"));
    assert_int_equal(strlen(text_at(first, "conversationIndex")), 32);
    assert_int_equal(strlen(text_at(v, "conversationIndex")), 36);
    assert_string_equal(text_at(v, "toRecipients.0.emailAddress.address"), CYD);
    const char *html = text_at(v, "body.content");
    assert_non_null(strstr(html, "<body>Yes &lt;b&gt;\r\n<hr tabindex=\"-1\""));
    assert_non_null(strstr(html, "<b>From:</b> Cyd<br><b>Sent:</b> Monday, 23 November 2026 "
                                 "08:00:00<br><b>To:</b> bob@port.example<br><b>Subject:</b> "
                                 "Lunch</font>"));
    ol(BOB, "POST", ol_text("/messages/%s/createReply", text_at(v, "id")), "{}");
    ol_refused(400, "ErrorInvalidReferenceItem", NULL);
    ol(BOB, "POST", ol_text("/messages/%s/reply", id),
       "{'comment':'x','message':{'body':{'content':'y'}}}");
    assert_int_equal(test_status, 400);
    ol_do(BOB, "POST", ol_text("/messages/%s/reply", id), "{'Comment':'Yes'}", 202);
    v = ol_get(CYD, 200, "/mailFolders/inbox/messages");
    assert_string_equal(text_at(v, "value.0.subject"), "RE: Lunch");
    const struct json *sent = ol_get(CYD, 200, "/mailFolders/sentitems/messages");
    assert_string_equal(text_at(v, "value.0.conversationId"),
                        text_at(sent, "value.0.conversationId"));
    ol_do(BOB, "POST", ol_text("/messages/%s/forward", id),
          "{'comment':'FYI','toRecipients':[{'emailAddress':{'address':'ada@acme.example'}}]}",
          202);
    v = ol_get(BOB, 200, "/mailFolders/sentitems/messages");
    assert_string_equal(text_at(v, "value.0.subject"), "FW: Lunch");
}

/* MG-633 */
static void a_reply_with_a_body_quotes_nothing(void **state)
{
    ol_send(CYD, BOB, "Lunch", "At noon?");
    const struct json *v =
        ol_do(BOB, "POST", ol_text("/messages/%s/createReply", ol_newest(BOB, "inbox")),
              "{'message':{'body':{'content':'Reply message','contentType':'html'},"
              "'importance':'High','subject':'Reply Subject'}}",
              201);
    assert_string_equal(text_at(v, "subject"), "Reply Subject");
    assert_string_equal(text_at(v, "importance"), "high");
    assert_string_equal(text_at(v, "body.content"),
                        "<html><head>\r\n<meta http-equiv=\"Content-Type\" content=\"text/html; "
                        "charset=utf-8\"></head><body>Reply message</body></html>");
}

/* ---- attachments ---- */

static void attachments_of_drafts_come_and_go(void **state)
{
    const char *id = text_at(draft("Files"), "id");
    const struct json *v = ol_do(BOB, "POST", ol_text("/messages/%s/attachments", id),
                                 "{'@odata.type':'#microsoft.graph.fileAttachment','name':'a.txt',"
                                 "'contentType':'text/plain','contentBytes':'SGVsbG8='}",
                                 201);
    assert_string_equal(members(v, ""),
                        "@odata.context @odata.type @odata.mediaContentType id "
                        "lastModifiedDateTime name contentType size isInline contentId "
                        "contentLocation contentBytes");
    assert_string_equal(text_at(v, "contentBytes"), "SGVsbG8=");
    const char *file = text_at(v, "id");
    assert_int_equal(number_at(v, "size"), 5);
    v = ol_get(BOB, 200, "/messages/%s?$expand=attachments", id);
    assert_true(true_at(v, "hasAttachments"));
    assert_string_equal(text_at(v, "attachments.0.name"), "a.txt");
    assert_string_equal(text_at(v, "body.content"), "This is a test");
    ol_get(BOB, 200, "/messages/%s/attachments/%s/$value", id, file);
    assert_string_equal(test_body, "Hello");
    ol(BOB, "POST", ol_text("/messages/%s/attachments", id), "{'name':'a.txt'}");
    assert_int_equal(test_status, 400);
    ol_do(BOB, "POST", ol_text("/messages/%s/attachments", id),
          "{'@odata.type':'#microsoft.graph.itemAttachment','name':'Inner','item':{"
          "'@odata.type':'microsoft.graph.message','subject':'Inside','body':{'contentType':'text',"
          "'content':'Deep'}}}",
          201);
    v = ol_get(BOB, 200, "/messages/%s/attachments", id);
    assert_int_equal(count_at(v, "value"), 2);
    v = ol_get(BOB, 200, "/messages/%s/attachments/%s?$expand=microsoft.graph.itemAttachment/item",
               id, text_at(v, "value.1.id"));
    assert_string_equal(text_at(v, "item.subject"), "Inside");
    assert_string_equal(text_at(v, "item.id"), "");
    v = ol_get(BOB, 200, "/messages/%s/attachments", id);
    ol_do(BOB, "DELETE", ol_text("/messages/%s/attachments/%s", id, text_at(v, "value.0.id")), NULL,
          204);
    v = ol_get(BOB, 200, "/messages/%s/attachments", id);
    assert_string_equal(column(v, "value", "name"), "Inner");
}

static void messages_in_messages_end(void **state)
{
    const char *inner = "{'subject':'x'}";
    for (int i = 0; i < 9; i++)
        inner = ol_text("{'subject':'x','attachments':[{'@odata.type':"
                        "'#microsoft.graph.itemAttachment','item':%s}]}",
                        inner);
    ol(BOB, "POST", "/messages", inner);
    ol_refused(400, "ErrorInvalidRequest", "Messages may be attached to each other 8 deep.");
    assert_int_equal(count_at(ol_get(BOB, 200, "/messages"), "value"), 0);
}

/* ---- between vendors ---- */

/* The text of a header of Gmail's. */
static const char *gmail_header(const struct json *m, const char *name)
{
    for (size_t i = 0; i < count_at(m, "payload.headers"); i++)
        if (strcmp(text_at(m, ol_text("payload.headers.%zu.name", i)), name) == 0)
            return text_at(m, ol_text("payload.headers.%zu.value", i));
    return "";
}

static const struct json *gmail(const char *method, const char *target, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    return test_request(method, ol_text("/gmail/v1/users/me%s", target), headers, 2, text,
                        strlen(text));
}

static void a_thread_goes_between_gmail_and_outlook(void **state)
{
    /* "From: ada...", "To: bob...", "Subject: Plans", "Message-ID: <first@acme.example>" */
    gmail("POST", "/messages/send",
          "{'raw':"
          "'RnJvbTogYWRhQGFjbWUuZXhhbXBsZQ0KVG86IGJvYkBwb3J0LmV4YW1wbGUNClN1YmplY3Q6IFBsYW5zDQpN"
          "ZXNzYWdlLUlEOiA8Zmlyc3RAYWNtZS5leGFtcGxlPg0KDQpXaGF0IG5vdz8NCg=='}");
    assert_int_equal(test_status, 200);
    const char *thread = text_at(parsed(test_body, test_len), "threadId");
    const char *id = ol_newest(BOB, "inbox");
    const struct json *v = ol_get(BOB, 200, "/messages/%s", id);
    const char *first = text_at(v, "internetMessageId");
    const char *conversation = text_at(v, "conversationId");
    ol_do(BOB, "POST", ol_text("/messages/%s/reply", id), "{'comment':'Lunch'}", 202);
    v = gmail("GET", "/messages?q=in:inbox", NULL);
    assert_string_equal(text_at(v, "messages.0.threadId"), thread);
    v = gmail("GET", ol_text("/messages/%s", text_at(v, "messages.0.id")), NULL);
    assert_string_equal(gmail_header(v, "In-Reply-To"), first);
    assert_string_equal(gmail_header(v, "References"), first);
    assert_string_equal(gmail_header(v, "Thread-Topic"), "Plans");
    assert_int_equal(strlen(gmail_header(v, "Thread-Index")), 36);
    const char *reply = gmail_header(v, "Message-ID");
    /* Ada answers that: its head names both. */
    const char *raw = ol_text("From: ada@acme.example\r\nTo: bob@port.example\r\nSubject: Re: "
                              "Plans\r\nIn-Reply-To: %s\r\nReferences: %s "
                              "%s\r\n\r\nGood\r\n",
                              reply, first, reply);
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, raw, strlen(raw), true);
    gmail("POST", "/messages/send", ol_text("{'raw':'%s','threadId':'%s'}", buf_str(&b), thread));
    buf_done(&b);
    assert_int_equal(test_status, 200);
    v = ol_get(BOB, 200, "/mailFolders/inbox/messages");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.conversationId"), conversation);
    assert_int_equal(strlen(text_at(v, "value.0.conversationIndex")), 44);
    v = ol_get(BOB, 200, "/messages?$filter=conversationId%%20eq%%20'%s'", conversation);
    assert_int_equal(count_at(v, "value"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(a_draft_is_answered_as_recorded),
        ol_test(a_draft_keeps_its_id),
        ol_test(reading_a_message_leaves_its_etag),
        ol_test(text_is_shown_as_html_unless_text_is_preferred),
        ol_test(folders_are_listed_by_name_and_found_by_well_known_names),
        ol_test(a_message_that_is_moved_has_another_id),
        ol_test(ids_of_other_mailboxes_are_refused),
        ol_test(sent_mail_is_kept_unless_it_shall_not_be),
        ol_test(a_draft_that_is_sent_is_gone),
        ol_test(mime_is_taken_and_given),
        ol_test(what_mime_gets_when_it_is_sent),
        ol_test(a_draft_as_mime_has_a_head_of_exchanges),
        ol_test(a_reply_quotes_and_stays_in_the_conversation),
        ol_test(a_reply_with_a_body_quotes_nothing),
        ol_test(attachments_of_drafts_come_and_go),
        ol_test(messages_in_messages_end),
        ol_test(a_thread_goes_between_gmail_and_outlook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
