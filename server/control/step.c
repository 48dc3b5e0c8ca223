/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "world@step": a world as it was behind an entry of its journal, wherever one is read. It is a
 * fork of that step for as long as the call takes.
 */
#include "engine/base/codec.h"
#include "engine/replay/replay.h"
#include "server/control/operation.h"
#include <string.h>

bool control_split_step(struct control_call *c, const char *name, const char **ret_name,
                        int64_t *ret_step)
{
    const char *at = strrchr(name, '@');
    if (!at || at == name || !at[1] || strlen(at + 1) > 18 ||
        strspn(at + 1, "0123456789") != strlen(at + 1) ||
        parse_i64(at + 1, strlen(at + 1), ret_step) < 0)
        return false;
    *ret_name = arena_memdup(&c->arena, name, (size_t)(at - name));
    return !arena_failed(&c->arena);
}

static bool reads(const struct control_call *c)
{
    return c->op->risk == RISK_READ;
}

int control_find(struct control_call *c, const char *name, uint64_t *ret_world)
{
    const char *whole;
    uint64_t world;
    int64_t step;
    if (sosia_world_find(c->engine, name, ret_world, &c->err) == 0)
        return 0;
    if (c->err.code != SOSIA_E_NOT_FOUND || !control_split_step(c, name, &whole, &step))
        return -1;
    if (sosia_world_find(c->engine, whole, &world, &c->err) < 0)
        return -1;
    c->err = (struct sosia_err){0};
    if (!reads(c))
        return control_fail(c, NULL,
                            "the world must be a whole one here, not a step of it: a fork of a "
                            "step can be written");
    if (control_is_native(c->op)) {
        c->step = step;
        *ret_world = world;
        return 0;
    }
    if (!c->request->on_worker)
        return SERVER_SLOW;
    if (c->n_temporary == SOSIA_LEN(c->temporary))
        return control_fail(c, NULL, "at most %zu steps can be read at once, there are more",
                            SOSIA_LEN(c->temporary));
    const struct sosia_fork_options opt = {.evaluation = true};
    if (replay_fork(c->engine, world, step, &opt, &fork_unlisted, ret_world, &c->err) < 0)
        return -1;
    c->temporary[c->n_temporary++] = *ret_world;
    return 0;
}

void control_forget_steps(struct control_call *c)
{
    struct sosia_err err;
    for (size_t i = 0; i < c->n_temporary; i++)
        sosia_world_drop(c->engine, c->temporary[i], &err);
    c->n_temporary = 0;
}
