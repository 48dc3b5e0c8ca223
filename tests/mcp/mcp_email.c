/* SPDX-License-Identifier: Apache-2.0 */
/* The tool server for a person's mail: the same tools on a mailbox of either vendor, with files of
 * the workspace. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA  "ada@port.example" /* has a mailbox of Google's */
#define BOB  "bob@port.example" /* has one of Microsoft's */
#define CARL "carl@port.example"
#define MAIL "/mcp/poste_email_toolathlon"
#define FS   "/mcp/filesystem"

#define MESSAGES                                                                                   \
    "    messages:\n"                                                                              \
    "      - {from: Eve Far <eve@far.example>, to: \"ada@port.example, bob@port.example\", "       \
    "subject: Figures, text: \"Twelve.\\n\", date: 2026-11-20T09:00:00Z, attachments: "            \
    "[{filename: "                                                                                 \
    "figures.csv, type: text/csv, text: \"a,b\\n\"}]}\n"                                           \
    "      - {from: Eve Far <eve@far.example>, to: ada@port.example, cc: \"Carl "                  \
    "<carl@port.example>"                                                                          \
    ", x@far.example\", subject: Plan, html: \"<p>Die <b>\xc3\x84pfel</b></p>\", date: "           \
    "2026-11-21T09:00:00Z}\n"                                                                      \
    "      - {from: eve@far.example, to: ada@port.example, subject: Last, text: \"Third.\\n\", "   \
    "date: 2026-11-22T09:00:00Z}\n"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "people: [{email: ada@port.example, name: Ada Ames}, {email: bob@port.example, name: Bob "
    "Stone}, {email: carl@port.example, name: Carl}, {email: dan@port.example, name: Dan}]\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: google}\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: carl@port.example, vendor: google}\n"
    "  - {actor: dan@port.example, vendor: google, services: [drive]}\n"
    "mailboxes:\n"
    "  - person: ada@port.example\n"
    "    labels: [{name: Work}]\n" MESSAGES "  - person: bob@port.example\n"
    "    vendor: microsoft\n"
    "    folders: [{name: Work}]\n" MESSAGES "workspace:\n"
    "  - {path: in/report.txt, text: \"All is well.\\n\"}\n"
    "  - {path: out, link: /etc}\n";

static int set_up(void **state)
{
    (void)state;
    return test_open(doc);
}

static int tear_down(void **state)
{
    (void)state;
    return test_close();
}

static const char *const both[] = {ADA, BOB};

static const char *use(const char *who, const char *tool, const char *arguments)
{
    return mcp_done(who, MAIL, tool, arguments);
}

static void says(const char *who, const char *tool, const char *arguments, const char *expected)
{
    const char *text = use(who, tool, arguments);
    if (strcmp(text, expected) != 0)
        fail_msg("%s, %s %s: %s", who, tool, arguments, text);
}

/* ---- the list ---- */

static void its_tools_are_the_originals(void **state)
{
    static const char all[] =
        "get_emails read_email search_emails send_email reply_email forward_email delete_email "
        "move_email mark_emails move_emails delete_emails get_folders create_folder delete_folder "
        "get_mailbox_stats get_unread_count check_connection get_email_headers save_draft "
        "get_drafts update_draft delete_draft export_emails import_emails download_attachment";
    (void)state;
    assert_string_equal(mcp_names(ADA, MAIL), all);
    assert_string_equal(mcp_names(ADA, "/mcp?tools=poste_email_toolathlon"), all);
    const struct json *v = mcp_ask(ADA, MAIL, "initialize", "{\"protocolVersion\":\"2025-11-25\"}");
    assert_at(v, "result.serverInfo.name", "emails-mcp");
    v = mcp_ask(ADA, MAIL, "tools/list", "{}");
    assert_at(v, "result.tools.0.inputSchema.properties.folder.default", "INBOX");
    assert_at(v, "result.tools.0.inputSchema.properties.page_size.default", "20");
    assert_at(v, "result.tools.3.inputSchema.required.2", "body");
    assert_at(v, "result.tools.3.annotations.openWorldHint", "true");
    v = mcp_ask(ADA, MAIL, "resources/list", "{}");
    assert_string_equal(column(v, "result.resources", "uri"), "");
    assert_int_equal(
        mcp_code(mcp_ask(ADA, MAIL, "resources/read", "{\"uri\":\"file:///data/in/report.txt\"}")),
        -32002);
    v = mcp_post(MAIL, ADA, "mail.readonly", mcp_newest,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    assert_string_equal(column(v, "result.tools", "name"),
                        "get_emails read_email search_emails get_folders get_mailbox_stats "
                        "get_unread_count check_connection get_email_headers get_drafts");
    v = mcp_post(MAIL, ADA, "workspace", mcp_newest,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    assert_string_equal(column(v, "result.tools", "name"), "");
}

/* ---- reading ---- */

static void mail_is_listed_by_pages(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        says(both[i], "get_emails", "{'page_size':2}",
             "Folder: INBOX\nPage: 1/2\nTotal emails: 3\n\n1. ID: 3\n   Subject: Last\n   From: "
             "eve@far.example\n   Date: Sun, 22 Nov 2026 09:00:00 +0000\n\n2. ID: 2\n   Subject: "
             "Plan\n   From: eve@far.example\n   Date: Sat, 21 Nov 2026 09:00:00 +0000\n\n");
        says(both[i], "get_emails", "{'page_size':2,'page':7}",
             "Folder: INBOX\nPage: 2/2\nTotal emails: 3\n\n3. ID: 1\n   Subject: Figures\n   From: "
             "eve@far.example\n   Date: Fri, 20 Nov 2026 09:00:00 +0000\n   Attachments: 1 "
             "files\n\n");
        says(both[i], "get_emails", "{'folder':'Work'}",
             "Folder 'Work' is empty or page 1 is out of range");
        says(both[i], "get_emails", "{'folder':'None'}",
             "Error getting emails: Failed to get emails: Error selecting folder 'None': Failed to "
             "select folder 'None': NO");
    }
    says("dan@port.example", "get_emails", "{}",
         "Error getting emails: Failed to get emails: IMAP login failed: dan@port.example has no "
         "mailbox");
    says(ADA, "check_connection", "{}",
         "Connection Status:\nIMAP: ✓ Connected\nSMTP: ✓ Connected\n\nAll connections are working "
         "properly");
    assert_non_null(strstr(use("dan@port.example", "check_connection", "{}"), "IMAP: ✗ Failed"));
    mcp_refuse(ADA, MAIL, "get_emails", "{'folder':7}", "expected string, received number");
}

static void reading_takes_the_mark_away(void **state)
{
    static const char read[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"read_email\",\"arguments\":{\"email_id\":\"2\"}}}";
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        says(both[i], "mark_emails", "{'email_ids':['1','2','9'],'status':'unread'}",
             "Successfully marked 2/3 emails as unread");
        says(both[i], "get_unread_count", "{}", "Total unread messages: 2");
        const char *text = use(both[i], "read_email", "{'email_id':'1'}");
        if (!strstr(text, "Email ID: 1\nSubject: Figures\nFrom: eve@far.example\nTo: "
                          "ada@port.example, bob@port.example\nDate: Fri, 20 Nov 2026 09:00:00 "
                          "+0000\nMessage-ID: <") ||
            !strstr(text, ">\n\nText Content:\nTwelve.\n\n\nAttachments:\n1. figures.csv "
                          "(text/csv, 4 bytes)\n"))
            fail_msg("%s", text);
        says(both[i], "get_unread_count", "{'folder_name':'INBOX'}",
             "Unread messages in 'INBOX': 1");
        /* A token that only reads changes nothing. */
        assert_non_null(
            strstr(printed_at(mcp_post(MAIL, both[i], "mail.readonly", mcp_newest, read),
                              "result.content.0.text"),
                   "CC: Carl <carl@port.example>, x@far.example\n"));
        says(both[i], "get_unread_count", "{}", "Total unread messages: 1");
        text = use(both[i], "read_email", "{'email_id':'2'}");
        assert_null(strstr(text, "Text Content"));
        assert_non_null(strstr(text, "HTML Content:\n<p>Die <b>\xc3\x84pfel</b></p>"));
        says(both[i], "read_email", "{'email_id':'4'}",
             "Error reading email: Failed to read email 4: No email content found for email 4");
        says(both[i], "read_email", "{'email_id':'1:*'}",
             "Error reading email: Failed to read email 1:*: No email content found for email "
             "1:*");
        text = use(both[i], "get_email_headers", "{'email_id':'3'}");
        assert_non_null(strstr(text, "Email Headers for ID: 3\n====="));
        assert_non_null(strstr(text, "\nSubject: Last\n"));
    }
}

static void a_text_is_found_anywhere(void **state)
{
    static const struct {
        const char *query, *found;
    } of[] = {{"TWELVE", "1. ID: 1\n"},
              {"pfel", "1. ID: 2\n"},
              {"x@far", "1. ID: 2\n"},
              {"subject: last", "1. ID: 3\n"}};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        for (size_t k = 0; k < SOSIA_LEN(of); k++) {
            const char *text =
                use(both[i], "search_emails", mcp_with("{'query':'%'}", of[k].query));
            if (!strstr(text, of[k].found) || !strstr(text, "Total results: 1\n"))
                fail_msg("%s: %s", of[k].query, text);
        }
        says(both[i], "search_emails", "{'query':'nothing like it'}",
             "No emails found matching query: nothing like it");
        says(both[i], "search_emails", "{'query':' '}",
             "Error searching emails: Failed to search emails: Search query cannot be empty");
        assert_non_null(strstr(
            use(both[i], "search_emails", mcp_with("{'query':'%'}", mcp_repeated("x", 1001))),
            "Search query too long (max 1000 characters)"));
    }
}

/* ---- sending ---- */

static void what_is_sent_arrives_with_its_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        const char *other = both[!i];
        says(both[i], "send_email",
             mcp_with("{'to':'%, out@far.example','subject':'Hi \xc3\xa4','body':'One','bcc':'" CARL
                      "','attachments':['in/report.txt','/data/in/report.txt']}",
                      other),
             mcp_with("Email sent successfully to %, out@far.example with 2 attachments", other));
        const char *text = use(other, "read_email", "{'email_id':'4'}");
        assert_non_null(strstr(text, "Subject: Hi \xc3\xa4\n"));
        assert_non_null(strstr(text, "Attachments:\n1. report.txt (application/octet-stream, 13 "
                                     "bytes)\n2. report.txt"));
        assert_null(strstr(use(other, "get_email_headers", "{'email_id':'4'}"), "Bcc"));
        text = use(both[i], "get_email_headers", "{'email_id':'1','folder':'Sent'}");
        assert_non_null(strstr(text, "\nDate: Mon, 23 Nov 2026 08:00:00 +0000\n"));
        assert_non_null(strstr(text, "\nMessage-ID: <"));
        assert_non_null(strstr(text, "\nBcc: " CARL "\n"));
        test_close();
        test_open(doc);
    }
}

static void what_cannot_be_sent_leaves_nothing(void **state)
{
    static const struct {
        const char *arguments, *why;
    } of[] = {
        {"{'to':'x, Bob <b@far.example>,a..b@c.de','subject':'s','body':'b'}",
         "Error sending email: Failed to send email: Invalid TO addresses: Invalid email "
         "addresses: "
         "x, Bob <b@far.example>, a..b@c.de"},
        {"{'to':'','subject':'s','body':'b'}",
         "Error sending email: Failed to send email: Invalid TO addresses: Email list cannot be "
         "empty"},
        {"{'to':'a@b.example','subject':'s','body':'b','cc':'y'}",
         "Error sending email: Failed to send email: Invalid CC addresses: Invalid email "
         "addresses: "
         "y"},
        {"{'to':'a@b.example','subject':'s','body':'b','attachments':['none']}",
         "Error sending email: Failed to send email: Failed to send email: Attachment error: File "
         "does not exist: none"},
        {"{'to':'a@b.example','subject':'s','body':'b','attachments':['in']}",
         "Error sending email: Failed to send email: Failed to send email: Attachment error: Path "
         "is "
         "not a file: in"},
        {"{'to':'a@b.example','subject':'s','body':'b','attachments':['out/passwd']}",
         "Error sending email: Failed to send email: Failed to send email: Attachment path "
         "validation failed: Access denied - symlink target outside allowed directories: "
         "/etc/passwd not in /data"},
        {"{'to':'a@b.example','subject':'s','body':'b','attachments':['../etc/passwd']}",
         "Error sending email: Failed to send email: Failed to send email: Attachment path "
         "validation failed: Access denied - path outside allowed directories: /etc/passwd not in "
         "/data"}};
    struct sosia_blob diff;
    (void)state;
    for (size_t k = 0; k < SOSIA_LEN(of); k++)
        says(ADA, "send_email", of[k].arguments, of[k].why);
    says(ADA, "reply_email", "{'email_id':'9','body':'b'}",
         "Error replying to email: Failed to reply to email: No email content found for email 9");
    /* A token for mail alone reaches no file. */
    const struct json *v = mcp_post(
        MAIL, ADA, "mail", mcp_newest,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"send_email\",\"arguments\":{\"to\":\"a@b.example\",\"subject\":\"s\",\"body\":\"b\","
        "\"attachments\":[\"in/report.txt\"]}}}");
    assert_non_null(
        strstr(printed_at(v, "result.content.0.text"), "must have the scope workspace"));
    v = mcp_post(MAIL, ADA, "mail", mcp_newest,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"download_attachment\",\"arguments\":{\"email_id\":\"1\","
                 "\"attachment_filename\":\"figures.csv\"}}}");
    assert_non_null(
        strstr(printed_at(v, "result.content.0.text"), "must have the scope workspace"));
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &diff, &test_err), 0);
    assert_string_equal(printed_at(parsed(diff.data, diff.len), "changes"), "[]");
    sosia_blob_free(&diff);
}

static void answers_belong_to_what_they_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        const char *id =
            mcp_behind(use(both[i], "get_email_headers", "{'email_id':'2'}"), "Message-ID: <");
        id = arena_memdup(&test_arena, id, strcspn(id, ">"));
        says(both[i], "reply_email", "{'email_id':'2','body':'Yes','reply_all':true}",
             "Reply sent successfully to all recipients");
        const char *text = use(both[i], "read_email", "{'email_id':'1','folder':'Sent'}");
        assert_non_null(strstr(text, "Subject: Re: Plan\n"));
        assert_non_null(strstr(text, "To: eve@far.example\n"));
        assert_non_null(strstr(text, i ? "CC: ada@port.example, carl@port.example, x@far.example"
                                       : "CC: carl@port.example, x@far.example"));
        assert_non_null(strstr(text, "Text Content:\nYes\n\n--- Original Message ---\nFrom: "
                                     "eve@far.example\nDate: Sat, 21 Nov 2026 09:00:00 "
                                     "+0000\nSubject: Plan\n\nDie \xc3\x84pfel"));
        text = use(both[i], "get_email_headers", "{'email_id':'1','folder':'Sent'}");
        assert_non_null(strstr(text, mcp_with("\nIn-Reply-To: <%>\n", id)));
        assert_non_null(strstr(text, mcp_with("\nReferences: <%>\n", id)));
        says(both[i], "forward_email", "{'email_id':'1','to':'" CARL "','body':'See <this>'}",
             "Email forwarded successfully to " CARL);
    }
    const char *text = use(CARL, "read_email", "{'email_id':'4'}");
    assert_non_null(strstr(text, "Subject: Fwd: Figures\n"));
    assert_non_null(strstr(text, "See <this>\n\n--- Forwarded Message ---\nFrom: "
                                 "eve@far.example\nTo: ada@port.example, bob@port.example\n"));
    assert_non_null(strstr(text, "1. figures.csv (text/csv, 4 bytes)"));
}

/* ---- changing ---- */

static void mail_moves_and_goes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        const char *who = both[i];
        says(who, "move_email", "{'email_id':'2','target_folder':'Work'}",
             "Email 2 moved to Work successfully");
        assert_non_null(strstr(use(who, "get_emails", "{}"), "1. ID: 2\n   Subject: Last"));
        says(who, "move_email", "{'email_id':'2','target_folder':'None'}",
             "Error moving email: Failed to move email: Failed to move email: Failed to copy email "
             "to None: [TRYCREATE] Mailbox doesn't exist: None");
        says(who, "create_folder", "{'folder_name':'New'}", "Folder 'New' created successfully");
        says(who, "create_folder", "{'folder_name':'New'}", "Folder 'New' created successfully");
        says(who, "create_folder", "{'folder_name':'a/b'}",
             "Error creating folder: Folder name contains invalid character: /");
        says(who, "move_emails", "{'email_ids':['1','7','2','2','x'],'target_folder':'New'}",
             "Successfully moved 2/5 emails to New (3 failed: 7, 2, x)");
        const char *text = use(who, "get_folders", "{}");
        assert_non_null(strstr(text, "Available folders:\n1. INBOX (0 total, 0 unread)\n2. Sent"));
        assert_non_null(strstr(text, ". New (2 total, 0 unread)\n"));
        says(who, "delete_email", "{'email_id':'1','folder':'Work'}",
             "Email 1 deleted successfully");
        says(who, "delete_emails", "{'email_ids':['1','3'],'folder':'New'}",
             "Successfully deleted 1/2 emails (1 failed: 3)");
        assert_null(strstr(use(who, "get_emails", "{'folder':'Trash'}"), "ID:"));
        text = use(who, "get_mailbox_stats", "{}");
        assert_non_null(strstr(text, "\nOverall Total: 1 messages, 0 unread\n"));
        text = use(who, "get_mailbox_stats", "{'folder_name':'New'}");
        assert_non_null(
            strstr(text, "Folder Statistics for 'New':\nTotal messages: 1\nUnread messages: 0\n"));
        says(who, "delete_folder", "{'folder_name':'Sent'}",
             "Error deleting folder: Cannot delete system folder: Sent");
        says(who, "delete_folder", "{'folder_name':'New'}", "Folder 'New' deleted successfully");
        text = use(who, "get_mailbox_stats", "{}");
        assert_non_null(strstr(text, "\nOverall Total: 0 messages, 0 unread\n"));
    }
}

static void marks_are_the_vendors(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        says(both[i], "mark_emails", "{'email_ids':['1'],'status':'important'}",
             "Successfully marked 1/1 emails as important");
        says(both[i], "mark_emails", "{'email_ids':['1'],'status':'new'}",
             "Error: Status must be 'read', 'unread', 'important', or 'not_important'");
    }
    assert_non_null(strstr(mcp_done(ADA, "/mcp?tools=native", "gmail_users_messages_list",
                                    "{'userId':'me','labelIds':['STARRED']}"),
                           "\"resultSizeEstimate\":1"));
    assert_non_null(strstr(mcp_done(BOB, "/mcp?tools=native", "outlook_messages_list",
                                    "{'$search':'\\\"Figures\\\"','$select':'flag'}"),
                           "\"flagStatus\":\"flagged\""));
}

static void a_message_with_two_labels_stays_in_the_other(void **state)
{
    (void)state;
    const char *list =
        mcp_done(ADA, "/mcp?tools=native", "gmail_users_messages_list", "{'userId':'me'}");
    mcp_done(ADA, "/mcp?tools=native", "gmail_users_messages_modify",
             mcp_with("{'userId':'me','id':'%','body':{'addLabelIds':['Label_1']}}",
                      printed_at(parsed(list, strlen(list)), "messages.0.id")));
    assert_non_null(strstr(use(ADA, "get_emails", "{'folder':'work'}"), "Subject: Last"));
    use(ADA, "delete_email", "{'email_id':'3'}");
    assert_null(strstr(use(ADA, "get_emails", "{}"), "Subject: Last"));
    assert_non_null(strstr(use(ADA, "get_emails", "{'folder':'Work'}"), "Subject: Last"));
}

/* ---- drafts ---- */

static void drafts_are_the_mailboxs(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        const char *who = both[i];
        says(who, "get_drafts", "{}", "No drafts found");
        const char *id = mcp_behind(
            use(who, "save_draft", "{'subject':'Plan','body':'Soon','to':'Bo\\r\\nBcc: x@y.zz'}"),
            "Draft saved successfully with ID: ");
        assert_int_equal(strncmp(id, "draft_", 6), 0);
        says(who, "update_draft", mcp_with("{'draft_id':'%','body':'Now','cc':'" CARL "'}", id),
             mcp_with("Draft % updated successfully", id));
        const char *text = use(who, "get_drafts", "{}");
        assert_non_null(strstr(text, mcp_with("Drafts (Page 1/1):\nTotal drafts: 1\n\n1. ID: %\n   "
                                              "Subject: Plan\n",
                                              id)));
        assert_non_null(strstr(text, "   Updated: 2026-11-23T08:00:00\n\n"));
        text = use(who, "read_email", "{'email_id':'1','folder':'Drafts'}");
        assert_non_null(strstr(text, "CC: " CARL "\n"));
        assert_non_null(strstr(text, "Text Content:\nNow"));
        assert_null(
            strstr(use(who, "get_email_headers", "{'email_id':'1','folder':'Drafts'}"), "\nBcc:"));
        says(who, "delete_draft", mcp_with("{'draft_id':'%'}", id),
             mcp_with("Draft % deleted successfully", id));
        says(who, "delete_draft", mcp_with("{'draft_id':'%'}", id),
             mcp_with("Error deleting draft: Draft not found: %", id));
        says(who, "get_drafts", "{}", "No drafts found");
    }
}

/* ---- files ---- */

static void attachments_are_saved_as_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++)
        says(both[i], "download_attachment", "{'email_id':'1','attachment_filename':'figures.csv'}",
             i ? "Attachment 'figures.csv' saved to: /data/emails_download/figures(1).csv"
               : "Attachment 'figures.csv' saved to: /data/emails_download/figures.csv");
    mcp_says(ADA, FS, "read_text_file", "{'path':'emails_download/figures(1).csv'}", "a,b\n");
    says(ADA, "download_attachment", "{'email_id':'1','attachment_filename':'no'}",
         "Attachment 'no' not found in email 1");
}

/* Names that mean another place, and a directory that is a link out of the workspace. */
static void an_attachments_name_leads_nowhere(void **state)
{
    static const char *const names[] = {"../../up.txt", "/etc/abs.txt", ".."};
    static const char *const to[] = {"saved to: /data/emails_download/up.txt",
                                     "saved to: /data/emails_download/abs.txt",
                                     "Error downloading attachment: Failed to save attachment: a "
                                     "file must have a name"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        use(ADA, "import_emails",
            mcp_with("{'json_string':'{\\\"emails\\\":[{\\\"email_id\\\":\\\"1\\\",\\\"subject\\\":"
                     "\\\"s\\\",\\\"from_addr\\\":\\\"e@x.de\\\",\\\"to_addr\\\":\\\"\\\","
                     "\\\"attachments\\\":[{\\\"filename\\\":\\\"%\\\",\\\"content_type\\\":\\\"a/"
                     "b\\\",\\\"size\\\":1,\\\"content\\\":\\\"eA==\\\"}]}]}'}",
                     names[i]));
        const char *text =
            use(ADA, "download_attachment",
                mcp_with(arena_printf(&test_arena, "{'email_id':'%zu','attachment_filename':'%%'}",
                                      4 + i),
                         names[i]));
        if (!strstr(text, to[i]))
            fail_msg("%s: %s", names[i], text);
    }
}

static void what_is_exported_can_be_imported(void **state)
{
    static const char path[] = "/data/emails_export/INBOX_export_20261123_080000.json";
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        const char *who = both[i];
        use(who, "mark_emails", "{'email_ids':['2'],'status':'unread'}");
        use(who, "mark_emails", "{'email_ids':['1'],'status':'important'}");
        says(who, "export_emails", "{}", mcp_with("Successfully exported 3 emails to %", path));
        const char *text = mcp_done(who, FS, "read_text_file", mcp_with("{'path':'%'}", path));
        const struct json *v = parsed(text, strlen(text));
        assert_at(v, "total_emails", "3");
        assert_at(v, "export_date", "2026-11-23T08:00:00");
        assert_at(v, "emails.0.email_id", "3");
        assert_at(v, "emails.2.attachments.0.content", "YSxiCg==");
        assert_at(v, "emails.2.is_important", "true");
        assert_at(v, "emails.1.is_read", "false");
        assert_at(v, "emails.1.body_html", "<p>Die <b>\xc3\x84pfel</b></p>");
        says(who, "import_emails",
             mcp_with("{'import_path':'%','preserve_folders':false,'target_folder':'Work'}", path),
             "Successfully imported 3/3 emails to Work");
        says(who, "import_emails",
             mcp_with("{'import_path':'%','preserve_folders':false,'target_folder':'None'}", path),
             "Successfully imported 0/3 emails\n\n3 emails failed to import:\n  - Email 1: Cannot "
             "access folder 'None': Error selecting folder 'None': Failed to select folder 'None': "
             "NO\n  - Email 2: Cannot access folder 'None': Error selecting folder 'None': Failed "
             "to select folder 'None': NO\n  - Email 3: Cannot access folder 'None': Error "
             "selecting folder 'None': Failed to select folder 'None': NO");
        says(who, "get_unread_count", "{'folder_name':'Work'}", "Unread messages in 'Work': 1");
        text = use(who, "read_email", "{'email_id':'1','folder':'Work'}");
        assert_non_null(strstr(text, "Subject: Figures\n"));
        assert_non_null(strstr(text, "1. figures.csv (text/csv, 4 bytes)"));
        says(who, "export_emails", "{'folder':'INBOX','export_all_folders':true}",
             "Error exporting emails: Cannot specify both 'folder' and 'export_all_folders=True'");
        says(who, "export_emails", "{'export_all_folders':true,'max_emails':4}",
             arena_printf(&test_arena,
                          "Successfully exported 4 emails to "
                          "/data/emails_export/all_folders_export_20261123_080000.json\nExport "
                          "breakdown by folder:\n  - INBOX: 3 emails\n  - Sent: 0 emails\n  - "
                          "Drafts: 0 emails\n  - Trash: 0 emails\n  - Spam: 0 emails\n%s  - Work: "
                          "1 emails",
                          i ? "  - Archive: 0 emails\n" : ""));
    }
}

static void messages_come_from_files(void **state)
{
    (void)state;
    mcp_done(ADA, FS, "create_directory", "{'path':'box'}");
    mcp_done(ADA, FS, "write_file",
             "{'path':'box/a.eml','content':'From: e@x.de\\nSubject: Raw\\nDate: Mon, 16 Nov 2026 "
             "08:00:00 +0000\\n\\nHi\\n'}");
    mcp_done(ADA, FS, "write_file", "{'path':'box/b.txt','content':'no'}");
    for (size_t i = 0; i < SOSIA_LEN(both); i++) {
        says(both[i], "import_emails", "{'import_path':'box'}",
             "Successfully imported 1/1 emails to INBOX");
        assert_non_null(strstr(use(both[i], "read_email", "{'email_id':'1'}"), "Subject: Raw\n"));
        says(both[i], "import_emails", "{'import_path':'box/b.txt'}",
             "Error importing emails: Import failed: Unsupported import format: box/b.txt");
        says(both[i], "import_emails", "{'import_path':'/etc/passwd'}",
             "Error importing emails: Invalid import path: Access denied - path outside allowed "
             "directories: /etc/passwd not in /data");
        says(both[i], "import_emails", "{'json_string':'{}'}",
             "Error importing emails: Import failed: Invalid JSON format: missing 'emails' key");
        says(both[i], "import_emails", "{'json_string':'{\\\"emails\\\":[{}]}'}",
             "Error importing emails: Import failed: Missing required field in JSON: 'email_id'");
    }
}

/* ---- tools of other names ---- */

#define COMMUNITY "/mcp?tools=community"
#define AGENT365  "/mcp?tools=agent365"

/* The workspace's files are those that tools of the vendors' services attach and save. */
static void tools_of_services_attach_and_save_files(void **state)
{
    (void)state;
    mcp_done(ADA, COMMUNITY, "send_email",
             "{'to':['" BOB "'],'subject':'Report','body':'See','attachments':['in/report.txt']}");
    const char *text = use(BOB, "read_email", "{'email_id':'4'}");
    assert_non_null(strstr(text, "1. report.txt (application/octet-stream, 13 bytes)"));
    mcp_done(BOB, AGENT365, "SendEmailWithAttachments",
             "{'to':['" ADA
             "'],'subject':'Back','body':'Here','directAttachmentFilePaths':['/data/in/"
             "report.txt']}");
    text = use(ADA, "read_email", "{'email_id':'4'}");
    assert_non_null(strstr(text, "1. report.txt ("));
    text = mcp_done(ADA, "/mcp?tools=native", "gmail_users_messages_list",
                    "{'userId':'me','q':'subject:Back'}");
    const char *id = printed_at(parsed(text, strlen(text)), "messages.0.id");
    text = mcp_behind(mcp_done(ADA, COMMUNITY, "read_email", mcp_with("{'messageId':'%'}", id)),
                      "KB, ID: ");
    text = arena_memdup(&test_arena, text, strcspn(text, ")"));
    const char *arguments = arena_printf(
        &test_arena, "{'messageId':'%s','attachmentId':'%s','savePath':'%%'}", id, text);
    mcp_says(ADA, COMMUNITY, "download_attachment", mcp_with(arguments, "got"),
             "Path: /data/got/report.txt");
    mcp_says(ADA, FS, "read_text_file", "{'path':'got/report.txt'}", "All is well.");
    mcp_refuse(ADA, COMMUNITY, "download_attachment", mcp_with(arguments, "../up"),
               "Access denied - path outside allowed directories");
    mcp_refuse(ADA, COMMUNITY, "download_attachment", mcp_with(arguments, "out"),
               "Access denied - symlink target outside allowed directories");
    mcp_refuse(ADA, COMMUNITY, "send_email",
               "{'to':['" BOB "'],'subject':'s','body':'b','attachments':['none']}", "ENOENT");
    mcp_refuse(BOB, AGENT365, "SendEmailWithAttachments",
               "{'to':['" ADA "'],'subject':'s','body':'b','directAttachmentFilePaths':['out/x']}",
               "Access denied");
    assert_null(strstr(mcp_names(ADA, COMMUNITY "&risk=read"), "download_attachment"));
}

static void files_of_a_drive_come_and_go(void **state)
{
    (void)state;
    const char *text = mcp_done(ADA, COMMUNITY, "uploadFile", "{'localPath':'in/report.txt'}");
    assert_non_null(strstr(text, "Uploaded: report.txt\n"));
    assert_non_null(strstr(text, "Size: 13 bytes\n"));
    const char *id = mcp_behind(text, "ID: ");
    const char *arguments = arena_printf(&test_arena, "{'fileId':'%s','localPath':'%%'}", id);
    mcp_says(ADA, COMMUNITY, "downloadFile", mcp_with(arguments, "in"),
             "Saved: /data/in/report(1).txt\nSize: 13 bytes");
    mcp_says(ADA, COMMUNITY, "downloadFile", mcp_with(arguments, "new/dir/r.txt"),
             "Saved: /data/new/dir/r.txt");
    mcp_refuse(ADA, COMMUNITY, "downloadFile", mcp_with(arguments, "new/dir/r.txt"), "EEXIST");
    mcp_refuse(ADA, COMMUNITY, "downloadFile", mcp_with(arguments, "/etc/x"), "Access denied");
    mcp_refuse(ADA, COMMUNITY, "uploadFile", "{'localPath':'in'}", "EISDIR");
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(its_tools_are_the_originals),
        T(mail_is_listed_by_pages),
        T(reading_takes_the_mark_away),
        T(a_text_is_found_anywhere),
        T(what_is_sent_arrives_with_its_files),
        T(what_cannot_be_sent_leaves_nothing),
        T(answers_belong_to_what_they_answer),
        T(mail_moves_and_goes),
        T(marks_are_the_vendors),
        T(a_message_with_two_labels_stays_in_the_other),
        T(drafts_are_the_mailboxs),
        T(attachments_are_saved_as_files),
        T(an_attachments_name_leads_nowhere),
        T(what_is_exported_can_be_imported),
        T(messages_come_from_files),
        T(tools_of_services_attach_and_save_files),
        T(files_of_a_drive_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
