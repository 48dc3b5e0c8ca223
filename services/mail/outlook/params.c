/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that several methods of Outlook Mail share. */
#include "services/mail/outlook/rows.h"

#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = "$" name_, .place = IN_QUERY                                                       \
    }

const struct param outlook_user_params[1] = {USER_PARAM};
const struct param outlook_folder_params[3] = {USER_PARAM, FOLDER_PARAMS};
const struct param outlook_message_params[4] = {USER_PARAM, FOLDER_PARAMS,
                                                PATH_PARAM("message-id")};
const struct param outlook_get_params[6] = {USER_PARAM, FOLDER_PARAMS, PATH_PARAM("message-id"),
                                            OPTION("expand"), OPTION("select")};
#define HIDDEN                                                                                     \
    {                                                                                              \
        .name = "includeHiddenFolders", .place = IN_QUERY, .summary = "true: hidden ones too"      \
    }
const struct param outlook_get_folder_params[6] = {HIDDEN, USER_PARAM, FOLDER_PARAMS,
                                                   OPTION("expand"), OPTION("select")};
const struct param outlook_folder_list_params[11] = {
    USER_PARAM,        FOLDER_PARAMS,    OPTION("count"),  OPTION("expand"), OPTION("filter"),
    OPTION("orderby"), OPTION("search"), OPTION("select"), OPTION("top"),    HIDDEN,
};

const struct param outlook_list_params[10] = {
    USER_PARAM,        FOLDER_PARAMS,    OPTION("count"),  OPTION("expand"), OPTION("filter"),
    OPTION("orderby"), OPTION("search"), OPTION("select"), OPTION("top"),
};

const char *const outlook_mime_types[] = {"application/json", "text/plain", NULL};
