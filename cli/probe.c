/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine allows of the sandbox: tried, not guessed, in a process that ends
 * afterwards. */
#include "cli/sandbox.h"
#include "engine/base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name, *lost; /* lost: what a command can do without it */
} parts[PART_COUNT] = {
    [PART_USER] = {"user namespaces", "the command keeps the user's identity in the system"},
    [PART_MOUNT] = {"mount namespaces", NULL},
    [PART_NETWORK] = {"network namespaces", NULL},
    [PART_PID] = {"PID namespaces", "the command sees other processes, the server too, and can "
                                    "signal them; what it leaves running goes on"},
    [PART_IPC] = {"IPC namespaces", "the command reaches shared memory of other processes"},
    [PART_UTS] = {"UTS namespaces", "the host name is shared"},
    [PART_PROC] = {"a /proc of its own", "the command sees the system's /proc"},
    [PART_READ_ONLY] = {"read-only mounts (mount_setattr, Linux 5.12)",
                        "the command can write wherever the user can"},
    [PART_FILTER] = {"filters of system calls (seccomp)",
                     "the command can type into its terminal, and reach the user's keyrings and "
                     "sockets of a virtual machine"},
};

/* The caller's process is private afterwards; nothing is reported here. */
static int try_proc(void)
{
    int status;
    pid_t pid = fork(); /* is the first of its PID namespace */
    if (pid == 0)
        _exit(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 ? errno
                                                                                         : 0);
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static int try_space(int flag)
{
    return unshare(flag) < 0 ? errno : 0;
}

static void try_all(struct machine *m)
{
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
    unsigned action = SECCOMP_RET_ERRNO;
    m->own_user = m->uid != 0 || unshare(CLONE_NEWNS) < 0;
    if (m->own_user && sandbox_own_user(m->uid, m->gid) < 0) {
        m->missing[PART_USER] = errno;
        for (int i = PART_MOUNT; i <= PART_READ_ONLY; i++)
            m->missing[i] = m->missing[PART_USER];
        return;
    }
    m->missing[PART_MOUNT] = sandbox_own_mounts() < 0 ? errno : 0;
    m->missing[PART_NETWORK] = try_space(CLONE_NEWNET);
    m->missing[PART_IPC] = try_space(CLONE_NEWIPC);
    m->missing[PART_UTS] = try_space(CLONE_NEWUTS);
    m->missing[PART_PID] = try_space(CLONE_NEWPID);
    m->missing[PART_PROC] = m->missing[PART_PID] ? m->missing[PART_PID] : try_proc();
    m->missing[PART_READ_ONLY] =
        mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) < 0 ? errno : 0;
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0)
        m->missing[PART_FILTER] = errno;
    m->missing[PART_USER] = try_space(CLONE_NEWUSER); /* the command's */
}

int machine_probe(struct machine *ret_machine)
{
    struct machine m = {.uid = geteuid(), .gid = getegid()};
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return sandbox_fail("pipe");
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        try_all(&m);
        _exit(write(ends[1], &m, sizeof m) == (ssize_t)sizeof m ? 0 : 1);
    }
    close(ends[1]);
    bool got = pid > 0 && read(ends[0], &m, sizeof m) == (ssize_t)sizeof m;
    int why = errno;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    errno = got ? 0 : why;
    if (!got)
        return sandbox_fail("a process that finds out what the machine allows");
    *ret_machine = m;
    return 0;
}

const char *machine_part(int part, const char **ret_lost)
{
    *ret_lost = parts[part].lost;
    return parts[part].name;
}

/* A setting of the kernel's, one number. -1: it has none. */
static int setting(const char *path)
{
    char text[16] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    return n > 0 ? atoi(text) : -1;
}

static void explain(void)
{
    static const struct {
        const char *path;
        int value;
    } settings[] = {{"/proc/sys/kernel/unprivileged_userns_clone", 0},
                    {"/proc/sys/user/max_user_namespaces", 0},
                    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1}};
    for (size_t i = 0; i < SOSIA_LEN(settings); i++)
        if (setting(settings[i].path) == settings[i].value)
            fprintf(stderr, "  %s is %d here\n", settings[i].path, settings[i].value);
    if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
        fprintf(stderr, "  this is a container: its runtime may refuse them (seccomp profile, "
                        "masked /proc)\n");
}

bool machine_fit(const struct machine *m, bool weak)
{
    bool whole = true, possible = true;
    for (int i = 0; i < PART_COUNT; i++) {
        if (!m->missing[i])
            continue;
        bool needed = !parts[i].lost || (i == PART_USER && m->own_user);
        whole = false;
        possible = possible && !needed;
        fprintf(stderr, "sosia run: this machine must allow %s, refuses: %s\n", parts[i].name,
                strerror(m->missing[i]));
        if (weak && !needed)
            fprintf(stderr, "  goes on without, since --weak is given: %s\n", parts[i].lost);
    }
    if (whole || (possible && weak))
        return true;
    explain();
    if (possible)
        fprintf(stderr, "  --weak runs the command without what is missing\n");
    else if (weak)
        fprintf(stderr, "  --weak is not enough here: the vendors' hosts can't be redirected\n");
    return false;
}
