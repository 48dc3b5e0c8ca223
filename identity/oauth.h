/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OAuth 2.0 for every vendor: codes with PKCE (RFC 6749, 7636), refresh tokens, devices (RFC 8628),
 * assertions of service accounts (RFC 7523), the end of tokens (RFC 7009), and what a token was
 * made from (RFC 7662). A vendor's sign-in brings paths, parameters, pages and the words of its
 * errors; here is what is granted, and why not. Access tokens are tokens of the world with the
 * granted scopes; they end by its clock.
 */
#ifndef SOSIA_IDENTITY_OAUTH_H
#define SOSIA_IDENTITY_OAUTH_H

#include "identity/app.h"
#include "identity/jwt.h"
#include "identity/scope.h"
#include "identity/token.h"

struct doc;

/* How secrets of a kind are made: `bytes` of a stream of ids behind a prefix. */
struct oauth_secret {
    const char *stream, *prefix;
    size_t bytes;
    bool names_world; /* so that it leads to its world by itself */
    bool letters;     /* a letter or digit for each byte, where programs look at the shape */
};

/* How a vendor's sign-in looks and how long what it gives out lives. */
struct oauth_style {
    const char *vendor;  /* of apps that the world learns of by it */
    const char *section; /* of seed documents that they are written in */
    struct oauth_secret access, refresh, code, device;
    const char *user_codes;             /* stream of the codes that people enter */
    int64_t access_s, code_s, device_s; /* lives */
    int64_t interval_s;                 /* between two questions of a device */
};

/* Why something is not granted. Functions below give 0, one of these, or -1 with tx->err filled. */
enum oauth_fault {
    OAUTH_UNKNOWN_APP = 1,
    OAUTH_NO_SECRET, /* it has one, and none was sent */
    OAUTH_BAD_SECRET,
    OAUTH_UNKNOWN_CODE,   /* never issued, expired, or another app's */
    OAUTH_USED_CODE,      /* what was made of it has been ended: the answer must not undo that */
    OAUTH_OTHER_REDIRECT, /* than the code was asked for with */
    OAUTH_NEEDLESS_VERIFIER,
    OAUTH_NO_VERIFIER,
    OAUTH_BAD_VERIFIER,
    OAUTH_NOBODY, /* the actor is gone */
    OAUTH_UNKNOWN_GRANT,
    OAUTH_OTHER_APP, /* the grant is another app's */
    OAUTH_UNKNOWN_DEVICE,
    OAUTH_EXPIRED,
    OAUTH_DENIED,
    OAUTH_PENDING,   /* nobody has decided yet; that the device asked is kept */
    OAUTH_SLOW_DOWN, /* the same, and it asked too soon */
    OAUTH_UNKNOWN_SERVICE,
    OAUTH_BAD_ALGORITHM,
    OAUTH_BAD_SIGNATURE,
    OAUTH_BAD_TIMES,
    OAUTH_UNKNOWN_SUBJECT,
    OAUTH_NO_DELEGATION
};

/* A new secret of a kind, from the world's ids; NULL fails. */
const char *oauth_secret_new(struct tx *tx, const struct oauth_secret *how);

/* ---- open and listed worlds ---- */

/* May programs sign in that the world does not know? As its document or the engine says. 1, 0, -1.
 */
int oauth_is_open(struct tx *tx);
int oauth_seed_setting(struct tx *tx, struct doc *doc, const struct json *value);
int oauth_dump_setting(struct tx *tx, struct json_writer *w);
/* Of rows that a file brought: INVALID for an open world in an engine that has none. 0, -1. */
int oauth_check_setting(struct tx *tx);

/* ---- apps ---- */

/* The vendor's app with this client id, or one of no vendor; an open world learns of one that it
 * does not know, if the transaction may write. 0, OAUTH_UNKNOWN_APP, -1. */
int oauth_app(struct tx *tx, const struct oauth_style *style, const char *client_id,
              struct ident_app *ret);
/* The same, and checks the app's secret. */
int oauth_authenticate(struct tx *tx, const struct oauth_style *style, const char *client_id,
                       const char *secret, struct ident_app *ret);
/* "Basic ..." of an Authorization header (RFC 6749, 2.3.1). 1: filled; 0: the field has another
 * scheme; -1: malformed (tx->err is not filled). */
int oauth_basic(struct arena *a, const char *authorization, const char **ret_id,
                const char **ret_secret);

/* ---- consent ---- */

/* What the actor has agreed to with this app: NULL for nothing. */
int oauth_consent_get(struct tx *tx, int64_t app, int64_t actor, const char **ret_scopes);
/* The actor has agreed to these too. LIMIT: together they are too many. */
int oauth_consent_add(struct tx *tx, int64_t app, int64_t actor, const char *scopes);
/* Ends all that the actor has agreed to with this app: grants, access tokens, the consent. */
int oauth_consent_end(struct tx *tx, int64_t app, int64_t actor);

/* ---- access tokens ---- */

struct oauth_access {
    int64_t app, service; /* to whom: one of them */
    int64_t grant;        /* 0: from no refresh token */
    const struct actor *who;
    const char *scopes;   /* NULL: everything */
    enum token_kind kind; /* 0: a user's for an app, else that of the actor */
    int64_t account;      /* that it is for; 0: none is named */
    bool lasting;         /* it has no end, and is in dumps */
    const char *value;    /* of one that is made already, and names itself; NULL: a new one */
};
/* A new one, from the world's ids. */
int oauth_access_new(struct tx *tx, const struct oauth_style *style,
                     const struct oauth_access *access, const char **ret_token);
/* What a token that OAuth issued was made from, and the client id of who has it. 1, 0: it issued no
 * such token, -1. */
int oauth_access_find(struct tx *tx, const char *token, struct ident_token *ret,
                      const char **ret_client_id);
/* Ends an access token, and the grant that it was made from. 1, 0: there is no such token, -1. */
int oauth_access_revoke(struct tx *tx, const char *token);
/* Ends one that is stored, and remembers that it was good. 1, 0: there is no such token, -1. */
int oauth_access_end(struct tx *tx, const char *token);
/* Ends all tokens of an app that are for accounts of a vendor's tenant. */
int oauth_tenant_end(struct tx *tx, int64_t app, const char *vendor, const char *tenant);
/* Are there such tokens? 1, 0, -1. */
int oauth_tenant_has(struct tx *tx, int64_t app, const char *vendor, const char *tenant);

/* ---- refresh tokens ---- */

struct oauth_grant {
    int64_t id;
    const char *token;
    int64_t app, actor;
    const char *scopes;
    int64_t made_us;  /* when it was issued; 0: not known */
    int64_t ended_us; /* by oauth_grant_end(); 0: it is good */
};
int oauth_grant_new(struct tx *tx, const struct oauth_style *style, int64_t app, int64_t actor,
                    const char *scopes, struct oauth_grant *ret);
/* One that a program has already. CONFLICT: it is known. */
int oauth_grant_add(struct tx *tx, struct oauth_grant *grant);
/* 1, 0, -1. */
int oauth_grant_find(struct tx *tx, const char *token, struct oauth_grant *ret);
int oauth_grant_get(struct tx *tx, int64_t id, struct oauth_grant *ret);
/* The newest of an actor, of those that were issued here or listed. */
int oauth_grant_of(struct tx *tx, int64_t actor, struct oauth_grant *ret);
/* The grant that an app refreshes a token with, and whom it is for. An open world takes a refresh
 * token that it does not know, with the scopes `all`: it acts as the person that the app or the
 * world names, or else the first one. 0, a fault, -1. */
int oauth_grant_use(struct tx *tx, const struct ident_app *app, const char *token, const char *all,
                    struct oauth_grant *ret);
/* Of an actor's grants, the first one behind an id: 1, 0, -1. */
int oauth_grant_next(struct tx *tx, int64_t actor, int64_t after, struct oauth_grant *ret);
/* It is kept as one that was ended now, for vendors that look at ended_us; access
 * tokens that were made from it live on. */
int oauth_grant_end(struct tx *tx, int64_t id);
/* Ends a grant and every access token made from it. */
int oauth_grant_revoke(struct tx *tx, int64_t id);

/* ---- codes ---- */

struct oauth_code {
    int64_t id;
    const char *code;
    int64_t app, actor;
    const char *scopes, *redirect, *challenge, *nonce;
    const char *used_token; /* NULL: not used yet */
    bool plain, offline;
    int64_t expires_us;
    int64_t ended_us; /* by oauth_code_end(); 0: it is good */
};
/* Fills id, code, expires_us. */
int oauth_code_new(struct tx *tx, const struct oauth_style *style, struct oauth_code *code);
/* Exchanges a code for what it stands for; NULL: that argument was not sent. */
int oauth_code_redeem(struct tx *tx, const struct ident_app *app, const char *text,
                      const char *redirect, const char *verifier, struct oauth_code *ret,
                      struct actor *ret_who);
int oauth_code_used(struct tx *tx, int64_t id, const char *token);
/* Of an actor's codes that were not used yet, the first one behind an id: 1, 0, -1. */
int oauth_code_next(struct tx *tx, int64_t actor, int64_t after, struct oauth_code *ret);
/* It is kept as one that was ended now, for vendors that look at ended_us. */
int oauth_code_end(struct tx *tx, int64_t id);

/* ---- devices ---- */

struct oauth_device {
    int64_t id;
    const char *code, *user_code;
    int64_t app;
    const char *scopes;
    int64_t actor; /* 0: nobody yet */
    bool denied;
    int64_t polled_us, expires_us;
};
int oauth_device_new(struct tx *tx, const struct oauth_style *style, struct oauth_device *device);
/* By what a person enters, dash and case as they come. 1, 0 (one that has expired or is decided
 * too), -1. */
int oauth_device_entered(struct tx *tx, const char *user_code, struct oauth_device *ret);
int oauth_device_decide(struct tx *tx, int64_t id, int64_t actor, bool denied);
/* A device asks; when it is granted, the device is forgotten. */
int oauth_device_poll(struct tx *tx, const struct oauth_style *style, const struct ident_app *app,
                      const char *code, struct oauth_device *ret, struct actor *ret_who);

/* ---- service accounts ---- */

struct ident_service {
    int64_t id;
    struct actor actor;
    const char *client_id, *key_id, *public_key, *delegation; /* the last three may be NULL */
};
static inline const char *service_email(const struct actor *actor)
{
    return *actor->email ? actor->email : actor->handle;
}
/* The label of the key that is made for it (jwt.h): nobody has it who has not the world's secret.
 */
const char *service_key_label(struct tx *tx, const struct actor *actor);
/* By the actor's handle or address. 1, 0, -1. */
int service_find(struct tx *tx, const char *name, struct ident_service *ret);
int service_get(struct tx *tx, int64_t id, struct ident_service *ret);
/* Puts it into the world. CONFLICT: the actor is one, or the client id is taken. */
int service_new(struct tx *tx, const struct ident_service *service);
/* Finds whose assertion it is, and checks that the issuer's key has signed it. */
int oauth_assertion_check(struct tx *tx, const struct jwt *jwt, struct ident_service *ret);
/* Its life is at most max_s. The clock that it was made by is the program's, which may be years
 * away from the world's: only the length says something. */
int oauth_assertion_times(const struct jwt *jwt, int64_t max_s);
/* Whom the service account acts for: itself, or a person of its organisation within its scopes. */
int oauth_delegate(struct tx *tx, const struct ident_service *service, const char *subject,
                   const char *scopes, struct actor *ret);

/* Something fell due: struct sosia_core. */
int oauth_due(struct tx *tx, const char *kind, int64_t ref);

#endif
