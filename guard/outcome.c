/* SPDX-License-Identifier: Apache-2.0 */
/* The consequences of a call held against rules: what its transaction has changed so far, in the
 * terms that suites have for it. */
#include "grading/episode.h"
#include "guard/judge.h"
#include "guard/reach.h"

#define WORK   50000000            /* steps of expressions, for all that a rule asks */
#define SQL_NS INT64_C(1000000000) /* of a processor */

int outcome_open(struct call *c, struct judged *j)
{
    if (j->opened)
        return 0;
    j->opened = true;
    return changes_open_here(&c->tx, &j->touched, &j->changes);
}

static struct row *rows_of(struct changes *list)
{
    struct row *rows = arena_calloc(&list->arena, list->n + 1, sizeof *rows);
    for (size_t i = 0; i < list->n && !arena_failed(&list->arena); i++) {
        const struct change *c = &list->list[i];
        rows[i] = (struct row){.kind = c->kind,
                               .entity = c->entity->name,
                               .services = {c->service, c->core->name},
                               .from = c->from,
                               .to = c->to,
                               .change = c,
                               .consequence = c->cause >= 0};
    }
    return rows;
}

/* All of the assertions hold. What takes too many steps holds: nothing gets by for being costly. */
static int assertions_hold(struct call *c, struct judged *j, const struct task *task,
                           const struct variables *variables)
{
    struct changes *list = &j->changes;
    struct predicate_work work = {.left = WORK};
    struct arena asking;
    struct tx tx = c->tx;
    arena_init(&asking, list->room);
    tx.arena = &list->arena;
    struct episode ep = {.task = task,
                         .c = {.arena = &asking, .work = &work, .variables = *variables},
                         .kept = &list->arena,
                         .err = c->tx.err,
                         .rows = rows_of(list),
                         .n = list->n,
                         .tx = &tx,
                         .silent = true,
                         .sql_ns = SQL_NS};
    ep.guard = arena_calloc(&list->arena, task->n_numbered + 1, sizeof *ep.guard);
    bool *covered = arena_calloc(&list->arena, list->n + 1, sizeof *covered);
    int holds = arena_failed(&list->arena) ? sosia_fail_memory(c->tx.err) : 1;
    for (size_t i = 0; holds == 1 && i < task->n_assertions; i++) {
        struct verdict v;
        if (episode_judge(&ep, &task->assertions[i], &v, covered) < 0)
            holds = -1;
        else
            holds = v.passed || v.cut;
    }
    if (holds >= 0 && (ep.failed || arena_failed(&asking)))
        holds = sosia_fail_memory(c->tx.err);
    arena_done(&asking);
    return holds;
}

int outcome_reach(struct call *c, struct judged *j)
{
    if (outcome_open(c, j) < 0)
        return -1;
    if (!j->facts && !(j->facts = reach_of(c, &j->changes)))
        return c->tx.err->code ? -1 : sosia_fail_memory(c->tx.err);
    return 0;
}

int outcome_holds(struct call *c, struct judged *j, const struct policy_rule *rule)
{
    const char *domain = reach_domain(c->actor.email);
    const struct json values[] = {
        {.type = JSON_STRING, .n = (uint32_t)strlen(c->actor.email), .str = c->actor.email},
        {.type = JSON_STRING, .n = (uint32_t)strlen(domain), .str = domain}};
    const struct variable list[] = {{"actor", &values[0]}, {"domain", &values[1]}};
    const struct variables variables = {.list = list, .n = SOSIA_LEN(list)};
    if (outcome_open(c, j) < 0)
        return -1;
    if (rule->reaches) {
        struct predicate_work work = {.left = WORK};
        struct predicate_context context = {
            .arena = &j->changes.arena, .work = &work, .variables = variables};
        if (outcome_reach(c, j) < 0)
            return -1;
        if (!conditions_hold(&context, rule->reaches, j->facts) && !work.cut)
            return 0;
    }
    return rule->outcome ? assertions_hold(c, j, rule->outcome, &variables) : 1;
}
