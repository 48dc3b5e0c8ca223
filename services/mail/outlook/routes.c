/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail by Microsoft Graph: the tables of its methods, and what is common to them. */
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/schema.h"

static const struct gloss glossary[] = {
    {"$count", "With the number of all that match"},
    {"$expand", "Related things that are answered too"},
    {"$filter", "Only those of which this holds"},
    {"$orderby", "In the order of these properties"},
    {"$search", "Only those that are found by these words, in double quotes"},
    {"$select", "Only these properties"},
    {"$top", "At most so many"},
    {"attachment-id", "The id of an attachment"},
    {"category-id", "The id of a category"},
    {"conversation-id", "The id of a conversation"},
    {"extension-id", "The name of an extension"},
    {"group-id", "The id of a group"},
    {"mailFolder-id", "The id of a mail folder, or its well-known name"},
    {"mailFolder-id1", "The id of a folder in that folder"},
    {"mention-id", "The id of a mention"},
    {"message-id", "The id of a message"},
    {"override-id", "The id of an override"},
    {"post-id", "The id of a post"},
    {"rule-id", "The id of a rule"},
    {"thread-id", "The id of a thread"},
    {"user-id", "The id of a user, or the user principal name"},
};

static const struct graph_api api = {.workload = GRAPH_OUTLOOK};

const struct dialect outlook_dialect = {
    .name = "mail.outlook",
    .title = "Outlook Mail (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&outlook_folder_rows, &outlook_message_rows, &outlook_send_rows,
                     &outlook_attachment_rows, &outlook_extension_rows, &outlook_setting_rows,
                     &outlook_tip_rows, &outlook_rule_rows, &outlook_category_rows,
                     &outlook_override_rows, &outlook_delta_rows, &outlook_upload_rows,
                     &outlook_folder_delta_rows, &outlook_supported_rows, &outlook_translate_rows,
                     &outlook_mention_rows, &outlook_conversation_rows),
    .schemas = outlook_schemas,
    .n_schemas = OUTLOOK_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = graph_outlook_rates,
    .summary = "Mailboxes: messages, folders, drafts, attachments, rules, settings",
    .facts = &api,
    .tools = &outlook_tools,
};
