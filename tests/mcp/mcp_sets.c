/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of other servers' names and shapes: each is called with its documented arguments, what it
 * gives has the documented shape, and the services' state is what the vendor's API then shows. */
#include "tests/mcp/sets.h"

/* ---- lists ---- */

#define CALENDAR                                                                                   \
    "google_calendar_get_current_time google_calendar_list_calendars "                             \
    "google_calendar_create_event google_calendar_list_events google_calendar_update_event "       \
    "google_calendar_delete_event google_calendar_add_attendees_to_event "                         \
    "google_calendar_find_free_slots"
#define MAIL                                                                                       \
    "gmail_send_email gmail_draft_email gmail_read_email gmail_search_emails gmail_modify_email "  \
    "gmail_delete_email gmail_batch_modify_emails gmail_batch_delete_emails "                      \
    "gmail_get_email_attachments"
#define DRIVE                                                                                      \
    "google_drive_search_documents google_drive_search_and_retrieve_documents "                    \
    "google_drive_get_file_tree_structure google_drive_empty_trash "                               \
    "google_drive_create_shared_drive google_drive_get_document_by_id"
#define READING                                                                                    \
    "slack_get_channel_history slack_get_thread_replies slack_invite_users_to_channel "            \
    "slack_list_users"

static void a_set_has_its_tools(void **state)
{
    assert_string_equal(mcp_names(ADA, "/mcp/calendar?tools=hosted"), CALENDAR);
    assert_string_equal(mcp_names(ADA, "/mcp/gmail?tools=hosted"), MAIL);
    assert_string_equal(mcp_names(ADA, "/mcp/drive?tools=hosted"), DRIVE);
    assert_string_equal(mcp_names(ADA, "/mcp/slack?tools=hosted"),
                        "slack_user_list_channels " READING
                        " slack_user_get_info slack_user_search_messages slack_user_post_message "
                        "slack_user_reply_to_thread slack_user_add_reaction");
    assert_string_equal(mcp_names("deploybot", "/mcp/slack?tools=hosted"),
                        READING " slack_bot_post_message slack_bot_reply_to_thread "
                                "slack_bot_add_reaction");
    assert_string_equal(mcp_names(ADA, "/mcp/drive?tools=reference"), "search");
    const char *reference = mcp_names(ADA, "/mcp/slack?tools=reference");
    static const char archived[] =
        "slack_list_channels slack_post_message slack_reply_to_thread slack_add_reaction "
        "slack_get_channel_history slack_get_thread_replies slack_get_users slack_get_user_profile";
    assert_memory_equal(reference, archived, sizeof archived - 1);
    assert_string_equal(mcp_names(ADA, "/mcp?tools=common"), mcp_names(ADA, "/mcp"));
    assert_null(strstr(mcp_names(ADA, "/mcp"), "google_calendar_"));
}

/* Calls every listed tool of a service without arguments: none says that it takes other tokens. */
static void no_listed_tool_needs_another_token(const char *who)
{
    char *all = arena_strdup(&test_arena, mcp_names(who, "/mcp/slack")), *rest, *name;
    for (name = strtok_r(all, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        if (strstr(mcp_call(who, "/mcp/slack", name, "{}"), "not_allowed_token_type"))
            fail_msg("%s of %s: %s", name, who, test_body);
}

static void what_takes_other_tokens_is_not_listed(void **state)
{
    static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}";
    const char *names = mcp_names(ADA, "/mcp/slack?tools=native");
    assert_null(strstr(names, "slack_views_")); /* for apps */
    assert_null(strstr(names, "slack_dialog_open"));
    assert_null(strstr(names, "slack_apps_manifest_")); /* for tokens that configure them */
    assert_null(strstr(names, "slack_chat_startStream"));
    assert_non_null(strstr(names, "slack_chat_postMessage"));
    names = mcp_names("deploybot", "/mcp/slack?tools=native");
    assert_non_null(strstr(names, "slack_views_publish"));
    assert_non_null(strstr(names, "slack_dialog_open"));
    assert_null(strstr(names, "slack_apps_manifest_"));
    mcp_post("/mcp/slack?tools=native", ADA, "app_configurations:write", mcp_newest, list);
    assert_non_null(strstr(test_body, "slack_apps_manifest_create"));
    assert_null(strstr(test_body, "slack_views_"));
    no_listed_tool_needs_another_token(ADA);
    no_listed_tool_needs_another_token("deploybot");
}

static void a_set_is_limited_by_risk_and_scope(void **state)
{
    assert_string_equal(mcp_names(ADA, "/mcp/calendar?tools=hosted&risk=read"),
                        "google_calendar_get_current_time google_calendar_list_calendars "
                        "google_calendar_list_events google_calendar_find_free_slots");
    const struct sosia_header headers[] = {
        {"Content-Type", "application/json"},
        {"MCP-Protocol-Version", "2025-11-25"},
        {"Authorization", test_bearer(ADA, "https://www.googleapis.com/auth/gmail.send "
                                           "https://www.googleapis.com/auth/gmail.metadata")}};
    static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}";
    const struct json *r = test_request("POST", "/mcp?tools=hosted", headers, SOSIA_LEN(headers),
                                        list, sizeof list - 1);
    assert_string_equal(printed_at(r, "result.tools.0.name"), "gmail_send_email");
    assert_null(strstr(test_body, "gmail_delete_email"));
    assert_null(strstr(test_body, "google_"));
    static const char send[] =
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"gmail_delete_email\",\"arguments\":{\"messageId\":\"1a20000000000001\"}}}";
    r = test_request("POST", "/mcp?tools=hosted", headers, SOSIA_LEN(headers), send,
                     sizeof send - 1);
    assert_at(r, "error.code", "-32602");
    r = mcp_ask(ADA, "/mcp?tools=mine", "tools/list", "{}");
    assert_at(r, "error.code", "-32602");
    r = mcp_ask(ADA, "/mcp", "tools/call", "{\"name\":\"gmail_delete_email\"}");
    assert_at(r, "error.message", "Unknown tool: gmail_delete_email");
}

/* ---- hosted: calendar ---- */

static void the_time_is_the_users(void **state)
{
    const struct json *v = use("google_calendar_get_current_time", "{}");
    assert_string_equal(members(v, ""), "datetime timezone date time dayOfWeek");
    assert_at(v, "datetime", "2026-03-12T09:00:00");
    assert_at(v, "timezone", "Europe/Rome");
    assert_at(v, "dayOfWeek", "Thursday");
}

static void calendars_are_listed(void **state)
{
    const struct json *v = use("google_calendar_list_calendars", "{'max_results':1}");
    assert_string_equal(members(v, ""), "nextPageToken count calendars");
    assert_at(v, "nextPageToken", "null");
    assert_at(v, "calendars.0.id", ADA);
    assert_at(v, "calendars.0.timezone", "Europe/Rome");
}

static void an_event_is_made_with_guests_and_a_call(void **state)
{
    const struct json *v = use("google_calendar_create_event",
                               "{'summary':'Review','start_datetime':'2026-03-16T10:00:00',"
                               "'end_datetime':'2026-03-16T10:00:00Z','location':'Room 2',"
                               "'attendees':['bob@acme.example'],'add_google_meet':true,"
                               "'recurrence':['RRULE:FREQ=WEEKLY;COUNT=2']}");
    assert_at(v, "event.title", "Review");
    assert_at(v, "event.startTime", "2026-03-16T10:00:00+01:00");
    assert_at(v, "event.endTime", "2026-03-16T11:00:00+01:00");
    assert_at(v, "event.dayOfWeek", "Monday");
    assert_at(v, "event.attendees.0.email", BOB);
    assert_at(v, "event.attendees.0.responseStatus", "needsAction");
    assert_at(v, "event.organizerEmail", ADA);
    assert_at(v, "event.recurrence.0", "RRULE:FREQ=WEEKLY;COUNT=2");
    assert_non_null(strstr(printed_at(v, "event.meetingLink"), "https://meet.google.com/"));
    v = get(BOB, arena_printf(&test_arena, "/calendar/v3/calendars/primary/events/%s",
                              printed_at(v, "event.id")));
    assert_at(v, "summary", "Review");
    assert_at(v, "location", "Room 2");
}

static void a_whole_day_is_a_date(void **state)
{
    const struct json *v = use("google_calendar_create_event",
                               "{'summary':'Off','start_datetime':'2026-03-16','end_datetime':"
                               "'2026-03-17','visibility':'private'}");
    assert_at(v, "event.startDate", "2026-03-16");
    assert_at(v, "event.endDate", "2026-03-17");
    assert_at(v, "event.startTime", "");
    assert_at(v, "event.dayOfWeek", "Monday");
    assert_at(v, "event.visibility", "private");
}

static void events_of_a_range_are_listed(void **state)
{
    const struct json *v =
        use("google_calendar_list_events", "{'min_end_datetime':'2026-03-14T00:00:00',"
                                           "'max_start_datetime':'2026-03-12T00:00:00'}");
    assert_at(v, "count", "2");
    assert_at(v, "events.0.title", "Lunch");
    assert_at(v, "events.1.location", "Room 1");
    v = use("google_calendar_list_events", "{'min_end_datetime':'2026-03-12T13:00:00',"
                                           "'max_start_datetime':'2026-03-13T08:59:00Z'}");
    assert_at(v, "count", "0");
}

static void an_event_is_changed(void **state)
{
    say("google_calendar_update_event",
        "{'event_id':'planning0001','updated_summary':'Plans','updated_start_datetime':"
        "'2026-03-13T14:00:00','updated_end_datetime':'2026-03-13T15:00:00','attendees_to_add':"
        "['eve@far.example','BOB@acme.example']}",
        "Event planning0001 was updated at ");
    const struct json *v = get(ADA, "/calendar/v3/calendars/primary/events/planning0001");
    assert_at(v, "summary", "Plans");
    assert_at(v, "start.dateTime", "2026-03-13T14:00:00+01:00");
    assert_at(v, "location", "Room 1");
    assert_at(v, "attendees.1.email", "eve@far.example");
    assert_at(v, "attendees.2", "");
    say("google_calendar_update_event",
        "{'event_id':'planning0001','attendees_to_remove':['Eve@far.example'],"
        "'updated_description':''}",
        "planning0001");
    v = get(ADA, "/calendar/v3/calendars/primary/events/planning0001");
    assert_at(v, "attendees.0.email", BOB);
    assert_at(v, "attendees.1", "");
    assert_at(v, "summary", "Plans");
}

static void guests_are_added_once(void **state)
{
    static const char arguments[] =
        "{'event_id':'planning0001','attendees':['bob@acme.example','eve@far.example']}";
    say("google_calendar_add_attendees_to_event", arguments,
        "1 new guests of the event planning0001: eve@far.example.");
    say("google_calendar_add_attendees_to_event", arguments, "Nobody was added");
    assert_at(get(ADA, "/calendar/v3/calendars/primary/events/planning0001"), "attendees.1.email",
              "eve@far.example");
}

static void an_event_is_deleted(void **state)
{
    say("google_calendar_delete_event", "{'event_id':'lunch0000001','send_updates':'none'}",
        "Nobody was notified.");
    assert_at(get(ADA, "/calendar/v3/calendars/primary/events/lunch0000001"), "status",
              "cancelled");
}

static void gaps_lie_between_what_is_busy(void **state)
{
    const struct json *v = use("google_calendar_find_free_slots",
                               "{'time_min':'2026-03-12T11:45:00','time_max':"
                               "'2026-03-12T18:00:00','timezone':'Europe/Rome',"
                               "'items':['ada@acme.example','nobody@far.example']}");
    const struct json *ada = json_get(json_get(v, "calendars"), ADA);
    assert_at(ada, "busy.0.start", "2026-03-12T12:00:00+01:00");
    assert_at(ada, "free.0.start",
              "2026-03-12T13:00:00+01:00"); /* the first is shorter than 30 min */
    assert_at(ada, "free.0.end", "2026-03-12T18:00:00+01:00");
    assert_at(ada, "free.1", "");
    assert_at(json_get(json_get(v, "calendars"), "nobody@far.example"), "error", "notFound");
    v = use("google_calendar_find_free_slots", "{'timezone':'Europe/Rome'}");
    assert_at(v, "calendars.primary.free.0.start", "2026-03-12T00:00:00+01:00");
    assert_at(v, "calendars.primary.free.1.end", "2026-03-12T23:59:59+01:00");
    v = use("google_calendar_find_free_slots", "{'time_min':'2026-04-01','time_max':'2026-04-02'}");
    assert_at(v, "calendars.primary.free.0.end", "2026-04-02T00:00:00+00:00");
    assert_at(v, "calendars.primary.free.1", "");
}

/* ---- hosted: mail ---- */

static void a_letter_is_sent_and_read(void **state)
{
    const struct json *v =
        use("gmail_send_email",
            "{'to':['bob@acme.example'],'cc':['ada@acme.example'],'subject':'Größe der "
            "Stühle, "
            "die für den neuen Besprechungsraum bestellt wurden','body':'Schöne "
            "Stühle','htmlBody':'<p>Schöne "
            "Stühle</p>','mimeType':'multipart/alternative','threadId':'','inReplyTo':''}");
    assert_string_equal(members(v, ""), "message messageId");
    v = use("gmail_read_email",
            arena_printf(&test_arena, "{'messageId':'%s'}", printed_at(v, "messageId")));
    assert_string_equal(members(v, ""), "threadId messageCount emails");
    assert_string_equal(members(v, "emails.0"), "messageId subject from to cc date body");
    assert_at(v, "emails.0.subject",
              "Größe der Stühle, die für den neuen Besprechungsraum bestellt wurden");
    assert_at(v, "emails.0.to", BOB);
    assert_at(v, "emails.0.body.text", "Schöne Stühle");
    assert_at(v, "emails.0.body.html", "<p>Schöne Stühle</p>");
    assert_at(v, "emails.0.body.preferredFormat", "text/plain");
    v = get(BOB, "/gmail/v1/users/me/messages?q=in:inbox");
    assert_int_equal(json_get(v, "messages")->n, 1);
}

static void an_answer_is_in_its_thread(void **state)
{
    use("gmail_send_email",
        "{'to':['bob@acme.example'],'subject':'Re: Figures','body':'Thanks','threadId':"
        "'1a20000000000001','inReplyTo':'<fig@acme.example>'}");
    const struct json *v = use("gmail_read_email", "{'messageId':'1a20000000000001'}");
    assert_at(v, "messageCount", "2");
    assert_at(v, "threadId", "1a20000000000001");
    assert_at(v, "emails.0.cc", "eve@far.example");
    assert_at(v, "emails.0.attachments.0.filename", "figures.csv");
    assert_string_equal(members(v, "emails.0.attachments.0"), "id filename mimeType size");
    assert_at(v, "emails.1.subject", "Re: Figures");
}

static void a_draft_is_kept(void **state)
{
    const struct json *v = use(
        "gmail_draft_email",
        "{'to':['bob@acme.example'],'subject':'Later','body':'<b>x</b>','mimeType':'text/html'}");
    assert_string_equal(members(v, ""), "message draftId");
    v = get(ADA,
            arena_printf(&test_arena, "/gmail/v1/users/me/drafts/%s", printed_at(v, "draftId")));
    assert_at(v, "message.payload.mimeType", "text/html");
    assert_at(v, "message.labelIds.0", "DRAFT");
}

static void messages_are_searched(void **state)
{
    const struct json *v = use("gmail_search_emails", "{'query':'from:eve'}");
    assert_int_equal(v->n, 2);
    assert_string_equal(members(v, "0"), "id subject from date");
    assert_at(v, "0.subject", "Offer again");
    assert_at(v, "1.from", "Eve <eve@far.example>");
    v = use("gmail_search_emails", "{'query':'in:inbox','maxResults':1}");
    assert_int_equal(v->n, 1);
    v = use("gmail_search_emails", "{'query':'from:nobody'}");
    assert_int_equal(v->n, 0);
}

static const char *labels_of(const char *id)
{
    const struct json *v =
        get(ADA, arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s?format=minimal", id));
    return test_status == 200 ? printed_at(v, "labelIds") : printed_at(v, "error.code");
}

static void labels_are_changed(void **state)
{
    const struct json *v =
        use("gmail_modify_email", "{'messageId':'1a20000000000001','addLabelIds':['STARRED'],"
                                  "'removeLabelIds':['UNREAD']}");
    assert_string_equal(members(v, ""), "message messageId addedLabels removedLabels");
    assert_non_null(strstr(labels_of("1a20000000000001"), "STARRED"));
    assert_null(strstr(labels_of("1a20000000000001"), "UNREAD"));
    v = use("gmail_batch_modify_emails",
            "{'messageIds':['1a20000000000002','1a2000000000ffff','1a20000000000003'],"
            "'removeLabelIds':['INBOX']}");
    assert_string_equal(members(v, ""), "message successCount failureCount failures");
    assert_at(v, "successCount", "2");
    assert_at(v, "failures.0.messageId", "1a2000000000ffff");
    assert_at(v, "failures.0.error", "404 notFound: Requested entity was not found.");
    assert_null(strstr(labels_of("1a20000000000003"), "INBOX"));
}

static void messages_are_deleted(void **state)
{
    const struct json *v = use("gmail_delete_email", "{'messageId':'1a20000000000001'}");
    assert_string_equal(members(v, ""), "message messageId");
    assert_string_equal(labels_of("1a20000000000001"), "404");
    v = use("gmail_batch_delete_emails",
            "{'messageIds':['1a20000000000002','1a20000000000001','1a20000000000003']}");
    assert_at(v, "successCount", "2");
    assert_at(v, "failureCount", "1");
    assert_string_equal(labels_of("1a20000000000003"), "404");
}

static void files_of_a_message_are_content(void **state)
{
    const struct json *v = use("gmail_get_email_attachments", "{'messageId':'1a20000000000001'}"),
                      *r, *c;
    assert_at(v, "attachmentCount", "3");
    assert_string_equal(members(v, "attachments.0"), "attachmentId filename mimeType size");
    assert_int_equal(json_parse(&test_arena, test_body, test_len, NULL, &r, NULL), 0);
    c = json_get(json_get(r, "result"), "content");
    assert_int_equal(c->n, 4);
    assert_at(c, "1.text", "a,b\n");
    assert_at(c, "2.type", "image");
    assert_at(c, "2.mimeType", "image/png");
    assert_at(c, "2.data", "iVBORw0KGgo=");
    assert_at(c, "3.text",
              "x.bin (application/octet-stream, 3 bytes)\n"
              "data:application/octet-stream;base64,AAEC");
    v = use("gmail_get_email_attachments", "{'messageId':'1a20000000000002'}");
    assert_at(v, "attachmentCount", "0");
}

/* ---- hosted: drive ---- */

static void documents_are_searched_and_read(void **state)
{
    const struct json *v = use("google_drive_search_documents", "{'document_contains':['budget']}");
    assert_string_equal(members(v, ""), "documents_count documents");
    assert_at(v, "documents.0.id", "1Budget");
    assert_at(v, "documents.1", "");
    assert_string_equal(members(v, "documents.0"), "id name mimeType");
    v = use("google_drive_search_documents",
            "{'document_contains':['Ada\\'s'],'document_not_contains':['budget']}");
    assert_at(v, "documents.0.id", "1Notes");
    v = use("google_drive_search_documents",
            "{'document_not_contains':['budget'],'order_by':['name desc']}");
    assert_at(v, "documents_count", "1");
    assert_at(v, "documents.0.id", "1Notes");
    v = use("google_drive_search_and_retrieve_documents", "{'document_contains':['12']}");
    assert_at(v, "documents.0.title", "Budget 2026");
    assert_non_null(strstr(printed_at(v, "documents.0.body"), "# Budget"));
    v = use("google_drive_get_document_by_id", "{'document_id':'1Budget','return_format':'html'}");
    assert_string_equal(members(v, ""), "title body documentId");
    assert_non_null(strstr(printed_at(v, "body"), "<h1"));
}

static void files_are_a_tree(void **state)
{
    const struct json *v =
        use("google_drive_create_shared_drive", "{'name':'Projects','request_id':'r1'}");
    const char *id = printed_at(v, "id");
    assert_at(v, "name", "Projects");
    assert_at(use("google_drive_create_shared_drive", "{'name':'Projects','request_id':'r2'}"),
              "kind", "drive#drive");
    const char *file = arena_printf(
        &test_arena, "{\"name\":\"p.txt\",\"mimeType\":\"text/plain\",\"parents\":[\"%s\"]}", id);
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    test_request("POST", "/drive/v3/files?supportsAllDrives=true", headers, 2, file, strlen(file));
    assert_int_equal(test_status, 200);
    v = use("google_drive_get_file_tree_structure", "{'order_by':['name']}");
    assert_at(v, "drives.0.name", "My Drive");
    assert_at(v, "drives.1", "");
    v = use("google_drive_get_file_tree_structure",
            "{'order_by':['name'],'include_shared_drives':true,'limit':1}");
    const struct json *children = json_get(&json_get(v, "drives")->items[0], "children");
    assert_at(children, "0.name", "Ada's notes");
    assert_at(children, "0.owners.0.email", ADA);
    assert_at(children, "1.name", "Plans");
    assert_at(children, "1.children.0.name", "Budget 2026");
    v = use("google_drive_get_file_tree_structure",
            arena_printf(&test_arena, "{'restrict_to_shared_drive_id':'%s'}", id));
    assert_at(v, "drives.0.name", "Projects");
    assert_at(v, "drives.0.id", id);
    assert_at(v, "drives.0.children.0.name", "p.txt");
}

static void the_trash_is_emptied(void **state)
{
    assert_at(use("google_drive_empty_trash", "{}"), "success", "true");
    get(ADA, "/drive/v3/files/1Old");
    assert_int_equal(test_status, 404);
}

/* ---- hosted: chat ---- */

static const char *ts_of(const struct json *posted)
{
    assert_at(posted, "ok", "true");
    return printed_at(posted, "ts");
}

static void channels_and_members_are_listed(void **state)
{
    const struct json *v = use("slack_user_list_channels", "{}");
    assert_string_equal(members(v, ""), "ok channels summary response_metadata");
    assert_string_equal(members(v, "channels.0"), "id name");
    assert_at(v, "summary.total_returned", "2");
    v = use("slack_user_list_channels", "{'channel_name':'GENE','response_format':'detailed'}");
    assert_at(v, "summary.total_returned", "1");
    assert_at(v, "channels.0.is_general", "true");
    v = use("slack_list_users", "{'name':'stone'}");
    assert_string_equal(members(v, "members.0"), "id name real_name");
    assert_at(v, "members.0.id", "U0BOB");
    assert_at(v, "members.1", "");
    v = use("slack_list_users", "{'user_id':'U0ADA','name':'stone'}");
    assert_at(v, "summary.total_returned", "2");
    assert_at(use("slack_user_get_info", "{'user_id':'U0BOB'}"), "user.profile.email", BOB);
}

static void what_is_written_is_read(void **state)
{
    const char *ts = ts_of(
        use("slack_user_post_message", "{'channel_id':'C0GENERAL1','text':'Who has the keys?'}"));
    const struct json *v =
        use("slack_user_reply_to_thread",
            arena_printf(&test_arena, "{'channel_id':'C0GENERAL1','thread_ts':'%s','text':'I do'}",
                         ts));
    assert_at(v, "message.thread_ts", ts);
    assert_at(
        use("slack_user_add_reaction",
            arena_printf(&test_arena,
                         "{'channel_id':'C0GENERAL1','timestamp':'%s','reaction':'key'}", ts)),
        "ok", "true");
    v = use("slack_get_channel_history", "{'channel_id':'C0GENERAL1','limit':1}");
    assert_string_equal(members(v, "messages.0"),
                        "user_id ts text thread_ts reply_count is_thread_parent reactions");
    assert_at(v, "messages.0.text", "Who has the keys?");
    assert_at(v, "messages.0.reply_count", "1");
    assert_at(v, "messages.0.is_thread_parent", "true");
    assert_at(v, "messages.0.reactions", "key * 1");
    v = use("slack_get_thread_replies",
            arena_printf(&test_arena, "{'channel_id':'C0GENERAL1','thread_ts':'%s'}", ts));
    assert_string_equal(members(v, "messages.1"),
                        "user_id ts text thread_ts is_parent parent_user_id");
    assert_at(v, "messages.0.is_parent", "true");
    assert_at(v, "messages.1.parent_user_id", "U0ADA");
    assert_at(v, "has_more", "false");
    v = use("slack_user_search_messages", "{'query':'keys','channel_ids':['C0GENERAL1']}");
    assert_at(v, "query", "keys in:C0GENERAL1");
    assert_at(v, "messages.total", "1");
    assert_string_equal(members(v, "messages.matches.0"),
                        "channel_id channel_name user_id username ts text permalink");
    v = use("slack_user_search_messages", "{'query':'keys','to_me':'mention'}");
    assert_at(v, "query", "keys <@U0ADA>");
}

static void a_bot_writes_as_itself(void **state)
{
    const struct json *v = NULL;
    const char *text = call_of("hosted", "deploybot", "slack_bot_post_message",
                               "{'channel_id':'C0DEV','text':'Deployed'}");
    assert_int_equal(json_parse(&test_arena, text, strlen(text), NULL, &v, NULL), 0);
    assert_at(v, "message.bot_id", "B0DEPLOY");
    const char *ts = ts_of(v);
    call_of("hosted", "deploybot", "slack_bot_reply_to_thread",
            arena_printf(&test_arena, "{'channel_id':'C0DEV','thread_ts':'%s','text':'All of it'}",
                         ts));
    assert_false(mcp_refused);
    call_of(
        "hosted", "deploybot", "slack_bot_add_reaction",
        arena_printf(&test_arena, "{'channel_id':'C0DEV','timestamp':'%s','reaction':'tada'}", ts));
    assert_false(mcp_refused);
    v = use("slack_get_channel_history", "{'channel_id':'C0DEV'}");
    assert_at(v, "messages.0.user_id", "U0DEPLOY");
    assert_at(v, "messages.0.reactions", "tada * 1");
}

static void people_are_invited(void **state)
{
    const struct json *v =
        use("slack_invite_users_to_channel", "{'channel_id':'C0DEV','user_ids':['U0BOB']}");
    assert_at(v, "channel.id", "C0DEV");
    v = get(BOB, "/api/conversations.info?channel=C0DEV");
    assert_at(v, "channel.is_member", "true");
}

/* ---- reference ---- */

static const struct json *ask(const char *tool, const char *arguments)
{
    const struct json *v = NULL;
    const char *text = call_of("reference", ADA, tool, arguments);
    if (mcp_refused || json_parse(&test_arena, text, strlen(text), NULL, &v, NULL) < 0)
        fail_msg("%s: %s", tool, text);
    assert_null(strchr(text, '\n'));
    return v;
}

static void the_archived_servers_are_there(void **state)
{
    const char *ts = ts_of(ask("slack_post_message", "{'channel_id':'C0DEV','text':'Hello'}"));
    const char *reply =
        arena_printf(&test_arena, "{'channel_id':'C0DEV','thread_ts':'%s','text':'Hello you'}", ts);
    ask("slack_reply_to_thread", reply);
    ask("slack_add_reaction",
        arena_printf(&test_arena, "{'channel_id':'C0DEV','timestamp':'%s','reaction':'wave'}", ts));
    assert_at(ask("slack_get_channel_history", "{'channel_id':'C0DEV','limit':1}"),
              "messages.0.reactions.0.name", "wave");
    assert_at(ask("slack_get_thread_replies",
                  arena_printf(&test_arena, "{'channel_id':'C0DEV','thread_ts':'%s'}", ts)),
              "messages.1.text", "Hello you");
    assert_at(ask("slack_list_channels", "{'limit':1}"), "channels.1", "");
    assert_true(json_get(ask("slack_get_users", "{}"), "members")->n >= 3);
    assert_at(ask("slack_get_user_profile", "{'user_id':'U0BOB'}"), "profile.real_name",
              "Bob Stone");
    assert_string_equal(call_of("reference", ADA, "search", "{'query':'spend'}"),
                        "Found 1 files:\nBudget 2026 (application/vnd.google-apps.document)");
    assert_string_equal(call_of("reference", ADA, "search", "{'query':'zebra'}"),
                        "Found 0 files:\n");
    /* numbers are the service's to refuse, but for too large ones */
    refuse("reference", "slack_list_channels", "{'limit':-1}", "invalid_limit");
    refuse("reference", "slack_get_users", "{'limit':2.5}", "invalid_limit");
    assert_non_null(
        strstr(call_of("reference", ADA, "slack_list_channels", "{'limit':500}"), "\"ok\":true"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_set_has_its_tools),
        TEST(what_takes_other_tokens_is_not_listed),
        TEST(a_set_is_limited_by_risk_and_scope),
        TEST(the_time_is_the_users),
        TEST(calendars_are_listed),
        TEST(an_event_is_made_with_guests_and_a_call),
        TEST(a_whole_day_is_a_date),
        TEST(events_of_a_range_are_listed),
        TEST(an_event_is_changed),
        TEST(guests_are_added_once),
        TEST(an_event_is_deleted),
        TEST(gaps_lie_between_what_is_busy),
        TEST(a_letter_is_sent_and_read),
        TEST(an_answer_is_in_its_thread),
        TEST(a_draft_is_kept),
        TEST(messages_are_searched),
        TEST(labels_are_changed),
        TEST(messages_are_deleted),
        TEST(files_of_a_message_are_content),
        TEST(documents_are_searched_and_read),
        TEST(files_are_a_tree),
        TEST(the_trash_is_emptied),
        TEST(channels_and_members_are_listed),
        TEST(what_is_written_is_read),
        TEST(a_bot_writes_as_itself),
        TEST(people_are_invited),
        TEST(the_archived_servers_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
