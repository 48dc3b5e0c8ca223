/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server for Gmail: each is called with its documented arguments. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA  "ada@acme.example"
#define PATH "/mcp/gmail?tools=community"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames}\n"
    "  - {email: bob@acme.example, name: Bob Stone}\n"
    "mailboxes:\n"
    "  - person: ada@acme.example\n"
    "    labels: [{name: Reports}]\n"
    "    messages:\n"
    "      - {id: '1a20000000000001', from: Bob Stone <bob@acme.example>, to: ada@acme.example, "
    "subject: Figures, date: 2026-03-11T09:00:00+01:00, text: \"The figures.\\n\", html: "
    "\"<p>The figures.</p>\", labels: [INBOX, UNREAD], attachments: [{filename: figures.csv, type: "
    "text/csv, text: \"a,b\\n\"}]}\n"
    "      - {id: '1a20000000000002', from: Eve <eve@far.example>, to: ada@acme.example, subject: "
    "Offer, date: 2026-03-11T10:00:00+01:00, html: \"<p>An offer.</p>\", labels: [INBOX]}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

static const char *done(const char *tool, const char *arguments)
{
    return mcp_done(ADA, PATH, tool, arguments);
}

static void refuse(const char *tool, const char *arguments, const char *expected)
{
    mcp_refuse(ADA, PATH, tool, arguments, expected);
}

static void the_set_has_its_tools(void **state)
{
    assert_string_equal(mcp_names(ADA, PATH),
                        "send_email draft_email read_email download_attachment search_emails "
                        "modify_email delete_email "
                        "list_email_labels batch_modify_emails batch_delete_emails create_label "
                        "update_label delete_label get_or_create_label create_filter list_filters "
                        "get_filter delete_filter create_filter_from_template");
    mcp_ask(ADA, PATH, "tools/list", "{}");
    assert_non_null(
        strstr(test_body, "\"criteria\":{\"type\":\"object\",\"properties\":{\"from\":"));
    assert_non_null(strstr(test_body, "\"required\":[\"criteria\",\"action\"],"));
}

static void letters_are_sent_read_and_found(void **state)
{
    const char *id = mcp_behind(done("send_email", "{'to':['bob@acme.example'],'subject':'Grüße',"
                                                   "'body':'Hello','cc':['eve@far.example'],"
                                                   "'attachments':[]}"),
                                "ID: ");
    const char *text = done("read_email", mcp_with("{'messageId':'%'}", id));
    assert_non_null(strstr(text, "Thread ID: "));
    assert_non_null(strstr(text, "\nSubject: Grüße\nFrom: ada@acme.example\n"
                                 "To: bob@acme.example\nDate: "));
    assert_non_null(strstr(text, "\n\nHello"));
    text = done("read_email", "{'messageId':'1a20000000000001'}");
    assert_non_null(strstr(text, "\n\nThe figures."));
    assert_non_null(strstr(text, "\n\nAttachments (1):\n- figures.csv (text/csv, 0 KB, ID: "));
    text = done("read_email", "{'messageId':'1a20000000000002'}");
    assert_non_null(strstr(text, "\n\n[There is no text but this HTML.]\n\n<p>An offer.</p>"));
    assert_string_equal(done("search_emails", "{'query':'subject:offer'}"),
                        "ID: 1a20000000000002\nSubject: Offer\nFrom: Eve <eve@far.example>\n"
                        "Date: Wed, 11 Mar 2026 10:00:00 +0100\n");
    assert_non_null(strstr(done("search_emails", "{'query':'in:inbox'}"), "+0100\n\nID: "));
    assert_string_equal(done("search_emails", "{'query':'zebra'}"), "");
    assert_non_null(strstr(done("draft_email", "{'to':['bob@acme.example'],'subject':'a',"
                                               "'body':'b'}"),
                           "The draft was kept. ID: r"));
    refuse("send_email",
           "{'to':['bob@acme.example'],'subject':'a','body':'b','attachments':['/x']}",
           "outside allowed directories");
    refuse("send_email", "{'to':[],'subject':'a','body':'b'}", "to must have an address");
    refuse("send_email", "{'to':['bob@acme.example'],'subject':'a\\r\\nBcc: x','body':'b'}",
           "subject must be one line");
    refuse("read_email", "{'messageId':'x'}", "400 invalidArgument");
    refuse("search_emails", "{}", "query is required");
    assert_non_null(strstr(done("search_emails", "{'query':'a','more':1}"), "Subject: a"));
    assert_non_null(strstr(done("search_emails", "{'query':'a','maxResults':0}"), "Subject: a"));
    refuse("search_emails", "{'query':'a','maxResults':-1}", "400 invalid");
    refuse("search_emails", "{'query':'a','maxResults':1.5}", "400 invalid");
}

static void messages_are_changed_and_deleted(void **state)
{
    done("modify_email", "{'messageId':'1a20000000000001','labelIds':['STARRED'],"
                         "'removeLabelIds':['UNREAD']}");
    assert_string_equal(mcp_behind(done("search_emails", "{'query':'is:starred is:read'}"), "ID: "),
                        "1a20000000000001");
    assert_string_equal(done("batch_modify_emails",
                             "{'messageIds':['1a20000000000001','1a20000000000002'],"
                             "'addLabelIds':['IMPORTANT']}"),
                        "Messages changed: 2\n");
    assert_string_equal(done("delete_email", "{'messageId':'1a20000000000001'}"),
                        "The message 1a20000000000001 was deleted.");
    const char *text =
        done("batch_delete_emails", "{'messageIds':['1a20000000000002','1a20000000000001']}");
    assert_non_null(strstr(text, "Messages deleted: 1\nMessages that failed: 1\n\nTheir ids:\n"
                                 "- 1a20000000000001... (404 notFound: "));
    refuse("modify_email", "{'messageId':'1a20000000000002','addLabelIds':['X']}", "404 notFound");
    refuse("delete_email", "{'messageId':'1a20000000000002'}", "404 notFound");
}

static void labels_are_made_changed_and_deleted(void **state)
{
    const char *text = done("list_email_labels", "{}");
    assert_non_null(strstr(text, " labels ("));
    assert_non_null(strstr(text, "\n\nSystem Labels:\nID: "));
    assert_non_null(strstr(text, "\nUser Labels:\nID: Label_1\nName: Reports\n"));
    text = done("create_label", "{'name':'New','labelListVisibility':'labelHide'}");
    const char *id = mcp_behind(text, "ID: ");
    assert_non_null(strstr(text, "\nName: New\nType: user"));
    assert_non_null(strstr(done("update_label", mcp_with("{'id':'%','name':'Newer'}", id)),
                           "\nName: Newer\nType: user"));
    assert_string_equal(mcp_behind(done("get_or_create_label", "{'name':'newer'}"), "ID: "), id);
    assert_string_not_equal(mcp_behind(done("get_or_create_label", "{'name':'Other'}"), "ID: "),
                            id);
    assert_string_equal(done("delete_label", mcp_with("{'id':'%'}", id)),
                        "The label Newer was deleted.");
    refuse("create_label", "{'name':'Other'}", "409 ");
    refuse("create_label", "{'name':'x','labelListVisibility':'never'}",
           "labelListVisibility must be one of");
    refuse("update_label", mcp_with("{'id':'%','name':'x'}", id), "404 notFound");
    refuse("delete_label", "{'id':'INBOX'}", "400 invalidArgument");
}

#define RULE                                                                                       \
    "\nCriteria: from: eve@far.example, size: 5, sizeComparison: larger\n"                         \
    "Actions: addLabelIds: STARRED, IMPORTANT, removeLabelIds: INBOX"

static void filters_are_made_listed_and_deleted(void **state)
{
    assert_string_equal(done("list_filters", "{}"), "There are no filters.");
    const char *text =
        done("create_filter",
             "{'criteria':{'from':'eve@far.example','size':5,'sizeComparison':'larger'},'action':{"
             "'addLabelIds':['STARRED','IMPORTANT'],'removeLabelIds':['INBOX']}}");
    const char *id = mcp_behind(text, "ID: ");
    assert_non_null(strstr(text, RULE));
    assert_string_equal(done("list_filters", "{}"),
                        arena_printf(&test_arena, "Filters: 1\n\nID: %s" RULE "\n", id));
    assert_string_equal(done("get_filter", mcp_with("{'filterId':'%'}", id)),
                        arena_printf(&test_arena, "The filter:\nID: %s" RULE, id));
    done("delete_filter", mcp_with("{'filterId':'%'}", id));
    refuse("get_filter", mcp_with("{'filterId':'%'}", id), "404 notFound");
    refuse("delete_filter", mcp_with("{'filterId':'%'}", id), "404 notFound");
    refuse("create_filter", "{'criteria':{},'action':{}}", "any criteria");
    refuse("create_filter", "{'criteria':{'x':1},'action':{}}", "Filter doesn't have any criteria");
    refuse("create_filter", "{'criteria':[],'action':{}}", "criteria must be an object, not []");
    refuse("create_filter", "{'criteria':{'size':'x'},'action':{}}", "size must be a number");
    refuse("create_filter", "{'criteria':{'sizeComparison':'x'},'action':{}}",
           "sizeComparison must be one of");
    refuse("create_filter", "{'criteria':{'from':'x'}}", "action is required");
}

static void usual_filters_are_ready_made(void **state)
{
    static const char *const cases[][3] = {
        {"fromSender", "'senderEmail':'eve@far.example','archive':true",
         "Criteria: from: eve@far.example\nActions: removeLabelIds: INBOX\n"},
        {"withSubject", "'subjectText':'x','markAsRead':true,'labelIds':['STARRED']",
         "Criteria: subject: x\nActions: addLabelIds: STARRED, removeLabelIds: UNREAD\n"},
        {"withAttachments", "'labelIds':['STARRED']",
         "Criteria: hasAttachment: true\nActions: addLabelIds: STARRED\n"},
        {"largeEmails", "'sizeInBytes':1000,'labelIds':['STARRED']",
         "Criteria: size: 1000, sizeComparison: larger\nActions: addLabelIds: STARRED\n"},
        {"containingText", "'searchText':'two words','markImportant':true",
         "Criteria: query: \"two words\"\nActions: addLabelIds: IMPORTANT\n"},
        {"mailingList", "'listIdentifier':'crew'",
         "Criteria: query: list:crew OR subject:[crew]\nActions: removeLabelIds: INBOX\n"}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        done("create_filter_from_template",
             arena_printf(&test_arena, "{'template':'%s','parameters':{%s}}", cases[i][0],
                          cases[i][1]));
        if (!strstr(done("list_filters", "{}"), cases[i][2]))
            fail_msg("%s: %s", cases[i][0], test_body);
    }
    refuse("create_filter_from_template", "{'template':'fromSender','parameters':{}}",
           "parameters.senderEmail is required");
    refuse("create_filter_from_template", "{'template':'mine','parameters':{}}",
           "template must be one of");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_set_has_its_tools),
        TEST(letters_are_sent_read_and_found),
        TEST(messages_are_changed_and_deleted),
        TEST(labels_are_made_changed_and_deleted),
        TEST(filters_are_made_listed_and_deleted),
        TEST(usual_filters_are_ready_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
