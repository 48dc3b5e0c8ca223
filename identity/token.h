/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that a world stores, and what was revoked of those that it doesn't; whom both stand for is
 * what the identity's resolver says. */
#ifndef SOSIA_IDENTITY_TOKEN_H
#define SOSIA_IDENTITY_TOKEN_H

#include "engine/base/buf.h"
#include "engine/http/token.h"
#include "identity/identity.h"

struct ident_token {
    int64_t id;
    const char *value;
    int64_t actor;
    int64_t app;     /* 0: none */
    int64_t service; /* the service account that it was issued to; 0: none */
    int64_t account; /* 0: none is named */
    int64_t grant;   /* the refresh token it was made from; 0: none */
    enum token_kind kind;
    const char *scopes; /* NULL: everything */
    int64_t expires_us; /* 0: never */
    bool seeded;        /* is in dumps */
};

/* The words of seed documents for the bits, in their order; NULL-terminated. */
extern const char *const token_kind_names[];
const char *token_kind_name(enum token_kind kind);
/* The kind of an actor's token that says none. */
enum token_kind token_kind_of(const struct actor *actor);

/* Puts it into the world; one of the same value gives way. ret_id may be NULL. 0, -1. */
int ident_token_store(struct tx *tx, const struct ident_token *token, int64_t *ret_id);
/* 1, 0, -1; strings are in the arena. */
int ident_token_find(struct tx *tx, const char *value, struct ident_token *ret);
/* One without an end that an app has for an actor, for that account. 1, 0, -1. */
int ident_token_of(struct tx *tx, int64_t app, int64_t actor, int64_t account, enum token_kind kind,
                   struct ident_token *ret);
/* claims: what token_read() gave for a signed one; NULL for a stored one. NOT_FOUND if it was not
 * valid any more. */
int ident_token_revoke(struct tx *tx, const char *value, const struct token_claims *claims);
/* The first remembers that a secret is not good any more, the second asks whether it is: 1, 0, -1.
 * The secret itself is not kept. */
int ident_revoked_add(struct tx *tx, const char *secret);
int ident_revoked_has(struct tx *tx, const char *secret);

/* Are two secrets equal? Takes the same time wherever they differ. */
bool ident_same_secret(const char *a, const char *b);

extern const struct resolver identity_resolver;

#endif
