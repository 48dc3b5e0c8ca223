/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server for calendars, whose answers are JSON. Source of names, arguments and
 * shapes: its published code. There is one account here, so that what manages several is absent. */
#include "mcp/sets/ccal.h"

/* An event, in the original's order of members. */
static const char event[] =
    "{'id':'$.id|or','summary':'$.summary','description':'$.description',"
    "'location':'$.location','start':{'dateTime':'$.start.dateTime','date':'$.start.date',"
    "'timeZone':'$.start.timeZone'},'end':{'dateTime':'$.end.dateTime','date':'$.end.date',"
    "'timeZone':'$.end.timeZone'},'startDayOfWeek':'$.start|day','endDayOfWeek':'$.end|day',"
    "'status':'$.status','htmlLink':'$.htmlLink','created':'$.created','updated':'$.updated',"
    "'colorId':'$.colorId','creator':{'$if':'$.creator',"
    "'$then':{'email':'$.creator.email|or','displayName':'$.creator.displayName',"
    "'self':'$.creator.self'}},'organizer':{'$if':'$.organizer',"
    "'$then':{'email':'$.organizer.email|or','displayName':'$.organizer.displayName',"
    "'self':'$.organizer.self'}},'attendees':{'$each':'$.attendees',"
    "'$as':{'email':'$.email|or','displayName':'$.displayName',"
    "'responseStatus':'$.responseStatus','optional':'$.optional','organizer':'$.organizer',"
    "'self':'$.self','resource':'$.resource','comment':'$.comment',"
    "'additionalGuests':'$.additionalGuests'}},'recurrence':'$.recurrence',"
    "'recurringEventId':'$.recurringEventId',"
    "'originalStartTime':{'$if':'$.originalStartTime',"
    "'$then':{'dateTime':'$.originalStartTime.dateTime','date':'$.originalStartTime.date',"
    "'timeZone':'$.originalStartTime.timeZone'}},'transparency':'$.transparency',"
    "'visibility':'$.visibility','iCalUID':'$.iCalUID','sequence':'$.sequence',"
    "'reminders':{'$if':'$.reminders','$then':{'useDefault':'$.reminders.useDefault',"
    "'overrides':{'$each':'$.reminders.overrides','$as':{'method':'$.method|or:popup',"
    "'minutes':'$.minutes|or:0'}}}},'source':{'$if':'$.source','$then':{'url':'$.source.url',"
    "'title':'$.source.title'}},'attachments':{'$each':'$.attachments',"
    "'$as':{'fileUrl':'$.fileUrl','title':'$.title','mimeType':'$.mimeType',"
    "'iconLink':'$.iconLink','fileId':'$.fileId'}},'eventType':'$.eventType',"
    "'focusTimeProperties':'$.focusTimeProperties',"
    "'outOfOfficeProperties':'$.outOfOfficeProperties',"
    "'workingLocationProperties':'$.workingLocationProperties',"
    "'conferenceData':'$.conferenceData','extendedProperties':'$.extendedProperties',"
    "'hangoutLink':'$.hangoutLink','anyoneCanAddSelf':'$.anyoneCanAddSelf',"
    "'guestsCanInviteOthers':'$.guestsCanInviteOthers','guestsCanModify':'$.guestsCanModify',"
    "'guestsCanSeeOtherGuests':'$.guestsCanSeeOtherGuests','privateCopy':'$.privateCopy',"
    "'locked':'$.locked'}";

/* An entry of the list of calendars. */
static const char calendar[] =
    "{'id':'$.id|or','summary':'$.summary','description':'$.description',"
    "'location':'$.location','timeZone':'$.timeZone','summaryOverride':'$.summaryOverride',"
    "'colorId':'$.colorId','backgroundColor':'$.backgroundColor',"
    "'foregroundColor':'$.foregroundColor','hidden':'$.hidden','selected':'$.selected',"
    "'accessRole':'$.accessRole','defaultReminders':{'$each':'$.defaultReminders',"
    "'$as':{'method':'$.method|or:popup','minutes':'$.minutes|or:0'}},"
    "'notificationSettings':{'$if':'$.notificationSettings',"
    "'$then':{'notifications':{'$each':'$.notificationSettings.notifications',"
    "'$as':{'type':'$.type','method':'$.method'}}}},'primary':'$.primary',"
    "'deleted':'$.deleted','conferenceProperties':{'$if':'$.conferenceProperties',"
    "'$then':{'allowedConferenceSolutionTypes':'$.conferenceProperties."
    "allowedConferenceSolutionTypes'}}}";

/* Busy times of a calendar. */
static const char busy[] =
    "{'busy':{'$each':'$.busy','$as':{'start':'$.start','end':'$.end'}},"
    "'errors':{'$each':'$.errors','$as':{'domain':'$.domain','reason':'$.reason'}}}";

static const char *const updates[] = {"all", "externalOnly", "none", NULL};
static const char *const responses[] = {"needsAction", "declined", "tentative", "accepted", NULL};
static const char *const transparencies[] = {"opaque", "transparent", NULL};
static const char *const visibilities[] = {"default", "public", "private", "confidential", NULL};
static const char *const methods[] = {"email", "popup", NULL};
static const char *const solutions[] = {"hangoutsMeet", "eventHangout", "eventNamedHangout",
                                        "addOn", NULL};
static const char *const kinds[] = {"default", "focusTime", "outOfOffice", "workingLocation", NULL};
static const char *const declines[] = {"declineNone", "declineAllConflictingInvitations",
                                       "declineOnlyNewConflictingInvitations", NULL};
static const char *const chats[] = {"available", "doNotDisturb", NULL};
static const char *const places[] = {"homeOffice", "officeLocation", "customLocation", NULL};
static const char *const update_scopes[] = {"thisAndFollowing", "all", "thisEventOnly", NULL};
static const char *const respond_scopes[] = {"thisEventOnly", "all", NULL};
static const char *const event_fields[] = {"id",
                                           "summary",
                                           "description",
                                           "start",
                                           "end",
                                           "location",
                                           "attendees",
                                           "colorId",
                                           "transparency",
                                           "extendedProperties",
                                           "reminders",
                                           "conferenceData",
                                           "attachments",
                                           "status",
                                           "htmlLink",
                                           "created",
                                           "updated",
                                           "creator",
                                           "organizer",
                                           "recurrence",
                                           "recurringEventId",
                                           "originalStartTime",
                                           "visibility",
                                           "iCalUID",
                                           "sequence",
                                           "hangoutLink",
                                           "anyoneCanAddSelf",
                                           "guestsCanInviteOthers",
                                           "guestsCanModify",
                                           "guestsCanSeeOtherGuests",
                                           "privateCopy",
                                           "locked",
                                           "source",
                                           "eventType",
                                           NULL};

#define ACCOUNT                                                                                    \
    {                                                                                              \
        .name = "account", .summary = "Account; here there is " CCAL_ACCOUNT " alone"              \
    }
#define ACCOUNTS                                                                                   \
    {                                                                                              \
        .name = "account", .type = ARG_TEXTS, .min = 1, .max = 10,                                 \
        .summary = "Accounts; here there is " CCAL_ACCOUNT " alone"                                \
    }
#define CALENDAR_ID                                                                                \
    {                                                                                              \
        .name = "calendarId", .required = true, .summary = "Calendar, by its id or \"primary\""    \
    }
#define CALENDAR_IDS(quiet)                                                                        \
    {                                                                                              \
        .name = "calendarId", .type = ARG_TEXTS, .required = true, .min = 1, .max = 50,            \
        .unlisted = (quiet), .json = true, .summary = "One or several calendars, by id or name"    \
    }
#define EVENT_ID                                                                                   \
    {                                                                                              \
        .name = "eventId", .required = true, .summary = "Id of the event"                          \
    }
#define TIME_ZONE                                                                                  \
    {                                                                                              \
        .name = "timeZone", .summary = "Of times without an offset; else the calendar's"           \
    }
#define FIELDS                                                                                     \
    {                                                                                              \
        .name = "fields", .type = ARG_STRINGS, .values = event_fields, .json = true,               \
        .summary = "Further members of events"                                                     \
    }
#define PROPERTIES                                                                                 \
    {.name = "privateExtendedProperty",                                                            \
     .type = ARG_STRINGS,                                                                          \
     .summary = "Events that have all of these: key=value"},                                       \
    {                                                                                              \
        .name = "sharedExtendedProperty", .type = ARG_STRINGS,                                     \
        .summary = "The same of properties that guests share"                                      \
    }
#define RANGE(must)                                                                                \
    {.name = "timeMin", .required = must, .summary = "Begin, as 2026-03-12T00:00:00"},             \
    {                                                                                              \
        .name = "timeMax", .required = must, .summary = "End, as 2026-03-12T23:59:59"              \
    }

static const struct set_arg account_args[] = {ACCOUNT};
static const struct set_arg accounts_args[] = {ACCOUNTS};
static const struct set_arg list_args[] = {ACCOUNTS, CALENDAR_IDS(false), RANGE(false), TIME_ZONE,
                                           FIELDS,   PROPERTIES};
static const struct set_arg search_args[] = {
    ACCOUNTS,
    CALENDAR_IDS(true),
    {.name = "query", .required = true, .summary = "Words in title, text, place or guests"},
    RANGE(true),
    TIME_ZONE,
    FIELDS,
    PROPERTIES};
static const struct set_arg get_args[] = {ACCOUNT, CALENDAR_ID, EVENT_ID, FIELDS};
static const struct set_arg delete_args[] = {
    ACCOUNT,
    CALENDAR_ID,
    EVENT_ID,
    {.name = "sendUpdates", .def = "all", .values = updates, .summary = "Who is notified"}};
static const struct set_arg busy_items[] = {
    {.name = "id", .required = true, .summary = "Calendar, by its id or \"primary\""}};
static const struct set_arg busy_args[] = {
    ACCOUNTS,
    {.name = "calendars", SET_ITEMS(busy_items), .required = true, .summary = "Calendars"},
    RANGE(true),
    TIME_ZONE,
    {.name = "groupExpansionMax",
     .type = ARG_INTEGER,
     .max = 100,
     .summary = "Calendars of a group at most"},
    {.name = "calendarExpansionMax",
     .type = ARG_INTEGER,
     .max = 50,
     .summary = "Calendars at most"},
};
static const struct set_arg time_args[] = {ACCOUNT, TIME_ZONE};

static const struct set_arg solution_members[] = {
    {.name = "type", .required = true, .values = solutions, .summary = "Kind of conference"}};
static const struct set_arg request_members[] = {
    {.name = "requestId", .required = true, .summary = "Any text; the same makes no second one"},
    {.name = "conferenceSolutionKey", SET_MEMBERS(solution_members), .required = true},
};
static const struct set_arg conference_members[] = {
    {.name = "createRequest", SET_MEMBERS(request_members), .required = true}};
static const struct set_arg override_members[] = {
    {.name = "method", .def = "popup", .values = methods, .summary = "How"},
    {.name = "minutes", .type = ARG_NUMBER, .required = true, .summary = "Minutes before"},
};
static const struct set_arg reminder_members[] = {
    {.name = "useDefault", .type = ARG_BOOLEAN, .required = true, .summary = "The calendar's"},
    {.name = "overrides", SET_ITEMS(override_members), .summary = "Others"},
};
static const struct set_arg property_members[] = {
    {.name = "private", .type = ARG_MAP, .summary = "Of this copy alone"},
    {.name = "shared", .type = ARG_MAP, .summary = "Of all copies"},
};
static const struct set_arg guest_members[] = {
    {.name = "email", .required = true, .summary = "Address"},
    {.name = "displayName", .summary = "Name"},
    {.name = "optional", .type = ARG_BOOLEAN, .summary = "Need not come"},
    {.name = "responseStatus", .values = responses, .summary = "Response"},
    {.name = "comment", .summary = "Comment on the response"},
    {.name = "additionalGuests",
     .type = ARG_INTEGER,
     .zero = true,
     .summary = "Guests that they bring"},
};
static const struct set_arg guest_few_members[] = {
    {.name = "email", .required = true, .summary = "Address"},
    {.name = "displayName", .summary = "Name"},
    {.name = "optional", .type = ARG_BOOLEAN, .summary = "Need not come"},
    {.name = "responseStatus", .values = responses, .summary = "Response"},
};
static const struct set_arg address_members[] = {
    {.name = "email", .required = true, .summary = "Address"}};
static const struct set_arg file_members[] = {
    {.name = "fileUrl", .required = true, .summary = "Link to the file"},
    {.name = "title", .summary = "Title"},
    {.name = "mimeType", .summary = "Media type"},
    {.name = "iconLink", .summary = "Link to an icon"},
    {.name = "fileId", .summary = "Id in the drive"},
};
static const struct set_arg file_new_members[] = {
    {.name = "fileUrl", .required = true, .summary = "Link to the file"},
    {.name = "title", .required = true, .summary = "Title"},
    {.name = "mimeType", .summary = "Media type"},
    {.name = "iconLink", .summary = "Link to an icon"},
    {.name = "fileId", .summary = "Id in the drive"},
};
static const struct set_arg source_members[] = {
    {.name = "url", .required = true, .summary = "Link"},
    {.name = "title", .required = true, .summary = "Title"},
};
static const struct set_arg focus_members[] = {
    {.name = "autoDeclineMode", .values = declines, .summary = "What is declined"},
    {.name = "chatStatus", .values = chats, .summary = "Status in chats"},
    {.name = "declineMessage", .summary = "What those learn who are declined"},
};
static const struct set_arg away_members[] = {
    {.name = "autoDeclineMode",
     .def = "declineAllConflictingInvitations",
     .values = declines,
     .summary = "What is declined"},
    {.name = "declineMessage", .summary = "What those learn who are declined"},
};
static const struct set_arg office_members[] = {
    {.name = "label", .summary = "Name of the office"},
    {.name = "buildingId", .summary = "Id of the building"},
    {.name = "floorId", .summary = "Id of the floor"},
    {.name = "floorSectionId", .summary = "Id of the section"},
    {.name = "deskId", .summary = "Id of the desk"},
};
static const struct set_arg custom_members[] = {{.name = "label", .summary = "Name of the place"}};
static const struct set_arg place_members[] = {
    {.name = "type", .required = true, .values = places, .summary = "Kind of place"},
    {.name = "homeOffice", .type = ARG_OBJECT, .summary = "Has no members"},
    {.name = "officeLocation", SET_MEMBERS(office_members), .summary = "An office"},
    {.name = "customLocation", SET_MEMBERS(custom_members), .summary = "Another place"},
};

#define CONFERENCE                                                                                 \
    {                                                                                              \
        .name = "conferenceData", SET_MEMBERS(conference_members),                                 \
        .summary = "createRequest makes a link for a video call"                                   \
    }
#define REMINDERS                                                                                  \
    {                                                                                              \
        .name = "reminders", SET_MEMBERS(reminder_members), .summary = "Reminders"                 \
    }
#define RECURRENCE                                                                                 \
    {                                                                                              \
        .name = "recurrence", .type = ARG_STRINGS, .json = true,                                   \
        .summary = "Lines of RFC 5545, such as RRULE:FREQ=WEEKLY;COUNT=5"                          \
    }
#define RIGHTS                                                                                     \
    {.name = "transparency", .values = transparencies, .summary = "opaque: it takes time"},        \
        {.name = "visibility", .values = visibilities, .summary = "Who may see its details"},      \
        {.name = "guestsCanInviteOthers", .type = ARG_BOOLEAN, .summary = "May guests invite?"},   \
        {.name = "guestsCanModify", .type = ARG_BOOLEAN, .summary = "May guests change it?"},      \
        {.name = "guestsCanSeeOtherGuests",                                                        \
         .type = ARG_BOOLEAN,                                                                      \
         .summary = "May guests see each other?"},                                                 \
    {                                                                                              \
        .name = "anyoneCanAddSelf", .type = ARG_BOOLEAN, .summary = "May people add themselves?"   \
    }
#define SEND_UPDATES                                                                               \
    {                                                                                              \
        .name = "sendUpdates", .values = updates, .summary = "Who is notified"                     \
    }
#define CHECKED                                                                                    \
    {                                                                                              \
        .name = "calendarsToCheck", .type = ARG_STRINGS, .max = 50, .unlisted = true,              \
        .json = true, .summary = "Calendars whose events may conflict; without: this one"          \
    }
#define MORE(members)                                                                              \
    {.name = "extendedProperties",                                                                 \
     SET_MEMBERS(property_members),                                                                \
     .summary = "Properties of applications"},                                                     \
    {                                                                                              \
        .name = "attachments", SET_ITEMS(members), .summary = "Files"                              \
    }
#define START                                                                                      \
    "Begin, as 2026-03-12T09:30:00 or 2026-03-12, or an object with dateTime and timeZone as JSON"

static const struct set_arg create_args[] = {
    ACCOUNT,
    CALENDAR_ID,
    {.name = "eventId", .summary = "Id that it shall have"},
    {.name = "summary", .required = true, .summary = "Title"},
    {.name = "description", .summary = "Text"},
    {.name = "start", .required = true, .summary = START},
    {.name = "end", .required = true, .summary = "End, written like the begin"},
    TIME_ZONE,
    {.name = "location", .summary = "Where it takes place"},
    {.name = "attendees", SET_ITEMS(guest_members), .summary = "Guests"},
    {.name = "colorId", .summary = "Colour, of list-colors"},
    REMINDERS,
    RECURRENCE,
    RIGHTS,
    SEND_UPDATES,
    CONFERENCE,
    MORE(file_members),
    {.name = "source", SET_MEMBERS(source_members), .summary = "Where it comes from"},
    CHECKED,
    {.name = "duplicateSimilarityThreshold",
     .type = ARG_NUMBER,
     .zero = true,
     .max = 1,
     .summary = "How similar an event must be to count as a duplicate; 0.7 by default"},
    {.name = "allowDuplicates", .type = ARG_BOOLEAN, .summary = "Make it even if it is there"},
    {.name = "eventType", .values = kinds, .summary = "Kind of event"},
    {.name = "focusTimeProperties", SET_MEMBERS(focus_members), .summary = "Of focusTime"},
    {.name = "outOfOfficeProperties", SET_MEMBERS(away_members), .summary = "Of outOfOffice"},
    {.name = "workingLocationProperties",
     SET_MEMBERS(place_members),
     .summary = "Of workingLocation"},
};
static const struct set_arg many_members[] = {
    {.name = "summary", .required = true, .summary = "Title"},
    {.name = "start", .required = true, .summary = "Begin, a time or a day"},
    {.name = "end", .required = true, .summary = "End, written like the begin"},
    {.name = "calendarId", .summary = "Calendar of this event"},
    ACCOUNT,
    {.name = "timeZone", .summary = "Zone of this event"},
    {.name = "description", .summary = "Text"},
    {.name = "location", .summary = "Where it takes place"},
    {.name = "attendees", SET_ITEMS(guest_few_members), .summary = "Guests"},
    {.name = "colorId", .summary = "Colour, of list-colors"},
    REMINDERS,
    RECURRENCE,
    RIGHTS,
    SEND_UPDATES,
    CONFERENCE,
};
static const struct set_arg many_args[] = {
    ACCOUNT,
    {.name = "calendarId", .summary = "Calendar of events that name none; primary by default"},
    {.name = "timeZone", .summary = "Zone of events that name none"},
    SEND_UPDATES,
    {.name = "events",
     SET_ITEMS(many_members),
     .required = true,
     .min = 1,
     .max = 50,
     .summary = "The events"},
};
static const struct set_arg update_args[] = {
    ACCOUNT,
    CALENDAR_ID,
    EVENT_ID,
    {.name = "summary", .summary = "New title"},
    {.name = "description", .summary = "New text"},
    {.name = "start", .summary = START},
    {.name = "end", .summary = "End, written like the begin"},
    TIME_ZONE,
    {.name = "location", .summary = "New place"},
    {.name = "attendees", SET_ITEMS(address_members), .summary = "All guests from now on"},
    {.name = "colorId", .summary = "New colour"},
    REMINDERS,
    RECURRENCE,
    {.name = "sendUpdates", .def = "all", .values = updates, .summary = "Changes nothing"},
    {.name = "modificationScope",
     .values = update_scopes,
     .summary = "What of a series is changed; all by default"},
    {.name = "originalStartTime", .summary = "Begin of the occurrence, with thisEventOnly"},
    {.name = "futureStartDate", .summary = "First new begin, with thisAndFollowing"},
    {.name = "checkConflicts",
     .type = ARG_BOOLEAN,
     .summary = "Whether conflicts of a new time are looked for; they are by default"},
    CHECKED,
    CONFERENCE,
    RIGHTS,
    MORE(file_new_members),
};
static const struct set_arg respond_args[] = {
    CALENDAR_ID,
    EVENT_ID,
    ACCOUNT,
    {.name = "response", .required = true, .values = responses, .summary = "The response"},
    {.name = "comment", .summary = "A comment on it"},
    {.name = "modificationScope",
     .values = respond_scopes,
     .summary = "What of a series is responded to"},
    {.name = "originalStartTime", .summary = "Begin of the occurrence, with thisEventOnly"},
    {.name = "sendUpdates", .values = updates, .summary = "Who is notified; nobody by default"},
};

/* Calendars by their names, and their zones. */
#define NAMES                                                                                      \
    {                                                                                              \
        "calendar.calendarList.list"                                                               \
    }
#define ZONES                                                                                      \
    {                                                                                              \
        "calendar.calendarList.get"                                                                \
    }

#define READS (HINTS | HINT_READS | HINT_BRIEF)

static const struct set_tool tools[] = {
    {.name = "list-calendars",
     .title = "List Calendars",
     .hints = READS,
     .summary = "All calendars of the person",
     SET_ARGS(accounts_args),
     .steps = {NAMES},
     .run = ccal_all_calendars,
     .result = calendar},
    {.name = "list-events",
     .title = "List Calendar Events",
     .hints = READS,
     .summary = "Events of one calendar or several, in the order of time",
     SET_ARGS(list_args),
     .steps = {NAMES, ZONES, {"calendar.events.list"}},
     .run = ccal_list_events,
     .result = event},
    {.name = "search-events",
     .title = "Search Calendar Events",
     .hints = READS,
     .summary = "Events in which words are",
     SET_ARGS(search_args),
     .steps = {NAMES, ZONES, {"calendar.events.list"}},
     .run = ccal_search_events,
     .result = event},
    {.name = "get-event",
     .title = "Get Event Details",
     .hints = READS,
     .summary = "One event",
     SET_ARGS(get_args),
     .steps = {NAMES, {"calendar.events.get"}},
     .run = ccal_get_event,
     .result = event},
    {.name = "list-colors",
     .title = "List Calendar Colors",
     .hints = READS,
     .summary = "The colours of events and calendars, by their ids",
     SET_ARGS(account_args),
     .steps = {{"calendar.colors.get"}},
     .run = ccal_list_colors},
    {.name = "create-event",
     .title = "Create Calendar Event",
     .hints = HINTS,
     .summary = "Make an event, unless the same is there; others at its time are named",
     SET_ARGS(create_args),
     .steps = {NAMES, ZONES, {"calendar.events.list"}, {"calendar.events.insert"}},
     .run = ccal_create,
     .result = event},
    {.name = "create-events",
     .title = "Create Calendar Events (Bulk)",
     .hints = HINTS,
     .summary = "Make up to 50 events; those that fail are named",
     SET_ARGS(many_args),
     .steps = {NAMES, ZONES, {"calendar.events.insert"}},
     .run = ccal_create_many,
     .result = event},
    {.name = "update-event",
     .title = "Update Calendar Event",
     .hints = HINTS | HINT_DESTROYS | HINT_REPEATS,
     .summary = "Change an event, or one or some occurrences of a series",
     SET_ARGS(update_args),
     .steps = {NAMES,
               ZONES,
               {"calendar.events.list"},
               {"calendar.events.get"},
               {"calendar.events.insert"},
               {"calendar.events.patch"}},
     .run = ccal_update,
     .result = event},
    {.name = "delete-event",
     .title = "Delete Calendar Event",
     .hints = HINTS | HINT_DESTROYS,
     .summary = "Delete an event",
     SET_ARGS(delete_args),
     .steps = {NAMES, {"calendar.events.delete"}},
     .run = ccal_delete_event},
    {.name = "get-freebusy",
     .title = "Get Free/Busy",
     .hints = READS,
     .summary = "When calendars are busy, in 90 days at most",
     SET_ARGS(busy_args),
     .steps = {ZONES, {"calendar.freebusy.query"}},
     .run = ccal_free_busy,
     .result = busy},
    {.name = "get-current-time",
     .title = "Get Current Time",
     .hints = READS,
     .summary = "The present time in a zone",
     SET_ARGS(time_args),
     .steps = {ZONES},
     .run = ccal_current_time},
    {.name = "respond-to-event",
     .title = "Respond to Event Invitation",
     .hints = HINTS | HINT_REPEATS,
     .summary = "Accept or decline an invitation",
     SET_ARGS(respond_args),
     .steps = {NAMES, {"calendar.events.get"}, {"calendar.events.patch"}},
     .run = ccal_respond,
     .result = event},
};

static const struct set_filter filters[] = {{"day", ccal_day}, {NULL, NULL}};

const struct set_tools community_calendar = {.set = SET_COMMUNITY,
                                             .service = "calendar",
                                             .lenient = true,
                                             .compact = true,
                                             .filters = filters,
                                             .tools = tools,
                                             .n = SOSIA_LEN(tools)};
