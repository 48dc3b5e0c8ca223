/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A journal runs again on a stage: a stand-in for its world, with the same id, seed of ids and
 * state, whose clock is set to the time of each entry. Nothing leaves it, and nobody finds it.
 */
#ifndef SOSIA_REPLAY_REPLAY_H
#define SOSIA_REPLAY_REPLAY_H

#include "engine/world/engine.h"

struct stage {
    struct sosia_engine *engine;
    struct world world;
    struct arena arena; /* of one entry at a time */
    struct sosia_err *err;
    /* The world's clock as the last entry about it left it; the stage's own is frozen. */
    bool clock_known;
    enum sosia_clock_mode clock_mode;
    int64_t step_us;
};

/* What became of an entry. */
enum staged {
    STAGED_RAN,
    STAGED_HIDDEN, /* it can't be run: what it needs was not kept */
};

/* Sets a stage up at a step, which is taken over; start: what the world goes back to at a reset,
 * which is copied. stage_close() in any case. */
void stage_open(struct stage *s, struct sosia_engine *e, uint64_t id, struct step *step,
                const struct tree *start, struct sosia_err *err);
void stage_close(struct stage *s);
/* Runs an entry. What it leaves in the stage's journal is one entry. -1: the engine has failed, or
 * the entry is none. */
int stage_run(struct stage *s, const char *text, size_t len, enum staged *ret);
/* The entry as it is goes into the journal, without being run. */
int stage_take(struct stage *s, const char *text, size_t len);
/* Fires what was due, and had been fired, before the instant. */
int stage_fire(struct stage *s, int64_t before_us);
/* The clock and the rates of a step that has become the stage's state: as the entries left them. */
void stage_settings(const struct stage *s, struct step *step);
/* The last entry of its journal: borrowed until the next one. */
const char *stage_last(const struct stage *s, size_t *ret_len);

/* Where two entries differ first: a path of members, in the arena, and both values (NULL: not
 * there). False: they are equal. */
bool entries_differ(struct arena *a, const struct json *x, const struct json *y,
                    const char **ret_path, const struct json **ret_x, const struct json **ret_y);

/* An exported journal (JSON Lines). Its name and text are borrowed. */
struct journal_file {
    const char *name, *text;
    size_t len;
    uint64_t world, seed; /* its world's id, and what its ids come from */
    bool has_secret;      /* what else some come from; else those of the world that it runs on */
    struct world_secret secret;
    int64_t from, to; /* the entries behind `from` up to `to` */
};
/* Verified from end to end first: INVALID with the line that is not what was written. name: of the
 * file, in messages; NULL: none. */
int journal_file_open(const char *text, size_t len, const char *name, struct journal_file *ret,
                      struct sosia_err *err);
/* Calls fn for its entries after `after` up to number `last`, until it gives non-zero, and gives
 * that. */
int journal_file_each(const struct journal_file *f, int64_t after, int64_t last,
                      int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg);

/* ---- replay.c ---- */

/* The state after an entry: as it is kept, or run again. step_done(). */
int replay_state(struct sosia_engine *e, uint64_t world, int64_t seq, struct step *ret,
                 struct sosia_err *err);

/* sosia_world_fork_step(), and what the fork gets in the same change; more: NULL: nothing. */
int replay_fork(struct sosia_engine *e, uint64_t world, int64_t step,
                const struct sosia_fork_options *opt, const struct fork_more *more,
                uint64_t *ret_world, struct sosia_err *err);

/* ---- origin.c ---- */

/* The value of the member "origin" of a file's first line: with the state behind entry `from`, or
 * why there is none; without what lets somebody into the world unless asked for its secrets. */
int origin_write(struct sosia_engine *e, uint64_t world, int64_t from, bool secrets,
                 struct json_writer *w, struct sosia_err *err);
/* Makes a world of the state that a file has. INVALID: it has none. */
int origin_open(struct sosia_engine *e, const struct journal_file *f, uint64_t *ret_world,
                struct sosia_err *err);

#endif
