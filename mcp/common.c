/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of tools that is listed where nobody asks for another: those of the native ones that most
 * work is done with, each with the arguments that most calls have. A model reads all of the list,
 * so it is short: at most 127 tools and 8,000 tokens (of 4 bytes), for all services together.
 */
#include "mcp/tool.h"
#include "engine/api/json_schema.h"
#include <stdio.h>

/* What is shown of a method: names of its parameters and, behind "body.", of its body's members
 * and those in them, with spaces between them. What it requires is shown in any case. */
struct common {
    const char *method, *arguments;
};

#define EVENT                                                                                      \
    "body.summary body.description body.location body.start.date body.start.dateTime "             \
    "body.start.timeZone body.end.date body.end.dateTime body.end.timeZone body.attendees.email "  \
    "body.attendees.optional body.recurrence body.reminders body.visibility body.transparency "
#define PAGE "maxResults pageToken "

static const struct common calendar[] = {
    {"calendar.calendarList.list", PAGE},
    {"calendar.events.list",
     PAGE "timeMin timeMax q singleEvents orderBy showDeleted updatedMin timeZone"},
    {"calendar.events.get", "timeZone"},
    {"calendar.events.insert",
     EVENT "sendUpdates conferenceDataVersion body.conferenceData.createRequest"},
    {"calendar.events.patch", EVENT "sendUpdates body.status"},
    {"calendar.events.delete", "sendUpdates"},
    {"calendar.events.instances", PAGE "timeMin timeMax"},
    {"calendar.freebusy.query", "body.timeMin body.timeMax body.timeZone body.items.id"},
    {"calendar.acl.list", ""},
    {"calendar.acl.insert", "sendNotifications body.role body.scope"},
    {NULL, NULL},
};

static const struct common gmail[] = {
    {"gmail.users.messages.list", PAGE "q labelIds includeSpamTrash"},
    {"gmail.users.messages.get", "format"},
    {"gmail.users.messages.send", "media body.raw body.threadId"},
    {"gmail.users.messages.modify", "body.addLabelIds body.removeLabelIds"},
    {"gmail.users.messages.batchModify", "body.ids body.addLabelIds body.removeLabelIds"},
    {"gmail.users.messages.trash", ""},
    {"gmail.users.messages.attachments.get", ""},
    {"gmail.users.threads.list", PAGE "q labelIds"},
    {"gmail.users.threads.get", "format"},
    {"gmail.users.drafts.create", "media body.message.raw body.message.threadId"},
    {"gmail.users.drafts.list", PAGE "q"},
    {"gmail.users.drafts.send", "body.id"},
    {"gmail.users.labels.list", ""},
    {"gmail.users.labels.create", "body.name"},
    {"gmail.users.settings.filters.list", ""},
    {"gmail.users.settings.filters.create",
     "body.criteria.from body.criteria.subject body.criteria.query body.action.addLabelIds "
     "body.action.removeLabelIds body.action.forward"},
    {"gmail.users.settings.updateVacation",
     "body.enableAutoReply body.responseSubject body.responseBodyPlainText body.startTime "
     "body.endTime body.restrictToDomain"},
    {NULL, NULL},
};

#define FILE "body.name body.mimeType body.parents body.description "

static const struct common drive[] = {
    {"drive.files.list", "q pageSize pageToken orderBy corpora driveId supportsAllDrives "
                         "includeItemsFromAllDrives"},
    {"drive.files.get", "supportsAllDrives"},
    {"drive.files.create", FILE "media supportsAllDrives"},
    {"drive.files.update",
     "media addParents removeParents supportsAllDrives body.name body.mimeType "
     "body.description body.trashed body.starred"},
    {"drive.files.copy", "supportsAllDrives body.name body.parents"},
    {"drive.files.export", ""},
    {"drive.files.delete", "supportsAllDrives"},
    {"drive.permissions.list", "supportsAllDrives"},
    {"drive.permissions.create", "sendNotificationEmail emailMessage supportsAllDrives body.type "
                                 "body.role body.emailAddress body.domain"},
    {"drive.permissions.update", "supportsAllDrives body.role"},
    {"drive.permissions.delete", "supportsAllDrives"},
    {"drive.comments.list", "pageSize pageToken"},
    {"drive.comments.create", "body.content"},
    {"drive.replies.create", "body.content body.action"},
    {"drive.drives.list", "pageSize pageToken"},
    {NULL, NULL},
};

static const struct common slack[] = {
    {"conversations.list", "cursor limit types exclude_archived"},
    {"conversations.info", ""},
    {"conversations.history", "cursor limit oldest latest"},
    {"conversations.replies", "cursor limit"},
    {"conversations.members", "cursor limit"},
    {"conversations.create", "is_private"},
    {"conversations.invite", ""},
    {"conversations.join", ""},
    {"conversations.open", "users channel"},
    {"conversations.setTopic", ""},
    {"conversations.archive", ""},
    {"chat.postMessage", "text thread_ts blocks markdown_text"},
    {"chat.update", "text blocks"},
    {"chat.delete", ""},
    {"chat.scheduleMessage", "text thread_ts"},
    {"reactions.add", ""},
    {"pins.add", "timestamp"},
    {"search.messages", "sort sort_dir count page"},
    {"users.list", "cursor limit"},
    {"users.info", ""},
    {"users.lookupByEmail", ""},
    {"files.list", "channel user types"},
    {"files.info", ""},
    {"reminders.add", "user"},
    {NULL, NULL},
};

static const struct common *const tables[] = {calendar, gmail, drive, slack, NULL};

static const struct common *common_of(const struct route *r)
{
    for (const struct common *const *t = tables; *t; t++)
        for (const struct common *c = *t; c->method; c++)
            if (strcmp(c->method, r->id) == 0)
                return c;
    return NULL;
}

bool tool_is_common(const struct mcp_tool *t)
{
    return t->route && common_of(t->route);
}

/* Is it listed, or something in it? */
static bool is_shown(const struct common *c, const char *prefix, const char *name)
{
    size_t before = strlen(prefix), n = strlen(name);
    for (const char *p = c->arguments; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (len >= before + n && memcmp(p, prefix, before) == 0 &&
            memcmp(p + before, name, n) == 0 && (len == before + n || p[before + n] == '.'))
            return true;
        p += len;
    }
    return false;
}

static void write_values(struct json_writer *w, const char *const *values)
{
    json_arr(w, "enum");
    for (; *values; values++)
        json_str(w, NULL, *values);
    json_end(w);
}

/* ---- members of bodies ---- */

static void write_field(const struct json_schema *s, const struct common *c, const struct field *f,
                        const char *prefix);

/* Of an object whose members are listed, those; of another one that is a member of the body, all
 * that can be written, without what is in them. */
static void write_members(const struct json_schema *s, const struct common *c,
                          const struct field *of, const struct field *fields, size_t n,
                          const char *prefix)
{
    char inner[128];
    bool top = strcmp(prefix, BODY ".") == 0;
    snprintf(inner, sizeof inner, "%s%s.", prefix, of->name);
    bool listed = is_shown(c, inner, "");
    if (!listed && !top)
        return;
    json_obj(s->w, "properties");
    for (size_t i = 0; i < n; i++)
        if (listed ? is_shown(c, inner, fields[i].name)
                   : !fields[i].read_only && !fields[i].deprecated)
            write_field(s, c, &fields[i], inner);
    json_end(s->w);
}

static void write_value(const struct json_schema *s, const struct common *c, const struct field *f,
                        const char *prefix)
{
    const struct schema *schema = dialect_schema(s->d, f->type);
    const struct field *fields = schema ? schema->fields : f->fields;
    bool object = schema || f->fields || strcmp(f->type, "object") == 0;
    if (strcmp(f->type, "any") != 0)
        json_str(s->w, "type", object ? "object" : f->type);
    if (fields)
        write_members(s, c, f, fields, schema ? schema->n_fields : f->n_fields, prefix);
    if (f->values)
        write_values(s->w, f->values);
}

static void write_field(const struct json_schema *s, const struct common *c, const struct field *f,
                        const char *prefix)
{
    json_obj(s->w, f->name);
    if (f->list || f->map) {
        json_str(s->w, "type", f->list ? "array" : "object");
        json_obj(s->w, f->list ? "items" : "additionalProperties");
        write_value(s, c, f, prefix);
        json_end(s->w);
    } else {
        write_value(s, c, f, prefix);
    }
    json_str_opt(s->w, "description", f->summary);
    json_end(s->w);
}

static void write_body(const struct json_schema *s, const struct common *c, const struct route *r)
{
    const struct schema *body = dialect_schema(s->d, r->request);
    size_t n = 0;
    json_obj(s->w, BODY);
    json_str(s->w, "type", "object");
    json_obj(s->w, "properties");
    for (size_t i = 0; body && i < body->n_fields; i++)
        if (json_schema_requires(s, &body->fields[i]) ||
            is_shown(c, BODY ".", body->fields[i].name))
            write_field(s, c, &body->fields[i], BODY ".");
    json_end(s->w);
    for (size_t i = 0; body && i < body->n_fields; i++) {
        if (!json_schema_requires(s, &body->fields[i]))
            continue;
        if (!n++)
            json_arr(s->w, "required");
        json_str(s->w, NULL, body->fields[i].name);
    }
    if (n)
        json_end(s->w);
    json_end(s->w);
}

/* ---- the tool ---- */

static void write_fields(struct json_writer *w, const char *name)
{
    json_obj(w, name);
    json_str(w, "type", "string");
    json_end(w);
}

static void write_type(struct json_writer *w, const struct param *p)
{
    static const char *const types[] = {
        [PARAM_STRING] = "string",   [PARAM_INT] = "integer", [PARAM_BOOL] = "boolean",
        [PARAM_DATETIME] = "string", [PARAM_DATE] = "string", [PARAM_ENUM] = "string",
        [PARAM_LIST] = "array",      [PARAM_JSON] = NULL};
    json_str_opt(w, "type", p->type == PARAM_JSON ? p->shape : types[p->type]);
    if (p->type == PARAM_LIST) {
        json_obj(w, "items");
        json_str(w, "type", "string");
        json_end(w);
    }
    if (p->type == PARAM_DATETIME)
        json_str(w, "format", "date-time");
    if (p->values)
        write_values(w, p->values);
}

/* Bounds are the service's to say, and of the words for a parameter those of the row alone: the
 * list is to be short. */
static void write_param(struct json_writer *w, const struct param *p)
{
    json_obj(w, p->name);
    if (p->repeated) {
        json_str(w, "type", "array");
        json_obj(w, "items");
        write_type(w, p);
        json_end(w);
    } else {
        write_type(w, p);
    }
    if (p->type == PARAM_STRING)
        json_str_opt(w, "default", p->def);
    json_str_opt(w, "description", p->summary);
    json_end(w);
}

void tool_write_common(struct json_writer *w, const struct mcp_tool *t)
{
    const struct route *r = t->route;
    const struct common *c = common_of(r);
    struct json_schema s = {.w = w, .d = t->dialect, .refs = "", .method = r->id};
    json_obj(w, NULL);
    json_str(w, "name", t->name);
    json_str_opt(w, "description", r->summary);
    json_obj(w, "inputSchema");
    json_str(w, "type", "object");
    json_obj(w, "properties");
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].required || is_shown(c, "", r->params[i].name))
            write_param(w, &r->params[i]);
    if (tool_takes_json(r))
        write_body(&s, c, r);
    if (r->media && is_shown(c, "", MEDIA))
        tool_write_media(w);
    if (r->download)
        tool_write_alt(w);
    if (t->service->fields && (r->needs_fields || (r->response && r->risk == RISK_READ)))
        write_fields(w, t->service->fields);
    json_end(w);
    tool_write_required(&s, t);
    json_end(w);
    tool_write_hints(w, t, NULL);
    json_end(w);
}
