/* SPDX-License-Identifier: Apache-2.0 */
/* Process 1 of a session: runs one command after another, and ends all that one leaves behind. */
#include "sandbox/private.h"
#include "sandbox/processes.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USUAL_ENVIRONMENT = 24, BACKLOG = 64 };
enum { HOLD_MS = 200, LOOKS = 50 /* without sleeping, for each */ };
enum { BEHIND = 5 };  /* how much nicer a program is than the server */
enum { TRUSTED = 8 }; /* variables that name authorities */

/* ---- beginning ---- */

static int loopback_up(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int rc = fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &lo);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Where connections to the hosts that are passed on arrive. */
static int listen_at(uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (inet_pton(AF_INET, SANDBOX_ADDRESS, &a.sin_addr) == 1 &&
        bind(fd, (const struct sockaddr *)&a, sizeof a) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

static int drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    for (int i = 0; i < 64; i++)
        if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0 && errno != EINVAL)
            return -1; /* EINVAL: there is no such capability */
    return syscall(SYS_capset, &head, none) < 0 ? -1 : 0;
}

/* The user namespace comes last: made together with the others it would lock the mounts that are
 * there (mount_namespaces(7)). Nothing is mapped into it but the one user. */
static int begin(const struct session_order *order, int filter, int ret_listening[2],
                 int *ret_upper, const char **ret_what)
{
    *ret_what = "private mounts";
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        system_private(order, ret_upper, ret_what) < 0)
        return -1;
    *ret_what = "the loopback interface";
    if (loopback_up() < 0 || sethostname("sandbox", strlen("sandbox")) < 0)
        return -1;
    *ret_what = "ports of HTTP";
    if (*order->hosts &&
        ((ret_listening[0] = listen_at(80)) < 0 || (ret_listening[1] = listen_at(443)) < 0))
        return -1;
    *ret_what = "a user namespace";
    if (user_namespace(SANDBOX_UID, geteuid(), getegid()) < 0)
        return -1;
    *ret_what = "privileges";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || drop_capabilities() < 0 ||
        filter_load(filter) < 0)
        return -1;
    /* Otherwise a program could trace it, and take its socket. */
    return prctl(PR_SET_DUMPABLE, 0);
}

/* ---- a command ---- */

struct work {
    struct order order;
    const char *directory;
    char *argv[MAX_ARGV + 1], *environment[MAX_ENVIRONMENT + USUAL_ENVIRONMENT];
};

/* The strings behind the order, each with its NUL. -1: they are not what it says. */
static int take_work(struct work *w, char *data, size_t n)
{
    static char *const usual[] = {
        (char *)"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/bin",
        (char *)"HOME=" SANDBOX_HOME, (char *)"USER=user", (char *)"LOGNAME=user",
        (char *)"SHELL=/bin/bash", (char *)"LANG=C.UTF-8", (char *)"TERM=dumb",
        (char *)"AGENT_WORKSPACE=" SANDBOX_DATA, (char *)"GIT_CONFIG_SYSTEM=" SANDBOX_GIT_FILE,
        /* Which are for programs with a list of authorities of their own. */
        (char *)"SSL_CERT_FILE=" SANDBOX_BUNDLE, (char *)"REQUESTS_CA_BUNDLE=" SANDBOX_BUNDLE,
        (char *)"CURL_CA_BUNDLE=" SANDBOX_BUNDLE, (char *)"HTTPLIB2_CA_CERTS=" SANDBOX_BUNDLE,
        (char *)"GIT_SSL_CAINFO=" SANDBOX_BUNDLE,
        (char *)"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH=" SANDBOX_BUNDLE,
        (char *)"NODE_EXTRA_CA_CERTS=" SANDBOX_CERT, (char *)"DENO_CERT=" SANDBOX_CERT};
    _Static_assert(SOSIA_LEN(usual) < USUAL_ENVIRONMENT, "room for all of them");
    const size_t n_usual = SOSIA_LEN(usual) - (access(SANDBOX_CERT, F_OK) < 0 ? TRUSTED : 0);
    char *at = data + sizeof w->order, *const end = data + n;
    int kept = 0;
    if (n < sizeof w->order + 1 || end[-1])
        return -1;
    memcpy(&w->order, data, sizeof w->order);
    if (w->order.n_argv < 1 || w->order.n_argv > MAX_ARGV || w->order.n_environment < 0 ||
        w->order.n_environment > MAX_ENVIRONMENT)
        return -1;
    w->directory = at;
    for (int i = 0; i < w->order.n_argv + w->order.n_environment; i++) {
        if ((at += strlen(at) + 1) >= end)
            return -1;
        if (i < w->order.n_argv)
            w->argv[i] = at;
        else
            w->environment[kept++] = at;
    }
    w->argv[w->order.n_argv] = NULL;
    for (size_t i = 0; i < n_usual; i++) {
        bool given = false;
        for (int k = 0; k < w->order.n_environment; k++)
            given = given || strncmp(usual[i], w->environment[k], strcspn(usual[i], "=") + 1) == 0;
        if (!given)
            w->environment[kept++] = usual[i];
    }
    w->environment[kept] = NULL;
    return 0;
}

static void limit(int what, int64_t most)
{
    struct rlimit l = {(rlim_t)most, (rlim_t)most};
    setrlimit(what, &l);
}

/* Does not return. */
static void execute(const struct work *w, const struct sandbox_limits *l, const int *fds)
{
    signal(SIGPIPE, SIG_DFL);
    setsid();
    for (int i = 0; i < MESSAGE_FDS; i++)
        if (dup2(fds[i], i) < 0)
            _exit(126);
    close_range(3, ~0U, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, l->descriptors);
    limit(RLIMIT_NPROC, l->processes);
    nice(BEHIND); /* the server, whichever place that has; it fails with -1 of a nice value too */
    umask(022);
    if (strcmp(w->argv[0], PROCESSES) == 0)
        processes_main(w->environment, l->memory_bytes);
    limit(RLIMIT_DATA, l->memory_bytes);
    if (chdir(w->directory) == 0)
        execvpe(w->argv[0], w->argv, w->environment);
    int why = errno;
    dprintf(2, "%s: %s\n", w->argv[0], strerror(why));
    _exit(why == ENOENT ? 127 : 126);
}

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return ((int64_t)u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec +
           u.ru_stime.tv_usec;
}

/* The state of a process, as in /proc; 0: it is not there, or can't be read. */
static char state_of(pid_t pid)
{
    char path[40], line[200] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    const char *end = n > 0 ? strrchr(line, ')') : NULL; /* "ID (NAME) STATE ..." */
    return end && end[1] ? end[2] : 0;
}

static bool stands(pid_t pid)
{
    char state = state_of(pid);
    return !state || strchr("TtZX", state);
}

static int older_first(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

enum { PROCESSES_MOST = 8192 };

/* All but this one, parents before their children, unless their numbers have begun again; at most
 * so many. -1: they can't be listed. */
static int all_processes(pid_t ret[PROCESSES_MOST])
{
    int n = 0;
    DIR *d = opendir("/proc");
    struct dirent *e;
    if (!d)
        return -1;
    while (n < PROCESSES_MOST && (e = readdir(d)) != NULL) {
        long pid = strtol(e->d_name, NULL, 10); /* 0: another name */
        if (pid > 1)
            ret[n++] = (pid_t)pid;
    }
    closedir(d);
    qsort(ret, (size_t)n, sizeof *ret, older_first);
    return n;
}

static pid_t processes[PROCESSES_MOST];

/* Does nothing run but this process? */
static bool all_stand(void)
{
    int n = all_processes(processes);
    for (int i = 0; i < n; i++)
        if (!stands(processes[i]))
            return false;
    return n >= 0;
}

/* A signal to stop takes effect when a process leaves the kernel. A shell with jobs that is still
 * there when its child stops is given that by wait(), and says that the job was stopped; so each
 * stops before its children do. */
static void hold(void)
{
    const struct timespec ms = {0, 1000000};
    const int64_t end = now_us() + HOLD_MS * 1000;
    int n = all_processes(processes);
    for (int i = 0; i < n; i++) {
        kill(processes[i], SIGSTOP);
        for (int looks = 0; !stands(processes[i]) && now_us() < end; looks++)
            if (looks < LOOKS)
                sched_yield();
            else
                nanosleep(&ms, NULL);
    }
    kill(-1, SIGSTOP); /* those that were begun meanwhile */
    while (!all_stand() && now_us() < end)
        nanosleep(&ms, NULL);
}

/* Children before their parents, for the same reason. */
static void go_on(void)
{
    for (int n = all_processes(processes); n > 0;)
        kill(processes[--n], SIGCONT);
    kill(-1, SIGCONT); /* what is not in the list */
}

/* A message while a command runs. False: it is to be ended. */
static bool take_message(int talk)
{
    int fds[MESSAGE_FDS];
    char kind;
    if (message_receive(talk, &kind, NULL, 0, fds) < 0)
        _exit(0);
    if (kind == SAY_HOLD) {
        hold();
        message_send(talk, SAY_HELD, NULL, 0, NULL, 0);
    } else if (kind == SAY_GO) {
        go_on();
    } else if (kind == SAY_STOP) {
        return false;
    } else {
        _exit(0);
    }
    return true;
}

/* Until it ends or its time is over, the server wants no more of it, or has gone. */
static void await(int talk, pid_t pid, int64_t timeout_ms, struct done *ret)
{
    const int64_t began = now_us();
    struct pollfd waits[] = {{(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0}, {talk, POLLIN, 0}};
    int64_t left = timeout_ms;
    while (left > 0 && poll(waits, 2, left > 100000000 ? 100000000 : (int)left) >= 0) {
        if ((waits[1].revents && !take_message(talk)) || waits[0].revents)
            break;
        left = timeout_ms - (now_us() - began) / 1000;
    }
    ret->timed_out = left <= 0;
    close(waits[0].fd);
    ret->wall_us = now_us() - began;
}

/* What it left running is ended before its outcome is told. */
static void run(int talk, const struct work *w, const struct sandbox_limits *l, const int *fds)
{
    struct done done = {.status = 126};
    const int64_t before = cpu_us();
    int status;
    /* Nothing of this process's memory is copied for a program that replaces it at once. */
    const bool ours = strcmp(w->argv[0], PROCESSES) == 0;
    pid_t pid = ours ? fork() : vfork(), ended;
    if (pid == 0)
        execute(w, l, fds);
    for (int i = 0; i < MESSAGE_FDS; i++)
        close(fds[i]);
    if (pid > 0)
        await(talk, pid, w->order.timeout_ms, &done);
    if (kill(-1, SIGKILL) < 0 && errno != ESRCH)
        _exit(1);
    while ((ended = waitpid(-1, &status, 0)) > 0 || (ended < 0 && errno == EINTR))
        if (ended == pid)
            done.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    done.cpu_us = cpu_us() - before;
    message_send(talk, SAY_DONE, &done, sizeof done, NULL, 0);
}

void session_main(int talk, const struct session_order *order, int filter)
{
    static char data[MESSAGE_MAX + 1];
    static struct work work;
    const char *what;
    int fds[MESSAGE_FDS], ready[MESSAGE_FDS] = {-1, -1, -1}, upper = -1;
    char kind;
    ssize_t n;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    if (begin(order, filter, ready + 1, &upper, &what) < 0) {
        message_fail(talk, what);
        _exit(1);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of privileges resets it */
    ready[0] = open(SANDBOX_DATA, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (upper >= 0) {
        int own =
            openat(upper, SANDBOX_UPPER + sizeof SANDBOX_DATA, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (own < 0 || message_send(talk, SAY_UPPER, NULL, 0, &own, 1) < 0)
            _exit(1);
        close(own);
        close(upper);
    }
    if (ready[0] < 0 ||
        message_send(talk, SAY_READY, NULL, 0, ready, *order->hosts ? MESSAGE_FDS : 1) < 0)
        _exit(1);
    for (int i = 0; i < MESSAGE_FDS; i++) /* what listens is the server's alone */
        if (ready[i] >= 0)
            close(ready[i]);
    while ((n = message_receive(talk, &kind, data, sizeof data, fds)) >= 0) {
        if (kind != SAY_RUN || take_work(&work, data, (size_t)n) < 0 || fds[MESSAGE_FDS - 1] < 0)
            break;
        run(talk, &work, &order->limits, fds);
    }
    _exit(0);
}
