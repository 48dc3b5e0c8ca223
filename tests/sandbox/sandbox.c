/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in a sandbox: what they see and reach, their limits, and what is left of them. Where the
 * machine has no user namespaces nothing of it can be tried, which is said. */
#include "sandbox/sandbox.h"
#include "tests/support/unit.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *self;
static struct sandbox *sandbox;
static struct sandbox_session *session;
static struct sosia_err err;
static struct sandbox_outcome said;

static int setup(void **state)
{
    (void)state;
    if (sandbox_open(self, NULL, NULL, &sandbox, &err) < 0) {
        fprintf(stderr, "not tried: %s\n", err.text);
        sandbox = NULL;
        return 0;
    }
    return sandbox_session_open(sandbox, NULL, &session, &err);
}

static int teardown(void **state)
{
    (void)state;
    sandbox_outcome_free(&said);
    said = (struct sandbox_outcome){0};
    sandbox_session_close(session);
    session = NULL;
    sandbox_close(sandbox);
    sandbox = NULL;
    return 0;
}

#define NEEDS_SANDBOX()                                                                            \
    if (!sandbox)                                                                                  \
    skip()

static const char *run_for(int64_t timeout_ms, const char *text)
{
    const char *const argv[] = {"sh", "-c", text, NULL};
    const struct sandbox_command c = {.argv = argv, .timeout_ms = timeout_ms};
    sandbox_outcome_free(&said);
    if (sandbox_run(session, &c, &said, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    buf_byte(&said.out.kept, 0);
    buf_byte(&said.err.kept, 0);
    return said.out.kept.data;
}

static const char *run(const char *text)
{
    return run_for(20000, text);
}

static void prints(const char *text, const char *wanted)
{
    const char *got = run(text);
    if (strcmp(got, wanted) != 0)
        fail_msg("%s: \"%s\" and \"%s\", not \"%s\"", text, got, said.err.kept.data, wanted);
}

static void a_command_sees_its_files_and_the_system(void **state)
{
    NEEDS_SANDBOX();
    sandbox_files_begin(sandbox);
    int fd = openat(sandbox_session_data(session), "a.txt", O_CREAT | O_WRONLY, 0644);
    assert_true(fd >= 0 && write(fd, "hello\n", 6) == 6);
    close(fd);
    sandbox_files_end(sandbox);
    prints("pwd; cat a.txt; echo more >> a.txt; id -u; id -g; hostname",
           "/data\nhello\n1000\n1000\nsandbox\n");
    assert_int_equal(said.status, 0);
    struct stat st;
    assert_int_equal(fstatat(sandbox_session_data(session), "a.txt", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_size, 11);
    prints("echo $HOME $AGENT_WORKSPACE; cd; echo x > f; cat f; ls / | grep -v lib; ls /home /root "
           "/srv 2>&1",
           "/home/user "
           "/data\nx\nbin\ndata\ndev\netc\nexecutions\nhome\nopt\nproc\nrun\nsbin\ntmp\nusr"
           "\nvar\n"
           "ls: cannot access '/root': No such file or directory\n"
           "ls: cannot access '/srv': No such file or directory\n/home:\nuser\n");
    run("exit 7");
    assert_int_equal(said.status, 7);
    run("kill -TERM $$");
    assert_int_equal(said.status, 128 + 15);
    run("echo out; echo err >&2");
    assert_string_equal(said.err.kept.data, "err\n");
    prints("python3 -c 'print(6 * 7)'", "42\n");
}

static void what_cannot_be_run_says_why(void **state)
{
    NEEDS_SANDBOX();
    const char *const none[] = {"no-such-program", NULL}, *const file[] = {"/etc/passwd", NULL};
    struct sandbox_outcome o;
    assert_int_equal(sandbox_run(session, &(struct sandbox_command){.argv = none}, &o, &err), 0);
    assert_int_equal(o.status, 127);
    sandbox_outcome_free(&o);
    assert_int_equal(sandbox_run(session, &(struct sandbox_command){.argv = file}, &o, &err), 0);
    assert_int_equal(o.status, 126);
    sandbox_outcome_free(&o);
    char *large = calloc(1, 200000);
    memset(large, 'x', 199999);
    const char *const much[] = {"echo", large, NULL};
    assert_int_equal(sandbox_run(session, &(struct sandbox_command){.argv = much}, &o, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    sandbox_outcome_free(&o);
    free(large);
    prints("echo still here", "still here\n");
}

static void input_and_environment_are_given(void **state)
{
    NEEDS_SANDBOX();
    const char *const argv[] = {"sh", "-c", "wc -c; echo $NAME $HOME", NULL};
    const char *const environment[] = {"NAME=value", "HOME=/tmp", NULL};
    char *input = calloc(1, 300000);
    memset(input, 'x', 300000);
    const struct sandbox_command c = {.argv = argv,
                                      .environment = environment,
                                      .directory = "/tmp",
                                      .input = input,
                                      .input_len = 300000};
    struct sandbox_outcome o;
    assert_int_equal(sandbox_run(session, &c, &o, &err), 0);
    buf_byte(&o.out.kept, 0);
    assert_string_equal(o.out.kept.data, "300000\nvalue /tmp\n");
    sandbox_outcome_free(&o);
    free(input);
}

/* A child of a process; 0: it has none. */
static pid_t child_of(pid_t parent)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    pid_t found = 0;
    while (d && !found && (e = readdir(d)) != NULL) {
        char path[300], line[300] = "";
        int above = 0;
        snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        int fd = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
        const char *end =
            fd >= 0 && read(fd, line, sizeof line - 1) > 0 ? strrchr(line, ')') : NULL;
        if (fd >= 0)
            close(fd);
        if (end && sscanf(end + 1, " %*c %d", &above) == 1 && above == parent)
            found = (pid_t)atoi(e->d_name);
    }
    if (d)
        closedir(d);
    return found;
}

/* Process 1 of the only session, and whether a command in it is over. */
struct stopping {
    pid_t one;
    atomic_bool over;
};

/* Stops process 1 as soon as what it runs has begun. */
static void *stop_process_one(void *arg)
{
    struct stopping *s = arg;
    while (!atomic_load(&s->over) && !child_of(s->one))
        usleep(1000);
    if (!atomic_load(&s->over))
        kill(s->one, SIGSTOP);
    return NULL;
}

/* Where process 1 does not answer the server ends the session: and waits until it has ended. */
static void nothing_is_left_of_a_session_that_is_killed(void **state)
{
    NEEDS_SANDBOX();
    static const char *const argv[] = {
        "sh", "-c",
        "for i in 1 2 3 4 5 6 7 8; do (while :; do echo x > /data/f$i; done) & done; wait", NULL};
    struct stopping stopping = {.one = child_of(child_of(getpid()))};
    struct sandbox_outcome o;
    pthread_t thread;
    assert_true(stopping.one > 0);
    /* Where the machine is slow the command's time can be over before process 1 is stopped. */
    for (int64_t ms = 100; sandbox_session_lives(session); ms *= 2) {
        const struct sandbox_command c = {.argv = argv, .timeout_ms = ms};
        atomic_store(&stopping.over, false);
        assert_int_equal(pthread_create(&thread, NULL, stop_process_one, &stopping), 0);
        assert_int_equal(sandbox_run(session, &c, &o, &err), 0);
        atomic_store(&stopping.over, true);
        pthread_join(thread, NULL);
        if (sandbox_session_lives(session)) {
            kill(stopping.one, SIGCONT);
            sandbox_outcome_free(&o);
        }
    }
    assert_true(o.timed_out);
    assert_int_equal(o.status, 128 + SIGKILL);
    assert_int_equal(child_of(stopping.one), 0);
    sandbox_outcome_free(&o);
}

/* Nothing of a command runs on: not what is in the background, nor what holds its output. */
static void nothing_is_left_running(void **state)
{
    NEEDS_SANDBOX();
    run("sleep 1000 & setsid sleep 1001 & (trap '' TERM HUP; sleep 1002) & echo started");
    assert_true(said.wall_us < 10000000);
    prints("ls /proc > /tmp/l; grep -c '^[0-9]' /tmp/l", "3\n"); /* process 1, sh, ls */
    const char *got = run_for(300, "trap '' TERM INT HUP; while :; do :; done");
    assert_string_equal(got, "");
    assert_true(said.timed_out);
    assert_int_equal(said.status, 128 + 9);
    prints("echo still here", "still here\n");
}

static void limits_hold(void **state)
{
    NEEDS_SANDBOX();
    run_for(5000, "f() { f | f & }; f; sleep 1");
    prints("echo still here", "still here\n");
    run("head -c 600M /dev/zero > /data/x");
    assert_true(said.status != 0);
    run("rm /data/x; head -c 80M /dev/zero > /tmp/x; rm /tmp/x");
    assert_true(strstr(said.err.kept.data, "No space left") != NULL);
    run("python3 -c 'x = bytearray(3 << 30)'");
    assert_true(strstr(said.err.kept.data, "MemoryError") != NULL);
    run("ulimit -n; ulimit -c; bash -c 'ulimit -u'");
    assert_string_equal(said.out.kept.data, "1024\n0\n128\n");
    run_for(20000, "yes");
    assert_true(said.flooded && !said.timed_out && said.out.kept.len == (1 << 20) + 1);
    assert_true(said.out.total > (64 << 20));
}

/* Each must print nothing but this, and have no effect outside. */
static void nothing_leads_out(void **state)
{
    NEEDS_SANDBOX();
    static const char *const attempts[] = {
        "echo x > /etc/passwd && echo out",
        "touch /usr/bin/x && echo out",
        "touch /x && echo out",
        "unshare -U true && echo out",
        "unshare -m true && echo out",
        "mount -t tmpfs none /tmp && echo out",
        "umount /data && echo out",
        "cat /proc/1/environ > /dev/null && echo out",
        "ls /proc/1/fd > /dev/null && echo out",
        "ls /proc/1/root/ > /dev/null && echo out",
        "kill -9 1 && sleep 0.2; exit 1",
        "kill -STOP 1; exit 1",
        "echo 1 > /proc/sys/kernel/core_pattern && echo out",
        "dd if=/dev/mem count=1 2>/dev/null && echo out",
        "mknod /data/d c 1 1 && echo out",
        "cat /etc/shadow && echo out",
        "ls -A /.old | grep . && echo out",
        "python3 -c 'import socket; socket.socket(40, 1)' && echo out",
        "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 1)' && echo out",
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); "
        "s.connect(\"/run/dbus/system_bus_socket\")' && echo out",
        "python3 -c 'import os; os.setuid(0)' && echo out",
        "su -c id && echo out",
        "python3 -c 'import ctypes, os; os._exit(0 if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 "
        "else 1)' && echo out"};
    for (size_t i = 0; i < SOSIA_LEN(attempts); i++)
        prints(attempts[i], "");
    prints("grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status",
           "CapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
    prints("ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c :", "1\n"); /* loopback */
}

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    closedir(d);
    return n;
}

static void sessions_are_apart_and_leave_nothing(void **state)
{
    NEEDS_SANDBOX();
    int before = descriptors();
    for (int i = 0; i < 8; i++) {
        struct sandbox_session *first = session, *other;
        assert_int_equal(sandbox_session_open(sandbox, NULL, &other, &err), 0);
        prints("echo secret > /data/s; echo secret > /tmp/s", "");
        session = other;
        prints("ls /data /tmp /home/user", "/data:\n\n/home/user:\n\n/tmp:\n");
        session = first;
        sandbox_session_close(other);
    }
    assert_int_equal(descriptors(), before);
}

static void a_session_that_ends_is_said(void **state)
{
    NEEDS_SANDBOX();
    sandbox_close(sandbox); /* the keeper is gone, and its sessions with it */
    sandbox = NULL;
    const char *const argv[] = {"true", NULL};
    struct sandbox_outcome o;
    assert_int_equal(sandbox_run(session, &(struct sandbox_command){.argv = argv}, &o, &err), -1);
    assert_int_equal(err.code, SOSIA_E_IO);
    sandbox_outcome_free(&o);
}

static void a_program_that_is_no_keeper_is_refused(void **state)
{
    struct sandbox *s;
    assert_int_equal(sandbox_open("/no/such/program", NULL, NULL, &s, &err), -1);
    assert_int_equal(err.code, SOSIA_E_IO);
    assert_int_equal(sandbox_open("/bin/true", NULL, NULL, &s, &err), -1);
    assert_int_equal(err.code, SOSIA_E_IO);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], SANDBOX_KEEPER) == 0)
        return sandbox_keep();
    self = "/proc/self/exe";
    char path[4096];
    ssize_t n = readlink(self, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    self = path;
#define sandbox_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        sandbox_test(a_command_sees_its_files_and_the_system),
        sandbox_test(what_cannot_be_run_says_why),
        sandbox_test(input_and_environment_are_given),
        sandbox_test(nothing_is_left_running),
        sandbox_test(nothing_is_left_of_a_session_that_is_killed),
        sandbox_test(limits_hold),
        sandbox_test(nothing_leads_out),
        sandbox_test(sessions_are_apart_and_leave_nothing),
        sandbox_test(a_session_that_ends_is_said),
        cmocka_unit_test(a_program_that_is_no_keeper_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
