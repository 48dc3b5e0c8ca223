/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody does in the client. */
#ifndef SOSIA_TEAMS_ACT_H
#define SOSIA_TEAMS_ACT_H

#include "services/chat/teams/teams.h"

struct teams_deed {
    struct tx *tx;
    const struct chat_user *me;
    const struct json *args;
    struct chat_channel channel;
    struct chat_message message; /* that was posted, or is acted on */
    const char *refused;         /* NULL: it is not */
};
/* Does an act, {"post": {...}}, as d->me: 1 it is done; 0 d->refused says why not; -1. */
int teams_deed(struct teams_deed *d, const struct json *act);

#endif
