/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are compared, and the fields in which two objects differ. */
#include "engine/state/change.h"

/* The member of an object that has the name of another one's i-th; NULL: it has none. Those of two
 * states of a thing have the same place, mostly. */
static const struct json *member_like(const struct json *o, const struct json *of, uint32_t i)
{
    const struct json_member *m = &of->members[i], *like = o->members + i;
    if (o->type == JSON_OBJECT && i < o->n && like->key_len == m->key_len &&
        memcmp(like->key, m->key, m->key_len) == 0)
        return &like->value;
    return json_get(o, m->key);
}

bool json_same(const struct json *a, const struct json *b)
{
    if (!a || !b || a->type != b->type || a->n != b->n)
        return a == b;
    switch (a->type) {
    case JSON_BOOL:
        return a->truth == b->truth;
    case JSON_STRING:
    case JSON_NUMBER:
        return memcmp(a->str, b->str, a->n) == 0;
    case JSON_ARRAY:
        for (uint32_t i = 0; i < a->n; i++)
            if (!json_same(&a->items[i], &b->items[i]))
                return false;
        return true;
    case JSON_OBJECT:
        for (uint32_t i = 0; i < a->n; i++)
            if (!json_same(&a->members[i].value, member_like(b, a, i)))
                return false;
        return true;
    default:
        return true;
    }
}

struct walk {
    struct arena *a;
    struct change_field *list;
    size_t n, cap;
};

static void walk_objects(struct walk *k, const char *path, const struct json *from,
                         const struct json *to);

static void walk_member(struct walk *k, const char *path, const struct json_member *m,
                        const struct json *from, const struct json *to)
{
    const char *name = m->key;
    if (json_same(from, to))
        return;
    if (*path) {
        size_t len = strlen(path);
        char *p = arena_alloc(k->a, len + m->key_len + 2);
        memcpy(p, path, len);
        p[len] = '.';
        memcpy(p + len + 1, m->key, m->key_len + (size_t)1);
        name = p;
    }
    if (from && to && from->type == JSON_OBJECT && to->type == JSON_OBJECT) {
        walk_objects(k, name, from, to);
        return;
    }
    struct change_field *list = arena_grow(k->a, k->list, k->n, &k->cap, sizeof *list);
    if (!list)
        return;
    k->list = list;
    k->list[k->n++] = (struct change_field){.path = name, .from = from, .to = to};
}

/* Documents are at most 100 levels deep. */
static void walk_objects(struct walk *k, const char *path, const struct json *from,
                         const struct json *to)
{
    for (uint32_t i = 0; i < from->n && !arena_failed(k->a); i++)
        walk_member(k, path, &from->members[i], &from->members[i].value, member_like(to, from, i));
    for (uint32_t i = 0; i < to->n && !arena_failed(k->a); i++)
        if (!member_like(from, to, i))
            walk_member(k, path, &to->members[i], NULL, &to->members[i].value);
}

const struct change_field *fields_of(struct arena *a, const struct json *from,
                                     const struct json *to, size_t *ret_n)
{
    struct walk k = {.a = a};
    walk_objects(&k, "", from, to);
    *ret_n = k.n;
    return k.list;
}
