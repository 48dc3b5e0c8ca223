/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of budgets. */
#include "engine/json/doc.h"
#include "guard/budget.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#define NAMES_MAX  200
#define NAME_BYTES 200
#define UNITS_MAX  INT64_C(1000000000)

const char *const budget_document_members[] = {"budgets", "workflow", "limits", NULL};
const char *const budget_limit_members[] = {
    "name",  "description", "per",           "methods", "vendors", "actors",  "workflows",
    "soft",  "costs",       "calls",         "writes",  "removed", "bytes",   "recipients",
    "units", "seconds",     "world_seconds", "retries", "tokens",  "dollars", NULL};
/* The object that guides write, in both spellings. */
const char *const budget_object_members[] = {"workflow",
                                             "tenant_id",
                                             "maxToolCalls",
                                             "max_tool_calls",
                                             "maxModelTokens",
                                             "max_model_tokens",
                                             "maxRetriesPerTool",
                                             "max_retries_per_tool",
                                             "maxRuntimeMs",
                                             "max_runtime_ms",
                                             "max_runtime_seconds",
                                             "maxEstimatedCostUsd",
                                             "max_estimated_cost_usd",
                                             NULL};

static const char *const pers[] = {"world", "actor", "token", "workflow", NULL};

static void no_limits(struct budget_limit *l)
{
    for (int m = 0; m < N_METERS; m++)
        l->most[m] = -1;
    l->soft = 80;
}

/* An amount, with a fraction perhaps, in parts of a unit. */
static int read_amount(struct doc *d, const struct json *v, const char *member, int64_t unit,
                       int64_t *ret)
{
    const struct json *n = json_get(v, member);
    double amount;
    if (!n || n->type == JSON_NULL)
        return 0;
    if (json_double(n, &amount) < 0 || !(amount >= 0) || amount * (double)unit > 1e15 ||
        (unit == 1 && amount != floor(amount)))
        return doc_expect(d, n, member,
                          unit == 1 ? "a whole number that is not negative"
                                    : "a number that is not negative");
    *ret = llrint(amount * (double)unit);
    return 0;
}

static int64_t unit_of(enum meter m)
{
    return m == METER_WORLD_TIME || m == METER_REAL_TIME || m == METER_DOLLARS ? 1000000 : 1;
}

static int read_names(struct doc *d, const struct json *v, const char *member,
                      struct fault_names *ret)
{
    const struct json *list = json_get(v, member);
    if (doc_strings(d, v, member, &ret->list, &ret->n) < 0)
        return -1;
    if (ret->n > NAMES_MAX)
        return doc_fail(d, list, member, "must have at most %d names, not %zu", NAMES_MAX, ret->n);
    for (size_t i = 0; i < ret->n; i++)
        if (!*ret->list[i] || strlen(ret->list[i]) > NAME_BYTES)
            return doc_expect(d, &list->items[i], member, "names of 1 to 200 bytes");
    return 0;
}

static bool has_method(struct sosia_engine *e, const char *pattern)
{
    const struct route *row;
    for (const struct dialect *const *d = engine_dialects(e); *d; d++)
        for (size_t i = 0; (row = dialect_row(*d, i)); i++)
            if (fault_name_matches(pattern, row->id))
                return true;
    return false;
}

static bool has_vendor(struct sosia_engine *e, const char *pattern)
{
    for (const struct dialect *const *d = engine_dialects(e); *d; d++)
        if (fault_name_matches(pattern, (*d)->vendor->name))
            return true;
    return false;
}

static int check_names(struct sosia_engine *e, struct doc *d, const struct json *v,
                       const struct budget_limit *l)
{
    for (size_t i = 0; i < l->methods.n; i++)
        if (!has_method(e, l->methods.list[i]))
            return doc_fail(d, &json_get(v, "methods")->items[i], "methods",
                            "there is no method \"%.80s\"", l->methods.list[i]);
    for (size_t i = 0; i < l->vendors.n; i++)
        if (!has_vendor(e, l->vendors.list[i]))
            return doc_fail(d, &json_get(v, "vendors")->items[i], "vendors",
                            "there is no vendor \"%.80s\"", l->vendors.list[i]);
    return 0;
}

static int read_costs(struct sosia_engine *e, struct doc *d, const struct json *v,
                      struct budget_limit *l)
{
    const struct json *costs = json_get(v, "costs");
    if (!costs || costs->type == JSON_NULL)
        return 0;
    if (costs->type != JSON_OBJECT || costs->n > BUDGET_COSTS_MAX)
        return doc_expect(d, costs, "costs", "an object of at most 256 units by method");
    l->costs = arena_calloc(d->arena, costs->n + 1, sizeof *l->costs);
    size_t mark = doc_push(d, "costs", -1);
    for (uint32_t i = 0; i < costs->n && !arena_failed(d->arena); i++) {
        const char *method = costs->members[i].key;
        if (!has_method(e, method))
            return doc_fail(d, &costs->members[i].value, method, "there is no method \"%.80s\"",
                            method);
        l->costs[i].method = method;
        if (doc_int(d, costs, method, 0, UNITS_MAX, 0, &l->costs[i].units) < 0)
            return -1;
    }
    doc_pop(d, mark);
    l->n_costs = costs->n;
    return 0;
}

static int read_limit(struct sosia_engine *e, struct doc *d, const struct json *v,
                      struct budgets *b)
{
    struct budget_limit l = {0};
    const char *about;
    int per;
    bool any = false;
    no_limits(&l);
    if (b->n == BUDGET_LIMITS_MAX)
        return doc_fail(d, v, NULL, "must be at most %d limits, are more", BUDGET_LIMITS_MAX);
    if (doc_object(d, v, budget_limit_members) < 0 || doc_str(d, v, "name", true, &l.name) < 0 ||
        doc_str(d, v, "description", false, &about) < 0 ||
        doc_enum(d, v, "per", pers, PER_WORLD, &per) < 0 ||
        doc_int(d, v, "soft", 1, 100, l.soft, &l.soft) < 0 ||
        read_names(d, v, "methods", &l.methods) < 0 ||
        read_names(d, v, "vendors", &l.vendors) < 0 || read_names(d, v, "actors", &l.actors) < 0 ||
        read_names(d, v, "workflows", &l.workflows) < 0 || check_names(e, d, v, &l) < 0 ||
        read_costs(e, d, v, &l) < 0)
        return -1;
    l.per = (enum budget_per)per;
    for (int m = 0; m < N_METERS; m++) {
        if (read_amount(d, v, meters[m].member, unit_of((enum meter)m), &l.most[m]) < 0)
            return -1;
        any |= l.most[m] >= 0;
    }
    if (!*l.name || strlen(l.name) > NAME_BYTES)
        return doc_expect(d, json_get(v, "name"), "name", "1 to 200 bytes");
    if (!any)
        return doc_fail(d, v, NULL, "must limit something (calls, writes, ...), limits nothing");
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->limits[i].name, l.name) == 0)
            return doc_fail(d, json_get(v, "name"), "name", "there are two limits \"%.80s\"",
                            l.name);
    b->limits[b->n++] = l;
    return 0;
}

static int read_list(struct sosia_engine *e, struct doc *d, const struct json *v, struct budgets *b)
{
    struct doc_items it;
    int64_t version;
    if (doc_object(d, v, budget_document_members) < 0 ||
        doc_int(d, v, "budgets", 1, 1, 1, &version) < 0 ||
        doc_str(d, v, "workflow", false, &b->workflow) < 0 || doc_items(d, v, "limits", &it) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(d, &it)) != NULL;)
        if (read_limit(e, d, one, b) < 0)
            return -1;
    return 0;
}

/* Both spellings of a member mean one thing. */
static int read_either(struct doc *d, const struct json *v, const char *camel, const char *snake,
                       int64_t unit, int64_t *ret)
{
    if (json_get(v, camel) && json_get(v, snake))
        return doc_fail(d, json_get(v, snake), snake, "is there as \"%s\", too", camel);
    return read_amount(d, v, camel, unit, ret) < 0 || read_amount(d, v, snake, unit, ret) < 0 ? -1
                                                                                              : 0;
}

static int read_object(struct doc *d, const struct json *v, struct budgets *b)
{
    struct budget_limit *l = &b->limits[0];
    const char *tenant;
    no_limits(l);
    l->name = "budget";
    if (json_get(v, "max_runtime_seconds") &&
        (json_get(v, "max_runtime_ms") || json_get(v, "maxRuntimeMs")))
        return doc_fail(d, json_get(v, "max_runtime_seconds"), "max_runtime_seconds",
                        "is there in milliseconds, too");
    if (doc_object(d, v, budget_object_members) < 0 ||
        doc_str(d, v, "workflow", false, &b->workflow) < 0 ||
        doc_str(d, v, "tenant_id", false, &tenant) < 0 ||
        read_either(d, v, "maxToolCalls", "max_tool_calls", 1, &l->most[METER_CALLS]) < 0 ||
        read_either(d, v, "maxModelTokens", "max_model_tokens", 1, &l->most[METER_TOKENS]) < 0 ||
        read_either(d, v, "maxRetriesPerTool", "max_retries_per_tool", 1, &l->most[METER_RETRIES]) <
            0 ||
        read_either(d, v, "maxRuntimeMs", "max_runtime_ms", 1000, &l->most[METER_REAL_TIME]) < 0 ||
        read_amount(d, v, "max_runtime_seconds", 1000000, &l->most[METER_REAL_TIME]) < 0 ||
        read_either(d, v, "maxEstimatedCostUsd", "max_estimated_cost_usd", 1000000,
                    &l->most[METER_DOLLARS]) < 0)
        return -1;
    b->n = 1;
    return 0;
}

int budgets_read(struct sosia_engine *e, const char *text, size_t len, const char *name,
                 struct budgets **ret, struct sosia_err *err)
{
    struct budgets *b = calloc(1, sizeof *b);
    const struct json *v;
    struct doc d;
    if (!b)
        return sosia_fail_memory(err);
    arena_init(&b->arena, 0);
    atomic_init(&b->refs, 1);
    char *copy = arena_memdup(&b->arena, text, len);
    b->limits = arena_calloc(&b->arena, BUDGET_LIMITS_MAX, sizeof *b->limits);
    int rc = arena_failed(&b->arena)
                 ? sosia_fail_memory(err)
                 : doc_open(&d, &b->arena, copy, len, name, FAULT_DOC_MAX, &v, err);
    if (rc == 0)
        rc = v->type == JSON_OBJECT && !json_get(v, "budgets") ? read_object(&d, v, b)
                                                               : read_list(e, &d, v, b);
    for (size_t i = 0; rc == 0 && i < b->n; i++)
        b->consequences |=
            b->limits[i].most[METER_RECIPIENTS] >= 0 || b->limits[i].most[METER_REMOVED] >= 0;
    if (rc == 0) {
        b->text = json_to_text(&b->arena, v);
        b->len = strlen(b->text);
        snprintf(b->hash, sizeof b->hash, "%016" PRIx64, (uint64_t)XXH3_64bits(b->text, b->len));
        rc = arena_failed(&b->arena) ? sosia_fail_memory(err) : 0;
    }
    if (rc < 0) {
        budgets_unref(b);
        return -1;
    }
    *ret = b;
    return 0;
}

struct budgets *budgets_ref(struct budgets *b)
{
    if (b)
        atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void budgets_unref(struct budgets *b)
{
    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    arena_done(&b->arena);
    free(b);
}
