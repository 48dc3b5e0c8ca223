/* SPDX-License-Identifier: Apache-2.0 */
/* Finding events: those of a query, and those of the person's own calendar that have all words, as
 * /search/query finds them. */
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/find.h"

#define SHOWN                                                                                      \
    "hasAttachments,iCalUId,isAllDay,sensitivity,subject,type,webLink,isOrganizer,isCancelled,"    \
    "importance,showAs,bodyPreview,start,end,location,attendees,organizer"

struct shown {
    struct ocal_at *at;
    struct cal_event *event;
};

static int write_shown(struct call *c, void *arg)
{
    struct shown *s = arg;
    (void)c;
    return ocal_write_members(s->at, s->event);
}

/* The words of a query: quotes are passed over. */
static const char *words_of(struct arena *a, const char *text)
{
    char *words = arena_strdup(a, text);
    for (char *p = words; *p; p++)
        if (*p == '"')
            *p = ' ';
    return words;
}

static int find_events(struct call *c, struct graph_find *f)
{
    static const struct odata_pair pairs[] = {{"$select", SHOWN}};
    struct cal_event_query q = {.min_us = INT64_MIN,
                                .max_us = INT64_MAX,
                                .updated_min_us = INT64_MIN,
                                .changed = -1,
                                .text = words_of(c->tx.arena, f->text)};
    const struct json_mask *mask;
    const char *message = NULL;
    struct ocal_found found = {.n = 0};
    struct odata_query options;
    struct ocal_at at;
    if (ocal_open(c, CAL_READ, &at) < 0 ||
        odata_parse(c->tx.arena, edm_type_find("event", 5), NULL, pairs, 1, &options, &message,
                    c->tx.err) < 0 ||
        odata_mask(c->tx.arena, &options, 0, &mask, c->tx.err) < 0 ||
        ocal_find(&at, &q, 0, &found) < 0)
        return -1;
    at.query = &options;
    f->total = (int64_t)found.n;
    for (int64_t i = f->from; i < f->total && f->n < f->size; i++) {
        struct shown s = {&at, &found.list[i]};
        if (graph_hit(c, f, ocal_event_id(&at, s.event), "event", mask, write_shown, &s) < 0)
            return -1;
    }
    f->more = f->from + f->n < f->total;
    return 0;
}

const struct graph_finder ocal_finder = {
    .entity = "event", .scopes = "Calendars.Read Calendars.ReadWrite", .find = find_events};

struct finder {
    struct ocal_at *at;
    struct ocal_found *found;
    const struct odata_expr *filter;
    size_t want;
    bool series; /* in the place of their occurrences, changed ones too */
};

const struct json *ocal_event_json(struct ocal_at *at, struct cal_event *ev)
{
    struct call *c = at->c;
    struct json_writer *old = c->out, w;
    const struct odata_query *query = at->query;
    const bool links = at->no_links;
    const struct json *v = NULL;
    struct buf b;
    json_start(&w, &b);
    c->out = &w;
    at->no_links = at->all_kept = true;
    at->query = NULL;
    int r = ocal_write_event(at, NULL, ev);
    at->query = query;
    at->no_links = links;
    at->all_kept = false;
    c->out = old;
    if (r == 0 && !buf_failed(&b))
        r = json_parse(c->tx.arena, b.data, b.len, NULL, &v, c->tx.err);
    buf_done(&b);
    return r < 0 ? NULL : v;
}

bool ocal_is_listed(const struct cal_event *ev)
{
    return ocal_shows(ev) && !(ev->form == EVENT_INSTANCE && ev->master);
}

static int take_found(void *arg, struct cal_event *ev, const struct record *row)
{
    struct finder *f = arg;
    struct tx *tx = &f->at->c->tx;
    struct ocal_found *found = f->found;
    struct cal_event copy = *ev;
    (void)row;
    if (f->series ? !ocal_is_listed(ev) : !ocal_shows(ev))
        return 0;
    cal_event_keep(tx->arena, &copy);
    if (f->filter) {
        const struct odata_ctx ctx = {
            .arena = tx->arena, .get = odata_get_json, .now_us = tx->now_us};
        const struct json *v = ocal_event_json(f->at, &copy);
        int r = v ? odata_matches(&ctx, f->filter, v) : -1;
        if (r < 1)
            return r;
    }
    found->list = arena_grow(tx->arena, found->list, found->n, &found->cap, sizeof *found->list);
    if (!found->list)
        return sosia_fail_memory(tx->err);
    found->list[found->n++] = copy;
    return f->want && found->n >= f->want;
}

void ocal_want_all(struct cal_event_query *q)
{
    q->deleted = true;
    q->updated_min_us = INT64_MIN;
    q->changed = -1;
    q->limit = SIZE_MAX;
}

int ocal_find(struct ocal_at *at, struct cal_event_query *q, size_t want, struct ocal_found *ret)
{
    struct finder f = {
        .at = at, .found = ret, .want = want, .filter = at->query ? at->query->filter : NULL};
    const char *position;
    f.series = !q->single;
    *ret = (struct ocal_found){0};
    ocal_want_all(q);
    return cal_event_list(&at->c->tx, &at->cal, q, take_found, &f, &position) < 0
               ? ocal_refused(at->c)
               : 0;
}
