/* SPDX-License-Identifier: Apache-2.0 */
/* What is held, as a question to a person whose client of the Model Context Protocol can be asked:
 * an approver's, on a session of their own; or, where a policy says so, that of whose call it is.
 */
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "guard/action.h"
#include "guard/guard.h"
#include "identity/app.h"

#define QUESTIONS_MAX 32
#define PART_MAX      4000 /* bytes of the arguments, and of what it would do, that are shown */

struct asking {
    const struct guard_asked *who;
    struct actor actor;
    const char *app; /* client id of the program; "": none */
};

static const struct policy *policy_named(struct tx *tx, const char *name)
{
    const struct guard_state *s = guard_state_of(tx);
    for (size_t i = 0; s && i < s->n; i++)
        if (strcmp(s->policies[i].policy->name, name) == 0)
            return s->policies[i].policy;
    return NULL;
}

/* Whoever made the call is not asked as an approver, and neither is the program that did. */
static bool is_theirs(const struct asking *a, const struct policy *p, const char *actor,
                      const char *app, const char *asked)
{
    bool own = str_eq_nocase(actor, a->actor.handle);
    if (a->who->own)
        return own && p && p->asks_client && !asked && strcmp(app, a->app) == 0;
    if (own || (*app && strcmp(app, a->app) == 0))
        return false;
    return asked ? approver_is(p, asked, a->actor.handle) : approver_has(p, a->actor.handle);
}

static void add_part(struct buf *b, const char *title, const char *text)
{
    size_t len = strlen(text), n = utf8_truncate(text, len, PART_MAX);
    buf_printf(b, "\n%s: %.*s%s", title, (int)n, text, n < len ? " ..." : "");
}

/* Who asks reads nothing of the policy. */
static const char *text_of(struct tx *tx, const struct asking *a, sqlite3_stmt *st)
{
    const char *rule = (const char *)sqlite3_column_text(st, 7);
    const char *why = (const char *)sqlite3_column_text(st, 8);
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "%s asks for %s, which is held for approval as %s.", sqlite3_column_text(st, 1),
               sqlite3_column_text(st, 3), sqlite3_column_text(st, 0));
    if (!a->who->own) {
        buf_printf(&b, "\nPolicy: %s", sqlite3_column_text(st, 4));
        if (rule)
            buf_printf(&b, ", rule %s", rule);
        if (why)
            buf_printf(&b, " (%s)", why);
    }
    add_part(&b, "Arguments", (const char *)sqlite3_column_text(st, 5));
    add_part(&b, "It would do", (const char *)sqlite3_column_text(st, 6));
    const char *text = buf_made(&b, tx->arena);
    return text;
}

static int ask_all(struct tx *tx, const struct asking *a)
{
    static struct sql_text q = SQL_TEXT(
        "select name, actor, app, method, policy, arguments, outcome, rule, why, outcome_hash, "
        "asked from guard_action where state = 'held' and expires_us > :now and held_us <= :now "
        "and (:name is null or name = :name) order by id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, tx->now_us, a->who->action);
    int r = st ? 0 : -1, n = 0;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        const char *policy = (const char *)sqlite3_column_text(st, 4);
        if (n == QUESTIONS_MAX ||
            !is_theirs(a, policy_named(tx, policy), (const char *)sqlite3_column_text(st, 1),
                       (const char *)sqlite3_column_text(st, 2),
                       (const char *)sqlite3_column_text(st, 10)))
            continue;
        const struct guard_question question = {.action = tx_string(tx, st, 0),
                                                .shown = tx_string(tx, st, 9),
                                                .text = text_of(tx, a, st)};
        if (!question.text || arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        a->who->fn(a->who->arg, &question);
        n++;
    }
    return r;
}

/* 1; 0: there is no such person; -1. */
static int know(struct tx *tx, struct asking *a)
{
    struct ident_app app;
    int found = actor_by_id(tx, a->who->actor, &a->actor);
    int known = found > 0 && a->who->app ? app_get(tx, a->who->app, &app) : 0;
    a->app = known > 0 ? app.client_id : "";
    return known < 0 ? -1 : found;
}

int action_questions(struct tx *tx, const struct guard_asked *who)
{
    struct asking a = {.who = who};
    if (guard_learn(tx) < 0)
        return -1;
    const struct guard_state *s = guard_state_of(tx);
    bool any = false;
    for (size_t i = 0; s && i < s->n; i++)
        any |= who->own ? s->policies[i].policy->asks_client
                        : s->policies[i].policy->approvers != NULL;
    int r = any && s->actions ? know(tx, &a) : 0;
    return r > 0 ? ask_all(tx, &a) : r;
}

int action_answered(struct sosia_engine *e, uint64_t world, const struct guard_decision *d,
                    struct sosia_err *err)
{
    struct decision decision = {.action = d->action,
                                .what = d->approves ? "approve" : "reject",
                                .by = d->by,
                                .comment = d->comment,
                                .shown = d->shown,
                                .via = d->own ? VIA_CLIENT : VIA_SESSION};
    return action_decide_in(e, world, &decision, err);
}

/* ---- drafts ---- */

bool action_staged(const struct call *c)
{
    for (size_t i = 0; i < c->judged->n_held; i++)
        if (c->judged->held[i]->staged)
            return true;
    return false;
}

int action_request(struct tx *tx, const struct guard_asked *who, const char **ret)
{
    static struct sql_text q =
        SQL_TEXT("select json_set(request, '$.tool', tool) from guard_action where name = :name "
                 "and actor = :actor and app = :app and json_extract(request, '$.staged')");
    struct asking a = {.who = who};
    sqlite3_stmt *st;
    *ret = NULL;
    int r = know(tx, &a);
    if (r > 0)
        r = TX_ROW(tx, &q, &st, who->action, a.actor.handle, a.app);
    if (r > 0) {
        *ret = tx_string(tx, st, 0);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}
