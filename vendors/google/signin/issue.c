/* SPDX-License-Identifier: Apache-2.0 */
/* What tokens of the service are like, its words for failures, and the response with a token. */
#include "vendors/google/signin/internal.h"

const struct oauth_style google_style = {
    .vendor = "google",
    .section = OAUTH_SECTION,
    .access = {"google_access", "ya29.a0", 48, true},
    .refresh = {"google_refresh", "1//0", 48, false},
    .code = {"google_code", "4/0A", 45, false},
    .device = {"google_device", "AH-1Ng", 48, false},
    .user_codes = "google_user_code",
    .access_s = 3599,
    .code_s = 600,
    .device_s = 1800,
    .interval_s = 5,
};

/* ---- failures, in the service's words ---- */

#define CLIENT(fault, text) [fault] = {SOSIA_E_UNAUTHENTICATED, "invalid_client", text, 0}
#define GRANT(fault, text)  [fault] = {SOSIA_E_INVALID, "invalid_grant", text, 0}

static const struct {
    enum sosia_code code;
    const char *error, *text;
    int kept_status; /* of a response whose changes are kept; 0: they are undone */
} faults[] = {
    CLIENT(OAUTH_UNKNOWN_APP, "The OAuth client was not found."),
    [OAUTH_NO_SECRET] = {SOSIA_E_INVALID, "invalid_request", "client_secret is missing.", 0},
    CLIENT(OAUTH_BAD_SECRET, "The provided client secret is invalid."),
    GRANT(OAUTH_UNKNOWN_CODE, "Malformed auth code."),
    [OAUTH_USED_CODE] = {SOSIA_E_INVALID, "invalid_grant", "Bad Request", 400},
    [OAUTH_OTHER_REDIRECT] = {SOSIA_E_INVALID, "redirect_uri_mismatch", "Bad Request", 0},
    GRANT(OAUTH_NEEDLESS_VERIFIER, "code_verifier or verifier is not needed."),
    GRANT(OAUTH_NO_VERIFIER, "Missing code verifier."),
    GRANT(OAUTH_BAD_VERIFIER, "Invalid code verifier."),
    GRANT(OAUTH_NOBODY, "Account has been deleted"),
    GRANT(OAUTH_UNKNOWN_GRANT, "Bad Request"),
    [OAUTH_OTHER_APP] = {SOSIA_E_UNAUTHENTICATED, "unauthorized_client", "Unauthorized", 0},
    GRANT(OAUTH_UNKNOWN_DEVICE, "Malformed auth code."),
    [OAUTH_EXPIRED] = {SOSIA_E_INVALID, "expired_token", "Bad Request", 0},
    [OAUTH_DENIED] = {SOSIA_E_FORBIDDEN, "access_denied", "Forbidden", 0},
    [OAUTH_PENDING] = {SOSIA_E_INVALID, "authorization_pending", "Precondition Required", 428},
    [OAUTH_SLOW_DOWN] = {SOSIA_E_INVALID, "slow_down", "Forbidden", 403},
    GRANT(OAUTH_UNKNOWN_SERVICE, "Invalid grant: account not found"),
    GRANT(OAUTH_BAD_ALGORITHM, "Invalid JWT: Unsupported signature algorithm."),
    GRANT(OAUTH_BAD_SIGNATURE, "Invalid JWT Signature."),
    GRANT(OAUTH_BAD_TIMES,
          "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
          "timeframe. Check your iat and exp values in the JWT claim."),
    GRANT(OAUTH_UNKNOWN_SUBJECT, "Invalid email or User ID"),
    [OAUTH_NO_DELEGATION] = {SOSIA_E_UNAUTHENTICATED, "unauthorized_client",
                             "Client is unauthorized to retrieve access tokens using this method, "
                             "or client not authorized for any of the scopes requested.",
                             0},
};

/* What the service does not say, for the journal and the log. */
static const char *reason_of(int fault)
{
    switch (fault) {
    case OAUTH_USED_CODE:
        return "code must be one that was not used yet";
    case OAUTH_UNKNOWN_CODE:
        return "code must be one that was given to this client and is not over";
    case OAUTH_OTHER_REDIRECT:
        return "redirect_uri must be the one that the code was asked for with";
    case OAUTH_UNKNOWN_GRANT:
        return "refresh_token must be one that was given to this client and not revoked";
    case OAUTH_EXPIRED:
        return "device_code must not be over";
    default:
        return NULL;
    }
}

int oauth_fail(struct call *c, int fault)
{
    if (fault < 0)
        return -1;
    if (reason_of(fault))
        call_why(c, "%s", reason_of(fault));
    if (faults[fault].kept_status)
        return oauth_refuse(c, faults[fault].kept_status, faults[fault].error, faults[fault].text);
    return call_fail(c, faults[fault].code, faults[fault].error, NULL, "%s", faults[fault].text);
}

/* ---- the response ---- */

int oauth_write_tokens(struct call *c, struct oauth_issue *t)
{
    struct json_writer *w = c->out;
    const char *id_token = NULL;
    struct oauth_access access = {
        .app = t->client->id, .grant = t->grant, .who = t->who, .scopes = t->scopes};
    if (oauth_access_new(&c->tx, &google_style, &access, &t->access_token) < 0)
        return -1;
    if (scopes_have(t->scopes, SCOPE_OPENID, strlen(SCOPE_OPENID))) {
        struct id_token in = {.client_id = t->client->client_id,
                              .nonce = t->nonce,
                              .access_token = t->access_token,
                              .scopes = t->scopes};
        if (oauth_id_token(c, t->who, &in, &id_token) < 0)
            return -1;
    }
    json_obj(w, NULL);
    json_str(w, "access_token", t->access_token);
    json_int(w, "expires_in", google_style.access_s);
    json_str_opt(w, "refresh_token", t->refresh_token);
    json_str(w, "scope", t->scopes);
    json_str(w, "token_type", "Bearer");
    json_str_opt(w, "id_token", id_token);
    json_end(w);
    return 0;
}
