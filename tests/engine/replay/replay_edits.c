/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays that leave an entry out: what the entries behind it made has the ids that it had, so that
 * none of them is about something else. For each kind of thing that has an id of its own: A is made
 * and B is made, then A is deleted; without the first entry there is B, and nothing was deleted.
 */
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

#define ADA "ada@acme.example"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T09:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "  - {handle: deploy, kind: bot, name: Deploy}\n"
    "apps: [{client_id: '1.2', client_secret: hush, name: Deploy, vendor: slack, bot: deploy}]\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    members:\n"
    "      - {actor: ada@acme.example, id: U0ADA, role: owner}\n"
    "      - {actor: bob@acme.example, id: U0BOB}\n"
    "      - {actor: deploy, id: U0DEPLOY}\n"
    "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true}\n"
    "  - {id: C0DEV, name: dev, members: [U0ADA, U0BOB, U0DEPLOY]}\n"
    "files:\n"
    "  - {id: doc, owner: ada@acme.example, name: Plan, mime: text/plain, content: hello}\n";

/* How one is made, with its number for %d; where its id is; how it is deleted and asked for, with
 * that for %s; where a list has the texts "one 1" and "one 2". */
struct thing {
    const char *what, *host, *make, *body, *id;
    const char *remove_verb, *remove, *remove_body, *list;
};

#define GOOGLE(what, make, body, id, list)                                                         \
    {                                                                                              \
        what, "www.googleapis.com", make, body, id, "DELETE", make "/%s", NULL, list               \
    }
#define SLACK(what, method, body, id, remove, remove_body, list)                                   \
    {                                                                                              \
        what, "slack.com", "/api/" method, body, id, "POST", "/api/" remove, remove_body,          \
            "/api/" list                                                                           \
    }
static const struct thing things[] = {
    GOOGLE("event", "/calendar/v3/calendars/primary/events",
           "{'summary':'one %d','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}", "id",
           "/calendar/v3/calendars/primary/events"),
    GOOGLE("calendar", "/calendar/v3/calendars", "{'summary':'one %d'}", "id",
           "/calendar/v3/users/me/calendarList"),
    GOOGLE("label", "/gmail/v1/users/me/labels", "{'name':'one %d'}", "id",
           "/gmail/v1/users/me/labels"),
    GOOGLE("file", "/drive/v3/files", "{'name':'one %d'}", "id", "/drive/v3/files"),
    {"comment", "www.googleapis.com", "/drive/v3/files/doc/comments?fields=*",
     "{'content':'one %d'}", "id", "DELETE", "/drive/v3/files/doc/comments/%s", NULL,
     "/drive/v3/files/doc/comments?fields=*"},
    SLACK("channel", "conversations.create", "{'name':'one_%d'}", "channel.id",
          "conversations.archive", "{'channel':'%s'}", "conversations.list?exclude_archived=true"),
    SLACK("message", "chat.postMessage", "{'channel':'C0DEV','text':'one %d'}", "ts", "chat.delete",
          "{'channel':'C0DEV','ts':'%s'}", "conversations.history?channel=C0DEV"),
    SLACK("scheduled message", "chat.scheduleMessage",
          "{'channel':'C0DEV','text':'one %d','post_at':1795438800}", "scheduled_message_id",
          "chat.deleteScheduledMessage", "{'channel':'C0DEV','scheduled_message_id':'%s'}",
          "chat.scheduledMessages.list"),
    SLACK("reminder", "reminders.add", "{'text':'one %d','time':'in 1 hour'}", "reminder.id",
          "reminders.delete", "{'reminder':'%s'}", "reminders.list"),
    SLACK("bookmark", "bookmarks.add",
          "{'channel_id':'C0DEV','title':'one %d','type':'link','link':'https://b.example/'}",
          "bookmark.id", "bookmarks.remove", "{'channel_id':'C0DEV','bookmark_id':'%s'}",
          "bookmarks.list?channel_id=C0DEV"),
    SLACK("user group", "usergroups.create", "{'name':'one %d','handle':'g%d'}", "usergroup.id",
          "usergroups.disable", "{'usergroup':'%s'}", "usergroups.list"),
};

static const struct json *ask(uint64_t world, const char *host, const char *verb,
                              const char *target, const char *body)
{
    char *text = body ? quoted(body) : NULL;
    struct sosia_header headers[3] = {{.name = "Host", .value = host},
                                      {.name = "Authorization"},
                                      {.name = "Content-Type", .value = "application/json"}};
    struct sosia_token_options opt = {.actor = ADA};
    char token[SOSIA_TOKEN_MAX];
    assert_int_equal(sosia_token_issue(test_engine, world, &opt, token, sizeof token, &test_err),
                     0);
    headers[1].value = arena_printf(&test_arena, "Bearer %s", token);
    test_call(world, &(struct sosia_request){.method = verb,
                                             .target = target,
                                             .headers = headers,
                                             .n_headers = text ? 3 : 2,
                                             .body = text,
                                             .body_len = text ? strlen(text) : 0});
    return parsed(test_response->body, test_response->body_len);
}

/* The text with something in the place of each mark of two bytes. */
static const char *filled(const char *text, const char *mark, const char *with)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *at; (at = strstr(text, mark)) != NULL; text = at + 2) {
        buf_add(&b, text, (size_t)(at - text));
        buf_puts(&b, with);
    }
    buf_puts(&b, text);
    const char *done = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return done;
}

static const char *numbered(const char *text, int n)
{
    return filled(text, "%d", arena_printf(&test_arena, "%d", n));
}

static const char *make(const struct thing *t, int n)
{
    const struct json *v = ask(test_world, t->host, "POST", t->make, numbered(t->body, n));
    const char *id = text_at(v, t->id);
    if (!id)
        fail_msg("%s %d: %d %s", t->what, n, test_response->status,
                 test_response->body_len ? test_response->body : "");
    return arena_strdup(&test_arena, id);
}

static void remove_one(const struct thing *t, const char *id)
{
    const char *target = filled(t->remove, "%s", id);
    ask(test_world, t->host, t->remove_verb, target,
        t->remove_body ? filled(t->remove_body, "%s", id) : NULL);
    if (test_response->status >= 300 ||
        (test_response->body_len && strstr(test_response->body, "\"ok\":false")))
        fail_msg("%s %s: %d %s", t->what, target, test_response->status,
                 test_response->body_len ? test_response->body : "");
}

static bool has(const struct thing *t, uint64_t world, const char *text)
{
    ask(world, t->host, "GET", t->list, NULL);
    return strstr(test_response->body, text) != NULL;
}

static int64_t last_entry(void)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_info(test_engine, test_world, &b, &test_err), 0);
    int64_t n = number_at(parsed(b.data, b.len), "entries");
    sosia_blob_free(&b);
    return n;
}

/* The world as it would have been; its report is parsed. */
static uint64_t replayed(const char *edits, const struct json **ret_report)
{
    struct sosia_replay_options opt = {.keep = true};
    struct sosia_blob b;
    uint64_t world;
    char *text = quoted(edits);
    opt.edits = text;
    opt.edits_len = strlen(text);
    if (sosia_journal_replay(test_engine, test_world, &opt, &world, &b, &test_err) < 0)
        fail_msg("%s: %s", text, test_err.text);
    *ret_report = parsed(b.data, b.len);
    sosia_blob_free(&b);
    return world;
}

static void what_is_left_out_shifts_no_ids(void **state)
{
    int n_wrong = 0;
    for (size_t i = 0; i < SOSIA_LEN(things); i++) {
        const struct thing *t = &things[i];
        const struct json *report;
        test_use(doc);
        const char *a = make(t, 1);
        int64_t first = last_entry();
        const char *b = make(t, 2);
        assert_string_not_equal(a, b);
        remove_one(t, a);
        const char *end = strstr(t->body, "one_") ? "one_2" : "one 2";
        const char *gone = strstr(t->body, "one_") ? "one_1" : "one 1";
        assert_true(has(t, test_world, end));
        uint64_t world = replayed(
            arena_printf(&test_arena, "[{'step':%lld,'skip':true}]", (long long)first), &report);
        if (!has(t, world, end) || has(t, world, gone) || !strstr(test_response->body, b)) {
            print_error("%s: B is not %s: %s\n", t->what, b, test_response->body);
            n_wrong++;
        }
        assert_int_equal(sosia_world_drop(test_engine, world, &test_err), 0);
    }
    assert_int_equal(n_wrong, 0);
    (void)state;
}

/* Of many streams at once: what was made behind an entry that is left out is the same in all of
 * them, entry by entry. */
static void all_streams_stay_in_their_places(void **state)
{
    static const char *ids[SOSIA_LEN(things)];
    const struct json *report;
    for (size_t i = 0; i < SOSIA_LEN(things); i++)
        make(&things[i], 1);
    int64_t first = last_entry();
    for (size_t i = 0; i < SOSIA_LEN(things); i++)
        ids[i] = make(&things[i], 2);
    struct buf edits;
    buf_init(&edits, 0);
    for (int64_t seq = 1; seq <= first; seq++)
        buf_printf(&edits, "%s{'step':%lld,'skip':true}", seq > 1 ? "," : "[", (long long)seq);
    buf_puts(&edits, "]");
    uint64_t world = replayed(buf_str(&edits), &report);
    buf_done(&edits);
    for (size_t i = 0; i < SOSIA_LEN(things); i++)
        if (!has(&things[i], world, ids[i]))
            fail_msg("%s: B is not %s: %s", things[i].what, ids[i], test_response->body);
    (void)state;
}

/* An entry that makes more than it did takes ids that no other has. */
static void what_is_made_anew_has_ids_of_its_own(void **state)
{
    const struct thing *t = &things[0];
    const struct json *report;
    ask(test_world, t->host, "POST", t->make, "{'summary':'no times'}");
    assert_int_equal(test_response->status, 400);
    int64_t refused = last_entry();
    const char *b = make(t, 2);
    uint64_t world =
        replayed(arena_printf(&test_arena,
                              "[{'step':%lld,'request':{'body':{'summary':'one 1','start':{'date':"
                              "'2026-11-24'},'end':{'date':'2026-11-25'}}}}]",
                              (long long)refused),
                 &report);
    assert_true(has(t, world, "one 1"));
    assert_non_null(strstr(test_response->body, b));
    const struct json *list = parsed(test_response->body, test_response->body_len);
    assert_int_equal(count_at(list, "items"), 2);
    assert_string_not_equal(text_at(list, "items.0.id"), text_at(list, "items.1.id"));
    (void)report;
    (void)state;
}

/* The kept world runs again to the same, though it has such ids. */
static void what_was_edited_runs_again_itself(void **state)
{
    const struct thing *t = &things[0];
    const struct json *report;
    struct sosia_blob b;
    make(t, 1);
    int64_t first = last_entry();
    make(t, 2);
    uint64_t world =
        replayed(arena_printf(&test_arena,
                              "[{'step':%lld,'skip':true},{'step':%lld,'request':"
                              "{'body':{'summary':'other','start':{'date':'2026-11-24'},"
                              "'end':{'date':'2026-11-25'}}}}]",
                              (long long)first, (long long)first + 1),
                 &report);
    ask(world, t->host, "POST", t->make, numbered(t->body, 3));
    assert_int_equal(sosia_journal_replay(test_engine, world, NULL, NULL, &b, &test_err), 0);
    if (!true_at(parsed(b.data, b.len), "equal"))
        fail_msg("%s", b.data);
    sosia_blob_free(&b);
    (void)state;
}

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

#define edits_test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        edits_test(what_is_left_out_shifts_no_ids),
        edits_test(all_streams_stay_in_their_places),
        edits_test(what_is_made_anew_has_ids_of_its_own),
        edits_test(what_was_edited_runs_again_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
