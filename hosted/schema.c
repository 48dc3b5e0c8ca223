/* SPDX-License-Identifier: Apache-2.0 */
/* The models of requests: those of the service's own operations, and the payloads of its services.
 * A member that may be null is nullable; lengths count characters. */
#include "hosted/impl.h"

const char *const benchmarks[] = {"MCP_Atlas", "Toolathlon", "MCP_Mark", NULL};
static const char *const connections[] = {"SSE", "StreamableHttp", NULL};
static const char *const formats[] = {"openai", "anthropic", "gemini", "mcp_native", NULL};
static const char *const responses[] = {"needsAction", "declined", "tentative", "accepted", NULL};

#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)
#define TEXT(member)                                                                               \
    {                                                                                              \
        .name = (member), .type = "string", .nullable = true                                       \
    }
#define NEEDED(member)                                                                             \
    {                                                                                              \
        .name = (member), .type = "string", .required = true                                       \
    }
#define LIST(member, schema)                                                                       \
    {                                                                                              \
        .name = (member), .type = "object", .of = (schema), .list = true, .nullable = true         \
    }
#define TEXTS(member)                                                                              \
    {                                                                                              \
        .name = (member), .type = "string", .list = true, .nullable = true                         \
    }
#define OPEN(member)                                                                               \
    {                                                                                              \
        .name = (member), .type = "object", .nullable = true                                       \
    }

/* ---- operations ---- */

static const struct field acquire_fields[] = {
    {.name = "benchmark", .type = "string", .values = benchmarks, .nullable = true},
    {.name = "test_account_email",
     .type = "string",
     .format = "email",
     .max = 254,
     .nullable = true},
    {.name = "tag", .type = "string", .max = 256, .nullable = true},
    {.name = "ttl_seconds", .type = "integer", .min = 60, .max = 86400, .nullable = true},
};
static const struct field acquire_local_fields[] = {
    {.name = "server_names", .type = "any"},
    {.name = "benchmark", .type = "string", .values = benchmarks, .nullable = true},
    {.name = "test_account_email", .type = "string", .nullable = true},
    {.name = "ttl_seconds", .type = "integer", .min = 60, .max = 86400, .nullable = true},
};
static const struct field call_tool_fields[] = {
    NEEDED("serverUrl"),
    NEEDED("toolName"),
    {.name = "toolArgs", .type = "object"},
    {.name = "connectionType", .type = "string", .values = connections},
    OPEN("headers"),
};
static const struct field execution_fields[] = {
    {.name = "execution_name", .type = "string", .required = true, .min = 1, .max = EXECUTION_NAME},
};
static const struct field list_tools_fields[] = {
    NEEDED("serverUrl"),
    {.name = "connectionType", .type = "string", .values = connections},
    {.name = "format", .type = "string", .values = formats},
    OPEN("headers"),
};

const struct schema hosted_schemas[] = {
    {.name = "AcquireLocalSandboxRequest",
     FIELDS(acquire_local_fields),
     .summary = "Which servers, how long it lives"},
    {.name = "AcquireSandboxRequest",
     FIELDS(acquire_fields),
     .summary = "What a sandbox begins with, and how long it lives"},
    {.name = "CallToolRequest",
     FIELDS(call_tool_fields),
     .summary = "A tool of a sandbox, with its arguments"},
    {.name = "ExecutionRequest", FIELDS(execution_fields), .summary = "Which program"},
    {.name = "ListToolsRequest",
     FIELDS(list_tools_fields),
     .summary = "Whose tools, and in which program's form"},
};
const size_t n_hosted_schemas = SOSIA_LEN(hosted_schemas);

/* ---- payloads ---- */

static const struct field attendee_fields[] = {
    {.name = "email", .type = "string", .required = true, .format = "email", .max = 254},
    TEXT("name"),
    {.name = "isOptional", .type = "boolean", .nullable = true},
    TEXT("comment"),
    {.name = "accepted", .type = "string", .values = responses, .nullable = true},
};
static const struct schema attendee = {.name = "GoogleCalendarAttendee", FIELDS(attendee_fields)};
static const struct field event_fields[] = {
    {.name = "title", .type = "string", .required = true, .min = 1},
    TEXT("startTime"),
    TEXT("endTime"),
    TEXT("startDate"),
    TEXT("endDate"),
    TEXT("timezone"),
    TEXT("description"),
    TEXT("location"),
    TEXT("visibility"),
    TEXTS("recurrence"),
    LIST("attendees", &attendee),
};
static const struct schema event = {.name = "GoogleCalendarEvent", FIELDS(event_fields)};
static const struct field calendar_fields[] = {LIST("events", &event)};
const struct schema calendar_data = {.name = "GoogleCalendarData", FIELDS(calendar_fields)};

#define LETTER                                                                                     \
    {.name = "subject", .type = "string", .required = true, .max = 255}, NEEDED("to"), TEXT("cc"), \
        TEXT("bcc"), NEEDED("body"), TEXT("from"), TEXT("reply_to")
static const struct field message_fields[] = {LETTER, TEXTS("labels")};
static const struct field draft_fields[] = {LETTER};
static const struct schema message = {.name = "GmailMessage", FIELDS(message_fields)};
static const struct schema draft = {.name = "GmailDraft", FIELDS(draft_fields)};
static const struct field gmail_fields[] = {LIST("messages", &message), LIST("drafts", &draft)};
const struct schema gmail_data = {.name = "GmailData", FIELDS(gmail_fields)};

static const struct field file_fields[] = {
    {.name = "name", .type = "string", .required = true, .min = 1},
    NEEDED("mimeType"),
    TEXT("description"),
    TEXTS("parents"),
    TEXT("content"),
};
static const struct schema file = {.name = "GoogleDriveFile", FIELDS(file_fields)};
static const struct field drive_fields[] = {LIST("files", &file)};
const struct schema drive_data = {.name = "GoogleDriveData", FIELDS(drive_fields)};

static const struct field document_fields[] = {
    {.name = "title", .type = "string", .required = true, .min = 1},
    TEXT("content"),
};
static const struct schema document = {.name = "GoogleDocsDocument", FIELDS(document_fields)};
static const struct field documents_fields[] = {LIST("documents", &document)};
const struct schema documents_data = {.name = "GoogleDocsData", FIELDS(documents_fields)};

static const struct field cell_fields[] = {
    {.name = "row", .type = "integer", .required = true},
    {.name = "col", .type = "integer", .required = true},
    {.name = "value", .type = "any", .nullable = true},
    TEXT("formula"),
};
static const struct schema cell = {.name = "GoogleSheetsCell", FIELDS(cell_fields)};
static const struct field sheet_fields[] = {
    {.name = "title", .type = "string", .required = true, .min = 1},
    {.name = "index", .type = "integer", .nullable = true},
    {.name = "rowCount", .type = "integer", .nullable = true},
    {.name = "columnCount", .type = "integer", .nullable = true},
    LIST("cells", &cell),
};
static const struct schema sheet = {.name = "GoogleSheetsSheet", FIELDS(sheet_fields)};
static const struct field spreadsheet_fields[] = {NEEDED("title"), LIST("sheets", &sheet)};
static const struct schema spreadsheet = {.name = "GoogleSheetsSpreadsheet",
                                          FIELDS(spreadsheet_fields)};
static const struct field sheets_fields[] = {LIST("spreadsheets", &spreadsheet)};
const struct schema sheets_data = {.name = "GoogleSheetsData", FIELDS(sheets_fields)};

static const struct field reaction_fields[] = {NEEDED("name")};
static const struct schema reaction = {.name = "SlackReaction", FIELDS(reaction_fields)};
static const struct schema post;
static const struct field post_fields[] = {NEEDED("text"), LIST("reactions", &reaction),
                                           LIST("replies", &post)};
static const struct schema post = {.name = "SlackMessage", FIELDS(post_fields)};
static const struct field channel_fields[] = {
    NEEDED("name"),
    TEXT("description"),
    {.name = "is_private", .type = "boolean"},
    LIST("messages", &post),
};
static const struct schema channel = {.name = "SlackChannel", FIELDS(channel_fields)};
static const struct field slack_fields[] = {LIST("channels", &channel)};
const struct schema slack_data = {.name = "SlackData", FIELDS(slack_fields)};

static const struct field outlook_event_fields[] = {
    TEXT("event_id"), NEEDED("title"),        OPEN("start_time"),
    OPEN("end_time"), TEXT("event_location"), TEXTS("event_attendees"),
};
static const struct schema outlook_event = {.name = "OutlookCalendarEvent",
                                            FIELDS(outlook_event_fields)};
static const struct field outlook_calendar_fields[] = {LIST("calendar_events", &outlook_event)};
const struct schema outlook_calendar_data = {.name = "OutlookCalendarData",
                                             FIELDS(outlook_calendar_fields)};

static const struct field poste_file_fields[] = {
    NEEDED("filename"),
    TEXT("content_type"),
    {.name = "size", .type = "integer", .nullable = true},
    TEXT("content"),
};
static const struct schema poste_file = {.name = "PosteAttachment", FIELDS(poste_file_fields)};
static const struct field poste_email_fields[] = {
    TEXT("email_id"),
    NEEDED("subject"),
    NEEDED("from_addr"),
    NEEDED("to_addr"),
    TEXT("cc_addr"),
    TEXT("bcc_addr"),
    TEXT("date"),
    TEXT("message_id"),
    TEXT("body_text"),
    TEXT("body_html"),
    {.name = "is_read", .type = "boolean", .nullable = true},
    {.name = "is_important", .type = "boolean", .nullable = true},
    TEXT("folder"),
    LIST("attachments", &poste_file),
};
static const struct schema poste_email = {.name = "PosteEmail", FIELDS(poste_email_fields)};
static const struct field poste_user_fields[] = {LIST("emails", &poste_email)};
const struct schema poste_user = {.name = "PosteUser", FIELDS(poste_user_fields)};
static const struct field poste_fields[] = {OPEN("users")};
const struct schema poste_data = {.name = "PosteData", FIELDS(poste_fields)};

static const struct field outlook_message_fields[] = {
    TEXT("id"),
    NEEDED("title"),
    OPEN("content"),
    OPEN("from"),
    TEXTS("to_addresses"),
    TEXTS("cc_addresses"),
    {.name = "is_read", .type = "boolean", .nullable = true},
    TEXT("received_date_time"),
};
static const struct schema outlook_message = {.name = "OutlookMailMessage",
                                              FIELDS(outlook_message_fields)};
static const struct field outlook_mail_fields[] = {LIST("messages", &outlook_message)};
const struct schema outlook_mail_data = {.name = "OutlookMailData", FIELDS(outlook_mail_fields)};

static const struct field onedrive_file_fields[] = {TEXT("id"), NEEDED("name"), TEXT("content")};
static const struct schema onedrive_file = {.name = "OneDriveFile", FIELDS(onedrive_file_fields)};
static const struct schema onedrive_folder;
static const struct field onedrive_folder_fields[] = {
    TEXT("id"),
    NEEDED("name"),
    LIST("folders", &onedrive_folder),
    LIST("files", &onedrive_file),
};
static const struct schema onedrive_folder = {.name = "OneDriveFolder",
                                              FIELDS(onedrive_folder_fields)};
static const struct field onedrive_fields[] = {
    {.name = "root", .type = "object", .of = &onedrive_folder, .list = true, .required = true},
};
const struct schema onedrive_data = {.name = "OneDriveData", FIELDS(onedrive_fields)};

static const struct field teams_message_fields[] = {TEXT("message_id"), NEEDED("content")};
static const struct schema teams_message = {.name = "TeamsMessage", FIELDS(teams_message_fields)};
static const struct field teams_channel_fields[] = {
    TEXT("channel_id"),
    {.name = "name", .type = "string", .required = true, .min = 1, .max = 50},
    TEXT("channel_description"),
    LIST("channel_messages", &teams_message),
};
static const struct schema teams_channel = {.name = "TeamsChannel", FIELDS(teams_channel_fields)};
static const struct field teams_member_fields[] = {
    TEXT("member_id"),
    TEXT("member_name"),
    TEXT("member_email"),
};
static const struct schema teams_member = {.name = "TeamsChatMember", FIELDS(teams_member_fields)};
static const struct field teams_chat_fields[] = {
    TEXT("chat_id"),
    LIST("chat_members", &teams_member),
    LIST("chat_messages", &teams_message),
};
static const struct schema teams_chat = {.name = "TeamsChat", FIELDS(teams_chat_fields)};
static const struct field teams_fields[] = {
    LIST("team_channels", &teams_channel),
    LIST("team_chats", &teams_chat),
};
const struct schema teams_data = {.name = "MsTeamsData", FIELDS(teams_fields)};
