/* SPDX-License-Identifier: Apache-2.0 */
/* What callers of the public interface give: pointers that must not be NULL, and structs that begin
 * with their size, so that they can grow. */
#ifndef SOSIA_BASE_TAKEN_H
#define SOSIA_BASE_TAKEN_H

#include "engine/base/err.h"

/* 0; -1 with INVALID: p is NULL. name: of the argument. */
int taken_pointer(const void *p, const char *name, struct sosia_err *err);

/*
 * A caller's struct, of its first release or of a later one, as this library knows it: members that
 * it does not have are zero. NULL: all are zero. -1: INVALID "structSize".
 *
 * A struct grows by members at its end that lie behind what was its whole size (where it ended in
 * padding, the first new member is preceded by a reserved one that fills it), and its number below
 * stays.
 */
int taken_struct(void *to, size_t known, const void *from, size_t first, const char *name,
                 struct sosia_err *err);

#define TAKEN(type, to, from, err)                                                                 \
    taken_struct((to), sizeof(struct type), (from), FIRST_##type, "struct " #type, (err))

/* Their sizes in the first release. */
enum {
    FIRST_sosia_engine_options = 128,
    FIRST_sosia_world_options = 80,
    FIRST_sosia_fork_options = 64,
    FIRST_sosia_diff_options = 16,
    FIRST_sosia_grade_options = 40,
    FIRST_sosia_token_options = 64,
    FIRST_sosia_request = 104,
    FIRST_sosia_journal_query = 64,
    FIRST_sosia_replay_options = 88,
    FIRST_sosia_outcome = 64,
    FIRST_sosia_session_calls = 24,
    FIRST_sosia_explore_options = 40,
    FIRST_sosia_transfer = 48
};

#endif
