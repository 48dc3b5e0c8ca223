/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalars of bodies that are written as another type, in APIs that the newer front end does not
 * check (strict.c): a number or a truth where a string is expected is its text ("colorId": 11, as
 * programs send it every day), and a numeric string where a number is expected is the number, as
 * protobuf's reader of JSON takes it. Handlers find the type that the schema says.
 */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"

struct walk {
    const struct dialect *d;
};

static void mend_object(const struct walk *w, const struct field *fields, size_t n_fields,
                        const struct json *v);

static void mend_scalar(const struct field *f, const struct json *v)
{
    struct json *own = (struct json *)(uintptr_t)v; /* the call's, nobody has looked at it yet */
    double number;
    if (strcmp(f->type, "string") == 0) {
        if (v->type == JSON_BOOL) {
            own->str = v->truth ? "true" : "false";
            own->n = (uint32_t)strlen(own->str);
        }
        if (v->type == JSON_BOOL || v->type == JSON_NUMBER)
            own->type = JSON_STRING;
    } else if (v->type == JSON_STRING &&
               (strcmp(f->type, "integer") == 0 || strcmp(f->type, "number") == 0) &&
               parse_double(v->str, v->n, &number) == 0) {
        own->type = JSON_NUMBER;
    }
}

static void mend_one(const struct walk *w, const struct field *f, const struct json *v)
{
    if (v->type != JSON_OBJECT) {
        mend_scalar(f, v);
        return;
    }
    const struct schema *s = google_schema(w->d, f->type);
    if (s || f->fields)
        mend_object(w, s ? s->fields : f->fields, s ? s->n_fields : f->n_fields, v);
}

static void mend_member(const struct walk *w, const struct field *f, const struct json *v)
{
    if (f->list && v->type == JSON_ARRAY)
        for (uint32_t i = 0; i < v->n; i++)
            mend_one(w, f, &v->items[i]);
    else if (f->map && v->type == JSON_OBJECT)
        for (uint32_t i = 0; i < v->n; i++)
            mend_one(w, f, &v->members[i].value);
    else if (!f->list && !f->map)
        mend_one(w, f, v);
}

static void mend_object(const struct walk *w, const struct field *fields, size_t n_fields,
                        const struct json *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < n_fields; k++)
            if (strcmp(fields[k].name, v->members[i].key) == 0)
                mend_member(w, &fields[k], &v->members[i].value);
}

void google_scalars(struct call *c)
{
    const struct google_api *api = google_api_of(c);
    const struct schema *s =
        api && !api->strict ? google_schema(c->dialect, c->route->request) : NULL;
    const struct walk w = {.d = c->dialect};
    if (s && c->body && c->body->type == JSON_OBJECT)
        mend_object(&w, s->fields, s->n_fields, c->body);
}
