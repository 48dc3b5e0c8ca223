/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google's sign-in: OAuth 2.0 (codes with PKCE, refresh tokens, devices, service accounts) and
 * OpenID Connect, for the people of a world. Access tokens are tokens of the world with the granted
 * scopes; they end by its clock.
 */
#ifndef SOSIA_IDENTITY_GOOGLE_OAUTH_H
#define SOSIA_IDENTITY_GOOGLE_OAUTH_H

#include "engine/http/call.h"
#include "identity/identity.h"

extern const struct sosia_core google_oauth_core;
/* The endpoints of accounts.google.com and oauth2.googleapis.com, and the OAuth2 API v2 of
 * www.googleapis.com. */
extern const struct dialect google_oauth_dialect, google_oauth2_dialect;

/* Is the call's token one that a person's program was given, and no service account's that acts for
 * the person, nor one of sosia's own for everything? 1, 0, -1. */
int google_oauth_is_person(struct call *c);

/* The number that stands for a person in tokens and profiles: 21 digits. */
const char *google_user_id(struct arena *a, const char *email);
/* The same of an actor: as the world's accounts say, or else made of its address. */
const char *google_subject(struct tx *tx, const struct actor *who);

#endif
