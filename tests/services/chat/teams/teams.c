/* SPDX-License-Identifier: Apache-2.0 */
/* Teams beside Slack in one world: who may do what, seed documents, deltas, history, HTML, diffs.
 */
#include "engine/http/call.h"
#include "services/chat/teams/teams.h"
#include "tests/support/outlook.h"

#define APP    "11111111-0000-4000-8000-000000000001"
#define TENANT "7c0f0000-0000-4000-8000-000000000001"
#define PIER   "9a000000-0000-4000-8000-000000000002"
#define CARGO  "19:00000000000000000000000000000001@thread.tacv2"
#define PLACE  "!/v1.0/teams/" PIER "/channels/" CARGO "/messages"
#define EVE    "eve@port.example"

/* Bob has a workspace of Slack's too, which is behind that of the tenant. */
static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "handshakes: accepted\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: eve@port.example, name: Eve}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: eve@port.example, vendor: microsoft}\n"
    "apps:\n"
    "  - {client_id: " APP ", client_secret: s1, name: Daemon, kind: web, vendor: microsoft,\n"
    "     redirect_uris: ['https://app.example/cb']}\n"
    "microsoftTenants: [{domain: port.example, id: " TENANT "}]\n"
    "microsoftApps: [{app: " APP ", tenant: port.example, application: 'ChannelMessage.Read.All "
    "Chat.Read.All Chat.ReadWrite.All Group.ReadWrite.All'}]\n"
    "workspaces:\n"
    "  - {domain: port.example, vendor: microsoft}\n"
    "  - {domain: port, members: [{actor: bob@port.example, id: U0BOB, role: owner}]}\n"
    "teams:\n"
    "  - {workspace: port.example, id: " PIER ", name: Pier, properties: {memberSettings: "
    "{allowCreateUpdateChannels: false}},\n"
    "     members: [{user: bob@port.example, role: owner}, cyd@port.example]}\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CARGO "', name: Cargo, team: Pier}\n"
    "  - {workspace: port.example, name: Wages, kind: private, team: Pier, members: "
    "[bob@port.example]}\n"
    "  - {workspace: port.example, kind: direct, members: [bob@port.example, cyd@port.example]}\n"
    "  - {workspace: port.example, kind: group, topic: Night, members: [bob@port.example, "
    "cyd@port.example]}\n"
    "  - {workspace: port.example, kind: group, topic: Day, members: [bob@port.example, "
    "cyd@port.example]}\n"
    "  - {workspace: port, id: C0GENERAL, name: general, general: true}\n"
    "messages:\n"
    "  - {workspace: port.example, channel: '" CARGO "', from: cyd@port.example,\n"
    "     at: '2026-11-20T09:00:00.0004', subject: Ship, text: '<p>Late</p>', reactions: [{name: "
    "\"\\U0001F44D\", by: [bob@port.example]}],\n"
    "     replies: [{from: bob@port.example, at: '2026-11-20T09:00:00.0004', text: Aye}]}\n"
    "  - {workspace: port, channel: C0GENERAL, from: U0BOB, at: '2026-11-20T09:00', text: Hi}\n"
    "presences: [{workspace: port.example, user: bob@port.example, session: Busy/InACall, "
    "session_until: '2026-11-24T00:00:00Z'}]\n";

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

/* ---- who may ---- */

static const struct json *as_app(const char *method, const char *target, const char *body)
{
    static const char form[] = "grant_type=client_credentials&client_id=" APP
                               "&client_secret=s1&scope=https%3A%2F%2Fgraph.microsoft.com%2F."
                               "default";
    const struct sosia_header asks[] = {{"Host", "login.microsoftonline.com"},
                                        {"Content-Type", "application/x-www-form-urlencoded"}};
    const struct json *v =
        test_request("POST", "/" TENANT "/oauth2/v2.0/token", asks, 2, form, strlen(form));
    const struct sosia_header headers[] = {
        {"Host", GRAPH_HOST},
        {"Authorization", ol_text("Bearer %s", text_at(v, "access_token"))},
        {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    return test_request(method, target, headers, 3, text, strlen(text));
}

static void refused(int status, const char *code)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status || strcmp(text_at(v, "error.code"), code) != 0)
        fail_msg("expected %d %s, got %d %s", status, code, test_status, test_body);
}

static const char *chat_of(const char *type)
{
    const struct json *v =
        ol_get(BOB, 200, "/chats?$filter=chatType%%20eq%%20'%s'&$orderby=id", type);
    return text_at(v, "value.0.id");
}

static void apps_read_and_do_not_post(void **state)
{
    const struct json *v = as_app("GET", "/v1.0/teams/" PIER "/channels/" CARGO "/messages", NULL);
    (void)state;
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(v, "value"), 1);
    as_app("POST", "/v1.0/teams/" PIER "/channels/" CARGO "/messages", "{'body':{'content':'x'}}");
    refused(401, "Unauthorized");
    as_app("POST", ol_text("/v1.0/chats/%s/messages", chat_of("oneOnOne")),
           "{'body':{'content':'x'}}");
    refused(403, "Forbidden"); /* ChatMessage.Send is for people */
    v = as_app("GET", "/v1.0/teams/" PIER "/channels/getAllMessages", NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(v, "value"), 2);
    as_app("GET", "/v1.0/users/bob@port.example/chats/getAllMessages", NULL);
    assert_int_equal(test_status, 200);
    as_app("GET", "/v1.0/me/joinedTeams", NULL);
    refused(400, "BadRequest");
}

static void members_do_what_the_settings_say(void **state)
{
    (void)state;
    ol(CYD, "POST", "!/v1.0/teams/" PIER "/channels", "{'displayName':'Fuel'}");
    refused(403, "Forbidden");
    ol_do(BOB, "POST", "!/v1.0/teams/" PIER "/channels", "{'displayName':'Fuel'}", 201);
    const struct json *v = ol_do(CYD, "GET", "!/v1.0/teams/" PIER "/channels", NULL, 200);
    assert_string_equal(column(v, "value", "displayName"), "Cargo Fuel General");
    v = ol_do(BOB, "GET", "!/v1.0/teams/" PIER "/channels", NULL, 200);
    assert_int_equal(count_at(v, "value"), 4);
    ol(EVE, "GET", "!/v1.0/teams/" PIER, NULL);
    refused(403, "Forbidden");
    ol(EVE, "GET", ol_text("!/v1.0/chats/%s", chat_of("oneOnOne")), NULL);
    refused(403, "Forbidden");
    ol(CYD, "POST", PLACE "/1763629200000/softDelete", NULL);
    v = ol_do(CYD, "GET", PLACE, NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
}

static void the_last_owner_stays(void **state)
{
    const struct json *v = ol_do(BOB, "GET", "!/v1.0/teams/" PIER "/members?$filter=x", NULL, 400);
    (void)state;
    v = ol_do(BOB, "GET", "!/v1.0/teams/" PIER "/members", NULL, 200);
    const char *owner = text_at(v, "value.0.id");
    ol(BOB, "DELETE", ol_text("!/v1.0/teams/" PIER "/members/%s", owner), NULL);
    refused(400, "BadRequest");
    ol(BOB, "PATCH", ol_text("!/v1.0/teams/" PIER "/members/%s", owner), "{'roles':[]}");
    refused(400, "BadRequest");
}

/* A team's members are those of its group. */
static void a_team_is_a_group(void **state)
{
    const struct json *v =
        ol_do(BOB, "GET", "!/v1.0/groups/" PIER "/members?$select=id", NULL, 200);
    (void)state;
    assert_int_equal(count_at(v, "value"), 2);
    v = ol_do(BOB, "POST", "!/v1.0/teams/" PIER "/members",
              "{'@odata.type':'#microsoft.graph.aadUserConversationMember','roles':[],"
              "'user@odata.bind':'https://graph.microsoft.com/v1.0/users/eve@port.example'}",
              201);
    const char *id = text_at(v, "id");
    v = ol_do(BOB, "GET", "!/v1.0/groups/" PIER "/members?$select=id", NULL, 200);
    assert_int_equal(count_at(v, "value"), 3);
    v = ol_do(EVE, "GET", "/joinedTeams", NULL, 200);
    assert_string_equal(column(v, "value", "displayName"), "Pier");
    ol_do(EVE, "DELETE", ol_text("!/v1.0/teams/" PIER "/members/%s", id), NULL, 204);
    v = ol_do(BOB, "GET", "!/v1.0/groups/" PIER "/members?$select=id", NULL, 200);
    assert_int_equal(count_at(v, "value"), 2);
}

/* ---- beside Slack ---- */

static const struct json *slack(const char *method)
{
    const struct sosia_header headers[] = {{"Host", "slack.com"},
                                           {"Authorization", test_bearer(BOB, NULL)}};
    return test_request("GET", ol_text("/api/%s", method), headers, 2, "", 0);
}

static void slack_sees_its_own_workspace(void **state)
{
    const struct json *v = slack("auth.test");
    (void)state;
    assert_string_equal(text_at(v, "user_id"), "U0BOB");
    v = slack("conversations.list");
    assert_string_equal(column(v, "channels", "name"), "general");
    v = slack("conversations.info?channel=" CARGO);
    assert_string_equal(text_at(v, "error"), "channel_not_found");
    v = slack("search.messages?query=Late");
    assert_int_equal(number_at(v, "messages.total"), 0);
}

/* ---- documents ---- */

static void a_world_of_its_own_dump_answers_the_same(void **state)
{
    (void)state;
    ol_do(CYD, "POST", PLACE,
          "{'body':{'contentType':'html','content':'<img src=../hostedContents/1/$value>'},"
          "'hostedContents':[{'@microsoft.graph.temporaryId':'1','contentBytes':'iVBORw0KGgo=',"
          "'contentType':'image/png'}],'importance':'urgent'}",
          201);
    const struct json *v = ol_do(BOB, "GET", PLACE "?$expand=replies", NULL, 200);
    const char *before = ol_text("%s", test_body);
    const char *id = text_at(v, "value.1.id");
    ol_do(BOB, "POST", ol_text(PLACE "/%s/softDelete", id), NULL, 204);
    ol_do(BOB, "POST", ol_text(PLACE "/%s/undoSoftDelete", id), NULL, 204);
    ol_do(BOB, "GET", PLACE "?$expand=replies", NULL, 200);
    assert_string_not_equal(before, test_body); /* the etag is another one */
    before = ol_text("%s", test_body);
    ol_do(BOB, "GET", "/chats?$expand=members,lastMessagePreview", NULL, 200);
    const char *chats = ol_text("%s", test_body);
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    ol_do(BOB, "GET", PLACE "?$expand=replies", NULL, 200);
    assert_string_equal(test_body, before);
    ol_do(BOB, "GET", "/chats?$expand=members,lastMessagePreview", NULL, 200);
    assert_string_equal(test_body, chats);
    v = ol_do(BOB, "GET", "/presence", NULL, 200);
    assert_string_equal(text_at(v, "activity"), "InACall");
}

static void two_messages_of_one_instant_have_two_ids(void **state)
{
    const struct json *v = ol_do(BOB, "GET", PLACE "?$expand=replies", NULL, 200);
    (void)state;
    assert_string_equal(text_at(v, "value.0.id"), "1795165200000");
    assert_string_equal(text_at(v, "value.0.replies.0.id"), "1795165200001");
    assert_string_equal(text_at(v, "value.0.replies.0.replyToId"), "1795165200000");
}

/* ---- deltas and history ---- */

static const char *link_at(const struct json *v, const char *member)
{
    const char *url = json_get_str(v, member);
    assert_non_null(url);
    return ol_text("!%s", strstr(url, "/v1.0/"));
}

static void a_delta_has_what_came_since(void **state)
{
    const struct json *v = ol_do(BOB, "GET", PLACE "/delta", NULL, 200);
    (void)state;
    assert_int_equal(count_at(v, "value"), 1);
    const char *link = link_at(v, "@odata.deltaLink");
    v = ol_do(BOB, "GET", link, NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    ol_do(CYD, "POST", PLACE, "{'body':{'content':'one'}}", 201);
    ol_do(CYD, "POST", PLACE, "{'body':{'content':'two'}}", 201);
    ol_do(BOB, "POST", PLACE "/1795165200000/setReaction", "{'reactionType':'like'}", 204);
    v = ol_do(BOB, "GET", link, NULL, 200);
    assert_string_equal(column(v, "value", "body.content"), "one two <p>Late</p>");
    v = ol_do(BOB, "GET", PLACE "/delta?$top=2", NULL, 200);
    assert_int_equal(count_at(v, "value"), 2);
    v = ol_do(BOB, "GET", link_at(v, "@odata.nextLink"), NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_non_null(json_get_str(v, "@odata.deltaLink"));
    ol(CYD, "GET", PLACE "/delta?$deltatoken=forged", NULL);
    refused(400, "BadRequest");
    /* A token is of its channel. */
    const char *token = strstr(link, "?");
    ol(BOB, "GET", ol_text("!/v1.0/chats/%s/messages/delta%s", chat_of("oneOnOne"), token), NULL);
    refused(400, "BadRequest");
}

static void a_new_member_sees_what_comes_from_then_on(void **state)
{
    const char *chat = chat_of("group");
    (void)state;
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/messages", chat), "{'body':{'content':'old'}}",
          201);
    test_advance(60);
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/members", chat),
          "{'roles':['owner'],'user@odata.bind':'https://graph.microsoft.com/v1.0/users/"
          "eve@port.example'}",
          201);
    test_advance(60);
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/messages", chat), "{'body':{'content':'new'}}",
          201);
    const struct json *v = ol_do(EVE, "GET", ol_text("!/v1.0/chats/%s/messages", chat), NULL, 200);
    assert_string_equal(text_at(v, "value.0.body.content"), "new");
    assert_null(strstr(test_body, "old"));
    v = ol_do(EVE, "GET", ol_text("!/v1.0/chats/%s/messages/delta", chat), NULL, 200);
    assert_null(strstr(test_body, "old"));
    v = ol_do(CYD, "GET", ol_text("!/v1.0/chats/%s/messages", chat), NULL, 200);
    assert_non_null(strstr(test_body, "old"));
}

static void groups_of_the_same_people_are_several(void **state)
{
    const struct json *v = ol_get(BOB, 200, "/chats");
    (void)state;
    assert_int_equal(count_at(v, "value"), 3);
}

static void a_subscription_is_notified_of_messages(void **state)
{
    (void)state;
    ol(EVE, "POST", "!/v1.0/subscriptions",
       "{'changeType':'created','notificationUrl':'https://app.example/n','resource':'/teams/" PIER
       "/channels/" CARGO "/messages','expirationDateTime':'2026-11-23T08:50:00Z'}");
    refused(403, "Forbidden");
    ol_do(CYD, "POST", "!/v1.0/subscriptions",
          "{'changeType':'created,updated,deleted','notificationUrl':'https://app.example/n',"
          "'resource':'/teams/" PIER "/channels/" CARGO "/messages','expirationDateTime':"
          "'2026-11-23T08:50:00Z','clientState':'s'}",
          201);
    const struct json *v = ol_do(BOB, "POST", PLACE, "{'body':{'content':'one'}}", 201);
    const char *id = text_at(v, "id");
    ol_do(CYD, "POST", ol_text(PLACE "/%s/setReaction", id), "{'reactionType':'like'}", 204);
    ol_do(BOB, "POST", ol_text(PLACE "/%s/softDelete", id), NULL, 204);
    const char *out = json_to_text(&test_arena, test_outbox());
    const char *created = strstr(out, "created");
    assert_non_null(created);
    assert_non_null(strstr(created, "updated"));
    assert_non_null(strstr(created, "deleted"));
    assert_non_null(
        strstr(out, ol_text("teams('" PIER "')/channels('" CARGO "')/messages('%s')", id)));
    assert_non_null(strstr(out, "#Microsoft.Graph.chatMessage"));
}

/* ---- HTML ---- */

static void html_is_cleaned(void **state)
{
    static const char *const texts[][2] = {
        {"<p>Hello</p>", "<p>Hello</p>"},
        {"a < b", "a &lt; b"},
        {"<script>x</script>y", "y"},
        {"<SCRIPT src=x>x</ScRiPt>y", "y"},
        {"<script>x", ""},
        {"<b onclick=\"x\">y</b>", "<b>y</b>"},
        {"<b class=\"c\" ONCLICK='x' id=i>y</b>", "<b class=\"c\" id=\"i\">y</b>"},
        {"<a href=\"https://x.example/?a=1&amp;b=2\">y</a>",
         "<a href=\"https://x.example/?a=1&amp;b=2\">y</a>"},
        {"<a href=\"javascript:x\">y</a>", "<a>y</a>"},
        {"<a href=\" java\tscript:x\">y</a>", "<a>y</a>"},
        {"<a href=\"&#106;avascript:x\">y</a>", "<a>y</a>"},
        {"<a href=data:text/html,x>y</a>", "<a>y</a>"},
        {"<img src=../hostedContents/1/$value>", "<img src=\"../hostedContents/1/$value\">"},
        {"<img src=x onerror=y/>", "<img src=\"x\">"},
        {"<form><input value=1>y</form>", "y"},
        {"<svg><script>x</script></svg>y", "y"},
        {"a<!-- b -->c", "ac"},
        {"a<!-- b", "a"},
        {"<b title=\"<script>\">y</b>", "<b title=\"&lt;script&gt;\">y</b>"},
        {"<span style=\"color: red\">y</span>", "<span style=\"color: red\">y</span>"},
        {"<span style=\"width: expression(x)\">y</span>", "<span>y</span>"},
        {"<at id=\"0\">Bob</at>", "<at id=\"0\">Bob</at>"},
        {"b><img src=xy=\"<!--a \"a '-->", "b><img>"},
        {"<b", ""},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        assert_string_equal(teams_clean_html(&test_arena, texts[i][0], strlen(texts[i][0])),
                            texts[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
        TEST(apps_read_and_do_not_post),
        TEST(members_do_what_the_settings_say),
        TEST(the_last_owner_stays),
        TEST(a_team_is_a_group),
        TEST(slack_sees_its_own_workspace),
        TEST(a_world_of_its_own_dump_answers_the_same),
        TEST(two_messages_of_one_instant_have_two_ids),
        TEST(a_delta_has_what_came_since),
        TEST(a_new_member_sees_what_comes_from_then_on),
        TEST(groups_of_the_same_people_are_several),
        TEST(a_subscription_is_notified_of_messages),
        TEST(html_is_cleaned),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
