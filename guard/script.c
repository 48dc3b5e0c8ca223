/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/script.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "engine/world/take.h"
#include "guard/action.h"
#include "guard/guard.h"

static int decide(struct tx *tx, int64_t id, const struct policy *p, const struct policy_script *s)
{
    static struct sql_text q = SQL_TEXT("select name, asked from guard_action where id = :id and "
                                        "state = 'held' and expires_us > :now");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id, tx->now_us);
    if (r != 1)
        return r; /* somebody was faster */
    const struct decision d = {.action = tx_string(tx, st, 0),
                               .what = s->to       ? "escalate"
                                       : s->reject ? "reject"
                                                   : "approve",
                               .to = s->to,
                               .by = s->by,
                               .comment = s->comment,
                               .edits = s->edits};
    const char *asked = tx_string(tx, st, 1);
    sql_done(st);
    /* It may be with others by now. */
    return asked && !approver_is(p, asked, s->by) ? 0 : action_decide(tx, &d);
}

/* The script's next decision on what is held, from that place on, by one of those who may; its
 * place, or that behind the last. */
static size_t next_script(struct call *c, struct judged *j, const struct policy *p, size_t from,
                          const char *asked)
{
    for (size_t i = from; i < p->n_scripts; i++) {
        const struct policy_script *s = &p->scripts[i];
        if (s->of && (!j->decision->rule || strcmp(j->decision->rule->id, s->of) != 0))
            continue;
        if (asked && !approver_is(p, asked, s->by))
            continue;
        if (!str_eq_nocase(s->by, c->actor.handle) &&
            rule_is_of_method(&s->rule, c->dialect, c->route) &&
            rule_matches(c, j, &s->rule, true) != MATCH_NO)
            return i;
    }
    return p->n_scripts;
}

int script_begin(struct call *c, struct judged *j, const struct policy *p, int64_t id)
{
    int64_t at = c->tx.now_us;
    const char *asked = NULL;
    bool later = false;
    for (size_t i = 0; (i = next_script(c, j, p, i, asked)) < p->n_scripts; i++) {
        const struct policy_script *s = &p->scripts[i];
        if (__builtin_add_overflow(at, s->after_us, &at))
            at = INT64_MAX;
        later = later || s->after_us;
        /* Which script it was is found again by its place: the policy's name is the action's. */
        if ((later ? due_add(&c->tx, at, "guard", "decide", id << 8 | (int64_t)i)
                   : decide(&c->tx, id, p, s)) < 0)
            return -1;
        if (!s->to)
            break;
        asked = s->to;
    }
    return 0;
}

int script_next(struct tx *tx, int64_t id, int64_t *ret_us)
{
    static struct sql_text q =
        SQL_TEXT("select at_us from due where core = 'guard' and kind = 'decide' and ref between "
                 ":first and :last order by at_us limit 1");
    return TX_TAKE(tx, TX_QUERY(tx, &q, id << 8, id << 8 | 255), ret_us) < 0 ? -1 : 0;
}

int action_due(struct tx *tx, const char *kind, int64_t ref)
{
    static struct sql_text q = SQL_TEXT("select policy, hash from guard_action where id = :id");
    struct guard_state *s;
    (void)kind;
    const char *name, *hash;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, ref >> 8), &name, &hash);
    if (r != 1)
        return r;
    if (guard_learn(tx) < 0)
        return -1;
    s = guard_state_of(tx);
    for (size_t i = 0; s && i < s->n; i++) {
        const struct policy *p = s->policies[i].policy;
        size_t at = (size_t)(ref & 255);
        /* Another policy by now has not said what this one said. */
        if (strcmp(p->name, name) == 0 && strcmp(p->hash, hash) == 0 && at < p->n_scripts)
            return decide(tx, ref >> 8, p, &p->scripts[at]);
    }
    return 0;
}
