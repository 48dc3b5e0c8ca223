/* SPDX-License-Identifier: Apache-2.0 */
/* When people want quiet: by their schedule, and for a while (snooze). */
#ifndef SOSIA_SLACK_WEB_QUIET_H
#define SOSIA_SLACK_WEB_QUIET_H

#include "services/chat/slack/sl.h"

struct sl_quiet {
    bool enabled, forever;
    int64_t from, to, snooze_s;
    int64_t skipped_s; /* the stretch that ends then was ended early */
};

/* All 0 for people who never said anything. 0, -1. */
int sl_quiet_read(struct call *c, int64_t user, struct sl_quiet *ret);
/* Stores it, but for the times of a schedule that is there; whoever watches is notified. 0, -1. */
int sl_quiet_save(struct call *c, int64_t user, const struct sl_quiet *v);
/* The stretch of quiet that is on or comes next, by the person's clock; 1 and 1 without any. */
void sl_quiet_next(struct call *c, const struct chat_user *u, const struct sl_quiet *v,
                   int64_t *ret_from, int64_t *ret_to);

#endif
