/* SPDX-License-Identifier: Apache-2.0 */
/* Events as iCalendar objects (RFC 5545) that mails carry (RFC 5546, RFC 6047). */
#ifndef SOSIA_CALENDAR_ICAL_H
#define SOSIA_CALENDAR_ICAL_H

#include "services/calendar/core/event/event.h"

/* Adds a VCALENDAR with the event. method: "REQUEST", "REPLY", "CANCEL". Guests must be loaded;
 * only: the address of the one guest that is named (a reply), NULL: all. */
int ical_add(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
             const char *method, const char *only, struct buf *out);

#endif
