/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are more than a string: JSON in a string, lists, pages. */
#include "engine/base/codec.h"
#include "engine/http/param.h"
#include "vendors/slack/slack.h"
#include <stdlib.h>

int slack_json_arg(struct call *c, const char *name, const struct json **ret)
{
    static const struct json_limits limits = {
        .max_size = 4 << 20, .max_depth = 64, .max_values = 100000, .last_wins = true};
    const char *text = param_str(c, name);
    struct sosia_err err;
    *ret = NULL;
    if (!text || !*text)
        return 0;
    return json_parse(c->tx.arena, text, strlen(text), &limits, ret, &err) < 0 ? -1 : 1;
}

const char **slack_list_arg(struct call *c, const char *name, size_t *ret_n)
{
    const char *text = param_str(c, name);
    const struct json *list;
    size_t n = 0, room = 1;
    *ret_n = 0;
    if (!text || !*text)
        return NULL;
    if (*text == '[' && slack_json_arg(c, name, &list) == 1 && list->type == JSON_ARRAY) {
        const char **all = arena_alloc(c->tx.arena, (list->n + 1) * sizeof *all);
        if (arena_failed(c->tx.arena))
            return NULL;
        for (uint32_t i = 0; i < list->n; i++)
            if (list->items[i].type == JSON_STRING)
                all[n++] = list->items[i].str;
        *ret_n = n;
        return all;
    }
    for (const char *p = text; *p; p++)
        room += *p == ',';
    const char **all = arena_alloc(c->tx.arena, room * sizeof *all);
    if (arena_failed(c->tx.arena))
        return NULL;
    while (*text) {
        size_t k = strcspn(text, ",");
        size_t from = strspn(text, " \t");
        size_t to = k;
        while (to > from && (text[to - 1] == ' ' || text[to - 1] == '\t'))
            to--;
        if (to > from)
            all[n++] = arena_memdup(c->tx.arena, text + from, to - from);
        text += k + (text[k] == ',');
    }
    *ret_n = n;
    return all;
}

int slack_take_members(struct call *c, const struct json *object, const struct param *params,
                       size_t n)
{
    c->values = arena_calloc(c->tx.arena, n + 1, sizeof *c->values);
    c->n_values = 0;
    slack_of(c)->params = params;
    slack_of(c)->n_params = n;
    for (size_t i = 0; i < n && !arena_failed(c->tx.arena); i++) {
        const struct json *v = json_get(object, params[i].name);
        bool given = v && v->type != JSON_NULL;
        const char *text = !given                   ? NULL
                           : v->type == JSON_STRING ? v->str
                                                    : json_to_text(c->tx.arena, v);
        if (!given && params[i].required)
            return slack_invalid_arguments(c, NULL, "missing required field: %s", params[i].name);
        if (text)
            param_add(c, &params[i], text, strlen(text));
    }
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

/* What is said of an argument, where the call takes it; nothing, if it does not. */
static const struct param *param_of(const struct call *c, const char *name)
{
    static const struct param none = {0};
    const struct slack_call *s = slack_of(c);
    const struct param *p = s->params ? s->params : c->route ? c->route->params : NULL;
    size_t n = s->params ? s->n_params : c->route ? c->route->n_params : 0;
    for (size_t i = 0; i < n; i++)
        if (*p[i].name == *name && strcmp(p[i].name, name) == 0)
            return &p[i];
    return &none;
}

/* The value that was sent; NULL: none, or an empty one. */
static const struct param_value *sent(const struct call *c, const char *name)
{
    const struct param_value *v = param_nth(c, name, 0);
    return v && v->len ? v : NULL;
}

bool slack_bool_arg(const struct call *c, const char *name, bool otherwise)
{
    const struct param_value *v = sent(c, name);
    return v && !v->wrong ? v->number : otherwise;
}

bool slack_flag(const struct call *c, const char *name)
{
    const struct param *d = param_of(c, name);
    return slack_bool_arg(c, name, d->def && *d->def == 't');
}

/* "one of: a, b" */
static const char *one_of(struct call *c, const struct param *d)
{
    const char *text = arena_printf(c->tx.arena, "must be one of: %s", d->values[0]);
    for (const char *const *v = d->values + 1; *v; v++)
        text = arena_printf(c->tx.arena, "%s, %s", text, *v);
    return text;
}

/* In the row's words, which are a code or a sentence. */
static int refuse(struct call *c, const struct param *d)
{
    if (d->fault && !strchr(d->fault, ' '))
        return slack_fail(c, d->fault);
    const char *pointer = arena_printf(c->tx.arena, "/%s", d->name);
    if (d->fault)
        return slack_invalid_arguments(c, pointer, "%s", d->fault);
    if (d->type == PARAM_ENUM)
        return slack_invalid_arguments(c, pointer, "%s", one_of(c, d));
    if (d->type == PARAM_JSON)
        return slack_invalid_arguments(c, pointer, "must be an %s", d->shape);
    return slack_invalid_arguments(c, pointer, "must be between %lld and %lld", (long long)d->min,
                                   (long long)d->max);
}

int slack_number(struct call *c, const char *name, int64_t *ret)
{
    const struct param_value *v = sent(c, name);
    if (!v)
        return 0;
    if (v->wrong)
        return refuse(c, v->def);
    *ret = v->number;
    return 1;
}

int slack_word(struct call *c, const char *name, int *ret)
{
    const struct param_value *v = param_nth(c, name, 0);
    if (!v || (!v->len && !v->def->required))
        return 0;
    if (v->wrong)
        return refuse(c, v->def);
    *ret = (int)v->number;
    return 1;
}

static int64_t number_of(const char *text)
{
    return text ? strtoll(text, NULL, 10) : 0;
}

bool slack_over(const struct call *c, const char *name)
{
    const struct param_value *v = sent(c, name);
    return v && v->wrong && strcmp(v->wrong, "range") == 0 && v->number > v->def->max;
}

const struct field *slack_shape(const struct call *c, const char *name)
{
    return param_of(c, name)->of;
}

static bool is_shaped(const struct param *d, const struct json *v)
{
    return !d->shape || v->type == (*d->shape == 'a' ? JSON_ARRAY : JSON_OBJECT);
}

int slack_value(struct call *c, const char *name, const struct json **ret)
{
    const struct param *d = param_of(c, name);
    bool array = d->shape && *d->shape == 'a';
    int r = slack_json_arg(c, name, ret);
    if (r == 0 && !d->required)
        return 0;
    if (r <= 0 || !is_shaped(d, *ret))
        return refuse(c, d);
    const char *pointer = arena_printf(c->tx.arena, "/%s", d->name);
    if (array && d->max && (*ret)->n > d->max)
        return slack_invalid_arguments(c, pointer, "no more than %lld items allowed",
                                       (long long)d->max);
    if (array && (*ret)->n < d->min)
        return slack_invalid_arguments(c, pointer, "no less than %lld items allowed",
                                       (long long)d->min);
    return 1;
}

const struct json *slack_given(struct call *c, const char *name)
{
    const struct param *d = param_of(c, name);
    const struct json *v;
    return slack_json_arg(c, name, &v) == 1 && is_shaped(d, v) ? v : NULL;
}

int slack_wrong_value(struct call *c, const char *name)
{
    return refuse(c, param_of(c, name));
}

int64_t slack_count(const struct call *c, const char *name)
{
    const struct param *d = param_of(c, name);
    const struct param_value *v = sent(c, name);
    return v && !v->wrong ? v->number : slack_over(c, name) ? d->max : number_of(d->def);
}

int slack_limit_within(struct call *c, int64_t otherwise, int64_t max, int64_t *ret)
{
    const struct param_value *v = sent(c, "limit");
    *ret = otherwise;
    if (!v)
        return 0;
    if ((v->wrong && strcmp(v->wrong, "range") != 0) || v->number < 0)
        return slack_fail(c, "invalid_limit");
    *ret = v->number == 0 ? otherwise : v->number > max ? max : v->number;
    return 0;
}

int slack_limit(struct call *c, int64_t *ret)
{
    const struct param *d = param_of(c, "limit");
    return slack_limit_within(c, number_of(d->def), d->max, ret);
}

int slack_cursor(struct call *c, const char *kind, const char **ret_value)
{
    const char *text = param_str(c, "cursor");
    size_t n = strlen(kind), len;
    uint8_t *data;
    if (!text || !*text)
        return 0;
    if (base64_decode(c->tx.arena, text, strlen(text), &data, &len) < 0 || len <= n + 1 ||
        memcmp(data, kind, n) != 0 || data[n] != ':' || memchr(data, 0, len))
        return slack_fail(c, "invalid_cursor");
    *ret_value = arena_memdup(c->tx.arena, data + n + 1, len - n - 1);
    return 1;
}

void slack_next(struct call *c, const char *kind, const char *value)
{
    struct buf b;
    slack_of(c)->cursor = "";
    if (!value)
        return;
    const char *plain = arena_printf(c->tx.arena, "%s:%s", kind, value);
    buf_init(&b, 0);
    base64_add(&b, plain, strlen(plain));
    slack_of(c)->cursor = buf_keep(&b, c->tx.arena);
}
