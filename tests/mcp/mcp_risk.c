/* SPDX-License-Identifier: Apache-2.0 */
/* What a call lets out depends on its arguments: a session that is limited to writing is refused
 * it, before anything has changed, and the journal has the risk of each call. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "engine/base/codec.h"
#include "engine/json/json.h"

#define ADA   "ada@acme.example"
#define ADMIN "admin@acme.example"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "zone: Europe/Rome\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames, aliases: [ada.ames@acme.example]}\n"
    "  - {email: bob@acme.example, name: Bob Stone}\n"
    "  - {email: cyd@acme.example, name: Cyd}\n"
    "groups:\n"
    "  - {email: team@acme.example, name: Team, members: [bob@acme.example]}\n"
    "  - {email: mixed@acme.example, name: Mixed, members: [bob@acme.example, eve@far.example]}\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    name: Acme\n"
    "    plan: standard\n"
    "    members:\n"
    "      - {actor: ada@acme.example, id: U0ADA, name: ada, role: owner}\n"
    "      - {actor: bob@acme.example, id: U0BOB, name: bob}\n"
    "channels:\n"
    "  - {id: C0GENERAL1, name: general, general: true, creator: U0ADA}\n"
    "  - {id: C0DEV, name: dev, creator: U0ADA, members: [U0ADA, U0BOB]}\n"
    "calendars:\n"
    "  - {id: c_side@group.calendar.google.com, owner: ada@acme.example, summary: Side}\n"
    "  - id: ada@acme.example\n"
    "    primary: true\n"
    "    events:\n"
    "      - {id: lunch0000001, summary: Lunch, start: 2026-03-12T12:00, end: 2026-03-12T13:00}\n"
    "      - {id: fair00000001, summary: Fair, start: 2026-03-13T10:00, end: 2026-03-13T11:00, "
    "attendees: [eve@far.example]}\n"
    "gmail:\n"
    "  - person: ada@acme.example\n"
    "    forwardingAddresses: [{forwardingEmail: eve@far.example}, {forwardingEmail: "
    "bob@acme.example}]\n"
    "files:\n"
    "  - {id: 1Notes, name: Notes, type: document, owner: ada@acme.example, content: \"Nothing "
    "yet.\\n\"}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

#define PRIMARY "'calendarId':'primary',"
#define TIMES                                                                                      \
    "'start':{'dateTime':'2026-03-16T10:00:00Z'},'end':{'dateTime':'2026-03-16T11:00:00Z'}"
#define GUEST(who) "'attendees':[{'email':'" who "'}]"
#define MINE       "{'userId':'me','body':"

/* What reaches somebody outside, and the same within the world. */
static const struct reaching {
    const char *tool, *outside, *inside; /* inside NULL: there is no such call */
} reaching[] = {
    {"calendar_events_insert", "{" PRIMARY "'body':{" TIMES "," GUEST("eve@far.example") "}}",
     "{" PRIMARY "'body':{" TIMES "," GUEST("bob@acme.example") "}}"},
    {"calendar_events_insert",
     "{" PRIMARY "'sendUpdates':'none','body':{" TIMES "," GUEST("eve@far.example") "}}",
     "{" PRIMARY "'sendUpdates':'all','body':{" TIMES "," GUEST("Ada.Ames@acme.example") "}}"},
    {"calendar_events_insert", "{" PRIMARY "'body':{" TIMES "," GUEST("mixed@acme.example") "}}",
     "{" PRIMARY "'body':{" TIMES "," GUEST("team@acme.example") "}}"},
    {"calendar_events_insert", "{" PRIMARY "'body':{" TIMES "," GUEST("nobody@acme.example") "}}",
     "{" PRIMARY "'body':{" TIMES "," GUEST("c_side@group.calendar.google.com") "}}"},
    {"calendar_events_import",
     "{" PRIMARY "'body':{'iCalUID':'a@far.example'," TIMES "," GUEST("eve@far.example") "}}",
     "{" PRIMARY "'body':{'iCalUID':'a@far.example'," TIMES "," GUEST("bob@acme.example") "}}"},
    {"calendar_events_quickAdd",
     "{" PRIMARY "'text':'Lunch tomorrow 12:00 with eve@far.example','sendUpdates':'all'}",
     "{" PRIMARY "'text':'Lunch tomorrow 12:00 with bob@acme.example'}"},
    {"calendar_events_patch",
     "{" PRIMARY "'eventId':'lunch0000001','body':{" GUEST("eve@far.example") "}}",
     "{" PRIMARY "'eventId':'lunch0000001','body':{" GUEST("bob@acme.example") "}}"},
    {"calendar_events_patch", "{" PRIMARY "'eventId':'fair00000001','body':{'summary':'Fairs'}}",
     "{" PRIMARY "'eventId':'lunch0000001','body':{'summary':'Lunches'}}"},
    {"calendar_events_patch", "{" PRIMARY "'eventId':'fair00000001','body':{'attendees':[]}}",
     NULL},
    {"calendar_events_patch", "{" PRIMARY "'eventId':'fair00000001','body':{'status':'cancelled'}}",
     NULL},
    {"calendar_events_update",
     "{" PRIMARY "'eventId':'lunch0000001','body':{" TIMES "," GUEST("eve@far.example") "}}",
     "{" PRIMARY "'eventId':'lunch0000001','body':{" TIMES "}}"},
    {"calendar_events_move",
     "{" PRIMARY "'eventId':'fair00000001','destination':'c_side@group.calendar.google.com'}",
     "{" PRIMARY "'eventId':'lunch0000001','destination':'c_side@group.calendar.google.com'}"},
    {"gmail_users_settings_filters_create",
     MINE "{'criteria':{'from':'a'},'action':{'forward':'eve@far.example'}}}",
     MINE "{'criteria':{'from':'a'},'action':{'forward':'bob@acme.example'}}}"},
    {"gmail_users_settings_updateVacation",
     MINE "{'enableAutoReply':true,'responseBodyPlainText':'Away'}}",
     MINE "{'enableAutoReply':true,'responseBodyPlainText':'Away','restrictToDomain':true}}"},
    {"gmail_users_settings_sendAs_patch",
     "{'userId':'me','sendAsEmail':'ada@acme.example','body':{'replyToAddress':'eve@far.example'}}",
     "{'userId':'me','sendAsEmail':'ada@acme.example','body':{'replyToAddress':'bob@acme.example'}"
     "}"},
    {"gmail_users_settings_sendAs_update",
     "{'userId':'me','sendAsEmail':'ada@acme.example','body':{'reply_to_address':'eve@far.example'"
     "}}",
     "{'userId':'me','sendAsEmail':'ada@acme.example','body':{'displayName':'A'}}"},
    {"slack_canvases_create", "{'title':'Plan','channel_id':'C0DEV'}", "{'title':'Plan'}"},
    {"gmail_users_settings_forwardingAddresses_create",
     MINE "{'forwardingEmail':'mallory@far.example'}}",
     MINE "{'forwardingEmail':'cyd@acme.example'}}"},
    {"gmail_users_settings_updateAutoForwarding",
     MINE "{'enabled':true,'emailAddress':'eve@far.example','disposition':'leaveInInbox'}}",
     MINE "{'enabled':true,'emailAddress':'bob@acme.example','disposition':'leaveInInbox'}}"},
    {"gmail_users_settings_sendAs_create",
     MINE "{'sendAsEmail':'mallory@far.example','displayName':'M'}}", NULL},
    {"drive_revisions_update",
     "{'fileId':'1Notes','revisionId':'1','body':{'published':true,'publishedOutsideDomain':true}}",
     "{'fileId':'1Notes','revisionId':'1','body':{'published':false}}"},
};

static const char *hash(void)
{
    char *text = arena_alloc(&test_arena, 65);
    assert_int_equal(sosia_world_hash(test_engine, test_world, text, &test_err), 0);
    return text;
}

/* The last entry of the journal, which is of the call that a tool made: it is before the message's
 * own, if there is one. */
static const struct json *last_entry(void)
{
    struct sosia_blob b;
    const struct json *all;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, true, &b, &test_err), 0);
    assert_int_equal(json_parse(&test_arena, arena_memdup(&test_arena, b.data, b.len), b.len, NULL,
                                &all, &test_err),
                     0);
    sosia_blob_free(&b);
    for (uint32_t i = all->n; i-- > 0;)
        if (!str_starts(json_get_str(&all->items[i], "method"), "mcp."))
            return &all->items[i];
    fail_msg("the journal has no call");
    return NULL;
}

static void what_reaches_outside_is_refused_to_who_may_only_write(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(reaching); i++) {
        const struct reaching *r = &reaching[i];
        test_use(doc);
        const char *before = hash();
        mcp_refuse(ADA, "/mcp?risk=write", r->tool, r->outside, "limited to write");
        assert_string_equal(hash(), before);
        const struct json *entry = last_entry();
        assert_at(entry, "risk", "external");
        assert_at(entry, "request.risk_most", "write");
        mcp_done(ADA, "/mcp?risk=external", r->tool, r->outside);
        assert_string_not_equal(hash(), before);
        assert_at(last_entry(), "risk", "external");
    }
}

static void the_same_within_the_world_is_not(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(reaching); i++) {
        test_use(doc);
        if (!reaching[i].inside)
            continue;
        mcp_done(ADA, "/mcp?risk=write", reaching[i].tool, reaching[i].inside);
        assert_at(last_entry(), "risk", "write");
    }
}

/* What has no such arguments is not even listed. */
static void rows_that_always_let_out_are_not_listed(void **state)
{
    static const char *const never[] = {"calendar_acl_insert",
                                        "calendar_events_watch",
                                        "drive_permissions_create",
                                        "drive_files_watch",
                                        "gmail_users_watch",
                                        "gmail_users_messages_send",
                                        "gmail_users_settings_delegates_create",
                                        "slack_chat_postMessage",
                                        "slack_conversations_inviteShared",
                                        "slack_apps_manifest_create"};
    const char *all = arena_printf(&test_arena, " %s ", mcp_names(ADA, "/mcp?tools=native"));
    const char *some =
        arena_printf(&test_arena, " %s ", mcp_names(ADA, "/mcp?tools=native&risk=write"));
    assert_non_null(strstr(some, " calendar_events_insert "));
    for (size_t i = 0; i < SOSIA_LEN(never); i++) {
        const char *name = arena_printf(&test_arena, " %s ", never[i]);
        assert_null(strstr(some, name));
        if (!strstr(name, "manifest") && !strstr(name, "delegates") &&
            !strstr(name, "inviteShared")) /* not for tokens of people */
            assert_non_null(strstr(all, name));
    }
}

/* By the API there is no such limit, and the journal says what was let out. */
static void the_api_has_no_limit(void **state)
{
    static const char event[] = "{\"start\":{\"date\":\"2026-03-16\"},\"end\":{\"date\":"
                                "\"2026-03-17\"},\"attendees\":[{\"email\":\"eve@far.example\"}]}";
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    test_request("POST", "/calendar/v3/calendars/primary/events", headers, 2, event,
                 sizeof event - 1);
    assert_int_equal(test_status, 200);
    assert_at(last_entry(), "risk", "external");
    assert_null(json_get(json_get(last_entry(), "request"), "risk_most"));
}

/* A refusal for the limit is the same when it runs again. */
static void a_replay_refuses_it_too(void **state)
{
    struct sosia_blob b;
    const struct json *v;
    uint64_t kept;
    const struct sosia_replay_options opt = {.first = true};
    mcp_refuse(ADA, "/mcp?risk=write", reaching[0].tool, reaching[0].outside, "limited to write");
    mcp_done(ADA, "/mcp?risk=write", reaching[0].tool, reaching[0].inside);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, &kept, &b, &test_err), 0);
    assert_int_equal(json_parse(&test_arena, arena_memdup(&test_arena, b.data, b.len), b.len, NULL,
                                &v, &test_err),
                     0);
    sosia_blob_free(&b);
    assert_at(v, "equal", "true");
}

/* Tools of other sets are limited as the methods that they call. */
static void sets_are_limited_too(void **state)
{
    mcp_refuse(ADA, "/mcp?tools=hosted&risk=write", "google_calendar_create_event",
               "{'summary':'S','start_datetime':'2026-03-16T10:00:00Z','end_datetime':"
               "'2026-03-16T11:00:00Z','attendees':['eve@far.example']}",
               "limited to write");
    mcp_done(ADA, "/mcp?tools=hosted&risk=write", "google_calendar_create_event",
             "{'summary':'S','start_datetime':'2026-03-16T10:00:00Z','end_datetime':"
             "'2026-03-16T11:00:00Z','attendees':['bob@acme.example']}");
}

/* ---- hints ---- */

static const struct json *list_of(const char *path)
{
    return json_get(json_get(mcp_ask(ADA, path, "tools/list", "{}"), "result"), "tools");
}

static const struct json *tool_named(const struct json *tools, const char *name)
{
    for (uint32_t i = 0; i < tools->n; i++)
        if (strcmp(json_get_str(&tools->items[i], "name"), name) == 0)
            return &tools->items[i];
    fail_msg("there is no tool %s", name);
    return NULL;
}

/* Of each tool whose risk follows its arguments, and of those that always reach people. */
static void a_tool_that_can_reach_people_says_so(void **state)
{
    const struct json *tools = list_of("/mcp?tools=native");
    for (size_t i = 0; i < SOSIA_LEN(reaching); i++)
        assert_at(tool_named(tools, reaching[i].tool), "annotations.openWorldHint", "true");
    assert_at(tool_named(tools, "gmail_users_messages_send"), "annotations.openWorldHint", "true");
    assert_at(tool_named(tools, "gmail_users_labels_create"), "annotations.openWorldHint", "false");
    assert_at(tool_named(list_of("/mcp?tools=hosted"), "google_calendar_create_event"),
              "annotations.openWorldHint", "true");
}

static void a_tool_that_posts_does_not_say_that_it_may_be_repeated(void **state)
{
    static const char *const posts[] = {
        "slack_chat_postMessage",       "slack_chat_meMessage",
        "slack_chat_scheduleMessage",   "slack_conversations_create",
        "slack_conversations_setTopic", "slack_reminders_add",
        "slack_bookmarks_add",          "slack_files_completeUploadExternal",
        "calendar_events_insert",       "calendar_events_quickAdd",
        "drive_files_create",           "drive_files_copy",
        "drive_comments_create",        "gmail_users_messages_send",
        "gmail_users_drafts_create",    "gmail_users_messages_import"};
    static const char *const sets[] = {"slack_reactions_add",         "slack_chat_delete",
                                       "calendar_events_delete",      "drive_files_delete",
                                       "gmail_users_messages_modify", "slack_users_list"};
    const struct json *tools = list_of("/mcp?tools=native");
    for (size_t i = 0; i < SOSIA_LEN(posts); i++)
        assert_at(tool_named(tools, posts[i]), "annotations.idempotentHint", "false");
    for (size_t i = 0; i < SOSIA_LEN(sets); i++)
        assert_at(tool_named(tools, sets[i]), "annotations.idempotentHint", "true");
}

/* Its server sorts its tools. */
static void hosted_tools_have_a_category(void **state)
{
    const struct json *tools = list_of("/mcp?tools=hosted");
    assert_at(tool_named(tools, "google_calendar_create_event"), "annotations.category",
              "GOOGLE_CALENDAR_EVENT");
    assert_at(tool_named(tools, "gmail_batch_delete_emails"), "annotations.category",
              "GMAIL_BATCH_EMAIL");
    for (uint32_t i = 0; i < tools->n; i++)
        assert_non_null(json_get_str(json_get(&tools->items[i], "annotations"), "category"));
    tools = list_of("/mcp?tools=reference");
    for (uint32_t i = 0; i < tools->n; i++)
        assert_null(json_get(json_get(&tools->items[i], "annotations"), "category"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_reaches_outside_is_refused_to_who_may_only_write),
        TEST(the_same_within_the_world_is_not),
        TEST(rows_that_always_let_out_are_not_listed),
        TEST(the_api_has_no_limit),
        TEST(a_replay_refuses_it_too),
        TEST(sets_are_limited_too),
        TEST(a_tool_that_can_reach_people_says_so),
        TEST(a_tool_that_posts_does_not_say_that_it_may_be_repeated),
        TEST(hosted_tools_have_a_category),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
