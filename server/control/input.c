/* SPDX-License-Identifier: Apache-2.0 */
/* Query and body of a request, read and checked as the table says. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "server/control/operation.h"
#include <string.h>

static struct control_value *add(struct control_call *c, const char *name)
{
    struct control_value *v = &c->values[c->n_values++];
    memset(v, 0, sizeof *v);
    v->name = name;
    return v;
}

/* "a, b, c" of the table's own texts. */
static const char *join(struct control_call *c, const char *const *texts)
{
    const char *joined = texts[0];
    for (const char *const *t = texts + 1; *t; t++)
        joined = arena_printf(&c->arena, "%s, %s", joined, *t);
    return joined;
}

/* ---- values ---- */

static int check_string(struct control_call *c, struct control_value *v, int64_t max,
                        const char *text, size_t len)
{
    if (max && len > (size_t)max)
        return control_fail(c, v->name, "must have at most %lld bytes, has %zu", (long long)max,
                            len);
    v->text = text;
    v->len = len;
    return 0;
}

static int check_enum(struct control_call *c, struct control_value *v, const char *const *values,
                      const char *text)
{
    for (int i = 0; values[i]; i++) {
        if (strcmp(values[i], text) == 0) {
            v->number = i;
            v->text = values[i];
            return 0;
        }
    }
    return control_fail(c, v->name, "must be one of %s, is \"%.40s\"", join(c, values), text);
}

static int check_time(struct control_call *c, struct control_value *v, const char *text, size_t len)
{
    struct stamp stamp;
    if (stamp_parse(text, len, false, &stamp) < 0)
        return control_fail(c, v->name,
                            "must be an RFC 3339 time with an offset, such as "
                            "2026-11-23T08:00:00Z, is \"%.40s\"",
                            text);
    v->number = stamp.local_us - stamp.offset * US_PER_SECOND;
    return 0;
}

static int bad_number(struct control_call *c, const char *name, bool whole, int64_t min,
                      int64_t max, const char *text)
{
    return control_fail(c, name, "must be a %s from %lld to %lld, is %.40s",
                        whole ? "whole number" : "number", (long long)min, (long long)max, text);
}

int control_read_text(struct control_call *c, const struct param *field, const char *text,
                      size_t len)
{
    if (control_given(c, field->name))
        return control_fail(c, field->name, "must be given once, is given twice");
    if (!utf8_valid(text, len))
        return control_fail(c, field->name, "must be valid UTF-8, is not");
    struct control_value *v = add(c, field->name);
    switch (field->type) {
    case PARAM_INT:
        if (parse_i64(text, len, &v->number) < 0 || v->number < field->min ||
            v->number > field->max)
            return bad_number(c, field->name, true, field->min, field->max,
                              arena_printf(&c->arena, "\"%s\"", text));
        return 0;
    case PARAM_BOOL:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return control_fail(c, field->name, "must be true or false, is \"%.40s\"", text);
        v->number = *text == 't';
        return 0;
    default:
        return check_string(c, v, field->max, text, len);
    }
}

/* ---- query ---- */

int control_read_query(struct control_call *c)
{
    const char *at = c->request->query;
    while (*at) {
        size_t n = strcspn(at, "&"), eq = strcspn(at, "=&"), name_len, len;
        char *name, *text;
        const struct param *field = NULL;
        size_t from = eq < n ? eq + 1 : n;
        if (percent_decode(&c->arena, at, eq, true, &name, &name_len) < 0 ||
            percent_decode(&c->arena, at + from, n - from, true, &text, &len) < 0)
            return control_fail(c, NULL, "the query must be percent-encoded UTF-8, is not");
        for (size_t i = 0; i < c->op->n_params && !field; i++)
            if (c->op->params[i].place != IN_PATH && strcmp(c->op->params[i].name, name) == 0)
                field = &c->op->params[i];
        utf8_scrub(name);
        if (n && !field)
            return control_fail(c, name, "must be a parameter of %s, is not", c->op->id);
        if (n && control_read_text(c, field, text, len) < 0)
            return -1;
        at += n + (at[n] == '&');
    }
    for (size_t i = 0; i < c->op->n_params; i++)
        if (c->op->params[i].required && !control_given(c, c->op->params[i].name))
            return control_fail(c, c->op->params[i].name, "must be given, is missing");
    return 0;
}

/* ---- body ---- */

/* A document inside of the body keeps its place there: what stands before it is blanked out, so
 * that the lines told of its faults are lines of the body. */
static int read_document(struct control_call *c, struct control_value *v, const struct json *value)
{
    if (value->type == JSON_STRING) {
        v->text = value->str;
        v->len = value->n;
        return 0;
    }
    const char *body = c->request->body;
    size_t end = value->at;
    int depth = 0;
    bool quoted = false;
    do {
        char b = body[end++];
        if (quoted && b == '\\')
            end++;
        else if (b == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (b == '{') - (b == '}');
    } while (depth || quoted);
    char *text = arena_memdup(&c->arena, body, end);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    for (size_t i = 0; i < value->at; i++)
        if (text[i] != '\n')
            text[i] = ' ';
    v->text = text;
    v->len = end;
    return 0;
}

/* A value as its JSON text, cut where it is long. */
static const char *shown(struct control_call *c, const struct json *value)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_value(&w, NULL, value);
    const char *text = arena_printf(&c->arena, "%.40s%s", buf_str(&b), b.len > 40 ? "..." : "");
    buf_done(&b);
    return text;
}

static int read_words(struct control_call *c, struct control_value *v, const struct json *value)
{
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < value->n; i++) {
        const struct json *word = &value->items[i];
        if (word->type != JSON_STRING || !word->n || strchr(word->str, ' ')) {
            buf_done(&b);
            return control_fail(c, v->name, "must be a list of strings without spaces, has %s",
                                shown(c, word));
        }
        if (i)
            buf_byte(&b, ' ');
        buf_add(&b, word->str, word->n);
    }
    v->len = b.len;
    v->text = arena_memdup(&c->arena, buf_str(&b), b.len);
    buf_done(&b);
    return 0;
}

static bool is(const char *type, const char *name)
{
    return type && strcmp(type, name) == 0;
}

static int bad_type(struct control_call *c, const struct field *f, const struct json *value)
{
    const char *wanted = is(f->other, "array")    ? "a string or a list of strings"
                         : is(f->other, "object") ? "an object or a string"
                         : is(f->type, "string")  ? "a string"
                         : is(f->type, "boolean") ? "true or false"
                                                  : "a number";
    return control_fail(c, f->name, "must be %s, is %s", wanted, shown(c, value));
}

static int read_number(struct control_call *c, struct control_value *v, const struct field *f,
                       const struct json *value)
{
    bool whole = is(f->type, "integer");
    if (whole ? json_i64(value, &v->number) < 0 || v->number < f->min || v->number > f->max
              : json_double(value, &v->real) < 0 ||
                    !(v->real >= (double)f->min && v->real <= (double)f->max))
        return bad_number(c, f->name, whole, f->min, f->max, shown(c, value));
    return 0;
}

static int read_string(struct control_call *c, struct control_value *v, const struct field *f,
                       const struct json *value)
{
    if (f->values)
        return check_enum(c, v, f->values, value->str);
    if (is(f->format, "date-time"))
        return check_time(c, v, value->str, value->n);
    return check_string(c, v, f->max, value->str, value->n);
}

static int read_member(struct control_call *c, const struct field *f, const struct json *value)
{
    enum json_type type = value->type;
    struct control_value *v = add(c, f->name);
    if (is(f->other, "object") && (type == JSON_OBJECT || type == JSON_STRING))
        return read_document(c, v, value);
    if (is(f->other, "array") && type == JSON_ARRAY)
        return read_words(c, v, value);
    if (is(f->type, "string") && type == JSON_STRING)
        return read_string(c, v, f, value);
    if ((is(f->type, "integer") || is(f->type, "number")) && type == JSON_NUMBER)
        return read_number(c, v, f, value);
    v->number = value->truth;
    return is(f->type, "boolean") && type == JSON_BOOL ? 0 : bad_type(c, f, value);
}

static int read_object(struct control_call *c, const struct schema *schema, const struct json *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const struct json_member *m = &body->members[i];
        const struct field *field = NULL;
        int rc = 0;
        for (size_t k = 0; k < schema->n_fields && !field; k++)
            if (strcmp(schema->fields[k].name, m->key) == 0)
                field = &schema->fields[k];
        if (!field)
            rc = control_fail(c, m->key, "must be a member of %s, is not", schema->name);
        else if (m->value.type != JSON_NULL) /* null: as if absent */
            rc = read_member(c, field, &m->value);
        if (rc < 0) {
            c->err.line = json_line(c->request->body, c->request->body_len, m->key_at);
            return -1;
        }
    }
    return 0;
}

int control_read_body(struct control_call *c)
{
    const struct server_request *request = c->request;
    /* The server has measured it already. */
    const struct json_limits limits = {.max_size = request->body_len + 1, .unique_keys = true};
    const struct schema *schema =
        c->op->request ? dialect_schema(&control_dialect, c->op->request) : NULL;
    const struct json *body;
    if (c->op->body == BODY_NONE)
        return request->body_len ? control_fail(c, NULL, "the body must be absent, has %zu bytes",
                                                request->body_len)
                                 : 0;
    if (c->op->body == BODY_RAW)
        return request->body_len ? 0 : control_fail(c, NULL, "the body must be given, is missing");
    if (request->body_len) {
        if (json_parse(&c->arena, request->body, request->body_len, &limits, &body, &c->err) < 0) {
            c->err.reason = "parseError";
            return -1;
        }
        if (body->type != JSON_OBJECT)
            return control_fail(c, NULL, "the body must be a JSON object, is %s", shown(c, body));
        if (read_object(c, schema, body) < 0)
            return -1;
    }
    for (size_t i = 0; i < schema->n_fields; i++)
        if (schema->fields[i].required && !control_given(c, schema->fields[i].name))
            return control_fail(c, schema->fields[i].name, "must be given, is missing");
    return 0;
}
