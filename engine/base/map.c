/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/map.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing with linear probing; removal shifts the run back, so that there are no
 * tombstones. */
struct map_entry {
    char *key; /* NULL: free */
    void *value;
    uint64_t hash;
};

uint64_t hash_bytes(const void *data, size_t n)
{
    const unsigned char *p = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

void map_init(struct map *m)
{
    memset(m, 0, sizeof *m);
}

void map_done(struct map *m)
{
    for (size_t i = 0; i < m->cap; i++)
        free(m->entries[i].key);
    free(m->entries);
    map_init(m);
}

/* Index of key's entry, or of the free one where it belongs. */
static size_t find(const struct map *m, const char *key, uint64_t hash)
{
    size_t i = hash & (m->cap - 1);
    while (m->entries[i].key && (m->entries[i].hash != hash || strcmp(m->entries[i].key, key) != 0))
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *map_get(const struct map *m, const char *key)
{
    if (!m->n)
        return NULL;
    const struct map_entry *e = &m->entries[find(m, key, hash_bytes(key, strlen(key)))];
    return e->key ? e->value : NULL;
}

static bool grow(struct map *m)
{
    struct map old = *m;
    m->cap = old.cap ? old.cap * 2 : 16;
    m->entries = calloc(m->cap, sizeof *m->entries);
    if (!m->entries) {
        *m = old;
        return false;
    }
    for (size_t i = 0; i < old.cap; i++)
        if (old.entries[i].key)
            m->entries[find(m, old.entries[i].key, old.entries[i].hash)] = old.entries[i];
    free(old.entries);
    return true;
}

int map_set(struct map *m, const char *key, void *value)
{
    if ((m->n + 1) * 4 > m->cap * 3 && !grow(m))
        return -1;
    uint64_t hash = hash_bytes(key, strlen(key));
    struct map_entry *e = &m->entries[find(m, key, hash)];
    if (!e->key) {
        char *copy = strdup(key);
        if (!copy)
            return -1;
        e->key = copy;
        e->hash = hash;
        m->n++;
    }
    e->value = value;
    return 0;
}

void *map_remove(struct map *m, const char *key)
{
    if (!m->n)
        return NULL;
    size_t mask = m->cap - 1, hole = find(m, key, hash_bytes(key, strlen(key)));
    if (!m->entries[hole].key)
        return NULL;
    void *value = m->entries[hole].value;
    free(m->entries[hole].key);
    m->n--;
    for (size_t i = (hole + 1) & mask; m->entries[i].key; i = (i + 1) & mask) {
        size_t home = m->entries[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->entries[hole] = m->entries[i];
            hole = i;
        }
    }
    m->entries[hole].key = NULL;
    return value;
}

int map_each(const struct map *m, int (*fn)(void *arg, const char *key, void *value), void *arg)
{
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->entries[i].key)
            continue;
        int r = fn(arg, m->entries[i].key, m->entries[i].value);
        if (r)
            return r;
    }
    return 0;
}
