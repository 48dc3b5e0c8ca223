/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on calls, as a service of the engine: policies of worlds (docs/guardrails.md). */
#ifndef SOSIA_GUARD_GUARD_H
#define SOSIA_GUARD_GUARD_H

#include "engine/service.h"

extern const struct guard guard_rules;
extern const struct sosia_core guard_core;
extern const struct sosia_service guard_service;

/* Puts a policy into a world, in the place of one of the same name. In a transaction that writes;
 * name: what messages call the document. 0, -1. */
struct policy;
int policy_put(struct tx *tx, const char *text, size_t len, const char *name);
/* What is known of one, as members of an open object. */
void policy_write(struct json_writer *w, const struct policy *p);

/* An entry of the journal, {"do": "policy"} or {"do": "approval"}, on a locked world. 0, -1. */
struct worker;
int guard_again(struct sosia_engine *e, struct world *w, struct worker *k,
                const struct json *control, struct sosia_err *err);

#endif
