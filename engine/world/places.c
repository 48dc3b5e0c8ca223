/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/places.h"
#include "engine/world/engine.h"
#include <stdlib.h>

struct place {
    char kind[PLACE_KIND_MAX + 1];
    int64_t from, n;
    int64_t used; /* of what was given */
};

struct places {
    struct place *list;
    uint32_t n, cap;
};

/* [0] of the call itself, [1] of what fell due before it. */
struct id_places {
    struct places taken[2], given[2];
    bool known; /* of the entry that runs */
};

static struct place *find_place(const struct places *p, const char *kind)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (strcmp(p->list[i].kind, kind) == 0)
            return &p->list[i];
    return NULL;
}

/* A new one at the end; NULL without memory. */
static struct place *add_place(struct places *p, const char *kind)
{
    if (p->n == p->cap) {
        uint32_t cap = p->cap ? p->cap * 2 : 8;
        struct place *list = realloc(p->list, cap * sizeof *list);
        if (!list)
            return NULL;
        p->list = list;
        p->cap = cap;
    }
    struct place *new = &p->list[p->n++];
    *new = (struct place){0};
    memcpy(new->kind, kind, strlen(kind) + 1);
    return new;
}

static struct id_places *places_of(struct world *w)
{
    struct world_extra *x = world_extra(w);
    if (x && !x->places)
        x->places = calloc(1, sizeof *x->places);
    return x ? x->places : NULL;
}

void places_took(struct world *w, bool fired, const struct tx_place *list, uint32_t n)
{
    struct id_places *own = n ? places_of(w) : NULL;
    for (uint32_t i = 0; own && i < n; i++) {
        if (!list[i].n)
            continue;
        struct place *p = find_place(&own->taken[fired], list[i].kind),
                     *given = find_place(&own->given[fired], list[i].kind);
        if (given)
            given->used += list[i].n;
        if (!p && (p = add_place(&own->taken[fired], list[i].kind)))
            p->from = list[i].from;
        if (p)
            p->n += list[i].n;
    }
}

static void write_list(struct json_writer *out, const char *name, const struct places *list)
{
    json_obj(out, name);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct place *p = &list->list[i];
        if (p->n == 1) {
            json_int(out, p->kind, p->from);
            continue;
        }
        json_arr(out, p->kind);
        json_int(out, NULL, p->from);
        json_int(out, NULL, p->n);
        json_end(out);
    }
    json_end(out);
}

void places_write(const struct world *w, struct json_writer *out, bool write)
{
    static const struct id_places none;
    const struct id_places *own = w->extra && w->extra->places ? w->extra->places : &none;
    if (own->taken[1].n)
        write_list(out, "fired", &own->taken[1]);
    if (write || own->taken[1].n)
        write_list(out, "ids", &own->taken[0]);
}

void places_next(struct world *w)
{
    struct id_places *own = w->extra ? w->extra->places : NULL;
    if (own)
        own->taken[0].n = own->taken[1].n = 0;
}

void places_free(struct world *w)
{
    struct id_places *own = w->extra ? w->extra->places : NULL;
    if (!own)
        return;
    for (int i = 0; i < 2; i++) {
        free(own->taken[i].list);
        free(own->given[i].list);
    }
    free(own);
    w->extra->places = NULL;
}

static int give(struct places *to, const struct json *from)
{
    to->n = 0;
    for (uint32_t i = 0; from && from->type == JSON_OBJECT && i < from->n; i++) {
        const struct json_member *m = &from->members[i];
        const struct json *list =
            m->value.type == JSON_ARRAY && m->value.n == 2 ? m->value.items : NULL;
        int64_t at, n = 1;
        if (strlen(m->key) > PLACE_KIND_MAX || json_i64(list ? &list[0] : &m->value, &at) < 0 ||
            (list && json_i64(&list[1], &n) < 0) || at < 0 || at > INT64_MAX / 2 || n < 0 ||
            n > INT64_MAX / 4)
            continue; /* an entry that nobody wrote: its ids are others then */
        struct place *p = add_place(to, m->key);
        if (!p)
            return -1;
        p->from = at;
        p->n = n;
    }
    return 0;
}

int places_give(struct world *w, const struct json *fired, const struct json *ids)
{
    struct id_places *own = places_of(w);
    if (!own)
        return -1;
    own->known = ids != NULL;
    return give(&own->given[0], ids) < 0 || give(&own->given[1], fired) < 0 ? -1 : 0;
}

bool places_number(const struct world *w, bool fired, const char *kind, bool ordered, int64_t last,
                   int64_t n, int64_t *ret)
{
    const struct id_places *own = w->extra ? w->extra->places : NULL;
    *ret = last + 1;
    if (!own || !own->known || strlen(kind) > PLACE_KIND_MAX)
        return true;
    const struct place *p = find_place(&own->given[fired], kind);
    int64_t its = p ? p->from + p->used + n + 1 : 0;
    if (ordered) {
        *ret = its > last ? its : last + 1;
        return true;
    }
    *ret = its;
    return p && p->used + n < p->n;
}
