/* SPDX-License-Identifier: Apache-2.0 */
/* Slack's Web API: the tables of its methods. */
#include "services/chat/slack/web/oauth.h"
#include "services/chat/slack/glossary.h"
#include "services/chat_slack_schemas.h" /* made of schemas.json */
#include "services/chat/slack/sl.h"
#include "services/chat/slack/events/socket.h"

extern const char chat_slack_methods[];

static const char *const prefixes[] = {"/api",     "/upload/v1", "/files-pri", "/avatars",
                                       "/link",    "/services",  "/websocket", "/_act",
                                       "/actions", "/commands",  "/app",       NULL};

static const struct slack_api api = {.granted = sl_granted, .check = sl_check};

/* Those that no method asks for by itself: they change what a method does, or are for events. */
static const char scopes[] =
    "app_configurations:read app_configurations:write app_mentions:read assistant:write "
    "authorizations:read bookmarks:read bookmarks:write calls:read calls:write canvases:read "
    "canvases:write channels:history channels:join channels:manage channels:read "
    "channels:write channels:write.invites channels:write.topic chat:write "
    "chat:write.customize chat:write.public code_channels:manage commands connections:write "
    "conversations.connect:manage conversations.connect:read conversations.connect:write "
    "datastore:read datastore:write dnd:read dnd:write email emoji:read files:read "
    "files:write groups:history groups:read groups:write groups:write.invites "
    "groups:write.topic hosting:read identity.avatar identity.basic identity.email "
    "identity.team identity:read im:history im:read im:write im:write.topic incoming-webhook "
    "links.embed:write links:read links:write lists:read lists:write metadata.message:read "
    "mpim:history mpim:read mpim:write mpim:write.topic openid pins:read pins:write profile "
    "reactions:read reactions:write reminders:read reminders:write remote_files:read "
    "remote_files:share remote_files:write seamless.user search:read search:read.files "
    "search:read.im search:read.mpim search:read.private search:read.public "
    "search:read.users stars:read stars:write team.billing:read team.preferences:read "
    "team:read triggers:read triggers:write usergroups:read usergroups:write "
    "users.profile:read users.profile:write users:read users:read.email users:write";

const struct dialect chat_slack = {
    .name = "chat.slack",
    .title = "Slack Web API",
    .vendor = &slack_vendor,
    .prefixes = prefixes,
    /* a table a line, so that two additions do not conflict */
    /* clang-format off */
    .tables = TABLES(
        &sl_activities,
        &sl_agent_canvas,
        &sl_agent_views,
        &sl_agents,
        &sl_apps,
        &sl_auth,
        &sl_assistant,
        &sl_calls,
        &sl_canvas,
        &sl_keeper,
        &sl_lists,
        &sl_logs,
        &sl_photo,
        &sl_validate,
        &sl_chat,
        &sl_connect,
        &sl_connect_teams,
        &sl_conversations,
        &sl_conversations_members,
        &sl_datastores,
        &sl_dialogs,
        &sl_distributions,
        &sl_entities,
        &sl_external_auth,
        &sl_files,
        &sl_flow_steps,
        &sl_flows,
        &sl_functions,
        &sl_history,
        &sl_hooks,
        &sl_manifests,
        &sl_marks,
        &sl_bookmarks,
        &sl_reminders,
        &sl_oauth,
        &sl_oauth_pages,
        &sl_openid,
        &sl_people,
        &sl_remote,
        &sl_rtm,
        &sl_scheduled,
        &sl_search,
        &sl_socket,
        &sl_stream,
        &sl_team,
        &sl_users,
        &sl_views,
        &sl_act_rows,
        &sl_response_rows),
    /* clang-format on */
    .schemas = chat_slack_schemas,
    .n_schemas = SOSIA_LEN(chat_slack_schemas),
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = slack_rates,
    .scopes = scopes,
    .methods = chat_slack_methods,
    .summary = "Workspaces, channels and messages",
    .facts = &api,
    .tools = &sl_tools,
};
