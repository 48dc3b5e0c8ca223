/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces, privileges and the first process of the command of `sosia run`. */
#include "cli/sandbox.h"
#include "engine/base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENVIRONMENT_MAX ((size_t)1 << 20)

/* What the two say to each other. */
enum { SAY_MAP_ME = 'm', SAY_MAPPED = 'd', SAY_READY = 'r' };

int sandbox_fail(const char *what)
{
    fprintf(stderr, "sosia run: %s: %s\n", what, strerror(errno));
    return -1;
}

/* ---- namespaces ---- */

/* A file of /proc takes what is written in one piece. -1: see errno. */
static int write_proc(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return n < 0 ? -1 : 0;
}

int sandbox_own_user(uid_t uid, gid_t gid)
{
    char map[64];
    if (unshare(CLONE_NEWUSER) < 0 || write_proc("/proc/self/setgroups", "deny") < 0)
        return -1;
    snprintf(map, sizeof map, "0 %u 1", uid);
    if (write_proc("/proc/self/uid_map", map) < 0)
        return -1;
    snprintf(map, sizeof map, "0 %u 1", gid);
    return write_proc("/proc/self/gid_map", map);
}

int sandbox_own_mounts(void)
{
    return unshare(CLONE_NEWNS) < 0 ? -1 : mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int loopback_up(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int rc = fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0 ? sandbox_fail("loopback") : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

int sandbox_enter(const struct machine *m)
{
    int spaces = CLONE_NEWNET | (m->missing[PART_UTS] ? 0 : CLONE_NEWUTS);
    if ((m->own_user && sandbox_own_user(m->uid, m->gid) < 0) || sandbox_own_mounts() < 0 ||
        unshare(spaces) < 0)
        return sandbox_fail("private namespaces");
    return loopback_up();
}

/* The identities of the keeper's namespace, each as itself; of a user without privileges, the one
 * that he had before. */
static int map_one(const struct machine *m, pid_t pid, const char *kind, unsigned id)
{
    char path[64], map[4096];
    size_t len = 0;
    unsigned inside, outside, count;
    if (m->own_user) {
        len = (size_t)snprintf(map, sizeof map, "%u 0 1\n", id);
    } else {
        snprintf(path, sizeof path, "/proc/self/%s", kind);
        FILE *f = fopen(path, "re");
        while (f && len < sizeof map - 64 && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3)
            len +=
                (size_t)snprintf(map + len, sizeof map - len, "%u %u %u\n", inside, inside, count);
        if (f)
            fclose(f);
    }
    map[len] = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, kind);
    return write_proc(path, map) < 0 ? sandbox_fail(path) : 0;
}

/* ---- privileges ---- */

/* What root keeps of its capabilities: it handles files of all users where it may write, and can
 * become one of them. All others have none. */
#define CAPABILITY(name) (UINT64_C(1) << (name))
static const uint64_t root_keeps =
    CAPABILITY(CAP_CHOWN) | CAPABILITY(CAP_DAC_OVERRIDE) | CAPABILITY(CAP_FOWNER) |
    CAPABILITY(CAP_FSETID) | CAPABILITY(CAP_KILL) | CAPABILITY(CAP_SETGID) | CAPABILITY(CAP_SETUID);

static int drop_capabilities(uint64_t keep)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    for (int i = 0; i < 64; i++)
        if (!(keep >> i & 1) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0 && errno != EINVAL)
            return -1; /* EINVAL: there is no such capability */
    for (int i = 0; i < 2; i++)
        data[i].effective = data[i].permitted = (uint32_t)(keep >> (32 * i));
    return syscall(SYS_capset, &head, data) < 0 ? -1 : 0;
}

/* What namespaces don't keep apart: input to the terminal (TIOCSTI), kinds of sockets that belong
 * to no network namespace (AF_VSOCK leads to the host of a virtual machine), keyrings, performance
 * counters, BPF; and io_uring, which would pass all that by. A filter of our own would have to know
 * the ways into the kernel of each architecture; libseccomp does. */
static int load_filter(void)
{
    static const int refused[] = {SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl),
                                  SCMP_SYS(bpf), SCMP_SYS(perf_event_open)};
    static const int absent[] = {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
                                 SCMP_SYS(io_uring_register)};
    static const unsigned terminal[] = {TIOCSTI, TIOCLINUX};
    const uint32_t no_family = SCMP_ACT_ERRNO(EAFNOSUPPORT);
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    if (!f)
        return -1;
    int rc = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(refused); i++)
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(absent); i++)
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), absent[i], 0);
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(terminal); i++)
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, terminal[i]));
    for (unsigned family = 0; rc == 0 && family < AF_NETLINK; family++)
        if (family != AF_UNIX && family != AF_INET && family != AF_INET6)
            rc = seccomp_rule_add(f, no_family, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, family));
    if (rc == 0)
        rc = seccomp_rule_add(f, no_family, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GT, AF_NETLINK));
    if (rc == 0)
        rc = seccomp_load(f);
    seccomp_release(f);
    errno = rc < 0 ? -rc : errno;
    return rc < 0 ? -1 : 0;
}

static int drop_privileges(const struct machine *m)
{
    /* Names of keys would lead to the user's session otherwise. Not everything has keyrings. */
    (void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        drop_capabilities(m->own_user ? 0 : root_keeps) < 0)
        return sandbox_fail("privileges");
    if (!m->missing[PART_FILTER] && load_filter() < 0)
        return sandbox_fail("the filter of system calls");
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of privileges resets it */
    return 0;
}

/* ---- signals ---- */

static volatile pid_t receiver;
static bool outside_only;

static void pass_on(int number, siginfo_t *info, void *context)
{
    int why = errno;
    (void)context;
    if (info->si_code <= 0 && (!outside_only || info->si_pid == 0) && receiver > 0)
        kill(receiver, number);
    errno = why;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* Signals wait until there is a process to pass them on to; a first process without a handler
 * would never get it. */
static void hold_signals(sigset_t *ret_before)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < SOSIA_LEN(signals); i++)
        sigaddset(&held, signals[i]);
    sigprocmask(SIG_BLOCK, &held, ret_before);
}

void sandbox_pass_on(pid_t to, bool of_outside)
{
    struct sigaction sa = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    receiver = to;
    outside_only = of_outside;
    for (size_t i = 0; i < SOSIA_LEN(signals); i++)
        sigaction(signals[i], &sa, NULL);
}

/* ---- init ---- */

static int say(int fd, char what)
{
    return send(fd, &what, 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* -1: the other end is closed, or sends something else. */
static int receive(int fd, char what)
{
    char c;
    ssize_t n;
    while ((n = read(fd, &c, 1)) < 0 && errno == EINTR)
        ;
    return n == 1 && c == what ? 0 : -1;
}

static int add_hosts(const char *lines)
{
    int fd = open(VIEW_HOSTS, O_WRONLY | O_APPEND | O_CLOEXEC);
    size_t n = strlen(lines);
    int rc = fd >= 0 && write(fd, lines, n) == (ssize_t)n ? 0 : sandbox_fail(VIEW_HOSTS);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Sets what the keeper sends until it shuts its side. */
static int take_environment(int fd)
{
    struct buf b;
    char chunk[4096];
    ssize_t n;
    buf_init(&b, ENVIRONMENT_MAX);
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            buf_add(&b, chunk, (size_t)n);
    /* An end without data is a keeper that has ended; the buffer is kept as environment. */
    bool good = n == 0 && !buf_failed(&b) && b.len && b.data[b.len - 1] == 0;
    for (char *at = b.data; good && at < b.data + b.len; at += strlen(at) + 1)
        good = (*at == '=' ? add_hosts(at + 1) : putenv(at)) == 0;
    return good ? 0 : -1;
}

static void unset_what_leads_out(void)
{
    static const char *const names[] = {
        "http_proxy",        "https_proxy",     "all_proxy",
        "HTTP_PROXY",        "HTTPS_PROXY",     "ALL_PROXY",
        "SOSIA_CONTROL_KEY", "SSH_AUTH_SOCK",   "DOCKER_HOST",
        "GPG_AGENT_INFO",    "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY",           "WAYLAND_DISPLAY", "TMPDIR"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        unsetenv(names[i]);
}

/* Does not return. */
static void execute(const struct sandbox *s, char **argv)
{
    execvp(argv[0], argv);
    int why = errno;
    fprintf(stderr, "sosia run: %s: %s\n", argv[0], strerror(why));
    if (why == ENOENT && view_home(s->view))
        fprintf(stderr, "  %s is private for the command; --show DIR shows what is in it\n",
                view_home(s->view));
    _exit(why == ENOENT ? 127 : 126);
}

/* Everything that is orphaned in the namespace comes to it; when it ends, all end. */
static int wait_for(pid_t command)
{
    int status = 0;
    for (;;) {
        pid_t pid = waitpid(-1, &status, 0);
        if (pid == command)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (pid < 0 && errno != EINTR)
            return EXIT_FAILURE;
    }
}

/* The first process; gives its exit code. */
static int init(const struct sandbox *s, char **argv)
{
    const struct machine *m = s->machine;
    sigset_t before;
    hold_signals(&before);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (size_t i = 0; i < s->n_secrets; i++) /* command lines are public */
        memset(s->secrets[i], 0, strlen(s->secrets[i]));
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return sandbox_fail("private mounts");
    if (view_mount(s->view, m) < 0)
        return -1;
    /* In a namespace of other mounts and another user all mounts of before are locked. */
    if (!m->missing[PART_USER]) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
            return sandbox_fail("a user namespace for the command");
        if (say(s->talk, SAY_MAP_ME) < 0 || receive(s->talk, SAY_MAPPED) < 0)
            return -1;
    }
    if (chdir(view_directory(s->view)) < 0)
        return sandbox_fail(view_directory(s->view));
    unset_what_leads_out();
    if (drop_privileges(m) < 0 || say(s->talk, SAY_READY) < 0 || take_environment(s->talk) < 0)
        return -1;
    close_range(3, ~0U, 0);
    prctl(PR_SET_DUMPABLE,
          0); /* its environment and memory are the keeper's: not for the command */
    pid_t command = fork();
    if (command < 0)
        return sandbox_fail("fork");
    if (command == 0) {
        if (m->missing[PART_PID])
            prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execute(s, argv);
    }
    sandbox_pass_on(command, !m->missing[PART_PID]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return wait_for(command);
}

int sandbox_start(struct sandbox *s, int close_fd, char **argv)
{
    const struct machine *m = s->machine;
    int ends[2];
    unsigned long spaces = CLONE_NEWNS | (m->missing[PART_PID] ? 0 : CLONE_NEWPID) |
                           (m->missing[PART_IPC] ? 0 : CLONE_NEWIPC);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return sandbox_fail("socketpair");
    fflush(NULL);
    s->init = (pid_t)syscall(SYS_clone, spaces | SIGCHLD, NULL, NULL, NULL, NULL);
    if (s->init == 0) {
        close(ends[0]);
        close(close_fd);
        if (s->keep_out >= 0)
            close(s->keep_out);
        s->talk = ends[1];
        int code = init(s, argv);
        _exit(code < 0 ? EXIT_FAILURE : code);
    }
    close(ends[1]);
    s->talk = ends[0];
    if (s->init < 0)
        return sandbox_fail("namespaces for the command");
    if (!m->missing[PART_USER] &&
        (receive(s->talk, SAY_MAP_ME) < 0 || map_one(m, s->init, "uid_map", m->uid) < 0 ||
         map_one(m, s->init, "gid_map", m->gid) < 0 || say(s->talk, SAY_MAPPED) < 0))
        return -1;
    return receive(s->talk, SAY_READY);
}

int sandbox_go(struct sandbox *s, const struct buf *environment)
{
    for (size_t sent = 0; sent < environment->len;) {
        ssize_t n = send(s->talk, environment->data + sent, environment->len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return sandbox_fail("the command's first process");
        sent += n > 0 ? (size_t)n : 0;
    }
    close(s->talk);
    s->talk = -1;
    return 0;
}
