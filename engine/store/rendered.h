/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that were made of rows, for the next one who wants the same: an event's JSON, say. They are
 * found by what they were made of, to the byte: the rows as they are stored, and everything else
 * that the text depends on (who looks, zone, style), which is the caller's to say. So they are true
 * in every world and at any time, whatever was written, rolled back or dropped in between, and a
 * fork's first list is its parent's second one.
 *
 * A slot has its own, of bounded size; what is oldest goes first.
 */
#ifndef SOSIA_STORE_RENDERED_H
#define SOSIA_STORE_RENDERED_H

#include "engine/store/slot.h"
#include <string.h>

enum {
    RENDERED_SIZE = 1 << 20, /* bytes that a slot keeps */
    RENDERED_VIEW = 1024     /* and of what one text depends on beside rows */
};

/* A number for everything that texts depend on beside their rows, as bytes that are equal only if
 * all of it is. Valid for the transaction. 0: nothing can be kept (no memory, too many bytes). */
uint32_t rendered_view(struct slot *s, const void *bytes, size_t n);

/* Such bytes, put together; n starts as 0, and is more than RENDERED_VIEW when there are too many.
 */
struct rendered_key {
    size_t n;
    char bytes[RENDERED_VIEW];
};
static inline void rendered_add(struct rendered_key *k, const void *data, size_t n)
{
    if (k->n > RENDERED_VIEW || n > RENDERED_VIEW - k->n) {
        k->n = RENDERED_VIEW + 1;
        return;
    }
    memcpy(k->bytes + k->n, data, n);
    k->n += n;
}
/* s may be NULL, which is another text than an empty one. */
static inline void rendered_add_text(struct rendered_key *k, const char *s)
{
    const uint32_t n = s ? (uint32_t)strlen(s) : UINT32_MAX;
    rendered_add(k, &n, sizeof n);
    if (s)
        rendered_add(k, s, n);
}
/* The text that was made of these rows' bytes for this view; false: none is kept. It is valid until
 * the next one is kept. */
bool rendered_find(struct slot *s, uint32_t view, const void *rows, size_t n, const char **ret_text,
                   size_t *ret_len);
/* Keeps a text. What is long, or finds no memory, is not kept. */
void rendered_keep(struct slot *s, uint32_t view, const void *rows, size_t n, const char *text,
                   size_t len);

#endif
