/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The authority of Microsoft's accounts, on login.microsoftonline.com and its other names:
 * OAuth 2.0 and OpenID Connect for the users of a world's tenants, for programs that the world
 * lists. Who signs in proves who it is, with the password of the seed document, a token or a
 * consent link.
 */
#ifndef SOSIA_MICROSOFT_SIGNIN_H
#define SOSIA_MICROSOFT_SIGNIN_H

#include "engine/http/call.h"

extern const struct dialect authority_dialect;
/* graph.microsoft.com/oidc/userinfo */
extern const struct dialect authority_userinfo_dialect;

/* For the core of the directory: credentials of the kind "microsoft". */
extern const char *const authority_credential_kinds[];
int authority_credential(struct tx *tx, const char *kind, const struct actor *actor,
                         const char *base_url, struct buf *out);

/* What a token of the authority's says: for whom it is ("aud"), of which tenant ("tid"). NULL: it
 * does not say it, or is none of the authority's. In the arena. */
const char *authority_claim(struct arena *a, const char *token, const char *name);

/* A signed token that says of a message that this service has sent it, for the app with that client
 * id and the tenant (its id). 0, -1. */
int authority_validation_token(struct tx *tx, const char *client_id, const char *tenant,
                               const char **ret);

#endif
