/* SPDX-License-Identifier: Apache-2.0 */
/* Writing files whose place has been looked for. */
#ifndef SOSIA_WORKSPACE_WRITE_H
#define SOSIA_WORKSPACE_WRITE_H

#include "services/workspace/core/workspace.h"

/* As workspace_write(). before: what workspace_find() gave of the path; NULL: nothing is there. */
int workspace_replace(struct tx *tx, const char *path, const struct workspace_node *before,
                      const void *data, size_t len, struct workspace_node *ret);

#endif
