/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events without a vendor. An event is in one calendar. A guest who has a calendar in the world has
 * a copy in it, with the same key, that follows the organizer's event (its origin); what is
 * personal (color, reminders, whether it blocks time, own properties) belongs to the copy. Guests
 * are kept once, with the origin.
 *
 * Invariants:
 *  1. updated_us and change rise whenever something of an event changes; in a series and all its
 * changed instances they are equal.
 *  2. A cancelled event stays as a tombstone; so does a copy that its person took away, which never
 * comes back by itself.
 *  3. A changed instance has the key SERIES_STAMP, stamp being its original start, as have those
 * that nobody changed.
 */
#ifndef SOSIA_CALENDAR_EVENT_H
#define SOSIA_CALENDAR_EVENT_H

#include "engine/text/civil.h"
#include "services/calendar/core/calendar.h"

enum cal_event_form { EVENT_SINGLE, EVENT_SERIES, EVENT_INSTANCE };
enum cal_event_status { EVENT_CONFIRMED, EVENT_TENTATIVE, EVENT_CANCELLED };
enum cal_event_kind {
    KIND_DEFAULT,
    KIND_AWAY,
    KIND_FOCUS,
    KIND_PLACE,
    KIND_BIRTHDAY,
    KIND_MAIL,
    N_KINDS
};
enum cal_event_visibility {
    VISIBLE_DEFAULT,
    VISIBLE_PUBLIC,
    VISIBLE_PRIVATE,
    VISIBLE_CONFIDENTIAL,
    VISIBLE_PERSONAL /* not concealed: readers see that it is personal */
};
/* What the time of an event is to whoever looks for free time. */
enum cal_busy {
    BUSY_BUSY,
    BUSY_FREE,
    BUSY_TENTATIVE,
    BUSY_AWAY,
    BUSY_ELSEWHERE, /* the person works, at another place */
    BUSY_UNKNOWN
};
enum cal_importance { IMPORTANCE_NORMAL, IMPORTANCE_LOW, IMPORTANCE_HIGH };
/* Which invitations a time of absence or focus declines. */
enum cal_decline { DECLINE_NONE, DECLINE_NEW, DECLINE_ALL };
enum cal_response {
    RESPONSE_NO_GUEST,
    RESPONSE_NONE,
    RESPONSE_DECLINED,
    RESPONSE_TENTATIVE,
    RESPONSE_ACCEPTED
};

enum cal_event_rights {
    GUESTS_DONT_INVITE = 1,
    GUESTS_DONT_SEE_GUESTS = 2,
    GUESTS_MODIFY = 4,
    ANYONE_ADDS_SELF = 8,
    EVENT_PRIVATE_COPY = 16, /* does not follow an organizer */
    EVENT_LOCKED = 32,
    EVENT_NO_END = 64, /* the end is only there because there must be one */
    /* Not rights: a changed instance whose series is deleted. It is cancelled with it; the two bits
     * from EVENT_WAS on say what it was, for a series that is restored. */
    EVENT_ASLEEP = 128,
    EVENT_WAS = 256
};

struct cal_attendee {
    int64_t id; /* 0: not stored */
    const char *email, *name, *comment;
    enum cal_response response;
    bool optional, resource;
    int guests;
    int64_t answered_us;                  /* when the response came; 0: none did */
    int64_t proposed_us, proposed_end_us; /* another time, that the guest proposes; 0: none */
};

struct record;

struct cal_event {
    int64_t id; /* 0: not stored: new, or an instance that nobody changed */
    int64_t calendar;
    int64_t origin; /* 0: none */
    int64_t master; /* 0: none */
    const char *key;
    const char *uid; /* of iCalendar; NULL of one that is added: its calendar's vendor makes it */
    enum cal_event_form form;
    enum cal_event_status status;
    enum cal_event_kind kind;
    enum cal_event_visibility visibility;
    enum cal_response response;
    enum cal_busy busy;
    enum cal_importance importance;
    bool all_day, removed, original_day;
    unsigned rights;
    int64_t start_us, len_us; /* all-day: of midnights as if in UTC */
    int64_t last_us;          /* end of the last instance; otherwise of itself */
    int64_t original_us;      /* of an instance */
    const char *zone, *end_zone;
    int64_t sequence, created_us, updated_us, change;
    int n_attendees, n_instances;
    const char *creator, *organizer; /* NULL: the calendar's key */
    const char *organizer_name;      /* as an invitation from elsewhere has it; NULL: not said */
    const char *summary, *description, *location, *color;
    const char *reminders;          /* JSON array; NULL: the calendar's default */
    bool reminder_on;               /* one reminder, of vendors that have one */
    int64_t reminder_minutes;       /* before the start; kept while it is off */
    const char *categories;         /* JSON array of strings; NULL: none */
    enum cal_decline decline;       /* of KIND_AWAY and KIND_FOCUS */
    const char *decline_text;       /* the comment of what is declined; NULL: none */
    const char *place;              /* of KIND_PLACE: its names, for searches; NULL: none */
    const char *conference;         /* the key of the meeting on the network; NULL: none */
    const char *recurrence;         /* lines with '\n' between them; NULL: none */
    const char *own_props, *props;  /* JSON objects of strings; NULL: none */
    const char *extra;              /* JSON object that only dialects read; NULL: none */
    struct cal_attendee *attendees; /* n_attendees of them; NULL: not loaded */
};

/* Microseconds, of the kind that start_us is. */
static inline int64_t event_end(const struct cal_event *ev)
{
    return ev->start_us + ev->len_us;
}
/* Whether nothing else fits into its time. */
static inline bool event_blocks(const struct cal_event *ev)
{
    return ev->busy != BUSY_FREE && ev->busy != BUSY_ELSEWHERE;
}
/* A changed instance that is only there in case its series is restored. */
static inline bool event_is_suspended(const struct cal_event *ev)
{
    return ev->rights & EVENT_ASLEEP;
}
/* What a move left behind: only that there was something of this key. */
static inline bool event_is_trace(const struct cal_event *ev)
{
    return ev->status == EVENT_CANCELLED && ev->organizer && !ev->origin && !ev->removed;
}
/* The instant of a start or end: that of an all-day event depends on the zone. */
int64_t cal_event_instant(const struct tz *zone, bool all_day, int64_t us);
/* A key that is made of a UID, whatever that is. */
const char *cal_event_uid_key(struct tx *tx, const char *uid);
/* The key of the series that an instance belongs to. */
const char *cal_event_series_key(struct tx *tx, const struct cal_event *ev);
/* The key of the instance of a series that starts at original_us. */
const char *cal_event_instance_key(struct tx *tx, const char *series, bool all_day,
                                   int64_t original_us);

/* For whom something is done, and who gets mail about it. */
enum cal_event_mail { MAIL_NONE, MAIL_OUTSIDE, MAIL_ALL };
struct cal_event_by {
    const struct actor *who;
    enum cal_event_mail mail;
    const char *comment; /* above the text of the mail; NULL: none */
};

/* ---- reading ---- */

/* 1 found (cancelled ones too, and instances that nobody changed), 0 not. Texts live in the arena.
 */
int cal_event_find(struct tx *tx, const struct calendar *cal, const char *key,
                   struct cal_event *ret);
int cal_event_by_id(struct tx *tx, int64_t id, struct cal_event *ret);
/* The instance of a series that would start at original_us, changed or not. */
int cal_event_instance(struct tx *tx, const struct calendar *cal, const struct cal_event *series,
                       bool all_day, int64_t original_us, struct cal_event *ret);
/* Does any event have a conference with this key? 1, 0. */
int cal_conference_known(struct tx *tx, const char *key);
/* 1, 0: of a row no more than its key and its calendar. */
int cal_event_key_of(struct tx *tx, int64_t id, const char **ret_key, int64_t *ret_calendar);
/* 1, 0: by iCalendar UID, series rather than instances. */
int cal_event_by_uid(struct tx *tx, const struct calendar *cal, const char *uid,
                     struct cal_event *ret);
/* The first event of a calendar that is not cancelled and whose `extra` has this text in it; path:
 * in the member there ("$.a.b"), NULL: anywhere. 1, 0. */
int cal_event_with_extra(struct tx *tx, int64_t calendar, const char *path, const char *text,
                         struct cal_event *ret);
/* The next instance of a series that has a row of its own, cancelled ones too, by original start
 * (after_us INT64_MIN: the first). 1, 0. */
int cal_event_next_changed(struct tx *tx, int64_t series, int64_t after_us, struct cal_event *ret);
/* Adds how many properties there are (a JSON object as in own_props; NULL: none), and the bytes of
 * their names and values. */
void cal_event_count_props(struct arena *a, const char *props, size_t *n, size_t *bytes);
/* The same for the own properties of all other copies of a stored event. */
int cal_event_count_other_props(struct tx *tx, const struct cal_event *ev, size_t *n,
                                size_t *bytes);
/* What an event is made of, as bytes that are equal only if all of it is: its row as it was read,
 * and those of its guests. In the arena, or the row's own. false: it can't be had. */
bool cal_event_stored(struct tx *tx, const struct cal_event *ev, const struct record *row,
                      const void **ret, size_t *ret_n);
/* Loads ev->attendees. */
int cal_event_load_attendees(struct tx *tx, struct cal_event *ev);
/* Copies borrowed texts to the arena. */
void cal_event_keep(struct arena *a, struct cal_event *ev);

/* Whom an event's details are kept from (cal->role): private ones from readers, and from writers
 * where the vendor hides them, all but public ones from those who only see when somebody is busy.
 */
bool cal_event_concealed(const struct calendar *cal, const struct cal_event *ev);
/* Of an event whose details are kept from them: do they see what it is and where (CAL_TITLES)? */
bool cal_event_named(const struct calendar *cal, const struct cal_event *ev);

/* ---- changing ---- */

/* A new event of the calendar: an organizer's, with copies for its guests, or (EVENT_PRIVATE_COPY,
 * or an organizer given) one without copies. key NULL: one is made. CAL_KEY_USED: it ever was in
 * the calendar. */
int cal_event_add(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                  struct cal_event *ev);

/* What differs between two states of an event. */
enum cal_event_part {
    PART_SUMMARY = 1,
    PART_DESCRIPTION = 2,
    PART_LOCATION = 4,
    PART_TIME = 8,
    PART_RECURRENCE = 16,
    PART_STATUS = 32,
    PART_VISIBILITY = 64,
    PART_RIGHTS = 128,
    PART_PROPS = 256,
    PART_EXTRA = 512,
    PART_ATTENDEES = 1024, /* other than the own response */
    PART_SEQUENCE = 2048,
    PART_ORGANIZER = 4096,
    PART_IMPORTANCE = 8192,
    /* of a copy alone: */
    PART_COLOR = 1 << 16,
    PART_REMINDERS = 1 << 17,
    PART_BUSY = 1 << 18,
    PART_OWN_PROPS = 1 << 19,
    PART_RESPONSE = 1 << 20,
    PART_CATEGORIES = 1 << 21,
    PART_REMINDER = 1 << 22
};
#define PARTS_SHARED 0xffffu
unsigned cal_event_compare(const struct cal_event *a, const struct cal_event *b);

/* Stores an event that was found (old) and changed (ev); nothing if nothing differs. An instance
 * that nobody changed before becomes one that was. What an organizer changes goes to the copies; a
 * guest's response goes to the organizer and the other guests, anything else that a guest changes
 * stays with the copy. */
int cal_event_save(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                   const struct cal_event *old, struct cal_event *ev);
/* Cancels an event: for everybody if it is the organizer's, else only this copy, which counts as
 * declining. */
int cal_event_cancel(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                     struct cal_event *ev);
/* Whether the owner of the calendar that it is in is its organizer: not of somebody else's event,
 * nor of one that follows nobody. */
static inline bool event_leads(const struct cal_event *ev)
{
    return !ev->origin && !ev->organizer && !(ev->rights & EVENT_PRIVATE_COPY);
}
/* All events of a calendar, without mails. */
int cal_event_cancel_all(struct tx *tx, const struct calendar *cal);
/* What a dialect keeps of a stored event in tables of its own has changed: the event and its copies
 * have a new time and number of change. */
int cal_event_touch(struct tx *tx, int64_t id);
/* Gives an instance that nobody changed a row of its own, as it is, in its guests' calendars too:
 * for what is kept of it alone. ev: an organizer's. */
int cal_event_single_out(struct tx *tx, struct cal_event *ev);
/* Puts an organizer's event into another calendar, whose it becomes. ret: as it is there. */
int cal_event_move(struct tx *tx, const struct cal_event_by *by, const struct calendar *from,
                   struct cal_event *ev, const struct calendar *to, struct cal_event *ret);

#endif
