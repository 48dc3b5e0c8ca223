/* SPDX-License-Identifier: Apache-2.0 */
/* What comes to methods on processes: the message that begins a stream, the size of a terminal. */
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/frame.h"
#include "services/workspace/e2b/process.h"

/* The one message that comes; NULL: refused. */
const struct json *e2b_read_message(struct call *c)
{
    const char *text;
    size_t len = (size_t)c->content.len;
    struct frame f;
    const struct json *v;
    struct sosia_err err = {0};
    if (bytes_view(&c->tx, &c->content, BYTES_VIEW, &text) < 0)
        return NULL;
    if (frame_next(&text, &len, &f) != 1 || len || f.flags ||
        json_parse(c->tx.arena, f.data, f.len, NULL, &v, &err) < 0 || v->type != JSON_OBJECT) {
        e2b_fail(c, E2B_INVALID_ARGUMENT,
                 "a stream must begin with one frame that has a message in JSON%s%s",
                 err.code ? ": " : "", err.text);
        return NULL;
    }
    return v;
}

void e2b_put_size(struct json_writer *w, const char *name, const struct json *size)
{
    int64_t columns = json_get_int(size, "cols", 80), rows = json_get_int(size, "rows", 24);
    if (name)
        json_obj(w, name);
    json_int(w, "columns", columns < 1 || columns > 65535 ? 80 : columns);
    json_int(w, "rows", rows < 1 || rows > 65535 ? 24 : rows);
    if (name)
        json_end(w);
}
