/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations that mail brought, taken into calendars (RFC 5546). */
#ifndef SOSIA_CALENDAR_TAKE_H
#define SOSIA_CALENDAR_TAKE_H

#include "services/calendar/core/event/event.h"

/* Takes an iCalendar object that came to somebody. A REQUEST of somebody else's puts the event into
 * their primary calendar or brings it up to date, a CANCEL cancels it there, a REPLY is a guest's
 * answer to an event that they organize. A new event comes only if the person's setting
 * hideInvitationsSetting lets it: NONE, UNKNOWN_SENDERS (from known senders), ALL (only what was
 * requested). What an invitation of this world already brought stays as it is, and so does what the
 * organizer sent a newer state of. A REPLY that the person sent answers the event in their own
 * calendar. What is not such an object changes nothing and does not fail. */
int calendar_take(struct tx *tx, const struct actor *who, struct invitation *in);

#endif
