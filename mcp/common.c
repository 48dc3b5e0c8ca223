/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of tools that is listed where nobody asks for another: those of the native ones that most
 * work is done with, each with the arguments that most calls have. A model reads all of the list,
 * so it is short: at most 127 tools and 8,000 tokens (of 4 bytes), for all services together.
 */
#include "mcp/tool.h"
#include "engine/api/json_schema.h"

/* What is shown of a method: names of its parameters and, behind "body.", of its body's members,
 * with spaces between them. What it requires is shown in any case. */
struct common {
    const char *method, *arguments;
};

#define EVENT                                                                                      \
    "body.summary body.description body.location body.start body.end body.attendees "              \
    "body.recurrence body.reminders body.colorId body.visibility body.transparency "
#define PAGE "maxResults pageToken "

static const struct common calendar[] = {
    {"calendar.calendarList.list", PAGE},
    {"calendar.events.list",
     PAGE "timeMin timeMax q singleEvents orderBy showDeleted updatedMin timeZone"},
    {"calendar.events.get", "timeZone"},
    {"calendar.events.insert", EVENT "sendUpdates conferenceDataVersion body.conferenceData"},
    {"calendar.events.patch", EVENT "sendUpdates body.status"},
    {"calendar.events.delete", "sendUpdates"},
    {"calendar.events.instances", PAGE "timeMin timeMax"},
    {"calendar.events.move", "sendUpdates"},
    {"calendar.freebusy.query", "body.timeMin body.timeMax body.timeZone body.items"},
    {"calendar.acl.list", ""},
    {"calendar.acl.insert", "sendNotifications body.role body.scope"},
    {NULL, NULL},
};

static const struct common gmail[] = {
    {"gmail.users.messages.list", PAGE "q labelIds includeSpamTrash"},
    {"gmail.users.messages.get", "format"},
    {"gmail.users.messages.send", "body.raw body.threadId"},
    {"gmail.users.messages.modify", "body.addLabelIds body.removeLabelIds"},
    {"gmail.users.messages.batchModify", "body.ids body.addLabelIds body.removeLabelIds"},
    {"gmail.users.messages.trash", ""},
    {"gmail.users.messages.attachments.get", ""},
    {"gmail.users.threads.list", PAGE "q labelIds"},
    {"gmail.users.threads.get", "format"},
    {"gmail.users.threads.modify", "body.addLabelIds body.removeLabelIds"},
    {"gmail.users.drafts.create", "body.message"},
    {"gmail.users.drafts.list", PAGE "q"},
    {"gmail.users.drafts.get", "format"},
    {"gmail.users.drafts.update", "body.message"},
    {"gmail.users.drafts.send", "body.id"},
    {"gmail.users.labels.list", ""},
    {"gmail.users.labels.create", "body.name"},
    {"gmail.users.settings.filters.list", ""},
    {"gmail.users.settings.filters.create", "body.criteria body.action"},
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
    {"drive.files.create", FILE "supportsAllDrives"},
    {"drive.files.update", "addParents removeParents supportsAllDrives body.name body.mimeType "
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

static bool is_shown(const struct common *c, const char *prefix, const char *name)
{
    size_t before = strlen(prefix), n = strlen(name);
    for (const char *p = c->arguments; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (len == before + n && memcmp(p, prefix, before) == 0 && memcmp(p + before, name, n) == 0)
            return true;
        p += len;
    }
    return false;
}

/* ---- members of bodies ---- */

static void write_members(const struct json_schema *s, const struct field *fields, size_t n);

static void write_value(const struct json_schema *s, const struct field *f, bool inner)
{
    const struct schema *schema = dialect_schema(s->d, f->type);
    const struct field *fields = schema ? schema->fields : f->fields;
    size_t n = schema ? schema->n_fields : f->n_fields;
    bool object = schema || f->fields || strcmp(f->type, "object") == 0;
    if (strcmp(f->type, "any") != 0)
        json_str(s->w, "type", object ? "object" : f->type);
    if (fields && inner)
        write_members(s, fields, n);
    if (f->values) {
        json_arr(s->w, "enum");
        for (const char *const *v = f->values; *v; v++)
            json_str(s->w, NULL, *v);
        json_end(s->w);
    }
}

/* inner: what is in it is shown too. */
static void write_field(const struct json_schema *s, const struct field *f, bool inner)
{
    json_obj(s->w, f->name);
    if (f->list || f->map) {
        json_str(s->w, "type", f->list ? "array" : "object");
        json_obj(s->w, f->list ? "items" : "additionalProperties");
        write_value(s, f, inner);
        json_end(s->w);
    } else {
        write_value(s, f, inner);
    }
    if (inner)
        json_str_opt(s->w, "description", f->summary);
    json_end(s->w);
}

static void write_members(const struct json_schema *s, const struct field *fields, size_t n)
{
    json_obj(s->w, "properties");
    for (size_t i = 0; i < n; i++)
        if (!fields[i].read_only && !fields[i].deprecated)
            write_field(s, &fields[i], false);
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
            write_field(s, &body->fields[i], true);
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

static void write_param(const struct json_schema *s, const struct param *p)
{
    json_obj(s->w, p->name);
    json_schema_param(s, p);
    json_str_opt(s->w, "description", p->summary);
    json_end(s->w);
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
            write_param(&s, &r->params[i]);
    if (tool_takes_json(r))
        write_body(&s, c, r);
    tool_write_extras(w, t);
    json_end(w);
    tool_write_required(&s, t);
    json_end(w);
    tool_write_hints(w, t);
    json_end(w);
}
