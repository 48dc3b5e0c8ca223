/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server: each is called with its documented arguments. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "engine/json/json.h"

#define ADA "ada@acme.example"
#define HEADER                                                                                     \
    "MsgID,UserID,UserName,RealName,Channel,ThreadTs,Text,Time,Reactions,BotName,FileCount,"       \
    "AttachmentIDs,HasMedia,Cursor\n"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames}\n"
    "  - {email: bob@acme.example, name: Bob Stone}\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    name: Acme\n"
    "    members:\n"
    "      - {actor: ada@acme.example, id: U0ADA, name: ada, role: owner}\n"
    "      - {actor: bob@acme.example, id: U0BOB, name: bob}\n"
    "channels:\n"
    "  - {id: C0GENERAL1, name: general, general: true, creator: U0ADA, topic: \"News, and "
    "more\"}\n"
    "  - {id: C0DEV, name: dev, creator: U0ADA, members: [U0ADA]}\n"
    "messages:\n"
    "  - {channel: C0DEV, from: U0ADA, ts: '1773129600.000100', text: Two days ago}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

#define PATH "/mcp/slack?tools=community"

static const char *done(const char *tool, const char *arguments)
{
    return mcp_done(ADA, PATH, tool, arguments);
}

static void refuse(const char *tool, const char *arguments, const char *expected)
{
    mcp_refuse(ADA, PATH, tool, arguments, expected);
}

/* The ts of the first message of the lines. */
static const char *ts_of(const char *lines)
{
    assert_int_equal(strncmp(lines, HEADER, strlen(HEADER)), 0);
    const char *at = lines + strlen(HEADER);
    return arena_printf(&test_arena, "%.*s", (int)strcspn(at, ","), at);
}

static void messages_are_lines(void **state)
{
    const char *ts = ts_of(done("conversations_add_message",
                                "{'channel_id':'#dev','text':'Hello, all','content_type':"
                                "'text/plain'}"));
    const char *line =
        arena_printf(&test_arena,
                     HEADER "%s,U0ADA,ada,Ada Ames,C0DEV,,\"Hello, all\",2026-03-12T08:00:00Z,,,0,,"
                            "false,\n",
                     ts);
    assert_string_equal(done("conversations_history", "{'channel_id':'#dev'}"), line);
    assert_string_equal(done("conversations_history", "{'channel_id':'C0DEV','limit':'1d'}"), line);
    assert_non_null(strstr(done("conversations_history", "{'channel_id':'C0DEV','limit':'3d'}"),
                           "Two days ago"));
    assert_null(
        strstr(done("conversations_history", "{'channel_id':'C0DEV','limit':'2d'}"), "Two days"));
    assert_non_null(strstr(done("conversations_history", "{'channel_id':'C0DEV','limit':'1w'}"),
                           "Two days ago"));
    assert_non_null(strstr(done("conversations_history", "{'channel_id':'C0DEV','limit':'1m'}"),
                           "Two days ago"));
}

static void pages_go_on_at_their_cursor(void **state)
{
    done("conversations_add_message", "{'channel_id':'C0DEV','text':'*Second*'}");
    const char *first = done("conversations_history", "{'channel_id':'C0DEV','limit':'1'}");
    assert_non_null(strstr(first, "Second"));
    const char *cursor = strrchr(first, ',') + 1;
    assert_true(strlen(cursor) > 1);
    const char *second =
        done("conversations_history",
             arena_printf(&test_arena, "{'channel_id':'C0DEV','limit':'','cursor':'%.*s'}",
                          (int)strcspn(cursor, "\n"), cursor));
    assert_null(strstr(second, "Second"));
    assert_non_null(strstr(second, "Two days ago"));
}

static void threads_have_reactions(void **state)
{
    const char *ts = "1773129600.000100";
    assert_string_equal(
        done("reactions_add", "{'channel_id':'#dev','timestamp':'1773129600.000100','emoji':"
                              "'wave'}"),
        "Successfully added :wave: reaction to message 1773129600.000100 in channel C0DEV");
    done("conversations_add_message",
         arena_printf(&test_arena,
                      "{'channel_id':'C0DEV','thread_ts':'%s','text':'Say \\\"it\\\"'}", ts));
    const char *lines =
        done("conversations_replies",
             arena_printf(&test_arena, "{'channel_id':'#dev','thread_ts':'%s','limit':'10'}", ts));
    assert_non_null(strstr(lines, ",wave:1,"));
    assert_non_null(strstr(lines, ",\"Say \"\"it\"\"\","));
    assert_string_equal(
        done("reactions_remove", "{'channel_id':'C0DEV','timestamp':'1773129600.000100','emoji':"
                                 "'wave'}"),
        "Successfully removed :wave: reaction from message 1773129600.000100 in channel C0DEV");
    assert_null(
        strstr(done("conversations_history", "{'channel_id':'C0DEV','limit':'50'}"), "wave"));
}

static void conversations_and_people_are_listed(void **state)
{
    const char *lines = done("channels_list", "{'channel_types':'public_channel'}");
    assert_string_equal(lines, "ID,Name,Topic,Purpose,MemberCount,Cursor\n"
                               "C0GENERAL1,#general,\"News, and more\",,2,\n"
                               "C0DEV,#dev,,,1,\n");
    assert_string_equal(done("channels_list", "{'channel_types':'some, im'}"),
                        "ID,Name,Topic,Purpose,MemberCount,Cursor\n");
    lines = done("channels_list", "{'channel_types':'public_channel','limit':1}");
    assert_true(strlen(strrchr(lines, ',')) > 2);
    assert_string_equal(done("users_search", "{'query':'STONE'}"),
                        "UserID,UserName,RealName,DisplayName,Email,Title,DMChannelID\n"
                        "U0BOB,bob,Bob Stone,,bob@acme.example,,\n");
    assert_string_equal(done("users_search", "{'query':'zebra'}"),
                        "No users found matching the query.");
}

static void refusals_say_what_is_wrong(void **state)
{
    refuse("conversations_history", "{'channel_id':'#none'}", "channel \"#none\" not found");
    refuse("conversations_history", "{'channel_id':'C0NONE'}", "channel_not_found");
    refuse("conversations_history", "{'channel_id':'C0DEV','limit':'xd'}",
           "limit must be a positive whole number with d, w or m, is \"xd\"");
    refuse("conversations_history", "{'channel_id':'C0DEV','limit':'-1'}",
           "limit must be a number of messages or a span as 1d, is \"-1\"");
    refuse("conversations_history", "{'channel_id':'C0DEV','limit':'99999999999d'}", "limit must");
    refuse("conversations_add_message", "{'channel_id':'C0DEV'}", "no_text");
    refuse("conversations_add_message",
           "{'channel_id':'C0DEV','text':'x','content_type':'text/html'}", "content_type must be");
    refuse("reactions_remove",
           "{'channel_id':'C0DEV','timestamp':'1773129600.000100','emoji':'wave'}", "no_reaction");
    refuse("users_search", "{}", "query is required");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(messages_are_lines),         TEST(pages_go_on_at_their_cursor),
        TEST(threads_have_reactions),     TEST(conversations_and_people_are_listed),
        TEST(refusals_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
