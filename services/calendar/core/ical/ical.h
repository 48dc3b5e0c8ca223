/* SPDX-License-Identifier: Apache-2.0 */
/* Events as iCalendar objects (RFC 5545) that mails carry (RFC 5546, RFC 6047), and as files. */
#ifndef SOSIA_CALENDAR_ICAL_H
#define SOSIA_CALENDAR_ICAL_H

#include "services/calendar/core/event/event.h"

/* By enum cal_busy, as programs of an office write it. */
#define ICAL_BUSY                                                                                  \
    {                                                                                              \
        "BUSY", "FREE", "TENTATIVE", "OOF", "WORKINGELSEWHERE", NULL, NULL                         \
    }

/* Adds a VCALENDAR with the event. method: "REQUEST", "REPLY", "CANCEL". Guests must be loaded;
 * only: the address of the one guest that is named (a reply), NULL: all. */
int ical_add(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
             const char *method, const char *only, struct buf *out);
/* Adds a VCALENDAR with all that is in a calendar: series with their changed instances, as they are
 * there. What ical_read_file() reads. busy_name: the property that says what an event's time is, by
 * the words of ICAL_BUSY. */
int ical_add_file(struct tx *tx, const struct calendar *cal, const char *busy_name,
                  struct buf *out);

#endif
