/* SPDX-License-Identifier: Apache-2.0 */
/* Teams apps: those that are known by name, and which are installed where, as it is kept. */
#ifndef SOSIA_TEAMS_APP_H
#define SOSIA_TEAMS_APP_H

#include "engine/state/stored.h"
#include "services/chat/teams/teams.h"

/* The apps of Microsoft's own that tabs are mostly of, NULL-terminated by id. */
struct teams_store_app {
    const char *id, *name;
};
extern const struct teams_store_app teams_store_apps[];
/* Its name; of an app that is not among them its id. */
const char *teams_app_name(const char *id);
/* The members of a teamsApp, into the open object. */
void teams_write_app(struct json_writer *w, const char *id);

/* In a team, a chat or for a user: the two others are 0. */
struct teams_installed {
    int64_t workspace; /* of documents alone */
    int64_t id, team, channel, user;
    const char *app;
};
extern struct stored teams_installed_stored;

#endif
