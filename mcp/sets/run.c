/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tools of sets: arguments, steps, the result. */
#include "engine/base/err.h"
#include "mcp/sets/set.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <stdarg.h>
#include <stdlib.h>

#define MAX_EACH  1000 /* calls of one step */
#define TOO_LARGE "the texts of the arguments, or of the result, are too large"

/* ---- arguments ---- */

int set_refuse(struct set_run *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    r->why = message_text(r->arena, fmt, ap);
    va_end(ap);
    return 0;
}

const struct json *set_text(struct set_run *r, struct buf *b)
{
    const struct json *v = value_text(r->arena, arena_strdup(r->arena, buf_str(b)));
    r->large |= buf_failed(b);
    buf_done(b);
    return v;
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
    return buf_keep(&b, a);
}

static int check_text(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    if (v->type != JSON_STRING)
        return set_refuse(r, "%s must be %s, not %s", a->name,
                          a->type == ARG_STRINGS || a->type == ARG_TEXTS ? "a list of strings"
                          : a->type == ARG_MAP                           ? "an object of strings"
                                                                         : "a string",
                          call_quote(r->m->c, v));
    if (a->values && !is_listed(a->values, v->str))
        return set_refuse(r, "%s must be one of %s, not \"%s\"", a->name,
                          list_of(r->arena, a->values), v->str);
    if (a->filled && !*v->str)
        return set_refuse(r, "%s must be a text, not empty", a->name);
    return 1;
}

static int check_number(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    double n;
    int64_t whole;
    if (json_double(v, &n) < 0 || (a->type == ARG_INTEGER && json_i64(v, &whole) < 0))
        return set_refuse(r, "%s must be a %s, not %s", a->name,
                          a->type == ARG_INTEGER ? "whole number" : "number",
                          call_quote(r->m->c, v));
    if (((a->min || a->zero) && n < (double)a->min) || (a->max && n > (double)a->max))
        return set_refuse(r, "%s must be from %lld%s%s, not %s", a->name, (long long)a->min,
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
        return set_refuse(r, "%s must be an object, not %s", a->name, call_quote(r->m->c, v));
    for (uint32_t i = 0; a->members && i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        const struct set_arg *member = arg_named(a->members, a->n_members, m->key);
        if (!member && !r->row->set->lenient)
            return set_refuse(r, "%s has no member %s", a->name, m->key);
        if (member && !check_arg(r, member, &m->value))
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
        return set_refuse(r, "%s must be a list of %s, not %s", a->name,
                          objects ? "objects" : "strings", call_quote(r->m->c, v));
    if ((a->min && v->n < a->min) || (a->max && v->n > a->max))
        return set_refuse(r, "%s must have from %lld to %lld items, not %u", a->name,
                          (long long)a->min, (long long)a->max, v->n);
    for (uint32_t i = 0; i < v->n; i++)
        if (!(a->objects && v->items[i].type == JSON_OBJECT) &&
            !(objects ? check_object : check_text)(r, a, &v->items[i]))
            return 0;
    return 1;
}

static int check_map(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    if (v->type != JSON_OBJECT)
        return set_refuse(r, "%s must be an object of strings, not %s", a->name,
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
                                    : set_refuse(r, "%s must be true or false, not %s", a->name,
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

/* A text that says true or false. */
static const struct json *truth_of(const char *text)
{
    static const char *const words[][6] = {{"0", "f", "F", "false", "FALSE", "False"},
                                           {"1", "t", "T", "true", "TRUE", "True"}};
    for (size_t i = 0; i < SOSIA_LEN(words[0]); i++)
        for (size_t k = 0; k < SOSIA_LEN(words); k++)
            if (strcmp(text, words[k][i]) == 0)
                return k ? &value_true : &value_false;
    return NULL;
}

/* What stays of a value where another type is none; numbers are whole. */
static const struct json *casually(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    bool text = v->type == JSON_STRING;
    int64_t n;
    double d;
    if (a->type == ARG_STRING)
        return text ? v : NULL;
    if (text && a->type == ARG_NUMBER)
        return parse_i64(v->str, v->n, &n) == 0 ? value_int(r->arena, n) : NULL;
    if (text)
        return truth_of(v->str);
    if (a->type == ARG_BOOLEAN && v->type == JSON_BOOL)
        return v;
    if (v->type != JSON_NUMBER || json_double(v, &d) < 0)
        return NULL;
    if (a->type == ARG_BOOLEAN)
        return d != 0 ? &value_true : &value_false;
    return value_int(r->arena, d > 1e15 ? (int64_t)1e15 : d < -1e15 ? (int64_t)-1e15 : (int64_t)d);
}

static bool is_blank(char c)
{
    return c && strchr(" \t\r\n\f\v", c);
}

/* A list that is written with ' for ", where it is beside a bracket or a comma. */
static const char *requoted(struct arena *a, const char *text, size_t n)
{
    char *copy = arena_memdup(a, text, n);
    char before = 0;
    for (size_t i = 0; i < n; i++) {
        size_t next = i + 1;
        if (is_blank(copy[i]))
            continue;
        while (copy[i] == '\'' && next < n && is_blank(copy[next]))
            next++;
        if (copy[i] == '\'' && (before == '[' || before == ',' ||
                                (next < n && (copy[next] == ',' || copy[next] == ']'))))
            copy[i] = '"';
        before = copy[i];
    }
    return copy;
}

/* The list that a text is; NULL: it is not one. */
static const struct json *list_in(struct set_run *r, const struct json *v)
{
    const struct json *list;
    const char *text = v->str;
    while (is_blank(*text))
        text++;
    size_t n = strlen(text);
    while (n && is_blank(text[n - 1]))
        n--;
    if (*text != '[' || text[n - 1] != ']')
        return NULL;
    if (json_parse(r->arena, text, n, NULL, &list, NULL) == 0)
        return list;
    bool found = r->row->set->lenient && memchr(text, '\'', n) &&
                 json_parse(r->arena, requoted(r->arena, text, n), n, NULL, &list, NULL) == 0;
    return found ? list : NULL;
}

/* The objects of a list that a text may be. */
static const struct json *objects_in(struct set_run *r, const struct json *list)
{
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->items[i].type == JSON_OBJECT)
            list_add(&l, &list->items[i]);
    return list_value(&l);
}

/* Is a name the argument's, but for '$' in front and '-' in the place of a capital? */
static bool is_loosely(const char *given, const char *name)
{
    for (given += *given == '$'; *given && *name; given++, name++) {
        bool capital = *given == '-' && given[1] >= 'a' && given[1] <= 'z';
        given += capital;
        if (*name != (capital ? *given - 32 : *given))
            return false;
    }
    return !*given && !*name;
}

static const struct json *loosely(const struct json *given, const char *name)
{
    const struct json *v = json_get(given, name);
    for (uint32_t i = 0; !v && given && i < given->n; i++)
        if (is_loosely(given->members[i].key, name))
            v = &given->members[i].value;
    return v;
}

/* What an argument is given as; a list that is a string of JSON is read. */
static const struct json *given_as(struct set_run *r, const struct set_arg *a,
                                   const struct json *given)
{
    const struct json *v = r->row->set->loose ? loosely(given, a->name) : json_get(given, a->name);
    const struct json *list = NULL;
    if (v && a->json && v->type == JSON_STRING)
        list = a->loose ? objects_in(r, list_in(r, v)) : list_in(r, v);
    if (list)
        return list;
    if (!v || (v->type == JSON_NULL && !r->row->set->lenient))
        return NULL;
    return r->row->set->casual ? casually(r, a, v) : v;
}

static const struct json *default_of(struct arena *arena, const struct set_arg *a)
{
    const struct json *v = NULL;
    if (a->listed_def)
        return NULL;
    if (a->def && a->type == ARG_STRING)
        return value_text(arena, a->def);
    return a->def && json_parse(arena, a->def, strlen(a->def), NULL, &v, NULL) == 0 ? v : NULL;
}

static const struct json *known_of(struct set_run *r, const struct set_arg *a,
                                   const struct json *v);

static const struct json *known_members(struct set_run *r, const struct set_arg *a,
                                        const struct json *v)
{
    struct value_object o = {.arena = r->arena};
    for (size_t i = 0; i < a->n_members; i++) {
        const struct json *given = json_get(v, a->members[i].name);
        object_put(&o, a->members[i].name,
                   given ? known_of(r, &a->members[i], given)
                         : default_of(r->arena, &a->members[i]));
    }
    return object_value(&o);
}

/* A value that was checked, without members that are not known, and with the defaults of others. */
static const struct json *known_of(struct set_run *r, const struct set_arg *a, const struct json *v)
{
    struct value_list l = {.arena = r->arena};
    if ((a->type != ARG_OBJECT && a->type != ARG_OBJECTS) || !a->members)
        return v;
    if (a->type == ARG_OBJECT)
        return known_members(r, a, v);
    for (uint32_t i = 0; i < v->n; i++)
        list_add(&l, known_members(r, a, &v->items[i]));
    return list_value(&l);
}

/* Those that were given, checked, and the defaults of the others. 1, 0. */
static int read_args(struct set_run *r, const struct json *given)
{
    const struct set_row *row = r->row;
    struct value_object all = {.arena = r->arena};
    bool closed = r->row->set->closed && !r->row->set->lenient;
    for (uint32_t i = 0; closed && given && i < given->n; i++)
        if (!arg_named(row->args, row->n_args, given->members[i].key))
            return set_refuse(r, "there is no argument %s", given->members[i].key);
    for (size_t i = 0; i < row->n_args; i++) {
        const struct set_arg *a = &row->args[i];
        const struct json *v = given_as(r, a, given);
        if (!v && a->required && !a->def)
            return set_refuse(r, "%s is required", a->name);
        if (v && !check_arg(r, a, v))
            return 0;
        object_put(&all, a->name, v ? known_of(r, a, v) : default_of(r->arena, a));
    }
    r->args = object_value(&all);
    return 1;
}

/* ---- calls ---- */

/* The step of a row that calls that method. */
static size_t step_of(const struct set_run *r, const char *method)
{
    const struct set_step *steps = r->row->tool->steps;
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
    if (r->large)
        return set_refuse(r, TOO_LARGE);
    int rc = tool_invoke(r->m, r->tool, r->tool->methods[step].route, arguments, ret, &why);
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
        return set_refuse(r, "%.*s must have at most %d items, not %u",
                          (int)strcspn(step->each, ".|"), step->each, MAX_EACH, list->n);
    for (uint32_t k = 0; list && list->type == JSON_ARRAY && k < list->n; k++) {
        const struct json *arguments = template_eval(r, r->row->arguments[i], &list->items[k]);
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
    const struct json *t = r->row->arguments[i], *arguments = t ? template_eval(r, t, NULL) : NULL;
    return r->why ? 0 : set_call(r, i, arguments, &r->responses[i]);
}

int set_run_steps(struct set_run *r, const struct json **ret)
{
    const struct set_tool *row = r->row->tool;
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
    if (r->row->result)
        *ret = template_eval(r, r->row->result, NULL);
    return r->why || !*ret ? 0 : 1;
}

/* What the calls are to say in Prefer. 1, 0. */
static int read_prefer(struct set_run *r)
{
    const struct json *v = r->row->prefer ? template_eval(r, r->row->prefer, NULL) : NULL;
    const char *text = value_words(r->arena, v);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ')
            return set_refuse(r, "the arguments must not have control characters");
    r->m->prefer = *text ? text : NULL;
    return 1;
}

int sets_serve(struct mcp_call *m, const struct mcp_tool *t, const struct json *arguments)
{
    struct set_run r = {
        .m = m, .arena = m->c->tx.arena, .tool = t, .row = t->row, .given = arguments};
    const struct json *result = NULL;
    int rc = read_args(&r, arguments);
    if (rc > 0)
        rc = read_prefer(&r);
    m->under = t->row->tool->under;
    if (rc > 0)
        rc = t->row->tool->run ? t->row->tool->run(&r, &result) : set_run_steps(&r, &result);
    if (rc < 0 || arena_failed(r.arena))
        return -1;
    if (r.large)
        rc = set_refuse(&r, TOO_LARGE);
    if (rc == 0) {
        tool_refused(m, r.why);
        return 0;
    }
    const char *text = result->type == JSON_STRING ? result->str
                       : t->row->set->compact      ? json_to_text(r.arena, result)
                                                   : value_pretty(r.arena, result);
    json_arr(m->w, "content");
    tool_text(m->w, text, strlen(text));
    if (r.write)
        r.write(&r, m->w);
    json_end(m->w);
    json_bool(m->w, "isError", false);
    return 0;
}
