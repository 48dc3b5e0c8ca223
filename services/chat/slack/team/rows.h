/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what a workspace and its people keep, by the tables of their members (store.h has them:
 * slack_group_stored, slack_bookmark_stored, slack_reminder_stored). */
#ifndef SOSIA_SLACK_TEAM_ROWS_H
#define SOSIA_SLACK_TEAM_ROWS_H

#include "services/chat/slack/store.h"

struct user_group {
    int64_t workspace, id, created_s, updated_s, created_by, updated_by;
    int64_t deleted_s, deleted_by; /* 0: it is in use */
    const char *key, *name, *handle, *description;
    const char *channels, *setting; /* JSON: keys of channels; as the API has them */
    bool external;
};

struct bookmark {
    int64_t workspace, id, channel, created_s, updated_s, updated_by, app;
    const char *key, *title, *link, *emoji, *type, *entity, *rank, *parent;
};

struct reminder {
    int64_t workspace, id, creator, user, channel, at_s, complete_s;
    const char *key, *text, *recurrence; /* JSON; NULL: it comes once */
};

struct profile_field {
    int64_t workspace, place;
    const char *key, *label, *hint, *type;
    const char *options; /* JSON; NULL: none */
    bool hidden;
};

struct quiet {
    int64_t workspace, user, snooze_s;
    int64_t skipped_s; /* the stretch that ends then was ended early */
    int from_minute, to_minute;
    bool enabled, snoozing_forever;
};

#endif
