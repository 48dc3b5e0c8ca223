/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: what all its methods have in common, and the tables of them. */
#include "services/calendar/outlook/ocal.h"

static const struct graph_api api = {.workload = GRAPH_OUTLOOK};

static const struct gloss glossary[] = {
    {"$count", "Whether the response says how many there are"},
    {"$expand", "What is given beside: attachments, extensions, singleValueExtendedProperties"},
    {"$filter", "Only what this expression holds for"},
    {"$orderby", "By which members, as \"start/dateTime desc\""},
    {"$select", "Which members are given"},
    {"$skip", "How many are passed over"},
    {"$top", "How many are given at most; 10 without it"},
    {"calendar-id", "Id of the calendar"},
    {"calendarGroup-id", "Id of the group of calendars"},
    {"endDateTime", "Where the stretch of time ends, in ISO 8601; UTC without an offset"},
    {"event-id", "Id of the event, or of one occurrence of a series"},
    {"extension-id", "Name of the extension"},
    {"group-id", "Id of the group"},
    {"id", "Id of the attachment or the permission"},
    {"place-id", "Id or address of the room or the list of rooms"},
    {"startDateTime", "Where the stretch of time starts, in ISO 8601; UTC without an offset"},
    {"user-id", "Id or user principal name of the person whose calendar is meant"},
};

const struct dialect calendar_outlook = {
    .name = "calendar.outlook",
    .title = "Outlook Calendar (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables =
        TABLES(&ocal_events, &ocal_lists, &ocal_answers, &ocal_calendars, &ocal_schedules,
               &ocal_attachments, &ocal_reminders, &ocal_deltas, &ocal_meetings, &ocal_permissions,
               &ocal_extensions, &ocal_places, &ocal_messages, &ocal_uploads),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = graph_outlook_rates,
    .summary = "Calendars, events, meetings",
    .facts = &api,
    .tools = &ocal_tools,
};
