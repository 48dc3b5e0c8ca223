/* SPDX-License-Identifier: Apache-2.0 */
/* To Do and Planner where callers go too far: every method with ids of others and of nothing, with
 * members of every type, with forged tokens. Nothing fails that the service does not refuse, what
 * is refused changes nothing, and what is left can be dumped and made again. Then what
 * subscriptions say of a list. */
#include "engine/http/call.h"
#include "services/tasks/planner/planner.h"
#include "services/tasks/todo/todo.h"
#include "tests/support/outlook.h"
#include <stdlib.h>

#define EVE  "eve@lake.example"
#define PLAN "PlanPlanPlanPlanPlanPlan0001"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "handshakes: accepted\n"
    "organizations: [{domain: port.example, name: Port}, {domain: lake.example, name: Lake}]\n"
    "people:\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: eve@lake.example, name: Eve}\n"
    "accounts:\n"
    "  - {actor: bob@port.example, vendor: microsoft, id: 0d1e0000-0000-4000-8000-00000000000b}\n"
    "  - {actor: cyd@port.example, vendor: microsoft, id: 0d1e0000-0000-4000-8000-00000000000c}\n"
    "  - {actor: eve@lake.example, vendor: microsoft}\n"
    "groups:\n"
    "  - {email: pier@port.example, name: Pier, members: [bob@port.example]}\n"
    "  - {email: reef@lake.example, name: Reef, members: [eve@lake.example]}\n"
    "taskLists:\n"
    "  - {person: bob@port.example, id: ListOne, name: One}\n"
    "  - {person: cyd@port.example, id: ListTwo, name: Two}\n"
    "taskPlans:\n"
    "  - {id: " PLAN ", group: pier@port.example, title: Launch}\n"
    "  - {id: PlanFar, group: reef@lake.example, title: Far}\n"
    "taskBuckets:\n"
    "  - {id: BucketOne, plan: " PLAN ", name: Open}\n"
    "  - {id: BucketFar, plan: PlanFar, name: Far}\n"
    "tasks:\n"
    "  - {person: bob@port.example, list: One, id: TaskOne, title: One, recurrence: "
    "'RRULE:FREQ=DAILY', due: '2026-11-25T00:00:00Z', items: [{id: i1, title: I}], links: [{id: "
    "l1, "
    "url: 'https://x.example'}]}\n"
    "  - {person: cyd@port.example, list: Two, id: TaskTwo, title: Two}\n"
    "  - {plan: " PLAN ", bucket: BucketOne, id: PlannedOne, title: Paint, items: [{id: i1, title: "
    "I}], assignments: [{person: bob@port.example}]}\n"
    "  - {plan: PlanFar, bucket: BucketFar, id: PlannedFar, title: Far}\n";

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

static char *dumped(void)
{
    struct sosia_blob b;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &b, &test_err), 0);
    char *text = strndup(b.data, b.len);
    sosia_blob_free(&b);
    return text;
}

/* ---- every method ---- */

static uint64_t seed = 7;
static size_t upto(size_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(seed >> 33) % n;
}

static const char *const ids[] = {
    "ListOne", "ListOne", "TaskOne", "PlannedOne", PLAN,           "BucketOne",       "i1", "l1",
    "Tasks",   "ListTwo", "TaskTwo", "PlanFar",    "PlannedFar",   "BucketFar",       "x",  "..",
    "%00",     "a%27b",   "%22",     "me",         "%F0%9F%8C%8A", "cyd@port.example"};

/* What may be meant by a name: mostly the right thing. */
static const char *id_for(const char *name)
{
    static const char *const usual[][2] = {
        {"todoTaskList-id", "ListOne"},   {"todoTask-id", "TaskOne"},
        {"checklistItem-id", "i1"},       {"linkedResource-id", "l1"},
        {"plannerPlan-id", PLAN},         {"plannerBucket-id", "BucketOne"},
        {"plannerTask-id", "PlannedOne"}, {"user-id", "bob@port.example"},
        {"group-id", "pier@port.example"}};
    for (size_t i = 0; i < SOSIA_LEN(usual) && upto(4); i++)
        if (strcmp(usual[i][0], name) == 0)
            return usual[i][1];
    return ids[upto(SOSIA_LEN(ids))];
}

static const char *target_of(const struct route *r)
{
    size_t n = 0;
    while (r->paths[n])
        n++;
    const char *path = r->paths[upto(n)];
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "!");
    while (*path) {
        const char *end = *path == '{' ? strchr(path, '}') : NULL;
        if (end)
            buf_puts(&b, id_for(arena_memdup(&test_arena, path + 1, (size_t)(end - path - 1))));
        else
            buf_byte(&b, *path);
        path = end ? end + 1 : path + 1;
    }
    static const char *const options[] = {"?$top=2",
                                          "?$skip=999999999999",
                                          "?$filter=title%20eq%20'x'",
                                          "?$orderby=title",
                                          "?$select=title",
                                          "?$expand=details",
                                          "?$deltatoken=abc",
                                          "?$skiptoken=abc",
                                          "?$expand=checklistItems,linkedResources",
                                          "?$count=true",
                                          "?$top=-1",
                                          "?$filter=owner%20eq%20'pier@port.example'"};
    if ((r->verbs & GET) && upto(2))
        buf_puts(&b, options[upto(SOSIA_LEN(options))]);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *const values[] = {
    "null",
    "true",
    "0",
    "-1",
    "101",
    "1e99",
    "'x'",
    "''",
    "[]",
    "{}",
    "[null]",
    "{'a':null}",
    "' !'",
    "'a b!'",
    "'a b! c!!'",
    "'! !'",
    "'~ ~!'",
    "'\\u0001'",
    "'2026-11-23T00:00:00Z'",
    "'9999-12-31T23:59:59Z'",
    "'0001-01-01T00:00:00Z'",
    "'completed'",
    "'high'",
    "'BucketFar'",
    "{'dateTime':'2026-11-23T00:00:00','timeZone':'UTC'}",
    "{'dateTime':5}",
    "{'dateTime':'0001-01-01T00:00:00','timeZone':'Tonga Standard Time'}",
    "{'pattern':{'type':'daily','interval':1},'range':{'type':'noEnd','startDate':'9999-12-31'}}",
    "{'pattern':{'type':'weekly','interval':999,'daysOfWeek':['monday']},'range':{'type':'numbered'"
    ","
    "'startDate':'0001-01-01','numberOfOccurrences':2147483647}}",
    "{'pattern':{'type':'relativeYearly','interval':1,'month':2,'daysOfWeek':['sunday'],'index':"
    "'last'}}",
    "{'category1':true,'category25':false}",
    "{'category26':true}",
    "{'0d1e0000-0000-4000-8000-00000000000b':{'orderHint':' !'}}",
    "{'0d1e0000-0000-4000-8000-00000000000c':null}",
    "{'0d1e0000-0000-4000-8000-00000000000c':true}",
    "{'0d1e0000-0000-4000-8000-00000000000b':'a !'}",
    "{'i1':null}",
    "{'i1':{'isChecked':true,'title':'x','orderHint':'~ !'}}",
    "{'':{'title':'x'}}",
    "{'https%3A//x%2Eexample':{'alias':'x','previewPriority':' !'}}",
    "{'%zz':{}}",
    "{'%00':null}",
    "{'url':'https://graph.microsoft.com/v1.0/groups/pier@port.example'}",
    "{'content':'<script>x</script>','contentType':'html'}",
    "['a','b']",
    "[{'displayName':'x'},{'displayName':'y','isChecked':true}]",
    "[{'webUrl':'x'}]",
    "'" PLAN "'"};

static const char *body_of(const struct dialect *d, const struct route *r)
{
    const struct schema *s = r->request ? dialect_schema(d, r->request) : NULL;
    const char *text = "{";
    const size_t n = s ? upto(5) : 0;
    for (size_t i = 0; i < n; i++)
        text = ol_text("%s%s'%s':%s", text, i ? "," : "", s->fields[upto(s->n_fields)].name,
                       values[upto(SOSIA_LEN(values))]);
    if (strstr(r->id, "create") && upto(2))
        text = ol_text("%s%s'title':'T','name':'N','displayName':'D','planId':'" PLAN "'", text,
                       n ? "," : "");
    return upto(30) ? ol_text("%s}", text) : "{'a':";
}

/* The etag of what a path leads to. */
static const char *etag_of(const char *target)
{
    const struct json *v = ol(BOB, "GET", target, NULL);
    const char *etag = test_status == 200 ? json_get_str(v, "@odata.etag") : NULL;
    return etag ? ol_text("%s", etag) : NULL;
}

static void attack(const struct dialect *d, const struct route *r)
{
    static const char *const verbs[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    static const char *const wrong[] = {
        "W/\"x\"", "*", "W/\"JzEtVGFzayAgQEBAQEBAQEBAQEBAQEBARCc=\"", "\"", "W/\"\""};
    const char *target = target_of(r), *verb = verbs[__builtin_ctz(r->verbs)];
    const bool planner = d == &planner_dialect;
    if (planner && r->verbs & (PATCH | DELETE))
        ol_if_match = upto(4) ? etag_of(target) : wrong[upto(SOSIA_LEN(wrong))];
    ol_prefer = upto(2) ? "return=representation" : NULL;
    char *before = dumped();
    const char *body = r->body ? body_of(d, r) : NULL;
    ol(upto(8) ? BOB : upto(2) ? CYD : EVE, verb, target, body);
    if (test_status >= 500)
        fail_msg("%s %s %s: %d %s", verb, target, body ? body : "", test_status, test_body);
    if (test_status >= 400 || r->verbs & GET) {
        char *after = dumped();
        if (strcmp(before, after) != 0)
            fail_msg("%s %s %s: %d, and something has changed", verb, target, body ? body : "",
                     test_status);
        free(after);
    }
    free(before);
    ol_if_match = ol_prefer = NULL;
}

static void each_method_is_attacked(void **state)
{
    static const struct dialect *const dialects[] = {&todo_dialect, &planner_dialect};
    const char *tries = getenv("SOSIA_TRIES");
    const int n = tries ? atoi(tries) : 16;
    size_t taken = 0;
    (void)state;
    for (int k = 0; k < n; k++) {
        for (size_t i = 0; i < SOSIA_LEN(dialects); i++) {
            const struct route *r;
            for (size_t at = 0; (r = dialect_row(dialects[i], at)); at++) {
                attack(dialects[i], r);
                taken += test_status < 300 && !(r->verbs & GET);
            }
        }
        char *one = dumped();
        test_close();
        assert_int_equal(test_open(one), 0);
        char *two = dumped();
        assert_string_equal(one, two);
        free(one);
        free(two);
        if (k % 2) { /* what was deleted is there again */
            test_close();
            assert_int_equal(test_open(doc), 0);
        }
    }
    if (!tries)
        assert_in_range(taken, 11, 100000);
}

/* ---- other people's ---- */

static void what_is_anothers_is_refused(void **state)
{
    static const struct {
        const char *who, *method, *target, *body;
        int status;
    } all[] = {
        {EVE, "GET", "!/v1.0/planner/plans/" PLAN, NULL, 404}, /* another tenant has no such plan */
        {EVE, "GET", "!/v1.0/planner/tasks/PlannedOne", NULL, 404},
        {EVE, "GET", "!/v1.0/planner/buckets/BucketOne/tasks", NULL, 404},
        {CYD, "GET", "!/v1.0/planner/tasks/PlannedOne/details", NULL, 403},
        {CYD, "POST", "!/v1.0/planner/tasks", "{'planId':'" PLAN "','title':'x'}", 403},
        {CYD, "POST", "!/v1.0/planner/buckets", "{'planId':'" PLAN "','name':'x'}", 403},
        {BOB, "POST", "!/v1.0/planner/tasks",
         "{'planId':'" PLAN "','bucketId':'BucketFar','title':"
         "'x'}",
         400},
        {BOB, "GET", "!/v1.0/planner/tasks/TaskOne", NULL, 404}, /* it is in a list */
        {BOB, "GET", "/todo/lists/ListOne/tasks/PlannedOne", NULL, 404},
        {CYD, "GET", "/todo/lists/ListOne", NULL, 404},
        {CYD, "GET", "/todo/lists/ListTwo/tasks/TaskOne", NULL, 404},
        {EVE, "GET", "!/v1.0/users/bob@port.example/todo/lists", NULL, 404},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        ol(all[i].who, all[i].method, all[i].target, all[i].body);
        if (test_status != all[i].status)
            fail_msg("%s %s: %d and not %d: %s", all[i].method, all[i].target, test_status,
                     all[i].status, test_body);
    }
}

/* ---- subscriptions ---- */

static void lists_are_watched(void **state)
{
    (void)state;
    ol_do(BOB, "POST", "!/v1.0/subscriptions",
          "{'changeType':'created,updated,deleted','notificationUrl':'https://hook.example/',"
          "'resource':'me/todo/lists/ListOne/tasks','expirationDateTime':'2026-11-25T08:00:00Z'}",
          201);
    ol(CYD, "POST", "!/v1.0/subscriptions",
       "{'changeType':'created','notificationUrl':'https://hook.example/','resource':"
       "'users/bob@port.example/todo/lists/ListOne/tasks','expirationDateTime':"
       "'2026-11-25T08:00:00Z'}");
    assert_int_equal(test_status, 403);
    ol(BOB, "POST", "!/v1.0/subscriptions",
       "{'changeType':'created','notificationUrl':'https://hook.example/','resource':"
       "'me/todo/lists/ListTwo/tasks','expirationDateTime':'2026-11-25T08:00:00Z'}");
    assert_int_equal(test_status, 404);
    size_t before = test_outbox()->n;
    const struct json *v = ol_do(BOB, "POST", "/todo/lists/ListOne/tasks", "{'title':'New'}", 201);
    const char *id = ol_text("%s", text_at(v, "id"));
    ol_do(BOB, "PATCH", ol_text("/todo/lists/ListOne/tasks/%s", id), "{'title':'Newer'}", 200);
    ol_do(BOB, "DELETE", ol_text("/todo/lists/ListOne/tasks/%s", id), NULL, 204);
    ol_do(BOB, "POST", "/todo/lists/Tasks/tasks", "{'title':'Elsewhere'}", 201);
    const struct json *box = test_outbox();
    assert_int_equal(box->n, before + 3);
    static const char *const types[] = {"created", "updated", "deleted"};
    for (size_t i = 0; i < 3; i++) {
        char *text = strndup(printed_at(&box->items[before + i], "payload"), 4000);
        if (!strstr(text, types[i]) || !strstr(text, id))
            fail_msg("%s is not in %s", types[i], text);
        free(text);
    }
}

#define in_world(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_world(each_method_is_attacked),
        in_world(what_is_anothers_is_refused),
        in_world(lists_are_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
