/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens that the engine signs. Nothing is stored for them: a token is a prefix, which gives it the
 * shape that a vendor's programs expect, and in its last segment a record that names world, actor,
 * app, kind, scopes and life, signed together with the prefix. So it leads to its world by itself,
 * whatever it looks like, and a prefix can't be exchanged for another one.
 */
#ifndef SOSIA_HTTP_TOKEN_H
#define SOSIA_HTTP_TOKEN_H

#include "engine/http/principal.h"
#include "sosia.h"

struct buf;

#define TOKEN_PREFIX     "sosia_" /* of tokens in no vendor's shape */
#define TOKEN_MAX_SCOPES 256      /* bytes of scopes in a signed token */

/* What a genuine token says. */
struct token_claims {
    char text[SOSIA_TOKEN_MAX];
    size_t len;
    uint64_t world;
    int64_t actor, app;   /* app 0: none */
    uint32_t actor_check; /* token_check() of the actor's handle */
    enum token_kind kind;
    int64_t issued_us, expires_us; /* 0: never */
    uint64_t nonce;
    struct scopes scopes;
};

/* Is it an engine's token, and whose? 1: claims filled; 0: it is none; -1: it begins like one but
 * is not genuine. */
int token_read(struct sosia_engine *e, struct worker *k, const char *text, size_t len,
               const struct token_claims **ret_claims);

struct token_grant {
    const struct actor *actor;
    int64_t app; /* 0: none */
    enum token_kind kind;
    const char *scopes; /* at most TOKEN_MAX_SCOPES bytes; NULL: everything */
    int64_t expires_us; /* 0: never */
};
/* Signs a token for the transaction's world, in a vendor's shape: "xapp-1-A0123-" gives
 * "xapp-1-A0123-...". What follows the prefix is letters and digits, so that it is the last segment
 * whatever separates them. -1: TOO_LARGE (scopes, or no room), INTERNAL, INVALID: a prefix has
 * visible ASCII only and ends with a character that is neither letter nor digit. */
int token_sign_shaped(struct tx *tx, const char *prefix, const struct token_grant *grant,
                      char *ret_token, size_t size);
/* A signed token taken apart, to make others of it that say the same in other worlds. */
struct token_form {
    void *mac; /* with the engine's secret; NULL: the form is empty */
    size_t prefix_len, len;
    uint8_t text[SOSIA_TOKEN_MAX]; /* what is signed: the prefix, and the record with its scopes */
};
/* Of a token that the engine has just signed; the arena is for what is needed meanwhile. */
int token_form_init(struct token_form *f, const struct sosia_engine *e, struct arena *a,
                    const char *token, struct sosia_err *err);
void token_form_done(struct token_form *f);
/* Signs it for this world, at a time and until another one (0: for ever). As token_sign_shaped().
 */
int token_form_sign(struct token_form *f, uint64_t world, int64_t now_us, int64_t expires_us,
                    char *ret_token, size_t size, struct sosia_err *err);

/* What a record keeps of a handle, so that a token is not good for whoever has the actor's number
 * later. */
uint32_t token_check(const char *handle);
/* Reads a list of scopes, separated by spaces; those that no row names give nothing. */
void scopes_read(const struct sosia_engine *e, const char *text, size_t len, struct scopes *ret);

/* A stored token may name its world, so that programs which know no world's URL get there: it ends
 * in '~' (letters: in 'w', so that its last segment is letters and digits) and the world's key.
 * Adds that; what precedes it makes the token unlike others. */
void token_add_world(const struct tx *tx, struct buf *token, bool letters);
/* The world that such a token names; 0: none. */
uint64_t token_world(const char *token);

/* A mark that nobody can make who doesn't have the engine's secret: what a page of a world carries,
 * so that what comes back is known to come from it. "" where text is longer than a token. */
#define TOKEN_MARK_LEN 22
void token_mark(const struct tx *tx, const char *text, char ret_mark[TOKEN_MARK_LEN + 1]);
bool token_is_mark(const struct tx *tx, const char *text, const char *mark);

#endif
