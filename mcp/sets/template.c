/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: what of arguments and responses goes into a call or a result. */
#include "mcp/sets/set.h"
#include "engine/base/codec.h"
#include <strings.h>

const struct json *template_read(struct arena *a, const char *text)
{
    const struct json *v;
    return json_parse(a, text, strlen(text), NULL, &v, NULL) < 0 ? NULL : v;
}

/* ---- references ---- */

static const struct json *item_where(const struct json *list, const char *name, const char *value)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *text = json_get_str(&list->items[i], name);
        if (text && strcasecmp(text, value) == 0)
            return &list->items[i];
    }
    return NULL;
}

/* One step of a path: a name, a number, [name=value]. */
static const struct json *step(const struct json *v, char *name)
{
    int64_t at;
    if (*name == '[') {
        char *value = strchr(name, '=');
        if (!value)
            return NULL;
        *value++ = 0;
        value[strcspn(value, "]")] = 0;
        return item_where(v, name + 1, value);
    }
    if (v && v->type == JSON_ARRAY)
        return parse_i64(name, strlen(name), &at) == 0 && at >= 0 && at < v->n ? &v->items[at]
                                                                               : NULL;
    return json_get(v, name);
}

static const struct json *walk(const struct json *v, char *path)
{
    while (v && path && *path) {
        size_t n = *path == '[' ? strcspn(path, "]") + 1 : strcspn(path, ".");
        char *next = path[n] == '.' ? path + n + 1 : NULL;
        path[n] = 0;
        v = step(v, path);
        path = next;
    }
    return v && v->type == JSON_NULL ? NULL : v;
}

/* Where a path begins; *path goes on behind it. */
static const struct json *root(struct set_run *r, char **path, const struct json *item)
{
    char *at = *path;
    if (*at == '.') {
        *path = at + 1;
        return item;
    }
    size_t n = strcspn(at, ".");
    *path = at[n] ? at + n + 1 : NULL;
    at[n] = 0;
    if (*at >= '0' && *at < '0' + SET_STEPS && !at[1])
        return r->responses[*at - '0'];
    if (strcmp(at, "now") == 0)
        return value_int(r->arena, r->m->c->tx.now_us);
    return json_get(r->args, at);
}

static const struct set_filter *filter_named(const struct set_filter *f, const char *name)
{
    while (f && f->name && strcmp(f->name, name) != 0)
        f++;
    return f && f->name ? f : NULL;
}

static const struct json *apply(struct set_run *r, const struct json *v, char *filter,
                                const struct json *item)
{
    char *arg = strchr(filter, ':');
    if (arg)
        *arg++ = 0;
    const struct set_filter *f = filter_named(r->row->set->filters, filter);
    if (!f)
        f = filter_named(set_filters, filter);
    return f ? f->fn(r, v, arg, item) : NULL;
}

const struct json *template_ref(struct set_run *r, const char *ref, const struct json *item)
{
    char *text = arena_strdup(r->arena, ref + (*ref == '$'));
    char *filter = strchr(text, '|');
    if (filter)
        *filter++ = 0;
    const struct json *v = root(r, &text, item);
    v = walk(v, text);
    while (filter) {
        char *next = strchr(filter, '|');
        if (next)
            *next++ = 0;
        v = apply(r, v, filter, item);
        filter = next;
    }
    return v;
}

/* ---- values ---- */

static const struct json *eval_text(struct set_run *r, const struct json *t,
                                    const struct json *item)
{
    struct buf b;
    const char *at = t->str;
    if (*at == '$')
        return template_ref(r, at, item);
    if (!strchr(at, '{'))
        return t;
    buf_init(&b, 0);
    while (*at) {
        size_t n = strcspn(at, "{");
        buf_add(&b, at, n);
        at += n;
        if (!*at)
            break;
        n = strcspn(++at, "}");
        const char *ref = arena_memdup(r->arena, at, n);
        buf_puts(&b, value_words(r->arena, template_ref(r, ref, item)));
        at += n + (at[n] == '}');
    }
    return set_text(r, &b);
}

static const struct json *eval_each(struct set_run *r, const struct json *t,
                                    const struct json *item)
{
    const struct json *list = template_eval(r, json_get(t, "$each"), item);
    const struct json *as = json_get(t, "$as");
    struct value_list all = {.arena = r->arena};
    if (!list || list->type != JSON_ARRAY)
        return NULL;
    for (uint32_t i = 0; i < list->n; i++)
        list_add(&all, template_eval(r, as, &list->items[i]));
    return list_value(&all);
}

static const struct json *joined(struct set_run *r, const struct json *list, const char *between)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        buf_puts(&b, i ? between : "");
        buf_puts(&b, value_words(r->arena, &list->items[i]));
    }
    return set_text(r, &b);
}

static const struct json *eval_lines(struct set_run *r, const struct json *t,
                                     const struct json *item)
{
    const struct json *list = template_eval(r, json_get(t, "$lines"), item);
    const struct json *as = json_get(t, "$as");
    struct value_list all = {.arena = r->arena};
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        list_add(&all, template_eval(r, as, &list->items[i]));
    return joined(r, list_value(&all), "\n");
}

static const struct json *eval_object(struct set_run *r, const struct json *t,
                                      const struct json *item)
{
    struct value_object o = {.arena = r->arena};
    const char *first = t->n ? t->members[0].key : "";
    if (strcmp(first, "$each") == 0)
        return eval_each(r, t, item);
    if (strcmp(first, "$lines") == 0)
        return eval_lines(r, t, item);
    if (strcmp(first, "$text") == 0)
        return joined(r, template_eval(r, json_get(t, "$text"), item), "");
    if (strcmp(first, "$if") == 0) {
        bool holds = value_holds(template_eval(r, json_get(t, "$if"), item));
        const struct json *branch = json_get(t, holds ? "$then" : "$else");
        return branch ? template_eval(r, branch, item) : NULL;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        const struct json *v = template_eval(r, &t->members[i].value, item);
        bool with = strcmp(t->members[i].key, "$with") == 0;
        if (!with)
            object_put(&o, t->members[i].key, v);
        for (uint32_t k = 0; with && v && v->type == JSON_OBJECT && k < v->n; k++)
            object_put(&o, v->members[k].key, &v->members[k].value);
    }
    return object_value(&o);
}

const struct json *template_eval(struct set_run *r, const struct json *t, const struct json *item)
{
    struct value_list list = {.arena = r->arena};
    if (t->type == JSON_STRING)
        return eval_text(r, t, item);
    if (t->type == JSON_OBJECT)
        return eval_object(r, t, item);
    if (t->type != JSON_ARRAY)
        return t;
    for (uint32_t i = 0; i < t->n; i++)
        list_add(&list, template_eval(r, &t->items[i], item));
    return list_value(&list);
}
