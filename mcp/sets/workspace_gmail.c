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

/* ---- lists ---- */

/* Without the empty lines at the end. */
static const struct json *trimmed(struct set_run *r, struct buf *b)
{
    while (b->len && b->data[b->len - 1] == '\n')
        b->len--;
    return set_text(r, b);
}

#define LINK "https://mail.google.com/mail/u/0/#all/"

/* Messages that were found, with their places in the list. */
static const struct json *hits(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++) {
        const char *id = value_words(r->arena, json_get(&v->items[i], "id"));
        const char *thread = value_words(r->arena, json_get(&v->items[i], "threadId"));
        buf_printf(&b,
                   "  %u. Message ID: %s\n     Web Link: " LINK "%s\n     Thread ID: %s\n     "
                   "Thread Link: " LINK "%s\n\n",
                   i + 1, id, id, thread, thread);
    }
    return trimmed(r, &b);
}

/* The service's own labels, and those of the person. */
static const struct json *labels(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    static const char *const heads[] = {"📂 SYSTEM LABELS:\n", "🏷️  USER LABELS:\n"};
    struct buf b;
    buf_init(&b, 64 << 20);
    for (size_t k = 0; k < SOSIA_LEN(heads); k++) {
        bool first = true;
        for (uint32_t i = 0; v && i < v->n; i++) {
            const char *type = json_get_str(&v->items[i], "type");
            if ((type && strcmp(type, "system") == 0) != (k == 0))
                continue;
            buf_printf(&b, "%s%s  • %s (ID: %s)\n", first && b.len ? "\n" : "",
                       first ? heads[k] : "", value_words(r->arena, json_get(&v->items[i], "name")),
                       value_words(r->arena, json_get(&v->items[i], "id")));
            first = false;
        }
    }
    return trimmed(r, &b);
}

static void add_rule(struct set_run *r, struct buf *b, const struct json *v, const char *member,
                     const char *label)
{
    const struct json *m = json_get(v, member), *list;
    if (!value_holds(m))
        return;
    list = m->type == JSON_ARRAY ? template_ref(r, "$.|join:, ", m) : m;
    buf_printf(b, "    • %s%s\n", label, m->type == JSON_BOOL ? "" : value_words(r->arena, list));
}

/* What a filter looks for, and what it does. */
static void add_filter(struct set_run *r, struct buf *b, const struct json *filter)
{
    static const char *const looks[][2] = {{"from", "From: "},
                                           {"to", "To: "},
                                           {"subject", "Subject: "},
                                           {"query", "Query: "},
                                           {"negatedQuery", "Exclude Query: "},
                                           {"hasAttachment", "Has attachment"},
                                           {"excludeChats", "Exclude chats"}};
    static const char *const does[][2] = {{"forward", "Forward to: "},
                                          {"removeLabelIds", "Remove labels: "},
                                          {"addLabelIds", "Add labels: "}};
    const struct json *criteria = json_get(filter, "criteria"),
                      *action = json_get(filter, "action");
    const struct json *size = json_get(criteria, "size");
    buf_printf(b, "🔹 Filter ID: %s\n  Criteria:\n", value_words(r->arena, json_get(filter, "id")));
    size_t start = b->len;
    for (size_t i = 0; i < SOSIA_LEN(looks); i++)
        add_rule(r, b, criteria, looks[i][0], looks[i][1]);
    if (size)
        buf_printf(b, "    • Size %s %s bytes\n",
                   value_words(r->arena, json_get(criteria, "sizeComparison")),
                   value_words(r->arena, size));
    buf_puts(b, b->len > start ? "  Actions:\n" : "    • (none)\n  Actions:\n");
    start = b->len;
    for (size_t i = 0; i < SOSIA_LEN(does); i++)
        add_rule(r, b, action, does[i][0], does[i][1]);
    buf_puts(b, b->len > start ? "\n" : "    • (none)\n\n");
}

static const struct json *rules(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++)
        add_filter(r, &b, &v->items[i]);
    return trimmed(r, &b);
}

/* ---- rows ---- */

static const char *const formats[] = {"plain", "html", NULL};
static const char *const contents[] = {"full", "metadata", NULL};
static const char *const label_actions[] = {"create", "update", "delete", NULL};
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
    {.name = "action", .required = true, .summary = "create or delete"},
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
     .title = "Search Gmail Messages",
     .hints = WORKSPACE_READS,
     .summary = "Ids of messages that a query of the search field finds, and of their threads",
     SET_ARGS(search_args),
     .steps = {{"gmail.users.messages.list",
                "{'userId':'me','q':'$query','maxResults':'$page_size','pageToken':"
                "'$page_token|filled'}"}},
     .run = workspace_run,
     .result = "{'$if':'$0.messages','$then':{'$text':['Found {0.messages|count} messages:\\n\\n"
               "📧 MESSAGES:\\n{0.messages|hits}',{'$if':'$0.nextPageToken','$then':'\\n\\nThe "
               "next page has page_token: {0.nextPageToken}'}]},'$else':'No messages found for the "
               "query: {query}'}"},
    {.name = "get_gmail_message_content",
     .title = "Get Gmail Message Content",
     .hints = WORKSPACE_READS,
     .summary = "A message: headers, text, what files it has",
     SET_ARGS(message_args),
     .steps = {{"gmail.users.messages.get", "{'userId':'me','id':'$message_id','format':'full'}"}},
     .run = workspace_run,
     .result = "{'$text':[" HEAD("0.") ",'\\n--- BODY ---\\n{0.payload|body}'," FILES "]}"},
    {.name = "get_gmail_messages_content_batch",
     .title = "Get Gmail Messages Content Batch",
     .hints = WORKSPACE_READS,
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
     .title = "Get Gmail Thread Content",
     .hints = WORKSPACE_READS,
     .summary = "All messages of a thread",
     SET_ARGS(thread_args),
     .steps = {{"gmail.users.threads.get", "{'userId':'me','id':'$thread_id','format':'full'}"}},
     .run = workspace_run,
     .result = THREAD("0.")},
    {.name = "get_gmail_threads_content_batch",
     .title = "Get Gmail Threads Content Batch",
     .hints = WORKSPACE_READS,
     .summary = "All messages of several threads; those that can't be read are named",
     SET_ARGS(threads_args),
     .steps = {{"gmail.users.threads.get", "{'userId':'me','id':'$.','format':'full'}",
                .each = "thread_ids", .tries = true}},
     .run = workspace_run,
     .result = "{'$text':['Retrieved {0|done|count} threads:\\n\\n',{'$lines':'$0','$as':{'$if':"
               "'$.refused','$then':'Thread {.of}: {.refused}\\n---\\n','$else':" THREAD(
                   ".response.") "}}]}"},
    {.name = "send_gmail_message",
     .title = "Send Gmail Message",
     .hints = WORKSPACE_ADDS,
     .summary = "Write and send a message, in a thread if asked",
     SET_ARGS(send_args),
     .steps = {{"gmail.users.messages.send",
                "{'userId':'me','body':{'raw':'$body|letter','threadId':'$thread_id|filled'}}"}},
     .run = workspace_run,
     .result = "'The message was sent{_with}. Message ID: {0.id}'"},
    {.name = "draft_gmail_message",
     .title = "Draft Gmail Message",
     .hints = WORKSPACE_ADDS,
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
     .title = "Modify Gmail Message Labels",
     .hints = WORKSPACE_CHANGES,
     .summary = "Put labels on a message and take others off",
     SET_ARGS(modify_args),
     .steps = {{"gmail.users.messages.modify",
                "{'userId':'me','id':'$message_id','body':{'addLabelIds':'$add_label_ids',"
                "'removeLabelIds':'$remove_label_ids'}}"}},
     .run = workspace_run,
     .result = "{'$text':['Message ID: {message_id}',{'$if':'$add_label_ids','$then':'\\nAdded: "
               "{add_label_ids|join:, }'},{'$if':'$remove_label_ids','$then':'\\nRemoved: "
               "{remove_label_ids|join:, }'}]}"},
    {.name = "batch_modify_gmail_message_labels",
     .title = "Batch Modify Gmail Message Labels",
     .hints = WORKSPACE_CHANGES,
     .summary = "The same for many messages",
     SET_ARGS(modify_all_args),
     .steps = {{"gmail.users.messages.batchModify",
                "{'userId':'me','body':{'ids':'$message_ids','addLabelIds':'$add_label_ids',"
                "'removeLabelIds':'$remove_label_ids'}}"}},
     .run = workspace_run,
     .result = "{'$text':['Messages: {message_ids|count}',{'$if':'$add_label_ids','$then':'\\n"
               "Added: {add_label_ids|join:, }'},{'$if':'$remove_label_ids','$then':'\\nRemoved: "
               "{remove_label_ids|join:, }'}]}"},
    {.name = "list_gmail_labels",
     .title = "List Gmail Labels",
     .hints = WORKSPACE_READS,
     .summary = "The labels of the mailbox",
     SET_ARGS(user_args),
     .steps = {{"gmail.users.labels.list", "{'userId':'me'}"}},
     .run = workspace_run,
     .result = "'Found {0.labels|count} labels:\\n\\n{0.labels|labels}'"},
    {.name = "manage_gmail_label",
     .title = "Manage Gmail Label",
     .hints = WORKSPACE_CHANGES,
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
     .title = "List Gmail Filters",
     .hints = WORKSPACE_READS,
     .summary = "The filters of the mailbox",
     SET_ARGS(user_args),
     .steps = {{"gmail.users.settings.filters.list", "{'userId':'me'}"}},
     .run = workspace_run,
     .result = "{'$if':'$0.filter','$then':'Found {0.filter|count} filters:\\n\\n"
               "{0.filter|rules}','$else':'No filters found.'}"},
    {.name = "manage_gmail_filter",
     .title = "Manage Gmail Filter",
     .hints = WORKSPACE_CHANGES,
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
    {"hits", hits},    {"labels", labels},        {"rules", rules},
    {"body", body_of}, {"files", set_mail_files}, {"letter", workspace_letter},
    {NULL, NULL}};

const struct set_tools workspace_gmail = {.set = SET_WORKSPACE,
                                          .service = "gmail",
                                          .closed = true,
                                          .filters = filters,
                                          .tools = tools,
                                          .n = SOSIA_LEN(tools)};
