/* SPDX-License-Identifier: Apache-2.0 */
/* Who may agree to a program that came to a world by itself: nobody without a token of his own, or
 * a link that was made for him. */
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DOC                                                                                        \
    "sosia: 1\n"                                                                                   \
    "time: 2026-03-12T08:00:00Z\n"                                                                 \
    "organizations: [{domain: acme.example, name: Acme}]\n"                                        \
    "people:\n"                                                                                    \
    "  - {email: ada@acme.example, name: Ada}\n"                                                   \
    "  - {email: bob@acme.example, name: Bob}\n"                                                   \
    "  - {email: robot@acme.example, kind: service, name: Robot}\n"                                \
    "service_accounts:\n"                                                                          \
    "  - {email: robot@acme.example, delegation: 'https://mail.google.com/'}\n"                    \
    "oauth_clients:\n"                                                                             \
    "  - {client_id: listed, name: Listed, kind: installed, consent: proven, redirect_uris: "      \
    "['http://127.0.0.1/cb']}\n"                                                                   \
    "  - {client_id: tv, name: Screen, kind: tv, consent: proven, automatic: ada@acme.example}\n"
#define REGISTRATION "registration: true\n"

#define FORM      "application/x-www-form-urlencoded"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define VERIFIER  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define MAIL      "https://mail.google.com/"
#define ASK                                                                                        \
    "redirect_uri=http://127.0.0.1:7/cb&response_type=code&scope=" MAIL                            \
    "&code_challenge=" CHALLENGE "&code_challenge_method=S256"

static int set_up(void **state)
{
    return test_open(DOC REGISTRATION);
}

static int tear_down(void **state)
{
    return test_close();
}

/* token, cookie: NULL: none. */
static int ask(const char *verb, const char *target, const char *body, const char *token,
               const char *cookie)
{
    struct sosia_header headers[3] = {
        {"Content-Type", body && *body == '{' ? "application/json" : FORM}};
    size_t n = 1;
    if (token)
        headers[n++] = (struct sosia_header){"Authorization", token};
    if (cookie)
        headers[n++] = (struct sosia_header){"Cookie", cookie};
    test_request(verb, target, headers, n, body, body ? strlen(body) : 0);
    return test_status;
}

static const char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *text(const char *fmt, ...)
{
    char out[16384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out, sizeof out, fmt, ap);
    va_end(ap);
    return arena_strdup(&test_arena, out);
}

/* What is behind a text, up to one of the ends. */
static const char *behind(const char *in, const char *mark, const char *ends)
{
    const char *at = strstr(in, mark);
    if (!at)
        fail_msg("no %s in %s", mark, in);
    at += strlen(mark);
    return arena_memdup(&test_arena, at, strcspn(at, ends));
}

static const char *new_client(void)
{
    int status = ask("POST", "/mcp/register",
                     "{\"redirect_uris\":[\"http://127.0.0.1:5/cb\"],"
                     "\"token_endpoint_auth_method\":\"none\"}",
                     NULL, NULL);
    assert_int_equal(status, 201);
    return behind(test_body, "\"client_id\":\"", "\"");
}

static const char *new_link(const char *who)
{
    char link[SOSIA_LINK_MAX];
    if (sosia_consent_link(test_engine, test_world, who, 0, "http://h", link, sizeof link, NULL,
                           &test_err) < 0)
        fail_msg("%s", test_err.text);
    return arena_strdup(&test_arena, link);
}

static const char *secret_of(const char *link)
{
    return behind(link, "sosia_link=", "");
}

static const char *hash(void)
{
    char hex[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, hex, &test_err), 0);
    return arena_strdup(&test_arena, hex);
}

static const char *dump(void)
{
    struct sosia_blob d;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &d, &test_err), 0);
    const char *copy = arena_strdup(&test_arena, d.data);
    sosia_blob_free(&d);
    return copy;
}

/* The form that the page has, sent back. */
static int allow(const char *client, const char *more, const char *token, const char *cookie)
{
    assert_int_equal(
        ask("GET", text("/o/oauth2/v2/auth?client_id=%s&" ASK, client), NULL, NULL, cookie), 200);
    return ask("POST", "/o/oauth2/v2/approve",
               text("client_id=%s&" ASK "&sosia_decision=allow&sosia_nonce=%s%s", client,
                    behind(test_body, "sosia_nonce\" value=\"", "\""), more),
               token, cookie);
}

/* Exchanges the code that the browser was sent back with. Gives whose the token is. */
static const char *signed_in(const char *client)
{
    const char *code = behind(test_header("Location"), "code=", "&");
    ask("POST", "/token",
        text("grant_type=authorization_code&client_id=%s&redirect_uri=http://127.0.0.1:7/cb&"
             "code_verifier=" VERIFIER "&code=%s",
             client, code),
        NULL, NULL);
    if (test_status != 200)
        fail_msg("%s", test_body);
    const char *token = behind(test_body, "access_token\": \"", "\"");
    assert_int_equal(ask("GET", "/gmail/v1/users/me/profile", NULL, text("Bearer %s", token), NULL),
                     200);
    return behind(test_body, "emailAddress\": \"", "\"");
}

/* ---- registration ---- */

static void nobody_registers_where_the_document_does_not_say_so(void **state)
{
    static const char *const settings[] = {"", "oauth: listed\n", "oauth: open\n",
                                           "registration: false\n"};
    for (size_t i = 0; i < SOSIA_LEN(settings); i++) {
        test_use(text(DOC "%s", settings[i]));
        const char *before = hash();
        assert_int_equal(ask("POST", "/mcp/register",
                             "{\"redirect_uris\":[\"https://a.example/\"]}", NULL, NULL),
                         404);
        ask("GET", "/.well-known/oauth-authorization-server", NULL, NULL, NULL);
        assert_int_equal(test_status, 200);
        assert_null(strstr(test_body, "registration_endpoint"));
        assert_string_equal(hash(), before);
        assert_int_equal(sosia_registration(test_engine, test_world, &test_err), 0);
        assert_null(strstr(dump(), "\"registration\""));
    }
    test_use(DOC REGISTRATION "oauth: listed\n");
    assert_int_equal(sosia_registration(test_engine, test_world, &test_err), 1);
    ask("GET", "/.well-known/oauth-authorization-server", NULL, NULL, NULL);
    assert_non_null(strstr(test_body, "/mcp/register"));
    new_client();
    const char *made = dump();
    assert_non_null(strstr(made, "\"registration\""));
    test_use(made); /* and it stays so */
    assert_string_equal(dump(), made);
    uint64_t world;
    assert_int_equal(
        test_import_changed("insert into meta (key, value) values ('registration', 'maybe') on "
                            "conflict (key) do update set value = 'maybe'",
                            &world),
        -1);
}

/* Those that nobody has agreed to make room; what the owner listed or somebody agreed to stays. */
static void who_registers_fills_nothing(void **state)
{
    struct sosia_world_info info;
    const char *used = new_client(), *first = new_client();
    assert_int_equal(
        allow(used, text("&sosia_link=%s", secret_of(new_link("ada@acme.example"))), NULL, NULL),
        302);
    uint64_t size = 0;
    const char *last = NULL;
    /* What steps keep has a bound of its own. */
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED, 0, &test_err), 0);
    for (int i = 0; i < 350; i++) {
        last = new_client();
        assert_int_equal(sosia_world_info(test_engine, test_world, &info, &test_err), 0);
        if (i == 150)
            size = info.size;
    }
    int n = 0;
    const char *all = dump();
    for (const char *p = all; (p = strstr(p, "127.0.0.1:5/cb")); p++)
        n++;
    assert_int_equal(n, 101); /* a hundred, and the one with a consent */
    assert_non_null(strstr(all, used));
    assert_non_null(strstr(all, last));
    assert_non_null(strstr(all, "\"listed\""));
    assert_null(strstr(all, first));
    assert_true(info.size < size + 400000); /* the journal's entries, without bodies */
    char large[1901];
    memset(large, 'x', sizeof large);
    large[1900] = 0;
    const char *most =
        text("{\"redirect_uris\":[\"a:%s\",\"b:%s\",\"c:%s\",\"d:%s\"", large, large, large, large);
    assert_int_equal(ask("POST", "/mcp/register", text("%s]}", most), NULL, NULL), 201);
    assert_int_equal(
        ask("POST", "/mcp/register", text("%s,\"e:%.900s\"]}", most, large), NULL, NULL), 400);
}

/* ---- who agrees ---- */

static void a_stranger_becomes_nobody(void **state)
{
    static const char *const people[] = {"ada@acme.example", "bob@acme.example",
                                         "ada%40acme.example", "robot@acme.example", ""};
    const char *clients[] = {new_client(), "listed", "tv", "none"};
    /* A link of another world, and one that is over. */
    uint64_t here = test_world;
    test_world = test_world_of(DOC REGISTRATION);
    const char *foreign = secret_of(new_link("ada@acme.example"));
    test_world = here;
    const char *over = secret_of(new_link("ada@acme.example"));
    test_advance(3601);
    const char *const links[] = {"", "x", foreign, over, "sosia_link=", "%00"};
    const char *before = dump();
    for (size_t i = 0; i < SOSIA_LEN(clients); i++) {
        ask("GET", text("/o/oauth2/v2/auth?client_id=%s&" ASK, clients[i]), NULL, NULL, NULL);
        assert_null(strstr(test_body, "ada@acme.example")); /* nor does it show who there is */
        const char *mark = strstr(test_body, "sosia_nonce")
                               ? behind(test_body, "sosia_nonce\" value=\"", "\"")
                               : "x";
        for (size_t k = 0; k < SOSIA_LEN(people); k++) {
            for (size_t l = 0; l < SOSIA_LEN(links); l++) {
                const char *more = text("client_id=%s&" ASK "&login_hint=%s&sosia_actor=%s"
                                        "&sosia_link=%s",
                                        clients[i], people[k], people[k], links[l]);
                const char *jar = text("sosia_link=%s", links[l]);
                ask("GET", text("/o/oauth2/v2/auth?%s", more), NULL, NULL, jar);
                assert_int_not_equal(test_status, 302);
                ask("GET", text("/o/oauth2/v2/auth?%s&prompt=none", more), NULL, NULL, jar);
                assert_null(strstr(test_header("Location"), "code="));
                ask("POST", "/o/oauth2/v2/approve",
                    text("%s&sosia_decision=allow&sosia_nonce=%s", more, mark), NULL, jar);
                if (test_status == 302 || test_status == 200)
                    fail_msg("%s: %d", more, test_status);
                ask("GET", text("/consent?sosia_link=%s", links[l]), NULL, NULL, NULL);
                assert_true(test_status >= 400);
            }
        }
        static const char *const grants[] = {"grant_type=authorization_code&code=4/0Ax",
                                             "grant_type=refresh_token&refresh_token=1//0x",
                                             "grant_type=password&username=ada&password=x",
                                             "grant_type=client_credentials"};
        for (size_t k = 0; k < SOSIA_LEN(grants); k++)
            assert_int_not_equal(ask("POST", "/token",
                                     text("client_id=%s&redirect_uri=http://127.0.0.1:7/cb&%s",
                                          clients[i], grants[k]),
                                     NULL, NULL),
                                 200);
    }
    assert_string_equal(dump(), before);
}

/* A device of an app whose consents are proven: not even the person whom its document names. */
static void a_device_connects_nobody(void **state)
{
    ask("POST", "/device/code", "client_id=tv&scope=email", NULL, NULL);
    assert_int_equal(test_status, 200);
    const char *device = behind(test_body, "device_code\": \"", "\"");
    const char *code = behind(test_body, "user_code\": \"", "\"");
    const char *poll = text("client_id=tv&grant_type=urn:ietf:params:oauth:grant-type:device_code&"
                            "device_code=%s",
                            device);
    assert_int_equal(ask("POST", "/token", poll, NULL, NULL), 428);
    ask("GET", "/device", NULL, NULL, NULL);
    const char *form = text("user_code=%s&sosia_decision=allow&sosia_nonce=%s", code,
                            behind(test_body, "sosia_nonce\" value=\"", "\""));
    assert_int_equal(
        ask("POST", "/device", text("%s&sosia_actor=ada@acme.example", form), NULL, NULL), 400);
    test_advance(6);
    assert_int_equal(ask("POST", "/token", poll, NULL, NULL), 428);
    const char *bob = text("sosia_link=%s", secret_of(new_link("bob@acme.example")));
    assert_int_equal(
        ask("POST", "/device", text("%s&sosia_actor=ada@acme.example", form), NULL, bob), 400);
    assert_int_equal(
        ask("POST", "/device", text("%s&sosia_actor=bob@acme.example", form), NULL, bob), 200);
    test_advance(6);
    assert_int_equal(ask("POST", "/token", poll, NULL, NULL), 200);
    /* Of codes that nobody enters the newest thousand are kept. */
    ask("POST", "/device/code", "client_id=tv&scope=email", NULL, NULL);
    poll =
        text("client_id=tv&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=%s",
             behind(test_body, "device_code\": \"", "\""));
    for (int i = 0; i < 999; i++)
        ask("POST", "/device/code", "client_id=tv&scope=email", NULL, NULL);
    assert_int_equal(ask("POST", "/token", poll, NULL, NULL), 428);
    ask("POST", "/device/code", "client_id=tv&scope=email", NULL, NULL);
    assert_int_equal(ask("POST", "/token", poll, NULL, NULL), 400);
}

static void a_link_is_good_once_for_whom_it_was_made(void **state)
{
    const char *client = new_client(), *link = new_link("ada@acme.example");
    const char *jar = text("a=b; sosia_link=%s; c=d", secret_of(link));
    /* A browser that opens it goes with it; that alone uses nothing up. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ask("GET", strstr(link, "/w/"), NULL, NULL, NULL), 200);
        assert_non_null(strstr(test_body, "ada@acme.example"));
        assert_non_null(strstr(test_header("Set-Cookie"), secret_of(link)));
        assert_non_null(strstr(test_header("Set-Cookie"), "; HttpOnly; SameSite=Lax"));
        assert_non_null(strstr(test_header("Content-Security-Policy"), "frame-ancestors 'none'"));
    }
    assert_int_equal(allow(client, "&sosia_actor=bob@acme.example", NULL, jar), 403);
    assert_int_equal(allow(client, "", NULL, jar), 302);
    assert_string_equal(signed_in(client), "ada@acme.example");
    assert_int_equal(allow(client, "", NULL, jar), 403);
    assert_int_equal(ask("GET", strstr(link, "/w/"), NULL, NULL, NULL), 404);
    /* Pasted into the page's field, whole. */
    assert_int_equal(
        allow(client, text("&sosia_link=%s", new_link("bob@acme.example")), NULL, NULL), 302);
    assert_string_equal(signed_in(client), "bob@acme.example");
    /* A page of another origin can't use it. */
    jar = text("sosia_link=%s", secret_of(new_link("ada@acme.example")));
    ask("GET", text("/o/oauth2/v2/auth?client_id=%s&" ASK, client), NULL, NULL, jar);
    const char *form = text("client_id=%s&" ASK "&sosia_decision=allow&sosia_nonce=%s", client,
                            behind(test_body, "sosia_nonce\" value=\"", "\""));
    const struct sosia_header headers[] = {
        {"Content-Type", FORM}, {"Cookie", jar}, {"Origin", "http://localhost:1"}};
    test_request("POST", "/o/oauth2/v2/approve", headers, 3, form, strlen(form));
    assert_int_equal(test_status, 403);
    assert_int_equal(ask("POST", "/o/oauth2/v2/approve", form, NULL, jar), 302);
    /* The newest ten of a person are good, and of nobody but people. */
    const char *first = secret_of(new_link("ada@acme.example"));
    for (int i = 0; i < 10; i++)
        new_link("ada@acme.example");
    assert_int_equal(ask("GET", text("/consent?sosia_link=%s", first), NULL, NULL, NULL), 404);
    char bad[SOSIA_LINK_MAX];
    assert_int_equal(sosia_consent_link(test_engine, test_world, "robot@acme.example", 0,
                                        "http://h", bad, sizeof bad, NULL, &test_err),
                     -1);
    assert_non_null(strstr(test_err.text, "must be a person"));
}

static void a_token_makes_nobody_else(void **state)
{
    const char *client = new_client(), *ada = test_bearer("ada@acme.example", NULL);
    const char *form = text("client_id=%s&" ASK "&sosia_decision=allow", client);
    assert_int_equal(ask("POST", "/o/oauth2/v2/approve",
                         text("%s&sosia_actor=bob@acme.example", form), ada, NULL),
                     403);
    assert_int_equal(ask("POST", "/o/oauth2/v2/approve", form, ada, NULL), 302);
    assert_string_equal(signed_in(client), "ada@acme.example");
    /* Less than what is asked for, a token that a program was given, and one for nothing. */
    assert_int_equal(
        ask("POST", "/o/oauth2/v2/approve", form,
            test_bearer("ada@acme.example", "https://www.googleapis.com/auth/gmail.readonly"),
            NULL),
        400);
    assert_int_equal(
        ask("POST", "/o/oauth2/v2/approve", form, test_bearer("ada@acme.example", MAIL), NULL),
        302);
    struct sosia_token_options of_program = {.actor = "ada@acme.example", .app = "listed"};
    char token[SOSIA_TOKEN_MAX];
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &of_program, token, sizeof token, &test_err), 0);
    assert_int_equal(ask("POST", "/o/oauth2/v2/approve", form, text("Bearer %s", token), NULL),
                     400);
    assert_int_equal(
        ask("POST", "/o/oauth2/v2/approve", form, test_bearer("robot@acme.example", NULL), NULL),
        400);
    assert_int_equal(ask("POST", "/o/oauth2/v2/approve", form, "Bearer nothing-good", NULL), 401);
    /* Who has agreed is signed in silently by nobody else. */
    const char *quiet = text(
        "/o/oauth2/v2/auth?client_id=%s&" ASK "&prompt=none&login_hint=ada@acme.example", client);
    ask("GET", quiet, NULL, NULL, NULL);
    assert_non_null(strstr(test_header("Location"), "error=login_required"));
    ask("GET", quiet, NULL, test_bearer("bob@acme.example", NULL), NULL);
    assert_non_null(strstr(test_header("Location"), "error=interaction_required"));
    ask("GET", quiet, NULL, ada, NULL);
    assert_non_null(strstr(test_header("Location"), "code="));
}

/* Addresses as they were registered, but for the port of the loopback interface; codes protected.
 */
static void what_a_registered_client_may_ask(void **state)
{
    static const char *const bad[] = {
        "redirect_uri=http://127.0.0.1:5/other", "redirect_uri=http://localhost:5/cb",
        "redirect_uri=http://127.0.0.1:5/cb?x=y", "redirect_uri=https://127.0.0.1:5/cb",
        "redirect_uri=http://127.0.0.1:5@evil.example/cb"};
    const char *client = new_client();
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ask("GET",
            text("/o/oauth2/v2/auth?client_id=%s&response_type=code&scope=email&%s", client,
                 bad[i]),
            NULL, NULL, NULL);
        assert_non_null(strstr(test_body, "redirect_uri_mismatch"));
    }
    const char *plain = text("/o/oauth2/v2/auth?client_id=%s&response_type=code&scope=email&"
                             "redirect_uri=http://127.0.0.1:9999/cb",
                             client);
    ask("GET", plain, NULL, NULL, NULL);
    assert_non_null(strstr(test_body, "code_challenge"));
    assert_int_equal(test_status, 400);
    ask("GET", text("%s&code_challenge=" CHALLENGE, plain), NULL, NULL, NULL);
    assert_int_equal(test_status, 400);
    ask("GET", text("%s&code_challenge=" CHALLENGE "&code_challenge_method=S256", plain), NULL,
        NULL, NULL);
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(test_header("Content-Security-Policy"), "frame-ancestors 'none'"));
}

/* ---- open worlds ---- */

static void an_engine_may_have_no_open_world(void **state)
{
    struct sosia_engine *first = test_engine;
    uint64_t other;
    char path[] = "/tmp/sosia-consents-XXXXXX";
    int fd = mkstemp(path);
    struct sosia_engine_options opt = {.oauth = SOSIA_OAUTH_NEVER_OPEN};
    struct sosia_world_options of = {.seed_doc = DOC "oauth: open\n",
                                     .seed_doc_len = strlen(DOC "oauth: open\n")};
    test_use(DOC "oauth: open\n");
    assert_true(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
    assert_int_equal(sosia_world_export(test_engine, test_world, path, &test_err), 0);
    assert_int_equal(sosia_engine_open(&opt, &test_engine, &test_err), 0);
    assert_int_equal(sosia_world_create(test_engine, &of, &other, &test_err), -1);
    assert_non_null(strstr(test_err.text, "must be listed"));
    assert_int_equal(sosia_world_import(test_engine, path, NULL, &other, &test_err), -1);
    assert_non_null(strstr(test_err.text, "must be listed"));
    of.seed_doc = DOC;
    of.seed_doc_len = strlen(DOC);
    assert_int_equal(sosia_world_create(test_engine, &of, &other, &test_err), 0);
    static const char more[] = "sosia: 1\noauth: {mode: open}\n";
    assert_int_equal(sosia_world_seed(test_engine, other, more, strlen(more), NULL, &test_err), -1);
    sosia_engine_close(test_engine);
    test_engine = first;
    assert_int_equal(sosia_world_import(test_engine, path, NULL, &other, &test_err), 0);
    unlink(path);
}

#define consent_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        consent_test(nobody_registers_where_the_document_does_not_say_so),
        consent_test(who_registers_fills_nothing),
        consent_test(a_stranger_becomes_nobody),
        consent_test(a_device_connects_nobody),
        consent_test(a_link_is_good_once_for_whom_it_was_made),
        consent_test(a_token_makes_nobody_else),
        consent_test(what_a_registered_client_may_ask),
        consent_test(an_engine_may_have_no_open_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
