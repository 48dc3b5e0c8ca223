/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars without a vendor: what they are, who may do what with them, and each person's list and
 * settings. Times are microseconds since 1970; texts that are given out live in the transaction's
 * arena. Functions give 0 (or what is said) and -1 with tx->err filled. What this core refuses has
 * a reason (enum cal_reason), which dialects put into their vendor's words.
 */
#ifndef SOSIA_CALENDAR_H
#define SOSIA_CALENDAR_H

#include "engine/text/tz.h"
#include "identity/identity.h"

extern const struct sosia_core calendar_core;

enum cal_role { CAL_NONE, CAL_FREEBUSY, CAL_READ, CAL_WRITE, CAL_OWN };
#define CAL_ROLE_NAMES                                                                             \
    {                                                                                              \
        "none", "freebusy", "reader", "writer", "owner", NULL                                      \
    }

/* What a rule gives beyond its role. */
enum cal_beyond {
    CAL_TITLES = 1,   /* with CAL_FREEBUSY: what is there and where, but for private events */
    CAL_DELEGATE = 2, /* with CAL_WRITE: for the owner, whose meetings they answer */
    CAL_PRIVATE = 4   /* with CAL_WRITE: private events, where the vendor hides them from writers */
};

struct cal_vendor;

struct calendar {
    int64_t id;
    int64_t owner;           /* an actor; 0: it is a group's, or is made */
    int64_t app;             /* that made it; 0: no program, APP_NONE: one without an app */
    int64_t account;         /* whose it is; 0: none is named */
    const char *vendor_name; /* of the account; NULL: the engine's first */
    const char *key, *summary, *description, *location, *zone, *extra;
    const struct tz *tz;
    const struct cal_vendor *vendor; /* vendor.h */
    const char *address;             /* by which guests and organizers know it */
    bool main; /* the account's primary calendar: its address is the owner's */
    bool gone;
    int64_t created_us, updated_us, change;
    int64_t newest, newest_us; /* the newest change of an event in it: its number and time */
    enum cal_role role;        /* of the actor it was opened for */
    unsigned beyond;           /* ... bits of enum cal_beyond */
};

/* One that its vendor makes, without a row. */
static inline bool calendar_is_made(const struct calendar *cal)
{
    return cal->id < 0;
}

/* Kinds of events (engine/world/event.h); their scope: a calendar. */
#define CHANGED_EVENTS "calendar.events"
#define CHANGED_ACCESS "calendar.acl"

/* ---- refusals ---- */

enum cal_reason {
    CAL_NO_REASON,      /* it failed in another way */
    CAL_NO_CALENDAR,    /* NOT_FOUND: there is none, or the actor may see nothing of it */
    CAL_LESSER_ROLE,    /* FORBIDDEN; err->where: the word of the role that is needed */
    CAL_KEY_USED,       /* CONFLICT: an event has or had this key in the calendar */
    CAL_NOT_ORGANIZER,  /* FORBIDDEN: the organizer alone may do it */
    CAL_MOVED_INSTANCE, /* INVALID: an instance goes nowhere without its series */
    CAL_BAD_RECURRENCE, /* INVALID */
    CAL_NO_SUCH_TIME,   /* INVALID: not within the years 1 to 9999 */
    CAL_DELETED,        /* GONE */
    CAL_BAD_POSITION,   /* INVALID: no place of this list */
    CAL_TOO_MANY,       /* LIMIT */
    CAL_REASONS
};
/* Refuses for the reason, with a sentence for people. Gives -1. */
int cal_fail(struct tx *tx, enum cal_reason reason, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
enum cal_reason cal_reason_of(const struct sosia_err *err);

/* ---- calendars ---- */

/* The next number of the change counter. */
int calendar_change(struct tx *tx, int64_t *ret);
/* When something that was changed at old_us is changed now: always later than before. */
static inline int64_t calendar_touch(const struct tx *tx, int64_t old_us)
{
    return tx->now_us > old_us ? tx->now_us : old_us + 1;
}

/* 1 found, 0 not; the role is not filled. Deleted calendars are found by id only. */
int calendar_by_key(struct tx *tx, const char *key, struct calendar *ret);
int calendar_by_id(struct tx *tx, int64_t id, struct calendar *ret);
/* The primary one of the account to which the actor's address leads. */
int calendar_of(struct tx *tx, int64_t actor, struct calendar *ret);
int calendar_of_account(struct tx *tx, int64_t account, struct calendar *ret);
int calendar_of_account_row(struct tx *tx, const struct account *account, struct calendar *ret);
/* The one that an address leads to: a person's primary one, or another by its own address. */
int calendar_by_address(struct tx *tx, const char *address, struct calendar *ret);

/* That of a group, whose address is its key: it has no owner, and only calendar_by_id() and this
 * find it. Who may do what with it is the dialect's to say. 1, 0. */
int calendar_of_group(struct tx *tx, const char *address, struct calendar *ret);
/* Makes it, at a vendor. In: key, summary, zone (NULL: UTC). */
int calendar_add_group(struct tx *tx, const char *vendor, struct calendar *cal);
static inline bool calendar_is_groups(const struct calendar *cal)
{
    return !cal->owner && !calendar_is_made(cal);
}

/* The next calendar of an account that is not deleted, in the order of ids; after 0: the first. 1,
 * 0. */
int calendar_next(struct tx *tx, const struct account *account, int64_t after,
                  struct calendar *ret);

/* The id of a calendar that is not deleted, by its key, and the key by the id: for whoever keeps
 * one of them. */
extern struct sql_text calendar_id_of_key, calendar_key_of_id;

/* What the actor may do with it. */
int calendar_role(struct tx *tx, const struct calendar *cal, const struct actor *who,
                  enum cal_role *ret);
/* Fills role and beyond of the calendar with it. 0, -1. */
int calendar_open_for(struct tx *tx, struct calendar *cal, const struct actor *who);
/* Opens a calendar for `who`, who needs a role in it: CAL_NO_CALENDAR, CAL_LESSER_ROLE. */
int calendar_open(struct tx *tx, const struct actor *who, const char *key, enum cal_role need,
                  struct calendar *ret);

/* The primary calendar of a new account: all that an account's vendor gives it is the dialect's to
 * add. In: summary. 0, -1. */
int calendar_add_main(struct tx *tx, const struct account *account, const struct actor *who,
                      struct calendar *cal);
/* Gives a primary calendar whose key was made another one; another such calendar that has it gets
 * the key that this one had. CONFLICT: some other calendar has it. */
int calendar_rekey(struct tx *tx, struct calendar *cal, const char *key);
/* A new calendar on its owner's list. key NULL: one is made. In: owner, account (0: that of the
 * owner's primary one), key, summary, description, location, zone (NULL: UTC), extra. */
int calendar_add(struct tx *tx, struct calendar *cal);
/* Stores what differs from old: summary, description, location, zone, extra, owner; nothing if
 * nothing does. */
int calendar_save(struct tx *tx, const struct calendar *old, struct calendar *cal);
/* Deletes a secondary calendar, its events (their guests' copies are cancelled) and its places on
 * lists. */
int calendar_delete(struct tx *tx, const struct calendar *cal);
/* Takes all events out. */
int calendar_clear(struct tx *tx, const struct calendar *cal);

/* ---- access ---- */

enum cal_access_kind { ACCESS_PERSON = 1, ACCESS_GROUP, ACCESS_DOMAIN, ACCESS_ALL };

struct cal_access {
    int64_t id; /* 0: an owner's, which is nowhere stored */
    enum cal_access_kind kind;
    const char *who; /* "" of ACCESS_ALL */
    enum cal_role role;
    unsigned beyond; /* bits of enum cal_beyond */
    int64_t updated_us, change;
};

/* 1 found (also with role CAL_NONE: removed), 0 not. The owner's own rule, and that of a secondary
 * calendar for itself, by its key, are not stored but made here. */
int cal_access_find(struct tx *tx, const struct calendar *cal, enum cal_access_kind kind,
                    const char *who, struct cal_access *ret);
/* The rule of a row; *ret_calendar: whose it is. 1, 0. */
int cal_access_by_id(struct tx *tx, int64_t id, int64_t *ret_calendar, struct cal_access *ret);
/* Sets the rule of (kind, who) to its role, and what goes with that beyond it; fills the rest. A
 * person who gets less than reading loses nothing else: the calendar stays on the list. */
int cal_access_set(struct tx *tx, const struct calendar *cal, struct cal_access *rule);
/* Removes the rule that its owner had before owning it: the owner has all rights without one. */
int cal_access_drop_owner(struct tx *tx, const struct calendar *cal);
/* How many rules there are, without the owner's and removed ones. */
int cal_access_count(struct tx *tx, const struct calendar *cal, int64_t *ret);
/* When the newest change of a stored rule was (0: there is none), and the last change of those
 * before since_us: later ones are never earlier than the newest before them was. */
int cal_access_since(struct tx *tx, const struct calendar *cal, int64_t since_us,
                     int64_t *ret_newest, int64_t *ret_after);
/* The change of the first rule, which nobody made; stored ones have positive changes. */
#define ACCESS_FIRST (-2)
/* Rules with a change above `after`, oldest change first, at most `limit`; removed ones only if
 * asked for. */
int cal_access_list(struct tx *tx, const struct calendar *cal, int64_t after, bool removed,
                    size_t limit, struct cal_access **ret, size_t *ret_n);

#endif
