/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/param.h"
#include "engine/base/codec.h"
#include "engine/http/multipart.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"
#include <strings.h>

static int decode_value(struct call *c, const char *text, size_t len, bool query, char **ret,
                        size_t *ret_len)
{
    if (percent_decode(c->tx.arena, text, len, query, ret, ret_len) < 0 ||
        !utf8_valid(*ret, *ret_len))
        return -1;
    return 0;
}

/* ---- items: what arguments are looked for in ---- */

/* Puts n items before or behind those that are there. */
static int add_items(struct call *c, struct query_item *items, size_t n, bool before)
{
    if (!c->n_items || !n) {
        c->items = n ? items : c->items;
        c->n_items += n;
        return 0;
    }
    struct query_item *all = arena_alloc(c->tx.arena, (c->n_items + n) * sizeof *all);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    memcpy(all + (before ? n : 0), c->items, c->n_items * sizeof *all);
    memcpy(all + (before ? 0 : c->n_items), items, n * sizeof *all);
    c->items = all;
    c->n_items += n;
    return 0;
}

int call_add_form(struct call *c, const char *text, size_t len, enum param_place as, bool before)
{
    const char *p = text, *end = text + len;
    size_t n = 0, room = 1;
    if (!len)
        return 0;
    if (len > MAX_QUERY)
        return call_fail(c, SOSIA_E_INVALID, "tooLong", NULL, "the query is too long");
    for (const char *q = p; q < end; q++)
        room += *q == '&';
    if (room > MAX_QUERY_ITEMS)
        return call_fail(c, SOSIA_E_INVALID, "tooMany", NULL, "too many query parameters");
    struct query_item *items = arena_calloc(c->tx.arena, room, sizeof *items);
    while (p < end) {
        const char *stop = memchr(p, '&', (size_t)(end - p));
        if (!stop)
            stop = end;
        const char *equals = memchr(p, '=', (size_t)(stop - p));
        if (stop > p) {
            char *name, *value = (char *)"";
            size_t name_len, value_len = 0;
            if (decode_value(c, p, (size_t)((equals ? equals : stop) - p), true, &name, &name_len) <
                0)
                return call_fail(c, SOSIA_E_INVALID, "encoding", NULL,
                                 "the query is not well encoded");
            if (equals && decode_value(c, equals + 1, (size_t)(stop - equals - 1), true, &value,
                                       &value_len) < 0)
                return call_fail(c, SOSIA_E_INVALID, "encoding", name,
                                 "the query is not well encoded");
            items[n].name = name;
            items[n].text = value;
            items[n].place = as;
            items[n++].len = value_len;
        }
        p = stop + 1;
    }
    return add_items(c, items, n, before);
}

/* A value as its JSON text. */
static const char *value_text(struct call *c, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, MAX_QUERY);
    json_init(&w, &b, false, NULL);
    json_value(&w, NULL, v);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

int call_add_members(struct call *c, const struct json *object, bool strings_only, bool before)
{
    size_t n = 0;
    if (object->n > MAX_QUERY_ITEMS)
        return call_fail(c, SOSIA_E_INVALID, "tooMany", NULL, "too many members");
    struct query_item *items = arena_calloc(c->tx.arena, object->n + 1, sizeof *items);
    for (uint32_t i = 0; i < object->n && !arena_failed(c->tx.arena); i++) {
        const struct json_member *m = &object->members[i];
        const char *text = m->value.str;
        size_t len = m->value.n;
        if (m->value.type == JSON_NULL)
            continue;
        if (m->value.type == JSON_STRING ? memchr(text, 0, len) != NULL : strings_only)
            continue;
        if (m->value.type != JSON_STRING) {
            text = value_text(c, &m->value);
            if (!text)
                return call_fail(c, SOSIA_E_INVALID, "tooLong", m->key, "%.80s is too long",
                                 m->key);
            len = strlen(text);
        }
        items[n++] =
            (struct query_item){.name = m->key, .text = text, .len = len, .place = IN_JSON};
    }
    return add_items(c, items, n, before);
}

/* A parameter of a Content-Disposition, in the arena; NULL: none. */
static const char *disposition(struct call *c, const char *header, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = header ? strchr(header, ';') : NULL; p; p = strchr(p, ';')) {
        p += 1 + strspn(p + 1, " \t");
        if (strncasecmp(p, name, n) != 0 || p[n] != '=')
            continue;
        p += n + 1;
        if (*p == '"')
            return arena_memdup(c->tx.arena, p + 1, strcspn(p + 1, "\""));
        return arena_memdup(c->tx.arena, p, strcspn(p, "; \t"));
    }
    return NULL;
}

/* multipart/form-data (RFC 7578). */
static int add_parts(struct call *c, const char *type)
{
    char boundary[MULTIPART_BOUNDARY];
    struct arena *a = c->tx.arena;
    struct part *parts;
    size_t n_parts, n = 0;
    if (multipart_boundary(type, boundary) < 0)
        return call_fail(c, SOSIA_E_INVALID, "encoding", NULL, "the form has no boundary");
    if (multipart_parse(a, c->request->body, c->request->body_len, boundary, MAX_QUERY_ITEMS,
                        &parts, &n_parts, c->tx.err) < 0)
        return -1;
    struct query_item *items = arena_calloc(a, n_parts + 1, sizeof *items);
    for (size_t i = 0; i < n_parts && !arena_failed(a); i++) {
        const char *head = part_header(a, &parts[i], "Content-Disposition");
        const char *name = disposition(c, head, "name");
        if (!name)
            return call_fail(c, SOSIA_E_INVALID, "encoding", NULL,
                             "a part of the form has no name");
        items[n++] = (struct query_item){.name = name,
                                         .text = arena_memdup(a, parts[i].body, parts[i].body_len),
                                         .len = parts[i].body_len,
                                         .place = IN_PART,
                                         .file = disposition(c, head, "filename"),
                                         .type = part_header(a, &parts[i], "Content-Type")};
    }
    return add_items(c, items, n, true);
}

static int add_json(struct call *c)
{
    if (call_read_json(c, c->request->body, c->request->body_len) < 0)
        return -1;
    if (c->body->type != JSON_OBJECT)
        return call_fail(c, SOSIA_E_INVALID, "parseError", NULL, "the body is not an object");
    return call_add_members(c, c->body, false, true);
}

static bool has_type(const char *type, const char *wanted)
{
    size_t n = strlen(wanted);
    return type && strncasecmp(type, wanted, n) == 0 && (!type[n] || strchr("; \t", type[n]));
}

int arguments_read(struct call *c)
{
    const enum param_place *p = c->front ? c->front->arguments : NULL;
    if (query_parse(c) < 0)
        return -1;
    const char *type = p ? call_request_header(c, "Content-Type") : NULL;
    for (; p && *p; p++) {
        int rc = 0;
        if (!c->request->body_len || c->upload)
            break;
        if (*p == IN_FORM && has_type(type, "application/x-www-form-urlencoded"))
            rc = call_add_form(c, c->request->body, c->request->body_len, IN_FORM, true);
        else if (*p == IN_JSON && has_type(type, "application/json"))
            rc = add_json(c);
        else if (*p == IN_PART && has_type(type, "multipart/form-data"))
            rc = add_parts(c, type);
        else
            continue;
        c->form = true; /* the body is read */
        if (rc < 0)
            return -1;
    }
    return 0;
}

int query_parse(struct call *c)
{
    c->items = NULL;
    c->n_items = 0;
    if (c->query_is_body) {
        c->query = c->request->body;
        c->query_len = c->request->body_len;
    }
    return c->query ? call_add_form(c, c->query, c->query_len, IN_QUERY, false) : 0;
}

/* ---- parameters ---- */

static bool is_late(const struct call *c)
{
    return c->front && c->front->late;
}

static const char *fault_of_int(const struct param *d, struct param_value *v)
{
    int64_t min = d->min, max = d->max;
    if (!min && !max) {
        min = INT32_MIN;
        max = INT32_MAX;
    }
    if (parse_i64(v->text, v->len, &v->number) < 0)
        return "invalid";
    return v->number < min || v->number > max ? "range" : NULL;
}

static bool is_json(struct call *c, const struct param_value *v)
{
    const struct json *json;
    struct sosia_err err;
    return json_parse(c->tx.arena, v->text, v->len, NULL, &json, &err) == 0;
}

/* Reads the number of a value. Why the value is not what the row says; NULL: it is. */
static const char *fault_of(struct call *c, const struct param *d, struct param_value *v)
{
    struct stamp stamp;
    switch (d->type) {
    case PARAM_STRING:
        return d->max && v->len > (size_t)d->max ? "length" : NULL;
    case PARAM_INT:
        return fault_of_int(d, v);
    case PARAM_BOOL:
        v->number = str_eq_nocase(v->text, "true") || strcmp(v->text, "1") == 0;
        if (v->number || str_eq_nocase(v->text, "false") || strcmp(v->text, "0") == 0)
            return NULL;
        return "invalid";
    case PARAM_DATETIME:
        if (stamp_parse(v->text, v->len, false, &stamp) < 0)
            return "invalid";
        v->number = stamp.local_us - stamp.offset * US_PER_SECOND;
        return NULL;
    case PARAM_DATE:
        return date_parse(v->text, v->len, &v->number) < 0 ? "invalid" : NULL;
    case PARAM_ENUM:
        for (v->number = 0; d->values[v->number]; v->number++)
            if (strcmp(d->values[v->number], v->text) == 0)
                return NULL;
        return "enum";
    case PARAM_LIST:
        return NULL;
    case PARAM_JSON:
        return is_late(c) || is_json(c, v) ? NULL : "invalid"; /* read once */
    }
    return NULL;
}

int param_add(struct call *c, const struct param *d, const char *text, size_t len)
{
    struct param_value *v = &c->values[c->n_values++];
    *v = (struct param_value){.def = d, .text = text, .len = len};
    v->wrong = fault_of(c, d, v);
    if (!v->wrong || is_late(c))
        return 0;
    if (strcmp(v->wrong, "length") == 0)
        return call_fail(c, SOSIA_E_INVALID, v->wrong, d->name, "%zu", len);
    return call_fail(c, SOSIA_E_INVALID, v->wrong, d->name, "%s", text);
}

int param_set(struct call *c, const struct param *d, const char *text)
{
    size_t n = 0, n_items = 0;
    struct query_item item = {.name = d->name, .text = text, .place = d->place};
    for (size_t i = 0; i < c->n_values; i++)
        if (c->values[i].def != d)
            c->values[n++] = c->values[i];
    c->n_values = n;
    for (size_t i = 0; i < c->n_items; i++) { /* the first place that had it has it */
        if (strcmp(c->items[i].name, d->name) != 0)
            c->items[n_items++] = c->items[i];
        else if (text && item.len != SIZE_MAX) {
            item.place = c->items[i].place;
            item.len = SIZE_MAX;
        }
    }
    c->n_items = n_items;
    if (!text)
        return 0;
    item.len = strlen(text);
    struct query_item *items = arena_alloc(c->tx.arena, sizeof *items);
    *items = item;
    if (d->place != IN_PATH && add_items(c, items, 1, true) < 0)
        return -1;
    struct param_value *values = arena_alloc(c->tx.arena, (n + 1) * sizeof *values);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (n)
        memcpy(values, c->values, n * sizeof *values);
    c->values = values;
    return param_add(c, d, text, item.len);
}

/* In a key in brackets a quote is two. */
static size_t single_quotes(char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        text[n++] = text[i];
        i += text[i] == '\'' && i + 1 < len && text[i + 1] == '\'';
    }
    text[n] = 0;
    return n;
}

static int path_param(struct call *c, const struct param *d, const struct match *m)
{
    for (size_t i = 0; i < m->n_params; i++) {
        if (strncmp(m->params[i].name, d->name, m->params[i].name_len) != 0 ||
            d->name[m->params[i].name_len])
            continue;
        char *text;
        size_t len;
        if (decode_value(c, m->params[i].text, m->params[i].len, false, &text, &len) < 0)
            return call_fail(c, SOSIA_E_INVALID, "path", d->name, "the path is not well encoded");
        return param_add(c, d, text, m->params[i].quoted ? single_quotes(text, len) : len);
    }
    return 0; /* another path of the row has it */
}

static int item_param(struct call *c, const struct param *d, bool *ret_given)
{
    enum param_place from = IN_PATH; /* the place that has it */
    for (size_t i = 0; i < c->n_items; i++) {
        const struct query_item *item = &c->items[i];
        if (*item->name != *d->name || strcmp(item->name, d->name) != 0 ||
            (d->place != IN_ARGUMENT && d->place != item->place) ||
            (from != IN_PATH && from != item->place))
            continue;
        if (param_add(c, d, item->text, item->len) < 0)
            return -1;
        from = item->place;
        if (!d->repeated)
            break; /* the first of a repeated one counts */
    }
    *ret_given = from != IN_PATH;
    return 0;
}

static int other_param(struct call *c, const struct param *d)
{
    bool given = false;
    if (d->place == IN_HEADER) {
        const char *text = call_request_header(c, d->name);
        given = text != NULL;
        if (given && param_add(c, d, text, strlen(text)) < 0)
            return -1;
    } else if (item_param(c, d, &given) < 0) {
        return -1;
    }
    if (!given && d->def && !is_late(c))
        return param_add(c, d, d->def, strlen(d->def));
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
        if ((d->place == IN_PATH ? path_param(c, d, m) : other_param(c, d)) < 0)
            return -1;
    }
    return 0;
}

static const struct param *param_of_item(const struct route *r, const struct query_item *item)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].place != IN_PATH && strcmp(r->params[i].name, item->name) == 0)
            return &r->params[i];
    return NULL;
}

int params_exact(struct call *c)
{
    for (size_t i = 0; i < c->n_items; i++) {
        const char *name = c->items[i].name;
        const struct param *p = param_of_item(c->route, &c->items[i]);
        if (!p)
            return call_fail(c, SOSIA_E_INVALID, "unknown", name, "%s", name);
        for (size_t k = 0; k < i && !p->repeated; k++)
            if (strcmp(c->items[k].name, name) == 0)
                return call_fail(c, SOSIA_E_INVALID, "repeated", name, "%s", name);
    }
    return 0;
}

/* ---- words ---- */

const char *words_one_of(struct call *c, const char *const *values)
{
    const char *words = arena_printf(c->tx.arena, "one of %s", values[0]);
    for (const char *const *v = values + 1; *v; v++)
        words = arena_printf(c->tx.arena, "%s, %s", words, *v);
    return words;
}

const char *words_number(struct call *c, bool whole, int64_t min, int64_t max)
{
    const char *what = whole ? "a whole number" : "a number";
    if (max == INT64_MAX)
        return arena_printf(c->tx.arena, "%s from %lld on", what, (long long)min);
    return arena_printf(c->tx.arena, "%s from %lld to %lld", what, (long long)min, (long long)max);
}

const char *param_expected(struct call *c, const struct param *d)
{
    switch (d->type) {
    case PARAM_STRING:
        return d->max
                   ? arena_printf(c->tx.arena, "a string of at most %lld bytes", (long long)d->max)
                   : "a string";
    case PARAM_INT:
        return d->min || d->max ? words_number(c, true, d->min, d->max)
                                : words_number(c, true, INT32_MIN, INT32_MAX);
    case PARAM_BOOL:
        return "true or false";
    case PARAM_DATETIME:
        return WORDS_TIME;
    case PARAM_DATE:
        return WORDS_DATE;
    case PARAM_LIST:
        return "strings with commas between them, or a list of strings in JSON";
    case PARAM_JSON:
        return d->shape ? arena_printf(c->tx.arena, "an %s in JSON", d->shape) : "a value in JSON";
    case PARAM_ENUM:
        break;
    }
    return words_one_of(c, d->values);
}

/* ---- what handlers read ---- */

const struct param_value *param_nth(const struct call *c, const char *name, size_t i)
{
    for (size_t v = 0; v < c->n_values; v++)
        if (*c->values[v].def->name == *name && strcmp(c->values[v].def->name, name) == 0 &&
            i-- == 0)
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
        if (*c->items[i].name == *name && strcmp(c->items[i].name, name) == 0)
            return c->items[i].text;
    return NULL;
}
