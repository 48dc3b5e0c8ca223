/* SPDX-License-Identifier: Apache-2.0 */
/* The diff of a person's actions: in the vendors' terms, with what follows from them. */
#include "grading/diff.h"
#include "tests/support/world.h"
#include <pthread.h>
#include <stdio.h>

#define ADA "ada@acme.example"
#define BOB "bob@acme.example"

static const char doc[] =
    "{sosia: 1, time: '2026-11-23T09:00:00', zone: UTC,"
    " organizations: [{domain: acme.example, name: Acme}],"
    " people: [{email: ada@acme.example, name: Ada, zone: Europe/Rome},"
    "          {email: bob@acme.example, name: Bob, zone: America/New_York},"
    "          {handle: helper, kind: bot, name: Helper}],"
    " calendars: [{id: ada@acme.example, primary: true, events: ["
    "   {id: lunch0, summary: Lunch, start: '2026-11-24T12:00', attendees: [bob@acme.example]},"
    "   {id: daily0, summary: Daily, start: '2026-11-23T10:00', end: '2026-11-23T10:30',"
    "    recurrence: ['RRULE:FREQ=DAILY;COUNT=5']}]}],"
    " files: [{id: 1PlanFile0, name: plan.txt, mime: text/plain, owner: ada@acme.example, content: "
    "'a',"
    "   permissions: [{person: bob@acme.example, role: reader, expires: '2026-11-23T12:00:00Z'}]}],"
    " mailboxes: [{person: ada@acme.example, messages: [{id: '1a2072fc1a08096e', from: "
    "bob@acme.example,"
    "   to: ada@acme.example, subject: Plans, text: Here., labels: [INBOX, UNREAD]}]}],"
    " workspaces: [{id: T0ACME0001, domain: acme, name: Acme}],"
    " channels: [{id: C0GENERAL1, name: general, general: true}]}";

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

/* A call by a person, which must succeed; a body may use ' for ". */
static const struct json *as(const char *who, const char *method, const char *target,
                             const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    const struct json *answer = test_request(method, target, headers, 2, text, strlen(text));
    if (test_status >= 300)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
    return answer;
}

static const struct json *diff_with(enum sosia_diff_form form, bool all)
{
    const struct sosia_diff_options opt = {.form = form, .all = all};
    struct sosia_blob blob, again;
    assert_int_equal(sosia_diff(test_engine, 0, test_world, &opt, &blob, &test_err), 0);
    for (int i = 0; i < 3; i++) { /* what was there before is kept since the second */
        assert_int_equal(sosia_diff(test_engine, 0, test_world, &opt, &again, &test_err), 0);
        assert_string_equal(blob.data, again.data);
        sosia_blob_free(&again);
    }
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

static const struct json *diff(void)
{
    return diff_with(SOSIA_DIFF_JSON, false);
}

static uint64_t fork_now(void)
{
    uint64_t fork;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    return fork;
}

static const struct json *diff_since(uint64_t from)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_diff(test_engine, from, test_world, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

#define EVENTS "/calendar/v3/calendars/primary/events"
#define MAILS  "/gmail/v1/users/me/messages"

static void nothing_has_changed_where_nothing_was_done(void **state)
{
    (void)state;
    as(ADA, "GET", EVENTS, NULL);
    test_advance(86400); /* the grant has ended meanwhile, which is not an action */
    as(ADA, "GET", "/drive/v3/files", NULL);
    assert_int_equal(count_at(diff(), "changes"), 0);
}

static void a_move_is_one_change_with_the_guests_copy_and_mail_behind_it(void **state)
{
    (void)state;
    as(ADA, "PATCH", EVENTS "/lunch0?sendUpdates=all",
       "{'start':{'dateTime':'2026-11-25T12:00:00+01:00'},'end':{'dateTime':'2026-11-25T13:00:00+"
       "01:00'}}");
    const struct json *d = diff();
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
    as(ADA, "DELETE", EVENTS "/daily0_20261124T090000Z", NULL);
    as(ADA, "PATCH", EVENTS "/daily0_20261125T090000Z", "{'summary':'Daily, long'}");
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "name"),
                        "event/ada@acme.example/daily0_20261124T090000Z "
                        "event/ada@acme.example/daily0_20261125T090000Z");
    assert_string_equal(column(d, "changes", "change"), "removed changed");
    assert_string_equal(text_at(d, "changes.0.value.start.dateTime"), "2026-11-24T10:00:00+01:00");
    assert_string_equal(members(d, "changes.1.fields"), "summary");
    assert_string_equal(text_at(d, "changes.1.fields.summary.from"), "Daily");
    as(ADA, "DELETE", EVENTS "/daily0", NULL);
    d = diff();
    assert_string_equal(column(d, "changes", "change"), "removed");
    assert_string_equal(text_at(d, "changes.0.name"), "event/ada@acme.example/daily0");
}

/* The instance goes on under another key, and what its series changes in it follows from
 * that. */
static void changed_instances_go_with_their_series(void **state)
{
    (void)state;
    as(ADA, "PATCH", EVENTS "/daily0_20261125T090000Z",
       "{'start':{'dateTime':'2026-11-25T16:00:00Z'},'end':{'dateTime':'2026-11-25T16:30:00Z'}}");
    uint64_t before = fork_now();
    as(ADA, "PATCH", EVENTS "/daily0", "{'summary':'Every day'}");
    const struct json *d = diff_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
    assert_string_equal(column(d, "changes.0.consequences", "change"), "changed");
    before = fork_now();
    as(ADA, "PATCH", EVENTS "/daily0",
       "{'start':{'dateTime':'2026-11-23T10:00:00Z'},'end':{'dateTime':'2026-11-23T10:30:00Z'}}");
    d = diff_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
    assert_string_equal(column(d, "changes.0.consequences", "change"), "removed added");
    before = fork_now();
    as(ADA, "DELETE", EVENTS "/daily0", NULL);
    d = diff_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
}

/* Both at once: what is the instance's own is the same as before. */
static void changed_instances_go_with_a_series_that_moves_under_another_title(void **state)
{
    (void)state;
    as(ADA, "PATCH", EVENTS "/daily0_20261125T090000Z",
       "{'start':{'dateTime':'2026-11-25T16:00:00Z'},'end':{'dateTime':'2026-11-25T16:30:00Z'}}");
    as(ADA, "PATCH", EVENTS "/daily0_20261126T090000Z", "{'location':'Room 2'}");
    uint64_t before = fork_now();
    as(ADA, "PATCH", EVENTS "/daily0",
       "{'summary':'Every day','start':{'dateTime':'2026-11-23T10:00:00Z'},'end':{'dateTime':'2026-"
       "11-23T10:30:00Z'}}");
    const struct json *d = diff_since(before);
    assert_string_equal(column(d, "changes", "name"), "event/ada@acme.example/daily0");
    /* One that gets the same besides is a change of its own. */
    as(ADA, "PATCH", EVENTS "/daily0_20261127T100000Z", "{'location':'Room 2'}");
    d = diff_since(before);
    assert_string_equal(column(d, "changes", "name"),
                        "event/ada@acme.example/daily0 "
                        "event/ada@acme.example/daily0_20261127T100000Z");
}

/* The state before had no instance at that time. */
static void an_instance_that_is_cancelled_behind_a_move_of_its_series_is_removed(void **state)
{
    (void)state;
    as(ADA, "PATCH", EVENTS "/daily0",
       "{'start':{'dateTime':'2026-11-23T10:00:00Z'},'end':{'dateTime':'2026-11-23T10:30:00Z'}}");
    as(ADA, "DELETE", EVENTS "/daily0_20261124T100000Z", NULL);
    as(ADA, "POST", EVENTS,
       "{'id':'another0','summary':'Weekly','recurrence':['RRULE:FREQ=WEEKLY;COUNT=3'],"
       "'start':{'dateTime':'2026-11-23T18:00:00Z','timeZone':'UTC'},"
       "'end':{'dateTime':'2026-11-23T19:00:00Z','timeZone':'UTC'}}");
    as(ADA, "DELETE", EVENTS "/another0_20261130T180000Z", NULL);
    const struct json *d = diff();
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
    as(BOB, "DELETE", EVENTS "/lunch0", NULL);
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "person"), ADA " " BOB);
    assert_string_equal(text_at(d, "changes.1.fields.status.to"), "cancelled");
}

static void an_answer_of_a_guest_is_one_change(void **state)
{
    (void)state;
    as(BOB, "PATCH", EVENTS "/lunch0",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'accepted'}]}");
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "person"), ADA);
    assert_string_equal(members(d, "changes.0.fields"), "attendees");
    assert_string_equal(text_at(d, "changes.0.fields.attendees.added.0.responseStatus"),
                        "accepted");
}

static void an_organizer_is_notified_of_an_answer_and_that_is_not_a_change(void **state)
{
    (void)state;
    as(BOB, "PATCH", EVENTS "/lunch0?sendUpdates=all",
       "{'attendees':[{'email':'bob@acme.example','responseStatus':'declined'}]}");
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "entity"), "event");
    assert_non_null(strstr(column(d, "changes.0.consequences", "entity"), "message"));
}

static void mail_is_its_senders_and_what_arrives_follows_from_it(void **state)
{
    (void)state;
    /* From: ada@acme.example, To: bob@acme.example, out@far.example, Subject: Hi */
    as(ADA, "POST", MAILS "/send",
       "{'raw':'"
       "RnJvbTogYWRhQGFjbWUuZXhhbXBsZQpUbzogYm9iQGFjbWUuZXhhbXBsZSwgb3V0QGZhci5leGFtcGxlClN1YmplY3Q"
       "6IEhpCgpUZXh0Cg=='}");
    as(ADA, "POST", MAILS "/1a2072fc1a08096e/modify",
       "{'addLabelIds':['STARRED'],'removeLabelIds':['INBOX','UNREAD']}");
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "change"), "changed added");
    assert_string_equal(column(d, "changes.0.fields.labels.added", ""), "STARRED");
    assert_string_equal(column(d, "changes.0.fields.labels.removed", ""), "INBOX UNREAD");
    assert_string_equal(text_at(d, "changes.1.value.from"), ADA);
    assert_string_equal(column(d, "changes.1.value.to", ""), BOB " out@far.example");
    assert_string_equal(text_at(d, "changes.1.value.text"), "Text\n");
    assert_string_equal(column(d, "changes.1.consequences", "entity"), "sent message");
}

/* Only a copy in another mailbox follows from what was sent. */
static void a_second_message_with_the_same_id_in_a_mailbox_is_a_change_of_its_own(void **state)
{
    (void)state;
    /* From: ada@acme.example, To: ada@acme.example, Message-ID: <x@y> */
#define RAW                                                                                        \
    "'raw':'RnJvbTogYWRhQGFjbWUuZXhhbXBsZQpUbzogYWRhQGFjbWUuZXhhbXBsZQpNZXNzYWdlLUlEOiA8eEB5PgpTd" \
    "WJqZWN0OiBIaQoKVGV4dAo='"
    as(ADA, "POST", MAILS, "{" RAW ",'labelIds':['SENT']}");
    as(ADA, "POST", MAILS, "{" RAW ",'labelIds':['INBOX']}");
    assert_int_equal(count_at(diff(), "changes"), 2);
}

static void sharing_is_a_change_of_the_file_and_the_notice_follows(void **state)
{
    (void)state;
    as(ADA, "POST", "/drive/v3/files/1PlanFile0/permissions",
       "{'role':'writer','type':'domain','domain':'acme.example'}");
    as(ADA, "PATCH", "/drive/v3/files/1PlanFile0", "{'starred':true}");
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "entity"), "file");
    assert_string_equal(members(d, "changes.0.fields"), "permissions starredBy");
    assert_string_equal(text_at(d, "changes.0.fields.permissions.added.0.role"), "writer");
    assert_string_equal(text_at(d, "changes.0.fields.permissions.added.0.domain"), "acme.example");
}

static void a_notice_that_leaves_the_world_follows_from_the_share(void **state)
{
    (void)state;
    as(ADA, "POST", "/drive/v3/files/1PlanFile0/permissions",
       "{'role':'reader','type':'user','emailAddress':'far@elsewhere.example'}");
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "entity"), "file");
    assert_string_equal(column(d, "changes.0.consequences", "entity"), "sent");
}

/* The file is compared again at a time when its grant has ended. */
static void a_grant_that_ends_is_no_change_whenever_it_is_looked_at(void **state)
{
    (void)state;
    as(ADA, "PATCH", "/drive/v3/files/1PlanFile0", "{'name':'plan2.txt'}");
    assert_string_equal(members(diff(), "changes.0.fields"), "name");
    test_advance(86400);
    assert_string_equal(members(diff(), "changes.0.fields"), "name");
}

static void restrictions_of_files_and_shared_drives_are_changes(void **state)
{
    (void)state;
    const struct json *drive = as(ADA, "POST", "/drive/v3/drives?requestId=r1", "{'name':'Team'}");
    const char *id = text_at(drive, "id");
    uint64_t from = fork_now();
    as(ADA, "PATCH", arena_printf(&test_arena, "/drive/v3/drives/%s", id),
       "{'restrictions':{'domainUsersOnly':true}}");
    assert_int_equal(test_status, 200);
    const struct json *d = diff_since(from);
    assert_string_equal(members(d, "changes.0.fields"), "restrictions.domainUsersOnly");
    from = fork_now();
    as(ADA, "PATCH", "/drive/v3/files/1PlanFile0",
       "{'downloadRestrictions':{'itemDownloadRestriction':{'restrictedForReaders':true}}}");
    assert_int_equal(test_status, 200);
    d = diff_since(from);
    assert_string_equal(members(d, "changes.0.fields"), "downloadRestrictions");
}

static void what_is_said_of_a_file_is_a_change_of_it(void **state)
{
    (void)state;
    const struct json *made =
        as(ADA, "POST", "/drive/v3/files/1PlanFile0/comments?fields=id", "{'content':'When?'}");
    const char *replies =
        arena_printf(&test_arena, "/drive/v3/files/1PlanFile0/comments/%s/replies?fields=id",
                     text_at(made, "id"));
    as(ADA, "POST", replies, "{'content':'Monday','action':'resolve'}");
    const struct json *d = diff();
    assert_string_equal(members(d, "changes.0.fields"), "comments");
    const struct json *said = value_at(d, "changes.0.fields.comments.to.0");
    assert_string_equal(text_at(said, "author"), ADA);
    assert_string_equal(text_at(said, "content"), "When?");
    assert_string_equal(text_at(said, "replies.0.action"), "resolve");
    assert_true(value_at(said, "resolved")->truth);
}

/* What is done beside a file's content: revisions that are kept, and what is asked about it. */
static void what_is_asked_about_a_file_is_a_change(void **state)
{
    (void)state;
    const char *revision =
        text_at(as(ADA, "GET", "/drive/v3/files/1PlanFile0/revisions?fields=revisions(id)", NULL),
                "revisions.0.id");
    uint64_t from = fork_now();
    as(ADA, "PATCH", arena_printf(&test_arena, "/drive/v3/files/1PlanFile0/revisions/%s", revision),
       "{'keepForever':true}");
    assert_int_equal(test_status, 200);
    assert_string_equal(members(diff_since(from), "changes.0.fields"), "revisions");
    from = fork_now();
    const char *id =
        text_at(as(ADA, "POST", "/drive/v3/files/1PlanFile0/approvals:start?fields=approvalId",
                   "{'reviewerEmails':['bob@acme.example']}"),
                "approvalId");
    if (test_status != 200)
        fail_msg("%s", test_body);
    const struct json *d = diff_since(from);
    assert_string_equal(column(d, "changes", "entity"), "driveApproval");
    assert_string_equal(text_at(d, "changes.0.person"), ADA);
    assert_string_equal(text_at(d, "changes.0.title"), "plan.txt");
    assert_string_equal(text_at(d, "changes.0.key.file"), "1PlanFile0");
    assert_string_equal(column(d, "changes.0.consequences", "entity"), "message");
    from = fork_now();
    as(ADA, "POST", arena_printf(&test_arena, "/drive/v3/files/1PlanFile0/approvals/%s:cancel", id),
       "{}");
    assert_int_equal(test_status, 200);
    assert_string_equal(members(diff_since(from), "changes.0.fields"), "status");
}

static void who_administers_the_drives_is_a_change(void **state)
{
    static const char admins[] = "{sosia: 1, driveAdministrators: [bob@acme.example]}";
    (void)state;
    assert_int_equal(
        sosia_world_seed(test_engine, test_world, admins, strlen(admins), NULL, &test_err), 0);
    assert_string_equal(column(diff(), "changes", "name"), "driveAdministrator/bob@acme.example");
}

static void labels_of_calendars_and_events_are_changes(void **state)
{
    (void)state;
    as(ADA, "PATCH", "/calendar/v3/calendars/primary",
       "{'labelProperties':{'eventLabels':[{'id':'l1','name':'Deep work'}]}}");
    if (test_status != 200)
        fail_msg("%s", test_body);
    uint64_t from = fork_now();
    as(ADA, "PATCH", "/calendar/v3/calendars/primary/events/lunch0?eventLabelVersion=1",
       "{'eventLabelId':'l1'}");
    if (test_status != 200)
        fail_msg("%s", test_body);
    assert_string_equal(members(diff_since(from), "changes.0.fields"), "eventLabelId");
    assert_string_equal(members(diff(), "changes.0.fields"), "labelProperties");
}

/* A notice follows from what it is about when it comes, and not in what is done with it later. */
static void what_is_done_with_an_older_notice_is_a_change(void **state)
{
    (void)state;
    as(ADA, "PATCH", "/calendar/v3/calendars/primary/events/lunch0?sendUpdates=all",
       "{'location':'Pier'}");
    const char *id = text_at(as(BOB, "GET", "/gmail/v1/users/me/messages", NULL), "messages.0.id");
    uint64_t from = fork_now();
    as(ADA, "PATCH", "/calendar/v3/calendars/primary/events/lunch0?sendUpdates=none",
       "{'location':'Quay'}");
    as(BOB, "POST", arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s/trash", id), NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(column(diff_since(from), "changes", "entity"), "event message");
    as(BOB, "DELETE", arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s", id), NULL);
    assert_string_equal(column(diff_since(from), "changes", "change"), "changed removed");
}

/* Who may see a calendar does not follow from other changes of it, but that it goes. */
static void who_may_see_a_calendar_is_a_change_of_its_own(void **state)
{
    (void)state;
    as(ADA, "PATCH", "/calendar/v3/calendars/primary", "{'description':'Ships'}");
    as(ADA, "POST", "/calendar/v3/calendars/primary/acl?sendNotifications=false",
       "{'role':'writer','scope':{'type':'user','value':'far@elsewhere.example'}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(column(diff(), "changes", "entity"), "calendar calendarAccess");
    uint64_t from = fork_now();
    const char *id = text_at(as(ADA, "POST", "/calendar/v3/calendars", "{'summary':'Crew'}"), "id");
    assert_string_equal(column(diff_since(from), "changes", "entity"), "calendar");
    as(ADA, "POST",
       arena_printf(&test_arena, "/calendar/v3/calendars/%s/acl?sendNotifications=false", id),
       "{'role':'reader','scope':{'type':'default'}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(column(diff_since(from), "changes", "entity"), "calendar calendarAccess");
    from = fork_now();
    as(ADA, "DELETE", arena_printf(&test_arena, "/calendar/v3/calendars/%s", id), NULL);
    assert_string_equal(column(diff_since(from), "changes", "entity"), "calendar");
}

static void a_channel_notes_its_change_as_its_consequence(void **state)
{
    (void)state;
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *body = quoted("{'channel':'C0GENERAL1','topic':'Ships'}"),
               *post = quoted("{'channel':'C0GENERAL1','text':'Hello'}");
    test_request("POST", "/api/conversations.setTopic", headers, 2, body, strlen(body));
    assert_string_equal(test_status == 200 ? "" : test_body, "");
    test_request("POST", "/api/chat.postMessage", headers, 2, post, strlen(post));
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "entity"), "chatMessage channel");
    assert_string_equal(text_at(d, "changes.0.value.channel_name"), "general");
    assert_string_equal(text_at(d, "changes.0.value.user_email"), ADA);
    assert_string_equal(members(d, "changes.1.fields"), "topic");
    assert_string_equal(column(d, "changes.1.consequences", "entity"), "chatMessage");
}

/* What somebody says there meanwhile is a change of its own, whatever kind it is of. */
static void what_is_said_in_a_channel_is_no_consequence(void **state)
{
    (void)state;
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *topic = quoted("{'channel':'C0GENERAL1','topic':'Ships'}"),
               *waves = quoted("{'channel':'C0GENERAL1','text':'waves'}");
    test_request("POST", "/api/conversations.setTopic", headers, 2, topic, strlen(topic));
    test_request("POST", "/api/chat.meMessage", headers, 2, waves, strlen(waves));
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "entity"), "chatMessage channel");
    assert_string_equal(text_at(d, "changes.0.value.subtype"), "me_message");
    assert_string_equal(column(d, "changes.1.consequences", "entity"), "chatMessage");
}

/* The row is not there any more, and the name is that of before. */
static void what_was_deleted_has_the_name_that_it_had(void **state)
{
    (void)state;
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *post = quoted("{'channel':'C0GENERAL1','text':'Hello'}");
    const struct json *made =
        test_request("POST", "/api/chat.postMessage", headers, 2, post, strlen(post));
    const char *ts = text_at(made, "ts");
    const char *gone = quoted(arena_printf(&test_arena, "{'channel':'C0GENERAL1','ts':'%s'}", ts));
    uint64_t before = fork_now();
    test_request("POST", "/api/chat.delete", headers, 2, gone, strlen(gone));
    const struct json *d = diff_since(before);
    assert_string_equal(column(d, "changes", "change"), "removed");
    assert_string_equal(text_at(d, "changes.0.name"),
                        arena_printf(&test_arena, "chatMessage/C0GENERAL1/%s", ts));
    assert_string_equal(text_at(d, "changes.0.key.ts"), ts);
}

/* Logins, what was done with apps, and shared channels have no ids: they are named by all that they
 * are, and by a number where that is the same. */
static void what_has_no_id_has_a_name_of_its_own(void **state)
{
    static const char more[] =
        "sosia: 1\n"
        "apps: [{client_id: '1.2', name: Helper}]\n"
        "workspaces: [{id: T0BETA0001, domain: beta, name: Beta}, {id: T0GAMMA001, domain: gamma, "
        "name: Gamma}]\n"
        "chatLogins:\n"
        "  - {workspace: T0ACME0001, user: ada@acme.example, first: 1771100000, ip: 192.0.2.1, "
        "agent: Browser}\n"
        "  - {workspace: T0ACME0001, user: ada@acme.example, first: 1771100000, ip: 192.0.2.1, "
        "agent: Phone/2}\n"
        "chatAppLogs:\n"
        "  - {workspace: T0ACME0001, app: '1.2', user: ada@acme.example, at: 1771100000, change: "
        "updated}\n"
        "  - {workspace: T0ACME0001, app: '1.2', user: ada@acme.example, at: 1771100000, change: "
        "updated}\n"
        "  - {workspace: T0ACME0001, app: '1.2', user: ada@acme.example, at: 1771100000, change: "
        "removed}\n"
        "sharedChannels:\n"
        "  - {workspace: T0ACME0001, channel: general, with: T0BETA0001}\n"
        "  - {workspace: T0ACME0001, channel: general, with: T0GAMMA001}\n";
    static const char *const kinds[] = {"chatLogin", "chatAppLog", "sharedChannel"};
    static const size_t expected[] = {2, 3, 2};
    size_t found[3] = {0};
    (void)state;
    if (sosia_world_seed(test_engine, test_world, more, strlen(more), NULL, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const struct json *list = value_at(diff(), "changes");
    for (uint32_t i = 0; i < list->n; i++) {
        const char *name = text_at(&list->items[i], "name");
        for (size_t k = 0; k < SOSIA_LEN(kinds); k++)
            found[k] += strcmp(text_at(&list->items[i], "entity"), kinds[k]) == 0;
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(text_at(&list->items[k], "name"), name);
    }
    for (size_t k = 0; k < SOSIA_LEN(kinds); k++)
        assert_int_equal(found[k], expected[k]);
}

static void what_a_workspace_has_is_its_peoples(void **state)
{
    static const struct {
        const char *method, *body;
    } calls[] = {
        {"reminders.add", "{'text':'Call Bob','time':'in 2 hours'}"},
        {"canvases.create",
         "{'title':'Notes','document_content':{'type':'markdown','markdown':'# Hi'}}"},
        {"usergroups.create", "{'name':'Crew'}"},
        {"users.profile.set", "{'profile':{'title':'Captain'}}"},
    };
    (void)state;
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    test_advance(60);
    for (size_t i = 0; i < SOSIA_LEN(calls); i++) {
        const char *body = quoted(calls[i].body);
        test_request("POST", arena_printf(&test_arena, "/api/%s", calls[i].method), headers, 2,
                     body, strlen(body));
        assert_null(strstr(test_body, "\"ok\":false"));
    }
    const struct json *d = diff();
    assert_string_equal(column(d, "changes", "entity"), "canvas chatMember chatReminder userGroup");
    assert_string_equal(column(d, "changes", "service"), "slack slack slack slack");
    assert_string_equal(column(d, "changes", "person"), ADA " " ADA " " ADA " " ADA);
    assert_string_equal(column(d, "changes", "title"), "Notes Ada Call Bob Crew");
    assert_string_equal(column(d, "changes.0.consequences", "entity"), "chatFile");
    assert_string_equal(members(d, "changes.1.fields"), "title"); /* and no time of the change */
    assert_non_null(
        strstr(members(diff_with(SOSIA_DIFF_JSON, true), "changes.1.fields"), "updated"));
}

static void a_patch_leads_to_the_same_fields(void **state)
{
    (void)state;
    as(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Supper','location':'Bar'}");
    const struct json *p = diff_with(SOSIA_DIFF_PATCH, false);
    assert_string_equal(column(p, "", "op"), "replace add replace add");
    assert_string_equal(text_at(p, "0.path"), "/event~1ada@acme.example~1lunch0/summary");
    assert_string_equal(text_at(p, "1.value"), "Bar");
}

static void what_changes_by_itself_is_shown_when_it_is_asked_for(void **state)
{
    (void)state;
    as(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Supper'}");
    assert_string_equal(members(diff(), "changes.0.fields"), "summary");
    assert_non_null(strstr(members(diff_with(SOSIA_DIFF_JSON, true), "changes.0.fields"), "etag"));
}

/* Many worlds that begin in one state are compared with it at once. */
enum { COMPARERS = 4, COMPARISONS = 10 };

static void *compare(void *arg)
{
    const char *expected = arg;
    for (int i = 0; i < COMPARISONS; i++) {
        struct sosia_blob blob;
        struct sosia_err err;
        if (sosia_diff(test_engine, 0, test_world, NULL, &blob, &err) < 0)
            return arg;
        bool same = strcmp(blob.data, expected) == 0;
        sosia_blob_free(&blob);
        if (!same)
            return arg;
    }
    return NULL;
}

static void threads_that_compare_with_one_state_see_the_same(void **state)
{
    (void)state;
    pthread_t threads[COMPARERS];
    struct sosia_blob blob;
    as(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Late lunch'}");
    as(ADA, "POST", MAILS "/1a2072fc1a08096e/modify", "{'removeLabelIds':['UNREAD']}");
    as(ADA, "PATCH", "/drive/v3/files/1PlanFile0", "{'name':'plan2.txt'}");
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &blob, &test_err), 0);
    for (int i = 0; i < COMPARERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compare, (void *)(uintptr_t)blob.data),
                         0);
    for (int i = 0; i < COMPARERS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    sosia_blob_free(&blob);
}

static void the_letter_of_a_shared_calendar_follows_from_the_share(void **state)
{
    static const char *const who[] = {BOB, "eve@else.example"}, *const kinds[] = {"message",
                                                                                  "sent"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t before = fork_now();
        as(ADA, "POST", "/calendar/v3/calendars/primary/acl",
           arena_printf(&test_arena, "{'role':'reader','scope':{'type':'user','value':'%s'}}",
                        who[i]));
        const struct json *d = diff_since(before);
        assert_int_equal(count_at(d, "changes"), 1);
        assert_string_equal(text_at(d, "changes.0.entity"), "calendarAccess");
        assert_string_equal(column(d, "changes.0.consequences", "entity"), kinds[i]);
    }
    /* What a person writes in the same words is a letter of its own. */
    uint64_t before = fork_now();
    as(ADA, "POST", MAILS "/send",
       "{'raw':'"
       "VG86IGJvYkBhY21lLmV4YW1wbGUNClN1YmplY3Q6IEFkYSBoYXMgc2hhcmVkIGEgY2FsZW5kYXIgd2l0aCB5"
       "b3UNCg0KKGFkYUBhY21lLmV4YW1wbGUpLg=='}");
    assert_string_equal(column(diff_since(before), "changes", "entity"), "message");
}

static void an_entry_of_a_list_names_its_calendar(void **state)
{
    (void)state;
    as(ADA, "POST", "/calendar/v3/calendars/primary/acl?sendNotifications=false",
       "{'role':'reader','scope':{'type':'user','value':'" BOB "'}}");
    uint64_t before = fork_now();
    as(BOB, "POST", "/calendar/v3/users/me/calendarList", "{'id':'" ADA "'}");
    const struct json *d = diff_since(before);
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
        uint64_t before = fork_now();
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
        const struct json *d = diff_since(before);
        assert_int_equal(count_at(d, "changes"), 1);
        assert_string_equal(text_at(d, "changes.0.entity"), "google_channel");
        uris[i] = text_at(d, "changes.0.value.uri");
    }
    assert_string_equal(uris[0], uris[1]);
    assert_non_null(strstr(uris[0], "/calendar/v3/calendars/primary/events"));
}

static void worlds_that_are_not_there_are_named(void **state)
{
    (void)state;
    struct sosia_blob blob;
    assert_int_equal(sosia_diff(test_engine, 1, test_world, NULL, &blob, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_int_equal(sosia_diff(test_engine, 0, 7, NULL, &blob, NULL), -1);
}

#define test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

/* Events with much text, of which some are changed, and changed back, and most deleted. */
static void work_on_many_pages(void)
{
    char text[8001], body[8400], target[120];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 60; i++) {
        snprintf(
            body, sizeof body,
            "{'id':'event%03d','summary':'E%d','description':'%s','start':{'date':'2026-12-01'},"
            "'end':{'date':'2026-12-02'},'attendees':[{'email':'" BOB "'}]}",
            i, i, text);
        as(ADA, "POST", EVENTS, body);
    }
    for (int i = 0; i < 60; i++) {
        snprintf(target, sizeof target, EVENTS "/event%03d", i);
        snprintf(body, sizeof body, "{'description':'%c%s'}", 'a' + i % 3, text + 1);
        if (i % 7 < 3)
            as(ADA, "PATCH", EVENTS "/lunch0", i % 2 ? "{'summary':'A'}" : "{'summary':'B'}");
        as(ADA, "PATCH", target, body);
        if (i % 4)
            as(ADA, "DELETE", target, NULL);
    }
}

/* Beside what is found without the state that they are near to. */
static void assert_same_changes(uint64_t world, int64_t seq, struct journal_near *near)
{
    struct sosia_blob plain, found;
    struct sosia_err err;
    int rc = sosia_journal_changes(test_engine, world, seq, &plain, &test_err);
    assert_int_equal(journal_changes_near(test_engine, world, seq, near, &found, &err), rc);
    if (rc < 0) {
        assert_string_equal(err.text, test_err.text);
        return;
    }
    assert_string_equal(found.data, plain.data);
    sosia_blob_free(&plain);
    sosia_blob_free(&found);
}

static void calls_near_to_each_other_have_changed_what_each_has(void **state)
{
    enum { LAST = 190 };
    struct journal_near near = {0};
    uint32_t most = 0;
    uint64_t fork;
    (void)state;
    work_on_many_pages();
    fork = fork_now();
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    as(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Again'}");
    for (int64_t seq = LAST; seq > 0; seq--) {
        assert_same_changes(fork, seq, &near);
        most = near.tree.n_private > most ? near.tree.n_private : most;
    }
    assert_true(most > 256); /* from which on it is made use of */
    for (int64_t seq = 1; seq <= LAST; seq++)
        assert_same_changes(fork, seq, &near);
    for (int i = 0; i < 60; i++) /* however far it is */
        assert_same_changes(i % 5 ? fork : test_world, i * 77 % LAST + 1, &near);
    journal_near_done(&near);
    assert_null(near.tree.root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(nothing_has_changed_where_nothing_was_done),
        test(a_move_is_one_change_with_the_guests_copy_and_mail_behind_it),
        test(an_instance_that_is_cancelled_is_removed_and_one_that_is_moved_is_changed),
        test(changed_instances_go_with_their_series),
        test(changed_instances_go_with_a_series_that_moves_under_another_title),
        test(an_instance_that_is_cancelled_behind_a_move_of_its_series_is_removed),
        test(a_guest_who_takes_the_copy_away_has_changed_it),
        test(an_answer_of_a_guest_is_one_change),
        test(an_organizer_is_notified_of_an_answer_and_that_is_not_a_change),
        test(mail_is_its_senders_and_what_arrives_follows_from_it),
        test(a_second_message_with_the_same_id_in_a_mailbox_is_a_change_of_its_own),
        test(sharing_is_a_change_of_the_file_and_the_notice_follows),
        test(a_notice_that_leaves_the_world_follows_from_the_share),
        test(a_grant_that_ends_is_no_change_whenever_it_is_looked_at),
        test(restrictions_of_files_and_shared_drives_are_changes),
        test(what_is_said_of_a_file_is_a_change_of_it),
        test(a_channel_notes_its_change_as_its_consequence),
        test(what_is_asked_about_a_file_is_a_change),
        test(who_administers_the_drives_is_a_change),
        test(labels_of_calendars_and_events_are_changes),
        test(what_is_done_with_an_older_notice_is_a_change),
        test(who_may_see_a_calendar_is_a_change_of_its_own),
        test(what_is_said_in_a_channel_is_no_consequence),
        test(what_was_deleted_has_the_name_that_it_had),
        test(what_has_no_id_has_a_name_of_its_own),
        test(what_a_workspace_has_is_its_peoples),
        test(a_patch_leads_to_the_same_fields),
        test(what_changes_by_itself_is_shown_when_it_is_asked_for),
        test(calls_near_to_each_other_have_changed_what_each_has),
        test(threads_that_compare_with_one_state_see_the_same),
        test(the_letter_of_a_shared_calendar_follows_from_the_share),
        test(an_entry_of_a_list_names_its_calendar),
        test(a_channel_of_a_fork_watches_the_same),
        test(worlds_that_are_not_there_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
