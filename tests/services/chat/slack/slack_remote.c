/* SPDX-License-Identifier: Apache-2.0 */
/* Remote files: entries of apps for what is elsewhere. */
#include "tests/support/slack.h"

static const char *add(const char *external_id)
{
    const struct json *v = slack(BOT, "files.remote.add",
                                 "external_id=%s&external_url=https://docs.example/%s&title=Plan",
                                 external_id, external_id);
    assert_slack(NULL);
    return text_at(v, "file.id");
}

static void an_entry_is_added_shared_and_removed(void **state)
{
    const char *id = add("x1");
    const struct json *v = slack(BOT, "files.remote.info", "external_id=x1");
    assert_string_equal(text_at(v, "file.id"), id);
    assert_string_equal(text_at(v, "file.mode"), "external");
    assert_string_equal(text_at(v, "file.filetype"), "remote");
    assert_string_equal(text_at(v, "file.pretty_type"), "Remote");
    assert_string_equal(text_at(v, "file.external_type"), "app");
    assert_string_equal(text_at(v, "file.url_private"), "https://docs.example/x1");
    assert_string_equal(text_at(v, "file.user"), "U0DEPLOY");
    assert_true(true_at(v, "file.is_external"));
    slack(ALICE, "files.remote.info", "file=%s", id);
    assert_slack("file_not_found"); /* nobody shared it */
    v = slack(BOT, "files.remote.share", "external_id=x1&channels=" DEV);
    assert_slack(NULL);
    assert_int_equal(count_at(v, "file.shares.public.C0DEV"), 1);
    v = slack(ALICE, "files.remote.info", "file=%s", id);
    assert_string_equal(text_at(v, "file.external_id"), "x1");
    v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.files.0.id"), id);
    assert_false(true_at(v, "messages.0.upload"));
    slack(BOT, "files.remote.remove", "external_id=x1");
    assert_slack(NULL);
    slack(BOT, "files.remote.info", "external_id=x1");
    assert_slack("file_not_found");
    slack(BOT, "files.remote.remove", "file=%s", id);
    assert_slack("file_not_found");
    assert_string_not_equal(add("x1"), id); /* the id is free again */
}

static void an_entry_is_changed(void **state)
{
    const char *id = add("x1");
    const struct json *v =
        slack(BOT, "files.remote.update",
              "file=%s&title=New&filetype=pdf&external_url=https://docs.example/new", id);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "file.title"), "New");
    assert_string_equal(text_at(v, "file.pretty_type"), "PDF");
    assert_string_equal(text_at(v, "file.external_url"), "https://docs.example/new");
    slack(BOT, "files.remote.update", "file=%s&title=", id);
    assert_slack("invalid_title");
    slack(BOT, "files.remote.update", "file=%s&filetype=nonsense", id);
    assert_slack("invalid_type");
    slack(BOT, "files.remote.update", "file=%s&external_url=nonsense", id);
    assert_slack("invalid_url");
    slack(BOT, "files.remote.update", "file=F0NONE&title=a");
    assert_slack("file_not_found");
    /* Adding the same again changes it. */
    assert_string_equal(add("x1"), id);
    v = slack(BOT, "files.remote.info", "file=%s", id);
    assert_string_equal(text_at(v, "file.title"), "Plan");
    assert_string_equal(text_at(v, "file.external_url"), "https://docs.example/x1");
}

static void bad_arguments_are_refused(void **state)
{
    const char *id = add("x1"), *url = "external_url=https://docs.example/a";
    slack(ALICE, "files.remote.add", "external_id=a&title=a&%s", url);
    assert_slack("bot_user_required");
    slack(ALICE, "files.remote.update", "file=%s&title=a", id);
    assert_slack("bot_user_required");
    slack(ALICE, "files.remote.remove", "file=%s", id);
    assert_slack("bot_user_required");
    slack(BOT, "files.remote.add", "external_id=&title=a&%s", url);
    assert_slack("invalid_external_id");
    slack(BOT, "files.remote.add", "external_id=%0300d&title=a&%s", 1, url);
    assert_slack("invalid_external_id");
    slack(BOT, "files.remote.add", "external_id=a&title=%0300d&%s", 1, url);
    assert_slack("bad_title");
    slack(BOT, "files.remote.add", "external_id=a&title=a&external_url=nonsense");
    assert_slack("invalid_arguments");
    slack(BOT, "files.remote.add", "title=a&%s", url);
    assert_slack("invalid_arguments");
    slack(BOT, "files.remote.info", "file=%s&external_id=x1", id);
    assert_slack("too_many_ids");
    slack(BOT, "files.remote.info", "%s", "");
    assert_slack("invalid_args");
    slack(BOT, "files.remote.share", "file=%s&channels=" VAULT, id);
    assert_slack("channel_not_found");
    slack(BOT, "files.remote.share", "file=%s&channels=" GENERAL, id);
    assert_slack("not_in_channel");
    slack(BOT, "files.remote.share", "file=%s&channels=", id);
    assert_slack("channel_not_found");
    slack(BOT, "files.remote.list", "cursor=nonsense");
    assert_slack("invalid_cursor");
    assert_int_equal(count_at(slack(BOT, "files.remote.list", "%s", ""), "files"), 1);
}

static void entries_are_listed_by_pages(void **state)
{
    const char *a = add("a"), *b = add("b");
    test_advance(60);
    const char *last = add("c");
    const struct json *v = slack(BOT, "files.remote.list", "limit=2");
    assert_string_equal(column(v, "files", "id"), arena_printf(&test_arena, "%s %s", last, b));
    const char *next = text_at(v, "response_metadata.next_cursor");
    v = slack(BOT, "files.remote.list", "limit=2&cursor=%s", next);
    assert_string_equal(column(v, "files", "id"), a);
    assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
    slack(BOT, "files.remote.share", "external_id=b&channels=" DEV);
    v = slack(BOB, "files.remote.list", "%s", "");
    assert_string_equal(column(v, "files", "id"), b);
    v = slack(BOT, "files.remote.list", "channel=" DEV);
    assert_string_equal(column(v, "files", "id"), b);
    v = slack(BOT, "files.remote.list", "ts_from=1771185630");
    assert_string_equal(column(v, "files", "id"), last);
}

static const struct json *send_parts(const char *method, const char *image)
{
    const char *body = arena_printf(
        &test_arena,
        "--x\r\nContent-Disposition: form-data; name=\"external_id\"\r\n\r\np1\r\n"
        "--x\r\nContent-Disposition: form-data; name=\"external_url\"\r\n\r\n"
        "https://docs.example/p1\r\n"
        "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nPicture\r\n"
        "--x\r\nContent-Disposition: form-data; name=\"indexable_file_contents\"; "
        "filename=\"t.txt\"\r\n\r\nthe walrus text\r\n"
        "--x\r\nContent-Disposition: form-data; name=\"preview_image\"; filename=\"a.gif\"\r\n"
        "Content-Type: image/gif\r\n\r\n%s\r\n--x--\r\n",
        image);
    return slack_call("POST", arena_printf(&test_arena, "/api/%s", method),
                      "multipart/form-data; boundary=x", slack_token(BOT, NULL), body);
}

static const struct json *add_parts(const char *image)
{
    return send_parts("files.remote.add", image);
}

static void a_preview_and_contents_come_as_parts(void **state)
{
    add_parts("nonsense");
    assert_slack("bad_image");
    add_parts("GIF89a\x7f\x7f\x7f\x7f\x01\x01\x01\x01"); /* 32,639 pixels wide */
    assert_slack("too_large");
    slack(BOT, "files.remote.info", "external_id=p1");
    assert_slack("file_not_found");
    for (int i = 0; i < 2; i++) {
        const struct json *v = add_parts(i ? "GIF89a other" : "GIF89a");
        assert_slack(NULL);
        assert_true(true_at(v, "file.has_rich_preview"));
        assert_int_equal(number_at(v, "file.size"), 0);
    }
    send_parts("files.remote.update", "nonsense");
    assert_slack("bad_image");
    send_parts("files.remote.update", "GIF89a\x7f\x7f\x7f\x7f\x01\x01\x01\x01");
    assert_slack("too_large");
    slack(BOT, "files.remote.share", "external_id=p1&channels=" DEV);
    const struct json *v = slack(BOB, "search.files", "query=walrus");
    assert_int_equal(number_at(v, "files.total"), 1);
    const char *text = json_to_text(&test_arena, read_dump(test_engine, test_world));
    test_use(text);
    assert_string_equal(json_to_text(&test_arena, read_dump(test_engine, test_world)), text);
    v = slack(BOT, "files.remote.info", "external_id=p1");
    assert_true(true_at(v, "file.has_rich_preview"));
    slack(BOT, "files.remote.remove", "external_id=p1");
    assert_slack(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(an_entry_is_added_shared_and_removed),
        slack_test(an_entry_is_changed),
        slack_test(bad_arguments_are_refused),
        slack_test(entries_are_listed_by_pages),
        slack_test(a_preview_and_contents_come_as_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
