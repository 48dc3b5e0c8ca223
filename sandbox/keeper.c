/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper: has one thread, the system's view, and makes sessions of itself when it is asked. */
#include "sandbox/private.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* A user namespace whose one user is the caller, who has this number there. */
int user_namespace(unsigned inside, unsigned uid, unsigned gid)
{
    char map[64];
    if (unshare(CLONE_NEWUSER) < 0 || write_proc("/proc/self/setgroups", "deny") < 0)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", inside, uid);
    if (write_proc("/proc/self/uid_map", map) < 0)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", inside, gid);
    return write_proc("/proc/self/gid_map", map);
}

/* Root's namespaces would be of a user who owns the system's files. */
static int become_nobody(void)
{
    if (geteuid() != 0)
        return 0;
    if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
        setresuid(NOBODY, NOBODY, NOBODY) < 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 1); /* else the files in its /proc would be root's */
}

static int begin(const char *view, size_t len, int *ret_filter, const char **ret_what)
{
    *ret_what = "an unprivileged user";
    if (become_nobody() < 0)
        return -1;
    *ret_what = "user namespaces";
    if (user_namespace(0, geteuid(), getegid()) < 0)
        return -1;
    *ret_what = "mount namespaces";
    if (unshare(CLONE_NEWNS) < 0 || system_show(view, len, ret_what) < 0)
        return -1;
    *ret_what = "filters of system calls";
    return filter_export(ret_filter);
}

static void make_session(int talk, int end, const struct session_order *order, int filter)
{
    const unsigned long spaces =
        CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET;
    pid_t pid = (pid_t)syscall(SYS_clone, spaces | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        close(talk);
        session_main(end, order, filter);
    }
    int made = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (made < 0)
        message_fail(talk, "namespaces of a session");
    else
        message_send(talk, SAY_MADE, NULL, 0, &made, 1);
    if (made >= 0)
        close(made);
}

static void make_base(int talk, const struct base_order *order)
{
    int fd = -1;
    if (system_base(order, &fd) < 0)
        message_fail(talk, "a directory for files");
    else
        message_send(talk, SAY_MADE, NULL, 0, &fd, 1);
    if (fd >= 0)
        close(fd);
}

/* False: it is no order. */
static bool take_order(int talk, char kind, const void *data, size_t n, int end, int filter)
{
    static struct session_order session;
    struct base_order base;
    if (kind == SAY_SESSION && n == sizeof session) {
        memcpy(&session, data, sizeof session);
        if (end >= 0)
            make_session(talk, end, &session, filter);
    } else if ((kind == SAY_BASE || kind == SAY_DROP) && n == sizeof base) {
        memcpy(&base, data, sizeof base);
        if (kind == SAY_BASE)
            make_base(talk, &base);
        else
            system_drop_base(base.number);
    } else {
        return false;
    }
    return true;
}

int sandbox_keep(void)
{
    static char order[sizeof(struct session_order)];
    static char view[MESSAGE_MAX + 1];
    const char *what;
    int filter, fds[MESSAGE_FDS];
    char kind;
    close_range(3, ~0U, 0);
    /* Descriptors that come must not be those of standard streams. */
    const int talk = fcntl(0, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (talk < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
        return EXIT_FAILURE;
    close(null);
    signal(SIGCHLD, SIG_IGN);
    ssize_t n = message_receive(talk, &kind, view, MESSAGE_MAX, fds);
    if (n < 1 || kind != SAY_VIEW)
        return EXIT_FAILURE;
    if (begin(view, (size_t)n, &filter, &what) < 0) {
        message_fail(talk, what);
        return EXIT_FAILURE;
    }
    if (message_send(talk, SAY_READY, NULL, 0, NULL, 0) < 0)
        return EXIT_FAILURE;
    for (bool good = true;
         good && (n = message_receive(talk, &kind, order, sizeof order, fds)) >= 0;) {
        good = take_order(talk, kind, order, (size_t)n, fds[0], filter);
        for (int i = 0; i < MESSAGE_FDS; i++)
            if (fds[i] >= 0)
                close(fds[i]);
    }
    _exit(EXIT_SUCCESS); /* the server has ended; in here nothing looks for leaks */
}
