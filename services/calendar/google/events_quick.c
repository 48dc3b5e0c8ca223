/* SPDX-License-Identifier: Apache-2.0 */
/* Events from a sentence. */
#include "services/calendar/google/quickadd/quickadd.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"
#include <stdlib.h>

static int read_guests(struct call *c, const struct quickadd *q, struct cal_event *ev)
{
    if (!q->n_guests)
        return 0;
    int over = gcal_option_over(c, GCAL_GUESTS, q->n_guests);
    if (over)
        return over < 0 ? -1
                        : call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Too many attendees.");
    if (strcmp(c->actor.kind, "service") == 0)
        return gcal_refuse_service(c);
    struct cal_attendee *list = arena_calloc(c->tx.arena, q->n_guests, sizeof *list);
    int n = 0;
    for (size_t i = 0; i < q->n_guests; i++) {
        const char *email = q->guests[i];
        int k = 0;
        if (alias_open(&c->tx, &email) < 0)
            return -1;
        while (k < n && strcmp(list[k].email, email) != 0)
            k++;
        if (k == n)
            list[n++] = (struct cal_attendee){.email = email, .response = RESPONSE_NONE};
    }
    ev->attendees = list;
    ev->n_attendees = n;
    return 0;
}

static int events_quick_add(struct call *c)
{
    const char *text = param_str(c, "text");
    struct cal_event_by by = {&c->actor, gcal_mail(c)};
    struct calendar cal;
    struct quickadd q;
    struct gcal_setting length;
    int64_t ahead, from_match;
    if (gcal_open(c, CAL_WRITE, &cal) < 0)
        return -1;
    if (gcal_setting_get(&c->tx, &c->actor, "defaultEventLength", &length) < 0 ||
        gcal_option(&c->tx, GCAL_QUICK_WEEKDAY, &ahead) < 0 ||
        gcal_option(&c->tx, GCAL_QUICK_SERIES, &from_match) < 0)
        return -1;
    struct quickadd_how how = {
        .minutes = atoi(length.value), .ahead = ahead, .from_match = from_match};
    quickadd_parse(c->tx.arena, text, strlen(text), c->tx.now_us / US_PER_SECOND, cal.tz, &how, &q);
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
    if (read_guests(c, &q, &ev) < 0 || gcal_reaches(c, NULL, &ev) < 0)
        return -1;
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
    {ROUTE("calendar.events.quickAdd", POST, "/calendar/v3/calendars/{calendarId}/events/quickAdd"),
     .handler = events_quick_add, .risk = RISK_WRITE, .risk_of = gcal_event_risk,
     .body = BODY_JSON_OPTIONAL, .scopes = EVENTS_TO_WRITE, PARAMS(events_quick_add_params),
     .response = "Event", .summary = "Create an event from a sentence"},
};

const struct rows gcal_events_quick = ROWS(methods);
