/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a change of an event reaches, and the risk of that. */
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"

struct reach {
    int n;
    struct cal_event events[2];
};

int ocal_reaches(struct call *c, const struct cal_event *before, const struct cal_event *after)
{
    struct reach *r = arena_calloc(c->tx.arena, 1, sizeof *r);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (before)
        r->events[r->n++] = *before;
    r->events[r->n++] = *after;
    c->reach = r;
    return 0;
}

static int is_outside(struct call *c, const char *email)
{
    struct calendar cal;
    int r = identity_is_outside(&c->tx, email);
    if (r == 1 && (r = calendar_by_address(&c->tx, email, &cal)) >= 0)
        r = !r;
    return r;
}

int ocal_event_risk(struct call *c, enum risk *ret)
{
    const struct reach *reach = c->reach;
    int r = 0;
    for (int i = 0; reach && r == 0 && i < reach->n; i++) {
        const struct cal_event *ev = &reach->events[i];
        r = ev->organizer ? is_outside(c, ev->organizer) : 0;
        for (int k = 0; r == 0 && ev->attendees && k < ev->n_attendees; k++)
            r = is_outside(c, ev->attendees[k].email);
    }
    if (r == 1)
        *ret = RISK_EXTERNAL;
    return r < 0 ? -1 : 0;
}
