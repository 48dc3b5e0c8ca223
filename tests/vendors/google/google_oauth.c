/* SPDX-License-Identifier: Apache-2.0 */
/* Google's sign-in, flow by flow, in process. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "vendors/google/signin/internal.h"
#include "tests/support/signin.h"

/* Of RFC 7636, appendix B. */
#define VERIFIER  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

/* ---- codes ---- */

static void a_code_with_pkce_becomes_tokens(void **state)
{
    char access[300], refresh[300];
    get(AUTH "&access_type=offline&nonce=n-1&code_challenge_method=S256&code_challenge=" CHALLENGE);
    assert_int_equal(test_response->status, 302);
    assert_true(
        str_starts(test_header("Location"),
                   "https://app.example/cb?state=a%26b&iss=http://localhost:8787&code=4/0A"));
    const char *code = location_param("code");
    post("/token", FORM(EXCHANGE "&code_verifier=" VERIFIER, code));
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("Cache-Control"),
                        "no-cache, no-store, max-age=0, must-revalidate");
    assert_non_null(strstr(test_response->body, "\"expires_in\": 3599"));
    assert_string_equal(member("token_type"), "Bearer");
    assert_string_equal(member("scope"), "openid " SCOPE_EMAIL " " SCOPE_PROFILE " " CALENDAR);
    assert_true(*member("id_token"));
    snprintf(access, sizeof access, "%s", member("access_token"));
    snprintf(refresh, sizeof refresh, "%s", member("refresh_token"));
    assert_int_equal(strncmp(access, "ya29.", 5), 0);
    assert_int_equal(strncmp(refresh, "1//0", 4), 0);
    assert_int_equal(use_token(access), 200);
    assert_string_equal(member("email"), "ada@acme.example");
    assert_string_equal(member("hd"), "acme.example");
    post("/token", FORM("grant_type=refresh_token&client_id=auto&client_secret=s1&refresh_token=%s",
                        refresh));
    assert_int_equal(test_response->status, 200);
    assert_string_not_equal(member("access_token"), access);
    assert_string_equal(member("refresh_token"), "");
}

/* As programs report it: a request for the address gets openid too, and an id_token. */
static void the_address_brings_openid_along(void **state)
{
    get("/o/oauth2/v2/auth?client_id=auto&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&"
        "response_type=code&scope=email%20" CALENDAR);
    assert_string_equal(location_param("scope"), "email%20" SCOPE_EMAIL "%20" CALENDAR "%20openid");
    assert_string_equal(location_param("authuser"), "0");
    assert_string_equal(location_param("hd"), "acme.example");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_string_equal(member("scope"), SCOPE_EMAIL " " CALENDAR " " SCOPE_OPENID);
    assert_true(*member("id_token"));
}

static void an_access_token_ends_by_the_worlds_clock(void **state)
{
    char access[300];
    get(AUTH);
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(access, sizeof access, "%s", member("access_token"));
    assert_int_equal(use_token(access), 200);
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 3598 * US_PER_SECOND, &test_err),
                     0);
    assert_int_equal(use_token(access), 200);
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 2 * US_PER_SECOND, &test_err), 0);
    assert_int_equal(use_token(access), 401);
    assert_string_equal(test_header("WWW-Authenticate"),
                        "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\"");
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 86400 * US_PER_SECOND, &test_err),
                     0);
    assert_int_equal(use_token(access), 401);
}

/* The row of one that was revoked may become another's. */
static void the_end_of_a_revoked_token_is_not_that_of_the_next(void **state)
{
    const struct sosia_token_options opt = {.actor = "ada@acme.example", .value = "fixed-two"};
    char token[SOSIA_TOKEN_MAX];
    get(AUTH);
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_int_equal(sosia_token_revoke(test_engine, test_world, member("access_token"), &test_err),
                     0);
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err), 0);
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 86400 * US_PER_SECOND, &test_err),
                     0);
    assert_int_equal(use_token("fixed-two"), 200);
}

/* A token that is issued again as a fixed one is a fixed one. */
static void a_fixed_token_does_not_end_as_the_one_of_its_value_did(void **state)
{
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    char access[300], token[SOSIA_TOKEN_MAX];
    get(AUTH);
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(access, sizeof access, "%s", member("access_token"));
    opt.value = access;
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err), 0);
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 86400 * US_PER_SECOND, &test_err),
                     0);
    assert_int_equal(use_token(access), 200);
    struct sosia_blob dump;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    assert_non_null(strstr(dump.data, access));
    sosia_blob_free(&dump);
}

static void a_code_that_is_used_twice_ends_what_was_made_of_it(void **state)
{
    char access[300], code[300];
    get(AUTH "&access_type=offline");
    snprintf(code, sizeof code, "%s", location_param("code"));
    post("/token", FORM(EXCHANGE, code));
    snprintf(access, sizeof access, "%s", member("access_token"));
    assert_int_equal(use_token(access), 200);
    post("/token", FORM(EXCHANGE, code));
    expect(400, "invalid_grant", "Bad Request");
    assert_int_equal(use_token(access), 401);
}

static void a_code_that_is_used_twice_ends_a_token_without_a_refresh_token(void **state)
{
    char access[300], code[300];
    get(AUTH);
    snprintf(code, sizeof code, "%s", location_param("code"));
    post("/token", FORM(EXCHANGE, code));
    assert_string_equal(member("refresh_token"), "");
    snprintf(access, sizeof access, "%s", member("access_token"));
    assert_int_equal(use_token(access), 200);
    post("/token", FORM(EXCHANGE, code));
    expect(400, "invalid_grant", "Bad Request");
    assert_int_equal(use_token(access), 401);
    post("/token", FORM(EXCHANGE, code));
    expect(400, "invalid_grant", "Bad Request");
}

/* What came after is not touched, though it may be in the same rows. */
static void a_code_that_is_used_twice_ends_nothing_else(void **state)
{
    char access[300], first[300], second[300];
    get(AUTH "&access_type=offline&prompt=consent");
    snprintf(first, sizeof first, "%s", location_param("code"));
    post("/token", FORM(EXCHANGE, first));
    post("/revoke", FORM("token=%s", member("refresh_token")));
    get(AUTH "&access_type=offline&prompt=consent");
    snprintf(second, sizeof second, "%s", location_param("code"));
    post("/token", FORM(EXCHANGE, second));
    snprintf(access, sizeof access, "%s", member("access_token"));
    post("/token", FORM(EXCHANGE, first));
    expect(400, "invalid_grant", "Bad Request");
    assert_int_equal(use_token(access), 200);
}

static void a_code_is_bound_to_its_request(void **state)
{
    char code[300];
    get(AUTH "&code_challenge_method=S256&code_challenge=" CHALLENGE);
    snprintf(code, sizeof code, "%s", location_param("code"));
    post("/token", FORM(EXCHANGE, code));
    expect(400, "invalid_grant", "Missing code verifier.");
    post("/token", FORM(EXCHANGE "&code_verifier=x" VERIFIER, code));
    expect(400, "invalid_grant", "Invalid code verifier.");
    post("/token", FORM("grant_type=authorization_code&client_id=auto&client_secret=s1&"
                        "redirect_uri=https%%3A%%2F%%2Fevil.example&code=%s",
                        code));
    expect(400, "redirect_uri_mismatch", "Bad Request");
    post("/token", FORM("grant_type=authorization_code&client_id=desk&client_secret=s2&"
                        "redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&code=%s",
                        code));
    expect(400, "invalid_grant", "Bad Request");
    post("/token", FORM(EXCHANGE, "nonsense"));
    expect(400, "invalid_grant", "Malformed auth code.");
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 601 * US_PER_SECOND, &test_err),
                     0);
    post("/token", FORM(EXCHANGE "&code_verifier=" VERIFIER, code));
    expect(400, "invalid_grant", "Bad Request");
}

static void a_refresh_token_comes_with_consent_only(void **state)
{
    get(AUTH "&access_type=offline");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_true(*member("refresh_token"));
    get(AUTH "&access_type=offline");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_string_equal(member("refresh_token"), "");
    get(AUTH "&access_type=offline&prompt=consent");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_true(*member("refresh_token"));
    get(AUTH "&prompt=consent");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_string_equal(member("refresh_token"), "");
}

/* Consent is required for new scopes, and its token comes with a refresh token. */
static void more_scopes_ask_again(void **state)
{
    get(AUTH "&access_type=offline");
    get(AUTH "&access_type=offline");
    assert_string_equal(location_param("prompt"), "none");
    get("/o/oauth2/v2/auth?client_id=auto&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&"
        "response_type=code&access_type=offline&include_granted_scopes=true&"
        "scope=https://www.googleapis.com/auth/gmail.readonly");
    assert_string_equal(location_param("prompt"), "consent");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_true(*member("refresh_token"));
    assert_non_null(strstr(member("scope"), "gmail.readonly openid "));
    get("/o/oauth2/v2/auth?client_id=auto&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&"
        "response_type=code&access_type=offline&"
        "scope=https://www.googleapis.com/auth/gmail.readonly");
    assert_string_equal(location_param("prompt"), "none");
}

/* n scopes of 80 bytes, which no other call of this has. */
static const char *many_scopes(unsigned n)
{
    static char target[16384];
    static unsigned at;
    int k = snprintf(target, sizeof target,
                     "/o/oauth2/v2/auth?client_id=auto&redirect_uri=https://app.example/cb&"
                     "response_type=code&scope=https://first.example/");
    while (n--)
        k +=
            snprintf(target + k, sizeof target - (size_t)k, "%%20https://more.example/%057u", at++);
    return target;
}

static void scopes_that_are_too_many_take_none_away(void **state)
{
    get(many_scopes(100));
    assert_int_equal(test_response->status, 302);
    get(many_scopes(90));
    assert_int_equal(test_response->status, 302);
    get(many_scopes(90));
    assert_int_equal(test_response->status, 400);
    assert_non_null(strstr(test_response->body, "(too many)"));
    get("/o/oauth2/v2/auth?client_id=auto&redirect_uri=https://app.example/cb&response_type=code&"
        "scope=openid&include_granted_scopes=true");
    assert_int_equal(test_response->status, 302);
    assert_non_null(strstr(test_header("Location"), "https://first.example/"));
    assert_non_null(strstr(test_header("Location"), "prompt=consent"));
}

static void a_state_that_is_too_long_gets_a_page(void **state)
{
    static char target[60000];
    int n = snprintf(target, sizeof target,
                     "/o/oauth2/v2/auth?client_id=auto&redirect_uri=https://app.example/cb&"
                     "response_type=code&scope=openid&state=");
    memset(target + n, '!', sizeof target - 1 - (size_t)n);
    get(target);
    assert_int_equal(test_response->status, 400);
    assert_non_null(strstr(test_response->body, "state: Invalid length"));
    target[n + 8000] = 0;
    get(target);
    assert_int_equal(test_response->status, 302);
    assert_in_range(strlen(test_header("Location")), 3 * 8000, 4 * 8000);
}

/* The older word of it. */
static void approval_prompt_asks_again_too(void **state)
{
    get(AUTH "&access_type=offline");
    get(AUTH "&access_type=offline&approval_prompt=auto");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_string_equal(member("refresh_token"), "");
    get(AUTH "&access_type=offline&approval_prompt=force");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_true(*member("refresh_token"));
    get(AUTH "&prompt=consent&approval_prompt=force");
    assert_int_equal(test_response->status, 400);
    assert_non_null(strstr(test_response->body, "Conflict params: approval_prompt and prompt"));
    get("/o/oauth2/auth?" DESK "&approval_prompt=force");
    assert_non_null(strstr(test_response->body, "name=\"approval_prompt\" value=\"force\""));
}

/* Revoking a token revokes the person's whole consent, which is required again. */
static void what_is_revoked_has_to_be_agreed_to_again(void **state)
{
    char first[300], second[300], refresh[300];
    get(AUTH "&access_type=offline");
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(first, sizeof first, "%s", member("access_token"));
    get(AUTH "&access_type=offline&prompt=consent");
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(refresh, sizeof refresh, "%s", member("refresh_token"));
    get(AUTH);
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(second, sizeof second, "%s", member("access_token"));
    post("/revoke", FORM("token=%s", first));
    assert_int_equal(test_response->status, 200);
    assert_int_equal(use_token(first), 401);
    assert_int_equal(use_token(second), 401);
    post("/token", FORM("grant_type=refresh_token&client_id=auto&client_secret=s1&refresh_token=%s",
                        refresh));
    expect(400, "invalid_grant", "Token has been expired or revoked.");
    get(AUTH "&access_type=offline");
    assert_string_equal(location_param("prompt"), "consent");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_true(*member("refresh_token"));
    /* What another person has agreed to, and with other clients, stays. */
    post("/token",
         "grant_type=refresh_token&refresh_token=1//old-token&client_id=desk&client_secret=s2");
    assert_int_equal(test_response->status, 200);
}

static void a_client_that_is_not_itself_is_refused(void **state)
{
    post("/token", "grant_type=refresh_token&refresh_token=1//old-token&client_id=nobody");
    expect(401, "invalid_client", "The OAuth client was not found.");
    post("/token",
         "grant_type=refresh_token&refresh_token=1//old-token&client_id=desk&client_secret=no");
    expect(401, "invalid_client", "The provided client secret is invalid.");
    post("/token", "grant_type=refresh_token&refresh_token=1//old-token&client_id=desk");
    expect(400, "invalid_request", "client_secret is missing.");
    post("/token", "grant_type=refresh_token&refresh_token=1//old-token");
    expect(400, "invalid_request", "Could not determine client ID from request.");
    post("/token",
         "grant_type=refresh_token&refresh_token=1//old-token&client_id=auto&client_secret=s1");
    expect(401, "unauthorized_client", "Unauthorized");
    post("/token",
         "grant_type=refresh_token&refresh_token=1//none&client_id=desk&client_secret=s2");
    expect(400, "invalid_grant", "Token has been expired or revoked.");
    post("/token", "grant_type=magic&client_id=desk");
    expect(400, "unsupported_grant_type", "Invalid grant_type: magic");
    post("/token", "grant_type=%zz");
    assert_int_equal(test_response->status, 400);
    static const char as_json[] =
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"1//"
        "old-token\",\"client_id\":\"desk\",\"client_secret\":\"s2\",\"x\":1}";
    send_request("POST", "/token", "application/json", as_json, NULL);
    assert_int_equal(test_response->status, 200);
    send_request("POST", "/token", "application/json; charset=utf-8", "{\"grant_type\":", NULL);
    assert_int_equal(test_response->status, 400);
    assert_string_equal(member("error"), "invalid_request");
    send_request("POST", "/token", "application/json", "[1]", NULL);
    expect(400, "invalid_request", "The JSON body is malformed.");
    /* Basic, in the place of parameters: desk:s2 */
    send_request("POST", "/token", "application/x-www-form-urlencoded",
                 "grant_type=refresh_token&refresh_token=1//old-token", "Basic ZGVzazpzMg==");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(member("scope"), CALENDAR);
}

static void a_refresh_token_gives_no_more_than_it_has(void **state)
{
    static const char start[] =
        "grant_type=refresh_token&refresh_token=1//old-token&client_id=desk&client_secret=s2";
    post("/token", FORM("%s&scope=openid", start));
    expect(400, "invalid_scope", "Bad Request");
    post("/token", FORM("%s&scope=%s", start, CALENDAR));
    assert_int_equal(test_response->status, 200);
}

/* ---- the page ---- */

static void a_person_is_asked_and_agrees(void **state)
{
    get("/o/oauth2/auth?" DESK "&state=s%22%3E1&login_hint=bob%40acme.example");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("Content-Type"), "text/html; charset=utf-8");
    assert_non_null(strstr(test_response->body, "A &lt;i&gt;Desk"));
    assert_non_null(strstr(test_response->body, "Ada &lt;b&gt;Love"));
    assert_non_null(strstr(test_response->body, "value=\"bob@acme.example\" checked"));
    assert_non_null(strstr(test_response->body, "value=\"s&quot;&gt;1\""));
    assert_null(strstr(test_response->body, "robot@acme.example"));
    agree("/o/oauth2/v2/auth?" DESK, "/o/oauth2/approve",
          DESK "&state=s1&sosia_actor=bob%40acme.example&sosia_decision=allow");
    assert_int_equal(test_response->status, 302);
    assert_true(str_starts(test_header("Location"),
                           "http://127.0.0.1:4711/?state=s1&iss=http://localhost:8787&code="));
    post("/token",
         FORM("grant_type=authorization_code&client_id=desk&client_secret=s2&redirect_uri="
              "http://127.0.0.1:4711/&code=%s",
              location_param("code")));
    assert_int_equal(test_response->status, 200);
    assert_true(*member("refresh_token"));
    assert_int_equal(use_token(member("access_token")), 200);
    assert_string_equal(member("email"), "bob@acme.example");
}

static void a_person_is_asked_and_refuses(void **state)
{
    agree("/o/oauth2/v2/auth?" DESK, "/o/oauth2/v2/approve", DESK "&state=x&sosia_decision=deny");
    assert_string_equal(test_header("Location"),
                        "http://127.0.0.1:4711/?error=access_denied&state=x");
    agree("/o/oauth2/v2/auth?" DESK, "/o/oauth2/v2/approve",
          DESK "&sosia_decision=allow&sosia_actor=robot%40acme.example");
    assert_int_equal(test_response->status, 400);
}

#define ALLOW DESK "&sosia_actor=bob%40acme.example&sosia_decision=allow"

static void refuses(const char *target, const char *text, const char *origin, int status)
{
    post_from(target, text, origin);
    assert_int_equal(test_response->status, status);
}

static void a_form_that_no_page_of_the_server_has_made_is_refused(void **state)
{
    static char form_[4096];
    refuses("/o/oauth2/v2/approve", ALLOW, NULL, 400);
    refuses("/o/oauth2/v2/approve", ALLOW "&sosia_nonce=", NULL, 400);
    refuses("/o/oauth2/v2/approve", ALLOW "&sosia_nonce=AAAAAAAAAAAAAAAAAAAAAA", NULL, 400);
    refuses("/device", "user_code=ABCD-EFGH&sosia_decision=allow", NULL, 400);
    get("/device"); /* the mark of another form */
    const char *p = strstr(test_response->body, "name=\"sosia_nonce\" value=\"");
    snprintf(form_, sizeof form_, "%s&sosia_nonce=%.22s", ALLOW, p + 26);
    refuses("/o/oauth2/v2/approve", form_, NULL, 400);
    get("/o/oauth2/v2/auth?" DESK);
    p = strstr(test_response->body, "name=\"sosia_nonce\" value=\"");
    snprintf(form_, sizeof form_, "%s&sosia_nonce=%.22s", ALLOW, p + 26);
    refuses("/o/oauth2/v2/approve", form_, "http://evil.example", 403);
    refuses("/o/oauth2/v2/approve", form_, "null", 403);
    refuses("/o/oauth2/v2/approve", form_, "http://localhost:8788", 403);
    post_from("/o/oauth2/v2/approve", form_, "http://localhost:8787");
    assert_int_equal(test_response->status, 302);
    assert_true(*location_param("code"));
}

static void nobody_is_asked_when_the_program_says_so(void **state)
{
    get("/o/oauth2/v2/auth?" DESK "&prompt=none");
    assert_string_equal(location_param("error"), "login_required");
    get("/o/oauth2/v2/auth?" DESK "&prompt=none&login_hint=bob%40acme.example");
    assert_string_equal(location_param("error"), "interaction_required");
    agree("/o/oauth2/v2/auth?" DESK, "/o/oauth2/approve",
          DESK "&sosia_actor=bob%40acme.example&sosia_decision=allow");
    get("/o/oauth2/v2/auth?" DESK "&prompt=none&login_hint=bob%40acme.example");
    assert_true(*location_param("code"));
}

static void requests_that_cannot_be_trusted_get_a_page(void **state)
{
    static const struct {
        const char *query;
        int status;
        const char *error;
    } cases[] = {
        {"", 400, "Missing required parameter: client_id"},
        {"client_id=nobody", 401, "invalid_client"},
        {"client_id=auto", 400, "Missing required parameter: redirect_uri"},
        {"client_id=auto&redirect_uri=https://app.example/cb2", 400, "redirect_uri_mismatch"},
        {"client_id=auto&redirect_uri=http://127.0.0.1:1/", 400, "redirect_uri_mismatch"},
        {"client_id=desk&redirect_uri=http://127.0.0.1.evil.example/", 400,
         "redirect_uri_mismatch"},
        {"client_id=desk&redirect_uri=http://localhost:1@evil.example/", 400,
         "redirect_uri_mismatch"},
        {"client_id=desk&redirect_uri=http://[::1]:a@evil.example/", 400, "redirect_uri_mismatch"},
        {"client_id=desk&redirect_uri=http://localhost:1/%23x", 400, "redirect_uri_mismatch"},
        {"client_id=desk&redirect_uri=http://localhost:1/%0d%0aX", 400, "redirect_uri_mismatch"},
        {"client_id=desk&redirect_uri=http://localhost:1/", 400, "response_type"},
        {"client_id=desk&redirect_uri=http://localhost:1/&response_type=token", 400,
         "unsupported_response_type"},
        {"client_id=desk&redirect_uri=http://localhost:1/&response_type=code", 400, "scope"},
        {"client_id=desk&redirect_uri=http://localhost:1/&response_type=code&scope=%3Cx%3E", 400,
         "{invalid=[&lt;x&gt;]}"},
        {"client_id=desk&client_id=auto", 400, "can only have a single value: client_id"},
        {DESK "&prompt=none%20consent", 400, "prompt"},
        {DESK "&prompt=ask", 400, "prompt"},
        {DESK "&include_granted_scopes=yes", 400, "include_granted_scopes"},
        {DESK "&code_challenge=short", 400, "code_challenge"},
        {DESK "&code_challenge=" CHALLENGE "&code_challenge_method=S512", 400,
         "code_challenge_method"},
    };
    char target[1000];
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        snprintf(target, sizeof target, "/o/oauth2/v2/auth?%s", cases[i].query);
        get(target);
        if (test_response->status != cases[i].status ||
            !strstr(test_response->body, cases[i].error))
            fail_msg("%s: %d %s", cases[i].query, test_response->status, test_response->body);
        assert_string_equal(test_header("Location"), "");
    }
}

/* ---- devices ---- */

static void a_device_waits_until_a_person_agrees(void **state)
{
    char code[300], user[32];
    post("/device/code", "client_id=tele&scope=email");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(member("verification_url"), "http://localhost:8787/device");
    snprintf(code, sizeof code, "%s", member("device_code"));
    snprintf(user, sizeof user, "%s", member("user_code"));
    assert_int_equal(strlen(user), 9);
#define POLL                                                                                       \
    FORM("grant_type=urn%%3Aietf%%3Aparams%%3Aoauth%%3Agrant-type%%3Adevice_code&client_id=tele&"  \
         "client_secret=s3&device_code=%s",                                                        \
         code)
    post("/token", POLL);
    expect(428, "authorization_pending", "Precondition Required");
    assert_int_equal(sosia_clock_advance(test_engine, test_world, US_PER_SECOND, &test_err), 0);
    post("/token", POLL);
    expect(403, "slow_down", "Forbidden");
    get("/device");
    assert_non_null(strstr(test_response->body, "name=\"user_code\""));
    agree("/device", "/device",
          "user_code=ABCD-EFGH&sosia_decision=allow&sosia_actor=bob%40acme.example");
    assert_int_equal(test_response->status, 400);
    agree("/device", "/device",
          FORM("user_code=%.4s%.4s&sosia_decision=allow&sosia_actor=bob%%40acme.example", user,
               user + 5));
    assert_int_equal(test_response->status, 200);
    /* what is decided stays so for all who know the code */
    agree("/device", "/device",
          FORM("user_code=%s&sosia_decision=allow&sosia_actor=eve%%40other.example", user));
    assert_int_equal(test_response->status, 400);
    assert_non_null(strstr(test_response->body, "There is no such code."));
    post("/token", POLL);
    assert_int_equal(test_response->status, 200);
    assert_true(*member("refresh_token"));
    assert_int_equal(use_token(member("access_token")), 200);
    assert_string_equal(member("email"), "bob@acme.example");
    post("/token", POLL);
    expect(400, "invalid_grant", "Malformed auth code.");
}

static void a_device_gets_refusals_and_timeouts(void **state)
{
    char code[300];
    post("/device/code", "client_id=tele&scope=email");
    snprintf(code, sizeof code, "%s", member("device_code"));
    agree("/device", "/device", FORM("user_code=%s&sosia_decision=deny", member("user_code")));
    post("/token", POLL);
    expect(403, "access_denied", "Forbidden");
    post("/device/code", "client_id=tele&scope=email");
    snprintf(code, sizeof code, "%s", member("device_code"));
    assert_int_equal(sosia_clock_advance(test_engine, test_world, 1801 * US_PER_SECOND, &test_err),
                     0);
    post("/token", POLL);
    expect(400, "expired_token", "Bad Request");
    post("/device/code", "client_id=desk&scope=email");
    expect(401, "invalid_client",
           "Only clients of type 'TVs and Limited Input devices' can use the OAuth 2.0 flow for TV "
           "and Limited-Input Device Applications. Please create and use an appropriate client.");
    post("/device/code", "client_id=tele&scope=profile%20" CALENDAR);
    expect(400, "invalid_scope", "Invalid device flow scope: " CALENDAR);
    post("/device/code", "client_id=tele&scope=https://www.googleapis.com/auth/drive.file");
    assert_int_equal(test_response->status, 200);
}

/* ---- service accounts ---- */

/* ---- worlds ---- */

static void an_access_token_finds_its_world_by_itself(void **state)
{
    char access[300];
    struct sosia_header auth = {"Authorization", access};
    struct sosia_request r = {
        .method = "GET", .target = "/oauth2/v2/userinfo", .headers = &auth, .n_headers = 1};
    get(AUTH);
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(access, sizeof access, "Bearer %s", member("access_token"));
    sosia_response_free(test_response);
    assert_int_equal(sosia_call(test_engine, 0, &r, &test_response, &test_err), 0);
    assert_int_equal(test_response->status, 200);
    assert_string_equal(member("email"), "ada@acme.example");
    assert_int_equal(sosia_world_drop(test_engine, test_world, &test_err), 0);
    sosia_response_free(test_response);
    assert_int_equal(sosia_call(test_engine, 0, &r, &test_response, &test_err), 0);
    assert_int_equal(test_response->status, 404);
    uint64_t other = test_world;
    make_world(NULL);
    assert_int_not_equal(other, test_world);
    assert_int_equal(use_token(access + 7), 401);
}

static void the_same_requests_give_the_same_bytes(void **state)
{
    char first[4096];
    get(AUTH "&access_type=offline");
    post("/token", FORM(EXCHANGE, location_param("code")));
    snprintf(first, sizeof first, "%s", test_response->body);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    get(AUTH "&access_type=offline");
    post("/token", FORM(EXCHANGE, location_param("code")));
    assert_string_equal(test_response->body, first);
}

static void a_dump_holds_clients_grants_and_accounts(void **state)
{
    struct sosia_blob dump, again;
    struct sosia_world_options opt = {0};
    uint64_t other;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    static const char *const parts[] = {"\"client_id\": \"auto\"", "\"1//old-token\"",
                                        "\"delegation\": \"" CALENDAR "\"",
                                        "\"automatic\": \"ada@acme.example\""};
    for (size_t i = 0; i < SOSIA_LEN(parts); i++)
        if (!strstr(dump.data, parts[i]))
            fail_msg("no %s in %s", parts[i], dump.data);
    opt.seed_doc = dump.data;
    opt.seed_doc_len = dump.len;
    assert_int_equal(sosia_world_create(test_engine, &opt, &other, &test_err), 0);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(dump.data, again.data);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
}

static void bad_seeds_name_the_field(void **state)
{
    static const struct {
        const char *section, *text;
    } cases[] = {
        {"\"oauth_clients\":[{\"client_id\":\"c\",\"kind\":\"phone\"}]", "oauth_clients[0].kind"},
        {"\"oauth_clients\":[{\"client_id\":\"c\",\"automatic\":\"x@y.example\"}]",
         "oauth_clients[0].automatic"},
        {"\"oauth_clients\":[{\"client_id\":\"c\"},{\"client_id\":\"c\"}]",
         "oauth_clients[1].client_id"},
        {"\"oauth_refresh_tokens\":[{\"token\":\"12345678\",\"client_id\":\"c\",\"actor\":"
         "\"a@b.example\",\"scopes\":\"openid\"}]",
         "oauth_refresh_tokens[0].client_id"},
        {"\"service_accounts\":[{\"email\":\"a@b.example\"}]", "service_accounts[0].email"},
        {"\"service_accounts\":[{\"email\":\"s@b.example\",\"public_key\":\"-----BEGIN\"}]",
         "service_accounts[0].public_key"},
    };
    char doc[1000];
    uint64_t w;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        snprintf(doc, sizeof doc,
                 "{\"sosia\":1,\"people\":[{\"email\":\"a@b.example\"},{\"email\":\"s@b.example\","
                 "\"kind\":\"service\"}],%s}",
                 cases[i].section);
        struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
        assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
        if (!strstr(test_err.text, cases[i].text))
            fail_msg("%s: %s", cases[i].section, test_err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_code_with_pkce_becomes_tokens, make_world),
        cmocka_unit_test_setup(the_address_brings_openid_along, make_world),
        cmocka_unit_test_setup(an_access_token_ends_by_the_worlds_clock, make_world),
        cmocka_unit_test_setup(the_end_of_a_revoked_token_is_not_that_of_the_next, make_world),
        cmocka_unit_test_setup(a_fixed_token_does_not_end_as_the_one_of_its_value_did, make_world),
        cmocka_unit_test_setup(a_code_that_is_used_twice_ends_what_was_made_of_it, make_world),
        cmocka_unit_test_setup(a_code_that_is_used_twice_ends_a_token_without_a_refresh_token,
                               make_world),
        cmocka_unit_test_setup(a_code_that_is_used_twice_ends_nothing_else, make_world),
        cmocka_unit_test_setup(a_code_is_bound_to_its_request, make_world),
        cmocka_unit_test_setup(a_refresh_token_comes_with_consent_only, make_world),
        cmocka_unit_test_setup(more_scopes_ask_again, make_world),
        cmocka_unit_test_setup(scopes_that_are_too_many_take_none_away, make_world),
        cmocka_unit_test_setup(a_state_that_is_too_long_gets_a_page, make_world),
        cmocka_unit_test_setup(approval_prompt_asks_again_too, make_world),
        cmocka_unit_test_setup(what_is_revoked_has_to_be_agreed_to_again, make_world),
        cmocka_unit_test_setup(a_client_that_is_not_itself_is_refused, make_world),
        cmocka_unit_test_setup(a_refresh_token_gives_no_more_than_it_has, make_world),
        cmocka_unit_test_setup(a_person_is_asked_and_agrees, make_world),
        cmocka_unit_test_setup(a_person_is_asked_and_refuses, make_world),
        cmocka_unit_test_setup(a_form_that_no_page_of_the_server_has_made_is_refused, make_world),
        cmocka_unit_test_setup(nobody_is_asked_when_the_program_says_so, make_world),
        cmocka_unit_test_setup(requests_that_cannot_be_trusted_get_a_page, make_world),
        cmocka_unit_test_setup(a_device_waits_until_a_person_agrees, make_world),
        cmocka_unit_test_setup(a_device_gets_refusals_and_timeouts, make_world),
        cmocka_unit_test_setup(an_access_token_finds_its_world_by_itself, make_world),
        cmocka_unit_test_setup(the_same_requests_give_the_same_bytes, make_world),
        cmocka_unit_test_setup(a_dump_holds_clients_grants_and_accounts, make_world),
        cmocka_unit_test_setup(bad_seeds_name_the_field, make_world),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
