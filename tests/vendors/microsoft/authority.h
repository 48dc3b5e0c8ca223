/* SPDX-License-Identifier: Apache-2.0 */
/* Two tenants with apps and people who sign in, and requests to their authority. */
#ifndef SOSIA_TESTS_VENDORS_MICROSOFT_AUTHORITY_H
#define SOSIA_TESTS_VENDORS_MICROSOFT_AUTHORITY_H

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
static inline const char *kept(const char *text)
{
    static int at;
    char *to = scratch[at++ % 16];
    snprintf(to, sizeof scratch[0], "%s", text);
    return to;
}

static inline const struct json *send_to(const char *host, const char *method, const char *target,
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

static inline const struct json *get(const char *target)
{
    return send_to(AUTHORITY, "GET", target, NULL, NULL);
}

static inline const struct json *post(const char *target, const char *form)
{
    return send_to(AUTHORITY, "POST", target, NULL, form);
}

#define TEXT(...) arena_printf(&test_arena, __VA_ARGS__)
#define TOKENS    "/" TENANT "/oauth2/v2.0/token"

static inline const struct json *token(const char *form)
{
    return post(TOKENS, form);
}

static inline void assert_refused(const struct json *v, int status, const char *error, int number)
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
static inline const char *back(const char *name)
{
    const char *key = TEXT("%s=", name), *p = strstr(test_header("Location"), key);
    return p ? arena_memdup(&test_arena, p + strlen(key), strcspn(p + strlen(key), "&")) : "";
}

static inline const char *mark(void)
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
static inline void sign_in(const char *tenant, const char *ask, const char *who)
{
    get(TEXT("/%s/oauth2/v2.0/authorize?%s", tenant, ask));
    assert_int_equal(test_status, 200);
    post(TEXT("/%s/oauth2/v2.0/login", tenant),
         TEXT("%s&%s&sosia_decision=allow&sosia_nonce=%s", ask, who, mark()));
}

#define ADA "login=ada%40port.example&passwd=hush"
#define BOB "login=bob%40port.example&passwd=stone"
#define EVE "login=eve%40acme.example&passwd=apple"

static inline int begin(void **state)
{
    return test_open(doc);
}

static inline int end(void **state)
{
    return test_close();
}

static inline const struct json *claims_of(const char *text)
{
    struct jwt jwt;
    assert_int_equal(jwt_read(&test_arena, text, &jwt), 0);
    return jwt.claims;
}

static inline const char *use(const char *access)
{
    const struct json *v =
        send_to("graph.microsoft.com", "GET", "/oidc/userinfo", TEXT("Bearer %s", access), NULL);
    return test_status == 200 ? text_at(v, "name") : TEXT("%d", test_status);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

#endif
