/* SPDX-License-Identifier: Apache-2.0 */
/* POST /search/query over files, drives, sites, lists and their items: what is found, and what
 * stays closed. */
#include "tests/support/outlook.h"
#include <stdio.h>

static const char sites[] =
    "microsoftSites:\n"
    "  - path: /sites/crew\n"
    "    name: Crew site\n"
    "    members: [{who: bob@port.example, role: owner}, {who: cyd@port.example, role: read}]\n"
    "    libraries:\n"
    "      - {name: Shared Documents, title: Documents, owner: crew-files}\n"
    "      - {name: Plans, title: Harbour plans}\n"
    "  - {path: /sites/other, name: Other harbour, libraries: [{name: Shared Documents, owner: "
    "other-files}]}\n"
    "files:\n"
    "  - {name: Harbour plan.txt, owner: crew-files, content: cranes, createdBy: "
    "bob@port.example}\n"
    "  - {name: Harbour secret.txt, owner: other-files, content: cranes}\n"
    "  - {name: Tides.txt, owner: other-files, content: x, permissions: [{person: "
    "cyd@port.example}]}\n"
    "  - {name: Harbour budget.xlsx, owner: bob@port.example, vendor: microsoft, content: x}\n"
    "  - {name: Notes.txt, owner: bob@port.example, vendor: microsoft, content: the harbour is "
    "full}\n"
    "  - {name: Private harbour.txt, owner: cyd@port.example, vendor: microsoft, content: y}\n"
    "microsoftApps: [{app: reader, tenant: port.example, application: "
    "Files.SelectedOperations.Selected}]\n"
    "apps: [{client_id: reader, client_secret: s, name: Reader, kind: web, vendor: microsoft, bot: "
    "daemon}]\n"
    "registration: true\n"
    "tokens: [{token: daemon-token, actor: daemon, app: reader, kind: app, scopes: "
    "Files.SelectedOperations.Selected}]\n"
    "lists:\n"
    "  - {place: /sites/crew, id: 5d8e24e2-41b7-4dfe-a8ea-5a644fa53c6d, name: Jobs, title: Harbour "
    "jobs, columns: [{name: Title, length: "
    "255}]}\n"
    "listItems:\n"
    "  - {list: 5d8e24e2-41b7-4dfe-a8ea-5a644fa53c6d, values: {Title: Paint the harbour}}\n"
    "  - {list: 5d8e24e2-41b7-4dfe-a8ea-5a644fa53c6d, values: {Title: Sweep}}\n";

static int open_world(void **state)
{
    static char doc[4096];
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    const char *rest = strstr(ol_people, "accounts:"); /* an app beside the people */
    snprintf(doc, sizeof doc, "%.*s  - {handle: daemon, kind: app}\n%s%s", (int)(rest - ol_people),
             ol_people, rest, sites);
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static const struct json *by_token(const char *token, const char *method, const char *target,
                                   const char *body, int status)
{
    const struct sosia_header headers[3] = {{"Host", "graph.microsoft.com"},
                                            {"Authorization", ol_text("Bearer %s", token)},
                                            {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    const struct json *v = test_request(method, target + 1, headers, 3, text, strlen(text));
    if (test_status != status)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
    return v;
}

static const struct json *search(const char *who, const char *types, const char *query,
                                 const char *more, int status)
{
    return ol_do(who, "POST", "!/v1.0/search/query",
                 ol_text("{'requests':[{'entityTypes':[%s],'query':{'queryString':'%s'}%s}]}",
                         types, query, more),
                 status);
}

#define BOX  "value.0.hitsContainers.0"
#define HITS BOX ".hits"

/* The names of all hits, by their rank. */
static void finds(const char *who, const char *query, const char *const *names)
{
    const struct json *v = search(who, "'driveItem'", query, "", 200);
    size_t n = 0;
    while (names[n])
        n++;
    if (number_at(v, BOX ".total") != (long)n)
        fail_msg("%s: %s", query, test_body);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(text_at(v, ol_text(HITS ".%zu.resource.name", i)), names[i]);
        assert_int_equal(number_at(v, ol_text(HITS ".%zu.rank", i)), i + 1);
    }
}
#define FINDS(who, query, ...) finds(who, query, (const char *const[]){__VA_ARGS__, NULL})

static void files_are_found_where_the_caller_may_read(void **state)
{
    const struct json *v;
    (void)state;
    v = search(BOB, "'driveItem'", "budget", "", 200);
    assert_string_equal(text_at(v, HITS ".0.hitId"), text_at(v, HITS ".0.resource.id"));
    assert_string_equal(text_at(v, HITS ".0.summary"), "Harbour <c0>budget</c0>.xlsx");
    assert_string_equal(text_at(v, HITS ".0.resource.parentReference.driveType"), "business");
    assert_non_null(strstr(test_body, "\"@odata.type\":\"#microsoft.graph.driveItem\""));
    assert_string_equal(text_at(v, "value.0.searchTerms.0"), "budget");
    /* Of the library too, by words of the content, and nothing of others. */
    v = search(BOB, "'driveItem'", "harbour", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 3);
    v = search(CYD, "'driveItem'", "harbour", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 2);
    FINDS(BOB, "cranes", "Harbour plan.txt");
    FINDS(CYD, "cranes", "Harbour plan.txt");
    FINDS(BOB, "secret", NULL);
}

static void what_is_shared_is_found(void **state)
{
    (void)state;
    const struct json *v = search(CYD, "'driveItem'", "private", "", 200);
    const char *id = text_at(v, HITS ".0.hitId");
    FINDS(BOB, "private", NULL);
    ol_do(CYD, "POST", ol_text("/drive/items/%s/invite", id),
          "{'recipients':[{'email':'" BOB "'}],'roles':['read'],'requireSignIn':true}", 200);
    FINDS(BOB, "private", "Private harbour.txt");
}

static void queries_are_in_kql(void **state)
{
    const struct json *v;
    (void)state;
    FINDS(BOB, "harbour filetype:xlsx", "Harbour budget.xlsx");
    FINDS(BOB, "harbour AND filetype:txt NOT cranes", "Notes.txt");
    FINDS(BOB, "budg*", "Harbour budget.xlsx");
    FINDS(BOB, "filename:budget", "Harbour budget.xlsx");
    FINDS(BOB, "(cranes OR budget) -filetype:xlsx", "Harbour plan.txt");
    FINDS(BOB, "\\\"harbour is\\\"", "Notes.txt");
    FINDS(BOB, "harbour path:\\\"https://port.sharepoint.com/sites/crew/Shared Documents\\\"",
          "Harbour plan.txt");
    /* The address of a site is that of all that is in it; a beginning of a name is none. */
    FINDS(BOB, "path:\\\"https://port.sharepoint.com/sites/crew/\\\"", "Harbour plan.txt");
    FINDS(BOB, "path:https://PORT.sharepoint.com/sites/crew/Shared%20Documents cranes",
          "Harbour plan.txt");
    FINDS(BOB, "harbour path:https://port.sharepoint.com", "Harbour plan.txt");
    FINDS(BOB, "path:https://port-my.sharepoint.com/personal/bob_port_example budget",
          "Harbour budget.xlsx");
    FINDS(BOB, "path:https://port.sharepoint.com/sites/cr", NULL);
    FINDS(BOB, "path:https://port.sharepoint.com/sites/other", NULL);
    v = search(BOB, "'listItem'", "path:\\\"https://port.sharepoint.com/sites/crew\\\"", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 3);
    assert_string_equal(text_at(v, "value.0.searchTerms.0"),
                        "https://port.sharepoint.com/sites/crew");
    v = search(BOB, "'driveItem'", "harbour filetype:txt OR filetype:xlsx", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 3);
    /* An operator with nothing behind it asks for nothing. */
    FINDS(BOB, "budget OR", "Harbour budget.xlsx");
    FINDS(BOB, "budget AND NOT", "Harbour budget.xlsx");
    FINDS(BOB, "budget OR () \\\"\\\"", "Harbour budget.xlsx");
    FINDS(BOB, "budget filename:", "Harbour budget.xlsx");
    v = search(BOB, "'driveItem'", "*", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 3);
    v = search(BOB, "'driveItem'", "harbour", ",'from':1,'size':1", 200);
    assert_int_equal(count_at(v, HITS), 1);
    assert_int_equal(number_at(v, HITS ".0.rank"), 2);
    assert_true(true_at(v, BOX ".moreResultsAvailable"));
    v = search(BOB, "'driveItem'", "harbour", ",'from':2,'size':5", 200);
    assert_false(true_at(v, BOX ".moreResultsAvailable"));
}

static void sites_lists_and_items_are_found(void **state)
{
    const struct json *v = search(CYD, "'site'", "crew", "", 200);
    (void)state;
    assert_string_equal(text_at(v, HITS ".0.resource.displayName"), "Crew site");
    assert_string_equal(text_at(v, HITS ".0.hitId"), text_at(v, HITS ".0.resource.id"));
    v = search(CYD, "'site'", "harbour", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 0); /* that site is not Cyd's */
    assert_null(value_at(v, HITS));
    v = search(CYD, "'list'", "jobs", "", 200);
    assert_string_equal(text_at(v, HITS ".0.resource.displayName"), "Harbour jobs");
    v = search(CYD, "'listItem'", "paint", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 1);
    assert_string_equal(text_at(v, HITS ".0.resource.id"), "1");
    v = search(CYD, "'drive'", "plans", "", 200);
    assert_string_equal(text_at(v, HITS ".0.resource.name"), "Harbour plans");
    v = search(CYD, "'drive'", "*", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 0);
}

static void types_of_files_go_together(void **state)
{
    const struct json *v =
        search(CYD, "'driveItem','listItem','list'", "harbour", ",'from':1,'size':3", 200);
    (void)state;
    assert_int_equal(number_at(v, BOX ".total"), 5); /* 2 files, an item, a list and a library */
    assert_int_equal(count_at(v, HITS), 3);
    assert_int_equal(number_at(v, HITS ".0.rank"), 2);
    assert_int_equal(number_at(v, HITS ".2.rank"), 4);
    assert_true(true_at(v, BOX ".moreResultsAvailable"));
    assert_non_null(strstr(test_body, "#microsoft.graph.listItem"));
    assert_non_null(strstr(test_body, "#microsoft.graph.list\""));
    search(CYD, "'driveItem','message'", "harbour", "", 400);
    search(CYD, "'driveItem'", " ", "", 400);
    search(CYD, "'driveItem',null", "harbour", "", 400);
    search(CYD, "null", "harbour", "", 400);
    search(CYD, "'driveItem',[]", "harbour", "", 400);
    char deep[70] = "";
    while (strlen(deep) < sizeof deep - 1)
        strcat(deep, "(");
    search(CYD, "'driveItem'", deep, "", 400);
}

/* Files are drive items where these are asked for, and else items of their library's list. */
static void files_are_items_of_lists(void **state)
{
    const struct json *v = search(BOB, "'listItem'", "harbour", "", 200);
    (void)state;
    assert_int_equal(number_at(v, BOX ".total"), 2); /* none of a drive that belongs to a person */
    assert_string_equal(text_at(v, HITS ".0.resource.webUrl"),
                        "https://port.sharepoint.com/sites/crew/Shared%20Documents/"
                        "Harbour%20plan.txt");
    assert_string_equal(text_at(v, HITS ".0.resource.contentType.name"), "Document");
    assert_string_equal(text_at(v, HITS ".0.resource.createdBy.user.displayName"), "Bob");
    assert_string_equal(text_at(v, HITS ".0.resource.lastModifiedBy.user.displayName"),
                        "System Account");
    assert_null(value_at(v, HITS ".0.resource.fields"));
    const char *number = ol_text("%s", text_at(v, HITS ".0.resource.sharepointIds.listItemId"));
    const char *list = ol_text("%s", text_at(v, HITS ".0.resource.sharepointIds.listId"));
    assert_string_equal(text_at(v, HITS ".1.resource.sharepointIds.listId"),
                        "5d8e24e2-41b7-4dfe-a8ea-5a644fa53c6d");
    const struct json *file = ol_get(
        BOB, 200, "!/v1.0/sites/port.sharepoint.com:/sites/crew:/lists/%s/items/%s/driveItem", list,
        number);
    assert_string_equal(text_at(file, "name"), "Harbour plan.txt");
    v = search(BOB, "'listItem','driveItem'", "cranes", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 1);
    assert_string_equal(text_at(v, HITS ".0.resource.name"), "Harbour plan.txt");
    v = search(CYD, "'listItem'", "secret", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 0);
}

/* So is one file that the caller was given out of a library which stays closed. */
static void a_file_that_was_given_is_an_item_of_a_list(void **state)
{
    (void)state;
    const struct json *v =
        search(CYD, "'listItem'", "tides", ",'fields':['SiteTitle','SiteName']", 200);
    assert_int_equal(number_at(v, BOX ".total"), 1);
    assert_string_equal(text_at(v, HITS ".0.resource.fields.siteTitle"), "Other harbour");
    assert_string_equal(text_at(v, HITS ".0.resource.fields.siteName"),
                        "https://port.sharepoint.com/sites/other");
    v = search(BOB, "'listItem'", "tides", "", 200);
    assert_int_equal(number_at(v, BOX ".total"), 0);
}

static void values_are_asked_for_by_name(void **state)
{
    const struct json *v =
        search(BOB, "'listItem'", "harbour",
               ",'fields':['Title','contentclass','FileType','title','Nothing','']", 200);
    (void)state;
    assert_string_equal(text_at(v, HITS ".0.resource.fields.title"), "Harbour plan");
    assert_string_equal(text_at(v, HITS ".0.resource.fields.contentclass"),
                        "STS_ListItem_DocumentLibrary");
    assert_string_equal(text_at(v, HITS ".0.resource.fields.fileType"), "txt");
    assert_int_equal(value_at(v, HITS ".0.resource.fields")->n, 3);
    assert_string_equal(text_at(v, HITS ".1.resource.fields.title"), "Paint the harbour");
    assert_string_equal(text_at(v, HITS ".1.resource.fields.contentclass"),
                        "STS_ListItem_GenericList");
    assert_int_equal(value_at(v, HITS ".1.resource.fields")->n, 2);
    v = search(BOB, "'driveItem'", "cranes", ",'fields':['filename','size']", 200);
    assert_string_equal(text_at(v, HITS ".0.resource.listItem.fields.filename"),
                        "Harbour plan.txt");
    assert_string_equal(text_at(v, HITS ".0.resource.listItem.fields.size"), "6");
    char many[1024] = ",'fields':[''";
    for (int i = 0; i < 100; i++)
        strcat(many, ",'a'");
    strcat(many, "]");
    search(BOB, "'listItem'", "harbour", many, 400);
    search(BOB, "'listItem'", "harbour", ",'fields':[1]", 400);
    search(BOB, "'listItem'", "harbour", ",'fields':'title'", 400);
    /* A title that was given to a file is its title. */
    ol_do(BOB, "PATCH",
          "!/v1.0/sites/port.sharepoint.com:/sites/crew:/drive/root:/"
          "Harbour%20plan.txt:/listItem/fields",
          "{'Title':'The plan'}", 200);
    v = search(BOB, "'listItem'", "cranes", ",'fields':['title']", 200);
    assert_string_equal(text_at(v, HITS ".0.resource.fields.title"), "The plan");
}

/* An app that may do something with single items has those that it was given, and what is below. */
static void an_app_is_given_a_file(void **state)
{
    const char *who = "daemon-token";
    (void)state;
    const struct json *v = ol_get(BOB, 200, "/drive/root:/Notes.txt");
    const char *id = ol_text("%s", text_at(v, "id"));
    const char *path = ol_text("!/v1.0/users/" BOB "/drive/items/%s", id);
    by_token(who, "GET", path, NULL, 404);
    v = ol_do(BOB, "POST", ol_text("/drive/items/%s/permissions", id),
              "{'grantedToV2':{'application':{'id':'reader'}},'roles':['read']}", 201);
    assert_string_equal(text_at(v, "grantedToV2.application.displayName"), "Reader");
    assert_string_equal(text_at(v, "roles.0"), "read");
    const char *right = ol_text("/drive/items/%s/permissions/%s", id, text_at(v, "id"));
    v = by_token(who, "GET", path, NULL, 200);
    assert_string_equal(text_at(v, "name"), "Notes.txt");
    by_token(who, "PATCH", path, "{'name':'New.txt'}", 403);
    by_token(who, "GET", "!/v1.0/users/" BOB "/drive/root", NULL, 403);
    by_token(who, "GET", "!/v1.0/users/" BOB "/drive/root/children", NULL, 403);
    v = ol_get(BOB, 200, "/drive/items/%s/permissions", id);
    assert_string_equal(text_at(v, "value.1.grantedToV2.application.id"), "reader");
    ol_do(BOB, "PATCH", right, "{'roles':['write']}", 200);
    by_token(who, "PATCH", path, "{'name':'New.txt'}", 200);
    ol_do(BOB, "DELETE", right, NULL, 204);
    by_token(who, "GET", path, NULL, 404);
    path = ol_text("/drive/items/%s/permissions", id);
    ol_do(BOB, "POST", path, "{'grantedToV2':{'user':{'id':'x'}},'roles':['read']}", 400);
    ol_do(BOB, "POST", path, "{'grantedToV2':{'application':{'id':'nobody'}},'roles':['read']}",
          400);
    ol_do(BOB, "POST", path, "{'grantedToV2':{'application':{'id':'reader'}},'roles':['x']}", 400);
}

static const char *registered(void)
{
    static const char body[] = "{\"redirect_uris\":[\"https://a.example/\"]}";
    const struct sosia_header headers[2] = {{"Host", "localhost"},
                                            {"Content-Type", "application/json"}};
    const struct json *v = test_request("POST", "/mcp/register", headers, 2, body, sizeof body - 1);
    if (test_status != 201)
        fail_msg("%d %s", test_status, test_body);
    return ol_text("%s", text_at(v, "client_id"));
}

/* Of programs that registered the newest stay, and those that were given something. */
static void a_registered_app_stays_with_what_it_was_given(void **state)
{
    (void)state;
    const char *app = registered();
    const char *id = ol_text("%s", text_at(ol_get(BOB, 200, "/drive/root:/Notes.txt"), "id"));
    ol_do(BOB, "POST", ol_text("/drive/items/%s/permissions", id),
          ol_text("{'grantedToV2':{'application':{'id':'%s'}},'roles':['read']}", app), 201);
    for (int i = 0; i < 102; i++)
        registered();
    const struct json *v = ol_get(BOB, 200, "/drive/items/%s/permissions", id);
    assert_string_equal(text_at(v, "value.1.grantedToV2.application.id"), app);
}

static void a_channel_has_one_site(void **state)
{
    static const char more[] = "sosia: 1\nmicrosoftSites:\n"
                               "  - {path: /sites/a, channel: '19:a@thread.tacv2'}\n"
                               "  - {path: /sites/b, channel: '19:a@thread.tacv2'}\n";
    (void)state;
    assert_int_equal(
        sosia_world_seed(test_engine, test_world, more, sizeof more - 1, "more", &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_non_null(strstr(test_err.text, "microsoftSites[1].channel"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(files_are_found_where_the_caller_may_read),
        TEST(what_is_shared_is_found),
        TEST(queries_are_in_kql),
        TEST(sites_lists_and_items_are_found),
        TEST(types_of_files_go_together),
        TEST(files_are_items_of_lists),
        TEST(a_file_that_was_given_is_an_item_of_a_list),
        TEST(values_are_asked_for_by_name),
        TEST(an_app_is_given_a_file),
        TEST(a_registered_app_stays_with_what_it_was_given),
        TEST(a_channel_has_one_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
