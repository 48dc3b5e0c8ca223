/* SPDX-License-Identifier: Apache-2.0 */
/* What every row of every service says of itself, for all who read rows: documents, tools, checks.
 */
#include "tests/support/shape.h"
#include "engine/api/json_schema.h"
#include "engine/api/openapi.h"
#include "engine/api/vendor.h"
#include "engine/base/codec.h"
#include "services/list.h"
#include "vendors/microsoft/types/types.h"
#include <stdio.h>
#include <stdlib.h>

static int faults;

__attribute__((format(printf, 2, 3))) static void fault(const char *where, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    print_error("%s: %s\n", where, text);
    faults++;
}

static void each_param(void (*fn)(const struct dialect *d, const struct route *r,
                                  const struct param *p))
{
    const struct dialect *d;
    const struct route *r;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            for (size_t n = 0; n < r->n_params; n++)
                fn(d, r, &r->params[n]);
    assert_int_equal(faults, 0);
}

/* ---- words ---- */

static void check_summary(const struct dialect *d, const struct route *r, const struct param *p)
{
    const char *text = param_summary(d, p);
    if (!text)
        fault(r->id, "%s has no summary", p->name);
    else if (*text < 'A' || text[strlen(text) - 1] == '.')
        fault(r->id, "the summary of %s must be a line without a full stop, not \"%s\"", p->name,
              text);
}

static void parameters_say_what_they_are_for(void **state)
{
    (void)state;
    each_param(check_summary);
}

static bool takes(const struct dialect *d, const char *name)
{
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(d, i)); i++)
        for (size_t n = 0; n < r->n_params; n++)
            if (!r->params[n].summary && strcmp(r->params[n].name, name) == 0)
                return true;
    return false;
}

/* They are looked up by halving; a word that nothing takes is left over. */
static void glossaries_are_in_order_and_used(void **state)
{
    const struct dialect *d;
    (void)state;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; i < d->n_glossary; i++) {
            const char *name = d->glossary[i].name;
            if (i && strcmp(d->glossary[i - 1].name, name) >= 0)
                fault(d->name, "%s must be before %s", name, d->glossary[i - 1].name);
            if (!takes(d, name))
                fault(d->name, "no row needs words for %s", name);
        }
    assert_int_equal(faults, 0);
}

/* ---- types ---- */

static bool is_word(const struct param *p, const char *text)
{
    for (const char *const *v = p->values; *v; v++)
        if (strcmp(*v, text) == 0)
            return true;
    return false;
}

/* Is the default a value that the row takes? */
static bool is_taken(const struct param *p)
{
    int64_t n;
    switch (p->type) {
    case PARAM_INT:
        return parse_i64(p->def, strlen(p->def), &n) == 0 &&
               ((!p->min && !p->max) || (n >= p->min && n <= p->max));
    case PARAM_BOOL:
        return strcmp(p->def, "true") == 0 || strcmp(p->def, "false") == 0;
    case PARAM_ENUM:
        return is_word(p, p->def);
    default:
        return true;
    }
}

static void check_type(const struct dialect *d, const struct route *r, const struct param *p)
{
    (void)d;
    if (!p->values != (p->type != PARAM_ENUM))
        fault(r->id, "%s must have values if it is of a closed set, and only then", p->name);
    if (p->shape && p->type != PARAM_JSON)
        fault(r->id, "%s has a shape, and is not JSON", p->name);
    if (p->of && (!p->shape || (*p->shape == 'a') != p->of->list))
        fault(r->id, "%s is not of the shape that it has in full", p->name);
    if (p->type == PARAM_INT && p->min > p->max)
        fault(r->id, "%s must be from less to more", p->name);
    if (p->required && p->def && p->place != IN_PATH)
        fault(r->id, "%s is required, and has a default", p->name);
    if (p->def && !is_taken(p))
        fault(r->id, "%s does not take its default %s", p->name, p->def);
}

static void types_and_defaults_agree(void **state)
{
    (void)state;
    each_param(check_type);
}

/* The rows of arguments that are numbers, flags, lists or JSON are typed: so many at least, since a
 * row without a type takes any text. */
static size_t typed, texts;

static void count_types(const struct dialect *d, const struct route *r, const struct param *p)
{
    (void)r;
    if (strcmp(d->name, "chat.slack") != 0)
        return;
    if (p->type == PARAM_STRING)
        texts++;
    else
        typed++;
}

static void arguments_of_slack_have_types(void **state)
{
    (void)state;
    typed = texts = 0;
    each_param(count_types);
    assert_in_range(typed, 270, 1000);
    assert_in_range(texts, 1, 600);
}

/* Every reference in it names one of its schemas. */
static void check_refs(const struct dialect *d, const struct json *schemas, const struct json *v)
{
    static const char start[] = "#/components/schemas/";
    const char *ref = v->type == JSON_OBJECT ? json_get_str(v, "$ref") : NULL;
    if (ref && (strncmp(ref, start, strlen(start)) != 0 || !json_get(schemas, ref + strlen(start))))
        fault(d->name, "nothing is at %s", ref);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        check_refs(d, schemas, &v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        check_refs(d, schemas, &v->members[i].value);
}

/* The parser refuses a name that is there twice. */
static const struct json *openapi_of(const struct dialect *d)
{
    static const struct json_limits limits = {
        .max_size = 64 << 20, .max_depth = 64, .max_values = 4000000};
    const struct json *v = NULL;
    struct sosia_err err;
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    openapi_write(&w, d, "1");
    assert_false(buf_failed(&b));
    const char *text = arena_memdup(&test_arena, buf_str(&b), b.len);
    if (json_parse(&test_arena, text, b.len, &limits, &v, &err) < 0)
        fault(d->name, "the document can't be read: %s", err.text);
    buf_done(&b);
    return v;
}

static void documents_refer_to_what_is_in_them(void **state)
{
    const struct dialect *d;
    (void)state;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
        arena_init(&test_arena, 0);
        const struct json *v = openapi_of(d);
        const struct json *schemas = json_get(json_get(v, "components"), "schemas");
        if (v)
            check_refs(d, schemas, v);
        if (v && strcmp(d->name, "chat.slack") == 0) {
            const struct json *block = json_get(schemas, "block.section");
            assert_string_equal(
                json_to_text(&test_arena, json_get(json_get(block, "properties"), "accessory")),
                "{\"$ref\":\"#/components/schemas/block_element\"}");
            assert_string_equal(json_to_text(&test_arena, json_get(block, "anyOf")),
                                "[{\"required\":[\"text\"]},{\"required\":[\"fields\"]}]");
        }
        arena_done(&test_arena);
    }
    assert_int_equal(faults, 0);
}

/* Lists of tools have the outermost members alone. */
static void what_a_parameter_holds_is_said_briefly(void **state)
{
    const struct dialect *d;
    const struct route *r;
    struct json_writer w;
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++) {
            const struct json_schema s = {.w = &w, .d = d, .method = r->id, .brief = true};
            if (strcmp(r->id, "apps.manifest.create") != 0 && strcmp(r->id, "views.publish") != 0)
                continue;
            json_init(&w, &b, false, NULL);
            for (size_t p = 0; p < r->n_params; p++) {
                if (!r->params[p].of)
                    continue;
                json_obj(&w, NULL);
                json_schema_param(&s, &r->params[p]);
                json_end(&w);
            }
        }
    assert_string_equal(
        buf_str(&b),
        "{\"type\":\"object\",\"properties\":{\"_metadata\":{\"type\":\"object\"},"
        "\"display_information\":{\"type\":\"object\"},\"features\":{\"type\":\"object\"},"
        "\"oauth_config\":{\"type\":\"object\"},\"settings\":{\"type\":\"object\"},"
        "\"functions\":{\"type\":\"object\"},\"events\":{\"type\":\"object\"},"
        "\"datastores\":{\"type\":\"object\"},\"workflows\":{\"type\":\"object\"}},"
        "\"required\":[\"display_information\"]}"
        "{\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\","
        "\"enum\":[\"home\"]}},\"required\":[\"type\"]}");
    buf_done(&b);
}

/* ---- responses ---- */

/* Rows whose responses have no schema, by why; a name that ends with * is of all that begin so. */
#define NOTHING  "it answers nothing"
#define BYTES    "it answers with the bytes of a file"
#define PAGE     "it answers with a page for people, or leads on to one"
#define PROTOCOL "its answers are a standard's: OAuth 2, OpenID Connect, MCP, WebSocket, MIME"
#define DOCUMENT "it answers with a document of these rows"
#define ACT      "what it answers depends on what is done"
#define OPEN     "it answers with what a program has laid there, of any form"
static const char *const without[][2] = {
    {"authority.*", PROTOCOL},
    {"avatars.slack-edge.com", BYTES},
    {"calendar.acl.delete", NOTHING},
    {"calendar.calendarList.delete", NOTHING},
    {"calendar.calendars.clear", NOTHING},
    {"calendar.calendars.delete", NOTHING},
    {"calendar.calendars.transferOwnership", NOTHING},
    {"calendar.channels.stop", NOTHING},
    {"calendar.events.delete", NOTHING},
    {"contacts.delete", NOTHING},
    {"contacts.folders.delete", NOTHING},
    {"contacts.folders.permanentDelete", NOTHING},
    {"contacts.permanentDelete", NOTHING},
    {"contacts.photo.delete", NOTHING},
    {"contacts.photo.set", NOTHING},
    {"directory.groups.add*", NOTHING},
    {"directory.groups.delete", NOTHING},
    {"directory.groups.photo.delete", NOTHING},
    {"directory.groups.photo.set", NOTHING},
    {"directory.groups.remove*", NOTHING},
    {"directory.groups.update", NOTHING},
    {"directory.users.delete", NOTHING},
    {"directory.users.photo.delete", NOTHING},
    {"directory.users.photo.set", NOTHING},
    {"directory.users.removeManager", NOTHING},
    {"directory.users.setManager", NOTHING},
    {"directory.users.update", NOTHING},
    {"directory.users.updateMe", NOTHING},
    {"discovery.*", DOCUMENT},
    {"drive.accessproposals.resolve", NOTHING},
    {"drive.channels.stop", NOTHING},
    {"drive.comments.delete", NOTHING},
    {"drive.drives.delete", NOTHING},
    {"drive.files.delete", NOTHING},
    {"drive.files.emptyTrash", NOTHING},
    {"drive.files.export", BYTES},
    {"drive.link.export", BYTES},
    {"drive.page.*", PAGE},
    {"drive.permissions.delete", NOTHING},
    {"drive.replies.delete", NOTHING},
    {"drive.revisions.delete", NOTHING},
    {"drive.teamdrives.delete", NOTHING},
    {"files.slack.com/*", BYTES},
    {"gmail.page", PAGE},
    {"gmail.users.drafts.delete", NOTHING},
    {"gmail.users.labels.delete", NOTHING},
    {"gmail.users.messages.batchDelete", NOTHING},
    {"gmail.users.messages.batchModify", NOTHING},
    {"gmail.users.messages.delete", NOTHING},
    {"gmail.users.settings.cse.identities.delete", NOTHING},
    {"gmail.users.settings.cse.keypairs.obliterate", NOTHING},
    {"gmail.users.settings.delegates.delete", NOTHING},
    {"gmail.users.settings.filters.delete", NOTHING},
    {"gmail.users.settings.forwardingAddresses.delete", NOTHING},
    {"gmail.users.settings.sendAs.delete", NOTHING},
    {"gmail.users.settings.sendAs.smimeInfo.delete", NOTHING},
    {"gmail.users.settings.sendAs.smimeInfo.setDefault", NOTHING},
    {"gmail.users.settings.sendAs.verify", NOTHING},
    {"gmail.users.stop", NOTHING},
    {"gmail.users.threads.delete", NOTHING},
    {"google.batch*", PROTOCOL},
    {"graph.batch", PROTOCOL},
    {"graph.subscriptions.delete", NOTHING},
    {"graph.subscriptions.reauthorize", NOTHING},
    {"hooks.actions", NOTHING},
    {"hooks.commands", NOTHING},
    {"incomingWebhook", NOTHING},
    {"mcp.*", PROTOCOL},
    {"oauth.*", PROTOCOL},
    {"openid.connect.approve", PAGE},
    {"openid.connect.authorize", PAGE},
    {"openid.connect.configuration", PROTOCOL},
    {"openid.connect.keys", PROTOCOL},
    {"outlook.groups.conversations.delete", NOTHING},
    {"outlook.groups.posts.forward", NOTHING},
    {"outlook.groups.posts.reply", NOTHING},
    {"outlook.groups.threads.delete", NOTHING},
    {"outlook.groups.threads.reply", NOTHING},
    {"outlook.mailFolders.delete", NOTHING},
    {"outlook.mailFolders.permanentDelete", NOTHING},
    {"outlook.masterCategories.delete", NOTHING},
    {"outlook.messageRules.delete", NOTHING},
    {"outlook.messages.attachments.delete", NOTHING},
    {"outlook.messages.mentions.delete", NOTHING},
    {"outlook.messages.attachmentSessions.delete", NOTHING},
    {"outlook.messages.delete", NOTHING},
    {"outlook.messages.extensions.delete", NOTHING},
    {"outlook.messages.forward", NOTHING},
    {"outlook.messages.permanentDelete", NOTHING},
    {"outlook.messages.reply", NOTHING},
    {"outlook.messages.replyAll", NOTHING},
    {"outlook.messages.send", NOTHING},
    {"outlook.overrides.delete", NOTHING},
    {"outlook.sendMail", NOTHING},
    {"outlook.messages.extensions.*", OPEN},
    {"outlook.calendarGroups.delete", NOTHING},
    {"outlook.calendarPermissions.delete", NOTHING},
    {"outlook.calendars.delete", NOTHING},
    {"outlook.calendars.permanentDelete", NOTHING},
    {"onedrive.items.copy", NOTHING},
    {"onedrive.items.content.delete", NOTHING},
    {"onedrive.items.delete", NOTHING},
    {"onedrive.items.discardCheckout", NOTHING},
    {"onedrive.items.permanentDelete", NOTHING},
    {"onedrive.items.permissions.delete", NOTHING},
    {"onedrive.items.versions.delete", NOTHING},
    {"onedrive.items.versions.restoreVersion", NOTHING},
    {"onedrive.uploadSessions.delete", NOTHING},
    {"outlook.events.accept", NOTHING},
    {"outlook.events.attachments.delete", NOTHING},
    {"outlook.events.attachmentSessions.delete", NOTHING},
    {"outlook.events.cancel", NOTHING},
    {"outlook.events.decline", NOTHING},
    {"outlook.events.delete", NOTHING},
    {"outlook.events.dismissReminder", NOTHING},
    {"outlook.events.extensions.delete", NOTHING},
    {"outlook.events.extensions.*", OPEN},
    {"outlook.groups.events.extensions.delete", NOTHING},
    {"outlook.groups.events.extensions.*", OPEN},
    {"outlook.events.forward", NOTHING},
    {"outlook.events.permanentDelete", NOTHING},
    {"outlook.groups.events.delete", NOTHING},
    {"outlook.events.snoozeReminder", NOTHING},
    {"outlook.events.tentativelyAccept", NOTHING},
    {"people.act", ACT},
    {"socket", PROTOCOL},
    {"websocket", PROTOCOL},
    {"planner.buckets.delete", NOTHING},
    {"planner.plans.delete", NOTHING},
    {"planner.tasks.delete", NOTHING},
    {"todo.checklistItems.delete", NOTHING},
    {"todo.attachments.delete", NOTHING},
    {"todo.attachmentSessions.delete", NOTHING},
    {"todo.linkedResources.delete", NOTHING},
    {"todo.lists.delete", NOTHING},
    {"todo.tasks.delete", NOTHING},
    {"todo.extensions.delete", NOTHING},
    {"todo.extensions.*", OPEN},
    {"teams.channels.archive", NOTHING},
    {"teams.channels.delete", NOTHING},
    {"teams.channels.members.delete", NOTHING},
    {"teams.channels.messages.setReaction", NOTHING},
    {"teams.channels.messages.softDelete", NOTHING},
    {"teams.channels.messages.undoSoftDelete", NOTHING},
    {"teams.channels.messages.unsetReaction", NOTHING},
    {"teams.channels.messages.update", NOTHING},
    {"teams.channels.tabs.delete", NOTHING},
    {"teams.chats.installedApps.create", NOTHING},
    {"teams.chats.installedApps.delete", NOTHING},
    {"teams.chats.installedApps.upgrade", NOTHING},
    {"teams.teams.installedApps.create", NOTHING},
    {"teams.teams.installedApps.delete", NOTHING},
    {"teams.teams.installedApps.upgrade", NOTHING},
    {"teams.users.installedApps.create", NOTHING},
    {"teams.users.installedApps.delete", NOTHING},
    {"teams.users.installedApps.upgrade", NOTHING},
    {"teams.channels.unarchive", NOTHING},
    {"teams.channels.update", NOTHING},
    {"teams.chats.delete", NOTHING},
    {"teams.chats.hideForUser", NOTHING},
    {"teams.chats.markChatReadForUser", NOTHING},
    {"teams.chats.markChatUnreadForUser", NOTHING},
    {"onedrive.items.checkin", NOTHING},
    {"onedrive.items.checkout", NOTHING},
    {"onedrive.items.unfollow", NOTHING},
    {"onedrive.workbook.closeSession", NOTHING},
    {"onedrive.workbook.ranges.clear", NOTHING},
    {"onedrive.workbook.rows.delete", NOTHING},
    {"onedrive.workbook.tables.delete", NOTHING},
    {"onedrive.workbook.worksheets.delete", NOTHING},
    {"sharepoint.columns.delete", NOTHING},
    {"sharepoint.items.delete", NOTHING},
    {"sharepoint.lists.delete", NOTHING},
    {"sharepoint.versions.restore", NOTHING},
    {"sites.followed.remove", NOTHING},
    {"sites.pages.delete", NOTHING},
    {"sites.pages.publish", NOTHING},
    {"sites.permissions.delete", NOTHING},
    {"teams.chats.members.create", NOTHING},
    {"teams.chats.members.delete", NOTHING},
    {"teams.chats.messages.setReaction", NOTHING},
    {"teams.chats.messages.softDelete", NOTHING},
    {"teams.chats.messages.undoSoftDelete", NOTHING},
    {"teams.chats.messages.unsetReaction", NOTHING},
    {"teams.chats.messages.update", NOTHING},
    {"teams.chats.pinnedMessages.delete", NOTHING},
    {"teams.chats.sendActivityNotification", NOTHING},
    {"teams.chats.tabs.delete", NOTHING},
    {"teams.chats.unhideForUser", NOTHING},
    {"teams.members.delete", NOTHING},
    {"teams.onlineMeetings.delete", NOTHING},
    {"teams.presence.clearPresence", NOTHING},
    {"teams.presence.clearUserPreferredPresence", NOTHING},
    {"teams.presence.setPresence", NOTHING},
    {"teams.presence.setStatusMessage", NOTHING},
    {"teams.presence.setUserPreferredPresence", NOTHING},
    {"teams.replies.setReaction", NOTHING},
    {"teams.replies.softDelete", NOTHING},
    {"teams.replies.undoSoftDelete", NOTHING},
    {"teams.replies.unsetReaction", NOTHING},
    {"teams.replies.update", NOTHING},
    {"teams.tags.delete", NOTHING},
    {"teams.tags.members.delete", NOTHING},
    {"teams.teams.archive", NOTHING},
    {"teams.teams.clone", NOTHING},
    {"teams.teams.create", NOTHING},
    {"teams.teams.sendActivityNotification", NOTHING},
    {"teams.teams.unarchive", NOTHING},
    {"teams.teams.update", NOTHING},
    {"teams.users.sendActivityNotification", NOTHING},
    {"agent365.*", PROTOCOL},
    {"workiq.*", PROTOCOL},
};

/* Which of them it is; -1: none. */
static int reason_of(const char *id)
{
    for (size_t i = 0; i < SOSIA_LEN(without); i++) {
        const char *name = without[i][0];
        size_t n = strlen(name) - 1;
        if (strcmp(name, id) == 0 || (name[n] == '*' && strncmp(name, id, n) == 0))
            return (int)i;
    }
    return -1;
}

static void responses_have_schemas(void **state)
{
    const struct dialect *d;
    const struct route *r;
    bool used[SOSIA_LEN(without)] = {false};
    (void)state;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++) {
            int reason = r->response ? -1 : reason_of(r->id);
            if (r->response && !dialect_schema(d, r->response))
                fault(r->id, "there is no schema %s", r->response);
            if (!r->response && !r->gives && reason < 0)
                fault(r->id, "it must have a schema of its response, or a reason not to");
            if (reason >= 0)
                used[reason] = true;
        }
    for (size_t i = 0; i < SOSIA_LEN(without); i++)
        if (!used[i])
            fault(without[i][0], "no row without a schema has this reason: %s", without[i][1]);
    assert_int_equal(faults, 0);
}

/* Each is the response of a method, or in one. */
static bool *reached;

static void reach(void *arg, const struct schema *s)
{
    reached[s - ((const struct dialect *)arg)->schemas] = true;
}

static void schemas_are_used(void **state)
{
    const struct dialect *d;
    const struct route *r;
    (void)state;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
        reached = calloc(d->n_schemas + 1, sizeof *reached);
        for (size_t i = 0; (r = dialect_row(d, i)); i++) {
            assert_int_equal(json_schema_reached(d, r->response, reach, (void *)(uintptr_t)d), 0);
            assert_int_equal(json_schema_reached(d, r->request, reach, (void *)(uintptr_t)d), 0);
        }
        for (size_t i = 0; i < d->n_schemas; i++) {
            /* Graph's types are one table for all of its dialects. */
            if (!reached[i] && d->schemas != graph_schemas)
                fault(d->name, "no row has %s in its bodies", d->schemas[i].name);
            if (i && strcmp(d->schemas[i - 1].name, d->schemas[i].name) >= 0)
                fault(d->name, "%s must be behind %s", d->schemas[i].name, d->schemas[i - 1].name);
        }
        free(reached);
    }
    assert_int_equal(faults, 0);
}

/* ---- limits ---- */

/* Pages, documents, sign-in and what only leads to methods of others. */
static const char *const unlimited[] = {
    "agent365",
    "authority.microsoft",
    "drive.google.links",
    "drive.google.pages",
    "google",
    "graph",
    "mail.gmail.pages",
    "mcp",
    "mcp.oauth",
    "oauth.google",
    "oauth2.google",
    "userinfo.microsoft",
    "web.fetch",
    "web.forms",
    "web.pages",
    "workiq",
    "workspace.carried",
    "workspace.code-executor",
    "workspace.code-runner",
    "workspace.desktop-commander",
    "workspace.e2b",
    "workspace.email",
    "workspace.files",
    "workspace.filesystem",
    "workspace.git",
    "workspace.memory",
    "workspace.pdf-tools",
    "workspace.programs",
    "workspace.terminal",
};

static void dialects_without_limits_are_few(void **state)
{
    const struct dialect *d;
    (void)state;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
        bool listed = false;
        for (size_t i = 0; i < SOSIA_LEN(unlimited); i++)
            listed |= strcmp(d->name, unlimited[i]) == 0;
        if (listed != !d->rates)
            fault(d->name, d->rates ? "has rates and is listed here" : "must have rates");
    }
    assert_int_equal(faults, 0);
}

/* ---- answers ---- */

static const struct dialect *dialect_named(const char *name)
{
    const struct dialect *d;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        if (strcmp(d->name, name) == 0)
            return d;
    fail_msg("no dialect has the name %s", name);
    return NULL;
}

/* The check of all tests of services that ask for something (tests/support/world.c). */
static void an_answer_that_is_not_as_its_schema_says_is_seen(void **state)
{
    static const struct {
        const char *id, *answer, *fault;
    } cases[] = {
        {"chat.getPermalink", "{'ok':true,'permalink':'x','channel':'C1'}", NULL},
        {"chat.getPermalink", "{'ok':true,'channel':'C1'}", "permalink must be there"},
        {"chat.getPermalink", "{'ok':1,'permalink':'x','channel':'C1'}",
         "ok must be true or false, not 1"},
        {"chat.getPermalink", "{'ok':true,'permalink':null,'channel':'C1'}",
         "permalink must be a string, not null"},
        {"chat.getPermalink", "{'ok':true,'permalink':'x','channel':'C1','way':2}",
         "way must be a member of chat.getPermalink, not 2"},
        {"conversations.members", "{'ok':true,'members':['U1',7]}",
         "members[1] must be a string, not 7"},
        {"conversations.members", "{'ok':true,'members':{}}", "members must be a list, not {}"},
        {"emoji.list", "{'ok':true,'emoji':{'a':'b','c':1}}", "emoji.c must be a string, not 1"},
        {"reminders.list", "{'ok':true,'reminders':[{'id':'Rm1','time':1.5}]}",
         "reminders[0].time must be a whole number, not 1.5"},
        {"reminders.list", "{'ok':true,'reminders':[{'id':'Rm1','day':'x'}]}",
         "reminders[0].day must be a member of Reminder, not \"x\""},
        {"team.accessLogs", "{'ok':true,'logins':[{'isp':null}]}", NULL},
    };
    const struct dialect *d = dialect_named("chat.slack");
    arena_init(&test_arena, 0);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *text = quoted(cases[i].answer);
        const char *bad = shape_fault(&test_arena, d, dialect_schema(d, cases[i].id),
                                      parsed(text, strlen(text)), false);
        assert_string_equal(bad ? bad : "", cases[i].fault ? cases[i].fault : "");
    }
    arena_done(&test_arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_say_what_they_are_for),
        cmocka_unit_test(glossaries_are_in_order_and_used),
        cmocka_unit_test(types_and_defaults_agree),
        cmocka_unit_test(arguments_of_slack_have_types),
        cmocka_unit_test(documents_refer_to_what_is_in_them),
        cmocka_unit_test(what_a_parameter_holds_is_said_briefly),
        cmocka_unit_test(responses_have_schemas),
        cmocka_unit_test(schemas_are_used),
        cmocka_unit_test(dialects_without_limits_are_few),
        cmocka_unit_test(an_answer_that_is_not_as_its_schema_says_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
