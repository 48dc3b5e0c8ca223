/* SPDX-License-Identifier: Apache-2.0 */
/* The traces of all vendors (engine/api/guide.h). */
#ifndef SOSIA_CONFORMANCE_TRACES_H
#define SOSIA_CONFORMANCE_TRACES_H

#include "engine/api/guide.h"
#include <stdbool.h>
#include <stddef.h>

/* The next vendor's that has any, from *at on (at first 0); NULL: there are no more. */
const struct traces *traces_next(size_t *at);
/* Whether a header is in a vendor's list of that name ("programs"). */
#define traces_header(name, list) traces_header_at(name, offsetof(struct traces, list))
bool traces_header_at(const char *name, size_t list);

/* The list at an offset. */
static inline const char *const *traces_list(const struct traces *t, size_t at)
{
    return *(const char *const *const *)((const char *)t + at);
}

#endif
