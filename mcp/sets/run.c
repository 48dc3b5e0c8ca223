/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of sets: what the list shows of one, and its call. */
#include "engine/base/err.h"
#include "mcp/sets/set.h"
#include "engine/base/utf8.h"
#include <stdarg.h>
#include <stdlib.h>

const struct set_tools *const set_lists[] = {
    &hosted_calendar,    &hosted_gmail,         &hosted_drive,
    &hosted_slack,       &reference_drive,      &reference_slack,
    &community_calendar, &community_drive,      &community_gmail,
    &community_slack,    &community_slack_more, &workspace_calendar,
    &workspace_drive,    &workspace_gmail,      NULL};

#define MAX_EACH 1000 /* calls of one step */

/* ---- the list ---- */

static void write_enum(struct json_writer *w, const char *const *values)
{
    json_arr(w, "enum");
    for (; *values; values++)
        json_str(w, NULL, *values);
    json_end(w);
}

static void write_default(struct json_writer *w, const struct set_arg *a)
{
    if (!a->def || a->silent_def)
        return;
    if (a->type == ARG_STRING)
        json_str(w, "default", a->def);
    else
        json_raw(w, "default", a->def, strlen(a->def));
}

static void write_args(struct json_writer *w, const struct set_arg *args, size_t n, bool closed);

/* The schema of the items of a list, as a member; NULL: as an item of "anyOf". */
static void write_texts(struct json_writer *w, const char *name, const struct set_arg *a)
{
    json_obj(w, name);
    json_str(w, "type", "string");
    if (a->values)
        write_enum(w, a->values);
    json_end(w);
}

static void write_bounds(struct json_writer *w, const struct set_arg *a, bool list)
{
    if (a->min)
        json_int(w, list ? "minItems" : "minimum", a->min);
    if (a->max)
        json_int(w, list ? "maxItems" : "maximum", a->max);
}

static void write_any(struct json_writer *w, const struct set_arg *a)
{
    json_arr(w, "anyOf");
    write_texts(w, NULL, a);
    json_obj(w, NULL);
    json_str(w, "type", "array");
    write_texts(w, "items", a);
    write_bounds(w, a, true);
    json_end(w);
    json_end(w);
}

static void write_arg(struct json_writer *w, const struct set_arg *a)
{
    static const char *const types[] = {
        [ARG_STRING] = "string",   [ARG_INTEGER] = "integer", [ARG_NUMBER] = "number",
        [ARG_BOOLEAN] = "boolean", [ARG_STRINGS] = "array",   [ARG_OBJECTS] = "array",
        [ARG_MAP] = "object"};
    bool list = a->type == ARG_STRINGS || a->type == ARG_OBJECTS;
    json_obj(w, a->name);
    if (a->type == ARG_OBJECT)
        write_args(w, a->members, a->n_members, true);
    else if (a->type == ARG_TEXTS)
        write_any(w, a);
    else
        json_str(w, "type", types[a->type]);
    json_str_opt(w, "description", a->summary);
    if (a->type == ARG_STRINGS)
        write_texts(w, "items", a);
    else if (a->type == ARG_MAP)
        write_texts(w, "additionalProperties", a);
    else if (a->type == ARG_STRING && a->values)
        write_enum(w, a->values);
    if (a->type == ARG_OBJECTS) {
        json_obj(w, "items");
        write_args(w, a->members, a->n_members, true);
        json_end(w);
    }
    write_default(w, a);
    if (a->type != ARG_TEXTS)
        write_bounds(w, a, list);
    json_end(w);
}

/* The members of the schema of an object. */
static void write_args(struct json_writer *w, const struct set_arg *args, size_t n, bool closed)
{
    json_str(w, "type", "object");
    json_obj(w, "properties");
    for (size_t i = 0; i < n; i++)
        write_arg(w, &args[i]);
    json_end(w);
    json_arr(w, "required");
    for (size_t i = 0; i < n; i++)
        if (args[i].required)
            json_str(w, NULL, args[i].name);
    json_end(w);
    if (closed)
        json_bool(w, "additionalProperties", false);
}

void set_write(struct json_writer *w, const struct mcp_tool *t)
{
    const struct set_tool *row = t->row;
    json_obj(w, NULL);
    json_str(w, "name", row->name);
    json_str(w, "description", row->summary);
    json_obj(w, "inputSchema");
    write_args(w, row->args, row->n_args, t->rows->closed);
    json_end(w);
    json_obj(w, "annotations");
    json_bool(w, "readOnlyHint", t->risk == RISK_READ);
    json_bool(w, "destructiveHint", t->risk == RISK_DESTRUCTIVE);
    json_bool(w, "idempotentHint", t->risk == RISK_READ || row->idempotent);
    json_bool(w, "openWorldHint", t->risk == RISK_EXTERNAL);
    json_end(w);
    json_end(w);
}

/* ---- arguments ---- */

int set_refuse(struct set_run *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    r->why = message_text(r->arena, fmt, ap);
    va_end(ap);
    return 0;
}

static bool is_listed(const char *const *values, const char *text)
{
    for (; *values; values++)
        if (strcmp(*values, text) == 0)
            return true;
    return false;
}

static const char *list_of(struct arena *a, const char *const *values)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; values[i]; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", values[i]);
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static int check_text(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    if (v->type != JSON_STRING)
        return set_refuse(r, "%s must be %s, is %s", a->name,
                          a->type == ARG_STRINGS || a->type == ARG_TEXTS ? "a list of strings"
                          : a->type == ARG_MAP                           ? "an object of strings"
                                                                         : "a string",
                          call_quote(r->m->c, v));
    if (a->values && !is_listed(a->values, v->str))
        return set_refuse(r, "%s must be one of %s, is \"%s\"", a->name,
                          list_of(r->arena, a->values), v->str);
    return 1;
}

static int check_number(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    double n;
    int64_t whole;
    if (json_double(v, &n) < 0 || (a->type == ARG_INTEGER && json_i64(v, &whole) < 0))
        return set_refuse(r, "%s must be a %s, is %s", a->name,
                          a->type == ARG_INTEGER ? "whole number" : "number",
                          call_quote(r->m->c, v));
    if ((a->min && n < (double)a->min) || (a->max && n > (double)a->max))
        return set_refuse(r, "%s must be from %lld%s%s, is %s", a->name, (long long)a->min,
                          a->max ? " to " : " on",
                          a->max ? arena_printf(r->arena, "%lld", (long long)a->max) : "", v->str);
    return 1;
}

static const struct set_arg *arg_named(const struct set_arg *args, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(args[i].name, name) == 0)
            return &args[i];
    return NULL;
}

static int check_arg(struct set_run *r, const struct set_arg *a, const struct json *v);

static int check_object(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    if (v->type != JSON_OBJECT)
        return set_refuse(r, "%s must be an object, is %s", a->name, call_quote(r->m->c, v));
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        const struct set_arg *member = arg_named(a->members, a->n_members, m->key);
        if (!member)
            return set_refuse(r, "%s has no member %s", a->name, m->key);
        if (!check_arg(r, member, &m->value))
            return 0;
    }
    for (size_t i = 0; i < a->n_members; i++)
        if (a->members[i].required && !json_get(v, a->members[i].name))
            return set_refuse(r, "%s.%s is required", a->name, a->members[i].name);
    return 1;
}

static int check_list(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    bool objects = a->type == ARG_OBJECTS;
    if (v->type != JSON_ARRAY)
        return set_refuse(r, "%s must be a list of %s, is %s", a->name,
                          objects ? "objects" : "strings", call_quote(r->m->c, v));
    if ((a->min && v->n < a->min) || (a->max && v->n > a->max))
        return set_refuse(r, "%s must have from %lld to %lld items, has %u", a->name,
                          (long long)a->min, (long long)a->max, v->n);
    for (uint32_t i = 0; i < v->n; i++)
        if (!(objects ? check_object : check_text)(r, a, &v->items[i]))
            return 0;
    return 1;
}

static int check_map(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    if (v->type != JSON_OBJECT)
        return set_refuse(r, "%s must be an object of strings, is %s", a->name,
                          call_quote(r->m->c, v));
    for (uint32_t i = 0; i < v->n; i++)
        if (!check_text(r, a, &v->members[i].value))
            return 0;
    return 1;
}

static int check_arg(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    switch (a->type) {
    case ARG_STRING:
        return check_text(r, a, v);
    case ARG_INTEGER:
    case ARG_NUMBER:
        return check_number(r, a, v);
    case ARG_BOOLEAN:
        return v->type == JSON_BOOL ? 1
                                    : set_refuse(r, "%s must be true or false, is %s", a->name,
                                                 call_quote(r->m->c, v));
    case ARG_TEXTS:
        return v->type == JSON_STRING ? check_text(r, a, v) : check_list(r, a, v);
    case ARG_OBJECT:
        return check_object(r, a, v);
    case ARG_MAP:
        return check_map(r, a, v);
    case ARG_STRINGS:
    case ARG_OBJECTS:
        break;
    }
    return check_list(r, a, v);
}

/* What an argument is given as; a list that is a string of JSON is read. */
static const struct json *given_as(struct set_run *r, const struct set_arg *a,
                                   const struct json *given)
{
    const struct json *v = json_get(given, a->name), *list;
    if (v && a->json && v->type == JSON_STRING && *v->str == '[' &&
        json_parse(r->arena, v->str, v->n, NULL, &list, NULL) == 0)
        return list;
    return v && v->type == JSON_NULL ? NULL : v;
}

static const struct json *default_of(struct arena *arena, const struct set_arg *a)
{
    const struct json *v = NULL;
    if (a->def && a->type == ARG_STRING)
        return value_text(arena, a->def);
    return a->def && json_parse(arena, a->def, strlen(a->def), NULL, &v, NULL) == 0 ? v : NULL;
}

/* Those that were given, checked, and the defaults of the others. 1, 0. */
static int read_args(struct set_run *r, const struct json *given)
{
    const struct set_tool *row = r->tool->row;
    struct value_object all = {.arena = r->arena};
    for (uint32_t i = 0; r->tool->rows->closed && given && i < given->n; i++)
        if (!arg_named(row->args, row->n_args, given->members[i].key))
            return set_refuse(r, "there is no argument %s", given->members[i].key);
    for (size_t i = 0; i < row->n_args; i++) {
        const struct set_arg *a = &row->args[i];
        const struct json *v = given_as(r, a, given);
        if (!v && a->required)
            return set_refuse(r, "%s is required", a->name);
        if (v && !check_arg(r, a, v))
            return 0;
        object_put(&all, a->name, v ? v : default_of(r->arena, a));
    }
    r->args = object_value(&all);
    return 1;
}

/* ---- calls ---- */

/* The step of a row that calls that method. */
static size_t step_of(const struct set_run *r, const char *method)
{
    const struct set_step *steps = r->tool->row->steps;
    size_t i = 0;
    while (i + 1 < SET_STEPS && steps[i].method && strcmp(steps[i].method, method) != 0)
        i++;
    return i;
}

int set_call_method(struct set_run *r, const char *method, const struct json *arguments,
                    const struct json **ret)
{
    return set_call(r, step_of(r, method), arguments, ret);
}

void set_remember(struct set_run *r, const char *name, const struct json *v)
{
    struct value_object all = {.arena = r->arena};
    for (uint32_t i = 0; i < r->args->n; i++)
        object_put(&all, r->args->members[i].key, &r->args->members[i].value);
    object_put(&all, name, v);
    r->args = object_value(&all);
}

/* 1; 0: refused; -1. The response is kept until the tool's call is over. */
static int invoke(struct set_run *r, size_t step, const struct json *arguments,
                  struct mcp_answer *ret)
{
    const char *why;
    *ret = (struct mcp_answer){0};
    int rc = tool_invoke(r->m, r->tool, r->tool->methods[step], arguments, ret, &why);
    if (rc == 0)
        return set_refuse(r, "%s", why);
    if (rc > 0 && ret->refused)
        rc = set_refuse(r, "%s", answer_why(r->m, ret));
    return rc;
}

int set_call(struct set_run *r, size_t step, const struct json *arguments, const struct json **ret)
{
    static const struct json nothing = {.type = JSON_OBJECT};
    struct mcp_answer a;
    int rc = invoke(r, step, arguments, &a);
    *ret = rc > 0 && tool_answer(r->m, &a) ? a.json : &nothing; /* its values are the arena's */
    sosia_response_free(a.response);
    return rc;
}

int set_call_bytes(struct set_run *r, size_t step, const struct json *arguments, const char **ret,
                   size_t *ret_n)
{
    struct mcp_answer a;
    int rc = invoke(r, step, arguments, &a);
    *ret_n = rc > 0 ? a.len : 0;
    *ret = arena_memdup(r->arena, rc > 0 ? a.body : "", *ret_n);
    sosia_response_free(a.response);
    return rc;
}

int set_call_text(struct set_run *r, size_t step, const struct json *arguments, const char **ret)
{
    size_t n;
    int rc = set_call_bytes(r, step, arguments, ret, &n);
    if (!utf8_valid(*ret, n))
        *ret = "";
    return rc;
}

static int call_each(struct set_run *r, size_t i, const struct set_step *step)
{
    const struct json *list = template_ref(r, step->each, NULL), *response;
    struct value_list all = {.arena = r->arena};
    if (list && list->type == JSON_ARRAY && list->n > MAX_EACH)
        return set_refuse(r, "%.*s must have at most %d items, has %u",
                          (int)strcspn(step->each, ".|"), step->each, MAX_EACH, list->n);
    for (uint32_t k = 0; list && list->type == JSON_ARRAY && k < list->n; k++) {
        const struct json *arguments = template_eval(r, r->tool->arguments[i], &list->items[k]);
        int rc = r->why ? 0 : set_call(r, i, arguments, &response);
        if (rc < 0 || (rc == 0 && !step->tries))
            return rc;
        struct value_object o = {.arena = r->arena};
        object_put(&o, "of", &list->items[k]);
        if (rc == 0)
            object_put(&o, "refused", value_text(r->arena, r->why));
        if (rc == 0)
            r->why = NULL;
        else
            object_put(&o, "response", response);
        list_add(&all, object_value(&o));
    }
    r->responses[i] = list_value(&all);
    return 1;
}

static int call_once(struct set_run *r, size_t i)
{
    const struct json *t = r->tool->arguments[i], *arguments = t ? template_eval(r, t, NULL) : NULL;
    return r->why ? 0 : set_call(r, i, arguments, &r->responses[i]);
}

int set_run_steps(struct set_run *r, const struct json **ret)
{
    const struct set_tool *row = r->tool->row;
    static const struct json nothing = {.type = JSON_OBJECT};
    *ret = &nothing;
    for (size_t i = 0; i < SET_STEPS && row->steps[i].method; i++) {
        const struct set_step *step = &row->steps[i];
        if (step->when && !value_holds(template_ref(r, step->when, NULL)))
            continue;
        int rc = step->each ? call_each(r, i, step) : call_once(r, i);
        if (rc <= 0)
            return rc;
        *ret = r->responses[i];
    }
    if (r->tool->result)
        *ret = template_eval(r, r->tool->result, NULL);
    return r->why || !*ret ? 0 : 1;
}

int set_serve(struct mcp_call *m, const struct mcp_tool *t, const struct json *arguments)
{
    struct set_run r = {.m = m, .arena = m->c->tx.arena, .tool = t};
    const struct json *result = NULL;
    int rc = read_args(&r, arguments);
    if (rc > 0)
        rc = t->row->run ? t->row->run(&r, &result) : set_run_steps(&r, &result);
    if (rc < 0 || arena_failed(r.arena))
        return -1;
    if (rc == 0) {
        tool_refused(m, r.why);
        return 0;
    }
    const char *text = result->type == JSON_STRING ? result->str
                       : t->rows->compact          ? json_to_text(r.arena, result)
                                                   : value_pretty(r.arena, result);
    json_arr(m->w, "content");
    tool_text(m->w, text, strlen(text));
    if (r.write)
        r.write(&r, m->w);
    json_end(m->w);
    json_bool(m->w, "isError", false);
    return 0;
}
