/* SPDX-License-Identifier: Apache-2.0 */
/* Hits of a search, as the answer has them. */
#include "vendors/microsoft/find.h"

static const char *summary_of(const struct json *v)
{
    const char *text = json_get_str(v, "bodyPreview");
    text = text ? text : json_get_str(v, "displayName");
    return text ? text : "";
}

int graph_hit(struct call *c, struct graph_find *f, const char *id, const char *type,
              const struct json_mask *mask, int (*write)(struct call *c, void *arg), void *arg)
{
    struct json_writer *out = c->out, w;
    const struct json *v;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, mask);
    c->out = &w;
    json_obj(&w, NULL);
    json_str(&w, "@odata.type", arena_printf(c->tx.arena, "#microsoft.graph.%s", type));
    int r = write(c, arg);
    json_end(&w);
    c->out = out;
    const char *text = arena_memdup(c->tx.arena, b.data, b.len);
    if (r == 0)
        r = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                           : json_parse(c->tx.arena, text, b.len, NULL, &v, c->tx.err);
    if (r == 0) {
        if (!f->n++)
            json_arr(out, "hits");
        json_obj(out, NULL);
        json_str(out, "hitId", id);
        json_int(out, "rank", f->from + f->n);
        json_str(out, "summary", summary_of(v));
        json_raw(out, "resource", text, b.len);
        json_end(out);
    }
    buf_done(&b);
    return r;
}
