/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies against the schemas of the rows, in Google's two ways (engine/http/body.h walks them).
 *
 * The newer front end reads a body as protobuf's reader of JSON does, before the method is called,
 * and lists all faults.
 *
 * APIs behind the older one ignore unknown names and what only the service sets, and take scalars
 * that are written as another type: a number or a truth where a string is expected is its text
 * ("colorId": 11, as programs send it every day), and a numeric string where a number is expected
 * is the number. What is left is a bare "Bad Request", and "Invalid Value" for what is none of a
 * closed set.
 */
#include "engine/base/codec.h"
#include "engine/http/body.h"
#include "vendors/google/internal.h"
#include <ctype.h>

/* ---- the newer front end ---- */

static void write_place(struct arena *a, const struct body_place *p, struct buf *b)
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
static const char *place_text(struct google_check *k, const struct body_place *p)
{
    struct buf b;
    buf_init(&b, 64 * 1024);
    write_place(k->c->tx.arena, p, &b);
    return buf_keep(&b, k->c->tx.arena);
}

static void unknown_member(struct google_check *k, const struct body_place *at, const char *name,
                           const char *why)
{
    struct arena *a = k->c->tx.arena;
    const char *path = place_text(k, at);
    name = google_shown(k, name, strlen(name));
    google_add_violation(
        k, *path ? path : NULL,
        *path
            ? arena_printf(a, "Invalid JSON payload received. Unknown name \"%s\" at '%s': %s",
                           name, path, why)
            : arena_printf(a, "Invalid JSON payload received. Unknown name \"%s\": %s", name, why));
}

static const char *value_text(struct google_check *k, const struct json *v)
{
    switch (v->type) {
    case JSON_STRING:
        return arena_printf(k->c->tx.arena, "\"%s\"", google_shown(k, v->str, v->n));
    case JSON_NUMBER:
        return google_shown(k, v->str, v->n);
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

static enum body_fault newer_scalar(struct call *c, const struct field *f, struct json *v)
{
    const char *type = type_name(f);
    (void)c;
    if (f->values) {
        const char *value = v->type == JSON_STRING ? google_value_of(f->values, v->str) : NULL;
        if (!value)
            return BODY_WORD;
        v->str = value; /* handlers know it by the name that the schema has */
        v->n = (uint32_t)strlen(value);
        return BODY_SOUND;
    }
    if (strcmp(type, "TYPE_STRING") == 0)
        return v->type == JSON_STRING ? BODY_SOUND : BODY_TYPE;
    if (strcmp(type, "TYPE_BYTES") == 0) {
        if (v->type != JSON_STRING)
            return BODY_TYPE;
        return is_base64(v->str, v->n) ? BODY_SOUND : BODY_FORMAT;
    }
    if (strcmp(type, "TYPE_BOOL") == 0)
        return v->type == JSON_BOOL ? BODY_SOUND : BODY_TYPE;
    return is_number(v, type) ? BODY_SOUND : BODY_TYPE;
}

/* One that is known by its other name gets the one that handlers know. */
static const struct field *newer_spelled(struct call *c, const struct field *fields, size_t n,
                                         struct json_member *m)
{
    (void)c;
    for (size_t j = 0; strchr(m->key, '_') && j < n; j++)
        if (google_is_snake_of(fields[j].name, m->key)) {
            m->key = fields[j].name;
            m->key_len = (uint32_t)strlen(m->key);
            return &fields[j];
        }
    return NULL;
}

static void bad_value(struct google_check *k, const struct body_report *r)
{
    const struct field *f = r->field;
    bool object = f->fields || dialect_schema(k->c->dialect, f->type);
    const char *path = place_text(k, r->at), *what = value_text(k, r->value);
    const char *type = object                  ? google_enum_name(k, f->type)
                       : r->fault == BODY_WORD ? google_enum_name(k, f->name)
                                               : type_name(f);
    if (r->fault == BODY_FORMAT)
        what = arena_printf(k->c->tx.arena, "Base64 decoding failed for %s", what);
    google_add_violation(
        k, path, arena_printf(k->c->tx.arena, "Invalid value at '%s' (%s), %s", path, type, what));
}

static enum body_verdict newer_fault(struct call *c, const struct body_report *r)
{
    struct google_check *k = r->arg;
    (void)c;
    switch (r->fault) {
    case BODY_NOT_OBJECT:
        unknown_member(k, NULL, "", "Root element must be a message.");
        break;
    case BODY_UNKNOWN:
        unknown_member(k, r->at->up, r->at->name, "Cannot find field.");
        break;
    case BODY_LIST:
        unknown_member(k, r->at->up, r->at->name ? r->at->name : "",
                       "Proto field is not repeating, cannot start list.");
        break;
    case BODY_READ_ONLY: /* methods know what they don't set */
    case BODY_IMMUTABLE:
    case BODY_MISSING:
        return BODY_TAKE;
    default:
        bad_value(k, r);
    }
    return k->n < GOOGLE_VIOLATIONS ? BODY_LEAVE : BODY_REFUSE;
}

void google_check_body(struct google_check *k)
{
    static const char request[] = "Request";
    static const struct body_rules newer = {.scalar = newer_scalar,
                                            .spelled = newer_spelled,
                                            .fault = newer_fault,
                                            .closed = true,
                                            .one_is_list = true,
                                            .null_items = true};
    struct call *c = k->c;
    const struct schema *s = dialect_schema(c->dialect, c->route->request);
    if (!s || !c->body)
        return;
    /* A resource is a field of the request, a request is the message itself. */
    size_t n = strlen(s->name), m = sizeof request - 1;
    bool whole = n > m && strcmp(s->name + n - m, request) == 0;
    const struct body_place at = {.name = s->name};
    body_check(c, s, c->body, &newer, whole ? NULL : &at, k);
}

/* ---- the older one ---- */

/* Lengths and formats are the method's to judge, unless the field has words for them. */
static enum body_fault older_string(struct call *c, const struct field *f, struct json *v)
{
    if (v->type == JSON_BOOL) {
        v->str = v->truth ? "true" : "false";
        v->n = (uint32_t)strlen(v->str);
    } else if (v->type != JSON_STRING && v->type != JSON_NUMBER) {
        return BODY_TYPE;
    }
    v->type = JSON_STRING;
    if (!f->values)
        return f->text ? body_scalar(c, f, v) : BODY_SOUND;
    for (const char *const *value = f->values; *value; value++)
        if (strcmp(*value, v->str) == 0)
            return BODY_SOUND;
    return BODY_WORD;
}

static enum body_fault older_scalar(struct call *c, const struct field *f, struct json *v)
{
    double number;
    if (*f->type == 's')
        return older_string(c, f, v);
    if (*f->type != 'b' && v->type == JSON_STRING && parse_double(v->str, v->n, &number) == 0)
        v->type = JSON_NUMBER;
    return body_scalar(c, f, v);
}

/* Of what can't be written, null is ignored. */
static enum body_verdict older_fixed(struct call *c, const struct body_report *r)
{
    if (r->value->type == JSON_NULL)
        return BODY_DROP;
    call_why(c, "the member %s can't be written", body_path(c, r->at));
    call_fail(c, SOSIA_E_FORBIDDEN, "fieldNotWritable", NULL, "%s", r->field->fixed);
    return BODY_REFUSE;
}

static enum body_verdict older_fault(struct call *c, const struct body_report *r)
{
    const struct field *f = r->field;
    switch (r->fault) {
    case BODY_READ_ONLY:
        return f->fixed && !f->immutable ? older_fixed(c, r) : BODY_LEAVE;
    case BODY_IMMUTABLE:
        return f->fixed ? older_fixed(c, r) : BODY_DROP;
    case BODY_MISSING:
        call_why(c, "%s must be given, is missing", body_path(c, r->at));
        call_fail(c, SOSIA_E_INVALID, "required", NULL, "%s", f->missing);
        return BODY_REFUSE;
    case BODY_WORD:
    case BODY_FORMAT:
    case BODY_RANGE:
    case BODY_LONG:
        if (!f->text && r->fault != BODY_WORD)
            break;
        call_why(c, "%s must be %s%s", body_path(c, r->at), body_expected(c, r), body_found(c, r));
        call_fail(c, SOSIA_E_INVALID, f->reason ? f->reason : "invalid", NULL, "%s",
                  f->text ? f->text : "Invalid Value");
        return BODY_REFUSE;
    default:
        break;
    }
    const char *path = body_path(c, r->at);
    call_why(c, "%s must be %s%s", *path ? path : "the body", body_expected(c, r),
             body_found(c, r));
    call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, "Bad Request");
    return BODY_REFUSE;
}

const struct body_rules *google_body_rules(const struct call *c)
{
    static const struct body_rules older = {
        .scalar = older_scalar, .fault = older_fault, .worded = true};
    const struct google_api *api = google_api_of(c);
    return api && api->strict ? NULL : &older;
}
