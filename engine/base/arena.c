/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/arena.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

struct arena_block {
    struct arena_block *next;
    size_t size; /* of the whole block */
    _Alignas(16) char data[];
};

/* A block is below the size from which the server has each allocation mapped by itself
 * (LARGE_BODY), which would be new pages with every call. */
enum { FIRST_BLOCK = 16 * 1024, MAX_BLOCK = 1024 * 1024 - 4096 };
#define SCRATCH ((size_t)1 << 31)

void arena_init(struct arena *a, size_t limit)
{
    memset(a, 0, sizeof *a);
    a->limit = limit ? limit : (size_t)1 << 30;
}

static void free_blocks(struct arena_block *b)
{
    while (b) {
        struct arena_block *next = b->next;
        ASAN_UNPOISON_MEMORY_REGION(b->data, b->size - sizeof *b);
        free(b);
        b = next;
    }
}

void arena_done(struct arena *a)
{
    free_blocks(a->blocks);
    a->blocks = NULL;
    a->at = a->end = NULL;
    a->size = 0;
}

void arena_reset(struct arena *a)
{
    /* The newest block is the largest that was needed lately; a huge one isn't kept for a small
     * call. */
    struct arena_block *keep = a->blocks;
    a->failed = a->full = false;
    if (!keep)
        return;
    free_blocks(keep->next);
    keep->next = NULL;
    if (keep->size > MAX_BLOCK) {
        free_blocks(keep);
        a->blocks = NULL;
        a->at = a->end = NULL;
        a->size = 0;
        return;
    }
    a->size = keep->size;
    a->at = keep->data;
    a->end = (char *)keep + keep->size;
    ASAN_UNPOISON_MEMORY_REGION(keep->data, keep->size - sizeof *keep);
}

/* What a failed arena gives out: memory of the thread, whose content is not kept and may be
 * overwritten. Input is measured against its limits before it is copied, so that only a bug of
 * ours requests more than SCRATCH of a failed arena. */
static void *scratch(struct arena *a, size_t size)
{
    static _Thread_local char *zone;
    a->failed = true;
    a->at = a->end = NULL;
    if (!zone) /* untouched pages cost nothing; the mapping is freed with the process */
        zone = mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zone == MAP_FAILED || size > SCRATCH)
        abort();
    return zone;
}

void *arena_slow(struct arena *a, size_t size)
{
    a->full |= size > a->limit;
    if (a->failed || a->full)
        return scratch(a, size);
    size_t n = (size + 15) & ~(size_t)15;
    size_t want = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
    if (want > MAX_BLOCK)
        want = MAX_BLOCK;
    if (want < n + sizeof(struct arena_block))
        want = n + sizeof(struct arena_block);
    a->full = a->size + want > a->limit;
    if (a->full)
        return scratch(a, size);
    struct arena_block *b = malloc(want);
    if (!b)
        return scratch(a, size);
    b->next = a->blocks;
    b->size = want;
    a->blocks = b;
    a->size += want;
    a->at = b->data + n;
    a->end = (char *)b + want;
    return b->data;
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(n, size, &total))
        total = SIZE_MAX;
    void *p = arena_alloc(a, total);
    if (!a->failed && total)
        memset(p, 0, total);
    return p;
}

void *arena_grow(struct arena *a, void *list, size_t n, size_t *cap, size_t size)
{
    size_t more = *cap ? *cap * 2 : 16;
    if (n < *cap)
        return list;
    void *copy = more > SIZE_MAX / size ? arena_alloc(a, SIZE_MAX) : arena_alloc(a, more * size);
    if (a->failed)
        return NULL;
    if (n)
        memcpy(copy, list, n * size);
    *cap = more;
    return copy;
}

char *arena_memdup(struct arena *a, const void *data, size_t len)
{
    char *p = arena_alloc(a, len + 1);
    if (a->failed)
        return p;
    if (len)
        memcpy(p, data, len);
    p[len] = 0;
    return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_memdup(a, s, strlen(s));
}

char *arena_join(struct arena *a, const char *const *texts, size_t n)
{
    enum { SOME = 8 };
    size_t len = 0, lengths[SOME]; /* of the first ones */
    for (size_t i = 0; i < n; i++) {
        const size_t k = strlen(texts[i]);
        if (i < SOME)
            lengths[i] = k;
        len += k;
    }
    char *p = arena_alloc(a, len + 1), *text = p;
    for (size_t i = 0; i < n && !a->failed; i++) {
        const size_t k = i < SOME ? lengths[i] : strlen(texts[i]);
        memcpy(p, texts[i], k);
        p += k;
    }
    *p = 0;
    return text;
}

/* Most texts fit into what is left of the block. */
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    va_list again;
    char *at = a->at;
    size_t room = (size_t)(a->end - at);
    va_copy(again, ap);
    int n = vsnprintf(at, room, fmt, ap);
    char *p = arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
    if (n < 0 || a->failed)
        *p = 0;
    else if (p != at || (size_t)n >= room)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}
