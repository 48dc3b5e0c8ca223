/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of rows. */
#include "services/calendar/outlook/params.h"
#include "services/calendar/outlook/ocal.h"

#define PATH_PARAMS                                                                                \
    USER_ID, CALENDAR_ID, GROUP_ID, EVENT_ID,                                                      \
    {                                                                                              \
        .name = "id", .place = IN_PATH, .required = true                                           \
    }
#define SHAPE_PARAMS                                                                               \
    {.name = "$select", .place = IN_QUERY},                                                        \
    {                                                                                              \
        .name = "$expand", .place = IN_QUERY                                                       \
    }
#define LIST_PARAMS                                                                                \
    {.name = "$filter", .place = IN_QUERY}, {.name = "$orderby", .place = IN_QUERY},               \
        {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = OCAL_MAX_PAGE},    \
        {.name = "$skip", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},       \
    {                                                                                              \
        .name = "$count", .place = IN_QUERY, .type = PARAM_BOOL                                    \
    }
#define WINDOW_PARAMS                                                                              \
    {.name = "startDateTime", .place = IN_QUERY},                                                  \
    {                                                                                              \
        .name = "endDateTime", .place = IN_QUERY                                                   \
    }

const struct param ocal_path_params[5] = {PATH_PARAMS};
const struct param ocal_get_params[7] = {PATH_PARAMS, SHAPE_PARAMS};
const struct param ocal_list_params[12] = {PATH_PARAMS, SHAPE_PARAMS, LIST_PARAMS};
const struct param ocal_window_params[14] = {PATH_PARAMS, SHAPE_PARAMS, LIST_PARAMS, WINDOW_PARAMS};

#define GROUP_PARAMS {.name = "group-id", .place = IN_PATH, .required = true}, EVENT_ID
const struct param ocal_group_params[2] = {GROUP_PARAMS};
const struct param ocal_group_get_params[4] = {GROUP_PARAMS, SHAPE_PARAMS};
const struct param ocal_group_list_params[9] = {GROUP_PARAMS, SHAPE_PARAMS, LIST_PARAMS};
const struct param ocal_group_window_params[11] = {GROUP_PARAMS, SHAPE_PARAMS, LIST_PARAMS,
                                                   WINDOW_PARAMS};
