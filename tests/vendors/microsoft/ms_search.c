/* SPDX-License-Identifier: Apache-2.0 */
/* The search over messages, events and people: its hits, pages, and what it refuses. */
#include "tests/support/world.h"

#define ADA "ada@port.example"
#define BOB "bob@port.example"

static const char doc[] =
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
    "people: [{email: " ADA ", name: Ada Love}, {email: " BOB ", name: Bob Stone},\n"
    "         {email: eve@acme.example, name: Bob Other}, {handle: daemon, kind: app},\n"
    "         {email: dan@dry.example, name: Dan}]\n"
    "accounts: [{actor: " ADA ", vendor: microsoft}, {actor: " BOB ", vendor: microsoft},\n"
    "           {actor: eve@acme.example, vendor: microsoft},\n"
    "           {actor: dan@dry.example, vendor: microsoft, services: [mail]}]\n"
    "microsoftTenants: [{domain: port.example}, {domain: acme.example}]\n"
    "apps: [{client_id: d, client_secret: s, name: D, kind: web, vendor: microsoft, bot: daemon}]\n"
    "microsoftApps: [{app: d, tenant: port.example, application: Mail.Read}]\n"
    "tokens: [{token: daemon-token, actor: daemon, app: d, kind: app, scopes: Mail.Read}]\n"
    "mailboxes:\n"
    "  - person: " ADA "\n"
    "    messages:\n"
    "      - {from: " BOB ", subject: Budget one, text: 'the plan'}\n"
    "      - {from: " BOB ", subject: Budget two, text: 'no word'}\n"
    "      - {from: " BOB ", subject: Budget three, text: 'the plan'}\n"
    "  - {person: " BOB ", messages: [{from: " ADA ", subject: Budget of Bob, text: x}]}\n";

static int begin(void **state)
{
    return test_open(doc);
}

static int end(void **state)
{
    return test_close();
}

static const struct json *ask(const char *bearer, const char *path, const char *body)
{
    const struct sosia_header headers[3] = {{"Host", "graph.microsoft.com"},
                                            {"Authorization", bearer},
                                            {"Content-Type", "application/json"}};
    const char *text = quoted(body);
    return test_request("POST", arena_printf(&test_arena, "/v1.0%s", path), headers, 3, text,
                        strlen(text));
}

static const struct json *find(const char *scopes, const char *entity, const char *query,
                               const char *more)
{
    return ask(test_bearer(ADA, scopes), "/search/query",
               arena_printf(&test_arena,
                            "{'requests':[{'entityTypes':['%s'],'query':{'queryString':'%s'}%s}]}",
                            entity, query, more));
}

#define HITS "value.0.hitsContainers.0.hits"
#define BOX  "value.0.hitsContainers.0"

static void messages_are_found(void **state)
{
    const struct json *v = find("Mail.Read", "message", "budget", "");
    assert_int_equal(test_status, 200);
    assert_int_equal(number_at(v, BOX ".total"), 3);
    assert_false(true_at(v, BOX ".moreResultsAvailable"));
    assert_int_equal(count_at(v, HITS), 3);
    assert_string_equal(printed_at(v, "value.0.searchTerms"), "[\"budget\"]");
    assert_string_equal(members(v, HITS ".0"), "hitId rank summary resource");
    assert_int_equal(number_at(v, HITS ".0.rank"), 1);
    assert_string_equal(json_get_str(value_at(v, HITS ".0.resource"), "@odata.type"),
                        "#microsoft.graph.message");
    assert_null(value_at(v, HITS ".0.resource.body"));
    assert_string_equal(text_at(v, HITS ".0.summary"), text_at(v, HITS ".0.resource.bodyPreview"));
    v = find("Mail.Read", "message", "budget AND plan", "");
    assert_int_equal(number_at(v, BOX ".total"), 2);
    assert_string_equal(printed_at(v, "value.0.searchTerms"), "[\"budget\",\"plan\"]");
    v = find("Mail.Read", "message", "subject:two", "");
    assert_string_equal(text_at(v, HITS ".0.resource.subject"), "Budget two");
    v = find("Mail.Read", "message", "\\\"the plan\\\" AND subject:three", "");
    assert_int_equal(number_at(v, BOX ".total"), 1);
    v = find("Mail.Read", "message", "nothing", "");
    assert_int_equal(number_at(v, BOX ".total"), 0);
    assert_null(value_at(v, HITS));
}

static void pages_follow_each_other(void **state)
{
    const struct json *v = find("Mail.Read", "message", "budget", ",'from':0,'size':2");
    assert_int_equal(count_at(v, HITS), 2);
    assert_true(true_at(v, BOX ".moreResultsAvailable"));
    const char *first = text_at(v, HITS ".0.hitId");
    v = find("Mail.Read", "message", "budget", ",'from':2,'size':2");
    assert_int_equal(count_at(v, HITS), 1);
    assert_int_equal(number_at(v, HITS ".0.rank"), 3);
    assert_string_not_equal(text_at(v, HITS ".0.hitId"), first);
    assert_false(true_at(v, BOX ".moreResultsAvailable"));
    v = find("Mail.Read", "message", "budget", ",'from':9,'size':2");
    assert_null(value_at(v, HITS));
    v = find("Mail.Read", "message", "budget", ",'size':0");
    assert_null(value_at(v, HITS));
    assert_int_equal(number_at(v, BOX ".total"), 3);
    find("Mail.Read", "message", "budget", ",'size':500");
    assert_int_equal(test_status, 200);
}

static void events_and_people_are_found(void **state)
{
    ask(test_bearer(ADA, NULL), "/me/events",
        "{'subject':'Tea plan','start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"
        "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'}}");
    ask(test_bearer(BOB, NULL), "/me/events",
        "{'subject':'Tea of Bob','start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"
        "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'}}");
    const struct json *v = find("Calendars.Read", "event", "tea", "");
    assert_int_equal(number_at(v, BOX ".total"), 1);
    assert_string_equal(text_at(v, HITS ".0.resource.subject"), "Tea plan");
    assert_null(value_at(v, HITS ".0.resource.body"));
    v = find("Calendars.Read", "event", "coffee", "");
    assert_int_equal(number_at(v, BOX ".total"), 0);
    v = find("People.Read", "person", "bob", "");
    assert_int_equal(number_at(v, BOX ".total"), 1); /* of the caller's tenant */
    assert_string_equal(text_at(v, HITS ".0.resource.displayName"), "Bob Stone");
    assert_string_equal(text_at(v, HITS ".0.summary"), "Bob Stone");
}

static void what_cant_be_searched_is_refused(void **state)
{
    static const struct {
        const char *scopes, *request, *code, *says;
        int status;
    } cases[] = {
        {"Mail.Read", "", "BadRequest", "requests must have an item", 400},
        {"Mail.Read", "{'query':{'queryString':'x'}}", "BadRequest", "entityTypes", 400},
        {"Mail.Read", "{'entityTypes':['message'],'query':{'queryString':' '}}", "BadRequest",
         "queryString", 400},
        {"Mail.Read", "{'entityTypes':['message']}", "BadRequest", "queryString", 400},
        {"Mail.Read", "{'entityTypes':['message'],'size':501,'query':{'queryString':'x'}}",
         "BadRequest", "size", 400},
        {"Mail.Read", "{'entityTypes':['message'],'from':-1,'query':{'queryString':'x'}}",
         "BadRequest", "from", 400},
        {"Mail.Read", "{'entityTypes':['message','event'],'query':{'queryString':'x'}}",
         "BadRequest", "combination", 400},
        {"Mail.Read",
         "{'entityTypes':['message'],'query':{'queryString':'x'}},{'entityTypes':['message'],"
         "'query':{'queryString':'x'}}",
         "BadRequest", "Only one request", 400},
        {"Mail.Read", "{'entityTypes':['chatMessage'],'query':{'queryString':'x'}}", "Forbidden",
         "Access to ChatMessage in Graph API requires", 403},
        {"Mail.Read", "{'entityTypes':['event'],'query':{'queryString':'x'}}", "Forbidden",
         "Access to Event in Graph API requires", 403},
        {"Calendars.Read", "{'entityTypes':['message'],'query':{'queryString':'x'}}", "Forbidden",
         "Access to Message in Graph API requires", 403},
        {"User.Read", "{'entityTypes':['message'],'query':{'queryString':'x'}}", "Forbidden", "",
         403},
        {"Mail.Read", "{'entityTypes':['nothing'],'query':{'queryString':'x'}}", "BadRequest", "",
         400},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v =
            ask(test_bearer(ADA, cases[i].scopes), "/search/query",
                arena_printf(&test_arena, "{'requests':[%s]}", cases[i].request));
        if (test_status != cases[i].status || strcmp(text_at(v, "error.code"), cases[i].code) ||
            !strstr(text_at(v, "error.message"), cases[i].says))
            fail_msg("%s: %d %s", cases[i].request, test_status, test_body);
    }
    ask("Bearer daemon-token", "/search/query",
        "{'requests':[{'entityTypes':['message'],'query':{'queryString':'budget'}}]}");
    assert_int_equal(test_status, 403);
    const struct json *v = find("ExternalItem.Read.All", "externalItem", "x", "");
    assert_int_equal(test_status, 200);
    assert_int_equal(number_at(v, BOX ".total"), 0);
}

static void a_tenant_without_drives_has_no_files(void **state)
{
    (void)state;
    const struct json *v =
        ask(test_bearer("dan@dry.example", "Files.Read.All"), "/search/query",
            "{'requests':[{'entityTypes':['driveItem'],'query':{'queryString':'x'}}]}");
    assert_int_equal(test_status, 400);
    assert_string_equal(text_at(v, "error.message"), "Tenant does not have a SPO license.");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_are_found, begin, end),
        cmocka_unit_test_setup_teardown(pages_follow_each_other, begin, end),
        cmocka_unit_test_setup_teardown(events_and_people_are_found, begin, end),
        cmocka_unit_test_setup_teardown(what_cant_be_searched_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_tenant_without_drives_has_no_files, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
