/* SPDX-License-Identifier: Apache-2.0 */
/* Google Calendar API v3 on the calendar core: what the files of this folder share. */
#ifndef SOSIA_CALENDAR_GOOGLE_H
#define SOSIA_CALENDAR_GOOGLE_H

#include "engine/service.h"
#include "services/calendar/core/vendor.h"
#include "vendors/google/google.h"

extern const struct dialect calendar_google;
extern const struct dialect_tools gcal_tools;
extern const char calendar_google_methods[]; /* methods.txt */
extern const struct provision gcal_provisions[];

/* ---- vendor.c: for the core ---- */

extern const struct cal_vendor gcal_vendor;
#define GCAL_MIN_KEY 5
#define GCAL_MAX_KEY 1024
/* The UID of an event of this service, of its key or its series'. */
const char *gcal_uid(struct tx *tx, const char *key);
/* The key in such a UID; NULL: it is another's. */
const char *gcal_own_uid_key(struct tx *tx, const char *uid);

/* ---- common.c: what all methods need ---- */

/* Opens the calendar that the parameter calendarId names, or another name for one, for the call's
 * actor. */
int gcal_open(struct call *c, enum cal_role need, struct calendar *ret);
int gcal_open_key(struct call *c, const char *key, enum cal_role need, struct calendar *ret);
/* Which app the caller is, for what it makes; APP_NONE: none. */
int64_t gcal_app(const struct call *c);
/* Does the actor have calendars at all? 0, or -1 with "notACalendarUser". */
int gcal_user(struct call *c);
/* Puts a failure of the core about access into Google's words. Gives -1. */
int gcal_refused(struct call *c);
/* A service account's event has guests: 403. Gives -1. */
int gcal_refuse_service(struct call *c);
/* A 400 "Bad Request", which is all that the service says: member (NULL: the body itself) must be
 * what is expected. v: what came. Gives -1. */
int gcal_mute(struct call *c, const char *member, const struct json *v, const char *expected);
const char *gcal_role(enum cal_role role);
/* maxResults within 1..max. */
size_t gcal_limit(const struct call *c, size_t otherwise, size_t max);
enum cal_event_mail gcal_mail(const struct call *c);
/* Notes whom a change reaches: the guests of an event before (NULL: there was none) and after it,
 * and the person whose event it is. 0, -1. */
int gcal_reaches(struct call *c, const struct cal_event *before, const struct cal_event *after);
/* Of rows of events: external if one of them is outside. */
int gcal_event_risk(struct call *c, enum risk *ret);

/* Etags, with their quotes, in the arena. */
const char *gcal_etag_number(struct arena *a, int64_t v); /* "123" */
const char *gcal_etag_padded(struct arena *a, int64_t v); /* 20 digits */
const char *gcal_etag_hash(struct arena *a, const char *kind, int64_t id,
                           int64_t v); /* 27 characters */
const char *gcal_etag_list(struct arena *a, const char *kind, int64_t id,
                           int64_t v); /* of collections */
static inline const char *gcal_event_etag(struct arena *a, const struct cal_event *ev)
{
    return gcal_etag_number(a, 2 * ev->updated_us);
}

/* A sync token: where in the change counter a list ended, who may do what then, and when. what:
 * what was listed. */
const char *gcal_sync_token(struct call *c, const char *what, int64_t change, int role);
/* The change that the parameter syncToken stands for: 1 given, 0 not, -1 refused (400, or 410 when
 * it is too old or the role is another one). */
int gcal_sync_from(struct call *c, const char *what, int role, int64_t *ret_change);
/* Of settings and rules of access, where a sync token is a time and nothing else: what changed at
 * it or later. newest_us: the latest change of what was listed. */
const char *gcal_since_token(struct call *c, int64_t newest_us);
/* As gcal_sync_from(). */
int gcal_since(struct call *c, int64_t *ret_us);
/* Fails if a parameter is given that may not be used with syncToken. */
#define GCAL_SYNC_UNREADABLE "Invalid sync token value."
#define GCAL_SYNC_RESTRICTED "Sync token cannot be used with other request restrictions"
int gcal_sync_alone(struct call *c, const char *const *forbidden);

/* Google's words for the core's. */
extern const char *const gcal_responses[]; /* by enum cal_response; the first is NULL */
extern const char *const gcal_statuses[];
extern const char *const gcal_visibilities[];
/* NULL: the default. */
const char *gcal_visibility(const struct cal_event *ev);
extern const char *const gcal_kinds[];

/* ---- option.c ---- */

/* What a world may choose (section googleCalendar of its seed document). Of those with words, 0 is
 * the first. */
enum gcal_option {
    GCAL_CONFERENCE,       /* in the answer to the request: made, pending */
    GCAL_EMPTY_TIME,       /* a timed event that ends when it starts: refused, taken */
    GCAL_MOVE_RESPONSE,    /* what a move answers with: the event in the source, the destination */
    GCAL_SINGLE_INSTANCES, /* instances of a single event: itself, refused */
    GCAL_UPDATE_PRIMARY,   /* calendarList.update of "primary": refused, taken */
    GCAL_UPDATE_NOTICES,   /* notificationSettings that an update leaves out: kept, cleared */
    GCAL_IMPORT_ID,        /* of the UID X@google.com: X, a hash of the UID as of others */
    GCAL_IMPORT_PRIVATE,   /* privateCopy of an import: of others' events, of those with guests */
    GCAL_PRIVATE_INVITES,  /* guestsCanInviteOthers of a private copy after an update: not, so */
    GCAL_LOOSE_DATES,      /* 2026-3-5: taken, refused */
    GCAL_OFFSET_ZONES,     /* "GMT+03:00" as an event's zone: taken, refused */
    GCAL_QUICK_WEEKDAY,    /* a weekday in a quick add: of this week, ahead */
    GCAL_QUICK_SERIES,     /* a quick add of weekdays: from today, from the first match */
    GCAL_GUESTS,           /* how many an event may have */
    GCAL_TEXT_BYTES,       /* of a summary, description or location */
    GCAL_RECURRENCE_LINES, /* of an event */
    GCAL_OPTIONS
};
int gcal_option(struct tx *tx, enum gcal_option option, int64_t *ret);
/* Is n more than the world allows of an option that is a number? 1, 0, -1. */
int gcal_option_over(struct call *c, enum gcal_option option, size_t n);
/* The section googleCalendar, and the entity of diffs. */
int gcal_options_seed(struct tx *tx, struct doc *d, const struct json *value);
int gcal_options_dump(struct tx *tx, struct json_writer *w);
void gcal_options_schema(struct json_writer *w);
int gcal_option_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
#define GCAL_OPTION_NAMES                                                                          \
    "conference emptyTime moveResponse instancesOfSingle updateOfPrimaryEntry "                    \
    "notificationsLeftOut importId importPrivateCopy privateCopyInvites unpaddedDates "            \
    "offsetZones quickAddWeekday recurrenceLines"

/* ---- listing.c, listing_seed.c: the calendars on a person's list ---- */

/* An event of the world: the list of the person (its scope) was changed. */
#define GCAL_CHANGED_LIST "calendar.list"

struct gcal_listing {
    int64_t id;
    int64_t actor;
    struct calendar cal; /* with the actor's role */
    const char *name, *color, *background, *foreground;
    bool hidden, selected, gone;
    const char *reminders, *notices; /* JSON arrays; NULL: none */
    int64_t updated_us, change;
};

/* 1 found (gone ones too), 0 not. */
int gcal_listing_find(struct tx *tx, const struct actor *who, const struct calendar *cal,
                      struct gcal_listing *ret);
/* Puts a calendar on the list, or back on it; the fields of l from name to notices are taken. */
int gcal_listing_add(struct tx *tx, struct gcal_listing *l);
int gcal_listing_save(struct tx *tx, const struct gcal_listing *old, struct gcal_listing *l);
int gcal_listing_remove(struct tx *tx, struct gcal_listing *l);
/* Takes a calendar off the lists of all who may not see it any more. */
int gcal_listings_without_right(struct tx *tx, const struct calendar *cal);
/* Entries with a change above `after`, oldest change first, at most `limit`. Deleted entries and
 * calendars come with gone set. */
int gcal_listing_list(struct tx *tx, const struct actor *who, int64_t after, size_t limit,
                      struct gcal_listing **ret, size_t *ret_n);

/* The entry of a row, with its calendar without a role, and whose it is. 1, 0. */
int gcal_listing_row(struct tx *tx, int64_t rowid, struct gcal_listing *ret, struct actor *ret_who);
/* A new account's primary calendar, as the service has it for new people. */
int gcal_listing_own(struct tx *tx, const struct calendar *cal);
/* How a person has a calendar on the list if nothing else is said: the owner's own. */
void gcal_listing_default(const struct calendar *cal, struct gcal_listing *ret);
/* What the core asks of lists (struct cal_vendor). */
extern const struct cal_lists gcal_lists;
/* For the core: a calendar was made, or is deleted, or fewer people may see it. */
int gcal_listing_turn(struct tx *tx, const struct calendar *cal, enum cal_turn turn);
/* Whether all rows are of calendars that are there: INVALID. */
int gcal_listing_check(struct tx *tx);
int gcal_listing_key(struct tx *tx, int64_t rowid, struct json_writer *w);
/* Writes an entry as its calendar's seed document has it into an open object: 1, 0 nothing is to be
 * said of it, -1. */
int gcal_listing_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

/* ---- setting.c: settings of a person ---- */

struct gcal_setting {
    const char *name, *value;
    int64_t updated_us, change;
};
#define GCAL_SETTINGS 13
/* All of them, in the order of their table, those never set with their defaults. */
int gcal_setting_all(struct tx *tx, const struct actor *who,
                     struct gcal_setting ret[GCAL_SETTINGS]);
/* 1, 0 when there is no such setting. */
int gcal_setting_get(struct tx *tx, const struct actor *who, const char *name,
                     struct gcal_setting *ret);
/* Whether it has this value, set or by default: 1, 0, -1. */
int gcal_setting_is(struct tx *tx, const struct actor *who, const char *name, const char *value);
/* Fails with INVALID for a name or a value that there is not. */
int gcal_setting_set(struct tx *tx, int64_t actor, const char *name, const char *value);
/* An event of the world: a setting of the person (its scope) was changed. */
#define GCAL_CHANGED_SETTINGS "calendar.settings"
/* The section calendarSettings, and the entity of diffs. */
int gcal_setting_seed(struct tx *tx, struct doc *d, const struct json *item);
void gcal_setting_schema(struct json_writer *w);
int gcal_settings_dump(struct tx *tx, struct json_writer *w);
int gcal_setting_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
#define GCAL_SETTING_NAMES                                                                         \
    "autoAddHangouts defaultEventLength dateFieldOrder weekStart format24HourTime "                \
    "hideInvitations hideInvitationsSetting locale remindOnRespondedEventsOnly "                   \
    "showDeclinedEvents timezone useKeyboardShortcuts hideWeekends"

/* ---- channels.c: the section calendarChannels ---- */

int gcal_channel_seed(struct tx *tx, struct doc *d, const struct json *v);
extern const struct form gcal_channel_form; /* its members */
int gcal_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

/* ---- palette.c ---- */

struct gcal_color {
    const char *background, *foreground;
};
/* By id from "1"; NULL if there is none. */
const struct gcal_color *gcal_calendar_color(const char *id);
const struct gcal_color *gcal_event_color(const char *id);
/* The color that is nearest to a pair of colors, as an id. */
const char *gcal_nearest_color(const char *background);

/* ---- render.c ---- */

/* What an attendee is and has answered: the members behind those that name somebody. */
void gcal_write_answer(struct json_writer *w, const struct cal_attendee *a);

/* For whom and how events are written. */
struct gcal_view {
    struct call *c;
    const struct calendar *cal;
    const struct tz *tz;   /* of the answer's times */
    int64_t max_attendees; /* 0: all */
    bool bare;             /* deleted events as nothing but their ids */
    bool whole;            /* deleted events with all that they had */
    const char *etag;      /* of the one event that is written; NULL: made for each */
    bool beyond;           /* set: an event was written with what is stored elsewhere */
    uint32_t kept_view;    /* of gcal_write_item(); 0: not made yet */
    struct gcal_again {    /* what is the same in most events, as it was written first */
        const char *text;  /* NULL: not yet */
        size_t len;
    } people, reminders;
};
/* timeZone and maxAttendees are taken from the call. */
int gcal_view(struct call *c, const struct calendar *cal, struct gcal_view *ret);
/* Writes an event; key NULL inside an array or at the top. */
int gcal_write_event(struct gcal_view *v, const char *key, struct cal_event *ev);
/* Writes an item of a list of events of the view's calendar, or what was written before for the
 * same; row: what the event was read from, NULL where that is not one row. All items are written at
 * one depth. */
int gcal_write_item(struct gcal_view *v, struct cal_event *ev, const struct record *row);
/* Writes the event as the call's answer, with its etag. */
int gcal_answer_event(struct call *c, const struct calendar *cal, struct cal_event *ev);
/* {"method": , "minutes": } ... as reminders and defaultReminders are. */
void gcal_write_reminders(struct json_writer *w, const char *key, const char *text);

/* ---- parse_event.c, parse_parts.c ---- */

enum gcal_mode { GCAL_INSERT, GCAL_UPDATE, GCAL_PATCH, GCAL_IMPORT };
/* Applies the call's body to an event: of an insert or import to an empty one, otherwise to old as
 * found, guests loaded. Checks everything that can be checked without other events. */
int gcal_read_event(struct call *c, const struct calendar *cal, enum gcal_mode mode,
                    const struct cal_event *old, struct cal_event *ev);
/* A list of reminders of a body as the core stores it. */
int gcal_read_reminders(struct call *c, const struct json *list, const char **ret);

/* A member of struct cal_event's extra: the event was imported by whose it is, and follows nobody
 * without being called a private copy. */
#define GCAL_OWN_IMPORT "ownImport"

/* ---- conference.c ---- */

extern const struct sosia_core calendar_google_core;
/* Sees to it that a conference that is pending is made before the next call. */
int gcal_ask_conference(struct call *c, const struct cal_event *ev);
/* The members conferenceData and hangoutLink of an event whose createRequest has been served, in
 * the arena; NULL: no memory, or no id (tx->err). */
const struct json *gcal_make_conference(struct tx *tx, const struct json *request);

/* ---- diff_view.c ---- */

extern const struct entity_view gcal_views[];
/* A start or end, as the wall clock of the zone has it (NULL: the calendar's). */
void gcal_view_time(struct json_writer *w, const char *key, const struct calendar *cal,
                    bool all_day, int64_t us, const char *zone);
/* The member recurrence, of lines with '\n' between them. */
void gcal_view_recurrence(struct json_writer *w, const char *lines);

/* ---- table_view.c ---- */

extern const struct table_view gcal_tables[];

/* ---- calendars.c ---- */

/* Whether a calendar takes invitations by itself: extra is struct calendar's, parsed; NULL: none.
 */
bool gcal_accepts(const struct json *extra);

/* ---- calendar_list.c ---- */

void gcal_write_conference_properties(struct json_writer *w);

/* ---- methods: the rows of a resource, in the file of its handlers ---- */

extern const struct rows gcal_acl, gcal_calendar_list, gcal_calendars, gcal_channels, gcal_colors,
    gcal_events, gcal_events_list, gcal_events_quick, gcal_freebusy, gcal_settings;

#endif
