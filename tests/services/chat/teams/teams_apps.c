/* SPDX-License-Identifier: Apache-2.0 */
/* Installed apps of teams, chats and users, and the catalog; in documents; bad input. */
#include "tests/support/outlook.h"

#define PIER "9a000000-0000-4000-8000-000000000002"
#define CHAT "19:00000000000000000000000000000003@thread.v2"
#define EVE  "eve@port.example"
#define G    "!/v1.0"
#define OURS G "/teams/" PIER "/installedApps"
#define MINE G "/me/teamwork/installedApps"
#define NEW(app)                                                                                   \
    "{'teamsApp@odata.bind':'https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/" app "'}"

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
    "  - {workspace: port.example, id: " PIER ", name: Pier, properties: {memberSettings: "
    "{allowAddRemoveApps: false}}, members: [{user: bob@port.example, role: owner}, "
    "cyd@port.example]}\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CHAT "', kind: group, topic: Night, members: "
    "[bob@port.example, cyd@port.example]}\n"
    "teamApps:\n"
    "  - {workspace: port.example, team: Pier, app: com.microsoft.teamspace.tab.web}\n"
    "  - {workspace: port.example, user: bob@port.example, app: "
    "0d820ecd-def2-4297-adad-78056cde7c78}\n";

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

static void apps_of_a_team_come_and_go(void **state)
{
    const struct json *v = ol_get(CYD, 200, OURS "?$expand=teamsApp,teamsAppDefinition");
    (void)state;
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.teamsApp.displayName"), "Website");
    assert_string_equal(text_at(v, "value.0.teamsAppDefinition.version"), "1.0.0");
    const char *id = text_at(v, "value.0.id");
    v = ol_get(CYD, 200, OURS);
    assert_null(value_at(v, "value.0.teamsApp"));
    ol_get(CYD, 200, OURS "/%s", id);
    ol_do(BOB, "POST", OURS, NEW("x-1"), 201);
    ol_do(BOB, "POST", OURS, NEW("x-1"), 409);
    v = ol_get(BOB, 200, OURS "?$expand=teamsApp&$filter=teamsApp/id%%20eq%%20'x-1'");
    assert_int_equal(count_at(v, "value"), 1);
    const char *mine = text_at(v, "value.0.id");
    ol_do(BOB, "POST", ol_text(OURS "/%s/upgrade", mine), NULL, 204);
    /* The settings of the team let owners alone do it. */
    ol_do(CYD, "POST", OURS, NEW("x-2"), 403);
    ol_do(CYD, "DELETE", ol_text(OURS "/%s", mine), NULL, 403);
    ol_do(BOB, "DELETE", ol_text(OURS "/%s", mine), NULL, 204);
    ol_get(BOB, 404, OURS "/%s", mine);
    /* Bad input. */
    ol_do(BOB, "POST", OURS, "{}", 400);
    ol_do(BOB, "POST", OURS, "{'teamsApp@odata.bind':'https://x/appCatalogs/teamsApps/'}", 400);
    ol_do(BOB, "POST", OURS, NEW("../x"), 400);
    ol_do(BOB, "POST", OURS, NEW("x?y##z"), 400);
    ol_get(BOB, 404, OURS "/not-one");
    ol_get(BOB, 404, MINE "/%s", id);
    ol_get(EVE, 403, OURS);
    ol_do(EVE, "POST", OURS, NEW("x-3"), 403);
}

static void apps_of_chats_and_people(void **state)
{
    const struct json *v = ol_get(BOB, 200, MINE "?$expand=teamsApp");
    (void)state;
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.teamsApp.displayName"), "OneNote");
    assert_int_equal(count_at(ol_get(CYD, 200, MINE), "value"), 0);
    ol_do(CYD, "POST", MINE, NEW("x-1"), 201);
    v = ol_get(CYD, 200, MINE);
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(CYD, "DELETE", ol_text(MINE "/%s", text_at(v, "value.0.id")), NULL, 204);
    /* Who was never in the workspace has none, and others' are theirs alone. */
    assert_int_equal(count_at(ol_get(EVE, 200, MINE), "value"), 0);
    ol_get(CYD, 403, G "/users/bob@port.example/teamwork/installedApps");
    ol_get(CYD, 404, G "/users/nobody@port.example/teamwork/installedApps");
    ol_do(CYD, "POST", G "/chats/" CHAT "/installedApps", NEW("x-1"), 201);
    v = ol_get(BOB, 200, G "/chats/" CHAT "/installedApps");
    assert_int_equal(count_at(v, "value"), 1);
    ol_get(EVE, 403, G "/chats/" CHAT "/installedApps");
    v = test_dump();
    assert_int_equal(count_at(v, "teamApps"), 3);
    assert_string_equal(text_at(v, "teamApps.2.app"), "x-1");
    assert_string_equal(text_at(v, "teamApps.2.channel"), CHAT);
}

static void the_catalog_has_apps(void **state)
{
    const struct json *v = ol_get(CYD, 200, G "/appCatalogs/teamsApps");
    (void)state;
    assert_int_equal(count_at(v, "value"), 12);
    v = ol_get(CYD, 200, G "/appCatalogs/teamsApps?$filter=displayName%%20eq%%20'Forms'");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(CYD, 200, G "/appCatalogs/teamsApps/%s", text_at(v, "value.0.id"));
    assert_string_equal(text_at(v, "distributionMethod"), "store");
    ol_get(CYD, 404, G "/appCatalogs/teamsApps/nothing");
}

static void a_document_says_where_each_is(void **state)
{
    static const char *const bad[] = {
        "{sosia: 1, teamApps: [{workspace: port.example, app: a}]}",
        "{sosia: 1, teamApps: [{workspace: port.example, team: Pier, user: bob@port.example, app: "
        "a}]}",
        "{sosia: 1, teamApps: [{workspace: port.example, team: Pier}]}",
        "{sosia: 1, teamApps: [{workspace: port.example, team: Nowhere, app: a}]}"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(
            sosia_world_seed(test_engine, test_world, bad[i], strlen(bad[i]), NULL, &test_err), -1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(apps_of_a_team_come_and_go),
        TEST(apps_of_chats_and_people),
        TEST(the_catalog_has_apps),
        TEST(a_document_says_where_each_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
