/* SPDX-License-Identifier: Apache-2.0 */
/* The members of forms as JSON Schema, for editors and for those who make documents. */
#include "engine/state/form.h"

/* A member that need not be there may be null as well. */
static void schema_type(struct json_writer *w, const struct member *m, const char *type,
                        const char *other)
{
    json_arr(w, "type");
    json_str(w, NULL, type);
    if (other)
        json_str(w, NULL, other);
    if (!(m->flags & MEMBER_REQUIRED))
        json_str(w, NULL, "null");
    json_end(w);
}

static void schema_names(struct json_writer *w, const struct member *m)
{
    json_arr(w, "enum");
    for (const char *const *name = m->names; *name; name++)
        json_str(w, NULL, *name);
    if (m->kind != MEMBER_BITS && !(m->flags & MEMBER_REQUIRED))
        json_null(w, NULL);
    json_end(w);
}

static void schema_number(struct json_writer *w, const struct member *m)
{
    if (m->noun) { /* hooks read it, in more than one way */
        schema_type(w, m, "integer", "string");
        return;
    }
    schema_type(w, m, "integer", NULL);
    json_int(w, "minimum", m->min);
    json_int(w, "maximum", m->max);
}

static void schema_list(struct json_writer *w, const struct member *m)
{
    schema_type(w, m, "array", NULL);
    json_obj(w, "items");
    if (m->kind == MEMBER_BITS) {
        schema_names(w, m);
    } else if (m->flags & MEMBER_SHORT) {
        json_arr(w, "anyOf");
        json_obj(w, NULL);
        json_str(w, "type", "string");
        json_end(w);
        json_obj(w, NULL);
        form_schema(w, m->form);
        json_end(w);
        json_end(w);
    } else {
        form_schema(w, m->form);
    }
    json_end(w);
}

/* What its hooks take is known by its form or its noun, or not at all. */
static void schema_own(struct json_writer *w, const struct member *m)
{
    if (m->form)
        schema_list(w, m);
    else if (m->noun && strcmp(m->noun, "true or false") == 0)
        schema_type(w, m, "boolean", NULL);
    else if (m->noun && strncmp(m->noun, "list", 4) == 0)
        schema_type(w, m, "array", NULL);
    else if (m->noun)
        schema_type(w, m, "string", NULL);
}

static void schema_value(struct json_writer *w, const struct member *m)
{
    switch (m->kind) {
    case MEMBER_WORD:
    case MEMBER_ENUM:
        schema_names(w, m);
        break;
    case MEMBER_BOOL:
    case MEMBER_FLAG:
        schema_type(w, m, "boolean", NULL);
        break;
    case MEMBER_INT:
        schema_number(w, m);
        break;
    case MEMBER_BITS:
    case MEMBER_LIST:
        schema_list(w, m);
        break;
    case MEMBER_JSON:
        schema_type(w, m, "object", NULL);
        break;
    case MEMBER_KEPT:
        if (m->form)
            schema_list(w, m);
        else
            schema_type(w, m, m->min == JSON_ARRAY ? "array" : "object", NULL);
        break;
    case MEMBER_OBJECT:
        form_schema(w, m->form);
        break;
    case MEMBER_OWN:
        schema_own(w, m);
        break;
    case MEMBER_PART:
        break;
    default:
        schema_type(w, m, "string", NULL);
    }
}

void form_schema_members(struct json_writer *w, const struct form *form)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        if (m->kind == MEMBER_PART) {
            form_schema_members(w, m->form);
        } else if (m->name && m->schema) {
            json_raw(w, m->name, m->schema, strlen(m->schema));
        } else if (m->name) {
            json_obj(w, m->name);
            json_str_opt(w, "description", m->about);
            schema_value(w, m);
            json_end(w);
        }
    }
}

static void schema_required(struct json_writer *w, const struct form *form)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        if (m->kind == MEMBER_PART)
            schema_required(w, m->form);
        else if (m->name && m->flags & MEMBER_REQUIRED)
            json_str(w, NULL, m->name);
    }
}

void form_schema(struct json_writer *w, const struct form *form)
{
    json_str_opt(w, "title", form->about);
    json_str(w, "type", "object");
    if (!form->open)
        json_bool(w, "additionalProperties", false);
    json_arr(w, "required");
    schema_required(w, form);
    json_end(w);
    json_obj(w, "properties");
    form_schema_members(w, form);
    json_end(w);
}
