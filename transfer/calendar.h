/* SPDX-License-Identifier: Apache-2.0 */
/* Events on their way into a calendar: the list "events" of one that is open. */
#ifndef SOSIA_TRANSFER_CALENDAR_H
#define SOSIA_TRANSFER_CALENDAR_H

#include "identity/account.h"
#include "services/calendar/core/ical/ical_read.h"
#include "transfer/impl.h"

/* Reads the file; home: the zone of times that name none. */
int transfer_ical_parse(struct transfer_in *in, const struct tz *home, struct ical *ret);
/* Writes the list; cal: with id 0 if it is new. */
int transfer_ical(struct transfer_in *in, const struct calendar *cal, const struct ical *ical);

#endif
