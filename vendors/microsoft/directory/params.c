/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that several methods of the directory share, and their words. */
#include "vendors/microsoft/directory/rows.h"

#define KEY(name_)                                                                                 \
    {                                                                                              \
        .name = (name_), .place = IN_PATH, .required = true                                        \
    }
#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = "$" name_, .place = IN_QUERY                                                       \
    }

const struct param dir_user_params[1] = {KEY("user-id")};
const struct param dir_group_params[2] = {KEY("group-id"), KEY("object-id")};
const struct param dir_either_params[3] = {KEY("user-id"), KEY("group-id"), KEY("object-id")};
const struct param dir_get_params[7] = {
    KEY("user-id"),      KEY("group-id"),  KEY("object-id"), KEY("organization-id"),
    KEY("principal-id"), OPTION("expand"), OPTION("select")};
const struct param dir_list_params[10] = {
    KEY("user-id"),   KEY("group-id"),   KEY("object-id"), OPTION("count"),  OPTION("expand"),
    OPTION("filter"), OPTION("orderby"), OPTION("search"), OPTION("select"), OPTION("top")};

const struct gloss dir_glossary[DIR_GLOSSARY] = {
    {"$count", "Whether how many there are is given"},
    {"$expand", "Which relationships are given with it"},
    {"$filter", "Only what this expression holds for"},
    {"$orderby", "By which members, as \"displayName desc\""},
    {"$search", "What is searched: \"displayName:ada\", in double quotes"},
    {"$select", "Which members are given"},
    {"$top", "How many are given at most"},
    {"group-id", "Id of the group"},
    {"object-id", "Id of the user or group"},
    {"organization-id", "Id of the tenant"},
    {"principal-id", "Id of the service principal"},
    {"size", "Its size: 48x48 to 648x648"},
    {"user-id", "Id or user principal name of the user"},
};
