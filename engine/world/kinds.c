/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/kinds.h"
#include "engine/base/map.h"
#include "engine/world/engine.h"
#include <stdlib.h>

struct kinds {
    struct arena arena;
    struct map tables, entities; /* the first kind of each */
};

/* NULL without memory. */
static const struct entity_view *const *
views_of(struct arena *a, const struct sosia_core *const *cores, const char *entity)
{
    size_t n = 0, cap = 2;
    const struct entity_view **list = arena_alloc(a, cap * sizeof *list);
    for (; *cores; cores++)
        for (const struct entity_view *v = (*cores)->views; v && v->entity; v++)
            if (strcmp(v->entity, entity) == 0 &&
                (list = arena_grow(a, list, n + 1, &cap, sizeof *list)))
                list[n++] = v;
    if (list)
        list[n] = NULL;
    return arena_failed(a) ? NULL : list;
}

/* Behind what its table has so far. */
static int add(struct kinds *k, const char *table, const struct kind *is)
{
    struct kind *kind = arena_alloc(&k->arena, sizeof *kind), *last = map_get(&k->tables, table);
    if (arena_failed(&k->arena))
        return -1;
    *kind = *is;
    while (last && last->next)
        last = (struct kind *)last->next;
    if (last)
        last->next = kind;
    else if (map_set(&k->tables, table, kind) < 0)
        return -1;
    return kind->part || map_get(&k->entities, kind->entity->name)
               ? 0
               : map_set(&k->entities, kind->entity->name, kind);
}

static int add_entity(struct kinds *k, struct kind is)
{
    const struct entity_part *part = is.entity->parts;
    if (add(k, is.entity->table, &is) < 0)
        return -1;
    for (; part && part->table; part++) {
        is.part = part;
        if (add(k, part->table, &is) < 0)
            return -1;
    }
    return 0;
}

/* Rows of other cores' tables that are part of the entity. */
static int add_additions(struct kinds *k, const struct sosia_core *core)
{
    for (const struct entity_addition *a = core->additions; a && a->entity; a++) {
        const struct kind *of = map_get(&k->entities, a->entity);
        if (!of)
            continue;
        struct kind is = *of;
        is.next = NULL;
        is.part = &a->part;
        if (add(k, a->part.table, &is) < 0)
            return -1;
    }
    return 0;
}

struct kinds *kinds_new(const struct sosia_core *const *cores)
{
    struct kinds *k = calloc(1, sizeof *k);
    uint32_t place = 0;
    if (!k)
        return NULL;
    arena_init(&k->arena, 0);
    for (size_t c = 0; cores[c]; c++) {
        for (size_t i = 0; i < cores[c]->n_entities; i++) {
            struct kind is = {.core = cores[c], .entity = &cores[c]->entities[i], .place = place++};
            is.views = views_of(&k->arena, cores, is.entity->name);
            if (!is.views || add_entity(k, is) < 0) {
                kinds_free(k);
                return NULL;
            }
        }
    }
    for (size_t c = 0; cores[c]; c++)
        if (add_additions(k, cores[c]) < 0) {
            kinds_free(k);
            return NULL;
        }
    return k;
}

void kinds_free(struct kinds *k)
{
    if (!k)
        return;
    map_done(&k->tables);
    map_done(&k->entities);
    arena_done(&k->arena);
    free(k);
}

int kind_view(struct tx *tx, const struct kind *kind, int64_t rowid, const struct entity_view **ret)
{
    const char *vendor = NULL;
    *ret = kind->views[0];
    if (!kind->views[0] || !kind->views[1] || !kind->entity->vendor)
        return 0;
    int r = kind->entity->vendor(tx, rowid, &vendor);
    *ret = NULL;
    for (const struct entity_view *const *v = kind->views; r == 1 && *v && !*ret; v++)
        if (!(*v)->vendor || strcmp((*v)->vendor, vendor) == 0)
            *ret = *v;
    return r < 0 ? -1 : 0;
}

const struct kind *kinds_of_table(const struct kinds *k, const char *table)
{
    return map_get(&k->tables, table);
}

const struct kind *kind_of_entity(const struct kinds *k, const char *entity)
{
    return map_get(&k->entities, entity);
}

const struct core_policy *core_policy_next(const struct sosia_engine *e, const char *core,
                                           const struct core_policy *after)
{
    const size_t len = strlen(core);
    for (const struct policy_name *p = e->policies; p->policy; p++) {
        if (after) {
            if (p->policy == after)
                after = NULL;
        } else if (p->len == len && memcmp(p->policy->core, core, len) == 0) {
            return p->policy;
        }
    }
    return NULL;
}

const void *core_policy_named(const struct tx *tx, const char *core, const char *vendor)
{
    const struct core_policy *p = core_policy_next(tx->engine, core, NULL);
    while (p && vendor && strcmp(p->vendor, vendor) != 0)
        p = core_policy_next(tx->engine, core, p);
    return p ? p->policy : NULL;
}

const void *core_policy_nth(const struct tx *tx, const char *core, size_t n)
{
    const struct core_policy *p = core_policy_next(tx->engine, core, NULL);
    while (p && n--)
        p = core_policy_next(tx->engine, core, p);
    return p ? p->policy : NULL;
}
