/* SPDX-License-Identifier: Apache-2.0 */
/* Google Calendar API v3: what all its methods have in common, and the tables of them. */
#include "services/calendar/google/glossary.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/schema.h"
#include "services/calendar/google/scopes.h"

static const struct google_scope scopes[] = {
    {CALENDAR, "See, change, share and delete all calendars"},
    {ACLS, "See and change who has access to calendars"},
    {ACLS_READONLY, "See who has access to calendars"},
    {APP_CREATED, "Make secondary calendars, and use those"},
    {CALENDARLIST, "See and change the list of calendars"},
    {CALENDARLIST_READONLY, "See the list of calendars"},
    {CALENDARS, "See and change the properties of calendars"},
    {CALENDARS_READONLY, "See the properties of calendars"},
    {EVENTS, "See and change events in all calendars"},
    {EVENTS_FREEBUSY, "See when calendars are busy"},
    {EVENTS_OWNED, "See and change events in own calendars"},
    {EVENTS_OWNED_READONLY, "See events in own calendars"},
    {EVENTS_PUBLIC_READONLY, "See events in public calendars"},
    {EVENTS_READONLY, "See events in all calendars"},
    {FREEBUSY, "See when people are busy"},
    {READONLY, "See all calendars"},
    {SETTINGS_READONLY, "See settings"},
};

static const struct google_api api = {
    .name = "calendar",
    .version = "v3",
    .title = "Google Calendar API",
    .summary = "Calendars and events",
    .service_path = "calendar/v3/",
    .batch_path = "batch/calendar/v3",
    .batch_max = 1000,
    .service = "calendar-json.googleapis.com",
    .method_prefix = "calendar.v3.",
    .envelope = GOOGLE_LEGACY,
    .cache_headers = true,
    .bad_token_info = true,
    .scopes = scopes,
    .n_scopes = SOSIA_LEN(scopes),
};

static const char *const prefixes[] = {"/calendar/v3", NULL};

/* The quotas of new projects. */
static const struct rate_class rates[] = {
    {"Queries per minute per user", true, 600, INT64_C(60000000)},
    {"Queries per minute", false, 10000, INT64_C(60000000)},
    {0},
};

const struct dialect calendar_google = {
    .name = "calendar.google",
    .title = "Google Calendar API v3",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables =
        TABLES(&gcal_acl, &gcal_calendar_list, &gcal_calendars, &gcal_channels, &gcal_colors,
               &gcal_events, &gcal_events_list, &gcal_events_quick, &gcal_freebusy, &gcal_settings),
    .schemas = calendar_google_schemas,
    .n_schemas = SOSIA_LEN(calendar_google_schemas),
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = rates,
    .methods = calendar_google_methods,
    .facts = &api,
    .tools = &gcal_tools,
};
