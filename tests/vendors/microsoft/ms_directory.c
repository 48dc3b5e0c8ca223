/* SPDX-License-Identifier: Apache-2.0 */
/* Users, groups and the tenant behind Graph, and who may change them. */
#include "tests/vendors/microsoft/port.h"

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
        TEST(apps_are_found_by_their_own_ids),
        TEST(a_guest_s_name_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
