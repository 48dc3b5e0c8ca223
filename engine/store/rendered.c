/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that were made of rows: a log of fixed size that is written round and round, and a table of
 * places in it. An entry has its whole key beside it, so that neither an equal hash nor a place
 * that was written over gives a wrong text.
 */
#include "engine/store/rendered.h"
#include "engine/store/slot_impl.h"
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    SETS = 1024, /* of the table; each has WAYS places */
    WAYS = 4,
    VIEWS = 32,
    MAX_ENTRY = 32 * 1024, /* key and text */
    ALIGNMENT = 8
};

struct entry {
    uint64_t hash;
    uint32_t view, n, len; /* n: bytes of the rows, which come next; then len bytes of text */
};

struct view {
    uint32_t number; /* 0: none; each is given once */
    uint32_t n;
    uint8_t bytes[RENDERED_VIEW];
};

struct rendered {
    uint64_t end;                /* of the log, as if it had no bound: everything ever written */
    uint64_t places[SETS][WAYS]; /* where entries begin in that; the newest first */
    uint32_t n_views;            /* numbers given so far */
    struct view views[VIEWS];
    _Alignas(8) uint8_t log[RENDERED_SIZE];
};

void rendered_free(struct rendered *r)
{
    free(r);
}

uint32_t rendered_view(struct slot *s, const void *bytes, size_t n)
{
    if (n > RENDERED_VIEW || (!s->rendered && !(s->rendered = calloc(1, sizeof *s->rendered))))
        return 0;
    struct rendered *r = s->rendered;
    struct view *v = &r->views[XXH3_64bits(bytes, n) % VIEWS];
    if (v->number && v->n == n && memcmp(v->bytes, bytes, n) == 0)
        return v->number;
    if (r->n_views == UINT32_MAX)
        return 0;
    v->number = ++r->n_views;
    v->n = (uint32_t)n;
    memcpy(v->bytes, bytes, n);
    return v->number;
}

/* The entry that begins at a place, if it was not written over. */
static const struct entry *entry_at(const struct rendered *r, uint64_t place)
{
    if (place == 0 || r->end - place > RENDERED_SIZE)
        return NULL;
    return (const struct entry *)(const void *)(r->log + place % RENDERED_SIZE);
}

bool rendered_find(struct slot *s, uint32_t view, const void *rows, size_t n, const char **ret_text,
                   size_t *ret_len)
{
    struct rendered *r = s->rendered;
    if (!view || !r)
        return false;
    uint64_t hash = XXH3_64bits_withSeed(rows, n, view);
    uint64_t *set = r->places[hash % SETS];
    for (int i = 0; i < WAYS; i++) {
        const struct entry *e = entry_at(r, set[i]);
        if (!e || e->hash != hash || e->view != view || e->n != n || memcmp(e + 1, rows, n) != 0)
            continue;
        *ret_text = (const char *)(e + 1) + n;
        *ret_len = e->len;
        return true;
    }
    return false;
}

void rendered_keep(struct slot *s, uint32_t view, const void *rows, size_t n, const char *text,
                   size_t len)
{
    struct rendered *r = s->rendered;
    if (!view || !r || n > MAX_ENTRY || len > MAX_ENTRY - n)
        return;
    uint64_t hash = XXH3_64bits_withSeed(rows, n, view);
    uint64_t *set = r->places[hash % SETS];
    size_t size = (sizeof(struct entry) + n + len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint64_t place = r->end;
    if (place == 0)
        place = RENDERED_SIZE; /* no entry has place 0 */
    if (place % RENDERED_SIZE + size > RENDERED_SIZE)
        place += RENDERED_SIZE - place % RENDERED_SIZE; /* entries are in one piece */
    struct entry *e = (struct entry *)(void *)(r->log + place % RENDERED_SIZE);
    *e = (struct entry){.hash = hash, .view = view, .n = (uint32_t)n, .len = (uint32_t)len};
    memcpy(e + 1, rows, n);
    memcpy((char *)(e + 1) + n, text, len);
    r->end = place + size;
    memmove(set + 1, set, (WAYS - 1) * sizeof *set);
    set[0] = place;
}
