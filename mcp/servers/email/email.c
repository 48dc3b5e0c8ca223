/* SPDX-License-Identifier: Apache-2.0 */
/* The server "poste_email_toolathlon": the rows of its tools for a person's mail. */
#include "mcp/servers/email/email.h"

#define TOOL(name, function)                                                                       \
    .id = "email." name, .verbs = POST, .paths = PATHS("/workspace/v1/email/" name),               \
    .handler = (function), .body = BODY_JSON_OPTIONAL, .response = "ToolResult"
#define READS  .risk = RISK_READ, .scopes = "mail.readonly mail"
#define WRITES .risk = RISK_WRITE, .scopes = "mail"
#define SENDS  .risk = RISK_EXTERNAL, .scopes = "mail"
#define DRAFTS .risk = RISK_DRAFT, .scopes = "mail"
#define DROPS  .risk = RISK_DESTRUCTIVE, .scopes = "mail"

static const struct route methods[] = {
    {TOOL("get_emails", email_list), READS, .request = "GetEmails",
     .summary = "List the messages of a folder by pages, the newest first"},
    /* It takes the mark of what is unread away. */
    {TOOL("read_email", email_read), .risk = RISK_WRITE, .scopes = "mail.readonly mail",
     .idempotent = true, .request = "EmailId",
     .summary = "Read a message with its texts and the names of its attachments"},
    {TOOL("search_emails", email_search), READS, .request = "SearchEmails",
     .summary = "Find messages of a folder by a text anywhere in them, the newest first"},
    {TOOL("send_email", email_send), SENDS, .request = "SendEmail",
     .summary = "Send a message, with HTML, copies and files of the workspace if they are given"},
    {TOOL("reply_email", email_reply), SENDS, .request = "ReplyEmail",
     .summary = "Answer a message"},
    {TOOL("forward_email", email_forward), SENDS, .request = "ForwardEmail",
     .summary = "Send a message on to others, with its attachments"},
    {TOOL("delete_email", email_delete), DROPS, .request = "EmailId",
     .summary = "Delete a message for good"},
    {TOOL("move_email", email_move), WRITES, .request = "MoveEmail",
     .summary = "Move a message into another folder"},
    {TOOL("mark_emails", email_mark), WRITES, .idempotent = true, .request = "MarkEmails",
     .summary = "Mark messages as read, unread, important or not important"},
    {TOOL("move_emails", email_move_some), WRITES, .request = "MoveEmails",
     .summary = "Move several messages into another folder"},
    {TOOL("delete_emails", email_delete_some), DROPS, .request = "EmailIds",
     .summary = "Delete several messages for good"},
    {TOOL("get_folders", email_list_folders), READS,
     .summary = "List the folders with how many messages are in each"},
    {TOOL("create_folder", email_create_folder), WRITES, .idempotent = true,
     .request = "FolderName", .summary = "Make a folder"},
    {TOOL("delete_folder", email_delete_folder), DROPS, .request = "FolderName",
     .summary = "Delete a folder with what is in it"},
    {TOOL("get_mailbox_stats", email_stats), READS, .request = "FolderMaybe",
     .summary = "How many messages a folder has, or all of them"},
    {TOOL("get_unread_count", email_unread), READS, .request = "FolderMaybe",
     .summary = "How many messages of a folder, or of all of them, are unread"},
    {TOOL("check_connection", email_check), READS, .summary = "Whether the mailbox can be reached"},
    {TOOL("get_email_headers", email_headers), READS, .request = "EmailId",
     .summary = "All fields of a message's head"},
    {TOOL("save_draft", email_save_draft), DRAFTS, .request = "SaveDraft",
     .summary = "Save a draft"},
    {TOOL("get_drafts", email_drafts), READS, .request = "Pages",
     .summary = "List the drafts by pages, the newest first"},
    {TOOL("update_draft", email_update_draft), DRAFTS, .request = "UpdateDraft",
     .summary = "Change a draft; what is not given stays as it is"},
    {TOOL("delete_draft", email_delete_draft), DROPS, .request = "DraftId",
     .summary = "Delete a draft"},
    {TOOL("export_emails", email_export), WRITES, .request = "ExportEmails",
     .summary = "Write the messages of a folder, or of all of them, into a file of the workspace"},
    {TOOL("import_emails", email_import), WRITES, .request = "ImportEmails",
     .summary = "Put messages of an export, or of files of the workspace, into folders"},
    {TOOL("download_attachment", email_download), WRITES, .request = "DownloadAttachment",
     .summary = "Save an attachment of a message as a file of the workspace"},
};
const struct rows email_rows = ROWS(methods);
