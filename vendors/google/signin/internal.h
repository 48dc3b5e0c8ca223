/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of vendors/google/signin only. */
#ifndef SOSIA_IDENTITY_GOOGLE_INTERNAL_H
#define SOSIA_IDENTITY_GOOGLE_INTERNAL_H

#include "vendors/google/signin/oauth.h"

#define OAUTH_CORE       "google_oauth"
#define OAUTH_ACCESS_S   3599 /* life of an access token */
#define OAUTH_CODE_S     600
#define OAUTH_DEVICE_S   1800
#define OAUTH_INTERVAL_S 5 /* between two questions of a device */

/* ---- store.c: the tables ---- */

struct oauth_client {
    int64_t id;
    const char *client_id, *secret, *name, *kind;
    const struct json *redirects; /* array of strings */
    int64_t automatic;            /* actor; 0: nobody */
};

struct oauth_grant {
    int64_t id;
    const char *token;
    int64_t client, actor;
    const char *scopes;
};

struct oauth_access {
    const char *client_id;
    int64_t grant; /* 0: from no refresh token */
    const char *scopes;
};

struct oauth_code {
    int64_t id;
    const char *code;
    int64_t client, actor;
    const char *scopes, *redirect, *challenge, *nonce;
    const char *used_token; /* NULL: not used yet */
    bool plain, offline;
    int64_t expires_us;
};

struct oauth_device {
    int64_t id;
    const char *code, *user_code;
    int64_t client;
    const char *scopes;
    int64_t actor; /* 0: nobody yet */
    bool denied;
    int64_t polled_us, expires_us;
};

struct service_account {
    int64_t id;
    struct actor actor;
    const char *client_id, *key_id, *public_key, *delegation;
};

/* 1 found, 0 not, -1. Texts are in the arena. */
int oauth_client_find(struct tx *tx, const char *client_id, struct oauth_client *ret);
int oauth_client_get(struct tx *tx, int64_t id, struct oauth_client *ret);
int oauth_grant_find(struct tx *tx, const char *token, struct oauth_grant *ret);
int oauth_code_find(struct tx *tx, const char *code, struct oauth_code *ret);
/* By the device's code or, if that is NULL, the user's. */
int oauth_device_find(struct tx *tx, const char *code, const char *user_code,
                      struct oauth_device *ret);
int service_account_find(struct tx *tx, const char *email, struct service_account *ret);
/* What the actor has agreed to with this client: NULL for nothing. */
int oauth_consent_get(struct tx *tx, int64_t client, int64_t actor, const char **ret_scopes);
int oauth_consent_set(struct tx *tx, int64_t client, int64_t actor, const char *scopes);

/* New ones; tokens and codes come from the world's id streams. */
int oauth_access_new(struct tx *tx, const char *client_id, int64_t grant, int64_t actor,
                     const char *scopes, const char **ret_token);
int oauth_grant_new(struct tx *tx, int64_t client, int64_t actor, const char *scopes,
                    struct oauth_grant *ret);
int oauth_code_new(struct tx *tx, struct oauth_code *code);       /* fills id, code, expires_us */
int oauth_device_new(struct tx *tx, struct oauth_device *device); /* codes too */
int oauth_code_used(struct tx *tx, int64_t id, const char *token);
int oauth_device_decide(struct tx *tx, int64_t id, int64_t actor, bool denied);
int oauth_device_polled(struct tx *tx, int64_t id);
int oauth_device_forget(struct tx *tx, int64_t id);
/* What an access token was made from. 1, 0, -1. */
int oauth_access_find(struct tx *tx, const char *token, struct oauth_access *ret);
/* Ends a grant and every access token made from it. */
int oauth_grant_revoke(struct tx *tx, int64_t id);
/* Ends all that the actor has agreed to with this client: grants, access tokens, the consent. */
int oauth_consent_end(struct tx *tx, int64_t client, int64_t actor);
/* Whose consent an access token comes from. 1, 0: nobody's (a service account has it), -1. */
int oauth_access_consent(struct tx *tx, const char *token, int64_t *ret_client, int64_t *ret_actor);
/* Ends an access token, and the grant that it was made from. 1, 0: there is no such token, -1. */
int oauth_access_revoke(struct tx *tx, const char *token);
/* The newest refresh token of an actor. */
int oauth_grant_of(struct tx *tx, int64_t actor, struct oauth_grant *ret);
int oauth_credential(struct tx *tx, const char *kind, const struct actor *actor,
                     const char *base_url, struct buf *out);
int oauth_due(struct tx *tx, const char *kind, int64_t ref);

/* ---- scope.c: lists of scopes, separated by blanks ---- */

/* Each once, in Google's long names. -1: one is no scope, ret_bad names it. */
int oauth_scopes_normal(struct arena *a, const char *text, const char **ret, const char **ret_bad);
bool oauth_scopes_have(const char *list, const char *scope, size_t len);
bool oauth_scopes_cover(const char *list, const char *wanted);
const char *oauth_scopes_union(struct arena *a, const char *list, const char *more);
/* What a person who agrees to the list grants: the address and the profile bring openid along. */
const char *oauth_scopes_granted(struct arena *a, const char *list);
/* The list as the browser brings it back: the short names stand before the long ones. */
const char *oauth_scopes_shown(struct arena *a, const char *list);
#define SCOPE_OPENID  "openid"
#define SCOPE_EMAIL   "https://www.googleapis.com/auth/userinfo.email"
#define SCOPE_PROFILE "https://www.googleapis.com/auth/userinfo.profile"
/* The scopes of the call's own token, as far as services here know them. */
const char *oauth_scopes_of_call(struct call *c);

/* ---- key.c: RSA ---- */

/* Keys are made from labels, the same everywhere: they sign what stands for test identities and are
 * no secret. */
#define KEY_ID_LEN 40
int oauth_key_id(const char *label, char ret_id[KEY_ID_LEN + 1], struct sosia_err *err);
/* Signs a JWT with the key of that label. */
int oauth_jwt_sign(struct arena *a, const char *label, const char *claims, size_t len,
                   const char **ret_jwt, struct sosia_err *err);
/* Reads a JWT: header, claims, and what was signed. -1: it is none. */
struct jwt {
    const struct json *header, *claims;
    const char *signed_text;
    size_t signed_len;
    const uint8_t *signature;
    size_t signature_len;
};
int oauth_jwt_read(struct arena *a, const char *text, struct jwt *ret);
/* RS256 with a PEM public key, or with the key of a label. */
bool oauth_jwt_verify(const struct jwt *jwt, const char *pem, const char *label);
/* Modulus and exponent as base64url. */
int oauth_key_public(struct arena *a, const char *label, const char **ret_n, const char **ret_e,
                     struct sosia_err *err);
/* PEM texts: a self-signed certificate, the private key. */
int oauth_key_certificate(struct arena *a, const char *label, const char **ret_pem,
                          struct sosia_err *err);
int oauth_key_private(struct arena *a, const char *label, const char **ret_pem,
                      struct sosia_err *err);
/* Is this a PEM public key that can be used? */
bool oauth_key_usable(const char *pem);
#define KEY_OF_SERVER "google id tokens"

/* ---- answer.c ---- */

extern const struct front google_oauth_front;
/* The value of a parameter, of a form body before the query; NULL: not given. oauth_form() reads
 * the body first. */
int oauth_form(struct call *c);
const char *oauth_param(struct call *c, const char *name);
/* Answers with an error but keeps what the handler did: a failure would undo it. Gives 0. */
int oauth_refuse(struct call *c, int status, const char *error, const char *description);
const char *oauth_issuer(struct call *c);
/* Sends the browser on. */
int oauth_redirect(struct call *c, const char *location);
/* A page: title and body as HTML. */
int oauth_page(struct call *c, int status, const char *title, const char *body);
void html_add(struct buf *b, const char *text);

/* ---- id_token.c ---- */

struct id_token {
    const char *client_id, *nonce, *access_token; /* NULL: none */
    const char *scopes;
    const char *audience; /* NULL: the client */
};
/* A JWT that says who it is, in the arena; signed with the server's key. 0, -1. */
int oauth_id_token(struct call *c, const struct actor *who, const struct id_token *in,
                   const char **ret_jwt);

/* ---- handlers ---- */

/* One a row of routes.c; oauth_token() hands its grants on. */
int oauth_auth(struct call *c);
int oauth_approve(struct call *c);
int oauth_token(struct call *c);
int oauth_device_code(struct call *c);
int oauth_device_page(struct call *c);
int oauth_device_approve(struct call *c);
int oauth_token_device(struct call *c, const struct oauth_client *client);
int oauth_revoke(struct call *c);
int oauth_tokeninfo(struct call *c);
int oauth_tokeninfo_v1(struct call *c);
int oauth_tokeninfo_v2(struct call *c);
int oauth_userinfo(struct call *c);
int oauth_userinfo_v2(struct call *c);
int oauth_configuration(struct call *c);
int oauth_certs(struct call *c);
int oauth_certs_pem(struct call *c);
/* Makes an access token and writes the answer of the token endpoint. */
struct oauth_issue {
    const char *client_id;
    const struct actor *who;
    const char *scopes;
    int64_t grant;                     /* 0: none */
    const char *refresh_token, *nonce; /* NULL: none */
    const char *access_token;          /* filled */
};
int oauth_write_tokens(struct call *c, struct oauth_issue *issue);
/* The mark of a form that only a page of this server has, for the client or whatever else the form
 * is about. */
void oauth_mark_form(struct call *c, struct buf *b, const char *about);
/* Whether a form that came back has its mark, and comes from a page of this server's if the browser
 * says where it comes from. 1; 0: answered with a page. */
int oauth_form_is_ours(struct call *c, const char *about);
/* People to choose from, as radio buttons. */
int oauth_people(struct call *c, struct buf *b, const char *chosen);

#endif
