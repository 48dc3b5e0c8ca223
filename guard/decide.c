/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions on what is held, and who may make them. */
#include "engine/base/codec.h"
#include "engine/http/hold.h"
#include "engine/world/engine.h"
#include "guard/action.h"
#include "guard/guard.h"

/* What a decision is about. */
struct about {
    int64_t id, held_us, expires_us;
    const char *state, *actor, *policy;
    const char *asked; /* NULL: anybody may decide */
    const char *shown; /* hash of what it would do */
};

static int row_of(struct tx *tx, const char *name, struct about *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, state, expires_us, actor, policy, asked, "
                 "held_us, outcome_hash from guard_action where name = :name");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, name);
    if (r == 0)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "actionNotFound", "action",
                       "the world has no pending action \"%.40s\"", name);
    if (r < 0)
        return -1;
    *ret = (struct about){.id = sqlite3_column_int64(st, 0),
                          .state = tx_string(tx, st, 1),
                          .expires_us = sqlite3_column_int64(st, 2),
                          .actor = tx_string(tx, st, 3),
                          .policy = tx_string(tx, st, 4),
                          .asked = tx_string(tx, st, 5),
                          .held_us = sqlite3_column_int64(st, 6),
                          .shown = tx_string(tx, st, 7)};
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

bool approver_is(const struct policy *p, const char *asked, const char *by)
{
    const struct json *list = p && p->approvers ? json_get(p->approvers, asked) : NULL;
    if (!list)
        return str_eq_nocase(asked, by);
    for (uint32_t i = 0; i < list->n; i++)
        if (str_eq_nocase(list->items[i].str, by))
            return true;
    return false;
}

bool approver_has(const struct policy *p, const char *name)
{
    const struct json *all = p ? p->approvers : NULL;
    for (uint32_t i = 0; all && i < all->n; i++)
        if (approver_is(p, all->members[i].key, name))
            return true;
    return false;
}

static const struct policy *policy_of(struct tx *tx, const char *name)
{
    const struct guard_state *s = guard_state_of(tx);
    for (size_t i = 0; s && i < s->n; i++)
        if (strcmp(s->policies[i].policy->name, name) == 0)
            return s->policies[i].policy;
    return NULL;
}

/* By an answer of a client: of one that is an approver's, or of whose call it is, where the policy
 * has said so. */
static bool is_via(const struct decision *d, const struct policy *p, const struct about *a)
{
    if (strcmp(d->via, VIA_CLIENT) == 0)
        return p && p->asks_client && d->by && !a->asked && str_eq_nocase(d->by, a->actor);
    return a->asked || (d->by && approver_has(p, d->by));
}

/* Who asked never decides, but where a policy lets their own client be asked; and of what was
 * handed on only those whom it was handed to do. */
static int check_who(struct tx *tx, const struct decision *d, const struct about *a)
{
    bool own = d->by && str_eq_nocase(d->by, a->actor),
         client = d->via && !strcmp(d->via, VIA_CLIENT);
    if ((a->asked || d->via) && guard_learn(tx) < 0)
        return -1;
    const struct policy *p = a->asked || d->via ? policy_of(tx, a->policy) : NULL;
    bool via = d->via && is_via(d, p, a);
    if (own && !(client && via))
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "ownAction", "by",
                       "the action must be decided by another than %.80s, who asked", a->actor);
    if (d->via && !via)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "notAsked", "by",
                       "the action must be decided by one of its approvers, not %.80s",
                       d->by ? d->by : "without a name");
    if (!a->asked || (d->by && approver_is(p, a->asked, d->by)))
        return 0;
    return tx_fail(tx, SOSIA_E_FORBIDDEN, "notAsked", "by",
                   "the action must be decided by %.80s, not %.80s", a->asked,
                   d->by ? d->by : "without a name");
}

static int hand_on(struct tx *tx, const struct decision *d, const struct about *a)
{
    static struct sql_text q = SQL_TEXT("update guard_action set asked = :to, comment = "
                                        "coalesce(:comment, comment) where id = :id");
    return TX_RUN(tx, &q, d->to, d->comment, a->id);
}

int action_decide(struct tx *tx, const struct decision *d)
{
    static struct sql_text q = SQL_TEXT(
        "update guard_action set state = :state, edits = coalesce(:edits, edits), "
        "decided_us = :now, decided_by = :by, via = :via, comment = :comment where id = :id");
    struct about a;
    if (row_of(tx, d->action, &a) < 0)
        return -1;
    if (strcmp(a.state, "held") != 0)
        return tx_fail(tx, SOSIA_E_CONFLICT, "decided", "action",
                       "the action must be held, \"%.40s\" is %s", d->action, a.state);
    /* A clock that was set back makes nothing younger. */
    if (a.expires_us <= tx->now_us || a.held_us > tx->now_us)
        return tx_fail(tx, SOSIA_E_CONFLICT, "expired", "action",
                       "the action's time must not be over, that of \"%.40s\" is", d->action);
    if (check_who(tx, d, &a) < 0)
        return -1;
    if (d->shown && strcmp(d->shown, a.shown) != 0)
        return tx_fail(tx, SOSIA_E_CONFLICT, "shown", "action",
                       "the action must be what was shown, \"%.40s\" would do something else now",
                       d->action);
    if (strcmp(d->what, "escalate") == 0)
        return hand_on(tx, d, &a);
    hold_wake(tx->engine, tx->world->id);
    return TX_RUN(tx, &q, strcmp(d->what, "reject") == 0 ? "rejected" : "approved", d->edits,
                  tx->now_us, d->by, d->via, d->comment, a.id);
}
