/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/api/json_schema.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_fields(const struct json_schema *s, const struct field *fields, size_t n);
static void write_field(const struct json_schema *s, const struct field *f, const char *name);

static void write_values(struct json_writer *w, const char *const *values)
{
    json_arr(w, "enum");
    for (; *values; values++)
        json_str(w, NULL, *values);
    json_end(w);
}

void json_schema_ref(const struct json_schema *s, const char *name)
{
    char ref[160];
    snprintf(ref, sizeof ref, "%s%s", s->refs, name);
    json_str(s->w, "$ref", ref);
}

static void write_format(const struct json_schema *s, const char *format)
{
    bool is_time = format && (strcmp(format, "date-time") == 0 || strcmp(format, "date") == 0);
    json_str_opt(s->w, "format", s->values && !is_time ? NULL : format);
}

static void write_type(struct json_writer *w, const struct field *f)
{
    if (!f->nullable || f->list) {
        json_str(w, "type", f->type);
        return;
    }
    json_arr(w, "type");
    json_str(w, NULL, f->type);
    json_str(w, NULL, "null");
    json_end(w);
}

/* A string, or something in its place. */
static void write_one_of(struct json_writer *w, const struct field *f)
{
    json_arr(w, "oneOf");
    json_obj(w, NULL);
    json_str(w, "type", f->type);
    json_end(w);
    json_obj(w, NULL);
    json_str(w, "type", f->other);
    if (strcmp(f->other, "array") == 0) {
        json_obj(w, "items");
        json_str(w, "type", "string");
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void write_limits(struct json_writer *w, const struct field *f)
{
    if (f->types)
        return; /* of the text that is in it */
    if (strcmp(f->type, "string") == 0 && f->min)
        json_int(w, "minLength", f->min);
    if (!f->max)
        return;
    if (strcmp(f->type, "string") == 0) {
        json_int(w, "maxLength", f->max);
        return;
    }
    json_int(w, "minimum", f->min);
    if (f->max != INT64_MAX)
        json_int(w, "maximum", f->max);
    else if (strcmp(f->type, "integer") == 0 && !f->format)
        json_str(w, "format", "int64");
}

/* ---- objects whose member "type" names their schema ---- */

/* What documents call all types of a table. */
static const char *types_name(const struct schema *types)
{
    while (types->name)
        types++;
    return types->summary;
}

/* Their names, and no more. */
static void write_type_names(struct json_writer *w, const struct schema *types)
{
    json_str(w, "type", "object");
    json_obj(w, "properties");
    json_obj(w, "type");
    json_str(w, "type", "string");
    json_arr(w, "enum");
    for (; types->name; types++)
        json_str(w, NULL, types->name);
    json_end(w);
    json_end(w);
    json_end(w);
    json_arr(w, "required");
    json_str(w, NULL, "type");
    json_end(w);
}

static void write_types(const struct json_schema *s, const struct field *f)
{
    if (s->brief)
        write_type_names(s->w, f->types);
    else
        json_schema_ref(s, types_name(f->types));
}

static void write_required(const struct json_schema *s, const struct field *fields, size_t n,
                           const char *first);

static void write_object(const struct json_schema *s, const struct field *f)
{
    const struct field *fields = f->of ? f->of->fields : f->fields;
    const size_t n = f->of ? f->of->n_fields : f->n_fields;
    json_str(s->w, "type", "object");
    write_fields(s, fields, n);
    if (s->whole || s->brief)
        write_required(s, fields, n, NULL);
}

/* The members of a schema object for one value of the field. */
static void write_value_type(const struct json_schema *s, const struct field *f)
{
    struct json_writer *w = s->w;
    if (dialect_schema(s->d, f->type)) {
        json_schema_ref(s, f->type);
    } else if (f->other) {
        write_one_of(w, f);
    } else if (f->types) {
        write_types(s, f);
    } else if (strcmp(f->type, "list") == 0) {
        json_str(w, "type", "array");
        write_field(s, f->fields, "items");
    } else if (f->fields || f->of) {
        write_object(s, f);
    } else if (strcmp(f->type, "any") != 0) {
        write_type(w, f);
    }
    if (!f->other && !s->values)
        write_limits(w, f);
    write_format(s, f->format);
    if (f->values && !s->values)
        write_values(w, f->values);
}

/* Of all values of the field, and not one of them. */
static void write_whole_type(const struct json_schema *s, const struct field *f)
{
    struct json_writer *w = s->w;
    if (!f->list && !f->map) {
        write_value_type(s, f);
        return;
    }
    json_str(w, "type", f->list ? "array" : "object");
    json_obj(w, f->list ? "items" : "additionalProperties");
    write_value_type(s, f);
    json_end(w);
    if (f->least)
        json_int(w, f->list ? "minItems" : "minProperties", f->least);
    if (f->most)
        json_int(w, f->list ? "maxItems" : "maxProperties", f->most);
}

static void write_field(const struct json_schema *s, const struct field *f, const char *name)
{
    struct json_writer *w = s->w;
    json_obj(w, name);
    if (strcmp(f->type, "any") == 0 && f->fields)
        write_whole_type(s, f->fields);
    else
        write_whole_type(s, f);
    json_str_opt(w, "description", f->summary);
    json_bool_opt(w, "readOnly", f->read_only);
    json_bool_opt(w, "x-immutable", f->immutable && !s->method);
    json_bool_opt(w, "deprecated", f->deprecated);
    json_end(w);
}

/* What is read-only is not for who makes a request. */
static void write_fields(const struct json_schema *s, const struct field *fields, size_t n)
{
    json_obj(s->w, "properties");
    for (size_t i = 0; i < n; i++)
        if (!s->method || !fields[i].read_only)
            write_field(s, &fields[i], fields[i].name);
    json_end(s->w);
}

static bool is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

bool json_schema_requires(const struct json_schema *s, const struct field *f)
{
    return f->required ||
           (s->method && f->required_for && !f->read_only && is_listed(f->required_for, s->method));
}

/* first: a member that is required besides; NULL: none. */
static void write_required(const struct json_schema *s, const struct field *fields, size_t n,
                           const char *first)
{
    bool open = first != NULL;
    if (first) {
        json_arr(s->w, "required");
        json_str(s->w, NULL, first);
    }
    for (size_t i = 0; i < n && !s->values; i++) {
        if (!json_schema_requires(s, &fields[i]))
            continue;
        if (!open)
            json_arr(s->w, "required");
        open = true;
        json_str(s->w, NULL, fields[i].name);
    }
    if (open)
        json_end(s->w);
}

void json_schema_members(const struct json_schema *s, const struct schema *schema)
{
    json_str(s->w, "type", "object");
    json_str_opt(s->w, "description", schema->summary);
    write_fields(s, schema->fields, schema->n_fields);
    write_required(s, schema->fields, schema->n_fields, NULL);
    if (schema->closed && !s->values)
        json_bool(s->w, "additionalProperties", false);
}

/* ---- parameters ---- */

static void write_param_type(struct json_writer *w, const struct param *p)
{
    static const char *const types[] = {"string", "integer", "boolean", "string",
                                        "string", "string",  "array",   NULL};
    static const char *const formats[] = {NULL, NULL, NULL, "date-time", "date", NULL, NULL, NULL};
    json_str_opt(w, "type", p->type == PARAM_JSON ? p->shape : types[p->type]);
    json_str_opt(w, "format", p->format ? p->format : formats[p->type]);
    if (p->type == PARAM_LIST) {
        json_obj(w, "items");
        json_str(w, "type", "string");
        json_end(w);
    }
    if (p->type == PARAM_INT && (p->min || p->max)) {
        json_int(w, "minimum", p->min);
        if (p->max != INT64_MAX)
            json_int(w, "maximum", p->max);
        else
            json_str_opt(w, "format", p->format ? NULL : "int64");
    }
    if (p->type == PARAM_STRING && p->max)
        json_int(w, "maxLength", p->max);
    if (p->type == PARAM_JSON && p->min)
        json_int(w, "minItems", p->min);
    if (p->type == PARAM_JSON && p->max)
        json_int(w, "maxItems", p->max);
    if (p->values)
        write_values(w, p->values);
    if (p->def && p->type == PARAM_INT)
        json_int(w, "default", strtoll(p->def, NULL, 10));
    else if (p->def && p->type == PARAM_BOOL)
        json_bool(w, "default", strcmp(p->def, "true") == 0);
    else
        json_str_opt(w, "default", p->def);
}

/* What a value in JSON is, in full. */
static void write_param_value(const struct json_schema *s, const struct field *f)
{
    struct json_schema shapes = *s;
    shapes.whole = !s->brief;
    if (!s->brief || f->types || f->list) {
        if (!s->brief && f->types && !f->list)
            json_str(s->w, "type", "object"); /* beside the reference */
        write_whole_type(&shapes, f);
        return;
    }
    json_str(s->w, "type", "object");
    json_obj(s->w, "properties");
    for (size_t i = 0; i < f->n_fields; i++) {
        const struct field *m = &f->fields[i];
        json_obj(s->w, m->name);
        json_str_opt(s->w, "type",
                     m->list                       ? "array"
                     : m->map                      ? "object"
                     : strcmp(m->type, "any") != 0 ? m->type
                                                   : NULL);
        json_end(s->w);
    }
    json_end(s->w);
    write_required(s, f->fields, f->n_fields, NULL);
}

void json_schema_param(const struct json_schema *s, const struct param *p)
{
    if (p->of) {
        write_param_value(s, p->of);
        return;
    }
    if (!p->repeated) {
        write_param_type(s->w, p);
        return;
    }
    json_str(s->w, "type", "array");
    json_obj(s->w, "items");
    write_param_type(s->w, p);
    json_end(s->w);
}

/* ---- types that parameters hold ---- */

/* Tables of types that were found so far. */
struct tables {
    const struct schema **list;
    size_t n, room;
    bool failed;
};

static void find_tables(struct tables *t, const struct field *fields, size_t n);

static void add_table(struct tables *t, const struct schema *types)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->list[i] == types)
            return;
    if (t->n == t->room) {
        const size_t room = t->room ? 2 * t->room : 16;
        const struct schema **more = realloc(t->list, room * sizeof *more);
        if (!more) {
            t->failed = true;
            return;
        }
        t->list = more;
        t->room = room;
    }
    t->list[t->n++] = types;
    for (const struct schema *s = types; s->name; s++)
        find_tables(t, s->fields, s->n_fields);
}

static void find_tables(struct tables *t, const struct field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (fields[i].types)
            add_table(t, fields[i].types);
        find_tables(t, fields[i].fields, fields[i].n_fields);
        if (fields[i].of)
            find_tables(t, fields[i].of->fields, fields[i].of->n_fields);
    }
}

static void name_of_type(char out[80], const char *called, const char *type)
{
    snprintf(out, 80, "%s.%s", called, type);
}

/* One of the members, each by itself, is enough. */
static void write_needs(struct json_writer *w, const char *needs)
{
    json_arr(w, "anyOf");
    while (*needs) {
        const size_t n = strcspn(needs, " ");
        json_obj(w, NULL);
        json_arr(w, "required");
        json_strn(w, NULL, needs, n);
        json_end(w);
        json_end(w);
        needs += n + strspn(needs + n, " ");
    }
    json_end(w);
}

static void write_typed(const struct json_schema *s, const struct schema *type)
{
    struct json_writer *w = s->w;
    json_str(w, "type", "object");
    json_str_opt(w, "description", type->summary);
    json_obj(w, "properties");
    json_obj(w, "type");
    json_str(w, "const", type->name);
    json_end(w);
    for (size_t i = 0; i < type->n_fields; i++)
        if (strcmp(type->fields[i].name, "type") != 0)
            write_field(s, &type->fields[i], type->fields[i].name);
    json_end(w);
    write_required(s, type->fields, type->n_fields, "type");
    if (type->needs)
        write_needs(w, type->needs);
}

static void write_table(const struct json_schema *s, const struct schema *types)
{
    const char *called = types_name(types);
    char name[80];
    json_obj(s->w, called);
    json_arr(s->w, "oneOf");
    for (const struct schema *type = types; type->name; type++) {
        json_obj(s->w, NULL);
        name_of_type(name, called, type->name);
        json_schema_ref(s, name);
        json_end(s->w);
    }
    json_end(s->w);
    json_end(s->w);
    for (const struct schema *type = types; type->name; type++) {
        name_of_type(name, called, type->name);
        json_obj(s->w, name);
        write_typed(s, type);
        json_end(s->w);
    }
}

int json_schema_types(const struct json_schema *s)
{
    struct json_schema shapes = *s;
    const struct route *r;
    struct tables t = {0};
    shapes.whole = true;
    for (size_t i = 0; (r = dialect_row(s->d, i)); i++)
        for (size_t p = 0; p < r->n_params; p++)
            if (r->params[p].of)
                find_tables(&t, r->params[p].of, 1);
    for (size_t i = 0; i < t.n; i++)
        write_table(&shapes, t.list[i]);
    free(t.list);
    return t.failed ? -1 : 0;
}

/* ---- what a schema refers to ---- */

struct reached {
    const struct dialect *d;
    const struct schema **list; /* in the order in which they were found */
    bool *seen;                 /* by the dialect's schemas */
    size_t n;
};

static void reach(struct reached *r, const char *name)
{
    const struct schema *s = dialect_schema(r->d, name);
    if (!s || r->seen[s - r->d->schemas])
        return;
    r->seen[s - r->d->schemas] = true;
    r->list[r->n++] = s;
}

static void reach_fields(struct reached *r, const struct field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        reach(r, fields[i].type);
        reach_fields(r, fields[i].fields, fields[i].n_fields);
        if (fields[i].of)
            reach_fields(r, fields[i].of->fields, fields[i].of->n_fields);
    }
}

int json_schema_reached(const struct dialect *d, const char *name,
                        void (*fn)(void *arg, const struct schema *schema), void *arg)
{
    struct reached r = {.d = d,
                        .list = calloc(d->n_schemas + 1, sizeof *r.list),
                        .seen = calloc(d->n_schemas + 1, sizeof *r.seen)};
    int rc = r.list && r.seen ? 0 : -1;
    if (rc == 0)
        reach(&r, name);
    for (size_t i = 0; i < r.n; i++) {
        reach_fields(&r, r.list[i]->fields, r.list[i]->n_fields);
        fn(arg, r.list[i]);
    }
    free(r.list);
    free(r.seen);
    return rc;
}
