/* SPDX-License-Identifier: Apache-2.0 */
/* All teams of a tenant, copies of teams, many members at once, and answers that quote. */
#include "tests/support/outlook.h"
#include <string.h>

#define PIER  "9a000000-0000-4000-8000-000000000002"
#define QUAY  "9a000000-0000-4000-8000-000000000003"
#define CARGO "19:00000000000000000000000000000001@thread.tacv2"
#define EVE   "eve@port.example"
#define DAN   "dan@port.example"
#define G     "!/v1.0"
#define T     G "/teams/" PIER
#define MAPS  "com.microsoft.teamspace.tab.web"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: dan@port.example, name: Dan}\n"
    "  - {email: eve@port.example, name: Eve}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: dan@port.example, vendor: microsoft}\n"
    "  - {actor: eve@port.example, vendor: microsoft}\n"
    "workspaces: [{domain: port.example, vendor: microsoft}]\n"
    "teams:\n"
    "  - {workspace: port.example, id: " PIER ", name: Pier, description: Boats, members: [{user: "
    "bob@port.example, role: owner}, cyd@port.example, dan@port.example]}\n"
    "  - {workspace: port.example, id: " QUAY ", name: Quay, members: [{user: eve@port.example, "
    "role: owner}]}\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CARGO "', name: Cargo, team: Pier, purpose: Crates}\n"
    "  - {workspace: port.example, name: Safe, team: Pier, kind: private, members: [{user: "
    "bob@port.example, role: owner}]}\n";

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

static void all_teams_of_the_tenant_are_listed(void **state)
{
    const struct json *v = ol_get(CYD, 200, G "/teams");
    (void)state;
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.id"), PIER);
    v = ol_get(CYD, 200, G "/teams?$filter=startswith(displayName,'Q')&$select=id,description");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), QUAY);
    v = ol_get(CYD, 200, G "/teams?$top=1");
    assert_int_equal(count_at(v, "value"), 1);
    const char *next = strstr(json_get_str(v, "@odata.nextLink"), "/v1.0");
    v = ol_do(CYD, "GET", ol_text("!%s", next), NULL, 200);
    assert_string_equal(text_at(v, "value.0.id"), QUAY);
    assert_null(json_get(v, "@odata.nextLink"));
    ol_get(CYD, 400, G "/teams?$orderby=displayName");
}

static void a_team_is_copied_with_the_parts_that_are_asked_for(void **state)
{
    (void)state;
    ol_do(BOB, "PATCH", T, "{'memberSettings':{'allowCreateUpdateChannels':false}}", 204);
    ol_do(BOB, "POST", T "/channels/" CARGO "/tabs",
          "{'displayName':'Chart','teamsApp@odata.bind':'https://graph.microsoft.com/v1.0/"
          "appCatalogs/teamsApps/" MAPS "','configuration':{'contentUrl':'https://x.example'}}",
          201);
    ol_do(BOB, "POST", T "/channels/" CARGO "/messages", "{'body':{'content':'Hello'}}", 201);
    ol_do(BOB, "POST", T "/clone",
          "{'displayName':'Second pier','mailNickname':'second','visibility':'Private',"
          "'partsToClone':'apps,tabs,settings,channels,members'}",
          202);
    const char *where = ol_text("%s", test_header("Location"));
    assert_non_null(strstr(where, "/teams('" PIER "')/operations('"));
    const struct json *v = ol_get(BOB, 200, G "%s", where);
    assert_string_equal(text_at(v, "operationType"), "cloneTeam");
    assert_string_equal(text_at(v, "status"), "succeeded");
    const char *id = text_at(v, "targetResourceId");
    assert_string_not_equal(id, PIER);
    v = ol_get(BOB, 200, G "/teams/%s", id);
    assert_string_equal(text_at(v, "description"), "Second pier");
    assert_string_equal(text_at(v, "visibility"), "private");
    assert_false(true_at(v, "memberSettings.allowCreateUpdateChannels"));
    v = ol_get(BOB, 200, G "/teams/%s/members", id);
    assert_int_equal(count_at(v, "value"), 3);
    v = ol_get(BOB, 200, G "/groups/%s/owners", id);
    assert_int_equal(count_at(v, "value"), 1);
    /* Standard channels without their messages, tabs without their configuration. */
    v = ol_get(BOB, 200, G "/teams/%s/channels", id);
    assert_int_equal(count_at(v, "value"), 2);
    v = ol_get(BOB, 200, G "/teams/%s/channels?$filter=displayName%%20eq%%20'Cargo'", id);
    assert_string_equal(text_at(v, "value.0.description"), "Crates");
    const char *cargo = text_at(v, "value.0.id");
    v = ol_get(BOB, 200, G "/teams/%s/channels/%s/messages", id, cargo);
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_get(BOB, 200, G "/teams/%s/channels/%s/tabs?$expand=teamsApp", id, cargo);
    assert_string_equal(text_at(v, "value.0.displayName"), "Chart");
    assert_string_equal(text_at(v, "value.0.teamsApp.id"), MAPS);
}

static void what_is_not_asked_for_is_not_copied(void **state)
{
    (void)state;
    ol_do(CYD, "POST", T "/clone", "{'displayName':'Bare','partsToClone':'settings'}", 202);
    const char *id = text_at(ol_get(CYD, 200,
                                    G "/me/joinedTeams?$filter=displayName%%20eq%%20'"
                                      "Bare'"),
                             "value.0.id");
    const struct json *v = ol_get(CYD, 200, G "/teams/%s/channels", id);
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(CYD, 200, G "/teams/%s/members", id);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.roles.0"), "owner");
    ol_do(CYD, "POST", T "/clone", "{'partsToClone':'apps'}", 400);
    ol_do(CYD, "POST", T "/clone", "{'displayName':'X','partsToClone':'walls'}", 400);
    ol_do(CYD, "POST", T "/clone", "{'displayName':'X'}", 400);
    ol_do(EVE, "POST", T "/clone", "{'displayName':'X','partsToClone':'apps'}", 403);
}

#define WHO(who)                                                                                   \
    "{'@odata.type':'microsoft.graph.aadUserConversationMember','roles':['owner'],"                \
    "'user@odata.bind':'https://graph.microsoft.com/v1.0/users(\\'" who "\\')'}"

static void many_members_leave_a_team_at_once(void **state)
{
    (void)state;
    ol_do(CYD, "POST", T "/members/remove", ol_text("{'values':[" WHO(DAN) "]}"), 403);
    const struct json *v =
        ol_do(BOB, "POST", T "/members/remove",
              ol_text("{'values':[" WHO(DAN) "," WHO(EVE) "," WHO(BOB) "]}"), 207);
    assert_null(value_at(v, "value.0.error.code"));
    assert_string_equal(text_at(v, "value.1.error.code"), "NotFound");
    assert_string_equal(text_at(v, "value.1.error.message"), "Could not find resource");
    assert_string_equal(text_at(v, "value.2.error.code"), "BadRequest"); /* the last owner */
    v = ol_get(BOB, 200, T "/members");
    assert_int_equal(count_at(v, "value"), 2);
    ol_do(BOB, "POST", T "/members/remove", ol_text("{'values':[" WHO(CYD) "]}"), 204);
    v = ol_get(BOB, 200, G "/groups/" PIER "/members");
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "POST", T "/members/remove", "{'values':[]}", 400);
}

static const char *new_chat(void)
{
    const struct json *v = ol_do(
        BOB, "POST", G "/chats",
        ol_text("{'chatType':'group','topic':'Fog','members':[" WHO(BOB) "," WHO(CYD) "]}"), 201);
    return ol_text("%s", text_at(v, "id"));
}

static void many_people_come_into_a_chat_at_once(void **state)
{
    const char *chat = new_chat();
    (void)state;
    const struct json *v =
        ol_do(BOB, "POST", ol_text(G "/chats/%s/members/add", chat),
              ol_text("{'values':[" WHO(DAN) "," WHO("nobody@port.example") "]}"), 207);
    assert_null(value_at(v, "value.0.error.code"));
    assert_string_equal(text_at(v, "value.1.error.code"), "NotFound");
    v = ol_get(DAN, 200, G "/chats/%s/members", chat);
    assert_int_equal(count_at(v, "value"), 3);
}

static void an_answer_quotes_messages_of_its_chat(void **state)
{
    const char *chat = new_chat();
    (void)state;
    const char *one = ol_text(
        "%s",
        text_at(ol_do(BOB, "POST", ol_text(G "/chats/%s/messages", chat),
                      "{'body':{'contentType':'html','content':'<p>Is <b>it</b> clear?</p>'}}",
                      201),
                "id"));
    const struct json *v = ol_do(
        CYD, "POST", ol_text(G "/chats/%s/messages/replyWithQuote", chat),
        ol_text("{'messageIds':['%s'],'replyMessage':{'body':{'content':'Yes & no'}}}", one), 201);
    assert_string_equal(text_at(v, "attachments.0.id"), one);
    assert_string_equal(text_at(v, "attachments.0.contentType"), "messageReference");
    assert_non_null(strstr(text_at(v, "attachments.0.content"), "Is it clear?"));
    assert_non_null(strstr(text_at(v, "attachments.0.content"), "\"displayName\":\"Bob\""));
    assert_string_equal(text_at(v, "body.contentType"), "html");
    assert_string_equal(text_at(v, "body.content"),
                        ol_text("<attachment id=\"%s\"></attachment>\n<p>Yes &amp; no</p>", one));
    const char *path = ol_text(G "/chats/%s/messages/replyWithQuote", chat);
    ol_do(CYD, "POST", path, "{'messageIds':['1'],'replyMessage':{'body':{'content':'x'}}}", 404);
    ol_do(CYD, "POST", path, "{'messageIds':[null],'replyMessage':{'body':{'content':'x'}}}", 400);
    ol_do(CYD, "POST", path, "{'messageIds':[],'replyMessage':{'body':{'content':'x'}}}", 400);
    ol_do(CYD, "POST", path, ol_text("{'messageIds':['%s']}", one), 400);
    ol_do(CYD, "POST", path, ol_text("{'messageIds':['%s'],'replyMessage':{}}", one), 400);
    ol_do(CYD, "POST", path,
          ol_text("{'messageIds':['%s'],'replyMessage':{'body':{'content':null}}}", one), 400);
    ol_do(DAN, "POST", path,
          ol_text("{'messageIds':['%s'],'replyMessage':{'body':{'content':'x'}}}", one), 403);
    v = ol_get(BOB, 200, G "/chats/%s/messages", chat);
    assert_int_equal(count_at(v, "value"), 2);
}

static const struct json *find(const char *who, const char *query)
{
    return ol_do(who, "POST", G "/search/query",
                 ol_text("{'requests':[{'entityTypes':['chatMessage'],'query':{'queryString':'%s'}}"
                         "]}",
                         query),
                 200);
}

/* The newest first, of chats and channels of the caller's alone. */
static void messages_are_found(void **state)
{
    const char *chat = new_chat();
    (void)state;
    ol_do(BOB, "POST", ol_text(G "/chats/%s/messages", chat), "{'body':{'content':'Fog at sea'}}",
          201);
    ol_do(CYD, "POST", T "/channels/" CARGO "/messages",
          "{'subject':'Ship','body':{'contentType':'html','content':'<p>No <b>fog</b></p>'}}", 201);
    const struct json *v = find(BOB, "fog");
    assert_int_equal(count_at(v, "value.0.hitsContainers.0.hits"), 2);
    v = value_at(v, "value.0.hitsContainers.0.hits.0");
    assert_string_equal(text_at(v, "summary"), "No fog");
    assert_string_equal(text_at(v, "resource.subject"), "Ship");
    assert_string_equal(text_at(v, "resource.channelIdentity.teamId"), PIER);
    assert_string_equal(text_at(v, "resource.from.emailAddress.address"), "cyd@port.example");
    v = find(BOB, "fog from:bob@port.example");
    assert_int_equal(count_at(v, "value.0.hitsContainers.0.hits"), 1);
    assert_string_equal(text_at(v, "value.0.hitsContainers.0.hits.0.resource.chatId"), chat);
    v = find(BOB, "fog sent<2026-11-23");
    assert_int_equal(number_at(v, "value.0.hitsContainers.0.total"), 0);
    v = find(BOB, "fog sent>2026-11-22 NOT sea");
    assert_int_equal(number_at(v, "value.0.hitsContainers.0.total"), 1);
    v = find(DAN, "fog"); /* who is in the team, and not in the chat */
    assert_int_equal(number_at(v, "value.0.hitsContainers.0.total"), 1);
    v = find(EVE, "fog");
    assert_int_equal(number_at(v, "value.0.hitsContainers.0.total"), 0);
}

/* Properties of messages go with AND, OR and NOT like words. */
static void messages_are_found_by_what_they_have(void **state)
{
    static const struct {
        const char *query;
        long n;
    } asked[] = {{"fog", 3},
                 {"fog IsMentioned:true", 1},
                 {"fog NOT IsMentioned:true", 2},
                 {"fog IsMentioned:false", 2},
                 {"fog hasAttachment:true", 1},
                 {"fog hasAttachment:false", 2},
                 {"hasAttachment:true OR IsMentioned:true", 2},
                 {"fog size>1", 0},
                 {"fog sent<9999-12-31", 3},
                 {"fog sent>9999-12-30", 0},
                 {"fog AND", 3},
                 {"fog OR", 3},
                 {"fog NOT", 3}};
    const char *chat = new_chat(), *path = ol_text(G "/chats/%s/messages", chat);
    (void)state;
    ol_do(CYD, "POST", path, "{'body':{'content':'fog'}}", 201);
    const char *id = ol_text("%s", text_at(ol_get(BOB, 200, G "/users/" BOB), "id"));
    ol_do(CYD, "POST", path,
          ol_text("{'body':{'contentType':'html','content':'fog <at id=\\'0\\'>Bob</at>'},"
                  "'mentions':[{'id':0,'mentionText':'Bob','mentioned':{'user':{'id':'%s',"
                  "'displayName':'Bob','userIdentityType':'aadUser'}}}]}",
                  id),
          201);
    ol_do(CYD, "POST", path,
          "{'body':{'contentType':'html','content':'fog <attachment id=\\'1\\'></attachment>'},"
          "'attachments':[{'id':'1','contentType':'reference','contentUrl':"
          "'https://port.example/a.docx','name':'a.docx'}]}",
          201);
    for (size_t i = 0; i < SOSIA_LEN(asked); i++)
        if (number_at(find(BOB, asked[i].query), "value.0.hitsContainers.0.total") != asked[i].n)
            fail_msg("%s: %s", asked[i].query, test_body);
    char deep[70];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    ol_do(BOB, "POST", G "/search/query",
          ol_text("{'requests':[{'entityTypes':['chatMessage'],'query':{'queryString':'%s'}}]}",
                  deep),
          400);
}

/* 256 characters, whatever their bytes. */
static void names_of_teams_count_in_characters(void **state)
{
    char name[3 * 256 + 1] = "";
    (void)state;
    for (int i = 0; i < 256; i++)
        strcat(name, "\xe6\xb8\xaf");
    ol_do(BOB, "POST", T "/clone", ol_text("{'displayName':'%s','partsToClone':'apps'}", name),
          202);
    ol_do(BOB, "POST", T "/clone", ol_text("{'displayName':'%sx','partsToClone':'apps'}", name),
          400);
}

/* A document's message brings its author into the tenant's workspace, where he comes before one
 * of his name who is deleted. */
static void who_comes_with_a_message_is_meant_by_the_next(void **state)
{
    static const char text[] =
        "sosia: 1\n"
        "time: 2026-11-23T08:00:00Z\n"
        "organizations: [{domain: sea.example, name: Sea}]\n"
        "people:\n"
        "  - {email: bob@sea.example, name: Bob}\n"
        "  - {email: x+y@sea.example, name: New}\n"
        "  - {email: z@sea.example, name: Old}\n"
        "accounts:\n"
        "  - {actor: bob@sea.example, vendor: microsoft}\n"
        "  - {actor: x+y@sea.example, vendor: microsoft}\n"
        "  - {actor: z@sea.example, vendor: microsoft}\n"
        "workspaces: [{domain: sea.example, vendor: microsoft, members: [{actor: "
        "z@sea.example, "
        "id: 11111111-1111-4111-8111-111111111111, name: xy, deleted: true}]}]\n"
        "teams: [{workspace: sea.example, name: Pier, members: [bob@sea.example]}]\n"
        "channels: [{workspace: sea.example, name: Cargo, team: Pier}]\n"
        "messages:\n"
        "  - {workspace: sea.example, channel: Cargo, from: xy, at: '2026-11-20T09:00', text: "
        "a}\n"
        "  - {workspace: sea.example, channel: Cargo, from: x+y@sea.example, at: "
        "'2026-11-20T09:01', text: b}\n"
        "  - {workspace: sea.example, channel: Cargo, from: xy, at: '2026-11-20T09:02', text: "
        "c}\n";
    const char *from[3], *p;
    struct sosia_blob blob;
    size_t n = 0;
    (void)state;
    uint64_t world = test_world_of(text);
    assert_int_equal(sosia_world_dump(test_engine, world, &blob, &test_err), 0);
    for (p = strstr(blob.data, "\"messages\""); p && n < 3 && (p = strstr(p, "\"from\": ")); n++)
        from[n] = p += strlen("\"from\": ");
    assert_int_equal(n, 3);
    assert_int_equal(strncmp(from[0], "\"11111111-", 10), 0);
    assert_int_not_equal(strncmp(from[1], "\"11111111-", 10), 0);
    assert_int_equal(strncmp(from[2], from[1], 38), 0);
    sosia_blob_free(&blob);
    assert_int_equal(sosia_world_drop(test_engine, world, &test_err), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(all_teams_of_the_tenant_are_listed),
        TEST(a_team_is_copied_with_the_parts_that_are_asked_for),
        TEST(what_is_not_asked_for_is_not_copied),
        TEST(many_members_leave_a_team_at_once),
        TEST(many_people_come_into_a_chat_at_once),
        TEST(an_answer_quotes_messages_of_its_chat),
        TEST(messages_are_found),
        TEST(messages_are_found_by_what_they_have),
        TEST(names_of_teams_count_in_characters),
        TEST(who_comes_with_a_message_is_meant_by_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
