/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the upload in three steps, sharing, lists, download, deletion. */
#include <stdio.h>

#include "tests/support/slack.h"

static const char *path_of(const char *url)
{
    const char *host = strstr(url, "://") + 3;
    return strchr(host, '/');
}

static const char *upload(const char *who, const char *name, const char *content)
{
    const struct json *v =
        slack(who, "files.getUploadURLExternal", "filename=%s&length=%zu", name, strlen(content));
    assert_slack(NULL);
    const char *id = text_at(v, "file_id"), *url = text_at(v, "upload_url");
    assert_int_equal(strncmp(url, "https://files.slack.com/upload/v1/", 34), 0);
    /* As the Ruby client does: bytes under a form's type. */
    slack_call("POST", arena_printf(&test_arena, "/@files.slack.com%s", path_of(url)),
               "application/x-www-form-urlencoded", NULL, content);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body, arena_printf(&test_arena, "OK - %zu", strlen(content)));
    return id;
}

static void an_upload_has_three_steps(void **state)
{
    const char *id = upload(ALICE, "Notes.txt", "first line\n100% of it & more = x\n");
    slack(ALICE, "files.info", "file=%s", id);
    assert_slack("file_not_found");
    const struct json *v = slack(ALICE, "files.completeUploadExternal",
                                 "files=[{\"id\":\"%s\",\"title\":\"My notes\"}]&channel_id=" DEV
                                 "&initial_comment=see this",
                                 id);
    assert_slack(NULL);
    assert_string_equal(
        members(v, "files.0"),
        "id created timestamp name title mimetype filetype pretty_type user user_team editable "
        "size "
        "mode is_external external_type is_public public_url_shared display_as_bot username "
        "url_private url_private_download media_display_type permalink permalink_public "
        "comments_count is_starred shares channels groups ims has_more_shares has_rich_preview "
        "file_access");
    assert_string_equal(text_at(v, "files.0.mimetype"), "");
    assert_string_equal(
        text_at(v, "files.0.url_private"),
        arena_printf(&test_arena, "https://files.slack.com/files-pri/T0ACME-%s/notes.txt", id));
    v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.text"), "see this");
    assert_string_equal(text_at(v, "messages.0.files.0.id"), id);
    assert_string_equal(text_at(v, "messages.0.files.0.pretty_type"), "Plain Text");
    v = slack(BOB, "files.info", "file=%s", id);
    assert_string_equal(text_at(v, "content"), "first line\n100% of it & more = x\n");
    assert_string_equal(column(v, "file.channels", ""), "C0DEV");
    assert_int_equal(count_at(v, "file.shares.public.C0DEV"), 1);
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]", id);
    assert_slack("file_not_found"); /* once only */
}

static void who_may_not_see_a_file_does_not_find_it(void **state)
{
    const char *id = upload(ALICE, "plan.md", "# secret");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channel_id=" SECRET, id);
    assert_slack(NULL);
    slack(BOB, "files.info", "file=%s", id);
    assert_slack("file_not_found");
    const struct json *v = slack(BOB, "files.list", "%s", "");
    assert_int_equal(number_at(v, "paging.total"), 0);
    v = slack(ALICE, "files.list", "%s", "");
    assert_string_equal(column(v, "files", "id"), id);
    slack(ALICE, "files.list", "types=nonsense");
    assert_slack("unknown_type");
    const char *target =
        arena_printf(&test_arena, "/@files.slack.com/files-pri/T0ACME-%s/plan.md", id);
    slack_call("GET", target, NULL, slack_token(ALICE, NULL), NULL);
    assert_int_equal(test_status, 200);
    slack_call("GET", target, NULL, slack_token(BOB, NULL), NULL);
    assert_int_equal(test_status, 404);
    slack_call("GET", target, NULL, NULL, NULL);
    assert_int_equal(test_status, 302);
    slack_call("GET", target, NULL, "nonsense", NULL);
    assert_int_equal(test_status, 302);
}

static void a_deleted_file_leaves_a_mark(void **state)
{
    const char *id = upload(ALICE, "a.png", "x");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=" DEV, id);
    slack(BOB, "files.delete", "file=%s", id);
    assert_slack("cant_delete_file");
    slack(ALICE, "files.delete", "file=%s", id);
    assert_slack(NULL);
    slack(ALICE, "files.info", "file=%s", id);
    assert_slack("file_deleted");
    const struct json *v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.files.0.mode"), "tombstone");
}

static void bad_uploads_are_refused(void **state)
{
    slack(ALICE, "files.getUploadURLExternal", "filename=a.py&length=9&snippet_type=nonsense");
    assert_slack("unknown_snippet_type");
    slack(ALICE, "files.getUploadURLExternal", "filename=a.py&length=9&snippet_type=png");
    assert_slack("unknown_snippet_type");
    slack(ALICE, "files.getUploadURLExternal", "filename=a.py&length=2000000&snippet_type=python");
    assert_slack("snippet_too_large");
    slack(ALICE, "files.getUploadURLExternal", "filename=a&length=0");
    assert_slack("missing_argument");
    slack_call("POST", "/@files.slack.com/upload/v1/nonsense", NULL, NULL, "x");
    assert_int_equal(test_status, 404);
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"F0NONE\"}]");
    assert_slack("file_not_found");
    slack(ALICE, "files.upload", "channels=" DEV);
    assert_slack("method_deprecated");
    const char *id = upload(ALICE, "a.txt", "x");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channel_id=" VAULT, id);
    assert_slack("channel_not_found");
    slack(BOB, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]", id);
    assert_slack("access_denied");
}

static void files_are_shared_under_another_name(void **state)
{
    char args[256];
    snprintf(args, sizeof args,
             "files=[{\"id\":\"%s\"}]&channel_id=" DEV
             "&initial_comment=Done&username=Robo&icon_emoji=:robot_face:",
             upload(BOT, "a.txt", "x"));
    slack_scoped(BOT, "files:write", "files.completeUploadExternal", args);
    assert_slack("missing_scope");
    slack_scoped(BOT, "files:write chat:write.customize", "files.completeUploadExternal", args);
    assert_slack(NULL);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV "&limit=1");
    assert_string_equal(text_at(v, "messages.0.username"), "Robo");
    assert_string_equal(text_at(v, "messages.0.icons.emoji"), ":robot_face:");
    assert_string_equal(text_at(v, "messages.0.files.0.name"), "a.txt");
}

static void files_are_searched_by_their_names(void **state)
{
    const char *id = upload(ALICE, "Budget-plan.txt", "numbers inside");
    slack(ALICE, "files.completeUploadExternal",
          "files=[{\"id\":\"%s\",\"title\":\"The budget\"}]&channel_id=" DEV, id);
    static const char *const found[] = {
        "budget",           "plan",         "bud*", "numbers", "from:alice budget", "in:dev budget",
        "after:2026-02-01", "budget -vault"};
    static const char *const missed[] = {
        "bud", "vault", "from:bob", "in:general", "-budget", "before:2026-02-01", "has:pin"};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        const struct json *v = slack(BOB, "search.files", "query=%s", found[i]);
        if (number_at(v, "files.total") != 1 || strcmp(text_at(v, "files.matches.0.id"), id) != 0)
            fail_msg("%s: %s", found[i], test_body);
    }
    for (size_t i = 0; i < sizeof missed / sizeof *missed; i++) {
        const struct json *v = slack(BOB, "search.files", "query=%s", missed[i]);
        if (number_at(v, "files.total") != 0)
            fail_msg("%s: %s", missed[i], test_body);
    }
    const struct json *v = slack(CAROL, "search.files", "query=budget");
    assert_int_equal(number_at(v, "files.total"), 1); /* the channel is public */
    v = slack(BOB, "search.all", "query=budget");
    assert_int_equal(number_at(v, "messages.total"), 0);
    assert_int_equal(number_at(v, "files.total"), 1);
}

static void files_are_in_dumps(void **state)
{
    const char *id = upload(ALICE, "a.txt", "hello");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=" DEV, id);
    const char *text = json_to_text(&test_arena, read_dump(test_engine, test_world));
    test_use(text);
    assert_string_equal(json_to_text(&test_arena, read_dump(test_engine, test_world)), text);
    const struct json *v = slack(BOB, "files.info", "file=%s", id);
    assert_string_equal(text_at(v, "content"), "hello");
}

static void a_file_is_saved_and_has_reactions(void **state)
{
    slack_use_with("chatFiles: [{id: F0PLAN, user: U0BOB, name: plan.txt, content: Plan,\n"
                   "  reactions: [{name: eyes, by: [U0BOB, U0CAROL]}]},\n"
                   "  {id: F0GONE, user: U0BOB, name: gone.txt, content: Gone, deleted: true}]\n");
    const struct json *v = slack(BOB, "reactions.get", "file=F0PLAN");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "type"), "file");
    assert_string_equal(text_at(v, "file.reactions.0.name"), "eyes");
    assert_int_equal(number_at(v, "file.reactions.0.count"), 2);
    slack(CAROL, "reactions.get", "file=F0PLAN");
    assert_slack("file_not_found");
    v = slack(BOB, "reactions.list", "page=1");
    assert_int_equal(number_at(v, "paging.total"), 1);
    assert_string_equal(text_at(v, "items.0.type"), "file");
    assert_string_equal(text_at(v, "items.0.file.id"), "F0PLAN");
    v = slack(BOB, "files.list", "count=5000");
    assert_int_equal(number_at(v, "paging.count"), 1000);
    slack(BOB, "reactions.get", "file_comment=Fc0NONE");
    assert_slack("file_comment_not_found");
    slack(BOB, "reactions.remove", "file=F0PLAN&name=ship");
    assert_slack("no_reaction");
    slack(BOB, "reactions.remove", "file=F0PLAN&name=eyes");
    assert_slack(NULL);
    slack(BOB, "stars.add", "file=F0PLAN");
    assert_slack(NULL);
    slack(BOB, "stars.add", "file=F0PLAN");
    assert_slack("already_starred");
    v = slack(BOB, "stars.list", "%s", "");
    assert_string_equal(text_at(v, "items.0.type"), "file");
    assert_string_equal(text_at(v, "items.0.file.id"), "F0PLAN");
    assert_true(true_at(v, "items.0.file.is_starred"));
    assert_int_equal(number_at(v, "items.0.file.reactions.0.count"), 1);
    slack(BOB, "stars.remove", "file=F0PLAN");
    assert_slack(NULL);
    slack(BOB, "stars.remove", "file=F0PLAN");
    assert_slack("not_starred");
    slack(BOB, "stars.add", "file=F0GONE");
    assert_slack("file_not_found");
    slack(BOB, "files.comments.delete", "file=F0PLAN&id=Fc0NONE");
    assert_slack("cant_delete");
    slack(BOB, "files.comments.delete", "file=F0GONE&id=Fc0NONE");
    assert_slack("file_deleted");
    slack(BOB, "files.comments.delete", "file=F0NONE&id=Fc0NONE");
    assert_slack("file_not_found");
}

/* Private channels are shown to those alone who are in them (docs.slack.dev, file object). */
static void where_a_file_is_shared_is_shown_to_who_sees_it(void **state)
{
    const char *id = upload(ALICE, "a.txt", "x");
    slack(ALICE, "files.completeUploadExternal",
          "files=[{\"id\":\"%s\"}]&channels=" DEV "," SECRET ",U0BOB", id);
    assert_slack(NULL);
    const struct json *v = slack(ALICE, "files.info", "file=%s", id);
    assert_string_equal(column(v, "file.channels", ""), "C0DEV");
    assert_string_equal(column(v, "file.groups", ""), SECRET);
    assert_int_equal(count_at(v, "file.ims"), 1);
    assert_int_equal(count_at(v, "file.shares.public.C0DEV"), 1);
    assert_int_equal(count_at(v, "file.shares.private.C0SECRET"), 1);
    v = slack(BOB, "files.info", "file=%s", id);
    assert_int_equal(count_at(v, "file.groups"), 0);
    assert_int_equal(count_at(v, "file.ims"), 1);
    assert_null(json_get(json_get(json_get(json_get(v, "file"), "shares"), "private"), SECRET));
    v = slack(CAROL, "files.info", "file=%s", id);
    assert_string_equal(column(v, "file.channels", ""), "C0DEV");
    assert_int_equal(count_at(v, "file.ims"), 0);
    assert_null(json_get(json_get(json_get(v, "file"), "shares"), "private"));
    v = slack(CAROL, "search.files", "query=a in:secret");
    assert_int_equal(number_at(v, "files.total"), 0);
    v = slack(ALICE, "search.files", "query=a in:secret");
    assert_int_equal(number_at(v, "files.total"), 1);
}

static void an_upload_is_completed_once(void **state)
{
    const char *id = upload(ALICE, "a.txt", "x");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"},{\"id\":\"%s\"}]", id, id);
    assert_slack("file_not_found");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=USLACKBOT", id);
    assert_slack("channel_not_found");
    slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]", id);
    assert_slack(NULL); /* what was refused has changed nothing */
    slack(ALICE, "files.getUploadURLExternal", "filename=folder/&length=1");
    assert_slack("missing_argument");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(a_file_is_saved_and_has_reactions),
        slack_test(an_upload_has_three_steps),
        slack_test(who_may_not_see_a_file_does_not_find_it),
        slack_test(a_deleted_file_leaves_a_mark),
        slack_test(bad_uploads_are_refused),
        slack_test(files_are_shared_under_another_name),
        slack_test(files_are_in_dumps),
        slack_test(files_are_searched_by_their_names),
        slack_test(where_a_file_is_shared_is_shown_to_who_sees_it),
        slack_test(an_upload_is_completed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
