/* SPDX-License-Identifier: Apache-2.0 */
/* Policies read from JSON or YAML. */
#include "guard/policy.h"
#include "engine/base/codec.h"
#include "engine/state/change.h"
#include "grading/sql.h"
#include "guard/reach.h"
#include "guard/script.h"
#include <gnutls/crypto.h>
#include <stdlib.h>

const char *const policy_members[] = {
    "policy",  "name",  "version",   "description", "workflow", "tenant",  "budget", "applies",
    "aliases", "tiers", "otherwise", "approvals",   "rules",    "$schema", NULL};

static const enum effect usual_tiers[] = {EFFECT_ALLOW, EFFECT_ALLOW, EFFECT_ALLOW, EFFECT_APPROVE,
                                          EFFECT_APPROVE};

/* Digests and not tokens, as whoever reads a policy must not be able to use them. */
static int check_digests(struct doc *d, const struct json *v, const struct name_set *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (strlen(s->list[i]) != 64 || strspn(s->list[i], "0123456789abcdef") != 64)
            return doc_fail(d, json_get(v, "token_sha256"), "token_sha256",
                            "must be the SHA-256 of a token, 64 digits of 0 to 9 and a to f, not "
                            "\"%.80s\"",
                            s->list[i]);
    return 0;
}

static int read_applies(struct policy_reader *r, const struct json *top)
{
    static const char *const members[] = {"actor",        "app",      "token",
                                          "token_sha256", "workflow", NULL};
    const struct json *v = json_get(top, "applies");
    struct policy *p = r->p;
    if (!v)
        return 0;
    size_t mark = doc_push(r->d, "applies", -1);
    if (doc_object(r->d, v, members) < 0 ||
        policy_names_read(r, v, "actor", NAMES_ANY, &p->actors) < 0 ||
        policy_names_read(r, v, "app", NAMES_ANY, &p->apps) < 0 ||
        policy_names_read(r, v, "token", NAMES_KINDS, &p->kinds) < 0 ||
        policy_names_read(r, v, "token_sha256", NAMES_ANY, &p->tokens) < 0 ||
        policy_names_read(r, v, "workflow", NAMES_ANY, &p->workflows) < 0 ||
        check_digests(r->d, v, &p->tokens) < 0)
        return -1;
    doc_pop(r->d, mark);
    return v->n ? 0 : doc_fail(r->d, v, "applies", "must have a member, has none");
}

static int read_tiers(struct policy_reader *r, const struct json *top)
{
    const struct json *v = json_get(top, "tiers");
    struct doc *d = r->d;
    if (!v)
        return 0;
    size_t mark = doc_push(d, "tiers", -1);
    if (doc_object(d, v, risk_names) < 0)
        return -1;
    for (int i = 0; risk_names[i]; i++) {
        int effect = (int)r->p->tiers[i];
        if (doc_enum(d, v, risk_names[i], effect_names, effect, &effect) < 0)
            return -1;
        if (effect < EFFECT_ALLOW ||
            (i == RISK_READ && effect != EFFECT_ALLOW && effect != EFFECT_DENY))
            return doc_fail(d, json_get(v, risk_names[i]), risk_names[i],
                            "must be allow%s or deny, not %s",
                            i == RISK_READ ? "" : ", approve, dryRun", effect_names[effect]);
        r->p->tiers[i] = (enum effect)effect;
    }
    doc_pop(d, mark);
    return 0;
}

static int check_ids(struct doc *d, const struct json *list, const struct policy *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(p->rules[i].id, p->rules[k].id) == 0) {
                doc_push(d, "rules", (int64_t)i);
                return doc_fail(d, &list->items[i], "id",
                                "must be another one than that of rules[%zu], both are \"%.80s\"",
                                k, p->rules[i].id);
            }
    return 0;
}

/* Whether a rule matches every call, so that none behind it is ever asked. */
static bool takes_all(const struct policy_rule *r)
{
    return r->effect >= EFFECT_ALLOW && r->effect != EFFECT_APPROVE &&
           r->effect != EFFECT_DRY_RUN && !r->methods.n && !r->tools.n && !r->vendors.n &&
           !r->services.n && !r->actors.n && !r->roles.n && !r->apps.n && !r->scopes.n &&
           !r->risks && !r->arguments && !r->time && !r->outcome && !r->reaches && !r->asks_taint;
}

static bool is_one_of(const struct json *v, const struct json *list)
{
    if (json_same(v, list))
        return true;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        if (json_same(v, &list->items[i]))
            return true;
    return false;
}

#define NAMES_MAX 8 /* of lists that are compared name by name */

/* What holds of a condition of the later rule holds of the earlier one's: both are the same, or
 * names of which that one has all. Long lists must be the same. */
static bool includes(const struct json *earlier, const struct json *later)
{
    if (!later || json_same(later, earlier))
        return later != NULL;
    if ((earlier->type == JSON_ARRAY && earlier->n > NAMES_MAX) || later->type != JSON_ARRAY)
        return earlier->type == JSON_ARRAY && is_one_of(later, earlier);
    bool all = later->n > 0 && later->n <= NAMES_MAX;
    for (uint32_t i = 0; all && i < later->n; i++)
        all = is_one_of(&later->items[i], earlier);
    return all;
}

/* Each condition of the earlier rule is one of the later one as well. */
static bool includes_conditions(const struct json *earlier, const struct json *later)
{
    static const char *const conditions[] = {"outcome", "reaches", "tainted"};
    const struct json *call = json_get(earlier, "call");
    for (size_t i = 0; i < SOSIA_LEN(conditions); i++) {
        const struct json *a = json_get(earlier, conditions[i]),
                          *b = json_get(later, conditions[i]);
        if (a && !(b && json_same(a, b)))
            return false;
    }
    for (uint32_t i = 0; call && call->type == JSON_OBJECT && i < call->n; i++)
        if (!includes(&call->members[i].value,
                      json_get(json_get(later, "call"), call->members[i].key)))
            return false;
    return true;
}

/* Nothing comes to the later rule, as the earlier one decides on it. */
static bool covers(const struct policy *p, const struct json *list, size_t earlier, size_t later)
{
    const struct policy_rule *a = &p->rules[earlier], *b = &p->rules[later];
    if (a->effect < EFFECT_ALLOW || b->effect < EFFECT_ALLOW)
        return false;
    /* Calls that only read are not asked for approval, nor tried. */
    bool writes = a->effect == EFFECT_APPROVE || a->effect == EFFECT_DRY_RUN;
    if (writes && b->effect != EFFECT_APPROVE && b->effect != EFFECT_DRY_RUN)
        return false;
    return includes_conditions(&list->items[earlier], &list->items[later]);
}

static int check_reached(struct doc *d, const struct json *list, const struct policy *p)
{
    for (size_t i = 0; i + 1 < p->n; i++) {
        size_t k = i + 1;
        bool all = takes_all(&p->rules[i]);
        while (!all && k < p->n && !covers(p, list, i, k))
            k++;
        if (k == p->n)
            continue;
        doc_push(d, "rules", (int64_t)k);
        return doc_fail(d, &list->items[k], NULL,
                        "must be a rule that can be reached: \"%.80s\" before it decides on %s",
                        p->rules[i].id, all ? "every call" : "each that this one is about");
    }
    return 0;
}

static int read_rules(struct policy_reader *r, const struct json *top)
{
    const struct json *list;
    struct policy *p = r->p;
    if (doc_list(r->d, top, "rules", &list) < 0)
        return -1;
    if (!list)
        return 0;
    if (list->n > POLICY_RULES_MAX)
        return doc_fail(r->d, list, "rules", "must be at most %d rules, not %u", POLICY_RULES_MAX,
                        list->n);
    p->rules = arena_calloc(&p->arena, list->n + 1, sizeof *p->rules);
    if (arena_failed(&p->arena))
        return sosia_fail_memory(r->d->err);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t mark = doc_push(r->d, "rules", i);
        p->n = i + 1; /* freed with it whatever comes */
        if (policy_rule_read(r, &list->items[i], i, &p->rules[i]) < 0)
            return -1;
        doc_pop(r->d, mark);
    }
    return check_ids(r->d, list, p) < 0 ? -1 : check_reached(r->d, list, p);
}

static int read_full(struct policy_reader *r, const struct json *top)
{
    static const char *const otherwise[] = {"tiers", "allow", "deny", NULL};
    struct policy *p = r->p;
    struct doc *d = r->d;
    const char *text;
    int64_t language;
    int by = OTHERWISE_TIERS;
    if (doc_object(d, top, policy_members) < 0)
        return -1;
    if (!json_get(top, "policy"))
        return doc_fail(d, top, "policy",
                        "must be 1, the version of the language, or the document in the short form "
                        "have \"tools\"; both are missing");
    if (doc_int(d, top, "policy", 1, 1, 1, &language) < 0 ||
        doc_str(d, top, "name", false, &p->name) < 0 ||
        doc_str(d, top, "version", false, &p->version) < 0 ||
        doc_str(d, top, "description", false, &text) < 0 ||
        doc_str(d, top, "workflow", false, &p->workflow) < 0 ||
        doc_str(d, top, "tenant", false, &p->tenant) < 0 ||
        doc_enum(d, top, "otherwise", otherwise, OTHERWISE_TIERS, &by) < 0)
        return -1;
    p->otherwise = (enum otherwise)by;
    p->budget = json_get(top, "budget");
    return policy_aliases_read(r, top) < 0 || read_applies(r, top) < 0 || read_tiers(r, top) < 0 ||
                   read_rules(r, top) < 0 || policy_approvals_read(r, top) < 0
               ? -1
               : 0;
}

static int read_document(struct policy_reader *r, const struct json *top, const char *name)
{
    struct policy *p = r->p;
    struct doc *d = r->d;
    if (top->type != JSON_OBJECT)
        return doc_expect(d, top, NULL, "an object");
    p->plain = !json_get(top, "policy") && json_get(top, "tools");
    if ((p->plain ? policy_plain_read(r, top) : read_full(r, top)) < 0)
        return -1;
    if (!p->version)
        p->version = "";
    if (!p->name)
        p->name = p->workflow ? p->workflow : arena_strdup(d->arena, name);
    if (!*p->name || strlen(p->name) > POLICY_NAME_MAX)
        return doc_fail(d, top, "name", "must have 1 to %d bytes, not %zu", POLICY_NAME_MAX,
                        strlen(p->name));
    return arena_failed(d->arena) ? sosia_fail_memory(d->err) : 0;
}

/* NULL without memory. */
static struct policy *policy_new(const char *text, size_t len)
{
    struct policy *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->refs = 1;
    arena_init(&p->arena, 0);
    p->suite.known = true;
    p->suite.version = "1";
    p->suite.given = policy_variables;
    memcpy(p->tiers, usual_tiers, sizeof p->tiers);
    p->text = arena_memdup(&p->arena, text, len);
    p->len = len;
    uint8_t sum[32];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, text, len, sum) < 0)
        memset(sum, 0, sizeof sum);
    hex_encode(p->hash, sum, sizeof sum);
    return p;
}

int policy_read(const char *text, size_t len, const char *name, struct policy **ret,
                struct sosia_err *err)
{
    struct policy *p = policy_new(text, len);
    const struct json *top;
    struct doc d;
    if (!p)
        return sosia_fail_memory(err);
    struct policy_reader r = {.d = &d, .p = p};
    struct sql_check sql = {0};
    p->suite.sql = &sql;
    int rc = arena_failed(&p->arena)
                 ? sosia_fail_memory(err)
                 : doc_open(&d, &p->arena, p->text, len, name, POLICY_DOC_MAX, &top, err);
    if (rc == 0)
        rc = read_document(&r, top, name);
    if (rc == 0 && arena_failed(&p->arena))
        rc = sosia_fail_memory(err);
    sql_check_done(&sql);
    p->suite.sql = NULL;
    if (rc < 0) {
        policy_unref(p);
        return -1;
    }
    *ret = p;
    return 0;
}

/* Where a member is not known it may be the misspelt one that says whom it is for. */
static int read_scope(struct policy_reader *r, const struct json *top)
{
    return top->type != JSON_OBJECT || doc_object(r->d, top, policy_members) < 0 ||
                   !json_get(top, "policy") || read_applies(r, top) < 0
               ? -1
               : 0;
}

int policy_read_scope(const char *text, size_t len, const char *name, const char *why,
                      struct policy **ret, struct sosia_err *err)
{
    struct policy *p = policy_new(text, len);
    struct sosia_err ignored;
    const struct json *top;
    struct doc d;
    if (!p)
        return sosia_fail_memory(err);
    struct policy_reader r = {.d = &d, .p = p};
    bool known = !arena_failed(&p->arena) &&
                 doc_open(&d, &p->arena, p->text, len, name, POLICY_DOC_MAX, &top, &ignored) == 0 &&
                 read_scope(&r, top) == 0;
    p->name = arena_strdup(&p->arena, name);
    p->version = "";
    p->broken = arena_printf(&p->arena, "the policy can't be read: %s", why);
    p->otherwise = OTHERWISE_DENY;
    bool everybody = !p->actors.n && !p->apps.n && !p->kinds.n && !p->tokens.n && !p->workflows.n;
    if (known && !everybody && !arena_failed(&p->arena)) {
        *ret = p;
        return 1;
    }
    bool failed = arena_failed(&p->arena);
    policy_unref(p);
    return failed ? sosia_fail_memory(err) : 0;
}

struct policy *policy_ref(struct policy *p)
{
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void policy_unref(struct policy *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < p->n && !arena_failed(&p->arena); i++)
        policy_rule_free(&p->rules[i]);
    for (size_t i = 0; i < POLICY_METHODS; i++)
        free(p->methods[i]);
    if (!arena_failed(&p->arena))
        policy_approvals_free(p);
    arena_done(&p->arena);
    free(p);
}
