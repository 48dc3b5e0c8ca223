/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_TEAMS_QUOTE_H
#define SOSIA_TEAMS_QUOTE_H

#include "services/chat/teams/teams.h"

/* The body of replyWithQuote (messageIds, replyMessage) as one that posts the answer into the open
 * chat. In the arena. 0, -1: it is refused. */
int teams_quote(struct teams_at *at, const struct json *body, const struct json **ret);

#endif
