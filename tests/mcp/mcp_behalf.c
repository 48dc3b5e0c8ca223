/* SPDX-License-Identifier: Apache-2.0 */
/* Services of Microsoft's that call Graph on behalf of who has a token for them: what such a token
 * is good for there, and that it is good for nothing else. */
#include "tests/support/world.h"

#define TENANT  "7c0f0000-0000-4000-8000-000000000001"
#define OTHER   "7c0f0000-0000-4000-8000-000000000002"
#define WEB     "11111111-0000-4000-8000-000000000001" /* may read mail, and ask */
#define BARE    "11111111-0000-4000-8000-000000000002" /* may ask alone */
#define ODD     "11111111-0000-4000-8000-000000000003" /* has other scopes of the same service */
#define WORKIQ  "workiq.svc.cloud.microsoft"
#define ASK     "api://" WORKIQ "/WorkIQAgent.Ask"
#define ASK_ID  "fdcc1f02-fc51-4226-8753-f668596af7f7/WorkIQAgent.Ask"
#define TOOLING "ea9ffc3e-8a23-4a7d-836d-234d7c7565c1"
#define MAIL    TOOLING "/McpServers.Mail.All"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}, {domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@port.example, name: Ada Love}\n"
    "  - {email: eve@acme.example, name: Eve}\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: eve@acme.example, vendor: microsoft}\n"
    "apps:\n"
    "  - {client_id: " WEB ", client_secret: s1, name: Web, kind: web, vendor: microsoft}\n"
    "  - {client_id: " BARE ", client_secret: s2, name: Bare, kind: web, vendor: microsoft}\n"
    "  - {client_id: " ODD ", client_secret: s3, name: Odd, kind: web, vendor: microsoft}\n"
    "microsoftTenants:\n"
    "  - {domain: port.example, id: " TENANT ", name: Port}\n"
    "  - {domain: acme.example, id: " OTHER ", name: Acme}\n"
    "microsoftUsers:\n"
    "  - {actor: ada@port.example, password: hush}\n"
    "  - {actor: eve@acme.example, password: apple}\n"
    "microsoftApps:\n"
    "  - {app: " WEB ", tenant: port.example, delegated: 'User.Read Mail.ReadWrite " ASK " " MAIL
    " " ASK_ID " api://" WEB "/access', application: User.Read.All}\n"
    "  - {app: " WEB ", tenant: acme.example, delegated: 'User.Read User.Read.All " ASK " " MAIL
    "'}\n"
    "  - {app: " BARE ", tenant: port.example, delegated: '" ASK "'}\n"
    "  - {app: " ODD ", tenant: port.example, delegated: 'User.Read api://" WORKIQ "/Other.Read'}\n"
    "workIQ: {actions: Allowed, create: Allowed}\n"
    "mailboxes:\n"
    "  - person: ada@port.example\n"
    "    vendor: microsoft\n"
    "    messages: [{from: x@far.example, to: ada@port.example, subject: Figures, text: hi, date: "
    "2026-11-22T09:00:00Z}]\n";

static int begin(void **state)
{
    return test_open(doc);
}

static int end(void **state)
{
    return test_close();
}

/* ---- tokens ---- */

static const char *ask_token(const char *tenant, const char *form)
{
    struct sosia_header headers[] = {{"Host", "login.microsoftonline.com"},
                                     {"Content-Type", "application/x-www-form-urlencoded"}};
    const struct json *v =
        test_request("POST", arena_printf(&test_arena, "/%s/oauth2/v2.0/token", tenant), headers, 2,
                     form, strlen(form));
    if (test_status != 200)
        fail_msg("%s: %s", form, test_body);
    return arena_strdup(&test_arena, text_at(v, "access_token"));
}

/* A person's token through an app, for one scope with its resource. */
static const char *token_of(const char *who, const char *app, const char *scope)
{
    bool ada = *who == 'a';
    const char *secret = strcmp(app, WEB) == 0 ? "s1" : strcmp(app, BARE) == 0 ? "s2" : "s3";
    return ask_token(ada ? TENANT : OTHER,
                     arena_printf(&test_arena,
                                  "grant_type=password&client_id=%s&client_secret=%s&username=%s&"
                                  "password=%s&scope=%s",
                                  app, secret, who, ada ? "hush" : "apple", scope));
}

/* ---- calls ---- */

static const struct json *message(const char *host, const char *target, const char *token,
                                  const char *method, const char *params)
{
    struct sosia_header headers[] = {
        {"Host", host},
        {"Authorization", arena_printf(&test_arena, "Bearer %s", token)},
        {"Content-Type", "application/json"},
        {"Accept", "application/json, text/event-stream"}};
    const char *body =
        arena_printf(&test_arena, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}",
                     method, quoted(params));
    return test_request("POST", target, headers, 4, body, strlen(body));
}

/* The status of a path that is fetched. */
static int64_t fetched(const char *token, const char *path)
{
    const struct json *v = message(
        WORKIQ, "/mcp", token, "tools/call",
        arena_printf(&test_arena, "{'name':'fetch','arguments':{'entityUrls':['%s']}}", path));
    assert_int_equal(test_status, 200);
    return number_at(v, "result.structuredContent.results.0.statusCode");
}

static int status_at(const char *host, const char *target, const char *token)
{
    message(host, target, token, "tools/list", "{}");
    return test_status;
}

static int64_t graph(const char *token, const char *target)
{
    struct sosia_header headers[] = {
        {"Host", "graph.microsoft.com"},
        {"Authorization", arena_printf(&test_arena, "Bearer %s", token)}};
    test_request("GET", target, headers, 2, NULL, 0);
    return test_status;
}

/* ---- Work IQ ---- */

static void a_token_for_the_service_has_what_its_app_was_given(void **state)
{
    const char *token = token_of("ada@port.example", WEB, ASK);
    assert_int_equal(fetched(token, "/me"), 200);
    assert_non_null(strstr(test_body, "Ada Love"));
    assert_int_equal(fetched(token, "/me/messages"), 200);
    assert_non_null(strstr(test_body, "Figures"));
    assert_int_equal(fetched(token, "/me/events"), 403); /* no app was given that */
    /* Changes too, and on the other way to the tools. */
    const struct json *v =
        message("localhost", "/mcp?tools=workiq", token, "tools/call",
                "{'name':'create_entity','arguments':{'parentUrl':'/me/messages','jsonBody':{"
                "'subject':'New'}}}");
    assert_int_equal(number_at(v, "result.structuredContent.statusCode"), 201);
    v = message("localhost", "/mcp?tools=workiq", token, "tools/call",
                "{'name':'do_action','arguments':{'actionUrl':'/me/sendMail','jsonBody':{'message':"
                "{'subject':'New','toRecipients':[{'emailAddress':{'address':'x@far.example'}}]}}"
                "}}");
    assert_int_equal(number_at(v, "result.structuredContent.statusCode"), 403); /* not Mail.Send */
    /* The id of the service is one of its names. */
    token = token_of("ada@port.example", WEB, ASK_ID);
    assert_int_equal(fetched(token, "/me"), 200);
    /* An app that was given nothing for Graph. */
    assert_int_equal(fetched(token_of("ada@port.example", BARE, ASK), "/me"), 403);
    /* One for Graph is good as before, for what it has. */
    token = token_of("ada@port.example", WEB, "User.Read");
    assert_int_equal(fetched(token, "/me"), 200);
    assert_int_equal(fetched(token, "/me/messages"), 403);
}

static void it_is_good_for_nothing_else(void **state)
{
    const char *token = token_of("ada@port.example", WEB, ASK);
    struct sosia_header headers[] = {
        {"Host", "graph.microsoft.com"},
        {"Authorization", arena_printf(&test_arena, "Bearer %s", token)},
        {"Content-Type", "application/json"}};
    const char *batch = "{\"requests\":[{\"id\":\"1\",\"method\":\"GET\",\"url\":\"/me\"}]}";
    assert_int_equal(graph(token, "/v1.0/me"), 401);
    const struct json *v = test_request("POST", "/v1.0/$batch", headers, 3, batch, strlen(batch));
    assert_true(test_status == 401 || number_at(v, "responses.0.status") == 401);
    /* Other tools are for tokens for Graph. */
    v = message("localhost", "/mcp?tools=native", token, "tools/call",
                "{'name':'outlook_messages_list','arguments':{}}");
    assert_null(strstr(test_body, "Figures"));
    assert_int_equal(
        status_at("agent365.svc.cloud.microsoft", "/agents/servers/mcp_MailTools", token), 401);
}

static void a_token_of_another_audience_is_refused(void **state)
{
    const char *own = token_of("ada@port.example", WEB, "api://" WEB "/access");
    assert_int_equal(status_at(WORKIQ, "/mcp", own), 401);
    assert_int_equal(status_at("localhost", "/mcp?tools=workiq", own), 401);
    assert_int_equal(status_at(WORKIQ, "/mcp", token_of("ada@port.example", WEB, MAIL)), 401);
    /* One that says so of itself, but that nobody gave. */
    assert_int_equal(status_at(WORKIQ, "/mcp", "eyJhbGciOiJub25lIn0.e30."), 401);
}

static void a_token_without_the_scope_is_refused(void **state)
{
    const char *odd = token_of("ada@port.example", ODD, "api://" WORKIQ "/Other.Read");
    assert_int_equal(status_at(WORKIQ, "/mcp", odd), 403);
    /* An app itself has no person to act for. */
    const char *app = ask_token(TENANT, "grant_type=client_credentials&client_id=" WEB
                                        "&client_secret=s1&scope=api://" WORKIQ "/.default");
    assert_int_equal(status_at(WORKIQ, "/mcp", app), 403);
}

static void a_token_of_another_tenant_sees_its_own(void **state)
{
    const char *token = token_of("eve@acme.example", WEB, ASK);
    assert_int_equal(fetched(token, "/me"), 200);
    assert_non_null(strstr(test_body, "Eve"));
    assert_int_equal(fetched(token, "/users/ada@port.example"), 404);
    assert_int_equal(fetched(token, "/users/ada@port.example/messages"), 403);
    /* What the app was given in the one tenant it was not given in the other. */
    assert_int_equal(fetched(token, "/me/messages"), 403);
}

/* ---- the tooling servers ---- */

#define SERVERS "agent365.svc.cloud.microsoft"
#define MAILS   "/agents/servers/mcp_MailTools"

static void a_server_has_its_tools_for_its_scope(void **state)
{
    const char *token = token_of("ada@port.example", WEB, MAIL);
    const struct json *v = message(SERVERS, MAILS, token, "tools/list", "{}");
    const char *names = column(v, "result.tools", "name");
    assert_true(strncmp(names, "SearchMessagesQueryParameters SearchMessages GetMessage ", 55) ==
                0);
    assert_null(strstr(names, "CreateEvent"));
    assert_null(strstr(names, "SendDraftMessage")); /* Mail.Send was not given */
    v = message(SERVERS, "/agents/tenants/" TENANT "/servers/mcp_MailTools", token, "tools/call",
                "{'name':'SearchMessages','arguments':{'queryString':'Figures'}}");
    assert_non_null(strstr(text_at(v, "result.content.0.text"), "Figures"));
    v = message(SERVERS, MAILS, token, "tools/call", "{'name':'getMyProfile'}");
    assert_int_equal(number_at(v, "error.code"), -32602); /* of another server */
    assert_int_equal(status_at(SERVERS, "/agents/servers/mcp_CalendarTools", token), 403);
    assert_int_equal(status_at(SERVERS, "/agents/servers/mcp_NoTools", token), 403);
    assert_int_equal(status_at(SERVERS, "/agents/tenants/" OTHER "/servers/mcp_MailTools", token),
                     403);
    assert_int_equal(
        status_at(SERVERS, "/agents/tenants/none.example/servers/mcp_MailTools", token), 403);
    assert_int_equal(graph(token, "/v1.0/me"), 401);
    assert_int_equal(status_at(WORKIQ, "/mcp", token), 401);
}

static void the_tokens_of_a_world_are_for_all_servers(void **state)
{
    static const char *const servers[][3] = {
        {"mcp_MailTools", "SearchMessages ", "ListEvents"},
        {"mcp_CalendarTools", "GetUserDateAndTimeZoneSettings", "getMyProfile"},
        {"mcp_MeServer", "getMyProfile", "GetMessage"}};
    const char *token = test_bearer("ada@port.example", NULL) + 7;
    for (size_t i = 0; i < SOSIA_LEN(servers); i++) {
        const struct json *v =
            message(SERVERS, arena_printf(&test_arena, "/agents/servers/%s", servers[i][0]), token,
                    "tools/list", "{}");
        const char *names = column(v, "result.tools", "name");
        if (!strstr(names, servers[i][1]) || strstr(names, servers[i][2]))
            fail_msg("%s: %s", servers[i][0], names);
    }
    assert_int_equal(status_at(SERVERS, "/agents/servers/mcp_NoTools", token), 404);
    /* Files of the workspace are of no vendor's host. */
    const struct json *v =
        message(SERVERS, MAILS, token, "tools/call",
                "{'name':'SendEmailWithAttachments','arguments':{'to':['ada@port.example'],"
                "'subject':'s','body':'b','directAttachmentFilePaths':['/data/none']}}");
    assert_non_null(strstr(text_at(v, "result.content.0.text"), "ENOENT"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_token_for_the_service_has_what_its_app_was_given, begin,
                                        end),
        cmocka_unit_test_setup_teardown(it_is_good_for_nothing_else, begin, end),
        cmocka_unit_test_setup_teardown(a_token_of_another_audience_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_token_without_the_scope_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_token_of_another_tenant_sees_its_own, begin, end),
        cmocka_unit_test_setup_teardown(a_server_has_its_tools_for_its_scope, begin, end),
        cmocka_unit_test_setup_teardown(the_tokens_of_a_world_are_for_all_servers, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
