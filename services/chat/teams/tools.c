/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of Teams: short arguments. */
#include "services/chat/teams/teams.h"
#include "vendors/microsoft/directory/rows.h"

#define ANY_SERVICE (ACCOUNT_MAIL | ACCOUNT_CALENDAR | ACCOUNT_DRIVE | ACCOUNT_CHAT)

static const struct tool_common common[] = {
    {"teams.joinedTeams.list", ""},
    {"teams.teams.get", ""},
    {"teams.teams.create", "body.displayName body.description"},
    {"teams.members.list", ""},
    {"teams.channels.list", "$filter"},
    {"teams.channels.create", "body.displayName body.description body.membershipType"},
    {"teams.channels.messages.list", "$top $expand"},
    {"teams.channels.messages.get", ""},
    {"teams.channels.messages.create", "body.body body.subject body.importance body.mentions"},
    {"teams.replies.list", "$top"},
    {"teams.replies.create", "body.body body.mentions"},
    {"teams.chats.list", "$top $expand $filter"},
    {"teams.chats.create", "body.chatType body.topic body.members"},
    {"teams.chats.members.list", ""},
    {"teams.chats.messages.list", "$top $orderby $filter"},
    {"teams.chats.messages.create", "body.body body.mentions"},
    {"teams.chats.messages.setReaction", "body.reactionType"},
    {"teams.channels.messages.setReaction", "body.reactionType"},
    {NULL},
};

const struct dialect_tools teams_tools = {
    .name = "teams",
    .title = "Microsoft Teams",
    .place = 10,
    .fields = "$select",
    .by_address = true,
    .services = ANY_SERVICE,
    .beside = &directory_dialect,
    .common = common,
};
