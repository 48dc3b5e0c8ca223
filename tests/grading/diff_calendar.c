/* SPDX-License-Identifier: Apache-2.0 */
/* The diff of what people do in calendars: series and their instances, copies of guests, and who
 * sees them. */
#include "tests/support/diffs.h"

static void a_move_is_one_change_with_the_guests_copy_and_mail_behind_it(void **state)
{
    (void)state;
    diffs_act(
        ADA, "PATCH", EVENTS "/lunch0?sendUpdates=all",
        "{'start':{'dateTime':'2026-11-25T12:00:00+01:00'},'end':{'dateTime':'2026-11-25T13:00:00+"
        "01:00'}}");
    const struct json *d = diffs_now();
    assert_int_equal(count_at(d, "changes"), 1);
    assert_string_equal(text_at(d, "changes.0.name"), "event/ada@acme.example/lunch0");
    assert_string_equal(text_at(d, "changes.0.change"), "changed");
    assert_string_equal(text_at(d, "changes.0.service"), "calendar");
    assert_string_equal(text_at(d, "changes.0.person"), ADA);
    assert_string_equal(text_at(d, "changes.0.title"), "Lunch");
    const struct json *fields = value_at(d, "changes.0.fields");
    assert_string_equal(members(fields, ""), "start.dateTime end.dateTime");
    const struct json *start = json_get(fields, "start.dateTime");
    assert_string_equal(text_at(start, "from"), "2026-11-24T12:00:00+01:00");
    assert_string_equal(text_at(start, "to"), "2026-11-25T12:00:00+01:00");
    assert_string_equal(column(d, "changes.0.consequences", "entity"), "event message");
    assert_string_equal(column(d, "changes.0.consequences", "person"), BOB " " BOB);
}

static void an_instance_that_is_cancelled_is_removed_and_one_that_is_moved_is_changed(void **state)
{
    (void)state;
    diffs_act(ADA, "DELETE", EVENTS "/daily0_20261124T090000Z", NULL);
    diffs_act(ADA, "PATCH", EVENTS "/daily0_20261125T090000Z", "{'summary':'Daily, long'}");
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "name"),
                        "event/ada@acme.example/daily0_20261124T090000Z "
                        "event/ada@acme.example/daily0_20261125T090000Z");
    assert_string_equal(column(d, "changes", "change"), "removed changed");
    assert_string_equal(text_at(d, "changes.0.value.start.dateTime"), "2026-11-24T10:00:00+01:00");
    assert_string_equal(members(d, "changes.1.fields"), "summary");
    assert_string_equal(text_at(d, "changes.1.fields.summary.from"), "Daily");
    diffs_act(ADA, "DELETE", EVENTS "/daily0", NULL);
    d = diffs_now();
    assert_string_equal(column(d, "changes", "change"), "removed");
    assert_string_equal(text_at(d, "changes.0.name"), "event/ada@acme.example/daily0");
}

/* The instance goes on under another key, and what its series changes in it follows from
 * that. */
static void changed_instances_go_with_their_series(void **state)
{
    (void)state;
    diffs_act(
        ADA, "PATCH", EVENTS "/daily0_20261125T090000Z",
        "{'start':{'dateTime':'2026-11-25T16:00:00Z'},'end':{'dateTime':'2026-11-25T16:30:00Z'}}");
    uint64_t before = diffs_fork();
    diffs_act(ADA, "PATCH", EVENTS "/daily0", "{'summary':'Every day'}");
    const struct json *d = diffs_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
    assert_string_equal(column(d, "changes.0.consequences", "change"), "changed");
    before = diffs_fork();
    diffs_act(
        ADA, "PATCH", EVENTS "/daily0",
        "{'start':{'dateTime':'2026-11-23T10:00:00Z'},'end':{'dateTime':'2026-11-23T10:30:00Z'}}");
    d = diffs_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
    assert_string_equal(column(d, "changes.0.consequences", "change"), "removed added");
    before = diffs_fork();
    diffs_act(ADA, "DELETE", EVENTS "/daily0", NULL);
    d = diffs_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
}

/* Both at once: what is the instance's own is the same as before. */
static void changed_instances_go_with_a_series_that_moves_under_another_title(void **state)
{
    (void)state;
    diffs_act(
        ADA, "PATCH", EVENTS "/daily0_20261125T090000Z",
        "{'start':{'dateTime':'2026-11-25T16:00:00Z'},'end':{'dateTime':'2026-11-25T16:30:00Z'}}");
    diffs_act(ADA, "PATCH", EVENTS "/daily0_20261126T090000Z", "{'location':'Room 2'}");
    uint64_t before = diffs_fork();
    diffs_act(ADA, "PATCH", EVENTS "/daily0",
              "{'summary':'Every "
              "day','start':{'dateTime':'2026-11-23T10:00:00Z'},'end':{'dateTime':'2026-"
              "11-23T10:30:00Z'}}");
    const struct json *d = diffs_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
    /* One that gets the same besides is a change of its own. */
    diffs_act(ADA, "PATCH", EVENTS "/daily0_20261127T100000Z", "{'location':'Room 2'}");
    d = diffs_since(before);
    assert_string_equal(column(d, "changes", "name"),
                        "event/ada@acme.example/daily0 "
                        "event/ada@acme.example/daily0_20261127T100000Z");
}

/* The state before had no instance at that time. */
static void an_instance_that_is_cancelled_behind_a_move_of_its_series_is_removed(void **state)
{
    (void)state;
    diffs_act(
        ADA, "PATCH", EVENTS "/daily0",
        "{'start':{'dateTime':'2026-11-23T10:00:00Z'},'end':{'dateTime':'2026-11-23T10:30:00Z'}}");
    diffs_act(ADA, "DELETE", EVENTS "/daily0_20261124T100000Z", NULL);
    diffs_act(ADA, "POST", EVENTS,
              "{'id':'another0','summary':'Weekly','recurrence':['RRULE:FREQ=WEEKLY;COUNT=3'],"
              "'start':{'dateTime':'2026-11-23T18:00:00Z','timeZone':'UTC'},"
              "'end':{'dateTime':'2026-11-23T19:00:00Z','timeZone':'UTC'}}");
    diffs_act(ADA, "DELETE", EVENTS "/another0_20261130T180000Z", NULL);
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "name"),
                        "event/ada@acme.example/another0 "
                        "event/ada@acme.example/another0_20261130T180000Z "
                        "event/ada@acme.example/daily0 "
                        "event/ada@acme.example/daily0_20261124T100000Z");
    assert_string_equal(column(d, "changes", "change"), "added removed changed removed");
    assert_string_equal(text_at(d, "changes.1.value.recurringEventId"), "another0");
    assert_string_equal(text_at(d, "changes.3.value.start.dateTime"), "2026-11-24T11:00:00+01:00");
}

/* What a guest does to a copy is a change of the guest's, though the organizer's event changes too.
 */
static void a_guest_who_takes_the_copy_away_has_changed_it(void **state)
{
    (void)state;
    diffs_act(BOB, "DELETE", EVENTS "/lunch0", NULL);
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "person"), ADA " " BOB);
    assert_string_equal(text_at(d, "changes.1.fields.status.to"), "cancelled");
}

static void an_answer_of_a_guest_is_one_change(void **state)
{
    (void)state;
    diffs_act(BOB, "PATCH", EVENTS "/lunch0",
              "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "person"), ADA);
    assert_string_equal(members(d, "changes.0.fields"), "attendees");
    assert_string_equal(text_at(d, "changes.0.fields.attendees.added.0.responseStatus"),
                        "accepted");
}

static void an_organizer_is_notified_of_an_answer_and_that_is_not_a_change(void **state)
{
    (void)state;
    diffs_act(BOB, "PATCH", EVENTS "/lunch0?sendUpdates=all",
              "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined'}]}");
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "entity"), "event");
    assert_non_null(strstr(column(d, "changes.0.consequences", "entity"), "message"));
}

static void labels_of_calendars_and_events_are_changes(void **state)
{
    (void)state;
    diffs_act(ADA, "PATCH", "/calendar/v3/calendars/primary",
              "{'labelProperties':{'eventLabels':[{'id':'l1','name':'Deep work'}]}}");
    if (test_status != 200)
        fail_msg("%s", test_body);
    uint64_t from = diffs_fork();
    diffs_act(ADA, "PATCH", "/calendar/v3/calendars/primary/events/lunch0?eventLabelVersion=1",
              "{'eventLabelId':'l1'}");
    if (test_status != 200)
        fail_msg("%s", test_body);
    assert_string_equal(members(diffs_since(from), "changes.0.fields"), "eventLabelId");
    assert_string_equal(members(diffs_now(), "changes.0.fields"), "labelProperties");
}

/* Who may see a calendar does not follow from other changes of it, but that it goes. */
static void who_may_see_a_calendar_is_a_change_of_its_own(void **state)
{
    (void)state;
    diffs_act(ADA, "PATCH", "/calendar/v3/calendars/primary", "{'description':'Ships'}");
    diffs_act(ADA, "POST", "/calendar/v3/calendars/primary/acl?sendNotifications=false",
              "{'role':'writer','scope':{'type':'user','value':'far@elsewhere.example'}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(column(diffs_now(), "changes", "entity"), "calendar calendarAccess");
    uint64_t from = diffs_fork();
    const char *id =
        text_at(diffs_act(ADA, "POST", "/calendar/v3/calendars", "{'summary':'Crew'}"), "id");
    assert_string_equal(column(diffs_since(from), "changes", "entity"), "calendar");
    diffs_act(
        ADA, "POST",
        arena_printf(&test_arena, "/calendar/v3/calendars/%s/acl?sendNotifications=false", id),
        "{'role':'reader','scope':{'type':'default'}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(column(diffs_since(from), "changes", "entity"), "calendar calendarAccess");
    from = diffs_fork();
    diffs_act(ADA, "DELETE", arena_printf(&test_arena, "/calendar/v3/calendars/%s", id), NULL);
    assert_string_equal(column(diffs_since(from), "changes", "entity"), "calendar");
}

static void the_letter_of_a_shared_calendar_follows_from_the_share(void **state)
{
    static const char *const who[] = {BOB, "eve@else.example"}, *const kinds[] = {"message",
                                                                                  "sent"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t before = diffs_fork();
        diffs_act(ADA, "POST", "/calendar/v3/calendars/primary/acl",
                  arena_printf(&test_arena,
                               "{'role':'reader','scope':{'type':'user','value':'%s'}}", who[i]));
        const struct json *d = diffs_since(before);
        assert_int_equal(count_at(d, "changes"), 1);
        assert_string_equal(text_at(d, "changes.0.entity"), "calendarAccess");
        assert_string_equal(column(d, "changes.0.consequences", "entity"), kinds[i]);
    }
    /* What a person writes in the same words is a letter of its own. */
    uint64_t before = diffs_fork();
    diffs_act(ADA, "POST", MAILS "/send",
              "{'raw':'"
              "VG86IGJvYkBhY21lLmV4YW1wbGUNClN1YmplY3Q6IEFkYSBoYXMgc2hhcmVkIGEgY2FsZW5kYXIgd2l0aCB5"
              "b3UNCg0KKGFkYUBhY21lLmV4YW1wbGUpLg=='}");
    assert_string_equal(column(diffs_since(before), "changes", "entity"), "message");
}

static void an_entry_of_a_list_names_its_calendar(void **state)
{
    (void)state;
    diffs_act(ADA, "POST", "/calendar/v3/calendars/primary/acl?sendNotifications=false",
              "{'role':'reader','scope':{'type':'user','value':'" BOB "'}}");
    uint64_t before = diffs_fork();
    diffs_act(BOB, "POST", "/calendar/v3/users/me/calendarList", "{'id':'" ADA "'}");
    const struct json *d = diffs_since(before);
    assert_int_equal(count_at(d, "changes"), 1);
    assert_string_equal(text_at(d, "changes.0.entity"), "calendarListEntry");
    assert_string_equal(text_at(d, "changes.0.value.calendar"), ADA);
    assert_string_equal(text_at(d, "changes.0.person"), BOB);
}

/* The address that a server was asked at makes none: forks have each their own. */
static void a_channel_of_a_fork_watches_the_same(void **state)
{
    static const char *const bases[] = {"http://one.example:8787", "http://two.example"};
    const char *uris[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t before = diffs_fork();
        const char *body = quoted(arena_printf(
            &test_arena, "{'id':'c%d','type':'web_hook','address':'https://hook.example/'}", i));
        const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                               {"Content-Type", "application/json"}};
        const struct sosia_request r = {.method = "POST",
                                        .target = EVENTS "/watch",
                                        .headers = headers,
                                        .n_headers = 2,
                                        .body = body,
                                        .body_len = strlen(body),
                                        .base_url = bases[i]};
        test_call(test_world, &r);
        const struct json *d = diffs_since(before);
        assert_int_equal(count_at(d, "changes"), 1);
        assert_string_equal(text_at(d, "changes.0.entity"), "google_channel");
        uris[i] = text_at(d, "changes.0.value.uri");
    }
    assert_string_equal(uris[0], uris[1]);
    assert_non_null(strstr(uris[0], "/calendar/v3/calendars/primary/events"));
}

#define test(f) cmocka_unit_test_setup_teardown(f, diffs_open, diffs_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_move_is_one_change_with_the_guests_copy_and_mail_behind_it),
        test(an_instance_that_is_cancelled_is_removed_and_one_that_is_moved_is_changed),
        test(changed_instances_go_with_their_series),
        test(changed_instances_go_with_a_series_that_moves_under_another_title),
        test(an_instance_that_is_cancelled_behind_a_move_of_its_series_is_removed),
        test(a_guest_who_takes_the_copy_away_has_changed_it),
        test(an_answer_of_a_guest_is_one_change),
        test(an_organizer_is_notified_of_an_answer_and_that_is_not_a_change),
        test(labels_of_calendars_and_events_are_changes),
        test(who_may_see_a_calendar_is_a_change_of_its_own),
        test(the_letter_of_a_shared_calendar_follows_from_the_share),
        test(an_entry_of_a_list_names_its_calendar),
        test(a_channel_of_a_fork_watches_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
