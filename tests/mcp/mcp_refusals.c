/* SPDX-License-Identifier: Apache-2.0 */
/* What tools of sets refuse, and what their files say. */
#include "tests/mcp/sets.h"

/* ---- refusals ---- */

static void refusals_say_what_is_wrong(void **state)
{
    static const char *const cases[][3] = {
        {"google_calendar_update_event", "{'event_id':'none'}", "404 notFound: Not Found"},
        {"google_calendar_create_event", "{'summary':'x'}", "start_datetime is required"},
        {"google_calendar_create_event",
         "{'summary':'x','start_datetime':'soon','end_datetime':'2026-03-13'}",
         "a time must be as 2026-03-12T09:30:00 or with an offset, not \"soon\""},
        {"google_calendar_create_event",
         "{'summary':'x','start_datetime':'2026-03-13','end_datetime':'2026-03-14','visibility':"
         "'secret'}",
         "visibility must be one of default, public, private, not \"secret\""},
        {"google_calendar_create_event",
         "{'summary':7,'start_datetime':'2026-03-13','end_datetime':'2026-03-14'}",
         "summary must be a string, not 7"},
        {"google_calendar_list_calendars", "{'max_results':251}",
         "max_results must be from 1 to 250, not 251"},
        {"google_calendar_list_calendars", "{'max_results':1.5}",
         "max_results must be a whole number, not 1.5"},
        {"google_calendar_list_calendars", "{'show_deleted':'yes'}",
         "show_deleted must be true or false, not \"yes\""},
        {"google_calendar_find_free_slots", "{'min_slot_duration_minutes':0}",
         "min_slot_duration_minutes must be from 1 on, not 0"},
        {"google_calendar_find_free_slots", "{'time_min':'2026-03-14','time_max':'2026-03-13'}",
         "time_min must be before time_max"},
        {"google_calendar_add_attendees_to_event", "{'event_id':'x','attendees':'bob'}",
         "attendees must be a list of strings, not \"bob\""},
        {"google_calendar_add_attendees_to_event", "{'event_id':'x','attendees':[1]}",
         "attendees must be a list of strings, not 1"},
        {"gmail_send_email", "{'to':[],'subject':'a','body':'b'}", "to must have an address"},
        {"gmail_send_email", "{'to':['a'],'subject':'a','body':'b'}",
         "to must have addresses, not \"a\""},
        {"gmail_send_email", "{'to':['a@b.example\\r\\nX: y'],'subject':'a','body':'b'}",
         "to must have addresses"},
        {"gmail_send_email", "{'to':['a@b.example'],'subject':'a\\nBcc: c','body':'b'}",
         "subject must be one line"},
        {"gmail_send_email",
         "{'to':['a@b.example'],'subject':'a','body':'b','inReplyTo':'<x>\\nBcc: c'}",
         "inReplyTo must be the Message-ID"},
        {"gmail_send_email", "{'to':['a@b.example'],'subject':'a','body':'b','attach':1}",
         "there is no argument attach"},
        {"gmail_read_email", "{'messageId':'1a2000000000ffff'}",
         "404 notFound: Requested entity was not found."},
        {"gmail_get_email_attachments", "{'messageId':'1a2000000000ffff'}", "404 notFound"},
        {"gmail_modify_email", "{'messageId':'1a20000000000001','addLabelIds':['Label_77']}",
         "400 invalidArgument: Invalid label: Label_77"},
        {"google_drive_get_document_by_id", "{'document_id':'none'}",
         "404 notFound: File not found: none."},
        {"google_drive_get_document_by_id", "{'document_id':'1Plans'}", "403 "},
        {"google_drive_search_documents", "{'limit':0}", "limit must be at least 1, not 0"},
        {"google_drive_search_documents", "{'pagination_token':'forged'}", "400 "},
        {"google_drive_search_documents", "{'order_by':['size']}", "order_by must be one of"},
        {"google_drive_get_file_tree_structure", "{'restrict_to_shared_drive_id':'none'}", "404 "},
        {"slack_get_channel_history", "{'channel_id':'C0NOTHERE1'}", "channel_not_found"},
        {"slack_user_post_message", "{'channel_id':'C0DEV','text':''}", "no_text"},
        {"slack_user_add_reaction", "{'channel_id':'C0DEV','timestamp':'1.0','reaction':'wave'}",
         "message_not_found"},
        {"slack_invite_users_to_channel", "{'channel_id':'C0DEV','user_ids':[]}", "no_user"},
        {"slack_user_get_info", "{'user_id':'U0NOBODY'}", "user_not_found"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        refuse("hosted", cases[i][0], cases[i][1], cases[i][2]);
}

/* What only looks like a template is a text. */
static void arguments_are_no_templates(void **state)
{
    const struct json *v = use("google_calendar_create_event",
                               "{'summary':'$0.id {now}','start_datetime':'2026-03-16T10:00',"
                               "'end_datetime':'2026-03-16T11:00','description':'{$if}'}");
    assert_at(v, "event.title", "$0.id {now}");
    assert_at(v, "event.description", "{$if}");
}

static void arguments_that_open_servers_do_not_know_are_ignored(void **state)
{
    use("google_calendar_list_calendars", "{'user':'ada'}");
}

static void calls_are_in_the_journal_as_native_ones(void **state)
{
    struct sosia_blob journal;
    say("google_calendar_update_event", "{'event_id':'planning0001','updated_summary':'Plans'}",
        "planning0001");
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &journal, &test_err),
                     0);
    assert_non_null(strstr(journal.data, "calendar.events.update"));
    assert_null(strstr(journal.data, "mcp"));
    sosia_blob_free(&journal);
}

/* What does not fit is not left out. */
static void what_is_too_large_is_refused(void **state)
{
    const char *words = mcp_repeated(",'word'", 200000),
               *ids = mcp_repeated(",'a@b.example'", 1000);
    refuse("hosted", "google_drive_search_documents",
           arena_printf(&test_arena, "{'document_contains':['word'%s]}", words), "too large");
    refuse("hosted", "slack_user_search_messages",
           arena_printf(&test_arena, "{'query':'a','channel_ids':['word'%s]}", words), "too large");
    refuse("reference", "search",
           arena_printf(&test_arena, "{'query':'%s'}", mcp_repeated("word", 300000)), "too large");
    refuse("hosted", "google_calendar_find_free_slots",
           arena_printf(&test_arena, "{'items':['b@b.example'%s]}", ids),
           "items must have from 0 to 1000 items, not 1001");
}

/* ---- files ---- */

static void count(void *arg, const struct mcp_tool *t)
{
    (*(size_t *)arg)++;
}

/* A method that the service does not have would leave its tool out. */
static void each_tool_of_a_file_has_its_methods(void **state)
{
    size_t n = 0, all = 0;
    for (const struct dialect *const *d = engine_dialects(test_engine); *d; d++)
        if ((*d)->tools)
            sets_list(&test_arena, *d, count, &n);
    for (const struct set_tools *set = set_lists; set->tools; set++)
        all += set->n;
    assert_int_equal(n, all);
    assert_true(n > 100);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_tool_of_a_file_has_its_methods),
        TEST(refusals_say_what_is_wrong),
        TEST(arguments_are_no_templates),
        TEST(arguments_that_open_servers_do_not_know_are_ignored),
        TEST(calls_are_in_the_journal_as_native_ones),
        TEST(what_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
