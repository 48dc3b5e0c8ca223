/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of events: a calendar's, those of a window, a series' instances. */
#include "engine/text/civil.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include "services/calendar/core/event/event_impl.h"
#include <stdlib.h>

/* ---- order ---- */

static int newest_first(const void *pa, const void *pb)
{
    const struct cal_event *a = pa, *b = pb;
    return a->id > b->id ? -1 : a->id < b->id;
}

struct keyed {
    const struct odata_ctx *ctx;
    const struct odata_query *q;
    struct odata_value *keys;
    size_t at;
};

static int by_keys(const void *pa, const void *pb)
{
    const struct keyed *a = pa, *b = pb;
    int r = odata_order(a->ctx, a->q, a->keys, b->keys);
    return r ? r : a->at < b->at ? -1 : a->at > b->at;
}

static int put_in_order(struct ocal_at *at, struct ocal_found *found)
{
    struct arena *a = at->c->tx.arena;
    const struct odata_ctx ctx = {.arena = a, .get = odata_get_json};
    struct keyed *keyed = arena_calloc(a, found->n + 1, sizeof *keyed);
    struct cal_event *list = arena_calloc(a, found->n + 1, sizeof *list);
    if (arena_failed(a))
        return sosia_fail_memory(at->c->tx.err);
    for (size_t i = 0; i < found->n; i++) {
        const struct json *v = ocal_event_json(at, &found->list[i]);
        keyed[i] = (struct keyed){.ctx = &ctx, .q = at->query, .at = i};
        if (!v || odata_keys(&ctx, at->query, v, &keyed[i].keys) < 0)
            return -1;
    }
    qsort(keyed, found->n, sizeof *keyed, by_keys);
    for (size_t i = 0; i < found->n; i++)
        list[i] = found->list[keyed[i].at];
    found->list = list;
    return 0;
}

/* ---- answering ---- */

static size_t page_size(struct call *c, const struct odata_query *q)
{
    const char *max = graph_prefer(c, "odata.maxpagesize");
    long n = max ? strtol(max, NULL, 10) : 0;
    if (q->top >= 0)
        return (size_t)q->top;
    if (n < 1)
        return OCAL_PAGE;
    graph_applied(c, "odata.maxpagesize", max, false);
    return n > OCAL_MAX_PAGE ? OCAL_MAX_PAGE : (size_t)n;
}

static int open_list(struct ocal_at *at, const char *what)
{
    struct call *c = at->c;
    if (ocal_select(c, at->query, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s%s", at->base, what, odata_context(c->tx.arena, at->query));
    return 0;
}

/* next: how many are in front of the next page; 0: there is none. */
static void close_list(struct call *c, size_t next)
{
    json_end(c->out);
    if (next)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip", arena_printf(c->tx.arena, "%zu", next)));
    json_end(c->out);
}

static int answer_list(struct ocal_at *at, const char *what, struct ocal_found *found, size_t size)
{
    struct call *c = at->c;
    const struct odata_query *q = at->query;
    size_t from = (size_t)q->skip, to;
    from = from < found->n ? from : found->n;
    to = found->n - from > size ? from + size : found->n;
    if (open_list(at, what) < 0)
        return -1;
    if (q->count)
        json_int(c->out, "@odata.count", (int64_t)found->n);
    json_arr(c->out, "value");
    for (size_t i = from; i < to; i++)
        if (ocal_write_event(at, NULL, &found->list[i]) < 0)
            return -1;
    close_list(c, to < found->n ? to : 0);
    return 0;
}

/* The newest events, of which no more is read than that. */
static int answer_newest(struct ocal_at *at, size_t size)
{
    struct tx *tx = &at->c->tx;
    const size_t skip = (size_t)at->query->skip;
    struct cal_newest list;
    struct cal_event ev;
    size_t seen = 0;
    int r;
    if (cal_event_newest(tx, at->cal.id, &list) < 0 || open_list(at, "/events") < 0)
        return -1;
    json_arr(at->c->out, "value");
    while ((r = cal_event_newest_next(tx, &list, &ev)) == 1) {
        if (!ocal_is_listed(&ev) || seen++ < skip)
            continue;
        if (seen > skip + size)
            break;
        if (ocal_write_item(at, &ev, list.row) < 0)
            return -1;
    }
    close_list(at->c, r == 1 ? skip + size : 0);
    return r < 0 ? -1 : 0;
}

/* How many have to be found for a page: one more than it has, unless all count. */
static size_t wanted(const struct odata_query *q, size_t size)
{
    return q->count || q->n_order ? 0 : (size_t)q->skip + size + 1;
}

/* A filter's bounds of the start and the end, which an index serves. False: nothing can match. */
static bool narrow(const struct odata_query *q, struct cal_event_query *ret)
{
    int64_t from, to;
    if (!odata_range(q->filter, "start/dateTime", &from, &to))
        return false;
    /* A day in its own zone may be elsewhere. */
    if (to < INT64_MAX - 2 * US_PER_DAY && to + US_PER_DAY < ret->max_us)
        ret->max_us = to + US_PER_DAY;
    if (!odata_range(q->filter, "end/dateTime", &from, &to))
        return false;
    if (from > INT64_MIN + 2 * US_PER_DAY && from - US_PER_DAY > ret->min_us)
        ret->min_us = from - US_PER_DAY;
    return true;
}

static int events_list(struct call *c)
{
    struct cal_event_query q = {.min_us = INT64_MIN, .max_us = INT64_MAX};
    struct ocal_found found = {0};
    struct odata_query options;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_options(c, "event", &options) < 0)
        return -1;
    at.query = &options;
    size_t size = page_size(c, &options);
    if (!options.filter && !options.n_order && !options.count)
        return answer_newest(&at, size);
    bool any = narrow(&options, &q);
    if (any && ocal_find(&at, &q, 0, &found) < 0)
        return -1;
    if (options.n_order) {
        if (put_in_order(&at, &found) < 0)
            return -1;
    } else if (found.n) {
        qsort(found.list, found.n, sizeof *found.list, newest_first);
    }
    return answer_list(&at, "/events", &found, size);
}

static int events_count(struct call *c)
{
    struct cal_event_query q = {.min_us = INT64_MIN, .max_us = INT64_MAX};
    struct ocal_found found = {0};
    struct odata_query options;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_options(c, "event", &options) < 0)
        return -1;
    at.query = &options;
    return narrow(&options, &q) && ocal_find(&at, &q, 0, &found) < 0
               ? -1
               : ocal_answer_count(c, found.n);
}

static int view_count(struct call *c)
{
    struct cal_event_query q = {.single = true, .order = ORDER_START};
    struct ocal_found found;
    struct odata_query options;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_options(c, "event", &options) < 0 ||
        ocal_window(c, &q.min_us, &q.max_us) < 0)
        return -1;
    at.query = &options;
    return ocal_find(&at, &q, 0, &found) < 0 ? -1 : ocal_answer_count(c, found.n);
}

/* So many instances of a series are looked at for changed ones. */
enum { INSTANCES_SORTED = 1000 };

/* MG-642: exceptions come before the occurrences of their series. */
static int exceptions_first(struct ocal_at *at, struct ocal_found *found)
{
    struct cal_event *list = arena_calloc(at->c->tx.arena, found->n + 1, sizeof *list);
    const size_t sorted = found->n < INSTANCES_SORTED ? found->n : INSTANCES_SORTED;
    size_t n = 0;
    if (arena_failed(at->c->tx.arena))
        return sosia_fail_memory(at->c->tx.err);
    for (int changed = 1; changed >= 0; changed--)
        for (size_t i = 0; i < sorted; i++)
            if ((found->list[i].id != 0) == (changed != 0))
                list[n++] = found->list[i];
    for (size_t i = sorted; i < found->n; i++)
        list[i] = found->list[i];
    found->list = list;
    return 0;
}

/* A page that is written as its events are met. */
struct page {
    struct ocal_at *at;
    size_t skip, size, seen;
};

static int take_listed(void *arg, struct cal_event *ev, const struct record *row)
{
    struct page *p = arg;
    if (!ocal_shows(ev) || p->seen++ < p->skip)
        return 0;
    if (p->seen > p->skip + p->size)
        return 1;
    return ocal_write_item(p->at, ev, row);
}

/* A view by start, of which no more is kept in memory than what is written. */
static int answer_by_start(struct ocal_at *at, const char *what, struct cal_event_query *q,
                           size_t size)
{
    struct page p = {.at = at, .skip = (size_t)at->query->skip, .size = size};
    const char *position;
    ocal_want_all(q);
    q->series_rows = true;
    if (open_list(at, what) < 0)
        return -1;
    json_arr(at->c->out, "value");
    if (cal_event_list(&at->c->tx, &at->cal, q, take_listed, &p, &position) < 0)
        return ocal_refused(at->c);
    close_list(at->c, p.seen > p.skip + size ? p.skip + size : 0);
    return 0;
}

/* Entries have no links to their calendar (MG-403). */
static int view(struct call *c, struct ocal_at *at, const char *what, struct cal_event_query *q)
{
    struct ocal_found found;
    const struct odata_query *options = at->query;
    const size_t size = page_size(c, options);
    size_t want = wanted(options, size);
    if (q->series && want && want < INSTANCES_SORTED)
        want = INSTANCES_SORTED;
    at->no_links = true;
    q->single = true;
    q->order = ORDER_START;
    if (!q->series && !options->filter && !options->n_order && !options->count)
        return answer_by_start(at, what, q, size);
    if (ocal_find(at, q, want, &found) < 0)
        return -1;
    if (options->n_order ? put_in_order(at, &found) < 0
                         : q->series && exceptions_first(at, &found) < 0)
        return -1;
    return answer_list(at, what, &found, size);
}

static int view_list(struct call *c)
{
    struct cal_event_query q = {0};
    struct odata_query options;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_options(c, "event", &options) < 0 ||
        ocal_window(c, &q.min_us, &q.max_us) < 0)
        return -1;
    at.query = &options;
    return view(c, &at, "/calendarView", &q);
}

static int instances(struct call *c)
{
    struct cal_event_query q = {0};
    struct odata_query options;
    struct cal_event series;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_options(c, "event", &options) < 0 ||
        ocal_event(&at, CAL_FREEBUSY, &series) < 0 || ocal_window(c, &q.min_us, &q.max_us) < 0)
        return -1;
    at.query = &options;
    if (series.form != EVENT_SERIES)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "Expand is only supported on a recurring master.");
    q.series = &series;
    at.base = arena_printf(c->tx.arena, "%s/events%s", at.base,
                           graph_key(c->tx.arena, ocal_event_id(&at, &series)));
    return view(c, &at, "/instances", &q);
}

/* ---- rows ---- */

static const struct route methods[] = {
    {ROUTE("outlook.events.list", GET, GRAPH_MY("/events"), OF_CALENDAR("/events")),
     .handler = events_list, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_list_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "Single events and series of a calendar"},
    {ROUTE("outlook.events.count", GET, GRAPH_MY("/events/$count"), OF_CALENDAR("/events/$count")),
     .handler = events_count, .risk = RISK_READ, .gives = "text/plain", .scopes = OCAL_READ,
     PARAMS(ocal_list_params), .summary = "How many single events and series a calendar has"},
    {ROUTE("outlook.calendarView.count", GET, GRAPH_MY("/calendarView/$count"),
           OF_CALENDAR("/calendarView/$count")),
     .handler = view_count, .risk = RISK_READ, .gives = "text/plain", .scopes = OCAL_READ,
     PARAMS(ocal_window_params), .summary = "How many events take place in a stretch of time"},
    {ROUTE("outlook.calendarView.list", GET, GRAPH_MY("/calendarView"),
           OF_CALENDAR("/calendarView")),
     .handler = view_list, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_window_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What takes place in a stretch of time, occurrences of series included"},
    {ROUTE("outlook.events.instances", GET, OF_EVENT("/instances")), .handler = instances,
     .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_window_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "The occurrences of a series in a stretch of time"},
    {ROUTE("outlook.groups.events.list", GET, OF_GROUP("/events")), .handler = events_list,
     .risk = RISK_READ, .token_kinds = TOKEN_USER, .scopes = OCAL_GROUP_READ,
     PARAMS(ocal_group_list_params), .response = "microsoft.graph.eventCollectionResponse",
     .summary = "Single events and series of a group's calendar"},
    {ROUTE("outlook.groups.calendarView.list", GET, OF_GROUP("/calendarView")),
     .handler = view_list, .risk = RISK_READ, .token_kinds = TOKEN_USER, .scopes = OCAL_GROUP_READ,
     PARAMS(ocal_group_window_params), .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What takes place in a group's calendar in a stretch of time"},
    {ROUTE("outlook.groups.events.instances", GET, OF_GROUP("/events/{event-id}/instances")),
     .handler = instances, .risk = RISK_READ, .token_kinds = TOKEN_USER, .scopes = OCAL_GROUP_READ,
     PARAMS(ocal_group_window_params), .response = "microsoft.graph.eventCollectionResponse",
     .summary = "The occurrences of a group's series in a stretch of time"},
};

const struct rows ocal_lists = ROWS(methods);
