/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/param.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"

static int decode(struct call *c, const char *text, size_t len, bool query, char **ret,
                  size_t *ret_len)
{
    if (percent_decode(c->tx.arena, text, len, query, ret, ret_len) < 0 ||
        !utf8_valid(*ret, *ret_len))
        return -1;
    return 0;
}

int query_parse(struct call *c)
{
    const char *p = c->query, *end = p ? p + c->query_len : p;
    size_t n = 0, room = 1;
    if (!p || p == end)
        return 0;
    if (c->query_len > MAX_QUERY)
        return call_fail(c, SOSIA_E_INVALID, "tooLong", NULL, "the query is too long");
    for (const char *q = p; q < end; q++)
        room += *q == '&';
    if (room > MAX_QUERY_ITEMS)
        return call_fail(c, SOSIA_E_INVALID, "tooMany", NULL, "too many query parameters");
    c->items = arena_calloc(c->tx.arena, room, sizeof *c->items);
    while (p < end) {
        const char *stop = memchr(p, '&', (size_t)(end - p));
        if (!stop)
            stop = end;
        const char *equals = memchr(p, '=', (size_t)(stop - p));
        if (stop > p) {
            char *name, *text = (char *)"";
            size_t name_len, len = 0;
            if (decode(c, p, (size_t)((equals ? equals : stop) - p), true, &name, &name_len) < 0 ||
                (equals &&
                 decode(c, equals + 1, (size_t)(stop - equals - 1), true, &text, &len) < 0))
                return call_fail(c, SOSIA_E_INVALID, "encoding", NULL,
                                 "the query is not well encoded");
            c->items[n].name = name;
            c->items[n].text = text;
            c->items[n++].len = len;
        }
        p = stop + 1;
    }
    c->n_items = n;
    return 0;
}

static int read_int(struct call *c, const struct param *d, struct param_value *v)
{
    int64_t min = d->min, max = d->max;
    if (!min && !max) {
        min = INT32_MIN;
        max = INT32_MAX;
    }
    if (parse_i64(v->text, v->len, &v->number) < 0)
        return call_fail(c, SOSIA_E_INVALID, "invalid", d->name, "%s", v->text);
    if (v->number < min || v->number > max)
        return call_fail(c, SOSIA_E_INVALID, "range", d->name, "%s", v->text);
    return 0;
}

static int read_typed(struct call *c, const struct param *d, struct param_value *v)
{
    struct stamp stamp;
    switch (d->type) {
    case PARAM_STRING:
        return 0;
    case PARAM_INT:
        return read_int(c, d, v);
    case PARAM_BOOL:
        v->number = str_eq_nocase(v->text, "true") || strcmp(v->text, "1") == 0;
        if (v->number || str_eq_nocase(v->text, "false") || strcmp(v->text, "0") == 0)
            return 0;
        break;
    case PARAM_DATETIME:
        if (stamp_parse(v->text, v->len, false, &stamp) == 0) {
            v->number = stamp.local_us - stamp.offset * US_PER_SECOND;
            return 0;
        }
        break;
    case PARAM_DATE:
        if (date_parse(v->text, v->len, &v->number) == 0)
            return 0;
        break;
    case PARAM_ENUM:
        for (v->number = 0; d->values[v->number]; v->number++)
            if (strcmp(d->values[v->number], v->text) == 0)
                return 0;
        return call_fail(c, SOSIA_E_INVALID, "enum", d->name, "%s", v->text);
    }
    return call_fail(c, SOSIA_E_INVALID, "invalid", d->name, "%s", v->text);
}

static int add(struct call *c, const struct param *d, const char *text, size_t len)
{
    struct param_value *v = &c->values[c->n_values++];
    *v = (struct param_value){.def = d, .text = text, .len = len};
    return read_typed(c, d, v);
}

static int path_param(struct call *c, const struct param *d, const struct match *m)
{
    for (size_t i = 0; i < m->n_params; i++) {
        if (strncmp(m->params[i].name, d->name, m->params[i].name_len) != 0 ||
            d->name[m->params[i].name_len])
            continue;
        char *text;
        size_t len;
        if (decode(c, m->params[i].text, m->params[i].len, false, &text, &len) < 0)
            return call_fail(c, SOSIA_E_INVALID, "path", d->name, "the path is not well encoded");
        return add(c, d, text, len);
    }
    return call_fail(c, SOSIA_E_INTERNAL, NULL, d->name, "the path has no parameter %s", d->name);
}

static int query_param(struct call *c, const struct param *d)
{
    bool given = false;
    for (size_t i = 0; i < c->n_items; i++) {
        if (strcmp(c->items[i].name, d->name) != 0)
            continue;
        if (add(c, d, c->items[i].text, c->items[i].len) < 0)
            return -1;
        given = true;
        if (!d->repeated)
            break; /* the first of a repeated one counts */
    }
    if (!given && d->def)
        return add(c, d, d->def, strlen(d->def));
    if (!given && d->required)
        return call_fail(c, SOSIA_E_INVALID, "required", d->name, "%s", d->name);
    return 0;
}

int params_parse(struct call *c, const struct match *m)
{
    const struct route *r = c->route;
    c->values = arena_alloc(c->tx.arena, (r->n_params + c->n_items) * sizeof *c->values);
    for (size_t i = 0; i < r->n_params; i++) {
        const struct param *d = &r->params[i];
        if ((d->place == IN_PATH ? path_param(c, d, m) : query_param(c, d)) < 0)
            return -1;
    }
    return 0;
}

/* ---- what handlers ask ---- */

const struct param_value *param_nth(const struct call *c, const char *name, size_t i)
{
    for (size_t v = 0; v < c->n_values; v++)
        if (strcmp(c->values[v].def->name, name) == 0 && i-- == 0)
            return &c->values[v];
    return NULL;
}

const char *param_str(const struct call *c, const char *name)
{
    const struct param_value *v = param_nth(c, name, 0);
    return v ? v->text : NULL;
}

int64_t param_num(const struct call *c, const char *name, int64_t otherwise)
{
    const struct param_value *v = param_nth(c, name, 0);
    return v ? v->number : otherwise;
}

bool param_bool(const struct call *c, const char *name)
{
    return param_num(c, name, 0) != 0;
}

bool param_given(const struct call *c, const char *name)
{
    return param_nth(c, name, 0) != NULL;
}

const char *call_query_item(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_items; i++)
        if (strcmp(c->items[i].name, name) == 0)
            return c->items[i].text;
    return NULL;
}
