/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/body.h"
#include "engine/base/utf8.h"
#include "engine/http/param.h"
#include "engine/text/civil.h"

#define MAX_PATH   (64 * 1024) /* of a place: JSON is nested 100 deep at most */
#define MAX_VALUES 100000      /* of an argument */
#define MAX_SHOWN  80          /* bytes of a place in a message */

struct walk {
    struct call *c;
    const struct body_rules *rules;
    void *arg;
    bool change; /* of what is there already */
};

/* Types are names in the tables; those of schemas begin with a capital. */
enum kind { STRING, INTEGER, NUMBER, BOOLEAN, ANY, LIST, OBJECT };

static enum kind kind_of(const struct field *f)
{
    switch (*f->type) {
    case 's':
        return STRING;
    case 'i':
        return INTEGER;
    case 'n':
        return NUMBER;
    case 'b':
        return BOOLEAN;
    case 'a':
        return ANY;
    case 'l':
        return LIST;
    default:
        return OBJECT;
    }
}

/* ---- words ---- */

static void write_path(const struct body_place *at, struct buf *b)
{
    if (!at)
        return;
    write_path(at->up, b);
    if (at->name)
        buf_printf(b, "%s%s", b->len ? "." : "", at->name);
    else
        buf_printf(b, "[%u]", at->index);
}

const char *body_path(struct call *c, const struct body_place *at)
{
    struct buf b;
    buf_init(&b, MAX_PATH);
    write_path(at, &b);
    return buf_keep(&b, c->tx.arena);
}

/* The bounds of a number; false: there are none but those of its type. */
static bool bounds(const struct field *f, int64_t *min, int64_t *max)
{
    *min = f->min;
    *max = f->max;
    if (f->min || f->max)
        return true;
    *min = INT64_MIN;
    *max = INT64_MAX;
    if (!f->format || kind_of(f) != INTEGER)
        return false;
    if (strcmp(f->format, "int32") == 0) {
        *min = INT32_MIN;
        *max = INT32_MAX;
    } else if (strcmp(f->format, "uint32") == 0) {
        *min = 0;
        *max = UINT32_MAX;
    }
    return *max != INT64_MAX;
}

static const char *number_words(struct call *c, const struct field *f)
{
    bool whole = kind_of(f) == INTEGER;
    int64_t min, max;
    if (!bounds(f, &min, &max))
        return whole ? "a whole number" : "a number";
    return words_number(c, whole, min, max);
}

static const char *string_words(struct call *c, const struct field *f)
{
    const char *format = f->format ? f->format : "";
    if (f->values)
        return words_one_of(c, f->values);
    if (strcmp(format, "date-time") == 0)
        return WORDS_TIME;
    if (strcmp(format, "date") == 0)
        return WORDS_DATE;
    if (f->other)
        return strcmp(f->other, "array") == 0 ? "a string or a list of strings"
                                              : "an object or a string";
    return "a string";
}

static const char *type_words(struct call *c, const struct field *f)
{
    switch (kind_of(f)) {
    case STRING:
        return string_words(c, f);
    case INTEGER:
    case NUMBER:
        return number_words(c, f);
    case BOOLEAN:
        return "true or false";
    case ANY:
        return "a value";
    case LIST:
        return "a list";
    case OBJECT:
        break;
    }
    return "an object";
}

/* "one of a, b": the schemas' names. */
static const char *names_words(struct call *c, const struct schema *schemas)
{
    size_t n = 0;
    while (schemas[n].name)
        n++;
    const char **names = arena_calloc(c->tx.arena, n + 1, sizeof *names);
    for (size_t i = 0; i < n && !arena_failed(c->tx.arena); i++)
        names[i] = schemas[i].name;
    return words_one_of(c, names);
}

/* "a string of at most 5 bytes" */
static const char *size_words(struct call *c, const struct body_report *r)
{
    const struct field *f = r->field;
    bool string = r->fault == BODY_LONG || r->fault == BODY_SHORT;
    bool most = r->fault == BODY_LONG || r->fault == BODY_MANY;
    int64_t n = string ? (most ? f->max : f->min) : most ? f->most : f->least;
    const char *what = string ? "a string" : f->list ? "a list" : "an object";
    const char *of = !string         ? (f->list ? "items" : "members")
                     : f->characters ? "characters"
                                     : "bytes";
    return arena_printf(c->tx.arena, "%s of at %s %lld %s", what, most ? "most" : "least",
                        (long long)n, of);
}

const char *body_expected(struct call *c, const struct body_report *r)
{
    const struct field *f = r->field;
    bool item = f && r->at && r->at->name != f->name; /* of a list or a map */
    switch (r->fault) {
    case BODY_ABSENT:
    case BODY_NOT_OBJECT:
        return "a JSON object";
    case BODY_UNKNOWN:
        return arena_printf(c->tx.arena, "a member of %s",
                            r->schema ? r->schema->name : "its object");
    case BODY_LONG:
    case BODY_SHORT:
    case BODY_FEW:
    case BODY_MANY:
        return size_words(c, r);
    case BODY_READ_ONLY:
        return "left out: the service sets it";
    case BODY_IMMUTABLE:
        return "left out: it does not change";
    case BODY_MISSING:
        return f ? "given"
                 : arena_printf(c->tx.arena, "an object with one of: %s", r->schema->needs);
    case BODY_WORD:
        if (f->types)
            return names_words(c, f->types);
        break;
    default:
        break;
    }
    if (item || (!f->list && !f->map))
        return type_words(c, f);
    return f->list ? "a list" : "an object";
}

/* Of a string, in bytes or characters. */
static size_t length_of(const struct field *f, const struct json *v)
{
    return f->characters ? utf8_count(v->str, v->n) : v->n;
}

const char *body_found(struct call *c, const struct body_report *r)
{
    if (r->fault == BODY_UNKNOWN)
        return "";
    if (r->fault == BODY_LONG || r->fault == BODY_SHORT)
        return arena_printf(c->tx.arena, ", not of %zu", length_of(r->field, r->value));
    if (r->fault == BODY_FEW || r->fault == BODY_MANY)
        return arena_printf(c->tx.arena, ", not of %u", r->value->n);
    if (!r->value)
        return r->fault == BODY_MISSING ? ", is missing" : ", not absent";
    return arena_printf(c->tx.arena, ", not %s", call_quote(c, r->value));
}

/* A place in a message, which has no room for long ones. */
static const char *shown_path(struct call *c, const char *path)
{
    size_t n = strlen(path);
    if (n <= MAX_SHOWN)
        return path;
    for (n = MAX_SHOWN; n && ((unsigned char)path[n] & 0xc0) == 0x80; n--)
        ;
    return arena_printf(c->tx.arena, "%.*s...", (int)n, path);
}

/* What an absent body lacks is named member by member. */
static bool has_required(const struct schema *s)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].required)
            return true;
    return false;
}

enum body_verdict body_refuse(struct call *c, const struct body_report *r)
{
    const struct sosia_request *q = c->request;
    if (r->fault == BODY_IMMUTABLE || (r->fault == BODY_ABSENT && has_required(r->schema)))
        return BODY_TAKE;
    const char *path = body_path(c, r->at);
    call_fail(c, SOSIA_E_INVALID, "invalid", *path ? path : NULL, "%s%s must be %s%s",
              *path ? shown_path(c, path) : "the body", *path ? ":" : "", body_expected(c, r),
              body_found(c, r));
    if (r->line_at && q && q->body)
        c->tx.err->line = json_line(q->body, q->body_len, r->line_at);
    return BODY_REFUSE;
}

/* ---- scalars ---- */

static bool has_value(const char *const *values, const char *text)
{
    for (; *values; values++)
        if (**values == *text && strcmp(*values, text) == 0)
            return true;
    return false;
}

static enum body_fault check_string(const struct field *f, const struct json *v)
{
    struct stamp stamp;
    int64_t days;
    if (f->values)
        return has_value(f->values, v->str) ? BODY_SOUND : BODY_WORD;
    if (f->max || f->min) {
        int64_t n = (int64_t)length_of(f, v);
        if (n < f->min)
            return BODY_SHORT;
        if (f->max && n > f->max)
            return BODY_LONG;
    }
    if (f->format && strcmp(f->format, "date-time") == 0)
        return stamp_parse(v->str, v->n, false, &stamp) == 0 ? BODY_SOUND : BODY_FORMAT;
    if (f->format && strcmp(f->format, "date") == 0)
        return date_parse(v->str, v->n, &days) == 0 ? BODY_SOUND : BODY_FORMAT;
    return BODY_SOUND;
}

static enum body_fault check_number(const struct field *f, const struct json *v)
{
    int64_t min, max, whole;
    double real;
    if (kind_of(f) == INTEGER) {
        bounds(f, &min, &max);
        return json_i64(v, &whole) == 0 && whole >= min && whole <= max ? BODY_SOUND : BODY_RANGE;
    }
    if (json_double(v, &real) < 0)
        return BODY_RANGE;
    return !bounds(f, &min, &max) || (real >= (double)min && real <= (double)max) ? BODY_SOUND
                                                                                  : BODY_RANGE;
}

enum body_fault body_scalar(struct call *c, const struct field *f, struct json *v)
{
    (void)c;
    switch (kind_of(f)) {
    case STRING:
        return v->type == JSON_STRING ? check_string(f, v) : BODY_TYPE;
    case INTEGER:
    case NUMBER:
        return v->type == JSON_NUMBER ? check_number(f, v) : BODY_TYPE;
    case BOOLEAN:
        return v->type == JSON_BOOL ? BODY_SOUND : BODY_TYPE;
    default:
        return BODY_SOUND;
    }
}

/* ---- the walk ---- */

/* An object, and what is known of it. */
struct object {
    const struct schema *schema; /* NULL: it has no name */
    const struct field *fields;
    size_t n_fields;
    bool typed; /* its member "type" has named the schema */
};

/* ret_whole: its members were looked at. */
static enum body_verdict check_object(const struct walk *w, const struct object *o,
                                      const struct json *v, const struct body_place *at,
                                      bool *ret_whole);
static enum body_verdict check_list(const struct walk *w, const struct field *f,
                                    const struct json *v, const struct body_place *at);

static enum body_verdict report(const struct walk *w, struct body_report r)
{
    r.arg = w->arg;
    return w->rules->fault ? w->rules->fault(w->c, &r) : body_refuse(w->c, &r);
}

static enum body_verdict wrong(const struct walk *w, enum body_fault fault, const struct field *f,
                               const struct json *v, const struct body_place *at)
{
    return report(w, (struct body_report){
                         .fault = fault, .at = at, .field = f, .value = v, .line_at = v->at});
}

/* A value that is accepted instead of a string. */
static bool is_other(const struct field *f, const struct json *v)
{
    if (!f->other)
        return false;
    if (v->type == JSON_OBJECT)
        return strcmp(f->other, "object") == 0;
    if (v->type != JSON_ARRAY || strcmp(f->other, "array") != 0)
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->items[i].type != JSON_STRING)
            return false;
    return true;
}

static bool is_given(const struct walk *w, const struct json *v)
{
    return v && (w->rules->nulls || v->type != JSON_NULL);
}

/* The schema that the type of an object names. */
static enum body_verdict find_type(const struct walk *w, const struct field *f,
                                   const struct json *v, const struct body_place *at,
                                   const struct schema **ret)
{
    static const struct field by_type = {.name = "type", .type = "string", .required = true};
    const struct json *type = json_get(v, by_type.name);
    const struct body_place place = {.up = at, .name = by_type.name, .of = v};
    if (!is_given(w, type))
        return report(w,
                      (struct body_report){.fault = BODY_MISSING, .at = &place, .field = &by_type});
    if (type->type != JSON_STRING)
        return wrong(w, BODY_TYPE, &by_type, type, &place);
    for (const struct schema *s = f->types; s->name; s++)
        if (strcmp(s->name, type->str) == 0 && (!w->rules->fits || w->rules->fits(f, s, w->arg))) {
            *ret = s;
            return BODY_TAKE;
        }
    return wrong(w, BODY_WORD, f, type, &place);
}

static enum body_verdict check_shape(const struct walk *w, const struct field *f, struct json *v,
                                     const struct body_place *at)
{
    struct object o = {.schema = f->of, .fields = f->fields, .n_fields = f->n_fields};
    enum body_verdict verdict = BODY_TAKE;
    bool whole = false;
    if (v->type != JSON_OBJECT) {
        verdict = wrong(w, BODY_TYPE, f, v, at);
    } else if (f->types) {
        o.typed = true;
        verdict = find_type(w, f, v, at, &o.schema);
    } else if (!o.fields && !o.schema && w->c && w->c->dialect) {
        o.schema = dialect_schema(w->c->dialect, f->type);
    }
    if (o.schema) {
        o.fields = o.schema->fields;
        o.n_fields = o.schema->n_fields;
    }
    struct body_report r = {.at = at, .field = f, .schema = o.schema, .value = v, .arg = w->arg};
    if (v->type == JSON_OBJECT && (o.fields || o.schema)) {
        if (w->rules->before)
            w->rules->before(w->c, &r);
        verdict = check_object(w, &o, v, at, &whole);
    }
    r.fault = whole ? BODY_SOUND : BODY_TYPE;
    if (w->rules->after)
        w->rules->after(w->c, &r);
    return verdict;
}

static enum body_verdict check_one(const struct walk *w, const struct field *f, struct json *v,
                                   const struct body_place *at)
{
    enum kind kind = kind_of(f);
    if (kind == ANY)
        return BODY_TAKE;
    if (kind == OBJECT)
        return check_shape(w, f, v, at);
    if (kind == LIST)
        return v->type == JSON_ARRAY ? check_list(w, f->fields, v, at)
                                     : wrong(w, BODY_TYPE, f, v, at);
    if (is_other(f, v))
        return BODY_TAKE;
    enum body_fault fault =
        w->rules->scalar ? w->rules->scalar(w->c, f, v) : body_scalar(w->c, f, v);
    return fault ? wrong(w, fault, f, v, at) : BODY_TAKE;
}

static bool is_own(const struct walk *w, const struct field *f, struct json *v,
                   const struct body_place *at)
{
    return f->mark && w->rules->own && w->rules->own(w->c, f, v, at, w->arg);
}

static enum body_verdict check_item(const struct walk *w, const struct field *f, struct json *v,
                                    const struct body_place *at)
{
    if (v->type == JSON_NULL && w->rules->null_items)
        return BODY_TAKE;
    if (is_own(w, f, v, at))
        return BODY_TAKE;
    if (v->type == JSON_ARRAY && kind_of(f) != ANY && kind_of(f) != LIST)
        return wrong(w, BODY_LIST, f, v, at);
    if (v->type == JSON_NULL && !w->rules->nulls)
        return wrong(w, BODY_TYPE, f, v, at);
    return check_one(w, f, v, at);
}

/* As many items or members as there may be? */
static enum body_verdict check_count(const struct walk *w, const struct field *f,
                                     const struct json *v, const struct body_place *at)
{
    if (v->n < f->least)
        return wrong(w, BODY_FEW, f, v, at);
    return f->most && v->n > f->most ? wrong(w, BODY_MANY, f, v, at) : BODY_TAKE;
}

static enum body_verdict check_list(const struct walk *w, const struct field *f,
                                    const struct json *v, const struct body_place *at)
{
    enum body_verdict verdict = check_count(w, f, v, at);
    for (uint32_t i = 0; verdict == BODY_TAKE && i < v->n; i++) {
        /* the call's own: not shared yet */
        struct json *item = (struct json *)(uintptr_t)&v->items[i];
        struct body_place place = {.up = at, .index = i, .of = v};
        if (check_item(w, f, item, &place) == BODY_REFUSE)
            return BODY_REFUSE;
    }
    return verdict;
}

/* A member that is one; of objects, its end is said too. */
static enum body_verdict check_whole_list(const struct walk *w, const struct field *f,
                                          const struct json *v, const struct body_place *at)
{
    enum body_verdict verdict = check_list(w, f, v, at);
    if (w->rules->after && kind_of(f) == OBJECT)
        w->rules->after(w->c, &(struct body_report){.fault = verdict ? BODY_TYPE : BODY_SOUND,
                                                    .at = at,
                                                    .field = f,
                                                    .value = v,
                                                    .arg = w->arg});
    return verdict;
}

static enum body_verdict check_map(const struct walk *w, const struct field *f,
                                   const struct json *v, const struct body_place *at)
{
    enum body_verdict verdict = check_count(w, f, v, at);
    for (uint32_t i = 0; verdict == BODY_TAKE && i < v->n; i++) {
        struct json_member *m = (struct json_member *)(uintptr_t)&v->members[i];
        struct body_place place = {.up = at, .name = m->key, .of = v};
        if (is_given(w, &m->value) && check_one(w, f, &m->value, &place) == BODY_REFUSE)
            return BODY_REFUSE;
    }
    return verdict;
}

/* Makes a list of one of a value. */
static void wrap(struct call *c, struct json *v)
{
    struct json *item = arena_alloc(c->tx.arena, sizeof *item);
    *item = *v;
    *v = (struct json){.type = JSON_ARRAY, .n = 1, .at = item->at, .items = item};
}

static enum body_verdict check_member(const struct walk *w, const struct field *f, struct json *v,
                                      const struct body_place *at)
{
    enum body_verdict verdict = BODY_TAKE;
    if (f->read_only && !(f->immutable && f->fixed && w->change))
        verdict = wrong(w, BODY_READ_ONLY, f, v, at);
    else if (f->immutable && w->change)
        verdict = wrong(w, BODY_IMMUTABLE, f, v, at);
    if (verdict != BODY_TAKE || !is_given(w, v))
        return verdict;
    if (f->list) {
        if (v->type == JSON_ARRAY)
            return check_whole_list(w, f, v, at);
        if (!w->rules->one_is_list)
            return wrong(w, BODY_TYPE, f, v, at);
        verdict = check_one(w, f, v, at);
        wrap(w->c, v);
        return verdict == BODY_TAKE ? check_count(w, f, v, at) : verdict;
    }
    if (f->map)
        return v->type == JSON_OBJECT ? check_map(w, f, v, at) : wrong(w, BODY_TYPE, f, v, at);
    if (is_own(w, f, v, at))
        return BODY_TAKE;
    if (v->type == JSON_ARRAY && kind_of(f) != ANY && kind_of(f) != LIST && !is_other(f, v))
        return wrong(w, BODY_LIST, f, v, at);
    return check_one(w, f, v, at);
}

static const struct field *find_field(const struct walk *w, const struct object *o,
                                      struct json_member *m)
{
    for (size_t i = 0; i < o->n_fields; i++)
        if (*o->fields[i].name == *m->key && strcmp(o->fields[i].name, m->key) == 0)
            return &o->fields[i];
    return w->rules->spelled ? w->rules->spelled(w->c, o->fields, o->n_fields, m) : NULL;
}

static bool is_listed(const char *ids, const char *id)
{
    size_t n = strlen(id);
    for (; ids; ids = strchr(ids, ' ')) {
        ids += strspn(ids, " ");
        if (strncmp(ids, id, n) == 0 && strchr(" ", ids[n]))
            return true;
    }
    return false;
}

static bool is_required(const struct walk *w, const struct field *f)
{
    if (w->rules->worded && !f->missing)
        return false;
    return f->required || (f->required_for && is_listed(f->required_for, w->c->route->id));
}

static enum body_verdict missing(const struct walk *w, const struct object *o,
                                 const struct field *f, const struct json *v,
                                 const struct body_place *at)
{
    struct body_place place = {.up = at, .name = f->name, .of = v};
    return report(w, (struct body_report){
                         .fault = BODY_MISSING, .at = &place, .field = f, .schema = o->schema});
}

/* Is one of the members there that the schema needs? */
static bool has_needed(const struct walk *w, const struct schema *s, const struct json *v)
{
    if (!s || !s->needs)
        return true;
    for (uint32_t i = 0; i < v->n; i++)
        if (is_given(w, &v->members[i].value) && is_listed(s->needs, v->members[i].key))
            return true;
    return false;
}

static enum body_verdict check_required(const struct walk *w, const struct object *o,
                                        const struct json *v, const struct body_place *at,
                                        bool *ret_lacking)
{
    if (!has_needed(w, o->schema, v)) {
        *ret_lacking = true;
        if (report(w,
                   (struct body_report){
                       .fault = BODY_MISSING, .at = at, .schema = o->schema, .value = v}) ==
            BODY_REFUSE)
            return BODY_REFUSE;
    }
    for (size_t i = 0; i < o->n_fields; i++) {
        const struct field *f = &o->fields[i];
        if (!is_required(w, f) || is_given(w, json_get(v, f->name)))
            continue;
        *ret_lacking = true;
        if (missing(w, o, f, v, at) == BODY_REFUSE)
            return BODY_REFUSE;
    }
    return BODY_TAKE;
}

/* Field by field. */
static enum body_verdict check_fields(const struct walk *w, const struct object *o,
                                      const struct json *v, const struct body_place *at)
{
    enum body_verdict verdict = BODY_TAKE;
    for (size_t i = 0; i < o->n_fields && verdict != BODY_REFUSE; i++) {
        const struct field *f = &o->fields[i];
        struct json *value = (struct json *)(uintptr_t)json_get(v, f->name);
        struct body_place place = {.up = at, .name = f->name, .of = v};
        if (is_given(w, value))
            verdict = check_member(w, f, value, &place);
        else if (is_required(w, f))
            verdict = missing(w, o, f, v, at);
    }
    return verdict == BODY_REFUSE ? verdict : BODY_TAKE;
}

/* Members as they come. */
static enum body_verdict check_members(const struct walk *w, const struct object *o,
                                       const struct json *v, const struct body_place *at)
{
    struct json *own = (struct json *)(uintptr_t)v;
    struct json_member *members = (struct json_member *)(uintptr_t)v->members;
    bool closed = w->rules->closed || (o->schema && o->schema->closed);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        struct json_member *m = &members[i];
        const struct field *f = find_field(w, o, m);
        struct body_place place = {.up = at, .name = f ? f->name : m->key, .of = v};
        enum body_verdict verdict = BODY_TAKE;
        if (f)
            verdict = check_member(w, f, &m->value, &place);
        else if (closed && !(o->typed && strcmp(m->key, "type") == 0))
            verdict = report(w, (struct body_report){.fault = BODY_UNKNOWN,
                                                     .at = &place,
                                                     .schema = o->schema,
                                                     .value = &m->value,
                                                     .line_at = m->key_at});
        if (verdict == BODY_REFUSE)
            return verdict;
        if (verdict == BODY_DROP)
            continue;
        if (kept != i)
            members[kept] = *m;
        kept++;
    }
    if (kept != v->n)
        own->n = kept;
    return BODY_TAKE;
}

static enum body_verdict check_object(const struct walk *w, const struct object *o,
                                      const struct json *v, const struct body_place *at,
                                      bool *ret_whole)
{
    enum body_verdict verdict = BODY_TAKE;
    bool lacking = false;
    *ret_whole = true;
    if (w->rules->order == BODY_AS_TABLED)
        return check_fields(w, o, v, at);
    if (w->rules->order == BODY_MISSING_FIRST)
        verdict = check_required(w, o, v, at, &lacking);
    if (lacking) {
        *ret_whole = false;
        return verdict;
    }
    verdict = check_members(w, o, v, at);
    return verdict == BODY_REFUSE || w->rules->order == BODY_MISSING_FIRST
               ? verdict
               : check_required(w, o, v, at, &lacking);
}

/* An upload in pieces ends with a PUT, whatever the method's own verb is. */
static bool changes(const struct call *c)
{
    if (!c || !c->route)
        return false;
    unsigned verbs = 1u << c->verb;
    if (c->route->verbs && !(c->route->verbs & verbs))
        verbs = c->route->verbs;
    return verbs & (PUT | PATCH);
}

int body_check(struct call *c, const struct schema *s, const struct json *v,
               const struct body_rules *rules, const struct body_place *at, void *arg)
{
    static const struct body_rules own_rules = {0};
    const struct object o = {.schema = s, .fields = s->fields, .n_fields = s->n_fields};
    const struct walk w = {
        .c = c, .rules = rules ? rules : &own_rules, .arg = arg, .change = changes(c)};
    bool whole;
    if (v->type != JSON_OBJECT)
        return report(&w, (struct body_report){.fault = BODY_NOT_OBJECT, .at = at, .value = v}) ==
                       BODY_REFUSE
                   ? -1
                   : 0;
    return check_object(&w, &o, v, at, &whole) == BODY_REFUSE ? -1 : 0;
}

int body_check_value(struct call *c, const struct field *f, struct json *v,
                     const struct body_rules *rules, const struct body_place *at, void *arg)
{
    const struct walk w = {.c = c, .rules = rules, .arg = arg, .change = changes(c)};
    return check_member(&w, f, v, at) == BODY_REFUSE ? -1 : 0;
}

/* ---- what handlers read ---- */

static const struct json nothing = {.type = JSON_OBJECT};

/* A form as an object of strings; of a name that is there twice the first one counts. */
static const struct json *form_object(struct call *c)
{
    struct json *v = arena_calloc(c->tx.arena, 1, sizeof *v);
    struct json_member *m = arena_calloc(c->tx.arena, c->n_items + 1, sizeof *m);
    if (arena_failed(c->tx.arena))
        return &nothing;
    *v = (struct json){.type = JSON_OBJECT, .members = m};
    for (size_t i = 0; i < c->n_items; i++) {
        const struct query_item *item = &c->items[i];
        if ((item->place != IN_FORM && item->place != IN_PART) || json_get(v, item->name))
            continue;
        m[v->n++] = (struct json_member){
            .key = item->name,
            .key_len = (uint32_t)strlen(item->name),
            .value = {.type = JSON_STRING, .n = (uint32_t)item->len, .str = item->text}};
    }
    return v;
}

/* false: the vendor has checked the body already. */
static bool rules_of(struct call *c, const struct body_rules **ret)
{
    *ret = NULL;
    if (!c->front || !c->front->body_rules)
        return true;
    *ret = c->front->body_rules(c);
    return *ret != NULL;
}

static int absent(struct call *c, const struct body_rules *rules, const struct schema *s)
{
    static const struct body_rules own_rules = {0};
    const struct walk w = {.c = c, .rules = rules ? rules : &own_rules};
    return report(&w, (struct body_report){.fault = BODY_ABSENT, .schema = s}) == BODY_REFUSE ? -1
                                                                                              : 0;
}

const struct json *call_body(struct call *c)
{
    const struct body_rules *rules;
    if (c->body_checked)
        return c->body;
    const struct schema *s = rules_of(c, &rules) && c->route->request
                                 ? dialect_schema(c->dialect, c->route->request)
                                 : NULL;
    if (!c->body && c->form)
        c->body = form_object(c);
    if (!c->body && s && c->route->body == BODY_JSON && absent(c, rules, s) < 0)
        return NULL;
    if (!c->body)
        c->body = &nothing;
    if (s && body_check(c, s, c->body, rules, NULL, NULL) < 0)
        return NULL;
    if (c->body->type != JSON_OBJECT)
        c->body = &nothing;
    c->body_checked = true;
    return c->body;
}
