/* SPDX-License-Identifier: Apache-2.0 */
/* Taking an event out of the caller's calendar. */
#include "services/calendar/outlook/ocal.h"

int ocal_remove(struct ocal_at *at, struct cal_event *ev, const char *comment)
{
    struct cal_event_by by = {&at->c->actor, MAIL_ALL, comment};
    return cal_event_cancel(&at->c->tx, &by, &at->cal, ev) < 0 ? ocal_refused(at->c) : 0;
}
