/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of imported worlds must keep to besides their tables' constraints. */
#include "services/chat/core/impl.h"

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

const struct core_rule chat_rules[] = {
    {"chat_workspace", "id not between 1 and 1023"},
    {"chat_workspace", "length(key) not between 2 and 40"},
    {"chat_workspace", NO_SECOND("created_s")},
    {"chat_workspace", NO_JSON("setting", "object")},
    {"chat_user", "length(key) not between 2 and 40"},
    {"chat_user", NO_JSON("fields", "object")},
    {"chat_user", NO_SECOND("updated_s")},
    {"chat_user", NO_SECOND("status_expires_s")},
    {"chat_app", "length(key) not between 2 and 40"},
    {"chat_app", NO_JSON("setting", "object")},
    {"chat_app", NO_JSON("manifest", "object")},
    {"chat_install", NO_SECOND("installed_s")},
    {"chat_install", "user is not null and workspace <> (select u.workspace from chat_user u where "
                     "u.id = user)"},
    {"chat_grant", "length(token) < 8"},
    {"chat_grant", NO_SECOND("expires_s")},
    {"chat_grant", "(select i.workspace from chat_install i where i.id = install) <> "
                   "(select u.workspace from chat_user u where u.id = user)"},
    {"chat_webhook", "length(key) not between 2 and 40"},
    {"chat_webhook", "length(secret) < 8"},
    {"chat_webhook", NO_SECOND("created_s")},
    {"chat_webhook", "(select c.workspace from chat_channel c where c.id = channel) <> workspace"},
    {"chat_webhook", "(select u.workspace from chat_user u where u.id = user) <> workspace"},
    {"chat_subscription", "length(kind) not between 1 and 100"},
    {"chat_endpoint", "sent < 0 or failed < 0"},
    {"chat_endpoint", NO_SECOND("hour_s")},
    {"chat_channel", "id not between 1 and 1048575"},
    {"chat_channel", "length(key) not between 2 and 40"},
    {"chat_channel", "(name is null) and kind < 2"},
    {"chat_channel", "(pair is null) <> (kind < 2)"},
    {"chat_channel", NO_SECOND("created_s")},
    {"chat_channel", NO_SECOND("topic_s")},
    {"chat_channel", NO_SECOND("purpose_s")},
    {"chat_channel", NO_INSTANT("updated_us")},
    {"chat_channel", NO_INSTANT("last_us")},
    {"chat_channel", NO_JSON("previous_names", "array")},
    {"chat_channel", NO_JSON("properties", "object")},
    {"chat_channel", "members <> (select count(*) from chat_member m where m.channel = "
                     "chat_channel.id)"},
    {"chat_channel", "pins <> (select count(*) from chat_pin p where p.channel = chat_channel.id)"},
    {"chat_member", NO_INSTANT("read_us")},
    {"chat_member", NO_SECOND("joined_s")},
    {"chat_message", NO_INSTANT("ts_us")},
    {"chat_message", "(id >> 10) & 8589934591 <> ts_us / 1000000"},
    {"chat_message",
     "not exists (select 1 from chat_channel c where c.id = chat_message.id >> 43)"},
    {"chat_message", "place is not null and place >> 53 <> (select c.workspace from chat_channel c "
                     "where c.id = chat_message.id >> 43)"},
    {"chat_message", "flags not between 0 and 127"},
    {"chat_message", "thread is not null and (thread >> 43 <> id >> 43 or thread > id)"},
    {"chat_message", NO_INSTANT("edited_us")},
    {"chat_message", NO_INSTANT("latest_us")},
    {"chat_message", NO_SECOND("pinned_s")},
    {"chat_message", NO_JSON("blocks", "array")},
    {"chat_message", NO_JSON("attachments", "array")},
    {"chat_message", NO_JSON("metadata", "object")},
    {"chat_message", NO_JSON("extra", "object")},
    {"chat_message", NO_JSON("repliers", "array")},
    {"chat_message", NO_JSON("reactions", "array")},
    {"chat_message", NO_JSON("files", "array")},
    {"chat_reaction", "(message is null) = (file is null)"},
    {"chat_reaction", "message is not null and not exists (select 1 from chat_message m where "
                      "m.id = message)"},
    {"chat_reaction", NO_SECOND("at_s")},
    {"chat_pin", "message >> 43 <> channel"},
    {"chat_pin", "not exists (select 1 from chat_message m where m.id = message)"},
    {"chat_profile_field", NO_JSON("options", "array")},
    {"chat_profile_field", "length(key) not between 2 and 40"},
    {"chat_emoji", "(url is null) = (alias is null)"},
    {"chat_emoji", "length(name) not between 1 and 100"},
    {"chat_emoji", NO_SECOND("created_s")},
    {"chat_group", "length(key) not between 2 and 40"},
    {"chat_group", NO_JSON("channels", "array")},
    {"chat_group", NO_JSON("setting", "object")},
    {"chat_group", NO_SECOND("created_s")},
    {"chat_group", NO_SECOND("updated_s")},
    {"chat_group", NO_SECOND("deleted_s")},
    {"chat_group_user", "(select g.workspace from chat_group g where g.id = member_of) <> "
                        "(select u.workspace from chat_user u where u.id = user)"},
    {"chat_bookmark", "length(key) not between 3 and 40"},
    {"chat_bookmark", NO_SECOND("created_s")},
    {"chat_bookmark", NO_SECOND("updated_s")},
    {"chat_star", "(channel is not null) + (message is not null) + (file is not null) <> 1"},
    {"chat_star",
     "message is not null and not exists (select 1 from chat_message m where m.id = message)"},
    {"chat_star", NO_SECOND("at_s")},
    {"chat_reminder", "length(key) not between 3 and 40"},
    {"chat_reminder", NO_SECOND("at_s")},
    {"chat_reminder", NO_SECOND("complete_s")},
    {"chat_reminder", NO_JSON("recurrence", "object")},
    {"chat_scheduled", "length(key) not between 2 and 40"},
    {"chat_scheduled", NO_SECOND("at_s")},
    {"chat_scheduled", NO_SECOND("created_s")},
    {"chat_scheduled", NO_DRAFT},
    {"chat_quiet", "from_minute not between 0 and 1439"},
    {"chat_quiet", "to_minute not between 0 and 1439"},
    {"chat_quiet", NO_SECOND("snooze_s")},
    {"chat_quiet", NO_SECOND("skipped_s")},
    {"chat_follower", NO_INSTANT("read_us")},
    {"chat_follower", "replies < 0"},
    {"chat_pin", NO_SECOND("at_s")},
    {"chat_file",
     "blob is not null and not exists (select 1 from blob b where b.id = chat_file.blob)"},
    {"chat_file", NO_SECOND("created_s")},
    {"chat_file", NO_SECOND("updated_s")},
    {"chat_file", "size < 0"},
    {"chat_canvas", NO_JSON("content", "array")},
    {"chat_canvas", "(select mode from chat_file f where f.id = file) <> 'document'"},
    {"chat_canvas", "main and channel is null"},
    {"chat_access", "(channel is null) = (user is null)"},
    {"chat_access", "(select mode from chat_file f where f.id = file) not in ('document', 'list')"},
    {"chat_share", "message <> 0 and message >> 43 <> channel"},
    {NULL, NULL},
};
