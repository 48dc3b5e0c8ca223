/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/sets/value.h"
#include <stdio.h>

const struct json value_null = {.type = JSON_NULL};
const struct json value_true = {.type = JSON_BOOL, .truth = true};
const struct json value_false = {.type = JSON_BOOL};
const struct json value_none = {.type = JSON_ARRAY};

const struct json *value_text(struct arena *a, const char *text)
{
    struct json *v = arena_calloc(a, 1, sizeof *v);
    v->type = JSON_STRING;
    v->str = text;
    v->n = (uint32_t)strlen(text);
    return v;
}

const struct json *value_int(struct arena *a, int64_t n)
{
    struct json *v = arena_calloc(a, 1, sizeof *v);
    v->type = JSON_NUMBER;
    v->str = arena_printf(a, "%lld", (long long)n);
    v->n = (uint32_t)strlen(v->str);
    return v;
}

void list_add(struct value_list *l, const struct json *v)
{
    struct json *items = v ? arena_grow(l->arena, l->items, l->n, &l->cap, sizeof *items) : NULL;
    if (!items)
        return;
    l->items = items;
    l->items[l->n++] = *v;
}

const struct json *list_value(const struct value_list *l)
{
    struct json *v = arena_calloc(l->arena, 1, sizeof *v);
    v->type = JSON_ARRAY;
    v->n = (uint32_t)l->n;
    v->items = l->items;
    return v;
}

void object_put(struct value_object *o, const char *key, const struct json *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->members[i].key, key) == 0) {
            o->members[i].value = *v;
            return;
        }
    struct json_member *members = arena_grow(o->arena, o->members, o->n, &o->cap, sizeof *members);
    if (!members)
        return;
    o->members = members;
    o->members[o->n++] =
        (struct json_member){.key = key, .key_len = (uint32_t)strlen(key), .value = *v};
}

const struct json *object_value(const struct value_object *o)
{
    struct json *v = arena_calloc(o->arena, 1, sizeof *v);
    v->type = JSON_OBJECT;
    v->n = (uint32_t)o->n;
    v->members = o->members;
    return v;
}

bool value_holds(const struct json *v)
{
    if (!v || v->type == JSON_NULL)
        return false;
    return v->type == JSON_BOOL ? v->truth : v->type == JSON_NUMBER || v->n > 0;
}

const char *value_words(struct arena *a, const struct json *v)
{
    if (!v)
        return "";
    return v->type == JSON_STRING ? v->str : json_to_text(a, v);
}

const char *value_pretty(struct arena *a, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_value(&w, NULL, v);
    while (b.len && b.data[b.len - 1] == '\n')
        b.len--;
    char *text = arena_memdup(a, buf_failed(&b) ? "" : b.data, buf_failed(&b) ? 0 : b.len);
    buf_done(&b);
    return text;
}
