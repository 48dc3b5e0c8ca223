/* SPDX-License-Identifier: Apache-2.0 */
/* The member "approvals" of policies: how long an action is held, who decides, scripts. */
#include "engine/text/civil.h"
#include "guard/script.h"
#include "engine/base/codec.h"

#define EXPIRES_USUAL 3600 /* seconds */
#define SCRIPTS_MAX   100
#define SPAN_MAX      (366 * 86400)
#define WAIT_MAX      86400

const char *const policy_approvals_members[] = {
    "expires_seconds", "wait_seconds", "drafts", "staged", "approver", "approvers", "script", NULL};

const char *const policy_script_members[] = {"rule", "call",    "after_seconds", "by", "decide",
                                             "to",   "comment", "arguments",     NULL};

/* Nobody approves what they ask for. */
static int check_own(struct policy_reader *r, const struct json *v, const struct policy_script *s)
{
    const struct name_set *const sets[] = {&r->p->actors, &s->rule.actors};
    for (size_t k = 0; s->by && k < SOSIA_LEN(sets); k++)
        for (size_t i = 0; i < sets[k]->n; i++)
            if (str_eq_nocase(sets[k]->list[i], s->by))
                return doc_fail(r->d, json_get(v, "by"), "by",
                                "must be another than whose calls it decides on, not \"%.80s\"",
                                s->by);
    return 0;
}

/* {class: [name]}. */
static int read_approvers(struct policy_reader *r, const struct json *v)
{
    const struct json *classes = json_get(v, "approvers");
    struct doc *d = r->d;
    if (!classes)
        return 0;
    if (classes->type != JSON_OBJECT || classes->n > SCRIPTS_MAX)
        return doc_expect(d, classes, "approvers", "an object of at most 100 lists of names");
    size_t mark = doc_push(d, "approvers", -1);
    for (uint32_t i = 0; i < classes->n; i++) {
        const char **list;
        size_t n;
        if (doc_strings(d, classes, classes->members[i].key, &list, &n) < 0)
            return -1;
        if (!n || classes->members[i].value.type != JSON_ARRAY)
            return doc_expect(d, &classes->members[i].value, classes->members[i].key,
                              "a list of names");
    }
    doc_pop(d, mark);
    r->p->approvers = classes;
    return 0;
}

static int read_one(struct policy_reader *r, const struct json *v, struct policy_script *ret)
{
    static const char *const decisions[] = {"approve", "reject", "escalate", NULL};
    const struct json *edits = json_get(v, "arguments");
    struct doc *d = r->d;
    int64_t after;
    int decide = -1;
    if (doc_object(d, v, policy_script_members) < 0 || doc_str(d, v, "rule", false, &ret->of) < 0 ||
        doc_str(d, v, "comment", false, &ret->comment) < 0 ||
        doc_str(d, v, "by", false, &ret->by) < 0 || doc_str(d, v, "to", false, &ret->to) < 0 ||
        doc_int(d, v, "after_seconds", 0, SPAN_MAX, 0, &after) < 0 ||
        doc_enum(d, v, "decide", decisions, -1, &decide) < 0 ||
        policy_call_read(r, v, &ret->rule) < 0)
        return -1;
    if (decide < 0)
        return doc_fail(d, v, "decide", "must be approve, reject or escalate, is missing");
    if (!ret->to != (decide != 2) || (ret->to && !*ret->to))
        return doc_fail(d, v, "to",
                        "must be a name where the decision is escalate, and else absent");
    if (check_own(r, v, ret) < 0)
        return -1;
    if (!ret->by)
        ret->by = "script";
    if (edits && (edits->type != JSON_OBJECT || decide))
        return doc_expect(d, edits, "arguments",
                          "an object of values by path, of what is approved");
    ret->reject = decide == 1;
    ret->after_us = after * US_PER_SECOND;
    ret->edits = edits ? json_to_text(d->arena, edits) : NULL;
    for (size_t i = 0; ret->of && i <= r->p->n; i++) {
        if (i == r->p->n)
            return doc_fail(d, json_get(v, "rule"), "rule",
                            "must be the id of a rule of the policy, \"%.80s\" is not", ret->of);
        if (strcmp(r->p->rules[i].id, ret->of) == 0)
            break;
    }
    return 0;
}

int policy_approvals_read(struct policy_reader *r, const struct json *top)
{
    const struct json *v = json_get(top, "approvals"), *list;
    struct policy *p = r->p;
    struct doc *d = r->d;
    static const char *const askers[] = {"others", "client", NULL};
    int64_t seconds = EXPIRES_USUAL, wait;
    int asker = 0;
    size_t mark = doc_push(d, "approvals", -1);
    p->expires_us = seconds * US_PER_SECOND;
    if (!v) {
        doc_pop(d, mark);
        return 0;
    }
    if (doc_object(d, v, policy_approvals_members) < 0 ||
        doc_int(d, v, "expires_seconds", 1, SPAN_MAX, EXPIRES_USUAL, &seconds) < 0 ||
        doc_int(d, v, "wait_seconds", 0, WAIT_MAX, 0, &wait) < 0 ||
        doc_bool(d, v, "drafts", false, &p->drafts) < 0 ||
        doc_bool(d, v, "staged", false, &p->staged) < 0 ||
        doc_enum(d, v, "approver", askers, 0, &asker) < 0 || read_approvers(r, v) < 0 ||
        doc_list(d, v, "script", &list) < 0)
        return -1;
    p->asks_client = asker == 1;
    p->wait_us = wait * US_PER_SECOND;
    p->expires_us = seconds * US_PER_SECOND;
    if (list && list->n > SCRIPTS_MAX)
        return doc_fail(d, list, "script", "must be at most %d decisions, not %u", SCRIPTS_MAX,
                        list->n);
    p->scripts = arena_calloc(d->arena, list ? list->n + 1 : 1, sizeof *p->scripts);
    for (uint32_t i = 0; list && i < list->n && !arena_failed(d->arena); i++) {
        size_t inner = doc_push(d, "script", i);
        p->n_scripts = i + 1;
        if (read_one(r, &list->items[i], &p->scripts[i]) < 0)
            return -1;
        doc_pop(d, inner);
    }
    doc_pop(d, mark);
    return 0;
}

void policy_approvals_free(const struct policy *p)
{
    for (size_t i = 0; i < p->n_scripts; i++)
        policy_rule_free(&p->scripts[i].rule);
}
