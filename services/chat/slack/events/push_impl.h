/* SPDX-License-Identifier: Apache-2.0 */
/* Between push.c, push_send.c and socket.c. */
#ifndef SOSIA_SL_PUSH_IMPL_H
#define SOSIA_SL_PUSH_IMPL_H

#include "services/chat/slack/events/push.h"

extern const struct delivery_kind sl_event_request, sl_event_frame, sl_action_request,
    sl_action_frame;

/* An event that has no inner object, in the place of those that are too many. */
#define SL_RATE_LIMITED "app_rate_limited"

#endif
