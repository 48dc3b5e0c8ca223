/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of the server "poste_email_toolathlon", with its tools' arguments. */
#include "mcp/servers/server.h"

/* ---- arguments ---- */

#define STRING(n, what)                                                                            \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
#define MAYBE(n, what)                                                                             \
    {                                                                                              \
        .name = (n), .type = "string", .def = "null", .summary = (what)                            \
    }
#define NUMBER(n, value, what)                                                                     \
    {                                                                                              \
        .name = (n), .type = "integer", .def = (value), .summary = (what)                          \
    }
#define FLAGGED(n, value, what)                                                                    \
    {                                                                                              \
        .name = (n), .type = "boolean", .def = (value), .summary = (what)                          \
    }
#define FOLDER(n)                                                                                  \
    {                                                                                              \
        .name = (n), .type = "string", .def = "INBOX", .summary = "Folder that it is in"           \
    }
#define EMAIL_ID STRING("email_id", "Number of the message in its folder; 1 is the oldest")
#define EMAIL_IDS                                                                                  \
    {                                                                                              \
        .name = "email_ids", .type = "string", .list = true, .required = true,                     \
        .summary = "Numbers of the messages in their folder"                                       \
    }
#define PAGE      NUMBER("page", "1", "Page, from 1")
#define PAGE_SIZE NUMBER("page_size", "20", "Messages of a page, 50 at most")
#define TARGET    STRING("target_folder", "Folder that it goes into")
#define HTML      MAYBE("html_body", "The text as HTML")
#define CC        MAYBE("cc", "Who gets a copy: addresses with commas between")
#define BCC       MAYBE("bcc", "Who gets a copy that others do not see")
#define TO_MAYBE  MAYBE("to", "Who gets it: addresses with commas between")

static const struct field download_fields[] = {
    EMAIL_ID, STRING("attachment_filename", "Name of the attachment"), FOLDER("folder")};
static const struct field draft_fields[] = {STRING("draft_id", "Id of the draft")};
static const struct field export_fields[] = {
    MAYBE("folder", "Folder to export; INBOX if it is not said"),
    {.name = "export_path",
     .type = "string",
     .def = "emails_export.json",
     .summary = "Changes nothing: the file is in " WORKSPACE_ROOT "/emails_export"},
    NUMBER("max_emails", "null", "Messages at most; all if it is not said"),
    FLAGGED("export_all_folders", "false", "All folders in the place of one")};
static const struct field folder_fields[] = {STRING("folder_name", "Name of the folder")};
static const struct field folder_maybe_fields[] = {
    MAYBE("folder_name", "Name of the folder; all if it is not said")};
static const struct field forward_fields[] = {
    EMAIL_ID,
    STRING("to", "Who gets it: addresses with commas between"),
    MAYBE("body", "Text before it"),
    HTML,
    CC,
    BCC,
    FOLDER("folder")};
static const struct field id_fields[] = {EMAIL_ID, FOLDER("folder")};
static const struct field ids_fields[] = {EMAIL_IDS, FOLDER("folder")};
static const struct field import_fields[] = {
    MAYBE("json_string", "Text of an export"),
    MAYBE("import_path", "Path of an export, of a message (.eml) or of a directory with messages, "
                         "in the workspace"),
    MAYBE("target_folder", "Folder for those whose own is not kept; INBOX if it is not said"),
    FLAGGED("preserve_folders", "true", "Each goes into the folder that it was in")};
static const struct field list_fields[] = {FOLDER("folder"), PAGE, PAGE_SIZE};
static const struct field mark_fields[] = {
    EMAIL_IDS, STRING("status", "read, unread, important or not_important"), FOLDER("folder")};
static const struct field move_fields[] = {EMAIL_ID, TARGET, FOLDER("source_folder")};
static const struct field move_some_fields[] = {EMAIL_IDS, TARGET, FOLDER("source_folder")};
static const struct field page_fields[] = {PAGE, PAGE_SIZE};
static const struct field reply_fields[] = {
    EMAIL_ID,
    STRING("body", "Text of the answer"),
    HTML,
    CC,
    BCC,
    FLAGGED("reply_all", "false", "All who had the message get it"),
    FOLDER("folder")};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "structuredContent", .type = "any"},
    {.name = "isError", .type = "boolean"}};
static const struct field save_fields[] = {
    STRING("subject", "Subject"), STRING("body", "Text"), HTML, TO_MAYBE, CC, BCC};
static const struct field search_fields[] = {
    STRING("query", "Text that a head or a body has, in any case"), FOLDER("folder"), PAGE,
    PAGE_SIZE};
static const struct field send_fields[] = {
    STRING("to", "Who gets it: addresses with commas between"),
    STRING("subject", "Subject"),
    STRING("body", "Text"),
    HTML,
    CC,
    BCC,
    {.name = "attachments",
     .type = "string",
     .list = true,
     .def = "null",
     .summary = "Paths of files of the workspace"}};
static const struct field update_fields[] = {STRING("draft_id", "Id of the draft"),
                                             MAYBE("subject", "Subject"),
                                             MAYBE("body", "Text"),
                                             HTML,
                                             TO_MAYBE,
                                             CC,
                                             BCC};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("DownloadAttachment", download_fields),
    SCHEMA("DraftId", draft_fields),
    SCHEMA("EmailId", id_fields),
    SCHEMA("EmailIds", ids_fields),
    SCHEMA("ExportEmails", export_fields),
    SCHEMA("FolderMaybe", folder_maybe_fields),
    SCHEMA("FolderName", folder_fields),
    SCHEMA("ForwardEmail", forward_fields),
    SCHEMA("GetEmails", list_fields),
    SCHEMA("ImportEmails", import_fields),
    SCHEMA("MarkEmails", mark_fields),
    SCHEMA("MoveEmail", move_fields),
    SCHEMA("MoveEmails", move_some_fields),
    SCHEMA("Pages", page_fields),
    SCHEMA("ReplyEmail", reply_fields),
    SCHEMA("SaveDraft", save_fields),
    SCHEMA("SearchEmails", search_fields),
    SCHEMA("SendEmail", send_fields),
    SCHEMA("ToolResult", result_fields),
    SCHEMA("UpdateDraft", update_fields),
};

/* ---- the dialect ---- */

static const char *const prefixes[] = {"/workspace/v1/email", NULL};

const struct dialect email_dialect = {
    .name = "workspace.email",
    .title = "Workspace: mail",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&email_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
