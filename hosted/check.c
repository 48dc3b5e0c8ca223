/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests held against their models, as the service's framework does it: all faults of a request
 * at once, each with its place, its kind, a sentence and the value; numbers and truth values may be
 * written as strings.
 */
#include "engine/http/param.h"
#include "engine/text/utf8.h"
#include "hosted/impl.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#define INPUT_MAX (16 << 10) /* bytes of a value that comes with its fault */

/* ---- faults ---- */

static void write_place(struct json_writer *w, const struct place *at)
{
    if (!at)
        return;
    write_place(w, at->outer);
    if (at->name)
        json_str(w, NULL, at->name);
    else
        json_int(w, NULL, at->item);
}

/* One that is too long is three dots. */
static void write_input(struct json_writer *w, const struct json *value)
{
    struct json_writer inner;
    struct buf b;
    if (!value) {
        json_null(w, "input");
        return;
    }
    buf_init(&b, INPUT_MAX);
    json_init(&inner, &b, false, NULL);
    json_value(&inner, NULL, value);
    if (buf_failed(&b))
        json_str(w, "input", "...");
    else
        json_raw(w, "input", b.data, b.len);
    buf_done(&b);
}

void fault(struct hosted_call *c, const struct place *at, const char *kind, const char *text,
           const struct json *value, const char *context)
{
    struct json_writer *w = &c->fault_writer;
    if (!c->n_faults)
        c->fault_text =
            arena_printf(&c->arena, "%s%s%s", at->name ? at->name : "", at->name ? ": " : "", text);
    if (++c->n_faults > FAULTS_MAX)
        return;
    if (c->faults.len)
        buf_byte(&c->faults, ',');
    json_init(w, &c->faults, false, NULL);
    json_obj(w, NULL);
    json_str(w, "type", kind);
    json_arr(w, "loc");
    write_place(w, at);
    json_end(w);
    json_str(w, "msg", text);
    write_input(w, value);
    if (context)
        json_raw(w, "ctx", context, strlen(context));
    json_end(w);
}

void fault_value(struct hosted_call *c, const struct place *at, const struct json *value,
                 const char *fmt, ...)
{
    struct json_writer w;
    struct buf b;
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(&c->arena, fmt, ap);
    va_end(ap);
    hosted_begin(&b, &w);
    json_obj(&w, "error");
    json_end(&w);
    json_end(&w);
    fault(c, at, "value_error", arena_printf(&c->arena, "Value error, %s", text), value,
          buf_str(&b));
    buf_done(&b);
}

static const char *context_int(struct hosted_call *c, const char *name, int64_t n)
{
    return arena_printf(&c->arena, "{\"%s\":%lld}", name, (long long)n);
}

/* ---- values ---- */

static const char *const truths[] = {"1", "on", "t", "true", "y", "yes", NULL};
static const char *const lies[] = {"0", "off", "f", "false", "n", "no", NULL};

static int truth_of(const char *text)
{
    if (str_in_nocase(text, truths, SOSIA_LEN(truths) - 1))
        return 1;
    return str_in_nocase(text, lies, SOSIA_LEN(lies) - 1) ? 0 : -1;
}

bool lax_true(const struct json *v)
{
    if (!v)
        return false;
    return v->type == JSON_BOOL ? v->truth : v->type == JSON_NULL ? false : truth_of(v->str) == 1;
}

int64_t lax_int(const struct json *v)
{
    double number;
    int64_t n = 0;
    if (!v || v->type == JSON_NULL || json_i64(v, &n) == 0)
        return n;
    if (v->type == JSON_BOOL)
        return v->truth;
    if (v->type == JSON_NUMBER && json_double(v, &number) == 0)
        return (int64_t)number;
    parse_i64(v->str, v->n, &n);
    return n;
}

static void check_bool(struct hosted_call *c, const struct json *v, const struct place *at)
{
    bool text = v->type == JSON_STRING || v->type == JSON_NUMBER;
    if (v->type == JSON_BOOL || (text && truth_of(v->str) >= 0))
        return;
    if (text)
        fault(c, at, "bool_parsing", "Input should be a valid boolean, unable to interpret input",
              v, NULL);
    else
        fault(c, at, "bool_type", "Input should be a valid boolean", v, NULL);
}

static void check_bounds(struct hosted_call *c, const struct field *f, const struct json *v,
                         int64_t n, const struct place *at)
{
    if (f->max && n < f->min)
        fault(c, at, "greater_than_equal",
              arena_printf(&c->arena, "Input should be greater than or equal to %lld",
                           (long long)f->min),
              v, context_int(c, "ge", f->min));
    else if (f->max && n > f->max)
        fault(c, at, "less_than_equal",
              arena_printf(&c->arena, "Input should be less than or equal to %lld",
                           (long long)f->max),
              v, context_int(c, "le", f->max));
}

static void check_int(struct hosted_call *c, const struct field *f, const struct json *v,
                      const struct place *at)
{
    int64_t n;
    double number;
    if (v->type == JSON_BOOL) {
        check_bounds(c, f, v, v->truth, at);
    } else if (v->type == JSON_STRING) {
        if (parse_i64(v->str, v->n, &n) < 0)
            fault(c, at, "int_parsing",
                  "Input should be a valid integer, unable to parse string as an integer", v, NULL);
        else
            check_bounds(c, f, v, n, at);
    } else if (v->type != JSON_NUMBER) {
        fault(c, at, "int_type", "Input should be a valid integer", v, NULL);
    } else if (json_i64(v, &n) == 0) {
        check_bounds(c, f, v, n, at);
    } else if (json_double(v, &number) < 0 || number != floor(number)) {
        fault(c, at, "int_from_float",
              "Input should be a valid integer, got a number with a fractional part", v, NULL);
    } else {
        check_bounds(c, f, v,
                     fabs(number) < 1e15 ? (int64_t)number
                     : number < 0        ? INT64_MIN
                                         : INT64_MAX,
                     at);
    }
}

/* 'a', 'b' or 'c' */
static const char *choices(struct hosted_call *c, const char *const *values)
{
    const char *all = "";
    for (size_t i = 0; values[i]; i++)
        all = arena_printf(&c->arena, "%s%s'%s'", all,
                           !i              ? ""
                           : values[i + 1] ? ", "
                                           : " or ",
                           values[i]);
    return all;
}

static void check_enum(struct hosted_call *c, const char *const *values, const struct json *v,
                       const struct place *at)
{
    if (v->type == JSON_STRING && str_place(values, v->str) >= 0)
        return;
    const char *all = choices(c, values);
    fault(c, at, "enum", arena_printf(&c->arena, "Input should be %s", all), v,
          arena_printf(&c->arena, "{\"expected\":\"%s\"}", all));
}

bool is_address(const char *text)
{
    const char *sign = strchr(text, '@');
    return sign && sign > text && sign[1] && !strchr(sign + 1, '@') && strlen(text) <= 254 &&
           strchr(sign, '.') && !strpbrk(text, " \t\r\n<>(),;:\\\"") &&
           text[strlen(text) - 1] != '.';
}

static void check_string(struct hosted_call *c, const struct field *f, const struct json *v,
                         const struct place *at)
{
    if (v->type != JSON_STRING) {
        fault(c, at, "string_type", "Input should be a valid string", v, NULL);
        return;
    }
    int64_t n = 0;
    for (const char *p = v->str; *p; p++)
        n += (*p & 0xc0) != 0x80;
    if (n < f->min)
        fault(c, at, "string_too_short",
              arena_printf(&c->arena, "String should have at least %lld character%s",
                           (long long)f->min, f->min == 1 ? "" : "s"),
              v, context_int(c, "min_length", f->min));
    else if (f->max && n > f->max)
        fault(c, at, "string_too_long",
              arena_printf(&c->arena, "String should have at most %lld characters",
                           (long long)f->max),
              v, context_int(c, "max_length", f->max));
    else if (f->format && strcmp(f->format, "email") == 0 && !is_address(v->str))
        fault(c, at, "value_error",
              strchr(v->str, '@')
                  ? "value is not a valid email address: it must be NAME@HOST.DOMAIN"
                  : "value is not a valid email address: An email address must have an @-sign.",
              v,
              strchr(v->str, '@') ? "{\"reason\":\"it must be NAME@HOST.DOMAIN\"}"
                                  : "{\"reason\":\"An email address must have an @-sign.\"}");
}

static void check_one(struct hosted_call *c, const struct field *f, const struct json *v,
                      const struct place *at, bool strict)
{
    if (f->of)
        check_model(c, f->of, v, at, strict);
    else if (f->values)
        check_enum(c, f->values, v, at);
    else if (strcmp(f->type, "integer") == 0)
        check_int(c, f, v, at);
    else if (strcmp(f->type, "boolean") == 0)
        check_bool(c, v, at);
    else if (strcmp(f->type, "string") == 0)
        check_string(c, f, v, at);
    else if (strcmp(f->type, "object") == 0 && v->type != JSON_OBJECT)
        fault(c, at, "dict_type", "Input should be a valid dictionary", v, NULL);
}

static void check_field(struct hosted_call *c, const struct field *f, const struct json *v,
                        const struct place *at, bool strict)
{
    if (v->type == JSON_NULL && f->nullable)
        return;
    if (!f->list) {
        check_one(c, f, v, at, strict);
    } else if (v->type != JSON_ARRAY) {
        fault(c, at, "list_type", "Input should be a valid list", v, NULL);
    } else {
        for (uint32_t i = 0; i < v->n && c->n_faults < FAULTS_MAX; i++)
            check_one(c, f, &v->items[i], &(struct place){.outer = at, .item = i}, strict);
    }
}

static const struct field *field_named(const struct schema *s, const char *name)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return &s->fields[i];
    return NULL;
}

void check_model(struct hosted_call *c, const struct schema *s, const struct json *value,
                 const struct place *at, bool strict)
{
    if (value->type != JSON_OBJECT) {
        fault(c, at, "model_attributes_type",
              "Input should be a valid dictionary or object to extract fields from", value, NULL);
        return;
    }
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct field *f = &s->fields[i];
        const struct json *v = json_get(value, f->name);
        const struct place inner = {.outer = at, .name = f->name};
        if (v)
            check_field(c, f, v, &inner, strict);
        else if (f->required)
            fault(c, &inner, "missing", "Field required", value, NULL);
    }
    for (uint32_t i = 0; strict && i < value->n; i++)
        if (!field_named(s, value->members[i].key))
            fault(c, &(struct place){.outer = at, .name = value->members[i].key}, "extra_forbidden",
                  "Extra inputs are not permitted", &value->members[i].value, NULL);
}

/* ---- the request ---- */

const char *hosted_path(struct hosted_call *c, const char *name)
{
    const struct match *m = &c->match;
    char *text;
    size_t len;
    for (size_t i = 0; i < m->n_params; i++)
        if (m->params[i].name_len == strlen(name) &&
            memcmp(m->params[i].name, name, m->params[i].name_len) == 0 &&
            percent_decode(&c->arena, m->params[i].text, m->params[i].len, false, &text, &len) == 0)
            return text;
    return "";
}

const char *hosted_query(struct hosted_call *c, const char *name)
{
    for (size_t i = 0; i < c->call.n_items; i++) /* the first one counts, as for the rows */
        if (strcmp(c->call.items[i].name, name) == 0)
            return c->call.items[i].text;
    return NULL;
}

bool hosted_query_true(struct hosted_call *c, const char *name)
{
    const char *text = hosted_query(c, name);
    return text && truth_of(text) == 1;
}

static void check_query(struct hosted_call *c)
{
    const struct place query = {.name = "query"};
    for (size_t i = 0; i < c->call.route->n_params; i++) {
        const struct param *p = &c->call.route->params[i];
        const char *text = p->place == IN_QUERY ? hosted_query(c, p->name) : NULL;
        struct json v = {.type = JSON_STRING, .str = text, .n = text ? (uint32_t)strlen(text) : 0};
        const struct place at = {.outer = &query, .name = p->name};
        if (text && p->type == PARAM_BOOL)
            check_bool(c, &v, &at);
        else if (text && p->type == PARAM_ENUM)
            check_enum(c, p->values, &v, &at);
    }
}

static int check_body(struct hosted_call *c)
{
    const struct route *r = c->call.route;
    const struct place at = {.name = "body"};
    const struct schema *schema = r->request ? dialect_schema(c->match.dialect, r->request) : NULL;
    const struct json_limits limits = {
        .max_size = c->request->body_len + 1, .max_values = 1000000, .last_wins = true};
    struct sosia_err err = {0};
    if (r->body == BODY_NONE || r->body == BODY_RAW)
        return 0;
    if (c->request->body_len && json_parse(&c->arena, c->request->body, c->request->body_len,
                                           &limits, &c->body, &err) < 0) {
        if (err.code == SOSIA_E_NO_MEMORY || err.code == SOSIA_E_TOO_LARGE) {
            c->err = err;
            return -1;
        }
        struct json_writer w;
        struct buf b;
        hosted_begin(&b, &w);
        json_str(&w, "error", err.text);
        json_end(&w);
        const struct json none = {.type = JSON_OBJECT};
        fault(c, &at, "json_invalid", "JSON decode error", &none, buf_str(&b));
        buf_done(&b);
        return 0;
    }
    if (c->body && c->body->type == JSON_NULL)
        c->body = NULL;
    if (c->body && schema)
        check_model(c, schema, c->body, &at, false);
    else if (!c->body && r->body == BODY_JSON)
        fault(c, &at, "missing", "Field required", NULL, NULL);
    return 0;
}

int check_request(struct hosted_call *c)
{
    if (query_parse(&c->call) < 0) {
        fault_value(c, &(struct place){.name = "query"}, NULL,
                    "the query must be percent-encoded UTF-8");
        return 0;
    }
    check_query(c);
    return check_body(c);
}
