/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: every condition and act of message rules, and overrides of the focused inbox. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"

#define RULES "/mailFolders/inbox/messageRules"

/* A message in bytes that Cyd sends as it is. */
static void put_mime(const char *raw)
{
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, raw, strlen(raw));
    ol_type = "text/plain";
    ol_do(CYD, "POST", "/sendMail", arena_strdup(&test_arena, buf_str(&b)), 202);
    ol_type = NULL;
    buf_done(&b);
}

static size_t in_folder(const char *name)
{
    return (size_t)number_at(ol_get(BOB, 200, "/mailFolders/%s", name), "totalItemCount");
}

#define TO   "To: Bob Builder <bob@port.example>\r\n"
#define TEXT "\r\nHello Bob, the ÄPFEL are here\r\n"
#define REPORT(type)                                                                               \
    TO "Subject: Report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=" type \
       "; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n"
#define TYPED(type) TO "Subject: S\r\nMIME-Version: 1.0\r\nContent-Type: " type "\r\n\r\nAAAA\r\n"
#define WITH_FILE                                                                                  \
    TO "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; "                                      \
       "boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Type: "                                   \
       "application/pdf\r\nContent-Disposition: attachment; "                                      \
       "filename=a.pdf\r\n\r\nAAAA\r\n--b--\r\n"
#define CALENDAR(method) TYPED("text/calendar; method=" method)

/* Each condition with a message that meets it and one that does not. */
static const struct {
    const char *condition, *meets, *other;
} conditions[] = {
    {"'bodyContains':['äpfel']", TO TEXT, TO "\r\nPears\r\n"},
    {"'bodyContains':['pple','pfel']", TO TEXT, TO "\r\nPears\r\n"},
    {"'subjectContains':['voic']", TO "Subject: Your INVOICE\r\n" TEXT,
     TO "Subject: Hello\r\n" TEXT},
    {"'bodyOrSubjectContains':['here']", TO TEXT, TO "Subject: Other\r\n\r\nPears\r\n"},
    {"'bodyOrSubjectContains':['other']", TO "Subject: Other\r\n\r\nPears\r\n", TO TEXT},
    {"'headerContains':['x-team: RED']", TO "X-Team: red\r\n" TEXT, TO "X-Team: blue\r\n" TEXT},
    {"'senderContains':['YD@PORT']", TO TEXT, NULL},
    {"'recipientContains':['builder']", TO TEXT, "To: bob@port.example\r\n" TEXT},
    {"'fromAddresses':[{'emailAddress':{'address':'CYD@port.example'}}]", TO TEXT, NULL},
    {"'fromAddresses':[{'emailAddress':{'address':'yd@port.example'}}]", NULL, TO TEXT},
    {"'sentToAddresses':[{'emailAddress':{'address':'list@else.example'}}]",
     TO "Cc: list@else.example\r\n" TEXT, TO TEXT},
    {"'sentToMe':true", TO TEXT, "To: cyd@port.example\r\nCc: bob@port.example\r\n" TEXT},
    {"'sentCcMe':true", "To: cyd@port.example\r\nCc: bob@port.example\r\n" TEXT, TO TEXT},
    {"'sentToOrCcMe':true", "To: cyd@port.example\r\nCc: bob@port.example\r\n" TEXT,
     "To: cyd@port.example\r\nBcc: bob@port.example\r\n" TEXT},
    {"'sentOnlyToMe':true", TO TEXT, TO "Cc: cyd@port.example\r\n" TEXT},
    {"'sentOnlyToMe':true", TO TEXT, "To: bob@port.example, cyd@port.example\r\n" TEXT},
    {"'notSentToMe':true", "To: cyd@port.example\r\nCc: bob@port.example\r\n" TEXT, TO TEXT},
    {"'sentToMe':false", "To: cyd@port.example\r\nCc: bob@port.example\r\n" TEXT, NULL},
    {"'isMeetingRequest':true", CALENDAR("REQUEST"), CALENDAR("REPLY")},
    {"'isMeetingResponse':true", CALENDAR("REPLY"), CALENDAR("REQUEST")},
    {"'hasAttachments':true", WITH_FILE, TO TEXT},
    {"'hasAttachments':false", TO TEXT, WITH_FILE},
    {"'withinSizeRange':{'minimumSize':0,'maximumSize':5}", TO TEXT, NULL},
    {"'withinSizeRange':{'minimumSize':50,'maximumSize':60}", NULL, TO TEXT},
    {"'importance':'high'", TO "Importance: high\r\n" TEXT, TO TEXT},
    {"'importance':'normal'", TO TEXT, TO "X-Priority: 1\r\n" TEXT},
    {"'sensitivity':'private'", TO "Sensitivity: Private\r\n" TEXT, TO TEXT},
    {"'sensitivity':'confidential'", TO "Sensitivity: Company-Confidential\r\n" TEXT, TO TEXT},
    {"'sensitivity':'normal'", TO TEXT, TO "Sensitivity: Personal\r\n" TEXT},
    {"'messageActionFlag':'any'", TO "X-Message-Flag: Reply\r\n" TEXT, TO TEXT},
    {"'messageActionFlag':'followUp'", TO "X-Message-Flag: Follow up\r\n" TEXT,
     TO "X-Message-Flag: Reply\r\n" TEXT},
    {"'isAutomaticForward':true", TO "Auto-Submitted: auto-forwarded\r\n" TEXT, TO TEXT},
    {"'isAutomaticReply':true", TO "Auto-Submitted: auto-replied\r\n" TEXT, TO TEXT},
    {"'isEncrypted':true",
     TYPED("application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m"),
     TYPED("application/pkcs7-mime; smime-type=signed-data; name=smime.p7m")},
    {"'isSigned':true", TYPED("application/pkcs7-mime; smime-type=signed-data; name=smime.p7m"),
     TO TEXT},
    {"'isNonDeliveryReport':true", REPORT("delivery-status"), REPORT("disposition-notification")},
    {"'isReadReceipt':true", REPORT("disposition-notification"), REPORT("delivery-status")},
    {"'isPermissionControlled':true", TO "Content-Class: rpmsg.message\r\n" TEXT, TO TEXT},
    {"'isVoicemail':true", TO "Content-Class: voice-uc\r\n" TEXT, TO TEXT},
    {"'isApprovalRequest':true", NULL, TO TEXT},
    {"'isApprovalRequest':false", TO TEXT, NULL},
    {"'categories':['Red']", NULL, TO TEXT},
    {"'subjectContains':['a'],'bodyContains':['apfel']", TO "Subject: A\r\n" TEXT,
     TO "Subject: B\r\n" TEXT},
    {"'subjectContains':null,'bodyContains':[]", TO TEXT, NULL},
};

static void check_condition(size_t i, const char *as)
{
    const char *rule = ol_text("{'displayName':'R',%s,'actions':{'moveToFolder':'archive'}}", as);
    const struct json *v = ol_do(BOB, "POST", RULES, rule, 201);
    const bool except = strstr(as, "'exceptions'");
    const size_t before = in_folder("archive");
    if (conditions[i].meets)
        put_mime(conditions[i].meets);
    const size_t met = in_folder("archive");
    if (conditions[i].other)
        put_mime(conditions[i].other);
    const size_t other = in_folder("archive");
    const size_t wants_met = conditions[i].meets && !except;
    const size_t wants_other = conditions[i].other && except;
    if (met - before != wants_met || other - met != wants_other)
        fail_msg("%s moved %zu and %zu messages, not %zu and %zu", as, met - before, other - met,
                 wants_met, wants_other);
    ol_do(BOB, "DELETE", ol_text(RULES "/%s", text_at(v, "id")), NULL, 204);
}

/* As an exception it keeps the message where it is; of several one is enough there, and what is not
 * set is none. */
static bool is_exception(const char *condition)
{
    return !strstr(condition, ",'bodyContains'") && strcmp(condition, "'sentToMe':false") != 0;
}

static void each_condition_is_met_by_what_it_names(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(conditions); i++) {
        check_condition(i, ol_text("'conditions':{%s}", conditions[i].condition));
        if (is_exception(conditions[i].condition))
            check_condition(i, ol_text("'exceptions':{%s}", conditions[i].condition));
    }
}

/* ---- acts ---- */

static void make_rule(const char *text)
{
    ol_do(BOB, "POST", RULES, text, 201);
}

static void a_copy_is_another_message(void **state)
{
    make_rule("{'displayName':'C','conditions':{'subjectContains':['copy']},'actions':{"
              "'copyToFolder':'archive','markImportance':'high','assignCategories':['Red']}}");
    make_rule("{'displayName':'D','conditions':{'subjectContains':['copy']},'actions':{"
              "'markAsRead':true}}");
    ol_send(CYD, BOB, "A copy", "x");
    const struct json *v = ol_get(BOB, 200, "/mailFolders/inbox/messages");
    assert_string_equal(text_at(v, "value.0.importance"), "high");
    assert_string_equal(printed_at(v, "value.0.categories"), "[\"Red\"]");
    const char *id = text_at(v, "value.0.id"),
               *message_id = text_at(v, "value.0.internetMessageId");
    v = ol_get(BOB, 200, "/mailFolders/archive/messages");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_not_equal(text_at(v, "value.0.id"), id);
    assert_string_equal(text_at(v, "value.0.internetMessageId"), message_id);
    assert_string_equal(text_at(v, "value.0.importance"), "high");
    assert_true(true_at(v, "value.0.isRead")); /* as it is when all rules have acted */
    v = ol_get(BOB, 200, "/messages?$filter=importance%%20eq%%20'high'");
    assert_int_equal(count_at(v, "value"), 2);
}

static void importance_is_marked_down_and_back(void **state)
{
    make_rule("{'displayName':'L','actions':{'markImportance':'low'}}");
    put_mime(TO "Importance: high\r\n" TEXT);
    assert_string_equal(text_at(ol_get(BOB, 200, "/messages"), "value.0.importance"), "low");
    make_rule("{'displayName':'N','actions':{'markImportance':'normal'}}");
    put_mime(TO "Importance: high\r\n" TEXT);
    assert_string_equal(text_at(ol_get(BOB, 200, "/messages"), "value.0.importance"), "normal");
}

static void what_is_deleted_for_good_is_nowhere(void **state)
{
    make_rule("{'displayName':'P','conditions':{'subjectContains':['spam']},'actions':{"
              "'permanentDelete':true,'copyToFolder':'archive'}}");
    ol_send(CYD, BOB, "Some spam", "x");
    assert_int_equal(in_folder("inbox") + in_folder("deleteditems"), 0);
    assert_int_equal(in_folder("archive"), 1);
    make_rule("{'displayName':'D','conditions':{'subjectContains':['old']},'actions':{'delete':"
              "true}}");
    ol_send(CYD, BOB, "Old", "x");
    assert_int_equal(in_folder("deleteditems"), 1);
}

/* By sequence, and not further than a rule that says so. */
static void a_rule_stops_those_behind_it(void **state)
{
    make_rule("{'displayName':'2','sequence':2,'conditions':{'subjectContains':['x']},'actions':{"
              "'stopProcessingRules':true}}");
    make_rule("{'displayName':'3','sequence':3,'actions':{'moveToFolder':'archive'}}");
    make_rule("{'displayName':'1','sequence':1,'actions':{'assignCategories':['One']}}");
    ol_send(CYD, BOB, "x", "x");
    ol_send(CYD, BOB, "y", "y");
    const struct json *v = ol_get(BOB, 200, "/mailFolders/inbox/messages");
    assert_string_equal(column(v, "value", "subject"), "x");
    assert_string_equal(printed_at(v, "value.0.categories"), "[\"One\"]");
    v = ol_get(BOB, 200, "/mailFolders/archive/messages");
    assert_string_equal(column(v, "value", "subject"), "y");
}

/* ---- overrides ---- */

#define OVERRIDES "/inferenceClassification/overrides"

static const char *class_of(const char *subject)
{
    ol_send(CYD, BOB, subject, "x");
    return text_at(ol_get(BOB, 200, "/messages/%s", ol_newest(BOB, "inbox")),
                   "inferenceClassification");
}

/* MG-391, MG-574 */
static void an_override_classifies_what_comes(void **state)
{
    assert_string_equal(class_of("Before"), "focused");
    const char *before = ol_newest(BOB, "inbox");
    const struct json *v = ol_do(BOB, "POST", OVERRIDES,
                                 "{'classifyAs':'other','senderEmailAddress':{'name':'Cyd',"
                                 "'address':'CYD@port.example'}}",
                                 201);
    const char *id = text_at(v, "id");
    assert_string_equal(class_of("After"), "other");
    const char *after = ol_newest(BOB, "inbox");
    v = ol_get(BOB, 200, "/messages?$filter=inferenceClassification%%20eq%%20'other'");
    assert_string_equal(column(v, "value", "subject"), "After");
    assert_string_equal(
        text_at(ol_get(BOB, 200, "/messages/%s", before), "inferenceClassification"), "focused");
    ol_do(BOB, "PATCH", ol_text(OVERRIDES "/%s", id), "{'classifyAs':'focused'}", 200);
    assert_string_equal(class_of("Again"), "focused");
    v = ol_do(BOB, "PATCH", ol_text("/messages/%s", after), "{'inferenceClassification':'focused'}",
              200);
    assert_string_equal(text_at(v, "inferenceClassification"), "focused");
    ol(BOB, "PATCH", ol_text(OVERRIDES "/%s", id), "{'classifyAs':'elsewhere'}");
    assert_int_equal(test_status, 400);
    ol(BOB, "POST", OVERRIDES, "{'classifyAs':'other','senderEmailAddress':{'name':'Cyd'}}");
    ol_refused(400, "ErrorInvalidRequest", NULL);
    ol_do(BOB, "PATCH", ol_text(OVERRIDES "/%s", id), "{'classifyAs':'other'}", 200);
    ol_do(BOB, "DELETE", ol_text(OVERRIDES "/%s", id), NULL, 204);
    assert_string_equal(class_of("Last"), "focused");
    ol(BOB, "DELETE", ol_text(OVERRIDES "/%s", id), NULL);
    ol_refused(404, "ErrorItemNotFound", NULL);
}

/* In a message of the rule's owner, and whole; to others it goes on as it came. */
static void a_rule_sends_on_what_came_as_an_attachment(void **state)
{
    ol_do(BOB, "POST", RULES,
          "{'displayName':'R','actions':{'forwardAsAttachmentTo':[{'emailAddress':{'address':'"
          "ada@acme.example'}},{'emailAddress':{'address':'cyd@port.example'}}],'redirectTo':["
          "{'emailAddress':{'address':'cyd@port.example'}}]}}",
          201);
    put_mime(TO "Subject: Plan \xc3\xa4\r\nX-Team: red\r\n" TEXT);
    const struct json *v = ol_get(CYD, 200, "/mailFolders/inbox/messages?$orderby=subject");
    assert_string_equal(column(v, "value", "subject"), "FW: Plan \xc3\xa4 Plan \xc3\xa4");
    assert_string_equal(text_at(v, "value.0.from.emailAddress.address"), BOB);
    assert_string_equal(text_at(v, "value.1.from.emailAddress.address"), CYD);
    assert_true(true_at(v, "value.0.hasAttachments"));
    assert_false(true_at(v, "value.1.hasAttachments"));
    v = ol_get(CYD, 200, "/messages/%s/attachments?$expand=microsoft.graph.itemAttachment/item",
               text_at(v, "value.0.id"));
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(json_get_str(value_at(v, "value.0"), "@odata.type"),
                        "#microsoft.graph.itemAttachment");
    assert_string_equal(text_at(v, "value.0.item.subject"), "Plan \xc3\xa4");
    assert_string_equal(text_at(v, "value.0.item.from.emailAddress.address"), CYD);
    const struct sosia_header headers[] = {
        {"Authorization", test_bearer("ada@acme.example", NULL)}};
    v = test_request("GET", "/gmail/v1/users/me/messages?q=has:attachment", headers, 1, "", 0);
    assert_int_equal(count_at(v, "messages"), 1);
    /* Two rules that answer each other end. */
    ol_do(CYD, "POST", RULES,
          "{'displayName':'R','actions':{'forwardAsAttachmentTo':[{'emailAddress':{'address':'"
          "bob@port.example'}}]}}",
          201);
    ol_send(BOB, CYD, "Ping", "x");
    assert_true(count_at(ol_get(BOB, 200, "/mailFolders/inbox/messages?$top=100&$select=id"),
                         "value") < 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(each_condition_is_met_by_what_it_names),
        ol_test(a_copy_is_another_message),
        ol_test(importance_is_marked_down_and_back),
        ol_test(what_is_deleted_for_good_is_nowhere),
        ol_test(a_rule_stops_those_behind_it),
        ol_test(an_override_classifies_what_comes),
        ol_test(a_rule_sends_on_what_came_as_an_attachment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
