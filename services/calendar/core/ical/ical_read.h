/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading iCalendar objects (RFC 5545) as mail brings them (RFC 5546, RFC 6047), and files of them:
 * anybody's bytes. What is not an iCalendar object, or is larger than the limits, is refused as a
 * whole; of an object that is one, events that make no sense, and lines that nobody understands,
 * are passed over.
 *
 * The reader is our own: lines, parameters and escapes are a small grammar, the rules of series are
 * read by this core in any case, and zones must be those of the engine, not of the machine.
 */
#ifndef SOSIA_CALENDAR_ICAL_READ_H
#define SOSIA_CALENDAR_ICAL_READ_H

#include "services/calendar/core/event/event.h"

#define ICAL_MAX_BYTES  ((size_t)1 << 20)
#define ICAL_MAX_EVENTS 500
#define ICAL_MAX_GUESTS 1000 /* of an event; further ones are passed over */
#define ICAL_MAX_ZONES  20   /* likewise */
#define ICAL_MAX_UID    600
#define ICAL_MAX_ALARMS 5 /* of an event; likewise */

enum ical_method { ICAL_UNSAID, ICAL_REQUEST, ICAL_CANCEL, ICAL_REPLY, ICAL_OTHER };

struct ical_event {
    const char *uid;
    const char *summary, *description, *location, *comment; /* NULL: not said */
    const char *organizer, *organizer_name;                 /* address in normal form; NULL */
    enum cal_event_status status;
    enum cal_event_visibility visibility;
    enum cal_importance importance;
    bool free;
    int64_t sequence; /* -1: not said */
    bool timed;       /* has a start; not all answers and cancellations do */
    bool all_day, no_end;
    int64_t start_us, len_us; /* as in struct cal_event */
    const char *zone;         /* IANA name; NULL: as the calendar's, of single events */
    bool single;              /* speaks of one instance: the one that would start at original_us */
    bool original_day;
    int64_t original_us;
    const char *recurrence;      /* as in struct cal_event, zones by IANA names */
    struct cal_attendee *guests; /* each address once */
    int n_guests;
    /* Of files alone: */
    struct ical_alarm {
        int minutes; /* before the start */
        bool email;
    } alarms[ICAL_MAX_ALARMS];
    int n_alarms;
    const char *categories; /* names between commas, with escapes; NULL: none */
    enum cal_busy busy;     /* BUSY_BUSY: not said */
};

struct ical {
    enum ical_method method;
    struct ical_event *events; /* in the order of the text */
    int n_events;
    int passed_over;  /* events that make no sense */
    const char *name; /* of the calendar, as files have it; NULL: not said */
};

/* A file: any number of calendars, events, and bytes; with what a person's calendar has of an event
 * beside what an invitation says. */
struct ical_file {
    /* Properties of programs: what an event's time is (ICAL_BUSY), and that its midnights are whole
     * days (TRUE). */
    const char *busy_name, *days_name;
    size_t line; /* filled where it fails: the line of the text, from 1; 0: none of them */
};

/* Reads the first VCALENDAR of a text. home (not NULL): the zone of times that name none, and the
 * first that is tried for zones that have names of their own. Texts live in the arena. Fails with
 * INVALID. */
int ical_read(struct arena *a, const char *text, size_t len, const struct tz *home,
              struct ical *ret, struct sosia_err *err);
int ical_read_file(struct arena *a, const char *text, size_t len, const struct tz *home,
                   struct ical_file *file, struct ical *ret, struct sosia_err *err);

#endif
