/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of Microsoft's sign-in, its credentials, and worlds that keep them. */
#include "tests/vendors/microsoft/authority.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_documents_say_where_everything_is),
        TEST(a_token_of_the_control_interface_looks_like_the_authoritys),
        TEST(a_dump_is_a_seed_again),
        TEST(bad_seeds_name_the_field),
        TEST(ids_of_requests_break_out_of_no_header),
        TEST(the_same_requests_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
