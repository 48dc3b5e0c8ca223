/* SPDX-License-Identifier: Apache-2.0 */
/* Making and revoking tokens inside a transaction; see token.c for what they are. */
#ifndef SOSIA_WORLD_TOKEN_H
#define SOSIA_WORLD_TOKEN_H

#include "engine/base/buf.h"
#include "engine/world/identity.h"

struct token_claims;

/* A token that is signed and not stored. scopes NULL: everything, else at most 256 bytes;
 * expires_us 0: never. */
int token_sign(struct tx *tx, const struct actor *actor, const char *scopes, int64_t expires_us,
               char *ret_token, size_t size);
/* A token that the world stores. seeded: it stands in dumps. */
int token_store(struct tx *tx, const char *value, int64_t actor, const char *scopes,
                int64_t expires_us, bool seeded);
/* The same as the public interface asks for it: the value given, or a random one. */
int token_issue_stored(struct tx *tx, const struct actor *actor,
                       const struct sosia_token_options *opt, int64_t expires_us, char *ret_token,
                       size_t size);
/* A stored token may name its world, so that programs which know no world's URL get there: it ends
 * in '~' and the world's key. Adds that; what stands before makes it unlike others. */
void token_add_world(const struct tx *tx, struct buf *token);
/* The world that such a token names; 0: none. */
uint64_t token_world(const char *token);
/* A mark that nobody can make who doesn't have the engine's secret: what a page of a world carries,
 * so that what comes back is known to come from it. */
#define TOKEN_MARK_LEN 22
void token_mark(const struct tx *tx, const char *text, char ret_mark[TOKEN_MARK_LEN + 1]);
bool token_is_mark(const struct tx *tx, const char *text, const char *mark);
/* claims: what token_read() gave for a signed one; NULL for a stored one. NOT_FOUND if it was not
 * valid any more. */
int token_revoke(struct tx *tx, const char *token, const struct token_claims *claims);

#endif
