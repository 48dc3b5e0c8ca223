/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/script.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "guard/action.h"
#include "guard/guard.h"

#define EXPIRES_USUAL 3600 /* seconds */
#define SCRIPTS_MAX   100
#define SPAN_MAX      (366 * 86400)

const char *const policy_approvals_members[] = {"expires_seconds", "script", NULL};

static int read_one(struct policy_reader *r, const struct json *v, struct policy_script *ret)
{
    static const char *const members[] = {"rule",      "call", "after_seconds", "decide", "comment",
                                          "arguments", NULL};
    static const char *const decisions[] = {"approve", "reject", NULL};
    const struct json *edits = json_get(v, "arguments");
    struct doc *d = r->d;
    int64_t after;
    int decide = -1;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "rule", false, &ret->of) < 0 ||
        doc_str(d, v, "comment", false, &ret->comment) < 0 ||
        doc_int(d, v, "after_seconds", 0, SPAN_MAX, 0, &after) < 0 ||
        doc_enum(d, v, "decide", decisions, -1, &decide) < 0 ||
        policy_call_read(r, v, &ret->rule) < 0)
        return -1;
    if (decide < 0)
        return doc_fail(d, v, "decide", "must be approve or reject, is missing");
    if (edits && (edits->type != JSON_OBJECT || decide == 1))
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
    int64_t seconds = EXPIRES_USUAL;
    size_t mark = doc_push(d, "approvals", -1);
    p->expires_us = seconds * US_PER_SECOND;
    if (!v) {
        doc_pop(d, mark);
        return 0;
    }
    if (doc_object(d, v, policy_approvals_members) < 0 ||
        doc_int(d, v, "expires_seconds", 1, SPAN_MAX, EXPIRES_USUAL, &seconds) < 0 ||
        doc_list(d, v, "script", &list) < 0)
        return -1;
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

/* ---- deciding ---- */

static int decide(struct tx *tx, int64_t id, const struct policy_script *s)
{
    static struct sql_text q = SQL_TEXT("select name from guard_action where id = :id and state = "
                                        "'held' and expires_us > :now");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id, tx->now_us);
    if (r != 1)
        return r; /* somebody was faster */
    const struct decision d = {.action = tx_string(tx, st, 0),
                               .what = s->reject ? "reject" : "approve",
                               .by = "script",
                               .comment = s->comment,
                               .edits = s->edits};
    sql_done(st);
    return action_decide(tx, &d);
}

int script_begin(struct call *c, struct judged *j, const struct policy *p, int64_t id)
{
    for (size_t i = 0; i < p->n_scripts; i++) {
        const struct policy_script *s = &p->scripts[i];
        if (s->of && (!j->decision->rule || strcmp(j->decision->rule->id, s->of) != 0))
            continue;
        if (rule_matches(c, j, &s->rule, true) == MATCH_NO)
            continue;
        if (!s->after_us)
            return decide(&c->tx, id, s);
        int64_t at;
        if (__builtin_add_overflow(c->tx.now_us, s->after_us, &at))
            at = INT64_MAX;
        /* Which script it was is found again by its place: the policy's name is the action's. */
        return due_add(&c->tx, at, guard_core.name, "decide", id << 8 | (int64_t)i);
    }
    return 0;
}

int action_due(struct tx *tx, const char *kind, int64_t ref)
{
    static struct sql_text q = SQL_TEXT("select policy, hash from guard_action where id = :id");
    struct guard_state *s;
    sqlite3_stmt *st;
    (void)kind;
    int r = TX_ROW(tx, &q, &st, ref >> 8);
    if (r != 1)
        return r;
    const char *name = tx_string(tx, st, 0), *hash = tx_string(tx, st, 1);
    sql_done(st);
    if (guard_learn(tx) < 0)
        return -1;
    s = guard_state_of(tx);
    for (size_t i = 0; s && i < s->n; i++) {
        const struct policy *p = s->policies[i].policy;
        size_t at = (size_t)(ref & 255);
        /* Another policy by now has not said what this one said. */
        if (strcmp(p->name, name) == 0 && strcmp(p->hash, hash) == 0 && at < p->n_scripts)
            return decide(tx, ref >> 8, &p->scripts[at]);
    }
    return 0;
}
