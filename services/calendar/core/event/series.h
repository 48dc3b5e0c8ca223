/* SPDX-License-Identifier: Apache-2.0 */
/* A series of events as a walk over its instances. */
#ifndef SOSIA_CALENDAR_SERIES_H
#define SOSIA_CALENDAR_SERIES_H

#include "services/calendar/core/event/event.h"
#include "services/calendar/core/recur/recur.h"

/* How far ahead a series without an end is laid out when nobody says how far. */
#define SERIES_HORIZON (730 * US_PER_DAY)

struct series {
    struct tx *tx;
    const struct calendar *cal;
    const struct cal_event *ev; /* the series */
    const struct recur *recur;
    struct recur_iter it;
    int64_t until_us; /* instances that start here or later are left out */
    int64_t *changed; /* original starts of the changed instances, which have rows of their own */
    size_t n_changed, at;
};

/* The recurrence of a series, in the arena. 0, -1: its lines are no recurrence. */
int series_parse(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                 const struct recur **ret_recur);
/* Begins with the first instance that starts at from_us or later (INT64_MIN: the first) and stops
 * at until_us. Times are the series' own: of an all-day one midnights as if in UTC. ev must stay.
 */
int series_open(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                int64_t from_us, int64_t until_us, struct series *ret);
/* The start of the next instance that nobody changed; false: no more. */
bool series_next(struct series *s, int64_t *ret_start_us);
/* Makes the instance that starts at start_us of the series. The key is in the arena. */
void series_make(const struct series *s, int64_t start_us, struct cal_event *ret);

#endif
