/* SPDX-License-Identifier: Apache-2.0 */
/* $select and $expand on answers: the writer's mask, and what @odata.context says of them. */
#include "vendors/microsoft/odata/impl.h"
#include <strings.h>

/* Members that no selection takes away. */
static const char *const annotations[] = {
    "@odata.context",  "@odata.type",      "@odata.id", "@odata.editLink",        "@odata.count",
    "@odata.nextLink", "@odata.deltaLink", "@removed",  "@odata.mediaContentType"};
/* ... of an expanded member, behind its name. */
static const char *const expanded_annotations[] = {"@odata.context", "@odata.nextLink",
                                                   "@odata.count"};

struct masking {
    struct json_mask_builder b;
    struct arena *a;
    unsigned keep;
};

static struct json_mask *add(struct masking *m, struct json_mask *at, const char *name)
{
    return at ? json_mask_add(&m->b, at, name, strlen(name)) : NULL;
}

static bool take(struct masking *m, struct json_mask *at, const char *name)
{
    struct json_mask *kid = add(m, at, name);
    if (kid)
        json_mask_take(kid);
    return kid != NULL;
}

static bool take_annotations(struct masking *m, struct json_mask *at)
{
    for (size_t i = 0; i < SOSIA_LEN(annotations); i++)
        if (!take(m, at, annotations[i]))
            return false;
    return true;
}

/* The members that are written without a $select, of the type and of those derived from it. */
static bool take_usual(struct masking *m, struct json_mask *at, const struct edm_type *type)
{
    for (size_t i = 0; i < edm_n_types; i++) {
        const struct edm_type *t = edm_types[i];
        for (size_t k = 0; edm_is_a(t, type) && k < t->n; k++) {
            const struct edm_property *p = t->properties[k];
            if (!p->navigation && !p->asked && !take(m, at, p->name))
                return false;
        }
    }
    return true;
}

static bool take_selected(struct masking *m, struct json_mask *at, const struct odata_select *s,
                          const struct edm_type *type)
{
    if (!s->n)
        return take_usual(m, at, type);
    for (size_t i = 0; i < s->n; i++)
        if (!s->steps[i].cast)
            at = add(m, at, s->steps[i].name);
    if (at)
        json_mask_take(at);
    return at != NULL;
}

static bool selects_everything(const struct odata_query *q)
{
    if (q->has_select)
        return false;
    for (size_t i = 0; i < q->n_expand; i++)
        if (!selects_everything(q->expand[i].query))
            return false;
    return true;
}

/* Is it the name alone of a relationship that is expanded? What is given of it $expand says. */
static bool is_expanded(const struct odata_query *q, const struct odata_select *s)
{
    for (size_t i = 0; s->n == 1 && !s->steps[0].cast && i < q->n_expand; i++)
        if (q->expand[i].property && strcasecmp(q->expand[i].name, s->steps[0].name) == 0)
            return true;
    return false;
}

static bool mask_query(struct masking *m, struct json_mask *at, const struct odata_query *q);

static bool mask_expanded(struct masking *m, struct json_mask *at, const struct odata_expand *e)
{
    if (!e->property)
        return true;
    for (size_t i = 0; i < SOSIA_LEN(expanded_annotations); i++)
        if (!take(m, at, arena_printf(m->a, "%s%s", e->name, expanded_annotations[i])))
            return false;
    struct json_mask *kid = add(m, at, e->name);
    return kid && mask_query(m, kid, e->query);
}

/* Depth is bounded by the reader's. */
static bool mask_query(struct masking *m, struct json_mask *at, const struct odata_query *q)
{
    if (selects_everything(q)) {
        json_mask_take(at);
        return true;
    }
    if (!take_annotations(m, at))
        return false;
    if (((m->keep & ODATA_KEEP_ID) || !q->has_select) && !take(m, at, "id"))
        return false;
    if (((m->keep & ODATA_KEEP_ETAG) || !q->has_select) && !take(m, at, "@odata.etag"))
        return false;
    if (!q->has_select && !take_usual(m, at, q->type))
        return false;
    for (size_t i = 0; i < q->n_select; i++)
        if (!is_expanded(q, &q->select[i]) && !take_selected(m, at, &q->select[i], q->type))
            return false;
    for (size_t i = 0; i < q->n_expand; i++)
        if (!mask_expanded(m, at, &q->expand[i]))
            return false;
    return true;
}

static int make_mask(struct arena *a, const struct odata_query *q, unsigned keep, bool list,
                     const struct json_mask **ret_mask, struct sosia_err *err)
{
    struct masking m = {.a = a, .keep = keep};
    const struct json_mask *mask = NULL;
    if (selects_everything(q)) {
        *ret_mask = NULL;
        return 0;
    }
    struct json_mask *at = json_mask_begin(&m.b, a);
    bool good = at != NULL;
    if (good && list) {
        good = take_annotations(&m, at);
        at = good ? add(&m, at, "value") : NULL;
    }
    if (good && at && mask_query(&m, at, q))
        mask = json_mask_end(&m.b);
    if (mask && !arena_failed(a)) {
        *ret_mask = mask;
        return 0;
    }
    if (arena_failed(a))
        return sosia_fail_memory(err);
    return sosia_fail(err, SOSIA_E_INVALID, "BadRequest", "$select",
                      "Parsing OData Select and Expand failed: Too many properties are selected.");
}

int odata_mask(struct arena *a, const struct odata_query *q, unsigned keep,
               const struct json_mask **ret_mask, struct sosia_err *err)
{
    return make_mask(a, q, keep, false, ret_mask, err);
}

int odata_mask_list(struct arena *a, const struct odata_query *q, unsigned keep,
                    const struct json_mask **ret_mask, struct sosia_err *err)
{
    return make_mask(a, q, keep, true, ret_mask, err);
}

/* ---- context ---- */

static void write_context(struct buf *out, const struct odata_query *q)
{
    const char *between = "";
    for (size_t i = 0; i < q->n_select; i++, between = ",")
        buf_printf(out, "%s%s", between, q->select[i].text);
    for (size_t i = 0; i < q->n_expand; i++, between = ",") {
        buf_printf(out, "%s%s(", between, q->expand[i].text);
        write_context(out, q->expand[i].query);
        buf_byte(out, ')');
    }
}

const char *odata_context(struct arena *a, const struct odata_query *q)
{
    struct buf b;
    if (!q->n_select && !q->n_expand)
        return "";
    buf_init(&b, 0);
    buf_byte(&b, '(');
    write_context(&b, q);
    buf_byte(&b, ')');
    return buf_keep(&b, a);
}

/* ---- one by one ---- */

static bool names_first(const struct odata_select *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->steps[i].cast)
            return strcasecmp(s->steps[i].name, name) == 0;
    return false;
}

/* A type derived from it may have it: a list of messages has invitations in it. */
static bool is_usual(const struct edm_type *type, const char *name)
{
    const struct edm_property *p = edm_property_find(type, name, strlen(name));
    for (size_t i = 0; type && i < edm_n_types && !p; i++)
        if (edm_is_a(edm_types[i], type))
            p = edm_property_find(edm_types[i], name, strlen(name));
    return !p || (!p->asked && !p->navigation);
}

bool odata_selects(const struct odata_query *q, const char *name)
{
    for (size_t i = 0; i < q->n_select; i++)
        if (names_first(&q->select[i], name) || (!q->select[i].n && is_usual(q->type, name)))
            return true;
    return !q->has_select && is_usual(q->type, name);
}

const struct odata_expand *odata_expands(const struct odata_query *q, const char *name)
{
    for (size_t i = 0; i < q->n_expand; i++)
        if (!q->expand[i].property || strcasecmp(q->expand[i].name, name) == 0)
            return &q->expand[i];
    return NULL;
}
