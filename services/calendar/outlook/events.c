/* SPDX-License-Identifier: Apache-2.0 */
/* Single events: get, create, change, delete. */
#include "services/calendar/outlook/ocal.h"
#include "engine/base/codec.h"
#include "engine/store/record.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/params.h"

/* ---- reading ---- */

static int events_get(struct call *c)
{
    struct ocal_at at;
    struct odata_query q;
    struct cal_event ev;
    struct record row;
    if (ocal_open_for_event(c, CAL_FREEBUSY, &at) < 0 || ocal_options(c, "event", &q) < 0)
        return -1;
    at.query = &q;
    if (ocal_event_row(&at, CAL_FREEBUSY, &row, &ev) < 0 || ocal_select(c, &q, false) < 0)
        return -1;
    return ocal_answer_row(&at, "/events", &ev, &row);
}

/* ---- making ---- */

/* An event that was made with the same transactionId: 1, 0, -1. */
static int find_transaction(struct ocal_at *at, const struct cal_event *ev, struct cal_event *ret)
{
    struct arena *a = at->c->tx.arena;
    const char *id = json_get(at->c->body, "transactionId")
                         ? json_get_str(ocal_extra(a, ev), "transactionId")
                         : NULL;
    return id ? cal_event_with_extra(&at->c->tx, at->cal.id, NULL,
                                     arena_printf(a, "\"transactionId\":%s", ocal_quoted(a, id)),
                                     ret)
              : 0;
}

static int answer_made(struct ocal_at *at, struct cal_event *ev)
{
    struct arena *a = at->c->tx.arena;
    at->no_links = true;
    at->made = ev->id;
    at->made_id = ocal_event_id(at, ev);
    graph_created(at->c, ARENA_JOIN(a, "/", ocal_set(at), "('", at->user.key, "')/events('",
                                    at->made_id, "')"));
    return ocal_answer_event(at, "/events", ev);
}

static int events_create(struct call *c)
{
    struct ocal_at at;
    struct cal_event ev, old;
    struct cal_event_by by = {&c->actor, MAIL_ALL};
    if (ocal_open(c, CAL_WRITE, &at) < 0 || ocal_read_event(&at, NULL, &ev) < 0)
        return -1;
    int r = find_transaction(&at, &ev, &old);
    if (r)
        return r < 0 || cal_event_load_attendees(&c->tx, &old) < 0 ? -1 : answer_made(&at, &old);
    if (c->actor.id && c->actor.id != at.cal.owner)
        ev.creator = c->actor.email;
    if (ocal_reaches(c, NULL, &ev) < 0)
        return -1;
    if (cal_event_add(&c->tx, &by, &at.cal, &ev) < 0)
        return ocal_refused(c);
    const struct json *list = json_get(c->body, "attachments");
    if (list && !at.group_role && ocal_add_attachments(&at, &ev, list) < 0)
        return -1;
    return answer_made(&at, &ev);
}

/* ---- changing ---- */

/* The day of an occurrence on the wall clock of its series. */
static int64_t day_of(const struct calendar *cal, const struct cal_event *series,
                      const struct cal_event *ev)
{
    const struct tz *tz = series->zone ? tz_find(series->zone) : NULL;
    int64_t s = ev->start_us / US_PER_SECOND - (ev->start_us % US_PER_SECOND < 0);
    s += ev->all_day ? 0 : tz_offset(tz ? tz : cal->tz, s);
    return s / SECONDS_PER_DAY - (s % SECONDS_PER_DAY < 0);
}

struct neighbours {
    const struct cal_event *ev; /* the occurrence */
    bool past, before, after;   /* it was passed; there is one before, behind */
    struct cal_event prior, next;
};

static int look_beside(void *arg, struct cal_event *ev, const struct record *row)
{
    struct neighbours *n = arg;
    (void)row;
    if (ev->original_us == n->ev->original_us || ev->status == EVENT_CANCELLED)
        return 0;
    if (ev->original_us < n->ev->original_us &&
        (!n->before || ev->original_us > n->prior.original_us)) {
        n->before = true;
        n->prior = *ev;
    } else if (ev->original_us > n->ev->original_us &&
               (!n->after || ev->original_us < n->next.original_us)) {
        n->after = true;
        n->next = *ev;
    }
    return 0;
}

/* An occurrence stays between the days of those beside it (MG-68). */
static int check_crossing(struct ocal_at *at, const struct cal_event *old,
                          const struct cal_event *ev)
{
    struct call *c = at->c;
    struct neighbours n = {.ev = ev};
    struct cal_event series;
    const char *position;
    if (ev->form != EVENT_INSTANCE || !ev->master || ev->start_us == old->start_us)
        return 0;
    int r = cal_event_by_id(&c->tx, ev->master, &series);
    if (r != 1)
        return r;
    int64_t from = ev->start_us < ev->original_us ? ev->start_us : ev->original_us;
    int64_t to = ev->start_us > ev->original_us ? ev->start_us : ev->original_us;
    struct cal_event_query q = {.min_us = from - 40 * US_PER_DAY,
                                .max_us = to + 40 * US_PER_DAY,
                                .single = true,
                                .order = ORDER_START,
                                .updated_min_us = INT64_MIN,
                                .changed = -1,
                                .series = &series,
                                .limit = 1000};
    if (cal_event_list(&c->tx, &at->cal, &q, look_beside, &n, &position) < 0)
        return ocal_refused(c);
    int64_t day = day_of(&at->cal, &series, ev);
    if ((n.before && day <= day_of(&at->cal, &series, &n.prior)) ||
        (n.after && day >= day_of(&at->cal, &series, &n.next)))
        return call_fail(c, SOSIA_E_INVALID, "ErrorOccurrenceCrossingBoundary", NULL,
                         "Modified occurrence is crossing or overlapping adjacent occurrence.");
    return 0;
}

static int events_update(struct call *c)
{
    struct ocal_at at;
    struct cal_event old, ev;
    struct cal_event_by by = {&c->actor, MAIL_ALL};
    if (ocal_open_for_event(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &old) < 0 ||
        graph_if_match(c, ocal_etag(&at, old.change)) < 0)
        return -1;
    if (ocal_read_event(&at, &old, &ev) < 0 || check_crossing(&at, &old, &ev) < 0 ||
        ocal_reaches(c, &old, &ev) < 0)
        return -1;
    if (cal_event_save(&c->tx, &by, &at.cal, &old, &ev) < 0)
        return ocal_refused(c);
    if (ev.origin || ev.form == EVENT_INSTANCE) { /* what is shared may have come otherwise */
        int r = cal_event_find(&c->tx, &at.cal, ev.key, &ev);
        if (r != 1 || cal_event_load_attendees(&c->tx, &ev) < 0)
            return r < 0 ? -1 : graph_not_found(c);
    }
    at.no_links = true;
    return ocal_answer_event(&at, "/events", &ev);
}

static int events_delete(struct call *c)
{
    struct ocal_at at;
    struct cal_event ev;
    if (ocal_open_for_event(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &ev) < 0 ||
        graph_if_match(c, ocal_etag(&at, ev.change)) < 0)
        return -1;
    if (ocal_reaches(c, NULL, &ev) < 0 || ocal_remove(&at, &ev, NULL) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* ---- rows ---- */

static const struct route methods[] = {
    {ROUTE("outlook.events.get", GET, OF_EVENT("")), .handler = events_get, .risk = RISK_READ,
     .scopes = OCAL_READ, PARAMS(ocal_get_params), .response = "microsoft.graph.event",
     .summary = "One event"},
    {ROUTE("outlook.events.create", POST, GRAPH_MY("/events"), OF_CALENDAR("/events")),
     .handler = events_create, .risk = RISK_WRITE, .risk_of = ocal_event_risk, .body = BODY_JSON,
     .scopes = OCAL_WRITE, PARAMS(ocal_path_params), .status = 201,
     .request = "microsoft.graph.event", .response = "microsoft.graph.event",
     .summary = "Create an event; guests are invited"},
    {ROUTE("outlook.events.update", PATCH, OF_EVENT("")), .handler = events_update,
     .risk = RISK_WRITE, .idempotent = true, .risk_of = ocal_event_risk, .body = BODY_JSON,
     .scopes = OCAL_WRITE, PARAMS(ocal_path_params), .request = "microsoft.graph.event",
     .response = "microsoft.graph.event", .summary = "Change parts of an event"},
    {ROUTE("outlook.events.delete", DELETE, OF_EVENT("")), .handler = events_delete,
     .risk = RISK_DESTRUCTIVE, .risk_of = ocal_event_risk, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .status = 204,
     .summary = "Delete an event; guests of an own one get a cancellation"},
    {ROUTE("outlook.events.permanentDelete", POST, OF_EVENT("/permanentDelete")),
     .handler = events_delete, .risk = RISK_DESTRUCTIVE, .risk_of = ocal_event_risk,
     .scopes = OCAL_WRITE, PARAMS(ocal_path_params), .status = 204,
     .summary = "Delete an event for good"},
    {ROUTE("outlook.groups.events.get", GET, OF_GROUP("/events/{event-id}")), .handler = events_get,
     .risk = RISK_READ, .token_kinds = TOKEN_USER, .scopes = OCAL_GROUP_READ,
     PARAMS(ocal_group_get_params), .response = "microsoft.graph.event",
     .summary = "One event of a group"},
    {ROUTE("outlook.groups.events.create", POST, OF_GROUP("/events")), .handler = events_create,
     .risk = RISK_WRITE, .risk_of = ocal_event_risk, .token_kinds = TOKEN_USER, .body = BODY_JSON,
     .scopes = OCAL_GROUP_WRITE, PARAMS(ocal_group_params), .status = 201,
     .request = "microsoft.graph.event", .response = "microsoft.graph.event",
     .summary = "Create an event that a group organizes; guests are invited"},
    {ROUTE("outlook.groups.events.update", PATCH, OF_GROUP("/events/{event-id}")),
     .handler = events_update, .risk = RISK_WRITE, .idempotent = true, .risk_of = ocal_event_risk,
     .token_kinds = TOKEN_USER, .body = BODY_JSON, .scopes = OCAL_GROUP_WRITE,
     PARAMS(ocal_group_params), .request = "microsoft.graph.event",
     .response = "microsoft.graph.event", .summary = "Change parts of a group's event"},
    {ROUTE("outlook.groups.events.delete", DELETE, OF_GROUP("/events/{event-id}")),
     .handler = events_delete, .risk = RISK_DESTRUCTIVE, .risk_of = ocal_event_risk,
     .token_kinds = TOKEN_USER, .scopes = OCAL_GROUP_WRITE, PARAMS(ocal_group_params),
     .status = 204, .summary = "Delete an event of a group; guests get a cancellation"},
};

const struct rows ocal_events = ROWS(methods);
