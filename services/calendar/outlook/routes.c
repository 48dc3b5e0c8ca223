/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: what all its methods have in common, and the tables of them. */
#include "services/calendar/outlook/ocal.h"

static const struct graph_api api = {.workload = GRAPH_OUTLOOK};

const struct dialect calendar_outlook = {
    .name = "calendar.outlook",
    .title = "Outlook Calendar (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&ocal_events, &ocal_lists, &ocal_answers, &ocal_calendars, &ocal_schedules,
                     &ocal_attachments, &ocal_reminders, &ocal_deltas),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .rates = graph_outlook_rates,
    .base = "/v1.0",
    .summary = "Calendars, events, meetings",
    .facts = &api,
    .tools = &ocal_tools,
};
