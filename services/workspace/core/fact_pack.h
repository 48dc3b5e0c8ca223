/* SPDX-License-Identifier: Apache-2.0 */
/* Objects in git's packs. */
#ifndef SOSIA_WORKSPACE_FACT_PACK_H
#define SOSIA_WORKSPACE_FACT_PACK_H

#include "services/workspace/core/workspace.h"

/* The beginning of a commit or tag in the packs below the directory ".git", behind "commit" or
 * "tag", a space and a NUL: 1, in the arena of the transaction; 0 it is in none, or cannot be read;
 * -1. id: hexadecimal digits. */
int pack_read(struct tx *tx, const char *git, const char *id, size_t most, const char **ret,
              size_t *ret_len);

#endif
