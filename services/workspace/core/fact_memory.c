/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of the memory's file, item by item. */
#include "services/workspace/core/fact.h"

#define GRAPH_ITEMS 50000

static void put_text(struct json_writer *w, const struct json *v, const char *name)
{
    const struct json *text = json_get(v, name);
    if (text && text->type == JSON_STRING)
        json_value(w, name, text);
    else
        json_str(w, name, "");
}

static const char *entity_value(struct arena *a, const struct json *v)
{
    const struct json *list = json_get(v, "observations");
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    put_text(&w, v, "name");
    put_text(&w, v, "entityType");
    json_arr(&w, "observations");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING)
            json_value(&w, NULL, &list->items[i]);
    json_end(&w);
    json_end(&w);
    return fact_text(a, &b);
}

static const char *relation_value(struct arena *a, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    put_text(&w, v, "from");
    put_text(&w, v, "to");
    put_text(&w, v, "relationType");
    json_end(&w);
    return fact_text(a, &b);
}

static int add_line(struct facts *f, const char *line, size_t n)
{
    const struct json *v;
    struct sosia_err ignored;
    const char *type, *value;
    if (json_parse(f->arena, line, n, NULL, &v, &ignored) < 0)
        return arena_failed(f->arena) ? -1 : 0;
    type = json_get_str(v, "type");
    if (type && strcmp(type, "entity") == 0) {
        const struct json *name = json_get(v, "name");
        return name && name->type == JSON_STRING
                   ? fact_add(f, json_to_text(f->arena, name), entity_value(f->arena, v))
                   : 0;
    }
    if (!type || strcmp(type, "relation") != 0)
        return 0;
    value = relation_value(f->arena, v);
    return fact_add(f, value, value);
}

int fact_read_memory(struct tx *tx, struct facts *ret)
{
    struct workspace_place at;
    const char *data;
    size_t len;
    int r = workspace_resolve(tx, WORKSPACE_MEMORY, true, &at);
    if (r < 0 && tx->err->reason) { /* a link that leads nowhere */
        *tx->err = (struct sosia_err){.code = 0};
        return 0;
    }
    if (r <= 0 || at.node.kind != NODE_FILE || at.node.size > FACT_MEMORY_BYTES)
        return r < 0 ? -1 : 0;
    if (workspace_load(tx, &at.node, &data, &len) < 0)
        return -1;
    for (const char *p = data, *end = data + len; p < end && ret->n < GRAPH_ITEMS;) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((feed ? feed : end) - p);
        if (n && add_line(ret, p, n) < 0)
            return sosia_fail_memory(tx->err);
        p += n + 1;
    }
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}
