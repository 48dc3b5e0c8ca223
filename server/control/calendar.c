/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars of people, whatever the vendor: which there are, and what is in a stretch of time. */
#include "services/calendar/core/show.h"
#include "server/control/operation.h"
#include "server/control/parameters.h"
#include <stdlib.h>
#include <string.h>

static int read_shown(struct control_call *c, struct cal_shown *ret)
{
    const char *calendar = control_text(c, "calendar");
    *ret = (struct cal_shown){.actor = control_text(c, "actor"),
                              .vendor = control_text(c, "vendor"),
                              .from_us = control_number(c, "from", 0),
                              .to_us = control_number(c, "to", 0)};
    if (calendar && (strlen(calendar) > 18 || strspn(calendar, "0123456789") != strlen(calendar)))
        return control_fail(c, "calendar", "must be the id of a calendar, not \"%.40s\"", calendar);
    ret->calendar = calendar ? strtoll(calendar, NULL, 10) : 0;
    return ret->from_us <= ret->to_us ? 0 : control_fail(c, "to", "must not be before from");
}

static int calendars_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct cal_shown shown;
    struct sosia_blob json;
    if (read_shown(c, &shown) < 0 ||
        cal_show_calendars(c->engine, c->world, &shown, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int events_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct cal_shown shown;
    struct sosia_blob json;
    if (read_shown(c, &shown) < 0 ||
        cal_show_events(c->engine, c->world, &shown, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

/* ---- rows ---- */

static const struct param events_params[] = {
    WHOSE,
    {.name = "from",
     .place = IN_QUERY,
     .type = PARAM_DATETIME,
     .required = true,
     .summary = "They end after this time"},
    {.name = "to",
     .place = IN_QUERY,
     .type = PARAM_DATETIME,
     .required = true,
     .summary = "They start before this time"},
    {.name = "calendar",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 18,
     .summary = "The \"id\" of one; all of the person's without it"}};

static const struct route routes[] = {
    {ROUTE("calendar.calendars", GET, "/worlds/{world}/calendar/{actor}/calendars"),
     .outside = true, .risk = RISK_READ, .summary = "The calendars of somebody",
     .handler = calendars_list, .pace = PACE_SLOW, PARAMS(whose_params), .status = 200,
     .response = "CalendarList"},
    {ROUTE("calendar.events", GET, "/worlds/{world}/calendar/{actor}/events"), .outside = true,
     .risk = RISK_READ,
     .summary = "What is in somebody's calendars in a stretch of time, series as their instances",
     .handler = events_list, .pace = PACE_SLOW, PARAMS(events_params), .status = 200,
     .response = "CalendarEvents"},
};

const struct rows control_calendar_rows = ROWS(routes);
