/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When somebody wants to be reminded, as reminders.add takes it: an epoch, seconds within a day, or
 * English: "in 15 minutes", "tomorrow at 10:30", "next friday at 3pm", "on June 5th", "every
 * weekday at 9am", "every monday and thursday", "every month on the 15th".
 */
#ifndef SOSIA_SLACK_WHEN_H
#define SOSIA_SLACK_WHEN_H

#include "services/chat/slack/team/later.h"

/* The next time after now_s (seconds since 1970) that the text says in the zone, and how it comes
 * again. false: it says none, or one that has passed or is more than five years ahead. */
bool sl_when(const char *text, const struct tz *tz, int64_t now_s, int64_t *ret_s,
             struct chat_recurrence *ret_again);

#endif
