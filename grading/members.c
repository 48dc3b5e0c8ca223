/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/members.h"
#include "grading/calls.h"
#include "grading/entities.h"
#include "grading/predicate_impl.h"
#include "grading/tables.h"
#include "engine/api/vendor.h"
#include "engine/world/core.h"
#include "engine/world/members.h"
#include "services/list.h"

/* ---- the nearest ---- */

#define NAME_MAX_COMPARED 100 /* letters of a name */

struct nearest {
    const char *wanted, *text;
    size_t n, edits;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters must be put in, left out or changed. */
static size_t edits(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t row[NAME_MAX_COMPARED + 1];
    a_len = least(a_len, NAME_MAX_COMPARED);
    b_len = least(b_len, NAME_MAX_COMPARED);
    for (size_t k = 0; k <= b_len; k++)
        row[k] = k;
    for (size_t i = 1; i <= a_len; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b_len; k++) {
            size_t changed = corner + (a[i - 1] != b[k - 1]);
            corner = row[k];
            row[k] = least(changed, least(row[k], row[k - 1]) + 1);
        }
    }
    return row[b_len];
}

/* Of those as near the first stays. */
static void see(struct nearest *to, const char *text, size_t n)
{
    size_t far = edits(to->wanted, strlen(to->wanted), text, n);
    if (to->text && far >= to->edits)
        return;
    to->text = text;
    to->n = n;
    to->edits = far;
}

/* ---- what there is ---- */

/* NULL: none shows it in another way than its core. */
static const struct entity_view *view_of(const struct entity *e)
{
    return entities_view(e, NULL);
}

/* The i-th method of all services; NULL behind the last. */
static const char *method_at(size_t dialect, size_t i)
{
    const struct dialect *d = service_dialect(sosia_services, dialect);
    const struct route *row = d ? dialect_row(d, i) : NULL;
    return row ? row->id : NULL;
}

/* ---- names ---- */

/* Whether there is such an entity; if not, what is nearest, and in *ret_all those that a vendor has
 * a name for. */
static bool find_entity(struct nearest *near, struct arena *a, const char **ret_all)
{
    const struct entity *e;
    const char *all = "";
    for (size_t i = 0; (e = entities_at(i)); i++)
        if (strcmp(e->name, near->wanted) == 0)
            return true;
    for (size_t i = 0; (e = entities_at(i)); i++) {
        see(near, e->name, strlen(e->name));
        const struct entity_view *v = view_of(e);
        if (v && v->members) /* shown as a vendor has it: those that are asked for */
            all = arena_printf(a, "%s%s%s", all, *all ? " " : "", e->name);
    }
    *ret_all = all;
    return false;
}

int members_check_entity(struct doc *d, const struct json *at, const char *member,
                         const char *entity)
{
    struct nearest near = {.wanted = entity};
    const char *all;
    if (find_entity(&near, d->arena, &all))
        return 0;
    return doc_fail(d, at, member,
                    "must be an entity, \"%.40s\" is not; nearest: %s (there are %s, more in "
                    "docs/grading.md)",
                    entity, near.text, all);
}

/* The core's own name, or that under which a vendor's view shows what it has. */
static bool has_service(const struct sosia_core *c, const char *service, struct nearest *near)
{
    bool found = c->n_entities && strcmp(c->name, service) == 0;
    if (c->n_entities)
        see(near, c->name, strlen(c->name));
    for (const struct entity_view *v = c->views; v && v->entity; v++) {
        found |= strcmp(v->service, service) == 0;
        see(near, v->service, strlen(v->service));
    }
    return found;
}

int members_check_service(struct doc *d, const struct json *at, const char *service)
{
    struct nearest near = {.wanted = service};
    const struct sosia_core *c;
    for (size_t i = 0; (c = entities_core(i)); i++)
        if (has_service(c, service, &near))
            return 0;
    return doc_fail(d, at, "service", "must be a service, not \"%.40s\"; nearest: %.*s", service,
                    (int)near.n, near.text);
}

int members_check_table(struct doc *d, const struct json *at, const char *member, const char *name)
{
    struct nearest near = {.wanted = name};
    const char *all, *table;
    if (table_is_known(name) || find_entity(&near, d->arena, &all))
        return 0;
    for (size_t i = 0; (table = table_name_at(i)); i++)
        see(&near, table, strlen(table));
    bool of_tables = table_is_known(near.text);
    return doc_fail(d, at, member,
                    "must be a table or entity, \"%.40s\" is not; nearest: %s (there are %s, more "
                    "in docs/grading.md)",
                    name, near.text, of_tables ? table_names(d->arena, near.text) : all);
}

/* Whether a list has the path; if not, what is nearest in it. */
static bool has(struct nearest *near, const char *list, const char *const *noise)
{
    size_t n;
    if (!entities_noise(noise, near->wanted, strlen(near->wanted)) &&
        members_find(list, near->wanted))
        return true;
    for (const char *p; (p = members_next(&list, &n)), n;) {
        if (entities_noise(noise, p, n))
            continue;
        see(near, p, n);
        for (const char *dot = p; (dot = memchr(dot, '.', (size_t)(p + n - dot))); dot++)
            see(near, p, (size_t)(dot - p)); /* what members are in is one too */
    }
    return false;
}

static bool entity_has(struct nearest *near, const struct entity *e, struct arena *a)
{
    const struct entity_view *v = view_of(e);
    const char *own = entities_members(e, a);
    if (!v)
        return own && has(near, own, NULL);
    for (; v; v = entities_view(e, v)) {
        const char *list = v->members ? v->members : own;
        if (list && has(near, list, v->noise))
            return true;
    }
    return false;
}

int members_check_path(struct doc *d, const struct json *at, const char *entity, const char *path)
{
    struct nearest near = {.wanted = path};
    const struct entity *e;
    bool calls = entity && !*entity;
    if (calls && has(&near, calls_members, NULL))
        return 0;
    for (size_t i = 0; !calls && (e = entities_at(i)); i++)
        if ((!entity || strcmp(e->name, entity) == 0) && entity_has(&near, e, d->arena))
            return 0;
    return doc_fail(d, at, NULL, "must be a member of %s%s%s, \"%.80s\" is not; nearest: %.*s",
                    calls    ? "calls"
                    : entity ? "the entity \""
                             : "some entity",
                    entity ? entity : "", calls || !entity ? "" : "\"", path, (int)near.n,
                    near.text ? near.text : "");
}

/* ---- methods ---- */

/* Whether the predicate is so for a method that there is, or for a call of none. */
static bool some_method_is(struct doc *d, const struct predicate *p)
{
    const struct predicate_context c = {.arena = d->arena};
    const char *id;
    for (size_t k = 0; service_dialect(sosia_services, k); k++)
        for (size_t i = 0; (id = method_at(k, i)); i++) {
            const struct json v = {.type = JSON_STRING, .n = (uint32_t)strlen(id), .str = id};
            if (predicate_holds(&c, p, &v))
                return true;
        }
    return predicate_holds(&c, p, NULL);
}

int members_check_method(struct doc *d, const struct json *at, const char *member,
                         const char *wanted)
{
    struct nearest near = {.wanted = wanted};
    const char *id;
    for (size_t k = 0; service_dialect(sosia_services, k); k++)
        for (size_t i = 0; (id = method_at(k, i)); i++) {
            if (strcmp(id, wanted) == 0)
                return 0;
            see(&near, id, strlen(id));
        }
    return doc_fail(d, at, member, "must be the id of a method, \"%.80s\" is not; nearest: %s",
                    wanted, near.text);
}

static int check_method(struct doc *d, const struct json *v)
{
    return v->type != JSON_STRING || strstr(v->str, "${")
               ? 0
               : members_check_method(d, v, NULL, v->str);
}

static bool is_one_of(const struct predicate *p, const char *const *names)
{
    while (*names && strcmp(*names, p->op->name) != 0)
        names++;
    return *names != NULL;
}

/* Methods that a predicate names are there, and what it says of their names is so for one. */
static int check_methods(struct doc *d, const struct predicate *p)
{
    static const char *const one[] = {"eq", "ne", NULL}, *const list[] = {"in", "not_in", NULL},
                             *const parts[] = {
                                 "starts_with", "i_starts_with", "ends_with", "i_ends_with",
                                 "contains",    "i_contains",    "regex",     NULL};
    for (; p && p->op; p = p->next) {
        struct predicate alone = *p;
        bool any = strcmp(p->op->name, "any_of") == 0;
        alone.next = NULL;
        if (is_one_of(p, one) && check_method(d, p->argument) < 0)
            return -1;
        for (uint32_t i = 0;
             is_one_of(p, list) && p->argument->type == JSON_ARRAY && i < p->argument->n; i++)
            if (check_method(d, &p->argument->items[i]) < 0)
                return -1;
        for (uint32_t i = 0; p->inner && i < (any ? p->argument->n : 1); i++)
            if (check_methods(d, p->inner + i) < 0)
                return -1;
        if (is_one_of(p, parts) &&
            variables_put(&(struct predicate_context){.arena = d->arena}, p->argument) &&
            !some_method_is(d, &alone))
            return doc_fail(d, p->argument, NULL,
                            "must be so for the id of some method, not for none: %s %.80s",
                            p->op->name, json_to_text(d->arena, p->argument));
    }
    return 0;
}

/* ---- conditions ---- */

int members_check_predicate(struct doc *d, const char *entity, const char *path,
                            const struct predicate *p)
{
    for (; p && p->op; p = p->next) {
        bool any = strcmp(p->op->name, "any_of") == 0;
        for (const struct condition *c = p->items; c; c = c->next) {
            const char *inner = arena_printf(d->arena, "%s%s*%s%s", path, *path ? "." : "",
                                             *c->path ? "." : "", c->path);
            if (members_check_path(d, predicate_source(c->predicate), entity, inner) < 0 ||
                members_check_predicate(d, entity, inner, c->predicate) < 0)
                return -1;
        }
        for (uint32_t i = 0; p->inner && i < (any ? p->argument->n : 1); i++)
            if (members_check_predicate(d, entity, path, p->inner + i) < 0)
                return -1;
    }
    return 0;
}

int members_check_conditions(struct doc *d, const char *entity, const struct condition *where)
{
    for (; where; where = where->next) {
        size_t mark = doc_push(d, where->path, -1);
        if (members_check_path(d, predicate_source(where->predicate), entity, where->path) < 0 ||
            members_check_predicate(d, entity, where->path, where->predicate) < 0 ||
            (entity && !*entity && strcmp(where->path, "method") == 0 &&
             check_methods(d, where->predicate) < 0))
            return -1;
        doc_pop(d, mark);
    }
    return 0;
}
