/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_MCP_WORDS_H
#define SOSIA_MCP_WORDS_H

#include "engine/base/arena.h"

/* The words of a command as Python's shlex.split() finds them: quotes and backslashes as a POSIX
 * shell has them, and nothing else of one. In the arena, NULL-terminated. NULL: *ret_why says what
 * is wrong, or there is no memory. */
const char *const *words_split(struct arena *a, const char *text, const char **ret_why);

#endif
