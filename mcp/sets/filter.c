/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of templates that no service has alone. */
#include "mcp/sets/set.h"
#include "engine/base/codec.h"

/* Null where nothing is. */
static const struct json *or_null(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    return v ? v : &value_null;
}

/* The argument where nothing is or nothing holds: JSON, or a text. */
static const struct json *or_else(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const struct json *other;
    if (value_holds(v))
        return v;
    if (!arg)
        return value_text(r->arena, "");
    return json_parse(r->arena, arg, strlen(arg), NULL, &other, NULL) == 0
               ? other
               : value_text(r->arena, arg);
}

/* Nothing where it is there and empty. */
static const struct json *filled(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return value_holds(v) ? v : NULL;
}

static const struct json *count(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    return value_int(r->arena, v && v->type == JSON_ARRAY ? v->n : 0);
}

/* A list of texts as one, with commas or the argument between; nothing of none. */
static const struct json *join(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    struct buf b;
    if (!v || v->type != JSON_ARRAY || !v->n)
        return NULL;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < v->n; i++) {
        buf_puts(&b, !i ? "" : arg ? arg : ",");
        buf_puts(&b, value_words(r->arena, &v->items[i]));
    }
    return set_text(r, &b);
}

/* A whole number, at most so much; at least 1. */
static const struct json *most(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    int64_t max = INT64_MAX;
    double n;
    if (arg)
        parse_i64(arg, strlen(arg), &max);
    if (!v || json_double(v, &n) < 0)
        return NULL;
    if (n < 1)
        return value_int(r->arena, 1);
    return value_int(r->arena, n >= (double)max ? max : (int64_t)n);
}

/* A number that is not 0, else the argument; what is not whole the service refuses. */
static const struct json *some(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    int64_t usual = 0, n;
    double d;
    if (arg)
        parse_i64(arg, strlen(arg), &usual);
    if (!v || json_double(v, &d) < 0 || d == 0)
        return value_int(r->arena, usual);
    return json_i64(v, &n) == 0 ? value_int(r->arena, n) : v;
}

/* A number, at most so much. */
static const struct json *capped(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    int64_t max = 0;
    double n;
    if (arg)
        parse_i64(arg, strlen(arg), &max);
    return v && json_double(v, &n) == 0 && n > (double)max ? value_int(r->arena, max) : v;
}

static bool equal(const struct json *v, const char *text)
{
    return v && (v->type == JSON_STRING || v->type == JSON_NUMBER) && text &&
           strcmp(v->str, text) == 0;
}

/* Itself if it is, or is not, that text. */
static const struct json *is(struct set_run *r, const struct json *v, const char *arg,
                             const struct json *item)
{
    return equal(v, arg) ? v : NULL;
}

static const struct json *is_not(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return equal(v, arg) ? NULL : v;
}

/* Is it the same text as another reference gives? Nothing of nothing. */
static const struct json *same(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const struct json *other = arg ? template_ref(r, arg, item) : NULL;
    if (!v)
        return NULL;
    return other && other->type == JSON_STRING && equal(v, other->str) ? &value_true : &value_false;
}

/* Of the items of a step with "tries": those that were refused, or done. */
static const struct json *of_kind(struct set_run *r, const struct json *v, bool refused)
{
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if (!json_get(&v->items[i], "refused") == !refused)
            list_add(&l, &v->items[i]);
    return list_value(&l);
}

static const struct json *refused(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    return of_kind(r, v, true);
}

static const struct json *done(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    return of_kind(r, v, false);
}

const struct set_filter set_filters[] = {
    {"null", or_null}, {"or", or_else}, {"filled", filled},   {"count", count}, {"join", join},
    {"most", most},    {"is", is},      {"not", is_not},      {"some", some},   {"capped", capped},
    {"same", same},    {"done", done},  {"refused", refused}, {NULL, NULL},
};
