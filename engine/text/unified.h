/* SPDX-License-Identifier: Apache-2.0 */
/* Two texts as a unified diff, line by line (E. Myers, An O(ND) difference algorithm, 1986). */
#ifndef SOSIA_TEXT_UNIFIED_H
#define SOSIA_TEXT_UNIFIED_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"

struct unified_text {
    const char *data;
    size_t len;
};

/* Adds the hunks, with so many lines of context; nothing where the texts are equal. The arena
 * keeps what is computed; texts that differ in more than some thousand lines are one change
 * from the first such line to the last. -1: no memory. */
int unified_hunks(struct arena *a, struct unified_text from, struct unified_text to, size_t context,
                  struct buf *out);

#endif
