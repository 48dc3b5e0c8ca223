/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server: each is called with its documented arguments. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "engine/json/json.h"

#define ADA "ada@acme.example"
#define HEADER                                                                                     \
    "MsgID,UserID,UserName,RealName,Channel,ThreadTs,Text,Time,Permalink,Reactions,BotName,"       \
    "FileCount,"                                                                                   \
    "AttachmentIDs,HasMedia,Cursor\n"
#define GROUPS "id,name,handle,description,user_count,is_external,date_create,date_update\n"

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
    "  - {id: D0ADABOB, kind: direct, members: [U0ADA, U0BOB]}\n"
    "userGroups:\n"
    "  - {id: S0CREW, name: 'Crew, all', handle: crew, description: Who builds, users: [U0BOB], "
    "creator: U0ADA, created: 2026-03-01T08:00}\n"
    "chatFiles:\n"
    "  - {id: F0PLAN, user: U0ADA, name: 'a plan.txt', mimetype: text/plain, filetype: text, "
    "created: 2026-03-10T08:00, content: \"One\\ntwo\\n\"}\n"
    "  - {id: F0DOT, user: U0ADA, name: dot.png, mimetype: image/png, filetype: png, created: "
    "2026-03-10T08:00, base64: iVBORw0KGgo=}\n"
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

/* The ts of a message that was written into a channel. */
static const char *ts_of(const char *said)
{
    static const char before[] = "Successfully posted message to channel C0DEV (ts=";
    assert_int_equal(strncmp(said, before, strlen(before)), 0);
    const char *at = said + strlen(before);
    assert_string_equal(at + strcspn(at, ")"), ")");
    return arena_printf(&test_arena, "%.*s", (int)strcspn(at, ")"), at);
}

static void messages_are_lines(void **state)
{
    const char *ts = ts_of(done("conversations_add_message",
                                "{'channel_id':'#dev','text':'Hello, all','content_type':"
                                "'text/plain'}"));
    const char *line = arena_printf(
        &test_arena,
        HEADER "%s,U0ADA,ada,Ada Ames,C0DEV,,\"Hello, all\",2026-03-12T08:00:00Z,,,,0,,"
               "false,\n",
        ts);
    assert_string_equal(done("conversations_history", "{'channel_id':'#dev','limit':'1d'}"), line);
    /* without a limit, with another type of one, or with 0 there is not a span */
    static const char *const all[] = {"", ",'limit':''", ",'limit':5", ",'limit':'0'"};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        assert_non_null(strstr(done("conversations_history",
                                    arena_printf(&test_arena, "{'channel_id':'C0DEV'%s}", all[i])),
                               "Two days ago"));
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
    assert_string_equal(
        done("reactions_add", "{'channel_id':'#dev','timestamp':'1773129600.000100','emoji':"
                              "':eyes:'}"),
        "Successfully added :eyes: reaction to message 1773129600.000100 in channel C0DEV");
    done("reactions_remove",
         "{'channel_id':'#dev','timestamp':'1773129600.000100','emoji':':eyes:'}");
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
                        "ID,Name,Topic,Purpose,MemberCount,Cursor\n"
                        "D0ADABOB,@bob,,DM with Bob Stone,2,\n");
    assert_string_equal(done("channels_list", "{}"), lines);
    assert_string_equal(done("channels_list", "{'channel_types':['im']}"), lines);
    /* numbers are whole, and may be texts */
    static const char *const limits[] = {"1", "1.9", "'1'"};
    for (size_t i = 0; i < SOSIA_LEN(limits); i++) {
        const char *one = done(
            "channels_list",
            arena_printf(&test_arena, "{'channel_types':'public_channel','limit':%s}", limits[i]));
        assert_true(strlen(strrchr(one, ',')) > 2);
        assert_int_equal(strlen(strchr(one, '\n') + 1), strcspn(strchr(one, '\n') + 1, "\n") + 1);
    }
    assert_string_equal(done("channels_list", "{'limit':'many'}"), lines);
    assert_string_equal(done("channels_list", "{'channel_types':'public_channel','query':'EW',"
                                              "'query_targets':'topic'}"),
                        "ID,Name,Topic,Purpose,MemberCount,Cursor\n"
                        "C0GENERAL1,#general,\"News, and more\",,2,\n");
    assert_string_equal(done("channels_list", "{'channel_types':'public_channel','query':'EW'}"),
                        "ID,Name,Topic,Purpose,MemberCount,Cursor\n");
    assert_string_equal(
        done("channels_list", "{'channel_types':'public_channel','query':'e','limit':1}"),
        "ID,Name,Topic,Purpose,MemberCount,Cursor\n"
        "C0GENERAL1,#general,\"News, and more\",,2,\n");
    assert_string_equal(done("users_search", "{'query':'u0bob'}"),
                        "UserID,UserName,RealName,DisplayName,Email,Title,DMChannelID\n"
                        "U0BOB,bob,Bob Stone,,bob@acme.example,,D0ADABOB\n");
    assert_string_equal(done("users_search", "{'query':'STONE'}"),
                        "UserID,UserName,RealName,DisplayName,Email,Title,DMChannelID\n"
                        "U0BOB,bob,Bob Stone,,bob@acme.example,,D0ADABOB\n");
    assert_string_equal(done("users_search", "{'query':'zebra'}"),
                        "No users found matching the query.");
    assert_non_null(strstr(done("users_search", "{'query':'ada','limit':0}"), "U0ADA"));
    refuse("users_search", "{'query':''}", "query must be a text, not empty");
}

static void channels_are_left_and_joined(void **state)
{
    static const char mine[] = "ID,Name,Topic,Purpose,MemberCount,Cursor\n"
                               "C0DEV,#dev,,,0,\n"
                               "C0GENERAL1,#general,\"News, and more\",,0,\n";
    assert_string_equal(done("channels_me", "{}"), mine);
    assert_string_equal(done("channels_me", "{'channel_types':'im'}"),
                        "ID,Name,Topic,Purpose,MemberCount,Cursor\n"
                        "D0ADABOB,@bob,,DM with Bob Stone,2,\n");
    assert_string_equal(done("conversations_leave", "{'channel_id':'#dev'}"),
                        "Successfully left C0DEV");
    assert_null(strstr(done("channels_me", "{}"), "C0DEV"));
    for (int i = 0; i < 2; i++)
        assert_string_equal(done("conversations_join", "{'channel_id':'#dev'}"),
                            "Successfully joined C0DEV");
    assert_string_equal(done("channels_me", "{}"), mine);
    refuse("conversations_leave", "{'channel_id':'C0GENERAL1'}", "cant_leave_general");
    refuse("conversations_join", "{'channel_id':'#none'}", "channel \"#none\" not found");
}

static void blocks_are_written(void **state)
{
    const char *ts =
        ts_of(done("conversations_add_message", "{'channel_id':'C0DEV','text':'In short','blocks':"
                                                "'[{\\\"type\\\":\\\"divider\\\"}]'}"));
    assert_non_null(strstr(done("conversations_history", "{'channel_id':'C0DEV'}"),
                           arena_printf(&test_arena, "%s,U0ADA,ada,Ada Ames,C0DEV,,In short", ts)));
    refuse("conversations_add_message", "{'channel_id':'C0DEV','blocks':'[{'}",
           "invalid_blocks_format");
}

static void refusals_say_what_is_wrong(void **state)
{
    refuse("conversations_history", "{'channel_id':'#none'}", "channel \"#none\" not found");
    refuse("conversations_history", "{'channel_id':'C0NONE'}", "channel_not_found");
    refuse("conversations_history", "{'channel_id':'C0DEV','limit':'xd'}",
           "limit must be a positive whole number with d, w or m, not \"xd\"");
    refuse("conversations_history", "{'channel_id':'C0DEV','limit':'-1'}",
           "limit must be a number of messages or a span as 1d, not \"-1\"");
    refuse("conversations_history", "{'channel_id':'C0DEV','limit':'99999999999d'}", "limit must");
    refuse("conversations_add_message", "{'channel_id':'C0DEV'}", "no_text");
    refuse("conversations_add_message",
           "{'channel_id':'C0DEV','text':'x','content_type':'text/html'}", "content_type must be");
    refuse("reactions_remove",
           "{'channel_id':'C0DEV','timestamp':'1773129600.000100','emoji':'wave'}", "no_reaction");
    refuse("users_search", "{}", "query is required");
    refuse("conversations_add_message", "{'channel_id':'C0DEV','text':'x','thread_ts':'123'}",
           "thread_ts must be as 1773129600.000100, not \"123\"");
    refuse("attachment_get_data", "{'file_id':''}", "file_id must be a text, not empty");
}

/* What is written once more for each of them would not end here. */
static void long_lists_take_no_long_time(void **state)
{
    const char *ids = mcp_repeated("U0BOB,", 200000);
    assert_string_equal(done("channels_list", arena_printf(&test_arena, "{'channel_types':'%s'}",
                                                           mcp_repeated("im,", 200000))),
                        "ID,Name,Topic,Purpose,MemberCount,Cursor\n"
                        "D0ADABOB,@bob,,DM with Bob Stone,2,\n");
    mcp_call(ADA, PATH, "usergroups_users_update",
             arena_printf(&test_arena, "{'usergroup_id':'S0CREW','users':'%s'}", ids));
    mcp_call(ADA, PATH, "usergroups_update",
             arena_printf(&test_arena, "{'usergroup_id':'S0CREW','channels':'%s'}", ids));
}

static const struct json *tool_named(const char *name)
{
    const struct json *all =
        json_get(json_get(mcp_ask(ADA, PATH, "tools/list", "{}"), "result"), "tools");
    for (uint32_t i = 0; all && i < all->n; i++)
        if (strcmp(json_get_str(&all->items[i], "name"), name) == 0)
            return &all->items[i];
    return NULL;
}

static void the_list_says_what_the_original_says(void **state)
{
    const struct json *tool = tool_named("conversations_join"), *arg;
    assert_at(tool, "title", "");
    assert_at(tool, "annotations.title", "Join Channel");
    assert_at(tool, "annotations.readOnlyHint", "false");
    assert_at(tool, "annotations.destructiveHint", "true");
    assert_at(tool, "annotations.idempotentHint", "true");
    assert_at(tool, "annotations.openWorldHint", "true");
    tool = tool_named("conversations_add_message");
    arg = json_get(json_get(json_get(tool, "inputSchema"), "properties"), "content_type");
    assert_at(arg, "default", "text/markdown");
    assert_null(json_get(arg, "enum"));
    tool = tool_named("channels_list");
    assert_at(tool, "inputSchema.required.0", "channel_types");
    assert_at(tool, "inputSchema.properties.channel_types.default", "");
}

/* ---- search ---- */

#define FIRST                                                                                      \
    "1773129600.000100,U0ADA,ada,Ada Ames,C0DEV (#dev),,Two days ago,2026-03-10T08:00:00Z,"        \
    "https://acme.slack.com/archives/C0DEV/p1773129600000100,,,0,,false,"

static const char *found(const char *arguments)
{
    const char *lines = done("conversations_search_messages", arguments);
    assert_memory_equal(lines, HEADER, strlen(HEADER));
    return lines + strlen(HEADER);
}

static void messages_are_found_by_words_and_filters(void **state)
{
    static const char *const all[] = {
        "{'search_query':'days'}",
        "{'search_query':'days','filter_in_channel':'#dev'}",
        "{'filter_in_channel':'C0DEV'}",
        "{'filter_users_from':'@ada'}",
        "{'filter_users_from':'U0ADA'}",
        "{'search_query':'days','filter_date_on':'2026-03-10'}",
        "{'search_query':'days','filter_date_on':'2 days ago'}",
        "{'search_query':'days','filter_date_before':'Yesterday'}",
        "{'search_query':'days','filter_date_after':'9 March 2026','filter_date_before':'Today'}"};
    static const char *const none[] = {"{'search_query':'zebra'}",
                                       "{'search_query':'days','filter_in_channel':'#general'}",
                                       "{'filter_users_from':'@bob'}",
                                       "{'search_query':'days','filter_threads_only':true}",
                                       "{'search_query':'days','filter_users_with':'U0BOB'}",
                                       "{'search_query':'days','filter_in_im_or_mpim':'@bob'}",
                                       "{'search_query':'days','filter_date_on':'today'}"};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (strcmp(found(all[i]), FIRST "\n") != 0)
            fail_msg("%s: %s", all[i], test_body);
    for (size_t i = 0; i < SOSIA_LEN(none); i++)
        if (*found(none[i]))
            fail_msg("%s: %s", none[i], test_body);
}

static void days_are_said_in_many_ways(void **state)
{
    static const char *const days[] = {
        "2026-03-10",     "2026/03/10",  "03-10-2026",    "03/10/2026",  "Mar 10, 2026",
        "March 10, 2026", "10 Mar 2026", "10-march-2026", "2026-mar-10", "mar-10-2026"};
    static const char *const bad[] = {"2026-02-30",
                                      "10",
                                      "March",
                                      "2026",
                                      "10 March",
                                      "1-2-3-4",
                                      "soon",
                                      "x days ago",
                                      "2026-03-10T08:00",
                                      "99999999999 days ago",
                                      "March March 2026"};
    for (size_t i = 0; i < SOSIA_LEN(days); i++)
        assert_string_equal(
            found(arena_printf(&test_arena, "{'search_query':'days','filter_date_on':'%s'}",
                               days[i])),
            FIRST "\n");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        refuse("conversations_search_messages",
               arena_printf(&test_arena, "{'search_query':'days','filter_date_on':'%s'}", bad[i]),
               "filter_date_on must be a date");
}

static void pages_of_a_search_go_on(void **state)
{
    done("conversations_add_message", "{'channel_id':'C0DEV','text':'Some days later'}");
    const char *first = found("{'search_query':'days','limit':1}");
    assert_non_null(strstr(first, "later"));
    assert_non_null(strstr(first, ",cGFnZToy\n"));
    assert_string_equal(found("{'search_query':'days','limit':1,'cursor':'cGFnZToy'}"), FIRST "\n");
    refuse("conversations_search_messages", "{'search_query':'days','cursor':'x'}", "cursor must");
    refuse("conversations_search_messages", "{'search_query':'days','cursor':'cGFnZTow'}",
           "cursor must");
    refuse("conversations_search_messages", "{}", "no_query");
    refuse("conversations_search_messages", "{'filter_in_channel':'#none'}",
           "channel \"#none\" not found");
    refuse("conversations_search_messages", "{'filter_users_from':'@none'}",
           "user \"@none\" not found");
    refuse("conversations_search_messages",
           "{'filter_date_on':'today','filter_date_before':'today'}", "can't be had");
    refuse("conversations_search_messages",
           "{'filter_date_after':'today','filter_date_before':'yesterday'}", "must not be later");
}

/* ---- what is unread ---- */

static const char *unread(const char *who, const char *arguments)
{
    return mcp_done(who, PATH, "conversations_unreads", arguments);
}

static void what_is_unread_is_listed_until_it_is_marked(void **state)
{
    const char *bob = "bob@acme.example";
    done("conversations_add_message", "{'channel_id':'@bob','text':'To you'}");
    done("conversations_mark", "{'channel_id':'@bob'}");
    const char *lines = unread(bob, "{}");
    assert_non_null(strstr(lines, " with unread messages]\n\n" HEADER));
    assert_non_null(strstr(lines, ",U0ADA,ada,Ada Ames,@ada,,To you,"));
    lines = unread(bob, "{'include_messages':false,'channel_types':'dm'}");
    assert_non_null(strstr(lines, "[1 conversations looked at, 1 with unread messages]\n\n"
                                  "ChannelID,ChannelName,ChannelType,UnreadCount,LastRead,Latest\n"
                                  "D0ADABOB,@ada,dm,1,"));
    assert_null(strstr(unread(bob, "{'channel_types':'internal'}"), "To you"));
    assert_null(strstr(unread(bob, "{'channel_types':'partner'}"), "To you"));
    assert_null(strstr(unread(bob, "{'channel_types':'group_dm'}"), "To you"));
    assert_non_null(strstr(mcp_done(bob, PATH, "conversations_mark", "{'channel_id':'D0ADABOB'}"),
                           "D0ADABOB is read up to 17"));
    assert_non_null(strstr(unread(bob, "{}"), ", 0 with unread messages]\n\n" HEADER));
    /* a channel that one has read in */
    mcp_done(bob, PATH, "conversations_add_message", "{'channel_id':'#general','text':'One'}");
    mcp_done(bob, PATH, "conversations_mark", "{'channel_id':'#general'}");
    done("conversations_add_message", "{'channel_id':'#general','text':'Two'}");
    lines = unread(bob, "{'channel_types':'internal','max_messages_per_channel':1e300}");
    assert_non_null(strstr(lines, ",#general,,Two,"));
    assert_null(strstr(lines, ",One,"));
    assert_non_null(strstr(unread(bob, "{'max_channels':-1}"), "0 with unread messages]"));
    assert_string_equal(
        done("conversations_mark", "{'channel_id':'C0DEV','ts':'1773129600.000100'}"),
        "C0DEV is read up to 1773129600.000100.");
    refuse("conversations_mark", "{'channel_id':'#none'}", "channel \"#none\" not found");
    refuse("conversations_mark", "{'channel_id':'C0NONE'}", "channel_not_found");
    assert_non_null(strstr(unread(bob, "{'channel_types':'some'}"), "[0 conversations looked at"));
}

static void a_channel_without_messages_is_not_marked(void **state)
{
    assert_string_equal(
        mcp_done("bob@acme.example", PATH, "conversations_mark", "{'channel_id':'D0ADABOB'}"),
        "There are no messages to mark.");
}

/* ---- files and groups ---- */

static void files_come_with_their_content(void **state)
{
    assert_string_equal(
        done("attachment_get_data", "{'file_id':'F0PLAN'}"),
        "{\"file_id\":\"F0PLAN\",\"filename\":\"a plan.txt\",\"mimetype\":"
        "\"text/plain\",\"size\":8,\"encoding\":\"none\",\"content\":\"One\\ntwo\\n\"}");
    assert_string_equal(
        done("attachment_get_data", "{'file_id':'F0DOT'}"),
        "{\"file_id\":\"F0DOT\",\"filename\":\"dot.png\",\"mimetype\":\"image/png\","
        "\"size\":8,\"encoding\":\"base64\",\"content\":\"iVBORw0KGgo=\"}");
    refuse("attachment_get_data", "{'file_id':'F0NONE'}", "file_not_found");
    mcp_refuse("bob@acme.example", PATH, "attachment_get_data", "{'file_id':'F0PLAN'}", "file_not");
}

static void files_of_messages_are_named(void **state)
{
    test_use(arena_printf(&test_arena,
                          "%s  - {channel: C0DEV, from: U0ADA, ts: '1772900000.000100', text: Two "
                          "files, files: [F0PLAN, F0DOT]}\n",
                          doc));
    assert_non_null(strstr(done("conversations_history", "{'channel_id':'C0DEV'}"),
                           ",,,2,\"F0PLAN (a plan.txt), F0DOT (dot.png)\",true,\n"));
}

#define CREW                                                                                       \
    "S0CREW,\"Crew, all\",crew,Who builds,1,false,2026-03-01T08:00:00Z,2026-03-01T08:00:00Z\n"

static void groups_are_lines_and_change(void **state)
{
    assert_string_equal(done("usergroups_list", "{}"), GROUPS CREW);
    const char *text =
        done("usergroups_create", "{'name':'Night','handle':'night','channels':' C0DEV , '}");
    const struct json *g = NULL;
    assert_int_equal(json_parse(&test_arena, text, strlen(text), NULL, &g, NULL), 0);
    assert_string_equal(
        members(g, ""),
        "id name handle description user_count is_external date_create date_update");
    const char *id = json_get_str(g, "id");
    text = done("usergroups_update",
                arena_printf(&test_arena, "{'usergroup_id':'%s','name':'Nights'}", id));
    assert_non_null(strstr(text, "\"name\":\"Nights\""));
    text = done("usergroups_users_update",
                arena_printf(&test_arena, "{'usergroup_id':'%s','users':'U0BOB, U0ADA'}", id));
    assert_non_null(strstr(text, "\"user_count\":2,"));
    assert_non_null(strstr(text, "\"users\":\"U0"));
    refuse("usergroups_update", "{'usergroup_id':'S0CREW'}", "one of name, handle");
    refuse("usergroups_update", "{'usergroup_id':'S0NONE','name':'x'}", "no_such_subteam");
    refuse("usergroups_users_update", "{'usergroup_id':'S0CREW','users':' ,'}",
           "no_users_provided");
    refuse("usergroups_create", "{}", "name is required");
}

static void one_joins_and_leaves_groups(void **state)
{
    assert_string_equal(done("usergroups_me", "{'action':'list'}"), GROUPS);
    assert_non_null(
        strstr(done("usergroups_me", "{'action':'join','usergroup_id':'S0CREW'}"),
               "\"group_id\":\"S0CREW\",\"group_name\":\"Crew, all\",\"user_count\":2}"));
    assert_string_equal(done("usergroups_me", "{'action':'join','usergroup_id':'S0CREW'}"),
                        "You are in this user group already.");
    assert_non_null(strstr(done("usergroups_me", "{'action':'list'}"), "S0CREW,"));
    assert_non_null(strstr(done("usergroups_me", "{'action':'leave','usergroup_id':'S0CREW'}"),
                           "\"user_count\":1}"));
    assert_string_equal(done("usergroups_me", "{'action':'leave','usergroup_id':'S0CREW'}"),
                        "You are not in this user group.");
    refuse("usergroups_me", "{'action':'leave'}", "usergroup_id is required");
    refuse("usergroups_me", "{'action':'burn'}", "action must be one of");
    refuse("usergroups_me", "{'action':'join','usergroup_id':'S0NONE'}", "no_such_subteam");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(messages_are_lines),
        TEST(pages_go_on_at_their_cursor),
        TEST(threads_have_reactions),
        TEST(conversations_and_people_are_listed),
        TEST(channels_are_left_and_joined),
        TEST(blocks_are_written),
        TEST(refusals_say_what_is_wrong),
        TEST(long_lists_take_no_long_time),
        TEST(the_list_says_what_the_original_says),
        TEST(files_of_messages_are_named),
        TEST(messages_are_found_by_words_and_filters),
        TEST(days_are_said_in_many_ways),
        TEST(pages_of_a_search_go_on),
        TEST(what_is_unread_is_listed_until_it_is_marked),
        TEST(a_channel_without_messages_is_not_marked),
        TEST(files_come_with_their_content),
        TEST(groups_are_lines_and_change),
        TEST(one_joins_and_leaves_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
