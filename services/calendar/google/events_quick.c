/* SPDX-License-Identifier: Apache-2.0 */
/* Events from a sentence. */
#include "services/calendar/core/quickadd/quickadd.h"
#include "services/calendar/google/gcal.h"
#include <stdlib.h>

int gcal_events_quick_add(struct call *c)
{
    const char *text = param_str(c, "text");
    struct event_by by = {&c->actor, gcal_mail(c)};
    struct calendar cal;
    struct quickadd q;
    struct setting length;
    if (gcal_open(c, CAL_WRITE, &cal) < 0)
        return -1;
    if (setting_get(&c->tx, &c->actor, "defaultEventLength", &length) < 0)
        return -1;
    quickadd_parse(c->tx.arena, text, strlen(text), c->tx.now_us / US_PER_SECOND, cal.tz,
                   atoi(length.value), &q);
    struct event ev = {
        .summary = *q.summary ? q.summary : NULL,
        .location = q.location,
        .recurrence = q.recurrence,
        .all_day = q.all_day,
        .start_us = q.start_s * US_PER_SECOND,
        .len_us = (q.end_s - q.start_s) * US_PER_SECOND,
        .zone = q.all_day ? NULL : cal.zone,
        .reminders = q.all_day ? "[]" : NULL,
        .creator = strcmp(c->actor.email, cal.key) == 0 ? NULL : c->actor.email,
    };
    if (event_add(&c->tx, &by, &cal, &ev) < 0)
        return gcal_refused(c);
    return gcal_answer_event(c, &cal, &ev);
}
