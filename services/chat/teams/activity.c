/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds of activity as they are kept; no method reads them. */
#include "services/chat/teams/activity.h"
#include "services/chat/core/form.h"

static const struct member activity_members[] = {
    CHAT_WORKSPACE_BY(struct teams_activity, user, chat_write_workspace_of_user),
    STORED_ID(struct teams_activity),
    {"user", "Whose feed it is in", CHAT_USER_AT(struct teams_activity, user),
     .flags = MEMBER_REQUIRED},
    {"sender", "Who is shown with it; without: an app alone",
     CHAT_USER_AT(struct teams_activity, sender)},
    {"kind", "The app's type of activity", TEXT_AT(struct teams_activity, kind),
     .flags = MEMBER_REQUIRED},
    {"topic", "What it is about, as the API has it",
     KEPT_AT(struct teams_activity, topic, JSON_OBJECT), .flags = MEMBER_REQUIRED},
    {"preview", "Its text", TEXT_AT(struct teams_activity, preview)},
    {"parameters", "Values for the app's template",
     KEPT_AT(struct teams_activity, parameters, JSON_ARRAY)},
    {"at", "When it came", CHAT_INSTANT_AT(struct teams_activity, at_us)},
};
STORED(teams_activity_stored, "A notice in somebody's feed of activity", struct teams_activity,
       activity_members, NULL, .table = "teams_activity", .key = "user at");
