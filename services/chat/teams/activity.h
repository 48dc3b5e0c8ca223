/* SPDX-License-Identifier: Apache-2.0 */
/* What programs have put into people's feeds of activity. */
#ifndef SOSIA_TEAMS_ACTIVITY_H
#define SOSIA_TEAMS_ACTIVITY_H

#include "engine/state/stored.h"
#include "services/chat/teams/teams.h"

struct teams_activity {
    int64_t workspace; /* of documents alone */
    int64_t id, user, sender, at_us;
    const char *key, *kind, *topic, *preview, *parameters;
};
extern struct stored teams_activity_stored;
/* Puts one into the world, with a key where it has none. 0, -1. */
int teams_activity_add(struct tx *tx, struct teams_activity *a);

#endif
