/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar tools of the set "workspace": a community server for several services, whose answers are
 * lines of text. Source of names, arguments and lines: its published code. */
#include "mcp/sets/times.h"
#include "mcp/sets/workspace.h"

/* The time or the day of a begin or an end. */
static const struct json *when(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const struct json *time = json_get(v, "dateTime");
    return time ? time : json_get(v, "date");
}

/* A bound of a list: days are their first instant, times without an offset in UTC. */
static const struct json *bound(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    int64_t days;
    if (!value_holds(v))
        return arg ? value_text(r->arena, time_utc(r->arena, r->m->c->tx.now_us, true)) : NULL;
    if (date_parse(v->str, v->n, &days) == 0)
        return value_text(r->arena, arena_printf(r->arena, "%sT00:00:00Z", v->str));
    return v->n == strlen("2026-03-12T09:30:00")
               ? value_text(r->arena, arena_printf(r->arena, "%sZ", v->str))
               : v;
}

/* A begin or an end, in the zone of the arguments. */
static const struct json *moment(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    struct value_object o = {.arena = r->arena};
    const struct json *zone = json_get(r->args, "timezone");
    if (!value_holds(v))
        return NULL;
    bool time = strchr(v->str, 'T') != NULL;
    object_put(&o, time ? "dateTime" : "date", v);
    object_put(&o, time ? "date" : "dateTime", &value_null);
    object_put(&o, "timeZone", time && value_holds(zone) ? zone : NULL);
    return object_value(&o);
}

static const struct json *missing(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    return value_holds(v) ? NULL : &value_true;
}

/* A request for a video call, if that is asked for. */
static const struct json *call_of(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    struct value_object key = {.arena = r->arena}, request = {.arena = r->arena},
                        o = {.arena = r->arena};
    if (!value_holds(v))
        return NULL;
    object_put(&key, "type", value_text(r->arena, "hangoutsMeet"));
    object_put(
        &request, "requestId",
        value_text(r->arena, arena_printf(r->arena, "meet-%lld", (long long)r->m->c->tx.now_us)));
    object_put(&request, "conferenceSolutionKey", object_value(&key));
    object_put(&o, "createRequest", object_value(&request));
    return object_value(&o);
}

static const char *const actions[] = {"create", "update", "delete", NULL};
static const char *const transparencies[] = {"opaque", "transparent", NULL};
static const char *const visibilities[] = {"default", "public", "private", "confidential", NULL};
static const char *const methods[] = {"popup", "email", NULL};

#define CALENDAR_ID                                                                                \
    {                                                                                              \
        .name = "calendar_id", .def = "primary", .summary = "Calendar, by its id or \"primary\""   \
    }

static const struct set_arg user_args[] = {WORKSPACE_USER};
static const struct set_arg get_args[] = {
    WORKSPACE_USER,
    CALENDAR_ID,
    {.name = "event_id", .summary = "Id of the one event; the other arguments don't count then"},
    {.name = "time_min", .summary = "Begin, as 2026-03-12T09:30:00Z or 2026-03-12; else now"},
    {.name = "time_max", .summary = "End, written like the begin"},
    {.name = "max_results", .type = ARG_INTEGER, .def = "25", .summary = "Events at most"},
    {.name = "query", .summary = "Words in title, text or place"},
    {.name = "detailed", .type = ARG_BOOLEAN, .def = "false", .summary = "With text and guests"},
    {.name = "include_attachments",
     .type = ARG_BOOLEAN,
     .def = "false",
     .summary = "With files, where detailed"},
};
static const struct set_arg reminder_members[] = {
    {.name = "method", .required = true, .values = methods, .summary = "How"},
    {.name = "minutes", .type = ARG_INTEGER, .required = true, .summary = "Minutes before"},
};
static const struct set_arg manage_args[] = {
    WORKSPACE_USER,
    {.name = "action", .required = true, .values = actions, .summary = "What is done"},
    {.name = "summary", .summary = "Title"},
    {.name = "start_time", .summary = "Begin, as 2026-03-12T09:30:00Z or 2026-03-12"},
    {.name = "end_time", .summary = "End, written like the begin"},
    {.name = "event_id", .summary = "Id of the event, to update or delete it"},
    CALENDAR_ID,
    {.name = "description", .summary = "Text"},
    {.name = "location", .summary = "Where it takes place"},
    {.name = "attendees", .type = ARG_STRINGS, .json = true, .summary = "Addresses of guests"},
    {.name = "timezone", .summary = "Zone of times without an offset"},
    {.name = "add_google_meet", .type = ARG_BOOLEAN, .summary = "With a link for a video call"},
    {.name = "reminders", SET_ITEMS(reminder_members), .json = true, .summary = "Reminders"},
    {.name = "use_default_reminders", .type = ARG_BOOLEAN, .summary = "Those of the calendar"},
    {.name = "transparency", .values = transparencies, .summary = "opaque: it takes time"},
    {.name = "visibility", .values = visibilities, .summary = "Who may see its details"},
    {.name = "color_id", .summary = "Colour"},
    {.name = "guests_can_modify", .type = ARG_BOOLEAN, .summary = "May guests change it?"},
    {.name = "guests_can_invite_others", .type = ARG_BOOLEAN, .summary = "May guests invite?"},
    {.name = "guests_can_see_other_guests",
     .type = ARG_BOOLEAN,
     .summary = "May guests see each other?"},
};

#define BODY_OF_EVENT                                                                              \
    "{'summary':'$summary','start':'$start_time|moment','end':'$end_time|moment',"                 \
    "'description':'$description','location':'$location','attendees':{'$each':'$attendees',"       \
    "'$as':{'email':'$.'}},'conferenceData':'$add_google_meet|call','reminders':{'$if':"           \
    "'$reminders','$then':{'useDefault':false,'overrides':'$reminders'},'$else':{'$if':"           \
    "'$use_default_reminders','$then':{'useDefault':true}}},'transparency':'$transparency',"       \
    "'visibility':'$visibility','colorId':'$color_id','guestsCanModify':'$guests_can_modify',"     \
    "'guestsCanInviteOthers':'$guests_can_invite_others',"                                         \
    "'guestsCanSeeOtherGuests':'$guests_can_see_other_guests'}"
#define GUEST                                                                                      \
    "{'$text':['{.email}: {.responseStatus}',{'$if':'$.organizer','$then':' (organizer)'},{"       \
    "'$if':'$.optional','$then':' (optional)'}]}"
#define DETAILS                                                                                    \
    "'- Title: {.summary|or:No Title}\\n  Starts: {.start|when}\\n  Ends: {.end|when}\\n  "        \
    "Description: {.description|or:No Description}\\n  Location: {.location|or:No Location}\\n  "  \
    "Attendees: ',{'$lines':'$.attendees','$as':" GUEST "},{'$if':'$include_attachments',"         \
    "'$then':{'$text':['\\n  Attachments: ',{'$lines':'$.attachments','$as':'{.title} "            \
    "({.fileUrl}, ID: {.fileId}, {.mimeType})'}]}},'\\n  ID: {.id} | Link: {.htmlLink}'"
#define LINE                                                                                       \
    "'- \\\"{.summary|or:No Title}\\\" (Starts: {.start|when}, Ends: {.end|when}) ID: {.id} | "    \
    "Link: {.htmlLink}'"
#define SHOWN(list)                                                                                \
    "{'$lines':" list ",'$as':{'$if':'$detailed','$then':{'$text':[" DETAILS "]},'$else':" LINE "}}"

static const struct set_tool tools[] = {
    {.name = "list_calendars",
     .summary = "The calendars of the person",
     SET_ARGS(user_args),
     .steps = {{"calendar.calendarList.list", "{}"}},
     .run = workspace_run,
     .result = "{'$text':['Calendars of {user_google_email}: {0.items|count}\\n',{'$lines':"
               "'$0.items','$as':{'$text':['- \\\"{.summary}\\\"',{'$if':'$.primary','$then':' "
               "(Primary)'},' (ID: {.id})']}}]}"},
    {.name = "get_events",
     .summary = "Events of a calendar, or one of them",
     SET_ARGS(get_args),
     .steps = {{"calendar.events.get", "{'calendarId':'$calendar_id','eventId':'$event_id'}",
                .when = "event_id"},
               {"calendar.events.list",
                "{'calendarId':'$calendar_id','timeMin':'$time_min|bound:now','timeMax':"
                "'$time_max|bound','maxResults':'$max_results','singleEvents':true,'orderBy':"
                "'startTime','q':'$query|filled'}",
                .when = "event_id|missing"}},
     .run = workspace_run,
     .result = "{'$if':'$0','$then':" SHOWN(
         "['$0']") ",'$else':{'$if':'$1.items','$then':{'$text':['Events of {user_google_email} in "
                   "{calendar_id}: {1.items|count}\\n'," SHOWN(
                       "'$1.items'") "]},'$else':'No events found in calendar {calendar_id} for "
                                     "{user_google_email}.'}}"},
    {.name = "manage_event",
     .summary = "Make, change or delete an event",
     SET_ARGS(manage_args),
     .steps = {{"calendar.events.insert",
                "{'calendarId':'$calendar_id','conferenceDataVersion':1,'body':" BODY_OF_EVENT "}",
                .when = "_create"},
               {"calendar.events.patch",
                "{'calendarId':'$calendar_id','eventId':'$event_id','conferenceDataVersion':1,"
                "'body':" BODY_OF_EVENT "}",
                .when = "_update"},
               {"calendar.events.delete", "{'calendarId':'$calendar_id','eventId':'$event_id'}",
                .when = "_delete"}},
     .run = workspace_run,
     .result = "{'$if':'$_create','$then':'Event created: {0.summary} (ID: {0.id}) for "
               "{user_google_email}. Link: {0.htmlLink}','$else':{'$if':'$_update','$then':'Event "
               "changed: {1.summary} (ID: {1.id}) for {user_google_email}. Link: {1.htmlLink}',"
               "'$else':'Event deleted: ID: {event_id}, from the calendar {calendar_id} of "
               "{user_google_email}.'}}"},
};

static const struct set_filter filters[] = {{"when", when},     {"bound", bound},
                                            {"moment", moment}, {"missing", missing},
                                            {"call", call_of},  {NULL, NULL}};

const struct set_tools workspace_calendar = {.set = SET_WORKSPACE,
                                             .service = "calendar",
                                             .closed = true,
                                             .filters = filters,
                                             .tools = tools,
                                             .n = SOSIA_LEN(tools)};
