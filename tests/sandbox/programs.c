/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of calls: they run on a copy of the world's workspace, what they change comes back into
 * it, and a replay needs none of them. Where the machine has no user namespaces, most of it cannot
 * be tried, which is said. */
#include "engine/send/program.h"
#include "sandbox/runner.h"
#include "services/workspace/core/program.h"
#include "tests/sandbox/kept.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define ADA "ada@acme.example"

#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA                 \
    "\",\"name\":\"Ada\"}],\"workspace\":[{\"path\":\"a.txt\",\"text\":\"one\\ntwo\\n\","          \
    "\"modified\":\"2026-01-02T03:04:05.000006Z\"},"                                               \
    "{\"path\":\"dir/b.md\",\"text\":\"# B\\n\"},{\"path\":\"bytes\",\"base64\":\"/v5h\"},"        \
    "{\"path\":\"run.sh\",\"text\":\"#!/bin/sh\\necho ran $1\\n\",\"mode\":\"0755\"},"             \
    "{\"path\":\"dir/gone.txt\",\"text\":\"same content\\n\"},"                                    \
    "{\"path\":\"to-b\",\"link\":\"dir/b.md\"},{\"path\":\"out\",\"link\":\"/etc/passwd\"}]}"

static int set_up(void **state)
{
    (void)state;
    return kept_open(DOC);
}

static int tear_down(void **state)
{
    (void)state;
    return kept_close();
}

static const struct json *send(const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    return test_request("POST", PROGRAM_PATH, headers, 2, body, strlen(body));
}

/* By a shell; with ' for ". */
static const struct json *shell(const char *script, const char *more)
{
    struct buf b;
    buf_init(&b, 0);
    struct json_writer w;
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "argv");
    json_str(&w, NULL, "sh");
    json_str(&w, NULL, "-c");
    json_str(&w, NULL, script);
    json_end(&w);
    if (more)
        json_raw(&w, "keep", more, strlen(more));
    json_end(&w);
    const struct json *v = send(buf_str(&b));
    buf_done(&b);
    if (test_status != 200)
        fail_msg("%s: %d %s", script, test_status, test_body);
    return v;
}

static void prints(const char *script, const char *expected)
{
    const struct json *v = shell(script, NULL);
    const char *out = text_at(v, "stdout");
    if (!out || strcmp(out, expected) != 0)
        fail_msg("%s: expected %s, got %s", script, expected, test_body);
}

/* The workspace as a dump has it, one member of a path; NULL: it is not there. */
static const char *in_dump(const char *path, const char *member)
{
    const struct json *list = json_get(test_dump(), "workspace");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *at = json_get_str(&list->items[i], "path");
        if (at && strcmp(at, path) == 0)
            return json_get(&list->items[i], member) ? printed_at(&list->items[i], member) : "";
    }
    return NULL;
}

/* ---- a program ---- */

static void it_sees_the_workspace(void **state)
{
    NEEDS_SANDBOX();
    prints(
        "pwd; ls -A; cat a.txt to-b dir/gone.txt; ./run.sh x; od -An -tx1 bytes",
        "/data\na.txt\nbytes\ndir\nout\nrun.sh\nto-b\none\ntwo\n# B\nsame content\nran x\n fe fe "
        "61\n");
    prints("stat -c '%a %Y %N' a.txt run.sh out to-b dir | sed 's/ 17[0-9]*//'",
           "644 'a.txt'\n755 'run.sh'\n777 'out' -> '/etc/passwd'\n777 'to-b' -> 'dir/b.md'\n755 "
           "'dir'\n");
    prints("stat -c %.9Y a.txt", "1767323045.000006000\n");
    /* Nothing of that was a change. */
    assert_int_equal(json_get_int(shell("true", NULL), "changed", -1), 0);
    assert_int_equal(json_get_int(shell("touch -d @1 dir; true", NULL), "changed", -1), 0);
    prints("echo $SOURCE_DATE_EPOCH $GIT_AUTHOR_DATE $HOME",
           "1795420800 1795420800 +0000 /home/user\n");
}

static void what_it_changes_comes_back(void **state)
{
    NEEDS_SANDBOX();
    const struct json *v = shell("echo new > new.txt; mkdir -p d/e; printf '\\377\\000' > d/e/raw; "
                                 "ln -s ../nowhere d/link; rm -r dir; chmod 600 a.txt; mv bytes "
                                 "d/bytes; rm to-b; echo no; echo why >&2; exit 3",
                                 NULL);
    assert_int_equal(json_get_int(v, "status", -1), 3);
    assert_string_equal(text_at(v, "stdout"), "no\n");
    assert_string_equal(text_at(v, "stderr"), "why\n");
    assert_int_equal(json_get_int(v, "changed", -1), 7);
    assert_int_equal(json_get_int(v, "removed", -1), 3);
    assert_string_equal(in_dump("new.txt", "text"), "new\n");
    assert_string_equal(in_dump("d/e/raw", "base64"), "/wA=");
    assert_string_equal(in_dump("d/link", "link"), "../nowhere");
    assert_string_equal(in_dump("a.txt", "mode"), "0600");
    assert_string_equal(in_dump("a.txt", "text"), "one\ntwo\n");
    assert_string_equal(in_dump("d/bytes", "base64"), "/v5h");
    assert_null(in_dump("dir/gone.txt", "text"));
    assert_null(in_dump("dir", "directory"));
    assert_null(in_dump("to-b", "link"));
    assert_null(in_dump("bytes", "base64"));
    /* And the next one sees that. */
    prints("cat new.txt; ls d/e; readlink d/link", "new\nraw\n../nowhere\n");
    /* A file in the place of a directory, and the other way about. */
    shell("rm -r d; echo file > d; rm a.txt; mkdir a.txt; echo in > a.txt/in", NULL);
    assert_string_equal(in_dump("d", "text"), "file\n");
    assert_string_equal(in_dump("a.txt/in", "text"), "in\n");
    /* The same length and time, in the same inode. */
    shell("printf FILE >x; touch -d @1000 x", NULL);
    shell("printf file | dd of=x conv=notrunc 2>/dev/null; touch -d @1000 x", NULL);
    assert_string_equal(in_dump("x", "text"), "file");
}

/* What is written into memory that was mapped changes no time. The large file takes longer than a
 * tick of the clock of files, so that times are all that is asked of what was written before it. */
static void a_mapped_file_is_looked_at(void **state)
{
    NEEDS_SANDBOX();
    shell("truncate -s 60M zero", NULL);
    assert_int_equal(json_get_int(shell("cat a.txt >/dev/null", NULL), "changed", -1), 0);
    const struct json *v =
        shell("python3 -c \"import mmap; f = open('a.txt', 'r+'); m = mmap.mmap(f.fileno(), 0); "
              "m.find(b't'); m[0] = 79\"",
              NULL);
    assert_int_equal(json_get_int(v, "changed", -1), 1);
    shell("rm zero", NULL);
    assert_string_equal(in_dump("a.txt", "text"), "One\ntwo\n");
}

/* Ways to hide the access by which what was mapped is known: each is refused, and what is written
 * comes back. */
static void a_mapped_file_cannot_hide(void **state)
{
    static const char script[] =
        "for i in 0 1 2 3 4; do echo old > m$i; done; truncate -s 60M zero";
    static const char ways[] =
        "python3 - <<'END'\n"
        "import ctypes, fcntl, mmap, os, struct\n"
        "libc, quiet = ctypes.CDLL(None, use_errno=True), os.O_RDWR | os.O_NOATIME\n"
        "def plain(p, do):\n"
        "    fd = os.open(p, os.O_RDWR)\n"
        "    do(fd)\n"
        "    return fd\n"
        "def checked(n):\n"
        "    if n < 0:\n"
        "        raise OSError(ctypes.get_errno(), 'call')\n"
        "    return n\n"
        "ways = [\n"
        "    lambda p: os.open(p, quiet),\n"
        "    lambda p: plain(p, lambda fd: fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NOATIME)),\n"
        "    lambda p: plain(p, lambda fd: fcntl.ioctl(fd, 0x40086602, struct.pack('l', 0x80))),\n"
        "    lambda p: checked(libc.syscall(437, -100, p.encode(), struct.pack('QQQ', quiet, 0, "
        "0), "
        "24)),\n"
        "    lambda p: plain(p, lambda fd: checked(libc.syscall(469, -100, p.encode(), "
        "struct.pack('QIIIII', 0x40, 0, 0, 0, 0, 0), 32, 0)))]\n"
        "for i, way in enumerate(ways):\n"
        "    name = 'm%d' % i\n"
        "    try:\n"
        "        fd = way(name)\n"
        "    except OSError as e:\n"
        "        print(i, e.errno)\n"
        "        fd = os.open(name, os.O_RDWR)\n"
        "    mmap.mmap(fd, 0)[0:3] = b'new'\n"
        "END";
    NEEDS_SANDBOX();
    shell(script, NULL);
    const struct json *v = shell(ways, NULL);
    assert_string_equal(text_at(v, "stdout"), "0 1\n1 1\n2 1\n3 38\n4 38\n");
    assert_int_equal(json_get_int(v, "changed", -1), 5);
    shell("rm zero", NULL);
    for (int i = 0; i < 5; i++)
        assert_string_equal(in_dump(arena_printf(&test_arena, "m%d", i), "text"), "new\n");
}

static void nothing_else_stays(void **state)
{
    NEEDS_SANDBOX();
    shell("echo s > /tmp/s; echo s > $HOME/s; cd /tmp; export X=1; (sleep 600 > /dev/null 2>&1 "
          "&)",
          NULL);
    prints("ls -A /tmp /home/user; pwd; echo x$X; ps ax 2>/dev/null | grep -c '[s]leep 600'",
           "/home/user:\n\n/tmp:\n/data\nx\n0\n");
    /* What can be no node is named, and nothing of it is there. */
    shell("mkfifo pipe; mkdir deep; mkfifo deep/pipe", NULL);
    assert_null(in_dump("pipe", "text"));
    assert_non_null(in_dump("deep", "directory"));
}

static void a_link_is_never_followed(void **state)
{
    NEEDS_SANDBOX();
    shell("ln -s /etc etc; ln -s /proc/self/root root; rm -r dir; ln -s / dir", NULL);
    assert_string_equal(in_dump("dir", "link"), "/");
    assert_string_equal(in_dump("etc", "link"), "/etc");
    assert_null(in_dump("etc/passwd", "text"));
    assert_null(in_dump("dir/etc", "directory"));
    /* And back into a session: the target is the session's. */
    prints("head -c 4 out; echo; ls -d etc/shadow 2>/dev/null; ls dir/ | grep -c work",
           "root\n0\n");
    /* What nobody may read comes back too. */
    shell("echo deep > closed; chmod 0 closed; mkdir shut; echo in > shut/in; chmod 0 shut", NULL);
    assert_string_equal(in_dump("closed", "text"), "deep\n");
    assert_string_equal(in_dump("closed", "mode"), "0000");
    assert_string_equal(in_dump("shut/in", "text"), "in\n");
    prints("stat -c %a closed shut", "0\n0\n");
}

static void what_no_workspace_can_hold_changes_nothing(void **state)
{
    NEEDS_SANDBOX();
    const char *body = "{\"argv\":[\"sh\",\"-c\",\"echo x > x; head -c 70000000 /dev/zero > "
                       "big\"]}";
    send(body);
    assert_int_equal(test_status, 413);
    assert_non_null(strstr(test_body, "at most 64 MiB"));
    assert_null(in_dump("x", "text"));
    body = "{\"argv\":[\"sh\",\"-c\",\"p=.; for i in $(seq 140); do p=$p/d; done; mkdir -p $p\"]}";
    send(body);
    assert_int_equal(test_status, 413);
    assert_non_null(strstr(test_body, "128 parts"));
    assert_null(in_dump("d", "directory"));
}

static void its_output_and_time_are_bounded(void **state)
{
    NEEDS_SANDBOX();
    const struct json *v = shell("head -c 100000 /dev/zero | tr '\\0' x", NULL);
    assert_int_equal(strlen(text_at(v, "stdout")), 65536);
    assert_int_equal(json_get_int(v, "stdoutTotal", 0), 100000);
    v = shell("head -c 100000 /dev/zero | tr '\\0' x", "10");
    assert_string_equal(text_at(v, "stdout"), "xxxxxxxxxx");
    v = send("{\"argv\":[\"sh\",\"-c\",\"echo a > late; sleep 60; echo b > late\"],"
             "\"timeoutMs\":200}");
    assert_true(json_get_true(v, "timedOut"));
    assert_string_equal(in_dump("late", "text"), "a\n");
}

#define TWICE "\"environment\":[\"A=b\",\"SOURCE_DATE_EPOCH=7\",\"AB=1\",\"A=c\"]}"

static void a_request_says_what_is_run(void **state)
{
    NEEDS_SANDBOX();
    const struct json *v = send("{\"argv\":[\"cat\"],\"input\":\"from here\"}");
    assert_string_equal(text_at(v, "stdout"), "from here");
    v = send("{\"argv\":[\"cat\"],\"inputBytes\":\"/wD+\"}");
    assert_string_equal(text_at(v, "stdoutBytes"), "/wD+");
    v = send("{\"argv\":[\"sh\",\"-c\",\"pwd; echo $A $HOME; ls /home/user | head -1\"],"
             "\"environment\":[\"A=b\",\"HOME=/x\"],\"directory\":\"/data/dir\",\"home\":true}");
    assert_string_equal(text_at(v, "stdout"), "/data/dir\nb /x\na.txt\n");
    /* The last one of a name counts, for readers that take the first one too. */
    for (size_t i = 0; i < 2; i++) {
        v = send(i ? "{\"argv\":[\"bash\",\"-c\",\"echo $A $AB $SOURCE_DATE_EPOCH\"]," TWICE
                   : "{\"argv\":[\"python3\",\"-c\",\"from os import environ as e; "
                     "print(e['A'], e['AB'], e['SOURCE_DATE_EPOCH'])\"]," TWICE);
        assert_string_equal(text_at(v, "stdout"), "c 1 7\n");
    }
    v = send("{\"argv\":[\"no-such-program\"]}");
    assert_int_equal(json_get_int(v, "status", 0), 127);
    static const char *const refused[][2] = {
        {"{}", "expected array"},
        {"{\"argv\":[]}", ">=1 items"},
        {"{\"argv\":[\"true\"],\"environment\":[\"x\"]}", "NAME=VALUE"},
        {"{\"argv\":[\"true\"],\"timeoutMs\":3600001}", "1 to 3600 seconds"},
        {"{\"argv\":[\"true\"],\"keep\":16777217}", "up to 16777216 bytes"},
        {"{\"argv\":[\"a\\u0000b\"]}", "0000 is not supported"},
        {"{\"argv\":[\"cat\"],\"inputBytes\":\"*\"}", "base64"}};
    for (size_t i = 0; i < SOSIA_LEN(refused); i++) {
        send(refused[i][0]);
        if (test_status < 400 || !strstr(test_body, refused[i][1]))
            fail_msg("%s: %d %s", refused[i][0], test_status, test_body);
    }
}

/* ---- as a server calls ---- */

static void sends_nothing(void *arg, uint64_t world, int64_t first, int64_t last)
{
    (void)arg, (void)world, (void)first, (void)last;
}

static struct sosia_response *given;
static int n_given;
static void give(void *arg, struct sosia_response *response)
{
    (void)arg;
    given = response;
    n_given++;
}

/* Where deliveries have a sender, calls that wait for one are parked: one with a program is not,
 * and takes a thread that may wait. */
static void a_server_waits_where_it_may(void **state)
{
    NEEDS_SANDBOX();
    static const char body[] = "{\"argv\":[\"sh\",\"-c\",\"echo ran > ran; echo out\"]}";
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request r = {.method = "POST",
                                    .target = PROGRAM_PATH,
                                    .headers = headers,
                                    .n_headers = 2,
                                    .body = body,
                                    .body_len = sizeof body - 1};
    n_given = 0;
    assert_int_equal(sosia_engine_on_outbox(test_engine, sends_nothing, NULL), 0);
    assert_false(sosia_call_try(test_engine, test_world, &r, give, NULL));
    assert_int_equal(n_given, 0);
    sosia_call_async(test_engine, test_world, &r, give, NULL);
    assert_int_equal(n_given, 1);
    assert_int_equal(given->status, 200);
    assert_non_null(strstr(given->body, "\"stdout\":\"out\\n\""));
    sosia_response_free(given);
    assert_string_equal(in_dump("ran", "text"), "ran\n");
    assert_int_equal(sosia_engine_on_outbox(test_engine, NULL, NULL), 0);
}

/* Programs of one world run one after the other, also those of several callers. */
static void *count_up(void *arg)
{
    struct sosia_response *r;
    struct sosia_err why;
    if (sosia_call(test_engine, test_world, arg, &r, &why) == 0)
        sosia_response_free(r);
    return NULL;
}

static void programs_of_a_world_take_turns(void **state)
{
    NEEDS_SANDBOX();
    static const char body[] = "{\"argv\":[\"sh\",\"-c\",\"n=$(cat n 2>/dev/null || echo 0); "
                               "echo $((n + 1)) > n\"]}";
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    struct sosia_request r = {.method = "POST",
                              .target = PROGRAM_PATH,
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = sizeof body - 1};
    pthread_t threads[6];
    for (size_t i = 0; i < SOSIA_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, &r), 0);
    for (size_t i = 0; i < SOSIA_LEN(threads); i++)
        pthread_join(threads[i], NULL);
    assert_string_equal(in_dump("n", "text"), "6\n");
}

/* ---- without one ---- */

static void without_a_server_it_is_said(void **state)
{
    kept_end();
    send("{\"argv\":[\"true\"]}");
    assert_int_equal(test_status, 412);
    assert_non_null(strstr(test_body,
                           "a program needs a server that keeps it in (sosia serve), and "
                           "here is none"));
    /* A machine that can't: the keeper does not come up. */
    assert_int_equal(runner_open(test_engine, "/bin/false", NULL, &kept_by, &test_err), 0);
    send("{\"argv\":[\"true\"]}");
    assert_int_equal(test_status, 412);
    assert_non_null(strstr(test_body, "the keeper: "));
}

static const char *pages(uint64_t world)
{
    struct sosia_blob out;
    assert_int_equal(sosia_world_dump(test_engine, world, &out, &test_err), 0);
    char *text = arena_strdup(&test_arena, out.data);
    sosia_blob_free(&out);
    return text;
}

static void a_replay_runs_nothing(void **state)
{
    NEEDS_SANDBOX();
    struct sosia_replay_options opt = {.size = sizeof opt, .keep = true};
    struct sosia_blob report;
    uint64_t again;
    shell("date +%N > when; head -c 8 /dev/urandom > chance; rm bytes", NULL);
    shell("mkdir more; cp when more/", NULL);
    send("{\"argv\":[]}");
    const char *before = pages(test_world);
    kept_end(); /* what is taken again is what came */
    assert_int_equal(
        sosia_journal_replay(test_engine, test_world, &opt, &again, &report, &test_err), 0);
    if (!strstr(report.data, "\"equal\": true") || strstr(report.data, "\"taken\": [\n    {"))
        fail_msg("%s", report.data);
    sosia_blob_free(&report);
    assert_string_equal(pages(again), before);
    /* With another outcome in its place. */
    opt.edits =
        "[{\"step\":2,\"outcome\":{\"status\":200,\"body\":\"{\\\"status\\\":1,"
        "\\\"stderr\\\":\\\"2 tests failed\\\",\\\"changed\\\":[{\\\"path\\\":\\\"report\\\""
        ",\\\"text\\\":\\\"failed\\\"}]}\"}}]";
    opt.edits_len = strlen(opt.edits);
    if (sosia_journal_replay(test_engine, test_world, &opt, &again, &report, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const char *otherwise = pages(again);
    assert_non_null(strstr(otherwise, "failed"));
    assert_null(strstr(otherwise, "chance"));
    sosia_blob_free(&report);
}

/* A world that goes back while a program runs gets nothing of it. */
static int resets(void *arg, uint64_t world, uint64_t era, int64_t program, struct arena *arena,
                  struct sosia_outcome *ret, void **turn, struct sosia_err *err)
{
    (void)arena, (void)program, (void)era, (void)turn;
    *ret = (struct sosia_outcome){.status = 200,
                                  .body = "{\"status\":0,\"changed\":[{\"path\":"
                                          "\"late\",\"text\":\"x\"}]}"};
    ret->body_len = strlen(ret->body);
    return sosia_world_reset(arg, world, err);
}

static void a_reset_ends_it(void **state)
{
    kept_end();
    assert_int_equal(engine_on_program(test_engine,
                                       &(struct program_runner){.run = resets, .arg = test_engine},
                                       &test_err),
                     0);
    send("{\"argv\":[\"true\"]}");
    assert_int_equal(test_status, 404);
    assert_non_null(strstr(test_body, "the world went back while a program of the call ran"));
    assert_null(in_dump("late", "text"));
    assert_int_equal(engine_on_program(test_engine, NULL, &test_err), 0);
}

/* A program that runs for long is ended when its world goes back, and when all are ended. */
static void *reset_later(void *arg)
{
    struct sosia_err why;
    while (!program_busy(test_engine, 0))
        usleep(1000);
    usleep(100000);
    if (arg)
        sosia_world_reset(test_engine, test_world, &why);
    else
        program_stop(test_engine, 0, PROGRAM_ANY_ERA);
    return NULL;
}

static void a_long_one_is_ended(void **state)
{
    NEEDS_SANDBOX();
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        int none;
        assert_int_equal(pthread_create(&thread, NULL, reset_later, i ? &none : NULL), 0);
        send("{\"argv\":[\"sleep\",\"50\"]}");
        pthread_join(thread, NULL);
        assert_int_equal(test_status, i ? 404 : 412);
        assert_non_null(strstr(test_body, i ? "went back" : "ended"));
        assert_false(program_busy(test_engine, 0));
    }
    prints("echo here", "here\n");
}

/* A keeper that dies is replaced by the next program. */
static void a_keeper_that_ends_is_replaced(void **state)
{
    NEEDS_SANDBOX();
    prints("echo here", "here\n");
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *f = fopen(path, "r");
    int pid = 0;
    if (!f || fscanf(f, "%d", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    if (!pid)
        skip();
    kill(pid, SIGKILL);
    usleep(50000);
    prints("echo again", "again\n");
}

/* An outcome is somebody's, once it is in a journal that was edited. */
static const char *outcome_body;
static int says(void *arg, uint64_t world, uint64_t era, int64_t program, struct arena *arena,
                struct sosia_outcome *ret, void **turn, struct sosia_err *err)
{
    (void)turn, (void)arg, (void)era, (void)world, (void)program, (void)arena, (void)err;
    *ret = (struct sosia_outcome){
        .status = 200, .body = outcome_body, .body_len = strlen(outcome_body)};
    return 0;
}

static void a_hostile_outcome_changes_nothing(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{",
        "null",
        "{\"stdout\":1}",
        "{\"stdoutBytes\":\"*\"}",
        "{\"changed\":1}",
        "{\"removed\":[{\"path\":\"../x\"}]}",
        "{\"removed\":[1]}",
        "{\"removed\":[{}]}",
        "{\"changed\":[{\"path\":\"new\",\"text\":\"x\"},{\"path\":\"/etc/x\",\"text\":\"x\"}]}",
        "{\"changed\":[{\"path\":\"new\",\"text\":\"x\"},{\"path\":\"a/../b\",\"text\":\"x\"}]}",
        "{\"changed\":[{\"path\":\"new\",\"text\":\"x\"},{\"path\":\"y\",\"mode\":\"7777\"}]}",
        "{\"changed\":[{\"path\":\"new\",\"text\":\"x\"},{\"path\":\"y\",\"link\":\"\"}]}",
        "{\"changed\":[{\"path\":\"new\",\"text\":\"x\"},{\"pathBytes\":\"AA==\"}]}",
        "{\"changed\":[{\"path\":\"new\",\"text\":\"x\"},{\"path\":\"y\",\"text\":\"x\","
        "\"link\":\"z\"}]}",
        "{\"failed\":\"it was too large\"}"};
    kept_end();
    assert_int_equal(
        engine_on_program(test_engine, &(struct program_runner){.run = says}, &test_err), 0);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        outcome_body = bad[i];
        send("{\"argv\":[\"true\"]}");
        if (test_status < 400)
            fail_msg("%s: %d %s", bad[i], test_status, test_body);
        assert_null(in_dump("new", "text"));
    }
    outcome_body = "{\"status\":0,\"changed\":[{\"path\":\"to-b/under\",\"text\":\"x\"}]}";
    send("{\"argv\":[\"true\"]}"); /* not through the link: in its place */
    assert_int_equal(test_status, 200);
    assert_string_equal(in_dump("dir/b.md", "text"), "# B\n");
    assert_string_equal(in_dump("to-b/under", "text"), "x");
    assert_int_equal(engine_on_program(test_engine, NULL, &test_err), 0);
}

/* ---- checkers ---- */

static uint64_t checked_from;

/* What a suite with one assertion says of the world; with ' for ". */
static const struct json *checked(const char *assertion)
{
    struct sosia_suite *suite;
    struct sosia_blob blob;
    const char *text = arena_printf(&test_arena,
                                    "{'version':'1.1','name':'s','tests':[{'id':'t',"
                                    "'prompt':'p','assertions':[%s]}]}",
                                    assertion);
    text = quoted(text);
    if (sosia_suite_open(text, strlen(text), "s.json", &suite, &test_err) < 0)
        fail_msg("%s", test_err.text);
    int rc = sosia_grade(test_engine, suite, NULL, checked_from, test_world, &blob, &test_err);
    sosia_suite_close(suite);
    if (rc < 0)
        return NULL;
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

static void verdict(const char *assertion, bool passed, const char *role, const char *why)
{
    const struct json *v = checked(assertion);
    if (!v)
        fail_msg("%s", test_err.text);
    const char *said = json_to_text(&test_arena, v);
    if (true_at(v, "parts.0.passed") != passed || strcmp(text_at(v, "parts.0.role"), role) != 0 ||
        (why && !strstr(said, why)))
        fail_msg("%s: %s", assertion, said);
}

static void a_program_judges(void **state)
{
    NEEDS_SANDBOX();
    shell("echo three >> a.txt", NULL);
    struct sosia_blob blob;
    char before[65], after[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, before, &test_err), 0);
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, true, &blob, &test_err), 0);
    const char *log = arena_strdup(&test_arena, blob.data);
    sosia_blob_free(&blob);
    for (int i = 0; i < 2; i++) {
        /* From what the world resets to, and from a world. */
        verdict("{'program':{'argv':['grep','three','a.txt']}}", true, "goal", NULL);
        verdict("{'program':{'argv':['grep','two','a.txt']}}", true, "guard", NULL);
        verdict("{'program':{'argv':['grep','nine','a.txt']}}", false, "goal",
                "expected status 0, found 1");
        if (i == 0)
            checked_from = test_world_of(DOC);
    }
    verdict("{'program':{'argv':['sh'],'input':'echo so it is not >&2; exit 7'}}", false, "goal",
            "found 7: so it is not");
    verdict("{'program':{'argv':['sleep','50'],'seconds':1}}", false, "goal",
            "has not ended in 1 seconds");
    verdict("{'program':{'argv':['no-such-program']}}", false, "goal", "found 127");
    verdict("{'not':{'program':{'argv':['false']}}}", true, "guard", NULL);
    verdict("{'any':[{'program':{'argv':['false']}},{'program':{'argv':['sh','-c','rm a.txt; mkdir "
            "a.txt; test -d a.txt']}}]}",
            true, "guard", NULL);
    /* None of it is in the world, and no other world is left. */
    assert_int_equal(sosia_world_hash(test_engine, test_world, after, &test_err), 0);
    assert_string_equal(before, after);
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, true, &blob, &test_err), 0);
    assert_string_equal(blob.data, log);
    sosia_blob_free(&blob);
    struct sosia_engine_info info = {.size = sizeof info};
    sosia_engine_info(test_engine, &info);
    assert_int_equal(info.worlds, 2);
    kept_end();
    assert_null(checked("{'program':{'argv':['true']}}"));
    assert_string_equal(test_err.reason, "noPrograms");
    assert_non_null(strstr(test_err.text, "here is none"));
}

static void checkers_are_read(void **state)
{
    static const char *const bad[][2] = {
        {"{'program':{}}", "argv: must have 1 to 100 texts, has 0"},
        {"{'program':{'argv':['a'],'seconds':0}}", "seconds"},
        {"{'program':{'argv':['a'],'seconds':4000}}", "seconds"},
        {"{'program':{'argv':['a'],'more':1}}", "more"},
        {"{'program':{'argv':'a'}}", "argv"},
        {"{'program':{'argv':['a']},'is':1}", "is"},
        {"{'program':{'argv':['a']},'state':'event'}", "not several"}};
    struct sosia_suite *suite;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *text = quoted(arena_printf(
            &test_arena,
            "{'version':'1.1','name':'s','tests':[{'id':'t','prompt':'p','assertions':[%s]}]}",
            bad[i][0]));
        assert_int_equal(sosia_suite_open(text, strlen(text), "s.json", &suite, &test_err), -1);
        if (!strstr(test_err.text, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], test_err.text);
    }
}

int main(int argc, char **argv)
{
    int code;
    if (kept_main(argc, argv, &code))
        return code;
#define programs_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        programs_test(it_sees_the_workspace),
        programs_test(what_it_changes_comes_back),
        programs_test(a_mapped_file_is_looked_at),
        programs_test(a_mapped_file_cannot_hide),
        programs_test(nothing_else_stays),
        programs_test(a_link_is_never_followed),
        programs_test(what_no_workspace_can_hold_changes_nothing),
        programs_test(its_output_and_time_are_bounded),
        programs_test(a_request_says_what_is_run),
        programs_test(a_server_waits_where_it_may),
        programs_test(programs_of_a_world_take_turns),
        programs_test(without_a_server_it_is_said),
        programs_test(a_replay_runs_nothing),
        programs_test(a_reset_ends_it),
        programs_test(a_long_one_is_ended),
        programs_test(a_keeper_that_ends_is_replaced),
        programs_test(a_hostile_outcome_changes_nothing),
        programs_test(a_program_judges),
        programs_test(checkers_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
