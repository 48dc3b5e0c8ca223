/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of directories, as answers show them. */
#ifndef SOSIA_WORKSPACE_E2B_ENTRY_H
#define SOSIA_WORKSPACE_E2B_ENTRY_H

#include "services/workspace/e2b/e2b.h"

/* A node that is at a path, as an object; name NULL: of a list. Values that are a type's usual ones
 * are not in it. 0, -1. */
int e2b_write_entry(struct call *c, const char *name, const struct workspace_node *n,
                    const char *absolute);
/* {"entry": ...}, as the call's answer. 0, -1. */
int e2b_answer_entry(struct call *c, const struct workspace_node *n, const char *absolute);

#endif
