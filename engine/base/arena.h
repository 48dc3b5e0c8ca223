/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is freed all at once: what a request builds lives in its arena.
 *
 * An arena never gives NULL. When it can't grow (no memory, or its limit is reached) it is marked
 * as failed and gives out scratch memory that holds nothing worth keeping; whoever owns the arena
 * looks at arena_failed() before it uses what was built, and drops it.
 */
#ifndef SOSIA_BASE_ARENA_H
#define SOSIA_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
    char *at, *end;             /* free part of the current block */
    struct arena_block *blocks; /* newest first */
    size_t size, limit;         /* bytes taken from malloc, and their maximum */
    bool failed;
    bool full; /* it failed since its limit was reached */
};

/* limit: bytes the arena may take in all, 0: 1 GiB. */
void arena_init(struct arena *a, size_t limit);
/* Frees everything, or (reset) everything but one block for the next use. */
void arena_done(struct arena *a);
void arena_reset(struct arena *a);
static inline bool arena_failed(const struct arena *a)
{
    return a->failed;
}
/* Whether it failed for what it was to hold, and not for the machine's memory. */
static inline bool arena_full(const struct arena *a)
{
    return a->full;
}

void *arena_slow(struct arena *a, size_t size); /* for arena_alloc only */

/* size bytes, aligned to 16; not cleared. */
static inline void *arena_alloc(struct arena *a, size_t size)
{
    size_t n = (size + 15) & ~(size_t)15;
    if (__builtin_expect(n < size || n > (size_t)(a->end - a->at), 0))
        return arena_slow(a, size);
    void *p = a->at;
    a->at += n;
    return p;
}
/* n elements of size bytes, cleared. */
void *arena_calloc(struct arena *a, size_t n, size_t size);
/* A list of n elements of size bytes with room for more behind them: itself while there is some
 * (*cap: how many it has room for), else a longer copy. A list begins as NULL with *cap 0. NULL,
 * and the arena has failed. */
void *arena_grow(struct arena *a, void *list, size_t n, size_t *cap, size_t size);
/* Copies, NUL-terminated. */
char *arena_memdup(struct arena *a, const void *data, size_t len);
char *arena_strdup(struct arena *a, const char *s);
/* Texts one behind the other, at a tenth of what a format costs. */
char *arena_join(struct arena *a, const char *const *texts, size_t n);
#define ARENA_JOIN(a, ...)                                                                         \
    arena_join(a, (const char *const[]){__VA_ARGS__},                                              \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
__attribute__((format(printf, 2, 3))) char *arena_printf(struct arena *a, const char *fmt, ...);
__attribute__((format(printf, 2, 0))) char *arena_vprintf(struct arena *a, const char *fmt,
                                                          va_list ap);

#endif
