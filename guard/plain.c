/* SPDX-License-Identifier: Apache-2.0 */
/* The short form of a policy: names of tools, and for each whether it is allowed and whether
 * somebody must approve. Everything else is not allowed. */
#include "engine/base/codec.h"
#include "guard/policy.h"
#include "guard/script.h"

static const char *const members[] = {"$schema",
                                      "workflow",
                                      "tenant_id",
                                      "version",
                                      "policy_version",
                                      "name",
                                      "description",
                                      "aliases",
                                      "max_runtime_seconds",
                                      "max_tool_calls",
                                      "max_model_tokens",
                                      "max_retries_per_tool",
                                      "max_runtime_ms",
                                      "max_estimated_cost_usd",
                                      "maxToolCalls",
                                      "maxModelTokens",
                                      "maxRetriesPerTool",
                                      "maxRuntimeMs",
                                      "maxRuntimeSeconds",
                                      "maxEstimatedCostUsd",
                                      "budget",
                                      "tools",
                                      NULL};

/* The words of the form, by the tiers that they mean. */
static const char *const risks[] = {"read",           "draft",       "write",
                                    "external_write", "destructive", NULL};

static enum effect effect_of(const struct policy *p, bool said, bool allowed, bool approval,
                             int risk)
{
    if (said && !allowed)
        return EFFECT_DENY;
    if (approval)
        return EFFECT_APPROVE;
    return said || risk < 0 ? EFFECT_ALLOW : p->tiers[risk];
}

static int read_tool(struct policy_reader *r, const char *name, const struct json *v,
                     struct policy_rule *rule)
{
    static const char *const of[] = {"risk", "allowed", "approval_required", "description", NULL};
    struct doc *d = r->d;
    const char **list = arena_calloc(d->arena, 1, sizeof *list), *text;
    bool allowed, approval, tool;
    int risk;
    rule->id = name;
    rule->line = doc_line(d, v);
    if (doc_object(d, v, of) < 0 || doc_enum(d, v, "risk", risks, -1, &risk) < 0 ||
        doc_bool(d, v, "allowed", true, &allowed) < 0 ||
        doc_bool(d, v, "approval_required", false, &approval) < 0 ||
        doc_str(d, v, "description", false, &text) < 0 ||
        policy_name_resolve(r, v, name, &tool, list) < 0)
        return -1;
    if (!*name || strlen(name) > POLICY_NAME_MAX)
        return doc_fail(d, v, NULL, "must have a name of 1 to %d bytes, not of %zu",
                        POLICY_NAME_MAX, strlen(name));
    bool said = json_get(v, "allowed") || json_get(v, "approval_required");
    rule->effect = effect_of(r->p, said, allowed, approval, risk);
    *(tool ? &rule->tools : &rule->methods) = (struct name_set){list, 1};
    rule->description = text;
    return 0;
}

/* Two names of one thing would be two answers to one question. */
static int check_once(struct doc *d, const struct json *tools, const struct policy *p, size_t i)
{
    const struct policy_rule *a = &p->rules[i];
    for (size_t k = 0; k < i; k++) {
        const struct policy_rule *b = &p->rules[k];
        if ((a->tools.n && b->tools.n && strcmp(*a->tools.list, *b->tools.list) == 0) ||
            (a->methods.n && b->methods.n && strcmp(*a->methods.list, *b->methods.list) == 0))
            return doc_fail(d, &tools->members[i].value, NULL,
                            "must be named once, \"%.80s\" and \"%.80s\" are the same", b->id,
                            a->id);
    }
    return 0;
}

int policy_plain_read(struct policy_reader *r, const struct json *top)
{
    const struct json *tools = json_get(top, "tools");
    struct policy *p = r->p;
    struct doc *d = r->d;
    const char *text;
    if (doc_object(d, top, members) < 0 || doc_str(d, top, "workflow", false, &p->workflow) < 0 ||
        doc_str(d, top, "tenant_id", false, &p->tenant) < 0 ||
        doc_str(d, top, "name", false, &p->name) < 0 ||
        doc_str(d, top, "description", false, &text) < 0 ||
        doc_str(d, top, "version", false, &p->version) < 0 ||
        (!p->version && doc_str(d, top, "policy_version", false, &p->version) < 0) ||
        policy_aliases_read(r, top) < 0)
        return -1;
    if (tools->type != JSON_OBJECT || tools->n > POLICY_RULES_MAX)
        return doc_expect(d, tools, "tools",
                          "an object of {risk, allowed, approval_required} by "
                          "name, of 1000 at most");
    p->otherwise = OTHERWISE_DENY;
    p->budget = top;
    p->rules = arena_calloc(&p->arena, tools->n + 1, sizeof *p->rules);
    if (arena_failed(&p->arena))
        return sosia_fail_memory(d->err);
    size_t mark = doc_push(d, "tools", -1);
    for (uint32_t i = 0; i < tools->n; i++) {
        size_t inner = doc_push(d, tools->members[i].key, -1);
        p->n = i + 1;
        if (read_tool(r, tools->members[i].key, &tools->members[i].value, &p->rules[i]) < 0 ||
            check_once(d, tools, p, i) < 0)
            return -1;
        doc_pop(d, inner);
    }
    doc_pop(d, mark);
    return policy_approvals_read(r, top);
}
