/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of methods share, and the tables: each is in the file of its resource. */
#ifndef SOSIA_OUTLOOK_ROWS_H
#define SOSIA_OUTLOOK_ROWS_H

#include "services/mail/outlook/settings/options.h"
#include "services/mail/outlook/outlook.h"

/* Permissions. */
#define BASIC      "Mail.ReadBasic Mail.ReadBasic.All"
#define READ_BASIC BASIC " Mail.Read Mail.ReadWrite"
#define READ       "Mail.Read Mail.ReadWrite"
#define WRITE      "Mail.ReadWrite"
#define SEND       "Mail.Send Mail.Send.Shared"
/* Behind READ and WRITE; what opens other people's mailboxes opens one's own. */
#define SHARED       " Mail.Read.Shared Mail.ReadWrite.Shared"
#define SHARED_WRITE " Mail.ReadWrite.Shared"
#define SETTINGS     "MailboxSettings.Read MailboxSettings.ReadWrite"
#define SET          "MailboxSettings.ReadWrite"
/* Of what is said of users. */
#define USERS "User.Read User.ReadBasic.All User.ReadWrite User.Read.All User.ReadWrite.All"

/* Paths: of a message, in a folder or not; of the folder. */
#define MESSAGE_PATHS(rest)                                                                        \
    GRAPH_MY("/messages/{message-id}" rest), FOLDER_PATHS("/messages/{message-id}" rest)
#define FOLDER_PATHS(rest)                                                                         \
    GRAPH_MY("/mailFolders/{mailFolder-id}" rest),                                                 \
        GRAPH_MY("/mailFolders/{mailFolder-id}/childFolders/{mailFolder-id1}" rest)
/* The same of what is below /beta alone. */
#define BETA_MESSAGE_PATHS(rest)                                                                   \
    "/beta/me/messages/{message-id}" rest, "/beta/users/{user-id}/messages/{message-id}" rest,     \
        "/beta/me/mailFolders/{mailFolder-id}/messages/{message-id}" rest,                         \
        "/beta/users/{user-id}/mailFolders/{mailFolder-id}/messages/{message-id}" rest

#define USER_PARAM                                                                                 \
    {                                                                                              \
        .name = "user-id", .place = IN_PATH, .required = true                                      \
    }
#define PATH_PARAM(name_)                                                                          \
    {                                                                                              \
        .name = name_, .place = IN_PATH, .required = true                                          \
    }

/* Of a mailbox; of a folder; of a message. With the options of reading one, and of reading many. */
extern const struct param outlook_user_params[1], outlook_folder_params[3],
    outlook_message_params[4], outlook_get_params[6], outlook_list_params[10],
    outlook_folder_list_params[11], outlook_get_folder_params[6];
#define FOLDER_PARAMS PATH_PARAM("mailFolder-id"), PATH_PARAM("mailFolder-id1")

/* Bodies that are JSON or MIME. */
extern const char *const outlook_mime_types[];

extern const struct rows outlook_folder_rows, outlook_message_rows, outlook_send_rows,
    outlook_attachment_rows, outlook_delta_rows, outlook_setting_rows, outlook_rule_rows,
    outlook_category_rows, outlook_override_rows, outlook_extension_rows, outlook_upload_rows,
    outlook_folder_delta_rows, outlook_supported_rows, outlook_translate_rows, outlook_tip_rows,
    outlook_mention_rows, outlook_conversation_rows;

#endif
