/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the core that change events. */
#ifndef SOSIA_CALENDAR_EVENT_IMPL_H
#define SOSIA_CALENDAR_EVENT_IMPL_H

#include "engine/store/cursor.h"
#include "services/calendar/core/event/event.h"

/* The class of length that the index event_time sorts by (list.c says why). Series and all-day
 * events have classes of their own; so have cancelled ones. */
#define SPAN_CLASSES                                                                               \
    5 /* up to 25 hours times 32 to the power of the class; the last: any length                   \
       */
#define SPAN_FACTOR      32
#define SPAN_ALL_DAY     16
#define SPAN_SERIES      32
#define SPAN_SERIES_DAYS 33
#define SPAN_CANCELLED   64
#define SPAN_FIRST       (25 * 3600 * US_PER_SECOND)
int cal_event_span(const struct cal_event *ev);
/* How long an event of a class can be. */
int64_t cal_event_span_longest(int span);
/* The next class behind `after` that the calendar has events of; -1: none. */
int cal_event_next_span(struct tx *tx, int64_t calendar, int after, int *ret);

/* ---- row.c ---- */

/* As cal_event_by_id(), for looking at many rows one after another: the texts are valid only until
 * the next call with the same record. */
int cal_event_row_get(struct tx *tx, int64_t id, struct record *rec, struct cal_event *ret);
/* All rows of all calendars, newest first; false: they can't be had like this. Then one after
 * another: 1, 0, RECORD_STATEMENT. What few events have is read of those of the calendar alone. */
bool cal_event_walk(struct tx *tx, struct table_cursor *cur);
int cal_event_walk_next(struct tx *tx, struct table_cursor *cur, int64_t calendar,
                        struct cal_event *ret);
/* ---- newest.c ---- */

/* All rows of a calendar, cancelled ones and instances too, newest first. The texts of an event are
 * valid until the next one. 1, 0. */
struct cal_newest {
    int64_t calendar;
    bool walking;            /* along the table, as long as few rows are of other calendars */
    struct table_cursor cur; /* where it walks */
    unsigned passed;         /* rows of others */
    int64_t last;            /* the row that was passed last */
    int64_t *ids;            /* in its place: those before the last */
    size_t n, at;
    struct record found;      /* by its id */
    const struct record *row; /* of the last one */
};
int cal_event_newest(struct tx *tx, int64_t calendar, struct cal_newest *ret);
int cal_event_newest_next(struct tx *tx, struct cal_newest *list, struct cal_event *ret);

/* A UID that is not the key of its event or series, '@' and a domain: those are found by the key,
 * and the index cal_event_uid has the others. */
#define UID_OF_OTHERS "rights & 2048"
/* The keys of the instances of the series with the key :key. */
#define CAL_KEYS_BELOW "key > :key || '_' and key < :key || '`'"
/* Whether an event of any calendar has this key: 1, 0, -1. */
int cal_event_key_used(struct tx *tx, const char *key);
/* The row with this UID, if it is in the index of others. 1, 0. */
int cal_event_with_uid(struct tx *tx, const struct calendar *cal, const char *uid,
                       struct cal_event *ret);
/* The row with this key: no instance that nobody changed. 1, 0. */
int cal_event_by_key(struct tx *tx, const struct calendar *cal, const char *key,
                     struct cal_event *ret);

/* Something changed in a calendar: kept with it. Whoever calls it raises the event. */
int cal_event_noted(struct tx *tx, int64_t calendar, int64_t change, int64_t updated_us);
/* Inserts or updates the row as it is; ev->id is filled by an insert. */
int cal_event_insert_row(struct tx *tx, struct cal_event *ev);
int cal_event_update_row(struct tx *tx, const struct cal_event *ev, unsigned parts);
/* The update of a guest's copy: all but what is personal, the response apart. */
int cal_event_update_copy(struct tx *tx, const struct cal_event *ev);
/* Replaces the stored guests by ev->attendees. */
int cal_event_store_attendees(struct tx *tx, struct cal_event *ev);

/* ---- compare.c ---- */

bool cal_attendee_same(const struct cal_attendee *a, const struct cal_attendee *b);

/* ---- instances.c ---- */

/* Removes what is left of an instance, of ev's key, that its series no longer had, and of its
 * copies. */
int cal_event_drop_trace(struct tx *tx, const struct cal_event *ev);
/* Gives a series and its changed instances in one calendar a new time of change. series: its row.
 */
int cal_event_touch_series(struct tx *tx, int64_t series, int64_t updated_us, int64_t change);
/* Counts the changed instances of a series anew. */
int cal_event_count_instances(struct tx *tx, int64_t series);
/* The same of its copies in calendars of guests. */
int cal_event_count_copied(struct tx *tx, int64_t series);
/* Removes the rows of a series' changed instances in one calendar, guests included, and the guests'
 * copies of them. */
int cal_event_drop_instances(struct tx *tx, int64_t series);
/* The same for a series that may be restored: its rows are cancelled and stay, asleep; the guests'
 * copies of them go. */
int cal_event_hush_instances(struct tx *tx, int64_t series);

/* ---- key.c ---- */

/* The index of the calendar's own entry among the guests; -1: none. */
int cal_event_self(const struct calendar *cal, const struct cal_event *ev);

/* ---- copy.c ---- */

/* Makes the guests' copies follow an organizer's stored event: new ones appear, old ones are
 * brought up to date, those of people who are no guests any more are cancelled. */
int cal_copies_follow(struct tx *tx, struct cal_event *ev);
/* The organizer gave it another visibility: the copies that had the one that it was have it too,
 * and others keep what their guests gave them. */
int cal_copies_see(struct tx *tx, const struct cal_event *ev, enum cal_event_visibility was);
/* A guest takes a series back: its copies of the changed instances are there again. */
int cal_copies_return(struct tx *tx, const struct cal_event *copy);
/* Something changed in an organizer's event and in all its copies: cal_event_noted() for each
 * calendar.
 */
int cal_copies_noted(struct tx *tx, int64_t origin, int64_t change);
/* The answer of the guest whose copy it is, in the calendar cal, stored with the origin (guests
 * loaded) and seen in all copies. */
int cal_copies_respond(struct tx *tx, const struct calendar *cal, struct cal_event *origin,
                       const struct cal_event *copy, const struct cal_attendee *self);

/* ---- series.c ---- */

/* Reads ev->recurrence, puts it into normal form, sets last_us. CAL_BAD_RECURRENCE. */
int series_prepare(struct tx *tx, const struct calendar *cal, struct cal_event *ev);
/* What a change of a series means for its instances that were changed before. */
int series_changed(struct tx *tx, const struct calendar *cal, const struct cal_event *old,
                   const struct cal_event *ev);
/* Of a series that is restored: its changed instances are what they were, and their guests have
 * copies of them again. */
int cal_event_wake_instances(struct tx *tx, const struct cal_event *series);
/* 1: there is an instance of the series that starts at original_us, which is filled in from the
 * series; 0. */
int series_instance(struct tx *tx, const struct calendar *cal, const struct cal_event *series,
                    int64_t original_us, struct cal_event *ret);

/* ---- away.c ---- */

/* A time of absence that declines all invitations which fall into it. */
int cal_away_declines(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                      const struct cal_event *away);

/* ---- invite.c ---- */

/* Mails to guests (or from a guest to the organizer) as by->mail says. old: before the change,
 * NULL: new. */
int cal_invite_changed(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                       const struct cal_event *old, const struct cal_event *ev, unsigned parts);

#endif
