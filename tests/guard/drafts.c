/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts in the place of what is held: made, shown to who approves, committed once. */
#include "tests/guard/guard_world.h"
#include <pthread.h>
#include <semaphore.h>

#define POLICY(more) "policy: 1\nname: p\napprovals: {drafts: true" more "}\n"
#define SEND         "/gmail/v1/users/me/messages/send"
#define RAW          "VG86IGV2ZUBhY21lLmV4YW1wbGUNClN1YmplY3Q6IEhpDQoNCkhlbGxvDQo" /* to Eve, "Hi" */
#define OTHER        "VG86IGV2ZUBhY21lLmV4YW1wbGUNClN1YmplY3Q6IEJ5ZQ0KDQpIZWxsbw0K" /* "Bye" */

static void use(const char *policy)
{
    if (sosia_policy_set(test_engine, test_world, policy, strlen(policy), "p.yaml", NULL,
                         &test_err) < 0)
        fail_msg("%s", test_err.text);
}

/* The action that the answer names; "": none. */
static const char *proposed(void)
{
    const char *text = response_header("X-Sosia-Guard");
    const struct json *v = *text ? parsed(text, strlen(text)) : NULL;
    if (!v || strcmp(text_at(v, "status"), "draft") != 0)
        return "";
    return text_at(v, "action");
}

static const struct json *approvals(const char *state)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, state, &blob, &test_err),
                     0);
    const struct json *v = parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len);
    sosia_blob_free(&blob);
    return json_get(v, "approvals");
}

static const struct json *action_of(const char *name)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, name, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len);
    sosia_blob_free(&blob);
    return value_at(v, "approvals.0");
}

static int decide(const char *action, const char *what, const char *arguments)
{
    return sosia_approval_decide(test_engine, test_world, action, what, arguments, "boss", NULL,
                                 &test_err);
}

static long drafts_of_ada(void)
{
    assert_int_equal(call_as(ADA, GMAIL, "GET", "/gmail/v1/users/me/drafts", NULL), 200);
    return (long)count_at(answer_body(), "drafts");
}

static int send(const char *raw)
{
    return call_as(ADA, GMAIL, "POST", SEND, arena_printf(&test_arena, "{'raw':'%s'}", raw));
}

static void a_letter_becomes_a_draft(void **state)
{
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    /* The answer is that of a draft. */
    const char *draft = text_at(answer_body(), "id");
    assert_string_equal(text_at(answer_body(), "message.labelIds.0"), "DRAFT");
    const char *action = proposed();
    assert_string_not_equal(action, "");
    assert_int_equal(letters_of_eve(test_world), 0);
    assert_int_equal(drafts_of_ada(), 1);
    /* Who approves sees what the commit would do, to whom. */
    const struct json *a = action_of(action);
    assert_string_equal(text_at(a, "state"), "held");
    assert_string_equal(text_at(a, "method"), "gmail.users.drafts.send");
    assert_string_equal(text_at(a, "arguments.body.id"), draft);
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, action, NULL, &blob, &test_err),
                     0);
    assert_non_null(strstr(blob.data, EVE));
    sosia_blob_free(&blob);
    /* Approval commits it, once. */
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_string_equal(text_at(action_of(action), "state"), "executed");
    assert_int_equal(letters_of_eve(test_world), 1);
    assert_int_equal(drafts_of_ada(), 0);
    assert_int_equal(decide(action, "approve", NULL), -1);
    assert_int_equal(letters_of_eve(test_world), 1);
}

/* Who lost the answer is given it again, and makes no second draft. */
static void the_same_call_makes_one_draft(void **state)
{
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    const char *first = arena_memdup(&test_arena, test_response->body, test_response->body_len);
    assert_int_equal(send(RAW), 200);
    assert_string_equal(test_response->body, first);
    assert_int_equal(drafts_of_ada(), 1);
    assert_int_equal(approvals("held")->n, 1);
    assert_int_equal(send(OTHER), 200);
    assert_int_equal(drafts_of_ada(), 2);
    /* Others are given their own. */
    assert_int_equal(
        call_as(EVE, GMAIL, "POST", SEND, arena_printf(&test_arena, "{'raw':'%s'}", RAW)), 200);
    assert_string_not_equal(test_response->body, first);
}

static void a_rejected_draft_is_not_sent(void **state)
{
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    const char *draft = text_at(answer_body(), "id"), *action = proposed();
    assert_int_equal(decide(action, "reject", NULL), 0);
    assert_int_equal(call_as(ADA, GMAIL, "POST", "/gmail/v1/users/me/drafts/send",
                             arena_printf(&test_arena, "{'id':'%s'}", draft)),
                     403);
    assert_int_equal(letters_of_eve(test_world), 0);
}

/* The caller may commit it as well, when it is approved and no sooner. */
static void a_draft_is_bound_to_what_the_approver_saw(void **state)
{
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    const char *draft = text_at(answer_body(), "id"), *action = proposed();
    assert_int_equal(call_as(ADA, GMAIL, "POST", "/gmail/v1/users/me/drafts/send",
                             arena_printf(&test_arena, "{'id':'%s'}", draft)),
                     403);
    /* It is another one by now: the approval of the old one sends nothing. */
    assert_int_equal(call_as(ADA, GMAIL, "PUT",
                             arena_printf(&test_arena, "/gmail/v1/users/me/drafts/%s", draft),
                             arena_printf(&test_arena, "{'message':{'raw':'%s'}}", OTHER)),
                     200);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_string_equal(text_at(action_of(action), "state"), "held");
    assert_int_equal(letters_of_eve(test_world), 0);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(letters_of_eve(test_world), 1);
    assert_string_equal(text_at(action_of(action), "state"), "executed");
}

static void the_approver_edits_a_draft(void **state)
{
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    const char *action = proposed();
    assert_int_equal(decide(action, "edit", "{\"body.message.raw\": \"" OTHER "\"}"), 0);
    assert_string_equal(text_at(action_of(action), "state"), "executed");
    assert_int_equal(call_as(EVE, GMAIL, "GET", "/gmail/v1/users/me/messages?q=subject:Bye", NULL),
                     200);
    assert_int_equal(number_at(answer_body(), "resultSizeEstimate"), 1);
}

static void time_over_denies_drafts(void **state)
{
    use(POLICY(", expires_seconds: 60"));
    assert_int_equal(send(RAW), 200);
    const char *action = proposed();
    test_advance(60);
    assert_int_equal(decide(action, "approve", NULL), -1);
    assert_string_equal(test_err.reason, "expired");
    assert_int_equal(letters_of_eve(test_world), 0);
}

static void a_script_approves_a_draft(void **state)
{
    use(POLICY(", script: [{decide: approve}]"));
    assert_int_equal(send(RAW), 200);
    assert_string_equal(text_at(answer_body(), "message.labelIds.0"), "DRAFT");
    assert_int_equal(letters_of_eve(test_world), 1);
}

/* What a script decides later is there for the caller to commit. */
static void a_script_approves_a_draft_later(void **state)
{
    use(POLICY(", script: [{after_seconds: 30, decide: approve}]"));
    assert_int_equal(send(RAW), 200);
    const char *body = arena_printf(&test_arena, "{'id':'%s'}", text_at(answer_body(), "id"));
    test_advance(29);
    assert_int_equal(call_as(ADA, GMAIL, "POST", "/gmail/v1/users/me/drafts/send", body), 403);
    test_advance(1);
    assert_int_equal(call_as(ADA, GMAIL, "POST", "/gmail/v1/users/me/drafts/send", body), 200);
    assert_int_equal(letters_of_eve(test_world), 1);
}

static void forks_have_drafts_and_their_actions(void **state)
{
    uint64_t own = test_world, fork;
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    const char *action = proposed();
    assert_int_equal(sosia_world_fork(test_engine, own, NULL, &fork, &test_err), 0);
    test_world = fork;
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(letters_of_eve(fork), 1);
    test_world = own;
    assert_int_equal(letters_of_eve(own), 0);
    assert_string_equal(text_at(action_of(action), "state"), "held");
}

/* By what name a server was called is of the server: a replay is not called so. */
static void what_is_kept_has_no_host(void **state)
{
    uint64_t without;
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    assert_int_equal(test_import_changed("update guard_action set request = request "
                                         "where request not like '%" GMAIL "%' "
                                         "and request not like '%\"host\"%'",
                                         &without),
                     0);
    assert_int_equal(sosia_world_drop(test_engine, without, &test_err), 0);
    assert_int_equal(decide(proposed(), "approve", NULL), 0);
    assert_int_equal(letters_of_eve(test_world), 1);
}

static void a_letter_of_outlook_becomes_a_draft(void **state)
{
    use(POLICY(""));
    assert_int_equal(call_as(BOB, GRAPH, "POST", "/v1.0/me/sendMail",
                             "{'message':{'subject':'Hi','toRecipients':[{'emailAddress':"
                             "{'address':'eve@acme.example'}}]},'saveToSentItems':true}"),
                     201);
    assert_string_equal(text_at(answer_body(), "subject"), "Hi");
    assert_true(json_get_true(answer_body(), "isDraft"));
    const char *action = proposed();
    assert_string_equal(text_at(action_of(action), "method"), "outlook.messages.send");
    assert_int_equal(letters_of_eve(test_world), 0);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(letters_of_eve(test_world), 1);
    /* One that would not be kept has no draft, and is held as ever. */
    assert_int_equal(call_as(BOB, GRAPH, "POST", "/v1.0/me/sendMail",
                             "{'message':{'subject':'Hi','toRecipients':[{'emailAddress':"
                             "{'address':'eve@acme.example'}}]},'saveToSentItems':false}"),
                     403);
}

static long events_of_eve(void)
{
    assert_int_equal(call_as(EVE, CALENDAR, "GET", "/calendar/v3/calendars/primary/events", NULL),
                     200);
    return (long)count_at(answer_body(), "items");
}

/* The guests learn of an event when it is approved. */
static void an_event_is_tentative_until_it_is_approved(void **state)
{
    use("policy: 1\nname: p\nrules: [{effect: approve, reaches: {people: {length: {gt: 0}}}}]\n"
        "approvals: {drafts: true}\n");
    assert_int_equal(call_as(ADA, CALENDAR, "POST",
                             "/calendar/v3/calendars/primary/events?sendUpdates=all",
                             "{'summary':'Lunch','attendees':[{'email':'eve@acme.example'}],"
                             "'start':{'dateTime':'2026-11-25T10:00:00Z'},"
                             "'end':{'dateTime':'2026-11-25T11:00:00Z'}}"),
                     200);
    const char *id = text_at(answer_body(), "id"), *action = proposed();
    assert_string_equal(text_at(answer_body(), "status"), "tentative");
    assert_null(json_get(answer_body(), "attendees"));
    assert_int_equal(events_of_eve(), 0);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_string_equal(text_at(action_of(action), "state"), "executed");
    assert_int_equal(events_of_eve(), 1);
    assert_int_equal(
        call_as(ADA, CALENDAR, "GET",
                arena_printf(&test_arena, "/calendar/v3/calendars/primary/events/%s", id), NULL),
        200);
    assert_string_equal(text_at(answer_body(), "status"), "confirmed");
}

static long events_of_bob_as(const char *member, const char *value)
{
    long n = 0;
    assert_int_equal(call_as(BOB, GRAPH, "GET", "/v1.0/me/events", NULL), 200);
    const struct json *list = json_get(answer_body(), "value");
    for (uint32_t i = 0; i < list->n; i++)
        n += strcmp(json_get_str(&list->items[i], member), value) == 0;
    return n;
}

static void an_event_of_microsoft_is_tentative_until_it_is_approved(void **state)
{
    use("policy: 1\nname: p\nrules: [{effect: approve, reaches: {people: {length: {gt: 0}}}}]\n"
        "approvals: {drafts: true}\n");
    assert_int_equal(
        call_as(BOB, GRAPH, "POST", "/v1.0/me/events",
                "{'subject':'Lunch','start':{'dateTime':'2026-11-25T10:00:00','timeZone':'UTC'},"
                "'end':{'dateTime':'2026-11-25T11:00:00','timeZone':'UTC'},'attendees':[{"
                "'emailAddress':{'address':'eve@acme.example'},'type':'required'}]}"),
        201);
    const char *action = proposed();
    assert_string_equal(text_at(answer_body(), "showAs"), "tentative");
    assert_int_equal(json_get(answer_body(), "attendees")->n, 0);
    assert_int_equal(events_of_eve(), 0);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_string_equal(text_at(action_of(action), "state"), "executed");
    assert_int_equal(events_of_eve(), 1);
    assert_int_equal(events_of_bob_as("showAs", "busy"), 1);
    assert_int_equal(events_of_bob_as("showAs", "tentative"), 0);
}

static void a_change_of_a_file_is_a_comment_until_it_is_approved(void **state)
{
    assert_int_equal(call_as(ADA, CALENDAR, "POST", "/drive/v3/files", "{'name':'Plan'}"), 200);
    const char *target =
        arena_printf(&test_arena, "/drive/v3/files/%s", text_at(answer_body(), "id"));
    use("policy: 1\nname: p\notherwise: allow\nrules: [{effect: approve, call: {method: "
        "drive.files.update}}]\napprovals: {drafts: true}\n");
    assert_int_equal(call_as(ADA, CALENDAR, "PATCH", target, "{'name':'Other'}"), 200);
    const char *action = proposed();
    assert_string_equal(text_at(answer_body(), "kind"), "drive#comment");
    assert_non_null(strstr(text_at(answer_body(), "content"), "{\"name\":\"Other\"}"));
    assert_int_equal(call_as(ADA, CALENDAR, "GET", target, NULL), 200);
    assert_string_equal(text_at(answer_body(), "name"), "Plan");
    if (decide(action, "approve", NULL) < 0)
        fail_msg("%s %s", action, test_err.text);
    assert_string_equal(text_at(action_of(action), "state"), "executed");
    assert_int_equal(call_as(ADA, CALENDAR, "GET", target, NULL), 200);
    assert_string_equal(text_at(answer_body(), "name"), "Other");
    /* the same again makes no second comment */
    assert_int_equal(call_as(ADA, CALENDAR, "PATCH", target, "{'name':'Other'}"), 200);
    assert_int_equal(call_as(ADA, CALENDAR, "GET",
                             arena_printf(&test_arena, "%s/comments?fields=*", target), NULL),
                     200);
    assert_int_equal(json_get(answer_body(), "comments")->n, 1);
}

/* Tools of models and parts of batches have drafts as well. */
static void tools_have_drafts(void **state)
{
    use(POLICY(""));
    assert_int_equal(
        call_as(ADA, "localhost", "POST", "/mcp",
                "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':"
                "'gmail_users_messages_send','arguments':{'userId':'me','body':{'raw':'" RAW
                "'}}}}"),
        200);
    if (!strstr(test_response->body, "DRAFT"))
        fail_msg("%s", test_response->body);
    assert_int_equal(drafts_of_ada(), 1);
    assert_int_equal(approvals("held")->n, 1);
}

/* What has no draft is held as ever: answers in part, and calls that a policy rewrites. */
static void other_calls_are_held(void **state)
{
    const char *raw = arena_printf(&test_arena, "{'raw':'%s'}", RAW);
    use(POLICY(""));
    assert_int_equal(call_as(ADA, GMAIL, "POST", SEND "?fields=threadId", raw), 403);
    assert_non_null(strstr(test_response->body, "held for approval"));
    use(POLICY("") "rules: [{effect: rewrite, call: {method: gmail.users.messages.send}, "
                   "arguments: {body.threadId: null}}]\n");
    assert_int_equal(send(OTHER), 403);
    assert_non_null(strstr(test_response->body, "held for approval"));
    assert_int_equal(drafts_of_ada(), 0);
}

/* Where the draft is refused, that is the answer, and nothing waits. */
static void a_draft_may_be_refused_as_well(void **state)
{
    use(POLICY("") "rules: [{effect: deny, call: {method: gmail.users.drafts.create}}]\n");
    assert_int_equal(send(RAW), 403);
    assert_non_null(strstr(test_response->body, "not permitted"));
    assert_int_equal(approvals(NULL)->n, 0);
    assert_int_equal(drafts_of_ada(), 0);
}

/* Labels of one's own open nothing. */
static void labels_make_rules_stricter_alone(void **state)
{
    static const char *const values[] = {"propose", "act_0000000000000000", ""};
    const char *raw = arena_printf(&test_arena, "{'raw':'%s'}", RAW);
    use(POLICY(""));
    for (size_t i = 0; i < SOSIA_LEN(values); i++) {
        const struct sosia_header label = {"X-Sosia-Label-Draft", values[i]};
        assert_int_equal(call_with(test_world, ADA, GMAIL, "POST", SEND, raw, &label), 403);
    }
    assert_int_equal(letters_of_eve(test_world), 0);
    /* An approved action is for its own call alone, whatever it is called. */
    assert_int_equal(send(OTHER), 200);
    const char *action = proposed();
    const struct sosia_header named = {"X-Sosia-Label-Draft", action};
    assert_int_equal(call_with(test_world, ADA, GMAIL, "POST", SEND, raw, &named), 403);
    assert_int_equal(decide(action, "approve", NULL), 0);
    assert_int_equal(call_with(test_world, ADA, GMAIL, "POST", SEND, raw, &named), 403);
    assert_int_equal(letters_of_eve(test_world), 1);
}

struct answered {
    sem_t there;
    pthread_t by;
    int status;
};

static void answer(void *arg, struct sosia_response *r)
{
    struct answered *a = arg;
    a->by = pthread_self();
    a->status = r ? r->status : -1;
    sosia_response_free(r);
    sem_post(&a->there);
}

static void no_news(void *arg, uint64_t world, int64_t first, int64_t last)
{
}

/* A thread that serves others makes no draft: it takes several calls. */
static void servers_have_drafts_made(void **state)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"},
                                           {"Host", GMAIL}};
    const struct sosia_request request = {.method = "POST",
                                          .target = SEND,
                                          .headers = headers,
                                          .n_headers = SOSIA_LEN(headers),
                                          .body = "{\"raw\":\"" RAW "\"}",
                                          .body_len = strlen("{\"raw\":\"" RAW "\"}")};
    struct answered a = {0};
    use(POLICY(""));
    assert_int_equal(sosia_engine_on_outbox(test_engine, no_news, NULL), 0);
    sem_init(&a.there, 0, 0);
    assert_true(sosia_call_try(test_engine, test_world, &request, answer, &a));
    sem_wait(&a.there);
    sosia_engine_on_outbox(test_engine, NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_false(pthread_equal(a.by, pthread_self()));
    assert_int_equal(drafts_of_ada(), 1);
    assert_int_equal(approvals("held")->n, 1);
}

/* That a call makes a draft, and in whose place, is not a client's to say: a header of whatever
 * name leaves no answer for a later call. */
static void nobody_says_that_they_make_a_draft(void **state)
{
    static const char *const names[] = {"X-Sosia-Label-Draft-Of", "X-Sosia-Draft", "draft_of"};
    const char *raw = arena_printf(&test_arena, "{'raw':'%s'}", RAW);
    const char *digest = "1.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    use(POLICY(""));
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const struct sosia_header h = {names[i], digest};
        assert_int_equal(call_with(test_world, ADA, GMAIL, "POST", "/gmail/v1/users/me/labels",
                                   arena_printf(&test_arena, "{'name':'L%zu'}", i), &h),
                         200);
        assert_int_equal(approvals(NULL)->n, 0);
    }
    /* The call itself is what it is without the header. */
    const struct sosia_header h = {names[0], digest};
    assert_int_equal(call_with(test_world, ADA, GMAIL, "POST", SEND, raw, &h), 200);
    assert_string_equal(text_at(answer_body(), "message.labelIds.0"), "DRAFT");
    const char *first = arena_memdup(&test_arena, test_response->body, test_response->body_len);
    assert_int_equal(send(RAW), 200);
    assert_string_equal(test_response->body, first);
    assert_int_equal(drafts_of_ada(), 1);
    assert_int_equal(letters_of_eve(test_world), 0);
}

static void a_journal_with_drafts_runs_again(void **state)
{
    struct sosia_blob blob;
    const struct sosia_replay_options opt = {0};
    use(POLICY(""));
    assert_int_equal(send(RAW), 200);
    assert_int_equal(decide(proposed(), "approve", NULL), 0);
    assert_int_equal(send(RAW), 200);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &blob, &test_err),
                     0);
    if (!strstr(blob.data, "\"differences\": []"))
        fail_msg("%s", blob.data);
    sosia_blob_free(&blob);
}

/* ---- bytes ---- */

/* Bob puts a file, with a label (NULL: none). */
static int put(const char *text, const char *label)
{
    const struct sosia_header headers[] = {{"Host", GRAPH},
                                           {"Authorization", test_bearer(BOB, NULL)},
                                           {"Content-Type", "text/plain"},
                                           {"X-Sosia-Label-draft", label}};
    test_call(test_world, &(struct sosia_request){.method = "PUT",
                                                  .target = "/v1.0/me/drive/root:/a.txt:/content",
                                                  .headers = headers,
                                                  .n_headers = label ? 4 : 3,
                                                  .body = text,
                                                  .body_len = strlen(text)});
    return test_response->status;
}

static const char *named(void)
{
    const char *text = response_header("X-Sosia-Guard");
    return *text ? text_at(parsed(text, strlen(text)), "action") : "";
}

/* What was approved, with edits too, is what was seen; and a label makes no draft of what is none.
 */
static void an_approval_is_of_the_bytes_that_were_brought(void **state)
{
    static const char edits[] = "{\"@microsoft.graph.conflictBehavior\": \"replace\"}";
    for (int staged = 0; staged < 2; staged++) {
        use("policy: 1\nname: p\notherwise: allow\napprovals: {staged: true}\nrules: [{id: hold, "
            "effect: approve, call: {method: onedrive.items.content.put}}]\n");
        assert_int_equal(put(staged ? "two" : "one", staged ? "stage" : NULL), 403);
        const char *action = arena_strdup(&test_arena, named());
        if (staged)
            assert_int_equal(put("two", arena_printf(&test_arena, "ask_%s", action + 4)), 403);
        assert_int_equal(decide(action, "edit", edits), 0);
        assert_int_equal(put("bad", action), 403);
        assert_string_not_equal(named(), action);
        assert_int_equal(put(staged ? "two" : "one", staged ? action : NULL), staged ? 200 : 201);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        guard_test(a_letter_becomes_a_draft),
        guard_test(the_same_call_makes_one_draft),
        guard_test(a_rejected_draft_is_not_sent),
        guard_test(a_draft_is_bound_to_what_the_approver_saw),
        guard_test(the_approver_edits_a_draft),
        guard_test(time_over_denies_drafts),
        guard_test(a_script_approves_a_draft),
        guard_test(a_script_approves_a_draft_later),
        guard_test(forks_have_drafts_and_their_actions),
        guard_test(what_is_kept_has_no_host),
        guard_test(a_letter_of_outlook_becomes_a_draft),
        guard_test(an_event_is_tentative_until_it_is_approved),
        guard_test(an_event_of_microsoft_is_tentative_until_it_is_approved),
        guard_test(a_change_of_a_file_is_a_comment_until_it_is_approved),
        guard_test(tools_have_drafts),
        guard_test(other_calls_are_held),
        guard_test(a_draft_may_be_refused_as_well),
        guard_test(labels_make_rules_stricter_alone),
        guard_test(servers_have_drafts_made),
        guard_test(nobody_says_that_they_make_a_draft),
        guard_test(a_journal_with_drafts_runs_again),
        guard_test(an_approval_is_of_the_bytes_that_were_brought),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
