/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of Google Calendar: short arguments, resources, prompts. */
#include "engine/base/codec.h"
#include "services/calendar/core/calendar.h"
#include "services/calendar/core/event/event.h"
#include "services/calendar/google/gcal.h"

#define EVENT                                                                                      \
    "body.summary body.description body.location body.start.date body.start.dateTime "             \
    "body.start.timeZone body.end.date body.end.dateTime body.end.timeZone body.attendees.email "  \
    "body.attendees.optional body.recurrence body.reminders body.visibility body.transparency "
#define PAGE "maxResults pageToken "

static const struct tool_common common[] = {
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
    {NULL},
};

/* ---- resources ---- */

static const char *const events[] = {CHANGED_EVENTS, NULL};

static int may_read_calendar(struct tx *tx, const struct watched *w, int64_t actor)
{
    struct calendar cal;
    struct actor who;
    int r = calendar_by_id(tx, w->row, &cal);
    if (r == 1)
        r = actor_by_id(tx, actor, &who);
    if (r == 1 && calendar_role(tx, &cal, &who, &cal.role) < 0)
        return -1;
    return r == 1 ? cal.role >= CAL_FREEBUSY : r;
}

static int watch(struct tx *tx, const struct call *c, const char *const *values,
                 struct watched *ret)
{
    struct calendar cal;
    bool own = strcmp(values[0], "primary") == 0;
    int r = calendar_by_key(tx, own ? c->actor.email : values[0], &cal);
    struct cal_event ev = {0};
    if (r == 1 && values[1])
        r = cal_event_find(tx, &cal, values[1], &ev);
    if (r == 1) /* an instance that nobody changed has no row of its own: its series has */
        *ret = (struct watched){.kinds = events,
                                .scope = cal.id,
                                .entity = ev.master ? 0 : ev.id,
                                .may = may_read_calendar,
                                .row = cal.id};
    return r;
}

static int watch_list(struct tx *tx, const struct call *c, struct watched *ret)
{
    static const char *const kinds[] = {GCAL_CHANGED_LIST, NULL};
    *ret = (struct watched){.kinds = kinds, .scope = c->actor.id};
    return 1;
}

static const struct tool_resource resources[] = {
    {.name = "calendar",
     .uri = "calendar://{calendarId}",
     .title = "A calendar's coming events",
     .summary = "The events of a calendar from now on, in the order in which they begin",
     .read = "/calendar/v3/calendars/{calendarId}/"
             "events?singleEvents=true&orderBy=startTime&maxResults=100&timeMin={now}",
     .list = "/calendar/v3/users/me/calendarList?maxResults=250",
     .items = "items",
     .id = "id",
     .called = "summary",
     .page = "pageToken",
     .next = "nextPageToken",
     .watch = watch},
    {.name = "event",
     .uri = "calendar://{calendarId}/events/{eventId}",
     .title = "An event",
     .summary = "One event of a calendar",
     .read = "/calendar/v3/calendars/{calendarId}/events/{eventId}",
     .watch = watch},
    {NULL},
};

/* ---- prompts ---- */

static const struct tool_prompt prompts[] = {
    {"plan_meeting",
     "Plan a meeting",
     "Find a time that suits everybody, and invite them",
     {{"people", "Addresses of those who must come", true, NULL},
      {"subject", "What it is about", true, NULL},
      {"minutes", "How long it takes", false, NULL}},
     "Plan a meeting about {subject} with {people}. It takes {minutes} minutes (30 if nothing "
     "is here). Ask for the free and busy times of all of them in the coming two weeks, mind "
     "their zones and working hours, choose the first time that suits everybody, and make the "
     "event with them as guests. Say which time you chose, and why."},
    {"prepare_day",
     "Prepare a day",
     "What is on a day, what collides, what needs a reply",
     {{"date", "The day, as 2026-11-23; today without it", false, NULL},
      {"calendar", "The calendar; the primary one without it", false, "calendar"}},
     "Look at the events of {date} (today if nothing is here) on the calendar {calendar} (the "
     "primary one if nothing is here). List them in their order with places and guests, and "
     "name those that overlap and the invitations that have no reply yet. Change nothing."},
    {NULL},
};

const struct dialect_tools gcal_tools = {
    .name = "calendar",
    .title = "Google Calendar",
    .place = 1,
    .fields = "fields",
    .compact = "prettyPrint",
    .media = "uploadType=multipart",
    .by_address = true,
    .scope = "https://www.googleapis.com/auth/calendar",
    .common = common,
    .resources = resources,
    .prompts = prompts,
    .watch_list = watch_list,
};
