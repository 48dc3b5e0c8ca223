/* SPDX-License-Identifier: Apache-2.0 */
/* The method that stops a channel, and channels in documents; channels themselves are the vendor's.
 */
#include "engine/state/own.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/scopes.h"

/* ---- in documents ---- */

#define DAYS(n) ((n)*SECONDS_PER_DAY)

static const struct google_watched watched[] = {
    {CHANGED_EVENTS, "events", "calendar", &calendar_id_of_key, &calendar_key_of_id,
     "/calendar/v3/calendars/", "/events", DAYS(7)},
    {CHANGED_ACCESS, "access", "calendar", &calendar_id_of_key, &calendar_key_of_id,
     "/calendar/v3/calendars/", "/acl", DAYS(7)},
    {GCAL_CHANGED_LIST, "list", NULL, NULL, NULL, "/calendar/v3/users/me/calendarList", NULL,
     DAYS(7)},
    {GCAL_CHANGED_SETTINGS, "settings", NULL, NULL, NULL, "/calendar/v3/users/me/settings", NULL,
     DAYS(7)},
    {0},
};

static const struct member channel_members[] = {
    PART(&google_channel_form),
    OWN("calendar", "The calendar, of its events and of who may use it", "text"),
};
const struct form gcal_channel_form = FORM("A channel of calendars", channel_members);

int gcal_channel_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return google_channel_seed(tx, d, v, watched, &gcal_channel_form);
}

int gcal_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    return google_channel_dump(tx, rowid, w, watched);
}

/* ---- rows ---- */

static const struct route methods[] = {
    {.id = "calendar.channels.stop",
     .verbs = POST,
     .paths = PATHS("/calendar/v3/channels/stop"),
     .handler = google_channel_stop,
     .risk = RISK_WRITE,
     .idempotent = true,
     .needs_body = true,
     .body = BODY_JSON_OPTIONAL,
     .scopes = CALENDAR " " ACLS " " ACLS_READONLY " " APP_CREATED " " CALENDARLIST
                        " " CALENDARLIST_READONLY " " EVENTS " " EVENTS_FREEBUSY " " EVENTS_OWNED
                        " " EVENTS_OWNED_READONLY " " EVENTS_PUBLIC_READONLY " " EVENTS_READONLY
                        " " READONLY " " SETTINGS_READONLY,
     .request = "Channel",
     .summary = "Stop a channel"},
};

const struct rows gcal_channels = ROWS(methods);
