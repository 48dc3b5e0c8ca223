/* SPDX-License-Identifier: Apache-2.0 */
/* The authority of Microsoft's accounts, flow by flow, in process; and its attackers. */
#include "tests/vendors/microsoft/authority.h"

/* ---- codes ---- */

static void a_code_becomes_tokens(void **state)
{
    struct jwt jwt;
    sign_in("common", WEB_ASKS "&client_info=1&nonce=n1", ADA);
    assert_int_equal(test_status, 302);
    assert_true(str_starts(test_header("Location"), "https://app.example/cb?code=1."));
    assert_string_equal(back("state"), "a%26b");
    assert_true(*back("client_info") && *back("session_state"));
    const struct json *v = token(TEXT(WEB_CHANGES "&client_info=1", back("code")));
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "token_type"), "Bearer");
    assert_string_equal(text_at(v, "scope"), "Mail.Read openid profile");
    assert_int_equal(number_at(v, "expires_in"), 3599);
    const char *access = kept(text_at(v, "access_token")), *id = text_at(v, "id_token");
    const char *refresh = kept(text_at(v, "refresh_token"));
    uint8_t *info;
    size_t n;
    assert_int_equal(base64_decode(&test_arena, text_at(v, "client_info"),
                                   strlen(text_at(v, "client_info")), &info, &n),
                     0);
    assert_int_equal(jwt_read(&test_arena, id, &jwt), 0);
    assert_true(jwt_verify(&jwt, NULL, "microsoft tokens"));
    assert_string_equal(text_at(jwt.claims, "iss"),
                        "https://login.microsoftonline.com/" TENANT "/v2.0");
    assert_string_equal(text_at(jwt.claims, "aud"), WEB);
    assert_string_equal(text_at(jwt.claims, "tid"), TENANT);
    assert_string_equal(text_at(jwt.claims, "preferred_username"), "ada@port.example");
    assert_string_equal(text_at(jwt.claims, "name"), "Ada Love");
    assert_string_equal(text_at(jwt.claims, "nonce"), "n1");
    assert_string_equal(
        arena_memdup(&test_arena, info, n),
        TEXT("{\"uid\":\"%s\",\"utid\":\"" TENANT "\"}", text_at(jwt.claims, "oid")));
    assert_string_equal(authority_claim(&test_arena, access, "aud"), "https://graph.microsoft.com");
    assert_string_equal(use(access), "Ada Love");
    v = token(TEXT("grant_type=refresh_token&client_id=" WEB "&client_secret=s1&refresh_token=%s&"
                   "scope=Mail.Read%%20openid%%20offline_access",
                   refresh));
    assert_int_equal(test_status, 200);
    assert_true(*text_at(v, "refresh_token"));
    assert_string_not_equal(text_at(v, "refresh_token"), refresh);
    assert_string_equal(use(text_at(v, "access_token")), "Ada Love");
}

static void a_code_is_bound_to_its_request(void **state)
{
    sign_in(TENANT, WEB_ASKS "&code_challenge_method=S256&code_challenge=" CHALLENGE, ADA);
    const char *code = kept(back("code"));
    const struct json *v = token(TEXT(WEB_CHANGES, code));
    assert_refused(v, 400, "invalid_grant", 50148);
    v = token(TEXT(WEB_CHANGES "&code_verifier=x" VERIFIER, code));
    assert_refused(v, 400, "invalid_grant", 501481);
    v = token(TEXT("grant_type=authorization_code&client_id=" WEB "&client_secret=s1&"
                   "redirect_uri=https%%3A%%2F%%2Fevil.example&code_verifier=" VERIFIER "&code=%s",
                   code));
    assert_refused(v, 400, "invalid_client", 50011);
    v = token(TEXT("grant_type=authorization_code&client_id=" DAEMON "&client_secret=s3&"
                   "redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&code=%s",
                   code));
    assert_refused(v, 400, "invalid_grant", 70008);
    v = post("/" OTHER "/oauth2/v2.0/token", TEXT(WEB_CHANGES "&code_verifier=" VERIFIER, code));
    assert_refused(v, 400, "invalid_grant", 50020);
    v = token(TEXT(WEB_CHANGES "&code_verifier=" VERIFIER, "nonsense"));
    assert_refused(v, 400, "invalid_grant", 70008);
    v = token(TEXT(WEB_CHANGES "&code_verifier=" VERIFIER, code));
    assert_int_equal(test_status, 200);
}

static void a_code_that_is_used_twice_ends_what_was_made_of_it(void **state)
{
    sign_in(TENANT, WEB_ASKS, ADA);
    const char *code = kept(back("code"));
    const char *access = kept(text_at(token(TEXT(WEB_CHANGES, code)), "access_token"));
    assert_string_equal(use(access), "Ada Love");
    assert_refused(token(TEXT(WEB_CHANGES, code)), 400, "invalid_grant", 54005);
    assert_string_equal(use(access), "401");
}

static void a_code_ends_by_the_worlds_clock(void **state)
{
    sign_in(TENANT, WEB_ASKS, ADA);
    const char *code = kept(back("code"));
    test_advance(601);
    const struct json *v = token(TEXT(WEB_CHANGES, code));
    assert_int_equal(test_status, 400);
    assert_string_equal(text_at(v, "error"), "invalid_grant");
}

/* ---- who signs in ---- */

static void nobodys_word_is_taken(void **state)
{
    static const struct {
        const char *who;
        const char *says;
    } cases[] = {
        {"login=ada%40port.example&passwd=wrong", "AADSTS50126"},
        {"login=ada%40port.example", "AADSTS50126"},
        {"sosia_actor=ada%40port.example", "AADSTS50126"},
        {"login=gil%40port.example&passwd=", "AADSTS50126"},
        {"login=gil%40port.example&passwd=x", "AADSTS50034"},
        {"login=nobody%40port.example&passwd=hush", "AADSTS50034"},
        {EVE, "AADSTS50034"}, /* of another tenant */
        {"sosia_link=nonsense", "AADSTS50126"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        sign_in(TENANT, WEB_ASKS, cases[i].who);
        if (test_status != 400 || !strstr(test_body, cases[i].says))
            fail_msg("%s: %d %s", cases[i].who, test_status, test_body);
        assert_string_equal(test_header("Location"), "");
    }
    get("/" TENANT "/oauth2/v2.0/authorize?" WEB_ASKS);
    assert_null(strstr(test_body, "ada@port.example"));
}

static void a_token_of_ones_own_signs_in(void **state)
{
    const char *form = WEB_ASKS "&sosia_decision=allow";
    send_to(AUTHORITY, "POST", "/" TENANT "/oauth2/v2.0/login",
            test_bearer("bob@port.example", NULL), form);
    assert_int_equal(test_status, 302);
    const struct json *v = token(TEXT(WEB_CHANGES, back("code")));
    assert_string_equal(use(text_at(v, "access_token")), "Bob Stone");
    /* One without the scopes does not, nor does one that a program got. */
    send_to(AUTHORITY, "POST", "/" TENANT "/oauth2/v2.0/login",
            test_bearer("bob@port.example", "User.Read"), form);
    assert_int_equal(test_status, 400);
    send_to(AUTHORITY, "POST", "/" TENANT "/oauth2/v2.0/login",
            TEXT("Bearer %s", text_at(v, "access_token")), form);
    assert_int_equal(test_status, 400);
}

static void a_link_of_the_control_interface_signs_in_once(void **state)
{
    char link[SOSIA_LINK_MAX];
    assert_int_equal(sosia_consent_link(test_engine, test_world, "ada@port.example", 0,
                                        "http://localhost:8787", link, sizeof link, NULL,
                                        &test_err),
                     0);
    const char *who = TEXT("sosia_link=%s", strstr(link, "sosia_link=") + strlen("sosia_link="));
    sign_in(TENANT, WEB_ASKS, who);
    assert_int_equal(test_status, 302);
    sign_in(TENANT, WEB_ASKS, who);
    assert_int_equal(test_status, 400);
}

static void a_form_of_another_page_is_refused(void **state)
{
    const char *form = WEB_ASKS "&" ADA "&sosia_decision=allow";
    post("/" TENANT "/oauth2/v2.0/login", form);
    assert_int_equal(test_status, 400);
    post("/" TENANT "/oauth2/v2.0/login", TEXT("%s&sosia_nonce=AAAAAAAAAAAAAAAAAAAAAA", form));
    assert_int_equal(test_status, 400);
    get("/" TENANT "/oauth2/v2.0/authorize?" WEB_ASKS);
    const char *own = mark();
    const struct sosia_header headers[] = {{"Host", AUTHORITY},
                                           {"Content-Type", "application/x-www-form-urlencoded"},
                                           {"Origin", "https://evil.example"}};
    const char *whole = TEXT("%s&sosia_nonce=%s", form, own);
    test_request("POST", "/" TENANT "/oauth2/v2.0/login", headers, 3, whole, strlen(whole));
    assert_int_equal(test_status, 403);
}

static void who_declines_or_is_disabled_gets_no_code(void **state)
{
    get("/" TENANT "/oauth2/v2.0/authorize?" WEB_ASKS);
    post("/" TENANT "/oauth2/v2.0/login",
         TEXT("%s&sosia_decision=deny&sosia_nonce=%s", WEB_ASKS "&" ADA, mark()));
    assert_string_equal(back("error"), "access_denied");
    assert_non_null(strstr(back("error_description"), "AADSTS65004"));
    assert_string_equal(back("state"), "a%26b");
    get("/common/oauth2/v2.0/authorize?" WEB_ASKS "&prompt=none");
    assert_string_equal(back("error"), "login_required");
}

static void only_the_document_makes_an_app_automatic(void **state)
{
#define AUTO_ASKS                                                                                  \
    "client_id=" AUTO "&redirect_uri=https%3A%2F%2Fauto.example%2Fcb&response_type=code&"          \
    "scope=User.Read"
    get("/" TENANT "/oauth2/v2.0/authorize?" AUTO_ASKS);
    assert_int_equal(test_status, 302);
    assert_true(*back("code"));
    get("/" TENANT "/oauth2/v2.0/authorize?" AUTO_ASKS "&login_hint=bob%40port.example");
    assert_int_equal(test_status, 200); /* another one proves who it is */
}

/* ---- requests that lie ---- */

static void requests_that_cannot_be_trusted_get_a_page(void **state)
{
    static const struct {
        const char *path, *query, *says;
    } cases[] = {
        {"common", "", "AADSTS900144"},
        {"common", "client_id=nobody&redirect_uri=https://app.example/cb", "AADSTS700016"},
        {"common", "client_id=googles&redirect_uri=https://app.example/cb", "AADSTS700016"},
        {"common", "client_id=" WEB, "AADSTS900144"},
        {"common", "client_id=" WEB "&redirect_uri=https://evil.example/cb", "AADSTS50011"},
        {"common", "client_id=" WEB "&redirect_uri=https://app.example/cb2", "AADSTS50011"},
        {"common", "client_id=" WEB "&redirect_uri=https://app.example/cb%23x", "AADSTS50011"},
        {"common", "client_id=" WEB "&redirect_uri=https://app.example/cb%0d%0aX: y",
         "AADSTS50011"},
        {"common", "client_id=" DESK "&redirect_uri=http://localhost:1@evil.example/",
         "AADSTS50011"},
        {"common", WEB_ASKS "&client_id=" DESK, "AADSTS9000411"},
        {"nowhere.example", WEB_ASKS, "AADSTS90002"},
        {"11111111-2222-4333-8444-555555555555", WEB_ASKS, "AADSTS90002"},
        {"a%2f..%2fb", WEB_ASKS, "AADSTS900023"},
        {"acme.example", "client_id=" DAEMON "&redirect_uri=https://x.example", "AADSTS700016"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        get(TEXT("/%s/oauth2/v2.0/authorize?%s", cases[i].path, cases[i].query));
        if (test_status != 400 || !strstr(test_body, cases[i].says))
            fail_msg("%s %s: %d %s", cases[i].path, cases[i].query, test_status, test_body);
        assert_string_equal(test_header("Location"), "");
    }
}

static void other_faults_go_back_to_the_program(void **state)
{
    static const struct {
        const char *more, *error;
    } cases[] = {
        {"&response_type=token&scope=User.Read", "unsupported_response_type"},
        {"&response_type=code", "invalid_request"},
        {"&response_type=code&scope=%3Cx%3E", "invalid_scope"},
        {"&response_type=code&scope=User.Read%20https%3A%2F%2Fother.example%2Fx",
         "invalid_request"},
        {"&response_type=code&scope=User.Read&response_mode=pigeon", "invalid_request"},
        {"&response_type=code&scope=User.Read&code_challenge=short", "invalid_request"},
        {"&response_type=code&scope=User.Read&prompt=ask", "invalid_request"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        get(TEXT("/common/oauth2/v2.0/authorize?client_id=" WEB
                 "&redirect_uri=https://app.example/cb&state=s%s",
                 cases[i].more));
        if (test_status != 302 || strcmp(back("error"), cases[i].error) != 0)
            fail_msg("%s: %d %s", cases[i].more, test_status, test_header("Location"));
        assert_string_equal(back("state"), "s");
    }
}

static void an_app_that_is_not_itself_is_refused(void **state)
{
    sign_in(TENANT, WEB_ASKS, ADA);
    const struct json *v = token(TEXT(WEB_CHANGES, back("code")));
    const char *refresh = kept(text_at(v, "refresh_token"));
#define RENEW(more) TEXT("grant_type=refresh_token&refresh_token=%s" more, refresh)
    assert_refused(token(RENEW("&client_id=nobody")), 400, "unauthorized_client", 700016);
    assert_refused(token(RENEW("&client_id=" WEB)), 401, "invalid_client", 7000218);
    assert_refused(token(RENEW("&client_id=" WEB "&client_secret=no")), 401, "invalid_client",
                   7000215);
    assert_refused(token(RENEW("&client_id=" AUTO "&client_secret=s4")), 400, "invalid_grant",
                   700005);
    assert_refused(token(RENEW("")), 400, "invalid_request", 900144);
    assert_refused(token(RENEW("&client_id=" WEB "&client_secret=s1&scope=Mail.Send")), 400,
                   "invalid_grant", 65001);
    assert_refused(token("grant_type=magic&client_id=" WEB), 400, "unsupported_grant_type", 70003);
    assert_refused(token("client_id=" WEB), 400, "invalid_request", 900144);
    assert_refused(token("grant_type=%zz"), 400, "invalid_request", 9000410);
    assert_refused(
        post("/" OTHER "/oauth2/v2.0/token", RENEW("&client_id=" WEB "&client_secret=s1")), 400,
        "invalid_grant", 50020);
    token(RENEW("&client_id=" WEB "&client_secret=s1"));
    assert_int_equal(test_status, 200);
}

/* ---- apps themselves ---- */

static void an_app_gets_what_the_tenant_gave_it(void **state)
{
#define OWN                                                                                        \
    "grant_type=client_credentials&client_id=" DAEMON "&client_secret=s3&"                         \
    "scope=https%3A%2F%2Fgraph.microsoft.com%2F.default"
    const struct json *v = token(OWN);
    assert_int_equal(test_status, 200);
    assert_null(json_get(v, "refresh_token"));
    assert_null(json_get(v, "scope"));
    const char *access = text_at(v, "access_token");
    const char *last = strrchr(access, '.');
    const struct json *claims = claims_of(TEXT("%.*sAAAA", (int)(last + 1 - access), access));
    assert_string_equal(text_at(claims, "idtyp"), "app");
    assert_string_equal(json_get(claims, "roles")->items[0].str, "Mail.Read");
    assert_string_equal(use(access), "403"); /* it is nobody */
    assert_refused(token("grant_type=client_credentials&client_id=" DAEMON "&client_secret=s3&"
                         "scope=Mail.Read"),
                   400, "invalid_scope", 1002012);
    assert_refused(post("/common/oauth2/v2.0/token", OWN), 400, "invalid_request", 50059);
    assert_refused(post("/" OTHER "/oauth2/v2.0/token", OWN), 400, "unauthorized_client", 700016);
    assert_refused(token("grant_type=client_credentials&client_id=" WEB "&client_secret=s1&"
                         "scope=https%3A%2F%2Fgraph.microsoft.com%2F.default"),
                   400, "unauthorized_client", 7000229);
    assert_refused(token("grant_type=client_credentials&client_id=" DESK
                         "&scope=https%3A%2F%2Fgraph.microsoft.com%2F.default"),
                   401, "invalid_client", 7000218);
    v = post("/port.example/oauth2/token",
             "grant_type=client_credentials&client_id=" DAEMON "&client_secret=s3&"
             "resource=https%3A%2F%2Fgraph.microsoft.com");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "expires_in"), "3599");
    assert_string_equal(text_at(v, "resource"), "https://graph.microsoft.com");
}

static const struct json *graph(const char *access, const char *target)
{
    return send_to("graph.microsoft.com", "GET", target, TEXT("Bearer %s", access), NULL);
}

static void an_apps_token_is_of_the_tenant_that_gave_it(void **state)
{
    test_use(
        TEXT("%s  - {app: " DAEMON ", tenant: acme.example, application: User.Read.All}\n", doc));
    const struct json *v = post("/" OTHER "/oauth2/v2.0/token", OWN);
    v = graph(text_at(v, "access_token"), "/v1.0/users");
    assert_string_equal(column(v, "value", "userPrincipalName"), "eve@acme.example");
    v = graph(text_at(token(OWN), "access_token"), "/v1.0/users");
    assert_non_null(strstr(column(v, "value", "userPrincipalName"), "ada@port.example"));
    assert_null(strstr(column(v, "value", "userPrincipalName"), "eve@acme.example"));
}

/* Eve has her mailbox in the other tenant. */
static void an_app_does_not_follow_a_person_into_another_tenant(void **state)
{
    test_use("sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
             "people: [{email: eve@acme.example, name: Eve}]\n"
             "accounts:\n"
             "  - {actor: eve@acme.example, vendor: microsoft, tenant: acme.example, id: "
             "0d1e0000-0000-4000-8000-0000000000e1, services: [calendar]}\n"
             "  - {actor: eve@acme.example, vendor: microsoft, tenant: port.example, id: "
             "0d1e0000-0000-4000-8000-0000000000e2, services: [mail]}\n"
             "apps: [{client_id: " DAEMON
             ", client_secret: s3, name: Daemon, kind: web, vendor: microsoft}]\n"
             "microsoftTenants: [{domain: acme.example, id: " OTHER "}, {domain: port.example}]\n"
             "microsoftApps: [{app: " DAEMON
             ", tenant: acme.example, application: Mail.Read Calendars.Read}]\n");
    const char *access = kept(text_at(post("/" OTHER "/oauth2/v2.0/token", OWN), "access_token"));
    graph(access, "/v1.0/users/eve@acme.example/events");
    assert_int_equal(test_status, 200);
    const struct json *v = graph(access, "/v1.0/users/eve@acme.example/messages");
    assert_int_equal(test_status, 404);
    assert_string_equal(text_at(v, "error.code"), "MailboxNotEnabledForRESTAPI");
}

/* ---- devices ---- */

static void a_device_waits_until_a_person_signs_in(void **state)
{
    const struct json *v = post("/organizations/oauth2/v2.0/devicecode",
                                "client_id=" DESK "&scope=User.Read%20openid");
    assert_int_equal(test_status, 200);
    const char *code = kept(text_at(v, "device_code")), *user = kept(text_at(v, "user_code"));
    assert_string_equal(text_at(v, "verification_uri"),
                        "https://login.microsoftonline.com/common/oauth2/deviceauth");
#define POLL TEXT("grant_type=device_code&client_id=" DESK "&client_info=1&device_code=%s", code)
    assert_refused(token(POLL), 400, "authorization_pending", 70016);
    get("/common/oauth2/deviceauth");
    const char *own = mark();
#define ENTER(who)                                                                                 \
    post("/common/oauth2/deviceauth",                                                              \
         TEXT("user_code=%s&" who "&sosia_decision=allow&sosia_nonce=%s", user, own))
    ENTER("login=ada%%40port.example&passwd=wrong");
    assert_int_equal(test_status, 400);
    assert_refused(token(POLL), 400, "authorization_pending", 70016);
    ENTER("login=ada%%40port.example&passwd=hush");
    assert_int_equal(test_status, 200);
    ENTER("login=bob%%40port.example&passwd=stone"); /* what is decided stays so */
    assert_int_equal(test_status, 400);
    v = token(POLL);
    assert_int_equal(test_status, 200);
    assert_string_equal(use(text_at(v, "access_token")), "Ada Love");
    assert_refused(token(POLL), 400, "bad_verification_code", 70018);
}

/* ---- passwords, and on behalf of ---- */

#define ASKS(who, scope)                                                                           \
    "grant_type=password&client_id=" WEB "&client_secret=s1&" who "&scope=" scope

static void a_password_needs_consent_too(void **state)
{
#define AS_ADA "username=ada%40port.example&password=hush"
    assert_refused(token(ASKS(AS_ADA, "Mail.Read")), 400, "invalid_grant", 65001);
    sign_in(TENANT, WEB_ASKS, ADA);
    assert_refused(token(ASKS("username=ada%40port.example&password=no", "Mail.Read")), 400,
                   "invalid_grant", 50126);
    assert_refused(token(ASKS("username=gil%40port.example&password=x", "Mail.Read")), 400,
                   "invalid_grant", 50034);
    assert_refused(post("/common/oauth2/v2.0/token", ASKS(AS_ADA, "Mail.Read")), 400,
                   "invalid_request", 9001023);
    const struct json *v = token(ASKS(AS_ADA, "Mail.Read%20openid"));
    assert_int_equal(test_status, 200);
    assert_string_equal(use(text_at(v, "access_token")), "Ada Love");
}

static void an_api_acts_on_behalf_of_who_called_it(void **state)
{
#define DESK_ASKS                                                                                  \
    "client_id=" DESK "&redirect_uri=http%3A%2F%2Flocalhost%3A99%2F&response_type=code&"           \
    "scope=openid%20api%3A%2F%2F" WEB "%2Faccess"
#define BEHALF                                                                                     \
    TEXT("grant_type=urn%%3Aietf%%3Aparams%%3Aoauth%%3Agrant-type%%3Ajwt-bearer&client_id=" WEB    \
         "&client_secret=s1&requested_token_use=on_behalf_of&scope=Mail.Read%%20openid&assertion=" \
         "%s",                                                                                     \
         assertion)
    struct jwt jwt;
    sign_in(TENANT, WEB_ASKS, ADA);
    const char *graph = kept(text_at(token(TEXT(WEB_CHANGES, back("code"))), "access_token"));
    sign_in(TENANT, DESK_ASKS, ADA);
    assert_int_equal(test_status, 302);
    const struct json *v = token(TEXT("grant_type=authorization_code&client_id=" DESK
                                      "&redirect_uri=http%%3A%%2F%%2Flocalhost%%3A99%%2F&code=%s",
                                      back("code")));
    assert_int_equal(test_status, 200);
    const char *assertion = kept(text_at(v, "access_token"));
    assert_int_equal(jwt_read(&test_arena, assertion, &jwt), 0);
    assert_true(jwt_verify(&jwt, NULL, "microsoft tokens")); /* an API of one's own can check it */
    assert_string_equal(text_at(jwt.claims, "scp"), "access openid");
    assert_string_equal(use(assertion), "401"); /* it is not for Graph */
    v = token(BEHALF);
    assert_int_equal(test_status, 200);
    assert_string_equal(use(text_at(v, "access_token")), "Ada Love");
    assertion = graph; /* a token of another audience */
    assert_refused(token(BEHALF), 400, "invalid_grant", 500131);
    assertion = "eyJhbGciOiJub25lIn0.e30.";
    assert_refused(token(BEHALF), 400, "invalid_grant", 50013);
}

/* ---- consent ---- */

static void a_token_of_a_deleted_user_opens_nothing(void **state)
{
    struct sosia_header headers[2] = {{"Host", "graph.microsoft.com"},
                                      {"Authorization", test_bearer("ada@port.example", NULL)}};
    sign_in(TENANT, WEB_ASKS, BOB);
    const char *access = kept(text_at(token(TEXT(WEB_CHANGES, back("code"))), "access_token"));
    graph(access, "/v1.0/me/messages");
    assert_int_equal(test_status, 200);
    test_request("DELETE", "/v1.0/users/bob@port.example", headers, 2, NULL, 0);
    assert_int_equal(test_status, 204);
    graph(access, "/v1.0/me/messages");
    assert_int_equal(test_status, 404);
    graph(access, "/v1.0/users/ada@port.example/messages");
    assert_int_equal(test_status, 404);
}

static void what_an_administrator_has_to_agree_to_is_refused_to_users(void **state)
{
#define ADMIN_ASKS                                                                                 \
    "client_id=" WEB "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code&"            \
    "scope=User.ReadWrite.All"
#define CONSENT                                                                                    \
    "client_id=" WEB "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=z&"                       \
    "scope=User.ReadWrite.All"
    sign_in(TENANT, ADMIN_ASKS, ADA);
    assert_string_equal(back("error"), "access_denied");
    assert_non_null(strstr(back("error_description"), "AADSTS90094"));
    get("/" TENANT "/v2.0/adminconsent?" CONSENT);
    assert_int_equal(test_status, 200);
    const char *own = mark();
    post("/" TENANT "/v2.0/adminconsent",
         TEXT("%s&sosia_decision=allow&sosia_nonce=%s", CONSENT "&" ADA, own));
    assert_int_equal(test_status, 400);
    assert_non_null(strstr(test_body, "AADSTS90093"));
    post("/" TENANT "/v2.0/adminconsent",
         TEXT("%s&sosia_decision=allow&sosia_nonce=%s", CONSENT "&" BOB, own));
    assert_int_equal(test_status, 302);
    assert_string_equal(back("admin_consent"), "True");
    assert_string_equal(back("tenant"), TENANT);
    assert_string_equal(back("state"), "z");
    sign_in(TENANT, ADMIN_ASKS, ADA);
    assert_true(*back("code"));
    post("/" TENANT "/v2.0/adminconsent",
         TEXT("%s&sosia_decision=allow&sosia_nonce=%s",
              "client_id=" WEB "&redirect_uri=https%3A%2F%2Fevil.example&" BOB, own));
    assert_int_equal(test_status, 400);
    assert_string_equal(test_header("Location"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_code_becomes_tokens),
        TEST(a_code_is_bound_to_its_request),
        TEST(a_code_that_is_used_twice_ends_what_was_made_of_it),
        TEST(a_code_ends_by_the_worlds_clock),
        TEST(nobodys_word_is_taken),
        TEST(a_token_of_ones_own_signs_in),
        TEST(a_link_of_the_control_interface_signs_in_once),
        TEST(a_form_of_another_page_is_refused),
        TEST(who_declines_or_is_disabled_gets_no_code),
        TEST(only_the_document_makes_an_app_automatic),
        TEST(requests_that_cannot_be_trusted_get_a_page),
        TEST(other_faults_go_back_to_the_program),
        TEST(an_app_that_is_not_itself_is_refused),
        TEST(an_app_gets_what_the_tenant_gave_it),
        TEST(an_apps_token_is_of_the_tenant_that_gave_it),
        TEST(an_app_does_not_follow_a_person_into_another_tenant),
        TEST(a_device_waits_until_a_person_signs_in),
        TEST(a_password_needs_consent_too),
        TEST(an_api_acts_on_behalf_of_who_called_it),
        TEST(a_token_of_a_deleted_user_opens_nothing),
        TEST(what_an_administrator_has_to_agree_to_is_refused_to_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
