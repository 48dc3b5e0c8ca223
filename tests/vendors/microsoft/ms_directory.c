/* SPDX-License-Identifier: Apache-2.0 */
/* Users, groups and the tenant behind Graph, and who may change them. */
#include "engine/base/codec.h"
#include "tests/support/world.h"
#include <stdio.h>

#define GRAPH  "graph.microsoft.com"
#define TENANT "7c0f0000-0000-4000-8000-000000000001"
#define BOB_ID "0d1e0000-0000-4000-8000-00000000000b"
#define CREW   "9a000000-0000-4000-8000-000000000001"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}, {domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@port.example, name: Ada Love}\n"
    "  - {email: bob@port.example, name: Bob Stone}\n"
    "  - {email: cyd@port.example, name: Cyd McRay}\n"
    "  - {email: eve@acme.example, name: Eve}\n"
    "  - {email: gus@home.example, name: Gus}\n"
    "  - {handle: daemon, kind: app, name: Daemon}\n"
    "groups:\n"
    "  - {email: crew@port.example, name: Crew, members: [ada@port.example, night@port.example]}\n"
    "  - {email: night@port.example, name: Night Watch, members: [bob@port.example]}\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: bob@port.example, vendor: microsoft, id: " BOB_ID "}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: eve@acme.example, vendor: microsoft}\n"
    "apps: [{client_id: daemon-app, client_secret: s, name: Daemon, kind: web, vendor: microsoft,\n"
    "        bot: daemon}]\n"
    "microsoftTenants:\n"
    "  - {domain: port.example, id: " TENANT ", name: Port, country: DE}\n"
    "  - {domain: acme.example, name: Acme}\n"
    "microsoftUsers:\n"
    "  - {actor: ada@port.example, jobTitle: Buyer, department: Sales, manager: bob@port.example,\n"
    "     licenses: [O365_BUSINESS]}\n"
    "  - {actor: bob@port.example, admin: true, department: Sales}\n"
    "  - {actor: gus@home.example, tenant: port.example, type: guest,\n"
    "     upn: gus_home.example#ext#@port.onmicrosoft.com}\n"
    "microsoftGroups:\n"
    "  - {group: crew@port.example, id: " CREW ", description: All hands, security: true,\n"
    "     owners: [ada@port.example]}\n"
    "microsoftApps: [{app: daemon-app, tenant: port.example, delegated: User.Read,\n"
    "                 application: User.Read.All}]\n"
    "tokens: [{token: daemon-token, actor: daemon, app: daemon-app, kind: app}]\n";

#define TEXT(...) arena_printf(&test_arena, __VA_ARGS__)

static const char *header_name, *header_value;

static const struct json *ask(const char *bearer, const char *method, const char *target,
                              const char *body)
{
    struct sosia_header headers[4] = {{"Host", GRAPH}};
    size_t n = 1;
    headers[n++] = (struct sosia_header){"Authorization", bearer};
    if (body)
        headers[n++] = (struct sosia_header){"Content-Type", "application/json"};
    if (header_name)
        headers[n++] = (struct sosia_header){header_name, header_value};
    header_name = NULL;
    return test_request(method, target, headers, n, body ? quoted(body) : NULL,
                        body ? strlen(body) : 0);
}

#define ADA test_bearer("ada@port.example", NULL)
#define BOB test_bearer("bob@port.example", "User.ReadWrite.All Group.ReadWrite.All")

static const struct json *get(const char *target)
{
    return ask(ADA, "GET", target, NULL);
}

static const struct json *eventual(const char *target)
{
    header_name = "ConsistencyLevel";
    header_value = "eventual";
    return get(target);
}

static void assert_refused(const struct json *v, int status, const char *code, const char *text)
{
    if (test_status != status || strcmp(text_at(v, "error.code"), code) != 0 ||
        !strstr(text_at(v, "error.message"), text))
        fail_msg("%d %s", test_status, test_body);
}

/* One text of each item of a list. */
static const char *each(const struct json *v, const char *name)
{
    const struct json *list = json_get(v, "value");
    const char *text = "";
    if (!list)
        fail_msg("%d %s", test_status, test_body);
    for (uint32_t i = 0; i < list->n; i++) {
        const char *one = json_get_str(&list->items[i], name);
        text = TEXT("%s%s%s", text, i ? ", " : "", one ? one : "");
    }
    return text;
}

static int begin(void **state)
{
    return test_open(doc);
}

static int end(void **state)
{
    return test_close();
}

/* ---- users ---- */

static void the_caller_has_the_usual_properties(void **state)
{
    get("/v1.0/me");
    assert_int_equal(test_status, 200);
    assert_true(str_starts(
        test_body,
        "{\"@odata.context\":\"https://graph.microsoft.com/v1.0/$metadata#users/$entity\","
        "\"businessPhones\":[],\"displayName\":\"Ada Love\",\"givenName\":\"Ada\",\"jobTitle\":"
        "\"Buyer\",\"mail\":\"ada@port.example\",\"mobilePhone\":null,\"officeLocation\":null,"
        "\"preferredLanguage\":null,\"surname\":\"Love\",\"userPrincipalName\":"
        "\"ada@port.example\",\"id\":"));
    assert_string_equal(test_header("x-ms-resource-unit"), "1");
    const struct json *v = get("/v1.0/me?$select=department,city");
    assert_string_equal(test_body,
                        "{\"@odata.context\":\"https://graph.microsoft.com/v1.0/"
                        "$metadata#users(department,city)/$entity\",\"department\":\"Sales\","
                        "\"city\":null}");
    v = get("/v1.0/users/" BOB_ID "?$select=userPrincipalName");
    assert_string_equal(text_at(v, "userPrincipalName"), "bob@port.example");
    v = get("/v1.0/users('BOB@port.example')");
    assert_string_equal(text_at(v, "id"), BOB_ID);
    v = get("/v1.0/me?$select=displayName&$expand=manager($select=displayName)");
    assert_string_equal(text_at(v, "manager.displayName"), "Bob Stone");
    v = ask("Bearer daemon-token", "GET", "/v1.0/me", NULL);
    assert_refused(v, 400, "BadRequest", "delegated authentication flow");
}

static void a_directory_ends_at_its_tenant(void **state)
{
    const struct json *v = get("/v1.0/users?$select=displayName");
    assert_string_equal(each(v, "displayName"), "Ada Love, Bob Stone, Cyd McRay, Gus");
    assert_refused(get("/v1.0/users/eve@acme.example"), 404, "Request_ResourceNotFound",
                   "Resource 'eve@acme.example' does not exist");
    v = ask(test_bearer("eve@acme.example", NULL), "GET", "/v1.0/users", NULL);
    assert_string_equal(each(v, "displayName"), "Eve");
    v = ask(test_bearer("eve@acme.example", NULL), "GET", "/v1.0/groups/" CREW, NULL);
    assert_refused(v, 404, "Request_ResourceNotFound", CREW);
    v = ask("Bearer daemon-token", "GET", "/v1.0/users/bob@port.example", NULL);
    assert_string_equal(text_at(v, "id"), BOB_ID);
    v = get("/v1.0/users?$filter=userType%20eq%20'Guest'");
    assert_string_equal(each(v, "userPrincipalName"), "gus_home.example#ext#@port.onmicrosoft.com");
}

static void pages_follow_each_other(void **state)
{
    const struct json *v = get("/v1.0/users?$top=3&$select=displayName");
    assert_string_equal(each(v, "displayName"), "Ada Love, Bob Stone, Cyd McRay");
    const char *next = json_get_str(v, "@odata.nextLink");
    assert_non_null(strstr(next, "$top=3"));
    v = get(strstr(next, "/v1.0/"));
    assert_string_equal(each(v, "displayName"), "Gus");
    assert_null(json_get(v, "@odata.nextLink"));
    v = get("/v1.0/users?$orderby=displayName%20desc&$top=2");
    assert_string_equal(each(v, "displayName"), "Gus, Cyd McRay");
    v = get(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0/"));
    assert_string_equal(each(v, "displayName"), "Bob Stone, Ada Love");
    assert_refused(get("/v1.0/users?$skiptoken=AAAA"), 400, "Directory_ExpiredPageToken", "token");
    get("/v1.0/users?$top=1000");
    assert_int_equal(test_status, 400);
}

static void advanced_queries_need_the_header(void **state)
{
    assert_refused(get("/v1.0/users?$search=%22displayName:ada%22"), 400,
                   "Request_UnsupportedQuery", "'ConsistencyLevel: eventual'");
    assert_refused(get("/v1.0/users?$filter=endswith(mail,'example')"), 400,
                   "Request_UnsupportedQuery", "Unsupported Query.");
    assert_refused(get("/v1.0/users?$filter=startswith(mail,'a')&$orderby=displayName"), 400,
                   "Request_UnsupportedQuery", "Sorting not supported for current query.");
    assert_refused(get("/v1.0/users/$count"), 400, "Request_BadRequest",
                   "$count is not currently supported.");
    const struct json *v = get("/v1.0/users?$count=true");
    assert_null(json_get(v, "@odata.count"));
    v = eventual("/v1.0/users?$count=true&$top=1");
    assert_non_null(strstr(test_body, "\"@odata.count\":4,\"@odata.nextLink\""));
    v = eventual("/v1.0/users?$count=true&$filter=endswith(mail,'port.example')");
    assert_string_equal(each(v, "displayName"), "Ada Love, Bob Stone, Cyd McRay");
    v = eventual("/v1.0/users?$search=%22displayName:ray%22");
    assert_string_equal(each(v, "displayName"), "Cyd McRay"); /* a word begins at a capital */
    v = eventual("/v1.0/users?$search=%22displayName:ay%22");
    assert_string_equal(each(v, "displayName"), "");
    v = eventual("/v1.0/users?$search=%22displayName:ada%22%20OR%20%22mail:bob%22");
    assert_string_equal(each(v, "displayName"), "Ada Love, Bob Stone");
    eventual("/v1.0/users/$count");
    assert_string_equal(test_body, "4");
    v = get("/v1.0/users?$filter=startswith(displayName,'B')%20and%20accountEnabled%20eq%20true");
    assert_string_equal(each(v, "displayName"), "Bob Stone");
}

static void relations_are_those_of_the_document(void **state)
{
    const struct json *v = get("/v1.0/me/manager");
    assert_string_equal(text_at(v, "id"), BOB_ID);
    assert_refused(get("/v1.0/users/" BOB_ID "/manager"), 404, "Request_ResourceNotFound",
                   "manager");
    v = get("/v1.0/users/" BOB_ID "/directReports");
    assert_string_equal(each(v, "displayName"), "Ada Love");
    v = get("/v1.0/users/" BOB_ID "/memberOf");
    assert_string_equal(each(v, "displayName"), "Night Watch");
    v = get("/v1.0/users/" BOB_ID "/transitiveMemberOf");
    assert_string_equal(each(v, "displayName"), "Crew, Night Watch");
    v = get("/v1.0/directoryObjects/" BOB_ID "/memberOf");
    assert_string_equal(each(v, "displayName"), "Night Watch");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#directoryObjects('" BOB_ID
                        "')/memberOf");
    const char *watch = text_at(v, "value.0.id");
    v = get(TEXT("/v1.0/directoryObjects/%s/memberOf?$select=displayName", watch));
    assert_string_equal(each(v, "displayName"), "Crew");
    assert_string_equal(each(get(TEXT("/v1.0/groups/%s/memberOf", watch)), "displayName"), "Crew");
    assert_string_equal(each(get(TEXT("/v1.0/groups/%s/transitiveMemberOf", watch)), "displayName"),
                        "Crew");
    assert_string_equal(each(get("/v1.0/groups/" CREW "/memberOf"), "displayName"), "");
    assert_refused(get("/v1.0/directoryObjects/99999999-0000-4000-8000-000000000001/memberOf"), 404,
                   "Request_ResourceNotFound", "does not exist");
    v = ask(ADA, "POST", "/v1.0/users/" BOB_ID "/checkMemberGroups",
            "{'groupIds':['" CREW "','11111111-0000-4000-8000-000000000001']}");
    assert_string_equal(json_get(v, "value")->items[0].str, CREW);
    assert_int_equal(json_get(v, "value")->n, 1);
    v = ask(ADA, "POST", "/v1.0/users/" BOB_ID "/getMemberGroups", "{'securityEnabledOnly':true}");
    assert_int_equal(json_get(v, "value")->n, 1);
    v = get("/v1.0/groups/" CREW "/members?$select=displayName");
    assert_string_equal(each(v, "displayName"), "Ada Love, Night Watch");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#directoryObjects(displayName)");
    assert_string_equal(json_get_str(&json_get(v, "value")->items[1], "@odata.type"),
                        "#microsoft.graph.group");
    v = get("/v1.0/groups/" CREW "/owners");
    assert_string_equal(each(v, "displayName"), "Ada Love");
    v = get("/v1.0/me/people");
    assert_string_equal(each(v, "displayName"), "Bob Stone, Cyd McRay, Gus");
}

static void relations_are_cast_and_counted(void **state)
{
    const struct json *v = get("/v1.0/groups/" CREW "/transitiveMembers");
    assert_string_equal(each(v, "displayName"), "Ada Love, Bob Stone, Night Watch");
    v = get("/v1.0/groups/" CREW "/transitiveMembers/microsoft.graph.user?$select=displayName");
    assert_string_equal(each(v, "displayName"), "Ada Love, Bob Stone");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#users(displayName)");
    assert_null(json_get(&json_get(v, "value")->items[0], "@odata.type"));
    v = get("/v1.0/groups/" CREW "/members/microsoft.graph.group");
    assert_string_equal(each(v, "displayName"), "Night Watch");
    v = get("/v1.0/users/" BOB_ID "/transitiveMemberOf/microsoft.graph.group?$select=displayName");
    assert_string_equal(each(v, "displayName"), "Crew, Night Watch");
    v = get("/v1.0/me/memberOf/graph.group");
    assert_string_equal(each(v, "displayName"), "Crew");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#groups");
    v = get("/v1.0/me/ownedObjects");
    assert_string_equal(json_get_str(&json_get(v, "value")->items[0], "@odata.type"),
                        "#microsoft.graph.group");
    assert_string_equal(each(get("/v1.0/me/ownedObjects/microsoft.graph.group"), "id"), CREW);
    assert_string_equal(each(get("/v1.0/users/" BOB_ID "/ownedObjects"), "id"), "");
    assert_refused(get("/v1.0/groups/" CREW "/members/$count"), 400, "Request_BadRequest",
                   "$count is not currently supported");
    eventual("/v1.0/groups/" CREW "/members/$count");
    assert_string_equal(test_body, "2");
    eventual("/v1.0/groups/" CREW "/members/microsoft.graph.user/$count");
    assert_string_equal(test_body, "1");
    eventual("/v1.0/users/" BOB_ID "/transitiveMemberOf/$count");
    assert_string_equal(test_body, "2");
    v = eventual("/v1.0/groups/" CREW "/transitiveMembers/microsoft.graph.user?$count=true&$filter="
                 "startswith(displayName,'B')");
    assert_string_equal(each(v, "displayName"), "Bob Stone");
    assert_string_equal(json_get(v, "@odata.count")->str, "1");
    assert_refused(get("/v1.0/groups/" CREW "/members/microsoft.graph.device"), 400, "BadRequest",
                   "Resource not found for the segment 'microsoft.graph.device'");
}

static void members_are_added_in_one_call(void **state)
{
    const char *url = "https://graph.microsoft.com/v1.0/directoryObjects/";
    const char *body = TEXT("{'members@odata.bind':['%s%s','%s%s']}", url, BOB_ID, url,
                            text_at(get("/v1.0/users/cyd@port.example?$select=id"), "id"));
    ask(BOB, "PATCH", "/v1.0/groups/" CREW, body);
    assert_int_equal(test_status, 204);
    const struct json *v = get("/v1.0/groups/" CREW "/members?$select=displayName");
    assert_string_equal(each(v, "displayName"), "Ada Love, Bob Stone, Cyd McRay, Night Watch");
    assert_refused(ask(BOB, "PATCH", "/v1.0/groups/" CREW, body), 400, "Request_BadRequest",
                   "properties: 'members'");
    body = TEXT("{'displayName':'Hands','members@odata.bind':['%s%s']}", url,
                "99999999-0000-4000-8000-000000000001");
    assert_refused(ask(BOB, "PATCH", "/v1.0/groups/" CREW, body), 404, "Request_ResourceNotFound",
                   "99999999");
    assert_string_equal(text_at(get("/v1.0/groups/" CREW), "displayName"), "Crew");
}

static void addresses_of_workplaces_are_kept(void **state)
{
    ask(BOB, "PATCH", "/v1.0/users/ada@port.example",
        "{'city':'Kiel','country':'Germany','postalCode':'24103','streetAddress':'Kai 1'}");
    assert_int_equal(test_status, 204);
    const struct json *v = get("/v1.0/me?$select=city,state,country,postalCode,streetAddress");
    assert_string_equal(text_at(v, "city"), "Kiel");
    assert_string_equal(text_at(v, "postalCode"), "24103");
    assert_int_equal(json_get(v, "state")->type, JSON_NULL);
    v = get("/v1.0/users?$filter=city%20eq%20'Kiel'&$select=displayName,streetAddress");
    assert_string_equal(each(v, "displayName"), "Ada Love");
    assert_string_equal(each(v, "streetAddress"), "Kai 1");
}

static void sessions_are_ended_by_who_may(void **state)
{
    const struct json *v = get("/v1.0/me?$select=signInSessionsValidFromDateTime");
    assert_string_equal(text_at(v, "signInSessionsValidFromDateTime"), "2026-11-23T08:00:00Z");
    test_advance(3600);
    v = ask(test_bearer("ada@port.example", "User.Read"), "POST", "/v1.0/me/revokeSignInSessions",
            NULL);
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    v = ask(test_bearer("ada@port.example", "User.RevokeSessions.All"), "POST",
            "/v1.0/users/" BOB_ID "/revokeSignInSessions", NULL);
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    v = ask(test_bearer("ada@port.example", "User.RevokeSessions.All"), "POST",
            "/v1.0/me/revokeSignInSessions", NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Edm.Boolean");
    assert_true(json_get_true(v, "value"));
    v = get("/v1.0/me?$select=signInSessionsValidFromDateTime");
    assert_string_equal(text_at(v, "signInSessionsValidFromDateTime"), "2026-11-23T09:00:00Z");
    ask(BOB, "POST", "/v1.0/users/cyd@port.example/revokeSignInSessions", NULL);
    assert_int_equal(test_status, 200);
}

static void only_who_may_changes_users(void **state)
{
    const struct json *v = ask(test_bearer("ada@port.example", "User.ReadWrite"), "PATCH",
                               "/v1.0/me", "{'jobTitle':'Boss'}");
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    v = ask(test_bearer("ada@port.example", "User.ReadWrite.All"), "PATCH", "/v1.0/users/" BOB_ID,
            "{'jobTitle':'Boss'}");
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    ask(test_bearer("ada@port.example", "User.ReadWrite"), "PATCH", "/v1.0/me",
        "{'mobilePhone':'+49 1'}");
    assert_int_equal(test_status, 204);
    ask(BOB, "PATCH", "/v1.0/users/ada@port.example", "{'jobTitle':'Boss','department':null}");
    assert_int_equal(test_status, 204);
    assert_string_equal(test_body, "");
    v = get("/v1.0/me?$select=jobTitle,department,mobilePhone");
    assert_string_equal(text_at(v, "jobTitle"), "Boss");
    assert_string_equal(text_at(v, "mobilePhone"), "+49 1");
    v = ask(BOB, "PATCH", "/v1.0/users/ada@port.example", "{'shoeSize':7}");
    assert_refused(v, 400, "Request_BadRequest", "Invalid property 'shoeSize'.");
    v = ask(BOB, "PATCH", "/v1.0/users/ada@port.example", "{'jobTitle':7}");
    assert_refused(v, 400, "Request_BadRequest", "'jobTitle'");
    v = ask(test_bearer("ada@port.example", "User.Read"), "GET", "/v1.0/users/" BOB_ID, NULL);
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    v = ask(test_bearer("ada@port.example", "Mail.Read"), "GET", "/v1.0/me", NULL);
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
}

#define DAN                                                                                        \
    "{'accountEnabled':true,'displayName':'Dan','mailNickname':'dan','userPrincipalName':'"        \
    "dan@port.example','passwordProfile':{'password':'x'}}"

static void users_are_made_and_deleted(void **state)
{
    const struct json *v = ask(ADA, "POST", "/v1.0/users", DAN);
    assert_int_equal(test_status, 201); /* a token for everything */
    const char *id = text_at(v, "id");
    assert_non_null(strstr(test_header("Location"), "/Microsoft.DirectoryServices.User"));
    assert_refused(ask(BOB, "POST", "/v1.0/users", DAN), 400, "Request_BadRequest",
                   "userPrincipalName already exists");
    v = ask(test_bearer("ada@port.example", "User.ReadWrite.All"), "POST", "/v1.0/users", DAN);
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    v = ask(BOB, "POST", "/v1.0/users",
            "{'accountEnabled':true,'displayName':'X','mailNickname':'x','userPrincipalName':'"
            "x@acme.example','passwordProfile':{'password':'x'}}");
    assert_refused(v, 400, "Request_BadRequest", "verified domain");
    v = ask(BOB, "POST", "/v1.0/users", "{'displayName':'X'}");
    assert_refused(v, 400, "Request_BadRequest", "A value is required for property");
    ask(BOB, "DELETE", TEXT("/v1.0/users/%s", id), NULL);
    assert_int_equal(test_status, 204);
    assert_refused(get(TEXT("/v1.0/users/%s", id)), 404, "Request_ResourceNotFound", id);
    v = get("/v1.0/users/dan@port.example/contacts");
    assert_refused(v, 404, "ErrorInvalidUser", "dan@port.example");
}

static void a_user_signs_in_by_another_name(void **state)
{
    static const char path[] = "/v1.0/users/cyd@port.example";
    ask(BOB, "PATCH", path, "{'userPrincipalName':'Cyd.McRay@port.onmicrosoft.com'}");
    assert_int_equal(test_status, 204);
    const struct json *v = get("/v1.0/users/cyd.mcray@port.onmicrosoft.com");
    assert_string_equal(text_at(v, "userPrincipalName"), "cyd.mcray@port.onmicrosoft.com");
    assert_string_equal(text_at(v, "mail"), "cyd@port.example");
    v = ask(BOB, "PATCH", path, "{'userPrincipalName':'ada@port.example'}");
    assert_refused(v, 400, "Request_BadRequest", "userPrincipalName already exists");
    v = ask(BOB, "PATCH", path, "{'userPrincipalName':'cyd@acme.example'}");
    assert_refused(v, 400, "Request_BadRequest", "verified domain");
    v = ask(BOB, "PATCH", path, "{'userPrincipalName':null}");
    assert_refused(v, 400, "Request_BadRequest", "verified domain");
    v = ask(test_bearer("cyd@port.example", "User.ReadWrite"), "PATCH", "/v1.0/me",
            "{'userPrincipalName':'c@port.example'}");
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    ask(BOB, "PATCH", path, "{'userPrincipalName':'cyd@port.example'}");
    assert_int_equal(test_status, 204); /* its own address is not another user's */
}

static void a_manager_who_was_deleted_is_none(void **state)
{
    const struct json *v = get("/v1.0/users/ada@port.example?$expand=manager");
    assert_string_equal(text_at(v, "manager.displayName"), "Bob Stone");
    ask(ADA, "DELETE", "/v1.0/users/" BOB_ID, NULL);
    assert_int_equal(test_status, 204);
    v = get("/v1.0/users/ada@port.example?$expand=manager");
    assert_string_equal(text_at(v, "displayName"), "Ada Love");
    assert_null(json_get(v, "manager"));
    v = get("/v1.0/users?$expand=manager");
    assert_non_null(strstr(each(v, "displayName"), "Ada Love"));
    get("/v1.0/users/ada@port.example/manager");
    assert_int_equal(test_status, 404);
}

static void contacts_are_their_owners_alone(void **state)
{
    ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'Pia'}");
    assert_int_equal(test_status, 201);
    ask(test_bearer("bob@port.example", NULL), "GET", "/v1.0/users/ada@port.example/contacts",
        NULL);
    assert_int_equal(test_status, 403);
    ask(test_bearer("bob@port.example", NULL), "POST", "/v1.0/users/ada@port.example/contacts",
        "{'givenName':'Eel'}");
    assert_int_equal(test_status, 403);
}

static void groups_are_made_changed_and_deleted(void **state)
{
    const struct json *v =
        ask(BOB, "POST", "/v1.0/groups",
            "{'displayName':'Ops','mailEnabled':true,'mailNickname':'ops','securityEnabled':false,"
            "'groupTypes':['Unified'],'members@odata.bind':["
            "'https://graph.microsoft.com/v1.0/users/cyd@port.example']}");
    assert_int_equal(test_status, 201);
    const char *id = text_at(v, "id");
    assert_string_equal(text_at(v, "mail"), "ops@port.example");
    v = get(TEXT("/v1.0/groups/%s/members", id));
    assert_string_equal(each(v, "displayName"), "Bob Stone, Cyd McRay");
    v = ask(BOB, "POST", TEXT("/v1.0/groups/%s/members/$ref", id),
            "{'@odata.id':'https://graph.microsoft.com/v1.0/directoryObjects/" BOB_ID "'}");
    assert_refused(v, 400, "Request_BadRequest", "already exist");
    ask(BOB, "DELETE", TEXT("/v1.0/groups/%s/members/" BOB_ID "/$ref", id), NULL);
    assert_int_equal(test_status, 204);
    v = ask(BOB, "DELETE", TEXT("/v1.0/groups/%s/members/" BOB_ID "/$ref", id), NULL);
    assert_refused(v, 404, "Request_ResourceNotFound", id);
    v = ask(test_bearer("cyd@port.example", "Group.ReadWrite.All"), "PATCH",
            TEXT("/v1.0/groups/%s", id), "{'displayName':'Mine'}");
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    ask(BOB, "PATCH", TEXT("/v1.0/groups/%s", id), "{'displayName':'Oops','description':'x'}");
    assert_int_equal(test_status, 204);
    v = get("/v1.0/groups?$select=displayName");
    assert_string_equal(each(v, "displayName"), "Crew, Night Watch, Oops");
    v = ask(BOB, "POST", "/v1.0/groups",
            "{'displayName':'Ops','mailEnabled':true,'mailNickname':'ops','securityEnabled':false,"
            "'groupTypes':['Unified']}");
    assert_refused(v, 400, "Request_BadRequest", "mailNickname already exists");
    ask(BOB, "DELETE", TEXT("/v1.0/groups/%s", id), NULL);
    assert_int_equal(test_status, 204);
    assert_refused(get(TEXT("/v1.0/groups/%s", id)), 404, "Request_ResourceNotFound", id);
}

/* A new group of security, or of Microsoft 365; its id. */
static const char *new_group(const char *name, bool unified)
{
    const struct json *v =
        ask(BOB, "POST", "/v1.0/groups",
            TEXT("{'displayName':'%s','mailEnabled':%s,'mailNickname':'%s','securityEnabled':%s%s}",
                 name, unified ? "true" : "false", name, unified ? "false" : "true",
                 unified ? ",'groupTypes':['Unified']" : ""));
    assert_int_equal(test_status, 201);
    return arena_strdup(&test_arena, text_at(v, "id"));
}

static const struct json *add_member(const char *group, const char *object)
{
    return ask(
        BOB, "POST", TEXT("/v1.0/groups/%s/members/$ref", group),
        TEXT("{'@odata.id':'https://graph.microsoft.com/v1.0/directoryObjects/%s'}", object));
}

static void groups_of_microsoft_365_have_users_alone(void **state)
{
    const char *one = new_group("One", true), *two = new_group("Two", true),
               *doors = new_group("Doors", false), *keys = new_group("Keys", false);
    const char *const before = arena_strdup(&test_arena, json_to_text(&test_arena, test_dump()));
    assert_refused(add_member(one, two), 400, "Request_BadRequest",
                   "Unified Groups cannot be added to Unified Groups. paramName: Members, "
                   "paramValue: , objectType: Microsoft.Online.DirectoryServices.Group");
    assert_refused(add_member(one, one), 400, "Request_BadRequest", "Unified Groups cannot");
    assert_refused(add_member(one, keys), 400, "Request_BadRequest", "Security Groups cannot");
    assert_refused(add_member(doors, one), 400, "Request_BadRequest", "to Security Groups");
    const struct json *v = ask(BOB, "PATCH", TEXT("/v1.0/groups/%s", one),
                               TEXT("{'members@odata.bind':["
                                    "'https://graph.microsoft.com/v1.0/directoryObjects/" BOB_ID
                                    "','https://graph.microsoft.com/v1.0/directoryObjects/%s']}",
                                    two));
    assert_int_equal(test_status, 400);
    assert_non_null(v);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
    /* Those of security take each other, in a circle, too. */
    add_member(doors, keys);
    assert_int_equal(test_status, 204);
    add_member(keys, doors);
    assert_int_equal(test_status, 204);
    add_member(keys, "cyd@port.example");
    assert_string_equal(each(get(TEXT("/v1.0/groups/%s/transitiveMembers", doors)), "displayName"),
                        "Cyd McRay, Doors, Keys");
    v = get(TEXT("/v1.0/groups/%s/transitiveMemberOf", keys));
    assert_string_equal(each(v, "displayName"), "Doors, Keys");
}

static void a_group_has_another_alias_and_words_of_its_own(void **state)
{
    const char *ops = new_group("Ops", true), *docks = new_group("Docks", true);
    const char *path = TEXT("/v1.0/groups/%s", ops);
    ask(BOB, "PATCH", path,
        "{'mailNickname':'ops.night','classification':'Internal','preferredLanguage':'de-DE',"
        "'theme':'teal'}");
    assert_int_equal(test_status, 204);
    const struct json *v = get(path);
    assert_string_equal(text_at(v, "mailNickname"), "ops.night");
    assert_string_equal(text_at(v, "mail"), "ops@port.example"); /* the address stays */
    assert_string_equal(text_at(v, "classification"), "Internal");
    assert_string_equal(text_at(v, "preferredLanguage"), "de-DE");
    assert_string_equal(text_at(v, "theme"), "Teal");
    v = get("/v1.0/groups?$filter=mailNickname%20eq%20'ops.night'");
    assert_string_equal(each(v, "displayName"), "Ops");
    assert_refused(
        ask(BOB, "PATCH", TEXT("/v1.0/groups/%s", docks), "{'mailNickname':'OPS.night'}"), 400,
        "Request_BadRequest", "mailNickname already exists");
    assert_refused(ask(BOB, "PATCH", path, "{'mailNickname':'docks'}"), 400, "Request_BadRequest",
                   "mailNickname already exists");
    assert_refused(ask(BOB, "POST", "/v1.0/groups",
                       "{'displayName':'X','mailEnabled':true,'mailNickname':'ops.night',"
                       "'securityEnabled':false,'groupTypes':['Unified']}"),
                   400, "Request_BadRequest", "mailNickname already exists");
    static const char *const bad[] = {"{'mailNickname':'a b'}", "{'mailNickname':'a@b'}",
                                      "{'mailNickname':''}",    "{'mailNickname':null}",
                                      "{'mailNickname':'é'}",   "{'theme':'Mauve'}",
                                      "{'classification':5}"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ask(BOB, "PATCH", path, bad[i]);
        assert_int_equal(test_status, 400);
    }
    ask(BOB, "PATCH", path, "{'classification':null,'preferredLanguage':null,'theme':null}");
    assert_int_equal(test_status, 204);
    v = get(path);
    assert_int_equal(json_get(v, "theme")->type, JSON_NULL);
    assert_string_equal(text_at(v, "mailNickname"), "ops.night");
}

static void settings_of_a_groups_mail_are_changed_by_themselves(void **state)
{
    const char *path = "/v1.0/groups/" CREW;
    static const char *const bad[] = {
        "{'allowExternalSenders':true,'description':'Hands'}", "{'allowExternalSenders':'yes'}",
        "{'hideFromAddressLists':null}", "{'isSubscribedByMail':true}"};
    ask(BOB, "POST", "/v1.0/groups",
        "{'displayName':'Ops','mailEnabled':true,'mailNickname':'ops','securityEnabled':false,"
        "'groupTypes':['Unified'],'autoSubscribeNewMembers':true}");
    assert_int_equal(test_status, 400);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ask(BOB, "PATCH", path, bad[i]);
        assert_int_equal(test_status, 400);
    }
    const struct json *v =
        get(TEXT("%s?$select=allowExternalSenders,hideFromOutlookClients", path));
    assert_false(true_at(v, "allowExternalSenders"));
    ask(BOB, "PATCH", path, "{'allowExternalSenders':true,'hideFromOutlookClients':true}");
    assert_int_equal(test_status, 200);
    v = get(TEXT("%s?$select=allowExternalSenders,autoSubscribeNewMembers,hideFromOutlookClients",
                 path));
    assert_true(true_at(v, "allowExternalSenders"));
    assert_true(true_at(v, "hideFromOutlookClients"));
    assert_int_equal(json_get(v, "autoSubscribeNewMembers")->type, JSON_BOOL);
    assert_false(true_at(v, "autoSubscribeNewMembers"));
    assert_null(json_get(get(path), "allowExternalSenders")); /* not by itself */
    /* One without mail has none of them. */
    v = ask(BOB, "POST", "/v1.0/groups",
            "{'displayName':'Keys','mailEnabled':false,'mailNickname':'keys','securityEnabled':"
            "true}");
    assert_int_equal(test_status, 201);
    path = TEXT("/v1.0/groups/%s", text_at(v, "id"));
    ask(BOB, "PATCH", path, "{'allowExternalSenders':true}");
    assert_int_equal(test_status, 400);
    v = get(TEXT("%s?$select=id,allowExternalSenders", path));
    assert_int_equal(json_get(v, "allowExternalSenders")->type, JSON_NULL);
}

static void a_group_keeps_its_last_owner(void **state)
{
    const struct json *v =
        ask(BOB, "DELETE", "/v1.0/groups/" CREW "/owners/ada@port.example/$ref", NULL);
    assert_refused(v, 400, "Request_BadRequest", "must have at least one owner");
    assert_int_equal(count_at(get("/v1.0/groups/" CREW "/owners"), "value"), 1);
    v = ask(BOB, "DELETE", "/v1.0/groups/" CREW "/owners/" BOB_ID "/$ref", NULL);
    assert_refused(v, 404, "Request_ResourceNotFound", CREW);
    ask(BOB, "POST", "/v1.0/groups/" CREW "/owners/$ref",
        "{'@odata.id':'https://graph.microsoft.com/v1.0/directoryObjects/" BOB_ID "'}");
    assert_int_equal(test_status, 204);
    ask(BOB, "DELETE", "/v1.0/groups/" CREW "/owners/ada@port.example/$ref", NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(each(get("/v1.0/groups/" CREW "/owners"), "displayName"), "Bob Stone");
}

static void deltas_give_what_has_changed(void **state)
{
    const struct json *v = get("/v1.0/users/delta");
    assert_string_equal(each(v, "displayName"), "Cyd McRay, Ada Love, Bob Stone, Gus");
    const char *link = strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0/");
    v = get(link);
    assert_string_equal(each(v, "displayName"), "");
    ask(BOB, "PATCH", "/v1.0/users/ada@port.example", "{'jobTitle':'Boss'}");
    ask(BOB, "DELETE", "/v1.0/users/cyd@port.example", NULL);
    v = get(link);
    assert_string_equal(each(v, "displayName"), "Ada Love, ");
    assert_string_equal(text_at(json_get(&json_get(v, "value")->items[1], "@removed"), "reason"),
                        "changed");
    v = ask(test_bearer("eve@acme.example", NULL), "GET", link, NULL);
    assert_refused(v, 400, "Directory_ExpiredPageToken", "token");
    v = get("/v1.0/groups/delta?$deltatoken=latest");
    assert_string_equal(each(v, "displayName"), "");
}

static void a_delta_keeps_what_was_selected(void **state)
{
    const struct json *v = get("/v1.0/users/delta?$select=jobTitle,id");
    assert_non_null(strstr(json_get_str(v, "@odata.context"), "#users(jobTitle,id)"));
    assert_string_equal(members(v, "value.0"), "jobTitle id");
    const char *link = strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0/");
    assert_null(strstr(link, "select"));
    ask(BOB, "PATCH", "/v1.0/users/ada@port.example", "{'jobTitle':'Boss'}");
    v = get(link);
    assert_non_null(strstr(json_get_str(v, "@odata.context"), "#users"));
    assert_null(strstr(json_get_str(v, "@odata.context"), "jobTitle"));
    assert_string_equal(members(v, "value.0"), "jobTitle id");
    assert_string_equal(text_at(v, "value.0.jobTitle"), "Boss");
    v = get("/v1.0/users/delta?$select=shoeSize");
    assert_refused(v, 400, "BadRequest", "shoeSize");
}

/* Their numbers are the bytes of the id. */
static void groups_have_security_identifiers(void **state)
{
    const struct json *v = get("/v1.0/groups/" CREW "?$select=securityIdentifier");
    assert_string_equal(text_at(v, "securityIdentifier"), "S-1-12-1-2583691264-1073741824-128-"
                                                          "16777216");
}

static void the_tenant_is_an_organization(void **state)
{
    const struct json *v = get("/v1.0/organization");
    const struct json *own = &json_get(v, "value")->items[0];
    assert_string_equal(text_at(own, "id"), TENANT);
    assert_string_equal(text_at(own, "countryLetterCode"), "DE");
    v = get("/v1.0/subscribedSkus");
    assert_string_equal(each(v, "skuPartNumber"), "O365_BUSINESS");
    const char *sku = text_at(&json_get(v, "value")->items[0], "skuId");
    ask(BOB, "POST", "/v1.0/users/" BOB_ID "/assignLicense",
        TEXT("{'addLicenses':[{'skuId':'%s'}],'removeLicenses':[]}", sku));
    assert_int_equal(test_status, 200);
    v = get("/v1.0/users/" BOB_ID "/licenseDetails");
    assert_string_equal(each(v, "skuPartNumber"), "O365_BUSINESS");
    v = ask(BOB, "POST", "/v1.0/users/" BOB_ID "/assignLicense",
            "{'addLicenses':[{'skuId':'11111111-0000-4000-8000-000000000001'}],"
            "'removeLicenses':[]}");
    assert_refused(v, 400, "Request_BadRequest", "valid company License");
    v = get("/v1.0/servicePrincipals");
    assert_string_equal(each(v, "appId"), "daemon-app");
    v = get("/v1.0/oauth2PermissionGrants");
    assert_string_equal(each(v, "scope"), "User.Read");
    v = ask(ADA, "POST", "/v1.0/directoryObjects/getByIds",
            "{'ids':['" BOB_ID "','" CREW "','x'],'types':['user']}");
    assert_string_equal(each(v, "displayName"), "Bob Stone");
    v = get("/v1.0/directoryObjects/" CREW);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.group");
}

static void contacts_are_made_changed_and_deleted(void **state)
{
    const struct json *v = ask(ADA, "POST", "/v1.0/me/contacts",
                               "{'givenName':'Pia','surname':'Roth','emailAddresses':[{'address':"
                               "'pia@far.example','name':'Pia'}]}");
    assert_int_equal(test_status, 201);
    assert_string_equal(text_at(v, "displayName"), "Pia Roth");
    const char *id = text_at(v, "id"), *etag = json_get_str(v, "@odata.etag");
    v = ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}");
    const char *folder = text_at(v, "id");
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/contacts", folder), "{'givenName':'Zoe'}");
    assert_int_equal(test_status, 201);
    assert_refused(ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}"), 409,
                   "ErrorFolderExists", "already exists");
    v = get("/v1.0/me/contacts?$filter=startswith(surname,'Ro')&$select=surname");
    assert_string_equal(each(v, "surname"), "Roth");
    assert_int_equal(json_get(v, "value")->n, 1);
    v = get(TEXT("/v1.0/me/contactFolders/%s/contacts", folder));
    assert_string_equal(each(v, "givenName"), "Zoe");
    v = ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id), "{'jobTitle':'Pilot','surname':null}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "jobTitle"), "Pilot");
    assert_int_equal(json_get(v, "surname")->type, JSON_NULL);
    header_name = "If-Match";
    header_value = etag;
    v = ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", id), NULL);
    assert_refused(v, 412, "ErrorIrresolvableConflict", "change key");
    v = ask(ADA, "POST", "/v1.0/me/contacts", "{'shoeSize':7}");
    assert_refused(v, 400, "RequestBodyRead", "shoeSize");
    v = ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':7}");
    assert_int_equal(test_status, 400);
    v = ask(test_bearer("bob@port.example", "Contacts.Read"), "GET",
            TEXT("/v1.0/me/contacts/%s", id), NULL);
    assert_refused(v, 404, "ErrorItemNotFound", "not found");
    v = ask(test_bearer("bob@port.example", "Contacts.Read"), "GET",
            "/v1.0/users/ada@port.example/contacts", NULL);
    assert_refused(v, 403, "ErrorAccessDenied", "Access is denied");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", folder), NULL);
    assert_int_equal(test_status, 204);
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", id), NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(each(get("/v1.0/me/contacts"), "givenName"), "");
}

static void folders_of_contacts_are_in_folders(void **state)
{
    const struct json *v = ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Clubs'}");
    const char *clubs = text_at(v, "id"), *top = text_at(v, "parentFolderId");
    v = ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/childFolders", clubs),
            "{'displayName':'Chess'}");
    assert_int_equal(test_status, 201);
    const char *chess = text_at(v, "id");
    assert_string_equal(text_at(v, "parentFolderId"), clubs);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        TEXT("https://graph.microsoft.com/v1.0/$metadata#users('ada%%40port."
                             "example')/contactFolders('%s')/childFolders/$entity",
                             clubs));
    v = ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/childFolders", clubs),
            "{'displayName':'Chess'}");
    assert_refused(v, 409, "ErrorFolderExists", "already exists");
    /* The same name is free elsewhere. */
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/childFolders", chess),
        "{'displayName':'Chess'}");
    assert_int_equal(test_status, 201);
    assert_string_equal(each(get("/v1.0/me/contactFolders"), "displayName"), "Clubs");
    v = get(TEXT("/v1.0/me/contactFolders/%s/childFolders", clubs));
    assert_string_equal(each(v, "id"), chess);
    v = get("/v1.0/me/contactFolders/contacts");
    assert_string_equal(text_at(v, "id"), top);
    assert_string_equal(text_at(v, "displayName"), "Contacts");
    assert_string_equal(each(get("/v1.0/me/contactFolders/contacts/childFolders"), "id"), clubs);
    const char *path = TEXT("/v1.0/me/contactFolders/%s/childFolders/%s", clubs, chess);
    v = ask(ADA, "POST", TEXT("%s/contacts", path), "{'givenName':'Zoe'}");
    assert_int_equal(test_status, 201);
    assert_string_equal(text_at(v, "parentFolderId"), chess);
    const char *zoe = text_at(v, "id");
    assert_string_equal(each(get(TEXT("%s/contacts", path)), "givenName"), "Zoe");
    assert_string_equal(each(get(TEXT("%s/contacts/delta", path)), "givenName"), "Zoe");
    v = ask(ADA, "PATCH", path, "{'displayName':'Go'}");
    assert_string_equal(text_at(v, "displayName"), "Go");
    v = get(TEXT("/v1.0/me/contactFolders/%s/childFolders/%s", chess, clubs));
    assert_refused(v, 404, "ErrorItemNotFound", "not found");
    v = ask(ADA, "PATCH", "/v1.0/me/contactFolders/contacts", "{'displayName':'X'}");
    assert_refused(v, 403, "ErrorAccessDenied", "Access is denied");
    v = ask(ADA, "DELETE", "/v1.0/me/contactFolders/contacts", NULL);
    assert_refused(v, 403, "ErrorDeleteDistinguishedFolder", "cannot be deleted");
    /* What documents say of it makes the same again. */
    struct sosia_blob first, again;
    uint64_t other;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &first, &test_err), 0);
    assert_non_null(strstr(first.data, TEXT("\"parent\": \"%s\"", chess)));
    struct sosia_world_options opt = {.seed_doc = first.data, .seed_doc_len = first.len};
    if (sosia_world_create(test_engine, &opt, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(first.data, again.data);
    sosia_blob_free(&first);
    sosia_blob_free(&again);
    sosia_world_drop(test_engine, other, &test_err);
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", clubs), NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(each(get("/v1.0/me/contactFolders"), "displayName"), "");
    get(TEXT("/v1.0/me/contactFolders/%s", chess));
    assert_int_equal(test_status, 404);
    get(TEXT("/v1.0/me/contacts/%s", zoe));
    assert_int_equal(test_status, 404);
}

static const char *link_of(const struct json *v, const char *name)
{
    const char *link = json_get_str(v, name);
    assert_non_null(link);
    return strstr(link, "/v1.0/");
}

static void changes_of_contacts_are_listed(void **state)
{
    const char *ids[12];
    for (int i = 0; i < 12; i++)
        ids[i] = text_at(ask(ADA, "POST", "/v1.0/me/contacts",
                             TEXT("{'givenName':'P%d','jobTitle':'Pilot'}", i)),
                         "id");
    const struct json *v = get("/v1.0/me/contacts/delta?$select=givenName");
    assert_int_equal(json_get(v, "value")->n, 10);
    assert_string_equal(members(v, "value.0"), "@odata.type @odata.etag id givenName");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(contact)");
    const char *page = link_of(v, "@odata.nextLink");
    /* Made and deleted between two pages: nobody has seen it. */
    const char *brief = text_at(ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'X'}"), "id");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", brief), NULL);
    v = get(page);
    assert_string_equal(each(v, "givenName"), "P10, P11");
    assert_null(text_at(v, "value.0.jobTitle"));
    const char *link = link_of(v, "@odata.deltaLink");
    v = get(link);
    assert_int_equal(json_get(v, "value")->n, 0);
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", ids[3]), "{'givenName':'Q'}");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", ids[4]), NULL);
    v = ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}");
    const char *folder = text_at(v, "id");
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/contacts", folder), "{'givenName':'Zoe'}");
    brief = text_at(ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'X'}"), "id");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", brief), NULL);
    v = get(link);
    assert_int_equal(json_get(v, "value")->n, 2);
    assert_string_equal(text_at(v, "value.0.givenName"), "Q");
    assert_string_equal(text_at(v, "value.1.id"), ids[4]);
    assert_string_equal(members(v, "value.1"), "@odata.type id @removed");
    v = get(link_of(v, "@odata.deltaLink"));
    assert_int_equal(json_get(v, "value")->n, 0);
    v = get(TEXT("/v1.0/me/contactFolders/%s/contacts/delta()", folder));
    assert_string_equal(each(v, "givenName"), "Zoe");
    const char *foreign = link_of(v, "@odata.deltaLink");
    header_name = "Prefer";
    header_value = "odata.maxpagesize=5";
    v = get("/v1.0/me/contacts/delta");
    assert_int_equal(json_get(v, "value")->n, 5);
    assert_string_equal(test_header("Preference-Applied"), "odata.maxpagesize=5");
    header_name = NULL;
    v = get(link_of(v, "@odata.nextLink"));
    assert_int_equal(json_get(v, "value")->n, 5);
    v = get("/v1.0/me/contacts/delta?$deltatoken=latest");
    assert_int_equal(json_get(v, "value")->n, 0);
    const char *token = strstr(foreign, "deltatoken=");
    assert_refused(get(TEXT("/v1.0/me/contacts/delta?$%s", token)), 410, "SyncStateNotFound",
                   "sync state");
    assert_refused(get("/v1.0/me/contacts/delta?$deltatoken=x"), 410, "SyncStateNotFound",
                   "sync state");
    ask(test_bearer("bob@port.example", "Contacts.Read"), "GET",
        "/v1.0/users/ada@port.example/contacts/delta", NULL);
    assert_int_equal(test_status, 403);
}

static void what_was_changed_is_in_dumps(void **state)
{
    struct sosia_blob first, again;
    uint64_t other;
    ask(ADA, "POST", "/v1.0/users", DAN);
    ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'Pia'}");
    ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}");
    ask(BOB, "PATCH", "/v1.0/users/cyd@port.example", "{'jobTitle':'Cook'}");
    ask(BOB, "POST", "/v1.0/groups",
        "{'displayName':'Ops','mailEnabled':false,'mailNickname':'ops','securityEnabled':true,"
        "'classification':'Internal','preferredLanguage':'en-GB','theme':'Red'}");
    assert_int_equal(test_status, 201);
    ask(BOB, "PATCH", "/v1.0/groups/" CREW, "{'mailNickname':'hands'}");
    assert_int_equal(test_status, 204);
    ask(BOB, "PATCH", "/v1.0/groups/" CREW, "{'hideFromAddressLists':true}");
    assert_int_equal(test_status, 200);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &first, &test_err), 0);
    assert_non_null(strstr(first.data, "\"hideFromAddressLists\": true"));
    assert_non_null(strstr(first.data, "\"jobTitle\": \"Cook\""));
    assert_non_null(strstr(first.data, "\"mailNickname\": \"hands\""));
    assert_non_null(strstr(first.data, "\"theme\": \"Red\""));
    /* A guest keeps the accounts that it has by itself. */
    assert_non_null(strstr(first.data, "\"actor\": \"gus@home.example\",\n"
                                       "      \"vendor\": \"google\""));
    struct sosia_world_options opt = {.seed_doc = first.data, .seed_doc_len = first.len};
    if (sosia_world_create(test_engine, &opt, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(first.data, again.data);
    sosia_blob_free(&first);
    sosia_blob_free(&again);
}

static const char *new_folder(const char *in, const char *name)
{
    const struct json *v =
        ask(ADA, "POST", TEXT("/v1.0/me/contactFolders%s", in), TEXT("{'displayName':'%s'}", name));
    assert_int_equal(test_status, 201);
    return text_at(v, "id");
}

static void changes_of_folders_of_contacts_are_listed(void **state)
{
    const char *far = new_folder("", "Far");
    const char *isles = new_folder(TEXT("/%s/childFolders", far), "Isles");
    const struct json *v = get("/v1.0/me/contactFolders/delta?$select=displayName");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(contactFolder)");
    assert_string_equal(each(v, "displayName"), "Far, Isles");
    assert_string_equal(members(v, "value.0"), "@odata.type id displayName");
    assert_string_equal(json_get_str(&json_get(v, "value")->items[0], "@odata.type"),
                        "#microsoft.graph.contactFolder");
    const char *link = link_of(v, "@odata.deltaLink");
    v = get(TEXT("/v1.0/me/contactFolders/%s/childFolders/delta()", far));
    assert_string_equal(each(v, "displayName"), "Isles");
    assert_int_equal(json_get(get(link), "value")->n, 0);
    ask(ADA, "PATCH", TEXT("/v1.0/me/contactFolders/%s", far), "{'displayName':'Afar'}");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", isles), NULL);
    const char *brief = new_folder("", "Brief");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", brief), NULL);
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/contacts", far), "{'givenName':'Zoe'}");
    v = get(link);
    assert_int_equal(json_get(v, "value")->n, 2);
    assert_string_equal(text_at(v, "value.0.displayName"), "Afar");
    assert_string_equal(text_at(v, "value.1.id"), isles);
    assert_string_equal(text_at(v, "value.1.@removed.reason"), "deleted");
    for (int i = 0; i < 11; i++)
        new_folder("", TEXT("F%d", i));
    v = get("/v1.0/me/contactFolders?$count=true&$select=displayName");
    assert_int_equal(json_get(v, "value")->n, 10);
    assert_string_equal(json_get(v, "@odata.count")->str, "12");
    v = get(link_of(v, "@odata.nextLink"));
    assert_string_equal(each(v, "displayName"), "F9, F10");
    v = get("/v1.0/me/contactFolders?$skip=9223372036854775807");
    assert_string_equal(each(v, "displayName"), "");
    assert_null(json_get(v, "@odata.nextLink"));
    get("/v1.0/me/contactFolders/$count");
    assert_string_equal(test_body, "12");
    get(TEXT("/v1.0/me/contactFolders/%s/contacts/$count", far));
    assert_string_equal(test_body, "1");
    get("/v1.0/me/contacts/$count?$filter=givenName%20eq%20'Zoe'");
    assert_string_equal(test_body, "0");
    const char *token = strstr(link, "deltatoken=");
    assert_refused(get(TEXT("/v1.0/me/contacts/delta?$%s", token)), 410, "SyncStateNotFound",
                   "sync state");
}

#define NAMED "String {00020329-0000-0000-c000-000000000046} Name Sync"

static void programs_keep_properties_with_contacts(void **state)
{
    const struct json *v = ask(
        ADA, "POST", "/v1.0/me/contacts",
        "{'givenName':'Zoe','surname':'Vance','emailAddresses':[{'address':'zv@far.example','name':"
        "'Zoe'}],'singleValueExtendedProperties':[{'id':'" NAMED "','value':'7'},{'id':'STRING "
        "0x3A45','value':'Dr'}]}");
    assert_int_equal(test_status, 201);
    assert_null(json_get(v, "singleValueExtendedProperties"));
    const char *id = text_at(v, "id");
    ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'Abe','companyName':'Zodiac'}");
    const char *expand =
        "$expand=singleValueExtendedProperties($filter=id%20eq%20'String%200x3a45')";
    v = get(TEXT("/v1.0/me/contacts/%s?$select=givenName&%s", id, expand));
    assert_string_equal(text_at(v, "singleValueExtendedProperties.0.value"), "Dr");
    assert_int_equal(json_get(v, "singleValueExtendedProperties")->n, 1);
    v = get(TEXT("/v1.0/me/contacts?%s", expand));
    assert_string_equal(text_at(v, "value.0.singleValueExtendedProperties.0.id"), "String 0x3a45");
    assert_null(json_get(&json_get(v, "value")->items[1], "singleValueExtendedProperties"));
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id),
        "{'singleValueExtendedProperties':[{'id':'" NAMED "','value':'8'}]}");
    assert_int_equal(test_status, 200);
    v = get("/v1.0/me/contacts?$select=givenName&$filter=singleValueExtendedProperties/Any(ep:%20"
            "ep/id%20eq%20'String%20%7B00020329-0000-0000-c000-000000000046%7D%20Name%20Sync'%20and"
            "%20ep/value%20eq%20'8')&$expand=singleValueExtendedProperties");
    assert_string_equal(each(v, "givenName"), "Zoe");
    assert_int_equal(count_at(v, "value.0.singleValueExtendedProperties"), 2);
    /* Of several with one id the last one counts; so many are refused before they are compared. */
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id),
        "{'singleValueExtendedProperties':[{'id':'String 0x3a45','value':'a'},{'id':'String "
        "0x3A45','value':'b'}]}");
    v = get(TEXT("/v1.0/me/contacts/%s?%s", id, expand));
    assert_int_equal(count_at(v, "singleValueExtendedProperties"), 1);
    assert_string_equal(text_at(v, "singleValueExtendedProperties.0.value"), "b");
    struct buf many;
    buf_init(&many, 0);
    for (int i = 0; i < 5000; i++)
        buf_printf(&many, "%s{'id':'String 0x%x','value':null}", i ? "," : "", i);
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id),
        TEXT("{'singleValueExtendedProperties':[%s]}", buf_str(&many)));
    buf_done(&many);
    assert_int_equal(test_status, 413);
    /* And find them by words. */
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22zo%22"), "givenName"), "Zoe, Abe");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22vance%20zoe%22"), "givenName"),
                        "Zoe");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22far%22"), "givenName"), "Zoe");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22ance%22"), "givenName"), "");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22zv@far.ex%22"), "givenName"), "Zoe");
    ask(ADA, "POST", TEXT("/v1.0/me/contacts/%s/permanentDelete", id), NULL);
    assert_int_equal(test_status, 204);
    get(TEXT("/v1.0/me/contacts/%s", id));
    assert_int_equal(test_status, 404);
    const char *far = new_folder("", "Far");
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/permanentDelete", far), NULL);
    assert_int_equal(test_status, 204);
}

static void apps_are_found_by_their_own_ids(void **state)
{
    const struct json *v = get("/v1.0/servicePrincipals(appId='daemon-app')");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "displayName"), "Daemon");
    const char *principal = text_at(v, "id");
    v = get(TEXT("/v1.0/servicePrincipals/%s?$select=appId", principal));
    assert_string_equal(text_at(v, "appId"), "daemon-app");
    v = get("/v1.0/applications(appId='daemon-app')?$select=id,appId");
    assert_string_equal(text_at(v, "appId"), "daemon-app");
    const char *application = text_at(v, "id");
    assert_string_not_equal(application, principal);
    v = get(TEXT("/v1.0/applications/%s", application));
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#applications/$entity");
    assert_refused(get(TEXT("/v1.0/applications/%s", principal)), 404, "Request_ResourceNotFound",
                   "does not exist");
    assert_refused(get("/v1.0/servicePrincipals(appId='none')"), 404, "Request_ResourceNotFound",
                   "'none'");
}

static void a_guest_s_name_is_its_own(void **state)
{
    const char *bob = test_bearer("bob@port.example", "User.Invite.All");
    const char *names[2];
    static const char *const addresses[] = {"a_b@c.example", "a@b_c.example"};
    for (int i = 0; i < 2; i++) {
        const struct json *v =
            ask(bob, "POST", "/v1.0/invitations",
                TEXT("{'invitedUserEmailAddress':'%s','inviteRedirectUrl':'https://app'}",
                     addresses[i]));
        assert_int_equal(test_status, 201);
        v = get(TEXT("/v1.0/users/%s", text_at(v, "invitedUser.id")));
        names[i] = text_at(v, "userPrincipalName");
    }
    assert_string_equal(names[0], "a_b_c.example#ext#@port.onmicrosoft.com");
    assert_int_equal(strlen(names[1]), strlen(names[0]) + 4);
    assert_memory_equal(names[1], names[0], strlen("a_b_c.example"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

#define INVITE(email) "{'invitedUserEmailAddress':'" email "','inviteRedirectUrl':'https://app'}"

static void somebody_from_elsewhere_is_invited(void **state)
{
    const char *ada = test_bearer("ada@port.example", "User.Invite.All");
    const struct json *v = ask(ada, "POST", "/v1.0/invitations", INVITE("Zoe.Zed@far.example"));
    assert_int_equal(test_status, 201);
    assert_string_equal(test_header("Location"), "https://" GRAPH);
    assert_string_equal(members(v, ""),
                        "@odata.context id inviteRedeemUrl invitedUserDisplayName invitedUserType "
                        "invitedUserEmailAddress sendInvitationMessage inviteRedirectUrl status "
                        "invitedUserMessageInfo invitedUser");
    assert_string_equal(text_at(v, "status"), "PendingAcceptance");
    const char *id = text_at(v, "invitedUser.id");
    v = get(TEXT("/v1.0/users/%s?$select=userType,userPrincipalName,mail,displayName", id));
    assert_string_equal(text_at(v, "userType"), "Guest");
    assert_string_equal(text_at(v, "userPrincipalName"),
                        "zoe.zed_far.example#ext#@port.onmicrosoft.com");
    assert_string_equal(text_at(v, "mail"), "zoe.zed@far.example");
    /* Again it is the same user; a person of the world is a guest, too. */
    v = ask(ada, "POST", "/v1.0/invitations", INVITE("zoe.zed@far.example"));
    assert_string_equal(text_at(v, "invitedUser.id"), id);
    v = ask(ada, "POST", "/v1.0/invitations", INVITE("eve@acme.example"));
    assert_int_equal(test_status, 201);
    v = get(TEXT("/v1.0/users/%s?$select=displayName,userType", text_at(v, "invitedUser.id")));
    assert_string_equal(text_at(v, "displayName"), "Eve");
    assert_string_equal(text_at(v, "userType"), "Guest");
    v = ask(ada, "POST", "/v1.0/invitations", INVITE("bob@port.example"));
    assert_refused(v, 400, "BadRequest", "already exists in the directory as object ID: " BOB_ID);
    v = ask(ada, "POST", "/v1.0/invitations", INVITE("nobody@port.example"));
    assert_refused(v, 400, "Request_BadRequest", "'invitedUserEmailAddress'");
    v = ask(ada, "POST", "/v1.0/invitations", INVITE("bad"));
    assert_refused(v, 400, "Request_BadRequest", "'invitedUserEmailAddress'");
    v = ask(ada, "POST", "/v1.0/invitations", "{'invitedUserEmailAddress':'a@far.example'}");
    assert_refused(v, 400, "Request_BadRequest", "'inviteRedirectUrl'");
    /* Administrators alone invite somebody as a member. */
    const char *member = "{'invitedUserEmailAddress':'moe@far.example','inviteRedirectUrl':"
                         "'https://app','invitedUserType':'Member'}";
    v = ask(ada, "POST", "/v1.0/invitations", member);
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    const char *gus = test_bearer("gus@home.example", "User.Invite.All");
    v = ask(gus, "POST", "/v1.0/invitations", member);
    assert_refused(v, 403, "Authorization_RequestDenied", "Insufficient privileges");
    v = ask(test_bearer("bob@port.example", "User.Invite.All"), "POST", "/v1.0/invitations",
            member);
    assert_int_equal(test_status, 201);
    v = get(TEXT("/v1.0/users/%s?$select=userType", text_at(v, "invitedUser.id")));
    assert_string_equal(text_at(v, "userType"), "Member");
    /* A guest of the organisation invites others. */
    ask(gus, "POST", "/v1.0/invitations", INVITE("a@far.example"));
    assert_int_equal(test_status, 201);
    v = ask(test_bearer("ada@port.example", "User.Read"), "POST", "/v1.0/invitations",
            INVITE("b@far.example"));
    assert_int_equal(test_status, 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(relations_are_cast_and_counted),
        TEST(members_are_added_in_one_call),
        TEST(addresses_of_workplaces_are_kept),
        TEST(sessions_are_ended_by_who_may),
        TEST(the_caller_has_the_usual_properties),
        TEST(a_directory_ends_at_its_tenant),
        TEST(pages_follow_each_other),
        TEST(advanced_queries_need_the_header),
        TEST(relations_are_those_of_the_document),
        TEST(only_who_may_changes_users),
        TEST(users_are_made_and_deleted),
        TEST(somebody_from_elsewhere_is_invited),
        TEST(a_user_signs_in_by_another_name),
        TEST(a_manager_who_was_deleted_is_none),
        TEST(contacts_are_their_owners_alone),
        TEST(groups_are_made_changed_and_deleted),
        TEST(groups_of_microsoft_365_have_users_alone),
        TEST(a_group_has_another_alias_and_words_of_its_own),
        TEST(settings_of_a_groups_mail_are_changed_by_themselves),
        TEST(a_group_keeps_its_last_owner),
        TEST(deltas_give_what_has_changed),
        TEST(a_delta_keeps_what_was_selected),
        TEST(groups_have_security_identifiers),
        TEST(the_tenant_is_an_organization),
        TEST(contacts_are_made_changed_and_deleted),
        TEST(folders_of_contacts_are_in_folders),
        TEST(changes_of_contacts_are_listed),
        TEST(changes_of_folders_of_contacts_are_listed),
        TEST(programs_keep_properties_with_contacts),
        TEST(apps_are_found_by_their_own_ids),
        TEST(a_guest_s_name_is_its_own),
        TEST(what_was_changed_is_in_dumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
