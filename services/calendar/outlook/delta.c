/* SPDX-License-Identifier: Apache-2.0 */
/* What changed since: calendarView/delta, events/delta and the delta of a series' instances. A
 * token has the window and the place in the counter of changes; the options of the first call are
 * in it (MG-84, MG-342). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include <stdio.h>
#include <stdlib.h>

struct round {
    struct ocal_at at;
    bool window;
    bool instances; /* of this series alone, without it */
    struct cal_event series;
    int64_t min_us, max_us;
    int64_t since;  /* the change behind which things are new; -1: all are */
    int64_t target; /* the newest change when the round began */
    /* The row that the next page begins with, or what is behind it when it has changed since, and
     * how many of its entries were given; row 0: the first one. */
    int64_t row, row_us;
    size_t skip;
};

/* ---- tokens ---- */

/* A group's calendar has no number before its first event. */
static const char *purpose(struct round *r)
{
    if (r->at.group_role && !r->instances)
        return ARENA_JOIN(r->at.c->tx.arena, "delta group ",
                          r->window ? "calendarView " : "events ", r->at.user.oid);
    return r->instances
               ? arena_printf(r->at.c->tx.arena, "delta instances %lld", (long long)r->series.id)
               : arena_printf(r->at.c->tx.arena, "delta %s %lld",
                              r->window ? "calendarView" : "events", (long long)r->at.cal.id);
}

/* row NULL: the round is over. */
static const char *token_of(struct round *r, int64_t since, int64_t target,
                            const struct cal_event *row, size_t skip)
{
    struct arena *a = r->at.c->tx.arena;
    return graph_seal(a, purpose(r),
                      arena_printf(a, "%lld %lld %lld %lld %lld %lld %zu", (long long)r->min_us,
                                   (long long)r->max_us, (long long)since, (long long)target,
                                   (long long)(row ? row->id : 0),
                                   (long long)(row ? row->updated_us : 0), skip));
}

static int bad_token(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidUrlQuery", NULL,
                     "The specified delta or skip token isn't valid here.");
}

/* A state that the world does not have any more, or has not yet. */
static int lost(struct call *c, int64_t since, int64_t newest)
{
    return call_fail(c, SOSIA_E_GONE, "SyncStateNotFound", NULL,
                     "The sync state generation is not found; generation=%lld;[highest=%lld][%lld]"
                     "[%lld].",
                     (long long)since, (long long)newest, (long long)newest, (long long)newest);
}

static int read_token(struct round *r, const char *token)
{
    struct call *c = r->at.c;
    const char *text;
    long long min, max, since, target, row, row_us;
    if (graph_unseal(c->tx.arena, purpose(r), token, &text) != 1 ||
        sscanf(text, "%lld %lld %lld %lld %lld %lld %zu", &min, &max, &since, &target, &row,
               &row_us, &r->skip) != 7)
        return bad_token(c);
    r->min_us = min;
    r->max_us = max;
    r->since = since;
    r->target = target;
    r->row = row;
    r->row_us = row_us;
    if (since > r->at.cal.newest || target > r->at.cal.newest)
        return lost(c, since, r->at.cal.newest);
    return 0;
}

/* ---- what changed ---- */

static bool inside(const struct round *r, const struct cal_event *ev)
{
    int64_t start = cal_event_instant(r->at.cal.tz, ev->all_day, ev->start_us),
            end = cal_event_instant(r->at.cal.tz, ev->all_day, event_end(ev));
    return start < r->max_us && (end > r->min_us || (start == end && end == r->min_us));
}

struct changed {
    struct cal_event *list;
    size_t n, cap;
    struct tx *tx;
    int64_t until;
};

static int take_changed(void *arg, struct cal_event *ev, const struct record *row)
{
    struct changed *f = arg;
    (void)row;
    if (ev->change > f->until)
        return 0;
    f->list = arena_grow(f->tx->arena, f->list, f->n, &f->cap, sizeof *f->list);
    if (!f->list)
        return sosia_fail_memory(f->tx->err);
    f->list[f->n] = *ev;
    cal_event_keep(f->tx->arena, &f->list[f->n++]);
    return 0;
}

/* Rows that changed after r->since, tombstones too. */
static int find_changed(struct round *r, struct changed *ret)
{
    struct call *c = r->at.c;
    const char *position;
    struct cal_event_query q = {.min_us = INT64_MIN,
                                .max_us = INT64_MAX,
                                .deleted = true,
                                .order = ORDER_UPDATE,
                                .updated_min_us = INT64_MIN,
                                .changed = r->since,
                                .limit = SIZE_MAX};
    *ret = (struct changed){.tx = &c->tx, .until = r->target};
    if (r->instances) /* they have their series' change */
        return r->series.change > r->since ? take_changed(ret, &r->series, NULL) : 0;
    return cal_event_list(&c->tx, &r->at.cal, &q, take_changed, ret, &position) < 0
               ? ocal_refused(c)
               : 0;
}

/* Takes out what earlier pages gave: a row that changes between two pages leaves the round, so that
 * a count of them would pass over others. *ret_skip: entries of the first one that were given. */
static int go_on(struct round *r, struct changed *found, size_t *ret_skip)
{
    const char *key;
    int64_t calendar;
    size_t i = 0;
    *ret_skip = 0;
    if (!r->row)
        return 0;
    int known = cal_event_key_of(&r->at.c->tx, r->row, &key, &calendar);
    if (known < 0)
        return -1;
    while (i < found->n && (found->list[i].updated_us < r->row_us ||
                            (found->list[i].updated_us == r->row_us && known &&
                             strcmp(found->list[i].key, key) < 0)))
        i++;
    found->list += i;
    found->n -= i;
    if (found->n && found->list[0].id == r->row)
        *ret_skip = r->skip;
    return 0;
}

/* ---- writing ---- */

struct page {
    struct round *r;
    size_t at, skip; /* entries of the row: how many were met, how many an earlier page gave */
    size_t given, size;
    bool more;
};

/* Is the next entry on the page? */
static bool on_page(struct page *p)
{
    if (p->at < p->skip) {
        p->at++;
        return false;
    }
    if (p->given == p->size) {
        p->more = true;
        return false;
    }
    p->at++;
    p->given++;
    return true;
}

static void write_removed(struct page *p, const struct cal_event *ev)
{
    struct json_writer *w = p->r->at.c->out;
    if (!on_page(p))
        return;
    json_obj(w, NULL);
    json_word(w, "@odata.type", "#microsoft.graph.event");
    json_str(w, "id", ocal_event_id(&p->r->at, ev));
    json_obj(w, "@removed");
    json_word(w, "reason", "deleted");
    json_end(w);
    json_end(w);
}

static int write_there(struct page *p, struct cal_event *ev)
{
    return on_page(p) ? ocal_write_event(&p->r->at, NULL, ev) : 0;
}

/* The occurrences of a changed series that lie in the window (MG-645: a series' pages are not
 * split, which the service has for its own; here they are). */
static int write_series(struct page *p, struct cal_event *series)
{
    struct round *r = p->r;
    struct ocal_found found;
    struct cal_event_query q = {.min_us = r->min_us,
                                .max_us = r->max_us,
                                .single = true,
                                .order = ORDER_START,
                                .series = series};
    if (ocal_find(&r->at, &q, 0, &found) < 0)
        return -1;
    if (!found.n) { /* none is in the window any more */
        if (r->since >= 0)
            write_removed(p, series);
        return 0;
    }
    if (write_there(p, series) < 0)
        return -1;
    for (size_t i = 0; i < found.n; i++)
        if (write_there(p, &found.list[i]) < 0)
            return -1;
    return 0;
}

/* The occurrences of the series in the window, and by a later round those that it lost. */
static int write_instances(struct page *p, struct cal_event *series)
{
    struct round *r = p->r;
    struct cal_event gone = {.original_us = INT64_MIN};
    struct ocal_found found;
    struct cal_event_query q = {.min_us = r->min_us,
                                .max_us = r->max_us,
                                .single = true,
                                .order = ORDER_START,
                                .series = series};
    int lost = 0;
    if (ocal_find(&r->at, &q, 0, &found) < 0)
        return -1;
    for (size_t i = 0; i < found.n; i++)
        if (write_there(p, &found.list[i]) < 0)
            return -1;
    while (r->since >= 0 &&
           (lost = cal_event_next_changed(&r->at.c->tx, series->id, gone.original_us, &gone)) == 1)
        if (!ocal_shows(&gone) && inside(r, &gone))
            write_removed(p, &gone);
    return lost < 0 ? -1 : 0;
}

static int write_entry(struct page *p, struct cal_event *ev)
{
    struct round *r = p->r;
    const bool first = r->since < 0, shown = ocal_shows(ev);
    if (r->instances)
        return write_instances(p, ev);
    if (ev->form == EVENT_INSTANCE && ev->master)
        return 0; /* it comes with its series, and goes without a word (MG-645) */
    if (!shown || (r->window && ev->form != EVENT_SERIES && !inside(r, ev))) {
        if (!first)
            write_removed(p, ev);
        return 0;
    }
    return r->window && ev->form == EVENT_SERIES ? write_series(p, ev) : write_there(p, ev);
}

static int answer(struct round *r)
{
    struct call *c = r->at.c;
    const char *max = graph_prefer(c, "odata.maxpagesize");
    struct page p = {.r = r, .size = max ? strtoul(max, NULL, 10) : OCAL_PAGE};
    struct changed found = {0};
    if (p.size < 1 || p.size > OCAL_MAX_PAGE)
        p.size = OCAL_MAX_PAGE;
    if (max)
        graph_applied(c, "odata.maxpagesize", max, false);
    r->at.bare_time = true;
    r->at.no_links = true;
    if (r->since < r->target && (find_changed(r, &found) < 0 || go_on(r, &found, &p.skip) < 0))
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(event)");
    json_arr(c->out, "value");
    size_t i = 0;
    for (; i < found.n; i++, p.at = p.skip = 0) {
        if (write_entry(&p, &found.list[i]) < 0)
            return -1;
        if (p.more)
            break;
    }
    json_end(c->out);
    if (p.more)
        json_str(
            c->out, "@odata.nextLink",
            graph_link(c, "$skiptoken", token_of(r, r->since, r->target, &found.list[i], p.at)));
    else
        json_str(c->out, "@odata.deltaLink",
                 graph_link(c, "$deltatoken", token_of(r, r->target, r->target, NULL, 0)));
    json_end(c->out);
    return 0;
}

static int open_series(struct round *r)
{
    if (ocal_event(&r->at, CAL_READ, &r->series) < 0)
        return -1;
    return r->series.form == EVENT_SERIES
               ? 0
               : call_fail(r->at.c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                           "Expand is only supported on a recurring master.");
}

static int delta(struct call *c, bool window, bool instances)
{
    struct round r = {.window = window,
                      .instances = instances,
                      .since = -1,
                      .min_us = INT64_MIN,
                      .max_us = INT64_MAX};
    if (ocal_open(c, instances ? CAL_FREEBUSY : CAL_READ, &r.at) < 0 ||
        (instances && open_series(&r) < 0))
        return -1;
    const char *next = graph_option(c, "$skiptoken"), *link = graph_option(c, "$deltatoken");
    r.target = r.at.cal.newest;
    if (next || link) {
        if (read_token(&r, next ? next : link) < 0)
            return -1;
        if (link)
            r.target = r.at.cal.newest;
    } else if (window && ocal_window(c, &r.min_us, &r.max_us) < 0) {
        return -1;
    }
    return answer(&r);
}

static int view_delta(struct call *c)
{
    return delta(c, true, false);
}

static int events_delta(struct call *c)
{
    return delta(c, false, false);
}

static int instances_delta(struct call *c)
{
    return delta(c, true, true);
}

static const struct route methods[] = {
    {ROUTE("outlook.calendarView.delta", GET, GRAPH_MY("/calendarView/delta()"),
           OF_CALENDAR("/calendarView/delta()")),
     .handler = view_delta, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_window_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What changed in a stretch of time of a calendar"},
    {ROUTE("outlook.events.delta", GET, GRAPH_MY("/events/delta()"),
           OF_CALENDAR("/events/delta()")),
     .handler = events_delta, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_list_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What changed in a calendar"},
    {ROUTE("outlook.events.instances.delta", GET, OF_EVENT("/instances/delta()")),
     .handler = instances_delta, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_window_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What changed among the occurrences of a series in a stretch of time"},
    {ROUTE("outlook.groups.calendarView.delta", GET, OF_GROUP("/calendarView/delta()")),
     .handler = view_delta, .risk = RISK_READ, .token_kinds = TOKEN_USER, .scopes = OCAL_GROUP_READ,
     PARAMS(ocal_group_window_params), .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What changed in a stretch of time of a group's calendar"},
    {ROUTE("outlook.groups.events.delta", GET, OF_GROUP("/events/delta()")),
     .handler = events_delta, .risk = RISK_READ, .token_kinds = TOKEN_USER,
     .scopes = OCAL_GROUP_READ, PARAMS(ocal_group_list_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What changed in a group's calendar"},
    {ROUTE("outlook.groups.events.instances.delta", GET,
           OF_GROUP("/events/{event-id}/instances/delta()")),
     .handler = instances_delta, .risk = RISK_READ, .token_kinds = TOKEN_USER,
     .scopes = OCAL_GROUP_READ, PARAMS(ocal_group_window_params),
     .response = "microsoft.graph.eventCollectionResponse",
     .summary = "What changed among the occurrences of a group's series in a stretch of time"},
};

const struct rows ocal_deltas = ROWS(methods);
