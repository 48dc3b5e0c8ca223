/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of events: list and instances, with their sync tokens. */
#include "services/calendar/core/list.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_PAGE 2500
/* A page is full with so many bytes, too: the service only promises that it is not longer than
 * requested. */
#define MAX_PAGE_BYTES (16u << 20)
/* The service knows what was deleted for so long. */
#define UPDATED_MIN_LIFE (30 * US_PER_DAY)

struct page {
    struct gcal_view view;
    bool items_open;
};

static int write_item(void *arg, struct cal_event *ev, const struct record *row)
{
    struct page *p = arg;
    return gcal_write_item(&p->view, ev, row) < 0 ? -1 : p->view.c->out->out->len >= MAX_PAGE_BYTES;
}

/* ---- parameters ---- */

static int read_properties(struct call *c, const char *param, const struct cal_event_property **ret,
                           size_t *ret_n)
{
    size_t n = 0;
    while (param_nth(c, param, n))
        n++;
    struct cal_event_property *list = arena_calloc(c->tx.arena, n ? n : 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const char *text = param_nth(c, param, i)->text, *equals = strchr(text, '=');
        if (!equals)
            return call_fail(c, SOSIA_E_INVALID, "invalid", param, "Invalid Value");
        list[i].name = arena_memdup(c->tx.arena, text, (size_t)(equals - text));
        list[i].value = equals + 1;
    }
    *ret = list;
    *ret_n = n;
    return 0;
}

/* Milliseconds of the bounds are ignored. */
static int64_t seconds(int64_t us)
{
    return us == INT64_MIN || us == INT64_MAX
               ? us
               : us - ((us % US_PER_SECOND) + US_PER_SECOND) % US_PER_SECOND;
}

static int read_range(struct call *c, struct cal_event_query *q)
{
    q->min_us = seconds(param_num(c, "timeMin", INT64_MIN));
    q->max_us = seconds(param_num(c, "timeMax", INT64_MAX));
    if (q->min_us != INT64_MIN && q->max_us != INT64_MAX && q->max_us <= q->min_us)
        return call_fail(c, SOSIA_E_INVALID, "timeRangeEmpty", "timeMax",
                         "The specified time range is empty.");
    return 0;
}

static int read_kinds(struct call *c, struct cal_event_query *q)
{
    const struct param_value *v;
    for (size_t i = 0; (v = param_nth(c, "eventTypes", i)); i++)
        for (unsigned k = 0; k < N_KINDS; k++)
            if (strcmp(gcal_kinds[k], v->text) == 0)
                q->kinds |= 1u << k;
    return 0;
}

static int hide_invitations(struct call *c, const struct calendar *cal, struct cal_event_query *q)
{
    if (cal->owner != c->actor.id || param_bool(c, "showHiddenInvitations"))
        return 0;
    int r = gcal_setting_is(&c->tx, &c->actor, "hideInvitations", "true");
    q->no_open_invitations = r == 1;
    return r < 0 ? -1 : 0;
}

static int read_query(struct call *c, const struct calendar *cal, struct cal_event_query *q)
{
    static const char *const forbidden[] = {"iCalUID",
                                            "orderBy",
                                            "privateExtendedProperty",
                                            "q",
                                            "sharedExtendedProperty",
                                            "timeMin",
                                            "timeMax",
                                            "updatedMin",
                                            NULL};
    const char *order = param_str(c, "orderBy");
    *q = (struct cal_event_query){.single = param_bool(c, "singleEvents"),
                                  .deleted = param_bool(c, "showDeleted"),
                                  .updated_min_us = param_num(c, "updatedMin", INT64_MIN),
                                  .changed = -1,
                                  .uid = param_str(c, "iCalUID"),
                                  .text = param_str(c, "q"),
                                  .limit = gcal_limit(c, 250, MAX_PAGE)};
    if (q->text && !*q->text)
        q->text = NULL;
    if (read_range(c, q) < 0 || read_kinds(c, q) < 0 || hide_invitations(c, cal, q) < 0 ||
        read_properties(c, "privateExtendedProperty", &q->own_props, &q->n_own_props) < 0 ||
        read_properties(c, "sharedExtendedProperty", &q->props, &q->n_props) < 0)
        return -1;
    if (order && strcmp(order, "startTime") == 0) {
        if (!q->single)
            return call_fail(c, SOSIA_E_INVALID, "invalid", "orderBy",
                             "The requested ordering is not available for the particular query.");
        q->order = ORDER_START;
    } else {
        q->order = ORDER_UPDATE; /* also without the parameter (recorded) */
    }
    if (q->updated_min_us != INT64_MIN && q->updated_min_us < c->tx.now_us - UPDATED_MIN_LIFE)
        return call_fail(c, SOSIA_E_GONE, "updatedMinTooLongAgo", "updatedMin",
                         "The requested minimum modification time lies too far in the past.");
    int r =
        gcal_sync_from(c, arena_printf(c->tx.arena, "events %s", cal->key), cal->role, &q->changed);
    if (r < 0 || (r && gcal_sync_alone(c, forbidden) < 0))
        return -1;
    if (r && param_given(c, "showDeleted") && !q->deleted)
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, GCAL_SYNC_RESTRICTED);
    return 0;
}

/* Whether such a list can be continued by a sync. */
static bool can_sync(const struct call *c, const struct cal_event_query *q)
{
    return q->min_us == INT64_MIN && q->max_us == INT64_MAX && q->updated_min_us == INT64_MIN &&
           !q->text && !q->uid && !q->n_own_props && !q->n_props && !param_given(c, "orderBy");
}

/* ---- the envelope ---- */

static int write_list_head(struct call *c, const struct calendar *cal)
{
    struct gcal_listing l = {0};
    int64_t updated_us = cal->newest_us;
    if (gcal_listing_find(&c->tx, &c->actor, cal, &l) < 0)
        return -1;
    if (cal->updated_us > updated_us)
        updated_us = cal->updated_us;
    json_str(c->out, "kind", "calendar#events");
    json_str(c->out, "etag",
             gcal_etag_list(c->tx.arena, "events", cal->id, cal->newest ^ updated_us));
    json_str(c->out, "summary", l.name && !l.gone ? l.name : cal->summary);
    json_str(c->out, "description", cal->description ? cal->description : "");
    json_time(c->out, "updated", updated_us, JSON_TIME_MS_Z);
    json_str(c->out, "timeZone", cal->zone);
    json_str(c->out, "accessRole", gcal_role(cal->role));
    gcal_write_reminders(c->out, "defaultReminders", l.gone ? NULL : l.reminders);
    return 0;
}

/* The token of the next page: it is written before the items, though it is known after them. at:
 * where they begin. */
static void insert_token(struct call *c, size_t at, bool first, const char *name, const char *token)
{
    struct json_writer *out = c->out, w = *out;
    struct buf b;
    if (buf_failed(out->out))
        return;
    buf_init(&b, 0);
    w.out = &b;
    w.level[w.depth].filled = !first;
    json_str(&w, name, token);
    if (b.len && first && out->out->len > at)
        buf_byte(&b, ',');
    out->level[out->depth].filled |= b.len > 0;
    out->out->failed |= buf_failed(&b);
    buf_insert(out->out, at, b.data, b.len);
    buf_done(&b);
}

static int write_page(struct call *c, const struct calendar *cal, struct cal_event_query *q,
                      const char *sync)
{
    struct page page = {0};
    const char *position = NULL, *next = NULL;
    long long snapshot = 0;
    int at = 0;
    if (gcal_view(c, cal, &page.view) < 0)
        return -1;
    page.view.bare = q->changed >= 0 && !q->deleted;
    int r = google_page_position(c, &position);
    if (r < 0)
        return -1;
    /* A later page keeps the state of the first one, so that a sync misses nothing in between. */
    snapshot = cal->newest;
    if (r && (sscanf(position, "%lld %n", &snapshot, &at) != 1 || !at))
        return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "Invalid Value");
    if (r)
        q->position = position + at;
    json_obj(c->out, NULL);
    if (write_list_head(c, cal) < 0)
        return -1;
    size_t items = c->out->out->len;
    bool first = !c->out->level[c->out->depth].filled;
    json_arr(c->out, "items");
    r = cal_event_list(&c->tx, cal, q, write_item, &page, &next);
    json_end(c->out);
    if (r < 0)
        return gcal_refused(c);
    if (next)
        insert_token(c, items, first, "nextPageToken",
                     google_page_token(c, arena_printf(c->tx.arena, "%lld %s", snapshot, next)));
    else if (sync)
        insert_token(c, items, first, "nextSyncToken",
                     gcal_sync_token(c, sync, snapshot, cal->role));
    json_end(c->out);
    return 0;
}

static int events_list(struct call *c)
{
    struct calendar cal;
    struct cal_event_query q;
    if (gcal_open(c, CAL_FREEBUSY, &cal) < 0 || read_query(c, &cal, &q) < 0)
        return -1;
    const char *sync = arena_printf(c->tx.arena, "events %s", cal.key);
    return write_page(c, &cal, &q, can_sync(c, &q) ? sync : NULL);
}

/* The original start of an instance, as a date or a time. */
static int read_original(struct call *c, struct cal_event_query *q)
{
    const char *text = param_str(c, "originalStart");
    struct stamp s;
    int64_t days;
    if (!text)
        return 0;
    q->has_original = true;
    if (date_parse(text, strlen(text), &days) == 0)
        q->original_us = days * US_PER_DAY;
    else if (stamp_parse(text, strlen(text), false, &s) == 0)
        q->original_us = s.local_us - s.offset * US_PER_SECOND;
    else
        return call_fail(c, SOSIA_E_INVALID, "invalid", "originalStart", "Invalid Value");
    return 0;
}

static int events_instances(struct call *c)
{
    struct calendar cal;
    struct cal_event series;
    if (gcal_open(c, CAL_FREEBUSY, &cal) < 0)
        return -1;
    int r = cal_event_find(&c->tx, &cal, param_str(c, "eventId"), &series);
    if (r != 1)
        return r < 0 ? -1 : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL, "Not Found");
    int64_t refused = 0;
    if (series.form != EVENT_SERIES && gcal_option(&c->tx, GCAL_SINGLE_INSTANCES, &refused) < 0)
        return -1;
    if (refused)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
    struct cal_event_query q = {.single = true,
                                .deleted = param_bool(c, "showDeleted"),
                                .min_included = true,
                                .updated_min_us = INT64_MIN,
                                .changed = -1,
                                .series = &series,
                                .limit = gcal_limit(c, 250, MAX_PAGE)};
    if (read_range(c, &q) < 0 || read_original(c, &q) < 0)
        return -1;
    const char *sync = arena_printf(c->tx.arena, "events %s", cal.key);
    return write_page(c, &cal, &q, can_sync(c, &q) ? sync : NULL);
}

static int events_watch(struct call *c)
{
    struct calendar cal;
    struct cal_event_query q;
    if (gcal_open(c, CAL_FREEBUSY, &cal) < 0 || read_query(c, &cal, &q) < 0)
        return -1;
    if (calendar_is_made(&cal))
        return call_fail(c, SOSIA_E_INVALID, "pushNotSupportedForRequestedResource", NULL,
                         "Push notifications are not supported by this resource.");
    return google_channel_watch(c, CHANGED_EVENTS, cal.id);
}

/* ---- rows ---- */

static const char *const event_types[] = {
    "birthday", "default", "focusTime", "fromGmail", "outOfOffice", "workingLocation", NULL};
static const char *const orders[] = {"startTime", "updated", NULL};

static const struct param events_instances_params[] = {
    ALWAYS_INCLUDE_EMAIL,
    CALENDAR_ID,
    EVENT_ID,
    MAX_ATTENDEES,
    MAX_RESULTS,
    {.name = "originalStart", .place = IN_QUERY},
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "showDeleted", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "timeMax", .place = IN_QUERY, .type = PARAM_DATETIME},
    {.name = "timeMin", .place = IN_QUERY, .type = PARAM_DATETIME},
    {.name = "timeZone", .place = IN_QUERY},
};

static const struct param events_list_params[] = {
    ALWAYS_INCLUDE_EMAIL,
    CALENDAR_ID,
    {.name = "eventTypes",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .repeated = true,
     .values = event_types},
    {.name = "iCalUID", .place = IN_QUERY},
    MAX_ATTENDEES,
    {.name = "maxResults",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .def = "250",
     .min = 1,
     .max = INT32_MAX},
    {.name = "orderBy", .place = IN_QUERY, .type = PARAM_ENUM, .values = orders},
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "privateExtendedProperty", .place = IN_QUERY, .repeated = true},
    {.name = "q", .place = IN_QUERY},
    {.name = "sharedExtendedProperty", .place = IN_QUERY, .repeated = true},
    {.name = "showDeleted", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "showHiddenInvitations", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "singleEvents", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "syncToken", .place = IN_QUERY},
    {.name = "timeMax", .place = IN_QUERY, .type = PARAM_DATETIME},
    {.name = "timeMin", .place = IN_QUERY, .type = PARAM_DATETIME},
    {.name = "timeZone", .place = IN_QUERY},
    {.name = "updatedMin", .place = IN_QUERY, .type = PARAM_DATETIME},
};

static const struct route methods[] = {
    {.id = "calendar.events.instances",
     .verbs = GET,
     .paths = PATHS("/calendar/v3/calendars/{calendarId}/events/{eventId}/instances"),
     .handler = events_instances,
     .anonymous = true, /* of public calendars, with an API key */
     .risk = RISK_READ,
     .scopes = EVENTS_TO_READ,
     PARAMS(events_instances_params),
     .response = "Events",
     .summary = "The instances of a series"},
    {.id = "calendar.events.list",
     .verbs = GET,
     .paths = PATHS("/calendar/v3/calendars/{calendarId}/events"),
     .handler = events_list,
     .anonymous = true, /* of public calendars, with an API key */
     .risk = RISK_READ,
     .scopes = EVENTS_TO_READ,
     PARAMS(events_list_params),
     .response = "Events",
     .summary = "The events of a calendar"},
    {ROUTE("calendar.events.watch", POST, "/calendar/v3/calendars/{calendarId}/events/watch"),
     .handler = events_watch, .risk = RISK_EXTERNAL, .needs_body = true, .body = BODY_JSON_OPTIONAL,
     .scopes = EVENTS_TO_READ, PARAMS(events_list_params), .request = "Channel",
     .response = "Channel", .summary = "Watch for changes to events"},
};

const struct rows gcal_events_list = ROWS(methods);
