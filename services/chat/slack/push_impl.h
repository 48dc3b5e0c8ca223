/* SPDX-License-Identifier: Apache-2.0 */
/* Between push.c and push_send.c. */
#ifndef SOSIA_SL_PUSH_IMPL_H
#define SOSIA_SL_PUSH_IMPL_H

#include "services/chat/slack/push.h"

extern const struct delivery_kind sl_event_request, sl_event_frame, sl_action_request,
    sl_action_frame, sl_check_request;

/* An event that has no inner object, in the place of those that are too many. */
#define SL_RATE_LIMITED "app_rate_limited"

/* Headers of a request whose body is there. */
void sl_sign_request(struct tx *tx, const struct delivery_attempt *a, const char *secret,
                     const char *type, struct delivery *ret);

#endif
