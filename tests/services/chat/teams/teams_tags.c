/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of teams, tabs of channels and chats: made, changed, read, deleted, in documents; bad input.
 */
#include "services/chat/teams/teams.h"
#include "tests/support/outlook.h"

#define PIER  "9a000000-0000-4000-8000-000000000002"
#define CARGO "19:00000000000000000000000000000001@thread.tacv2"
#define EVE   "eve@port.example"
#define G     "!/v1.0"
#define TAGS  G "/teams/" PIER "/tags"
#define TABS  G "/teams/" PIER "/channels/" CARGO "/tabs"

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
    "teamTags:\n"
    "  - {workspace: port.example, team: Pier, name: Crane, members: [cyd@port.example]}\n"
    "teamTabs:\n"
    "  - {workspace: port.example, channel: Cargo, name: Ships, configuration: {contentUrl: "
    "'https://ships.example'}}\n";

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

static const char *oid(const char *who)
{
    return text_at(ol_get(who, 200, "?$select=id"), "id");
}

static void tags_are_given_and_taken(void **state)
{
    const char *bob = oid(BOB), *cyd = oid(CYD), *eve = oid(EVE);
    const struct json *v = ol_get(CYD, 200, TAGS);
    (void)state;
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.displayName"), "Crane");
    assert_string_equal(printed_at(v, "value.0.memberCount"), "1");
    v = ol_do(
        BOB, "POST", TAGS,
        ol_text("{'displayName':'Night','members':[{'userId':'%s'},{'userId':'%s'}]}", bob, cyd),
        201);
    const char *id = text_at(v, "id");
    assert_string_equal(text_at(v, "teamId"), PIER);
    assert_string_equal(text_at(v, "tagType"), "standard");
    assert_int_equal(json_get_int(v, "memberCount", 0), 2);
    v = ol_get(CYD, 200, TAGS "/%s/members", id);
    assert_string_equal(text_at(v, "value.1.displayName"), "Cyd");
    const char *member = text_at(v, "value.1.id");
    v = ol_get(CYD, 200, TAGS "/%s/members/%s", id, member);
    assert_string_equal(text_at(v, "userId"), cyd);
    ol_do(BOB, "DELETE", ol_text(TAGS "/%s/members/%s", id, member), NULL, 204);
    v = ol_do(BOB, "PATCH", ol_text(TAGS "/%s", id), "{'displayName':'Late'}", 200);
    assert_string_equal(text_at(v, "displayName"), "Late");
    assert_int_equal(json_get_int(v, "memberCount", 0), 1);
    ol_do(BOB, "POST", ol_text(TAGS "/%s/members", id), ol_text("{'userId':'%s'}", cyd), 201);
    /* Conditions. */
    v = ol_get(BOB, 200, TAGS "?$filter=displayName%%20eq%%20'late'");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(BOB, 200,
               G "/teams/" PIER "/members?$filter=microsoft.graph."
                 "aadUserConversationMember/userId%%20eq%%20'%s'",
               cyd);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.displayName"), "Cyd");
    v = ol_get(BOB, 200, G "/teams/" PIER "/members?$filter=displayName%%20eq%%20'Nobody'");
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_get(BOB, 200, G "/me/joinedTeams?$filter=displayName%%20eq%%20'Pier'");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(BOB, 200, G "/me/joinedTeams?$filter=displayName%%20eq%%20'Other'");
    assert_int_equal(count_at(v, "value"), 0);
    ol_get(BOB, 400, TAGS "?$filter=displayName%%20eq");
    /* Bad input. */
    ol_do(BOB, "POST", ol_text(TAGS "/%s/members", id), ol_text("{'userId':'%s'}", cyd), 409);
    ol_do(BOB, "POST", ol_text(TAGS "/%s/members", id), ol_text("{'userId':'%s'}", eve), 400);
    ol_do(BOB, "POST", TAGS, ol_text("{'displayName':'crane','members':[{'userId':'%s'}]}", cyd),
          409);
    ol_do(BOB, "POST", TAGS, "{'displayName':'x','members':[]}", 400);
    ol_do(BOB, "POST", TAGS, "{'members':[{'userId':'x'}]}", 400);
    const char *many = "";
    for (int i = 0; i < 201; i++)
        many = ol_text("%s%s{'userId':'%s'}", many, i ? "," : "", cyd);
    ol_do(BOB, "POST", TAGS, ol_text("{'displayName':'x','members':[%s]}", many), 400);
    ol_do(CYD, "POST", TAGS, ol_text("{'displayName':'x','members':[{'userId':'%s'}]}", cyd), 403);
    ol_get(BOB, 404, TAGS "/eA==");
    ol_get(BOB, 404, TAGS "/not");
    ol_get(EVE, 403, TAGS);
    /* Who leaves the team has it no more. */
    v = ol_get(BOB, 200, G "/teams/" PIER "/members");
    ol_do(BOB, "DELETE", ol_text(G "/teams/" PIER "/members/%s", text_at(v, "value.1.id")), NULL,
          204);
    v = ol_get(BOB, 200, TAGS "/%s", id);
    assert_int_equal(json_get_int(v, "memberCount", 9), 1);
    ol_do(BOB, "DELETE", ol_text(TAGS "/%s", id), NULL, 204);
    ol_get(BOB, 404, TAGS "/%s", id);
    v = test_dump();
    assert_int_equal(count_at(v, "teamTags"), 1);
    assert_string_equal(text_at(v, "teamTags.0.members.0"), cyd);
}

static void tabs_are_added_and_taken_away(void **state)
{
    const struct json *v = ol_get(CYD, 200, TABS "?$expand=teamsApp");
    (void)state;
    assert_string_equal(text_at(v, "value.0.configuration.contentUrl"), "https://ships.example");
    assert_string_equal(text_at(v, "value.0.teamsApp.displayName"), "Website");
    v = ol_do(CYD, "POST", TABS,
              "{'displayName':'Plan','teamsApp@odata.bind':'https://graph.microsoft.com/v1.0/"
              "appCatalogs/teamsApps/com.microsoft.teamspace.tab.web','configuration':{'contentUrl'"
              ":'https://plan.example','entityId':null}}",
              201);
    const char *id = text_at(v, "id");
    v = ol_get(CYD, 200, TABS "?$filter=displayName%%20eq%%20'Plan'");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(CYD, 200, TABS "?$expand=teamsApp&$filter=teamsApp/id%%20eq%%20'x'");
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_do(CYD, "PATCH", ol_text(TABS "/%s", id), "{'displayName':'Plans'}", 200);
    assert_string_equal(text_at(v, "displayName"), "Plans");
    assert_string_equal(text_at(v, "configuration.contentUrl"), "https://plan.example");
    ol_do(CYD, "POST", TABS, "{'displayName':'x'}", 400);
    ol_do(CYD, "POST", TABS, "{'teamsApp@odata.bind':'https://x/appCatalogs/teamsApps/a'}", 400);
    ol_get(EVE, 403, TABS);
    /* So many and no more: there are two. */
    for (int i = 2; i < 1000; i++)
        ol_do(CYD, "POST", TABS,
              "{'displayName':'n','teamsApp@odata.bind':'https://x/appCatalogs/teamsApps/a'}", 201);
    ol_do(CYD, "POST", TABS,
          "{'displayName':'n','teamsApp@odata.bind':'https://x/appCatalogs/teamsApps/a'}", 400);
    v = ol_get(CYD, 200, TABS "?$filter=displayName%%20eq%%20'n'&$select=id");
    for (size_t i = 0; i < count_at(v, "value"); i++)
        ol_do(CYD, "DELETE", ol_text(TABS "/%s", text_at(v, ol_text("value.%zu.id", i))), NULL,
              204);
    ol_do(CYD, "DELETE", ol_text(TABS "/%s", id), NULL, 204);
    ol_get(CYD, 404, TABS "/%s", id);
    assert_int_equal(count_at(test_dump(), "teamTabs"), 1);
    /* In a chat. */
    v = ol_do(
        BOB, "POST", G "/chats",
        ol_text("{'chatType':'oneOnOne','members':[{'@odata.type':"
                "'#microsoft.graph.aadUserConversationMember','roles':['owner'],"
                "'user@odata.bind':'https://graph.microsoft.com/v1.0/users/%s'},{'@odata.type'"
                ":'#microsoft.graph.aadUserConversationMember','roles':['owner'],"
                "'user@odata.bind':'https://graph.microsoft.com/v1.0/users/%s'}]}",
                oid(BOB), oid(CYD)),
        201);
    const char *chat = text_at(v, "id");
    ol_do(BOB, "POST", ol_text(G "/chats/%s/tabs", chat),
          "{'displayName':'Site','teamsApp@odata.bind':'https://graph.microsoft.com/v1.0/"
          "appCatalogs/teamsApps/com.microsoft.teamspace.tab.web'}",
          201);
    v = ol_get(CYD, 200, G "/chats/%s/tabs", chat);
    assert_string_equal(text_at(v, "value.0.displayName"), "Site");
}

static void archived_places_keep_their_tags_and_tabs(void **state)
{
    static const char tab[] =
        "{'displayName':'Plan','teamsApp@odata.bind':'https://graph.microsoft.com/v1.0/"
        "appCatalogs/teamsApps/com.microsoft.teamspace.tab.web'}";
    static const char *const places[] = {G "/teams/" PIER, G "/teams/" PIER "/channels/" CARGO};
    const char *tag = text_at(ol_get(BOB, 200, TAGS), "value.0.id"),
               *id = text_at(ol_get(BOB, 200, TABS), "value.0.id");
    (void)state;
    for (int i = 0; i < 2; i++) {
        ol_do(BOB, "POST", ol_text("%s/archive", places[i]), "{}", 202);
        ol_do(BOB, "POST", TABS, tab, 403);
        ol_do(BOB, "PATCH", ol_text(TABS "/%s", id), "{'displayName':'x'}", 403);
        ol_do(BOB, "DELETE", ol_text(TABS "/%s", id), NULL, 403);
        ol_do(BOB, "PATCH", ol_text(TAGS "/%s", tag), "{'displayName':'x'}", i ? 200 : 403);
        if (!i)
            ol_do(BOB, "DELETE", ol_text(TAGS "/%s", tag), NULL, 403);
        assert_int_equal(count_at(ol_get(BOB, 200, TABS), "value"), 1);
        assert_int_equal(count_at(ol_get(BOB, 200, TAGS), "value"), 1);
        ol_do(BOB, "POST", ol_text("%s/unarchive", places[i]), NULL, 202);
    }
    ol_do(BOB, "POST", TABS, tab, 201);
}

#define SEND                                                                                       \
    "{'topic':{'source':'text','value':'Ship','webUrl':'https://teams.microsoft.com/l/x'},"        \
    "'activityType':'shipCame','previewText':{'content':'It is here'},'recipient':"

static void notices_come_into_feeds(void **state)
{
    static const char *const bad[] = {
        "{'activityType':'x','recipient':{}}",
        "{'topic':{'source':'text','value':'Ship'},'activityType':'x','recipient':{}}",
        "{'topic':{'source':'entityUrl','value':'https://x'},'recipient':{}}",
        SEND "null}",
        SEND "{'@odata.type':'microsoft.graph.chatMembersNotificationRecipient'}}",
        SEND "{'@odata.type':'microsoft.graph.aadUserNotificationRecipient','userId':'x'}}",
    };
    (void)state;
    const char *to = G "/teams/" PIER "/sendActivityNotification";
    ol_do(BOB, "POST", to,
          ol_text(SEND "{'@odata.type':'microsoft.graph.aadUserNotificationRecipient','userId':'%s'"
                       "}}",
                  oid(CYD)),
          204);
    ol_do(BOB, "POST", to,
          SEND "{'@odata.type':'microsoft.graph.teamMembersNotificationRecipient'"
               "}}",
          204);
    ol_do(BOB, "POST", ol_text(G "/users/%s/teamwork/sendActivityNotification", EVE), SEND "null}",
          204);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        ol_do(BOB, "POST", to, bad[i], 400);
    ol_do(EVE, "POST", to, SEND "null}", 403);
    const struct json *v = test_dump();
    assert_int_equal(count_at(v, "activityNotifications"), 3);
    assert_string_equal(text_at(v, "activityNotifications.0.user"), oid(CYD));
    assert_string_equal(text_at(v, "activityNotifications.2.user"), oid(EVE));
    assert_string_equal(text_at(v, "activityNotifications.2.preview"), "It is here");
    /* Of one instant, and two: their names in diffs follow from the ids. */
    assert_string_equal(text_at(v, "activityNotifications.0.at"),
                        text_at(v, "activityNotifications.1.at"));
    assert_string_equal(text_at(v, "activityNotifications.0.user"),
                        text_at(v, "activityNotifications.1.user"));
    assert_string_not_equal(text_at(v, "activityNotifications.0.id"),
                            text_at(v, "activityNotifications.1.id"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(tags_are_given_and_taken),
        TEST(tabs_are_added_and_taken_away),
        TEST(archived_places_keep_their_tags_and_tabs),
        TEST(notices_come_into_feeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
