/* SPDX-License-Identifier: Apache-2.0 */
/* The hosted tools of Outlook, and native ones whose methods have several paths: each is called,
 * what it gives has the documented shape, and Graph then shows what it did. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA    "ada@port.example"
#define BOB    "bob@port.example"
#define HOSTED "/mcp?tools=hosted"
#define NATIVE "/mcp?tools=native"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "people: [{email: ada@port.example, name: Ada Ames}, {email: bob@port.example, name: Bob "
    "Stone}]\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "calendars:\n"
    "  - {owner: ada@port.example, primary: true, vendor: microsoft}\n"
    "  - {owner: ada@port.example, summary: Trips, vendor: microsoft}\n"
    "  - {owner: bob@port.example, primary: true, vendor: microsoft}\n"
    "mailboxes:\n"
    "  - person: ada@port.example\n"
    "    vendor: microsoft\n"
    "    folders: [{name: Plans}]\n"
    "    messages:\n"
    "      - {from: Bob Stone <bob@port.example>, to: ada@port.example, subject: Figures, text: "
    "\"Twelve.\\n\", date: 2026-11-22T09:00:00Z}\n"
    "      - {from: Bob Stone <bob@port.example>, to: ada@port.example, subject: Plan, text: "
    "\"Later.\\n\", date: 2026-11-22T10:00:00Z, folder: Plans}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

static const struct json *use_of(const char *who, const char *path, const char *tool,
                                 const char *arguments)
{
    const char *text = mcp_done(who, path, tool, arguments);
    return parsed(text, strlen(text));
}

static const struct json *use(const char *tool, const char *arguments)
{
    return use_of(ADA, HOSTED, tool, arguments);
}

static const struct json *graph(const char *who, const char *target)
{
    const struct sosia_header headers[] = {{"Host", "graph.microsoft.com"},
                                           {"Authorization", test_bearer(who, NULL)}};
    return test_request("GET", target, headers, 2, "", 0);
}

static const char *text_of(const struct json *v, const char *path)
{
    return arena_strdup(&test_arena, printed_at(v, path));
}

/* The id of Ada's message with that subject. */
static const char *id_of(const char *subject)
{
    const struct json *v =
        use("outlookMail_list_messages",
            arena_printf(&test_arena, "{'filter_query':'subject eq \\'%s\\''}", subject));
    assert_at(v, "count", "1");
    return text_of(v, "messages.0.id");
}

/* ---- hosted: mail ---- */

static void the_sets_have_their_tools(void **state)
{
    assert_string_equal(
        mcp_names(ADA, "/mcp/outlook_mail?tools=hosted"),
        "outlookMail_delete_folder outlookMail_create_mail_folder outlookMail_list_folders "
        "outlookMail_get_mail_folder_details outlookMail_update_folder_display_name "
        "outlookMail_read_message outlookMail_list_messages outlookMail_list_messages_from_folder "
        "outlookMail_update_draft outlookMail_delete_draft outlookMail_create_forward_draft "
        "outlookMail_create_reply_draft outlookMail_create_reply_all_draft outlookMail_send_draft "
        "outlookMail_create_draft outlookMail_move_message");
    assert_string_equal(
        mcp_names(ADA, "/mcp/outlook_calendar?tools=hosted"),
        "outlookCalendar_list_calendars outlookCalendar_list_events outlookCalendar_get_event "
        "outlookCalendar_create_event outlookCalendar_update_event outlookCalendar_delete_event "
        "outlookCalendar_cancel_event outlookCalendar_respond_to_event "
        "outlookCalendar_get_schedule");
    const struct json *v = mcp_ask(ADA, "/mcp/outlook_mail?tools=hosted", "tools/list", "{}");
    assert_at(v, "result.tools.6.annotations.category", "OUTLOOK_MESSAGE");
    assert_at(v, "result.tools.6.annotations.readOnlyHint", "true");
    assert_at(v, "result.tools.6.inputSchema.properties.top.maximum", "1000");
    assert_at(v, "result.tools.6.inputSchema.additionalProperties", "false");
    assert_at(v, "result.tools.14.inputSchema.required",
              "[\"subject\",\"body_content\",\"to_recipients\"]");
}

static void folders_are_made_and_deleted(void **state)
{
    const struct json *v =
        use("outlookMail_create_mail_folder", "{'display_name':'Drawer','is_hidden':true}");
    assert_string_equal(members(v, ""),
                        "itemId name messageCount unreadCount parentId childCount size hidden");
    assert_at(v, "hidden", "true");
    const char *id = text_of(v, "itemId");
    const char *one = arena_printf(&test_arena, "{'folder_id':'%s'}", id);
    v = use("outlookMail_list_folders", "{}");
    assert_non_null(strstr(column(v, "folders", "name"), "Drawer"));
    v = use("outlookMail_list_folders", "{'include_hidden':false}");
    assert_null(strstr(column(v, "folders", "name"), "Drawer"));
    assert_non_null(strstr(column(v, "folders", "name"), "Plans"));
    v = use("outlookMail_update_folder_display_name",
            arena_printf(&test_arena, "{'folder_id':'%s','display_name':'Chest'}", id));
    assert_at(v, "name", "Chest");
    assert_at(use("outlookMail_get_mail_folder_details", one), "name", "Chest");
    assert_at(use("outlookMail_delete_folder", one), "message",
              arena_printf(&test_arena, "Folder %s deleted successfully", id));
    v = graph(ADA, "/v1.0/me/mailFolders?includeHiddenFolders=true");
    assert_null(strstr(column(v, "value", "displayName"), "Chest"));
}

static void messages_are_listed_and_read(void **state)
{
    const struct json *v = use("outlookMail_list_messages", "{'orderby':'subject desc'}");
    assert_string_equal(column(v, "messages", "title"), "Plan Figures");
    v = use("outlookMail_list_messages", "{'top':1,'select':'subject,from'}");
    assert_at(v, "count", "1");
    assert_string_equal(members(v, "messages.0"), "id title fromEmail fromName");
    v = use("outlookMail_list_messages_from_folder", "{'folder_id':'inbox'}");
    assert_string_equal(column(v, "messages", "title"), "Figures");
    v = use("outlookMail_read_message",
            arena_printf(&test_arena, "{'message_id':'%s'}", text_of(v, "messages.0.id")));
    assert_non_null(strstr(printed_at(v, "content"), "Twelve."));
    assert_at(v, "senderEmail", BOB);
    assert_at(v, "toRecipients.0.email", ADA);
    assert_at(v, "flagStatus", "notFlagged");
    mcp_refuse(ADA, HOSTED, "outlookMail_list_messages", "{'top':1001}",
               "top must be from 1 to 1000, not 1001");
    mcp_refuse(ADA, HOSTED, "outlookMail_list_messages", "{'filter_query':'x eq 1'}", "400");
    mcp_refuse(ADA, HOSTED, "outlookMail_read_message", "{'message_id':'x'}", "400");
    mcp_refuse(ADA, HOSTED, "outlookMail_read_message", "{'id':'x'}", "there is no argument id");
}

static void a_draft_is_written_changed_and_sent(void **state)
{
    const struct json *v =
        use("outlookMail_create_draft", "{'subject':'Tea','body_content':'<p>At five</p>',"
                                        "'to_recipients':['bob@port.example'],"
                                        "'bcc_recipients':['eve@far.example']}");
    assert_at(v, "isDraft", "true");
    assert_at(v, "bccRecipients.0.email", "eve@far.example");
    const char *id = text_of(v, "id");
    v = use("outlookMail_update_draft",
            arena_printf(&test_arena,
                         "{'message_id':'%s','subject':'Coffee','cc_recipients':['%s']}", id, ADA));
    assert_at(v, "title", "Coffee");
    assert_at(v, "ccRecipients.0.email", ADA);
    assert_at(v, "toRecipients.0.email", BOB); /* what is not given stays */
    assert_at(use("outlookMail_send_draft", arena_printf(&test_arena, "{'message_id':'%s'}", id)),
              "success", "Draft sent successfully");
    v = graph(BOB, "/v1.0/me/mailFolders/inbox/messages");
    assert_string_equal(column(v, "value", "subject"), "Coffee");
    v = use("outlookMail_create_draft", "{'subject':'Not','body_content':'x','to_recipients':[]}");
    v = use("outlookMail_delete_draft",
            arena_printf(&test_arena, "{'message_id':'%s'}", text_of(v, "id")));
    assert_string_equal(members(v, ""), "Success");
    v = graph(ADA, "/v1.0/me/mailFolders/drafts/messages");
    assert_at(v, "value.0", "");
}

static void answers_are_drafts(void **state)
{
    const char *id = id_of("Figures");
    const struct json *v =
        use("outlookMail_create_reply_draft",
            arena_printf(&test_arena, "{'message_id':'%s','comment':'Thanks'}", id));
    assert_at(v, "title", "RE: Figures");
    assert_at(v, "toRecipients.0.email", BOB);
    assert_non_null(strstr(printed_at(v, "content"), "Thanks"));
    v = use("outlookMail_create_reply_all_draft",
            arena_printf(&test_arena, "{'message_id':'%s'}", id));
    assert_at(v, "isDraft", "true");
    v = use("outlookMail_create_forward_draft",
            arena_printf(&test_arena,
                         "{'message_id':'%s','comment':'See','to_recipients':['eve@far.example']}",
                         id));
    assert_at(v, "title", "FW: Figures");
    assert_at(v, "toRecipients.0.email", "eve@far.example");
    v = graph(ADA, "/v1.0/me/mailFolders/drafts/messages");
    assert_int_equal(count_at(v, "value"), 3);
    v = use("outlookMail_move_message",
            arena_printf(&test_arena, "{'message_id':'%s','destination_folder_id':'archive'}", id));
    assert_at(v, "title", "Figures");
    v = graph(ADA, "/v1.0/me/mailFolders/archive/messages");
    assert_string_equal(column(v, "value", "subject"), "Figures");
}

/* ---- hosted: calendar ---- */

#define EVENT                                                                                      \
    "'subject':'Tea','start_datetime':'2026-11-24T10:00:00',"                                      \
    "'end_datetime':'2026-11-24T11:00:00','timezone':'Europe/Berlin'"
#define DAY "'start_datetime':'2026-11-24T00:00:00Z','end_datetime':'2026-11-25T00:00:00Z'"

static void an_event_is_made_changed_and_cancelled(void **state)
{
    const struct json *v = use("outlookCalendar_create_event",
                               "{" EVENT ",'attendees':['bob@port.example'],'location':'Pier',"
                               "'importance':'high','is_online_meeting':true}");
    assert_at(v, "event.startTime", "2026-11-24T10:00:00.0000000");
    assert_at(v, "event.timezone", "Europe/Berlin");
    assert_at(v, "event.attendees.0.email", BOB);
    assert_at(v, "event.attendees.0.responseStatus", "none");
    assert_at(v, "event.location", "Pier");
    assert_true(*printed_at(v, "event.meetingLink"));
    const char *id = text_of(v, "event.id");
    v = use("outlookCalendar_list_events", "{" DAY "}");
    assert_at(v, "count", "1");
    assert_at(v, "events.0.startTime", "2026-11-24T09:00:00.0000000");
    v = use("outlookCalendar_update_event", arena_printf(&test_arena,
                                                         "{'event_id':'%s','subject':'Coffee',"
                                                         "'start_datetime':'2026-11-24T12:00:00',"
                                                         "'end_datetime':'2026-11-24T13:00:00'}",
                                                         id));
    assert_at(v, "event.title", "Coffee");
    assert_at(v, "event.location", "Pier"); /* what is not given stays */
    v = use_of(BOB, HOSTED, "outlookCalendar_list_events", "{" DAY ",'top':5}");
    assert_at(v, "events.0.startTime", "2026-11-24T12:00:00.0000000");
    const char *theirs = text_of(v, "events.0.id");
    v = use_of(BOB, HOSTED, "outlookCalendar_respond_to_event",
               arena_printf(&test_arena, "{'event_id':'%s','response':'accept'}", theirs));
    v = use("outlookCalendar_get_event",
            arena_printf(&test_arena, "{'event_id':'%s','timezone':'Tokyo Standard Time'}", id));
    assert_at(v, "event.attendees.0.responseStatus", "accepted");
    assert_at(v, "event.startTime", "2026-11-24T21:00:00.0000000");
    v = use("outlookCalendar_get_schedule",
            "{'attendees':['bob@port.example'],'start_datetime':'2026-11-24T11:00:00',"
            "'end_datetime':'2026-11-24T13:00:00'}");
    assert_at(v, "schedules.0.availabilityView", "0022");
    assert_at(v, "schedules.0.busy.0.start", "2026-11-24T12:00:00.0000000");
    use("outlookCalendar_cancel_event",
        arena_printf(&test_arena, "{'event_id':'%s','comment':'Rain'}", id));
    assert_at(use("outlookCalendar_list_events", "{" DAY "}"), "count", "0");
    mcp_refuse(ADA, HOSTED, "outlookCalendar_get_event",
               arena_printf(&test_arena, "{'event_id':'%s'}", id), "404");
    /* A guest's copy stays, cancelled, until they take it away. */
    v = use_of(BOB, HOSTED, "outlookCalendar_list_events", "{" DAY "}");
    assert_at(v, "events.0.isCancelled", "true");
    use_of(BOB, HOSTED, "outlookCalendar_delete_event",
           arena_printf(&test_arena, "{'event_id':'%s'}", theirs));
    assert_at(use_of(BOB, HOSTED, "outlookCalendar_list_events", "{" DAY "}"), "count", "0");
}

static void an_event_is_in_the_calendar_that_is_named(void **state)
{
    const struct json *v = use("outlookCalendar_list_calendars", "{}");
    assert_string_equal(column(v, "calendars", "name"), "Calendar Trips");
    assert_at(v, "calendars.0.isDefault", "true");
    assert_at(v, "calendars.1.ownerEmail", ADA);
    const char *trips = text_of(v, "calendars.1.id");
    use("outlookCalendar_create_event",
        arena_printf(&test_arena, "{" EVENT ",'calendar_id':'%s'}", trips));
    assert_at(use("outlookCalendar_list_events", "{" DAY "}"), "count", "0");
    v = use("outlookCalendar_list_events",
            arena_printf(&test_arena, "{" DAY ",'calendar_id':'%s'}", trips));
    assert_string_equal(column(v, "events", "title"), "Tea");
}

static void what_is_said_in_prefer_is_one_line(void **state)
{
    mcp_refuse(ADA, HOSTED, "outlookCalendar_list_events", "{" DAY ",'timezone':'UTC\\n'}",
               "the arguments must not have control characters");
}

/* ---- native tools of methods with several paths ---- */

static void the_path_has_the_arguments_that_are_given(void **state)
{
    const struct json *v = use_of(ADA, NATIVE, "outlook_messages_list", "{}");
    assert_int_equal(count_at(v, "value"), 2);
    v = use_of(ADA, NATIVE, "outlook_messages_list", "{'mailFolder-id':'inbox'}");
    assert_string_equal(column(v, "value", "subject"), "Figures");
    v = use_of(ADA, NATIVE, "outlook_messages_list",
               "{'mailFolder-id':'inbox','user-id':'ada@port.example','$top':5}");
    assert_string_equal(column(v, "value", "subject"), "Figures");
    v = use_of(ADA, NATIVE, "outlook_messages_list", "{'$select':'subject','$top':1}");
    assert_string_equal(members(v, "value.0"), "@odata.etag id subject");
    mcp_refuse(ADA, NATIVE, "outlook_messages_list", "{'user-id':'bob@port.example'}", "403");
    mcp_refuse(ADA, NATIVE, "outlook_messages_get", "{'mailFolder-id':'inbox'}",
               "message-id is required");
    mcp_refuse(ADA, NATIVE, "outlook_calendars_list", "{'calendar-id':'x'}",
               "calendar-id goes with none of the paths");
}

/* The properties and what is required of a native tool. */
static const char *arguments_of(const char *set, const char *tool, const char *member)
{
    const struct json *v =
        mcp_ask(ADA, arena_printf(&test_arena, "/mcp?tools=%s", set), "tools/list", "{}");
    const struct json *all = json_get(json_get(v, "result"), "tools");
    for (uint32_t i = 0; i < all->n; i++)
        if (strcmp(json_get_str(&all->items[i], "name"), tool) == 0)
            return strcmp(member, "required") == 0
                       ? printed_at(&all->items[i], "inputSchema.required")
                       : members(&all->items[i], "inputSchema.properties");
    return "";
}

static void only_what_all_paths_have_is_required(void **state)
{
    assert_string_equal(arguments_of("native", "outlook_messages_list", "required"), "[]");
    assert_string_equal(arguments_of("native", "outlook_messages_get", "required"),
                        "[\"message-id\"]");
    assert_string_equal(arguments_of("common", "outlook_events_list", "required"), "[]");
    assert_string_equal(arguments_of("native", "outlook_reminderView", "required"),
                        "[\"startDateTime\",\"endDateTime\"]");
    /* None of its paths has an id of an event. */
    assert_null(strstr(arguments_of("native", "outlook_calendars_list", "properties"), "event-id"));
    assert_non_null(
        strstr(arguments_of("native", "outlook_calendars_list", "properties"), "user-id"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_sets_have_their_tools),
        TEST(folders_are_made_and_deleted),
        TEST(messages_are_listed_and_read),
        TEST(a_draft_is_written_changed_and_sent),
        TEST(answers_are_drafts),
        TEST(an_event_is_made_changed_and_cancelled),
        TEST(an_event_is_in_the_calendar_that_is_named),
        TEST(what_is_said_in_prefer_is_one_line),
        TEST(the_path_has_the_arguments_that_are_given),
        TEST(only_what_all_paths_have_is_required),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
