/* SPDX-License-Identifier: Apache-2.0 */
/* Policies are read strictly: what is wrong is said by name and line. */
#include "sosia.h"
#include "guard/policy.h"
#include "tests/guard/schema.h"

static struct sosia_err err;

static int open_arena(void **state)
{
    arena_init(&test_arena, 0);
    return 0;
}

static int close_arena(void **state)
{
    arena_done(&test_arena);
    return 0;
}

static int check(const char *text, size_t len)
{
    struct sosia_blob blob;
    err = (struct sosia_err){0};
    if (sosia_policy_check(text, len, "p.yaml", &blob, &err) < 0)
        return -1;
    sosia_blob_free(&blob);
    return 0;
}

static void good(const char *text)
{
    if (check(text, strlen(text)) < 0)
        fail_msg("%s", err.text);
}

/* Refused with this text, which names the line. */
static void bad(const char *text, int line, const char *why)
{
    char begin[40];
    assert_int_equal(check(text, strlen(text)), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    snprintf(begin, sizeof begin, "p.yaml:%d: ", line);
    if (strncmp(err.text, begin, strlen(begin)) != 0 || !strstr(err.text, why))
        fail_msg("expected %s...%s, found %s", begin, why, err.text);
}

#define HEAD      "policy: 1\nname: p\nrules:\n"
#define RULE(...) HEAD "  - {" __VA_ARGS__ "}\n"

static void policies_of_each_form_are_read(void **state)
{
    good("policy: 1\n");
    good("{\"policy\": 1, \"rules\": []}");
    good("{\"tools\": {}}");
    good("{\"workflow\": \"refunds\", \"tenant_id\": \"t1\", \"max_runtime_seconds\": 60, "
         "\"max_tool_calls\": 20, \"tools\": {\"gmail.users.messages.send\": {\"risk\": "
         "\"external_write\", \"allowed\": true, \"approval_required\": true}, "
         "\"calendar_events_list\": {\"risk\": \"read\", \"allowed\": true, "
         "\"approval_required\": false}}}");
    good("tools: {email.send: {risk: external_write}}\naliases: {email.send: "
         "gmail.users.messages.send}\nmaxToolCalls: 3\n");
    good(RULE("effect: deny, call: {method: 'gmail.*', risk: [external, destructive]}"));
    good(RULE("effect: approve, outcome: {diff_type: removed, entity: message, expected_count: "
              "{min: 20}}"));
    good(RULE("effect: approve, outcome: [{state: event}, {any: [{sql: 'select 1', is: 1}]}]"));
    good(RULE("effect: deny, reaches: {outside: {length: {gt: 0}}}"));
    good(RULE("effect: redact, fields: ['messages.*.snippet'], call: {service: gmail}"));
    good(RULE("effect: limit, calls: 0"));
    good(RULE("effect: deny, call: {arguments: {to: {not: {ends_with: '@${domain}'}}}}"));
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *why;
    } rows[] = {
        {"[]", 1, "must be an object"},
        {"{}", 1, "policy: must be 1, the version of the language"},
        {"policy: 2\n", 1, "policy:"},
        {"policy: 1\nrule: []\n", 2, "rule"},
        {"policy: 1\nname: ''\n", 1, "must have 1 to 80 bytes"},
        {"policy: 1\notherwise: maybe\n", 2, "otherwise"},
        {"policy: 1\ntiers: {read: approve}\n", 2, "tiers.read: must be allow or deny"},
        {"policy: 1\ntiers: {write: rewrite}\n", 2, "tiers.write: must be allow, approve, dryRun"},
        {"policy: 1\ntiers: {all: deny}\n", 2, "tiers"},
        {"policy: 1\napplies: {token: guest}\n", 2, "must be user, bot or app, \"guest\" is not"},
        {"policy: 1\napplies: {}\n", 2, "must have a member"},
        {"policy: 1\naliases: {a: b, b: gmail.users.messages.send}\n", 2,
         "not for the alias \"b\""},
        {"policy: 1\naliases:\n  a: gmail.users.messages.sent\n", 3,
         "\"gmail.users.messages.sent\" is not"},
        {RULE("call: {}"), 4, "effect: must be given"},
        {RULE("effect: forbid"), 4, "effect"},
        {RULE("effect: deny, call: {methods: x}"), 4, "methods"},
        {RULE("effect: deny, call: {method: gmail.users.messages.sent}"), 4,
         "nearest: gmail.users.messages.send"},
        {RULE("effect: deny, call: {method: 'gmial.*'}"), 4, "the id of some method"},
        {RULE("effect: deny, call: {tool: no_such_tool}"), 4, "the name of a tool"},
        {RULE("effect: deny, call: {vendor: acme}"), 4, "a vendor"},
        {RULE("effect: deny, call: {service: post}"), 4, "a service"},
        {RULE("effect: deny, call: {risk: high}"), 4, "read, draft, write, external"},
        {RULE("effect: deny, call: {role: boss}"), 4, "person, bot, app"},
        {RULE("effect: deny, call: {scope: nothing}"), 4, "a scope"},
        {RULE("effect: deny, call: {method: []}"), 4, "a list of 1 to 1000 names"},
        {RULE("effect: deny, call: {arguments: {to: {is: 1}}}"), 4, "an operator"},
        {RULE("effect: deny, call: {arguments: {to: {regex: '('}}}"), 4, "regex"},
        {RULE("effect: deny, call: {arguments: {to: '${who}'}}"), 4, "actor or domain"},
        {RULE("effect: deny, call: {time: {hours: '9-17'}}"), 4, "two times of the day"},
        {RULE("effect: deny, call: {time: {hours: '09:00-09:00'}}"), 4, "two times of the day"},
        {RULE("effect: deny, call: {time: {days: [mon]}}"), 4, "days of the week"},
        {RULE("effect: deny, call: {time: {zone: Mars/Base}}"), 4, "time zone"},
        {RULE("effect: deny, call: {time: {after: '2026-01-02', before: '2026-01-01'}}"), 4,
         "later than after"},
        {RULE("effect: deny, outcome: {diff_type: removed, entity: letter}"), 4,
         "must be an entity"},
        {RULE("effect: deny, outcome: {diff_type: removed, entity: message, where: {sender: x}}"),
         4, "must be a member of the entity"},
        {RULE("effect: deny, outcome: {calls: {method: gmail.users.messages.send}}"), 4,
         "must speak of changes"},
        {RULE("effect: deny, outcome: {answer: yes}"), 4, "must speak of changes"},
        {RULE("effect: deny, outcome: {diff_type: added, entity: event, bind: {a: id}}"), 4,
         "bind: must be absent"},
        {RULE("effect: deny, outcome: {sql: 'delete from events', is: 1}"), 4, "sql"},
        {RULE("effect: deny, outcome: {diff_type: added, entity: event, where: {id: '${x}'}}"), 4,
         "the variable \"x\""},
        {RULE("effect: deny, reaches: {friends: {length: 1}}"), 4, "people, outside"},
        {RULE("effect: deny, reaches: {}"), 4, "must have a member"},
        {RULE("effect: redact"), 4, "fields: must be a list"},
        {RULE("effect: deny, fields: [a]"), 4, "the effect redact"},
        {RULE("effect: rewrite"), 4, "arguments"},
        {RULE("effect: rewrite, arguments: {'a.*': 1}"), 4, "without \"*\""},
        {RULE("effect: limit"), 4, "calls: must be given"},
        {RULE("effect: limit, calls: 1, outcome: {state: event}"), 4, "speaks of consequences"},
        {HEAD "  - {id: a, effect: deny, call: {risk: read}}\n  - {id: a, effect: allow}\n", 5,
         "both are \"a\""},
        {HEAD "  - {id: all, effect: deny}\n  - {effect: allow, call: {risk: read}}\n", 5,
         "can be reached: \"all\" before it"},
        {HEAD "  - {id: gone, effect: deny, call: {risk: [destructive, write]}}\n"
              "  - {effect: allow, call: {method: calendar.events.delete, risk: destructive}}\n",
         5, "can be reached: \"gone\" before it"},
        {HEAD "  - {id: out, effect: approve, reaches: {outside: {length: {gt: 0}}}}\n"
              "  - {effect: dryRun, reaches: {outside: {length: {gt: 0}}}}\n",
         5, "can be reached: \"out\" before it"},
        {"tools: []\n", 1, "tools"},
        {"tools:\n  gmail.send: {allowed: true}\n", 2, "\"gmail.send\" is not"},
        {"tools:\n  gmail.users.messages.send: {allow: true}\n", 2, "allow"},
        {"tools:\n  gmail.users.messages.send: {risk: external}\n", 2, "risk"},
        {"aliases: {a: gmail.users.messages.send}\ntools:\n  a: {}\n  gmail.users.messages.send: "
         "{}\n",
         4, "are the same"},
        {"tools: {}\nmax_calls: 3\n", 2, "max_calls"},
    };
    for (size_t i = 0; i < SOSIA_LEN(rows); i++)
        bad(rows[i].text, rows[i].line, rows[i].why);
}

static void sizes_are_bounded(void **state)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, HEAD);
    for (int i = 0; i <= 1000; i++)
        buf_puts(&b, "  - {effect: deny, call: {risk: read}}\n");
    assert_int_equal(check(buf_str(&b), b.len), -1);
    assert_non_null(strstr(err.text, "at most 1000 rules"));
    buf_clear(&b);
    buf_puts(&b, "policy: 1\nname: '");
    while (b.len < (2 << 20))
        buf_puts(&b, "xxxxxxxxxxxxxxxx");
    buf_puts(&b, "'\n");
    assert_int_equal(check(buf_str(&b), b.len), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    buf_done(&b);
    const char deep[] =
        RULE("effect: deny, outcome: {not: {not: {not: {not: {not: {not: {not: {not: "
             "{not: {state: event}}}}}}}}}}");
    bad(deep, 4, "levels deep");
    assert_int_equal(check("policy: 1\nname: \"\\0\"", 19), -1);
    assert_int_equal(check("", 0), -1);
    assert_int_equal(check("\xff\xfe", 2), -1);
}

/* And no other members than the reader takes. */
static void the_schema_has_all_members(void **state)
{
    static const char file[] = "policy.schema.json", of[] = "$defs.";
    static const struct {
        const char *path;
        const char *const *members;
    } rows[] = {{"full.properties", policy_members},
                {"full.properties.approvals.properties", policy_approvals_members},
                {"script.properties", policy_script_members},
                {"rule.properties", policy_rule_members},
                {"call.properties", policy_call_members}};
    for (size_t i = 0; i < SOSIA_LEN(rows); i++)
        assert_schema(file, arena_printf(&test_arena, "%s%s", of, rows[i].path), rows[i].members);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_of_each_form_are_read),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(the_schema_has_all_members),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
