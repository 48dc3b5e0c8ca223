/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of messages about meetings (meeting_row.c). */
#ifndef SOSIA_OUTLOOK_MEETING_H
#define SOSIA_OUTLOOK_MEETING_H

#include "services/mail/outlook/outlook.h"

struct graph_calendar;
struct graph_meeting;

/* That of the world's engine; NULL: there is none. */
const struct graph_calendar *outlook_calendar(const struct tx *tx);
/* What a message says of a meeting: 1, 0 it is about none, -1. */
int outlook_meeting_get(struct tx *tx, int64_t message, struct graph_meeting *ret);
/* The request of the same meeting that came into the mailbox before a message: 1, 0, -1. */
int outlook_meeting_before(struct tx *tx, const struct mail_message *m,
                           const struct graph_meeting *of, struct graph_meeting *ret);
/* Has a request or a cancellation of the same meeting come since, that is not older than what the
 * message says? 1, 0, -1. */
int outlook_meeting_outdated(struct tx *tx, const struct mail_message *m,
                             const struct graph_meeting *of);
/* As struct graph_mail says. */
int outlook_meeting_answered(struct tx *tx, int64_t account, const char *uid, bool single,
                             int64_t original_us);

#endif
