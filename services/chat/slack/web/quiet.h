/* SPDX-License-Identifier: Apache-2.0 */
/* When people want quiet: by their schedule, and for a while (snooze). */
#ifndef SOSIA_SLACK_WEB_QUIET_H
#define SOSIA_SLACK_WEB_QUIET_H

#include "services/chat/slack/sl.h"
#include "services/chat/slack/team/rows.h"

/* All 0 for people who never said anything. 0, -1. */
int sl_quiet_read(struct call *c, int64_t user, struct quiet *ret);
/* Stores it, as it was read before and since changed; whoever watches is notified. 0, -1. */
int sl_quiet_save(struct call *c, int64_t user, struct quiet *v);
/* The stretch of quiet that is on or comes next, by the person's clock; 1 and 1 without any. */
void sl_quiet_next(struct call *c, const struct chat_user *u, const struct quiet *v,
                   int64_t *ret_from, int64_t *ret_to);

#endif
