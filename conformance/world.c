/* SPDX-License-Identifier: Apache-2.0 */
/* The seed document that a cassette starts from. */
#include "conformance/target/target.h"
#include <errno.h>
#include <stdio.h>

enum { DOCUMENT_MAX = 64 << 20 };

static int read_document(struct arena *a, const char *file, const char **ret_text, size_t *ret_len,
                         struct sosia_err *err)
{
    struct buf b;
    char chunk[65536];
    size_t n;
    FILE *f = fopen(file, "rb");
    if (!f)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "world", NULL, "%s: %s", file, strerror(errno));
    buf_init(&b, DOCUMENT_MAX);
    while (!buf_failed(&b) && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(&b, chunk, n);
    const char *bad = ferror(f) ? strerror(errno) : buf_failed(&b) ? "is too large" : NULL;
    fclose(f);
    if (!bad) {
        *ret_text = arena_memdup(a, b.data ? b.data : "", b.len);
        *ret_len = b.len;
    }
    buf_done(&b);
    return bad ? sosia_fail(err, SOSIA_E_IO, "world", NULL, "%s: %s", file, bad) : 0;
}

int cassette_world_document(struct arena *a, const struct cassette *c, fixture_fn fixtures,
                            const char **ret_text, size_t *ret_len, struct sosia_err *err)
{
    const struct cassette_world *w = &c->world;
    if (w->fixture)
        return fixtures(a, w->fixture, ret_text, ret_len, err);
    if (w->file)
        return read_document(a, arena_printf(a, "%s%s", w->dir ? w->dir : "", w->file), ret_text,
                             ret_len, err);
    struct buf b;
    struct json_writer writer;
    buf_init(&b, DOCUMENT_MAX);
    json_init(&writer, &b, false, NULL);
    json_value(&writer, NULL, w->seed);
    bool bad = buf_failed(&b);
    if (!bad) {
        *ret_text = arena_memdup(a, b.data, b.len);
        *ret_len = b.len;
    }
    buf_done(&b);
    return bad || arena_failed(a) ? sosia_fail_memory(err) : 0;
}

void target_close(struct target *t)
{
    if (t)
        t->ops->close(t);
}
