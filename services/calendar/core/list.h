/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of events: those of a stretch of time, all of a calendar, what changed since, the instances
 * of a series. */
#ifndef SOSIA_CALENDAR_LIST_H
#define SOSIA_CALENDAR_LIST_H

#include "services/calendar/core/event/event.h"

enum cal_event_order {
    ORDER_START,
    ORDER_UPDATE /* by time of change, then by key */
};

struct cal_event_property {
    const char *name, *value;
};

/* All zero bytes but min_us, max_us, updated_min_us and changed: everything that is not cancelled.
 */
struct cal_event_query {
    int64_t min_us, max_us;   /* ends after, starts before; INT64_MIN, INT64_MAX: no bound */
    bool min_included;        /* ends at or after */
    bool single;              /* instances instead of series */
    bool deleted;             /* cancelled events too */
    bool no_open_invitations; /* not those that the calendar's person has not answered */
    enum cal_event_order order;
    int64_t updated_min_us; /* INT64_MIN: no bound */
    int64_t changed;  /* what changed after this number, cancelled events too; negative: all */
    const char *uid;  /* NULL: any */
    const char *text; /* all of its words occur; NULL: not asked for */
    unsigned kinds;   /* bits by enum cal_event_kind; 0: all */
    const struct cal_event_property *own_props, *props; /* one of each kind holds */
    size_t n_own_props, n_props;
    const struct cal_event *series; /* its instances alone, or a single event; NULL: all events */
    bool has_original;
    int64_t original_us;  /* the instance that would start then, with series */
    const char *position; /* where an earlier list stopped; NULL: at the start */
    size_t limit;
    bool series_rows; /* occurrences that nobody changed come with the row of their series */
};

/* Calls fn for each event of the page, with borrowed texts; row: what it is made of and nothing
 * else, as it is stored; NULL where it is not one row's. With series_rows an occurrence that nobody
 * changed (ev->id 0) may have its series' row, which it and its original start are made of. 1 from
 * fn ends the page behind this one, -1 fails. ret_position: where the next page starts (in the
 * arena), NULL if there is none. CAL_BAD_POSITION: the position is none. */
int cal_event_list(struct tx *tx, const struct calendar *cal, const struct cal_event_query *q,
                   int (*fn)(void *arg, struct cal_event *ev, const struct record *row), void *arg,
                   const char **ret_position);

/* Do all words of text occur in the event? Loads guests if need be. 1, 0, -1. */
int cal_event_matches(struct tx *tx, const struct calendar *cal, struct cal_event *ev,
                      const char *text);

#endif
