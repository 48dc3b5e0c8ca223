/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/core/document/parts.h"

void parts_init(struct parts *p, struct arena *a)
{
    memset(p, 0, sizeof *p);
    p->arena = a;
    p->end = &p->first;
    buf_init(&p->text, 256 << 20);
}

static void add(struct parts *p, const char *name, const char *bytes, size_t len)
{
    struct zip_part *part = arena_calloc(p->arena, 1, sizeof *part);
    part->name = arena_strdup(p->arena, name);
    part->bytes = bytes;
    part->len = len;
    *p->end = part;
    p->end = &part->next;
}

struct buf *parts_begin(struct parts *p)
{
    buf_clear(&p->text);
    return &p->text;
}

void parts_end(struct parts *p, const char *name)
{
    p->failed |= buf_failed(&p->text);
    add(p, name, arena_memdup(p->arena, p->text.len ? p->text.data : "", p->text.len), p->text.len);
}

void parts_add(struct parts *p, const char *name, const char *text)
{
    add(p, name, text, strlen(text));
}

int parts_write(struct parts *p, bool plain, struct buf *out, struct sosia_err *err)
{
    buf_done(&p->text);
    if (p->failed)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "the document is too large to be written");
    return arena_failed(p->arena) ? sosia_fail_memory(err) : zip_write(p->first, plain, out, err);
}
