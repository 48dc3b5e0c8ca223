/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that want out of a sandbox, or want more of the machine than they may have: each is run
 * as a call of a world. Nothing of it is outside afterwards: no byte, no process, and the next
 * program finds all as it was.
 */
#include "sandbox/runner.h"
#include "tests/sandbox/kept.h"
#include "tests/support/dose.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include <dirent.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ADA "ada@acme.example"

/* Small, so that each is reached at once. */
#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"" ADA                 \
    "\",\"name\":\"Ada\"}],\"workspace\":[{\"path\":\"a.txt\",\"text\":\"one\\n\"},"               \
    "{\"path\":\"out\",\"link\":\"%s\"}],\"programs\":{\"limits\":{\"memoryMiB\":256,"             \
    "\"dataMiB\":8,\"temporaryMiB\":4,\"homeMiB\":4,\"files\":500,\"processes\":32,"               \
    "\"openFiles\":64,\"outputMiB\":2,\"seconds\":1}}}"

static char outside[64]; /* a directory that programs must not reach, with a file in it */

static int set_up(void **state)
{
    char path[96];
    (void)state;
    strcpy(outside, "/tmp/sosia-outside-XXXXXX");
    if (!mkdtemp(outside) || chmod(outside, 0777) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/secret", outside);
    FILE *f = fopen(path, "w");
    if (!f || fputs("secret of the machine\n", f) < 0 || fclose(f) != 0 || chmod(path, 0666) < 0)
        return -1;
    char doc[2048];
    snprintf(doc, sizeof doc, DOC, path);
    return kept_open(doc);
}

static size_t entries_of(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    size_t n = 0;
    while (d && (e = readdir(d)) != NULL)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static int tear_down(void **state)
{
    char path[96];
    (void)state;
    snprintf(path, sizeof path, "%s/secret", outside);
    unlink(path);
    rmdir(outside);
    return kept_close();
}

/* ---- what is looked at afterwards ---- */

/* Processes that run a command line in which this is. */
static int processes_with(const char *text)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    int found = 0;
    while (d && (e = readdir(d)) != NULL) {
        char path[300], line[4096];
        snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
        int fd = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
        ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
        if (fd >= 0)
            close(fd);
        for (ssize_t i = 0; i < n; i++)
            if (!line[i])
                line[i] = ' ';
        line[n > 0 ? n : 0] = 0;
        found += strstr(line, text) != NULL;
    }
    if (d)
        closedir(d);
    return found;
}

/* Where a script or a command line says MARK there is the number of this process behind it, so that
 * what another one of these tests runs meanwhile is not taken for what is left here. */
#define MARK "SOSIA-ATTACK"
static const char *marked(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *at; (at = strstr(text, MARK)) != NULL; text = at + sizeof MARK - 1)
        buf_printf(&b, "%.*s" MARK "-%d-", (int)(at - text), text, (int)getpid());
    buf_puts(&b, text);
    const char *all = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return all;
}

/* The last outcome, as JSON; NULL: the call was refused. */
static const struct json *attack(const char *script)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "argv");
    json_str(&w, NULL, "bash");
    json_str(&w, NULL, "-c");
    json_str(&w, NULL, marked(script));
    json_str(&w, NULL, marked(MARK));
    json_end(&w);
    json_end(&w);
    const struct json *v =
        test_request("POST", "/workspace/v1/programs/run", headers, 2, buf_str(&b), b.len);
    buf_done(&b);
    return test_status == 200 ? v : NULL;
}

/* ---- the table ---- */

struct row {
    const char *what, *script;
    const char *says; /* in its output or messages, or the refusal; NULL: anything */
    bool slow;        /* it is ended by its time */
};

#define PYTHON(text) "python3 - <<'E'\n" text "\nE\n"
#define CALLED(text) PYTHON("import ctypes, os, sys\nl = ctypes.CDLL(None, use_errno=True)\n" text)

static const struct row rows[] = {
    /* Files of the machine. */
    {"a link to a file outside",
     "cat out; echo bad > out; ln -s / root; cat root$0 2>&1; cat "
     "root/etc/shadow; echo $?",
     "No such file or directory"},
    {"a link in the place of a directory", "rm -rf d; ln -s /tmp d; echo x > d/x; ls /tmp", "x"},
    {"host's files",
     "cat /etc/shadow /root/.ssh/id_rsa /proc/1/environ; ls /root /home /srv /var/lib "
     "/sys",
     "No such file or directory"},
    {"environment of process 1",
     "cat /proc/1/environ | tr '\\0' '\\n'; ls -l /proc/1/root /proc/1/fd", "Permission denied"},
    {"files of the system", "touch /usr/bin/x /etc/x /bin/x; echo x > /etc/passwd; rm -f /bin/sh",
     "Read-only file system"},
    {"core pattern",
     "echo '|/data/x' > /proc/sys/kernel/core_pattern; echo c > /proc/sysrq-trigger",
     "Read-only file system"},
    {"devices", "mknod /data/sda b 8 0 || mknod /data/null c 1 3; ls /dev/sda /dev/mem /dev/kmsg",
     "Operation not permitted"},
    {"setuid programs",
     "cp /bin/sh /data/s; chmod 6755 /data/s; /data/s -p -c id; mount "
     "-t tmpfs x /mnt",
     "uid=1000"},
    /* Namespaces and processes. */
    {"a user namespace", "unshare -U true; unshare -r -m true; echo $?", "Operation not permitted"},
    {"clone and clone3",
     CALLED("r = l.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)\n"
            "os._exit(0) if r == 0 else print('clone', r, ctypes.get_errno())\n"
            "print('clone3', l.syscall(435, 0, 0), ctypes.get_errno())"),
     "clone -1 1\nclone3 -1 38"},
    {"setns",
     CALLED("f = os.open('/proc/self/ns/net', 0)\nprint(l.setns(f, 0), "
            "ctypes.get_errno())"),
     "-1 1"},
    {"ptrace of process 1", CALLED("print(l.ptrace(16, 1, 0, 0), ctypes.get_errno())"), "-1 1"},
    {"process_vm_readv and pidfd of process 1",
     CALLED("p = l.syscall(434, 1, 0)\nprint(l.syscall(438, p, 3, 0), ctypes.get_errno())"),
     "-1 1"},
    {"signals to process 1", "kill -9 1; kill -STOP 1; kill -TERM -1; echo here", "here"},
    {"a timer that wakes a stopped process", /* what is stopped may go on at any time */
     CALLED("import time\n"
            "def rest():\n"
            "  event = (ctypes.c_int * 16)(0, 0, 18, 0)\n"
            "  timer = ctypes.c_void_p()\n"
            "  often = (ctypes.c_long * 4)(0, 1000000, 0, 1000000)\n"
            "  l.timer_create(1, event, ctypes.byref(timer))\n"
            "  l.timer_settime(timer, 0, often, None)\n"
            "  os.kill(os.getpid(), 19)\n"
            "rest()\nprint('awake', flush=True)\n"
            "if os.fork() == 0:\n"
            "  os.setsid(); rest()\n"
            "  while True:\n"
            "    try: open('/data/out', 'w').write('bad')\n"
            "    except OSError: pass\n"
            "time.sleep(0)"),
     "awake"},
    {"io_uring, bpf, keys, userfaultfd",
     CALLED(
         "print([(l.syscall(n, 0, 0, 0, 0), ctypes.get_errno()) for n in (425, 321, 250, 323)])"),
     "(-1, 38), (-1, 1), (-1, 1), (-1, 1)"},
    {"input of a terminal", CALLED("print(l.ioctl(0, 0x5412, b'x'), ctypes.get_errno())"), "-1 1"},
    /* The network. */
    {"addresses outside",
     PYTHON("import socket\nfor a in ('169.254.169.254', '10.0.0.1', '8.8.8.8'):\n"
            "  s = socket.socket(); s.settimeout(1)\n"
            "  try: s.connect((a, 80)); print('through')\n"
            "  except OSError as e: print(e)"),
     "unreachable"},
    {"families of sockets",
     PYTHON("import socket\nfor f in (40, 16, 17, 38, 31):\n"
            "  try: socket.socket(f, socket.SOCK_RAW if f == 16 else socket.SOCK_DGRAM)\n"
            "  except OSError as e: print(f, e.errno)"),
     "40 97\n17 97"},
    {"abstract sockets",
     PYTHON("import socket\ns = socket.socket(socket.AF_UNIX)\n"
            "try: s.connect('\\0sosia'); print('through')\nexcept OSError as e: print(e.errno)"),
     "111"},
    /* Hosts of services lead into the world, and nowhere else; here no server takes it. */
    {"the services' address",
     PYTHON("import socket\nfor p in (22, 25, 8080, 8787, 8788):\n"
            "  try: socket.create_connection(('slack.com', p), 1); print('through')\n"
            "  except OSError as e: print(e.errno)\n"
            "s = socket.create_connection(('slack.com', 443), 1); print(s.recv(1) or 'closed')"),
     "111\n111\n111\n111\n111\nclosed"},
    {"sockets that listen for services",
     PYTHON("import os, socket\nprint(sorted(os.listdir('/proc/self/fd')))\n"
            "for p in (80, 443):\n"
            "  s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
            "  try: s.bind(('127.0.0.2', p)); print('through')\n"
            "  except OSError as e: print(e.errno)"),
     "13\n13"},
    {"hosts and authorities", /* a session's hosts are its own, and lead nowhere else */
     "echo x > /etc/ssl/certs/ca-certificates.crt; echo x > /etc/resolv.conf; echo 10.0.0.1 "
     "slack.com > /etc/hosts; " PYTHON("import socket\ns = socket.socket(); s.settimeout(1)\n"
                                       "try: s.connect(('slack.com', 443)); print('through')\n"
                                       "except OSError as e: print(e)"),
     "unreachable"},
    {"connections without end",
     PYTHON("import socket, time\nend = time.time() + 0.2\nwhile time.time() < end:\n"
            "  try: socket.create_connection(('slack.com', 80), 1).close()\n"
            "  except OSError: pass"),
     NULL},
    /* More than there is. */
    {"a full disk",
     "head -c 20000000 /dev/zero > /data/full; head -c 9000000 /dev/zero > /tmp/full; "
     "head -c 9000000 /dev/zero > ~/full; rm -f /data/full",
     "No space left on device"},
    {"many files", "for i in $(seq 600); do echo > /data/f$i; done; rm -f /data/f*",
     "No space left on device"},
    {"memory", PYTHON("try:\n  x = bytearray(1 << 30)\nexcept MemoryError: print('no memory')"),
     "no memory"},
    {"processes", "for i in $(seq 100); do sleep 60 & done 2>&1 | head -3; kill %1; echo", NULL},
    {"a fork bomb", "b() { b | b & b; }; b", "Resource temporarily unavailable", true},
    {"open files",
     PYTHON("try:\n  x = [open('/dev/null') for i in range(100)]\nexcept OSError as "
            "e: print(e.errno)"),
     "24"},
    {"a flood of output", "yes SOSIA-ATTACK", NULL},
    {"a flood of messages", "yes SOSIA-ATTACK >&2", NULL},
    {"without end", "trap '' TERM INT HUP QUIT; while :; do :; done", NULL, true},
    {"daemons",
     "for i in 1 2 3; do (setsid bash -c 'trap \"\" HUP TERM; exec -a SOSIA-ATTACK sleep "
     "600' > /dev/null 2>&1 < /dev/null &) ; done; echo gone",
     "gone"},
    {"held pipes", "sleep 600 & disown; echo held", "held"},
    /* Names and contents that are odd. */
    {"names",
     "touch \"$(printf 'a\\nb')\" \"$(printf '\\033[31m')\" \"$(printf '\\377')\" \"$(printf "
     "'%255s' | tr ' ' n)\"; rm -f a?b n* $'\\377' $'\\033'*; echo done",
     "done"},
    {"sockets and pipes",
     "mkfifo p; python3 -c \"import socket; "
     "socket.socket(socket.AF_UNIX).bind('s')\"; ls; rm p s",
     "p"},
    {"files that nobody may read", "mkdir shut; echo x > shut/x; chmod 0 shut/x shut; echo done",
     "done"},
    {"a hard link to a file of the system",
     "ln /etc/passwd /data/p; ln /usr/bin/env /data/e; echo "
     "$?",
     "1"},
    {"files under a directory over a base",
     "ls -A /.bases; cat /data/upper/a.txt /data/work/x; umount /data; grep -c ' /.bases' "
     "/proc/self/mountinfo; ls -A /proc/1/root/.bases; ls -A /.bases/1",
     "cannot access '/.bases/1'"},
    {"marks of overlays",
     PYTHON(
         "import os\nos.mkdir('marked')\n"
         "for name in ('user.overlay.opaque', 'user.overlay.redirect', 'user.overlay.whiteout'):\n"
         "  for at in ('/data', '/data/a.txt', '/data/marked'):\n"
         "    try: os.setxattr(at, name, b'y')\n"
         "    except OSError as e: print(e.errno)\n"
         "try: os.mknod('/data/marked/gone', 0o020644, 0)\n"
         "except OSError as e: print(e.errno)\n"
         "os.rename('marked', 'again'); print('done')") "; rm -r again",
     "done"},
    {"overlay attributes",
     PYTHON("import os\n"
            "try: os.setxattr('/data/a.txt', 'trusted.overlay.opaque', b'y')\n"
            "except OSError as e: print(e.errno)"),
     NULL},
};

/* The scripts of some rows are of this architecture. */
static bool is_here(const struct row *r)
{
#ifdef __x86_64__
    return r != NULL;
#else
    return !strstr(r->script, "l.syscall");
#endif
}

static void nothing_is_outside(const struct row *r)
{
    char path[96], text[64] = "";
    if (entries_of(outside) != 1)
        fail_msg("%s: something was made in %s", r->what, outside);
    snprintf(path, sizeof path, "%s/secret", outside);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, sizeof text, f) || strcmp(text, "secret of the machine\n") != 0)
        fail_msg("%s: a file outside was changed", r->what);
    fclose(f);
    if (processes_with(marked(MARK)))
        fail_msg("%s: a process is left", r->what);
}

static void run_row(const struct row *r)
{
    const struct json *v = attack(r->script);
    /* It has a second, which may be too short on a busy machine. */
    for (int i = 0; i < 4 && !r->slow && json_get_true(v, "timedOut"); i++)
        v = attack(r->script);
    const char *out = v ? text_at(v, "stdout") : NULL, *err = v ? text_at(v, "stderr") : NULL;
    const char *said =
        arena_printf(&test_arena, "%s%s", out ? out : "", v ? (err ? err : "") : test_body);
    /* Of thousands on a busy machine one may be ended by its time before it has said anything. */
    const bool cut = getenv("SOSIA_ATTACKS") && json_get_true(v, "timedOut");
    if (strstr(r->what, "flood")) {
        int64_t n = json_get_int(v, strstr(r->what, "output") ? "stdoutTotal" : "stderrTotal", 0);
        if ((n < 2 << 20 && !cut) || n > 4 << 20) /* it is ended beyond two MiB */
            fail_msg("%s: %lld bytes", r->what, (long long)n);
    }
    if (strstr(said, "secret of the machine"))
        fail_msg("%s: it has read a file outside", r->what);
    if (strstr(said, "through"))
        fail_msg("%s: it has reached an address outside", r->what);
    if (r->says && !cut && !strstr(said, r->says))
        fail_msg("%s: expected %s, got %d %s", r->what, r->says, test_status, test_body);
    nothing_is_outside(r);
    if (cut) /* before it removed its files: they are the world's, and may fill it */
        attack("rm -f full f[0-9]*");
    /* The next one finds all as it was. */
    static const char next[] = "cat a.txt; ls -A /tmp ~; cat /proc/mounts | wc -l > /dev/null";
    v = attack(next);
    for (int i = 0; i < 4 && json_get_true(v, "timedOut"); i++)
        v = attack(next);
    if (!v || strcmp(text_at(v, "stdout"), "one\n/home/user:\n\n/tmp:\n") != 0)
        fail_msg("%s: the next one got %d %s", r->what, test_status, test_body);
}

static void each_attack_is_kept_in(void **state)
{
    NEEDS_SANDBOX();
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(rows); i++)
        if (is_here(&rows[i]))
            run_row(&rows[i]);
}

static uint64_t number_of(const char *variable, uint64_t usual)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : usual;
}

/* The quick ones again and again, in any order: as many as script/attacks says, from the one on
 * that it names, for so many seconds at most. */
static void many_attacks_are_kept_in(void **state)
{
    NEEDS_SANDBOX();
    (void)state;
    const uint64_t most = number_of("SOSIA_ATTACKS", (uint64_t)dose(150, 0)),
                   seconds = number_of("SOSIA_ATTACKS_SECONDS", UINT32_MAX);
    const time_t began = time(NULL);
    uint64_t at = number_of("SOSIA_ATTACKS_FROM", 1), ran = 0;
    while (ran < most && (uint64_t)(time(NULL) - began) < seconds) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        const struct row *r = &rows[(at >> 33) % SOSIA_LEN(rows)];
        if (!is_here(r) || r->slow)
            continue;
        run_row(r);
        ran++;
    }
    if (getenv("SOSIA_ATTACKS"))
        printf("ran %llu, next %llu\n", (unsigned long long)ran, (unsigned long long)at);
}

/* ---- containers ---- */

static uint32_t action_of(const struct json *rule)
{
    assert_string_equal(json_get_str(rule, "action"), "SCMP_ACT_ERRNO");
    return SCMP_ACT_ERRNO(json_get_int(rule, "errnoRet", 0));
}

/* As a runtime loads it: names that this architecture does not have are left out. */
static void add_rule(scmp_filter_ctx f, const struct json *rule)
{
    const struct json *names = json_get(rule, "names"), *args = json_get(rule, "args");
    for (uint32_t i = 0; i < names->n; i++) {
        int number = seccomp_syscall_resolve_name(names->items[i].str);
        if (number == __NR_SCMP_ERROR)
            fail_msg("%s is no system call", names->items[i].str);
        if (!args) {
            assert_int_equal(seccomp_rule_add(f, action_of(rule), number, 0), 0);
            continue;
        }
        assert_int_equal(args->n, 1);
        assert_string_equal(json_get_str(&args->items[0], "op"), "SCMP_CMP_EQ");
        assert_int_equal(json_get_int(&args->items[0], "index", -1), 0);
        uint64_t value = (uint64_t)json_get_int(&args->items[0], "value", -1);
        assert_int_equal(
            seccomp_rule_add(f, action_of(rule), number, 1, SCMP_A0(SCMP_CMP_EQ, value)), 0);
    }
}

/* Whether programs are kept in under the profile, and one system call more that is refused. */
static bool keeps_under(const struct json *profile, const char *more)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    const struct json *rules = json_get(profile, "syscalls");
    struct sosia_err err;
    for (uint32_t i = 0; i < rules->n; i++)
        add_rule(f, &rules->items[i]);
    if (more)
        assert_int_equal(
            seccomp_rule_add(f, SCMP_ACT_ERRNO(1), seccomp_syscall_resolve_name(more), 0), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(seccomp_load(f) == 0 ? runner_probe(kept_program, NULL, &err) == 0 ? 0 : 1 : 2);
    int status = -1;
    waitpid(pid, &status, 0);
    seccomp_release(f);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        fail_msg("the profile can't be loaded: %d", status);
    return WEXITSTATUS(status) == 0;
}

static void the_profile_for_containers_suffices(void **state)
{
    NEEDS_SANDBOX();
    (void)state;
    const char *source = getenv("SOSIA_SOURCE");
    static char text[65536];
    char path[4096];
    snprintf(path, sizeof path, "%s/sandbox/seccomp.json", source ? source : ".");
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text, file) : 0;
    if (!n)
        fail_msg("%s can't be read", path);
    fclose(file);
    const struct json *profile = parsed(text, n);
    assert_string_equal(json_get_str(profile, "defaultAction"), "SCMP_ACT_ALLOW");
    assert_true(keeps_under(profile, NULL));
    assert_false(keeps_under(profile, "move_mount"));
}

int main(int argc, char **argv)
{
    int code;
    if (kept_main(argc, argv, &code))
        return code;
    const struct CMUnitTest many[] = {
        cmocka_unit_test_setup_teardown(many_attacks_are_kept_in, set_up, tear_down),
    };
    if (getenv("SOSIA_ATTACKS")) /* script/attacks */
        return cmocka_run_group_tests(many, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_attack_is_kept_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_attacks_are_kept_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_profile_for_containers_suffices, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
