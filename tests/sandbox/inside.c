/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of a world call the services by their own hosts and reach their own world and nothing
 * else, with a server that serves other clients too. */
#include "mcp/servers/carried.h"
#include "sandbox/carried.h"
#include "sandbox/runner.h"
#include "server/server.h"
#include "services/list.h"
#include "services/workspace/core/program.h"
#include "tests/sandbox/kept.h"
#include "tests/support/dose.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "tests/support/wire.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#define ADA "ada@acme.example"
#define BOB "bob@acme.example"

#define HEAD                                                                                       \
    "sosia: 1\n"                                                                                   \
    "time: 2026-11-23T08:00:00Z\n"                                                                 \
    "people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}]\n"       \
    "accounts: [{actor: ada@acme.example, vendor: google}, {actor: ada@acme.example, vendor: "     \
    "microsoft}, {actor: bob@acme.example, vendor: google}]\n"                                     \
    "calendars:\n"                                                                                 \
    "  - {owner: ada@acme.example, primary: true, events: []}\n"                                   \
    "workspaces:\n"                                                                                \
    "  - {id: T0ACME, domain: acme, members: [{actor: ada@acme.example, id: U0ADA, name: ada}]}\n" \
    "channels:\n"                                                                                  \
    "  - {id: C0GENERAL, name: general, general: true, workspace: T0ACME}\n"                       \
    "workspace:\n"                                                                                 \
    "  - path: call.py\n"                                                                          \
    "    text: |\n"                                                                                \
    "      import json, os, sys, urllib.error, urllib.request\n"                                   \
    "      def call(method, url, body=None, token=os.environ.get('SOSIA_TOKEN'), **headers):\n"    \
    "          if token: headers['Authorization'] = 'Bearer ' + token\n"                           \
    "          data = None if body is None else body.encode()\n"                                   \
    "          if data: headers['Content-Type'] = 'application/json'\n"                            \
    "          r = urllib.request.Request(url, data, headers, method=method)\n"                    \
    "          try:\n"                                                                             \
    "              with urllib.request.urlopen(r) as answer:\n"                                    \
    "                  return answer.status, json.load(answer)\n"                                  \
    "          except urllib.error.HTTPError as e:\n"                                              \
    "              return e.code, e.read().decode()\n"                                             \
    "          except Exception as e:\n"                                                           \
    "              return 0, str(e)\n"
#define ACTS "programs: {services: {actor: ada@acme.example, credentials: slack}}\n"

#define CALENDAR "https://www.googleapis.com/calendar/v3/calendars/primary/events"

static struct server *server;

/* ---- as `sosia serve` has it ---- */

static const char *authority(void *arg)
{
    return server_inside_authority(arg);
}

static void connected(void *arg, uint64_t world, int fd, bool secure)
{
    server_inside(arg, world, fd, secure);
}

static int inside_begin(void *arg, struct server *s, struct sosia_err *err)
{
    (void)arg, (void)err;
    if (kept_in)
        runner_on_services(kept_by, &(struct runner_services){authority, connected, s});
    return 0;
}

static void inside_end(void *arg)
{
    (void)arg;
    if (kept_by)
        runner_on_services(kept_by, NULL);
}

static int control(void *arg, const struct server_request *request,
                   struct server_response *response)
{
    (void)arg, (void)request;
    response->status = 299; /* which nothing else answers */
    return 0;
}

static int open_with(const char *doc)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    if (kept_open(doc) < 0)
        return -1;
    o.engine = test_engine;
    o.vendor_hosts = sosia_hosts();
    o.control_key = "a-key-of-control";
    o.control = control;
    o.threads = 1;
    o.stop_ms = 3000;
    o.inside_begin = inside_begin;
    o.inside_end = inside_end;
    return server_start(&o, &server, &test_err);
}

static int set_up(void **state)
{
    (void)state;
    return open_with(HEAD ACTS);
}

static int tear_down(void **state)
{
    (void)state;
    mcp_carry(NULL, 0);
    server_stop(server);
    server = NULL;
    return kept_close();
}

/* ---- programs ---- */

static const char *body_of(const char *program, const char *script)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "argv");
    json_str(&w, NULL, program);
    json_str(&w, NULL, "-c");
    json_str(&w, NULL, script);
    json_end(&w);
    json_end(&w);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Both of its streams. */
static const char *run(const char *program, const char *script)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *body = body_of(program, script);
    const struct json *v = test_request("POST", PROGRAM_PATH, headers, 2, body, strlen(body));
    if (test_status != 200)
        fail_msg("%s: %d %s", script, test_status, test_body);
    const char *out = json_get_str(v, "stdout"), *err = json_get_str(v, "stderr");
    return arena_printf(&test_arena, "%s%s", out ? out : "", err ? err : "");
}

static void prints(const char *program, const char *script, const char *expected)
{
    const char *out = run(program, script);
    if (strcmp(out, expected) != 0)
        fail_msg("%s: expected %s, got %s", script, expected, out);
}

#define PYTHON(script, expected) prints("python3", "from call import *\n" script, expected)

static bool has(const char *program)
{
    if (access(arena_printf(&test_arena, "/usr/bin/%s", program), X_OK) == 0)
        return true;
    fprintf(stderr, "not tried: %s is not there\n", program);
    return false;
}

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

static const char *dump_of(uint64_t world)
{
    struct sosia_blob out;
    assert_int_equal(sosia_world_dump(test_engine, world, &out, &test_err), 0);
    const char *text = arena_strdup(&test_arena, out.data);
    sosia_blob_free(&out);
    return text;
}

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

/* More connections than a world may have are closed; the server serves on. */
static void many_connections_are_not_taken(void **state)
{
    NEEDS_SANDBOX();
    PYTHON("import socket, time\n"
           "all = [socket.create_connection(('slack.com', 80)) for i in range(400)]\n"
           "time.sleep(0.5)\nclosed = 0\n"
           "for s in all:\n"
           "    s.setblocking(False)\n"
           "    try: closed += s.recv(1) == b''\n"
           "    except BlockingIOError: pass\n"
           "    except ConnectionResetError: closed += 1\n"
           "print(closed > 200, closed < 350)\n",
           "True True\n");
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

static const char *journal(void)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &blob, &test_err), 0);
    const char *text = arena_strdup(&test_arena, blob.data);
    sosia_blob_free(&blob);
    return text;
}

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

/* ---- carried servers ---- */

/* Says something before each answer, and has an answer to itself first. */
static const char speaker[] =
    "import json, os, sys, time\n"
    "tools = [{'name': 'append', 'inputSchema': {'type': 'object'}},\n"
    "  {'name': 'where', 'inputSchema': {'type': 'object'}, 'annotations': {'readOnlyHint': "
    "True}}]\n"
    "print('starting', flush=True)\n"
    "n, greeted = 0, False\n"
    "def send(m): print(json.dumps(dict(m, jsonrpc='2.0')), flush=True)\n"
    "def answer(m):\n"
    "  if m['method'] == 'initialize':\n"
    "    if os.path.exists('shy'): raise KeyError('not now')\n"
    "    global greeted; greeted = True\n"
    "    return {'protocolVersion': '2025-06-18', 'serverInfo': {'name': 'speaker', 'version': "
    "'7'}}\n"
    "  if m['method'] == 'tools/list': return {'tools': tools}\n"
    "  if not greeted: raise KeyError('not greeted')\n"
    "  name, a = m['params']['name'], m['params']['arguments']\n"
    "  if name == 'append':\n"
    "    open('log', 'a').write(a['line'] + '\\n')\n"
    "    return {'content': [{'type': 'text', 'text': 'done'}], 'structuredContent': {'n': 1}}\n"
    "  if a.get('how') == 'counts':\n"
    "    global n; n += 1\n"
    "    return {'content': [{'type': 'text', 'text': '%d %s' % (n, sorted(f for f in "
    "os.listdir('.') if f[0] == 'm') and [f + '=' + open(f).read() for f in "
    "sorted(os.listdir('.')) if f[0] == 'm'])}]}\n"
    "  if a.get('how') == 'leaves':\n"
    "    os.makedirs('more'); open('mine', 'w').write('x'); os.symlink('/etc', 'Z')\n"
    "    return {'content': [{'type': 'text', 'text': 'left'}]}\n"
    "  if a.get('how') == 'digs': os.makedirs('deep/' + 'x/' * 150)\n"
    "  if a.get('how') == 'ends': sys.exit('it had to')\n"
    "  if a.get('how') == 'waits': time.sleep(60)\n"
    "  if a.get('how') == 'floods': print('x' * (9 << 20), flush=True)\n"
    "  if a.get('how') == 'refuses': raise KeyError('no such place')\n"
    "  if a.get('how') == 'asks':\n"
    "    send({'id': 'q', 'method': 'ping'})\n"
    "    return {'content': [{'type': 'text', 'text': "
    "str(json.loads(sys.stdin.readline())['result'])}]}\n"
    "  if a.get('how') == 'calls':\n"
    "    from call import call\n"
    "    os.chdir('/data')\n"
    "    text = str(call('GET', '" CALENDAR "')[0])\n"
    "  else: text = os.getcwd() + ' ' + os.environ['WORD']\n"
    "  return {'content': [{'type': 'text', 'text': text}]}\n"
    "for line in sys.stdin:\n"
    "  m = json.loads(line)\n"
    "  if 'id' not in m: continue\n"
    "  send({'id': 'q', 'method': 'roots/list'}) if m['method'] == 'tools/list' else None\n"
    "  try: send({'id': m['id'], 'result': answer(m)})\n"
    "  except KeyError as e: send({'id': m['id'], 'error': {'code': -32000, 'message': str(e)}})\n";
static const char *const speaks[] = {"python3", "-c", speaker, NULL};
static const char *const word[] = {"WORD=here", "PYTHONPATH=/data", NULL};
/* Wakes itself while it is stopped, and then makes a link of a directory, all the time. */
static const char waker[] =
    "import ctypes, json, os, sys, threading\n"
    "l = ctypes.CDLL(None, use_errno=True)\n"
    "def swap(target):\n"
    "  while True:\n"
    "    try: os.path.lexists(b'other') or os.symlink(target, b'other')\n"
    "    except OSError: pass\n"
    "    l.renameat2(-100, b'd', -100, b'other', 2)\n"
    "    if os.path.islink(b'd'): l.renameat2(-100, b'd', -100, b'other', 2)\n"
    "    for i in range(500): pass\n"
    "def wake():\n"
    "  event = (ctypes.c_int * 16)(0, 0, 18, 0)\n"
    "  timer = ctypes.c_void_p()\n"
    "  often = (ctypes.c_long * 4)(0, 5000000, 0, 5000000)\n"
    "  if l.timer_create(1, event, ctypes.byref(timer)): return 'no timer'\n"
    "  return 'no time' if l.timer_settime(timer, 0, often, None) else 'woken'\n"
    "for line in sys.stdin:\n"
    "  m = json.loads(line)\n"
    "  if 'id' not in m: continue\n"
    "  r = {}\n"
    "  if m['method'] == 'tools/call':\n"
    "    if threading.active_count() == 1: threading.Thread(target=swap, "
    "args=(m['params']['arguments']['to'],), "
    "daemon=True).start()\n"
    "    r = {'content': [{'type': 'text', 'text': wake()}]}\n"
    "  print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r}), flush=True)\n";
static const char *const wakes[] = {"python3", "-c", waker, NULL};
static const char *const silent[] = {"true", NULL};
static const struct carried carried[] = {
    {.name = "speaker", .command = speaks, .environment = word, .timeout_ms = 10000},
    {.name = "hasty", .command = speaks, .environment = word, .timeout_ms = 700},
    {.name = "mute", .command = silent},
    {.name = "lasting", .command = speaks, .environment = word, .timeout_ms = 2000, .lasts = true},
    {.name = "waker", .command = wakes, .timeout_ms = 5000, .lasts = true}};
#define LASTING "/mcp/lasting"
#define SPEAKER "/mcp/speaker"

/* As `sosia serve --carry` has it. */
static void carry(void)
{
    static struct mcp_carried shown[4];
    struct carried_about about;
    runner_carry(kept_by, carried, SOSIA_LEN(carried));
    for (size_t i = 0; i < SOSIA_LEN(shown); i++) {
        if (runner_ask_carried(kept_by, &carried[0], &test_arena, &about, &test_err) < 0)
            fail_msg("%s", test_err.text);
        shown[i] = (struct mcp_carried){carried[i < 2 ? i : i + 1].name, about.server,
                                        about.version, about.tools};
    }
    assert_string_equal(about.server, "speaker");
    assert_int_equal(runner_ask_carried(kept_by, &carried[2], &test_arena, &about, &test_err), -1);
    assert_non_null(strstr(test_err.text, "the server mute must list its tools, has not"));
    mcp_carry(shown, SOSIA_LEN(shown));
}

static const char *names_of(const char *path)
{
    const struct json *v = mcp_ask(ADA, path, "tools/list", "{}");
    const struct json *tools = json_get(json_get(v, "result"), "tools");
    const char *text = "";
    for (uint32_t i = 0; tools && i < tools->n; i++)
        text = arena_printf(&test_arena, "%s %s", text, json_get_str(&tools->items[i], "name"));
    return text;
}

static void other_servers_are_carried(void **state)
{
    NEEDS_SANDBOX();
    carry();
    assert_string_equal(names_of(SPEAKER), " append where");
    assert_string_equal(names_of(SPEAKER "?risk=read"), ""); /* whatever they say of themselves */
    assert_at(mcp_ask(ADA, SPEAKER, "initialize",
                      "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}"),
              "result.serverInfo", "{\"name\":\"speaker\",\"version\":\"7\"}");
    mcp_says(ADA, SPEAKER, "append", "{'line':'one'}", "done");
    mcp_says(ADA, SPEAKER, "append", "{'line':'two'}", "done");
    mcp_says(ADA, SPEAKER, "where", "{}", "/data here");
    mcp_says(ADA, SPEAKER, "where", "{'how':'asks'}", "{}");
    mcp_says(ADA, SPEAKER, "where", "{'how':'calls'}", "200");
    mcp_refuse(ADA, SPEAKER, "where", "{'how':'refuses'}", "MCP error -32000: 'no such place'");
    mcp_refuse(ADA, SPEAKER, "where", "{'how':'ends'}", "has ended without an answer: it had to");
    mcp_refuse(ADA, SPEAKER, "where", "{'how':'floods'}", "has ended without an answer");
    mcp_refuse(ADA, "/mcp/hasty", "where", "{'how':'waits'}", "has not answered in its time");
    mcp_refuse(ADA, SPEAKER, "nothing", "{}", "Tool nothing not found");
    mcp_refuse(ADA, SPEAKER "?risk=read", "append", "{'line':'x'}", "Tool append not found");
    mcp_refuse(ADA, SPEAKER "?risk=read", "where", "{}", "Tool where not found");
    prints("sh", "cat log", "one\ntwo\n");
}

static void a_replay_needs_no_carried_server(void **state)
{
    NEEDS_SANDBOX();
    struct sosia_replay_options opt = {.size = sizeof opt, .keep = true};
    struct sosia_blob report;
    uint64_t again;
    carry();
    mcp_says(ADA, SPEAKER, "append", "{'line':'one'}", "done");
    const char *before = dump_of(test_world);
    assert_non_null(strstr(before, "one"));
    assert_null(strstr(journal(), "python3")); /* which is this machine's */
    mcp_carry(NULL, 0);
    runner_on_services(kept_by, NULL);
    kept_end();
    assert_int_equal(
        sosia_journal_replay(test_engine, test_world, &opt, &again, &report, &test_err), 0);
    if (!strstr(report.data, "\"equal\": true"))
        fail_msg("%s", report.data);
    sosia_blob_free(&report);
    assert_string_equal(dump_of(again), before);
}

static void counts(const char *expected)
{
    const char *text = mcp_done(ADA, LASTING, "where", "{'how':'counts'}");
    if (strcmp(text, expected) != 0)
        fail_msg("expected %s, got %s", expected, text);
}

/* Its memory goes on, its files are the world's. */
static void a_server_may_last(void **state)
{
    NEEDS_SANDBOX();
    carry();
    counts("1 []");
    counts("2 []");
    mcp_done(ADA, "/mcp/filesystem", "write_file", "{'path':'m1','content':'one'}");
    prints("sh", "echo two > m2; mkdir deep; echo x > deep/y", "");
    counts("3 ['m1=one', 'm2=two\\n']");
    prints("sh", "rm -r m2 deep; echo zwei > m1; ls", "call.py\nm1\n");
    counts("4 ['m1=zwei\\n']");
    mcp_says(ADA, LASTING, "append", "{'line':'of it'}", "done");
    prints("sh", "cat log", "of it\n");
    /* What it leaves that is in the way: a link in the place of a directory. */
    mcp_says(ADA, LASTING, "where", "{'how':'leaves'}", "left");
    prints("sh", "rm Z mine; rmdir more; mkdir Z; echo in > Z/sosia-inside", "");
    counts("5 ['m1=zwei\\n']");
    assert_int_equal(access("/etc/sosia-inside", F_OK), -1);
    prints("sh", "cat Z/sosia-inside; ls", "in\nZ\ncall.py\nlog\nm1\n");
    /* Another world has another one; one that went back begins anew, with the files of then. */
    uint64_t fork;
    struct sosia_fork_options none = {.size = sizeof none};
    assert_int_equal(sosia_world_fork(test_engine, test_world, &none, &fork, &test_err), 0);
    uint64_t world = test_world;
    test_world = fork;
    counts("1 ['m1=zwei\\n']");
    test_world = world;
    counts("6 ['m1=zwei\\n']");
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    counts("1 []");
    /* One that does not answer is ended. */
    mcp_refuse(ADA, LASTING, "where", "{'how':'waits'}", "has not answered in its time");
    counts("1 []");
    mcp_refuse(ADA, LASTING, "where", "{'how':'ends'}", "has ended without an answer: it had to");
    counts("1 []");
    counts("2 []");
}

static void set_programs(const char *text)
{
    const char *doc = arena_printf(&test_arena, "sosia: 1\nprograms: %s\n", text);
    assert_int_equal(sosia_world_seed(test_engine, test_world, doc, strlen(doc), "doc", &test_err),
                     0);
}

static void a_server_has_the_worlds_files(void **state)
{
    NEEDS_SANDBOX();
    carry();
    /* Other bytes of the same length, at the same time of the world. */
    mcp_done(ADA, "/mcp/filesystem", "write_file", "{'path':'m1','content':'one'}");
    counts("1 ['m1=one']");
    mcp_done(ADA, "/mcp/filesystem", "write_file", "{'path':'m1','content':'two'}");
    counts("2 ['m1=two']");
    /* A directory that can't be entered. */
    prints("sh", "mkdir shut; echo x > shut/x; chmod 0 shut", "");
    counts("3 ['m1=two']");
    prints("sh", "chmod 700 shut; echo y > shut/x; chmod 0 shut", "");
    counts("4 ['m1=two']");
    /* What is there no more makes room for what is to be written. */
    set_programs("{limits: {dataMiB: 8}}");
    prints("sh", "head -c 6000000 /dev/zero > z", "");
    counts("1 ['m1=two']");
    prints("sh", "rm z; head -c 6000000 /dev/zero > a", "");
    counts("2 ['m1=two']");
    /* What it leaves can't be removed: it begins anew. */
    mcp_refuse(ADA, LASTING, "where", "{'how':'digs'}", "128 parts");
    counts("1 ['m1=two']");
    counts("2 ['m1=two']");
}

/* Who acts, what there may be, and the token that it was started with. */
static void a_server_begins_anew_where_the_world_is_another(void **state)
{
    NEEDS_SANDBOX();
    carry();
    counts("1 []");
    counts("2 []");
    mcp_says(ADA, LASTING, "where", "{'how':'calls'}", "200");
    assert_int_equal(sosia_clock_advance(test_engine, test_world, INT64_C(7200000000), &test_err),
                     0);
    mcp_says(ADA, LASTING, "where", "{'how':'calls'}", "200");
    counts("1 []");
    set_programs("{services: {actor: ada@acme.example, scopes: mail.readonly}}");
    counts("1 []");
    set_programs("{services: {actor: ada@acme.example}, limits: {openFiles: 60}}");
    counts("1 []");
    set_programs(
        "{services: {actor: ada@acme.example}, git: {name: Other, email: o@acme.example}}");
    counts("1 []");
    counts("2 []");
}

/* One that has refused the greeting is greeted again. */
static void a_refused_greeting_ends_a_server(void **state)
{
    NEEDS_SANDBOX();
    carry();
    prints("sh", "touch shy", "");
    mcp_refuse(ADA, LASTING, "where", "{'how':'counts'}", "MCP error -32000: 'not now'");
    prints("sh", "rm shy", "");
    counts("1 []");
    counts("2 []");
}

static void a_server_that_wakes_itself_writes_nowhere_else(void **state)
{
    NEEDS_SANDBOX();
    char outside[] = "/tmp/sosia-outside-XXXXXX";
    struct stat st;
    carry();
    assert_non_null(mkdtemp(outside));
    assert_int_equal(chmod(outside, 0777), 0);
    prints("sh", "mkdir d; for i in $(seq 50); do echo $i > d/$i; done", "");
    const char *call =
        arena_printf(&test_arena, "{\"name\":\"where\",\"arguments\":{\"to\":\"%s\"}}", outside);
    for (int i = 0; i < dose(100, 12); i++) {
        mcp_ask(ADA, "/mcp/waker", "tools/call", call); /* which may fail by what it does */
        prints("sh", "rm -rf d other; mkdir d; for i in $(seq 50); do echo $$ > d/$i; done", "");
    }
    assert_int_equal(stat(outside, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0777);
    if (rmdir(outside) < 0)
        fail_msg("something was made in %s", outside);
}

static void what_is_not_carried_is_not_there(void **state)
{
    NEEDS_SANDBOX();
    static const char body[] = "{\"server\":\"excel\",\"name\":\"read\"}";
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"},
                                           {"Accept", "application/json"}};
    test_request("POST", "/workspace/v1/carried/call", headers, 2, body, strlen(body));
    assert_int_equal(test_status, 412);
    assert_non_null(strstr(test_body, "a server must be one that is carried here"));
    test_request("POST", "/mcp/excel", headers, 3,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", 46);
    assert_int_equal(test_status, 404);
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
        cmocka_unit_test_setup_teardown(what_a_held_program_asks_counts_in_budgets, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_replay_makes_the_calls_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_programs_hold_nothing_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_servers_are_carried, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_replay_needs_no_carried_server, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_may_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_has_the_worlds_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_begins_anew_where_the_world_is_another, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_refused_greeting_ends_a_server, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_that_wakes_itself_writes_nowhere_else, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_carried_is_not_there, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
