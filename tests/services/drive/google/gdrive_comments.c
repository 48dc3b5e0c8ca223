/* SPDX-License-Identifier: Apache-2.0 */
/* Comments on files, and replies to them. */
#include "tests/support/gdrive.h"
#include "tests/support/unit.h"

static const char *comments_of(const char *file)
{
    return arena_printf(&test_arena, "/files/%s/comments", file);
}

static const char *with(const char *target, const char *rest)
{
    return arena_printf(&test_arena, "%s%s", target, rest);
}

static const char *share(const char *file, const char *who, const char *role)
{
    as(ADA, "POST",
       arena_printf(&test_arena, "/files/%s/permissions?sendNotificationEmail=false", file),
       arena_printf(&test_arena, "{'type':'user','role':'%s','emailAddress':'%s'}", role, who));
    assert_int_equal(test_status, 200);
    return file;
}

static const char *comment(const char *who, const char *file, const char *body)
{
    const struct json *a = as(who, "POST", with(comments_of(file), "?fields=*"), body);
    assert_int_equal(test_status, 200);
    return arena_printf(&test_arena, "%s/%s", comments_of(file), json_get_str(a, "id"));
}

static void fields_must_be_named(void **state)
{
    (void)state;
    const char *list = comments_of(make(ADA, "{'name':'a'}"));
    as(ADA, "GET", list, NULL);
    assert_refused(400, "required");
    as(ADA, "POST", list, "{'content':'x'}");
    assert_refused(400, "required");
    as(ADA, "GET", with(list, "/AAABnone"), NULL);
    assert_refused(400, "required");
    as(ADA, "GET", with(list, "/AAABnone?fields=id"), NULL);
    assert_refused(404, "notFound");
}

/* The discovery document has the member, the service has not. */
static void an_assignee_cannot_be_selected(void **state)
{
    static const char said[] = "Invalid field selection assignee_email_address";
    (void)state;
    const char *file = make(ADA, "{'name':'a'}");
    const char *one = comment(ADA, file, "{'content':'x'}");
    as(ADA, "GET", with(comments_of(file), "?fields=comments(assigneeEmailAddress)"), NULL);
    assert_refused(400, "invalidParameter");
    as(ADA, "GET", with(comments_of(file), "?fields=comments/assigneeEmailAddress"), NULL);
    assert_refused(400, "invalidParameter");
    as(ADA, "GET", with(one, "?fields=assigneeEmailAddress"), NULL);
    assert_refused(400, "invalidParameter");
    assert_non_null(strstr(test_body, said));
    as(ADA, "POST", with(comments_of(file), "?fields=id,assigneeEmailAddress"), "{'content':'y'}");
    assert_refused(400, "invalidParameter");
    const struct json *v = as(ADA, "GET", with(comments_of(file), "?fields=*"), NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(json_get(v, "comments")->n, 1);
}

static void members_have_the_order_of_live_answers(void **state)
{
    (void)state;
    const char *file = make(ADA, "{'name':'a'}");
    const char *one = comment(ADA, file, "{'content':'x'}");
    const struct json *v = as(ADA, "GET", with(comments_of(file), "?fields=*&pageSize=1"), NULL);
    assert_string_equal(v->members[0].key, "comments");
    assert_string_equal(v->members[1].key, "kind");
    v = as(ADA, "GET", with(one, "?fields=*"), NULL);
    assert_string_equal(v->members[0].key, "replies");
    assert_string_equal(v->members[1].key, "author");
    assert_string_equal(v->members[2].key, "kind");
    v = as(ADA, "GET", with(one, "/replies?fields=*"), NULL);
    assert_string_equal(v->members[0].key, "replies");
}

static void a_comment_has_its_author_without_address(void **state)
{
    (void)state;
    const char *file = make(ADA, "{'name':'a'}");
    const char *one =
        comment(ADA, file,
                "{'content':'a <b> & \\n+bob@acme.example','anchor':'{\\\"r\\\":\\\"head\\\"}',"
                "'quotedFileContent':{'value':'said'}}");
    const struct json *v = as(ADA, "GET", with(one, "?fields=*"), NULL);
    const struct json *author = json_get(v, "author"), *quoted = json_get(v, "quotedFileContent");
    assert_string_equal(json_get_str(v, "kind"), "drive#comment");
    assert_int_equal(strlen(json_get_str(v, "id")), 11);
    assert_memory_equal(json_get_str(v, "id"), "AAAB", 4);
    assert_string_equal(json_get_str(v, "htmlContent"), "a &lt;b&gt; &amp; <br>+bob@acme.example");
    assert_string_equal(json_get_str(v, "anchor"), "{\"r\":\"head\"}");
    assert_string_equal(json_get_str(quoted, "value"), "said");
    assert_string_equal(json_get(v, "mentionedEmailAddresses")->items[0].str, BOB);
    assert_string_equal(json_get_str(author, "displayName"), "Ada");
    assert_true(json_get(author, "me")->truth);
    assert_null(json_get(author, "emailAddress"));
    assert_null(json_get(author, "permissionId"));
    assert_null(json_get(v, "resolved"));
    assert_int_equal(json_get(v, "replies")->n, 0);
    as(ADA, "POST", with(comments_of(file), "?fields=id"), "{'anchor':'x'}");
    assert_refused(400, "required");
}

static void a_reply_resolves_and_opens_again(void **state)
{
    (void)state;
    const char *file = share(make(ADA, "{'name':'a'}"), BOB, "commenter");
    const char *one = comment(ADA, file, "{'content':'x'}");
    const struct json *v;
    as(BOB, "POST", with(one, "/replies?fields=id"), "{'action':'resolve'}");
    assert_refused(403, "insufficientFilePermissions");
    v = as(BOB, "POST", with(one, "/replies?fields=*"), "{'content':'yes'}");
    assert_string_equal(json_get_str(v, "kind"), "drive#reply");
    assert_null(json_get(v, "action"));
    as(BOB, "POST", with(one, "/replies?fields=id"), "{}");
    assert_refused(400, "required");
    as(ADA, "POST", with(one, "/replies?fields=id"), "{'action':'shout'}");
    assert_refused(400, "invalid");
    test_advance(10);
    v = as(ADA, "POST", with(one, "/replies?fields=*"), "{'action':'resolve'}");
    assert_string_equal(json_get_str(v, "action"), "resolve");
    v = as(BOB, "GET", with(one, "?fields=*"), NULL);
    assert_true(json_get(v, "resolved")->truth);
    assert_int_equal(json_get(v, "replies")->n, 2);
    assert_string_not_equal(json_get_str(v, "modifiedTime"), json_get_str(v, "createdTime"));
    as(ADA, "POST", with(one, "/replies?fields=id"), "{'action':'reopen','content':'no'}");
    v = as(BOB, "GET", with(one, "?fields=resolved"), NULL);
    assert_false(json_get(v, "resolved")->truth);
}

static void what_is_deleted_is_listed_only_when_asked_for(void **state)
{
    (void)state;
    const char *file = share(make(ADA, "{'name':'a'}"), BOB, "commenter");
    const char *one = comment(BOB, file, "{'content':'x','quotedFileContent':{'value':'q'}}");
    const struct json *v = as(BOB, "POST", with(one, "/replies?fields=id"), "{'content':'y'}");
    const char *reply = arena_printf(&test_arena, "%s/replies/%s", one, json_get_str(v, "id"));
    as(ADA, "PATCH", with(one, "?fields=id"), "{'content':'z'}");
    assert_refused(403, "insufficientFilePermissions");
    v = as(BOB, "PATCH", with(reply, "?fields=content"), "{'content':'z'}");
    assert_string_equal(json_get_str(v, "content"), "z");
    as(BOB, "DELETE", reply, NULL);
    assert_int_equal(test_status, 204);
    v = as(ADA, "GET", with(one, "/replies?fields=*"), NULL);
    assert_int_equal(json_get(v, "replies")->n, 0);
    v = as(ADA, "GET", with(one, "/replies?fields=*&includeDeleted=true"), NULL);
    assert_int_equal(json_get(v, "replies")->n, 1);
    assert_null(json_get(&json_get(v, "replies")->items[0], "content"));
    as(ADA, "DELETE", one, NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "GET", with(one, "?fields=*"), NULL);
    assert_refused(404, "notFound");
    v = as(ADA, "GET", with(one, "?fields=*&includeDeleted=true"), NULL);
    assert_true(json_get(v, "deleted")->truth);
    assert_null(json_get(v, "content"));
    assert_null(json_get(v, "quotedFileContent"));
    v = as(ADA, "GET", with(comments_of(file), "?fields=*"), NULL);
    assert_int_equal(json_get(v, "comments")->n, 0);
}

static void readers_read_and_strangers_see_nothing(void **state)
{
    (void)state;
    const char *file = share(make(ADA, "{'name':'a'}"), BOB, "reader");
    const char *one = comment(ADA, file, "{'content':'x'}");
    as(BOB, "GET", with(one, "?fields=*"), NULL);
    assert_int_equal(test_status, 200);
    as(BOB, "POST", with(comments_of(file), "?fields=id"), "{'content':'x'}");
    assert_refused(403, "insufficientFilePermissions");
    as(EVE, "GET", with(one, "?fields=*"), NULL);
    assert_refused(404, "notFound");
}

static void lists_have_pages_and_a_beginning(void **state)
{
    (void)state;
    const char *file = make(ADA, "{'name':'a'}"), *token;
    for (int i = 0; i < 5; i++) {
        comment(ADA, file, arena_printf(&test_arena, "{'content':'%d'}", i));
        test_advance(60);
    }
    const struct json *v = as(ADA, "GET", with(comments_of(file), "?fields=*&pageSize=3"), NULL);
    assert_string_equal(json_get_str(&json_get(v, "comments")->items[0], "content"), "4");
    assert_non_null((token = json_get_str(v, "nextPageToken")));
    v = as(
        ADA, "GET",
        arena_printf(&test_arena, "%s?fields=*&pageSize=3&pageToken=%s", comments_of(file), token),
        NULL);
    assert_int_equal(json_get(v, "comments")->n, 2);
    assert_null(json_get(v, "nextPageToken"));
    v = as(ADA, "GET", with(comments_of(file), "?fields=*&startModifiedTime=2026-11-23T08:02:30Z"),
           NULL);
    assert_int_equal(json_get(v, "comments")->n, 2);
    as(ADA, "GET", with(comments_of(file), "?fields=*&startModifiedTime=soon"), NULL);
    assert_refused(400, "invalid");
    as(ADA, "GET", with(comments_of(file), "?fields=*&pageSize=101"), NULL);
    assert_refused(400, "invalidParameter");
}

static void a_copy_takes_comments_along_when_asked(void **state)
{
    (void)state;
    const char *file = make(ADA, "{'name':'a'}");
    const char *one = comment(ADA, file, "{'content':'first'}");
    comment(ADA, file, "{'content':'second'}");
    as(ADA, "POST", with(one, "/replies?fields=id"), "{'action':'resolve','content':'done'}");
    const struct json *v = as(ADA, "POST", arena_printf(&test_arena, "/files/%s/copy", file), "{}");
    v = as(ADA, "GET", with(comments_of(json_get_str(v, "id")), "?fields=*"), NULL);
    assert_int_equal(json_get(v, "comments")->n, 0);
    v = as(ADA, "POST", arena_printf(&test_arena, "/files/%s/copy?copyComments=true", file), "{}");
    v = as(ADA, "GET", with(comments_of(json_get_str(v, "id")), "?fields=*"), NULL);
    const struct json *list = json_get(v, "comments");
    assert_int_equal(list->n, 2);
    const struct json *first =
        &list->items[!strcmp(json_get_str(&list->items[0], "content"), "second")];
    assert_true(json_get(first, "resolved")->truth);
    assert_string_equal(json_get_str(&json_get(first, "replies")->items[0], "content"), "done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(fields_must_be_named),
        gdrive_test(an_assignee_cannot_be_selected),
        gdrive_test(members_have_the_order_of_live_answers),
        gdrive_test(a_comment_has_its_author_without_address),
        gdrive_test(a_reply_resolves_and_opens_again),
        gdrive_test(what_is_deleted_is_listed_only_when_asked_for),
        gdrive_test(readers_read_and_strangers_see_nothing),
        gdrive_test(lists_have_pages_and_a_beginning),
        gdrive_test(a_copy_takes_comments_along_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
