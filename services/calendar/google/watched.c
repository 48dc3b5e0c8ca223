/* SPDX-License-Identifier: Apache-2.0 */
/* What channels of calendars watch, and channels in documents; channels themselves are the
 * vendor's.
 */
#include "services/calendar/google/gcal.h"

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

int gcal_channel_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return google_channel_seed(tx, d, v, watched, &gcal_channel_form);
}

int gcal_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    return google_channel_dump(tx, rowid, w, watched);
}
