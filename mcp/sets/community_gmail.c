/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server for Gmail, whose answers are lines of text. Source of names,
 * arguments and lines: its published code. What saves files on the server's machine is left out. */
#include "mcp/sets/mail.h"
#include "engine/base/utf8.h"
#include <strings.h>

static const char *text_at(struct set_run *r, const struct json *v, const char *ref)
{
    return value_words(r->arena, template_ref(r, ref, v));
}

/* ---- messages ---- */

/* The files of a letter would be those of the server's machine. */
static const struct json *letter(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    if (!value_holds(json_get(r->args, "attachments")))
        return set_mail_letter(r, v, arg, item);
    set_refuse(r, "attachments must be empty: paths are of a machine that is not here");
    return NULL;
}

/* A message in words: its headers, the text, what files it has. */
static const struct json *message(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    static const char *const headers[] = {"Subject", "From", "To", "Date"};
    const struct json *payload = json_get(v, "payload");
    const struct json *bodies = set_mail_bodies(r, payload, NULL, NULL);
    const struct json *files = set_mail_files(r, payload, NULL, NULL);
    const char *text = json_get_str(bodies, "text"), *html = json_get_str(bodies, "html");
    struct buf b;
    buf_init(&b, 64 << 20);
    buf_printf(&b, "Thread ID: %s\n", text_at(r, v, "$.threadId"));
    for (size_t i = 0; i < SOSIA_LEN(headers); i++)
        buf_printf(
            &b, "%s: %s\n", headers[i],
            text_at(r, payload, arena_printf(r->arena, "$.headers.[name=%s].value", headers[i])));
    buf_puts(&b, "\n");
    if (!*text && *html)
        buf_puts(&b, "[There is no text but this HTML.]\n\n");
    buf_puts(&b, *text ? text : html);
    if (files)
        buf_printf(&b, "\n\nAttachments (%u):", files->n);
    for (uint32_t i = 0; files && i < files->n; i++) {
        const struct json *f = &files->items[i], *size = json_get(f, "size");
        int64_t n = 0;
        if (size && json_i64(size, &n) < 0)
            n = 0;
        buf_printf(&b, "\n- %s (%s, %lld KB, ID: %s)", text_at(r, f, "$.filename"),
                   text_at(r, f, "$.mimeType"), (long long)((n + 512) / 1024),
                   text_at(r, f, "$.id"));
    }
    return set_text(r, &b);
}

/* Blocks of lines, of the messages that were found. */
static const struct json *hits(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    static const char *const headers[] = {"Subject", "From", "Date"};
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++) {
        const struct json *m = &v->items[i];
        buf_printf(&b, "%sID: %s\n", i ? "\n" : "", text_at(r, m, "$.of.id"));
        for (size_t k = 0; k < SOSIA_LEN(headers); k++)
            buf_printf(&b, "%s: %s\n", headers[k],
                       text_at(r, m,
                               arena_printf(r->arena, "$.response.payload.headers.[name=%s].value",
                                            headers[k])));
    }
    return set_text(r, &b);
}

/* What many calls came to; arg: what was done. */
static const struct json *batch(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    struct buf failed, b;
    unsigned n = 0;
    buf_init(&failed, 64 << 20);
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++) {
        const char *why = json_get_str(&v->items[i], "refused");
        const char *id = text_at(r, &v->items[i], "$.of");
        if (!why)
            continue;
        buf_printf(&failed, "%s- %.*s... (%s)", n++ ? "\n" : "",
                   (int)utf8_truncate(id, strlen(id), 16), id, why);
    }
    buf_printf(&b, "Messages %s: %u\n", arg, (v ? v->n : 0) - n);
    if (n)
        buf_printf(&b, "Messages that failed: %u\n\nTheir ids:\n%s", n, buf_str(&failed));
    buf_done(&failed);
    return set_text(r, &b);
}

/* ---- labels ---- */

static unsigned add_labels(struct set_run *r, struct buf *b, const struct json *list,
                           const char *type)
{
    unsigned n = 0;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *l = &list->items[i];
        if (strcmp(text_at(r, l, "$.type"), type) == 0)
            buf_printf(b, "%sID: %s\nName: %s\n", n++ ? "\n" : "", text_at(r, l, "$.id"),
                       text_at(r, l, "$.name"));
    }
    return n;
}

static const struct json *labels(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    struct buf system, user, b;
    buf_init(&system, 16 << 20);
    buf_init(&user, 16 << 20);
    buf_init(&b, 64 << 20);
    unsigned n = add_labels(r, &system, v, "system"), m = add_labels(r, &user, v, "user");
    buf_printf(&b, "%u labels (%u system, %u user)\n\nSystem Labels:\n%s\nUser Labels:\n%s", n + m,
               n, m, buf_str(&system), buf_str(&user));
    buf_done(&system);
    buf_done(&user);
    return set_text(r, &b);
}

/* The label of a list that is called as the argument says. */
static const struct json *called(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const char *name = json_get_str(r->args, "name");
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if (strcasecmp(text_at(r, &v->items[i], "$.name"), name) == 0)
            return &v->items[i];
    return NULL;
}

/* True where nothing is. */
static const struct json *absent(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return v ? NULL : &value_true;
}

/* ---- rules for what comes in ---- */

/* "from: a, size: 3"; lists with commas. */
static void add_members(struct set_run *r, struct buf *b, const struct json *v)
{
    bool first = true;
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        if (value->type == JSON_ARRAY)
            value = template_ref(r, "$.|join:, ", value);
        if (!value)
            continue;
        buf_printf(b, "%s%s: %s", first ? "" : ", ", v->members[i].key,
                   value_words(r->arena, value));
        first = false;
    }
}

static void add_rule(struct set_run *r, struct buf *b, const struct json *f)
{
    buf_printf(b, "ID: %s\nCriteria: ", text_at(r, f, "$.id"));
    add_members(r, b, json_get(f, "criteria"));
    buf_puts(b, "\nActions: ");
    add_members(r, b, json_get(f, "action"));
}

static const struct json *rule(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    struct buf b;
    buf_init(&b, 16 << 20);
    add_rule(r, &b, v);
    return set_text(r, &b);
}

static const struct json *rules(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    struct buf b;
    if (!v || v->type != JSON_ARRAY || !v->n)
        return value_text(r->arena, "There are no filters.");
    buf_init(&b, 64 << 20);
    buf_printf(&b, "Filters: %u\n\n", v->n);
    for (uint32_t i = 0; i < v->n; i++) {
        buf_puts(&b, i ? "\n" : "");
        add_rule(r, &b, &v->items[i]);
        buf_byte(&b, '\n');
    }
    return set_text(r, &b);
}

/* ---- ready-made rules ---- */

enum { FROM_SENDER, WITH_SUBJECT, WITH_ATTACHMENTS, LARGE, CONTAINING, MAILING_LIST };

static const struct ready {
    const char *name, *needs; /* a parameter; NULL: none */
    const char *flag, *label; /* whether this label is taken off, or (IMPORTANT) put on */
    bool usual;               /* the flag, if it is not given */
} ready[] = {
    [FROM_SENDER] = {"fromSender", "senderEmail", "archive", "INBOX", false},
    [WITH_SUBJECT] = {"withSubject", "subjectText", "markAsRead", "UNREAD", false},
    [WITH_ATTACHMENTS] = {"withAttachments", NULL, NULL, NULL, false},
    [LARGE] = {"largeEmails", "sizeInBytes", NULL, NULL, false},
    [CONTAINING] = {"containingText", "searchText", "markImportant", "IMPORTANT", false},
    [MAILING_LIST] = {"mailingList", "listIdentifier", "archive", "INBOX", true},
};

static const struct json *criteria_of(struct set_run *r, size_t which, const struct json *v)
{
    struct value_object o = {.arena = r->arena};
    const char *text = v && v->type == JSON_STRING ? v->str : "";
    if (which == FROM_SENDER)
        object_put(&o, "from", v);
    else if (which == WITH_SUBJECT)
        object_put(&o, "subject", v);
    else if (which == WITH_ATTACHMENTS)
        object_put(&o, "hasAttachment", &value_true);
    else if (which == LARGE) {
        object_put(&o, "size", v);
        object_put(&o, "sizeComparison", value_text(r->arena, "larger"));
    } else if (which == CONTAINING)
        object_put(&o, "query", value_text(r->arena, arena_printf(r->arena, "\"%s\"", text)));
    else
        object_put(
            &o, "query",
            value_text(r->arena, arena_printf(r->arena, "list:%s OR subject:[%s]", text, text)));
    return object_value(&o);
}

static const struct json *action_of(struct set_run *r, const struct ready *t,
                                    const struct json *parameters)
{
    struct value_object o = {.arena = r->arena};
    struct value_list put = {.arena = r->arena}, off = {.arena = r->arena};
    const struct json *ids = json_get(parameters, "labelIds");
    const struct json *flag = t->flag ? json_get(parameters, t->flag) : NULL;
    for (uint32_t i = 0; ids && i < ids->n; i++)
        list_add(&put, &ids->items[i]);
    if (t->flag && (flag ? value_holds(flag) : t->usual))
        list_add(strcmp(t->label, "IMPORTANT") == 0 ? &put : &off, value_text(r->arena, t->label));
    object_put(&o, "addLabelIds", list_value(&put));
    object_put(&o, "removeLabelIds", off.n ? list_value(&off) : NULL);
    return object_value(&o);
}

/* The body of the filter that the template makes. */
static const struct json *made_of(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const struct json *parameters = json_get(r->args, "parameters");
    struct value_object o = {.arena = r->arena};
    size_t i = 0;
    while (strcmp(ready[i].name, v->str) != 0)
        i++;
    const struct json *needed = ready[i].needs ? json_get(parameters, ready[i].needs) : NULL;
    if (ready[i].needs && !value_holds(needed)) {
        set_refuse(r, "parameters.%s is required for the template %s", ready[i].needs, v->str);
        return NULL;
    }
    object_put(&o, "criteria", criteria_of(r, i, needed));
    object_put(&o, "action", action_of(r, &ready[i], parameters));
    return object_value(&o);
}

/* ---- rows ---- */

static const char *const in_messages[] = {"show", "hide", NULL};
static const char *const in_labels[] = {"labelShow", "labelShowIfUnread", "labelHide", NULL};
static const char *const comparisons[] = {"unspecified", "smaller", "larger", NULL};
static const char *const templates[] = {"fromSender",  "withSubject",    "withAttachments",
                                        "largeEmails", "containingText", "mailingList",
                                        NULL};

static const struct set_arg letter_args[] = {
    SET_MAIL_LETTER, {.name = "attachments", .type = ARG_STRINGS, .summary = "Must be empty here"}};
static const struct set_arg message_args[] = {SET_MAIL_MESSAGE_ID};
static const struct set_arg search_args[] = {SET_MAIL_SEARCH};
static const struct set_arg modify_args[] = {
    SET_MAIL_MESSAGE_ID,
    {.name = "labelIds", .type = ARG_STRINGS, .summary = "The same as addLabelIds, which counts"},
    SET_MAIL_LABELS};
static const struct set_arg modify_all_args[] = {SET_MAIL_MESSAGE_IDS, SET_MAIL_LABELS,
                                                 SET_MAIL_BATCH_SIZE};
static const struct set_arg delete_all_args[] = {SET_MAIL_MESSAGE_IDS, SET_MAIL_BATCH_SIZE};
#define SHOWN                                                                                      \
    {.name = "messageListVisibility",                                                              \
     .values = in_messages,                                                                        \
     .summary = "Whether it is shown at messages"},                                                \
    {                                                                                              \
        .name = "labelListVisibility", .values = in_labels,                                        \
        .summary = "Whether it is shown among labels"                                              \
    }
#define LABEL_ID                                                                                   \
    {                                                                                              \
        .name = "id", .required = true, .summary = "Id of the label"                               \
    }
static const struct set_arg label_args[] = {
    {.name = "name", .required = true, .summary = "What it is called"}, SHOWN};
static const struct set_arg label_update_args[] = {
    LABEL_ID, {.name = "name", .summary = "What it is called"}, SHOWN};
static const struct set_arg label_id_args[] = {LABEL_ID};

static const struct set_arg criteria[] = {
    {.name = "from", .summary = "Who sent it"},
    {.name = "to", .summary = "Whom it is to"},
    {.name = "subject", .summary = "Words of the subject"},
    {.name = "query", .summary = "As in the search field"},
    {.name = "negatedQuery", .summary = "What it must not be found by"},
    {.name = "hasAttachment", .type = ARG_BOOLEAN, .summary = "Has it files?"},
    {.name = "excludeChats", .type = ARG_BOOLEAN, .summary = "Without chats"},
    {.name = "size", .type = ARG_NUMBER, .summary = "Bytes"},
    {.name = "sizeComparison", .values = comparisons, .summary = "How that is meant"},
};
static const struct set_arg action[] = {SET_MAIL_LABELS,
                                        {.name = "forward", .summary = "Address that gets a copy"}};
static const struct set_arg filter_args[] = {
    {.name = "criteria", SET_MEMBERS(criteria), .required = true, .summary = "Which messages"},
    {.name = "action", SET_MEMBERS(action), .required = true, .summary = "What is done with them"},
};
static const struct set_arg filter_id_args[] = {
    {.name = "filterId", .required = true, .summary = "Id of the filter"},
};
static const struct set_arg parameters[] = {
    {.name = "senderEmail", .summary = "Of fromSender: the address"},
    {.name = "subjectText", .summary = "Of withSubject: the words"},
    {.name = "searchText", .summary = "Of containingText: the words"},
    {.name = "listIdentifier", .summary = "Of mailingList: what the list is called"},
    {.name = "sizeInBytes",
     .type = ARG_NUMBER,
     .summary = "Of largeEmails: from how many bytes on"},
    {.name = "labelIds", .type = ARG_STRINGS, .summary = "Ids of labels to put on"},
    {.name = "archive", .type = ARG_BOOLEAN, .summary = "Out of the inbox"},
    {.name = "markAsRead", .type = ARG_BOOLEAN, .summary = "As read"},
    {.name = "markImportant", .type = ARG_BOOLEAN, .summary = "As important"},
};
static const struct set_arg template_args[] = {
    {.name = "template", .required = true, .values = templates, .summary = "Which one"},
    {.name = "parameters",
     SET_MEMBERS(parameters),
     .required = true,
     .summary = "What it is made with"},
};

#define MODIFY(id, put)                                                                            \
    "{'userId':'me','id':'" id "','body':{'addLabelIds':" put                                      \
    ",'removeLabelIds':'$removeLabelIds'}}"
#define LABEL(n) "ID: {" n ".id}\\nName: {" n ".name}\\nType: {" n ".type|or:user}"
#define LOOKS                                                                                      \
    "'name':'$name','messageListVisibility':'$messageListVisibility|or:show',"                     \
    "'labelListVisibility':'$labelListVisibility|or:labelShow'"

static const struct set_tool tools[] = {
    {.name = "send_email",
     .summary = "Write and send a message, as text, HTML or both, in a thread if asked",
     SET_ARGS(letter_args),
     .steps = {{"gmail.users.messages.send",
                "{'userId':'me','body':{'raw':'$body|letter','threadId':'$threadId|filled'}}"}},
     .result = "'The message was sent. ID: {0.id}'"},
    {.name = "draft_email",
     .summary = "Write a message and keep it as a draft",
     SET_ARGS(letter_args),
     .steps = {{"gmail.users.drafts.create",
                "{'userId':'me','body':{'message':{'raw':'$body|letter',"
                "'threadId':'$threadId|filled'}}}"}},
     .result = "'The draft was kept. ID: {0.id}'"},
    {.name = "read_email",
     .summary = "A message: headers, text, what files it has",
     SET_ARGS(message_args),
     .steps = {{"gmail.users.messages.get", "{'userId':'me','id':'$messageId','format':'full'}"}},
     .result = "'$0|message'"},
    {.name = "search_emails",
     .summary = "Messages that a query of the search field finds, some lines each",
     SET_ARGS(search_args),
     .steps = {{"gmail.users.messages.list",
                "{'userId':'me','q':'$query','maxResults':'$maxResults|some:10'}"},
               {"gmail.users.messages.get",
                "{'userId':'me','id':'$.id','format':'metadata',"
                "'metadataHeaders':['Subject','From','Date']}",
                .each = "0.messages"}},
     .result = "'$1|hits'"},
    {.name = "modify_email",
     .summary = "Put labels on a message and take others off",
     SET_ARGS(modify_args),
     .steps = {{"gmail.users.messages.modify",
                MODIFY("$messageId", "{'$if':'$addLabelIds','$then':'$addLabelIds',"
                                     "'$else':'$labelIds'}")}},
     .result = "'The labels of the message {messageId} were changed.'",
     .idempotent = true},
    {.name = "delete_email",
     .summary = "Delete a message for good, past the trash",
     SET_ARGS(message_args),
     .steps = {{"gmail.users.messages.delete", "{'userId':'me','id':'$messageId'}"}},
     .result = "'The message {messageId} was deleted.'"},
    {.name = "list_email_labels",
     .summary = "The labels, two lines each",
     .steps = {{"gmail.users.labels.list", "{'userId':'me'}"}},
     .result = "'$0.labels|labels'"},
    {.name = "batch_modify_emails",
     .summary = "Change the labels of many messages; those that fail are named",
     SET_ARGS(modify_all_args),
     .steps = {{"gmail.users.messages.modify", MODIFY("$.", "'$addLabelIds'"), .each = "messageIds",
                .tries = true}},
     .result = "'$0|batch:changed'",
     .idempotent = true},
    {.name = "batch_delete_emails",
     .summary = "Delete many messages for good; those that fail are named",
     SET_ARGS(delete_all_args),
     .steps = {{"gmail.users.messages.delete", "{'userId':'me','id':'$.'}", .each = "messageIds",
                .tries = true}},
     .result = "'$0|batch:deleted'"},
    {.name = "create_label",
     .summary = "Make a label",
     SET_ARGS(label_args),
     .steps = {{"gmail.users.labels.create", "{'userId':'me','body':{" LOOKS "}}"}},
     .result = "'The label was made:\\n" LABEL("0") "'"},
    {.name = "update_label",
     .summary = "Change a label",
     SET_ARGS(label_update_args),
     .steps = {{"gmail.users.labels.patch",
                "{'userId':'me','id':'$id','body':{'name':'$name|filled',"
                "'messageListVisibility':'$messageListVisibility',"
                "'labelListVisibility':'$labelListVisibility'}}"}},
     .result = "'The label was changed:\\n" LABEL("0") "'",
     .idempotent = true},
    {.name = "delete_label",
     .summary = "Delete a label, off all messages",
     SET_ARGS(label_id_args),
     .steps = {{"gmail.users.labels.get", "{'userId':'me','id':'$id'}"},
               {"gmail.users.labels.delete", "{'userId':'me','id':'$id'}"}},
     .result = "'The label {0.name} was deleted.'"},
    {.name = "get_or_create_label",
     .summary = "The label that is called so, made if there is none",
     SET_ARGS(label_args),
     .steps = {{"gmail.users.labels.list", "{'userId':'me'}"},
               {"gmail.users.labels.create", "{'userId':'me','body':{" LOOKS "}}",
                "0.labels|called|absent"}},
     .result = "{'$if':'$1','$then':'The label was made:\\n" LABEL(
         "1") "','$else':'The label was there:\\nID: {0.labels|called|member:id}\\n"
              "Name: {0.labels|called|member:name}\\nType: {0.labels|called|member:type}'}",
     .idempotent = true},
    {.name = "create_filter",
     .summary = "Make a filter for messages that come in",
     SET_ARGS(filter_args),
     .steps = {{"gmail.users.settings.filters.create",
                "{'userId':'me','body':{'criteria':'$criteria','action':'$action'}}"}},
     .result = "'The filter was made:\\n{0|rule}'"},
    {.name = "list_filters",
     .summary = "The filters, three lines each",
     .steps = {{"gmail.users.settings.filters.list", "{'userId':'me'}"}},
     .result = "'$0.filter|rules'"},
    {.name = "get_filter",
     .summary = "One filter",
     SET_ARGS(filter_id_args),
     .steps = {{"gmail.users.settings.filters.get", "{'userId':'me','id':'$filterId'}"}},
     .result = "'The filter:\\n{0|rule}'"},
    {.name = "delete_filter",
     .summary = "Delete a filter",
     SET_ARGS(filter_id_args),
     .steps = {{"gmail.users.settings.filters.delete", "{'userId':'me','id':'$filterId'}"}},
     .result = "'The filter {filterId} was deleted.'"},
    {.name = "create_filter_from_template",
     .summary = "Make one of the usual filters",
     SET_ARGS(template_args),
     .steps = {{"gmail.users.settings.filters.create", "{'userId':'me','body':'$template|made'}"}},
     .result = "'The filter was made of the template {template}:\\nID: {0.id}'"},
};

/* A member of a value that a filter gave. */
static const struct json *member(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return json_get(v, arg);
}

static const struct set_filter filters[] = {
    {"letter", letter}, {"message", message}, {"hits", hits},     {"batch", batch},
    {"labels", labels}, {"called", called},   {"absent", absent}, {"member", member},
    {"rule", rule},     {"rules", rules},     {"made", made_of},  {NULL, NULL},
};

const struct set_tools community_gmail = {.set = SET_COMMUNITY,
                                          .service = "gmail",
                                          .closed = true,
                                          .lenient = true,
                                          .filters = filters,
                                          .tools = tools,
                                          .n = SOSIA_LEN(tools)};
