/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a person or a room, as others see it. */
#ifndef SOSIA_OUTLOOK_SCHEDULE_H
#define SOSIA_OUTLOOK_SCHEDULE_H

#include "identity/account.h"
#include "services/calendar/outlook/ocal.h"

struct ocal_time {
    int64_t start_us, end_us;
    enum cal_busy busy;
    bool shown, is_private;         /* whether more than the time is seen */
    const char *subject, *location; /* NULL: not shown */
};
struct ocal_schedule {
    struct calendar cal;
    struct ocal_time *items;
    size_t n;
    bool too_many; /* there are more than OCAL_MOST_TIMES */
};
#define OCAL_MOST_TIMES 1000
/* The calendar that an address leads to, if the caller may see when it is busy: 1, 0 there is none,
 * or it may not be seen, -1. */
int ocal_schedule_of(struct ocal_at *at, const char *address, struct ocal_schedule *ret);
/* Its events in a stretch of time. 0, -1. */
int ocal_schedule_read(struct ocal_at *at, int64_t min_us, int64_t max_us, struct ocal_schedule *s);
/* What a stretch of time is. */
enum cal_busy ocal_schedule_at(const struct ocal_schedule *s, int64_t start_us, int64_t end_us);
/* By enum cal_busy, the gravest first: what a slot shows of several. */
extern const int ocal_busy_weights[];

#endif
