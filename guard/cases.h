/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a policy: calls, and what is to be decided on each. */
#ifndef SOSIA_GUARD_CASES_H
#define SOSIA_GUARD_CASES_H

#include "sosia.h"

struct cases_options {
    /* Makes the world that a document of cases names. 0, -1. */
    int (*fixture)(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err);
    void *arg;
};

/* Makes each call of the cases (JSON or YAML: docs/guardrails.md) in a fork of its own with the
 * policy, and gives what was decided: {"cases": [{"id", "call", "decision", "rule", "why",
 * "status", "expected", "good"}], "good": how many, "bad"}. INVALID with the line. */
int policy_cases(struct sosia_engine *e, const char *policy, size_t policy_len,
                 const char *policy_name, const char *cases, size_t len, const char *name,
                 const struct cases_options *opt, struct sosia_blob *ret_json, bool *ret_good,
                 struct sosia_err *err);

#endif
