/* SPDX-License-Identifier: Apache-2.0 */
/* Events from a sentence. */
#include "services/calendar/core/quickadd/quickadd.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"
#include <stdlib.h>

static int events_quick_add(struct call *c)
{
    const char *text = param_str(c, "text");
    struct cal_event_by by = {&c->actor, gcal_mail(c)};
    struct calendar cal;
    struct quickadd q;
    struct cal_setting length;
    if (gcal_open(c, CAL_WRITE, &cal) < 0)
        return -1;
    if (cal_setting_get(&c->tx, &c->actor, "defaultEventLength", &length) < 0)
        return -1;
    quickadd_parse(c->tx.arena, text, strlen(text), c->tx.now_us / US_PER_SECOND, cal.tz,
                   atoi(length.value), &q);
    struct cal_event ev = {
        .summary = *q.summary ? q.summary : NULL,
        .location = q.location,
        .recurrence = q.recurrence,
        .all_day = q.all_day,
        .start_us = q.start_s * US_PER_SECOND,
        .len_us = (q.end_s - q.start_s) * US_PER_SECOND,
        .zone = q.all_day ? NULL : cal.zone,
        .reminders = q.all_day ? "[]" : NULL,
        .creator = strcmp(c->actor.email, cal.key) == 0 ? NULL : c->actor.email,
    };
    if (cal_event_add(&c->tx, &by, &cal, &ev) < 0)
        return gcal_refused(c);
    return gcal_answer_event(c, &cal, &ev);
}

/* ---- rows ---- */

static const struct param events_quick_add_params[] = {
    {.name = "calendarId", .place = IN_PATH, .type = PARAM_STRING},
    SEND_NOTIFICATIONS,
    SEND_UPDATES,
    {.name = "text", .place = IN_QUERY, .type = PARAM_STRING, .required = true},
};

static const struct route methods[] = {
    {.id = "calendar.events.quickAdd",
     .verbs = POST,
     .paths = PATHS("/calendar/v3/calendars/{calendarId}/events/quickAdd"),
     .handler = events_quick_add,
     .risk = RISK_WRITE,
     .body = BODY_JSON_OPTIONAL,
     .scopes = EVENTS_TO_WRITE,
     PARAMS(events_quick_add_params),
     .response = "Event",
     .summary = "Create an event from a sentence"},
};

const struct rows gcal_events_quick = ROWS(methods);
