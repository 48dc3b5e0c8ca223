/* SPDX-License-Identifier: Apache-2.0 */
/* Servers of others whose programs run on the workspace. */
#include "tests/sandbox/inside.h"

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
