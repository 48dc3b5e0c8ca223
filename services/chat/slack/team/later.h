/* SPDX-License-Identifier: Apache-2.0 */
/* What comes later: reminders, and messages that are posted then. Look-ups and strings as in
 * chat.h. */
#ifndef SOSIA_SLACK_LATER_H
#define SOSIA_SLACK_LATER_H

#include "services/chat/core/chat.h"

#define SLACK_CORE   "chat.slack" /* of which these fall due */
#define SL_SCHEDULED "scheduled"
#define SL_REMINDER  "reminder"

/* ---- reminders (remind.c) ---- */

enum chat_every { CHAT_ONCE, CHAT_DAILY, CHAT_WEEKLY, CHAT_MONTHLY, CHAT_YEARLY };

struct chat_recurrence {
    enum chat_every every;
    unsigned weekdays; /* of CHAT_WEEKLY: 1 << 0 is Sunday; 0: that of the first time */
};

/* {"frequency": "weekly", "weekdays": ["monday"]}. 0; -1: it is none, nothing is refused. */
int chat_recurrence_read(const struct json *v, struct chat_recurrence *ret);
void chat_recurrence_write(struct json_writer *w, const char *key, const struct chat_recurrence *r);
/* The first time at or after first_s and after after_s (seconds since 1970), by the wall clock of
 * the zone. A day that a month does not have is left out. false: there is none. */
bool chat_recurs(const struct chat_recurrence *r, const struct tz *tz, int64_t first_s,
                 int64_t after_s, int64_t *ret_s);
/* A reminder falls due then: an event says so, and one that recurs falls due again. */
int chat_remind_at(struct tx *tx, int64_t reminder, int64_t at_s);
int chat_remind_never(struct tx *tx, int64_t reminder);

/* ---- posted later (schedule.c) ---- */

struct chat_scheduled {
    int64_t workspace; /* of a document's; else 0 */
    int64_t id;
    const char *key;
    int64_t channel, user, app, at_s, created_s;
    const char *message; /* JSON: text, blocks, attachments, metadata, extra, subtype, flags, thread
                            (its ts in microseconds) */
};
/* Fills id and, where they are not set, key and created_s. */
int chat_schedule(struct tx *tx, struct chat_scheduled *s);
int chat_scheduled_find(struct tx *tx, const char *key, struct chat_scheduled *ret);
/* A user's first one behind a time and an id; channel 0: in any. 1, 0, -1. */
int chat_scheduled_next(struct tx *tx, int64_t user, int64_t channel, int64_t after_s,
                        int64_t after, struct chat_scheduled *ret);
int chat_scheduled_count(struct tx *tx, int64_t channel, int64_t from_s, int64_t to_s,
                         int64_t *ret);
int chat_scheduled_delete(struct tx *tx, const struct chat_scheduled *s);

#endif
