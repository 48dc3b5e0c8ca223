/* SPDX-License-Identifier: Apache-2.0 */
/* Callers that wait for a decision instead of being refused (engine/http/hold.h). */
#include "engine/http/hold.h"
#include "engine/http/suspend.h"
#include "engine/send/program.h"
#include "engine/world/engine.h"
#include "guard/action.h"
#include "guard/draft.h"
#include "guard/guard.h"
#include "guard/script.h"

/* One of a tool is asked of its client (mcp/approve.h). One that was rejected is decided, and so is
 * one whose second half is held: what it waited for is over, unless it is a program, whose outcome
 * is kept. */
bool action_waits(const struct call *c, const struct judged *j)
{
    const struct policy *p = j->decision->of->policy;
    return p->wait_us && !(p->asks_client && c->tool) &&
           (!c->outcome || program_suspended(c->resumed)) && !draft_label(c) &&
           strcmp(j->event, "rejected") != 0;
}

/* How long those wait that its policy, if there is one, holds. */
static int64_t wait_of(const struct guard_state *s, const char *policy)
{
    for (size_t i = 0; s && policy && i < s->n; i++)
        if (strcmp(s->policies[i].policy->name, policy) == 0)
            return s->policies[i].policy->wait_us;
    return 0;
}

static int look(struct tx *tx, int64_t action, struct hold *ret)
{
    static struct sql_text q =
        SQL_TEXT("select state, policy, expires_us from guard_action where id = :id");
    sqlite3_stmt *st;
    *ret = (struct hold){.decides_us = US_NEVER};
    int r = TX_ROW(tx, &q, &st, action);
    if (r != 1)
        return r;
    ret->decided = strcmp((const char *)sqlite3_column_text(st, 0), "held") != 0;
    const char *policy = tx_string(tx, st, 1);
    ret->expires_us = sqlite3_column_int64(st, 2);
    sql_done(st);
    if (guard_learn(tx) < 0)
        return -1;
    ret->wait_us = wait_of(guard_state_of(tx), policy);
    return script_next(tx, action, &ret->decides_us);
}

int action_wait(struct call *c, const struct judged *j)
{
    static const struct hold_user user = {.look = look,
                                          .draft = draft_serve,
                                          .anew = call_anew,
                                          .wait = suspend_wait,
                                          .hand_over = call_hand_over};
    if (hold_by(&c->tx, &user) < 0)
        return -1;
    c->suspended = j->draft ? draft_suspends(j->draft) : hold_suspends(j->found.id);
    return 0;
}
