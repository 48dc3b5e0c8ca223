/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that were read before are written again as they were: whatever has changed since, what
 * comes is what an engine gives that has read nothing yet. */
#include "tests/support/slack.h"
#include <stdlib.h>

static const char *asked(struct sosia_engine *engine, uint64_t world, const char *who,
                         const char *target)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = who, .value = NULL};
    struct sosia_response *res;
    struct sosia_err err;
    if (sosia_token_issue(engine, world, &opt, token, sizeof token, &err) < 0)
        fail_msg("%s", err.text);
    const struct sosia_header headers[] = {
        {"Host", "slack.com"}, {"Authorization", arena_printf(&test_arena, "Bearer %s", token)}};
    struct sosia_request r = {
        .method = "GET", .target = target, .headers = headers, .n_headers = 2};
    if (sosia_call(engine, world, &r, &res, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(res->status, 200);
    const char *body = arena_strdup(&test_arena, res->body);
    sosia_response_free(res);
    if (!strstr(body, "\"ok\":true"))
        fail_msg("%s: %s", target, body);
    return body;
}

static const char *const people[] = {ALICE, BOB, BOT};

/* How far two texts are equal. */
static size_t equal_bytes(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* What each of them reads, here twice, and in an engine of its own. */
static void assert_same_everywhere(uint64_t world, const char *const *targets, size_t n)
{
    struct sosia_blob dump;
    struct sosia_engine *other;
    struct sosia_err err;
    uint64_t copy;
    assert_int_equal(sosia_world_dump(test_engine, world, &dump, &err), 0);
    struct sosia_world_options opt = {.seed_doc = dump.data, .seed_doc_len = dump.len};
    assert_int_equal(sosia_engine_open(NULL, &other, &err), 0);
    if (sosia_world_create(other, &opt, &copy, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < 3 * n; i++) {
        const char *who = people[i % 3], *target = targets[i / 3];
        const char *first = asked(test_engine, world, who, target);
        assert_string_equal(asked(test_engine, world, who, target), first);
        const char *there = asked(other, copy, who, target);
        size_t same = equal_bytes(first, there);
        if (first[same] || there[same])
            fail_msg("%s: %.300s\n---- where nothing was read before:\n%.300s", target,
                     first + same - (same > 100 ? 100 : same),
                     there + same - (same > 100 ? 100 : same));
    }
    sosia_engine_close(other);
    sosia_blob_free(&dump);
}

static const char *posted(const char *who, const char *form)
{
    const char *ts = text_at(slack(who, "chat.postMessage", "channel=C0DEV&%s", form), "ts");
    assert_slack(NULL);
    return ts;
}

static const char *configuration(void)
{
    return slack_token(ALICE, "app_configurations:read app_configurations:write");
}

static void what_is_around_a_message_changes(void **state)
{
    const char *root = posted(ALICE, "text=root *bold*"), *said = posted(BOT, "text=by an app");
    const char *answer =
        posted(BOB, arena_printf(&test_arena, "text=yes&thread_ts=%s&reply_broadcast=true", root));
    const char *targets[] = {
        "/api/conversations.history?channel=C0DEV",
        "/api/conversations.history?channel=C0DEV&include_all_metadata=true&limit=3",
        arena_printf(&test_arena, "/api/conversations.replies?channel=C0DEV&ts=%s", root),
        arena_printf(&test_arena, "/api/conversations.history?channel=C0DEV&oldest=%s", root)};
#define SAME() assert_same_everywhere(test_world, targets, SOSIA_LEN(targets))
    SAME();
    posted(ALICE, arena_printf(&test_arena, "text=so&thread_ts=%s", root));
    SAME();
    slack(ALICE, "chat.update", "channel=C0DEV&ts=%s&text=edited", root);
    assert_slack(NULL);
    SAME();
    slack(BOB, "reactions.add", "channel=C0DEV&timestamp=%s&name=eyes", said);
    assert_slack(NULL);
    slack(BOB, "pins.add", "channel=C0DEV&timestamp=%s", said);
    assert_slack(NULL);
    slack_json(BOT, "chat.postMessage",
               "{'channel':'C0DEV','text':'m','metadata':{'event_type':'a','event_payload':{}}}");
    assert_slack(NULL);
    SAME();
    slack(BOB, "chat.delete", "channel=C0DEV&ts=%s", answer);
    assert_slack(NULL);
    slack(ALICE, "chat.delete", "channel=C0DEV&ts=%s", root);
    assert_slack(NULL);
    SAME();
}

/* The name of an app is in its messages. */
static void an_app_has_another_name(void **state)
{
    static const char manifest[] =
        "manifest={\"display_information\":{\"name\":\"Ferry\"},\"features\":{\"bot_user\":"
        "{\"display_name\":\"ferry\"}},\"oauth_config\":{\"scopes\":{\"bot\":[\"chat:write\"]}}}";
    const char *targets[] = {"/api/conversations.history?channel=C0DEV"};
    posted(BOT, "text=who am I");
    SAME();
    const struct json *v =
        slack_call("POST", "/api/apps.manifest.update", "application/x-www-form-urlencoded",
                   configuration(), arena_printf(&test_arena, "app_id=A0DEPLOY&%s", manifest));
    if (!true_at(v, "ok"))
        fail_msg("%s", test_body);
    SAME();
    assert_non_null(strstr(asked(test_engine, test_world, ALICE, targets[0]), "\"Ferry\""));
}

/* What was kept for one world is right in another, and no more than right. */
static void forks_read_what_is_theirs(void **state)
{
    const char *targets[] = {"/api/conversations.history?channel=C0DEV"};
    const char *ts = posted(ALICE, "text=here");
    uint64_t here = test_world, fork;
    SAME();
    assert_int_equal(sosia_world_fork(test_engine, here, NULL, &fork, &test_err), 0);
    test_world = fork;
    SAME();
    slack(ALICE, "chat.update", "channel=C0DEV&ts=%s&text=there", ts);
    posted(BOB, "text=more");
    SAME();
    assert_non_null(strstr(asked(test_engine, fork, BOB, targets[0]), "\"text\":\"there\""));
    test_world = here;
    SAME();
    assert_non_null(strstr(asked(test_engine, here, BOB, targets[0]), "\"text\":\"here\""));
    sosia_world_drop(test_engine, fork, &test_err);
}

/* Pages of any size, forwards through a thread and backwards through a channel. */
static void pages_are_whole(void **state)
{
    const char *root = posted(ALICE, "text=root");
    for (int i = 0; i < 30; i++) {
        test_advance(i % 3);
        posted(i % 2 ? BOB : BOT, i % 4 ? arena_printf(&test_arena, "text=n%d", i)
                                        : arena_printf(&test_arena, "text=a%d&thread_ts=%s%s", i,
                                                       root, i % 8 ? "" : "&reply_broadcast=true"));
        assert_slack(NULL);
    }
    const char *targets[200];
    size_t n_targets = 0;
    for (int limit = 1; limit < 40; limit += 6) {
        const char *const ways[] = {
            "conversations.history?channel=C0DEV",
            arena_printf(&test_arena, "conversations.replies?channel=C0DEV&ts=%s", root)};
        for (int way = 0; way < 2; way++) {
            const char *cursor = "";
            uint32_t n = 0;
            do {
                const char *target = arena_printf(&test_arena, "/api/%s&limit=%d&cursor=%s",
                                                  ways[way], limit, cursor);
                assert_true(n_targets < SOSIA_LEN(targets));
                targets[n_targets++] = target;
                const char *body = asked(test_engine, test_world, ALICE, target);
                const struct json *v = parsed(body, strlen(body));
                n += json_get(v, "messages")->n;
                cursor = text_at(v, "response_metadata.next_cursor");
            } while (cursor && *cursor);
            assert_int_equal(n, way ? 9 : 31 - 4);
        }
    }
    assert_same_everywhere(test_world, targets, n_targets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(what_is_around_a_message_changes),
        slack_test(an_app_has_another_name),
        slack_test(forks_read_what_is_theirs),
        slack_test(pages_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
