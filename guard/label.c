/* SPDX-License-Identifier: Apache-2.0 */
/* The action that a call names in its label: one that was held before. */
#include "guard/action.h"
#include "guard/draft.h"

const char *action_labelled(struct call *c)
{
    if (!draft_is(c, DRAFT_ASK) && !draft_is(c, DRAFT_COMMIT))
        return NULL;
    return arena_printf(c->tx.arena, "act_%s", draft_label(c) + sizeof DRAFT_COMMIT - 1);
}

int action_token(struct call *c, const char **ret)
{
    static struct sql_text q =
        SQL_TEXT("select token from guard_action where name = :name and actor = :actor");
    const char *name = action_labelled(c);
    sqlite3_stmt *st;
    int r = name ? TX_ROW(&c->tx, &q, &st, name, c->actor.handle) : 0;
    if (r == 1) {
        *ret = tx_string(&c->tx, st, 0);
        sql_done(st);
    }
    return r;
}
