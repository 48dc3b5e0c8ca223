/* SPDX-License-Identifier: Apache-2.0 */
/* How a client of the Model Context Protocol learns who signs people in, and registers itself. */
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>

static const char doc[] = "sosia: 1\n"
                          "registration: true\n"
                          "people:\n"
                          "  - {email: ada@acme.example, name: Ada}\n"
                          "workspaces:\n"
                          "  - {id: T0ACME0001, domain: acme, name: Acme}\n";

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

static int set_up(void **state)
{
    (void)state;
    return test_open(doc);
}

static int tear_down(void **state)
{
    (void)state;
    return test_close();
}

/* Without a credential. body: NULL: none. The response is test_response. */
static void ask(const char *verb, const char *path, const char *body)
{
    const struct sosia_header headers[] = {{"Accept", "application/json, text/event-stream"},
                                           {"MCP-Protocol-Version", "2025-11-25"},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request r = {.method = verb,
                                    .target = path,
                                    .headers = headers,
                                    .n_headers = body ? 3 : 2,
                                    .body = body ? body : "",
                                    .body_len = body ? strlen(body) : 0,
                                    .base_url = "http://localhost:8787"};
    test_call(test_world, &r);
}

static int status_of(const char *verb, const char *path, const char *body)
{
    ask(verb, path, body);
    return test_response->status;
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static void the_endpoint_says_who_signs_people_in(void **state)
{
    static const char *const bad[] = {
        "7",
        "{}",
        "{\"redirect_uris\":[]}",
        "{\"redirect_uris\":[7]}",
        "{\"redirect_uris\":[\"http://evil.example/\"]}",
        "{\"redirect_uris\":[\"javascript:x\"]}",
        "{\"redirect_uris\":[\"https://a.example/#x\"]}",
        "{\"redirect_uris\":[\"https://a.example/\",\"JavaScript:x\"]}",
        "{\"redirect_uris\":[\"https://a.example/\"],\"token_endpoint_auth_method\":\"mtls\"}"};
    ask("POST", "/mcp/gmail", initialize);
    assert_int_equal(test_response->status, 401);
    assert_string_equal(test_header("WWW-Authenticate"),
                        "Bearer resource_metadata=\"http://localhost:8787/.well-known/"
                        "oauth-protected-resource/mcp/gmail\"");
    ask("GET", "/.well-known/oauth-protected-resource/mcp/gmail", NULL);
    assert_true(has(test_response->body, "\"resource\":\"http://localhost:8787/mcp/gmail\"") &&
                has(test_response->body, "\"authorization_servers\":[\"http://localhost:8787\"]") &&
                has(test_response->body, "https://mail.google.com/") &&
                !has(test_response->body, "auth/drive"));
    struct sosia_world_info info;
    char path[100], issuer[100];
    assert_int_equal(sosia_world_info(test_engine, test_world, &info, &test_err), 0);
    snprintf(path, sizeof path, "/.well-known/oauth-authorization-server/w/%s", info.key);
    snprintf(issuer, sizeof issuer, "\"issuer\":\"http://localhost:8787/w/%s\"", info.key);
    ask("GET", path, NULL);
    assert_true(has(test_response->body, issuer) && has(test_response->body, "/token\"") &&
                has(test_response->body, "/mcp/register\""));
    /* of the world in the path, not of that which is asked */
    uint64_t other = test_world_of("sosia: 1\n");
    assert_int_equal(sosia_world_info(test_engine, other, &info, &test_err), 0);
    snprintf(path, sizeof path, "/.well-known/oauth-authorization-server/w/%s", info.key);
    ask("GET", path, NULL);
    assert_true(test_response->status == 200 && !has(test_response->body, "registration"));
    assert_int_equal(status_of("GET", "/.well-known/oauth-authorization-server/w/none", NULL), 404);
    assert_int_equal(status_of("GET", "/.well-known/oauth-protected-resource/w/%22x/mcp", NULL),
                     404);
    assert_int_equal(status_of("GET", "/.well-known/oauth-protected-resource/mcp/slack", NULL),
                     404);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(status_of("POST", "/mcp/register", bad[i]), 400);
    ask("POST", "/mcp/register",
        "{\"client_name\":\"T\",\"redirect_uris\":[\"https://a.example/back\"]}");
    assert_int_equal(test_response->status, 201);
    assert_true(has(test_response->body, "\"client_secret\":") &&
                has(test_response->body, "client_secret_basic"));
    /* it is in the world's documents */
    struct sosia_blob dump, again;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    assert_true(has(dump.data, "https://a.example/back"));
    uint64_t copy = test_world_of(dump.data);
    assert_int_equal(sosia_world_dump(test_engine, copy, &again, &test_err), 0);
    assert_string_equal(again.data, dump.data);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
}

/* An address is where a code goes, so that it must be the program's own. */
static void addresses_of_others_are_not_registered(void **state)
{
    static const char *const bad[] = {"JavaScript:alert(1)",
                                      "DATA:text/html,x",
                                      "vbscript:x",
                                      "file:///etc/passwd",
                                      "about:blank",
                                      "blob:x",
                                      "view-source:x",
                                      "HTTP://evil.example/",
                                      "http://localhost.evil.example/",
                                      "http://localhost@evil.example/",
                                      "http://localhost:80@evil.example/",
                                      "http://localhost:80x/",
                                      "http://localhost\\\\@evil.example/",
                                      "http://127.0.0.1.evil.example/",
                                      "http://[::1].evil.example/",
                                      "http:/localhost",
                                      "http://",
                                      "https:",
                                      "https://",
                                      "https:x",
                                      "https:///x",
                                      "https://:80/",
                                      "https://a@b.example/",
                                      "https://a.ex\303\244/",
                                      "https://a.example/ b",
                                      "1x:y",
                                      ":",
                                      ""};
    static const char *const good[] = {"http://localhost",        "http://LOCALHOST:3000/cb",
                                       "http://127.0.0.1/cb?a=b", "http://[::1]:5/cb",
                                       "https://a.example/cb",    "HTTPS://a.example:8443",
                                       "cursor://x/cb",           "com.example.app:/cb"};
    char body[200];
    for (size_t i = 0; i < SOSIA_LEN(bad) + SOSIA_LEN(good); i++) {
        bool is_good = i >= SOSIA_LEN(bad);
        const char *uri = is_good ? good[i - SOSIA_LEN(bad)] : bad[i];
        snprintf(body, sizeof body, "{\"redirect_uris\":[\"%s\"]}", uri);
        if (status_of("POST", "/mcp/register", body) != (is_good ? 201 : 400))
            fail_msg("%s", uri);
    }
}

static void nobody_registers_in_an_evaluation(void **state)
{
    static const char body[] = "{\"redirect_uris\":[\"http://localhost\"]}";
    struct sosia_fork_options opt = {.evaluation = true};
    assert_int_equal(status_of("POST", "/mcp/register", body), 201);
    assert_int_equal(sosia_world_fork(test_engine, test_world, &opt, &test_world, &test_err), 0);
    assert_int_equal(status_of("POST", "/mcp/register", body), 404);
    ask("GET", "/.well-known/oauth-authorization-server", NULL);
    assert_int_equal(test_response->status, 200);
    assert_true(has(test_response->body, "token_endpoint"));
    assert_false(has(test_response->body, "registration_endpoint"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_endpoint_says_who_signs_people_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(addresses_of_others_are_not_registered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_registers_in_an_evaluation, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
