/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that were made in a buffer, and are kept. */
#ifndef SOSIA_BASE_MADE_H
#define SOSIA_BASE_MADE_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"

/* The buffer's text in the arena, NUL-terminated; the buffer is done. NULL: the buffer has failed.
 */
static inline char *buf_made(struct buf *b, struct arena *a)
{
    char *text = buf_failed(b) ? NULL : arena_memdup(a, buf_str(b), b->len);
    buf_done(b);
    return text;
}

#endif
