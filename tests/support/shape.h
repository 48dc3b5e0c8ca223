/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an answer is what the row of its method says that it is. */
#ifndef SOSIA_TESTS_SHAPE_H
#define SOSIA_TESTS_SHAPE_H

#include "tests/support/answer.h"
#include "engine/api/vendor.h"

/* What in an answer is not as the schema says, as "items[0].id must be a string, not 5": a member
 * that the schema does not have, a value of another type, a required member that is missing. part:
 * only some members were asked for. In the arena; NULL: nothing. */
const char *shape_fault(struct arena *a, const struct dialect *d, const struct schema *s,
                        const struct json *v, bool part);
/* The same of what a request (its host NULL: none) has led to; NULL too where the answer has no
 * schema, or is a refusal. */
const char *shape_fault_of(struct arena *a, const struct sosia_engine *engine,
                           const struct sosia_request *r, const struct json *answer);

#endif
