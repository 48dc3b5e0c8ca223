/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of vendors/google/signin only. */
#ifndef SOSIA_IDENTITY_GOOGLE_INTERNAL_H
#define SOSIA_IDENTITY_GOOGLE_INTERNAL_H

#include "identity/oauth.h"
#include "identity/page.h"
#include "vendors/google/signin/oauth.h"

/* How long things live, and what tokens look like. */
extern const struct oauth_style google_style;
#define OAUTH_SECTION "oauth_clients"
/* For a seed document of Google's: tokens whose programs the world knows. */
int oauth_credential(struct tx *tx, const char *kind, const struct actor *actor,
                     const char *base_url, struct buf *out);
extern const char *const oauth_credential_kinds[];

/* ---- scope.c: lists of scopes, separated by spaces ---- */

/* Each once, in Google's long names. -1: one is not a scope, ret_bad names it. */
int oauth_scopes_normal(struct arena *a, const char *text, const char **ret, const char **ret_bad);
/* What a person who agrees to the list grants: the address and the profile bring openid along. */
const char *oauth_scopes_granted(struct arena *a, const char *list);
/* The list as the browser brings it back: the short names come before the long ones. */
const char *oauth_scopes_shown(struct arena *a, const char *list);
#define SCOPE_OPENID  "openid"
#define SCOPE_EMAIL   "https://www.googleapis.com/auth/userinfo.email"
#define SCOPE_PROFILE "https://www.googleapis.com/auth/userinfo.profile"
/* The scopes of the call's own token, as far as services here know them; or all of them. */
const char *oauth_scopes_of_call(struct call *c);
const char *oauth_scopes_all(struct call *c);

/* The label of the key that signs id_tokens. */
#define KEY_OF_SERVER "google id tokens"

/* ---- answer.c ---- */

extern const struct front google_oauth_front;
/* The value of a parameter, of a form body before the query; NULL: not given. oauth_form() reads
 * the body first. */
int oauth_form(struct call *c);
const char *oauth_param(struct call *c, const char *name);
/* Answers with the error that the service has for a fault of identity/; for faults that are the
 * same everywhere. -1, or 0 where the answer must keep what was done. */
int oauth_fail(struct call *c, int fault);
/* Answers with an error but keeps what the handler did: a failure would undo it. Gives 0. */
int oauth_refuse(struct call *c, int status, const char *error, const char *description);
const char *oauth_issuer(struct call *c);

/* ---- id_token.c ---- */

struct id_token {
    const char *client_id, *nonce, *access_token; /* NULL: none */
    const char *scopes;
    const char *audience; /* NULL: the client */
};
/* A JWT that says who it is, in the arena; signed with the server's key. 0, -1. */
int oauth_id_token(struct call *c, const struct actor *who, const struct id_token *in,
                   const char **ret_jwt);

/* ---- methods: rows in the files of their handlers ---- */

extern const struct rows oauth_consent_rows, oauth_token_rows, oauth_device_rows, oauth_info_rows,
    oauth_api_rows;
/* A row of the sign-in's own front. */
#define OPEN(name, way, where, what, danger, text)                                                 \
    {                                                                                              \
        .id = (name), .verbs = (way), .paths = PATHS(where), .handler = (what), .risk = (danger),  \
        .anonymous = true, .secret = true, .body = BODY_RAW, .summary = (text)                     \
    }

/* Any of them lets a token read the profile. */
#define PROFILE_SCOPES SCOPE_OPENID " " SCOPE_EMAIL " " SCOPE_PROFILE

/* The grant of a device, of the method for tokens. */
int oauth_token_device(struct call *c, const struct ident_app *client);
/* Makes an access token and writes the answer of the token endpoint. */
struct oauth_issue {
    const struct ident_app *client;
    const struct actor *who;
    const char *scopes;
    int64_t grant;                     /* 0: none */
    const char *refresh_token, *nonce; /* NULL: none */
    const char *access_token;          /* filled */
};
int oauth_write_tokens(struct call *c, struct oauth_issue *issue);
/* Whether a form that came back has its mark, and comes from a page of this server's if the browser
 * says where it comes from. 1; 0: answered with a page. */
int oauth_form_is_ours(struct call *c, const char *about);
/* People to choose from, as radio buttons. */
int oauth_people(struct call *c, struct buf *b, const char *chosen);

#endif
