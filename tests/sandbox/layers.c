/* SPDX-License-Identifier: Apache-2.0 */
/* Programs on large workspaces, which have a directory over a base in the place of a copy: the same
 * requests to two worlds, of which one has copies, come to the same. */
#include "sandbox/runner.h"
#include "tests/sandbox/kept.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ADA "ada@acme.example"
enum { DIRECTORIES = 12, FILES = 8 };

static uint64_t copied, layered;

/* d0/f0 and so on, and a few that are odd. */
static const char *document(void)
{
    static char text[16384];
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA
                 "\",\"name\":\"Ada\"}],\"workspace\":[");
    for (int d = 0; d < DIRECTORIES; d++)
        for (int f = 0; f < FILES; f++)
            buf_printf(&b, "{\"path\":\"d%d/f%d\",\"text\":\"%d of %d\\n\"},", d, f, f, d);
    buf_puts(&b, "{\"path\":\"d1.x/f\",\"text\":\"beside\"},{\"path\":\"shut/in\",\"text\":\"in\"},"
                 "{\"path\":\"shut\",\"directory\":true,\"mode\":\"0555\"},"
                 "{\"path\":\"deep/a/b/c\",\"text\":\"c\"},"
                 "{\"path\":\"to-f\",\"link\":\"d0/f0\"}]}");
    snprintf(text, sizeof text, "%s", buf_str(&b));
    buf_done(&b);
    return text;
}

static int set_up(void **state)
{
    (void)state;
    if (kept_open(document()) < 0)
        return -1;
    layered = test_world;
    return sosia_world_fork(test_engine, test_world, NULL, &copied, &test_err);
}

static int tear_down(void **state)
{
    (void)state;
    return kept_close();
}

/* The next calls are of this world. */
static void be_in(uint64_t world)
{
    test_world = world;
    if (kept_by)
        runner_copies(kept_by, world == layered ? 0 : INT32_MAX, world == layered ? 0 : INT64_MAX);
}

static const struct json *post(const char *target, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const struct json *v = test_request("POST", target, headers, 2, body, strlen(body));
    if (test_status != 200)
        fail_msg("%s: %d %s", body, test_status, test_body);
    return v;
}

static const struct json *shell(const char *script)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "argv");
    json_str(&w, NULL, "bash");
    json_str(&w, NULL, "-c");
    json_str(&w, NULL, script);
    json_end(&w);
    json_end(&w);
    const struct json *v = post("/workspace/v1/programs/run", buf_str(&b));
    buf_done(&b);
    return v;
}

/* What the world's workspace is, but for times. */
static const char *files(void)
{
    static const char *const members[] = {"path", "pathBytes", "mode",  "directory",
                                          "link", "text",      "base64"};
    const struct json *list = json_get(test_dump(), "workspace");
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; list && i < list->n; i++) {
        for (size_t k = 0; k < SOSIA_LEN(members); k++)
            if (json_get(&list->items[i], members[k]))
                buf_printf(&b, "%s=%s ", members[k], printed_at(&list->items[i], members[k]));
        buf_puts(&b, "\n");
    }
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *outcome(const struct json *v)
{
    return arena_printf(&test_arena, "%lld %s %s", (long long)json_get_int(v, "status", -1),
                        text_at(v, "stdout"), json_get(v, "stderr") ? text_at(v, "stderr") : "");
}

/* In both worlds; what comes of it is the same. */
static void does(const char *script)
{
    be_in(copied);
    const struct json *v = shell(script);
    const char *said = outcome(v), *there = files();
    const int64_t changed = json_get_int(v, "changed", -1),
                  removed = json_get_int(v, "removed", -1);
    be_in(layered);
    v = shell(script);
    const char *here = files();
    if (strcmp(said, outcome(v)) != 0)
        fail_msg("%s: %s, over a base %s", script, said, outcome(v));
    if (strcmp(there, here) != 0)
        fail_msg("%s: copied\n%s\nover a base\n%s", script, there, here);
    if (changed != json_get_int(v, "changed", -1) || removed != json_get_int(v, "removed", -1))
        fail_msg("%s: %lld changed and %lld removed, over a base %s", script, (long long)changed,
                 (long long)removed, test_body);
}

static void natively(const char *tool, const char *body)
{
    for (int i = 0; i < 2; i++) {
        be_in(i ? layered : copied);
        post(arena_printf(&test_arena, "/workspace/v1/filesystem/%s", tool), body);
    }
}

/* One base serves what comes after: what differs from it is written over it each time. */
static void what_comes_of_it_is_the_same(void **state)
{
    NEEDS_SANDBOX();
    static const char *const scripts[] = {
        "cat d*/* to-f | sort | md5sum; find . | sort | md5sum; stat -c '%A %s %N' d0/f0 to-f shut",
        "echo x > new", "rm d1/f1; echo y >> d1/f2; chmod 600 d1/f3; cat d1/f2", "rm -r d2",
        "mkdir d2; echo z > d2/only; ls d2", "rm -r d3; mkdir d3; echo in > d3/f1; ls d3",
        "rm -r d4; echo file > d4", "rm d5/f1; mkdir d5/f1; echo deep > d5/f1/x", "mv d6 d6new; ls",
        "mv d7/f1 d7/g1; ln -s f2 d7/link; rm d7/f3; ln -s /etc/passwd d7/f3; ls -A d7",
        /* Of which nothing but a time is another one. */
        "touch -d @1000 d8/f1; cp -p d8/f2 t; mv t d8/f2; chmod 700 d8; chmod 755 d8",
        "chmod 700 d9; chmod 755 shut; echo y > shut/y; chmod 555 shut",
        "rm -r d3; mkdir -p d3/sub; rm -r d3; mkdir d3; echo again > d3/f2; find d3",
        "mv d2 d2b; mv d2b d2", "echo a > t; rm t; mkdir -p q/r; echo 1 > q/r/s; rm -r q",
        "rm new; mkdir new; rmdir new; echo n > new",
        "ln d0/f0 d0/hard; echo more >> d0/hard; cat d0/f0", "rm -r d1; ls d1.x",
        "touch \"$(printf 'a\\nb')\" \"$(printf '\\377')\"; mkdir \"$(printf 'd\\tx')\"",
        "mkfifo deep/pipe; rm -r deep/a/b; mkdir -p deep/a/b; python3 -c \"import socket; "
        "socket.socket(socket.AF_UNIX).bind('s')\"",
        "rm -r deep; mkdir -p deep/a/b/c; rmdir deep/a/b/c; echo c > deep/a/b/c",
        "rm -rf d10 && mv d11 d10 && ls d10", "printf FILE > x; touch -d @1000 x",
        "printf file | dd of=x conv=notrunc 2>/dev/null; touch -d @1000 x; cat x",
        "chmod -R u+w .; rm -rf * .[!.]*; ls -A",
        "mkdir d0; echo back > d0/f0; ls -A; find . | wc -l"};
    for (size_t i = 0; i < SOSIA_LEN(scripts); i++) {
        does(scripts[i]);
        assert_int_equal(runner_bases(kept_by), 1);
    }
}

static void what_tools_write_between_is_there(void **state)
{
    NEEDS_SANDBOX();
    does("cat d0/f0");
    natively("write_file", "{\"path\":\"d0/f0\",\"content\":\"another\"}");
    natively("write_file", "{\"path\":\"d0/added\",\"content\":\"added\"}");
    natively("move_file", "{\"source\":\"d1\",\"destination\":\"moved\"}");
    natively("create_directory", "{\"path\":\"d1\"}");
    natively("write_file", "{\"path\":\"d1/f3\",\"content\":\"new in old\"}");
    does("cat d0/* d1/* moved/*; ls d1 moved");
    does("rm d0/added d1/f3; echo z > moved/f2");
    natively("move_file", "{\"source\":\"moved\",\"destination\":\"d1/moved\"}");
    does("find d1; cat d1/moved/f2; rm -r d1; ls");
    assert_int_equal(runner_bases(kept_by), 1);
    /* Below a directory of the base that nobody may write into: there is a copy, for once. */
    natively("write_file", "{\"path\":\"shut/more\",\"content\":\"more\"}");
    does("cat shut/*; chmod 755 shut; rm shut/in; chmod 555 shut");
    does("ls shut");
}

/* What marks a directory's own part for the kernel is nothing that programs can write. */
static void marks_of_layers_can_not_be_made(void **state)
{
    NEEDS_SANDBOX();
    static const char *const scripts[] = {
        "python3 -c \"import os, stat\nfor name in ('opaque', 'whiteout', 'redirect', 'metacopy', "
        "'origin', 'nlink', 'upper', 'impure'):\n for p in ('d0', 'd1/f1', 'd2/f2', '.'):\n  try: "
        "os.setxattr(p, 'user.overlay.' + name, b'/d3' if name == 'redirect' else b'y')\n  except "
        "OSError: pass\"; ls d0 d1",
        "python3 -c \"import os, stat\nfor p in ('none', 'd0/none', 'd1/f2'):\n try: "
        "os.unlink(p)\n "
        "except OSError: pass\n try: os.mknod(p, stat.S_IFCHR | 0o600, 0)\n except OSError: "
        "pass\"; ls d3",
        "mkdir .wh..opq d4/.wh.f1; echo x > d4/.wh.f2; ls -A d4",
        "python3 -c \"import os\nos.truncate('d5/f1', 0)\ntry: os.setxattr('d5/f1', "
        "'user.overlay.whiteout', b'')\nexcept OSError: pass\ntry: os.setxattr('d5', "
        "'user.overlay.opaque', b'x')\nexcept OSError: pass\"; ls d5",
        "rm -r d1 d1.x; ls"};
    for (size_t i = 0; i < SOSIA_LEN(scripts); i++)
        does(scripts[i]);
}

/* Many changes, one after the other, that nobody has thought of. */
static void put_change(struct buf *b, uint32_t *seed)
{
    static const char *const forms[] = {"mv -T", "ln", "ln -sfn", "cp -aT"};
    char at[2][40];
    for (int i = 0; i < 2; i++) {
        *seed = *seed * 1664525 + 1013904223;
        const uint32_t r = *seed >> 8;
        snprintf(at[i], sizeof at[i], r % 3 ? "d%u/f%u%s" : "d%u", r / 3 % 4, r / 12 % 3,
                 r / 36 % 4 ? "" : "/g");
    }
    *seed = *seed * 1664525 + 1013904223;
    const unsigned n = *seed >> 10 & 1023;
    buf_puts(b, "{ ");
    switch (*seed >> 24 & 7) {
    case 0:
        buf_printf(b, "rm -rf %s", at[0]);
        break;
    case 1:
        buf_printf(b, "mkdir -p %s", at[0]);
        break;
    case 2:
        buf_printf(b, "echo %s-%u > %s", at[1], n, at[0]);
        break;
    case 3:
        buf_printf(b, "chmod 7%u5 %s", n % 2 ? 5 : 0, at[0]);
        break;
    case 4:
        buf_printf(b, "touch -d @%u %s", 1000 + n, at[0]);
        break;
    case 5:
        buf_printf(b, "rm -rf %s; mkdir %s", at[0], at[0]);
        break;
    default:
        buf_printf(b, "%s %s %s", forms[n % SOSIA_LEN(forms)], at[0], at[1]);
    }
    buf_puts(b, "; } 2>/dev/null\n");
}

static void changes_without_a_plan_come_to_the_same(void **state)
{
    NEEDS_SANDBOX();
    uint32_t seed = 20261129;
    for (int round = 0; round < 6; round++) {
        struct buf b;
        buf_init(&b, 0);
        for (int i = 0; i < 30; i++)
            put_change(&b, &seed);
        buf_puts(&b, "find . | sort | md5sum; cat d*/* 2>/dev/null | md5sum");
        does(buf_str(&b));
        buf_done(&b);
    }
}

/* Worlds of one origin share a base, and see nothing of each other. */
static void forks_share_a_base(void **state)
{
    NEEDS_SANDBOX();
    uint64_t fork;
    be_in(layered);
    shell("echo mine > secret; rm d0/f0");
    assert_int_equal(sosia_world_fork(test_engine, copied, NULL, &fork, &test_err), 0);
    test_world = fork;
    assert_string_equal(
        text_at(shell("cat d0/f0; ls -A secret /.bases /data/upper 2>&1 | grep -v cannot"),
                "stdout"),
        "0 of 0\n/.bases:\n");
    assert_int_equal(runner_bases(kept_by), 1);
    sosia_world_drop(test_engine, fork, NULL);
    test_world = layered;
}

/* Who comes while the base is written waits for it. */
struct asker {
    pthread_t thread;
    uint64_t world;
    const char *bearer;
    char body[400];
};

static void *ask(void *arg)
{
    static const char body[] = "{\"argv\":[\"sh\",\"-c\",\"cat d0/f0; rm d0/f0\"]}";
    struct asker *k = arg;
    const struct sosia_header headers[] = {{"Authorization", k->bearer},
                                           {"Content-Type", "application/json"}};
    struct sosia_request r = {.method = "POST",
                              .target = "/workspace/v1/programs/run",
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = sizeof body - 1};
    struct sosia_response *answer;
    struct sosia_err why;
    if (sosia_call(test_engine, k->world, &r, &answer, &why) < 0)
        return NULL;
    snprintf(k->body, sizeof k->body, "%.*s", (int)answer->body_len, answer->body);
    sosia_response_free(answer);
    return NULL;
}

static void worlds_begin_at_once(void **state)
{
    NEEDS_SANDBOX();
    struct asker askers[6] = {0};
    be_in(layered);
    for (size_t i = 0; i < SOSIA_LEN(askers); i++) {
        assert_int_equal(sosia_world_fork(test_engine, copied, NULL, &askers[i].world, &test_err),
                         0);
        test_world = askers[i].world;
        askers[i].bearer = test_bearer(ADA, NULL);
    }
    for (size_t i = 0; i < SOSIA_LEN(askers); i++)
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
    for (size_t i = 0; i < SOSIA_LEN(askers); i++) {
        pthread_join(askers[i].thread, NULL);
        if (!strstr(askers[i].body, "0 of 0"))
            fail_msg("%zu: %s", i, askers[i].body);
        sosia_world_drop(test_engine, askers[i].world, NULL);
    }
    assert_int_equal(runner_bases(kept_by), 1);
    test_world = layered;
}

/* A directory that was in the base is renamed by copying: the kernel's answer is what programs get.
 */
static void a_directory_of_the_base_is_moved_by_copying(void **state)
{
    NEEDS_SANDBOX();
    be_in(layered);
    const char *out = text_at(
        shell("python3 -c \"import os\ntry: os.rename('d0', 'e0')\nexcept OSError as e: "
              "print(e.errno)\"; mv d0 e0; ls -d d0 e0 2>/dev/null; df . | grep -c overlay"),
        "stdout");
    assert_string_equal(out, "18\ne0\n1\n");
}

static void what_is_too_much_changes_nothing(void **state)
{
    NEEDS_SANDBOX();
    be_in(layered);
    const char *before = files();
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    static const char body[] =
        "{\"argv\":[\"sh\",\"-c\",\"echo x > x; rm d0/f0; head -c 70000000 /dev/zero > big\"]}";
    test_request("POST", "/workspace/v1/programs/run", headers, 2, body, strlen(body));
    assert_int_equal(test_status, 413);
    assert_string_equal(files(), before);
}

int main(int argc, char **argv)
{
    int code;
    if (kept_main(argc, argv, &code))
        return code;
#define layers_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        layers_test(what_comes_of_it_is_the_same),
        layers_test(what_tools_write_between_is_there),
        layers_test(marks_of_layers_can_not_be_made),
        layers_test(changes_without_a_plan_come_to_the_same),
        layers_test(forks_share_a_base),
        layers_test(worlds_begin_at_once),
        layers_test(a_directory_of_the_base_is_moved_by_copying),
        layers_test(what_is_too_much_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
