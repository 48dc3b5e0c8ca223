/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that draft a call, ask for it and commit it. */
#include "tests/mcp/session.h"
#include "tests/support/unit.h"
#include "engine/base/codec.h"
#include <gnutls/crypto.h>

#define ADA  "ada@acme.example"
#define BOB  "bob@acme.example"
#define PATH "/mcp"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "calendars: [{id: ada@acme.example, events: [\n"
    "  {id: old00, summary: Old, start: '2026-11-24T10:00'}]}]\n"
    "workspaces:\n"
    "  - {id: T0ACME, domain: acme, members: [{actor: ada@acme.example, id: U0ADA, name: ada}]}\n"
    "channels: [{id: C0DEV, name: dev, workspace: T0ACME, members: [U0ADA]}]\n";

static const char *own; /* Ada's credential in the calls of tools; NULL: each has a new one */

static void set(const char *approvals)
{
    const char *text = arena_printf(&test_arena,
                                    "policy: 1\nname: p\notherwise: allow\napprovals: %s\n"
                                    "rules: [{id: no, effect: deny, call: {method: "
                                    "calendar.events.delete}}]\n",
                                    approvals);
    if (sosia_policy_set(test_engine, test_world, text, strlen(text), "p.yaml", NULL, &test_err) <
        0)
        fail_msg("%s", test_err.text);
}

static int open_world(void **state)
{
    (void)state;
    own = NULL;
    if (test_open(doc) < 0)
        return -1;
    set("{staged: true}");
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

/* The result of a message, in which ' stands for ". */
static const struct json *result_of(const char *who, const char *path, const char *message)
{
    struct sosia_response *r =
        request("POST", path, &(struct as){.who = who, .bearer = own}, quoted(message));
    assert_int_equal(r->status, 200);
    const struct json *v = parsed(r->body, r->body_len);
    sosia_response_free(r);
    const struct json *result = json_get(v, "result");
    return result ? result : v;
}

static const struct json *call_at(const char *who, const char *path, const char *tool,
                                  const char *arguments)
{
    return result_of(who, path,
                     arena_printf(&test_arena,
                                  "{'jsonrpc':'2.0','id':5,'method':'tools/call','params':{"
                                  "'name':'%s','arguments':%s}}",
                                  tool, arguments));
}

static const struct json *call(const char *tool, const char *arguments)
{
    return call_at(ADA, PATH, tool, arguments);
}

static const char *text_of(const struct json *result)
{
    return text_at(result, "content.0.text");
}

static bool is_error(const struct json *result)
{
    return json_is_true(json_get(result, "isError"));
}

#define INSERT                                                                                     \
    "{'tool':'calendar_events_insert','arguments':{'calendarId':'primary','body':{'summary':"      \
    "'New','start':{'dateTime':'2026-11-25T10:00:00Z'},'end':{'dateTime':"                         \
    "'2026-11-25T11:00:00Z'}}}}"

static const char *member(const struct json *result, const char *name)
{
    const char *text = json_get_str(json_get(result, "structuredContent"), name);
    return arena_strdup(&test_arena, text ? text : "");
}

static const char *drafted(const char *arguments)
{
    const struct json *r = call("createDraft", arguments);
    if (is_error(r))
        fail_msg("%s", text_of(r));
    assert_string_equal(member(r, "status"), "draft");
    return member(r, "draftId");
}

static const char *asked(const char *draft, const char *status)
{
    const struct json *r =
        call("requestApproval", arena_printf(&test_arena, "{'draftId':'%s'}", draft));
    if (is_error(r))
        fail_msg("%s", text_of(r));
    assert_string_equal(member(r, "status"), status);
    assert_string_equal(member(r, "draftId"), draft);
    return member(r, "approvalId");
}

static const struct json *committed(const char *draft, const char *approval)
{
    return call("commitApprovedDraft",
                arena_printf(&test_arena, "{'draftId':'%s','approvalId':'%s'}", draft, approval));
}

static int decide(const char *action, const char *decision)
{
    return sosia_approval_decide(test_engine, test_world, action, decision, NULL, "marta", NULL,
                                 &test_err);
}

static int events_of_ada(void)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)}};
    test_request("GET", "/calendar/v3/calendars/primary/events", headers, 1, "", 0);
    return (int)value_at(parsed(test_body, strlen(test_body)), "items")->n;
}

static const char *hash(void)
{
    char hex[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, hex, &test_err), 0);
    return arena_strdup(&test_arena, hex);
}

static void a_draft_is_asked_for_and_committed(void **state)
{
    const char *before = hash();
    (void)state;
    const char *draft = drafted(INSERT);
    assert_string_equal(hash(), before);
    /* nobody is asked yet, and nothing can be decided */
    const char *action = arena_printf(&test_arena, "act_%s", draft + 6);
    assert_int_equal(decide(action, "approve"), -1);
    assert_true(is_error(committed(draft, action)));
    assert_string_equal(asked(draft, "pending_approval"), action);
    assert_true(is_error(committed(draft, action)));
    assert_string_equal(hash(), before);
    assert_int_equal(decide(action, "approve"), 0);
    assert_string_equal(asked(draft, "approved"), action);
    assert_string_equal(hash(), before); /* to ask does nothing */
    const struct json *r = committed(draft, action);
    assert_false(is_error(r));
    assert_true(has(text_of(r), "New"));
    assert_int_equal(events_of_ada(), 2);
    /* once, with the answer of then */
    assert_string_equal(text_of(committed(draft, action)), text_of(r));
    assert_string_equal(asked(draft, "executed"), action);
    assert_int_equal(events_of_ada(), 2);
}

static void what_is_rejected_is_not_committed(void **state)
{
    const char *draft = drafted(INSERT), *action = asked(draft, "pending_approval");
    (void)state;
    assert_int_equal(decide(action, "reject"), 0);
    asked(draft, "rejected");
    assert_true(is_error(committed(draft, action)));
    assert_int_equal(events_of_ada(), 1);
    draft = drafted(INSERT); /* each draft is another one */
    action = asked(draft, "pending_approval");
    test_advance(4000);
    assert_int_equal(decide(action, "approve"), -1);
    assert_true(is_error(committed(draft, action)));
}

static void ids_of_others_open_nothing(void **state)
{
    const char *one = drafted(INSERT), *other = drafted(INSERT);
    (void)state;
    assert_string_not_equal(one, other);
    const char *action = asked(one, "pending_approval");
    assert_int_equal(decide(action, "approve"), 0);
    assert_true(is_error(committed(other, action)));
    assert_true(is_error(committed("draft_0123456789abcdef", "act_0123456789abcdef")));
    assert_true(is_error(committed("draft_", "act_")));
    assert_true(is_error(committed("x", action)));
    assert_true(is_error(call("commitApprovedDraft", "{}")));
    assert_true(is_error(call("commitApprovedDraft", "{'draftId':7}")));
    assert_true(is_error(call("requestApproval", "{'draftId':'x','more':1}")));
    assert_true(is_error(
        call_at(BOB, PATH, "requestApproval", arena_printf(&test_arena, "{'draftId':'%s'}", one))));
    assert_int_equal(events_of_ada(), 1);
    assert_false(is_error(committed(one, action)));
    assert_int_equal(events_of_ada(), 2);
    asked(other, "pending_approval");
}

static void a_draft_is_bound_to_what_it_would_do(void **state)
{
    const char *draft = drafted("{'tool':'calendar_events_patch','arguments':{'calendarId':"
                                "'primary','eventId':'old00','body':{'location':'Here'}}}");
    (void)state;
    const char *action = asked(draft, "pending_approval");
    assert_int_equal(decide(action, "approve"), 0);
    const struct json *r = call("calendar_events_patch",
                                "{'calendarId':'primary','eventId':'old00','body':{'location':"
                                "'There'}}");
    assert_false(is_error(r));
    assert_true(is_error(committed(draft, action))); /* it is shown again */
    asked(draft, "pending_approval");
    assert_int_equal(decide(action, "approve"), 0);
    assert_false(is_error(committed(draft, action)));
}

static void what_may_not_be_called_can_t_be_drafted(void **state)
{
    static const char *const wrong[] = {
        "{'tool':'calendar_events_delete','arguments':{'calendarId':'primary','eventId':'old00'}}",
        "{'tool':'calendar_events_list','arguments':{'calendarId':'primary'}}",
        "{'tool':'no_such','arguments':{}}",
        "{'tool':'createDraft','arguments':{}}",
        "{'tool':'calendar_events_insert'}",
        "{'tool':'calendar_events_insert','arguments':{'wrong':1}}",
        "{'arguments':{}}",
        "{}"};
    const char *before = hash();
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++)
        assert_true(is_error(call("createDraft", wrong[i])));
    assert_string_equal(hash(), before);
    struct sosia_blob list;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &list, &test_err), 0);
    assert_int_equal(value_at(parsed(list.data, list.len), "approvals")->n, 0);
    sosia_blob_free(&list);
}

static void forms_and_other_sets_have_drafts(void **state)
{
    const char *draft =
        drafted("{'tool':'slack_chat_postMessage','arguments':{'channel':'C0DEV','text':'Hi &'}}");
    (void)state;
    const char *action = asked(draft, "pending_approval");
    assert_int_equal(decide(action, "approve"), 0);
    const struct json *r = committed(draft, action);
    assert_false(is_error(r));
    assert_true(has(text_of(r), "Hi &amp;"));
    r = call_at(ADA, PATH "?tools=hosted", "createDraft",
                "{'tool':'google_calendar_create_event','arguments':{'summary':'S',"
                "'start_datetime':'2026-11-25T10:00:00Z','end_datetime':'2026-11-25T11:00:00Z'}}");
    if (is_error(r))
        fail_msg("%s", text_of(r));
}

static void they_are_listed_where_a_policy_asks_for_them(void **state)
{
    static const char list[] = "{'jsonrpc':'2.0','id':5,'method':'tools/list'}";
    (void)state;
    const struct json *tools = value_at(result_of(ADA, PATH, list), "tools");
    static const char *const names[] = {"createDraft", "requestApproval", "commitApprovedDraft"};
    for (size_t i = 0; i < 3; i++) {
        const struct json *t = &tools->items[tools->n - 3 + i];
        assert_string_equal(json_get_str(t, "name"), names[i]);
    }
    set("{}");
    tools = value_at(result_of(ADA, PATH, list), "tools");
    assert_string_not_equal(json_get_str(&tools->items[tools->n - 1], "name"),
                            "commitApprovedDraft");
    for (size_t i = 0; i < 3; i++)
        assert_true(
            has(json_get_str(json_get(call(names[i], "{}"), "error"), "message"), "Unknown tool"));
}

static void assert_replays(void)
{
    struct sosia_replay_options opt = {0};
    struct sosia_blob report;
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &report, &test_err),
                     0);
    if (!strstr(report.data, "\"differences\": []") && !strstr(report.data, "\"equal\": true"))
        fail_msg("%s", report.data);
    sosia_blob_free(&report);
}

static void drafts_are_in_forks_and_in_replays(void **state)
{
    const char *draft = drafted(INSERT), *action = asked(draft, "pending_approval");
    uint64_t world = test_world, fork;
    (void)state;
    assert_int_equal(decide(action, "approve"), 0);
    assert_int_equal(sosia_world_fork(test_engine, world, NULL, &fork, &test_err), 0);
    for (int i = 0; i < 2; i++) {
        test_world = i ? fork : world;
        assert_false(is_error(committed(draft, action)));
        assert_int_equal(events_of_ada(), 2);
    }
    test_world = world;
    assert_replays();
}

static size_t actions(void)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len);
    sosia_blob_free(&blob);
    return count_at(v, "approvals");
}

/* Drafts have a limit of their own, and those whose time is over make room. */
static void drafts_do_not_fill_the_world(void **state)
{
    (void)state;
    const char *first = drafted(INSERT);
    for (int i = 1; i < 500; i++)
        drafted(INSERT);
    assert_true(is_error(call("createDraft", INSERT)));
    assert_int_equal(actions(), 500);
    test_advance(3600);
    const char *last = drafted(INSERT);
    assert_string_not_equal(last, first);
    assert_int_equal(actions(), 2);
    drafted(INSERT);
    asked(last, "pending_approval");
    assert_true(
        is_error(call("requestApproval", arena_printf(&test_arena, "{'draftId':'%s'}", first))));
}

/* ---- policies of single tokens ---- */

static void set_more(const char *name, const char *bearer, const char *rest)
{
    uint8_t sum[32];
    char hex[65];
    assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_SHA256, bearer + 7, strlen(bearer + 7), sum), 0);
    hex_encode(hex, sum, sizeof sum);
    const char *text = arena_printf(
        &test_arena, "policy: 1\nname: %s\napplies: {token_sha256: %s}\n%s\n", name, hex, rest);
    if (sosia_policy_set(test_engine, test_world, text, strlen(text), "a.yaml", NULL, &test_err) <
        0)
        fail_msg("%s", test_err.text);
}

static const char *new_bearer(void)
{
    return arena_strdup(&test_arena, test_bearer(ADA, NULL));
}

static const char *policy_of(const char *action)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, action, NULL, &blob, &test_err),
                     0);
    const struct json *v = parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len);
    sosia_blob_free(&blob);
    return text_at(v, "approvals.0.policy");
}

static void a_policy_of_another_token_says_nothing_of_a_draft(void **state)
{
    (void)state;
    own = new_bearer();
    set_more("a", new_bearer(), "otherwise: deny");
    const char *draft = drafted(INSERT), *action = asked(draft, "pending_approval");
    assert_string_equal(policy_of(action), "p");
    assert_int_equal(decide(action, "approve"), 0);
    assert_false(is_error(committed(draft, action)));
    assert_int_equal(events_of_ada(), 2);
    assert_replays();
}

/* The caller's own client decides only where all that ask for approval leave it to that. */
static void an_approver_is_not_replaced_by_the_caller_s_client(void **state)
{
    (void)state;
    set("{staged: true, approvers: {legal: [marta]}}");
    own = new_bearer();
    set_more("a", own, "otherwise: allow\napprovals: {staged: true, approver: client}");
    const char *draft = drafted(INSERT);
    const char *action = arena_printf(&test_arena, "act_%s", draft + 6);
    assert_string_equal(policy_of(action), "p");
    asked(draft, "pending_approval");
    assert_string_equal(policy_of(action), "p");
}

/* A draft goes by the policies of the token that asked for it, and not only of that which commits
 * it. */
static void the_policies_of_its_token_go_with_a_draft(void **state)
{
    (void)state;
    own = new_bearer();
    const char *draft = drafted(INSERT), *action = asked(draft, "pending_approval");
    static const char target[] = "/calendar/v3/calendars/primary/events?prettyPrint=false";
    assert_int_equal(decide(action, "approve"), 0);
    set_more("a", own, "otherwise: deny");
    const struct sosia_header headers[] = {{"Authorization", new_bearer()},
                                           {"Content-Type", "application/json"},
                                           {"X-Sosia-Label-draft", action}};
    const char *body = quoted("{'summary':'New','start':{'dateTime':'2026-11-25T10:00:00Z'},"
                              "'end':{'dateTime':'2026-11-25T11:00:00Z'}}");
    test_request("POST", target, headers, 3, body, strlen(body));
    assert_int_equal(test_status, 403);
    assert_int_equal(sosia_policy_remove(test_engine, test_world, "a", &test_err), 0);
    test_request("POST", target, headers, 3, body, strlen(body));
    assert_int_equal(test_status, 200);
    assert_int_equal(events_of_ada(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
        T(a_draft_is_asked_for_and_committed),
        T(what_is_rejected_is_not_committed),
        T(ids_of_others_open_nothing),
        T(a_draft_is_bound_to_what_it_would_do),
        T(what_may_not_be_called_can_t_be_drafted),
        T(forms_and_other_sets_have_drafts),
        T(they_are_listed_where_a_policy_asks_for_them),
        T(drafts_are_in_forks_and_in_replays),
        T(drafts_do_not_fill_the_world),
        T(a_policy_of_another_token_says_nothing_of_a_draft),
        T(an_approver_is_not_replaced_by_the_caller_s_client),
        T(the_policies_of_its_token_go_with_a_draft),
    };
    return cmocka_run_group_tests_name("mcp staged", tests, NULL, NULL);
}
