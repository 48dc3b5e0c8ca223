/* SPDX-License-Identifier: Apache-2.0 */
/* Places in an order: texts that are compared byte by byte, between any two of which there is
 * another one. */
#include "services/tasks/core/tasks.h"

enum {
    FIRST = '"',
    LAST = '~'
}; /* spaces and exclamation marks are between places, when they are said */

/* A text that ends with the first of them has none directly in front of it, so none is made: what
 * is appended is in the middle of what is left. */
const char *task_place_between(struct arena *a, const char *before, const char *after)
{
    size_t n = strlen(before) + strlen(after) + 2, at = 0;
    char *text = arena_alloc(a, n + 1);
    bool open = !*after; /* nothing of `after` counts any more */
    if (!text)
        return "";
    for (;;) {
        const int low = *before ? (unsigned char)*before : FIRST;
        const int high = open ? LAST + 1 : (unsigned char)*after;
        if (high - low > 1) {
            text[at++] = (char)(low + (high - low) / 2);
            break;
        }
        /* The same as the lower one here, and behind it in what follows. */
        text[at++] = (char)low;
        open = open || low < high;
        before += *before != '\0';
        after += !open && *after;
        if (at == n) /* there is no room between them: behind the lower one */
            break;
    }
    text[at] = '\0';
    return text;
}
