/* SPDX-License-Identifier: Apache-2.0 */
/* What all of Graph shares, by a dialect of an Outlook-like workload with a few rows: refusals,
 * contexts, links, preferences, etags and batches. */
#include "engine/service.h"
#include "engine/text/civil.h"
#include "identity/account.h"
#include "tests/support/world.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"
#include <stdio.h>

#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":["                                  \
    "{\"email\":\"ada@port.example\"},{\"email\":\"bob@port.example\"}],\"accounts\":["            \
    "{\"actor\":\"ada@port.example\",\"vendor\":\"microsoft\",\"services\":[\"mail\"]},"           \
    "{\"actor\":\"bob@port.example\",\"vendor\":\"microsoft\",\"services\":[\"mail\"],"            \
    "\"tenant\":\"\",\"id\":\"0d1e0000-0000-4000-8000-00000000000b\"}]}"

/* ---- a dialect ---- */

static int things_list(struct call *c)
{
    struct graph_user u;
    const char *top = graph_option(c, "$top"), *zone = graph_prefer(c, "outlook.timezone");
    if (graph_whose(c, ACCOUNT_MAIL, &u) < 0)
        return -1;
    if (zone)
        graph_applied(c, "outlook.timezone", zone, true);
    json_obj(c->out, NULL);
    graph_context(c, "users%s/things", graph_key(c->tx.arena, u.key));
    json_str_opt(c->out, "top", top);
    json_str_opt(c->out, "folder", param_str(c, "folder-id"));
    json_bool(c->out, "me", u.me);
    json_arr(c->out, "value");
    json_end(c->out);
    json_str(c->out, "@odata.nextLink", graph_next(c, "$skip", "2"));
    json_str(c->out, "@odata.deltaLink", graph_link(c, "$deltatoken", "abc"));
    json_end(c->out);
    return 0;
}

static int things_patch(struct call *c)
{
    const struct json *body;
    if (graph_if_match(c, "W/\"key1\"") < 0 || !(body = call_body(c)))
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "name", json_get_str(body, "name"));
    json_end(c->out);
    return 0;
}

static int things_delete(struct call *c)
{
    c->status = 204;
    return 0;
}

static const struct param params[] = {
    {.name = "user-id", .place = IN_PATH, .required = true, .summary = "The user"},
    {.name = "folder-id", .place = IN_PATH, .required = true, .summary = "The folder"},
    {.name = "id", .place = IN_PATH, .required = true, .summary = "The thing"},
};
static const struct route methods[] = {
    {.id = "things.list",
     .verbs = GET,
     .paths = PATHS(GRAPH_MY("/things"), GRAPH_MY("/folders/{folder-id}/things")),
     .handler = things_list,
     .risk = RISK_READ,
     .scopes = "Things.Read",
     PARAMS(params)},
    {.id = "things.patch",
     .verbs = PATCH,
     .paths = PATHS(GRAPH_MY("/things/{id}")),
     .handler = things_patch,
     .risk = RISK_WRITE,
     .body = BODY_JSON,
     .request = "thing",
     PARAMS(params)},
    {.id = "things.delete",
     .verbs = DELETE,
     .paths = PATHS(GRAPH_MY("/things/{id}")),
     .handler = things_delete,
     .risk = RISK_DESTRUCTIVE,
     PARAMS(params)},
};
static const struct rows rows = ROWS(methods);
static const struct field fields[] = {
    {.name = "name", .type = "string"},
    {.name = "color", .type = "string", .values = (const char *const[]){"red", "blue", NULL}},
    {.name = "id", .type = "string", .read_only = true},
};
static const struct schema schemas[] = {
    {.name = "thing", .fields = fields, .n_fields = SOSIA_LEN(fields)}};
static const struct graph_api outlook = {.workload = GRAPH_OUTLOOK};
static const struct rate_class rates[] = {
    {.name = "Things", .per_actor = true, .limit = 2, .period_us = 20 * US_PER_SECOND},
    {.name = NULL},
};
static const struct dialect things = {.name = "things.graph",
                                      .title = "Things",
                                      .vendor = &microsoft_vendor,
                                      .tables = TABLES(&rows),
                                      .schemas = schemas,
                                      .n_schemas = SOSIA_LEN(schemas),
                                      .rates = rates,
                                      .facts = &outlook};

/* Accounts have a mailbox by name only. */
static const struct provision provisions[] = {
    {"microsoft", ACCOUNT_MAIL, "person", false, NULL},
    {NULL, 0, NULL, false, NULL},
};
static const struct sosia_core things_core = {.name = "things", .provisions = provisions};
static const struct sosia_service identity = {
    .name = "identity", .cores = (const struct sosia_core *const[]){&identity_core, NULL}};
static const struct sosia_service graph = {
    .name = "graph",
    .cores = (const struct sosia_core *const[]){&microsoft_core, &things_core, NULL},
    .dialects = (const struct dialect *const[]){&graph_common, &things, NULL}};
static const struct sosia_service *const services[] = {&identity, &graph, NULL};

static int begin(void **state)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    test_use(DOC);
    return 0;
}

static int end(void **state)
{
    return test_close_engine(state);
}

/* ---- requests ---- */

static const char *extra_header, *extra_value;

static const struct json *ask(const char *method, const char *target, const char *token,
                              const char *body)
{
    struct sosia_header headers[4] = {{"Host", GRAPH_HOST}};
    size_t n = 1;
    if (token)
        headers[n++] = (struct sosia_header){"Authorization", token};
    if (body)
        headers[n++] = (struct sosia_header){"Content-Type", "application/json"};
    if (extra_header)
        headers[n++] = (struct sosia_header){extra_header, extra_value};
    extra_header = NULL;
    test_made_up = true;
    return test_request(method, target, headers, n, body ? quoted(body) : NULL,
                        body ? strlen(body) : 0);
}

static const struct json *ada(const char *method, const char *target, const char *body)
{
    return ask(method, target, test_bearer("ada@port.example", NULL), body);
}

static void assert_graph(const struct json *v, int status, const char *code)
{
    assert_int_equal(test_status, status);
    assert_string_equal(text_at(v, "error.code"), code);
}

/* ---- tests ---- */

static void credentials_are_refused_by_the_gateway(void **state)
{
    const struct json *v = ask("GET", "/v1.0/me/things", NULL, NULL);
    assert_graph(v, 401, "InvalidAuthenticationToken");
    assert_string_equal(text_at(v, "error.message"), "Access token is empty.");
    assert_string_equal(text_at(v, "error.innerError.date"), "2026-11-23T08:00:00");
    assert_string_equal(text_at(v, "error.innerError.request-id"), test_header("request-id"));
    assert_non_null(
        strstr(test_header("WWW-Authenticate"), "00000003-0000-0000-c000-000000000000"));
    v = ask("GET", "/v1.0/me/things", "Bearer garbage", NULL);
    assert_graph(v, 401, "InvalidAuthenticationToken");
    assert_non_null(strstr(text_at(v, "error.message"), "IDX14100: JWT is not well formed"));
    v = ask("GET", "/v1.0/me/things", test_bearer("ada@port.example", "Things.Write"), NULL);
    assert_graph(v, 403, "ErrorAccessDenied");
    assert_null(value_at(v, "error.innerError"));
}

static void metadata_needs_no_token(void **state)
{
    for (int k = 0; k < 2; k++) {
        ask("GET", k ? "/beta/$metadata" : "/v1.0/$metadata", NULL, NULL);
        assert_int_equal(test_status, 200);
        assert_string_equal(test_header("Content-Type"), "application/xml");
        assert_string_equal(test_header("OData-Version"), "4.0");
        assert_non_null(strstr(test_body, "<EntityType Name=\"message\" BaseType="));
        assert_non_null(strstr(test_body, "<Singleton Name=\"me\" Type=\"graph.user\"/>"));
    }
}

static void paths_are_refused_by_the_gateway(void **state)
{
    const struct json *v = ada("GET", "/v1.0/me/nothing", NULL);
    assert_graph(v, 400, "BadRequest");
    assert_string_equal(text_at(v, "error.message"),
                        "Resource not found for the segment 'nothing'.");
    v = ada("GET", "/v1.0/me/nothing('a')/behind/it", NULL);
    assert_string_equal(text_at(v, "error.message"),
                        "Resource not found for the segment 'nothing'.");
    v = ada("GET", "/v1.0/me/no\xff\xc3\xa9thing", NULL);
    assert_string_equal(text_at(v, "error.message"),
                        "Resource not found for the segment 'no\xc3\xa9thing'.");
    v = ada("PUT", "/v1.0/me/things/1", "{}");
    assert_graph(v, 405, "Request_BadRequest");
}

static void users_are_named_by_me_id_and_address(void **state)
{
    const struct json *v = ada("GET", "/v1.0/me/things", NULL);
    assert_int_equal(test_status, 200);
    assert_true(true_at(v, "me"));
    assert_string_equal(
        json_get_str(v, "@odata.context"),
        "https://graph.microsoft.com/v1.0/$metadata#users('ada%40port.example')/things");
    v = ada("GET", "/beta/users/0d1e0000-0000-4000-8000-00000000000b/things", NULL);
    assert_int_equal(test_status, 200);
    assert_false(true_at(v, "me"));
    assert_string_equal(
        json_get_str(v, "@odata.context"),
        "https://graph.microsoft.com/beta/$metadata#users('bob%40port.example')/things");
    ada("GET", "/v1.0/USERS('Bob@port.example')/Things", NULL);
    assert_int_equal(test_status, 200);
    v = ada("GET", "/v1.0/users/eve@port.example/things", NULL);
    assert_graph(v, 404, "ErrorInvalidUser");
}

static void paths_are_lenient(void **state)
{
    static const char *const good[] = {"/v1.0/me/things/", "/v1.0//me//things", "/V1.0/ME/Things",
                                       "/v1.0/me/microsoft.graph.things",
                                       "/v1.0/me/folders//a/things"};
    for (size_t i = 0; i < SOSIA_LEN(good); i++) {
        ada("GET", good[i], NULL);
        if (test_status != 200)
            fail_msg("%s: %d %s", good[i], test_status, test_body);
    }
}

static void links_keep_the_path_and_the_options(void **state)
{
    const struct json *v = ada("GET", "/v1.0/me/folders/inbox/things?$top=2&$skip=9", NULL);
    assert_string_equal(
        json_get_str(v, "@odata.nextLink"),
        "https://graph.microsoft.com/v1.0/me/folders('inbox')/things?%24top=2&%24skip=2");
    assert_string_equal(
        json_get_str(v, "@odata.deltaLink"),
        "https://graph.microsoft.com/v1.0/me/folders('inbox')/things?$deltatoken=abc");
    v = ada("GET", "/v1.0/users/ada@port.example/folders('a%2Fb')/things?top=1", NULL);
    assert_string_equal(text_at(v, "folder"), "a/b");
    assert_string_equal(text_at(v, "top"), "1");
    assert_string_equal(json_get_str(v, "@odata.nextLink"),
                        "https://graph.microsoft.com/v1.0/users/ada@port.example/"
                        "folders('a%2Fb')/things?top=1&%24skip=2");
}

static void preferences_are_read_and_confirmed(void **state)
{
    extra_header = "Prefer";
    extra_value = "odata.maxpagesize=5, outlook.timezone=\"Pacific Standard Time\"";
    ada("GET", "/v1.0/me/things", NULL);
    assert_string_equal(test_header("Preference-Applied"),
                        "outlook.timezone=\"Pacific Standard Time\"");
    assert_non_null(strstr(test_header("Content-Type"), "odata.metadata=minimal; odata.streaming"));
    assert_string_equal(test_header("OData-Version"), "");
    extra_header = "client-request-id";
    extra_value = "mine";
    ada("GET", "/v1.0/me/things", NULL);
    assert_string_equal(test_header("client-request-id"), "mine");
    assert_string_equal(test_header("Preference-Applied"), "");
}

static void bodies_are_held_against_their_type(void **state)
{
    const struct json *v = ada("PATCH", "/v1.0/me/things/1", "{'Name':'x','id':'9','@a.b':1}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "x");
    v = ada("PATCH", "/v1.0/me/things/1", "{'size':1}");
    assert_graph(v, 400, "RequestBodyRead");
    assert_string_equal(
        text_at(v, "error.message"),
        "The property 'size' does not exist on type 'Microsoft.OutlookServices.Thing'. "
        "Make sure to only use property names that are defined by the type or mark "
        "the type as open type.");
    v = ada("PATCH", "/v1.0/me/things/1", "{'color':'green'}");
    assert_graph(v, 400, "RequestBodyRead");
    assert_string_equal(text_at(v, "error.message"), "Requested value 'green' was not found.");
    v = ada("PATCH", "/v1.0/me/things/1", "{'name':5}");
    assert_graph(v, 400, "UnableToDeserializePostBody");
    v = ada("PATCH", "/v1.0/me/things/1", "{");
    assert_graph(v, 400, "BadRequest");
}

static void a_stale_etag_is_refused(void **state)
{
    static const struct {
        const char *value;
        int status;
    } cases[] = {{"W/\"key1\"", 200}, {"\"key1\"", 200}, {"*", 200}, {"W/\"key2\"", 412}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        extra_header = "If-Match";
        extra_value = cases[i].value;
        ada("PATCH", "/v1.0/me/things/1", "{}");
        assert_int_equal(test_status, cases[i].status);
    }
    ada("DELETE", "/v1.0/me/things/1", NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(test_header("Content-Type"), "");
    assert_int_equal(test_len, 0);
}

static void a_batch_serves_its_parts_in_order(void **state)
{
    const struct json *v =
        ada("POST", "/v1.0/$batch",
            "{'requests':[{'id':'1','method':'GET','url':'/me/things?$top=1'},"
            "{'id':'2','method':'PATCH','url':'me/things/1','headers':{'Content-Type':"
            "'application/json'},'body':{'name':'x'},'dependsOn':['1']},"
            "{'id':'3','method':'GET','url':'/me/nothing'},"
            "{'id':'4','method':'DELETE','url':'/me/things/1','dependsOn':['3']},"
            "{'id':'5','method':'DELETE','url':'/me/things/1'},"
            "{'id':'6','method':'POST','url':'/$batch','headers':{'Content-Type':"
            "'application/json'},'body':{'requests':[]}}]}");
    assert_int_equal(test_status, 200);
    assert_string_equal(column(v, "responses", "id"), "1 2 3 4 5 6");
    assert_string_equal(printed_at(v, "responses.0.body.top"), "1");
    assert_string_equal(printed_at(v, "responses.1.body.name"), "x");
    assert_int_equal(number_at(v, "responses.2.status"), 400);
    assert_int_equal(number_at(v, "responses.3.status"), 424);
    assert_int_equal(number_at(v, "responses.4.status"), 204);
    assert_null(value_at(v, "responses.4.body"));
    assert_int_equal(number_at(v, "responses.5.status"), 400);
    assert_null(value_at(v, "responses.0.headers.request-id"));
}

/* On a server of one's own links lead to where the batch was sent. */
static void links_in_a_batch_are_as_outside_of_it(void **state)
{
    static const char tail[] = "/@graph.microsoft.com/v1.0/$batch";
    static const char body[] =
        "{\"requests\":[{\"id\":\"1\",\"method\":\"GET\",\"url\":\"/me/things?$top=1\"}]}";
    char key[17];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)test_world);
    for (int i = 0; i < 2; i++) {
        const struct sosia_header headers[] = {
            {"Authorization", test_bearer("ada@port.example", NULL)},
            {"Content-Type", "application/json"}};
        const struct sosia_request r = {.method = "POST",
                                        .target =
                                            i ? ARENA_JOIN(&test_arena, "/w/", key, tail) : tail,
                                        .headers = headers,
                                        .n_headers = 2,
                                        .body = body,
                                        .body_len = sizeof body - 1,
                                        .base_url = "http://localhost:8787"};
        test_call(test_world, &r);
        assert_int_equal(test_response->status, 200);
        const char *want = arena_printf(
            &test_arena, "\"http://localhost:8787/w/%s/@graph.microsoft.com/v1.0/me/things?", key);
        if (!strstr(test_response->body, want))
            fail_msg("no %s in %s", want, test_response->body);
    }
}

static void a_batch_in_a_batch_is_refused_whatever_it_is_called(void **state)
{
    static const char *const urls[] = {
        "/$batch",    "/%24batch", "/microsoft.graph.$batch", "/microsoft.graph.%24batch",
        "$batch?x=1", "/%24BATCH"};
    for (size_t i = 0; i < SOSIA_LEN(urls); i++) {
        const struct json *v =
            ada("POST", "/v1.0/$batch",
                arena_printf(&test_arena,
                             "{'requests':[{'id':'1','method':'POST','url':'%s','headers':{"
                             "'Content-Type':'application/json'},'body':{'requests':[{'id':'2',"
                             "'method':'GET','url':'/me/things'}]}}]}",
                             urls[i]));
        if (number_at(v, "responses.0.status") != 400)
            fail_msg("%s: %s", urls[i], test_body);
    }
}

static void malformed_batches_are_refused_whole(void **state)
{
    static const char *const bodies[] = {
        "{}",
        "{'requests':[]}",
        "{'requests':[1]}",
        "{'requests':[{'id':'1','method':'GET'}]}",
        "{'requests':[{'id':'a','method':'GET','url':'/me'},{'id':'A','method':'GET','url':'/"
        "me'}]}",
        "{'requests':[{'id':'1','method':'GET','url':'/me','dependsOn':['1']}]}",
        "{'requests':[{'id':'1','method':'GET','url':'/me','dependsOn':['2']},"
        "{'id':'2','method':'GET','url':'/me'}]}",
        "{'requests':[{'id':'1','method':'GET','url':'https://graph.microsoft.com/v1.0/me'}]}",
        "{'requests':[{'id':'1','method':'LOOK','url':'/me'}]}",
        "{'requests':[{'id':'1','method':'PATCH','url':'/me/things/1','body':{}}]}",
    };
    for (size_t i = 0; i < SOSIA_LEN(bodies); i++) {
        const struct json *v = ada("POST", "/v1.0/$batch", bodies[i]);
        if (test_status != 400)
            fail_msg("%s: %d %s", bodies[i], test_status, test_body);
        assert_graph(v, 400, "BadRequest");
    }
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "{'requests':[");
    for (int i = 0; i < 21; i++)
        buf_printf(&b, "%s{'id':'%d','method':'GET','url':'/me'}", i ? "," : "", i);
    buf_puts(&b, "]}");
    assert_graph(ada("POST", "/v1.0/$batch", buf_str(&b)), 400, "BadRequest");
    buf_done(&b);
    const struct json *v = ask("POST", "/v1.0/$batch", NULL, "{'requests':[]}");
    assert_graph(v, 401, "InvalidAuthenticationToken");
}

static void calls_beyond_a_limit_say_when_to_come_again(void **state)
{
    struct sosia_err err;
    const struct json *v;
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &err), 0);
    for (int i = 0; i < 2; i++) {
        ada("GET", "/v1.0/me/things", NULL);
        assert_int_equal(test_status, 200);
    }
    v = ada("GET", "/v1.0/me/things", NULL);
    assert_graph(v, 429, "ApplicationThrottled");
    assert_null(value_at(v, "error.innerError"));
    assert_string_equal(test_header("Retry-After"), "10");
    v = ada("POST", "/v1.0/$batch", "{'requests':[{'id':'1','method':'GET','url':'/me/things'}]}");
    assert_int_equal(test_status, 200);
    assert_int_equal(number_at(v, "responses.0.status"), 429);
    assert_string_equal(text_at(v, "responses.0.headers.Retry-After"), "10");
    ask("GET", "/v1.0/me/things", test_bearer("bob@port.example", NULL), NULL);
    assert_int_equal(test_status, 200); /* each mailbox has its own */
}

static void tokens_are_bound_to_their_purpose(void **state)
{
    const char *token = graph_seal(&test_arena, "delta messages 12", "42"), *text;
    char *forged = arena_strdup(&test_arena, token);
    assert_int_equal(graph_unseal(&test_arena, "delta messages 12", token, &text), 1);
    assert_string_equal(text, "42");
    assert_int_equal(graph_unseal(&test_arena, "delta messages 13", token, &text), 0);
    forged[3] = forged[3] == 'A' ? 'B' : 'A';
    assert_int_equal(graph_unseal(&test_arena, "delta messages 12", forged, &text), 0);
    assert_int_equal(graph_unseal(&test_arena, "delta messages 12", "", &text), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(credentials_are_refused_by_the_gateway, begin, end),
        cmocka_unit_test_setup_teardown(metadata_needs_no_token, begin, end),
        cmocka_unit_test_setup_teardown(paths_are_refused_by_the_gateway, begin, end),
        cmocka_unit_test_setup_teardown(users_are_named_by_me_id_and_address, begin, end),
        cmocka_unit_test_setup_teardown(paths_are_lenient, begin, end),
        cmocka_unit_test_setup_teardown(links_keep_the_path_and_the_options, begin, end),
        cmocka_unit_test_setup_teardown(preferences_are_read_and_confirmed, begin, end),
        cmocka_unit_test_setup_teardown(bodies_are_held_against_their_type, begin, end),
        cmocka_unit_test_setup_teardown(a_stale_etag_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_batch_serves_its_parts_in_order, begin, end),
        cmocka_unit_test_setup_teardown(links_in_a_batch_are_as_outside_of_it, begin, end),
        cmocka_unit_test_setup_teardown(a_batch_in_a_batch_is_refused_whatever_it_is_called, begin,
                                        end),
        cmocka_unit_test_setup_teardown(malformed_batches_are_refused_whole, begin, end),
        cmocka_unit_test_setup_teardown(calls_beyond_a_limit_say_when_to_come_again, begin, end),
        cmocka_unit_test_setup_teardown(tokens_are_bound_to_their_purpose, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
