/* SPDX-License-Identifier: Apache-2.0 */
/* The list of flagged mail in To Do: what flags and tasks say of each other. */
#include "engine/http/call.h"
#include "tests/support/outlook.h"
#include <stdio.h>
#include <stdlib.h>

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "mailboxes:\n"
    "  - person: cyd@port.example\n"
    "    messages:\n"
    "      - {from: ada@acme.example, to: cyd@port.example, subject: Levels, importance: high,\n"
    "         flag: {status: flagged, due: '2026-11-25T00:00:00Z'}}\n"
    "      - {from: ada@acme.example, to: cyd@port.example, subject: Tides,\n"
    "         flag: {status: complete, done: '2026-11-22T09:00:00Z'}}\n"
    "      - {from: ada@acme.example, to: cyd@port.example, flag: flagged}\n"
    "      - {from: ada@acme.example, to: cyd@port.example, subject: Nothing}\n";

static int open_world(void **state)
{
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

/* The path of the tasks in the list of flagged mail. */
static const char *flagged(const char *who)
{
    const struct json *v = ol_get(who, 200, "/todo/lists");
    assert_string_equal(text_at(v, "value.1.wellknownListName"), "flaggedEmails");
    return ol_text("/todo/lists/%s/tasks", text_at(v, "value.1.id"));
}

static const char *flag_of(const char *id)
{
    const struct json *v = ol_get(BOB, 200, "/messages/%s?$select=flag", id);
    return ol_text("%s", text_at(v, "flag.flagStatus"));
}

/* A message to Bob that has a flag; its id. */
static const char *flag_one(const char *subject)
{
    ol_send(CYD, BOB, subject, "Please look.");
    const char *id = ol_newest(BOB, "inbox");
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'flag':{'flagStatus':'flagged'}}", 200);
    return id;
}

static void a_flagged_message_is_a_task(void **state)
{
    const char *tasks = flagged(BOB);
    (void)state;
    assert_int_equal(count_at(ol_get(BOB, 200, "%s", tasks), "value"), 0);
    const char *id = flag_one("Rope");
    const struct json *v = ol_get(BOB, 200, "%s?$expand=linkedResources", tasks);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.title"), "Rope");
    assert_string_equal(text_at(v, "value.0.status"), "notStarted");
    assert_int_equal(strlen(text_at(v, "value.0.id")), 152);
    assert_string_equal(text_at(v, "value.0.linkedResources.0.applicationName"), "Outlook");
    assert_string_equal(text_at(v, "value.0.linkedResources.0.displayName"), "Rope");
    assert_string_equal(text_at(v, "value.0.linkedResources.0.externalId"), id);
    const char *url = ol_text("%s", text_at(v, "value.0.linkedResources.0.webUrl"));
    v = ol_get(BOB, 200, "/messages/%s?$select=webLink", id);
    assert_string_equal(text_at(v, "webLink"), url);
    /* Nobody else's list has it, and the list keeps its id. */
    assert_string_equal(flagged(BOB), tasks);
    assert_string_not_equal(column(ol_get(CYD, 200, "%s", flagged(CYD)), "value", "title"), "Rope");
}

static void a_message_that_moves_keeps_its_task(void **state)
{
    const char *id = flag_one("Rope"), *tasks = flagged(BOB);
    (void)state;
    const char *task = ol_text("%s", text_at(ol_get(BOB, 200, "%s", tasks), "value.0.id"));
    const struct json *v =
        ol_do(BOB, "POST", ol_text("/messages/%s/move", id), "{'destinationId':'archive'}", 201);
    const char *now = ol_text("%s", text_at(v, "id"));
    assert_string_not_equal(now, id);
    v = ol_get(BOB, 200, "%s/%s/linkedResources", tasks, task);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.externalId"), now);
    /* What was deleted is not to be followed up; brought back, it is. */
    v = ol_do(BOB, "POST", ol_text("/messages/%s/move", now), "{'destinationId':'deleteditems'}",
              201);
    ol_get(BOB, 404, "%s/%s", tasks, task);
    v = ol_do(BOB, "POST", ol_text("/messages/%s/move", text_at(v, "id")),
              "{'destinationId':'inbox'}", 201);
    const char *back = ol_text("%s", text_at(v, "id"));
    ol_get(BOB, 200, "%s/%s", tasks, task);
    ol_do(BOB, "POST", ol_text("/messages/%s/permanentDelete", back), "", 204);
    ol_get(BOB, 404, "%s/%s", tasks, task);
    assert_int_equal(count_at(ol_get(BOB, 200, "%s", tasks), "value"), 0);
}

static void a_flag_says_how_far_its_task_is(void **state)
{
    const char *id = flag_one("Rope"), *tasks = flagged(BOB);
    (void)state;
    const char *path = ol_text("/messages/%s", id);
    const char *task =
        ol_text("%s/%s", tasks, text_at(ol_get(BOB, 200, "%s", tasks), "value.0.id"));
    ol_do(BOB, "PATCH", path,
          "{'flag':{'flagStatus':'flagged','startDateTime':{'dateTime':'2026-11-24T00:00:00',"
          "'timeZone':'UTC'},'dueDateTime':{'dateTime':'2026-11-26T00:00:00','timeZone':'UTC'}}}",
          200);
    const struct json *v = ol_get(BOB, 200, "%s", task);
    assert_string_equal(text_at(v, "dueDateTime.dateTime"), "2026-11-26T00:00:00.0000000");
    assert_string_equal(text_at(v, "startDateTime.dateTime"), "2026-11-24T00:00:00.0000000");
    ol_do(BOB, "PATCH", path, "{'flag':{'flagStatus':'complete'}}", 200);
    v = ol_get(BOB, 200, "%s", task);
    assert_string_equal(text_at(v, "status"), "completed");
    assert_string_equal(text_at(v, "completedDateTime.dateTime"), "2026-11-23T08:00:00.0000000");
    const char *etag = ol_text("%s", json_get_str(v, "@odata.etag"));
    /* A change that is not of the flag is none of the task. */
    ol_do(BOB, "PATCH", path, "{'isRead':true}", 200);
    assert_string_equal(json_get_str(ol_get(BOB, 200, "%s", task), "@odata.etag"), etag);
    ol_do(BOB, "PATCH", path, "{'flag':{'flagStatus':'notFlagged'}}", 200);
    ol_get(BOB, 404, "%s", task);
}

static void a_task_says_what_its_flag_is(void **state)
{
    const char *id = flag_one("Rope"), *tasks = flagged(BOB);
    (void)state;
    const char *task =
        ol_text("%s/%s", tasks, text_at(ol_get(BOB, 200, "%s", tasks), "value.0.id"));
    ol_do(BOB, "PATCH", task,
          "{'title':'Coil the rope','dueDateTime':{'dateTime':'2026-11-27T00:00:00','timeZone':"
          "'UTC'}}",
          200);
    const struct json *v = ol_get(BOB, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "subject"), "Rope");
    assert_string_equal(text_at(v, "flag.dueDateTime.dateTime"), "2026-11-27T00:00:00.0000000");
    ol_do(BOB, "PATCH", task, "{'status':'completed'}", 200);
    assert_string_equal(flag_of(id), "complete");
    v = ol_get(BOB, 200, "%s", task);
    assert_string_equal(text_at(v, "title"), "Coil the rope");
    assert_string_equal(text_at(v, "status"), "completed");
    ol_do(BOB, "PATCH", task, "{'status':'notStarted'}", 200);
    assert_string_equal(flag_of(id), "flagged");
    ol_do(BOB, "PATCH", task, "{'status':'inProgress'}", 200);
    assert_string_equal(text_at(ol_get(BOB, 200, "%s", task), "status"), "inProgress");
    ol_do(BOB, "DELETE", task, NULL, 204);
    assert_string_equal(flag_of(id), "notFlagged");
    assert_int_equal(count_at(ol_get(BOB, 200, "%s", tasks), "value"), 0);
    /* The same message is the same task. */
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'flag':{'flagStatus':'flagged'}}", 200);
    assert_string_equal(text_at(ol_get(BOB, 200, "%s", task), "title"), "Rope");
}

static void tasks_put_into_the_list_are_as_elsewhere(void **state)
{
    const char *tasks = flagged(BOB);
    (void)state;
    const struct json *v = ol_do(BOB, "POST", tasks, "{'title':'By hand'}", 201);
    const char *task = ol_text("%s/%s", tasks, text_at(v, "id"));
    const char *id = flag_one("Rope");
    ol_do(BOB, "PATCH", task, "{'status':'completed'}", 200);
    ol_do(BOB, "POST", ol_text("/messages/%s/permanentDelete", id), "", 204);
    v = ol_get(BOB, 200, "%s", tasks);
    assert_string_equal(column(v, "value", "title"), "By hand");
    assert_string_equal(text_at(v, "value.0.status"), "completed");
}

static void deltas_say_what_was_flagged(void **state)
{
    const char *tasks = flagged(BOB);
    (void)state;
    flag_one("Rope");
    const struct json *v = ol_get(BOB, 200, "%s/delta", tasks);
    assert_string_equal(column(v, "value", "title"), "Rope");
    const char *link = json_get_str(v, "@odata.deltaLink");
    const char *next = ol_text("%s", strstr(link, "/todo"));
    flag_one("Tar");
    v = ol_get(BOB, 200, "%s", next);
    assert_string_equal(column(v, "value", "title"), "Tar");
}

/* The diff since another state. */
static const struct json *changes_since(uint64_t before)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_diff(test_engine, before, test_world, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(ol_text("%s", blob.data), blob.len);
    sosia_blob_free(&blob);
    return v;
}

static uint64_t now(void)
{
    uint64_t world;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &world, &test_err), 0);
    return world;
}

/* What the task and the list say, the message says too. */
static void in_diffs_the_task_follows_from_the_message(void **state)
{
    uint64_t before = now();
    (void)state;
    const struct json *levels =
        ol_get(CYD, 200, "/messages?$filter=subject%%20eq%%20'Nothing'&$select=id");
    const char *path = ol_text("/messages/%s", text_at(levels, "value.0.id"));
    ol_do(CYD, "PATCH", path, "{'flag':{'flagStatus':'flagged'}}", 200);
    const struct json *v = changes_since(before);
    assert_string_equal(column(v, "changes", "entity"), "message");
    assert_string_equal(column(v, "changes.0.consequences", "change"), "added");
    before = now();
    ol_do(CYD, "PATCH", path, "{'flag':{'flagStatus':'notFlagged'}}", 200);
    v = changes_since(before);
    assert_string_equal(column(v, "changes", "entity"), "message");
    assert_string_equal(column(v, "changes.0.consequences", "change"), "removed");
    before = now();
    /* A change of the task alone is its own. */
    const char *tasks = flagged(CYD);
    v = ol_get(CYD, 200, "%s?$orderby=title", tasks);
    ol_do(CYD, "PATCH", ol_text("%s/%s", tasks, text_at(v, "value.1.id")), "{'title':'Read them'}",
          200);
    assert_string_equal(column(changes_since(before), "changes", "entity"), "task");
}

static char *dumped(void)
{
    struct sosia_blob b;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &b, &test_err), 0);
    char *text = strndup(b.data, b.len);
    sosia_blob_free(&b);
    return text;
}

static void documents_have_flagged_mail(void **state)
{
    const char *tasks = flagged(CYD);
    (void)state;
    const struct json *v = ol_get(CYD, 200, "%s?$orderby=title", tasks);
    assert_string_equal(column(v, "value", "title"), "(No subject) Levels Tides");
    assert_string_equal(text_at(v, "value.1.importance"), "high");
    assert_string_equal(text_at(v, "value.1.dueDateTime.dateTime"), "2026-11-25T00:00:00.0000000");
    assert_string_equal(text_at(v, "value.2.status"), "completed");
    assert_string_equal(text_at(v, "value.2.completedDateTime.dateTime"),
                        "2026-11-22T09:00:00.0000000");
    ol_do(CYD, "PATCH", ol_text("%s/%s", tasks, text_at(v, "value.1.id")),
          "{'title':'Read the levels'}", 200);
    char *one = dumped();
    test_close();
    assert_int_equal(test_open(one), 0);
    char *two = dumped();
    assert_string_equal(one, two);
    v = ol_get(CYD, 200, "%s?$orderby=title", flagged(CYD));
    assert_string_equal(column(v, "value", "title"), "(No subject) Read the levels Tides");
    free(one);
    free(two);
}

#define in_world(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_world(a_flagged_message_is_a_task),
        in_world(a_message_that_moves_keeps_its_task),
        in_world(a_flag_says_how_far_its_task_is),
        in_world(a_task_says_what_its_flag_is),
        in_world(tasks_put_into_the_list_are_as_elsewhere),
        in_world(deltas_say_what_was_flagged),
        in_world(in_diffs_the_task_follows_from_the_message),
        in_world(documents_have_flagged_mail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
