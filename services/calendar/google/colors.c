/* SPDX-License-Identifier: Apache-2.0 */
/* The resource colors: both palettes. */
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/scopes.h"
#include "engine/base/codec.h"
#include <stdio.h>

static void write_colors(struct call *c, const char *key,
                         const struct gcal_color *(*find)(const char *id))
{
    const struct gcal_color *color;
    char id[12];
    json_obj(c->out, key);
    for (int n = 1; snprintf(id, sizeof id, "%d", n), (color = find(id)) != NULL; n++) {
        json_obj(c->out, id);
        json_str(c->out, "background", color->background);
        json_str(c->out, "foreground", color->foreground);
        json_end(c->out);
    }
    json_end(c->out);
}

static int colors_get(struct call *c)
{
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "calendar#colors");
    json_str(c->out, "updated", "2012-02-14T00:00:00.000Z");
    write_colors(c, "calendar", gcal_calendar_color);
    write_colors(c, "event", gcal_event_color);
    json_end(c->out);
    char date[HTTP_DATE];
    http_date(date, c->tx.now_us);
    call_header(c, "Expires", date);
    call_header(c, "Cache-Control", "private, max-age=3600, must-revalidate, no-transform");
    return 0;
}

/* ---- rows ---- */

static const struct route methods[] = {
    {ROUTE("calendar.colors.get", GET, "/calendar/v3/colors"), .handler = colors_get,
     .risk = RISK_READ,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARLIST " " CALENDARLIST_READONLY
                        " " EVENTS_FREEBUSY " " EVENTS_OWNED " " EVENTS_OWNED_READONLY
                        " " EVENTS_PUBLIC_READONLY " " READONLY,
     .response = "Colors", .summary = "The colors of calendars and events"},
};

const struct rows gcal_colors = ROWS(methods);
