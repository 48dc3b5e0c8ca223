/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of a world call the services by their own hosts and reach their own world and nothing
 * else, with a server that serves other clients too. */
#include "tests/sandbox/inside.h"

/* ---- they reach their world ---- */

static void programs_call_the_services(void **state)
{
    NEEDS_SANDBOX();
    PYTHON("s, v = call('POST', '" CALENDAR "', '{\"summary\":\"Made inside\",\"start\":{\"date\":"
           "\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}')\nprint(s, v['summary'])\n",
           "200 Made inside\n");
    PYTHON("print([e['summary'] for e in call('GET', '" CALENDAR "')[1]['items']])",
           "['Made inside']\n");
    PYTHON("print(call('GET', '" CALENDAR "'.replace('https', 'http'))[0])", "200\n");
    PYTHON("print(call('POST', 'https://slack.com/api/auth.test', '{}')[1]['user'])", "ada\n");
    PYTHON("print(call('GET', 'https://acme.slack.com/api/api.test')[1]['ok'])", "True\n");
    PYTHON("print(call('GET', 'https://graph.microsoft.com/v1.0/me')[1]['mail'])", ADA "\n");
    PYTHON("print(os.environ['SOSIA_ACTOR'], os.environ['SOSIA_SLACK_USER'][:5])", ADA " xoxp-\n");
    if (has("curl"))
        prints("sh",
               "curl -s -o f -w '%{http_code}' -H \"Authorization: Bearer $SOSIA_TOKEN\" " CALENDAR
               "; grep -c Made f",
               "2001\n");
    if (has("node"))
        prints("sh",
               "node -e \"const t=process.env.SOSIA_TOKEN;fetch('" CALENDAR
               "',{headers:{Authorization:'Bearer '+t}}).then(r=>r.json()).then(v=>console.log("
               "v.items[0].summary))\"",
               "Made inside\n");
}

static void without_the_setting_there_is_no_token(void **state)
{
    NEEDS_SANDBOX();
    test_use(HEAD);
    PYTHON("print(os.environ.get('SOSIA_TOKEN'), call('GET', '" CALENDAR "')[0])", "None 403\n");
    test_use(HEAD "programs: {services: {actor: nobody@acme.example}}\n");
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    test_request("POST", PROGRAM_PATH, headers, 2, "{\"argv\":[\"true\"]}", 17);
    assert_int_equal(test_status, 412);
    assert_non_null(strstr(test_body, "nobody@acme.example"));
    test_use(HEAD "programs: {services: {actor: ada@acme.example, scopes: mail.readonly}}\n");
    PYTHON("print(call('GET', '" CALENDAR "')[0])", "403\n");
}

/* ---- and nothing else ---- */

static void nothing_else_is_there(void **state)
{
    NEEDS_SANDBOX();
    uint64_t other = test_world_of(HEAD);
    struct sosia_world_info info = {.size = sizeof info};
    const struct sosia_token_options options = {.size = sizeof options, .actor = ADA};
    char token[SOSIA_TOKEN_MAX];
    assert_int_equal(
        sosia_token_issue(test_engine, other, &options, token, sizeof token, &test_err), 0);
    assert_int_equal(sosia_world_info(test_engine, other, &info, &test_err), 0);
    /* Names that lead nowhere, and ports where nothing listens. */
    PYTHON("print(call('GET', 'https://www.example.com/')[0])", "0\n");
    PYTHON("print(call('GET', 'http://localhost/')[0], call('GET', 'http://127.0.0.1/')[0])",
           "0 0\n");
    prints("python3",
           arena_printf(&test_arena,
                        "from call import *\nprint(call('GET', 'http://127.0.0.1:%d/')[0], "
                        "call('GET', 'http://127.0.0.2:%d/')[0])",
                        server_port(server), server_port(server)),
           "0 0\n");
    /* Hosts that are not a service's, whatever the connection is to. */
    PYTHON("print(call('GET', 'http://127.0.0.2/')[0], call('GET', 'http://slack.com/', "
           "Host='localhost')[0])",
           "421 421\n");
    /* Without a host, or with one that is a service's for one reader alone. */
    PYTHON(
        "import socket\nfor head in ('POST /workspace/v1/programs/run HTTP/1.0', "
        "'POST /mcp/terminal HTTP/1.0', 'GET /web/v1/pages HTTP/1.0', 'GET /consent HTTP/1.0', "
        "'GET /calendar/v3/colors HTTP/1.0', 'GET /calendar/v3/colors HTTP/1.1', "
        "'POST /workspace/v1/programs/run HTTP/1.0\\r\\nHost: localhost'):\n"
        "  s = socket.create_connection(('127.0.0.2', 80), 5)\n"
        "  body = '{\"argv\":[\"true\"]}'\n"
        "  s.sendall(('%s\\r\\nAuthorization: Bearer %s\\r\\nContent-Type: application/json\\r\\n"
        "Content-Length: %d\\r\\nConnection: close\\r\\n\\r\\n%s' % (head, "
        "os.environ['SOSIA_TOKEN'], len(body), body)).encode())\n"
        "  print(s.recv(100).decode().split(' ')[1], end=' ')\n",
        "400 400 400 400 400 400 421 ");
    /* Tools and programs, which would wait for the one that asks. */
    PYTHON(
        "print([call('POST', 'http://www.googleapis.com' + p, '{\"argv\":[\"true\"]}')[0] for p in "
        "('/@localhost/workspace/v1/programs/run', '/workspace/v1/programs/run', '/mcp', "
        "'/mcp/terminal', '/%6dcp/terminal', '/w/x/mcp/git', "
        "'/w/x/@www.googleapis.com/mcp?tools=git', "
        "'/sse', '/messages', '/process.Process/Start')])",
        "[404, 404, 404, 404, 404, 404, 404, 404, 404, 404]\n");
    PYTHON("print(call('POST', 'http://slack.com/mcp?tools=git', '{}')[1]['error'])", /* Slack's */
           "unknown_method\n");
    /* The same as parts of batches, which may name a host of their own. */
    PYTHON("b = '\\r\\n'.join(['--b', 'Content-Type: application/http', '', 'POST "
           "/workspace/v1/programs/run HTTP/1.1', 'Host: localhost', 'Content-Type: "
           "application/json', '', '{\"argv\":[\"true\"]}', '--b--', ''])\n"
           "r = urllib.request.Request('https://www.googleapis.com/batch', b.encode(), "
           "{'Content-Type': 'multipart/mixed; boundary=b', 'Authorization': 'Bearer ' + "
           "os.environ['SOSIA_TOKEN']})\n"
           "print([l for l in urllib.request.urlopen(r).read().decode().split('\\r\\n') if 'HTTP/' "
           "in l])",
           "['HTTP/1.1 404 Not Found']\n");
    /* The control interface, with its key. */
    PYTHON(
        "print([call('GET', 'http://www.googleapis.com' + p, None, 'a-key-of-control')[0] for p in "
        "('/_sosia/v1/worlds', '/_sosia/hello', '/w/x/_sosia/v1/worlds')])",
        "[404, 404, 404]\n");
    /* Other worlds, by their tokens and by their keys. */
    prints("python3",
           arena_printf(
               &test_arena,
               "from call import *\nu = '" CALENDAR "'\n"
               "print(call('GET', u, None, '%s')[0])\n"
               "print(call('POST', u.replace('.com/', '.com/w/%s/'), '{\"summary\":\"Astray\","
               "\"start\":{\"date\":\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}')"
               "[0])\n"
               "print(call('POST', u, '{\"summary\":\"Astray\",\"start\":{\"date\":"
               "\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}', "
               "**{'X-Sosia-World': '%s'})[0])\n",
               token, info.key, info.key),
           "401\n200\n200\n");
    assert_null(strstr(dump_of(other), "Astray"));
    const char *own = dump_of(test_world), *first = strstr(own, "Astray");
    assert_non_null(first); /* both are here */
    assert_non_null(strstr(first + 1, "Astray"));
}

/* Certificates are made for the names of hosts once, and for no other. */
static void no_name_makes_a_certificate(void **state)
{
    NEEDS_SANDBOX();
    PYTHON("import socket, ssl\nfor name in ('www.googleapis.com', 'acme.slack.com', "
           "'other.slack.com', 'a.b1.slack.com', 'www.example.com'):\n"
           "  s = socket.create_connection(('slack.com', 443), 5)\n"
           "  try: ssl.create_default_context().wrap_socket(s, server_hostname=name); print(name)\n"
           "  except ssl.SSLCertVerificationError as e: print(e.verify_code)\n",
           "www.googleapis.com\nacme.slack.com\nother.slack.com\n62\n62\n");
}

/* More connections than a world may have, 128, are closed; the server serves on. */
static void many_connections_are_not_taken(void **state)
{
    NEEDS_SANDBOX();
    PYTHON("import select, socket, time\n"
           "all = [socket.create_connection(('slack.com', 80)) for i in range(400)]\n"
           "poll = select.poll()\n"
           "for s in all: poll.register(s, select.POLLIN)\n"
           "end = time.monotonic() + 20\n"
           "while len(poll.poll(1000)) < 272 and time.monotonic() < end: time.sleep(0.02)\n"
           "time.sleep(0.2)\n"
           "print(len(poll.poll(0)))\n",
           "272\n");
    /* The places of those who have gone are given back a moment later. */
    PYTHON("import time\n"
           "for i in range(100):\n"
           "    got = call('GET', 'https://slack.com/api/api.test')[1]\n"
           "    if isinstance(got, dict): break\n"
           "    time.sleep(0.1)\n"
           "print(got['ok'])",
           "True\n");
}

/* ---- judged, in the journal, replayed ---- */

static void calls_are_judged(void **state)
{
    NEEDS_SANDBOX();
    test_use(HEAD ACTS
             "policies: [{policy: 1, name: p, rules: [{id: hands-off, effect: deny, call: "
             "{method: calendar.events.insert}}]}]\n");
    const char *out = run("python3", "from call import *\n"
                                     "print(call('POST', '" CALENDAR "', '{\"summary\":\"No\","
                                     "\"start\":{\"date\":\"2026-11-24\"},\"end\":{\"date\":"
                                     "\"2026-11-25\"}}'))");
    if (strncmp(out, "(403, ", 6) != 0)
        fail_msg("%s", out);
    const char *log = journal();
    if (!strstr(log, "calendar.events.insert") || !strstr(log, "hands-off"))
        fail_msg("%s", log);
}

static int run_held_by(const char *who, const char *script)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *body = body_of("python3", script);
    test_request("POST", PROGRAM_PATH, headers, 2, body, strlen(body));
    return test_status;
}

static int run_held(const char *script)
{
    return run_held_by(ADA, script);
}

static int count_world(void *arg, const struct sosia_world_info *info)
{
    ++*(int *)arg;
    return 0;
}

static const struct json *value_of_blob(struct sosia_blob *blob)
{
    const struct json *v;
    const char *text = arena_memdup(&test_arena, blob->data, blob->len);
    if (json_parse(&test_arena, text, blob->len, NULL, &v, &test_err) < 0)
        fail_msg("%s", test_err.text);
    sosia_blob_free(blob);
    return v;
}

/* Nobody has approved of it: it sees the services, and changes nothing there. */
static void a_held_program_reads_and_writes_nothing(void **state)
{
    NEEDS_SANDBOX();
    static const char script[] =
        "from call import *\n"
        "print(call('GET', '" CALENDAR "')[0], call('POST', '" CALENDAR "', '{\"summary\":\"No\","
        "\"start\":{\"date\":\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}')[0])\n"
        "open('done', 'w').write('x')\n";
    test_use(HEAD ACTS
             "policies: [{policy: 1, name: p, otherwise: allow, rules: [{effect: approve, "
             "call: {method: programs.run}}]}]\n");
    int worlds = 0;
    assert_int_equal(sosia_world_list(test_engine, 0, count_world, &worlds, &test_err), 0);
    assert_int_equal(run_held(script), 403);
    const char *name = strstr(test_body, "act_");
    assert_non_null(name);
    name = arena_printf(&test_arena, "%.20s", name);
    int after = 0;
    assert_int_equal(sosia_world_list(test_engine, 0, count_world, &after, &test_err), 0);
    assert_int_equal(after, worlds); /* where it ran is gone */
    assert_int_equal(sosia_approval_decide(test_engine, test_world, name, "approve", NULL, "marta",
                                           NULL, &test_err),
                     0);
    assert_int_equal(run_held(script), 200);
    if (!strstr(test_body, "\"stdout\":\"200 403\\n\""))
        fail_msg("%s", test_body);
    struct sosia_blob blob;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &blob, &test_err), 0);
    const struct json *list = value_of_blob(&blob);
    for (uint32_t i = 0; i < list->n; i++) {
        const char *method = json_get_str(&list->items[i], "method");
        if (method && strcmp(method, "calendar.events.insert") == 0)
            fail_msg("%s", json_to_text(&test_arena, &list->items[i]));
    }
}

/* ---- what a held program has read ---- */

#define HELD_MAIL                                                                                  \
    "https://gmail.googleapis.com/gmail/v1/users/me/messages/1a20000000000001?format=full"
#define OUTSIDERS                                                                                  \
    HEAD ACTS                                                                                      \
        "organizations: [{domain: acme.example, name: Acme}]\n"                                    \
        "mailboxes:\n"                                                                             \
        "  - person: ada@acme.example\n"                                                           \
        "    messages:\n"                                                                          \
        "      - {id: '1a20000000000001', from: dana@out.example, to: ada@acme.example,\n"         \
        "         subject: One, date: '2026-11-20T10:00:00Z', text: 'Pay LT12 1000 0111 0100'}\n"

/* The name of the action as which the call of that script is held. */
static const char *held_as(const char *script)
{
    assert_int_equal(run_held(script), 403);
    const char *name = strstr(test_body, "act_");
    if (!name)
        fail_msg("%s", test_body);
    return arena_printf(&test_arena, "%.20s", name);
}

static void decide_on(const char *name, const char *decision)
{
    if (sosia_approval_decide(test_engine, test_world, name, decision, NULL, "marta", NULL,
                              &test_err) < 0)
        fail_msg("%s", test_err.text);
}

/* Sends a letter with that text; the status. */
static int send_mail_by(const char *who, const char *text)
{
    const struct sosia_header headers[] = {{"Host", "gmail.googleapis.com"},
                                           {"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "message/rfc822"}};
    const char *body =
        arena_printf(&test_arena, "To: bob@acme.example\r\nSubject: Hi\r\n\r\n%s\r\n", text);
    test_request("POST", "/upload/gmail/v1/users/me/messages/send?uploadType=media", headers, 3,
                 body, strlen(body));
    return test_status;
}

/* As who ran the program. */
static int send_mail(const char *text)
{
    return send_mail_by(ADA, text);
}

/* What the run has read is the outsider's when the output is given out, and not before. */
static void what_a_held_program_reads_is_known_where_values_come_from(void **state)
{
    NEEDS_SANDBOX();
    /* Nothing of it is in the output as it was written, so that the answer alone says nothing. */
    static const char script[] = "from call import *\n"
                                 "s, v = call('GET', '" HELD_MAIL "')\n"
                                 "print(s, v['snippet'][::-1])\n";
    test_use(OUTSIDERS
             "policies: [{policy: 1, name: p, otherwise: allow, rules: [{effect: approve, call: "
             "{method: programs.run}}, {id: read, effect: deny, call: {method: "
             "gmail.users.messages.send}, tainted: {read: {length: {gt: 0}}}}]}]\n");
    const char *first = held_as(script);
    assert_int_equal(send_mail("Before."), 200);
    decide_on(first, "reject");
    assert_int_equal(run_held(script), 403);
    assert_int_equal(send_mail("Rejected."), 200);
    const char *other = arena_printf(&test_arena, "%s#\n", script);
    decide_on(held_as(other), "approve");
    uint64_t fork, own = test_world;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_int_equal(run_held(other), 200);
    assert_non_null(strstr(test_body, "\"stdout\":\"200 0010 1110 0001 21TL yaP\\n\""));
    assert_int_equal(send_mail("After."), 403);
    test_world = fork; /* it has what was read with the action */
    assert_int_equal(send_mail("Before."), 200);
    assert_int_equal(run_held(other), 200);
    assert_int_equal(send_mail("After."), 403);
    test_world = own;
}

static int64_t calls_used(void)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_world_faults_info(test_engine, test_world, &blob, &test_err), 0);
    return json_get_int(value_at(value_of_blob(&blob), "used.0"), "tool_calls_used", -1);
}

/* Its answer is given at once, and so is what it has read. */
static void what_a_dry_run_reads_counts_at_once(void **state)
{
    NEEDS_SANDBOX();
    static const char script[] = "from call import *\n"
                                 "print(call('GET', '" HELD_MAIL "')[0])\n";
    test_use(OUTSIDERS
             "policies: [{policy: 1, name: p, otherwise: allow, rules: [{effect: dryRun, call: "
             "{method: programs.run}}, {id: read, effect: deny, call: {method: "
             "gmail.users.messages.send}, tainted: {read: {length: {gt: 0}}}}]}]\n"
             "budgets: {budgets: 1, limits: [{name: all, calls: 11}]}\n");
    assert_int_equal(send_mail("Before."), 200);
    assert_int_equal(run_held(script), 200);
    assert_non_null(strstr(test_body, "\"stdout\":\"200\\n\""));
    assert_int_equal(calls_used(), 3);
    assert_int_equal(send_mail("After."), 403);
}

/* The policy is of who runs it, and not of whom its token is. */
static void what_a_program_reads_as_another_is_its_callers(void **state)
{
    NEEDS_SANDBOX();
    static const char script[] = "from call import *\n"
                                 "print(call('GET', '" HELD_MAIL "')[0])\n";
    test_use(OUTSIDERS
             "policies: [{policy: 1, name: p, otherwise: allow, applies: {actor: "
             "bob@acme.example}, rules: [{effect: dryRun, call: {method: programs.run}}, {id: "
             "read, effect: deny, call: {method: gmail.users.messages.send}, tainted: {read: "
             "{length: {gt: 0}}}}]}]\n");
    assert_int_equal(send_mail_by(BOB, "Before."), 200);
    assert_int_equal(run_held_by(BOB, script), 200);
    assert_non_null(strstr(test_body, "\"stdout\":\"200\\n\""));
    assert_int_equal(send_mail_by(BOB, "After."), 403);
    assert_int_equal(send_mail("Of one who has no policy."), 200);
}

/* The statuses of calls of that method in the trace of a run, in their order. */
static const char *statuses_of(const char *method)
{
    struct sosia_blob blob;
    const char *all = "";
    assert_int_equal(
        sosia_journal_export(test_engine, test_world, SOSIA_JOURNAL_RUN, 0, 0, &blob, &test_err),
        0);
    const struct json *steps = json_get(value_of_blob(&blob), "steps");
    for (uint32_t i = 0; i < steps->n; i++)
        if (strcmp(text_at(&steps->items[i], "tool"), method) == 0)
            all = arena_printf(&test_arena, "%s %s", all, text_at(&steps->items[i], "status"));
    return all;
}

/* Nobody runs programs any more, at the end of a test. */
static void replays_alike(void)
{
    struct sosia_replay_options opt = {.size = sizeof opt, .keep = true};
    struct sosia_blob report;
    uint64_t again;
    runner_on_services(kept_by, NULL);
    kept_end();
    assert_int_equal(
        sosia_journal_replay(test_engine, test_world, &opt, &again, &report, &test_err), 0);
    if (!strstr(report.data, "\"equal\": true"))
        fail_msg("%s", report.data);
    sosia_blob_free(&report);
}

static int64_t injected(void)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_world_faults_info(test_engine, test_world, &blob, &test_err), 0);
    return json_get_int(value_at(value_of_blob(&blob), "rules.0"), "injected", -1);
}

/* It runs once, so that its trouble comes then, and is counted for the world. */
static void a_held_program_gets_into_trouble(void **state)
{
    NEEDS_SANDBOX();
    static const char script[] = "from call import *\n"
                                 "print(*[call('GET', '" CALENDAR "')[0] for i in range(3)])\n";
    test_use(HEAD ACTS
             "policies: [{policy: 1, name: p, otherwise: allow, rules: [{effect: approve, "
             "call: {method: programs.run}}]}]\n"
             "faults: {faults: 1, rules: [{name: busy, fault: server-error, status: 503, methods: "
             "[calendar.events.list], calls: {from: 2, every: 3}}, {name: news, fault: arrival, "
             "document: {sosia: 1, people: [{email: eve@acme.example}]}, methods: "
             "[calendar.events.list]}]}\n");
    decide_on(held_as(script), "approve");
    assert_int_equal(injected(), 1);
    assert_int_equal(run_held(script), 200);
    if (!strstr(test_body, "\"stdout\":\"200 503 200\\n\""))
        fail_msg("%s", test_body);
    assert_int_equal(injected(), 1);
    assert_string_equal(statuses_of("calendar.events.list"), " ok fault ok");
    /* The next one of the world is its fourth. */
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)}};
    test_request("GET", "/calendar/v3/calendars/primary/events", headers, 1, NULL, 0);
    assert_int_equal(test_status, 200);
    test_request("GET", "/calendar/v3/calendars/primary/events", headers, 1, NULL, 0);
    assert_int_equal(test_status, 503);
    assert_int_equal(injected(), 2);
    replays_alike();
}

/* What changed last is the call that runs it. */
static void a_held_program_reads_an_earlier_state(void **state)
{
    NEEDS_SANDBOX();
    static const char script[] =
        "from call import *\n"
        "print(*[len(call('GET', '" CALENDAR "')[1]['items']) for i in range(2)])\n";
    static const char event[] =
        "{\"start\":{\"date\":\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}";
    test_use(HEAD ACTS "policies: [{policy: 1, name: p, otherwise: allow, rules: [{effect: dryRun, "
                       "call: {method: programs.run}}]}]\n"
                       "faults: {faults: 1, rules: [{name: old, fault: stale-read, methods: "
                       "[calendar.events.list], times: 1}]}\n");
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    test_request("POST", "/calendar/v3/calendars/primary/events", headers, 2, event, strlen(event));
    assert_int_equal(test_status, 200);
    assert_int_equal(run_held(script), 200);
    if (!strstr(test_body, "\"stdout\":\"1 1\\n\""))
        fail_msg("%s", test_body);
    assert_int_equal(injected(), 1);
    assert_string_equal(statuses_of("calendar.events.list"), " fault ok");
}

#define LIMITED(n)                                                                                 \
    "policy: 1\nname: p\notherwise: allow\nrules: [{effect: approve, call: {method: "              \
    "programs.run}}, {id: few, effect: limit, calls: " n ", per_seconds: 3600, call: {method: "    \
    "calendar.events.list}}]\n"

/* Before the second connection of a program is served the world gets other rules. */
static int connections;
static struct sosia_err amid; /* why they were not set */
static void connected_amid(void *arg, uint64_t world, int fd, bool secure)
{
    static const char policy[] = LIMITED("2"),
                      budgets[] = "{budgets: 1, limits: [{name: all, calls: 12}]}";
    if (++connections == 2 &&
        (sosia_policy_set(test_engine, test_world, policy, strlen(policy), "p", NULL, &amid) < 0 ||
         sosia_world_budgets(test_engine, test_world, budgets, strlen(budgets), "b", &amid) < 0))
        connections = -1000;
    connected(arg, world, fd, secure);
}

/* Those that are set while a held program runs hold for the world from then on, and count nothing
 * of what it asks: that is by the rules that it began with. */
static void rules_that_are_set_while_a_program_runs_count_nothing_of_it(void **state)
{
    NEEDS_SANDBOX();
    static const char script[] = "from call import *\n"
                                 "print(*[call('GET', '" CALENDAR "')[0] for i in range(4)])\n";
    test_use(HEAD ACTS "budgets: {budgets: 1, limits: [{name: all, calls: 11}]}\n");
    const char *first = LIMITED("3");
    assert_int_equal(
        sosia_policy_set(test_engine, test_world, first, strlen(first), "p", NULL, &test_err), 0);
    connections = 0;
    runner_on_services(kept_by, &(struct runner_services){authority, connected_amid, server});
    const char *name = held_as(script);
    if (connections != 4)
        fail_msg("%d: %s", connections, amid.text);
    assert_int_equal(calls_used(), 0);
    decide_on(name, "approve");
    assert_int_equal(run_held(script), 200);
    if (!strstr(test_body, "\"stdout\":\"200 200 200 403\\n\""))
        fail_msg("%s", test_body);
    assert_int_equal(calls_used(), 1);
    replays_alike();
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)}};
    for (int i = 0; i < 3; i++) {
        test_request("GET", "/calendar/v3/calendars/primary/events", headers, 1, NULL, 0);
        assert_int_equal(test_status, i < 2 ? 200 : 403);
    }
}

/* The journal says what was asked, and how it was answered; so does the trace of a run. */
static void what_a_held_program_asks_is_in_the_journal(void **state)
{
    NEEDS_SANDBOX();
    struct sosia_blob blob;
    static const char script[] =
        "from call import *\n"
        "print(call('GET', '" HELD_MAIL "')[0], call('POST', '" CALENDAR "', '{}')[0])\n";
    test_use(OUTSIDERS "policies: [{policy: 1, name: p, otherwise: allow, rules: [{effect: "
                       "approve, call: {method: programs.run}}]}]\n");
    const char *name = held_as(script);
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &blob, &test_err), 0);
    const struct json *list = value_of_blob(&blob), *calls = NULL;
    for (uint32_t i = 0; i < list->n; i++)
        if (value_at(&list->items[i], "guard.calls"))
            calls = value_at(&list->items[i], "guard.calls");
    assert_non_null(calls);
    assert_int_equal(calls->n, 2);
    assert_string_equal(text_at(calls, "0.method"), "gmail.users.messages.get");
    assert_int_equal(json_get_int(&calls->items[0], "status", 0), 200);
    assert_non_null(strstr(text_at(calls, "0.target"), "1a20000000000001"));
    assert_string_equal(text_at(calls, "1.method"), "calendar.events.insert");
    assert_int_equal(json_get_int(&calls->items[1], "status", 0), 403);
    /* The approver sees them. */
    assert_int_equal(sosia_approval_list(test_engine, test_world, name, NULL, &blob, &test_err), 0);
    const struct json *action = value_of_blob(&blob);
    assert_string_equal(text_at(action, "approvals.0.calls.0.method"), "gmail.users.messages.get");
    assert_int_equal(
        sosia_journal_export(test_engine, test_world, SOSIA_JOURNAL_RUN, 0, 0, &blob, &test_err),
        0);
    const struct json *trace = value_of_blob(&blob);
    const struct json *steps = json_get(trace, "steps");
    const char *within = NULL;
    for (uint32_t i = 0; i < steps->n; i++)
        if (strcmp(text_at(&steps->items[i], "tool"), "gmail.users.messages.get") == 0)
            within = text_at(&steps->items[i], "approval_id");
    assert_string_equal(within, name);
}

/* They were made when it ran, whatever is decided; what is used up stops it there as well. */
static void what_a_held_program_asks_counts_in_budgets(void **state)
{
    NEEDS_SANDBOX();
    static const char script[] = "from call import *\n"
                                 "print(*[call('GET', '" CALENDAR "')[0] for i in range(7)])\n";
    static const char more[] = "from call import *\n"
                               "print(*[call('GET', '" CALENDAR "/none')[0] for i in range(4)])\n";
    test_use(HEAD ACTS
             "policies: [{policy: 1, name: p, otherwise: allow, rules: [{effect: approve, "
             "call: {method: programs.run}}, {id: few, effect: limit, calls: 6, "
             "per_seconds: 3600, call: {method: calendar.events.list}}]}]\n"
             "budgets: {budgets: 1, limits: [{name: all, calls: 11}]}\n");
    const char *name = held_as(script);
    assert_int_equal(calls_used(), 7); /* and the one that runs it; the limit counts as ever */
    assert_int_equal(run_held(script), 403);
    assert_int_equal(calls_used(), 8); /* attaches, without another run */
    decide_on(name, "approve");
    assert_int_equal(run_held(script), 200);
    assert_int_equal(calls_used(), 9);
    assert_non_null(strstr(test_body, "\"stdout\":\"200 200 200 200 200 200 403\\n\""));
    name = held_as(more); /* the tenth; one more may be made, and is */
    assert_int_equal(calls_used(), 14);
    decide_on(name, "reject");
    assert_int_equal(send_mail("No more."), 403); /* the budget */
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)}};
    test_request("GET", "/calendar/v3/calendars/primary/events", headers, 1, NULL, 0);
    assert_int_equal(test_status, 403); /* the limit of the policy */
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, name, NULL, &blob, &test_err), 0);
    const struct json *action = value_of_blob(&blob);
    assert_int_equal(json_get_int(value_at(action, "approvals.0.calls.0"), "status", 0), 404);
    assert_int_equal(json_get_int(value_at(action, "approvals.0.calls.1"), "status", 0), 403);
    assert_string_equal(statuses_of("calendar.events.get"), " error budget_stop budget_stop "
                                                            "budget_stop");
    assert_non_null(strstr(statuses_of("calendar.events.list"), " ok ok blocked_by_policy"));
    replays_alike();
}

static void a_replay_makes_the_calls_again(void **state)
{
    NEEDS_SANDBOX();
    struct sosia_replay_options opt = {.size = sizeof opt, .keep = true};
    struct sosia_blob report;
    uint64_t again;
    PYTHON("for i in range(3):\n"
           "    s, v = call('POST', '" CALENDAR "', '{\"summary\":\"E%d\",\"start\":{\"date\":"
           "\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}' % i)\n"
           "    open('id', 'a').write(v['id'] + '\\n')\n",
           "");
    /* They are between the halves of the call that ran the program. */
    const char *log = journal(), *first = strstr(log, "programs.run");
    const char *call = strstr(log, "calendar.events.insert");
    if (!first || !call)
        fail_msg("%s", log);
    const char *before = dump_of(test_world);
    runner_on_services(kept_by, NULL);
    kept_end(); /* no program runs */
    assert_int_equal(
        sosia_journal_replay(test_engine, test_world, &opt, &again, &report, &test_err), 0);
    if (!strstr(report.data, "\"equal\": true"))
        fail_msg("%s", report.data);
    sosia_blob_free(&report);
    assert_string_equal(dump_of(again), before);
}

/* All workers of the server wait for programs, whose calls need workers too. */
static void *ask_the_server(void *arg)
{
    struct wire_answer answer;
    const char *request = arg;
    int fd = wire_open(server_port(server));
    if (fd < 0 || wire_send(fd, request, strlen(request)) < 0 ||
        wire_answer(fd, 0, true, &answer, NULL, NULL) < 0)
        answer.status = 0;
    close(fd);
    return answer.status == 200 && strstr(answer.body, "200") ? arg : NULL;
}

static void waiting_programs_hold_nothing_up(void **state)
{
    NEEDS_SANDBOX();
    pthread_t threads[4];
    const char *body =
        body_of("python3", "from call import *\n"
                           "print(call('POST', '" CALENDAR "', '{\"summary\":\"E\",\"description\":"
                           "\"' + 'x' * 7000 + '\",\"start\":{\"date\":\"2026-11-24\"},\"end\":"
                           "{\"date\":\"2026-11-25\"}}' + ' ' * 1200000)[0])");
    struct sosia_world_info info = {.size = sizeof info};
    assert_int_equal(sosia_world_info(test_engine, test_world, &info, &test_err), 0);
    const char *request = arena_printf(
        &test_arena,
        "POST /w/%s" PROGRAM_PATH " HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n"
        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        info.key, test_bearer(ADA, NULL), strlen(body), body);
    for (size_t i = 0; i < SOSIA_LEN(threads); i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, ask_the_server, (void *)(uintptr_t)request), 0);
    for (size_t i = 0; i < SOSIA_LEN(threads); i++) {
        void *well;
        pthread_join(threads[i], &well);
        assert_non_null(well);
    }
}

int main(int argc, char **argv)
{
    int code;
    if (kept_main(argc, argv, &code))
        return code;
    setenv("UV_THREADPOOL_SIZE", "2", 1); /* workers of a server */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_call_the_services, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_the_setting_there_is_no_token, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_else_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_name_makes_a_certificate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_connections_are_not_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_are_judged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_held_program_reads_and_writes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_held_program_reads_is_known_where_values_come_from,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_dry_run_reads_counts_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_program_reads_as_another_is_its_callers, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_held_program_gets_into_trouble, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_held_program_reads_an_earlier_state, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_held_program_asks_is_in_the_journal, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rules_that_are_set_while_a_program_runs_count_nothing_of_it,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_held_program_asks_counts_in_budgets, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_replay_makes_the_calls_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_programs_hold_nothing_up, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
