/* SPDX-License-Identifier: Apache-2.0 */
/* The feed of changes, and its channels. */
#include "tests/support/gdrive.h"

#define FOLDER "'mimeType':'application/vnd.google-apps.folder'"

static const char *start(const char *who)
{
    return text_at(as(who, "GET", "/changes/startPageToken", NULL), "startPageToken");
}

static const struct json *since(const char *who, const char *token)
{
    const struct json *v = as(
        who, "GET",
        arena_printf(&test_arena,
                     "/changes?pageToken=%s&fields=newStartPageToken,nextPageToken,changes(fileId,"
                     "removed,file(name,trashed))",
                     token),
        NULL);
    assert_int_equal(test_status, 200);
    return v;
}

static const char *permission(const char *id, const char *email)
{
    const struct json *v =
        as(ADA, "POST",
           arena_printf(&test_arena, "/files/%s/permissions?sendNotificationEmail=false", id),
           arena_printf(&test_arena, "{'type':'user','role':'reader','emailAddress':'%s'}", email));
    assert_int_equal(test_status, 200);
    return text_at(v, "id");
}

static void a_file_is_there_once_with_its_last_state(void **state)
{
    (void)state;
    const char *token = start(ADA);
    const char *f = make(ADA, "{'name':'a'}"), *g = make(ADA, "{'name':'b'}");
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", f), "{'name':'c'}");
    const struct json *v = since(ADA, token);
    assert_int_equal(count_at(v, "changes"), 2);
    assert_string_equal(text_at(v, "changes.0.fileId"), g);
    assert_string_equal(text_at(v, "changes.1.file.name"), "c");
    v = since(ADA, text_at(v, "newStartPageToken"));
    assert_int_equal(count_at(v, "changes"), 0);
    assert_int_equal(count_at(since(BOB, token), "changes"), 0);
}

static void deletion_and_loss_of_access_look_alike(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'a'}");
    const char *id = permission(f, BOB);
    const char *token = start(BOB);
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s/permissions/%s", f, id), NULL);
    assert_int_equal(test_status, 204);
    const struct json *v = since(BOB, token);
    assert_int_equal(count_at(v, "changes"), 1);
    assert_true(true_at(v, "changes.0.removed"));
    assert_string_equal(members(v, "changes.0"), "removed fileId");
    assert_int_equal(count_at(since(CYD, token), "changes"), 0);
    token = start(ADA);
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", f), NULL);
    v = since(ADA, token);
    assert_int_equal(count_at(v, "changes"), 1);
    assert_true(true_at(v, "changes.0.removed"));
    v = as(ADA, "GET",
           arena_printf(&test_arena, "/changes?includeRemoved=false&pageToken=%s", token), NULL);
    assert_int_equal(count_at(v, "changes"), 0);
}

static void pages_of_changes_add_up(void **state)
{
    (void)state;
    const char *token = start(ADA);
    size_t n = 0;
    for (int i = 0; i < 7; i++)
        make(ADA, "{'name':'a'}");
    while (token) {
        const struct json *v = as(
            ADA, "GET", arena_printf(&test_arena, "/changes?pageSize=3&pageToken=%s", token), NULL);
        assert_int_equal(test_status, 200);
        n += count_at(v, "changes");
        token = text_at(v, "nextPageToken");
    }
    assert_int_equal(n, 7);
    as(ADA, "GET", "/changes?pageToken=x", NULL);
    assert_refused(400, "invalid");
    as(ADA, "GET", "/changes", NULL);
    assert_refused(400, "required");
}

static void a_folder_that_is_shared_is_one_change(void **state)
{
    (void)state;
    const char *a = make(ADA, "{'name':'A'," FOLDER "}");
    make(ADA, arena_printf(&test_arena, "{'name':'f','parents':['%s']}", a));
    const char *token = start(BOB);
    permission(a, BOB);
    assert_int_equal(count_at(since(BOB, token), "changes"), 1);
}

/* The headers of the outbox's entries to an address: state and what changed. */
static const char *states(const char *address)
{
    const struct json *v = test_outbox();
    const char *out = "";
    const struct json *list = value_at(v, "");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *one = &list->items[i];
        const char *to = text_at(one, "to");
        if (!to || strcmp(to, address) != 0)
            continue;
        const char *changed = text_at(one, "payload.headers.X-Goog-Changed");
        out = arena_printf(&test_arena, "%s%s%s%s%s", out, *out ? " " : "",
                           text_at(one, "payload.headers.X-Goog-Resource-State"),
                           changed ? ":" : "", changed ? changed : "");
    }
    return out;
}

static void watchers_get_what_was_done(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'a'}");
    as(ADA, "POST", arena_printf(&test_arena, "/files/%s/watch", f),
       "{'id':'c1','type':'web_hook','address':'https://hook.example/file'}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST", arena_printf(&test_arena, "/changes/watch?pageToken=%s", start(ADA)),
       "{'id':'c2','type':'web_hook','address':'https://hook.example/feed'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", f), "{'name':'b'}");
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", f), "{'trashed':true}");
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", f), "{'trashed':false}");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", f), NULL);
    assert_string_equal(states("https://hook.example/file"),
                        "sync update:properties trash untrash remove");
    assert_string_equal(states("https://hook.example/feed"), "sync change change change change");
}

static void a_channel_lives_for_an_hour(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'a'}");
    const struct json *v = as(ADA, "POST", arena_printf(&test_arena, "/files/%s/watch", f),
                              "{'id':'c1','type':'web_hook','address':'https://hook.example/a'}");
    assert_string_equal(text_at(v, "expiration"), "1795424400000");
    v = as(ADA, "POST", arena_printf(&test_arena, "/files/%s/watch", f),
           "{'id':'c3','type':'web_hook','address':'https://hook.example/a','params':"
           "{'ttl':'1000000'}}");
    assert_string_equal(text_at(v, "expiration"), "1795507200000"); /* a day at most */
    as(ADA, "POST", "/channels/stop",
       arena_printf(&test_arena, "{'id':'c3','resourceId':'%s'}", text_at(v, "resourceId")));
    assert_int_equal(test_status, 204);
    as(ADA, "POST", arena_printf(&test_arena, "/files/%s/watch", f),
       "{'id':'c2','type':'web_hook','address':'ftp://hook.example/a'}");
    assert_refused(400, "push.webhookUrlNotHttps");
}

static void channels_go_on_in_a_world_of_the_dump(void **state)
{
    (void)state;
    const char *f = arena_strdup(&test_arena, make(ADA, "{'name':'a'}"));
    const struct json *drive = as(ADA, "POST", "/drives?requestId=r1", "{'name':'Plans'}");
    const char *d = arena_strdup(&test_arena, text_at(drive, "id"));
    as(ADA, "POST", arena_printf(&test_arena, "/files/%s/watch", f),
       "{'id':'c1','type':'web_hook','address':'https://hook.example/file'}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST", arena_printf(&test_arena, "/changes/watch?pageToken=%s", start(ADA)),
       "{'id':'c2','type':'web_hook','address':'https://hook.example/feed'}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST",
       arena_printf(&test_arena,
                    "/changes/watch?pageToken=%s&driveId=%s&supportsAllDrives=true"
                    "&includeItemsFromAllDrives=true",
                    start(ADA), d),
       "{'id':'c3','type':'web_hook','address':'https://hook.example/drive'}");
    assert_int_equal(test_status, 200);
    const char *first = json_to_text(&test_arena, test_dump());
    test_use(first);
    const struct json *dump = test_dump();
    assert_string_equal(json_to_text(&test_arena, dump), first);
    assert_string_equal(column(dump, "driveChannels", "watch"), "file changes driveChanges");
    assert_string_equal(text_at(dump, "driveChannels.0.file"), f);
    assert_string_equal(text_at(dump, "driveChannels.2.drive"), d);
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", f), "{'name':'b'}");
    assert_string_equal(states("https://hook.example/file"), "update:properties");
    assert_string_equal(states("https://hook.example/feed"), "change");
    as(ADA, "POST", "/files?supportsAllDrives=true",
       arena_printf(&test_arena, "{'name':'c','parents':['%s']}", d));
    assert_string_equal(states("https://hook.example/drive"), "change");
}

/* The row of the last file is given again; its channel is of the file that was deleted. */
static void channels_of_what_was_deleted_are_of_nothing(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'a'}");
    as(ADA, "POST", arena_printf(&test_arena, "/files/%s/watch", f),
       "{'id':'c1','type':'web_hook','address':'https://hook.example/file'}");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", f), NULL);
    assert_int_equal(test_status, 204);
    const char *other = make(ADA, "{'name':'other'}");
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", other), "{'name':'b'}");
    assert_string_equal(states("https://hook.example/file"), "sync remove");
    const char *first = json_to_text(&test_arena, test_dump());
    assert_true(true_at(test_dump(), "driveChannels.0.gone"));
    test_use(first);
    assert_string_equal(json_to_text(&test_arena, test_dump()), first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_file_is_there_once_with_its_last_state),
        gdrive_test(deletion_and_loss_of_access_look_alike),
        gdrive_test(pages_of_changes_add_up),
        gdrive_test(a_folder_that_is_shared_is_one_change),
        gdrive_test(watchers_get_what_was_done),
        gdrive_test(a_channel_lives_for_an_hour),
        gdrive_test(channels_go_on_in_a_world_of_the_dump),
        gdrive_test(channels_of_what_was_deleted_are_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
