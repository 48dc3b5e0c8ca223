/* SPDX-License-Identifier: Apache-2.0 */
/* To Do by Microsoft Graph: lists, tasks, what recurs, steps and links, deltas, seed documents. */
#include "engine/http/call.h"
#include "tests/support/outlook.h"
#include <stdio.h>
#include <stdlib.h>

#define LISTS "/todo/lists"
#define USUAL LISTS "/Tasks/tasks"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "handshakes: accepted\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "taskLists:\n"
    "  - {person: cyd@port.example, id: AAMkFleet, name: Fleet}\n"
    "tasks:\n"
    "  - {person: cyd@port.example, list: Fleet, id: AAMkPaint, title: Paint the hull, due: "
    "'2026-11-25T00:00:00Z', priority: 1, labels: [Red category], notes: Two coats, items: [{id: "
    "i1, title: Sand it}, {id: i2, title: Prime it, done: '2026-11-22T10:00:00Z'}], links: [{id: "
    "l1, url: 'https://port.example/hull', title: Hull, app: Docks, external: h-1}]}\n"
    "  - {person: cyd@port.example, title: Call the yard, status: completed, completed: "
    "'2026-11-21T09:00:00Z'}\n";

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

static void refused(int status, const char *code, const char *inner)
{
    const struct json *v = parsed(test_body, test_len);
    const char *found = text_at(v, "error.innerError.code");
    if (test_status != status || strcmp(text_at(v, "error.code"), code) != 0 ||
        (inner && (!found || strcmp(found, inner) != 0)))
        fail_msg("expected %d %s %s, got %d %s", status, code, inner, test_status, test_body);
}

/* ---- lists ---- */

static void everybody_has_two_lists(void **state)
{
    const struct json *v = ol_get(BOB, 200, LISTS);
    (void)state;
    assert_string_equal(column(v, "value", "wellknownListName"), "defaultList flaggedEmails");
    assert_string_equal(text_at(v, "value.0.displayName"), "Tasks");
    const char *id = ol_text("%s", text_at(v, "value.0.id"));
    v = ol_get(BOB, 200, LISTS "/%s", id);
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, LISTS "/%s/tasks", id);
    assert_int_equal(count_at(v, "value"), 0);
    /* It has the same id when it has been written down. */
    ol_do(BOB, "POST", USUAL, "{'title':'One'}", 201);
    v = ol_get(BOB, 200, LISTS);
    assert_string_equal(text_at(v, "value.0.id"), id);
    v = ol_get(BOB, 200, LISTS "/%s/tasks", id);
    assert_int_equal(count_at(v, "value"), 1);
    ol(BOB, "PATCH", ol_text(LISTS "/%s", id), "{'displayName':'Mine'}");
    refused(400, "invalidRequest", NULL);
    ol(BOB, "DELETE", ol_text(LISTS "/%s", id), NULL);
    refused(400, "invalidRequest", NULL);
}

static void lists_are_made_renamed_and_deleted(void **state)
{
    const struct json *v = ol_do(BOB, "POST", LISTS, "{'displayName':'Rope'}", 201);
    (void)state;
    const char *id = ol_text("%s", text_at(v, "id"));
    assert_int_equal(strlen(id), 120);
    assert_string_equal(text_at(v, "wellknownListName"), "none");
    const char *etag = ol_text("%s", json_get_str(v, "@odata.etag"));
    v = ol_do(BOB, "PATCH", ol_text(LISTS "/%s", id), "{'displayName':'Ropes'}", 200);
    assert_string_not_equal(json_get_str(v, "@odata.etag"), etag);
    v = ol_get(BOB, 200, LISTS "?$filter=displayName%%20eq%%20'Ropes'");
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "POST", ol_text(LISTS "/%s/tasks", id), "{'title':'Coil'}", 201);
    ol_do(BOB, "DELETE", ol_text(LISTS "/%s", id), NULL, 204);
    ol(BOB, "GET", ol_text(LISTS "/%s", id), NULL);
    refused(404, "itemNotFound", "ErrorItemNotFound");
    ol(BOB, "POST", LISTS, "{'displayName':''}");
    refused(400, "invalidRequest", "InvalidModel");
    ol(BOB, "GET", "!/v1.0/users/cyd@port.example" LISTS, NULL);
    refused(403, "accessDenied", NULL);
    ol(BOB, "GET", LISTS "/AAMkFleet/tasks", NULL); /* Cyd's */
    refused(404, "itemNotFound", NULL);
}

/* ---- tasks ---- */

static void a_task_has_what_it_was_given(void **state)
{
    const struct json *v = ol_do(
        BOB, "POST", USUAL,
        "{'title':'Tar','importance':'high','categories':['Deck'],'isReminderOn':true,"
        "'dueDateTime':{'dateTime':'2026-11-26T09:00:00','timeZone':'W. Europe Standard Time'},"
        "'reminderDateTime':{'dateTime':'2026-11-26T07:00:00.0000000','timeZone':'UTC'},"
        "'body':{'content':'Hot','contentType':'text'},"
        "'linkedResources':[{'webUrl':'https://a.example','applicationName':'A'}]}",
        201);
    (void)state;
    const char *id = ol_text("%s", text_at(v, "id"));
    assert_int_equal(strlen(id), 152);
    assert_string_equal(text_at(v, "status"), "notStarted");
    assert_string_equal(text_at(v, "dueDateTime.dateTime"), "2026-11-26T08:00:00.0000000");
    assert_string_equal(text_at(v, "dueDateTime.timeZone"), "UTC");
    assert_string_equal(text_at(v, "categories.0"), "Deck");
    assert_string_equal(text_at(v, "createdDateTime"), "2026-11-23T08:00:00.0000000Z");
    assert_null(value_at(v, "recurrence"));
    v = ol_get(BOB, 200, USUAL "?$expand=linkedResources&$select=title");
    assert_string_equal(text_at(v, "value.0.linkedResources.0.applicationName"), "A");
    assert_null(value_at(v, "value.0.status"));
    ol_prefer = "outlook.timezone=\"W. Europe Standard Time\"";
    const char *list = ol_text("%s", text_at(ol_get(BOB, 200, LISTS), "value.0.id"));
    v = ol_get(BOB, 200, LISTS "/%s/tasks/%s", list, id);
    assert_string_equal(text_at(v, "dueDateTime.dateTime"), "2026-11-26T09:00:00.0000000");
    ol_prefer = NULL;
    v = ol_do(BOB, "PATCH", ol_text(LISTS "/%s/tasks/%s", list, id),
              "{'status':'completed','dueDateTime':null}", 200);
    assert_null(value_at(v, "dueDateTime"));
    assert_string_equal(text_at(v, "completedDateTime.dateTime"), "2026-11-23T08:00:00.0000000");
    v = ol_do(BOB, "PATCH", ol_text(LISTS "/%s/tasks/%s", list, id), "{'status':'inProgress'}",
              200);
    assert_null(value_at(v, "completedDateTime"));
    ol_if_match = "W/\"old\"";
    ol(BOB, "DELETE", ol_text(LISTS "/%s/tasks/%s", list, id), NULL);
    assert_int_equal(test_status, 412);
    ol_if_match = NULL;
    ol_do(BOB, "DELETE", ol_text(LISTS "/%s/tasks/%s", list, id), NULL, 204);
}

static void tasks_are_found_and_ordered(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        ol_do(BOB, "POST", USUAL,
              ol_text("{'title':'T%d','importance':'%s','status':'%s','dueDateTime':{'dateTime':"
                      "'2026-12-0%dT00:00:00','timeZone':'UTC'}}",
                      i, i % 2 ? "high" : "low", i == 3 ? "completed" : "notStarted", 9 - i),
              201);
    const struct json *v = ol_get(BOB, 200, USUAL "?$filter=status%%20ne%%20'completed'");
    assert_string_equal(column(v, "value", "title"), "T2 T1 T0");
    v = ol_get(BOB, 200, USUAL "?$orderby=dueDateTime/dateTime&$top=3");
    assert_string_equal(column(v, "value", "title"), "T3 T2 T1");
    assert_non_null(strstr(json_get_str(v, "@odata.nextLink"), "skip=3"));
    v = ol_get(BOB, 200, USUAL "?$orderby=title&$skip=1&$top=2&$count=true");
    assert_string_equal(column(v, "value", "title"), "T1 T2");
    assert_int_equal(json_get_int(v, "@odata.count", -1), 4);
    v = ol_get(BOB, 200,
               USUAL "?$filter=importance%%20eq%%20'high'%%20and%%20dueDateTime/dateTime%%20lt"
                     "%%20'2026-12-07T00:00:00'");
    assert_string_equal(column(v, "value", "title"), "T3");
    ol(BOB, "GET", USUAL "?$filter=nothing%20eq%201", NULL);
    assert_int_equal(test_status, 400);
}

static void bodies_that_are_wrong_change_nothing(void **state)
{
    static const char *const bodies[] = {
        "{}",
        "{'title':null}",
        "{'title':'x','dueDateTime':{'dateTime':'soon','timeZone':'UTC'}}",
        "{'title':'x','dueDateTime':{'dateTime':'2026-01-01T00:00:00','timeZone':'Moon'}}",
        "{'title':'x','status':'someday'}",
        "{'title':'x','colour':'red'}",
        "{'title':'x','categories':[1]}",
        "{'title':'x','recurrence':{'pattern':{'type':'weekly','interval':1},'range':{}}}",
        "{'title':'x','recurrence':{'pattern':{'type':'daily','interval':0}}}",
        "{'title':'x','recurrence':{'pattern':{'type':'daily','interval':1},'range':{'type':"
        "'endDate','startDate':'2026-12-01','endDate':'2026-11-01'}}}",
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bodies); i++) {
        ol(BOB, "POST", USUAL, bodies[i]);
        if (test_status != 400)
            fail_msg("%s: %d %s", bodies[i], test_status, test_body);
    }
    assert_int_equal(count_at(ol_get(BOB, 200, USUAL), "value"), 0);
}

/* ---- what recurs ---- */

static const char *made(const char *pattern, const char *range)
{
    const struct json *v = ol_do(
        BOB, "POST", USUAL,
        ol_text("{'title':'Pump','dueDateTime':{'dateTime':'2026-11-23T00:00:00','timeZone':'UTC'},"
                "'reminderDateTime':{'dateTime':'2026-11-22T18:00:00','timeZone':'UTC'},"
                "'checklistItems':[{'displayName':'Oil','isChecked':true}],"
                "'recurrence':{'pattern':{%s},'range':{%s}}}",
                pattern, range),
        201);
    return ol_text("%s", text_at(v, "id"));
}

static const struct json *completed(const char *id)
{
    const char *list = ol_text("%s", text_at(ol_get(BOB, 200, LISTS), "value.0.id"));
    const struct json *v =
        ol_do(BOB, "PATCH", ol_text(LISTS "/%s/tasks/%s", list, id), "{'status':'completed'}", 200);
    assert_string_equal(text_at(v, "id"), id);
    assert_string_equal(text_at(v, "status"), "completed");
    assert_null(value_at(v, "recurrence"));
    return ol_get(BOB, 200, USUAL "?$filter=status%%20ne%%20'completed'&$expand=checklistItems");
}

static void a_task_that_recurs_is_followed_by_the_next(void **state)
{
    const char *id = made("'type':'weekly','interval':2,'daysOfWeek':['monday'],"
                          "'firstDayOfWeek':'sunday'",
                          "'type':'noEnd','startDate':'2026-11-23'");
    (void)state;
    const struct json *v = completed(id);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_not_equal(text_at(v, "value.0.id"), id);
    assert_string_equal(text_at(v, "value.0.dueDateTime.dateTime"), "2026-12-07T00:00:00.0000000");
    assert_string_equal(text_at(v, "value.0.reminderDateTime.dateTime"),
                        "2026-12-06T18:00:00.0000000");
    assert_string_equal(text_at(v, "value.0.recurrence.pattern.type"), "weekly");
    assert_int_equal(number_at(v, "value.0.recurrence.pattern.interval"), 2);
    assert_string_equal(text_at(v, "value.0.recurrence.range.startDate"), "2026-11-23");
    assert_string_equal(text_at(v, "value.0.checklistItems.0.displayName"), "Oil");
    assert_false(true_at(v, "value.0.checklistItems.0.isChecked"));
}

static void a_recurrence_ends(void **state)
{
    const char *id = made("'type':'daily','interval':1",
                          "'type':'numbered','startDate':'2026-11-23','numberOfOccurrences':2");
    (void)state;
    const struct json *v = completed(id);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.dueDateTime.dateTime"), "2026-11-24T00:00:00.0000000");
    v = completed(ol_text("%s", text_at(v, "value.0.id")));
    assert_int_equal(count_at(v, "value"), 0);
    assert_int_equal(count_at(ol_get(BOB, 200, USUAL), "value"), 2);
}

static void months_have_their_last_days(void **state)
{
    const char *id = made("'type':'absoluteMonthly','interval':1,'dayOfMonth':31",
                          "'type':'endDate','startDate':'2026-11-23','endDate':'2027-01-01'");
    const struct json *v;
    (void)state;
    v = ol_get(BOB, 200, USUAL);
    assert_string_equal(text_at(v, "value.0.recurrence.range.startDate"), "2026-11-30");
    v = completed(id);
    assert_string_equal(text_at(v, "value.0.dueDateTime.dateTime"), "2026-11-30T00:00:00.0000000");
}

/* ---- steps and links ---- */

static void steps_and_links_are_kept(void **state)
{
    const char *at = LISTS "/AAMkFleet/tasks/AAMkPaint";
    const struct json *v = ol_get(CYD, 200, "%s/checklistItems", at);
    (void)state;
    assert_string_equal(column(v, "value", "displayName"), "Sand it Prime it");
    assert_true(true_at(v, "value.1.isChecked"));
    assert_non_null(value_at(v, "value.1.checkedDateTime"));
    v = ol_do(CYD, "POST", ol_text("%s/checklistItems", at), "{'displayName':'Dry it'}", 201);
    const char *id = ol_text("%s", text_at(v, "id"));
    v = ol_do(CYD, "PATCH", ol_text("%s/checklistItems/%s", at, id), "{'isChecked':true}", 200);
    assert_string_equal(text_at(v, "checkedDateTime"), "2026-11-23T08:00:00.0000000Z");
    ol_do(CYD, "DELETE", ol_text("%s/checklistItems/i1", at), NULL, 204);
    v = ol_get(CYD, 200, "%s/checklistItems", at);
    assert_string_equal(column(v, "value", "displayName"), "Prime it Dry it");
    v = ol_get(CYD, 200, "%s/linkedResources/l1", at);
    assert_string_equal(text_at(v, "externalId"), "h-1");
    ol_do(CYD, "PATCH", ol_text("%s/linkedResources/l1", at), "{'displayName':'The hull'}", 200);
    ol_do(CYD, "DELETE", ol_text("%s/linkedResources/l1", at), NULL, 204);
    ol(CYD, "GET", ol_text("%s/linkedResources/l1", at), NULL);
    refused(404, "itemNotFound", NULL);
    ol(CYD, "GET", USUAL "/AAMkPaint", NULL);
    refused(400, "invalidRequest", "ParentFolderDoesNotContainTaskWithGivenId");
}

/* ---- deltas ---- */

static const char *way(const struct json *v, const char *name)
{
    const char *link = json_get_str(v, name);
    assert_non_null(link);
    return ol_text("!%s", strstr(link, "/v1.0/"));
}

static void deltas_say_what_changed(void **state)
{
    const struct json *v = ol_get(CYD, 200, LISTS "/delta");
    (void)state;
    assert_string_equal(column(v, "value", "displayName"), "Flagged Emails Fleet Tasks");
    const char *lists = way(v, "@odata.deltaLink");
    v = ol_get(CYD, 200, LISTS "/AAMkFleet/tasks/delta()");
    assert_string_equal(column(v, "value", "title"), "Paint the hull");
    const char *tasks = way(v, "@odata.deltaLink");
    v = ol_do(CYD, "GET", tasks, NULL, 200);
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_do(CYD, "POST", LISTS "/AAMkFleet/tasks", "{'title':'Launch'}", 201);
    ol_do(CYD, "DELETE", LISTS "/AAMkFleet/tasks/AAMkPaint", NULL, 204);
    v = ol_do(CYD, "GET", tasks, NULL, 200);
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.title"), "Launch");
    assert_string_equal(text_at(v, "value.1.id"), "AAMkPaint");
    assert_string_equal(text_at(v, "value.1.@removed.reason"), "deleted");
    ol_do(CYD, "DELETE", LISTS "/AAMkFleet", NULL, 204);
    v = ol_do(CYD, "GET", lists, NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), "AAMkFleet");
    ol(CYD, "GET", LISTS "/delta?$deltatoken=nonsense", NULL);
    assert_int_equal(test_status, 410);
}

/* ---- documents ---- */

static void a_dump_is_the_world(void **state)
{
    struct sosia_blob one, two;
    (void)state;
    ol_do(CYD, "POST", USUAL,
          "{'title':'Weekly','recurrence':{'pattern':{'type':'daily','interval':3},'range':{'type':"
          "'noEnd','startDate':'2026-11-24'}}}",
          201);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &one, &test_err), 0);
    char *text = strndup(one.data, one.len);
    sosia_blob_free(&one);
    char *list = strdup(text_at(ol_get(CYD, 200, LISTS), "value.0.id"));
    test_close();
    assert_int_equal(test_open(text), 0);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &two, &test_err), 0);
    char *again = strndup(two.data, two.len);
    assert_string_equal(text, again);
    const struct json *v = ol_get(CYD, 200, LISTS);
    assert_string_equal(text_at(v, "value.0.id"), list);
    v = ol_get(CYD, 200, USUAL);
    assert_string_equal(column(v, "value", "title"), "Weekly Call the yard");
    sosia_blob_free(&two);
    free(text);
    free(again);
    free(list);
}

#define in_world(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

/* ---- files ---- */

static void files_hang_on_tasks(void **state)
{
    const struct json *v = ol_do(BOB, "POST", USUAL, "{'title':'Sail'}", 201);
    const char *task = ol_text("%s/%s", USUAL, text_at(v, "id"));
    (void)state;
    assert_string_equal(printed_at(v, "hasAttachments"), "false");
    v = ol_do(BOB, "POST", ol_text("%s/attachments", task),
              "{'@odata.type':'#microsoft.graph.taskFileAttachment','name':'plan.txt',"
              "'contentType':'text/plain','contentBytes':'VHdlbHZl'}",
              201);
    const char *id = ol_text("%s", text_at(v, "id"));
    assert_string_equal(printed_at(v, "size"), "6");
    assert_null(value_at(v, "contentBytes"));
    v = ol_get(BOB, 200, "%s", task);
    assert_string_equal(printed_at(v, "hasAttachments"), "true");
    v = ol_get(BOB, 200, "%s/attachments", task);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.name"), "plan.txt");
    v = ol_get(BOB, 200, "%s/attachments/%s", task, id);
    assert_string_equal(text_at(v, "contentBytes"), "VHdlbHZl");
    ol(BOB, "GET", ol_text("%s/attachments/%s/$value", task, id), NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body, "Twelve");
    /* Bad input changes nothing. */
    static const char *const bad[] = {
        "{'contentBytes':'VHdlbHZl'}", "{'name':'','contentBytes':'VHdlbHZl'}",
        "{'name':'a','contentBytes':'%'}", "{'name':'a'}",
        "{'name':'a','contentType':'a\\r\\nX: y','contentBytes':'VHdlbHZl'}"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ol(BOB, "POST", ol_text("%s/attachments", task), bad[i]);
        if (test_status != 400)
            fail_msg("%s: %d %s", bad[i], test_status, test_body);
    }
    const size_t large = (size_t)5 << 20;
    char *text = arena_alloc(&test_arena, large + 100);
    size_t n = (size_t)snprintf(text, 100, "{'name':'a','contentBytes':'");
    memset(text + n, 'A', large);
    memcpy(text + n + large, "'}", 3);
    ol(BOB, "POST", ol_text("%s/attachments", task), text);
    assert_int_equal(test_status, 413);
    ol_get(BOB, 404, "%s/attachments/x", task);
    assert_int_equal(count_at(ol_get(BOB, 200, "%s/attachments", task), "value"), 1);
    /* In documents, and not without base64. */
    v = test_dump();
    const char *first = text_at(v, "tasks.0.title");
    const size_t last = strcmp(first, "Sail") == 0 ? 0 : count_at(v, "tasks") - 1;
    assert_string_equal(text_at(v, ol_text("tasks.%zu.files.0.content", last)), "VHdlbHZl");
    static const char *const docs[] = {
        "{sosia: 1, tasks: [{person: bob@port.example, title: x, files: [{name: a, content: "
        "'%'}]}]}",
        "{sosia: 1, tasks: [{person: bob@port.example, title: x, files: [{name: a, content: aGk=, "
        "type: \"text/plain\\nX: y\"}]}]}",
        "{sosia: 1, tasks: [{person: bob@port.example, title: x, files: [{name: a}]}]}"};
    for (size_t i = 0; i < SOSIA_LEN(docs); i++)
        assert_int_equal(
            sosia_world_seed(test_engine, test_world, docs[i], strlen(docs[i]), NULL, &test_err),
            -1);
    ol_do(BOB, "POST", ol_text("%s/attachments", task),
          "{'@odata.type':'#microsoft.graph.fileAttachment','name':'a','contentBytes':'aGk='}",
          400);
    ol_do(BOB, "DELETE", ol_text("%s/attachments/%s", task, id), NULL, 204);
    v = ol_get(BOB, 200, "%s", task);
    assert_string_equal(printed_at(v, "hasAttachments"), "false");
    /* They go with the task. */
    ol_do(BOB, "POST", ol_text("%s/attachments", task), "{'name':'a','contentBytes':'VHdlbHZl'}",
          201);
    ol_do(BOB, "DELETE", task, NULL, 204);
    ol_get(BOB, 404, "%s/attachments", task);
}

/* A call of a session's URL, by somebody. */
static const struct json *session(const char *who, const char *method, const char *path,
                                  const char *range, const char *data, size_t n)
{
    const struct sosia_header headers[] = {{"Host", "graph.microsoft.com"},
                                           {"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/octet-stream"},
                                           {"Content-Range", range}};
    return test_request(method, path, headers, range ? 4 : 3, data ? data : "", n);
}

/* The path of a session for a file of so many bytes. */
static const char *begin(const char *task, int size)
{
    const struct json *v = ol_do(
        BOB, "POST", ol_text("%s/attachments/createUploadSession", task),
        ol_text("{'attachmentInfo':{'attachmentType':'file','name':'a.bin','size':%d}}", size),
        200);
    assert_string_equal(text_at(v, "nextExpectedRanges.0"), "0-");
    const char *url = json_get_str(v, "uploadUrl");
    assert_non_null(strstr(url, "/attachmentSessions/"));
    return ol_text("%s", strstr(url, "/v1.0/"));
}

static void large_files_come_in_ranges(void **state)
{
    enum { SIZE = 3200000, FIRST = 2097152 };
    const struct json *v = ol_do(BOB, "POST", USUAL, "{'title':'Sail'}", 201);
    const char *list = ol_text("%s", text_at(ol_get(BOB, 200, LISTS), "value.0.id"));
    const char *task = ol_text(LISTS "/%s/tasks/%s", list, text_at(v, "id"));
    char *data = arena_alloc(&test_arena, SIZE);
    (void)state;
    for (int i = 0; i < SIZE; i++)
        data[i] = (char)(i * 7 + i / 1000);
    const char *path = begin(task, SIZE), *put = ol_text("%s/content", path);
    v = session(BOB, "PUT", put, "bytes 0-2097151/3200000", data, FIRST);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "NextExpectedRanges.0"), "2097152");
    assert_null(json_get(v, "@odata.context"));
    assert_int_equal(count_at(ol_get(BOB, 200, "%s/attachments", task), "value"), 0);
    /* Out of order, and by somebody else. */
    session(BOB, "PUT", put, "bytes 0-9/3200000", data, 10);
    refused(400, "invalidRequest", "ErrorInvalidRequest");
    session(CYD, "PUT", put, "bytes 2097152-3199999/3200000", data + FIRST, SIZE - FIRST);
    assert_int_equal(test_status, 403);
    session(BOB, "PUT", put, "bytes 2097152-3199999/3200000", data + FIRST, SIZE - FIRST);
    assert_int_equal(test_status, 201);
    const char *at = strstr(test_header("Location"), "/attachments/");
    assert_non_null(at);
    at = ol_text("%s", at); /* the answer goes with the next request */
    v = ol_get(BOB, 200, "%s%s?$select=name,size", task, at);
    assert_string_equal(text_at(v, "name"), "a.bin");
    assert_string_equal(printed_at(v, "size"), "3200000");
    ol_get(BOB, 200, "%s%s/$value", task, at);
    assert_int_equal(test_len, SIZE);
    assert_memory_equal(test_body, data, SIZE);
    session(BOB, "PUT", put, "bytes 0-9/3200000", data, 10); /* it is over */
    assert_int_equal(test_status, 404);
    /* Small ones too; one that is let go, and sizes that none has. */
    path = begin(task, 3);
    session(BOB, "PUT", ol_text("%s/content", path), "bytes 0-2/3", "abc", 3);
    assert_int_equal(test_status, 201);
    path = begin(task, 4);
    session(BOB, "DELETE", path, NULL, NULL, 0);
    assert_int_equal(test_status, 204);
    session(BOB, "PUT", ol_text("%s/content", path), "bytes 0-3/4", "abcd", 4);
    assert_int_equal(test_status, 404);
    assert_int_equal(count_at(ol_get(BOB, 200, "%s/attachments", task), "value"), 2);
    static const char *const wrong[] = {
        "{}",
        "{'attachmentInfo':{'attachmentType':'file','name':'a','size':26214401}}",
        "{'attachmentInfo':{'attachmentType':'file','name':'a','size':0}}",
        "{'attachmentInfo':{'attachmentType':'item','name':'a','size':9}}",
        "{'attachmentInfo':{'attachmentType':'file','size':9}}",
        "{'attachmentInfo':{'attachmentType':'file','name':'a'}}"};
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        ol(BOB, "POST", ol_text("%s/attachments/createUploadSession", task), wrong[i]);
        refused(400, "invalidRequest", NULL);
    }
}

/* ---- extensions ---- */

static void programs_keep_things_with_tasks(void **state)
{
    const char *at = LISTS "/AAMkFleet/tasks/AAMkPaint/extensions";
    const struct json *v = ol_do(CYD, "POST", at,
                                 "{'@odata.type':'microsoft.graph.openTypeExtension',"
                                 "'extensionName':'com.port.hull','berth':4,'tags':['a','b']}",
                                 201);
    (void)state;
    assert_string_equal(text_at(v, "id"), "microsoft.graph.openTypeExtension.com.port.hull");
    assert_string_equal(text_at(v, "extensionName"), "com.port.hull");
    assert_int_equal(json_get_int(v, "berth", 0), 4);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.openTypeExtension");
    v = ol_do(CYD, "PATCH", ol_text("%s/com.port.hull", at), "{'berth':5,'tags':null,'wet':true}",
              200);
    assert_int_equal(json_get_int(v, "berth", 0), 5);
    assert_int_equal(count_at(v, "tags"), 2);
    v = ol_get(CYD, 200, "%s/microsoft.graph.openTypeExtension.com.port.hull", at);
    assert_true(json_get_true(v, "wet"));
    ol(CYD, "GET", ol_text("%s/com.port.none", at), NULL);
    refused(404, "itemNotFound", "ErrorItemNotFound");
    ol(CYD, "POST", at, "{'berth':4}");
    refused(400, "invalidRequest", NULL);
    ol_do(CYD, "POST", at, "{'extensionName':'com.port.crew','n':1}", 201);
    v = ol_get(CYD, 200, "%s", at);
    assert_string_equal(column(v, "value", "extensionName"), "com.port.hull com.port.crew");
    v = ol_get(CYD, 200,
               LISTS "/AAMkFleet/tasks?$expand=extensions($filter=id%%20eq%%20"
                     "'com.port.crew')");
    assert_string_equal(column(value_at(v, "value.0"), "extensions", "extensionName"),
                        "com.port.crew");
    v = ol_get(CYD, 200, LISTS "/AAMkFleet/tasks/AAMkPaint");
    assert_null(json_get(v, "extensions"));
    ol_do(CYD, "DELETE", ol_text("%s/com.port.crew", at), NULL, 204);
    assert_int_equal(count_at(ol_get(CYD, 200, "%s", at), "value"), 1);
    const char *dump = json_to_text(&test_arena, test_dump());
    assert_non_null(strstr(dump, "\"kept\":{\"com.port.hull\":{"));
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
}

static void programs_keep_things_with_lists(void **state)
{
    (void)state;
    const struct json *v = ol_do(CYD, "POST", LISTS,
                                 "{'displayName':'Yard','extensions':[{'extensionName':"
                                 "'com.port.a','x':'y'}]}",
                                 201);
    const char *id = ol_text("%s", text_at(v, "id"));
    v = ol_get(CYD, 200, LISTS "/%s?$expand=extensions", id);
    assert_string_equal(text_at(v, "extensions.0.x"), "y");
    v = ol_do(CYD, "POST", ol_text(LISTS "/%s/tasks", id),
              "{'title':'One','extensions':[{'extensionName':'com.port.b','x':1}]}", 201);
    v = ol_get(CYD, 200, LISTS "/%s/tasks/%s/extensions/com.port.b", id, text_at(v, "id"));
    assert_int_equal(json_get_int(v, "x", 0), 1);
    /* of one that everybody has, which is written down with it */
    ol_do(CYD, "POST", LISTS "/Tasks/extensions", "{'extensionName':'com.port.c'}", 201);
    v = ol_get(CYD, 200, LISTS "?$expand=extensions");
    assert_string_equal(text_at(v, "value.0.extensions.0.extensionName"), "com.port.c");
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_world(everybody_has_two_lists),
        in_world(files_hang_on_tasks),
        in_world(large_files_come_in_ranges),
        in_world(lists_are_made_renamed_and_deleted),
        in_world(a_task_has_what_it_was_given),
        in_world(tasks_are_found_and_ordered),
        in_world(bodies_that_are_wrong_change_nothing),
        in_world(a_task_that_recurs_is_followed_by_the_next),
        in_world(a_recurrence_ends),
        in_world(months_have_their_last_days),
        in_world(steps_and_links_are_kept),
        in_world(deltas_say_what_changed),
        in_world(a_dump_is_the_world),
        in_world(programs_keep_things_with_tasks),
        in_world(programs_keep_things_with_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
