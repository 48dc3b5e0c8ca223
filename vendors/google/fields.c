/* SPDX-License-Identifier: Apache-2.0 */
/* Partial responses: the names in `fields` are checked against the schema of the response. */
#include "vendors/google/internal.h"

/* The fields at one level, and the masks to check against them. */
struct level {
    struct call *c;
    const struct field *fields;
    size_t n_fields;
    bool leaf; /* nothing may be selected here */
};

static int check_names(struct level *l, const struct json_mask *mask);

static int refuse_field(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "invalidParameter", "fields", "Invalid field selection %s",
                     name);
}

static int below_field(struct call *c, const struct field *f, const struct json_mask *below);

struct map_level {
    struct call *c;
    const struct field *f;
};

/* A key of a map: free, its value is not. */
static int check_key(void *arg, const char *name, const struct json_mask *below)
{
    struct map_level *m = arg;
    struct field value = *m->f;
    (void)name;
    value.map = false;
    return below_field(m->c, &value, below);
}

static int below_field(struct call *c, const struct field *f, const struct json_mask *below)
{
    if (json_mask_all(below) || strcmp(f->type, "any") == 0)
        return 0;
    if (f->map) {
        struct map_level m = {c, f};
        return json_mask_each(below, check_key, &m);
    }
    const struct schema *s = dialect_schema(c->dialect, f->type);
    struct level l = {
        .c = c, .fields = s ? s->fields : f->fields, .n_fields = s ? s->n_fields : f->n_fields};
    l.leaf = !l.fields;
    return check_names(&l, below);
}

static int check_name(void *arg, const char *name, const struct json_mask *below)
{
    struct level *l = arg;
    if (l->leaf)
        return refuse_field(l->c, name);
    bool star = strcmp(name, "*") == 0;
    for (size_t i = 0; i < l->n_fields; i++) {
        const struct field *f = &l->fields[i];
        if (star && !json_mask_all(below) &&
            (f->fields || dialect_schema(l->c->dialect, f->type))) {
            if (below_field(l->c, f, below) == 0)
                return 0;
        } else if (!star && strcmp(f->name, name) == 0) {
            return below_field(l->c, f, below);
        }
    }
    return star && json_mask_all(below) ? 0 : refuse_field(l->c, name);
}

static int check_names(struct level *l, const struct json_mask *mask)
{
    return json_mask_each(mask, check_name, l);
}

int google_fields_check(struct call *c, const struct json_mask *mask)
{
    const struct schema *s = dialect_schema(c->dialect, c->route->response);
    if (!s || json_mask_all(mask))
        return 0;
    struct level l = {.c = c, .fields = s->fields, .n_fields = s->n_fields};
    return check_names(&l, mask);
}
