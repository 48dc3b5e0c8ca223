/* SPDX-License-Identifier: Apache-2.0 */
/* People of Google, Slack and Microsoft in one world: what goes from one service to a person of
 * another arrives where it would. */
#include "engine/base/codec.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define ADA   "ada@acme.example"
#define BOB   "bob@port.example"
#define CYD   "cyd@port.example"
#define PIER  "9a000000-0000-4000-8000-000000000002"
#define CARGO "19:00000000000000000000000000000001@thread.tacv2"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "workspaces:\n"
    "  - {domain: port.example, vendor: microsoft}\n"
    "  - {domain: dock, members: [{actor: ada@acme.example, id: U0ADA, role: owner}, {actor: "
    "bob@port.example, id: U0BOB}]}\n"
    "teams: [{workspace: port.example, id: " PIER ", name: Pier, members: [{user: "
    "cyd@port.example, role: owner}, bob@port.example]}]\n"
    "channels:\n"
    "  - {workspace: port.example, id: '" CARGO "', name: Cargo, team: Pier}\n"
    "  - {workspace: dock, id: C0GENERAL, name: general, general: true}\n"
    "files:\n"
    "  - {id: 1PlanOfAdas, name: plan.txt, mime: text/plain, owner: ada@acme.example, content: "
    "Twelve}\n"
    "  - {id: 01AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPB, name: load.txt, owner: bob@port.example, "
    "content: "
    "Crates}\n";

static int open_world(void **state)
{
    (void)state;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static const struct json *ask(const char *host, const char *who, const char *method,
                              const char *target, const char *body, int status)
{
    const struct sosia_header headers[] = {{"Host", host},
                                           {"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"},
                                           {"Prefer", "redeemSharingLinkIfNecessary"}};
    const char *text = body ? quoted(body) : "";
    const struct json *v = test_request(method, target, headers, strstr(target, "/shares/") ? 4 : 3,
                                        text, strlen(text));
    if (test_status != status)
        fail_msg("%s %s: expected %d, got %d %s", method, target, status, test_status, test_body);
    return v;
}

#define GRAPH(who, method, target, body, status)                                                   \
    ask("graph.microsoft.com", who, method, "/v1.0" target, body, status)

/* A mention in Teams is in Teams alone, whatever else the person has. */
static void a_mention_stays_in_its_service(void **state)
{
    const struct json *bob = GRAPH(BOB, "GET", "/me", NULL, 200);
    (void)state;
    ask("graph.microsoft.com", CYD, "POST", "/v1.0/teams/" PIER "/channels/" CARGO "/messages",
        arena_printf(&test_arena,
                     "{'body':{'contentType':'html','content':'<at id=\\'0\\'>Bob</at> crates?'},"
                     "'mentions':[{'id':0,'mentionText':'Bob','mentioned':{'user':{'id':'%s'}}}]}",
                     text_at(bob, "id")),
        201);
    const struct json *v =
        GRAPH(BOB, "GET", "/teams/" PIER "/channels/" CARGO "/messages", NULL, 200);
    assert_string_equal(text_at(v, "value.0.mentions.0.mentioned.user.displayName"), "Bob");
    v = ask("slack.com", BOB, "GET", "/api/conversations.list?types=public_channel,im,mpim", NULL,
            200);
    assert_int_equal(count_at(v, "channels"), 1);
    v = ask("slack.com", BOB, "GET", "/api/conversations.history?channel=C0GENERAL", NULL, 200);
    assert_int_equal(count_at(v, "messages"), 0);
    v = GRAPH(BOB, "GET", "/me/messages", NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
}

static const char *base64url(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, text, strlen(text), false);
    const char *copy = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return copy;
}

/* A sharing link goes by a letter of Google's, and opens for who gets it. */
static void a_link_goes_by_a_letter(void **state)
{
    const struct json *v =
        GRAPH(BOB, "POST", "/me/drive/items/01AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPB/createLink",
              "{'type':'view','scope':'organization'}", 201);
    const char *url = text_at(v, "link.webUrl");
    (void)state;
    ask("graph.microsoft.com", BOB, "POST", "/v1.0/me/sendMail",
        arena_printf(&test_arena,
                     "{'message':{'subject':'Load','body':{'contentType':'Text','content':'%s'},"
                     "'toRecipients':[{'emailAddress':{'address':'" ADA "'}}]}}",
                     url),
        202);
    v = ask("gmail.googleapis.com", ADA, "GET", "/gmail/v1/users/me/messages?q=subject:Load", NULL,
            200);
    const char *id = text_at(v, "messages.0.id");
    ask("gmail.googleapis.com", ADA, "GET",
        arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s?format=raw", id), NULL, 200);
    /* She sends it on to somebody of the tenant. */
    const char *letter = base64url(arena_printf(
        &test_arena, "From: " ADA "\r\nTo: " CYD "\r\nSubject: The load\r\n\r\n%s\r\n", url));
    ask("gmail.googleapis.com", ADA, "POST", "/gmail/v1/users/me/messages/send",
        arena_printf(&test_arena, "{'raw':'%s'}", letter), 200);
    v = GRAPH(CYD, "GET", "/me/messages?$select=subject,body", NULL, 200);
    assert_string_equal(text_at(v, "value.0.subject"), "The load");
    assert_non_null(strstr(text_at(v, "value.0.body.content"), strstr(url, "://") + 3));
    v = ask("graph.microsoft.com", CYD, "GET",
            arena_printf(&test_arena, "/v1.0/shares/u!%s/driveItem", base64url(url)), NULL, 200);
    assert_string_equal(text_at(v, "name"), "load.txt");
}

/* Who is at Microsoft gets the letter about a file of Google's in the Outlook mailbox. */
static void a_file_is_shared_by_mail(void **state)
{
    (void)state;
    ask("www.googleapis.com", ADA, "POST",
        "/drive/v3/files/1PlanOfAdas/permissions?sendNotificationEmail=true&emailMessage=See",
        "{'type':'user','role':'reader','emailAddress':'" BOB "'}", 200);
    const struct json *v = GRAPH(BOB, "GET", "/me/mailFolders/inbox/messages", NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_non_null(strstr(text_at(v, "value.0.subject"), "plan.txt"));
    assert_non_null(strstr(text_at(v, "value.0.body.content"), "1PlanOfAdas"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_mention_stays_in_its_service),
        TEST(a_link_goes_by_a_letter),
        TEST(a_file_is_shared_by_mail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
