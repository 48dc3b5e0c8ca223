/* SPDX-License-Identifier: Apache-2.0 */
/* The authority of Microsoft's accounts, flow by flow, in process; and its attackers. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "identity/jwt.h"
#include "tests/support/world.h"
#include "vendors/microsoft/signin/signin.h"
#include <stdio.h>

#define AUTHORITY "login.microsoftonline.com"
#define TENANT    "7c0f0000-0000-4000-8000-000000000001"
#define OTHER     "7c0f0000-0000-4000-8000-000000000002"
#define WEB       "11111111-0000-4000-8000-000000000001"
#define DESK      "11111111-0000-4000-8000-000000000002"
#define DAEMON    "11111111-0000-4000-8000-000000000003"
#define AUTO      "11111111-0000-4000-8000-000000000004"
#define BOB_ID    "0d1e0000-0000-4000-8000-00000000000b"
/* Of RFC 7636, appendix B. */
#define VERIFIER  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}, {domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@port.example, name: Ada Love}\n"
    "  - {email: bob@port.example, name: Bob Stone}\n"
    "  - {email: eve@acme.example, name: Eve}\n"
    "  - {email: gil@port.example, name: Gil}\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: bob@port.example, vendor: microsoft, id: " BOB_ID "}\n"
    "  - {actor: eve@acme.example, vendor: microsoft}\n"
    "apps:\n"
    "  - {client_id: " WEB ", client_secret: s1, name: Web, kind: web, vendor: microsoft,\n"
    "     redirect_uris: ['https://app.example/cb']}\n"
    "  - {client_id: " DESK ", name: Desk, kind: installed, vendor: microsoft}\n"
    "  - {client_id: " DAEMON ", client_secret: s3, name: Daemon, kind: web, vendor: microsoft}\n"
    "  - {client_id: " AUTO ", client_secret: s4, name: Auto, kind: web, vendor: microsoft,\n"
    "     automatic: ada@port.example, redirect_uris: ['https://auto.example/cb']}\n"
    "  - {client_id: googles, client_secret: s5, name: Other, kind: web, vendor: google}\n"
    "microsoftTenants:\n"
    "  - {domain: port.example, id: " TENANT ", name: Port, country: DE}\n"
    "  - {domain: acme.example, id: " OTHER ", name: Acme}\n"
    "microsoftUsers:\n"
    "  - {actor: ada@port.example, password: hush, jobTitle: Buyer, manager: bob@port.example}\n"
    "  - {actor: bob@port.example, password: stone, admin: true}\n"
    "  - {actor: eve@acme.example, password: apple}\n"
    "microsoftApps:\n"
    "  - {app: " WEB ", tenant: port.example}\n"
    "  - {app: " WEB ", tenant: acme.example}\n"
    "  - {app: " DAEMON ", tenant: port.example, application: Mail.Read User.Read.All}\n"
    "  - {app: " AUTO ", tenant: port.example}\n";

static char scratch[16][8192];
static const char *kept(const char *text)
{
    static int at;
    char *to = scratch[at++ % 16];
    snprintf(to, sizeof scratch[0], "%s", text);
    return to;
}

static const struct json *send_to(const char *host, const char *method, const char *target,
                                  const char *auth, const char *form)
{
    struct sosia_header headers[3] = {{"Host", host}};
    size_t n = 1;
    if (auth)
        headers[n++] = (struct sosia_header){"Authorization", auth};
    if (form)
        headers[n++] = (struct sosia_header){"Content-Type", "application/x-www-form-urlencoded"};
    return test_request(method, target, headers, n, form, form ? strlen(form) : 0);
}

static const struct json *get(const char *target)
{
    return send_to(AUTHORITY, "GET", target, NULL, NULL);
}

static const struct json *post(const char *target, const char *form)
{
    return send_to(AUTHORITY, "POST", target, NULL, form);
}

#define TEXT(...) arena_printf(&test_arena, __VA_ARGS__)
#define TOKENS    "/" TENANT "/oauth2/v2.0/token"

static const struct json *token(const char *form)
{
    return post(TOKENS, form);
}

static void assert_refused(const struct json *v, int status, const char *error, int number)
{
    int64_t n = 0;
    if (test_status != status || strcmp(text_at(v, "error"), error) != 0)
        fail_msg("%d %s", test_status, test_body);
    json_i64(&json_get(v, "error_codes")->items[0], &n);
    if (n != number)
        fail_msg("%lld: %s", (long long)n, test_body);
    assert_true(str_starts(text_at(v, "error_description"), TEXT("AADSTS%d: ", number)));
    assert_non_null(strstr(text_at(v, "error_description"), " Trace ID: "));
    assert_string_equal(text_at(v, "timestamp"), "2026-11-23 08:00:00Z");
}

/* The value of a parameter of the address that the browser is sent to. */
static const char *back(const char *name)
{
    const char *key = TEXT("%s=", name), *p = strstr(test_header("Location"), key);
    return p ? arena_memdup(&test_arena, p + strlen(key), strcspn(p + strlen(key), "&")) : "";
}

static const char *mark(void)
{
    const char *p = strstr(test_body, "name=\"sosia_nonce\" value=\"");
    assert_non_null(p);
    p += strlen("name=\"sosia_nonce\" value=\"");
    return arena_memdup(&test_arena, p, strcspn(p, "\""));
}

#define WEB_ASKS                                                                                   \
    "client_id=" WEB "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code&"            \
    "scope=openid%20profile%20offline_access%20Mail.Read&state=a%26b"
#define WEB_CHANGES                                                                                \
    "grant_type=authorization_code&client_id=" WEB "&client_secret=s1&"                            \
    "redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&code=%s"

/* A person signs in on the page. */
static void sign_in(const char *tenant, const char *ask, const char *who)
{
    get(TEXT("/%s/oauth2/v2.0/authorize?%s", tenant, ask));
    assert_int_equal(test_status, 200);
    post(TEXT("/%s/oauth2/v2.0/login", tenant),
         TEXT("%s&%s&sosia_decision=allow&sosia_nonce=%s", ask, who, mark()));
}

#define ADA "login=ada%40port.example&passwd=hush"
#define BOB "login=bob%40port.example&passwd=stone"
#define EVE "login=eve%40acme.example&passwd=apple"

static int begin(void **state)
{
    return test_open(doc);
}

static int end(void **state)
{
    return test_close();
}

/* ---- codes ---- */

static const struct json *claims_of(const char *text)
{
    struct jwt jwt;
    assert_int_equal(jwt_read(&test_arena, text, &jwt), 0);
    return jwt.claims;
}

static const char *use(const char *access)
{
    const struct json *v =
        send_to("graph.microsoft.com", "GET", "/oidc/userinfo", TEXT("Bearer %s", access), NULL);
    return test_status == 200 ? text_at(v, "name") : TEXT("%d", test_status);
}

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

/* ---- documents ---- */

static void the_documents_say_where_everything_is(void **state)
{
    const struct json *v = get("/common/v2.0/.well-known/openid-configuration");
    assert_string_equal(text_at(v, "issuer"), "https://login.microsoftonline.com/{tenantid}/v2.0");
    assert_string_equal(text_at(v, "token_endpoint"),
                        "https://login.microsoftonline.com/common/oauth2/v2.0/token");
    v = get("/port.example/.well-known/openid-configuration");
    assert_string_equal(text_at(v, "issuer"), "https://sts.windows.net/" TENANT "/");
    v = get("/nowhere.example/v2.0/.well-known/openid-configuration");
    assert_refused(v, 400, "invalid_request", 90002);
    v = get("/common/discovery/instance?api-version=1.1&authorization_endpoint=https%3A%2F%2F"
            "login.microsoftonline.com%2Fcommon%2Foauth2%2Fv2.0%2Fauthorize");
    assert_string_equal(text_at(v, "tenant_discovery_endpoint"),
                        "https://login.microsoftonline.com/common/v2.0/.well-known/"
                        "openid-configuration");
    v = get("/common/discovery/instance?api-version=1.1&authorization_endpoint=https%3A%2F%2F"
            "evil.example%2Fcommon");
    assert_refused(v, 400, "invalid_instance", 50049);
    v = get("/common/discovery/v2.0/keys");
    assert_string_equal(json_get_str(&json_get(v, "keys")->items[0], "kty"), "RSA");
    v = get("/common/userrealm/ada%40port.example?api-version=1.0");
    assert_string_equal(text_at(v, "account_type"), "Managed");
    v = get("/common/userrealm/x%40nowhere.example?api-version=1.0");
    assert_string_equal(text_at(v, "account_type"), "Unknown");
}

/* ---- credentials ---- */

static void a_token_of_the_control_interface_looks_like_the_authoritys(void **state)
{
    struct sosia_blob file;
    const struct json *v;
    assert_int_equal(sosia_credential(test_engine, test_world, "microsoft", "ada@port.example",
                                      NULL, &file, &test_err),
                     0);
    assert_int_equal(json_parse(&test_arena, file.data, file.len, NULL, &v, &test_err), 0);
    const char *access = text_at(v, "microsoft_token");
    assert_string_equal(authority_claim(&test_arena, access, "aud"), "https://graph.microsoft.com");
    assert_string_equal(text_at(v, "microsoft_tenant"), TENANT);
    assert_int_equal(json_get(v, "apps")->n, 3);
    assert_string_equal(use(access), "Ada Love");
    sosia_blob_free(&file);
    assert_int_equal(sosia_credential(test_engine, test_world, "microsoft", "gil@port.example",
                                      NULL, &file, &test_err),
                     -1);
}

/* ---- worlds ---- */

static void a_dump_is_a_seed_again(void **state)
{
    struct sosia_blob first, again;
    uint64_t other;
    sign_in(TENANT, WEB_ASKS, ADA);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &first, &test_err), 0);
    static const char *const parts[] = {"\"jobTitle\": \"Buyer\"", "\"application\": \"Mail.Read",
                                        "\"password\": \"hush\"", "\"country\": \"DE\""};
    for (size_t i = 0; i < SOSIA_LEN(parts); i++)
        if (!strstr(first.data, parts[i]))
            fail_msg("no %s in %s", parts[i], first.data);
    struct sosia_world_options opt = {.seed_doc = first.data, .seed_doc_len = first.len};
    if (sosia_world_create(test_engine, &opt, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(first.data, again.data);
    sosia_blob_free(&first);
    sosia_blob_free(&again);
}

static void bad_seeds_name_the_field(void **state)
{
    static const struct {
        const char *section, *text;
    } cases[] = {
        {"microsoftTenants: [{domain: port}]", "microsoftTenants[0].domain"},
        {"microsoftTenants: [{domain: port.example, id: X}]", "microsoftTenants[0].id"},
        {"microsoftTenants: [{domain: port.example, country: Germany}]",
         "microsoftTenants[0].country"},
        {"microsoftTenants: [{domain: port.example}, {domain: port.example}]",
         "microsoftTenants[1].domain"},
        {"microsoftUsers: [{actor: x@y.example}]", "microsoftUsers[0].actor"},
        {"microsoftUsers: [{actor: a@b.example, tenant: nowhere.example}]",
         "microsoftUsers[0].tenant"},
        {"microsoftUsers: [{actor: a@b.example, upn: nothing}]", "microsoftUsers[0].upn"},
        {"microsoftUsers: [{actor: a@b.example, manager: x@y.example}]",
         "microsoftUsers[0].manager"},
        {"microsoftUsers: [{actor: a@b.example}, {actor: a@b.example}]", "microsoftUsers[1].actor"},
        {"microsoftUsers: [{actor: a@b.example, type: owner}]", "microsoftUsers[0].type"},
        {"microsoftTenants: [{domain: b.example}]\nmicrosoftApps: [{app: x, tenant: b.example}]",
         "microsoftApps[0].app"},
        {"apps: [{client_id: x, name: X, kind: web, vendor: microsoft}]\n"
         "microsoftApps: [{app: x, tenant: b.example}]",
         "microsoftApps[0].tenant"},
    };
    uint64_t w;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *text = TEXT("sosia: 1\npeople: [{email: a@b.example}]\n%s\n", cases[i].section);
        struct sosia_world_options opt = {.seed_doc = text, .seed_doc_len = strlen(text)};
        assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
        if (!strstr(test_err.text, cases[i].text))
            fail_msg("%s: %s", cases[i].section, test_err.text);
    }
}

static void ids_of_requests_break_out_of_no_header(void **state)
{
    get("/" TENANT "/v2.0/.well-known/openid-configuration?client-request-id=a-1");
    assert_string_equal(test_header("client-request-id"), "a-1");
    get("/" TENANT "/v2.0/.well-known/openid-configuration?client-request-id=a%0d%0aX-Evil:%201");
    assert_int_equal(strcspn(test_header("client-request-id"), "\r\n"), 36);
}

static void the_same_requests_give_the_same_bytes(void **state)
{
    static char first[2][16384];
    for (int i = 0; i < 2; i++) {
        sign_in(TENANT, WEB_ASKS, ADA);
        token(TEXT(WEB_CHANGES, back("code")));
        snprintf(first[i], sizeof first[i], "%s", test_body);
        assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    }
    assert_string_equal(first[0], first[1]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

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
        TEST(the_documents_say_where_everything_is),
        TEST(a_token_of_the_control_interface_looks_like_the_authoritys),
        TEST(a_dump_is_a_seed_again),
        TEST(bad_seeds_name_the_field),
        TEST(ids_of_requests_break_out_of_no_header),
        TEST(the_same_requests_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
