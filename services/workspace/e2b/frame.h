/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of the Connect protocol's streams: a byte of flags, four of a length (the highest first),
 * and so many bytes. What comes in is anybody's.
 */
#ifndef SOSIA_WORKSPACE_E2B_FRAME_H
#define SOSIA_WORKSPACE_E2B_FRAME_H

#include "engine/base/buf.h"
#include <stdbool.h>

#define FRAME_HEAD 5
enum { FRAME_COMPRESSED = 1, FRAME_END = 2 };

struct frame {
    unsigned flags;
    const char *data; /* in the text that it was read from */
    size_t len;
};
/* Takes the first one of a text, which goes on behind it. 1; 0: the text is at its end; -1: it is
 * cut. */
int frame_next(const char **text, size_t *len, struct frame *ret);
void frame_add(struct buf *b, unsigned flags, const char *data, size_t len);
/* The last one of a stream, with what went wrong; code NULL: nothing did. */
void frame_add_end(struct buf *b, const char *code, const char *message);

#endif
