/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of methods share, and the tables: each is in the file of its resource. */
#ifndef SOSIA_GMAIL_ROWS_H
#define SOSIA_GMAIL_ROWS_H

#include "services/mail/gmail/gmail.h"

/* Scopes. */
#define MAIL             GMAIL_SCOPE_ALL
#define ADDON_COMPOSE    GMAIL_SCOPE("addons.current.action.compose")
#define ADDON_ACTION     GMAIL_SCOPE("addons.current.message.action")
#define ADDON_METADATA   GMAIL_SCOPE("addons.current.message.metadata")
#define ADDON_READONLY   GMAIL_SCOPE("addons.current.message.readonly")
#define COMPOSE          GMAIL_SCOPE("compose")
#define INSERT           GMAIL_SCOPE("insert")
#define LABELS           GMAIL_SCOPE("labels")
#define METADATA         GMAIL_SCOPE_METADATA
#define MODIFY           GMAIL_SCOPE("modify")
#define READONLY         GMAIL_SCOPE("readonly")
#define SEND             GMAIL_SCOPE("send")
#define SETTINGS_BASIC   GMAIL_SCOPE("settings.basic")
#define SETTINGS_SHARING GMAIL_SCOPE("settings.sharing")

/* Media of messages: that are sent or drafts, and that are inserted or imported. */
extern const struct media gmail_sent_medium, gmail_stored_medium;

/* Parameters that several methods have. */
#define USER_ID                                                                                    \
    {                                                                                              \
        .name = "userId", .place = IN_PATH, .required = true, .def = "me"                          \
    }
#define MAX_RESULTS                                                                                \
    {                                                                                              \
        .name = "maxResults", .place = IN_QUERY, .type = PARAM_INT, .def = "100",                  \
        .max = UINT32_MAX, .format = "uint32"                                                      \
    }

/* All parameters: of the mailbox; of one thing in it; of a list of messages or threads. */
extern const struct param gmail_user_params[1];
extern const struct param gmail_id_params[2];
extern const struct param gmail_list_params[6];

extern const struct rows gmail_drafts_rows;
extern const struct rows gmail_profile_rows;
extern const struct rows gmail_history_rows;
extern const struct rows gmail_labels_rows;
extern const struct rows gmail_messages_rows;
extern const struct rows gmail_identities_rows;
extern const struct rows gmail_keypairs_rows;
extern const struct rows gmail_delegates_rows;
extern const struct rows gmail_filters_rows;
extern const struct rows gmail_forwarding_addresses_rows;
extern const struct rows gmail_smime_rows;
extern const struct rows gmail_send_as_rows;
extern const struct rows gmail_settings_rows;
extern const struct rows gmail_threads_rows;
extern const struct rows gmail_watch_rows;

#endif
