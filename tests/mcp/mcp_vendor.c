/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor that mcp/ does not know: what models find of its dialect is what its record says. */
#include "engine/service.h"
#include "engine/http/call.h"
#include "identity/identity.h"
#include "mcp/mcp.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

/* ---- the vendor ---- */

static const struct param get_params[] = {
    {.name = "note", .place = IN_PATH, .required = true, .summary = "Id of the note"},
    {.name = "lang", .place = IN_QUERY, .summary = "Language"},
    {.name = "rest", .place = IN_QUERY, .summary = "What most calls do without"},
};

static int notes_list(struct call *c)
{
    json_obj(c->out, NULL);
    json_arr(c->out, "notes");
    json_obj(c->out, NULL);
    json_str(c->out, "id", "n 1");
    json_str(c->out, "title", "Plans");
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int notes_get(struct call *c)
{
    json_obj(c->out, NULL);
    json_bool(c->out, "ok", strcmp(param_str(c, "note"), "gone") != 0);
    json_str(c->out, "id", param_str(c, "note"));
    json_str_opt(c->out, "lang", param_str(c, "lang"));
    json_end(c->out);
    return 0;
}

static const struct route methods[] = {
    {.id = "list",
     .verbs = GET,
     .paths = PATHS("/notes/v1/notes"),
     .handler = notes_list,
     .risk = RISK_READ,
     .summary = "The notes"},
    {.id = "get",
     .verbs = GET,
     .paths = PATHS("/notes/v1/notes/{note}"),
     .handler = notes_get,
     .risk = RISK_READ,
     PARAMS(get_params),
     .summary = "One note"},
};
static const struct rows rows = ROWS(methods);

static void finish(struct call *c)
{
    call_header_const(c, "Content-Type", "application/json");
}

static void write_error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
    finish(c);
    json_init(c->out, c->body_out, false, NULL);
    json_obj(c->out, NULL);
    json_str(c->out, "error", c->tx.err->text);
    json_end(c->out);
}

/* The language that a note is in decides how it is read. */
static const char *target_of(struct arena *a, const char *id, const struct json *looked)
{
    return arena_printf(a, "/notes/v1/notes/%s?lang=%s", id,
                        json_get_str(looked, "id") ? "en" : "none");
}

static const struct tool_common common[] = {{"get", "lang"}, {NULL}};
static const struct tool_resource resources[] = {
    {.name = "note",
     .uri = "notes://{id}",
     .title = "A note",
     .summary = "The text of a note",
     .look = "/notes/v1/notes/{id}",
     .target = target_of,
     .list = "/notes/v1/notes",
     .items = "notes",
     .id = "id",
     .called = "title"},
    {NULL},
};
static const struct tool_prompt prompts[] = {
    {"tidy", "Tidy", "Put notes in order", {{"note", "A note", true, "note"}}, "Tidy {note}."},
    {NULL},
};
static const struct dialect_tools tools = {.name = "notes",
                                           .title = "Acme Notes",
                                           .place = 7,
                                           .says_ok = "/notes/",
                                           .scope = "acme.notes",
                                           .common = common,
                                           .resources = resources,
                                           .prompts = prompts};
/* Of services without anything but their methods, which come first. */
static const struct dialect_tools bare = {.name = "bare", .title = "Acme Bare", .place = 3};
static const struct dialect_tools same = {.name = "same", .title = "Acme Same", .place = 3};

static const struct front front = {.finish = finish, .error = write_error};
static const struct tools_signin signin = {"/acme/authorize", "/acme/token", "/acme/revoke",
                                           "/acme/keys", "apps"};
static const struct vendor vendor = {
    .name = "acme", .title = "Acme", .front = &front, .signin = &signin};
static const struct dialect notes_acme = {.name = "notes.acme",
                                          .title = "Acme Notes API",
                                          .vendor = &vendor,
                                          .tables = TABLES(&rows),
                                          .tools = &tools};

static int ping(struct call *c)
{
    json_obj(c->out, NULL);
    json_end(c->out);
    return 0;
}

static const struct route bare_methods[] = {{.id = "ping",
                                             .verbs = GET,
                                             .paths = PATHS("/bare/ping"),
                                             .handler = ping,
                                             .risk = RISK_READ,
                                             .summary = "Nothing"}};
static const struct rows bare_rows = ROWS(bare_methods);
static const struct dialect bare_acme = {.name = "bare.acme",
                                         .title = "Acme Bare API",
                                         .vendor = &vendor,
                                         .tables = TABLES(&bare_rows),
                                         .tools = &bare};

static const struct route same_methods[] = {{.id = "pong",
                                             .verbs = GET,
                                             .paths = PATHS("/same/pong"),
                                             .handler = ping,
                                             .risk = RISK_READ,
                                             .summary = "Nothing either"}};
static const struct rows same_rows = ROWS(same_methods);
static const struct dialect same_acme = {.name = "same.acme",
                                         .title = "Acme Same API",
                                         .vendor = &vendor,
                                         .tables = TABLES(&same_rows),
                                         .tools = &same};

static const struct sosia_core *const cores[] = {&identity_core, NULL};
static const struct sosia_service identity = {.name = "identity", .cores = cores};
static const struct dialect *const dialects[] = {&notes_acme, &bare_acme, &same_acme, NULL};
static const struct sosia_service notes = {.name = "notes", .dialects = dialects};
static const struct sosia_service *const services[] = {&identity, &notes, &mcp_endpoint, NULL};

static const struct sosia_service *const without[] = {&identity, &mcp_endpoint, NULL};

static const char doc[] = "sosia: 1\n"
                          "registration: true\n"
                          "people:\n"
                          "  - {email: ada@acme.example, name: Ada}\n";

static int open_with(const struct sosia_service *const *list)
{
    if (test_open_engine_of(list) < 0)
        return -1;
    test_world = test_world_of(doc);
    return 0;
}

static int set_up(void **state)
{
    return open_with(services);
}

/* ---- tests ---- */

#define ADA "ada@acme.example"

static const struct json *ask(const char *method, const char *params)
{
    return json_get(mcp_ask(ADA, "/mcp", method, params), "result");
}

static void its_methods_are_tools(void **state)
{
    assert_string_equal(mcp_names(ADA, "/mcp?tools=native"),
                        "bare_ping same_pong notes_list notes_get");
    assert_string_equal(mcp_names(ADA, "/mcp/bare?tools=native"), "bare_ping");
    assert_string_equal(mcp_names(ADA, "/mcp"), "notes_get");
    assert_string_equal(mcp_names(ADA, "/mcp/notes?tools=hosted"), "");
    assert_non_null(
        strstr(mcp_done(ADA, "/mcp", "notes_get", "{'note':'n1','lang':'it'}"), "\"lang\":\"it\""));
}

/* It shows what most calls have, and takes everything. */
static void the_short_list_is_its_own(void **state)
{
    const struct json *v = ask("tools/list", "{}");
    assert_at(v, "tools.0.inputSchema.properties.lang.type", "string");
    assert_null(value_at(v, "tools.0.inputSchema.properties.rest"));
    mcp_done(ADA, "/mcp", "notes_get", "{'note':'n1','rest':'x'}");
}

static void a_refusal_is_what_it_says(void **state)
{
    mcp_call(ADA, "/mcp", "notes_get", "{'note':'gone'}");
    assert_true(mcp_refused);
}

static void its_resources_are_listed_and_read(void **state)
{
    assert_at(ask("resources/list", "{}"), "resources.0.uri", "notes://n%201");
    assert_at(ask("resources/templates/list", "{}"), "resourceTemplates.0.name", "note");
    const struct json *v = ask("resources/read", "{\"uri\":\"notes://n%201\"}");
    assert_string_equal(text_at(v, "contents.0.text"),
                        "{\"ok\":true,\"id\":\"n 1\",\"lang\":\"en\"}");
    v = mcp_ask(ADA, "/mcp/bare", "resources/read", "{\"uri\":\"notes://n%201\"}");
    assert_non_null(json_get(v, "error"));
}

static void its_prompts_are_there(void **state)
{
    assert_at(ask("prompts/list", "{}"), "prompts.0.name", "tidy");
    const struct json *v =
        ask("prompts/get", "{\"name\":\"tidy\",\"arguments\":{\"note\":\"n1\"}}");
    assert_at(v, "messages.0.content.text", "Tidy n1.");
    v = ask("completion/complete", "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"tidy\"},"
                                   "\"argument\":{\"name\":\"note\",\"value\":\"pl\"}}");
    assert_at(v, "completion.values.0", "n 1");
}

static const struct json *get(const char *path)
{
    const struct sosia_request r = {
        .method = "GET", .target = path, .base_url = "http://localhost"};
    const struct json *v;
    test_call(test_world, &r);
    json_parse(&test_arena, test_response->body, test_response->body_len, NULL, &v, NULL);
    return v;
}

static void its_vendor_signs_people_in(void **state)
{
    const struct json *v = get("/.well-known/oauth-authorization-server");
    assert_at(v, "authorization_endpoint", "http://localhost/acme/authorize");
    assert_at(v, "jwks_uri", "http://localhost/acme/keys");
    assert_at(v, "scopes_supported.0", "acme.notes");
    v = get("/.well-known/oauth-protected-resource/mcp/notes");
    assert_at(v, "resource", "http://localhost/mcp/notes");
    get("/.well-known/oauth-protected-resource/mcp/bare"); /* whose tokens are not of this sign-in
                                                            */
    assert_int_equal(test_response->status, 404);
    get("/.well-known/oauth-protected-resource/mcp/calendar");
    assert_int_equal(test_response->status, 404);
}

static void register_client(void)
{
    static const char body[] = "{\"redirect_uris\":[\"https://app.example/done\"]}";
    const struct sosia_request r = {.method = "POST",
                                    .target = "/mcp/register",
                                    .body = body,
                                    .body_len = sizeof body - 1,
                                    .base_url = "http://localhost"};
    test_call(test_world, &r);
}

static void a_client_registers_as_its_app(void **state)
{
    register_client();
    assert_int_equal(test_response->status, 201);
    const struct json *dump = read_dump(test_engine, test_world);
    assert_at(dump, "apps.0.vendor", "acme");
    assert_at(dump, "apps.0.name", "A client of tools");
}

static void without_a_vendor_there_are_no_tools_and_no_sign_in(void **state)
{
    test_close_engine(state);
    open_with(without);
    assert_string_equal(mcp_names(ADA, "/mcp?tools=native"), "");
    assert_int_equal(count_at(ask("prompts/list", "{}"), "prompts"), 0);
    get("/.well-known/oauth-authorization-server");
    assert_int_equal(test_response->status, 404);
    get("/.well-known/oauth-protected-resource/mcp");
    assert_int_equal(test_response->status, 404);
    register_client();
    assert_int_equal(test_response->status, 404);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, test_close_engine)
    const struct CMUnitTest tests[] = {
        TEST(its_methods_are_tools),
        TEST(the_short_list_is_its_own),
        TEST(a_refusal_is_what_it_says),
        TEST(its_resources_are_listed_and_read),
        TEST(its_prompts_are_there),
        TEST(its_vendor_signs_people_in),
        TEST(a_client_registers_as_its_app),
        TEST(without_a_vendor_there_are_no_tools_and_no_sign_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
