/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that calls run: the first half of a call puts down a program and is suspended
 * (call_suspend() with program_suspends()), somebody outside of the engine runs it with nothing
 * locked, and the second half takes the outcome, with which it is in the journal: a replay runs
 * nothing. Unlike a delivery it leaves no entry in the outbox, since nothing leaves the world.
 *
 * The text is its handler's own: services/workspace/core/program.h has programs on a workspace.
 */
#ifndef SOSIA_SEND_PROGRAM_H
#define SOSIA_SEND_PROGRAM_H

#include "engine/world/tx.h"
#include "sosia.h"

/* Bytes of an outcome that a journal keeps where it keeps long bodies as their hash. */
#define PROGRAM_KEPT ((size_t)1 << 20)

/* The member of an outcome that has what a held program has asked beside the world, as the guard
 * has written it (struct guard, `beside`). */
#define PROGRAM_BESIDE "beside"

/* Who runs them, outside of the engine. */
struct program_runner {
    /* Runs one, on the thread of who waits for the answer, which holds nothing. era: of the world
     * when it was put down. ret: status 200 and a body, or a status of 0 and an error in words; in
     * the arena. *ret_turn: no other one of the world runs until it is given to finish(), once what
     * came of it is in the world; NULL: it has none. 0, -1 with err. */
    int (*run)(void *arg, uint64_t world, uint64_t era, int64_t program, struct arena *arena,
               struct sosia_outcome *ret, void **ret_turn, struct sosia_err *err);
    void (*finish)(void *arg, void *turn); /* NULL where there are no turns */
    /* Is one of the world's on its way? Of a world 0: of any. Quick. */
    bool (*busy)(void *arg, uint64_t world);
    /* Ends those of a world but for those of this era; PROGRAM_ANY_ERA: all. Of a world 0: of any.
     */
    void (*end)(void *arg, uint64_t world, uint64_t but_era);
    void *arg;
};
#define PROGRAM_ANY_ERA UINT64_MAX
/* Says who it is, while no call is under way; NULL: nobody, as in the beginning. 0, -1. */
int engine_on_program(struct sosia_engine *e, const struct program_runner *runner,
                      struct sosia_err *err);
/* Has one run; where nobody does, the outcome says so. 0, -1. */
int program_perform(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t program,
                    struct arena *arena, struct sosia_outcome *ret, void **ret_turn,
                    struct sosia_err *err);
/* As the runner's. */
void program_finish(const struct sosia_engine *e, void *turn);
bool program_busy(const struct sosia_engine *e, uint64_t world);
void program_stop(const struct sosia_engine *e, uint64_t world, uint64_t but_era);

/* A number for one, of 31 bits, from the world's ids. 0, -1. */
int program_number(struct tx *tx, int64_t *ret_id);
/* Puts one down. 0, -1. */
int program_add(struct tx *tx, int64_t id, const char *text, size_t len);
/* What comes of it is looked at before anything of it is done: it runs beside the world, which it
 * can't change by calls of its own. 0, -1. */
int program_hold(struct tx *tx, int64_t id);
/* The text of one that is to run, in the arena, and whether it is held: 1, 0, -1. */
int program_text(struct tx *tx, int64_t id, const char **ret, size_t *ret_len, bool *ret_held);
/* It has run, since this era of the world. 0; -1, NOT_FOUND: the world went back since. */
int program_end(struct tx *tx, uint64_t era, int64_t id);

/* The number by which a call is suspended for a program, beside those for entries of the outbox,
 * and back; 0: it is not a program's. */
static inline int64_t program_suspends(int64_t id)
{
    return -id;
}
static inline int64_t program_suspended(int64_t number)
{
    return number < 0 ? -number : 0;
}

extern const struct sosia_core program_core; /* every engine has it */

#endif
