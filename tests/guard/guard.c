/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of calls in a world with policies: every effect with every vendor, rules on the call
 * and on its consequences, and what is left of a call that was refused. */
#include "tests/guard/ruled.h"

/* ---- every effect with every vendor ---- */

static const struct at {
    const char *name, *who, *host, *method, *target, *body, *read, *title;
    int status;          /* of a refusal */
    const char *refusal; /* in its body */
} vendors[] = {
    {"google", ADA, GOOGLE, "calendar.events.insert", EVENTS,
     "{'summary':'Hello','start':{'dateTime':'2026-11-25T10:00:00Z'},"
     "'end':{'dateTime':'2026-11-25T11:00:00Z'}}",
     EVENTS, "body.summary", 403, "'reason': 'forbidden'"},
    {"google", ADA, "gmail.googleapis.com", "gmail.users.labels.create",
     "/gmail/v1/users/me/labels", "{'name':'Hello'}", "/gmail/v1/users/me/labels", "body.name", 403,
     "'reason': 'forbidden'"},
    {"google", ADA, GOOGLE, "drive.files.create", "/drive/v3/files", "{'name':'Hello'}",
     "/drive/v3/files", "body.name", 403, "'reason': 'forbidden'"},
    {"slack", ADA, "slack.com", "chat.postMessage", "/api/chat.postMessage",
     "{'channel':'C0DEV','text':'Hello'}", "/api/conversations.history?channel=C0DEV", "text", 200,
     "'error':'access_denied'"},
    {"microsoft", KIM, "graph.microsoft.com", "calendar.events.create", "/v1.0/me/events",
     "{'subject':'Hello','start':{'dateTime':'2026-11-25T10:00:00','timeZone':'UTC'},"
     "'end':{'dateTime':'2026-11-25T11:00:00','timeZone':'UTC'}}",
     "/v1.0/me/events", "body.subject", 403, "ErrorAccessDenied"},
};

static const struct json *call(const struct at *at)
{
    return ask(at->who, at->host, "POST", at->target, quoted(at->body));
}

static bool is_refused(const struct at *at)
{
    return test_status == at->status && strstr(test_body, quoted(at->refusal));
}

/* The method's own id, as the row of the last call has it. */
static const char *method_of(void)
{
    return json_get_str(entry(), "method");
}

static void use_effect(const struct at *at, const char *effect, const char *more)
{
    test_use(DOC);
    call(at); /* which also says what the row is called */
    const char *method = method_of();
    test_use(DOC);
    set(arena_printf(&test_arena,
                     "policy: 1\nname: p\nversion: v7\notherwise: allow\nrules:\n"
                     "  - {id: r, effect: %s, call: {method: %s}%s}\n",
                     effect, method, more));
}

static void denied_calls_change_nothing(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(vendors); i++) {
        const char *effects[] = {"deny", "approve"};
        for (size_t k = 0; k < SOSIA_LEN(effects); k++) {
            use_effect(&vendors[i], effects[k], "");
            const char *before = hash();
            call(&vendors[i]);
            if (!is_refused(&vendors[i]))
                fail_msg("%s: %d %s", vendors[i].method, test_status, test_body);
            assert_string_equal(hash(), before);
            decided(effects[k], "r");
            assert_string_equal(json_get_str(json_get(entry(), "guard"), "version"), "v7");
            assert_null(strstr(test_body, "\"r\"")); /* the agent does not learn why */
        }
    }
}

static void dry_runs_answer_and_change_nothing(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(vendors); i++) {
        use_effect(&vendors[i], "dryRun", "");
        const char *before = hash();
        call(&vendors[i]);
        assert_false(is_refused(&vendors[i]));
        assert_true(test_status < 300);
        assert_non_null(strstr(test_body, "Hello"));
        assert_string_equal(hash(), before);
        decided("dryRun", "r");
    }
}

static void rewritten_arguments_are_those_of_the_call(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(vendors); i++) {
        use_effect(&vendors[i], "rewrite",
                   arena_printf(&test_arena, ", arguments: {%s: Other}", vendors[i].title));
        call(&vendors[i]);
        assert_true(test_status < 300);
        ask(vendors[i].who, vendors[i].host, "GET", vendors[i].read, NULL);
        assert_non_null(strstr(test_body, "Other"));
        assert_null(strstr(test_body, "Hello"));
    }
}

static void redacted_answers_lack_what_is_covered(void **state)
{
    static const char *const names[] = {"summary", "name", "name", "message.text", "subject"};
    for (size_t i = 0; i < SOSIA_LEN(vendors); i++) {
        use_effect(&vendors[i], "redact", arena_printf(&test_arena, ", fields: [%s]", names[i]));
        call(&vendors[i]);
        assert_true(test_status < 300);
        assert_non_null(strstr(test_body, "[redacted]"));
        if (!strstr(names[i], "."))
            assert_null(strstr(test_body, "Hello"));
        ask(vendors[i].who, vendors[i].host, "GET", vendors[i].read, NULL);
        assert_non_null(strstr(test_body, "Hello")); /* it is there */
    }
}

static void limits_count_and_begin_anew(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(vendors); i++) {
        uint64_t fork, own = test_world;
        use_effect(&vendors[i], "limit", ", calls: 1, per_seconds: 60");
        own = test_world;
        call(&vendors[i]);
        assert_true(test_status < 300);
        assert_int_equal(sosia_world_fork(test_engine, own, NULL, &fork, &test_err), 0);
        test_world = fork;
        call(&vendors[i]);
        assert_true(is_refused(&vendors[i]));
        decided("deny", "r");
        test_world = own;
        call(&vendors[i]);
        assert_true(is_refused(&vendors[i]));
        test_advance(60);
        call(&vendors[i]);
        assert_false(is_refused(&vendors[i]));
    }
}

static void what_a_rule_allows_needs_no_tier(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(vendors); i++) {
        use_effect(&vendors[i], "allow", "");
        call(&vendors[i]);
        assert_true(test_status < 300 && !is_refused(&vendors[i]));
        decided("allow", "r");
    }
}

/* ---- the call ---- */

static int try(const char *rule, const char *body)
{
    test_use(DOC);
    set(arena_printf(&test_arena, "policy: 1\nname: p\notherwise: allow\nrules: [%s]\n", rule));
    ada("POST", EVENTS, body);
    return test_status;
}

static void rules_match_the_call(void **state)
{
    static const struct {
        const char *call;
        bool matches;
    } rows[] = {
        {"method: calendar.events.insert", true},
        {"method: [calendar.events.list, 'calendar.events.ins*']", true},
        {"method: calendar.events.update", false},
        {"method: '*.update'", false},
        {"vendor: google", true},
        {"vendor: microsoft", false},
        {"service: calendar", true},
        {"service: [gmail, drive]", false},
        {"risk: [write, external]", true},
        {"risk: read", false},
        {"actor: ada@acme.example", true},
        {"actor: '*@acme.example'", true},
        {"actor: bob@acme.example", false},
        {"role: person", true},
        {"role: bot", false},
        {"app: '*'", true},
        {"app: some", false},
        {"scope: https://www.googleapis.com/auth/calendar", true},
        {"arguments: {body.summary: Hello}", true},
        {"arguments: {body.summary: {regex: '^H.*o$'}}", true},
        {"arguments: {body.summary: {in: [A, Hello]}}", true},
        {"arguments: {body.summary: Other}", false},
        {"arguments: {calendarId: primary, body.start.dateTime: {exists: true}}", true},
        {"arguments: {body.attendees: {exists: true}}", false},
        {"time: {hours: '08:00-09:00'}", true},
        {"time: {hours: '09:00-08:00'}", false},
        {"time: {hours: '22:00-08:01'}", true},
        {"time: {days: [monday]}", true},
        {"time: {days: [sunday, tuesday]}", false},
        {"time: {hours: '09:00-09:30', zone: Europe/Rome}", true},
        {"time: {after: '2026-11-23T08:00:00Z', before: '2026-11-23T08:00:01Z'}", true},
        {"time: {before: '2026-11-23T08:00:00Z'}", false},
        {"tool: calendar_events_insert", false},
        {"method: calendar.events.insert, role: bot", false},
    };
    for (size_t i = 0; i < SOSIA_LEN(rows); i++) {
        int status = try(arena_printf(&test_arena, "{effect: deny, call: {%s}}", rows[i].call),
                         EVENT("Hello"));
        if ((status == 403) != rows[i].matches)
            fail_msg("%s: %d %s", rows[i].call, status, test_body);
    }
}

/* An expression that would take for ever does not let a call by. */
static void costly_expressions_hold_back(void **state)
{
    assert_int_equal(
        try("{effect: deny, call: {arguments: {body.summary: {regex: '^(a+)+$'}}}}",
            EVENT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")),
        403);
    assert_int_equal(
        try("{effect: deny, call: {arguments: {body.summary: {regex: '^(a+)+$'}}}}", EVENT("b")),
        200);
}

static void the_first_rule_that_decides_counts(void **state)
{
    const char *allow = "{effect: allow, call: {method: calendar.events.insert}}",
               *deny = "{effect: deny, call: {service: calendar}}";
    assert_int_equal(try(arena_printf(&test_arena, "%s, %s", allow, deny), EVENT("x")), 200);
    assert_int_equal(try(arena_printf(&test_arena, "%s, %s", deny, allow), EVENT("x")), 403);
    /* Behind one that speaks of consequences, which come later. */
    const char *late = "{effect: deny, outcome: {diff_type: removed, entity: event}}";
    assert_int_equal(try(arena_printf(&test_arena, "%s, %s, %s", late, allow, deny), EVENT("x")),
                     200);
    assert_int_equal(try(arena_printf(&test_arena, "%s, %s", late, deny), EVENT("x")), 403);
}

static void tiers_hold_without_rules(void **state)
{
    set("policy: 1\nname: p\n");
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 200);
    ada("POST", EVENTS, EVENT("mine"));
    assert_int_equal(test_status, 200);
    decided("allow", NULL);
    /* With a guest from outside it is external. */
    const char *before = hash();
    ada("POST", EVENTS "?sendUpdates=all",
        "{'summary':'x','start':{'dateTime':'2026-11-25T10:00:00Z'},'end':{'dateTime':"
        "'2026-11-25T11:00:00Z'},'attendees':[{'email':'eve@out.example'}]}");
    assert_int_equal(test_status, 403);
    decided("approve", NULL);
    assert_string_equal(json_get_str(json_get(entry(), "guard"), "why"), "its risk is external");
    ada("DELETE", EVENTS "/old00", NULL);
    assert_int_equal(test_status, 403);
    assert_string_equal(hash(), before);
    assert_string_equal(json_get_str(json_get(entry(), "guard"), "why"), "its risk is destructive");
}

static void policies_are_for_whom_they_name(void **state)
{
    set("policy: 1\nname: p\notherwise: deny\napplies: {actor: bob@acme.example}\n");
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 200);
    ask("bob@acme.example", GOOGLE, "GET", EVENTS, NULL);
    assert_int_equal(test_status, 403);
    /* Of several the strongest decision counts. */
    set("policy: 1\nname: a\notherwise: allow\n");
    ask("bob@acme.example", GOOGLE, "GET", EVENTS, NULL);
    assert_int_equal(test_status, 403);
    assert_int_equal(sosia_policy_remove(test_engine, test_world, "p", &test_err), 0);
    ask("bob@acme.example", GOOGLE, "GET", EVENTS, NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(sosia_policy_remove(test_engine, test_world, "p", &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
}

/* ---- consequences ---- */

static void deny_if(const char *what)
{
    test_use(DOC);
    set(arena_printf(&test_arena,
                     "policy: 1\nname: p\notherwise: allow\nrules: [{id: r, effect: deny, %s}]\n",
                     what));
}

static int of(const char *verb, const char *target, const char *body)
{
    const char *before = hash();
    ada(verb, target, body);
    if (test_status == 403) {
        assert_string_equal(hash(), before);
        decided("deny", "r");
    }
    return test_status;
}

static void rules_see_what_a_call_would_do(void **state)
{
    deny_if("outcome: {diff_type: removed, entity: message, expected_count: {min: 3}}");
    assert_int_equal(of("POST", MAIL "/batchDelete",
                        "{'ids':['1a20000000000001','1a20000000000002','1a20000000000003']}"),
                     403);
    assert_int_equal(
        of("POST", MAIL "/batchDelete", "{'ids':['1a20000000000001','1a20000000000002']}"), 204);
    deny_if("outcome: {diff_type: changed, entity: file, where: {permissions.*.type: anyone}, "
            "strict: false}");
    assert_int_equal(of("POST", "/drive/v3/files/plan/permissions",
                        "{'type':'user','role':'reader','emailAddress':'bob@acme.example'}"),
                     200);
    assert_int_equal(
        of("POST", "/drive/v3/files/plan/permissions", "{'type':'anyone','role':'reader'}"), 403);
    /* Only one member may change. */
    deny_if("outcome: {not: {diff_type: changed, entity: event, expected_changes: {summary: {}}, "
            "strict: true}}");
    assert_int_equal(of("PATCH", EVENTS "/old00", "{'summary':'New','location':'Rome'}"), 403);
    assert_int_equal(of("PATCH", EVENTS "/old00", "{'summary':'New'}"), 200);
    /* An event that is somebody else's. */
    deny_if("outcome: {diff_type: removed, entity: event, where: {organizer.email: {ne: "
            "'${actor}'}}}");
    assert_int_equal(of("DELETE", "/calendar/v3/calendars/bob@acme.example/events/bobs0", NULL),
                     403);
    assert_int_equal(of("DELETE", EVENTS "/old00", NULL), 204);
    /* The state afterwards, by a question. */
    deny_if("outcome: {sql: 'select count(*) from events', is: {gt: 3}}");
    assert_int_equal(of("POST", EVENTS, EVENT("one")), 200);
    assert_int_equal(of("POST", EVENTS, EVENT("two")), 403);
}

static void rules_see_whom_a_call_reaches(void **state)
{
    static const char to_bob[] = "{'raw':'VG86IGJvYkBhY21lLmV4YW1wbGUNClN1YmplY3Q6IEhpDQoNCkhp'}";
    static const char to_eve[] = "{'raw':'VG86IGV2ZUBvdXQuZXhhbXBsZQ0KU3ViamVjdDogSGkNCg0KSGk'}";
    deny_if("reaches: {outside: {length: {gt: 0}}}");
    assert_int_equal(of("POST", MAIL "/send", to_bob), 200);
    assert_int_equal(of("POST", MAIL "/send", to_eve), 403);
    assert_int_equal(
        of("POST", "/drive/v3/files/plan/permissions", "{'type':'anyone','role':'reader'}"), 403);
    deny_if("reaches: {access: {contains: bob@acme.example}}");
    assert_int_equal(of("POST", "/drive/v3/files/plan/permissions?sendNotificationEmail=false",
                        "{'type':'user','role':'reader','emailAddress':'kim@port.example'}"),
                     200);
    assert_int_equal(of("POST", "/drive/v3/files/plan/permissions?sendNotificationEmail=false",
                        "{'type':'user','role':'reader','emailAddress':'bob@acme.example'}"),
                     403);
    /* Nobody wrote to them before. */
    deny_if("reaches: {strangers: {length: {gt: 0}}}");
    assert_int_equal(of("POST", MAIL "/send", to_eve), 403);
    assert_int_equal(sosia_policy_remove(test_engine, test_world, "p", &test_err), 0);
    ada("POST", MAIL "/send", to_eve);
    set("policy: 1\nname: p\notherwise: allow\nrules: [{id: r, effect: deny, reaches: {strangers: "
        "{length: {gt: 0}}}}]\n");
    assert_int_equal(of("POST", MAIL "/send", to_eve), 200);
    /* With whom a file is shared, they are none. */
    static const char to_kim[] = "{'raw':'VG86IGtpbUBwb3J0LmV4YW1wbGUKU3ViamVjdDogSGkKCkhp'}";
    assert_int_equal(of("POST", MAIL "/send", to_kim), 403);
    assert_int_equal(sosia_policy_remove(test_engine, test_world, "p", &test_err), 0);
    ada("POST", "/drive/v3/files/plan/permissions?sendNotificationEmail=false",
        "{'type':'user','role':'reader','emailAddress':'kim@port.example'}");
    set("policy: 1\nname: p\notherwise: allow\nrules: [{id: r, effect: deny, reaches: {strangers: "
        "{length: {gt: 0}}}}]\n");
    assert_int_equal(of("POST", MAIL "/send", to_kim), 200);
}

static const char channels[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: alice@acme.example, name: Alice}\n"
    "  - {email: eve@acme.example, name: Eve}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    members:\n"
    "      - {actor: alice@acme.example, id: U0ALICE, name: alice, role: owner}\n"
    "      - {actor: eve@acme.example, id: U0EVE, name: eve}\n"
    "      - {actor: bob@port.example, id: U0BOB, name: bob}\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, creator: U0ALICE, members: [U0ALICE, "
    "U0EVE]}\n"
    "  - {id: C0SHARED, name: shared, creator: U0ALICE, members: [U0ALICE, U0BOB]}\n";

static bool posted(const char *channel)
{
    struct sosia_header headers[] = {{"Host", "slack.com"},
                                     {"Authorization", test_bearer("alice@acme.example", NULL)},
                                     {"Content-Type", "application/x-www-form-urlencoded"}};
    const char *body = arena_printf(&test_arena, "channel=%s&text=hello", channel);
    test_request("POST", "/api/chat.postMessage", headers, 3, body, strlen(body));
    return strstr(test_body, "\"ok\":true") != NULL;
}

static void rules_see_who_is_in_a_channel(void **state)
{
    test_use(channels);
    set("policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, reaches: {people: {contains: "
        "eve@acme.example}}}]\n");
    assert_false(posted("C0GENERAL"));
    assert_true(posted("C0SHARED"));
    set("policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, reaches: {outside: {length: "
        "{gt: 0}}}}]\n");
    assert_true(posted("C0GENERAL"));
    assert_false(posted("C0SHARED"));
    set("policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, reaches: {strangers: "
        "{length: "
        "{gt: 0}}}}]\n"); /* they share a channel */
    assert_true(posted("C0SHARED"));
    set("policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, reaches: {audience: "
        "{contains: "
        "bob@port.example}}}]\n");
    assert_false(posted("C0SHARED"));
}

/* ---- the short form ---- */

static void a_short_policy_names_what_may_be_called(void **state)
{
    set("{\"workflow\":\"w\",\"tenant_id\":\"t\",\"max_tool_calls\":20,\"aliases\":{\"cal.add\":"
        "\"calendar.events.insert\"},\"tools\":{"
        "\"calendar.events.list\":{\"risk\":\"read\",\"allowed\":true,\"approval_required\":false},"
        "\"cal.add\":{\"risk\":\"write\",\"allowed\":true,\"approval_required\":true},"
        "\"calendar.events.delete\":{\"risk\":\"destructive\",\"allowed\":false}}}");
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 200);
    ada("POST", EVENTS, EVENT("x"));
    assert_int_equal(test_status, 403);
    decided("approve", "cal.add");
    ada("DELETE", EVENTS "/old00", NULL);
    assert_int_equal(test_status, 403);
    decided("deny", "calendar.events.delete");
    ada("GET", EVENTS "/old00", NULL);
    assert_int_equal(test_status, 403);
    decided("deny", NULL);
}

/* ---- worlds ---- */

static void forks_resets_and_seeds_have_policies(void **state)
{
    uint64_t w = test_world, fork;
    char clean[65], with[65];
    snprintf(clean, sizeof clean, "%s", hash());
    set("policy: 1\nname: p\notherwise: deny\n");
    snprintf(with, sizeof with, "%s", hash());
    assert_string_equal(clean, with);
    assert_int_equal(sosia_world_fork(test_engine, w, NULL, &fork, &test_err), 0);
    test_world = fork;
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 403);
    assert_int_equal(sosia_policy_remove(test_engine, fork, "p", &test_err), 0);
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(sosia_world_reset(test_engine, fork, &test_err), 0);
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 403);
    test_world = w;
    assert_int_equal(sosia_world_reset(test_engine, w, &test_err), 0);
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 200);
    test_use(
        arena_printf(&test_arena, "%spolicies: [{policy: 1, name: p, otherwise: deny}]\n", DOC));
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 403);
    assert_string_equal(hash(), clean);
    assert_null(json_get(test_dump(), "policies"));
}

static void a_policy_that_cant_be_read_stops_everybody(void **state)
{
    uint64_t changed;
    set("policy: 1\nname: p\notherwise: allow\n");
    assert_int_equal(
        test_import_changed("update guard_policy set document = 'policy: 2'", &changed), 0);
    test_world = changed;
    ada("GET", EVENTS, NULL);
    assert_int_equal(test_status, 403);
    assert_non_null(strstr(json_get_str(json_get(entry(), "guard"), "why"), "can't be read"));
    ada("POST", EVENTS, EVENT("x"));
    assert_int_equal(test_status, 403);
    set("policy: 1\nname: p\notherwise: allow\n");
    ada("POST", EVENTS, EVENT("x"));
    assert_int_equal(test_status, 200);
}

static void a_replay_decides_as_the_run_did(void **state)
{
    struct sosia_blob report;
    bool same = false;
    struct sosia_replay_options opt = {0};
    ada("POST", EVENTS, EVENT("before"));
    set("policy: 1\nname: p\notherwise: deny\nrules: [{id: r, effect: allow, call: {arguments: "
        "{body.summary: good}}}]\n");
    ada("POST", EVENTS, EVENT("good"));
    assert_int_equal(test_status, 200);
    ada("POST", EVENTS, EVENT("bad"));
    assert_int_equal(test_status, 403);
    assert_int_equal(sosia_policy_remove(test_engine, test_world, "p", &test_err), 0);
    ada("POST", EVENTS, EVENT("bad"));
    assert_int_equal(test_status, 200);
    set("policy: 1\nname: p\nrules: [{id: r, effect: dryRun}]\n");
    ada("POST", EVENTS, EVENT("tried"));
    assert_int_equal(test_status, 200);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, &opt, NULL, &report, &test_err),
                     0);
    same = strstr(report.data, "\"differences\": []") || strstr(report.data, "\"equal\": true");
    if (!same)
        fail_msg("%s", report.data);
    sosia_blob_free(&report);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(denied_calls_change_nothing),
        TEST(dry_runs_answer_and_change_nothing),
        TEST(rewritten_arguments_are_those_of_the_call),
        TEST(redacted_answers_lack_what_is_covered),
        TEST(limits_count_and_begin_anew),
        TEST(what_a_rule_allows_needs_no_tier),
        TEST(rules_match_the_call),
        TEST(costly_expressions_hold_back),
        TEST(the_first_rule_that_decides_counts),
        TEST(tiers_hold_without_rules),
        TEST(policies_are_for_whom_they_name),
        TEST(rules_see_what_a_call_would_do),
        TEST(rules_see_whom_a_call_reaches),
        TEST(rules_see_who_is_in_a_channel),
        TEST(a_short_policy_names_what_may_be_called),
        TEST(forks_resets_and_seeds_have_policies),
        TEST(a_policy_that_cant_be_read_stops_everybody),
        TEST(a_replay_decides_as_the_run_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
