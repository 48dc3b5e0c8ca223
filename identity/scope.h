/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of scopes, separated by spaces. What a scope may be called is the vendor's. */
#ifndef SOSIA_IDENTITY_SCOPE_H
#define SOSIA_IDENTITY_SCOPE_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"

/* Is the scope, len bytes of it, one of the list? */
bool scopes_have(const char *list, const char *scope, size_t len);
/* Has the list all that is wanted? */
bool scopes_cover(const char *list, const char *wanted);
/* In the arena; NULL: it would have more than 16 KiB. */
const char *scopes_union(struct arena *a, const char *list, const char *more);
/* The list that somebody wrote, with spaces and commas between scopes; in the arena. */
const char *scopes_written(struct arena *a, const char *text);
/* Adds to a list what it does not have yet. */
void scopes_add(struct buf *list, const char *scope, size_t len);

#endif
