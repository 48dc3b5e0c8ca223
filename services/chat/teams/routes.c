/* SPDX-License-Identifier: Apache-2.0 */
/* Teams by Microsoft Graph: the tables of its methods, and what is common to them. */
#include "engine/text/civil.h"
#include "services/chat/teams/rows.h"

static const struct gloss glossary[] = {
    {"$count", "How many there are, too"},
    {"$deltatoken", "Of the deltaLink of the sync before"},
    {"$expand", "Related things that are answered too"},
    {"$filter", "Only those of which this holds"},
    {"$format", "The media type of the content: text/vtt"},
    {"$orderby", "By which time, as \"createdDateTime desc\""},
    {"$select", "Only these properties"},
    {"$skiptoken", "Of the nextLink of the page before"},
    {"$top", "At most so many"},
    {"callRecording-id", "The id of a recording"},
    {"callTranscript-id", "The id of a transcript"},
    {"channel-id", "The id of a channel"},
    {"chat-id", "The id of a chat"},
    {"chatMessage-id", "The id of a message"},
    {"chatMessage-id1", "The id of a reply"},
    {"chatMessageHostedContent-id", "The id of a picture in a message"},
    {"conversationMember-id", "The id of a member, as the list of members has it"},
    {"group-id", "The id of a group"},
    {"meetingAttendanceReport-id", "The id of a report of who was there"},
    {"onlineMeeting-id", "The id of an online meeting"},
    {"operation-id", "The id of an operation"},
    {"pinnedChatMessageInfo-id", "The id of a pinned message"},
    {"sharedWithChannelTeamInfo-id", "The id of a team that has the channel"},
    {"team-id", "The id of a team"},
    {"teamsApp-id", "The id of a Teams app"},
    {"teamsAppInstallation-id", "The id of an installed app"},
    {"teamsTab-id", "The id of a tab"},
    {"teamworkTag-id", "The id of a tag"},
    {"teamworkTagMember-id", "The id of somebody who has a tag"},
    {"user-id", "The id of a user, or the user principal name"},
};

static const struct graph_api api = {.workload = GRAPH_TEAMS};

/* MG-357: of an app on a team; a call without a team counts by its path. */
static const struct rate_class rates[] = {
    {.name = "Teams", .limit = 4, .period_us = US_PER_SECOND, .per_app = true, .by = "team-id"},
    {.name = NULL},
};

const struct dialect teams_dialect = {
    .name = "chat.teams",
    .title = "Microsoft Teams (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&teams_team_rows, &teams_member_rows, &teams_channel_rows, &teams_message_rows,
                     &teams_chat_rows, &teams_delta_rows, &teams_presence_rows, &teams_act_rows,
                     &teams_meeting_rows, &teams_activity_rows, &teams_tag_rows, &teams_tab_rows,
                     &teams_shared_rows, &teams_folder_rows, &teams_app_rows, &teams_clone_rows,
                     &teams_record_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = rates,
    .summary = "Teams, channels, chats, messages",
    .facts = &api,
    .tools = &teams_tools,
};
