/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars in the core's own terms, for programs that look at a world and not at a vendor's API: a
 * person's calendars, and the instances that are in a stretch of time. What is written is JSON.
 */
#ifndef SOSIA_CALENDAR_SHOW_H
#define SOSIA_CALENDAR_SHOW_H

#include "engine/state/found.h"
#include "sosia.h"

#define CAL_SHOWN 2500 /* instances of a calendar at once */

/* Whose: a handle or an address, and, of a person with accounts of several, the vendor (NULL: the
 * one that the address leads to). */
struct cal_shown {
    const char *actor, *vendor;
    int64_t from_us, to_us; /* of instances: they end after, and start before */
    int64_t calendar;       /* its id; 0: all of the person's */
};

/* {"vendor", "vendors", "calendars": [{"id", "key", "name", "zone", "main"}]}. Both: NOT_FOUND
 * "calendarNotFound". */
int cal_show_calendars(struct sosia_engine *e, uint64_t world, const struct cal_shown *shown,
                       struct sosia_blob *ret_json, struct sosia_err *err);
/* {"rows": [{"id", "series", "calendar", "title", "start", "end", "zone", "all_day", "status",
 * "me", "guests"}], "more"}: by calendar, then by start; times are instants, of all-day events
 * dates; more: of some calendar there are others. */
int cal_show_events(struct sosia_engine *e, uint64_t world, const struct cal_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err);

/* Events that are not cancelled, series as one, the latest first. */
found_fn cal_found;

#endif
