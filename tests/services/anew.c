/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dump has the ids of its world and not how far its streams of ids are, so that two worlds in the
 * same state have equal dumps. What is made in a world that was made of a dump has ids of its own
 * nonetheless, whatever the kind, and is made as if nothing had been there before.
 */
#include "tests/support/world.h"
#include "engine/base/map.h"

#define ADA "ada@acme.example"

static const char doc[] =
    "sosia: 1\n"
    "registration: true\n"
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
    "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY, settings: {functions: {greet: "
    "{}}}}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true}\n"
    "  - {id: C0DEV, name: dev, members: [U0ADA, U0BOB, U0DEPLOY]}\n"
    "canvases: [{file: F0CANVAS, sections: [{id: 'temp:C:one', text: One}]}]\n"
    "chatFiles: [{id: F0CANVAS, user: U0ADA, mode: document, name: plan, title: Plan}]\n"
    "files:\n"
    "  - {id: doc, owner: ada@acme.example, name: Plan, mime: text/plain, content: hello}\n";

#define CONFIGURES "app_configurations:read app_configurations:write"
#define SLACK(method, body, ids)                                                                   \
    {                                                                                              \
        ADA, NULL, "slack.com", "/api/" method, body, ids, NULL                                    \
    }
#define SLACK_BOT(method, body, ids)                                                               \
    {                                                                                              \
        "deploy", NULL, "slack.com", "/api/" method, body, ids, NULL                               \
    }
#define GOOGLE(target, body, ids, after)                                                           \
    {                                                                                              \
        ADA, NULL, "www.googleapis.com", target, body, ids, after                                  \
    }

/* What is made, with the number of the try for %d, and where its ids are in the response (or in
 * that to a GET of `after`, with the first id for %s; after a '!' that is a POST which makes room
 * for the next one). Ids are those of one row, or of all rows with the same letter at their end. */
static const struct row {
    const char *who, *scopes, *host, *target, *body, *ids, *after;
} rows[] = {
    SLACK("conversations.create", "{'name':'n%d'}", "channel.id"),
    SLACK_BOT("files.remote.add", "title=a%d&external_id=a%d&external_url=https://f.example/%d",
              "file.id"),
    SLACK("canvases.create",
          "{'title':'c%d','document_content':{'type':'markdown','markdown':'# One'}}", "canvas_id"),
    SLACK("slackLists.create", "name=l%d", "list_id list_metadata.schema.0.id"),
    SLACK("reminders.add", "{'text':'r%d','time':'in 1 hour'}", "reminder.id"),
    SLACK("bookmarks.add",
          "{'channel_id':'C0DEV','title':'b%d','type':'link','link':'https://b.example/'}",
          "bookmark.id"),
    SLACK("usergroups.create", "{'name':'g%d','handle':'g%d'}", "usergroup.id"),
    SLACK("chat.scheduleMessage", "{'channel':'C0DEV','text':'s%d','post_at':1795438800}",
          "scheduled_message_id"),
    SLACK("chat.postMessage", "{'channel':'C0DEV','text':'m%d'}", "ts"),
    SLACK_BOT("chat.postEphemeral", "{'channel':'C0DEV','user':'U0BOB','text':'e%d'}",
              "message_ts"),
    SLACK_BOT("calls.add",
              "{'external_unique_id':'x%d','join_url':'https://c.example/','created_by':'U0ADA'}",
              "call.id"),
    {ADA, NULL, "slack.com", "/_act/slack",
     "{'do':{'post':{'channel':'C0DEV',"
     "'text':'t%d'}}}",
     "message.client_msg_id", NULL},
    {ADA, CONFIGURES, "slack.com", "/api/apps.manifest.create",
     "{'manifest':{'display_information':{'name':'App%d'}}}",
     "app_id credentials.client_id credentials.client_secret credentials.signing_secret "
     "credentials.verification_token",
     NULL},
    GOOGLE("/calendar/v3/calendars", "{'summary':'c%d'}", "id", NULL),
    GOOGLE("/calendar/v3/calendars/primary/events",
           "{'summary':'e%d','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}",
           "id iCalUID", NULL),
    GOOGLE("/calendar/v3/calendars/primary/events?conferenceDataVersion=1",
           "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'conferenceData':"
           "{'createRequest':{'requestId':'again'}}}",
           "conferenceData.conferenceId", NULL),
    GOOGLE("/gmail/v1/users/me/messages/send", "{'raw':'VG86IGJvYkBhY21lLmV4YW1wbGUNCg0KaGkNCg=='}",
           "id", "/gmail/v1/users/me/messages/%s?format=metadata&metadataHeaders=Message-Id"),
    GOOGLE("/gmail/v1/users/me/drafts",
           "{'message':{'raw':'VG86IGJvYkBhY21lLmV4YW1wbGUNCg0KaGkNCg=='}}", "id message.id", NULL),
    GOOGLE("/gmail/v1/users/me/labels", "{'name':'l%d'}", "id", NULL),
    GOOGLE("/gmail/v1/users/me/settings/filters",
           "{'criteria':{'subject':'f%d'},'action':{'addLabelIds':['STARRED']}}", "id", NULL),
    GOOGLE("/drive/v3/files", "{'name':'f%d'}", "id", NULL),
    GOOGLE("/drive/v3/drives?requestId=r%d", "{'name':'d%d'}", "id", NULL),
    GOOGLE("/drive/v3/files/doc/comments?fields=*", "{'content':'c%d'}", "id", NULL),
    GOOGLE("/drive/v3/files/doc/approvals:start", "{'reviewerEmails':['bob@acme.example']}",
           "approvalId", "!/drive/v3/files/doc/approvals/%s:cancel"),
    {ADA, NULL, "localhost", "/mcp/register", "{'redirect_uris':['https://c.example/back']}",
     "client_id client_secret", NULL},
};

static const char *with(const char *text, const char *mark, const char *value)
{
    const char *at = text;
    while ((at = strstr(text, mark)))
        text =
            arena_printf(&test_arena, "%.*s%s%s", (int)(at - text), text, value, at + strlen(mark));
    return text;
}

static const struct json *send(const struct row *row, const char *verb, const char *target,
                               const char *body)
{
    const struct sosia_header headers[] = {
        {"Host", row->host},
        {"Authorization", test_bearer(row->who, row->scopes)},
        {"Content-Type", !body || *body == '{' ? "application/json; charset=utf-8"
                                               : "application/x-www-form-urlencoded"}};
    const struct json *v =
        test_request(verb, target, headers, *verb == 'P' ? 3 : 2, body, body ? strlen(body) : 0);
    if (test_status >= 300 || (strcmp(row->host, "slack.com") == 0 && !true_at(v, "ok")))
        fail_msg("%s: %d %s", target, test_status, test_body);
    return v;
}

static void is_new(struct map *seen, const struct row *row, const char *id)
{
    if (!id)
        fail_msg("%s: no id in %s", row->target, test_body);
    const char *key = arena_printf(&test_arena, "%s %s", row->target, id);
    if (map_get(seen, key))
        fail_msg("%s: %s was there before", row->target, id);
    assert_int_equal(map_set(seen, key, seen), 0);
}

static void make(struct map *seen, const struct row *row, int n)
{
    const char *number = arena_printf(&test_arena, "%d", n);
    const struct json *v =
        send(row, "POST", with(row->target, "%d", number), quoted(with(row->body, "%d", number)));
    char *paths = arena_strdup(&test_arena, row->ids), *rest = paths, *path;
    const char *first = NULL;
    while ((path = strtok_r(rest, " ", &rest))) {
        const char *id = text_at(v, path);
        is_new(seen, row, id);
        first = first ? first : id;
    }
    if (row->after && *row->after == '!')
        send(row, "POST", with(row->after + 1, "%s", first), "{}");
    else if (row->after)
        is_new(seen, row,
               text_at(send(row, "GET", with(row->after, "%s", first), NULL),
                       "payload.headers.0.value"));
}

/* The world of its dump, in its place. */
static void go_on_from_a_dump(void)
{
    struct sosia_blob dump;
    uint64_t before = test_world;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    test_use(dump.data);
    sosia_blob_free(&dump);
    assert_int_equal(sosia_world_drop(test_engine, before, &test_err), 0);
}

static void ids_are_new_in_the_world_of_a_dump(void **state)
{
    struct map seen;
    (void)state;
    map_init(&seen);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < SOSIA_LEN(rows); i++)
            for (int n = 0; n < 3; n++)
                make(&seen, &rows[i], 3 * round + n);
        go_on_from_a_dump();
    }
    map_done(&seen);
}

/* The ids of the sections of a canvas. */
static void sections_are_distinguished(void **state)
{
    struct map seen;
    static const struct row edit = {.who = ADA, .host = "slack.com", .target = "canvas"};
    static const char change[] = "{'canvas_id':'F0CANVAS','changes':[{'operation':'insert_at_end',"
                                 "'document_content':{'type':'markdown','markdown':'# Two'}}]}";
    (void)state;
    for (int round = 0; round < 3; round++) {
        send(&edit, "POST", "/api/canvases.edit", quoted(change));
        go_on_from_a_dump();
    }
    const struct json *v = value_at(test_dump(), "canvases.0.sections");
    assert_int_equal(v->n, 4);
    map_init(&seen);
    for (uint32_t i = 0; i < v->n; i++)
        is_new(&seen, &edit, text_at(&v->items[i], "id"));
    map_done(&seen);
}

/* Uploads a file and makes it public: the secret of its address. */
static const char *public_secret(int n)
{
    static const struct row upload = {.who = ADA, .host = "slack.com", .target = "public"};
    const struct json *v = send(&upload, "POST", "/api/files.getUploadURLExternal",
                                arena_printf(&test_arena, "filename=f%d.txt&length=5", n));
    const char *id = text_at(v, "file_id"), *url = text_at(v, "upload_url");
    const struct sosia_header host = {"Host", "files.slack.com"};
    test_request("POST", strstr(url, "/upload/"), &host, 1, "hello", 5);
    assert_int_equal(test_status, 200);
    send(&upload, "POST", "/api/files.completeUploadExternal",
         quoted(arena_printf(&test_arena, "{'files':[{'id':'%s'}]}", id)));
    v = send(&upload, "POST", "/api/files.sharedPublicURL",
             quoted(arena_printf(&test_arena, "{'file':'%s'}", id)));
    return strrchr(text_at(v, "file.permalink_public"), '-');
}

static void addresses_of_files_are_distinguished(void **state)
{
    static const struct row row = {.target = "public"};
    struct map seen;
    (void)state;
    map_init(&seen);
    for (int round = 0; round < 3; round++) {
        for (int n = 0; n < 2; n++)
            is_new(&seen, &row, public_secret(2 * round + n));
        go_on_from_a_dump();
    }
    map_done(&seen);
}

static void runs_of_workflows_are_distinguished(void **state)
{
    static const struct row row = {.who = ADA, .host = "slack.com", .target = "run"};
    struct map seen;
    (void)state;
    for (int round = 0; round < 3; round++) {
        send(&row, "POST", "/_act/slack",
             quoted("{'do':{'run':{'app':'A0DEPLOY','function':'greet'}}}"));
        go_on_from_a_dump();
    }
    const struct json *v = value_at(test_dump(), "functionExecutions");
    assert_int_equal(v->n, 3);
    map_init(&seen);
    for (uint32_t i = 0; i < v->n; i++)
        is_new(&seen, &row, text_at(&v->items[i], "workflow"));
    map_done(&seen);
}

static void revisions_are_distinguished(void **state)
{
    static const struct row row = {.who = ADA, .host = "www.googleapis.com", .target = "revision"};
    struct map seen;
    (void)state;
    map_init(&seen);
    for (int round = 0; round < 4; round++) {
        const struct json *v =
            send(&row, "PATCH", "/upload/drive/v3/files/doc?uploadType=media&fields=headRevisionId",
                 "{}");
        is_new(&seen, &row, text_at(v, "headRevisionId"));
        go_on_from_a_dump();
    }
    map_done(&seen);
}

/* Columns that a document brings without ids get others than those that have some. */
static void columns_are_distinguished(void **state)
{
    static const struct row make = {.who = ADA, .host = "slack.com", .target = "list"};
    static const char column[] = "  - {key: b, name: B, type: number}\n";
    (void)state;
    const struct json *v = send(&make, "POST", "/api/slackLists.create", "name=l");
    const char *id = text_at(v, "list_id"), *first = text_at(v, "list_metadata.schema.0.id");
    test_use(arena_printf(
        &test_arena,
        "%schatLists:\n- file: %s\n  columns:\n%s  - {id: %s, key: name, name: "
        "Name, type: text, primary: true}\n",
        with(doc, "[{id: F0CANVAS",
             arena_printf(&test_arena,
                          "[{id: %s, user: U0ADA, mode: list, name: list}, {id: F0CANVAS", id)),
        id, column, first));
    v = value_at(test_dump(), "chatLists.0.columns");
    assert_int_equal(v->n, 2);
    assert_string_equal(text_at(&v->items[1], "id"), first);
    assert_string_not_equal(text_at(&v->items[0], "id"), first);
}

static void what_is_there_twice_is_refused_with_both_places(void **state)
{
    static const struct {
        const char *add, *where, *why;
    } bad[] = {
        {"chatLists: [{file: F0LIST, columns: [{id: Col0A, key: a, name: A, type: text},\n"
         "  {id: Col0A, key: b, name: B, type: text}]}]\n",
         "chatLists[0].columns[1].id",
         "\"Col0A\" is there already: chatLists[0].columns[0].id in line "},
        {"functionExecutions: [{id: Fx0A, app: '1.2', user: U0ADA, function: greet},\n"
         "  {id: Fx0A, app: '1.2', user: U0ADA, function: greet}]\n",
         "functionExecutions[1].id",
         "\"Fx0A\" is there already: functionExecutions[0].id in line "},
        {"userGroups: [{id: S0A, name: a}]\nchatEmoji: [{name: a, url: x}, {name: a, url: x}]\n",
         "chatEmoji[1].name", "\"a\" is there already: chatEmoji[0].name in line "},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *text =
            arena_printf(&test_arena, "%s%s",
                         with(doc, "[{id: F0CANVAS",
                              "[{id: F0LIST, user: U0ADA, mode: list, name: list}, {id: F0CANVAS"),
                         bad[i].add);
        struct sosia_world_options opt = {.seed_doc = text, .seed_doc_len = strlen(text)};
        uint64_t world;
        assert_int_equal(sosia_world_create(test_engine, &opt, &world, &test_err), -1);
        if (!strstr(test_err.text, bad[i].where) || !strstr(test_err.text, bad[i].why))
            fail_msg("%s", test_err.text);
    }
}

/* A message is written again, with blocks that a dump brought and one more. */
static void blocks_are_distinguished(void **state)
{
    static const struct row bot = {.who = "deploy", .host = "slack.com", .target = "blocks"};
    static const char block[] = "{'type':'divider'}";
    const struct json *v =
        send(&bot, "POST", "/api/chat.postMessage",
             quoted(with("{'channel':'C0DEV','text':'x','blocks':[%s]}", "%s", block)));
    const char *ts = text_at(v, "ts"), *id = text_at(v, "message.blocks.0.block_id");
    (void)state;
    go_on_from_a_dump();
    v = send(&bot, "POST", "/api/chat.update",
             quoted(arena_printf(&test_arena,
                                 "{'channel':'C0DEV','ts':'%s','blocks':[%s,{'type':'divider',"
                                 "'block_id':'%s'}]}",
                                 ts, block, id)));
    assert_int_equal(count_at(v, "message.blocks"), 2);
    assert_string_not_equal(text_at(v, "message.blocks.0.block_id"), id);
}

/* Who has the hash of a view from before the dump is not taken for somebody who has seen the new
 * one. */
static void hashes_of_views_are_distinguished(void **state)
{
    static const struct row bot = {.who = "deploy", .host = "slack.com", .target = "view"};
    static const char view[] = "{'user_id':'U0ADA','view':{'type':'home','blocks':[]}}";
    send(&bot, "POST", "/api/views.publish", quoted(view)); /* what is seeded takes one too */
    const char *first =
        text_at(send(&bot, "POST", "/api/views.publish", quoted(view)), "view.hash");
    (void)state;
    go_on_from_a_dump();
    assert_string_not_equal(
        text_at(send(&bot, "POST", "/api/views.publish", quoted(view)), "view.hash"), first);
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

#define anew_test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        anew_test(ids_are_new_in_the_world_of_a_dump),
        anew_test(sections_are_distinguished),
        anew_test(addresses_of_files_are_distinguished),
        anew_test(runs_of_workflows_are_distinguished),
        anew_test(revisions_are_distinguished),
        anew_test(columns_are_distinguished),
        anew_test(what_is_there_twice_is_refused_with_both_places),
        anew_test(blocks_are_distinguished),
        anew_test(hashes_of_views_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
