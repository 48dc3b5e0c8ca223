/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from strings to pointers. Keys are copied; values are the caller's. Not thread-safe.
 */
#ifndef SOSIA_BASE_MAP_H
#define SOSIA_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry;

struct map {
    struct map_entry *entries;
    size_t n, cap; /* cap is a power of two, or 0 */
};

void map_init(struct map *m); /* takes no memory yet */
void map_done(struct map *m); /* frees the keys */
/* NULL when there is none. */
void *map_get(const struct map *m, const char *key);
/* Sets or replaces; -1 without memory. value must not be NULL. */
int map_set(struct map *m, const char *key, void *value);
/* Gives what was there, or NULL. */
void *map_remove(struct map *m, const char *key);
/* Calls fn for each entry, in no particular order; stops when fn gives non-zero, and gives that. */
int map_each(const struct map *m, int (*fn)(void *arg, const char *key, void *value), void *arg);
uint64_t hash_bytes(const void *data, size_t n); /* FNV-1a with a finisher; not for secrets */

#endif
