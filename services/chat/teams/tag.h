/* SPDX-License-Identifier: Apache-2.0 */
/* Tags and tabs, as they are kept. */
#ifndef SOSIA_TEAMS_TAG_H
#define SOSIA_TEAMS_TAG_H

#include "engine/state/stored.h"
#include "services/chat/teams/teams.h"

struct teams_tag {
    int64_t workspace; /* of documents alone */
    int64_t id, team;
    const char *key, *name, *description, *members;
};
struct teams_tab {
    int64_t workspace;
    int64_t id, channel;
    const char *key, *name, *app, *configuration;
};
extern struct stored teams_tag_stored, teams_tab_stored;

#endif
