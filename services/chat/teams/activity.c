/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds of activity as they are kept; no method reads them. */
#include "services/chat/teams/activity.h"
#include "services/chat/core/form.h"

static const struct member activity_members[] = {
    CHAT_WORKSPACE_BY(struct teams_activity, user, chat_write_workspace_of_user),
    STORED_ID(struct teams_activity),
    {"id", "Its id, a GUID; made up without it", TEXT_AT(struct teams_activity, key)},
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

static int add_activity(const struct form_in *in, void *row)
{
    struct teams_activity *a = row;
    return teams_activity_add(in->tx, a);
}

int teams_activity_add(struct tx *tx, struct teams_activity *a)
{
    if (!a->key && !(a->key = teams_key(tx, CHAT_THING_TEAM, CHAT_PUBLIC)))
        return -1;
    return stored_add(tx, &teams_activity_stored, a);
}

STORED(teams_activity_stored, "A notice in somebody's feed of activity", struct teams_activity,
       activity_members, NULL, .table = "teams_activity", .key = "id", .add = add_activity);
