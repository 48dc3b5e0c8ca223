/* SPDX-License-Identifier: Apache-2.0 */
/* Reminders: reminderView, snoozeReminder, dismissReminder. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"

#define MINUTE (60 * US_PER_SECOND)

/* What was done about an event's reminder stays with the copy: "snoozed" has the new time,
 * "dismissed" is there when it was seen. */
static const struct json *own_of(struct arena *a, const struct cal_event *ev)
{
    const struct json *own = NULL;
    struct sosia_err err;
    if (ev->own_props && json_parse(a, ev->own_props, strlen(ev->own_props), NULL, &own, &err) < 0)
        return NULL;
    return own;
}

static void set_own(struct arena *a, struct cal_event *ev, const char *member, const char *value,
                    const char *without)
{
    const struct json *own = own_of(a, ev);
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; own && i < own->n; i++)
        if (strcmp(own->members[i].key, member) != 0 && strcmp(own->members[i].key, without) != 0)
            json_value(&w, own->members[i].key, &own->members[i].value);
    json_str(&w, member, value);
    json_end(&w);
    ev->own_props = buf_keep(&b, a);
}

/* When it reminds; false: it does not. */
static bool fires_at(struct ocal_at *at, const struct cal_event *ev, int64_t *ret)
{
    const struct json *own = own_of(at->c->tx.arena, ev);
    const char *snoozed = json_get_str(own, "snoozed");
    int64_t start = cal_event_instant(at->cal.tz, ev->all_day, ev->start_us);
    *ret = start - ev->reminder_minutes * MINUTE;
    if (snoozed && parse_i64(snoozed, strlen(snoozed), ret) < 0)
        return false;
    return ev->reminder_on && !json_get_str(own, "dismissed") && ev->status != EVENT_CANCELLED;
}

static void write_reminder(struct ocal_at *at, const struct cal_event *ev, int64_t fires_us)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const char *id = ocal_event_id(at, ev);
    const bool concealed = cal_event_concealed(&at->cal, ev);
    const char *subject = concealed ? OCAL_CONCEALED : ev->summary;
    json_obj(w, NULL);
    json_str(w, "eventId", id);
    json_str(w, "changeKey", graph_change_key(a, &at->store, ev->change));
    json_str(w, "eventSubject", subject ? subject : "");
    json_str(w, "eventWebLink",
             arena_printf(a,
                          "https://outlook.office365.com/owa/?itemid=%s&exvsurl=1&path=/calendar/"
                          "item",
                          graph_item_linked(a, id)));
    ocal_write_time(at, "eventStartTime", ev->all_day, ev->start_us);
    ocal_write_time(at, "eventEndTime", ev->all_day, event_end(ev));
    json_obj(w, "eventLocation");
    json_str(w, "displayName", ev->location && !concealed ? ev->location : "");
    json_end(w);
    ocal_write_time(at, "reminderFireTime", false, fires_us);
    json_end(w);
}

static int reminder_view(struct call *c)
{
    struct cal_event_query q = {.single = true, .order = ORDER_START};
    struct ocal_found found;
    struct ocal_at at;
    if (ocal_open(c, CAL_READ, &at) < 0 || ocal_window(c, &q.min_us, &q.max_us) < 0 ||
        ocal_find(&at, &q, 0, &found) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.reminder)");
    json_arr(c->out, "value");
    for (size_t i = 0; i < found.n; i++) {
        int64_t fires;
        if (fires_at(&at, &found.list[i], &fires))
            write_reminder(&at, &found.list[i], fires);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int save(struct ocal_at *at, const struct cal_event *old, struct cal_event *ev)
{
    struct call *c = at->c;
    struct cal_event_by by = {&c->actor, MAIL_NONE};
    c->status = 200;
    return cal_event_save(&c->tx, &by, &at->cal, old, ev) < 0 ? ocal_refused(c) : 0;
}

static int snooze(struct call *c)
{
    const char *zone, *name;
    const struct json *body;
    struct cal_event old, ev;
    struct ocal_at at;
    int64_t us;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &old) < 0 ||
        !(body = call_body(c)) ||
        ocal_read_time(c, json_get(body, "newReminderTime"), "newReminderTime", false, &us, &zone,
                       &name) < 0)
        return -1;
    ev = old;
    ev.reminder_on = true;
    set_own(c->tx.arena, &ev, "snoozed", arena_printf(c->tx.arena, "%lld", (long long)us),
            "dismissed");
    return save(&at, &old, &ev);
}

static int dismiss(struct call *c)
{
    struct cal_event old, ev;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &old) < 0)
        return -1;
    ev = old;
    set_own(c->tx.arena, &ev, "dismissed", "true", "snoozed");
    return save(&at, &old, &ev);
}

static const struct param view_params[] = {
    USER_ID,
    {.name = "startDateTime", .place = IN_PATH, .required = true},
    {.name = "endDateTime", .place = IN_PATH, .required = true},
};

static const struct route methods[] = {
    {ROUTE("outlook.reminderView", GET,
           GRAPH_MY("/reminderView(startDateTime={startDateTime},endDateTime={endDateTime}"
                    ")")),
     .handler = reminder_view, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(view_params),
     .response = "microsoft.graph.reminderCollectionResponse",
     .summary = "Reminders of events in a stretch of time"},
    {ROUTE("outlook.events.snoozeReminder", POST, OF_EVENT("/snoozeReminder")), .handler = snooze,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .status = 200, .request = "microsoft.graph.event.snoozeReminder",
     .summary = "Postpone an event's reminder"},
    {ROUTE("outlook.events.dismissReminder", POST, OF_EVENT("/dismissReminder")),
     .handler = dismiss, .risk = RISK_WRITE, .idempotent = true, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .status = 200, .summary = "End an event's reminder"},
};

const struct rows ocal_reminders = ROWS(methods);
