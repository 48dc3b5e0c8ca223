/* SPDX-License-Identifier: Apache-2.0 */
/* Teams where callers go too far: forged tokens, chats of another tenant, what was before a
 * member's history, private channels, archived teams, HTML that hides something. */
#include "engine/http/call.h"
#include "services/chat/teams/teams.h"
#include "tests/support/hook.h"
#include "tests/support/mail.h"
#include "tests/support/outlook.h"

#define NEAR   "11111111-0000-4000-8000-000000000001"
#define FAR    "11111111-0000-4000-8000-000000000002"
#define TENANT "7c0f0000-0000-4000-8000-000000000001"
#define OTHER  "7c0f0000-0000-4000-8000-000000000002"
#define PIER   "9a000000-0000-4000-8000-000000000002"
#define CARGO  "19:00000000000000000000000000000001@thread.tacv2"
#define PAIR   "19:00000000000000000000000000000003@unq.gbl.spaces"
#define TEAM   "!/v1.0/teams/" PIER
#define PLACE  TEAM "/channels/" CARGO "/messages"
#define SHIP   PLACE "/1795165200000"
#define EVE    "eve@port.example"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "handshakes: accepted\n"
    "organizations: [{domain: port.example, name: Port}, {domain: lake.example, name: Lake}]\n"
    "people:\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: eve@port.example, name: Eve}\n"
    "  - {email: dan@lake.example, name: Dan}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: eve@port.example, vendor: microsoft}\n"
    "  - {actor: dan@lake.example, vendor: microsoft}\n"
    "apps:\n"
    "  - {client_id: " NEAR ", client_secret: s1, name: Near, kind: web, vendor: microsoft,\n"
    "     redirect_uris: ['https://app.example/cb']}\n"
    "  - {client_id: " FAR ", client_secret: s1, name: Far, kind: web, vendor: microsoft,\n"
    "     redirect_uris: ['https://app.example/cb']}\n"
    "microsoftTenants: [{domain: port.example, id: " TENANT "}, {domain: lake.example, id: " OTHER
    "}]\n"
    "microsoftApps:\n"
    "  - {app: " NEAR ", tenant: port.example, application: 'ChannelMessage.Read.All "
    "Chat.Read.All'}\n"
    "  - {app: " FAR ", tenant: lake.example, application: 'ChannelMessage.Read.All "
    "Chat.Read.All'}\n"
    "workspaces: [{domain: port.example, vendor: microsoft}]\n"
    "teams:\n"
    "  - {workspace: port.example, id: " PIER ", name: Pier, members: [{user: bob@port.example, "
    "role: owner}, cyd@port.example]}\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CARGO "', name: Cargo, team: Pier}\n"
    "  - {workspace: port.example, id: '" PAIR "', kind: direct, members: [bob@port.example, "
    "cyd@port.example]}\n"
    "  - {workspace: port.example, kind: group, topic: Night, members: [bob@port.example, "
    "cyd@port.example]}\n"
    "messages:\n"
    "  - {workspace: port.example, channel: '" CARGO "', from: cyd@port.example,\n"
    "     at: '2026-11-20T09:00', text: Late, reactions: [{name: \"\\U0001F44D\", by: "
    "[bob@port.example]}]}\n"
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

static void refused(int status, const char *code)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status || strcmp(text_at(v, "error.code"), code) != 0)
        fail_msg("expected %d %s, got %d %s", status, code, test_status, test_body);
}

static const char *night(void)
{
    return text_at(ol_get(BOB, 200, "/chats?$filter=chatType%%20eq%%20'group'"), "value.0.id");
}

/* ---- tokens ---- */

/* The purpose of a delta's token, which has the channel's number: a small one, so that it is
 * guessed. */
static const char *purpose_of(const char *token)
{
    const char *text;
    for (int i = 1; i < 1000; i++) {
        const char *purpose = ol_text("teams delta %d 0", i);
        if (graph_unseal(&test_arena, purpose, token, &text) == 1)
            return purpose;
    }
    fail_msg("the token has another purpose");
    return NULL;
}

static void forged_deltas_are_refused(void **state)
{
    static const char *const places[] = {
        "0 -9223372036854775808 100000", "0 -9223372036854775808 51", "0 -9223372036854775808 0",
        "0 -9223372036854775808 -1",     "-1 -9223372036854775808 1", "0 -9223372036854775808"};
    (void)state;
    for (int i = 0; i < 60; i++)
        ol_do(CYD, "POST", PLACE, "{'body':{'content':'x'}}", 201);
    const struct json *v = ol_do(BOB, "GET", PLACE "/delta", NULL, 200);
    const char *purpose =
        purpose_of(strstr(json_get_str(v, "@odata.nextLink"), "token=") + strlen("token="));
    for (size_t i = 0; i <= SOSIA_LEN(places); i++) {
        const bool good = i == SOSIA_LEN(places);
        const struct odata_pair pairs[] = {{"p", good ? "0 -9223372036854775808 50" : places[i]},
                                           {"s", ""}};
        ol(BOB, "GET",
           ol_text(PLACE "/delta?$skiptoken=%s",
                   graph_seal(&test_arena, purpose, odata_pack(&test_arena, pairs, 2))),
           NULL);
        if (!good)
            refused(400, "BadRequest");
        else
            assert_int_equal(test_status, 200);
    }
}

static void forged_pages_are_refused(void **state)
{
    static const char *const pages[][2] = {
        {TEAM "/members", "teams members"},
        {"/chats", "teams chats"},
        {PLACE, "teams messages"},
        {"!/v1.0/chats/" PAIR "/messages", "teams chat messages"}};
    static const char *const numbers[] = {"9223372036854775807", "0", "-1", "x"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(pages); i++) {
        for (size_t k = 0; k < SOSIA_LEN(numbers); k++) {
            ol(BOB, "GET",
               ol_text("%s?$skiptoken=%s", pages[i][0],
                       graph_seal(&test_arena, pages[i][1], numbers[k])),
               NULL);
            refused(400, "BadRequest");
        }
        ol_do(BOB, "GET",
              ol_text("%s?$skiptoken=%s", pages[i][0], graph_seal(&test_arena, pages[i][1], "7")),
              NULL, 200);
    }
}

/* ---- HTML ---- */

static void readers_agree_about_tags(void **state)
{
    static const char *const texts[][2] = {
        {"<a href=x=\"><script>alert(1)</script>\">y</a>", "<a>\">y</a>"},
        {"<a href= \"x>\" onclick=alert(1)>y</a>", "<a>y</a>"},
        {"<b title='a\"b' onclick='x'>y</b>", "<b title=\"a&quot;b\">y</b>"},
        {"<b title=a/b/>y</b>", "<b title=\"a/b/\">y</b>"},
        {"<b title = a>y</b>", "<b title=\"a\">y</b>"},
        {"<b title=\"a\"onclick=\"x\">y</b>", "<b title=\"a\">y</b>"},
        {"<b/onclick=x>y</b>", "<b>y</b>"},
        {"<b title=\"x", ""},
        {"<br/><br /><hr>", "<br/><br/><hr>"},
        {"<scr<b></b>ipt>y", "</b>ipt>y"},
        {"<b <script>x", "<b>x"},
        {"<b \"onclick=x>y", "<b>y"},
        {"I <3 you </ b>", "I &lt;3 you &lt;/ b>"},
        {"<span style=\"background: u&#114;l(x)\">y</span>", "<span>y</span>"},
        {"<span style='font-family: \"A\"'>y</span>",
         "<span style=\"font-family: &quot;A&quot;\">y</span>"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        assert_string_equal(teams_clean_html(&test_arena, texts[i][0], strlen(texts[i][0])),
                            texts[i][1]);
    /* Each '<' is looked at once: a megabyte of them would else take an hour. */
    const size_t n = 1 << 20;
    char *many = arena_alloc(&test_arena, n);
    memset(many, '<', n);
    assert_int_equal(strlen(teams_clean_html(&test_arena, many, n)), 4 * n);
}

/* A card counts in the size of its message. */
static void cards_are_bounded(void **state)
{
    enum { MEGABYTE = 1 << 20 };
    static const char head[] =
        "{'body':{'contentType':'html','content':'<attachment id=1></attachment>'},"
        "'attachments':[{'id':'1','contentType':'application/vnd.microsoft.card.adaptive',"
        "'content':'{";
    static const char tail[] = "}'}]}";
    (void)state;
    for (int i = 0; i < 2; i++) {
        const size_t n = i ? 20000 : MEGABYTE;
        char *text = arena_alloc(&test_arena, sizeof head + n + sizeof tail);
        memcpy(text, head, sizeof head - 1);
        memset(text + sizeof head - 1, ' ', n);
        memcpy(text + sizeof head - 1 + n, tail, sizeof tail);
        ol(CYD, "POST", PLACE, text);
        if (!i)
            refused(413, "RequestEntityTooLarge");
        else if (test_status != 201)
            fail_msg("%d %s", test_status, test_body);
    }
}

static void mentions_have_their_markers(void **state)
{
#define MENTION(id)                                                                                \
    "{'id':" id ",'mentionText':'Bob','mentioned':{'user':{'id':'bob@port.example'}}}"
    (void)state;
    ol_do(CYD, "POST", PLACE,
          "{'body':{'contentType':'html','content':'<at id=0>Bob</at> <at id=1>Bob</at>'},"
          "'mentions':[" MENTION("0") "," MENTION("1") "]}",
          201);
    ol(CYD, "POST", PLACE,
       "{'body':{'contentType':'html','content':'<at id=0>Bob</at>'},'mentions':[" MENTION(
           "0") "," MENTION("0") "]}");
    refused(400, "BadRequest");
    ol(CYD, "POST", PLACE,
       "{'body':{'contentType':'html','content':'<at data-id=0>Bob</at>'},'mentions':[" MENTION(
           "0") "]}");
    refused(400, "BadRequest");
}

/* ---- subscriptions ---- */

static const struct json *call_with(const char *token, const char *method, const char *target,
                                    const char *body)
{
    const struct sosia_header headers[] = {
        {"Host", GRAPH_HOST}, {"Authorization", token}, {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    return test_request(method, target, headers, 3, text, strlen(text));
}

static const char *app_token(const char *app, const char *tenant)
{
    const char *form = ol_text("grant_type=client_credentials&client_id=%s&client_secret=s1&"
                               "scope=https%%3A%%2F%%2Fgraph.microsoft.com%%2F.default",
                               app);
    const struct sosia_header asks[] = {{"Host", "login.microsoftonline.com"},
                                        {"Content-Type", "application/x-www-form-urlencoded"}};
    const struct json *v =
        test_request("POST", ol_text("/%s/oauth2/v2.0/token", tenant), asks, 2, form, strlen(form));
    return ol_text("Bearer %s", text_at(v, "access_token"));
}

static int watch_more(const char *token, const char *resource, const char *more)
{
    call_with(token, "POST", "/v1.0/subscriptions",
              ol_text("{'changeType':'created,updated','notificationUrl':'https://app.example/n',"
                      "'resource':'%s','expirationDateTime':'2026-11-23T08:50:00Z'%s}",
                      resource, more));
    return test_status;
}

static int watch(const char *token, const char *resource)
{
    return watch_more(token, resource, "");
}

static void apps_watch_their_own_tenant(void **state)
{
    static const char *const places[] = {"/chats/" PAIR "/messages",
                                         "/teams/" PIER "/channels/" CARGO "/messages"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(places); i++) {
        assert_int_equal(watch(app_token(FAR, OTHER), places[i]), 404);
        assert_int_equal(watch(app_token(NEAR, TENANT), places[i]), 201);
    }
}

static void each_kind_has_its_scopes(void **state)
{
    static const struct {
        const char *scopes;
        int chat, data, channel;
    } cases[] = {{"Chat.ReadBasic", 201, 403, 403},
                 {"Chat.Read", 201, 201, 403},
                 {"ChannelMessage.Read.All", 403, 403, 201}};
    const char *data = ol_text(",'includeResourceData':true,'encryptionCertificate':'%s',"
                               "'encryptionCertificateId':'mine'",
                               hook_certificate());
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *token = test_bearer(BOB, cases[i].scopes);
        assert_int_equal(watch(token, "/chats/" PAIR "/messages"), cases[i].chat);
        assert_int_equal(watch_more(token, "/chats/" PAIR "/messages", data), cases[i].data);
        assert_int_equal(watch(token, "/teams/" PIER "/channels/" CARGO "/messages"),
                         cases[i].channel);
    }
}

/* ---- a member's history ---- */

/* Bob's message in the chat, before Eve comes into it. */
static const char *before_eve(const char *chat)
{
    const struct json *v = ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/messages", chat),
                                 "{'body':{'content':'old'}}", 201);
    const char *id = text_at(v, "id");
    test_advance(60);
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/members", chat),
          "{'roles':['owner'],'user@odata.bind':'https://graph.microsoft.com/v1.0/users/"
          "eve@port.example'}",
          201);
    return id;
}

static void a_watch_keeps_to_the_history(void **state)
{
    const char *chat = night(), *old = before_eve(chat);
    (void)state;
    test_advance(60);
    assert_int_equal(watch(test_bearer(EVE, "Chat.Read"), ol_text("/chats/%s/messages", chat)),
                     201);
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/messages/%s/setReaction", chat, old),
          "{'reactionType':'like'}", 204);
    assert_null(strstr(json_to_text(&test_arena, test_outbox()), ol_text("messages('%s')", old)));
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/messages", chat), "{'body':{'content':'new'}}",
          201);
    assert_non_null(strstr(json_to_text(&test_arena, test_outbox()), "/messages('"));
    assert_int_equal(watch(test_bearer(CYD, "Chat.Read"), ol_text("/chats/%s/messages", chat)),
                     201);
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/messages/%s/setReaction", chat, old),
          "{'reactionType':'heart'}", 204);
    assert_non_null(
        strstr(json_to_text(&test_arena, test_outbox()), ol_text("messages('%s')", old)));
}

static void pins_and_previews_keep_to_the_history(void **state)
{
    const char *chat = night(), *old = before_eve(chat);
    const char *pins = ol_text("!/v1.0/chats/%s/pinnedMessages", chat);
    const char *bind = ol_text("{'message@odata.bind':\"https://graph.microsoft.com/v1.0/chats/%s/"
                               "messages/%s\"}",
                               chat, old);
    (void)state;
    ol(EVE, "POST", pins, bind);
    refused(404, "NotFound");
    ol_do(BOB, "POST", pins, bind, 201);
    const struct json *v = ol_do(EVE, "GET", ol_text("%s?$expand=message", pins), NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    assert_int_equal(json_get_int(v, "@odata.count", -1), 0);
    ol(EVE, "DELETE", ol_text("%s/%s", pins, old), NULL);
    refused(404, "NotFound");
    v = ol_do(BOB, "GET", ol_text("%s?$expand=message", pins), NULL, 200);
    assert_string_equal(text_at(v, "value.0.message.body.content"), "old");
    assert_int_equal(json_get_int(v, "@odata.count", -1), 1);
}

static void a_preview_keeps_to_the_history(void **state)
{
    const char *chat = night(), *one = ol_text("!/v1.0/chats/%s?$expand=lastMessagePreview", chat);
    (void)state;
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/members", chat),
          "{'roles':['owner'],'user@odata.bind':'https://graph.microsoft.com/v1.0/users/"
          "eve@port.example','visibleHistoryStartDateTime':'2026-11-24T00:00:00Z'}",
          201);
    ol_do(BOB, "POST", ol_text("!/v1.0/chats/%s/messages", chat), "{'body':{'content':'old'}}",
          201);
    const struct json *v = ol_do(BOB, "GET", one, NULL, 200);
    assert_string_equal(text_at(v, "lastMessagePreview.body.content"), "old");
    v = ol_do(EVE, "GET", one, NULL, 200);
    assert_int_equal(json_get(v, "lastMessagePreview")->type, JSON_NULL);
}

/* ---- who may change things ---- */

static const char *private_channel(void)
{
    const struct json *v = ol_do(BOB, "POST", TEAM "/channels",
                                 "{'displayName':'Wages','membershipType':'private'}", 201);
    return text_at(v, "id");
}

static void private_channels_stay_unnamed(void **state)
{
    const char *wages = ol_text(TEAM "/channels/%s", private_channel());
    const struct json *v = ol_do(CYD, "GET", TEAM "/primaryChannel", NULL, 200);
    const char *general = ol_text(TEAM "/channels/%s/messages", text_at(v, "id"));
    (void)state;
    ol_do(BOB, "PATCH", wages, "{'displayName':'Bonuses'}", 204);
    ol_do(BOB, "DELETE", wages, NULL, 204);
    v = ol_do(CYD, "GET", general, NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    ol_do(BOB, "PATCH", TEAM "/channels/" CARGO, "{'displayName':'Freight'}", 204);
    v = ol_do(CYD, "GET", general, NULL, 200);
    assert_string_equal(text_at(v, "value.0.eventDetail.channelDisplayName"), "Freight");
}

static void a_private_channel_keeps_an_owner(void **state)
{
    const char *members = ol_text(TEAM "/channels/%s/members", private_channel());
    const struct json *v = ol_do(BOB, "GET", members, NULL, 200);
    const char *bob = ol_text("%s/%s", members, text_at(v, "value.0.id"));
    (void)state;
    v = ol_do(BOB, "POST", members, "{'roles':[],'userId':'cyd@port.example'}", 201);
    const char *cyd = ol_text("%s/%s", members, text_at(v, "id"));
    ol(BOB, "PATCH", bob, "{'roles':[]}");
    refused(400, "BadRequest");
    ol(BOB, "DELETE", bob, NULL);
    refused(400, "BadRequest");
    ol_do(BOB, "PATCH", cyd, "{'roles':['owner']}", 200);
    ol_do(BOB, "PATCH", bob, "{'roles':[]}", 200);
    ol_do(BOB, "DELETE", bob, NULL, 204);
}

static void settings_may_come_alone(void **state)
{
    (void)state;
    ol_do(BOB, "PATCH", TEAM, "{'messagingSettings':{'allowUserEditMessages':false}}", 204);
    const struct json *v = ol_do(BOB, "GET", TEAM, NULL, 200);
    assert_false(json_get_true(json_get(v, "messagingSettings"), "allowUserEditMessages"));
    ol(CYD, "PATCH", SHIP, "{'body':{'content':'x'}}");
    refused(403, "Forbidden");
}

static void members_are_added_each_by_itself(void **state)
{
    const struct json *v = ol_do(BOB, "POST", TEAM "/members/add",
                                 "{'values':[{'roles':['king'],'userId':'cyd@port.example'},"
                                 "{'roles':[]},{'roles':['owner'],'userId':'eve@port.example'}]}",
                                 207);
    (void)state;
    assert_string_equal(text_at(v, "value.0.userId"), "cyd@port.example");
    assert_string_equal(text_at(v, "value.0.error.code"), "BadRequest");
    assert_string_equal(text_at(v, "value.0.error.message"),
                        "The passed-in role 'king' is not supported.");
    assert_string_equal(text_at(v, "value.1.error.code"), "BadRequest");
    v = ol_do(EVE, "GET", "/joinedTeams", NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "POST", TEAM "/members/add", "{'values':[{'roles':[],'userId':'eve@port.example'}]}",
          200);
}

static void archived_places_are_read_only(void **state)
{
    static const char *const bodies[] = {"{}", "{'shouldSetSpoSiteReadOnlyForMembers':false}"};
    static const char *const places[] = {TEAM, TEAM "/channels/" CARGO};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(places); i++) {
        ol_do(BOB, "POST", ol_text("%s/archive", places[i]), bodies[i], 202);
        ol(CYD, "PATCH", SHIP, "{'body':{'content':'x'}}");
        refused(403, "Forbidden");
        ol(CYD, "POST", SHIP "/softDelete", NULL);
        refused(403, "Forbidden");
        ol(CYD, "POST", SHIP "/undoSoftDelete", NULL);
        refused(403, "Forbidden");
        ol(CYD, "POST", SHIP "/setReaction", "{'reactionType':'like'}");
        refused(403, "Forbidden");
        ol(BOB, "POST", SHIP "/unsetReaction", "{'reactionType':'like'}");
        refused(403, "Forbidden");
        ol_do(BOB, "POST", ol_text("%s/unarchive", places[i]), NULL, 202);
    }
    ol_do(CYD, "PATCH", SHIP, "{'body':{'content':'x'}}", 204);
    ol_do(CYD, "POST", SHIP "/softDelete", NULL, 204);
}

static void presence_has_two_words(void **state)
{
    uint64_t world;
    (void)state;
    assert_int_equal(test_import_changed("update teams_presence set session = 'Busy'", &world), -1);
    assert_int_equal(test_import_changed("update teams_presence set preferred = 'Busy/'", &world),
                     -1);
    assert_int_equal(
        test_import_changed("update teams_presence set preferred = 'Busy/InACall'", &world), 0);
}

static void lists_do_not_say_who_reacted(void **state)
{
    const struct json *v = ol_do(BOB, "GET", PLACE, NULL, 200), *user;
    (void)state;
    assert_int_equal(count_at(v, "value.0.reactions"), 1);
    user = value_at(v, "value.0.reactions.0.user.user");
    assert_int_equal(user->type, JSON_NULL);
    v = ol_do(BOB, "GET", SHIP, NULL, 200);
    assert_string_not_equal(text_at(v, "reactions.0.user.user.id"), "");
}

/* What a picture is made of goes with the message that has it. */
static void pictures_go_with_their_message(void **state)
{
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_message m;
    bool tombstone;
    int64_t ms;
    const struct json *v =
        ol_do(CYD, "POST", PLACE,
              "{'body':{'contentType':'html','content':'<img src=../hostedContents/1/$value>'},"
              "'hostedContents':[{'@microsoft.graph.temporaryId':'1','contentBytes':'iVBORw0KGgo=',"
              "'contentType':'image/png'}]}",
              201);
    const char *id = text_at(v, "id");
    (void)state;
    assert_int_equal(parse_i64(id, strlen(id), &ms), 0);
    mail_begin();
    assert_int_equal(number("select count(*) from blob"), 1);
    assert_int_equal(chat_workspace_find(&tx, TENANT, &w), 1);
    assert_int_equal(chat_channel_find(&tx, w.id, CARGO, &ch), 1);
    assert_int_equal(chat_message_find(&tx, ch.id, ms * 1000, &m), 1);
    assert_int_equal(chat_message_delete(&tx, &ch, &m, &tombstone), 0);
    assert_int_equal(number("select count(*) from teams_hosted"), 0);
    assert_int_equal(number("select count(*) from blob"), 0);
    mail_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
        TEST(forged_deltas_are_refused),
        TEST(forged_pages_are_refused),
        TEST(readers_agree_about_tags),
        TEST(cards_are_bounded),
        TEST(mentions_have_their_markers),
        TEST(apps_watch_their_own_tenant),
        TEST(each_kind_has_its_scopes),
        TEST(a_watch_keeps_to_the_history),
        TEST(pins_and_previews_keep_to_the_history),
        TEST(a_preview_keeps_to_the_history),
        TEST(private_channels_stay_unnamed),
        TEST(a_private_channel_keeps_an_owner),
        TEST(settings_may_come_alone),
        TEST(members_are_added_each_by_itself),
        TEST(archived_places_are_read_only),
        TEST(presence_has_two_words),
        TEST(lists_do_not_say_who_reacted),
        TEST(pictures_go_with_their_message),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}
