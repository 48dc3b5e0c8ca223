/* SPDX-License-Identifier: Apache-2.0 */
/* Scripted approvers: decisions that a policy makes itself, by rule and by the world's clock, so
 * that tests need nobody. */
#ifndef SOSIA_GUARD_SCRIPT_H
#define SOSIA_GUARD_SCRIPT_H

#include "guard/judge.h"

/* "approvals" of a policy. */
int policy_approvals_read(struct policy_reader *r, const struct json *top);
void policy_approvals_free(const struct policy *p);
/* A new action: who decides on it, and when. 0, -1. */
int script_begin(struct call *c, struct judged *j, const struct policy *p, int64_t id);
/* When a decision on it falls due; *ret stays as it is if none does. 0, -1. */
int script_next(struct tx *tx, int64_t id, int64_t *ret_us);

#endif
