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

/* A service of Microsoft's whose methods make calls to Graph on behalf of who has a token for it.
 */
struct authority_service {
    const char *const *names; /* as tokens are asked for: its id and its address; NULL-terminated */
    const char *scope;        /* that a token must have */
};
/* For the front of such a service, as its `caller`: is the token for it, with its scope? One for
 * Graph is good too, and those of the control interface. A token for the service has, from then on,
 * the permissions for Graph that its app was given, as its parts have. 0, -1. */
int authority_serve(struct call *c, const struct authority_service *s);
/* For Graph's: the token is for the service that makes this call of its own; it gets what its app
 * was given for Graph. 0, -1. */
int authority_on_behalf(struct call *c);
/* For whom the token of a call is; NULL: it is not one of the authority's. In the arena. */
const char *authority_audience(const struct call *c);

/* What a token of the authority's says: for whom it is ("aud"), of which tenant ("tid"). NULL: it
 * does not say it, or is none of the authority's. In the arena. */
const char *authority_claim(struct arena *a, const char *token, const char *name);

/* A signed token that says of a message that this service has sent it, for the app with that client
 * id and the tenant (its id). 0, -1. */
int authority_validation_token(struct tx *tx, const char *client_id, const char *tenant,
                               const char **ret);

#endif
