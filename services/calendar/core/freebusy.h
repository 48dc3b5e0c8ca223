/* SPDX-License-Identifier: Apache-2.0 */
/* When a calendar's person is busy. */
#ifndef SOSIA_CALENDAR_FREEBUSY_H
#define SOSIA_CALENDAR_FREEBUSY_H

#include "services/calendar/core/event/event.h"

struct busy {
    int64_t start_us, end_us; /* instants */
};

/* The times between min_us and max_us that events block, merged, in order: neither free nor
 * cancelled nor declined ones. They are not cut at the bounds. Fails with LIMIT when there are more
 * than FREEBUSY_MAX of them. */
#define FREEBUSY_MAX 20000
int freebusy_list(struct tx *tx, const struct calendar *cal, int64_t min_us, int64_t max_us,
                  struct busy **ret, size_t *ret_n);
/* Does an event (or one of the next instances of a series) meet another one that blocks time in the
 * calendar? */
int cal_event_collides(struct tx *tx, int64_t calendar, const struct cal_event *ev, bool *ret);

#endif
