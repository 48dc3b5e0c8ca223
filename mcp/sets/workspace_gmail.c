/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail tools of the set "workspace". Source of names, arguments and lines: the published code of a
 * community server. */
#include "mcp/sets/mail.h"
#include "mcp/sets/workspace.h"

/* The text of a message's payload, else its HTML. */
static const struct json *body_of(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const struct json *bodies = set_mail_bodies(r, v, NULL, NULL);
    const char *plain = json_get_str(bodies, "text"), *html = json_get_str(bodies, "html");
    if (plain && *plain)
        return value_text(r->arena, plain);
    if (html && *html)
        return value_text(r->arena, arena_printf(r->arena, "[HTML]\n%s", html));
    return value_text(r->arena, "[No readable content]");
}

static const char *const formats[] = {"plain", "html", NULL};
static const char *const contents[] = {"full", "metadata", NULL};
static const char *const label_actions[] = {"create", "update", "delete", NULL};
static const char *const filter_actions[] = {"create", "delete", NULL};
static const char *const in_labels[] = {"labelShow", "labelHide", NULL};
static const char *const in_messages[] = {"show", "hide", NULL};

static const struct set_arg user_args[] = {WORKSPACE_USER};
static const struct set_arg search_args[] = {
    {.name = "query", .required = true, .summary = "As in the search field: from:ada is:unread"},
    WORKSPACE_USER,
    {.name = "page_size", .type = ARG_INTEGER, .def = "10", .summary = "Messages at most"},
    {.name = "page_token", .summary = "Page to begin with"},
};
static const struct set_arg message_args[] = {
    {.name = "message_id", .required = true, .summary = "Id of the message"}, WORKSPACE_USER};
#define MESSAGE_IDS                                                                                \
    {                                                                                              \
        .name = "message_ids", .type = ARG_STRINGS, .required = true, .min = 1, .max = 1000,       \
        .json = true, .summary = "Ids of the messages"                                             \
    }
static const struct set_arg messages_args[] = {
    MESSAGE_IDS,
    WORKSPACE_USER,
    {.name = "format", .def = "full", .values = contents, .summary = "With or without the text"}};
static const struct set_arg thread_args[] = {
    {.name = "thread_id", .required = true, .summary = "Id of the thread"}, WORKSPACE_USER};
static const struct set_arg threads_args[] = {{.name = "thread_ids",
                                               .type = ARG_STRINGS,
                                               .required = true,
                                               .min = 1,
                                               .max = 1000,
                                               .json = true,
                                               .summary = "Ids of the threads"},
                                              WORKSPACE_USER};
static const struct set_arg file_members[] = {
    {.name = "filename", .summary = "Name"},
    {.name = "content", .summary = "The bytes, in base64"},
    {.name = "mime_type", .summary = "Media type; application/octet-stream by default"},
};
#define LETTER_TEXT                                                                                \
    {.name = "subject", .required = true, .summary = "Subject"},                                   \
        {.name = "body", .required = true, .summary = "The text"},                                 \
    {                                                                                              \
        .name = "body_format", .def = "plain", .values = formats, .summary = "What the text is"    \
    }
#define LETTER_REST                                                                                \
    {.name = "cc", .summary = "Addresses that get a copy"},                                        \
        {.name = "bcc", .summary = "Addresses that get a copy unseen"},                            \
        {.name = "from_name", .summary = "Name of the sender"},                                    \
        {.name = "from_email", .summary = "Address to send from, one of the settings'"},           \
        {.name = "thread_id", .summary = "Thread that it goes into"},                              \
        {.name = "in_reply_to", .summary = "Message-ID of what it answers"},                       \
        {.name = "references", .summary = "Message-IDs of what came before, with spaces between"}, \
    {                                                                                              \
        .name = "attachments", SET_ITEMS(file_members), .json = true,                              \
        .summary = "Files that come with it"                                                       \
    }
static const struct set_arg send_args[] = {
    WORKSPACE_USER,
    {.name = "to", .required = true, .summary = "Addresses of recipients, with commas between"},
    LETTER_TEXT,
    LETTER_REST,
};
static const struct set_arg draft_args[] = {
    WORKSPACE_USER,
    LETTER_TEXT,
    {.name = "to", .summary = "Addresses of recipients, with commas between"},
    LETTER_REST,
    {.name = "include_signature",
     .type = ARG_BOOLEAN,
     .def = "true",
     .summary = "With the signature of the sender's settings"},
    {.name = "quote_original",
     .type = ARG_BOOLEAN,
     .def = "false",
     .summary = "With what it answers below, in a thread"},
};
#define LABELS                                                                                     \
    {.name = "add_label_ids",                                                                      \
     .type = ARG_STRINGS,                                                                          \
     .json = true,                                                                                 \
     .summary = "Ids of labels to put on"},                                                        \
    {                                                                                              \
        .name = "remove_label_ids", .type = ARG_STRINGS, .json = true,                             \
        .summary = "Ids of labels to take off"                                                     \
    }
static const struct set_arg modify_args[] = {
    WORKSPACE_USER,
    {.name = "message_id", .required = true, .summary = "Id of the message"},
    LABELS};
static const struct set_arg modify_all_args[] = {WORKSPACE_USER, MESSAGE_IDS, LABELS};
static const struct set_arg label_args[] = {
    WORKSPACE_USER,
    {.name = "action", .required = true, .values = label_actions, .summary = "What is done"},
    {.name = "name", .summary = "Name of the label"},
    {.name = "label_id", .summary = "Id of the label, to update or delete it"},
    {.name = "label_list_visibility",
     .def = "labelShow",
     .values = in_labels,
     .summary = "Is it in the list of labels?"},
    {.name = "message_list_visibility",
     .def = "show",
     .values = in_messages,
     .summary = "Is it on messages?"},
};
static const struct set_arg criteria_members[] = {
    {.name = "from", .summary = "Sender"},
    {.name = "to", .summary = "Recipient"},
    {.name = "subject", .summary = "Words in the subject"},
    {.name = "query", .summary = "A query of the search field"},
    {.name = "negatedQuery", .summary = "One that must not hold"},
    {.name = "hasAttachment", .type = ARG_BOOLEAN, .summary = "With files"},
    {.name = "excludeChats", .type = ARG_BOOLEAN, .summary = "Without chats"},
    {.name = "size", .type = ARG_INTEGER, .summary = "Bytes"},
    {.name = "sizeComparison", .summary = "larger or smaller"},
};
static const struct set_arg action_members[] = {
    {.name = "addLabelIds", .type = ARG_STRINGS, .summary = "Ids of labels to put on"},
    {.name = "removeLabelIds", .type = ARG_STRINGS, .summary = "Ids of labels to take off"},
    {.name = "forward", .summary = "Address that it goes on to"},
};
static const struct set_arg filter_args[] = {
    WORKSPACE_USER,
    {.name = "action", .required = true, .values = filter_actions, .summary = "What is done"},
    {.name = "criteria", SET_MEMBERS(criteria_members), .summary = "Of which messages"},
    {.name = "filter_action", SET_MEMBERS(action_members), .summary = "What happens to them"},
    {.name = "filter_id", .summary = "Id of the filter, to delete it"},
};

#define HEADER(of, name) "{" of "payload.headers.[name=" name "].value|or}"
#define OPTIONAL(of, name)                                                                         \
    "{'$if':'$" of "payload.headers.[name=" name "].value','$then':'" name                         \
    ": " HEADER(of, name) "\\n'}"
#define FIRST(of, name) "'" name ": " HEADER(of, name) "\\n',"
#define REPLY(of)                                                                                  \
    OPTIONAL(of, "Message-ID")                                                                     \
    "," OPTIONAL(of, "In-Reply-To") "," OPTIONAL(of, "References")
#define GUESTS(of) OPTIONAL(of, "To") "," OPTIONAL(of, "Cc")
#define HEAD(of)   FIRST(of, "Subject") FIRST(of, "From") FIRST(of, "Date") REPLY(of) "," GUESTS(of)
#define THREAD(of)                                                                                 \
    "{'$text':['Thread ID: {" of "id}\\nMessages: {" of "messages|count}\\n\\n',{'$lines':'$" of   \
    "messages','$as':{'$text':['=== Message {.id} ===\\n'," HEAD(".") ",'\\n{.payload|body}\\n'"   \
                                                                      "]}}]}"
#define METADATA "['Subject','From','To','Cc','Date','Message-ID','In-Reply-To','References']"
#define FILES                                                                                      \
    "{'$if':'$0.payload|files','$then':{'$text':['\\n--- ATTACHMENTS ---\\n',{'$lines':"           \
    "'$0.payload|files','$as':'{.filename} ({.mimeType}, {.size} bytes)\\n   Attachment ID: "      \
    "{.id}'}]}}"

static const struct set_tool tools[] = {
    {.name = "search_gmail_messages",
     .summary = "Ids of messages that a query of the search field finds, and of their threads",
     SET_ARGS(search_args),
     .steps = {{"gmail.users.messages.list",
                "{'userId':'me','q':'$query','maxResults':'$page_size','pageToken':"
                "'$page_token|filled'}"}},
     .run = workspace_run,
     .result = "{'$if':'$0.messages','$then':{'$text':['Found {0.messages|count} messages:\\n\\n',{"
               "'$lines':'$0.messages','$as':'- Message ID: {.id}\\n  Web Link: "
               "https://mail.google.com/mail/u/0/#all/{.id}\\n  Thread ID: {.threadId}\\n  Thread "
               "Link: https://mail.google.com/mail/u/0/#all/{.threadId}'},{'$if':"
               "'$0.nextPageToken','$then':'\\n\\nThe next page has page_token: "
               "{0.nextPageToken}'}]},'$else':'No messages found for the query: {query}'}"},
    {.name = "get_gmail_message_content",
     .summary = "A message: headers, text, what files it has",
     SET_ARGS(message_args),
     .steps = {{"gmail.users.messages.get", "{'userId':'me','id':'$message_id','format':'full'}"}},
     .run = workspace_run,
     .result = "{'$text':[" HEAD("0.") ",'\\n--- BODY ---\\n{0.payload|body}'," FILES "]}"},
    {.name = "get_gmail_messages_content_batch",
     .summary = "Several messages; those that can't be read are named",
     SET_ARGS(messages_args),
     .steps = {{"gmail.users.messages.get",
                "{'userId':'me','id':'$.','format':'$format','metadataHeaders':{'$if':"
                "'$format|is:metadata','$then':" METADATA "}}",
                .each = "message_ids", .tries = true}},
     .run = workspace_run,
     .result = "{'$text':['Retrieved {0|done|count} messages:\\n\\n',{'$lines':'$0','$as':{'$if':"
               "'$.refused','$then':'Message {.of}: {.refused}\\n\\n---\\n','$else':{'$text':['"
               "Message ID: {.of}\\n'," HEAD(
                   ".response.") ",'Web Link: https://mail.google.com/mail/u/0/#all/{.of}\\n',{"
                                 "'$if':'$format|is:full','$then':'\\n{.response.payload|body}"
                                 "\\n'},'\\n---\\n']}}}]}"},
    {.name = "get_gmail_thread_content",
     .summary = "All messages of a thread",
     SET_ARGS(thread_args),
     .steps = {{"gmail.users.threads.get", "{'userId':'me','id':'$thread_id','format':'full'}"}},
     .run = workspace_run,
     .result = THREAD("0.")},
    {.name = "get_gmail_threads_content_batch",
     .summary = "All messages of several threads; those that can't be read are named",
     SET_ARGS(threads_args),
     .steps = {{"gmail.users.threads.get", "{'userId':'me','id':'$.','format':'full'}",
                .each = "thread_ids", .tries = true}},
     .run = workspace_run,
     .result = "{'$text':['Retrieved {0|done|count} threads:\\n\\n',{'$lines':'$0','$as':{'$if':"
               "'$.refused','$then':'Thread {.of}: {.refused}\\n---\\n','$else':" THREAD(
                   ".response.") "}}]}"},
    {.name = "send_gmail_message",
     .summary = "Write and send a message, in a thread if asked",
     SET_ARGS(send_args),
     .steps = {{"gmail.users.messages.send",
                "{'userId':'me','body':{'raw':'$body|letter','threadId':'$thread_id|filled'}}"}},
     .run = workspace_run,
     .result = "'The message was sent{_with}. Message ID: {0.id}'"},
    {.name = "draft_gmail_message",
     .summary = "Write a draft, in a thread if asked",
     SET_ARGS(draft_args),
     .steps = {{"gmail.users.drafts.create",
                "{'userId':'me','body':{'message':{'raw':'$_body|letter:draft','threadId':"
                "'$thread_id|filled'}}}"},
               {"gmail.users.settings.sendAs.list", WORKSPACE_NEVER, .optional = true},
               {"gmail.users.threads.get", WORKSPACE_NEVER, .optional = true}},
     .run = workspace_draft,
     .result = "'The draft was made{_with}. Draft ID: {0.id}'"},
    {.name = "modify_gmail_message_labels",
     .summary = "Put labels on a message and take others off",
     SET_ARGS(modify_args),
     .steps = {{"gmail.users.messages.modify",
                "{'userId':'me','id':'$message_id','body':{'addLabelIds':'$add_label_ids',"
                "'removeLabelIds':'$remove_label_ids'}}"}},
     .run = workspace_run,
     .result = "{'$text':['Message ID: {message_id}',{'$if':'$add_label_ids','$then':'\\nAdded: "
               "{add_label_ids|join:, }'},{'$if':'$remove_label_ids','$then':'\\nRemoved: "
               "{remove_label_ids|join:, }'}]}",
     .idempotent = true},
    {.name = "batch_modify_gmail_message_labels",
     .summary = "The same for many messages",
     SET_ARGS(modify_all_args),
     .steps = {{"gmail.users.messages.batchModify",
                "{'userId':'me','body':{'ids':'$message_ids','addLabelIds':'$add_label_ids',"
                "'removeLabelIds':'$remove_label_ids'}}"}},
     .run = workspace_run,
     .result = "{'$text':['Messages: {message_ids|count}',{'$if':'$add_label_ids','$then':'\\n"
               "Added: {add_label_ids|join:, }'},{'$if':'$remove_label_ids','$then':'\\nRemoved: "
               "{remove_label_ids|join:, }'}]}",
     .idempotent = true},
    {.name = "list_gmail_labels",
     .summary = "The labels of the mailbox",
     SET_ARGS(user_args),
     .steps = {{"gmail.users.labels.list", "{'userId':'me'}"}},
     .run = workspace_run,
     .result = "{'$text':['Found {0.labels|count} labels:\\n\\n',{'$lines':'$0.labels','$as':'- "
               "{.name} (ID: {.id}, {.type})'}]}"},
    {.name = "manage_gmail_label",
     .summary = "Make, change or delete a label",
     SET_ARGS(label_args),
     .steps = {{"gmail.users.labels.create",
                "{'userId':'me','body':{'name':'$name','labelListVisibility':"
                "'$label_list_visibility','messageListVisibility':'$message_list_visibility'}}",
                .when = "_create"},
               {"gmail.users.labels.patch",
                "{'userId':'me','id':'$label_id','body':{'name':'$name|filled',"
                "'labelListVisibility':'$label_list_visibility','messageListVisibility':"
                "'$message_list_visibility'}}",
                .when = "_update"},
               {"gmail.users.labels.delete", "{'userId':'me','id':'$label_id'}",
                .when = "_delete"}},
     .run = workspace_run,
     .result = "{'$if':'$_create','$then':'The label was made.\\nName: {0.name}\\nID: {0.id}',"
               "'$else':{'$if':'$_update','$then':'The label was changed.\\nName: {1.name}\\nID: "
               "{1.id}','$else':'The label was deleted.\\nID: {label_id}'}}"},
    {.name = "list_gmail_filters",
     .summary = "The filters of the mailbox",
     SET_ARGS(user_args),
     .steps = {{"gmail.users.settings.filters.list", "{'userId':'me'}"}},
     .run = workspace_run,
     .result = "{'$if':'$0.filter','$then':{'$text':['Found {0.filter|count} filters:\\n\\n',{"
               "'$lines':'$0.filter','$as':'Filter ID: {.id}\\n  Criteria: {.criteria}\\n  "
               "Actions: {.action}'}]},'$else':'No filters found.'}"},
    {.name = "manage_gmail_filter",
     .summary = "Make or delete a filter",
     SET_ARGS(filter_args),
     .steps = {{"gmail.users.settings.filters.create",
                "{'userId':'me','body':{'criteria':'$criteria','action':'$filter_action'}}",
                .when = "_create"},
               {"gmail.users.settings.filters.delete", "{'userId':'me','id':'$filter_id'}",
                .when = "_delete"}},
     .run = workspace_run,
     .result = "{'$if':'$_create','$then':'The filter was made.\\nFilter ID: {0.id}','$else':'The "
               "filter was deleted.\\nFilter ID: {filter_id}'}"},
};

static const struct set_filter filters[] = {
    {"body", body_of}, {"files", set_mail_files}, {"letter", workspace_letter}, {NULL, NULL}};

const struct set_tools workspace_gmail = {.set = SET_WORKSPACE,
                                          .service = "gmail",
                                          .closed = true,
                                          .filters = filters,
                                          .tools = tools,
                                          .n = SOSIA_LEN(tools)};
