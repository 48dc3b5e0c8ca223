/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that judge: each runs on the files of a fork, which is dropped, so that neither the
 * state nor the journal of the world that is judged has any of it. */
#include "engine/base/err.h"
#include "engine/json/json.h"
#include "engine/send/program.h"
#include "engine/world/engine.h"
#include "grading/judge_impl.h"
#include "services/workspace/core/program.h"

#define OUTPUT_KEPT ((size_t)4000) /* bytes of its streams, for who asks why */

/* A world with the state that is judged. */
static int fork_of(struct episode *ep, uint64_t *ret)
{
    struct sosia_engine *e = ep->tx->engine;
    struct world *w = world_take(e, ep->tx->world->id, ep->err);
    if (!w)
        return -1;
    struct step at = {.clock = w->clock,
                      .seed = ep->tx->world->seed,
                      .secret = w->secret,
                      .next_due_us = w->next_due_us,
                      .flags = w->flags};
    const struct world_like like = {.parent = w->id, .ticket = w->ticket};
    tree_fork(&ep->tx->world->now, &at.tree);
    world_drop(w);
    return world_make_at(e, &at, NULL, &like, NULL, ret, ep->err);
}

static int put_down(struct episode *ep, uint64_t fork, struct program_spec *spec)
{
    struct sosia_engine *e = ep->tx->engine;
    struct worker *k = worker_take(e, ep->err);
    struct world *w = k ? world_take(e, fork, ep->err) : NULL;
    struct tx tx;
    int rc = w ? tx_begin(&tx, e, w, k, true, world_now(w), ep->err) : -1;
    if (rc == 0) {
        rc = program_prepare(&tx, spec);
        if (rc < 0)
            tx_rollback(&tx);
        else
            rc = tx_publish(&tx);
    }
    if (w)
        world_drop(w);
    if (k)
        worker_drop(k);
    return rc;
}

/* The end of what it has written: messages before output. */
static const char *said(struct arena *a, const struct json *outcome)
{
    const char *text = json_get_str(outcome, "stderr");
    if (!text || !*text)
        text = json_get_str(outcome, "stdout");
    if (!text)
        return "";
    size_t n = strlen(text), from = n > 300 ? n - 300 : 0;
    while (n && text[n - 1] == '\n')
        n--;
    while (from < n && ((unsigned char)text[from] & 0xc0) == 0x80)
        from++;
    return n > from ? arena_printf(a, ": %.*s", (int)(n - from), text + from) : "";
}

static int read_outcome(struct episode *ep, const struct assertion *a,
                        const struct sosia_outcome *o, struct verdict *v)
{
    const struct json *outcome;
    const struct json_limits limits = {.max_size = (size_t)1 << 30};
    if (o->status != 200)
        return sosia_fail(ep->err, SOSIA_E_PRECONDITION, "noPrograms", NULL, "%s: %.300s", a->place,
                          o->error ? o->error : "the program was not run");
    if (json_parse(ep->kept, o->body, o->body_len, &limits, &outcome, ep->err) < 0)
        return -1;
    int64_t status = json_get_int(outcome, "status", -1);
    const char *failed = json_get_str(outcome, "failed");
    bool timed_out = json_get_true(outcome, "timedOut");
    v->passed = !failed && !timed_out && status == 0;
    if (timed_out)
        v->why = episode_because(ep, "expected status 0, the program has not ended in %lld seconds",
                                 (long long)a->seconds);
    else if (failed)
        v->why = episode_because(ep, "the program must leave files as a workspace has them: %.200s",
                                 failed);
    else if (!v->passed)
        v->why = episode_because(ep, "expected status 0, found %lld%s", (long long)status,
                                 said(ep->kept, outcome));
    return 0;
}

int episode_judge_program(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    struct program_spec spec = {.argv = a->argv,
                                .input = a->input ? a->input : "",
                                .input_len = a->input ? strlen(a->input) : 0,
                                .timeout_ms = a->seconds * 1000,
                                .keep = OUTPUT_KEPT};
    struct sosia_outcome outcome = {0};
    void *turn = NULL;
    uint64_t fork;
    if (!ep->tx) {
        v->why = "there is no state to run a program on";
        return 0;
    }
    struct sosia_engine *e = ep->tx->engine;
    if (fork_of(ep, &fork) < 0)
        return -1;
    int rc = put_down(ep, fork, &spec);
    if (rc == 0)
        rc = program_perform(e, fork, 0, spec.number, ep->kept, &outcome, &turn, ep->err);
    if (rc == 0)
        rc = read_outcome(ep, a, &outcome, v);
    program_finish(e, turn);
    sosia_world_drop(e, fork, NULL);
    return rc;
}
