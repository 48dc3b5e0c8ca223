/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field masks: trees of names, whatever the vendor's grammar. Selections of one name add up; what
 * "*" selects is added to every name beside it.
 */
#include "engine/json/json.h"

enum { MAX_NODES = 8192, FIRST_KIDS = 4 };

struct json_mask {
    const char *name;
    uint32_t len;
    bool all; /* everything below, whatever the kids say */
    uint32_t n, cap;
    struct json_mask **kids;        /* in the order of by_name() */
    struct json_mask *first, *last; /* the same, in the order of their writing */
    struct json_mask *next;         /* sibling in that order */
    struct json_mask *star;         /* of the kids, the one for every name */
};

static const struct json_mask everything = {.name = "*", .len = 1, .all = true};

static int by_name(const struct json_mask *m, const char *name, size_t len)
{
    if (m->len != len)
        return m->len < len ? -1 : 1;
    return memcmp(m->name, name, len);
}

/* Index of a name among the children, or where it is to be inserted. */
static uint32_t find(const struct json_mask *m, const char *name, size_t len, bool *ret_there)
{
    uint32_t low = 0, high = m->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int d = by_name(m->kids[mid], name, len);
        if (!d) {
            *ret_there = true;
            return mid;
        }
        if (d < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *ret_there = false;
    return low;
}

struct json_mask *json_mask_begin(struct json_mask_builder *b, struct arena *a)
{
    *b = (struct json_mask_builder){.arena = a, .root = arena_calloc(a, 1, sizeof *b->root)};
    return arena_failed(a) ? NULL : b->root;
}

struct json_mask *json_mask_add(struct json_mask_builder *s, struct json_mask *m, const char *name,
                                size_t len)
{
    bool there;
    uint32_t at = find(m, name, len, &there);
    if (there)
        return m->kids[at];
    if (++s->nodes > MAX_NODES)
        return NULL;
    if (m->n == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : FIRST_KIDS;
        struct json_mask **kids = arena_alloc(s->arena, cap * sizeof *kids);
        if (arena_failed(s->arena))
            return NULL;
        if (m->n)
            memcpy(kids, m->kids, m->n * sizeof *kids);
        m->kids = kids;
        m->cap = cap;
    }
    struct json_mask *kid = arena_calloc(s->arena, 1, sizeof *kid);
    char *copy = arena_memdup(s->arena, name, len);
    if (arena_failed(s->arena))
        return NULL;
    kid->name = copy;
    kid->len = (uint32_t)len;
    memmove(m->kids + at + 1, m->kids + at, (m->n - at) * sizeof(*m->kids));
    m->kids[at] = kid;
    m->n++;
    if (m->last)
        m->last->next = kid;
    else
        m->first = kid;
    m->last = kid;
    if (len == 1 && *name == '*')
        m->star = kid;
    return kid;
}

void json_mask_take(struct json_mask *m)
{
    m->all = true;
}

/* Adds everything that `from` selects to `to`. Both are as deep as their text was
 * allowed to be, so is the recursion. */
static int merge(struct json_mask_builder *s, struct json_mask *to, const struct json_mask *from)
{
    to->all |= from->all;
    for (const struct json_mask *k = from->first; k; k = k->next) {
        struct json_mask *kid = json_mask_add(s, to, k->name, k->len);
        if (!kid || merge(s, kid, k) < 0)
            return -1;
    }
    return 0;
}

static int spread_stars(struct json_mask_builder *s, struct json_mask *m)
{
    if (m->star && m->star->all)
        m->all = true;
    for (struct json_mask *k = m->first; k; k = k->next) {
        if (m->star && k != m->star && !m->all && merge(s, k, m->star) < 0)
            return -1;
        if (spread_stars(s, k) < 0)
            return -1;
    }
    return 0;
}

const struct json_mask *json_mask_end(struct json_mask_builder *b)
{
    return spread_stars(b, b->root) < 0 ? NULL : b->root;
}

bool json_mask_full(const struct json_mask_builder *b)
{
    return b->nodes > MAX_NODES;
}

const struct json_mask *json_mask_child(const struct json_mask *m, const char *name, size_t len)
{
    bool there;
    if (!m || m->all)
        return &everything;
    uint32_t at = find(m, name, len, &there);
    return there ? m->kids[at] : m->star;
}

bool json_mask_all(const struct json_mask *m)
{
    return !m || m->all;
}

int json_mask_each(const struct json_mask *m,
                   int (*fn)(void *arg, const char *name, const struct json_mask *below), void *arg)
{
    for (const struct json_mask *k = m ? m->first : NULL; k; k = k->next) {
        int rc = fn(arg, k->name, k);
        if (rc)
            return rc;
    }
    return 0;
}
