/* SPDX-License-Identifier: Apache-2.0 */
/* People of Teams: what they do in the client, those who answer by rules; groups and their teams,
 * which have the same people; what becomes of a private channel whose owner leaves. */
#include "engine/http/call.h"
#include "services/chat/teams/teams.h"
#include "tests/support/outlook.h"

#define PIER  "9a000000-0000-4000-8000-000000000002"
#define CARGO "19:00000000000000000000000000000001@thread.tacv2"
#define WAGES "19:00000000000000000000000000000002@thread.tacv2"
#define EVE   "eve@port.example"
#define G     "!/v1.0"

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
    "microsoftUsers: [{actor: bob@port.example, admin: true}]\n"
    "groups: [{email: pier@port.example, name: Pier, members: [bob@port.example, "
    "cyd@port.example]}]\n"
    "microsoftGroups: [{group: pier@port.example, id: " PIER ", owners: [bob@port.example]}]\n"
    "workspaces: [{domain: port.example, vendor: microsoft, members: [{actor: "
    "bob@port.example}]}]\n"
    "teams:\n"
    "  - {workspace: port.example, id: " PIER ", name: Pier, members: [{user: bob@port.example, "
    "role: owner}, cyd@port.example]}\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CARGO "', name: Cargo, team: Pier}\n"
    "  - {workspace: port.example, id: '" WAGES "', name: Wages, kind: private, team: Pier, "
    "members: [{user: bob@port.example, role: owner}, cyd@port.example]}\n"
    "responders:\n"
    "  - {id: cyd-answers, as: cyd@port.example, delay: 30, when: {channels: [Cargo], text: 'late "
    "(\\w+)'}, do: [{react: {name: like}}, {reply: {text: 'since ${1}'}}]}\n"
    "  - {id: cyd-says, as: cyd@port.example, when: {direct: true}, do: [{post: {text: Aye}}]}\n"
    "  - {id: cyd-errs, as: cyd@port.example, when: {text: err}, do: [{post: {channel: Nowhere, "
    "text: x}}]}\n";

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

/* ---- acts ---- */

static const struct json *act(const char *who, int status, const char *what)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *body = ol_text("{\"do\":%s}", quoted(what));
    const struct json *v =
        test_request("POST", "/@graph.microsoft.com/_act/teams", headers, 2, body, strlen(body));
    if (test_status != status)
        fail_msg("expected %d, got %d %s", status, test_status, test_body);
    return v;
}

static void people_post_reply_and_react(void **state)
{
    const struct json *v = act(BOB, 200, "{'post':{'channel':'Cargo','text':'a & b'}}");
    const char *id = text_at(v, "id");
    (void)state;
    assert_string_equal(text_at(v, "body.content"), "a & b");
    assert_string_equal(text_at(v, "body.contentType"), "text");
    assert_string_equal(text_at(v, "from.user.displayName"), "Bob");
    v = act(CYD, 200,
            ol_text("{'reply':{'channel':'" CARGO "','thread_ts':'%s','html':'<b>c</b>"
                    "<script>x</script>'}}",
                    id));
    assert_string_equal(text_at(v, "replyToId"), id);
    assert_string_equal(text_at(v, "body.content"), "<b>c</b>");
    act(CYD, 200, ol_text("{'react':{'channel':'Cargo','timestamp':'%s','name':'heart'}}", id));
    v = ol_get(BOB, 200, G "/teams/" PIER "/channels/" CARGO "/messages?$expand=replies");
    assert_int_equal(count_at(v, "value"), 1);
    assert_int_equal(count_at(v, "value.0.replies"), 1);
    assert_int_equal(count_at(v, "value.0.reactions"), 1);
    /* What was deleted takes none, by people either. */
    id = text_at(act(BOB, 200, "{'post':{'channel':'Cargo','text':'gone'}}"), "id");
    ol_do(BOB, "POST", ol_text(G "/teams/" PIER "/channels/" CARGO "/messages/%s/softDelete", id),
          NULL, 204);
    act(CYD, 400, ol_text("{'react':{'channel':'Cargo','timestamp':'%s','name':'like'}}", id));
    /* Somebody whom no list names yet has a chat. */
    v = act(BOB, 200, "{'post':{'to':'" EVE "','text':'hi'}}");
    v = ol_get(EVE, 200, G "/chats");
    assert_string_equal(text_at(v, "value.0.chatType"), "oneOnOne");
}

static void what_cannot_be_done_changes_nothing(void **state)
{
    static const char *const bad[] = {
        "{'post':{'channel':'Nowhere','text':'x'}}",
        "{'post':{'text':'x'}}",
        "{'post':{'channel':'Cargo'}}",
        "{'post':{'channel':'Cargo','text':'x','thread_ts':'5'}}",
        "{'reply':{'channel':'Cargo','text':'x'}}",
        "{'react':{'channel':'Cargo','timestamp':'1','name':'like'}}",
        "{'dance':{}}",
        "{'post':[]}",
        "[]",
        "{'post':{'to':'nobody@far.example','text':'x'}}",
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        act(BOB, 400, bad[i]);
    act(EVE, 400, "{'post':{'channel':'" CARGO "','text':'x'}}"); /* she is not in the team */
    const struct json *v = ol_get(BOB, 200, G "/teams/" PIER "/channels/" CARGO "/messages");
    assert_int_equal(count_at(v, "value"), 0);
}

static void people_answer_by_rules(void **state)
{
    const struct json *v = act(BOB, 200, "{'post':{'channel':'Cargo','html':'<p>late today</p>'}}");
    (void)state;
    test_advance(29);
    v = ol_get(BOB, 200, G "/teams/" PIER "/channels/" CARGO "/messages?$expand=replies");
    assert_int_equal(count_at(v, "value.0.replies"), 0);
    test_advance(2);
    v = ol_get(BOB, 200, G "/teams/" PIER "/channels/" CARGO "/messages?$expand=replies");
    assert_string_equal(text_at(v, "value.0.replies.0.body.content"), "since today");
    assert_string_equal(text_at(v, "value.0.replies.0.from.user.displayName"), "Cyd");
    assert_string_equal(text_at(v, "value.0.reactions.0.reactionType"), "\U0001F44D");
    v = act(BOB, 200, "{'post':{'to':'" CYD "','text':'there?'}}");
    const char *chat = text_at(v, "chatId");
    test_advance(2);
    v = ol_get(BOB, 200, G "/chats/%s/messages", chat);
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.body.content"), "Aye");
    /* An act that is refused ends the answer, which says why. */
    act(BOB, 200, "{'post':{'channel':'Cargo','text':'err'}}");
    test_advance(2);
    assert_string_equal(text_at(test_dump(), "responders.2.refused"), "channel_not_found");
}

/* ---- groups ---- */

static const char *names_of_team(const char *who)
{
    return column(ol_get(who, 200, G "/teams/" PIER "/members"), "value", "displayName");
}

static void a_team_has_the_people_of_its_group(void **state)
{
    const char *eve = text_at(ol_get(EVE, 200, G "/me"), "id"),
               *cyd = text_at(ol_get(CYD, 200, G "/me"), "id");
    (void)state;
    const struct json *v = ol_get(BOB, 200, G "/groups/" PIER);
    assert_string_equal(text_at(v, "resourceProvisioningOptions.0"), "Team");
    v = ol_get(BOB, 200,
               G "/groups?$filter=resourceProvisioningOptions/Any(x:x%%20eq%%20'Team')&$select=id");
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "POST", G "/groups/" PIER "/members/$ref",
          ol_text("{'@odata.id':'https://graph.microsoft.com/v1.0/directoryObjects/%s'}", eve),
          204);
    assert_string_equal(names_of_team(EVE), "Bob Cyd Eve");
    v = ol_get(EVE, 200, G "/me/joinedTeams");
    assert_string_equal(text_at(v, "value.0.displayName"), "Pier");
    ol_do(BOB, "POST", G "/groups/" PIER "/owners/$ref",
          ol_text("{'@odata.id':'https://graph.microsoft.com/v1.0/users/%s'}", eve), 204);
    v = ol_get(EVE, 200, G "/teams/" PIER "/members");
    assert_string_equal(text_at(v, "value.2.roles.0"), "owner");
    ol_do(BOB, "DELETE", ol_text(G "/groups/" PIER "/members/%s/$ref", cyd), NULL, 204);
    assert_string_equal(names_of_team(EVE), "Bob Eve");
    ol_get(CYD, 403, G "/teams/" PIER "/channels");
    ol_do(BOB, "PATCH", G "/groups/" PIER, "{'displayName':'Quay','description':'Ships'}", 204);
    v = ol_get(EVE, 200, G "/teams/" PIER);
    assert_string_equal(text_at(v, "displayName"), "Quay");
    assert_string_equal(text_at(v, "description"), "Ships");
}

static void the_team_goes_with_its_group(void **state)
{
    (void)state;
    act(BOB, 200, "{'post':{'channel':'Cargo','text':'x'}}");
    ol_do(BOB, "DELETE", G "/groups/" PIER, NULL, 204);
    ol_get(BOB, 404, G "/teams/" PIER);
    const struct json *v = ol_get(BOB, 200, G "/me/joinedTeams");
    assert_int_equal(count_at(v, "value"), 0);
    /* A document of the world does not bring the group back. */
    assert_null(json_get(test_dump(), "microsoftGroups"));
}

static void a_private_channel_keeps_an_owner(void **state)
{
    const struct json *v = ol_get(BOB, 200, G "/teams/" PIER "/members");
    const char *bob = text_at(v, "value.0.id"), *cyd = text_at(v, "value.1.id");
    (void)state;
    ol_do(BOB, "PATCH", ol_text(G "/teams/" PIER "/members/%s", cyd),
          "{'@odata.type':'#microsoft.graph.aadUserConversationMember','roles':['owner']}", 200);
    v = ol_get(CYD, 200, G "/teams/" PIER "/channels/" WAGES "/members");
    assert_int_equal(count_at(v, "value"), 2);
    ol_do(CYD, "DELETE", ol_text(G "/teams/" PIER "/members/%s", bob), NULL, 204);
    v = ol_get(CYD, 200, G "/teams/" PIER "/channels/" WAGES "/members");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.displayName"), "Cyd");
    assert_string_equal(text_at(v, "value.0.roles.0"), "owner");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(people_post_reply_and_react),  TEST(what_cannot_be_done_changes_nothing),
        TEST(people_answer_by_rules),       TEST(a_team_has_the_people_of_its_group),
        TEST(the_team_goes_with_its_group), TEST(a_private_channel_keeps_an_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
