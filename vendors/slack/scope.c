/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes that tokens may have (docs.slack.dev, scopes). */
#include "vendors/slack/slack.h"
#include <string.h>

const char *const slack_scopes[] = {
    "app_configurations:read",
    "app_configurations:write",
    "app_mentions:read",
    "assistant:write",
    "authorizations:read",
    "bookmarks:read",
    "bookmarks:write",
    "calls:read",
    "calls:write",
    "canvases:read",
    "canvases:write",
    "channels:history",
    "channels:join",
    "channels:manage",
    "channels:read",
    "channels:write",
    "channels:write.invites",
    "channels:write.topic",
    "chat:write",
    "chat:write.customize",
    "chat:write.public",
    "code_channels:manage",
    "commands",
    "connections:write",
    "conversations.connect:manage",
    "conversations.connect:read",
    "conversations.connect:write",
    "dnd:read",
    "dnd:write",
    "email",
    "emoji:read",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "groups:write",
    "groups:write.invites",
    "groups:write.topic",
    "identity.avatar",
    "identity.basic",
    "identity.email",
    "identity.team",
    "identity:read",
    "im:history",
    "im:read",
    "im:write",
    "im:write.topic",
    "incoming-webhook",
    "links.embed:write",
    "links:read",
    "links:write",
    "lists:read",
    "lists:write",
    "metadata.message:read",
    "mpim:history",
    "mpim:read",
    "mpim:write",
    "mpim:write.topic",
    "openid",
    "pins:read",
    "pins:write",
    "profile",
    "reactions:read",
    "reactions:write",
    "reminders:read",
    "reminders:write",
    "remote_files:read",
    "remote_files:share",
    "remote_files:write",
    "seamless.user",
    "search:read",
    "search:read.files",
    "search:read.im",
    "search:read.mpim",
    "search:read.private",
    "search:read.public",
    "search:read.users",
    "stars:read",
    "stars:write",
    "team.billing:read",
    "team.preferences:read",
    "team:read",
    "usergroups:read",
    "usergroups:write",
    "users.profile:read",
    "users.profile:write",
    "users:read",
    "users:read.email",
    "users:write",
    NULL,
};

/* Others that programs may be granted. */
static const char *const further[] = {
    "admin",
    "admin.analytics:read",
    "admin.app_activities:read",
    "admin.apps:read",
    "admin.apps:write",
    "admin.barriers:read",
    "admin.barriers:write",
    "admin.conversations:read",
    "admin.conversations:write",
    "admin.invites:read",
    "admin.invites:write",
    "admin.roles:read",
    "admin.roles:write",
    "admin.teams:read",
    "admin.teams:write",
    "admin.usergroups:read",
    "admin.usergroups:write",
    "admin.users:read",
    "admin.users:write",
    "admin.workflows:read",
    "admin.workflows:write",
    "auditlogs:read",
    "bot",
    "channels:write.invites",
    "chat:write:bot",
    "chat:write:user",
    "datastore:read",
    "datastore:write",
    "files:write:user",
    "identify",
    "mpim:write.invites",
    "none",
    "tokens.basic",
    "triggers:read",
    "triggers:write",
    "users.profile:write:user",
    "workflow.steps:execute",
    NULL,
};

/* Those that only people's tokens have, bots' tokens, and tokens of neither; a star stands for the
 * rest of a name. */
static const char *const of_people[] = {
    "admin*",
    "auditlogs:read",
    "channels:write",
    "chat:write:*",
    "dnd:write",
    "email",
    "files:write:*",
    "identify",
    "identity*",
    "openid",
    "profile",
    "search:read*",
    "stars:*",
    "users.profile:write*",
    NULL,
};
static const char *const of_bots[] = {
    "app_mentions:read", "assistant:write",        "bot",
    "channels:join",     "channels:manage",        "chat:write.customize",
    "chat:write.public", "code_channels:manage",   "conversations.connect:*",
    "datastore:*",       "metadata.message:read",  "none",
    "triggers:*",        "workflow.steps:execute", NULL,
};
static const char *const of_neither[] = {
    "app_configurations:*",
    "authorizations:read",
    "connections:write",
    NULL,
};

static bool in(const char *const *list, const char *scope, size_t len)
{
    for (; *list; list++) {
        size_t n = strcspn(*list, "*");
        if ((*list)[n] ? len >= n && memcmp(*list, scope, n) == 0
                       : len == n && memcmp(*list, scope, n) == 0)
            return true;
    }
    return false;
}

bool slack_is_scope(const char *scope, size_t len, bool bot)
{
    return (in(slack_scopes, scope, len) || in(further, scope, len)) &&
           !in(of_neither, scope, len) && !in(bot ? of_people : of_bots, scope, len);
}
