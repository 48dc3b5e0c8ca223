/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar, by Microsoft Graph, on the calendar core: what the files of this folder share.
 */
#ifndef SOSIA_CALENDAR_OUTLOOK_H
#define SOSIA_CALENDAR_OUTLOOK_H

#include "engine/service.h"
#include "services/calendar/core/list.h"
#include "services/calendar/core/vendor.h"
#include "services/calendar/outlook/rule.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"
#include "vendors/microsoft/store_id.h"

extern const struct dialect calendar_outlook;
extern const struct dialect_tools ocal_tools;
extern const struct sosia_core calendar_outlook_core;
extern const struct cal_vendor ocal_vendor;
extern const struct provision ocal_provisions[];
extern const struct entity_view ocal_views[];
extern const struct graph_feed ocal_feed;     /* feed.c */
extern const struct graph_finder ocal_finder; /* find.c */

#define OCAL_PAGE       10
#define OCAL_MAX_PAGE   1000
#define OCAL_MAX_GUESTS 500 /* MG-413 */

/* ---- at.c: whose calendar a call is about ---- */

struct ocal_at {
    struct call *c;
    struct graph_user user;
    struct graph_store store;
    struct calendar cal; /* with the caller's role; of a call about one event, the one it is in */
    const char *base;    /* of contexts: "users('u')", "users('u')/calendars('id')" */
    const struct tz *tz; /* of times in answers */
    const char *zone;    /* as answers name it */
    bool text;           /* bodies are answered as text */
    bool basic;          /* ocal_is_basic() */
    const struct odata_query *query; /* what of events is asked for; NULL: all */
    bool no_links;                   /* without the members calendar@odata... (MG-403) */
    bool all_kept;                   /* with what programs keep, asked for or not */
    int attached;     /* are there attachments in the world? 0 not known, 1, -1 none */
    uint32_t view;    /* of items that were written before (again.c); 0: not known */
    const char *link; /* of the calendar; NULL: not made yet */
    int64_t series;   /* of the last occurrence, and its id */
    const char *series_id;
    int64_t made; /* the event that the call made, no occurrence, and its id; 0: none */
    const char *made_id;
    bool bare_time;           /* of deltas: the type of entries is written */
    enum cal_role group_role; /* it is a group's: what the caller may do there (group.c); else 0 */
};
/* The calendar of the path; need: the role in it. 0, -1. */
int ocal_open(struct call *c, enum cal_role need, struct ocal_at *ret);
/* Of a call about one event, which ocal_event() finds with its calendar. */
int ocal_open_for_event(struct call *c, enum cal_role need, struct ocal_at *ret);
/* The same without a calendar: of lists of calendars. */
int ocal_open_user(struct call *c, struct ocal_at *ret);
/* Has the caller no more than the permission to read what is basic of events: no bodies, previews,
 * attachments, extensions and extended properties? */
bool ocal_is_basic(const struct call *c);
/* Of a user that is known, without looking at how bodies are wanted. */
int ocal_at_user(struct call *c, const struct graph_user *user, struct ocal_at *ret);
/* Takes up how bodies are wanted. */
void ocal_read_body_type(struct ocal_at *at);
/* "users" or "groups": where paths and contexts of the calendar's begin. */
static inline const char *ocal_set(const struct ocal_at *at)
{
    return at->group_role ? "groups" : "users";
}
/* What the caller may do with a calendar of the path's user: fills its role. 0, -1 refused. */
int ocal_may(struct ocal_at *at, enum cal_role need, struct calendar *cal);
/* The event of the path ("event-id"), with guests; at->cal is the calendar that it is in. 0, -1. */
int ocal_event(struct ocal_at *at, enum cal_role need, struct cal_event *ret);
/* The same with its row, where the event is one that is stored; it has no data otherwise. */
int ocal_event_row(struct ocal_at *at, enum cal_role need, struct record *row,
                   struct cal_event *ret);
/* Are there attachments of events in the world? 1, 0, -1. */
int ocal_any_attachments(struct ocal_at *at);
/* Is it there for people: neither deleted nor taken away? */
bool ocal_shows(const struct cal_event *ev);
/* A failure of the core in Graph's words. -1. */
int ocal_refused(struct call *c);
/* 400 ErrorPropertyValidationFailure; what must be what goes to the journal. -1. */
int ocal_invalid(struct call *c, const char *member, const char *expected);
/* OData's options of the call, for a type ("event"). 0, -1. */
int ocal_options(struct call *c, const char *type, struct odata_query *ret);
/* The writer leaves out what is not selected; list: things are in "value". Before anything is
 * written. 0, -1. */
int ocal_select(struct call *c, const struct odata_query *q, bool list);
/* Answers with a number as text. 0. */
int ocal_answer_count(struct call *c, size_t n);
/* The instants of the options startDateTime and endDateTime, or of the function's parameters. 0,
 * -1 refused. */
int ocal_window(struct call *c, int64_t *ret_min, int64_t *ret_max);

/* ---- group.c: the calendar of a group, of rows "outlook.groups..." ---- */

/* Is a call about one? */
static inline bool ocal_of_group(const struct call *c)
{
    return c->route && strncmp(c->route->id, "outlook.groups.", 15) == 0;
}
/* That of the path's group, which is made when it is to be written to. 0, -1. */
int ocal_open_group(struct call *c, enum cal_role need, struct ocal_at *ret);
/* ---- ids ---- */

const char *ocal_calendar_id(const struct ocal_at *at, int64_t calendar);
/* Of an instance: of its series, and its day. */
const char *ocal_event_id(const struct ocal_at *at, const struct cal_event *ev);
const char *ocal_etag(const struct ocal_at *at, int64_t change);
/* The rowid in an id of a calendar: 1, 0 it is another's, -1 it is not an id. */
int ocal_calendar_of_id(const struct ocal_at *at, const char *id, int64_t *ret);
/* The day on its series' wall clock on which an instance was first; days since 1970. */
int64_t ocal_original_day(const struct ocal_at *at, const struct cal_event *ev);

/* ---- extra.c: what the service keeps beside the core's members ---- */

/* ev->extra read; NULL: nothing. */
const struct json *ocal_extra(struct arena *a, const struct cal_event *ev);
/* Sets a member of an object (NULL: an empty one) to a JSON text; NULL takes it out. */
void ocal_object_set(struct arena *a, const char **object, const char *member, const char *json);
void ocal_extra_set(struct arena *a, struct cal_event *ev, const char *member, const char *json);
void ocal_extra_set_str(struct arena *a, struct cal_event *ev, const char *member,
                        const char *text);
/* A string as JSON. */
const char *ocal_quoted(struct arena *a, const char *text);

/* ---- text.c ---- */

const char *ocal_text_of_html(struct arena *a, const char *html);
/* Text, or a piece of HTML, as the page that answers have. */
const char *ocal_page_of_text(struct arena *a, const char *text);
const char *ocal_page_of_html(struct arena *a, const char *html);
/* The first characters of a text. */
const char *ocal_preview(struct arena *a, const char *text);

/* ---- render.c ---- */

/* An event as a member or item (key), or as the call's answer with its context (answer). */
int ocal_write_event(struct ocal_at *at, const char *key, struct cal_event *ev);
/* Its members but for links, and the links, into an open object. */
int ocal_write_members(struct ocal_at *at, struct cal_event *ev);
void ocal_write_links(struct ocal_at *at);
/* Both, which are not written again where they were before (again.c); row: the event's alone, or
 * NULL. */
int ocal_write_linked(struct ocal_at *at, struct cal_event *ev, const struct record *row);
/* As an item of a list, likewise. */
int ocal_write_item(struct ocal_at *at, struct cal_event *ev, const struct record *row);
/* With its context, e.g. "/events/$entity" behind at->base. */
int ocal_answer_event(struct ocal_at *at, const char *what, struct cal_event *ev);
int ocal_answer_row(struct ocal_at *at, const char *what, struct cal_event *ev,
                    const struct record *row);
/* {"dateTime":..., "timeZone":...} */
void ocal_write_time(const struct ocal_at *at, const char *key, bool all_day, int64_t us);
/* An instant without trailing zeros: "2026-05-04T09:21:38.8798Z". */
void ocal_write_instant(struct json_writer *w, const char *key, int64_t us);
void ocal_write_recipient(struct json_writer *w, const char *key, const char *name,
                          const char *address);
/* The subject of what a reader may not see (MG-543). */
#define OCAL_CONCEALED "Private Appointment"
extern const char *const ocal_busy_words[], *const ocal_sensitivities[],
                                                *const ocal_importances[], *const ocal_responses[];
/* The name that goes with an address. */
int ocal_name_of(struct tx *tx, const char *address, const char *name, const char **ret);
/* What a recurrence is as an object: members "pattern" and "range". */
void ocal_write_rule(struct json_writer *w, const struct ocal_rule *r, const char *zone);
/* The pattern of a series: 1, 0 it has none that can be said. */
int ocal_rule_of(struct arena *a, const struct calendar *cal, const struct cal_event *ev,
                 struct ocal_rule *ret);

/* ---- parse.c, parse_rule.c ---- */

/* Applies the call's body to an event: old NULL for a new one. */
int ocal_read_event(struct ocal_at *at, const struct cal_event *old, struct cal_event *ev);
/* {"dateTime","timeZone"}: the instant, or of a day the midnight as if in UTC. *ret_zone: IANA;
 * *ret_name: as it was sent. */
int ocal_read_time(struct call *c, const struct json *v, const char *member, bool all_day,
                   int64_t *ret_us, const char **ret_zone, const char **ret_name);
/* The member "recurrence": sets ev->recurrence, and its start to the first day of the pattern. */
int ocal_read_rule(struct ocal_at *at, const struct json *v, struct cal_event *ev);
/* A series whose start was changed, and not its recurrence, begins with the first day of the
 * pattern from the new start on. */
int ocal_keep_rule(struct ocal_at *at, const struct cal_event *old, struct cal_event *ev);

/* ---- list.c ---- */

struct ocal_found {
    struct cal_event *list;
    size_t n, cap;
};
/* Events that a query of the core gives and that are there for people; the filter of at->query, if
 * any, holds for them. want: no more than this many; 0: all. */
int ocal_find(struct ocal_at *at, struct cal_event_query *q, size_t want, struct ocal_found *ret);
/* Lets a query give all events: cancelled ones too, whose copies stay; whenever they were changed.
 */
void ocal_want_all(struct cal_event_query *q);
/* Single events and series: occurrences come with their series. */
bool ocal_is_listed(const struct cal_event *ev);
/* An event as JSON, for expressions about it; NULL: failed. */
const struct json *ocal_event_json(struct ocal_at *at, struct cal_event *ev);

/* ---- remove.c ---- */

/* Cancels or deletes for the caller, whatever the part in the event is. */
int ocal_remove(struct ocal_at *at, struct cal_event *ev, const char *comment);

/* ---- message.c: meetings in messages ---- */

struct graph_calendar;
struct graph_meeting;
extern const struct graph_calendar ocal_meeting_record;
/* The event of a meeting in a user's calendar, for a caller who may see it; fills *at: 1, 0, -1. */
int ocal_message_event(struct call *c, const struct graph_user *user, const struct graph_meeting *m,
                       const struct odata_query *q, struct ocal_at *at, struct cal_event *ev);
/* The words of a letter about an event (struct cal_vendor). */
int ocal_letter(struct tx *tx, const struct cal_event *ev, enum cal_letter kind,
                const char *comment, struct letter *l);

/* ---- attachments ---- */

/* Has an event attachments? 1, 0, -1. */
int ocal_has_attachments(struct ocal_at *at, const struct cal_event *ev);
/* Those of a new event's body. */
int ocal_add_attachments(struct ocal_at *at, const struct cal_event *ev, const struct json *list);
/* query: what of them is expanded; NULL: nothing. */
int ocal_write_attachments(struct ocal_at *at, const struct cal_event *ev, const char *key,
                           const struct odata_query *query);

/* ---- attachments/attached.c ---- */

/* The event that has them: a copy's origin, an unchanged occurrence's series. */
int64_t ocal_attached_to(const struct cal_event *ev);
const char *ocal_attachment_id(const struct ocal_at *at, int64_t id);
#define OCAL_MAX_ATTACHED ((int64_t)35 << 20) /* bytes of all attachments of an event (MG-50) */
struct ocal_attachment;
/* Adds one, as far as there is room, and gives it its id. 0, -1 refused. */
int ocal_attachment_add(struct call *c, struct ocal_attachment *row);

/* ---- kept.c: what programs keep with events and calendars, as texts of an object ---- */

/* An open extension, by its name or its id; NULL: there is none. */
const struct json *ocal_extension(struct arena *a, const char *object, const char *name);
/* The name that a body gives an extension. 0, -1 refused. */
int ocal_extension_name(struct call *c, const struct json *v, const char **ret);
/* Puts an extension into the object (merges: over the one that is there), or takes it out (v NULL).
 * 0, -1. */
int ocal_put_extension(struct call *c, const char *name, const struct json *v, bool merges,
                       const char **object);
/* Puts properties of the call's body, and extensions of a new event, into the object. 0, -1. */
int ocal_read_properties(struct call *c, const char **object);
int ocal_read_extensions(struct call *c, const char **object);
/* Those that are expanded; all: all that there are. 0, -1. */
int ocal_write_kept(struct call *c, const struct odata_query *q, bool all, const char *object);

/* ---- rows ---- */

extern const struct rows ocal_events, ocal_lists, ocal_answers, ocal_calendars, ocal_schedules,
    ocal_meetings, ocal_reminders, ocal_attachments, ocal_permissions, ocal_deltas, ocal_extensions,
    ocal_messages, ocal_places, ocal_uploads;

#define OCAL_BASIC "Calendars.ReadBasic Calendars.ReadBasic.All"
#define OCAL_READ                                                                                  \
    "Calendars.Read " OCAL_BASIC " Calendars.ReadWrite Calendars.Read.Shared "                     \
    "Calendars.ReadWrite.Shared"
#define OCAL_READ_DATA                                                                             \
    "Calendars.Read Calendars.ReadWrite Calendars.Read.Shared Calendars.ReadWrite.Shared"
#define OCAL_WRITE "Calendars.ReadWrite Calendars.ReadWrite.Shared"
/* Of groups' calendars: of people alone, as apps have no access to what groups keep. */
#define OCAL_GROUP_READ  "Group.Read.All Group.ReadWrite.All"
#define OCAL_GROUP_WRITE "Group.ReadWrite.All"
#define OF_GROUP(path)   GRAPH("/groups/{group-id}" path), GRAPH("/groups/{group-id}/calendar" path)
#define USER_ID                                                                                    \
    {                                                                                              \
        .name = "user-id", .place = IN_PATH, .required = true                                      \
    }
#define CALENDAR_ID                                                                                \
    {                                                                                              \
        .name = "calendar-id", .place = IN_PATH, .required = true                                  \
    }
#define GROUP_ID                                                                                   \
    {                                                                                              \
        .name = "calendarGroup-id", .place = IN_PATH, .required = true                             \
    }
#define EVENT_ID                                                                                   \
    {                                                                                              \
        .name = "event-id", .place = IN_PATH, .required = true                                     \
    }
/* Paths of what events have, in whatever way the event is named. */
#define OF_EVENT(path)                                                                             \
    GRAPH_MY("/events/{event-id}" path), GRAPH_MY("/calendar/events/{event-id}" path),             \
        GRAPH_MY("/calendars/{calendar-id}/events/{event-id}" path),                               \
        GRAPH_MY("/calendarView/{event-id}" path)
/* Paths of what calendars have: the default one's too. */
#define OF_CALENDAR(path)                                                                          \
    GRAPH_MY("/calendar" path), GRAPH_MY("/calendars/{calendar-id}" path),                         \
        GRAPH_MY("/calendarGroups/{calendarGroup-id}/calendars/{calendar-id}" path)

#endif
