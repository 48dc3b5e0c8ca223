/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/took.h"
#include "engine/world/engine.h"
#include <stdlib.h>

enum { TOOK_FIRST = 16 }; /* most worlds have few calls */

/* An entry has the place of its number: what is there of another one is older. */
struct took_calls {
    uint32_t room; /* a power of two */
    uint32_t n;    /* that were put down so far */
    int64_t last_us;
    struct one_call {
        uint32_t seq, us; /* seq: its last 32 bits; 0 us and 0 seq: none */
    } list[];
};

static uint32_t next_room(const struct took_calls *t)
{
    if (!t)
        return TOOK_FIRST;
    return t->n < t->room || t->room == TOOK_MAX ? t->room : t->room * 2;
}

static struct took_calls *enlarge(struct took_calls *old, uint32_t room)
{
    struct took_calls *t = calloc(1, sizeof *t + room * sizeof t->list[0]);
    if (!t)
        return NULL;
    t->room = room;
    t->n = old ? old->n : 0;
    t->last_us = old ? old->last_us : 0;
    for (uint32_t i = 0; old && i < old->room; i++)
        if (old->list[i].seq)
            t->list[old->list[i].seq & (room - 1)] = old->list[i];
    free(old);
    return t;
}

void took_add(struct world *w, int64_t seq, int64_t began_us, int64_t ended_us)
{
    const int64_t us = ended_us - began_us;
    struct world_extra *x = world_extra(w);
    if (!x || seq < 1)
        return;
    const uint32_t room = next_room(x->took);
    if (!x->took || x->took->room < room) {
        struct took_calls *t = enlarge(x->took, room);
        if (!t)
            return;
        x->took = t;
    }
    x->took->n++;
    x->took->last_us = ended_us;
    x->took->list[seq & (room - 1)] = (struct one_call){.seq = (uint32_t)seq,
                                                        .us = us < 0            ? 0
                                                              : us > UINT32_MAX ? UINT32_MAX
                                                                                : (uint32_t)us};
}

int64_t took_of(const struct world *w, int64_t seq)
{
    const struct took_calls *t = w->extra ? w->extra->took : NULL;
    if (!t || seq < 1)
        return -1;
    const struct one_call *one = &t->list[seq & (t->room - 1)];
    return one->seq == (uint32_t)seq ? (int64_t)one->us : -1;
}

int64_t took_last(const struct world *w)
{
    return w->extra && w->extra->took ? w->extra->took->last_us : 0;
}

void took_clear(struct world *w)
{
    if (!w->extra)
        return;
    free(w->extra->took);
    w->extra->took = NULL;
}
