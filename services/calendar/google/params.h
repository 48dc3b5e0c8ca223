/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that several methods of Google Calendar have, for rows. */
#ifndef SOSIA_CALENDAR_GOOGLE_PARAMS_H
#define SOSIA_CALENDAR_GOOGLE_PARAMS_H

#include "engine/api/route.h"

extern const char *const gcal_send_updates[]; /* the values of sendUpdates */

#define ALWAYS_INCLUDE_EMAIL                                                                       \
    {                                                                                              \
        .name = "alwaysIncludeEmail", .place = IN_QUERY, .type = PARAM_BOOL, .deprecated = true    \
    }
#define CALENDAR_ID                                                                                \
    {                                                                                              \
        .name = "calendarId", .place = IN_PATH, .required = true                                   \
    }
#define CONFERENCE_DATA_VERSION                                                                    \
    {                                                                                              \
        .name = "conferenceDataVersion", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = 1  \
    }
#define EVENT_ID                                                                                   \
    {                                                                                              \
        .name = "eventId", .place = IN_PATH, .required = true                                      \
    }
#define EVENT_LABEL_VERSION                                                                        \
    {                                                                                              \
        .name = "eventLabelVersion", .place = IN_QUERY, .type = PARAM_INT, .min = 0,               \
        .max = INT32_MAX                                                                           \
    }
#define MAX_ATTENDEES                                                                              \
    {                                                                                              \
        .name = "maxAttendees", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = INT32_MAX   \
    }
#define MAX_RESULTS                                                                                \
    {                                                                                              \
        .name = "maxResults", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = INT32_MAX     \
    }
#define SEND_NOTIFICATIONS                                                                         \
    {                                                                                              \
        .name = "sendNotifications", .place = IN_QUERY, .type = PARAM_BOOL, .deprecated = true     \
    }
#define SEND_UPDATES                                                                               \
    {                                                                                              \
        .name = "sendUpdates", .place = IN_QUERY, .type = PARAM_ENUM, .values = gcal_send_updates  \
    }
#define SUPPORTS_ATTACHMENTS                                                                       \
    {                                                                                              \
        .name = "supportsAttachments", .place = IN_QUERY, .type = PARAM_BOOL                       \
    }

#endif
