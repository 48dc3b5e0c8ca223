/* SPDX-License-Identifier: Apache-2.0 */
/* The diff of a person's actions: in the vendors' terms, with what follows from them. */
#include "tests/support/diffs.h"
#include <pthread.h>
#include <stdio.h>

static void nothing_has_changed_where_nothing_was_done(void **state)
{
    (void)state;
    diffs_act(ADA, "GET", EVENTS, NULL);
    test_advance(86400); /* the grant has ended meanwhile, which is not an action */
    diffs_act(ADA, "GET", "/drive/v3/files", NULL);
    assert_int_equal(count_at(diffs_now(), "changes"), 0);
}

static void mail_is_its_senders_and_what_arrives_follows_from_it(void **state)
{
    (void)state;
    /* From: ada@acme.example, To: bob@acme.example, out@far.example, Subject: Hi */
    diffs_act(ADA, "POST", MAILS "/send",
              "{'raw':'"
              "RnJvbTogYWRhQGFjbWUuZXhhbXBsZQpUbzogYm9iQGFjbWUuZXhhbXBsZSwgb3V0QGZhci5leGFtcGxlClN1"
              "YmplY3Q"
              "6IEhpCgpUZXh0Cg=='}");
    diffs_act(ADA, "POST", MAILS "/1a2072fc1a08096e/modify",
              "{'addLabelIds':['STARRED'],'removeLabelIds':['INBOX','UNREAD']}");
    const struct json *d = diffs_now();
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
    diffs_act(ADA, "POST", MAILS, "{" RAW ",'labelIds':['SENT']}");
    diffs_act(ADA, "POST", MAILS, "{" RAW ",'labelIds':['INBOX']}");
    assert_int_equal(count_at(diffs_now(), "changes"), 2);
}

static void sharing_is_a_change_of_the_file_and_the_notice_follows(void **state)
{
    (void)state;
    diffs_act(ADA, "POST", "/drive/v3/files/1PlanFile0/permissions",
              "{'role':'writer','type':'domain','domain':'acme.example'}");
    diffs_act(ADA, "PATCH", "/drive/v3/files/1PlanFile0", "{'starred':true}");
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "entity"), "file");
    assert_string_equal(members(d, "changes.0.fields"), "permissions starredBy");
    assert_string_equal(text_at(d, "changes.0.fields.permissions.added.0.role"), "writer");
    assert_string_equal(text_at(d, "changes.0.fields.permissions.added.0.domain"), "acme.example");
}

static void a_notice_that_leaves_the_world_follows_from_the_share(void **state)
{
    (void)state;
    diffs_act(ADA, "POST", "/drive/v3/files/1PlanFile0/permissions",
              "{'role':'reader','type':'user','emailAddress':'far@elsewhere.example'}");
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "entity"), "file");
    assert_string_equal(column(d, "changes.0.consequences", "entity"), "sent");
}

/* The file is compared again at a time when its grant has ended. */
static void a_grant_that_ends_is_no_change_whenever_it_is_looked_at(void **state)
{
    (void)state;
    diffs_act(ADA, "PATCH", "/drive/v3/files/1PlanFile0", "{'name':'plan2.txt'}");
    assert_string_equal(members(diffs_now(), "changes.0.fields"), "name");
    test_advance(86400);
    assert_string_equal(members(diffs_now(), "changes.0.fields"), "name");
}

static void restrictions_of_files_and_shared_drives_are_changes(void **state)
{
    (void)state;
    const struct json *drive =
        diffs_act(ADA, "POST", "/drive/v3/drives?requestId=r1", "{'name':'Team'}");
    const char *id = text_at(drive, "id");
    uint64_t from = diffs_fork();
    diffs_act(ADA, "PATCH", arena_printf(&test_arena, "/drive/v3/drives/%s", id),
              "{'restrictions':{'domainUsersOnly':true}}");
    assert_int_equal(test_status, 200);
    const struct json *d = diffs_since(from);
    assert_string_equal(members(d, "changes.0.fields"), "restrictions.domainUsersOnly");
    from = diffs_fork();
    diffs_act(ADA, "PATCH", "/drive/v3/files/1PlanFile0",
              "{'downloadRestrictions':{'itemDownloadRestriction':{'restrictedForReaders':true}}}");
    assert_int_equal(test_status, 200);
    d = diffs_since(from);
    assert_string_equal(members(d, "changes.0.fields"), "downloadRestrictions");
}

static void what_is_said_of_a_file_is_a_change_of_it(void **state)
{
    (void)state;
    const struct json *made = diffs_act(
        ADA, "POST", "/drive/v3/files/1PlanFile0/comments?fields=id", "{'content':'When?'}");
    const char *replies =
        arena_printf(&test_arena, "/drive/v3/files/1PlanFile0/comments/%s/replies?fields=id",
                     text_at(made, "id"));
    diffs_act(ADA, "POST", replies, "{'content':'Monday','action':'resolve'}");
    const struct json *d = diffs_now();
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
    const char *revision = text_at(
        diffs_act(ADA, "GET", "/drive/v3/files/1PlanFile0/revisions?fields=revisions(id)", NULL),
        "revisions.0.id");
    uint64_t from = diffs_fork();
    diffs_act(ADA, "PATCH",
              arena_printf(&test_arena, "/drive/v3/files/1PlanFile0/revisions/%s", revision),
              "{'keepForever':true}");
    assert_int_equal(test_status, 200);
    assert_string_equal(members(diffs_since(from), "changes.0.fields"), "revisions");
    from = diffs_fork();
    const char *id = text_at(
        diffs_act(ADA, "POST", "/drive/v3/files/1PlanFile0/approvals:start?fields=approvalId",
                  "{'reviewerEmails':['bob@acme.example']}"),
        "approvalId");
    if (test_status != 200)
        fail_msg("%s", test_body);
    const struct json *d = diffs_since(from);
    assert_string_equal(column(d, "changes", "entity"), "driveApproval");
    assert_string_equal(text_at(d, "changes.0.person"), ADA);
    assert_string_equal(text_at(d, "changes.0.title"), "plan.txt");
    assert_string_equal(text_at(d, "changes.0.key.file"), "1PlanFile0");
    assert_string_equal(column(d, "changes.0.consequences", "entity"), "message");
    from = diffs_fork();
    diffs_act(ADA, "POST",
              arena_printf(&test_arena, "/drive/v3/files/1PlanFile0/approvals/%s:cancel", id),
              "{}");
    assert_int_equal(test_status, 200);
    assert_string_equal(members(diffs_since(from), "changes.0.fields"), "status");
}

static void who_administers_the_drives_is_a_change(void **state)
{
    static const char admins[] = "{sosia: 1, driveAdministrators: [bob@acme.example]}";
    (void)state;
    assert_int_equal(
        sosia_world_seed(test_engine, test_world, admins, strlen(admins), NULL, &test_err), 0);
    assert_string_equal(column(diffs_now(), "changes", "name"),
                        "driveAdministrator/bob@acme.example");
}

/* A notice follows from what it is about when it comes, and not in what is done with it later. */
static void what_is_done_with_an_older_notice_is_a_change(void **state)
{
    (void)state;
    diffs_act(ADA, "PATCH", "/calendar/v3/calendars/primary/events/lunch0?sendUpdates=all",
              "{'location':'Pier'}");
    const char *id =
        text_at(diffs_act(BOB, "GET", "/gmail/v1/users/me/messages", NULL), "messages.0.id");
    uint64_t from = diffs_fork();
    diffs_act(ADA, "PATCH", "/calendar/v3/calendars/primary/events/lunch0?sendUpdates=none",
              "{'location':'Quay'}");
    diffs_act(BOB, "POST", arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s/trash", id),
              NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(column(diffs_since(from), "changes", "entity"), "event message");
    diffs_act(BOB, "DELETE", arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s", id), NULL);
    assert_string_equal(column(diffs_since(from), "changes", "change"), "changed removed");
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
    const struct json *d = diffs_now();
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
    const struct json *d = diffs_now();
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
    uint64_t before = diffs_fork();
    test_request("POST", "/api/chat.delete", headers, 2, gone, strlen(gone));
    const struct json *d = diffs_since(before);
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
    const struct json *list = value_at(diffs_now(), "changes");
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
    const struct json *d = diffs_now();
    assert_string_equal(column(d, "changes", "entity"), "canvas chatMember chatReminder userGroup");
    assert_string_equal(column(d, "changes", "service"), "slack slack slack slack");
    assert_string_equal(column(d, "changes", "person"), ADA " " ADA " " ADA " " ADA);
    assert_string_equal(column(d, "changes", "title"), "Notes Ada Call Bob Crew");
    assert_string_equal(column(d, "changes.0.consequences", "entity"), "chatFile");
    assert_string_equal(members(d, "changes.1.fields"), "title"); /* and no time of the change */
    assert_non_null(
        strstr(members(diffs_with(SOSIA_DIFF_JSON, true), "changes.1.fields"), "updated"));
}

static void a_patch_leads_to_the_same_fields(void **state)
{
    (void)state;
    diffs_act(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Supper','location':'Bar'}");
    const struct json *p = diffs_with(SOSIA_DIFF_PATCH, false);
    assert_string_equal(column(p, "", "op"), "replace add replace add");
    assert_string_equal(text_at(p, "0.path"), "/event~1ada@acme.example~1lunch0/summary");
    assert_string_equal(text_at(p, "1.value"), "Bar");
}

static void what_changes_by_itself_is_shown_when_it_is_asked_for(void **state)
{
    (void)state;
    diffs_act(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Supper'}");
    assert_string_equal(members(diffs_now(), "changes.0.fields"), "summary");
    assert_non_null(strstr(members(diffs_with(SOSIA_DIFF_JSON, true), "changes.0.fields"), "etag"));
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
    diffs_act(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Late lunch'}");
    diffs_act(ADA, "POST", MAILS "/1a2072fc1a08096e/modify", "{'removeLabelIds':['UNREAD']}");
    diffs_act(ADA, "PATCH", "/drive/v3/files/1PlanFile0", "{'name':'plan2.txt'}");
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

static void worlds_that_are_not_there_are_named(void **state)
{
    (void)state;
    struct sosia_blob blob;
    assert_int_equal(sosia_diff(test_engine, 1, test_world, NULL, &blob, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_int_equal(sosia_diff(test_engine, 0, 7, NULL, &blob, NULL), -1);
}

#define test(f) cmocka_unit_test_setup_teardown(f, diffs_open, diffs_close)

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
        diffs_act(ADA, "POST", EVENTS, body);
    }
    for (int i = 0; i < 60; i++) {
        snprintf(target, sizeof target, EVENTS "/event%03d", i);
        snprintf(body, sizeof body, "{'description':'%c%s'}", 'a' + i % 3, text + 1);
        if (i % 7 < 3)
            diffs_act(ADA, "PATCH", EVENTS "/lunch0",
                      i % 2 ? "{'summary':'A'}" : "{'summary':'B'}");
        diffs_act(ADA, "PATCH", target, body);
        if (i % 4)
            diffs_act(ADA, "DELETE", target, NULL);
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
    fork = diffs_fork();
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    diffs_act(ADA, "PATCH", EVENTS "/lunch0", "{'summary':'Again'}");
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
        test(what_is_done_with_an_older_notice_is_a_change),
        test(what_is_said_in_a_channel_is_no_consequence),
        test(what_was_deleted_has_the_name_that_it_had),
        test(what_has_no_id_has_a_name_of_its_own),
        test(what_a_workspace_has_is_its_peoples),
        test(a_patch_leads_to_the_same_fields),
        test(what_changes_by_itself_is_shown_when_it_is_asked_for),
        test(calls_near_to_each_other_have_changed_what_each_has),
        test(threads_that_compare_with_one_state_see_the_same),
        test(worlds_that_are_not_there_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
