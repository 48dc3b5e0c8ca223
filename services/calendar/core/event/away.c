/* SPDX-License-Identifier: Apache-2.0 */
/* Times of absence: their effect on invitations that are there already. (New ones: copy.c.) */
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/list.h"

/* An absence of years: how many invitations in it are declined, how many of them of one series
 * (each becomes a row, and is one more whose series changes), and how many events are looked at. */
#define MOST_DECLINED  1000
#define MOST_OF_SERIES 100
#define MOST_SEEN      20000

struct found {
    struct found *next;
    const char *key;
    int64_t series; /* 0: of none */
};

struct search {
    struct tx *tx;
    struct found *first, **end;
    size_t n;
};

static bool has_enough(const struct search *s, int64_t series)
{
    int n = 0;
    for (const struct found *f = series ? s->first : NULL; f && n < MOST_OF_SERIES; f = f->next)
        n += f->series == series;
    return n == MOST_OF_SERIES;
}

static int collect(void *arg, struct cal_event *ev, const struct record *row)
{
    struct search *s = arg;
    if ((!ev->origin && !ev->organizer) || ev->response == RESPONSE_NO_GUEST ||
        ev->response == RESPONSE_DECLINED || has_enough(s, ev->master))
        return 0;
    *s->end = arena_calloc(s->tx->arena, 1, sizeof **s->end);
    if (arena_failed(s->tx->arena))
        return sosia_fail_memory(s->tx->err);
    (*s->end)->key = arena_strdup(s->tx->arena, ev->key);
    (*s->end)->series = ev->master;
    s->end = &(*s->end)->next;
    return ++s->n == MOST_DECLINED;
}

static int decline(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                   const char *key, const char *message)
{
    struct cal_event old, ev;
    int r = cal_event_find(tx, cal, key, &old);
    if (r != 1 || cal_event_load_attendees(tx, &old) < 0)
        return r < 0 ? -1 : 0;
    ev = old;
    int self = cal_event_self(cal, &ev);
    if (self < 0)
        return 0;
    size_t size = (size_t)ev.n_attendees * sizeof *ev.attendees;
    ev.attendees = (struct cal_attendee *)arena_memdup(tx->arena, ev.attendees, size);
    ev.attendees[self].response = RESPONSE_DECLINED;
    if (message)
        ev.attendees[self].comment = message;
    return cal_event_save(tx, by, cal, &old, &ev);
}

int cal_away_declines(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                      const struct cal_event *away)
{
    struct search s = {.tx = tx};
    const char *position;
    s.end = &s.first;
    if (away->decline != DECLINE_ALL || away->form == EVENT_SERIES)
        return 0;
    struct cal_event_query q = {.min_us = away->start_us,
                                .max_us = event_end(away),
                                .single = true,
                                .updated_min_us = INT64_MIN,
                                .changed = -1,
                                .limit = MOST_SEEN};
    if (cal_event_list(tx, cal, &q, collect, &s, &position) < 0)
        return -1;
    for (const struct found *f = s.first; f; f = f->next)
        if (decline(tx, by, cal, f->key, away->decline_text) < 0)
            return -1;
    return 0;
}
