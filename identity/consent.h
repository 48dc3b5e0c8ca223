/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consents that have to be proven. There are no passwords in a world, so that the page of a program
 * that its document lists takes anybody's word for who he is. Programs that came by themselves get
 * no such word: clients that have registered (where the world lets them), apps that were made or
 * changed by their manifests, and those whose document asks for it (struct ident_app, proven). Who
 * agrees has a token of his own, or a link that the control interface made for him.
 */
#ifndef SOSIA_IDENTITY_CONSENT_H
#define SOSIA_IDENTITY_CONSENT_H

#include "engine/http/call.h"
#include "identity/oauth.h"

/* ---- registration ---- */

/* May programs register? As the world's document says, and never in an evaluation. 1, 0, -1. */
int consent_registration(struct tx *tx);
int consent_seed_setting(struct tx *tx, struct doc *doc, const struct json *value);
int consent_dump_setting(struct tx *tx, struct json_writer *w);

/* Puts a client that registers into the world and fills its id. Of those that nobody has agreed to
 * the newest hundred stay. CONFLICT: the client id is taken. */
int consent_register(struct tx *tx, struct ident_app *app);
/* Somebody has agreed to the app, or has given it something: it does not give way to others any
 * more. */
int consent_registered_used(struct tx *tx, int64_t app);

/* ---- proof ---- */

struct consent_proof {
    struct actor who;
    int64_t link; /* that proves it, and is used up by the consent; 0: his token does */
};
/* Who has proven in this call who he is: with a token of his own, not one of a program, that has
 * each of the scopes (separated by spaces or commas), or with a link, which comes as the argument
 * CONSENT_LINK or the cookie of that name. 1, 0 nobody, -1. */
int consent_proof(struct call *c, const char *scopes, struct consent_proof *ret);
/* The person has agreed: a link is not good any more. */
int consent_proof_used(struct tx *tx, const struct consent_proof *proof);
/* On a page: who it is, or a field for his link. */
void consent_show(struct buf *b, const struct consent_proof *proof, bool proven);

/* ---- links ---- */

#define CONSENT_LINK "sosia_link"
#define CONSENT_DUE  "link" /* kind of what falls due of a link */

/* A new one, from the world's ids; of a person the newest ten are good. ret_secret: what it proves
 * it with. INVALID: the actor is of another kind. */
int consent_link_new(struct tx *tx, const struct actor *actor, int64_t expires_us,
                     const char **ret_secret);
/* Whom it is for, of one that is still good. 1, 0, -1. */
int consent_link_find(struct tx *tx, const char *secret, struct consent_proof *ret,
                      int64_t *ret_expires_us);
int consent_link_drop(struct tx *tx, int64_t id);

#endif
