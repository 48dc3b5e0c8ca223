/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/model.h"
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static size_t place(const struct numbers *s, uint32_t v)
{
    size_t i = s->n;
    while (i && s->v[i - 1] >= v)
        i--;
    return i;
}

void numbers_add(struct numbers *s, uint32_t v)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 16;
        s->v = must(realloc(s->v, s->cap * sizeof *s->v));
    }
    size_t i = place(s, v);
    memmove(s->v + i + 1, s->v + i, (s->n - i) * sizeof *s->v);
    s->v[i] = v;
    s->n++;
}

bool numbers_have(const struct numbers *s, uint32_t v)
{
    size_t i = place(s, v);
    return i < s->n && s->v[i] == v;
}

void numbers_copy(struct numbers *to, const struct numbers *from)
{
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        numbers_add(to, from->v[i]);
}

bool numbers_equal(const struct numbers *a, const struct numbers *b)
{
    return a->n == b->n && (!a->n || memcmp(a->v, b->v, a->n * sizeof *a->v) == 0);
}

struct expected *model_find(const struct model *m, uint64_t id)
{
    struct expected *x = m->first;
    while (x && x->id != id)
        x = x->next;
    return x;
}

static struct expected *model_add(struct model *m, uint64_t id, int owner)
{
    struct expected *x = must(calloc(1, sizeof *x));
    x->id = id;
    x->owner = owner;
    x->next = m->first;
    m->first = x;
    return x;
}

static void world_free(struct expected *x)
{
    free(x->now.v);
    free(x->start.v);
    free(x->journal.v);
    free(x);
}

static void remove_world(struct model *m, uint64_t id)
{
    struct expected **at = &m->first;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    struct expected *x = *at;
    if (!x)
        return;
    *at = x->next;
    world_free(x);
}

static void start_here(struct expected *x)
{
    numbers_copy(&x->start, &x->now);
    x->start_clock = x->clock;
}

static void make(struct model *m, const struct record *r, const struct expected *from)
{
    struct expected *x = model_add(m, r->made, r->thread);
    x->snapshot = r->op == OP_SNAPSHOT;
    if (r->op == OP_CREATE) {
        numbers_add(&x->now, r->number);
    } else {
        numbers_copy(&x->now, &from->now);
        x->clock = from->clock;
    }
    start_here(x);
}

void model_apply(struct model *m, const struct record *r)
{
    struct expected *x = model_find(m, r->world), *other;
    switch ((enum op)r->op) {
    case OP_ADD:
        numbers_add(&x->now, r->number);
        break;
    case OP_NOTE:
        numbers_add(&x->journal, r->number);
        break;
    case OP_CLOCK:
        x->clock = r->number;
        break;
    case OP_RESET:
        numbers_copy(&x->now, &x->start);
        x->clock = x->start_clock;
        x->journal.n = 0;
        break;
    case OP_RESET_TO:
        other = model_find(m, r->other);
        numbers_copy(&x->now, &other->now);
        x->clock = other->clock;
        x->journal.n = 0;
        start_here(x);
        break;
    case OP_DROP:
        remove_world(m, r->world);
        break;
    case OP_CREATE:
    case OP_FORK:
    case OP_SNAPSHOT:
        make(m, r, x);
        break;
    case N_OPS:
        break;
    }
}

void model_copy_world(struct model *to, const struct expected *from)
{
    struct expected *x = model_add(to, from->id, from->owner);
    numbers_copy(&x->now, &from->now);
    numbers_copy(&x->start, &from->start);
    numbers_copy(&x->journal, &from->journal);
    x->clock = from->clock;
    x->start_clock = from->start_clock;
    x->snapshot = from->snapshot;
}

void model_done(struct model *m)
{
    for (struct expected *x = m->first, *next; x; x = next) {
        next = x->next;
        world_free(x);
    }
    m->first = NULL;
}
