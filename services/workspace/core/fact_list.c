/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of what follows from files, while they are read. */
#include "services/workspace/core/fact.h"

int fact_add(struct facts *f, const char *name, const char *value)
{
    struct fact *list = arena_grow(f->arena, f->list, f->n, &f->cap, sizeof *list);
    if (!list)
        return -1;
    f->list = list;
    list[f->n++] = (struct fact){name, value};
    return 0;
}

const char *fact_text(struct arena *a, struct buf *b)
{
    const char *text = arena_strdup(a, buf_str(b));
    if (buf_failed(b))
        a->failed = true;
    buf_done(b);
    return text;
}
