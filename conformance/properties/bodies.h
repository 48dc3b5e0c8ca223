/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of generated calls. They draw from rule_random. */
#ifndef SOSIA_CONFORMANCE_PROPERTIES_BODIES_H
#define SOSIA_CONFORMANCE_PROPERTIES_BODIES_H

#include "conformance/properties/properties.h"

/* JSON texts, in the arena. A new event with this id. *ret_rule: its rule, if it has one that can
 * be checked (in the arena), else NULL. */
const char *body_insert(struct arena *a, const char *id, uint32_t number,
                        const struct rule **ret_rule);
const char *body_import(struct arena *a, const char *uid, uint32_t number, enum person who);
/* *ret_rule stays as it is unless the recurrence is changed; `timed` is set if start and end are.
 */
const char *body_patch(struct arena *a, uint32_t number, bool master, const struct rule **ret_rule,
                       bool *ret_timed);
const char *body_put(struct arena *a, uint32_t number, const struct rule **ret_rule);
/* Of an instance that starts at this time (as the service gave it). */
const char *body_patch_instance(struct arena *a, uint32_t number, const struct json *instance);
const char *body_answer(struct arena *a, enum person who);
const char *body_calendar(struct arena *a, uint32_t number);
const char *body_entry(struct arena *a, uint32_t number);

#endif
