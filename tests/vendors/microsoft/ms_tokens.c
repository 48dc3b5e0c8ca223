/* SPDX-License-Identifier: Apache-2.0 */
/* The authority: programs that sign in with a certificate, tokens without a code, and people who
 * are users of two tenants. */
#include "identity/jwt.h"
#include "tests/support/hook.h"
#include "vendors/microsoft/signin/signin.h"
#include <stdio.h>

#define AUTHORITY "login.microsoftonline.com"
#define TENANT    "7c0f0000-0000-4000-8000-000000000001"
#define OTHER     "7c0f0000-0000-4000-8000-000000000002"
#define DAEMON    "11111111-0000-4000-8000-000000000003"
#define BOTH      "11111111-0000-4000-8000-000000000004"
#define FRONT     "11111111-0000-4000-8000-000000000005"
#define WEB       "11111111-0000-4000-8000-000000000006"
#define GUEST     "eve_acme.example#ext#@port.onmicrosoft.com"
#define TOKENS    "/" TENANT "/oauth2/v2.0/token"
#define TEXT(...) arena_printf(&test_arena, __VA_ARGS__)

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "people: [{email: ada@port.example, name: Ada}, {email: eve@acme.example, name: Eve}]\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: eve@acme.example, vendor: microsoft}\n"
    "apps:\n"
    "  - {client_id: " DAEMON ", name: Daemon, kind: web, vendor: microsoft,\n"
    "     redirect_uris: ['https://app.example/cb']}\n"
    "  - {client_id: " BOTH ", client_secret: s4, name: Both, kind: web, vendor: microsoft,\n"
    "     automatic: ada@port.example, redirect_uris: ['https://app.example/cb']}\n"
    "  - {client_id: " FRONT ", name: Front, kind: web, vendor: microsoft,\n"
    "     automatic: ada@port.example, redirect_uris: ['https://app.example/cb']}\n"
    "  - {client_id: " WEB ", client_secret: s6, name: Web, kind: web, vendor: microsoft,\n"
    "     redirect_uris: ['https://app.example/cb']}\n"
    "microsoftTenants:\n"
    "  - {domain: port.example, id: " TENANT "}\n"
    "  - {domain: acme.example, id: " OTHER "}\n"
    "microsoftUsers:\n"
    "  - {actor: ada@port.example, password: hush}\n"
    "  - {actor: eve@acme.example, tenant: port.example, type: guest, upn: '" GUEST "',\n"
    "     password: visit}\n"
    "  - {actor: eve@acme.example, tenant: acme.example, password: apple}\n"
    "microsoftApps:\n"
    "  - {app: " DAEMON ", tenant: port.example, application: User.Read.All}\n"
    "  - {app: " BOTH ", tenant: port.example, application: User.Read.All}\n"
    "  - {app: " BOTH ", tenant: acme.example, application: User.Read.All}\n"
    "microsoftApplications:\n"
    "  - {app: " DAEMON ", keyCredentials: ['%s']}\n"
    "  - {app: " BOTH ", keyCredentials: ['%s', '%s'], enableIdTokenIssuance: true}\n"
    "  - {app: " FRONT ", enableIdTokenIssuance: true, enableAccessTokenIssuance: true}\n";

static const char *first, *second;

static int begin(void **state)
{
    static char kept[2][4096];
    static char text[16384];
    struct arena a = test_arena;
    arena_init(&test_arena, 0);
    snprintf(kept[0], sizeof kept[0], "%s", hook_certificate());
    snprintf(kept[1], sizeof kept[1], "%s", hook_certificate());
    arena_done(&test_arena);
    test_arena = a;
    first = kept[0];
    second = kept[1]; /* the one whose key is at hand */
    snprintf(text, sizeof text, doc, second, first, second);
    return test_open(text);
}

static int end(void **state)
{
    hook_done();
    return test_close();
}

static const struct json *token(const char *target, const char *form)
{
    const struct sosia_header headers[2] = {{"Host", AUTHORITY},
                                            {"Content-Type", "application/x-www-form-urlencoded"}};
    return test_request("POST", target, headers, 2, form, strlen(form));
}

#define CLAIMS(id)                                                                                 \
    "{'aud':'https://login.microsoftonline.com/" TENANT "/oauth2/v2.0/token','iss':'" id           \
    "','sub':'" id "','jti':'1','nbf':1700000000,'exp':1700000600}"
#define SENDS                                                                                      \
    "client_assertion_type=urn%%3Aietf%%3Aparams%%3Aoauth%%3Aclient-assertion-type%%3Ajwt-bearer&" \
    "client_assertion=%s"
#define ASKS(id)                                                                                   \
    "grant_type=client_credentials&scope=https%%3A%%2F%%2Fgraph.microsoft.com%%2F.default&"        \
    "client_id=" id "&"

static const char *rs256(bool sha256)
{
    return TEXT("{'alg':'RS256','typ':'JWT','%s':'%s'}", sha256 ? "x5t#S256" : "x5t",
                hook_print(second, sha256));
}

static int asked_with(const char *header, const char *claims)
{
    token(TOKENS, TEXT(ASKS(DAEMON) SENDS, hook_jwt(header, claims)));
    return test_status;
}

static int number(void)
{
    const struct json *v = parsed(test_body, strlen(test_body));
    return (int)number_at(v, "error_codes.0");
}

static void a_program_signs_in_with_a_certificate(void **state)
{
    assert_int_equal(asked_with(rs256(false), CLAIMS(DAEMON)), 200);
    assert_int_equal(asked_with(rs256(true), CLAIMS(DAEMON)), 200);
    const char *pss = TEXT("{'alg':'PS256','typ':'JWT','x5t#S256':'%s'}", hook_print(second, true));
    assert_int_equal(asked_with(pss, CLAIMS(DAEMON)), 200);
    const struct json *v = parsed(test_body, strlen(test_body));
    const char *access = text_at(v, "access_token");
    assert_string_equal(authority_claim(&test_arena, access, "appidacr"), "2");
    const struct sosia_header headers[2] = {{"Host", "graph.microsoft.com"},
                                            {"Authorization", TEXT("Bearer %s", access)}};
    test_request("GET", "/v1.0/users", headers, 2, NULL, 0);
    assert_int_equal(test_status, 200);
    /* Times may have a fraction, as those of Microsoft's own library for Python. */
    assert_int_equal(asked_with(rs256(false), "{'aud':'https://login.microsoftonline.com/" TENANT
                                              "/v2.0','iss':'" DAEMON "','sub':'" DAEMON
                                              "','iat':1700000000.25,'exp':1700000600.5}"),
                     200);
    /* Beside a secret, and with any of its certificates. */
    token(TOKENS, TEXT(ASKS(BOTH) SENDS, hook_jwt(rs256(false), CLAIMS(BOTH))));
    assert_int_equal(test_status, 200);
    token(TOKENS, TEXT(ASKS(BOTH) "client_secret=s4"));
    assert_int_equal(test_status, 200);
}

static void codes_and_refresh_tokens_too(void **state)
{
    const struct sosia_header headers[1] = {{"Host", AUTHORITY}};
    test_request("GET",
                 "/" TENANT "/oauth2/v2.0/authorize?client_id=" BOTH
                 "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code&"
                 "scope=openid%20offline_access%20User.Read",
                 headers, 1, NULL, 0);
    const char *code = strstr(test_header("Location"), "code=");
    assert_non_null(code);
    code = arena_memdup(&test_arena, code, strcspn(code, "&"));
    const char *with = TEXT("client_id=" BOTH "&" SENDS, hook_jwt(rs256(true), CLAIMS(BOTH)));
    const struct json *v = token(
        TOKENS,
        TEXT("grant_type=authorization_code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&%s&%s",
             code, with));
    assert_int_equal(test_status, 200);
    const char *refresh =
        TEXT("grant_type=refresh_token&refresh_token=%s", text_at(v, "refresh_token"));
    token(TOKENS, TEXT("%s&client_id=" BOTH, refresh));
    assert_int_equal(test_status, 401);
    token(TOKENS, TEXT("%s&%s", refresh, with));
    assert_int_equal(test_status, 200);
}

/* A code for Ada at an app that signs her in by itself: "code=..." */
static const char *code_of_ada(void)
{
    const struct sosia_header headers[1] = {{"Host", AUTHORITY}};
    test_request("GET",
                 "/" TENANT "/oauth2/v2.0/authorize?client_id=" BOTH
                 "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code&"
                 "scope=openid%20offline_access%20User.Read",
                 headers, 1, NULL, 0);
    const char *code = strstr(test_header("Location"), "code=");
    assert_non_null(code);
    return arena_memdup(&test_arena, code, strcspn(code, "&"));
}

static const struct json *redeemed(const char *code)
{
    return token(TOKENS,
                 TEXT("grant_type=authorization_code&redirect_uri=https%%3A%%2F%%2Fapp.example"
                      "%%2Fcb&%s&client_id=" BOTH "&client_secret=s4",
                      code));
}

static const struct json *signed_in(void)
{
    const struct json *v = redeemed(code_of_ada());
    assert_int_equal(test_status, 200);
    return v;
}

static const struct json *with_refresh(const char *refresh_token)
{
    return token(TOKENS, TEXT("grant_type=refresh_token&refresh_token=%s&client_id=" BOTH
                              "&client_secret=s4",
                              refresh_token));
}

static void sessions_end_and_access_tokens_live_on(void **state)
{
    const struct json *v = signed_in();
    const char *old = text_at(v, "refresh_token"), *code = code_of_ada();
    const struct sosia_header as_app[2] = {
        {"Host", "graph.microsoft.com"},
        {"Authorization", TEXT("Bearer %s", text_at(v, "access_token"))}};
    const struct sosia_header as_ada[2] = {
        {"Host", "graph.microsoft.com"},
        {"Authorization", test_bearer("ada@port.example", "User.RevokeSessions.All")}};
    test_request("POST", "/v1.0/me/revokeSignInSessions", as_ada, 2, NULL, 0);
    assert_int_equal(test_status, 200);
    v = with_refresh(old);
    assert_int_equal(test_status, 400);
    assert_string_equal(text_at(v, "error"), "invalid_grant");
    assert_string_equal(json_get(v, "error_codes")->items[0].str, "50173");
    assert_non_null(strstr(text_at(v, "error_description"),
                           "for this user is '2026-11-23T08:00:00.0000000Z'."));
    test_request("GET", "/v1.0/me", as_app, 2, NULL, 0);
    assert_int_equal(test_status, 200);
    v = signed_in(); /* anew, and good */
    with_refresh(text_at(v, "refresh_token"));
    assert_int_equal(test_status, 200);
    with_refresh(old);
    assert_int_equal(test_status, 400);
    v = redeemed(code); /* the sign-in was before, whatever became of the code */
    assert_int_equal(test_status, 400);
    assert_string_equal(text_at(v, "error"), "invalid_grant");
    assert_string_equal(json_get(v, "error_codes")->items[0].str, "50173");
    assert_non_null(
        strstr(text_at(v, "error_description"), "was issued on '2026-11-23T08:00:00.0000000Z'"));
}

static void whoever_has_not_the_key_is_refused(void **state)
{
    const char *good = CLAIMS(DAEMON), *stranger = rs256(true);
    static const struct {
        const char *claims;
        int number;
    } cases[] = {
        {CLAIMS(BOTH), 700021},
        {"{'aud':'https://login.microsoftonline.com/" OTHER "/oauth2/v2.0/token','iss':'" DAEMON
         "','sub':'" DAEMON "','nbf':1,'exp':601}",
         700023},
        {"{'aud':'https://evil.example/" TENANT "/oauth2/v2.0/token','iss':'" DAEMON
         "','sub':'" DAEMON "','nbf':1,'exp':601}",
         700023},
        {"{'aud':'https://login.microsoftonline.com/x" TENANT "','iss':'" DAEMON "','sub':'" DAEMON
         "','nbf':1,'exp':601}",
         700023},
        {"{'iss':'" DAEMON "','sub':'" DAEMON "','nbf':1,'exp':601}", 700023},
        {"{'aud':'https://login.microsoftonline.com/" TENANT "/v2.0','iss':'" DAEMON
         "','sub':'" DAEMON "','nbf':1,'exp':99999999}",
         700024},
        {"{'aud':'https://login.microsoftonline.com/" TENANT "/v2.0','iss':'" DAEMON
         "','sub':'" DAEMON "','exp':601}",
         700024},
        {"{'aud':'https://login.microsoftonline.com/" TENANT "/v2.0','iss':'" DAEMON
         "','sub':'" DAEMON "','nbf':1,'exp':1e300}",
         700024},
        {"{'aud':'https://login.microsoftonline.com/" TENANT "/v2.0','iss':'" DAEMON
         "','sub':'" DAEMON "','nbf':'1','exp':601}",
         700024},
        {"{'aud':'https://login.microsoftonline.com/" TENANT "/v2.0','iss':'" DAEMON
         "','nbf':1,'exp':601}",
         700021},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (asked_with(rs256(false), cases[i].claims) != 401 || number() != cases[i].number)
            fail_msg("%s: %s", cases[i].claims, test_body);
    asked_with("{'alg':'RS256','x5t':'AAAA'}", good);
    assert_int_equal(number(), 700027);
    asked_with("{'alg':'RS256'}", good);
    assert_int_equal(number(), 700027);
    asked_with(TEXT("{'alg':'none','x5t':'%s'}", hook_print(second, false)), good);
    assert_int_equal(number(), 700027);
    asked_with(TEXT("{'alg':'HS256','x5t':'%s'}", hook_print(second, false)), good);
    assert_int_equal(number(), 700027);
    /* The certificate of the app, the key of somebody else. */
    hook_certificate();
    assert_int_equal(asked_with(stranger, good), 401);
    assert_int_equal(number(), 700027);
    assert_non_null(strstr(test_body, "use of the key to verify the signature failed"));
    token(TOKENS, TEXT(ASKS(DAEMON) SENDS, "a.b.c"));
    assert_int_equal(number(), 50027);
    token(TOKENS, TEXT(ASKS(DAEMON) "client_assertion=a.b.c"));
    assert_int_equal(test_status, 400);
    token(TOKENS, TEXT(ASKS(DAEMON) "client_assertion_type=x&client_assertion=a.b.c"));
    assert_int_equal(test_status, 400);
    /* An app with a certificate is not a public client, though it has no secret. */
    token(TOKENS, TEXT(ASKS(DAEMON) "x=y"));
    assert_int_equal(test_status, 401);
    assert_int_equal(number(), 7000218);
    token(TOKENS, TEXT(ASKS(DAEMON) "client_secret=guess"));
    assert_int_equal(test_status, 401);
    token("/" TENANT "/oauth2/v2.0/token",
          "grant_type=password&username=ada%40port.example&password=hush&scope=User.Read&"
          "client_id=" DAEMON);
    assert_int_equal(number(), 7000218);
}

/* ---- tokens without a code ---- */

static const char *authorize(const char *app, const char *type, const char *more)
{
    const struct sosia_header headers[1] = {{"Host", AUTHORITY}};
    test_request("GET",
                 TEXT("/" TENANT "/oauth2/v2.0/authorize?client_id=%s&redirect_uri=https%%3A%%2F"
                      "%%2Fapp.example%%2Fcb&response_type=%s&scope=openid%%20User.Read&state=s1%s",
                      app, type, more),
                 headers, 1, NULL, 0);
    const char *to = test_status == 302 ? test_header("Location") : NULL;
    return to ? arena_strdup(&test_arena, to) : "";
}

/* A parameter of an address, behind its '#' or '?'. */
static const char *back(const char *to, const char *name)
{
    const char *key = TEXT("%s=", name), *p = to;
    while ((p = strstr(p, key)) && p[-1] != '#' && p[-1] != '&' && p[-1] != '?')
        p++;
    return p ? arena_memdup(&test_arena, p + strlen(key), strcspn(p + strlen(key), "&")) : NULL;
}

static const struct json *claims_of(const char *id_token)
{
    struct jwt jwt;
    assert_non_null(id_token);
    assert_int_equal(jwt_read(&test_arena, id_token, &jwt), 0);
    assert_true(jwt_verify(&jwt, NULL, "microsoft tokens"));
    return jwt.claims;
}

static void a_code_comes_with_an_id_token(void **state)
{
    const char *to = authorize(BOTH, "code%20id_token", "&nonce=n1");
    assert_true(strncmp(to, "https://app.example/cb#code=", 28) == 0);
    const struct json *claims = claims_of(back(to, "id_token"));
    assert_string_equal(json_get_str(claims, "aud"), BOTH);
    assert_string_equal(json_get_str(claims, "nonce"), "n1");
    assert_string_equal(json_get_str(claims, "c_hash"), jwt_at_hash(&test_arena, back(to, "code")));
    assert_null(json_get_str(claims, "at_hash"));
    assert_string_equal(back(to, "state"), "s1");
    assert_null(back(to, "access_token"));
    token(TOKENS, TEXT("grant_type=authorization_code&client_id=" BOTH "&client_secret=s4&"
                       "redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&code=%s",
                       back(to, "code")));
    assert_int_equal(test_status, 200);
    to = authorize(BOTH, "id_token", "&nonce=n1");
    assert_null(back(to, "code"));
    assert_null(json_get_str(claims_of(back(to, "id_token")), "c_hash"));
    authorize(BOTH, "id_token", "&nonce=n1&response_mode=form_post");
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(test_body, "name=\"id_token\" value=\"ey"));
}

static void an_app_that_is_registered_for_it_gets_a_token(void **state)
{
    const char *to = authorize(FRONT, "id_token%20token", "&nonce=n1");
    const char *access = back(to, "access_token");
    assert_non_null(access);
    assert_string_equal(back(to, "token_type"), "Bearer");
    assert_string_equal(back(to, "expires_in"), "3599");
    assert_string_equal(json_get_str(claims_of(back(to, "id_token")), "at_hash"),
                        jwt_at_hash(&test_arena, access));
    const struct sosia_header headers[2] = {{"Host", "graph.microsoft.com"},
                                            {"Authorization", TEXT("Bearer %s", access)}};
    test_request("GET", "/v1.0/me", headers, 2, NULL, 0);
    assert_int_equal(test_status, 200);
    to = authorize(FRONT, "token", "");
    assert_non_null(back(to, "access_token"));
    assert_null(back(to, "id_token"));
    assert_null(back(to, "code"));
}

static void tokens_that_are_not_enabled_are_refused(void **state)
{
    static const struct {
        const char *app, *type, *more, *error, *says;
    } cases[] = {
        {BOTH, "token", "", "unsupported_response_type", "AADSTS700051"},
        {BOTH, "id_token%20token", "&nonce=n", "unsupported_response_type", "AADSTS700051"},
        {DAEMON, "id_token", "&nonce=n", "unsupported_response_type", "AADSTS700054"},
        {DAEMON, "code%20id_token", "&nonce=n", "unsupported_response_type", "AADSTS700054"},
        {BOTH, "code%20magic", "", "unsupported_response_type", "AADSTS700054"},
        {BOTH, "id_token", "", "invalid_request", "nonce"},
        {BOTH, "id_token", "&nonce=n&response_mode=query", "invalid_request", "AADSTS70007"},
        {FRONT, "token", "&response_mode=query", "invalid_request", "AADSTS70007"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *to = authorize(cases[i].app, cases[i].type, cases[i].more);
        const char *error = back(to, "error");
        if (!error || strcmp(error, cases[i].error) || !strstr(to, cases[i].says) ||
            back(to, "access_token") || back(to, "id_token") || back(to, "code"))
            fail_msg("%s %s: %s", cases[i].type, cases[i].more, to);
    }
    /* An address that is not the app's gets nothing at all. */
    const struct sosia_header headers[1] = {{"Host", AUTHORITY}};
    test_request("GET",
                 "/" TENANT "/oauth2/v2.0/authorize?client_id=" FRONT
                 "&redirect_uri=https%3A%2F%2Fevil.example%2F&response_type=token&scope=User.Read",
                 headers, 1, NULL, 0);
    assert_int_equal(test_status, 400);
    assert_null(strstr(test_body, "access_token"));
}

/* ---- users of two tenants ---- */

#define WEB_ASKS                                                                                   \
    "client_id=" WEB "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code&"            \
    "scope=openid%20offline_access%20User.Read"

/* Signs in at an authority with a name and a password: the answer to the code at another one. */
static const struct json *sign_in(const char *at, const char *name, const char *password,
                                  const char *redeemed_at)
{
    const struct sosia_header headers[1] = {{"Host", AUTHORITY}};
    test_request("GET", TEXT("/%s/oauth2/v2.0/authorize?%s", at, WEB_ASKS), headers, 1, NULL, 0);
    const char *mark = strstr(test_body, "name=\"sosia_nonce\" value=\"");
    assert_non_null(mark);
    mark += strlen("name=\"sosia_nonce\" value=\"");
    mark = arena_memdup(&test_arena, mark, strcspn(mark, "\""));
    token(TEXT("/%s/oauth2/v2.0/login", at),
          TEXT("%s&login=%s&passwd=%s&sosia_decision=allow&sosia_nonce=%s", WEB_ASKS, name,
               password, mark));
    if (test_status != 302)
        return NULL;
    const char *code = back(arena_strdup(&test_arena, test_header("Location")), "code");
    return token(TEXT("/%s/oauth2/v2.0/token", redeemed_at),
                 TEXT("grant_type=authorization_code&client_id=" WEB "&client_secret=s6&"
                      "redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&code=%s",
                      code));
}

static const char *tenant_of(const struct json *answer)
{
    return authority_claim(&test_arena, text_at(answer, "access_token"), "tid");
}

static const struct json *refreshed(const char *at, const struct json *answer)
{
    return token(TEXT("/%s/oauth2/v2.0/token", at),
                 TEXT("grant_type=refresh_token&client_id=" WEB "&client_secret=s6&"
                      "refresh_token=%s",
                      text_at(answer, "refresh_token")));
}

static const struct json *me(const struct json *answer)
{
    const struct sosia_header headers[2] = {
        {"Host", "graph.microsoft.com"},
        {"Authorization", TEXT("Bearer %s", text_at(answer, "access_token"))}};
    return test_request("GET", "/v1.0/me", headers, 2, NULL, 0);
}

#define GUEST_SENT "eve_acme.example%23ext%23%40port.onmicrosoft.com"

static void a_person_is_the_user_that_signed_in(void **state)
{
    const struct json *v = sign_in("organizations", GUEST_SENT, "visit", "organizations");
    assert_string_equal(tenant_of(v), TENANT);
    assert_string_equal(text_at(me(v), "userPrincipalName"), GUEST);
    v = refreshed("common", v);
    assert_string_equal(tenant_of(v), TENANT);
    v = sign_in("common", "eve%40acme.example", "apple", "organizations");
    assert_string_equal(tenant_of(v), OTHER);
    assert_string_equal(text_at(me(v), "userPrincipalName"), "eve@acme.example");
    /* The tenant of the path counts for more, and stays with what is refreshed there. */
    v = refreshed(TENANT, v);
    assert_string_equal(tenant_of(v), TENANT);
    assert_string_equal(text_at(me(v), "userPrincipalName"), GUEST);
    v = refreshed("organizations", v);
    assert_string_equal(tenant_of(v), TENANT);
    assert_null(sign_in("organizations", "eve%40acme.example", "visit", "organizations"));
    assert_null(sign_in("organizations", GUEST_SENT, "apple", "organizations"));
    assert_null(sign_in(OTHER, GUEST_SENT, "visit", OTHER));
    v = sign_in("organizations", GUEST_SENT, "visit", OTHER);
    assert_string_equal(tenant_of(v), OTHER);
}

static void documents_have_registrations(void **state)
{
    static const char *const bad[] = {
        "{app: nobody}",
        "{app: " BOTH ", keyCredentials: ['QUJD']}",
        "{app: " BOTH ", keyCredentials: ['%']}",
        "{app: " BOTH "}, {app: " BOTH "}",
    };
    uint64_t w;
    const struct json *v = test_dump();
    assert_string_equal(text_at(v, "microsoftApplications.0.app"), DAEMON);
    assert_string_equal(text_at(v, "microsoftApplications.1.keyCredentials.0"), first);
    assert_true(true_at(v, "microsoftApplications.1.enableIdTokenIssuance"));
    test_world_of(printed_at(v, ""));
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *text =
            TEXT("sosia: 1\napps: [{client_id: " BOTH ", name: B, kind: web, vendor: "
                 "microsoft}]\nmicrosoftApplications: [%s]\n",
                 bad[i]);
        const struct sosia_world_options opt = {.seed_doc = text, .seed_doc_len = strlen(text)};
        assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
        if (!strstr(test_err.text, "microsoftApplications"))
            fail_msg("%s: %s", bad[i], test_err.text);
    }
    assert_int_equal(test_import_changed("update ms_registration set id_tokens = 1", &w), 0);
    assert_int_equal(test_import_changed("update ms_registration set keys = '[\"QUJD\"]'", &w), -1);
}

/* An app of two tenants sees each with a token of its own, and so it does when the journal runs
 * again. */
static void an_app_of_two_tenants_is_replayed_in_each(void **state)
{
    static const char *const tenants[] = {TENANT, OTHER}, *const names[] = {"Ada", "Eve"};
    struct sosia_replay_options opt = {.size = sizeof opt};
    struct sosia_blob blob;
    for (int i = 0; i < 2; i++) {
        const struct json *v =
            token(TEXT("/%s/oauth2/v2.0/token", tenants[i]), TEXT(ASKS(BOTH) "client_secret=s4"));
        assert_int_equal(test_status, 200);
        const struct sosia_header headers[2] = {
            {"Host", "graph.microsoft.com"},
            {"Authorization", TEXT("Bearer %s", text_at(v, "access_token"))}};
        v = test_request("GET", "/v1.0/users?$filter=userType%20eq%20'Member'", headers, 2, NULL,
                         0);
        assert_int_equal(test_status, 200);
        assert_int_equal(count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.displayName"), names[i]);
    }
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err),
                     0);
    const char *report = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    if (!strstr(report, "\"equal\": true"))
        fail_msg("%s", report);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_signs_in_with_a_certificate, begin, end),
        cmocka_unit_test_setup_teardown(codes_and_refresh_tokens_too, begin, end),
        cmocka_unit_test_setup_teardown(sessions_end_and_access_tokens_live_on, begin, end),
        cmocka_unit_test_setup_teardown(whoever_has_not_the_key_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_code_comes_with_an_id_token, begin, end),
        cmocka_unit_test_setup_teardown(an_app_that_is_registered_for_it_gets_a_token, begin, end),
        cmocka_unit_test_setup_teardown(tokens_that_are_not_enabled_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_person_is_the_user_that_signed_in, begin, end),
        cmocka_unit_test_setup_teardown(documents_have_registrations, begin, end),
        cmocka_unit_test_setup_teardown(an_app_of_two_tenants_is_replayed_in_each, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
