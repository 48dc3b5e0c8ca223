/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/faults/faults.h"
#include "tests/guard/guard_world.h"
#include <strings.h>

/* ---- what vendors answer ---- */

struct in_trouble {
    const char *who, *host, *method, *target, *body;
    const char *fault; /* of the rule */
    int status;
    const char *says; /* in the body */
    const char *header, *value;
};

#define LABELS  ADA, GMAIL, "GET", "/gmail/v1/users/me/labels", NULL
#define EVENTS  ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events", NULL
#define FILES   ADA, CALENDAR, "GET", "/drive/v3/files", NULL
#define LETTERS BOB, GRAPH, "GET", "/v1.0/me/messages", NULL
#define PERSON  BOB, GRAPH, "GET", "/v1.0/me", NULL
#define POST_IT ALICE, SLACK, "POST", "/api/chat.postMessage", "channel=C0GENERAL&text=hi"
#define LIST_IT ALICE, SLACK, "POST", "/api/conversations.list", ""

static const struct in_trouble vendors_in_trouble[] = {
    /* limits */
    {LABELS, "'fault':'rate-limit'", 403, "\"reason\": \"rateLimitExceeded\""},
    {EVENTS, "'fault':'rate-limit'", 403, "\"domain\": \"usageLimits\""},
    {EVENTS, "'fault':'rate-limit','status':429,'retry_after':7", 429, "RESOURCE_EXHAUSTED",
     "Retry-After", "7"},
    {LETTERS, "'fault':'rate-limit','retry_after':12", 429, "ApplicationThrottled", "Retry-After",
     "12"},
    {PERSON, "'fault':'rate-limit'", 429, "TooManyRequests", "Retry-After", "10"},
    {POST_IT, "'fault':'rate-limit','retry_after':3", 429, "\"error\":\"ratelimited\"",
     "Retry-After", "3"},
    {EVENTS, "'fault':'quota'", 403, "Calendar usage limits exceeded."},
    {LABELS, "'fault':'quota'", 403, "dailyLimitExceeded"},
    {FILES, "'fault':'quota'", 403, "Daily Limit Exceeded"},
    {LETTERS, "'fault':'quota'", 403, "ErrorQuotaExceeded"},
    {POST_IT, "'fault':'quota'", 200, "message_limit_exceeded"},
    {LIST_IT, "'fault':'quota'", 429, "ratelimited"},
    /* servers that fail */
    {EVENTS, "'fault':'server-error'", 500, "Backend Error"},
    {EVENTS, "'fault':'server-error','status':503", 503, "backendError"},
    {LABELS, "'fault':'server-error','status':503", 503, "The service is currently unavailable."},
    {LABELS, "'fault':'server-error'", 500, "Internal error encountered."},
    {LABELS, "'fault':'server-error','status':502", 502, "Error 502 (Server Error)!!1"},
    {LETTERS, "'fault':'server-error','status':503,'retry_after':30", 503, "ErrorServerBusy",
     "Retry-After", "30"},
    {PERSON, "'fault':'server-error','status':503", 503, "ServiceUnavailable"},
    {PERSON, "'fault':'server-error','status':504", 504, "UnknownError"},
    {LETTERS, "'fault':'server-error'", 500, "InternalServerError"},
    {LIST_IT, "'fault':'server-error'", 500, "internal_error"},
    {LIST_IT, "'fault':'server-error','status':503", 503, "service_unavailable"},
    /* what is not taken any more */
    {EVENTS, "'fault':'token-revoked'", 401, "Invalid Credentials"},
    {LETTERS, "'fault':'token-revoked'", 401, "InvalidAuthenticationToken"},
    {LIST_IT, "'fault':'token-revoked'", 200, "token_revoked"},
    {EVENTS, "'fault':'access-lost'", 403, "Forbidden"},
    {EVENTS, "'fault':'access-lost','status':404", 404, "notFound"},
    {LETTERS, "'fault':'access-lost'", 403, "ErrorAccessDenied"},
    {POST_IT, "'fault':'access-lost','status':404", 200, "channel_not_found"},
    {ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events?syncToken=x", NULL,
     "'fault':'expired-sync-token'", 410, "fullSyncRequired"},
    {ADA, GMAIL, "GET", "/gmail/v1/users/me/history?startHistoryId=1", NULL,
     "'fault':'expired-sync-token'", 404, "Requested entity was not found."},
    {BOB, GRAPH, "GET", "/v1.0/me/mailFolders/inbox/messages/delta?$deltatoken=x", NULL,
     "'fault':'expired-sync-token'", 410, "SyncStateNotFound"},
    {ADA, CALENDAR, "GET", "/calendar/v3/calendars/primary/events?pageToken=x", NULL,
     "'fault':'expired-page-token'", 400, "pageToken"},
    {ALICE, SLACK, "POST", "/api/conversations.list", "cursor=abc", "'fault':'expired-page-token'",
     200, "invalid_cursor"},
    {LIST_IT, "'fault':'missing'", 200, "unknown_method"},
    {EVENTS, "'fault':'missing'", 404, "Error 404 (Not Found)!!1"},
    {LETTERS, "'fault':'missing'", 400, "Resource not found for the segment 'messages'."},
    /* what no answer comes to: a proxy's */
    {EVENTS, "'fault':'reset'", 502, ""},
    {EVENTS, "'fault':'timeout'", 504, ""},
};

static void each_vendor_has_trouble_in_its_own_words(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(vendors_in_trouble); i++) {
        const struct in_trouble *t = &vendors_in_trouble[i];
        use_fault(t->fault);
        int status = call_as(t->who, t->host, t->method, t->target, t->body);
        if (status != t->status || !strstr(test_response->body, t->says) ||
            (t->header && strcmp(response_header(t->header), t->value) != 0))
            fail_msg("%s with %s: %d %s, %s: %s", t->target, t->fault, status, test_response->body,
                     t->header ? t->header : "-", t->header ? response_header(t->header) : "");
    }
    use_faults(NULL);
    assert_int_equal(call_as(EVENTS), 200);
}

static void a_fault_that_a_call_can_not_have_is_none(void **state)
{
    use_fault("'fault':'expired-sync-token'");
    assert_int_equal(call_as(EVENTS), 200);
    use_fault("'fault':'expired-page-token'");
    assert_int_equal(call_as(LETTERS), 200);
    use_fault("'fault':'stale-read'"); /* no earlier state is known */
    assert_int_equal(call_as(EVENTS), 200);
}

/* ---- what becomes of the answer ---- */

static void a_lost_answer_is_lost_when_all_is_done(void **state)
{
    use_fault("'fault':'lost-answer','methods':['gmail.users.messages.send']");
    assert_int_equal(send_letter("one"), 502);
    assert_int_equal(test_response->wire, SOSIA_WIRE_RESET);
    assert_int_equal(letters_of_eve(test_world), 1);
    use_fault("'fault':'lost-answer','lost':'error','methods':['gmail.users.messages.send']");
    assert_int_equal(send_letter("two"), 503);
    assert_int_equal(test_response->wire, SOSIA_WIRE_AS_IS);
    assert_int_equal(letters_of_eve(test_world), 2);
    use_fault("'fault':'reset','methods':['gmail.users.messages.send']");
    assert_int_equal(send_letter("three"), 502);
    assert_int_equal(letters_of_eve(test_world), 2);
}

static void bodies_are_cut(void **state)
{
    assert_int_equal(call_as(EVENTS), 200);
    size_t whole = test_response->body_len;
    use_fault("'fault':'truncated'");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(test_response->wire, SOSIA_WIRE_CUT);
    assert_int_equal(test_response->said, whole);
    assert_int_equal(test_response->body_len, whole * 2 / 3);
    use_fault("'fault':'malformed'");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(test_response->wire, SOSIA_WIRE_AS_IS);
    assert_int_equal(test_response->body_len, whole * 2 / 3);
}

static void what_is_slow_takes_its_time(void **state)
{
    int64_t before, after;
    assert_int_equal(sosia_clock_get(test_engine, test_world, &before, NULL), 0);
    use_fault("'fault':'slow','delay_ms':90000");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(test_response->delay_ms, 0);
    assert_int_equal(sosia_clock_get(test_engine, test_world, &after, NULL), 0);
    assert_int_equal(after - before, 90000000);
    use_fault("'fault':'slow','delay_ms':40,'clock':'real'");
    assert_int_equal(call_as(EVENTS), 200);
    assert_int_equal(test_response->delay_ms, 40);
}

/* ---- what becomes of the state ---- */

static void a_stale_read_shows_an_earlier_state(void **state)
{
    use_fault("'fault':'stale-read','methods':['gmail.users.messages.list']");
    assert_int_equal(send_letter("one"), 200);
    assert_int_equal(letters_of_eve(test_world), 0);
    assert_int_equal(send_letter("two"), 200);
    assert_int_equal(letters_of_eve(test_world), 1);
    use_faults(NULL);
    assert_int_equal(letters_of_eve(test_world), 2);
}

/* The state after such a read is the present one, and those before it are still there. */
static void states_outlast_a_stale_read(void **state)
{
    struct sosia_blob json;
    uint64_t f;
    char was[65], hash[65];
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    use_fault("'fault':'stale-read','methods':['gmail.users.messages.list']");
    for (int i = 0; i < 5; i++)
        assert_int_equal(send_letter("one"), 200);
    assert_int_equal(sosia_journal_info(test_engine, test_world, &json, &test_err), 0);
    int64_t kept = number_at(parsed(json.data, json.len), "steps.kept");
    sosia_blob_free(&json);
    assert_int_equal(letters_of_eve(test_world), 4);
    assert_int_equal(sosia_journal_info(test_engine, test_world, &json, &test_err), 0);
    const struct json *info = parsed(json.data, json.len);
    assert_true(number_at(info, "steps.kept") >= kept);
    sosia_blob_free(&json);
    int64_t read = number_at(info, "entries");
    assert_int_equal(sosia_world_hash(test_engine, test_world, was, &test_err), 0);
    assert_int_equal(send_letter("two"), 200);
    assert_int_equal(sosia_world_fork_step(test_engine, test_world, read, NULL, &f, &test_err), 0);
    assert_int_equal(sosia_world_hash(test_engine, f, hash, &test_err), 0);
    assert_string_equal(hash, was);
}

static void something_arrives_in_the_midst(void **state)
{
    use_fault("'fault':'arrival','calls':2,'document':{'sosia':1,'people':[{'email':"
              "'new@acme.example','name':'New'}]}");
    assert_int_equal(call_as(EVENTS), 200);
    assert_null(strstr(printed_at(test_dump(), ""), "new@acme.example"));
    assert_int_equal(call_as(EVENTS), 200);
    assert_non_null(strstr(printed_at(test_dump(), ""), "new@acme.example"));
    assert_int_equal(call_as(EVENTS), 200); /* it arrives once */
}

static void a_notification_comes_twice(void **state)
{
    assert_int_equal(call_as(ADA, CALENDAR, "POST", "/calendar/v3/calendars/primary/events/watch",
                             "{'id':'ch-1','type':'web_hook','address':'https://app.example/in'}"),
                     200);
    size_t before = count_at(test_outbox(), "");
    assert_int_equal(call_as(ADA, CALENDAR, "POST",
                             "/calendar/v3/calendars/primary/events/quickAdd?text=One", NULL),
                     200);
    size_t once = count_at(test_outbox(), "") - before;
    assert_true(once > 0);
    use_fault("'fault':'duplicate-webhook'");
    before = count_at(test_outbox(), "");
    assert_int_equal(call_as(ADA, CALENDAR, "POST",
                             "/calendar/v3/calendars/primary/events/quickAdd?text=Two", NULL),
                     200);
    assert_int_equal(count_at(test_outbox(), "") - before, 2 * once);
}

/* ---- which calls ---- */

static const char *statuses(uint64_t world, int n)
{
    char *text = arena_alloc(&test_arena, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        text[i] = call_with(world, EVENTS, NULL) == 200 ? '.' : 'x';
    text[n] = 0;
    return text;
}

static void rules_say_which_calls(void **state)
{
    use_fault("'fault':'server-error','calls':3");
    assert_string_equal(statuses(test_world, 6), "..x...");
    use_fault("'fault':'server-error','calls':{'from':2,'to':7,'every':2}");
    assert_string_equal(statuses(test_world, 9), ".x.x.x...");
    use_fault("'fault':'server-error','times':2");
    assert_string_equal(statuses(test_world, 4), "xx..");
    use_fault("'fault':'server-error','methods':['calendar.calendarList.*']");
    assert_string_equal(statuses(test_world, 2), "..");
    use_fault("'fault':'server-error','actors':['eve@*']");
    assert_string_equal(statuses(test_world, 2), "..");
    use_fault("'fault':'server-error','risks':['write']");
    assert_string_equal(statuses(test_world, 2), "..");
    use_fault("'fault':'server-error','vendors':['google'],'services':['calendar*']");
    assert_string_equal(statuses(test_world, 2), "xx");
    use_fault("'fault':'server-error','after':'2026-11-23T09:00:00Z'");
    assert_string_equal(statuses(test_world, 1), ".");
    test_advance(3600);
    assert_string_equal(statuses(test_world, 1), "x");
    use_fault("'fault':'server-error','once':{'method':'gmail.users.messages.send','calls':2}");
    assert_string_equal(statuses(test_world, 1), ".");
    send_letter("one");
    send_letter("two");
    assert_string_equal(statuses(test_world, 1), "x");
    use_fault("'fault':'server-error','when':'select count(*) > 4 from people'");
    assert_string_equal(statuses(test_world, 1), ".");
    use_fault("'fault':'server-error','when':'select count(*) > 3 from people'");
    assert_string_equal(statuses(test_world, 1), "x");
    /* one that lasts does so by the world's clock */
    use_fault("'fault':'rate-limit','calls':2,'lasts':60");
    assert_string_equal(statuses(test_world, 4), ".xxx");
    test_advance(61);
    assert_string_equal(statuses(test_world, 2), "..");
    /* and not before it began, where that is set back */
    int64_t now;
    use_fault("'fault':'rate-limit','times':1,'lasts':60");
    assert_string_equal(statuses(test_world, 2), "xx");
    assert_int_equal(sosia_clock_get(test_engine, test_world, &now, &test_err), 0);
    assert_int_equal(sosia_clock_set(test_engine, test_world, now - 1, &test_err), 0);
    assert_string_equal(statuses(test_world, 2), "..");
}

static void the_same_seed_has_the_same_faults(void **state)
{
#define SEEDED(n)                                                                                  \
    "{'faults':1,'seed':" n ",'rules':[{'name':'some','fault':'server-error','chance':0.3}]}"
    use_faults(SEEDED("7"));
    const char *first = statuses(test_world, 60);
    use_faults(SEEDED("7"));
    assert_string_equal(statuses(test_world, 60), first);
    use_faults(SEEDED("8"));
    assert_string_not_equal(statuses(test_world, 60), first);
    size_t n = 0;
    for (const char *p = first; *p; p++)
        n += *p == 'x';
    assert_in_range(n, 8, 30);
}

static void forks_go_on_with_what_was_counted(void **state)
{
    uint64_t fork;
    use_fault("'fault':'server-error','calls':3");
    assert_string_equal(statuses(test_world, 2), "..");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_int_equal(call_with(fork, EVENTS, NULL), 401); /* the token is another world's */
    uint64_t before = test_world;
    test_world = fork;
    assert_string_equal(statuses(fork, 2), "x.");
    test_world = before;
    assert_string_equal(statuses(test_world, 2), "x.");
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_string_equal(statuses(test_world, 4), "...."); /* it began without */
}

static void named_sets_are_documents(void **state)
{
    use_faults("rate-limited");
    assert_string_equal(statuses(test_world, 8), "..x...x.");
    use_faults("flaky,slow");
    use_faults("lost-answers");
    const char *seen = statuses(test_world, 30);
    assert_null(strchr(seen, 'x')); /* calls that read */
    use_faults("{'faults':1,'use':['rate-limited'],'rules':[{'name':'more','fault':'reset',"
               "'calls':1}]}");
    assert_string_equal(statuses(test_world, 4), "x.x.");
}

/* ---- calls in others ---- */

static void a_part_of_a_batch_fails(void **state)
{
    use_fault("'fault':'server-error','status':503,'parts':true,'calls':2");
    assert_int_equal(call_as(BOB, GRAPH, "POST", "/v1.0/$batch",
                             "{'requests':[{'id':'1','method':'GET','url':'/me'},"
                             "{'id':'2','method':'GET','url':'/me/messages'},"
                             "{'id':'3','method':'GET','url':'/me'}]}"),
                     200);
    assert_int_equal(number_at(answer_body(), "responses.0.status"), 200);
    assert_int_equal(number_at(answer_body(), "responses.1.status"), 503);
    assert_int_equal(number_at(answer_body(), "responses.2.status"), 200);
    use_fault("'fault':'reset','parts':true");
    assert_int_equal(call_as(EVENTS), 200);
}

static int use_tool(const char *name)
{
    return call_as(ADA, "localhost", "POST", "/mcp/calendar",
                   arena_printf(&test_arena,
                                "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':"
                                "'%s','arguments':{'calendarId':'primary'}}}",
                                name));
}

static void a_tool_of_a_model_has_them_too(void **state)
{
    use_fault("'fault':'lost-answer','lost':'error','tools':['calendar_events_quickAdd',"
              "'calendar_events_list']");
    assert_int_equal(use_tool("calendar_calendars_get"), 200);
    assert_null(strstr(test_response->body, "\"isError\":true"));
    assert_int_equal(use_tool("calendar_events_list"), 200);
    assert_non_null(strstr(test_response->body, "\"isError\":true"));
    assert_int_equal(call_as(EVENTS), 200); /* which no tool has made */
    use_budgets("{'maxToolCalls':1}");
    use_faults(NULL);
    assert_int_equal(use_tool("calendar_events_list"), 200);
    assert_int_equal(use_tool("calendar_events_list"), 200);
    assert_non_null(strstr(test_response->body, "tool_call_budget_exceeded"));
}

static const char *listed_at(const char *path)
{
    assert_int_equal(
        call_as(ADA, "localhost", "POST", path, "{'jsonrpc':'2.0','id':1,'method':'tools/list'}"),
        200);
    return test_response->body;
}

static bool lists(const char *tool)
{
    return strstr(listed_at("/mcp/calendar"),
                  arena_printf(&test_arena, "{\"name\":\"%s\"", tool)) != NULL;
}

static void a_missing_method_is_in_no_list(void **state)
{
    use_fault("'fault':'missing','methods':['calendar.events.list']");
    assert_false(lists("calendar_events_list"));
    assert_true(lists("calendar_events_get"));
    use_tool("calendar_events_list");
    assert_non_null(strstr(test_response->body, "\"isError\":true"));
    assert_int_equal(call_as(EVENTS), 404);
    /* a tool alone, and somebody else's */
    use_fault("'fault':'missing','tools':['calendar_events_list']");
    assert_false(lists("calendar_events_list"));
    assert_int_equal(call_as(EVENTS), 200);
    use_fault("'fault':'missing','tools':['calendar_events_list'],'actors':['eve@acme.example']");
    assert_true(lists("calendar_events_list"));
    use_tool("calendar_events_list");
    assert_null(strstr(test_response->body, "\"isError\":true"));
    /* now and then leaves it in the list */
    use_fault("'fault':'missing','methods':['calendar.events.list'],'calls':2");
    assert_true(lists("calendar_events_list"));
    /* from some time on, and in mid-run */
    use_fault("'fault':'missing','methods':['calendar.events.list'],'after':"
              "'2026-11-23T09:00:00Z'");
    assert_true(lists("calendar_events_list"));
    test_advance(3600);
    assert_false(lists("calendar_events_list"));
    use_fault("'fault':'missing','methods':['calendar.events.get'],'once':{'method':"
              "'calendar.events.list','calls':1}");
    assert_true(lists("calendar_events_get"));
    assert_int_equal(call_as(EVENTS), 200);
    assert_false(lists("calendar_events_get"));
}

static void a_renamed_tool_is_found_by_its_new_name_alone(void **state)
{
    use_fault("'fault':'renamed','tools':['calendar_events_list'],'to':'list_events'");
    assert_true(lists("list_events"));
    assert_false(lists("calendar_events_list"));
    use_tool("calendar_events_list");
    assert_non_null(strstr(test_response->body, "Unknown tool: calendar_events_list"));
    use_tool("list_events");
    assert_null(strstr(test_response->body, "\"error\""));
    assert_null(strstr(test_response->body, "\"isError\":true"));
    assert_non_null(strstr(test_response->body, "calendar#events"));
    assert_int_equal(call_as(EVENTS), 200);
    /* other rules know it by its own name */
    use_faults("{'faults':1,'rules':[{'name':'a','fault':'renamed','tools':["
               "'calendar_events_list'],'to':'list_events'},{'name':'b','fault':'server-error',"
               "'tools':['calendar_events_list']}]}");
    use_tool("list_events");
    assert_non_null(strstr(test_response->body, "\"isError\":true"));
    use_fault("'fault':'renamed','tools':['read_text_file'],'to':'cat'");
    assert_non_null(strstr(listed_at("/mcp/filesystem"), "\"name\":\"cat\""));
    assert_null(strstr(test_response->body, "\"name\":\"read_text_file\""));
}

/* ---- the journal ---- */

static void entries_have_their_faults_and_run_again(void **state)
{
    struct sosia_replay_options opt = {.size = sizeof opt};
    struct sosia_blob json;
    int64_t next;
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    use_faults("{'faults':1,'seed':3,'use':['flaky','lost-answers','slow'],'rules':[{'name':'old',"
               "'fault':'stale-read','calls':{'from':5,'every':6}},{'name':'cut','fault':"
               "'malformed','calls':9},{'name':'new','fault':'arrival','calls':7,'document':"
               "{'sosia':1,'people':[{'email':'new@acme.example','name':'N'}]}}]}");
    use_budgets("{'maxToolCalls':38}");
    for (int i = 0; i < 20; i++) {
        send_letter(arena_printf(&test_arena, "letter %d", i));
        call_as(EVENTS);
    }
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &json, &test_err),
                     0);
    const struct json *report = parsed(json.data, json.len);
    if (!true_at(report, "equal") || number_at(report, "ran") < 40)
        fail_msg("%s", json.data);
    sosia_blob_free(&json);
    struct sosia_journal_query q = {.size = sizeof q, .limit = 1000};
    assert_int_equal(sosia_journal_find(test_engine, test_world, &q, &json, &next, &test_err), 0);
    assert_non_null(strstr(json.data, "\"fault\""));
    assert_non_null(strstr(json.data, "tool_call_budget_exceeded"));
    sosia_blob_free(&json);
}

static void a_journal_of_writes_has_the_reads_too(void **state)
{
    struct sosia_blob json;
    int64_t next;
    use_fault("'fault':'rate-limit','calls':2");
    call_as(EVENTS);
    call_as(EVENTS);
    call_as(EVENTS);
    struct sosia_journal_query q = {
        .size = sizeof q, .limit = 100, .method = "calendar.events.list"};
    assert_int_equal(sosia_journal_find(test_engine, test_world, &q, &json, &next, &test_err), 0);
    size_t n = 0;
    for (const char *at = json.data; (at = strstr(at, "\"calendar.events.list\"")); at++)
        n++;
    assert_int_equal(n, 3);
    sosia_blob_free(&json);
}

static void faults_are_none_of_the_state(void **state)
{
    const char *before = printed_at(test_dump(), "");
    use_faults("flaky");
    use_budgets("{'maxToolCalls':10}");
    call_as(EVENTS);
    assert_string_equal(printed_at(test_dump(), ""), before);
}

/* ---- bad documents ---- */

static const struct {
    const char *doc, *says;
} bad[] = {
    {"", "faults"},
    {"[]", "faults.json:1"},
    {"nothing-such", "must be sets of faults"},
    {"{'rules':[]}", "begins with \"faults: 1\""},
    {"{'faults':2}", "faults: must be"},
    {"{'faults':1,'rulez':[]}", "rulez"},
    {"{'faults':1,'use':['x']}", "must be sets of faults"},
    {"{'faults':1,'use':['flaky','flaky']}", "there are two rules"},
    {"{'faults':1,'seed':-1}", "seed: must be a whole number"},
    {"{'faults':1,'rules':[{'name':'a'}]}", "rules[0].fault: must be given"},
    {"{'faults':1,'rules':[{'fault':'reset'}]}", "rules[0].name"},
    {"{'faults':1,'rules':[{'name':'','fault':'reset'}]}", "name: must not be empty"},
    {"{'faults':1,'rules':[{'name':'a','fault':'resets'}]}", "is none of rate-limit, quota"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset'},{'name':'a','fault':'reset'}]}",
     "there are two rules \"a\""},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','methods':['calendar.events.lizt']}]}",
     "there is no method \"calendar.events.lizt\""},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','vendors':['acme']}]}",
     "there is no vendor \"acme\""},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','services':['x']}]}",
     "there is no service \"x\""},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','risks':['deadly']}]}", "risks: must be"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','chance':1.5}]}", "chance: must be"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','calls':0}]}", "calls: must be"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','calls':{'from':4,'to':2}}]}", "to: must"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','status':503}]}",
     "status: means nothing to the fault reset"},
    {"{'faults':1,'rules':[{'name':'a','fault':'server-error','status':501}]}",
     "status: must be 500, 502, 503 or 504"},
    {"{'faults':1,'rules':[{'name':'a','fault':'slow'}]}", "delay_ms: must be given"},
    {"{'faults':1,'rules':[{'name':'a','fault':'arrival'}]}", "document: must be given"},
    {"{'faults':1,'rules':[{'name':'a','fault':'arrival','document':'x'}]}",
     "document: must be a seed document"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','when':'delete from people'}]}", "when:"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','once':{'method':'no.such'}}]}",
     "there is no method \"no.such\""},
    {"{'faults':1,'rules':[{'name':'a','fault':'renamed','tools':['b']}]}", "to: must be given"},
    {"{'faults':1,'rules':[{'name':'a','fault':'renamed','tools':['b*'],'to':'c'}]}",
     "must be the name of one tool"},
    {"{'faults':1,'rules':[{'name':'a','fault':'renamed','tools':['b'],'to':'b'}]}",
     "to: must be another name"},
    {"{'faults':1,'rules':[{'name':'a','fault':'renamed','tools':['b'],'to':'c','chance':0.5}]}",
     "chance: means nothing to the fault renamed"},
    {"{'faults':1,'rules':[{'name':'a','fault':'renamed','tools':['b'],'to':'c'},"
     "{'name':'d','fault':'renamed','tools':['e'],'to':'c'}]}",
     "of no other one"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','to':'c'}]}",
     "to: means nothing to the fault reset"},
    {"{'faults':1,'rules':[{'name':'a','fault':'reset','after':'2026-01-02','before':"
     "'2026-01-01'}]}",
     "before: must be later"},
};

static void bad_documents_are_refused_by_name_and_line(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *text = quoted(bad[i].doc);
        test_err = (struct sosia_err){0};
        if (sosia_world_faults(test_engine, test_world, text, strlen(text), "faults.json",
                               &test_err) == 0 ||
            test_err.code != SOSIA_E_INVALID || !strstr(test_err.text, bad[i].says))
            fail_msg("%s: %d %s", bad[i].doc, test_err.code, test_err.text);
    }
    static const char yaml[] = "faults: 1\nrules:\n  - name: a\n    fault: reset\n    chance: 2\n";
    assert_int_equal(
        sosia_world_faults(test_engine, test_world, yaml, strlen(yaml), "f.yaml", &test_err), -1);
    assert_int_equal(test_err.line, 5);
    assert_int_equal(call_as(EVENTS), 200); /* nothing was set */
}

static void the_schema_has_what_is_read(void **state)
{
    assert_schema("faults.schema.json", "properties", fault_document_members);
    assert_schema("faults.schema.json", "properties.rules.items.properties", fault_rule_members);
}

static void a_document_that_arrives_may_be_bad(void **state)
{
    use_fault("'fault':'arrival','document':{'sosia':9}");
    assert_int_not_equal(call_as(EVENTS), 200);
    assert_int_equal(call_as(EVENTS), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        guard_test(each_vendor_has_trouble_in_its_own_words),
        guard_test(a_fault_that_a_call_can_not_have_is_none),
        guard_test(a_lost_answer_is_lost_when_all_is_done),
        guard_test(bodies_are_cut),
        guard_test(what_is_slow_takes_its_time),
        guard_test(a_stale_read_shows_an_earlier_state),
        guard_test(states_outlast_a_stale_read),
        guard_test(something_arrives_in_the_midst),
        guard_test(a_notification_comes_twice),
        guard_test(rules_say_which_calls),
        guard_test(the_same_seed_has_the_same_faults),
        guard_test(forks_go_on_with_what_was_counted),
        guard_test(named_sets_are_documents),
        guard_test(a_part_of_a_batch_fails),
        guard_test(a_tool_of_a_model_has_them_too),
        guard_test(a_missing_method_is_in_no_list),
        guard_test(a_renamed_tool_is_found_by_its_new_name_alone),
        guard_test(entries_have_their_faults_and_run_again),
        guard_test(a_journal_of_writes_has_the_reads_too),
        guard_test(faults_are_none_of_the_state),
        guard_test(bad_documents_are_refused_by_name_and_line),
        guard_test(the_schema_has_what_is_read),
        guard_test(a_document_that_arrives_may_be_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
