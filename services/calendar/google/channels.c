/* SPDX-License-Identifier: Apache-2.0 */
/* The method that stops a channel. */
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/scopes.h"

/* ---- rows ---- */

static const struct route methods[] = {
    {ROUTE("calendar.channels.stop", POST, "/calendar/v3/channels/stop"),
     .handler = google_channel_stop, .risk = RISK_WRITE, .idempotent = true, .needs_body = true,
     .body = BODY_JSON_OPTIONAL,
     .scopes = CALENDAR " " ACLS " " ACLS_READONLY " " APP_CREATED " " CALENDARLIST
                        " " CALENDARLIST_READONLY " " EVENTS " " EVENTS_FREEBUSY " " EVENTS_OWNED
                        " " EVENTS_OWNED_READONLY " " EVENTS_PUBLIC_READONLY " " EVENTS_READONLY
                        " " READONLY " " SETTINGS_READONLY,
     .request = "Channel", .summary = "Stop a channel"},
};

const struct rows gcal_channels = ROWS(methods);
