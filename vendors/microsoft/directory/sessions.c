/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a user's sessions: what its apps refresh tokens with is not good any more. */
#include "identity/app.h"
#include "identity/oauth.h"
#include "vendors/microsoft/directory/rows.h"

#define REVOKE "User.RevokeSessions.All " WRITE_USERS

/* Is a "grant" or a "code" of an app one of the user's with Microsoft? People who are users of
 * several tenants have a row that says of which. 1, 0, -1. */
static int is_users(struct tx *tx, const struct ms_user *user, const char *kind, int64_t id,
                    int64_t of_app)
{
    static struct sql_text q =
        SQL_TEXT("select account from ms_signed_in where kind = :kind and ref = :ref");
    struct ident_app app;
    int64_t account;
    int r = app_get(tx, of_app, &app);
    if (r != 1)
        return r;
    if (app.vendor && strcmp(app.vendor, "microsoft") != 0)
        return 0;
    r = TX_INT(tx, &q, &account, kind, id);
    return r == 1 ? account == user->account : r < 0 ? -1 : 1;
}

static int end_grants(struct tx *tx, const struct ms_user *user)
{
    struct oauth_grant grant = {0};
    int r;
    while ((r = oauth_grant_next(tx, user->actor, grant.id, &grant)) == 1) {
        if ((r = is_users(tx, user, "grant", grant.id, grant.app)) < 0 ||
            (r == 1 && oauth_grant_end(tx, grant.id) < 0))
            return -1;
    }
    return r;
}

/* Who signed in before has to do it again: codes are grants, too, and are as old as that. */
static int end_codes(struct tx *tx, const struct ms_user *user)
{
    struct oauth_code code = {0};
    int r;
    while ((r = oauth_code_next(tx, user->actor, code.id, &code)) == 1) {
        if ((r = is_users(tx, user, "code", code.id, code.app)) < 0 ||
            (r == 1 && oauth_code_end(tx, code.id) < 0))
            return -1;
    }
    return r;
}

/* Guests sign in where they are at home, and keep their sessions. */
static int sessions_end(struct call *c)
{
    struct ms_user user;
    if (dir_user_of_path(c, REVOKE, &user) < 0)
        return -1;
    int may = user.actor == c->actor.id && !graph_app_only(c) ? 1 : dir_may_change(c);
    if (may != 1)
        return may < 0 ? -1 : graph_denied(c);
    if (!user.guest) {
        user.sessions_us = c->tx.now_us;
        user.listed = true;
        if (ms_user_save(&c->tx, &user) < 0 || end_grants(&c->tx, &user) < 0 ||
            end_codes(&c->tx, &user) < 0)
            return -1;
    }
    json_obj(c->out, NULL);
    graph_context(c, "Edm.Boolean");
    json_bool(c->out, "value", true);
    json_end(c->out);
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    call_header_const(c, "x-ms-resource-unit", "1");
    return 0;
}

static const struct route methods[] = {
    {ROUTE("directory.users.revokeSignInSessions", POST, GRAPH_MY("/revokeSignInSessions")),
     .handler = sessions_end, .risk = RISK_DESTRUCTIVE, .body = BODY_JSON_OPTIONAL,
     .scopes = REVOKE, PARAMS(dir_user_params),
     .response = "microsoft.graph.user.revokeSignInSessions",
     .summary = "End a user's sessions: refresh tokens are not good any more"},
};
const struct rows dir_session_rows = ROWS(methods);
