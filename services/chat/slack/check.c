/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of Slack's tables in imported worlds must keep to besides their constraints. */
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

#define NO_SECOND(column)  column " not between 0 and 8589934591"
#define NO_INSTANT(column) column " not between 0 and 8589934591000000"
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"

/* A member of a message that is to be posted has another shape than the message's column. */
#define NO_MEMBER(column, member, type)                                                            \
    "coalesce(json_type(" column ", '$." member "'), '" type "') <> '" type "'"
#define DRAFT(member, type) " or " NO_MEMBER("message", member, type)
#define NO_DRAFT                                                                                   \
    "case when json_valid(message) then json_type(message) <> 'object'" DRAFT("text", "text")      \
        DRAFT("subtype", "text") DRAFT("blocks", "array") DRAFT("attachments", "array")            \
            DRAFT("metadata", "object") DRAFT("extra", "object") DRAFT("flags", "integer") DRAFT(  \
                "thread", "integer") " or coalesce(json_extract(message, '$.flags'), 0) not "      \
                                     "between 0 and 127 else 1 end"

const struct core_rule slack_rules[] = {
    {"slack_app", "length(key) not between 2 and 40"},
    {"slack_app", NO_JSON("setting", "object")},
    {"slack_app", NO_JSON("manifest", "object")},
    {"slack_install", NO_SECOND("installed_s")},
    {"slack_install", "user is not null and workspace <> " CHAT_SQL_USER_WORKSPACE("user")},
    {"slack_grant", "length(token) < 8"},
    {"slack_grant", NO_SECOND("expires_s")},
    {"slack_grant",
     "(select i.workspace from slack_install i where i.id = install) <> " CHAT_SQL_USER_WORKSPACE(
         "user")},
    {"slack_webhook", "length(key) not between 2 and 40"},
    {"slack_webhook", "length(secret) < 8"},
    {"slack_webhook", NO_SECOND("created_s")},
    {"slack_webhook", CHAT_SQL_CHANNEL_WORKSPACE("channel") " <> workspace"},
    {"slack_webhook", CHAT_SQL_USER_WORKSPACE("user") " <> workspace"},
    {"slack_subscription", "length(kind) not between 1 and 100"},
    {"slack_endpoint", "sent < 0 or failed < 0"},
    {"slack_endpoint", NO_SECOND("hour_s")},
    {"slack_profile_field", NO_JSON("options", "array")},
    {"slack_profile_field", "length(key) not between 2 and 40"},
    {"slack_emoji", "(url is null) = (alias is null)"},
    {"slack_emoji", "length(name) not between 1 and 100"},
    {"slack_emoji", NO_SECOND("created_s")},
    {"slack_group", "length(key) not between 2 and 40"},
    {"slack_group", NO_JSON("channels", "array")},
    {"slack_group", NO_JSON("setting", "object")},
    {"slack_group", NO_SECOND("created_s")},
    {"slack_group", NO_SECOND("updated_s")},
    {"slack_group", NO_SECOND("deleted_s")},
    {"slack_group_user",
     "(select g.workspace from slack_group g where g.id = member_of) <> " CHAT_SQL_USER_WORKSPACE(
         "user")},
    {"slack_bookmark", "length(key) not between 3 and 40"},
    {"slack_bookmark", NO_SECOND("created_s")},
    {"slack_bookmark", NO_SECOND("updated_s")},
    {"slack_star", "(channel is not null) + (message is not null) + (file is not null) <> 1"},
    {"slack_star", "message is not null and not " CHAT_SQL_IS_MESSAGE("message")},
    {"slack_star", NO_SECOND("at_s")},
    {"slack_reminder", "length(key) not between 3 and 40"},
    {"slack_reminder", NO_SECOND("at_s")},
    {"slack_reminder", NO_SECOND("complete_s")},
    {"slack_reminder", NO_JSON("recurrence", "object")},
    {"slack_scheduled", "length(key) not between 2 and 40"},
    {"slack_scheduled", NO_SECOND("at_s")},
    {"slack_scheduled", NO_SECOND("created_s")},
    {"slack_scheduled", NO_DRAFT},
    {"slack_quiet", "from_minute not between 0 and 1439"},
    {"slack_quiet", "to_minute not between 0 and 1439"},
    {"slack_quiet", NO_SECOND("snooze_s")},
    {"slack_quiet", NO_SECOND("skipped_s")},
    {"slack_file",
     "blob is not null and not exists (select 1 from blob b where b.id = slack_file.blob)"},
    {"slack_file", NO_SECOND("created_s")},
    {"slack_file", NO_SECOND("updated_s")},
    {"slack_file", "size < 0"},
    {"slack_file", "lines > 0 and snippet is null"},
    {"slack_invite", NO_SECOND("created_s")},
    {"slack_invite", NO_SECOND("updated_s")},
    {"slack_invite", NO_SECOND("expires_s")},
    {"slack_invite", "length(key) not between 2 and 40"},
    {"slack_list", NO_JSON("columns", "array")},
    {"slack_list", "case when json_valid(columns) then exists (select 1 from json_each(columns) j "
                   "where json_type(columns, j.fullkey || '.id') is not 'text') else 0 end"},
    {"slack_list", NO_JSON("description", "array")},
    {"slack_list", "(select mode from slack_file f where f.id = file) <> 'list'"},
    {"slack_list_item", NO_JSON("fields", "array")},
    {"slack_list_item", NO_SECOND("created_s")},
    {"slack_list_item", NO_SECOND("updated_s")},
    {"slack_list_item", "length(key) not between 4 and 40"},
    {"slack_list_item", "parent is not null and (select p.list from slack_list_item p where p.id = "
                        "slack_list_item.parent) <> list"},
    {"slack_export", NO_INSTANT("at_us")},
    {"slack_export", "length(key) not between 3 and 40"},
    {"slack_call", NO_JSON("people", "array")},
    {"slack_call", NO_SECOND("started_s")},
    {"slack_call", NO_SECOND("ended_s")},
    {"slack_call", "length(key) not between 2 and 40"},
    {"slack_assist", NO_JSON("loading", "array")},
    {"slack_assist", NO_JSON("prompts", "array")},
    {"slack_assist", NO_INSTANT("status_us")},
    {"slack_assist", "message <> 0 and message >> 43 <> channel"},
    {"slack_agent_channel", CHAT_SQL_CHANNEL_WORKSPACE("channel") " <> workspace"},
    {"slack_agent_channel",
     CHAT_SQL_CHANNEL_IS_DIRECT("channel") " or not " CHAT_SQL_CHANNEL_HAS_PROPERTIES("channel")},
    {"slack_agent_channel", "session is not null and length(session) not between 1 and 64"},
    {"slack_agent_channel", NO_INSTANT("origin_us")},
    {"slack_agent_channel", "(origin is null) <> (origin_us = 0)"},
    {"slack_agent_channel", NO_JSON("about", "object")},
    {"slack_agent_channel", NO_JSON("resource", "object")},
    {"slack_agent", CHAT_SQL_USER_IS_BOT("user") " = 0"},
    {"slack_agent_view", "length(key) not between 3 and 40"},
    {"slack_agent_view", "(file is null) <> (type = 'link')"},
    {"slack_agent_view", "name is null and type in ('page', 'blocks', 'document')"},
    {"slack_agent_view",
     "type = 'document' and (select mode from slack_file f where f.id = file) <> "
     "'document'"},
    {"slack_agent_view",
     "file is not null and (select f.state from slack_file f where f.id = file) "
     "<> 2"},
    {"slack_agent_view", NO_SECOND("added_s")},
    {"slack_agent_view", NO_JSON("detail", "object")},
    {"slack_agent_command", "length(name) not between 1 and 31"},
    {"slack_agent_command", "not exists (select 1 from slack_agent a where a.channel = "
                            "slack_agent_command.channel and a.user = slack_agent_command.user)"},
    {"slack_login", NO_SECOND("first_s")},
    {"slack_login", NO_SECOND("last_s")},
    {"slack_app_log", NO_SECOND("at_s")},
    {"slack_canvas", NO_JSON("content", "array")},
    {"slack_canvas", "(select mode from slack_file f where f.id = file) <> 'document'"},
    {"slack_canvas", "main and channel is null"},
    {"slack_access", "(channel is null) = (user is null)"},
    {"slack_access",
     "(select mode from slack_file f where f.id = file) not in ('document', 'list')"},
    {"slack_share", "message <> 0 and message >> 43 <> channel"},
    {NULL, NULL},
};
