/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that are shared with people of other teams: made, read, written in; who is in them; what
 * stays closed to who is not. */
#include "tests/support/outlook.h"

#define PIER  "9a000000-0000-4000-8000-000000000002"
#define CARGO "19:00000000000000000000000000000001@thread.tacv2"
#define DOCKS "19:00000000000000000000000000000002@thread.tacv2"
#define EVE   "eve@port.example"
#define G     "!/v1.0"
#define CH    G "/teams/" PIER "/channels"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: eve@port.example, name: Eve}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: eve@port.example, vendor: microsoft}\n"
    "workspaces: [{domain: port.example, vendor: microsoft}]\n"
    "teams:\n"
    "  - {workspace: port.example, id: " PIER ", name: Pier, members: [{user: bob@port.example, "
    "role: owner}, cyd@port.example]}\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CARGO "', name: Cargo, team: Pier}\n"
    "  - {workspace: port.example, id: '" DOCKS "', name: Docks, team: Pier, kind: private, "
    "properties: {shared: true}, members: [{user: bob@port.example, role: owner}, "
    "eve@port.example]}\n";

static int open_world(void **state)
{
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

#define BIND(who)                                                                                  \
    "{'@odata.type':'#microsoft.graph.aadUserConversationMember','roles':['%s'],"                  \
    "'user@odata.bind':'https://graph.microsoft.com/v1.0/users(\\'" who "\\')'}"

/* Eve is not in the team, and is in the channel. */
static void who_is_not_in_the_team_may_be_in_a_shared_channel(void **state)
{
    const struct json *v = ol_get(EVE, 200, CH "/" DOCKS);
    (void)state;
    assert_string_equal(text_at(v, "membershipType"), "shared");
    ol_do(EVE, "POST", CH "/" DOCKS "/messages", "{'body':{'content':'Hello'}}", 201);
    v = ol_get(BOB, 200, CH "/" DOCKS "/messages");
    assert_string_equal(text_at(v, "value.0.from.user.displayName"), "Eve");
    v = ol_get(EVE, 200, CH "/" DOCKS "/allMembers");
    assert_int_equal(count_at(v, "value"), 2);
    ol_get(EVE, 200, CH "/" DOCKS "/allMembers/%s", text_at(v, "value.1.id"));
    /* Of the team nothing else is open, and who is in the team alone is not in the channel. */
    ol_get(EVE, 403, CH);
    ol_get(EVE, 403, CH "/" CARGO);
    ol_get(EVE, 403, CH "/" CARGO "/messages");
    ol_get(EVE, 403, CH "/19:nowhere@thread.tacv2");
    ol_get(CYD, 403, CH "/" DOCKS);
    ol_get(CYD, 403, CH "/" DOCKS "/messages");
    v = ol_get(CYD, 200, CH);
    for (size_t i = 0; i < count_at(v, "value"); i++)
        assert_string_not_equal(text_at(v, ol_text("value.%zu.displayName", i)), "Docks");
    v = ol_get(BOB, 200, CH "?$filter=membershipType%%20eq%%20'shared'");
    assert_int_equal(count_at(v, "value"), 1);
}

static void a_shared_channel_is_made_with_people_of_anywhere(void **state)
{
    (void)state;
    const struct json *v =
        ol_do(BOB, "POST", CH,
              ol_text("{'displayName':'Ferries','membershipType':'shared','members':[" BIND(
                          BOB) "," BIND(EVE) "]}",
                      "owner", ""),
              202);
    (void)v;
    v = ol_get(BOB, 200, CH "?$filter=displayName%%20eq%%20'Ferries'");
    const char *id = text_at(v, "value.0.id");
    assert_string_equal(text_at(v, "value.0.membershipType"), "shared");
    v = ol_get(EVE, 200, CH "/%s/members", id);
    assert_int_equal(count_at(v, "value"), 2);
    ol_do(EVE, "POST", ol_text(CH "/%s/messages", id), "{'body':{'content':'Here'}}", 201);
    /* Only an owner lets others in: into a private channel those of the team, here anybody. */
    ol_do(EVE, "POST", ol_text(CH "/%s/members", id), ol_text(BIND(CYD), ""), 403);
    ol_do(BOB, "POST", ol_text(CH "/%s/members", id), ol_text(BIND(CYD), ""), 201);
    v = ol_do(BOB, "POST", CH,
              ol_text("{'displayName':'Own','membershipType':'private','members':[" BIND(BOB) "]}",
                      "owner"),
              201);
    ol_do(BOB, "POST", ol_text(CH "/%s/members", text_at(v, "id")), ol_text(BIND(EVE), ""), 400);
    ol_do(BOB, "POST", CH, "{'displayName':'x','membershipType':'unknownFutureValue'}", 400);
    ol_do(CYD, "POST", CH,
          ol_text("{'displayName':'Cyds','membershipType':'shared','members':[" BIND(
                      "nobody@port.example") "]}",
                  "owner"),
          400);
    v = ol_get(BOB, 200, CH);
    assert_int_equal(count_at(v, "value"), 5); /* General, Cargo, Docks, Ferries, Own */
}

static void it_says_whose_it_is(void **state)
{
    (void)state;
    const struct json *v = ol_get(EVE, 200, CH "/" DOCKS "/sharedWithTeams");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), PIER);
    assert_true(json_is_true(value_at(v, "value.0.isHostTeam")));
    v = ol_get(EVE, 200, CH "/" DOCKS "/sharedWithTeams/" PIER);
    assert_string_equal(text_at(v, "displayName"), "Pier");
    ol_get(EVE, 404, CH "/" DOCKS "/sharedWithTeams/x");
    ol_get(BOB, 400, CH "/" CARGO "/sharedWithTeams");
    ol_get(CYD, 403, CH "/" DOCKS "/sharedWithTeams");
    v = ol_get(BOB, 200, G "/teams/" PIER "/incomingChannels");
    assert_int_equal(count_at(v, "value"), 0);
    ol_get(EVE, 403, G "/teams/" PIER "/incomingChannels");
    /* Teams that somebody has to do with. */
    v = ol_get(EVE, 200, G "/me/joinedTeams");
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_get(EVE, 200, G "/me/teamwork/associatedTeams");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.displayName"), "Pier");
    v = ol_get(BOB, 200, G "/me/teamwork/associatedTeams");
    assert_int_equal(count_at(v, "value"), 1);
    v = test_dump();
    const char *of = NULL;
    for (size_t i = 0; i < count_at(v, "channels"); i++)
        if (strcmp(text_at(v, ol_text("channels.%zu.name", i)), "Docks") == 0)
            of = printed_at(v, ol_text("channels.%zu.properties", i));
    assert_non_null(of);
    assert_string_equal(of, "{\"shared\":true}");
}

/* Its members write in it, and don't change it, whatever the team lets its own members do. */
static void who_owns_it_changes_it(void **state)
{
    (void)state;
    ol_do(EVE, "PATCH", CH "/" DOCKS, "{'displayName':'Mine'}", 403);
    ol_do(EVE, "DELETE", CH "/" DOCKS, NULL, 403);
    ol_do(CYD, "PATCH", CH "/" DOCKS, "{'displayName':'Mine'}", 403);
    ol_do(CYD, "PATCH", CH "/" CARGO, "{'description':'Of all'}", 204);
    ol_do(BOB, "PATCH", CH "/" DOCKS, "{'displayName':'Wharf'}", 204);
    const struct json *v = ol_get(EVE, 200, CH "/" DOCKS);
    assert_string_equal(text_at(v, "displayName"), "Wharf");
    assert_string_equal(text_at(v, "membershipType"), "shared");
    v = ol_get(BOB, 200, CH "/" DOCKS "/members");
    const char *eve = NULL;
    for (size_t i = 0; i < count_at(v, "value"); i++)
        if (strcmp(text_at(v, ol_text("value.%zu.displayName", i)), "Eve") == 0)
            eve = text_at(v, ol_text("value.%zu.id", i));
    ol_do(BOB, "PATCH", ol_text(CH "/" DOCKS "/members/%s", eve),
          "{'@odata.type':'#microsoft.graph.aadUserConversationMember','roles':['owner']}", 200);
    ol_do(EVE, "PATCH", CH "/" DOCKS, "{'displayName':'Mine'}", 204);
    ol_do(EVE, "DELETE", CH "/" DOCKS, NULL, 204);
}

/* A guest of the team has what its guestSettings give, and those say nothing of apps and tabs. */
static void guests_do_what_is_said_of_them(void **state)
{
    static const char more[] = "{sosia: 1, teams: [{workspace: port.example, id: "
                               "9a000000-0000-4000-8000-000000000003, name: Yard, members: [{user: "
                               "bob@port.example, role: owner}, {user: eve@port.example, role: "
                               "guest}]}]}";
    static const char yard[] = G "/teams/9a000000-0000-4000-8000-000000000003";
    (void)state;
    assert_int_equal(sosia_world_seed(test_engine, test_world, more, strlen(more), NULL, &test_err),
                     0);
    const char *app = "{'teamsApp@odata.bind':'https://graph.microsoft.com/v1.0/appCatalogs/"
                      "teamsApps/x-1'}";
    ol_do(EVE, "POST", ol_text("%s/installedApps", yard), app, 403);
    ol_do(EVE, "POST", ol_text("%s/channels", yard), "{'displayName':'Paint'}", 403);
    const struct json *v = ol_get(EVE, 200, "%s/primaryChannel", yard);
    ol_do(EVE, "POST", ol_text("%s/channels/%s/tabs", yard, text_at(v, "id")),
          "{'displayName':'x','teamsApp@odata.bind':'https://graph.microsoft.com/v1.0/appCatalogs/"
          "teamsApps/com.microsoft.teamspace.tab.web'}",
          403);
    ol_do(BOB, "PATCH", yard, "{'guestSettings':{'allowCreateUpdateChannels':true}}", 204);
    ol_do(EVE, "POST", ol_text("%s/channels", yard), "{'displayName':'Paint'}", 201);
    ol_do(EVE, "POST", ol_text("%s/installedApps", yard), app, 403);
    ol_do(BOB, "POST", ol_text("%s/installedApps", yard), app, 201);
}

/* The folder is in the library of the team's site, which is there from then on; files that are put
 * there are in the drive of the group. */
static void a_channel_has_a_folder_in_the_site_of_its_team(void **state)
{
    (void)state;
    const struct json *v = ol_get(CYD, 200, CH "/" CARGO "/filesFolder");
    assert_string_equal(text_at(v, "name"), "Cargo");
    assert_string_equal(printed_at(v, "folder.childCount"), "0");
    assert_string_equal(text_at(v, "parentReference.driveType"), "documentLibrary");
    assert_non_null(strstr(json_get_str(v, "@odata.context"), "/filesFolder/$entity"));
    const char *id = text_at(v, "id"), *drive = text_at(v, "parentReference.driveId");
    ol_type = "text/plain";
    ol_do(CYD, "PUT", ol_text(G "/drives/%s/items/%s:/plan.txt:/content", drive, id), "Twelve",
          201);
    ol_type = NULL;
    v = ol_get(BOB, 200, CH "/" CARGO "/filesFolder");
    assert_string_equal(text_at(v, "id"), id);
    assert_string_equal(printed_at(v, "folder.childCount"), "1");
    v = ol_get(BOB, 200, G "/groups/" PIER "/drive/root:/Cargo/plan.txt");
    assert_string_equal(text_at(v, "name"), "plan.txt");
    v = ol_get(BOB, 200, G "/teams/" PIER "/primaryChannel/filesFolder");
    assert_string_equal(text_at(v, "name"), "General");
    v = test_dump();
    assert_int_equal(count_at(v, "microsoftSites"), 1);
    assert_string_equal(text_at(v, "microsoftSites.0.name"), "Pier");
    /* Who is not in the team finds nothing, and makes nothing. */
    ol_get(EVE, 403, CH "/" CARGO "/filesFolder");
    ol_get(BOB, 404, CH "/19:nowhere@thread.tacv2/filesFolder");
    ol_get(EVE, 403, G "/teams/" PIER "/primaryChannel/filesFolder");
    assert_int_equal(count_at(test_dump(), "microsoftSites"), 1);
    /* The group may go nevertheless. */
    ol_do(BOB, "DELETE", G "/groups/" PIER, NULL, 204);
    ol_get(CYD, 404, CH "/" CARGO "/filesFolder");
    assert_null(value_at(test_dump(), "microsoftSites.0.group"));
}

/* Private and shared channels have sites of their own, which are their members'. */
static void a_shared_channel_has_a_site_of_its_own(void **state)
{
    (void)state;
    ol_get(CYD, 403, CH "/" DOCKS "/filesFolder");
    const struct json *v = ol_get(EVE, 200, CH "/" DOCKS "/filesFolder");
    assert_string_equal(text_at(v, "name"), "Docks");
    assert_non_null(strstr(text_at(v, "webUrl"), "/sites/pier-Docks/Shared%20Documents/Docks"));
    const char *id = ol_text("%s", text_at(v, "id")),
               *drive = ol_text("%s", text_at(v, "parentReference.driveId"));
    ol_type = "text/plain";
    ol_do(EVE, "PUT", ol_text(G "/drives/%s/items/%s:/plan.txt:/content", drive, id), "Twelve",
          201);
    ol_type = NULL;
    ol_get(BOB, 200, G "/drives/%s/items/%s/children", drive, id);
    ol_get(CYD, 404, G "/drives/%s/items/%s/children", drive, id);
    v = ol_get(BOB, 200, G "/sites?search=Docks");
    assert_string_equal(text_at(v, "value.0.displayName"), "Pier-Docks");
    v = ol_get(CYD, 200, G "/sites?search=Docks");
    assert_int_equal(count_at(v, "value"), 0);
    /* Who leaves the channel loses it, and who comes has it. */
    v = ol_get(BOB, 200, CH "/" DOCKS "/members?$filter=email%%20eq%%20'" EVE "'");
    ol_do(BOB, "DELETE", ol_text(CH "/" DOCKS "/members/%s", text_at(v, "value.0.id")), NULL, 204);
    ol_get(EVE, 404, G "/drives/%s/items/%s/children", drive, id);
    ol_do(BOB, "POST", CH "/" DOCKS "/members", ol_text(BIND(CYD), ""), 201);
    ol_get(CYD, 200, G "/drives/%s/items/%s/children", drive, id);
    assert_string_equal(text_at(test_dump(), "microsoftSites.0.channel"), DOCKS);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(who_is_not_in_the_team_may_be_in_a_shared_channel),
        TEST(a_shared_channel_is_made_with_people_of_anywhere),
        TEST(it_says_whose_it_is),
        TEST(who_owns_it_changes_it),
        TEST(guests_do_what_is_said_of_them),
        TEST(a_channel_has_a_folder_in_the_site_of_its_team),
        TEST(a_shared_channel_has_a_site_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
