/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Google's newer front end refuses before a method sees it: names that the request has not,
 * and values that are not of their type, in the query and in the body. Everything that is wrong is
 * told at once, a line each. A name may be spelled as in JSON or as in the protocol: maxResults or
 * max_results. Bodies are walked by the schema of the row, so that a handler starts with members of
 * the right types.
 */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include <ctype.h>

#define MAX_VIOLATIONS 100 /* that are told */
#define MAX_SHOWN      200 /* bytes of a value */

struct check {
    struct call *c;
    const struct dialect *d;
    struct google_violation *list;
    size_t n;
};

/* "maxResults" as the front end names it: "max_results". */
const char *google_snake_case(struct arena *a, const char *name)
{
    size_t n = strlen(name);
    char *out = arena_alloc(a, 2 * n + 1), *p = out;
    if (arena_failed(a))
        return "";
    for (; *name; name++) {
        if (isupper((unsigned char)*name) && p != out)
            *p++ = '_';
        *p++ = (char)tolower((unsigned char)*name);
    }
    *p = 0;
    return out;
}

/* Is the one the other as the front end names it? */
static bool is_snake_of(const char *name, const char *snake)
{
    for (const char *p = name; *p; p++) {
        if (isupper((unsigned char)*p) && p != name && *snake++ != '_')
            return false;
        if (*snake++ != tolower((unsigned char)*p))
            return false;
    }
    return !*snake;
}

/* "LABEL_SHOW", "labelshow" and "label-show" are "labelShow": protobuf's reader of JSON takes what
 * such enumerations are declared as, and looks at no case. */
static bool is_value(const char *text, const char *value)
{
    for (; *value; value++) {
        if (isupper((unsigned char)*value) && (*text == '_' || *text == '-'))
            text++;
        if (tolower((unsigned char)*text++) != tolower((unsigned char)*value))
            return false;
    }
    return !*text;
}

/* The value that a text stands for; NULL: none. */
static const char *value_of(const char *const *values, const char *text)
{
    for (; *values; values++)
        if (is_value(text, *values))
            return *values;
    return NULL;
}

static void add_violation(struct check *k, const char *field, const char *text)
{
    if (!k->list)
        k->list = arena_calloc(k->c->tx.arena, MAX_VIOLATIONS, sizeof *k->list);
    if (k->n < MAX_VIOLATIONS && !arena_failed(k->c->tx.arena))
        k->list[k->n++] = (struct google_violation){.field = field, .text = text};
}

/* At most so many bytes of a text, whole characters. */
static const char *shown(struct check *k, const char *text, size_t n)
{
    if (n > MAX_SHOWN) {
        n = MAX_SHOWN;
        while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    return arena_memdup(k->c->tx.arena, text, n);
}

/* ---- the query ---- */

static const char *const global_names[] = {
    "$.xgafv",     "$alt",         "$callback", "$fields",  "$key",   "$prettyPrint",
    "$quotaUser",  "access_token", "alt",       "callback", "fields", "key",
    "oauth_token", "prettyPrint",  "quotaUser", "userIp",
};

static const struct param *query_param(const struct route *r, const char *name)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].place == IN_QUERY && strcmp(r->params[i].name, name) == 0)
            return &r->params[i];
    return NULL;
}

static bool is_global(const struct call *c, const char *name)
{
    if (str_starts(name, "upload"))
        return str_starts(c->path, "/upload/") || str_starts(c->path, "/resumable/");
    for (size_t i = 0; i < SOSIA_LEN(global_names); i++)
        if (strcmp(global_names[i], name) == 0)
            return true;
    return false;
}

void google_query_names(struct call *c)
{
    const struct google_api *api = google_api_of(c);
    const struct route *r = c->route;
    for (size_t i = 0; api && api->strict && r && i < c->n_items; i++) {
        struct query_item *item = &c->items[i];
        for (size_t p = 0; strchr(item->name, '_') && p < r->n_params; p++)
            if (r->params[p].place == IN_QUERY && is_snake_of(r->params[p].name, item->name))
                item->name = r->params[p].name;
        const struct param *p = query_param(r, item->name);
        const char *value = p && p->type == PARAM_ENUM ? value_of(p->values, item->text) : NULL;
        if (value) {
            item->text = value;
            item->len = strlen(value);
        }
    }
}

static void unknown_item(struct check *k, const char *name)
{
    struct arena *a = k->c->tx.arena;
    name = shown(k, name, strlen(name));
    add_violation(
        k, NULL,
        arena_printf(a,
                     "Invalid JSON payload received. Unknown name \"%s\": Cannot bind query "
                     "parameter. Field '%s' could not be found in request message.",
                     name, name));
}

static const char *enum_name(struct check *k, const char *name)
{
    const struct google_api *api = google_api_of(k->c);
    char *out = arena_strdup(k->c->tx.arena, name);
    *out = (char)toupper((unsigned char)*out);
    return arena_printf(k->c->tx.arena, "type.googleapis.com/%s%s",
                        api && api->type_prefix ? api->type_prefix : "", out);
}

static void bad_item(struct check *k, const struct param *p, const char *text)
{
    struct arena *a = k->c->tx.arena;
    const char *field = google_snake_case(a, p->name), *type;
    switch (p->type) {
    case PARAM_INT:
        type = p->format && strcmp(p->format, "uint32") == 0 ? "TYPE_UINT32" : "TYPE_INT32";
        break;
    case PARAM_BOOL:
        type = "TYPE_BOOL";
        break;
    case PARAM_ENUM:
        type = enum_name(k, p->name);
        break;
    default:
        type = "TYPE_STRING";
    }
    add_violation(k, field,
                  arena_printf(a, "Invalid value at '%s' (%s), \"%s\"", field, type,
                               shown(k, text, strlen(text))));
}

static bool is_good(const struct param *p, const char *text)
{
    int64_t v, min = p->min, max = p->max;
    switch (p->type) {
    case PARAM_INT:
        if (!min && !max) {
            min = INT32_MIN;
            max = INT32_MAX;
        }
        return parse_i64(text, strlen(text), &v) == 0 && v >= min && v <= max;
    case PARAM_BOOL:
        return str_eq_nocase(text, "true") || str_eq_nocase(text, "false") ||
               strcmp(text, "1") == 0 || strcmp(text, "0") == 0;
    case PARAM_ENUM:
        for (size_t i = 0; p->values[i]; i++)
            if (strcmp(p->values[i], text) == 0)
                return true;
        return false;
    default:
        return true;
    }
}

static void check_query(struct check *k)
{
    for (size_t i = 0; i < k->c->n_items; i++) {
        const struct query_item *item = &k->c->items[i];
        const struct param *p = query_param(k->c->route, item->name);
        if (p && !is_good(p, item->text))
            bad_item(k, p, item->text);
        else if (!p && !is_global(k->c, item->name))
            unknown_item(k, item->name);
    }
}

/* ---- the body ---- */

/* Where the walk is; written out only when something is wrong there. */
struct place {
    const struct place *up; /* NULL: the root */
    const char *name;       /* of the field; NULL: an item of the list above */
    uint32_t index;
};

static void write_place(struct arena *a, const struct place *p, struct buf *b)
{
    if (!p)
        return;
    write_place(a, p->up, b);
    if (!p->name)
        buf_printf(b, "[%u]", p->index);
    else
        buf_printf(b, "%s%s", b->len ? "." : "", google_snake_case(a, p->name));
}

/* "message.payload.headers[2]"; "" at the root. */
static const char *place_text(struct check *k, const struct place *p)
{
    struct buf b;
    buf_init(&b, 64 * 1024);
    write_place(k->c->tx.arena, p, &b);
    const char *text = arena_strdup(k->c->tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void unknown_member(struct check *k, const struct place *at, const char *name,
                           const char *why)
{
    struct arena *a = k->c->tx.arena;
    const char *path = place_text(k, at);
    name = shown(k, name, strlen(name));
    add_violation(
        k, *path ? path : NULL,
        *path
            ? arena_printf(a, "Invalid JSON payload received. Unknown name \"%s\" at '%s': %s",
                           name, path, why)
            : arena_printf(a, "Invalid JSON payload received. Unknown name \"%s\": %s", name, why));
}

static void bad_value(struct check *k, const struct place *at, const char *type, const char *what)
{
    const char *path = place_text(k, at);
    add_violation(k, path,
                  arena_printf(k->c->tx.arena, "Invalid value at '%s' (%s), %s", path, type, what));
}

static const char *value_text(struct check *k, const struct json *v)
{
    switch (v->type) {
    case JSON_STRING:
        return arena_printf(k->c->tx.arena, "\"%s\"", shown(k, v->str, v->n));
    case JSON_NUMBER:
        return shown(k, v->str, v->n);
    case JSON_BOOL:
        return v->truth ? "true" : "false";
    default:
        return "Starting an object on a scalar field";
    }
}

static const char *type_name(const struct field *f)
{
    static const struct {
        const char *type, *format, *name;
    } table[] = {
        {"string", "byte", "TYPE_BYTES"},    {"string", "int64", "TYPE_INT64"},
        {"string", "uint64", "TYPE_UINT64"}, {"integer", "uint32", "TYPE_UINT32"},
        {"integer", NULL, "TYPE_INT32"},     {"boolean", NULL, "TYPE_BOOL"},
        {"number", NULL, "TYPE_DOUBLE"},
    };
    for (size_t i = 0; i < SOSIA_LEN(table); i++)
        if (strcmp(table[i].type, f->type) == 0 &&
            (!table[i].format || (f->format && strcmp(f->format, table[i].format) == 0)))
            return table[i].name;
    return "TYPE_STRING";
}

/* Both alphabets, padding or none; no decoding. */
static bool is_base64(const char *text, size_t n)
{
    size_t pad = 0;
    while (pad < 2 && n && text[n - 1] == '=') {
        n--;
        pad++;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)text[i];
        if (!isalnum(b) && b != '-' && b != '_' && b != '+' && b != '/')
            return false;
    }
    return n % 4 != 1;
}

static bool is_number(const struct json *v, const char *type)
{
    int64_t n;
    uint64_t u;
    double d;
    if (v->type != JSON_NUMBER && v->type != JSON_STRING)
        return false;
    if (strcmp(type, "TYPE_UINT64") == 0)
        return parse_u64(v->str, v->n, &u) == 0;
    if (strcmp(type, "TYPE_DOUBLE") == 0)
        return parse_double(v->str, v->n, &d) == 0;
    if (parse_i64(v->str, v->n, &n) < 0)
        return false;
    if (strcmp(type, "TYPE_INT32") == 0)
        return n >= INT32_MIN && n <= INT32_MAX;
    return strcmp(type, "TYPE_UINT32") != 0 || (n >= 0 && n <= UINT32_MAX);
}

static void check_scalar(struct check *k, const struct field *f, const struct json *v,
                         const struct place *at)
{
    const char *type = type_name(f);
    if (f->values) {
        const char *value = v->type == JSON_STRING ? value_of(f->values, v->str) : NULL;
        if (value) { /* handlers know it by the name that the schema has */
            struct json *own = (struct json *)(uintptr_t)v;
            own->str = value;
            own->n = (uint32_t)strlen(value);
            return;
        }
        type = enum_name(k, f->name);
    } else if (strcmp(type, "TYPE_STRING") == 0) {
        if (v->type == JSON_STRING)
            return;
    } else if (strcmp(type, "TYPE_BYTES") == 0) {
        if (v->type == JSON_STRING && is_base64(v->str, v->n))
            return;
        if (v->type == JSON_STRING) {
            bad_value(
                k, at, type,
                arena_printf(k->c->tx.arena, "Base64 decoding failed for %s", value_text(k, v)));
            return;
        }
    } else if (strcmp(type, "TYPE_BOOL") == 0) {
        if (v->type == JSON_BOOL)
            return;
    } else if (is_number(v, type)) {
        return;
    }
    bad_value(k, at, type, value_text(k, v));
}

static void check_object(struct check *k, const struct field *fields, size_t n_fields,
                         const struct json *v, const struct place *at);

static void check_one(struct check *k, const struct field *f, const struct json *v,
                      const struct place *at)
{
    const struct schema *s = google_schema(k->d, f->type);
    if (v->type == JSON_NULL || strcmp(f->type, "any") == 0)
        return;
    if (!s && !f->fields)
        check_scalar(k, f, v, at);
    else if (v->type == JSON_OBJECT)
        check_object(k, s ? s->fields : f->fields, s ? s->n_fields : f->n_fields, v, at);
    else
        bad_value(k, at, enum_name(k, f->type), value_text(k, v));
}

static void check_member(struct check *k, const struct field *f, const struct json *v,
                         const struct place *up)
{
    struct place at = {.up = up, .name = f->name};
    if (v->type != JSON_ARRAY) {
        check_one(k, f, v, &at); /* one value stands for a list of one */
    } else if (!f->list) {
        unknown_member(k, up, f->name, "Proto field is not repeating, cannot start list.");
    } else {
        for (uint32_t i = 0; i < v->n && k->n < MAX_VIOLATIONS; i++) {
            struct place item = {.up = &at, .index = i};
            if (v->items[i].type == JSON_ARRAY)
                unknown_member(k, &at, "", "Proto field is not repeating, cannot start list.");
            else
                check_one(k, f, &v->items[i], &item);
        }
    }
}

/* The field of this name; one that is known by its other name gets the one that handlers know. */
static const struct field *field_of(const struct field *fields, size_t n, struct json_member *m)
{
    for (size_t j = 0; j < n; j++)
        if (strcmp(fields[j].name, m->key) == 0)
            return &fields[j];
    for (size_t j = 0; strchr(m->key, '_') && j < n; j++)
        if (is_snake_of(fields[j].name, m->key)) {
            m->key = fields[j].name;
            m->key_len = (uint32_t)strlen(m->key);
            return &fields[j];
        }
    return NULL;
}

static void check_object(struct check *k, const struct field *fields, size_t n_fields,
                         const struct json *v, const struct place *at)
{
    for (uint32_t i = 0; i < v->n && k->n < MAX_VIOLATIONS; i++) {
        /* The call's own, nobody has looked at it yet. */
        struct json_member *m = (struct json_member *)(uintptr_t)&v->members[i];
        const struct field *f = field_of(fields, n_fields, m);
        if (f)
            check_member(k, f, &m->value, at);
        else
            unknown_member(k, at, m->key, "Cannot find field.");
    }
}

static void check_body(struct check *k)
{
    static const char request[] = "Request";
    const struct call *c = k->c;
    const struct schema *s = google_schema(k->d, c->route->request);
    if (!s || !c->body)
        return;
    if (c->body->type != JSON_OBJECT) {
        unknown_member(k, NULL, "", "Root element must be a message.");
        return;
    }
    /* A resource is a field of the request, a request is the message itself. */
    size_t n = strlen(s->name), m = sizeof request - 1;
    bool whole = n > m && strcmp(s->name + n - m, request) == 0;
    struct place at = {.name = s->name};
    check_object(k, s->fields, s->n_fields, c->body, whole ? NULL : &at);
}

size_t google_violations(struct call *c, const struct google_violation **ret)
{
    struct check k = {.c = c, .d = c->dialect};
    if (c->route) {
        check_query(&k);
        check_body(&k);
    }
    *ret = k.list;
    return arena_failed(c->tx.arena) ? 0 : k.n;
}
