/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/before.h"
#include "engine/json/json.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    CHAINS = 64,
    KEPT_BYTES = 256 * 1024, /* of a state */
    ONE_BYTES = 16 * 1024    /* of an entity */
};

struct before_entry {
    struct before_entry *next;
    const struct entity *entity;
    int64_t rowid;
    struct entity_about about;
    const struct json *value; /* NULL: not there */
};

struct before {
    struct beside beside;
    pthread_mutex_t lock; /* over the chains; entries don't change */
    struct arena arena;
    size_t bytes;
    struct before_entry *chains[CHAINS];
};

static void before_free(struct beside *beside)
{
    struct before *b = (struct before *)beside;
    pthread_mutex_destroy(&b->lock);
    arena_done(&b->arena);
    free(b);
}

struct before *before_of(struct parents *p)
{
    if (!p)
        return NULL;
    _Atomic(struct beside *) *place = parents_beside(p);
    struct beside *there = atomic_load_explicit(place, memory_order_acquire);
    if (there)
        return (struct before *)there;
    struct before *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->beside.free = before_free;
    pthread_mutex_init(&b->lock, NULL);
    arena_init(&b->arena, 2 * KEPT_BYTES);
    if (atomic_compare_exchange_strong(place, &there, &b->beside))
        return b;
    before_free(&b->beside);
    return (struct before *)there;
}

static struct before_entry **chain_of(struct before *b, const struct entity *entity, int64_t rowid)
{
    uint64_t x = ((uint64_t)rowid ^ (uint64_t)(uintptr_t)entity) * UINT64_C(0x9E3779B97F4A7C15);
    return &b->chains[x >> 58];
}

/* Under the lock. */
static const struct before_entry *look_up(struct before *b, const struct entity *entity,
                                          int64_t rowid, bool all)
{
    const struct before_entry *e = *chain_of(b, entity, rowid);
    while (e && (e->rowid != rowid || e->entity != entity || e->about.all != all))
        e = e->next;
    return e;
}

bool before_find(struct before *b, const struct entity *entity, int64_t rowid,
                 struct entity_about *about, const struct json **ret)
{
    if (!b)
        return false;
    pthread_mutex_lock(&b->lock);
    const struct before_entry *e = look_up(b, entity, rowid, about->all);
    pthread_mutex_unlock(&b->lock);
    if (!e)
        return false;
    *about = e->about;
    *ret = e->value;
    return true;
}

/* ---- copies ---- */

/* Bytes that a copy takes besides *v, or more than ONE_BYTES. Documents are at most 100 levels
 * deep. */
static size_t size_of(const struct json *v)
{
    size_t n = v->type == JSON_STRING || v->type == JSON_NUMBER ? v->n + (size_t)1
               : v->type == JSON_ARRAY                          ? v->n * sizeof *v->items
               : v->type == JSON_OBJECT                         ? v->n * sizeof *v->members
                                                                : 0;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n && n <= ONE_BYTES; i++)
        n += size_of(&v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n && n <= ONE_BYTES; i++)
        n += size_of(&v->members[i].value) + v->members[i].key_len + 1;
    return n;
}

static void copy_value(struct arena *a, struct json *to, const struct json *from)
{
    *to = *from;
    if (from->type == JSON_STRING || from->type == JSON_NUMBER) {
        to->str = arena_memdup(a, from->str, from->n);
    } else if (from->type == JSON_ARRAY) {
        struct json *items = arena_alloc(a, from->n * sizeof *items);
        to->items = items;
        for (uint32_t i = 0; !arena_failed(a) && i < from->n; i++)
            copy_value(a, &items[i], &from->items[i]);
    } else if (from->type == JSON_OBJECT) {
        struct json_member *members = arena_alloc(a, from->n * sizeof *members);
        to->members = members;
        for (uint32_t i = 0; !arena_failed(a) && i < from->n; i++) {
            members[i] = from->members[i];
            members[i].key = arena_memdup(a, from->members[i].key, from->members[i].key_len);
            copy_value(a, &members[i].value, &from->members[i].value);
        }
    }
}

static const char *copy_text(struct arena *a, const char *s)
{
    return s ? arena_strdup(a, s) : NULL;
}

void about_copy(struct arena *a, struct entity_about *about)
{
    about->person = copy_text(a, about->person);
    about->title = copy_text(a, about->title);
    about->again = copy_text(a, about->again);
    for (size_t i = 0; i < SOSIA_LEN(about->is); i++)
        about->is[i] = copy_text(a, about->is[i]);
    for (size_t i = 0; i < SOSIA_LEN(about->follows); i++)
        about->follows[i] = copy_text(a, about->follows[i]);
}

static struct before_entry *copy_entry(struct arena *a, const struct entity *entity, int64_t rowid,
                                       const struct entity_about *about, const struct json *value)
{
    struct before_entry *e = arena_alloc(a, sizeof *e);
    struct json *copy = value ? arena_alloc(a, sizeof *copy) : NULL;
    if (arena_failed(a))
        return NULL;
    *e = (struct before_entry){.entity = entity, .rowid = rowid, .about = *about, .value = copy};
    about_copy(a, &e->about);
    if (value)
        copy_value(a, copy, value);
    return arena_failed(a) ? NULL : e;
}

void before_keep(struct before *b, const struct entity *entity, int64_t rowid,
                 const struct entity_about *about, const struct json *value)
{
    size_t size = value ? size_of(value) : 0;
    size += about->title ? strlen(about->title) : 0;
    size += about->again ? strlen(about->again) : 0;
    if (!b || size > ONE_BYTES)
        return;
    pthread_mutex_lock(&b->lock);
    if (b->bytes + size <= KEPT_BYTES && !arena_failed(&b->arena) &&
        !look_up(b, entity, rowid, about->all)) {
        struct before_entry *e = copy_entry(&b->arena, entity, rowid, about, value);
        b->bytes += size + sizeof *e;
        if (e) {
            struct before_entry **chain = chain_of(b, entity, rowid);
            e->next = *chain;
            *chain = e;
        }
    }
    pthread_mutex_unlock(&b->lock);
}
