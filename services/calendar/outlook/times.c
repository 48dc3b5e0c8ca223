/* SPDX-License-Identifier: Apache-2.0 */
/* When people and rooms are busy, as others may see it. */
#include "services/calendar/outlook/schedule.h"

int ocal_schedule_of(struct ocal_at *at, const char *address, struct ocal_schedule *ret)
{
    struct tx *tx = &at->c->tx;
    struct account seen;
    *ret = (struct ocal_schedule){0};
    int r = calendar_by_address(tx, address, &ret->cal);
    if (r == 1)
        r = account_get(tx, ret->cal.account, &seen);
    if (r == 1)
        r = account_sees_busy(tx, &at->user.account, at->user.actor.email, &seen, ret->cal.address);
    if (r == 1 && calendar_open_for(tx, &ret->cal, &at->c->actor) < 0)
        return -1;
    return r;
}

struct taker {
    struct ocal_at *at;
    struct ocal_schedule *s;
    size_t cap;
};

/* The gravest first: what a slot shows of several. */
const int ocal_busy_weights[] = {[BUSY_FREE] = 0, [BUSY_TENTATIVE] = 2, [BUSY_BUSY] = 3,
                                 [BUSY_AWAY] = 4, [BUSY_ELSEWHERE] = 1, [BUSY_UNKNOWN] = 2};

static int take_time(void *arg, struct cal_event *ev, const struct record *row)
{
    struct taker *t = arg;
    struct tx *tx = &t->at->c->tx;
    (void)row;
    if (ev->response == RESPONSE_DECLINED || ev->status == EVENT_CANCELLED)
        return 0;
    if (t->s->n == OCAL_MOST_TIMES) {
        t->s->too_many = true;
        return 1;
    }
    t->s->items = arena_grow(tx->arena, t->s->items, t->s->n, &t->cap, sizeof *t->s->items);
    if (!t->s->items)
        return sosia_fail_memory(tx->err);
    struct ocal_time *item = &t->s->items[t->s->n++];
    const bool reads = t->s->cal.role >= CAL_READ && ev->visibility != VISIBLE_PRIVATE &&
                       ev->visibility != VISIBLE_CONFIDENTIAL;
    const bool shown = (reads || cal_event_named(&t->s->cal, ev)) && ev->busy != BUSY_FREE;
    *item = (struct ocal_time){
        .start_us = cal_event_instant(t->s->cal.tz, ev->all_day, ev->start_us),
        .end_us = cal_event_instant(t->s->cal.tz, ev->all_day, event_end(ev)),
        .busy = ev->busy,
        .shown = t->s->cal.role >= CAL_READ || t->s->cal.beyond & CAL_TITLES,
        .is_private = ev->visibility == VISIBLE_PRIVATE,
        .subject = shown ? arena_strdup(tx->arena, ev->summary ? ev->summary : "") : NULL,
        .location = shown && ev->location ? arena_strdup(tx->arena, ev->location) : NULL};
    return 0;
}

int ocal_schedule_read(struct ocal_at *at, int64_t min_us, int64_t max_us, struct ocal_schedule *s)
{
    struct taker t = {.at = at, .s = s};
    const char *position;
    struct cal_event_query q = {.min_us = min_us,
                                .max_us = max_us,
                                .single = true,
                                .order = ORDER_START,
                                .updated_min_us = INT64_MIN,
                                .changed = -1,
                                .limit = SIZE_MAX};
    return cal_event_list(&at->c->tx, &s->cal, &q, take_time, &t, &position);
}

enum cal_busy ocal_schedule_at(const struct ocal_schedule *s, int64_t start_us, int64_t end_us)
{
    enum cal_busy busy = BUSY_FREE;
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].start_us < end_us && s->items[i].end_us > start_us &&
            ocal_busy_weights[s->items[i].busy] > ocal_busy_weights[busy])
            busy = s->items[i].busy;
    return busy;
}
