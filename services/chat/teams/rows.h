/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of methods share: permissions, paths, parameters. */
#ifndef SOSIA_TEAMS_ROWS_H
#define SOSIA_TEAMS_ROWS_H

#include "services/chat/teams/teams.h"

#define GROUPS       " Group.Read.All Group.ReadWrite.All"
#define GROUPS_WRITE " Group.ReadWrite.All"
#define DIRECTORY    " Directory.Read.All Directory.ReadWrite.All"
#define TEAM_BASIC                                                                                 \
    "Team.ReadBasic.All TeamSettings.Read.All TeamSettings.ReadWrite.All" GROUPS DIRECTORY
#define TEAM_READ                                                                                  \
    "Team.ReadBasic.All TeamSettings.Read.All TeamSettings.ReadWrite.All" GROUPS DIRECTORY
#define TEAM_WRITE    "TeamSettings.ReadWrite.All" GROUPS_WRITE " Directory.ReadWrite.All"
#define TEAM_CREATE   "Team.Create" GROUPS_WRITE " Directory.ReadWrite.All"
#define MEMBERS_READ  "TeamMember.Read.All TeamMember.ReadWrite.All" GROUPS DIRECTORY
#define MEMBERS_WRITE "TeamMember.ReadWrite.All TeamMember.ReadWriteNonOwnerRole.All"
#define CHANNEL_READ                                                                               \
    "Channel.ReadBasic.All ChannelSettings.Read.All ChannelSettings.ReadWrite.All" GROUPS DIRECTORY
#define CHANNEL_CREATE        "Channel.Create" GROUPS_WRITE " Directory.ReadWrite.All"
#define CHANNEL_WRITE         "ChannelSettings.ReadWrite.All" GROUPS_WRITE " Directory.ReadWrite.All"
#define CHANNEL_DELETE        "Channel.Delete.All" GROUPS_WRITE " Directory.ReadWrite.All"
#define CHANNEL_MEMBERS       "ChannelMember.Read.All ChannelMember.ReadWrite.All"
#define CHANNEL_MEMBERS_WRITE "ChannelMember.ReadWrite.All"
#define CHANNEL_MESSAGES      "ChannelMessage.Read.All" GROUPS
#define CHANNEL_SEND          "ChannelMessage.Send" GROUPS_WRITE
#define CHANNEL_EDIT          "ChannelMessage.ReadWrite" GROUPS_WRITE
#define CHAT_BASIC                                                                                 \
    "Chat.ReadBasic Chat.Read Chat.ReadWrite Chat.ReadBasic.All Chat.Read.All Chat.ReadWrite.All"
#define CHAT_READ    "Chat.Read Chat.ReadWrite Chat.Read.All Chat.ReadWrite.All"
#define CHAT_CREATE  "Chat.Create Chat.ReadWrite"
#define CHAT_WRITE   "Chat.ReadWrite Chat.ReadWrite.All"
#define CHAT_SEND    "ChatMessage.Send Chat.ReadWrite"
#define CHAT_MEMBERS "ChatMember.Read ChatMember.ReadWrite " CHAT_BASIC
#define CHAT_MEMBERS_WRITE                                                                         \
    "ChatMember.ReadWrite Chat.ReadWrite ChatMember.ReadWrite.All Chat.ReadWrite.All"

#define TEAM    "/teams/{team-id}"
#define CHANNEL TEAM "/channels/{channel-id}"
#define CHAT    "/chats/{chat-id}"
/* A chat is found below its members too. */
#define CHAT_PATHS(rest) GRAPH(CHAT rest), GRAPH_MY(CHAT rest)

#define PATH_PARAM(name_)                                                                          \
    {                                                                                              \
        .name = name_, .place = IN_PATH, .required = true                                          \
    }
#define USER_PARAM                                                                                 \
    {                                                                                              \
        .name = "user-id", .place = IN_PATH                                                        \
    }
#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = name_, .place = IN_QUERY                                                           \
    }
#define ROW(id_, verb, paths_, handler_, risk_, ...)                                               \
    {                                                                                              \
        .id = id_, .verbs = verb, .paths = PATHS paths_, .handler = handler_, .risk = risk_,       \
        __VA_ARGS__                                                                                \
    }

#endif
