/* SPDX-License-Identifier: Apache-2.0 */
/* Policies held against calls that were made: what would have been decided, and the least policy
 * that lets them pass. */
#ifndef SOSIA_GUARD_SIMULATE_H
#define SOSIA_GUARD_SIMULATE_H

#include "engine/json/json.h"
#include "sosia.h"

/* Runs a world's own journal again, from its start and beside it, with the policy in place: the
 * entries of that run, a list in the arena. */
int policy_run(struct sosia_engine *e, uint64_t world, const char *policy, size_t len,
               const char *name, struct arena *arena, const struct json **ret_entries,
               struct sosia_err *err);

/* The same in short: {"calls": how many there are, "allowed", "denied", "held", "tried",
 * "decisions":
 * [{"seq", "actor", "method", "target", "decision", "rule", "why"}]}, the last of those that were
 * not just allowed. */
int policy_simulate(struct sosia_engine *e, uint64_t world, const char *policy, size_t len,
                    const char *name, struct sosia_blob *ret_json, struct sosia_err *err);

/* The least policy with which a world's own journal passes: methods, and for those that write whom
 * they reach; {"policy": its text, "methods", "scopes": {"held", "used", "unused"}}. It was proven
 * by running the journal again with it: CONFLICT "notProven", if a call was not allowed then. */
int policy_derive(struct sosia_engine *e, uint64_t world, struct sosia_blob *ret_json,
                  struct sosia_err *err);

/* What the rules of a world keep beside its state: {"policies", "limits", "actions" with their
 * outcomes, "reads" and "marks" with how many values each has, "trouble": as
 * sosia_world_faults_info()}. 0, -1. */
int guard_dump(struct sosia_engine *e, uint64_t world, struct sosia_blob *ret_json,
               struct sosia_err *err);

#endif
