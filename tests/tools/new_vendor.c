/* What is behind the example of docs/adding.md in one file (test_new_vendor.py): its vendor and
 * service in an engine. */
#include "tests/support/unit.h"
#include <stdio.h>

static const struct sosia_service identity = {
    .name = "identity", .cores = (const struct sosia_core *const[]){&identity_core, NULL}};
static const struct sosia_service *const services[] = {&identity, &notes, NULL};
static struct sosia_engine *engine;
static struct sosia_err err;
static char token[SOSIA_TOKEN_MAX];

static void answers(uint64_t world, const char *target, const char *with, int status,
                    const char *body)
{
    char bearer[SOSIA_TOKEN_MAX + 8];
    snprintf(bearer, sizeof bearer, "Bearer %s", with);
    const struct sosia_header headers[] = {{"Host", "api.acme.example"}, {"Authorization", bearer}};
    const struct sosia_request r = {
        .method = "POST", .target = target, .headers = headers, .n_headers = *with ? 2 : 1};
    struct sosia_response *response;
    assert_int_equal(sosia_call(engine, world, &r, &response, &err), 0);
    if (response->status != status || !strstr(response->body ? response->body : "", body))
        fail_msg("%s: %d %.*s", target, response->status, (int)response->body_len, response->body);
    sosia_response_free(response);
}

static void the_example_works(void **state)
{
    static const char doc[] =
        "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}],"
        "\"notes\":[{\"id\":\"n1\",\"owner\":\"ada@acme.example\",\"body\":\"Milk\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct sosia_token_options who = {.actor = "ada@acme.example"};
    struct sosia_blob dump;
    uint64_t world, other;
    (void)state;
    if (engine_open(NULL, services, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0 ||
        sosia_token_issue(engine, world, &who, token, sizeof token, &err) < 0)
        fail_msg("%s", err.text);
    answers(world, "/notes/v1/notes?body=Bread", token, 200, "\"ok\":true");
    answers(world, "/notes/v1/notes", token, 400, "{\"ok\":false,\"error\":");
    answers(world, "/notes/v1/nothing", token, 404, "{\"ok\":false,\"error\":");
    answers(world, "/notes/v1/notes?body=Bread", "", 401, "{\"ok\":false,\"error\":");
    assert_int_equal(sosia_world_dump(engine, world, &dump, &err), 0);
    assert_non_null(strstr(dump.data, "Milk"));
    assert_non_null(strstr(dump.data, "Bread"));
    opt.seed_doc = dump.data;
    opt.seed_doc_len = dump.len;
    if (sosia_world_create(engine, &opt, &other, &err) < 0)
        fail_msg("%s", err.text);
    sosia_blob_free(&dump);
    opt.seed_doc = "{\"sosia\":1,\"notes\":[{\"owner\":\"eve@acme.example\",\"body\":\"x\"}]}";
    opt.seed_doc_len = strlen(opt.seed_doc);
    assert_int_equal(sosia_world_create(engine, &opt, &other, &err), -1);
    assert_non_null(strstr(err.text, "notes[0].owner"));
    sosia_engine_close(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_example_works)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
