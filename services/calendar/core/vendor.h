/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the vendor of an account decides about its calendars: which UIDs and keys its events have,
 * what guests may change and what follows from it, what an event has that says nothing of it. A
 * dialect registers its record as {CALENDAR_CORE, VENDOR, record} (policies of struct sosia_core);
 * calendars find it by their vendor. A vendor without a record has that of this core (vendor.c).
 *
 * Keys: an event has one key in all calendars of its organizer's vendor, its instances have it with
 * their original start behind it; in calendars of other vendors its copies have the key that those
 * make of its UID. A dialect may show keys as its ids, or encode what it finds events by
 * (cal_event_by_id(), cal_event_instance()).
 */
#ifndef SOSIA_CALENDAR_VENDOR_H
#define SOSIA_CALENDAR_VENDOR_H

#include "services/calendar/core/event/event.h"

#define CALENDAR_CORE "calendar"

struct lister;

/* Calendars that are there without being stored: everybody may read them, nobody owns them (owner
 * 0). Their ids are negative. What gives 1 found, 0 not, -1. */
struct cal_made {
    int (*by_key)(struct tx *tx, const char *key, struct calendar *ret);
    int (*by_id)(struct tx *tx, int64_t id, struct calendar *ret);
    /* Puts such a calendar into the zone of whoever looks at it. 0, -1. */
    int (*seen_by)(struct tx *tx, struct calendar *cal, const struct actor *who);
    /* cal_event_find() and cal_event_list() of it. */
    int (*find)(struct tx *tx, const struct calendar *cal, const char *key, struct cal_event *ret);
    int (*list)(struct lister *l);
};

/* How the time of a guest's copy is before the guest says otherwise. */
enum cal_copy_time {
    COPY_BLOCKS,  /* busy, whatever the organizer has */
    COPY_ANSWERED /* tentative until the guest accepts, then as the organizer has it */
};

/* People's lists of calendars, of vendors that have such. */
enum cal_turn {
    CAL_MADE,   /* a calendar is new */
    CAL_ENDED,  /* it is deleted */
    CAL_CLOSED, /* fewer people may see it */
};
struct form_in;
struct cal_lists {
    int (*turn)(struct tx *tx, const struct calendar *cal, enum cal_turn turn);
    /* The member "lists" of a calendar (in->of) in documents: reads it; writes it if there is
     * something to be said (*ret_any is set then). 0, -1. */
    int (*seed)(const struct form_in *in);
    int (*dump)(struct tx *tx, int64_t calendar, struct json_writer *w, bool *ret_any);
    /* The ids of calendars without rows that are on a list, in the order of dumps. */
    int (*made)(struct tx *tx, int64_t **ret, size_t *ret_n);
};

/* Letters about an event with guests. */
enum cal_letter {
    CAL_LETTER_INVITES,
    CAL_LETTER_UPDATES,
    CAL_LETTER_CANCELS,
    CAL_LETTER_ANSWERS, /* a guest's, with ev->response */
};
struct letter;

struct cal_vendor {
    const char *name;

    /* ---- names ---- */

    /* The UID of an event that has none, of its key (an instance: of its series'). */
    const char *(*uid)(struct tx *tx, const char *key);
    /* The key of an event that is known by its UID. */
    const char *(*key)(struct tx *tx, const char *uid);
    /* A primary calendar's key is its owner's address; else one is made. */
    bool address_keys;
    /* How the keys of other calendars end; NULL: as people's addresses may. */
    const char *calendar_end;

    /* ---- what is kept ---- */

    /* Fills what the core reads (decline, decline_text, place, conference, organizer_name) from
     * ev->extra, which may be anybody's. NULL: the dialect fills it itself. */
    int (*read_extra)(struct tx *tx, struct cal_event *ev);
    /* The words under which events of a kind are found; NULL: none. */
    const char *kind_words[N_KINDS];
    /* ev->reminders of an all-day event that says nothing of them. */
    const char *day_reminders;
    /* An event that says nothing of it has one reminder, so long before the start; so has a guest's
     * new copy. */
    bool reminds;
    int64_t reminder_minutes;
    bool hides_private;            /* private events are concealed from writers, too */
    const struct cal_made *made;   /* NULL: none */
    const struct cal_lists *lists; /* NULL: none */

    /* ---- guests ---- */

    unsigned
        guests_never;    /* parts that a guest may not change at all: FORBIDDEN CAL_NOT_ORGANIZER */
    unsigned guests_all; /* parts that change for all when a guest with GUESTS_MODIFY changes them;
                            what else a guest changes stays with the copy */
    bool guests_invite;  /* guests may add guests, unless GUESTS_DONT_INVITE */
    enum cal_copy_time copy_time;
    bool own_visibility;  /* the visibility that a guest gave a copy stays */
    bool keeps_cancelled; /* copies of what the organizer cancelled stay until their person takes
                             them away */
    /* Whether an invitation that mail brings comes into the calendar by itself. 1, 0, -1. NULL: it
     * does. */
    int (*lets_in)(struct tx *tx, const struct actor *who, bool known);
    /* What a letter is like (subject, text, html, no_file) that goes out from a calendar; it is
     * filled as the core has it. comment: NULL, none. 0, -1. NULL: so it stays. */
    int (*letter)(struct tx *tx, const struct cal_event *ev, enum cal_letter kind,
                  const char *comment, struct letter *l);
};

/* How many vendors have records. */
size_t cal_vendors(const struct tx *tx);
/* Has the world calendars of several of them? 1, 0, -1. */
int cal_vendors_meet(struct tx *tx);
/* By name; NULL: the engine's first. Never NULL. */
const struct cal_vendor *cal_vendor_named(const struct tx *tx, const char *name);
/* The key that an event with a calendar's key has in calendars of another vendor, or the same one;
 * of an instance its series'. */
const char *cal_vendor_key(struct tx *tx, const struct cal_vendor *from,
                           const struct cal_vendor *to, const struct cal_event *ev);
/* What the time of a guest's copy is until the guest sets it. ev: the organizer's event. */
enum cal_busy cal_copy_busy(const struct cal_vendor *v, const struct cal_event *ev,
                            enum cal_response response);
/* To the lists of all vendors. 0, -1. */
int cal_lists_turn(struct tx *tx, const struct calendar *cal, enum cal_turn turn);
/* The lists that documents speak of; NULL: no vendor has any. */
const struct cal_lists *cal_lists_of(const struct tx *tx);
/* The calendar that some vendor makes, by its key, or (key NULL) by its id. 1, 0, -1. */
int cal_made_find(struct tx *tx, const char *key, int64_t id, struct calendar *ret);

#endif
