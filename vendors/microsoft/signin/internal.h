/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of vendors/microsoft/signin only. */
#ifndef SOSIA_MICROSOFT_SIGNIN_INTERNAL_H
#define SOSIA_MICROSOFT_SIGNIN_INTERNAL_H

#include "identity/consent.h"
#include "identity/oauth.h"
#include "identity/page.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/signin/signin.h"

#define AUTHORITY_HOST "login.microsoftonline.com"
#define GRAPH_RESOURCE "https://graph.microsoft.com"
/* The label of the key that signs tokens. */
#define KEY_OF_AUTHORITY "microsoft tokens"

/* How long things live, and what secrets look like. */
extern const struct oauth_style authority_style;

/* ---- front.c: failures ---- */

/* Fails with an error of OAuth and the authority's own number and text: "AADSTS50011: ...". -1. */
#define authority_fail(c, code, error, number, ...)                                                \
    authority_failed((c), (code), (error), (number), arena_printf((c)->tx.arena, __VA_ARGS__))
int authority_failed(struct call *c, enum sosia_code code, const char *error, int number,
                     const char *text);
/* A parameter is missing. -1. */
int authority_missing(struct call *c, const char *name);
/* An error as an answer that keeps what was done. Gives 0. */
int authority_refuse(struct call *c, const char *error, int number, const char *text);
/* Fails for a fault of identity/. -1, or 0 where the answer must keep what was done. */
int authority_fault(struct call *c, const struct ident_app *app, int fault);
/* "AADSTS70008: ... Trace ID: ...", of the failure that tx->err has, for pages and redirects. */
const char *authority_text(struct call *c);
const char *authority_error(struct call *c);

/* The value of a parameter of the form or the query; "" and NULL are NULL. authority_form() reads
 * the form. */
int authority_form(struct call *c);
const char *authority_param(struct call *c, const char *name);

extern const struct front authority_front;

/* ---- request.c: whose directory, which program, what for ---- */

/* What is before "/oauth2" in the path. */
struct authority {
    struct ms_tenant tenant;       /* id 0: more than one */
    const char *text;              /* as it was written */
    bool v1;                       /* the older endpoints: "resource" in the place of scopes */
    bool consumers, organizations; /* which users may come; both: "common" */
};
int authority_read(struct call *c, struct authority *ret);
/* The user that an actor is at this authority. 0; -1: AADSTS50020 and others. */
int authority_user(struct call *c, const struct authority *a, const struct actor *who,
                   struct ms_user *ret);

/* That user, who was found: may it sign in here? 0, -1. */
int authority_check_user(struct call *c, const struct authority *a, const struct actor *who,
                         const struct ms_user *user);

/* ---- chosen.c: people who are users of several tenants ---- */

/* A code, a device or a refresh token (kind: "code", "device", "grant") is of this user. 0, -1. */
int authority_chosen_put(struct tx *tx, const char *kind, int64_t ref, const struct ms_user *user);
/* The user of one, as authority_user() otherwise. 0, -1. */
int authority_chosen(struct call *c, const struct authority *a, const char *kind, int64_t ref,
                     const struct actor *who, struct ms_user *ret);
/* The actor's user with that account (0: any), if it is of the authority's tenant; else as
 * authority_user(). 0, -1. */
int authority_user_of(struct call *c, const struct authority *a, int64_t account,
                      const struct actor *who, struct ms_user *ret);
/* The account that a token of the user names: one that a document can name, or that distinguishes
 * it from others of the person's; 0: none. 0, -1. */
int authority_account_of(struct tx *tx, const struct ms_user *user, int64_t *ret);

/* The program; its secret is asked for where it has one. */
int authority_app(struct call *c, const struct authority *a, struct ident_app *ret);
int authority_client(struct call *c, const struct authority *a, struct ident_app *ret);
/* assertion.c: the program has signed its client_assertion. 0, -1. */
int authority_assertion(struct call *c, const struct authority *a, const struct ident_app *app);
/* Has it a secret, or a certificate? 1, 0, -1. */
int authority_is_confidential(struct call *c, const struct ident_app *app);
/* Is the program one of the user's tenant? 0, -1. */
int authority_knows(struct call *c, const struct ident_app *app, int64_t tenant);

/* What is asked for: of one resource, or of none. */
struct wanted {
    const char *resource; /* "https://graph.microsoft.com"; never NULL */
    const char *scopes;   /* as they are stored: those of Graph in short, others with the resource;
                             OpenID's behind them */
    bool all;             /* ".default": what was agreed to before */
};
int authority_wanted(struct call *c, const struct authority *a, const char *text,
                     struct wanted *ret);
bool authority_openid(const char *scopes, const char *scope);
/* Those of a list that are the resource's own, without it; and those of OpenID. In the arena. */
const char *authority_of_resource(struct arena *a, const char *scopes, const char *resource);
/* Those of OpenID alone. In the arena. */
const char *authority_openid_of(struct arena *a, const char *scopes);
/* What was agreed to, by the user or for the tenant. 0, -1. */
int authority_agreed(struct call *c, const struct ident_app *app, const struct ms_user *user,
                     const char **ret_scopes);
/* What of the wanted is given: all of it, or, with ".default", all that was agreed to. 1; 0: more
 * has to be agreed to; -1. */
int authority_given(struct call *c, const struct ident_app *app, const struct ms_user *user,
                    const struct wanted *wanted, const char **ret_scopes);
/* Does an administrator have to agree? Names the first such scope; NULL: no. */
const char *authority_admin_only(struct arena *a, const char *scopes);

/* ---- issue.c: tokens ---- */

struct issue {
    const struct authority *authority;
    const struct ident_app *app;
    const struct actor *who;
    const struct ms_user *user; /* NULL: the app itself */
    const struct ms_app *own;   /* of an app itself */
    const char *resource, *scopes;
    const char *nonce;        /* NULL: none */
    const char *code;         /* that goes with an id_token, which is bound to it; NULL: none */
    bool bound;               /* the id_token is bound to the access token too */
    bool lasting;             /* with a refresh token, if offline_access is among the scopes */
    const char *access_token; /* filled */
};
/* Makes the tokens and writes the answer. 0, -1. */
int authority_issue(struct call *c, struct issue *issue);
/* The parts alone, for what goes to a browser: fills access_token; the id_token, NULL without
 * openid; the scopes as answers have them. */
int authority_access_token(struct call *c, struct issue *issue, const struct ms_tenant *tenant);
int authority_id_token(struct call *c, const struct issue *issue, const struct ms_tenant *tenant,
                       const char **ret);
const char *authority_shown_scopes(struct call *c, const struct issue *issue);
#define AUTHORITY_LIFE_S 3599 /* of access tokens */
/* base64url without padding. In the arena. */
const char *authority_base64(struct arena *a, const void *data, size_t n);
/* {"uid":..,"utid":..} in base64url. */
const char *authority_client_info(struct arena *a, const struct ms_user *user,
                                  const struct ms_tenant *tenant);
/* What an app knows a user by. */
const char *authority_subject(struct arena *a, const struct ident_app *app, const char *oid);

/* ---- person.c: who signs in ---- */

/* Who has proven who it is: with a token, a consent link, or the password of the document. 1 with
 * the user filled; 0: nobody has; -1. */
struct person {
    struct actor who;
    struct ms_user user;
    struct consent_proof proof; /* link and who 0 for a password */
    bool by_password;
};
int authority_person(struct call *c, const struct authority *a, const char *scopes,
                     struct person *ret);
/* Of those users that ret->who is, the one that the request names, by its hint or by its token;
 * else the first. 0, -1. */
int authority_named_user(struct call *c, const struct authority *a, struct person *ret);
/* The user of that name with that password. 0, -1. */
int authority_password(struct call *c, const struct authority *a, const char *name,
                       const char *password, struct person *ret);
/* The fields for it on a page. */
void authority_fields(struct call *c, struct buf *b, const char *hint);
/* A page that says what was wrong, of the failure in tx->err. Gives 0. */
int authority_page(struct call *c);
/* A form that came back is from a page of this server's. 1; 0: answered with a page. */
int authority_form_is_ours(struct call *c, const char *about);
void authority_list_scopes(struct call *c, struct buf *b, const char *scopes);

/* ---- rows ---- */

extern const struct rows authority_auth_rows, authority_token_rows, authority_device_rows,
    authority_admin_rows, authority_info_rows, authority_userinfo_rows;

#define OPEN(name, way, handler_, danger, text, ...)                                               \
    {                                                                                              \
        .id = (name), .verbs = (way), .paths = PATHS(__VA_ARGS__), .handler = (handler_),          \
        .risk = (danger), .anonymous = true, .secret = true, .body = BODY_RAW,                     \
        .params = authority_params, .n_params = 1, .summary = (text)                               \
    }
extern const struct param authority_params[1];

#endif
