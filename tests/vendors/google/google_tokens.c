/* SPDX-License-Identifier: Apache-2.0 */
/* Service accounts' tokens, credentials as files, what methods return of tokens and of people,
 * keys. */
#include "vendors/google/signin/internal.h"
#include "vendors/google/google.h"
#include "engine/world/engine.h"
#include "tests/support/signin.h"

/* ---- service accounts ---- */

/* The label of the key that is made for a service account; any other text as it is. */
static const char *key_label(struct arena *a, const char *label)
{
    struct world *w = world_take(test_engine, test_world, &test_err);
    struct worker *k = worker_take(test_engine, &test_err);
    struct actor robot;
    struct tx tx;
    assert_int_equal(tx_begin(&tx, test_engine, w, k, false, 0, &test_err), 0);
    if (strchr(label, '@') && actor_find(&tx, label, &robot) == 1)
        label = arena_strdup(a, service_key_label(&tx, &robot));
    tx_rollback(&tx);
    worker_drop(k);
    world_drop(w);
    return label;
}

/* An assertion that is signed with the key of `label`. */
static const char *assertion(const char *label, const char *claims)
{
    static char text[8192];
    struct arena a;
    const char *jwt;
    arena_init(&a, 0);
    if (jwt_sign(&a, key_label(&a, label), claims, strlen(claims), &jwt, &test_err) < 0)
        fail_msg("%s", test_err.text);
    snprintf(text, sizeof text,
             "grant_type=urn%%3Aietf%%3Aparams%%3Aoauth%%3Agrant-type%%3Ajwt-bearer&assertion=%s",
             jwt);
    arena_done(&a);
    return text;
}

#define CLAIMS(iss, more)                                                                          \
    "{\"iss\":\"" iss "\",\"aud\":\"https://oauth2.googleapis.com/token\",\"iat\":1773302400,"     \
    "\"exp\":1773306000" more "}"
#define SCOPE ",\"scope\":\"" CALENDAR "\""

static void a_service_account_signs_for_its_token(void **state)
{
    post("/token", assertion("robot@acme.example",
                             CLAIMS("robot@acme.example", ",\"scope\":\"" CALENDAR " email\"")));
    assert_int_equal(test_response->status, 200);
    assert_non_null(strstr(test_response->body, "\"expires_in\": 3599"));
    assert_string_equal(member("refresh_token"), "");
    assert_int_equal(use_token(member("access_token")), 200);
    assert_string_equal(member("email"), "robot@acme.example");
}

static void a_service_account_acts_for_people_it_may_act_for(void **state)
{
    post("/token", assertion("robot@acme.example",
                             CLAIMS("robot@acme.example", SCOPE ",\"sub\":\"bob@acme.example\"")));
    assert_int_equal(test_response->status, 200);
    const char *token = member("access_token");
    get(FORM("/tokeninfo?access_token=%s", token));
    assert_string_equal(member("azp"), "111");
    static const struct {
        const char *signer, *claims;
        int status;
        const char *error;
    } cases[] = {
        {"robot@acme.example", CLAIMS("robot@acme.example", SCOPE ",\"sub\":\"eve@other.example\""),
         401, "unauthorized_client"},
        {"robot@acme.example",
         CLAIMS("robot@acme.example", ",\"scope\":\"openid\",\"sub\":\"bob@acme.example\""), 401,
         "unauthorized_client"},
        {"plain@acme.example", CLAIMS("plain@acme.example", SCOPE ",\"sub\":\"bob@acme.example\""),
         401, "unauthorized_client"},
        {"robot@acme.example", CLAIMS("robot@acme.example", SCOPE ",\"sub\":\"no@acme.example\""),
         400, "invalid_grant"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        post("/token", assertion(cases[i].signer, cases[i].claims));
        if (test_response->status != cases[i].status ||
            strcmp(member("error"), cases[i].error) != 0)
            fail_msg("%zu: %d %s", i, test_response->status, test_response->body);
    }
}

static void an_assertion_that_proves_nothing_is_refused(void **state)
{
    static const struct {
        const char *signer, *claims, *text;
    } cases[] = {
        {"plain@acme.example", CLAIMS("robot@acme.example", SCOPE), "Invalid JWT Signature."},
        {"robot@acme.example", CLAIMS("bob@acme.example", SCOPE),
         "Invalid grant: account not found"},
        {"robot@acme.example",
         "{\"iss\":\"robot@acme.example\",\"aud\":\"https://evil.example/"
         "token\",\"iat\":1773302400,"
         "\"exp\":1773306000" SCOPE "}",
         "Invalid JWT: Failed audience check. The right audience is "
         "https://oauth2.googleapis.com/token"},
        {"robot@acme.example",
         "{\"iss\":\"robot@acme.example\",\"aud\":\"http://localhost:8787.evil.example/"
         "token\",\"iat\":1773302400,"
         "\"exp\":1773306000" SCOPE "}",
         "Invalid JWT: Failed audience check. The right audience is "
         "https://oauth2.googleapis.com/token"},
        {"robot@acme.example",
         "{\"iss\":\"robot@acme.example\",\"aud\":\"http://localhost:8787/"
         "token\",\"iat\":1773302400,"
         "\"exp\":1773399999" SCOPE "}",
         "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
         "timeframe. Check your iat and exp values in the JWT claim."},
        {"robot@acme.example", CLAIMS("robot@acme.example", ""),
         "Invalid OAuth scope or ID token audience provided."},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        post("/token", assertion(cases[i].signer, cases[i].claims));
        if (test_response->status != 400 || strcmp(member("error_description"), cases[i].text) != 0)
            fail_msg("%zu: %d %s", i, test_response->status, test_response->body);
    }
    post("/token", "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion="
                   "eyJhbGciOiJub25lIn0.e30.");
    assert_int_equal(test_response->status, 400);
    post("/token", "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=x");
    expect(400, "invalid_grant", "Invalid JWT: Not a valid JWT.");
}

static void credentials_come_as_the_files_that_programs_load(void **state)
{
    struct sosia_blob file;
    assert_int_equal(sosia_credential(test_engine, test_world, "google_service_account",
                                      "robot@acme.example", "http://localhost:8787", &file,
                                      &test_err),
                     0);
    assert_non_null(strstr(file.data, "\"client_email\": \"robot@acme.example\""));
    assert_non_null(strstr(file.data, "\"token_uri\": \"http://localhost:8787/token\""));
    assert_non_null(strstr(file.data, "-----BEGIN PRIVATE KEY-----\\n"));
    sosia_blob_free(&file);
    assert_int_equal(sosia_credential(test_engine, test_world, "google_authorized_user",
                                      "bob@acme.example", "http://localhost:8787", &file,
                                      &test_err),
                     0);
    assert_non_null(strstr(file.data, "\"refresh_token\": \"1//old-token\""));
    sosia_blob_free(&file);
    assert_int_equal(sosia_credential(test_engine, test_world, "google_service_account",
                                      "bob@acme.example", "http://localhost:8787", &file,
                                      &test_err),
                     -1);
    assert_string_equal(test_err.reason, "credentialNotFound");
    assert_int_equal(sosia_credential(test_engine, test_world, "google_service_account",
                                      "no@acme.example", "http://localhost:8787", &file, &test_err),
                     -1);
    assert_string_equal(test_err.reason, "actorNotFound");
}

/* ---- about tokens ---- */

static void tokeninfo_and_revoke_know_every_kind_of_token(void **state)
{
    char access[300], signed_token[SOSIA_TOKEN_MAX], id_token[2048];
    struct sosia_token_options opt = {.actor = "ada@acme.example", .scopes = SCOPE_EMAIL};
    get(AUTH "&access_type=offline");
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(access, sizeof access, "%s", member("access_token"));
    snprintf(id_token, sizeof id_token, "%s", member("id_token"));
    get(FORM("/tokeninfo?access_token=%s", access));
    assert_string_equal(member("azp"), "auto");
    assert_string_equal(member("email"), "ada@acme.example");
    assert_string_equal(member("expires_in"), "3599");
    assert_string_equal(member("exp"), "1773305999");
    assert_string_equal(member("access_type"), "offline");
    assert_non_null(strstr(member("scope"), CALENDAR));
    send_request("POST", "/tokeninfo", "application/x-www-form-urlencoded", NULL,
                 FORM("Bearer %s", access));
    assert_string_equal(member("azp"), "auto");
    send_request("POST", "/tokeninfo", "application/x-www-form-urlencoded", NULL, "Bearer wrong");
    expect(400, "invalid_token", "Invalid Value");
    get(FORM("/tokeninfo?id_token=%s", id_token));
    assert_int_equal(test_response->status, 200);
    assert_string_equal(member("aud"), "auto");
    assert_string_equal(member("iss"), "http://localhost:8787");
    assert_string_equal(member("email_verified"), "true");
    assert_string_equal(member("family_name"), "\\u003cb\\u003eLove");
    get(FORM("/oauth2/v1/tokeninfo?access_token=%s", access));
    assert_string_equal(member("issued_to"), "auto");
    assert_string_equal(member("audience"), "auto");
    assert_string_equal(member("access_type"), "offline");
    assert_non_null(strstr(test_response->body, "\"verified_email\": true"));
    get(FORM("/oauth2/v2/tokeninfo?access_token=%s", access));
    assert_string_equal(member("issued_to"), "auto");
    get(FORM("/oauth2/v1/tokeninfo?id_token=%s", id_token));
    assert_string_equal(member("issuer"), "http://localhost:8787");
    assert_string_equal(member("audience"), "auto");
    assert_non_null(strstr(test_response->body, "\"expires_in\": 3600"));
    get("/oauth2/v1/tokeninfo?access_token=wrong");
    expect(400, "invalid_token", "Invalid Value");
    post(FORM("/oauth2/v3/tokeninfo?access_token=%s", access), "");
    assert_string_equal(member("azp"), "auto");
    get("/tokeninfo?id_token=a.b.c");
    expect(400, "invalid_token", "Invalid Value");
    get("/tokeninfo?access_token=wrong");
    expect(400, "invalid_token", "Invalid Value");
    post("/revoke", FORM("token=%s", access));
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_response->body, "{}\n");
    assert_int_equal(use_token(access), 401);
    post("/revoke", FORM("token=%s", access));
    expect(400, "invalid_token", "Token expired or revoked");
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, signed_token,
                                       sizeof signed_token, &test_err),
                     0);
    get(FORM("/tokeninfo?access_token=%s", signed_token));
    assert_string_equal(member("scope"), SCOPE_EMAIL);
    post("/revoke", FORM("token=%s", signed_token));
    assert_int_equal(test_response->status, 200);
    assert_int_equal(use_token(signed_token), 401);
    post("/revoke", FORM("token=%s", signed_token));
    expect(400, "invalid_token", "Token expired or revoked");
    post("/revoke?token=1//old-token", "");
    assert_int_equal(test_response->status, 200);
    post("/token",
         "grant_type=refresh_token&refresh_token=1//old-token&client_id=desk&client_secret=s2");
    expect(400, "invalid_grant", "Token has been expired or revoked.");
}

static void profiles_show_what_the_scopes_allow(void **state)
{
    char access[300];
    send_request("GET", "/v1/userinfo", NULL, NULL, "Bearer fixed-token");
    assert_int_equal(test_response->status, 200);
    assert_int_equal(strlen(member("sub")), 21);
    assert_string_equal(member("given_name"), "Ada");
    assert_non_null(strstr(test_response->body, "\"email_verified\": true"));
    assert_non_null(strstr(test_response->body,
                           "\"given_name\": \"Ada\",\n  \"family_name\": \"\\u003cb\\u003eLove"
                           "\",\n  \"email\": \"ada@acme.example\""));
    send_request("GET", "/oauth2/v2/userinfo", NULL, NULL, "Bearer fixed-token");
    assert_non_null(strstr(test_response->body,
                           "\"email\": \"ada@acme.example\",\n  \"verified_email\": true,\n  "
                           "\"name\""));
    send_request("GET", "/v1/userinfo", NULL, NULL, "Bearer wrong");
    expect(401, "invalid_request", "Invalid Credentials");
    post("/token", assertion("robot@acme.example", CLAIMS("robot@acme.example", SCOPE)));
    /* As programs report it: a token without the scopes is not a credential here. */
    snprintf(access, sizeof access, "Bearer %s", member("access_token"));
    send_request("GET", "/oauth2/v2/userinfo", NULL, NULL, access);
    assert_int_equal(test_response->status, 401);
    assert_non_null(
        strstr(test_response->body, "Request is missing required authentication credential."));
    send_request("GET", "/oauth2/v3/userinfo", NULL, NULL, access);
    expect(401, "invalid_request", "Invalid Credentials");
    get("/discovery/v1/apis/oauth2/v2/rest?fields=resources/userinfo/resources/v2");
    assert_int_equal(test_response->status, 200);
    assert_non_null(strstr(test_response->body, "\"path\": \"userinfo/v2/me\""));
}

static void the_keys_that_are_given_out_verify_what_was_signed(void **state)
{
    struct arena a;
    const char *pem;
    struct jwt jwt;
    get(AUTH);
    post("/token", FORM(EXCHANGE, location_param("code")));
    arena_init(&a, 0);
    assert_int_equal(jwt_read(&a, member("id_token"), &jwt), 0);
    const char *kid = json_get_str(jwt.header, "kid");
    get("/oauth2/v3/certs");
    assert_string_equal(member("kid"), kid);
    assert_string_equal(member("e"), "AQAB");
    assert_int_equal(strlen(member("n")), 342);
    get("/oauth2/v1/certs");
    assert_non_null(strstr(test_response->body, kid));
    assert_non_null(strstr(test_response->body, "-----BEGIN CERTIFICATE-----\\n"));
    assert_true(jwt_verify(&jwt, NULL, KEY_OF_SERVER));
    assert_false(jwt_verify(&jwt, NULL, "another"));
    assert_int_equal(jwt_key_private(&a, KEY_OF_SERVER, &pem, &test_err), 0);
    assert_int_equal(strncmp(pem, "-----BEGIN PRIVATE KEY-----\n", 28), 0);
    arena_done(&a);
    get("/.well-known/openid-configuration");
    assert_string_equal(member("issuer"), "http://localhost:8787");
    assert_string_equal(member("token_endpoint"), "http://localhost:8787/token");
}

/* ---- worlds ---- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_service_account_signs_for_its_token, make_world),
        cmocka_unit_test_setup(a_service_account_acts_for_people_it_may_act_for, make_world),
        cmocka_unit_test_setup(an_assertion_that_proves_nothing_is_refused, make_world),
        cmocka_unit_test_setup(credentials_come_as_the_files_that_programs_load, make_world),
        cmocka_unit_test_setup(tokeninfo_and_revoke_know_every_kind_of_token, make_world),
        cmocka_unit_test_setup(profiles_show_what_the_scopes_allow, make_world),
        cmocka_unit_test_setup(the_keys_that_are_given_out_verify_what_was_signed, make_world),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
