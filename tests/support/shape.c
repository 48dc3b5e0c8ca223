/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/shape.h"
#include "engine/api/router.h"
#include "engine/world/engine.h"
#include <strings.h>

struct walk {
    struct arena *a;
    const struct dialect *d;
    bool part;
};

static const char *fault_of_object(const struct walk *w, const char *name,
                                   const struct field *fields, size_t n, const struct json *v,
                                   const char *path);

static const char *wrong(const struct walk *w, const char *path, const char *expected,
                         const struct json *v)
{
    return arena_printf(w->a, "%s must be %s, not %.200s", path, expected, json_to_text(w->a, v));
}

static bool is_word(const struct field *f, const char *text)
{
    for (const char *const *v = f->values; *v; v++)
        if (strcmp(*v, text) == 0)
            return true;
    return false;
}

/* The schema of an object: its own where it says of which type it is, else the field's. */
static const struct schema *schema_of(const struct walk *w, const struct field *f,
                                      const struct json *v)
{
    const char *type = v->type == JSON_OBJECT ? json_get_str(v, "@odata.type") : NULL;
    const struct schema *own = type && *type == '#' ? dialect_schema(w->d, type + 1) : NULL;
    return own ? own : dialect_schema(w->d, f->type);
}

static const char *fault_of_one(const struct walk *w, const struct field *f, const struct json *v,
                                const char *path)
{
    const struct schema *s = schema_of(w, f, v);
    int64_t n;
    if (strcmp(f->type, "any") == 0 || (v->type == JSON_NULL && f->nullable))
        return NULL;
    if (s || strcmp(f->type, "object") == 0)
        return v->type != JSON_OBJECT ? wrong(w, path, "an object", v)
               : s                    ? fault_of_object(w, s->name, s->fields, s->n_fields, v, path)
               : f->n_fields ? fault_of_object(w, "its object", f->fields, f->n_fields, v, path)
                             : NULL;
    if (strcmp(f->type, "string") == 0 && v->type != JSON_STRING)
        return wrong(w, path, "a string", v);
    if (strcmp(f->type, "boolean") == 0 && v->type != JSON_BOOL)
        return wrong(w, path, "true or false", v);
    if (strcmp(f->type, "number") == 0 && v->type != JSON_NUMBER)
        return wrong(w, path, "a number", v);
    if (strcmp(f->type, "integer") == 0 && (v->type != JSON_NUMBER || json_i64(v, &n) < 0))
        return wrong(w, path, "a whole number", v);
    /* of what is set once, and else by the service, the set is that of requests */
    if (f->values && !f->immutable && v->type == JSON_STRING && !is_word(f, v->str))
        return wrong(w, path, "a word of its set", v);
    return NULL;
}

static const char *fault_of_field(const struct walk *w, const struct field *f, const struct json *v,
                                  const char *path)
{
    const char *bad = NULL;
    if (!f->list && !f->map)
        return fault_of_one(w, f, v, path);
    if (v->type == JSON_NULL && f->nullable)
        return NULL;
    if (v->type != (f->list ? JSON_ARRAY : JSON_OBJECT))
        return wrong(w, path, f->list ? "a list" : "an object", v);
    for (uint32_t i = 0; i < v->n && !bad; i++)
        bad = f->list ? fault_of_one(w, f, &v->items[i], arena_printf(w->a, "%s[%u]", path, i))
                      : fault_of_one(w, f, &v->members[i].value,
                                     arena_printf(w->a, "%s.%s", path, v->members[i].key));
    return bad;
}

static const struct field *field_named(const struct field *fields, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

/* Whether a program may put members of its own into objects of a type. */
static bool is_open(const char *name)
{
    return strcmp(name, "microsoft.graph.extension") == 0 ||
           strcmp(name, "microsoft.graph.openTypeExtension") == 0 ||
           strcmp(name, "microsoft.graph.fieldValueSet") == 0;
}

static const char *fault_of_object(const struct walk *w, const char *name,
                                   const struct field *fields, size_t n, const struct json *v,
                                   const char *path)
{
    const char *bad = NULL, *dot = *path ? "." : "";
    for (uint32_t i = 0; i < v->n && !bad; i++) {
        const struct json_member *m = &v->members[i];
        const struct field *f = field_named(fields, n, m->key);
        const char *at = arena_printf(w->a, "%s%s%s", path, dot, m->key);
        bad = f ? fault_of_field(w, f, &m->value, at)
              : strchr(m->key, '@') || is_open(name) ||
                      (strcmp(name, "microsoft.graph.identitySet") == 0 &&
                       strcmp(m->key, "group") == 0) ||
                      (strcmp(name, "microsoft.graph.chatMessageFromIdentitySet") == 0 &&
                       strcmp(m->key, "emailAddress") == 0)
                  ? NULL /* an annotation, or what a program likes */
                  : wrong(w, at, arena_printf(w->a, "a member of %s", name), &m->value);
    }
    for (size_t i = 0; i < n && !bad && !w->part; i++)
        if (fields[i].required && !json_get(v, fields[i].name))
            bad = arena_printf(w->a, "%s%s%s must be there", path, dot, fields[i].name);
    return bad;
}

const char *shape_fault(struct arena *a, const struct dialect *d, const struct schema *s,
                        const struct json *v, bool part)
{
    struct walk w = {.a = a, .d = d, .part = part};
    return fault_of_object(&w, s->name, s->fields, s->n_fields, v, "");
}

const char *shape_fault_of(struct arena *a, const struct sosia_engine *engine,
                           const struct sosia_request *r, const struct json *answer)
{
    const char *host = NULL, *path = r->target;
    struct match m;
    enum verb verb;
    if (!answer || answer->type != JSON_OBJECT || json_is_false(json_get(answer, "ok")) ||
        *path != '/' || verb_from_name(r->method, &verb) < 0)
        return NULL;
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcasecmp(r->headers[i].name, "Host") == 0)
            host = r->headers[i].value;
    const struct vendor *vendor = host ? router_host(engine->router, host, strlen(host)) : NULL;
    router_match(engine->router, vendor, verb, path, strcspn(path, "?"), &m);
    const struct schema *s = m.route ? dialect_schema(m.dialect, m.route->response) : NULL;
    if (!s || (m.route->download && strstr(path, "alt=media")))
        return NULL;
    const char *bad = shape_fault(a, m.dialect, s, answer, strstr(path, "fields=") != NULL);
    return bad ? arena_printf(a, "the answer of %s: %s", m.route->id, bad) : NULL;
}
