/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the person's own calendar as /search/query finds them: those that have all words. */
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
