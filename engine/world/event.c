/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/event.h"
#include "engine/world/core.h"
#include "engine/world/engine.h"
#include <stdlib.h>

#define MAX_ROUNDS 16 /* subscribers that raise events which raise events */

void event_raise(struct tx *tx, const struct world_event *event)
{
    struct world_event *new = arena_alloc(tx->arena, sizeof *new);
    if (arena_failed(tx->arena))
        return;
    *new = *event;
    new->next = NULL;
    new->number = ++tx->n_events;
    new->actor = tx->actor;
    new->app = tx->app;
    if (tx->last_event)
        tx->last_event->next = new;
    else
        tx->events = new;
    tx->last_event = new;
}

void event_note(struct tx *tx, const char *kind, enum event_operation operation, int64_t scope,
                int64_t entity)
{
    event_raise(tx, &(struct world_event){
                        .kind = kind, .operation = operation, .scope = scope, .entity = entity});
}

static int by_scope(const void *pa, const void *pb)
{
    const struct world_event *a = *(const struct world_event *const *)pa,
                             *b = *(const struct world_event *const *)pb;
    int r = strcmp(a->kind, b->kind);
    if (r == 0)
        r = (a->scope > b->scope) - (a->scope < b->scope);
    return r ? r : (a->number > b->number) - (a->number < b->number);
}

static int by_number(const void *pa, const void *pb)
{
    const struct world_event *a = *(const struct world_event *const *)pa,
                             *b = *(const struct world_event *const *)pb;
    return (a->number > b->number) - (a->number < b->number);
}

int events_distinct(struct tx *tx, const struct world_event *first, const char *kind,
                    const struct world_event ***ret, size_t *ret_n)
{
    size_t n = 0, kept = 0;
    for (const struct world_event *e = first; e; e = e->next)
        n += !kind || strcmp(e->kind, kind) == 0;
    const struct world_event **list = arena_alloc(tx->arena, (n + 1) * sizeof *list);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    n = 0;
    for (const struct world_event *e = first; e; e = e->next)
        if (!kind || strcmp(e->kind, kind) == 0)
            list[n++] = e;
    if (n > 1)
        qsort(list, n, sizeof *list, by_scope);
    for (size_t i = 0; i < n; i++)
        if (!i || list[i]->scope != list[i - 1]->scope ||
            strcmp(list[i]->kind, list[i - 1]->kind) != 0)
            list[kept++] = list[i];
    if (kept > 1)
        qsort(list, kept, sizeof *list, by_number);
    *ret = list;
    *ret_n = kept;
    return 0;
}

int events_deliver(struct tx *tx)
{
    for (int round = 0;; round++) {
        if (tx_do_later(tx) < 0)
            return -1;
        const struct world_event *first = tx->events;
        tx->events = tx->last_event = NULL;
        if (!first)
            return 0;
        if (round == MAX_ROUNDS)
            return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "events raise events without end");
        for (const struct sosia_core **c = tx->engine->cores; *c; c++)
            if ((*c)->events && (*c)->events(tx, first) < 0)
                return -1;
        struct delivered *delivered = arena_alloc(tx->arena, sizeof *delivered);
        *delivered = (struct delivered){.next = tx->delivered, .first = first};
        tx->delivered = delivered;
    }
}
