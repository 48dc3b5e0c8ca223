/* SPDX-License-Identifier: Apache-2.0 */
/* Between push.c, push_send.c and socket.c. */
#ifndef SOSIA_SL_PUSH_IMPL_H
#define SOSIA_SL_PUSH_IMPL_H

#include "services/chat/slack/events/push.h"

/* Kinds of deliveries (push_send.c), which are found by name. */
#define SL_EVENT_REQUEST  "slack.event"
#define SL_EVENT_FRAME    "slack.event.frame"
#define SL_ACTION_REQUEST "slack.action"
#define SL_ACTION_FRAME   "slack.action.frame"

/* An event that has no inner object, in the place of those that are too many. */
#define SL_RATE_LIMITED "app_rate_limited"

#endif
