/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters and media that rows share. */
#include "services/mail/gmail/rows.h"

const struct media gmail_sent_medium = {.accept = "message/*", .max = GMAIL_MAX_SEND};
const struct media gmail_stored_medium = {.accept = "message/*", .max = GMAIL_MAX_INSERT};

const struct param gmail_user_params[1] = {
    USER_ID,
};

const struct param gmail_id_params[2] = {
    USER_ID,
    {.name = "id", .place = IN_PATH, .required = true},
};

const struct param gmail_list_params[6] = {
    USER_ID,
    {.name = "includeSpamTrash", .place = IN_QUERY, .type = PARAM_BOOL, .def = "false"},
    {.name = "labelIds", .place = IN_QUERY, .repeated = true},
    MAX_RESULTS,
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "q", .place = IN_QUERY},
};
