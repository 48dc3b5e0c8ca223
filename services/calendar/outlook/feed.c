/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a calendar as what subscriptions watch. */
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/subscription.h"

/* Who makes ids without a call of the dialect's. */
struct maker {
    struct call c; /* of its transaction the arena is used */
    struct ocal_at at;
};

static void maker_init(struct maker *m, struct tx *tx, const char *tenant, const char *address)
{
    memset(m, 0, sizeof *m);
    m->c.tx = *tx;
    m->at.c = &m->c;
    graph_store_of(tx->arena, tenant, address, &m->at.store);
}

/* ---- which calendar ---- */

static int watched_calendar(struct tx *tx, const struct graph_user *u, const char *rest,
                            struct calendar *ret)
{
    struct maker m;
    int64_t id;
    const char *key = NULL;
    if (graph_resource_word(&rest, "calendars") && !(key = graph_resource_key(tx->arena, &rest)))
        return 0;
    if (!key)
        (void)graph_resource_word(&rest, "calendar");
    if (!graph_resource_word(&rest, "events") || (*rest && strcmp(rest, "/") != 0))
        return 0;
    if (!key)
        return calendar_of_account(tx, u->account.id, ret);
    maker_init(&m, tx, u->tenant, u->actor.email);
    int r = ocal_calendar_of_id(&m.at, key, &id) == 1 ? calendar_by_id(tx, id, ret) : 0;
    return r == 1 && (ret->owner != u->actor.id || ret->vendor != &ocal_vendor || ret->gone) ? 0
                                                                                             : r;
}

static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    struct graph_user u;
    struct calendar cal;
    enum cal_role role = CAL_OWN;
    const char *rest;
    int r = graph_resource_user(tx, who, resource, ACCOUNT_CALENDAR, &u, &rest);
    if (r == 1)
        r = watched_calendar(tx, &u, rest, &cal);
    if (r != 1)
        return r;
    if (!who->app_only && calendar_role(tx, &cal, &who->actor, &role) < 0)
        return -1;
    if (role < CAL_READ)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "ErrorAccessDenied", NULL,
                       "Access is denied. Check credentials and try again.");
    *ret =
        (struct graph_watch){.scope = cal.id,
                             .part = u.actor.email,
                             .path = arena_printf(tx->arena, "Users/%s@%s/Events", u.oid, u.tenant),
                             .tenant = u.tenant};
    return 1;
}

static int feed_may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    struct calendar cal;
    enum cal_role role = CAL_OWN;
    int r = graph_watcher_there(tx, who);
    if (r == 1)
        r = calendar_by_id(tx, w->scope, &cal);
    if (r != 1 || who->app_only || cal.owner == who->actor.id)
        return r;
    return calendar_role(tx, &cal, &who->actor, &role) < 0 ? -1 : role >= CAL_READ;
}

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    struct calendar cal;
    int r = calendar_by_id(tx, w->scope, &cal);
    *ret = r == 1 ? cal.newest : 0;
    return r < 0 ? -1 : 0;
}

/* ---- changes ---- */

struct looked {
    struct tx *tx;
    struct cal_event *list;
    size_t n, cap;
};

static int take_event(void *arg, struct cal_event *ev, const struct record *row)
{
    struct looked *l = arg;
    (void)row;
    l->list = arena_grow(l->tx->arena, l->list, l->n, &l->cap, sizeof *l->list);
    if (!l->list)
        return sosia_fail_memory(l->tx->err);
    l->list[l->n] = *ev;
    cal_event_keep(l->tx->arena, &l->list[l->n++]);
    return 0;
}

static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    struct looked found = {.tx = tx};
    struct calendar cal;
    struct maker m;
    const char *more;
    const struct cal_event_query q = {.min_us = INT64_MIN,
                                      .max_us = INT64_MAX,
                                      .deleted = true,
                                      .order = ORDER_UPDATE,
                                      .updated_min_us = INT64_MIN,
                                      .changed = after,
                                      .limit = SIZE_MAX};
    *ret_last = after;
    int r = calendar_by_id(tx, w->scope, &cal);
    if (r == 1)
        r = cal_event_list(tx, &cal, &q, take_event, &found, &more) < 0 ? -1 : 1;
    if (r != 1)
        return r;
    *ret_last = cal.newest;
    maker_init(&m, tx, w->tenant, w->part);
    m.at.cal = cal;
    for (size_t i = 0; i < found.n; i++) {
        const struct cal_event *ev = &found.list[i];
        const bool there = ocal_shows(ev);
        const struct graph_change change = {.operation = !there ? OP_REMOVED
                                                         : ev->created_us == ev->updated_us
                                                             ? OP_ADDED
                                                             : OP_CHANGED,
                                            .id = ocal_event_id(&m.at, ev),
                                            .etag = there ? ocal_etag(&m.at, ev->change) : NULL,
                                            .thing = there ? ev : NULL};
        if ((r = fn(arg, &change)))
            return r;
    }
    return 0;
}

/* ---- resource data ---- */

static int feed_data(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w,
                     const struct graph_change *change, const struct odata_query *q,
                     struct json_writer *out)
{
    struct cal_event ev;
    struct maker m;
    if (!change->thing)
        return 0;
    ev = *(const struct cal_event *)change->thing;
    maker_init(&m, tx, w->tenant, w->part);
    int r = calendar_by_id(tx, w->scope, &m.at.cal);
    if (r == 1 && who->app_only)
        m.at.cal.role = CAL_OWN;
    else if (r == 1 && calendar_open_for(tx, &m.at.cal, &who->actor) < 0)
        return -1;
    if (r == 1)
        r = actor_by_id(tx, m.at.cal.owner, &m.at.user.actor);
    if (r != 1)
        return r;
    m.c.out = out;
    m.at.query = q;
    m.at.zone = "UTC";
    m.at.tz = tz_find("UTC");
    return ocal_write_members(&m.at, &ev) < 0 ? -1 : 1;
}

const struct graph_feed ocal_feed = {.kind = CHANGED_EVENTS,
                                     .type = "#Microsoft.Graph.Event",
                                     .scopes = OCAL_READ,
                                     .data_scopes = OCAL_READ_DATA,
                                     .max_minutes = 10080,
                                     .max_minutes_data = 1440,
                                     .selected = true,
                                     .data = feed_data,
                                     .open = feed_open,
                                     .may = feed_may,
                                     .position = feed_position,
                                     .changes = feed_changes};
