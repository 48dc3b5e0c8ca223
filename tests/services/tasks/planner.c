/* SPDX-License-Identifier: Apache-2.0 */
/* Planner by Microsoft Graph: who may, etags, order hints, progress, people, details, boards, seed
 * documents. */
#include "engine/http/call.h"
#include "tests/support/outlook.h"
#include <stdlib.h>

#define EVE     "eve@port.example"
#define PLANS   "!/v1.0/planner/plans"
#define TASKS   "!/v1.0/planner/tasks"
#define BUCKETS "!/v1.0/planner/buckets"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "handshakes: accepted\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: eve@port.example, name: Eve}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "  - {actor: cyd@port.example, vendor: microsoft}\n"
    "  - {actor: eve@port.example, vendor: microsoft}\n"
    "groups: [{email: pier@port.example, name: Pier, members: [bob@port.example, "
    "cyd@port.example]}]\n"
    "taskPlans:\n"
    "  - {id: PlanPlanPlanPlanPlanPlan0001, group: pier@port.example, title: Launch, created_by: "
    "bob@port.example, labels: {category1: Urgent}}\n"
    "taskBuckets:\n"
    "  - {id: BucketBucketBucketBucket0001, plan: PlanPlanPlanPlanPlanPlan0001, name: Open}\n"
    "  - {id: BucketBucketBucketBucket0002, plan: PlanPlanPlanPlanPlanPlan0001, name: Done}\n"
    "tasks:\n"
    "  - {plan: PlanPlanPlanPlanPlanPlan0001, bucket: BucketBucketBucketBucket0001, id: "
    "TaskTaskTaskTaskTaskTask0001, title: Paint, due: '2026-11-30T10:00:00Z', labels: [category1], "
    "assignments: [{person: cyd@port.example, by: bob@port.example}], items: [{id: '16803', title: "
    "Sand}], links: [{id: 'https://port.example/a', url: 'https://port.example/a', title: Hull, "
    "kind: Other}]}\n"
    "  - {plan: PlanPlanPlanPlanPlanPlan0001, id: TaskTaskTaskTaskTaskTask0002, title: Tar, "
    "percent: 50}\n";

#define PLAN  "PlanPlanPlanPlanPlanPlan0001"
#define OPEN  "BucketBucketBucketBucket0001"
#define DONE  "BucketBucketBucketBucket0002"
#define PAINT "TaskTaskTaskTaskTaskTask0001"
#define TAR   "TaskTaskTaskTaskTaskTask0002"

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

static void refused(int status, const char *text)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status || !strstr(text_at(v, "error.message"), text))
        fail_msg("expected %d %s, got %d %s", status, text, test_status, test_body);
}

/* The answer to a change with the etag that the thing has now. */
static const struct json *changed(const char *who, const char *target, const char *body, int status)
{
    const char *etag = json_get_str(ol_do(who, "GET", target, NULL, 200), "@odata.etag");
    ol_if_match = ol_text("%s", etag);
    ol_prefer = status == 200 ? "return=representation" : NULL;
    const struct json *v = ol_do(who, "PATCH", target, body, status);
    ol_if_match = ol_prefer = NULL;
    return v;
}

static const char *oid_of(const char *who)
{
    return ol_text("%s", text_at(ol_get(who, 200, "!/v1.0/me?$select=id"), "id"));
}

static const char *group_id(void)
{
    const struct json *v = ol_get(BOB, 200, "!/v1.0/groups?$select=id");
    return ol_text("%s", text_at(v, "value.0.id"));
}

/* ---- who may ---- */

static void members_of_the_group_see_plans(void **state)
{
    const char *group = group_id();
    const struct json *v = ol_get(BOB, 200, "!/v1.0/groups/%s/planner/plans", group);
    (void)state;
    assert_string_equal(column(v, "value", "title"), "Launch");
    assert_string_equal(text_at(v, "value.0.container.containerId"), group);
    assert_string_equal(text_at(v, "value.0.owner"), group);
    assert_string_equal(text_at(v, "value.0.createdBy.user.id"), oid_of(BOB));
    assert_string_equal(column(ol_get(CYD, 200, "/planner/plans"), "value", "title"), "Launch");
    assert_int_equal(count_at(ol_get(EVE, 200, "/planner/plans"), "value"), 0);
    v = ol_get(BOB, 200, PLANS "?$filter=owner%%20eq%%20'%s'", group);
    assert_int_equal(count_at(v, "value"), 1);
    ol(BOB, "GET", PLANS, NULL);
    refused(400, "owner");
    ol(EVE, "GET", PLANS "/" PLAN, NULL);
    refused(403, "You do not have the required permissions to access this item, or the item may");
    ol(EVE, "GET", ol_text("!/v1.0/groups/%s/planner/plans", group), NULL);
    refused(403, "You do not have the required permissions to access this item.");
    ol(EVE, "PATCH", TASKS "/" PAINT, "{'title':'x'}");
    refused(403, "required permissions");
    ol(BOB, "GET", PLANS "/nothing", NULL);
    refused(404, "The requested item is not found.");
    assert_string_equal(text_at(parsed(test_body, test_len), "error.code"), "");
    ol(BOB, "GET", "!/v1.0/users/cyd@port.example/planner/tasks", NULL);
    refused(403, "required permissions");
    ol(EVE, "POST", PLANS,
       ol_text("{'title':'Mine','container':{'url':'https://graph.microsoft.com/v1.0/groups/%s'}}",
               group));
    refused(403, "required permissions");
}

static void plans_are_made_and_deleted(void **state)
{
    const struct json *v = ol_do(BOB, "POST", PLANS,
                                 ol_text("{'title':'Winter','container':{'url':"
                                         "'https://graph.microsoft.com/v1.0/groups/%s'}}",
                                         group_id()),
                                 201);
    (void)state;
    const char *id = ol_text("%s", text_at(v, "id")), *at = ol_text(PLANS "/%s", id);
    assert_int_equal(strlen(id), 28);
    v = changed(CYD, at, "{'title':'Spring'}", 200);
    assert_string_equal(text_at(v, "title"), "Spring");
    v = changed(CYD, ol_text("%s/details", at),
                ol_text("{'categoryDescriptions':{'category2':'Wet'},'sharedWith':{'%s':true}}",
                        oid_of(EVE)),
                200);
    assert_string_equal(text_at(v, "categoryDescriptions.category2"), "Wet");
    assert_null(text_at(v, "categoryDescriptions.category1"));
    assert_string_equal(column(ol_get(EVE, 200, "/planner/plans"), "value", "title"), "Spring");
    ol_if_match = ol_text("%s", json_get_str(ol_do(BOB, "GET", at, NULL, 200), "@odata.etag"));
    ol_do(BOB, "DELETE", at, NULL, 204);
    ol_if_match = NULL;
    ol(BOB, "GET", at, NULL);
    refused(404, "not found");
    ol(BOB, "POST", PLANS, "{'title':'x'}");
    refused(400, "Validation for field 'Container', on entity 'Plan' has failed");
}

/* A group takes its plans with it. */
static void plans_go_with_their_group(void **state)
{
    (void)state;
    assert_int_equal(count_at(ol_get(CYD, 200, "/planner/tasks"), "value"), 1);
    test_status = 0;
    ol(BOB, "DELETE", ol_text("!/v1.0/groups/%s", group_id()), NULL);
    if (test_status == 403) /* an administrator's to do */
        return;
    assert_int_equal(test_status, 204);
    assert_int_equal(count_at(ol_get(CYD, 200, "/planner/tasks"), "value"), 0);
}

/* ---- etags ---- */

static void changes_name_the_etag(void **state)
{
    const struct json *v = ol_do(BOB, "GET", TASKS "/" PAINT, NULL, 200);
    (void)state;
    const char *first = ol_text("%s", json_get_str(v, "@odata.etag"));
    /* '1-Task  @@@@@@@@@@@@@@@D' */
    assert_string_equal(first, "W/\"JzEtVGFzayAgQEBAQEBAQEBAQEBAQEBARCc=\"");
    ol(BOB, "PATCH", TASKS "/" PAINT, "{'title':'Oil'}");
    refused(412, "The If-Match header must be specified for this kind of request.");
    ol_if_match = "W/\"JzEtVGFza0RldGFpbHMgQEBAQEBAQEBAQEBAQEBARCc=\""; /* of the details */
    ol(BOB, "PATCH", TASKS "/" PAINT, "{'title':'Oil'}");
    refused(400, "The If-Match header contains an invalid value.");
    ol_if_match = first;
    ol_do(BOB, "PATCH", TASKS "/" PAINT, "{'title':'Oil'}", 204);
    assert_int_equal(test_len, 0);
    ol(BOB, "PATCH", TASKS "/" PAINT, "{'title':'Wax'}");
    refused(409, "The attempted changes conflicted with already accepted changes. Read the latest "
                 "state and resolve differences.");
    ol(BOB, "DELETE", TASKS "/" PAINT, NULL);
    refused(409, "conflicted");
    ol_if_match = "W/\\\"JzEtVGFzayAgQEBAQEBAQEBAQEBAQEBASCc=\\\""; /* as programs escape it */
    ol_do(BOB, "DELETE", TASKS "/" PAINT, NULL, 204);
    ol_if_match = NULL;
    /* What is said in the details changes the task as well. */
    v = ol_do(BOB, "GET", TASKS "/" TAR, NULL, 200);
    ol_if_match = ol_text("%s", json_get_str(v, "@odata.etag"));
    const char *task = ol_if_match;
    changed(BOB, TASKS "/" TAR "/details", "{'description':'Hot'}", 204);
    ol_if_match = task;
    ol(BOB, "DELETE", TASKS "/" TAR, NULL);
    refused(409, "conflicted");
}

/* ---- tasks ---- */

static void a_task_has_all_members(void **state)
{
    const struct json *v = ol_get(CYD, 200, "/planner/tasks");
    (void)state;
    assert_int_equal(json_get_int(v, "@odata.count", -1), 1);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(microsoft.graph."
                        "plannerTask)");
    v = ol_do(CYD, "GET", TASKS "/" PAINT "?$expand=details", NULL, 200);
    assert_string_equal(text_at(v, "dueDateTime"), "2026-11-30T10:00:00Z");
    assert_string_equal(text_at(v, "bucketId"), OPEN);
    assert_true(true_at(v, "appliedCategories.category1"));
    assert_int_equal(number_at(v, "checklistItemCount"), 1);
    assert_int_equal(number_at(v, "activeChecklistItemCount"), 1);
    assert_int_equal(number_at(v, "referenceCount"), 1);
    assert_int_equal(number_at(v, "priority"), 5);
    assert_string_equal(text_at(v, ol_text("assignments.%s.assignedBy.user.id", oid_of(CYD))),
                        oid_of(BOB));
    assert_non_null(
        json_get(json_get(json_get(v, "details"), "references"), "https%3A//port%2Eexample/a"));
    assert_string_equal(text_at(v, "details.checklist.16803.title"), "Sand");
    v = ol_do(BOB, "GET", PLANS "/" PLAN "/tasks?$select=title", NULL, 200);
    assert_int_equal(count_at(v, "value"), 2);
    v = ol_do(BOB, "GET", BUCKETS "/" OPEN "/tasks", NULL, 200);
    assert_string_equal(column(v, "value", "title"), "Paint");
}

static void progress_is_kept(void **state)
{
    const struct json *v = changed(BOB, TASKS "/" PAINT, "{'percentComplete':50}", 200);
    (void)state;
    assert_null(text_at(v, "completedDateTime"));
    v = changed(BOB, TASKS "/" PAINT, "{'percentComplete':100,'bucketId':'" DONE "'}", 200);
    assert_string_equal(text_at(v, "completedDateTime"), "2026-11-23T08:00:00Z");
    assert_string_equal(text_at(v, "completedBy.user.id"), oid_of(BOB));
    assert_string_equal(text_at(v, "bucketId"), DONE);
    v = changed(CYD, TASKS "/" PAINT, "{'percentComplete':0,'bucketId':null}", 200);
    assert_null(text_at(v, "completedDateTime"));
    assert_null(text_at(v, "bucketId"));
}

static void bodies_that_are_wrong_change_nothing(void **state)
{
    static const struct {
        const char *body, *text;
    } all[] = {
        {"{'title':''}", "'Title'"},
        {"{'percentComplete':101}", "'PercentComplete'"},
        {"{'percentComplete':-1}", "'PercentComplete'"},
        {"{'priority':11}", "'Priority'"},
        {"{'bucketId':'BucketBucketBucketBucket0009'}", "'BucketId'"},
        {"{'dueDateTime':'2026-11-01T00:00:00Z','startDateTime':'2026-11-02T00:00:00Z'}",
         "DueDate cannot be earlier than the StartDate"},
        {"{'planId':'PlanPlanPlanPlanPlanPlan0009'}", "'PlanId'"},
        {"{'appliedCategories':{'category26':true}}", "'AppliedCategories'"},
        {"{'assignments':{'nobody':{'orderHint':' !'}}}", "'Assignments'"},
        {"{'assignments':{'bob@port.example':{'orderHint':' !'}}}", ""},
        {"{'orderHint':'8584'}", "Specified order hint is in an invalid format: The input (8584)"},
        {"{'orderHint':'z a!'}", "order hint"},
        {"{'colour':'red'}", "colour"},
    };
    (void)state;
    const struct json *v = ol_do(BOB, "GET", TASKS "/" TAR, NULL, 200);
    const char *was = ol_text("%s", test_body);
    ol_if_match = ol_text("%s", json_get_str(v, "@odata.etag"));
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        ol(BOB, "PATCH", TASKS "/" TAR, all[i].body);
        if (i == 9) /* annotations are passed over, and so is what looks like one */
            assert_int_equal(test_status, 204);
        else
            refused(400, all[i].text);
        if (i == 9) {
            v = ol_do(BOB, "GET", TASKS "/" TAR, NULL, 200);
            ol_if_match = ol_text("%s", json_get_str(v, "@odata.etag"));
            was = ol_text("%s", test_body);
        }
    }
    ol_do(BOB, "GET", TASKS "/" TAR, NULL, 200);
    assert_string_equal(test_body, was);
    ol_if_match = NULL;
    ol(BOB, "POST", TASKS, "{'title':'x'}");
    refused(400,
            "Validation for field 'PlanId', on entity 'Task' has failed: A non-null value must");
    ol(BOB, "GET", PLANS "/" PLAN "/tasks?$filter=title%20eq%20'x'", NULL);
    refused(400, "'Filter' is not allowed");
}

static void people_are_assigned(void **state)
{
    const char *bob = oid_of(BOB), *cyd = oid_of(CYD);
    const struct json *v = ol_do(
        BOB, "POST", TASKS,
        ol_text("{'planId':'" PLAN "','bucketId':'" OPEN "','title':'Rope','assignments':{'%s':"
                "{'@odata.type':'#microsoft.graph.plannerAssignment','orderHint':' !'}}}",
                bob),
        201);
    (void)state;
    const char *at = ol_text(TASKS "/%s", text_at(v, "id"));
    const char *hint = ol_text("%s", text_at(v, ol_text("assignments.%s.orderHint", bob)));
    v = changed(BOB, at, ol_text("{'assignments':{'%s':{'orderHint':'%s !'}}}", cyd, hint), 200);
    assert_true(strcmp(text_at(v, ol_text("assignments.%s.orderHint", cyd)), hint) > 0);
    assert_int_equal(count_at(ol_get(CYD, 200, "/planner/tasks"), "value"), 2);
    v = changed(BOB, at, ol_text("{'assignments':{'%s':null}}", cyd), 200);
    assert_int_equal(count_at(ol_get(CYD, 200, "/planner/tasks"), "value"), 1);
    /* New tasks come first. */
    v = ol_do(BOB, "POST", TASKS, "{'planId':'" PLAN "','title':'Newer'}", 201);
    const char *newer = ol_text("%s", text_at(v, "orderHint"));
    v = ol_do(BOB, "GET", at, NULL, 200);
    assert_true(strcmp(newer, text_at(v, "orderHint")) < 0);
}

static void hints_are_places_between(void **state)
{
    const char *a = "a", *b = "b";
    (void)state;
    for (int i = 0; i < 40; i++) {
        const struct json *v =
            changed(BOB, TASKS "/" TAR, ol_text("{'orderHint':'%s %s!'}", a, b), 200);
        const char *hint = ol_text("%s", text_at(v, "orderHint"));
        if (strcmp(a, hint) >= 0 || strcmp(hint, b) >= 0)
            fail_msg("%s is not between %s and %s", hint, a, b);
        *(i % 3 ? &b : &a) = hint;
    }
    const struct json *v = changed(BOB, TASKS "/" TAR, "{'orderHint':'a b! c!'}", 200);
    assert_true(strcmp(text_at(v, "orderHint"), "a") > 0);
    assert_true(strcmp(text_at(v, "orderHint"), "c") < 0);
    v = changed(BOB, TASKS "/" TAR, "{'orderHint':' a!'}", 200);
    assert_true(strcmp(text_at(v, "orderHint"), "a") < 0);
}

/* ---- details and boards ---- */

static void details_have_steps_and_links(void **state)
{
    const char *at = TASKS "/" PAINT "/details";
    const struct json *v = changed(
        BOB, at,
        "{'description':'Two coats','previewType':'checklist','checklist':{'16803':{'isChecked':"
        "true},'b7':{'@odata.type':'#microsoft.graph.plannerChecklistItem','title':'Prime',"
        "'isChecked':false}},'references':{'https%3A//port%2Eexample/a':null,"
        "'http%3A//b%2Eexample':{'alias':'B','type':'Word','previewPriority':' !'}}}",
        200);
    (void)state;
    assert_string_equal(text_at(v, "description"), "Two coats");
    assert_true(true_at(v, "checklist.16803.isChecked"));
    assert_string_equal(text_at(v, "checklist.b7.title"), "Prime");
    const struct json *links = json_get(v, "references");
    assert_null(json_get(links, "https%3A//port%2Eexample/a"));
    assert_string_equal(json_get_str(json_get(links, "http%3A//b%2Eexample"), "alias"), "B");
    v = ol_do(BOB, "GET", TASKS "/" PAINT, NULL, 200);
    assert_int_equal(number_at(v, "activeChecklistItemCount"), 1);
    assert_true(true_at(v, "hasDescription"));
    assert_string_equal(text_at(v, "previewType"), "checklist");
    v = changed(BOB, at, "{'checklist':{'16803':null}}", 200);
    assert_null(value_at(v, "checklist.16803"));
    for (int i = 0; i < 19; i++)
        changed(BOB, at, ol_text("{'checklist':{'n%d':{'title':'N'}}}", i), 204);
    ol_if_match = ol_text("%s", json_get_str(ol_do(BOB, "GET", at, NULL, 200), "@odata.etag"));
    ol(BOB, "PATCH", at, "{'checklist':{'more':{'title':'N'}}}");
    refused(403, "MaximumChecklistItemsOnTask");
    assert_string_equal(text_at(parsed(test_body, test_len), "error.code"),
                        "MaximumChecklistItemsOnTask");
}

static void boards_have_their_own_order(void **state)
{
    const struct json *v =
        changed(BOB, TASKS "/" PAINT "/bucketTaskBoardFormat", "{'orderHint':' c!'}", 200);
    (void)state;
    assert_true(strcmp(text_at(v, "orderHint"), "c") < 0);
    v = ol_do(BOB, "GET", TASKS "/" PAINT "/progressTaskBoardFormat", NULL, 200);
    assert_string_equal(text_at(v, "orderHint"),
                        text_at(ol_do(BOB, "GET", TASKS "/" PAINT, NULL, 200), "orderHint"));
    v = changed(
        BOB, TASKS "/" PAINT "/assignedToTaskBoardFormat",
        ol_text("{'unassignedOrderHint':'k !','orderHintsByAssignee':{'%s':' m!'}}", oid_of(CYD)),
        200);
    assert_true(strcmp(text_at(v, ol_text("orderHintsByAssignee.%s", oid_of(CYD))), "m") < 0);
    ol_if_match = ol_text("%s", json_get_str(v, "@odata.etag"));
    ol(BOB, "PATCH", TASKS "/" PAINT "/assignedToTaskBoardFormat",
       ol_text("{'orderHintsByAssignee':{'%s':' m!'}}", oid_of(BOB)));
    refused(400, "not assigned");
}

static void buckets_are_in_order(void **state)
{
    const struct json *v = ol_do(BOB, "GET", PLANS "/" PLAN "/buckets", NULL, 200);
    (void)state;
    assert_string_equal(column(v, "value", "name"), "Open Done");
    const char *open = ol_text("%s", text_at(v, "value.0.orderHint")),
               *done = ol_text("%s", text_at(v, "value.1.orderHint"));
    ol_do(BOB, "POST", BUCKETS,
          ol_text("{'name':'Doing','planId':'" PLAN "','orderHint':'%s %s!'}", open, done), 201);
    v = ol_do(BOB, "GET", PLANS "/" PLAN "/buckets", NULL, 200);
    assert_string_equal(column(v, "value", "name"), "Open Doing Done");
    ol_if_match =
        ol_text("%s", json_get_str(ol_do(BOB, "GET", BUCKETS "/" OPEN, NULL, 200), "@odata.etag"));
    ol_do(BOB, "DELETE", BUCKETS "/" OPEN, NULL, 204);
    ol(BOB, "GET", TASKS "/" PAINT, NULL);
    refused(404, "not found");
}

/* ---- documents ---- */

static void a_dump_is_the_world(void **state)
{
    struct sosia_blob one, two;
    (void)state;
    changed(BOB, TASKS "/" TAR, "{'percentComplete':100}", 204);
    changed(BOB, TASKS "/" PAINT "/details", "{'checklist':{'b7':{'title':'Prime'}}}", 204);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &one, &test_err), 0);
    char *text = strndup(one.data, one.len);
    sosia_blob_free(&one);
    test_close();
    assert_int_equal(test_open(text), 0);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &two, &test_err), 0);
    char *again = strndup(two.data, two.len);
    assert_string_equal(text, again);
    const struct json *v = ol_do(BOB, "GET", TASKS "/" PAINT "/details", NULL, 200);
    assert_string_equal(text_at(v, "checklist.b7.title"), "Prime");
    sosia_blob_free(&two);
    free(text);
    free(again);
}

#define in_world(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_world(members_of_the_group_see_plans),
        in_world(plans_are_made_and_deleted),
        in_world(plans_go_with_their_group),
        in_world(changes_name_the_etag),
        in_world(a_task_has_all_members),
        in_world(progress_is_kept),
        in_world(bodies_that_are_wrong_change_nothing),
        in_world(people_are_assigned),
        in_world(hints_are_places_between),
        in_world(details_have_steps_and_links),
        in_world(boards_have_their_own_order),
        in_world(buckets_are_in_order),
        in_world(a_dump_is_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
