/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of tools that are Microsoft's own and of a community server for Microsoft's services:
 * each tool is called, and what it gives is looked at. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "engine/base/map.h"
#include "mcp/sets/set.h"

#define ADA "ada@port.example"
#define BOB "bob@port.example"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "people:\n"
    "  - {email: ada@port.example, name: Ada Ames}\n"
    "  - {email: bob@port.example, name: Bob Stone}\n"
    "  - {email: red@port.example, name: Red, kind: resource}\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: red@port.example, vendor: microsoft, services: [calendar]}\n"
    "groups: [{email: deck@port.example, name: Deck, members: [bob@port.example]}]\n"
    "microsoftGroups: [{group: deck@port.example, id: 9a000000-0000-4000-8000-000000000001}]\n"
    "places:\n"
    "  - {email: house@port.example, kind: roomList, name: House}\n"
    "  - {email: red@port.example, list: house@port.example}\n"
    "microsoftTenants: [{domain: port.example, name: Port}]\n"
    "microsoftUsers:\n"
    "  - {actor: ada@port.example, admin: true, jobTitle: Pilot, manager: bob@port.example}\n"
    "  - {actor: bob@port.example, jobTitle: Director}\n"
    "calendars:\n"
    "  - {owner: ada@port.example, primary: true, vendor: microsoft}\n"
    "  - {owner: bob@port.example, primary: true, vendor: microsoft, access: [{person: "
    "ada@port.example, role: writer}]}\n"
    "mailboxes:\n"
    "  - person: ada@port.example\n"
    "    vendor: microsoft\n"
    "    messages:\n"
    "      - {from: Bob Stone <bob@port.example>, to: ada@port.example, subject: Figures, text: "
    "\"Twelve.\\n\", html: \"<b>Twelve.</b>\", date: 2026-11-22T09:00:00Z, attachments: "
    "[{filename: f.txt, type: text/plain, text: hi}]}\n"
    "  - {person: bob@port.example, vendor: microsoft}\n"
    "outlook: [{person: bob@port.example, delegates: [{email: ada@port.example, fullAccess: true, "
    "sendAs: true}]}]\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

/* ---- steps ---- */

/* A call of a tool, and what must come of it. */
struct step {
    const char *tool;            /* "+": a document is applied */
    const char *arguments;       /* with what was kept in the place of ~name~ */
    const char *path, *expected; /* of the result; expected NULL: it is there. A path of "!": it is
                                    refused, with this in its text */
    const char *keep, *from;     /* what is kept of the result under a name; NULL: nothing */
};

static struct {
    const char *name, *text;
} kept[80];
static size_t n_kept;

static const char *kept_as(const char *name, size_t n)
{
    for (size_t i = n_kept; i-- > 0;)
        if (strlen(kept[i].name) == n && memcmp(kept[i].name, name, n) == 0)
            return kept[i].text;
    fail_msg("nothing was kept as %.*s", (int)n, name);
    return "";
}

static const char *filled(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t n; *text; text += n) {
        n = strcspn(text, "~");
        buf_add(&b, text, n);
        if (!text[n])
            break;
        size_t len = strcspn(text + ++n, "~");
        for (const char *p = kept_as(text + n, len); *p; p++) { /* etags have quotes */
            buf_puts(&b, *p == '"' ? "\\" : "");
            buf_byte(&b, *p);
        }
        n += len + 1;
    }
    const char *all = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return all;
}

static void take(const char *target, const struct step *s)
{
    const char *arguments = filled(s->arguments);
    if (*s->path == '!') {
        mcp_refuse(ADA, target, s->tool, arguments, s->expected);
        return;
    }
    const char *text = mcp_done(ADA, target, s->tool, arguments);
    const struct json *v = parsed(text, strlen(text));
    const char *got = arena_strdup(&test_arena, printed_at(v, s->path));
    if (s->expected ? strcmp(got, s->expected) != 0 : !*got)
        fail_msg("%s %s: %s must be %s, is %s in %s", s->tool, arguments, s->path,
                 s->expected ? s->expected : "there", got, text);
    if (s->keep) {
        assert_true(n_kept < SOSIA_LEN(kept));
        kept[n_kept].name = s->keep;
        kept[n_kept++].text = arena_strdup(&test_arena, printed_at(v, s->from));
    }
}

/* All steps; then each tool of the set must have been called. */
static void take_all(enum tool_set set, const struct step *steps, size_t n)
{
    const char *target =
        arena_printf(&test_arena, "/mcp?tools=%s", set == SET_SOFTERIA ? "softeria" : "agent365");
    struct map called;
    n_kept = 0;
    map_init(&called);
    for (size_t i = 0; i < n; i++) {
        if (*steps[i].tool == '+') {
            const char *more = steps[i].arguments;
            assert_int_equal(
                sosia_world_seed(test_engine, test_world, more, strlen(more), NULL, &test_err), 0);
            continue;
        }
        take(target, &steps[i]);
        assert_int_equal(map_set(&called, steps[i].tool, (void *)&steps[i]), 0);
    }
    for (const struct set_tools *s = set_lists; s->tools; s++)
        for (size_t i = 0; s->set == set && i < s->n; i++)
            if (!map_get(&called, s->tools[i].name))
                fail_msg("%s was not called", s->tools[i].name);
    map_done(&called);
}

/* ---- the community server's ---- */

#define TO_BOB "'toRecipients':[{'emailAddress':{'address':'bob@port.example'}}]"
#define WHEN                                                                                       \
    "'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"                                 \
    "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'}"
#define DAY "'startDateTime':'2026-11-24T00:00:00Z','endDateTime':'2026-11-25T00:00:00Z'"

static void each_tool_of_softeria_is_its_method(void **state)
{
    static const struct step steps[] = {
        /* Files. */
        {"list-drives", "{}", "value.0.driveType", "business", "drive", "value.0.id"},
        {"get-drive-root-item", "{'driveId':'~drive~'}", "name", "root", "top", "id"},
        {"create-onedrive-folder",
         "{'driveId':'~drive~','driveItemId':'~top~','body':{'name':'Plans','folder':{}}}", "name",
         "Plans", "plans", "id"},
        {"create-onedrive-folder",
         "{'driveId':'~drive~','driveItemId':'~plans~','body':{'name':'a.txt','file':{}}}",
         "file.mimeType", "text/plain", "file1", "id"},
        {"list-folder-files", "{'driveId':'~drive~','driveItemId':'~plans~'}", "value.0.name",
         "a.txt"},
        {"get-drive-item", "{'driveId':'~drive~','driveItemId':'~plans~','select':'name'}", "name",
         "Plans"},
        {"move-rename-onedrive-item",
         "{'driveId':'~drive~','driveItemId':'~file1~','body':{'name':'walrus.txt'}}", "name",
         "walrus.txt"},
        {"search-onedrive-files", "{'driveId':'~drive~','q':'walrus'}", "value.0.id", NULL},
        {"copy-drive-item", "{'driveId':'~drive~','driveItemId':'~file1~','body':{'name':'b.txt'}}",
         "message", "OK!"},
        {"create-upload-session", "{'driveId':'~drive~','driveItemId':'~file1~','body':{}}",
         "nextExpectedRanges.0", "0-"},
        {"list-drive-item-thumbnails", "{'driveId':'~drive~','driveItemId':'~file1~'}", "value",
         NULL},
        {"create-drive-item-preview", "{'driveId':'~drive~','driveItemId':'~file1~','body':{}}",
         "getUrl", NULL},
        {"search-query",
         "{'body':{'requests':[{'entityTypes':['driveItem'],'query':{'queryString':'walrus'}}]}}",
         "value.0.hitsContainers.0.total", NULL},
        {"list-drive-item-versions", "{'driveId':'~drive~','driveItemId':'~file1~'}", "value.0.id",
         "1.0"},
        {"create-drive-item-share-link",
         "{'driveId':'~drive~','driveItemId':'~file1~','body':{'type':'view'}}", "link.type",
         "view"},
        {"share-drive-item",
         "{'driveId':'~drive~','driveItemId':'~file1~','body':{'recipients':[{'email':"
         "'bob@port.example'}],'roles':['read']}}",
         "value.0.roles.0", "read", "right", "value.0.id"},
        {"list-drive-item-permissions", "{'driveId':'~drive~','driveItemId':'~file1~'}",
         "value.0.id", NULL},
        {"delete-drive-item-permission",
         "{'driveId':'~drive~','driveItemId':'~file1~','permissionId':'~right~'}", "message",
         "OK!"},
        {"get-drive-delta", "{'driveId':'~drive~','driveItemId':'root'}", "value.0.name", "root"},
        {"delete-onedrive-file", "{'driveId':'~drive~','driveItemId':'~file1~'}", "message", "OK!"},
        /* Mail. */
        {"list-mail-messages", "{'top':5,'select':'subject'}", "value.0.subject", "Figures", "m",
         "value.0.id"},
        {"list-mail-messages", "{'$top':5,'$filter':'isRead eq false'}", "value", "[]"},
        {"get-mail-message", "{'messageId':'~m~'}", "body.contentType", "text"},
        {"get-mail-message", "{'message-id':'~m~','select':'subject'}", "subject", "Figures"},
        {"get-mail-message", "{'messageId':'~m~','expand':['attachments']}", "attachments.0.name",
         "f.txt"},
        {"get-mail-message", "{'messageId':'~m~','includeHeaders':true}", "_etag", "no-etag-found"},
        {"get-mail-message", "{'id':'~m~'}", "!", "messageId is required"},
        {"get-mail-message-mime", "{'messageId':'~m~'}", "message", "OK!"},
        {"list-mail-attachments", "{'messageId':'~m~'}", "value.0.name", "f.txt", "file",
         "value.0.id"},
        {"update-mail-message", "{'messageId':'~m~','body':{'isRead':true}}", "isRead", "true"},
        {"update-mail-message", "{'messageId':'~m~','categories':['Red']}", "categories",
         "[\"Red\"]"},
        {"list-mail-folders", "{}", "value.0.displayName", "Archive", "archive", "value.0.id"},
        {"create-mail-folder", "{'body':{'displayName':'Plans'}}", "displayName", "Plans", "f",
         "id"},
        {"create-mail-child-folder", "{'mailFolderId':'~f~','body':{'displayName':'Old'}}",
         "displayName", "Old"},
        {"list-mail-child-folders", "{'mailFolderId':'~f~'}", "value.0.displayName", "Old"},
        {"update-mail-folder", "{'mailFolderId':'~f~','displayName':'Plots'}", "displayName",
         "Plots"},
        {"copy-mail-message", "{'messageId':'~m~','body':{'destinationId':'~f~'}}", "subject",
         "Figures"},
        {"list-mail-folder-messages", "{'mailFolderId':'~f~'}", "value.0.subject", "Figures"},
        {"list-mail-folder-messages-delta", "{'mailFolderId':'~f~'}", "value.0.subject", "Figures"},
        {"delete-mail-folder", "{'mailFolderId':'~f~'}", "message", "OK!"},
        {"send-mail", "{'body':{'message':{'subject':'Hi'," TO_BOB "}}}", "message", "OK!"},
        {"create-draft-email", "{'subject':'Tea'," TO_BOB "}", "subject", "Tea", "d", "id"},
        {"create-mail-attachment-upload-session",
         "{'messageId':'~d~','body':{'AttachmentItem':{'attachmentType':'file','name':'a','size':"
         "3200000}}}",
         "nextExpectedRanges", "[\"0-\"]"},
        {"add-mail-attachment",
         "{'messageId':'~d~','body':{'@odata.type':'#microsoft.graph.fileAttachment','name':'n',"
         "'contentBytes':'aGk='}}",
         "name", "n", "att", "id"},
        {"delete-mail-attachment", "{'messageId':'~d~','attachmentId':'~att~'}", "message", "OK!"},
        {"send-draft-message", "{'messageId':'~d~'}", "message", "OK!"},
        {"reply-mail-message", "{'messageId':'~m~','body':{'comment':'Thanks'}}", "message", "OK!"},
        {"reply-all-mail-message", "{'messageId':'~m~','comment':'All'}", "message", "OK!"},
        {"forward-mail-message", "{'messageId':'~m~','body':{'comment':'See'," TO_BOB "}}",
         "message", "OK!"},
        {"create-reply-draft", "{'messageId':'~m~'}", "subject", "RE: Figures"},
        {"create-reply-all-draft", "{'messageId':'~m~'}", "isDraft", "true"},
        {"create-forward-draft", "{'messageId':'~m~'}", "subject", "FW: Figures", "fw", "id"},
        {"delete-mail-message", "{'messageId':'~fw~','excludeResponse':true}", "success", "true"},
        {"move-mail-message", "{'messageId':'~m~','body':{'destinationId':'archive'}}", "subject",
         "Figures"},
        {"list-mail-rules", "{'mailFolderId':'inbox'}", "value", "[]"},
        {"create-mail-rule",
         "{'mailFolderId':'inbox','body':{'displayName':'R','sequence':1,'conditions':"
         "{'subjectContains':['x']},'actions':{'markAsRead':true}}}",
         "displayName", "R", "r", "id"},
        {"update-mail-rule",
         "{'mailFolderId':'inbox','messageRuleId':'~r~','body':{'displayName':'S'}}", "displayName",
         "S"},
        {"delete-mail-rule", "{'mailFolderId':'inbox','messageRuleId':'~r~'}", "message", "OK!"},
        {"create-focused-inbox-override",
         "{'body':{'classifyAs':'other','senderEmailAddress':{'address':'x@far.example'}}}",
         "classifyAs", "other", "o", "id"},
        {"list-focused-inbox-overrides", "{}", "value.0.classifyAs", "other"},
        {"update-focused-inbox-override",
         "{'inferenceClassificationOverrideId':'~o~','body':{'classifyAs':'focused'}}",
         "classifyAs", "focused"},
        {"delete-focused-inbox-override", "{'inferenceClassificationOverrideId':'~o~'}", "message",
         "OK!"},
        {"get-mailbox-settings", "{}", "timeZone", "UTC"},
        {"update-mailbox-settings", "{'body':{'timeZone':'Tokyo Standard Time'}}", "timeZone",
         "Tokyo Standard Time"},
        {"create-outlook-category", "{'body':{'displayName':'Sea','color':'preset1'}}",
         "displayName", "Sea"},
        {"list-outlook-categories", "{'top':50}", "value.0.displayName", NULL},
        {"list-supported-time-zones", "{'TimeZoneStandard':'Iana'}", "value.0.alias", "Etc/GMT+12"},
        {"list-supported-languages", "{}", "value.0.locale", "af-ZA"},
        {"get-mail-tips",
         "{'body':{'EmailAddresses':['bob@port.example'],'MailTipsOptions':'automaticReplies'}}",
         "value.0.emailAddress.address", "bob@port.example"},
        /* Of another person's mailbox. */
        {"list-shared-mailbox-messages",
         "{'userId':'bob@port.example','filter':'subject eq "
         "\\'Tea\\''}",
         "value.0.subject", "Tea", "s", "value.0.id"},
        {"list-shared-mailbox-folder-messages",
         "{'userId':'bob@port.example','mailFolderId':'inbox','top':1}", "value.0.subject", NULL},
        {"get-shared-mailbox-message", "{'userId':'bob@port.example','messageId':'~s~'}", "subject",
         "Tea"},
        {"update-shared-mailbox-message",
         "{'userId':'bob@port.example','messageId':'~s~','isRead':true}", "isRead", "true"},
        {"reply-shared-mailbox-mail",
         "{'userId':'bob@port.example','messageId':'~s~','comment':'x'}", "message", "OK!"},
        {"reply-all-shared-mailbox-mail",
         "{'userId':'bob@port.example','messageId':'~s~','comment':'x'}", "message", "OK!"},
        {"forward-shared-mailbox-mail",
         "{'userId':'bob@port.example','messageId':'~s~'," TO_BOB "}", "message", "OK!"},
        {"create-shared-mailbox-draft", "{'userId':'bob@port.example','subject':'His'}", "subject",
         "His"},
        {"send-shared-mailbox-mail",
         "{'userId':'bob@port.example','message':{'subject':'Hi'," TO_BOB "}}", "message", "OK!"},
        {"move-shared-mailbox-message",
         "{'userId':'bob@port.example','messageId':'~s~','destinationId':'archive'}", "subject",
         "Tea"},
        /* Calendars. */
        {"create-calendar-event", "{'body':{'subject':'Round'," WHEN "}}", "subject", "Round", "e",
         "id"},
        {"list-calendar-events", "{'timezone':'Europe/Berlin'}", "value.0.start.dateTime",
         "2026-11-24T11:00:00.0000000"},
        {"get-calendar-event", "{'eventId':'~e~','expandExtendedProperties':true}", "subject",
         "Round"},
        {"get-calendar-event", "{'eventId':'~e~','timezone':'x\\\"y'}", "!",
         "timezone must be the name of a zone"},
        {"update-calendar-event", "{'eventId':'~e~','location':{'displayName':'Pier'}}",
         "location.displayName", "Pier"},
        {"get-calendar-view", "{'startDateTime':'2026-11-24T00:00:00Z'}", "!",
         "endDateTime is required"},
        {"get-calendar-view", "{" DAY "}", "value.0.subject", "Round"},
        {"list-calendar-events-delta", "{" DAY "}", "value", NULL},
        {"list-calendar-view-delta", "{" DAY "}", "value.0.subject", "Round"},
        {"snooze-calendar-event-reminder",
         "{'eventId':'~e~','body':{'NewReminderTime':{'dateTime':'2026-11-24T09:55:00',"
         "'timeZone':'UTC'}}}",
         "message", "OK!"},
        {"dismiss-calendar-event-reminder", "{'eventId':'~e~'}", "message", "OK!"},
        {"forward-calendar-event", "{'eventId':'~e~','body':{" TO_BOB "}}", "message", "OK!"},
        {"cancel-calendar-event", "{'eventId':'~e~','body':{'Comment':'No'}}", "message", "OK!"},
        {"create-calendar-event", "{'body':{'subject':'Gone'," WHEN "}}", "subject", "Gone", "g",
         "id"},
        {"delete-calendar-event", "{'eventId':'~g~'}", "message", "OK!"},
        {"list-calendars", "{}", "value.0.name", "Calendar", "c", "value.0.id"},
        {"create-calendar", "{'body':{'name':'Trips'}}", "name", "Trips", "t", "id"},
        {"update-calendar", "{'calendarId':'~t~','name':'Tours'}", "name", "Tours"},
        {"create-specific-calendar-event",
         "{'calendarId':'~t~','body':{'subject':'Isle'," WHEN "}}", "subject", "Isle", "i", "id"},
        {"list-specific-calendar-events", "{'calendarId':'~t~'}", "value.0.subject", "Isle"},
        {"get-specific-calendar-event", "{'calendarId':'~t~','eventId':'~i~'}", "subject", "Isle"},
        {"update-specific-calendar-event", "{'calendarId':'~t~','eventId':'~i~','subject':'Reef'}",
         "subject", "Reef"},
        {"get-specific-calendar-view", "{'calendarId':'~t~'," DAY "}", "value.0.subject", "Reef"},
        {"delete-specific-calendar-event", "{'calendarId':'~t~','eventId':'~i~'}", "message",
         "OK!"},
        {"delete-calendar", "{'calendarId':'~t~'}", "message", "OK!"},
        {"create-calendar-event",
         "{'body':{'subject':'Daily'," WHEN ",'recurrence':{'pattern':{'type':'daily','interval':1"
         "},'range':{'type':'numbered','startDate':'2026-11-24','numberOfOccurrences':3}}}}",
         "type", "seriesMaster", "x", "id"},
        {"list-calendar-event-instances", "{'calendarId':'~c~','eventId':'~x~'," DAY "}",
         "value.0.subject", "Daily"},
        {"get-schedule",
         "{'body':{'Schedules':['bob@port.example'],'StartTime':{'dateTime':'2026-11-24T00:00:00',"
         "'timeZone':'UTC'},'EndTime':{'dateTime':'2026-11-25T00:00:00','timeZone':'UTC'}}}",
         "value.0.scheduleId", "bob@port.example"},
        {"find-meeting-times", "{'body':{'meetingDuration':'PT1H'}}", "meetingTimeSuggestions",
         NULL},
        {"list-my-calendar-permissions", "{}", "value.0.id", NULL},
        {"create-my-calendar-permission",
         "{'body':{'emailAddress':{'address':'bob@port.example'},'role':'read'}}", "role", "read",
         "p", "id"},
        {"update-my-calendar-permission", "{'calendarPermissionId':'~p~','role':'write'}", "role",
         "write"},
        {"delete-my-calendar-permission", "{'calendarPermissionId':'~p~'}", "message", "OK!"},
        {"get-room", "{'placeId':'red@port.example'}", "displayName", "Red"},
        {"get-room-list", "{'placeId':'house@port.example'}", "displayName", "House"},
        {"list-room-list-rooms", "{'placeId':'house@port.example'}", "value.0.emailAddress",
         "red@port.example"},
        {"update-place", "{'placeId':'red@port.example','body':{'capacity':4}}", "capacity", "4"},
        {"list-group-events", "{'groupId':'deck@port.example'}", "value", "[]"},
        {"get-group-calendar-view", "{'groupId':'9a000000-0000-4000-8000-000000000001'," DAY "}",
         "value", "[]"},
        {"create-calendar-event",
         "{'body':{'subject':'Ours'," WHEN ",'attendees':[{'emailAddress':{'address':"
         "'bob@port.example'}}]}}",
         "subject", "Ours", "own", "id"},
        {"accept-calendar-event", "{'eventId':'~own~'}", "!", "400"}, /* it is her own */
        {"decline-calendar-event", "{'eventId':'~own~'}", "!", "400"},
        {"tentatively-accept-calendar-event", "{'eventId':'~own~'}", "!", "400"},
        {"list-shared-calendar-events", "{'userId':'bob@port.example'}", "value.0.subject", NULL},
        {"get-shared-calendar-view", "{'userId':'bob@port.example'," DAY "}", "value.0.subject",
         NULL},
        /* Contacts. */
        {"create-outlook-contact", "{'body':{'givenName':'Eve'}}", "givenName", "Eve", "k", "id"},
        {"list-outlook-contacts", "{'top':1,'select':'givenName'}", "value.0.givenName", "Eve"},
        {"get-outlook-contact", "{'contactId':'~k~'}", "givenName", "Eve"},
        {"update-outlook-contact", "{'contactId':'~k~','surname':'Hart'}", "surname", "Hart"},
        {"delete-outlook-contact", "{'contactId':'~k~'}", "message", "OK!"},
        {"create-contact-folder", "{'displayName':'Crew'}", "displayName", "Crew", "kf", "id"},
        {"list-contact-folders", "{}", "value.0.displayName", "Crew"},
        {"update-contact-folder", "{'contactFolderId':'~kf~','displayName':'Mates'}", "displayName",
         "Mates"},
        {"create-contact-in-folder", "{'contactFolderId':'~kf~','givenName':'Gil'}", "givenName",
         "Gil"},
        {"list-contact-folder-contacts", "{'contactFolderId':'~kf~'}", "value.0.givenName", "Gil"},
        {"delete-contact-folder", "{'contactFolderId':'~kf~'}", "message", "OK!"},
        /* People and groups. */
        {"get-current-user", "{'select':'displayName'}", "displayName", "Ada Ames"},
        {"list-users", "{'filter':'startswith(displayName,\\'Bob\\')'}", "value.0.displayName",
         "Bob Stone", "bob", "value.0.id"},
        {"list-users", "{'search':'\\\"displayName:Bob\\\"','ConsistencyLevel':'eventual'}",
         "value.0.displayName", "Bob Stone"},
        {"list-users", "{'top':1,'fetchAllPages':true}", "value.1.displayName", "Bob Stone"},
        {"get-my-manager", "{}", "displayName", "Bob Stone"},
        {"list-my-direct-reports", "{}", "value", "[]"},
        {"get-user-manager", "{'userId':'ada@port.example'}", "displayName", "Bob Stone"},
        {"list-user-direct-reports", "{'userId':'bob@port.example'}", "value.0.displayName",
         "Ada Ames"},
        {"list-relevant-people", "{}", "value", NULL},
        {"list-my-memberships", "{}", "value", "[]"},
        {"create-group",
         "{'body':{'displayName':'Crew','mailEnabled':false,'mailNickname':'crew',"
         "'securityEnabled':true}}",
         "displayName", "Crew", "gr", "id"},
        {"list-groups", "{'top':5}", "value.1.displayName", "Crew"},
        {"get-group", "{'groupId':'~gr~'}", "displayName", "Crew"},
        {"update-group", "{'groupId':'~gr~','body':{'description':'x'}}", "message", "OK!"},
        {"add-group-member",
         "{'groupId':'~gr~','body':{'@odata.id':'https://graph.microsoft.com/v1.0/directoryObjects/"
         "~bob~'}}",
         "message", "OK!"},
        {"list-group-members", "{'groupId':'~gr~'}", "value.0.displayName", "Bob Stone"},
        {"remove-group-member", "{'groupId':'~gr~','directoryObjectId':'~bob~'}", "message", "OK!"},
        {"add-group-owner",
         "{'groupId':'~gr~','body':{'@odata.id':'https://graph.microsoft.com/v1.0/users/~bob~'}}",
         "message", "OK!"},
        {"list-group-owners", "{'groupId':'~gr~'}", "value.0.id", NULL},
        {"remove-group-owner", "{'groupId':'~gr~','directoryObjectId':'~bob~'}", "message", "OK!"},
        {"delete-group", "{'groupId':'~gr~'}", "message", "OK!"},
        /* Teams. */
        {"+",
         "{sosia: 1, workspaces: [{domain: port.example, vendor: microsoft, members: [{actor: "
         "ada@port.example}, {actor: bob@port.example}]}], teams: [{name: Pier, members: [{user: "
         "ada@port.example, role: owner}]}]}",
         NULL, NULL},
        {"list-joined-teams", "{}", "value.0.displayName", "Pier", "team", "value.0.id"},
        {"get-team", "{'teamId':'~team~'}", "displayName", "Pier"},
        {"add-team-member",
         "{'teamId':'~team~','body':{'@odata.type':'#microsoft.graph.aadUserConversationMember','"
         "roles':['owner'],'user@odata.bind':'https://graph.microsoft.com/v1.0/users/"
         "bob@port.example'}}",
         "displayName", "Bob Stone", "mem", "id"},
        {"list-team-members", "{'teamId':'~team~'}", "value.1.displayName", "Bob Stone"},
        {"create-team-channel", "{'teamId':'~team~','body':{'displayName':'Cargo'}}", "displayName",
         "Cargo", "ch", "id"},
        {"list-team-channels", "{'teamId':'~team~'}", "value.0.membershipType", "standard"},
        {"update-team-channel",
         "{'teamId':'~team~','channelId':'~ch~','body':{'displayName':'Freight'}}", "message",
         "OK!"},
        {"get-team-channel", "{'teamId':'~team~','channelId':'~ch~'}", "displayName", "Freight"},
        {"send-channel-message",
         "{'teamId':'~team~','channelId':'~ch~','body':{'body':{'content':'Hi'}}}", "body.content",
         "Hi", "cm", "id"},
        {"list-channel-tabs", "{'teamId':'~team~','channelId':'~ch~'}", "value", "[]"},
        {"get-channel-files-folder", "{'teamId':'~team~','channelId':'~ch~'}",
         "parentReference.driveType", "documentLibrary"},
        {"list-my-installed-teams-apps", "{}", "value", "[]"},
        {"list-my-associated-teams", "{}", "value.0.displayName", "Pier"},
        {"list-channel-messages", "{'teamId':'~team~','channelId':'~ch~','top':5}",
         "value.0.body.content", "Hi"},
        {"get-channel-message", "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~'}",
         "body.content", "Hi"},
        {"update-channel-message",
         "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~','body':{'body':{'content':'"
         "Ho'}}}",
         "message", "OK!"},
        {"set-channel-message-reaction",
         "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~','body':{'reactionType':'"
         "like'}}",
         "message", "OK!"},
        {"unset-channel-message-reaction",
         "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~','body':{'reactionType':'"
         "like'}}",
         "message", "OK!"},
        {"reply-to-channel-message",
         "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~','body':{'body':{'content':'"
         "Aye'}}}",
         "body.content", "Aye", "re", "id"},
        {"list-channel-message-replies",
         "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~'}", "value.0.body.content",
         "Aye"},
        {"update-channel-message-reply",
         "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~','chatMessageId1':'~re~','"
         "body':{'body':{'content':'No'}}}",
         "message", "OK!"},
        {"list-channel-message-hosted-contents",
         "{'teamId':'~team~','channelId':'~ch~','chatMessageId':'~cm~'}", "value", "[]"},
        {"remove-team-member", "{'teamId':'~team~','conversationMemberId':'~mem~'}", "message",
         "OK!"},
        {"delete-team-channel", "{'teamId':'~team~','channelId':'~ch~'}", "message", "OK!"},
        {"create-chat",
         "{'body':{'chatType':'oneOnOne','members':[{'@odata.type':'#microsoft.graph."
         "aadUserConversationMember','roles':['owner'],'user@odata.bind':'https://"
         "graph.microsoft.com/v1.0/users/"
         "ada@port.example'},{'@odata.type':'#microsoft.graph.aadUserConversationMember','roles':['"
         "owner'],'user@odata.bind':'https://graph.microsoft.com/v1.0/users/bob@port.example'}]}}",
         "chatType", "oneOnOne", "chat", "id"},
        {"list-chats", "{}", "value.0.chatType", "oneOnOne"},
        {"get-chat", "{'chatId':'~chat~'}", "topic", "null"},
        {"list-chat-members", "{'chatId':'~chat~'}", "value.0.roles.0", "owner"},
        {"send-chat-message", "{'chatId':'~chat~','body':{'body':{'content':'Hi'}}}",
         "body.content", "Hi", "xm", "id"},
        {"list-chat-messages", "{'chatId':'~chat~'}", "value.0.body.content", "Hi"},
        {"get-chat-message", "{'chatId':'~chat~','chatMessageId':'~xm~'}", "body.content", "Hi"},
        {"update-chat-message",
         "{'chatId':'~chat~','chatMessageId':'~xm~','body':{'body':{'content':'Ho'}}}", "message",
         "OK!"},
        {"set-chat-message-reaction",
         "{'chatId':'~chat~','chatMessageId':'~xm~','body':{'reactionType':'heart'}}", "message",
         "OK!"},
        {"unset-chat-message-reaction",
         "{'chatId':'~chat~','chatMessageId':'~xm~','body':{'reactionType':'heart'}}", "message",
         "OK!"},
        {"list-chat-message-hosted-contents", "{'chatId':'~chat~','chatMessageId':'~xm~'}", "value",
         "[]"},
        {"pin-chat-message",
         "{'chatId':'~chat~','body':{'message@odata.bind':'https://graph.microsoft.com/v1.0/chats/"
         "x/messages/~xm~'}}",
         "id", NULL},
        {"list-pinned-chat-messages", "{'chatId':'~chat~'}", "value.0.id", NULL},
        {"unpin-chat-message", "{'chatId':'~chat~','pinnedChatMessageInfoId':'~xm~'}", "message",
         "OK!"},
        {"create-online-meeting", "{'body':{'subject':'Plan'}}", "subject", "Plan", "om", "id"},
        {"list-online-meetings", "{}", "!", "Filter expression is expected."},
        {"get-online-meeting", "{'onlineMeetingId':'~om~'}", "subject", "Plan"},
        {"update-online-meeting", "{'onlineMeetingId':'~om~','body':{'subject':'Plans'}}",
         "subject", "Plans"},
        {"list-meeting-transcripts", "{'onlineMeetingId':'~om~'}", "value", "[]"},
        {"get-meeting-transcript", "{'onlineMeetingId':'~om~','callTranscriptId':'x'}", "!", ""},
        {"get-meeting-transcript-content", "{'onlineMeetingId':'~om~','callTranscriptId':'x'}", "!",
         ""},
        {"list-meeting-recordings", "{'onlineMeetingId':'~om~'}", "value", "[]"},
        {"get-meeting-recording", "{'onlineMeetingId':'~om~','callRecordingId':'x'}", "!", ""},
        {"get-meeting-recording-content", "{'onlineMeetingId':'~om~','callRecordingId':'x'}", "!",
         ""},
        {"list-meeting-attendance-reports", "{'onlineMeetingId':'~om~'}", "value", "[]"},
        {"get-meeting-attendance-report",
         "{'onlineMeetingId':'~om~','meetingAttendanceReportId':'x'}", "!", ""},
        {"list-meeting-attendance-records",
         "{'onlineMeetingId':'~om~','meetingAttendanceReportId':'x'}", "!", ""},
        {"delete-online-meeting", "{'onlineMeetingId':'~om~'}", "message", "OK!"},
        {"get-my-presence", "{}", "availability", "Offline", "ada", "id"},
        {"get-user-presence", "{'userId':'bob@port.example'}", "activity", "Offline"},
        {"get-presences-by-user-id", "{'body':{'ids':['~ada~']}}", "value.0.activity", "Offline"},
        {"set-my-presence",
         "{'body':{'sessionId':'22553876-f5ab-4529-bffb-cfe50aa89f87','availability':'Busy',"
         "'activity':'InACall','expirationDuration':'PT1H'}}",
         "message", "OK!"},
        {"clear-my-presence", "{'body':{'sessionId':'22553876-f5ab-4529-bffb-cfe50aa89f87'}}",
         "message", "OK!"},
        {"set-my-user-preferred-presence",
         "{'body':{'availability':'Busy','activity':'Busy','expirationDuration':'PT1H'}}",
         "message", "OK!"},
        {"clear-my-user-preferred-presence", "{}", "message", "OK!"},
        {"set-my-status-message",
         "{'body':{'statusMessage':{'message':{'content':'Away','contentType':'text'}}}}",
         "message", "OK!"},
        {"send-my-activity-notification",
         "{'body':{'topic':{'source':'text','value':'Ship','webUrl':'https://teams.microsoft.com/l/"
         "x'},'activityType':'shipCame','previewText':{'content':'Came'}}}",
         "message", "OK!"},
        /* Tasks. */
        {"list-todo-task-lists", "{}", "value.0.displayName", "Tasks"},
        {"create-todo-task-list", "{'body':{'displayName':'Rope'}}", "displayName", "Rope", "tl",
         "id"},
        {"update-todo-task-list", "{'todoTaskListId':'~tl~','displayName':'Ropes'}", "displayName",
         "Ropes"},
        {"create-todo-task", "{'todoTaskListId':'~tl~','body':{'title':'Coil'}}", "title", "Coil",
         "tt", "id"},
        {"list-todo-tasks", "{'todoTaskListId':'~tl~','filter':'isReminderOn eq false'}",
         "value.0.title", "Coil"},
        {"get-todo-task", "{'todoTaskListId':'~tl~','todoTaskId':'~tt~'}", "status", "notStarted"},
        {"update-todo-task",
         "{'todoTaskListId':'~tl~','todoTaskId':'~tt~','body':{'status':'completed'}}", "status",
         "completed"},
        {"create-todo-linked-resource",
         "{'todoTaskListId':'~tl~','todoTaskId':'~tt~','body':{'webUrl':'https://a.example'}}",
         "webUrl", "https://a.example", "lr", "id"},
        {"list-todo-linked-resources", "{'todoTaskListId':'~tl~','todoTaskId':'~tt~'}",
         "value.0.webUrl", "https://a.example"},
        {"delete-todo-linked-resource",
         "{'todoTaskListId':'~tl~','todoTaskId':'~tt~','linkedResourceId':'~lr~'}", "message",
         "OK!"},
        {"delete-todo-task", "{'todoTaskListId':'~tl~','todoTaskId':'~tt~'}", "message", "OK!"},
        {"delete-todo-task-list", "{'todoTaskListId':'~tl~'}", "message", "OK!"},
        {"+",
         "{\"sosia\":1,\"groups\":[{\"email\":\"hold@port.example\",\"name\":\"Hold\","
         "\"members\":[\"ada@port.example\"]}],\"taskPlans\":[{\"id\":\"PlanA\","
         "\"group\":\"hold@port.example\",\"title\":\"Launch\"}]}",
         "", NULL},
        {"get-planner-plan", "{'plannerPlanId':'PlanA'}", "title", "Launch"},
        {"create-planner-bucket", "{'body':{'name':'Open','planId':'PlanA'}}", "name", "Open", "pb",
         "id"},
        {"get-planner-bucket", "{'plannerBucketId':'~pb~','includeHeaders':true}", "name", "Open",
         "pbe", "_etag"},
        {"update-planner-bucket", "{'plannerBucketId':'~pb~','body':{'name':'New'}}", "!",
         "If-Match is required"},
        {"delete-planner-bucket", "{'plannerBucketId':'~pb~'}", "!",
         "If-Match header must be specified"},
        {"create-planner-task", "{'body':{'planId':'PlanA','bucketId':'~pb~','title':'Tar'}}",
         "title", "Tar", "pt", "id"},
        {"list-plan-tasks", "{'plannerPlanId':'PlanA'}", "value.0.title", "Tar"},
        {"list-plan-buckets", "{'plannerPlanId':'PlanA'}", "value.0.name", "Open"},
        {"list-planner-tasks", "{}", "value", "[]"},
        {"get-planner-task", "{'plannerTaskId':'~pt~','includeHeaders':true}", "title", "Tar",
         "pte", "_etag"},
        {"update-planner-task",
         "{'plannerTaskId':'~pt~','If-Match':'~pte~','body':{'percentComplete':50}}", "message",
         "OK!"},
        {"get-planner-task-details", "{'plannerTaskId':'~pt~','includeHeaders':true}",
         "previewType", "automatic", "pde", "_etag"},
        {"update-planner-task-details",
         "{'plannerTaskId':'~pt~','If-Match':'~pde~','body':{'description':'Hot'}}", "message",
         "OK!"},
        {"delete-planner-bucket", "{'plannerBucketId':'~pb~','If-Match':'~pbe~'}", "message",
         "OK!"},
    };
    take_all(SET_SOFTERIA, steps, SOSIA_LEN(steps));
}

/* ---- Microsoft's own ---- */

/* Arguments with 3 MB and 3 bytes in base64. */
static char large[(4 << 20) + 200];

static void fill_large(void)
{
    static const char head[] = "{'messageId':'~d~','fileName':'big.bin','contentBase64':'";
    const size_t n = sizeof head - 1, bytes = ((size_t)3 << 20) + 3;
    memcpy(large, head, n);
    memset(large + n, 'A', bytes / 3 * 4);
    memcpy(large + n + bytes / 3 * 4, "'}", 3);
}

static void each_tool_of_agent_365_does_its_work(void **state)
{
    static const struct step steps[] = {
        {"SearchMessagesQueryParameters",
         "{'queryParameters':'?$filter=subject%20eq%20\\'Figures\\'&$top=1'}", "value.0.subject",
         "Figures", "m", "value.0.id"},
        {"SearchMessages", "{'queryString':'subject:Figures','size':5}", "value.0.bodyPreview",
         NULL},
        {"SearchMessages", "{'queryString':'subject:Figures','from':1}", "value", "[]"},
        {"GetMessage", "{'id':'~m~'}", "body.contentType", "text"},
        {"GetMessage", "{'id':'~m~','preferHtml':true}", "body.contentType", "html"},
        {"GetAttachments", "{'messageId':'~m~'}", "value.0.name", "f.txt", "file", "value.0.id"},
        {"GetAttachments", "{'messageId':'~m~'}", "value.0.contentBytes", ""},
        {"DownloadAttachment", "{'messageId':'~m~','attachmentId':'~file~'}", "contentBytes",
         "aGk="},
        {"CreateDraftMessage",
         "{'subject':'Tea','body':'<b>x</b>','contentType':'HTML','to':['bob@port.example']}",
         "body.contentType", "html", "d", "id"},
        {"UpdateDraft",
         "{'messageId':'~d~','cc':['eve@far.example'],'directAttachments':[{'fileName':'a.txt',"
         "'contentBase64':'aGk='}]}",
         "ccRecipients.0.emailAddress.address", "eve@far.example"},
        {"UploadAttachment", "{'messageId':'~d~','fileName':'b.txt','contentBase64':'aGk='}",
         "name", "b.txt", "b", "id"},
        {"DeleteAttachment", "{'messageId':'~d~','attachmentId':'~b~'}", "b", ""},
        {"GetAttachments", "{'messageId':'~d~'}", "value.0.name", "a.txt"},
        {"UploadLargeAttachment", "{'messageId':'~d~','fileName':'b.txt','contentBase64':'aGk='}",
         "!", "should not be less than the minimum size of 3 MB"},
        {"AddDraftAttachments",
         "{'messageId':'~d~','attachmentUris':['https://port.example/my/Documents/"
         "My%20Plan.docx?web=1'"
         "]}",
         "value.1.name", "My Plan.docx"},
        {"AddDraftAttachments", "{'messageId':'~d~','attachmentUris':['a b']}", "!", "400"},
        {"UpdateDraft",
         "{'messageId':'~d~','attachmentUris':['https://port.example/two'],'subject':'Links'}",
         "subject", "Links"},
        {"GetAttachments", "{'messageId':'~d~'}", "value.2.name", "two"},
        {"UploadLargeAttachment", large, "value.3.size", "3145731"},
        {"SendDraftMessage", "{'id':'~d~'}", "x", ""},
        {"SendEmailWithAttachments",
         "{'to':['bob@port.example'],'subject':'Two','body':'Hi','directAttachments':[{'fileName':"
         "'c.txt','contentBase64':'aGk='}]}",
         "x", ""},
        {"SendEmailWithAttachments", "{'to':['bob@port.example'],'directAttachments':[{}]}", "!",
         "directAttachments.fileName is required"},
        {"UpdateMessage", "{'id':'~m~','importance':'High','categories':['Red']}", "importance",
         "high"},
        {"FlagEmail", "{'messageId':'~m~','flagStatus':'Flagged'}", "flag.flagStatus", "flagged"},
        {"ReplyToMessage", "{'id':'~m~','comment':'Thanks'}", "status", "sent"},
        {"ReplyToMessage",
         "{'id':'~m~','comment':'T','toRecipients':['eve@far.example'],'sendImmediately':false}",
         "toRecipients.0.emailAddress.address", "eve@far.example"},
        {"ReplyAllToMessage", "{'id':'~m~','comment':'All','ccRecipients':['eve@far.example']}",
         "status", "sent"},
        {"ReplyWithFullThread",
         "{'messageId':'~m~','introComment':'I','additionalCc':['eve@far.example'],"
         "'includeOriginalNonInlineAttachments':true}",
         "status", "sent"},
        {"SearchMessagesQueryParameters",
         "{'queryParameters':'$filter=startswith(subject,\\'RE:\\')&$expand=attachments&$top=1'}",
         "value.0.attachments.0.name", "f.txt"},
        {"ReplyWithFullThread", "{'messageId':'~m~','replyAll':true}", "status", "sent"},
        {"ReplyAllWithFullThread", "{'messageId':'~m~','additionalTo':['eve@far.example']}",
         "status", "sent"},
        {"ForwardMessage",
         "{'messageId':'~m~','additionalTo':['bob@port.example'],'directAttachments':[{'fileName':"
         "'d.txt','contentBase64':'aGk='}]}",
         "status", "sent"},
        {"ForwardMessage", "{'messageId':'~m~'}", "!", "additionalTo must have an address"},
        {"ForwardMessageWithFullThread", "{'messageId':'~m~','additionalTo':['bob@port.example']}",
         "status", "sent"},
        {"DeleteMessage", "{'id':'~m~'}", "x", ""},
        {"CreateEvent",
         "{'subject':'Round'," WHEN ",'attendees_addresses':['bob@port.example'],"
         "'attendees_types':['optional'],'attendees_names':['B'],'body':{'content':'x'},"
         "'isOnlineMeeting':true,'onlineMeetingProvider':'teamsForBusiness'}",
         "attendees.0.type", "optional", "e", "id"},
        {"CreateEvent", "{'subject':''," WHEN ",'attendees_addresses':[]}", "!",
         "subject must be a text, not empty"},
        {"ListEvents",
         "{'userId':'me','startDateTime':'2026-11-24T00:00:00Z','filter':'subject eq "
         "\\'Round\\''}",
         "value.0.subject", "Round"},
        {"ListEvents", "{'startDateTime':'2026-11-25T00:00:00Z'}", "value", "[]"},
        {"ListCalendarView", "{" DAY ",'top':1,'orderby':'start/dateTime'}", "value.0.subject",
         "Round"},
        {"ListCalendarView", "{'userId':'bob@port.example'," DAY "}", "value.0.subject", "Round",
         "his", "value.0.id"},
        {"UpdateEvent", "{'eventId':'~e~','location':{'displayName':'Pier'}}",
         "location.displayName", "Pier"},
        {"FindMeetingTimes",
         "{'meetingDuration':'PT1H','attendees_addresses':['bob@port.example'],'maxCandidates':2}",
         "meetingTimeSuggestions.0.order", "1"},
        {"AcceptEvent", "{'eventId':'~e~'}", "!", "400"}, /* it is her own */
        {"TentativelyAcceptEvent", "{'eventId':'~e~','comment':'x'}", "!", "400"},
        {"DeclineEvent", "{'eventId':'~e~','sendResponse':false}", "!", "400"},
        {"GetRooms", "{}", "value.0.emailAddress", "red@port.example"},
        {"ForwardEvent", "{'eventId':'~e~','recipients':['eve@far.example']}", "x", ""},
        {"CancelEvent", "{'eventId':'~e~','comment':'Rain'}", "x", ""},
        {"CreateEvent", "{'subject':'Gone'," WHEN ",'attendees_addresses':[]}", "subject", "Gone",
         "g", "id"},
        {"DeleteEventById", "{'eventId':'~g~'}", "x", ""},
        {"ListCalendarView", "{" DAY "}", "value", "[]"},
        {"GetUserDateAndTimeZoneSettings", "{'userId':'me'}", "timeZone", "UTC"},
        {"getMyProfile", "{'select':'displayName'}", "displayName", "Ada Ames"},
        {"getMyManager", "{}", "displayName", "Bob Stone"},
        {"getUserProfile", "{'userId':'bob@port.example'}", "jobTitle", "Director"},
        {"getUsersManager", "{'userId':'ada@port.example'}", "displayName", "Bob Stone"},
        {"getDirectReports", "{'userId':'bob@port.example','top':5}", "value.0.displayName",
         "Ada Ames"},
        {"listUsers", "{'search':'\\\"displayName:Bob\\\"'}", "value.0.displayName", "Bob Stone"},
        {"listUsers", "{'search':'Bob'}", "value.0.displayName", "Bob Stone"}, /* as a filter */
        {"listUsers", "{'filter':'startswith(displayName,\\'Ada\\')','top':1}",
         "value.0.displayName", "Ada Ames"},
    };
    fill_large();
    take_all(SET_AGENT365, steps, SOSIA_LEN(steps));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_tool_of_softeria_is_its_method),
        TEST(each_tool_of_agent_365_does_its_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
