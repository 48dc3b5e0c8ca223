/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of the set "workspace": each is called with its documented arguments. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA  "ada@acme.example"
#define PATH "/mcp?tools=workspace"
#define ME   "'user_google_email':'ada@acme.example'"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames, zone: Europe/Rome}\n"
    "  - {email: bob@acme.example, name: Bob Stone}\n"
    "calendars:\n"
    "  - {id: bob@acme.example, primary: true, events: [{id: lunch1, summary: Lunch, start: "
    "'2026-03-13T12:00', end: '2026-03-13T13:00', attendees: [{email: bob@acme.example}, {email: "
    "ada@acme.example}]}]}\n"
    "  - {id: ada@acme.example, primary: true, events: [{id: review1, summary: Budget review, "
    "start: '2026-03-12T10:00', end: '2026-03-12T11:00', attendees: [{email: "
    "bob@acme.example}]}]}\n"
    "mailboxes:\n"
    "  - person: ada@acme.example\n"
    "    messages:\n"
    "      - {id: '1a20000000000001', from: Bob Stone <bob@acme.example>, to: ada@acme.example, "
    "subject: Figures, messageId: '<figures@acme.example>', date: 2026-03-11T09:00:00+01:00, text: "
    "The figures., labels: [INBOX, "
    "UNREAD], attachments: [{filename: figures.csv, type: text/csv, text: \"a,b\\n\"}]}\n"
    "      - {id: '1a20000000000002', from: Eve <eve@far.example>, to: ada@acme.example, subject: "
    "Offer, date: 2026-03-11T10:00:00+01:00, html: <p>An offer.</p>, labels: [INBOX]}\n"
    "gmail:\n"
    "  - person: ada@acme.example\n"
    "    sendAs: [{sendAsEmail: ada@acme.example, displayName: Ada Ames, signature: '<i>-- "
    "Ada</i>'}, {sendAsEmail: sales@acme.example, displayName: Sales, treatAsAlias: true}]\n"
    "files:\n"
    "  - {id: work, owner: ada@acme.example, name: Work, type: folder}\n"
    "  - {id: plan, owner: ada@acme.example, name: plan.txt, mime: text/plain, content: the "
    "harbour plan, parent: work}\n"
    "  - {id: paper, owner: ada@acme.example, name: Paper, type: document, content: A paper}\n";

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

static void says(const char *tool, const char *arguments, const char *expected)
{
    mcp_says(ADA, PATH, tool, arguments, expected);
}

static void calendars(void **state)
{
    says("list_calendars", "{" ME "}", "(Primary) (ID: ada@acme.example)");
    refuse("list_calendars", "{'user_google_email':'bob@acme.example'}",
           "user_google_email must be ada@acme.example");
    refuse("list_calendars", "{}", "user_google_email is required");
    says("get_events", "{" ME "}",
         "- \"Budget review\" (Starts: 2026-03-12T10:00:00+01:00, Ends: 2026-03-12T11:00:00+01:00) "
         "ID: review1");
    says("get_events", "{" ME ",'event_id':'review1','detailed':true}",
         "- Color ID: None\n- Creator: <ada@acme.example>\n- Organizer: <ada@acme.example>\n"
         "- Attendees: bob@acme.example\n- Attendee Details: bob@acme.example: needsAction\n"
         "- Event ID: review1\n- Link: https://");
    says(
        "get_events",
        "{" ME ",'time_min':' \\\"2026-03-12\\\" ','time_max':'null','detailed':true}",
        "- \"Budget review\" (Starts: 2026-03-12T10:00:00+01:00, Ends: 2026-03-12T11:00:00+01:00)\n"
        "  Description: No Description\n  Location: No Location\n"
        "  Creator: <ada@acme.example>\n  Organizer: <ada@acme.example>\n"
        "  Attendees: bob@acme.example\n  Attendee Details: bob@acme.example: needsAction\n"
        "  ID: review1 | Link: https://");
    says("get_events", "{" ME ",'time_min':'2026-04-01'}", "No events found");
    refuse("get_events", "{" ME ",'event_id':'none1'}", "404 notFound");
    const char *id =
        mcp_behind(done("manage_event", "{" ME ",'action':'create','summary':'Lunch',"
                                        "'start_time':'2026-03-12T12:00:00','end_time':"
                                        "'2026-03-12T13:00:00','timezone':'Europe/Rome',"
                                        "'attendees':['bob@acme.example'],'reminders':[{"
                                        "'method':'popup','minutes':5}]}"),
                   "(ID: ");
    says("get_events", mcp_with("{" ME ",'event_id':'%'}", id),
         "Starts: 2026-03-12T12:00:00+01:00");
    says("manage_event",
         mcp_with("{" ME ",'action':'update','event_id':'%','start_time':'2026-03-13','end_time':"
                  "'2026-03-14'}",
                  id),
         "Event changed: Lunch");
    says("get_events", mcp_with("{" ME ",'event_id':'%'}", id), "(Starts: 2026-03-13,");
    says("manage_event", mcp_with("{" ME ",'action':'delete','event_id':'%'}", id),
         "Event deleted");
    refuse("manage_event", "{" ME ",'action':'create'}", "summary is required");
    refuse("manage_event", "{" ME ",'action':'move'}", "action must be one of");
}

static void invitations(void **state)
{
    says("manage_event",
         "{" ME ",'action':'rsvp','event_id':'lunch1','response':'tentative','rsvp_comment':"
         "'Perhaps.','send_updates':'none'}",
         "Response to Lunch (ID: lunch1) for ada@acme.example: tentative");
    says("get_events", "{" ME ",'event_id':'lunch1','detailed':true}",
         "ada@acme.example: tentative");
    refuse("manage_event", "{" ME ",'action':'rsvp','event_id':'lunch1'}", "response is required");
    refuse("manage_event", "{" ME ",'action':'rsvp','event_id':'lunch1','response':'maybe'}",
           "response must be one of accepted, declined");
    refuse("manage_event", "{" ME ",'action':'rsvp','event_id':'review1','response':'declined'}",
           "not its organizer");
    refuse("manage_event", "{" ME ",'action':'rsvp','event_id':'none1','response':'declined'}",
           "404 notFound");
    const char *id =
        mcp_behind(done("manage_event", "{" ME ",'action':'create','summary':'Alone',"
                                        "'start_time':'2026-03-12T12:00:00Z','end_time':"
                                        "'2026-03-12T13:00:00Z'}"),
                   "(ID: ");
    refuse("manage_event",
           mcp_with("{" ME ",'action':'rsvp','event_id':'%','response':'declined'}", id),
           "must have guests");
    refuse("manage_event",
           mcp_with("{" ME ",'action':'delete','event_id':'%','send_updates':'some'}", id),
           "send_updates must be one of");
}

static void calls_and_files_of_events(void **state)
{
    const char *text = done(
        "manage_event",
        "{" ME ",'action':'create','summary':'Call','start_time':"
        "'2026-03-12T15:00:00Z','end_time':'2026-03-12T16:00:00Z','timezone':'UTC','recurrence':["
        "'RRULE:FREQ=DAILY;COUNT=2'],'add_google_meet':true,'attachments':['plan',"
        "'https://docs.google.com/document/d/paper/edit','https://far.example/x']}");
    assert_non_null(strstr(text, "Google Meet: https://meet.google.com/"));
    const char *id = mcp_behind(text, "(ID: ");
    says("get_events",
         mcp_with("{" ME ",'event_id':'%','detailed':true,'include_attachments':true}", id),
         "- Attachments: plan.txt\n  File URL: https://drive.google.com/open?id=plan\n"
         "  File ID: plan\n  MIME Type: text/plain\n  Paper\n  File URL: "
         "https://drive.google.com/open?id=paper\n  File ID: paper\n  MIME Type: "
         "application/vnd.google-apps.document\n- Event ID: ");
    says("get_events", "{" ME ",'query':'Call'}", ": 2\n");
    text = done("manage_event",
                mcp_with("{" ME ",'action':'update','event_id':'%','add_google_meet':false}", id));
    assert_null(strstr(text, "Google Meet"));
    assert_null(strstr(done("get_events", mcp_with("{" ME ",'event_id':'%'}", id)), "Meeting: "));
    text = done("manage_event",
                mcp_with("{" ME ",'action':'update','event_id':'%','add_google_meet':true}", id));
    assert_non_null(strstr(text, "Google Meet: https://meet.google.com/"));
    says("get_events", mcp_with("{" ME ",'event_id':'%'}", id),
         ") Meeting: https://meet.google.com/");
    says("get_events", mcp_with("{" ME ",'event_id':'%','detailed':true}", id),
         "Meeting Link: https://meet.google.com/");
    refuse(
        "manage_event",
        mcp_with("{" ME ",'action':'update','event_id':'%','recurrence':['FREQ=SOMETIMES']}", id),
        "400 ");
    refuse("manage_event",
           "{" ME ",'action':'create','summary':'x','start_time':'2026-03-12',"
           "'end_time':'2026-03-13','attachments':'plan'}",
           "attachments must be a list of strings");
}

/* An offset does not count beside a zone; what is not known is left out. */
static void what_is_known_of_an_event_counts(void **state)
{
    const char *id = mcp_behind(
        done("manage_event",
             "{" ME ",'action':' CREATE ','summary':'Lunch','start_time':"
             "'2026-03-12T12:00:00-08:00','end_time':'2026-03-12T13:00:00Z','timezone':"
             "'Europe/Rome','transparency':'some','visibility':'private','reminders':"
             "'[{\\\"method\\\":\\\"POPUP\\\",\\\"minutes\\\":5},{\\\"method\\\":\\\"sms\\\","
             "\\\"minutes\\\":5},{\\\"x\\\":1}]'}"),
        "(ID: ");
    says("get_events", mcp_with("{" ME ",'event_id':'%'}", id),
         "(Starts: 2026-03-12T12:00:00+01:00, Ends: 2026-03-12T13:00:00+01:00)");
    const char *event = mcp_done(ADA, "/mcp/calendar", "calendar_events_get",
                                 mcp_with("{'calendarId':'primary','eventId':'%'}", id));
    const struct json *v = parsed(event, strlen(event));
    assert_at(v, "visibility", "private");
    assert_at(v, "transparency", "");
    assert_at(v, "reminders.overrides.0.method", "popup");
    assert_at(v, "reminders.overrides.1", "");
    refuse("manage_event", "{" ME ",'action':'move'}",
           "action must be one of create, update, delete, rsvp, not \"move\"");
}

/* A text that holds something else than reminders sets none, as the original has it. */
static void reminders_that_are_none_are_left_out(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"soon", ""},
        {"{}", ""},
        {"[1,{\\\"method\\\":\\\"email\\\",\\\"minutes\\\":7}]", "7"}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        done("manage_event", mcp_with("{" ME ",'action':'update','event_id':'review1','reminders':"
                                      "'%'}",
                                      cases[i][0]));
        const char *event = mcp_done(ADA, "/mcp/calendar", "calendar_events_get",
                                     "{'calendarId':'primary','eventId':'review1'}");
        const struct json *v = parsed(event, strlen(event));
        assert_at(v, "reminders.useDefault", "false");
        assert_at(v, "reminders.overrides.0.minutes", cases[i][1]);
    }
    refuse("manage_event", "{" ME ",'action':'update','event_id':'review1','reminders':[1]}",
           "reminders must be an object, not 1");
}

/* A list without guests changes none of them; they are described as well as named. */
static void guests_are_addresses_or_objects(void **state)
{
    static const char *const cases[][3] = {
        {"[]", "bob@acme.example", "needsAction"},
        {"[{'optional':true}]", "bob@acme.example", "needsAction"},
        {"['cyd@far.example',{'email':'bob@acme.example','responseStatus':'accepted'}]",
         "cyd@far.example", "needsAction"},
        {"[{'email':'bob@acme.example','responseStatus':'accepted'}]", "bob@acme.example",
         "accepted"}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        done("manage_event", mcp_with("{" ME ",'action':'update','event_id':'review1',"
                                      "'summary':'Review','attendees':%}",
                                      cases[i][0]));
        const char *event = mcp_done(ADA, "/mcp/calendar", "calendar_events_get",
                                     "{'calendarId':'primary','eventId':'review1'}");
        const struct json *v = parsed(event, strlen(event));
        assert_at(v, "attendees.0.email", cases[i][1]);
        assert_at(v, "attendees.0.responseStatus", cases[i][2]);
    }
    refuse("manage_event", "{" ME ",'action':'update','event_id':'review1','attendees':[1]}",
           "attendees must be a list of strings, not 1");
    refuse("manage_event",
           "{" ME ",'action':'update','event_id':'review1','attendees':[],"
           "'visibility':'some'}",
           "the action update must say what is to change, says nothing");
}

static void free_and_busy(void **state)
{
    const char *text = done("query_freebusy", "{" ME ",'time_min':'2026-03-12','time_max':"
                                              "'2026-03-13T00:00:00'}");
    assert_non_null(strstr(text, "Time range: 2026-03-12T00:00:00.000Z to "
                                 "2026-03-13T00:00:00.000Z\n\nCalendar: primary\n  Busy periods: "
                                 "1\n    - 2026-03-12T09:00:00Z to 2026-03-12T10:00:00Z\n"));
    text = done("query_freebusy",
                "{" ME ",'time_min':'2026-03-14','time_max':'2026-03-15','calendar_ids':["
                "'ada@acme.example','none@acme.example']}");
    assert_non_null(strstr(text, "Calendar: ada@acme.example\n  Status: Free\n"));
    assert_non_null(
        strstr(text, "Calendar: none@acme.example\n  Errors:\n    - global: notFound\n"));
    refuse("query_freebusy", "{" ME ",'time_min':'2026-03-12'}", "time_max is required");
    refuse("query_freebusy", "{" ME ",'time_min':'then','time_max':'2026-03-12'}", "400 ");
    refuse("query_freebusy",
           "{" ME ",'time_min':'2026-03-12','time_max':'2026-03-13','calendar_expansion_max':51}",
           "400 ");
}

static const char *draft(const char *arguments)
{
    const char *text = done("draft_gmail_message", arguments);
    assert_non_null(strstr(text, "Draft ID: "));
    return done("search_gmail_messages", "{" ME ",'query':'in:drafts','page_size':1}");
}

static void drafts(void **state)
{
    const char *found = draft("{" ME ",'subject':'Later','body':'Not yet.'}");
    says("get_gmail_message_content",
         mcp_with("{" ME ",'message_id':'%'}", mcp_behind(found, "Message ID: ")),
         "Subject: Later\nFrom: ada@acme.example\n");
    says("get_gmail_message_content",
         mcp_with("{" ME ",'message_id':'%'}", mcp_behind(found, "Message ID: ")),
         "--- BODY ---\nNot yet.\n\n-- Ada");
    found = draft("{" ME ",'subject':'Figures','body':'Seen.','to':'bob@acme.example','thread_id':"
                  "'1a20000000000001','quote_original':true,'include_signature':false}");
    const char *text =
        done("get_gmail_message_content",
             mcp_with("{" ME ",'message_id':'%'}", mcp_behind(found, "Message ID: ")));
    assert_non_null(strstr(text, "Subject: Re: Figures\n"));
    assert_non_null(strstr(text, "In-Reply-To: <figures@acme.example>\nReferences: "
                                 "<figures@acme.example>\n"));
    assert_non_null(strstr(text, "--- BODY ---\nSeen.\n\nOn Wed, 11 Mar 2026"));
    assert_non_null(strstr(text, "Bob Stone <bob@acme.example> wrote:\n> The figures."));
    found = draft("{" ME ",'subject':'x','body':'<b>Yes</b>','body_format':'html','thread_id':"
                  "'1a20000000000001','quote_original':true,'references':'<a@b> <c@d>'}");
    text = done("get_gmail_message_content",
                mcp_with("{" ME ",'message_id':'%'}", mcp_behind(found, "Message ID: ")));
    assert_non_null(strstr(text, "<b>Yes</b><br><br><i>-- Ada</i>"));
    assert_non_null(strstr(text, "<pre>Seen."));
    assert_non_null(strstr(text, "In-Reply-To: <c@d>\nReferences: <a@b> <c@d>\n"));
    refuse("draft_gmail_message", "{" ME ",'subject':'x'}", "body is required");
    refuse("draft_gmail_message", "{" ME ",'subject':'x','body':'x','thread_id':'1a2f'}",
           "404 notFound");
    refuse("draft_gmail_message", "{" ME ",'subject':'x','body':'x','to':'nobody'}",
           "must have addresses");
}

static void a_token_for_writing_is_enough_for_a_draft(void **state)
{
    static const char arguments[] =
        "{\"name\":\"draft_gmail_message\",\"arguments\":{\"user_google_email\":\"ada@acme.example"
        "\",\"subject\":\"Re: Figures\",\"body\":\"Seen.\",\"thread_id\":\"1a20000000000001\","
        "\"quote_original\":true}}";
    const struct json *v = mcp_post(
        PATH, ADA, "https://www.googleapis.com/auth/gmail.compose", mcp_newest,
        arena_printf(&test_arena,
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":%s}",
                     arguments));
    const struct json *result = json_get(v, "result");
    assert_true(json_get(result, "isError") && !json_get(result, "isError")->truth);
    const char *found = done("search_gmail_messages", "{" ME ",'query':'in:drafts'}");
    const char *text =
        done("get_gmail_message_content",
             mcp_with("{" ME ",'message_id':'%'}", mcp_behind(found, "Message ID: ")));
    assert_non_null(strstr(text, "--- BODY ---\nSeen."));
    assert_null(strstr(text, "wrote:"));
    assert_null(strstr(text, "-- Ada"));
    assert_null(strstr(text, "In-Reply-To:"));
}

static void senders_and_files(void **state)
{
    const char *id = mcp_behind(
        done("send_gmail_message",
             "{" ME ",'to':'bob@acme.example','subject':'Files','body':'Two.','from_name':"
             "'A\\r\\nmes, Ada','references':'<a@b.example>','attachments':[{'filename':"
             "'a \\\"b\\\".txt','content':'b25l','mime_type':'text/plain'},{'filename':"
             "'\u00fcber.bin','content':'AAEC'},{'filename':'c','content':'!'},{'content':"
             "'b25l'},{'filename':'d','content':'b25l','mime_type':'text'}]}"),
        "with 2/5 attachment(s). Message ID: ");
    const char *text = done("get_gmail_message_content", mcp_with("{" ME ",'message_id':'%'}", id));
    assert_non_null(strstr(text, "From: \"Ames, Ada\" <ada@acme.example>\n"));
    assert_non_null(strstr(text, "References: <a@b.example>\n"));
    assert_non_null(strstr(text, "--- BODY ---\nTwo."));
    assert_non_null(strstr(text, "a \"b\".txt (text/plain, 3 bytes)\n"));
    assert_non_null(strstr(text, "\u00fcber.bin (application/octet-stream, 3 bytes)\n"));
    id = mcp_behind(done("send_gmail_message",
                         "{" ME ",'to':'\\\"Stone, Bob\\\" <bob@acme.example>, eve@far.example',"
                         "'subject':'x','body':'x'}"),
                    "Message ID: ");
    says("get_gmail_message_content", mcp_with("{" ME ",'message_id':'%'}", id),
         "To: \"Stone, Bob\" <bob@acme.example>, eve@far.example\n");
    id = mcp_behind(done("send_gmail_message",
                         "{" ME ",'to':'bob@acme.example','subject':'x','body':"
                         "'x','from_email':'sales@acme.example','from_name':"
                         "'Sal\u00e9s'}"),
                    "Message ID: ");
    says("get_gmail_message_content", mcp_with("{" ME ",'message_id':'%'}", id),
         "From: Sal\u00e9s <sales@acme.example>\n");
    refuse("send_gmail_message",
           "{" ME ",'to':'bob@acme.example','subject':'x','body':'x','attachments':[{'filename':"
           "'a'}]}",
           "attachments must have");
    refuse("send_gmail_message",
           "{" ME ",'to':'bob@acme.example','subject':'x','body':'x','attachments':[{'path':"
           "'/etc/passwd'}]}",
           "attachments has no member path");
    refuse("send_gmail_message",
           "{" ME ",'to':'bob@acme.example','subject':'x','body':'x','from_email':'sales'}",
           "from_email must be an address");
    refuse("send_gmail_message",
           "{" ME ",'to':'bob@acme.example','subject':'x','body':'x','references':'<a@b>\\nBcc: "
           "eve@far.example'}",
           "references must be");
}

static void letters(void **state)
{
    says("search_gmail_messages", "{" ME ",'query':'from:bob'}",
         "  1. Message ID: 1a20000000000001\n");
    says("search_gmail_messages", "{" ME ",'query':'in:inbox','page_size':1}", "page_token: ");
    says("search_gmail_messages", "{" ME ",'query':'from:nobody'}", "No messages found");
    refuse("search_gmail_messages", "{" ME ",'query':'x','page_token':'~'}", "400");
    const char *text =
        done("get_gmail_message_content", "{" ME ",'message_id':'1a20000000000001'}");
    assert_non_null(strstr(text, "Subject: Figures\nFrom: Bob Stone <bob@acme.example>\n"));
    assert_non_null(strstr(text, "--- BODY ---\nThe figures."));
    assert_non_null(strstr(text, "figures.csv (text/csv, 4 bytes)\n   Attachment ID: "));
    refuse("get_gmail_message_content", "{" ME ",'message_id':'1a2f'}", "404 notFound");
    text = done("get_gmail_messages_content_batch",
                "{" ME ",'message_ids':['1a20000000000002','1a2f'],'format':'metadata'}");
    assert_non_null(strstr(text, "Retrieved 1 messages:"));
    assert_non_null(strstr(text, "Message 1a2f: 404 notFound"));
    assert_null(strstr(text, "An offer"));
    says("get_gmail_messages_content_batch", "{" ME ",'message_ids':['1a20000000000002']}",
         "<p>An offer.</p>");
    refuse("get_gmail_messages_content_batch", "{" ME ",'message_ids':[]}", "from 1 to 1000");
    says("get_gmail_thread_content", "{" ME ",'thread_id':'1a20000000000001'}",
         "Messages: 1\n\n=== Message 1a20000000000001 ===\nSubject: Figures");
    refuse("get_gmail_thread_content", "{" ME ",'thread_id':'1a2f'}", "404 notFound");
    says("get_gmail_threads_content_batch", "{" ME ",'thread_ids':['1a20000000000001','1a2f']}",
         "Thread 1a2f: 404 notFound");
    refuse("get_gmail_threads_content_batch", "{" ME "}", "thread_ids is required");
    const char *id = mcp_behind(
        done("send_gmail_message",
             "{" ME ",'to':'bob@acme.example, eve@far.example','subject':'Figures','body':'Seen',"
             "'in_reply_to':'<a@b.example>','thread_id':'1a20000000000001'}"),
        "Message ID: ");
    says("get_gmail_message_content", mcp_with("{" ME ",'message_id':'%'}", id),
         "Subject: Re: Figures\n");
    refuse("send_gmail_message", "{" ME ",'to':'nobody','subject':'x','body':'x'}",
           "must have addresses");
    says("modify_gmail_message_labels",
         "{" ME ",'message_id':'1a20000000000001','add_label_ids':['STARRED'],'remove_label_ids':"
         "['UNREAD']}",
         "Added: STARRED\nRemoved: UNREAD");
    refuse("modify_gmail_message_labels",
           "{" ME ",'message_id':'1a20000000000001','add_label_ids':['Label_99']}", "400");
    says("batch_modify_gmail_message_labels",
         "{" ME ",'message_ids':['1a20000000000001'],'add_label_ids':['IMPORTANT']}",
         "Messages: 1\nAdded: IMPORTANT");
    refuse("batch_modify_gmail_message_labels",
           "{" ME ",'message_ids':['1a20000000000001'],'add_label_ids':['Label_99']}", "400");
}

static void labels_and_filters(void **state)
{
    says("list_gmail_labels", "{" ME "}", "📂 SYSTEM LABELS:\n  • ");
    says("list_gmail_labels", "{" ME "}", "  • INBOX (ID: INBOX)\n");
    refuse("list_gmail_labels", "{" ME ",'x':1}", "there is no argument x");
    const char *id = mcp_behind(
        done("manage_gmail_label", "{" ME ",'action':'create','name':'Reports'}"), "ID: ");
    says("manage_gmail_label",
         mcp_with("{" ME ",'action':'update','label_id':'%','name':'Old'}", id), "Name: Old");
    says("manage_gmail_label", mcp_with("{" ME ",'action':'delete','label_id':'%'}", id),
         "deleted");
    refuse("manage_gmail_label", "{" ME ",'action':'delete'}", "label_id is required");
    says("list_gmail_filters", "{" ME "}", "No filters found.");
    refuse("list_gmail_filters", "{}", "is required");
    id = mcp_behind(done("manage_gmail_filter",
                         "{" ME ",'action':'create','criteria':{'from':'bob@acme.example'},"
                         "'filter_action':{'addLabelIds':['STARRED']}}"),
                    "Filter ID: ");
    says("list_gmail_filters", "{" ME "}", id);
    says("manage_gmail_filter", mcp_with("{" ME ",'action':'delete','filter_id':'%'}", id),
         "deleted");
    refuse("manage_gmail_filter", "{" ME ",'action':'create','criteria':{}}", "is required");
}

static void files(void **state)
{
    says("search_drive_files", "{" ME ",'query':'harbour'}",
         "- Name: \"plan.txt\" (ID: plan, Type: text/plain, Size: 16, Modified: ");
    says("search_drive_files",
         "{" ME ",'query':'trashed = false','file_type':'folder','detailed':false}",
         "- Name: \"Work\" (ID: work, Type: application/vnd.google-apps.folder)");
    refuse("search_drive_files", "{" ME ",'query':'x = = y'}", "400 invalid");
    says("list_drive_items", "{" ME ",'folder_id':'work'}", "Found 1 items in folder work:");
    refuse("list_drive_items", "{" ME ",'folder_id':'none'}", "404 notFound");
    says("get_drive_file_content", "{" ME ",'file_id':'plan'}",
         "--- CONTENT ---\nthe harbour plan");
    says("get_drive_file_content", "{" ME ",'file_id':'paper'}", "A paper");
    refuse("get_drive_file_content", "{" ME ",'file_id':'none'}", "404 notFound");
    says("create_drive_folder", "{" ME ",'folder_name':'Notes'}", "The folder Notes was made");
    refuse("create_drive_folder", "{" ME ",'folder_name':'x','parent_folder_id':'none'}",
           "404 notFound");
    says("create_drive_file", "{" ME ",'file_name':'a.txt','content':'one'}",
         "The file a.txt was made");
    refuse("create_drive_file", "{" ME ",'file_name':'a','content':'x','folder_id':'none'}",
           "404 notFound");
    says("copy_drive_file", "{" ME ",'file_id':'plan'}", "New file name: Copy of plan.txt");
    refuse("copy_drive_file", "{" ME ",'file_id':'none'}", "404 notFound");
    says("update_drive_file",
         "{" ME ",'file_id':'plan','name':'b.txt','starred':true,'properties':{'a':'b'}}",
         "The file was changed: b.txt");
    refuse("update_drive_file", "{" ME ",'file_id':'none'}", "404 notFound");
    says("get_drive_shareable_link", "{" ME ",'file_id':'plan'}",
         "- owner (user) ada@acme.example");
    refuse("get_drive_shareable_link", "{" ME ",'file_id':'none'}", "404 notFound");
    refuse("get_drive_file_permissions", "{" ME ",'file_id':'none'}", "404 notFound");
}

static void documents(void **state)
{
    const char *text =
        done("import_to_google_doc",
             "{" ME ",'file_name':'notes/Plan.v2.md','content':'# Plan\\n\\nThe **harbour**.',"
             "'folder_id':'work'}");
    assert_non_null(strstr(text, "The document Plan.v2 was made."));
    assert_non_null(strstr(text, "Source format: text/markdown\n   Folder: work\n"));
    text = done("get_drive_file_content",
                mcp_with("{" ME ",'file_id':'%'}", mcp_behind(text, "Document ID: ")));
    assert_non_null(strstr(text, "Type: application/vnd.google-apps.document"));
    assert_non_null(strstr(text, "The harbour."));
    says("import_to_google_doc", "{" ME ",'file_name':'Plain','content':'words'}",
         "Source format: text/plain");
    says("import_to_google_doc", "{" ME ",'file_name':'Marked','content':'**words**'}",
         "Source format: text/markdown");
    says("import_to_google_doc",
         "{" ME ",'file_name':'Page.txt','content':'<p>words</p>','source_format':'.HTML'}",
         "Source format: text/html");
    refuse("import_to_google_doc", "{" ME ",'file_name':'x','content':'x','source_format':'pages'}",
           "source_format must be md");
    refuse("import_to_google_doc", "{" ME ",'file_name':'x'}", "content is required");
    refuse("import_to_google_doc", "{" ME ",'file_name':'x','content':'x','folder_id':'none'}",
           "404 notFound");
    refuse("import_to_google_doc", "{" ME ",'file_name':'x.docx','content':'x'}", "400 ");
}

static void sharing_of_files(void **state)
{
    says("set_drive_file_permissions", "{" ME ",'file_id':'plan','link_sharing':'off'}",
         "Link sharing: off (no change)");
    says("set_drive_file_permissions",
         "{" ME ",'file_id':'plan','link_sharing':'reader','writers_can_share':false,"
         "'copy_requires_writer_permission':true}",
         "Changes:\n  - Editors sharing: restricted to owner\n  - Viewers copy/print/download: "
         "restricted\n  - Link sharing: reader\n");
    says("check_drive_file_public_access", "{" ME ",'file_name':'plan.txt'}",
         "PUBLIC ACCESS ENABLED");
    says("set_drive_file_permissions", "{" ME ",'file_id':'plan','link_sharing':'writer'}",
         "Link sharing: writer");
    says("get_drive_file_permissions", "{" ME ",'file_id':'plan'}", "writer (anyone) anyone");
    const char *text =
        done("set_drive_file_permissions", "{" ME ",'file_id':'plan','link_sharing':'off'}");
    assert_null(strstr(text, "no change"));
    says("check_drive_file_public_access", "{" ME ",'file_name':'plan.txt'}", "NO PUBLIC ACCESS");
    says("set_drive_file_permissions", "{" ME ",'file_id':'plan','writers_can_share':true}",
         "Changes:\n  - Editors sharing: allowed\n\nView link: ");
    refuse("set_drive_file_permissions", "{" ME ",'file_id':'plan'}", "is required");
    refuse("set_drive_file_permissions", "{" ME ",'file_id':'none','link_sharing':'off'}",
           "404 notFound");
    refuse("set_drive_file_permissions", "{" ME ",'file_id':'plan','link_sharing':'owner'}",
           "link_sharing must be one of off, reader");
}

static void access_to_files(void **state)
{
    const char *id = mcp_behind(done("manage_drive_access",
                                     "{" ME ",'file_id':'plan','action':'grant','share_with':"
                                     "'bob@acme.example'}"),
                                "[ID: ");
    says("get_drive_file_permissions", "{" ME ",'file_id':'plan'}",
         "- reader (user) bob@acme.example");
    says("manage_drive_access",
         mcp_with("{" ME ",'file_id':'plan','action':'update','role':'writer','permission_id':'%'}",
                  id),
         "Permission updated: writer");
    says("manage_drive_access",
         mcp_with("{" ME ",'file_id':'plan','action':'revoke','permission_id':'%'}", id),
         "Permission revoked: ");
    says("check_drive_file_public_access", "{" ME ",'file_name':'plan.txt'}", "NO PUBLIC ACCESS");
    refuse(
        "manage_drive_access", "{" ME ",'file_id':'plan','action':'give'}",
        "action must be one of grant, grant_batch, update, revoke, transfer_owner, not \"give\"");
    says("manage_drive_access", "{" ME ",'file_id':'plan','action':'Grant','share_type':'anyone'}",
         "reader (anyone)");
    says("check_drive_file_public_access", "{" ME ",'file_name':'plan.txt'}",
         "PUBLIC ACCESS ENABLED");
    refuse("check_drive_file_public_access", "{" ME "}", "file_name is required");
    says("manage_drive_access",
         "{" ME ",'file_id':'plan','action':'grant_batch','recipients':[{'email':"
         "'bob@acme.example','role':'writer'},{'email':'nobody'}]}",
         "Summary: 1 succeeded, 1 failed");
    says("manage_drive_access",
         "{" ME ",'file_id':'plan','action':'transfer_owner','new_owner_email':"
         "'bob@acme.example'}",
         "New owner: bob@acme.example");
    refuse("manage_drive_access", "{" ME ",'file_id':'plan','action':'revoke'}",
           "permission_id is required");
}

static void the_list_has_what_the_token_may_do(void **state)
{
    const char *some = mcp_names(ADA, PATH "&risk=read");
    assert_non_null(strstr(some, "get_events"));
    assert_null(strstr(some, "manage_event"));
    assert_null(strstr(mcp_names(ADA, PATH), "slack"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(invitations),
        TEST(calls_and_files_of_events),
        TEST(what_is_known_of_an_event_counts),
        TEST(reminders_that_are_none_are_left_out),
        TEST(guests_are_addresses_or_objects),
        TEST(free_and_busy),
        TEST(drafts),
        TEST(a_token_for_writing_is_enough_for_a_draft),
        TEST(senders_and_files),
        TEST(documents),
        TEST(sharing_of_files),
        TEST(calendars),
        TEST(letters),
        TEST(labels_and_filters),
        TEST(files),
        TEST(access_to_files),
        TEST(the_list_has_what_the_token_may_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
